use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

use super::{Duration, Ready, Scenario, VERSION, decode};
use crate::Problem;

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// An unknown key, a wrong type or an unknown version, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        let version = value.get("version").unwrap_or(&Value::Null);
        if version.as_u64() != Some(u64::from(VERSION)) {
            return Err(Problem::new("version", format!("Invalid value: {version}: must be {VERSION}")));
        }
        let scenario: Self = decode(value, "")?;
        for (index, action) in scenario.actions.iter().enumerate() {
            let count = action.count();
            if count != 1 {
                let path = format!("actions[{index}]");
                return Err(Problem::new(path, format!("has {count} actions: must have exactly one beside at")));
            }
        }
        Ok(scenario)
    }
}

impl super::Action {
    /// How many actions are given; exactly one is right.
    fn count(&self) -> usize {
        [
            self.create.is_some(),
            self.apply.is_some(),
            self.scale.is_some(),
            self.set_template.is_some(),
            self.annotate.is_some(),
            self.pause.is_some(),
            self.resume.is_some(),
            self.undo.is_some(),
            self.delete.is_some(),
            self.evict.is_some(),
            self.feature_gates.is_some(),
            self.lose_node.is_some(),
            self.return_node.is_some(),
            self.delete_node.is_some(),
            self.taint_out_of_service.is_some(),
            self.untaint_out_of_service.is_some(),
        ]
        .into_iter()
        .filter(|given| *given)
        .count()
    }
}

impl Serialize for Ready {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::After(duration) => duration.serialize(serializer),
            Self::Never => serializer.serialize_str("never"),
        }
    }
}

impl<'de> Deserialize<'de> for Ready {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "never" {
            return Ok(Self::Never);
        }
        Duration::parse(&text)
            .map(Self::After)
            .ok_or_else(|| D::Error::custom(format!("must be a duration like 90s, or never, not {text:?}")))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ready {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Ready".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A duration like 5s, or never.",
            "examples": ["5s", "never"],
        })
    }
}
