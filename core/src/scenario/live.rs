//! A scenario from the objects of a running cluster.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::missing_nodes::{MissingNode, missing_nodes};
use super::newest_time::newest_time;
use super::node_object::{NodeForm, read_node};
use super::{Limits, Scenario, StuckPod, stuck_pods};
use crate::Problem;
use crate::object::unstructured::{at, existing_map, field, integer, map_at, name, remove_nulls, string};
use crate::object::{AUX_KINDS, Kind, Object, Time, controller_of, is_surrounding, require_kind};
use crate::scheduler::SYSTEM_CLASSES;
use crate::workload::replica_set::{POD_TEMPLATE_HASH, revision_of};

/// A cluster's objects count as just read if their newest time is at most this old. A rollout in progress leaves a newer time
/// within 10 minutes, the default progress deadline.
const RECENT: i64 = 600 * Time::SECOND;

/// The metadata that only a stored object has and that nothing here reads.
const STORED: [&str; 3] = ["managedFields", "resourceVersion", "selfLink"];

/// Whether a scenario takes objects of the kind that a manifest has. Nodes are not among its objects.
pub fn is_simulated(manifest: &Value) -> bool {
    let kind = string(manifest, "kind");
    Object::KINDS.iter().chain(&AUX_KINDS).any(|known| known.name() == kind) || is_surrounding(manifest)
}

/// When a cluster's objects were read that the user provides `now`. If their newest time is recent, they were just read: the
/// result is `now`. Otherwise, they were saved long ago, or the cluster's clock is ahead of this one: the result is `newest`.
pub fn reading_time(newest: Time, now: Time) -> Time {
    if (0..=RECENT).contains(&now.since(newest)) { now } else { newest }
}

/// When these objects were read that the user provides `now`, as [`reading_time`] has it. Manifests have no time.
pub fn reading_time_of(objects: &[Value], now: Time) -> Time {
    newest_time(objects).map_or(now, |newest| reading_time(newest, now))
}

/// The scenario of a cluster that runs.
#[derive(Debug)]
pub(crate) struct LiveScenario {
    pub(crate) scenario: Scenario,
    /// The pods that don't become ready by themselves, whatever the nodes.
    pub(crate) stuck_pods: Vec<StuckPod>,
    /// The position of each of the scenario's objects among those that were given.
    object_indexes: Vec<usize>,
    /// The same for its nodes that were given.
    node_indexes: Vec<usize>,
}

impl LiveScenario {
    /// A problem of the scenario, with the path of the object that was given.
    pub(crate) fn locate(&self, problem: Problem) -> Problem {
        problem.map_paths(&|path| {
            if let Some((index, below)) = indexed(path, "objects", &self.object_indexes) {
                return format!("[{index}]{below}");
            }
            match indexed(path, "nodes", &self.node_indexes) {
                Some((index, field)) => format!("[{index}]{}", NodeForm::Object.path_of(field)),
                None => String::from(path),
            }
        })
    }
}

/// The index that an item of a list had before, and the path below the item.
fn indexed<'a>(path: &'a str, list: &str, indexes: &[usize]) -> Option<(usize, &'a str)> {
    let (index, below) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    Some((*indexes.get(index.parse::<usize>().ok()?)?, below))
}

/// When the scenario of a cluster starts whose objects were read at `now`: not before the youngest was created.
pub(crate) fn live_start(objects: &[Value], now: Time) -> Time {
    let created = |object: &Value| Time::parse(at(object, &["metadata", "creationTimestamp"])?.as_str()?);
    let youngest = objects.iter().filter(|object| is_simulated(object)).filter_map(created).max();
    youngest.map_or(now, |created| created.max(now))
}

/// Makes the scenario of a cluster that runs. Its objects are not admitted yet. After the given nodes come those that are missing.
/// `has_nodes`: whether the scenario has nodes, from these objects or from elsewhere.
///
/// # Errors
/// An object without a kind, and a Node whose number of pods can't be read.
pub(crate) fn read_live(objects: Vec<Value>, now: Time, has_nodes: bool) -> Result<LiveScenario, Problem> {
    let start = live_start(&objects, now);
    let mut scenario = Scenario { start, ..Scenario::default() };
    let stuck_pods = stuck_pods(&objects, start);
    let mut manifests = Vec::new();
    let (mut object_indexes, mut node_indexes) = (Vec::new(), Vec::new());
    let classes = if has_nodes { classes_of_pods(&objects) } else { Vec::new() };
    for (index, mut object) in objects.into_iter().enumerate() {
        require_kind(&object, &format!("[{index}]"))?;
        if string(&object, "kind") == "Node" {
            scenario.nodes.push(read_node(&object, &format!("[{index}]"), Some(start))?);
            node_indexes.push(index);
        } else if is_simulated(&object) && (has_nodes || !is_surrounding(&object)) {
            if let Some(metadata) = map_at(&mut object, &["metadata"]) {
                metadata.retain(|key, _| !STORED.contains(&key.as_str()));
            }
            manifests.push(object);
            object_indexes.push(index);
        }
    }
    manifests.extend(classes);
    let missing = missing_nodes(&manifests, scenario.nodes.iter().map(|node| node.name.as_str()));
    scenario.nodes.extend(missing.iter().map(MissingNode::node));
    count_edited_templates(&mut manifests);
    let has_policy = |object: &Value| at(object, &["spec", "podReplacementPolicy"]).is_some();
    if manifests.iter().any(|object| string(object, "kind") == "Deployment" && has_policy(object)) {
        scenario.feature_gates = json!({ "DeploymentPodReplacementPolicy": true });
    }
    let pods = manifests.iter().filter(|object| string(object, "kind") == "Pod").count();
    scenario.limits = limits_for(u32::try_from(pods).unwrap_or(u32::MAX));
    scenario.objects = manifests.into_iter().collect();
    Ok(LiveScenario { scenario, stuck_pods, object_indexes, node_indexes })
}

/// The PriorityClasses that are not given and that pods name: the API server has given these pods the class's priority.
///
/// Upstream: `plugin/pkg/admission/priority/admission.go Plugin.admitPod`
fn classes_of_pods(objects: &[Value]) -> Vec<Value> {
    let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
    let mut known: BTreeSet<&str> = of_kind(Kind::PriorityClass).map(name).collect();
    known.extend(SYSTEM_CLASSES.iter().map(|(name, _)| *name));
    let mut classes = Vec::new();
    for spec in of_kind(Kind::Pod).filter_map(|pod| field(pod, "spec")) {
        let (class, Some(priority)) = (string(spec, "priorityClassName"), integer(spec, "priority")) else { continue };
        if class.is_empty() || !known.insert(class) {
            continue;
        }
        let policy = field(spec, "preemptionPolicy").unwrap_or(&Value::Null);
        classes.push(json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": Kind::PriorityClass.name(), "metadata": { "name": class },
            "value": priority, "preemptionPolicy": policy,
        }));
    }
    classes
}

/// Gives Deployments whose template was edited after they were read a new generation, as the API server does. Otherwise, a
/// status that reports an earlier rollout as complete would say so about the edited template.
fn count_edited_templates(objects: &mut [Value]) {
    for (index, generation) in edited_templates(objects) {
        if let Some(metadata) = objects.get_mut(index).and_then(|object| map_at(object, &["metadata"])) {
            metadata.insert("generation".into(), generation.into());
        }
    }
}

/// The positions of the Deployments whose template was edited, and their new generations: the controller has seen the
/// Deployment and counts updated pods, but none of its ReplicaSets has its template. There are no updated pods while Recreate
/// waits for old ones, and while it is paused, its controller creates no ReplicaSet.
fn edited_templates(objects: &[Value]) -> Vec<(usize, i64)> {
    let is_of_kind = |object: &Value, kind: Kind| string(object, "kind") == kind.name();
    let mut replica_sets: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for replica_set in objects.iter().filter(|object| is_of_kind(object, Kind::ReplicaSet)) {
        if let Some(owner) = controller_of(replica_set, Kind::Deployment) {
            replica_sets.entry(string(owner, "uid")).or_default().push(replica_set);
        }
    }
    let edited = |(index, deployment): (usize, &Value)| {
        let metadata = at(deployment, &["metadata"])?;
        let owned = replica_sets.get(at(metadata, &["uid"])?.as_str()?)?;
        let status = at(deployment, &["status"])?;
        let observed = integer(status, "observedGeneration")?;
        let has_updated_pods = integer(status, "updatedReplicas").is_some_and(|updated| updated > 0);
        let is_seen = integer(metadata, "generation").is_none_or(|generation| generation <= observed);
        let is_paused = at(deployment, &["spec", "paused"]) == Some(&Value::Bool(true));
        let template = template_without_hash(deployment)?;
        let is_new = owned.iter().all(|replica_set| template_without_hash(replica_set).as_ref() != Some(&template));
        (is_seen && has_updated_pods && !is_paused && is_new).then_some((index, observed.checked_add(1)?))
    };
    let deployments = objects.iter().enumerate().filter(|(_, object)| is_of_kind(object, Kind::Deployment));
    deployments.filter_map(edited).collect()
}

/// The revision that a Deployment of a running cluster gives to a new template: the one after those of its ReplicaSets. None if
/// one of them has the template, or if none is among the objects.
pub fn new_revision<'a>(
    objects: impl IntoIterator<Item = &'a Value>,
    deployment_uid: &str,
    deployment: &Value,
) -> Option<i64> {
    let template = template_without_hash(deployment)?;
    let mut newest: Option<i64> = None;
    for replica_set in objects.into_iter().filter(|object| string(object, "kind") == Kind::ReplicaSet.name()) {
        let owner = controller_of(replica_set, Kind::Deployment);
        if owner.is_none_or(|owner| string(owner, "uid") != deployment_uid) {
            continue;
        }
        if template_without_hash(replica_set).as_ref() == Some(&template) {
            return None;
        }
        newest = newest.max(Some(revision_of(replica_set).unwrap_or(0)));
    }
    newest?.checked_add(1)
}

/// The pod template of a Deployment or ReplicaSet, without the label that tells them apart.
fn template_without_hash(object: &Value) -> Option<Value> {
    let mut template = at(object, &["spec", "template"])?.clone();
    remove_nulls(&mut template);
    if let Some(labels) = existing_map(&mut template, &["metadata", "labels"]) {
        labels.remove(POD_TEMPLATE_HASH);
    }
    Some(template)
}

/// Limits for a cluster with this many pods: twice as many pods, and twice the steps of replacing them one by one.
fn limits_for(pods: u32) -> Limits {
    const STEPS: u32 = 40;
    Limits {
        pods: Limits::DEFAULT.pods.max(pods.saturating_mul(2)),
        steps: Limits::DEFAULT.steps.max(pods.saturating_mul(STEPS)),
        ..Limits::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_follow_the_cluster() {
        assert_eq!(limits_for(2), Limits::default());
        assert_eq!(limits_for(15_000), Limits { steps: 600_000, ..Limits::default() });
        assert_eq!(limits_for(60_000), Limits { steps: 2_400_000, pods: 120_000, ..Limits::default() });
    }

    #[test]
    fn a_template_without_a_replica_set_is_a_new_generation() {
        let template = |image: &str, hash: Option<&str>| {
            let mut labels = json!({ "app": "web" });
            if let Some(hash) = hash {
                labels[POD_TEMPLATE_HASH] = hash.into();
            }
            json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "app", "image": image }] } })
        };
        let replica_set = |image: &str, owner: &str| {
            let owner = json!({ "kind": "Deployment", "name": "web", "uid": owner, "controller": true });
            json!({
                "kind": "ReplicaSet", "metadata": { "ownerReferences": [owner] },
                "spec": { "template": template(image, Some("5f")) },
            })
        };
        let generation_with = |updated: i64, image: &str, generation: i64, is_paused: bool, owner: &str| {
            let deployment = json!({
                "kind": "Deployment", "metadata": { "name": "web", "uid": "d", "generation": generation },
                "spec": { "paused": is_paused, "template": template(image, None) },
                "status": { "observedGeneration": 4, "updatedReplicas": updated },
            });
            let mut objects = [deployment, replica_set("web:1", owner), replica_set("web:2", owner)];
            count_edited_templates(&mut objects);
            objects[0]["metadata"]["generation"].as_i64()
        };
        let generation = |image: &str, generation: i64, is_paused: bool, owner: &str| {
            generation_with(3, image, generation, is_paused, owner)
        };
        for image in ["web:1", "web:2"] {
            assert_eq!(generation(image, 4, false, "d"), Some(4), "{image}");
        }
        assert_eq!(generation("web:3", 4, false, "d"), Some(5));
        // The generation already includes the edit.
        assert_eq!(generation("web:3", 6, false, "d"), Some(6));
        // Recreate waits for its old pods before it creates the ReplicaSet.
        assert_eq!(generation_with(0, "web:3", 4, false, "d"), Some(4));
        // A paused Deployment has no ReplicaSet for its template, and one whose ReplicaSets were not read may have one.
        assert_eq!(generation("web:3", 4, true, "d"), Some(4));
        assert_eq!(generation("web:3", 4, false, "e"), Some(4));
    }

    #[test]
    fn a_new_template_gets_the_revision_after_those_of_its_replica_sets() {
        let template = |image: &str| json!({ "spec": { "containers": [{ "name": "app", "image": image }] } });
        let replica_set = |image: &str, owner: &str, revision: &str| {
            let owner = json!({ "kind": "Deployment", "name": "web", "uid": owner, "controller": true });
            let annotations = json!({ "deployment.kubernetes.io/revision": revision });
            json!({
                "kind": "ReplicaSet", "metadata": { "annotations": annotations, "ownerReferences": [owner] },
                "spec": { "template": template(image) },
            })
        };
        let objects = [
            replica_set("web:2", "d", "9"),
            replica_set("web:1", "d", "8"),
            replica_set("web:3", "d", "none"),
            replica_set("web:4", "e", "20"),
        ];
        let of_image = |image: &str, uid: &str| {
            let deployment = json!({ "kind": "Deployment", "spec": { "template": template(image) } });
            new_revision(&objects, uid, &deployment)
        };
        for (image, uid, expected) in
            [("web:5", "d", Some(10)), ("web:4", "d", Some(10)), ("web:2", "d", None), ("web:1", "d", None)]
        {
            assert_eq!(of_image(image, uid), expected, "{image}");
        }
        assert_eq!(of_image("web:5", "unknown"), None);
    }

    #[test]
    fn the_newest_time_is_of_something_that_has_happened() {
        let created = json!({ "creationTimestamp": "2026-01-01T12:00:00Z" });
        let cases = [
            (json!([]), None),
            (json!([{ "kind": "Pod" }, { "metadata": "web" }]), None),
            (json!([{ "metadata": created }]), Some("2026-01-01T12:00:00Z")),
            (
                json!([
                    { "metadata": created, "status": { "conditions": [{ "lastUpdateTime": "2026-01-01T12:10:00Z" }] } },
                    { "metadata": created, "status": { "startTime": "2026-01-01T12:05:00Z", "phase": "Running" } },
                ]),
                Some("2026-01-01T12:10:00Z"),
            ),
            (
                json!([{ "metadata": {
                    "creationTimestamp": "2026-01-01T12:00:00Z",
                    "deletionTimestamp": "2026-01-01T12:00:30Z",
                    "annotations": { "expires": "2027-01-01T00:00:00Z" },
                    "labels": { "until": "2027-01-01T00:00:00Z" },
                    "managedFields": [{ "time": "2026-01-01T12:00:10Z" }],
                } }]),
                Some("2026-01-01T12:00:10Z"),
            ),
            (
                json!([{ "metadata": created, "spec": { "taints": [{ "value": "2027-01-01T00:00:00Z" }, {
                    "key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-01T12:03:05Z",
                }] } }]),
                Some("2026-01-01T12:03:05Z"),
            ),
        ];
        for (objects, expected) in cases {
            let newest = newest_time(objects.as_array().unwrap());
            assert_eq!(newest, expected.and_then(Time::parse), "{objects}");
        }
    }

    #[test]
    fn recent_objects_were_just_read() {
        let newest = Time::parse("2026-01-01T12:00:00Z").unwrap();
        for (seconds, was_just_read) in
            [(0, true), (300, true), (600, true), (601, false), (86_400, false), (-1, false), (-86_400, false)]
        {
            let now = newest.plus_seconds(seconds);
            let expected = if was_just_read { now } else { newest };
            assert_eq!(reading_time(newest, now), expected, "{seconds}");
        }
    }
}
