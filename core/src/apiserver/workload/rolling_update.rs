//! Strategies with maxUnavailable and maxSurge, which Deployments and DaemonSets have.

use alloc::format;
use alloc::string::String;

use serde_json::Value;

use crate::apiserver::validation::{int_or_string, printed};
use crate::go;

/// A strategy as the API server's error prints it: a struct of the internal version, which has no JSON names.
pub(crate) fn printed_strategy(type_: &str, rolling_update: Option<&Value>) -> String {
    let inner = rolling_update.map_or_else(
        || "null".into(),
        |value| {
            let unavailable = printed(&int_or_string(value, "maxUnavailable"));
            let surge = printed(&int_or_string(value, "maxSurge"));
            format!("{{\"MaxUnavailable\":{unavailable},\"MaxSurge\":{surge}}}")
        },
    );
    format!("{{\"Type\":{},\"RollingUpdate\":{inner}}}", go::json_string(type_))
}
