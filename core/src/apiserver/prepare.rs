//! What happens to an object before it is validated: defaults, and what only the API server may write.

use serde_json::{Map, Value};

use super::conversion::decoded;
use super::decode::fill_nulls;
use super::operation::Operation;
use super::pod_spec::{self, pod_holder, pod_holder_mut};
use super::strategy::Strategy;
use crate::feature_gates::FeatureGates;
use crate::object::unstructured::{field, map_at, set_or_remove};

/// Fills in the defaults of an object, as decoding does. It never replaces a value, and does nothing the second time.
///
/// Upstream: `pkg/apis/apps/v1/zz_generated.defaults.go SetObjectDefaults_Deployment`, and those of the other kinds
pub fn default(object: &mut Value, strategy: &dyn Strategy, gates: &FeatureGates) {
    fill_nulls(object, strategy.shape());
    set_defaults(object, strategy, *gates);
}

pub(super) fn set_defaults(object: &mut Value, strategy: &dyn Strategy, gates: FeatureGates) {
    if let Some(map) = object.as_object_mut() {
        strategy.set_defaults(map, gates);
    }
}

/// What the strategy does between admission and validation: the status is not the client's to write (or all but the
/// status), fields whose gate is off are dropped unless the old object uses them, and a change of the spec makes a new
/// generation.
///
/// Upstream: `pkg/registry/apps/deployment/strategy.go PrepareForCreate` and `PrepareForUpdate`, and those of the other
/// kinds
pub fn prepare(object: &mut Value, strategy: &dyn Strategy, operation: Operation<'_>, gates: &FeatureGates) {
    *object = decoded(object, strategy);
    match operation {
        Operation::Create => prepare_for_create(object, strategy, *gates),
        Operation::Update(old) => prepare_for_update(object, &decoded(old, strategy), strategy, *gates),
        Operation::UpdateStatus(old) => prepare_status(object, &decoded(old, strategy), strategy, *gates),
    }
}

pub(super) fn prepare_for_create(object: &mut Value, strategy: &dyn Strategy, gates: FeatureGates) {
    strategy.convert(object);
    drop_disabled_pod_fields(object, None, strategy, gates);
    strategy.prepare(object, None, gates);
    let status = strategy.initial_status(object);
    set_status(object, strategy, status);
    if let Some(metadata) = map_at(object, &["metadata"]) {
        metadata.insert("generation".into(), 1.into());
    }
    strategy.convert_back(object);
}

pub(super) fn prepare_for_update(object: &mut Value, old: &Value, strategy: &dyn Strategy, gates: FeatureGates) {
    strategy.convert(object);
    drop_disabled_pod_fields(object, Some(old), strategy, gates);
    strategy.prepare(object, Some(old), gates);
    let status = field(old, "status").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    set_status(object, strategy, status);
    if let Some(generation) = strategy.next_generation(object, old)
        && let Some(metadata) = map_at(object, &["metadata"])
    {
        // Go leaves a 0 out.
        let written = (generation != 0).then(|| Value::from(generation));
        set_or_remove(metadata, "generation", written.as_ref());
    }
    strategy.convert_back(object);
}

/// An update of the status keeps all that is not status.
fn prepare_status(object: &mut Value, old: &Value, strategy: &dyn Strategy, gates: FeatureGates) {
    strategy.convert(object);
    if let Some(map) = object.as_object_mut() {
        set_or_remove(map, "spec", field(old, "spec"));
    }
    strategy.prepare_status(object, old, gates);
    // What came from the old object was converted too.
    strategy.convert(object);
}

/// In the pod spec, and annotations that took the place of its fields once.
///
/// Upstream: `pkg/api/pod/util.go DropDisabledTemplateFields` and `DropDisabledPodFields`
fn drop_disabled_pod_fields(object: &mut Value, old: Option<&Value>, strategy: &dyn Strategy, gates: FeatureGates) {
    let old = old.and_then(|old| pod_holder(old, strategy.kind())).and_then(|holder| field(holder, "spec"));
    let Some(holder) = pod_holder_mut(object, strategy.kind()) else { return };
    if let Some(spec) = holder.get_mut("spec") {
        pod_spec::drop_disabled_fields(spec, old, gates);
    }
    pod_spec::drop_init_container_annotations(holder);
}

fn set_status(object: &mut Value, strategy: &dyn Strategy, status: Value) {
    if let Some(map) = object.as_object_mut().filter(|_| strategy.has_status()) {
        map.insert("status".into(), status);
    }
}
