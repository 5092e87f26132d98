//! The scale subresource: `kubectl scale` and autoscalers write a Scale, and the workload behind it is read from the cluster.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::cluster_reader::{Cluster, Freshness, Lookup};
use super::limits::{self, Findings};
use super::owner::{self, Controller};
use super::request::{Request, is_deleted};
use super::settings::Settings;
use super::warnings::{Importance, Warnings};
use crate::Problem;
use crate::apiserver::{self, Shape};
use crate::object::Kind;
use crate::object::unstructured::{field, map_at, string};

/// The fields of the workload that decide how many pods exist over time, and what they request.
const FIELDS: &[&str] = &[
    "spec.minReadySeconds",
    "spec.paused",
    "spec.podReplacementPolicy",
    "spec.progressDeadlineSeconds",
    "spec.replicas",
    "spec.revisionHistoryLimit",
    "spec.strategy",
    "spec.template.metadata.labels",
    "spec.template.spec.containers.name",
    "spec.template.spec.containers.lifecycle",
    "spec.template.spec.containers.readinessProbe",
    "spec.template.spec.containers.resources",
    "spec.template.spec.containers.startupProbe",
    "spec.template.spec.initContainers.name",
    "spec.template.spec.initContainers.resources",
    "spec.template.spec.initContainers.restartPolicy",
    "spec.template.spec.overhead",
    "spec.template.spec.resources",
    "spec.template.spec.terminationGracePeriodSeconds",
    "status",
];

/// Upstream: `k8s.io/api/autoscaling/v1/types.go Scale`
const SHAPE: Shape = Shape::Object(&[("spec", Shape::Object(&[("replicas", Shape::Int32)]))]);

/// An update of a workload's scale subresource.
pub(super) struct Scale<'a> {
    kind: Kind,
    namespace: &'a str,
    name: &'a str,
    new: &'a Value,
    old: &'a Value,
    user: &'a str,
}

/// A workload before and after its Scale is written.
pub(super) struct Scaled {
    old: Value,
    new: Value,
}

impl<'a> Scale<'a> {
    /// Reads a request about a scale subresource; none if it is about something else.
    pub(super) fn read(request: &'a Value) -> Option<Self> {
        if string(request, "subResource") != "scale" || string(request, "operation") != "UPDATE" {
            return None;
        }
        let resource = field(request, "resource")?;
        let (group, name) = (string(resource, "group"), string(resource, "resource"));
        let group_of = |kind: Kind| kind.api_version().split_once('/').map_or("", |(group, _)| group);
        let is_it = |kind: &Kind| kind.has_replicas() && kind.resource() == name && group == group_of(*kind);
        let kind = Kind::ALL.into_iter().find(is_it)?;
        Some(Self {
            kind,
            namespace: string(request, "namespace"),
            name: string(request, "name"),
            new: field(request, "object")?,
            old: field(request, "oldObject")?,
            user: field(request, "userInfo").map_or("", |user| string(user, "username")),
        })
    }

    /// The fields of the Scale that can't be read.
    pub(super) fn problems(&self) -> Vec<Problem> {
        apiserver::wrong_types(self.new, &SHAPE).into_iter().map(Problem::from).collect()
    }

    /// Checks the replicas that it sets.
    pub(super) fn check_replicas(&self, settings: &Settings, findings: &mut Findings) {
        let [old, new] = [self.old, self.new].map(limits::replicas_of_scale);
        if old != new {
            limits::check_replicas(self.kind, new, settings, findings);
        }
    }

    /// The workload before and after; none if the cluster can't tell, or if it is being deleted.
    pub(super) fn workload(&self, cluster: &mut Cluster<'_>) -> Option<Scaled> {
        const CONSEQUENCE: &str = "the scaling is not judged";
        let Self { kind, namespace, name, .. } = *self;
        let lookup = Lookup { kind, namespace, name, fields: FIELDS, freshness: Freshness::Latest };
        let mut old = match cluster.get(&lookup, CONSEQUENCE).ok()? {
            Some(workload) if self.differs(&workload, "uid") => {
                cluster.note(format!("{CONSEQUENCE}: the cluster has another {kind} {name}"));
                return None;
            }
            // Its pods go, whatever its replicas are.
            Some(workload) if is_deleted(&workload) => return None,
            Some(workload) if is_readable(&workload, kind) => workload,
            Some(_) => {
                cluster.note(format!("{CONSEQUENCE}: {kind} {name} is malformed"));
                return None;
            }
            None => {
                cluster.note(format!("{CONSEQUENCE}: the cluster has no {kind} {name}"));
                return None;
            }
        };
        if self.differs(&old, "resourceVersion") {
            cluster.note(format!("the status of {kind} {name} is from another version than this scaling"));
            // So it is unknown whether it is settled.
            if let Some(metadata) = map_at(&mut old, &["metadata"]) {
                metadata.insert("generation".into(), i64::MAX.into());
            }
        }
        let mut new = old.clone();
        set_replicas(&mut old, self.old);
        set_replicas(&mut new, self.new);
        Some(Scaled { old, new })
    }

    /// Whether the workload is another object, or another version of it, than the Scale is about.
    fn differs(&self, workload: &Value, key: &str) -> bool {
        let of = |object| field(object, "metadata").map_or("", |metadata| string(metadata, key));
        let (its, found) = (of(self.old), of(workload));
        !its.is_empty() && !found.is_empty() && its != found
    }
}

impl Scaled {
    /// Whether a label of the workload exempts it.
    pub(super) fn is_exempt(&self, settings: &Settings) -> bool {
        limits::is_labeled(&self.old, settings)
    }

    /// The request that changes the replicas in the workload itself.
    pub(super) fn request<'a>(&'a self, scale: &Scale<'a>) -> Request<'a> {
        Request::of_scale(scale.kind, scale.namespace, &self.new, &self.old, scale.user)
    }

    /// Warns about a ReplicaSet whose Deployment will scale it back.
    pub(super) fn warn_of_owner(&self, scale: &Scale<'_>, warnings: &mut Warnings) {
        if Controller::of(&self.new, scale.kind) == Controller::Of(Kind::Deployment)
            && let Some(reference) = owner::controller_reference(&self.new)
        {
            let name = string(reference, "name");
            let text = format!("Deployment {name} sets this ReplicaSet's replicas: scale the Deployment instead");
            warnings.push(Importance::NoEffect, text);
        }
    }
}

fn is_readable(workload: &Value, kind: Kind) -> bool {
    let has_right_types = |shape| apiserver::wrong_types(workload, shape).is_empty();
    field(workload, "spec").is_some()
        && apiserver::reviewed(kind).is_some_and(|reviewed| has_right_types(reviewed.shape))
}

/// Writes the replicas of a Scale into the workload. Zero is absent there.
fn set_replicas(workload: &mut Value, scale: &Value) {
    let replicas = limits::replicas_of_scale(scale);
    if let Some(spec) = map_at(workload, &["spec"]) {
        spec.insert(String::from("replicas"), replicas.into());
    }
}
