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
        let scenario: Self = decode(value, "")?;
        for (index, action) in scenario.actions.iter().enumerate() {
            let count = action.count();
            if count != 1 {
                let path = format!("actions[{index}]");
                return Err(Problem::new(
                    path,
                    format!("Invalid value: {count} actions: must be exactly one beside at"),
                ));
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
            self.cordon.is_some(),
            self.uncordon.is_some(),
            self.drain.is_some(),
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
