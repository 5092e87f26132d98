//! Warnings about StatefulSets: updates that never complete or leave pods as they are, and moments without an available pod.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, WarningKind, WorkloadChange};
use super::options::Assumptions;
use super::outage::{longest_span, none_available};
use super::probe_budget::{hopeless_probe, unresolved_ports};
use crate::cluster::Decision;
use crate::cluster::decision::VolumeDecision;
use crate::object::{Object, Pod};
use crate::timeline::{Series, Timeline};
use crate::workload::stateful_set::controller::{get_ordinal, get_stateful_set_max_unavailable};
use crate::workload::stateful_set::{StatefulSet, UpdateStrategyType};

/// A StatefulSet, and what comes of it.
pub(super) struct SetSubject<'a> {
    pub(super) set: &'a StatefulSet,
    pub(super) change: Option<&'a WorkloadChange>,
    pub(super) outcome: &'a Outcome,
    pub(super) series: &'a Series,
    /// Its pods that find no node for good.
    pub(super) staying: Option<&'a PendingPods>,
    /// Why the API server refuses its pods, in one sentence.
    pub(super) refusal: Option<String>,
}

impl SetSubject<'_> {
    /// The warnings. `is_open`: nothing says when its pods are ready but their probes.
    pub(super) fn warnings(
        &self,
        timeline: &Timeline,
        assumptions: &Assumptions,
        is_open: bool,
    ) -> Vec<(WarningKind, String)> {
        let mut warnings = Vec::new();
        warnings.extend(self.outage(timeline));
        let Some(change) = self.change.filter(|change| !change.deleted) else {
            warnings.extend(self.never_complete(timeline));
            return warnings;
        };
        let fields = &self.set.spec.template.spec.fields;
        if change.created || change.rollout {
            let ports = unresolved_ports(fields).map(|(is_stuck, message)| match is_stuck {
                true => (WarningKind::UnresolvedPort, message),
                false => (WarningKind::IdleProbe, message),
            });
            warnings.extend(ports);
            let hopeless = hopeless_probe(fields, assumptions, self.outcome.complete.is_none()).filter(|_| is_open);
            warnings.extend(hopeless.map(|message| (WarningKind::HopelessProbe, message)));
        }
        warnings.extend(self.never_complete(timeline));
        warnings.extend(self.old_pods(change));
        warnings
    }

    /// That its pods don't all come to be ready.
    fn never_complete(&self, timeline: &Timeline) -> Option<(WarningKind, String)> {
        if self.outcome.complete.is_some() {
            return None;
        }
        if let Some(refusal) = &self.refusal {
            return Some((WarningKind::NeverComplete, refusal.clone()));
        }
        if let Some(pods) = self.staying {
            let why = pods.message.trim_end_matches('.');
            return Some((
                WarningKind::NeverComplete,
                format!("The rollout never completes, because no node takes a pod: {why}."),
            ));
        }
        let message = match self.unavailable_pod(timeline) {
            Some(pod)
                if let Some(VolumeDecision::MultiAttach { volume, other_node, .. }) = multi_attach(timeline, &pod) =>
            {
                format!(
                    "The rollout never completes: {pod} waits for volume {volume}, which stays attached to node {other_node}. Find \
                     out which pod uses it there."
                )
            }
            Some(pod) if !self.set.allows_burst() => format!(
                "The rollout never completes: {pod} never becomes ready, and OrderedReady replaces no pod while one is not ready, \
                 not even after a rollback. To recover, roll back and delete {pod}."
            ),
            Some(pod) => format!("The rollout never completes: {pod} never becomes ready."),
            None => String::from("The rollout never completes."),
        };
        Some((WarningKind::NeverComplete, message))
    }

    /// The pod with the lowest ordinal that is not ready at the end.
    fn unavailable_pod(&self, timeline: &Timeline) -> Option<Rc<str>> {
        let mut pods: BTreeMap<Rc<str>, Rc<Pod>> = BTreeMap::new();
        let mut observe = |name: &Rc<str>, object: Option<&Object>| match object {
            Some(Object::Pod(pod)) if pod.metadata.is_controlled_by(&self.set.metadata) => {
                pods.insert(name.clone(), pod.clone());
            }
            _ => drop(pods.remove(name)),
        };
        let is_its = |namespace: &str| *namespace == *self.set.metadata.namespace;
        for object in timeline.initial.objects().filter(|object| is_its(&object.metadata().namespace)) {
            observe(&object.metadata().name, Some(object));
        }
        for change in timeline.steps.iter().filter_map(|step| step.change.as_ref()) {
            if is_its(&change.key.namespace) && change.key.kind == crate::object::Kind::Pod {
                observe(&change.key.name, change.after.as_ref());
            }
        }
        let unready = pods.into_values().filter(|pod| !pod.is_ready());
        unready.min_by_key(|pod| get_ordinal(pod)).map(|pod| pod.metadata.name.clone())
    }

    /// That the update leaves pods at the old template.
    fn old_pods(&self, change: &WorkloadChange) -> Option<(WarningKind, String)> {
        let strategy = &self.set.spec.update_strategy;
        let partition = strategy.rolling_update.as_ref().and_then(|rolling| rolling.partition).unwrap_or(0);
        let message = match strategy.type_ {
            _ if !change.rollout => return None,
            UpdateStrategyType::OnDelete => String::from(
                "Its update strategy is OnDelete: each pod keeps the old template until somebody deletes it.",
            ),
            UpdateStrategyType::RollingUpdate if partition > 0 => {
                let first = self.set.start_ordinal().saturating_add(partition);
                format!("Its partition is {partition}: pods with an ordinal below {first} keep the old template.")
            }
            _ => return None,
        };
        Some((WarningKind::OldPodsStay, message))
    }

    /// That no pod is available at some moment.
    fn outage(&self, timeline: &Timeline) -> Option<(WarningKind, String)> {
        let (from, until) = longest_span(self.series, timeline.scenario.start)?;
        let gap = none_available(from, until);
        let spec = &self.set.spec;
        let change = self.change?;
        if spec.replicas == 0 {
            let before = change.replicas_before;
            let message = format!(
                "It is scaled from {before} to 0 replicas: {gap}. If you don't mean that, set replicas to at least 1."
            );
            return (before > 0).then_some((WarningKind::ScaledToZero, message));
        }
        let max_unavailable =
            spec.update_strategy.rolling_update.as_ref().and_then(|rolling| rolling.max_unavailable.as_ref());
        let limit = get_stateful_set_max_unavailable(max_unavailable, spec.replicas).unwrap_or(1);
        let message = match spec.update_strategy.type_ {
            UpdateStrategyType::Recreate if change.rollout => {
                let message = format!(
                    "Recreate stops all pods before it starts new ones: {gap}. If two versions may run at once, use RollingUpdate."
                );
                return Some((WarningKind::RecreateGap, message));
            }
            _ if spec.replicas == 1 => {
                format!("A StatefulSet stops a pod before it creates the new one, and it has only one: {gap}.")
            }
            UpdateStrategyType::RollingUpdate if change.rollout && limit >= i64::from(spec.replicas) => format!(
                "maxUnavailable lets all {} pods stop before new ones are available: {gap}. Set it to less than {}, like 1.",
                spec.replicas, spec.replicas
            ),
            _ => format!("Old pods stop before new ones are available: {gap}."),
        };
        Some((WarningKind::NothingAvailable, message))
    }
}

/// That a pod waits for a volume that another node has.
fn multi_attach<'a>(timeline: &'a Timeline, name: &str) -> Option<&'a VolumeDecision> {
    let last = timeline.steps.iter().rev().find_map(|step| match &step.decision {
        Decision::Volume(decision) => match decision {
            VolumeDecision::MultiAttach { pod, .. } if **pod == *name => Some(Some(decision)),
            VolumeDecision::Attach { pod, .. } if **pod == *name => Some(None),
            _ => None,
        },
        _ => None,
    });
    last.flatten()
}
