//! The user's texts.

use std::ops::Deref;
use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::json::{FromJson, Path, ToJson};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A user's text, which may be megabytes long. Its clones share it, and comparing them doesn't read it, unlike with an `Rc<str>`.
/// The page compares what the user set many times for each frame.
#[derive(Clone, Debug, Default, Eq)]
pub struct LargeText(Rc<str>);

impl PartialEq for LargeText {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Deref for LargeText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for LargeText {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for LargeText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl Serialize for LargeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for LargeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl ToJson for LargeText {
    fn to_json(&self) -> Value {
        self.0.to_json()
    }

    fn is_empty(&self) -> bool {
        str::is_empty(self)
    }
}

impl FromJson for LargeText {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        self.0.read(value, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_if_they_say_the_same() {
        let text = LargeText::from("kind: Pod");
        assert_eq!(text, text.clone());
        assert_eq!(text, LargeText::from(String::from("kind: Pod")));
        assert_ne!(text, LargeText::from("kind: Job"));
    }
}
