//! Defaults, prepares and validates objects as the API server of Kubernetes 1.37 does, on untyped JSON: fields that
//! are not known stay as they are. Fields that are not validated are never reported, so a list without errors says only
//! that nothing which bears on replicas, rollouts, replacement and deletion is wrong.
//!
//! Mirrors the defaults and the validation in `pkg/apis`, and the strategies in `pkg/registry`. Each kind of workloads has its
//! [`Strategy`] in its folder, `workload::KIND`. Here are those of Pods and pod templates, and what kinds share: `validation`
//! and `meta` for the fields of all objects, `pod_spec` and `workload` for pods and what makes them, `schema`, `decode`,
//! `conversion` and `internal_version` for how objects are read. [`create()`] and [`update()`] are the way of an object into
//! the store.
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
//! To validate another kind, add its variant to [`Kind`](crate::object::Kind), its strategy in its folder below
//! [`workload`](crate::workload), and its lines in `registry`.

pub(crate) mod api_types;
mod conversion;
mod create;
pub(crate) mod decode;
mod decoding_refusal;
mod dry_run;
pub(crate) mod equality;
mod existing_objects;
mod full_pod_spec;
mod internal_version;
pub(crate) mod meta;
mod operation;
mod pod;
pub(crate) mod pod_spec;
mod pod_template;
mod prepare;
mod recognize;
mod registry;
mod replacement;
mod reviewed;
pub(crate) mod schema;
pub(crate) mod strategy;
mod unknown_fields;
mod unvalidated;
mod update;
mod validate;
pub(crate) mod validation;
mod warnings;
pub(crate) mod workload;

pub use create::create;
pub use decode::is_pod_spec_field;
pub use decoding_refusal::{decoding_errors, decoding_refusal};
pub(crate) use dry_run::not_registered;
pub(crate) use dry_run::unreadable_fields;
pub use dry_run::{DryRun, dry_run};
pub(crate) use equality::{same_fields, semantic_equal};
pub use existing_objects::{ExistingObjects, Replaced};
pub(crate) use full_pod_spec::resources::{is_integer_resource, problems_of_quota_resource};
pub use operation::Operation;
pub(crate) use pod::{is_pod_level_resources_set, is_supported_pod_level_resource};
pub(crate) use pod_spec::deletion_cost::annotation as deletion_cost_annotation;
pub use pod_spec::deletion_cost::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations, invalid_deletion_cost};
pub(crate) use pod_spec::resources::limit_in_words;
pub(crate) use pod_spec::resources::{is_huge_pages, validate_resource_requirements};
pub(crate) use pod_spec::split_docker_domain;
pub use prepare::{default, prepare};
pub(crate) use registry::SIMULATED;
pub(crate) use registry::reviewed;
pub use registry::{ALL, strategy_of};
pub(crate) use replacement::validate_replacement;
pub(crate) use reviewed::Reviewed;
pub use schema::Shape;
pub(crate) use schema::wrong_types;
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
