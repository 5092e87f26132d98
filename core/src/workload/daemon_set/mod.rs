//! DaemonSets: they are validated, but not simulated.

pub(crate) mod strategy;
