//! What the validation of all kinds shares: field errors, the syntax of names, and rules about one field.

mod field;
mod generic;
mod int_or_percent;
pub(crate) mod names;

pub use field::{ErrorType, FieldError};
pub(crate) use generic::{validate_enum, validate_immutable, validate_immutable_field, validate_nonnegative_field};
pub(crate) use int_or_percent::{
    get_int_or_percent_value, int_or_string, is_not_more_than_100_percent, printed, validate_positive_int_or_percent,
};
