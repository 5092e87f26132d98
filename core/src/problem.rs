use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// What is wrong with an input: where, and what would be right, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The path of the field (`spec.replicas`, `rules[0].name`); empty for the whole input.
    pub path: String,
    /// The sentence, without the path.
    pub message: String,
}

impl Problem {
    /// The first of the problems that were found; there is at least one.
    pub(crate) fn first(problems: Vec<Self>) -> Self {
        problems.into_iter().next().unwrap_or_else(|| Self::new("", "can't be read"))
    }

    /// A problem at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for Problem {}
