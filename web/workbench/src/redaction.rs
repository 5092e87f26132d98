//! Empties values in a YAML or JSON text and leaves everything else as it was written: comments, order, quotes.

use changeover_text::{Document, Position, parse};
use serde_json::{Map, Value};

/// The text in which the documents are what `left` says. A field that is not there any more stays with an empty value. None if
/// something is written in a way that can't be changed here, such as with an anchor.
pub(crate) fn redacted(text: &str, documents: &[Document], left: &[Value]) -> Option<String> {
    let lines = Lines::of(text);
    let (mut edits, mut expected) = (Vec::new(), Vec::new());
    for (document, left) in documents.iter().zip(left) {
        let mut redaction = Redaction { lines: &lines, document, edits: &mut edits };
        expected.push(redaction.of_value(&Place::default(), &document.value, left)?);
    }
    let redacted = edited(text, edits)?;
    // Whatever the text looks like: nothing else may have changed, and nothing may be left.
    let reread = parse(&redacted).ok()?;
    let is_expected = reread.len() == expected.len()
        && reread.iter().zip(&expected).all(|(document, expected)| document.value == *expected);
    is_expected.then_some(redacted)
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
                    let value = match left.get(key) {
                        Some(left) => self.of_value(&place, value, left)?,
                        None => self.of_scalar(&place, value, "")?,
                    };
                    redacted.insert(key.clone(), value);
                }
                Some(Value::Object(redacted))
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

    /// Writes what is left of a scalar. An empty text says as much as a field that is not there.
    fn of_scalar(&mut self, place: &Place, value: &Value, left: &str) -> Option<Value> {
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
    use changeover_wire::remove_secrets;

    use super::*;

    fn without_secrets(text: &str) -> Option<String> {
        let documents = parse(text).unwrap();
        let mut left: Vec<Value> = documents.iter().map(|document| document.value.clone()).collect();
        left.iter_mut().for_each(remove_secrets);
        redacted(text, &documents, &left)
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
