//! The documents of a text, split as kubectl splits them: before anything is parsed, so that one that can't be read leaves the
//! others as they are.

use serde_json::{Deserializer, Value};

use crate::composer::{Syntax, compose, refuse_control_characters};
use crate::document_text::{JsonValue, Positions, as_yaml};
use crate::error::invalid_value;
use crate::{Document, Error, ErrorKind, Parsed, Position, kubernetes_list};

/// Reads a text of JSON objects or of YAML documents, which may begin with one JSON object.
///
/// Upstream: staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go YAMLOrJSONDecoder.Decode
pub(crate) fn read(text: &str, watch: &mut dyn FnMut(usize)) -> Parsed {
    let mut parsed = Parsed::default();
    let mut yaml = text;
    if text.trim_start().starts_with('{') {
        let mut stream = Deserializer::from_str(text).into_iter::<JsonValue>();
        let mut count = 0_usize;
        let mut offset = 0;
        while let Some(Ok(value)) = stream.next() {
            let json = text.get(offset..stream.byte_offset()).unwrap_or_default();
            push_json(json, position_after(text, offset), value, &mut parsed);
            offset = stream.byte_offset();
            count = count.saturating_add(1);
        }
        yaml = text.get(offset..).unwrap_or_default();
        if count > 0 {
            let after = yaml.trim_start_matches([' ', '\t', '\r']);
            yaml = after.strip_prefix('\n').unwrap_or(after);
        }
        // More than one JSON object is not followed by YAML.
        if count > 1 && !yaml.trim().is_empty() {
            let position = position_after(text, text.len().saturating_sub(yaml.trim_start().len()));
            let message = "Invalid value: must be JSON, as the objects before it";
            parsed.errors.push(Error::new(ErrorKind::Syntax, Some(position), message));
            return parsed;
        }
    }
    let start = position_after(text, text.len().saturating_sub(yaml.len()));
    let end = || position_after(text, text.len());
    for Chunk { text, start, error } in chunks(yaml, start) {
        match error.map_or_else(|| compose(text, Syntax::Yaml, start, &mut parsed.warnings, watch), Err) {
            Ok(Some(node)) => push(node.value, Positions::of(text, Syntax::Yaml, start), &mut parsed),
            Ok(None) => {}
            Err(error) => parsed.errors.push(error.within(end())),
        }
    }
    parsed
}

/// The position after the first bytes of a text.
fn position_after(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let lines = before.matches('\n').count();
    Position { line: lines.saturating_add(1), column: line.chars().count().saturating_add(1) }
}

/// Adds a JSON object with the positions that it has as YAML.
fn push_json(text: &str, start: Position, json: JsonValue, parsed: &mut Parsed) {
    let JsonValue { value, is_plain } = json;
    let is_plain = is_plain && refuse_control_characters(text, start).is_ok();
    if !is_plain
        && let Err(error) = compose(&as_yaml(text), Syntax::Json, start, &mut parsed.warnings, &mut |_| {})
        && error.kind != ErrorKind::Syntax
    {
        parsed.errors.push(error);
        return;
    }
    push(value, Positions::of(text, Syntax::Json, start), parsed);
}

/// Adds the objects of a document.
fn push(value: Value, positions: Positions, parsed: &mut Parsed) {
    match value {
        Value::Null => {}
        Value::Object(_) => kubernetes_list::push_items(Document { value, positions }, parsed),
        other => {
            let message = invalid_value(&other, "an object (lines such as `kind: Deployment`)");
            let is_other = other.as_array().is_some_and(|items| items.iter().all(|item| item.get("kind").is_none()));
            let kind = if is_other { ErrorKind::OtherList } else { ErrorKind::NotAnObject };
            parsed.errors.push(Error::new(kind, Some(positions.nearest("")), message));
        }
    }
}

/// The text of one document.
struct Chunk<'a> {
    text: &'a str,
    start: Position,
    /// Why the line that ends it is no separator.
    error: Option<Error>,
}

/// The documents of a text that begins at `start`. Each line that begins with `---` separates two.
///
/// Upstream: staging/src/k8s.io/apimachinery/pkg/util/yaml/decoder.go YAMLReader.Read
fn chunks(text: &str, start: Position) -> Vec<Chunk<'_>> {
    const SEPARATOR: &str = "---";
    let mut chunks = Vec::new();
    let (mut from, mut at, mut first, mut position) = (0_usize, 0_usize, start, start);
    for line in text.split_inclusive('\n') {
        let end = at.saturating_add(line.len());
        let next = Position { line: position.line.saturating_add(1), column: 1 };
        if let Some(after) = line.strip_prefix(SEPARATOR) {
            let after = after.trim();
            let is_valid = after.is_empty() || after.starts_with('#');
            let error = (!is_valid).then(|| {
                let message = invalid_value(&Value::from(line.trim_end()), "`---` alone, or with a comment");
                Error::new(ErrorKind::Syntax, Some(position), message)
            });
            if !is_valid || from < at {
                chunks.push(Chunk { text: text.get(from..at).unwrap_or_default(), start: first, error });
                (from, first) = (end, next);
            }
        }
        (at, position) = (end, next);
    }
    if from < at {
        chunks.push(Chunk { text: text.get(from..at).unwrap_or_default(), start: first, error: None });
    }
    chunks
}
