//! What the user does.

use super::{Rule, RuleText};

/// An object of the scenario's beginning.
#[derive(Rule)]
#[rule(id = "user.given", sentence = "{object} is there at the start{detail}.")]
pub(super) struct Given<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl create`
#[derive(Rule)]
#[rule(id = "user.create", sentence = "You create {object}{detail}.")]
pub(super) struct Create<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl apply`
#[derive(Rule)]
#[rule(id = "user.apply", sentence = "You apply {object}{detail}.")]
pub(super) struct Apply<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl scale`
#[derive(Rule)]
#[rule(id = "user.scale", sentence = "You scale {object} to {detail}.")]
pub(super) struct Scale<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl set image`, or any change of the pod template
#[derive(Rule)]
#[rule(id = "user.set-template", sentence = "You change the pod template of {object}{detail}.")]
pub(super) struct SetTemplate<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl annotate`
#[derive(Rule)]
#[rule(id = "user.annotate", sentence = "You annotate {object}{detail}.")]
pub(super) struct Annotate<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl rollout pause`
#[derive(Rule)]
#[rule(id = "user.pause", sentence = "You pause {object}{detail}.")]
pub(super) struct Pause<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl rollout resume`
#[derive(Rule)]
#[rule(id = "user.resume", sentence = "You resume {object}{detail}.")]
pub(super) struct Resume<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl rollout undo`
#[derive(Rule)]
#[rule(id = "user.undo", sentence = "You roll {object} back to revision {detail}.")]
pub(super) struct Undo<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// It does not go back.
#[derive(Rule)]
#[rule(id = "user.not-undone", sentence = "kubectl does not roll {object} back: {detail}")]
pub(super) struct NotUndone<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl delete`
#[derive(Rule)]
#[rule(id = "user.delete", sentence = "You delete {object}{detail}.")]
pub(super) struct Delete<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// An eviction, as `kubectl drain` asks for it
#[derive(Rule)]
#[rule(id = "user.evict", sentence = "You evict {object}{detail}.")]
pub(super) struct Evict<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl cordon`
#[derive(Rule)]
#[rule(id = "user.cordon", sentence = "You cordon {object}: no new pods come to it{detail}.")]
pub(super) struct Cordon<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl uncordon`
#[derive(Rule)]
#[rule(id = "user.uncordon", sentence = "You uncordon {object}{detail}.")]
pub(super) struct Uncordon<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl drain`
#[derive(Rule)]
#[rule(
    id = "user.drain",
    sentence = "You drain {object}: no new pods come to it, and those that are there are evicted{detail}."
)]
pub(super) struct Drain<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// It evicts a pod.
#[derive(Rule)]
#[rule(id = "user.drain-evict", sentence = "{object} is evicted from {detail}, which is being drained.")]
pub(super) struct DrainEvict<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// It stops.
#[derive(Rule)]
#[rule(id = "user.drain-stops", sentence = "{object} stays cordoned and is not drained: cannot delete {detail}")]
pub(super) struct DrainStops<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// It is done.
#[derive(Rule)]
#[rule(id = "user.drained", sentence = "{object} is drained: its pods have gone{detail}.")]
pub(super) struct Drained<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// A component starts again with other feature gates.
#[derive(Rule)]
#[rule(id = "user.restart", sentence = "You start {object} again with {detail}.")]
pub(super) struct Restart<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// A node's kubelet is heard of no more.
#[derive(Rule)]
#[rule(id = "user.lose-node", sentence = "You take {object} off the network{detail}.")]
pub(super) struct LoseNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// It is heard of again.
#[derive(Rule)]
#[rule(id = "user.return-node", sentence = "You bring {object} back to the network{detail}.")]
pub(super) struct ReturnNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl delete node`
#[derive(Rule)]
#[rule(id = "user.delete-node", sentence = "You delete {object}{detail}.")]
pub(super) struct DeleteNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
#[derive(Rule)]
#[rule(id = "user.taint-out-of-service", sentence = "You taint {object} as out of service{detail}.")]
pub(super) struct TaintOutOfService<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// The same with a minus at its end.
#[derive(Rule)]
#[rule(id = "user.untaint-out-of-service", sentence = "You take the out-of-service taint from {object}{detail}.")]
pub(super) struct UntaintOutOfService<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// The API server said no.
#[derive(Rule)]
#[rule(id = "user.refused", sentence = "The API server refuses what you ask of {object}: {detail}")]
pub(super) struct Refused<'a> {
    #[operand(source = "the object of the action")]
    object: &'a str,
    #[operand(source = "what was asked for")]
    detail: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Given::TEXT,
    Create::TEXT,
    Apply::TEXT,
    Scale::TEXT,
    SetTemplate::TEXT,
    Annotate::TEXT,
    Pause::TEXT,
    Resume::TEXT,
    Undo::TEXT,
    NotUndone::TEXT,
    Delete::TEXT,
    Evict::TEXT,
    Cordon::TEXT,
    Uncordon::TEXT,
    Drain::TEXT,
    DrainEvict::TEXT,
    DrainStops::TEXT,
    Drained::TEXT,
    Restart::TEXT,
    LoseNode::TEXT,
    ReturnNode::TEXT,
    DeleteNode::TEXT,
    TaintOutOfService::TEXT,
    UntaintOutOfService::TEXT,
    Refused::TEXT,
];

// TRANSITIONAL
/// See the rule.
pub static GIVEN: RuleText = *Given::TEXT;
/// See the rule.
pub static CREATE: RuleText = *Create::TEXT;
/// See the rule.
pub static APPLY: RuleText = *Apply::TEXT;
/// See the rule.
pub static SCALE: RuleText = *Scale::TEXT;
/// See the rule.
pub static SET_TEMPLATE: RuleText = *SetTemplate::TEXT;
/// See the rule.
pub static ANNOTATE: RuleText = *Annotate::TEXT;
/// See the rule.
pub static PAUSE: RuleText = *Pause::TEXT;
/// See the rule.
pub static RESUME: RuleText = *Resume::TEXT;
/// See the rule.
pub static UNDO: RuleText = *Undo::TEXT;
/// See the rule.
pub static NOT_UNDONE: RuleText = *NotUndone::TEXT;
/// See the rule.
pub static DELETE: RuleText = *Delete::TEXT;
/// See the rule.
pub static EVICT: RuleText = *Evict::TEXT;
/// See the rule.
pub static CORDON: RuleText = *Cordon::TEXT;
/// See the rule.
pub static UNCORDON: RuleText = *Uncordon::TEXT;
/// See the rule.
pub static DRAIN: RuleText = *Drain::TEXT;
/// See the rule.
pub static DRAIN_EVICT: RuleText = *DrainEvict::TEXT;
/// See the rule.
pub static DRAIN_STOPS: RuleText = *DrainStops::TEXT;
/// See the rule.
pub static DRAINED: RuleText = *Drained::TEXT;
/// See the rule.
pub static RESTART: RuleText = *Restart::TEXT;
/// See the rule.
pub static LOSE_NODE: RuleText = *LoseNode::TEXT;
/// See the rule.
pub static RETURN_NODE: RuleText = *ReturnNode::TEXT;
/// See the rule.
pub static DELETE_NODE: RuleText = *DeleteNode::TEXT;
/// See the rule.
pub static TAINT_OUT_OF_SERVICE: RuleText = *TaintOutOfService::TEXT;
/// See the rule.
pub static UNTAINT_OUT_OF_SERVICE: RuleText = *UntaintOutOfService::TEXT;
/// See the rule.
pub static REFUSED: RuleText = *Refused::TEXT;
