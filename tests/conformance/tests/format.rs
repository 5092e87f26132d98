//! `FORMAT.md` lists the existing operations.

use std::collections::BTreeSet;

use changeover_conformance::ops;

#[test]
fn the_format_lists_every_operation() {
    let format = include_str!("../FORMAT.md");
    let first_cells =
        format.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split(" | ").next());
    let listed: BTreeSet<&str> =
        first_cells.flat_map(|cell| cell.split(['`', ',', ' '])).filter(|name| name.contains('.')).collect();
    assert_eq!(listed, ops::names().collect());
}
