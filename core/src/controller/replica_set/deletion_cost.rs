//! What it costs to delete a pod (KEP-2255), as its annotation says. The grammar is the API server's.

use alloc::collections::BTreeMap;
use alloc::string::String;

pub use crate::apiserver::POD_DELETION_COST;
use crate::apiserver::get_deletion_cost_from_pod_annotations;

/// The cost that the annotations give; 0 where there is none.
///
/// # Errors
/// The value is not a 32-bit integer in the annotation's grammar; the text is upstream's. The controller then counts 0.
///
/// Upstream: `pkg/apis/core/helper/helpers.go GetDeletionCostFromPodAnnotations`
pub fn deletion_cost(annotations: &BTreeMap<String, String>) -> Result<i32, String> {
    get_deletion_cost_from_pod_annotations(annotations.get(POD_DELETION_COST).map(String::as_str))
}
