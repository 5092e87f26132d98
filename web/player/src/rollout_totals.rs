//! What the changes of a workload with rollouts lead to.

use std::rc::Rc;

use changeover_core::object::{Object, PodTemplateSpec, Time};
use changeover_core::timeline::{Actor, Point, Series, Step, Timeline};
use changeover_wire::{Fork, Totals};

/// What the user's changes lead to, from the page's time 0 on. If only `forks` change anything, times count from when the cluster
/// was read.
pub(crate) fn totals_of(
    timeline: &Timeline,
    workload: &Object,
    series: &Series,
    begin: Time,
    forks: &[Fork],
) -> Totals {
    let is_it = |object: &Object| object.metadata().uid == workload.metadata().uid;
    let own = || {
        let own = timeline.steps.iter().filter(|step| step.time >= begin && step.actor == Actor::User);
        own.filter(|step| changed_workload(step).is_none_or(is_it))
    };
    let is_fork = |step: &Step| forks.iter().any(|fork| begin.plus(fork.at) == step.time);
    let change = own().next().filter(|_| !own().all(is_fork)).map_or(begin, |step| step.time);
    let rollout_start = own().rfind(|step| changes_template(step)).map(|step| step.time);
    let first = series.points.partition_point(|point| point.time <= begin).saturating_sub(1);
    let points = series.points.get(first..).unwrap_or_default();
    let totals = changeover_core::timeline::Totals::of(points, begin, timeline.time_at(timeline.len()));
    let is_given = timeline.initial.objects().any(is_it);
    // If the user scales a rollout in progress, the figures are about the scaling. What was done to nodes does not change it, and
    // neither does a pause or another strategy.
    let is_scaled = own().any(|step| changed_workload(step).is_some() && !keeps_replicas(step));
    let is_in_progress = is_given && !is_scaled && totals.complete.is_none_or(|complete| begin.plus(complete) > change);
    let most = points.iter().filter(|point| point.counts.holding() == totals.peak);
    let is_available = |point: &&Point| point.counts.available >= point.marks.desired;
    let all_available = points.iter().rev().take_while(is_available).last();
    let since_change = |since_begin: i64| begin.plus(since_begin).since(change).max(0);
    Totals {
        change: change.since(begin),
        peak: totals.peak,
        limit_at_peak: most.map(|point| point.marks.limit).max().unwrap_or(0),
        lowest_available: totals.lowest_available,
        all_available: all_available.map(|point| point.time.since(change).max(0)),
        // A given state may be in the middle of a rollout.
        rollout_start: rollout_start.map(|time| time.since(change)).or_else(|| is_in_progress.then_some(0)),
        complete: totals.complete.map(since_change),
        last_old_pod_gone: totals.last_old_pod_gone.map(since_change),
        job: None,
    }
}

/// What a workload with rollouts wants: the template of its pods, and how many there are. The nodes say that of a DaemonSet.
fn wanted(object: &Object) -> Option<(&Rc<PodTemplateSpec>, Option<i32>)> {
    match object {
        Object::Deployment(deployment) => Some((&deployment.spec.template, Some(deployment.spec.replicas))),
        Object::StatefulSet(set) => Some((&set.spec.template, Some(set.spec.replicas))),
        Object::DaemonSet(set) => Some((&set.spec.template, None)),
        _ => None,
    }
}

/// What a step wants of a workload with rollouts, before it and after it.
fn wanted_around(step: &Step) -> Option<[(&Rc<PodTemplateSpec>, Option<i32>); 2]> {
    let change = step.change.as_ref()?;
    Some([wanted(change.before.as_ref()?)?, wanted(change.after.as_ref()?)?])
}

/// Whether a step changes the pod template of a workload.
fn changes_template(step: &Step) -> bool {
    wanted_around(step).is_some_and(|[(before, _), (after, _)]| before != after)
}

/// Whether a step changes a workload, but not how many pods it wants.
fn keeps_replicas(step: &Step) -> bool {
    wanted_around(step).is_some_and(|[(_, before), (_, after)]| before == after)
}

/// The workload with rollouts that a step changes, if it changes one.
fn changed_workload(step: &Step) -> Option<&Object> {
    let change = step.change.as_ref()?;
    change.after.as_ref().or(change.before.as_ref()).filter(|object| wanted(object).is_some())
}
