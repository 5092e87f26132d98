//! What documents say of themselves, and problems at their fields.

pub(crate) use changeover_core::prediction::is_stored;
use changeover_text::{Document, Error, Warning, WrongPaste, wrong_paste};
use changeover_wire::{LineProblem, ManifestText, Severity};
use serde_json::Value;

/// The namespace of objects that name none.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// The namespace of an object.
pub(crate) fn namespace(value: &Value) -> &str {
    let namespace = value.pointer("/metadata/namespace").and_then(Value::as_str);
    namespace.filter(|namespace| !namespace.is_empty()).unwrap_or(DEFAULT_NAMESPACE)
}

/// Whether an object is of a kind.
pub(crate) fn is_of_kind(value: &Value, kind: &str) -> bool {
    value.get("kind").and_then(Value::as_str) == Some(kind)
}

/// Whether a running cluster gave this ReplicaSet, Pod or Job, so that the text is its state.
pub(crate) fn is_live_pod(value: &Value) -> bool {
    is_stored(value) && ["ReplicaSet", "Pod", "Job"].into_iter().any(|kind| is_of_kind(value, kind))
}

/// A problem at a field of a document.
pub(crate) fn located(
    severity: Severity,
    text: ManifestText,
    document: &Document,
    path: &str,
    message: String,
) -> LineProblem {
    let position = document.position(path);
    let (line, column) = (Some(position.line), Some(position.column));
    LineProblem { severity, text, line, column, path: path.to_owned(), message }
}

/// Why a text can't be read. `source`: the text.
pub(crate) fn unreadable(text: ManifestText, source: &str, error: Error) -> LineProblem {
    if let Some(WrongPaste { line, message }) = wrong_paste(source, &error) {
        let (line, column, path, message) = (Some(line), Some(1), String::new(), message.to_owned());
        return LineProblem { severity: Severity::Error, text, line, column, path, message };
    }
    // At the end of the text, the parser means the line that would come next.
    let line = error.position.map(|position| position.line.min(last_line(source)));
    let column = error.position.map(|position| position.column);
    LineProblem { severity: Severity::Error, text, line, column, path: error.path, message: error.message }
}

/// A warning about how a text is read.
pub(crate) fn of_reading(text: ManifestText, warning: &Warning) -> LineProblem {
    let Warning { position, path, message } = warning;
    let (line, column) = (Some(position.line), Some(position.column));
    LineProblem { severity: Severity::Warning, text, line, column, path: path.clone(), message: message.clone() }
}

/// The last line that is not blank, from 1.
fn last_line(source: &str) -> usize {
    let lines = source.lines().flat_map(|line| line.split('\r'));
    (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()).map(|(number, _)| number).last().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use changeover_text::{ErrorKind, Position};

    use super::*;

    #[test]
    fn a_problem_at_the_end_is_in_the_last_line() {
        for (source, line, expected) in [
            ("kind: Pod\n?nbf +", 3, 2),
            ("kind: Pod\n?nbf +\n", 3, 2),
            ("kind: Pod\r\n?nbf +\r\n\r\n", 4, 2),
            ("kind: Pod\r?nbf +", 3, 2),
            ("kind: Pod\n?nbf +\n", 1, 1),
            ("", 1, 1),
        ] {
            let position = Some(Position { line, column: 1 });
            let error = Error { kind: ErrorKind::Syntax, position, path: String::new(), message: "not YAML".into() };
            let problem = unreadable(ManifestText::Text, source, error);
            assert_eq!(problem.line, Some(expected), "{source:?}");
        }
    }
}
