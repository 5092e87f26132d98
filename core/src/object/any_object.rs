use alloc::rc::Rc;
use alloc::string::String;

use serde_json::Value;

use super::{ControllerRevision, Kind, ObjectKey, ObjectMeta, PersistentVolumeClaim, Pod, Resource};
use crate::Problem;
use crate::json::decode;
use crate::workload::cron_job::CronJob;
use crate::workload::daemon_set::DaemonSet;
use crate::workload::deployment::Deployment;
use crate::workload::job::Job;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replication_controller::ReplicationController;
use crate::workload::stateful_set::StatefulSet;

/// The type of the objects of a kind.
pub trait Typed: Sized {
    /// The kind.
    const KIND: Kind;

    /// The object, if it is of this kind.
    fn of(object: &Object) -> Option<&Rc<Self>>;
}

/// Declares [`Object`], an enum of these kinds. Each has the fields `metadata`, `spec` and `status`.
macro_rules! objects {
    ($($kind:ident: $description:literal),* $(,)?) => {
        /// One object of any kind that the cluster holds, immutable and shared.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Object {
            $(
                #[doc = $description]
                $kind(Rc<$kind>),
            )*
        }

        impl Object {
            /// The kinds.
            pub const KINDS: &[Kind] = &[$(Kind::$kind),*];

            /// Reads an object of one of these kinds; none for another kind.
            ///
            /// # Errors
            /// A field of another type, with its path.
            pub fn read(kind: Kind, value: &Value, path: &str) -> Result<Option<Self>, Problem> {
                match kind {
                    $(Kind::$kind => decode(value, path).map(|object| Some(Self::$kind(Rc::new(object)))),)*
                    _ => Ok(None),
                }
            }

            /// Reads its status.
            ///
            /// # Errors
            /// A field of another type, with its path.
            pub(crate) fn read_status(&mut self, value: &Value, path: &str) -> Result<(), Problem> {
                match self {
                    $(Self::$kind(object) => Rc::make_mut(object).status = decode(value, path)?,)*
                }
                Ok(())
            }

            /// Its kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            /// Its metadata.
            pub fn metadata(&self) -> &Rc<ObjectMeta> {
                match self {
                    $(Self::$kind(object) => &object.metadata,)*
                }
            }

            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                match self {
                    $(Self::$kind(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),)*
                }
            }

            /// The object with the status of another one of its kind; without one, or of another kind, with an empty status.
            #[must_use]
            pub fn with_status_of(mut self, other: Option<&Self>) -> Self {
                match (&mut self, other) {
                    $((Self::$kind(object), Some(Self::$kind(other))) => {
                        Rc::make_mut(object).status = other.status.clone();
                    })*
                    $((Self::$kind(object), _) => Rc::make_mut(object).status = Default::default(),)*
                }
                self
            }

            /// The object with the spec of another one of its kind.
            #[must_use]
            pub(crate) fn with_spec_of(mut self, other: &Self) -> Self {
                match (&mut self, other) {
                    $((Self::$kind(object), Self::$kind(other)) => Rc::make_mut(object).spec = other.spec.clone(),)*
                    _ => {}
                }
                self
            }

            fn has_status_of(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$kind(object), Self::$kind(other)) => object.status == other.status,)*
                    _ => false,
                }
            }

            /// Whether both have the same spec.
            pub fn has_spec_of(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$kind(object), Self::$kind(other)) => object.spec == other.spec,)*
                    _ => false,
                }
            }

            /// Whether both are the same version of the same object.
            pub(crate) fn is_same_version(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$kind(object), Self::$kind(other)) => Rc::ptr_eq(object, other),)*
                    _ => false,
                }
            }

            pub(crate) fn resource(&self) -> &dyn Resource {
                match self {
                    $(Self::$kind(object) => &**object,)*
                }
            }

            fn fields(&self) -> Result<Value, serde_json::Error> {
                match self {
                    $(Self::$kind(object) => serde_json::to_value(object),)*
                }
            }
        }

        $(
            impl Typed for $kind {
                const KIND: Kind = Kind::$kind;

                fn of(object: &Object) -> Option<&Rc<Self>> {
                    match object {
                        Object::$kind(object) => Some(object),
                        _ => None,
                    }
                }
            }

            impl $kind {
                /// Its kind, namespace and name.
                pub fn key(&self) -> ObjectKey {
                    ObjectKey::new(Kind::$kind, self.metadata.namespace.clone(), self.metadata.name.clone())
                }
            }

            impl From<$kind> for Object {
                fn from(object: $kind) -> Self {
                    Self::$kind(Rc::new(object))
                }
            }

            impl From<Rc<$kind>> for Object {
                fn from(object: Rc<$kind>) -> Self {
                    Self::$kind(object)
                }
            }
        )*
    };
}

objects! {
    ControllerRevision: "A ControllerRevision.",
    CronJob: "A CronJob.",
    DaemonSet: "A DaemonSet.",
    Deployment: "A Deployment.",
    Job: "A Job.",
    PersistentVolumeClaim: "A PersistentVolumeClaim.",
    Pod: "A Pod.",
    ReplicaSet: "A ReplicaSet.",
    ReplicationController: "A ReplicationController.",
    StatefulSet: "A StatefulSet.",
}

impl Object {
    /// Its kind, namespace and name.
    pub fn key(&self) -> ObjectKey {
        let metadata = self.metadata();
        ObjectKey::new(self.kind(), metadata.namespace.clone(), metadata.name.clone())
    }

    /// The object as one of this kind; none if it is of another kind.
    pub fn typed<T: Typed>(&self) -> Option<&Rc<T>> {
        T::of(self)
    }

    /// The object with other metadata.
    #[must_use]
    pub fn with_metadata(mut self, change: impl FnOnce(&mut ObjectMeta)) -> Self {
        change(self.metadata_mut());
        self
    }

    /// Whether both are the same. Compares first what differs most often.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.has_status_of(other) && self.has_spec_of(other) && self.metadata() == other.metadata()
    }

    /// The object as `kubectl get -o json` prints it.
    pub fn to_value(&self) -> Value {
        let mut value = self.fields().unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            map.insert(String::from("apiVersion"), self.kind().api_version().into());
            map.insert(String::from("kind"), self.kind().name().into());
        }
        value
    }
}
