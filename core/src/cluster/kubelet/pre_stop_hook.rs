//! preStop hooks, which take their time from the pod's grace period.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::MINIMUM_GRACE_PERIOD;
use super::timing::Stage;
use crate::cluster::decision::{ContainersEnd, KubeletDecision};
use crate::cluster::event_queue::SimEvent;
use crate::cluster::pod_status::is_waiting;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::object::{Container, Pod, PodPhase, Time};
use crate::scenario::Duration;

/// What the preStop hook of a container does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreStopHook {
    /// It only sleeps, for this long.
    Sleep(Duration),
    /// Anything else. Nothing says how long that takes, so it takes no time here.
    Other,
}

/// The shells that run a script after `-c`.
const SHELLS: [&str; 4] = ["sh", "ash", "bash", "dash"];

impl PreStopHook {
    /// The hook in the `lifecycle` of a container, if it has one.
    pub fn of(lifecycle: &Value) -> Option<Self> {
        let hook = lifecycle.get("preStop")?.as_object().filter(|hook| !hook.is_empty())?;
        let seconds = hook.get("sleep").and_then(|sleep| sleep.get("seconds")?.as_i64());
        let sleep = seconds.map(|seconds| Duration::seconds(seconds.max(0)));
        let sleep = sleep.or_else(|| sleep_of_command(hook.get("exec")?.get("command")?.as_array()?));
        Some(sleep.map_or(Self::Other, Self::Sleep))
    }

    fn of_container(container: &Container) -> Option<Self> {
        Self::of(container.unknown.get("lifecycle")?)
    }
}

/// How long a command sleeps that does nothing else: `[sleep, "15"]`, `[sh, -c, sleep 15]`.
fn sleep_of_command(command: &[Value]) -> Option<Duration> {
    let words: Vec<&str> = command.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [shell, flags, script] if SHELLS.contains(&program_name(shell)) && is_command_flag(flags) => {
            sleep_of_words(script.split_ascii_whitespace())
        }
        words => sleep_of_words(words.iter().copied()),
    }
}

/// The name of a program without its folder: `/bin/sleep`.
fn program_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a script follows: `-c`, or that with other flags before it, such as `-ec`.
fn is_command_flag(flags: &str) -> bool {
    let letters = flags.strip_prefix('-').and_then(|flags| flags.strip_suffix('c'));
    letters.is_some_and(|letters| letters.bytes().all(|letter| letter.is_ascii_lowercase()))
}

/// `sleep` adds up the times that it is given.
fn sleep_of_words<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Duration> {
    words.next().filter(|program| program_name(program) == "sleep")?;
    let first = sleep_time(words.next()?)?;
    words.try_fold(first, |sum, word| Some(Duration(sum.0.saturating_add(sleep_time(word)?.0))))
}

/// A time as `sleep` takes it: a number of seconds, or of what its suffix says.
fn sleep_time(word: &str) -> Option<Duration> {
    let number = word.strip_suffix(['s', 'm', 'h']).unwrap_or(word);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let unit = if number == word { "s" } else { word.strip_prefix(number)? };
    Duration::parse(&format!("{number}{unit}")).filter(|_| is_number)
}

impl Cluster {
    /// How long the end of a running pod takes that has a preStop hook: the hook's time, and then what its containers take
    /// of what is left; and how they end.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer`
    pub(crate) fn plan_pre_stop_hook(&mut self, id: Id, pod: &Pod, grace_seconds: i64) -> Option<(i64, ContainersEnd)> {
        let hook = self.stage_time(id, pod, Stage::PreStop).or_else(|| longest_sleep(pod))?;
        let grace = grace_seconds.saturating_mul(Time::SECOND);
        // A pod that is terminating at the start may be past its hook.
        let elapsed = self.terminating_for(id);
        if pod.status.phase != PodPhase::Running || grace == 0 || (elapsed > 0 && elapsed >= hook) {
            return None;
        }
        let hook = hook.saturating_sub(elapsed);
        let (hook, left) = share_grace_period(grace, hook);
        self.plan(hook, SimEvent::EndPreStopHook(id, left.div_euclid(Time::SECOND)));
        let (takes, end) = self.time_to_stop(id, pod, left, 0);
        Some((hook.saturating_add(takes), end))
    }

    /// How many nanoseconds ago the containers of a terminating pod were asked to stop, once its preStop hook had ended.
    pub(super) fn stopping_for(&self, id: Id, pod: &Pod) -> i64 {
        let hook = self.stage_time(id, pod, Stage::PreStop).or_else(|| longest_sleep(pod)).unwrap_or(0);
        self.terminating_for(id).saturating_sub(hook).max(0)
    }

    /// The preStop hook has ended, or its time.
    pub(crate) fn end_pre_stop_hook(&mut self, id: Id, left: i64) {
        let Some(pod) = self.pod(id) else { return };
        let seconds = self.terminating_for(id).div_euclid(Time::SECOND);
        let decision = KubeletDecision::PreStopped { pod: pod.metadata.name.clone(), seconds, left };
        self.report(Actor::Kubelet, &pod.key(), decision);
    }
}

/// How much of a grace period a preStop hook takes, and what is left for the containers.
pub(crate) fn share_grace_period(grace: i64, hook: i64) -> (i64, i64) {
    let hook = hook.min(grace);
    (hook, grace.saturating_sub(hook).max(MINIMUM_GRACE_PERIOD.saturating_mul(Time::SECOND)))
}

/// Whether none of the pod's containers runs: its only one waits to be started again. Then there is nothing to kill, and no
/// preStop hook.
///
/// Upstream: `pkg/kubelet/container/helpers.go ConvertPodStatusToRunningPod`
pub(crate) fn runs_nothing(pod: &Pod) -> bool {
    let statuses = &pod.status.container_statuses;
    !statuses.is_empty() && statuses.iter().all(is_waiting)
}

/// The longest sleep among the preStop hooks of containers that run.
fn longest_sleep(pod: &Pod) -> Option<i64> {
    let containers = pod.spec.fields.containers.iter().enumerate();
    let is_running = |index: usize| !pod.status.container_statuses.get(index).is_some_and(is_waiting);
    containers.filter(|(index, _)| is_running(*index)).filter_map(|(_, container)| pre_stop_sleep(container)).max()
}

/// The sleep of a container's preStop hook, in nanoseconds.
pub(crate) fn pre_stop_sleep(container: &Container) -> Option<i64> {
    match PreStopHook::of_container(container)? {
        PreStopHook::Sleep(sleep) => Some(sleep.0),
        PreStopHook::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hook_that_only_sleeps_says_for_how_long() {
        let exec = |command: Value| json!({ "preStop": { "exec": { "command": command } } });
        let sleep = |nanoseconds: i64| Some(PreStopHook::Sleep(Duration(nanoseconds)));
        let (second, other) = (Time::SECOND, Some(PreStopHook::Other));
        for (lifecycle, expected) in [
            (json!({}), None),
            (json!({ "preStop": null }), None),
            (json!({ "preStop": {} }), None),
            (json!({ "postStart": { "sleep": { "seconds": 5 } } }), None),
            (json!({ "preStop": { "sleep": { "seconds": 15 } } }), sleep(15 * second)),
            (json!({ "preStop": { "sleep": { "seconds": -1 } } }), sleep(0)),
            (exec(json!(["sleep", "15"])), sleep(15 * second)),
            (exec(json!(["/bin/sleep", "0.5"])), sleep(second / 2)),
            (exec(json!(["/usr/bin/sleep", "2m"])), sleep(120 * second)),
            (exec(json!(["sleep", "1m", "30s"])), sleep(90 * second)),
            (exec(json!(["sh", "-c", "sleep 15"])), sleep(15 * second)),
            (exec(json!(["/bin/sh", "-c", " sleep  15\n"])), sleep(15 * second)),
            (exec(json!(["/bin/bash", "-ec", "/bin/sleep 15"])), sleep(15 * second)),
            (exec(json!(["sh", "-c", "sleep 15; nginx -s quit"])), other),
            (exec(json!(["sh", "-c", "sleep 15 && kill 1"])), other),
            (exec(json!(["sh", "-c", "sleep $DELAY"])), other),
            (exec(json!(["sh", "sleep", "15"])), other),
            (exec(json!(["python", "-c", "sleep 15"])), other),
            (exec(json!(["sleep"])), other),
            (exec(json!(["sleep", "infinity"])), other),
            (exec(json!(["sleep", "1m30s"])), other),
            (exec(json!(["sleep", "."])), other),
            (exec(json!(["sleep", "-5"])), other),
            (exec(json!(["sleep", 15])), other),
            (exec(json!(["/wait-shutdown"])), other),
            (exec(json!([])), other),
            (exec(json!("sleep 15")), other),
            (json!({ "preStop": { "httpGet": { "path": "/drain", "port": 80 } } }), other),
        ] {
            assert_eq!(PreStopHook::of(&lifecycle), expected, "{lifecycle}");
        }
    }
}
