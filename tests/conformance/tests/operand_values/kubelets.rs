//! Back-offs, restarts and grace periods.

use changeover_core::object::{Object, Time};
use changeover_core::scenario::{Delay, Timing};
use changeover_core::timeline::Step;
use serde_json::Value;

use crate::world::World;
use crate::{Expected, Numbers, count, duration};

/// A pod's history.
#[derive(Default)]
pub struct Life {
    pub node: Option<String>,
    pub terminating: bool,
    /// When its kubelet learned that it must stop.
    asked: Option<Time>,
    /// How many image pulls failed.
    pulls: u32,
    crashes: i64,
    restarts: i64,
    /// The restarts since the back-off last began, and the time of the last one.
    streak: u32,
    last_restart: Option<Time>,
    started: Option<Time>,
}

impl Life {
    pub fn of(pod: &Value) -> Self {
        let restarts = pod["status"]["containerStatuses"][0]["restartCount"].as_i64().unwrap_or(0);
        Self { restarts, ..Self::default() }
    }

    /// If it terminates, its kubelet knows from now on.
    pub fn ask_to_stop(&mut self, now: Time) {
        if self.terminating {
            self.asked.get_or_insert(now);
        }
    }

    pub fn step(&mut self, step: &Step) {
        match step.reason().rule.id {
            "kubelet.pull-back-off" => self.pulls += 1,
            "kubelet.started" => self.started = Some(step.time),
            "kubelet.restarted" => {
                self.streak = self.restarts_in_a_row(step.time) + 1;
                self.restarts += 1;
                self.crashes += 1;
                self.last_restart = Some(step.time);
            }
            _ => {}
        }
    }

    /// The restarts since the container last ran for more than ten minutes, which resets the back-off.
    fn restarts_in_a_row(&self, now: Time) -> u32 {
        let ran = self.last_restart.map_or(0, |last| now.since(last));
        if ran > 600 * Time::SECOND { 0 } else { self.streak }
    }
}

/// 10 s, doubled each time, up to 5 minutes.
fn back_off(before: u32) -> Expected {
    duration((10 << before.min(5)).min(300) * Time::SECOND)
}

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    let id = step.reason().rule.id;
    if ![
        "pull-back-off",
        "crashed",
        "restarted",
        "pre-stop",
        "gone",
        "held",
        "probe",
        "startup-failed",
        "for-good",
        "failed",
        "container-failed",
    ]
    .iter()
    .any(|end| id.ends_with(&format!(".{end}")))
    {
        return Numbers::new();
    }
    let life = world.life(&step.about);
    match id {
        "kubelet.pull-back-off" => Numbers::from([("backOff", back_off(life.pulls))]),
        "kubelet.crashed" => {
            let in_a_row = life.restarts_in_a_row(world.now);
            // The first restart is immediate.
            let waits = in_a_row.checked_sub(1).map_or(Expected::Text("none".into()), back_off);
            Numbers::from([("crashes", count(life.crashes + 1)), ("backOff", waits)])
        }
        "kubelet.ready.probe" => {
            let started = life.last_restart.or(life.started).unwrap();
            let after = duration(world.now.since(started));
            Numbers::from([("answers", duration(answers(world, step))), ("after", after)])
        }
        "kubelet.failed" | "kubelet.container-failed" => {
            let container = step.reason().value("container").unwrap().to_string();
            let Some(Object::Pod(pod)) = &step.change.as_ref().unwrap().after else { return Numbers::new() };
            let statuses = serde_json::to_value(&pod.status.container_statuses).unwrap();
            let ended =
                statuses.as_array().unwrap().iter().find(|status| status["name"] == container.as_str()).unwrap();
            Numbers::from([("exitCode", count(ended["state"]["terminated"]["exitCode"].as_i64().unwrap()))])
        }
        "kubelet.startup-failed" | "kubelet.startup-failed.for-good" => {
            let probe = &world.object(&step.about)["spec"]["containers"][0]["startupProbe"];
            Numbers::from([("failures", count(probe["failureThreshold"].as_i64().unwrap_or(3)))])
        }
        "kubelet.restarted" => Numbers::from([("restarts", count(life.restarts + 1))]),
        "kubelet.pre-stop" => {
            let (took, grace) = (world.now.since(life.asked.unwrap()), grace(world, step) * Time::SECOND);
            let left = (grace - took).max(2 * Time::SECOND);
            Numbers::from([("seconds", count(took / Time::SECOND)), ("left", count(left / Time::SECOND))])
        }
        _ => {
            let grace = grace(world, step).max(2);
            // The kubelet of a lost node reports it later.
            let took = world.now.since(life.asked.unwrap()) / Time::SECOND;
            Numbers::from([("seconds", count(took.min(grace))), ("grace", count(grace))])
        }
    }
}

/// How long after their start the containers answer probes: the scenario's first entry that matches the pod, or 4 s.
fn answers(world: &World<'_>, step: &Step) -> i64 {
    let pod = world.object(&step.about);
    let replica_set = world.owner(&pod);
    let deployment = world.owner(&replica_set);
    let revision = replica_set["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str();
    let revision = revision.and_then(|text| text.parse::<i64>().ok());
    let fits = |timing: &&Timing| {
        timing.deployment.as_ref().is_none_or(|name| deployment["metadata"]["name"] == name.as_str())
            && timing.revision.is_none_or(|number| revision == Some(number))
            && timing.image.as_ref().is_none_or(|image| pod["spec"]["containers"][0]["image"] == image.as_str())
    };
    match world.scenario().kubelet.iter().find(fits) {
        Some(Timing { answers: Some(Delay::After(after)), jitter_percent: 0, .. }) => after.0,
        None | Some(Timing { answers: None, jitter_percent: 0, .. }) => 4 * Time::SECOND,
        Some(timing) => panic!("no container answers a probe at a known time with {timing:?}"),
    }
}

fn grace(world: &World<'_>, step: &Step) -> i64 {
    world.object(&step.about)["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0)
}
