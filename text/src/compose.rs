//! The parser's events to documents. A stack of open collections instead of recursion, so that no text can overflow the call stack.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use serde_json::{Map, Value};

use crate::error::wrong;
use crate::position::{Inside, Place};
use crate::{Document, Error, ErrorKind, Position, scalar};

/// How deep a document may nest: far more than a Kubernetes object does, and less than what serde_json reads back.
const MAX_DEPTH: usize = 100;

/// How much anchors and aliases may copy, in bytes of text and [`NODE_COST`] for each value.
const MAX_COPIED: usize = 16 << 20;

/// What a value costs beside its text.
const NODE_COST: usize = 32;

/// All documents of a text that hold something, each a mapping.
pub(crate) fn compose(text: &str) -> Result<Vec<Document>, Error> {
    let mut composer = Composer::default();
    let mut documents = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let message = format!("Invalid value: must be YAML or JSON: {}", error.info());
            Error::new(ErrorKind::Syntax, Some(position(*error.marker())), message).below(&composer.path())
        })?;
        let node = composer.event(event, position(span.start)).map_err(|error| error.below(&composer.path()))?;
        if let Some(node) = node
            && let Some(document) = document(node)?
        {
            documents.push(document);
        }
    }
    Ok(documents)
}

/// The text as one JSON object, if it is one. JSON is YAML but for its pairs of surrogates, which the parser refuses: it
/// finds the places in a text that has other characters of the same width there.
pub(crate) fn json(text: &str) -> Option<Vec<Document>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let masked = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    let found = compose(&masked).ok().and_then(|documents| documents.into_iter().next());
    let nowhere = Place { at: Position { line: 1, column: 1 }, inside: Inside::Scalar };
    let place = found.map_or(nowhere, |document| document.place);
    value.is_object().then(|| vec![Document { value, place }])
}

fn document(Node { value, place }: Node) -> Result<Option<Document>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Object(_) => Ok(Some(Document { value, place })),
        other => Err(not_an_object(place.at, wrong(&other, "an object (lines such as `kind: Deployment`)"))),
    }
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line(), column: marker.col().saturating_add(1) }
}

#[derive(Clone, Debug)]
struct Node {
    value: Value,
    place: Place,
}

/// A node with an anchor: what an alias copies, and what that costs.
#[derive(Debug)]
struct Anchored {
    node: Node,
    height: usize,
    cost: usize,
}

#[derive(Debug)]
struct Open {
    at: Position,
    anchor: usize,
    collection: Collection,
}

#[derive(Debug)]
enum Collection {
    List { items: Vec<Value>, places: Vec<Place> },
    Map { entries: Map<String, Value>, places: Vec<(String, Place)>, key: Option<Key>, merged: Vec<Node> },
}

#[derive(Debug)]
enum Key {
    Name(String, Position),
    Merge,
}

#[derive(Debug, Default)]
struct Composer {
    open: Vec<Open>,
    /// By the number that the parser gives them; it counts from 1.
    anchors: Vec<Option<Anchored>>,
    copied: usize,
}

impl Composer {
    /// The path of what is being read, as far as the text has said it; a deep one is cut.
    fn path(&self) -> String {
        const SHOWN: usize = 20;
        let mut path = String::new();
        for open in self.open.iter().take(SHOWN) {
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
        path.push_str(if self.open.len() > SHOWN { "..." } else { "" });
        path
    }

    /// Takes one event in; a document's root when it is complete.
    fn event(&mut self, event: Event<'_>, at: Position) -> Result<Option<Node>, Error> {
        match event {
            Event::MappingStart(anchor, _) => {
                let collection =
                    Collection::Map { entries: Map::new(), places: Vec::new(), key: None, merged: Vec::new() };
                self.start(Open { at, anchor, collection })
            }
            Event::SequenceStart(anchor, _) => {
                self.start(Open { at, anchor, collection: Collection::List { items: Vec::new(), places: Vec::new() } })
            }
            Event::MappingEnd | Event::SequenceEnd => self.end(),
            Event::Scalar(text, style, anchor, tag) => {
                if self.at_merge_key(&text, style) {
                    return Ok(None);
                }
                let value = scalar_value(&text, style, tag.as_deref()).map_err(|message| not_an_object(at, message))?;
                self.complete(Node { value, place: Place { at, inside: Inside::Scalar } }, anchor)
            }
            Event::Alias(anchor) => {
                let node = self.alias(anchor, at)?;
                self.complete(node, 0)
            }
            Event::DocumentStart(_) | Event::DocumentEnd | Event::StreamStart | Event::StreamEnd | Event::Nothing => {
                Ok(None)
            }
        }
    }

    fn start(&mut self, open: Open) -> Result<Option<Node>, Error> {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(open.at));
        }
        self.open.push(open);
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<Node>, Error> {
        let Some(Open { at, anchor, collection }) = self.open.pop() else { return Ok(None) };
        let node = match collection {
            Collection::List { items, places } => {
                Node { value: Value::Array(items), place: Place { at, inside: Inside::List(places) } }
            }
            Collection::Map { mut entries, mut places, key: _, merged } => {
                merge(&mut entries, &mut places, merged);
                Node { value: Value::Object(entries), place: Place { at, inside: Inside::Map(places) } }
            }
        };
        self.complete(node, anchor)
    }

    /// Whether this scalar is the key `<<`, which then waits for what to merge.
    fn at_merge_key(&mut self, text: &str, style: ScalarStyle) -> bool {
        match self.open.last_mut() {
            Some(Open { collection: Collection::Map { key: key @ None, .. }, .. })
                if text == "<<" && style == ScalarStyle::Plain =>
            {
                *key = Some(Key::Merge);
                true
            }
            _ => false,
        }
    }

    /// Puts a complete node where it belongs: under its anchor, and into the innermost open collection.
    fn complete(&mut self, mut node: Node, anchor: usize) -> Result<Option<Node>, Error> {
        if anchor != 0 {
            self.anchor(anchor, &node)?;
        }
        let Some(parent) = self.open.last_mut() else { return Ok(Some(node)) };
        match &mut parent.collection {
            Collection::List { items, places } => {
                items.push(node.value);
                places.push(node.place);
            }
            // The key stays until its value is right: an error's path ends in it.
            Collection::Map { entries, places, key, merged } => match key {
                None => *key = Some(Key::Name(key_name(&node)?, node.place.at)),
                Some(Key::Merge) => {
                    merged.append(&mut mappings(node)?);
                    *key = None;
                }
                Some(Key::Name(name, at)) => {
                    if entries.contains_key(name) {
                        return Err(written_twice(name, *at, places));
                    }
                    node.place.at = *at;
                    places.push((name.clone(), node.place));
                    entries.insert(name.clone(), node.value);
                    *key = None;
                }
            },
        }
        Ok(None)
    }

    fn anchor(&mut self, anchor: usize, node: &Node) -> Result<(), Error> {
        let cost = cost(&node.value);
        self.copied = copied(self.copied, cost, node.place.at)?;
        if self.anchors.len() <= anchor {
            self.anchors.resize_with(anchor.saturating_add(1), || None);
        }
        if let Some(slot) = self.anchors.get_mut(anchor) {
            *slot = Some(Anchored { node: node.clone(), height: height(&node.value), cost });
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<Node, Error> {
        // The parser knows the name: a value that is not there yet is one that is still open.
        let Some(Some(anchored)) = self.anchors.get(anchor) else {
            return Err(not_an_object(at, "Invalid value: an alias: must not stand for what contains it"));
        };
        if self.open.len().saturating_add(anchored.height) > MAX_DEPTH {
            return Err(too_deep(at));
        }
        self.copied = copied(self.copied, anchored.cost, at)?;
        let mut node = anchored.node.clone();
        node.place.at = at;
        Ok(node)
    }
}

/// What was copied, and one copy more.
fn copied(before: usize, cost: usize, at: Position) -> Result<usize, Error> {
    let sum = before.saturating_add(cost);
    if sum > MAX_COPIED {
        let message = format!("Too long: aliases may not copy more than {MAX_COPIED} bytes");
        return Err(Error::new(ErrorKind::TooLarge, Some(at), message));
    }
    Ok(sum)
}

fn written_twice(name: &str, at: Position, places: &[(String, Place)]) -> Error {
    let first = places.iter().find(|(other, _)| other == name).map_or(at, |(_, place)| place.at);
    not_an_object(at, format!("Duplicate value: {}: must be written once, and is at {first}", Value::from(name)))
}

fn not_an_object(at: Position, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotAnObject, Some(at), message)
}

fn too_deep(at: Position) -> Error {
    let message = format!("Too many: {}: must have at most {MAX_DEPTH} levels of nesting", MAX_DEPTH.saturating_add(1));
    Error::new(ErrorKind::TooLarge, Some(at), message)
}

/// A scalar by its tag, else by its style: only a plain one may be anything but a string.
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
    let right = format!("a !!{}", core_tag.unwrap_or_default());
    fits.then_some(value).ok_or_else(|| wrong(&Value::from(text), &right))
}

/// A key's name: JSON's keys are strings.
///
/// Upstream: sigs.k8s.io/yaml yaml.go convertToJSONableObject
fn key_name(node: &Node) -> Result<String, Error> {
    match &node.value {
        Value::String(name) => Ok(name.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(node.value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(not_an_object(node.place.at, wrong(&node.value, "a field's name")))
        }
    }
}

/// What `<<` may stand for: a mapping, or a list of them.
fn mappings(node: Node) -> Result<Vec<Node>, Error> {
    let at = node.place.at;
    let message = wrong(&node.value, "a map or a list of maps");
    let nodes = match (node.value, node.place.inside) {
        (Value::Array(items), Inside::List(places)) => {
            items.into_iter().zip(places).map(|(value, place)| Node { value, place }).collect()
        }
        (value, inside) => vec![Node { value, place: Place { at, inside } }],
    };
    if nodes.iter().all(|node| node.value.is_object()) { Ok(nodes) } else { Err(not_an_object(at, message)) }
}

/// Adds what the mapping does not say itself; of several merged mappings the first that says it counts.
fn merge(entries: &mut Map<String, Value>, places: &mut Vec<(String, Place)>, merged: Vec<Node>) {
    for node in merged {
        let (Value::Object(mut more), Inside::Map(more_places)) = (node.value, node.place.inside) else { continue };
        for (name, place) in more_places {
            if let (false, Some(value)) = (entries.contains_key(&name), more.remove(&name)) {
                entries.insert(name.clone(), value);
                places.push((name, place));
            }
        }
    }
}

/// What a copy of the value takes. Recursive, as the value is no deeper than [`MAX_DEPTH`].
fn cost(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(cost).fold(0, usize::saturating_add),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| key.len().saturating_add(cost(value))).fold(0, usize::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    inside.saturating_add(NODE_COST)
}

/// How many collections lie within one another, itself included.
fn height(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(height).max(),
        Value::Object(entries) => entries.values().map(height).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    inside.unwrap_or(0).saturating_add(1)
}
