//! The order in which a ReplicaSet, a ReplicationController, a StatefulSet or a Job deletes its pods, as its controller decides it.
//!
//! # Examples
//!
//! ```
//! use changeover_core::deletion_order::RankedObjects;
//! use changeover_core::feature_gates::FeatureGates;
//! use changeover_core::object::Time;
//! use serde_json::json;
//!
//! let pod = |name: &str, cost: &str| {
//!     json!({
//!         "apiVersion": "v1",
//!         "kind": "Pod",
//!         "metadata": {
//!             "name": name,
//!             "uid": name,
//!             "annotations": { "controller.kubernetes.io/pod-deletion-cost": cost },
//!             "ownerReferences": [
//!                 { "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7d4b9c", "uid": "1", "controller": true },
//!             ],
//!         },
//!         "spec": { "nodeName": "node-1" },
//!         "status": { "phase": "Running" },
//!     })
//! };
//! let replica_set = json!({
//!     "apiVersion": "apps/v1",
//!     "kind": "ReplicaSet",
//!     "metadata": { "name": "web-7d4b9c", "uid": "1" },
//!     "spec": { "replicas": 1, "selector": { "matchLabels": { "app": "web" } } },
//! });
//! let objects = RankedObjects::read(&[replica_set, pod("web-7d4b9c-a", "100"), pod("web-7d4b9c-b", "-1")])?;
//! let workload = objects.find(&json!("rs/web-7d4b9c"))?;
//! let order = objects.order(&workload, None, Time(0), FeatureGates::default());
//! let names: Vec<(&str, bool)> = order.iter().map(|pod| (&*pod.name, pod.deleted)).collect();
//! // The pod with the lower cost is the one that the ReplicaSet has too many.
//! assert_eq!(names, [("web-7d4b9c-b", true), ("web-7d4b9c-a", false)]);
//! # Ok::<(), changeover_core::Problem>(())
//! ```

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde_json::Value;

use crate::Problem;
use crate::controller::rank::{Comparison, Ranking, rank_for_deletion};
use crate::feature_gates::FeatureGates;
use crate::go::{quoted, quoted_list};
use crate::json::{FromJson, decode};
use crate::object::unstructured::string;
use crate::object::{Kind, ObjectMeta, ObjectName, Pod, Time, require_kind};
use crate::workload::job::Job;
use crate::workload::job::controller::{RemovalOrder, removal_order, wanted_pods};
use crate::workload::job::decision::WrongIndex;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::controller::get_indirectly_related_pods;
use crate::workload::replication_controller::ReplicationController;
use crate::workload::stateful_set::StatefulSet;
use crate::workload::stateful_set::controller::get_ordinal;

/// A pod's position in the order of deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedPod {
    /// The pod's position in the list of objects that was given.
    pub index: usize,
    /// The pod's name.
    pub name: Rc<str>,
    /// Whether the pod is among those that are deleted.
    pub deleted: bool,
    /// Why it goes before the next pod; none for the last one, and where a ReplicaSet deletes all of its pods.
    pub because: Option<DeletionReason>,
}

/// Why a pod goes before the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeletionReason {
    /// The comparison of the two.
    Compared(Comparison),
    /// It goes in any case, since its index in an Indexed Job is wrong.
    WrongIndex(WrongIndex),
    /// Its ordinal in a StatefulSet is higher than that of the next pod.
    HigherOrdinal {
        /// Its ordinal.
        ordinal: i32,
        /// That of the next pod.
        next: i32,
    },
    /// Its StatefulSet wants no pod of this ordinal any more.
    UnwantedOrdinal(i32),
}

/// The order of active pods, of which a ReplicaSet deletes `count`. The related pods are those that count on each node.
pub fn order_pods(
    pods: &[Rc<Pod>],
    related: &[Rc<Pod>],
    count: usize,
    now: Time,
    gates: FeatureGates,
) -> Vec<OrderedPod> {
    let Ranking { order, decided } = rank_for_deletion(pods, related, count, now, gates);
    let because =
        decided.into_iter().map(|decided| Some(DeletionReason::Compared(decided))).chain(core::iter::repeat(None));
    let ordered = order.into_iter().zip(because).enumerate().filter_map(|(rank_index, (index, because))| {
        let name = pods.get(index)?.metadata.name.clone();
        Some(OrderedPod { index, name, deleted: rank_index < count, because })
    });
    ordered.collect()
}

/// The order of active pods of a Job, which deletes `count` of them, and in any case those whose index is wrong.
fn order_pods_of_job(job: &Job, pods: &[Rc<Pod>], count: usize) -> Vec<OrderedPod> {
    let RemovalOrder { wrong_indexes, others, decided } = removal_order(job, pods);
    let more = count.saturating_sub(wrong_indexes.len());
    let wrong_indexes =
        wrong_indexes.into_iter().map(|(pod, wrong)| (pod, true, Some(DeletionReason::WrongIndex(wrong))));
    let decided = decided.into_iter().map(|decided| Some(DeletionReason::Compared(decided))).chain([None]);
    let others = others.into_iter().zip(decided).enumerate();
    let others = others.map(|(rank_index, (pod, because))| (pod, rank_index < more, because));
    let ordered = wrong_indexes.chain(others).map(|(pod, deleted, because)| {
        let index = pods.iter().position(|other| Rc::ptr_eq(other, &pod)).unwrap_or_default();
        OrderedPod { index, name: pod.metadata.name.clone(), deleted, because }
    });
    ordered.collect()
}

/// The order in which a StatefulSet deletes pods when it is scaled down: those of ordinals that it does not want, and then the others,
/// each from the highest ordinal down. By default, the former are deleted. It ignores a pod without an ordinal.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`
fn order_pods_of_set(set: &StatefulSet, pods: &[Rc<Pod>], count: Option<usize>) -> Vec<OrderedPod> {
    let is_wanted = |ordinal: i32| {
        let number = ordinal.checked_sub(set.start_ordinal());
        number.is_some_and(|number| (0..set.spec.replicas).contains(&number))
    };
    let mut ordered: Vec<(bool, i32, usize, &Rc<Pod>)> = Vec::new();
    for (index, pod) in pods.iter().enumerate() {
        if let Some(ordinal) = get_ordinal(pod) {
            ordered.push((is_wanted(ordinal), ordinal, index, pod));
        }
    }
    ordered.sort_by_key(|(is_wanted, ordinal, ..)| (*is_wanted, Reverse(*ordinal)));
    let unwanted = ordered.iter().take_while(|(is_wanted, ..)| !is_wanted).count();
    let count = count.unwrap_or(unwanted);
    let next = ordered.iter().skip(1).map(|(_, ordinal, ..)| Some(*ordinal)).chain([None]);
    let ordered =
        ordered.iter().zip(next).enumerate().map(|(rank_index, ((_, ordinal, index, pod), next))| OrderedPod {
            index: *index,
            name: pod.metadata.name.clone(),
            deleted: rank_index < count,
            because: next.map(|next| match next < *ordinal {
                true => DeletionReason::HigherOrdinal { ordinal: *ordinal, next },
                false => DeletionReason::UnwantedOrdinal(*ordinal),
            }),
        });
    ordered.collect()
}

/// The kinds of workloads whose pods are ranked.
const RANKED_KINDS: [Kind; 4] = [Kind::ReplicaSet, Kind::Job, Kind::ReplicationController, Kind::StatefulSet];

/// A workload whose pods are ranked.
#[derive(Clone, Debug)]
pub enum RankedWorkload {
    /// A ReplicaSet with too many pods.
    ReplicaSet(Rc<ReplicaSet>),
    /// A Job with too many pods.
    Job(Rc<Job>),
    /// A ReplicationController with too many pods, in the form of a ReplicaSet.
    ReplicationController(Rc<ReplicaSet>),
    /// A StatefulSet with too many pods.
    StatefulSet(Rc<StatefulSet>),
}

impl RankedWorkload {
    fn of_controller(controller: &ReplicationController) -> Self {
        Self::ReplicationController(Rc::new(controller.to_replica_set()))
    }

    const fn kind(&self) -> Kind {
        match self {
            Self::ReplicaSet(_) => Kind::ReplicaSet,
            Self::Job(_) => Kind::Job,
            Self::ReplicationController(_) => Kind::ReplicationController,
            Self::StatefulSet(_) => Kind::StatefulSet,
        }
    }

    fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::ReplicaSet(replica_set) | Self::ReplicationController(replica_set) => &replica_set.metadata,
            Self::Job(job) => &job.metadata,
            Self::StatefulSet(set) => &set.metadata,
        }
    }

    /// The name with its kind and namespace, quoted: `"rs/shop/web-7d4b9c"`.
    fn quoted_name(&self) -> String {
        let word = self.kind().facts().short_name.unwrap_or("job");
        let metadata = self.metadata();
        quoted(&format!("{word}/{}/{}", namespace_of(metadata), metadata.name))
    }
}

/// The workloads whose pods are ranked and the Pods among some objects.
#[derive(Debug)]
pub struct RankedObjects {
    replica_sets: Vec<Rc<ReplicaSet>>,
    /// Those that are no ReplicaSets.
    others: Vec<RankedWorkload>,
    /// Each with its position among the objects.
    pods: Vec<(usize, Rc<Pod>)>,
}

impl RankedObjects {
    /// Reads objects; those of other kinds are ignored.
    ///
    /// # Errors
    /// An object without a kind, and a field of a wrong type, with a path like `[3].spec.replicas`.
    pub fn read(objects: &[Value]) -> Result<Self, Problem> {
        for (index, object) in objects.iter().enumerate() {
            require_kind(object, &format!("[{index}]"))?;
        }
        let jobs = of_kind(objects, Kind::Job)?.into_iter().map(|(_, job)| RankedWorkload::Job(job));
        let controllers = of_kind::<ReplicationController>(objects, Kind::ReplicationController)?;
        let sets = of_kind(objects, Kind::StatefulSet)?.into_iter().map(|(_, set)| RankedWorkload::StatefulSet(set));
        let controllers = controllers.into_iter().map(|(_, controller)| RankedWorkload::of_controller(&controller));
        Ok(Self {
            replica_sets: of_kind(objects, Kind::ReplicaSet)?.into_iter().map(|(_, replica_set)| replica_set).collect(),
            others: jobs.chain(controllers).chain(sets).collect(),
            pods: of_kind(objects, Kind::Pod)?,
        })
    }

    /// The workload that is meant: given whole, or by its name among the objects. The namespace, and before it the kind as
    /// kubectl knows it, may precede the name: `rs/shop/web-7d4b9c`, `job/train`.
    ///
    /// # Errors
    /// What is of another kind, or no name of exactly one (the problem lists those with active pods); one without
    /// a uid, by which its pods name their owner.
    pub fn find(&self, given: &Value) -> Result<RankedWorkload, Problem> {
        let workload = match given {
            Value::String(named) => self.find_named(named)?,
            given => match string(given, "kind") {
                // An item of a list from a client may leave the kind out.
                "" | "ReplicaSet" => RankedWorkload::ReplicaSet(Rc::new(decode(given, "")?)),
                "Job" => RankedWorkload::Job(Rc::new(decode(given, "")?)),
                "ReplicationController" => RankedWorkload::of_controller(&decode(given, "")?),
                "StatefulSet" => RankedWorkload::StatefulSet(Rc::new(decode(given, "")?)),
                kind => {
                    let mut supported = RANKED_KINDS.map(Kind::name);
                    supported.sort_unstable();
                    let supported = quoted_list(supported.into_iter());
                    let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
                    return Err(Problem::new("kind", message));
                }
            },
        };
        if workload.metadata().uid.is_empty() {
            let kind = workload.kind();
            let message = format!("Required value: must be the {kind}'s uid, as in its pods' ownerReferences");
            return Err(Problem::new("metadata.uid", message));
        }
        Ok(workload)
    }

    fn find_named(&self, named: &str) -> Result<RankedWorkload, Problem> {
        let written = ObjectName::parse(named, &RANKED_KINDS);
        let workloads = || {
            let replica_sets = self.replica_sets.iter().cloned().map(RankedWorkload::ReplicaSet);
            replica_sets.chain(self.others.iter().cloned())
        };
        let is_meant = |workload: &RankedWorkload| {
            let metadata = workload.metadata();
            written.matches(workload.kind(), namespace_of(metadata), &metadata.name)
        };
        let mut meant = workloads().filter(is_meant);
        let named = quoted(named);
        match (meant.next(), meant.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => {
                let any = "ReplicaSet, Job, ReplicationController or StatefulSet";
                let kind = written.kind.map_or(any, Kind::name);
                let is_of_kind = |workload: &RankedWorkload| written.kind.is_none_or(|kind| kind == workload.kind());
                let can_be_meant = |workload: &RankedWorkload| is_of_kind(workload) && self.has_active_pods(workload);
                let names: Vec<String> =
                    workloads().filter(can_be_meant).map(|workload| workload.quoted_name()).collect();
                let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(" or ")) };
                Err(Problem::new("", format!("Not found: {named}: must be a {kind} among the objects{names}")))
            }
            (Some(_), Some(_)) => {
                let message = "must be like rs/namespace/name, job/namespace/name, rc/namespace/name or sts/namespace/name, since \
                               several have this name";
                Err(Problem::new("", format!("Invalid value: {named}: {message}")))
            }
        }
    }

    fn has_active_pods(&self, workload: &RankedWorkload) -> bool {
        let owner = workload.metadata();
        self.pods.iter().any(|(_, pod)| pod.is_active() && pod.metadata.is_controlled_by(owner))
    }

    /// The order in which the workload's active pods are deleted. By default, as many are deleted as are active beyond what it
    /// wants: spec.replicas of a ReplicaSet or a ReplicationController; for a Job, its parallelism or the completions that are left; for a
    /// StatefulSet, those whose ordinals it does not want. The time and the gates only concern ReplicaSets and ReplicationControllers.
    pub fn order(
        &self,
        workload: &RankedWorkload,
        count: Option<u32>,
        now: Time,
        gates: FeatureGates,
    ) -> Vec<OrderedPod> {
        let active = self.pods.iter().filter(|(_, pod)| pod.is_active());
        let (indexes, own): (Vec<usize>, Vec<Rc<Pod>>) =
            active.clone().filter(|(_, pod)| pod.metadata.is_controlled_by(workload.metadata())).cloned().unzip();
        let count = count.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        let beyond = |wanted: i32| count.unwrap_or(own.len().saturating_sub(usize::try_from(wanted).unwrap_or(0)));
        let mut order = match workload {
            RankedWorkload::ReplicaSet(replica_set) | RankedWorkload::ReplicationController(replica_set) => {
                let all = active.map(|(_, pod)| pod);
                let related = get_indirectly_related_pods(replica_set, self.replica_sets.iter(), all);
                order_pods(&own, &related, beyond(replica_set.spec.replicas), now, gates)
            }
            RankedWorkload::Job(job) => {
                let wanted = wanted_pods(job, i32::try_from(own.len()).unwrap_or(i32::MAX));
                order_pods_of_job(job, &own, beyond(wanted))
            }
            RankedWorkload::StatefulSet(set) => order_pods_of_set(set, &own, count),
        };
        for pod in &mut order {
            pod.index = indexes.get(pod.index).copied().unwrap_or(pod.index);
        }
        order
    }
}

/// The objects of a kind, each with its position.
fn of_kind<T: FromJson>(objects: &[Value], kind: Kind) -> Result<Vec<(usize, Rc<T>)>, Problem> {
    let all = objects.iter().enumerate().filter(|(_, object)| string(object, "kind") == kind.name());
    all.map(|(index, object)| Ok((index, Rc::new(decode(object, &format!("[{index}]"))?)))).collect()
}

/// Its namespace, which a manifest may leave out.
fn namespace_of(metadata: &ObjectMeta) -> &str {
    match &*metadata.namespace {
        "" => "default",
        namespace => namespace,
    }
}
