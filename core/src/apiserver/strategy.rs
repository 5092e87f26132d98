//! What differs from kind to kind, in a table for each: who needs few kinds carries few.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::FieldError;
use super::kind::Kind;
use super::meta::{self, NameRule};
use super::pod_spec::{self, Options};
use super::schema::{self, Shape};
use super::value::{field, map_in, set_default};
use super::{
    cron_job, daemon_set, deployment, job, job_prepare, job_update, pod, replica_set, replication_controller, selector,
    stateful_set,
};
use crate::feature_gates::FeatureGates;
use crate::path::Path;

/// How the API server treats the objects of one kind.
/// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStrategy`, and those of the other kinds
#[derive(Debug)]
pub struct Strategy {
    pub(super) kind: Kind,
    pub(super) shape: &'static Shape,
    /// Upstream: `pkg/apis/apps/v1/zz_generated.defaults.go SetObjectDefaults_Deployment`, and those of the other kinds
    pub(super) set_defaults: fn(&mut Map<String, Value>, FeatureGates),
    /// What happens to the spec before validation, with the old object on an update.
    pub(super) prepare: fn(&mut Value, Option<&Value>, FeatureGates),
    pub(super) validate: fn(&Written<'_>, &mut Vec<FieldError>),
}

/// A write of metadata and spec that is validated.
pub(super) struct Written<'a> {
    pub(super) object: &'a Value,
    pub(super) old: Option<&'a Value>,
    pub(super) options: Options,
    pub(super) gates: FeatureGates,
}

/// Deployments, and the objects below them.
pub const ROLLOUT: &[&Strategy] = &[&DEPLOYMENT, &POD, &REPLICA_SET];

/// All kinds that are known, sorted by name.
pub const ALL: &[&Strategy] = &[
    &CRON_JOB,
    &DAEMON_SET,
    &DEPLOYMENT,
    &JOB,
    &POD,
    &POD_TEMPLATE,
    &REPLICA_SET,
    &REPLICATION_CONTROLLER,
    &STATEFUL_SET,
];

impl Strategy {
    /// That of a kind.
    pub(super) const fn of(kind: Kind) -> &'static Self {
        match kind {
            Kind::CronJob => &CRON_JOB,
            Kind::DaemonSet => &DAEMON_SET,
            Kind::Deployment => &DEPLOYMENT,
            Kind::Job => &JOB,
            Kind::Pod => &POD,
            Kind::PodTemplate => &POD_TEMPLATE,
            Kind::ReplicaSet => &REPLICA_SET,
            Kind::ReplicationController => &REPLICATION_CONTROLLER,
            Kind::StatefulSet => &STATEFUL_SET,
        }
    }
}

impl Written<'_> {
    fn spec(&self) -> &Value {
        field(self.object, "spec").unwrap_or(&Value::Null)
    }

    fn old_spec(&self) -> Option<&Value> {
        self.old.map(|old| field(old, "spec").unwrap_or(&Value::Null))
    }

    fn validate_metadata(&self, rule: NameRule, errors: &mut Vec<FieldError>) {
        match self.old {
            Some(old) => meta::validate_object_meta_update(self.object, old, errors),
            None => meta::validate_object_meta(self.object, rule, errors),
        }
    }

    fn validate_immutable_selector(&self, errors: &mut Vec<FieldError>) {
        if let Some(old) = self.old_spec() {
            meta::validate_immutable(self.spec(), old, "selector", &SPEC, selector::rendered, errors);
        }
    }
}

const SPEC: Path<'static> = Path::Root("spec");

fn set_spec_defaults(object: &mut Map<String, Value>, set_defaults: impl FnOnce(&mut Map<String, Value>)) {
    let Some(spec) = map_in(object, "spec") else { return };
    set_defaults(spec);
    pod_spec::set_defaults_template(spec);
}

fn prepare_spec(object: &mut Value, prepare: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        prepare(spec);
    }
}

const CRON_JOB: Strategy = Strategy {
    kind: Kind::CronJob,
    shape: &schema::CRON_JOB,
    set_defaults: |object, _| {
        let Some(spec) = map_in(object, "spec") else { return };
        cron_job::set_defaults(spec);
        if let Some(job_spec) = map_in(spec, "jobTemplate").and_then(|template| map_in(template, "spec")) {
            job::set_defaults_pod_failure_policy(job_spec);
            pod_spec::set_defaults_template(job_spec);
        }
    },
    prepare: |_, _, _| {},
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        cron_job::validate_spec(write.spec(), write.old_spec(), &SPEC, write.options, errors);
        if write.old.is_none() {
            cron_job::validate_name(write.object, errors);
        }
    },
};

const DAEMON_SET: Strategy = Strategy {
    kind: Kind::DaemonSet,
    shape: &schema::DAEMON_SET,
    set_defaults: |object, _| set_spec_defaults(object, daemon_set::set_defaults),
    prepare: |object, old, _| daemon_set::prepare_template_generation(object, old),
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        if let Some(old) = write.old {
            daemon_set::validate_template_generation(write.object, old, &SPEC, errors);
        }
        daemon_set::validate_spec(write.object, &SPEC, write.options.with_selector(write.old), errors);
        write.validate_immutable_selector(errors);
    },
};

const DEPLOYMENT: Strategy = Strategy {
    kind: Kind::Deployment,
    shape: &schema::DEPLOYMENT,
    set_defaults: |object, _| set_spec_defaults(object, deployment::set_defaults),
    prepare: |object, old, gates| {
        let old = old.and_then(|old| field(old, "spec"));
        prepare_spec(object, |spec| deployment::drop_disabled_fields(spec, old, gates));
    },
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        deployment::validate_spec(write.spec(), &SPEC, write.options, errors);
        deployment::validate_rollback(write.object, &SPEC, errors);
        write.validate_immutable_selector(errors);
    },
};

/// A Job looks at its metadata in its own way.
const JOB: Strategy = Strategy {
    kind: Kind::Job,
    shape: &schema::JOB,
    set_defaults: |object, gates| {
        job::set_defaults(object, gates);
        set_spec_defaults(object, |_| {});
    },
    prepare: |object, old, gates| {
        let old_spec = old.and_then(|old| field(old, "spec"));
        prepare_spec(object, |spec| job_prepare::drop_disabled_fields(spec, old_spec, gates));
        if old.is_none() {
            job_prepare::generate_selector_if_needed(object);
        }
    },
    validate: |write, errors| {
        let options = write.options.with_selector(write.old);
        job_update::validate_job(write.object, write.old, options, errors);
        if let Some(old) = write.old {
            job_update::validate_job_update(write.object, old, options, write.gates, errors);
        }
    },
};

/// A Pod looks at its metadata in its own way.
const POD: Strategy = Strategy {
    kind: Kind::Pod,
    shape: &schema::POD,
    set_defaults: |object, _| {
        if let Some(spec) = map_in(object, "spec") {
            pod::set_defaults(spec);
        }
    },
    prepare: |_, _, _| {},
    validate: |write, errors| match write.old {
        None => pod::validate_create(write.object, write.options, errors),
        Some(old) => pod::validate_update(write.object, old, write.options, errors),
    },
};

const POD_TEMPLATE: Strategy = Strategy {
    kind: Kind::PodTemplate,
    shape: &schema::POD_TEMPLATE_OBJECT,
    set_defaults: |object, _| pod_spec::set_defaults_template(object),
    prepare: |_, _, _| {},
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        let template = field(write.object, "template").unwrap_or(&Value::Null);
        pod_spec::validate_pod_template_spec(template, &Path::Root("template"), write.options, errors);
    },
};

const REPLICA_SET: Strategy = Strategy {
    kind: Kind::ReplicaSet,
    shape: &schema::REPLICA_SET,
    set_defaults: |object, _| set_spec_defaults(object, |spec| set_default(spec, "replicas", 1)),
    prepare: |_, _, _| {},
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        replica_set::validate_spec(write.spec(), &SPEC, write.options, errors);
        write.validate_immutable_selector(errors);
    },
};

const REPLICATION_CONTROLLER: Strategy = Strategy {
    kind: Kind::ReplicationController,
    shape: &schema::REPLICATION_CONTROLLER,
    set_defaults: |object, _| {
        replication_controller::set_defaults(object);
        // It need not have a template.
        let spec =
            map_in(object, "spec").filter(|spec| spec.get("template").is_some_and(|template| !template.is_null()));
        if let Some(spec) = spec {
            pod_spec::set_defaults_template(spec);
        }
    },
    prepare: |_, _, _| {},
    validate: |write, errors| {
        write.validate_metadata(NameRule::LongName, errors);
        replication_controller::validate_spec(write.spec(), &SPEC, write.options, errors);
        if let Some(old) = write.old {
            replication_controller::validate_non_convertible(write.object, old, errors);
        }
    },
};

const STATEFUL_SET: Strategy = Strategy {
    kind: Kind::StatefulSet,
    shape: &schema::STATEFUL_SET,
    set_defaults: |object, gates| set_spec_defaults(object, |spec| stateful_set::set_defaults(spec, gates)),
    prepare: |object, old, gates| {
        let old = old.and_then(|old| field(old, "spec"));
        prepare_spec(object, |spec| stateful_set::drop_disabled_fields(spec, old, gates));
    },
    validate: |write, errors| {
        write.validate_metadata(NameRule::DnsLabel, errors);
        match write.old_spec() {
            None => stateful_set::validate_create(write.spec(), &SPEC, write.options, errors),
            Some(old) => stateful_set::validate_update(write.spec(), old, &SPEC, write.options, errors),
        }
    },
};
