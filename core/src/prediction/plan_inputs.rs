//! What is given of a change, by what becomes of it, and what the objects alone say about the verdict.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{NotModeled, OldObject, Warning, WarningKind};
use super::changed_requests::{changed_requests, limits_requests};
use super::deciding_fields::{deciding_fields, limited_drivers, probes_of_jobs, readiness_gates, replacements};
use super::estimates::{Estimates, daemon_sets_without_nodes, namespaces_with_pods, object_name};
use super::former_jobs::{remove_ended_jobs, remove_former_jobs};
use super::given_objects::{
    CSI_NODE, GivenObject, GivenObjects, as_written, evicting_nodes, ignored_nodes, is_of_running_cluster, is_same,
    is_stored, name, namespace, refuse_uncountable, unlimited_nodes,
};
use super::hidden_pods::hidden_pods;
use super::malformed::refuse_malformed;
use super::options::{MAX_PODS, NotRead, PredictOptions, validate_count};
use super::pod_autoscalers::{AssumedReplicas, PodAutoscaler, put_min_replicas, put_within_new_bounds, scaled_sets};
use super::pod_templates::{is_custom, pod_template};
use super::refusals::{validate_claims, validate_kinds, validate_manifests};
use super::removed::{only_in_old, removed_hidden_pods, removed_workloads};
use super::shard::Share;
use super::still_objects::{Placed, StillObjects, group};
use super::verdict::{Reason, ReasonKind};
use crate::Problem;
use crate::apiserver::ExistingObjects;
use crate::cluster::{LimitRanges, is_auxiliary, merge};
use crate::collect_tree::CollectTree;
use crate::go::{quoted, quoted_list};
use crate::object::unstructured::{at, integer, string};
use crate::object::{Kind, ObjectKey, Predicted, Runs, SURROUNDING_KINDS, WorkloadFacts};

/// What is given of a change.
pub(super) struct PlanInputs<'a> {
    pub(super) options: &'a PredictOptions,
    pub(super) old: GivenObjects,
    pub(super) new: GivenObjects,
    pub(super) nodes: Vec<GivenObject>,
    /// The quotas, by namespace and name.
    pub(super) quotas: Vec<GivenObject>,
    /// The objects around the workloads, without the quotas.
    pub(super) auxiliary: Vec<GivenObject>,
    /// What is left out of the quotas that only the options name.
    left_out_quotas: Vec<NotModeled>,
    /// What the objects that are not played use of the quotas.
    pub(super) still_objects: StillObjects,
    pub(super) scaling: Scaling,
    /// The objects without pods that only the old manifests have.
    pub(super) only_in_old: Vec<OldObject>,
    /// The part that is simulated; none: everything is.
    pub(super) share: Option<Share>,
    /// The CSI drivers of which a node takes only some volumes.
    limited_drivers: BTreeSet<&'a str>,
    /// Whether the old objects are of a running cluster, and not manifests.
    pub(super) is_state: bool,
    /// Whether that state shows what runs, and not only what is wanted.
    pub(super) is_live: bool,
    /// Whether a change is given.
    has_new: bool,
    namespaces: Namespaces<'a>,
}

/// Where objects are that name no namespace.
#[derive(Clone, Copy, Debug)]
struct Namespaces<'a> {
    default: &'a str,
    /// That of the quotas, if it is assumed to be that of all.
    assumed: Option<&'a str>,
}

impl<'a> Namespaces<'a> {
    fn of(old: &[&'a Value], new: &[&'a Value], options: &'a PredictOptions) -> Self {
        let named = options.namespace.as_deref();
        let all = || old.iter().chain(new).copied();
        let assumed = if named.is_some() { None } else { namespace_of_quotas(all(), &options.quotas) };
        Self { default: named.or(assumed).unwrap_or("default"), assumed }
    }

    fn own(self, object: &Value) -> String {
        namespace(object).unwrap_or(self.default).into()
    }
}

/// What autoscalers do to the replicas of Deployments and StatefulSets.
pub(super) struct Scaling {
    /// What scales them, those after the change first.
    pub(super) autoscalers: Vec<PodAutoscaler>,
    /// The replicas of those that leave them to an autoscaler, before the change.
    before: Vec<AssumedReplicas>,
    /// The same after the change.
    pub(super) after: Vec<AssumedReplicas>,
    /// The replicas of those that an autoscaler with new bounds scales.
    pub(super) within_new_bounds: Vec<AssumedReplicas>,
}

impl Scaling {
    /// Puts the replicas into the objects that autoscalers give them.
    fn put(old: &mut GivenObjects, new: &mut GivenObjects, prune: bool) -> Self {
        // The API server refuses a version that it no longer serves. It has stored the autoscaler if the change migrates it.
        let is_migrated = |refused: &PodAutoscaler| new.pod_autoscalers.iter().any(|new| new.is_same(refused));
        old.pod_autoscalers.retain(|autoscaler| autoscaler.is_served() || is_migrated(autoscaler));
        let objects = old.simulated.iter_mut().map(|source| &mut source.object);
        let before = put_min_replicas(objects, &old.pod_autoscalers);
        let old_objects = ExistingObjects::of(old.simulated.iter().map(|source| &source.object));
        // Without the replicas that were applied before, the API server sets the default.
        let had_replicas = |new: &Value| {
            let has_replicas = |old: &Value| at(old, &["spec", "replicas"]).is_some();
            let is_assumed =
                |kind: Kind| before.iter().any(|assumed| assumed.is_of(&ObjectKey::of_manifest(kind, new)));
            old_objects.named(new).iter().any(|old| is_same(old, new) && has_replicas(old))
                && !Kind::of(new).is_some_and(is_assumed)
        };
        let mut autoscalers = [new.pod_autoscalers.as_slice(), old.pod_autoscalers.as_slice()].concat();
        let objects = new.simulated.iter_mut().map(|source| &mut source.object);
        let after = put_min_replicas(objects.filter(|new| !had_replicas(new)), &autoscalers);
        let named_before = |new: &Value| {
            let before = old_objects.named(new).iter().find(|old| is_same(old, new))?;
            i32::try_from(integer(at(before, &["spec"])?, "replicas")?).ok()
        };
        let objects = new.simulated.iter_mut().map(|source| &mut source.object);
        let scalers = [old.pod_autoscalers.as_slice(), new.pod_autoscalers.as_slice()];
        let within_new_bounds = put_within_new_bounds(objects, &named_before, scalers);
        // One that is pruned leaves its replicas behind.
        autoscalers.retain(|autoscaler| {
            let is_new = || new.pod_autoscalers.iter().any(|new| new.is_same(autoscaler));
            !prune || autoscaler.is_stored() || is_new()
        });
        Self { autoscalers, before, after, within_new_bounds }
    }

    /// All replicas that are assumed.
    pub(super) fn assumed(&self) -> Vec<AssumedReplicas> {
        [self.before.as_slice(), self.after.as_slice(), self.within_new_bounds.as_slice()].concat()
    }
}

impl<'a> PlanInputs<'a> {
    /// Sorts what is given, and refuses what the API server refuses.
    ///
    /// # Errors
    /// The first problem of the objects or the options, with its path.
    pub(super) fn read(old: &[&'a Value], new: &[&'a Value], options: &'a PredictOptions) -> Result<Self, Problem> {
        options.validate()?;
        if options.shard.is_none() {
            validate_count("old", old.len())?;
            validate_count("new", new.len())?;
        }
        let namespaces = Namespaces::of(old, new, options);
        let own = |object: &Value| namespaces.own(object);
        let (beside_nodes, given_nodes): (Vec<GivenObject>, Vec<GivenObject>) =
            nodes_of(&options.nodes).into_iter().partition(|source| GivenObjects::is_beside_nodes(&source.object));
        refuse_other_kinds(&given_nodes)?;
        let is_node = |object: &&Value| string(object, "kind") == Kind::Node.name();
        let has_nodes = !given_nodes.is_empty() || old.iter().any(is_node);
        let mut old_given = GivenObjects::read("old", old, has_nodes, &own)?;
        old_given.add_missing(beside_nodes, &own);
        let csi_nodes = old.iter().copied().chain(&options.nodes).filter(|object| string(object, "kind") == CSI_NODE);
        let limited_drivers = csi_nodes.flat_map(limited_drivers).collect();
        if !has_nodes {
            old_given.leave_out_daemon_sets();
        }
        refuse_malformed(old)?;
        validate_kinds(new)?;
        let old_objects = ExistingObjects::of(old_given.simulated.iter().map(|source| &source.object));
        // A manifest without a namespace is that of the only old object of this name.
        let of_new = |object: &Value| match old_objects.named(object) {
            [only] if namespace(object).is_none() => String::from(namespace(only).unwrap_or(namespaces.default)),
            _ => own(object),
        };
        let mut new_given = GivenObjects::read("new", new, has_nodes, &of_new)?;
        let new_placed: Vec<Placed<'_>> =
            new.iter().map(|object| Placed { object, namespace: of_new(object) }).collect();
        // Without new objects, everything may be pruned, or no change is given.
        let has_new = !new.is_empty() || options.prune;
        let only_in_old = if has_new { only_in_old(old, new, &of_new, &options.assumptions) } else { Vec::new() };
        if !has_nodes {
            new_given.leave_out_daemon_sets();
        }
        let scaling = Scaling::put(&mut old_given, &mut new_given, options.prune);
        remove_former_jobs(&mut old_given.simulated, &new_given.simulated);
        let ended_jobs = remove_ended_jobs(&mut old_given.simulated, &mut new_given.simulated, &options.assumptions);
        refuse_duplicates(&old_given.workloads)?;
        refuse_duplicates(new_given.simulated.iter().chain(&new_given.workloads))?;
        let nodes = if given_nodes.is_empty() { core::mem::take(&mut old_given.nodes) } else { given_nodes };
        let is_of_cluster = |source: &GivenObject| {
            !is_auxiliary(&source.object) && shows_what_runs(&source.object) && is_stored(&source.object)
        };
        let is_live = old_given.simulated.iter().any(is_of_cluster);
        let is_state = old_given.simulated.iter().any(|source| is_of_running_cluster(&source.object));
        let mut inputs = Self {
            options,
            old: old_given,
            new: new_given,
            nodes,
            quotas: Vec::new(),
            auxiliary: Vec::new(),
            left_out_quotas: Vec::new(),
            still_objects: StillObjects::default(),
            scaling,
            only_in_old,
            share: None,
            limited_drivers,
            is_state,
            is_live,
            has_new,
            namespaces,
        };
        inputs.put_quotas(old, new_placed, &ended_jobs)?;
        inputs.put_share(has_nodes)?;
        inputs.validate()?;
        Ok(inputs)
    }

    /// All workloads and what is simulated, old and new.
    pub(super) fn all(&self) -> impl Iterator<Item = &GivenObject> + Clone {
        self.before().chain(self.after())
    }

    fn before(&self) -> impl Iterator<Item = &GivenObject> + Clone {
        self.old.simulated.iter().chain(&self.old.workloads)
    }

    fn after(&self) -> impl Iterator<Item = &GivenObject> + Clone {
        self.new.simulated.iter().chain(&self.new.workloads)
    }

    /// Whether an object is in the part that is simulated.
    pub(super) fn is_mine(&self, source: &GivenObject) -> bool {
        self.share.as_ref().is_none_or(|share| share.has(&source.object))
    }

    /// Reads the quotas, and sorts out what is around the workloads.
    fn put_quotas(
        &mut self,
        old: &[&Value],
        new: Vec<Placed<'_>>,
        ended_jobs: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let options = self.options;
        let workloads = self.all().map(|source| &source.object).filter(|object| !is_auxiliary(object));
        let all_namespaces: BTreeSet<&str> = workloads.filter_map(namespace).collect_tree();
        let of_quotas = quota_namespace(options, &all_namespaces)?;
        let of_quota = |quota: &Value| String::from(namespace(quota).unwrap_or(of_quotas));
        let given = GivenObjects::read("quotas", &options.quotas.iter().collect::<Vec<_>>(), false, &of_quota)?;
        if let Some(other) = given.simulated.iter().find(|quota| string(&quota.object, "kind") != "ResourceQuota") {
            let message = format!(
                "Unsupported value: {}: supported values: \"ResourceQuota\"",
                quoted(string(&other.object, "kind"))
            );
            return Err(Problem::new(format!("{}.kind", other.path), message));
        }
        let simulated = self.old.simulated.iter().chain(&self.new.simulated);
        let around = newest(simulated.filter(|source| is_auxiliary(&source.object)).chain(&given.simulated));
        let (mut quotas, auxiliary): (Vec<_>, Vec<_>) =
            around.into_iter().partition(|source| string(&source.object, "kind") == Kind::ResourceQuota.name());
        let place =
            |quota: &GivenObject| (namespace(&quota.object).map(String::from), String::from(name(&quota.object)));
        quotas.sort_by_cached_key(place);
        let placed = |object, namespace| Placed { object, namespace };
        let existing = old.iter().map(|object| placed(object, self.namespaces.own(object)));
        let existing = existing.chain(options.quotas.iter().map(|quota| placed(quota, of_quota(quota))));
        self.still_objects = StillObjects::of(existing, new.into_iter(), ended_jobs);
        (self.quotas, self.auxiliary, self.left_out_quotas) = (quotas, auxiliary, given.not_modeled);
        Ok(())
    }

    fn put_share(&mut self, has_nodes: bool) -> Result<(), Problem> {
        if let Some(shard) = self.options.shard {
            shard.validate(self.options, has_nodes)?;
            self.share = Some(Share::of(shard, self.all(), &self.quotas));
        }
        Ok(())
    }

    fn validate(&self) -> Result<(), Problem> {
        for (argument, given) in [("old", &self.old), ("new", &self.new)] {
            let mine: Vec<&GivenObject> = given.simulated.iter().filter(|source| self.is_mine(source)).collect();
            validate_count(argument, mine.len())?;
            validate_pods(&mine)?;
            refuse_uncountable(mine.into_iter().chain(&given.workloads))?;
        }
        let before = ExistingObjects::of(self.before().map(|source| &source.object));
        validate_manifests(self.after().filter(|source| self.is_mine(source)), &before)?;
        let limit_ranges = self.auxiliary.iter().map(|source| (&source.object, source.path.as_str()));
        validate_claims(self.new.simulated.iter(), &before, &LimitRanges::among(limit_ranges)?)
    }

    /// Whether it is known what comes of the cluster without the change: it leaves alone what limits workloads, which is simulated as the
    /// change leaves it.
    pub(super) fn is_comparable(&self) -> bool {
        let old = ExistingObjects::of(self.old.simulated.iter().map(|source| &source.object));
        let is_changed = |GivenObject { object: new, .. }: &GivenObject| {
            match old.named(new).iter().find(|old| is_same(old, new)) {
                Some(old) => {
                    let mut merged = (*old).clone();
                    merge(&mut merged, &as_written(new));
                    merged != **old
                }
                // More of other kinds, like volumes, holds nothing up.
                None => [Kind::ResourceQuota, Kind::LimitRange].iter().any(|kind| kind.name() == string(new, "kind")),
            }
        };
        let mut around = self.new.simulated.iter().filter(|source| is_auxiliary(&source.object));
        self.has_new && !around.any(is_changed)
    }

    /// The pods of the workloads that are not simulated.
    ///
    /// # Errors
    /// More pods than are simulated.
    pub(super) fn estimates(&self) -> Result<Estimates, Problem> {
        let nodes: Vec<&str> = self.nodes.iter().map(|node| node_name(&node.object)).collect();
        let is_mine = |source: &GivenObject| self.is_mine(source);
        Estimates::of(&self.old.workloads, &self.new.workloads, self.is_live, &nodes, &is_mine)
    }

    /// Why the change is not judged, as far as the objects alone say it.
    pub(super) fn not_judged(&self, old: &[&Value], new: &[&Value], estimates: &Estimates) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = self.options.not_read.iter().map(not_read).collect();
        // Deletions are played where they are asked for.
        if !new.is_empty() && !self.options.prune {
            reasons.extend(removed_workloads(self.before(), &self.after().collect::<Vec<_>>()));
        }
        reasons.extend(estimates.reasons.iter().cloned());
        let takes_room_of_quotas = |object: &Value| {
            let own = self.namespaces.own(object);
            let is_its = |quota: &&GivenObject| namespace(&quota.object) == Some(own.as_str());
            self.quotas.iter().filter(is_its).any(|quota| at(&quota.object, &["status", "used"]).is_none())
        };
        if self.nodes.is_empty() && !self.is_live {
            let is_known = |object: &Value| {
                reasons.iter().any(|reason| reason.object.as_deref() == Some(object_name(object).as_str()))
            };
            let daemon_sets = self.all().filter(|source| !is_known(&source.object));
            let unknown = daemon_sets_without_nodes(daemon_sets, &takes_room_of_quotas);
            reasons.extend(unknown);
        }
        let takes_room_of_nodes = !self.nodes.is_empty() && !self.is_live;
        reasons.extend(hidden_pods(old, new, &|object| takes_room_of_nodes || takes_room_of_quotas(object)));
        if !new.is_empty() {
            reasons.extend(removed_hidden_pods(old, new));
        }
        if !self.is_live {
            reasons.extend(unsettled(&self.old.simulated));
            if old.is_empty() {
                reasons.extend(unsettled(&self.new.simulated));
            }
        }
        let has_limits = !(self.nodes.is_empty() && self.quotas.is_empty());
        if has_limits && !self.is_live {
            let own = |object: &Value| self.namespaces.own(object);
            let is_set = |object: &Value| {
                string(object, "kind") == Kind::StatefulSet.name()
                    || is_custom(object) && pod_template(object).is_some()
            };
            let sets = self.all().map(|source| &source.object).filter(|object| is_set(object));
            let name = |object: &Value| format!("{}/{}/{}", string(object, "kind"), own(object), name(object));
            let sets = sets.map(name).collect_tree();
            reasons.extend(scaled_sets(&[old, new].concat(), &own, &sets));
        }
        let all = [old, new].concat();
        let own = |object: &Value| self.namespaces.own(object);
        let limits = |source: &&GivenObject| {
            let is_its = |quota: &&GivenObject| namespace(&quota.object) == Some(own(&source.object).as_str());
            self.quotas.iter().filter(is_its).any(|quota| limits_requests(&quota.object))
        };
        let is_old = |reason: &Reason| {
            let named = |source: &&GivenObject| Some(object_name(&source.object)) == reason.object;
            self.before().find(named).is_some_and(|old| self.after().any(|new| new.object == old.object))
        };
        let changed = changed_requests(self.after().filter(limits), &all, &own);
        reasons.extend(changed.into_iter().filter(|reason| !is_old(reason)));
        reasons.extend(unmatched_quotas(&self.quotas, &namespaces_with_pods(self.all()), self.is_live));
        reasons
    }

    /// The workloads whose fields may decide the verdict. Owned ones are left out: they have their owner's fields.
    fn with_fields(&self) -> impl Iterator<Item = &GivenObject> + Clone {
        let is_owned = |source: &GivenObject| at(&source.object, &["metadata", "ownerReferences"]).is_some();
        let has_nodes = !self.nodes.is_empty();
        let is_placed = move |object: &Value| has_nodes || string(object, "kind") != Kind::DaemonSet.name();
        self.all().filter(move |source| is_placed(&source.object) && !is_owned(source))
    }

    /// The fields that decide and are not modeled; those that decide about nodes only with nodes.
    pub(super) fn deciding_fields(&self) -> Vec<NotModeled> {
        let mut deciding = readiness_gates(self.with_fields());
        deciding.extend(replacements(self.new.simulated.iter()));
        deciding.extend(probes_of_jobs(self.with_fields(), &self.options.assumptions));
        if !self.nodes.is_empty() {
            let objects = self.old.simulated.iter().chain(&self.new.simulated);
            deciding.extend(deciding_fields(self.with_fields(), objects, &self.limited_drivers));
        }
        deciding
    }

    /// The objects and the fields that are not modeled.
    pub(super) fn not_modeled(&self) -> Vec<NotModeled> {
        let given = [self.old.not_modeled.as_slice(), &self.new.not_modeled, &self.left_out_quotas];
        let mut left_out = given.concat();
        left_out.extend(evicting_nodes(&self.nodes, self.with_fields()));
        left_out.extend(unlimited_nodes(&self.nodes, self.with_fields()));
        left_out.extend(ignored_nodes(&self.new.nodes, &self.nodes));
        left_out.extend(self.still_objects.not_counted(&self.quotas));
        left_out
    }

    /// A warning for each quota whose namespace the manifests are assumed to be of.
    pub(super) fn assumed_namespaces(&self) -> Vec<Warning> {
        let Some(assumed) = self.namespaces.assumed else { return Vec::new() };
        let of_namespace = self.quotas.iter().filter(|quota| namespace(&quota.object) == Some(assumed));
        let message =
            format!("The manifests name no namespace: they are assumed to be of the quota's, {}.", quoted(assumed));
        of_namespace
            .map(|quota| Warning {
                object: object_name(&quota.object),
                kind: WarningKind::AssumedNamespace,
                message: message.clone(),
            })
            .collect()
    }
}

/// The namespace of the quotas, if all of them are of one, and no object that runs pods names any: Helm and kustomize leave it to
/// `kubectl apply -n`.
fn namespace_of_quotas<'a>(objects: impl Iterator<Item = &'a Value>, quotas: &'a [Value]) -> Option<&'a str> {
    let (mut namespaces, mut has_pods) = (BTreeSet::new(), false);
    let is_quota = |object: &&Value| string(object, "kind") == Kind::ResourceQuota.name();
    for object in objects.chain(quotas) {
        if is_quota(&object) {
            namespaces.extend(namespace(object));
        } else if pod_template(object).is_some() {
            has_pods = true;
            if namespace(object).is_some() {
                return None;
            }
        }
    }
    let mut namespaces = namespaces.into_iter();
    namespaces.next().filter(|_| has_pods && namespaces.next().is_none())
}

/// The namespace of quotas that name none: the one that the options name, or else that of all workloads. In any other
/// namespace, they would hold nothing up, and fit without a reason.
fn quota_namespace<'a>(options: &'a PredictOptions, namespaces: &BTreeSet<&'a str>) -> Result<&'a str, Problem> {
    const DEFAULT: &str = "default";
    if let Some(named) = &options.namespace {
        return Ok(named);
    }
    let mut all = namespaces.iter().copied();
    let nameless = options.quotas.iter().position(|quota| quota.is_object() && namespace(quota).is_none());
    match (all.next(), all.next(), nameless) {
        (Some(only), None, _) => Ok(only),
        (_, Some(_), Some(index)) if !namespaces.contains(DEFAULT) => {
            let names = namespaces.iter().map(|namespace| quoted(namespace)).collect::<Vec<_>>().join(", ");
            let message = format!("Required value: must be one of {names}");
            Err(Problem::new(format!("quotas[{index}].metadata.namespace"), message))
        }
        _ => Ok(DEFAULT),
    }
}

/// The quotas that limit none of the objects: none of these is in their namespace. In a running cluster, that is usual.
fn unmatched_quotas(quotas: &[GivenObject], namespaces: &BTreeSet<&str>, is_live: bool) -> Vec<Reason> {
    let is_meant = |quota: &&GivenObject| !(is_live && is_stored(&quota.object) && quota.is_in_cluster());
    let is_unmatched =
        |quota: &&GivenObject| namespace(&quota.object).is_some_and(|namespace| !namespaces.contains(namespace));
    let unmatched = quotas.iter().filter(|_| !namespaces.is_empty()).filter(is_meant).filter(is_unmatched);
    unmatched
        .map(|quota| {
            let own = quoted(namespace(&quota.object).unwrap_or_default());
            let message = format!("No object that runs pods is in its namespace, {own}.");
            Reason::new(ReasonKind::UnmatchedQuota, message).about(object_name(&quota.object)).at(quota.path.clone())
        })
        .collect()
}

/// The Deployments of a running cluster whose status says that they are not settled, and whose pods are not given: they are simulated as
/// if they were.
fn unsettled(old: &[GivenObject]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for GivenObject { object, path } in old {
        let (Some(spec), Some(status)) = (at(object, &["spec"]), at(object, &["status"])) else { continue };
        let wanted = integer(spec, "replicas").unwrap_or(1);
        let count = |field| integer(status, field).unwrap_or(0);
        let settled = [count("replicas"), count("updatedReplicas"), count("availableReplicas")];
        let is_deployment = string(object, "kind") == Kind::Deployment.name() && is_stored(object);
        if !is_deployment || settled == [wanted; 3] {
            continue;
        }
        let [replicas, updated, available] = settled;
        let message = format!(
            "It is not settled (wanted: {wanted}, pods: {replicas}, updated: {updated}, available: {available}): add its ReplicaSets and \
             pods (kubectl get deployments,replicasets,pods -o yaml)."
        );
        let reason = Reason::new(ReasonKind::NotModeledField, message);
        reasons.push(reason.about(object_name(object)).at(format!("{path}.status")));
    }
    reasons
}

/// Whether an object with a uid shows what runs, and not only what is wanted.
fn shows_what_runs(object: &Value) -> bool {
    let is_only_wanted = |kind: Kind| {
        matches!(kind.predicted(), Some(Predicted::AsRollout | Predicted::AsReplicas))
            || kind == Kind::PersistentVolumeClaim
    };
    !Kind::from_name(string(object, "kind")).is_some_and(is_only_wanted)
}

/// Refuses two different manifests of one object: it is not clear which one is meant.
pub(super) fn refuse_duplicates<'a>(sources: impl IntoIterator<Item = &'a GivenObject>) -> Result<(), Problem> {
    let mut known = BTreeMap::new();
    let duplicate = |GivenObject { object, path }: &'a GivenObject| {
        let (kind, name) = (string(object, "kind"), name(object));
        let is_known = !name.is_empty()
            && known
                .insert((group(object), kind, namespace(object), name), object)
                .is_some_and(|before| before != object);
        is_known.then(|| {
            let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
            let message =
                format!("Duplicate value: {}: {article} {kind} with this name is already given", quoted(name));
            Problem::new(format!("{path}.metadata.name"), message)
        })
    };
    Problem::check(sources.into_iter().filter_map(duplicate).collect())
}

/// Refuses more pods than are simulated, before any is.
fn validate_pods(sources: &[&GivenObject]) -> Result<(), Problem> {
    let mut wanted = 0_i64;
    for source in sources {
        let kind = Kind::from_name(string(&source.object, "kind")).filter(|kind| kind.is_predicted());
        let Some(WorkloadFacts { runs: Runs::Field(path), .. }) = kind.and_then(Kind::workload) else { continue };
        let replicas = at(&source.object, path).and_then(Value::as_i64).unwrap_or(1);
        if i32::try_from(replicas).is_err() {
            continue;
        }
        wanted = wanted.saturating_add(replicas.max(0));
        if wanted > MAX_PODS {
            let message = format!(
                "Invalid value: {replicas}: all Deployments, StatefulSets and Jobs together may have at most {MAX_PODS} pods"
            );
            return Err(Problem::new(format!("{}.{}", source.path, path.join(".")), message));
        }
    }
    Ok(())
}

/// Refuses what is given as a node and neither is one nor affects which of them take a pod.
fn refuse_other_kinds(nodes: &[GivenObject]) -> Result<(), Problem> {
    let of_other_kind = |GivenObject { object, path }: &GivenObject| {
        let kind = string(object, "kind");
        (!["", Kind::Node.name()].contains(&kind)).then(|| {
            let besides = SURROUNDING_KINDS.into_iter().chain([Kind::Node, Kind::PersistentVolumeClaim]);
            let kinds: BTreeSet<&str> = besides.map(Kind::name).chain([CSI_NODE]).collect();
            let message =
                format!("Unsupported value: {}: supported values: {}", quoted(kind), quoted_list(kinds.into_iter()));
            Problem::new(format!("{path}.kind"), message)
        })
    };
    Problem::check(nodes.iter().filter_map(of_other_kind).collect())
}

fn nodes_of(nodes: &[Value]) -> Vec<GivenObject> {
    let source =
        |(index, object): (usize, &Value)| GivenObject { object: object.clone(), path: format!("nodes[{index}]") };
    nodes.iter().enumerate().map(source).collect()
}

/// The objects, each once, as it was given last, in the order in which they were given first.
fn newest<'a>(given: impl Iterator<Item = &'a GivenObject>) -> Vec<GivenObject> {
    let mut positions: BTreeMap<String, usize> = BTreeMap::new();
    let mut newest: Vec<GivenObject> = Vec::new();
    for source in given {
        let next = newest.len();
        let position = *positions.entry(object_name(&source.object)).or_insert(next);
        match newest.get_mut(position) {
            Some(known) => *known = source.clone(),
            None => newest.push(source.clone()),
        }
    }
    newest
}

fn node_name(node: &Value) -> &str {
    match name(node) {
        "" => string(node, "name"),
        name => name,
    }
}

/// That a document is not among the objects.
fn not_read(document: &NotRead) -> Reason {
    Reason::new(ReasonKind::NotRead, document.reason.clone()).at(document.path.clone())
}
