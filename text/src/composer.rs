//! Composes a document from the events of the YAML parser. It keeps a stack of open collections instead of recursing, so
//! that no text can overflow the call stack.
//!
//! Ported from `go.yaml.in/yaml` (Apache-2.0 AND MIT, see NOTICE).
//!
//! Ported from `sigs.k8s.io/yaml` (MIT, see NOTICE).

use std::collections::{BTreeMap, BTreeSet};
use std::str::Chars;

use serde_json::{Map, Value};

use crate::error::invalid_value;
use crate::libyaml::{Event, Mark, Parser, Problem, ScalarStyle};
use crate::position::{Children, PositionTree};
use crate::{Error, ErrorKind, Position, Warning, scalar};

/// The maximum number of nesting levels: far more than a Kubernetes object has, and fewer than serde_json reads.
pub(crate) const MAX_DEPTH: usize = 100;

/// The maximum that anchors and aliases may copy: bytes of text, plus [`NODE_COST`] for each value.
const MAX_COPIED: usize = 16 << 20;

/// The cost of a value, besides its text.
const NODE_COST: usize = 32;

/// The maximum number of warnings about one document.
const MAX_WARNINGS: usize = 100;

/// What the prefix of YAML's own tags is.
const CORE_TAG: &str = "tag:yaml.org,2002:";

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Yaml,
}

/// A value with its positions.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) positions: PositionTree,
}

/// The first document of a text that begins at `start`; none if it is empty. Whatever follows is ignored, as by kubectl.
/// `watch` learns which line is read.
///
/// Upstream: go.yaml.in/yaml/v2 yaml.go unmarshal
pub(crate) fn compose(
    text: &str,
    syntax: Syntax,
    start: Position,
    warnings: &mut Vec<Warning>,
    watch: &mut dyn FnMut(usize),
) -> Result<Option<Node>, Error> {
    refuse_control_characters(text, start)?;
    let stand_in = if syntax == Syntax::Yaml { with_stand_ins(text) } else { None };
    let mut composer = Composer { start, has_stand_ins: stand_in.is_some(), ..Composer::default() };
    let text = stand_in.as_deref().unwrap_or(text);
    let mut parser = Parser::new(text);
    let mut escapes = (syntax == Syntax::Yaml && text.contains("\\/")).then(|| Escapes::of(text));
    let mut root = None;
    loop {
        let (event, mark) = parser.next_event().map_err(|Problem { mark, problem, context }| {
            let context = context.map_or_else(String::new, |context| format!(" {context}"));
            let message = format!("Invalid value: must be YAML or JSON: {problem}{context}");
            Error::new(ErrorKind::Syntax, Some(composer.position(mark)), message).below(&composer.path())
        })?;
        match event {
            Event::StreamEnd => return Ok(None),
            Event::DocumentEnd => break,
            event => {
                let position = composer.position(mark);
                watch(position.line);
                if let Some(escapes) = &mut escapes {
                    escapes.refuse_slash(&event, mark, position).map_err(|error| error.below(&composer.path()))?;
                }
                let node = composer.handle_event(event, position).map_err(|error| error.below(&composer.path()))?;
                root = node.or(root);
            }
        }
    }
    let after = match parser.next_event() {
        Ok((Event::StreamEnd, _)) => None,
        Ok((_, mark)) | Err(Problem { mark, .. }) => Some(mark),
    };
    if let Some(mark) = after {
        let position = composer.position(mark);
        let message = "Invalid value: text after the end of a document: must begin with a line `---`: it is ignored";
        composer.warnings.push(Warning { position, path: String::new(), message: message.to_owned() });
    }
    warnings.append(&mut composer.warnings);
    Ok(root)
}

/// What stands for the backslash of `\'`, an escape that go-yaml has, but not libyaml.
const STAND_IN: char = '\u{e000}';

/// A text of the same width without `\'`; none if it has none.
///
/// Upstream: go.yaml.in/yaml/v2 scannerc.go yaml_parser_scan_flow_scalar
fn with_stand_ins(text: &str) -> Option<String> {
    if !text.contains("\\'") || text.contains(STAND_IN) {
        return None;
    }
    let mut changed = String::new();
    let mut is_escaped = false;
    for character in text.chars() {
        if character == '\'' && is_escaped {
            changed.pop();
            changed.push(STAND_IN);
        }
        is_escaped = character == '\\' && !is_escaped;
        changed.push(character);
    }
    Some(changed)
}

/// The value of a scalar, of which only one in double quotes has escapes.
fn without_stand_ins(value: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::DoubleQuoted { .. } => value.replace("\u{e000}'", "'"),
        ScalarStyle::Plain | ScalarStyle::Other => value.replace(STAND_IN, "\\"),
    }
}

/// YAML allows no control characters except tab and line breaks.
///
/// Upstream: go.yaml.in/yaml/v2 readerc.go yaml_parser_update_buffer
pub(crate) fn refuse_control_characters(text: &str, start: Position) -> Result<(), Error> {
    let mut position = start;
    for character in text.chars() {
        match character {
            '\n' => position = Position { line: position.line.saturating_add(1), column: 1 },
            '\t' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => {
                position.column = position.column.saturating_add(1);
            }
            control => {
                let message =
                    format!("Invalid value: U+{:04X}: must be text without control characters", u32::from(control));
                return Err(Error::new(ErrorKind::NotText, Some(position), message));
            }
        }
    }
    Ok(())
}

/// The escapes of a text, of which YAML 1.1 lacks JSON's `\/`, but libyaml does not.
struct Escapes<'text> {
    /// The characters that are not read yet, and how many are.
    rest: Chars<'text>,
    read: u64,
}

impl<'text> Escapes<'text> {
    fn of(text: &'text str) -> Self {
        Self { rest: text.chars(), read: 0 }
    }

    /// The next character.
    fn next(&mut self) -> Option<char> {
        self.read = self.read.saturating_add(1);
        self.rest.next()
    }

    /// Refuses a scalar in double quotes with an escaped slash. Those before it have been read.
    ///
    /// Upstream: go.yaml.in/yaml/v2 scannerc.go yaml_parser_scan_flow_scalar
    fn refuse_slash(&mut self, event: &Event, start: Mark, position: Position) -> Result<(), Error> {
        let Event::Scalar { style: ScalarStyle::DoubleQuoted { end }, .. } = event else { return Ok(()) };
        while self.read < start.index && self.next().is_some() {}
        while self.read < *end
            && let Some(character) = self.next()
        {
            if character == '\\' && self.next() == Some('/') {
                let message = "Invalid value: \"\\/\": must be / without the backslash, which only JSON allows";
                return Err(Error::new(ErrorKind::Syntax, Some(position), message));
            }
        }
        Ok(())
    }
}

/// What an anchor names.
#[derive(Debug)]
enum Anchor {
    /// A collection whose end is not read yet: its number.
    Open(usize),
    /// A node, which aliases copy.
    Complete { node: Node, depth: usize, cost: usize },
}

#[derive(Debug)]
struct OpenCollection {
    position: Position,
    anchor: Option<String>,
    number: usize,
    collection: Collection,
}

#[derive(Debug)]
enum Collection {
    List { items: Vec<Value>, positions: Vec<PositionTree> },
    Map(OpenMap),
}

#[derive(Debug, Default)]
struct OpenMap {
    entries: Map<String, Value>,
    positions: Vec<(String, PositionTree)>,
    key: Option<Key>,
    /// The keys whose values were merged.
    merged: BTreeSet<String>,
}

#[derive(Debug)]
enum Key {
    Name(String, Position),
    Merge(Position),
}

#[derive(Debug, Default)]
struct Composer {
    start: Position,
    /// Whether the text has stand-ins for backslashes.
    has_stand_ins: bool,
    open_collections: Vec<OpenCollection>,
    opened: usize,
    anchors: BTreeMap<String, Anchor>,
    copied: usize,
    warnings: Vec<Warning>,
}

impl Composer {
    /// The path of the current position in the document. A deep one is shortened.
    fn path(&self) -> String {
        const SHOWN: usize = 20;
        let mut path = String::new();
        for open in self.open_collections.iter().take(SHOWN) {
            match &open.collection {
                Collection::List { items, .. } => path.push_str(&format!("[{}]", items.len())),
                Collection::Map(OpenMap { key: None, .. }) => {}
                Collection::Map(OpenMap { key: Some(Key::Name(name, _)), .. }) if name.contains('.') => {
                    path.push_str(&format!("[{name}]"));
                }
                Collection::Map(OpenMap { key: Some(key), .. }) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(if let Key::Name(name, _) = key { name } else { "<<" });
                }
            }
        }
        path.push_str(if self.open_collections.len() > SHOWN { "..." } else { "" });
        path
    }

    /// The position of a mark in the whole text.
    fn position(&self, mark: Mark) -> Position {
        let [line, column] = [mark.line, mark.column].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let before = if line == 0 { self.start.column } else { 1 };
        Position { line: self.start.line.saturating_add(line), column: before.saturating_add(column) }
    }

    /// Handles an event. Returns the root of a document when it is complete.
    fn handle_event(&mut self, event: Event, position: Position) -> Result<Option<Node>, Error> {
        match event {
            Event::MappingStart { anchor } => {
                self.start_collection(position, anchor, Collection::Map(OpenMap::default()))
            }
            Event::SequenceStart { anchor } => {
                self.start_collection(position, anchor, Collection::List { items: Vec::new(), positions: Vec::new() })
            }
            Event::MappingEnd | Event::SequenceEnd => self.end_collection(),
            Event::Scalar { anchor, tag, value, style } => {
                let is_plain = style == ScalarStyle::Plain;
                let value = if self.has_stand_ins { without_stand_ins(&value, style) } else { value };
                if self.at_merge_key(&value, is_plain, tag.as_deref(), position) {
                    return Ok(None);
                }
                let value = scalar_value(&value, is_plain, tag.as_deref())
                    .map_err(|message| not_an_object(position, message))?;
                let node = Node { value, positions: PositionTree { position, children: Children::Scalar } };
                if let Some(anchor) = anchor {
                    self.set_anchor(anchor, &node)?;
                }
                self.complete_node(node)
            }
            Event::Alias { anchor } => {
                let node = self.resolve_alias(&anchor, position)?;
                self.complete_node(node)
            }
            Event::StreamStart | Event::DocumentStart | Event::DocumentEnd | Event::StreamEnd => Ok(None),
        }
    }

    fn start_collection(
        &mut self,
        position: Position,
        anchor: Option<String>,
        collection: Collection,
    ) -> Result<Option<Node>, Error> {
        if self.open_collections.len() >= MAX_DEPTH {
            return Err(too_deep(position));
        }
        self.opened = self.opened.saturating_add(1);
        if let Some(anchor) = &anchor {
            self.anchors.insert(anchor.clone(), Anchor::Open(self.opened));
        }
        self.open_collections.push(OpenCollection { position, anchor, number: self.opened, collection });
        Ok(None)
    }

    fn end_collection(&mut self) -> Result<Option<Node>, Error> {
        let Some(OpenCollection { position, anchor, number, collection }) = self.open_collections.pop() else {
            return Ok(None);
        };
        let (value, children) = match collection {
            Collection::List { items, positions } => (Value::Array(items), Children::List(positions)),
            Collection::Map(OpenMap { entries, positions, .. }) => (Value::Object(entries), Children::Map(positions)),
        };
        let node = Node { value, positions: PositionTree { position, children } };
        // A node inside of it may have taken over its anchor.
        if let Some(anchor) = anchor
            && matches!(self.anchors.get(&anchor), Some(Anchor::Open(open)) if *open == number)
        {
            self.set_anchor(anchor, &node)?;
        }
        self.complete_node(node)
    }

    /// Whether this scalar is the key `<<`; if so, the next value is merged.
    ///
    /// Upstream: go.yaml.in/yaml/v2 decode.go isMerge
    fn at_merge_key(&mut self, text: &str, is_plain: bool, tag: Option<&str>, position: Position) -> bool {
        let is_merge = match tag {
            None => is_plain,
            Some(tag) => tag.strip_prefix(CORE_TAG) == Some("merge"),
        };
        match self.open_collections.last_mut() {
            Some(OpenCollection { collection: Collection::Map(OpenMap { key: key @ None, .. }), .. })
                if text == "<<" && is_merge =>
            {
                *key = Some(Key::Merge(position));
                true
            }
            _ => false,
        }
    }

    /// Adds a complete node to the innermost open collection.
    ///
    /// Upstream: go.yaml.in/yaml/v2 decode.go mapping, merge
    fn complete_node(&mut self, mut node: Node) -> Result<Option<Node>, Error> {
        let Some(parent) = self.open_collections.last_mut() else { return Ok(Some(node)) };
        let mut duplicates = Vec::new();
        match &mut parent.collection {
            Collection::List { items, positions } => {
                items.push(node.value);
                positions.push(node.positions);
            }
            // The key stays until its value is valid: the path of an error ends with it.
            Collection::Map(map) => match &map.key {
                None => map.key = Some(Key::Name(key_name(&node)?, node.positions.position)),
                Some(Key::Merge(position)) => {
                    let position = *position;
                    for (name, value, positions) in merged_entries(node)? {
                        let is_merged = !map.merged.insert(name.clone());
                        duplicates.extend(map.duplicate(&name, position).filter(|_| !is_merged));
                        map.set(name, value, positions);
                    }
                    map.key = None;
                }
                Some(Key::Name(name, position)) => {
                    let (name, position) = (name.clone(), *position);
                    let is_merged = map.merged.remove(&name);
                    duplicates.extend(map.duplicate(&name, position).filter(|_| !is_merged));
                    node.positions.position = position;
                    map.set(name, node.value, node.positions);
                    map.key = None;
                }
            },
        }
        if !duplicates.is_empty() && self.warnings.len() < MAX_WARNINGS {
            let path = self.path();
            self.warnings.extend(duplicates.into_iter().map(|warning| warning.below(&path)));
        }
        Ok(None)
    }

    fn set_anchor(&mut self, anchor: String, node: &Node) -> Result<(), Error> {
        let cost = copy_cost(&node.value);
        self.copied = add_copied(self.copied, cost, node.positions.position)?;
        let depth = depth(&node.value);
        self.anchors.insert(anchor, Anchor::Complete { node: node.clone(), depth, cost });
        Ok(())
    }

    fn resolve_alias(&mut self, anchor: &str, position: Position) -> Result<Node, Error> {
        let (node, depth, cost) = match self.anchors.get(anchor) {
            Some(Anchor::Complete { node, depth, cost }) => (node, *depth, *cost),
            Some(Anchor::Open(_)) => {
                let message = "Invalid value: an alias: must not refer to a value that contains it";
                return Err(not_an_object(position, message));
            }
            None => {
                let message = format!("Not found: {}: must be an anchor before the alias", Value::from(anchor));
                return Err(not_an_object(position, message));
            }
        };
        if self.open_collections.len().saturating_add(depth) > MAX_DEPTH {
            return Err(too_deep(position));
        }
        let innermost = self.open_collections.last().map(|open| &open.collection);
        if matches!(innermost, Some(Collection::Map(OpenMap { key: Some(Key::Merge(_)), .. })))
            && !node.value.is_object()
        {
            return Err(not_an_object(position, invalid_value(&node.value, MERGEABLE)));
        }
        let mut node = node.clone();
        self.copied = add_copied(self.copied, cost, position)?;
        node.positions.position = position;
        Ok(node)
    }
}

impl OpenMap {
    /// The warning about a key that the mapping already has; none for a new one.
    fn duplicate(&self, name: &str, position: Position) -> Option<Warning> {
        if !self.entries.contains_key(name) {
            return None;
        }
        let first = self.positions.iter().find(|(other, _)| other == name).map(|(_, tree)| tree.position)?;
        let message = format!(
            "Duplicate value: {}: must appear only once: this one counts, not that at {first}",
            Value::from(name)
        );
        Some(Warning { position, path: name.to_owned(), message })
    }

    /// Sets an entry: the last one of a key counts.
    fn set(&mut self, name: String, value: Value, tree: PositionTree) {
        match self.entries.insert(name.clone(), value) {
            None => self.positions.push((name, tree)),
            Some(_) => {
                let positions = self.positions.iter_mut().find(|(other, _)| *other == name);
                if let Some((_, positions)) = positions {
                    *positions = tree;
                }
            }
        }
    }
}

/// What `<<` merges.
const MERGEABLE: &str = "a map or a list of maps";

/// The sum of all copies and another one.
fn add_copied(before: usize, cost: usize, position: Position) -> Result<usize, Error> {
    let sum = before.saturating_add(cost);
    if sum > MAX_COPIED {
        let message = format!("Too long: aliases must not copy more than {MAX_COPIED} bytes");
        return Err(Error::new(ErrorKind::TooLarge, Some(position), message));
    }
    Ok(sum)
}

fn not_an_object(position: Position, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotAnObject, Some(position), message)
}

fn too_deep(position: Position) -> Error {
    let message = format!("Too many: {}: must have at most {MAX_DEPTH} levels of nesting", MAX_DEPTH.saturating_add(1));
    Error::new(ErrorKind::TooLarge, Some(position), message)
}

/// The value of a scalar by its tag or else by its style: a quoted one is a string, and so is one with a tag that is not YAML's.
///
/// Upstream: go.yaml.in/yaml/v2 decode.go scalar, resolve.go resolve
fn scalar_value(text: &str, is_plain: bool, tag: Option<&str>) -> Result<Value, String> {
    let core_tag = tag.and_then(|tag| tag.strip_prefix(CORE_TAG));
    let value = match core_tag {
        Some("int" | "float" | "bool" | "null") => scalar::resolve(text)?,
        Some("binary") => {
            let bytes = scalar::decode_base64(text).ok_or_else(|| invalid_value(&Value::from(text), "base64"))?;
            return Ok(Value::String(scalar::text_of(&bytes)));
        }
        Some("timestamp") => {
            let expected = "a time, such as 2026-01-31 or 2026-01-31T12:00:00Z";
            let is_time = scalar::is_timestamp(text);
            return is_time.then(|| text.into()).ok_or_else(|| invalid_value(&Value::from(text), expected));
        }
        None if tag.is_none() && is_plain => return scalar::resolve(text),
        Some(_) | None => return Ok(Value::String(text.to_owned())),
    };
    let fits = match core_tag {
        Some("int") => value.is_i64() || value.is_u64(),
        Some("float") => value.is_number(),
        Some("bool") => value.is_boolean(),
        _ => value.is_null(),
    };
    let expected = format!("a !!{}", core_tag.unwrap_or_default());
    fits.then_some(value).ok_or_else(|| invalid_value(&Value::from(text), &expected))
}

/// The name of a key, since JSON keys are strings.
///
/// Upstream: sigs.k8s.io/yaml yaml.go convertToJSONableObject
fn key_name(node: &Node) -> Result<String, Error> {
    match &node.value {
        Value::String(name) => Ok(name.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(node.value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(not_an_object(node.positions.position, invalid_value(&node.value, "a field's name")))
        }
    }
}

/// The entries that `<<` merges, of one mapping or of a list of them; the first mapping of the list counts, so it comes last.
fn merged_entries(node: Node) -> Result<Vec<(String, Value, PositionTree)>, Error> {
    let position = node.positions.position;
    let message = invalid_value(&node.value, MERGEABLE);
    let nodes = match (node.value, node.positions.children) {
        (Value::Array(items), Children::List(positions)) => items.into_iter().zip(positions).rev().collect(),
        (value, children) => vec![(value, PositionTree { position, children })],
    };
    let mut entries = Vec::new();
    for node in nodes {
        let (Value::Object(mut map), PositionTree { children: Children::Map(positions), .. }) = node else {
            return Err(not_an_object(position, message));
        };
        entries.extend(positions.into_iter().filter_map(|(name, tree)| Some((name.clone(), map.remove(&name)?, tree))));
    }
    Ok(entries)
}

/// The cost of a copy. Recursion is safe: the value is at most [`MAX_DEPTH`] deep.
fn copy_cost(value: &Value) -> usize {
    let children = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(copy_cost).fold(0, usize::saturating_add),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| key.len().saturating_add(copy_cost(value))).fold(0, usize::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    children.saturating_add(NODE_COST)
}

/// The number of levels of nesting, including the value itself.
fn depth(value: &Value) -> usize {
    let children = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    children.unwrap_or(0).saturating_add(1)
}
