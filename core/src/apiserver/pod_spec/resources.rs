//! The resources of a container: whether its requests fit its limits.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::FieldError;
use crate::object::quantity::{canonical, nanos};
use crate::object::unstructured::map;
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go validateResourceRequirements`, without names, amounts on their own, huge
/// pages and claims
pub(crate) fn validate_resource_requirements(resources: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let limits = map(resources, "limits");
    for (resource, request) in map(resources, "requests").into_iter().flatten() {
        let is_overcommit_allowed = is_overcommit_allowed(resource);
        let Some(limit) = limits.and_then(|limits| limits.get(resource)) else {
            if !is_overcommit_allowed {
                let detail = "Limit must be set for non overcommitable resources";
                errors.push(FieldError::required(&path.child("limits"), detail));
            }
            continue;
        };
        let Some((amount, most)) = nanos(request).zip(nanos(limit)) else { continue };
        let bound = match is_overcommit_allowed {
            true if amount > most => "less than or equal to",
            false if amount != most => "equal to",
            _ => continue,
        };
        let detail = format!("must be {bound} {}", limit_in_words(resource, limit));
        let written = canonical(request).unwrap_or_default();
        errors.push(FieldError::invalid_string(&path.child("requests"), &written, detail));
    }
}

/// A limit as a refusal names it: `cpu limit of 200m`.
pub(crate) fn limit_in_words(resource: &str, limit: &Value) -> String {
    format!("{resource} limit of {}", canonical(limit).unwrap_or_default())
}

/// Upstream: `pkg/apis/core/helper/helpers.go IsOvercommitAllowed`
fn is_overcommit_allowed(resource: &str) -> bool {
    (!resource.contains('/') || resource.contains("kubernetes.io/")) && !is_huge_pages(resource)
}

/// Upstream: `pkg/apis/core/v1/helper/helpers.go IsHugePageResourceName`
pub(crate) fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}
