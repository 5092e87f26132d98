//! Objects that bear on pods and that only the user writes. They are in no frame: steps show what the user does with
//! them, and what follows.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::container_defaults::ContainerDefaults;
use super::decision::ObjectLimits;
use crate::Problem;
use crate::apiserver::{
    FieldError, is_integer_resource, is_name, is_not_more_than_100_percent, problems_of_quota_resource, unknown_keys,
    validate_positive_int_or_percent,
};
use crate::go::quoted;
use crate::json::decode;
use crate::object::quantity::{ONE, nanos};
use crate::object::unstructured::{field, map, remove_nulls, string};
use crate::object::{
    AUX_KINDS, Kind, LabelSelector, LimitRangeItem, LimitRangeSpec, ObjectKey, PodDisruptionBudgetSpec,
    ResourceQuotaSpec, SURROUNDING_KINDS, Unknown,
};
use crate::path::Path;
use crate::scheduler::Surrounding;

/// An object's manifest, and the fields that are read from it.
#[derive(Debug)]
pub(super) struct AuxObject {
    pub(super) key: ObjectKey,
    pub(super) spec: AuxSpec,
    pub(super) manifest: Value,
}

/// What a quota allows, and what is used that no object shows.
#[derive(Debug)]
pub(super) struct QuotaLimits {
    pub(super) spec: ResourceQuotaSpec,
    /// What objects that are not given use of each resource, in billionths.
    pub(super) used_by_others: BTreeMap<String, i128>,
}

#[derive(Debug)]
pub(super) enum AuxSpec {
    ResourceQuota(QuotaLimits),
    LimitRange(ContainerDefaults),
    PodDisruptionBudget(PodDisruptionBudgetSpec),
    /// What only the scheduler looks at.
    Surrounding(Surrounding),
}

/// The kind of that name, if its objects are auxiliary.
pub(super) fn aux_kind(name: &str) -> Option<Kind> {
    AUX_KINDS.into_iter().chain(SURROUNDING_KINDS).find(|kind| kind.name() == name)
}

impl AuxObject {
    /// Reads a manifest, as far as it bears on pods.
    pub(super) fn read(kind: Kind, mut manifest: Value, path: &str) -> Result<Self, Problem> {
        remove_nulls(&mut manifest);
        if kind == Kind::ResourceQuota && string(&manifest, "apiVersion") == kind.api_version() {
            Problem::check(unknown_fields_of_quota(&manifest, path))?;
        }
        let key = read_key(kind, &manifest, path)?;
        let at_spec = format!("{path}.spec");
        let none = Value::Object(serde_json::Map::new());
        let given = field(&manifest, "spec").unwrap_or(&none);
        let spec = match kind {
            Kind::PodDisruptionBudget => AuxSpec::PodDisruptionBudget(read_budget(given, &at_spec)?),
            Kind::LimitRange => AuxSpec::LimitRange(read_limit_range(given, &at_spec)?),
            kind if cfg!(feature = "nodes") && SURROUNDING_KINDS.contains(&kind) => {
                AuxSpec::Surrounding(Surrounding::read(kind, &manifest, path)?)
            }
            _ => AuxSpec::ResourceQuota(QuotaLimits {
                spec: read_quota(given, &at_spec)?,
                used_by_others: BTreeMap::new(),
            }),
        };
        Ok(Self { key, spec, manifest })
    }

    /// What a quota or a budget limits, and to how much; empty for other kinds.
    pub(super) fn limits(&self) -> ObjectLimits {
        let spec = field(&self.manifest, "spec").unwrap_or(&Value::Null);
        let hard = map(spec, "hard").into_iter().flatten().map(|(key, value)| (key.as_str(), value));
        let bounds = ["minAvailable", "maxUnavailable"].into_iter().filter_map(|key| Some((key, field(spec, key)?)));
        let limits = hard.chain(bounds).map(|(key, value)| match value {
            Value::String(value) => format!("{key}={value}"),
            value => format!("{key}={value}"),
        });
        let limits: Vec<String> = limits.collect();
        if limits.is_empty() { ObjectLimits::Absent } else { ObjectLimits::Listed { limits: limits.join(", ").into() } }
    }
}

/// What the API server refused of the object at `path`.
pub(super) fn refused(path: &str, errors: &[FieldError]) -> Problem {
    let problem = |error: &FieldError| {
        let Problem { path: field, message, more } = error.clone().into();
        let below = if field.is_empty() { String::from(path) } else { format!("{path}.{field}") };
        Problem { path: below, message, more }
    };
    let Some((first, rest)) = errors.split_first() else { return Problem::new(path, "is refused") };
    Problem { more: rest.iter().map(problem).collect(), ..problem(first) }
}

/// The key of a manifest of a kind that has no strategy here.
///
/// # Errors
/// Another version of the API, or a name that is none.
pub(super) fn read_key(kind: Kind, manifest: &Value, path: &str) -> Result<ObjectKey, Problem> {
    let wrong = |below: &str, message: String| Err(Problem::new(format!("{path}.{below}"), message));
    let version = string(manifest, "apiVersion");
    if version != kind.api_version() {
        let right = quoted(kind.api_version());
        return wrong("apiVersion", format!("Unsupported value: {}: supported values: {right}", quoted(version)));
    }
    let key = ObjectKey::of_manifest(kind, manifest);
    if is_name(&key.name) {
        return Ok(key);
    }
    wrong("metadata.name", format!("Invalid value: {}: must be a name like data-0", quoted(&key.name)))
}

/// The fields of a ResourceQuota that Kubernetes does not know: without `hard`, it would limit nothing.
fn unknown_fields_of_quota(manifest: &Value, path: &str) -> Vec<Problem> {
    const OF_OBJECT: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
    const OF_SPEC: [&str; 3] = ["hard", "scopeSelector", "scopes"];
    let spec = field(manifest, "spec").unwrap_or(&Value::Null);
    let unknown = unknown_keys(manifest, "", &OF_OBJECT).into_iter().chain(unknown_keys(spec, "spec.", &OF_SPEC));
    unknown.map(|field| Problem::new(format!("{path}.{}", field.path), field.sentence())).collect()
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateResourceQuotaSpec`
fn read_quota(given: &Value, path: &str) -> Result<ResourceQuotaSpec, Problem> {
    let spec: ResourceQuotaSpec = decode(given, path)?;
    for scope in ["scopes", "scopeSelector"] {
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        if field(given, scope).is_some_and(|value| !is_empty(value)) {
            let message = "Forbidden: must not be set: quotas with scopes are not simulated";
            return Err(Problem::new(format!("{path}.{scope}"), message));
        }
    }
    let mut wrong = wrong_amounts(&spec.hard, &format!("{path}.hard"));
    for (resource, amount) in spec.hard.iter() {
        let at_resource = |value: &str, problem: &str| {
            Problem::new(format!("{path}.hard[{resource}]"), format!("Invalid value: {value}: {problem}"))
        };
        let problems = problems_of_quota_resource(resource);
        wrong.extend(problems.iter().map(|problem| at_resource(&quoted(resource), problem)));
        if is_integer_resource(resource) && nanos(amount).is_some_and(|amount| amount.checked_rem(ONE) != Some(0)) {
            wrong.push(at_resource(&crate::go::json(amount), "must be an integer"));
        }
    }
    Problem::check(wrong)?;
    Ok(spec)
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateLimitRange`
fn read_limit_range(given: &Value, path: &str) -> Result<ContainerDefaults, Problem> {
    let spec: LimitRangeSpec = decode(given, path)?;
    let mut wrong = Vec::new();
    for (index, item) in spec.limits.iter().enumerate() {
        let LimitRangeItem { default_limit, default_request, max, min, max_limit_request_ratio, .. } = item;
        let lists = [
            ("default", default_limit),
            ("defaultRequest", default_request),
            ("max", max),
            ("maxLimitRequestRatio", max_limit_request_ratio),
            ("min", min),
        ];
        for (name, amounts) in lists {
            wrong.extend(wrong_amounts(amounts, &format!("{path}.limits[{index}].{name}")));
        }
    }
    Problem::check(wrong)?;
    Ok(ContainerDefaults::of(&spec))
}

/// The problems of amounts that can't be parsed or are negative.
fn wrong_amounts(amounts: &Unknown, path: &str) -> Vec<Problem> {
    let wrong = amounts.iter().filter_map(|(resource, amount)| {
        let right = match nanos(amount) {
            None => "must be an amount like 3, 500m or 2Gi",
            Some(..0) => "must be greater than or equal to 0",
            Some(_) => return None,
        };
        let message = format!("Invalid value: {}: {right}", crate::go::json(amount));
        Some(Problem::new(format!("{path}[{resource}]"), message))
    });
    wrong.collect()
}

/// Upstream: `pkg/apis/policy/validation/validation.go ValidatePodDisruptionBudgetSpec`
fn read_budget(given: &Value, path: &str) -> Result<PodDisruptionBudgetSpec, Problem> {
    let spec: PodDisruptionBudgetSpec = decode(given, path)?;
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        return Err(Problem::new(path, "Invalid value: a map: minAvailable and maxUnavailable cannot be both set"));
    }
    let (root, mut errors) = (Path::Root("spec"), Vec::new());
    for (name, bound) in [("minAvailable", &spec.min_available), ("maxUnavailable", &spec.max_unavailable)] {
        if let Some(bound) = bound {
            validate_positive_int_or_percent(bound, &root.child(name), &mut errors);
            is_not_more_than_100_percent(bound, &root.child(name), &mut errors);
        }
    }
    if !errors.is_empty() {
        return Err(refused(path.strip_suffix(".spec").unwrap_or(path), &errors));
    }
    LabelSelector::to_selector(spec.selector.as_ref())
        .map_err(|message| Problem::new(format!("{path}.selector"), format!("Invalid value: a map: {message}")))?;
    match spec.unhealthy_pod_eviction_policy.as_deref() {
        None | Some("AlwaysAllow" | "IfHealthyBudget") => Ok(spec),
        Some(other) => {
            let supported = "supported values: \"AlwaysAllow\", \"IfHealthyBudget\"";
            let message = format!("Unsupported value: {}: {supported}", quoted(other));
            Err(Problem::new(format!("{path}.unhealthyPodEvictionPolicy"), message))
        }
    }
}
