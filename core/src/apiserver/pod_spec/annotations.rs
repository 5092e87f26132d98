//! The annotations of pods that are validated.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::deletion_cost;
use super::options::PodValidationOptions;
use crate::apiserver::meta::annotations::remove_annotations;
use crate::apiserver::validation::FieldError;
use crate::object::unstructured::string;
use crate::path::Path;

/// Marks the mirror of a static Pod, which a kubelet runs without the API server.
/// Upstream: `k8s.io/api/core/v1/annotation_key_constants.go MirrorPodAnnotationKey`
pub(crate) const MIRROR_POD: &str = "kubernetes.io/config.mirror";

/// Upstream: `pkg/api/pod/util.go DropInitContainerAnnotations`
pub(crate) fn drop_init_container_annotations(holder: &mut Value) {
    let keys = [
        "pod.alpha.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.beta.kubernetes.io/init-containers",
    ];
    remove_annotations(holder, &keys);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`, this part alone
pub(crate) fn validate_mirror(
    annotations: Option<&Map<String, Value>>,
    spec: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(value) = annotations.and_then(|annotations| annotations.get(MIRROR_POD))
        && string(spec, "nodeName").is_empty()
    {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        let value = value.as_str().unwrap_or_default();
        errors.push(FieldError::invalid_string(&path.key(MIRROR_POD), value, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotations`, the deletion cost alone
pub(crate) fn validate_pod_specific_annotations(
    annotations: Option<&Map<String, Value>>,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    if !options.allow_invalid_pod_deletion_cost {
        deletion_cost::validate(annotations, path, errors);
    }
}
