//! All of the project's own cases pass.

use std::path::Path;

use changeover_conformance::{Selection, load, replay};

#[test]
fn every_case_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let report = replay(&load(&[folder]).unwrap(), &Selection::default());
    assert!(report.passed() > 0 && report.failed() == 0 && report.skipped() == 0, "{report}");
}
