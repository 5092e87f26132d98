//! The state of the Jobs in a running cluster. What a Job waits for is what its controller decides next.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::next_steps::{NextStep, next_steps};
use super::outlook::Outlook;
use crate::object::ConditionStatus;
use crate::workload::job::{Job, JobCondition};

/// The state of a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOutlook {
    /// The Job's namespace.
    pub namespace: String,
    /// The Job's name.
    pub name: String,
    /// The state in one word.
    pub standing: JobStanding,
    /// The state in numbers, with the reason if the Job has failed: `Pods: 2 active, 1 of 5 succeeded, 1 failed`.
    pub summary: String,
    /// The next decisions of the Job controller.
    pub next: Vec<NextStep>,
}

/// The state of a Job in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Outlook {
    /// The state of each Job, by namespace and name.
    pub fn jobs(&self) -> impl Iterator<Item = JobOutlook> {
        self.timeline.initial.jobs().map(|job| JobOutlook {
            namespace: job.metadata.namespace.to_string(),
            name: job.metadata.name.to_string(),
            standing: standing(job),
            summary: summary(job),
            next: next_steps(&self.timeline, |step| *step.about == job.key()),
        })
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
    counts.push(format!("{} failed", status.failed));
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
