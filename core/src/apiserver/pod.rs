//! Pod.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::equal::{equal_field, semantic_equal};
use super::field::FieldError;
use super::meta::{self, NameRule};
use super::pod_spec::{self, MIRROR_POD, Options};
use super::value::{at, field, integer, list, map, map_at, map_in, set_default, string};
use super::{names, ports, quantity, restart};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::path::Path;

/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Pod`
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    let host_network = spec.get("hostNetwork").and_then(Value::as_bool).unwrap_or_default();
    for key in ["containers", "initContainers"] {
        let containers = spec.get_mut(key).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
            requests_from_limits(container);
            if host_network {
                host_ports(container);
            }
        }
    }
    set_default(spec, "enableServiceLinks", true);
    pod_spec::set_defaults(spec);
}

fn requests_from_limits(container: &mut Map<String, Value>) {
    let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) else { return };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    if let Some(requests) = map_in(resources, "requests") {
        for (name, quantity) in limits {
            requests.entry(name).or_insert(quantity);
        }
    }
}

/// Upstream: `pkg/apis/core/v1/defaults.go defaultHostNetworkPorts`
fn host_ports(container: &mut Map<String, Value>) {
    let ports = container.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        if port.get("hostPort").is_none_or(|port| port.is_null() || port.as_i64() == Some(0))
            && let Some(number) = port.get("containerPort").filter(|number| number.as_i64() != Some(0)).cloned()
        {
            port.insert("hostPort".into(), number);
        }
    }
}

/// A negative grace period becomes 1 when a Pod is read, and when it is written.
/// Upstream: `pkg/apis/core/v1/conversion.go Convert_v1_Pod_To_core_Pod`
pub(super) fn convert(object: &mut Value) {
    let key = "terminationGracePeriodSeconds";
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut)
        && spec.get(key).and_then(Value::as_i64).is_some_and(|seconds| seconds < 0)
    {
        spec.insert(key.into(), 1.into());
    }
}

/// The status of a new Pod.
/// Upstream: `pkg/registry/core/pod/strategy.go PrepareForCreate`
pub(super) fn initial_status(object: &Value) -> Value {
    let stated = at(object, &["status", "qosClass"]).and_then(Value::as_str).filter(|class| !class.is_empty());
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let mut status = Map::new();
    status.insert("phase".into(), "Pending".into());
    status.insert("qosClass".into(), stated.unwrap_or_else(|| compute_pod_qos(spec)).into());
    if !list(spec, "schedulingGates").is_empty() {
        // Upstream: `pkg/registry/core/pod/strategy.go applySchedulingGatedCondition`
        let condition = [
            ("type", "PodScheduled"),
            ("status", "False"),
            ("reason", "SchedulingGated"),
            ("message", "Scheduling is blocked due to non-empty scheduling gates"),
        ];
        let condition = Value::from_iter(condition);
        status.insert("conditions".into(), Value::Array(Vec::from([condition])));
    }
    Value::Object(status)
}

/// Upstream: `pkg/apis/core/helper/qos/qos.go ComputePodQOS`
fn compute_pod_qos(spec: &Value) -> &'static str {
    let (mut requests, mut limits) = ([0_i128; 2], [0_i128; 2]);
    let mut guaranteed = true;
    let whole_pod = field(spec, "resources");
    let holders = list(spec, "containers").iter().chain(list(spec, "initContainers"));
    let of_containers = holders.map(|container| field(container, "resources").unwrap_or(&Value::Null));
    let resources: Vec<&Value> = match whole_pod {
        Some(resources) => Vec::from([resources]),
        None => of_containers.collect(),
    };
    for resources in resources {
        let (requested, limited) = (amounts(resources, "requests"), amounts(resources, "limits"));
        // Limits on the whole pod may be missing altogether, those of a container may not.
        let unlimited = limited.contains(&0);
        let asked = whole_pod.is_none() || map(resources, "limits").is_some_and(|limits| !limits.is_empty());
        guaranteed &= !(unlimited && asked);
        for (sum, amount) in requests.iter_mut().zip(requested).chain(limits.iter_mut().zip(limited)) {
            *sum = sum.saturating_add(amount);
        }
    }
    if requests == [0; 2] && limits == [0; 2] {
        "BestEffort"
    } else if guaranteed && requests == limits {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// The processor and memory in a list of resources, in billionths; what is not above 0 does not count.
fn amounts(resources: &Value, key: &str) -> [i128; 2] {
    ["cpu", "memory"].map(|name| at(resources, &[key, name]).and_then(quantity::nanos).unwrap_or_default().max(0))
}

/// What an update of the status may not write.
/// Upstream: `pkg/registry/core/pod/strategy.go podStatusStrategy.PrepareForUpdate`
pub(super) fn prepare_status(object: &mut Value, old: &Value) {
    if let Some(metadata) = map_at(object, &["metadata"]) {
        metadata.remove("deletionTimestamp");
        metadata.remove("ownerReferences");
        if let Some(owners) = at(old, &["metadata", "ownerReferences"]) {
            metadata.insert("ownerReferences".into(), owners.clone());
        }
    }
    let old = field(old, "status").unwrap_or(&Value::Null);
    let Some(status) = map_at(object, &["status"]) else { return };
    if status.get("qosClass").and_then(Value::as_str).unwrap_or_default().is_empty()
        && let Some(class) = field(old, "qosClass")
    {
        status.insert("qosClass".into(), class.clone());
    }
    preserve_old_observed_generation(status, old);
    convert_addresses(status);
}

/// `podIP` is the first of `podIPs`, and wins where it is another one.
/// Upstream: `pkg/apis/core/v1/conversion.go Convert_v1_PodStatus_To_core_PodStatus` and
/// `Convert_core_PodStatus_To_v1_PodStatus`
fn convert_addresses(status: &mut Map<String, Value>) {
    let first = status.get("podIPs").and_then(|list| list.get(0)).map(|item| String::from(string(item, "ip")));
    match status.get("podIP").and_then(Value::as_str).filter(|ip| !ip.is_empty()) {
        Some(ip) if first.as_deref() == Some(ip) => {}
        Some(ip) => {
            let only = Value::from_iter([("ip", ip)]);
            status.insert("podIPs".into(), Value::Array(Vec::from([only])));
        }
        None => {
            if let Some(first) = first.filter(|first| !first.is_empty()) {
                status.insert("podIP".into(), first.into());
            }
        }
    }
}

/// Upstream: `pkg/registry/core/pod/strategy.go preserveOldObservedGeneration`
fn preserve_old_observed_generation(status: &mut Map<String, Value>, old: &Value) {
    let key = "observedGeneration";
    let keep = |new: &mut Map<String, Value>, old: Option<&Value>| {
        let unset = new.get(key).and_then(Value::as_i64).unwrap_or_default() == 0;
        if unset && let Some(generation) = old.and_then(|old| field(old, key)) {
            new.insert(key.into(), generation.clone());
        }
    };
    keep(status, Some(old));
    let mut rest: Vec<&Value> = list(old, "conditions").iter().collect();
    for condition in status.get_mut("conditions").and_then(Value::as_array_mut).into_iter().flatten() {
        let same = |other: &&Value| string(other, "type") == string(condition, "type");
        let found = rest.iter().position(same).map(|index| rest.remove(index));
        if let Some(condition) = condition.as_object_mut() {
            keep(condition, found);
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validatePodMetadataAndSpec`
fn validate_metadata_and_spec(object: &Value, options: Options, errors: &mut Vec<FieldError>) {
    meta::validate_object_meta(object, NameRule::DnsSubdomain, errors);
    validate_pod_annotations(object, options, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    pod_spec::validate(spec, &[], &path, options, errors);
    ports::validate_host_network(spec, true, &path, options, errors);
    for key in ["containers", "initContainers"] {
        validate_images(spec, key, &path, errors);
    }
    let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    validate_claim_names(spec, name, &path.child("volumes"), errors);
}

/// An ephemeral volume has a claim, named after the Pod and itself.
/// Upstream: `pkg/apis/core/validation/validation.go validateVolumeSource`, this part alone
fn validate_claim_names(spec: &Value, pod: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let name = string(volume, "name");
        if field(volume, "ephemeral").is_none() || is_of_another_type(volume) || name.is_empty() || pod.is_empty() {
            continue;
        }
        let claim = format!("{pod}-{name}");
        for text in names::is_dns1123_subdomain(&claim) {
            let path = path.index(index);
            let detail = format!("PVC name {}: {text}", go::quoted(&claim));
            errors.push(FieldError::invalid_string(&path.child("name"), name, detail));
        }
    }
}

/// Of a volume of several types upstream looks at the first, and `image` comes last.
fn is_of_another_type(volume: &Value) -> bool {
    let others = volume.as_object().into_iter().flatten();
    others.filter(|(_, value)| !value.is_null()).any(|(key, _)| !["name", "ephemeral", "image"].contains(&key.as_str()))
}

fn validate_pod_annotations(object: &Value, options: Options, errors: &mut Vec<FieldError>) {
    let annotations = at(object, &["metadata", "annotations"]).and_then(Value::as_object);
    let metadata = Path::Root("metadata");
    let path = metadata.child("annotations");
    pod_spec::validate_pod_specific_annotations(annotations, &path, options, errors);
    pod_spec::validate_mirror(annotations, field(object, "spec").unwrap_or(&Value::Null), &path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotationUpdates`, without AppArmor's
fn validate_annotation_updates(object: &Value, old: &Value, options: Options, errors: &mut Vec<FieldError>) {
    let mirror = |object| at(object, &["metadata", "annotations", MIRROR_POD]);
    let detail = match (mirror(object), mirror(old)) {
        (new, Some(old)) if new != Some(old) => Some("may not remove or update mirror pod annotation"),
        (Some(_), None) => Some("may not add mirror pod annotation"),
        _ => None,
    };
    if let Some(detail) = detail {
        let metadata = Path::Root("metadata");
        let path = metadata.child("annotations");
        errors.push(FieldError::forbidden(&path.key(MIRROR_POD), detail));
    }
    validate_pod_annotations(object, options, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainersOnlyForPod`
fn validate_images(spec: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let path = path.child(key);
    for (index, container) in list(spec, key).iter().enumerate() {
        let image = string(container, "image");
        if image.trim().len() != image.len() {
            let path = path.index(index);
            let detail = "must not have leading or trailing whitespace";
            errors.push(FieldError::invalid_string(&path.child("image"), image, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodCreate`
pub(super) fn validate_create(object: &Value, options: Options, errors: &mut Vec<FieldError>) {
    validate_metadata_and_spec(object, options, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    if !list(spec, "ephemeralContainers").is_empty() {
        errors.push(FieldError::forbidden(&path.child("ephemeralContainers"), "cannot be set on create"));
    }
    if !string(spec, "nodeName").is_empty() && !list(spec, "schedulingGates").is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(FieldError::forbidden(&path.child("nodeName"), detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodUpdate`
pub(super) fn validate_update(object: &Value, old: &Value, options: Options, errors: &mut Vec<FieldError>) {
    meta::validate_object_meta_update(object, old, errors);
    validate_metadata_and_spec(object, options, errors);
    validate_annotation_updates(object, old, options, errors);
    let (spec, old) = (field(object, "spec").unwrap_or(&Value::Null), field(old, "spec").unwrap_or(&Value::Null));
    let path = Path::Root("spec");
    for key in ["containers", "initContainers"] {
        if list(spec, key).len() != list(old, key).len() {
            errors.push(FieldError::forbidden(&path.child(key), "pod updates may not add or remove containers"));
            return;
        }
        let path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            if string(container, "image").is_empty() {
                let path = path.index(index);
                errors.push(FieldError::required(&path.child("image"), ""));
            }
        }
        validate_images(spec, key, &Path::Root("spec"), errors);
    }
    if !validate_active_deadline(spec, old, &path, errors) {
        return;
    }
    validate_only_added_tolerations(spec, old, &path.child("tolerations"), errors);
    validate_only_deleted_scheduling_gates(spec, old, &path.child("schedulingGates"), errors);
    if !list(old, "schedulingGates").is_empty() {
        validate_node_selector_mutation(spec, old, &path.child("nodeSelector"), errors);
        validate_node_affinity_mutation(spec, old, &path, errors);
    }
    let (munged, old) = (munged(spec, old), converted(old));
    if !semantic_equal(Some(&munged), Some(&old)) {
        let mut detail = String::from(
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        );
        detail.push_str(&(options.printer.difference)(&old, &munged));
        errors.push(FieldError::forbidden(&path, detail));
    }
}

/// The deadline may come, and may become shorter. Says whether the rest is looked at.
fn validate_active_deadline(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) -> bool {
    let path = path.child("activeDeadlineSeconds");
    match (integer(spec, "activeDeadlineSeconds"), integer(old, "activeDeadlineSeconds")) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.push(FieldError::invalid_number(&path, new, detail));
            return false;
        }
        (Some(new), Some(old)) if old < new => {
            errors.push(FieldError::invalid_number(&path, new, "must be less than or equal to previous value"));
            return false;
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            errors.push(FieldError::invalid(&path, "null".into(), detail));
        }
        _ => {}
    }
    true
}

/// Upstream: `pkg/apis/core/validation/validation.go validateOnlyAddedTolerations`, without what makes one valid
fn validate_only_added_tolerations(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "tolerations";
    let same = |a: &Value, b: &Value| {
        ["key", "operator", "value", "effect"].iter().all(|key| equal_field(key, field(a, key), field(b, key)))
    };
    if !list(old, key).iter().all(|old| list(spec, key).iter().any(|new| same(new, old))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        errors.push(FieldError::forbidden(path, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateOnlyDeletedSchedulingGates`
fn validate_only_deleted_scheduling_gates(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "schedulingGates";
    let known = |name: &str| list(old, key).iter().any(|gate| string(gate, "name") == name);
    let gates = list(spec, key);
    for (index, gate) in gates.iter().enumerate() {
        let name = string(gate, "name");
        // Of several with one name upstream tells the last.
        let is_last = !gates.iter().skip(index.saturating_add(1)).any(|gate| string(gate, "name") == name);
        if is_last && !known(name) {
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            let path = path.index(index);
            errors.push(FieldError::forbidden(&path.child("name"), detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateNodeSelectorMutation`
fn validate_node_selector_mutation(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "nodeSelector";
    let new = map(spec, key);
    let kept = |(key, value): (&String, &Value)| new.and_then(|new| new.get(key)) == Some(value);
    if !map(old, key).into_iter().flatten().all(kept) {
        let value = go::json(field(spec, key).unwrap_or(&Value::Null));
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.push(FieldError::invalid(path, value, detail));
    }
}

/// All terms may not be taken away. What else becomes of them is not looked at, as affinity is not.
/// Upstream: `pkg/apis/core/validation/validation.go validateNodeAffinityMutation`, this part alone
fn validate_node_affinity_mutation(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let way = ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    let [affinity, node, required, terms] = way;
    let had = at(old, &way).and_then(Value::as_array).is_some_and(|terms| !terms.is_empty());
    if had && at(spec, &way).is_none() {
        let path = path.child(affinity);
        let path = path.child(node);
        let path = path.child(required);
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errors.push(FieldError::invalid(&path.child(terms), "null".into(), detail));
    }
}

/// As the API server reads a spec.
fn converted(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let key = "terminationGracePeriodSeconds";
    if integer(&spec, key).is_some_and(|seconds| seconds < 0)
        && let Some(map) = spec.as_object_mut()
    {
        map.insert(key.into(), 1.into());
    }
    spec
}

/// The spec with the old one's values where an update may change them.
/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodUpdate`
fn munged(spec: &Value, old: &Value) -> Value {
    let mut munged = converted(spec);
    let Some(map) = munged.as_object_mut() else { return munged };
    for key in ["containers", "initContainers"] {
        let containers = map.get_mut(key).and_then(Value::as_array_mut);
        if containers.as_ref().is_some_and(|containers| containers.is_empty()) {
            map.remove(key);
            continue;
        }
        for (container, old) in containers.into_iter().flatten().zip(list(old, key)) {
            if let Some(container) = container.as_object_mut() {
                keep(container, old, "image");
            }
        }
    }
    for key in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        keep(map, old, key);
    }
    if !list(old, "schedulingGates").is_empty() {
        keep(map, old, "nodeSelector");
        keep_node_affinity(map, field(old, "affinity"));
    }
    munged
}

fn keep(map: &mut Map<String, Value>, old: &Value, key: &str) {
    match field(old, key) {
        Some(value) => map.insert(key.into(), value.clone()),
        None => map.remove(key),
    };
}

/// A gated Pod may get another node affinity, but only more of it.
fn keep_node_affinity(spec: &mut Map<String, Value>, old: Option<&Value>) {
    let key = "nodeAffinity";
    let (new, old_node) = (spec.get("affinity").cloned(), old.and_then(|old| field(old, key)));
    let new = new.filter(|new| !new.is_null());
    if semantic_equal(new.as_ref().and_then(|new| field(new, key)), old_node) {
        return;
    }
    let alone =
        new.as_ref().is_none_or(|new| ["podAffinity", "podAntiAffinity"].iter().all(|key| field(new, key).is_none()));
    if new.is_some() && old.is_none() && alone {
        spec.remove("affinity");
    } else if let Some(affinity) = map_in(spec, "affinity") {
        keep(affinity, old.unwrap_or(&Value::Null), key);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodStatusUpdate`, without addresses, resources and claims
pub(super) fn validate_status(
    object: &Value,
    old: &Value,
    options: Options,
    gates: FeatureGates,
    errors: &mut Vec<FieldError>,
) {
    meta::validate_object_meta_update(object, old, errors);
    validate_annotation_updates(object, old, options, errors);
    let path = Path::Root("status");
    let (spec, old_spec) = (field(object, "spec").unwrap_or(&Value::Null), field(old, "spec").unwrap_or(&Value::Null));
    let status = field(object, "status").unwrap_or(&Value::Null);
    let old = field(old, "status").unwrap_or(&Value::Null);
    let conditions = path.child("conditions");
    for (index, condition) in list(status, "conditions").iter().enumerate() {
        let path = conditions.index(index);
        validate_observed_generation(condition, &path, errors);
        let name = string(condition, "type");
        if !["PodScheduled", "Ready", "Initialized"].contains(&name) {
            for text in names::is_label_key(name) {
                errors.push(FieldError::invalid_string(&path.child("Type"), name, text));
            }
        }
    }
    if string(spec, "nodeName") != string(old_spec, "nodeName") {
        errors.push(FieldError::forbidden(&path.child("nodeName"), "may not be changed directly"));
    }
    let key = "nominatedNodeName";
    let nominated = string(status, key);
    if nominated != string(old, key) && !nominated.is_empty() {
        for text in names::is_dns1123_subdomain(nominated) {
            errors.push(FieldError::invalid_string(&path.child(key), nominated, text));
        }
        if gates.enabled(Feature::ClearingNominatedNodeNameAfterBinding) && !string(old_spec, "nodeName").is_empty() {
            let detail = "may not be set on pods that are already bound to a node";
            errors.push(FieldError::forbidden(&path.child(key), detail));
        }
    }
    validate_observed_generation(status, &path, errors);
    let rendered = |class: Option<&Value>| go::json_string(class.and_then(Value::as_str).unwrap_or_default());
    meta::validate_immutable(status, old, "qosClass", &path, rendered, errors);
    restart::validate_container_state_transition(status, old, old_spec, &path, options, errors);
}

fn validate_observed_generation(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "observedGeneration";
    let generation = integer(value, key).unwrap_or_default();
    if generation < 0 {
        errors.push(FieldError::invalid_number(&path.child(key), generation, "must be a non-negative integer"));
    }
}
