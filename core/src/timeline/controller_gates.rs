use alloc::vec::Vec;

use crate::feature_gates::{FeatureGates, Gates};
use crate::object::Time;
use crate::scenario::Scenario;

/// The controller manager's feature gates over time: an action may restart it with others.
#[derive(Clone)]
pub(super) struct ControllerGates {
    now: FeatureGates,
    /// The gates of each restart that is still to come, the next one last.
    later: Vec<(Time, FeatureGates)>,
}

impl ControllerGates {
    pub(super) fn at_start(scenario: &Scenario) -> Self {
        // Gates that can't be read are an error of the scenario: no timeline has them.
        let mut gates = Gates::parse(&scenario.feature_gates, "").unwrap_or_default();
        let now = gates.controller_manager;
        let restarts = scenario.actions.iter().filter_map(|action| {
            gates = gates.restarted(action.action.feature_gates()?, "").ok()?;
            Some((scenario.start.plus(action.at.0), gates.controller_manager))
        });
        let mut later: Vec<_> = restarts.collect();
        later.sort_by_key(|(time, _)| core::cmp::Reverse(*time));
        Self { now, later }
    }

    /// Goes on to a time, that moment included.
    pub(super) fn advance(&mut self, time: Time) {
        while let Some((_, gates)) = self.later.pop_if(|(restart, _)| *restart <= time) {
            self.now = gates;
        }
    }

    pub(super) const fn now(&self) -> FeatureGates {
        self.now
    }
}
