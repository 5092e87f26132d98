//! Where a pod may run: affinity, tolerations, topology spread constraints.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::Allowed;
use crate::apiserver::meta::selector::{is_invalid_in_affinity, validate_label_selector};
use crate::apiserver::validation::{FieldError, names};
use crate::go::{self, ParseIntError};
use crate::object::unstructured::{at, field, integer, list, map, string};
use crate::path::Path;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn validate(spec: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    if let Some(affinity) = field(spec, "affinity") {
        validate_affinity(affinity, &path.child("affinity"), allowed, errors);
    }
    validate_tolerations(spec, &path.child("tolerations"), allowed, errors);
    validate_topology_spread_constraints(spec, &path.child("topologySpreadConstraints"), allowed, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateAffinity`
fn validate_affinity(affinity: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    if let Some(node) = field(affinity, "nodeAffinity") {
        validate_node_affinity(node, &path.child("nodeAffinity"), allowed, errors);
    }
    for key in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = field(affinity, key) else { continue };
        let (path, is_allowed) = (path.child(key), allowed.invalid_selector_in_affinity);
        let required = path.child(REQUIRED);
        for (index, term) in list(pods, REQUIRED).iter().enumerate() {
            validate_pod_affinity_term(term, is_allowed, &required.index(index), errors);
        }
        let preferred = path.child(PREFERRED);
        for (index, weighted) in list(pods, PREFERRED).iter().enumerate() {
            let path = preferred.index(index);
            validate_weight(weighted, &path, errors);
            let term = field(weighted, "podAffinityTerm").unwrap_or(&Value::Null);
            validate_pod_affinity_term(term, is_allowed, &path.child("podAffinityTerm"), errors);
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateNodeAffinity` and `ValidatePreferredSchedulingTerms`
fn validate_node_affinity(node: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    if let Some(selector) = field(node, REQUIRED) {
        let path = path.child(REQUIRED);
        let path = path.child("nodeSelectorTerms");
        let terms = list(selector, "nodeSelectorTerms");
        if terms.is_empty() {
            errors.push(FieldError::required(&path, "must have at least one node selector term"));
        }
        for (index, term) in terms.iter().enumerate() {
            let path = path.index(index);
            validate_node_selector_term(term, allowed.invalid_value_in_node_affinity, &path, errors);
        }
    }
    let path = path.child(PREFERRED);
    for (index, weighted) in list(node, PREFERRED).iter().enumerate() {
        let path = path.index(index);
        validate_weight(weighted, &path, errors);
        if let Some(term) = field(weighted, "preference") {
            validate_node_selector_term(term, true, &path.child("preference"), errors);
        }
    }
}

fn validate_weight(weighted: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let weight = integer(weighted, "weight").unwrap_or_default();
    if !(1..=100).contains(&weight) {
        errors.push(FieldError::invalid_number(&path.child("weight"), weight, "must be in the range 1-100"));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateNodeSelectorTerm`
fn validate_node_selector_term(term: &Value, allow_values: bool, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let expressions = path.child("matchExpressions");
    for (index, requirement) in list(term, "matchExpressions").iter().enumerate() {
        validate_node_selector_requirement(requirement, allow_values, &expressions.index(index), errors);
    }
    let fields = path.child("matchFields");
    for (index, requirement) in list(term, "matchFields").iter().enumerate() {
        validate_node_field_selector_requirement(requirement, &fields.index(index), errors);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateNodeSelectorRequirement`
fn validate_node_selector_requirement(
    requirement: &Value,
    allow_values: bool,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let (values, values_path) = (list(requirement, "values"), path.child("values"));
    match string(requirement, "operator") {
        "In" | "NotIn" if values.is_empty() => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(FieldError::required(&values_path, detail));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(FieldError::forbidden(&values_path, detail));
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(FieldError::required(&values_path, detail));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => {
            let value = go::json_string(other);
            errors.push(FieldError::invalid(&path.child("operator"), value, "not a valid selector operator"));
        }
    }
    validate_label_name(string(requirement, "key"), &path.child("key"), errors);
    for (index, value) in values.iter().enumerate().filter(|_| !allow_values) {
        let value = value.as_str().unwrap_or_default();
        for text in names::is_label_value(value) {
            errors.push(FieldError::invalid_string(&values_path.index(index), value, text));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateNodeFieldSelectorRequirement`
fn validate_node_field_selector_requirement(requirement: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (values, values_path) = (list(requirement, "values"), path.child("values"));
    match string(requirement, "operator") {
        "In" | "NotIn" if values.len() != 1 => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.push(FieldError::required(&values_path, detail));
        }
        "In" | "NotIn" => {}
        other => {
            let value = go::json_string(other);
            errors.push(FieldError::invalid(&path.child("operator"), value, "not a valid selector operator"));
        }
    }
    let key = string(requirement, "key");
    if key != "metadata.name" {
        errors.push(FieldError::invalid_string(&path.child("key"), key, "not a valid field selector key"));
        return;
    }
    for (index, value) in values.iter().enumerate() {
        super::validate_dns1123_subdomain(value.as_str().unwrap_or_default(), &values_path.index(index), errors);
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go ValidateLabelName`
fn validate_label_name(name: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    errors.extend(names::is_label_key(name).into_iter().map(|text| FieldError::invalid_string(path, name, text)));
}

/// Upstream: `pkg/apis/core/validation/validation.go validatePodAffinityTerm`
fn validate_pod_affinity_term(term: &Value, allow_values: bool, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in ["labelSelector", "namespaceSelector"] {
        if let Some(selector) = field(term, key) {
            validate_label_selector(selector, allow_values, &path.child(key), errors);
        }
    }
    for namespace in list(term, "namespaces") {
        super::validate_dns1123_label(namespace.as_str().unwrap_or_default(), &path.child("namespace"), errors);
    }
    validate_match_label_keys(term, path, errors);
    let key = string(term, "topologyKey");
    if key.is_empty() {
        errors.push(FieldError::required(&path.child("topologyKey"), "can not be empty"));
    }
    validate_label_name(key, &path.child("topologyKey"), errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateMatchLabelKeysAndMismatchLabelKeys`
fn validate_match_label_keys(term: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let selector = field(term, "labelSelector");
    for key in ["matchLabelKeys", "mismatchLabelKeys"] {
        let (keys, path) = (list(term, key), path.child(key));
        if keys.is_empty() {
            continue;
        }
        if selector.is_none() {
            errors.push(FieldError::forbidden(&path, "must not be specified when labelSelector is not set"));
            continue;
        }
        for (index, key) in keys.iter().enumerate() {
            validate_label_name(key.as_str().unwrap_or_default(), &path.index(index), errors);
        }
    }
    let (matched, mismatched) = (list(term, "matchLabelKeys"), list(term, "mismatchLabelKeys"));
    if let Some(selector) = selector {
        let mut seen: Vec<&str> =
            map(selector, "matchLabels").into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        for requirement in list(selector, "matchExpressions") {
            let key = string(requirement, "key");
            let index = matched.iter().rposition(|matched| matched.as_str() == Some(key));
            if let Some(index) = index.filter(|_| seen.contains(&key)) {
                let detail = "exists in both matchLabelKeys and labelSelector";
                errors.push(FieldError::invalid_string(&path.index(index), key, detail));
            }
            seen.push(key);
        }
    }
    let matched_path = path.child("matchLabelKeys");
    for (index, key) in matched.iter().enumerate().filter(|(_, key)| mismatched.contains(key)) {
        let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
        let key = key.as_str().unwrap_or_default();
        errors.push(FieldError::invalid_string(&matched_path.index(index), key, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateTolerations`
fn validate_tolerations(spec: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    for (index, toleration) in list(spec, "tolerations").iter().enumerate() {
        let path = path.index(index);
        let text = |key: &str| string(toleration, key);
        let (key, operator, value, effect) = (text("key"), text("operator"), text("value"), text("effect"));
        let operator_path = path.child("operator");
        if !key.is_empty() {
            validate_label_name(key, &path.child("key"), errors);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(FieldError::invalid(&operator_path, go::json_string(operator), detail));
        }
        if field(toleration, "tolerationSeconds").is_some() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(&path.child("effect"), go::json_string(effect), detail));
        }
        match operator {
            "Equal" | "" => {
                let problems = names::is_label_value(value);
                if !problems.is_empty() {
                    errors.push(FieldError::invalid_string(&operator_path, value, problems.join(";")));
                }
            }
            "Exists" => {
                if !value.is_empty() {
                    let detail = "value must be empty when `operator` is 'Exists'";
                    errors.push(FieldError::invalid_string(&operator_path, value, detail));
                }
            }
            "Lt" | "Gt" if allowed.comparison_operators => validate_number(value, &path.child("value"), errors),
            "Lt" | "Gt" => {
                let supported = ["Equal", "Exists", "Lt", "Gt"];
                errors.push(FieldError::not_supported(&operator_path, go::json_string(operator), &supported));
            }
            other => {
                errors.push(FieldError::not_supported(&operator_path, go::json_string(other), &["Equal", "Exists"]));
            }
        }
        if !effect.is_empty() {
            let supported = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
            super::validate_choice(toleration, "effect", &supported, &path, errors);
        }
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validate/content/decimal_int.go IsDecimalInteger`
fn validate_number(value: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || (digits.starts_with('0') && value != "0") {
        let detail = "must be a valid decimal integer in canonical form";
        errors.push(FieldError::invalid_string(path, value, detail));
    }
    if let Err(error) = go::atoi(value) {
        let what = match error {
            ParseIntError::Syntax => "invalid syntax",
            ParseIntError::Range(_) => "value out of range",
        };
        let detail = format!("strconv.ParseInt: parsing {}: {what}", go::quoted(value));
        errors.push(FieldError::invalid_string(path, value, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateTopologySpreadConstraints`
fn validate_topology_spread_constraints(spec: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    const ACTIONS: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
    let constraints = list(spec, "topologySpreadConstraints");
    for (index, constraint) in constraints.iter().enumerate() {
        let path = path.index(index);
        let (key, action) = (string(constraint, "topologyKey"), string(constraint, "whenUnsatisfiable"));
        validate_positive(integer(constraint, "maxSkew").unwrap_or_default(), &path.child("maxSkew"), errors);
        if key.is_empty() {
            errors.push(FieldError::required(&path.child("topologyKey"), "can not be empty"));
        }
        if !ACTIONS.contains(&action) {
            let path = path.child("whenUnsatisfiable");
            errors.push(FieldError::not_supported(&path, go::json_string(action), &ACTIONS));
        }
        let later = constraints.iter().skip(index.saturating_add(1));
        let mut same =
            later.filter(|other| string(other, "topologyKey") == key && string(other, "whenUnsatisfiable") == action);
        if same.next().is_some() {
            let shown = go::quoted(&format!("{{{key}, {action}}}"));
            errors.push(FieldError::duplicate(&path.child("{topologyKey, whenUnsatisfiable}"), shown));
        }
        if let Some(domains) = integer(constraint, "minDomains") {
            let path = path.child("minDomains");
            validate_positive(domains, &path, errors);
            if action != "DoNotSchedule" {
                let detail = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
                errors.push(FieldError::invalid_number(&path, domains, detail));
            }
        }
        for key in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            super::validate_choice(constraint, key, &["Honor", "Ignore"], &path, errors);
        }
        if allowed.keys_in_spread_selector {
            validate_match_label_keys_in_spread(constraint, &path.child("matchLabelKeys"), errors);
        } else {
            validate_match_label_keys(constraint, &path, errors);
        }
        if let Some(selector) = field(constraint, "labelSelector").filter(|_| !allowed.invalid_selector_in_spread) {
            validate_label_selector(selector, false, &path.child("labelSelector"), errors);
        }
    }
}

fn validate_positive(number: i64, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if number <= 0 {
        errors.push(FieldError::invalid_number(path, number, "must be greater than zero"));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateMatchLabelKeysInTopologySpread`
fn validate_match_label_keys_in_spread(constraint: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let keys = list(constraint, "matchLabelKeys");
    let selector = field(constraint, "labelSelector");
    if selector.is_none() && !keys.is_empty() {
        errors.push(FieldError::forbidden(path, "must not be specified when labelSelector is not set"));
    }
    let has_key = |key: &str| {
        selector.is_some_and(|selector| {
            map(selector, "matchLabels").is_some_and(|labels| labels.contains_key(key))
                || list(selector, "matchExpressions").iter().any(|requirement| string(requirement, "key") == key)
        })
    };
    for (index, key) in keys.iter().enumerate() {
        let (key, path) = (key.as_str().unwrap_or_default(), path.index(index));
        validate_label_name(key, &path, errors);
        if has_key(key) {
            let detail = "exists in both matchLabelKeys and labelSelector";
            errors.push(FieldError::invalid_string(&path, key, detail));
        }
    }
}

/// Upstream: `pkg/api/pod/util.go hasInvalidLabelValueInAffinitySelector`
pub(super) fn has_invalid_selector_in_affinity(spec: &Value) -> bool {
    field(spec, "affinity").is_some_and(is_invalid_in_affinity)
}

/// Upstream: `pkg/api/pod/util.go hasInvalidLabelValueInRequiredNodeAffinity`
pub(super) fn has_invalid_value_in_node_affinity(spec: &Value) -> bool {
    let selector = at(spec, &["affinity", "nodeAffinity", REQUIRED]);
    let terms = selector.into_iter().flat_map(|selector| list(selector, "nodeSelectorTerms"));
    let requirements = terms.flat_map(|term| list(term, "matchExpressions"));
    requirements
        .flat_map(|requirement| list(requirement, "values"))
        .any(|value| !names::is_label_value(value.as_str().unwrap_or_default()).is_empty())
}

/// Upstream: `pkg/api/pod/util.go hasInvalidTopologySpreadConstraintLabelSelector`
pub(super) fn has_invalid_selector_in_spread(spec: &Value) -> bool {
    let mut errors = Vec::new();
    for selector in list(spec, "topologySpreadConstraints").iter().filter_map(|one| field(one, "labelSelector")) {
        validate_label_selector(selector, false, &Path::Root("labelSelector"), &mut errors);
    }
    !errors.is_empty()
}

/// Upstream: `pkg/api/pod/util.go hasInvalidTopologySpreadConstrainMatchLabelKeys`
pub(super) fn has_invalid_keys_in_spread(spec: &Value) -> bool {
    let mut errors = Vec::new();
    for constraint in list(spec, "topologySpreadConstraints") {
        validate_match_label_keys(constraint, &Path::Root(""), &mut errors);
    }
    !errors.is_empty()
}

/// Upstream: `pkg/api/pod/util.go taintTolerationComparisonOperatorsInUse`
pub(super) fn has_comparison_operator(spec: &Value) -> bool {
    list(spec, "tolerations").iter().any(|toleration| matches!(string(toleration, "operator"), "Lt" | "Gt"))
}
