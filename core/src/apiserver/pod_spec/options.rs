//! What an update still allows because the old object has it.

use serde_json::Value;

use super::deletion_cost;
use super::gates::container_restart_rules_in_use;
use crate::apiserver::internal_version::Printer;
use crate::apiserver::meta::selector;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{at, field, map};

/// What validation of a pod spec allows.
///
/// Upstream: `pkg/apis/core/validation/validation.go PodValidationOptions`
#[derive(Clone, Copy, Debug)]
pub(crate) struct PodValidationOptions {
    pub(crate) allow_container_restart_policy_rules: bool,
    pub(crate) allow_invalid_pod_deletion_cost: bool,
    /// The node's network together with user namespaces.
    pub(crate) allow_host_network_with_host_users: bool,
    /// In the selectors of DaemonSets and Jobs.
    pub(crate) allow_invalid_label_value_in_selector: bool,
    /// How messages show whole templates.
    pub(crate) printer: Printer,
}

impl PodValidationOptions {
    /// `old` is what an update replaces: a Pod or a pod template.
    ///
    /// Upstream: `pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta`
    pub(crate) fn new(old: Option<&Value>, gates: FeatureGates, printer: Printer) -> Self {
        let was_invalid = old.is_some_and(|old| {
            let annotations = field(old, "metadata").and_then(|metadata| map(metadata, "annotations"));
            let value = deletion_cost::annotation(annotations);
            deletion_cost::get_deletion_cost_from_pod_annotations(value).is_err()
        });
        Self {
            allow_container_restart_policy_rules: gates.enabled(Feature::ContainerRestartRules)
                || old.and_then(|old| field(old, "spec")).is_some_and(container_restart_rules_in_use),
            allow_invalid_pod_deletion_cost: was_invalid || !gates.enabled(Feature::PodDeletionCost),
            allow_host_network_with_host_users: gates.enabled(Feature::UserNamespacesHostNetworkSupport),
            allow_invalid_label_value_in_selector: false,
            printer,
        }
    }

    /// Allows what the old pod has.
    ///
    /// Upstream: `pkg/api/pod/util.go useAllowUserNamespacesHostNetworkSupport`
    pub(crate) fn with_host_network(self, old: Option<&Value>) -> Self {
        let spec = old.and_then(|old| field(old, "spec"));
        let allowed = spec.is_some_and(has_host_network_with_host_users);
        Self { allow_host_network_with_host_users: self.allow_host_network_with_host_users || allowed, ..self }
    }

    /// Allows what the old selectors have, those of the template included.
    ///
    /// Upstream: `pkg/registry/apps/daemonset/strategy.go ValidateUpdate`, `pkg/registry/batch/job/strategy.go
    /// validationOptionsForJob`
    pub(crate) fn with_selector(self, old: Option<&Value>) -> Self {
        let spec = old.and_then(|old| field(old, "spec")).unwrap_or(&Value::Null);
        let allowed = field(spec, "selector").is_some_and(selector::has_invalid_label_value)
            || at(spec, &["template", "spec", "affinity"]).is_some_and(selector::is_invalid_in_affinity);
        Self { allow_invalid_label_value_in_selector: allowed, ..self }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateHostUsers`, this part alone
pub(super) fn has_host_network_with_host_users(spec: &Value) -> bool {
    field(spec, "hostNetwork") == Some(&Value::Bool(true)) && field(spec, "hostUsers") == Some(&Value::Bool(false))
}
