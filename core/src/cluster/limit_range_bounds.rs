//! The bounds of a LimitRange: the API server refuses pods and claims outside of them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::object::quantity::{canonical, nanos, written_like};
use crate::object::unstructured::map;
use crate::object::{LimitRangeItem, PersistentVolumeClaim, Pod};
use crate::scheduler::pod_resources::{List, of_pod};

/// What a container or a whole pod requests of a resource, and its limit: in billionths, and as errors print them.
#[derive(Default)]
struct Usage {
    request: Option<(i128, String)>,
    limit: Option<(i128, String)>,
}

/// Why the API server refuses a pod because of these items of a LimitRange, in its words. Containers come in their order, and of each
/// the resources by name: upstream's order is that of a Go map.
///
/// Upstream: `plugin/pkg/admission/limitranger/admission.go PodValidateLimitFunc`
pub(super) fn pod_validate_limit_func(items: &[LimitRangeItem], pod: &Pod) -> Vec<String> {
    let mut errors = Vec::new();
    for item in items {
        match item.item_type.as_str() {
            "Container" => {
                let fields = &pod.spec.fields;
                for container in fields.containers.iter().chain(&fields.init_containers) {
                    let resources = container.unknown.get("resources");
                    let list = |name: &str| resources.and_then(|resources| map(resources, name));
                    let (requests, limits) = (list("requests"), list("limits"));
                    let usage = |resource: &str| Usage {
                        request: requests.and_then(|list| amount(list, resource)),
                        limit: limits.and_then(|list| amount(list, resource)),
                    };
                    validate(item, &usage, &mut errors);
                }
            }
            "Pod" => validate(item, &|resource| of_whole_pod(pod, resource), &mut errors),
            _ => {}
        }
    }
    errors
}

/// Why the API server refuses a claim because of these items of a LimitRange, in its words.
///
/// Upstream: `plugin/pkg/admission/limitranger/admission.go PersistentVolumeClaimValidateLimitFunc`
pub(super) fn persistent_volume_claim_validate_limit_func(
    items: &[LimitRangeItem],
    claim: &PersistentVolumeClaim,
) -> Vec<String> {
    let resources = claim.spec.unknown.get("resources");
    let requests = resources.and_then(|resources| map(resources, "requests"));
    let usage = |resource: &str| Usage { request: requests.and_then(|list| amount(list, resource)), limit: None };
    let of_claims = items.iter().filter(|item| item.item_type == "PersistentVolumeClaim");
    let errors = of_claims.flat_map(|item| {
        let of = item.item_type.as_str();
        let min = item.min.iter().filter_map(|(resource, least)| min_constraint(of, resource, least, &usage(resource)));
        let max = item.max.iter();
        min.chain(max.filter_map(|(resource, most)| max_request_constraint(of, resource, most, &usage(resource))))
    });
    errors.collect()
}

fn amount(list: &Map<String, Value>, resource: &str) -> Option<(i128, String)> {
    let value = list.get(resource)?;
    Some((nanos(value)?, canonical(value)?))
}

/// What all containers of a pod request together. Without any, there is none.
fn of_whole_pod(pod: &Pod, resource: &str) -> Usage {
    let fields = &pod.spec.fields;
    let lists = |name: &'static str| {
        let containers = fields.containers.iter().chain(&fields.init_containers).map(|container| &container.unknown);
        containers
            .chain([&fields.unknown])
            .filter_map(move |unknown| map(unknown.get("resources")?, name)?.get(resource))
    };
    let sum = |list: List| {
        let written = lists(list.name()).next()?;
        let sum = of_pod(pod, list, resource);
        Some((sum, written_like(sum, written)))
    };
    Usage { request: sum(List::Requests), limit: sum(List::Limits) }
}

/// Why the usage of a resource, by a thing of that type, is outside of a bound.
type Constraint = fn(&str, &str, &Value, &Usage) -> Option<String>;

fn validate(item: &LimitRangeItem, usage: &dyn Fn(&str) -> Usage, errors: &mut Vec<String>) {
    let of = item.item_type.as_str();
    let checks: [(_, Constraint); 3] = [
        (&item.min, min_constraint),
        (&item.max, max_constraint),
        (&item.max_limit_request_ratio, limit_request_ratio_constraint),
    ];
    for (bounds, check) in checks {
        errors.extend(bounds.iter().filter_map(|(resource, enforced)| check(of, resource, enforced, &usage(resource))));
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission.go minConstraint`
fn min_constraint(of: &str, resource: &str, enforced: &Value, usage: &Usage) -> Option<String> {
    let (least, written) = (nanos(enforced)?, canonical(enforced)?);
    let minimum = format!("minimum {resource} usage per {of} is {written}");
    match usage {
        Usage { request: None, .. } => Some(format!("{minimum}.  No request is specified")),
        Usage { request: Some((request, text)), .. } if *request < least => {
            Some(format!("{minimum}, but request is {text}"))
        }
        Usage { limit: Some((limit, text)), .. } if *limit < least => Some(format!("{minimum}, but limit is {text}")),
        _ => None,
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission.go maxConstraint`
fn max_constraint(of: &str, resource: &str, enforced: &Value, usage: &Usage) -> Option<String> {
    let (most, written) = (nanos(enforced)?, canonical(enforced)?);
    let maximum = format!("maximum {resource} usage per {of} is {written}");
    match usage {
        Usage { limit: None, .. } => Some(format!("{maximum}.  No limit is specified")),
        Usage { limit: Some((limit, text)), .. } if *limit > most => Some(format!("{maximum}, but limit is {text}")),
        Usage { request: Some((request, text)), .. } if *request > most => {
            Some(format!("{maximum}, but request is {text}"))
        }
        _ => None,
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission.go maxRequestConstraint`
fn max_request_constraint(of: &str, resource: &str, enforced: &Value, usage: &Usage) -> Option<String> {
    let (most, written) = (nanos(enforced)?, canonical(enforced)?);
    let maximum = format!("maximum {resource} usage per {of} is {written}");
    match &usage.request {
        None => Some(format!("{maximum}.  No request is specified")),
        Some((request, text)) if *request > most => Some(format!("{maximum}, but request is {text}")),
        Some(_) => None,
    }
}

/// Upstream: `plugin/pkg/admission/limitranger/admission.go limitRequestRatioConstraint`
fn limit_request_ratio_constraint(of: &str, resource: &str, enforced: &Value, usage: &Usage) -> Option<String> {
    let (most, written) = (nanos(enforced)?, canonical(enforced)?);
    let ratio = format!("{resource} max limit to request ratio per {of} is {written}");
    let Some(request) = usage.request.as_ref().map(|(request, _)| *request).filter(|request| *request != 0) else {
        return Some(format!("{ratio}, but no request is specified or request is 0"));
    };
    let Some(limit) = usage.limit.as_ref().map(|(limit, _)| *limit).filter(|limit| *limit != 0) else {
        return Some(format!("{ratio}, but no limit is specified or limit is 0"));
    };
    // limit / request > most, in integers: the bound is in billionths.
    let exceeds = limit.saturating_mul(1_000_000_000) > most.saturating_mul(request);
    exceeds.then(|| format!("{ratio}, but provided ratio is {}", ratio_in_words(limit, request)))
}

/// A ratio with six digits behind the point, as Go prints it with `%f`.
fn ratio_in_words(limit: i128, request: i128) -> String {
    let millionths = limit.saturating_mul(1_000_000).saturating_add(request.div_euclid(2)).checked_div(request);
    let millionths = millionths.unwrap_or_default();
    format!("{}.{:06}", millionths.div_euclid(1_000_000), millionths.rem_euclid(1_000_000))
}
