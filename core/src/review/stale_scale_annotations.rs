//! KEP-5882's note of a partial scaling on a ReplicaSet, which an older kubectl's rollback copies to the Deployment.

use serde_json::Value;

use super::request::Request;
use super::settings::{Settings, StaleAction};
use super::warnings::{Importance, Warnings};
use crate::object::Kind;
use crate::object::unstructured::at;

pub(super) const REPLICAS_BEFORE_SCALE: [&str; 3] =
    ["metadata", "annotations", "deployment.kubernetes.io/replicaset-replicas-before-scale"];

/// Warns about the leftover. A ReplicaSet's own annotation is the controller's.
pub(super) fn check(request: &Request<'_>, object: &Value, settings: &Settings, warnings: &mut Warnings) {
    let way = REPLICAS_BEFORE_SCALE;
    // One that is to be stripped is still there where the audit scanner found it.
    let warn = settings.stale_scale_annotations != StaleAction::Allow;
    if request.kind == Kind::Deployment && warn && at(object, &way).is_some() && request.changed(&way) {
        let text = "replicaset-replicas-before-scale on a Deployment: left by an older kubectl's rollback; remove it";
        warnings.push(Importance::Settings, text);
    }
}
