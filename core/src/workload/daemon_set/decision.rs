//! What the DaemonSet controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;

use changeover_derive::{Decision, Operands};

#[cfg(feature = "explain")]
use crate::rule::OperandSource;
#[cfg(feature = "explain")]
use crate::rule::operands::POD_NAME;

#[cfg(feature = "explain")]
pub(crate) const SET_NAME: OperandSource = OperandSource::new("the DaemonSet");
#[cfg(feature = "explain")]
const NODE_NAME: OperandSource = OperandSource::new("the node");
#[cfg(feature = "explain")]
const REVISION_NAME: OperandSource = OperandSource::new("the ControllerRevision");

#[cfg(feature = "explain")]
mod source {
    pub(super) const ON_NODE: &str = "pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode";
    pub(super) const ROLL: &str = "pkg/controller/daemon/update.go rollingUpdate";
    pub(super) const HISTORY: &str = "pkg/controller/daemon/update.go constructHistory";
    pub(super) const SNAPSHOT: &str = "pkg/controller/daemon/update.go snapshot";
    pub(super) const DEDUP: &str = "pkg/controller/daemon/update.go dedupCurHistories";
    pub(super) const CLAIM_HISTORY: &str = "pkg/controller/controller_ref_manager.go ClaimControllerRevisions";
    pub(super) const SYNC: &str = "pkg/controller/daemon/daemon_controller.go syncDaemonSet";
}

/// A decision of the DaemonSet controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// A pod without a controller is adopted.
    #[rule(
        id = "daemonset.adopt",
        upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
        sentence = "{set} adopts {pod}, which has no controller, and whose labels match."
    )]
    Adopt(OfPod),
    /// A pod whose labels no longer match is released.
    #[rule(
        id = "daemonset.release",
        upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
        sentence = "{set} releases {pod}: the pod's labels no longer match the selector."
    )]
    Release(OfPod),
    /// The selector takes every pod.
    #[rule(
        id = "daemonset.selects-all",
        upstream = source::SYNC,
        sentence = "The selector of {set} is empty: it would take every pod, so the controller does nothing."
    )]
    SelectsAll {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
    },
    /// The controller has not seen yet what it did.
    #[rule(
        id = "daemonset.wait.expectations",
        upstream = source::SYNC,
        sentence = "The controller has not seen all pods of {set} yet that it has created or deleted. Until then, it only counts."
    )]
    WaitForExpectations {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
    },
    /// A revision without a controller is adopted.
    #[rule(
        id = "daemonset.revision.adopt",
        upstream = source::CLAIM_HISTORY,
        sentence = "{set} adopts {revision}, which has no controller and whose labels match."
    )]
    AdoptRevision(OfRevision),
    /// A revision whose labels no longer match is released.
    #[rule(
        id = "daemonset.revision.release",
        upstream = source::CLAIM_HISTORY,
        sentence = "{set} releases {revision}: its labels no longer match the selector."
    )]
    ReleaseRevision(OfRevision),
    /// A revision has no hash.
    #[rule(
        id = "daemonset.revision.label",
        upstream = source::HISTORY,
        sentence = "{revision} of {set} has no label with a hash: it gets one with its own name."
    )]
    LabelRevision(OfRevision),
    /// The template is new.
    #[rule(
        id = "daemonset.revision.create",
        upstream = source::SNAPSHOT,
        sentence = "The pod template of {set} is new: {revision} keeps it, as number {number}."
    )]
    CreateRevision {
        #[operands]
        of: OfRevision,
        #[operand(source = "one more than the highest number of another revision")]
        number: i64,
    },
    /// An older revision already keeps the template.
    #[rule(
        id = "daemonset.revision.again",
        upstream = source::HISTORY,
        sentence = "The pod template of {set} is the one that {revision} keeps: its number rises from {from} to {number}."
    )]
    ReuseRevision {
        #[operands]
        of: OfRevision,
        #[operand(source = "its old number")]
        from: i64,
        #[operand(source = "one more than the highest number of another revision")]
        number: i64,
    },
    /// The name of a new revision is taken.
    #[rule(
        id = "daemonset.revision.collision",
        upstream = source::SNAPSHOT,
        sentence = "Another template has the name {revision} already: {set} counts collision {collisions}, and tries another name."
    )]
    CountCollision {
        #[operands]
        of: OfRevision,
        #[operand(source = "its status.collisionCount, plus one")]
        collisions: i32,
    },
    /// Several revisions keep the template: a pod gets the hash of the one that stays.
    #[rule(
        id = "daemonset.revision.relabel-pod",
        upstream = source::DEDUP,
        sentence = "Several revisions keep the pod template of {set}: {pod} gets the hash of {revision}, which stays."
    )]
    RelabelPod {
        #[operands]
        of: OfPod,
        #[operand(REVISION_NAME)]
        revision: Rc<str>,
    },
    /// Several revisions keep the template.
    #[rule(
        id = "daemonset.revision.duplicate",
        upstream = source::DEDUP,
        sentence = "{revision} is deleted: another revision of {set} with a higher number keeps the same template."
    )]
    DeleteDuplicate(OfRevision),
    /// There are more old revisions than the limit.
    #[rule(
        id = "daemonset.revision.delete",
        upstream = "pkg/controller/daemon/update.go cleanupHistory",
        sentence = "{revision} is deleted: {set} has {old} old revision(s), keeps {limit}, and no pod has this one."
    )]
    DeleteRevision {
        #[operands]
        of: OfRevision,
        #[operand(source = "its revisions with another template")]
        old: i32,
        #[operand(source = "its spec.revisionHistoryLimit")]
        limit: i32,
    },
    /// A node has no pod.
    #[rule(
        next_step,
        id = "daemonset.create",
        upstream = source::ON_NODE,
        sentence = "{set} creates a pod for {node}, which suits its pods and has none."
    )]
    Create(OnNode),
    /// A pod has failed.
    #[rule(
        next_step,
        id = "daemonset.delete.failed",
        upstream = source::ON_NODE,
        sentence = "{pod} has failed: {set} deletes it. The next one that fails on {node} stays for {seconds} s."
    )]
    DeleteFailed {
        #[operands]
        of: Box<PodOnNode>,
        #[operand(source = "1 s after the first failure, doubled with each one, at most 15 min")]
        seconds: i32,
    },
    /// A pod has failed, after others on the same node.
    #[rule(
        id = "daemonset.wait.back-off",
        upstream = source::ON_NODE,
        sentence = "{pod} has failed, as others on {node} before: {set} leaves it until {seconds} s after the last deletion there."
    )]
    WaitForBackOff {
        #[operands]
        of: Box<PodOnNode>,
        #[operand(source = "1 s after the first failure, doubled with each one, at most 15 min")]
        seconds: i32,
    },
    /// A pod has ended.
    #[rule(
        next_step,
        id = "daemonset.delete.succeeded",
        upstream = source::ON_NODE,
        sentence = "{pod} has ended: {set} deletes it, and creates another one on {node}."
    )]
    DeleteSucceeded(PodOnNode),
    /// A node has more pods than it should have.
    #[rule(
        next_step,
        id = "daemonset.delete.excess",
        upstream = source::ON_NODE,
        sentence = "{set} deletes {pod}: {node} has another one, which is bound already or older."
    )]
    DeleteExcess(PodOnNode),
    /// The old pod of a node is not ready.
    #[rule(
        next_step,
        id = "daemonset.delete.unready",
        upstream = source::ON_NODE,
        sentence = "{set} deletes {pod}, which has an old template and is not ready: {node} has a new pod."
    )]
    DeleteUnready(PodOnNode),
    /// The new pod of a node is available.
    #[rule(
        next_step,
        id = "daemonset.delete.replaced",
        upstream = source::ON_NODE,
        sentence = "{set} deletes {pod}, which has an old template: the new pod on {node} is available."
    )]
    DeleteReplaced(PodOnNode),
    /// A node no longer suits the pods.
    #[rule(
        next_step,
        id = "daemonset.delete.unsuitable",
        upstream = source::ON_NODE,
        sentence = "{set} deletes {pod}: {node} no longer suits its pods, because of its labels or a NoExecute taint."
    )]
    DeleteUnsuitable(PodOnNode),
    /// A pod waits for a node that is gone.
    #[rule(
        next_step,
        id = "daemonset.delete.node-gone",
        upstream = "pkg/controller/daemon/daemon_controller.go getUnscheduledPodsWithoutNode",
        sentence = "{set} deletes {pod}, which waits for {node}: there is no such node."
    )]
    DeleteWithoutNode(PodOnNode),
    /// An available pod has an old template.
    #[rule(
        next_step,
        id = "daemonset.update",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}, which has an old template, on {node}: {unavailable} of at most {limit} node(s) had no available pod.",
        formula = ["budget = maxUnavailable − unavailable = {limit} − {unavailable} = {budget}"],
    )]
    Update {
        #[operands]
        of: Box<PodOnNode>,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxUnavailable as a number of nodes, rounded up")]
        limit: i32,
        #[operand(source = "nodes without an available pod when this was decided")]
        unavailable: i32,
        #[operand(source = "limit − unavailable")]
        budget: i32,
    },
    /// An unavailable pod has an old template.
    #[rule(
        next_step,
        id = "daemonset.update.unavailable",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}, which has an old template and is not available, on {node}: maxUnavailable does not protect it."
    )]
    UpdateUnavailable(PodOnNode),
    /// maxUnavailable nodes have no available pod already.
    #[rule(
        next_step,
        id = "daemonset.update.wait.budget",
        upstream = source::ROLL,
        sentence = "{set} deletes no available pod for the update. Nodes without an available pod: {unavailable}; at most {limit} may be without one."
    )]
    UpdateWaits {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxUnavailable as a number of nodes, rounded up")]
        limit: i32,
        #[operand(source = "nodes without an available pod")]
        unavailable: i32,
    },
    /// An available old pod gets a new one beside it.
    #[rule(
        next_step,
        id = "daemonset.surge",
        upstream = source::ROLL,
        sentence = "{set} creates a new pod for {node} beside the old one: {surge} of at most {limit} node(s) had two.",
        formula = ["budget = maxSurge − surge = {limit} − {surge} = {budget}"],
    )]
    Surge {
        #[operands]
        of: OnNode,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxSurge as a number of nodes, rounded up")]
        limit: i32,
        #[operand(source = "nodes whose new pod was not available when this was decided")]
        surge: i32,
        #[operand(source = "limit − surge")]
        budget: i32,
    },
    /// An unavailable old pod gets a new one beside it.
    #[rule(
        next_step,
        id = "daemonset.surge.unavailable",
        upstream = source::ROLL,
        sentence = "{set} creates a new pod for {node}, whose old pod is not available: maxSurge does not limit that."
    )]
    SurgeUnavailable(OnNode),
    /// maxSurge nodes have two pods already.
    #[rule(
        next_step,
        id = "daemonset.surge.wait.budget",
        upstream = source::ROLL,
        sentence = "{set} creates no new pod beside an available old one: on {surge} node(s) the new pod is not available yet, and {limit} may be so."
    )]
    SurgeWaits {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxSurge as a number of nodes, rounded up")]
        limit: i32,
        #[operand(source = "nodes whose new pod is not available")]
        surge: i32,
    },
    /// A node does not suit the new template, and its pod is not available.
    #[rule(
        next_step,
        id = "daemonset.update.leave.unavailable",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}, which is not available and has an old template: {node} does not suit the new one."
    )]
    LeaveUnavailable(PodOnNode),
    /// A node does not suit the new template, and enough other pods are available.
    #[rule(
        next_step,
        id = "daemonset.update.leave",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}: {node} does not suit the new template. Nodes with an available pod: {available}; desired: {desired}."
    )]
    Leave {
        #[operands]
        of: Box<PodOnNode>,
        #[operand(source = "nodes with an available pod, also those that do not suit the new template")]
        available: i32,
        #[operand(source = "nodes that should have a pod")]
        desired: i32,
    },
    /// The update waits until a user deletes the old pods.
    #[rule(
        next_step,
        id = "daemonset.update.on-delete",
        upstream = "pkg/controller/daemon/daemon_controller.go updateDaemonSet",
        sentence = "{set} has {old} pod(s) with an old template. Its update strategy is OnDelete, so each stays until somebody deletes it."
    )]
    UpdateOnDelete {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its pods whose template is not the present one")]
        old: i32,
    },
    /// The status follows the pods.
    #[rule(
        id = "daemonset.status",
        upstream = "pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus",
        sentence = "{set}: {desired} node(s) should have a pod. With a pod: {current}, ready: {ready}, available: {available}, new: {updated}. Other nodes with a pod: {misscheduled}."
    )]
    Status {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "nodes that suit its pods", mark = Total)]
        desired: i32,
        #[operand(source = "those with a pod")]
        current: i32,
        #[operand(source = "those whose first pod is ready")]
        ready: i32,
        #[operand(source = "those whose first pod was ready for minReadySeconds", mark = Available)]
        available: i32,
        #[operand(source = "those whose first pod has the present template")]
        updated: i32,
        #[operand(source = "nodes that do not suit its pods and have one")]
        misscheduled: i32,
    },
}

/// Operands of rules about a pod.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct OfPod {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
}

/// Operands of rules about a revision.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct OfRevision {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(REVISION_NAME)]
    #[subject]
    pub revision: Rc<str>,
}

/// Operands of rules that create a pod.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct OnNode {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(NODE_NAME)]
    #[subject]
    pub node: Rc<str>,
}

/// Operands of rules about a pod of a node.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct PodOnNode {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
    #[operand(NODE_NAME)]
    pub node: Rc<str>,
}
