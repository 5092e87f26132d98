use alloc::format;
use alloc::string::String;

use super::container_state::terminated;
use crate::object::{ContainerStatus, Pod, PodCondition, PodStatus};
use crate::workload::job::{
    PodFailurePolicy, PodFailurePolicyAction, PodFailurePolicyOnExitCodesOperator,
    PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule,
};

/// What the failure of a pod means.
pub(super) struct Match {
    /// Why the Job fails, if it does.
    pub(super) fail_job: Option<String>,
    /// The action of the rule that matched, if one did.
    pub(super) action: Option<PodFailurePolicyAction>,
}

impl Match {
    /// Whether the failure counts toward the back-off limits.
    pub(super) fn counts(&self) -> bool {
        self.action != Some(PodFailurePolicyAction::Ignore)
    }
}

/// What the policy says of a failed pod: the first rule that matches counts.
///
/// Upstream: `pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy`
pub(super) fn match_pod_failure_policy(policy: Option<&PodFailurePolicy>, pod: &Pod) -> Match {
    let rules = policy.map_or(&[][..], |policy| &policy.rules);
    let matches = rules.iter().enumerate().find_map(|(index, rule)| {
        let fails = describe(pod, rule, index)?;
        let fail_job = (rule.action == PodFailurePolicyAction::FailJob).then_some(fails);
        Some(Match { fail_job, action: Some(rule.action) })
    });
    matches.unwrap_or(Match { fail_job: None, action: None })
}

/// What of the pod matches the rule, in upstream's words.
fn describe(pod: &Pod, rule: &PodFailurePolicyRule, index: usize) -> Option<String> {
    let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
    let action = match rule.action {
        PodFailurePolicyAction::FailJob => "FailJob",
        PodFailurePolicyAction::FailIndex => "FailIndex",
        PodFailurePolicyAction::Ignore => "Ignore",
        PodFailurePolicyAction::Count => "Count",
    };
    match &rule.on_exit_codes {
        Some(requirement) => {
            let (container, exit_code) = match_on_exit_codes(&pod.status, requirement)?;
            let container = &container.name;
            Some(format!(
                "Container {container} for pod {namespace}/{name} failed with exit code {exit_code} matching {action} \
                 rule at index {index}"
            ))
        }
        None => {
            let condition = &match_on_pod_conditions(&pod.status, rule)?.type_;
            Some(format!("Pod {namespace}/{name} has condition {condition} matching {action} rule at index {index}"))
        }
    }
}

/// The first container whose exit code matches, and the code. Those of the pod come before its init containers.
///
/// Upstream: `pkg/controller/job/pod_failure_policy.go matchOnExitCodes`
fn match_on_exit_codes<'a>(
    status: &'a PodStatus,
    requirement: &PodFailurePolicyOnExitCodesRequirement,
) -> Option<(&'a ContainerStatus, i32)> {
    status.container_statuses.iter().chain(&status.init_container_statuses).find_map(|container| {
        let exit_code = terminated(container)?.exit_code;
        let named = requirement.container_name.as_ref().is_none_or(|name| *name == container.name);
        (named && exit_code != 0 && is_on_exit_codes_operator_matching(exit_code, requirement))
            .then_some((container, exit_code))
    })
}

/// Upstream: `pkg/controller/job/pod_failure_policy.go isOnExitCodesOperatorMatching`
fn is_on_exit_codes_operator_matching(exit_code: i32, requirement: &PodFailurePolicyOnExitCodesRequirement) -> bool {
    let contained = requirement.values.contains(&exit_code);
    match requirement.operator {
        PodFailurePolicyOnExitCodesOperator::In => contained,
        PodFailurePolicyOnExitCodesOperator::NotIn => !contained,
    }
}

/// Upstream: `pkg/controller/job/pod_failure_policy.go matchOnPodConditions`
fn match_on_pod_conditions<'a>(status: &'a PodStatus, rule: &PodFailurePolicyRule) -> Option<&'a PodCondition> {
    status.conditions.iter().find(|condition| {
        let mut patterns = rule.on_pod_conditions.iter();
        patterns.any(|pattern| condition.type_ == pattern.type_ && condition.status == pattern.status)
    })
}
