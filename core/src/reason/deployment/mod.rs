//! What the Deployment controller decides.

mod recreate;
mod rolling;
mod scale;
mod sets;
mod status;

pub use recreate::*;
pub use rolling::*;
pub use scale::*;
pub use sets::*;
pub use status::*;

use super::Rule;

const KEP_ROLLOUT: Option<&str> = Some("KEP-5882, Deployment Behavior Changes");
const KEP_SCALING: Option<&str> = Some("KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets");
const KEP_PROGRESS: Option<&str> = Some("KEP-5882, Deployment Completion and Progress Changes");

const NEW_REPLICAS: Option<&str> = Some("pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas");

/// All rules of this folder.
pub(super) static ALL: &[&[&Rule]] = &[sets::ALL, rolling::ALL, recreate::ALL, scale::ALL, status::ALL];
