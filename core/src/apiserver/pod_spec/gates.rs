//! What feature gates take away from a pod spec.

use serde_json::Value;

use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{field, list, string};

/// Drops what bears on restarts while its gate is off, unless the old pod spec uses it.
/// Upstream: `pkg/api/pod/util.go dropDisabledFields`, the part about ContainerRestartRules
pub(crate) fn drop_disabled_fields(spec: &mut Value, old: Option<&Value>, gates: FeatureGates) {
    if gates.enabled(Feature::ContainerRestartRules) || old.is_some_and(container_restart_rules_in_use) {
        return;
    }
    for key in ["initContainers", "containers", "ephemeralContainers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            let is_sidecar = key == "initContainers" && string(container, "restartPolicy") == "Always";
            if let Some(container) = container.as_object_mut() {
                container.remove("restartPolicyRules");
                if !is_sidecar {
                    container.remove("restartPolicy");
                }
            }
        }
    }
}

/// Upstream: `pkg/api/pod/util.go containerRestartRulesInUse`
pub(super) fn container_restart_rules_in_use(spec: &Value) -> bool {
    let states = |container: &Value| field(container, "restartPolicy").is_some();
    let uses = |container: &Value| {
        let is_sidecar = string(container, "restartPolicy") == "Always";
        (states(container) && !is_sidecar) || !list(container, "restartPolicyRules").is_empty()
    };
    list(spec, "initContainers").iter().any(uses) || list(spec, "containers").iter().any(states)
}
