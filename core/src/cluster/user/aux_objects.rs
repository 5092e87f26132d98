//! What the user does with auxiliary objects.

use serde_json::Value;

use super::request::{ActionError, applied};
use crate::cluster::aux_objects::AuxObject;
use crate::cluster::decision::{ObjectLimits, UserDecision};
use crate::cluster::merge_patch::merge;
use crate::cluster::state::Cluster;
use crate::controller::ApiError;
use crate::object::{Kind, ObjectKey};

impl Cluster {
    fn find_aux(&self, key: &ObjectKey) -> Option<usize> {
        self.aux_objects.iter().position(|object| object.key == *key)
    }

    pub(super) fn create_aux(
        &mut self,
        kind: Kind,
        manifest: &Value,
        path: &str,
        decide: fn(ObjectKey, ObjectLimits) -> UserDecision,
    ) -> Result<(), ActionError> {
        let object = AuxObject::read(kind, manifest.clone(), path)?;
        if self.find_aux(&object.key).is_some() {
            let error = ApiError::already_exists(&object.key);
            return Err(ActionError::Api(object.key, error));
        }
        self.report_user_action(&object.key, |key| decide(key, object.limits()));
        self.aux_objects.push(object);
        self.note_surroundings();
        Ok(())
    }

    pub(super) fn apply_aux(&mut self, kind: Kind, manifest: &Value) -> Result<(), ActionError> {
        let key = ObjectKey::of_manifest(kind, manifest);
        let Some(object) = self.aux_objects.iter_mut().find(|object| object.key == key) else {
            return self.create_aux(kind, manifest, "apply", applied);
        };
        let mut merged = object.manifest.clone();
        merge(&mut merged, manifest);
        *object = AuxObject::read(kind, merged, "apply")?;
        let limits = object.limits();
        self.note_surroundings();
        self.report_user_action(&key, |object| applied(object, limits));
        Ok(())
    }

    pub(super) fn delete_aux(&mut self, key: ObjectKey) -> Result<(), ActionError> {
        let Some(index) = self.find_aux(&key) else {
            let error = ApiError::not_found(&key);
            return Err(ActionError::Api(key, error));
        };
        self.aux_objects.remove(index);
        self.note_surroundings();
        self.report_user_action(&key, |object| UserDecision::Delete { object });
        Ok(())
    }
}
