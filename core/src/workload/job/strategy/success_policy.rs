//! A Job's successPolicy.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::completions::is_indexed;
use super::indexes;
use crate::apiserver::validation::{FieldError, validate_nonnegative_field};
use crate::go;
use crate::object::unstructured::{field, integer, list};
use crate::path::Path;

const MAX_SUCCEEDED_INDEXES_LENGTH: usize = 64 << 10;
const MAX_SUCCESS_POLICY_RULES: usize = 20;

/// Upstream: `pkg/apis/batch/validation/validation.go validateSuccessPolicy`
pub(super) fn validate(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(policy) = field(spec, "successPolicy") else { return };
    if !is_indexed(spec) {
        let value = printed(Some(policy));
        errors.push(FieldError::invalid(path, value, "requires indexed completion mode"));
        return;
    }
    let path = path.child("rules");
    let rules = list(policy, "rules");
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.push(FieldError::required(&path, detail));
    }
    if rules.len() > MAX_SUCCESS_POLICY_RULES {
        errors.push(FieldError::too_many(&path, rules.len(), MAX_SUCCESS_POLICY_RULES));
    }
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(spec, rule, &path.index(index), errors);
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validateSuccessPolicyRule`, which panics where there are no
/// completions: this takes them for 0.
fn validate_rule(spec: &Value, rule: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let completions = integer(spec, "completions").unwrap_or_default();
    let count = integer(rule, "succeededCount");
    let succeeded = field(rule, "succeededIndexes").and_then(Value::as_str);
    if count.is_none() && succeeded.is_none() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        errors.push(FieldError::required(path, detail));
    }
    let mut total = 0;
    if let Some(text) = succeeded {
        let path = path.child("succeededIndexes");
        if text.len() > MAX_SUCCEEDED_INDEXES_LENGTH {
            errors.push(FieldError::too_long(&path, MAX_SUCCEEDED_INDEXES_LENGTH));
        }
        match indexes::validate_indexes_format(text, completions) {
            Ok(found) => total = i64::from(found),
            Err(error) => {
                let detail = format!("error parsing succeededIndexes: {error}");
                errors.push(FieldError::invalid_string(&path, text, detail));
            }
        }
    }
    let Some(count) = count else { return };
    validate_nonnegative_field(rule, "succeededCount", path, errors);
    let path = path.child("succeededCount");
    if count > completions {
        let detail = format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.push(FieldError::invalid_number(&path, count, detail));
    }
    if succeeded.is_some() && count > total {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.push(FieldError::invalid_number(&path, count, detail));
    }
}

/// Upstream prints its internal struct, which has no JSON names.
pub(super) fn printed(policy: Option<&Value>) -> String {
    let Some(policy) = policy else { return "null".into() };
    let json = |value: Option<&Value>| value.map_or_else(|| "null".into(), go::json);
    let rule = |rule: &Value| {
        let (indexes, count) = (json(field(rule, "succeededIndexes")), json(field(rule, "succeededCount")));
        format!("{{\"SucceededIndexes\":{indexes},\"SucceededCount\":{count}}}")
    };
    let rules = match field(policy, "rules") {
        None => "null".into(),
        Some(_) => format!("[{}]", list(policy, "rules").iter().map(rule).collect::<Vec<_>>().join(",")),
    };
    format!("{{\"Rules\":{rules}}}")
}
