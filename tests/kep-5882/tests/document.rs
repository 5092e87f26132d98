//! The tables of `docs/kep-5882.md` are what the core computes.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use changeover_core::explain::{OperandValue, Reason};
use changeover_kep_5882::asked::{Question, ask};
use changeover_kep_5882::reference;
use changeover_kep_5882::world::{Amount, Left, Notes, Policy, Set, Strategy, World};

const SURGE: i32 = 10;
/// 100 pods are wanted at the start of each table.
const FIRST: i32 = 100;

/// A table: the policy, the sizes at T1, the terminating pods then, and what is wanted and terminates at each later time.
struct Table {
    policy: Policy,
    sizes: [i32; 3],
    terminating: i32,
    times: &'static [(i32, i32)],
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
const PRINTED: [&[[i32; 3]]; 3] = [
    &[[71, 35, 24], [76, 38, 26]],
    &[[59, 35, 21], [66, 35, 24], [71, 35, 24]],
    &[[59, 35, 21], [66, 38, 21], [72, 38, 25], [77, 38, 25]],
];

/// The only row that is not what the KEP prints, by table and time.
const DEVIATES: (usize, &str, [i32; 3]) = (3, "T3", [66, 38, 21]);

fn world(table: &Table) -> World {
    let set = |index: usize| Set {
        name: format!("rs-{}", index + 1),
        created: i64::try_from(index).unwrap(),
        spec: table.sizes[index],
        stat: table.sizes[index],
        term: Some(0),
        available: table.sizes[index],
        observed: 1,
        running: 0,
        notes: Notes { desired: Some(FIRST.to_string()), max: Some((FIRST + SURGE).to_string()), before: None },
    };
    World {
        n: FIRST,
        strategy: Strategy::RollingUpdate { surge: Amount::Pods(SURGE), unavailable: Amount::Pods(SURGE) },
        policy: table.policy,
        terminating_gate: true,
        policy_gate: true,
        paused: false,
        status_replicas: table.sizes.iter().sum(),
        sets: (0..3).map(set).collect(),
        new: Some(2),
    }
}

/// A row as the document has it.
fn row(number: usize, time: usize, terminating: &str, cells: &[String], ratio: &str, world: &World) -> String {
    let sum: i32 = world.sets.iter().map(|set| set.spec).sum();
    let mark = if is_that(number, time) { " †" } else { "" };
    let (cells, n, limit) = (cells.join(" | "), world.n, reference::limit(world));
    format!("| {number} | T{time}{mark} | {terminating} | {cells} | {sum} | {n} | {limit} | {ratio} |\n")
}

/// Whether it is the row that deviates.
fn is_that(number: usize, time: usize) -> bool {
    number == DEVIATES.0 && format!("T{time}") == DEVIATES.1
}

fn rows(number: usize, table: &Table) -> String {
    let mut world = world(table);
    let any = |terminating: i32| if table.policy == Policy::Nil { "any".into() } else { terminating.to_string() };
    let cells: Vec<String> = table.sizes.iter().map(ToString::to_string).collect();
    let mut text = row(number, 1, &any(table.terminating), &cells, "-", &world);
    for (index, (n, terminating)) in table.times.iter().enumerate() {
        world.n = *n;
        world.sets[0].term = Some(*terminating);
        let answer = ask(Question::Scale, &world);
        let Left::Sets(sets) = answer.left else { panic!("{world}") };
        let before = world.sets.clone();
        for (set, (size, notes)) in world.sets.iter_mut().zip(sets) {
            (set.spec, set.stat, set.available, set.notes) = (size, size, size, notes);
        }
        let about = |set: &Set| {
            let named = |reason: &&Reason| matches!(reason.value("replicaSet"), Some(OperandValue::Text(name)) if **name == *set.name);
            answer.reasons.iter().find(named)
        };
        let cell = |set: &Set| {
            let partial = about(set).filter(|reason| reason.rule.id == "deployment.scale.partial");
            let full = partial.and_then(|reason| reason.value("full"));
            full.map_or_else(|| set.spec.to_string(), |full| format!("{} (of {full})", set.spec))
        };
        let written = |set: &Set| {
            before
                .iter()
                .all(|before| (before.spec, &before.notes) != (set.spec, &set.notes) || before.name != set.name)
        };
        let ratio = |set: &Set| about(set).filter(|_| written(set))?.value("ratio").map(ToString::to_string);
        let cells: Vec<String> = world.sets.iter().map(cell).collect();
        let ratios: Vec<String> = world.sets.iter().map(|set| ratio(set).unwrap_or_else(|| "-".into())).collect();
        let time = index + 2;
        text.push_str(&row(number, time, &any(*terminating), &cells, &ratios.join(", "), &world));
        let sizes: Vec<i32> = world.sets.iter().map(|set| set.spec).collect();
        let printed = PRINTED[number - 1][index];
        assert_eq!(sizes.iter().sum::<i32>(), printed.iter().sum::<i32>(), "table {number}, T{time}");
        assert_eq!(sizes != printed, is_that(number, time), "table {number}, T{time}: {sizes:?}, {printed:?}");
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
