//! A second opinion on Jobs: a small world that knows what happened to each pod says, step by step and without the
//! controller's code, how many pods should run, which of them count, and when the Job is over. It has its own definitions of an
//! active and a terminating pod, of a pod's index and of a finished Job.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::controller::{ApiError, Client, Decision, Event, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{ConditionStatus, Object, ObjectKey, Pod, PodPhase, Time};
use changeover_core::workload::job::controller::{Memory, View, sync_job};
use changeover_core::workload::job::{Job, PodFailurePolicyAction, PodReplacementPolicy};
use proptest::prelude::*;
use serde_json::{Value, json};

fn has_ended(pod: &Pod) -> bool {
    matches!(pod.status.phase, PodPhase::Succeeded | PodPhase::Failed)
}

fn is_active(pod: &Pod) -> bool {
    !has_ended(pod) && pod.metadata.deletion_timestamp.is_none()
}

fn is_terminating(pod: &Pod) -> bool {
    !has_ended(pod) && pod.metadata.deletion_timestamp.is_some()
}

fn index_of(pod: &Pod) -> Option<i64> {
    pod.metadata.annotation("batch.kubernetes.io/job-completion-index").map(|index| index.parse().unwrap())
}

fn is_over(job: &Job) -> bool {
    let mut conditions = job.status.conditions.iter();
    conditions.any(|it| matches!(&*it.type_, "Complete" | "Failed") && it.status == ConditionStatus::True)
}

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

/// A limit: often one that is never reached.
fn limit() -> impl Strategy<Value = i32> {
    prop_oneof![Just(i32::MAX), 0_i32..4]
}

/// A rule of a successPolicy: as many of these indexes, or of all; without a number, all of them.
fn success_rule(completions: i32) -> impl Strategy<Value = Value> {
    let indexes = prop::collection::btree_set(0..completions, 1..=usize::try_from(completions).unwrap());
    (prop::option::of(indexes), any::<prop::sample::Index>()).prop_flat_map(move |(indexes, count)| {
        let all = indexes.as_ref().map_or(usize::try_from(completions).unwrap(), BTreeSet::len);
        let count = json!(count.index(all) + 1);
        let text = indexes.map(|indexes| indexes.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        let mut rules = vec![json!({"succeededIndexes": text, "succeededCount": count})];
        rules.extend(text.map(|text| json!({"succeededIndexes": text})));
        prop::sample::select(rules)
    })
}

/// What a Job does with its pods.
fn mode() -> impl Strategy<Value = Value> {
    let limits = (limit(), prop::option::of(0_i32..3));
    prop_oneof![
        Just(json!({"completionMode": "NonIndexed"})),
        (1_i32..6).prop_map(|completions| json!({"completionMode": "NonIndexed", "completions": completions})),
        (1_i32..6).prop_map(|completions| json!({"completionMode": "Indexed", "completions": completions})),
        (1_i32..6).prop_flat_map(|completions| {
            let rules = prop::collection::vec(success_rule(completions), 1..3);
            rules.prop_map(move |rules| {
                json!({
                    "completionMode": "Indexed", "completions": completions, "successPolicy": {"rules": rules},
                })
            })
        }),
        (1_i32..6, limits).prop_map(|(completions, (per_index, max_failed))| json!({
            "completionMode": "Indexed", "completions": completions, "backoffLimitPerIndex": per_index,
            "maxFailedIndexes": max_failed.map(|max| max.min(completions)),
        })),
    ]
}

/// A Job of any mode and with any limits. Its podFailurePolicy is about exit code 42; without one, failed containers may be
/// restarted in their pods.
fn job() -> impl Strategy<Value = Job> {
    let action = prop::option::of(prop_oneof!["Ignore", "Count", "FailJob", "FailIndex"]);
    let deadline = prop::option::weighted(0.3, 1_i64..3_000);
    let shape = (0_i32..5, mode(), limit(), any::<bool>(), action, deadline, any::<bool>());
    shape.prop_map(|(parallelism, mode, backoff_limit, failed, action, deadline, on_failure)| {
        let per_index = mode.get("backoffLimitPerIndex").is_some();
        // The API server refuses FailIndex without a limit per index.
        let action = action.filter(|action| per_index || action != "FailIndex");
        // podFailurePolicy and limits per index need pods that end with their containers.
        let on_failure = on_failure && action.is_none() && !per_index;
        let rule = |action| json!({"action": action, "onExitCodes": {"operator": "In", "values": [42]}});
        let mut spec = json!({
            "parallelism": parallelism, "backoffLimit": backoff_limit,
            "podReplacementPolicy": if failed || action.is_some() { "Failed" } else { "TerminatingOrFailed" },
            "podFailurePolicy": action.map(|action| json!({"rules": [rule(action)]})),
            "activeDeadlineSeconds": deadline,
        });
        spec.as_object_mut().unwrap().extend(mode.as_object().unwrap().clone());
        job_with(spec, if on_failure { "OnFailure" } else { "Never" })
    })
}

fn job_with(mut spec: Value, restart_policy: &str) -> Job {
    spec["selector"] = json!({"matchLabels": {"app": "pi"}});
    let pod = json!({"restartPolicy": restart_policy, "containers": [{"name": "app"}]});
    spec["template"] = json!({"metadata": {"labels": {"app": "pi"}}, "spec": pod});
    let metadata = json!({"name": "pi", "namespace": "default", "uid": "job"});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
}

/// The failures of an index since its pods have been replaced without a break.
#[derive(Clone, Copy, Default)]
struct IndexFailures {
    /// Those that count toward the limit of the index.
    counted: i32,
    /// All of them: they make the back-off longer.
    all: i32,
    last: Option<Time>,
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
    failed_indexes: BTreeSet<i64>,
    /// Where each index has a limit of its own.
    index_failures: BTreeMap<i64, IndexFailures>,
    /// How many pods failed since the last success, and when the last of them did.
    failures_in_a_row: i32,
    last_failure: Option<Time>,
    /// Whether a rule FailJob matches a pod.
    fails_job: bool,
    /// Since when the Job has been active without a break.
    started: Option<Time>,
    /// How the Job ends, once that is clear: the type and the reason of the condition.
    verdict: Option<(&'static str, &'static str)>,
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
            failed_indexes: BTreeSet::new(),
            index_failures: BTreeMap::new(),
            failures_in_a_row: 0,
            last_failure: None,
            fails_job: false,
            started: None,
            verdict: None,
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
        let holds = |pod: &&Rc<Pod>| is_active(pod) || self.replaces_failed_only() && is_terminating(pod);
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
        if pod.metadata.deletion_timestamp.is_some() && has_ended(&pod) && pod.metadata.finalizers.is_empty() {
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
        if self.failed.remove(&pod.metadata.uid)
            && let Some(failures) = index_of(pod).and_then(|index| self.index_failures.get_mut(&index))
        {
            failures.counted -= 1;
            failures.all -= 1;
        }
        if code == 0 {
            self.succeeded.insert(pod.metadata.uid.clone());
            self.indexes.extend(index_of(pod));
            self.failures_in_a_row = 0;
        } else {
            self.fail(pod, code);
        }
    }

    fn restarts_containers(&self) -> bool {
        self.job.spec.template.spec.fields.unknown.get("restartPolicy").is_some_and(|policy| policy == "OnFailure")
    }

    /// A container has failed, and the kubelet starts it again.
    fn restart(&mut self, pod: &Pod) {
        let restarts = Self::restarts_of(pod) + 1;
        self.change(pod, |pod| {
            let status = json!([{"name": "app", "restartCount": restarts, "state": {"running": {}}}]);
            pod.status.container_statuses = serde_json::from_value(status).unwrap();
        });
    }

    fn restarts_of(pod: &Pod) -> i32 {
        pod.status.container_statuses.iter().map(|status| status.restart_count).sum()
    }

    /// Whether the containers of the pods that have not ended restarted too often: as often as the limit, or once if it is 0.
    fn restarted_too_often(&self) -> bool {
        let restarts: i32 = self.pods.values().filter(|pod| !has_ended(pod)).map(|pod| Self::restarts_of(pod)).sum();
        self.restarts_containers() && restarts >= self.job.spec.backoff_limit.unwrap().max(1)
    }

    fn is_past_deadline(&self) -> bool {
        let active = self.started.map(|started| self.now.since(started));
        let limit = self.job.spec.active_deadline_seconds;
        active.zip(limit).is_some_and(|(active, limit)| active >= limit * Time::SECOND)
    }

    /// Whether the indexes that succeeded fulfill a rule of the successPolicy.
    fn meets_success_policy(&self) -> bool {
        let mut rules = self.job.spec.success_policy.iter().flat_map(|policy| &policy.rules);
        rules.any(|rule| {
            let indexes = rule.succeeded_indexes.as_deref().map(listed);
            let of_rule = self.indexes.iter().filter(|index| indexes.as_ref().is_none_or(|all| all.contains(index)));
            let wanted = rule.succeeded_count.map(|count| usize::try_from(count).unwrap());
            of_rule.count() >= wanted.unwrap_or_else(|| indexes.unwrap().len())
        })
    }

    /// What the podFailurePolicy says about an exit code.
    fn action(&self, code: u8) -> PodFailurePolicyAction {
        let policy = self.job.spec.pod_failure_policy.as_ref().filter(|_| code == 42);
        policy.map_or(PodFailurePolicyAction::Count, |policy| policy.rules[0].action)
    }

    /// A pod has failed.
    fn fail(&mut self, pod: &Pod, code: u8) {
        self.failures_in_a_row += 1;
        self.last_failure = Some(self.now);
        let action = self.action(code);
        let counts = action != PodFailurePolicyAction::Ignore;
        if counts {
            self.failed.insert(pod.metadata.uid.clone());
        }
        self.fails_job |= action == PodFailurePolicyAction::FailJob;
        if let (Some(index), Some(limit)) = (index_of(pod), self.job.spec.backoff_limit_per_index) {
            let failures = self.index_failures.entry(index).or_default();
            failures.counted += i32::from(counts);
            failures.all += 1;
            failures.last = Some(self.now);
            if failures.counted > limit || action == PodFailurePolicyAction::FailIndex {
                self.failed_indexes.insert(index);
            }
        }
    }

    fn is_suspended(&self) -> bool {
        self.job.spec.suspend == Some(true)
    }

    /// How many pods or indexes have succeeded.
    fn successes(&self) -> usize {
        if self.is_indexed() { self.indexes.len() } else { self.succeeded.len() }
    }

    fn active(&self) -> usize {
        self.pods.values().filter(|pod| is_active(pod)).count()
    }

    fn terminating(&self) -> usize {
        self.pods.values().filter(|pod| is_terminating(pod)).count()
    }

    /// How the Job has to end, as far as its documentation says; the first reason counts.
    fn end_of_job(&self) -> Option<(&'static str, &'static str)> {
        let spec = &self.job.spec;
        let exceeds =
            |count: usize, limit: Option<i32>| limit.is_some_and(|limit| count > usize::try_from(limit).unwrap());
        let completions = spec.completions.map(|completions| usize::try_from(completions).unwrap());
        let has_active = self.active() > 0 && !self.is_suspended();
        if self.fails_job {
            Some(("FailureTarget", "PodFailurePolicy"))
        } else if exceeds(self.failed.len(), spec.backoff_limit) || self.restarted_too_often() {
            Some(("FailureTarget", "BackoffLimitExceeded"))
        } else if self.is_past_deadline() {
            Some(("FailureTarget", "DeadlineExceeded"))
        } else if exceeds(self.failed_indexes.len(), spec.max_failed_indexes) {
            Some(("FailureTarget", "MaxFailedIndexesExceeded"))
        } else if !self.failed_indexes.is_empty()
            && completions.is_some_and(|all| self.failed_indexes.len() + self.indexes.len() >= all)
        {
            Some(("FailureTarget", "FailedIndexes"))
        } else if self.meets_success_policy() {
            Some(("SuccessCriteriaMet", "SuccessPolicy"))
        } else if completions.map_or(self.successes() > 0 && !has_active, |all| self.successes() >= all) {
            Some(("SuccessCriteriaMet", "CompletionsReached"))
        } else {
            None
        }
    }

    /// Pods that have not ended when the Job fails count as failed.
    fn judge(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        self.verdict = self.end_of_job();
        if self.verdict.is_some_and(|(type_, _)| type_ == "FailureTarget") {
            let left = self.pods.values().filter(|pod| Self::is_followed(pod) && !has_ended(pod));
            self.failed.extend(left.map(|pod| pod.metadata.uid.clone()));
        }
    }

    /// Whether 10 s, doubled for each further failure up to 10 min, have passed since the last failure.
    fn back_off_is_over(&self, failures: i32, last: Option<Time>) -> bool {
        let mut seconds = 10;
        for _ in 1..failures {
            seconds = i64::min(seconds * 2, 600);
        }
        failures == 0 || last.is_none_or(|last| last.plus_seconds(seconds) <= self.now)
    }

    /// How many pods should be active once the controller has done its work.
    fn wanted(&self) -> usize {
        if self.verdict.is_some() || self.is_suspended() {
            return 0;
        }
        let (active, spec) = (self.active(), &self.job.spec);
        let parallelism = usize::try_from(spec.parallelism.unwrap()).unwrap();
        let wanted = match spec.completions {
            Some(completions) => parallelism.min(usize::try_from(completions).unwrap() - self.successes()),
            None if self.successes() > 0 => active,
            None => parallelism,
        };
        let missing = wanted.saturating_sub(self.holding().len());
        active.min(wanted) + self.pods_to_start(missing)
    }

    fn pods_to_start(&self, missing: usize) -> usize {
        let per_index = self.job.spec.backoff_limit_per_index.is_some();
        if !per_index && !self.back_off_is_over(self.failures_in_a_row, self.last_failure) {
            return 0;
        }
        if !self.is_indexed() {
            return missing;
        }
        let taken: BTreeSet<i64> = self.holding().iter().filter_map(|pod| index_of(pod)).collect();
        let done = |index: &i64| self.indexes.contains(index) || self.failed_indexes.contains(index);
        let free =
            (0..i64::from(self.job.spec.completions.unwrap())).filter(|index| !taken.contains(index) && !done(index));
        let may_start = |index: &i64| {
            let failures = self.index_failures.get(index).copied().unwrap_or_default();
            self.back_off_is_over(failures.all, failures.last)
        };
        free.take(missing).filter(may_start).count()
    }

    fn happen(&mut self, event: &Happening) {
        match *event {
            Happening::Pass(seconds) => self.now = self.now.plus_seconds(seconds.into()),
            Happening::Start(pick) => {
                if let Some(pod) = self.pick(pick, |pod| is_active(pod) && pod.status.phase == PodPhase::Pending) {
                    self.change(&pod, |pod| pod.status.phase = PodPhase::Running);
                }
            }
            Happening::End(pick, code) => {
                if let Some(pod) = self.pick(pick, |pod| pod.status.phase == PodPhase::Running) {
                    let restarts = code != 0 && self.restarts_containers() && is_active(&pod);
                    if restarts { self.restart(&pod) } else { self.end(&pod, code) }
                }
            }
            Happening::Evict(pick) => {
                if let Some(pod) = self.pick(pick, is_active) {
                    self.delete(&pod);
                    if !self.replaces_failed_only() && Self::is_followed(&pod) {
                        self.fail(&pod, 143);
                    }
                }
            }
            Happening::Vanish(pick) => {
                if let Some(pod) = self.pick(pick, is_terminating) {
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

    /// Syncs until the controller has nothing to do, and compares what it has done with what it should have done.
    fn settle(&mut self, memory: &mut Memory) {
        self.started = if self.is_suspended() { None } else { self.started.or(Some(self.now)) };
        self.judge();
        let wanted = self.wanted();
        self.sync_until_idle(memory);
        assert_eq!(self.active(), wanted, "active pods");
        self.check();
    }

    fn sync_until_idle(&mut self, memory: &mut Memory) {
        for _ in 0..20 {
            let job = self.job.clone();
            let pods: Vec<_> = self.pods.values().cloned().collect();
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
            let index = index_of(pod);
            assert_eq!(index.is_some(), self.is_indexed());
            assert!(index.is_none() || taken.insert(index), "two pods of index {index:?}");
        }
        assert_eq!(usize::try_from(status.succeeded), Ok(self.successes()), "succeeded");
        assert_eq!(listed(&status.completed_indexes), self.indexes, "completed indexes");
        assert_eq!(listed(status.failed_indexes.as_deref().unwrap_or_default()), self.failed_indexes, "failed indexes");
        // A pod that was replaced in its index is counted as soon as the replacement exists.
        let delayed = |pod: &&Rc<Pod>| Self::is_followed(pod) && self.failed.contains(&pod.metadata.uid);
        let delayed = self.pods.values().filter(delayed).count();
        assert_eq!(usize::try_from(status.failed), Ok(self.failed.len() - delayed), "failed");
        assert_eq!(usize::try_from(status.active), Ok(self.active()), "active");
        assert_eq!(status.terminating.map(usize::try_from), Some(Ok(self.terminating())), "terminating");
        let mut targets = status.conditions.iter().filter(|condition| TARGETS.contains(&&*condition.type_));
        let target = targets.next().map(|condition| (&*condition.type_, &*condition.reason));
        assert_eq!(target, self.verdict, "what becomes of the Job");
        assert_eq!(is_over(&self.job), self.verdict.is_some() && self.terminating() == 0, "finished");
        if self.verdict.is_some() {
            assert!(self.pods.values().all(|pod| !Self::is_followed(pod)));
        }
    }
}

const TARGETS: [&str; 2] = ["FailureTarget", "SuccessCriteriaMet"];

/// The indexes in a text like `0,2-4`.
fn listed(text: &str) -> BTreeSet<i64> {
    let number = |text: &str| text.parse::<i64>().unwrap();
    let ranges = text.split(',').filter(|range| !range.is_empty());
    ranges
        .flat_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            number(first)..=number(last)
        })
        .collect()
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
                if self.job.spec.backoff_limit_per_index.is_some() {
                    let known = index_of(&pod).and_then(|index| self.index_failures.get(&index));
                    let failures = known.map_or(0, |failures| failures.counted).to_string();
                    let said = pod.metadata.annotation("batch.kubernetes.io/job-index-failure-count");
                    assert_eq!(said, Some(&*failures), "failures of the index");
                }
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
                // Only the pods of an index know how often it failed.
                self.index_failures.retain(|index, _| Some(*index) != index_of(&pod));
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
        }
        // From now on, everything succeeds.
        world.happen(&Happening::Suspend(false));
        world.happen(&Happening::Scale(3));
        for _ in 0..200 {
            world.settle(&mut memory);
            if is_over(&world.job) {
                break;
            }
            world.happen(&Happening::Pass(700));
            world.happen(&Happening::Vanish(0));
            world.settle(&mut memory);
            world.happen(&Happening::Start(0));
            world.settle(&mut memory);
            world.happen(&Happening::End(0, 0));
        }
        prop_assert!(is_over(&world.job), "never over");
    }
}

/// Pods fail one after the other, until the back-off is as long as it can be.
#[test]
fn the_back_off_has_a_ceiling() {
    for mode in [
        json!({"completionMode": "NonIndexed", "completions": 1}),
        json!({"completionMode": "Indexed", "completions": 1, "backoffLimitPerIndex": i32::MAX}),
    ] {
        let mut spec = json!({"parallelism": 1, "backoffLimit": i32::MAX, "podReplacementPolicy": "Failed"});
        spec.as_object_mut().unwrap().extend(mode.as_object().unwrap().clone());
        let (mut world, mut memory) = (World::new(job_with(spec, "Never")), Memory::default());
        world.settle(&mut memory);
        for _ in 0..9 {
            world.happen(&Happening::Start(0));
            world.happen(&Happening::End(0, 1));
            world.settle(&mut memory);
            let failed = world.now;
            while world.active() == 0 {
                world.happen(&Happening::Pass(10));
                world.settle(&mut memory);
            }
            assert!(world.now.since(failed) <= 600 * Time::SECOND);
        }
        assert_eq!(world.failed.len(), 9);
    }
}
