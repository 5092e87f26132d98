//! A moment in a change with no available pod.

use alloc::format;
use alloc::string::String;

use super::answer::WarningKind;
use super::pod_autoscalers::PodAutoscaler;
use crate::object::{IntOrString, Time};
use crate::scenario::Duration;
use crate::timeline::{Point, Series};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{is_rolling_update, max_unavailable};

/// The longest span without an available pod after one with: from when to when, in nanoseconds after the start. Without an end, no
/// pod is available again.
pub(super) fn longest_span(series: &Series, start: Time) -> Option<(i64, Option<i64>)> {
    let with_any = |point: &&Point| point.counts.available > 0;
    let first = series.points.iter().position(|point| point.counts.available > 0)?;
    let mut rest = series.points.get(first..)?;
    let mut longest: Option<(i64, Option<i64>)> = None;
    while let Some(from) = rest.iter().position(|point| point.counts.available == 0) {
        rest = rest.get(from..)?;
        let from = rest.first()?.time.since(start);
        let until = rest.iter().find(with_any).map(|point| point.time.since(start));
        let length = |(from, until): (i64, Option<i64>)| until.map_or(i64::MAX, |until| until.saturating_sub(from));
        // Where one pod comes as another goes, nothing is missing.
        if longest.is_none_or(|longest| length(longest) < length((from, until))) && length((from, until)) > 0 {
            longest = Some((from, until));
        }
        let Some(next) = rest.iter().position(|point| point.counts.available > 0) else { break };
        rest = rest.get(next..)?;
    }
    longest
}

/// `none is available from 0 s to 35 s`
pub(super) fn none_available(from: i64, until: Option<i64>) -> String {
    let until = until.map_or_else(|| String::from("on"), |until| format!("to {}", Duration(until).briefly_in_words()));
    format!("none is available from {} {until}", Duration(from).briefly_in_words())
}

/// That no pod of a Deployment is available at some moment, from when to when, and what to change.
pub(super) fn outage(
    before: &Deployment,
    after: &Deployment,
    is_rollout: bool,
    autoscaler: Option<&PodAutoscaler>,
    series: &Series,
    start: Time,
) -> Option<(WarningKind, String)> {
    let (from, until) = longest_span(series, start)?;
    let gap = none_available(from, until);
    let replicas = after.spec.replicas;
    if replicas == 0 && before.spec.replicas == 0 {
        return None;
    }
    if replicas == 0 {
        let idle = autoscaler.map_or_else(String::new, |autoscaler| {
            format!(" {} does nothing while replicas is 0.", autoscaler.with_bounds())
        });
        let message = format!(
            "It is scaled from {} to 0 replicas: {gap}. If you don't mean that, set replicas to at least 1.{idle}",
            before.spec.replicas
        );
        return Some((WarningKind::ScaledToZero, message));
    }
    if is_rollout && !is_rolling_update(after) {
        let message = format!(
            "Recreate stops all pods before it starts new ones: {gap}. If two versions may run at once, use RollingUpdate."
        );
        return Some((WarningKind::RecreateGap, message));
    }
    let message = if !is_rollout {
        format!("Pods stop before others are available: {gap}.")
    } else if max_unavailable(after) >= replicas {
        let rolling = after.spec.strategy.rolling_update.as_ref();
        let written =
            |value: Option<&IntOrString>| value.map_or_else(|| String::from("25%"), |value| format!("{value}"));
        let unavailable = written(rolling.and_then(|rolling| rolling.max_unavailable.as_ref()));
        let surge = written(rolling.and_then(|rolling| rolling.max_surge.as_ref()));
        match replicas {
            1 => format!(
                "maxUnavailable {unavailable} (maxSurge {surge}) lets the only pod stop before a new one is available: {gap}. \
                 Set maxUnavailable to 0 and maxSurge to 1."
            ),
            _ => format!(
                "maxUnavailable {unavailable} lets all {replicas} pods stop before new ones are available: {gap}. \
                 Set it to less than {replicas}, like 1 or 25%."
            ),
        }
    } else {
        format!("Old pods stop before new ones are available: {gap}.")
    };
    Some((WarningKind::NothingAvailable, message))
}
