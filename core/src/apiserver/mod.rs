//! Defaults, prepares and validates objects as the API server of Kubernetes 1.36 does, on untyped JSON: fields that
//! are not known stay as they are. One file for each kind; what is not looked at is never reported, so a list without
//! errors says only that nothing which bears on replicas, rollouts, replacement and deletion is wrong.
//!
//! What is mirrored: the defaults and the validation in `pkg/apis`, and the strategies in `pkg/registry`.

mod admission;
mod admit;
mod container;
mod convert;
mod cron_job;
mod daemon_set;
mod deletion_cost;
mod deployment;
mod equal;
mod field;
mod go_print;
mod image;
mod indexes;
mod job;
mod job_prepare;
mod job_spec;
mod job_status;
mod job_update;
mod kind;
mod meta;
mod names;
mod not_looked_at;
mod operation;
mod pod;
mod pod_failure_policy;
mod pod_spec;
mod ports;
mod prepare;
pub(crate) mod quantity;
mod replica_set;
mod replication_controller;
mod restart;
mod schedule;
mod schema;
mod selector;
mod stateful_set;
mod status;
mod status_schema;
mod strategy;
mod validate;
pub(crate) mod value;
mod volumes;
mod warnings;

pub use admission::{Admission, admission};
pub use admit::{admit_create, admit_update};
pub(crate) use deletion_cost::annotation as deletion_cost_annotation;
pub use deletion_cost::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations, invalid_deletion_cost};
pub use deployment::POD_REPLACEMENT_POLICIES as DEPLOYMENT_POD_REPLACEMENT_POLICIES;
pub(crate) use deployment::{is_not_more_than_100_percent, validate_positive_int_or_percent};
pub(crate) use equal::{same_fields, semantic_equal};
pub use field::{ErrorType, FieldError};
pub(crate) use image::split_docker_domain;
pub use job::POD_REPLACEMENT_POLICIES as JOB_POD_REPLACEMENT_POLICIES;
pub(crate) use job::default_pod_replacement_policy as default_job_pod_replacement_policy;
pub use kind::Kind;
pub(crate) use names::is_name;
pub use not_looked_at::not_looked_at;
pub use operation::Operation;
pub use prepare::{default, prepare};
pub use status_schema::{status_not_looked_at, status_readable};
pub use strategy::{ALL, ROLLOUT, Strategy};
pub use validate::{readable, readable_as_sent, validate, validate_replacement};
pub use warnings::warnings;
