//! Requests, and what nodes have left.

use alloc::format;
use alloc::vec::Vec;

use super::node_info::NodeInfo;
use super::pod_shape::PodShape;
use super::resource::UNLIMITED;
use super::status::{Code, Plugin, Status};
use crate::go::{from_f64, to_f64};

/// The highest score of a plugin.
///
/// Upstream: `k8s.io/kube-scheduler/framework/interface.go MaxNodeScore`
pub(super) const MAX_SCORE: i64 = 100;

/// Upstream: `pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest`
pub(crate) const FULL: &str = "Too many pods";

/// What precedes the name of a resource of which there is too little.
pub(crate) const INSUFFICIENT: &str = "Insufficient ";

/// Upstream: `pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest`
pub(super) fn filter(shape: &PodShape, info: &NodeInfo) -> Option<Status> {
    let (requests, allocatable, requested) = (&shape.requests, &info.node.allocatable, &info.requested);
    let mut status = Status { plugin: Some(Plugin::NodeResourcesFit), code: Code::Unschedulable, reasons: Vec::new() };
    if info.pods >= allocatable.pods {
        status.reasons.push(FULL.into());
    }
    let mut check = |name: &str, request: i64, allocatable: i64, requested: i64| {
        if request > 0 && request > allocatable.saturating_sub(requested) {
            status.reasons.push(match name {
                "cpu" => "Insufficient cpu".into(),
                "memory" => "Insufficient memory".into(),
                name => format!("{INSUFFICIENT}{name}").into(),
            });
            if request > allocatable {
                status.code = Code::UnschedulableAndUnresolvable;
            }
        }
    };
    check("cpu", requests.milli_cpu, allocatable.milli_cpu, requested.milli_cpu);
    check("memory", requests.memory, allocatable.memory, requested.memory);
    let [request, has, taken] = [requests, allocatable, requested].map(|amounts| amounts.ephemeral_storage);
    check("ephemeral-storage", request, has, taken);
    for (name, request) in &requests.scalar {
        check(name, *request, info.node.scalar(name), requested.scalar(name).unwrap_or(0));
    }
    (!status.reasons.is_empty()).then_some(status)
}

/// What a node counts as having where nodes are compared and it has any amount: of cpu 16 in thousandths, and of memory 64Gi. So of nodes
/// without a size, the one whose pods request least is the best.
const NOMINAL_CPU: i64 = 16_000;
const NOMINAL_MEMORY: i64 = 64 * 1024 * 1024 * 1024;

/// How much of cpu and memory the pod would leave.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/least_allocated.go leastResourceScorer`
pub(super) fn least_allocated_score(shape: &PodShape, info: &NodeInfo) -> i64 {
    let allocatable = &info.node.allocatable;
    let or = |amount: i64, nominal: i64| if amount == UNLIMITED { nominal } else { amount };
    let amounts = [
        (shape.scored.milli_cpu, info.non_zero.milli_cpu, or(allocatable.milli_cpu, NOMINAL_CPU)),
        (shape.scored.memory, info.non_zero.memory, or(allocatable.memory, NOMINAL_MEMORY)),
    ];
    let (mut sum, mut count) = (0_i64, 0_i64);
    for (request, taken, capacity) in amounts.into_iter().filter(|(_, _, capacity)| *capacity != 0) {
        let left = capacity.saturating_sub(taken.saturating_add(request)).max(0);
        sum = sum.saturating_add(left.saturating_mul(MAX_SCORE).checked_div(capacity).unwrap_or(0));
        count = count.saturating_add(1);
    }
    sum.checked_div(count).unwrap_or(0)
}

/// Whether the pod asks for neither cpu nor memory: then their balance does not count.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go BalancedAllocation.PreScore`
pub(super) const fn is_best_effort(shape: &PodShape) -> bool {
    shape.requests.milli_cpu == 0 && shape.requests.memory == 0
}

/// How the pod would change the balance between cpu and memory.
///
/// Upstream: `pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go balancedResourceScorer`
pub(super) fn balanced_allocation_score(shape: &PodShape, info: &NodeInfo) -> i64 {
    const HALF: i64 = MAX_SCORE / 2;
    let allocatable = [info.node.allocatable.milli_cpu, info.node.allocatable.memory];
    let taken = [info.requested.milli_cpu, info.requested.memory];
    let [cpu, memory] = taken;
    let with_pod = [cpu.saturating_add(shape.requests.milli_cpu), memory.saturating_add(shape.requests.memory)];
    let change = balance(with_pod, allocatable).saturating_sub(balance(taken, allocatable));
    HALF.saturating_add(HALF.saturating_add(change) / 2)
}

/// Upstream: `pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go balancedResourceScore`
fn balance(requested: [i64; 2], allocatable: [i64; 2]) -> i64 {
    let [cpu, memory] = requested;
    let deviation = match allocatable {
        // With one resource, there is nothing to balance.
        [0, _] | [_, 0] => 0.0,
        [all_cpu, all_memory] => {
            let fraction = |requested: i64, all: i64| (to_f64(requested) / to_f64(all)).min(1.0);
            ((fraction(cpu, all_cpu) - fraction(memory, all_memory)) / 2.0).abs()
        }
    };
    from_f64((1.0 - deviation) * to_f64(MAX_SCORE))
}
