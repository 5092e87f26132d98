//! Nodes that have a pod's images already.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::node_resources::MAX_SCORE;
use super::pod_shape::PodShape;
use super::snapshot::Snapshot;
use crate::go::{from_f64, to_f64};

const MEBIBYTE: i64 = 1024 * 1024;

/// Upstream: `pkg/scheduler/framework/plugins/imagelocality/image_locality.go minThreshold`
const MIN_THRESHOLD: i64 = 23 * MEBIBYTE;

/// Upstream: `pkg/scheduler/framework/plugins/imagelocality/image_locality.go maxContainerThreshold`
const MAX_CONTAINER_THRESHOLD: i64 = 1000 * MEBIBYTE;

/// Upstream: `pkg/scheduler/framework/plugins/imagelocality/image_locality.go ImageLocality.Score`
pub(super) fn scores(snapshot: &Snapshot, shape: &PodShape, feasible: &[usize]) -> Vec<i64> {
    // Of the pod's images, those that nodes have: how large each is on the first of them, and how many have it.
    let mut found: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for info in snapshot.nodes().iter().filter(|info| info.exists) {
        for (name, size) in info.node.images.iter().filter(|(name, _)| shape.images.contains(name)) {
            let (_, nodes) = found.entry(name.as_str()).or_insert((*size, 0));
            *nodes = nodes.saturating_add(1);
        }
    }
    let all = to_f64(i64::try_from(snapshot.node_count()).unwrap_or(i64::MAX));
    let of_image = |index: usize, image: &String| {
        let images = snapshot.node(index).map_or(&[][..], |info| info.node.images.as_slice());
        let is_there = images.iter().any(|(name, _)| name == image);
        let (size, nodes) = found.get(image.as_str()).copied().filter(|_| is_there).unwrap_or_default();
        from_f64(to_f64(size) * (to_f64(nodes) / all))
    };
    let most = MAX_CONTAINER_THRESHOLD.saturating_mul(i64::try_from(shape.images.len()).unwrap_or(i64::MAX));
    let score = |index: &usize| {
        if found.is_empty() {
            return 0;
        }
        let sum = shape.images.iter().map(|image| of_image(*index, image)).fold(0, i64::saturating_add);
        let above = sum.clamp(MIN_THRESHOLD, most.max(MIN_THRESHOLD)).saturating_sub(MIN_THRESHOLD);
        MAX_SCORE.saturating_mul(above).checked_div(most.saturating_sub(MIN_THRESHOLD)).unwrap_or(0)
    };
    feasible.iter().map(score).collect()
}
