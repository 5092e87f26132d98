//! The steps of an order of events, as [`crate::worst_case`] finds it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::scenario::Duration;
use crate::worst_case::{Side, Step, TimedStep};

/// The steps of an order, each in a sentence.
pub fn explain_order(order: &[Step]) -> Vec<String> {
    order.iter().map(sentence).collect()
}

/// The same with the time since the change before each step.
pub fn explain_timed_order(order: &[TimedStep]) -> Vec<String> {
    order.iter().map(|TimedStep { at, step }| format!("{}: {}", Duration(*at), sentence(step))).collect()
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

fn pods(count: i32) -> String {
    let noun = if count == 1 { "pod" } else { "pods" };
    format!("{count} {noun}")
}

/// Which version a cache shows.
fn versions_ago(behind: u8) -> String {
    let noun = if behind == 1 { "version" } else { "versions" };
    format!("{behind} {noun} behind")
}

/// The sentence of a step.
fn sentence(step: &Step) -> String {
    match step {
        Step::SyncDeployment { behind, resized } => {
            let sizes: Vec<String> = resized
                .iter()
                .map(|resize| match resize.from {
                    None => format!("creates the {} ReplicaSet with {}", name(resize.of), pods(resize.to)),
                    Some(from) if from == resize.to => format!("updates the {} ReplicaSet", name(resize.of)),
                    Some(from) => format!("scales the {} ReplicaSet from {from} to {}", name(resize.of), resize.to),
                })
                .collect();
            let stale: Vec<String> = [(Side::Old, behind.old), (Side::New, behind.new)]
                .into_iter()
                .filter(|(_, behind)| *behind > 0)
                .map(|(side, behind)| format!("the {} one {}", name(side), versions_ago(behind)))
                .collect();
            let seen =
                if stale.is_empty() { String::new() } else { format!(" (its cache has {})", stale.join(" and ")) };
            format!("The Deployment controller {}{seen}.", sizes.join(", and "))
        }
        Step::SyncReplicaSet { of, behind, created, deleted } => {
            let done = match (created, deleted) {
                (0, 0) => "updates its status".to_string(),
                (created, 0) => format!("creates {}", pods((*created).into())),
                (_, deleted) => format!("deletes {}", pods((*deleted).into())),
            };
            let seen = if *behind > 0 { format!(" (the cache is {})", versions_ago(*behind)) } else { String::new() };
            format!("The {} ReplicaSet {done}{seen}.", name(*of))
        }
        Step::Ready { of } => format!("A pod of the {} ReplicaSet becomes ready.", name(*of)),
        Step::Available { of } => format!("A pod of the {} ReplicaSet becomes available.", name(*of)),
        Step::Gone { of } => format!("A terminating pod of the {} ReplicaSet ends.", name(*of)),
    }
}
