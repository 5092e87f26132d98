//! The objects at the start: each goes through the API server into the store.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::iter;

use serde_json::Value;

use super::aux_objects::{AuxObject, aux_kind};
use super::manifest::{admit_create, identified, stored_kind};
use super::state::Cluster;
use super::store::Id;
use crate::Problem;
use crate::apiserver::is_name;
use crate::go::quoted;
use crate::json::decode;
use crate::object::unstructured::{at, name, string};
use crate::object::{
    ControllerRevision, Kind, Object, ObjectKey, OwnerReference, Pod, PodSpecFields, PodTemplateSpec, Time,
    controller_of,
};
use crate::scenario::{Manifest, Manifests, Scenario, in_full, nodes_lost_by_pods};
use crate::workload::replica_set::ReplicaSet;

/// The objects of a scenario as the API server stores them, so that further simulations need not admit them again. As they were
/// given stay those that it refuses, Deployments with a field that a feature gate decides about, and pods that say that
/// their node is lost.
pub(crate) fn stored_objects(scenario: &Scenario) -> Manifests {
    let Ok(cluster) = Cluster::of(scenario.clone()) else { return scenario.objects.clone() };
    let store = cluster.store.borrow();
    let stored = |manifest: &Manifest| {
        let given = manifest.given()?;
        if at(given, &["spec", "podReplacementPolicy"]).is_some_and(|_| manifest.kind() == Kind::Deployment.name())
            || !nodes_lost_by_pods(iter::once(given)).is_empty()
        {
            return None;
        }
        let key = ObjectKey::of_manifest(stored_kind(manifest.kind())?, given);
        let key = match manifest {
            Manifest::Twin { name, .. } => ObjectKey { name: name.clone(), ..key },
            _ => key,
        };
        store.get(&key).cloned().map(Manifest::Stored)
    };
    scenario.objects.iter().map(|manifest| stored(manifest).unwrap_or_else(|| manifest.clone())).collect()
}

impl Cluster {
    /// Puts the objects of the scenario's beginning into the store.
    ///
    /// # Errors
    /// What the API server refuses of all of them, so that a caller that leaves those out has to ask only once.
    pub(super) fn place_initial_objects(&mut self) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        let mut problems = Vec::new();
        // They bear on what pods ask for.
        for (index, manifest) in scenario.objects.iter().enumerate() {
            if let Some(kind) = aux_kind(manifest.kind()) {
                problems.extend(self.place_aux(kind, &manifest.to_value(), &format!("objects[{index}]")).err());
            }
        }
        self.note_surroundings();
        let mut last: Option<Rc<Pod>> = None;
        let mut placed = Vec::new();
        let mut uids = Vec::new();
        for (index, manifest) in scenario.objects.iter().enumerate() {
            scenario.pause.take();
            let path = format!("objects[{index}]");
            let new_uid = self.names.uid();
            let object = match (manifest, &last) {
                (Manifest::Stored(object), _) => object.clone(),
                // A pod passes the API server if the one before it does, since they are of one template.
                (Manifest::Twin { name, uid, .. }, Some(pod)) if is_name(name) => {
                    let mut pod = (**pod).clone();
                    let metadata = Rc::make_mut(&mut pod.metadata);
                    metadata.name = name.clone();
                    metadata.uid = uid.clone();
                    Object::from(pod)
                }
                _ => {
                    if aux_kind(manifest.kind()).is_some() {
                        continue;
                    }
                    let manifest = self.named(manifest.to_value(), &new_uid);
                    match self.read(&manifest, &path, new_uid) {
                        Ok(object) => object,
                        Err(problem) => {
                            problems.push(problem);
                            continue;
                        }
                    }
                }
            };
            if let Object::Pod(pod) = &object {
                last = Some(pod.clone());
            }
            uids.push(object.metadata().uid.clone());
            problems.extend(self.place(object, &path, &mut placed).err());
        }
        Problem::check(problems)?;
        self.names.reserve(uids);
        self.add_missing_revisions();
        self.note_other_usage();
        // What comes next for a pod may depend on its owners, which may stand behind it.
        for (id, pod) in placed {
            self.environment.pod_added(self, id, &pod);
        }
        Ok(())
    }

    /// Adds the revisions of templates that are not given: without them, the controllers would give the templates new ones, and a
    /// StatefulSet's replaces all pods.
    fn add_missing_revisions(&mut self) {
        let mut missing = Vec::new();
        for workload in self.environment.workloads() {
            let store = self.store.borrow();
            missing
                .extend(store.all_of(workload.kind()).filter_map(|object| workload.missing_revision(&store, object)));
        }
        for mut revision in missing {
            let key = Rc::new(revision.key());
            if self.find(&key).is_none() {
                Rc::make_mut(&mut revision.metadata).uid = self.names.uid();
                self.store.borrow_mut().put(None, &key, revision.into());
            }
        }
    }

    /// The manifest with a name, which is made from `generateName` where it has none.
    fn named<'a>(&mut self, manifest: Cow<'a, Value>, uid: &str) -> Cow<'a, Value> {
        if !name(&manifest).is_empty() || at(&manifest, &["metadata", "generateName"]).is_none() {
            return manifest;
        }
        Cow::Owned(identified(&manifest, uid, |prefix| self.names.generate(prefix)))
    }

    /// The object that a manifest describes, with the status that it gives.
    pub(super) fn read(&self, manifest: &Value, path: &str, uid: Rc<str>) -> Result<Object, Problem> {
        let start = self.now.truncated();
        let old = manifest.get("metadata");
        let text = |key: &str| old.and_then(|old| old.get(key)).and_then(Value::as_str);
        let number = |key: &str| old.and_then(|old| old.get(key)).and_then(Value::as_i64);
        let uid = text("uid").map_or(uid, Into::into);
        let has_uid_in_spec = Kind::from_name(string(manifest, "kind")).is_some_and(Kind::has_uid_in_spec);
        let identified = has_uid_in_spec.then(|| identified(manifest, &uid, |name| name.into()));
        let manifest = identified.as_ref().unwrap_or(manifest);
        let manifest = &*in_full(manifest, || self.template_of(manifest));
        let mut object = admit_create(manifest, path, &self.gates.apiserver)?.with_metadata(|metadata| {
            metadata.uid = uid;
            metadata.creation_timestamp = Some(text("creationTimestamp").and_then(Time::parse).unwrap_or(start));
            metadata.deletion_timestamp = text("deletionTimestamp").and_then(Time::parse);
            metadata.deletion_grace_period_seconds = number("deletionGracePeriodSeconds");
            metadata.generation = number("generation").unwrap_or(1);
        });
        if let Some(status) = manifest.get("status").filter(|status| !status.is_null()) {
            object.read_status(status, &format!("{path}.status"))?;
        }
        match &mut object {
            Object::Pod(pod) => self.share_with_template(Rc::make_mut(pod)),
            Object::ControllerRevision(revision) => check_template(revision, path)?,
            _ => {}
        }
        Ok(object)
    }

    /// Puts an object into the store, and a pod into the list of those that are placed.
    fn place(&mut self, object: Object, path: &str, placed: &mut Vec<(Id, Rc<Pod>)>) -> Result<(), Problem> {
        let key = Rc::new(object.key());
        if self.store.borrow().get(&key).is_some() {
            let message = format!("Duplicate value: \"{}\": a {} with this name is already given", key.name, key.kind);
            return Err(Problem::new(format!("{path}.metadata.name"), message));
        }
        self.recorder.count_initial(&object);
        let id = self.store.borrow_mut().put(None, &key, object.clone());
        if let Some(created) = object.metadata().creation_timestamp.filter(|created| *created > self.now) {
            let message = format!("Invalid value: \"{created}\": must not be later than the start, {}", self.now);
            return Err(Problem::new(format!("{path}.metadata.creationTimestamp"), message));
        }
        self.require_named_node(&object, path)?;
        if let Object::Pod(pod) = &object {
            if let Some(node) = pod.spec.node_name.as_ref().filter(|_| !pod.is_terminal()) {
                self.count_on_node(node, pod, 1);
            }
            self.note_nominated(pod);
            placed.push((id, pod.clone()));
        }
        if self.store.borrow().has_more_pods_than(self.scenario.limits.pods) {
            let message = format!("Too many: at most {} pods (limits.pods)", self.scenario.limits.pods);
            return Err(Problem::new("objects", message));
        }
        Ok(())
    }

    /// Places an object that is not an [`Object`].
    fn place_aux(&mut self, kind: Kind, manifest: &Value, path: &str) -> Result<(), Problem> {
        let object = AuxObject::read(kind, manifest.clone(), path)?;
        if self.aux_objects.iter().any(|other| other.key == object.key) {
            let message =
                format!("Duplicate value: {}: a {kind} with this name is already given", quoted(&object.key.name));
            return Err(Problem::new(format!("{path}.metadata.name"), message));
        }
        self.aux_objects.push(object);
        Ok(())
    }

    /// The template of the ReplicaSet that controls a pod.
    fn template_of(&self, pod: &Value) -> Option<Rc<PodSpecFields>> {
        let owner = controller_of(pod, Kind::ReplicaSet)?;
        let key = ObjectKey { name: string(owner, "name").into(), ..ObjectKey::of_manifest(Kind::ReplicaSet, pod) };
        let store = self.store.borrow();
        let replica_set = store.typed::<ReplicaSet>(&key)?;
        (&*replica_set.metadata.uid == string(owner, "uid")).then(|| replica_set.spec.template.spec.fields.clone())
    }

    /// Lets a pod share equal fields with its ReplicaSet's template, as the pods that the ReplicaSet creates do.
    fn share_with_template(&self, pod: &mut Pod) {
        let store = self.store.borrow();
        let Some(replica_set) = store.controller_of::<ReplicaSet>(pod) else { return };
        let metadata = Rc::make_mut(&mut pod.metadata);
        metadata.namespace = replica_set.metadata.namespace.clone();
        let template = &replica_set.spec.template;
        if metadata.labels == template.metadata.labels {
            metadata.labels = template.metadata.labels.clone();
        }
        if pod.spec.fields == template.spec.fields {
            pod.spec.fields = template.spec.fields.clone();
        }
    }
}

/// That a revision of a StatefulSet or a DaemonSet has a pod template. One of another controller may keep anything.
fn check_template(revision: &ControllerRevision, path: &str) -> Result<(), Problem> {
    let of_set = |owner: &OwnerReference| Kind::from_name(&owner.kind).is_some_and(Kind::rolls_out_own_pods);
    if !revision.metadata.controller().is_some_and(of_set) {
        return Ok(());
    }
    let path = format!("{path}.data.spec.template");
    let template = at(&revision.spec.data, &["spec", "template"]);
    template.map_or(Ok(()), |template| decode::<PodTemplateSpec>(template, &path).map(|_| ()))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::*;
    use crate::cluster::{Simulation, at_rest};

    fn objects_at_start(scenario: &Scenario, objects: Manifests) -> Vec<Object> {
        Simulation::start(Scenario { objects, ..scenario.clone() }).unwrap().objects()
    }

    #[test]
    fn stored_objects_are_those_that_are_admitted() {
        let template = json!({
            "metadata": { "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "app", "image": "web:1", "resources": { "limits": { "cpu": 1 } } }] },
        });
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "annotations": { "a": "b" } },
            "spec": {
                "replicas": 3, "minReadySeconds": 5, "selector": { "matchLabels": { "app": "web" } }, "template": template,
            },
        });
        let scenario = Scenario { objects: [deployment].into_iter().collect(), ..Scenario::default() };
        let rest = at_rest(&scenario, &[]).unwrap();
        let given: Manifests = rest.iter().map(Object::to_value).collect();
        let admitted = objects_at_start(&scenario, given.clone());
        assert_eq!(objects_at_start(&scenario, rest.into_iter().map(Manifest::Stored).collect()), admitted);

        let stored = stored_objects(&Scenario { objects: given, ..scenario.clone() });
        assert!(stored.iter().all(|manifest| manifest.given().is_none()));
        assert_eq!(objects_at_start(&scenario, stored), admitted);
    }

    #[test]
    fn what_gates_and_nodes_are_read_from_stays_as_it_is_given() {
        let deployment = |policy: Option<&str>| {
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": policy.unwrap_or("web") },
                "spec": {
                    "podReplacementPolicy": policy, "selector": { "matchLabels": { "app": "web" } },
                    "template": {
                        "metadata": { "labels": { "app": "web" } },
                        "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
                    },
                },
            })
        };
        let pod = |name: &str, reason: &str| {
            json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
                "spec": { "nodeName": "a", "containers": [{ "name": "app", "image": "web:1" }] },
                "status": { "phase": "Running", "reason": reason },
            })
        };
        let limits = json!({ "apiVersion": "v1", "kind": "LimitRange", "metadata": { "name": "limits" }, "spec": {} });
        let objects = [deployment(None), deployment(Some("terminating")), pod("b", ""), pod("c", "NodeLost"), limits];
        let scenario = Scenario { objects: objects.into_iter().collect(), ..Scenario::default() };
        let is_given =
            |objects: &Manifests| -> Vec<bool> { objects.iter().map(|object| object.given().is_some()).collect() };
        assert_eq!(is_given(&stored_objects(&scenario)), vec![false, true, false, true, true]);
        // What the API server refuses is refused again.
        let refused =
            Scenario { objects: [deployment(None), json!({ "kind": "Pod" })].into_iter().collect(), ..scenario };
        assert_eq!(stored_objects(&refused), refused.objects);
    }
}
