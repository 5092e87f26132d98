//! Pods in short: without the spec that they have from the template of their ReplicaSet.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;

use serde_json::{Map, Value};

use crate::json::ToJson;
use crate::object::unstructured::{at, map, string};
use crate::object::{Kind, Object, Pod, PodSpec, PodSpecFields};

/// Writes objects as JSON, and pods without the spec of their template: thousands of pods would repeat it.
#[derive(Default)]
pub(crate) struct ShortPods<'a> {
    /// The templates of the ReplicaSets so far, by uid.
    templates: BTreeMap<&'a str, &'a Rc<PodSpecFields>>,
}

impl<'a> ShortPods<'a> {
    /// The next object. A pod is in short if its ReplicaSet came before it.
    pub(crate) fn write(&mut self, object: &'a Object) -> Value {
        match object {
            Object::ReplicaSet(replica_set) => {
                self.templates.insert(&replica_set.metadata.uid, &replica_set.spec.template.spec.fields);
                object.to_value()
            }
            Object::Pod(pod) => self.without_template(pod).map_or_else(|| object.to_value(), |pod| pod.to_value()),
            _ => object.to_value(),
        }
    }

    /// The pod without what its template has. None if it lacks some of that, or has other containers.
    fn without_template(&self, pod: &Pod) -> Option<Object> {
        let template = self.templates.get(&*pod.metadata.controller()?.uid)?;
        let PodSpecFields { init_containers, containers, termination_grace_period_seconds, unknown } =
            &*pod.spec.fields;
        let is_made_from_it = *containers == template.containers
            && *init_containers == template.init_containers
            && *termination_grace_period_seconds == template.termination_grace_period_seconds
            && template.unknown.iter().all(|(key, _)| unknown.get(key).is_some());
        is_made_from_it.then(|| {
            // The API server gives pods defaults that it does not give templates.
            let more = unknown.iter().filter(|(key, value)| template.unknown.get(key) != Some(value));
            let more: Map<String, Value> = more.map(|(key, value)| (key.clone(), value.clone())).collect();
            let fields = Rc::new(PodSpecFields { unknown: more.into(), ..PodSpecFields::default() });
            Object::from(Pod { spec: PodSpec { fields, ..pod.spec.clone() }, ..pod.clone() })
        })
    }
}

/// A manifest; that of a pod in short has the spec of its template, if there is one.
pub(crate) fn in_full(manifest: &Value, template: impl FnOnce() -> Option<Rc<PodSpecFields>>) -> Cow<'_, Value> {
    let is_short = string(manifest, "kind") == Kind::Pod.name() && at(manifest, &["spec", "containers"]).is_none();
    let full = || {
        let mut spec = template()?.to_json();
        let given = map(manifest, "spec").into_iter().flatten();
        spec.as_object_mut()?.extend(given.map(|(key, value)| (key.clone(), value.clone())));
        let mut pod = manifest.clone();
        pod.as_object_mut()?.insert(String::from("spec"), spec);
        Some(pod)
    };
    is_short.then(full).flatten().map_or(Cow::Borrowed(manifest), Cow::Owned)
}
