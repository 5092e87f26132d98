//! A second opinion on schedules: each minute is compared with the fields, which is slow and obvious. And on CronJobs:
//! in a small world, no Job is started twice, none runs next to another one under Forbid and Replace, and no more are
//! kept than the limits allow.
#![cfg(feature = "time-zones")]
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::controller::{ApiError, Client, Decision, Event, Write};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Object, ObjectKey, Time};
use changeover_core::workload::cron_job::controller::{View, sync, upcoming};
use changeover_core::workload::cron_job::{ConcurrencyPolicy, CronJob};
use changeover_core::workload::job::Job;
use changeover_core::workload::job::controller::{finished_condition, is_job_finished};
use proptest::prelude::*;
use serde_json::json;

/// A field: its text, and the numbers that match.
#[derive(Clone, Debug)]
struct Field {
    text: String,
    numbers: Vec<u32>,
}

fn field(least: u32, most: u32) -> impl Strategy<Value = Field> {
    let all = move || Field { text: String::from("*"), numbers: (least..=most).collect() };
    prop_oneof![
        Just(()).prop_map(move |()| all()),
        (least..=most).prop_map(|number| Field { text: number.to_string(), numbers: vec![number] }),
        (1_u32..20).prop_map(move |step| Field {
            text: format!("*/{step}"),
            numbers: (least..=most).filter(|number| (number - least).is_multiple_of(step)).collect()
        }),
        (least..=most, least..=most).prop_map(|(one, other)| {
            let (low, high) = (one.min(other), one.max(other));
            Field { text: format!("{low}-{high}"), numbers: (low..=high).collect() }
        }),
        (least..=most, least..=most)
            .prop_map(|(one, other)| Field { text: format!("{one},{other}"), numbers: vec![one, other] }),
    ]
}

/// Month and day of the month of a time, in UTC, as printed.
fn date(time: Time) -> [u32; 2] {
    let text = time.to_string();
    [5, 8].map(|at| text.get(at..at + 2).unwrap().parse().unwrap())
}

/// January 1, 1970 was a Thursday.
fn day_of_week(time: Time) -> u32 {
    u32::try_from((time.0.div_euclid(86_400 * Time::SECOND) + 4).rem_euclid(7)).unwrap()
}

proptest! {
    #[test]
    fn the_next_time_is_the_first_minute_that_matches(
        minute in field(0, 59),
        hour in field(0, 23),
        month in field(1, 12),
        // If both fields for days are restricted, either one is enough.
        days in prop_oneof![
            Just(None),
            field(1, 31).prop_map(|field| Some((true, field))),
            field(0, 6).prop_map(|field| Some((false, field))),
        ],
        after in 1_767_225_600_i64..1_800_000_000,
    ) {
        /// The number of days to search.
        const DAYS: i64 = 60;
        let star = String::from("*");
        let (of_month, of_week) = match &days {
            None => (&star, &star),
            Some((true, field)) => (&field.text, &star),
            Some((false, field)) => (&star, &field.text),
        };
        let schedule = format!("{} {} {of_month} {} {of_week}", minute.text, hour.text, month.text);
        let after = Time(after * Time::SECOND);
        let first = after.0.div_euclid(86_400 * Time::SECOND);
        let on_day = |day: i64| {
            let midnight = Time(day * 86_400 * Time::SECOND);
            let [its_month, its_day] = date(midnight);
            let of_days = days.as_ref().is_none_or(|(of_month, field)| {
                field.numbers.contains(&if *of_month { its_day } else { day_of_week(midnight) })
            });
            if !of_days || !month.numbers.contains(&its_month) {
                return None;
            }
            let at = |minutes: u32| midnight.plus_seconds(i64::from(minutes) * 60);
            let matches = |minutes: &u32| hour.numbers.contains(&(minutes / 60)) && minute.numbers.contains(&(minutes % 60));
            (0..1440).filter(matches).map(at).find(|time| *time > after)
        };
        let expected = (first..first + DAYS).find_map(on_day);
        let next = upcoming(&schedule, None, after, 1).unwrap().first().copied();
        match expected {
            Some(time) => prop_assert_eq!(next, Some(time), "{}", schedule),
            None => prop_assert!(next.is_none_or(|next| next.0 >= (first + DAYS) * 86_400 * Time::SECOND), "{}", schedule),
        }
    }

    #[test]
    fn no_text_hangs_or_panics(
        text in "(TZ=[A-Z/]{0,9} )?([-*/?,0-9A-Za-z]{0,6} ){4}[-*/?,0-9A-Za-z]{0,6}|@every -?[0-9.]{0,20}[hms]|\\PC{0,20}",
        after in any::<i64>(),
    ) {
        if let Ok(times) = upcoming(&text, None, Time(after), 3) {
            prop_assert!(times.iter().zip(times.iter().skip(1)).all(|(one, next)| one < next || next.0 == i64::MAX));
        }
    }
}

/// An event before the next sync.
#[derive(Clone, Debug)]
enum Happening {
    /// Seconds pass.
    Pass(u16),
    /// The time of the next scheduled sync.
    Look,
    /// A Job ends; whether it succeeded.
    End(u8, bool),
    /// A Job is deleted.
    Remove(u8),
    /// The user suspends or resumes the CronJob.
    Suspend(bool),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        3 => (0_u16..200).prop_map(Happening::Pass),
        4 => Just(Happening::Look),
        3 => (any::<u8>(), any::<bool>()).prop_map(|(job, succeeds)| Happening::End(job, succeeds)),
        1 => any::<u8>().prop_map(Happening::Remove),
        1 => any::<bool>().prop_map(Happening::Suspend),
    ]
}

/// The API server.
struct World {
    now: Time,
    cron_job: Rc<CronJob>,
    jobs: BTreeMap<Rc<str>, Rc<Job>>,
    /// The names of all Jobs that were started.
    started: BTreeSet<Rc<str>>,
    next: Option<i64>,
}

impl World {
    fn unfinished(&self) -> usize {
        self.jobs.values().filter(|job| !is_job_finished(job)).count()
    }

    fn pick(&self, pick: u8) -> Option<Rc<str>> {
        let index = usize::from(pick).checked_rem(self.jobs.len())?;
        self.jobs.keys().nth(index).cloned()
    }

    fn happen(&mut self, happening: &Happening) {
        match *happening {
            Happening::Pass(seconds) => self.now = self.now.plus_seconds(seconds.into()),
            Happening::Look => self.now = self.now.plus(self.next.unwrap_or(0)),
            Happening::End(job, succeeds) => {
                let Some(name) = self.pick(job) else { return };
                let now = self.now.truncated();
                let job = Rc::make_mut(self.jobs.get_mut(&name).unwrap());
                if !is_job_finished(job) {
                    let type_ = if succeeds { "Complete" } else { "Failed" };
                    job.status.conditions = serde_json::from_value(json!([{"type": type_, "status": "True"}])).unwrap();
                    job.status.completion_time = Some(now).filter(|_| succeeds);
                }
            }
            Happening::Remove(job) => drop(self.pick(job).and_then(|name| self.jobs.remove(&name))),
            Happening::Suspend(suspend) => {
                Rc::make_mut(&mut Rc::make_mut(&mut self.cron_job).spec).suspend = Some(suspend);
            }
        }
    }

    fn sync(&mut self) {
        let (cron_job, jobs) = (self.cron_job.clone(), self.jobs.values().cloned().collect::<Vec<_>>());
        let started = self.started.len();
        self.next = sync(self, &View { cron_job: &cron_job, jobs: &jobs }).unwrap().map(|after| after.0);
        assert!(self.next.is_none_or(|next| next > 0), "looks again at once: {:?}", self.next);
        assert!(self.started.len() <= started + 1, "started several Jobs at once");
    }

    fn check(&self) {
        let spec = &self.cron_job.spec;
        if spec.concurrency_policy != ConcurrencyPolicy::Allow {
            assert!(self.unfinished() <= 1, "Jobs run side by side");
        }
        for (condition, limit) in
            [("Complete", spec.successful_jobs_history_limit), ("Failed", spec.failed_jobs_history_limit)]
        {
            let kept =
                self.jobs.values().filter(|job| finished_condition(job).is_some_and(|type_| &**type_ == condition));
            assert!(kept.count() <= usize::try_from(limit.unwrap()).unwrap(), "more are kept than the limit says");
        }
        let listed: BTreeSet<_> = self.cron_job.status.active.iter().map(|reference| reference.name.clone()).collect();
        let running: BTreeSet<_> =
            self.jobs.values().filter(|job| !is_job_finished(job)).map(|job| job.metadata.name.clone()).collect();
        assert_eq!(listed, running, "the list of active Jobs is wrong");
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
        self.jobs.get(&key.name).cloned().map(Object::Job)
    }

    fn write(&mut self, write: Write, _: Decision) -> Result<Option<Object>, ApiError> {
        match write {
            Write::Create(object) => {
                let name = object.metadata().name.clone();
                assert!(self.started.insert(name.clone()), "started {name} twice");
                let Object::Job(job) = object.with_metadata(|metadata| metadata.uid = name.clone()) else { panic!() };
                self.jobs.insert(name, job.clone());
                Ok(Some(Object::Job(job)))
            }
            Write::Delete { key, .. } => {
                self.jobs.remove(&key.name).ok_or_else(|| ApiError::not_found(&key))?;
                Ok(None)
            }
            Write::UpdateStatus(Object::CronJob(cron_job)) => {
                self.cron_job = cron_job;
                Ok(None)
            }
            _ => panic!("no write of a CronJob controller"),
        }
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, _: Decision) {}
}

proptest! {
    #[test]
    fn jobs_are_started_once_and_kept_within_the_limits(
        policy in prop::sample::select(vec!["Allow", "Forbid", "Replace"]),
        limits in (0_i32..3, 0_i32..3),
        deadline in prop::option::of(1_i64..200),
        happenings in prop::collection::vec(happening(), 0..60),
    ) {
        let cron_job = json!({
            "metadata": {
                "name": "nightly", "namespace": "default", "uid": "nightly", "creationTimestamp": "2026-01-01T00:00:00Z",
            },
            "spec": {
                "schedule": "*/2 * * * *", "concurrencyPolicy": policy, "startingDeadlineSeconds": deadline,
                "successfulJobsHistoryLimit": limits.0, "failedJobsHistoryLimit": limits.1,
                "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "app"}]}}}},
            },
        });
        let mut world = World {
            now: Time::parse("2026-01-01T00:00:30Z").unwrap(),
            cron_job: serde_json::from_value(cron_job).unwrap(),
            jobs: BTreeMap::new(),
            started: BTreeSet::new(),
            next: None,
        };
        world.sync();
        for happening in &happenings {
            let (due, started) = (world.next.is_some(), world.started.len());
            world.happen(happening);
            world.sync();
            let looked = matches!(happening, Happening::Look) && due;
            if looked && policy != "Forbid" {
                prop_assert_eq!(world.started.len(), started + 1, "looked in vain");
            }
            // The next sync sees what has ended since this one began.
            world.sync();
            world.check();
        }
    }
}
