//! Limits that have nothing to do with a cluster: how many replicas a workload may have, how it is rolled out, how its pods stop.
//!
//! They are rules of the administrators, for everyone but the controllers: an autoscaler keeps to them, too.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::forecast;
use super::request::{Part, Request, is_binding};
use super::settings::{Interval, Settings, ValidationAction};
use super::warnings::{Importance, Warnings};
use crate::Problem;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, Time};

/// Seconds that a pod gets to stop, if it says nothing.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_PodSpec`
const GRACE: i64 = 30;

/// What the limits say of a request.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) violations: Vec<Problem>,
    pub(super) warnings: Warnings,
}

impl Findings {
    pub(super) const fn is_empty(&self) -> bool {
        self.violations.is_empty() && self.warnings.is_empty()
    }

    /// Does what a setting says about a rule that is broken: the value of a field, the rule, and the setting's path.
    pub(super) fn add(&mut self, action: ValidationAction, path: &str, finding: &str, setting: &str) {
        match action {
            ValidationAction::Allow => {}
            ValidationAction::Warn => self.warnings.push(Importance::Rollout, format!("{path}: {finding} ({setting})")),
            ValidationAction::Deny => {
                let message = format!("{finding} (setting {setting})");
                self.violations.push(Problem::new(path, message));
            }
        }
    }
}

/// Checks an object after defaulting.
pub(super) fn check(request: &Request<'_>, object: &Value, settings: &Settings, findings: &mut Findings) {
    // What a controller makes has what its owner's template has, and a ReplicaSet as many replicas as its Deployment wants.
    if request.is_by_controller() || request.part != Part::Whole {
        return;
    }
    if request.changed(&["spec", "replicas"]) {
        check_replicas(request.kind, forecast::replicas(object), settings, findings);
    }
    if request.kind == Kind::Deployment
        && request.changed(&["spec", "strategy", "type"])
        && at(object, &["spec", "strategy", "type"]).and_then(Value::as_str) == Some("Recreate")
    {
        let finding = "Invalid value: \"Recreate\": all old pods stop before a new one starts";
        findings.add(settings.rollout.recreate, "spec.strategy.type", finding, "rollout.recreate");
    }
    check_pods(request, object, settings, findings);
}

/// Checks how many replicas a workload gets, by an update or by its scale subresource.
pub(super) fn check_replicas(kind: Kind, replicas: i64, settings: &Settings, findings: &mut Findings) {
    const PATH: &str = "spec.replicas";
    if !kind.has_replicas() {
        return;
    }
    let range = settings.replicas;
    if let Some(min) = range.min.filter(|min| replicas < i64::from(*min)) {
        let finding = format!("Invalid value: {replicas}: must be at least {min}");
        findings.add(range.action.into(), PATH, &finding, "replicas.min");
    }
    if let Some(max) = range.max.filter(|max| replicas > i64::from(*max)) {
        let finding = format!("Invalid value: {replicas}: must be at most {max}");
        findings.add(range.action.into(), PATH, &finding, "replicas.max");
    }
}

/// Checks how pods start and stop, on Pods and on what has a template.
fn check_pods(request: &Request<'_>, object: &Value, settings: &Settings, findings: &mut Findings) {
    let template = request.kind.pod_template();
    let Some(holder) = template.or_else(|| (request.kind == Kind::Pod).then_some(&[][..])) else { return };
    let path_of = |names: &[&'static str]| -> Vec<&'static str> { holder.iter().chain(names).copied().collect() };
    let spec_path = path_of(&["spec"]);
    let grace_path = path_of(&["spec", "terminationGracePeriodSeconds"]);
    if let Some(most) = &settings.pods.max_grace_period {
        if request.changed(&grace_path) {
            let given = at(object, &grace_path);
            let seconds = given.and_then(Value::as_i64).unwrap_or(GRACE);
            check_grace(seconds, &grace_path.join("."), most, settings, findings);
        }
        let old = request.old.and_then(|old| at(old, &spec_path)).map(probe_graces).unwrap_or_default();
        for grace in at(object, &spec_path).map(probe_graces).unwrap_or_default() {
            if !old.iter().any(|old| old.is_same(&grace)) {
                let path = format!("{}.{}", spec_path.join("."), grace.path);
                check_grace(grace.seconds, &path, most, settings, findings);
            }
        }
    }
    if request.kind.workload().is_some_and(|workload| workload.pods_end) {
        return;
    }
    let old = request.old.and_then(|old| at(old, &spec_path));
    let new = at(object, &spec_path).unwrap_or(&Value::Null);
    let path = path_of(&["spec", "containers"]).join(".");
    let mut require = |action: ValidationAction, is_met: fn(&Value) -> bool, what: &str, setting: &str| {
        // What lacked it before may still be changed otherwise.
        if lacks(new, is_met) && !old.is_some_and(|old| lacks(old, is_met)) {
            findings.add(action, &path, &format!("Required value: pods with ports need {what}"), setting);
        }
    };
    let has_probe = |container: &Value| field(container, "readinessProbe").is_some();
    require(settings.pods.readiness_probe, has_probe, "a readinessProbe", "pods.readiness_probe");
    let has_hook = |container: &Value| field(container, "lifecycle").is_some_and(|it| field(it, "preStop").is_some());
    require(settings.pods.pre_stop, has_hook, "a preStop hook", "pods.pre_stop");
}

/// Whether a pod has a port, and no container that meets the condition, sidecars included. The policy reads no Services: what has a
/// port is taken for what one sends requests to.
fn lacks(spec: &Value, is_met: fn(&Value) -> bool) -> bool {
    let is_sidecar = |container: &&Value| string(container, "restartPolicy") == "Always";
    let sidecars = || list(spec, "initContainers").iter().filter(is_sidecar);
    let containers = || list(spec, "containers").iter().chain(sidecars());
    containers().any(|container| !list(container, "ports").is_empty()) && !containers().any(is_met)
}

/// How long a pod gets to stop after one of its probes has failed, in place of its own grace period.
struct ProbeGrace<'a> {
    /// Of the container, which may move in its list.
    name: &'a str,
    probe: &'static str,
    path: String,
    seconds: i64,
}

impl ProbeGrace<'_> {
    fn is_same(&self, other: &ProbeGrace<'_>) -> bool {
        (self.name, self.probe, self.seconds) == (other.name, other.probe, other.seconds)
    }
}

/// The grace periods of the probes that restart a container.
fn probe_graces(spec: &Value) -> Vec<ProbeGrace<'_>> {
    let mut graces = Vec::new();
    for key in ["initContainers", "containers"] {
        for (index, container) in list(spec, key).iter().enumerate() {
            for probe in ["livenessProbe", "startupProbe"] {
                let seconds = at(container, &[probe, "terminationGracePeriodSeconds"]).and_then(Value::as_i64);
                graces.extend(seconds.map(|seconds| ProbeGrace {
                    name: string(container, "name"),
                    probe,
                    path: format!("{key}[{index}].{probe}.terminationGracePeriodSeconds"),
                    seconds,
                }));
            }
        }
    }
    graces
}

fn check_grace(seconds: i64, path: &str, most: &Interval, settings: &Settings, findings: &mut Findings) {
    if seconds.saturating_mul(Time::SECOND) > most.nanoseconds {
        let finding = format!("Invalid value: {seconds}: must be at most {}", most.text);
        findings.add(settings.pods.action.into(), path, &finding, "pods.max_grace_period");
    }
}

/// Whether the settings have nothing to do with a request.
pub(super) fn is_exempt(request: &Value, settings: &Settings) -> bool {
    let exempt = &settings.exempt;
    let user = field(request, "userInfo").map_or("", |user| string(user, "username"));
    // The labels of a Scale or of a Binding are not those of the object that it changes: a client writes what it likes there.
    let has_labels = matches!(string(request, "subResource"), "" | "status") && !is_binding(request);
    exempt.namespaces.as_ref().is_some_and(|namespaces| namespaces.contains(string(request, "namespace")))
        || exempt.users.as_ref().is_some_and(|users| users.contains(user))
        || has_labels && field(request, "object").is_some_and(|object| is_labeled(object, settings))
}

/// Whether an object has a label that exempts it.
pub(super) fn is_labeled(object: &Value, settings: &Settings) -> bool {
    let labels = at(object, &["metadata", "labels"]).unwrap_or(&Value::Null);
    let has = |(label, value): &(String, String)| string(labels, label) == value && field(labels, label).is_some();
    settings.exempt.labels.iter().any(has)
}

/// The replicas of a Scale; zero is absent there.
pub(super) fn replicas_of_scale(scale: &Value) -> i64 {
    field(scale, "spec").and_then(|spec| integer(spec, "replicas")).unwrap_or_default()
}
