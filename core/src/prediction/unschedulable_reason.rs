//! Why the scheduler finds no node for a pod, and what helps.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::name;
use crate::cluster::unschedulable_reasons;
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, string};
use crate::scenario::repelling_taints;

/// The maximum length of a sentence, in characters.
const MAX_SENTENCE: usize = 160;

/// The advice to let an old pod go first, before others.
pub(super) const OLD_POD_FIRST: &str = "let an old pod go first (maxSurge 0, maxUnavailable 1), ";

/// The prefix of the taints that Kubernetes itself sets, and sets again if somebody removes them: on a cordoned node (which the
/// scheduler does not report as a taint), a node under pressure, and a node that does not report its status.
const SET_BY_KUBERNETES: &str = "node.kubernetes.io/";

/// Why nodes don't take a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnschedulableReason {
    /// They are cordoned.
    Cordoned,
    /// They have no room for it.
    Room,
    /// They run as many pods as they take.
    PodCount,
    /// They have a taint that it does not tolerate.
    Taint,
    /// They are not those that it selects by node selector or node affinity.
    Placement,
    /// They have no pods that it wants to be near to.
    Together,
    /// They have pods that it keeps away from, or that keep away from it.
    Apart,
    /// Its pods would not be spread evenly.
    Spread,
    /// A port that it asks for is taken.
    Port,
    /// Its volumes are not bound.
    Volume,
    /// Another pod uses a claim that only one pod may use.
    VolumeInUse,
    /// They have as many volumes as they take.
    VolumeCount,
    /// Its volumes can only be used on other nodes.
    VolumeElsewhere,
    /// They don't have the devices that its ResourceClaims ask for.
    Devices,
    /// Anything else, such as a scheduling gate.
    Other,
}

impl UnschedulableReason {
    /// What a scheduler's message names.
    pub(super) fn all_in(message: &str) -> BTreeSet<Self> {
        unschedulable_reasons(message).map(|(_, reason)| Self::of(reason)).collect_tree()
    }

    fn of(reason: &str) -> Self {
        let names = |words: &[&str]| words.iter().any(|word| reason.contains(word));
        // A volume has an affinity, too.
        if names(&["PersistentVolume's node affinity", "volume node affinity", "volume zone"]) {
            Self::VolumeElsewhere
        } else if names(&["ReadWriteOncePod"]) {
            Self::VolumeInUse
        } else if names(&["max volume count"]) {
            Self::VolumeCount
        } else if names(&["volume", "Volume"]) {
            Self::Volume
        } else if names(&["Insufficient ", "no nodes available"]) {
            Self::Room
        } else if names(&["Too many pods"]) {
            Self::PodCount
        } else if names(&["were unschedulable"]) {
            Self::Cordoned
        } else if names(&["taint", "tolerate"]) {
            Self::Taint
        } else if names(&["anti-affinity"]) {
            Self::Apart
        } else if names(&["pod affinity rules"]) {
            Self::Together
        } else if names(&["topology spread"]) {
            Self::Spread
        } else if names(&["free ports"]) {
            Self::Port
        } else if names(&["allocate all claims", "resourceclaim", "resource claim", "device class"]) {
            Self::Devices
        } else if names(&["affinity", "selector", "[NodeAffinity]"]) {
            Self::Placement
        } else {
            Self::Other
        }
    }

    fn to_do(self, options: AdviceOptions) -> String {
        let AdviceOptions { old_pod_can_go_first, spreads_revisions, is_on_each_node, nothing_to_uncordon, .. } =
            options;
        let first = if old_pod_can_go_first { OLD_POD_FIRST } else { "" };
        match self {
            Self::Cordoned if nothing_to_uncordon => String::from("add a node"),
            Self::Cordoned => String::from("uncordon a node whose maintenance is over"),
            Self::Room if is_on_each_node => format!("{first}make room on its node, or request less"),
            Self::Room => format!("{first}add a node, make room on one, or request less"),
            Self::PodCount if is_on_each_node => {
                format!("{first}make room on its node, or let its kubelet take more (maxPods)")
            }
            Self::PodCount => {
                format!("{first}add a node, make room on one, or let their kubelets take more (maxPods)")
            }
            Self::Taint => String::from(
                "tolerate the taint, add a node without it, or remove it, unless Kubernetes has set it (node.kubernetes.io/...)",
            ),
            Self::Placement => {
                String::from("relax its node selector or node affinity, or label or add a node that matches them")
            }
            Self::Together => {
                String::from("relax its pod affinity, or make room where the pods are that it wants to be near to")
            }
            Self::Apart => format!("{first}add a node, or only prefer the anti-affinity"),
            Self::Spread if spreads_revisions => {
                String::from("add a node where few pods are, raise maxSkew, or only prefer it (ScheduleAnyway)")
            }
            Self::Spread => String::from(
                "raise maxSkew, spread each revision alone (matchLabelKeys: [pod-template-hash]), or add a node where few pods are",
            ),
            Self::Port if is_on_each_node => format!("{first}let what uses the port on its node go, or do without it"),
            Self::Port => format!("{first}add a node, or do without the host port"),
            Self::Volume => {
                String::from("check its PersistentVolumeClaims: each must be bound, and usable on a node with room")
            }
            Self::VolumeInUse => format!(
                "{first}let the pod go that uses its claim, or use a claim that several pods can use (ReadWriteOnce)"
            ),
            Self::Devices => String::from("add a node with the devices that its ResourceClaims ask for, or free some"),
            Self::VolumeCount => String::from("add a node, or move pods with volumes from one"),
            Self::VolumeElsewhere => String::from("add a node where its volume is, or make room on one"),
            Self::Other => String::from("remove the cause that the scheduler names"),
        }
    }
}

/// What of a workload decides which advice helps its pods.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AdviceOptions {
    /// Old pods stay until new ones are available, and one of them could go first.
    pub(super) old_pod_can_go_first: bool,
    /// Its topology spread constraints count the pods of each revision alone.
    pub(super) spreads_revisions: bool,
    /// Each node should have one of its pods.
    pub(super) is_on_each_node: bool,
    /// Its controller replaces no pod that is not ready: with another template, a user has to delete it.
    pub(super) keeps_pods: bool,
    /// No given node could be uncordoned: something else keeps pods from those that are cordoned, or they go.
    pub(super) nothing_to_uncordon: bool,
}

/// Whether it helps pods that find no node for these reasons if an old one goes first.
pub(super) fn is_held_by_old_pods(reasons: &BTreeSet<UnschedulableReason>) -> bool {
    use UnschedulableReason::{Apart, Port, Room, VolumeInUse};
    is_room(reasons) || reasons.iter().all(|reason| matches!(reason, Room | Apart | Port | VolumeInUse))
}

/// A taint that keeps pods from a node, except that of a cordon, which the scheduler reports in other words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeTaint {
    node: String,
    key: String,
    value: String,
    effect: String,
}

impl NodeTaint {
    /// The taints of a Node object that keep pods away.
    pub(super) fn all_of(node: &Value) -> impl Iterator<Item = Self> {
        let is_cordon = |key: &str| key.starts_with(SET_BY_KUBERNETES) && !is_unhealthy(key);
        let taints = repelling_taints(node).filter(move |taint| !is_cordon(string(taint, "key")));
        taints.map(move |taint| Self {
            node: String::from(name(node)),
            key: String::from(string(taint, "key")),
            value: String::from(string(taint, "value")),
            effect: String::from(string(taint, "effect")),
        })
    }

    /// The taint without its node, as kubectl writes it: `dedicated=gpu:NoSchedule`.
    fn text(&self) -> String {
        let Self { key, value, effect, .. } = self;
        if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
    }
}

/// Whether a node has another taint than that of a cordon: few pods tolerate it.
pub(super) fn has_other_taint(node: &Value) -> bool {
    NodeTaint::all_of(node).next().is_some()
}

/// Whether a node is being deleted.
pub(super) fn goes(node: &Value) -> bool {
    at(node, &["metadata", "deletionTimestamp"]).is_some()
}

/// Whether Kubernetes itself sets a taint because something is wrong with its node.
fn is_unhealthy(key: &str) -> bool {
    key.strip_prefix(SET_BY_KUBERNETES).is_some_and(|condition| condition != "unschedulable")
}

/// What helps a node that Kubernetes has tainted: the taint goes by itself once the node is well.
fn to_do_about_node(key: &str) -> &'static str {
    match key.strip_prefix(SET_BY_KUBERNETES).unwrap_or_default() {
        "disk-pressure" => "free disk space there",
        "memory-pressure" => "free memory there",
        "pid-pressure" => "end processes there",
        "network-unavailable" => "set up its network",
        _ => "bring that node back",
    }
}

/// What helps if the objects say more than the scheduler does.
#[derive(Debug, Default)]
pub(super) struct KnownAdvice {
    /// About the taint that keeps the pod away.
    pub(super) taint: Option<TaintAdvice>,
    /// About the pod that uses its port.
    pub(super) port: Option<String>,
}

/// What helps against a taint.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaintAdvice {
    to_do: String,
    /// Whether Kubernetes has set the taint because something is wrong with the node: then it goes by itself.
    is_of_unwell_node: bool,
}

/// The remedy for the taint in a scheduler's message, with the taint's name and its nodes. None unless both are certain: a pod
/// may tolerate some taints, and the scheduler may have seen other nodes than those with `taints`.
pub(super) fn to_do_about_taint(message: &str, taints: &[NodeTaint]) -> Option<TaintAdvice> {
    let of_unwell = |to_do: String| TaintAdvice { to_do, is_of_unwell_node: true };
    let counted = unschedulable_reasons(message).filter_map(|(count, reason)| Some((count?, reason)));
    let mut about_taints = counted.filter(|(_, reason)| UnschedulableReason::of(reason) == UnschedulableReason::Taint);
    let ((count, reason), None) = (about_taints.next()?, about_taints.next()) else { return None };
    // Older schedulers name the taint: `{dedicated: gpu}`.
    let named = reason.split_once('{').and_then(|(_, taint)| taint.trim_end_matches('}').split_once(": "));
    let is_named = |taint: &&NodeTaint| named.is_none_or(|(key, value)| taint.key == key && taint.value == value);
    let mut on_nodes: Vec<&NodeTaint> = taints.iter().filter(is_named).collect();
    // Of the same taint with two effects, the scheduler names one.
    on_nodes.dedup_by_key(|taint| (&taint.node, &taint.key));
    let Some((first, others)) = on_nodes.split_first() else {
        let (key, _) = named.filter(|(key, _)| is_unhealthy(key))?;
        let nodes = if count == 1 { "1 node" } else { &format!("{count} nodes") };
        let to_do = to_do_about_node(key);
        return Some(of_unwell(format!("{to_do}: Kubernetes has tainted {nodes} ({key}) until then")));
    };
    let taint = first.text();
    // It is certain only if there are as many such taints as nodes in the message, and all are the same.
    if on_nodes.len() != count || others.iter().any(|other| other.text() != taint) {
        return None;
    }
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    if is_unhealthy(&first.key) {
        let to_do = to_do_about_node(&first.key);
        let node = &first.node;
        return Some(of_unwell(format!("{to_do}: Kubernetes has tainted node {node}{more} ({taint}) until then")));
    }
    let to_do = format!("tolerate taint {taint} of node {}{more}, remove it, or add a node without it", first.node);
    (to_do.chars().count() <= MAX_SENTENCE).then_some(TaintAdvice { to_do, is_of_unwell_node: false })
}

/// What helps a pod for which the scheduler names these reasons, as parts of a sentence. Where a node only lacks room, the others
/// are often not meant for the pod.
pub(super) fn to_do(reasons: &BTreeSet<UnschedulableReason>, known: &KnownAdvice, options: AdviceOptions) -> String {
    use UnschedulableReason::{Cordoned, PodCount, Port, Room, Spread, Taint, VolumeElsewhere};
    // Nodes that are not well were meant for the pod before.
    let is_unwell = known.taint.as_ref().is_some_and(|taint| taint.is_of_unwell_node);
    let helps = |reason: &&UnschedulableReason| match reason {
        Cordoned => !options.nothing_to_uncordon || reasons.len() == 1,
        Room | Spread => true,
        PodCount => !reasons.contains(&Room),
        Taint if is_unwell => true,
        _ => !is_room(reasons),
    };
    let text = |reason: &UnschedulableReason| match (reason, known) {
        (Taint, KnownAdvice { taint: Some(taint), .. }) => taint.to_do.clone(),
        (Port, KnownAdvice { port: Some(port), .. }) => port.clone(),
        (Room, _) if reasons.contains(&VolumeElsewhere) => {
            let first = if options.old_pod_can_go_first { OLD_POD_FIRST } else { "" };
            format!("{first}make room on a node where its volume is, add one there, or request less")
        }
        _ => reason.to_do(options),
    };
    let mut parts: Vec<(bool, String)> =
        reasons.iter().filter(helps).map(|reason| (*reason != Taint || !is_unwell, text(reason))).collect();
    parts.sort_by_key(|(is_later, _)| *is_later);
    let to_do = parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("; ");
    let asks_template = reasons.iter().filter(helps).any(|reason| *reason != Cordoned);
    match options.keeps_pods && asks_template {
        true => format!("{to_do}; if you change the template, delete the pod, too: its controller keeps it"),
        false => to_do,
    }
}

/// Whether a node would take the pod if it had room.
pub(super) fn is_room(reasons: &BTreeSet<UnschedulableReason>) -> bool {
    [UnschedulableReason::Room, UnschedulableReason::PodCount].iter().any(|reason| reasons.contains(reason))
}

/// What was simulated with one more node that takes every pod, as the start of a sentence.
pub(super) fn with_another_node(reasons: &BTreeSet<UnschedulableReason>) -> &'static str {
    if is_room(reasons) && reasons.contains(&UnschedulableReason::VolumeElsewhere) {
        "Make room on a node where its volume is, or add one there"
    } else if is_room(reasons) {
        "Add a node, or make room on one"
    } else if reasons.contains(&UnschedulableReason::Volume) || reasons.contains(&UnschedulableReason::Other) {
        "Fix what keeps its pods from getting a node"
    } else {
        "Add a node that takes its pods"
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::UnschedulableReason::{
        Apart, Cordoned, Devices, Other, Placement, PodCount, Port, Room, Spread, Taint, Together, Volume, VolumeCount,
        VolumeElsewhere, VolumeInUse,
    };
    use super::*;

    #[test]
    fn each_reason_has_its_advice() {
        for (message, expected) in [
            ("0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.", &[Room, PodCount][..]),
            ("0/2 nodes are available: 2 Too many pods.", &[PodCount]),
            ("no nodes available to schedule pods", &[Room]),
            ("0/3 nodes are available: 3 node(s) were unschedulable. preemption: 0/3 nodes.", &[Cordoned]),
            ("0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate", &[Taint]),
            ("0/1 nodes are available: 1 node(s) had taint {a: b}, that the pod didn't tolerate.", &[Taint]),
            ("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", &[Apart]),
            ("0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.", &[Apart]),
            ("0/3 nodes are available: 3 node(s) didn't match pod affinity rules.", &[Together]),
            ("0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.", &[Spread]),
            ("0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.", &[Port]),
            ("0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity].", &[Placement]),
            ("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", &[Placement]),
            ("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", &[VolumeElsewhere]),
            ("0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity.", &[VolumeElsewhere]),
            ("0/2 nodes are available: 2 node(s) exceed max volume count.", &[VolumeCount]),
            ("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", &[Volume]),
            (
                "0/1 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
                &[VolumeInUse],
            ),
            ("0/3 nodes are available: 3 cannot allocate all claims. still not schedulable", &[Devices]),
            ("0/2 nodes are available: 1 node(s) were unschedulable, 1 Insufficient memory.", &[Room, Cordoned]),
            ("Scheduling is blocked due to non-empty scheduling gates", &[Other]),
        ] {
            assert_eq!(UnschedulableReason::all_in(message), expected.iter().copied().collect(), "{message}");
        }
    }

    #[test]
    fn where_room_is_missing_the_other_nodes_need_not_change() {
        let advice = |reasons: &[UnschedulableReason], taint: Option<&str>| {
            let taint = taint.map(|to_do| TaintAdvice { to_do: to_do.into(), is_of_unwell_node: false });
            let known = KnownAdvice { taint, port: None };
            to_do(&reasons.iter().copied().collect(), &known, AdviceOptions::default())
        };
        let alone = |reason: UnschedulableReason| reason.to_do(AdviceOptions::default());
        assert_eq!(advice(&[Room, Taint, Placement], Some("tolerate it")), alone(Room));
        assert_eq!(advice(&[Room, PodCount], None), alone(Room));
        assert!(advice(&[Room, VolumeElsewhere], None).starts_with("make room on a node where its volume is"));
        assert_eq!(advice(&[Taint, Placement], None), format!("{}; {}", alone(Taint), alone(Placement)));
        assert_eq!(advice(&[Taint, Placement], Some("tolerate it")), format!("tolerate it; {}", alone(Placement)));
    }

    #[test]
    fn nothing_is_advised_that_is_set_already() {
        let options = AdviceOptions { old_pod_can_go_first: true, ..AdviceOptions::default() };
        for reason in [Room, Apart, Port, VolumeInUse] {
            assert!(reason.to_do(options).starts_with("let an old pod go first (maxSurge 0, maxUnavailable 1), "));
            let to_do = reason.to_do(AdviceOptions { old_pod_can_go_first: false, ..options });
            assert!(!to_do.contains("maxSurge"), "{to_do}");
        }
        assert!(Spread.to_do(options).contains("matchLabelKeys"));
        assert!(!Spread.to_do(AdviceOptions { spreads_revisions: true, ..options }).contains("matchLabelKeys"));
        // A DaemonSet gets its pods on all nodes: another one is no help.
        assert!(!Room.to_do(AdviceOptions { is_on_each_node: true, ..options }).contains("add a node"));
    }

    #[test]
    fn a_taint_is_named_if_it_is_certain_which_nodes_have_it() {
        let gpu = json!({ "key": "dedicated", "value": "gpu", "effect": "NoSchedule" });
        let old = json!({ "key": "old", "effect": "NoExecute" });
        let avoided = json!({ "key": "slow", "effect": "PreferNoSchedule" });
        let cordon = json!({ "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule" });
        let pressure = json!({ "key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule" });
        let node = |name: &str, taints: &[&Value]| json!({ "kind": "Node", "metadata": { "name": name }, "spec": { "taints": taints } });
        let had = |count: usize, what: &str| {
            format!("0/3 nodes are available: {count} node(s) had untolerated taint{what}. preemption: 0/3 nodes.")
        };
        let advice = |to_do: String, is_of_unwell_node| Some(TaintAdvice { to_do, is_of_unwell_node });
        let tolerate = |taint: &str, nodes: &str| {
            advice(format!("tolerate taint {taint} of node {nodes}, remove it, or add a node without it"), false)
        };
        let (a, b) = (node("a", &[&gpu]), node("b", &[&gpu, &avoided, &cordon]));
        let (c, both) = (node("c", &[&old]), node("d", &[&gpu, &old]));
        let (full, long) = (node("e", &[&pressure]), node(&"n".repeat(100), &[&gpu]));
        let silent = |effect: &str| json!({ "key": "node.kubernetes.io/unreachable", "effect": effect });
        let lost = node("f", &[&silent("NoSchedule"), &silent("NoExecute")]);
        let back =
            |tainted: &str| advice(format!("bring that node back: Kubernetes has tainted {tainted} until then"), true);
        for (message, nodes, expected) in [
            (had(1, " {dedicated: gpu}"), vec![&a, &c], tolerate("dedicated=gpu:NoSchedule", "a")),
            (had(2, " {dedicated: gpu}"), vec![&a, &b, &c], tolerate("dedicated=gpu:NoSchedule", "a and 1 more")),
            (had(1, " {old: }"), vec![&a, &c], tolerate("old:NoExecute", "c")),
            (had(2, "(s)"), vec![&a, &b], tolerate("dedicated=gpu:NoSchedule", "a and 1 more")),
            // The scheduler counts fewer nodes than there are with the taint, or more.
            (had(1, " {dedicated: gpu}"), vec![&a, &b], None),
            (had(3, "(s)"), vec![&a, &b], None),
            // The scheduler does not say which of two taints it means.
            (had(2, "(s)"), vec![&a, &c], None),
            (had(1, "(s)"), vec![&both], None),
            (had(1, " {dedicated: gpu}, 1 node(s) had untolerated taint {old: }"), vec![&a, &c], None),
            (String::from("0/1 nodes are available: 1 Insufficient cpu."), vec![&a], None),
            (had(1, "(s)"), vec![], None),
            (
                had(1, "(s)"),
                vec![&full],
                advice(
                    String::from(
                        "free disk space there: Kubernetes has tainted node e (node.kubernetes.io/disk-pressure:NoSchedule) until then",
                    ),
                    true,
                ),
            ),
            (had(1, "(s)"), vec![&long], None),
            (
                had(1, " {node.kubernetes.io/unreachable: }"),
                vec![&lost],
                back("node f (node.kubernetes.io/unreachable:NoSchedule)"),
            ),
            (had(2, " {node.kubernetes.io/unreachable: }"), vec![], back("2 nodes (node.kubernetes.io/unreachable)")),
        ] {
            let taints: Vec<NodeTaint> = nodes.into_iter().flat_map(NodeTaint::all_of).collect();
            assert_eq!(to_do_about_taint(&message, &taints), expected, "{message}");
        }
    }
}
