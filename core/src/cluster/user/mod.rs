//! What the user does: each action becomes a request that the API server admits or refuses.

mod aux_objects;
mod create_job;
mod drain;
mod nodes;
mod objects;
mod preempt;
mod request;
mod restart;

use alloc::format;
use alloc::string::String;

use self::request::ActionError;
use super::state::Cluster;
use crate::Problem;
use crate::cluster::decision::UserDecision;
use crate::scenario::Action;

impl Cluster {
    /// Carries out an action of the scenario.
    pub(super) fn carry_out_action(&mut self, index: usize) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        let Some(action) = scenario.actions.get(index) else { return Ok(()) };
        match self.carry_out(&action.action) {
            Ok(()) => Ok(()),
            Err(ActionError::Problem(problem)) => Err(problem.map_paths(&|path| {
                let below = if path.is_empty() { String::new() } else { format!(".{path}") };
                format!("actions[{index}]{below}")
            })),
            Err(ActionError::Api(key, error)) => {
                self.report_user_action(&key, |object| {
                    let message = error.message.into();
                    UserDecision::Refused { object, message }
                });
                Ok(())
            }
        }
    }

    fn carry_out(&mut self, action: &Action) -> Result<(), ActionError> {
        match action {
            Action::Create(object) => {
                self.create(object, "create", |object, limits| UserDecision::Create { object, limits })
            }
            Action::Apply(object) => self.apply(object),
            Action::CreateJob(create) => self.create_job(create),
            Action::Scale(scale) => self.scale(scale),
            Action::SetTemplate(set) => self.set_template(set),
            Action::Annotate(annotate) => self.annotate(annotate),
            Action::Pause(name) => self.pause(name),
            Action::Suspend(suspend) => self.suspend(suspend),
            Action::Resume(resume) => self.resume(resume),
            Action::Restart(restart) => self.restart_rollout(restart),
            Action::Undo(undo) => self.undo(undo),
            Action::Delete(delete) => self.delete(delete),
            Action::Evict(evict) => self.evict(evict),
            Action::Preempt(preempt) => self.preempt(preempt),
            Action::FeatureGates(gates) => self.restart(gates),
            Action::Drain(drain) => self.drain(drain),
            Action::Cordon(node) => self.on_node(node, |object| UserDecision::Cordon { object }, Self::cordon),
            Action::Uncordon(node) => self.on_node(node, |object| UserDecision::Uncordon { object }, Self::uncordon),
            Action::LoseNode(node) => self.on_node(node, |object| UserDecision::LoseNode { object }, Self::lose_node),
            Action::ReturnNode(node) => {
                self.on_node(node, |object| UserDecision::ReturnNode { object }, Self::return_node)
            }
            Action::DeleteNode(node) => {
                self.on_node(node, |object| UserDecision::DeleteNode { object }, Self::delete_node)
            }
            Action::AddNode(node) => self.join_node(node),
            Action::Taint(taint) => self.taint(taint),
            Action::Untaint(untaint) => self.untaint(untaint),
            Action::LabelNode(label) => self.label_node(label),
            Action::TaintOutOfService(node) => {
                self.on_node(node, |object| UserDecision::TaintOutOfService { object }, Self::taint_out_of_service)
            }
            Action::UntaintOutOfService(node) => {
                self.on_node(node, |object| UserDecision::UntaintOutOfService { object }, Self::untaint_out_of_service)
            }
        }
    }
}
