use alloc::rc::Rc;
use alloc::string::String;

use serde_json::{Map, Value};

use crate::json::{FromJson, Path, Problem, ToJson, must_be};

/// The fields of an object that the core does not read, kept so that an object comes out as it went in.
/// Costs nothing where there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unknown(Option<Rc<Map<String, Value>>>);

impl Unknown {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// These fields with one more, or with another value of it.
    #[must_use]
    pub fn with(&self, name: &str, value: impl Into<Value>) -> Self {
        let mut map = self.0.as_deref().cloned().unwrap_or_default();
        map.insert(name.into(), value.into());
        map.into()
    }

    /// These fields, in the memory of the others if they are equal.
    #[must_use]
    pub fn shared_with(self, others: &Self) -> Self {
        if self == *others { others.clone() } else { self }
    }

    /// The fields in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().flat_map(|map| map.iter())
    }
}

impl From<Map<String, Value>> for Unknown {
    fn from(map: Map<String, Value>) -> Self {
        Self(if map.is_empty() { None } else { Some(Rc::new(map)) })
    }
}

impl ToJson for Unknown {
    fn to_json(&self) -> Value {
        Value::Object(self.0.as_deref().cloned().unwrap_or_default())
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl FromJson for Unknown {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let Value::Object(map) = value else { return Err(must_be(value, path, "a map")) };
        self.0 = if map.is_empty() { None } else { Some(Rc::new(map.clone())) };
        Ok(())
    }
}
