//! What the user does with auxiliary objects.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::request::{ActionError, applied};
use crate::cluster::aux_objects::AuxObject;
use crate::cluster::decision::UserAction;
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
        action: fn(Vec<(String, String)>) -> UserAction,
    ) -> Result<(), ActionError> {
        let object = AuxObject::read(kind, manifest.clone(), path)?;
        if self.find_aux(&object.key).is_some() {
            let error = ApiError::already_exists(&object.key);
            return Err(ActionError::Api(object.key, error));
        }
        self.report_user_action(&object.key, action(object.limits()));
        self.aux_objects.push(object);
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
        let action = applied(object.limits());
        self.report_user_action(&key, action);
        Ok(())
    }

    pub(super) fn delete_aux(&mut self, key: ObjectKey) -> Result<(), ActionError> {
        let Some(index) = self.find_aux(&key) else {
            let error = ApiError::not_found(&key);
            return Err(ActionError::Api(key, error));
        };
        self.aux_objects.remove(index);
        self.report_user_action(&key, UserAction::Delete);
        Ok(())
    }
}
