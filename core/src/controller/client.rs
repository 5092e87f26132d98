use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use core::fmt;
use core::ops::Range;

use super::decision::Decision;

use crate::feature_gates::FeatureGates;
use crate::json::{FromJson, ToJson};
use crate::object::{Object, ObjectKey, Time};

/// What a controller sees of the API server: a clock, its feature gates, and an answer to each write.
pub trait Client {
    /// The time of this sync.
    fn now(&self) -> Time;

    /// The controller manager's gates.
    fn gates(&self) -> FeatureGates;

    /// The object as it is stored now, bypassing all caches.
    fn get(&mut self, key: &ObjectKey) -> Option<Object>;

    /// The object that a patch of it finds, without a request to read it.
    fn stored(&mut self, key: &ObjectKey) -> Option<Object> {
        self.get(key)
    }

    /// Carries out a write, and answers as the API server does: with the object as stored, if there still is one.
    ///
    /// # Errors
    /// The API server's refusal.
    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError>;

    /// Records an event about an object.
    fn event(&mut self, about: &ObjectKey, event: Event);

    /// Records a decision that writes nothing.
    fn note(&mut self, decision: Decision);

    /// Records an event whose text is left out, in a build without reasons.
    fn wordless_event(&mut self, _about: &ObjectKey) {}

    /// The next `count` writes are sent at once, each by a goroutine of its own.
    fn in_parallel(&mut self, _count: i32) {}

    /// As [`Client::in_parallel`], for writes that are all alike. Says which of them to send now: not those that this sync sent
    /// before it had to wait, and none behind the first one that has to wait.
    fn in_batch(&mut self, count: i32) -> Range<i32> {
        0..count
    }
}

/// A write to the API server.
#[derive(Clone, Debug)]
pub enum Write {
    /// Creates the object. A name is made from `generateName` where there is none.
    Create(Object),
    /// Replaces metadata and spec.
    Update(Object),
    /// Replaces the status, and annotations.
    UpdateStatus(Object),
    /// As an update: the object as the patch leaves it.
    Patch(Object),
    /// Deletes the object, with the grace period that it has.
    Delete {
        /// Which one.
        key: ObjectKey,
        /// What happens to the objects that it owns.
        propagation: DeletionPropagation,
    },
}

/// What happens to the objects that a deleted object owns.
///
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/types.go DeletionPropagation`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionPropagation {
    /// They are deleted after it. The API server's default, for all kinds that the controllers delete without saying more.
    Background,
    /// They are deleted before it.
    Foreground,
    /// They stay and have no owner.
    Orphan,
}

/// What a write does with its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Verb {
    /// Creates the object.
    Create,
    /// Replaces the metadata and the spec.
    Update,
    /// Replaces the status.
    UpdateStatus,
    /// Changes some fields.
    Patch,
    /// Deletes the object, at once or after the grace period.
    Delete,
}

impl Write {
    /// Its verb.
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Create(_) => Verb::Create,
            Self::Update(_) => Verb::Update,
            Self::UpdateStatus(_) => Verb::UpdateStatus,
            Self::Patch(_) => Verb::Patch,
            Self::Delete { .. } => Verb::Delete,
        }
    }

    /// Which object it writes.
    pub fn key(&self) -> ObjectKey {
        match self {
            Self::Create(object) | Self::Update(object) | Self::UpdateStatus(object) | Self::Patch(object) => {
                object.key()
            }
            Self::Delete { key, .. } => key.clone(),
        }
    }
}

/// An event, as `kubectl describe` shows it.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClusterEvent"))]
pub struct Event {
    /// The type of the event: `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub type_: &'static str,
    /// The reason in one word, like `ScalingReplicaSet`.
    pub reason: Cow<'static, str>,
    /// What happened, in one sentence.
    pub message: Rc<str>,
}

impl Event {
    /// A Normal event.
    pub fn normal(reason: &'static str, message: &str) -> Self {
        Self { type_: "Normal", reason: Cow::Borrowed(reason), message: message.into() }
    }

    /// Whether it is no Warning.
    pub(crate) fn is_normal(&self) -> bool {
        self.type_ == "Normal"
    }

    /// A Warning.
    pub fn warning(reason: impl Into<Cow<'static, str>>, message: &str) -> Self {
        Self { type_: "Warning", reason: reason.into(), message: message.into() }
    }
}

/// The API server's refusal of a write.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status.
    pub code: u16,
    /// Like `AlreadyExists`.
    pub reason: String,
    /// The text.
    pub message: String,
    /// The first cause's type, like `NamespaceTerminating`.
    #[serde(default)]
    pub cause: Option<String>,
}

impl ApiError {
    /// A refusal without a cause.
    pub fn new(code: u16, reason: &str, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), message: message.into(), cause: None }
    }

    /// An object of that name exists.
    pub fn already_exists(key: &ObjectKey) -> Self {
        Self::new(409, "AlreadyExists", alloc::format!("{} \"{}\" already exists", key.kind.group_resource(), key.name))
    }

    /// The object was written since it was read.
    ///
    /// Upstream: `k8s.io/apimachinery/pkg/api/errors/errors.go NewConflict`, with
    /// `k8s.io/apiserver/pkg/registry/generic/registry/store.go OptimisticLockErrorMsg`
    pub fn conflict(key: &ObjectKey) -> Self {
        let message = alloc::format!(
            "Operation cannot be fulfilled on {} \"{}\": the object has been modified; please apply your changes to the \
             latest version and try again",
            key.kind.group_resource(),
            key.name
        );
        Self::new(409, "Conflict", message)
    }

    /// No object of that name exists.
    pub fn not_found(key: &ObjectKey) -> Self {
        Self::new(404, "NotFound", alloc::format!("{} \"{}\" not found", key.kind.group_resource(), key.name))
    }

    /// Whether an object of that name exists.
    pub(crate) fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// Whether the object was changed since the writer has seen it.
    pub fn is_conflict(&self) -> bool {
        self.reason == "Conflict"
    }

    /// Whether the API server found the object invalid.
    pub const fn is_invalid(&self) -> bool {
        self.code == 422
    }

    /// Whether no object of that name exists.
    pub(crate) fn is_not_found(&self) -> bool {
        self.reason == "NotFound"
    }

    /// Whether the namespace is being deleted.
    pub(crate) fn is_namespace_terminating(&self) -> bool {
        self.cause.as_deref() == Some("NamespaceTerminating")
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ApiError {}

/// Why a sync failed; it is tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The API server refused a write.
    Api(ApiError),
    /// The controller could not go on, upstream's text.
    Other(String),
}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api(error) => error.fmt(f),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Api(error) => Some(error),
            Self::Other(_) => None,
        }
    }
}

/// Records an event; a build without reasons has no texts for it.
pub(crate) fn record(client: &mut dyn Client, about: &ObjectKey, event: impl FnOnce() -> Event) {
    if cfg!(feature = "explain") {
        client.event(about, event());
    } else {
        client.wordless_event(about);
    }
}
