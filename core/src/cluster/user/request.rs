//! What the actions of the user share: the object that an action names, its change, and why it is refused.

use alloc::format;
use alloc::rc::Rc;

use serde_json::Value;

use crate::Problem;
use crate::cluster::decision::{ObjectLimits, UserDecision};
use crate::cluster::kinds;
use crate::cluster::manifest::{admit_update, stored_kind};
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::workload::quoted_names;
use crate::controller::{ApiError, Verb};
use crate::go::quoted;
use crate::object::{Kind, Object, ObjectKey, Pod};

/// Why an action could not be carried out.
pub(crate) enum ActionError {
    /// The scenario is wrong: what, at a path below the action.
    Problem(Problem),
    /// The API server refused it, which is something that happens.
    Api(ObjectKey, ApiError),
}

impl From<Problem> for ActionError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// `kubectl apply`, with what a quota or budget limits.
pub(super) const fn applied(object: ObjectKey, limits: ObjectLimits) -> UserDecision {
    UserDecision::Apply { object, limits }
}

/// Where a pod's name may stand for a pod of a Deployment or of a Job.
const ORDINAL: char = '/';

impl Cluster {
    /// Changes an object through the API server.
    pub(super) fn patch(
        &mut self,
        object: &Object,
        path: &str,
        decide: impl FnOnce(ObjectKey) -> UserDecision,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), ActionError> {
        let old = object.to_value();
        let mut new = old.clone();
        change(&mut new);
        let admitted = admit_update(&new, &old, path, &self.gates.apiserver)?;
        self.require_named_node(&admitted, path)?;
        let key = object.key();
        let decision = decide(key.clone());
        self.commit(Actor::User, &key, Verb::Patch, &key, Some(admitted), decision);
        Ok(())
    }

    /// The object that an action names.
    pub(super) fn target(&self, kind: &str, namespace: &str, name: &str, path: &str) -> Result<Object, ActionError> {
        let Some(kind) = stored_kind(kind) else {
            let supported = quoted_names(Object::KINDS.iter().copied());
            let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
            return Err(Problem::new(format!("{path}.kind"), message).into());
        };
        let key = ObjectKey::new(kind, namespace, name);
        let found = match name.split_once(ORDINAL) {
            Some((owner, number)) if kind == Kind::Pod => {
                let Ok(number) = number.parse::<u32>() else {
                    let message =
                        format!("Invalid value: {}: must be a pod's name, DEPLOYMENT/N or JOB/N", quoted(name));
                    return Err(Problem::new(format!("{path}.name"), message).into());
                };
                self.pod_of(namespace, owner, number).map(Object::Pod)
            }
            _ => self.find(&key),
        };
        found.ok_or_else(|| ActionError::Api(key.clone(), ApiError::not_found(&key)))
    }

    /// The Nth oldest active pod of a Deployment or a Job; of an Indexed Job the one of that completion index.
    fn pod_of(&self, namespace: &str, owner: &str, number: u32) -> Option<Rc<Pod>> {
        let store = self.store.borrow();
        let (workload, mut pods) = kinds::ALL.iter().find_map(|workload| {
            let owner = ObjectKey::new(workload.kind(), namespace, owner);
            Some((workload, workload.numbered_pods(&store, &owner)?))
        })?;
        pods.retain(|pod| pod.is_active());
        // By creation; pods of one second by name, as in a list.
        pods.sort_by_key(|pod| (pod.metadata.creation_timestamp, pod.metadata.name.clone()));
        let of_number = pods.iter().find(|pod| workload.pod_number(pod) == Some(number.into()));
        let is_numbered = pods.first().is_some_and(|pod| workload.pod_number(pod).is_some());
        let nth = || usize::try_from(number).ok().and_then(|number| pods.get(number));
        let found = if is_numbered { of_number } else { nth() };
        found.cloned()
    }

    /// Reports what the user does, without a write to an object of the store.
    pub(super) fn report_user_action(&mut self, object: &ObjectKey, decide: impl FnOnce(ObjectKey) -> UserDecision) {
        self.report(Actor::User, object, decide(object.clone()));
    }

    /// The node that an action names, with a step that reports the action.
    pub(super) fn target_node(
        &mut self,
        name: &str,
        decide: impl FnOnce(ObjectKey) -> UserDecision,
    ) -> Result<usize, ActionError> {
        let key = ObjectKey::new(Kind::Node, "", name);
        let index = self.find_node(name).ok_or_else(|| ActionError::Api(key.clone(), ApiError::not_found(&key)))?;
        self.report_user_action(&key, decide);
        Ok(index)
    }
}
