use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The fields of an object that the core does not read, kept so that an object comes out as it went in.
/// Costs nothing where there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown(Option<Rc<BTreeMap<String, Value>>>);

impl Unknown {
    /// The field of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// The fields in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().flat_map(|map| map.iter())
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Unknown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, Value>::deserialize(deserializer)?;
        Ok(Self(if map.is_empty() { None } else { Some(Rc::new(map)) }))
    }
}
