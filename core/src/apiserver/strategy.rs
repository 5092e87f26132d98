use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::equality::equal_field;
use super::meta::{NameRule, selector, validate_object_meta, validate_object_meta_update};
use super::pod_spec::PodValidationOptions;
use super::schema::Shape;
use super::validation::{FieldError, validate_immutable};
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{at, field};
use crate::path::Path;

/// How the API server treats the objects of one kind: everything that differs from kind to kind.
///
/// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStrategy`, and those of the other kinds
pub trait Strategy {
    /// Its kind.
    fn kind(&self) -> Kind;

    /// The fields that are read, and their types.
    fn shape(&self) -> &'static Shape;

    /// Whether its objects have a status.
    fn has_status(&self) -> bool {
        true
    }

    /// Sets the defaults of absent fields.
    ///
    /// Upstream: `pkg/apis/apps/v1/zz_generated.defaults.go SetObjectDefaults_Deployment`, and those of the other kinds
    fn set_defaults(&self, object: &mut Map<String, Value>, gates: FeatureGates);

    /// Writes what the conversion to the internal version and back writes.
    ///
    /// Upstream: `pkg/apis/apps/v1/conversion.go Convert_v1_Deployment_To_apps_Deployment`, and those of the other kinds
    fn convert(&self, _object: &mut Value) {}

    /// Removes what the conversion back leaves out.
    ///
    /// Upstream: `pkg/apis/apps/v1/conversion.go Convert_apps_Deployment_To_v1_Deployment`, and those of the other kinds
    fn convert_back(&self, _object: &mut Value) {}

    /// What happens to the spec before validation, with the old object on an update.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go PrepareForCreate` and `PrepareForUpdate`, and those of the
    /// other kinds
    fn prepare(&self, _object: &mut Value, _old: Option<&Value>, _gates: FeatureGates) {}

    /// What an update of the status may not write, besides the spec.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStatusStrategy.PrepareForUpdate`, and those of the
    /// other kinds
    fn prepare_status(&self, _object: &mut Value, _old: &Value, _gates: FeatureGates) {}

    /// The status of a new object: the counts that Go writes even where they are 0.
    fn initial_status(&self, _object: &Value) -> Value {
        Value::Object(Map::new())
    }

    /// The generation that an update makes; none where it makes no new one.
    fn next_generation(&self, object: &Value, old: &Value) -> Option<i64> {
        differs(object, old, &["spec"]).then(|| generation(old).saturating_add(1))
    }

    /// The errors of a new or a changed object.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go Validate` and `ValidateUpdate`, and those of the other kinds
    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>);

    /// Whether what an update replaces is invalid, so that the API server accepts any pod template.
    fn skips_pod_template(&self, _write: &Write<'_>) -> bool {
        false
    }

    /// Whether the pod template is not validated where the selector can't be read.
    fn skips_pod_template_without_selector(&self) -> bool {
        false
    }

    /// Whether the spec has templates of claims, which become volumes of the pods. The pod template of such a kind is not validated
    /// where the one before the update is invalid.
    ///
    /// Upstream: `pkg/apis/apps/validation/validation.go ValidateStatefulSetUpdate`
    fn has_claim_templates(&self) -> bool {
        false
    }

    /// The errors of a changed status.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go deploymentStatusStrategy.ValidateUpdate`, and those of the
    /// other kinds
    fn validate_status(&self, _write: &StatusWrite<'_>, _errors: &mut Vec<FieldError>) {}

    /// What a client is warned of where it creates the object.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go WarningsOnCreate`, and those of the other kinds
    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>);

    /// What a client is warned of where it changes the object.
    ///
    /// Upstream: `pkg/registry/apps/deployment/strategy.go WarningsOnUpdate`, and those of the other kinds
    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>);

    /// The annotation that the conversion reads a number from, if it is no number: then the API server refuses the object.
    fn unreadable_annotation(&self, _object: &Value) -> Option<&'static str> {
        None
    }
}

/// Whether an update changes the field at a path of names.
pub(crate) fn differs(object: &Value, old: &Value, field_path: &[&str]) -> bool {
    !equal_field(field_path.last().copied().unwrap_or_default(), at(object, field_path), at(old, field_path))
}

/// The generation that an object has.
pub(crate) fn generation(object: &Value) -> i64 {
    at(object, &["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default()
}

const SPEC: Path<'static> = Path::Root("spec");

/// A new or a changed object.
pub struct Write<'a> {
    pub(crate) object: &'a Value,
    /// What an update replaces.
    pub(crate) old: Option<&'a Value>,
    pub(crate) options: PodValidationOptions,
    pub(crate) gates: FeatureGates,
}

impl Write<'_> {
    pub(crate) fn spec(&self) -> &Value {
        field(self.object, "spec").unwrap_or(&Value::Null)
    }

    pub(crate) fn old_spec(&self) -> Option<&Value> {
        self.old.map(|old| field(old, "spec").unwrap_or(&Value::Null))
    }

    pub(crate) fn validate_metadata(&self, rule: NameRule, errors: &mut Vec<FieldError>) {
        match self.old {
            Some(old) => validate_object_meta_update(self.object, old, errors),
            None => validate_object_meta(self.object, rule, errors),
        }
    }

    pub(crate) fn validate_immutable_selector(&self, errors: &mut Vec<FieldError>) {
        if let Some(old) = self.old_spec() {
            validate_immutable(self.spec(), old, "selector", &SPEC, selector::printed, errors);
        }
    }
}

/// A changed status.
pub struct StatusWrite<'a> {
    pub(crate) object: &'a Value,
    pub(crate) old: &'a Value,
    pub(crate) options: PodValidationOptions,
    pub(crate) gates: FeatureGates,
}

impl StatusWrite<'_> {
    pub(crate) fn status(&self) -> &Value {
        field(self.object, "status").unwrap_or(&Value::Null)
    }

    pub(crate) fn old_status(&self) -> &Value {
        field(self.old, "status").unwrap_or(&Value::Null)
    }

    pub(crate) fn validate_metadata(&self, errors: &mut Vec<FieldError>) {
        validate_object_meta_update(self.object, self.old, errors);
    }
}
