//! A second opinion on Jobs: in a small world that knows what happened to each pod, the controller never runs two pods
//! of one index, never runs more pods than allowed, counts each pod once, and finishes.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::controller::job::{
    Memory, View, filter_pods_by_owner, get_completion_index, is_job_finished, sync_job,
};
use changeover_core::controller::{ApiError, Client, Decision, Event, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{
    Job, Object, ObjectKey, Pod, PodFailurePolicyAction, PodPhase, PodReplacementPolicy, Time,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An event.
#[derive(Clone, Debug)]
enum Happening {
    /// Seconds pass.
    Pass(u16),
    /// A pod runs.
    Start(u8),
    /// A pod's containers end with this exit code.
    End(u8, u8),
    /// A pod is evicted.
    Evict(u8),
    /// A terminating pod is removed.
    Vanish(u8),
    /// The user suspends or resumes the Job.
    Suspend(bool),
    /// The user changes the parallelism.
    Scale(u8),
}

fn event() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (0_u16..30).prop_map(Happening::Pass),
        1 => (30_u16..900).prop_map(Happening::Pass),
        4 => any::<u8>().prop_map(Happening::Start),
        4 => (any::<u8>(), prop_oneof![3 => Just(0), 1 => Just(1), 1 => Just(42)]).prop_map(|(pod, code)| Happening::End(pod, code)),
        2 => any::<u8>().prop_map(Happening::Evict),
        2 => any::<u8>().prop_map(Happening::Vanish),
        1 => any::<bool>().prop_map(Happening::Suspend),
        1 => (0_u8..6).prop_map(Happening::Scale),
    ]
}

/// A Job that never reaches a failure limit.
fn job() -> impl Strategy<Value = Job> {
    let shape = (1_i32..6, 0_i32..5, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    shape.prop_map(|(completions, parallelism, indexed, per_index, failed, ignores)| {
        let rule = json!({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}});
        let value = json!({
            "metadata": {"name": "pi", "namespace": "default", "uid": "job"},
            "spec": {
                "completions": completions, "parallelism": parallelism, "backoffLimit": i32::MAX,
                "backoffLimitPerIndex": (indexed && per_index).then_some(i32::MAX),
                "completionMode": if indexed { "Indexed" } else { "NonIndexed" },
                "podReplacementPolicy": if failed || ignores { "Failed" } else { "TerminatingOrFailed" },
                "podFailurePolicy": ignores.then(|| json!({"rules": [rule]})),
                "selector": {"matchLabels": {"app": "pi"}},
                "template": {"metadata": {"labels": {"app": "pi"}}, "spec": {"containers": [{"name": "app"}]}},
            },
        });
        serde_json::from_value(value).unwrap()
    })
}

/// The API server, and what really happened to the pods.
struct World {
    now: Time,
    job: Rc<Job>,
    pods: BTreeMap<Rc<str>, Rc<Pod>>,
    created: usize,
    wrote: bool,
    /// The uids of pods that count as succeeded or failed.
    succeeded: BTreeSet<Rc<str>>,
    failed: BTreeSet<Rc<str>>,
    /// The indexes of those that succeeded.
    indexes: BTreeSet<i64>,
}

impl World {
    fn new(job: Job) -> Self {
        Self {
            now: Time::parse("2026-01-01T00:00:00Z").unwrap(),
            job: Rc::new(job),
            pods: BTreeMap::new(),
            created: 0,
            wrote: false,
            succeeded: BTreeSet::new(),
            failed: BTreeSet::new(),
            indexes: BTreeSet::new(),
        }
    }

    fn replaces_failed_only(&self) -> bool {
        self.job.spec.pod_replacement_policy == Some(PodReplacementPolicy::Failed)
    }

    fn is_indexed(&self) -> bool {
        self.job.spec.completion_mode.as_deref() == Some("Indexed")
    }

    /// The pods that hold a slot: the active ones and, under the policy Failed, the terminating ones.
    fn holding(&self) -> Vec<&Rc<Pod>> {
        let holds = |pod: &&Rc<Pod>| pod.is_active() || self.replaces_failed_only() && pod.is_terminating();
        self.pods.values().filter(holds).collect()
    }

    fn pick(&self, pick: u8, accept: impl Fn(&Pod) -> bool) -> Option<Rc<Pod>> {
        let pods: Vec<_> = self.pods.values().filter(|pod| accept(pod)).collect();
        (!pods.is_empty()).then(|| pods[usize::from(pick) % pods.len()].clone())
    }

    fn change(&mut self, pod: &Pod, change: impl FnOnce(&mut Pod)) {
        let pod = self.pods.get_mut(&pod.metadata.name).unwrap();
        change(Rc::make_mut(pod));
        let pod = pod.clone();
        if pod.metadata.deletion_timestamp.is_some() && pod.is_terminal() && pod.metadata.finalizers.is_empty() {
            self.pods.remove(&pod.metadata.name);
        }
    }

    /// Whether the Job still tracks the pod: the controller releases those that it deletes itself.
    fn is_followed(pod: &Pod) -> bool {
        !pod.metadata.finalizers.is_empty()
    }

    fn end(&mut self, pod: &Pod, code: u8) {
        let phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
        let finished = self.now.to_string();
        self.change(pod, |pod| {
            pod.status.phase = phase;
            let state = json!({"terminated": {"exitCode": code, "finishedAt": finished}});
            let status = json!([{"name": "app", "restartCount": 0, "state": state}]);
            pod.status.container_statuses = serde_json::from_value(status).unwrap();
        });
        if !Self::is_followed(pod) {
            return;
        }
        // An evicted pod that waits for its replacement is not counted yet: it may still succeed.
        self.failed.remove(&pod.metadata.uid);
        if code == 0 {
            self.succeeded.insert(pod.metadata.uid.clone());
            self.indexes.extend(get_completion_index(pod));
        } else if !(self.ignores() && code == 42) {
            self.failed.insert(pod.metadata.uid.clone());
        }
    }

    fn ignores(&self) -> bool {
        let policy = self.job.spec.pod_failure_policy.as_ref();
        policy.is_some_and(|policy| policy.rules[0].action == PodFailurePolicyAction::Ignore)
    }

    fn happen(&mut self, event: &Happening) {
        match *event {
            Happening::Pass(seconds) => self.now = self.now.plus_seconds(seconds.into()),
            Happening::Start(pick) => {
                if let Some(pod) = self.pick(pick, |pod| pod.is_active() && pod.status.phase == PodPhase::Pending) {
                    self.change(&pod, |pod| pod.status.phase = PodPhase::Running);
                }
            }
            Happening::End(pick, code) => {
                if let Some(pod) = self.pick(pick, |pod| pod.status.phase == PodPhase::Running) {
                    self.end(&pod, code);
                }
            }
            Happening::Evict(pick) => {
                if let Some(pod) = self.pick(pick, Pod::is_active) {
                    self.delete(&pod);
                    if !self.replaces_failed_only() && Self::is_followed(&pod) {
                        self.failed.insert(pod.metadata.uid.clone());
                    }
                }
            }
            Happening::Vanish(pick) => {
                if let Some(pod) = self.pick(pick, Pod::is_terminating) {
                    self.end(&pod, 137);
                }
            }
            Happening::Suspend(suspend) => Rc::make_mut(&mut Rc::make_mut(&mut self.job).spec).suspend = Some(suspend),
            Happening::Scale(parallelism) => {
                Rc::make_mut(&mut Rc::make_mut(&mut self.job).spec).parallelism = Some(parallelism.into());
            }
        }
    }

    fn delete(&mut self, pod: &Pod) {
        let at = self.now.plus_seconds(30);
        self.change(pod, |pod| {
            let metadata = Rc::make_mut(&mut pod.metadata);
            metadata.deletion_timestamp = Some(at);
            metadata.deletion_grace_period_seconds = Some(30);
        });
    }

    /// Syncs until the controller has nothing to do.
    fn settle(&mut self, memory: &mut Memory) {
        for _ in 0..20 {
            let job = self.job.clone();
            let pods: Vec<_> = self.pods.values().cloned().collect();
            let pods = filter_pods_by_owner(&job, &pods);
            self.wrote = false;
            sync_job(self, &View { job: &job, pods: &pods }, memory).unwrap();
            // It immediately observes its own writes.
            memory.expectations = None;
            memory.finalizers.clear();
            if !self.wrote {
                return;
            }
        }
        panic!("the controller goes on writing");
    }

    fn check(&self) {
        let status = &self.job.status;
        let mut taken = BTreeSet::new();
        for pod in self.holding() {
            let index = get_completion_index(pod);
            assert_eq!(index.is_some(), self.is_indexed());
            assert!(index.is_none() || taken.insert(index), "two pods of index {index:?}");
        }
        let succeeded = if self.is_indexed() { self.indexes.len() } else { self.succeeded.len() };
        assert_eq!(usize::try_from(status.succeeded), Ok(succeeded), "succeeded");
        // A pod that was replaced in its index is counted as soon as the replacement exists.
        let delayed = |pod: &&Rc<Pod>| Self::is_followed(pod) && self.failed.contains(&pod.metadata.uid);
        let delayed = self.pods.values().filter(delayed).count();
        assert_eq!(usize::try_from(status.failed), Ok(self.failed.len() - delayed), "failed");
        let active = self.pods.values().filter(|pod| pod.is_active()).count();
        assert_eq!(usize::try_from(status.active), Ok(active), "active");
        let terminating = self.pods.values().filter(|pod| pod.is_terminating()).count();
        assert_eq!(status.terminating.map(usize::try_from), Some(Ok(terminating)), "terminating");
        if is_job_finished(&self.job) {
            assert_eq!((active, terminating), (0, 0));
            assert!(self.pods.values().all(|pod| !Self::is_followed(pod)));
        }
    }
}

impl Client for World {
    fn now(&self) -> Time {
        self.now
    }

    fn gates(&self) -> FeatureGates {
        FeatureGates::default()
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        self.pods.get(&key.name).cloned().map(Object::Pod)
    }

    fn write(&mut self, write: Write, _: Decision) -> Result<Option<Object>, ApiError> {
        self.wrote = true;
        match write {
            Write::Create(Object::Pod(pod)) => {
                let parallelism = usize::try_from(self.job.spec.parallelism.unwrap()).unwrap();
                assert!(self.holding().len() < parallelism, "more pods than parallelism");
                self.created += 1;
                let name: Rc<str> = format!("{}{}", pod.metadata.generate_name, self.created).into();
                let mut pod = (*pod).clone();
                let metadata = Rc::make_mut(&mut pod.metadata);
                (metadata.name, metadata.uid) = (name.clone(), name.clone());
                metadata.creation_timestamp = Some(self.now);
                pod.status.phase = PodPhase::Pending;
                pod.spec.node_name = Some("node".into());
                self.pods.insert(name, Rc::new(pod.clone()));
                Ok(Some(pod.into()))
            }
            Write::Patch(Object::Pod(patched)) => {
                if !self.pods.contains_key(&patched.metadata.name) {
                    return Err(ApiError::not_found(&patched.key()));
                }
                self.change(&patched, |pod| pod.metadata = patched.metadata.clone());
                Ok(None)
            }
            Write::Delete { key, .. } => {
                let pod = self.pods.get(&key.name).cloned().ok_or_else(|| ApiError::not_found(&key))?;
                self.delete(&pod);
                Ok(None)
            }
            Write::UpdateStatus(Object::Job(job)) => {
                Rc::make_mut(&mut self.job).status = job.status.clone();
                Ok(Some(Object::Job(self.job.clone())))
            }
            other => panic!("{other:?}"),
        }
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, _: Decision) {}
}

proptest! {
    #[test]
    fn pods_are_limited_replaced_and_counted(job in job(), events in prop::collection::vec(event(), 0..60)) {
        let (mut world, mut memory) = (World::new(job), Memory::default());
        world.settle(&mut memory);
        for event in &events {
            world.happen(event);
            world.settle(&mut memory);
            world.check();
        }
        // From now on, everything succeeds.
        world.happen(&Happening::Suspend(false));
        world.happen(&Happening::Scale(3));
        for _ in 0..200 {
            world.settle(&mut memory);
            world.check();
            if is_job_finished(&world.job) {
                break;
            }
            world.happen(&Happening::Pass(700));
            world.happen(&Happening::Vanish(0));
            world.happen(&Happening::Start(0));
            world.settle(&mut memory);
            world.happen(&Happening::End(0, 0));
        }
        let complete = world.job.status.conditions.iter().any(|condition| &*condition.type_ == "Complete");
        prop_assert!(complete, "never complete: {}", Value::from(world.job.status.conditions.len()));
    }
}
