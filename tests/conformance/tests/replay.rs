//! All of the project's own cases pass.

use std::collections::BTreeSet;
use std::path::Path;

use changeover_conformance::{Selection, load, replay};

#[test]
fn every_case_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let report = replay(&load(&[folder]).unwrap(), &Selection::default());
    assert!(report.passed() > 0 && report.failed() == 0 && report.skipped() == 0, "{report}");
}

/// The lists of sentences name cases as proofs.
#[test]
fn each_name_in_the_folders_of_the_keps_is_that_of_one_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let folders = ["kep-2255", "kep-3939", "kep-5882"].map(|folder| cases.join(folder));
    let report = replay(&load(&folders).unwrap(), &Selection::default());
    let mut names = BTreeSet::new();
    let again: Vec<&str> = report.passed_names().filter(|name| !names.insert(*name)).collect();
    assert!(again.is_empty(), "{again:?}");
}
