//! The metadata that Kubewarden reads from a policy's module, as `kwctl annotate` writes it: JSON in a custom section.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::workspace::Workspace;

/// The custom section's name.
const SECTION: &str = "io.kubewarden.metadata";

/// The module's first bytes: the magic and version 1.
const HEAD: &[u8] = b"\0asm\x01\0\0\0";

/// Writes the annotated module.
///
/// # Errors
/// When a file can't be read or written, or the metadata is no YAML.
pub fn annotate(workspace: &Workspace, module: &Path, output: &Path) -> Result<()> {
    let folder = workspace.root.join("policy");
    let text = fs::read_to_string(folder.join("metadata.yml")).context("policy/metadata.yml")?;
    let usage = fs::read_to_string(folder.join("README.md")).context("policy/README.md")?;
    let mut metadata = changeover_text::parse(&text).map_err(anyhow::Error::msg)?.remove(0).value;
    // What kwctl asks the policy for, and takes from the file that its option --usage-path names.
    let map = metadata.as_object_mut().context("policy/metadata.yml is no map")?;
    map.insert("protocolVersion".into(), json!("v1"));
    let annotations = map.get_mut("annotations").and_then(Value::as_object_mut);
    annotations
        .context("policy/metadata.yml has no annotations")?
        .insert("io.kubewarden.policy.usage".into(), json!(usage));
    fs::write(output, with_section(&fs::read(module)?, &metadata)?)?;
    Ok(())
}

/// The module with the metadata at its end.
fn with_section(module: &[u8], metadata: &Value) -> Result<Vec<u8>> {
    if !module.starts_with(HEAD) {
        bail!("the policy is no WebAssembly module");
    }
    let mut content = leb128(SECTION.len());
    content.extend_from_slice(SECTION.as_bytes());
    content.extend_from_slice(metadata.to_string().as_bytes());
    let mut annotated = module.to_vec();
    // 0 is a custom section.
    annotated.push(0);
    annotated.extend(leb128(content.len()));
    annotated.extend(content);
    Ok(annotated)
}

/// A number in LEB128.
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
    fn the_metadata_stands_at_the_end() {
        let annotated = with_section(HEAD, &json!({ "mutating": true })).unwrap();
        let section = b"\0\x28\x16io.kubewarden.metadata{\"mutating\":true}";
        assert_eq!(annotated.strip_prefix(HEAD), Some(&section[..]));
        assert!(with_section(b"text", &Value::Null).is_err());
    }
}
