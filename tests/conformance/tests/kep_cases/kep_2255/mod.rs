//! KEP-2255: pod deletion cost.

pub mod admission;
pub mod cost;
pub mod order;

/// The annotation.
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const DESIGN: &str = "KEP-2255, Design Details";
