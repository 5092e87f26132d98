//! The state of the Jobs in a running cluster. What a Job waits for is what its controller decides next.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::json;

use super::job_signs::{IdleCronJob, KeptPod};
use super::manifest_change::to_yaml;
use super::next_steps::{NextStep, next_steps};
use super::obstacle::{KUEUE_QUEUE, Obstacle};
use super::outlook::Outlook;
use crate::json::ToJson;
use crate::object::{ConditionStatus, Kind, ObjectKey, Time};
use crate::scenario::Duration;
use crate::workload::job::{Job, JobCondition};

/// The state of a Job, or of a CronJob that starts none.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobOutlook {
    /// `Job` or `CronJob`.
    pub kind: String,
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name.
    pub name: String,
    /// The state in one word.
    pub standing: JobStanding,
    /// The state in numbers, with the reason if the Job has failed: `Pods: 2 active, 1 of 5 succeeded, 1 failed`.
    pub summary: String,
    /// The reasons why the Job has failed, or makes no progress.
    pub obstacles: Vec<Obstacle>,
    /// The next decisions of the Job controller.
    pub next: Vec<NextStep>,
}

/// The state of a Job in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum JobStanding {
    /// It is not over.
    Active,
    /// A user suspended it.
    Suspended,
    /// It is complete.
    Complete,
    /// It has failed.
    Failed,
}

impl JobOutlook {
    /// Whether a user has to act. Most CronJobs that are suspended are meant to be.
    #[must_use]
    pub fn is_held_up(&self) -> bool {
        let is_meant = self.standing == JobStanding::Suspended && self.kind == Kind::CronJob.name();
        self.standing != JobStanding::Complete && !is_meant && !self.obstacles.is_empty()
    }

    /// The state as the predicate of a sentence: `migrate has failed`.
    #[must_use]
    pub const fn predicate(&self) -> &'static str {
        match self.standing {
            JobStanding::Active => "is active",
            JobStanding::Suspended => "is suspended",
            JobStanding::Complete => "is complete",
            JobStanding::Failed => "has failed",
        }
    }
}

impl Outlook {
    /// The Jobs that have failed or wait for a user; all Jobs if there are no rollouts.
    pub fn jobs_in_report(&self) -> impl Iterator<Item = JobOutlook> {
        let has_rollouts = self.rollouts().next().is_some();
        self.jobs().filter(move |job| job.is_held_up() || !has_rollouts)
    }

    /// The state of each Job, by namespace and name, and then that of CronJobs that start none.
    pub fn jobs(&self) -> impl Iterator<Item = JobOutlook> {
        let jobs = self.timeline.initial.jobs().map(|job| {
            let obstacles = self.usable_obstacles(self.obstacles_of_job(job));
            // What makes it wait is not simulated.
            let is_forecast = standing(job) != JobStanding::Active || obstacles.is_empty();
            let next = || next_steps(&self.timeline, |step| *step.about == job.key());
            JobOutlook {
                kind: Kind::Job.name().to_string(),
                namespace: job.metadata.namespace.to_string(),
                name: job.metadata.name.to_string(),
                standing: standing(job),
                summary: summary(job),
                next: if is_forecast { next() } else { Vec::new() },
                obstacles,
            }
        });
        jobs.chain(self.job_signs.idle_cron_jobs.iter().map(|cron_job| self.of_cron_job(cron_job)))
    }

    fn of_cron_job(&self, cron_job: &IdleCronJob) -> JobOutlook {
        let IdleCronJob { key, schedule, last_start, is_suspended, said } = cron_job;
        let suspended = is_suspended.then(|| {
            let resume = json!({ "spec": { "suspend": false } });
            let obstacle = Obstacle::new("it is suspended, so it starts no Jobs").with_remedy("resume it");
            match self.managers.get(key) {
                Some(_) => Obstacle { manifest: Some(to_yaml(&resume, 0)), ..obstacle },
                None => obstacle.with_command(self.kubectl.patch(key, &resume)),
            }
        });
        let said = said.iter().map(|said| {
            let to_do = match said.split_once(':') {
                Some(("TooManyMissedTimes", _)) => {
                    "set startingDeadlineSeconds, or lower it: it then looks only so far back"
                }
                Some(("UnknownTimeZone", _)) => "correct its timeZone",
                _ => "correct its schedule",
            };
            Obstacle::new(format!("its controller can't start Jobs: {said}")).with_remedy(to_do)
        });
        // When the objects were read is not known of a CronJob alone.
        let last =
            last_start.map_or_else(|| String::from("no Job started yet"), |time| format!("last Job started at {time}"));
        JobOutlook {
            kind: Kind::CronJob.name().to_string(),
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            standing: if *is_suspended { JobStanding::Suspended } else { JobStanding::Active },
            summary: format!("schedule {schedule}, {last}"),
            obstacles: suspended.into_iter().chain(said).collect(),
            next: Vec::new(),
        }
    }
}

/// What containers are called that never end by themselves.
const PROXIES: [&str; 3] = ["proxy", "envoy", "agent"];

/// How long a Job may run until that is worth a word where a CronJob or an ended container waits for it, in seconds.
const LONG: i64 = 600;

impl Outlook {
    fn obstacles_of_job(&self, job: &Job) -> Vec<Obstacle> {
        let (key, standing) = (job.key(), standing(job));
        let mut obstacles = Vec::new();
        if standing == JobStanding::Complete {
            return obstacles;
        }
        obstacles.extend(self.one_of_each_kind(&key, |_| false).into_iter().map(|pod| self.obstacle_of(pod, None)));
        // A Job that tries again may still succeed.
        let run = self.job_signs.failed.get(&key).filter(|_| standing == JobStanding::Failed || !obstacles.is_empty());
        let again = job.metadata.controller_key(Kind::CronJob).map_or_else(
            || String::from("delete the Job, and create it again"),
            |cron_job| format!("create a Job from CronJob {} again", cron_job.name),
        );
        obstacles.extend(run.map(|run| Obstacle::of_failed_run(run, job, &again, &self.kubectl)));
        match condition(job, "Failed") {
            Some(failed) if &*failed.reason == "DeadlineExceeded" => {
                let seconds = job.spec.active_deadline_seconds.unwrap_or_default();
                let time = Duration::seconds(seconds).in_words();
                let why = format!("it was active for longer than its activeDeadlineSeconds allows ({time})");
                obstacles.push(Obstacle::new(why).with_remedy("let it end sooner, or raise activeDeadlineSeconds"));
            }
            Some(_) => {
                let why = "it has failed, and is not tried again";
                let obstacle = Obstacle::new(why).with_remedy(format!("once the cause is fixed, {again}"));
                obstacles.push(obstacle.with_command(self.kubectl.create_job_again(job)));
            }
            None if standing == JobStanding::Suspended && job.metadata.labels.contains_key(KUEUE_QUEUE) => {
                let queue = job.metadata.labels.get(KUEUE_QUEUE).map(|queue| &**queue);
                obstacles.push(Obstacle::new("it is suspended").of_kueue(
                    "it",
                    ["resumes it", "resume it"],
                    &key.namespace,
                    queue,
                    &self.kubectl,
                ));
            }
            None if standing == JobStanding::Suspended => {
                let resume = self.kubectl.patch(&key, &json!({ "spec": { "suspend": false } }));
                obstacles.push(Obstacle::new("it is suspended").with_remedy("resume it").with_command(resume));
            }
            None => {
                obstacles.extend(self.obstacle_of_kept_pod(&key));
                obstacles.extend(self.obstacle_of_waiting_cron_job(job, &key));
            }
        }
        obstacles
    }

    /// That a container keeps a pod of a Job running whose other containers have ended.
    fn obstacle_of_kept_pod(&self, key: &ObjectKey) -> Option<Obstacle> {
        let KeptPod { pod, ended, running, since } = self.job_signs.kept.get(key)?;
        let time = since.map_or(0, |since| self.timeline.scenario.start.since(since));
        let why = format!("container {ended} has ended, but container {running} keeps pod {pod} running");
        let remedy = format!(
            "make {running} a sidecar (an init container with restartPolicy Always), which ends with the others, or end it by hand"
        );
        let command = self.kubectl.logs(&key.namespace, pod, running);
        (time >= LONG.saturating_mul(Time::SECOND) || PROXIES.iter().any(|proxy| running.contains(proxy)))
            .then(|| Obstacle::new(why).with_remedy(remedy).with_shown("its log", command))
    }

    /// That a CronJob starts no other Job while this one is active.
    fn obstacle_of_waiting_cron_job(&self, job: &Job, key: &ObjectKey) -> Option<Obstacle> {
        let cron_job = self.job_signs.waiting_cron_jobs.get(key)?;
        let time = self.timeline.scenario.start.since(job.status.start_time?);
        let why = format!(
            "it has run for {}, and CronJob {cron_job} starts no other Job until it ends (concurrencyPolicy Forbid)",
            Duration(time).in_words()
        );
        let remedy = "if it hangs, delete it, and set activeDeadlineSeconds";
        let ObjectKey { namespace, name, .. } = key;
        let command = self.kubectl.logs_of_job(namespace, name);
        (time >= LONG.saturating_mul(Time::SECOND))
            .then(|| Obstacle::new(why).with_remedy(remedy).with_shown("its log", command))
    }
}

fn standing(job: &Job) -> JobStanding {
    if condition(job, "Failed").is_some() {
        JobStanding::Failed
    } else if condition(job, "Complete").is_some() {
        JobStanding::Complete
    } else if job.spec.suspend == Some(true) {
        JobStanding::Suspended
    } else {
        JobStanding::Active
    }
}

/// A condition that is true.
fn condition<'a>(job: &'a Job, type_: &str) -> Option<&'a JobCondition> {
    let mut conditions = job.status.conditions.iter();
    conditions.find(|condition| &*condition.type_ == type_ && condition.status == ConditionStatus::True)
}

fn summary(job: &Job) -> String {
    let status = &job.status;
    let mut counts = Vec::from([format!("{} active", status.active)]);
    if let Some(terminating @ 1..) = status.terminating {
        counts.push(format!("{terminating} terminating"));
    }
    let of = job.spec.completions.map_or_else(String::new, |completions| format!(" of {completions}"));
    counts.push(format!("{}{of} succeeded", status.succeeded));
    let indexes = status.failed_indexes.as_ref().filter(|indexes| !indexes.is_empty());
    let indexes = indexes.map_or_else(String::new, |indexes| match indexes.contains([',', '-']) {
        true => format!(" (indexes {indexes})"),
        false => format!(" (index {indexes})"),
    });
    counts.push(format!("{} failed{indexes}", status.failed));
    let why = condition(job, "Failed").map_or_else(String::new, |failed| {
        let JobCondition { reason, message, .. } = failed;
        format!("{reason}: {message}; ")
    });
    format!("{why}Pods: {}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn job(spec: Value, status: Value) -> Job {
        serde_json::from_value(json!({ "metadata": { "name": "task" }, "spec": spec, "status": status })).unwrap()
    }

    #[test]
    fn a_failed_job_says_why() {
        let failed = json!({
            "type": "Failed", "status": "True",
            "reason": "BackoffLimitExceeded", "message": "Job has reached the specified backoff limit",
        });
        let job = job(json!({ "completions": 5 }), json!({ "conditions": [failed], "succeeded": 1, "failed": 7 }));
        assert_eq!(standing(&job), JobStanding::Failed);
        let why = "BackoffLimitExceeded: Job has reached the specified backoff limit";
        assert_eq!(summary(&job), format!("{why}; Pods: 0 active, 1 of 5 succeeded, 7 failed"));
    }

    #[test]
    fn a_job_is_suspended_active_or_complete() {
        let complete = json!({ "conditions": [{ "type": "Complete", "status": "True" }], "succeeded": 2 });
        for (suspend, status, expected, counts) in [
            (false, complete.clone(), JobStanding::Complete, "0 active, 2 succeeded, 0 failed"),
            (true, complete, JobStanding::Complete, "0 active, 2 succeeded, 0 failed"),
            (true, json!({}), JobStanding::Suspended, "0 active, 0 succeeded, 0 failed"),
            (
                false,
                json!({ "succeeded": 4, "failed": 6, "failedIndexes": "1,3" }),
                JobStanding::Active,
                "0 active, 4 succeeded, 6 failed (indexes 1,3)",
            ),
            (
                false,
                json!({ "active": 1, "terminating": 2 }),
                JobStanding::Active,
                "1 active, 2 terminating, 0 succeeded, 0 failed",
            ),
        ] {
            let job = job(json!({ "suspend": suspend }), status);
            assert_eq!((standing(&job), summary(&job)), (expected, format!("Pods: {counts}")));
        }
    }
}
