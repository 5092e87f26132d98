//! Names of images.

use alloc::format;
use alloc::string::String;

/// Upstream: `pkg/scheduler/framework/plugins/imagelocality/image_locality.go normalizedImageName`
pub(super) fn normalized_image_name(name: &str) -> String {
    match name.rfind(':') <= name.rfind('/') {
        true => format!("{name}:latest"),
        false => name.into(),
    }
}
