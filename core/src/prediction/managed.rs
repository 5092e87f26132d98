//! Rollouts whose workloads a tool applies from manifests: what kubectl changes there is undone, so the manifest has to change.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::manifest_change::{change, to_yaml};
use super::obstacle::Obstacle;
use super::outlook::{Outlook, RolloutOutlook, revision_of};
use super::remedy::{Remedy, old_pod_first};
use crate::json::{ToJson, decode};
use crate::object::unstructured::{at, existing_map};
use crate::object::{Object, ObjectKey, PodTemplateSpec};
use crate::workload::replica_set::POD_TEMPLATE_HASH;

/// A command that changes a workload, and what does the same in its manifest or with the tool that applies it.
struct Change {
    command: String,
    manifest: Value,
    instead: Option<String>,
}

impl Outlook {
    /// The rollout with the tool that applies its workload, and changes of its manifest instead of commands.
    pub(super) fn managed(&self, key: &ObjectKey, rollout: RolloutOutlook) -> RolloutOutlook {
        let Some(manager) = self.managers.get(key) else { return rollout };
        let changes = self.changes(key);
        let mut obstacles: Vec<Obstacle> =
            rollout.obstacles.iter().cloned().map(|it| in_manifest(it, &changes)).collect();
        if rollout.is_held_up() && rollout.obstacles.iter().any(|obstacle| obstacle.command.is_some()) {
            let (why, remedy) = match manager.name {
                "Helm" => ("its next upgrade undoes what kubectl changes", "use helm rollback, or change the values"),
                _ => (
                    "it undoes what kubectl changes",
                    "change the manifest instead: revert the commit, or set the same fields there",
                ),
            };
            let why = format!("{} manages it: {why}", manager.name);
            obstacles.push(Obstacle::new(why).with_remedy(remedy));
        }
        RolloutOutlook { managed_by: Some(String::from(manager.name)), obstacles, ..rollout }
    }

    /// A remedy with a change of the manifest instead of a command, if a tool applies the workload.
    pub(super) fn managed_remedy(&self, key: &ObjectKey, remedy: Remedy) -> Remedy {
        if !self.managers.contains_key(key) {
            return remedy;
        }
        let (command, manifest) = split(remedy.command, &self.changes(key));
        Remedy { command, manifest, ..remedy }
    }

    /// The commands that the outlook may give for a workload, and what does the same in its manifest.
    fn changes(&self, key: &ObjectKey) -> Vec<Change> {
        let patch = |manifest: Value| Change { command: self.kubectl.patch(key, &manifest), manifest, instead: None };
        let instead = self.managers.get(key).and_then(|manager| manager.helm_rollback.clone());
        let mut changes = Vec::from([
            patch(old_pod_first(key.kind)),
            patch(json!({ "spec": { "updateStrategy": { "rollingUpdate": { "partition": 0 } } } })),
            Change {
                command: self.kubectl.scale(key, 1),
                manifest: json!({ "spec": { "replicas": 1 } }),
                instead: None,
            },
            Change {
                command: self.kubectl.rollout("resume", key),
                manifest: json!({ "spec": { "paused": false } }),
                instead: None,
            },
        ]);
        let undo = self.older_template(key);
        let revision = self.deployment(key).map_or(0, |deployment| self.undo_revision(deployment));
        changes.extend(undo.map(|manifest| Change { command: self.kubectl.undo(key, revision), manifest, instead }));
        changes
    }

    /// What `kubectl rollout undo` changes.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go DeploymentRollbacker.Rollback`
    fn older_template(&self, key: &ObjectKey) -> Option<Value> {
        let state = &self.timeline.initial;
        let (current, mut older) = match state.get(key)? {
            Object::Deployment(deployment) => {
                let replica_sets = state.replica_sets_of(deployment);
                let wanted = self.undo_revision(deployment);
                let new = self.new_replica_set(deployment);
                let is_older = |name: &str| new.as_ref().is_none_or(|new| *new.metadata.name != *name);
                let older = replica_sets.into_iter().filter(|it| is_older(&it.metadata.name));
                let older = older.max_by_key(|it| (revision_of(&it.metadata) == wanted, revision_of(&it.metadata)))?;
                (deployment.spec.template.to_json(), older.spec.template.to_json())
            }
            Object::StatefulSet(set) => (set.spec.template.to_json(), self.older_revision(key)?),
            Object::DaemonSet(set) => (set.spec.template.to_json(), self.older_revision(key)?),
            _ => return None,
        };
        if let Some(labels) = existing_map(&mut older, &["metadata", "labels"]) {
            labels.remove(POD_TEMPLATE_HASH);
        }
        Some(json!({ "spec": { "template": change(&current, &older)? } }))
    }

    /// The template of the last revision but one of a set.
    fn older_revision(&self, key: &ObjectKey) -> Option<Value> {
        let mut revisions: Vec<_> = self.revisions_of(key).collect();
        revisions.sort_by_cached_key(|revision| revision.spec.revision);
        let older = revisions.iter().rev().nth(1)?;
        let mut template = at(&older.spec.data, &["spec", "template"])?.clone();
        template.as_object_mut()?.remove("$patch");
        // Both as this engine writes them.
        let template: PodTemplateSpec = decode(&template, "").ok()?;
        Some(template.to_json())
    }
}

/// The obstacle with a change of the manifest instead of a command.
fn in_manifest(obstacle: Obstacle, changes: &[Change]) -> Obstacle {
    let (command, manifest) = split(obstacle.command, changes);
    Obstacle { command, manifest, ..obstacle }
}

/// A command, and as YAML the change of the manifest that takes the place of its beginning.
fn split(command: Option<String>, changes: &[Change]) -> (Option<String>, Option<String>) {
    let Some(command) = command else { return (None, None) };
    for change in changes {
        let Some(rest) = command.strip_prefix(&*change.command) else { continue };
        let rest = rest.strip_prefix(" && ").map(ToString::to_string);
        return match (&change.instead, rest) {
            (None, rest) => (rest, Some(to_yaml(&change.manifest, 0))),
            (Some(instead), None) => (Some(instead.clone()), None),
            (Some(instead), Some(rest)) => (Some(format!("{instead} && {rest}")), None),
        };
    }
    (Some(command), None)
}
