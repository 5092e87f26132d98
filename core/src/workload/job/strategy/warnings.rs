//! What a client is warned of in a job spec.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::completions::is_indexed;
use crate::object::unstructured::integer;
use crate::path::Path;

/// Upstream: `pkg/api/job/warnings.go WarningsForJobSpec`, but for the template
pub(crate) fn warn_of_job_spec(spec: Option<&Value>, path: &Path<'_>, warnings: &mut Vec<String>) {
    let Some(spec) = spec else { return };
    let above = |key: &str, most: i64| integer(spec, key).is_some_and(|number| number > most);
    if is_indexed(spec) && above("completions", 100_000) && above("parallelism", 10_000) {
        warnings.push(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        ));
    }
}
