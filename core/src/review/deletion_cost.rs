//! The settings' rules about the pod-deletion-cost annotation, and where it does nothing.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::managed_fields::{self, Entry};
use super::owner::Controller;
use super::request::Request;
use super::settings::{Settings, ValidationAction};
use super::warnings::{Importance, Warnings};
use crate::apiserver::{self, POD_DELETION_COST};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::unstructured::{at, field, map};
use crate::object::{Kind, Time};
use crate::problem::shortened;
use crate::{Problem, go};

const ANNOTATION: [&str; 3] = ["metadata", "annotations", POD_DELETION_COST];

/// What kind of object carries the annotation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// On the Pod: the only place where it is read.
    Pod,
    /// In a template: the pods made from it will carry it.
    Template,
    /// On a workload itself, a common mistake.
    Workload,
}

/// A pod-deletion-cost annotation of the request: its path, and its value before and after.
struct CostAnnotation<'a> {
    role: Role,
    /// The object that has it, or will have it.
    kind: Kind,
    path: String,
    new: Option<&'a str>,
    old: Option<&'a str>,
}

impl CostAnnotation<'_> {
    /// The change, as the messages name it.
    fn verb(&self) -> &'static str {
        match (self.old, self.new) {
            (None, _) => "set",
            (_, None) => "remove",
            _ => "change",
        }
    }

    fn violation(&self, rule: &str, setting: &str) -> Problem {
        let value = self.new.map_or_else(|| "null".into(), |text| shortened(&text.into()));
        let message = format!("Invalid value: {value}: {rule} (setting pod_deletion_cost.{setting})");
        Problem::new(self.path.clone(), message)
    }
}

/// Checks an object after defaulting.
pub(super) fn check(
    request: &Request<'_>,
    object: &Value,
    settings: &Settings,
    violations: &mut Vec<Problem>,
    warnings: &mut Warnings,
) {
    // A value that a controller writes comes from a template or an owner, which was checked there.
    if request.is_by_controller() {
        return;
    }
    // The user is not responsible for a value that the settings wrote, now or when the API server called before.
    let is_default = |cost: i32| cost_of(object) == Some(&*format!("{cost}")) && request.controller.ranks_pods();
    let defaulted = at(object, &ANNOTATION) != at(request.object, &ANNOTATION)
        || request.kind == Kind::Pod && request.create && settings.cost.default.is_some_and(is_default);
    for annotation in cost_annotations(request, object) {
        if annotation.new == annotation.old || defaulted {
            continue;
        }
        check_range(&annotation, settings, violations);
        check_setters(request, &annotation, settings, violations);
        check_interval(request, &annotation, settings, violations);
        if annotation.new.is_none() {
            continue;
        }
        let (without_effect, in_templates) = (settings.cost.without_effect, settings.cost.in_templates);
        let why = self::without_effect(request, &annotation, settings.gates);
        // If both rules apply to a template, only the stricter one reports.
        let why = why.filter(|_| annotation.role != Role::Template || without_effect >= in_templates);
        if let Some(why) = why {
            apply_action(without_effect, &annotation, "without_effect", &why, violations, warnings);
        } else if annotation.role == Role::Template {
            let why = "is the same for all pods of the template, so it does not affect their order";
            apply_action(in_templates, &annotation, "in_templates", why, violations, warnings);
        }
    }
}

fn cost_annotations<'a>(request: &Request<'a>, object: &'a Value) -> Vec<CostAnnotation<'a>> {
    let own = if request.kind == Kind::Pod { Role::Pod } else { Role::Workload };
    // The metadata of a CronJob's jobTemplate become a Job's own.
    let job = match request.kind.pod_template() {
        Some([job @ .., "spec", "template"]) if !job.is_empty() => Some(job),
        _ => None,
    };
    let kind = request.kind;
    let field_paths = [
        (own, kind, Some(&[][..])),
        (Role::Workload, Kind::Job, job),
        (Role::Template, kind, request.kind.pod_template()),
    ];
    let mut cost_annotations = Vec::new();
    for (role, kind, field_path) in field_paths {
        let Some(field_path) = field_path else { continue };
        let mut path = String::new();
        for name in field_path {
            path.extend([name, "."]);
        }
        path.extend(["metadata.annotations[", POD_DELETION_COST, "]"]);
        let cost = |object| at(object, field_path).and_then(cost_of);
        cost_annotations.push(CostAnnotation { role, kind, path, new: cost(object), old: request.old.and_then(cost) });
    }
    cost_annotations
}

fn cost_of(holder: &Value) -> Option<&str> {
    apiserver::deletion_cost_annotation(field(holder, "metadata").and_then(|metadata| map(metadata, "annotations")))
}

fn apply_action(
    action: ValidationAction,
    annotation: &CostAnnotation<'_>,
    setting: &str,
    why: &str,
    violations: &mut Vec<Problem>,
    warnings: &mut Warnings,
) {
    match action {
        ValidationAction::Allow => {}
        ValidationAction::Warn => warnings.push(Importance::NoEffect, format!("pod-deletion-cost {why}")),
        ValidationAction::Deny => violations.push(annotation.violation(why, setting)),
    }
}

fn check_range(annotation: &CostAnnotation<'_>, settings: &Settings, violations: &mut Vec<Problem>) {
    // On a workload's own metadata it is not a cost. The API server refuses a value that is not a number.
    let Some(text) = annotation.new.filter(|_| annotation.role != Role::Workload) else { return };
    let Ok(cost) = apiserver::get_deletion_cost_from_pod_annotations(Some(text)) else { return };
    let (min, max) = (settings.cost.min, settings.cost.max);
    if let Some(min) = min.filter(|min| cost < *min) {
        violations.push(annotation.violation(&format!("must be at least {min}"), "min"));
    }
    if let Some(max) = max.filter(|max| cost > *max) {
        violations.push(annotation.violation(&format!("must be at most {max}"), "max"));
    }
}

fn check_setters(
    request: &Request<'_>,
    annotation: &CostAnnotation<'_>,
    settings: &Settings,
    violations: &mut Vec<Problem>,
) {
    let Some(setters) = &settings.cost.setters else { return };
    // The audit scanner has no user.
    if annotation.role == Role::Workload || request.user.is_empty() || setters.contains(request.user) {
        return;
    }
    let user = go::quoted(request.user);
    let mut rule = format!("user {user} may not {} it", annotation.verb());
    // Not everyone is to know whom to impersonate.
    if settings.cost.show_setters {
        rule.extend([", only ", &setters.listed(), " may"]);
    }
    violations.push(annotation.violation(&rule, "setters"));
}

/// Refuses a change that comes too soon after the last one. There is no clock: both times are the API server's, from
/// the managed fields.
fn check_interval(
    request: &Request<'_>,
    annotation: &CostAnnotation<'_>,
    settings: &Settings,
    violations: &mut Vec<Problem>,
) {
    let (Some(interval), Some(old)) = (&settings.cost.min_change_interval, request.old) else { return };
    if annotation.role != Role::Pod || annotation.new.is_none() {
        return;
    }
    // The time of an entry that owns more may be that of another field.
    let owners = |object| managed_fields::entries(object).filter(|entry: &Entry<'_>| entry.owns(&ANNOTATION));
    let last = owners(old)
        .filter(|entry| entry.owns_only(&ANNOTATION))
        .filter_map(|entry| entry.time().map(|time| (time, entry)))
        .max_by_key(|((_, at), _)| *at);
    let Some(((text, last), entry)) = last else { return };
    // The times have whole seconds: an equal one is another change in the same second.
    let is_now = owners(request.object).filter_map(Entry::time).any(|(_, at)| at >= last);
    let now = managed_fields::entries(request.object).filter_map(Entry::time).map(|(_, at)| at).max();
    let Some(now) = now.filter(|_| is_now) else { return };
    let passed = now.since(last);
    if passed < interval.nanoseconds {
        let passed = passed.div_euclid(Time::SECOND);
        let manager: String = go::quoted(&entry.manager().chars().take(64).collect::<String>());
        let rule =
            format!("must not change again within {}: {manager} changed it {passed}s before, at {text}", interval.text);
        violations.push(annotation.violation(&rule, "min_change_interval"));
    }
}

/// Why nothing reads the annotation here.
fn without_effect(request: &Request<'_>, annotation: &CostAnnotation<'_>, gates: FeatureGates) -> Option<String> {
    const READERS: &str = "only ReplicaSets and ReplicationControllers read it";
    let kind = annotation.kind.name();
    if !gates.enabled(Feature::PodDeletionCost) {
        return Some("has no effect: feature_gates.PodDeletionCost is false, so nothing reads it".into());
    }
    match (annotation.role, request.controller) {
        (Role::Pod, Controller::None) => {
            Some("has no effect on a Pod without a controller: no controller ranks such Pods".into())
        }
        (Role::Pod, Controller::Unknown) => None,
        (Role::Pod, controller @ Controller::Of(_)) if controller.ranks_pods() => None,
        (Role::Pod, Controller::Of(owner)) => {
            Some(format!("has no effect on the Pods of a {}: {READERS}", owner.name()))
        }
        (Role::Workload, _) => Some(format!("has no effect on a {kind}'s own metadata: it is read from Pods")),
        (Role::Template, _) => {
            let is_unranked = annotation.kind.workload().is_some_and(|workload| !workload.ranks_pods);
            is_unranked.then(|| format!("has no effect in a {kind}'s template: {READERS}"))
        }
    }
}
