//! Generates the cases for the KEPs' tables, rules and examples, and checks that the files in `cases` match.
//!
//! `UPDATE_CASES=1 cargo test -p changeover-conformance --test kep_cases` updates the files.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what makes the cases is a test: a mistake in it fails it"
)]

mod kep_2255;
mod kep_3939;
mod kep_5882;
mod objects;

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The files of all KEPs.
fn files() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("kep-5882/tables.json", kep_5882::tables::cases()),
        ("kep-5882/scaling.json", kep_5882::scaling::cases()),
        ("kep-5882/edge-cases.json", kep_5882::edge_cases::cases()),
        ("kep-5882/interrupted.json", kep_5882::interrupted::cases()),
        ("kep-5882/settled-questions.json", kep_5882::settled_questions::cases()),
        ("kep-5882/rollout.json", kep_5882::rollout::cases()),
        ("kep-5882/progress.json", kep_5882::progress::cases()),
        ("kep-5882/stories.json", kep_5882::stories::cases()),
        ("kep-5882/complete-rollouts.json", kep_5882::complete_rollouts::cases()),
        ("kep-5882/lost-node.json", kep_5882::lost_node::cases()),
        ("kep-5882/gates.json", kep_5882::gates::cases()),
        ("kep-5882/kubectl.json", kep_5882::kubectl::cases()),
        ("kep-5882/skew.json", kep_5882::skew::cases()),
        ("kep-5882/pull-requests.json", kep_5882::pull_requests::cases()),
        ("kep-5882/releases.json", kep_5882::releases::cases()),
        ("kep-5882/questions.json", kep_5882::questions::cases()),
        ("kep-3939/replacement.json", kep_3939::replacement::cases()),
        ("kep-3939/end.json", kep_3939::end::cases()),
        ("kep-3939/gate.json", kep_3939::gate::cases()),
        ("kep-3939/api.json", kep_3939::api::cases()),
        ("kep-3939/disruptions.json", kep_3939::disruptions::cases()),
        ("kep-2255/cost.json", kep_2255::cost::cases()),
        ("kep-2255/order.json", kep_2255::order::cases()),
        ("kep-2255/admission.json", kep_2255::admission::cases()),
    ]
}

/// An array with one case per line.
fn text(cases: &[Value]) -> String {
    let lines: Vec<String> = cases.iter().map(ToString::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn the_files_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for (name, cases) in files() {
        let path = folder.join(name);
        let text = text(&cases);
        if std::env::var_os("UPDATE_CASES").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == text, "cases/{name} is out of date: update it with UPDATE_CASES=1");
    }
}

#[test]
fn names_are_unique() {
    let files = files();
    let mut names: Vec<&str> =
        files.iter().flat_map(|(_, cases)| cases).map(|case| case["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
