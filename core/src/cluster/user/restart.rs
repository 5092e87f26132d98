//! Components are started again with other feature gates.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::request::ActionError;
use crate::Problem;
use crate::cluster::decision::{Components, NewGates, UserDecision};
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
        let gates = changed(before, self.gates);
        self.report_user_action(&key, |_| UserDecision::Restart { components, gates });
        Ok(())
    }
}

/// The gates that differ, and whether they are on now.
fn changed(before: Gates, after: Gates) -> NewGates {
    let change = |feature: Feature| {
        let on = |gates: Gates| (gates.apiserver.enabled(feature), gates.controller_manager.enabled(feature));
        match (on(before), on(after)) {
            ((before, _), (after, _)) if before != after => Some((feature, after)),
            ((_, before), (_, after)) => (before != after).then_some((feature, after)),
        }
    };
    let text = |(feature, is_on): (Feature, bool)| format!("{} {}", feature.name(), if is_on { "on" } else { "off" });
    let changed: Vec<_> = Feature::all().filter_map(change).map(text).collect();
    match changed.is_empty() {
        true => NewGates::Same,
        false => NewGates::Changed { gates: changed.join(" and ").into() },
    }
}
