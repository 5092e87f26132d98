use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Kind, Unknown};
use changeover_core::review::{self, ClusterReader, Lookup, Verdict, review_in_cluster, validate_settings};
use serde_json::Value;

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[
    ("policy.validate", validate),
    ("policy.validateInCluster", validate_in_cluster),
    ("policy.validateSettings", settings),
];

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Review {
    request: Value,
    #[serde(default)]
    settings: Value,
}

fn validate(case: &Case) -> Result<Outcome, String> {
    let Review { request, settings } = case.input()?;
    outcome(review::review(&request, &read_settings(&settings)?))
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct ReviewInCluster {
    request: Value,
    settings: Value,
    cluster: Cluster,
}

/// A cluster that answers from a list of objects.
#[derive(Default, FromJson, ToJson)]
#[serde(default, deny_unknown_fields)]
struct Cluster {
    objects: Vec<Value>,
    /// Errors by kind: reading objects of these kinds fails.
    errors: Unknown,
}

impl Cluster {
    fn find(&self, lookup: &Lookup<'_>) -> Result<Vec<&Value>, String> {
        if let Some(error) = self.errors.get(lookup.kind.name()) {
            return Err(error.as_str().unwrap_or_default().to_owned());
        }
        let is_it = |object: &&Value| {
            Kind::of(object) == Some(lookup.kind) && metadata(object, "namespace") == lookup.namespace
        };
        Ok(self.objects.iter().filter(is_it).collect())
    }
}

fn metadata<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Value::as_str).unwrap_or_default()
}

impl ClusterReader for Cluster {
    fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String> {
        let found = self.find(lookup)?.into_iter().find(|object| metadata(object, "name") == lookup.name);
        Ok(found.cloned())
    }

    fn list(&self, lookup: &Lookup<'_>) -> Result<Vec<Value>, String> {
        Ok(self.find(lookup)?.into_iter().cloned().collect())
    }
}

fn validate_in_cluster(case: &Case) -> Result<Outcome, String> {
    let ReviewInCluster { request, settings, cluster } = case.input()?;
    outcome(review_in_cluster(&request, &read_settings(&settings)?, &cluster))
}

fn read_settings(settings: &Value) -> Result<review::Settings, String> {
    validate_settings(settings).map_err(|problems| format!("input.settings: {}", message(&problems)))
}

fn outcome(verdict: Verdict) -> Result<Outcome, String> {
    Outcome::new([
        ("allowed", verdict.allowed.into()),
        ("message", verdict.message.into()),
        ("code", verdict.code.into()),
        ("patchedObject", verdict.mutated_object.unwrap_or(Value::Null)),
        ("warnings", verdict.warnings.into()),
        ("auditAnnotations", verdict.audit_annotations.to_json()),
    ])
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    settings: Value,
}

fn settings(case: &Case) -> Result<Outcome, String> {
    let Settings { settings } = case.input()?;
    let result = validate_settings(&settings);
    let message = result.as_ref().err().map(|problems| message(problems));
    Outcome::new([("valid", result.is_ok().into()), ("message", message.into())])
}

/// One line for each problem.
fn message(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
