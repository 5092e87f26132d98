//! Where things are in a list, by key.

use alloc::collections::BTreeMap;

use crate::object::ObjectKey;

/// An index into a list that only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub usize);

/// Where things are, by key.
pub type Index = BTreeMap<ObjectKey, Id>;
