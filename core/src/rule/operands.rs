//! Where operands that rules of several parts of the cluster have come from.

use super::OperandSource;

pub(crate) const POD_NAME: OperandSource = OperandSource::new("the pod");
pub(crate) const NODE_NAME: OperandSource = OperandSource::new("the node");
