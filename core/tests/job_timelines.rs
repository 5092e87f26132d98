//! Jobs in the simulated cluster, from a plain manifest to the end.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::cluster::{Changes, Decision, steady_state};
use changeover_core::controller::{self, ApiError, Client, Event, Write, filter_pods_by_owner};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Kind, Object, ObjectKey, Pod, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Actor, EndReason, State, Step, Timeline};
use changeover_core::workload::job::controller::{
    Memory, View, get_completion_index, handle_single_orphan_pod, is_job_finished, sync_job,
};
use changeover_core::workload::job::{Job, JobSeries, PodReplacementPolicy};
use proptest::prelude::*;
use serde_json::{Value, json};

fn job(spec: Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "pi" },
        "spec": { "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "pi:1" }] } } },
    });
    job["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    job
}

fn play(scenario: Value) -> Timeline {
    Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap()
}

fn last_state(timeline: &Timeline) -> State {
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, timeline.len());
    cursor.state().clone()
}

fn jobs(state: &State) -> Vec<Rc<Job>> {
    state.objects().filter_map(Object::typed).cloned().collect()
}

/// The result of a Job: its true conditions, and how many pods succeeded and failed.
fn outcome(timeline: &Timeline) -> (Vec<String>, i32, i32) {
    let job = jobs(&last_state(timeline)).remove(0);
    let is_true = |condition: &Value| condition["status"] == "True";
    let conditions = serde_json::to_value(&job.status.conditions).unwrap();
    let conditions = conditions.as_array().unwrap().iter().filter(|condition| is_true(condition));
    let conditions = conditions.map(|condition| condition["type"].as_str().unwrap().to_owned()).collect();
    (conditions, job.status.succeeded, job.status.failed)
}

#[test]
fn a_plain_job_runs_to_complete() {
    let scenario = steady_state(&job(json!({ "completions": 3, "parallelism": 2 })), &Changes::default()).unwrap();
    let timeline = Timeline::run(scenario).unwrap();
    assert_eq!(timeline.end.reason, EndReason::Quiet);
    assert_eq!(outcome(&timeline), (vec!["SuccessCriteriaMet".into(), "Complete".into()], 3, 0));
    let pods = last_state(&timeline).pods().map(|pod| pod.metadata.finalizers.len()).collect::<Vec<_>>();
    assert_eq!(pods, [0, 0, 0]);
}

#[test]
fn bad_jobs_name_the_field() {
    let changes = |value: Value| Changes::from_value(&value).unwrap();
    let beside = json!({ "objects": [
        { "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "q" }, "spec": { "hard": { "pods": "4" } } },
        job(json!({ "completions": -2 })),
    ] });
    for (spec, given, message) in [
        (json!({ "completions": -1 }), json!({}), "job.spec.completions: Invalid value: -1: must be greater"),
        (json!({}), json!({ "replicas": -1 }), "changes.replicas: Invalid value: -1: must be greater"),
        (json!({}), json!({ "image": "pi:2" }), "changes.image: Invalid value: "),
        (json!({}), beside, "changes.objects[1].spec.completions: Invalid value: -2: must be greater"),
        (json!({}), json!({ "objects": [{ "kind": "Pod" }] }), "changes.objects[0].apiVersion: "),
        (
            json!({}),
            json!({ "patch": { "kind": "Pod" } }),
            "changes.patch.kind: Invalid value: \"Pod\": must be \"Job\", as in the Job",
        ),
    ] {
        let problem = steady_state(&job(spec), &changes(given)).unwrap_err().to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    let problem = steady_state(&json!({ "kind": "Pod" }), &Changes::default()).unwrap_err().to_string();
    assert_eq!(
        problem,
        "deployment.kind: Unsupported value: \"Pod\": supported values: \"CronJob\", \"DaemonSet\", \"Deployment\", \"Job\", \"ReplicationController\", \"StatefulSet\""
    );
}

/// Kubernetes issue 115844: two pods of one index at once.
#[test]
fn totals_tell_the_policies_apart() {
    for (policy, finished, most_of_index, peak) in [("TerminatingOrFailed", 82, 2, 4), ("Failed", 102, 1, 3)] {
        let spec = json!({
            "completions": 3, "parallelism": 3, "completionMode": "Indexed", "podReplacementPolicy": policy,
        });
        let kubelet = serde_json::from_value(json!([{ "run": "1m", "terminate": "20s" }])).unwrap();
        let mut scenario = steady_state(&job(spec), &Changes { kubelet, ..Changes::default() }).unwrap();
        let evict = json!({ "at": "10s", "evict": { "name": "pi/1" } });
        scenario.actions.push(serde_json::from_value(evict).unwrap());
        let timeline = Timeline::run(scenario).unwrap();
        let totals = timeline.job_totals("default", "pi", timeline.scenario.start);
        assert_eq!(totals.finished, Some(finished * Time::SECOND), "{policy}");
        assert_eq!((totals.most_of_index, totals.peak, totals.most_over), (most_of_index, peak, peak - 3), "{policy}");
        let status = totals.status.unwrap();
        assert_eq!((status.condition.as_deref(), status.completed_indexes.as_deref()), (Some("Complete"), Some("0-2")));
        // The pod terminates for 20 s, regardless of what else happens.
        assert_eq!(totals.terminating, 20 * Time::SECOND);
    }
}

/// What `kubectl get job -o yaml` prints has a selector and labels with the uid of the old Job.
#[test]
fn a_job_from_a_cluster_begins_again() {
    let first = steady_state(&job(json!({})), &Changes::default()).unwrap();
    let stored = jobs(&last_state(&Timeline::run(first).unwrap())).remove(0);
    let stored = Object::Job(stored).to_value();
    let again = Timeline::run(steady_state(&stored, &Changes::default()).unwrap()).unwrap();
    assert_eq!(outcome(&again), (vec!["SuccessCriteriaMet".into(), "Complete".into()], 1, 0));
}

/// A cluster as a replayed sync sees it: it gives the simulated one's answers.
struct Replay<'a> {
    now: Time,
    state: State,
    /// The steps of the controller for one object at this time, and how many of them have been repeated.
    steps: &'a [Step],
    next: usize,
}

impl Replay<'_> {
    fn is_unfinished(&self) -> bool {
        self.steps[self.next..].iter().any(is_answer)
    }

    fn sync(&mut self, about: &ObjectKey, memories: &mut BTreeMap<ObjectKey, Memory>) -> Result<(), String> {
        let pods: Vec<Rc<Pod>> = self.state.pods().cloned().collect();
        let jobs = jobs(&self.state);
        match self.state.get(about).cloned() {
            Some(Object::Job(job)) => {
                let memory = memories.entry(about.clone()).or_default();
                let pods = filter_pods_by_owner(&job.key(), &job.metadata.uid, &pods);
                // A refused write is also an error of the sync.
                let _ = sync_job(self, &View { job: &job, pods: &pods }, memory);
                (memory.expectations, memory.finalizers) = (None, BTreeSet::new());
                Ok(())
            }
            Some(Object::Pod(pod)) => {
                let owner = pod.metadata.controller();
                let owner = owner.and_then(|owner| jobs.iter().find(|job| job.metadata.uid == owner.uid));
                handle_single_orphan_pod(self, &pod, owner.map(|job| &**job)).map_err(|error| error.to_string())
            }
            _ => Err(format!("{about} is not there")),
        }
    }
}

/// Whether a step is the response to a write.
fn is_answer(step: &Step) -> bool {
    step.change.is_some() || matches!(step.decision, Decision::Quota(_))
}

impl Client for Replay<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn gates(&self) -> FeatureGates {
        FeatureGates::default()
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.state.get(key).cloned()
    }

    fn write(&mut self, write: Write, decision: controller::Decision) -> Result<Option<Object>, ApiError> {
        // A write that changes nothing leaves no step.
        if let Write::Patch(object) | Write::UpdateStatus(object) = &write
            && self.state.get(&object.key()) == Some(object)
        {
            return Ok(Some(object.clone()));
        }
        let position = self.steps[self.next..].iter().position(is_answer);
        let position = self.next + position.unwrap_or_else(|| panic!("{decision:?} was not made"));
        self.next = position + 1;
        let step = &self.steps[position];
        let Some(change) = &step.change else {
            return Err(ApiError::new(403, "Forbidden", ""));
        };
        assert_eq!((&step.decision, change.verb), (&Decision::Controller(decision), write.verb()));
        self.state.put(&change.key, change.after.clone());
        Ok(change.after.clone())
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, _: controller::Decision) {}
}

/// Replays each sync of the Job controller with all pods, and expects the same writes.
fn replay(timeline: &Timeline) -> Result<(), String> {
    let mut memories: BTreeMap<ObjectKey, Memory> = BTreeMap::new();
    let mut state = (*timeline.initial).clone();
    let mut index = 0;
    while let Some(step) = timeline.steps.get(index) {
        if step.actor != Actor::JobController {
            if step.reason().rule.id == "user.restart" {
                memories.clear();
            }
            if let Some(change) = &step.change {
                state.put(&change.key, change.after.clone());
                if change.key.kind == Kind::Job && change.after.is_none() {
                    memories.remove(&change.key);
                }
            }
            index += 1;
            continue;
        }
        let is_of_sync = |other: &&Step| {
            other.actor == Actor::JobController && (other.time, &other.about) == (step.time, &step.about)
        };
        let steps = timeline.steps[index..].iter().take_while(is_of_sync).count();
        let mut client = Replay { now: step.time, state, steps: &timeline.steps[index..index + steps], next: 0 };
        // There may be several syncs at one time.
        while client.is_unfinished() {
            let next = client.next;
            client.sync(&step.about, &mut memories)?;
            if client.next == next {
                return Err(format!("at {}, {:?} was not repeated", step.time, client.steps[next].decision));
            }
        }
        state = client.state;
        index += steps;
    }
    Ok(())
}

fn is_failed_policy(job: &Job) -> bool {
    job.spec.pod_replacement_policy == Some(PodReplacementPolicy::Failed)
}

/// How many pods node a has room for.
const ROOM: usize = 2;

/// Whether a pod counts toward a quota: until it ends, and if it never does, until twice its grace period is over.
fn counts_toward_quota(pod: &Pod, now: Time) -> bool {
    let metadata = &pod.metadata;
    let given_up = metadata.deletion_timestamp.zip(metadata.deletion_grace_period_seconds);
    !pod.is_terminal() && given_up.is_none_or(|(end, grace)| now <= end.plus_seconds(grace))
}

/// At every frame: node a and the quota have no more pods than they allow, succeeded indexes stay succeeded, and no two pods run
/// an index under a policy that only replaces failed pods.
fn check_frames(timeline: &Timeline, quota: Option<usize>) -> Result<(), TestCaseError> {
    let mut cursor = timeline.cursor();
    let mut succeeded: BTreeMap<Rc<str>, i32> = BTreeMap::new();
    for frame in 0..=timeline.len() {
        cursor.seek(timeline, frame);
        let now = frame.checked_sub(1).map_or(timeline.scenario.start, |step| timeline.steps[step].time);
        let pods = || cursor.state().pods();
        let on_a = pods().filter(|pod| !pod.is_terminal() && pod.spec.node_name.as_deref() == Some("a")).count();
        prop_assert!(on_a <= ROOM, "frame {frame}: {on_a} pods on node a");
        let counted = pods().filter(|pod| counts_toward_quota(pod, now)).count();
        prop_assert!(quota.is_none_or(|quota| counted <= quota), "frame {frame}: {counted} pods within {quota:?}");
        for job in jobs(cursor.state()) {
            let before = succeeded.insert(job.metadata.uid.clone(), job.status.succeeded).unwrap_or(0);
            prop_assert!(job.status.succeeded >= before, "frame {frame}: {before} pods had succeeded");
            let mut taken = BTreeSet::new();
            for pod in pods().filter(|pod| pod.metadata.is_controlled_by(&job.metadata)) {
                let holds = pod.is_active() || is_failed_policy(&job) && pod.is_terminating();
                let index = get_completion_index(pod).filter(|_| holds);
                prop_assert!(index.is_none() || taken.insert(index), "frame {frame}: two pods of index {index:?}");
            }
        }
    }
    Ok(())
}

/// Why a Job is not finished at the end of a timeline.
fn reason_to_wait(job: &Job, state: &State) -> Option<&'static str> {
    if is_job_finished(job) {
        return Some("over");
    }
    let mut pods = state.pods().filter(|pod| pod.metadata.is_controlled_by(&job.metadata)).peekable();
    match () {
        () if job.spec.suspend == Some(true) => Some("suspended"),
        () if job.spec.parallelism == Some(0) => Some("no parallelism"),
        () if pods.any(|pod| !pod.is_terminal()) => Some("pods that do not end"),
        () => None,
    }
}

fn action() -> impl Strategy<Value = Value> {
    let pod = || (0_u32..6).prop_map(|index| format!("pi/{index}"));
    prop_oneof![
        Just(json!({ "suspend": { "name": "pi" } })),
        Just(json!({ "resume": { "kind": "Job", "name": "pi" } })),
        (0..6).prop_map(|replicas| json!({ "scale": { "kind": "Job", "name": "pi", "replicas": replicas } })),
        pod().prop_map(|name| json!({ "evict": { "name": name } })),
        pod().prop_map(|name| json!({ "preempt": { "name": name } })),
        pod().prop_map(|name| json!({ "delete": { "kind": "Pod", "name": name } })),
        (pod(), 0..3).prop_map(
            |(name, grace)| json!({ "delete": { "kind": "Pod", "name": name, "gracePeriodSeconds": grace } })
        ),
        prop_oneof!["background", "foreground", "orphan"]
            .prop_map(|cascade| json!({ "delete": { "kind": "Job", "name": "pi", "cascade": cascade } })),
        Just(json!({ "create": job(json!({ "completions": 2 })) })),
        Just(json!({ "loseNode": { "name": "a" } })),
        Just(json!({ "returnNode": { "name": "a" } })),
        Just(json!({ "deleteNode": { "name": "b" } })),
        Just(json!({ "featureGates": {} })),
    ]
}

fn any_job() -> impl Strategy<Value = Value> {
    let shape = (1_i32..7, 0_i32..5, any::<bool>(), any::<bool>(), any::<bool>());
    let limits = (0_i32..4, prop::option::of(20_i64..200), any::<bool>(), any::<bool>());
    (shape, limits).prop_map(
        |((completions, parallelism, indexed, failed, queue), (limit, deadline, per_index, on_failure))| {
            let mut spec = json!({
                "parallelism": parallelism,
                "backoffLimit": limit,
                "completionMode": if indexed { "Indexed" } else { "NonIndexed" },
                "podReplacementPolicy": if failed { "Failed" } else { "TerminatingOrFailed" },
            });
            if indexed || !queue {
                spec["completions"] = completions.into();
            }
            if let Some(deadline) = deadline {
                spec["activeDeadlineSeconds"] = deadline.into();
            }
            let mut job = job(spec);
            if indexed && per_index && !on_failure {
                job["spec"]["backoffLimitPerIndex"] = 1.into();
            }
            if on_failure {
                job["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure".into();
            }
            job
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn jobs_keep_their_rules_and_end(
        job in any_job(),
        actions in prop::collection::vec((0_u32..120, action()), 0..8),
        failing in prop::option::of((1_u32..20, 1_u32..4)),
        quota in prop::option::of(1_usize..6),
        limited in any::<bool>(),
        seed in 0_u64..9,
    ) {
        let mut kubelet = vec![json!({ "run": "20s", "terminate": "12s", "jitterPercent": 80 })];
        if let Some((crash, attempts)) = failing {
            kubelet.insert(0, json!({ "attempts": format!("1-{attempts}"), "crash": format!("{crash}s"), "terminate": "7s" }));
        }
        let timed = actions.into_iter().map(|(at, mut action)| { action["at"] = format!("{at}s").into(); action });
        let actions: Vec<Value> = [json!({ "create": job })].into_iter().chain(timed).collect();
        let hard = quota.map(|pods| json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "q" }, "spec": { "hard": { "pods": pods } },
        }));
        let mut scenario = json!({
            "version": 1, "seed": seed, "kubelet": kubelet, "actions": actions,
            "nodes": [{ "name": "a", "pods": ROOM }, { "name": "b" }],
            "objects": hard.into_iter().collect::<Vec<_>>(),
            "limits": { "time": "2h" },
        });
        if limited {
            scenario["controllerManager"] = json!({ "qps": 3, "burst": 2 });
        }
        let timeline = play(scenario);
        check_frames(&timeline, quota)?;
        for (key, series) in JobSeries::of_all(&timeline) {
            prop_assert_eq!(series.points, JobSeries::of(&timeline, &key.namespace, &key.name).points);
        }
        let state = last_state(&timeline);
        for job in jobs(&state).iter().filter(|_| timeline.end.reason == EndReason::Quiet) {
            prop_assert!(reason_to_wait(job, &state).is_some(), "{}", Object::Job(job.clone()).to_value());
        }
        if !limited {
            replay(&timeline).map_err(TestCaseError::fail)?;
        }
    }
}
