//! LimitRanges: the requests and limits that the API server gives the containers of new pods.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::aux_objects::{AuxObject, AuxSpec};
use super::state::Cluster;
use crate::object::unstructured::{map, string};
use crate::object::{Container, Kind, LimitRangeSpec, Object, PodSpecFields};

/// The requests and limits that a LimitRange gives containers without their own.
#[derive(Debug, Default)]
pub(super) struct ContainerDefaults {
    requests: Map<String, Value>,
    limits: Map<String, Value>,
}

impl ContainerDefaults {
    /// Without a default limit, the maximum is the limit. Without a default request, that limit is the request, or else the minimum.
    ///
    /// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_LimitRangeItem` and
    /// `plugin/pkg/admission/limitranger/admission.go defaultContainerResourceRequirements`
    pub(super) fn of(spec: &LimitRangeSpec) -> Self {
        let mut defaults = Self::default();
        for item in spec.limits.iter().filter(|item| item.item_type == "Container") {
            let (mut requests, mut limits) = (Map::new(), Map::new());
            add_missing(&mut limits, item.default_limit.iter());
            add_missing(&mut limits, item.max.iter());
            add_missing(&mut requests, item.default_request.iter());
            add_missing(&mut requests, &limits);
            add_missing(&mut requests, item.min.iter());
            defaults.requests.extend(requests);
            defaults.limits.extend(limits);
        }
        defaults
    }

    /// Upstream: `plugin/pkg/admission/limitranger/admission.go mergeContainerResources`
    fn fill_in(&self, container: &mut Container) {
        let given = container.unknown.get("resources");
        let list = |name: &str| given.and_then(|resources| map(resources, name)).cloned().unwrap_or_default();
        let (mut requests, mut limits) = (list("requests"), list("limits"));
        // A container's own limit is its request before a plugin is asked.
        add_missing(&mut requests, &limits);
        add_missing(&mut requests, &self.requests);
        add_missing(&mut limits, &self.limits);
        let mut resources = given.and_then(Value::as_object).cloned().unwrap_or_default();
        let lists = [("requests", requests), ("limits", limits)];
        resources.extend(
            lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name.into(), list.into())),
        );
        if !resources.is_empty() {
            container.unknown = container.unknown.with("resources", resources);
        }
    }
}

fn add_missing<'a>(list: &mut Map<String, Value>, amounts: impl IntoIterator<Item = (&'a String, &'a Value)>) {
    for (resource, amount) in amounts {
        list.entry(resource.as_str()).or_insert_with(|| amount.clone());
    }
}

/// The LimitRanges of namespaces.
#[derive(Debug)]
pub(crate) struct LimitRanges(Vec<AuxObject>);

impl LimitRanges {
    /// Those among these objects, which the simulated cluster has taken.
    pub(crate) fn among(objects: &[Value]) -> Self {
        let limit_ranges = objects.iter().filter(|object| string(object, "kind") == Kind::LimitRange.name());
        Self(limit_ranges.filter_map(|object| AuxObject::read(Kind::LimitRange, object.clone(), "").ok()).collect())
    }

    /// Gives the containers of a new pod what they lack.
    pub(crate) fn fill_in(&self, namespace: &str, fields: &mut Rc<PodSpecFields>) {
        fill_in(&defaults_in(&self.0, namespace), fields);
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission.go mergePodResourceRequirements`
fn fill_in(all_defaults: &[&ContainerDefaults], fields: &mut Rc<PodSpecFields>) {
    for defaults in all_defaults {
        let PodSpecFields { containers, init_containers, .. } = Rc::make_mut(fields);
        containers.iter_mut().chain(init_containers).for_each(|container| defaults.fill_in(container));
    }
}

fn defaults_in<'a>(objects: &'a [AuxObject], namespace: &str) -> Vec<&'a ContainerDefaults> {
    let in_namespace = objects.iter().filter(|object| *object.key.namespace == *namespace);
    let defaults = in_namespace.filter_map(|object| match &object.spec {
        AuxSpec::LimitRange(defaults) => Some(defaults),
        _ => None,
    });
    defaults.collect()
}

impl Cluster {
    /// Gives the containers of a new pod the requests and limits of the namespace's LimitRanges.
    ///
    /// Upstream: `plugin/pkg/admission/limitranger/admission.go PodMutateLimitFunc`
    pub(super) fn apply_limit_ranges(&mut self, object: Object) -> Object {
        let defaults = defaults_in(&self.aux_objects, &object.metadata().namespace);
        match object {
            Object::Pod(mut pod) if !defaults.is_empty() => {
                let mut fields = pod.spec.fields.clone();
                fill_in(&defaults, &mut fields);
                // Pods of one template share their fields.
                let fields = self.last_filled_in.take().filter(|last| *last == fields).unwrap_or(fields);
                self.last_filled_in = Some(fields.clone());
                Rc::make_mut(&mut pod).spec.fields = fields;
                Object::Pod(pod)
            }
            object => object,
        }
    }
}
