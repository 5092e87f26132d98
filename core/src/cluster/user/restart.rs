//! Components are started again with other feature gates.

use alloc::string::String;

use serde_json::Value;

use super::request::ActionError;
use crate::Problem;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::feature_gates::{Feature, Gates};
use crate::object::{Kind, ObjectKey};
use crate::reason::{Reason, user as rule};

const API_SERVER: &str = "kube-apiserver";
const CONTROLLER_MANAGER: &str = "kube-controller-manager";

impl Cluster {
    /// Starts components again with other feature gates. A controller manager that has just started remembers nothing
    /// and syncs every object.
    pub(super) fn restart(&mut self, gates: &Value) -> Result<(), ActionError> {
        let before = self.gates;
        self.gates = before.restarted(gates, "featureGates").map_err(Problem::first)?;
        let named = |component| gates.get(component).is_some();
        let (name, component) = match (named("apiserver"), named("controllerManager")) {
            (true, false) => (API_SERVER, "the API server"),
            (false, true) => (CONTROLLER_MANAGER, "the controller manager"),
            _ => (CONTROLLER_MANAGER, "API server and controller manager"),
        };
        if name == CONTROLLER_MANAGER {
            self.restart_controllers();
        }
        let key = ObjectKey::new(Kind::Pod, "kube-system", name);
        let reason = Reason::new(&rule::RESTART, [component.into(), changed(before, self.gates).into()]);
        self.report(Actor::User, &key, reason);
        Ok(())
    }
}

/// The gates that differ, in words.
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
    if words.is_empty() { String::from("the feature gates that it had") } else { words }
}
