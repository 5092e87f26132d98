//! What a Job's status may say, and how it may change.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::completions::is_indexed;
use super::indexes;
use crate::apiserver::equality::{equal_field, semantic_equal};
use crate::apiserver::meta::validate_object_meta_update;
use crate::apiserver::validation::FieldError;
use crate::apiserver::workload::validate_counts;
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::Time;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/batch/validation/validation.go IsConditionTrue`
pub(super) fn is_condition_true(status: &Value, name: &str) -> bool {
    has_condition(status, name, "True")
}

fn has_condition(status: &Value, name: &str, value: &str) -> bool {
    let is = |condition: &Value| string(condition, "type") == name && string(condition, "status") == value;
    list(status, "conditions").iter().any(is)
}

fn is_finished(status: &Value) -> bool {
    is_condition_true(status, "Complete") || is_condition_true(status, "Failed")
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobUpdateStatus`
pub(super) fn validate_job_update_status(
    object: &Value,
    old: &Value,
    gates: FeatureGates,
    errors: &mut Vec<FieldError>,
) {
    validate_object_meta_update(object, old, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let status = field(object, "status").unwrap_or(&Value::Null);
    let old_status = field(old, "status").unwrap_or(&Value::Null);
    let path = Path::Root("status");
    validate_always(spec, status, &path, errors);
    // Upstream: `pkg/registry/batch/job/strategy.go getStatusValidationOptions`
    let extended = gates.enabled(Feature::JobManagedBy)
        || gates.enabled(Feature::JobPodReplacementPolicy)
        || is_condition_true(old_status, "SuccessCriteriaMet");
    if !extended {
        validate_success_criteria_scope(spec, status, &path, errors);
    }
    // These rules are for other controllers that manage the Job.
    if gates.enabled(Feature::JobManagedBy) {
        let change = Change { spec, status, old: old_status };
        change.validate_conditions(&path, errors);
        change.validate_times(&path, errors);
        change.validate_finished(&path, errors);
        change.validate_indexes(&path, errors);
        change.validate_progress(&path, errors);
    }
    validate_success_criteria(status, old_status, &path, errors);
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateJobStatus`: what does not depend on options
fn validate_always(spec: &Value, status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_counts(status, &["active", "succeeded", "failed", "ready", "terminating"], path, errors);
    validate_uncounted(status, &path.child("uncountedTerminatedPods"), errors);
    let met = is_condition_true(status, "SuccessCriteriaMet");
    let conditions = path.child("conditions");
    let mut refuse = |when: bool, detail: &str| {
        if when {
            errors.push(FieldError::invalid_unseen(&conditions, detail));
        }
    };
    refuse(met && is_condition_true(status, "Failed"), "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    refuse(
        met && is_condition_true(status, "FailureTarget"),
        "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    );
    refuse(
        field(spec, "successPolicy").is_some() && !met && is_condition_true(status, "Complete"),
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    );
}

fn validate_uncounted(status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(uncounted) = field(status, "uncountedTerminatedPods") else { return };
    let mut seen: Vec<&str> = Vec::new();
    for key in ["succeeded", "failed"] {
        let path = path.child(key);
        for (index, uid) in list(uncounted, key).iter().enumerate() {
            let uid = uid.as_str().unwrap_or_default();
            let path = path.index(index);
            if uid.is_empty() {
                errors.push(FieldError::invalid(&path, go::json_string(uid), "must not be empty"));
            } else if seen.contains(&uid) {
                errors.push(FieldError::duplicate(&path, go::json_string(uid)));
            } else {
                seen.push(uid);
            }
        }
    }
}

fn validate_success_criteria_scope(spec: &Value, status: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if !is_condition_true(status, "SuccessCriteriaMet") {
        return;
    }
    let path = path.child("conditions");
    if !is_indexed(spec) {
        errors.push(FieldError::invalid_unseen(&path, "cannot set SuccessCriteriaMet to NonIndexed Job"));
    }
    if field(spec, "successPolicy").is_none() {
        let detail = "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy";
        errors.push(FieldError::invalid_unseen(&path, detail));
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go ValidateJobStatusUpdate`: what does not depend on options
fn validate_success_criteria(status: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "SuccessCriteriaMet";
    let path = path.child("conditions");
    match (is_condition_true(old, key), is_condition_true(status, key)) {
        (true, false) => {
            let detail = "cannot disable the SuccessCriteriaMet=True condition";
            errors.push(FieldError::invalid_unseen(&path, detail));
        }
        (false, true) if is_condition_true(old, "Complete") => {
            let detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
            errors.push(FieldError::invalid_unseen(&path, detail));
        }
        _ => {}
    }
}

/// An update of the status. Most rules apply only to what changes: a user may have changed the spec in the meantime, and then
/// the controller corrects the status later.
///
/// Upstream: `pkg/registry/batch/job/strategy.go getStatusValidationOptions`
#[derive(Clone, Copy, Debug)]
struct Change<'a> {
    spec: &'a Value,
    status: &'a Value,
    old: &'a Value,
}

impl Change<'_> {
    fn is(self, condition: &str) -> bool {
        is_condition_true(self.status, condition)
    }

    fn condition_changed(self, condition: &str) -> bool {
        is_condition_true(self.old, condition) != self.is(condition)
    }

    fn finished_changed(self) -> bool {
        is_finished(self.old) != is_finished(self.status)
    }

    /// A field that is no pointer in Go: nothing is 0.
    fn count_changed(self, key: &str) -> bool {
        integer(self.old, key).unwrap_or_default() != integer(self.status, key).unwrap_or_default()
    }

    /// A field that is a pointer in Go.
    fn pointer_changed(self, key: &str) -> bool {
        field(self.old, key) != field(self.status, key)
    }

    fn time(self, key: &str) -> Option<Time> {
        Time::parse(string(self.status, key))
    }

    fn time_changed(self, key: &str) -> bool {
        let old = field(self.old, key).and_then(Value::as_str).and_then(Time::parse);
        old != self.time(key)
    }

    fn completed_indexes_changed(self) -> bool {
        string(self.old, "completedIndexes") != string(self.status, "completedIndexes")
    }

    fn validate_conditions(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let path = path.child("conditions");
        let mut refuse = |when: bool, detail: &str| {
            if when {
                errors.push(FieldError::invalid_unseen(&path, detail));
            }
        };
        let complete_changed = self.condition_changed("Complete");
        let complete = self.is("Complete");
        refuse(
            (complete_changed || self.condition_changed("Failed")) && complete && self.is("Failed"),
            "cannot set Complete=True and Failed=true conditions",
        );
        refuse(
            (complete_changed || self.condition_changed("FailureTarget")) && complete && self.is("FailureTarget"),
            "cannot set Complete=True and FailureTarget=true conditions",
        );
        refuse(
            (self.condition_changed("Failed") || self.pointer_changed("failedIndexes"))
                && self.is("Failed")
                && !self.is("FailureTarget"),
            "cannot set Failed=True condition without the FailureTarget=true condition",
        );
        refuse(
            (complete_changed || self.condition_changed("SuccessCriteriaMet"))
                && complete
                && !self.is("SuccessCriteriaMet"),
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        );
        for condition in ["Failed", "Complete", "FailureTarget"] {
            let disabled = is_condition_true(self.old, condition) && !self.is(condition);
            refuse(disabled, &format!("cannot disable the terminal {condition}=True condition"));
        }
    }

    fn validate_times(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let (completion_path, start_path) = (path.child("completionTime"), path.child("startTime"));
        let (completion, start) = (self.time("completionTime"), self.time("startTime"));
        let rendered = |key: &str| field(self.status, key).map_or_else(|| "null".into(), go::json);
        let (completion_changed, start_changed) = (self.time_changed("completionTime"), self.time_changed("startTime"));
        let complete = self.is("Complete");
        if self.condition_changed("Complete") || completion_changed {
            if completion.is_some() && !complete {
                let detail = "cannot set completionTime when there is no Complete=True condition";
                errors.push(FieldError::invalid(&completion_path, rendered("completionTime"), detail));
            }
            if completion.is_none() && complete {
                let detail = "completionTime is required for Complete jobs";
                errors.push(FieldError::required(&completion_path, detail));
            }
        }
        if (start_changed || completion_changed)
            && start.is_some_and(|start| completion.is_some_and(|completion| completion < start))
        {
            let detail = "must be equal to or after `startTime`";
            errors.push(FieldError::invalid(&completion_path, rendered("completionTime"), detail));
        }
        if completion.is_some() && field(self.old, "completionTime").is_some() && completion_changed {
            errors.push(FieldError::invalid(&completion_path, rendered("completionTime"), "field is immutable"));
        }
        let resuming = is_condition_true(self.old, "Suspended") && has_condition(self.status, "Suspended", "False");
        let suspended = field(self.spec, "suspend") == Some(&Value::Bool(true));
        if start_changed && !resuming && field(self.old, "startTime").is_some() && !suspended {
            let detail = "field is immutable for unsuspended job once set";
            errors.push(FieldError::invalid(&start_path, rendered("startTime"), detail));
        }
        let suspended_with_zero = suspended && integer(self.spec, "completions") == Some(0);
        if (self.finished_changed() || start_changed)
            && !suspended_with_zero
            && start.is_none()
            && is_finished(self.status)
        {
            errors.push(FieldError::required(&start_path, "startTime is required for finished job"));
        }
    }

    fn validate_finished(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let finished = is_finished(self.status);
        let finished_changed = self.finished_changed();
        let active = integer(self.status, "active").unwrap_or_default();
        if (finished_changed || self.count_changed("active")) && active > 0 && finished {
            let detail = "active>0 is invalid for finished job";
            errors.push(FieldError::invalid_number(&path.child("active"), active, detail));
        }
        let terminating = integer(self.status, "terminating").unwrap_or_default();
        if (finished_changed || self.pointer_changed("terminating")) && terminating > 0 && finished {
            let detail = "terminating>0 is invalid for finished job";
            errors.push(FieldError::invalid_number(&path.child("terminating"), terminating, detail));
        }
        let key = "uncountedTerminatedPods";
        let (uncounted, old) = (field(self.status, key), field(self.old, key));
        let any = |key: &str| uncounted.is_some_and(|uncounted| !list(uncounted, key).is_empty());
        if (finished_changed || !semantic_equal(uncounted, old)) && finished && (any("succeeded") || any("failed")) {
            let uids = |key: &str| {
                let uids = uncounted.and_then(|uncounted| field(uncounted, key));
                uids.map_or_else(|| "null".into(), go::json)
            };
            let value = format!("{{\"Succeeded\":{},\"Failed\":{}}}", uids("succeeded"), uids("failed"));
            errors.push(FieldError::invalid(&path.child(key), value, "must be empty for finished job"));
        }
    }

    fn validate_indexes(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let (completed_path, failed_path) = (path.child("completedIndexes"), path.child("failedIndexes"));
        let completed = string(self.status, "completedIndexes");
        let failed = field(self.status, "failedIndexes").and_then(Value::as_str);
        let completions = integer(self.spec, "completions");
        let per_index = field(self.spec, "backoffLimitPerIndex").is_some();
        let (completed_changed, failed_changed) =
            (self.completed_indexes_changed(), self.pointer_changed("failedIndexes"));
        if completed_changed {
            if let Some(completions) = completions
                && let Err(error) = indexes::validate_indexes_format(completed, completions)
            {
                let detail = format!("error parsing completedIndexes: {error}");
                errors.push(FieldError::invalid_string(&completed_path, completed, detail));
            }
            if !completed.is_empty() && !is_indexed(self.spec) {
                let detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
                errors.push(FieldError::invalid_string(&completed_path, completed, detail));
            }
        }
        let Some(failed) = failed else { return };
        if failed_changed {
            if let Some(completions) = completions
                && per_index
                && let Err(error) = indexes::validate_indexes_format(failed, completions)
            {
                let detail = format!("error parsing failedIndexes: {error}");
                errors.push(FieldError::invalid(&failed_path, go::json_string(failed), detail));
            }
            if !per_index {
                let detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
                errors.push(FieldError::invalid_string(&failed_path, failed, detail));
            }
        }
        if (failed_changed || completed_changed)
            && let Some(completions) = completions
            && let Err(error) = indexes::validate_failed_indexes_not_overlap_completed(completed, failed, completions)
        {
            errors.push(FieldError::invalid_string(&failed_path, failed, error));
        }
    }

    fn validate_progress(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let count = |status: &Value, key: &str| integer(status, key).unwrap_or_default();
        // A Job whose completions and parallelism are equal can be scaled down.
        let elastic = is_indexed(self.spec)
            && equal_field("completions", field(self.spec, "completions"), field(self.spec, "parallelism"));
        for (key, checked) in [("failed", true), ("succeeded", !elastic)] {
            let new = count(self.status, key);
            if checked && new < count(self.old, key) {
                let detail = format!("cannot decrease the {key} counter");
                errors.push(FieldError::invalid_number(&path.child(key), new, detail));
            }
        }
        let ready = at(self.status, &["ready"]).and_then(Value::as_i64);
        if (self.pointer_changed("ready") || self.count_changed("active"))
            && let Some(ready) = ready
            && ready > count(self.status, "active")
        {
            let detail = "cannot set more ready pods than active";
            errors.push(FieldError::invalid_number(&path.child("ready"), ready, detail));
        }
    }
}
