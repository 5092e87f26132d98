//! The controllers, mirrored from upstream's, one module each.

pub mod replica_set;
