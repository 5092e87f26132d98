//! Recorded rollouts of small Deployments never exceed the predicted worst case.

use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Object, Pod, Time};
use changeover_core::workload::deployment::Deployment;
use changeover_core::worst_case::{ExplorationLimits, MAX_REPLICAS, PodTimes, explore};
use changeover_proof::recording::{Recording, Stored};

/// Scenarios in which only the controllers act after the Deployment is changed, and pods don't fail.
const SCENARIOS: [&str; 16] = [
    "change-cause",
    "deadline-then-ready",
    "history",
    "min-ready",
    "never-ready",
    "recreate",
    "recreate-undo",
    "restart",
    "scale-zero",
    "surge-0-unavailable-1",
    "surge-1-unavailable-0",
    "surge-changes",
    "to-recreate",
    "unavailable-100",
    "undo-after",
    "undo-to-revision",
];

const DEPLOYMENT: &str = "Deployment/web";
const ANY: PodTimes = PodTimes { ready_min: 0, ready_max: None, stop_max: 30 * Time::SECOND };

/// The recording between a change of the settled Deployment and the next one.
struct Change {
    before: Rc<Deployment>,
    after: Rc<Deployment>,
    peak: usize,
    lowest_available: usize,
    /// When the change was stored, and when the Deployment's status said that it is complete.
    started: Time,
    complete: Option<Time>,
}

/// The longest times of the recorded pods; none if no pod got ready.
fn pod_times(recording: &Recording) -> Option<PodTimes> {
    let pods = || recording.stored.iter().filter(|(key, _)| key.starts_with("Pod/")).map(|(_, stored)| stored);
    let longest = |from: &dyn Fn(&Pod) -> bool, to: &dyn Fn(&Pod) -> bool| {
        pods().filter_map(|stored| Some(first(stored, to)?.since(first(stored, from)?))).max()
    };
    let ready = longest(&|_| true, &Pod::is_ready)?;
    let stop = longest(&|pod| pod.metadata.deletion_timestamp.is_some(), &Pod::is_terminal).unwrap_or(0);
    Some(PodTimes { ready_min: 0, ready_max: Some(ready), stop_max: stop })
}

/// Core's longest time leaves out the time that controllers take, so the pods' times include it here: how long the controllers
/// took at most to write something about ReplicaSets and pods, or that the change is complete, after the
/// change or after something last happened to a pod.
fn reaction(versions: &[(&String, &Stored)], change: &Change, complete: Time) -> i64 {
    let min_ready = i64::from(change.after.spec.min_ready_seconds);
    let mut pods: BTreeMap<&str, Rc<Pod>> = BTreeMap::new();
    let mut available: Vec<Time> = Vec::new();
    let (mut event, mut longest) = (change.started, 0);
    for (key, stored) in versions {
        let is_within = stored.at > change.started && stored.at <= complete;
        let is_theirs = match &stored.object {
            Some(Object::Pod(pod)) => {
                let before = pods.insert(key, pod.clone());
                available.extend(ready_since(pod).map(|since| since.plus_seconds(min_ready)));
                // The controllers create and delete it, and the rest happens to it.
                before.is_none_or(|before| before.metadata.deletion_timestamp != pod.metadata.deletion_timestamp)
            }
            None if key.starts_with("Pod/") => false,
            _ if key.starts_with("ReplicaSet/") => true,
            _ if *key == DEPLOYMENT && stored.at == complete => true,
            _ => continue,
        };
        event = available.iter().copied().filter(|at| *at <= stored.at).chain([event]).max().unwrap_or(event);
        match (is_within, is_theirs) {
            (true, true) => longest = longest.max(stored.at.since(event)),
            (true, false) => event = event.max(stored.at),
            (false, _) => {}
        }
    }
    longest
}

/// When a pod became ready, if it is: in whole seconds, as controllers see it.
fn ready_since(pod: &Pod) -> Option<Time> {
    pod.ready_condition()?.last_transition_time.filter(|_| pod.is_ready())
}

/// When a pod was first seen like that.
fn first(stored: &[Stored], reached: &dyn Fn(&Pod) -> bool) -> Option<Time> {
    let is_reached = |stored: &&Stored| matches!(&stored.object, Some(Object::Pod(pod)) if reached(pod));
    stored.iter().find(is_reached).map(|stored| stored.at)
}

/// Whether the Deployment's status says that all pods are new and available, and no others are left.
fn is_complete(deployment: &Deployment) -> bool {
    let (desired, status) = (deployment.spec.replicas, &deployment.status);
    [status.replicas, status.updated_replicas, status.available_replicas].into_iter().all(|count| count == desired)
        && status.observed_generation == deployment.metadata.generation
}

fn deployment(object: Option<&Object>) -> Option<Rc<Deployment>> {
    match object {
        Some(Object::Deployment(deployment)) => Some(deployment.clone()),
        _ => None,
    }
}

/// All versions of all objects, in their order.
fn versions(recording: &Recording) -> Vec<(&String, &Stored)> {
    let versions = recording.stored.iter();
    let mut versions: Vec<_> =
        versions.flat_map(|(key, versions)| versions.iter().map(move |version| (key, version))).collect();
    versions.sort_by_key(|(_, stored)| stored.version);
    versions
}

/// The changes of a settled Deployment, each up to the next change of its spec.
fn changes(recording: &Recording) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut is_followed = false;
    let mut pods: BTreeMap<&str, Rc<Pod>> = BTreeMap::new();
    let mut web: Option<Rc<Deployment>> = None;
    for (key, stored) in versions(recording) {
        match &stored.object {
            Some(Object::Pod(pod)) => drop(pods.insert(key, pod.clone())),
            None if key.starts_with("Pod/") => drop(pods.remove(&**key)),
            _ => {}
        }
        if key == DEPLOYMENT {
            let now = deployment(stored.object.as_ref());
            if let (Some(before), Some(after)) = (&web, &now)
                && before.spec != after.spec
            {
                let desired = before.spec.replicas;
                is_followed = is_complete(before)
                    && i32::try_from(pods.len()) == Ok(desired)
                    && desired.max(after.spec.replicas) <= MAX_REPLICAS;
                if is_followed {
                    let (before, after) = (before.clone(), after.clone());
                    let (peak, lowest_available) = (0, usize::MAX);
                    changes.push(Change { before, after, peak, lowest_available, started: stored.at, complete: None });
                }
            }
            if let Some(change) = changes.last_mut().filter(|_| is_followed)
                && now.as_deref().is_some_and(is_complete)
            {
                change.complete.get_or_insert(stored.at);
            }
            web = now;
        }
        if let Some(change) = changes.last_mut().filter(|_| is_followed) {
            let min_ready = change.after.spec.min_ready_seconds;
            // Watches have a delay, so a pod may have been available for longer.
            let is_available = |pod: &&Rc<Pod>| pod.is_active() && pod.is_available(min_ready, stored.at);
            change.peak = change.peak.max(pods.values().filter(|pod| !pod.is_terminal()).count());
            change.lowest_available = change.lowest_available.min(pods.values().filter(is_available).count());
        }
    }
    changes
}

#[test]
fn real_runs_stay_within_the_worst_case() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../controlplane/recordings");
    let (mut compared, mut timed) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        if !SCENARIOS.iter().any(|name| file.strip_prefix(name).is_some_and(|rest| rest.len() == "-1.jsonl.gz".len())) {
            continue;
        }
        let recording = Recording::read(&path).unwrap();
        for change in changes(&recording) {
            let Change { before, after, peak, lowest_available, started, complete } = &change;
            let worst = explore(before, after, FeatureGates::default(), ANY, ExplorationLimits::default()).unwrap();
            let (name, most, fewest) = (&recording.name, worst.peak.pods, worst.lowest_available.pods);
            println!("{name}: peak {peak} of {most}, available {lowest_available} of {fewest}");
            assert!(i32::try_from(*peak).unwrap() <= most, "{name}: {peak} pods, and {most} in the worst case");
            let lowest = i32::try_from(*lowest_available).unwrap();
            assert!(lowest >= fewest, "{name}: {lowest} are available, and {fewest} in the worst case");
            compared += 1;
            let times = pod_times(&recording).filter(|_| !after.spec.paused);
            if let (Some(complete), Some(times)) = (complete, times) {
                let reaction = reaction(&versions(&recording), &change, *complete);
                let times = PodTimes {
                    ready_max: times.ready_max.map(|ready| ready + reaction),
                    stop_max: times.stop_max + reaction,
                    ..times
                };
                let worst =
                    explore(before, after, FeatureGates::default(), times, ExplorationLimits::default()).unwrap();
                let longest = worst.longest.unwrap().time + reaction;
                let took = complete.since(*started);
                let [took_ms, longest_ms, reaction_ms] = [took, longest, reaction].map(|time| time / 1_000_000);
                println!("    {took_ms} ms of at most {longest_ms} ms, with {reaction_ms} ms for each reaction");
                assert!(took <= longest, "{name}: {took} ns, and at most {longest} ns in the worst case");
                // With any longer time for each reaction, no run could exceed the worst case.
                assert!(reaction < Time::SECOND, "{name}: {reaction} ns");
                timed += 1;
            }
        }
    }
    assert!(timed >= 30, "only {timed} times were compared");
    assert!(compared >= 30, "only {compared} changes were compared");
}
