/// The fields of a type, as its derive finds them.
#[derive(Debug)]
pub struct Table {
    /// The fields that have names, in the order of the type.
    pub fields: &'static [Field],
    /// What becomes of other keys.
    pub unknown: UnknownFields,
}

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it is left out where it is empty, as in Go.
    pub omitempty: bool,
    /// Whether it counts nanoseconds, and is written in milliseconds.
    pub milliseconds: bool,
}

/// What becomes of keys that are none of a type's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownFields {
    /// Nothing.
    Ignored,
    /// They are an error.
    Refused,
    /// The type's last field is read from them.
    Flattened,
}
