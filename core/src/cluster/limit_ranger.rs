//! The API server gives the containers of new pods the requests and limits of LimitRanges.

use alloc::rc::Rc;
use alloc::vec::Vec;

use serde_json::Value;

use super::aux_objects::{AuxObject, AuxSpec};
use super::container_defaults::ContainerDefaults;
use super::state::Cluster;
use crate::Problem;
use crate::object::unstructured::string;
use crate::object::{Kind, Object, PodSpecFields};

/// The LimitRanges of namespaces.
#[derive(Debug)]
pub(crate) struct LimitRanges(Vec<AuxObject>);

impl LimitRanges {
    /// The LimitRanges among objects with their paths.
    ///
    /// # Errors
    /// What the API server refuses, with its path.
    pub(crate) fn among<'a>(objects: impl Iterator<Item = (&'a Value, &'a str)>) -> Result<Self, Problem> {
        let limit_ranges = objects.filter(|(object, _)| string(object, "kind") == Kind::LimitRange.name());
        let read = |(object, path): (&Value, &str)| AuxObject::read(Kind::LimitRange, object.clone(), path);
        limit_ranges.map(read).collect::<Result<_, _>>().map(Self)
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
