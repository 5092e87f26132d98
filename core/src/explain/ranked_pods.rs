//! The order in which a ReplicaSet or a Job deletes pods, with the reason for each.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::Sibling;
use super::ranking::why;
use crate::Problem;
use crate::controller::decision::job::WrongIndex;
use crate::controller::job::{removal_order, wanted_pods};
use crate::controller::rank::{Comparison, compare_active_pods, get_pods_to_delete, rank};
use crate::controller::replica_set::get_indirectly_related_pods;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::unstructured::string;
use crate::object::{Job, Kind, ObjectMeta, ObjectName, Pod, ReplicaSet, Time, require_kind};

/// A pod's position in the order of deletion.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankedPod {
    /// The pod's position in the list of objects that was given.
    pub index: usize,
    /// The pod's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: Rc<str>,
    /// Whether the pod is among those that are deleted.
    pub deleted: bool,
    /// The comparison with the next pod; absent where `why` is, and for a pod of a Job that goes because of its index.
    #[json(omitempty)]
    pub decided: Option<Comparison>,
    /// Why this pod goes before the next one, as the end of a sentence about it; absent for the last pod, and where a
    /// ReplicaSet deletes all of its pods.
    #[json(omitempty)]
    pub why: Option<String>,
}

/// Ranks active pods, of which `count` are deleted. The related pods are those that count on each node.
pub fn rank_pods(
    pods: &[Rc<Pod>],
    related: &[Rc<Pod>],
    count: usize,
    now: Time,
    gates: FeatureGates,
) -> Vec<RankedPod> {
    let name = |index: usize| pods.get(index).map_or_else(|| Rc::from(""), |pod| pod.metadata.name.clone());
    if count >= pods.len() {
        // All pods go, so none are compared.
        let deletions = get_pods_to_delete(pods, related, count, now, gates).into_iter().enumerate();
        let all = deletions.map(|(index, deletion)| (index, deletion.pod.metadata.name.clone()));
        return all.map(|(index, name)| RankedPod { index, name, deleted: true, decided: None, why: None }).collect();
    }
    let ranking = rank(pods, related, now, gates);
    let next_names = ranking.order.iter().skip(1).map(|index| Some(name(*index))).chain([None]);
    let decided = ranking.decided.into_iter().map(Some).chain([None]);
    let ranks = ranking.order.iter().enumerate().zip(decided).zip(next_names);
    ranks
        .map(|(((rank_index, index), decided), next)| {
            let why = decided.as_ref().zip(next).map(|(decided, next)| why(decided, &next));
            RankedPod { index: *index, name: name(*index), deleted: rank_index < count, decided, why }
        })
        .collect()
}

/// The kinds of workloads whose pods are ranked.
pub const RANKED_KINDS: [Kind; 2] = [Kind::ReplicaSet, Kind::Job];

/// A workload whose pods are ranked.
#[derive(Clone, Debug)]
pub enum RankedWorkload {
    /// A ReplicaSet with too many pods.
    ReplicaSet(Rc<ReplicaSet>),
    /// A Job with too many pods.
    Job(Rc<Job>),
}

impl RankedWorkload {
    const fn kind(&self) -> Kind {
        match self {
            Self::ReplicaSet(_) => Kind::ReplicaSet,
            Self::Job(_) => Kind::Job,
        }
    }

    fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::ReplicaSet(replica_set) => &replica_set.metadata,
            Self::Job(job) => &job.metadata,
        }
    }
}

/// The ReplicaSets, Jobs and Pods among some objects.
#[derive(Debug)]
pub struct RankedObjects {
    replica_sets: Vec<Rc<ReplicaSet>>,
    jobs: Vec<Rc<Job>>,
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
        Ok(Self {
            replica_sets: of_kind(objects, Kind::ReplicaSet)?.into_iter().map(|(_, replica_set)| replica_set).collect(),
            jobs: of_kind(objects, Kind::Job)?.into_iter().map(|(_, job)| job).collect(),
            pods: of_kind(objects, Kind::Pod)?,
        })
    }

    /// The workload that is meant: given whole, or by its name among the objects. The namespace, and before it the kind as
    /// kubectl knows it, may precede the name: `rs/shop/web-7d4b9c`, `job/train`.
    ///
    /// # Errors
    /// What is neither a ReplicaSet nor a Job, or no name of exactly one; one without a uid, by which its pods name their owner.
    pub fn find(&self, given: &Value) -> Result<RankedWorkload, Problem> {
        let workload = match given {
            Value::String(named) => self.find_named(named)?,
            given => match string(given, "kind") {
                // An item of a list from a client may leave the kind out.
                "" | "ReplicaSet" => RankedWorkload::ReplicaSet(Rc::new(decode(given, "")?)),
                "Job" => RankedWorkload::Job(Rc::new(decode(given, "")?)),
                kind => {
                    let message =
                        format!("Unsupported value: {}: supported values: \"Job\", \"ReplicaSet\"", quoted(kind));
                    return Err(Problem::new("kind", message));
                }
            },
        };
        if workload.metadata().uid.is_empty() {
            let kind = workload.kind();
            let message = format!("Required value: must be the {kind}'s uid, which its pods have in ownerReferences");
            return Err(Problem::new("metadata.uid", message));
        }
        Ok(workload)
    }

    fn find_named(&self, named: &str) -> Result<RankedWorkload, Problem> {
        let written = ObjectName::parse(named, &RANKED_KINDS);
        let replica_sets = self.replica_sets.iter().cloned().map(RankedWorkload::ReplicaSet);
        let jobs = self.jobs.iter().cloned().map(RankedWorkload::Job);
        let is_meant = |workload: &RankedWorkload| {
            let metadata = workload.metadata();
            written.matches(workload.kind(), namespace_of(metadata), &metadata.name)
        };
        let mut meant = replica_sets.chain(jobs).filter(is_meant);
        let named = quoted(named);
        match (meant.next(), meant.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => {
                let kind = written.kind.map_or_else(|| "ReplicaSet or Job".into(), |kind| format!("{kind}"));
                Err(Problem::new("", format!("Not found: {named}: must be a {kind} among the objects")))
            }
            (Some(_), Some(_)) => {
                let message = "must be like rs/namespace/name or job/namespace/name, since several have this name";
                Err(Problem::new("", format!("Invalid value: {named}: {message}")))
            }
        }
    }

    /// Ranks the active pods of a workload. By default as many are deleted as are active beyond what it wants: spec.replicas of
    /// a ReplicaSet; for a Job, its parallelism or the completions that are left. The time and the gates only concern
    /// ReplicaSets.
    pub fn rank(
        &self,
        workload: &RankedWorkload,
        count: Option<u32>,
        now: Time,
        gates: FeatureGates,
    ) -> Vec<RankedPod> {
        let active = self.pods.iter().filter(|(_, pod)| pod.is_active());
        let (indexes, own): (Vec<usize>, Vec<Rc<Pod>>) =
            active.clone().filter(|(_, pod)| pod.metadata.is_controlled_by(workload.metadata())).cloned().unzip();
        let wanted = match workload {
            RankedWorkload::ReplicaSet(replica_set) => replica_set.spec.replicas,
            RankedWorkload::Job(job) => wanted_pods(job, i32::try_from(own.len()).unwrap_or(i32::MAX)),
        };
        let surplus = own.len().saturating_sub(usize::try_from(wanted).unwrap_or(0));
        let count = count.map_or(surplus, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let mut ranking = match workload {
            RankedWorkload::ReplicaSet(replica_set) => {
                let all = active.map(|(_, pod)| pod);
                let related = get_indirectly_related_pods(replica_set, self.replica_sets.iter(), all);
                rank_pods(&own, &related, count, now, gates)
            }
            RankedWorkload::Job(job) => rank_pods_of_job(job, &own, count),
        };
        for pod in &mut ranking {
            pod.index = indexes.get(pod.index).copied().unwrap_or(pod.index);
        }
        ranking
    }
}

/// The objects of a kind, each with its position.
fn of_kind<T: FromJson>(objects: &[Value], kind: Kind) -> Result<Vec<(usize, Rc<T>)>, Problem> {
    let all = objects.iter().enumerate().filter(|(_, object)| string(object, "kind") == kind.name());
    all.map(|(index, object)| Ok((index, Rc::new(decode(object, &format!("[{index}]"))?)))).collect()
}

/// Ranks active pods of a Job, of which `count` are deleted, and in any case those whose index is wrong.
fn rank_pods_of_job(job: &Job, pods: &[Rc<Pod>], count: usize) -> Vec<RankedPod> {
    let index_of = |pod: &Rc<Pod>| pods.iter().position(|other| Rc::ptr_eq(other, pod)).unwrap_or_default();
    let order = removal_order(job, pods);
    let more = count.saturating_sub(order.wrong_indexes.len());
    let mut ranking: Vec<RankedPod> = order
        .wrong_indexes
        .iter()
        .map(|(pod, wrong)| RankedPod { why: Some(why_wrong_index(wrong)), ..ranked_pod(index_of(pod), pod, true) })
        .collect();
    let next = order.others.iter().skip(1).map(Some).chain([None]);
    ranking.extend(order.others.iter().zip(next).enumerate().map(|(rank_index, (pod, next))| {
        let decided = next.map(|next| compare_active_pods(pod, next));
        let why = decided.as_ref().zip(next).map(|(decided, next)| why(decided, &next.metadata.name));
        RankedPod { decided, why, ..ranked_pod(index_of(pod), pod, rank_index < more) }
    }));
    ranking
}

fn ranked_pod(index: usize, pod: &Pod, deleted: bool) -> RankedPod {
    RankedPod { index, name: pod.metadata.name.clone(), deleted, decided: None, why: None }
}

fn why_wrong_index(wrong: &WrongIndex) -> String {
    match wrong {
        WrongIndex::Duplicate { index, chosen } => {
            format!("since {} has index {index} as well", Sibling(&chosen.stays).short())
        }
        WrongIndex::TooLarge { index, completions } => {
            format!("since the Job has {completions} completions, and no index {index}")
        }
        WrongIndex::Missing => "since it has no completion index".into(),
    }
}

/// Its namespace, which a manifest may leave out.
fn namespace_of(metadata: &ObjectMeta) -> &str {
    match &*metadata.namespace {
        "" => "default",
        namespace => namespace,
    }
}
