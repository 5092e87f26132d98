//! The worst that any order of events does to a rollout.

use serde::{Deserialize, Serialize};

/// The worst of all orders, today and with the proposed policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorstCases {
    /// In today's releases.
    pub today: WorstCase,
    /// With TerminationComplete, where it makes a difference.
    #[serde(deserialize_with = "Option::deserialize")]
    pub proposed: Option<WorstCase>,
}

/// What no order of events exceeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorstCase {
    /// The most pods at once, terminating ones included.
    pub peak: i32,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// Whether these are proven bounds that may never be reached. Otherwise, all orders were explored.
    pub is_bound: bool,
    /// The longest time until the change is complete, in nanoseconds, without the time that controllers take. None if pods may
    /// never become ready.
    #[serde(deserialize_with = "Option::deserialize")]
    pub longest: Option<i64>,
    /// The steps of an order that leads to the most pods, one sentence each; none for a bound.
    pub peak_order: Vec<String>,
    /// The same for the fewest available pods; none if that is so at the start.
    pub lowest_order: Vec<String>,
    /// The same for the longest time; none for a bound.
    pub longest_order: Vec<String>,
}
