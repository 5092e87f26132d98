//! Defaults, prepares and validates objects as the API server of Kubernetes 1.37 does, on untyped JSON: fields that
//! are not known stay as they are. Fields that are not validated are never reported, so a list without errors says only
//! that nothing which bears on replicas, rollouts, replacement and deletion is wrong.
//!
//! Mirrors the defaults and the validation in `pkg/apis`, and the strategies in `pkg/registry`. Each kind has a
//! file or folder with its [`Strategy`]; what kinds share is beside them: `validation` and `meta` for the fields of all
//! objects, `pod_spec` and `workload` for pods and what makes them, `schema`, `decode`, `conversion` and
//! `internal_version` for how objects are read. [`create()`] and [`update()`] are the way of an object into the store.
//!
//! # Examples
//!
//! ```
//! use changeover_core::apiserver::dry_run;
//! use changeover_core::feature_gates::FeatureGates;
//! use serde_json::json;
//!
//! let job = json!({
//!     "apiVersion": "batch/v1",
//!     "kind": "Job",
//!     "metadata": { "name": "migrate" },
//!     "spec": {
//!         "parallelism": -1,
//!         "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "app:1" }] } },
//!     },
//! });
//! let answer = dry_run(&job, None, &FeatureGates::default());
//! assert_eq!(
//!     answer.errors[0].to_string(),
//!     "spec.parallelism: Invalid value: -1: must be greater than or equal to 0"
//! );
//! ```
//!
//!
//! To validate another kind, add its variant to [`Kind`](crate::object::Kind), its strategy in a file of its own, and its
//! lines in `registry`.

pub(crate) mod api_types;
mod conversion;
mod create;
mod cron_job;
mod daemon_set;
mod decode;
mod decoding_refusal;
mod deployment;
mod dry_run;
mod equality;
mod existing_objects;
mod full_pod_spec;
mod internal_version;
mod job;
mod meta;
mod operation;
mod pod;
mod pod_spec;
mod pod_template;
mod prepare;
mod recognize;
mod registry;
mod replacement;
mod replica_set;
mod replication_controller;
mod schema;
mod stateful_set;
mod strategy;
mod unknown_fields;
mod unvalidated;
mod update;
mod validate;
mod validation;
mod warnings;
mod workload;

pub use create::create;
pub use decode::is_pod_spec_field;
pub use decoding_refusal::{decoding_errors, decoding_refusal};
pub use deployment::POD_REPLACEMENT_POLICIES as DEPLOYMENT_POD_REPLACEMENT_POLICIES;
pub(crate) use deployment::default_deployment;
pub use dry_run::{DryRun, dry_run};
pub(crate) use equality::{same_fields, semantic_equal};
pub use existing_objects::{ExistingObjects, Replaced};
pub(crate) use full_pod_spec::resources::{is_integer_resource, problems_of_quota_resource};
pub use job::POD_REPLACEMENT_POLICIES as JOB_POD_REPLACEMENT_POLICIES;
pub(crate) use job::default_pod_replacement_policy as default_job_pod_replacement_policy;
pub use operation::Operation;
pub(crate) use pod::{is_pod_level_resources_set, is_supported_pod_level_resource};
pub(crate) use pod_spec::deletion_cost::annotation as deletion_cost_annotation;
pub use pod_spec::deletion_cost::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations, invalid_deletion_cost};
pub(crate) use pod_spec::resources::limit_in_words;
pub(crate) use pod_spec::resources::{is_huge_pages, validate_resource_requirements};
pub(crate) use pod_spec::split_docker_domain;
pub use prepare::{default, prepare};
pub(crate) use registry::shape_of;
pub use registry::{ALL, SIMULATED, strategy_of};
pub use replacement::validate_replacement;
pub use schema::{Shape, wrong_types};
pub use strategy::Strategy;
pub(crate) use unknown_fields::unknown_keys;
pub use unknown_fields::{UnknownField, strict_refusal, unknown_fields};
pub use unvalidated::{unvalidated_fields, unvalidated_status_fields};
pub use update::update;
pub use validate::validate;
pub(crate) use validation::names::is_name;
pub use validation::{ErrorType, FieldError};
pub(crate) use validation::{is_not_more_than_100_percent, validate_positive_int_or_percent};
pub use warnings::warnings;
