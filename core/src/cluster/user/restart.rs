//! Components are started again with other feature gates.

use alloc::string::String;

use serde_json::Value;

use super::request::ActionError;
use crate::Problem;
use crate::cluster::decision::{Components, UserAct};
use crate::cluster::state::Cluster;
use crate::feature_gates::{Feature, Gates};
use crate::object::{Kind, ObjectKey};

const API_SERVER: &str = "kube-apiserver";
const CONTROLLER_MANAGER: &str = "kube-controller-manager";

impl Cluster {
    /// Starts components again with other feature gates. A controller manager that has just started remembers nothing
    /// and syncs every object.
    pub(super) fn restart(&mut self, gates: &Value) -> Result<(), ActionError> {
        let before = self.gates;
        self.gates = before.restarted(gates, "featureGates").map_err(Problem::all)?;
        let named = |component| gates.get(component).is_some();
        let (name, components) = match (named("apiserver"), named("controllerManager")) {
            (true, false) => (API_SERVER, Components::ApiServer),
            (false, true) => (CONTROLLER_MANAGER, Components::ControllerManager),
            _ => (CONTROLLER_MANAGER, Components::Both),
        };
        if name == CONTROLLER_MANAGER {
            self.restart_controllers();
        }
        let key = ObjectKey::new(Kind::Pod, "kube-system", name);
        self.report_act(&key, UserAct::Restart { components, gates: changed(before, self.gates).into() });
        Ok(())
    }
}

/// The gates that differ, like `PodDeletionCost off`; empty if none does.
fn changed(before: Gates, after: Gates) -> String {
    let mut words = String::new();
    for feature in Feature::all() {
        let on = |gates: Gates| (gates.apiserver.enabled(feature), gates.controller_manager.enabled(feature));
        if on(before) == on(after) {
            continue;
        }
        let is_on = match (on(before), on(after)) {
            ((server, _), (now, _)) if server != now => now,
            (_, (_, now)) => now,
        };
        words.push_str(if words.is_empty() { "" } else { " and " });
        words.push_str(feature.name());
        words.push_str(if is_on { " on" } else { " off" });
    }
    words
}
