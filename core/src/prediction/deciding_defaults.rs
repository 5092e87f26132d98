//! The defaults of assumptions that decide a verdict: without one of them, the change would fit.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::answer::{JobOutcome, Outcome, Prediction, WarningKind};
use super::measure::Measures;
use super::measured_run::Steps;
use super::options::Assumptions;
use super::quota_demand::Quota;
use super::rollout_plan::{MoreReplicas, PodReplacementPolicies, Quotas, RolloutPlan};
use super::verdict::{DecidingDefault, Reason, ReasonKind, VerdictResult};
use crate::Problem;
use crate::object::ObjectKey;
use crate::scenario::{Delay, Duration};

/// The defaults each of which decides alone that the change does not fit: it is played again with the other extreme of each one that may
/// matter.
pub(super) fn deciding_defaults(
    plan: &RolloutPlan,
    assumptions: &Assumptions,
    quotas: &[Quota],
    prediction: &Prediction,
) -> Result<Vec<DecidingDefault>, Problem> {
    let reasons =
        || prediction.verdict.reasons.iter().filter(|reason| reason.kind.result() == VerdictResult::DoesNotFit);
    let is_timed = |kind| [ReasonKind::Quota, ReasonKind::Incomplete].contains(&kind);
    if reasons().next().is_none() || !reasons().all(|reason| is_timed(reason.kind)) {
        return Ok(Vec::new());
    }
    let has_quota = reasons().any(|reason| reason.kind == ReasonKind::Quota);
    let has_job = reasons().any(|reason| reason.object.as_ref().is_some_and(|object| object.starts_with("Job/")));
    let has_probe = prediction.warnings.iter().any(|warning| warning.kind == WarningKind::HopelessProbe);
    // What changes in another namespace does not share the quota.
    let shares_quota = |key: &&ObjectKey| {
        let quotas = reasons().filter(|reason| reason.kind == ReasonKind::Quota);
        let prefix = format!("ResourceQuota/{}/", key.namespace);
        quotas.filter_map(|reason| reason.object.as_ref()).any(|object| object.starts_with(&prefix))
    };
    let has_several = plan.changed().filter(shares_quota).nth(1).is_some();
    let at_once = Duration::seconds(1);
    let given = assumptions;
    let others = [
        (
            DecidingDefault::ReadyAfter,
            given.ready_after.is_none() && has_probe,
            Assumptions { ready_after: Some(Delay::After(at_once)), ..given.clone() },
        ),
        (
            DecidingDefault::StopAfter,
            given.stop_after.is_none() && has_quota,
            Assumptions { stop_after: Some(Duration(0)), ..given.clone() },
        ),
        (
            DecidingDefault::RunFor,
            given.run_for.is_none() && has_job,
            Assumptions { run_for: Some(Delay::After(at_once)), ..given.clone() },
        ),
        (
            DecidingDefault::Concurrent,
            given.concurrent.is_none() && has_quota && has_several,
            Assumptions { concurrent: Some(1), ..given.clone() },
        ),
    ];
    let mut deciding = Vec::new();
    for (default, may_matter, other) in others {
        if may_matter && fits(&plan.with_assumptions(&other), quotas, prediction)? {
            deciding.push(default);
        }
    }
    Ok(deciding)
}

/// That a change may not fit if autoscalers scale Deployments as far as they may. Without quotas and nodes, nothing limits it.
pub(super) fn at_max_replicas(
    plan: &RolloutPlan,
    quotas: &[Quota],
    prediction: &Prediction,
) -> Result<Vec<Reason>, Problem> {
    let is_limited = plan.has_nodes || !quotas.is_empty();
    if !is_limited || prediction.verdict.result == VerdictResult::DoesNotFit {
        return Ok(Vec::new());
    }
    let scaled = plan.may_have_more_replicas();
    let most = if scaled.is_empty() { None } else { plan.at_max_replicas(&scaled) };
    if most.map_or(Ok(true), |plan| fits(&plan, quotas, prediction))? {
        return Ok(Vec::new());
    }
    let reason = |MoreReplicas { deployment, replicas, autoscaler, .. }: &MoreReplicas<'_>| {
        let replicas = if *replicas == 1 { "1 replica".into() } else { format!("{replicas} replicas") };
        let message = format!(
            "The verdict assumes {replicas}. With the maximum of {}, the change does not fit.",
            autoscaler.with_bounds()
        );
        Reason::new(ReasonKind::AutoscaledReplicas, message).about(deployment.to_string())
    };
    Ok(scaled.iter().map(reason).collect())
}

/// Whether the quotas refuse nothing, and everything completes, apart from what is unrelated to the change.
fn fits(plan: &RolloutPlan, quotas: &[Quota], prediction: &Prediction) -> Result<bool, Problem> {
    let run = plan.measure(PodReplacementPolicies::Today, Quotas::Ignored, quotas, Steps::Dropped)?;
    let is_meant = |object: &str| !prediction.is_unrelated(object);
    if !quotas.iter().zip(&run.demands).all(|(quota, demand)| !is_meant(&quota.object()) || demand.fits) {
        return Ok(false);
    }
    let Measures { workloads, outcomes, jobs, .. } = run.measures;
    let completes = |(key, outcome): (&ObjectKey, &Outcome)| outcome.complete.is_some() || !is_meant(&key.to_string());
    let ends_well = |job: &JobOutcome| match job.finished {
        Some(after) => after == 0 || job.condition.as_deref() != Some("Failed"),
        None => job.waits,
    };
    Ok(workloads.iter().zip(&outcomes).all(completes)
        && jobs.iter().all(|(key, job)| ends_well(job) || !is_meant(&key.to_string())))
}
