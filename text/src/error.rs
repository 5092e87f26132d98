use core::fmt;

use crate::Position;

/// Why a text could not be read. Its `Display` is one sentence that begins with the place, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What sort of mistake it is, for programs.
    pub kind: ErrorKind,
    /// Where it is, if it is anywhere in particular.
    pub position: Option<Position>,
    /// What is wrong and what was expected, without the place.
    pub message: String,
}

/// The sorts of mistakes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no object in it.
    Empty,
    /// It holds bytes that are not UTF-8, or control characters.
    NotText,
    /// It is neither YAML nor JSON.
    Syntax,
    /// It is YAML, but holds something that no Kubernetes object does: a list at the top, a key twice, `.nan`.
    NotAnObject,
    /// It is nested too deeply, or its aliases expand to too much.
    TooLarge,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, position: Option<Position>, message: impl Into<String>) -> Self {
        Self { kind, position, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for Error {}
