//! The texts of documents, whose positions are looked up only when they are asked for: a fleet has millions of fields.

use core::cell::{Cell, OnceCell};
use core::fmt;
use std::borrow::Cow;
use std::rc::Rc;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::Position;
use crate::composer::{MAX_DEPTH, Syntax, compose};
use crate::position::{Children, PositionTree};

/// A JSON value.
#[derive(Debug)]
pub(crate) struct JsonValue {
    pub(crate) value: Value,
    /// Whether there is nothing to say about it as YAML: no key appears twice, and it is not nested too deeply.
    pub(crate) is_plain: bool,
}

/// The text of a document that begins at a position.
#[derive(Debug)]
pub(crate) struct DocumentText {
    text: String,
    syntax: Syntax,
    start: Position,
    positions: OnceCell<PositionTree>,
}

/// The positions of a document.
#[derive(Clone, Debug)]
pub(crate) enum Positions {
    /// It was not read from a text.
    Unknown,
    /// Those of a text, or of one of the items of the list that it is.
    Text(Rc<DocumentText>, Option<usize>),
}

impl Positions {
    /// Those of a text.
    pub(crate) fn of(text: &str, syntax: Syntax, start: Position) -> Self {
        let text = DocumentText { text: text.to_owned(), syntax, start, positions: OnceCell::new() };
        Self::Text(Rc::new(text), None)
    }

    /// The position of a field, or of the nearest field around it.
    pub(crate) fn nearest(&self, path: &str) -> Position {
        match self {
            Self::Unknown => Position { line: 1, column: 1 },
            Self::Text(text, None) => text.positions().nearest(path),
            Self::Text(text, Some(index)) => {
                let tree = text.positions();
                let item = tree.child("items").and_then(|items| items.child(&index.to_string()));
                item.map_or(tree.position, |item| item.nearest(path))
            }
        }
    }

    /// The positions of an item of the list that this is.
    pub(crate) fn item(&self, index: usize) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Text(text, _) => Self::Text(text.clone(), Some(index)),
        }
    }
}

impl DocumentText {
    /// The positions that the value has as YAML.
    fn positions(&self) -> &PositionTree {
        self.positions.get_or_init(|| {
            let text = match self.syntax {
                Syntax::Json => Cow::Owned(as_yaml(&self.text)),
                Syntax::Yaml => Cow::Borrowed(self.text.as_str()),
            };
            let node = compose(&text, self.syntax, self.start, &mut Vec::new(), &mut |_| {});
            let unknown = || PositionTree { position: self.start, children: Children::Scalar };
            node.ok().flatten().map_or_else(unknown, |node| node.positions)
        })
    }
}

/// The YAML parser rejects surrogate pairs, which JSON allows, so it gets a text with other characters of the same width.
pub(crate) fn as_yaml(json: &str) -> String {
    json.replace("\\ud", "\\u0").replace("\\uD", "\\u0")
}

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_plain = Cell::new(true);
        let value = Reader { depth: 0, is_plain: &is_plain }.deserialize(deserializer)?;
        Ok(Self { value, is_plain: is_plain.get() })
    }
}

/// Reads a value as serde_json does.
#[derive(Clone, Copy)]
struct Reader<'a> {
    depth: usize,
    is_plain: &'a Cell<bool>,
}

impl Reader<'_> {
    /// For the values in this one.
    fn below(self) -> Self {
        let depth = self.depth.saturating_add(1);
        if depth >= MAX_DEPTH {
            self.is_plain.set(false);
        }
        Self { depth, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let below = self.below();
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(below)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let below = self.below();
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(below)?;
            if entries.insert(key, value).is_some() {
                self.is_plain.set(false);
            }
        }
        Ok(Value::Object(entries))
    }
}
