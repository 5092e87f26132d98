//! What is assumed around the user's manifests.

use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::prediction::World;
use changeover_core::scenario::{Autoscaler, ControllerManager, Limits, Node, Scenario, Timing, held_up_timings};
use serde_json::Value;

/// What the manifests don't say, with the keys of a scenario.
#[derive(Clone, Debug, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Surroundings {
    /// The nodes where the manifests have none.
    pub nodes: Vec<Node>,
    /// What adds nodes.
    pub autoscaler: Option<Autoscaler>,
    /// How fast pods start and end, except those that are held up.
    pub kubelet: Vec<Timing>,
    /// How many requests the controllers may send.
    pub controller_manager: Option<ControllerManager>,
    /// Where the simulation stops.
    pub limits: Option<Limits>,
}

impl Surroundings {
    /// Reads them; null for none.
    pub fn read(value: &Value) -> Result<Self, Problem> {
        if value.is_null() { Ok(Self::default()) } else { decode(value, "") }
    }

    /// Puts a scenario into them.
    pub fn surround(&self, mut scenario: Scenario, world: &World) -> Scenario {
        // The last one is that of all pods.
        let others = self.kubelet.last().cloned().unwrap_or_default();
        scenario.kubelet = held_up_timings(world.held_up(), others);
        // Nobody knows the number of the next revision in a running cluster.
        let of_new = self.kubelet.iter().filter(|timing| timing.revision.is_some() && !world.is_live());
        scenario.kubelet.splice(..0, of_new.cloned());
        scenario.controller_manager = self.controller_manager;
        if !scenario.nodes.is_empty() {
            scenario.autoscaler = self.autoscaler.clone();
        }
        if let Some(limits) = &self.limits {
            scenario.limits = limits.clone();
        }
        scenario
    }
}
