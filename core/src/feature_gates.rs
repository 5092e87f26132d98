//! Feature gates with their defaults in Kubernetes 1.37: those that change what this crate decides.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::go;
use crate::problem::Problem;
use crate::problem::shortened;

/// A gate that changes what this crate decides.
///
/// 1.37 no longer has `JobPodReplacementPolicy` and `LogarithmicScaleDown`, and `JobManagedBy` has been locked since 1.35: what
/// they guard is always on. They can still be turned off here, as in the older releases where that was possible: KEP-3939
/// and KEP-2185 say what happens then, and KEP-3939's end of a Job also depends on `JobManagedBy`.
///
/// Upstream: `pkg/features/kube_features.go`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are Kubernetes' own, and it documents them")]
pub enum Feature {
    ClearingNominatedNodeNameAfterBinding,
    ContainerRestartRules,
    DeploymentPodReplacementPolicy,
    DeploymentReplicaSetTerminatingReplicas,
    JobManagedBy,
    JobPodReplacementPolicy,
    LogarithmicScaleDown,
    MaxUnavailableStatefulSet,
    MutablePodResourcesForSuspendedJobs,
    MutableSchedulingDirectivesForSuspendedJobs,
    PodDeletionCost,
    StaleControllerConsistencyDaemonSet,
    StaleControllerConsistencyJob,
    StaleControllerConsistencyReplicaSet,
    StaleControllerConsistencyStatefulSet,
    StatefulSetRecreateStrategy,
    StatefulSetSemanticRevisionComparison,
    UserNamespacesHostNetworkSupport,
}

/// Every gate, its name and whether Kubernetes 1.37 has it on, in the order of [`Feature`].
const FEATURES: [(Feature, &str, bool); 18] = [
    (Feature::ClearingNominatedNodeNameAfterBinding, "ClearingNominatedNodeNameAfterBinding", true),
    (Feature::ContainerRestartRules, "ContainerRestartRules", true),
    // KEP-5882: in no release yet.
    (Feature::DeploymentPodReplacementPolicy, "DeploymentPodReplacementPolicy", false),
    (Feature::DeploymentReplicaSetTerminatingReplicas, "DeploymentReplicaSetTerminatingReplicas", true),
    (Feature::JobManagedBy, "JobManagedBy", true),
    (Feature::JobPodReplacementPolicy, "JobPodReplacementPolicy", true),
    (Feature::LogarithmicScaleDown, "LogarithmicScaleDown", true),
    (Feature::MaxUnavailableStatefulSet, "MaxUnavailableStatefulSet", true),
    (Feature::MutablePodResourcesForSuspendedJobs, "MutablePodResourcesForSuspendedJobs", true),
    (Feature::MutableSchedulingDirectivesForSuspendedJobs, "MutableSchedulingDirectivesForSuspendedJobs", true),
    (Feature::PodDeletionCost, "PodDeletionCost", true),
    (Feature::StaleControllerConsistencyDaemonSet, "StaleControllerConsistencyDaemonSet", true),
    (Feature::StaleControllerConsistencyJob, "StaleControllerConsistencyJob", true),
    (Feature::StaleControllerConsistencyReplicaSet, "StaleControllerConsistencyReplicaSet", true),
    (Feature::StaleControllerConsistencyStatefulSet, "StaleControllerConsistencyStatefulSet", true),
    (Feature::StatefulSetRecreateStrategy, "StatefulSetRecreateStrategy", false),
    (Feature::StatefulSetSemanticRevisionComparison, "StatefulSetSemanticRevisionComparison", true),
    (Feature::UserNamespacesHostNetworkSupport, "UserNamespacesHostNetworkSupport", false),
];

/// The gates that a gate needs in the same component, of those that matter here. 1.37's need none; the first is KEP-5882's.
///
/// Upstream: `pkg/features/kube_features.go defaultKubernetesFeatureGateDependencies`
const DEPENDENCIES: [(Feature, &[Feature]); 1] =
    [(Feature::DeploymentPodReplacementPolicy, &[Feature::DeploymentReplicaSetTerminatingReplicas])];

impl Feature {
    /// All gates, sorted by name.
    pub fn all() -> impl Iterator<Item = Self> {
        FEATURES.iter().map(|(feature, ..)| *feature)
    }

    /// The gate of this name, if it is one of those that matter here.
    pub fn from_name(name: &str) -> Option<Self> {
        FEATURES.iter().find(|(_, known, _)| *known == name).map(|(feature, ..)| *feature)
    }

    /// Kubernetes' name of the gate.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |(_, name, _)| name)
    }

    /// Whether it is on by default in Kubernetes 1.37.
    pub fn default_in_1_37(self) -> bool {
        self.row().is_some_and(|(.., default)| *default)
    }

    fn row(self) -> Option<&'static (Self, &'static str, bool)> {
        FEATURES.iter().find(|(feature, ..)| *feature == self)
    }

    const fn bit(self) -> u32 {
        #[expect(clippy::as_conversions, reason = "the discriminant of a fieldless enum; there is no other way to it")]
        let position = self as u32;
        1_u32.wrapping_shl(position)
    }
}

/// Which gates are on in one component. Copying is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeatureGates(u32);

impl Default for FeatureGates {
    /// As in Kubernetes 1.37.
    fn default() -> Self {
        FEATURES.iter().fold(Self(0), |gates, (feature, _, default)| gates.with(*feature, *default))
    }
}

impl FeatureGates {
    /// Whether the gate is on.
    pub const fn enabled(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// The same gates with one of them set.
    #[must_use]
    pub const fn with(self, feature: Feature, enabled: bool) -> Self {
        Self(if enabled { self.0 | feature.bit() } else { self.0 & !feature.bit() })
    }

    /// The gates that differ from 1.37's defaults, sorted by name.
    pub fn changed(self) -> impl Iterator<Item = (Feature, bool)> {
        Feature::all().map(move |feature| (feature, self.enabled(feature))).filter(|(f, on)| *on != f.default_in_1_37())
    }

    /// Reads a map of names and booleans; what it does not name keeps its default. `null` is an empty map.
    ///
    /// # Errors
    /// All unknown gates and values that are no booleans, each with its path under `path`; and if there are none, gates
    /// that are on without those that they depend on: no component would start with them.
    pub fn parse(value: &Value, path: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut gates = Self::default();
        match value {
            Value::Null => {}
            Value::Object(map) => {
                for (name, value) in map {
                    match (Feature::from_name(name), value.as_bool()) {
                        (Some(feature), Some(enabled)) => gates = gates.with(feature, enabled),
                        (None, _) => problems.push(Problem::new(join(path, name), unknown_gate(name))),
                        (_, None) => {
                            let message = format!("Invalid value: {}: must be true or false", shortened(value));
                            problems.push(Problem::new(join(path, name), message));
                        }
                    }
                }
            }
            other => problems.push(Problem::new(path, not_a_map(other))),
        }
        if problems.is_empty() {
            problems.extend(gates.without_dependencies().map(|message| Problem::new(path, message)));
        }
        if problems.is_empty() { Ok(gates) } else { Err(problems) }
    }

    /// What a component says of gates that are on without those that they depend on, before it ends.
    ///
    /// Source: component-base, `featuregate/feature_gate.go`, `unsafeSetFromMap`
    fn without_dependencies(self) -> impl Iterator<Item = String> {
        DEPENDENCIES.iter().filter(move |(feature, _)| self.enabled(*feature)).filter_map(move |(feature, needs)| {
            let disabled: Vec<&str> =
                needs.iter().filter(|needed| !self.enabled(**needed)).map(|needed| needed.name()).collect();
            let (feature, list) = (feature.name(), disabled.join(" "));
            let message = format!("{feature} is enabled, but depends on features that are disabled: [{list}]");
            (!disabled.is_empty()).then_some(message)
        })
    }
}

/// The gates of the components that a scenario may set apart, as the KEPs' sections on version skew need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gates {
    /// What admission and the stored objects follow.
    pub apiserver: FeatureGates,
    /// What the controllers follow.
    pub controller_manager: FeatureGates,
}

impl Gates {
    /// The same gates in both components.
    pub const fn both(gates: FeatureGates) -> Self {
        Self { apiserver: gates, controller_manager: gates }
    }

    /// Reads one map for all components, or `{"apiserver": {...}, "controllerManager": {...}}`.
    ///
    /// # Errors
    /// As [`FeatureGates::parse`].
    pub fn parse(value: &Value, path: &str) -> Result<Self, Vec<Problem>> {
        Self::default().restarted(value, path)
    }

    /// The gates after the components that `value` names have been restarted with its gates; the other component keeps
    /// its own.
    ///
    /// # Errors
    /// As [`FeatureGates::parse`].
    pub fn restarted(self, value: &Value, path: &str) -> Result<Self, Vec<Problem>> {
        let map = match value {
            Value::Object(map) if map.contains_key("apiserver") || map.contains_key("controllerManager") => map,
            other => return FeatureGates::parse(other, path).map(Self::both),
        };
        let mut problems = Vec::new();
        let mut gates = self;
        for (component, value) in map {
            let into = match component.as_str() {
                "apiserver" => &mut gates.apiserver,
                "controllerManager" => &mut gates.controller_manager,
                _ => {
                    let message = format!(
                        "Unsupported value: {}: supported values: \"apiserver\", \"controllerManager\"",
                        go::quoted(component)
                    );
                    problems.push(Problem::new(join(path, component), message));
                    continue;
                }
            };
            match FeatureGates::parse(value, &join(path, component)) {
                Ok(parsed) => *into = parsed,
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(gates) } else { Err(problems) }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.into() } else { format!("{path}.{key}") }
}

fn not_a_map(value: &Value) -> String {
    format!("Invalid value: {}: must be a map from names of feature gates to true or false", shortened(value))
}

fn unknown_gate(name: &str) -> String {
    let known = go::quoted_list(FEATURES.iter().map(|(_, name, _)| *name));
    format!("Unsupported value: {}: supported values: {known}", go::quoted(name))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_sorted_by_name() {
        for (index, (feature, name, _)) in FEATURES.iter().enumerate() {
            assert_eq!(feature.bit(), 1 << index, "{name}");
            assert_eq!(Feature::from_name(name), Some(*feature));
        }
        assert!(FEATURES.is_sorted_by_key(|(_, name, _)| *name));
    }

    #[test]
    fn one_map_counts_for_all_components() {
        let gates = Gates::parse(&json!({"PodDeletionCost": false}), "").unwrap();
        assert!(!gates.apiserver.enabled(Feature::PodDeletionCost));
        assert!(!gates.controller_manager.enabled(Feature::PodDeletionCost));
        assert!(gates.apiserver.enabled(Feature::DeploymentReplicaSetTerminatingReplicas));
        assert!(!gates.apiserver.enabled(Feature::DeploymentPodReplacementPolicy));
    }

    #[test]
    fn components_are_set_apart() {
        let gates =
            Gates::parse(&json!({"controllerManager": {"DeploymentPodReplacementPolicy": true}}), "gates").unwrap();
        assert!(!gates.apiserver.enabled(Feature::DeploymentPodReplacementPolicy));
        assert!(gates.controller_manager.enabled(Feature::DeploymentPodReplacementPolicy));
    }

    #[test]
    fn a_component_that_is_not_started_again_keeps_its_gates() {
        let before =
            Gates::parse(&json!({"DeploymentPodReplacementPolicy": true, "PodDeletionCost": false}), "").unwrap();
        let after = before.restarted(&json!({"controllerManager": {}}), "").unwrap();
        assert_eq!(after, Gates { controller_manager: FeatureGates::default(), ..before });
        assert_eq!(before.restarted(&json!({}), ""), Ok(Gates::default()));
    }

    #[test]
    fn a_gate_needs_those_that_it_depends_on_in_its_component() {
        let both = |count: bool, policy: bool| json!({"DeploymentReplicaSetTerminatingReplicas": count, "DeploymentPodReplacementPolicy": policy});
        let text = "DeploymentPodReplacementPolicy is enabled, but depends on features that are disabled: \
                    [DeploymentReplicaSetTerminatingReplicas]";
        let problems = Gates::parse(&both(false, true), "featureGates").unwrap_err();
        assert_eq!(problems, [Problem::new("featureGates", text)]);
        let apart = |server, controllers| json!({"apiserver": server, "controllerManager": controllers});
        let problems = Gates::parse(&apart(both(true, true), both(false, true)), "featureGates").unwrap_err();
        assert_eq!(problems, [Problem::new("featureGates.controllerManager", text)]);
        for (count, policy) in [(true, true), (true, false), (false, false)] {
            assert!(Gates::parse(&apart(both(count, policy), both(true, true)), "").is_ok());
        }
    }

    #[test]
    fn all_problems_are_named_with_their_paths() {
        let problems =
            FeatureGates::parse(&json!({"Foo": true, "PodDeletionCost": "yes"}), "feature_gates").unwrap_err();
        let expected = "feature_gates.Foo: Unsupported value: \"Foo\": supported values: \"ClearingNominatedNodeNameAfterBinding\", ";
        assert!(problems[0].to_string().starts_with(expected));
        let expected = "feature_gates.PodDeletionCost: Invalid value: \"yes\": must be true or false";
        assert_eq!(problems[1].to_string(), expected);
        assert!(Gates::parse(&json!({"apiserver": {"Foo": true}}), "g").unwrap_err()[0].path == "g.apiserver.Foo");
        assert!(FeatureGates::parse(&json!([]), "g").is_err());
        assert_eq!(FeatureGates::parse(&Value::Null, "g"), Ok(FeatureGates::default()));
    }
}
