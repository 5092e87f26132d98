use std::rc::Rc;

use changeover_core::controller::Error;
use changeover_core::controller::rank::{compare, get_pods_to_delete};
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{LabelSelector, Object, Pod, Time};
use changeover_core::workload::replica_set::controller::{PodCounts, Pods, View};
use changeover_core::workload::replica_set::{ReplicaSet, controller};
use changeover_core::workload::replication_controller::ReplicationController;
use changeover_core::workload::replication_controller::controller::sync_replication_controller as sync_rc;
use serde_json::Value;

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[
    ("replicaSet.podsToDelete", pods_to_delete),
    ("replicaSet.podLess", pod_less),
    ("replicaSet.relatedPods", related_pods),
    ("replicaSet.status", status),
    ("replicaSet.slowStart", slow_start),
    ("replicaSet.sync", sync),
    ("replicationController.sync", sync_replication_controller),
];

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PodsToDelete {
    pods: Vec<Rc<Pod>>,
    related_pods: Option<Vec<Rc<Pod>>>,
    count: u32,
}

fn pods_to_delete(case: &Case) -> Result<Outcome, String> {
    let PodsToDelete { pods, related_pods, count } = case.input()?;
    let related = related_pods.unwrap_or_default();
    let count = usize::try_from(count).map_err(|error| error.to_string())?;
    let deleted = get_pods_to_delete(&pods, &related, count, case.now()?, case.gates.controller_manager);
    let names = deleted.iter().map(|deletion| deletion.pod.metadata.name.to_string());
    Outcome::new([("names", names.collect())])
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct PodLess {
    pods: Vec<Rc<Pod>>,
    ranks: Vec<u32>,
}

fn pod_less(case: &Case) -> Result<Outcome, String> {
    let PodLess { pods, ranks } = case.input()?;
    let ([first, second], [rank0, rank1]) = (pods.as_slice(), ranks.as_slice()) else {
        return Err("input: must have two pods and two ranks".into());
    };
    let less = |first, second| compare(first, second, case.now, case.gates.controller_manager).less;
    let rank = |rank: u32| usize::try_from(rank).map_err(|error| error.to_string());
    let (first, second) = ((&**first, rank(*rank0)?), (&**second, rank(*rank1)?));
    Outcome::new([("less01", less(first, second).into()), ("less10", less(second, first).into())])
}

/// A namespace: a ReplicaSet, all ReplicaSets, all pods.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Namespace {
    replica_set: Rc<ReplicaSet>,
    replica_sets: Option<Vec<Rc<ReplicaSet>>>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
}

fn related_pods(case: &Case) -> Result<Outcome, String> {
    let Namespace { replica_set, replica_sets, pods, .. } = case.input()?;
    let (replica_sets, pods) = (replica_sets.unwrap_or_default(), pods.unwrap_or_default());
    let related = controller::get_indirectly_related_pods(&replica_set, replica_sets.iter(), pods.iter());
    let mut names: Vec<String> = related.iter().map(|pod| pod.metadata.name.to_string()).collect();
    names.sort();
    Outcome::new([("names", names.into())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Status {
    replica_set: ReplicaSet,
    active_pods: Option<Vec<Rc<Pod>>>,
    terminating_pods: Option<Vec<Rc<Pod>>>,
    #[serde(default)]
    manage_error: Value,
}

fn status(case: &Case) -> Result<Outcome, String> {
    let Status { replica_set, active_pods, terminating_pods, manage_error } = case.input()?;
    let now = case.now()?;
    let mut counts = PodCounts::default();
    for pod in active_pods.iter().chain(&terminating_pods).flatten() {
        counts.count(pod, &replica_set, now);
    }
    let error = match manage_error {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) => Some(Error::Other(text)),
        other => return Err(format!("input.manageError: {other}: must be a text or null")),
    };
    let gates = case.gates.controller_manager;
    let calculated = controller::calculate_status(&replica_set, &counts, error.as_ref(), gates, now);
    Outcome::new([("status", calculated.status.to_json())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SlowStart {
    count: i32,
    initial_batch_size: i32,
    calls_that_succeed: i32,
}

fn slow_start(case: &Case) -> Result<Outcome, String> {
    let SlowStart { count, initial_batch_size, calls_that_succeed } = case.input()?;
    let mut calls = 0_i32;
    let (successes, error) = controller::slow_start_batch(count, initial_batch_size, |batch| {
        let succeeded = calls_that_succeed.saturating_sub(calls).clamp(0, batch);
        calls = calls.saturating_add(batch);
        (succeeded, (succeeded < batch).then(|| Error::Other("refused".into())))
    });
    let error = error_of(&error.map_or(Ok(()), Err));
    Outcome::new([("successes", successes.into()), ("calls", calls.into()), ("error", error)])
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Namespace { replica_set, replica_sets, pods, refuse } = case.input()?;
    let mut pods = pods.unwrap_or_default();
    pods.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let replica_sets = replica_sets.unwrap_or_default();
    let objects = replica_sets.iter().chain([&replica_set]).cloned().map(Object::ReplicaSet);
    let objects = objects.chain(pods.iter().cloned().map(Object::Pod));
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let listed = Listed { pods, replica_sets };
    let result = controller::sync_replica_set(&mut recorder, &View { replica_set: &replica_set, pods: &listed });
    synced(&result, recorder)
}

/// The result of a sync.
fn synced<T>(result: &Result<T, Error>, recorder: Recorder) -> Result<Outcome, String> {
    let Recorder { writes, events, explained, .. } = recorder;
    let outcome = Outcome::new([("error", error_of(result)), ("writes", writes.into()), ("events", events.into())])?;
    Ok(Outcome { explained, ..outcome })
}

/// A namespace: a ReplicationController, all ReplicaSets, all pods.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WithReplicationController {
    replication_controller: ReplicationController,
    #[serde(rename = "replicaSets")]
    _replica_sets: Option<Vec<Rc<ReplicaSet>>>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
}

fn sync_replication_controller(case: &Case) -> Result<Outcome, String> {
    let WithReplicationController { replication_controller, pods, refuse, .. } = case.input()?;
    let replica_set = Rc::new(replication_controller.to_replica_set());
    let mut pods = pods.unwrap_or_default();
    pods.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let objects = pods.iter().cloned().map(Object::Pod).chain([Object::ReplicaSet(replica_set.clone())]);
    let recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let mut recorder = recorder.of_replication_controllers();
    // The index of ReplicaSets by owner contains no ReplicationControllers, so no pods are related.
    let listed = Listed { pods, replica_sets: Vec::new() };
    let view = View { replica_set: &replica_set, pods: &listed };
    let result = sync_rc(&mut recorder, &view);
    synced(&result, recorder)
}

/// The pods of a namespace, by name, searched each time.
struct Listed {
    pods: Vec<Rc<Pod>>,
    replica_sets: Vec<Rc<ReplicaSet>>,
}

impl Listed {
    /// The pods that the ReplicaSet owns: those whose labels match, or the others.
    fn owned(&self, replica_set: &ReplicaSet, matching: bool) -> impl Iterator<Item = &Rc<Pod>> {
        let selector = replica_set.spec.selector.clone();
        let owner = replica_set.metadata.clone();
        self.pods.iter().filter(move |pod| {
            let matches = LabelSelector::to_selector(selector.as_deref())
                .is_ok_and(|selector| selector.matches(&pod.metadata.labels));
            pod.metadata.is_controlled_by(&owner) && matches == matching
        })
    }
}

impl Pods for Listed {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut counts = PodCounts::default();
        self.owned(replica_set, true).for_each(|pod| counts.count(pod, replica_set, now));
        counts
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let orphans = self.pods.iter().filter(|pod| pod.metadata.controller().is_none());
        self.owned(replica_set, false).chain(orphans).filter(|pod| pod.is_active()).cloned().collect()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.owned(replica_set, true).filter(|pod| pod.is_active()).cloned().collect()
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        controller::get_indirectly_related_pods(replica_set, self.replica_sets.iter(), self.pods.iter())
    }
}
