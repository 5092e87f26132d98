//! Explains what the user does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::{Clause, Reason, Rule, RuleText};
use crate::cluster::decision::{Components, UserAction, UserDecision};
use crate::feature_gates::Feature;
use crate::object::ObjectKey;

/// Explains a decision.
pub(super) fn explain(decision: &UserDecision) -> Reason {
    let UserDecision { object, action } = decision;
    match action {
        UserAction::Create { limits } => Create { object, limits: LimitsClause::of(&limit_list(limits)) }.reason(),
        UserAction::Apply { limits } => Apply { object, limits: LimitsClause::of(&limit_list(limits)) }.reason(),
        UserAction::CreateJob { cron_job } => CreateJob { object, cron_job }.reason(),
        UserAction::Scale { replicas } => Scale { object, replicas: *replicas }.reason(),
        UserAction::SetTemplate { image } => SetTemplate { object, image: NewImage::of(image.as_deref()) }.reason(),
        UserAction::Annotate { annotations } => {
            Annotate { object, annotations: &annotation_list(annotations) }.reason()
        }
        UserAction::Pause => Pause { object }.reason(),
        UserAction::Suspend => Suspend { object }.reason(),
        UserAction::Resume => Resume { object }.reason(),
        UserAction::Undo { revision } => Undo { object, revision }.reason(),
        UserAction::NotUndone { message } => NotUndone { object, message }.reason(),
        UserAction::Delete => Delete { object }.reason(),
        UserAction::Evict => Evict { object }.reason(),
        UserAction::NotPreempted => NotPreempted { object }.reason(),
        UserAction::Cordon => Cordon { object }.reason(),
        UserAction::Uncordon => Uncordon { object }.reason(),
        UserAction::Drain => Drain { object }.reason(),
        UserAction::DrainEvicts { node } => DrainEvicts { object, node }.reason(),
        UserAction::DrainStops { message } => DrainStops { object, message }.reason(),
        UserAction::Drained => Drained { object }.reason(),
        UserAction::Restart { components, gates } => {
            let gates = gate_list(gates);
            Restart { components: RestartedComponents::of(*components), gates: NewGates::of(&gates) }.reason()
        }
        UserAction::LoseNode => LoseNode { object }.reason(),
        UserAction::ReturnNode => ReturnNode { object }.reason(),
        UserAction::DeleteNode => DeleteNode { object }.reason(),
        UserAction::TaintOutOfService => TaintOutOfService { object }.reason(),
        UserAction::UntaintOutOfService => UntaintOutOfService { object }.reason(),
        UserAction::Refused { message } => Refused { object, message }.reason(),
    }
}

/// Like `cpu=4, pods=3`.
fn limit_list(limits: &[(String, String)]) -> String {
    limits.iter().map(|(resource, amount)| format!("{resource}={amount}")).collect::<Vec<_>>().join(", ")
}

/// Like `a=b c=(removed)`.
fn annotation_list(annotations: &[(String, Option<String>)]) -> String {
    let text = |(key, value): &(String, Option<String>)| format!("{key}={}", value.as_deref().unwrap_or("(removed)"));
    annotations.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Like `PodDeletionCost off`.
fn gate_list(gates: &[(Feature, bool)]) -> String {
    let text = |(feature, is_on): &(Feature, bool)| format!("{} {}", feature.name(), if *is_on { "on" } else { "off" });
    gates.iter().map(text).collect::<Vec<_>>().join(" and ")
}

/// What a quota or budget limits.
#[derive(Clone, Copy, Clause)]
enum LimitsClause<'a> {
    /// It is of another kind.
    #[clause("")]
    Absent,
    #[clause(": {limits}")]
    Listed {
        #[operand(source = "what a quota or budget limits")]
        limits: &'a str,
    },
}

impl<'a> LimitsClause<'a> {
    const fn of(limits: &'a str) -> Self {
        if limits.is_empty() { Self::Absent } else { Self::Listed { limits } }
    }
}

/// The image in a new pod template.
#[derive(Clone, Copy, Clause)]
enum NewImage<'a> {
    #[clause("")]
    Unchanged,
    #[clause(": image {image}")]
    Changed {
        #[operand(source = "the first container's new image")]
        image: &'a str,
    },
}

impl<'a> NewImage<'a> {
    fn of(image: Option<&'a str>) -> Self {
        image.map_or(Self::Unchanged, |image| Self::Changed { image })
    }
}

/// The components that start again.
#[derive(Clone, Copy, Clause)]
enum RestartedComponents {
    #[clause("the API server")]
    ApiServer,
    #[clause("the controller manager")]
    ControllerManager,
    #[clause("the API server and the controller manager")]
    Both,
}

impl RestartedComponents {
    const fn of(components: Components) -> Self {
        match components {
            Components::ApiServer => Self::ApiServer,
            Components::ControllerManager => Self::ControllerManager,
            Components::Both => Self::Both,
        }
    }
}

/// The feature gates after a restart.
#[derive(Clone, Copy, Clause)]
enum NewGates<'a> {
    #[clause("the same feature gates")]
    Same,
    #[clause("{gates}")]
    Changed {
        #[operand(source = "the feature gates that differ")]
        gates: &'a str,
    },
}

impl<'a> NewGates<'a> {
    const fn of(gates: &'a str) -> Self {
        if gates.is_empty() { Self::Same } else { Self::Changed { gates } }
    }
}

/// `kubectl create`
#[derive(Rule)]
#[rule(id = "user.create", sentence = "You create {object}{limits}.")]
struct Create<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[clause]
    limits: LimitsClause<'a>,
}

/// `kubectl apply`
#[derive(Rule)]
#[rule(id = "user.apply", sentence = "You apply {object}{limits}.")]
struct Apply<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[clause]
    limits: LimitsClause<'a>,
}

/// `kubectl create job --from`
#[derive(Rule)]
#[rule(
    id = "user.create-job",
    upstream = "k8s.io/kubectl/pkg/cmd/create/create_job.go createJobFromCronJob",
    sentence = "You create {object} from the template of CronJob {cron_job}, which then owns it."
)]
struct CreateJob<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the CronJob of the action")]
    cron_job: &'a str,
}

/// `kubectl scale`
#[derive(Rule)]
#[rule(id = "user.scale", sentence = "You scale {object} to {replicas}.")]
struct Scale<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the desired pods")]
    replicas: i64,
}

/// `kubectl set image`, or any change of the pod template
#[derive(Rule)]
#[rule(id = "user.set-template", sentence = "You change the pod template of {object}{image}.")]
struct SetTemplate<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[clause]
    image: NewImage<'a>,
}

/// `kubectl annotate`
#[derive(Rule)]
#[rule(id = "user.annotate", sentence = "You annotate {object}: {annotations}.")]
struct Annotate<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the annotations that are set or removed")]
    annotations: &'a str,
}

/// `kubectl rollout pause`
#[derive(Rule)]
#[rule(id = "user.pause", sentence = "You pause {object}.")]
struct Pause<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// A patch of `spec.suspend`
#[derive(Rule)]
#[rule(id = "user.suspend", sentence = "You suspend {object}.")]
struct Suspend<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl rollout resume`, or a patch of `spec.suspend`
#[derive(Rule)]
#[rule(id = "user.resume", sentence = "You resume {object}.")]
struct Resume<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl rollout undo`
#[derive(Rule)]
#[rule(id = "user.undo", sentence = "You roll {object} back to revision {revision}.")]
struct Undo<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the revision that kubectl found")]
    revision: &'a str,
}

/// kubectl does not roll back.
#[derive(Rule)]
#[rule(id = "user.not-undone", sentence = "kubectl does not roll {object} back: {message}")]
struct NotUndone<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "kubectl's message")]
    message: &'a str,
}

/// `kubectl delete`
#[derive(Rule)]
#[rule(id = "user.delete", sentence = "You delete {object}.")]
struct Delete<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// An eviction, as `kubectl drain` asks for it
#[derive(Rule)]
#[rule(id = "user.evict", sentence = "You evict {object}.")]
struct Evict<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// A preemption that is not possible
#[derive(Rule)]
#[rule(
    id = "user.not-preempted",
    sentence = "{object} is not preempted: only a pod that runs on a node can be preempted."
)]
struct NotPreempted<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl cordon`
#[derive(Rule)]
#[rule(id = "user.cordon", sentence = "You cordon {object}: it gets no new pods.")]
struct Cordon<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl uncordon`
#[derive(Rule)]
#[rule(id = "user.uncordon", sentence = "You uncordon {object}: it may get new pods again.")]
struct Uncordon<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl drain`
#[derive(Rule)]
#[rule(id = "user.drain", sentence = "You drain {object}: it gets no new pods, and its pods are evicted.")]
struct Drain<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// The drain evicts a pod.
#[derive(Rule)]
#[rule(id = "user.drain-evict", sentence = "{object} is evicted from Node {node}, which is being drained.")]
struct DrainEvicts<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the node that is drained")]
    node: &'a str,
}

/// The drain stops.
#[derive(Rule)]
#[rule(id = "user.drain-stops", sentence = "{object} stays cordoned and is not drained: cannot delete {message}")]
struct DrainStops<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "kubectl's message")]
    message: &'a str,
}

/// The drain is done.
#[derive(Rule)]
#[rule(id = "user.drained", sentence = "{object} is drained: its pods are gone.")]
struct Drained<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// A component starts again with other feature gates.
#[derive(Rule)]
#[rule(id = "user.restart", sentence = "You restart {components} with {gates}.")]
struct Restart<'a> {
    #[clause]
    components: RestartedComponents,
    #[clause]
    gates: NewGates<'a>,
}

/// The node's kubelet reports no more.
#[derive(Rule)]
#[rule(id = "user.lose-node", sentence = "You disconnect {object} from the network.")]
struct LoseNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// The node's kubelet reports again.
#[derive(Rule)]
#[rule(id = "user.return-node", sentence = "You reconnect {object} to the network.")]
struct ReturnNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl delete node`
#[derive(Rule)]
#[rule(id = "user.delete-node", sentence = "You delete {object}.")]
struct DeleteNode<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
#[derive(Rule)]
#[rule(id = "user.taint-out-of-service", sentence = "You taint {object} as out of service.")]
struct TaintOutOfService<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// The same with a minus at its end.
#[derive(Rule)]
#[rule(id = "user.untaint-out-of-service", sentence = "You remove the out-of-service taint from {object}.")]
struct UntaintOutOfService<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
}

/// The API server refuses.
#[derive(Rule)]
#[rule(id = "user.refused", sentence = "The API server refuses your request for {object}: {message}")]
struct Refused<'a> {
    #[operand(source = "the object of the action")]
    object: &'a ObjectKey,
    #[operand(source = "the API server's message")]
    message: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Create::TEXT,
    Apply::TEXT,
    CreateJob::TEXT,
    Scale::TEXT,
    SetTemplate::TEXT,
    Annotate::TEXT,
    Pause::TEXT,
    Suspend::TEXT,
    Resume::TEXT,
    Undo::TEXT,
    NotUndone::TEXT,
    Delete::TEXT,
    Evict::TEXT,
    NotPreempted::TEXT,
    Cordon::TEXT,
    Uncordon::TEXT,
    Drain::TEXT,
    DrainEvicts::TEXT,
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
