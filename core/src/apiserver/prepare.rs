//! Defaulting, and what the registry's strategies do before validation.

use alloc::string::String;

use serde_json::{Map, Value};

use super::equal::equal_field;
use super::kind::Kind;
use super::operation::Operation;
use super::strategy::Strategy;
use super::value::{at, field, map_at, map_in};
use super::{convert, daemon_set, deployment, pod, pod_spec, schema};
use crate::feature_gates::FeatureGates;

/// Fills in the defaults of an object, as decoding does. It never replaces a value, and does nothing the second time.
/// Upstream: `pkg/apis/apps/v1/zz_generated.defaults.go SetObjectDefaults_Deployment`, and those of the other kinds
pub fn default(object: &mut Value, kind: Kind, gates: &FeatureGates) {
    let strategy = Strategy::of(kind);
    schema::fill(object, strategy.shape);
    default_with(object, strategy, *gates);
}

pub(super) fn default_with(object: &mut Value, strategy: &Strategy, gates: FeatureGates) {
    if let Some(map) = object.as_object_mut() {
        (strategy.set_defaults)(map, gates);
    }
}

/// What the strategy does between admission and validation: the status is not the client's to write (or all but the
/// status), fields whose gate is off are dropped unless the old object uses them, and a change of the spec makes a new
/// generation.
/// Upstream: `pkg/registry/apps/deployment/strategy.go PrepareForCreate` and `PrepareForUpdate`, and those of the other
/// kinds
pub fn prepare(object: &mut Value, kind: Kind, operation: Operation<'_>, gates: &FeatureGates) {
    *object = convert::decoded(object, kind);
    match operation {
        Operation::Create => prepare_for_create(object, Strategy::of(kind), *gates),
        Operation::Update(old) => {
            prepare_for_update(object, &convert::decoded(old, kind), Strategy::of(kind), *gates);
        }
        Operation::UpdateStatus(old) => {
            convert::round_trip(object, kind);
            prepare_status(object, kind, &convert::decoded(old, kind), *gates);
        }
    }
}

pub(super) fn prepare_for_create(object: &mut Value, strategy: &Strategy, gates: FeatureGates) {
    let kind = strategy.kind;
    convert::round_trip(object, kind);
    drop_disabled_fields(object, None, kind, gates);
    (strategy.prepare)(object, None, gates);
    set_status(object, kind, initial_status(object, kind));
    set_generation(object, 1);
    encode(object, kind);
}

pub(super) fn prepare_for_update(object: &mut Value, old: &Value, strategy: &Strategy, gates: FeatureGates) {
    let kind = strategy.kind;
    convert::round_trip(object, kind);
    drop_disabled_fields(object, Some(old), kind, gates);
    (strategy.prepare)(object, Some(old), gates);
    set_status(object, kind, field(old, "status").cloned().unwrap_or_else(|| Value::Object(Map::new())));
    if spec_changed(object, old, kind) {
        // A Pod counts on from what the client sent.
        let counted = if kind == Kind::Pod { &*object } else { old };
        let generation = at(counted, &["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default();
        set_generation(object, generation.saturating_add(1));
    }
    encode(object, kind);
}

/// What only the way out of the API server takes away.
fn encode(object: &mut Value, kind: Kind) {
    if kind == Kind::Deployment {
        deployment::drop_empty_rollback(object);
    }
}

/// In the pod spec.
/// Upstream: `pkg/api/pod/util.go DropDisabledTemplateFields` and `DropDisabledPodFields`
fn drop_disabled_fields(object: &mut Value, old: Option<&Value>, kind: Kind, gates: FeatureGates) {
    let way = kind.template().unwrap_or_default();
    let old = old.and_then(|old| at(old, way)).and_then(|holder| field(holder, "spec"));
    let holder = way.iter().try_fold(object, |value, key| value.get_mut(*key));
    if let Some(spec) = holder.and_then(|holder| holder.get_mut("spec")) {
        pod_spec::drop_disabled_fields(spec, old, gates);
    }
}

/// An update of the status keeps all that is not status.
fn prepare_status(object: &mut Value, kind: Kind, old: &Value, gates: FeatureGates) {
    if let Some(map) = object.as_object_mut() {
        keep(map, "spec", field(old, "spec"));
        if kind == Kind::Deployment
            && let Some(metadata) = map_in(map, "metadata")
        {
            keep(metadata, "labels", at(old, &["metadata", "labels"]));
        }
    }
    if matches!(kind, Kind::Deployment | Kind::ReplicaSet)
        && let Some(status) = object.get_mut("status").and_then(Value::as_object_mut)
    {
        deployment::drop_disabled_status_fields(status, field(old, "status"), gates);
    }
    match kind {
        Kind::DaemonSet => daemon_set::keep_template_generation(object, old),
        Kind::Deployment => deployment::keep_rollback(object, old),
        Kind::Pod => pod::prepare_status(object, old),
        _ => {}
    }
    // What came from the old object was converted too.
    convert::round_trip(object, kind);
}

fn keep(map: &mut Map<String, Value>, key: &str, old: Option<&Value>) {
    match old {
        Some(value) => map.insert(key.into(), value.clone()),
        None => map.remove(key),
    };
}

/// Whether there is a new generation to count.
fn spec_changed(object: &Value, old: &Value, kind: Kind) -> bool {
    let changed = |way: &[&str]| !equal_field(way.last().copied().unwrap_or_default(), at(object, way), at(old, way));
    match kind {
        Kind::PodTemplate => changed(&["template"]),
        // Annotations count, since they are copied from Deployments to their ReplicaSets.
        Kind::Deployment => changed(&["spec"]) || changed(&["metadata", "annotations"]),
        _ => changed(&["spec"]),
    }
}

/// The status of a new object. Counts stand here which are written even if they are 0.
fn initial_status(object: &Value, kind: Kind) -> Value {
    let counts: &[&str] = match kind {
        Kind::Pod => return pod::initial_status(object),
        Kind::ReplicaSet | Kind::ReplicationController => &["replicas"],
        Kind::StatefulSet => &["availableReplicas", "replicas"],
        Kind::DaemonSet => &["currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady"],
        Kind::CronJob | Kind::Deployment | Kind::Job | Kind::PodTemplate => &[],
    };
    Value::from_iter(counts.iter().map(|key| (*key, 0)))
}

fn set_status(object: &mut Value, kind: Kind, status: Value) {
    if kind != Kind::PodTemplate
        && let Some(map) = object.as_object_mut()
    {
        map.insert("status".into(), status);
    }
}

fn set_generation(object: &mut Value, generation: i64) {
    if let Some(metadata) = map_at(object, &["metadata"]) {
        match generation {
            // Go leaves it out.
            0 => metadata.remove("generation"),
            generation => metadata.insert("generation".into(), generation.into()),
        };
    }
}
