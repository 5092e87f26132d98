//! The parts of an `AdmissionRequest` that the verdict needs, and which requests are out of scope.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::owner::Controller;
use super::settings::Settings;
use crate::object::Kind;
use crate::object::unstructured::{at, field, name, namespace, string};
use crate::problem::shortened;
use crate::{Problem, apiserver};

/// The request of a user to create an object, or to replace an old one with it, as the API server sends it; but with the
/// object as it is written, and without a namespace if neither object names one.
pub fn admission_request(object: &Value, old: Option<&Value>, user: &str) -> Value {
    let own_namespace = namespace(object).or_else(|| namespace(old?));
    let api_version = string(object, "apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let mut request = json!({
        "uid": "changeover",
        "kind": { "group": group, "version": version, "kind": string(object, "kind") },
        "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
        "name": name(object),
        "namespace": own_namespace.unwrap_or_default(),
        "userInfo": { "username": user },
        "object": object,
    });
    if let (Some(old), Some(request)) = (old, request.as_object_mut()) {
        request.insert("oldObject".into(), old.clone());
    }
    request
}

/// What a request writes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All that its strategy lets a user write.
    Whole,
    /// The status of a Pod and, with it, the annotations.
    Status,
    /// The annotations of a Pod, by its Binding.
    Binding,
}

/// A request about an object that the policy checks.
pub(super) struct Request<'a> {
    pub(super) kind: Kind,
    pub(super) part: Part,
    pub(super) namespace: &'a str,
    pub(super) object: &'a Value,
    /// The object before an update; none on CREATE.
    pub(super) old: Option<&'a Value>,
    pub(super) create: bool,
    /// The user name; empty in the audit scanner's replays.
    pub(super) user: &'a str,
    has_empty_username: bool,
    /// Whether the user is one of the controllers. Naming an owner makes nobody one: anybody can.
    is_by_controller: bool,
    /// The controller that owns the object.
    pub(super) controller: Controller,
}

pub(super) enum Scope<'a> {
    /// Accepted without checks.
    Outside,
    /// Not JSON of the right types.
    Unreadable(Vec<Problem>),
    Inside(Request<'a>),
}

impl<'a> Request<'a> {
    pub(super) fn read(request: &'a Value, settings: &Settings) -> Scope<'a> {
        if !request.is_object() {
            return unreadable("request", request);
        }
        let create = match string(request, "operation") {
            "CREATE" => true,
            "UPDATE" => false,
            _ => return Scope::Outside,
        };
        let Some(object) = field(request, "object") else { return Scope::Outside };
        let subresource = string(request, "subResource");
        let is_binding = create && is_binding(request) && matches!(subresource, "" | "binding");
        let kind = if is_binding { shape_of(Kind::Pod) } else { kind_of(request, object) };
        let Some((kind, shape)) = kind else { return Scope::Outside };
        let part = match subresource {
            _ if is_binding => Part::Binding,
            "" => Part::Whole,
            // No other kind has anything there that is worth a refusal.
            "status" if kind == Kind::Pod && !create => Part::Status,
            _ => return Scope::Outside,
        };
        if !object.is_object() {
            return unreadable("object", object);
        }
        let create = create && part == Part::Whole;
        let old = match part {
            // What the Pod has is not known: only what the Binding adds to it.
            Part::Binding => Some(&Value::Null),
            Part::Whole | Part::Status => field(request, "oldObject").filter(|_| !create),
        };
        let user_info = field(request, "userInfo");
        let user = user_info.map_or("", |user| string(user, "username"));
        let has_empty_username = user_info.is_some() && user.is_empty();
        // Nothing may keep an object from being deleted, and an update without the timestamp does not revoke it. But a user may write one:
        // the API server drops it only after its mutating webhooks, or does not look at it.
        let is_stored = !create || has_empty_username;
        if old.or(Some(object).filter(|_| is_stored)).is_some_and(is_deleted) {
            return Scope::Outside;
        }
        let errors = apiserver::wrong_types(object, shape);
        if !errors.is_empty() {
            let mut problems: Vec<Problem> = errors.into_iter().map(Problem::from).collect();
            problems.sort_unstable();
            return Scope::Unreadable(problems);
        }
        Scope::Inside(Self {
            kind,
            part,
            namespace: string(request, "namespace"),
            object,
            old,
            create,
            user,
            has_empty_username,
            is_by_controller: settings.controllers.contains(user),
            controller: if part == Part::Binding { Controller::Unknown } else { Controller::of(object, kind) },
        })
    }

    /// An update of a workload by way of its scale subresource.
    pub(super) fn of_scale(kind: Kind, namespace: &'a str, object: &'a Value, old: &'a Value, user: &'a str) -> Self {
        Self {
            kind,
            part: Part::Whole,
            namespace,
            object,
            old: Some(old),
            create: false,
            user,
            has_empty_username: false,
            is_by_controller: false,
            controller: Controller::of(object, kind),
        }
    }

    /// Whether a controller writes what was checked before, in a template or in an owner.
    pub(super) const fn is_by_controller(&self) -> bool {
        self.is_by_controller
    }

    /// Whether the audit scanner replays a stored object: it can't be patched, and no user is exempt. The scanner sends a
    /// `userInfo` without a name; a request without `userInfo` was written by hand.
    pub(super) const fn is_audit(&self) -> bool {
        self.create && self.has_empty_username
    }

    /// Whether the request sets the field at this path: always on CREATE, on UPDATE if it changed.
    pub(super) fn changed(&self, field_path: &[&str]) -> bool {
        self.old.is_none_or(|old| at(old, field_path) != at(self.object, field_path))
    }
}

/// Whether an object is being deleted.
pub(super) fn is_deleted(object: &Value) -> bool {
    at(object, &["metadata", "deletionTimestamp"]).is_some()
}

/// The kind of a request's object, with its fields; none if the policy judges no objects of this kind.
pub(super) fn kind_of(request: &Value, object: &Value) -> Option<(Kind, &'static apiserver::Shape)> {
    let kind = match field(request, "kind") {
        Some(kind) => Kind::new(string(kind, "group"), string(kind, "version"), string(kind, "kind")),
        None => Kind::of(object),
    }?;
    shape_of(kind)
}

fn shape_of(kind: Kind) -> Option<(Kind, &'static apiserver::Shape)> {
    Some((kind, apiserver::reviewed(kind)?.shape))
}

/// Whether the request assigns a Pod to a node: the annotations of a Binding become the Pod's.
///
/// Upstream: `pkg/registry/core/pod/storage/storage.go BindingREST.setPodNodeAndMetadata`
pub(super) fn is_binding(request: &Value) -> bool {
    field(request, "kind").is_some_and(|kind| string(kind, "group").is_empty() && string(kind, "kind") == "Binding")
}

fn unreadable<'a>(path: &str, value: &Value) -> Scope<'a> {
    let message = alloc::format!("Invalid value: {}: must be a map", shortened(value));
    Scope::Unreadable(vec![Problem::new(String::from(path), message)])
}
