//! The counts of one Job from frame to frame, and what they come to.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::json::ToJson;
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, Pod, Time};
use crate::timeline::{Counts, PodState, State, Step, Timeline};
use crate::workload::job::Job;
use crate::workload::job::controller::get_completion_index;

/// What a Job's status says, which follows its pods by up to a second.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobCounts {
    /// The most pods that the Job runs at once: spec.parallelism.
    pub parallelism: i32,
    /// How many pods must succeed: spec.completions; absent for a work queue.
    #[json(omitempty)]
    pub completions: Option<i32>,
    /// Pods that have not ended and are not terminating.
    pub active: i32,
    /// Active pods that are ready.
    pub ready: i32,
    /// Terminating pods that have not ended.
    pub terminating: i32,
    /// Pods that succeeded; indexes, in an Indexed Job.
    pub succeeded: i32,
    /// Pods that failed.
    pub failed: i32,
    /// The indexes that succeeded, like `0,2-4`; absent where none has.
    #[json(omitempty)]
    pub completed_indexes: Option<String>,
    /// The indexes that failed; absent without `backoffLimitPerIndex`.
    #[json(omitempty)]
    pub failed_indexes: Option<String>,
    /// The last condition that is true: `Suspended`, `FailureTarget`, `SuccessCriteriaMet`, `Failed` or `Complete`.
    #[json(omitempty)]
    pub condition: Option<String>,
}

impl JobCounts {
    /// The counts of a Job.
    pub fn of(job: &Job) -> Self {
        let is_true = |condition: &&crate::workload::job::JobCondition| condition.status == ConditionStatus::True;
        let status = &job.status;
        Self {
            parallelism: job.spec.parallelism.unwrap_or(1),
            completions: job.spec.completions,
            active: status.active,
            ready: status.ready.unwrap_or(0),
            terminating: status.terminating.unwrap_or(0),
            succeeded: status.succeeded,
            failed: status.failed,
            completed_indexes: Some(status.completed_indexes.clone()).filter(|indexes| !indexes.is_empty()),
            failed_indexes: status.failed_indexes.clone(),
            condition: status.conditions.iter().rfind(is_true).map(|condition| condition.type_.to_string()),
        }
    }

    /// Whether the Job is over.
    fn is_finished(&self) -> bool {
        matches!(self.condition.as_deref(), Some("Complete" | "Failed"))
    }
}

/// The counts of one Job's pods from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct JobSeries {
    /// A point for each frame at which something differs from the one before.
    pub points: Vec<JobPoint>,
}

/// A Job's counts from one frame on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPoint {
    /// The frame.
    pub frame: usize,
    /// Its time.
    pub time: Time,
    /// What its status says; none while there is no such Job.
    pub status: Option<JobCounts>,
    /// The pods as they are.
    pub counts: Counts,
    /// The most pods that hold one completion index at this time.
    pub most_of_index: i32,
}

/// What a Job's run costs and when it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobTotals {
    /// The most pods that held resources at once.
    pub peak: i32,
    /// The most pods above the parallelism at once.
    pub most_over: i32,
    /// Pod-milliseconds above the parallelism: two pods for 3 ms are 6.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub over: i64,
    /// Pod-milliseconds spent terminating: two pods for 3 ms are 6.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub terminating: i64,
    /// The most pods of one completion index that held resources at once; 0 in a Job without indexes.
    pub most_of_index: i32,
    /// What the Job's status says at the end; absent if there is no such Job.
    #[json(omitempty)]
    pub status: Option<JobCounts>,
    /// Milliseconds until the Job was Complete or Failed; 0 if it had been before, absent if it never was.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub finished: Option<i64>,
}

impl JobSeries {
    /// Follows a Job through a timeline.
    pub fn of(timeline: &Timeline, namespace: &str, name: &str) -> Self {
        let mut builder = JobSeriesBuilder { key: ObjectKey::new(Kind::Job, namespace, name), ..Default::default() };
        for object in timeline.initial.objects() {
            builder.observe(&object.key(), Some(object));
        }
        builder.push_point(0, timeline.scenario.start);
        for (index, step) in timeline.steps.iter().enumerate() {
            if let Some(change) = &step.change {
                builder.observe(&change.key, change.after.as_ref());
                builder.push_point(index.saturating_add(1), step.time);
            }
        }
        Self { points: builder.points }
    }
}

impl JobSeries {
    /// The series of every Job of a timeline, by namespace and name, in one pass.
    pub fn of_all(timeline: &Timeline) -> Vec<(ObjectKey, Self)> {
        let mut tracker = JobSeriesTracker::new(timeline.scenario.start, &timeline.initial);
        for (number, step) in timeline.steps.iter().enumerate() {
            tracker.observe(number, step);
        }
        tracker.finish()
    }
}

/// Follows every Job while the steps are made.
pub(crate) struct JobSeriesTracker {
    start: Time,
    has_begun: bool,
    builders: BTreeMap<ObjectKey, JobSeriesBuilder>,
}

impl JobSeriesTracker {
    /// The Jobs at the start.
    pub(crate) fn new(start: Time, initial: &State) -> Self {
        let mut tracker = Self { start, has_begun: false, builders: BTreeMap::new() };
        // Owners first.
        for object in initial.objects() {
            if let Some(job) = job_of(object) {
                tracker.builder(job).observe(&object.key(), Some(object));
            }
        }
        tracker.builders.values_mut().for_each(|builder| builder.push_point(0, start));
        tracker.has_begun = true;
        tracker
    }

    /// The step of that number.
    pub(crate) fn observe(&mut self, number: usize, step: &Step) {
        let Some(change) = &step.change else { return };
        let [before, after] = [&change.before, &change.after].map(|object| object.as_ref().and_then(job_of));
        let after = after.filter(|after| before.as_ref() != Some(after));
        for job in before.into_iter().chain(after) {
            let builder = self.builder(job);
            builder.observe(&change.key, change.after.as_ref());
            builder.push_point(number.saturating_add(1), step.time);
        }
    }

    fn builder(&mut self, key: ObjectKey) -> &mut JobSeriesBuilder {
        let (start, has_begun) = (self.start, self.has_begun);
        self.builders.entry(key.clone()).or_insert_with(|| {
            let mut builder = JobSeriesBuilder { key, ..Default::default() };
            if has_begun {
                builder.push_point(0, start);
            }
            builder
        })
    }

    /// The series of each Job, by namespace and name.
    pub(crate) fn finish(self) -> Vec<(ObjectKey, JobSeries)> {
        // Pods may name a Job that is gone.
        let existing = self.builders.into_iter().filter(|(_, builder)| !builder.uids.is_empty());
        existing.map(|(key, builder)| (key, JobSeries { points: builder.points })).collect()
    }
}

/// The Job that an object is, or that controls it.
fn job_of(object: &Object) -> Option<ObjectKey> {
    match object {
        Object::Job(job) => Some(job.key()),
        Object::Pod(pod) if pod.metadata.controller().is_some_and(|owner| &*owner.kind == Kind::Job.name()) => {
            pod.metadata.controller_key(Kind::Job)
        }
        _ => None,
    }
}

impl JobTotals {
    /// The totals of a Job's points from one time to another.
    pub fn of(points: &[JobPoint], from: Time, to: Time) -> Self {
        let mut totals = Self::default();
        let first = points.partition_point(|point| point.time <= from).saturating_sub(1);
        let points = points.get(first..).unwrap_or_default();
        for (index, point) in points.iter().enumerate() {
            let next = points.get(index.saturating_add(1)).map_or(to, |next| next.time);
            let span = next.since(point.time.max(from)).max(0);
            let holding = point.counts.holding();
            let parallelism = point.status.as_ref().map_or(0, |job| job.parallelism);
            let over = holding.saturating_sub(parallelism).max(0);
            let of_pods = |pods: i32| i64::from(pods).saturating_mul(span);
            totals.peak = totals.peak.max(holding);
            totals.most_over = totals.most_over.max(over);
            totals.over = totals.over.saturating_add(of_pods(over));
            totals.terminating = totals.terminating.saturating_add(of_pods(point.counts.terminating));
            totals.most_of_index = totals.most_of_index.max(point.most_of_index);
        }
        let is_finished = |point: &&JobPoint| point.status.as_ref().is_some_and(JobCounts::is_finished);
        // A Job that is over may be deleted.
        let known = points.iter().rev().skip_while(|point| point.status.is_none());
        let finished = known.take_while(is_finished).last();
        totals.finished = finished.map(|point| point.time.since(from).max(0));
        totals.status = points.last().and_then(|point| point.status.clone());
        totals
    }
}

impl Timeline {
    /// The totals of a Job, from a time on.
    pub fn job_totals(&self, namespace: &str, name: &str, from: Time) -> JobTotals {
        let end = self.time_at(self.len());
        JobTotals::of(&JobSeries::of(self, namespace, name).points, from, end)
    }
}

/// What a pod is counted as.
struct Counted {
    state: PodState,
    index: Option<i64>,
}

struct JobSeriesBuilder {
    key: ObjectKey,
    status: Option<JobCounts>,
    /// The uids of the Jobs of this name.
    uids: BTreeSet<Rc<str>>,
    pods: BTreeMap<ObjectKey, Counted>,
    counts: Counts,
    /// How many pods hold each index.
    holding: BTreeMap<i64, i32>,
    /// How many indexes have that many pods.
    indexes: BTreeMap<i32, usize>,
    points: Vec<JobPoint>,
}

impl Default for JobSeriesBuilder {
    fn default() -> Self {
        Self {
            key: ObjectKey::new(Kind::Job, "", ""),
            status: None,
            uids: BTreeSet::new(),
            pods: BTreeMap::new(),
            counts: Counts::default(),
            holding: BTreeMap::new(),
            indexes: BTreeMap::new(),
            points: Vec::new(),
        }
    }
}

impl JobSeriesBuilder {
    fn observe(&mut self, key: &ObjectKey, object: Option<&Object>) {
        match object {
            Some(Object::Job(job)) if *key == self.key => {
                self.uids.insert(job.metadata.uid.clone());
                self.status = Some(JobCounts::of(job));
            }
            None if *key == self.key => self.status = None,
            Some(Object::Pod(pod)) => self.observe_pod(key, Some(pod)),
            None if key.kind == Kind::Pod => self.observe_pod(key, None),
            _ => {}
        }
    }

    fn observe_pod(&mut self, key: &ObjectKey, pod: Option<&Pod>) {
        if let Some(Counted { state, index }) = self.pods.remove(key) {
            self.count(state, index, -1);
        }
        let is_of_job = |pod: &&Pod| pod.metadata.controller().is_some_and(|owner| self.uids.contains(&owner.uid));
        if let Some(pod) = pod.filter(is_of_job) {
            let counted = Counted { state: PodState::of(pod, 0, Time(0)), index: get_completion_index(pod) };
            self.count(counted.state, counted.index, 1);
            self.pods.insert(key.clone(), counted);
        }
    }

    fn count(&mut self, state: PodState, index: Option<i64>, by: i32) {
        self.counts.add(state, by);
        if let Some(index) = index.filter(|_| state.holds()) {
            let pods = self.holding.entry(index).or_default();
            let before = core::mem::replace(pods, pods.saturating_add(by));
            let after = *pods;
            if let Some(indexes) = self.indexes.get_mut(&before) {
                *indexes = indexes.saturating_sub(1);
                if *indexes == 0 {
                    self.indexes.remove(&before);
                }
            }
            if after > 0 {
                let indexes = self.indexes.entry(after).or_default();
                *indexes = indexes.saturating_add(1);
            }
        }
    }

    fn push_point(&mut self, frame: usize, time: Time) {
        let most_of_index = self.indexes.last_key_value().map_or(0, |(pods, _)| *pods);
        let same = self.points.last().is_some_and(|last| {
            last.counts == self.counts && last.most_of_index == most_of_index && last.status == self.status
        });
        if !same {
            let (status, counts) = (self.status.clone(), self.counts);
            self.points.push(JobPoint { frame, time, status, counts, most_of_index });
        }
    }
}
