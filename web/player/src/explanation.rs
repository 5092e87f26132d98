//! A step's explanation as JSON for the page.

use changeover_core::explain::{Mark, Reason, Segment, Template};
use changeover_core::object::Time;
use changeover_core::timeline::{Actor, Step};
use changeover_wire::{object, str_list};
use serde_json::Value;

/// The time and the sentence.
pub(crate) fn brief_explanation(step: &Step, begin: Time) -> Value {
    object(vec![("time", step.time.since(begin).into()), ("sentence", step.reason().sentence().into())])
}

/// The time, the actor, the sources, the sentence and the formula.
pub(crate) fn explanation(step: &Step, begin: Time) -> Value {
    let reason = step.reason();
    let lines = reason.rule.formula.iter().map(|line| text_segments(&reason, line));
    object(vec![
        ("time", step.time.since(begin).into()),
        ("actor", actor_name(step.actor).into()),
        ("about", reason.value("replicaSet").map(ToString::to_string).into()),
        ("upstream", reason.rule.upstream.into()),
        ("section", reason.rule.section.into()),
        ("sentence", text_segments(&reason, &reason.rule.sentence)),
        ("formula", Value::Array(lines.collect())),
    ])
}

fn text_segments(reason: &Reason, template: &Template) -> Value {
    let piece = |segment: Segment<'_>| match segment {
        Segment::Text(text) => text.into(),
        Segment::Value(operand, value) => {
            str_list(&[operand.name, &value.to_string(), operand.source, operand.mark.map_or("", mark_name)])
        }
    };
    Value::Array(reason.segments(template).into_iter().map(piece).collect())
}

/// The actor's name on the page.
const fn actor_name(actor: Actor) -> &'static str {
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

/// A mark's name in CSS classes.
const fn mark_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Limit => "limit",
        Mark::Desired => "desired",
        Mark::MinAvailable => "minimum",
        Mark::Terminating => "terminating",
        Mark::Available => "available",
        Mark::Total => "total",
        Mark::ReplicaSet => "replica-set",
    }
}
