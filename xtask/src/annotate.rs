//! The metadata that Kubewarden reads from a policy's module, as `kwctl annotate` writes it: JSON in a custom section.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// The custom section's name.
const SECTION: &str = "io.kubewarden.metadata";

/// The module's first bytes: the magic and version 1.
const HEAD: &[u8] = b"\0asm\x01\0\0\0";

/// The metadata of `metadata.yml`, with the fields and the order that kwctl writes, so that the section has the same
/// bytes.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    protocol_version: Option<String>,
    pub rules: Vec<Rule>,
    pub annotations: BTreeMap<String, String>,
    mutating: bool,
    background_audit: bool,
    execution_mode: String,
    policy_type: String,
    pub context_aware_resources: Vec<ContextAwareResource>,
    host_capabilities: Vec<String>,
}

/// Which requests the policy reviews.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    api_groups: Vec<String>,
    api_versions: Vec<String>,
    resources: Vec<String>,
    operations: Vec<String>,
}

/// A kind that the policy may read from the cluster.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContextAwareResource {
    api_version: String,
    kind: String,
}

impl Metadata {
    /// Reads the text of `metadata.yml`.
    ///
    /// # Errors
    /// If it is not YAML, or has unknown fields.
    pub fn parse(text: &str) -> Result<Self> {
        let value = changeover_text::parse(text).map_err(anyhow::Error::msg)?.remove(0).value;
        serde_json::from_value(value).context("policy/metadata.yml")
    }

    /// Writes `module` with this metadata and with `usage`, the text of the README.
    ///
    /// # Errors
    /// If a file can't be read or written.
    pub fn annotate(mut self, usage: String, module: &Path, output: &Path) -> Result<()> {
        // kwctl gets the first from the policy itself, and the second from the file given with --usage-path.
        self.protocol_version = Some("v1".to_owned());
        self.annotations.insert("io.kubewarden.policy.usage".to_owned(), usage);
        let metadata = serde_json::to_vec(&self)?;
        fs::write(output, with_section(&fs::read(module)?, &metadata)?)?;
        Ok(())
    }
}

/// The module with the metadata appended.
fn with_section(module: &[u8], metadata: &[u8]) -> Result<Vec<u8>> {
    if !module.starts_with(HEAD) {
        bail!("the policy is not a WebAssembly module");
    }
    let mut content = leb128(SECTION.len());
    content.extend_from_slice(SECTION.as_bytes());
    content.extend_from_slice(metadata);
    let mut annotated = module.to_vec();
    // Section id 0 is a custom section.
    annotated.push(0);
    annotated.extend(leb128(content.len()));
    annotated.extend(content);
    Ok(annotated)
}

/// A number encoded as LEB128.
fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_leb128() {
        for (number, bytes) in [(0, &[0_u8][..]), (127, &[127]), (128, &[128, 1]), (624_485, &[0xe5, 0x8e, 0x26])] {
            assert_eq!(leb128(number), bytes);
        }
    }

    #[test]
    fn the_metadata_is_at_the_end() {
        let annotated = with_section(HEAD, b"{\"mutating\":true}").unwrap();
        let section = b"\0\x28\x16io.kubewarden.metadata{\"mutating\":true}";
        assert_eq!(annotated.strip_prefix(HEAD), Some(&section[..]));
        assert!(with_section(b"text", b"{}").is_err());
    }
}
