use std::rc::Rc;

use changeover_core::controller::hash::compute_hash;
use changeover_core::json::{FromJson, LiteMap, ToJson};
use changeover_core::object::{IntOrString, Object, Pod, PodTemplateSpec};
use changeover_core::workload::deployment::controller::View;
use changeover_core::workload::deployment::{Deployment, DeploymentStatus, controller};
use changeover_core::workload::replica_set::ReplicaSet;
use serde_json::{Value, json};

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::explained::Explained;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[
    ("deployment.scale", scale),
    ("deployment.reconcileNewReplicaSet", reconcile_new),
    ("deployment.reconcileOldReplicaSets", reconcile_old),
    ("deployment.cleanupUnhealthyReplicas", cleanup_unhealthy),
    ("deployment.scaleDownOldReplicaSetsForRollingUpdate", scale_down_rolling),
    ("deployment.scaleDownOldReplicaSetsForRecreate", scale_down_recreate),
    ("deployment.oldPodsRunning", old_pods_running),
    ("deployment.cleanup", cleanup),
    ("deployment.replicaSetName", replica_set_name),
    ("deployment.status", status),
    ("deployment.syncRolloutStatus", sync_rollout_status),
    ("deployment.requeueStuck", requeue_stuck),
    ("deployment.complete", complete),
    ("deployment.progressing", progressing),
    ("deployment.timedOut", timed_out),
    ("deployment.equalIgnoreHash", equal_ignore_hash),
    ("deployment.findNewReplicaSet", find_new),
    ("deployment.findOldReplicaSets", find_old),
    ("deployment.replicaCounts", replica_counts),
    ("deployment.resolveFenceposts", resolve_fenceposts),
    ("deployment.newReplicas", new_replicas),
    ("deployment.maxUnavailable", max_unavailable),
    ("deployment.minAvailable", min_available),
    ("deployment.fraction", fraction),
    ("deployment.sync", sync),
];

/// A Deployment in the middle of a rollout.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rollout {
    deployment: Rc<Deployment>,
    new_replica_set: Option<Rc<ReplicaSet>>,
    old_replica_sets: Option<Vec<Rc<ReplicaSet>>>,
    #[serde(default)]
    max_cleanup_count: i32,
}

impl Rollout {
    fn old(&self) -> &[Rc<ReplicaSet>] {
        self.old_replica_sets.as_deref().unwrap_or_default()
    }

    fn needed_new(&self) -> Result<&Rc<ReplicaSet>, String> {
        self.new_replica_set.as_ref().ok_or_else(|| "input.newReplicaSet: this operation needs it".into())
    }

    /// The old ones and then the new one, in upstream's order.
    fn all(&self) -> Vec<Rc<ReplicaSet>> {
        self.old().iter().chain(&self.new_replica_set).cloned().collect()
    }

    fn recorder(&self, case: &Case) -> Result<Recorder, String> {
        let replica_sets = self.all().into_iter().map(Object::ReplicaSet);
        let objects = replica_sets.chain([Object::Deployment(self.deployment.clone())]);
        Ok(Recorder::new(case.now()?, case.gates.controller_manager, objects))
    }
}

/// The ReplicaSets as they are now.
fn replica_sets(recorder: &Recorder) -> Value {
    let after = |set: &Rc<ReplicaSet>| {
        (
            set.metadata.name.to_string(),
            json!({"replicas": set.spec.replicas, "annotations": set.metadata.annotations.to_json()}),
        )
    };
    recorder.replica_sets().map(after).collect()
}

fn scale(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let new = rollout.new_replica_set.as_ref();
    let result = controller::scale(&mut recorder, &rollout.deployment, new, rollout.old());
    let outcome = Outcome::new([("error", error_of(&result)), ("replicaSets", replica_sets(&recorder))])?;
    Ok(Outcome { explained: recorder.explained, ..outcome })
}

fn reconcile_new(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let result = controller::reconcile_new_replica_set(
        &mut recorder,
        &rollout.all(),
        rollout.needed_new()?,
        &rollout.deployment,
    );
    scaled(&result, recorder)
}

fn reconcile_old(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let old = rollout.old().to_vec();
    let result = controller::reconcile_old_replica_sets(
        &mut recorder,
        &rollout.all(),
        old,
        rollout.needed_new()?,
        &rollout.deployment,
    );
    scaled(&result, recorder)
}

fn scale_down_recreate(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let old = rollout.old().to_vec();
    let result = controller::scale_down_old_replica_sets_for_recreate(&mut recorder, old, &rollout.deployment);
    scaled(&result, recorder)
}

fn scaled<E: ToString>(result: &Result<bool, E>, recorder: Recorder) -> Result<Outcome, String> {
    let scaled = result.as_ref().is_ok_and(|scaled| *scaled);
    let replica_sets = replica_sets(&recorder);
    let outcome =
        Outcome::new([("error", error_of(result)), ("scaled", scaled.into()), ("replicaSets", replica_sets)])?;
    Ok(Outcome { explained: recorder.explained, ..outcome })
}

fn cleanup_unhealthy(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let old = rollout.old().to_vec();
    let result =
        controller::cleanup_unhealthy_replicas(&mut recorder, old, &rollout.deployment, rollout.max_cleanup_count);
    counted(&result.map(|(_, count)| count), recorder)
}

fn scale_down_rolling(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let old = rollout.old().to_vec();
    let result = controller::scale_down_old_replica_sets_for_rolling_update(
        &mut recorder,
        &rollout.all(),
        old,
        &rollout.deployment,
    );
    counted(&result, recorder)
}

fn counted<E: ToString>(result: &Result<i32, E>, recorder: Recorder) -> Result<Outcome, String> {
    let count = result.as_ref().map_or(0, |count| *count);
    let replica_sets = replica_sets(&recorder);
    let outcome = Outcome::new([("error", error_of(result)), ("count", count.into()), ("replicaSets", replica_sets)])?;
    Ok(Outcome { explained: recorder.explained, ..outcome })
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OldPodsRunning {
    new_replica_set: Option<Rc<ReplicaSet>>,
    old_replica_sets: Option<Vec<Rc<ReplicaSet>>>,
    pods_by_owner: Option<LiteMap<String, Option<Vec<Rc<Pod>>>>>,
}

fn old_pods_running(case: &Case) -> Result<Outcome, String> {
    let input: OldPodsRunning = case.input()?;
    let old = input.old_replica_sets.unwrap_or_default();
    let new = input.new_replica_set.as_ref().map(|new| &*new.metadata.uid);
    let pods_by_owner = input.pods_by_owner.unwrap_or_default();
    let others = pods_by_owner.iter().filter(|(uid, _)| Some(uid.as_str()) != new);
    let pods = others.flat_map(|(_, pods)| pods.iter().flatten());
    let running = i32::try_from(pods.filter(|pod| !pod.is_terminal()).count()).unwrap_or(i32::MAX);
    Outcome::new([("result", controller::old_pods_running(&"web".into(), &old, running).is_some().into())])
}

fn cleanup(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let result = controller::cleanup_deployment(&mut recorder, rollout.old(), &rollout.deployment);
    Outcome::new([("error", error_of(&result)), ("deleted", recorder.deleted())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReplicaSetName {
    deployment_name: String,
    hash: String,
}

fn replica_set_name(case: &Case) -> Result<Outcome, String> {
    let ReplicaSetName { deployment_name, hash } = case.input()?;
    Outcome::new([("name", controller::generate_replica_set_name(&deployment_name, &hash).into())])
}

fn status(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let calculated = controller::calculate_status(
        &rollout.all(),
        rollout.new_replica_set.as_ref(),
        &rollout.deployment,
        case.gates.controller_manager,
        case.now()?,
    );
    Outcome::new([("status", calculated.status.to_json())])
}

fn sync_rollout_status(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let mut recorder = rollout.recorder(case)?;
    let mut deployment = rollout.deployment.clone();
    let new = rollout.new_replica_set.as_ref();
    let result = controller::sync_rollout_status(&mut recorder, &rollout.all(), new, &mut deployment);
    let stored = recorder.deployment().map(|deployment| &deployment.status);
    let condition = stored.and_then(|status| controller::get_deployment_condition(status, "Progressing"));
    Outcome::new([("error", error_of(&result)), ("condition", condition.to_json())])
}

/// A Deployment and its new status.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewStatus {
    deployment: Deployment,
    new_status: DeploymentStatus,
}

fn requeue_stuck(case: &Case) -> Result<Outcome, String> {
    let NewStatus { deployment, new_status } = case.input()?;
    let complete_rule = controller::complete_rule(&deployment, case.gates.controller_manager);
    let after = controller::requeue_stuck_deployment(&deployment, &new_status, complete_rule, case.now()?);
    Outcome::new([("nanoseconds", after.map_or(-1, |after| after.0).into())])
}

fn complete(case: &Case) -> Result<Outcome, String> {
    let NewStatus { deployment, new_status } = case.input()?;
    let complete_rule = controller::complete_rule(&deployment, case.gates.controller_manager);
    let result = controller::deployment_complete(&deployment, &new_status, complete_rule);
    Outcome::new([("result", result.into())])
}

fn progressing(case: &Case) -> Result<Outcome, String> {
    let NewStatus { deployment, new_status } = case.input()?;
    let complete_rule = controller::complete_rule(&deployment, case.gates.controller_manager);
    let result = controller::deployment_progressing(&deployment, &new_status, complete_rule);
    Outcome::new([("result", result.into())])
}

fn timed_out(case: &Case) -> Result<Outcome, String> {
    let NewStatus { deployment, new_status } = case.input()?;
    let result = controller::deployment_timed_out(&deployment, &new_status, case.now()?);
    Outcome::new([("result", result.into())])
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Templates {
    a: PodTemplateSpec,
    b: PodTemplateSpec,
}

fn equal_ignore_hash(case: &Case) -> Result<Outcome, String> {
    let Templates { a, b } = case.input()?;
    Outcome::new([("result", controller::equal_ignore_hash(&a, &b).into())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WithReplicaSets {
    deployment: Deployment,
    replica_sets: Vec<Rc<ReplicaSet>>,
}

fn find_new(case: &Case) -> Result<Outcome, String> {
    let WithReplicaSets { deployment, replica_sets } = case.input()?;
    let new = controller::find_new_replica_set(&deployment, &replica_sets);
    Outcome::new([("name", new.map(|new| new.metadata.name.to_string()).into())])
}

fn find_old(case: &Case) -> Result<Outcome, String> {
    let WithReplicaSets { deployment, replica_sets } = case.input()?;
    let (with_replicas, all) = controller::find_old_replica_sets(&deployment, &replica_sets);
    let names = |sets: &[Rc<ReplicaSet>]| {
        let mut names: Vec<String> = sets.iter().map(|set| set.metadata.name.to_string()).collect();
        names.sort();
        Value::from(names)
    };
    Outcome::new([("all", names(&all)), ("withReplicas", names(&with_replicas))])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OnlyReplicaSets {
    replica_sets: Vec<Rc<ReplicaSet>>,
}

fn replica_counts(case: &Case) -> Result<Outcome, String> {
    let OnlyReplicaSets { replica_sets } = case.input()?;
    Outcome::new([
        ("spec", controller::get_replica_count(&replica_sets).into()),
        ("status", controller::get_actual_replica_count(&replica_sets).into()),
        ("terminating", controller::get_terminating_replica_count(&replica_sets).into()),
    ])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fenceposts {
    max_surge: Option<IntOrString>,
    max_unavailable: Option<IntOrString>,
    desired: i32,
}

fn resolve_fenceposts(case: &Case) -> Result<Outcome, String> {
    let Fenceposts { max_surge, max_unavailable, desired } = case.input()?;
    let result = controller::resolve_fenceposts(max_surge.as_ref(), max_unavailable.as_ref(), desired);
    let error = error_of(&result);
    let (surge, unavailable) = result.unwrap_or_default();
    Outcome::new([("surge", surge.into()), ("unavailable", unavailable.into()), ("error", error)])
}

fn new_replicas(case: &Case) -> Result<Outcome, String> {
    let rollout: Rollout = case.input()?;
    let gates = case.gates.controller_manager;
    let result = controller::new_rs_new_replicas(&rollout.deployment, &rollout.all(), rollout.needed_new()?, gates);
    let error = error_of(&result);
    Outcome::new([("replicas", result.map_or(0, controller::NewSize::replicas).into()), ("error", error)])
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct OnlyDeployment {
    deployment: Deployment,
}

fn max_unavailable(case: &Case) -> Result<Outcome, String> {
    let OnlyDeployment { deployment } = case.input()?;
    Outcome::new([("result", controller::max_unavailable(&deployment).into())])
}

fn min_available(case: &Case) -> Result<Outcome, String> {
    let OnlyDeployment { deployment } = case.input()?;
    Outcome::new([("result", controller::min_available(&deployment).into())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WithReplicaSet {
    deployment: Deployment,
    replica_set: ReplicaSet,
}

fn fraction(case: &Case) -> Result<Outcome, String> {
    let WithReplicaSet { deployment, replica_set } = case.input()?;
    let fraction = controller::get_replica_set_fraction(&replica_set, &deployment, case.gates.controller_manager);
    Outcome::new([("result", fraction.pods.into())])
}

#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sync {
    deployment: Rc<Deployment>,
    replica_sets: Option<Vec<Rc<ReplicaSet>>>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
}

/// Read first: the template gives the hash that replaces `$HASH` in the rest of the input.
#[derive(FromJson, ToJson)]
struct Template {
    deployment: Deployment,
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let hash_of = |deployment: &Deployment| compute_hash(&deployment.spec.template, deployment.status.collision_count);
    let Sync { deployment, replica_sets, pods, refuse } =
        case.input_with_hash(|| case.input().map(|Template { deployment }| hash_of(&deployment)))?;
    let hash = hash_of(&deployment);
    let pods = pods.unwrap_or_default();
    let mut replica_sets = replica_sets.unwrap_or_default();
    replica_sets.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));

    let objects = replica_sets.iter().cloned().map(Object::ReplicaSet);
    let objects = objects.chain(pods.iter().cloned().map(Object::Pod));
    let objects = objects.chain([Object::Deployment(deployment.clone())]);
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);

    // Upstream: `pkg/controller/deployment/deployment_controller.go getPodMapForDeployment`
    let running = |replica_set: &ReplicaSet| {
        let owned = pods.iter().filter(|pod| pod.metadata.is_controlled_by(&replica_set.metadata));
        let of_it = owned.filter(|pod| !pod.is_terminal());
        i32::try_from(of_it.count()).unwrap_or(i32::MAX)
    };
    let view = View { deployment: &deployment, replica_sets: &replica_sets, running: &running };
    let result = controller::sync_deployment(&mut recorder, &view);
    let is_explained =
        recorder.explained.iter().any(|explained| is_about_sizes(explained) || is_about_owners(explained));
    if result.is_ok() && !is_explained && is_unfinished(&deployment, &recorder) {
        return Err("the rollout is not finished, and the sync does not say why it changed no size".into());
    }
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("writes", recorder.writes.into()),
        ("events", recorder.events.into()),
    ])?;
    Ok(Outcome { hash: Some(hash), explained: recorder.explained, ..outcome })
}

/// Whether a rollout must still change sizes: the new ReplicaSet has another size than it should, or old ones want
/// pods. A Deployment that is paused, deleted or rolled back changes none.
fn is_unfinished(deployment: &Deployment, after: &Recorder) -> bool {
    let rests = deployment.spec.paused
        || deployment.metadata.deletion_timestamp.is_some()
        || deployment.metadata.annotation("deprecated.deployment.rollback.to").is_some();
    let owned = after.replica_sets().filter(|set| set.metadata.is_controlled_by(&deployment.metadata));
    let owned: Vec<Rc<ReplicaSet>> = owned.cloned().collect();
    let new = controller::find_new_replica_set(deployment, &owned);
    let (active, _) = controller::find_old_replica_sets(deployment, &owned);
    !rests && (!active.is_empty() || new.map_or(0, |new| new.spec.replicas) != deployment.spec.replicas)
}

/// Whether the reason explains how many pods a ReplicaSet gets, or why its size stays the same.
fn is_about_sizes(explained: &Explained) -> bool {
    let sizes = ["create", "new.up", "new.wait", "new.down", "old.", "recreate.", "scale", "selecting-all"];
    let id = explained.reason.rule.id.strip_prefix("deployment.").unwrap_or_default();
    sizes.iter().any(|prefix| id.starts_with(prefix))
}

/// Whether the reason is about adopting or releasing a ReplicaSet. The next sync then sees other ReplicaSets.
fn is_about_owners(explained: &Explained) -> bool {
    matches!(explained.reason.rule.id, "deployment.adopt" | "deployment.release")
}
