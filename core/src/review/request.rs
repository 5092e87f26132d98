//! What of an `AdmissionRequest` the verdict needs, and what is out of scope.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use super::owner::Controller;
use crate::Problem;
use crate::apiserver;
use crate::object::Kind;
use crate::object::unstructured::{at, field, string};
use crate::problem::shortened;

/// A request about an object that is looked at.
pub(super) struct Request<'a> {
    pub(super) kind: Kind,
    pub(super) object: &'a Value,
    /// What an update replaces; none on CREATE.
    pub(super) old: Option<&'a Value>,
    pub(super) create: bool,
    /// Who asks; empty in the audit scanner's replays.
    pub(super) user: &'a str,
    is_nobody: bool,
    /// The controller that owns the object.
    pub(super) controller: Controller,
}

pub(super) enum Scope<'a> {
    /// Accepted untouched.
    Outside,
    /// Not JSON of the right types.
    Unreadable(Vec<Problem>),
    Inside(Request<'a>),
}

impl<'a> Request<'a> {
    pub(super) fn read(request: &'a Value) -> Scope<'a> {
        if !request.is_object() {
            return unreadable("request", request);
        }
        let create = match string(request, "operation") {
            "CREATE" => true,
            "UPDATE" => false,
            _ => return Scope::Outside,
        };
        if !string(request, "subResource").is_empty() {
            return Scope::Outside;
        }
        let Some(object) = field(request, "object") else { return Scope::Outside };
        let kind = match field(request, "kind") {
            Some(kind) => Kind::new(string(kind, "group"), string(kind, "version"), string(kind, "kind")),
            None => Kind::of(object),
        };
        let Some((kind, shape)) = kind.and_then(|kind| Some((kind, apiserver::shape_of(kind)?))) else {
            return Scope::Outside;
        };
        if !object.is_object() {
            return unreadable("object", object);
        }
        let old = if create { None } else { field(request, "oldObject") };
        let goes = |object| at(object, &["metadata", "deletionTimestamp"]).is_some();
        // Nothing may keep an object from going, and an update that leaves the time out does not take it back.
        if goes(object) || old.is_some_and(goes) {
            return Scope::Outside;
        }
        let errors = apiserver::wrong_types(object, shape);
        if !errors.is_empty() {
            let mut problems: Vec<Problem> = errors.into_iter().map(Problem::from).collect();
            problems.sort_unstable();
            return Scope::Unreadable(problems);
        }
        let user = field(request, "userInfo");
        Scope::Inside(Self {
            kind,
            object,
            old,
            create,
            user: user.map_or("", |user| string(user, "username")),
            is_nobody: user.is_some_and(|user| string(user, "username").is_empty()),
            controller: Controller::of(object, kind),
        })
    }

    /// Whether the object comes from a template which the policy has seen: the rules about templates and policies speak
    /// there.
    pub(super) fn is_made(&self) -> bool {
        matches!(self.controller, Controller::Of(_))
    }

    /// Whether it is made just now, so that all that stands there is the template's. A controller does not change it
    /// later; others do.
    pub(super) fn is_copied(&self) -> bool {
        self.is_made() && self.create && !self.is_replay()
    }

    /// Whether this is what the audit scanner found stored, so that nothing can be written and nobody is spared. It sends
    /// a `userInfo` without a name; a request without any was written by hand.
    pub(super) const fn is_replay(&self) -> bool {
        self.create && self.is_nobody
    }

    /// Whether a settings rule about the field at this way has a say: always on CREATE, on UPDATE where it changed.
    pub(super) fn changed(&self, way: &[&str]) -> bool {
        self.old.is_none_or(|old| at(old, way) != at(self.object, way))
    }
}

fn unreadable<'a>(path: &str, value: &Value) -> Scope<'a> {
    let message = alloc::format!("Invalid value: {}: must be a map", shortened(value));
    Scope::Unreadable(vec![Problem::new(String::from(path), message)])
}
