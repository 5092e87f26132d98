use alloc::string::String;
use core::fmt;

use serde_json::Value;

use crate::go::quoted;
use crate::json::{FromJson, Path, Problem, ToJson, wrong};

/// A number of pods, or a percentage of the desired ones.
/// Upstream: `k8s.io/apimachinery/pkg/util/intstr/intstr.go IntOrString`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntOrString {
    /// A count.
    Int(i32),
    /// A percentage, like `25%`.
    String(String),
}

/// What becomes of the part of a pod that a percentage may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// It is one more pod.
    Up,
    /// It is left out.
    Down,
}

impl IntOrString {
    /// The number this stands for, of `total` pods.
    ///
    /// # Errors
    /// The text of upstream's error, where the string is not a percentage.
    ///
    /// Upstream: `k8s.io/apimachinery/pkg/util/intstr/intstr.go GetScaledValueFromIntOrPercent`
    pub fn scaled(&self, total: i32, rounding: Rounding) -> Result<i64, String> {
        let text = match self {
            Self::Int(value) => return Ok(i64::from(*value)),
            Self::String(text) => text,
        };
        let invalid = |what: &str| Err(alloc::format!("invalid value for IntOrString: {what}"));
        let Some(digits) = text.strip_suffix('%') else {
            return invalid("invalid type: string is not a percentage");
        };
        // Go's Atoi takes a sign; the API server's validation does not.
        let Ok(percent) = digits.parse::<i64>() else {
            let [text, digits] = [text, digits].map(quoted);
            return invalid(&alloc::format!("invalid value {text}: strconv.Atoi: parsing {digits}: invalid syntax"));
        };
        Ok(percent_of(percent, total, rounding))
    }
}

/// Rounds in float64, as upstream does: it is not exact from a product of 2^53 on.
#[expect(clippy::as_conversions, reason = "Go's own conversions, and there is no From between i64 and f64")]
fn percent_of(percent: i64, total: i32, rounding: Rounding) -> i64 {
    let share = percent as f64 * f64::from(total) / 100.0;
    let cut = share as i64;
    let whole = cut as f64;
    let rounded = match rounding {
        Rounding::Up if whole < share => cut.saturating_add(1),
        Rounding::Down if whole > share => cut.saturating_sub(1),
        _ => cut,
    };
    // What does not fit becomes the least number, in Go on amd64.
    if rounded == i64::MAX { i64::MIN } else { rounded }
}

impl ToJson for IntOrString {
    fn to_json(&self) -> Value {
        match self {
            Self::Int(value) => value.to_json(),
            Self::String(text) => text.to_json(),
        }
    }
}

impl FromJson for IntOrString {
    fn empty() -> Self {
        Self::Int(0)
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
        *self = match (number, value) {
            (Some(number), _) => Self::Int(number),
            (None, Value::String(text)) => Self::String(text.clone()),
            _ => return Err(wrong(value, path, "a 32bit integer or a percentage")),
        };
        Ok(())
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::String(text) => f.write_str(text),
        }
    }
}
