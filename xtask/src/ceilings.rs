//! The ceilings of what users download, as a table in the documentation.

use std::fs;

use anyhow::{Context, Result};

use crate::size::Budget;
use crate::workspace::Workspace;
use crate::{package, page, policy};

const PAGE: &str = "BENCHMARKS.md";

/// The first line of the table. An empty line follows its last one.
const HEAD: &str = "| what users download | ceiling | goal |\n";

/// What users download, its limits, and the goal.
const ROWS: [(&str, Budget, &str); 9] = [
    (
        "the page, first visit: the module of the stories, its script and the largest recording",
        page::STORIES_BUDGET,
        "365,000 with Brotli",
    ),
    ("the page: the player and its script", page::PLAYER_BUDGET, "none"),
    ("the page: the sandbox's module and its script", page::SANDBOX_BUDGET, "none"),
    ("the page: the workbench and its script, for your own manifests", page::WORKBENCH_BUDGET, "none"),
    ("the page: the manifest editor", page::EDITOR_BUDGET, "none"),
    ("the package's module", package::BUDGET, "1,300,000 raw"),
    ("the module of the package's command", package::COMMAND_BUDGET, "none"),
    ("the policy", policy::BUDGET, "320,000 raw, 115,000 with Brotli"),
    ("the policy without the simulation", policy::SMALL_BUDGET, "none"),
];

/// Puts the limits that the build checks into the documentation.
///
/// # Errors
/// If the page has no table, or can't be written.
pub fn write(workspace: &Workspace) -> Result<()> {
    let path = workspace.root.join(PAGE);
    let text = fs::read_to_string(&path).context(PAGE)?;
    Ok(fs::write(path, with_table(&text)?)?)
}

fn with_table(text: &str) -> Result<String> {
    let (before, rest) = text.split_once(HEAD).context("the table of ceilings is missing")?;
    let (_, after) = rest.split_once("\n\n").context("no empty line follows the table of ceilings")?;
    let rows: String = ROWS.iter().map(row).collect();
    Ok(format!("{before}{HEAD}|---|---|---|\n{rows}\n{after}"))
}

fn row((what, budget, goal): &(&str, Budget, &str)) -> String {
    let limits = [(budget.raw, "raw"), (budget.brotli, "with Brotli")];
    let limits = limits.into_iter().filter_map(|(limit, how)| Some(format!("{} {how}", in_groups(limit?))));
    format!("| {what} | {} | {goal} |\n", limits.collect::<Vec<_>>().join(", "))
}

/// A number with a comma before each group of three digits.
fn in_groups(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or_default());
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_ceilings_that_the_build_checks() {
        let text = fs::read_to_string(Workspace::find().unwrap().root.join(PAGE)).unwrap();
        assert!(with_table(&text).unwrap() == text, "{PAGE} has other ceilings: run `make bless`");
    }

    #[test]
    fn a_row_has_each_limit_in_groups_of_three_digits() {
        let budget = Budget { raw: Some(1_234_567), brotli: Some(89_000) };
        assert_eq!(row(&("a", budget, "none")), "| a | 1,234,567 raw, 89,000 with Brotli | none |\n");
        assert_eq!(in_groups(999), "999");
    }
}
