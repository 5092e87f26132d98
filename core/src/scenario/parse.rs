use alloc::format;

use serde_json::Value;

use super::{Duration, Ready, Scenario, VERSION};
use crate::Problem;
use crate::json::{FromJson, Path, ToJson, decode, wrong};

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
        decode(value, "")
    }
}

impl ToJson for Ready {
    fn to_json(&self) -> Value {
        match self {
            Self::After(duration) => duration.to_json(),
            Self::Never => "never".into(),
        }
    }
}

impl FromJson for Ready {
    fn blank() -> Self {
        Self::Never
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let text = value.as_str().unwrap_or_default();
        *self = match Duration::parse(text) {
            Some(duration) => Self::After(duration),
            None if text == "never" => Self::Never,
            None => return Err(wrong(value, path, "a duration like 90s, or never")),
        };
        Ok(())
    }
}

// For the default in the JSON Schema.
#[cfg(feature = "schema")]
impl serde::Serialize for Ready {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::serialize(self, serializer)
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
