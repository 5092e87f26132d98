//! Fields that decide which node a pod may run on, or whether it is ever ready, and that are not modeled.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::NotModeled;
use super::gitops::{SYNC_OPTIONS, is_replaced};
use super::given_objects::GivenObject;
use super::options::Assumptions;
use super::pod_templates::{PodTemplate, pod_template, pod_templates};
use super::probe_budget::hopeless_probe;
use crate::collect_tree::CollectTree;
use crate::json::decode;
use crate::object::unstructured::{at, field, integer, list, map, name, namespace, remove_nulls, string};
use crate::object::{Kind, PodSpecFields};
use crate::scheduler::{NAME_OF_NAMESPACE, SYSTEM_CLASSES};

/// The scheduler that is simulated.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The sources of volumes that may tie a pod to a node or a zone, besides claims.
const TYING_VOLUMES: [&str; 4] = ["ephemeral", "gcePersistentDisk", "awsElasticBlockStore", "azureDisk"];

/// The CSI drivers that a CSINode has a limit for.
pub(super) fn limited_drivers(csi_node: &Value) -> impl Iterator<Item = &str> {
    let drivers = field(csi_node, "spec").map_or(&[][..], |spec| list(spec, "drivers"));
    let is_limited = |driver: &&Value| at(driver, &["allocatable", "count"]).is_some();
    drivers.iter().filter(is_limited).map(|driver| string(driver, "name"))
}

/// The fields of a pod's spec that decide about nodes wherever they are not empty.
const FIELDS: [(&[&str], &str); 4] = [
    (&["nodeName"], "the pods bypass the scheduler, which is not simulated"),
    (&["runtimeClassName"], "what the RuntimeClass adds to the pods is not simulated"),
    (&["resourceClaims"], "resource claims are not simulated"),
    (&["resources", "claims"], "resource claims are not simulated"),
];

/// Rules about other pods, which may select namespaces by their labels.
const AFFINITIES: [&str; 2] = ["podAffinity", "podAntiAffinity"];

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The readiness gates of the pods of these Deployments, StatefulSets and DaemonSets: they decide whether a rollout completes.
pub(super) fn readiness_gates<'a>(given: impl Iterator<Item = &'a GivenObject>) -> Vec<NotModeled> {
    let mut fields: Vec<NotModeled> = Vec::new();
    for source in given {
        let Some(template) = pod_template(&source.object).filter(|_| is_rolled_out(&source.object)) else { continue };
        if !list(template.spec(), "readinessGates").is_empty() {
            let why = "the pods are ready once something in the cluster sets these conditions, which is not simulated";
            put_newest(
                &mut fields,
                NotModeled::field_of(source, &format!("{}spec.readinessGates", template.path), why),
            );
        }
    }
    fields
}

/// The probes of these Jobs' pods that kill containers, or keep them from starting, as it is assumed: Jobs are simulated without them.
pub(super) fn probes_of_jobs<'a>(
    given: impl Iterator<Item = &'a GivenObject>,
    assumptions: &Assumptions,
) -> Vec<NotModeled> {
    let mut fields: Vec<NotModeled> = Vec::new();
    for source in given.filter(|source| string(&source.object, "kind") == Kind::Job.name()) {
        let Some(template) = pod_template(&source.object) else { continue };
        let mut spec = template.spec().clone();
        remove_nulls(&mut spec);
        // What has a wrong type is refused.
        let Ok(spec) = decode::<PodSpecFields>(&spec, "") else { continue };
        if let Some(why) = hopeless_probe(&spec, assumptions, true) {
            let field = format!("{}spec.containers", template.path);
            put_newest(&mut fields, NotModeled::field_of(source, &field, why.trim_end_matches('.')));
        }
    }
    fields
}

/// The annotations of these Deployments, StatefulSets and DaemonSets with which Argo CD replaces them.
pub(super) fn replacements<'a>(new: impl Iterator<Item = &'a GivenObject>) -> Vec<NotModeled> {
    let field = format!("metadata.annotations[{SYNC_OPTIONS}]");
    let replaced = new.filter(|source| is_rolled_out(&source.object) && is_replaced(&source.object));
    let field_of = |source: &GivenObject| {
        let kind = string(&source.object, "kind");
        let why = format!("Argo CD deletes the {kind} and creates it again, which is not simulated");
        NotModeled::field_of(source, &field, &why)
    };
    replaced.map(field_of).collect()
}

/// Whether an object is one whose pods are replaced one by one.
fn is_rolled_out(object: &Value) -> bool {
    Kind::from_name(string(object, "kind")).is_some_and(Kind::rolls_out)
}

/// Lists a field that is there before and after the change once, as it is after it.
fn put_newest(fields: &mut Vec<NotModeled>, field: NotModeled) {
    fields.retain(|other| (other.object(), other.field()) != (field.object(), field.field()));
    fields.push(field);
}

/// The given objects that affect which nodes take a pod.
struct Given<'a> {
    /// The claims, by namespace and name.
    claims: BTreeMap<(&'a str, &'a str), &'a Value>,
    volumes: BTreeMap<&'a str, &'a Value>,
    /// The CSI drivers of which a node takes only some volumes.
    limited_drivers: &'a BTreeSet<&'a str>,
    /// The priority classes that are given, and those whose priority pods of a running cluster have.
    priority_classes: BTreeSet<&'a str>,
    /// Whether the labels of all namespaces with pods are known.
    has_namespaces: bool,
}

impl<'a> Given<'a> {
    fn of(objects: impl Iterator<Item = &'a GivenObject> + Clone, limited_drivers: &'a BTreeSet<&'a str>) -> Self {
        let of_kind = |kind: Kind| {
            let all = objects.clone().map(|source| &source.object);
            all.filter(move |object| string(object, "kind") == kind.name())
        };
        let names = |kind: Kind| of_kind(kind).map(name).collect_tree::<BTreeSet<&str>>();
        let place = |object: &'a Value| (namespace(object).unwrap_or("default"), name(object));
        let namespaces = names(Kind::Namespace);
        let class_of = |pod: &'a Value| {
            let spec = field(pod, "spec").filter(|spec| field(spec, "priority").is_some())?;
            Some(string(spec, "priorityClassName"))
        };
        let priority_classes = names(Kind::PriorityClass).into_iter().chain(of_kind(Kind::Pod).filter_map(class_of));
        let mut with_pods = objects.clone().filter(|source| pod_template(&source.object).is_some());
        Self {
            claims: of_kind(Kind::PersistentVolumeClaim).map(|claim| (place(claim), claim)).collect_tree(),
            volumes: of_kind(Kind::PersistentVolume).map(|volume| (name(volume), volume)).collect_tree(),
            limited_drivers,
            priority_classes: priority_classes.collect_tree(),
            has_namespaces: with_pods.all(|source| namespaces.contains(place(&source.object).0)),
        }
    }

    /// Why it is not known which nodes can have the volume of a claim.
    fn unknown_volume(&self, namespace: &str, claim: &str) -> Option<String> {
        const TIES: &str = "may tie the pods to a node or a zone";
        let Some(object) = self.claims.get(&(namespace, claim)) else {
            return Some(format!("the PersistentVolumeClaim {claim} is not given: its volume {TIES}"));
        };
        match at(object, &["spec", "volumeName"]).and_then(Value::as_str).unwrap_or_default() {
            "" => Some(format!("the PersistentVolumeClaim {claim} has no volume yet: the one that it gets {TIES}")),
            volume if self.volumes.contains_key(volume) => {
                let driver = at(self.volumes.get(volume)?, &["spec", "csi", "driver"])?.as_str()?;
                let why = || format!("how many volumes of {driver} a node takes (CSINode) is not simulated");
                self.limited_drivers.contains(driver).then(why)
            }
            volume => Some(format!("the PersistentVolume {volume} is not given: it {TIES}")),
        }
    }

    /// The same for a StatefulSet's own claims.
    fn unknown_volumes_of_set(&self, set: &Value) -> Option<String> {
        let spec = field(set, "spec")?;
        let first = at(spec, &["ordinals", "start"]).and_then(Value::as_i64).unwrap_or(0);
        let replicas = integer(spec, "replicas").unwrap_or(1);
        let claims = list(spec, "volumeClaimTemplates").iter().flat_map(|template| {
            let ordinals = first..first.saturating_add(replicas);
            ordinals.map(move |ordinal| format!("{}-{}-{ordinal}", name(template), name(set)))
        });
        let place = namespace(set).unwrap_or("default");
        claims.into_iter().find_map(|claim| self.unknown_volume(place, &claim))
    }

    /// Whether it is known which namespaces a selector takes: all, those with a name, or those whose labels are given.
    fn knows_namespaces_of(&self, selector: &Value) -> bool {
        let labels = map(selector, "matchLabels").into_iter().flat_map(|labels| labels.keys().map(String::as_str));
        let mut keys = labels.chain(list(selector, "matchExpressions").iter().map(|given| string(given, "key")));
        self.has_namespaces || keys.all(|key| key == NAME_OF_NAMESPACE)
    }

    fn knows_priority(&self, spec: &Value) -> bool {
        let class = string(spec, "priorityClassName");
        class.is_empty()
            || field(spec, "priority").is_some()
            || self.priority_classes.contains(class)
            || SYSTEM_CLASSES.iter().any(|(name, _)| *name == class)
    }
}

/// The fields of these workloads' pods that decide about nodes, but are not modeled or refer to an object that is not given. A field
/// that is there before and after the change is listed once.
pub(super) fn deciding_fields<'a>(
    workloads: impl Iterator<Item = &'a GivenObject> + Clone,
    objects: impl Iterator<Item = &'a GivenObject> + Clone,
    limited_drivers: &'a BTreeSet<&'a str>,
) -> Vec<NotModeled> {
    let given = Given::of(objects, limited_drivers);
    let templates = || {
        let of_source =
            |source: &'a GivenObject| pod_templates(&source.object).into_iter().map(move |its| (source, its.0));
        workloads.clone().flat_map(of_source)
    };
    let priorities: BTreeSet<String> = templates().map(|(_, template)| priority(template.spec())).collect_tree();
    let mut fields: Vec<NotModeled> = Vec::new();
    for (source, template) in templates() {
        let spec = template.spec();
        let mut found = fields_of_spec(spec, namespace(&source.object).unwrap_or("default"), &given);
        if priorities.len() > 1 && !given.knows_priority(spec) {
            let class = string(spec, "priorityClassName");
            let reason = format!("the PriorityClass {class} is not given, and it decides which pods are preempted");
            found.push((String::from("priorityClassName"), reason.into()));
        }
        for (path, reason) in found {
            let PodTemplate { path: at_template, .. } = &template;
            put_newest(&mut fields, NotModeled::field_of(source, &format!("{at_template}spec.{path}"), &reason));
        }
        if string(&source.object, "kind") == Kind::StatefulSet.name()
            && let Some(reason) = given.unknown_volumes_of_set(&source.object)
        {
            put_newest(&mut fields, NotModeled::field_of(source, "spec.volumeClaimTemplates", &reason));
        }
    }
    fields
}

/// The priority that a template names; empty without one.
fn priority(spec: &Value) -> String {
    match string(spec, "priorityClassName") {
        "" => field(spec, "priority").map_or_else(String::new, |priority| format!("{priority}")),
        class => String::from(class),
    }
}

fn fields_of_spec(spec: &Value, namespace: &str, objects: &Given<'_>) -> Vec<(String, Cow<'static, str>)> {
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let given = FIELDS.into_iter().filter(|(path, _)| at(spec, path).is_some_and(|value| !is_empty(value)));
    let mut found: Vec<(String, Cow<'static, str>)> =
        given.map(|(path, reason)| (path.join("."), reason.into())).collect();
    let is_open =
        |term: &Value| field(term, "namespaceSelector").is_some_and(|given| !objects.knows_namespaces_of(given));
    for affinity in AFFINITIES {
        let path = ["affinity", affinity, REQUIRED];
        if at(spec, &path).and_then(Value::as_array).is_some_and(|terms| terms.iter().any(is_open)) {
            found.push((path.join("."), "the labels of the namespaces are not given".into()));
        }
    }
    if !["", DEFAULT_SCHEDULER].contains(&string(spec, "schedulerName")) {
        found.push((String::from("schedulerName"), "only the default scheduler is simulated".into()));
    }
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let claim = field(volume, "persistentVolumeClaim").map(|claim| string(claim, "claimName"));
        if let Some(reason) = claim.and_then(|claim| objects.unknown_volume(namespace, claim)) {
            found.push((format!("volumes[{index}].persistentVolumeClaim"), reason.into()));
        }
        if let Some(source) = TYING_VOLUMES.into_iter().find(|source| field(volume, source).is_some()) {
            let reason = "whether the volume ties the pods to a node or a zone is not simulated";
            found.push((format!("volumes[{index}].{source}"), reason.into()));
        }
    }
    found
}
