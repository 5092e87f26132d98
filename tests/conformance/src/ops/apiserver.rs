use changeover_core::apiserver::{self, FieldError, Kind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] =
    &[("apiserver.default", default), ("apiserver.prepare", prepare), ("apiserver.validate", validate)];

#[derive(Deserialize)]
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

    /// The core has no subresources yet: such a case fails rather than being taken for another.
    fn whole(&self) -> Result<(), String> {
        match &self.subresource {
            Some(name) => Err(format!("input.subresource: {name}: the core has no subresources yet")),
            None => Ok(()),
        }
    }
}

fn default(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    request.whole()?;
    let mut object = request.object;
    apiserver::default(&mut object, kind, &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn prepare(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    request.whole()?;
    let mut object = request.object;
    apiserver::prepare(&mut object, kind, request.old.as_ref(), &case.gates.apiserver);
    Outcome::new([("object", object)])
}

fn validate(case: &Case) -> Result<Outcome, String> {
    let request: Request = case.input()?;
    let kind = request.kind()?;
    request.whole()?;
    let mut errors = apiserver::readable(&request.object, kind);
    if errors.is_empty() {
        errors = apiserver::validate(&request.object, kind, request.old.as_ref(), &case.gates.apiserver);
    }
    let mut texts: Vec<String> = errors.iter().map(FieldError::to_string).collect();
    texts.sort();
    let mut fields: Vec<_> = errors.iter().map(|error| (error.path.as_str(), error.error_type.reason())).collect();
    fields.sort_unstable();
    let fields: Value = fields.into_iter().map(|(field, reason)| json!({"field": field, "type": reason})).collect();
    Outcome::new([("valid", errors.is_empty().into()), ("errors", texts.into()), ("errorFields", fields)])
}
