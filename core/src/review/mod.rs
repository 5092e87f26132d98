//! The admission policy: from settings and a request to a verdict.
//!
//! A request that is out of scope is allowed unchanged. A request that can't be read, or that the API server would refuse, is
//! refused with the API server's messages. Then the settings' defaults are written into the object, and the settings' rules
//! check the result. What is legal but surprising causes a warning.
//!
//! # Examples
//!
//! ```
//! use changeover_core::review::{admission_request, review, validate_settings};
//! use serde_json::json;
//!
//! let settings = validate_settings(&json!({ "pod_deletion_cost": { "max": 100 } })).unwrap();
//! let pod = json!({
//!     "apiVersion": "v1",
//!     "kind": "Pod",
//!     "metadata": {
//!         "name": "web-1",
//!         "annotations": { "controller.kubernetes.io/pod-deletion-cost": "101" },
//!     },
//!     "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
//! });
//! let verdict = review(&admission_request(&pod, None, "jane"), &settings);
//! assert!(!verdict.allowed);
//! ```

mod applicability;
mod cluster_reader;
mod defaults;
mod deletion_cost;
mod disruption_budget;
mod forecast;
mod managed_fields;
mod owner;
mod patch;
mod quota;
mod replacement_policy;
mod request;
mod rollout;
mod scale;
mod settings;
mod stale_scale_annotations;
mod warnings;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::object::{PodReplacementPolicyField, Strings};
use crate::{Problem, apiserver};
pub use applicability::Applicability;
use cluster_reader::Cluster;
pub use cluster_reader::{ClusterReader, Freshness, Lookup, NoCluster};
use owner::Controller;
pub use patch::FieldChange;
pub use request::admission_request;
use request::{Request, Scope};
use scale::Scale;
pub use settings::{Field, SETTINGS, Setting, SettingType, Settings, validate_settings};
use warnings::{Importance, Warnings};

/// What becomes of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Whether it may go on.
    pub allowed: bool,
    /// Why not: a line for each violation.
    pub message: Option<String>,
    /// The HTTP status of a refusal.
    pub code: Option<u16>,
    /// The whole object with what was defaulted; none where nothing changes.
    pub mutated_object: Option<Value>,
    /// At most 8, each at most 120 characters without control characters.
    pub warnings: Vec<String>,
    /// What the settings wrote, as changes: for hosts that have the object as text.
    pub patch: Vec<FieldChange>,
    /// For the API server's audit log: `changed`, `forecast` and `unknown`, where there is something to say.
    pub audit_annotations: Strings,
}

/// Judges an `AdmissionRequest` (`admission.k8s.io/v1`, as JSON). Total: any JSON gets a verdict.
pub fn review(request: &Value, settings: &Settings) -> Verdict {
    review_in_cluster(request, settings, &NoCluster)
}

/// [`review`], with a cluster to ask where the settings have `context: true`.
pub fn review_in_cluster(request: &Value, settings: &Settings, reader: &dyn ClusterReader) -> Verdict {
    let mut cluster = Cluster::new(reader);
    if settings.context
        && let Some(scale) = Scale::read(request)
    {
        return review_scale(&scale, settings, cluster);
    }
    let mut request = match Request::read(request) {
        Scope::Outside => return Verdict { allowed: true, ..Verdict::default() },
        Scope::Unreadable(problems) => return refused(problems),
        Scope::Inside(request) => request,
    };
    let errors = apiserver::validate_replacement(request.object, request.kind, request.old, &settings.gates);
    let mut problems = sorted(errors.into_iter().map(Problem::from).collect());

    if settings.context
        && request.is_new_from_template()
        && spares(&request, settings)
        && owner::is_made_up(request.object, request.namespace, &mut cluster)
    {
        request.controller = Controller::Unknown;
    }
    let patch = defaults::patch(&request, settings);
    let mutated = patch::apply(&patch, request.object);
    let object = mutated.as_ref().unwrap_or(request.object);

    let mut violations = Vec::new();
    let mut warnings = Warnings::default();
    replacement_policy::check(&request, object, settings, &mut violations, &mut warnings);
    deletion_cost::check(&request, object, settings, &mut violations, &mut warnings);
    stale_scale_annotations::check(&request, object, settings, &mut warnings);
    // The API server's word on a field is enough.
    violations.retain(|violation: &Problem| !problems.iter().any(|problem| is_same(&problem.path, &violation.path)));
    problems.extend(sorted(violations));
    let mut forecast = Vec::new();
    if problems.is_empty() {
        forecast = rollout::check(&request, object, settings, &mut cluster, &mut problems, &mut warnings);
    }
    if !problems.is_empty() {
        return refused(problems);
    }
    let unknown = cluster.into_unknown();
    let mut audit_annotations = audit_annotations(&forecast, &unknown);
    // A controller reads no warnings.
    if !request.is_from_template() {
        warnings.push_all(Importance::Unknown, unknown);
    }
    if !patch.is_empty() {
        let changes: Vec<String> = patch.iter().map(FieldChange::to_string).collect();
        audit_annotations.insert("changed".into(), changes.join("; "));
    }
    let warnings = warnings.finish();
    Verdict { allowed: true, mutated_object: mutated, patch, warnings, audit_annotations, ..Verdict::default() }
}

/// Judges a Scale as an update of its workload that changes the replicas only. The API server validates both.
fn review_scale(scale: &Scale<'_>, settings: &Settings, mut cluster: Cluster<'_>) -> Verdict {
    let mut problems = scale.problems();
    if !problems.is_empty() {
        return refused(problems);
    }
    let mut warnings = Warnings::default();
    let mut forecast = Vec::new();
    if let Some(scaled) = scale.workload(&mut cluster) {
        let request = scaled.request(scale);
        scaled.warn_of_owner(scale, &mut warnings);
        forecast = rollout::check(&request, request.object, settings, &mut cluster, &mut problems, &mut warnings);
    }
    if !problems.is_empty() {
        return refused(problems);
    }
    let unknown = cluster.into_unknown();
    let audit_annotations = audit_annotations(&forecast, &unknown);
    warnings.push_all(Importance::Unknown, unknown);
    Verdict { allowed: true, warnings: warnings.finish(), audit_annotations, ..Verdict::default() }
}

/// Whether the object has what is judged unless its controller wrote it.
fn spares(request: &Request<'_>, settings: &Settings) -> bool {
    match request.kind.pod_replacement_policy() {
        Some(PodReplacementPolicyField::OfJob(_)) => settings.jobs.default.is_some() || settings.jobs.allowed.is_some(),
        Some(PodReplacementPolicyField::OfRollout(_)) | None => deletion_cost::is_present(request),
    }
}

/// What the audit log learns of the rollout, and of what the cluster did not answer.
fn audit_annotations(forecast: &[String], unknown: &[String]) -> Strings {
    let mut annotations = Strings::default();
    for (key, sentences) in [("forecast", forecast), ("unknown", unknown)] {
        if !sentences.is_empty() {
            annotations.insert(key.into(), sentences.join("; "));
        }
    }
    annotations
}

/// Whether the API server's path is that of a violation. It leaves `metadata` out of a template's annotations.
fn is_same(its: &str, path: &str) -> bool {
    its == path || its.split('.').eq(path.split('.').filter(|name| *name != "metadata"))
}

/// 422 Unprocessable Entity, which is what the API server answers for invalid fields.
fn refused(problems: Vec<Problem>) -> Verdict {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    Verdict { message: Some(lines.join("\n")), code: Some(422), ..Verdict::default() }
}

fn sorted(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_unstable();
    problems.dedup();
    problems
}
