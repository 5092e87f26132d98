use alloc::vec::Vec;

use serde_json::Value;

use super::schema::Shape;
use super::validation::FieldError;

/// What the policy validates of a kind. The strategies would bring everything else along.
pub(crate) struct Reviewed {
    /// The fields that are validated.
    pub(crate) shape: &'static Shape,
    /// The errors of a spec that bear on replacement and on the numbers of a rollout, whether it was defaulted or not.
    pub(crate) validate: fn(&Value, &mut Vec<FieldError>),
}

impl Reviewed {
    /// A kind of which nothing else is validated.
    pub(crate) const fn shape_of(shape: &'static Shape) -> Self {
        Self { shape, validate: |_, _| {} }
    }
}
