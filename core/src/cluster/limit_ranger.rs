//! The API server gives the containers of new pods the requests and limits of LimitRanges, and validates the result.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::aux_objects::{AuxObject, AuxSpec};
use super::container_defaults::ContainerDefaults;
use super::limit_range_bounds::{persistent_volume_claim_validate_limit_func, pod_validate_limit_func};
use super::manifest::invalid;
use super::state::Cluster;
use crate::Problem;
use crate::apiserver::{limit_in_words, validate_resource_requirements};
use crate::controller::ApiError;
use crate::object::unstructured::string;
use crate::object::{Kind, Object, PersistentVolumeClaim, PodSpecFields};
use crate::path::Path;

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

    /// Why the API server refuses a claim, in its words; none if it does not.
    pub(crate) fn refusal_of_claim(&self, namespace: &str, claim: &PersistentVolumeClaim) -> Option<String> {
        let refused = |limit_range: &ContainerDefaults| {
            let bounds = limit_range.bounds();
            persistent_volume_claim_validate_limit_func(bounds, claim).into_iter().next()
        };
        defaults_in(&self.0, namespace).into_iter().find_map(refused)
    }

    /// The names of the LimitRanges of a namespace whose default limit a refusal names. A container's own limit can't be the
    /// reason: the API server would have refused the Deployment.
    pub(crate) fn refusing(&self, namespace: &str, message: &str) -> Vec<&str> {
        let gives_limit = |object: &&AuxObject| match &object.spec {
            AuxSpec::LimitRange(defaults) => {
                defaults.limits().iter().any(|(resource, limit)| names_limit(message, resource, limit))
            }
            _ => false,
        };
        let in_namespace = self.0.iter().filter(|object| *object.key.namespace == *namespace);
        in_namespace.filter(gives_limit).map(|object| &*object.key.name).collect()
    }
}

/// Upstream: `k8s.io/apiserver/pkg/admission/errors.go NewForbidden`
pub(super) fn forbidden(object: &Object, why: &str) -> ApiError {
    let (kind, name) = (object.kind(), &object.metadata().name);
    let message = format!("{} \"{name}\" is forbidden: {why}", kind.group_resource());
    ApiError::new(403, "Forbidden", message)
}

/// Whether a refusal is about this limit.
fn names_limit(message: &str, resource: &str, limit: &Value) -> bool {
    let continues = |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '.');
    message.split(limit_in_words(resource, limit).as_str()).skip(1).any(|rest| !continues(rest))
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

/// Refuses a pod of which a container requests more than its limit.
fn validate_containers(pod: &Object, fields: &PodSpecFields) -> Result<(), ApiError> {
    let mut errors = Vec::new();
    for (key, containers) in [("containers", &fields.containers), ("initContainers", &fields.init_containers)] {
        for (index, container) in containers.iter().enumerate() {
            if let Some(resources) = container.unknown.get("resources") {
                let path = format!("spec.{key}[{index}].resources");
                validate_resource_requirements(resources, &Path::Root(&path), &mut errors);
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid(pod, &errors)) }
}

impl Cluster {
    /// Refuses a new pod if a container requests more than its limit, which a LimitRange may have given it, and a pod or a claim outside
    /// of the bounds of the namespace's LimitRanges.
    ///
    /// # Errors
    /// The API server's refusal.
    pub(super) fn validate_resources(&self, object: &Object) -> Result<(), ApiError> {
        if !matches!(object, Object::Pod(_) | Object::PersistentVolumeClaim(_)) {
            return Ok(());
        }
        let limit_ranges = defaults_in(&self.aux_objects, &object.metadata().namespace);
        if limit_ranges.is_empty() {
            return Ok(());
        }
        if let Object::Pod(pod) = object {
            validate_containers(object, &pod.spec.fields)?;
        }
        // The first LimitRange that refuses the object ends the request.
        let refused = |limit_range: &&ContainerDefaults| match object {
            Object::Pod(pod) => pod_validate_limit_func(limit_range.bounds(), pod),
            Object::PersistentVolumeClaim(claim) => {
                persistent_volume_claim_validate_limit_func(limit_range.bounds(), claim)
            }
            _ => Vec::new(),
        };
        match limit_ranges.iter().map(refused).find(|refused| !refused.is_empty()).as_deref() {
            None => Ok(()),
            Some([only]) => Err(forbidden(object, only)),
            Some(all) => Err(forbidden(object, &format!("[{}]", all.join(", ")))),
        }
    }

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
