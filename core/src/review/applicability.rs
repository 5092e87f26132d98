//! Which requests the policy looks at.

use serde_json::Value;

use super::request::{Request, Scope, kind_of};
use super::scale::Scale;
use super::settings::Settings;
use crate::object::unstructured::{field, string};

/// Whether the policy judges a request. It lets all others through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// The policy judges it.
    Judged,
    /// The policy doesn't judge this subresource of the object.
    OtherSubresource,
    /// The policy judges no objects of this kind.
    OtherKind,
    /// The policy judges objects of this kind, but not this request: it deletes the object, or the object is being deleted already.
    OtherRequest,
}

impl Applicability {
    /// Whether the policy judges this request, with these settings.
    pub fn of(request: &Value, settings: &Settings) -> Self {
        if settings.judges_scales() && Scale::read(request).is_some() {
            return Self::Judged;
        }
        match Request::read(request, settings) {
            Scope::Inside(_) | Scope::Unreadable(_) => Self::Judged,
            Scope::Outside if !string(request, "subResource").is_empty() => Self::OtherSubresource,
            Scope::Outside => {
                // A deletion may have no object at all.
                let object = field(request, "object").or_else(|| field(request, "oldObject")).unwrap_or(&Value::Null);
                if kind_of(request, object).is_some() { Self::OtherRequest } else { Self::OtherKind }
            }
        }
    }
}
