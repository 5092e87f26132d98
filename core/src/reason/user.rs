//! What the user does.

use super::{Operand, Rule, operand};

static OBJECT: Operand = operand("object", "the object of the action");
static DETAIL: Operand = operand("detail", "what was asked for");
const OPERANDS: &[&Operand] = &[&OBJECT, &DETAIL];

const fn act(id: &'static str, sentence: &'static str) -> Rule {
    Rule { id, upstream: None, section: None, sentence, formula: &[], operands: OPERANDS }
}

/// An object of the scenario's beginning.
pub static GIVEN: Rule = act("user.given", "{0} is there at the start{1}.");
/// `kubectl create`
pub static CREATE: Rule = act("user.create", "You create {0}{1}.");
/// `kubectl apply`
pub static APPLY: Rule = act("user.apply", "You apply {0}{1}.");
/// `kubectl scale`
pub static SCALE: Rule = act("user.scale", "You scale {0} to {1}.");
/// `kubectl set image`, or any change of the pod template
pub static SET_TEMPLATE: Rule = act("user.set-template", "You change the pod template of {0}{1}.");
/// `kubectl annotate`
pub static ANNOTATE: Rule = act("user.annotate", "You annotate {0}{1}.");
/// `kubectl rollout pause`
pub static PAUSE: Rule = act("user.pause", "You pause {0}{1}.");
/// `kubectl rollout resume`
pub static RESUME: Rule = act("user.resume", "You resume {0}{1}.");
/// `kubectl rollout undo`
pub static UNDO: Rule = act("user.undo", "You roll {0} back to revision {1}.");
/// It does not go back.
pub static NOT_UNDONE: Rule = act("user.not-undone", "kubectl does not roll {0} back: {1}");
/// `kubectl delete`
pub static DELETE: Rule = act("user.delete", "You delete {0}{1}.");
/// An eviction, as `kubectl drain` asks for it
pub static EVICT: Rule = act("user.evict", "You evict {0}{1}.");
/// `kubectl cordon`
pub static CORDON: Rule = act("user.cordon", "You cordon {0}: no new pods come to it{1}.");
/// `kubectl uncordon`
pub static UNCORDON: Rule = act("user.uncordon", "You uncordon {0}{1}.");
/// `kubectl drain`
pub static DRAIN: Rule =
    act("user.drain", "You drain {0}: no new pods come to it, and those that are there are evicted{1}.");
/// It evicts a pod.
pub static DRAIN_EVICT: Rule = act("user.drain-evict", "{0} is evicted from {1}, which is being drained.");
/// It stops.
pub static DRAIN_STOPS: Rule = act("user.drain-stops", "{0} stays cordoned and is not drained: cannot delete {1}");
/// It is done.
pub static DRAINED: Rule = act("user.drained", "{0} is drained: its pods have gone{1}.");
/// A component starts again with other feature gates.
pub static RESTART: Rule = act("user.restart", "You start {0} again with {1}.");
/// A node's kubelet is heard of no more.
pub static LOSE_NODE: Rule = act("user.lose-node", "You take {0} off the network{1}.");
/// It is heard of again.
pub static RETURN_NODE: Rule = act("user.return-node", "You bring {0} back to the network{1}.");
/// `kubectl delete node`
pub static DELETE_NODE: Rule = act("user.delete-node", "You delete {0}{1}.");
/// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
pub static TAINT_OUT_OF_SERVICE: Rule = act("user.taint-out-of-service", "You taint {0} as out of service{1}.");
/// The same with a minus at its end.
pub static UNTAINT_OUT_OF_SERVICE: Rule =
    act("user.untaint-out-of-service", "You take the out-of-service taint from {0}{1}.");
/// The API server said no.
pub static REFUSED: Rule = act("user.refused", "The API server refuses what you ask of {0}: {1}");

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
    &NOT_UNDONE,
    &DELETE,
    &EVICT,
    &CORDON,
    &UNCORDON,
    &DRAIN,
    &DRAIN_EVICT,
    &DRAIN_STOPS,
    &DRAINED,
    &RESTART,
    &LOSE_NODE,
    &RETURN_NODE,
    &DELETE_NODE,
    &TAINT_OUT_OF_SERVICE,
    &UNTAINT_OUT_OF_SERVICE,
    &REFUSED,
];
