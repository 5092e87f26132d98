//! CronJobs in the simulated cluster, and Jobs that are deleted some time after they finish.

#![cfg(feature = "time-zones")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Actor, EndReason, State, Timeline};
use changeover_core::workload::cron_job::CronJob;
use changeover_core::workload::job::Job;
use changeover_core::workload::job::controller::{is_job_finished, is_job_succeeded};
use proptest::prelude::*;
use serde_json::{Value, json};

fn cron_job(schedule: &str, spec: &Value, job: &Value) -> Value {
    let mut template = json!({
        "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "report:v1" }] } },
    });
    template.as_object_mut().unwrap().extend(job.as_object().unwrap().clone());
    let mut object = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": { "name": "report" },
        "spec": { "schedule": schedule, "jobTemplate": { "spec": template } },
    });
    object["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    object
}

fn changes(value: Value) -> Changes {
    Changes::from_value(&value).unwrap()
}

fn cron_jobs(state: &State) -> impl Iterator<Item = &CronJob> {
    state.objects().filter_map(|object| match object {
        Object::CronJob(cron_job) => Some(&**cron_job),
        _ => None,
    })
}

/// The times at which Jobs are started.
fn starts(timeline: &Timeline) -> Vec<String> {
    let started = timeline.steps.iter().filter(|step| step.reason().rule.id.starts_with("cron-job.create"));
    started.map(|step| step.reason().value("scheduled").unwrap().to_string()).collect()
}

#[test]
fn a_plain_cron_job_starts_jobs() {
    let given = changes(
        json!({ "limits": { "time": "16m" }, "patch": { "spec": { "schedule": "*/10 * * * *" } }, "at": "7m" }),
    );
    let timeline =
        Timeline::run(steady_state(&cron_job("*/5 * * * *", &json!({}), &json!({})), &given).unwrap()).unwrap();
    assert_eq!(starts(&timeline), ["2026-01-01T00:05:00Z", "2026-01-01T00:10:00Z"]);
    assert_eq!(timeline.end.reason, EndReason::Time);
}

/// The output of `kubectl get cronjob -o yaml` contains the time of the last start.
#[test]
fn a_cron_job_from_a_cluster_begins_again() {
    let mut stored = cron_job("*/5 * * * *", &json!({}), &json!({}));
    stored["metadata"]["uid"] = "c".into();
    stored["metadata"]["creationTimestamp"] = "2025-01-01T00:00:00Z".into();
    stored["status"] = json!({ "lastScheduleTime": "2025-06-01T00:00:00Z" });
    let timeline =
        Timeline::run(steady_state(&stored, &changes(json!({ "limits": { "time": "6m" } }))).unwrap()).unwrap();
    assert_eq!(starts(&timeline), ["2026-01-01T00:05:00Z"]);
}

#[test]
fn bad_cron_jobs_name_the_field() {
    for (schedule, spec, given, message) in [
        ("61 * * * *", json!({}), json!({}), "cronJob.spec.schedule: Invalid value: \"61 * * * *\": "),
        ("* * * * *", json!({ "timeZone": "Europe/Atlantis" }), json!({}), "cronJob.spec.timeZone: Invalid value: "),
        ("* * * * *", json!({}), json!({ "replicas": 2 }), "changes.replicas: Forbidden: a CronJob has no replicas; "),
        (
            "* * * * *",
            json!({}),
            json!({ "patch": { "spec": { "schedule": "?" } } }),
            "changes.patch.spec.schedule: Invalid value: ",
        ),
    ] {
        let job = cron_job(schedule, &spec, &json!({}));
        let problem = steady_state(&job, &changes(given)).unwrap_err().to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    for (action, message) in [
        (
            json!({ "scale": { "kind": "CronJob", "name": "report", "replicas": 1 } }),
            "actions[1].scale.kind: Unsupported value: ",
        ),
        (json!({ "suspend": { "kind": "Pod", "name": "p" } }), "actions[1].suspend.kind: Unsupported value: "),
    ] {
        let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "a", "image": "a" }] } });
        let create = json!({ "create": cron_job("* * * * *", &json!({}), &json!({})) });
        let scenario = json!({ "version": 1, "objects": [pod], "actions": [create, action] });
        let problem = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap_err().to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
}

/// The totals of a Job contain its finish time even after its deletion.
#[test]
fn a_deleted_job_keeps_its_finish_time() {
    let mut job = cron_job("* * * * *", &json!({}), &json!({}))["spec"]["jobTemplate"].take();
    job["apiVersion"] = "batch/v1".into();
    job["kind"] = "Job".into();
    job["metadata"] = json!({ "name": "train" });
    job["spec"]["ttlSecondsAfterFinished"] = 30.into();
    let timeline = Timeline::run(steady_state(&job, &Changes::default()).unwrap()).unwrap();
    let totals = timeline.job_totals("default", "train", timeline.scenario.start);
    assert_eq!((totals.finished, totals.status), (Some(12 * Time::SECOND), None));
}

fn action() -> impl Strategy<Value = Value> {
    let schedule = prop_oneof![Just("* * * * *"), Just("*/3 * * * *")];
    prop_oneof![
        Just(json!({ "suspend": { "kind": "CronJob", "name": "report" } })),
        Just(json!({ "resume": { "kind": "CronJob", "name": "report" } })),
        (0..3).prop_map(|number| json!({ "createJob": { "name": format!("by-hand-{number}"), "from": "report" } })),
        schedule.prop_map(|schedule| json!({ "apply": cron_job(schedule, &json!({}), &json!({})) })),
        prop_oneof!["background", "foreground", "orphan"]
            .prop_map(|cascade| json!({ "delete": { "kind": "CronJob", "name": "report", "cascade": cascade } })),
        (0..3).prop_map(|number| json!({ "delete": { "kind": "Job", "name": format!("by-hand-{number}") } })),
        Just(json!({ "create": cron_job("*/2 * * * *", &json!({}), &json!({})) })),
        Just(json!({ "featureGates": {} })),
    ]
}

fn any_cron_job() -> impl Strategy<Value = Value> {
    let policy = prop_oneof!["Allow", "Forbid", "Replace"];
    let limits = (0..3, 0..3, prop::option::of(0..200_i32), prop::option::of(1..200_i64));
    (policy, limits, any::<bool>()).prop_map(|(policy, (succeeded, failed, ttl, deadline), failing)| {
        let mut spec = json!({
            "concurrencyPolicy": policy,
            "successfulJobsHistoryLimit": succeeded,
            "failedJobsHistoryLimit": failed,
        });
        if let Some(deadline) = deadline {
            spec["startingDeadlineSeconds"] = deadline.into();
        }
        let mut job = json!({ "backoffLimit": u8::from(!failing) });
        if let Some(ttl) = ttl {
            job["ttlSecondsAfterFinished"] = ttl.into();
        }
        cron_job("*/2 * * * *", &spec, &job)
    })
}

/// Whether a CronJob created the Job on schedule.
fn is_scheduled(job: &Job) -> bool {
    job.metadata.annotation("batch.kubernetes.io/cronjob-scheduled-timestamp").is_some()
}

fn count(jobs: &[&Job], is_one: impl Fn(&Job) -> bool) -> i32 {
    i32::try_from(jobs.iter().filter(|job| is_one(job)).count()).unwrap()
}

/// Checks the invariants whenever the controllers are at rest.
fn check(state: &State, now: Time) -> Result<(), TestCaseError> {
    for cron_job in cron_jobs(state) {
        let owned: Vec<&Job> =
            state.jobs().map(|job| &**job).filter(|job| job.metadata.is_controlled_by(&cron_job.metadata)).collect();
        let succeeded = count(&owned, is_job_succeeded);
        let failed = count(&owned, is_job_finished) - succeeded;
        let spec = &cron_job.spec;
        prop_assert!(
            spec.successful_jobs_history_limit.is_none_or(|limit| succeeded <= limit),
            "{now}: {succeeded} are kept"
        );
        prop_assert!(spec.failed_jobs_history_limit.is_none_or(|limit| failed <= limit), "{now}: {failed} are kept");
        for reference in &cron_job.status.active {
            let job = owned.iter().find(|job| job.metadata.uid == reference.uid);
            prop_assert!(job.is_some_and(|job| !is_job_finished(job)), "{now}: {} is not active", reference.name);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn cron_jobs_keep_their_rules(
        cron_job in any_cron_job(),
        actions in prop::collection::vec((0_u32..600, action()), 0..8),
        crash in prop::option::of(1_u32..90),
        run in 1_u32..300,
        limited in any::<bool>(),
        seed in 0_u64..9,
    ) {
        let forbids = cron_job["spec"]["concurrencyPolicy"] == "Forbid";
        let mut timing = json!({ "run": format!("{run}s"), "terminate": "7s", "jitterPercent": 90 });
        if let Some(crash) = crash {
            timing["crash"] = format!("{crash}s").into();
        }
        let timed = actions.into_iter().map(|(at, mut action)| { action["at"] = format!("{at}s").into(); action });
        let actions: Vec<Value> = [json!({ "create": cron_job })].into_iter().chain(timed).collect();
        let replaced = actions[1..].iter().any(|action| action.get("create").or(action.get("delete")).is_some());
        let mut scenario =
            json!({ "version": 1, "seed": seed, "kubelet": [timing], "actions": actions, "limits": { "time": "20m" } });
        if limited {
            scenario["controllerManager"] = json!({ "qps": 3, "burst": 2 });
        }
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let mut cursor = timeline.cursor();
        for frame in 0..=timeline.len() {
            cursor.seek(&timeline, frame);
            let now = timeline.time_at(frame);
            let state = cursor.state();
            if forbids && !replaced {
                let active: Vec<&Job> = state.jobs().map(|job| &**job).collect();
                let active = count(&active, |job| is_scheduled(job) && !is_job_finished(job));
                prop_assert!(active <= 1, "{now}: {active} Jobs at once");
            }
            // Within an instant, or while a request waits, more changes follow.
            if !limited && frame < timeline.len() && timeline.time_at(frame + 1) > now {
                check(state, now)?;
            }
        }
        let minutes = starts(&timeline);
        let mut once = minutes.clone();
        once.sort();
        once.dedup();
        prop_assert!(replaced || once.len() == minutes.len(), "a time comes once: {minutes:?}");
    }

    #[test]
    fn jobs_are_deleted_after_their_ttl(ttl in 0_i64..500, run in 1_i64..100, changed in prop::option::of((0_i64..200, 0_i64..500)), hold in any::<bool>()) {
        let mut job = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "train" },
            "spec": { "ttlSecondsAfterFinished": ttl, "template": cron_job("* * * * *", &json!({}), &json!({}))["spec"]["jobTemplate"]["spec"]["template"] },
        });
        job["spec"]["suspend"] = hold.into();
        let mut actions = vec![json!({ "create": job })];
        if let Some((at, ttl)) = changed {
            let mut longer = actions[0]["create"].clone();
            longer["spec"]["ttlSecondsAfterFinished"] = ttl.into();
            actions.push(json!({ "at": format!("{at}s"), "apply": longer }));
        }
        let scenario = json!({ "version": 1, "kubelet": [{ "run": format!("{run}s") }], "actions": actions });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        prop_assert_eq!(timeline.end.reason, EndReason::Quiet);
        let deletion = timeline.steps.iter().find(|step| step.actor == Actor::TtlAfterFinishedController && step.change.is_some());
        let Some(deletion) = deletion else {
            // A Job that was suspended for good still exists; a deleted one may be created again.
            prop_assert!(hold, "the Job is never deleted");
            return Ok(());
        };
        let Some(Object::Job(job)) = &deletion.change.as_ref().unwrap().before else { panic!("a Job") };
        let finished = job.status.completion_time.unwrap();
        let ttl = i64::from(job.spec.ttl_seconds_after_finished.unwrap());
        let over = finished.plus_seconds(ttl);
        let change = changed.map(|(at, _)| timeline.scenario.start.plus_seconds(at));
        let looked_at = timeline.steps.iter().map(|step| step.time).filter(|time| *time >= over).min();
        prop_assert!(deletion.time == over || Some(deletion.time) == looked_at || Some(deletion.time) == change);
    }
}
