//! Pods of a running cluster that don't become ready by themselves, and those that the API server refuses.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::{Delay, Timing};
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, ObjectKey, Runs, Time, controller_of, refusal_by};
use crate::workload::replica_set::revision_of;
use crate::workload::stateful_set::STATEFUL_SET_REVISION_LABEL;

/// What a container waits for while it starts, as every container does for a while.
const STARTING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// What a container waits for whose image can't be pulled.
///
/// Upstream: `pkg/kubelet/images/types.go`
const IMAGE_REASONS: [&str; 7] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
    "SignatureValidationFailed",
];

/// How the kubelet says that a volume refers to something that does not exist.
///
/// Upstream: `pkg/volume/secret/secret.go MakePayload`, `pkg/volume/configmap/configmap.go MakePayload`
const MISSING: [&str; 2] = ["not found", "references non-existent"];

/// What a driver is missing in, which comes back by itself.
const DRIVERS: &str = "list of registered CSI drivers";

/// The answers to a probe that stay the same as long as the probe does: it asks a wrong path, or lacks a login.
const REFUSED_PROBES: [&str; 4] = ["401", "403", "404", "405"];

/// What a container waits for that is started again after a while.
pub const CRASH_LOOP_BACK_OFF: &str = "CrashLoopBackOff";

/// Why a container was killed that used more memory than it may.
pub const OOM_KILLED: &str = "OOMKilled";

/// The reason of a Ready condition where the containers are ready, but a readiness gate is not met.
const READINESS_GATES_NOT_READY: &str = "ReadinessGatesNotReady";

/// The reason of a PodScheduled condition of a pod with scheduling gates.
const SCHEDULING_GATED: &str = "SchedulingGated";

/// Why the ReplicaSet controller could not create pods, in the condition of the ReplicaSet.
const FAILED_CREATE: &str = "FailedCreate";

/// Words of refusals that are about the template: with another one, the pod may be accepted.
const OF_TEMPLATE: [&str; 10] = [
    "PodSecurity",
    "security context constraint",
    "ValidatingAdmissionPolicy",
    "PriorityClass",
    "RuntimeClass",
    "serviceaccount",
    "service account",
    "usage per",
    "must specify",
    "Invalid value",
];

/// Why nodes end pods that they have taken.
///
/// Upstream: `pkg/kubelet/eviction/eviction_manager.go`, `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go`, `pkg/kubelet/preemption/preemption.go`
#[cfg(feature = "explain")]
const ENDED_BY_NODE: [&str; 5] = ["Evicted", "Terminated", "NodeShutdown", "Preempting", "NodeLost"];

/// The API server's default of progressDeadlineSeconds.
pub(super) const DEFAULT_PROGRESS_DEADLINE: i64 = 600;

/// How long what a volume refers to may be created later than its pod, in seconds: applied together, both are there sooner.
const TIME_TO_CREATE: i64 = 60;

/// How far the clocks of what writes the objects may differ, in seconds.
const CLOCK_SKEW: i64 = 60;

/// A pod that does not become ready by itself. A new pod of its ReplicaSet or revision would not, either. One that the API server refuses
/// stands for all that its ReplicaSet lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckPod {
    /// The pod's name; of a pod that is refused, its ReplicaSet's.
    pub name: String,
    /// Its Deployment, StatefulSet or DaemonSet.
    pub deployment: ObjectKey,
    /// The revision of its ReplicaSet, its StatefulSet or its DaemonSet.
    pub revision: Option<i64>,
    /// The name of its first container.
    pub first_container: String,
    /// The image of that container.
    pub image: String,
    /// What holds it up.
    pub cause: StuckCause,
}

/// What holds a pod up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StuckCause {
    /// A container waits for something other than its start, or still starts although its time is over.
    Container {
        /// The container's name.
        name: String,
        /// What the container is in its pod.
        role: ContainerRole,
        /// Why it waits, like `CrashLoopBackOff`.
        reason: String,
        /// The kubelet's sentence; may be empty.
        message: String,
        /// How it failed, if it is started again and again.
        crash: Option<Crash>,
    },
    /// An init container has run until the pod's time was over.
    InitRuns {
        /// The container's name.
        name: String,
    },
    /// Scheduling gates keep it from the scheduler.
    Gated {
        /// The names of the gates.
        gates: Vec<String>,
    },
    /// The scheduler finds no node.
    NoNode {
        /// The scheduler's sentence.
        message: String,
    },
    /// Nothing has happened to it, and its time is over.
    Untouched {
        /// The node whose kubelet should start it; none if no scheduler has given it one.
        node: Option<String>,
        /// The scheduler that its spec names.
        scheduler: String,
    },
    /// Its containers run, but it is not ready, and its time is over.
    Unready {
        /// The kubelet's sentence about a readiness gate that is not met; empty if its containers are not ready.
        gate: String,
        /// The containers that are not ready.
        containers: Vec<String>,
        /// What a probe of the first of them asks in vain, if the pod says it.
        port: Option<ProbePort>,
    },
    /// The API server refuses to create it: a webhook, a quota, its namespace's security standard and others may be the reason.
    Refused {
        /// The API server's sentence; may be empty.
        message: String,
    },
}

/// What a container is in its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerRole {
    /// It runs before the others, and has to end.
    Init,
    /// It starts before the others, and keeps running.
    Sidecar,
    /// It does the pod's work.
    Main,
}

/// How a container ended that is started again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Why its last run ended, like `OOMKilled`; may be empty.
    pub reason: String,
    /// The exit code of its last run.
    pub exit_code: i64,
    /// What its runtime or the container itself said at the end; may be empty.
    pub message: String,
    /// How often it has been started again.
    pub restarts: i64,
    /// Its memory limit, as written in the pod.
    pub memory_limit: Option<String>,
    /// How long its startup probe gives it, in seconds, if that probe has not succeeded yet.
    pub startup_seconds: Option<i64>,
    /// How long its liveness probe gives it, in seconds.
    pub liveness_seconds: Option<i64>,
    /// What that probe asks in vain, if the pod says it.
    pub port: Option<ProbePort>,
}

/// A port that a probe asks and that its container does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbePort {
    /// The field of the container with the probe.
    pub probe: &'static str,
    /// The port as the probe has it: a number, or a name in quotes.
    pub port: String,
    /// Whether it is a name: then the probe can't succeed.
    pub is_name: bool,
    /// The ports that the container declares, as the probe could have them; empty if there are none.
    pub declared: Vec<String>,
}

impl Crash {
    /// `containers`: the field with the containers of which the status is one's.
    fn of(pod: &Value, containers: &str, status: &Value, ended: &Value, restarts: i64) -> Self {
        let name = string(status, "name");
        let container = container_of(pod, name);
        Self {
            reason: string(ended, "reason").into(),
            exit_code: integer(ended, "exitCode").unwrap_or_default(),
            message: string(ended, "message").into(),
            restarts,
            memory_limit: memory_limit(pod, containers, name),
            startup_seconds: startup_seconds(pod, status),
            liveness_seconds: container.and_then(|container| probe_seconds(container, "livenessProbe")),
            port: container.and_then(|container| ProbePort::of(container, "livenessProbe")),
        }
    }

    /// Whether its kubelet killed the container because its startup probe failed too often.
    #[must_use]
    #[cfg(feature = "explain")]
    pub(crate) fn is_killed_while_starting(&self) -> bool {
        [137, 143].contains(&self.exit_code) && self.reason != OOM_KILLED && self.startup_seconds.is_some()
    }
}

impl StuckPod {
    /// Whether a container does not get beyond its start: its volumes, its network or an init container.
    #[must_use]
    pub fn is_starting(&self) -> bool {
        matches!(&self.cause, StuckCause::Container { reason, .. } if STARTING.contains(&&**reason))
    }

    /// Whether a container runs, and is not ready.
    #[cfg(feature = "explain")]
    pub(crate) const fn is_unready(&self) -> bool {
        matches!(self.cause, StuckCause::Unready { .. })
    }

    /// Whether an image can't be pulled.
    #[must_use]
    pub(crate) fn lacks_image(&self) -> bool {
        matches!(&self.cause, StuckCause::Container { reason, .. } if IMAGE_REASONS.contains(&&**reason))
    }

    /// Whether the API server refuses the pod.
    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self.cause, StuckCause::Refused { .. })
    }

    /// Whether this ResourceQuota refuses the pod. If it is simulated, it refuses the pod there, too, or lets it be created if it
    /// has been raised since.
    pub(crate) fn is_refused_by(&self, quota: &Value) -> bool {
        let StuckCause::Refused { message } = &self.cause else { return false };
        let Some(metadata) = at(quota, &["metadata"]) else { return false };
        *string(metadata, "namespace") == *self.deployment.namespace
            && refusal_by(string(metadata, "name"), message).is_some()
    }

    /// Whether what holds the pod up would hold up a pod of any other template of its Deployment, too.
    pub(crate) fn is_of_any_template(&self) -> bool {
        match &self.cause {
            StuckCause::Refused { message } => !OF_TEMPLATE.iter().any(|words| message.contains(words)),
            StuckCause::Untouched { .. } => true,
            StuckCause::Container { .. }
            | StuckCause::InitRuns { .. }
            | StuckCause::Gated { .. }
            | StuckCause::NoNode { .. }
            | StuckCause::Unready { .. } => false,
        }
    }

    /// Whether this pod is held up as the other one is, so that one of them is enough to look at.
    #[cfg(feature = "explain")]
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        match (&self.cause, &other.cause) {
            (
                StuckCause::Container { name, reason, crash, .. },
                StuckCause::Container { name: its_name, reason: its_reason, crash: its_crash, .. },
            ) => {
                let end = |crash: &Option<Crash>| crash.as_ref().map(|crash| (crash.reason.clone(), crash.exit_code));
                let ends = end(crash).is_some() && end(crash) == end(its_crash);
                name == its_name && (ends || (reason == its_reason && end(crash) == end(its_crash)))
            }
            (cause, other) => cause == other,
        }
    }

    /// How often its container has been started again.
    #[cfg(feature = "explain")]
    pub(crate) fn restarts(&self) -> i64 {
        match &self.cause {
            StuckCause::Container { crash: Some(crash), .. } => crash.restarts,
            _ => 0,
        }
    }

    /// Whether the image that can't be pulled is that of its first container.
    pub(crate) fn lacks_first_image(&self) -> bool {
        let waits_first = matches!(&self.cause, StuckCause::Container { name, .. } if *name == self.first_container);
        waits_first && self.lacks_image()
    }

    /// The name of its workload, if that is of this kind.
    fn name_as(&self, kind: Kind) -> Option<String> {
        (self.deployment.kind == kind).then(|| self.deployment.name.as_ref().into())
    }

    /// The timing of all pods that are stuck for the same reason: those of the same template or, if an image can't be pulled,
    /// those with that image in any template. A timing can only name the first container's image; for another container, it
    /// names the template.
    fn timing(&self, others: &Timing) -> Timing {
        let is_of_template = !self.is_of_any_template();
        let refused = match &self.cause {
            StuckCause::Refused { message } => Some(message.clone()),
            _ => None,
        };
        Timing {
            refused,
            ready: Some(Delay::Never),
            answers: None,
            namespace: Some(self.deployment.namespace.as_ref().into()),
            deployment: self.name_as(Kind::Deployment),
            stateful_set: self.name_as(Kind::StatefulSet),
            daemon_set: self.name_as(Kind::DaemonSet),
            revision: self.revision.filter(|_| is_of_template && !self.lacks_first_image()),
            image: is_of_template.then(|| self.image.clone()),
            ..others.clone()
        }
    }
}

impl StuckCause {
    /// Whether a probe asks a port by a name that none has: it never succeeds.
    fn asks_missing_port(&self) -> bool {
        matches!(self, Self::Unready { port: Some(port), .. } if port.is_name)
    }

    /// It in a word or two, as `kubectl get pods` shows it.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Container { reason, .. } => reason,
            Self::InitRuns { .. } => "Init",
            Self::Gated { .. } => SCHEDULING_GATED,
            Self::NoNode { .. } => "Unschedulable",
            Self::Untouched { .. } => "Pending",
            Self::Unready { .. } => "not ready",
            Self::Refused { .. } => FAILED_CREATE,
        }
    }
}

/// How long the stages of all pods take, if those that are held up, and new ones like them, never become ready, and those that the API
/// server refuses are refused again.
pub fn stuck_pod_timings(stuck_pods: &[StuckPod], others: Timing) -> Vec<Timing> {
    let mut timings: Vec<Timing> = Vec::new();
    for timing in stuck_pods.iter().map(|pod| pod.timing(&others)) {
        if !timings.contains(&timing) {
            timings.push(timing);
        }
    }
    timings.push(others);
    timings
}

/// The pods of Deployments, StatefulSets and DaemonSets that don't become ready by themselves, in the order of the objects, which are as
/// `kubectl get -o json` printed them at the time `now`. Pods that one of these quotas refuses are left out: the simulated one does so,
/// too.
pub fn stuck_pods(objects: &[Value], now: Time) -> Vec<StuckPod> {
    let owners = Owners::of(objects, now);
    let quotas: Vec<&Value> = objects.iter().filter(|object| is_simulated_quota(object)).collect();
    let stuck = objects.iter().filter_map(|object| {
        stuck_pod(object, &owners)
            .or_else(|| stuck_pod_of_set(object, Kind::StatefulSet, &owners))
            .or_else(|| stuck_pod_of_set(object, Kind::DaemonSet, &owners))
            .or_else(|| refused_pod(object))
    });
    stuck.filter(|pod| !quotas.iter().any(|quota| pod.is_refused_by(quota))).collect()
}

/// The same of Jobs, of which a simulation knows nothing. Nothing waits until their pods are ready.
pub fn stuck_pods_of_jobs(objects: &[Value], now: Time) -> Vec<StuckPod> {
    let owners = Owners::of(objects, now);
    let stuck = objects.iter().filter_map(|pod| stuck_pod_of_set(pod, Kind::Job, &owners));
    stuck.filter(|pod| !matches!(pod.cause, StuckCause::Unready { .. })).collect()
}

/// The pods that the API server refuses to create for StatefulSets, DaemonSets and Jobs. Only Events say so, which no simulation knows.
pub fn pods_refused_in_events(objects: &[Value]) -> Vec<StuckPod> {
    let refusals = Refusal::last_of_each(objects);
    objects.iter().filter_map(|object| pod_refused_in_events(object, &refusals)).collect()
}

/// Whether the object is a ResourceQuota without scopes, which are not simulated.
fn is_simulated_quota(object: &Value) -> bool {
    string(object, "kind") == Kind::ResourceQuota.name()
        && ["scopes", "scopeSelector"].iter().all(|scope| at(object, &["spec", scope]).is_none())
}

/// The owner of a pod that a StatefulSet or a DaemonSet created, with its kind.
pub(crate) fn set_of(pod: &Value) -> Option<(Kind, &Value)> {
    let mut sets = Kind::ALL.into_iter().filter(|kind| kind.rolls_out_own_pods());
    sets.find_map(|kind| Some((kind, controller_of(pod, kind)?)))
}

/// What owns pods.
struct Owners<'a> {
    /// The ReplicaSets by uid.
    replica_sets: BTreeMap<&'a str, &'a Value>,
    /// The uids of the Deployments whose progress deadline has passed.
    late: BTreeSet<&'a str>,
    /// How long the pods of each Deployment have to become ready, in seconds, by its uid.
    patience: BTreeMap<&'a str, i64>,
    /// The StatefulSets, DaemonSets and Jobs by uid.
    sets: BTreeMap<&'a str, &'a Value>,
    /// The numbers of ControllerRevisions, by namespace and name.
    revisions: BTreeMap<(&'a str, &'a str), i64>,
    /// The pods, by namespace and name, of which Events say that they wait for something that does not exist, that their
    /// readiness probe asks it, or that a pod that stays uses their volume.
    lacking: BTreeSet<(&'a str, &'a str)>,
    /// When the objects were read.
    now: Time,
}

impl<'a> Owners<'a> {
    fn of(objects: &'a [Value], now: Time) -> Self {
        let with_uids = |kind: Kind| {
            let of_kind = objects.iter().filter(move |object| string(object, "kind") == kind.name());
            of_kind.filter_map(|object| Some((at(object, &["metadata", "uid"])?.as_str()?, object)))
        };
        let is_late = |deployment: &Value| {
            condition(deployment, "Progressing")
                .is_some_and(|progressing| string(progressing, "reason") == "ProgressDeadlineExceeded")
        };
        let late = with_uids(Kind::Deployment).filter(|(_, deployment)| is_late(deployment)).map(|(uid, _)| uid);
        let revisions = with_uids(Kind::ControllerRevision).filter_map(|(_, revision)| {
            let metadata = at(revision, &["metadata"])?;
            Some(((string(metadata, "namespace"), string(metadata, "name")), integer(revision, "revision")?))
        });
        let pods = || objects.iter().filter(|object| string(object, "kind") == Kind::Pod.name());
        let stays = |namespace: &str, name: &str| {
            pods().any(|pod| {
                let metadata = field(pod, "metadata").unwrap_or(&Value::Null);
                string(metadata, "name") == name
                    && string(metadata, "namespace") == namespace
                    && field(metadata, "deletionTimestamp").is_none()
                    && !is_terminal(pod)
            })
        };
        let lacking = objects.iter().filter_map(|event| {
            let about = about_of(event).filter(|_| string(event, "kind") == "Event")?;
            let message = field(event, "message").or_else(|| field(event, "note"))?.as_str()?;
            let lacks = match string(event, "reason") {
                "FailedMount" => is_missing(message),
                "Unhealthy" => refuses_probe(message),
                "FailedAttachVolume" => pods_with_volume(message).any(|pod| stays(string(about, "namespace"), pod)),
                _ => false,
            };
            lacks.then(|| (string(about, "namespace"), string(about, "name")))
        });
        let patience = with_uids(Kind::Deployment).map(|(uid, deployment)| {
            let deadline = at(deployment, &["spec"]).and_then(|spec| integer(spec, "progressDeadlineSeconds"));
            let deadline = deadline.filter(|deadline| *deadline < i32::MAX.into()).unwrap_or(DEFAULT_PROGRESS_DEADLINE);
            (uid, if is_outdated(deployment, deadline, now) { i64::MAX } else { deadline })
        });
        Self {
            late: late.collect_tree(),
            patience: patience.collect_tree(),
            replica_sets: with_uids(Kind::ReplicaSet).collect_tree(),
            sets: Kind::ALL
                .into_iter()
                .filter(|kind| kind.rolls_out_own_pods() || *kind == Kind::Job)
                .flat_map(with_uids)
                .collect_tree(),
            revisions: revisions.collect_tree(),
            lacking: lacking.collect_tree(),
            now,
        }
    }

    /// The Deployment, StatefulSet or DaemonSet of a pod.
    fn workload_of(&self, pod: &Value) -> Option<ObjectKey> {
        let key = |kind, owner| {
            ObjectKey::new(
                kind,
                at(pod, &["metadata"]).map_or("", |metadata| string(metadata, "namespace")),
                string(owner, "name"),
            )
        };
        let deployment = || {
            let replica_set = self.replica_sets.get(string(controller_of(pod, Kind::ReplicaSet)?, "uid"))?;
            controller_of(replica_set, Kind::Deployment).map(|owner| key(Kind::Deployment, owner))
        };
        set_of(pod).map(|(kind, owner)| key(kind, owner)).or_else(deployment)
    }

    /// Whether a pod of a Deployment still has time to become ready.
    fn patience(&self, deployment: &str, pod: &Value) -> Patience {
        let waits_since = || {
            let unready = condition(pod, "Ready").filter(|ready| string(ready, "status") != "True");
            let since = unready.map(|ready| string(ready, "lastTransitionTime"));
            let created = at(pod, &["metadata"]).map(|metadata| string(metadata, "creationTimestamp"));
            since.and_then(Time::parse).or_else(|| Time::parse(created?))
        };
        let metadata = field(pod, "metadata").unwrap_or(&Value::Null);
        let lacks = self.lacking.contains(&(string(metadata, "namespace"), string(metadata, "name")));
        let seconds = self.patience.get(deployment).copied().unwrap_or(DEFAULT_PROGRESS_DEADLINE);
        let seconds = if lacks { seconds.min(TIME_TO_CREATE) } else { seconds };
        let is_over = |since: Time| self.now.since(since) >= seconds.saturating_mul(Time::SECOND);
        match self.late.contains(deployment) || waits_since().is_some_and(is_over) {
            true => Patience::Over,
            false => Patience::Lasts,
        }
    }
}

fn stuck_pod(pod: &Value, owners: &Owners<'_>) -> Option<StuckPod> {
    if string(pod, "kind") != Kind::Pod.name() || at(pod, &["metadata", "deletionTimestamp"]).is_some() {
        return None;
    }
    let replica_set = owners.replica_sets.get(string(controller_of(pod, Kind::ReplicaSet)?, "uid"))?;
    let deployment = controller_of(replica_set, Kind::Deployment)?;
    let metadata = at(pod, &["metadata"])?;
    if is_terminal(pod) {
        return None;
    }
    let first = at(pod, &["spec", "containers"])?.get(0)?;
    Some(StuckPod {
        name: string(metadata, "name").into(),
        deployment: ObjectKey::new(Kind::Deployment, string(metadata, "namespace"), string(deployment, "name")),
        revision: revision_of(replica_set),
        first_container: string(first, "name").into(),
        image: string(first, "image").into(),
        cause: cause(pod, owners.patience(string(deployment, "uid"), pod))?,
    })
}

/// A pod of a StatefulSet, a DaemonSet or a Job that is held up. Neither has a deadline: the default of a Deployment's is assumed.
fn stuck_pod_of_set(pod: &Value, kind: Kind, owners: &Owners<'_>) -> Option<StuckPod> {
    if string(pod, "kind") != Kind::Pod.name()
        || at(pod, &["metadata", "deletionTimestamp"]).is_some()
        || is_terminal(pod)
    {
        return None;
    }
    let owner = controller_of(pod, kind)?;
    let set = owners.sets.get(string(owner, "uid"))?;
    let metadata = at(pod, &["metadata"])?;
    let first = at(pod, &["spec", "containers"])?.get(0)?;
    let namespace = string(metadata, "namespace");
    let label = at(metadata, &["labels"]).map_or("", |labels| string(labels, STATEFUL_SET_REVISION_LABEL));
    // A revision that is not given is made of the template, as the first one.
    let is_of_template = at(set, &["status"]).is_some_and(|status| string(status, "updateRevision") == label);
    // The pods of a DaemonSet have only the hash.
    let revision = match kind {
        Kind::DaemonSet => format!("{}-{label}", string(owner, "name")),
        _ => label.into(),
    };
    let number = owners.revisions.get(&(namespace, revision.as_str())).copied().or(is_of_template.then_some(1));
    Some(StuckPod {
        name: string(metadata, "name").into(),
        deployment: ObjectKey::new(kind, namespace, string(owner, "name")),
        revision: number,
        first_container: string(first, "name").into(),
        image: string(first, "image").into(),
        cause: cause(pod, owners.patience(string(owner, "uid"), pod))?,
    })
}

/// How the first container ended that made a pod fail; none if its pod did not fail because of one.
#[cfg(feature = "explain")]
pub(crate) fn ended_container(pod: &Value) -> Option<(ContainerRole, &str, Crash)> {
    let lists = [("initContainerStatuses", "initContainers"), ("containerStatuses", "containers")];
    lists.into_iter().find_map(|(statuses, containers)| {
        at(pod, &["status"]).map(|status| list(status, statuses))?.iter().find_map(|status| {
            let ended = at(status, &["state", "terminated"])?;
            integer(ended, "exitCode").filter(|code| *code != 0)?;
            let name = string(status, "name");
            Some((role(pod, containers, name), name, Crash::of(pod, containers, status, ended, 0)))
        })
    })
}

/// What holds up a pod.
fn cause(pod: &Value, patience: Patience) -> Option<StuckCause> {
    let is_over = patience == Patience::Over;
    held_up_container(pod, patience)
        .or_else(|| unschedulable(pod))
        .or_else(|| untouched(pod).filter(|_| is_over))
        .or_else(|| unready(pod).filter(|cause| is_over || cause.asks_missing_port()))
}

/// Whether all containers of a pod have ended for good.
fn is_terminal(pod: &Value) -> bool {
    at(pod, &["status"]).is_some_and(|status| ["Failed", "Succeeded"].contains(&string(status, "phase")))
}

/// That neither a scheduler nor a kubelet has looked at a pod.
fn untouched(pod: &Value) -> Option<StuckCause> {
    let status = at(pod, &["status"])?;
    let has_containers = ["initContainerStatuses", "containerStatuses"].iter().any(|key| !list(status, key).is_empty());
    let node = at(pod, &["spec", "nodeName"]).and_then(Value::as_str).map(String::from);
    let is_untouched = string(status, "phase") == "Pending" && !has_containers;
    let scheduler = at(pod, &["spec"]).map_or("", |spec| string(spec, "schedulerName")).into();
    is_untouched.then_some(StuckCause::Untouched { node, scheduler })
}

/// That a pod runs and is not ready.
fn unready(pod: &Value) -> Option<StuckCause> {
    let ready = runs_unready(pod)?;
    let status = at(pod, &["status"])?;
    let is_about_gate = string(ready, "reason") == READINESS_GATES_NOT_READY;
    let gates = at(pod, &["spec"]).map_or_else(Default::default, |spec| list(spec, "readinessGates"));
    // The gate's own condition says more than "not met".
    let of_gate = gates.iter().find_map(|gate| {
        let condition = condition(pod, string(gate, "conditionType"))?;
        let said = string(condition, "message");
        (string(condition, "status") != "True" && !said.is_empty())
            .then(|| format!("{} is {}: {said}", string(gate, "conditionType"), string(condition, "status")))
    });
    let gate = match of_gate {
        Some(said) if is_about_gate => said,
        _ if is_about_gate => string(ready, "message").into(),
        _ => String::new(),
    };
    let is_unready = |container: &&Value| container.get("ready").and_then(Value::as_bool) == Some(false);
    let containers = ["initContainerStatuses", "containerStatuses"]
        .iter()
        .flat_map(|key| list(status, key))
        .filter(is_unready)
        .filter(|container| at(container, &["state", "running"]).is_some())
        .map(|container| string(container, "name").into());
    let containers: Vec<String> = containers.collect();
    let first = containers.first().and_then(|name| container_of(pod, name));
    let port = first.and_then(|container| {
        ["startupProbe", "readinessProbe"].into_iter().find_map(|probe| ProbePort::of(container, probe))
    });
    Some(StuckCause::Unready { gate, containers, port })
}

/// What probes of pods that run and are not ready ask in vain, by namespace and name of the pod.
#[cfg(feature = "explain")]
pub(crate) fn unanswered_ports(objects: &[Value]) -> BTreeMap<(String, String), ProbePort> {
    let pods = objects.iter().filter(|object| string(object, "kind") == Kind::Pod.name());
    let asked = |pod| {
        let (metadata, Some(StuckCause::Unready { port: Some(port), .. })) = (field(pod, "metadata")?, unready(pod))
        else {
            return None;
        };
        Some(((string(metadata, "namespace").into(), string(metadata, "name").into()), port))
    };
    pods.filter_map(asked).collect_tree()
}

/// The container of a pod, or the init container, with this name.
fn container_of<'a>(pod: &'a Value, name: &str) -> Option<&'a Value> {
    let spec = at(pod, &["spec"])?;
    let mut containers = ["containers", "initContainers"].into_iter().flat_map(|key| list(spec, key));
    containers.find(|container| string(container, "name") == name)
}

impl ProbePort {
    /// None if the probe asks no port, or one that the container declares or may have without declaring it.
    fn of(container: &Value, probe: &'static str) -> Option<Self> {
        let asked = at(container, &[probe])?;
        let asked = ["httpGet", "tcpSocket"].into_iter().find_map(|handler| at(asked, &[handler, "port"]))?;
        let ports = list(container, "ports");
        let is_asked = |port: &Value| match asked.as_str() {
            Some(name) => string(port, "name") == name,
            None => field(port, "containerPort") == Some(asked),
        };
        // A container may listen on ports that it does not declare, but few declare only some of them.
        if ports.iter().any(is_asked) || (ports.is_empty() && !asked.is_string()) {
            return None;
        }
        let declared = ports.iter().filter_map(|port| match field(port, "name") {
            Some(name) if asked.is_string() => Some(name.to_string()),
            _ => Some(field(port, "containerPort")?.to_string()),
        });
        Some(Self { probe, port: asked.to_string(), is_name: asked.is_string(), declared: declared.collect() })
    }
}

/// Pods of a Deployment that ended, and that no controller removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPods {
    /// Their Deployment.
    pub deployment: ObjectKey,
    /// Why they failed, like `Evicted`.
    pub reason: String,
    /// The sentence of the component that ended one of them; may be empty.
    pub message: String,
    /// How many there are.
    pub count: usize,
    /// Their nodes.
    pub nodes: BTreeSet<String>,
    /// When the last of them failed.
    pub last: Option<Time>,
}

impl FailedPods {
    /// Whether their nodes refused them, rather than ended them later.
    #[cfg(feature = "explain")]
    pub(crate) fn is_refused(&self) -> bool {
        !ENDED_BY_NODE.contains(&self.reason.as_str())
    }
}

/// The pods of Deployments that nodes have evicted or refused, by Deployment and reason.
pub fn failed_pods(objects: &[Value]) -> Vec<FailedPods> {
    let owners = Owners::of(objects, Time(0));
    let mut all: Vec<FailedPods> = Vec::new();
    for pod in objects.iter().filter(|object| string(object, "kind") == Kind::Pod.name()) {
        let (Some(deployment), Some(status)) = (owners.workload_of(pod), at(pod, &["status"])) else { continue };
        let reason = string(status, "reason");
        if string(status, "phase") != "Failed" || reason.is_empty() {
            continue;
        }
        let node = at(pod, &["spec", "nodeName"]).and_then(Value::as_str).map(String::from);
        match all.iter_mut().find(|known| known.deployment == deployment && known.reason == reason) {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                known.nodes.extend(node);
                known.last = known.last.max(end_of_failed(pod));
            }
            None => all.push(FailedPods {
                deployment,
                reason: reason.into(),
                message: string(status, "message").into(),
                count: 1,
                nodes: node.into_iter().collect_tree(),
                last: end_of_failed(pod),
            }),
        }
    }
    all
}

/// When a pod failed: the newest time of its status.
pub(crate) fn end_of_failed(pod: &Value) -> Option<Time> {
    let status = field(pod, "status")?;
    let of_conditions = list(status, "conditions").iter().map(|condition| string(condition, "lastTransitionTime"));
    let ended = |container: &Value| Time::parse(string(at(container, &["state", "terminated"])?, "finishedAt"));
    let of_containers = list(status, "containerStatuses").iter().filter_map(ended);
    of_conditions.filter_map(Time::parse).chain(of_containers).max()
}

/// The pod that the API server refuses to create for a ReplicaSet.
fn refused_pod(replica_set: &Value) -> Option<StuckPod> {
    if string(replica_set, "kind") != Kind::ReplicaSet.name() {
        return None;
    }
    let failure = condition(replica_set, "ReplicaFailure")
        .filter(|failure| string(failure, "status") == "True" && string(failure, "reason") == FAILED_CREATE)?;
    let [wanted, existing] =
        ["spec", "status"].map(|part| at(replica_set, &[part]).and_then(|part| integer(part, "replicas")));
    if wanted.unwrap_or(1) <= existing.unwrap_or(0) {
        return None;
    }
    let metadata = at(replica_set, &["metadata"])?;
    let deployment = string(controller_of(replica_set, Kind::Deployment)?, "name");
    let first = at(replica_set, &["spec", "template", "spec", "containers"])?.get(0)?;
    Some(StuckPod {
        name: string(metadata, "name").into(),
        deployment: ObjectKey::new(Kind::Deployment, string(metadata, "namespace"), deployment),
        revision: revision_of(replica_set),
        first_container: string(first, "name").into(),
        image: string(first, "image").into(),
        cause: StuckCause::Refused { message: string(failure, "message").into() },
    })
}

/// A refusal to create pods of a StatefulSet, a DaemonSet or a Job. None has a condition that says so: only its controller's Events do.
struct Refusal<'a> {
    message: &'a str,
    time: Option<Time>,
}

impl<'a> Refusal<'a> {
    /// The last one of each owner, by the owner's uid, unless a pod of it has been created since.
    fn last_of_each(objects: &'a [Value]) -> BTreeMap<&'a str, Self> {
        let mut last: BTreeMap<&str, Self> = BTreeMap::new();
        for event in objects.iter().filter(|object| string(object, "kind") == "Event") {
            let about = about_of(event);
            let message = at(event, &["message"]).or_else(|| at(event, &["note"])).and_then(Value::as_str);
            let (Some(about), Some(message)) = (about, message) else { continue };
            let Some(message) = refusal_in(string(event, "reason"), message) else { continue };
            let time = last_time_of(event);
            if last.get(string(about, "uid")).is_none_or(|known| known.time <= time) {
                last.insert(string(about, "uid"), Self { message, time });
            }
        }
        for pod in objects.iter().filter(|object| string(object, "kind") == Kind::Pod.name()) {
            let owner = set_of(pod).map(|(_, owner)| owner).or_else(|| controller_of(pod, Kind::Job));
            let created =
                at(pod, &["metadata"]).and_then(|metadata| Time::parse(string(metadata, "creationTimestamp")));
            let Some(uid) = owner.map(|owner| string(owner, "uid")) else { continue };
            if last.get(uid).is_some_and(|refusal| refusal.time < created) {
                last.remove(uid);
            }
        }
        last
    }
}

/// Whether a kubelet's message about a volume says that what it refers to does not exist.
pub(crate) fn is_missing(message: &str) -> bool {
    MISSING.iter().any(|words| message.contains(words)) && !message.contains(DRIVERS)
}

/// Whether a kubelet's message about a readiness probe says that it can't succeed as it is.
///
/// Upstream: `pkg/probe/http/http.go DoHTTPProbe`
fn refuses_probe(message: &str) -> bool {
    let answer = message.split_once("Readiness probe failed: HTTP probe failed with statuscode: ");
    answer.is_some_and(|(_, code)| REFUSED_PROBES.iter().any(|refused| code.starts_with(refused)))
}

/// The pods whose use of a volume keeps it from another node, as the attach-detach controller names them.
///
/// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reportMultiAttachError`
pub(crate) fn pods_with_volume(message: &str) -> impl Iterator<Item = &str> {
    let named = message.split_once("Volume is already used by pod(s) ").map_or("", |(_, named)| named);
    named.split([',', ' ']).filter(|name| !name.is_empty())
}

/// What an Event is about.
pub(crate) fn about_of(event: &Value) -> Option<&Value> {
    field(event, "involvedObject").or_else(|| field(event, "regarding"))
}

/// The last time at which an Event was seen, or else the first one.
pub(crate) fn last_time_of(event: &Value) -> Option<Time> {
    let of_series = at(event, &["series", "lastObservedTime"]).and_then(Value::as_str);
    let times = [of_series.unwrap_or_default(), string(event, "lastTimestamp"), string(event, "eventTime")];
    let created = || at(event, &["metadata"]).map_or("", |metadata| string(metadata, "creationTimestamp"));
    let last = times.into_iter().filter_map(Time::parse).max();
    last.or_else(|| [string(event, "firstTimestamp"), created()].into_iter().filter_map(Time::parse).max())
}

/// Why a pod could not be created, as an Event of its controller says it.
pub(crate) fn refusal_in<'a>(reason: &str, message: &'a str) -> Option<&'a str> {
    let (_, refusal) = message.split_once("failed error: ").or_else(|| message.split_once("Error creating: "))?;
    (reason == FAILED_CREATE).then_some(refusal)
}

/// The pod that the API server refuses to create for a StatefulSet, a DaemonSet or a Job that lacks pods.
fn pod_refused_in_events(owner: &Value, refusals: &BTreeMap<&str, Refusal<'_>>) -> Option<StuckPod> {
    let kind = Kind::from_name(string(owner, "kind"))?;
    let count = match kind {
        Kind::Job => "active",
        Kind::DaemonSet => "currentNumberScheduled",
        kind if kind.rolls_out_own_pods() => "replicas",
        _ => return None,
    };
    let metadata = at(owner, &["metadata"])?;
    let refusal = refusals.get(string(metadata, "uid"))?;
    let status = at(owner, &["status"])?;
    let wanted = match kind.workload()?.runs {
        Runs::Field(path) => Some(at(owner, path).and_then(Value::as_i64).unwrap_or(1)),
        Runs::OnEachNode => integer(status, "desiredNumberScheduled"),
    };
    if wanted? <= integer(status, count).unwrap_or(0) {
        return None;
    }
    let first = at(owner, &["spec", "template", "spec", "containers"])?.get(0)?;
    Some(StuckPod {
        name: string(metadata, "name").into(),
        deployment: ObjectKey::of_manifest(kind, owner),
        revision: None,
        first_container: string(first, "name").into(),
        image: string(first, "image").into(),
        cause: StuckCause::Refused { message: refusal.message.into() },
    })
}

/// Whether a Deployment reports progress although its deadline has passed since: the controller would have said so. It was read long
/// before the newest of the objects, so the time since then says nothing of its pods.
fn is_outdated(deployment: &Value, deadline: i64, now: Time) -> bool {
    let progressing = condition(deployment, "Progressing").filter(|progressing| {
        string(progressing, "status") == "True" && string(progressing, "reason") != "NewReplicaSetAvailable"
    });
    let since = progressing.and_then(|progressing| Time::parse(string(progressing, "lastUpdateTime")));
    since.is_some_and(|since| since.plus_seconds(deadline.saturating_add(CLOCK_SKEW)) < now)
}

/// Whether a pod still has time to start: until the progress deadline of its Deployment passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    Lasts,
    Over,
}

impl Patience {
    /// Whether a container that waits for this reason is held up.
    fn is_tried_by(self, reason: &str) -> bool {
        match self {
            Self::Lasts => !reason.is_empty() && !STARTING.contains(&reason),
            Self::Over => !reason.is_empty(),
        }
    }
}

/// The first container that waits for too long, for something that does not come by itself, or that ends again and again.
fn held_up_container(pod: &Value, patience: Patience) -> Option<StuckCause> {
    let lists = [("initContainerStatuses", "initContainers"), ("containerStatuses", "containers")];
    lists.into_iter().find_map(|(statuses, containers)| {
        at(pod, &["status", statuses])?.as_array()?.iter().find_map(|status| {
            let name = string(status, "name");
            let role = role(pod, containers, name);
            let crash = crash(status).map(|(ended, restarts)| Crash::of(pod, containers, status, ended, restarts));
            let waiting = at(status, &["state", "waiting"]);
            let (reason, message) = match (waiting, &crash) {
                (Some(waiting), _) if patience.is_tried_by(string(waiting, "reason")) => {
                    (string(waiting, "reason"), string(waiting, "message"))
                }
                (None, Some(crash)) => (crash.reason.as_str(), ""),
                (None, None) if role == ContainerRole::Init && patience == Patience::Over => {
                    let runs = at(status, &["state", "running"]).is_some();
                    return runs.then(|| StuckCause::InitRuns { name: name.into() });
                }
                _ => return None,
            };
            let (name, reason, message) = (name.into(), reason.into(), message.into());
            Some(StuckCause::Container { name, role, reason, message, crash })
        })
    })
}

/// What a container of one of a pod's lists is.
fn role(pod: &Value, containers: &str, name: &str) -> ContainerRole {
    if containers == "containers" {
        return ContainerRole::Main;
    }
    let containers = at(pod, &["spec", containers]).and_then(Value::as_array);
    let container = containers.into_iter().flatten().find(|container| string(container, "name") == name);
    match container.is_some_and(|container| string(container, "restartPolicy") == "Always") {
        true => ContainerRole::Sidecar,
        false => ContainerRole::Init,
    }
}

/// How the last run of a container ended, and how often it has been started again; none if it may still recover by itself: one
/// that runs again is only given up after some failures. One that waits to be started again may have ended well.
fn crash(status: &Value) -> Option<(&Value, i64)> {
    const RECOVERS: i64 = 3;
    let restarts = integer(status, "restartCount").filter(|restarts| *restarts > 0)?;
    let now = at(status, &["state", "terminated"]);
    let is_running = at(status, &["state", "running"]).is_some();
    if is_running && (restarts < RECOVERS || status.get("ready").and_then(Value::as_bool) == Some(true)) {
        return None;
    }
    let backs_off =
        at(status, &["state", "waiting"]).is_some_and(|waiting| string(waiting, "reason") == CRASH_LOOP_BACK_OFF);
    let ended = now.or_else(|| at(status, &["lastState", "terminated"]))?;
    integer(ended, "exitCode").filter(|code| *code != 0 || backs_off).map(|_| (ended, restarts))
}

/// The memory limit of a container: its own, or else that of its pod.
fn memory_limit(pod: &Value, containers: &str, name: &str) -> Option<String> {
    const LIMIT: [&str; 3] = ["resources", "limits", "memory"];
    let mut containers = at(pod, &["spec", containers])?.as_array()?.iter();
    let container = containers.find(|container| string(container, "name") == name)?;
    let limit = at(container, &LIMIT).or_else(|| at(at(pod, &["spec"])?, &LIMIT))?;
    Some(limit.as_str()?.into())
}

/// How long the startup probe of a container gives it, if the container has not passed it yet.
fn startup_seconds(pod: &Value, status: &Value) -> Option<i64> {
    let seconds = probe_seconds(container_of(pod, string(status, "name"))?, "startupProbe")?;
    let has_passed = at(status, &["started"]).and_then(Value::as_bool).unwrap_or(true);
    (!has_passed).then_some(seconds)
}

/// How long a probe gives its container, in seconds.
fn probe_seconds(container: &Value, probe: &str) -> Option<i64> {
    let probe = at(container, &[probe])?;
    let [delay, period, failures] = [("initialDelaySeconds", 0), ("periodSeconds", 10), ("failureThreshold", 3)]
        .map(|(field, default)| integer(probe, field).unwrap_or(default));
    Some(delay.saturating_add(period.saturating_mul(failures)))
}

/// That the scheduler finds no node for the pod, or may not look for one yet.
fn unschedulable(pod: &Value) -> Option<StuckCause> {
    let condition = condition(pod, "PodScheduled").filter(|condition| string(condition, "status") == "False")?;
    if string(condition, "reason") == SCHEDULING_GATED {
        let gates = at(pod, &["spec"]).map(|spec| list(spec, "schedulingGates")).unwrap_or_default();
        return Some(StuckCause::Gated { gates: gates.iter().map(|gate| string(gate, "name").into()).collect() });
    }
    Some(StuckCause::NoNode { message: condition.get("message")?.as_str()?.into() })
}

/// The condition that a pod whose containers run is not ready.
fn runs_unready(pod: &Value) -> Option<&Value> {
    let runs = at(pod, &["status", "phase"]).is_some_and(|phase| phase == "Running");
    condition(pod, "Ready").filter(|condition| runs && string(condition, "status") == "False")
}

/// The condition of an object of that type.
pub(super) fn condition<'a>(object: &'a Value, of_type: &str) -> Option<&'a Value> {
    let conditions = at(object, &["status", "conditions"])?.as_array()?;
    conditions.iter().find(|condition| string(condition, "type") == of_type)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::*;
    use crate::workload::replica_set::REVISION;

    fn objects(status: &Value) -> [Value; 2] {
        let owner = |kind: &str, name: &str| json!([{ "kind": kind, "name": name, "uid": name, "controller": true }]);
        [
            json!({
                "kind": "ReplicaSet",
                "metadata": {
                    "name": "web-2", "uid": "web-2", "namespace": "shop", "annotations": { REVISION: "2" },
                    "ownerReferences": owner("Deployment", "web"),
                },
            }),
            json!({
                "kind": "Pod",
                "metadata": { "name": "web-2-a", "namespace": "shop", "ownerReferences": owner("ReplicaSet", "web-2") },
                "spec": { "containers": [{ "name": "web", "image": "web:2" }] },
                "status": status,
            }),
        ]
    }

    fn waiting(reason: &str) -> Value {
        json!({ "containerStatuses": [{ "name": "web", "state": { "waiting": { "reason": reason } } }] })
    }

    #[test]
    fn an_image_is_missing_in_every_template_and_a_crash_belongs_to_one() {
        for (reason, revision) in [("ImagePullBackOff", None), ("CrashLoopBackOff", Some(2))] {
            let pods = stuck_pods(&objects(&waiting(reason)), Time(0));
            let [pod] = pods.as_slice() else { panic!("{pods:?}") };
            let expected = Timing {
                namespace: Some("shop".into()),
                deployment: Some("web".into()),
                revision,
                image: Some("web:2".into()),
                ready: Some(Delay::Never),
                ..Timing::default()
            };
            assert_eq!((pod.cause.word(), pod.timing(&Timing::default())), (reason, expected));
        }
    }

    #[test]
    fn the_missing_image_of_another_container_belongs_to_one_template() {
        for list in ["containerStatuses", "initContainerStatuses"] {
            let waiting = json!({ "name": "log", "state": { "waiting": { "reason": "ImagePullBackOff" } } });
            let pods = stuck_pods(&objects(&json!({ list: [waiting] })), Time(0));
            let [pod] = pods.as_slice() else { panic!("{pods:?}") };
            let Timing { revision, image, .. } = pod.timing(&Timing::default());
            assert_eq!((revision, image.as_deref()), (Some(2), Some("web:2")), "{list}");
            assert!(pod.lacks_image(), "{list}");
        }
    }

    #[test]
    fn what_no_given_quota_refuses_is_held_up() {
        let refused = |message: &str, replicas: i64| {
            let [mut replica_set, _] = objects(&Value::Null);
            let failure =
                json!({ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message });
            let template = json!({ "spec": { "containers": [{ "name": "web", "image": "web:2" }] } });
            replica_set["spec"] = json!({ "replicas": 3, "template": template });
            replica_set["status"] = json!({ "replicas": replicas, "conditions": [failure] });
            replica_set
        };
        let quota = |name: &str, namespace: &str, spec: &Value| json!({ "kind": "ResourceQuota", "metadata": { "name": name, "namespace": namespace }, "spec": spec });
        let exceeded = "pods \"web-x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2";
        let failed = "pods \"web-x\" is forbidden: failed quota: few: must specify requests.cpu for: web";
        let hard = json!({ "hard": { "pods": "2" } });
        let scoped = json!({ "hard": { "pods": "2" }, "scopes": ["BestEffort"] });
        for (objects, expected) in [
            (vec![refused("failed calling webhook", 2)], 1),
            // It lacks none any more.
            (vec![refused("failed calling webhook", 3)], 0),
            (vec![refused(exceeded, 2)], 1),
            (vec![refused(exceeded, 2), quota("few", "shop", &hard)], 0),
            (vec![refused(failed, 2), quota("few", "shop", &hard)], 0),
            (vec![refused(exceeded, 2), quota("few", "shop", &scoped)], 1),
            (vec![refused(exceeded, 2), quota("few", "other", &hard)], 1),
            (vec![refused(exceeded, 2), quota("fewer", "shop", &hard)], 1),
        ] {
            assert_eq!(stuck_pods(&objects, Time(0)).len(), expected, "{objects:?}");
        }
        let [pod] = stuck_pods(&[refused("no", 2)], Time(0)).try_into().unwrap();
        assert_eq!((pod.name.as_str(), pod.revision, pod.cause.word()), ("web-2", Some(2), "FailedCreate"));
    }

    #[test]
    fn a_pod_that_starts_or_terminates_is_not_held_up() {
        assert_eq!(stuck_pods(&objects(&waiting("ContainerCreating")), Time(0)), vec![]);
        let [replica_set, mut pod] = objects(&waiting("CrashLoopBackOff"));
        pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        assert_eq!(stuck_pods(&[replica_set, pod], Time(0)), vec![]);
    }

    #[test]
    fn a_pod_without_a_node_says_why() {
        let condition = json!({ "type": "PodScheduled", "status": "False", "message": "0/1 nodes are available" });
        let pods = stuck_pods(&objects(&json!({ "conditions": [condition] })), Time(0));
        let no_node = StuckCause::NoNode { message: "0/1 nodes are available".into() };
        assert_eq!(pods.into_iter().map(|pod| pod.cause).collect::<Vec<_>>(), [no_node]);
    }

    #[test]
    fn a_pod_has_until_the_deadline_to_start_and_to_be_ready() {
        let running = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "False" }] });
        let starting = |reason: &str| StuckCause::Container {
            name: "web".into(),
            role: ContainerRole::Main,
            reason: reason.into(),
            message: "".into(),
            crash: None,
        };
        for (reason, status, expected) in [
            ("ReplicaSetUpdated", &running, vec![]),
            (
                "ProgressDeadlineExceeded",
                &running,
                vec![StuckCause::Unready { gate: String::new(), containers: vec![], port: None }],
            ),
            ("ReplicaSetUpdated", &waiting("PodInitializing"), vec![]),
            ("ProgressDeadlineExceeded", &waiting("PodInitializing"), vec![starting("PodInitializing")]),
            ("ProgressDeadlineExceeded", &waiting("ContainerCreating"), vec![starting("ContainerCreating")]),
            ("ProgressDeadlineExceeded", &waiting(""), vec![]),
        ] {
            let deployment = json!({
                "kind": "Deployment", "metadata": { "name": "web", "uid": "web" },
                "status": { "conditions": [{ "type": "Progressing", "status": "False", "reason": reason }] },
            });
            let [replica_set, pod] = objects(status);
            let pods = stuck_pods(&[deployment, replica_set, pod], Time(0));
            assert_eq!(pods.into_iter().map(|pod| pod.cause).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_container_that_fails_again_and_again_is_held_up() {
        let ended = |reason: &str, code: i32| json!({ "terminated": { "reason": reason, "exitCode": code } });
        let crash_loop = json!({ "waiting": { "reason": "CrashLoopBackOff" } });
        let running = json!({ "running": {} });
        for (state, last, restarts, expected) in [
            (&ended("OOMKilled", 137), &json!({}), 1, Some(("OOMKilled", "OOMKilled", 137))),
            (&crash_loop, &ended("Error", 1), 4, Some(("CrashLoopBackOff", "Error", 1))),
            (&running, &ended("Error", 1), 3, Some(("Error", "Error", 1))),
            (&crash_loop, &ended("Completed", 0), 4, Some(("CrashLoopBackOff", "Completed", 0))),
            // These may still recover.
            (&running, &ended("Error", 1), 2, None),
            (&ended("Error", 1), &json!({}), 0, None),
            (&ended("Completed", 0), &json!({}), 1, None),
        ] {
            let status =
                json!({ "name": "web", "restartCount": restarts, "ready": false, "state": state, "lastState": last });
            let pods = stuck_pods(&objects(&json!({ "containerStatuses": [status] })), Time(0));
            let found = pods.first().map(|pod| match &pod.cause {
                StuckCause::Container { reason, crash: Some(crash), .. } => {
                    (reason.as_str(), crash.reason.as_str(), crash.exit_code)
                }
                other => panic!("{other:?}"),
            });
            assert_eq!(found, expected, "{state} {last} {restarts}");
        }
    }
}
