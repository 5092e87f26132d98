//! Changes single fields of a YAML or JSON text, or adds and removes objects, and leaves everything else as it was written:
//! comments, order, quotes.

use core::ops::Range;

use changeover_text::{Document, Position, parse};
use changeover_wire::to_yaml;
use serde_json::{Map, Value};

/// The text with a field of its nth document set, or without the field. An item of a list is named by its index. None if the
/// field is written in a way that can't be changed here, such as with an anchor.
pub(crate) fn with_field(text: &str, index: usize, path: &[&str], value: Option<&Value>) -> Option<String> {
    with_field_of_all(text, &[index], path, value)
}

/// The same for several documents, whose indexes ascend. The text is parsed only twice.
pub(crate) fn with_field_of_all(text: &str, indexes: &[usize], path: &[&str], value: Option<&Value>) -> Option<String> {
    let documents = parse(text).ok()?;
    let mut expected = objects(&documents);
    let mut changed = text.to_owned();
    // From the end, so that the positions in the documents before stay right.
    for index in indexes.iter().rev() {
        let document = documents.get(*index)?;
        let (target, changed_object) = target(&document.value, path, value)?;
        changed = match target {
            Target::None => continue,
            Target::Replace(value) => replace(&changed, document, path, value)?,
            Target::Insert { depth, value } => insert(&changed, document, path, depth, value)?,
            Target::Remove { depth } => remove(&changed, document, path.get(..depth)?)?,
        };
        *expected.get_mut(*index)? = changed_object;
    }
    verified(changed, &expected)
}

/// The text with more documents at its end.
pub(crate) fn with_documents(text: &str, added: &[Value]) -> Option<String> {
    let mut expected = objects(&parse(text).ok()?);
    expected.extend_from_slice(added);
    let separator = if text.ends_with('\n') { "" } else { line_end(text) };
    let added: String = added.iter().map(|object| added_document(text, object)).collect();
    verified([text, separator, &added].concat(), &expected)
}

/// The text without a document, if it is written exactly as [`with_documents`] writes it.
pub(crate) fn without_document(text: &str, object: &Value) -> Option<String> {
    let mut expected = objects(&parse(text).ok()?);
    expected.remove(expected.iter().position(|it| it == object)?);
    let (before, after) = text.rsplit_once(added_document(text, object).as_str())?;
    verified([before, after].concat(), &expected)
}

/// The text without the documents, or the items of a list in a block, with these indexes, which ascend.
pub(crate) fn without_documents(text: &str, indexes: &[usize]) -> Option<String> {
    let documents = parse(text).ok()?;
    let mut expected = objects(&documents);
    let mut changed = text.to_owned();
    // From the end, so that the positions of the documents before stay right.
    for index in indexes.iter().rev() {
        let range = document_range(&changed, documents.get(*index)?)?;
        changed.replace_range(range, "");
        expected.remove(*index);
    }
    verified(changed, &expected)
}

/// The bytes of a document with the separator before it, or, for the first one, with the separator after it; or those of an item
/// of a list in a block.
fn document_range(text: &str, document: &Document) -> Option<Range<usize>> {
    let start = KeyStart::at(text, document.position(""))?;
    let before = text.get(start.line..start.byte)?;
    if before.trim() == "-" {
        let dash = before.find('-')?;
        let is_inside = |line: &&str| line.trim().is_empty() || indentation_of(line) > dash;
        let mut lines = text.get(start.line..)?.split_inclusive('\n');
        let first = lines.next()?.len();
        let length = lines.take_while(is_inside).map(str::len).fold(first, usize::saturating_add);
        return Some(start.line..start.line.checked_add(length)?);
    }
    let lines = text.split_inclusive('\n').scan(0_usize, |end, line| {
        let start = *end;
        *end = start.saturating_add(line.len());
        Some(start..*end)
    });
    let separators = lines.filter(|line| text.get(line.clone()).is_some_and(|line| line.starts_with("---")));
    let (before, after): (Vec<Range<usize>>, Vec<Range<usize>>) = separators.partition(|line| line.start <= start.line);
    match (before.last(), after.first()) {
        (Some(before), after) => Some(before.start..after.map_or(text.len(), |after| after.start)),
        (None, Some(after)) => Some(0..after.end),
        (None, None) => None,
    }
}

/// Whether the text has a document as [`with_documents`] writes it.
pub(crate) fn has_added_document(text: &str, object: &Value) -> bool {
    text.contains(added_document(text, object).as_str())
}

fn added_document(text: &str, object: &Value) -> String {
    format!("---\n{}", to_yaml([object])).replace('\n', line_end(text))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn objects(documents: &[Document]) -> Vec<Value> {
    documents.iter().map(|document| document.value.clone()).collect()
}

/// A changed text, if it has exactly these objects: an edit may misread an unusual text, and must not change anything else.
fn verified(changed: String, expected: &[Value]) -> Option<String> {
    let reread = parse(&changed).ok()?;
    reread.iter().map(|document| &document.value).eq(expected).then_some(changed)
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
        match levels.last()?.pointer(&pointer(&[*key])).filter(|found| !found.is_null()) {
            Some(found) => levels.push(found),
            None => break,
        }
    }
    let depth = levels.len().checked_sub(1)?;
    let (around, missing) = path.split_at_checked(depth)?;
    let mut expected = object.clone();
    let target = match (value, missing) {
        (Some(value), []) if levels.last() == Some(&value) => Target::None,
        (Some(value), []) => {
            *expected.pointer_mut(&pointer(path))? = value.clone();
            Target::Replace(value)
        }
        (Some(value), [key, below @ ..]) => {
            let map = expected.pointer_mut(&pointer(around))?.as_object_mut()?;
            map.insert((*key).to_owned(), nested(below, value));
            Target::Insert { depth, value }
        }
        (None, []) => {
            let is_only = |map: &&Value| map.as_object().is_some_and(|map| map.len() == 1);
            let above = levels.get(1..depth)?;
            let left = depth.checked_sub(above.iter().rev().take_while(|map| is_only(map)).count())?;
            let (key, around) = path.get(..left)?.split_last()?;
            expected.pointer_mut(&pointer(around))?.as_object_mut()?.remove(*key);
            Target::Remove { depth: left }
        }
        (None, _) => Target::None,
    };
    Some((target, expected))
}

/// The JSON pointer of keys without slashes.
fn pointer(path: &[&str]) -> String {
    path.iter().map(|key| format!("/{key}")).collect()
}

/// A value in maps with these keys.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, key| Value::Object(Map::from_iter([((*key).to_owned(), value)])))
}

/// Where a key begins: the byte, and that of its line.
#[derive(Clone, Copy)]
struct KeyStart {
    line: usize,
    byte: usize,
}

impl KeyStart {
    fn of(text: &str, document: &Document, path: &[&str]) -> Option<Self> {
        let bracketed: String = path.iter().map(|key| format!("[{key}]")).collect();
        let start = Self::at(text, document.position(&bracketed))?;
        // The position is that of a field around it, if the text writes the key in another way.
        let key = path.last()?;
        text.get(start.byte..)?.trim_start_matches(['"', '\'']).starts_with(key).then_some(start)
    }

    /// Where something begins that is at this position.
    fn at(text: &str, position: Position) -> Option<Self> {
        // The parser does not count a byte order mark.
        let text_start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let content = text.get(text_start..)?;
        let before = content.split_inclusive('\n').take(position.line.checked_sub(1)?);
        let line = text_start.checked_add(before.map(str::len).sum())?;
        let column = text.get(line..)?.char_indices().nth(position.column.checked_sub(1)?)?.0;
        Some(Self { line, byte: line.checked_add(column)? })
    }

    /// Whether nothing but these characters stands before it on its line.
    fn follows_only(self, text: &str, characters: &[char]) -> bool {
        text.get(self.line..self.byte).is_some_and(|before| before.chars().all(|letter| characters.contains(&letter)))
    }

    /// Whether nothing but spaces stands before it.
    fn begins_line(self, text: &str) -> bool {
        self.follows_only(text, &[' '])
    }

    /// Whether it is in a block: the first key of a list item stands after a dash.
    fn is_in_block(self, text: &str) -> bool {
        self.follows_only(text, &[' ', '-']) && !text.get(self.byte..).is_some_and(|rest| rest.starts_with('"'))
    }

    fn indentation(self) -> Option<usize> {
        self.byte.checked_sub(self.line)
    }

    /// Where the lines of its field end: before the next line that is no deeper and no item of its list. Blank lines after the
    /// last one don't belong to it.
    fn block_end(self, text: &str) -> Option<usize> {
        let indentation = self.indentation()?;
        let (mut at, mut end) = (self.line, self.line);
        for (number, line) in text.get(self.line..)?.split_inclusive('\n').enumerate() {
            let own = indentation_of(line);
            let is_blank = line.trim().is_empty();
            let is_item = own == indentation && line.trim_start().starts_with("- ");
            if number > 0 && !is_blank && own <= indentation && !is_item {
                break;
            }
            at = at.checked_add(line.len())?;
            if !is_blank {
                end = at;
            }
        }
        Some(end)
    }
}

/// How many spaces a line begins with.
fn indentation_of(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// The bytes of a scalar that is on the line of its key.
fn scalar_range(text: &str, key: KeyStart, name: &str) -> Option<Range<usize>> {
    let line = text.get(key.byte..)?.lines().next()?;
    let after_name = line.find(name)?.checked_add(name.len())?;
    let colon = after_name.checked_add(line.get(after_name..)?.find(':')?)?.checked_add(1)?;
    let rest = line.get(colon..)?;
    let start = colon.checked_add(rest.len().checked_sub(rest.trim_start().len())?)?;
    let length = scalar_length(line.get(start..)?)?;
    let from = key.byte.checked_add(start)?;
    Some(from..from.checked_add(length)?)
}

/// Replaces a scalar that stands on the line of its key.
fn replace(text: &str, document: &Document, path: &[&str], value: &Value) -> Option<String> {
    let range = scalar_range(text, KeyStart::of(text, document, path)?, path.last()?)?;
    let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
    let is_quoted = text.get(range.start..)?.starts_with('"');
    let written = if is_quoted && value.is_string() { value.to_string() } else { scalar(value) };
    let space = if before.ends_with([' ', '\t']) { "" } else { " " };
    Some([before, space, &written, after].concat())
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

/// Inserts a field into a flow map, or into a block before its first field. In a list item and at the top level of an object,
/// the field comes last, where people would write it.
fn insert(text: &str, document: &Document, path: &[&str], depth: usize, value: &Value) -> Option<String> {
    let (around, missing) = path.split_at_checked(depth)?;
    let (first_key, below) = missing.split_first()?;
    let map = document.value.pointer(&pointer(around))?.as_object()?;
    let siblings = map.keys().filter_map(|key| {
        let sibling: Vec<&str> = around.iter().copied().chain([key.as_str()]).collect();
        KeyStart::of(text, document, &sibling)
    });
    let siblings: Vec<KeyStart> = siblings.collect();
    let Some(first) = siblings.iter().copied().min_by_key(|start| start.byte) else {
        // An empty map, such as `resources: {}`.
        let key = KeyStart::of(text, document, around)?.byte;
        let inside = key.checked_add(text.get(key..)?.find('{')?)?.checked_add(1)?;
        let entry = format!("\"{first_key}\": {}", nested(below, value));
        return Some([text.get(..inside)?, &entry, text.get(inside..)?].concat());
    };
    if first.is_in_block(text) {
        let indentation = " ".repeat(first.indentation()?);
        let end = line_end(text);
        let mut lines = String::new();
        for (level, key) in missing.iter().enumerate() {
            let is_last = level.checked_add(1)? == missing.len();
            let written = if is_last { format!(" {}", scalar(value)) } else { String::new() };
            lines.push_str(&format!("{indentation}{}{key}:{written}{end}", "  ".repeat(level)));
        }
        let comes_first = depth > 0 && first.begins_line(text);
        let last_end = || siblings.iter().filter_map(|sibling| sibling.block_end(text)).max();
        let at = if comes_first { first.line } else { last_end()? };
        let before = text.get(..at)?;
        let separator = if comes_first || before.ends_with('\n') { "" } else { end };
        return Some([before, separator, &lines, text.get(at..)?].concat());
    }
    let below = nested(below, value);
    let is_json = text.get(first.byte..)?.starts_with('"');
    let entry = if is_json { format!("\"{first_key}\": {below}, ") } else { format!("{first_key}: {below}, ") };
    Some([text.get(..first.byte)?, &entry, text.get(first.byte..)?].concat())
}

/// Removes the lines of a field in a block, or a scalar and its comma in a flow map.
fn remove(text: &str, document: &Document, path: &[&str]) -> Option<String> {
    let key = KeyStart::of(text, document, path)?;
    if key.begins_line(text) && key.is_in_block(text) {
        return Some([text.get(..key.line)?, text.get(key.block_end(text)?..)?].concat());
    }
    let before = text.get(..key.byte)?;
    let after = text.get(scalar_range(text, key, path.last()?)?.end..)?;
    Some(match after.trim_start().strip_prefix(',') {
        Some(rest) => [before, rest.trim_start()].concat(),
        None => [before.trim_end().strip_suffix(',')?, after].concat(),
    })
}

/// A scalar as a person writes it.
fn scalar(value: &Value) -> String {
    to_yaml([value]).trim_end().to_owned()
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
    fn a_field_comes_last_in_an_item_of_a_list_and_at_the_top() {
        let item =
            "spec:\n  containers:\n    - name: a\n\n      image: b # mine\n      resources: {}\n\n  paused: true\n";
        let cases = [
            (
                item,
                "spec.containers.0.readinessProbe.periodSeconds",
                json!(5),
                item.replace("{}\n", "{}\n      readinessProbe:\n        periodSeconds: 5\n"),
            ),
            (item, "spec.containers.0.image", json!("c"), item.replace("b #", "c #")),
            (
                item,
                "spec.containers.0.resources.requests.cpu",
                json!("500m"),
                item.replace("{}", "{\"requests\": {\"cpu\":\"500m\"}}"),
            ),
            (
                "kind: Pod\nspec:\n    nodeName: a",
                "status.phase",
                json!("Failed"),
                String::from("kind: Pod\nspec:\n    nodeName: a\nstatus:\n  phase: Failed\n"),
            ),
        ];
        for (text, path, value, expected) in cases {
            assert_eq!(changed(text, path, &value), Some(expected), "{path}");
        }
    }

    #[test]
    fn a_key_may_have_dots_and_a_flow_map_loses_a_field() {
        let text = "kind: ResourceQuota\nspec: { hard: { pods: \"4\", requests.cpu: 2 } }\n";
        let set = |key: &str, value: Option<&Value>| with_field(text, 0, &["spec", "hard", key], value);
        assert_eq!(set("requests.cpu", Some(&json!("500m"))), Some(text.replace('2', "500m")));
        assert_eq!(set("requests.cpu", None), Some(text.replace(", requests.cpu: 2", "")));
        assert_eq!(set("pods", None), Some(text.replace("pods: \"4\", ", "")));
    }

    #[test]
    fn a_document_is_added_and_removed_again() {
        let object = json!({ "kind": "ResourceQuota", "spec": { "hard": { "pods": 4 } } });
        let added = "---\nkind: ResourceQuota\nspec:\n  hard:\n    pods: 4\n";
        for (text, expected) in [
            (YAML.to_owned(), format!("{YAML}{added}")),
            ("kind: Pod # mine".to_owned(), format!("kind: Pod # mine\n{added}")),
            ("{\"kind\": \"Pod\"}\r\n".to_owned(), format!("{{\"kind\": \"Pod\"}}\n{added}").replace('\n', "\r\n")),
        ] {
            assert_eq!(with_documents(&text, std::slice::from_ref(&object)).as_ref(), Some(&expected));
            let left = format!("{}{}", text.trim_end_matches(['\r', '\n']), line_end(&text));
            assert_eq!(without_document(&expected, &object), Some(left));
            assert_eq!(without_document(&expected.replace("pods: 4", "pods: 4 # mine"), &object), None);
        }
    }

    #[test]
    fn a_field_of_several_documents_is_set_at_once() {
        let text = "kind: Node\nstatus: { allocatable: { pods: 4 } } # a\n---\nkind: Pod\n---\nkind: Node\nstatus:\n  allocatable:\n    pods: 4\n";
        let set =
            |key: &str, value: Option<&Value>| with_field_of_all(text, &[0, 2], &["status", "allocatable", key], value);
        assert_eq!(set("pods", Some(&json!(12))), Some(text.replace("pods: 4", "pods: 12")));
        let added = text.replace("{ pods", "{ cpu: 2, pods").replace("    pods", "    cpu: 2\n    pods");
        assert_eq!(set("cpu", Some(&json!(2))), Some(added));
        assert_eq!(set("cpu", None).as_deref(), Some(text));
    }

    #[test]
    fn several_documents_or_items_are_removed() {
        let item = |name: &str| format!("- kind: Node\n  metadata:\n    name: {name}\n\n");
        let (first, second, third) = ("# a\nkind: A\n", "# b\nkind: B\nnote: |\n  --- no\n", "kind: C # c");
        let separated = |documents: &[&str]| documents.join("---\n");
        for (text, indexes, expected) in [
            (separated(&[first, second, third]), &[1, 2][..], first.to_owned()),
            (separated(&[first, second, third]), &[0], separated(&[second, third])),
            (separated(&[first, second, third]), &[0, 1], third.to_owned()),
            (separated(&["", first, second]), &[0], separated(&["", second])),
            (separated(&[first, second]).replace('\n', "\r\n"), &[1], first.replace('\n', "\r\n")),
            (
                format!("kind: List\nitems:\n{}{}{}", item("a"), item("b"), item("c")),
                &[1, 2],
                format!("kind: List\nitems:\n{}", item("a")),
            ),
            (
                format!("items:\n{}{}kind: List\n", item("a"), item("b")),
                &[0],
                format!("items:\n{}kind: List\n", item("b")),
            ),
        ] {
            assert_eq!(without_documents(&text, indexes), Some(expected), "{text}");
        }
        // In another way, a list is written again only by the user.
        for text in ["kind: A\n", "{\"kind\":\"List\",\"items\":[{\"kind\":\"A\"},{\"kind\":\"B\"}]}"] {
            assert_eq!(without_documents(text, &[0]), None, "{text}");
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
