//! The pod spec and the pod template, as Pods and all workloads have them: what bears on restarts, readiness and
//! termination.

mod annotations;
mod container;
mod defaults;
pub(crate) mod deletion_cost;
mod gates;
mod image;
mod options;
mod ports;
pub(crate) mod resources;
mod spec;
mod template;
mod validated_fields;
mod volumes;
pub(crate) mod warnings;

pub(crate) use annotations::{
    MIRROR_POD, drop_init_container_annotations, validate_mirror, validate_pod_specific_annotations,
};
pub(crate) use defaults::{set_defaults, set_spec_defaults, set_template_defaults};
pub(crate) use gates::drop_disabled_fields;
pub(crate) use image::split_docker_domain;
pub(crate) use options::PodValidationOptions;
pub(crate) use ports::{is_valid_port_name, validate_host_network};
pub(crate) use spec::validate_pod_spec;
pub(crate) use template::{
    pod_holder, pod_holder_mut, template_labels, validate_pod_template_spec, validate_template_metadata,
    validate_template_without,
};
pub(crate) use validated_fields::{POD_SPEC, POD_TEMPLATE};
pub(crate) use volumes::set_defaults_claim;
