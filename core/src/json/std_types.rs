//! Numbers, strings, lists and maps: what the fields of types are made of.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use litemap::LiteMap;
use serde_json::{Map, Value};

use super::decode::{FromJson, must_be};
use super::encode::ToJson;
use crate::path::Path;
use crate::problem::Problem;

/// Reads a whole number that fits the type.
fn integer<T: TryFrom<i64>>(value: &Value, path: &Path<'_>, right: &str) -> Result<T, Problem> {
    let number = value.as_i64().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| must_be(value, path, right))
}

fn text<'a>(value: &'a Value, path: &Path<'_>) -> Result<&'a str, Problem> {
    value.as_str().ok_or_else(|| must_be(value, path, "a string"))
}

impl ToJson for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }

    fn is_empty(&self) -> bool {
        !self
    }
}

impl FromJson for bool {
    fn empty() -> Self {
        false
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = value.as_bool().ok_or_else(|| must_be(value, path, "true or false"))?;
        Ok(())
    }
}

impl ToJson for i32 {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }

    fn is_empty(&self) -> bool {
        *self == 0
    }
}

impl FromJson for i32 {
    fn empty() -> Self {
        0
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = integer(value, path, "a 32bit integer")?;
        Ok(())
    }
}

impl ToJson for i64 {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }

    fn is_empty(&self) -> bool {
        *self == 0
    }
}

impl FromJson for i64 {
    fn empty() -> Self {
        0
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = integer(value, path, "a 64bit integer")?;
        Ok(())
    }
}

impl ToJson for u16 {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}

impl FromJson for u16 {
    fn empty() -> Self {
        0
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = integer(value, path, "a 16bit integer, not negative")?;
        Ok(())
    }
}

impl ToJson for u32 {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}

impl FromJson for u32 {
    fn empty() -> Self {
        0
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = integer(value, path, "a 32bit integer, not negative")?;
        Ok(())
    }
}

impl ToJson for u64 {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}

impl FromJson for u64 {
    fn empty() -> Self {
        0
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = value.as_u64().ok_or_else(|| must_be(value, path, "a 64bit integer, not negative"))?;
        Ok(())
    }
}

impl ToJson for usize {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}

impl ToJson for String {
    fn to_json(&self) -> Value {
        Value::from(self.as_str())
    }

    fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }
}

impl FromJson for String {
    fn empty() -> Self {
        Self::new()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = text(value, path)?.into();
        Ok(())
    }
}

impl ToJson for &'static str {
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
}

impl ToJson for Cow<'_, str> {
    fn to_json(&self) -> Value {
        Value::from(&**self)
    }
}

impl ToJson for Rc<str> {
    fn to_json(&self) -> Value {
        Value::from(&**self)
    }

    fn is_empty(&self) -> bool {
        str::is_empty(self)
    }
}

impl FromJson for Rc<str> {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = text(value, path)?.into();
        Ok(())
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }

    fn is_empty(&self) -> bool {
        self.is_null()
    }
}

impl FromJson for Value {
    fn empty() -> Self {
        Self::Null
    }

    fn read(&mut self, value: &Value, _: &Path<'_>) -> Result<(), Problem> {
        *self = value.clone();
        Ok(())
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToJson::to_json)
    }

    fn is_empty(&self) -> bool {
        self.is_none()
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn empty() -> Self {
        None
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        *self = None;
        if !value.is_null() {
            self.insert(T::empty()).read(value, path)?;
        }
        Ok(())
    }
}

impl<T: ToJson> ToJson for Rc<T> {
    fn to_json(&self) -> Value {
        T::to_json(self)
    }

    fn is_empty(&self) -> bool {
        T::is_empty(self)
    }
}

impl<T: FromJson + Clone> FromJson for Rc<T> {
    fn empty() -> Self {
        Self::new(T::empty())
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        Self::make_mut(self).read(value, path)
    }
}

impl<T: ToJson> ToJson for &T {
    fn to_json(&self) -> Value {
        T::to_json(self)
    }

    fn is_empty(&self) -> bool {
        T::is_empty(self)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        Value::Array(self.iter().map(ToJson::to_json).collect())
    }

    fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn empty() -> Self {
        Self::new()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let Value::Array(values) = value else { return Err(must_be(value, path, "a list")) };
        self.clear();
        for (index, value) in values.iter().enumerate() {
            let mut item = T::empty();
            item.read(value, &path.index(index))?;
            self.push(item);
        }
        Ok(())
    }
}

impl<T: ToJson> ToJson for LiteMap<String, T> {
    fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (key, value) in self {
            map.insert(key.clone(), value.to_json());
        }
        Value::Object(map)
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

impl<T: FromJson> FromJson for LiteMap<String, T> {
    fn empty() -> Self {
        Self::new()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        self.clear();
        for (key, value) in map {
            let mut item = T::empty();
            item.read(value, &path.child(key))?;
            self.insert(key.clone(), item);
        }
        Ok(())
    }
}

impl ToJson for Map<String, Value> {
    fn to_json(&self) -> Value {
        Value::Object(self.clone())
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }
}

impl FromJson for Map<String, Value> {
    fn empty() -> Self {
        Self::new()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        self.clone_from(map);
        Ok(())
    }
}
