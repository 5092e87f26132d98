use super::{ControllerManager, Duration};
use crate::json::{FromJson, ToJson};

/// How closely a simulation follows a real control plane between one decision and the next. The decisions are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Each change is seen at once, each event gets a sync of its own, and requests take no time: every decision stands alone.
    #[default]
    Exact,
    /// Requests take time and wait for kube-controller-manager's rate limits, and caches lag. The next sync of an object sees
    /// everything that happened during the last one.
    Realistic,
}

impl Mode {
    /// How long a request takes, from sending it until the object is written: about twice as long as in the recordings of an
    /// idle control plane. docs/proof-method.md has the figures.
    const REQUEST_TIME: Duration = Duration(10_000_000);

    /// How long a written object takes until a controller begins a sync for it: between the median and the mean of recorded
    /// reactions.
    const WATCH_DELAY: Duration = Duration(5_000_000);

    /// The controllers' clients: those that a scenario gives, completed with what the mode sets. Without any, requests have no
    /// limit and take no time.
    pub fn controller_manager(self, given: Option<ControllerManager>) -> Option<ControllerManager> {
        match self {
            Self::Exact => given,
            Self::Realistic => {
                let given = given.unwrap_or_default();
                Some(ControllerManager {
                    request_time: Some(given.request_time.unwrap_or(Self::REQUEST_TIME)),
                    watch_delay: Some(given.watch_delay.unwrap_or(Self::WATCH_DELAY)),
                    ..given
                })
            }
        }
    }
}
