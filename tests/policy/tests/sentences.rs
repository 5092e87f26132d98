//! `docs/policy-sentences.tsv`: each sentence that says what the policy does has a proof, each proof is there, and each
//! case proves a sentence.

use std::fs;

use changeover_tests_policy::root;

use crate::cases::cases;

/// Section, sentence, and its proofs: names of cases, where `*` stands for any characters, and tests as `FILE::NAME`.
fn rows() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/policy-sentences.tsv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("section\tsentence\tproof"));
    let row = |line: &str| {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("not three cells: {cells:?}"))
    };
    lines.map(row).collect()
}

fn proofs(row: &[String; 3]) -> impl Iterator<Item = &str> {
    row[2].split(" | ").map(str::trim).filter(|proof| !proof.is_empty())
}

fn names() -> Vec<String> {
    let all = ["policy.validate", "policy.validateSettings"].map(cases).concat();
    all.iter().map(|case| case["name"].as_str().unwrap().to_owned()).collect()
}

fn is_named(case: &str, proof: &str) -> bool {
    let Some((start, end)) = proof.split_once('*') else { return case == proof };
    case.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
}

fn is_test(proof: &str) -> bool {
    let Some((file, name)) = proof.split_once("::") else { return false };
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    text.contains(&format!("fn {name}(")) || text.contains(&format!("test('{name}'"))
}

#[test]
fn every_sentence_has_a_proof() {
    let rows = rows();
    assert!(rows.len() > 60);
    let without: Vec<&String> = rows.iter().filter(|row| proofs(row).next().is_none()).map(|row| &row[1]).collect();
    assert!(without.is_empty(), "sentences without a proof: {without:#?}");
}

#[test]
fn every_proof_is_there() {
    let names = names();
    let rows = rows();
    let unknown: Vec<&str> = rows
        .iter()
        .flat_map(proofs)
        .filter(|proof| !is_test(proof) && !names.iter().any(|case| is_named(case, proof)))
        .collect();
    assert!(unknown.is_empty(), "no such cases or tests: {unknown:#?}");
}

#[test]
fn every_case_proves_a_sentence() {
    let rows = rows();
    let proofs: Vec<&str> = rows.iter().flat_map(proofs).collect();
    let idle: Vec<String> =
        names().into_iter().filter(|case| !proofs.iter().any(|proof| is_named(case, proof))).collect();
    assert!(idle.is_empty(), "cases without a sentence: {idle:#?}");
}
