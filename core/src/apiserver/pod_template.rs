//! PodTemplate.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::meta::{METADATA, NameRule};
use super::pod_spec::warnings::warn_of_template;
use super::pod_spec::{POD_TEMPLATE, set_template_defaults, validate_pod_template_spec};
use super::reviewed::Reviewed;
use super::schema::Shape;
use super::strategy::{Strategy, Write, differs, generation};
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::field;
use crate::path::Path;

pub(crate) const REVIEWED: Reviewed = Reviewed::shape_of(&SHAPE);

pub(super) struct PodTemplateStrategy;

impl Strategy for PodTemplateStrategy {
    fn kind(&self) -> Kind {
        Kind::PodTemplate
    }

    fn shape(&self) -> &'static Shape {
        &SHAPE
    }

    fn has_status(&self) -> bool {
        false
    }

    fn set_defaults(&self, object: &mut Map<String, Value>, _: FeatureGates) {
        set_template_defaults(object);
    }

    fn next_generation(&self, object: &Value, old: &Value) -> Option<i64> {
        differs(object, old, &["template"]).then(|| generation(old).saturating_add(1))
    }

    fn validate(&self, write: &Write<'_>, errors: &mut Vec<FieldError>) {
        write.validate_metadata(NameRule::DnsSubdomain, errors);
        let template = field(write.object, "template").unwrap_or(&Value::Null);
        validate_pod_template_spec(template, &Path::Root("template"), write.options, errors);
    }

    fn warnings_on_create(&self, object: &Value, warnings: &mut Vec<String>) {
        warn_of_template(object, &["template"], warnings);
    }

    fn warnings_on_update(&self, object: &Value, old: &Value, warnings: &mut Vec<String>) {
        if generation(object) != generation(old) {
            warn_of_template(object, &["template"], warnings);
        }
    }
}

pub(super) const SHAPE: Shape = Shape::Object(&[METADATA, POD_TEMPLATE]);
