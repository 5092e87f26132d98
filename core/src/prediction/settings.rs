//! The settings of a workload that decide how its pods are replaced.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde_json::{Map, Value, json};

use super::constraints::Constraints;
use super::rollout_plan::PodReplacementPolicies;
use crate::collect_tree::CollectTree;
use crate::json::ToJson;
use crate::object::{IntOrString, Kind, PodTemplateSpec};
use crate::workload::daemon_set::{DaemonSet, UpdateStrategyType as DaemonSetStrategy};
use crate::workload::deployment::controller::{has_progress_deadline, is_rolling_update, max_surge, max_unavailable};
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};
use crate::workload::stateful_set::controller::get_stateful_set_max_unavailable;
use crate::workload::stateful_set::{PodManagementPolicy, StatefulSet, UpdateStrategyType};

const ROLLING_UPDATE: &str = "RollingUpdate";
const ON_DELETE: &str = "OnDelete";

/// The settings of a Deployment, a StatefulSet or a DaemonSet that decide how its pods are replaced.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// The type of the strategy: `RollingUpdate` or, of a Deployment, `Recreate`; a StatefulSet or a DaemonSet may also have `OnDelete`.
    pub strategy: String,
    /// Pods above the desired number, as a number or a percentage; absent without a rolling update, and for a StatefulSet.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::NumberOrPercentage>"))]
    pub max_surge: Option<IntOrString>,
    /// Pods that may be unavailable, as a number or a percentage; absent without a rolling update.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::NumberOrPercentage>"))]
    pub max_unavailable: Option<IntOrString>,
    /// Seconds that a pod must be ready before it counts as available.
    pub min_ready_seconds: i32,
    /// How many of a StatefulSet's pods, from the lowest ordinal up, keep the old template; absent if none does.
    #[json(omitempty)]
    pub partition: Option<i32>,
    /// In which order a StatefulSet's pods are created: `OrderedReady` or `Parallel`.
    #[json(omitempty)]
    pub pod_management_policy: Option<PodManagementPolicy>,
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
            max_surge: rolling.and_then(|rolling| rolling.max_surge.clone()),
            max_unavailable: rolling.and_then(|rolling| rolling.max_unavailable.clone()),
            ..Self::of_type(&spec.strategy.type_, spec.min_ready_seconds)
        }
    }

    fn of_stateful_set(set: &StatefulSet) -> Self {
        let strategy = &set.spec.update_strategy;
        let type_ = match strategy.type_ {
            UpdateStrategyType::RollingUpdate => ROLLING_UPDATE,
            UpdateStrategyType::OnDelete => ON_DELETE,
            UpdateStrategyType::Recreate => "Recreate",
        };
        let setting = Self::of_type(type_, set.spec.min_ready_seconds).with_policy(set.spec.pod_management_policy);
        if type_ != ROLLING_UPDATE {
            return setting;
        }
        let rolling = strategy.rolling_update.clone().unwrap_or_default();
        Self {
            max_unavailable: Some(rolling.max_unavailable.unwrap_or(IntOrString::Int(1))),
            partition: rolling.partition.filter(|partition| *partition > 0),
            ..setting
        }
    }

    fn of_daemon_set(set: &DaemonSet) -> Self {
        let spec = &set.spec;
        if spec.update_strategy.type_ == DaemonSetStrategy::OnDelete {
            return Self::of_type(ON_DELETE, spec.min_ready_seconds);
        }
        let rolling = spec.update_strategy.rolling_update.clone().unwrap_or_default();
        Self {
            max_surge: rolling.max_surge,
            max_unavailable: rolling.max_unavailable,
            ..Self::of_type(ROLLING_UPDATE, spec.min_ready_seconds)
        }
    }

    pub(crate) fn rolling(surge: i32, unavailable: i32, min_ready_seconds: i32) -> Self {
        Self {
            max_surge: Some(IntOrString::Int(surge)),
            max_unavailable: Some(IntOrString::Int(unavailable)),
            ..Self::of_type(ROLLING_UPDATE, min_ready_seconds)
        }
    }

    pub(crate) fn recreate(min_ready_seconds: i32) -> Self {
        Self::of_type("Recreate", min_ready_seconds)
    }

    /// A strategy without limits.
    fn of_type(strategy: &str, min_ready_seconds: i32) -> Self {
        Self {
            strategy: strategy.into(),
            max_surge: None,
            max_unavailable: None,
            min_ready_seconds,
            partition: None,
            pod_management_policy: None,
            pod_replacement_policy: None,
        }
    }

    fn with_policy(self, policy: PodManagementPolicy) -> Self {
        Self { pod_management_policy: Some(policy), ..self }
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

    /// Why the pods are not all replaced, if the setting keeps some of them.
    pub(super) fn keeps_pods(&self, replicas: i32) -> Option<String> {
        match self.partition {
            _ if self.strategy == ON_DELETE => {
                Some(String::from("replaces no pod: OnDelete waits until you delete it"))
            }
            Some(partition) => {
                let kept = partition.min(replicas);
                Some(format!(
                    "replaces only {} of {replicas} pods: partition {partition}",
                    replicas.saturating_sub(kept)
                ))
            }
            None => None,
        }
    }

    /// Whether an object with other settings can't be changed to these: it has to be created again.
    pub(super) fn needs_new_object(&self, other: &Self) -> bool {
        self.pod_management_policy != other.pod_management_policy
    }

    /// The JSON merge patch (RFC 7386) of a workload of this kind that has other settings: what differs, or nothing.
    pub(super) fn patch_from(&self, other: &Self, kind: Kind) -> Value {
        let mut spec = Map::new();
        let strategy = |setting: &Self| {
            (setting.strategy.clone(), setting.max_surge.clone(), setting.max_unavailable.clone(), setting.partition)
        };
        if strategy(self) != strategy(other) {
            spec.insert(strategy_field(kind).into(), self.strategy_patch(kind, other.partition));
        }
        if self.min_ready_seconds != other.min_ready_seconds {
            spec.insert("minReadySeconds".into(), self.min_ready_seconds.into());
        }
        if self.pod_management_policy != other.pod_management_policy {
            spec.insert("podManagementPolicy".into(), self.pod_management_policy.to_json());
        }
        if self.pod_replacement_policy != other.pod_replacement_policy {
            spec.insert("podReplacementPolicy".into(), self.pod_replacement_policy.to_json());
        }
        if spec.is_empty() { json!({}) } else { json!({ "spec": spec }) }
    }

    /// The JSON merge patch that gives any workload of this kind these settings.
    pub(super) fn patch(&self, kind: Kind) -> Value {
        let mut spec = Map::new();
        spec.insert(strategy_field(kind).into(), self.strategy_patch(kind, Some(0)));
        spec.insert("minReadySeconds".into(), self.min_ready_seconds.into());
        if let Some(policy) = &self.pod_management_policy {
            spec.insert("podManagementPolicy".into(), policy.to_json());
        }
        if kind == Kind::Deployment {
            spec.insert("podReplacementPolicy".into(), self.pod_replacement_policy.to_json());
        }
        json!({ "spec": spec })
    }

    /// The strategy, in place of one with another partition.
    fn strategy_patch(&self, kind: Kind, other_partition: Option<i32>) -> Value {
        if self.max_surge.is_none() && self.max_unavailable.is_none() {
            return json!({ "type": self.strategy, "rollingUpdate": null });
        }
        let unavailable = self.max_unavailable.to_json();
        let rolling = match kind {
            Kind::StatefulSet if self.partition == other_partition => json!({ "maxUnavailable": unavailable }),
            Kind::StatefulSet => json!({ "maxUnavailable": unavailable, "partition": self.partition.unwrap_or(0) }),
            _ => json!({ "maxSurge": self.max_surge.to_json(), "maxUnavailable": unavailable }),
        };
        json!({ "type": self.strategy, "rollingUpdate": rolling })
    }
}

/// The field with the strategy.
const fn strategy_field(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Deployment) { "strategy" } else { "updateStrategy" }
}

impl fmt::Display for Setting {
    /// `maxSurge 1, maxUnavailable 0`, `Recreate, minReadySeconds 20`, `maxUnavailable 2, Parallel`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.max_surge, &self.max_unavailable) {
            (None, None) => f.write_str(&self.strategy)?,
            (Some(surge), None) => write!(f, "maxSurge {surge}")?,
            (None, Some(unavailable)) => write!(f, "maxUnavailable {unavailable}")?,
            (Some(surge), Some(unavailable)) => write!(f, "maxSurge {surge}, maxUnavailable {unavailable}")?,
        }
        self.partition.iter().try_for_each(|partition| write!(f, ", partition {partition}"))?;
        if self.pod_management_policy == Some(PodManagementPolicy::Parallel) {
            f.write_str(", Parallel")?;
        }
        if self.min_ready_seconds > 0 {
            write!(f, ", minReadySeconds {}", self.min_ready_seconds)?;
        }
        self.pod_replacement_policy.iter().try_for_each(|policy| write!(f, ", {}", policy.as_str()))
    }
}

/// A workload whose settings are searched.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Replaced {
    Deployment(Rc<Deployment>),
    StatefulSet(Rc<StatefulSet>),
    DaemonSet(Rc<DaemonSet>),
}

impl Replaced {
    /// How many pods it should have.
    pub(super) fn replicas(&self) -> i32 {
        match self {
            Self::Deployment(deployment) => deployment.spec.replicas,
            Self::StatefulSet(set) => set.spec.replicas,
            Self::DaemonSet(set) => set.status.desired_number_scheduled,
        }
    }

    pub(super) fn template(&self) -> &PodTemplateSpec {
        match self {
            Self::Deployment(deployment) => &deployment.spec.template,
            Self::StatefulSet(set) => &set.spec.template,
            Self::DaemonSet(set) => &set.spec.template,
        }
    }

    /// Its settings in today's releases.
    pub(super) fn setting(&self) -> Setting {
        match self {
            Self::Deployment(deployment) => Setting::of(deployment),
            Self::StatefulSet(set) => Setting::of_stateful_set(set),
            Self::DaemonSet(set) => Setting::of_daemon_set(set),
        }
    }

    /// Whether the API server takes a minReadySeconds.
    pub(super) fn allows_min_ready(&self, seconds: i32) -> bool {
        match self {
            Self::Deployment(deployment) => {
                let deadline = deployment.spec.progress_deadline_seconds.unwrap_or(600);
                !has_progress_deadline(deployment) || seconds < deadline
            }
            Self::StatefulSet(_) | Self::DaemonSet(_) => true,
        }
    }

    /// The settings worth trying that replace all pods, with its own minReadySeconds: small numbers, shares, and those at which
    /// the constraints are just met. Those that a constraint rules out are left out: the surge is always used, and so are the
    /// unavailable pods.
    pub(super) fn candidates(&self, constraints: &Constraints) -> Vec<Setting> {
        let (desired, min_ready) = (self.replicas(), self.setting().min_ready_seconds);
        let largest_surge = constraints.max_pods.map_or(desired, |most| most.saturating_sub(desired).min(desired));
        let largest_unavailable = constraints.min_available.map_or(desired, |least| desired.saturating_sub(least));
        let surges = |own: i32| ladder(desired, [largest_surge, own], largest_surge);
        let unavailables = |own: i32| ladder(desired, [largest_unavailable, own], largest_unavailable);
        let rolling = |(surge, unavailable): (i32, i32)| Setting::rolling(surge, unavailable, min_ready);
        match self {
            Self::Deployment(deployment) => {
                let unavailables = unavailables(max_unavailable(deployment));
                let surges = surges(max_surge(deployment));
                let pairs = surges.iter().flat_map(|surge| unavailables.iter().map(|other| (*surge, *other)));
                let rolling = pairs.filter(|pair| *pair != (0, 0)).map(rolling);
                rolling.chain([Setting::recreate(min_ready)]).collect()
            }
            Self::StatefulSet(set) => {
                let strategy = &set.spec.update_strategy.rolling_update;
                let own = strategy.as_ref().and_then(|rolling| rolling.max_unavailable.as_ref());
                let own = get_stateful_set_max_unavailable(own, desired).ok().and_then(|own| i32::try_from(own).ok());
                let unavailables: Vec<i32> =
                    unavailables(own.unwrap_or(1)).into_iter().filter(|number| *number > 0).collect();
                let policies: &[PodManagementPolicy] = match set.spec.pod_management_policy {
                    PodManagementPolicy::OrderedReady => {
                        &[PodManagementPolicy::OrderedReady, PodManagementPolicy::Parallel]
                    }
                    PodManagementPolicy::Parallel => &[PodManagementPolicy::Parallel],
                };
                let pairs = policies.iter().flat_map(|policy| unavailables.iter().map(|other| (*policy, *other)));
                let setting = |(policy, unavailable): (PodManagementPolicy, i32)| Setting {
                    max_unavailable: Some(IntOrString::Int(unavailable)),
                    ..Setting::of_type(ROLLING_UPDATE, min_ready).with_policy(policy)
                };
                pairs.map(setting).collect()
            }
            Self::DaemonSet(set) => {
                let own = |limit: Result<i64, String>| limit.ok().and_then(|own| i32::try_from(own).ok()).unwrap_or(0);
                let surges = surges(own(set.surge_count(desired)));
                let unavailables = unavailables(own(set.unavailable_count(desired)));
                // The API server takes only one of the two.
                let pairs = surges.into_iter().map(|surge| (surge, 0));
                let pairs = pairs.chain(unavailables.into_iter().map(|unavailable| (0, unavailable)));
                pairs.filter(|pair| *pair != (0, 0)).map(rolling).collect()
            }
        }
    }
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
