//! Positions in a text, and the tree of the positions of all fields.

use core::fmt;

/// A position in a text. Both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The positions of a value and of all values below it: a map entry has the position of its key, a list item that of its first
/// character.
#[derive(Clone, Debug)]
pub(crate) struct PositionTree {
    pub position: Position,
    pub children: Children,
}

#[derive(Clone, Debug)]
pub(crate) enum Children {
    Scalar,
    /// In the order of the text. A map type would cost more bytes than it saves time.
    Map(Vec<(String, PositionTree)>),
    List(Vec<PositionTree>),
}

/// How far a path matches: the position reached, and how much of the path is left.
struct PathMatch {
    position: Position,
    unmatched: usize,
}

impl PositionTree {
    /// The position at the end of a path such as `spec.containers[0].name` or `metadata.annotations[example.com/cost]`, as
    /// far as the text has it. A key with dots may also follow a dot, as in some errors, if a plain key matches less of the
    /// path. The API server leaves out `metadata` in the paths of a template's labels and annotations.
    pub fn nearest(&self, path: &str) -> Position {
        self.follow(path).position
    }

    fn follow(&self, path: &str) -> PathMatch {
        let here = PathMatch { position: self.position, unmatched: path.len() };
        let next = self.follow_child(path).or_else(|| self.child("metadata")?.follow_child(path));
        next.filter(|next| next.unmatched < here.unmatched).unwrap_or(here)
    }

    fn follow_child(&self, path: &str) -> Option<PathMatch> {
        if let Some((key, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
            return self.child(key).map(|child| child.follow(rest));
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        let Children::Map(entries) = &self.children else { return None };
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
        let matches = entries.iter().filter_map(|(key, child)| {
            let rest = path.strip_prefix(key.as_str())?;
            (!key.is_empty() && ends(rest)).then(|| (child.follow(rest), key.len()))
        });
        matches.min_by_key(|(found, length)| (found.unmatched, *length)).map(|(found, _)| found)
    }

    pub fn child(&self, key: &str) -> Option<&Self> {
        match &self.children {
            Children::Scalar => None,
            Children::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, child)| child),
            Children::List(items) => items.get(key.parse::<usize>().ok()?),
        }
    }
}
