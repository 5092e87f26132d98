//! What the user's text holds.

use changeover_core::Problem;
use changeover_core::scenario::is_simulated;
use changeover_text::{Document, Error, parse};
use changeover_wire::{LineProblem, ManifestObject};
use serde_json::Value;

/// The objects of a text: one or several documents in YAML or JSON, or a `List`.
///
/// # Errors
/// If it can't be read.
pub(crate) fn objects(text: &str) -> Result<Vec<ManifestObject>, LineProblem> {
    let documents = parse(text).map_err(unreadable)?;
    Ok(documents.iter().map(|document| object(&document.value, document.position("").line)).collect())
}

/// Why a text can't be read.
pub(crate) fn unreadable(error: Error) -> LineProblem {
    LineProblem { line: error.position.map(|position| position.line), path: error.path, message: error.message }
}

/// A problem of an object, on its line.
pub(crate) fn line_problem(document: &Document, problem: Problem) -> LineProblem {
    let Problem { path, message, .. } = problem;
    LineProblem { line: Some(document.position(&path).line), path, message }
}

fn object(value: &Value, line: usize) -> ManifestObject {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    ManifestObject {
        kind: text("/kind"),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
        line,
        is_simulated: is_simulated(value) || text("/kind") == "Node",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_have_their_lines() {
        let text = "kind: Service\nmetadata:\n  name: web\n---\nkind: Deployment\nmetadata:\n  name: web\n";
        let found = objects(text).unwrap();
        let found: Vec<_> = found.iter().map(|it| (it.kind.as_str(), it.line, it.is_simulated)).collect();
        assert_eq!(found, [("Service", 1, false), ("Deployment", 5, true)]);
    }

    #[test]
    fn a_problem_has_its_line() {
        let problem = objects("kind: Deployment\nkind: Deployment\n").unwrap_err();
        assert_eq!((problem.line, problem.path.as_str()), (Some(2), "kind"));
    }
}
