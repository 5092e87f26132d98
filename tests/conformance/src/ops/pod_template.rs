use changeover_core::apiserver;
use changeover_core::controller::hash::compute_hash;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::workload::deployment::Deployment;
use serde_json::{Value, json};

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[("podTemplate.computeHash", hash)];

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Template {
    template: Value,
    collision_count: Option<i32>,
}

/// The controller sees the template as the API server stores it.
fn hash(case: &Case) -> Result<Outcome, String> {
    let Template { template, collision_count } = case.input()?;
    let mut deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": template}});
    let strategy = apiserver::strategy_of(&deployment).ok_or("Deployments have a strategy")?;
    apiserver::default(&mut deployment, strategy, &case.gates.apiserver);
    let deployment: Deployment = decode(&deployment, "").map_err(|problem| problem.to_string())?;
    Outcome::new([("hash", compute_hash(&deployment.spec.template, collision_count).into())])
}
