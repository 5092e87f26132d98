//! Warnings about DaemonSets: updates that never complete or leave pods as they are.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::WarningKind;
use super::measured_run::MeasuredRun;
use super::outage::{longest_span, none_available};
use super::set_outcome::{STAY_ON_DELETE, SetOutcome, names_of};
use crate::collect_tree::CollectTree;
use crate::workload::daemon_set::{DaemonSet, UpdateStrategyType};

/// A DaemonSet, and the outcome of its update.
pub(super) struct DaemonSubject<'a> {
    pub(super) set: &'a DaemonSet,
    pub(super) outcome: &'a SetOutcome<'a>,
}

impl DaemonSubject<'_> {
    pub(super) fn warnings(&self, run: &MeasuredRun) -> Vec<(WarningKind, String)> {
        let is_on_delete = self.set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete;
        let is_rollout = self.outcome.change.is_some_and(|change| change.rollout);
        let mut warnings = self.outcome.probe_warnings(&self.set.spec.template);
        warnings.extend((is_on_delete && is_rollout).then(|| (WarningKind::OldPodsStay, STAY_ON_DELETE.into())));
        warnings.extend(self.outcome.never_complete(|| self.why_incomplete(run)));
        warnings.extend(self.outage());
        warnings.extend(self.no_node());
        warnings.extend(self.nodes_left(run));
        warnings
    }

    /// That no node should have a pod.
    fn no_node(&self) -> Option<(WarningKind, String)> {
        self.outcome.change.filter(|change| change.replicas == 0)?;
        let message = "No node matches its nodeSelector, affinity and tolerations, so it runs no pods.";
        Some((WarningKind::NoNode, message.into()))
    }

    /// That the update deletes pods on nodes that have changed since, and take no new ones.
    fn nodes_left(&self, run: &MeasuredRun) -> Option<(WarningKind, String)> {
        self.outcome.change.filter(|change| change.rollout && change.replicas == change.replicas_before)?;
        self.outcome.outcome.complete?;
        let of_set = run.timeline.initial.pods().filter(|pod| pod.metadata.is_controlled_by(&self.set.metadata));
        let mut nodes: BTreeSet<Rc<str>> = of_set.filter_map(|pod| pod.spec.node_name.clone()).collect_tree();
        for pod in run.pods_of(&self.set.metadata) {
            nodes.retain(|node| pod.spec.node_name.as_ref() != Some(node));
        }
        let there = match nodes.len() {
            0 => return None,
            1 => "the pod there, and the node takes no new one",
            _ => "the pods there, and the nodes take no new ones",
        };
        let names = names_of(nodes.into_iter());
        let message = format!(
            "{names}: the update deletes {there}. Tolerate the taint there, or match the labels, to keep a pod there."
        );
        Some((WarningKind::NoNode, message))
    }

    /// That no pod is available at some moment.
    fn outage(&self) -> Option<(WarningKind, String)> {
        let change = self.outcome.change.filter(|change| change.rollout && change.replicas > 0)?;
        let (from, until) = longest_span(self.outcome.series, self.outcome.start)?;
        let gap = none_available(from, until);
        let message = match change.replicas {
            1 => format!(
                "Its only pod stops before the new one is available: {gap}. To start the new one first, set maxUnavailable to 0 and \
                 maxSurge to 1."
            ),
            pods => format!("All {pods} pods stop before new ones are available: {gap}. Lower maxUnavailable."),
        };
        Some((WarningKind::NothingAvailable, message))
    }

    /// Why not all of its pods become available.
    fn why_incomplete(&self, run: &MeasuredRun) -> String {
        let Some(pods) = self.outcome.staying else {
            let pods = run.pods_of(&self.set.metadata);
            let unready: Vec<Rc<str>> =
                pods.iter().filter(|pod| !pod.is_ready()).map(|pod| pod.metadata.name.clone()).collect();
            let become_ready = match unready.len() {
                0 => return String::from("The rollout never completes."),
                1 => "becomes ready",
                _ => "become ready",
            };
            let names = names_of(unready.into_iter());
            return format!("The rollout never completes: {names} never {become_ready}.");
        };
        let why = pods.message.trim_end_matches('.');
        let find = match pods.stay {
            1 => String::from("1 pod finds no room on its node"),
            count => format!("{count} pods find no room on their nodes"),
        };
        let beside = if self.set.allows_surge() && self.outcome.change.is_some_and(|change| change.rollout) {
            " With maxSurge, a new pod needs room on its node beside the old one: use maxUnavailable instead."
        } else {
            ""
        };
        format!("The rollout never completes, because {find}: {why}.{beside}")
    }
}
