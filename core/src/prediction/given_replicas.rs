//! What sets the replicas of a Deployment: its manifest, an autoscaler, or both.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{WarningKind, WorkloadChange};
use super::given_objects::is_stored;
use super::pod_autoscalers::PodAutoscaler;
use crate::object::ObjectKey;
use crate::object::unstructured::at;

/// What an apply does to the replicas of a Deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivenReplicas {
    /// The manifest names them.
    Named,
    /// Only the last manifest named them, so the API server sets its default.
    Removed,
    /// The manifest names those of the last one, and something else has set others in between.
    Reset,
    /// The manifest names others than the cluster has, and maybe others than the last one.
    Overwritten,
    /// The manifest still names these, which an autoscaler with new bounds leaves.
    OutOfBounds { named: i32 },
}

impl GivenReplicas {
    /// What the apply of a manifest does, given the object in the cluster and the manifest that was applied last; none if the manifest
    /// leaves the replicas alone.
    pub(super) fn of(new: &Value, before: Option<&Value>, last: Option<&Value>) -> Option<Self> {
        let replicas = |object: &Value| at(object, &["spec", "replicas"]).and_then(Value::as_i64);
        let Some(named) = replicas(new) else {
            return last.and_then(replicas).map(|_| Self::Removed);
        };
        let stored = before.filter(|before| is_stored(before)).and_then(replicas);
        Some(match stored {
            Some(stored) if stored == named => Self::Named,
            Some(_) if last.and_then(replicas) == Some(named) => Self::Reset,
            Some(_) => Self::Overwritten,
            None => Self::Named,
        })
    }

    /// What is wrong with it for this Deployment, in which the autoscaler may be unknown.
    fn warning(
        self,
        key: &ObjectKey,
        change: &WorkloadChange,
        autoscaler: Option<&PodAutoscaler>,
    ) -> Option<(WarningKind, String)> {
        let WorkloadChange { replicas_before: before, replicas, created, .. } = *change;
        let pods = match before.saturating_sub(replicas) {
            fewer @ 1.. => format!("{fewer} of {before} pods stop"),
            more => format!("{} pods more start", more.saturating_abs()),
        };
        // As it is removed without a fall to the default: first where the last apply is kept, then in the manifest.
        let remove = format!("kubectl apply edit-last-applied deployment/{}, then in the manifest", key.name);
        match (self, autoscaler) {
            (Self::Removed, _) if before > replicas => {
                let until = autoscaler.map_or_else(String::new, |autoscaler| {
                    format!(", until {} scales it again", autoscaler.with_bounds())
                });
                let message = format!(
                    "replicas is no longer in the manifest, so the API server sets its default, {replicas}: {pods}{until}. \
                     Remove it in this order: {remove}."
                );
                Some((WarningKind::ReplicasRemoved, message))
            }
            (Self::Reset, None) => {
                let message = format!(
                    "The manifest still sets replicas to {replicas}, and something else, like an autoscaler or kubectl scale, \
                     has set {before}: {pods}. If an autoscaler owns replicas, remove it: {remove}."
                );
                Some((WarningKind::ReplicasReset, message))
            }
            (Self::OutOfBounds { named }, Some(autoscaler)) => {
                Some((WarningKind::ReplicasReset, out_of_bounds(named, autoscaler, &remove)))
            }
            // It leaves a Deployment alone that is scaled to 0.
            (Self::Reset | Self::Overwritten | Self::Named, Some(autoscaler))
                if replicas > 0 && !autoscaler.is_fixed_at(replicas) =>
            {
                let bounds = autoscaler.with_bounds();
                let is_reset = self != Self::Named || (!created && !autoscaler.allows(replicas));
                let message = if before != replicas && !created {
                    format!(
                        "The manifest sets replicas from {before} to {replicas}: {pods}, until {bounds} scales it again. \
                         Remove replicas: {remove}."
                    )
                } else if !autoscaler.allows(replicas) {
                    out_of_bounds(replicas, autoscaler, &remove)
                } else {
                    format!(
                        "Each apply sets replicas to {replicas}, although {bounds} owns it. Remove replicas: {remove}."
                    )
                };
                Some((if is_reset { WarningKind::ReplicasReset } else { WarningKind::AutoscaledReplicas }, message))
            }
            _ => None,
        }
    }
}

fn out_of_bounds(named: i32, autoscaler: &PodAutoscaler, remove: &str) -> String {
    format!(
        "Each apply sets replicas to {named}, outside of the bounds of {}, until that scales it again. Remove replicas: {remove}.",
        autoscaler.with_bounds()
    )
}

/// The warnings about the replicas of a changed Deployment and its autoscaler.
pub(super) fn replicas_warnings(
    key: &ObjectKey,
    change: &WorkloadChange,
    given: Option<GivenReplicas>,
    autoscaler: Option<&PodAutoscaler>,
) -> Vec<(WarningKind, String)> {
    let given = given.and_then(|given| given.warning(key, change, autoscaler));
    let surge = autoscaler.filter(|_| change.rollout).and_then(|autoscaler| {
        let (adopted, metric) = autoscaler.adopted_surge(change.replicas, change.limit)?;
        let message = format!(
            "{} may keep the surge: its {metric} has an averageValue, and near that it keeps all pods that the status counts, up to \
             {adopted} in place of {}. Set maxSurge to 0, or a value in place of averageValue.",
            autoscaler.with_bounds(),
            change.replicas
        );
        Some((WarningKind::AdoptedSurge, message))
    });
    given.into_iter().chain(surge).collect()
}
