//! A quota because of which the API server refuses pods.

use alloc::string::String;

use super::answer::{QuotaDemand, QuotaPrediction, Refusals};
use super::quota_demand::refusals;
use super::rollout_plan::PodReplacementPolicies;
use crate::cluster::Unspecified;
use crate::object::FAILED_QUOTA;
use crate::timeline::Timeline;

#[derive(Debug)]
pub(super) struct RefusingQuota {
    pub(super) namespace: String,
    pub(super) name: String,
    /// What the rollouts would use of it if it refused nothing.
    pub(super) demand: QuotaDemand,
    pub(super) refusals: Refusals,
}

impl RefusingQuota {
    /// The quota if it refuses something in this timeline, which was played with these policies.
    pub(super) fn of(quota: &QuotaPrediction, timeline: &Timeline, policies: PodReplacementPolicies) -> Option<Self> {
        let refusals = refusals(timeline, &quota.namespace, &quota.name)?;
        let demand = demand(quota, policies).clone();
        Some(Self { namespace: quota.namespace.clone(), name: quota.name.clone(), demand, refusals })
    }

    /// What the quota requires of a template, if that is why it refuses pods.
    pub(super) fn required(&self) -> Option<&Unspecified> {
        let is_why = self.refusals.message.starts_with(FAILED_QUOTA);
        self.demand.unspecified.as_ref().filter(|_| is_why)
    }
}

/// What rollouts with these policies would use of a quota.
pub(super) fn demand(quota: &QuotaPrediction, policies: PodReplacementPolicies) -> &QuotaDemand {
    match (policies, &quota.proposed) {
        (PodReplacementPolicies::Proposed, Some(proposed)) => proposed,
        _ => &quota.demand,
    }
}
