//! The outcome of a simulation, for each Deployment and Job and for all together.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::answer::{JobOutcome, Outcome};
use super::course::Course;
use super::resource_use::{HeldResources, ResourceTracker, ResourceUse};
use super::rollout_plan::RolloutPlan;
use super::shard::CourseBuilder;
use crate::object::{Object, ObjectKey, Time};
use crate::scenario::Scenario;
use crate::timeline::{Series, SeriesTracker, State, Step, Totals};
use crate::workload::job::{JobSeries, JobSeriesTracker, JobTotals};

/// What a simulation comes to.
#[derive(Debug)]
pub(super) struct Measures {
    /// The DaemonSets, StatefulSets and Deployments, by kind, namespace and name.
    pub(super) workloads: Vec<ObjectKey>,
    /// The counts of their pods.
    pub(super) series: Vec<Series>,
    pub(super) outcomes: Vec<Outcome>,
    /// The counts of the pods of the Jobs.
    pub(super) job_series: Vec<JobSeries>,
    /// The Jobs, by namespace and name, and what comes of each.
    pub(super) jobs: Vec<(ObjectKey, JobOutcome)>,
    pub(super) together: Outcome,
    /// How `together` came about; only for a shard.
    pub(super) course: Option<Course>,
}

/// Measures a simulation while its steps are made.
pub(super) struct MeasureTracker {
    start: Time,
    /// What is being deleted at the start.
    deleting: BTreeSet<ObjectKey>,
    series: SeriesTracker,
    job_series: JobSeriesTracker,
    held: ResourceTracker,
    /// What all pods hold together over time; only for a shard.
    course: Option<CourseBuilder>,
}

impl MeasureTracker {
    /// The start of a scenario.
    pub(super) fn new(scenario: &Scenario, initial: &State, plan: &RolloutPlan) -> Self {
        let is_deleting = |object: &&Object| object.metadata().deletion_timestamp.is_some();
        let held = ResourceTracker::new(initial);
        let mut course = plan.shard().map(|_| CourseBuilder::default());
        if let Some(course) = &mut course {
            course.observe(0, held.together());
        }
        Self {
            start: scenario.start,
            deleting: initial.objects().filter(is_deleting).map(Object::key).collect(),
            series: SeriesTracker::new(scenario, initial),
            job_series: JobSeriesTracker::new(scenario.start, initial),
            held,
            course,
        }
    }

    /// The step of that number.
    pub(super) fn observe(&mut self, number: usize, step: &Step) {
        self.series.observe(number, step);
        self.job_series.observe(number, step);
        if let Some(change) = &step.change {
            let time = step.time.since(self.start);
            let is_changed = self.held.observe(&change.key, change.after.as_ref(), time);
            if let Some(course) = self.course.as_mut().filter(|_| is_changed) {
                course.observe(time, self.held.together());
            }
        }
    }

    /// What it comes to at the end. The change of these objects is never sent.
    pub(super) fn finish(self, plan: &RolloutPlan, end: Time, waiting: &BTreeSet<ObjectKey>) -> Measures {
        let Self { start, deleting, series, job_series, held, course } = self;
        let (rollouts, series): (Vec<_>, Vec<_>) = series.finish().into_iter().unzip();
        let (job_keys, job_series): (Vec<_>, Vec<_>) = job_series.finish().into_iter().unzip();
        let held = held.finish();
        let is_deleted = |key: &ObjectKey| plan.prunes(key) || deleting.contains(key);
        let outcome = |(key, series): (&ObjectKey, &Series)| {
            let totals = Totals::of(&series.points, start, end);
            let outcome = Outcome {
                lowest_available: totals.lowest_available,
                complete: totals.complete,
                last_old_pod_gone: totals.last_old_pod_gone,
                ..held_by(&held, &held.of_workload(key))
            };
            // Of one that is deleted, nothing but its pods has to go.
            if is_deleted(key) {
                let gone = gone(series.points.iter().map(|point| (point.time, point.counts.holding())), start);
                return Outcome { complete: gone, last_old_pod_gone: gone, ..outcome };
            }
            if waiting.contains(key) {
                return Outcome { complete: None, last_old_pod_gone: None, ..outcome };
            }
            outcome
        };
        let outcomes: Vec<Outcome> = rollouts.iter().zip(&series).map(outcome).collect();
        let jobs: Vec<(ObjectKey, JobOutcome)> = job_keys
            .into_iter()
            .zip(&job_series)
            .map(|(key, series)| {
                let totals = JobTotals::of(&series.points, start, end);
                // One that is over may be deleted.
                let status = series.points.iter().rev().find_map(|point| point.status.clone()).unwrap_or_default();
                let Outcome { peak, peak_at, resources, .. } = held_by(&held, &held.of_workload(&key));
                let outcome = JobOutcome {
                    peak,
                    peak_at,
                    resources,
                    most_of_index: totals.most_of_index,
                    waits: status.condition.as_deref() == Some("Suspended") || status.parallelism == 0,
                    succeeded: status.succeeded,
                    failed: status.failed,
                    condition: status.condition,
                    // Of one that is deleted, nothing but its pods has to go.
                    finished: if is_deleted(&key) {
                        gone(series.points.iter().map(|point| (point.time, point.counts.holding())), start)
                    } else {
                        totals.finished
                    },
                };
                (key, outcome)
            })
            .collect();
        // Nothing ends a Job that waits for its user.
        let jobs_finished = jobs
            .iter()
            .map(|(_, job)| job.finished.or(job.waits.then_some(0)))
            .try_fold(0_i64, |latest, finished| Some(latest.max(finished?)));
        let latest = |time: fn(&Outcome) -> Option<i64>| {
            outcomes.iter().try_fold(0_i64, |latest, outcome| Some(latest.max(time(outcome)?)))
        };
        let available = available_together(&series);
        let together = Outcome {
            lowest_available: available.iter().map(|(_, available)| *available).min().unwrap_or(0),
            complete: latest(|outcome| outcome.complete).zip(jobs_finished).map(|(rollouts, jobs)| rollouts.max(jobs)),
            last_old_pod_gone: latest(|outcome| outcome.last_old_pod_gone),
            ..held_by(&held, &held.together)
        };
        let course = course.map(|course| course.finish(&held, &available, start, end));
        Measures { workloads: rollouts, series, outcomes, job_series, jobs, together, course }
    }
}

impl Measures {
    /// Without the points, which take the most memory.
    pub(super) fn without_points(self) -> Self {
        Self { series: Vec::new(), job_series: Vec::new(), ..self }
    }

    /// The outcome of a Job.
    pub(super) fn job(&self, key: &ObjectKey) -> Option<&JobOutcome> {
        self.jobs.iter().find(|(job, _)| job == key).map(|(_, outcome)| outcome)
    }

    /// The counts of a workload's pods.
    pub(super) fn series_of(&self, key: &ObjectKey) -> Option<&Series> {
        self.series.get(self.workloads.binary_search(key).ok()?)
    }

    /// The outcome of a DaemonSet, a StatefulSet or a Deployment.
    pub(super) fn outcome(&self, key: &ObjectKey) -> Option<&Outcome> {
        self.outcomes.get(self.workloads.binary_search(key).ok()?)
    }
}

/// What an outcome says of pods and resources.
pub(super) fn held_by(held: &ResourceUse, own: &HeldResources) -> Outcome {
    Outcome {
        peak: i32::try_from(own.pods.peak).unwrap_or(i32::MAX),
        peak_at: own.pods.peak_at,
        resources: held.demands(own),
        ..Outcome::default()
    }
}

/// The available pods of all DaemonSets, StatefulSets and Deployments together, at each frame at which some change.
fn available_together(series: &[Series]) -> Vec<(Time, i32)> {
    let mut points: Vec<_> = series
        .iter()
        .enumerate()
        .flat_map(|(index, series)| {
            series.points.iter().map(move |point| (point.time, point.frame, index, point.counts.available))
        })
        .collect();
    points.sort_unstable();
    let mut available: Vec<i32> = series.iter().map(|_| 0).collect();
    let (mut sum, mut moments) = (0_i32, Vec::new());
    for moment in points.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut time = None;
        for (at, _, index, now) in moment {
            if let Some(before) = available.get_mut(*index) {
                sum = sum.saturating_add(now.saturating_sub(*before));
                *before = *now;
            }
            time = Some(*at);
        }
        moments.extend(time.map(|time| (time, sum)));
    }
    moments
}

/// Nanoseconds until the last pod is gone, if it goes: the pods that hold resources, at each time.
fn gone(holding: impl DoubleEndedIterator<Item = (Time, i32)>, start: Time) -> Option<i64> {
    let empty = holding.rev().take_while(|(_, pods)| *pods == 0);
    empty.last().map(|(time, _)| time.since(start))
}
