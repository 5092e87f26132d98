//! Field errors, as `k8s.io/apimachinery/pkg/util/validation/field` prints them.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde_json::Value;

use crate::go;
use crate::path::Path;
use crate::problem::shortened;

/// Why a field is refused.
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/field/errors.go ErrorType`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// A value that must be there is not.
    Required,
    /// Named, but not there.
    NotFound,
    /// Twice the same in a list of different things.
    Duplicate,
    /// Malformed or out of range.
    Invalid,
    /// Not one of the values that there are.
    NotSupported,
    /// Well-formed, but not under these conditions.
    Forbidden,
    /// Longer than allowed; the message leaves the value out.
    TooLong,
    /// More items than allowed.
    TooMany,
    /// Of another JSON type than the field.
    TypeInvalid,
    /// What should not happen: the API server did not do its part.
    Internal,
}

impl ErrorType {
    /// The name by which API clients know the reason (`FieldValueInvalid`).
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::NotFound => "FieldValueNotFound",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::NotFound => "Not found",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// A field that is not as it should be. It prints as upstream's does:
/// `spec.replicas: Invalid value: -1: must be greater than or equal to 0`.
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/field/errors.go Error`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// What kind of error it is.
    pub error_type: ErrorType,
    /// The field's path.
    pub path: String,
    /// The value as the message shows it; none where it shows none.
    pub value: Option<String>,
    /// What would be right; may be empty.
    pub detail: String,
}

impl FieldError {
    fn new(error_type: ErrorType, path: &Path<'_>, value: Option<String>, detail: impl Into<String>) -> Self {
        Self { error_type, path: path.to_string(), value, detail: detail.into() }
    }

    /// A malformed value, as the message shows it: `go::quoted`, `go::json` and `go::json_string` write it.
    pub(crate) fn invalid(path: &Path<'_>, value: String, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Invalid, path, Some(value), detail)
    }

    /// A malformed string.
    pub(crate) fn invalid_string(path: &Path<'_>, value: &str, detail: impl Into<String>) -> Self {
        Self::invalid(path, go::quoted(value), detail)
    }

    /// A value that is none of those which there are.
    pub(crate) fn not_supported(path: &Path<'_>, value: String, supported: &[&str]) -> Self {
        let supported = go::quoted_list(supported.iter().copied());
        Self::new(ErrorType::NotSupported, path, Some(value), format!("supported values: {supported}"))
    }

    /// A missing value.
    pub(crate) fn required(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Required, path, None, detail)
    }

    /// A value that must not be there now.
    pub(crate) fn forbidden(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Forbidden, path, None, detail)
    }

    /// A malformed number.
    pub(crate) fn invalid_number(path: &Path<'_>, value: i64, detail: impl Into<String>) -> Self {
        Self::invalid(path, value.to_string(), detail)
    }

    /// Something malformed that the message does not show.
    pub(crate) fn invalid_unseen(path: &Path<'_>, detail: &str) -> Self {
        Self::new(ErrorType::Invalid, path, None, detail)
    }

    /// What the API server should have seen to.
    pub(crate) fn internal(path: &Path<'_>, detail: String) -> Self {
        Self::new(ErrorType::Internal, path, None, detail)
    }

    /// A value that is there already, as the message shows it.
    pub(crate) fn duplicate(path: &Path<'_>, value: String) -> Self {
        Self::new(ErrorType::Duplicate, path, Some(value), "")
    }

    /// Something that is not there, as the message shows it.
    pub(crate) fn not_found(path: &Path<'_>, value: String, detail: &str) -> Self {
        Self::new(ErrorType::NotFound, path, Some(value), detail)
    }

    /// Too many items.
    pub(crate) fn too_many(path: &Path<'_>, items: usize, most: usize) -> Self {
        Self::new(ErrorType::TooMany, path, Some(items.to_string()), format!("must have at most {most} items"))
    }

    /// Too many bytes.
    pub(crate) fn too_long(path: &Path<'_>, max_length: usize) -> Self {
        Self::new(ErrorType::TooLong, path, None, format!("may not be more than {max_length} bytes"))
    }

    /// A value of the wrong JSON type. The API server answers these with a sentence of Go's decoder, which names no
    /// path; ours does, in the form of all other errors.
    pub(crate) fn type_invalid(path: &Path<'_>, value: &Value, detail: &str) -> Self {
        Self::new(ErrorType::TypeInvalid, path, Some(shortened(value)), detail)
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(self.error_type.text())?;
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

impl core::error::Error for FieldError {}

impl From<FieldError> for crate::Problem {
    fn from(error: FieldError) -> Self {
        let FieldError { error_type, path, value, detail } = error;
        let whole = FieldError { error_type, path: String::new(), value, detail };
        Self::new(path, whole.to_string())
    }
}
