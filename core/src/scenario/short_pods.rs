//! Pods in short: without the spec that they have from the template of their ReplicaSet.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::collect_tree::CollectTree;
use crate::json::ToJson;
use crate::object::unstructured::{at, map, string};
use crate::object::{Container, Kind, Object, Pod, PodSpec, PodSpecFields};

/// Writes objects as JSON, and pods without the spec of their template: thousands of pods would repeat it.
#[derive(Default)]
pub(crate) struct ShortPods<'a> {
    /// The templates of the ReplicaSets so far, by uid.
    templates: BTreeMap<&'a str, Template<'a>>,
}

/// The spec of a template, and its containers as those of its pods are.
struct Template<'a> {
    fields: &'a Rc<PodSpecFields>,
    containers: Vec<Container>,
    init_containers: Vec<Container>,
}

impl<'a> ShortPods<'a> {
    /// The next object. A pod is in short if its ReplicaSet came before it.
    pub(crate) fn write(&mut self, object: &'a Object) -> Value {
        match object {
            Object::ReplicaSet(replica_set) => {
                let fields = &replica_set.spec.template.spec.fields;
                let of_pods = |containers: &[Container]| containers.iter().map(with_requests).collect();
                let template = Template {
                    fields,
                    containers: of_pods(&fields.containers),
                    init_containers: of_pods(&fields.init_containers),
                };
                self.templates.insert(&replica_set.metadata.uid, template);
                object.to_value()
            }
            Object::Pod(pod) => self.without_template(pod).map_or_else(|| object.to_value(), |pod| pod.to_value()),
            _ => object.to_value(),
        }
    }

    /// The pod without what its template has. None if it lacks some of that, or has other containers.
    fn without_template(&self, pod: &Pod) -> Option<Object> {
        let Template { fields: template, containers: of_pod, init_containers: init_of_pod } =
            self.templates.get(&*pod.metadata.controller()?.uid)?;
        let PodSpecFields { init_containers, containers, termination_grace_period_seconds, unknown } =
            &*pod.spec.fields;
        let is_made_from_it = (*containers == template.containers || containers == of_pod)
            && (*init_containers == template.init_containers || init_containers == init_of_pod)
            && *termination_grace_period_seconds == template.termination_grace_period_seconds
            && template.unknown.iter().all(|(key, _)| unknown.get(key).is_some());
        is_made_from_it.then(|| {
            // The API server gives pods defaults that it does not give templates.
            let more = unknown.iter().filter(|(key, value)| template.unknown.get(key) != Some(value));
            let more: Map<String, Value> = more.map(|(key, value)| (key.clone(), value.clone())).collect_tree();
            let fields = Rc::new(PodSpecFields { unknown: more.into(), ..PodSpecFields::default() });
            Object::from(Pod { spec: PodSpec { fields, ..pod.spec.clone() }, ..pod.clone() })
        })
    }
}

/// A container of a template as the API server stores it in a pod: a limit is also a request, unless there is one. A pod that is read
/// gets it again.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Pod`
fn with_requests(container: &Container) -> Container {
    let with_requests = |resources: &Value| {
        let mut resources = resources.as_object()?.clone();
        let mut requests = resources.get("limits")?.as_object()?.clone();
        requests.extend(resources.get("requests").and_then(Value::as_object).cloned().unwrap_or_default());
        resources.insert(String::from("requests"), Value::Object(requests));
        Some(container.unknown.with("resources", resources))
    };
    let unknown = container.unknown.get("resources").and_then(with_requests);
    Container { unknown: unknown.unwrap_or_else(|| container.unknown.clone()), ..container.clone() }
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
