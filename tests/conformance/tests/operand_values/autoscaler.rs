//! How many nodes the autoscaler orders, and when it removes one.

use changeover_core::object::{ObjectKey, Time};
use changeover_core::timeline::Step;
use serde_json::Value;

use crate::nodes::Node;
use crate::scheduler::misfits;
use crate::world::World;
use crate::{Expected, Numbers, count, duration};

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    match step.reason().rule.id {
        "cluster-autoscaler.scale-up" => scale_up(world, step),
        "cluster-autoscaler.scale-down" => scale_down(world, step),
        _ => Numbers::new(),
    }
}

/// Puts each pod that has waited long enough on the first upcoming node that it fits, and orders another node if it
/// fits none.
fn scale_up(world: &World<'_>, step: &Step) -> Numbers {
    let autoscaler = world.scenario().autoscaler.as_ref().unwrap();
    let there = i64::try_from(world.nodes.iter().filter(|node| node.exists).count()).unwrap();
    let before = there + world.upcoming;
    let added = || Node::added(world.scenario(), "");
    let mut on_their_way: Vec<Node> = (0..world.upcoming).map(|_| added()).collect();
    let mut ordered = 0;
    let mut first: Option<String> = None;
    for (key, pod) in waiting(world, autoscaler.after.0) {
        let mut place = on_their_way.iter().position(|node| misfits(world, node, &pod).is_empty());
        let may_order = misfits(world, &added(), &pod).is_empty() && before + ordered < i64::from(autoscaler.max);
        if place.is_none() && may_order {
            ordered += 1;
            on_their_way.push(added());
            place = Some(on_their_way.len() - 1);
        }
        if let Some(place) = place {
            on_their_way[place].count(&pod, 1);
            if i64::try_from(place).unwrap() >= world.upcoming {
                first.get_or_insert(key.name.to_string());
            }
        }
    }
    assert_eq!(step.about.kind.name(), "Pod");
    Numbers::from([
        ("pod", Expected::Text(first.unwrap_or_default())),
        ("waited", duration(autoscaler.after.0)),
        ("ordered", count(ordered)),
        ("before", count(before)),
        ("after", count(before + ordered)),
    ])
}

/// The pods that have been unschedulable for this long.
fn waiting<'w>(world: &'w World<'_>, after: i64) -> impl Iterator<Item = (&'w ObjectKey, Value)> {
    let pods = world.unschedulable.iter().map(|key| (key, world.object(key)));
    pods.filter(move |(_, pod)| {
        let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        let since = conditions.filter(|it| it["type"] == "PodScheduled" && it["status"] == "False").find_map(|it| {
            let text = it["lastTransitionTime"].as_str()?;
            Time::parse(text)
        });
        pod["spec"]["nodeName"].is_null() && since.is_some_and(|since| since.plus(after) <= world.now)
    })
}

fn scale_down(world: &World<'_>, step: &Step) -> Numbers {
    let idle = world.scenario().autoscaler.as_ref().unwrap().idle.0;
    let empty = world.node(&step.about.name).empty.map(|since| world.now.since(since));
    // A node that had to stay because of the minimum has been empty for longer.
    Numbers::from([("idle", duration(empty.map_or(0, |empty| empty.min(idle))))])
}
