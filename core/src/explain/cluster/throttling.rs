//! Explains why a controller's request waits.

use super::super::{Reason, Rule, RuleText};
use crate::cluster::decision::ThrottlingDecision;
use crate::scenario::Duration;

/// Explains a decision.
pub(super) fn explain(decision: &ThrottlingDecision) -> Reason {
    let ThrottlingDecision { object, wait, qps, burst } = decision;
    let (kind, name) = (object.kind.name(), &*object.name);
    Throttled { kind, name, wait: *wait, qps: *qps, burst: *burst }.reason()
}

/// A controller has sent as many requests as it may.
#[derive(Rule)]
#[rule(
    id = "controller-manager.throttled",
    upstream = "k8s.io/client-go/util/flowcontrol/throttle.go tokenBucketRateLimiter.Wait",
    sentence = "The next request for {name} waits {wait}: the {kind} controller may send {qps} requests a second, and its burst of {burst} is used up."
)]
struct Throttled<'a> {
    #[operand(source = "the kind that is synced: each controller has its own limit")]
    kind: &'a str,
    #[operand(source = "the object that is synced")]
    name: &'a str,
    #[operand(source = "until the token bucket has a token; each request and each event takes one")]
    wait: Duration,
    #[operand(source = "kube-controller-manager --kube-api-qps")]
    qps: u32,
    #[operand(source = "kube-controller-manager --kube-api-burst")]
    burst: u32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[Throttled::TEXT];
