//! A part of a fleet that is predicted on its own, and what an answer about it says beside, so that the answers of all parts can be
//! merged.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use serde_json::Value;

use super::course::{Course, LevelChange, Levels, ResourceLevels, Shard};
use super::gitops::{runs_first, runs_last};
use super::given_objects::{GivenObject, name, namespace};
use super::options::PredictOptions;
use super::pod_templates::repository;
use super::resource_use::{HeldResources, Level, ResourceUse};
use crate::Problem;
use crate::cluster::is_auxiliary;
use crate::collect_tree::CollectTree;
use crate::object::quantity::written_like;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, Time};

/// The most shards of a fleet.
const MAX_SHARDS: u32 = 10_000;

/// A workload with all that belongs to it, or, with no name, all of a namespace.
type Unit = (String, String);

/// The objects of one shard.
#[derive(Debug)]
pub(super) struct Share {
    units: BTreeSet<Unit>,
    /// The namespaces of those.
    namespaces: BTreeSet<String>,
    grouping: Grouping,
}

/// Which objects belong together.
#[derive(Debug, Default)]
struct Grouping {
    /// The namespaces that are not split: something in them is shared.
    whole: BTreeSet<String>,
    /// The workloads that others belong to, as `Kind/name`, by namespace and `Kind/name`.
    owners: BTreeMap<Unit, String>,
}

impl Shard {
    /// Refuses to split what shares something.
    pub(super) fn validate(self, options: &PredictOptions, has_nodes: bool) -> Result<(), Problem> {
        let Self { index, count } = self;
        let assumptions = &options.assumptions;
        let shares_clients = assumptions.mode().controller_manager(assumptions.controller_manager).is_some();
        let must = if count == 0 || count > MAX_SHARDS {
            format!("must be of 1 to {MAX_SHARDS} shards")
        } else if index >= count {
            format!("must be one of 0/{count} to {}/{count}", count.saturating_sub(1))
        } else if has_nodes {
            String::from("must not be used with nodes, which all workloads share")
        } else if shares_clients {
            String::from(
                "must be used with the mode exact: in any other, all workloads share the controllers' rate limits",
            )
        } else if assumptions.concurrent.is_some() {
            String::from("must not be used with a number of concurrent rollouts, for which each waits for others")
        } else if assumptions.jitter > 0 {
            String::from(
                "must not be used with jitter, since the names of pods depend on all workloads, and decide with it",
            )
        } else {
            return Ok(());
        };
        Err(Problem::new("shard", format!("Invalid value: {index}/{count}: {must}")))
    }
}

/// `Kind/name`
fn kind_and_name(object: &Value) -> String {
    format!("{}/{}", string(object, "kind"), name(object))
}

/// The controller of an object, as `Kind/name`.
fn controller(object: &Value) -> Option<String> {
    let owners = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
    let controller = owners.iter().find(|owner| field(owner, "controller").is_some_and(|it| it == true))?;
    Some(format!("{}/{}", string(controller, "kind"), string(controller, "name")))
}

fn namespace_of(object: &Value) -> String {
    namespace(object).unwrap_or("default").into()
}

/// The namespaces in which a new Deployment may be an older one with another name: both have one selector, or the same images.
fn namespaces_with_second_deployments<'a>(objects: impl Iterator<Item = &'a GivenObject>) -> BTreeSet<String> {
    /// The Deployments of a namespace that have something in common.
    #[derive(Default)]
    struct Alike<'a> {
        old: BTreeSet<&'a str>,
        new: BTreeSet<&'a str>,
    }
    let mut alike: BTreeMap<(String, String), Alike<'a>> = BTreeMap::new();
    for GivenObject { object, path } in
        objects.filter(|source| string(&source.object, "kind") == Kind::Deployment.name())
    {
        let selector = at(object, &["spec", "selector"]).map(Value::to_string);
        let containers = at(object, &["spec", "template", "spec"]).map_or(&[][..], |spec| list(spec, "containers"));
        let images: Vec<&str> = containers.iter().map(|container| repository(string(container, "image"))).collect();
        for shared in selector.into_iter().chain([images.join(" ")]) {
            let alike = alike.entry((namespace_of(object), shared)).or_default();
            let side = if path.starts_with("new[") { &mut alike.new } else { &mut alike.old };
            side.insert(name(object));
        }
    }
    let has_second = |alike: &Alike<'_>| {
        let mut added = alike.new.difference(&alike.old);
        added.next().is_some() && !alike.old.is_empty()
    };
    alike.into_iter().filter(|(_, alike)| has_second(alike)).map(|((namespace, _), _)| namespace).collect_tree()
}

impl Grouping {
    fn of<'a>(objects: impl Iterator<Item = &'a GivenObject> + Clone, quotas: &[GivenObject]) -> Self {
        let mut grouping = Self::default();
        grouping.whole.extend(quotas.iter().map(|quota| namespace_of(&quota.object)));
        grouping.whole.extend(namespaces_with_second_deployments(objects.clone()));
        for GivenObject { object, .. } in objects.filter(|source| !is_auxiliary(&source.object)) {
            let namespace = namespace_of(object);
            let kind = string(object, "kind");
            match controller(object) {
                Some(owner) if kind != Kind::Pod.name() => {
                    grouping.owners.insert((namespace, kind_and_name(object)), owner);
                }
                Some(_) => {}
                // The others of its application wait for it, or it for them.
                None if runs_first(object) || runs_last(object) => drop(grouping.whole.insert(namespace)),
                // Any workload may adopt it, and only the cluster gives it a name.
                None if matches!(kind, "Pod" | "ReplicaSet") || name(object).is_empty() => {
                    grouping.whole.insert(namespace);
                }
                None => {}
            }
        }
        grouping
    }

    fn unit(&self, object: &Value) -> Unit {
        let namespace = namespace_of(object);
        if is_auxiliary(object) || self.whole.contains(&namespace) {
            return (namespace, String::new());
        }
        let mut workload = controller(object).unwrap_or_else(|| kind_and_name(object));
        // A Pod of a ReplicaSet of a Deployment.
        for _ in 0..2_u8 {
            match self.owners.get(&(namespace.clone(), workload.clone())) {
                Some(owner) => workload.clone_from(owner),
                None => break,
            }
        }
        (namespace, workload)
    }
}

impl Share {
    /// The objects of a shard. Every shard splits all of them in the same way: the largest units first, each to the shard that has the fewest pods.
    pub(super) fn of<'a>(
        shard: Shard,
        objects: impl Iterator<Item = &'a GivenObject> + Clone,
        quotas: &'a [GivenObject],
    ) -> Self {
        let grouping = Grouping::of(objects.clone(), quotas);
        let mut weights: BTreeMap<Unit, i64> = BTreeMap::new();
        for GivenObject { object, .. } in objects.chain(quotas) {
            let pods = at(object, &["spec"]).map_or(0, |spec| {
                integer(spec, "replicas").or_else(|| integer(spec, "parallelism")).unwrap_or(1).max(0)
            });
            let weight = weights.entry(grouping.unit(object)).or_default();
            *weight = weight.saturating_add(if is_auxiliary(object) { 0 } else { pods });
        }
        let mut weights: Vec<(Reverse<i64>, Unit)> =
            weights.into_iter().map(|(unit, weight)| (Reverse(weight), unit)).collect();
        weights.sort_unstable();
        let mut loads: BTreeSet<(i64, u32)> = (0..shard.count).map(|index| (0, index)).collect_tree();
        let mut units = BTreeSet::new();
        for (Reverse(weight), unit) in weights {
            let Some((load, index)) = loads.pop_first() else { break };
            loads.insert((load.saturating_add(weight), index));
            if index == shard.index {
                units.insert(unit);
            }
        }
        Self { namespaces: units.iter().map(|(namespace, _)| namespace.clone()).collect_tree(), units, grouping }
    }

    /// Whether an object belongs to the shard. One that affects the pods of a namespace belongs to each shard with a part of that
    /// namespace.
    pub(super) fn has(&self, object: &Value) -> bool {
        if is_auxiliary(object) {
            return self.namespaces.contains(&namespace_of(object));
        }
        self.units.contains(&self.grouping.unit(object))
    }
}

/// Follows an amount from write to write.
#[derive(Debug)]
struct Follower {
    before: i128,
    changes: Vec<(i64, i128, i128)>,
    worse: fn(i128, i128) -> i128,
}

impl Follower {
    const fn new(before: i128, worse: fn(i128, i128) -> i128) -> Self {
        Self { before, changes: Vec::new(), worse }
    }

    fn observe(&mut self, time: i64, amount: i128) {
        match self.changes.last_mut() {
            Some((at, extreme, after)) if *at == time => {
                *extreme = (self.worse)(*extreme, amount);
                *after = amount;
            }
            last => {
                let before = last.map_or(self.before, |(_, _, after)| *after);
                if amount != before {
                    self.changes.push((time, (self.worse)(before, amount), amount));
                }
            }
        }
    }

    fn levels(&self, written: impl Fn(i128) -> String) -> Levels {
        let change = |(at, extreme, after): &(i64, i128, i128)| LevelChange {
            at: *at,
            extreme: written(*extreme),
            after: written(*after),
        };
        Levels { before: written(self.before), changes: self.changes.iter().map(change).collect() }
    }
}

/// Follows what all pods hold together.
#[derive(Debug, Default)]
pub(super) struct CourseBuilder {
    pods: Option<Follower>,
    resources: Vec<Follower>,
}

impl CourseBuilder {
    /// All pods hold this from a time on.
    pub(super) fn observe(&mut self, time: i64, held: &HeldResources) {
        let is_start = self.pods.is_none();
        let pods = self.pods.get_or_insert_with(|| Follower::new(held.pods.now(), i128::max));
        pods.observe(time, held.pods.now());
        let before = |level: &Level| if is_start { level.now() } else { 0 };
        let more = held.resources().skip(self.resources.len());
        self.resources.extend(more.map(|level| Follower::new(before(level), i128::max)));
        for (follower, level) in self.resources.iter_mut().zip(held.resources()) {
            follower.observe(time, level.now());
        }
    }

    /// The course of what was held, and of the available pods from moment to moment.
    pub(super) fn finish(self, held: &ResourceUse, available: &[(Time, i32)], start: Time, end: Time) -> Course {
        let mut followed: Option<Follower> = None;
        for (time, available) in available {
            let available = i128::from(*available);
            followed.get_or_insert_with(|| Follower::new(available, i128::min)).observe(time.since(start), available);
        }
        let counted = |follower: Option<Follower>| {
            follower.unwrap_or(Follower::new(0, i128::max)).levels(|count| count.to_string())
        };
        let resources =
            self.resources.iter().zip(held.requested()).map(|(follower, (resource, sample))| ResourceLevels {
                resource: resource.clone(),
                levels: follower.levels(|amount| written_like(amount, sample)),
            });
        let mut resources: Vec<ResourceLevels> = resources.collect();
        resources.sort_unstable_by(|a, b| a.resource.cmp(&b.resource));
        Course { pods: counted(self.pods), available: counted(followed), resources, end: end.since(start) }
    }
}
