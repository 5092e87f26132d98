//! `docs/*-sentences.tsv`: every sentence about the KEPs and about the policy has a proof, and every proof has passed.
//!
//! A proof is the name of a conformance case, in which one `*` matches any characters, or a test, `FILE::NAME`. For
//! Rust, FILE is the root of the test's crate and NAME is the name that `cargo test` prints; for JavaScript, they are
//! the test's file and title. A sentence that nothing can prove has `none: ` and the reason.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::passed_tests::{self, Tests};
use crate::run;
use crate::workspace::Workspace;

/// A list of sentences.
struct List {
    file: &'static str,
    /// The folder of the cases that prove them. Each case proves at least one.
    cases: &'static str,
    /// The prefixes of the sentences' sources.
    sources: &'static [&'static str],
}

const LISTS: [List; 3] = [
    List {
        file: "docs/kep-5882-sentences.tsv",
        cases: "tests/conformance/cases/kep-5882",
        sources: &["KEP-5882, ", "settled"],
    },
    List { file: "docs/kep-3939-sentences.tsv", cases: "tests/conformance/cases/kep-3939", sources: &["KEP-3939, "] },
    List { file: "docs/policy-sentences.tsv", cases: "tests/conformance/cases/policy", sources: &[""] },
];

const HEAD: &str = "source\tsentence\tproof";

/// Checks all lists against the tests that passed in the last run of `make test`, and prints which sentences those tests did
/// not prove that lack a program.
///
/// # Errors
/// If a sentence has no proof, a proof did not pass, or a case proves nothing.
pub fn check(workspace: &Workspace) -> Result<()> {
    let tests = passed_tests::read(workspace);
    let mut found = Vec::new();
    for list in &LISTS {
        let text = fs::read_to_string(workspace.root.join(list.file)).with_context(|| list.file)?;
        let problems = problems(&text, list.sources, &passed_cases(workspace, list.cases)?, &tests);
        found.extend(problems.into_iter().map(|problem| format!("{}: {problem}", list.file)));
        unproved(&text, &tests).iter().for_each(|note| println!("{}: {note}", list.file));
    }
    if !found.is_empty() {
        bail!("{}", found.join("\n"));
    }
    Ok(())
}

/// The names of the passing cases.
fn passed_cases(workspace: &Workspace, folder: &str) -> Result<BTreeSet<String>> {
    let mut runner = run::program(workspace, "run", "changeover-conformance");
    runner.args(["--quiet", "--", "--passed", folder]);
    Ok(run::output(runner)?.lines().map(str::to_owned).collect())
}

/// A sentence and its proof.
struct Row<'a> {
    source: &'a str,
    sentence: &'a str,
    proof: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut cells = line.split('\t');
        let row = Self { source: cells.next()?, sentence: cells.next()?, proof: cells.next()? };
        cells.next().is_none().then_some(row)
    }

    /// The reason why there is no proof.
    fn why_none(&self) -> Option<&'a str> {
        self.proof.strip_prefix("none: ").filter(|why| why.contains(' '))
    }

    fn proofs(&self) -> impl Iterator<Item = &'a str> {
        let proofs = if self.why_none().is_some() { "" } else { self.proof };
        proofs.split(" | ").map(str::trim).filter(|proof| !proof.is_empty())
    }
}

/// The proofs that need a program which is not installed.
fn unproved(text: &str, tests: &Tests) -> Vec<String> {
    let rows = text.lines().filter_map(Row::read);
    let of_row = |row: Row<'_>| {
        let lacking = row.proofs().filter_map(|proof| Some((proof, tests.untested.get(proof)?)));
        let note = |(proof, program)| format!("not proved here: no {program} for {proof:?}: {}", row.sentence);
        lacking.map(note).collect::<Vec<_>>()
    };
    rows.flat_map(of_row).collect()
}

/// The problems of a list.
fn problems(text: &str, sources: &[&str], cases: &BTreeSet<String>, tests: &Tests) -> Vec<String> {
    let Some(lines) = text.strip_prefix(HEAD) else { return vec![format!("the first line must be {HEAD:?}")] };
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    for line in lines.lines().skip(1) {
        match Row::read(line) {
            Some(row) => rows.push(row),
            None => problems.push(format!("not three cells: {line:?}")),
        }
    }
    let mut seen = BTreeSet::new();
    for row in &rows {
        let Row { source, sentence, .. } = row;
        if !seen.insert((source, sentence)) {
            problems.push(format!("twice: {sentence}"));
        }
        if !sources.iter().any(|start| source.starts_with(start)) {
            problems.push(format!("the source {source:?} must begin with one of {sources:?}: {sentence}"));
        }
        if row.proofs().next().is_none() && row.why_none().is_none() {
            problems.push(format!("no proof: {sentence}"));
        }
        let has_run = |proof: &str| tests.passed.contains(proof) || tests.untested.contains_key(proof);
        let missing = row.proofs().filter(|proof| !has_run(proof) && !cases.iter().any(|case| is_named(case, proof)));
        problems.extend(missing.map(|proof| format!("{proof:?} did not pass: {sentence}")));
    }
    let idle = rows.iter().filter(|row| row.why_none().is_some()).count();
    if idle.saturating_mul(10) >= rows.len() {
        problems.push(format!("{idle} of {} sentences have no proof: it should be less than a tenth", rows.len()));
    }
    let proves = |case: &str| rows.iter().flat_map(Row::proofs).any(|proof| is_named(case, proof));
    // A case for the size after a step belongs to the case of the step.
    let proves_in_part = |case: &str| proves(case.strip_suffix(": size").unwrap_or(case));
    let idle = cases.iter().filter(|case| !proves(case) && !proves_in_part(case));
    problems.extend(idle.map(|case| format!("the case {case:?} proves no sentence")));
    problems
}

fn is_named(case: &str, proof: &str) -> bool {
    let Some((start, end)) = proof.split_once('*') else { return case == proof };
    case.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn tests() -> Tests {
        let untested = [("b.rs::in_a_host".to_owned(), "kwctl".to_owned())].into();
        Tests { passed: set(&["a.rs::tests::works"]), untested }
    }

    /// The problems of a list in which one of eleven sentences has this proof.
    fn with(proof: &str) -> Vec<String> {
        let proved: String = (0..10).map(|number| format!("S\tsentence {number}\ta case\n")).collect();
        let text = format!("{HEAD}\n{proved}S\tthe sentence\t{proof}\n");
        problems(&text, &["S"], &set(&["a case", "a case: size"]), &tests())
    }

    #[test]
    fn a_proof_is_a_case_or_a_test_that_passed() {
        for proof in ["a case", "a *", "*case", "a.rs::tests::works", "a case | a.rs::tests::works", "none: since so"] {
            assert_eq!(with(proof), [""; 0], "{proof}");
        }
        for proof in ["b case", "*b", "a.rs::works", "b.rs::tests::works", "a.rs::tests::work", "a case | no case"] {
            let problems = with(proof);
            assert!(
                problems.len() == 1 && problems.iter().all(|problem| problem.contains("did not pass")),
                "{problems:?}"
            );
        }
        assert_eq!(with(""), ["no proof: the sentence"]);
    }

    #[test]
    fn a_test_that_lacks_a_program_is_named() {
        assert_eq!(with("a case | b.rs::in_a_host"), [""; 0]);
        let text = format!("{HEAD}\nS\ta\ta case\nS\tb\ta case | b.rs::in_a_host\n");
        assert_eq!(unproved(&text, &tests()), ["not proved here: no kwctl for \"b.rs::in_a_host\": b"]);
    }

    #[test]
    fn every_case_proves_a_sentence() {
        let problems = problems(&format!("{HEAD}\nS\ta\tx | y\n"), &["S"], &set(&["x", "y", "z"]), &Tests::default());
        assert_eq!(problems, ["the case \"z\" proves no sentence"]);
    }

    #[test]
    fn a_list_is_well_formed() {
        let problems = problems(
            &format!("{HEAD}\nS\ta\tx\nS\ta\tx\nT\tb\tx\nS\tc\nS\td\tnone: so it is\n"),
            &["S"],
            &set(&["x"]),
            &Tests::default(),
        );
        assert_eq!(
            problems,
            [
                "not three cells: \"S\\tc\"",
                "twice: a",
                "the source \"T\" must begin with one of [\"S\"]: b",
                "1 of 4 sentences have no proof: it should be less than a tenth",
            ]
        );
    }
}
