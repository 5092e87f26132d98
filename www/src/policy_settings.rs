//! The policy's settings from a file.

use std::path::Path;

use changeover_text::ErrorKind;
use serde_json::{Map, Value};

use crate::host::Policy;
use crate::open;

/// Reads the settings and has the policy judge them.
///
/// # Errors
/// One sentence for each mistake, one a line: the file's, the text's, and those that the policy finds, with their place.
pub(crate) fn load(path: Option<&Path>, policy: &Policy) -> Result<Value, String> {
    let Some(path) = path else {
        let none = Value::Object(Map::new());
        policy.validate_settings(&none).map_err(|message| format!("the policy refuses empty settings: {message}"))?;
        return Ok(none);
    };
    let name = path.display();
    let mut documents = match changeover_text::parse_bytes(&open::read("--settings", path)?) {
        Ok(documents) => documents,
        Err(error) if error.kind == ErrorKind::Empty => Vec::new(),
        Err(error) => return Err(format!("{name}: {error}")),
    };
    let settings = match (documents.pop(), documents.is_empty()) {
        (None, _) => Value::Object(Map::new()),
        (Some(document), true) => {
            policy
                .validate_settings(&document.value)
                .map_err(|message| placed(&name.to_string(), &document, &message))?;
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

/// Each line of the policy's message begins with a path: the file's line is put before it.
fn placed(name: &str, document: &changeover_text::Document, message: &str) -> String {
    let lines = message.lines().map(|line| {
        let path = line.split_once(": ").map_or("", |(path, _)| path);
        format!("{name}: {}: {line}", document.position(path))
    });
    lines.collect::<Vec<_>>().join("\n")
}
