//! What the API server refuses of new manifests, whatever runs: wrong types and invalid values. What it refuses because of an
//! existing object, such as another selector, the simulated API server says.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::{GivenObject, is_same, is_stored, namespace};
use crate::Problem;
use crate::apiserver::{ExistingObjects, dry_run, not_registered, unreadable_fields};
use crate::cluster::LimitRanges;
use crate::feature_gates::FeatureGates;
use crate::json::decode;
use crate::object::unstructured::{at, string};
use crate::object::{Kind, PersistentVolumeClaim};

/// Refuses new objects of a kind or a version that the mirrored release does not have, also if the old manifests have it: each apply
/// sends it.
pub(super) fn validate_kinds(new: &[&Value]) -> Result<(), Problem> {
    let problem = |(index, object): (usize, &&Value)| {
        let problem = Problem::from(not_registered(object)?);
        Some(Problem { path: format!("new[{index}].{}", problem.path), ..problem })
    };
    Problem::check(new.iter().enumerate().filter_map(problem).collect())
}

/// Refuses new manifests that are invalid. What is as invalid in the old manifest counts as accepted: the cluster has it, unless
/// no API server can read it.
pub(super) fn validate_manifests<'a>(
    new: impl Iterator<Item = &'a GivenObject>,
    old: &ExistingObjects<'_>,
) -> Result<(), Problem> {
    let gates = FeatureGates::default();
    let mut problems = Vec::new();
    for GivenObject { object, path } in new.filter(|source| !is_stored(&source.object)) {
        let before = old.named(object);
        let mut errors =
            if before.contains(&object) { unreadable_fields(object) } else { dry_run(object, None, &gates).errors };
        if !errors.is_empty() && unreadable_fields(object).is_empty() {
            let known: Vec<_> = before.iter().flat_map(|before| dry_run(before, None, &gates).errors).collect();
            errors.retain(|error| !known.contains(error));
        }
        problems.extend(errors.into_iter().map(|error| {
            let problem = Problem::from(error);
            Problem { path: format!("{path}.{}", problem.path), ..problem }
        }));
    }
    Problem::check(problems)
}

/// Refuses claims that are new or request something else, and that are outside of the bounds of LimitRanges.
pub(super) fn validate_claims<'a>(
    new: impl Iterator<Item = &'a GivenObject>,
    old: &ExistingObjects<'_>,
    limit_ranges: &LimitRanges,
) -> Result<(), Problem> {
    let requests = |object: &Value| at(object, &["spec", "resources", "requests"]).cloned();
    let is_sent = |object: &Value| {
        string(object, "kind") == Kind::PersistentVolumeClaim.name()
            && !is_stored(object)
            && old.named(object).iter().all(|old| !is_same(old, object) || requests(old) != requests(object))
    };
    let problem = |GivenObject { object, path }: &GivenObject| {
        let claim: PersistentVolumeClaim = decode(object, "").ok()?;
        let why = limit_ranges.refusal_of_claim(namespace(object).unwrap_or_default(), &claim)?;
        Some(Problem::new(format!("{path}.spec.resources"), format!("Forbidden: {why}")))
    };
    Problem::check(new.filter(|source| is_sent(&source.object)).filter_map(problem).collect())
}
