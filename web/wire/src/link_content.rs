//! What a link contains of the user's objects: what the engine reads, which has names and labels, but no free text. An allow-list, so
//! that nobody has to guess what is secret.

use std::collections::HashMap;

use changeover_core::cluster::PreStopHook;
use changeover_core::object::{Kind, Time};
use serde_json::{Map, Value};

/// The kinds beside those of [`Kind`] that the engine reads, with the group of each: autoscalers, the causes in Events, and how many
/// volumes a node takes.
const OTHER_KINDS: [(&str, &str); 4] = [
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("", "Event"),
    ("events.k8s.io", "Event"),
    ("storage.k8s.io", "CSINode"),
];

/// The fields with whatever is below them: labels and what selects them, quantities by resource, names of owners.
const WHOLE: [&str; 31] = [
    "affinity",
    "allocatable",
    "allocatedResources",
    "allowedTopologies",
    "capacity",
    "claimRef",
    "default",
    "defaultRequest",
    "hard",
    "involvedObject",
    "labelSelector",
    "labels",
    "limits",
    "matchExpressions",
    "matchLabels",
    "max",
    "maxLimitRequestRatio",
    "min",
    "namespaceSelector",
    "nodeAffinity",
    "nodeSelector",
    "overhead",
    "ownerReferences",
    "regarding",
    "requests",
    "scopeSelector",
    "selector",
    "taints",
    "target",
    "tolerations",
    "used",
];

/// The fields whose own texts stay: names, enumerations, numbers with units, and the identifiers of disks. Times stay, too.
const TEXTS: [&str; 121] = [
    "$patch",
    "accessModes",
    "action",
    "apiGroup",
    "apiVersion",
    "averageValue",
    "claimName",
    "completedIndexes",
    "completionMode",
    "concurrencyPolicy",
    "conditionType",
    "configMapName",
    "containerName",
    "controllerName",
    "currentRevision",
    "diskName",
    "diskURI",
    "divisor",
    "dnsPolicy",
    "driver",
    "eventTime",
    "failed",
    "failedIndexes",
    "fieldPath",
    "finalizers",
    "fsGroupChangePolicy",
    "fsType",
    "generateName",
    "gracePeriod",
    "hostIP",
    "hostname",
    "image",
    "imageID",
    "imagePullPolicy",
    "ip",
    "iqn",
    "key",
    "kind",
    "managedBy",
    "manager",
    "matchLabelKeys",
    "maxSurge",
    "maxUnavailable",
    "medium",
    "minAvailable",
    "mismatchLabelKeys",
    "mode",
    "mountPropagation",
    "name",
    "names",
    "nameservers",
    "namespace",
    "namespaces",
    "nodeAffinityPolicy",
    "nodeName",
    "nodeTaintsPolicy",
    "nominatedNodeName",
    "operation",
    "operator",
    "pdName",
    "persistentVolumeReclaimPolicy",
    "phase",
    "podManagementPolicy",
    "podReplacementPolicy",
    "policy",
    "port",
    "preemptionPolicy",
    "priorityClassName",
    "procMount",
    "protocol",
    "provisioner",
    "pullPolicy",
    "qosClass",
    "reason",
    "reclaimPolicy",
    "recursiveReadOnly",
    "reference",
    "reportingComponent",
    "reportingController",
    "resource",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "resourceName",
    "restartPolicy",
    "runtimeClassName",
    "schedule",
    "schedulerName",
    "scheme",
    "scopes",
    "secretName",
    "serviceAccount",
    "serviceAccountName",
    "serviceName",
    "sizeLimit",
    "status",
    "stopSignal",
    "storageClassName",
    "subdomain",
    "succeeded",
    "succeededIndexes",
    "supplementalGroupsPolicy",
    "targetPort",
    "terminationMessagePolicy",
    "timeZone",
    "topologyKey",
    "topologyKeys",
    "type",
    "uid",
    "unhealthyPodEvictionPolicy",
    "updateRevision",
    "volumeAttributesClassName",
    "volumeBindingMode",
    "volumeID",
    "volumeMode",
    "volumeName",
    "whenDeleted",
    "whenScaled",
    "whenUnsatisfiable",
    "workloadName",
    "wwids",
    "zone",
];

/// The annotations that the engine reads.
const ANNOTATIONS: [&str; 26] = [
    "argocd.argoproj.io/hook",
    "argocd.argoproj.io/hook-delete-policy",
    "argocd.argoproj.io/sync-options",
    "argocd.argoproj.io/tracking-id",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "batch.kubernetes.io/job-completion-index",
    "batch.kubernetes.io/job-index-failure-count",
    "batch.kubernetes.io/job-index-ignored-failure-count",
    "controller.kubernetes.io/pod-deletion-cost",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deployment.kubernetes.io/replicaset-replicas-before-scale",
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deprecated.daemonset.template.generation",
    "deprecated.deployment.rollback.to",
    "helm.sh/hook",
    "helm.sh/hook-delete-policy",
    "helm.sh/resource-policy",
    "kubectl.kubernetes.io/restartedAt",
    "kubernetes.io/config.mirror",
    "kustomize.toolkit.fluxcd.io/force",
    "kustomize.toolkit.fluxcd.io/prune",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
    "volume.beta.kubernetes.io/storage-class",
];

/// The value of an environment variable, a header or a kernel parameter, unlike that of a PriorityClass.
const VALUE: &str = "value of a name";

/// Contains the whole manifest as text.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The reasons whose messages Kubernetes writes from names and numbers alone.
const REASONS: [&str; 17] = [
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "FailedScheduling",
    "FoundNewReplicaSet",
    "MaxFailedIndexesExceeded",
    "MinimumReplicasAvailable",
    "MinimumReplicasUnavailable",
    "NewReplicaSetAvailable",
    "NewReplicaSetCreated",
    "NotTriggerScaleUp",
    "Preempted",
    "ProgressDeadlineExceeded",
    "ReplicaSetUpdated",
    "SchedulingGated",
    "TriggeredScaleUp",
    "Unschedulable",
];

/// What the messages of quotas say of a pod.
const QUOTA_MESSAGES: [&str; 2] = [" is forbidden: exceeded quota: ", " is forbidden: failed quota: "];

/// How they begin.
const REFUSALS: [&str; 2] = ["pods \"", "Error creating: pods \""];

/// Stands in place of a message.
const LEFT_OUT: &str = "(left out of the link)";

/// Reduces the objects of a link. Each text that does not stay gets a number, and equal texts get the same one: templates that
/// differed still differ.
#[derive(Debug, Default)]
pub struct LinkContent {
    numbers: HashMap<String, usize>,
}

impl LinkContent {
    /// Reduces a document: an object to what the engine reads of it, one of another kind to its name, and one without a kind, such
    /// as the values of a chart, to its keys.
    pub fn reduce_document(&mut self, document: &mut Value) {
        let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
        let (version, kind) = (text("apiVersion"), text("kind"));
        if kind.is_empty() {
            empty_scalars(document);
        } else if is_read(version, kind) {
            keep_template_of_revision(document);
            self.reduce("", document);
        } else {
            keep_name(document);
        }
    }

    /// Reduces an action of a scenario. Only what it contains of objects can have free texts.
    pub fn reduce_action(&mut self, action: &mut Value) {
        for (verb, argument) in action.as_object_mut().into_iter().flatten() {
            match verb.as_str() {
                "create" | "apply" => {
                    let text = |field: &str| argument.get(field).and_then(Value::as_str).unwrap_or_default();
                    // The page writes manifests without a version, too.
                    if text("apiVersion").is_empty() && Kind::ALL.iter().any(|kind| kind.name() == text("kind")) {
                        self.reduce("", argument);
                    } else {
                        self.reduce_document(argument);
                    }
                }
                "setTemplate" | "annotate" => self.reduce("", argument),
                _ => {}
            }
        }
    }

    /// Reduces the value of a field, or the items of its list.
    fn reduce(&mut self, field: &str, value: &mut Value) {
        // A list instead of recursion: a manifest may be nested deeper than the stack is high.
        let mut rest = vec![(field, value)];
        while let Some((field, value)) = rest.pop() {
            if WHOLE.binary_search(&field).is_ok() {
                continue;
            }
            match value {
                Value::Object(fields) => {
                    match field {
                        "annotations" => {
                            self.reduce_annotations(fields);
                            continue;
                        }
                        "options" | "parameters" | "volumeAttributes" => {
                            fields.values_mut().for_each(|value| self.hide(value));
                            continue;
                        }
                        // The engine reads how long it sleeps.
                        "lifecycle" => {
                            let hook = Value::Object(fields.clone());
                            let handlers = fields.get("preStop").and_then(Value::as_object).map_or(0, Map::len);
                            if handlers == 1 && matches!(PreStopHook::of(&hook), Some(PreStopHook::Sleep(_))) {
                                let others = fields.iter_mut().filter(|(name, _)| *name != "preStop");
                                rest.extend(others.map(|(name, value)| (name.as_str(), value)));
                                continue;
                            }
                        }
                        _ => {}
                    }
                    reduce_message(fields);
                    let others = fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "message" | "note"));
                    // From the last to the first, so that they are numbered from the first to the last.
                    let at = rest.len();
                    rest.extend(others.map(|(name, value)| match (field, name.as_str()) {
                        ("env" | "httpHeaders" | "sysctls", "value") => (VALUE, value),
                        (_, name) => (name, value),
                    }));
                    if let Some(new) = rest.get_mut(at..) {
                        new.reverse();
                    }
                }
                Value::Array(items) => rest.extend(items.iter_mut().rev().map(|item| (field, item))),
                // The API server wants texts there, but a manifest may contain a number.
                Value::Number(_) | Value::Bool(_) if !matches!(field, "command" | "args" | VALUE) => {}
                Value::Null => {}
                Value::String(text) if !matches!(field, "command" | "args" | VALUE) && Time::parse(text).is_some() => {}
                scalar if TEXTS.binary_search(&field).is_err() => self.hide(scalar),
                _ => {}
            }
        }
    }

    /// Annotations on pod templates may tell them apart, so the keys stay.
    fn reduce_annotations(&mut self, annotations: &mut Map<String, Value>) {
        annotations.remove(LAST_APPLIED);
        for (name, value) in annotations {
            if ANNOTATIONS.binary_search(&name.as_str()).is_err() {
                self.hide(value);
            }
        }
    }

    /// Replaces a scalar by a text with its number. The API server wants some paths to be absolute.
    fn hide(&mut self, value: &mut Value) {
        let text = match value {
            Value::String(text) if text.is_empty() => return,
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return empty_scalars(value),
        };
        let slash = if text.starts_with('/') { "/" } else { "" };
        let next = self.numbers.len().saturating_add(1);
        let number = self.numbers.entry(text).or_insert(next);
        *value = Value::from(format!("{slash}hidden-{number}"));
    }
}

/// Whether the engine reads objects of this kind.
fn is_read(version: &str, kind: &str) -> bool {
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    Kind::new(group, version, kind).is_some() || OTHER_KINDS.contains(&(group, kind))
}

/// Removes everything from the data of a ControllerRevision but a pod template: one of another controller may contain anything.
fn keep_template_of_revision(document: &mut Value) {
    if document.get("kind").and_then(Value::as_str) == Some(Kind::ControllerRevision.name())
        && let Some(Value::Object(data)) = document.get_mut("data")
    {
        data.retain(|field, _| field == "spec");
        if let Some(Value::Object(spec)) = data.get_mut("spec") {
            spec.retain(|field, _| field == "template");
        }
    }
}

/// Leaves out the message of a condition, an Event or a container's state, which may quote an application or a webhook.
fn reduce_message(fields: &mut Map<String, Value>) {
    let is_known = fields.get("reason").and_then(Value::as_str).is_some_and(|it| REASONS.binary_search(&it).is_ok());
    // An Event of `events.k8s.io` calls its message `note`.
    for field in ["message", "note"] {
        let Some(message) = fields.get_mut(field) else { continue };
        let text = message.as_str().unwrap_or_default();
        let is_of_quota = REFUSALS.iter().any(|beginning| text.starts_with(beginning))
            && QUOTA_MESSAGES.iter().any(|words| text.contains(words));
        if !(is_known || is_of_quota || text.is_empty()) || !message.is_string() {
            *message = Value::from(LEFT_OUT);
        }
    }
}

/// Removes everything from an object except its version, its kind, its name and its namespace.
fn keep_name(object: &mut Value) {
    let Value::Object(fields) = object else { return };
    fields.retain(|field, value| match field.as_str() {
        "apiVersion" | "kind" => value.is_string(),
        "metadata" => value.is_object(),
        _ => false,
    });
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        metadata.retain(|field, value| matches!(field.as_str(), "name" | "namespace") && value.is_string());
    }
}

/// Empties all scalars in a value. The keys stay.
fn empty_scalars(value: &mut Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(map) => rest.extend(map.values_mut()),
            Value::Array(items) => rest.extend(items),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) => *value = Value::from(""),
        }
    }
}
