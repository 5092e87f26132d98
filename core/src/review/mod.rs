//! The admission policy: from settings and a request to a verdict.
//!
//! A request that is out of scope or exempt is allowed unchanged. A request that can't be read is refused and, if the settings
//! ask for it, one that the API server would refuse, with the API server's messages. Then the settings' defaults are written into the object, and the settings' rules
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
mod limits;
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

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::object::Strings;
use crate::object::unstructured::{at, field};
use crate::{Problem, apiserver};
pub use applicability::Applicability;
use cluster_reader::Cluster;
pub use cluster_reader::{ClusterReader, Freshness, Lookup, NoCluster};
use limits::Findings;
pub use patch::FieldChange;
pub use request::admission_request;
use request::{Part, Request, Scope};
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
    judge(request, settings, reader, rollout::check)
}

/// [`review`] for settings that need no forecast ([`Settings::needs_forecast`]), without the simulation: a module that calls only
/// this one does not contain it.
pub fn review_without_forecast(request: &Value, settings: &Settings) -> Verdict {
    judge(request, settings, &NoCluster, |_, _, _, _, _, _| Vec::new())
}

/// Checks what a change does to the pods, as [`rollout::check`] does.
type CheckRollout =
    fn(&Request<'_>, &Value, &Settings, &mut Cluster<'_>, &mut Vec<Problem>, &mut Warnings) -> Vec<String>;

fn judge(request: &Value, settings: &Settings, reader: &dyn ClusterReader, check_rollout: CheckRollout) -> Verdict {
    if limits::is_exempt(request, settings) {
        return Verdict { allowed: true, ..Verdict::default() };
    }
    let is_unchecked = settings.exempt.dry_runs && field(request, "dryRun").and_then(Value::as_bool) == Some(true);
    let mut cluster = Cluster::new(reader);
    if settings.judges_scales()
        && let Some(scale) = Scale::read(request)
    {
        if is_unchecked {
            return Verdict { allowed: true, ..Verdict::default() };
        }
        return review_scale(&scale, settings, cluster, check_rollout);
    }
    let request = match Request::read(request, settings) {
        Scope::Outside => return Verdict { allowed: true, ..Verdict::default() },
        Scope::Unreadable(problems) => return refused(problems),
        Scope::Inside(request) => request,
    };
    // The API server does not validate what a Binding adds to a Pod.
    let errors = match settings.validates && request.part != Part::Binding {
        true => apiserver::validate_replacement(request.object, request.kind, request.old, &settings.gates),
        false => Vec::new(),
    };
    let mut problems = sorted(errors.into_iter().map(Problem::from).collect());

    let patch = defaults::patch(&request, settings);
    let mutated = patch::apply(&patch, request.object);
    let object = mutated.as_ref().unwrap_or(request.object);

    let mut findings = Findings::default();
    if is_unchecked {
        let audit_annotations = changed(&patch);
        return Verdict { allowed: true, mutated_object: mutated, patch, audit_annotations, ..Verdict::default() };
    }
    limits::check(&request, object, settings, &mut findings);
    let Findings { mut violations, mut warnings } = findings;
    warn_of_replaced(&request, &patch, &mut warnings);
    replacement_policy::check(&request, object, settings, &mut violations, &mut warnings);
    deletion_cost::check(&request, object, settings, &mut violations, &mut warnings);
    stale_scale_annotations::check(&request, object, settings, &mut warnings);
    // The API server's word on a field is enough.
    violations.retain(|violation: &Problem| !problems.iter().any(|problem| is_same(&problem.path, &violation.path)));
    problems.extend(sorted(violations));
    let mut forecast = Vec::new();
    if problems.is_empty() {
        forecast = check_rollout(&request, object, settings, &mut cluster, &mut problems, &mut warnings);
    }
    if !problems.is_empty() {
        return refused(problems);
    }
    let unknown = cluster.into_unknown();
    let mut audit_annotations = audit_annotations(&forecast, &unknown);
    // A controller reads no warnings.
    if !request.is_by_controller() {
        warnings.push_all(Importance::Unknown, unknown);
    }
    audit_annotations.extend(changed(&patch));
    let warnings = warnings.finish();
    Verdict { allowed: true, mutated_object: mutated, patch, warnings, audit_annotations, ..Verdict::default() }
}

/// Judges a Scale as an update of its workload that changes the replicas only. The API server validates both.
fn review_scale(
    scale: &Scale<'_>,
    settings: &Settings,
    mut cluster: Cluster<'_>,
    check_rollout: CheckRollout,
) -> Verdict {
    let problems = scale.problems();
    if !problems.is_empty() {
        return refused(problems);
    }
    let mut findings = Findings::default();
    scale.check_replicas(settings, &mut findings);
    let has_exemptions = !(settings.exempt.labels.is_empty() || findings.is_empty());
    let Findings { violations: mut problems, mut warnings } = findings;
    let mut forecast = Vec::new();
    let is_played = problems.is_empty() && (settings.forecast || settings.checks_quota());
    if settings.context
        && (is_played || has_exemptions)
        && let Some(scaled) = scale.workload(&mut cluster)
    {
        if scaled.is_exempt(settings) {
            return Verdict { allowed: true, ..Verdict::default() };
        }
        if is_played {
            let request = scaled.request(scale);
            scaled.warn_of_owner(scale, &mut warnings);
            forecast = check_rollout(&request, request.object, settings, &mut cluster, &mut problems, &mut warnings);
        }
    }
    if !problems.is_empty() {
        return refused(problems);
    }
    let unknown = cluster.into_unknown();
    let audit_annotations = audit_annotations(&forecast, &unknown);
    warnings.push_all(Importance::Unknown, unknown);
    Verdict { allowed: true, warnings: warnings.finish(), audit_annotations, ..Verdict::default() }
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

/// Warns where the settings replace a value that may be the user's: nobody is to wonder where it went.
fn warn_of_replaced(request: &Request<'_>, patch: &[FieldChange], warnings: &mut Warnings) {
    for change in patch.iter().filter(|change| defaults::may_replace_users_value(request, change)) {
        let written = at(request.object, change.path).and_then(Value::as_str).unwrap_or_default();
        warnings.push(Importance::Settings, format!("{change} in place of {written}, as the policy's settings say"));
    }
}

/// What the audit log learns of the changes.
fn changed(patch: &[FieldChange]) -> Strings {
    let mut annotations = Strings::default();
    if !patch.is_empty() {
        let changes: Vec<String> = patch.iter().map(FieldChange::to_string).collect();
        annotations.insert("changed".into(), changes.join("; "));
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
