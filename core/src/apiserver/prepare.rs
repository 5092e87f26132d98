//! Defaulting, and what the registry's strategies do before validation.

use serde_json::{Map, Value};

use super::kind::Kind;
use super::value::{at, field, map_at, map_in, semantic_equal};
use super::{cron_job, daemon_set, deployment, job, pod, pod_spec, replication_controller, stateful_set};
use crate::feature_gates::FeatureGates;

/// Fills in the defaults of an object, as decoding does. It never replaces a value, and does nothing the second time.
/// Upstream: `pkg/apis/{apps,batch,core}/v1/zz_generated.defaults.go SetObjectDefaults_*`
pub fn default(object: &mut Value, kind: Kind, gates: &FeatureGates) {
    let Some(map) = object.as_object_mut() else { return };
    match kind {
        Kind::Job => job::set_defaults(map, *gates),
        Kind::ReplicationController => replication_controller::set_defaults(map),
        _ => {}
    }
    if kind == Kind::PodTemplate {
        return pod_spec::set_defaults_template(map);
    }
    let Some(spec) = map_in(map, "spec") else { return };
    match kind {
        Kind::Deployment => deployment::set_defaults(spec),
        Kind::ReplicaSet => super::value::set_default(spec, "replicas", 1),
        Kind::StatefulSet => stateful_set::set_defaults(spec, *gates),
        Kind::DaemonSet => daemon_set::set_defaults(spec),
        Kind::CronJob => {
            cron_job::set_defaults(spec);
            if let Some(job_spec) = map_in(spec, "jobTemplate").and_then(|template| map_in(template, "spec")) {
                job::set_defaults_pod_failure_policy(job_spec);
                pod_spec::set_defaults_template(job_spec);
            }
        }
        Kind::Pod => pod::set_defaults(spec),
        Kind::Job | Kind::PodTemplate | Kind::ReplicationController => {}
    }
    if !matches!(kind, Kind::CronJob | Kind::Pod) {
        pod_spec::set_defaults_template(spec);
    }
}

/// What the strategy does between admission and validation: the status is not the client's to write, fields whose gate
/// is off are dropped unless the old object uses them, and a change of the spec makes a new generation.
/// Upstream: `pkg/registry/{apps,batch,core}/*/strategy.go PrepareForCreate` and `PrepareForUpdate`
pub fn prepare(object: &mut Value, kind: Kind, old: Option<&Value>, gates: &FeatureGates) {
    if let Some(spec) = map_at(object, &["spec"]) {
        let old_spec = old.and_then(|old| field(old, "spec"));
        match kind {
            Kind::Deployment => deployment::drop_disabled_fields(spec, old_spec, *gates),
            Kind::Job => job::drop_disabled_fields(spec, old_spec, *gates),
            _ => {}
        }
    }
    let changed = old.is_some_and(|old| {
        let annotations = &["metadata", "annotations"];
        !semantic_equal(field(object, "spec"), field(old, "spec"))
            // Annotations count, since they are copied from Deployments to their ReplicaSets.
            || (kind == Kind::Deployment && !semantic_equal(at(object, annotations), at(old, annotations)))
    });
    let Some(map) = object.as_object_mut() else { return };
    let generation = match old {
        None => Some(1),
        Some(old) if changed => {
            let generation = at(old, &["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default();
            Some(generation.saturating_add(1))
        }
        Some(_) => None,
    };
    if kind == Kind::PodTemplate {
        return;
    }
    let status = match old {
        None if kind == Kind::Pod => Value::from_iter([("phase", "Pending")]),
        // These two print their count even if it is 0.
        None if matches!(kind, Kind::ReplicaSet | Kind::ReplicationController) => Value::from_iter([("replicas", 0)]),
        None => Value::Object(Map::new()),
        Some(old) => field(old, "status").cloned().unwrap_or_else(|| Value::Object(Map::new())),
    };
    map.insert("status".into(), status);
    if let Some(generation) = generation
        && let Some(metadata) = map_in(map, "metadata")
    {
        metadata.insert("generation".into(), generation.into());
    }
}
