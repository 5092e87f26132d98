use changeover_core::apiserver::{self, FieldError, Kind, Operation};
use changeover_core::json::{FromJson, ToJson};
use serde_json::{Value, json};

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[
    ("apiserver.admit", admit),
    ("apiserver.default", default),
    ("apiserver.prepare", prepare),
    ("apiserver.validate", validate),
];

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Request {
    object: Value,
    old: Option<Value>,
    subresource: Option<String>,
}

impl Request {
    fn kind(&self) -> Result<Kind, String> {
        Kind::of(&self.object).ok_or_else(|| "input.object: of a kind that the core does not know".into())
    }

    fn operation(&self) -> Result<Operation<'_>, String> {
        match (&self.old, self.subresource.as_deref()) {
            (None, None) => Ok(Operation::Create),
            (Some(old), None) => Ok(Operation::Update(old)),
            (Some(old), Some("status")) => Ok(Operation::UpdateStatus(old)),
            (None, Some("status")) => Err("input.old: must be there if the status is updated".into()),
            (_, Some(name)) => Err(format!("input.subresource: {name}: the core knows only status")),
        }
    }
}

fn admit(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let admission = apiserver::admission(&request.object, request.old.as_ref(), &case.gates.apiserver);
    let mut texts: Vec<String> = admission.errors.iter().map(FieldError::to_string).collect();
    texts.sort();
    let stored = admission.object.filter(|_| texts.is_empty());
    Outcome::new([("errors", texts.into()), ("object", stored.unwrap_or_default())])
}

fn default(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    let mut object = request.object;
    apiserver::default(&mut object, kind, &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn prepare(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    let mut object = request.object.clone();
    apiserver::prepare(&mut object, kind, request.operation()?, &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn validate(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    let operation = request.operation()?;
    let (mut errors, not_looked_at) = match operation {
        Operation::UpdateStatus(_) => {
            (apiserver::status_readable(&request.object, kind), apiserver::status_not_looked_at(&request.object, kind))
        }
        _ => (apiserver::readable(&request.object, kind), apiserver::not_looked_at(&request.object, kind)),
    };
    // What can't be read is not looked at any further.
    let mut warnings = Vec::new();
    if errors.is_empty() {
        errors = apiserver::validate(&request.object, kind, operation, &case.gates.apiserver);
        warnings = apiserver::warnings(&request.object, kind, operation);
    }
    // Sorted by the whole text, and the fields in the same order.
    errors.sort_by_cached_key(FieldError::to_string);
    let texts: Vec<String> = errors.iter().map(FieldError::to_string).collect();
    let fields: Value =
        errors.iter().map(|error| json!({"field": error.path.as_str(), "type": error.error_type.reason()})).collect();
    Outcome::new([
        ("valid", errors.is_empty().into()),
        ("warnings", warnings.into()),
        ("notLookedAt", not_looked_at.into()),
        ("errors", texts.into()),
        ("errorFields", fields),
    ])
}
