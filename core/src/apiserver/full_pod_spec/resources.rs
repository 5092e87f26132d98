//! The resources of a container: their names and amounts. `pod_spec` compares requests and limits.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::Allowed;
use crate::apiserver::is_huge_pages;
use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::quantity;
use crate::object::unstructured::{at, field, list, map, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/helper/helpers.go standardResources`, besides huge pages
const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// Upstream: `pkg/apis/core/helper/helpers.go integerResources`
const INTEGER: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Upstream: `pkg/apis/core/validation/validation.go validateResourceRequirements`
pub(super) fn validate(
    spec: &Value,
    container: &Value,
    path: &Path<'_>,
    allowed: Allowed,
    errors: &mut Vec<FieldError>,
) {
    let Some(resources) = field(container, "resources") else { return };
    let path = path.child("resources");
    let mut names: Vec<&String> = Vec::new();
    for key in ["limits", "requests"] {
        let list_path = path.child(key);
        for (name, amount) in map(resources, key).into_iter().flatten() {
            let path = list_path.key(name);
            validate_name(name, &path, errors);
            validate_quantity(name, amount, &path, errors);
            if is_huge_pages(name) && !allowed.indivisible_huge_pages && !is_divisible(name, amount) {
                let written = quantity::canonical(amount).unwrap_or_default();
                let detail = format!("{written} is not positive integer multiple of {name}");
                errors.push(FieldError::invalid_string(&path, &written, detail));
            }
            names.push(name);
        }
    }
    let has = |wanted: fn(&str) -> bool| names.iter().any(|name| wanted(name));
    if has(is_huge_pages) && !has(|name| matches!(name, "cpu" | "memory")) {
        errors.push(FieldError::forbidden(&path, "HugePages require cpu or memory"));
    }
    validate_claim_names(spec, list(resources, "claims"), &path.child("claims"), errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateContainerResourceName` and `validateResourceName`
fn validate_name(name: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut push = |detail: String| errors.push(FieldError::invalid(path, go::json_string(name), detail));
    let is_simple = !name.contains('/');
    let problems = names::is_label_key(name);
    let is_qualified = problems.is_empty();
    problems.into_iter().for_each(&mut push);
    if is_qualified && is_simple && !STANDARD.contains(&name) && !is_quota_huge_pages(name) {
        push("must be a standard resource type or fully qualified".into());
    }
    if is_simple {
        if !matches!(name, "cpu" | "memory" | "ephemeral-storage") && !is_huge_pages(name) {
            push("must be a standard resource for containers".into());
        }
    } else if !is_native(name) && !is_extended(name) {
        push("doesn't follow extended resource name standard".into());
    }
}

/// What is wrong with the name of a resource that a ResourceQuota limits.
///
/// Upstream: `pkg/apis/core/validation/validation.go ValidateResourceQuotaResourceName`
pub(crate) fn problems_of_quota_resource(name: &str) -> Vec<String> {
    let mut problems = names::is_label_key(name);
    if name.contains('/') || is_quota_huge_pages(name) {
        return problems;
    }
    if problems.is_empty() && !STANDARD.contains(&name) {
        problems.push("must be a standard resource type or fully qualified".into());
    }
    // The amount of storage is a claim's.
    if !STANDARD.contains(&name) || name == "storage" {
        problems.push("must be a standard resource for quota".into());
    }
    problems
}

/// Whether there may only be a whole number of a resource.
///
/// Upstream: `pkg/apis/core/helper/helpers.go IsIntegerResourceName`
pub(crate) fn is_integer_resource(name: &str) -> bool {
    INTEGER.contains(&name) || is_extended(name)
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsQuotaHugePageResourceName`
fn is_quota_huge_pages(name: &str) -> bool {
    is_huge_pages(name) || name.starts_with("requests.hugepages-")
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsNativeResource`
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsExtendedResourceName`
fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && names::is_label_key(&["requests.", name].concat()).is_empty()
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateResourceQuantityValue`
pub(super) fn validate_quantity(name: &str, amount: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(nanos) = quantity::nanos(amount) else { return };
    let written = quantity::canonical(amount).unwrap_or_default();
    if nanos < 0 {
        errors.push(FieldError::invalid_string(path, &written, "must be greater than or equal to 0"));
    }
    let is_whole = nanos.checked_rem(1_000_000_000) == Some(0);
    if is_integer_resource(name) && !is_whole {
        // Go prints the amount as it is in JSON.
        errors.push(FieldError::invalid(path, go::json_string(&written), "must be an integer"));
    }
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsHugePageResourceValueDivisible`
fn is_divisible(name: &str, amount: &Value) -> bool {
    let size = name.strip_prefix("hugepages-").and_then(|size| quantity::nanos(&Value::from(size)));
    let (Some(size), Some(amount)) = (size, quantity::nanos(amount)) else { return false };
    size > 0 && amount.checked_rem(size) == Some(0)
}

/// Upstream: `pkg/api/pod/util.go usesIndivisibleHugePagesValues`, for one container
pub(super) fn has_indivisible(container: &Value) -> bool {
    ["limits", "requests"].iter().any(|key| {
        let amounts = at(container, &["resources", key]).and_then(Value::as_object);
        amounts.into_iter().flatten().any(|(name, amount)| is_huge_pages(name) && !is_divisible(name, amount))
    })
}

/// Upstream: `pkg/apis/core/validation/validation.go validateResourceClaimNames`
fn validate_claim_names(spec: &Value, claims: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut known: Vec<&str> = list(spec, "resourceClaims").iter().map(|claim| string(claim, "name")).collect();
    known.retain(|name| !name.is_empty());
    known.sort_unstable();
    known.dedup();
    let mut seen: Vec<String> = Vec::new();
    for (index, claim) in claims.iter().enumerate() {
        let path = path.index(index);
        let (name, request) = (string(claim, "name"), string(claim, "request"));
        if name.is_empty() {
            errors.push(FieldError::required(&path, ""));
            continue;
        }
        if seen.iter().any(|earlier| earlier == name) {
            errors.push(FieldError::duplicate(&path, go::quoted(name)));
        } else {
            let mut key = String::from(name);
            if !request.is_empty() {
                super::validate_dns1123_label(request, &path.child("request"), errors);
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                errors.push(FieldError::duplicate(&path, go::quoted(&key)));
            } else if request.is_empty() {
                let requests = seen.iter().filter(|earlier| earlier.split_once('/').is_some_and(|(of, _)| of == name));
                for _ in requests {
                    errors.push(FieldError::duplicate(&path, go::quoted(name)));
                }
            }
            seen.push(key);
        }
        if !known.contains(&name) {
            let mut detail = String::from("must be one of the names in pod.spec.resourceClaims");
            if known.is_empty() {
                detail.push_str(" which is empty");
            } else {
                detail.push_str(": ");
                detail.push_str(&known.join(", "));
            }
            errors.push(FieldError::not_found(&path, go::quoted(name), &detail));
        }
    }
}
