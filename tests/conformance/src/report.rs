use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use crate::compare::Difference;

/// The results of all selected cases.
pub struct Report {
    pub(crate) results: Vec<Result>,
}

pub(crate) struct Result {
    pub file: PathBuf,
    pub name: String,
    pub op: String,
    pub verdict: Verdict,
}

pub(crate) enum Verdict {
    Passed,
    Failed(Failure),
    /// The runner does not know the operation.
    Skipped,
}

pub(crate) enum Failure {
    /// The result differs from the expected one.
    Different(Difference),
    /// The case could not be read or run.
    Broken(String),
}

#[derive(Default, Clone, Copy)]
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Count {
    fn add(&mut self, verdict: &Verdict) {
        let count = match verdict {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed(_) => &mut self.failed,
            Verdict::Skipped => &mut self.skipped,
        };
        *count = count.saturating_add(1);
    }
}

impl Report {
    /// The names of the cases that passed.
    pub fn passed_names(&self) -> impl Iterator<Item = &str> {
        let passed = self.results.iter().filter(|result| matches!(result.verdict, Verdict::Passed));
        passed.map(|result| result.name.as_str())
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.count().passed
    }

    /// How many cases failed.
    pub fn failed(&self) -> usize {
        self.count().failed
    }

    /// How many cases have an operation that the runner does not know.
    pub fn skipped(&self) -> usize {
        self.count().skipped
    }

    fn count(&self) -> Count {
        let mut count = Count::default();
        self.results.iter().for_each(|result| count.add(&result.verdict));
        count
    }

    fn by_op(&self) -> BTreeMap<&str, Count> {
        let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
        for result in &self.results {
            counts.entry(&result.op).or_default().add(&result.verdict);
        }
        counts
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Result { file, name, op, verdict } in &self.results {
            if let Verdict::Failed(failure) = verdict {
                writeln!(f, "FAILED {}: {name} ({op})", file.display())?;
                writeln!(f, "    {failure}")?;
            }
        }
        let counts = self.by_op();
        let width = counts.keys().map(|op| op.len()).max().unwrap_or_default();
        for (op, Count { passed, failed, skipped }) in counts {
            let all = passed.saturating_add(failed);
            match skipped {
                0 => writeln!(f, "{op:width$}  {passed} of {all}")?,
                _ => writeln!(f, "{op:width$}  {skipped} skipped: the runner does not know this operation")?,
            }
        }
        let Count { passed, failed, skipped } = self.count();
        writeln!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(message) => f.write_str(message),
            Self::Different(Difference { pointer, expected, got }) => {
                write!(f, "{pointer}: expected {}, got {}", Shown(expected.as_ref()), Shown(got.as_ref()))
            }
        }
    }
}

/// A value on one line, shortened.
struct Shown<'a>(Option<&'a Value>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 2000;
        let Some(value) = self.0 else { return f.write_str("nothing") };
        let text = value.to_string();
        match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
            Some(start) => write!(f, "{start}..."),
            None => f.write_str(&text),
        }
    }
}
