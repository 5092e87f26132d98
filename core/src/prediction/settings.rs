//! The settings of a Deployment that decide how its pods are replaced.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_json::{Map, Value, json};

use super::constraints::Constraints;
use super::rollout_plan::PodReplacementPolicies;
use crate::collect_tree::CollectTree;
use crate::json::ToJson;
use crate::object::IntOrString;
use crate::workload::deployment::controller::{is_rolling_update, max_surge, max_unavailable};
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};

/// The settings of a Deployment that decide how its pods are replaced.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The type of the strategy: `RollingUpdate` or `Recreate`.
    pub strategy: String,
    /// Pods above the desired number, as a number or a percentage; absent for Recreate.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::NumberOrPercentage>"))]
    pub max_surge: Option<IntOrString>,
    /// Pods that may be unavailable, as a number or a percentage; absent for Recreate.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::NumberOrPercentage>"))]
    pub max_unavailable: Option<IntOrString>,
    /// Seconds that a pod must be ready before it counts as available.
    pub min_ready_seconds: i32,
    /// The proposed field of KEP-5882, which no release has; absent in today's settings.
    #[json(omitempty)]
    pub pod_replacement_policy: Option<DeploymentPodReplacementPolicy>,
}

impl Setting {
    /// The settings of a Deployment in today's releases.
    pub(crate) fn of(deployment: &Deployment) -> Self {
        let spec = &deployment.spec;
        let rolling = spec.strategy.rolling_update.as_ref().filter(|_| is_rolling_update(deployment));
        Self {
            strategy: spec.strategy.type_.clone(),
            max_surge: rolling.and_then(|rolling| rolling.max_surge.clone()),
            max_unavailable: rolling.and_then(|rolling| rolling.max_unavailable.clone()),
            min_ready_seconds: spec.min_ready_seconds,
            pod_replacement_policy: None,
        }
    }

    pub(crate) fn rolling(surge: i32, unavailable: i32, min_ready_seconds: i32) -> Self {
        Self {
            strategy: "RollingUpdate".into(),
            max_surge: Some(IntOrString::Int(surge)),
            max_unavailable: Some(IntOrString::Int(unavailable)),
            min_ready_seconds,
            pod_replacement_policy: None,
        }
    }

    pub(crate) fn recreate(min_ready_seconds: i32) -> Self {
        Self {
            strategy: "Recreate".into(),
            max_surge: None,
            max_unavailable: None,
            min_ready_seconds,
            pod_replacement_policy: None,
        }
    }

    /// The same with the proposed policy.
    pub(super) fn proposed(&self) -> Self {
        let policy = DeploymentPodReplacementPolicy::TerminationComplete;
        Self { pod_replacement_policy: Some(policy), ..self.clone() }
    }

    pub(super) fn with_min_ready_seconds(&self, min_ready_seconds: i32) -> Self {
        Self { min_ready_seconds, ..self.clone() }
    }

    pub(super) const fn policy(&self) -> PodReplacementPolicies {
        if self.pod_replacement_policy.is_some() {
            PodReplacementPolicies::Proposed
        } else {
            PodReplacementPolicies::Today
        }
    }

    /// The JSON merge patch (RFC 7386) of a Deployment that has other settings: what differs, or nothing.
    pub(super) fn patch_from(&self, other: &Self) -> Value {
        let mut spec = Map::new();
        let strategy =
            |setting: &Self| (setting.strategy.clone(), setting.max_surge.clone(), setting.max_unavailable.clone());
        if strategy(self) != strategy(other) {
            spec.insert("strategy".into(), self.strategy_patch());
        }
        if self.min_ready_seconds != other.min_ready_seconds {
            spec.insert("minReadySeconds".into(), self.min_ready_seconds.into());
        }
        if self.pod_replacement_policy != other.pod_replacement_policy {
            spec.insert("podReplacementPolicy".into(), self.pod_replacement_policy.to_json());
        }
        if spec.is_empty() { json!({}) } else { json!({ "spec": spec }) }
    }

    /// The JSON merge patch that gives any Deployment these settings.
    pub(super) fn patch(&self) -> Value {
        json!({ "spec": {
            "strategy": self.strategy_patch(),
            "minReadySeconds": self.min_ready_seconds,
            "podReplacementPolicy": self.pod_replacement_policy.to_json(),
        } })
    }

    fn strategy_patch(&self) -> Value {
        let rolling = match (&self.max_surge, &self.max_unavailable) {
            (None, None) => Value::Null,
            (surge, unavailable) => json!({ "maxSurge": surge.to_json(), "maxUnavailable": unavailable.to_json() }),
        };
        json!({ "type": self.strategy, "rollingUpdate": rolling })
    }
}

impl fmt::Display for Setting {
    /// `maxSurge 1, maxUnavailable 0`, `Recreate, minReadySeconds 20`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.max_surge, &self.max_unavailable) {
            (None, None) => f.write_str(&self.strategy)?,
            (Some(surge), None) => write!(f, "maxSurge {surge}")?,
            (None, Some(unavailable)) => write!(f, "maxUnavailable {unavailable}")?,
            (Some(surge), Some(unavailable)) => write!(f, "maxSurge {surge}, maxUnavailable {unavailable}")?,
        }
        if self.min_ready_seconds > 0 {
            write!(f, ", minReadySeconds {}", self.min_ready_seconds)?;
        }
        self.pod_replacement_policy.iter().try_for_each(|policy| write!(f, ", {}", policy.as_str()))
    }
}

/// The rolling settings worth trying, as pairs of surge and unavailable pods: small numbers, shares, and those at which the
/// constraints are just met. Pairs that a constraint rules out are left out: the surge is always used, and so are the unavailable pods.
pub(super) fn rolling_pairs(deployment: &Deployment, constraints: &Constraints) -> Vec<(i32, i32)> {
    let desired = deployment.spec.replicas;
    let largest_surge = constraints.max_pods.map_or(desired, |most| most.saturating_sub(desired).min(desired));
    let largest_unavailable = constraints.min_available.map_or(desired, |least| desired.saturating_sub(least));
    let (surges, unavailables) = (
        ladder(desired, [largest_surge, max_surge(deployment)], largest_surge),
        ladder(desired, [largest_unavailable, max_unavailable(deployment)], largest_unavailable),
    );
    let pairs = surges.iter().flat_map(|surge| unavailables.iter().map(move |unavailable| (*surge, *unavailable)));
    pairs.filter(|pair| *pair != (0, 0)).collect()
}

/// The numbers of pods to try, up to the largest.
fn ladder(desired: i32, own: [i32; 2], largest: i32) -> BTreeSet<i32> {
    let share = |percent: i32| {
        let share = i64::from(desired).saturating_mul(percent.into()).saturating_add(99).div_euclid(100);
        i32::try_from(share).unwrap_or(i32::MAX)
    };
    let steps: Vec<i32> = match desired {
        ..=10 => (0..=desired).collect(),
        11..=200 => Vec::from([0, 1, 2, 3, share(5), share(10), share(25), share(50), desired]),
        _ => Vec::from([0, 1, share(10), share(25), share(50), desired]),
    };
    steps.into_iter().chain(own).filter(|number| (0..=largest).contains(number)).collect_tree()
}
