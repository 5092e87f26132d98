//! Where things are in a list, by key.

use alloc::collections::BTreeMap;

use crate::object::ObjectKey;

/// A place in a list that only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub usize);

/// Where things are, by key.
pub type Index = BTreeMap<ObjectKey, Id>;
