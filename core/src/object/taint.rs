use alloc::string::String;
use core::fmt;

use crate::json::{FromJson, ToJson};

/// Upstream: `k8s.io/api/core/v1/types.go Taint`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Taint {
    /// The taint's key.
    pub key: String,
    /// The taint's value; absent if it has none.
    #[json(omitempty)]
    pub value: String,
    /// NoSchedule, PreferNoSchedule or NoExecute.
    pub effect: String,
}

impl Taint {
    /// A taint without a value.
    pub fn new(key: &str, effect: &str) -> Self {
        Self { key: key.into(), value: String::new(), effect: effect.into() }
    }
}

/// As kubectl writes it: `dedicated=gpu:NoSchedule`.
impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, value, effect } = self;
        match value.as_str() {
            "" => write!(f, "{key}:{effect}"),
            value => write!(f, "{key}={value}:{effect}"),
        }
    }
}
