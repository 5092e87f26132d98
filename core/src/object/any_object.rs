use alloc::rc::Rc;
use alloc::string::String;

use serde_json::Value;

use super::{CronJob, Deployment, Job, Kind, ObjectKey, ObjectMeta, Pod, ReplicaSet};

/// One object of any kind that the cluster holds, immutable and shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// A Deployment.
    Deployment(Rc<Deployment>),
    /// A ReplicaSet.
    ReplicaSet(Rc<ReplicaSet>),
    /// A Pod.
    Pod(Rc<Pod>),
    /// A Job.
    Job(Rc<Job>),
    /// A CronJob.
    CronJob(Rc<CronJob>),
}

impl Object {
    /// Its kind.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Deployment(_) => Kind::Deployment,
            Self::ReplicaSet(_) => Kind::ReplicaSet,
            Self::Pod(_) => Kind::Pod,
            Self::Job(_) => Kind::Job,
            Self::CronJob(_) => Kind::CronJob,
        }
    }

    /// Its metadata.
    pub fn metadata(&self) -> &Rc<ObjectMeta> {
        match self {
            Self::Deployment(object) => &object.metadata,
            Self::ReplicaSet(object) => &object.metadata,
            Self::Pod(object) => &object.metadata,
            Self::Job(object) => &object.metadata,
            Self::CronJob(object) => &object.metadata,
        }
    }

    /// Its kind, namespace and name.
    pub fn key(&self) -> ObjectKey {
        match self {
            Self::Deployment(object) => object.key(),
            Self::ReplicaSet(object) => object.key(),
            Self::Pod(object) => object.key(),
            Self::Job(object) => object.key(),
            Self::CronJob(object) => object.key(),
        }
    }

    /// The object with other metadata.
    #[must_use]
    pub fn with_metadata(mut self, change: impl FnOnce(&mut ObjectMeta)) -> Self {
        change(self.metadata_mut());
        self
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        match self {
            Self::Deployment(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),
            Self::ReplicaSet(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),
            Self::Pod(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),
            Self::Job(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),
            Self::CronJob(object) => Rc::make_mut(&mut Rc::make_mut(object).metadata),
        }
    }

    /// The object with the status of another one of its kind; without one, or of another kind, with an empty status.
    #[must_use]
    pub fn with_status_of(mut self, other: Option<&Self>) -> Self {
        match (&mut self, other) {
            (Self::Deployment(object), Some(Self::Deployment(other))) => {
                Rc::make_mut(object).status = other.status.clone();
            }
            (Self::ReplicaSet(object), Some(Self::ReplicaSet(other))) => {
                Rc::make_mut(object).status = other.status.clone();
            }
            (Self::Pod(object), Some(Self::Pod(other))) => Rc::make_mut(object).status = other.status.clone(),
            (Self::Job(object), Some(Self::Job(other))) => Rc::make_mut(object).status = other.status.clone(),
            (Self::CronJob(object), Some(Self::CronJob(other))) => Rc::make_mut(object).status = other.status.clone(),
            (Self::Deployment(object), _) => Rc::make_mut(object).status = Default::default(),
            (Self::ReplicaSet(object), _) => Rc::make_mut(object).status = Default::default(),
            (Self::Pod(object), _) => Rc::make_mut(object).status = Default::default(),
            (Self::Job(object), _) => Rc::make_mut(object).status = Default::default(),
            (Self::CronJob(object), _) => Rc::make_mut(object).status = Default::default(),
        }
        self
    }

    /// The object with the spec of another one of its kind.
    #[must_use]
    pub fn with_spec_of(mut self, other: &Self) -> Self {
        match (&mut self, other) {
            (Self::Deployment(object), Self::Deployment(other)) => Rc::make_mut(object).spec = other.spec.clone(),
            (Self::ReplicaSet(object), Self::ReplicaSet(other)) => Rc::make_mut(object).spec = other.spec.clone(),
            (Self::Pod(object), Self::Pod(other)) => Rc::make_mut(object).spec = other.spec.clone(),
            (Self::Job(object), Self::Job(other)) => Rc::make_mut(object).spec = other.spec.clone(),
            (Self::CronJob(object), Self::CronJob(other)) => Rc::make_mut(object).spec = other.spec.clone(),
            _ => {}
        }
        self
    }

    /// Whether both are the same. Compares first what differs most often.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let same_status = match (self, other) {
            (Self::Deployment(object), Self::Deployment(other)) => object.status == other.status,
            (Self::ReplicaSet(object), Self::ReplicaSet(other)) => object.status == other.status,
            (Self::Pod(object), Self::Pod(other)) => object.status == other.status,
            (Self::Job(object), Self::Job(other)) => object.status == other.status,
            (Self::CronJob(object), Self::CronJob(other)) => object.status == other.status,
            _ => false,
        };
        same_status && self.has_spec_of(other) && self.metadata() == other.metadata()
    }

    /// Whether both are the same version of the same object.
    pub(crate) fn is_same_version(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Deployment(object), Self::Deployment(other)) => Rc::ptr_eq(object, other),
            (Self::ReplicaSet(object), Self::ReplicaSet(other)) => Rc::ptr_eq(object, other),
            (Self::Pod(object), Self::Pod(other)) => Rc::ptr_eq(object, other),
            (Self::Job(object), Self::Job(other)) => Rc::ptr_eq(object, other),
            (Self::CronJob(object), Self::CronJob(other)) => Rc::ptr_eq(object, other),
            _ => false,
        }
    }

    /// Whether both have the same spec.
    pub fn has_spec_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Deployment(object), Self::Deployment(other)) => object.spec == other.spec,
            (Self::ReplicaSet(object), Self::ReplicaSet(other)) => object.spec == other.spec,
            (Self::Pod(object), Self::Pod(other)) => object.spec == other.spec,
            (Self::Job(object), Self::Job(other)) => object.spec == other.spec,
            (Self::CronJob(object), Self::CronJob(other)) => object.spec == other.spec,
            _ => false,
        }
    }

    /// The object as `kubectl get -o json` prints it.
    pub fn to_value(&self) -> Value {
        let value = match self {
            Self::Deployment(object) => serde_json::to_value(object),
            Self::ReplicaSet(object) => serde_json::to_value(object),
            Self::Pod(object) => serde_json::to_value(object),
            Self::Job(object) => serde_json::to_value(object),
            Self::CronJob(object) => serde_json::to_value(object),
        };
        let mut value = value.unwrap_or_default();
        if let Some(map) = value.as_object_mut() {
            map.insert(String::from("apiVersion"), self.kind().api_version().into());
            map.insert(String::from("kind"), self.kind().name().into());
        }
        value
    }
}

impl From<Deployment> for Object {
    fn from(object: Deployment) -> Self {
        Self::Deployment(Rc::new(object))
    }
}

impl From<ReplicaSet> for Object {
    fn from(object: ReplicaSet) -> Self {
        Self::ReplicaSet(Rc::new(object))
    }
}

impl From<Pod> for Object {
    fn from(object: Pod) -> Self {
        Self::Pod(Rc::new(object))
    }
}

impl From<Job> for Object {
    fn from(object: Job) -> Self {
        Self::Job(Rc::new(object))
    }
}

impl From<CronJob> for Object {
    fn from(object: CronJob) -> Self {
        Self::CronJob(Rc::new(object))
    }
}
