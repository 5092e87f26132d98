//! The Jobs of old manifests that are gone by the time of the change.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::estimates::{changes, object_name};
use super::gitops::{ARGO_HOOK, HELM_HOOK, annotation, is_forced, is_replaced};
use super::given_objects::{GivenObject, is_same, is_stored};
use super::options::Assumptions;
use crate::apiserver::dry_run;
use crate::collect_tree::CollectTree;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, string};
use crate::scenario::Delay;

const HELM_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
const ARGO_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";

/// Removes the Jobs, and the Pods that are hooks, of old manifests that no longer exist when the new ones are applied. Manifests have
/// settled long ago, so ttlSecondsAfterFinished has passed. Helm and Argo CD delete a hook before they create it again. Argo CD with
/// `Force` and Flux with `force` replace what is immutable, and Argo CD with `Replace`, too, replaces everything. A Job of a running
/// cluster only goes if it is created again.
pub(super) fn remove_former_jobs(old: &mut Vec<GivenObject>, new: &[GivenObject]) {
    old.retain(|source| {
        let job = &source.object;
        if ![Kind::Job, Kind::Pod].map(Kind::name).contains(&string(job, "kind")) {
            return true;
        }
        let successor = new.iter().map(|source| &source.object).find(|new| is_same(new, job));
        let is_again = |new: &Value| is_replaced(new) || is_forced(new) && changes(job, new) && is_refused(job, new);
        if is_stored(job) && successor.is_none() {
            return true;
        }
        let has_expired =
            !is_stored(job) && at(job, &["spec", "ttlSecondsAfterFinished"]).is_some_and(|seconds| !seconds.is_null());
        let is_gone = has_expired
            || is_deleted_hook(job, HELM_HOOK, HELM_DELETE_POLICY, ["before-hook-creation", "hook-succeeded"])
            || is_deleted_hook(job, ARGO_HOOK, ARGO_DELETE_POLICY, ["BeforeHookCreation", "HookSucceeded"])
            || successor.is_some_and(is_again);
        !is_gone
    });
}

/// Removes the Jobs that are over and that the change leaves alone, and returns their names as `Job/namespace/name`: their pods take no
/// room any more.
pub(super) fn remove_ended_jobs(
    old: &mut Vec<GivenObject>,
    new: &mut Vec<GivenObject>,
    assumptions: &Assumptions,
) -> BTreeSet<String> {
    let is_kept = |job: &Value| {
        let mut after = new.iter().map(|source| &source.object).filter(|other| is_same(other, job));
        after.all(|after| !changes(job, after))
    };
    let is_valid = |job: &Value| dry_run(job, None, &FeatureGates::default()).errors.is_empty();
    let is_ended = |job: &Value| is_over(job, assumptions) && is_kept(job) && is_valid(job);
    let ended = old.iter().map(|source| &source.object).filter(|job| is_ended(job));
    let ended: BTreeSet<String> = ended.map(object_name).collect_tree();
    for given in [old, new] {
        given.retain(|source| !ended.contains(&object_name(&source.object)));
    }
    ended
}

/// Whether the manifest of a Job is that of one that is over: it was applied long ago, and its pods end.
pub(super) fn is_over(object: &Value, assumptions: &Assumptions) -> bool {
    string(object, "kind") == Kind::Job.name()
        && !is_stored(object)
        && assumptions.run_for != Some(Delay::Never)
        && at(object, &["spec", "suspend"]) != Some(&Value::Bool(true))
        && at(object, &["spec", "parallelism"]).and_then(Value::as_i64) != Some(0)
}

/// Whether the API server refuses the change of a Job: of its template and its completions, most is immutable.
fn is_refused(old: &Value, new: &Value) -> bool {
    !dry_run(new, Some(old), &FeatureGates::default()).errors.is_empty()
}

/// Whether a tool deletes a hook when it has succeeded, or before it runs again, which is the default of Helm and Argo CD.
fn is_deleted_hook(job: &Value, hook: &str, delete_policy: &str, deleting: [&str; 2]) -> bool {
    let policies = annotation(job, delete_policy);
    let is_deleting = |policy: &str| deleting.contains(&policy.trim());
    !annotation(job, hook).is_empty() && (policies.is_empty() || policies.split(',').any(is_deleting))
}

#[cfg(test)]
mod tests {
    use super::super::gitops::SYNC_OPTIONS;
    use super::*;
    use crate::cluster::merge;
    use serde_json::json;

    const FLUX_FORCE: &str = "kustomize.toolkit.fluxcd.io/force";

    fn job(annotations: Value, image: &str, spec: Value) -> GivenObject {
        let mut object = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": { "name": "migrate", "namespace": "default", "annotations": annotations },
            "spec": { "template": { "spec": {
                "restartPolicy": "Never", "containers": [{ "name": "app", "image": image }],
            } } },
        });
        merge(&mut object, &json!({ "spec": spec }));
        GivenObject { object, path: String::new() }
    }

    #[test]
    fn jobs_that_are_deleted_are_gone() {
        let [same, other] = ["app:2", "app:1"];
        let cases = [
            (json!({}), other, json!({}), false),
            (json!({}), other, json!({"ttlSecondsAfterFinished": 600}), true),
            (json!({HELM_HOOK: "post-upgrade"}), other, json!({}), true),
            (json!({HELM_HOOK: "post-upgrade", HELM_DELETE_POLICY: "hook-failed"}), other, json!({}), false),
            // Helm deletes only hooks.
            (json!({HELM_DELETE_POLICY: "before-hook-creation"}), other, json!({}), false),
            (json!({ARGO_HOOK: "PreSync"}), other, json!({}), true),
            (json!({ARGO_HOOK: "Sync", ARGO_DELETE_POLICY: "HookFailed, BeforeHookCreation"}), other, json!({}), true),
            (json!({ARGO_HOOK: "Sync", ARGO_DELETE_POLICY: "HookFailed"}), other, json!({}), false),
            (json!({FLUX_FORCE: "Enabled"}), other, json!({}), true),
            // What the API server accepts is not forced.
            (json!({FLUX_FORCE: "Enabled"}), same, json!({"parallelism": 1}), false),
            (json!({FLUX_FORCE: "Enabled"}), same, json!({"parallelism": 2}), false),
            (json!({SYNC_OPTIONS: "Force=true"}), other, json!({}), true),
            (json!({SYNC_OPTIONS: "Force=true"}), same, json!({"parallelism": 1}), false),
            (json!({SYNC_OPTIONS: "Prune=false, Force=true,Replace=true"}), same, json!({"parallelism": 2}), true),
            (json!({SYNC_OPTIONS: "Replace=true"}), other, json!({}), false),
        ];
        for (annotations, image, spec, is_gone) in cases {
            let new = job(annotations.clone(), "app:2", json!({"parallelism": 2}));
            let mut old = Vec::from([job(annotations, image, spec)]);
            remove_former_jobs(&mut old, &[new]);
            assert_eq!(old.is_empty(), is_gone, "{old:?}");
        }
    }
}
