//! The policy's settings, read from a file and validated by the policy.

use std::path::Path;

use changeover_text::ErrorKind;
use serde_json::{Map, Value};

use crate::files;
use crate::policy_host::Policy;

/// Reads the settings and lets the policy validate them.
///
/// # Errors
/// One line for each problem: of the file, of its text, or found by the policy, with its position.
pub(crate) fn load(path: Option<&Path>, policy: &Policy) -> Result<Value, String> {
    let Some(path) = path else {
        let empty = Value::Object(Map::new());
        policy.validate_settings(&empty).map_err(|message| format!("the policy refuses empty settings: {message}"))?;
        return Ok(empty);
    };
    let name = path.display();
    let mut documents = match changeover_text::parse_bytes(&files::read("--settings", path)?) {
        Ok(documents) => documents,
        Err(error) if error.kind == ErrorKind::Empty => Vec::new(),
        Err(error) => return Err(format!("{name}: {error}")),
    };
    let settings = match (documents.pop(), documents.is_empty()) {
        (None, _) => Value::Object(Map::new()),
        (Some(document), true) => {
            policy
                .validate_settings(&document.value)
                .map_err(|message| with_positions(&name.to_string(), &document, &message))?;
            return Ok(document.value);
        }
        (Some(second), false) => {
            let message = format!("Too many: {}: must have at most 1 document", documents.len().saturating_add(1));
            return Err(format!("{name}: {}: {message}", second.position("")));
        }
    };
    policy.validate_settings(&settings).map_err(|message| format!("{name}: {message}"))?;
    Ok(settings)
}

/// Each line of the policy's message begins with a path. Prefixes the line with the path's position in the file.
fn with_positions(name: &str, document: &changeover_text::Document, message: &str) -> String {
    let lines = message.lines().map(|line| {
        let path = line.split_once(": ").map_or("", |(path, _)| path);
        format!("{name}: {}: {line}", document.position(path))
    });
    lines.collect::<Vec<_>>().join("\n")
}
