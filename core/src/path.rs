use core::fmt;

/// The path from the root of a value to one of its fields. It borrows its parent, so a path costs nothing until it is
/// printed.
///
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/field/path.go Path`
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// Where the value itself is (`spec.template`); empty for a whole object.
    Root(&'a str),
    /// `.name`
    Child(&'a Self, &'a str),
    /// `[3]`
    Index(&'a Self, usize),
    /// `[key]`
    Key(&'a Self, &'a str),
}

impl<'a> Path<'a> {
    /// A field of the object at this path.
    pub const fn child(&'a self, name: &'a str) -> Self {
        Self::Child(self, name)
    }

    /// An item of the list at this path.
    pub const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// An entry of the map at this path.
    pub const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) | Self::Child(Path::Root(""), name) => f.write_str(name),
            Self::Child(parent, name) => write!(f, "{parent}.{name}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) => write!(f, "{parent}[{key}]"),
        }
    }
}
