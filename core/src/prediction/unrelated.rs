//! What goes wrong with or without the change: no reason for the verdict, as long as the change does not make it worse.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{Exceeded, Prediction, QuotaPrediction, Warning, WarningKind};
use super::rollout_plan::RolloutPlan;
use super::verdict::{Reason, ReasonKind};
use crate::collect_tree::CollectTree;
use crate::object::quantity::nanos;

/// What is wrong only for a moment.
pub(super) const MOMENTS: [WarningKind; 2] = [WarningKind::NothingAvailable, WarningKind::PodsPreempted];

/// The objects that something is wrong with and that the change does not touch, as `Kind/namespace/name`.
pub(super) fn untouched(plan: &RolloutPlan, prediction: &Prediction) -> BTreeSet<String> {
    // A request may change nothing of a workload.
    let workloads = prediction.workloads.iter().map(|workload| (workload.object(), workload.change.is_some()));
    let jobs = prediction.jobs.iter().map(|job| (job.object(), job.change.is_some()));
    let predicted: BTreeMap<String, bool> = workloads.chain(jobs).collect_tree();
    let requested: BTreeSet<String> = plan.touched().collect_tree();
    let is_touched = |object: &String| predicted.get(object).copied().unwrap_or_else(|| requested.contains(object));
    let reasons = prediction.verdict.reasons.iter().filter(|reason| may_be_older(reason.kind));
    let moments = prediction.warnings.iter().filter(|warning| MOMENTS.contains(&warning.kind));
    reasons
        .filter_map(|reason| reason.object.as_ref())
        .chain(moments.map(|warning| &warning.object))
        .filter(|object| !is_touched(object))
        .cloned()
        .collect_tree()
}

/// Whether such a reason may be there without the change.
const fn may_be_older(kind: ReasonKind) -> bool {
    matches!(kind, ReasonKind::Quota | ReasonKind::Pending | ReasonKind::Preempted | ReasonKind::Incomplete)
}

/// A warning for each of these objects with which the same goes wrong without the change, or more.
pub(super) fn unrelated(with: &Prediction, without: &Prediction, untouched: &BTreeSet<String>) -> Vec<Warning> {
    let is_worse = |object: &String| match (quota(with, object), quota(without, object)) {
        (Some(with), Some(without)) => needs_more(with, without),
        _ => is_worse(with, without, object),
    };
    let same = untouched.iter().filter(|object| !is_worse(object));
    let warning = |object: &String| Warning {
        object: object.clone(),
        kind: WarningKind::Unrelated,
        message: message(with, object),
    };
    same.map(warning).collect()
}

fn message(prediction: &Prediction, object: &str) -> String {
    if quota(prediction, object).is_some() {
        return String::from("It is exceeded already, and this change does not need more of it.");
    }
    let mut others = reasons(prediction, object).filter(|reason| reason.kind != ReasonKind::Preempted);
    match (others.next(), moments(prediction, object).next()) {
        (None, Some(moment)) => format!("{} That happens without this change, too.", moment.message),
        _ => String::from("It is stuck already, and this change does not touch it."),
    }
}

/// Whether the change makes it worse for a workload that it does not touch.
fn is_worse(with: &Prediction, without: &Prediction, object: &str) -> bool {
    let has = |kind: ReasonKind| reasons(without, object).any(|reason| reason.kind == kind);
    let happens = |warning: &Warning| moments(without, object).any(|other| other == warning);
    let [more, less] = [with, without].map(|prediction| missing_pods(prediction, object));
    !reasons(with, object).all(|reason| has(reason.kind)) || !moments(with, object).all(happens) || more > less
}

/// Whether a change needs more of a quota, or for longer.
fn needs_more(with: &QuotaPrediction, without: &QuotaPrediction) -> bool {
    let amount = |text: &str| nanos(&Value::from(text)).unwrap_or(0);
    let is_known = |with: &Exceeded| {
        without.demand.exceeded.iter().any(|without| {
            with.resource == without.resource
                && amount(&with.needed) <= amount(&without.needed)
                && (without.stays || !with.stays && with.lasts <= without.lasts)
        })
    };
    let refused = |quota: &QuotaPrediction| -> BTreeSet<String> {
        quota.refusals.iter().flat_map(|refusals| refusals.workloads.iter().cloned()).collect_tree()
    };
    with.demand.unspecified != without.demand.unspecified
        || !with.demand.exceeded.iter().all(is_known)
        || !refused(with).is_subset(&refused(without))
}

/// How many pods of a workload find no node for good, and how many fewer are available at some point: the more, the worse.
fn missing_pods(prediction: &Prediction, object: &str) -> (i32, i32) {
    let pending = prediction.pending.iter().flatten().filter(|pods| pods.workload == object);
    let workload = prediction.workloads.iter().find(|workload| workload.object() == object);
    let lowest = workload.map_or(0, |workload| workload.in_cluster().lowest_available);
    (pending.map(|pods| pods.stay).sum(), lowest.saturating_neg())
}

/// The reasons about an object that may be there without the change.
fn reasons<'a>(prediction: &'a Prediction, object: &'a str) -> impl Iterator<Item = &'a Reason> {
    let is_its = move |reason: &&Reason| reason.object.as_deref() == Some(object) && may_be_older(reason.kind);
    prediction.verdict.reasons.iter().filter(is_its)
}

fn moments<'a>(prediction: &'a Prediction, object: &'a str) -> impl Iterator<Item = &'a Warning> {
    prediction.warnings.iter().filter(move |warning| warning.object == object && MOMENTS.contains(&warning.kind))
}

fn quota<'a>(prediction: &'a Prediction, object: &str) -> Option<&'a QuotaPrediction> {
    prediction.quotas.iter().find(|quota| quota.object() == object)
}
