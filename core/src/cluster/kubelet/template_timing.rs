//! The times of a template's pods as plain numbers, without probes and hooks: for pods that are played in groups.

use super::MINIMUM_GRACE_PERIOD;
use super::pre_stop_hook::{pre_stop_sleep, share_grace_period};
use super::probes::{has_probes, is_killed, probed_ready};
use crate::object::{PodTemplateSpec, Time};
use crate::scenario::{Delay, Duration, Timing};

/// The timing that the pods of a template come to under a timing without jitter and crashes. None where more happens to them
/// than that they start, become ready, terminate and go; or where a grace period is so short that pods take longer than it.
pub(in crate::cluster) fn template_timing(template: &PodTemplateSpec, timing: &Timing) -> Option<Timing> {
    if template.spec.has_scheduling_gates() {
        return None;
    }
    let (Delay::After(pull), None) = (timing.pull, &template.spec.node_name) else { return None };
    let grace = template.spec.fields.termination_grace_period_seconds.unwrap_or(30);
    if !template.metadata.finalizers.is_empty() || (grace != 0 && grace < MINIMUM_GRACE_PERIOD) {
        return None;
    }
    let fields = &template.spec.fields;
    let has_probes = has_probes(fields);
    let ready = match (timing.ready.filter(|_| timing.ignores_probes(has_probes)), timing.answers) {
        (Some(Delay::Never), _) | (None, Some(Delay::Never)) => return None,
        (Some(Delay::After(ready)), _) => ready,
        (None, None) if !has_probes => Some(Timing::START_UP).filter(|answers| !is_killed(fields, answers.0))?,
        (None, answers) => {
            let answers = match answers {
                Some(Delay::After(answers)) => answers,
                _ => Timing::START_UP,
            };
            Duration(probed_ready(fields, timing.start.0.saturating_add(pull.0), Some(answers.0))?)
        }
    };
    let hook = timing.pre_stop.map(|hook| hook.0).or_else(|| fields.containers.iter().filter_map(pre_stop_sleep).max());
    let terminate = match hook.filter(|_| grace > 0) {
        None => timing.terminate,
        Some(hook) => {
            let grace = grace.saturating_mul(Time::SECOND);
            let (hook, left) = share_grace_period(grace, hook);
            let takes = timing.terminate.map_or(left, |takes| takes.0.min(left)).saturating_add(hook);
            (takes <= grace).then_some(Some(Duration(takes)))?
        }
    };
    Some(Timing { ready: Some(Delay::After(ready)), answers: None, pre_stop: None, terminate, ..timing.clone() })
}

/// How long the pods of a template take from their creation until they are ready, and to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PodTimes {
    pub(crate) ready: Duration,
    pub(crate) stop: Duration,
}

/// The times of a template's pods under a timing; none where [`template_timing`] has none.
pub(crate) fn pod_times(template: &PodTemplateSpec, timing: &Timing) -> Option<PodTimes> {
    let Timing { schedule, start, pull: Delay::After(pull), ready: Some(Delay::After(ready)), terminate, .. } =
        template_timing(template, timing)?
    else {
        return None;
    };
    let stages = [schedule, start, pull, ready].map(|stage| stage.0);
    let grace = template.spec.fields.termination_grace_period_seconds.unwrap_or(30).saturating_mul(Time::SECOND);
    let stop = terminate.map_or(grace, |terminate| terminate.0.min(grace));
    Some(PodTimes { ready: Duration(stages.into_iter().fold(0, i64::saturating_add)), stop: Duration(stop) })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::decode;

    fn seconds(count: i64) -> Duration {
        Duration(count.saturating_mul(Time::SECOND))
    }

    /// How long a pod of a template takes from running containers to readiness, and to stop; none: its whole grace period.
    fn times(template: &Value, timing: &Timing) -> Option<(Duration, Option<Duration>)> {
        let template: PodTemplateSpec = decode(template, "template").unwrap();
        template_timing(&template, timing).map(|timing| match timing.ready {
            Some(Delay::After(ready)) => (ready, timing.terminate),
            _ => panic!("{timing:?}"),
        })
    }

    fn template(container: Value, grace: i64) -> Value {
        json!({ "spec": { "terminationGracePeriodSeconds": grace, "containers": [container] } })
    }

    #[test]
    fn probes_and_hooks_become_times() {
        let plain = Timing::DEFAULT;
        let sleep = |seconds: i64| json!({ "lifecycle": { "preStop": { "sleep": { "seconds": seconds } } } });
        let exec = |command: &Value| json!({ "lifecycle": { "preStop": { "exec": { "command": command } } } });
        let stops = |after: i64| Timing { terminate: Some(seconds(after)), ..Timing::DEFAULT };
        let (six, seven) = (Some(Delay::After(seconds(6))), Some(Delay::After(seconds(7))));
        let both = &Timing { ready: six, answers: seven, ..Timing::DEFAULT };
        for (container, grace, timing, expected) in [
            (json!({}), 30, &plain, Some((seconds(4), None))),
            (json!({}), 0, &plain, Some((seconds(4), None))),
            (json!({}), 1, &plain, None),
            (json!({ "readinessProbe": { "periodSeconds": 3 } }), 30, &plain, Some((seconds(6), None))),
            (json!({ "startupProbe": { "periodSeconds": 1 } }), 30, &plain, None),
            (json!({ "readinessProbe": { "periodSeconds": 3 } }), 30, both, Some((seconds(9), None))),
            (json!({}), 30, both, Some((seconds(6), None))),
            (json!({}), 30, &Timing { ready: Some(Delay::Never), ..plain.clone() }, None),
            (json!({}), 30, &Timing { pull: Delay::Never, ..plain.clone() }, None),
            // After the hook the containers have the rest of the grace period, but at least two seconds.
            (sleep(10), 30, &plain, Some((seconds(4), Some(seconds(30))))),
            (sleep(10), 30, &stops(5), Some((seconds(4), Some(seconds(15))))),
            (exec(&json!(["sh", "-c", "sleep 10"])), 30, &stops(5), Some((seconds(4), Some(seconds(15))))),
            (exec(&json!(["/wait-shutdown"])), 30, &stops(5), Some((seconds(4), Some(seconds(5))))),
            (sleep(29), 30, &stops(1), Some((seconds(4), Some(seconds(30))))),
            (sleep(29), 30, &plain, None),
            (sleep(10), 0, &plain, Some((seconds(4), None))),
        ] {
            assert_eq!(times(&template(container.clone(), grace), timing), expected, "{container} {grace} {timing:?}");
        }
    }
}
