use core::fmt;

/// Where in a value something is; made on the way down, written only where something is wrong.
#[derive(Debug)]
pub enum Path<'a> {
    /// The whole value, which has this path itself.
    Root(&'a str),
    /// Below that key of a map.
    Key(&'a Self, &'a str),
    /// At that index of a list.
    Index(&'a Self, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(root) => f.write_str(root),
            Self::Key(Path::Root(""), key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
