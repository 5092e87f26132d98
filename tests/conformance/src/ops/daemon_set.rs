use std::rc::Rc;

use changeover_core::controller::filter_pods_by_owner;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{ControllerRevision, Object, Pod};
use changeover_core::scheduler::Node;
use changeover_core::workload::daemon_set::DaemonSet;
use changeover_core::workload::daemon_set::controller::{
    Found, Memory, NodeView, View, sync_daemon_set, sync_node_update,
};
use serde_json::{Value, json};

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[("daemonSet.sync", sync), ("daemonSet.syncNode", sync_node)];

/// A namespace: a DaemonSet, and all pods and revisions; and the nodes.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Namespace {
    daemon_set: Rc<DaemonSet>,
    nodes: Vec<Value>,
    revisions: Option<Vec<Rc<ControllerRevision>>>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
    chosen: Option<Chosen>,
}

/// The pods of which some are deleted, and the nodes of which some get a pod: which ones is upstream's choice by the order of a Go
/// map. A star stands for each that is chosen.
#[derive(Default, FromJson, ToJson)]
#[serde(deny_unknown_fields, default)]
struct Chosen {
    delete: Vec<String>,
    create: Vec<String>,
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Namespace { daemon_set, nodes, revisions, pods, refuse, chosen } = case.input()?;
    let mut memory: Memory = case.memory()?.unwrap_or_default();
    let (mut revisions, mut pods) = (revisions.unwrap_or_default(), pods.unwrap_or_default());
    pods.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    revisions.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let mut nodes: Vec<Rc<Node>> = nodes.iter().map(|node| Rc::new(Node::of(node))).collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    let nodes = nodes.into();
    let objects = pods
        .iter()
        .cloned()
        .map(Object::Pod)
        .chain(revisions.iter().cloned().map(Object::ControllerRevision))
        .chain([Object::DaemonSet(daemon_set.clone())]);
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let pods: Rc<Vec<Rc<Pod>>> = filter_pods_by_owner(&daemon_set.key(), &daemon_set.metadata.uid, &pods).into();
    let found = Found::default();
    let view = View {
        daemon_set: &daemon_set,
        nodes: &nodes,
        first: &[],
        pods: &|| pods.clone(),
        revisions: &revisions,
        observe: &|_| (),
        found: &found,
    };
    let result = sync_daemon_set(&mut recorder, &view, &mut memory);
    let again = result.as_ref().ok().map(|again| again.map_or(-1, |after| after.0.max(0)));
    let Recorder { mut writes, mut events, explained, .. } = recorder;
    let chosen = chosen.unwrap_or_default();
    writes.iter_mut().for_each(|write| forget_choice(write, &chosen));
    events.iter_mut().for_each(|event| forget_event(event, &chosen));
    memory.expectations.take_if(|expectations| expectations.is_fulfilled());
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("writes", writes.into()),
        ("events", events.into()),
        ("memory", memory.to_json()),
        ("nanoseconds", again.into()),
    ])?;
    Ok(Outcome { explained, ..outcome })
}

/// Replaces what was chosen by a star.
fn forget_choice(write: &mut Value, chosen: &Chosen) {
    const NODE: &str = "/object/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution\
                        /nodeSelectorTerms/0/matchFields/0/values/0";
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(String::from).unwrap_or_default();
    if text(write.get("resource")) != "pods" {
        return;
    }
    if text(write.get("verb")) == "delete"
        && chosen.delete.contains(&text(write.get("name")))
        && let Some(name) = write.get_mut("name")
    {
        *name = json!("*");
    }
    if let Some(node) = write.pointer_mut(NODE)
        && chosen.create.contains(&text(Some(node)))
    {
        *node = json!("*");
    }
}

fn forget_event(event: &mut Value, chosen: &Chosen) {
    let text = event.as_str().unwrap_or_default();
    let Some((before, name)) = text.split_once("Deleted pod: ") else { return };
    if chosen.delete.iter().any(|pod| pod == name) {
        *event = json!(format!("{before}Deleted pod: *"));
    }
}

/// A node, its pods, and all DaemonSets.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OnNode {
    node: Value,
    daemon_sets: Option<Vec<Rc<DaemonSet>>>,
    pods: Option<Vec<Rc<Pod>>>,
}

fn sync_node(case: &Case) -> Result<Outcome, String> {
    let OnNode { node, daemon_sets, pods } = case.input()?;
    let (daemon_sets, pods) = (daemon_sets.unwrap_or_default(), pods.unwrap_or_default());
    let view = NodeView { node: &Node::of(&node), daemon_sets: &daemon_sets, pods: &pods };
    let keys = sync_node_update(&view);
    let mut queued: Vec<String> = keys.iter().map(|key| format!("{}/{}", key.namespace, key.name)).collect();
    queued.sort_unstable();
    Outcome::new([("queued", queued.into())])
}
