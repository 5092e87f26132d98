//! Lanes of Jobs and CronJobs: what is recorded of them, and what became of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use changeover_core::cluster::Decision;
use changeover_core::controller;
use changeover_core::object::{Kind, Object, ObjectKey, Pod, Time};
use changeover_core::timeline::{Actor, Change, State, Step, Timeline};
use changeover_core::workload::cron_job::controller::upcoming;
use changeover_core::workload::cron_job::{CronJob, CronJobSpec, decision as cron_job};
use changeover_core::workload::job::controller::{get_completion_index, is_job_finished, is_job_succeeded};
use changeover_core::workload::job::{Job, JobPoint, JobSeries, JobTotals, decision as job};
use changeover_wire::playback_track::{BACK_OFF, JOB_KEYFRAME, JobEnd, MARKS_KEYFRAME, POD_INDEX, SETBACK, Setback};
use changeover_wire::{ColumnMeaning, Fork, JobOutcome, Totals};

use super::{Lanes, TrackRecorder, to_i32};

/// The lanes of Jobs and CronJobs.
pub(super) struct JobLanes;

impl Lanes for JobLanes {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::CronJob, Kind::Job]
    }

    fn columns(&self, workload: &Object) -> ColumnMeaning {
        match workload {
            Object::Job(job) if job.spec.completion_mode.as_deref() == Some("Indexed") => ColumnMeaning::Index,
            Object::Job(_) => ColumnMeaning::Attempt,
            _ => ColumnMeaning::Run,
        }
    }

    fn record_object(&self, recorder: &mut TrackRecorder, object: &Object, frame: i32, now: Time) {
        match object {
            Object::CronJob(object) if recorder.kind == Kind::CronJob => recorder.record_cron_job(object, frame, now),
            Object::Job(object) => recorder.record_job(object, frame, now),
            _ => {}
        }
    }

    /// Records the pod's completion index.
    fn record_new_pod(&self, recorder: &mut TrackRecorder, pod: &Pod, number: i32, _: i32, now: Time) {
        let index = get_completion_index(pod).and_then(|index| i32::try_from(index).ok());
        if let Some(index) = index {
            recorder.push_entry(POD_INDEX, now, &[number, index]);
        }
    }

    /// Records that a Job waits before it creates pods.
    fn record_step(&self, recorder: &mut TrackRecorder, step: &Step, _: i32) {
        let Decision::Controller(controller::Decision::Job(decision)) = &step.decision else { return };
        let (job, index, left, back_off) = match decision {
            job::Decision::BackOff { job, left, back_off, .. } => (job, None, left, back_off),
            job::Decision::BackOffOfIndex { job, index, left, back_off, .. } => (job, Some(*index), left, back_off),
            _ => return,
        };
        let owner = recorder.owners.iter().position(|(_, name)| name == job);
        if let Some(owner) = owner {
            let index = index.and_then(|index| i32::try_from(index).ok()).unwrap_or(-1);
            let until = step.time.plus(left.0);
            let [failed_second, failed_nano] = recorder.time_numbers(until.plus(back_off.0.saturating_neg()));
            let [second, nano] = recorder.time_numbers(until);
            let numbers = [to_i32(owner), index, failed_second, failed_nano, second, nano];
            recorder.push_entry(BACK_OFF, step.time, &numbers);
        }
    }

    /// Records the times at which the CronJob should have started a Job, and never did.
    fn record_end(&self, recorder: &mut TrackRecorder, timeline: &Timeline) {
        let Some(Object::CronJob(cron_job)) = recorder.workload.clone() else { return };
        for due in skipped_runs(timeline, &cron_job) {
            recorder.push_entry(SETBACK, due, &[Setback::Run.number()]);
        }
    }

    fn changes_condition(&self, change: &Change) -> bool {
        match (&change.before, &change.after) {
            (Some(Object::Job(before)), Some(Object::Job(after))) => {
                before.status.conditions != after.status.conditions
            }
            _ => false,
        }
    }

    /// The Job, or the CronJob and its Jobs.
    fn shown_objects(&self, state: &State, workload: &Object) -> Vec<Object> {
        let shown = state.get(&workload.key()).cloned();
        let jobs = state.jobs().filter(|job| job.metadata.is_controlled_by(workload.metadata()));
        shown.into_iter().chain(jobs.cloned().map(Object::Job)).collect()
    }

    fn totals(&self, timeline: &Timeline, workload: &Object, begin: Time, _: &[Fork]) -> Totals {
        totals(timeline, workload, begin)
    }
}

impl TrackRecorder {
    /// A CronJob is followed in its last state. It has no marks.
    fn record_cron_job(&mut self, cron_job: &Rc<CronJob>, frame: i32, now: Time) {
        let is_shown = match &self.workload {
            Some(shown) => shown.metadata().uid == cron_job.metadata.uid,
            None => self.may_show(&cron_job.metadata),
        };
        if !is_shown {
            return;
        }
        if self.workload.is_none() {
            self.push_entry(MARKS_KEYFRAME, now, &[frame, 0, 0, 0]);
        }
        self.workload = Some(Object::CronJob(cron_job.clone()));
    }

    /// Records what a Job's status says, if the Job is followed or its CronJob is.
    fn record_job(&mut self, job: &Rc<Job>, frame: i32, now: Time) {
        let (is_shown, before) = match &self.workload {
            Some(Object::CronJob(cron_job)) => (job.metadata.is_controlled_by(&cron_job.metadata), None),
            Some(Object::Job(before)) => (job.metadata.uid == before.metadata.uid, Some(before.clone())),
            // A Job that is there before its CronJob is not one of it.
            _ => (self.kind == Kind::Job && self.may_show(&job.metadata), None),
        };
        if !is_shown {
            return;
        }
        let number = self.owner_number(&job.metadata.uid).unwrap_or_else(|| {
            self.owners.push((job.metadata.uid.clone(), job.metadata.name.clone()));
            to_i32(self.owners.len().saturating_sub(1))
        });
        let parallelism = job.spec.parallelism.unwrap_or(1);
        if self.kind == Kind::Job {
            if before.as_ref().is_none_or(|before| before.spec.parallelism != job.spec.parallelism) {
                self.push_entry(MARKS_KEYFRAME, now, &[frame, parallelism, parallelism, 0]);
            }
            self.workload = Some(Object::Job(job.clone()));
        }
        if before.is_none_or(|before| before.spec != job.spec || before.status != job.status) {
            let completions = job.spec.completions.unwrap_or(-1);
            let end = end_of(job).map_or(0, JobEnd::number);
            let status = [frame, number, completions, job.status.succeeded, job.status.failed, end];
            self.push_entry(JOB_KEYFRAME, now, &status);
        }
    }
}

/// The longest list of due times: a schedule of every minute has them in a week.
const MAX_RUNS: usize = 10_000;

/// The times of a CronJob's schedule for which it started no Job and will start none: those before the time of a later run, and
/// those for which it is too late. Under an earlier schedule, others were due.
fn skipped_runs(timeline: &Timeline, cron_job: &CronJob) -> Vec<Time> {
    let key = cron_job.key();
    let scheduled = timeline.steps.iter().filter_map(|step| match &step.decision {
        Decision::Controller(controller::Decision::CronJob(
            cron_job::Decision::Create { started, .. } | cron_job::Decision::CreateAfterMissed { started, .. },
        )) if started.cron_job == key.name && step.about.namespace == key.namespace => Some(started.scheduled),
        _ => None,
    });
    let scheduled: BTreeSet<Time> = scheduled.collect();
    let spec = &cron_job.spec;
    let has_schedule = |object: &Object| match object {
        Object::CronJob(before) => before.spec.schedule == spec.schedule && before.spec.time_zone == spec.time_zone,
        _ => false,
    };
    let mut changes = timeline.steps.iter().filter_map(|step| Some((step.time, step.change.as_ref()?)));
    let given = changes.rfind(|(_, change)| *change.key == key && !change.before.as_ref().is_some_and(has_schedule));
    let since = given.map_or(timeline.scenario.start, |(time, _)| time);
    let end = timeline.time_at(timeline.len());
    let latest = scheduled.last().copied();
    let is_over = |due: &Time| {
        let deadline = spec.starting_deadline_seconds;
        latest.is_some_and(|latest| *due < latest) || deadline.is_some_and(|seconds| due.plus_seconds(seconds) < end)
    };
    let mut due = due_times(spec, since, end);
    due.retain(|due| !scheduled.contains(due) && is_over(due));
    due
}

/// The times of a schedule after one time and up to another. A schedule that can't be read has none.
fn due_times(spec: &CronJobSpec, since: Time, end: Time) -> Vec<Time> {
    /// Due times per request: most times of a rare schedule would be centuries away.
    const AT_ONCE: usize = 50;
    let mut due: Vec<Time> = Vec::new();
    while due.len() < MAX_RUNS {
        let after = due.last().copied().unwrap_or(since);
        let next = upcoming(&spec.schedule, spec.time_zone.as_deref(), after, AT_ONCE).unwrap_or_default();
        let is_done = next.last().is_none_or(|last| *last > end);
        due.extend(next.into_iter().take_while(|due| *due <= end));
        if is_done {
            break;
        }
    }
    due
}

fn end_of(job: &Job) -> Option<JobEnd> {
    is_job_finished(job).then(|| if is_job_succeeded(job) { JobEnd::Complete } else { JobEnd::Failed })
}

/// What became of a Job, or of all Jobs of a CronJob, from the page's time 0 on.
fn totals(timeline: &Timeline, workload: &Object, begin: Time) -> Totals {
    let end = timeline.time_at(timeline.len());
    let change = timeline.steps.iter().find(|step| step.time >= begin && step.actor == Actor::User);
    let change = change.map_or(begin, |step| step.time);
    let mut all = JobSeries::of_all(timeline);
    let is_job = matches!(workload, Object::Job(_));
    if is_job {
        all.retain(|(key, _)| *key == workload.key());
    } else {
        all.retain(|(key, _)| is_owned(timeline, key, workload));
    }
    let series: Vec<&[JobPoint]> = all.iter().map(|(_, series)| points_from(&series.points, begin)).collect();
    let mut totals = Totals { change: change.since(begin), peak: most_pods(&series), ..Totals::default() };
    let mut outcome = JobOutcome { runs: (!is_job).then(|| started_from(&series, begin)), ..JobOutcome::default() };
    for points in &series {
        let status = points.iter().rev().find_map(|point| point.status.as_ref());
        outcome.succeeded = outcome.succeeded.saturating_add(status.map_or(0, |status| status.succeeded));
        outcome.failed = outcome.failed.saturating_add(status.map_or(0, |status| status.failed));
    }
    totals.limit_at_peak = totals.peak;
    if let (Object::Job(job), Some(points)) = (workload, series.first()) {
        let of_job = JobTotals::of(points, begin, end);
        let at_peak = points.iter().filter(|point| point.counts.holding() == totals.peak);
        let parallelism = at_peak.filter_map(|point| point.status.as_ref()).map(|status| status.parallelism);
        totals.limit_at_peak = parallelism.max().unwrap_or(totals.peak);
        outcome.completions = job.spec.completions;
        let is_indexed = job.spec.completion_mode.as_deref() == Some("Indexed");
        outcome.two_of_index = is_indexed.then(|| two_of_index(points, begin, end));
        outcome.end = end_of(job);
        outcome.ended = of_job.finished.map(|finished| begin.plus(finished).since(change).max(0));
    }
    totals.job = Some(outcome);
    totals
}

/// Whether a Job of the timeline is one of a CronJob's.
fn is_owned(timeline: &Timeline, key: &ObjectKey, cron_job: &Object) -> bool {
    let written = timeline.steps.iter().filter_map(|step| step.change.as_ref());
    let written = written.filter(|change| *change.key == *key).find_map(|change| change.after.as_ref());
    let job = written.or_else(|| timeline.initial.get(key));
    job.is_some_and(|job| job.metadata().is_controlled_by(cron_job.metadata()))
}

/// The points from a time on: the one of that time first.
fn points_from(points: &[JobPoint], begin: Time) -> &[JobPoint] {
    let first = points.partition_point(|point| point.time <= begin).saturating_sub(1);
    points.get(first..).unwrap_or_default()
}

/// How many Jobs began at a time or later.
fn started_from(series: &[&[JobPoint]], begin: Time) -> i32 {
    let start = |points: &&&[JobPoint]| {
        let first = points.iter().find(|point| point.status.is_some());
        first.is_some_and(|point| point.time >= begin)
    };
    to_i32(series.iter().filter(start).count())
}

/// The most pods of all Jobs at once.
fn most_pods(series: &[&[JobPoint]]) -> i32 {
    let mut changes: Vec<(Time, usize, i32)> = Vec::new();
    for (number, points) in series.iter().enumerate() {
        changes.extend(points.iter().map(|point| (point.time, number, point.counts.holding())));
    }
    changes.sort_by_key(|(time, ..)| *time);
    let mut holding = vec![0_i32; series.len()];
    let mut most = 0;
    for (_, number, pods) in changes {
        if let Some(slot) = holding.get_mut(number) {
            *slot = pods;
        }
        most = holding.iter().fold(0_i32, |sum, pods| sum.saturating_add(*pods)).max(most);
    }
    most
}

/// Nanoseconds during which an index has two pods at once.
fn two_of_index(points: &[JobPoint], begin: Time, end: Time) -> i64 {
    let next = points.iter().skip(1).map(|point| point.time).chain([end]);
    let spans = points.iter().zip(next).filter(|(point, _)| point.most_of_index > 1);
    spans.fold(0_i64, |sum, (point, next)| sum.saturating_add(next.since(point.time.max(begin)).max(0)))
}
