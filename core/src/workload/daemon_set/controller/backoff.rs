//! How long failed pods stay, so that the controller and a kubelet that refuses pods don't do nothing else.

use crate::json::{FromJson, ToJson};
use crate::object::Time;

/// Upstream: `cmd/kube-controller-manager/app/apps.go newDaemonSetController`
const DEFAULT_DURATION: i64 = Time::SECOND;
const MAX_DURATION: i64 = 15 * 60 * Time::SECOND;

/// The back-off of the failed pods of a DaemonSet on a node.
///
/// Upstream: `k8s.io/client-go/util/flowcontrol/backoff.go backoffEntry`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct BackOff {
    /// Nanoseconds.
    pub backoff: i64,
    /// When a failed pod was last deleted.
    pub last_update: Time,
}

impl BackOff {
    /// Upstream: `k8s.io/client-go/util/flowcontrol/backoff.go Backoff.IsInBackOffSinceUpdate`
    pub(super) fn is_in_back_off(&self, now: Time) -> bool {
        !self.has_expired(now) && now.since(self.last_update) < self.backoff
    }

    /// The back-off after another failed pod.
    ///
    /// Upstream: `k8s.io/client-go/util/flowcontrol/backoff.go Backoff.Next`
    pub(super) fn next(before: Option<Self>, now: Time) -> Self {
        let backoff = match before.filter(|entry| !entry.has_expired(now)) {
            None => DEFAULT_DURATION,
            Some(entry) => entry.backoff.saturating_mul(2).min(MAX_DURATION),
        };
        Self { backoff, last_update: now }
    }

    /// Upstream: `k8s.io/client-go/util/flowcontrol/backoff.go Backoff.hasExpired`
    fn has_expired(&self, now: Time) -> bool {
        now.since(self.last_update) > 2 * MAX_DURATION
    }
}
