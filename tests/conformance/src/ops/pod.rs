use std::rc::Rc;

use changeover_core::apiserver::{POD_DELETION_COST, get_deletion_cost_from_pod_annotations};
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Pod, Strings};

use super::{Op, Outcome, error_of};
use crate::case::Case;

pub const OPS: &[(&str, Op)] =
    &[("pod.deletionCost", cost), ("pod.active", active), ("pod.countTerminating", count_terminating)];

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Annotations {
    annotations: Option<Strings>,
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Pods {
    pods: Vec<Rc<Pod>>,
}

/// An invalid cost counts as 0, and is also an error.
fn cost(case: &Case) -> Result<Outcome, String> {
    let Annotations { annotations } = case.input()?;
    let annotations = annotations.unwrap_or_default();
    let value = annotations.get(POD_DELETION_COST).map(String::as_str);
    let cost = get_deletion_cost_from_pod_annotations(value);
    Outcome::new([("error", error_of(&cost)), ("cost", cost.unwrap_or(0).into())])
}

fn active(case: &Case) -> Result<Outcome, String> {
    let Pods { pods } = case.input()?;
    let names = pods.iter().filter(|pod| pod.is_active()).map(|pod| pod.metadata.name.to_string());
    Outcome::new([("names", names.collect())])
}

fn count_terminating(case: &Case) -> Result<Outcome, String> {
    let Pods { pods } = case.input()?;
    Outcome::new([("count", pods.iter().filter(|pod| pod.is_terminating()).count().into())])
}
