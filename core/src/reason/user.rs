//! What the user does.

use super::{Rule, operand};

const OPERANDS: &[super::Operand] =
    &[operand("object", "the object of the action"), operand("detail", "what was asked for")];

const fn act(id: &'static str, sentence: &'static str) -> Rule {
    Rule { id, upstream: None, section: None, sentence, formula: &[], operands: OPERANDS }
}

/// An object of the scenario's beginning.
pub static GIVEN: Rule = act("user.given", "{object} is there at the start{detail}.");
/// `kubectl create`
pub static CREATE: Rule = act("user.create", "You create {object}{detail}.");
/// `kubectl apply`
pub static APPLY: Rule = act("user.apply", "You apply {object}{detail}.");
/// `kubectl scale`
pub static SCALE: Rule = act("user.scale", "You scale {object} to {detail}.");
/// `kubectl set image`, or any change of the pod template
pub static SET_TEMPLATE: Rule = act("user.set-template", "You change the pod template of {object}{detail}.");
/// `kubectl annotate`
pub static ANNOTATE: Rule = act("user.annotate", "You annotate {object}{detail}.");
/// `kubectl rollout pause`
pub static PAUSE: Rule = act("user.pause", "You pause {object}{detail}.");
/// `kubectl rollout resume`
pub static RESUME: Rule = act("user.resume", "You resume {object}{detail}.");
/// `kubectl rollout undo`
pub static UNDO: Rule = act("user.undo", "You roll {object} back to revision {detail}.");
/// `kubectl delete`
pub static DELETE: Rule = act("user.delete", "You delete {object}{detail}.");
/// An eviction, as `kubectl drain` asks for it
pub static EVICT: Rule = act("user.evict", "You evict {object}{detail}.");
/// A component starts again with other feature gates.
pub static RESTART: Rule = act("user.restart", "You start {object} again with {detail}.");
/// A node's kubelet is heard of no more.
pub static LOSE_NODE: Rule = act("user.lose-node", "You take {object} off the network{detail}.");
/// It is heard of again.
pub static RETURN_NODE: Rule = act("user.return-node", "You bring {object} back to the network{detail}.");
/// `kubectl delete node`
pub static DELETE_NODE: Rule = act("user.delete-node", "You delete {object}{detail}.");
/// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
pub static TAINT_OUT_OF_SERVICE: Rule =
    act("user.taint-out-of-service", "You taint {object} as out of service{detail}.");
/// The same with a minus at its end.
pub static UNTAINT_OUT_OF_SERVICE: Rule =
    act("user.untaint-out-of-service", "You take the out-of-service taint from {object}{detail}.");
/// The API server said no.
pub static REFUSED: Rule = act("user.refused", "The API server refuses what you ask of {object}: {detail}");

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &GIVEN,
    &CREATE,
    &APPLY,
    &SCALE,
    &SET_TEMPLATE,
    &ANNOTATE,
    &PAUSE,
    &RESUME,
    &UNDO,
    &DELETE,
    &EVICT,
    &RESTART,
    &LOSE_NODE,
    &RETURN_NODE,
    &DELETE_NODE,
    &TAINT_OUT_OF_SERVICE,
    &UNTAINT_OUT_OF_SERVICE,
    &REFUSED,
];
