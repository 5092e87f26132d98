//! Why a command can't answer: wrong use, or input that can't be read.

use std::fmt;

use changeover_core::Problem;
use changeover_core::foreign_text::isolated;

/// What a command could not do, one line for each problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Vec<String>);

impl Failure {
    /// One problem: `path: problem: what would be right`.
    pub fn new(line: impl Into<String>) -> Self {
        Self(vec![line.into()])
    }

    /// Several problems.
    pub fn of_lines(lines: impl IntoIterator<Item = String>) -> Self {
        Self(lines.into_iter().collect())
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: &str) -> Self {
        Self(self.0.into_iter().map(|line| format!("{line} ({hint})")).collect())
    }

    /// Each problem of the core, located by `locate`.
    pub fn of_problem(problem: &Problem, locate: impl Fn(&Problem) -> String) -> Self {
        Self(core::iter::once(problem).chain(&problem.more).map(locate).collect())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{}", isolated(line)))
    }
}
