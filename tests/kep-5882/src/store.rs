//! The client of a Deployment's syncs. It accepts every write, even of outdated copies, and keeps the objects and the
//! reasons.

use std::rc::Rc;

use changeover_core::controller::{ApiError, Client, Decision, Event, Write};
use changeover_core::explain::Reason;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Object, ObjectKey, Time};
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::replica_set::ReplicaSet;

/// The stored Deployment and its ReplicaSets, and the reasons of the writes.
pub struct Store {
    gates: FeatureGates,
    /// The clock.
    pub now: Time,
    /// The Deployment.
    pub deployment: Rc<Deployment>,
    /// Its ReplicaSets, in order of creation.
    pub replica_sets: Vec<Rc<ReplicaSet>>,
    /// The reasons for writes, and for decisions not to write.
    pub reasons: Vec<Reason>,
}

impl Store {
    /// A store that holds these objects.
    pub fn new(gates: FeatureGates, deployment: Rc<Deployment>, replica_sets: Vec<Rc<ReplicaSet>>) -> Self {
        Self { gates, now: Time::default(), deployment, replica_sets, reasons: Vec::new() }
    }
}

impl Client for Store {
    fn now(&self) -> Time {
        self.now
    }

    fn gates(&self) -> FeatureGates {
        self.gates
    }

    fn get(&mut self, _: &ObjectKey) -> Option<Object> {
        None
    }

    fn write(&mut self, write: Write, decision: Decision) -> Result<Option<Object>, ApiError> {
        self.reasons.push(decision.reason());
        let object = match write {
            Write::Delete { key, .. } => {
                self.replica_sets.retain(|set| set.metadata.name != key.name);
                return Ok(None);
            }
            Write::Create(object) | Write::Update(object) | Write::UpdateStatus(object) | Write::Patch(object) => {
                object
            }
        };
        match &object {
            Object::ReplicaSet(written) => {
                match self.replica_sets.iter_mut().find(|set| set.metadata.name == written.metadata.name) {
                    Some(stored) => *stored = written.clone(),
                    None => self.replica_sets.push(written.clone()),
                }
            }
            Object::Deployment(written) => self.deployment = written.clone(),
            _ => {}
        }
        Ok(Some(object))
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, decision: Decision) {
        self.reasons.push(decision.reason());
    }
}
