//! Failed pods that no controller has replaced, although nothing refuses new ones. A simulated controller would do so at once, so what the
//! objects say is no state to forecast from.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, ObjectKey, Time, controller_of};
use crate::scenario::{Duration, end_of_failed};

/// How long a controller that works takes at most to replace a pod.
const MOST: i64 = 60 * Time::SECOND;

/// How long the controller of DaemonSets waits at most before it replaces a pod that has failed often.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go BackoffGCInterval`, `cmd/kube-controller-manager/app/apps.go newDaemonSetController`
const LONGEST_BACK_OFF: i64 = 15 * 60 * Time::SECOND;

/// The failed pods of a workload that no controller has replaced.
#[derive(Debug)]
pub(super) struct UnreplacedPods {
    /// How many of its pods lack.
    lacking: i64,
    /// How long ago the last of them failed, in nanoseconds.
    time: i64,
    /// Whether their controller waits for longer the more often a pod has failed.
    backs_off: bool,
}

impl UnreplacedPods {
    /// Whether their controller may just be waiting.
    pub(super) const fn may_be_waiting(&self) -> bool {
        self.backs_off && self.time < LONGEST_BACK_OFF.saturating_add(MOST)
    }

    pub(super) fn sentence(&self) -> String {
        let pods = if self.lacking == 1 { "1 pod" } else { &format!("{} pods", self.lacking) };
        let time = Duration(self.time).in_words();
        if self.may_be_waiting() {
            let longest = Duration(LONGEST_BACK_OFF).in_words();
            return format!(
                "its controller has not replaced {pods} that failed {time} ago: it waits for up to {longest}"
            );
        }
        format!("its controller has not replaced {pods} that failed {time} ago: until it does, nothing happens")
    }
}

/// The failed pods of Deployments, StatefulSets and DaemonSets that no controller has replaced.
pub(super) fn unreplaced_pods(objects: &[Value], now: Time) -> BTreeMap<ObjectKey, UnreplacedPods> {
    let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
    let mut pods: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for pod in of_kind(Kind::Pod) {
        let owners = [Kind::ReplicaSet, Kind::StatefulSet, Kind::DaemonSet];
        if let Some(owner) = owners.into_iter().find_map(|kind| controller_of(pod, kind)) {
            pods.entry(string(owner, "uid")).or_default().push(pod);
        }
    }
    let of_replica_set = |replica_set: &Value| {
        let owner = controller_of(replica_set, Kind::Deployment)?;
        let unreplaced = unreplaced_of(replica_set, replicas(replica_set), &pods, now)?;
        let namespace = at(replica_set, &["metadata"]).map_or("", |metadata| string(metadata, "namespace"));
        Some((ObjectKey::new(Kind::Deployment, namespace, string(owner, "name")), unreplaced))
    };
    let of_set = |set: &Value| {
        let unreplaced = unreplaced_of(set, replicas(set), &pods, now)?;
        Some((ObjectKey::of_manifest(Kind::StatefulSet, set), unreplaced))
    };
    let of_daemon_set = |set: &Value| {
        let wanted = integer(at(set, &["status"])?, "desiredNumberScheduled")?;
        let unreplaced = unreplaced_of(set, wanted, &pods, now)?;
        Some((ObjectKey::of_manifest(Kind::DaemonSet, set), UnreplacedPods { backs_off: true, ..unreplaced }))
    };
    let of_deployments = of_kind(Kind::ReplicaSet).filter_map(of_replica_set);
    let of_sets =
        of_kind(Kind::StatefulSet).filter_map(of_set).chain(of_kind(Kind::DaemonSet).filter_map(of_daemon_set));
    of_deployments.chain(of_sets).collect_tree()
}

/// How many pods an object wants.
fn replicas(object: &Value) -> i64 {
    at(object, &["spec"]).and_then(|spec| integer(spec, "replicas")).unwrap_or(1)
}

/// Those of an owner that wants this many pods. `pods`: all, by the uids of their owners.
fn unreplaced_of(owner: &Value, wanted: i64, pods: &BTreeMap<&str, Vec<&Value>>, now: Time) -> Option<UnreplacedPods> {
    let metadata = field(owner, "metadata").filter(|metadata| field(metadata, "deletionTimestamp").is_none())?;
    let pods = pods.get(string(metadata, "uid"))?;
    let is_refused = |condition: &Value| string(condition, "type") == "ReplicaFailure";
    if at(owner, &["status"]).is_some_and(|status| list(status, "conditions").iter().any(is_refused)) {
        return None;
    }
    let (mut active, mut last) = (0_i64, None);
    let mut has_failed = false;
    for pod in pods {
        let has_ended = at(pod, &["status"]).is_some_and(|status| string(status, "phase") == "Failed");
        let is_terminating = at(pod, &["metadata", "deletionTimestamp"]).is_some();
        if has_ended && !is_terminating {
            has_failed = true;
            last = last.max(Some(end_of_failed(pod)?));
        } else if !is_terminating {
            active = active.saturating_add(1);
        }
        let created = at(pod, &["metadata"]).and_then(|metadata| Time::parse(string(metadata, "creationTimestamp")));
        last = last.max(created);
    }
    let (lacking, time) = (wanted.saturating_sub(active), now.since(last?));
    (has_failed && lacking > 0 && time >= MOST).then_some(UnreplacedPods { lacking, time, backs_off: false })
}
