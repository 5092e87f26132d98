//! The fields that Kubernetes does not know, such as misspelled ones. The decoder drops them. With strict field validation, which
//! kubectl asks for, the API server refuses the object instead; without, it warns the client.
//!
//! Ported from `sigs.k8s.io/json` (Apache-2.0 AND BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde_json::Value;

use super::decode::drop_and_report;
use super::decoding_refusal::{decoding_errors, undecodable};
use super::registry::strategy_of;
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::Kind;

/// The decoder lists at most this many.
///
/// Upstream: `sigs.k8s.io/json/internal/golang/encoding/json/kubernetes_patch.go saveStrictError`
const LISTED: usize = 100;

/// How the strict decoder's error begins.
///
/// Upstream: `k8s.io/apimachinery/pkg/runtime/error.go strictDecodingError`
const STRICT_DECODING_ERROR: &str = "strict decoding error: ";

/// How many letters of a name may be wrong for a guess at what was meant.
const MAX_WRONG_LETTERS: usize = 2;

/// A field that Kubernetes does not know. Its `Display` is the decoder's error, which is also the warning without strict field
/// validation: `unknown field "spec.replcas"`.
///
/// Upstream: `sigs.k8s.io/json/internal/golang/encoding/json/kubernetes_patch.go strictError`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// Its path.
    pub path: String,
    /// The name of the known field that was probably meant: one with nearly the same letters, in the same place.
    pub meant: Option<String>,
}

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown field {}", go::quoted(&self.path))
    }
}

impl UnknownField {
    /// The decoder's error, and the field that was probably meant: `unknown field "spec.replcas": did you mean "replicas"?`
    pub fn with_guess(&self) -> String {
        match &self.meant {
            Some(meant) => format!("{self}: did you mean {}?", go::quoted(meant)),
            None => self.to_string(),
        }
    }

    /// The same with the words that come first with strict field validation: `strict decoding error: unknown field ...`
    pub fn sentence(&self) -> String {
        format!("{STRICT_DECODING_ERROR}{}", self.with_guess())
    }
}

/// Why the API server refuses an object with unknown fields if it is created or replaced with strict field validation: a
/// BadRequest, before anything else is validated. None if there are no unknown fields.
pub fn strict_refusal(object: &Value, fields: &[UnknownField]) -> Option<String> {
    let refusal = || {
        let errors: Vec<String> = fields.iter().map(ToString::to_string).collect();
        undecodable(object, &format!("{STRICT_DECODING_ERROR}{}", errors.join(", ")))
    };
    (!fields.is_empty()).then(refusal)
}

/// The fields of an object that Kubernetes does not know, in the decoder's order, and at most as many as it lists. None for other
/// kinds, and if a field has the wrong type: then the decoder only says that. A proposed field is known if its gate is on.
pub fn unknown_fields(object: &Value, gates: &FeatureGates) -> Vec<UnknownField> {
    match strategy_of(object).map(|strategy| strategy.kind()) {
        Some(kind) if decoding_errors(object, kind).is_empty() => {
            take_unknown_fields(&mut object.clone(), kind, *gates)
        }
        _ => Vec::new(),
    }
}

/// The keys of a map at a path of an object that are none of the known ones.
pub(crate) fn unknown_keys(map: &Value, path: &str, known: &[&str]) -> Vec<UnknownField> {
    let keys = map.as_object().into_iter().flatten().map(|(key, _)| key);
    let unknown = keys.filter(|key| !known.contains(&key.as_str()));
    unknown.map(|key| UnknownField { path: format!("{path}{key}"), meant: meant(key, known) }).collect()
}

/// Drops the fields that Kubernetes does not know, as decoding does, and lists them.
pub(super) fn take_unknown_fields(object: &mut Value, kind: Kind, gates: FeatureGates) -> Vec<UnknownField> {
    let mut found: Vec<UnknownField> = Vec::new();
    let knows_proposed = gates.enabled(Feature::DeploymentPodReplacementPolicy);
    drop_and_report(object, kind, knows_proposed, &mut |path, name, known| {
        if found.len() < LISTED {
            let field = UnknownField { path: path.to_string(), meant: meant(name, known) };
            if !found.contains(&field) {
                found.push(field);
            }
        }
    });
    found
}

/// The known name with the fewest other letters.
pub(super) fn meant(name: &str, known: &[impl AsRef<str>]) -> Option<String> {
    let length = name.chars().count();
    let allowed = length.div_euclid(2).min(MAX_WRONG_LETTERS);
    let is_as_long = |other: &&str| other.chars().count().abs_diff(length) <= allowed;
    let others = known.iter().map(AsRef::as_ref).filter(is_as_long);
    let others = others.map(|other| (wrong_letters(name, other), other));
    others.filter(|(wrong, _)| *wrong <= allowed).min().map(|(_, other)| other.to_string())
}

/// How many letters must be added, removed or replaced (in any case) to make one name of another.
fn wrong_letters(name: &str, other: &str) -> usize {
    let first: Vec<usize> = (0..=other.chars().count()).collect();
    let last = name.chars().enumerate().fold(first, |above, (index, letter)| {
        let mut left = index.saturating_add(1);
        let mut row = vec![left];
        for ((replaced, removed), known) in above.iter().zip(above.iter().skip(1)).zip(other.chars()) {
            let replaced = replaced.saturating_add(usize::from(!letter.eq_ignore_ascii_case(&known)));
            left = replaced.min(removed.saturating_add(1)).min(left.saturating_add(1));
            row.push(left);
        }
        row
    });
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(spec: &Value) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    }

    fn unknown_fields_of(object: &Value) -> Vec<UnknownField> {
        unknown_fields(object, &FeatureGates::default())
    }

    fn paths(object: &Value) -> Vec<String> {
        unknown_fields_of(object).into_iter().map(|field| field.path).collect()
    }

    #[test]
    fn letters_are_counted() {
        for (name, other, wrong) in [
            ("replcas", "replicas", 1),
            ("maxSruge", "maxSurge", 2),
            ("Replicas", "replicas", 0),
            ("", "os", 2),
            ("kind", "kind", 0),
            ("image", "name", 3),
        ] {
            assert_eq!(wrong_letters(name, other), wrong, "{name} {other}");
            assert_eq!(wrong_letters(other, name), wrong, "{other} {name}");
        }
    }

    #[test]
    fn the_words_are_the_api_servers() {
        let object = deployment(&json!({"replcas": 5, "strategy": {"rollingUpdate": {"maxSruge": 1}}}));
        let fields = unknown_fields_of(&object);
        let expected = r#"Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replcas", unknown field "spec.strategy.rollingUpdate.maxSruge""#;
        assert_eq!(strict_refusal(&object, &fields).as_deref(), Some(expected));
        let sentences: Vec<String> = fields.iter().map(UnknownField::sentence).collect();
        let expected = [
            r#"strict decoding error: unknown field "spec.replcas": did you mean "replicas"?"#,
            r#"strict decoding error: unknown field "spec.strategy.rollingUpdate.maxSruge": did you mean "maxSurge"?"#,
        ];
        assert_eq!(sentences, expected);
        assert_eq!(strict_refusal(&object, &[]), None);
    }

    #[test]
    fn fields_are_found_at_any_depth_in_the_order_of_the_object() {
        let object = deployment(&json!({
            "Paused": true,
            "template": {
                "metadata": {"label": {"app": "web"}},
                "spec": {"containers": [
                    {"name": "a", "image": "a:1"},
                    {"name": "b", "resources": {"limit": {"cpu": 1}}, "readinessProbe": {"httpget": {"port": 80}}},
                ], "volumes": [{"name": "c", "emptydir": null}]},
            },
        }));
        let expected = [
            "spec.Paused",
            "spec.template.metadata.label",
            "spec.template.spec.containers[1].readinessProbe.httpget",
            "spec.template.spec.containers[1].resources.limit",
            "spec.template.spec.volumes[0].emptydir",
        ];
        assert_eq!(paths(&object), expected);
        let meant: Vec<Option<String>> = unknown_fields_of(&object).into_iter().map(|field| field.meant).collect();
        let names = ["paused", "labels", "httpGet", "limits", "emptyDir"];
        assert_eq!(meant, names.map(|name| Some(String::from(name))));
    }

    #[test]
    fn a_field_is_known_only_where_it_belongs() {
        let object =
            deployment(&json!({"kind": "x", "scheduling": {}, "volumeClaimTemplates": [], "nothingLikeIt": 1}));
        let expected = ["spec.kind", "spec.nothingLikeIt", "spec.scheduling", "spec.volumeClaimTemplates"];
        assert_eq!(paths(&object), expected);
        assert!(unknown_fields_of(&object).iter().all(|field| field.meant.is_none()));
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"managedFields": [{"x": 1}], "selfLink": "/"},
            "spec": {"scheduling": {"schedulingPolicy": {}}}, "status": {"y": 1},
        });
        assert_eq!(paths(&job), ["metadata.managedFields[0].x", "status.y"]);
        let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": {"accessMode": []}});
        let stateful_set = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"volumeClaimTemplates": [claim]},
        });
        assert_eq!(paths(&stateful_set), ["spec.volumeClaimTemplates[0].spec.accessMode"]);
    }

    #[test]
    fn other_kinds_and_unreadable_objects_have_none() {
        for api_version in ["example.com/v1", "apps/v1beta1"] {
            let object = json!({"apiVersion": api_version, "kind": "Deployment", "spec": {"replcas": 5}});
            assert_eq!(unknown_fields_of(&object), []);
        }
        assert_eq!(unknown_fields_of(&deployment(&json!({"replcas": 5, "paused": 3}))), []);
        assert_eq!(unknown_fields_of(&json!({"replcas": 5})), []);
    }

    #[test]
    fn a_hundred_are_listed() {
        let fields = (0..150).map(|number| (format!("field{number}"), json!(number)));
        assert_eq!(unknown_fields_of(&deployment(&Value::Object(fields.collect()))).len(), LISTED);
    }
}
