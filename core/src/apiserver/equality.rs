//! Whether two decoded objects are equal to the API server.

use alloc::string::String;

use serde_json::{Map, Value};

use crate::object::{Unknown, quantity};

/// Fields that are pointers to a number, a boolean or a string in Go: there 0, false and the empty string differ from nothing.
/// (Fields that are never empty are left out; `TYPE_EXCEPTIONS` lists names that are pointers in some types only.)
const POINTER_FIELDS: [&str; 57] = [
    "activeDeadlineSeconds",
    "allowPrivilegeEscalation",
    "apiGroup",
    "automountServiceAccountToken",
    "backoffLimit",
    "backoffLimitPerIndex",
    "blockOwnerDeletion",
    "completionMode",
    "completions",
    "containerName",
    "controller",
    "defaultMode",
    "defaultUser",
    "deletionGracePeriodSeconds",
    "enableServiceLinks",
    "expirationSeconds",
    "failedJobsHistoryLimit",
    "fsGroup",
    "gmsaCredentialSpec",
    "hostProcess",
    "hostUsers",
    "hostnameOverride",
    "lun",
    "managedBy",
    "manualSelector",
    "maxFailedIndexes",
    "maxUnavailable",
    "minCount",
    "mode",
    "optional",
    "parallelism",
    "podReplacementPolicy",
    "preemptionPolicy",
    "priority",
    "privileged",
    "progressDeadlineSeconds",
    "readOnlyRootFilesystem",
    "revisionHistoryLimit",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "runtimeClassName",
    "service",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "startingDeadlineSeconds",
    "storageClassName",
    "succeededCount",
    "succeededIndexes",
    "successfulJobsHistoryLimit",
    "suspend",
    "terminationGracePeriodSeconds",
    "timeZone",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "user",
    "volumeAttributesClassName",
];

/// Fields that are structures in Go, and no pointers: there an empty one is the same as nothing.
const STRUCT_FIELDS: [&str; 10] = [
    "jobTemplate",
    "lastState",
    "metadata",
    "podAffinityTerm",
    "preference",
    "resources",
    "spec",
    "state",
    "strategy",
    "updateStrategy",
];

/// Maps of strings: every entry counts, also an empty one.
const STRING_MAPS: [&str; 7] =
    ["annotations", "labels", "matchLabels", "nodeSelector", "options", "userAnnotations", "volumeAttributes"];

/// Fields that are of another type in one structure than in all others (structure, field, and a field of the same type).
const TYPE_EXCEPTIONS: [(&str, &str, &str); 10] = [
    ("cephfs", "user", ""),
    ("csi", "fsType", "mode"),
    ("csi", "readOnly", "mode"),
    ("hostPath", "type", "mode"),
    ("iscsi", "lun", ""),
    ("options", "value", "mode"),
    ("quobyte", "user", ""),
    ("rbd", "user", ""),
    ("resourceFieldRef", "containerName", ""),
    ("seLinuxOptions", "user", ""),
];

/// Maps of quantities.
const RESOURCE_LISTS: [&str; 4] = ["capacity", "limits", "overhead", "requests"];

/// Whether two values are equal in Go: absent, null, empty and zero are the same where Go can't tell them apart.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/equality/semantic.go Semantic`, on decoded objects
pub(crate) fn semantic_equal(a: Option<&Value>, b: Option<&Value>) -> bool {
    equal_field("", a, b)
}

/// The same for a field of this name.
pub(crate) fn equal_field(key: &str, a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(Value::Object(a)), Some(Value::Object(b))) if is_string_map(key, a) || is_string_map(key, b) => a == b,
        (Some(Value::Object(a)), Some(Value::Object(b))) if RESOURCE_LISTS.contains(&key) => equal_resources(a, b),
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let is_pod_spec = a.contains_key("containers");
            let equal = |name: &String, a, b| equal_field(type_key(key, name, is_pod_spec), a, b);
            a.iter().all(|(name, value)| equal(name, Some(value), b.get(name)))
                && b.iter().all(|(name, value)| a.contains_key(name) || equal(name, None, Some(value)))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            let key = if key == "options" { key } else { "" };
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal_field(key, Some(a), Some(b)))
        }
        (a, b) => a == b || (is_zero_value(key, a) && is_zero_value(key, b)),
    }
}

/// The same for all fields of a structure that no controller reads.
pub(crate) fn same_fields(a: &Unknown, b: &Unknown, is_pod_spec: bool) -> bool {
    let equal = |name: &String, a, b| equal_field(type_key("", name, is_pod_spec), a, b);
    a.iter().all(|(name, value)| equal(name, Some(value), b.get(name)))
        && b.iter().all(|(name, value)| a.get(name).is_some() || equal(name, None, Some(value)))
}

/// A field of the same type as this one, by which the lists above know it.
fn type_key<'a>(holder: &str, name: &'a str, is_pod_spec: bool) -> &'a str {
    if is_pod_spec && name == "resources" {
        return "";
    }
    let unlike = TYPE_EXCEPTIONS.iter().find(|(above, below, _)| *above == holder && *below == name);
    unlike.map_or(name, |(.., like)| *like)
}

/// (The selector of a ReplicationController is one.)
fn is_string_map(key: &str, map: &Map<String, Value>) -> bool {
    STRING_MAPS.contains(&key) || (key == "selector" && map.values().any(Value::is_string))
}

fn equal_resources(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let equal = |a: &Value, b: Option<&Value>| b.is_some_and(|b| a == b || quantity::nanos(a) == quantity::nanos(b));
    a.len() == b.len() && a.iter().all(|(name, amount)| equal(amount, b.get(name)))
}

fn is_zero_value(key: &str, value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Bool(value)) => !value && !POINTER_FIELDS.contains(&key),
        Some(Value::Number(number)) => number.as_i64() == Some(0) && !POINTER_FIELDS.contains(&key),
        Some(Value::String(text)) => text.is_empty() && !POINTER_FIELDS.contains(&key),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(map)) if map.is_empty() => {
            STRUCT_FIELDS.contains(&key) || STRING_MAPS.contains(&key) || RESOURCE_LISTS.contains(&key)
        }
        Some(Value::Object(map)) => {
            STRUCT_FIELDS.contains(&key) && map.iter().all(|(key, value)| is_zero_value(key, Some(value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::format;
    use alloc::vec::Vec;

    use serde_json::json;

    use super::*;
    use crate::apiserver::api_types::{Content, POD_SPEC, Type, content, type_of_kind};
    use crate::apiserver::registry;

    /// Pointers to values that are never empty: the API server refuses an empty one, or never leaves the field out.
    const NEVER_EMPTY: [&str; 31] = [
        "cachingMode",
        "fsGroupChangePolicy",
        "fsType",
        "gmsaCredentialSpecName",
        "initiatorName",
        "kind",
        "localhostProfile",
        "maxExpirationSeconds",
        "minDomains",
        "mountPropagation",
        "name",
        "namespace",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "partition",
        "podGroupName",
        "procMount",
        "protocol",
        "readOnly",
        "recursiveReadOnly",
        "replicas",
        "resourceClaimName",
        "resourceClaimTemplateName",
        "restartPolicy",
        "runAsUserName",
        "seLinuxChangePolicy",
        "signerName",
        "stopSignal",
        "supplementalGroupsPolicy",
        "template",
        "volumeMode",
    ];

    #[test]
    fn fields_are_listed_as_their_types_are_recorded() {
        let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
        for strategy in registry::ALL {
            compare(type_of_kind(strategy.kind().name()).unwrap(), "", &mut seen, &mut wrong);
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        for (structure, field, _) in TYPE_EXCEPTIONS {
            assert!(seen.iter().any(|(_, holder)| holder == structure), "{structure}.{field}");
        }
    }

    /// Compares the fields below a type with the lists. `holder` is the field of this type.
    fn compare(type_: Type, holder: &str, seen: &mut BTreeSet<(Type, String)>, wrong: &mut Vec<String>) {
        if !seen.insert((type_, holder.into())) {
            return;
        }
        let fields = match content(type_) {
            Content::Pointer(below) => return compare(below, holder, seen, wrong),
            Content::List(item) => return compare(item, if holder == "options" { holder } else { "" }, seen, wrong),
            Content::Struct(fields) => fields,
            _ => return,
        };
        for field in fields.iter() {
            let Some(name) = field.json_name() else {
                compare(field.type_, holder, seen, wrong);
                continue;
            };
            // A status is written as it is.
            if name == "status" {
                continue;
            }
            let key = type_key(holder, &name, type_ == POD_SPEC);
            let is_scalar =
                |type_| matches!(content(type_), Content::String | Content::Bool | Content::Int32 | Content::Int64);
            let is_pointer = POINTER_FIELDS.contains(&key);
            let is_right = match content(field.type_) {
                Content::Pointer(below) if is_scalar(below) => is_pointer || NEVER_EMPTY.contains(&key),
                Content::Pointer(below) => {
                    !matches!(content(below), Content::Struct(_)) || !STRUCT_FIELDS.contains(&key)
                }
                Content::Struct(_) => STRUCT_FIELDS.contains(&key) || NEVER_EMPTY.contains(&key),
                Content::Map("string") => STRING_MAPS.contains(&key) || key == "selector",
                Content::Map("resource.Quantity") => RESOURCE_LISTS.contains(&key),
                _ => !(is_scalar(field.type_) && is_pointer),
            };
            if !is_right {
                wrong.push(format!("{type_}: {name} {}", field.type_));
            }
            compare(field.type_, &name, seen, wrong);
        }
    }

    /// User 0 is root.
    #[test]
    fn the_first_user_differs_from_none() {
        let with = |item: Value| json!({ "secret": { "defaultUser": 1000, "items": [item] } });
        let (without, root) = (with(json!({ "key": "a" })), with(json!({ "key": "a", "user": 0 })));
        assert!(!semantic_equal(Some(&without), Some(&root)));
        let unnamed = |user: Value| json!({ "rbd": { "user": user } });
        assert!(semantic_equal(Some(&unnamed(json!(""))), Some(&unnamed(Value::Null))));
    }

    #[test]
    fn empty_values_equal_absent_ones() {
        let a = json!({"paused": false, "list": [], "text": "", "n": 1, "resources": {"limits": {}}});
        assert!(semantic_equal(Some(&a), Some(&json!({"n": 1, "other": null}))));
        assert!(!semantic_equal(Some(&a), Some(&json!({"n": 2}))));
        assert!(!semantic_equal(Some(&json!({"emptyDir": {}})), Some(&json!({}))));
    }

    #[test]
    fn pointers_distinguish_zero_from_absent() {
        let csi = |text: &str| json!({"csi": {"fsType": text}});
        assert!(!semantic_equal(Some(&csi("")), Some(&json!({"csi": {}}))));
        let resource = |text: &str| json!({"resourceFieldRef": {"containerName": text}});
        assert!(semantic_equal(Some(&resource("")), Some(&json!({"resourceFieldRef": {}}))));
        assert!(semantic_equal(Some(&json!({"userAnnotations": {}})), Some(&json!({}))));
        assert!(!semantic_equal(Some(&json!({"completions": 0})), Some(&json!({}))));
        assert!(!semantic_equal(Some(&json!({"suspend": false})), Some(&json!({}))));
        assert!(!semantic_equal(Some(&json!({"labels": {"a": ""}})), Some(&json!({"labels": {}}))));
        assert!(!semantic_equal(Some(&json!({"selector": {"a": ""}})), Some(&json!({"selector": {}}))));
        let option = json!({"options": [{"name": "debug", "value": ""}]});
        assert!(!semantic_equal(Some(&option), Some(&json!({"options": [{"name": "debug"}]}))));
    }

    #[test]
    fn quantities_are_compared_by_value() {
        assert!(semantic_equal(Some(&json!({"limits": {"cpu": "1"}})), Some(&json!({"limits": {"cpu": "1000m"}}))));
        assert!(!semantic_equal(Some(&json!({"limits": {"cpu": "1"}})), Some(&json!({"limits": {"cpu": "2"}}))));
    }
}
