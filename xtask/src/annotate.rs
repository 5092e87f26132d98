//! The policy's module with the metadata that Kubewarden reads, byte for byte as `kwctl annotate` writes it, but without kwctl's
//! version: JSON in a custom section.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use walrus::{Module, RawCustomSection};

/// The custom section's name.
const SECTION: &str = "io.kubewarden.metadata";

/// The metadata of `metadata.yml`, with the fields and the order that kwctl writes, so that the section has the same
/// bytes.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    protocol_version: Option<String>,
    pub rules: Vec<Rule>,
    pub annotations: BTreeMap<String, String>,
    pub mutating: bool,
    background_audit: bool,
    execution_mode: String,
    policy_type: String,
    pub context_aware_resources: Vec<ContextAwareResource>,
    host_capabilities: Vec<String>,
    minimum_kubewarden_version: String,
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
        fs::write(output, with_section(&fs::read(module)?, SECTION, metadata)?)?;
        Ok(())
    }
}

/// Adds a custom section to a module.
///
/// # Errors
/// If the file is no module, or can't be written.
pub fn add_section(module: &Path, name: &str, data: Vec<u8>) -> Result<()> {
    let changed = with_section(&fs::read(module)?, name, data)?;
    Ok(fs::write(module, changed)?)
}

/// The module with another section at its end. kwctl reads and writes modules with walrus, which sorts the functions by size, so
/// that only walrus writes the same bytes.
fn with_section(module: &[u8], name: &str, data: Vec<u8>) -> Result<Vec<u8>> {
    let mut module = Module::from_buffer(module).context("the policy is not a WebAssembly module")?;
    module.customs.add(RawCustomSection { name: name.to_owned(), data });
    Ok(module.emit_wasm())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_is_at_the_end() {
        let annotated = with_section(b"\0asm\x01\0\0\0", SECTION, b"{\"mutating\":true}".to_vec()).unwrap();
        assert!(annotated.ends_with(b"\0\x28\x16io.kubewarden.metadata{\"mutating\":true}"));
        assert!(with_section(b"text", SECTION, b"{}".to_vec()).is_err());
    }
}
