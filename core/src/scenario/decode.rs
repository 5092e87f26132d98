//! A JSON value to a type, with the path of what is wrong. serde_path_to_error does the same by wrapping every visitor of
//! another deserializer, which makes 150 kB more code than this one, which knows where it is.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor, value::BorrowedStrDeserializer,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};

use crate::Problem;

/// Reads a value of a known shape below `root`.
///
/// # Errors
/// One sentence with the field's path, its value and what would be right.
pub fn decode<'de, T: Deserialize<'de>>(value: &'de Value, root: &str) -> Result<T, Problem> {
    let path = Path::Root(root);
    T::deserialize(Decoder { value, path: &path }).map_err(|error| error.at(&path).problem())
}

/// Where the decoder is.
enum Path<'a> {
    Root(&'a str),
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(root) => f.write_str(root),
            Self::Key(Path::Root(""), key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// What is wrong, and where once that is known. In a box, so that results stay small.
#[derive(Debug)]
struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    path: Option<String>,
    message: String,
}

impl Error {
    fn new(message: String) -> Self {
        Self(Box::new(Inner { path: None, message }))
    }

    /// The innermost place that sees an error is where it is.
    fn at(mut self, path: &Path<'_>) -> Self {
        if self.0.path.is_none() {
            self.0.path = Some(path.to_string());
        }
        self
    }

    fn problem(self) -> Problem {
        Problem::new(self.0.path.unwrap_or_default(), self.0.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl core::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(in_our_words(message.to_string()))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_value(unexpected, expected)
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let value = match unexpected {
            Unexpected::Bool(value) => value.to_string(),
            Unexpected::Unsigned(value) => value.to_string(),
            Unexpected::Signed(value) => value.to_string(),
            Unexpected::Float(value) => Number::from_f64(value).map_or_else(String::new, |number| number.to_string()),
            Unexpected::Str(value) => format!("{value:?}"),
            Unexpected::Unit | Unexpected::Option => String::from("null"),
            Unexpected::Seq => String::from("a list"),
            _ => String::from("a map"),
        };
        Self::new(format!("Invalid value: {value}: must be {}", right(&expected.to_string())))
    }
}

/// serde's names of Rust's types, in words that do not ask the reader to know Rust.
fn right(expected: &str) -> &str {
    match expected {
        "i32" => "a 32bit integer",
        "i64" => "a 64bit integer",
        "u32" => "a 32bit integer, not negative",
        "u64" => "a 64bit integer, not negative",
        other => other,
    }
}

/// serde's own messages (an unknown field, a missing one): what is, then what would be right.
fn in_our_words(message: String) -> String {
    match message.rsplit_once(", expected ") {
        Some((what, expected)) => format!("{what}: must be {}", right(expected)),
        None => message,
    }
}

/// The value at a place.
#[derive(Clone, Copy)]
struct Decoder<'a, 'de> {
    value: &'de Value,
    path: &'a Path<'a>,
}

impl Decoder<'_, '_> {
    fn unexpected(self, expected: &dyn Expected) -> Error {
        let unexpected = match self.value {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => Unexpected::Unsigned(value),
                (None, Some(value)) => Unexpected::Signed(value),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(value) => Unexpected::Str(value),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        de::Error::invalid_type(unexpected, expected)
    }
}

impl<'de> Decoder<'_, 'de> {
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Number(number) => visit_number(number, visitor),
            _ => Err(self.unexpected(&visitor)),
        }
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64()) {
        (Some(value), _) => visitor.visit_u64(value),
        (None, Some(value)) => visitor.visit_i64(value),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
    }
}

impl<'de> de::Deserializer<'de> for Decoder<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(value) => visitor.visit_borrowed_str(value),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    forward_to_deserialize_any! { i8 i16 i128 u8 u16 u128 f32 f64 char bytes byte_buf identifier }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.number(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::String(value) => visitor.visit_borrowed_str(value),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_unit() } else { Err(self.unexpected(&visitor)) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(values) => visitor.visit_seq(Items { values: values.iter(), index: 0, path: self.path }),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(map) => visitor.visit_map(Entries { entries: map.iter(), last: None, path: self.path }),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value {
            Value::String(name) => visitor.visit_enum(Choice { name, content: None, path: self.path }),
            Value::Object(map) => match single(map) {
                Some((name, value)) => visitor.visit_enum(Choice { name, content: Some(value), path: self.path }),
                None => Err(self.unexpected(&"a map with one key")),
            },
            _ => Err(self.unexpected(&"a string")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

fn single(map: &Map<String, Value>) -> Option<(&String, &Value)> {
    map.iter().next().filter(|_| map.len() == 1)
}

struct Items<'a, 'de> {
    values: core::slice::Iter<'de, Value>,
    index: usize,
    path: &'a Path<'a>,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.values.next() else { return Ok(None) };
        let path = Path::Index(self.path, self.index);
        self.index = self.index.saturating_add(1);
        seed.deserialize(Decoder { value, path: &path }).map(Some).map_err(|error| error.at(&path))
    }
}

struct Entries<'a, 'de> {
    entries: serde_json::map::Iter<'de>,
    last: Option<(&'de String, &'de Value)>,
    path: &'a Path<'a>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.last = self.entries.next();
        let Some((key, _)) = self.last else { return Ok(None) };
        let key_error = |error: Error| error.at(&Path::Key(self.path, key));
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some).map_err(key_error)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        // serde asks for a value only after a key.
        let Some((key, value)) = self.last else { return Err(de::Error::custom("has a value without a key")) };
        let path = Path::Key(self.path, key);
        seed.deserialize(Decoder { value, path: &path }).map_err(|error| error.at(&path))
    }
}

/// A variant's name, and what it holds.
struct Choice<'a, 'de> {
    name: &'de str,
    content: Option<&'de Value>,
    path: &'a Path<'a>,
}

impl<'de> EnumAccess<'de> for Choice<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.name))?;
        Ok((variant, self))
    }
}

impl<'de> Choice<'_, 'de> {
    fn content<T>(&self, read: impl FnOnce(Decoder<'_, 'de>) -> Result<T, Error>) -> Result<T, Error> {
        let path = Path::Key(self.path, self.name);
        let value = self.content.unwrap_or(&Value::Null);
        read(Decoder { value, path: &path }).map_err(|error| error.at(&path))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.content(|content| <()>::deserialize(content))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.content(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.content(|content| de::Deserializer::deserialize_seq(content, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.content(|content| de::Deserializer::deserialize_map(content, visitor))
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::decode;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Outer {
        count: i32,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        map: BTreeMap<String, Option<u32>>,
        #[serde(default)]
        choice: Option<Choice>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Choice {
        Plain,
        Holds(bool),
    }

    fn problem(value: &Value) -> String {
        decode::<Outer>(value, "root").unwrap_err().to_string()
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let value = json!({
            "count": -3,
            "inner": [{"name": "a", "other": [1, 2.5, null, {"x": true}]}],
            "map": {"a": 1, "b": null},
            "choice": {"holds": true},
        });
        let expected: Outer = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(decode::<Outer>(&value, "").unwrap(), expected);
        let plain = decode::<Outer>(&json!({"count": 1, "choice": "plain"}), "").unwrap();
        assert_eq!(plain.choice, Some(Choice::Plain));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        for (value, expected) in [
            (json!({"count": "abc"}), "root.count: Invalid value: \"abc\": must be a 32bit integer"),
            (
                json!({"count": 1_099_511_627_776_u64}),
                "root.count: Invalid value: 1099511627776: must be a 32bit integer",
            ),
            (json!({"count": 1.5}), "root.count: Invalid value: 1.5: must be a 32bit integer"),
            (json!({"count": null}), "root.count: Invalid value: null: must be a 32bit integer"),
            (json!({"count": 1, "inner": [{"name": 5}]}), "root.inner[0].name: Invalid value: 5: must be a string"),
            (json!({"count": 1, "inner": {}}), "root.inner: Invalid value: a map: must be a sequence"),
            (
                json!({"count": 1, "map": {"a": -1}}),
                "root.map.a: Invalid value: -1: must be a 32bit integer, not negative",
            ),
            (json!({"count": 1, "choice": {"holds": 1}}), "root.choice.holds: Invalid value: 1: must be a boolean"),
            (json!({"count": 1, "choice": []}), "root.choice: Invalid value: a list: must be a string"),
            (json!({}), "root: missing field `count`"),
            (json!([]), "root: Invalid value: a list: must be struct Outer"),
        ] {
            assert_eq!(problem(&value), expected);
        }
        let unknown = problem(&json!({"count": 1, "cuont": 2}));
        assert_eq!(unknown, "root.cuont: unknown field `cuont`: must be one of `count`, `inner`, `map`, `choice`");
    }
}
