//! How error messages show a pod template or a pod spec: the JSON of the API server's internal types, which have Go's
//! names, Go's order, and every field.

use alloc::string::String;
use core::mem;

use serde_json::{Map, Value};

use super::value::{field, list, map, string};
use super::{schema, selector};
use crate::go;
use crate::problem::shortened;

/// The texts that show a whole template or spec. Their tables and the diff are worth their bytes only to those who print
/// what the API server would; the simulated cluster needs to say that something may not change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    pub(super) template: fn(&Value) -> String,
    pub(super) pod_spec: fn(&Value) -> String,
    /// What follows a sentence about two specs that differ.
    pub(super) difference: fn(&Value, &Value) -> String,
}

/// As the API server prints them.
pub(super) const EXACT: Printer = Printer {
    template: |template| printed(template, TEMPLATE),
    pod_spec: |spec| printed(spec, POD_SPEC),
    difference: |old, new| {
        let pretty = |spec: &Value| go::indented(&printed(spec, POD_SPEC));
        let mut text = String::from("\n");
        text.push_str(&go::unified_diff(&pretty(old), &pretty(new)));
        text
    },
};

/// The same, cut.
pub(super) const SHORT: Printer =
    Printer { template: shortened, pod_spec: shortened, difference: |_, _| String::new() };

/// The types, a line each. A field's name (`=` the one that JSON has) ends with a sign for what it holds: `$` a string,
/// `#` a number, `!` a boolean, `%` a quantity, `?` what may be null and prints as it is, `&` a label selector, `@` an
/// embedded ObjectMeta; `.` a structure, `^` an embedded one, `*` one that may be null and `[` a list of them, each with
/// its line's number. The recorder writes it.
const TYPES: &str = include_str!("go_types.txt");

const TEMPLATE: usize = 0;
const POD_SPEC: usize = 1;

fn printed(value: &Value, number: usize) -> String {
    let mut out = String::new();
    structure(value, number, &mut out);
    out
}

fn structure(value: &Value, number: usize, out: &mut String) {
    out.push('{');
    let moved = (number == POD_SPEC).then(|| with_host_fields(value));
    fields(moved.as_ref().unwrap_or(value), number, out);
    out.push('}');
}

/// The host's namespaces are in the security context, which is always there.
/// Upstream: `pkg/apis/core/v1/conversion.go Convert_v1_PodSpec_To_core_PodSpec`
fn with_host_fields(spec: &Value) -> Value {
    let mut context = map(spec, "securityContext").cloned().unwrap_or_default();
    for key in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] {
        if let Some(value) = field(spec, key) {
            context.insert(key.into(), value.clone());
        }
    }
    let mut moved = spec.as_object().cloned().unwrap_or_default();
    moved.insert("securityContext".into(), Value::Object(context));
    Value::Object(moved)
}

fn fields(value: &Value, number: usize, out: &mut String) {
    for Member { name, key, sign, below } in members(number) {
        match sign {
            '^' => fields(value, below, out),
            '@' => object_meta(field(value, "metadata").unwrap_or(&Value::Null), out),
            _ => {
                member(name, out);
                member_value(field(value, &key), sign, below, out);
            }
        }
    }
}

/// A field of a type: Go's name, JSON's, and what it holds.
struct Member {
    name: &'static str,
    key: String,
    sign: char,
    below: usize,
}

fn members(number: usize) -> impl Iterator<Item = Member> {
    TYPES.lines().nth(number).unwrap_or_default().split(' ').filter_map(|written| {
        let end = written.find(|c: char| !(c.is_ascii_alphabetic() || c == '=')).unwrap_or(written.len());
        let (names, kind) = written.split_at_checked(end)?;
        let (name, known) = names.split_once('=').unwrap_or((names, ""));
        let key = if known.is_empty() { json_name(name) } else { known.into() };
        let mut parts = kind.chars();
        let sign = parts.next().unwrap_or_default();
        Some(Member { name, key, sign, below: parts.as_str().parse().unwrap_or_default() })
    })
}

/// What the field of this JSON name holds.
fn known(number: usize, key: &str) -> Option<(char, usize)> {
    members(number).find_map(|member| match member.sign {
        '^' => known(member.below, key),
        '@' => (key == "metadata").then_some(('@', 0)),
        sign => (member.key == key).then_some((sign, member.below)),
    })
}

/// What a pod spec has in JSON alone.
const IN_JSON_ALONE: [&str; 6] =
    ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers", "serviceAccount"];

/// Drops the fields that Kubernetes does not know, and what is `null`; in a list that is a structure of nothing.
pub(super) fn drop_unknown_in_pod_spec(spec: &mut Value) {
    drop_unknown(spec, POD_SPEC);
}

/// The same in the claims of a StatefulSet, which are of the type that ephemeral volumes have.
pub(super) fn drop_unknown_in_claims(claims: &mut Value) {
    let way = ["volumes", "ephemeral", "volumeClaimTemplate"];
    let number = way.iter().try_fold(POD_SPEC, |number, key| Some(known(number, key)?.1)).unwrap_or_default();
    for claim in claims.as_array_mut().into_iter().flatten() {
        let Some(claim) = claim.as_object_mut() else { continue };
        // These are an object's, of which a template has none.
        let own = ["apiVersion", "kind", "status"].map(|key| claim.remove_entry(key));
        let mut template = Value::Object(mem::take(claim));
        drop_unknown(&mut template, number);
        claim.extend(template.as_object_mut().map(mem::take).into_iter().flatten().chain(own.into_iter().flatten()));
    }
}

fn drop_unknown(value: &mut Value, number: usize) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    let Some(map) = value.as_object_mut() else { return };
    map.retain(|_, value| !value.is_null());
    map.retain(|key, value| {
        match (known(number, key), value) {
            (None, _) => return number == POD_SPEC && IN_JSON_ALONE.contains(&key.as_str()),
            (Some(('[', below)), Value::Array(items)) => items.iter_mut().for_each(|item| drop_unknown(item, below)),
            (Some(('.' | '*', below)), value) => drop_unknown(value, below),
            (Some(('@', _)), value) => schema::drop_unknown(value, &schema::METADATA.1),
            (Some(('&', _)), value) => schema::drop_unknown(value, &schema::SELECTOR.1),
            _ => {}
        }
        true
    });
}

fn member(name: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

fn member_value(value: Option<&Value>, sign: char, below: usize, out: &mut String) {
    let nothing = match sign {
        '$' => "\"\"",
        '#' => "0",
        '!' => "false",
        '%' => "\"0\"",
        _ => "null",
    };
    match (sign, value) {
        ('.', value) => structure(value.unwrap_or(&Value::Null), below, out),
        ('*', Some(value)) => structure(value, below, out),
        ('[', Some(Value::Array(items))) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                structure(item, below, out);
            }
            out.push(']');
        }
        ('&', Some(value)) => out.push_str(&selector::rendered(Some(value))),
        (_, Some(value)) => out.push_str(&go::json(value)),
        (_, None) => out.push_str(nothing),
    }
}

/// What a client may write into a template's metadata. This type has JSON's names, and leaves out what is empty.
fn object_meta(metadata: &Value, out: &mut String) {
    for key in ["name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"] {
        let text = string(metadata, key);
        if !text.is_empty() {
            member(key, out);
            out.push_str(&go::json_string(text));
        }
    }
    for key in ["generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if let Some(value) = field(metadata, key) {
            member(key, out);
            out.push_str(&go::json(value));
        }
    }
    for key in ["labels", "annotations"] {
        if let Some(entries) = map(metadata, key).filter(|entries| !entries.is_empty()) {
            member(key, out);
            out.push_str(&go::json(&Value::Object(Map::clone(entries))));
        }
    }
    let owner = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    items(
        metadata,
        "ownerReferences",
        |item, out| structure_of(item, &owner, &["apiVersion", "kind", "name", "uid"], out),
        out,
    );
    items(metadata, "finalizers", |item, out| out.push_str(&go::json(item)), out);
    let entry = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];
    items(metadata, "managedFields", |item, out| structure_of(item, &entry, &[], out), out);
}

fn items(metadata: &Value, key: &str, write: impl Fn(&Value, &mut String), out: &mut String) {
    let items = list(metadata, key);
    if items.is_empty() {
        return;
    }
    member(key, out);
    for (index, item) in items.iter().enumerate() {
        out.push(if index == 0 { '[' } else { ',' });
        write(item, out);
    }
    out.push(']');
}

/// A structure with JSON's names in Go's order: these strings always, the rest only where it is there.
fn structure_of(value: &Value, keys: &[&str], always: &[&str], out: &mut String) {
    out.push('{');
    for key in keys {
        if let Some(value) = field(value, key) {
            member(key, out);
            out.push_str(&go::json(value));
        } else if always.contains(key) {
            member(key, out);
            out.push_str("\"\"");
        }
    }
    out.push('}');
}

/// The first word of a Go name in lower case: `hostIP` of HostIP, `awsElasticBlockStore` of AWSElasticBlockStore.
fn json_name(name: &str) -> String {
    let upper = |index: usize| name.as_bytes().get(index).is_some_and(u8::is_ascii_uppercase);
    let lower = |index: usize| name.as_bytes().get(index).is_some_and(u8::is_ascii_lowercase);
    let in_first_word = |index: usize| index == 0 || (upper(index) && !lower(index.saturating_add(1)));
    let end = (0..name.len()).find(|index| !in_first_word(*index)).unwrap_or(name.len());
    let (first, rest) = name.split_at_checked(end).unwrap_or((name, ""));
    let mut out = first.to_ascii_lowercase();
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_those_of_the_api() {
        for (name, expected) in [
            ("Name", "name"),
            ("HostIP", "hostIP"),
            ("TTY", "tty"),
            ("AWSElasticBlockStore", "awsElasticBlockStore"),
            ("SetHostnameAsFQDN", "setHostnameAsFQDN"),
            ("SELinuxOptions", "seLinuxOptions"),
        ] {
            assert_eq!(json_name(name), expected);
        }
    }

    #[test]
    fn every_field_is_printed() {
        let text = printed(&json!({"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": true}}), TEMPLATE);
        let start = r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":null,"#;
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false,"#), "{text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }
}
