//! How many pods of an index failed, as the annotations of its last pod say.

use crate::go::atoi;
use crate::object::Pod;

/// Upstream: `k8s.io/api/batch/v1/types.go JobIndexFailureCountAnnotation`
pub(super) const JOB_INDEX_FAILURE_COUNT_ANNOTATION: &str = "batch.kubernetes.io/job-index-failure-count";
/// Upstream: `k8s.io/api/batch/v1/types.go JobIndexIgnoredFailureCountAnnotation`
pub(super) const JOB_INDEX_IGNORED_FAILURE_COUNT_ANNOTATION: &str =
    "batch.kubernetes.io/job-index-ignored-failure-count";

/// Upstream: `pkg/controller/job/indexed_job_utils.go getIndexFailureCount`
pub(super) fn get_index_failure_count(pod: &Pod) -> i32 {
    pod.metadata.annotation(JOB_INDEX_FAILURE_COUNT_ANNOTATION).map_or(0, parse_int32)
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go getIndexAbsoluteFailureCount`
pub(super) fn get_index_absolute_failure_count(pod: &Pod) -> i32 {
    get_index_failure_count(pod).wrapping_add(parse_index_failure_ignore_count_annotation(pod))
}

/// Upstream: `pkg/controller/job/indexed_job_utils.go parseIndexFailureIgnoreCountAnnotation`
pub(super) fn parse_index_failure_ignore_count_annotation(pod: &Pod) -> i32 {
    pod.metadata.annotation(JOB_INDEX_IGNORED_FAILURE_COUNT_ANNOTATION).map_or(0, parse_int32)
}

/// The number; 0 for what is none, negative or too large.
///
/// Upstream: `pkg/controller/job/indexed_job_utils.go parseInt32`
fn parse_int32(text: &str) -> i32 {
    let number = atoi(text).ok().and_then(|number| i32::try_from(number).ok());
    number.filter(|number| *number >= 0).unwrap_or(0)
}
