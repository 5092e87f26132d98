//! The numbers in the explanations about kubelets, nodes, the scheduler, the autoscaler, budgets and quotas. Each is
//! compared, by the name of its operand, with a value that is computed here a second time: from the scenario, from the
//! objects of the timeline as `kubectl get -o json` prints them, and from the earlier steps.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod autoscaler;
mod budgets;
mod kubelets;
mod limit_ranges;
mod nodes;
mod quantity;
mod queues;
mod quotas;
mod resources;
mod scheduler;
mod timelines;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::scenario::Duration;
use changeover_core::timeline::{Step, Timeline};

use crate::quantity::Amounts;
use crate::world::World;

/// Prefixes of the ids of rules about everything around the controllers.
const SURROUNDINGS: [&str; 10] = [
    "attach-detach.",
    "cluster-autoscaler.",
    "eviction.",
    "garbage-collector.",
    "kubelet.",
    "node-lifecycle.",
    "pod-gc.",
    "quota.",
    "scheduler.",
    "taint-eviction.",
];

/// Operands that are names and other words. All others must have their value computed here.
const WORDS: [&str; 16] = [
    "budget",
    "container",
    "creator",
    "image",
    "kind",
    "node",
    "object",
    "otherNode",
    "owner",
    "pod",
    "preemptor",
    "quota",
    "taint",
    "unspecified",
    "volume",
    "whyNot",
];

/// The rules with numbers. A case or a story covers each of them.
const RULES: [&str; 22] = [
    "cluster-autoscaler.scale-down",
    "cluster-autoscaler.scale-up",
    "eviction.refused",
    "kubelet.container-failed",
    "kubelet.crashed",
    "kubelet.failed",
    "kubelet.gone",
    "kubelet.held",
    "kubelet.pre-stop",
    "kubelet.pull-back-off",
    "kubelet.ready.probe",
    "kubelet.restarted",
    "kubelet.startup-failed",
    "kubelet.startup-failed.for-good",
    "node-lifecycle.no-evictions",
    "node-lifecycle.unreachable",
    "quota.exceeded",
    "quota.exceeded.given-up",
    "quota.unspecified",
    "scheduler.make-room",
    "scheduler.unschedulable",
    "taint-eviction.delete",
];

/// The expected value of an operand.
enum Expected {
    Text(String),
    /// `cpu=2,pods=3`, in any notation of the amounts.
    Amounts(Amounts),
    /// Another test computes it.
    Elsewhere,
}

impl Expected {
    fn is(&self, actual: &str) -> bool {
        match self {
            Self::Text(text) => text == actual,
            Self::Amounts(amounts) => *amounts == quantity::amounts(actual),
            Self::Elsewhere => true,
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Amounts(amounts) => format!("{amounts:?}"),
            Self::Elsewhere => String::new(),
        }
    }
}

/// The computed operands of a reason, by name.
type Numbers = BTreeMap<&'static str, Expected>;

fn count(value: impl TryInto<i64>) -> Expected {
    Expected::Text(value.try_into().ok().unwrap().to_string())
}

fn duration(nanoseconds: i64) -> Expected {
    Expected::Text(Duration(nanoseconds).to_string())
}

fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    let id = step.reason().rule.id;
    let of = match id.split('.').next().unwrap() {
        "cluster-autoscaler" => autoscaler::numbers,
        "eviction" => budgets::numbers,
        "kubelet" => kubelets::numbers,
        "node-lifecycle" | "taint-eviction" => nodes::numbers,
        "quota" => quotas::numbers,
        "scheduler" => scheduler::numbers,
        _ => return Numbers::new(),
    };
    of(world, step)
}

/// The wrong numbers of a timeline, and the rules whose numbers it covers.
fn check(timeline: &Timeline) -> (Vec<String>, BTreeSet<&'static str>) {
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    let mut world = World::new(timeline);
    for (index, step) in timeline.steps.iter().enumerate() {
        world.begin(step);
        let (reason, id) = (step.reason(), step.reason().rule.id);
        if SURROUNDINGS.iter().any(|start| id.starts_with(start)) {
            let numbers = numbers(&world, step);
            let mut problem = |operand: &str, what: String| {
                wrong.push(format!("step {index}: {operand} of {id}: {what}: {}", reason.sentence()));
            };
            for (operand, value) in reason.operands() {
                let (name, actual) = (operand.name, value.to_string());
                match numbers.get(name) {
                    Some(expected) if expected.is(&actual) => {}
                    Some(expected) => problem(name, format!("{actual} should be {}", expected.shown())),
                    None if WORDS.contains(&name) => {}
                    None => problem(name, "this test does not compute it".into()),
                }
            }
            for name in numbers.keys().filter(|name| reason.value(name).is_none()) {
                problem(name, "there is no such operand".into());
            }
            if !numbers.is_empty() {
                met.insert(id);
            }
        }
        world.end(step);
    }
    (wrong, met)
}

#[test]
fn every_number_matches_the_objects() {
    let mut met = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut check_all = |name: &str, timeline: &Timeline| {
        let (problems, rules) = check(timeline);
        met.extend(rules);
        wrong.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
    };
    timelines::of_cases(&mut check_all);
    timelines::of_stories(&mut check_all);
    assert!(wrong.is_empty(), "{} numbers are wrong\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(met.into_iter().collect::<Vec<_>>(), RULES);
}
