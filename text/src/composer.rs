//! Composes documents from the events of the YAML parser. It keeps a stack of open collections instead of recursing, so
//! that no text can overflow the call stack.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

use crate::error::invalid_value;
use crate::position::{Children, PositionTree};
use crate::{Document, Error, ErrorKind, Position, scalar};

/// The maximum number of nesting levels: far more than a Kubernetes object has, and fewer than serde_json reads.
const MAX_DEPTH: usize = 100;

/// The maximum that anchors and aliases may copy: bytes of text, plus [`NODE_COST`] for each value.
const MAX_COPIED: usize = 16 << 20;

/// The cost of a value, besides its text.
const NODE_COST: usize = 32;

/// All non-empty documents of a text, each a mapping.
pub(crate) fn compose(text: &str) -> Result<Vec<Document>, Error> {
    let mut composer = Composer::default();
    let mut documents = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("Invalid value: must be YAML or JSON: {}", error.info());
            Error::new(ErrorKind::Syntax, Some(to_position(*error.marker())), message).below(&composer.path())
        })?;
        let node =
            composer.handle_event(event, to_position(span.start)).map_err(|error| error.below(&composer.path()))?;
        if let Some(node) = node
            && let Some(document) = to_document(node)?
        {
            documents.push(document);
        }
    }
    Ok(documents)
}

/// The text as one JSON object, if it is one. The YAML parser rejects surrogate pairs, which JSON allows, so it gets a
/// text with other characters of the same width for the positions.
///
/// # Errors
/// Errors of [`compose`] beyond the syntax, such as a duplicate key.
pub(crate) fn compose_json(text: &str) -> Option<Result<Vec<Document>, Error>> {
    let value: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
    let masked = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    let document = match compose(&masked) {
        Ok(documents) => documents.into_iter().next(),
        Err(error) if error.kind == ErrorKind::Syntax => None,
        Err(error) => return Some(Err(error)),
    };
    let start = PositionTree { position: Position { line: 1, column: 1 }, children: Children::Scalar };
    let positions = document.map_or(start, |document| document.positions);
    Some(Ok(vec![Document { value, positions }]))
}

fn to_document(Node { value, positions }: Node) -> Result<Option<Document>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Object(_) => Ok(Some(Document { value, positions })),
        other => Err(not_an_object(
            positions.position,
            invalid_value(&other, "an object (lines such as `kind: Deployment`)"),
        )),
    }
}

fn to_position(marker: Marker) -> Position {
    Position { line: marker.line(), column: marker.col().saturating_add(1) }
}

#[derive(Clone, Debug)]
struct Node {
    value: Value,
    positions: PositionTree,
}

/// A node with an anchor, which aliases copy.
#[derive(Debug)]
struct Anchored {
    node: Node,
    depth: usize,
    cost: usize,
}

#[derive(Debug)]
struct OpenCollection {
    position: Position,
    anchor: usize,
    collection: Collection,
}

#[derive(Debug)]
enum Collection {
    List { items: Vec<Value>, positions: Vec<PositionTree> },
    Map { entries: Map<String, Value>, positions: Vec<(String, PositionTree)>, key: Option<Key>, merged: Vec<Node> },
}

#[derive(Debug)]
enum Key {
    Name(String, Position),
    Merge,
}

#[derive(Debug, Default)]
struct Composer {
    open_collections: Vec<OpenCollection>,
    /// By the parser's anchor numbers, from 1.
    anchors: Vec<Option<Anchored>>,
    copied: usize,
}

impl Composer {
    /// The path of the current position in the document. A deep one is shortened.
    fn path(&self) -> String {
        const SHOWN: usize = 20;
        let mut path = String::new();
        for open in self.open_collections.iter().take(SHOWN) {
            match &open.collection {
                Collection::List { items, .. } => path.push_str(&format!("[{}]", items.len())),
                Collection::Map { key: None, .. } => {}
                Collection::Map { key: Some(Key::Name(name, _)), .. } if name.contains('.') => {
                    path.push_str(&format!("[{name}]"));
                }
                Collection::Map { key: Some(key), .. } => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(if let Key::Name(name, _) = key { name } else { "<<" });
                }
            }
        }
        path.push_str(if self.open_collections.len() > SHOWN { "..." } else { "" });
        path
    }

    /// Handles an event. Returns the root of a document when it is complete.
    fn handle_event(&mut self, event: Event<'_>, position: Position) -> Result<Option<Node>, Error> {
        match event {
            Event::MappingStart(anchor, _) => {
                let collection =
                    Collection::Map { entries: Map::new(), positions: Vec::new(), key: None, merged: Vec::new() };
                self.start_collection(OpenCollection { position, anchor, collection })
            }
            Event::SequenceStart(anchor, _) => self.start_collection(OpenCollection {
                position,
                anchor,
                collection: Collection::List { items: Vec::new(), positions: Vec::new() },
            }),
            Event::MappingEnd | Event::SequenceEnd => self.end_collection(),
            Event::Scalar(text, style, anchor, tag) => {
                if self.at_merge_key(&text, style) {
                    return Ok(None);
                }
                let value =
                    scalar_value(&text, style, tag.as_deref()).map_err(|message| not_an_object(position, message))?;
                self.complete_node(
                    Node { value, positions: PositionTree { position, children: Children::Scalar } },
                    anchor,
                )
            }
            Event::Alias(anchor) => {
                let node = self.resolve_alias(anchor, position)?;
                self.complete_node(node, 0)
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {
                Ok(None)
            }
        }
    }

    fn start_collection(&mut self, open: OpenCollection) -> Result<Option<Node>, Error> {
        if self.open_collections.len() >= MAX_DEPTH {
            return Err(too_deep(open.position));
        }
        self.open_collections.push(open);
        Ok(None)
    }

    fn end_collection(&mut self) -> Result<Option<Node>, Error> {
        let Some(OpenCollection { position, anchor, collection }) = self.open_collections.pop() else {
            return Ok(None);
        };
        let node = match collection {
            Collection::List { items, positions } => Node {
                value: Value::Array(items),
                positions: PositionTree { position, children: Children::List(positions) },
            },
            Collection::Map { mut entries, mut positions, key: _, merged } => {
                merge(&mut entries, &mut positions, merged);
                Node {
                    value: Value::Object(entries),
                    positions: PositionTree { position, children: Children::Map(positions) },
                }
            }
        };
        self.complete_node(node, anchor)
    }

    /// Whether this scalar is the key `<<`; if so, the next value is merged.
    fn at_merge_key(&mut self, text: &str, style: ScalarStyle) -> bool {
        match self.open_collections.last_mut() {
            Some(OpenCollection { collection: Collection::Map { key: key @ None, .. }, .. })
                if text == "<<" && style == ScalarStyle::Plain =>
            {
                *key = Some(Key::Merge);
                true
            }
            _ => false,
        }
    }

    /// Adds a complete node to its anchor and to the innermost open collection.
    fn complete_node(&mut self, mut node: Node, anchor: usize) -> Result<Option<Node>, Error> {
        if anchor != 0 {
            self.add_anchor(anchor, &node)?;
        }
        let Some(parent) = self.open_collections.last_mut() else { return Ok(Some(node)) };
        match &mut parent.collection {
            Collection::List { items, positions } => {
                items.push(node.value);
                positions.push(node.positions);
            }
            // The key stays until its value is valid: the path of an error ends with it.
            Collection::Map { entries, positions, key, merged } => match key {
                None => *key = Some(Key::Name(key_name(&node)?, node.positions.position)),
                Some(Key::Merge) => {
                    merged.append(&mut merged_mappings(node)?);
                    *key = None;
                }
                Some(Key::Name(name, position)) => {
                    if entries.contains_key(name) {
                        return Err(duplicate_key(name, *position, positions));
                    }
                    node.positions.position = *position;
                    positions.push((name.clone(), node.positions));
                    entries.insert(name.clone(), node.value);
                    *key = None;
                }
            },
        }
        Ok(None)
    }

    fn add_anchor(&mut self, anchor: usize, node: &Node) -> Result<(), Error> {
        let cost = copy_cost(&node.value);
        self.copied = add_copied(self.copied, cost, node.positions.position)?;
        if self.anchors.len() <= anchor {
            self.anchors.resize_with(anchor.saturating_add(1), || None);
        }
        if let Some(slot) = self.anchors.get_mut(anchor) {
            *slot = Some(Anchored { node: node.clone(), depth: depth(&node.value), cost });
        }
        Ok(())
    }

    fn resolve_alias(&mut self, anchor: usize, position: Position) -> Result<Node, Error> {
        // The parser has checked the name: an anchor without a value is still open.
        let Some(Some(anchored)) = self.anchors.get(anchor) else {
            return Err(not_an_object(position, "Invalid value: an alias: must not refer to a value that contains it"));
        };
        if self.open_collections.len().saturating_add(anchored.depth) > MAX_DEPTH {
            return Err(too_deep(position));
        }
        self.copied = add_copied(self.copied, anchored.cost, position)?;
        let mut node = anchored.node.clone();
        node.positions.position = position;
        Ok(node)
    }
}

/// The sum of all copies and another one.
fn add_copied(before: usize, cost: usize, position: Position) -> Result<usize, Error> {
    let sum = before.saturating_add(cost);
    if sum > MAX_COPIED {
        let message = format!("Too long: aliases must not copy more than {MAX_COPIED} bytes");
        return Err(Error::new(ErrorKind::TooLarge, Some(position), message));
    }
    Ok(sum)
}

fn duplicate_key(name: &str, position: Position, positions: &[(String, PositionTree)]) -> Error {
    let first = positions.iter().find(|(other, _)| other == name).map_or(position, |(_, positions)| positions.position);
    not_an_object(
        position,
        format!("Duplicate value: {}: must appear only once, and is already at {first}", Value::from(name)),
    )
}

fn not_an_object(position: Position, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotAnObject, Some(position), message)
}

fn too_deep(position: Position) -> Error {
    let message = format!("Too many: {}: must have at most {MAX_DEPTH} levels of nesting", MAX_DEPTH.saturating_add(1));
    Error::new(ErrorKind::TooLarge, Some(position), message)
}

/// The value of a scalar by its tag or else by its style: a quoted one is a string.
fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    let core_tag = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    let value = match (core_tag, tag) {
        (Some("str"), _) => return Ok(Value::String(text.to_owned())),
        (Some("int" | "float" | "bool" | "null"), _) => scalar::resolve(text)?,
        (Some(other), _) => {
            let known = "\"!!bool\", \"!!float\", \"!!int\", \"!!null\", \"!!str\"";
            return Err(format!("Unsupported value: \"!!{other}\": supported values: {known}"));
        }
        (None, None) if style == ScalarStyle::Plain => return scalar::resolve(text),
        (None, _) => return Ok(Value::String(text.to_owned())),
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

/// The mappings that `<<` merges: one or a list of them.
fn merged_mappings(node: Node) -> Result<Vec<Node>, Error> {
    let position = node.positions.position;
    let message = invalid_value(&node.value, "a map or a list of maps");
    let nodes = match (node.value, node.positions.children) {
        (Value::Array(items), Children::List(positions)) => {
            items.into_iter().zip(positions).map(|(value, positions)| Node { value, positions }).collect()
        }
        (value, children) => vec![Node { value, positions: PositionTree { position, children } }],
    };
    if nodes.iter().all(|node| node.value.is_object()) { Ok(nodes) } else { Err(not_an_object(position, message)) }
}

/// Adds the keys that a mapping does not have itself; the first merged mapping with a key wins.
fn merge(entries: &mut Map<String, Value>, positions: &mut Vec<(String, PositionTree)>, merged: Vec<Node>) {
    for node in merged {
        let (Value::Object(mut more), Children::Map(more_positions)) = (node.value, node.positions.children) else {
            continue;
        };
        for (name, position_tree) in more_positions {
            if let (false, Some(value)) = (entries.contains_key(&name), more.remove(&name)) {
                entries.insert(name.clone(), value);
                positions.push((name, position_tree));
            }
        }
    }
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
