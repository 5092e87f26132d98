//! StatefulSet.

use alloc::string::String;

use serde_json::{Map, Value};

use super::value::{map_in, set_default, set_default_string};
use crate::feature_gates::{Feature, FeatureGates};

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_StatefulSet`, without the template
pub(super) fn set_defaults(spec: &mut Map<String, Value>, gates: FeatureGates) {
    set_default_string(spec, "podManagementPolicy", "OrderedReady");
    if let Some(strategy) = map_in(spec, "updateStrategy") {
        if strategy.get("type").and_then(Value::as_str).unwrap_or_default().is_empty() {
            set_default_string(strategy, "type", "RollingUpdate");
            set_default(strategy, "rollingUpdate", Map::new());
        }
        if strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate")
            && let Some(rolling_update) = strategy.get_mut("rollingUpdate").and_then(Value::as_object_mut)
        {
            set_default(rolling_update, "partition", 0);
            if gates.enabled(Feature::MaxUnavailableStatefulSet) {
                set_default(rolling_update, "maxUnavailable", 1);
            }
        }
    }
    if let Some(policy) = map_in(spec, "persistentVolumeClaimRetentionPolicy") {
        set_default_string(policy, "whenDeleted", "Retain");
        set_default_string(policy, "whenScaled", "Retain");
    }
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
}
