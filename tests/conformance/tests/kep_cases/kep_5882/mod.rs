//! KEP-5882: Deployment podReplacementPolicy.

pub mod complete_rollouts;
pub mod edge_cases;
pub mod gates;
pub mod interrupted;
pub mod kubectl;
pub mod lost_node;
pub mod progress;
pub mod pull_requests;
pub mod questions;
pub mod releases;
pub mod rollout;
pub mod scaling;
pub mod settled_questions;
pub mod skew;
pub mod stories;
pub mod tables;

use serde_json::{Value, json};

use super::objects::{self, ReplicaSet};

const NONE: Option<&str> = None;
const STARTED: Option<&str> = Some("TerminationStarted");
const COMPLETE: Option<&str> = Some("TerminationComplete");

/// All policies, with a word for each in names.
const POLICIES: [(&str, Option<&str>); 3] =
    [("no policy", NONE), ("TerminationStarted", STARTED), ("TerminationComplete", COMPLETE)];

/// Both gates on.
fn on() -> Value {
    objects::gates(true, true)
}

/// A `deployment.scale` case.
fn scale(
    name: &str,
    source: &str,
    gates: &Value,
    deployment: Value,
    before: &[ReplicaSet],
    after: &[ReplicaSet],
) -> Value {
    let expected = json!({"error": false, "replicaSets": objects::sizes(after)});
    objects::case("deployment.scale", name, source, gates, objects::rollout(deployment, before), expected)
}
