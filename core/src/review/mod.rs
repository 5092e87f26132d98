//! The admission policy: settings and a request in, a verdict out.
//!
//! The request is judged in this order: what is out of scope passes untouched; what can't be read, and what the API
//! server would refuse, is refused in its words; then the object is defaulted as the settings say, and what comes out
//! is judged by the settings' rules; what is legal but will surprise gives warnings.

mod defaults;
mod deletion_cost;
mod forecast;
mod managed_fields;
mod owner;
mod patch;
mod replacement_policy;
mod request;
mod settings;
mod stale_scale_annotations;
mod warnings;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::object::Strings;
use crate::{Problem, apiserver};
pub use patch::Change;
use request::{Request, Scope};
pub use settings::{Field, SETTINGS, Setting, Settings, validate_settings};
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
    pub patch: Vec<Change>,
    /// For the API server's audit log: `changed` and `forecast`, where there is something to say.
    pub audit_annotations: Strings,
}

/// Judges an `AdmissionRequest` (`admission.k8s.io/v1`, as JSON). Total: any JSON gets a verdict.
pub fn review(request: &Value, settings: &Settings) -> Verdict {
    let request = match Request::read(request) {
        Scope::Outside => return Verdict { allowed: true, ..Verdict::default() },
        Scope::Unreadable(problems) => return refused(problems),
        Scope::Inside(request) => request,
    };
    let errors = apiserver::validate_replacement(request.object, request.kind, request.old, &settings.gates);
    let mut problems = sorted(errors.into_iter().map(Problem::from).collect());

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
    if !problems.is_empty() {
        return refused(problems);
    }
    let mut audit_annotations = Strings::default();
    if settings.forecast
        && let Some([this, that]) = forecast::forecast(&request, object, settings)
    {
        audit_annotations.insert("forecast".into(), [&*this, "; ", &that].concat());
        warnings.push(Importance::Forecast, this);
        warnings.push(Importance::Forecast, that);
    }
    if !patch.is_empty() {
        let changes: Vec<String> = patch.iter().map(Change::to_string).collect();
        audit_annotations.insert("changed".into(), changes.join("; "));
    }
    let warnings = warnings.finish();
    Verdict { allowed: true, mutated_object: mutated, patch, warnings, audit_annotations, ..Verdict::default() }
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
