//! ResourceQuotas: what the API server does not let be created.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use super::aux_objects::{AuxObject, AuxSpec, QuotaLimits};
use super::controllers::Queue;
use super::limit_ranger::forbidden;
use super::state::Cluster;
use super::step::Actor;
use crate::apiserver::{is_huge_pages, is_pod_level_resources_set};
use crate::cluster::decision::{Exceeded, QuotaDecision};
use crate::collect_tree::CollectTree;
use crate::controller::ApiError;
use crate::json::ToJson;
use crate::object::quantity::{ONE, nanos, written_like};
use crate::object::unstructured::at;
use crate::object::{
    Object, ObjectKey, PersistentVolumeClaim, Pod, ResourceQuotaSpec, Time, exceeded_quota, failed_quota,
};
use crate::scenario::Duration;
use crate::scheduler::pod_resources::{List, is_extended, of_container, of_pod};

/// Upstream: `pkg/quota/v1/evaluator/core/persistent_volume_claims.go storageClassSuffix`
const STORAGE_CLASS_SUFFIX: &str = ".storageclass.storage.k8s.io/";

/// The annotation that names the class of a claim before anything else does.
const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// What a quota requires of containers that don't specify it, like `cpu for: app; memory for: app,side`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unspecified(pub(crate) Vec<UnspecifiedResource>);

/// A resource that a quota requires of all containers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnspecifiedResource {
    /// As the quota names it, like `cpu` or `limits.memory`.
    pub(crate) resource: String,
    /// The containers that don't specify it, sorted by name.
    pub(crate) containers: Vec<String>,
}

impl fmt::Display for Unspecified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, UnspecifiedResource { resource, containers }) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{resource} for: {}", containers.join(","))?;
        }
        Ok(())
    }
}

impl ToJson for Unspecified {
    fn to_json(&self) -> Value {
        Value::String(self.to_string())
    }
}

/// The resources that exceed a quota: the amounts requested, used and allowed.
#[derive(Default)]
struct ExceededAmounts {
    requested: String,
    used: String,
    limited: String,
}

impl QuotaDecision {
    /// The name of the quota that forbids the creation.
    pub fn quota(&self) -> &str {
        match self {
            Self::Exceeded { exceeded: Exceeded { quota, .. }, .. }
            | Self::ExceededGivenUp(Exceeded { quota, .. })
            | Self::Unspecified { quota, .. } => quota,
        }
    }

    /// After how long the controller tries again; none if not until something changes. A controller gives up only Deployments,
    /// which create no pods.
    pub const fn next_try(&self) -> Option<Duration> {
        match self {
            Self::Exceeded { next_try, .. } | Self::Unspecified { next_try, .. } => Some(*next_try),
            Self::ExceededGivenUp(_) => None,
        }
    }

    /// Why the creation is forbidden, in the API server's words.
    pub fn message(&self) -> String {
        match self {
            Self::Exceeded { exceeded, .. } | Self::ExceededGivenUp(exceeded) => {
                let Exceeded { quota, requested, used, limited, .. } = exceeded;
                format!("{} requested: {requested}, used: {used}, limited: {limited}", exceeded_quota(quota))
            }
            Self::Unspecified { quota, unspecified, .. } => {
                format!("{} must specify {unspecified}", failed_quota(quota))
            }
        }
    }
}

impl Cluster {
    /// Refuses an object that exceeds a quota. The used amounts are counted on demand.
    ///
    /// Upstream: `k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest`
    pub(super) fn check_quotas(&mut self, actor: Actor, about: &ObjectKey, object: &Object) -> Result<(), ApiError> {
        let namespace = &object.metadata().namespace;
        let quotas = || self.aux_objects.iter().filter_map(|object| quota_in(object, namespace));
        for (name, quota) in quotas() {
            if let Object::Pod(pod) = object
                && let Some(missing) = unspecified(&quota.spec, pod)
            {
                let decision = QuotaDecision::Unspecified {
                    creator: about.name.clone(),
                    quota: name.as_ref().into(),
                    unspecified: missing.to_string().into(),
                    next_try: self.queue_of(actor, about.kind).map_or(Duration(0), |queue| self.next_try(queue, about)),
                };
                return self.refuse(actor, about, object, decision);
            }
        }
        let found = quotas().find_map(|(name, quota)| Some((name, self.exceeded(quota, object)?)));
        let Some((name, ExceededAmounts { requested, used, limited })) = found else { return Ok(()) };
        let exceeded = Exceeded {
            creator: about.name.clone(),
            kind: object.kind(),
            requested: requested.into(),
            quota: name.as_ref().into(),
            limited: limited.into(),
            used: used.into(),
        };
        let decision = match self.queue_of(actor, about.kind) {
            Some(queue) if !self.gives_up(queue, about) => {
                QuotaDecision::Exceeded { exceeded, next_try: self.next_try(queue, about) }
            }
            _ => QuotaDecision::ExceededGivenUp(exceeded),
        };
        self.refuse(actor, about, object, decision)
    }

    fn refuse(
        &mut self,
        actor: Actor,
        about: &ObjectKey,
        object: &Object,
        decision: QuotaDecision,
    ) -> Result<(), ApiError> {
        let why = decision.message();
        if actor != Actor::User {
            self.report(actor, about, decision);
        }
        Err(forbidden(object, &why))
    }

    /// After how long a controller that fails now tries again.
    fn next_try(&mut self, queue: &Queue, about: &ObjectKey) -> Duration {
        let now = self.now;
        let record = self.work_queues.of(queue).record(about);
        let after = queue.retry.after(record.failures);
        record.planned.map_or(after, |planned| Duration(planned.since(now)).min(after))
    }

    /// Whether a controller that fails now does not try again until something changes.
    fn gives_up(&mut self, queue: &Queue, about: &ObjectKey) -> bool {
        let record = self.work_queues.of(queue).record(about);
        record.planned.is_none() && queue.retry.gives_up(record.failures)
    }

    /// Notes what the quotas say is used and that the objects at the start don't explain.
    pub(super) fn note_other_usage(&mut self) {
        let (store, now) = (self.store.borrow(), self.now);
        for object in &mut self.aux_objects {
            if let AuxSpec::ResourceQuota(quota) = &mut object.spec {
                let namespace = &object.key.namespace;
                let given = || store.objects().filter(|other| other.metadata().namespace == *namespace);
                quota.used_by_others = used_by_others(&object.manifest, &quota.spec, |resource| {
                    given().fold(0, |sum, other| sum.saturating_add(usage(other, resource, now)))
                });
            }
        }
    }

    fn exceeded(&self, quota: &QuotaLimits, object: &Object) -> Option<ExceededAmounts> {
        let mut exceeded = ExceededAmounts::default();
        for (resource, hard) in quota.spec.hard.iter() {
            let requested = usage(object, resource, self.now);
            let hard_amount = nanos(hard).unwrap_or(0);
            if requested == 0 {
                continue;
            }
            let others = quota.used_by_others.get(resource).copied().unwrap_or(0);
            let used = self.used(resource, object).saturating_add(others);
            if used.saturating_add(requested) <= hard_amount {
                continue;
            }
            let amounts = [
                (&mut exceeded.requested, requested),
                (&mut exceeded.used, used),
                (&mut exceeded.limited, hard_amount),
            ];
            for (text, amount) in amounts {
                text.push_str(if text.is_empty() { "" } else { "," });
                text.push_str(&format!("{resource}={}", written_like(amount, hard)));
            }
        }
        (!exceeded.requested.is_empty()).then_some(exceeded)
    }

    /// What the objects of the namespace use together.
    fn used(&self, resource: &str, object: &Object) -> i128 {
        let store = self.store.borrow();
        let objects = store.of_kind(object.kind(), &object.metadata().namespace);
        // The pods of a template use the same and are neighbors in the store, so each template is read once.
        let mut template = None;
        let grouped = match object {
            Object::Pod(_) => self.pod_groups.borrow().sum(|pod| usage(&Object::Pod(pod.clone()), resource, self.now)),
            _ => 0,
        };
        objects.fold(grouped, |sum, other| {
            let amount = match other {
                Object::Pod(pod) if !is_counted(pod, resource, self.now) => 0,
                Object::Pod(pod) => match template {
                    Some((fields, amount)) if Rc::ptr_eq(fields, &pod.spec.fields) => amount,
                    _ => {
                        let amount = usage(other, resource, self.now);
                        template = Some((&pod.spec.fields, amount));
                        amount
                    }
                },
                _ => usage(other, resource, self.now),
            };
            sum.saturating_add(amount)
        })
    }
}

fn quota_in<'a>(object: &'a AuxObject, namespace: &str) -> Option<(Rc<str>, &'a QuotaLimits)> {
    match &object.spec {
        AuxSpec::ResourceQuota(quota) if *object.key.namespace == *namespace => Some((object.key.name.clone(), quota)),
        _ => None,
    }
}

/// Which list of a pod's containers a quota's resource is about, and which resource there. Of huge pages and extended resources,
/// only requests count, and those of extended resources only as `requests.NAME`.
///
/// Upstream: `pkg/quota/v1/evaluator/core/pods.go podComputeUsageHelper` and `MatchingResources`
pub(crate) fn listed(resource: &str) -> Option<(List, &str)> {
    const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
    if let Some(name) = resource.strip_prefix("limits.") {
        return COMPUTE.contains(&name).then_some((List::Limits, name));
    }
    let (name, is_prefixed) = resource.strip_prefix("requests.").map_or((resource, false), |name| (name, true));
    let is_counted = COMPUTE.contains(&name) || is_huge_pages(name) || (is_prefixed && is_extended(name));
    is_counted.then_some((List::Requests, name))
}

/// What an object uses of a quota's resource.
///
/// Upstream: `pkg/quota/v1/evaluator/core/pods.go PodUsageFunc`, and for all kinds the count of stored objects
pub(crate) fn usage(object: &Object, resource: &str, now: Time) -> i128 {
    if resource.strip_prefix("count/") == Some(&object.kind().group_resource()) {
        return ONE;
    }
    let pod = match object {
        Object::Pod(pod) => pod,
        Object::PersistentVolumeClaim(claim) => return of_claim(claim, resource),
        Object::ReplicationController(_) if resource == object.kind().resource() => return ONE,
        _ => return 0,
    };
    if !is_counted(pod, resource, now) {
        return 0;
    }
    match listed(resource) {
        Some((list, name)) => of_pod(pod, list, name),
        None if resource == "pods" => ONE,
        None => 0,
    }
}

/// What a claim uses of a quota's resource: it and its storage, in all and of its class.
///
/// Upstream: `pkg/quota/v1/evaluator/core/persistent_volume_claims.go Usage`
fn of_claim(claim: &PersistentVolumeClaim, resource: &str) -> i128 {
    let resource = match resource.split_once(STORAGE_CLASS_SUFFIX) {
        Some((class, _)) if storage_class(claim) != Some(class) => return 0,
        Some((_, of_class)) => of_class,
        None => resource,
    };
    let storage = |amount: Option<&Value>| amount.and_then(nanos).map(whole);
    match resource {
        "persistentvolumeclaims" => ONE,
        "requests.storage" => {
            let resources = claim.spec.unknown.get("resources");
            let requested = storage(resources.and_then(|resources| at(resources, &["requests", "storage"])));
            let allocated = claim.status.unknown.get("allocatedResources");
            let allocated = storage(allocated.and_then(|allocated| at(allocated, &["storage"])));
            requested.map_or(0, |requested| requested.max(allocated.unwrap_or(0)))
        }
        _ => 0,
    }
}

/// The class of a claim; none if the cluster chooses it.
///
/// Upstream: `k8s.io/component-helpers/storage/volume/helpers.go GetPersistentVolumeClaimClass`
fn storage_class(claim: &PersistentVolumeClaim) -> Option<&str> {
    let annotated = claim.metadata.annotation(STORAGE_CLASS_ANNOTATION);
    annotated.or_else(|| claim.spec.unknown.get("storageClassName")?.as_str())
}

/// An amount of whole bytes.
fn whole(amount: i128) -> i128 {
    amount.saturating_add(ONE.saturating_sub(1)).div_euclid(ONE).saturating_mul(ONE)
}

/// Whether a pod counts: not once it has ended, nor long after it should have.
///
/// Upstream: `pkg/quota/v1/evaluator/core/pods.go QuotaV1Pod`
fn is_counted(pod: &Pod, resource: &str, now: Time) -> bool {
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    let overdue = pod.metadata.deletion_timestamp.is_some_and(|until| until.plus_seconds(grace) < now);
    resource.starts_with("count/") || (!pod.is_terminal() && !overdue)
}

/// What a quota's `status.used` counts of each resource beyond what the given objects explain, where that is anything.
pub(crate) fn used_by_others(
    manifest: &Value,
    spec: &ResourceQuotaSpec,
    explained: impl Fn(&str) -> i128,
) -> BTreeMap<String, i128> {
    let used = |resource: &str| at(manifest, &["status", "used", resource]).and_then(nanos);
    let others = spec.hard.iter().filter_map(|(resource, _)| {
        let more = used(resource)?.saturating_sub(explained(resource));
        (more > 0).then(|| (resource.clone(), more))
    });
    others.collect_tree()
}

/// What the quota requires of each container and some do not specify.
///
/// Upstream: `pkg/quota/v1/evaluator/core/pods.go Constraints`
pub(crate) fn unspecified(quota: &ResourceQuotaSpec, pod: &Pod) -> Option<Unspecified> {
    let fields = &pod.spec.fields;
    if fields.unknown.get("resources").is_some_and(is_pod_level_resources_set) {
        return None;
    }
    let mut unspecified = Vec::new();
    for (resource, _) in quota.hard.iter() {
        let Some((list, name)) = listed(resource).filter(|(_, name)| matches!(*name, "cpu" | "memory")) else {
            continue;
        };
        let mut containers = Vec::new();
        for container in fields.containers.iter().chain(&fields.init_containers) {
            if of_container(container, list, name).is_none() {
                containers.push(container.name.clone());
            }
        }
        if containers.is_empty() {
            continue;
        }
        containers.sort_unstable();
        unspecified.push(UnspecifiedResource { resource: resource.clone(), containers });
    }
    (!unspecified.is_empty()).then_some(Unspecified(unspecified))
}
