//! What objects that are not played use of ResourceQuotas: the change creates them at its start, and nothing else happens to them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::NotModeled;
use super::given_objects::{GivenObject, name, namespace};
use super::pod_templates::{is_custom, pod_templates};
use crate::collect_tree::CollectTree;
use crate::object::quantity::ONE;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, Object, Predicted};

/// Upstream: `pkg/quota/v1/evaluator/core/persistent_volume_claims.go storageClassSuffix`
const STORAGE_CLASS_SUFFIX: &str = ".storageclass.storage.k8s.io/";

/// The annotation that names the class of a claim before anything else does.
const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// The resources of quotas that claims use.
const OF_CLAIMS: [&str; 3] = ["persistentvolumeclaims", "requests.storage", "count/persistentvolumeclaims"];

/// Objects that are in every namespace: what they are, and their names.
const EVERYWHERE: [(&str, &str); 2] = [("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")];

/// The resources of which controllers that are not simulated create objects with most changes.
const CREATED_BY_OTHERS: [&str; 6] = [
    "controllerrevisions.apps",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "events",
    "events.events.k8s.io",
    "resourceclaims.resource.k8s.io",
];

/// How much is used of each resource of quotas, in billionths.
pub(super) type Amounts = BTreeMap<String, i128>;

/// What the objects of a namespace that are not played use.
#[derive(Clone, Debug, Default)]
pub(super) struct StillUsage {
    /// Those that are there before the change.
    pub(super) before: Amounts,
    /// What the change adds.
    pub(super) more: Amounts,
    /// The API groups with a domain, and the kinds, of objects that the change creates.
    custom: Vec<(String, String)>,
    /// Whether the change creates a claim that leaves its class to the cluster.
    has_claim_without_class: bool,
    /// Whether pods create claims of their own.
    has_claims_of_pods: bool,
}

/// What the objects that are not played use, by namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct StillObjects(BTreeMap<String, StillUsage>);

impl StillObjects {
    /// The usage of the objects that are not simulated. `ended_jobs`: the Jobs that are not simulated, as `Job/namespace/name`.
    pub(super) fn of<'a>(
        old: impl Iterator<Item = Placed<'a>>,
        new: impl Iterator<Item = Placed<'a>>,
        ended_jobs: &BTreeSet<String>,
    ) -> Self {
        let mut still = Self::default();
        let existing: BTreeMap<_, Placed<'_>> =
            old.filter(|placed| placed.is_counted()).map(|placed| (placed.key(), placed)).collect_tree();
        for placed in existing.values() {
            let usage = still.of_namespace(&placed.namespace);
            usage.has_claims_of_pods |= creates_claims(placed.object);
            if is_still(placed.object) || ended_jobs.contains(&placed.name()) {
                add(&mut usage.before, &amounts_of(placed.object));
            }
        }
        for placed in new.filter(Placed::is_counted) {
            let object = placed.object;
            let usage = still.of_namespace(&placed.namespace);
            usage.has_claims_of_pods |= creates_claims(object);
            // A name that the API server makes is never there before.
            let before = existing.get(&placed.key()).filter(|_| !name(object).is_empty());
            if before.is_none() {
                usage.has_claim_without_class |= claims(object).any(|claim| storage_class(claim).is_none());
            }
            if !is_still(object) {
                continue;
            }
            let used = before.map(|before| amounts_of(before.object)).unwrap_or_default();
            let more = amounts_of(object).into_iter().map(|(resource, amount)| {
                let more = amount.saturating_sub(used.get(&resource).copied().unwrap_or(0));
                (resource, more.max(0))
            });
            add(&mut usage.more, &more.collect_tree());
            if before.is_none() && group(object).contains('.') {
                usage.custom.push((group(object).into(), string(object, "kind").into()));
            }
        }
        for (namespace, usage) in &mut still.0 {
            for (kind, its_name) in EVERYWHERE {
                let key = (String::new(), String::from(kind), namespace.clone(), String::from(its_name));
                if !existing.contains_key(&key) {
                    add(&mut usage.before, &counts(&object_count("", kind)));
                }
            }
        }
        still
    }

    fn of_namespace(&mut self, namespace: &str) -> &mut StillUsage {
        self.0.entry(namespace.into()).or_default()
    }

    /// What the objects of a namespace use.
    pub(super) fn usage(&self, namespace: &str) -> StillUsage {
        self.0.get(namespace).cloned().unwrap_or_default()
    }

    /// The same without what the change adds.
    pub(super) fn before_change(&self) -> Self {
        let before = |usage: &StillUsage| StillUsage { before: usage.before.clone(), ..StillUsage::default() };
        Self(self.0.iter().map(|(namespace, usage)| (namespace.clone(), before(usage))).collect_tree())
    }

    /// The resources of quotas that are not counted, though the change may use them.
    pub(super) fn not_counted(&self, quotas: &[GivenObject]) -> Vec<NotModeled> {
        let of_quota = |quota: &GivenObject| {
            let usage = self.usage(namespace(&quota.object).unwrap_or("default"));
            let hard = at(&quota.object, &["spec", "hard"]).and_then(Value::as_object).into_iter().flatten();
            let of_resource = |(resource, _): (&String, &Value)| {
                Some(NotModeled::field_of(quota, &format!("spec.hard[{resource}]"), usage.why_not_counted(resource)?))
            };
            hard.filter_map(of_resource).collect::<Vec<_>>()
        };
        quotas.iter().flat_map(of_quota).collect()
    }
}

impl StillUsage {
    /// Why what the change uses of a resource is not known; none if it is.
    fn why_not_counted(&self, resource: &str) -> Option<&'static str> {
        if let Some(counted) = resource.strip_prefix("count/") {
            if CREATED_BY_OTHERS.contains(&counted) {
                return Some("the objects that controllers create of this resource are not counted");
            }
            let (_, of_group) = counted.split_once('.').unwrap_or((counted, ""));
            let may_be = |(group, kind): &(String, String)| of_group == group && counted != object_count(group, kind);
            if self.custom.iter().any(may_be) {
                return Some("which objects of its API group it counts is not known");
            }
        }
        if resource.contains("deviceclass.resource.k") {
            return Some("devices are not counted");
        }
        let (_, of_class) = resource.split_once(STORAGE_CLASS_SUFFIX).unzip();
        if self.has_claim_without_class && of_class.is_some() {
            return Some("the cluster decides the class of a claim that names none");
        }
        if self.has_claims_of_pods && (of_class.is_some() || OF_CLAIMS.contains(&resource)) {
            return Some("the claims that pods create for their ephemeral volumes are not counted");
        }
        None
    }
}

/// An object, and the namespace that it is in.
pub(super) struct Placed<'a> {
    pub(super) object: &'a Value,
    pub(super) namespace: String,
}

impl Placed<'_> {
    fn key(&self) -> (String, String, String, String) {
        let object = self.object;
        (group(object).into(), string(object, "kind").into(), self.namespace.clone(), name(object).into())
    }

    /// `Kind/namespace/name`
    fn name(&self) -> String {
        format!("{}/{}/{}", string(self.object, "kind"), self.namespace, name(self.object))
    }

    /// Whether quotas may count the object: a Node is in no namespace.
    fn is_counted(&self) -> bool {
        string(self.object, "kind") != Kind::Node.name()
    }
}

/// Whether the simulation has no such object, so that only what it uses of quotas matters.
fn is_still(object: &Value) -> bool {
    let kind = string(object, "kind");
    let is_played = |known: &Kind| known.name() == kind && known.predicted() != Some(Predicted::Never);
    !Object::KINDS.iter().any(is_played) || is_custom(object)
}

/// The API group of an object; empty for the core group.
pub(super) fn group(object: &Value) -> &str {
    string(object, "apiVersion").split_once('/').map_or("", |(group, _)| group)
}

/// Whether pods of an object create claims for their volumes.
fn creates_claims(object: &Value) -> bool {
    let is_ephemeral = |volume: &Value| field(volume, "ephemeral").is_some();
    pod_templates(object).iter().any(|(template, _)| list(template.spec(), "volumes").iter().any(is_ephemeral))
}

fn add(sum: &mut Amounts, amounts: &Amounts) {
    for (resource, amount) in amounts {
        let used = sum.entry(resource.clone()).or_default();
        *used = used.saturating_add(*amount);
    }
}

/// What an object that is not played uses of each resource.
fn amounts_of(object: &Value) -> Amounts {
    let (group, kind) = (group(object), string(object, "kind"));
    let is_core = |name: &str| group.is_empty() && kind == name;
    let mut amounts = counts(&object_count(group, kind));
    if is_core("Service") {
        amounts.extend(of_service(field(object, "spec").unwrap_or(&Value::Null)));
    }
    amounts
}

/// The claim that an object is, and those that it creates.
fn claims(object: &Value) -> impl Iterator<Item = &Value> {
    let is_claim = group(object).is_empty() && string(object, "kind") == Kind::PersistentVolumeClaim.name();
    let is_stateful_set = group(object) == "apps" && string(object, "kind") == Kind::StatefulSet.name();
    let spec = field(object, "spec").filter(|_| is_stateful_set);
    let templates = spec.map_or(&[][..], |spec| list(spec, "volumeClaimTemplates"));
    is_claim.then_some(object).into_iter().chain(templates)
}

/// What a quota calls the objects of a kind: `configmaps`, `ingresses.networking.k8s.io`. The names of custom resources may differ.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/meta/restmapper.go UnsafeGuessKindToResource`
fn object_count(group: &str, kind: &str) -> String {
    let singular = kind.to_lowercase();
    let plural = match singular.strip_suffix('y') {
        _ if singular.ends_with("endpoints") => singular,
        Some(stem) => format!("{stem}ies"),
        None if singular.ends_with('s') => format!("{singular}es"),
        None => format!("{singular}s"),
    };
    if group.is_empty() { plural } else { format!("{plural}.{group}") }
}

/// That an object of this resource is one of its kind.
///
/// Upstream: `pkg/quota/v1/evaluator/core/registry.go legacyObjectCountAliases`
fn counts(resource: &str) -> Amounts {
    const ALIASES: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];
    let alias = ALIASES.into_iter().find(|alias| *alias == resource).map(String::from);
    alias.into_iter().chain([format!("count/{resource}")]).map(|resource| (resource, ONE)).collect_tree()
}

/// Upstream: `pkg/quota/v1/evaluator/core/services.go Usage`
fn of_service(spec: &Value) -> Amounts {
    let number = |ports: usize| i128::try_from(ports).unwrap_or(i128::MAX).saturating_mul(ONE);
    let ports = list(spec, "ports");
    let allocates_none = field(spec, "allocateLoadBalancerNodePorts") == Some(&Value::Bool(false));
    let (load_balancers, node_ports) = match string(spec, "type") {
        "NodePort" => (0, number(ports.len())),
        "LoadBalancer" if allocates_none => {
            let own = ports.iter().filter(|port| integer(port, "nodePort").is_some_and(|port| port != 0));
            (ONE, number(own.count()))
        }
        "LoadBalancer" => (ONE, number(ports.len())),
        _ => (0, 0),
    };
    let amounts = [("services", ONE), ("services.loadbalancers", load_balancers), ("services.nodeports", node_ports)];
    amounts.into_iter().map(|(resource, amount)| (String::from(resource), amount)).collect_tree()
}

/// The class of a claim; none if the cluster chooses it.
///
/// Upstream: `k8s.io/component-helpers/storage/volume/helpers.go GetPersistentVolumeClaimClass`
fn storage_class(claim: &Value) -> Option<&str> {
    let annotated = at(claim, &["metadata", "annotations", STORAGE_CLASS_ANNOTATION]);
    annotated.or_else(|| at(claim, &["spec", "storageClassName"]))?.as_str()
}
