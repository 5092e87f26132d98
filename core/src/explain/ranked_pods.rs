//! The order in which a ReplicaSet deletes pods, with the reason for each.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::ranking::why;
use crate::Problem;
use crate::controller::rank::{Comparison, get_pods_to_delete, rank};
use crate::controller::replica_set::get_indirectly_related_pods;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
use crate::json::{ToJson, decode};
use crate::object::unstructured::string;
use crate::object::{Pod, ReplicaSet, Time, require_kind};

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
    /// The comparison with the next pod; absent for the last pod, and where all pods are deleted.
    #[json(omitempty)]
    pub decided: Option<Comparison>,
    /// Why this pod goes before the next one, as the end of a sentence about it; absent where `decided` is.
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

/// The ReplicaSets and Pods among some objects.
#[derive(Debug)]
pub struct RankedObjects {
    replica_sets: Vec<Rc<ReplicaSet>>,
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
        let of_kind =
            |kind: &'static str| objects.iter().enumerate().filter(move |(_, object)| string(object, "kind") == kind);
        let replica_sets =
            of_kind("ReplicaSet").map(|(index, object)| decode(object, &format!("[{index}]")).map(Rc::new));
        let pods =
            of_kind("Pod").map(|(index, object)| Ok((index, Rc::new(decode::<Pod>(object, &format!("[{index}]"))?))));
        Ok(Self { replica_sets: replica_sets.collect::<Result<_, _>>()?, pods: pods.collect::<Result<_, Problem>>()? })
    }

    /// The ReplicaSet that is meant: given whole, or by its name (`name` or `namespace/name`) among the objects.
    ///
    /// # Errors
    /// What is no ReplicaSet, or no name of exactly one; a ReplicaSet without a uid, by which its pods name their owner.
    pub fn find(&self, given: &Value) -> Result<Rc<ReplicaSet>, Problem> {
        let replica_set = match given {
            Value::String(named) => self.find_named(named)?,
            given => {
                let kind = string(given, "kind");
                // What is asked for is a ReplicaSet: an item of a list from a client may leave the kind out.
                if !kind.is_empty() && kind != "ReplicaSet" {
                    let message = format!("Unsupported value: {}: supported values: \"ReplicaSet\"", quoted(kind));
                    return Err(Problem::new("kind", message));
                }
                Rc::new(decode(given, "")?)
            }
        };
        if replica_set.metadata.uid.is_empty() {
            let message = "Required value: must be the ReplicaSet's uid, which its pods have in ownerReferences";
            return Err(Problem::new("metadata.uid", message));
        }
        Ok(replica_set)
    }

    fn find_named(&self, named: &str) -> Result<Rc<ReplicaSet>, Problem> {
        let (namespace, name) = named.split_once('/').map_or((None, named), |(space, name)| (Some(space), name));
        let is_meant = |replica_set: &&Rc<ReplicaSet>| {
            *replica_set.metadata.name == *name
                && namespace.is_none_or(|namespace| namespace_of(replica_set) == namespace)
        };
        let named = quoted(named);
        match *self.replica_sets.iter().filter(is_meant).collect::<Vec<_>>() {
            [one] => Ok(one.clone()),
            [] => Err(Problem::new("", format!("Not found: {named}: must be a ReplicaSet among the objects"))),
            _ => Err(Problem::new(
                "",
                format!("Invalid value: {named}: must be namespace/name, since several have this name"),
            )),
        }
    }

    /// Ranks the active pods of a ReplicaSet. By default as many are deleted as are active beyond spec.replicas.
    pub fn rank(&self, replica_set: &ReplicaSet, count: Option<u32>, now: Time, gates: FeatureGates) -> Vec<RankedPod> {
        let active = self.pods.iter().filter(|(_, pod)| pod.is_active());
        let (indexes, own): (Vec<usize>, Vec<Rc<Pod>>) =
            active.clone().filter(|(_, pod)| pod.metadata.is_controlled_by(&replica_set.metadata)).cloned().unzip();
        let related = get_indirectly_related_pods(replica_set, self.replica_sets.iter(), active.map(|(_, pod)| pod));
        let desired = usize::try_from(replica_set.spec.replicas).unwrap_or(0);
        let surplus = own.len().saturating_sub(desired);
        let count = count.map_or(surplus, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let mut ranking = rank_pods(&own, &related, count, now, gates);
        for pod in &mut ranking {
            pod.index = indexes.get(pod.index).copied().unwrap_or(pod.index);
        }
        ranking
    }
}

/// Its namespace, which a manifest may leave out.
fn namespace_of(replica_set: &ReplicaSet) -> &str {
    match &*replica_set.metadata.namespace {
        "" => "default",
        namespace => namespace,
    }
}
