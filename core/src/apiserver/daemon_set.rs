//! DaemonSet.

use alloc::string::String;

use serde_json::{Map, Value};

use super::value::{map_in, set_default, set_default_string};

/// Upstream: `pkg/apis/apps/v1/defaults.go SetDefaults_DaemonSet`, without the template
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    if let Some(strategy) = map_in(spec, "updateStrategy") {
        set_default_string(strategy, "type", "RollingUpdate");
        if strategy.get("type").and_then(Value::as_str) == Some("RollingUpdate")
            && let Some(rolling_update) = map_in(strategy, "rollingUpdate")
        {
            set_default(rolling_update, "maxUnavailable", 1);
            set_default(rolling_update, "maxSurge", 0);
        }
    }
    set_default(spec, "revisionHistoryLimit", 10);
}
