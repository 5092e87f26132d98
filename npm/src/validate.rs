//! `validate`: what the API server says about manifests.

#[cfg(feature = "schema")]
use std::collections::BTreeMap;

use changeover_core::apiserver::{DryRun, ExistingObjects, FieldError, UnknownField, decoding_errors, strategy_of};
use changeover_core::json::{must_be, unsupported_key};
use changeover_core::object::require_kind;
use changeover_core::{Path, Problem};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, Place, parse_gates, parse_json, to_error_at, to_json, to_problem_error};
use crate::objects::{Source, parse_sources};

/// Options for validation.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is of use: the fields are read by hand")]
pub struct ValidateOptions {
    /// Feature gates that differ from Kubernetes 1.37's defaults.
    feature_gates: Option<BTreeMap<String, bool>>,
    /// The objects that exist, as YAML or JSON text, an object or a list of objects. A manifest of the same kind, name and
    /// namespace replaces one, as `kubectl replace` does; all others are created. Either side may leave the namespace out.
    old: Option<Value>,
}

/// The API server's answer about an object.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is of use: the fields are written by hand")]
pub struct Validated {
    /// The object with its defaults, as the API server would store it. Absent where a field has the wrong type, and for kinds
    /// that are not validated.
    object: Option<changeover_core::scenario::schema::Manifest>,
    /// The fields that the API server refuses.
    problems: Vec<FieldProblem>,
    /// The API server's warnings. A client sees them only if nothing is refused.
    warnings: Vec<String>,
    /// The fields that Kubernetes does not know. With strict field validation, which kubectl asks for, the API server refuses the
    /// object because of them. Without, it drops them and warns the client.
    unknown_fields: Vec<UnknownFieldProblem>,
    /// The paths of the known fields that were not checked. They may be invalid. If a field has the wrong type, these are all fields.
    unchecked_fields: Vec<String>,
    /// The name of the file, as it was given with its text; absent where it was not.
    file: Option<String>,
    /// The line where the object begins, from 1; absent where there was no text.
    line: Option<u32>,
    /// The character within the line, from 1.
    column: Option<u32>,
}

/// A field that the API server refuses.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is of use: the fields are written by hand")]
pub struct FieldProblem {
    /// The reason, as a client of the API sees it.
    r#type: FieldProblemType,
    /// The field's path.
    path: String,
    /// The value as the message shows it; absent where the message shows none.
    value: Option<String>,
    /// What the field must be instead; may be empty.
    detail: String,
    /// The whole message, in the API server's words.
    message: String,
    /// The name of the file, as it was given with its text; absent where it was not.
    file: Option<String>,
    /// The line of the field, or of what surrounds a missing one, from 1; absent where there was no text.
    line: Option<u32>,
    /// The character within the line, from 1.
    column: Option<u32>,
}

/// A field that Kubernetes does not know.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is of use: the fields are written by hand")]
pub struct UnknownFieldProblem {
    /// The field's path.
    path: String,
    /// The name of the known field that was probably meant; absent where none is like it.
    meant: Option<String>,
    /// The message, in the API server's words, with the field that was probably meant.
    message: String,
    /// The name of the file, as it was given with its text; absent where it was not.
    file: Option<String>,
    /// The line of the field, from 1; absent where there was no text.
    line: Option<u32>,
    /// The character within the line, from 1.
    column: Option<u32>,
}

/// Why a field is refused, as a client of the API sees it.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is of use; the names are Kubernetes' own")]
pub enum FieldProblemType {
    FieldValueRequired,
    FieldValueNotFound,
    FieldValueDuplicate,
    FieldValueInvalid,
    FieldValueNotSupported,
    FieldValueForbidden,
    FieldValueTooLong,
    FieldValueTooMany,
    FieldValueTypeInvalid,
    InternalError,
}

/// What the API server says about each object of a text (a JSON string) or of a JSON value.
///
/// # Errors
/// What can't be read; what is wrong with the options.
#[wasm_bindgen]
pub fn validate(input: &str, options: &str) -> Result<String, Failure> {
    let input = parse_json(ErrorCode::InvalidManifest, input)?;
    let manifests = parse_sources(ErrorCode::InvalidManifest, "", input)?;
    let mut options = match parse_json(ErrorCode::InvalidOptions, options)? {
        Value::Object(options) => options,
        other => {
            return Err(to_problem_error(ErrorCode::InvalidOptions, &must_be(&other, &Path::Root(""), "an object")));
        }
    };
    let old = options.remove("old").filter(|old| !old.is_null());
    let old = old.map_or_else(|| Ok(Vec::new()), parse_old)?;
    let gates = options.remove("featureGates").unwrap_or_default();
    let gates = parse_gates(&gates)?;
    if let Some(key) = options.keys().next() {
        let problem = unsupported_key(&Path::Root(""), key, ["featureGates", "old"].into_iter());
        return Err(to_problem_error(ErrorCode::InvalidOptions, &problem));
    }
    let existing = ExistingObjects::of(old.iter().map(|source| &source.document.value));
    let results = manifests.iter().map(|source| {
        let outcome = existing.dry_run(&source.document.value, &gates).map_err(|problem| {
            let place = source.place(&problem.path);
            to_error_at(ErrorCode::InvalidManifest, place, &problem.path, &problem.to_string())
        })?;
        Ok(to_validated(outcome, source))
    });
    Ok(to_json(&results.collect::<Result<Value, Failure>>()?))
}

/// The objects of the option `old`.
fn parse_old(old: Value) -> Result<Vec<Source>, Failure> {
    let sources = parse_sources(ErrorCode::InvalidOptions, "old", old)?;
    for (index, source) in sources.iter().enumerate() {
        require_kind(&source.document.value, &format!("old[{index}]"))
            .map_err(|problem| to_problem_error(ErrorCode::InvalidOptions, &problem))?;
    }
    match sources.iter().find_map(first_type_error) {
        None => Ok(sources),
        Some((place, problem)) => {
            Err(to_error_at(ErrorCode::InvalidOptions, place, &problem.path, &problem.to_string()))
        }
    }
}

/// The first field with a wrong type in an object of a supported kind, and where it is.
fn first_type_error(source: &Source) -> Option<(Option<Place>, Problem)> {
    let value = &source.document.value;
    let error = decoding_errors(value, strategy_of(value)?.kind()).into_iter().next()?;
    let place = source.place(&error.path);
    let Problem { path, message, .. } = error.into();
    Some((place, Problem::new(format!("old.{path}"), message)))
}

fn to_validated(outcome: DryRun, source: &Source) -> Value {
    let add_position = |map: &mut Map<String, Value>, path: &str| {
        if let Some(place) = source.place(path) {
            place.add_to(map);
        }
    };
    let problem = |error: &FieldError| {
        let mut map = Map::new();
        map.insert("type".into(), error.error_type.reason().into());
        map.insert("path".into(), error.path.as_str().into());
        if let Some(value) = &error.value {
            map.insert("value".into(), value.as_str().into());
        }
        map.insert("detail".into(), error.detail.as_str().into());
        map.insert("message".into(), error.to_string().into());
        add_position(&mut map, &error.path);
        Value::Object(map)
    };
    let unknown = |field: &UnknownField| {
        let mut map = Map::new();
        map.insert("path".into(), field.path.as_str().into());
        if let Some(meant) = &field.meant {
            map.insert("meant".into(), meant.as_str().into());
        }
        map.insert("message".into(), field.sentence().into());
        add_position(&mut map, &field.path);
        Value::Object(map)
    };
    let mut map = Map::new();
    if let Some(object) = outcome.object {
        map.insert("object".into(), object);
    }
    map.insert("problems".into(), outcome.errors.iter().map(problem).collect());
    map.insert("warnings".into(), outcome.warnings.into());
    map.insert("unknownFields".into(), outcome.unknown.iter().map(unknown).collect());
    map.insert("uncheckedFields".into(), outcome.unvalidated.into());
    add_position(&mut map, "");
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use changeover_text::parse;
    use serde_json::json;

    use super::*;

    const TEXT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: -1\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        resizePolicy: []\n---\nkind: Service\napiVersion: v1\n";

    fn validated(input: &Value, options: &Value) -> Vec<Value> {
        let Ok(text) = validate(&input.to_string(), &options.to_string()) else { panic!("it can be read") };
        serde_json::from_str(&text).unwrap()
    }

    fn problem_positions(validated: &Value) -> Vec<(&str, u64, u64)> {
        let problems = validated["problems"].as_array().unwrap().iter();
        problems
            .map(|p| (p["path"].as_str().unwrap(), p["line"].as_u64().unwrap(), p["column"].as_u64().unwrap()))
            .collect()
    }

    #[test]
    fn problems_are_where_the_field_is_or_what_is_around_it() {
        let validated = validated(&json!(TEXT), &json!({}));
        assert_eq!(
            problem_positions(&validated[0]),
            [("spec.template.spec.containers[0].image", 14, 9), ("spec.replicas", 6, 3)]
        );
        let first = &validated[0]["problems"][1];
        assert_eq!(first["message"], "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
        assert_eq!((&first["type"], &first["value"]), (&json!("FieldValueInvalid"), &json!("-1")));
        assert_eq!(validated[0]["object"]["spec"]["strategy"]["type"], "RollingUpdate");
        assert_eq!(validated[0]["uncheckedFields"], json!(["spec.template.spec.containers[0].resizePolicy"]));
        assert_eq!(validated[1]["uncheckedFields"], json!(["apiVersion", "kind"]));
        assert_eq!((&validated[1]["line"], &validated[1]["object"]), (&json!(17), &Value::Null));
    }

    #[test]
    fn unknown_fields_are_listed_with_what_was_meant() {
        let validated = validated(&json!(TEXT.replace("replicas: -1", "replcas: 3")), &json!({}));
        let message = r#"strict decoding error: unknown field "spec.replcas": did you mean "replicas"?"#;
        let expected = json!([
            {"path": "spec.replcas", "meant": "replicas", "message": message, "line": 6, "column": 3}
        ]);
        assert_eq!(validated[0]["unknownFields"], expected);
        assert_eq!(validated[0]["uncheckedFields"], json!(["spec.template.spec.containers[0].resizePolicy"]));
        assert_eq!(validated[0]["object"]["spec"]["replicas"], 1);
    }

    #[test]
    fn what_has_the_same_name_is_replaced() {
        let pods = |name: &str, app: &str| {
            json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
                "spec": {"selector": {"matchLabels": {"app": app}}, "template": {
                    "metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]},
                }},
            })
        };
        let both = validated(&json!([pods("web", "new"), pods("other", "new")]), &json!({"old": [pods("web", "old")]}));
        let count = |validated: &Value| validated["problems"].as_array().map(Vec::len);
        assert_eq!((count(&both[0]), count(&both[1])), (Some(1), Some(0)));
        assert_eq!(both[0]["problems"][0]["line"], Value::Null);
    }

    #[test]
    fn old_objects_must_have_valid_types() {
        let first = |text: &str| parse_sources(ErrorCode::InvalidOptions, "old", text.into()).unwrap().remove(0);
        let (place, problem) =
            first_type_error(&first("kind: Job\napiVersion: batch/v1\nspec:\n  template: 5\n")).unwrap();
        assert_eq!(place, Some(Place { file: None, line: 4, column: 3 }));
        assert_eq!(problem.to_string(), "old.spec.template: Invalid value: 5: must be a map");
        assert_eq!(first_type_error(&first("kind: Service\napiVersion: v1\nspec: 5\n")), None);
    }

    #[test]
    fn a_problem_is_in_the_file_that_was_named() {
        let validated = validated(&json!([{"file": "web.yaml", "text": TEXT}, {"kind": "Service"}]), &json!({}));
        assert_eq!(
            (&validated[0]["file"], &validated[0]["problems"][1]["file"]),
            (&json!("web.yaml"), &json!("web.yaml"))
        );
        assert_eq!((&validated[1]["file"], &validated[1]["line"]), (&json!("web.yaml"), &json!(17)));
        assert_eq!((&validated[2]["file"], &validated[2]["line"]), (&Value::Null, &Value::Null));
        let unreadable = json!([{"file": "web.yaml", "text": "a: b: c"}]).to_string();
        let error: Value = serde_json::from_str(&validate(&unreadable, "{}").unwrap_err().into_json()).unwrap();
        assert_eq!((&error["file"], &error["line"], &error["path"]), (&json!("web.yaml"), &json!(1), &json!("[0]")));
    }

    #[test]
    fn what_another_group_calls_the_same_is_something_else() {
        let job = |api_version: &str, completions: i32| {
            json!({
                "apiVersion": api_version, "kind": "Job", "metadata": {"name": "w"},
                "spec": {"completions": completions, "template": {"spec": {
                    "restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}],
                }}},
            })
        };
        let refused = |before: &str| {
            let options = json!({"old": job(before, 1)});
            validated(&job("batch/v1", 2), &options)[0]["problems"] != json!([])
        };
        assert_eq!((refused("batch.volcano.sh/v1alpha1"), refused("batch/v1")), (false, true));
    }

    #[test]
    fn a_namespace_may_be_left_out() {
        let deployment = |namespace: Option<&str>, app: &str| {
            let mut deployment = json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
                "spec": {"selector": {"matchLabels": {"app": app}}, "template": {
                    "metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]},
                }},
            });
            if let Some(namespace) = namespace {
                deployment["metadata"]["namespace"] = namespace.into();
            }
            deployment
        };
        let judged = |new: Option<&str>, old: &[Option<&str>]| {
            let old: Vec<Value> = old.iter().map(|namespace| deployment(*namespace, "old")).collect();
            let validated = validated(&deployment(new, "new"), &json!({ "old": old }));
            let object = &validated[0]["object"]["metadata"]["namespace"];
            (validated[0]["problems"].as_array().unwrap().len(), object.as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(judged(None, &[Some("prod")]), (1, "prod".to_owned()));
        assert_eq!(judged(Some("prod"), &[None]), (1, "prod".to_owned()));
        assert_eq!(judged(None, &[None, Some("prod")]), (1, "default".to_owned()));
        assert_eq!(judged(Some("test"), &[Some("prod")]).0, 0);
    }

    #[test]
    fn gates_change_what_is_kept() {
        let mut deployment = parse(TEXT).unwrap().remove(0).value;
        deployment["spec"]["podReplacementPolicy"] = "TerminationComplete".into();
        let policy_with_gate = |on: bool| {
            let options = json!({"featureGates": {"DeploymentPodReplacementPolicy": on}});
            validated(&deployment, &options)[0]["object"]["spec"]["podReplacementPolicy"].clone()
        };
        assert_eq!((policy_with_gate(true), policy_with_gate(false)), (json!("TerminationComplete"), Value::Null));
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_schema_says_what_is_written() {
        let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
        let schema = serde_json::to_value(schemars::schema_for!(Validated)).unwrap();
        let named = json!({"file": "web.yaml", "text": TEXT});
        let validated = &validated(&named, &json!({}))[0];
        assert_eq!(keys(validated), keys(&schema["properties"]));
        assert_eq!(keys(&validated["problems"][1]), keys(&schema["$defs"]["FieldProblem"]["properties"]));
        let kinds = &schema["$defs"]["FieldProblemType"]["enum"];
        assert!(kinds.as_array().unwrap().contains(&validated["problems"][1]["type"]));
    }
}
