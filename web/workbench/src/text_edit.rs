//! Changes single fields of a YAML or JSON text and leaves everything else as it was written: comments, order, quotes.

use changeover_text::{Document, parse};
use serde_json::{Map, Value};

/// The text with a field of its nth document set, or without the field. None if it is written in a way that can't be changed
/// here, such as with an anchor.
pub(crate) fn with_field(text: &str, index: usize, path: &[&str], value: Option<&Value>) -> Option<String> {
    let documents = parse(text).ok()?;
    let document = documents.get(index)?;
    let (target, expected) = target(&document.value, path, value)?;
    let changed = match target {
        Target::None => return Some(text.to_owned()),
        Target::Replace(value) => replace(text, document, path, value)?,
        Target::Insert { depth, value } => insert(text, document, path, depth, value)?,
        Target::Remove { depth } => remove(text, document, path.get(..depth)?)?,
    };
    // Whatever the text looks like: nothing else may have changed.
    let reread = parse(&changed).ok()?;
    let is_same = reread.len() == documents.len()
        && reread.iter().zip(&documents).enumerate().all(|(number, (after, before))| {
            after.value == if number == index { expected.clone() } else { before.value.clone() }
        });
    is_same.then_some(changed)
}

/// What is to be done with the text.
#[derive(Debug)]
enum Target<'a> {
    None,
    Replace(&'a Value),
    /// As many keys of the path are there.
    Insert {
        depth: usize,
        value: &'a Value,
    },
    /// As many keys of the path lead to what goes: nothing is left empty.
    Remove {
        depth: usize,
    },
}

/// What is to be done, and the object that comes of it.
fn target<'a>(object: &Value, path: &[&str], value: Option<&'a Value>) -> Option<(Target<'a>, Value)> {
    let mut levels = vec![object];
    for key in path {
        match levels.last()?.get(key).filter(|found| !found.is_null()) {
            Some(found) => levels.push(found),
            None => break,
        }
    }
    let depth = levels.len().checked_sub(1)?;
    let is_there = depth == path.len();
    let mut expected = object.clone();
    let target = match value {
        Some(value) if is_there && levels.last() == Some(&value) => Target::None,
        Some(value) => {
            set(&mut expected, path, value);
            if is_there { Target::Replace(value) } else { Target::Insert { depth, value } }
        }
        None if !is_there => Target::None,
        None => {
            let is_only = |map: &&Value| map.as_object().is_some_and(|map| map.len() == 1);
            let above = levels.get(1..depth)?;
            let left = depth.checked_sub(above.iter().rev().take_while(|map| is_only(map)).count())?;
            unset(&mut expected, path.get(..left)?);
            Target::Remove { depth: left }
        }
    };
    Some((target, expected))
}

fn set(object: &mut Value, path: &[&str], value: &Value) {
    let Some((key, below)) = path.split_first() else {
        *object = value.clone();
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if let Value::Object(map) = object {
        set(map.entry(*key).or_insert(Value::Null), below, value);
    }
}

fn unset(object: &mut Value, path: &[&str]) {
    match path {
        [] => {}
        [key] => drop(object.as_object_mut().map(|map| map.remove(*key))),
        [key, below @ ..] => {
            if let Some(inner) = object.get_mut(*key) {
                unset(inner, below);
            }
        }
    }
}

/// Where a key begins: the byte, and that of its line.
#[derive(Clone, Copy)]
struct KeyStart {
    line: usize,
    byte: usize,
}

impl KeyStart {
    fn of(text: &str, document: &Document, path: &[&str]) -> Option<Self> {
        let position = document.position(&path.join("."));
        // The parser does not count a byte order mark.
        let text_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let content = text.get(text_start..)?;
        let before = content.split_inclusive('\n').take(position.line.checked_sub(1)?);
        let line = text_start.checked_add(before.map(str::len).sum())?;
        let column = text.get(line..)?.char_indices().nth(position.column.checked_sub(1)?)?.0;
        let start = Self { line, byte: line.checked_add(column)? };
        // The position is that of a field around it, if the text writes the key in another way.
        let key = path.last()?;
        text.get(start.byte..)?.trim_start_matches(['"', '\'']).starts_with(key).then_some(start)
    }

    /// What stands before the key on its line.
    fn indentation(self, text: &str) -> Option<&str> {
        text.get(self.line..self.byte)
    }

    /// Whether nothing but spaces stands before it.
    fn begins_line(self, text: &str) -> bool {
        self.indentation(text).is_some_and(|before| before.chars().all(|letter| letter == ' '))
    }
}

/// Replaces a scalar that stands on the line of its key.
fn replace(text: &str, document: &Document, path: &[&str], value: &Value) -> Option<String> {
    let key = KeyStart::of(text, document, path)?;
    let line = text.get(key.byte..)?.lines().next()?;
    let name = path.last()?;
    let after_name = line.find(name)?.checked_add(name.len())?;
    let colon = after_name.checked_add(line.get(after_name..)?.find(':')?)?.checked_add(1)?;
    let rest = line.get(colon..)?;
    let start = colon.checked_add(rest.len().checked_sub(rest.trim_start().len())?)?;
    let length = scalar_length(line.get(start..)?)?;
    let from = key.byte.checked_add(start)?;
    let to = from.checked_add(length)?;
    let is_quoted = line.get(start..)?.starts_with('"');
    let written = if is_quoted && value.is_string() { value.to_string() } else { scalar(value) };
    let space = if rest.starts_with([' ', '\t']) { "" } else { " " };
    Some([text.get(..from)?, space, &written, text.get(to..)?].concat())
}

/// The length of the scalar with which a text begins; none if it begins with something else.
fn scalar_length(text: &str) -> Option<usize> {
    match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let mut is_escaped = false;
            let end = text.char_indices().skip(1).find(|(_, letter)| {
                let ends = !is_escaped && *letter == quote;
                is_escaped = !is_escaped && *letter == '\\' && quote == '"';
                ends
            });
            end?.0.checked_add(1)
        }
        '{' | '[' | '&' | '*' | '!' | '|' | '>' | '#' => None,
        _ => {
            let end = text.find([',', '}', ']', '#']).unwrap_or(text.len());
            Some(text.get(..end)?.trim_end().len())
        }
    }
}

/// Inserts a field before the first field of a block around it, or into a flow map.
fn insert(text: &str, document: &Document, path: &[&str], depth: usize, value: &Value) -> Option<String> {
    let (around, missing) = path.split_at_checked(depth)?;
    let map = around.iter().try_fold(&document.value, |value, key| value.get(key))?.as_object()?;
    let siblings = map.keys().filter_map(|key| {
        let sibling: Vec<&str> = around.iter().copied().chain([key.as_str()]).collect();
        KeyStart::of(text, document, &sibling)
    });
    let first = siblings.min_by_key(|start| start.byte)?;
    if first.begins_line(text) && !is_json(text, first) {
        let indentation = first.indentation(text)?;
        let end = if text.get(first.line..)?.lines().next()?.len() < text.get(first.line..)?.find('\n')? {
            "\r\n"
        } else {
            "\n"
        };
        let mut lines = String::new();
        for (level, key) in missing.iter().enumerate() {
            let is_last = level.checked_add(1)? == missing.len();
            let written = if is_last { format!(" {}", scalar(value)) } else { String::new() };
            lines.push_str(&format!("{indentation}{}{key}:{written}{end}", "  ".repeat(level)));
        }
        return Some([text.get(..first.line)?, &lines, text.get(first.line..)?].concat());
    }
    let (first_key, below) = missing.split_first()?;
    let below = below
        .iter()
        .rev()
        .fold(value.clone(), |value, key| Value::Object(Map::from_iter([((*key).to_owned(), value)])));
    let entry =
        if is_json(text, first) { format!("\"{first_key}\": {below}, ") } else { format!("{first_key}: {below}, ") };
    Some([text.get(..first.byte)?, &entry, text.get(first.byte..)?].concat())
}

fn is_json(text: &str, key: KeyStart) -> bool {
    text.get(key.byte..).is_some_and(|rest| rest.starts_with('"'))
}

/// Removes the lines of a field in a block.
fn remove(text: &str, document: &Document, path: &[&str]) -> Option<String> {
    let key = KeyStart::of(text, document, path).filter(|key| key.begins_line(text) && !is_json(text, *key))?;
    let indentation = key.indentation(text)?.len();
    let mut end = key.line;
    for (number, line) in text.get(key.line..)?.split_inclusive('\n').enumerate() {
        let own = line.len().checked_sub(line.trim_start_matches(' ').len())?;
        let is_blank = line.trim().is_empty();
        let is_item = own == indentation && line.trim_start().starts_with("- ");
        if number > 0 && (is_blank || (own <= indentation && !is_item)) {
            break;
        }
        end = end.checked_add(line.len())?;
    }
    Some([text.get(..key.line)?, text.get(end..)?].concat())
}

/// A scalar as a person writes it.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a text means itself without quotes.
fn is_plain(text: &str) -> bool {
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let is_percentage = text.strip_suffix('%').is_some_and(|number| number.parse::<u32>().is_ok());
    (is_word && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&text.to_lowercase().as_str()))
        || is_percentage
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const YAML: &str = "# mine\nkind: Deployment\nspec:\n  replicas: 3 # three\n  strategy:\n    rollingUpdate:\n      maxSurge: '1'\n  template: { spec: { nodeName: a } }\n";

    fn changed(text: &str, path: &str, value: &Value) -> Option<String> {
        let path: Vec<&str> = path.split('.').collect();
        with_field(text, 0, &path, (!value.is_null()).then_some(value))
    }

    #[test]
    fn only_the_field_changes() {
        let cases = [
            ("spec.replicas", json!(12), YAML.replace("3 #", "12 #")),
            ("spec.replicas", Value::Null, YAML.replace("  replicas: 3 # three\n", "")),
            ("spec.strategy.rollingUpdate.maxSurge", json!("25%"), YAML.replace("'1'", "25%")),
            (
                "spec.strategy.rollingUpdate.maxSurge",
                Value::Null,
                YAML.replace("  strategy:\n    rollingUpdate:\n      maxSurge: '1'\n", ""),
            ),
            ("spec.minReadySeconds", json!(5), YAML.replace("  replicas", "  minReadySeconds: 5\n  replicas")),
            (
                "spec.template.spec.terminationGracePeriodSeconds",
                json!(5),
                YAML.replace("nodeName", "terminationGracePeriodSeconds: 5, nodeName"),
            ),
            (
                "spec.strategy.type",
                json!("RollingUpdate"),
                YAML.replace("    rollingUpdate", "    type: RollingUpdate\n    rollingUpdate"),
            ),
            ("spec.paused", Value::Null, YAML.to_owned()),
        ];
        for (path, value, expected) in cases {
            assert_eq!(changed(YAML, path, &value), Some(expected), "{path}");
        }
    }

    #[test]
    fn json_stays_json() {
        let text = "{\n  \"kind\": \"Deployment\",\n  \"spec\": {\n    \"replicas\": 3\n  }\n}\n";
        assert_eq!(changed(text, "spec.replicas", &json!(4)), Some(text.replace('3', "4")));
        let inserted = changed(text, "spec.strategy.type", &json!("Recreate")).unwrap();
        let value: Value = serde_json::from_str(&inserted).unwrap();
        assert_eq!(value["spec"], json!({ "replicas": 3, "strategy": { "type": "Recreate" } }));
    }

    #[test]
    fn what_is_written_in_another_way_stays() {
        let text = "kind: Deployment\nspec: &it\n  replicas: &three 3\n";
        assert_eq!(changed(text, "spec.replicas", &json!(4)), None);
    }

    #[test]
    fn the_other_documents_stay() {
        let text = format!("kind: Service\n---\n{YAML}");
        let changed = with_field(&text, 1, &["spec", "replicas"], Some(&json!(7)));
        assert_eq!(changed, Some(text.replace("3 #", "7 #")));
    }
}
