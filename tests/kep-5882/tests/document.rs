//! Checks `docs/kep-5882.md`: its tables match what the core computes, and each number in a question appears in the
//! cases that the question links, which are replayed against the core. Also checks the links in the notes on the other
//! KEPs.
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use changeover_core::explain::{OperandValue, Reason};
use changeover_kep_5882::controller::{Operation, run};
use changeover_kep_5882::second_reading::sample::{annotated, rolling, set, world};
use changeover_kep_5882::second_reading::scaling::allowed_size;
use changeover_kep_5882::world::{Policy, ReplicaSet, Status, World};
use serde_json::Value;

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

/// The numbers that the KEP prints, from T2 on.
const PRINTED: [&[[i64; 3]]; 3] = [
    &[[71, 35, 24], [76, 38, 26]],
    &[[59, 35, 21], [66, 35, 24], [71, 35, 24]],
    &[[59, 35, 21], [66, 38, 21], [72, 38, 25], [77, 38, 25]],
];

/// The only row that differs from the KEP's, by table and time.
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

/// A row in the document's format.
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
            let partial = about(set).filter(|reason| reason.rule.id.starts_with("deployment.scale.partial"));
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
fn the_tables_match_the_core() {
    let mut expected = String::from(
        "\n| table | time | T | RS1 | RS2 | RS3 | sum | n | limit | ratios |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (index, table) in TABLES.iter().enumerate() {
        write!(expected, "{}", rows(index + 1, table)).unwrap();
    }
    let text = document("kep-5882");
    let (_, rest) = text.split_once("<!-- tables: begin -->").unwrap();
    let (tables, rest) = rest.split_once("<!-- tables: end -->").unwrap();
    assert_eq!(tables, expected, "{expected}");
    let (number, time, sizes) = DEVIATES;
    assert!(rest.contains(&format!("table {number}, {time}.")), "the row that deviates is named");
    assert!(rest.contains(&sizes.map(|size| size.to_string()).join("/")), "and what the KEP prints");
}

/// The root of the repository, which the documents' links are relative to.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(format!("docs/{name}.md"))).unwrap()
}

/// The questions of `kep-5882.md`, without its appendix.
fn questions() -> String {
    document("kep-5882").split_once("\n# Appendix").unwrap().0.to_owned()
}

/// The number of words, not counting table and list markers.
fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

#[test]
fn the_documents_are_short() {
    assert!(words(&questions()) <= 1500, "{}", words(&questions()));
    for name in ["kep-2255", "kep-3939"] {
        assert!(words(&document(name)) < 600, "{name}: {}", words(&document(name)));
    }
}

/// A link of a document.
struct Link<'a> {
    label: &'a str,
    /// Whether the label is code.
    code: bool,
    target: &'a str,
}

impl Link<'_> {
    fn written(&self) -> String {
        let mark = if self.code { "`" } else { "" };
        format!("[{mark}{}{mark}]({})", self.label, self.target)
    }
}

fn links(text: &str) -> Vec<Link<'_>> {
    text.split("](")
        .zip(text.split("](").skip(1))
        .map(|(before, after)| {
            let target = after.split_once(')').unwrap().0;
            // A name in code may contain brackets: `a case [no policy]`.
            match before.strip_suffix('`') {
                Some(code) => Link { label: code.rsplit_once("[`").unwrap().1, code: true, target },
                None => Link { label: before.rsplit_once('[').unwrap().1, code: false, target },
            }
        })
        .collect()
}

/// The cases of a file.
fn cases(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    if file.ends_with(".jsonl") {
        return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    }
    serde_json::from_str(&text).unwrap()
}

/// The cases that a link names. One `*` in the name matches any characters.
fn linked(label: &str, file: &str) -> Vec<Value> {
    let (start, end) = label.split_once('*').unwrap_or((label, ""));
    let is_named = |case: &Value| {
        let rest = case["name"].as_str().unwrap().strip_prefix(start);
        rest.is_some_and(|rest| if label.contains('*') { rest.ends_with(end) } else { rest.is_empty() })
    };
    let found: Vec<Value> = cases(file).into_iter().filter(is_named).collect();
    assert!(!found.is_empty(), "{file} has no case {label:?}");
    found
}

/// The cases that a text links: their names in code, with a link to their file.
fn linked_cases(text: &str) -> Vec<Value> {
    let of_link = |link: Link| {
        let file = link.target.strip_prefix('/').filter(|file| file.starts_with("tests/conformance/cases/"))?;
        let is_file = [".json", ".jsonl"].iter().any(|end| file.ends_with(end));
        (is_file && link.code && !file.ends_with(link.label)).then(|| linked(link.label, file))
    };
    links(text).into_iter().filter_map(of_link).flatten().collect()
}

#[test]
fn links_have_targets() {
    for name in ["kep-5882", "kep-2255", "kep-3939"] {
        let text = document(name);
        let headings: BTreeSet<String> = text.lines().filter_map(|line| line.strip_prefix('#')).map(anchor).collect();
        for link in links(&text) {
            let leads_somewhere = match link.target.split_at_checked(1) {
                Some(("/", path)) => root().join(path).exists(),
                Some(("#", heading)) => headings.contains(heading),
                _ => link.target.starts_with("https://"),
            };
            assert!(leads_somewhere, "{name}: {}", link.written());
        }
        assert!(!linked_cases(&text).is_empty(), "{name} links no case");
    }
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars().filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign)).collect::<String>().replace(' ', "-")
}

/// Keys that every case has and that contain no figures.
const LABELS: [&str; 9] =
    ["name", "note", "source", "now", "uid", "generation", "observedGeneration", "creationTimestamp", "version"];

/// The numbers in a case's input and expected values.
fn numbers(value: &Value, found: &mut BTreeSet<u64>) {
    match value {
        Value::Number(number) => found.extend(number.as_u64()),
        Value::String(text) => found.extend(digits(text)),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        Value::Object(fields) => {
            fields
                .iter()
                .filter(|(key, _)| !LABELS.contains(&key.as_str()))
                .for_each(|(_, field)| numbers(field, found));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn digits(text: &str) -> impl Iterator<Item = u64> {
    text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// The sizes of ReplicaSets, without those of size 0.
type Sizes = Vec<u64>;

fn sizes_of<'a>(sizes: impl Iterator<Item = &'a Value>) -> Sizes {
    let mut sizes: Sizes = sizes.filter_map(Value::as_u64).filter(|size| *size > 0).collect();
    sizes.sort_unstable();
    sizes
}

/// The sizes before and after the scaling of a case.
fn sizes_in(case: &Value) -> [Sizes; 2] {
    let input = &case["input"];
    let before = input["oldReplicaSets"].as_array().into_iter().flatten().chain([&input["newReplicaSet"]]);
    let after = case["expected"]["replicaSets"].as_object().into_iter().flat_map(serde_json::Map::values);
    [sizes_of(before.map(|set| &set["spec"]["replicas"])), sizes_of(after.map(|set| &set["replicas"]))]
}

/// The sizes that a text mentions, such as 8/5.
fn sizes_given(text: &str) -> Vec<Sizes> {
    let is_end = |sign: char| !sign.is_ascii_digit() && sign != '/';
    let given = text.split(is_end).filter(|word| word.contains('/')).map(|word| {
        let mut sizes: Sizes = digits(word).collect();
        sizes.sort_unstable();
        sizes
    });
    given.filter(|sizes| sizes.len() > 1).collect()
}

/// The rows of the tables that the core computes, and the row that the KEP prints instead.
fn sizes_of_tables(tables: &str) -> Vec<Sizes> {
    let row = |line: &str| line.split(" | ").skip(3).take(3).filter_map(|cell| digits(cell).next()).collect();
    let mut all: Vec<Sizes> = tables.lines().map(row).collect();
    all.push(DEVIATES.2.map(|size| u64::try_from(size).unwrap()).into());
    all.iter_mut().for_each(|sizes| sizes.sort_unstable());
    all
}

/// Terms that contain a digit but are not figures.
const NAMED: &[&str] = &[
    "1.36.3",
    "1.37.2",
    "1.36",
    "1.37",
    "2024-08-01",
    "e2e",
    "T1",
    "T2",
    "T3",
    "RS1",
    "RS2",
    "RS3",
    "Table 2",
    "table 2",
    "table 3",
];

/// A text without links, versions, dates and names.
fn prose(linked: &str) -> String {
    let mut text = linked.to_owned();
    for link in links(linked) {
        text = text.replace(&link.written(), "");
    }
    for named in NAMED {
        text = text.replace(named, "");
    }
    let figures = text.split_whitespace().filter(|word| !word.starts_with('#') && !word.starts_with("KEP-"));
    figures.collect::<Vec<_>>().join(" ")
}

/// The numbers in a question that are one calculation away from those of its cases.
fn derived(number: u32) -> BTreeMap<u64, &'static str> {
    let steps: &[(u64, &str)] = match number {
        1 => &[(13, "8 + 5"), (2, "8 - 6")],
        3 => &[(606, "666 - 60")],
        4 => &[(0, "the exit status of a command that succeeds")],
        6 => &[(66, "printed by the KEP"), (21, "printed by the KEP")],
        _ => &[],
    };
    steps.iter().copied().collect()
}

#[test]
fn the_numbers_of_a_question_are_in_its_cases() {
    let text = questions();
    let tables = document("kep-5882").split_once("<!-- tables: begin -->").unwrap().1.to_owned();
    let tables = tables.split_once("<!-- tables: end -->").unwrap().0;
    let questions: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert!((5..=9).contains(&questions.len()));
    for (number, question) in (1..).zip(questions) {
        let body = question.strip_prefix(&format!("{number}. ")).unwrap();
        for part in ["**Example.** ", "**What happens.** ", "**The KEP could say"] {
            assert!(body.contains(part), "question {number}: {part}");
        }
        let mut known = BTreeSet::new();
        let cases = linked_cases(body);
        cases.iter().for_each(|case| numbers(case, &mut known));
        known.extend(derived(number).into_keys());
        let mut sizes: Vec<Sizes> = cases.iter().flat_map(sizes_in).collect();
        if number == 6 {
            // The rows that the core computes, in the appendix.
            known.extend(digits(tables));
            sizes.extend(sizes_of_tables(tables));
        }
        let text = body.split_once("\nCase").map_or(body, |(text, _)| text);
        let links_only = body.strip_prefix(text).unwrap_or_default();
        assert!(!links(links_only).is_empty(), "question {number} names no case");
        for digits in digits(&prose(text)) {
            assert!(known.contains(&digits), "question {number}: {digits} is in none of its cases");
        }
        for given in sizes_given(&prose(text)) {
            assert!(sizes.contains(&given), "question {number}: no case has the sizes {given:?}");
        }
    }
}

#[test]
fn the_annotation_keeps_the_proportions() {
    let text = questions();
    let (_, question) = text.split_once("\n## 9. ").unwrap();
    let file = "tests/conformance/cases/kep-5882/questions.json";
    let sizes = |what: &str, terminating: &str| {
        let cases = linked(&format!("annotation {what}: {terminating} terminating"), file);
        let [case] = &cases[..] else { panic!("{what}, {terminating}: {} cases", cases.len()) };
        let of = |name: &str| case["expected"]["replicaSets"][name]["replicas"].clone();
        format!("{}/{}", of("shop-red"), of("shop-blue"))
    };
    let rows: Vec<&str> = question.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let terminating = row.split(' ').nth(1).unwrap();
        let expected = format!("| {terminating} | {} | {} |", sizes("kept", terminating), sizes("lost", terminating));
        assert_eq!(row, expected);
    }
}

/// The rows, items and paragraphs of a text.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in text.lines() {
        let item = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        if line.is_empty() || ["| ", "- ", "#", ". "].iter().any(|start| item.starts_with(start)) {
            blocks.push(String::new());
        }
        let block = blocks.last_mut().unwrap();
        block.push_str(item.strip_prefix(". ").unwrap_or(line));
        block.push('\n');
    }
    blocks
}

#[test]
fn the_numbers_of_a_settlement_are_in_its_linked_cases() {
    let text = document("kep-5882");
    let settled = text.split_once("\n## Counting").unwrap().1;
    for block in blocks(settled) {
        let mut known = BTreeSet::from([0, 1]);
        let cases = linked_cases(&block);
        cases.iter().for_each(|case| numbers(case, &mut known));
        let sizes: Vec<Sizes> = cases.iter().flat_map(sizes_in).collect();
        // The node is lost at 60 s; its pods become unready at 110 s and terminate at 410 s.
        if block.contains("lost node's pods are replaced") {
            known.extend([110 - 60, 410 - 110]);
        }
        let mut text = prose(&block);
        for question in 1..=9 {
            text = text.replace(&format!("uestion {question}"), "");
        }
        for digits in digits(&text) {
            assert!(known.contains(&digits), "{digits} is in no linked case: {block}");
        }
        for given in sizes_given(&text) {
            assert!(sizes.contains(&given), "no linked case has the sizes {given:?}: {block}");
        }
    }
}
