//! Where the rollouts of a cluster stand: of a running one, or of a simulated one once nothing more happens.

use changeover_core::Problem;
use changeover_core::json::ToJson;
use changeover_core::prediction::{self, Assumptions, ExplainReport, PredictOptions, RolloutReport};
use changeover_player::with_forks;
use changeover_wire::{
    AskedRollout, JobOutlook, JobStanding, Manifests, NextStep, Obstacle, Outlook, Remedy, RolloutOutlook, Standing,
    StandstillQuestion, Variation, with_grouped_digits,
};

use crate::manifest_reader;
use crate::manifests::{Texts, first};
use crate::progress::Part;

/// Where the rollouts stand.
///
/// # Errors
/// The first problem of the text.
pub(crate) fn outlook(manifests: &Manifests) -> Result<Outlook, Problem> {
    let texts = Texts::read(manifests).map_err(first)?;
    let plan = texts.surrounded_plan(Vec::new()).map_err(first)?;
    let assumptions = Assumptions { mode: Some(texts.surroundings.mode), ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = prediction::Outlook::of_plan(plan, &texts.old(), &options)?;
    let all: Vec<prediction::RolloutOutlook> = outlook.rollouts().collect();
    let several = outlook.prediction.has_several_namespaces();
    let stuck = prediction::stuck_ones(all.iter(), several);
    let report = outlook.report(all, Vec::new(), &mut |_, _| {}, &mut Part::Remedies.watch())?;
    let rollouts = reported(report, several);
    Ok(Outlook { stuck, rollouts, jobs: outlook.jobs().map(|job| job_outlook(job, several)).collect() })
}

fn reported(report: ExplainReport, several: bool) -> Vec<RolloutOutlook> {
    let rollouts = report.rollouts.into_iter().map(|RolloutReport { rollout, remedies }| {
        rollout_outlook(rollout, remedies.into_iter().map(remedy).collect(), several)
    });
    rollouts.collect()
}

/// What the rollouts wait for that are never complete, and what would free them from where they stand still.
///
/// # Errors
/// What is wrong with the rollout, its surroundings or a fork, with its path.
pub(crate) fn standstill(question: &StandstillQuestion) -> Result<Outlook, Problem> {
    let StandstillQuestion { rollout, forks } = question;
    let scenario = match rollout {
        AskedRollout::Lane(source) => changeover_player::scenario(source)?,
        AskedRollout::Manifests(manifests) => {
            let texts = Texts::read(manifests).map_err(first)?;
            let plan = texts.plan().map_err(first)?;
            manifest_reader::scenario(&texts, &plan, &Variation::default()).map_err(first)?
        }
    };
    let Some(outlook) = prediction::Outlook::at_standstill(with_forks(scenario, 0, forks)?)? else {
        return Ok(Outlook { stuck: None, rollouts: Vec::new(), jobs: Vec::new() });
    };
    let several = outlook.prediction.has_several_namespaces();
    // What comes after the end is more of the same.
    let held_up = outlook.rollouts().filter(|rollout| rollout.complete.is_none());
    let held_up = held_up.map(|rollout| prediction::RolloutOutlook { next: Vec::new(), ..rollout });
    let report = outlook.report(held_up, Vec::new(), &mut |_, _| {}, &mut Part::Remedies.watch())?;
    Ok(Outlook { stuck: None, rollouts: reported(report, several), jobs: Vec::new() })
}

fn job_outlook(job: prediction::JobOutlook, several: bool) -> JobOutlook {
    JobOutlook {
        is_held_up: job.is_held_up(),
        kind: job.kind,
        name: if several { format!("{}/{}", job.namespace, job.name) } else { job.name },
        namespace: job.namespace,
        standing: match job.standing {
            prediction::JobStanding::Active => JobStanding::Active,
            prediction::JobStanding::Suspended => JobStanding::Suspended,
            prediction::JobStanding::Complete => JobStanding::Complete,
            prediction::JobStanding::Failed => JobStanding::Failed,
        },
        summary: with_grouped_digits(&job.summary),
        obstacles: job.obstacles.into_iter().map(obstacle).collect(),
        next: job.next.into_iter().map(next_step).collect(),
    }
}

/// `several`: whether there are several namespaces.
fn rollout_outlook(rollout: prediction::RolloutOutlook, remedies: Vec<Remedy>, several: bool) -> RolloutOutlook {
    let summary = with_grouped_digits(&rollout.summary());
    RolloutOutlook {
        title: rollout.workload(several),
        name: rollout.workload(false),
        namespace: rollout.namespace,
        standing: match rollout.standing {
            prediction::Standing::Complete => Standing::Complete,
            prediction::Standing::Progressing => Standing::Progressing,
            prediction::Standing::Paused => Standing::Paused,
            prediction::Standing::Stuck => Standing::Stuck,
            prediction::Standing::Deleting => Standing::Deleting,
            prediction::Standing::Unknown => Standing::Unknown,
        },
        summary,
        obstacles: rollout.obstacles.into_iter().map(obstacle).collect(),
        next: rollout.next.into_iter().map(next_step).collect(),
        remedies,
    }
}

fn next_step(step: prediction::NextStep) -> NextStep {
    NextStep { at: step.at, sentence: step.sentence }
}

fn obstacle(obstacle: prediction::Obstacle) -> Obstacle {
    Obstacle { why: obstacle.why, remedy: obstacle.remedy, command: obstacle.command, manifest: obstacle.manifest }
}

fn remedy(remedy: prediction::Remedy) -> Remedy {
    Remedy {
        what: remedy.what,
        command: remedy.command,
        manifest: remedy.manifest,
        action: remedy.action.as_ref().map(ToJson::to_json),
        cost: remedy.cost,
        complete: remedy.complete,
        last_old_pod_gone: remedy.last_old_pod_gone,
        after_next_try: remedy.after_next_try,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use changeover_wire::{Fork, LaneSource, Totals, WorkloadKind, WorkloadName, format_clock};
    use serde_json::{Value, json};

    use super::*;

    fn state(name: &str) -> Outlook {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in");
        let text = fs::read_to_string(folder.join(name)).unwrap();
        outlook(&Manifests::new(text, json!({}))).unwrap()
    }

    fn remedies(name: &str) -> Vec<(Standing, Vec<String>)> {
        let rollouts = state(name).rollouts.into_iter();
        rollouts
            .map(|rollout| (rollout.standing, rollout.remedies.into_iter().map(|remedy| remedy.what).collect()))
            .collect()
    }

    #[test]
    fn each_cause_has_remedies_that_were_played() {
        let stuck = |whats: &[&str]| vec![(Standing::Stuck, whats.iter().map(ToString::to_string).collect::<Vec<_>>())];
        let repair = "Fix what keeps its pods from becoming ready";
        assert_eq!(remedies("image.json"), stuck(&["Roll back", repair]));
        // Rolled back, the rollout would wait for room, too.
        let quota = ["Raise quota team", "Allow 1 unavailable pod instead of extra pods"];
        assert_eq!(remedies("quota.json"), stuck(&quota));
        assert_eq!(remedies("paused.json"), vec![(Standing::Paused, vec![String::from("Resume it")])]);
        assert_eq!(remedies("rolling.json"), vec![(Standing::Progressing, vec![])]);
        assert_eq!(remedies("complete.json"), vec![(Standing::Complete, vec![])]);
    }

    #[test]
    fn a_job_says_what_its_controller_waits_for() {
        let outlook = state("../../../controlplane/states/job-backing-off.yaml");
        let [job] = outlook.jobs.as_slice() else { panic!("{outlook:?}") };
        assert_eq!((job.name.as_str(), job.standing), ("task", JobStanding::Active));
        assert_eq!(job.summary, "Pods: 0 active, 0 of 1 succeeded, 1 failed");
        let waits = job.next.iter().find(|step| step.sentence.starts_with("task waits another ")).unwrap();
        assert!(waits.sentence.ends_with("1 pod failed since the last success."), "{waits:?}");
    }

    #[test]
    fn large_counts_have_grouped_digits() {
        let rollout = prediction::RolloutOutlook {
            kind: String::from("Deployment"),
            namespace: String::from("default"),
            name: String::from("web"),
            standing: prediction::Standing::Stuck,
            desired: 12_500,
            available: 10_000,
            new: 12_000,
            old: 500,
            new_terminating: 0,
            old_terminating: 0,
            complete: None,
            last_old_pod_gone: None,
            autoscaler: None,
            managed_by: None,
            deadline_exceeded: true,
            obstacles: Vec::new(),
            next: Vec::new(),
            is_forecast: true,
            assumed: prediction::Assumed::Nothing,
        };
        let summary = rollout_outlook(rollout, Vec::new(), false).summary;
        assert_eq!(summary, "12,000 new and 500 old pods, 10,000 of 12,500 available; old pods remain");
        let job = prediction::JobOutlook {
            kind: String::from("Job"),
            obstacles: Vec::new(),
            namespace: String::from("default"),
            name: String::from("task"),
            standing: prediction::JobStanding::Active,
            summary: String::from("Pods: 10000 active, 12000 of 25000 succeeded, 0 failed"),
            next: Vec::new(),
        };
        assert_eq!(job_outlook(job, false).summary, "Pods: 10,000 active, 12,000 of 25,000 succeeded, 0 failed");
    }

    /// What the rollouts of manifests wait for once nothing more happens.
    fn standstill_of(manifests: Manifests, forks: Vec<Fork>) -> Vec<RolloutOutlook> {
        let rollout = AskedRollout::Manifests(manifests);
        standstill(&StandstillQuestion { rollout, forks }).unwrap().rollouts
    }

    fn names(remedies: &[Remedy]) -> Vec<&str> {
        remedies.iter().map(|remedy| remedy.what.as_str()).collect()
    }

    const DEPLOYMENT: &str = r#"{ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": {
        "replicas": 3, "selector": { "matchLabels": { "app": "web" } }, "template": {
            "metadata": { "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "web", "image": "web:1" }] } } } }"#;

    #[test]
    fn manifests_that_never_complete_say_what_they_wait_for() {
        let quota = r#"{ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" }, "spec": { "hard": { "pods": "3" } } }"#;
        let with_quota = Manifests::new([DEPLOYMENT, quota].join("\n---\n"), json!({}));
        let never_pulled = Manifests::new(DEPLOYMENT, json!({ "kubelet": [{ "pull": "never", "revision": 2 }, {}] }));
        let full = Manifests::new(DEPLOYMENT, json!({ "nodes": [{ "name": "a", "pods": 3 }] }));
        let never_ready = Manifests::new(DEPLOYMENT, json!({ "kubelet": [{ "ready": "never", "revision": 2 }, {}] }));
        let repair = "Fix what keeps its pods from becoming ready";
        for (manifests, why, remedy) in [
            (with_quota, "the API server refuses pods: exceeded quota: team", "Raise quota team"),
            (never_pulled, "container web is waiting: ImagePullBackOff", repair),
            (never_ready, "pods are running but don't become ready", repair),
            (full, "no node has room for a pod", "Add a node, or make room on one"),
        ] {
            let rollouts = standstill_of(manifests, Vec::new());
            let [rollout] = rollouts.as_slice() else { panic!("{why}: {rollouts:?}") };
            assert_eq!(rollout.standing, Standing::Stuck, "{why}: {rollout:?}");
            assert!(rollout.obstacles.iter().any(|obstacle| obstacle.why.starts_with(why)), "{why}: {rollout:?}");
            assert!(names(&rollout.remedies).contains(&remedy), "{why}: {:?}", rollout.remedies);
            // No command names a pod that exists only here.
            let commands = rollout.obstacles.iter().filter_map(|obstacle| obstacle.command.as_deref());
            let mut commands = commands.chain(rollout.remedies.iter().filter_map(|remedy| remedy.command.as_deref()));
            assert!(commands.all(|command| !command.contains(" pod ")), "{why}: {rollout:?}");
        }
    }

    #[test]
    fn a_rollout_that_a_fork_keeps_from_its_end_says_so() {
        let manifests = || Manifests::new(DEPLOYMENT, json!({}));
        assert_eq!(standstill_of(manifests(), Vec::new()), []);
        let target = WorkloadName { kind: WorkloadKind::Deployment, namespace: "default".into(), name: "web".into() };
        let pause = Fork { at: 1_000_000_000, action: json!({ "pause": {} }), target: Some(target) };
        let rollouts = standstill_of(manifests(), vec![pause]);
        let [rollout] = rollouts.as_slice() else { panic!("{rollouts:?}") };
        assert_eq!((rollout.standing, names(&rollout.remedies)), (Standing::Paused, vec!["Resume it"]));
    }

    #[test]
    fn settings_in_the_controls_that_never_complete_say_what_they_wait_for() {
        let deployment = serde_json::from_str(DEPLOYMENT).unwrap();
        let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "a" }], "kubelet": [{ "image": "web:2", "pull": "never" }, {}] });
        let rollout = AskedRollout::Lane(LaneSource::Rollout { deployment, changes, surroundings: json!({}) });
        let rollouts = standstill(&StandstillQuestion { rollout, forks: Vec::new() }).unwrap().rollouts;
        let [rollout] = rollouts.as_slice() else { panic!("{rollouts:?}") };
        assert_eq!(names(&rollout.remedies), ["Roll back", "Fix what keeps its pods from becoming ready"]);
    }

    /// When the rollout is complete if a user does this at the start, as the page plays it.
    fn complete_after(manifests: &Manifests, action: Value) -> Option<i64> {
        let texts = Texts::read(manifests).map_err(first).unwrap();
        let plan = texts.plan().map_err(first).unwrap();
        let scenario = manifest_reader::scenario(&texts, &plan, &Variation::default()).map_err(first).unwrap();
        let fork = Fork { at: 1, action, target: None };
        let scenario = with_forks(scenario, 0, &[fork]).unwrap();
        let Totals { change, complete, .. } = changeover_player::totals(scenario, None).unwrap();
        complete.map(|complete| complete.saturating_add(change))
    }

    #[test]
    fn a_remedy_takes_as_long_as_the_page_plays_its_action() {
        let file = |name: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
            fs::read_to_string(folder.join(name)).unwrap()
        };
        let list = |name: &str| serde_json::from_str::<Value>(&file(name)).unwrap();
        let node = |name: &str, ready: &str, pods: &str, cordoned: bool| {
            json!({
                "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "uid": name },
                "spec": { "unschedulable": cordoned },
                "status": { "allocatable": { "pods": pods }, "conditions": [{ "type": "Ready", "status": ready }] },
            })
        };
        let mut lost = list("cli/cases/explain.in/rolling.json");
        let items = lost["items"].as_array_mut().unwrap();
        for object in items.iter_mut() {
            if object["kind"] == "Deployment" {
                object["spec"]["strategy"] = json!({ "type": "Recreate" });
            } else if object["kind"] == "Pod" {
                object["spec"]["nodeName"] = json!("node-a");
            }
        }
        items.extend([node("node-a", "Unknown", "110", false), node("node-b", "True", "110", false)]);
        let mut full = list("cli/cases/explain.in/image.json");
        let items = full["items"].as_array_mut().unwrap();
        let message = "0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable.";
        let condition =
            json!({ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message });
        for pod in items.iter_mut().filter(|object| object["status"]["phase"] == "Pending") {
            pod["spec"].as_object_mut().unwrap().remove("nodeName");
            pod["status"] = json!({ "phase": "Pending", "conditions": [condition.clone()] });
        }
        items.extend([node("node-1", "True", "3", false), node("spare", "True", "110", true)]);

        let mut verbs = BTreeSet::new();
        for text in [
            file("cli/cases/explain.in/paused.json"),
            file("controlplane/states/paused.yaml"),
            file("cli/cases/explain.in/image.json"),
            file("cli/cases/explain.in/overdue.json"),
            lost.to_string(),
            full.to_string(),
        ] {
            let manifests = Manifests::new(text, json!({}));
            for remedy in outlook(&manifests).unwrap().rollouts.into_iter().flat_map(|rollout| rollout.remedies) {
                let Some(action) = remedy.action.clone() else { continue };
                verbs.extend(action.as_object().unwrap().keys().cloned());
                let played = complete_after(&manifests, action);
                assert_eq!(played.map(format_clock), Some(format_clock(remedy.complete)), "{remedy:?}");
            }
        }
        let expected = ["apply", "delete", "deleteNode", "resume", "returnNode", "uncordon", "undo"].map(String::from);
        assert_eq!(verbs, BTreeSet::from(expected));
    }

    #[test]
    fn a_refused_pod_is_created_at_the_next_try() {
        let outlook = state("quota.json");
        let remedies = outlook.rollouts.iter().flat_map(|rollout| &rollout.remedies);
        let after_next_try: Vec<bool> = remedies.map(|remedy| remedy.after_next_try).collect();
        assert_eq!(after_next_try, [true, true]);
    }
}
