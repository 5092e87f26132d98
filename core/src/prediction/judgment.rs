//! Judges a prediction.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{
    JobOutcome, JobPrediction, NotModeled, Prediction, QuotaPrediction, WarningKind, WorkloadPrediction,
};
use super::verdict::{Reason, ReasonKind, Verdict, VerdictResult};
use crate::collect_tree::CollectTree;
use crate::timeline::EndReason;

/// The warnings about what keeps a rollout or a Job from its end, what says most first.
pub(super) const CAUSES: [WarningKind; 7] = [
    WarningKind::Unrelated,
    WarningKind::Paused,
    WarningKind::UnresolvedPort,
    WarningKind::HopelessProbe,
    WarningKind::Deadlock,
    WarningKind::NotStarted,
    WarningKind::NeverComplete,
];

/// How the sentence begins about a rollout or a scaling that never completes, if no cause is known.
const ROLLOUT_NEVER_COMPLETES: &str = "The rollout never completes.";
const SCALING_NEVER_COMPLETES: &str = "The scaling never completes.";

/// The verdict on a prediction, for which these reasons are known already.
pub(super) fn judge(prediction: &Prediction, mut reasons: Vec<Reason>) -> Verdict {
    reasons.extend(prediction.quotas.iter().flat_map(of_quota));
    reasons.extend(prediction.workloads.iter().filter_map(|workload| of_workload(workload, prediction)));
    reasons.extend(prediction.jobs.iter().filter_map(|job| of_job(job, prediction)));
    let staying = prediction.pending.iter().flatten().filter(|pods| pods.stay > 0);
    reasons.extend(staying.map(|pods| {
        let message = format!("Pods find no node: {}.", pods.message.trim_end_matches('.'));
        Reason::new(ReasonKind::Pending, message).about(pods.workload.clone())
    }));
    let preempted = prediction.warnings.iter().filter(|warning| warning.kind == WarningKind::PodsPreempted);
    reasons.extend(
        preempted
            .map(|warning| Reason::new(ReasonKind::Preempted, warning.message.clone()).about(warning.object.clone())),
    );
    let is_unrelated = |reason: &Reason| {
        let object = reason.object.as_deref().filter(|_| reason.kind.result() == VerdictResult::DoesNotFit);
        object.is_some_and(|object| prediction.is_unrelated(object))
    };
    reasons.retain(|reason| !is_unrelated(reason));
    let (of_nodes, others): (Vec<&NotModeled>, Vec<&NotModeled>) =
        prediction.not_modeled.iter().filter(|left| left.field().is_some()).partition(|left| left.kind == "Node");
    reasons
        .extend(of_nodes.chunk_by(|a, b| (a.field(), &a.reason) == (b.field(), &b.reason)).filter_map(of_nodes_field));
    reasons.extend(others.into_iter().map(of_field));
    reasons.extend(prediction.why_cut_short().map(|why| Reason::new(ReasonKind::CutShort, why)));
    let has_workloads =
        !(prediction.workloads.is_empty() && prediction.jobs.is_empty() && prediction.estimates.is_empty());
    let quotas = prediction.quotas.iter().map(|quota| quota.namespace.as_str()).collect_tree();
    reasons.extend(without_question(has_workloads, &changing(prediction), &quotas, prediction.pending.is_some()));
    Verdict::of(reasons)
}

/// That there is nothing to judge, or nothing to judge it by: neither nodes nor a quota of a namespace in which something changes.
pub(super) fn without_question(
    has_workloads: bool,
    changing: &BTreeSet<&str>,
    quotas: &BTreeSet<&str>,
    has_nodes: bool,
) -> Option<Reason> {
    let is_limited = has_nodes || !quotas.is_empty() && (changing.is_empty() || !changing.is_disjoint(quotas));
    let (kind, message) = match (has_workloads, is_limited) {
        (false, _) => (ReasonKind::NoWorkload, String::from("There is no Deployment, no StatefulSet and no Job.")),
        (true, true) => return None,
        (true, false) if quotas.is_empty() => (ReasonKind::NoLimit, String::from("No quota and no nodes were given.")),
        (true, false) => {
            let namespaces = changing.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!("No given quota is of namespace {namespaces}, and no nodes were given.");
            (ReasonKind::NoLimit, message)
        }
    };
    Some(Reason::new(kind, message))
}

/// The namespaces in which something changes.
fn changing(prediction: &Prediction) -> BTreeSet<&str> {
    let workloads = prediction.workloads.iter().filter(|workload| workload.change.is_some());
    let jobs = prediction.jobs.iter().filter(|job| job.change.is_some());
    let estimates = prediction.estimates.iter().filter(|estimate| estimate.more > 0);
    workloads
        .map(|workload| workload.namespace.as_str())
        .chain(jobs.map(|job| job.namespace.as_str()))
        .chain(estimates.map(|estimate| estimate.namespace.as_str()))
        .collect_tree()
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
    let object = quota.object();
    let about = |kind, message| Reason::new(kind, message).about(object.clone());
    for exceeded in &quota.demand.exceeded {
        let message = format!("{}: {} needed, {} allowed.", exceeded.resource, exceeded.needed, exceeded.hard);
        reasons.push(about(ReasonKind::Quota, message));
    }
    if let Some(missing) = &quota.demand.unspecified {
        reasons.push(about(ReasonKind::Quota, format!("Pods must specify {missing}.")));
    }
    if let Some(refusals) = quota.refusals.as_ref().filter(|_| quota.demand.fits) {
        reasons.push(about(ReasonKind::Quota, format!("The API server refuses pods: {}.", refusals.message)));
    }
    let is_known = |resource: &str| quota.demand.exceeded.iter().any(|exceeded| exceeded.resource == resource);
    for exceeded in quota.worst.iter().flat_map(|worst| &worst.exceeded).filter(|worst| !is_known(&worst.resource)) {
        let message = format!("{}: {} needed in the worst order of events.", exceeded.resource, exceeded.needed);
        reasons.push(about(ReasonKind::Worst, message));
    }
    reasons
}

fn of_workload(workload: &WorkloadPrediction, prediction: &Prediction) -> Option<Reason> {
    let (object, outcome) = (workload.object(), workload.in_cluster());
    let never_in_some_order =
        workload.worst.as_ref().is_some_and(|worst| worst.outcome.always_completes == Some(false));
    let (kind, message) = match outcome.complete {
        None => (ReasonKind::Incomplete, prediction.why_incomplete(&object)?),
        // A given time until pods are ready says nothing about a probe that never lets them be.
        Some(_) if let Some(probe) = prediction.stuck_by_probe(&object) => (ReasonKind::Incomplete, probe),
        Some(_) if never_in_some_order => (ReasonKind::Worst, "In some order of events, the rollout never completes."),
        Some(_) => return None,
    };
    Some(Reason::new(kind, String::from(message)).about(object))
}

impl Prediction {
    /// Whether names need their namespaces, because there are several.
    #[must_use]
    pub fn has_several_namespaces(&self) -> bool {
        let workloads = self.workloads.iter().map(|workload| &workload.namespace);
        let quotas = self.quotas.iter().map(|quota| &quota.namespace);
        let jobs = self.jobs.iter().map(|job| &job.namespace);
        workloads.chain(quotas).chain(jobs).collect::<BTreeSet<_>>().len() > 1
    }

    /// Whether the simulation ended before its outcome was known. A Job that is deleted later than that changes nothing, and neither
    /// do requests that are refused for good.
    pub fn is_cut_short(&self) -> bool {
        let is_done = |workload: &WorkloadPrediction| {
            let outcome = workload.in_cluster();
            outcome.complete.is_some() && outcome.last_old_pod_gone.is_some()
                || self.cause(&workload.object()).is_some()
        };
        let has_ended =
            |job: &JobPrediction| job.in_cluster().finished.is_some() || self.cause(&job.object()).is_some();
        match self.end.reason {
            EndReason::Quiet => false,
            EndReason::Time => !(self.workloads.iter().all(is_done) && self.jobs.iter().all(has_ended)),
            EndReason::Steps | EndReason::Pods | EndReason::Bytes => true,
        }
    }

    /// Why the outcome is not known, if the simulation ended before it was, and what to do.
    #[must_use]
    pub fn why_cut_short(&self) -> Option<String> {
        let to_do = match self.end.reason {
            EndReason::Quiet | EndReason::Time => "Assume shorter times for the pods.",
            EndReason::Steps | EndReason::Pods | EndReason::Bytes => "Change fewer objects at once.",
        };
        let why = &self.end.message;
        self.is_cut_short().then(|| {
            format!("The simulation ends before the change is complete, so the outcome is not known. {why} {to_do}")
        })
    }

    /// Why the rollout of a workload that does not complete never does, in one sentence: what is warned about, if that says more. None
    /// if the simulation ended early and shows no cause: nobody knows what happens later.
    pub fn why_incomplete(&self, object: &str) -> Option<&str> {
        let is_its = |workload: &&WorkloadPrediction| workload.object() == object;
        let change = self.workloads.iter().find(is_its).and_then(|workload| workload.change.as_ref());
        let unknown = match change {
            Some(change) if !change.rollout && !change.created => SCALING_NEVER_COMPLETES,
            _ => ROLLOUT_NEVER_COMPLETES,
        };
        let known = || self.incompleteness(object).unwrap_or(unknown);
        self.cause(object).or_else(|| (!self.is_cut_short()).then(known))
    }

    /// What is warned about that keeps a rollout or a Job from its end.
    fn cause(&self, object: &str) -> Option<&str> {
        let says_more = |message: &&str| {
            ![ROLLOUT_NEVER_COMPLETES, SCALING_NEVER_COMPLETES].iter().any(|unknown| message.starts_with(unknown))
        };
        let known = self.incompleteness(object).filter(says_more);
        // Of what completes, it says only that it may take longer.
        known.or_else(|| self.warning(WarningKind::VolumeOfOneNode, object))
    }

    /// What is warned about a rollout or a Job that does not end.
    fn incompleteness(&self, object: &str) -> Option<&str> {
        CAUSES.into_iter().find_map(|kind| self.warning(kind, object))
    }

    /// Why a Job that does not end never does, in one sentence. None as above.
    pub fn why_endless(&self, job: &str) -> Option<&str> {
        self.cause(job).or_else(|| (!self.is_cut_short()).then_some("The Job never ends."))
    }

    /// That a probe never lets the pods of a Deployment be ready, whatever time until then is given.
    pub fn stuck_by_probe(&self, object: &str) -> Option<&str> {
        let kinds = [WarningKind::UnresolvedPort, WarningKind::HopelessProbe];
        kinds.into_iter().find_map(|kind| self.warning(kind, object))
    }

    /// Whether something is wrong with an object that the change neither touches nor makes worse.
    pub fn is_unrelated(&self, object: &str) -> bool {
        self.warning(WarningKind::Unrelated, object).is_some()
    }

    fn warning(&self, kind: WarningKind, object: &str) -> Option<&str> {
        let found = self.warnings.iter().find(|warning| warning.kind == kind && warning.object == object);
        found.map(|warning| warning.message.as_str())
    }
}

fn of_job(job: &JobPrediction, prediction: &Prediction) -> Option<Reason> {
    let JobOutcome { waits, condition, finished, .. } = job.in_cluster();
    let object = job.object();
    let message = match finished {
        // One that has failed before is not what the change is about.
        Some(after) if *after > 0 && condition.as_deref() == Some("Failed") => "The Job fails.",
        None if !waits => prediction.why_endless(&object)?,
        _ => return None,
    };
    Some(Reason::new(ReasonKind::Incomplete, String::from(message)).about(object))
}
