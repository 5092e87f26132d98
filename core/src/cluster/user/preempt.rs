//! A pod that kube-scheduler preempts.

use alloc::format;

use super::request::ActionError;
use crate::cluster::decision::{SchedulerDecision, UserDecision};
use crate::cluster::disruption_condition::disrupted;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::controller::{Event, Verb};
use crate::object::Object;
use crate::scenario::Preempt;

/// The reason and the message of the condition of a preempted pod.
const BY_SCHEDULER: (&str, &str) =
    ("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod");

impl Cluster {
    /// The scheduler makes room on a pod's node for a pod that is not simulated.
    ///
    /// Upstream: `pkg/scheduler/framework/preemption/executor.go NewExecutor`
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
        let after = self.deleted(&Object::Pod(disrupted(&pod, BY_SCHEDULER, self.now)), None);
        let decision = SchedulerDecision::Preempt { pod: key.name.clone(), node: node.clone() };
        self.commit(Actor::Scheduler, &key, Verb::Delete, &key, after, decision);
        let preemptor = self.names.uid();
        self.event(&key, Event::normal("Preempted", &format!("Preempted by pod {preemptor} on node {node}")));
        Ok(())
    }
}
