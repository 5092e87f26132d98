//! That a tool can't apply its manifest of a workload, as its Events say: the cluster keeps what it has, and looks healthy.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::kubectl::Kubectl;
use super::obstacle::{Obstacle, details};
use crate::object::unstructured::{name, string};
use crate::object::{Kind, ObjectKey, Time};
use crate::scenario::{about_of, last_time_of};

/// The kinds whose controllers apply manifests, with the tool that they belong to.
const APPLIERS: [(&str, &str); 3] = [("Application", "Argo CD"), ("HelmRelease", "Flux"), ("Kustomization", "Flux")];

/// How the API server refuses a change of a field that nobody may change.
///
/// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetUpdate`, `k8s.io/apimachinery/pkg/api/validation/objectmeta.go FieldImmutableErrorMsg`
const IMMUTABLE: [&str; 2] = ["field is immutable", "Forbidden: updates to"];

/// The last refusal of a manifest of each workload.
#[derive(Debug, Default)]
pub(super) struct RefusedApplies(BTreeMap<ObjectKey, (Option<Time>, &'static str, String)>);

impl RefusedApplies {
    pub(super) fn of(objects: &[Value]) -> Self {
        let workloads: Vec<&Value> =
            objects.iter().filter(|object| Kind::of(object).is_some_and(Kind::rolls_out)).collect();
        let mut refused: BTreeMap<ObjectKey, (Option<Time>, &str, String)> = BTreeMap::new();
        for event in objects.iter().filter(|object| string(object, "kind") == "Event") {
            let about = about_of(event).map_or("", |about| string(about, "kind"));
            let Some((_, tool)) = APPLIERS.iter().find(|(kind, _)| *kind == about) else { continue };
            let message = [string(event, "message"), string(event, "note")].concat();
            let is_immutable = IMMUTABLE.iter().any(|words| message.contains(words));
            let is_named = |object: &&&Value| {
                message.contains(&format!("{}.apps \"{}\" is invalid", string(object, "kind"), name(object)))
            };
            let mut named = workloads.iter().filter(is_named);
            // The message has no namespace.
            let (Some(workload), None, true) = (named.next(), named.next(), is_immutable) else { continue };
            let Some(kind) = Kind::of(workload) else { continue };
            let time = last_time_of(event);
            let key = ObjectKey::of_manifest(kind, workload);
            if refused.get(&key).is_none_or(|(known, ..)| *known <= time) {
                refused.insert(key, (time, *tool, message));
            }
        }
        Self(refused)
    }

    /// That the manifest of a workload is refused.
    pub(super) fn obstacle(&self, key: &ObjectKey, kubectl: &Kubectl) -> Option<Obstacle> {
        let (_, tool, message) = self.0.get(key)?;
        let why =
            format!("{tool} can't apply its manifest, so the last change is not in the cluster{}", details(message));
        let remedy =
            "revert the change of that field, or replace the object: its pods stay, and the new one adopts them";
        Some(Obstacle::new(why).with_remedy(remedy).with_command(kubectl.delete_orphaning(key)))
    }
}
