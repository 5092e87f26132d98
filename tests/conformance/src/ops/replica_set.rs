use std::rc::Rc;

use changeover_core::controller::replica_set::rank::{compare, get_pods_to_delete};
use changeover_core::object::Pod;
use serde::Deserialize;

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[("replicaSet.podsToDelete", pods_to_delete), ("replicaSet.podLess", pod_less)];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PodsToDelete {
    pods: Vec<Rc<Pod>>,
    related_pods: Option<Vec<Rc<Pod>>>,
    count: usize,
}

fn pods_to_delete(case: &Case) -> Result<Outcome, String> {
    let PodsToDelete { pods, related_pods, count } = case.input()?;
    let related = related_pods.unwrap_or_default();
    let deleted = get_pods_to_delete(&pods, &related, count, case.now()?, case.gates.controller_manager);
    let names = deleted.iter().map(|deletion| deletion.pod.metadata.name.to_string());
    Outcome::new([("names", names.collect())])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PodLess {
    pods: [Rc<Pod>; 2],
    ranks: [usize; 2],
}

fn pod_less(case: &Case) -> Result<Outcome, String> {
    let PodLess { pods: [first, second], ranks: [rank0, rank1] } = case.input()?;
    let less = |first, second| compare(first, second, case.now, case.gates.controller_manager).less;
    let (first, second) = ((&*first, rank0), (&*second, rank1));
    Outcome::new([("less01", less(first, second).into()), ("less10", less(second, first).into())])
}
