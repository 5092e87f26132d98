//! Deployments: they roll out versions of a pod template, with a ReplicaSet for each.

pub mod controller;
pub mod decision;
pub(crate) mod figures;
pub(crate) mod kind;
mod object;
pub(crate) mod run;
pub(crate) mod strategy;

pub use figures::RolloutState;
pub use object::{
    Deployment, DeploymentCondition, DeploymentPodReplacementPolicy, DeploymentSpec, DeploymentStatus,
    DeploymentStrategy, RollingUpdateDeployment,
};
