//! The limits for which the user asks settings, as they are typed.

use changeover_core::json::{FromJson, ToJson};
use serde_json::{Map, Value};

use crate::settings::{typed_duration, typed_value};

/// A limit that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The most pods.
    MaxPods,
    /// The fewest available pods.
    MinAvailable,
    /// The longest time.
    Within,
    /// The pods that a quota allows.
    QuotaPods,
}

/// The limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AskedLimits {
    /// The most pods.
    #[json(omitempty)]
    pub max_pods: String,
    /// The fewest available pods.
    #[json(omitempty)]
    pub min_available: String,
    /// The longest time.
    #[json(omitempty)]
    pub within: String,
    /// The pods that a quota allows.
    #[json(omitempty)]
    pub quota_pods: String,
    /// Whether the quotas of the cluster are limits.
    #[json(omitempty)]
    pub fits_quotas: bool,
}

impl AskedLimits {
    /// What is typed.
    pub fn text(&self, limit: Limit) -> &str {
        match limit {
            Limit::MaxPods => &self.max_pods,
            Limit::MinAvailable => &self.min_available,
            Limit::Within => &self.within,
            Limit::QuotaPods => &self.quota_pods,
        }
    }

    /// The limits with another text.
    #[must_use]
    pub fn with_text(&self, limit: Limit, text: String) -> Self {
        let mut limits = self.clone();
        match limit {
            Limit::MaxPods => limits.max_pods = text,
            Limit::MinAvailable => limits.min_available = text,
            Limit::Within => limits.within = text,
            Limit::QuotaPods => limits.quota_pods = text,
        }
        limits
    }

    /// The limits as core reads constraints, without the typed quota.
    pub fn constraints(&self) -> Value {
        let [most, least, within] = [&self.max_pods, &self.min_available, &self.within].map(|text| text.trim());
        let typed = [
            ("maxPods", most, typed_value(most)),
            ("minAvailable", least, typed_value(least)),
            ("within", within, Value::from(typed_duration(within))),
        ];
        let typed = typed.into_iter().filter(|(_, text, _)| !str::is_empty(text));
        let quotas = self.fits_quotas.then_some(("quotas", Value::Bool(true)));
        let all = typed.map(|(key, _, value)| (key, value)).chain(quotas);
        Value::Object(all.map(|(key, value)| (String::from(key), value)).collect::<Map<_, _>>())
    }

    /// The limits that each run of a rollout is checked for, as [`Self::constraints`]; null for none, not even a typed quota.
    pub fn constraints_of_runs(&self) -> Value {
        let constraints = self.constraints();
        let is_empty = constraints.as_object().is_some_and(Map::is_empty) && self.quota().is_none();
        if is_empty { Value::Null } else { constraints }
    }

    /// The pods that the typed quota allows.
    pub fn quota(&self) -> Option<Value> {
        Some(self.quota_pods.trim()).filter(|text| !str::is_empty(text)).map(typed_value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_typed_is_a_constraint() {
        let typed =
            [(Limit::MaxPods, " 16 "), (Limit::MinAvailable, "x"), (Limit::Within, "90"), (Limit::QuotaPods, "20")];
        let limits = typed.iter().fold(AskedLimits::default(), |limits, (limit, text)| {
            let limits = limits.with_text(*limit, String::from(*text));
            assert_eq!(limits.text(*limit), *text);
            limits
        });
        assert_eq!(limits.constraints(), json!({ "maxPods": 16, "minAvailable": "x", "within": "90s" }));
        assert_eq!(limits.quota(), Some(json!(20)));
        let quotas = AskedLimits { fits_quotas: true, ..AskedLimits::default() };
        assert_eq!((quotas.constraints(), quotas.quota()), (json!({ "quotas": true }), None));
        assert_eq!(AskedLimits::default().constraints(), json!({}));
    }

    #[test]
    fn runs_are_checked_for_all_limits() {
        let quotas = AskedLimits { fits_quotas: true, ..AskedLimits::default() };
        assert_eq!(quotas.constraints_of_runs(), json!({ "quotas": true }));
        let quota = AskedLimits { quota_pods: "20".into(), ..AskedLimits::default() };
        assert_eq!((quota.constraints_of_runs(), quota.quota()), (json!({}), Some(json!(20))));
        assert_eq!(AskedLimits::default().constraints_of_runs(), Value::Null);
    }
}
