//! The tables of `docs/kep-5882.md` are what the core computes.
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use changeover_core::explain::{OperandValue, Reason};
use changeover_kep_5882::controller::{Operation, run};
use changeover_kep_5882::second_reading::sample::{annotated, rolling, set, world};
use changeover_kep_5882::second_reading::scaling::allowed_size;
use changeover_kep_5882::world::{Policy, ReplicaSet, Status, World};

const SURGE: i32 = 10;
/// `spec.replicas` at the start of each table.
const FIRST: i64 = 100;

/// A table: the policy, the sizes and the terminating pods at T1, and for each later time `spec.replicas` and the
/// terminating pods.
struct Table {
    policy: Policy,
    sizes: [i64; 3],
    terminating: i64,
    times: &'static [(i64, i64)],
}

const TABLES: [Table; 3] = [
    Table { policy: Policy::Nil, sizes: [60, 30, 20], terminating: 40, times: &[(120, 40), (130, 40)] },
    Table { policy: Policy::Complete, sizes: [50, 30, 20], terminating: 15, times: &[(120, 15), (120, 5), (120, 0)] },
    Table {
        policy: Policy::Complete,
        sizes: [50, 30, 20],
        terminating: 15,
        times: &[(120, 15), (130, 15), (130, 5), (130, 0)],
    },
];

/// What the KEP prints, from T2 on.
const PRINTED: [&[[i64; 3]]; 3] = [
    &[[71, 35, 24], [76, 38, 26]],
    &[[59, 35, 21], [66, 35, 24], [71, 35, 24]],
    &[[59, 35, 21], [66, 38, 21], [72, 38, 25], [77, 38, 25]],
];

/// The only row that is not what the KEP prints, by table and time.
const DEVIATES: (usize, &str, [i64; 3]) = (3, "T3", [66, 38, 21]);

fn at_t1(table: &Table) -> World {
    let sets = table.sizes.iter().zip(1..);
    let sets = sets.map(|(size, number)| annotated(set(&format!("rs-{number}"), *size, 0), FIRST, FIRST + 10));
    let mut sets: Vec<ReplicaSet> = sets.collect();
    for (set, created) in sets.iter_mut().zip(0..) {
        set.created = created;
    }
    let status = Status { replicas: table.sizes.iter().sum(), ..Status::default() };
    World { policy: table.policy, strategy: rolling(SURGE, SURGE), status, new: Some(2), ..world(FIRST, sets) }
}

/// A row as the document has it.
fn row(number: usize, time: usize, terminating: &str, cells: &[String], ratio: &str, world: &World) -> String {
    let sum: i64 = world.sets.iter().map(|set| set.replicas).sum();
    let mark = if deviates(number, time) { " †" } else { "" };
    let (cells, n, limit) = (cells.join(" | "), world.replicas, allowed_size(world));
    format!("| {number} | T{time}{mark} | {terminating} | {cells} | {sum} | {n} | {limit} | {ratio} |\n")
}

/// True for the row that deviates.
fn deviates(number: usize, time: usize) -> bool {
    number == DEVIATES.0 && format!("T{time}") == DEVIATES.1
}

fn rows(number: usize, table: &Table) -> String {
    let mut world = at_t1(table);
    let any = |terminating: i64| if table.policy == Policy::Nil { "any".into() } else { terminating.to_string() };
    let cells: Vec<String> = table.sizes.iter().map(ToString::to_string).collect();
    let mut text = row(number, 1, &any(table.terminating), &cells, "-", &world);
    for (index, (n, terminating)) in table.times.iter().enumerate() {
        world.replicas = *n;
        world.sets[0].terminating = Some(*terminating);
        let run = run(Operation::Scale, &world);
        let before = world.sets.clone();
        for (set, (size, annotations)) in world.sets.iter_mut().zip(run.outcome.unwrap().sets) {
            (set.replicas, set.status_replicas, set.available, set.annotations) = (size, size, size, annotations);
        }
        let about = |set: &ReplicaSet| {
            let named = |reason: &&Reason| matches!(reason.value("replicaSet"), Some(OperandValue::Text(name)) if **name == *set.name);
            run.reasons.iter().find(named)
        };
        let cell = |set: &ReplicaSet| {
            let partial = about(set).filter(|reason| reason.rule.id == "deployment.scale.partial");
            let full = partial.and_then(|reason| reason.value("full"));
            full.map_or_else(|| set.replicas.to_string(), |full| format!("{} (of {full})", set.replicas))
        };
        let written = |set: &ReplicaSet| {
            before.iter().all(|before| {
                (before.replicas, &before.annotations) != (set.replicas, &set.annotations) || before.name != set.name
            })
        };
        let ratio = |set: &ReplicaSet| about(set).filter(|_| written(set))?.value("ratio").map(ToString::to_string);
        let cells: Vec<String> = world.sets.iter().map(cell).collect();
        let ratios: Vec<String> = world.sets.iter().map(|set| ratio(set).unwrap_or_else(|| "-".into())).collect();
        let time = index + 2;
        text.push_str(&row(number, time, &any(*terminating), &cells, &ratios.join(", "), &world));
        let sizes: Vec<i64> = world.sets.iter().map(|set| set.replicas).collect();
        let printed = PRINTED[number - 1][index];
        assert_eq!(sizes.iter().sum::<i64>(), printed.iter().sum::<i64>(), "table {number}, T{time}");
        assert_eq!(sizes != printed, deviates(number, time), "table {number}, T{time}: {sizes:?}, {printed:?}");
    }
    text
}

#[test]
fn the_tables_are_those_of_the_core() {
    let mut expected = String::from(
        "\n| table | time | T | RS1 | RS2 | RS3 | sum | n | limit | ratios |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (index, table) in TABLES.iter().enumerate() {
        write!(expected, "{}", rows(index + 1, table)).unwrap();
    }
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kep-5882.md");
    let text = fs::read_to_string(document).unwrap();
    let (_, rest) = text.split_once("<!-- tables: begin -->").unwrap();
    let (tables, rest) = rest.split_once("<!-- tables: end -->").unwrap();
    assert_eq!(tables, expected, "{expected}");
    let (number, time, sizes) = DEVIATES;
    assert!(rest.contains(&format!("table {number}, {time}.")), "the row that deviates is named");
    assert!(rest.contains(&sizes.map(|size| size.to_string()).join("/")), "and what the KEP prints");
}
