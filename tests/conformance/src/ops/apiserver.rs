use changeover_core::apiserver::{self, FieldError, Operation, Strategy, UnknownField};
use changeover_core::json::{FromJson, ToJson};
use serde_json::{Value, json};

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[
    ("apiserver.admit", admit),
    ("apiserver.default", default),
    ("apiserver.prepare", prepare),
    ("apiserver.unknownFields", unknown_fields),
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
    fn strategy(&self) -> Result<&'static dyn Strategy, String> {
        apiserver::strategy_of(&self.object).ok_or_else(|| "input.object: of a kind that the core does not know".into())
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
    let outcome = apiserver::dry_run(&request.object, request.old.as_ref(), &case.gates.apiserver);
    let mut texts: Vec<String> = outcome.errors.iter().map(FieldError::to_string).collect();
    texts.sort();
    let stored = outcome.object.filter(|_| texts.is_empty());
    Outcome::new([("errors", texts.into()), ("object", stored.unwrap_or_default())])
}

fn default(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let strategy = request.strategy()?;
    let mut object = request.object;
    apiserver::default(&mut object, strategy, &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn prepare(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let strategy = request.strategy()?;
    let mut object = request.object.clone();
    apiserver::prepare(&mut object, strategy, request.operation()?, &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn unknown_fields(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let errors: Value =
        apiserver::unknown_fields(&request.object, &case.gates.apiserver).iter().map(UnknownField::to_string).collect();
    Outcome::new([("errors", errors)])
}

fn validate(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let strategy = request.strategy()?;
    let operation = request.operation()?;
    let unvalidated = match operation {
        Operation::UpdateStatus(_) => apiserver::unvalidated_status_fields(&request.object, strategy),
        _ => apiserver::unvalidated_fields(&request.object, strategy),
    };
    let mut errors = apiserver::decoding_errors(&request.object, strategy.kind());
    // An object that can't be read is not validated further.
    let mut warnings = Vec::new();
    if errors.is_empty() {
        errors = apiserver::validate(&request.object, strategy, operation, &case.gates.apiserver);
        warnings = apiserver::warnings(&request.object, strategy, operation);
    }
    // Sorted by the whole text, with the fields in the same order.
    errors.sort_by_cached_key(FieldError::to_string);
    let texts: Vec<String> = errors.iter().map(FieldError::to_string).collect();
    let fields: Value =
        errors.iter().map(|error| json!({"field": error.path.as_str(), "type": error.error_type.reason()})).collect();
    Outcome::new([
        ("valid", errors.is_empty().into()),
        ("warnings", warnings.into()),
        ("uncheckedFields", unvalidated.into()),
        ("errors", texts.into()),
        ("errorFields", fields),
    ])
}
