//! The catalog of rules is complete: it lists every rule in `src/explain`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use changeover_core::explain;

/// The ids of all rules in the files of a folder.
fn ids_below(folder: &Path, ids: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            ids_below(&path, ids);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        // Rules in comments are examples.
        let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            if let Some((_, rest)) = line.split_once("id = \"") {
                ids.insert(rest.split('"').next().unwrap().into());
            }
        }
    }
}

#[test]
fn the_catalog_lists_every_rule() {
    let mut written = BTreeSet::new();
    ids_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explain"), &mut written);
    let listed: BTreeSet<String> = explain::all().map(|rule| rule.id.into()).collect();
    assert_eq!(listed, written);
}
