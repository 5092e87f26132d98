//! A pod that kube-scheduler preempts.

use super::request::ActionError;
use crate::cluster::decision::{SchedulerDecision, UserDecision};
use crate::cluster::state::Cluster;
use crate::object::Object;
use crate::scenario::Preempt;

impl Cluster {
    /// The scheduler makes room on a pod's node for a pod that is not simulated.
    pub(super) fn preempt(&mut self, preempt: &Preempt) -> Result<(), ActionError> {
        let Object::Pod(pod) = self.target("Pod", &preempt.namespace, &preempt.name, "preempt")? else { return Ok(()) };
        let key = pod.key();
        let node = match &pod.spec.node_name {
            Some(node) if pod.is_active() => node.clone(),
            _ => {
                self.report_user_action(&key, |object| UserDecision::NotPreempted { object });
                return Ok(());
            }
        };
        let decision = SchedulerDecision::Preempt { pod: key.name.clone(), node: node.clone() };
        let preemptor = self.names.uid();
        self.delete_preempted(&pod, &preemptor, &node, decision);
        Ok(())
    }
}
