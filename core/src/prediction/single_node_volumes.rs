//! Volumes that only one node can have at a time.

use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::{name, namespace};
use super::rollout_plan::RolloutPlan;
use crate::object::PodTemplateSpec;
use crate::object::unstructured::at;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{is_rolling_update, max_unavailable};

/// The `ReadWriteOnce` claim that can block a rollout forever: a new pod on another node waits for the volume, and the old pod
/// stays until the new one is ready. With a single node, both pods share it.
pub(super) fn blocking_claim<'a>(
    plan: &RolloutPlan,
    in_namespace: &str,
    deployment: &'a Deployment,
) -> Option<&'a str> {
    let old_stays = is_rolling_update(deployment) && max_unavailable(deployment) == 0;
    if !old_stays || plan.has_single_node() || deployment.spec.replicas == 0 {
        return None;
    }
    let is_read_write_once = |claim: &&str| {
        plan.claims.iter().map(|source| &source.object).any(|manifest| {
            let is_named = name(manifest) == *claim && namespace(manifest) == Some(in_namespace);
            let modes = at(manifest, &["spec", "accessModes"]).and_then(Value::as_array);
            let is_once = |modes: &Vec<Value>| !modes.is_empty() && modes.iter().all(|mode| mode == "ReadWriteOnce");
            is_named && modes.is_some_and(is_once)
        })
    };
    claims(&deployment.spec.template).find(is_read_write_once)
}

/// The names of the PersistentVolumeClaims that pods of a template use.
fn claims(template: &PodTemplateSpec) -> impl Iterator<Item = &str> {
    let volumes = template.spec.fields.unknown.get("volumes").and_then(Value::as_array);
    volumes.into_iter().flatten().filter_map(|volume| at(volume, &["persistentVolumeClaim", "claimName"])?.as_str())
}
