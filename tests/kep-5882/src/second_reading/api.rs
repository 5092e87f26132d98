//! What the API server stores: gates, dropped fields, defaults, validation.

use core::fmt;

use crate::world::{Amount, Gates, Strategy};

/// The fields of a Deployment's spec that matter here. Missing fields are not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// `replicas`.
    pub replicas: i64,
    /// `strategy`.
    pub strategy: Strategy,
    /// `podReplacementPolicy`: any text that a user can write.
    pub pod_replacement_policy: Option<String>,
    /// `minReadySeconds`.
    pub min_ready_seconds: i64,
    /// `revisionHistoryLimit`.
    pub revision_history_limit: Option<i64>,
    /// `progressDeadlineSeconds`.
    pub progress_deadline_seconds: Option<i64>,
}

/// Why a spec is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field.
    pub path: &'static str,
    /// The value and what is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Only some values are supported.
    Unsupported {
        /// The value.
        value: String,
        /// The supported ones.
        supported: &'static [&'static str],
    },
    /// The value breaks a rule.
    Invalid {
        /// The value.
        value: String,
        /// The rule.
        detail: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Unsupported { value, supported } => {
                let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
                let supported = supported.join(", ");
                let value = printed_text(value);
                write!(f, "{}: Unsupported value: {value}: supported values: {supported}", self.path)
            }
            Problem::Invalid { value, detail } => write!(f, "{}: Invalid value: {value}: {detail}", self.path),
        }
    }
}

/// KEP: the constants of `DeploymentPodReplacementPolicy`, in the order in which the API server lists them.
const POLICIES: [&str; 2] = ["TerminationComplete", "TerminationStarted"];

const NOT_NEGATIVE: &str = "must be greater than or equal to 0";
/// Today: `IsValidPercent` (apimachinery, util/validation).
const NOT_A_PERCENTAGE: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or \
                                '93%', regex used for validation is '[0-9]+%')";

/// Checks that a component starts with these gates.
///
/// KEP: "Enable DeploymentPodReplacementPolicy and DeploymentReplicaSetTerminatingReplicas to be able to use this
/// field." A gate that needs another one is declared as its dependent (kube_features.go), and component-base refuses
/// such flags (feature_gate.go, `SetFromMap`).
///
/// # Errors
///
/// With the text of component-base.
pub fn check_gates(gates: Gates) -> Result<(), String> {
    if gates.pod_replacement_policy && !gates.terminating_replicas {
        return Err("DeploymentPodReplacementPolicy is enabled, but depends on features that are disabled: \
                    [DeploymentReplicaSetTerminatingReplicas]"
            .to_owned());
    }
    Ok(())
}

/// Removes the field if it can't be used. `stored` is the spec before an update.
///
/// KEP: "If the feature is not enabled on the apiserver, and it is enabled in the kube-controller-manager, then the
/// feature cannot be used for new workloads. Workloads that have the .spec.podReplacementPolicy field set will use the
/// new behavior." So a stored field stays. Today: `dropStatefulSetDisabledFields` (registry/apps/statefulset), "the
/// typical pattern", which also lets a stored field change its value.
pub fn drop_disabled(gates: Gates, spec: &mut Spec, stored: Option<&Spec>) {
    let in_use = stored.is_some_and(|stored| stored.pod_replacement_policy.is_some());
    if !gates.allow_policy() && !in_use {
        spec.pod_replacement_policy = None;
    }
}

/// Sets the defaults.
///
/// KEP: ".spec.podReplacementPolicy is nil by default and preserves the original behavior." Today:
/// `SetDefaults_Deployment` (apis/apps/v1/defaults.go).
pub fn set_defaults(spec: &mut Spec) {
    spec.revision_history_limit.get_or_insert(10);
    spec.progress_deadline_seconds.get_or_insert(600);
}

/// The fields that break a rule.
///
/// KEP: `podReplacementPolicy` is "+optional" and "+enum". It names no other rule: every policy goes with every
/// strategy, and the field can change at any time. Today: `ValidateDeploymentSpec` (apis/apps/validation).
pub fn validate(spec: &Spec) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    refusals.extend(not_negative("spec.replicas", spec.replicas));
    if let Strategy::RollingUpdate { surge, unavailable } = spec.strategy {
        refusals.extend(validate_rolling_update(surge, unavailable));
    }
    refusals.extend(not_negative("spec.minReadySeconds", spec.min_ready_seconds));
    if let Some(limit) = spec.revision_history_limit {
        refusals.extend(not_negative("spec.revisionHistoryLimit", limit));
    }
    if let Some(seconds) = spec.progress_deadline_seconds {
        refusals.extend(not_negative("spec.progressDeadlineSeconds", seconds));
        if seconds <= spec.min_ready_seconds {
            let detail = "must be greater than minReadySeconds";
            refusals.push(invalid("spec.progressDeadlineSeconds", seconds.to_string(), detail));
        }
    }
    if let Some(policy) = &spec.pod_replacement_policy
        && !POLICIES.contains(&policy.as_str())
    {
        refusals.push(Refusal {
            path: "spec.podReplacementPolicy",
            problem: Problem::Unsupported { value: policy.clone(), supported: &POLICIES },
        });
    }
    refusals
}

/// Today: `ValidateRollingUpdateDeployment` (apis/apps/validation).
fn validate_rolling_update(surge: Amount, unavailable: Amount) -> Vec<Refusal> {
    let path = "spec.strategy.rollingUpdate.maxUnavailable";
    let mut refusals = Vec::new();
    refusals.extend(validate_amount(path, unavailable));
    refusals.extend(validate_amount("spec.strategy.rollingUpdate.maxSurge", surge));
    if number(surge) == 0 && number(unavailable) == 0 {
        refusals.push(invalid(path, printed(unavailable), "may not be 0 when `maxSurge` is 0"));
    }
    if let Amount::Percent(101..) = unavailable {
        refusals.push(invalid(path, printed(unavailable), "must not be greater than 100%"));
    }
    refusals
}

/// Today: `ValidatePositiveIntOrPercent` (apis/apps/validation).
fn validate_amount(path: &'static str, amount: Amount) -> Option<Refusal> {
    match amount {
        Amount::Pods(pods) => not_negative(path, i64::from(pods)),
        Amount::Percent(..0) => Some(invalid(path, printed(amount), NOT_A_PERCENTAGE)),
        Amount::Percent(_) => None,
    }
}

/// Today: `getIntOrPercentValue` (apis/apps/validation), where an invalid percentage counts as 0.
fn number(amount: Amount) -> i64 {
    match amount {
        Amount::Pods(pods) => i64::from(pods),
        Amount::Percent(percent) => i64::from(percent.max(0)),
    }
}

fn printed(amount: Amount) -> String {
    match amount {
        Amount::Pods(pods) => pods.to_string(),
        Amount::Percent(percent) => format!("\"{percent}%\""),
    }
}

/// Today: for a value whose type is a named string, errors print the text as `encoding/json` does (apimachinery,
/// util/validation/field, `ErrorBody`), which escapes three characters for HTML.
fn printed_text(text: &str) -> String {
    format!("{text:?}").replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn not_negative(path: &'static str, value: i64) -> Option<Refusal> {
    (value < 0).then(|| invalid(path, value.to_string(), NOT_NEGATIVE))
}

fn invalid(path: &'static str, value: String, detail: &'static str) -> Refusal {
    Refusal { path, problem: Problem::Invalid { value, detail } }
}

/// The stored spec after a creation, or after an update of `stored`.
///
/// Today: decoding sets defaults, then `PrepareForCreate` or `PrepareForUpdate` drops fields, then `Validate` or
/// `ValidateUpdate` decides (registry/apps/deployment/strategy.go).
///
/// # Errors
///
/// With everything that breaks a rule.
pub fn admit(gates: Gates, sent: &Spec, stored: Option<&Spec>) -> Result<Spec, Vec<Refusal>> {
    let mut spec = sent.clone();
    set_defaults(&mut spec);
    drop_disabled(gates, &mut spec, stored);
    let refusals = validate(&spec);
    if refusals.is_empty() { Ok(spec) } else { Err(refusals) }
}

/// True if an update increases the generation. Today: `PrepareForUpdate` (registry/apps/deployment/strategy.go), which
/// compares after it has dropped fields.
pub fn is_new_generation(spec: &Spec, stored: &Spec) -> bool {
    spec != stored
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::rolling;
    use crate::world::{Amount, Gates, Strategy};

    use super::{Spec, admit, check_gates, is_new_generation};

    const ON: Gates = Gates { terminating_replicas: true, pod_replacement_policy: true };
    const OFF: Gates = Gates { terminating_replicas: true, pod_replacement_policy: false };

    fn spec(policy: Option<&str>) -> Spec {
        Spec {
            replicas: 3,
            strategy: rolling(1, 0),
            pod_replacement_policy: policy.map(str::to_owned),
            min_ready_seconds: 0,
            revision_history_limit: Some(10),
            progress_deadline_seconds: Some(600),
        }
    }

    #[test]
    fn both_values_go_with_both_strategies() {
        for policy in ["TerminationStarted", "TerminationComplete"] {
            for strategy in [Strategy::Recreate, rolling(1, 0)] {
                let sent = Spec { strategy, ..spec(Some(policy)) };
                assert_eq!(admit(ON, &sent, None), Ok(sent));
            }
        }
    }

    #[test]
    fn other_values_are_refused() {
        for policy in ["", "Failed", "terminationComplete"] {
            let refusals = admit(ON, &spec(Some(policy)), None).unwrap_err();
            let text = format!(
                "spec.podReplacementPolicy: Unsupported value: {policy:?}: supported values: \
                 \"TerminationComplete\", \"TerminationStarted\""
            );
            assert_eq!(refusals.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
        }
    }

    #[test]
    fn there_is_no_default() {
        let sent = Spec { revision_history_limit: None, progress_deadline_seconds: None, ..spec(None) };
        assert_eq!(admit(ON, &sent, None), Ok(spec(None)));
    }

    #[test]
    fn with_the_gate_off_new_fields_are_dropped_and_stored_ones_stay() {
        let complete = spec(Some("TerminationComplete"));
        let started = spec(Some("TerminationStarted"));
        let wrong = spec(Some("Failed"));
        assert_eq!(admit(OFF, &complete, None), Ok(spec(None)));
        assert_eq!(admit(OFF, &wrong, None), Ok(spec(None)));
        assert_eq!(admit(OFF, &complete, Some(&spec(None))), Ok(spec(None)));
        assert_eq!(admit(OFF, &complete, Some(&complete)), Ok(complete.clone()));
        assert_eq!(admit(OFF, &started, Some(&complete)), Ok(started));
        assert!(admit(OFF, &wrong, Some(&complete)).is_err());
        assert_eq!(admit(OFF, &spec(None), Some(&complete)), Ok(spec(None)));
    }

    #[test]
    fn the_field_can_change_and_is_a_new_generation() {
        let complete = spec(Some("TerminationComplete"));
        let started = spec(Some("TerminationStarted"));
        for (sent, stored) in [(&complete, &started), (&spec(None), &started), (&complete, &spec(None))] {
            let after = admit(ON, sent, Some(stored)).unwrap();
            assert!(is_new_generation(&after, stored));
        }
        // The field is dropped before the comparison.
        let after = admit(OFF, &complete, Some(&spec(None))).unwrap();
        assert!(!is_new_generation(&after, &spec(None)));
    }

    #[test]
    fn the_policy_gate_needs_the_other_one() {
        assert!(check_gates(ON).is_ok() && check_gates(OFF).is_ok());
        let alone = Gates { terminating_replicas: false, pod_replacement_policy: true };
        assert_eq!(
            check_gates(alone).unwrap_err(),
            "DeploymentPodReplacementPolicy is enabled, but depends on features that are disabled: \
             [DeploymentReplicaSetTerminatingReplicas]"
        );
    }

    #[test]
    fn the_rules_of_today_stay() {
        let wrong = Spec {
            replicas: -1,
            strategy: Strategy::RollingUpdate { surge: Amount::Pods(0), unavailable: Amount::Percent(0) },
            min_ready_seconds: 600,
            revision_history_limit: Some(-1),
            ..spec(None)
        };
        let paths: Vec<&str> = admit(ON, &wrong, None).unwrap_err().iter().map(|refusal| refusal.path).collect();
        let expected = [
            "spec.replicas",
            "spec.strategy.rollingUpdate.maxUnavailable",
            "spec.revisionHistoryLimit",
            "spec.progressDeadlineSeconds",
        ];
        assert_eq!(paths, expected);
        let unavailable = Amount::Percent(101);
        let wrong = Spec { strategy: Strategy::RollingUpdate { surge: Amount::Pods(1), unavailable }, ..spec(None) };
        assert_eq!(admit(ON, &wrong, None).unwrap_err().len(), 1);
    }
}
