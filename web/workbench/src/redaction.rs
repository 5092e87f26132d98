//! Empties values in a YAML or JSON text and leaves everything else as it was written: comments, order, quotes.

use changeover_text::{Document, Position, parse_with_lists};
use changeover_wire::empty_scalars;
use serde_json::{Map, Value};

use crate::comments::without_secret_comments;

/// The most edits of a text, and the most bytes of a line with an edit: each edit searches its line. An address has no room for
/// a text beyond these limits anyway.
const MAX_EDITS: usize = 10_000;
const MAX_LINE: usize = 10_000;

/// The text with each document reduced to the value beside it, and without the comments that may contain a secret. `documents`:
/// all objects, and then the lists that they are in. A field that the value lacks is removed if it is a block of lines;
/// otherwise, it stays with empty values. None if something is written in a way that can't be changed here, such as with an
/// anchor.
pub(crate) fn redacted<'a>(text: &str, documents: impl Iterator<Item = (&'a Document, &'a Value)>) -> Option<String> {
    let lines = Lines::of(text);
    let (mut edits, mut expected) = (Vec::new(), Vec::new());
    for (document, left) in documents {
        let mut redaction = Redaction { lines: &lines, document, edits: &mut edits };
        expected.push(redaction.of_value(&Place::default(), &document.value, left)?);
    }
    let redacted = edited(text, edits)?;
    let redacted = without_secret_comments(&redacted).unwrap_or(redacted);
    // Whatever the text looks like: nothing else may have changed, and nothing may be left.
    let reread = parse_with_lists(&redacted).ok()?;
    let reread = reread.objects.iter().chain(&reread.lists).map(|document| &document.value);
    reread.eq(&expected).then_some(redacted)
}

/// A text that takes the place of some bytes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// The text after all edits; none if two of them touch the same bytes.
fn edited(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort();
    let mut edited = String::with_capacity(text.len());
    let mut kept = 0;
    for edit in edits {
        edited.push_str(text.get(kept..edit.start)?);
        edited.push_str(&edit.text);
        kept = edit.end;
    }
    edited.push_str(text.get(kept..)?);
    Some(edited)
}

/// Where a value is: its path, with all keys and indexes in brackets, and its last key; none for an item of a list.
#[derive(Clone, Debug, Default)]
struct Place {
    path: String,
    key: Option<String>,
}

impl Place {
    fn field(&self, key: &str) -> Self {
        Self { path: format!("{}[{key}]", self.path), key: Some(String::from(key)) }
    }

    fn item(&self, index: usize) -> Self {
        Self { path: format!("{}[{index}]", self.path), key: None }
    }
}

/// The redaction of a document.
struct Redaction<'a> {
    lines: &'a Lines<'a>,
    document: &'a Document,
    edits: &'a mut Vec<Edit>,
}

impl Redaction<'_> {
    /// What a value becomes so that it is what is left of it.
    fn of_value(&mut self, place: &Place, value: &Value, left: &Value) -> Option<Value> {
        match (value, left) {
            _ if value == left => Some(value.clone()),
            (Value::Object(fields), Value::Object(left)) => {
                let mut redacted = Map::new();
                for (key, value) in fields {
                    let place = place.field(key);
                    match left.get(key) {
                        Some(left) => {
                            redacted.insert(key.clone(), self.of_value(&place, value, left)?);
                        }
                        None if self.removes_block(&place, value) => {}
                        None => {
                            let mut left = value.clone();
                            empty_scalars(&mut left);
                            redacted.insert(key.clone(), self.of_value(&place, value, &left)?);
                        }
                    }
                }
                // A map without any lines left is null.
                let is_gone = redacted.is_empty() && !fields.is_empty();
                Some(if is_gone { Value::Null } else { Value::Object(redacted) })
            }
            (Value::Array(items), Value::Array(left)) if items.len() == left.len() => {
                let items = items.iter().zip(left).enumerate();
                let redacted = items.map(|(index, (item, left))| self.of_value(&place.item(index), item, left));
                redacted.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            (_, Value::String(left)) => self.of_scalar(place, value, left),
            _ => None,
        }
    }

    /// Removes the lines of a map or a list, with its key. Returns false if it can't, because they share a line with something
    /// else, as within brackets.
    fn removes_block(&mut self, place: &Place, value: &Value) -> bool {
        let lines = match value {
            Value::Object(_) | Value::Array(_) => self.lines.block(place, self.document.position(&place.path), value),
            _ => None,
        };
        if let Some((start, end)) = lines {
            self.edits.push(Edit { start, end, text: String::new() });
        }
        lines.is_some()
    }

    /// Writes what is left of a scalar. An empty text says as much as a field that is not there.
    fn of_scalar(&mut self, place: &Place, value: &Value, left: &str) -> Option<Value> {
        if self.edits.len() >= MAX_EDITS {
            return None;
        }
        let (start, indentation) = self.lines.start_of(place, self.document.position(&place.path))?;
        let end = start.checked_add(self.lines.scalar_length(start, indentation, value)?)?;
        let left = Value::from(left);
        self.edits.push(Edit { start, end, text: left.to_string() });
        Some(left)
    }
}

/// A text and where its lines begin.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        // The parser does not count a byte order mark.
        let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let others = text.match_indices('\n').filter_map(|(at, _)| at.checked_add(1));
        Self { text, starts: [first].into_iter().chain(others).collect() }
    }

    /// Where the scalar at a position begins, and the indentation of what it belongs to: the lines of a block have more.
    fn start_of(&self, place: &Place, position: Position) -> Option<(usize, usize)> {
        let line = *self.starts.get(position.line.checked_sub(1)?)?;
        let next = self.starts.get(position.line).copied().unwrap_or(self.text.len());
        if next.saturating_sub(line) > MAX_LINE {
            return None;
        }
        let column = self.text.get(line..)?.char_indices().nth(position.column.checked_sub(1)?)?.0;
        let start = line.checked_add(column)?;
        let Some(key) = &place.key else {
            let dash = self.text.get(line..start)?.rfind('-').unwrap_or_default();
            return Some((start, dash));
        };
        let rest = self.text.get(start..)?.lines().next()?;
        // The position is that of a field around it, if the text writes the key in another way.
        if !rest.trim_start_matches(['"', '\'']).starts_with(key.as_str()) {
            return None;
        }
        let after_key = rest.find(key.as_str())?.checked_add(key.len())?;
        let colon = after_key.checked_add(rest.get(after_key..)?.find(':')?)?.checked_add(1)?;
        let value = rest.get(colon..)?;
        let space = value.len().checked_sub(value.trim_start().len())?;
        // Without a space, the key and what replaces the value would be one text.
        if space == 0 && !rest.starts_with('"') {
            return None;
        }
        Some((start.checked_add(colon)?.checked_add(space)?, column))
    }

    /// The lines of a map or a list below its key, with the key; none if the key shares its line with something else.
    fn block(&self, place: &Place, position: Position, value: &Value) -> Option<(usize, usize)> {
        let key = place.key.as_ref()?;
        let start = *self.starts.get(position.line.checked_sub(1)?)?;
        let indentation = position.column.checked_sub(1)?;
        let mut lines = self.text.get(start..)?.split_inclusive('\n');
        let first = lines.next()?;
        let (before, rest) = first.split_at_checked(indentation)?;
        let after_key = rest.trim_start_matches(['"', '\'']).strip_prefix(key.as_str())?;
        let after_colon = after_key.trim_start_matches(['"', '\'']).strip_prefix(':')?.trim();
        if !before.trim().is_empty() || !(after_colon.is_empty() || after_colon.starts_with('#')) {
            return None;
        }
        let mut length = first.len();
        let mut end = start.checked_add(length)?;
        for line in lines {
            let content = line.trim();
            length = length.checked_add(line.len())?;
            let depth = line.len().saturating_sub(line.trim_start_matches(' ').len());
            // The items of a list may have the indentation of its key.
            let is_item = depth == indentation && value.is_array() && (content == "-" || content.starts_with("- "));
            let is_inside = depth > indentation || is_item;
            // A line inside that looks like a comment may be part of a block scalar.
            if content.is_empty() || (content.starts_with('#') && !is_inside) {
                continue;
            }
            if !is_inside {
                break;
            }
            end = start.checked_add(length)?;
        }
        Some((start, end))
    }

    /// The length of a scalar, whose value is known; none if it is written in another way.
    fn scalar_length(&self, start: usize, indentation: usize, value: &Value) -> Option<usize> {
        let rest = self.text.get(start..)?;
        let line = rest.lines().next()?;
        match line.chars().next()? {
            quote @ ('"' | '\'') => quoted_length(line, quote),
            '|' | '>' => block_length(rest, indentation),
            _ => {
                let as_written = value.as_str().map_or_else(|| value.to_string(), String::from);
                // To the end of the line, to a comment, or within brackets.
                let ends = [Some(line.len()), line.find(" #"), line.find([',', '}', ']'])];
                let mut texts = ends.into_iter().flatten().filter_map(|end| line.get(..end)).map(str::trim_end);
                texts.find(|text| *text == as_written).map(str::len)
            }
        }
    }
}

/// The length of a scalar in quotes that ends on its line.
fn quoted_length(line: &str, quote: char) -> Option<usize> {
    let mut letters = line.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && quote == '"' {
            letters.next();
        } else if letter == quote {
            // Two single quotes are one within the text.
            if quote == '\'' && letters.peek().is_some_and(|(_, next)| *next == quote) {
                letters.next();
            } else {
                return at.checked_add(1);
            }
        }
    }
    None
}

/// The length of a block scalar: its first line, and the lines that are indented more than what it belongs to.
fn block_length(text: &str, indentation: usize) -> Option<usize> {
    let (mut length, mut end) = (0_usize, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim_end();
        let is_inside = || line.len().saturating_sub(line.trim_start_matches(' ').len()) > indentation;
        if number > 0 && !content.is_empty() && !is_inside() {
            break;
        }
        if number == 0 || !content.is_empty() {
            end = length.checked_add(content.len())?;
        }
        length = length.checked_add(line.len())?;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use changeover_text::Parsed;
    use changeover_wire::{remove_secrets_of_document, remove_secrets_of_list};

    use super::*;

    fn without_secrets(text: &str) -> Option<String> {
        let Parsed { objects, lists, .. } = parse_with_lists(text).unwrap();
        let mut left: Vec<Value> = objects.iter().chain(&lists).map(|document| document.value.clone()).collect();
        left.iter_mut().take(objects.len()).for_each(remove_secrets_of_document);
        left.iter_mut().skip(objects.len()).for_each(remove_secrets_of_list);
        redacted(text, objects.iter().chain(&lists).zip(&left))
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "\
# Mine.
kind: Deployment
spec:
  template:
    spec:
      containers:
      - env:
        - name: TOKEN # from the vault
          value: hunter2, too # secret
        - {name: OTHER, value: hunter2}
        - value: 'it''s hunter2'
          name: \"QUOTED\"
        args:
        - --password=hunter2
        - \"--verbose\"
      # The last line.
      restartPolicy: Always
---
kind: Secret
stringData:
  user: |
    hunter2
      and more

  password: >-
    hunter2
  # A comment.
  empty: \"\"
";
        let expected = "\
# Mine.
kind: Deployment
spec:
  template:
    spec:
      containers:
      - env:
        - name: TOKEN # from the vault
          value: \"\" # secret
        - {name: OTHER, value: \"\"}
        - value: \"\"
          name: \"QUOTED\"
        args:
        - \"--password=\"
        - \"--verbose\"
      # The last line.
      restartPolicy: Always
---
kind: Secret
stringData:
  user: \"\"

  password: \"\"
  # A comment.
  empty: \"\"
";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
    }

    #[test]
    fn json_stays_json() {
        let text = "{\n  \"kind\": \"Secret\",\n  \"data\": {\"password\":\"aHVudGVyMg==\", \"a\": \"\\\"b\"}\n}\n";
        let expected = "{\n  \"kind\": \"Secret\",\n  \"data\": {\"password\":\"\", \"a\": \"\"}\n}\n";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
    }

    #[test]
    fn objects_outside_kubernetes_own_api_keep_only_their_names() {
        let text = "\
apiVersion: v1
kind: Config # of kubectl
clusters:
- cluster: {server: https://a}
  name: a
# One user.
users:
- name: me
  user:
    token: hunter2
    client-key-data: >-
      hunter2
      hunter2
current-context: a
---
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Database
  metadata:
    labels:
      team: hunter2
    name: orders
    namespace: shop
    uid: 1a
  spec:
    password: hunter2
    replicas: [{name: hunter2}]
    script: |
      run
      # hunter2
- apiVersion: example.com/v1
  kind: Database
  metadata:
    labels:
      team: hunter2
  spec: {password: hunter2}
";
        let expected = "\
apiVersion: v1
kind: Config # of kubectl
# One user.
current-context: \"\"
---
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Database
  metadata:
    name: orders
    namespace: shop
    uid: \"\"
- apiVersion: example.com/v1
  kind: Database
  metadata:
  spec: {password: \"\"}
";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
        let json = "{\n  \"kind\": \"Config\",\n  \"users\": [{\"token\": \"hunter2\", \"a\": 1}]\n}\n";
        let expected = json.replace("hunter2", "").replace(": 1}", ": \"\"}");
        assert_eq!(without_secrets(json), Some(expected));
    }

    #[test]
    fn a_list_loses_the_fields_that_lists_dont_have_in_the_api() {
        let text = "\
apiVersion: v1
kind: List
metadata:
  resourceVersion: \"5\"
  annotations:
    note: hunter2
owner:
  name: hunter2
password: hunter2
items:
- kind: Pod
  metadata:
    name: a
";
        let expected = "\
apiVersion: v1
kind: List
metadata:
  resourceVersion: \"5\"
password: \"\"
items:
- kind: Pod
  metadata:
    name: a
";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
        let empty = |owner: &str| format!("kind: List\nitems: []\nowner: {owner}\n");
        assert_eq!(without_secrets(&empty("hunter2")), Some(empty("\"\"")));
    }

    #[test]
    fn without_a_kind_only_the_keys_stay() {
        let text = "\
# The values of a chart.
auth:
  username: shop # not secret
  password: hunter2
  port: 5432
users: [hunter2, \"hunter2\"]
items:
- hunter2
empty: {}
";
        let expected = "\
# The values of a chart.
auth:
  username: \"\" # not secret
  password: \"\"
  port: \"\"
users: [\"\", \"\"]
items:
- \"\"
empty: {}
";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
    }

    #[test]
    fn comments_with_secrets_are_removed() {
        let text = "# No password.\n\nkind: Pod # token:\n# hunter2\nspec:\n  # DB_PASSWORD=hunter2\n  nodeName: a\n";
        let expected = "# No password.\n\nkind: Pod\nspec:\n  nodeName: a\n";
        assert_eq!(without_secrets(text).as_deref(), Some(expected));
        // What looks like a comment is a part of a value, which nothing may change.
        assert_eq!(without_secrets("kind: Pod\nspec:\n  nodeName: 'a # token: b'\n"), None);
    }

    #[test]
    fn what_is_written_in_another_way_is_not_changed_here() {
        for text in [
            "kind: Secret\nstringData:\n  password: &it hunter2\n",
            "kind: Secret\nstringData:\n  a: &it hunter2\n  b: *it\n",
            "kind: Secret\nstringData:\n  password:\n    hunter2\n",
            "kind: Secret\nstringData:\n  password: hunter2\n    and more\n",
            "kind: Secret\nstringData:\n  password: 'hunter2\n    and more'\n",
            "kind: Secret\nstringData: hunter2\n",
        ] {
            assert_eq!(without_secrets(text), None, "{text}");
        }
    }
}
