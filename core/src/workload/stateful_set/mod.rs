//! StatefulSets: they are validated, but not simulated.

pub(crate) mod kind;
pub(crate) mod strategy;
