//! Label selectors.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::labels::validate_labels;
use crate::apiserver::schema::Field;
use crate::apiserver::schema::Shape::{List, Object, StringMap, Text};
use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::unstructured::{field, list, map, string};
use crate::object::{LabelSelector, read_strings};
use crate::path::Path;

/// The field `selector` of every kind but ReplicationControllers, which have a map of labels there.
pub(crate) const SELECTOR: Field = (
    "selector",
    Object(&[
        ("matchLabels", StringMap),
        ("matchExpressions", List(&Object(&[("key", Text), ("operator", Text), ("values", List(&Text))]))),
    ]),
);

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateLabelSelector`
///
/// `allow_invalid_label_value`: since the old object has such values.
pub(crate) fn validate_label_selector(
    selector: &Value,
    allow_invalid_label_value: bool,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    validate_labels(map(selector, "matchLabels"), &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (index, requirement) in list(selector, "matchExpressions").iter().enumerate() {
        let path = expressions.index(index);
        let values = list(requirement, "values");
        match string(requirement, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.push(FieldError::required(&path.child("values"), detail));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.push(FieldError::forbidden(&path.child("values"), detail));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                let value = go::json_string(other);
                errors.push(FieldError::invalid(&path.child("operator"), value, "not a valid selector operator"));
            }
        }
        let key = string(requirement, "key");
        for text in names::is_label_key(key) {
            errors.push(FieldError::invalid_string(&path.child("key"), key, text));
        }
        if allow_invalid_label_value {
            continue;
        }
        let values_path = path.child("values");
        for (index, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            for text in names::is_label_value(value) {
                errors.push(FieldError::invalid_string(&values_path.index(index), value, text));
            }
        }
    }
}

/// A selector that must be there, and select something. (Upstream calls ReplicaSets deployments here.)
/// Upstream: `pkg/apis/apps/validation/validation.go ValidateDeploymentSpec`, `ValidateReplicaSetSpec` and
/// `ValidateStatefulSetSpec`
pub(crate) fn validate_required(selector: Option<&Value>, kind: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(selector) = selector else {
        errors.push(FieldError::required(path, ""));
        return;
    };
    validate_label_selector(selector, false, path, errors);
    if is_empty(selector) {
        errors.push(FieldError::invalid(path, "{}".into(), alloc::format!("empty selector is invalid for {kind}")));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go LabelSelectorHasInvalidLabelValue`
pub(crate) fn has_invalid_label_value(selector: &Value) -> bool {
    let invalid = |value: &Value| !names::is_label_value(value.as_str().unwrap_or_default()).is_empty();
    list(selector, "matchExpressions").iter().any(|requirement| list(requirement, "values").iter().any(invalid))
}

/// Upstream: `pkg/api/pod/util.go hasInvalidLabelValueInAffinitySelector`
pub(crate) fn is_invalid_in_affinity(affinity: &Value) -> bool {
    let mut errors = Vec::new();
    for key in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = field(affinity, key) else { continue };
        let required = list(affinity, "requiredDuringSchedulingIgnoredDuringExecution").iter();
        let preferred = list(affinity, "preferredDuringSchedulingIgnoredDuringExecution").iter();
        for term in required.chain(preferred.filter_map(|preferred| field(preferred, "podAffinityTerm"))) {
            for key in ["labelSelector", "namespaceSelector"] {
                if let Some(selector) = field(term, key) {
                    validate_label_selector(selector, false, &Path::Root(key), &mut errors);
                }
            }
        }
    }
    !errors.is_empty()
}

/// Whether a selector selects everything.
pub(crate) fn is_empty(selector: &Value) -> bool {
    map(selector, "matchLabels").is_none_or(Map::is_empty) && list(selector, "matchExpressions").is_empty()
}

/// Whether labels are selected; none where the selector can't be read. No selector selects nothing.
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector`
pub(crate) fn matches(selector: Option<&Value>, labels: Option<&Map<String, Value>>) -> Option<bool> {
    let Some(selector) = selector.map(LabelSelector::of_value) else { return Some(false) };
    let is_key = |key: &String| names::is_label_key(key).is_empty();
    let is_value = |value: &String| names::is_label_value(value).is_empty();
    let LabelSelector { match_labels, match_expressions } = &selector;
    let is_valid = match_labels.iter().all(|(key, value)| is_key(key) && is_value(value))
        && match_expressions
            .iter()
            .all(|requirement| is_key(&requirement.key) && requirement.values.iter().all(is_value));
    let selector = LabelSelector::to_selector(Some(&selector)).ok().filter(|_| is_valid)?;
    Some(selector.matches(&read_strings(labels)))
}

/// The selector as Go prints it: its fields in the order of the struct, empty ones left out.
pub(crate) fn printed(selector: Option<&Value>) -> String {
    let Some(selector) = selector else { return "null".into() };
    let mut parts: Vec<String> = Vec::new();
    if let Some(labels) = map(selector, "matchLabels").filter(|labels| !labels.is_empty()) {
        parts.push(alloc::format!("\"matchLabels\":{}", go::json(&Value::Object(labels.clone()))));
    }
    let expressions: Vec<String> = list(selector, "matchExpressions").iter().map(printed_requirement).collect();
    if !expressions.is_empty() {
        parts.push(alloc::format!("\"matchExpressions\":[{}]", expressions.join(",")));
    }
    alloc::format!("{{{}}}", parts.join(","))
}

fn printed_requirement(requirement: &Value) -> String {
    let key = go::json_string(string(requirement, "key"));
    let operator = go::json_string(string(requirement, "operator"));
    let values = list(requirement, "values");
    if values.is_empty() {
        return alloc::format!("{{\"key\":{key},\"operator\":{operator}}}");
    }
    let values = go::json(&Value::Array(values.to_vec()));
    alloc::format!("{{\"key\":{key},\"operator\":{operator},\"values\":{values}}}")
}
