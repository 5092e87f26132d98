//! The amounts that a ResourceQuota allows, that are used, and that are requested.

use changeover_core::object::{Kind, Time};
use changeover_core::timeline::Step;
use serde_json::{Value, json};

use crate::limit_ranges::fill_in;
use crate::quantity::{self, Amounts, ONE};
use crate::resources::{List, is_huge_pages, of_pod};
use crate::world::World;
use crate::{Expected, Numbers, duration};

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    let queue = world.queue(&step.about);
    let next = duration(queue.next_try(world.now));
    match step.reason().rule.id {
        "quota.exceeded" | "quota.exceeded.given-up" => {
            let mut numbers = exceeded(world, step);
            if !queue.gives_up() {
                numbers.insert("nextTry", next);
            }
            numbers
        }
        "quota.unspecified" => Numbers::from([("nextTry", next)]),
        _ => Numbers::new(),
    }
}

/// The first quota that is exceeded, and all resources that exceed it.
fn exceeded(world: &World<'_>, step: &Step) -> Numbers {
    let namespace = &*step.about.namespace;
    let (kind, created) = match step.about.kind {
        Kind::Deployment => (Kind::ReplicaSet, json!({})),
        _ => {
            let mut pod = world.object(&step.about)["spec"]["template"].clone();
            fill_in(&mut pod, world.constraints("LimitRange", namespace));
            (Kind::Pod, pod)
        }
    };
    let there: Vec<Value> = world.objects(kind, namespace).collect();
    for quota in world.constraints("ResourceQuota", namespace) {
        let (mut requested, mut used, mut limited) = (Amounts::new(), Amounts::new(), Amounts::new());
        for (resource, hard) in quota["spec"]["hard"].as_object().unwrap() {
            let (wanted, hard) = (usage(kind, &created, resource, world.now), quantity::parse(hard));
            let of_others: i128 = there.iter().map(|object| usage(kind, object, resource, world.now)).sum();
            if wanted > 0 && wanted + of_others > hard {
                requested.insert(resource.clone(), wanted);
                used.insert(resource.clone(), of_others);
                limited.insert(resource.clone(), hard);
            }
        }
        if !requested.is_empty() {
            return Numbers::from([
                ("quota", Expected::Text(quota["metadata"]["name"].as_str().unwrap().into())),
                ("kind", Expected::Text(kind.name().into())),
                ("requested", Expected::Amounts(requested)),
                ("used", Expected::Amounts(used)),
                ("limited", Expected::Amounts(limited)),
            ]);
        }
    }
    Numbers::from([("quota", Expected::Text("none".into()))])
}

/// How much of a quota's resource an object uses.
fn usage(kind: Kind, object: &Value, resource: &str, now: Time) -> i128 {
    if let Some(counted) = resource.strip_prefix("count/") {
        let name = if kind == Kind::Pod { "pods" } else { "replicasets.apps" };
        return if counted == name { ONE } else { 0 };
    }
    if kind != Kind::Pod || has_ended(object) || is_overdue(object, now) {
        return 0;
    }
    let of_pod = |list, name| of_pod(&object["spec"], list, name);
    let is_compute = |name| ["cpu", "memory", "ephemeral-storage"].contains(&name);
    match resource.split_once('.') {
        _ if resource == "pods" => ONE,
        Some(("limits", name)) if is_compute(name) => of_pod(List::Limits, name),
        Some(("requests", name)) if is_compute(name) || is_huge_pages(name) || is_extended(name) => {
            of_pod(List::Requests, name)
        }
        _ if is_compute(resource) || is_huge_pages(resource) => of_pod(List::Requests, resource),
        _ => 0,
    }
}

/// Whether a vendor or a device class defines the resource.
fn is_extended(name: &str) -> bool {
    let is_native = !name.contains('/') || name.contains("kubernetes.io/");
    !is_native || name.starts_with("deviceclass.resource.kubernetes.io/")
}

fn has_ended(pod: &Value) -> bool {
    ["Succeeded", "Failed"].iter().any(|phase| pod["status"]["phase"] == *phase)
}

/// Whether twice the grace period has passed: the deletionTimestamp is one grace period after the deletion.
fn is_overdue(pod: &Value, now: Time) -> bool {
    let until = pod["metadata"]["deletionTimestamp"].as_str().and_then(Time::parse);
    let grace = pod["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
    until.is_some_and(|until| until.plus_seconds(grace) < now)
}
