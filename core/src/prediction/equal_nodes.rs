//! Whether a change also fits if the scheduler takes others of equally good nodes.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::Prediction;
use super::measured_run::{MeasuredRun, Steps};
use super::quota_demand::Quota;
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::verdict::{Reason, ReasonKind, VerdictResult};
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::scenario::EqualNodes;
use crate::timeline::EndReason;

/// What is tried besides the first of equally good nodes. To try all would take a run for each combination.
const OTHERS: [EqualNodes; 2] = [EqualNodes::Last, EqualNodes::Random];

/// Why a change that fits does not fit with others of equally good nodes: the real scheduler takes any of them.
///
/// # Errors
/// As [`RolloutPlan::new`].
pub(super) fn with_other_nodes(
    plan: &RolloutPlan,
    seed: u64,
    quotas: &[Quota],
    prediction: &Prediction,
) -> Result<Vec<Reason>, Problem> {
    if plan.touched().next().is_none()
        || plan.has_fewer_than_two_nodes()
        || prediction.is_cut_short()
        || prediction.verdict.result == VerdictResult::DoesNotFit
    {
        return Ok(Vec::new());
    }
    let measure =
        |plan: &RolloutPlan| plan.measure(PodReplacementPolicies::Today, Quotas::Ignored, quotas, Steps::Dropped);
    for equal_nodes in OTHERS {
        let plan = plan.with_equal_nodes(equal_nodes, seed)?;
        let run = measure(&plan)?;
        // Nobody knows how a run goes on that ends early.
        if run.timeline.end.reason != EndReason::Quiet {
            continue;
        }
        let mut reasons = misfits(&run, prediction);
        // What this choice holds up without the change, too, is no answer.
        if !reasons.is_empty()
            && let Some(unchanged) = plan.without_change()
        {
            let before = misfits(&measure(&unchanged)?, prediction);
            reasons.retain(|reason| !before.iter().any(|before| before.object == reason.object));
        }
        if !reasons.is_empty() {
            return Ok(reasons);
        }
    }
    Ok(Vec::new())
}

/// What does not fit in a run, and fits in the prediction.
fn misfits(run: &MeasuredRun, prediction: &Prediction) -> Vec<Reason> {
    const IF: &str = "If the scheduler takes another of several equally good nodes,";
    let is_meant = |object: &str| !prediction.is_unrelated(object);
    let pending = run.pending.iter().filter(|pods| pods.stay > 0 && is_meant(&pods.workload));
    let pending: Vec<Reason> = pending
        .map(|pods| {
            let message = format!("{IF} pods find no node: {}.", pods.message.trim_end_matches('.'));
            Reason::new(ReasonKind::Pending, message).about(pods.workload.clone())
        })
        .collect();
    let explained: BTreeSet<&str> = pending.iter().filter_map(|reason| reason.object.as_deref()).collect_tree();
    let workloads = run.measures.workloads.iter().zip(&run.measures.outcomes);
    let incomplete = workloads.filter(|(_, outcome)| outcome.complete.is_none()).map(|(key, _)| key.to_string());
    let incomplete: Vec<Reason> = incomplete
        .filter(|object| is_meant(object) && !explained.contains(object.as_str()))
        .map(|object| Reason::new(ReasonKind::Incomplete, format!("{IF} the rollout never completes.")).about(object))
        .collect();
    let preempted = run.preempted.iter().filter(|warning| is_meant(&warning.object)).map(|warning| {
        Reason::new(ReasonKind::Preempted, format!("{IF} {}", warning.message)).about(String::from(&*warning.object))
    });
    pending.into_iter().chain(incomplete).chain(preempted.collect::<Vec<_>>()).collect()
}
