//! The three tables of "Deployment Scaling Changes and a New Annotation for ReplicaSets". Each row starts from the one
//! before. maxSurge is always 10.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, deployment, gates, noted, replica_set};
use super::{COMPLETE, NONE, STARTED, on, scale};

const SURGE: i32 = 10;

/// A row: `spec.replicas`, the terminating pods, and RS1, RS2 and RS3 afterward.
struct Row {
    time: &'static str,
    desired: i32,
    terminating: i32,
    sizes: [(i32, Annotations); 3],
    note: &'static str,
}

const fn row(time: &'static str, desired: i32, terminating: i32, sizes: [(i32, Annotations); 3]) -> Row {
    Row { time, desired, terminating, sizes, note: "" }
}

const fn full(replicas: i32, desired: i32) -> (i32, Annotations) {
    (replicas, Annotations::complete(desired, SURGE))
}

/// A ReplicaSet that still needs pods since the Deployment was scaled from 100 pods, when it had `before`.
const fn part(replicas: i32, before: i32) -> (i32, Annotations) {
    (replicas, Annotations::partial(100, SURGE, before))
}

/// Scaled twice, terminating pods ignored.
const TABLE_1: [Row; 3] = [
    row("T1", 100, 0, [full(60, 100), full(30, 100), full(20, 100)]),
    row("T2", 120, 0, [full(71, 120), full(35, 120), full(24, 120)]),
    row("T3", 130, 0, [full(76, 130), full(38, 130), full(26, 130)]),
];

/// Scaled once, terminating pods counted.
const TABLE_2: [Row; 4] = [
    row("T1", 100, 15, [full(50, 100), full(30, 100), full(20, 100)]),
    row("T2", 120, 15, [part(59, 50), full(35, 120), part(21, 20)]),
    row("T3", 120, 5, [part(66, 50), full(35, 120), full(24, 120)]),
    row("T4", 120, 0, [full(71, 120), full(35, 120), full(24, 120)]),
];

/// Scaled twice, terminating pods counted.
const TABLE_3: [Row; 5] = [
    row("T1", 100, 15, [full(50, 100), full(30, 100), full(20, 100)]),
    Row {
        note: "the KEP's prose has RS1 fully scaled here; it still needs the pods that are left over, so it is not",
        ..row("T2", 120, 15, [part(59, 50), full(35, 120), part(21, 20)])
    },
    Row {
        note: "the KEP prints 66/38/21: no rule gives that row and all the others; the total is the same",
        ..row("T3", 130, 15, [part(64, 50), full(38, 130), part(23, 20)])
    },
    row("T4", 130, 5, [part(72, 50), full(38, 130), full(25, 130)]),
    row("T5", 130, 0, [full(77, 130), full(38, 130), full(25, 130)]),
];

/// Which ReplicaSet the terminating pods belong to.
#[derive(Clone, Copy)]
enum Whose {
    All,
    First,
    /// An old ReplicaSet that no longer wants pods.
    Empty,
    /// The ReplicaSets do not report them.
    Unknown,
}

pub fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    let skewed = json!({
        "apiserver": gates(true, true),
        "controllerManager": gates(true, false),
    });
    let any_amount = [
        ("no policy, none terminating", NONE, on(), 0, Whose::All),
        ("no policy, 40 terminating", NONE, on(), 40, Whose::All),
        ("no policy, terminatingReplicas unknown", NONE, on(), 0, Whose::Unknown),
        ("TerminationStarted, 40 terminating", STARTED, on(), 40, Whose::All),
        ("TerminationComplete, none terminating", COMPLETE, on(), 0, Whose::All),
        ("policy gate off, 40 terminating", COMPLETE, gates(true, false), 40, Whose::All),
        ("both gates off, terminatingReplicas unknown", COMPLETE, gates(false, false), 0, Whose::Unknown),
        ("gate off in the controller manager only, 40 terminating", COMPLETE, skewed, 40, Whose::All),
    ];
    for (variant, policy, gates, terminating, whose) in any_amount {
        cases.extend(table(1, &TABLE_1, variant, policy, &gates, Some(terminating), whose));
    }
    let places = [
        ("terminating pods of all", Whose::All),
        ("terminating pods of the first", Whose::First),
        ("terminating pods of an empty ReplicaSet", Whose::Empty),
    ];
    for (variant, whose) in places {
        cases.extend(table(2, &TABLE_2, variant, COMPLETE, &on(), None, whose));
        cases.extend(table(3, &TABLE_3, variant, COMPLETE, &on(), None, whose));
    }
    cases
}

fn table(
    number: u8,
    rows: &[Row],
    variant: &str,
    policy: Option<&str>,
    gates: &Value,
    terminating: Option<i32>,
    whose: Whose,
) -> Vec<Value> {
    let source = format!(
        "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets, {} table",
        ["first", "second", "third"][usize::from(number) - 1]
    );
    let steps = rows.windows(2).map(|pair| (&pair[0], &pair[1]));
    steps
        .map(|(from, to)| {
            let name = format!("table {number}: {} to {} [{variant}]", from.time, to.time);
            let before = replica_sets(from, terminating.unwrap_or(to.terminating), whose);
            let after = replica_sets(to, 0, whose);
            let case = scale(&name, &source, gates, deployment(to.desired, SURGE, policy), &before, &after);
            if to.note.is_empty() { case } else { noted(case, to.note) }
        })
        .collect()
}

/// RS1 to RS3 as red, green and blue, and an empty grey one if the terminating pods belong to it.
fn replica_sets(row: &Row, terminating: i32, whose: Whose) -> Vec<ReplicaSet> {
    let shares = match whose {
        Whose::All => [terminating / 3, terminating / 4, terminating - terminating / 3 - terminating / 4].map(Some),
        Whose::First => [Some(terminating), Some(0), Some(0)],
        Whose::Empty => [Some(0); 3],
        Whose::Unknown => [None; 3],
    };
    let colors = ["red", "green", "blue"].into_iter().zip(row.sizes).zip(shares);
    let mut sets: Vec<ReplicaSet> = colors
        .map(|((color, (size, annotations)), share)| replica_set(color, size, annotations).terminating(share))
        .collect();
    if matches!(whose, Whose::Empty) {
        sets.insert(0, replica_set("grey", 0, Annotations::complete(100, SURGE)).terminating(Some(terminating)));
    }
    sets
}
