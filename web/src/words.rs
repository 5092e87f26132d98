//! The few words that are the page's own. What is decided, and why, is said by the core.

use changeover_core::timeline::{Actor, Marks, PodState};

/// `1 pod`, `2 pods`
pub(crate) fn plural(count: i32, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `3 over`
pub(crate) fn over(count: i32) -> String {
    format!("{count} over")
}

/// What a state is called, on the page and in its classes.
pub(crate) const fn state_name(state: PodState) -> &'static str {
    match state {
        PodState::Available => "available",
        PodState::Ready => "ready",
        PodState::Starting => "starting",
        PodState::Pending => "pending",
        PodState::Terminating => "terminating",
        PodState::Unknown => "unknown",
        PodState::Failed => "failed",
        PodState::Succeeded => "succeeded",
    }
}

/// Who acts.
pub(crate) const fn actor_name(actor: Actor) -> &'static str {
    match actor {
        Actor::User => "You",
        Actor::DeploymentController => "Deployment controller",
        Actor::ReplicaSetController => "ReplicaSet controller",
        Actor::Scheduler => "Scheduler",
        Actor::Kubelet => "Kubelet",
        Actor::GarbageCollector => "Garbage collector",
        Actor::NodeLifecycleController => "Node controller",
        Actor::TaintEvictionController => "Taint eviction controller",
        Actor::PodGarbageCollector => "Pod garbage collector",
        Actor::ClusterAutoscaler => "Cluster autoscaler",
        Actor::AttachDetachController => "Volume controller",
    }
}

/// What the first lane comes to, in one line.
pub(crate) fn headline(marks: Marks, peak: i32) -> String {
    let promise = format!("{} promise {} at most", plural(marks.desired, "replica"), plural(marks.limit, "pod"));
    if peak > marks.limit {
        format!("{promise}. For a while there are {peak}.")
    } else {
        format!("{promise}, and so it is.")
    }
}
