//! Why no node takes a pod.

use std::collections::BTreeMap;

use changeover_core::object::{Kind, ObjectKey};
use changeover_core::timeline::Step;
use serde_json::Value;

use crate::nodes::{Node, RESOURCES};
use crate::resources::{List, of_pod};
use crate::world::World;
use crate::{Expected, Numbers, count};

const IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/// The fields of a pod's spec by which it is not only a matter of room where it runs.
const RULES: [&str; 3] = ["nodeSelector", "affinity", "topologySpreadConstraints"];

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    match step.reason().rule.id {
        "scheduler.unschedulable" => {
            let pod = world.object(&step.about);
            // What the rules of a pod decide is compared with the real scheduler's answers.
            if RULES.iter().any(|rule| !pod["spec"][rule].is_null()) {
                return Numbers::from([("misfits", Expected::Elsewhere)]);
            }
            // No node is looked at before the gates are gone.
            if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
                let text = "Scheduling is blocked due to non-empty scheduling gates";
                return Numbers::from([("misfits", Expected::Text(text.into()))]);
            }
            let nodes: Vec<&Node> = world.nodes.iter().filter(|node| node.exists).collect();
            let mut refusals: BTreeMap<&str, usize> = BTreeMap::new();
            for refusal in nodes.iter().flat_map(|node| misfits(world, node, &pod)) {
                *refusals.entry(refusal).or_default() += 1;
            }
            let mut lines: Vec<String> = refusals.iter().map(|(refusal, count)| format!("{count} {refusal}")).collect();
            lines.sort();
            let text = match nodes.len() {
                0 => "no nodes available to schedule pods".into(),
                count => format!("0/{count} nodes are available: {}", lines.join(", ")),
            };
            Numbers::from([("misfits", Expected::Text(text))])
        }
        "scheduler.make-room" => {
            let preemptor = step.reason().value("preemptor").unwrap().to_string();
            let priority = |key: &ObjectKey| count(world.object(key)["spec"]["priority"].as_i64().unwrap());
            let preemptor = ObjectKey { name: preemptor.into(), ..(*step.about).clone() };
            Numbers::from([("lower", priority(&step.about)), ("priority", priority(&preemptor))])
        }
        _ => Numbers::new(),
    }
}

/// All reasons why a node can't take a pod.
pub fn misfits(world: &World<'_>, node: &Node, pod: &Value) -> Vec<&'static str> {
    if node.cordoned {
        return vec!["node(s) were unschedulable"];
    }
    if node.unreachable || node.out_of_service.is_some() {
        return vec!["node(s) had untolerated taint(s)"];
    }
    let mut misfits = Vec::new();
    if node.room.is_some_and(|room| node.pods >= i64::from(room)) {
        misfits.push("Too many pods");
    }
    let texts = ["Insufficient cpu", "Insufficient memory"];
    for ((resource, text), (limit, requested)) in RESOURCES.into_iter().zip(texts).zip(node.amounts) {
        let wanted = of_pod(&pod["spec"], List::Requests, resource);
        if limit.is_some_and(|limit| wanted > 0 && wanted + requested > limit) {
            misfits.push(text);
        }
    }
    if misfits.is_empty() && claim_is_in_use(world, pod) {
        misfits.push(IN_USE);
    }
    misfits
}

/// Whether another pod uses a claim of this pod that only one pod may use.
fn claim_is_in_use(world: &World<'_>, pod: &Value) -> bool {
    let namespace = pod["metadata"]["namespace"].as_str().unwrap();
    let claims = |pod: &Value| -> Vec<String> {
        let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
        volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str().map(str::to_owned)).collect()
    };
    let exclusive = |name: &String| {
        let mut named = world
            .constraints("PersistentVolumeClaim", namespace)
            .filter(|claim| claim["metadata"]["name"] == name.as_str());
        named.any(|claim| claim["spec"]["accessModes"] == serde_json::json!(["ReadWriteOncePod"]))
    };
    let wanted: Vec<String> = claims(pod).into_iter().filter(exclusive).collect();
    let mut others = world.objects(Kind::Pod, namespace).filter(|other| {
        let ended = ["Succeeded", "Failed"].iter().any(|phase| other["status"]["phase"] == *phase);
        other["spec"]["nodeName"].is_string() && !ended
    });
    others.any(|other| claims(&other).iter().any(|claim| wanted.contains(claim)))
}
