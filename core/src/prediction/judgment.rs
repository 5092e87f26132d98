//! Judges a prediction.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{
    JobOutcome, JobPrediction, NotModeled, Prediction, QuotaPrediction, WarningKind, WorkloadPrediction,
};
use super::verdict::{Reason, ReasonKind, Verdict};
use crate::timeline::EndReason;

/// The verdict on a prediction, for which these reasons are known already.
pub(super) fn judge(prediction: &Prediction, mut reasons: Vec<Reason>) -> Verdict {
    reasons.extend(prediction.quotas.iter().flat_map(of_quota));
    reasons.extend(prediction.workloads.iter().filter_map(|workload| of_workload(workload, prediction)));
    reasons.extend(prediction.jobs.iter().filter_map(of_job));
    let staying = prediction.pending.iter().flatten().filter(|pods| pods.stay > 0);
    reasons.extend(staying.map(|pods| {
        let object = pods.workload.clone().unwrap_or_else(|| format!("Namespace/{}", pods.namespace));
        let message = format!("Pods find no node: {}.", pods.message.trim_end_matches('.'));
        Reason::new(ReasonKind::Pending, message).about(object)
    }));
    let (of_nodes, others): (Vec<&NotModeled>, Vec<&NotModeled>) =
        prediction.not_modeled.iter().filter(|left| left.field().is_some()).partition(|left| left.kind == "Node");
    reasons
        .extend(of_nodes.chunk_by(|a, b| (a.field(), &a.reason) == (b.field(), &b.reason)).filter_map(of_nodes_field));
    reasons.extend(others.into_iter().map(of_field));
    if prediction.end.reason != EndReason::Quiet {
        let message = format!("The simulation stopped early: {}.", prediction.end.message.trim_end_matches('.'));
        reasons.push(Reason::new(ReasonKind::CutShort, message));
    }
    let has_workloads =
        !(prediction.workloads.is_empty() && prediction.jobs.is_empty() && prediction.estimates.is_empty());
    reasons.extend(without_question(has_workloads, !prediction.quotas.is_empty() || prediction.pending.is_some()));
    Verdict::of(reasons)
}

/// That there is nothing to judge, or nothing to judge it by.
pub(super) fn without_question(has_workloads: bool, has_limits: bool) -> Option<Reason> {
    let (kind, message) = match (has_workloads, has_limits) {
        (false, _) => (ReasonKind::NoWorkload, "There is no Deployment and no Job."),
        (true, false) => (ReasonKind::NoLimit, "No quota and no nodes were given."),
        (true, true) => return None,
    };
    Some(Reason::new(kind, String::from(message)))
}

/// That a field of these nodes decides which is not modeled.
fn of_nodes_field(nodes: &[&NotModeled]) -> Option<Reason> {
    let [first, _, ..] = nodes else { return nodes.first().map(|node| of_field(node)) };
    let message = format!("{} nodes: {}", nodes.len(), of_field(first).message);
    Some(Reason::new(ReasonKind::NotModeledField, message))
}

/// That a field decides which is not modeled.
fn of_field(field: &NotModeled) -> Reason {
    let message = format!("{}: {}.", field.field().unwrap_or_default(), field.reason);
    Reason::new(ReasonKind::NotModeledField, message).about(field.object()).at(field.path.clone())
}

fn of_quota(quota: &QuotaPrediction) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let object = format!("ResourceQuota/{}/{}", quota.namespace, quota.name);
    let about = |kind, message| Reason::new(kind, message).about(object.clone());
    for exceeded in &quota.today.exceeded {
        let message = format!("{}: {} needed, {} allowed.", exceeded.resource, exceeded.needed, exceeded.hard);
        reasons.push(about(ReasonKind::Quota, message));
    }
    if let Some(missing) = &quota.today.unspecified {
        reasons.push(about(ReasonKind::Quota, format!("Pods must specify {missing}.")));
    }
    if let Some(refusals) = quota.refusals.as_ref().filter(|_| quota.today.fits) {
        reasons.push(about(ReasonKind::Quota, format!("The API server refuses pods: {}.", refusals.message)));
    }
    let is_known = |resource: &str| quota.today.exceeded.iter().any(|exceeded| exceeded.resource == resource);
    for exceeded in quota.worst.iter().flat_map(|worst| &worst.exceeded).filter(|worst| !is_known(&worst.resource)) {
        let message = format!("{}: {} needed in the worst order of events.", exceeded.resource, exceeded.needed);
        reasons.push(about(ReasonKind::Worst, message));
    }
    reasons
}

fn of_workload(workload: &WorkloadPrediction, prediction: &Prediction) -> Option<Reason> {
    let object = format!("{}/{}/{}", workload.kind, workload.namespace, workload.name);
    let outcome = workload.with_quotas.as_ref().unwrap_or(&workload.today);
    let never_in_some_order = workload.worst.as_ref().is_some_and(|worst| worst.today.always_completes == Some(false));
    let (kind, message) = match outcome.complete {
        None => (ReasonKind::Incomplete, prediction.why_incomplete(&object)),
        // A given time until pods are ready says nothing about a probe that never lets them be.
        Some(_) if let Some(probe) = prediction.stuck_by_probe(&object) => (ReasonKind::Incomplete, probe),
        Some(_) if never_in_some_order => (ReasonKind::Worst, "In some order of events, the rollout never completes."),
        Some(_) => return None,
    };
    Some(Reason::new(kind, String::from(message)).about(object))
}

impl Prediction {
    /// Why the rollout of a Deployment never completes, in one sentence: what is warned about, if that says more.
    pub fn why_incomplete(&self, object: &str) -> &str {
        const CAUSES: [WarningKind; 6] = [
            WarningKind::Paused,
            WarningKind::UnresolvedPort,
            WarningKind::HopelessProbe,
            WarningKind::Deadlock,
            WarningKind::NotStarted,
            WarningKind::NeverComplete,
        ];
        CAUSES.into_iter().find_map(|kind| self.warning(kind, object)).unwrap_or("The rollout never completes.")
    }

    /// That a probe never lets the pods of a Deployment be ready, whatever time until then is given.
    pub fn stuck_by_probe(&self, object: &str) -> Option<&str> {
        let kinds = [WarningKind::UnresolvedPort, WarningKind::HopelessProbe];
        kinds.into_iter().find_map(|kind| self.warning(kind, object))
    }

    fn warning(&self, kind: WarningKind, object: &str) -> Option<&str> {
        let found = self.warnings.iter().find(|warning| warning.kind == kind && warning.object == object);
        found.map(|warning| warning.message.as_str())
    }
}

fn of_job(job: &JobPrediction) -> Option<Reason> {
    let JobOutcome { waits, condition, finished, .. } = job.with_quotas.as_ref().unwrap_or(&job.today);
    let message = match finished {
        Some(_) if condition.as_deref() == Some("Failed") => "The Job fails.",
        None if !waits => "The Job never ends.",
        _ => return None,
    };
    let object = format!("Job/{}/{}", job.namespace, job.name);
    Some(Reason::new(ReasonKind::Incomplete, String::from(message)).about(object))
}
