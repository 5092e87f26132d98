use alloc::format;
use alloc::string::{String, ToString};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

use super::{Duration, Ready, Scenario, VERSION};
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
        ]
        .into_iter()
        .filter(|given| *given)
        .count()
    }
}

/// Reads a value of a known shape below `root`.
///
/// # Errors
/// One sentence with the field's path, its value and what would be right.
pub fn decode<T: DeserializeOwned>(value: &Value, root: &str) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let inner = if inner == "." { String::new() } else { inner };
        let path = match (root.is_empty(), inner.is_empty()) {
            (true, _) => inner,
            (false, true) => root.to_string(),
            (false, false) => format!("{root}.{inner}"),
        };
        Problem::new(path, in_our_words(&error.into_inner().to_string()))
    })
}

/// serde's message, as the API server would say it: the value, then what would be right.
fn in_our_words(message: &str) -> String {
    let Some((what, expected)) = message.rsplit_once(", expected ") else { return message.to_string() };
    let right = match expected {
        "i32" => "a 32bit integer",
        "i64" => "a 64bit integer",
        "u32" => "a 32bit integer, not negative",
        "u64" => "a 64bit integer, not negative",
        other => other,
    };
    let value = ["invalid type: ", "invalid value: "].into_iter().find_map(|prefix| what.strip_prefix(prefix));
    match value {
        // `string "abc"`, `integer `5``
        Some(value) => {
            let value = value.split_once(' ').map_or(value, |(_, literal)| literal).trim_matches('`');
            format!("Invalid value: {value}: must be {right}")
        }
        None => format!("{what}: must be {right}"),
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
