//! The evictions of pods from nodes that no longer report.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cluster::decision::NodeDecision;
use crate::cluster::{Decision, Step};
use crate::collect_tree::CollectTree;
use crate::object::{Pod, Time};
use crate::scenario::Duration;
use crate::timeline::Timeline;

/// An eviction of a pod that no longer tolerates the taint of its node.
pub(super) struct Eviction<'a> {
    pub(super) step: &'a Step,
    node: &'a str,
    /// When it happens, in nanoseconds from the start of the timeline.
    at: i64,
    /// For how many nanoseconds the pod tolerates the taint.
    tolerated: i64,
}

/// The evictions of these pods, in the order in which they happen.
pub(super) fn evictions<'a>(timeline: &'a Timeline, pods: impl Iterator<Item = &'a Pod>) -> Vec<Eviction<'a>> {
    let pods: BTreeSet<(&str, &str)> = pods.map(|pod| (&*pod.metadata.namespace, &*pod.metadata.name)).collect_tree();
    let eviction = |step: &'a Step| {
        let Decision::Node(decision) = &step.decision else { return None };
        let NodeDecision::Evict { seconds, node, .. } = &**decision else { return None };
        let at = step.time.since(timeline.scenario.start);
        Some(Eviction { step, node, at, tolerated: Duration::seconds(*seconds).0 })
    };
    let is_of_one = |step: &&Step| pods.contains(&(&*step.about.namespace, &*step.about.name));
    timeline.steps.iter().filter(is_of_one).filter_map(eviction).collect()
}

/// That a node does not report, and what becomes of the pods there. `pods`: how many there are.
pub(super) fn lost_node(node: &str, pods: usize, evictions: &[Eviction<'_>]) -> String {
    let from_here: Vec<&Eviction<'_>> = evictions.iter().filter(|eviction| eviction.node == node).collect();
    let (Some(first), Some(last)) = (from_here.first(), from_here.last()) else {
        let pods = if pods == 1 { "1 pod there stays" } else { &format!("{pods} pods there stay") };
        return format!("node {node} no longer reports: {pods} until it does");
    };
    let (they_are, they_stay) = match (from_here.len(), pods) {
        (1, 1) => (String::from("its pod is"), "it stays terminating"),
        (evicted, all) if evicted == all => (format!("its {all} pods are"), "they stay terminating"),
        (1, all) => (format!("1 of its {all} pods is"), "all stay"),
        (evicted, all) => (format!("{evicted} of its {all} pods are"), "all stay"),
    };
    let when = if last.at == 0 {
        String::from("at once")
    } else if last.at == first.at {
        format!("in {} ({})", Duration(first.at).in_words(), first.patience())
    } else {
        format!("within {}", Duration(last.at).in_words())
    };
    format!("node {node} no longer reports: {they_are} evicted {when} and replaced; {they_stay} until the node returns")
}

impl Eviction<'_> {
    /// Why it happens then: `tainted 1 min 55 s ago, tolerated for 5 min`.
    fn patience(&self) -> String {
        let tolerated = format!("tolerated for {}", Duration(self.tolerated).in_words());
        let tainted = self.tolerated.saturating_sub(self.at);
        if tainted < Time::SECOND {
            return tolerated;
        }
        format!("tainted {} ago, {tolerated}", Duration(tainted).in_words())
    }
}
