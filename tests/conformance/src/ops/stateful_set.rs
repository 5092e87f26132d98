use std::rc::Rc;

use changeover_core::controller::filter_pods_by_owner;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{ControllerRevision, Object, ObjectKey, PersistentVolumeClaim, Pod};
use changeover_core::workload::stateful_set::StatefulSet;
use changeover_core::workload::stateful_set::controller::{Found, View, sync_stateful_set};
use serde_json::Value;

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[("statefulSet.sync", sync)];

/// A namespace: a StatefulSet, and all pods, revisions and claims.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Namespace {
    stateful_set: Rc<StatefulSet>,
    revisions: Option<Vec<Rc<ControllerRevision>>>,
    claims: Option<Vec<Rc<PersistentVolumeClaim>>>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Namespace { stateful_set, revisions, claims, pods, refuse } = case.input()?;
    let (mut revisions, claims) = (revisions.unwrap_or_default(), claims.unwrap_or_default());
    let mut pods = pods.unwrap_or_default();
    pods.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    revisions.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let objects = pods
        .iter()
        .cloned()
        .map(Object::Pod)
        .chain(revisions.iter().cloned().map(Object::ControllerRevision))
        .chain(claims.iter().cloned().map(Object::PersistentVolumeClaim))
        .chain([Object::StatefulSet(stateful_set.clone())]);
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let pods = filter_pods_by_owner(&stateful_set.key(), &stateful_set.metadata.uid, &pods);
    let claim = |key: &ObjectKey| claims.iter().find(|claim| claim.key() == *key).cloned();
    let view = View { set: &stateful_set, pods: &pods, revisions: &revisions, claim: &claim, found: &Found::default() };
    let result = sync_stateful_set(&mut recorder, &view);
    let again = result.as_ref().ok().map(|again| again.map_or(-1, |after| after.0.max(0)));
    let Recorder { mut writes, mut events, explained, .. } = recorder;
    let is_parallel = stateful_set.allows_burst();
    sort_writes(&mut writes, is_parallel);
    sort_events(&mut events, is_parallel);
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("writes", writes.into()),
        ("events", events.into()),
        ("nanoseconds", again.into()),
    ])?;
    Ok(Outcome { explained, ..outcome })
}

fn text<'a>(write: &'a Value, pointer: &str) -> &'a str {
    write.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Sorts what upstream sends concurrently, or in the order of a Go map: with podManagementPolicy Parallel all writes of pods and
/// claims, otherwise the creations of claims. The volumes of a pod's claims are in the order of a map too.
fn sort_writes(writes: &mut [Value], is_parallel: bool) {
    let has_no_order = |write: &Value| match text(write, "/resource") {
        "persistentvolumeclaims" => is_parallel || text(write, "/verb") == "create",
        "pods" => is_parallel,
        _ => false,
    };
    let key = |write: &Value| {
        let name = [text(write, "/name"), text(write, "/object/metadata/name")].concat();
        [text(write, "/resource"), text(write, "/verb"), &name].join(" ")
    };
    for run in writes.chunk_by_mut(|first, second| has_no_order(first) && has_no_order(second)) {
        run.sort_by_key(key);
    }
    let volumes = writes.iter_mut().filter_map(|write| write.pointer_mut("/object/spec/volumes")?.as_array_mut());
    volumes.for_each(|volumes| volumes.sort_by_key(|volume| text(volume, "/name").to_owned()));
}

fn sort_events(events: &mut [Value], is_parallel: bool) {
    let has_no_order =
        |event: &Value| is_parallel || event.as_str().is_some_and(|text| text.contains(" Create Claim "));
    for run in events.chunk_by_mut(|first, second| has_no_order(first) && has_no_order(second)) {
        run.sort_by_key(|event| event.as_str().map(String::from));
    }
}
