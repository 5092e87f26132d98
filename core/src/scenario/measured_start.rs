//! How long pods of a running cluster took to start.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::stuck_pods::{DEFAULT_PROGRESS_DEADLINE, condition};
use super::{Delay, Duration, StuckPod, Timing, stuck_pod_timings};
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, integer, list, name, string};
use crate::object::{Kind, Time, controller_of};

/// How long pods took to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredStart {
    /// From when they were scheduled until their containers ran.
    pub containers: Duration,
    /// From when they were scheduled until they were ready.
    pub ready: Duration,
}

impl MeasuredStart {
    /// The timing of pods that start as fast, whatever their probes would find. All else is as in `others`.
    #[must_use]
    pub fn timing(self, others: Timing) -> Timing {
        let ready = Duration(self.ready.0.saturating_sub(self.containers.0));
        Timing { start: self.containers, ready: Some(Delay::After(ready)), answers: None, ..others }
    }
}

/// How long the ready pods of each Deployment took to start, by the Deployment's uid: the medians of their times. The objects are as
/// `kubectl get -o json` prints them. A Deployment is left out if none of its pods says so.
pub fn measured_starts<'a>(objects: impl Iterator<Item = &'a Value> + Clone) -> BTreeMap<&'a str, MeasuredStart> {
    let of_kind = |kind: Kind| objects.clone().filter(move |object| string(object, "kind") == kind.name());
    let owners: BTreeMap<&str, &str> = of_kind(Kind::ReplicaSet)
        .filter_map(|replica_set| Some((uid(replica_set)?, owner_uid(replica_set, Kind::Deployment)?)))
        .collect_tree();
    let mut starts: BTreeMap<&str, Vec<MeasuredStart>> = BTreeMap::new();
    for pod in of_kind(Kind::Pod) {
        let deployment = owner_uid(pod, Kind::ReplicaSet).and_then(|owner| owners.get(owner).copied());
        if let Some((deployment, start)) = deployment.zip(start_of_pod(pod)) {
            starts.entry(deployment).or_default().push(start);
        }
    }
    let measured = |deployment: &'a Value| {
        let uid = uid(deployment)?;
        Some((uid, median_start(starts.get(uid)?, longest_start(deployment))?))
    };
    of_kind(Kind::Deployment).filter_map(measured).collect_tree()
}

/// The same by the Deployment's name, of those whose start `keeps`. A timing knows a Deployment only by its name, so none is measured
/// whose name another one has, too.
pub(crate) fn starts_by_name<'a>(
    objects: impl Iterator<Item = &'a Value> + Clone,
    keeps: impl Fn(&Value) -> bool,
) -> BTreeMap<String, MeasuredStart> {
    let measured = measured_starts(objects.clone());
    let mut starts: BTreeMap<String, Option<MeasuredStart>> = BTreeMap::new();
    for deployment in objects.filter(|object| string(object, "kind") == Kind::Deployment.name()) {
        let start = uid(deployment).and_then(|uid| measured.get(uid)).copied().filter(|_| keeps(deployment));
        starts.entry(String::from(name(deployment))).and_modify(|known| *known = None).or_insert(start);
    }
    starts.into_iter().filter_map(|(name, start)| Some((name, start?))).collect_tree()
}

/// How fast pods are: those that are held up, then those whose start was measured, and last all others.
pub(crate) fn pod_timings(
    stuck_pods: &[StuckPod],
    measured_starts: &BTreeMap<String, MeasuredStart>,
    others: &Timing,
) -> Vec<Timing> {
    let mut timings = stuck_pod_timings(stuck_pods, others.clone());
    let measured = measured_starts
        .iter()
        .map(|(name, start)| Timing { deployment: Some(name.clone()), ..start.timing(others.clone()) });
    let last = timings.len().saturating_sub(1);
    timings.splice(last..last, measured);
    timings
}

fn uid(object: &Value) -> Option<&str> {
    at(object, &["metadata", "uid"])?.as_str()
}

/// The uid of the object of that kind that controls this one.
fn owner_uid(object: &Value, kind: Kind) -> Option<&str> {
    Some(string(controller_of(object, kind)?, "uid"))
}

/// The longest start of a Deployment's pod that counts. A pod that took longer was ready before, as on a node that was lost for a
/// while.
fn longest_start(deployment: &Value) -> Duration {
    let deadline = at(deployment, &["spec"]).and_then(|spec| integer(spec, "progressDeadlineSeconds"));
    Duration::seconds(deadline.unwrap_or(DEFAULT_PROGRESS_DEADLINE))
}

/// The medians of the starts that were not too long.
fn median_start(starts: &[MeasuredStart], longest: Duration) -> Option<MeasuredStart> {
    let counted = || starts.iter().filter(|start| start.ready <= longest);
    let ready = median(counted().map(|start| start.ready))?;
    let containers = median(counted().map(|start| start.containers))?.min(ready);
    Some(MeasuredStart { containers, ready })
}

/// The middle one of some times, or the longer one of two.
fn median(times: impl Iterator<Item = Duration>) -> Option<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len().div_euclid(2)).copied()
}

/// How long a pod took to start. None if it is not ready, or if a container was started again, so that it may have been ready
/// before.
fn start_of_pod(pod: &Value) -> Option<MeasuredStart> {
    let status = at(pod, &["status"])?;
    let containers = list(status, "containerStatuses");
    if containers.iter().any(|container| integer(container, "restartCount").is_some_and(|count| count > 0)) {
        return None;
    }
    // status.startTime is a little later: when the kubelet has seen the pod.
    let scheduled = condition(pod, "PodScheduled").filter(|scheduled| string(scheduled, "status") == "True");
    let scheduled = scheduled.and_then(|scheduled| Time::parse(string(scheduled, "lastTransitionTime")));
    let created = at(pod, &["metadata"]).map(|metadata| string(metadata, "creationTimestamp"));
    let start = scheduled.or_else(|| Time::parse(created?))?;
    let after_start = |time: Time| Some(Duration(time.since(start))).filter(|time| time.0 >= 0);
    let condition = condition(pod, "Ready").filter(|ready| string(ready, "status") == "True")?;
    let ready = after_start(Time::parse(string(condition, "lastTransitionTime"))?)?;
    let started = |container: &Value| Time::parse(string(at(container, &["state", "running"])?, "startedAt"));
    let running = containers.iter().filter_map(started).max();
    let containers = running.and_then(after_start).unwrap_or(Timing::DEFAULT.start);
    Some(MeasuredStart { containers, ready })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use serde_json::json;

    use super::*;

    fn owned_by(kind: &str, uid: &str) -> Value {
        json!([{ "kind": kind, "uid": uid, "controller": true }])
    }

    /// A pod of `web` that was ready this many seconds after its start.
    fn pod(seconds: i64, restarts: u32, status: &str) -> Value {
        let start = Time::parse("2026-01-01T00:00:00Z").unwrap();
        let ready = start.plus_seconds(seconds).to_string();
        json!({
            "kind": "Pod", "metadata": { "ownerReferences": owned_by("ReplicaSet", "web-1") },
            "status": {
                "conditions": [
                    { "type": "PodScheduled", "status": "True", "lastTransitionTime": start.to_string() },
                    { "type": "Ready", "status": status, "lastTransitionTime": ready },
                ],
                "containerStatuses": [{
                    "restartCount": restarts,
                    "state": { "running": { "startedAt": start.plus_seconds(3).to_string() } },
                }],
            },
        })
    }

    /// The seconds until the containers of the pods of `web` ran, and until the pods were ready.
    fn measured(pods: &[Value]) -> Option<(i64, i64)> {
        let deployment = |uid: &str| json!({ "kind": "Deployment", "metadata": { "uid": uid }, "spec": {} });
        let replica_set = |uid: &str, owner: &str| json!({ "kind": "ReplicaSet", "metadata": { "uid": uid, "ownerReferences": owned_by("Deployment", owner) } });
        let owners =
            [deployment("web"), deployment("other"), replica_set("web-1", "web"), replica_set("other-1", "other")];
        let MeasuredStart { containers, ready } = *measured_starts(owners.iter().chain(pods)).get("web")?;
        Some((containers.0.div_euclid(Time::SECOND), ready.0.div_euclid(Time::SECOND)))
    }

    #[test]
    fn the_median_of_the_pods_that_became_ready_once_is_measured() {
        let mut of_another = pod(90, 0, "True");
        of_another["metadata"]["ownerReferences"] = owned_by("ReplicaSet", "other-1");
        let mut without_time = pod(90, 0, "True");
        without_time["status"]["conditions"][0]["lastTransitionTime"] = Value::Null;
        for (pods, expected) in [
            (vec![], None),
            (vec![pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(40, 0, "True"), pod(18, 0, "True"), pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(18, 0, "True"), pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(0, 0, "True")], Some((0, 0))),
            (vec![pod(20, 0, "True"), pod(90, 1, "True"), pod(90, 0, "False")], Some((3, 20))),
            // It was ready before, or its clock is wrong.
            (vec![pod(20, 0, "True"), pod(3600, 0, "True"), pod(-1, 0, "True")], Some((3, 20))),
            (vec![of_another, without_time], None),
        ] {
            assert_eq!(measured(&pods), expected, "{pods:?}");
        }
    }
}
