//! Explains what the API server answers to evictions, and to creations that a quota forbids.

use super::super::operands::POD_NAME;
use super::super::{OperandSource, Operands, Reason, Rule, RuleText};
use crate::cluster::decision::{EvictionDecision, NextTry, QuotaDecision};
use crate::scenario::Duration;

const CREATOR: OperandSource = OperandSource::new("the object whose controller creates it");
const QUOTA: OperandSource = OperandSource::new("the ResourceQuota");
const NEXT_TRY: OperandSource = OperandSource::new(
    "the queue's back-off after its failures: 5 ms, doubling up to 1000 s; for a Job 1 s, doubling up to 60 s",
);

/// Explains a decision.
pub(super) fn explain_eviction(decision: &EvictionDecision) -> Reason {
    match decision {
        EvictionDecision::BudgetRefuses { pod, budget, needed, healthy } => {
            BudgetRefuses { pod, budget, needed: *needed, healthy: *healthy }.reason()
        }
        EvictionDecision::Impossible { pod, why_not } => NotEvicted { pod, why_not }.reason(),
    }
}

/// Explains a decision.
pub(super) fn explain_quota(decision: &QuotaDecision) -> Reason {
    match decision {
        QuotaDecision::Exceeded { creator, kind, requested, quota, limited, used, next_try } => {
            let exceeded = Exceeded { creator, kind: kind.name(), requested, quota, limited, used };
            match *next_try {
                NextTry::In(next_try) => QuotaExceeded { exceeded, next_try }.reason(),
                NextTry::GivenUp => QuotaExceededGivenUp { exceeded }.reason(),
            }
        }
        QuotaDecision::Unspecified { creator, quota, unspecified, next_try } => {
            QuotaUnspecified { creator, quota, unspecified, next_try: *next_try }.reason()
        }
    }
}

/// A budget needs the pod.
#[derive(Rule)]
#[rule(
    id = "eviction.refused",
    upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.checkAndDecrement",
    sentence = "{pod} can't be evicted: the disruption budget {budget} needs {needed} healthy pods and has {healthy}.",
    formula = [
        "Cannot evict pod as it would violate the pod's disruption budget.",
        "The disruption budget {budget} needs {needed} healthy pods and has {healthy} currently",
    ],
)]
struct BudgetRefuses<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the PodDisruptionBudget")]
    budget: &'a str,
    #[operand(source = "its minAvailable, or the desired pods less its maxUnavailable")]
    needed: i64,
    #[operand(source = "ready pods that it selects, except terminating ones")]
    healthy: i64,
}

/// The eviction is impossible for another reason.
#[derive(Rule)]
#[rule(
    id = "eviction.impossible",
    upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.Create",
    sentence = "{pod} can't be evicted: {why_not}"
)]
struct NotEvicted<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the API server's message")]
    why_not: &'a str,
}

/// What a quota leaves no room for.
#[derive(Clone, Copy, Operands)]
struct Exceeded<'a> {
    #[operand(CREATOR)]
    creator: &'a str,
    #[operand(source = "what it creates")]
    kind: &'a str,
    #[operand(source = "what it would add to the quota's usage")]
    requested: &'a str,
    #[operand(QUOTA)]
    quota: &'a str,
    #[operand(source = "spec.hard of the ResourceQuota")]
    limited: &'a str,
    #[operand(source = "what the namespace uses: terminating pods too, until twice their grace period is over")]
    used: &'a str,
}

/// A quota leaves no room for what a controller wants to create.
#[derive(Rule)]
#[rule(
    id = "quota.exceeded",
    upstream = "k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest",
    sentence = "{creator} can't create a {kind} ({requested}): quota {quota} allows {limited}, and {used} is used. The next try is in {next_try}.",
    formula = ["{used} + {requested} > {limited}"],
)]
struct QuotaExceeded<'a> {
    #[operands]
    exceeded: Exceeded<'a>,
    #[operand(NEXT_TRY)]
    next_try: Duration,
}

/// The same, and the controller has tried too often.
#[derive(Rule)]
#[rule(
    id = "quota.exceeded.given-up",
    upstream = "pkg/controller/deployment/deployment_controller.go handleErr",
    sentence = "{creator} can't create a {kind} ({requested}): quota {quota} allows {limited}, and {used} is used. No more tries until something changes.",
    formula = ["{used} + {requested} > {limited}"],
)]
struct QuotaExceededGivenUp<'a> {
    #[operands]
    exceeded: Exceeded<'a>,
}

/// A quota wants containers to say what they need.
#[derive(Rule)]
#[rule(
    id = "quota.unspecified",
    upstream = "pkg/quota/v1/evaluator/core/pods.go podEvaluator.Constraints",
    sentence = "{creator} can't create a pod: quota {quota} requires its containers to specify {unspecified}. The next try is in {next_try}."
)]
struct QuotaUnspecified<'a> {
    #[operand(CREATOR)]
    creator: &'a str,
    #[operand(QUOTA)]
    quota: &'a str,
    #[operand(source = "resources in spec.hard that the containers do not specify")]
    unspecified: &'a str,
    #[operand(NEXT_TRY)]
    next_try: Duration,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] =
    &[BudgetRefuses::TEXT, NotEvicted::TEXT, QuotaExceeded::TEXT, QuotaExceededGivenUp::TEXT, QuotaUnspecified::TEXT];
