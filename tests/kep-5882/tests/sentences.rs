//! `docs/kep-5882-sentences.tsv`: each sentence that says what happens has a case, and each case that is named is there.
//!
//! What no case can show has `test NAME`, a function beside this one. A sentence of the KEP that is about nothing that the
//! controllers decide has `none: ` and why.
#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Source, sentence, and the cases' names; one may end in `*`.
fn rows() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/kep-5882-sentences.tsv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("source\tsentence\tcases"));
    let row = |line: &str| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("not three cells: {cells:?}"))
    };
    lines.map(row).collect()
}

const NONE: &str = "none: ";
const TEST: &str = "test ";

/// What stands beside a sentence that has cases.
fn named(cases: &str) -> impl Iterator<Item = &str> {
    let cases = if cases.starts_with(NONE) { "" } else { cases };
    cases.split(" | ").map(str::trim).filter(|name| !name.is_empty())
}

fn names_of(cases: &str) -> impl Iterator<Item = &str> {
    named(cases).filter(|name| !name.starts_with(TEST))
}

fn tests_of(cases: &str) -> impl Iterator<Item = &str> {
    named(cases).filter_map(|name| name.strip_prefix(TEST))
}

/// Why a sentence has none.
fn why_none(cases: &str) -> Option<&str> {
    cases.strip_prefix(NONE).filter(|why| why.contains(' '))
}

/// The names of all cases of the KEP.
fn cases() -> BTreeSet<String> {
    let folder = fs::read_dir(root().join("tests/conformance/cases/kep-5882")).unwrap();
    let files = folder.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let cases = files.flat_map(|text| serde_json::from_str::<Vec<Value>>(&text).unwrap());
    cases.map(|case| case["name"].as_str().unwrap().to_owned()).collect()
}

fn is_named(case: &str, name: &str) -> bool {
    name.strip_suffix('*').map_or(case == name, |start| case.starts_with(start))
}

#[test]
fn every_sentence_has_a_case() {
    let rows = rows();
    let without: Vec<&str> = rows
        .iter()
        .filter(|[_, _, cases]| named(cases).next().is_none() && why_none(cases).is_none())
        .map(|[_, sentence, _]| &**sentence)
        .collect();
    assert!(without.is_empty(), "sentences without a case: {without:#?}");
    let idle = rows.iter().filter(|[_, _, cases]| why_none(cases).is_some()).count();
    assert!(idle * 10 < rows.len(), "{idle} sentences without a case: they should be the few that decide nothing");
    let settled = rows.iter().filter(|[source, ..]| source == "settled").count();
    let of_the_kep = rows.iter().filter(|[source, ..]| source.starts_with("KEP-5882, ")).count();
    assert_eq!(settled + of_the_kep, rows.len(), "a source is settled or a section of the KEP");
}

#[test]
fn every_case_that_is_named_is_there() {
    let known = cases();
    let rows = rows();
    let named = rows.iter().flat_map(|[_, _, cases]| names_of(cases));
    let unknown: Vec<&str> = named.filter(|name| !known.iter().any(|case| is_named(case, name))).collect();
    assert!(unknown.is_empty(), "no such cases: {unknown:#?}");
}

#[test]
fn every_test_that_is_named_is_there() {
    let folder = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")).unwrap();
    let texts: String = folder.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let rows = rows();
    let named = rows.iter().flat_map(|[_, _, cases]| tests_of(cases));
    let unknown: Vec<&str> = named.filter(|name| !texts.contains(&format!("fn {name}("))).collect();
    assert!(unknown.is_empty(), "no such tests: {unknown:#?}");
}

#[test]
fn no_sentence_stands_twice() {
    let mut seen = BTreeSet::new();
    for [source, sentence, _] in rows() {
        assert!(seen.insert((source.clone(), sentence.clone())), "twice: {source}, {sentence}");
    }
}

#[test]
fn every_case_of_the_kep_stands_beside_a_sentence() {
    let rows = rows();
    let named: Vec<&str> = rows.iter().flat_map(|[_, _, cases]| names_of(cases)).collect();
    let is_part =
        |case: &str| case.strip_suffix(": size").is_some_and(|case| named.iter().any(|name| is_named(case, name)));
    let idle: Vec<String> =
        cases().into_iter().filter(|case| !is_part(case) && !named.iter().any(|name| is_named(case, name))).collect();
    assert!(idle.is_empty(), "cases without a sentence: {idle:#?}");
}
