//! Probes, where the scenario doesn't say when a pod with them is ready: how long its containers take until they answer is the scenario's,
//! and the pod is ready at the first probe after that which counts. A liveness probe only matters here if it kills each container before
//! that one answers: then the pod never becomes ready.
//!
//! A real kubelet also probes at once whenever it syncs a pod that isn't ready, at least every minute, and each sync restarts
//! the period. Here it does so when a container starts, and when its startup probe succeeds.

use serde_json::Value;

use super::container_end::RestartPolicy;
use super::timing::{Stage, time_left};
use crate::cluster::decision::{KubeletDecision, ProbeSuccess};
use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::controller::Event;
use crate::object::unstructured::string;
use crate::object::{Container, Pod, PodSpecFields, Probe, Time};
use crate::scenario::Duration;

/// When a probe is sent and what counts, in nanoseconds and times.
#[derive(Clone, Copy, Debug)]
struct ProbeSpec {
    initial_delay: i64,
    period: i64,
    success_threshold: i64,
    failure_threshold: i64,
}

/// What the probes find, in nanoseconds after the container's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// They succeed.
    Success(i64),
    /// The startup probe fails for good.
    Failure { after: i64, failures: i64 },
    /// They go on failing.
    Never,
}

impl ProbeSpec {
    /// Reads a probe, with a way to ask for its numbers; what is missing has the API server's default.
    fn of(number: impl Fn(&str) -> Option<i64>) -> Self {
        let seconds = |key: &str| number(key).unwrap_or(0).max(0).saturating_mul(Time::SECOND);
        let at_least_one = |key: &str, default: i64| number(key).filter(|given| *given > 0).unwrap_or(default);
        Self {
            initial_delay: seconds("initialDelaySeconds"),
            period: at_least_one("periodSeconds", 10).saturating_mul(Time::SECOND),
            success_threshold: at_least_one("successThreshold", 1),
            failure_threshold: at_least_one("failureThreshold", 3),
        }
    }

    /// The first probe from `first` on that is not before `time`.
    const fn probe_from(self, first: i64, time: i64) -> i64 {
        let missing = time.saturating_sub(first);
        if missing <= 0 {
            return first;
        }
        let periods = missing.saturating_add(self.period.saturating_sub(1)).div_euclid(self.period);
        first.saturating_add(periods.saturating_mul(self.period))
    }

    /// What a startup probe finds, of which the first one is sent at `first`.
    ///
    /// Upstream: `pkg/kubelet/prober/worker.go worker.doProbe`
    fn start_up(self, first: i64, answers: Option<i64>) -> Found {
        let first = self.probe_from(first, self.initial_delay);
        let success = answers.map(|answers| self.probe_from(first, answers));
        let last = self.failure_threshold.saturating_sub(1).saturating_mul(self.period).saturating_add(first);
        match success.filter(|success| *success <= last) {
            Some(success) => Found::Success(success),
            None => Found::Failure { after: last, failures: self.failure_threshold },
        }
    }

    /// What a readiness probe finds, of which the first one is sent at `first`.
    ///
    /// Upstream: `pkg/kubelet/prober/worker.go worker.doProbe`
    fn readiness(self, first: i64, answers: Option<i64>) -> Found {
        let Some(answers) = answers else { return Found::Never };
        let success = self.probe_from(first, answers.max(self.initial_delay));
        let more = self.success_threshold.saturating_sub(1).saturating_mul(self.period);
        Found::Success(success.saturating_add(more))
    }
}

/// The handlers of probes that ask a port of the container.
const ASKING_PORTS: [&str; 2] = ["httpGet", "tcpSocket"];

/// The name of a port that a handler of a probe asks and that its container doesn't have. Such a probe has no result, ever: neither
/// success nor failure.
///
/// Upstream: `pkg/probe/util.go findPortByName`, `pkg/kubelet/prober/worker.go worker.doProbe`
pub(crate) fn missing_port<'a>(container: &Container, handler: impl Fn(&str) -> Option<&'a Value>) -> Option<&'a str> {
    let ports = container.unknown.get("ports").and_then(Value::as_array);
    let has = |name: &str| ports.into_iter().flatten().any(|port| string(port, "name") == name);
    let named = ASKING_PORTS.into_iter().filter_map(handler).find_map(|handler| handler.get("port")?.as_str());
    named.filter(|name| !has(name))
}

/// A probe of a container that has no type.
fn untyped_probe<'a>(container: &'a Container, name: &str) -> Option<(ProbeSpec, Option<&'a str>)> {
    let probe = container.unknown.get(name).filter(|probe| probe.is_object())?;
    let spec = ProbeSpec::of(|key| probe.get(key).and_then(Value::as_i64));
    Some((spec, missing_port(container, |handler| probe.get(handler))))
}

fn startup_probe(container: &Container) -> Option<(ProbeSpec, Option<&str>)> {
    untyped_probe(container, "startupProbe")
}

fn readiness_probe(container: &Container) -> Option<(ProbeSpec, Option<&str>)> {
    let Probe { initial_delay_seconds, period_seconds, unknown } = container.readiness_probe.as_ref()?;
    let spec = ProbeSpec::of(|key| match key {
        "initialDelaySeconds" => Some((*initial_delay_seconds).into()),
        "periodSeconds" => Some((*period_seconds).into()),
        _ => unknown.get(key).and_then(Value::as_i64),
    });
    Some((spec, missing_port(container, |handler| unknown.get(handler))))
}

/// The sidecars of a pod, in the order in which they start: init containers that always restart.
pub(crate) fn sidecars(fields: &PodSpecFields) -> impl Iterator<Item = &Container> {
    fields.init_containers.iter().filter(|container| container.restart_policy.as_deref() == Some("Always"))
}

/// Whether a container of a pod has a startup or readiness probe.
pub(crate) fn has_probes(fields: &PodSpecFields) -> bool {
    let mut containers = sidecars(fields).chain(&fields.containers);
    containers.any(|container| container.readiness_probe.is_some() || startup_probe(container).is_some())
}

/// Whether a liveness probe kills a container of a pod each time before it answers, however late the first probe comes. A liveness probe
/// begins when the startup probe has succeeded: then the container answers.
///
/// Upstream: `pkg/kubelet/prober/worker.go worker.doProbe`
pub(super) fn is_killed(fields: &PodSpecFields, answers: i64) -> bool {
    let mut containers =
        sidecars(fields).chain(&fields.containers).filter(|container| startup_probe(container).is_none());
    containers.any(|container| match untyped_probe(container, "livenessProbe") {
        Some((ProbeSpec { initial_delay, period, failure_threshold, .. }, None)) => {
            initial_delay.saturating_add(period.saturating_mul(failure_threshold)) <= answers
        }
        _ => false,
    })
}

/// What the probes of a container find that starts now. `age`: how long its kubelet has taken care of the pod.
///
/// Upstream: `pkg/kubelet/prober/worker.go worker.run`, `pkg/kubelet/prober/prober_manager.go manager.UpdatePodStatus`
fn probe(container: &Container, age: i64, answers: Option<i64>) -> Found {
    let started = match startup_probe(container) {
        Some((_, Some(_))) => Found::Never,
        // Its periods began before the container did, and it isn't sent in the moment in which that starts.
        Some((probe, None)) => probe.start_up(probe.period.saturating_sub(age.rem_euclid(probe.period)), answers),
        None => Found::Success(0),
    };
    match (started, readiness_probe(container)) {
        // A probe is sent as soon as the container counts as started.
        (Found::Success(started), Some((probe, None))) => probe.readiness(started, answers),
        (Found::Success(_), Some((_, Some(_)))) => Found::Never,
        (found, None) | (found, Some(_)) => found,
    }
}

/// When the sidecars of a pod have started and when their readiness probes have succeeded, in nanoseconds after the first one starts. Each
/// starts once the one before it has started, and the containers once all have. None: one of them never starts, or never becomes ready.
///
/// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.computeInitContainerActions`
fn sidecar_times(fields: &PodSpecFields, age: i64, answers: Option<i64>) -> Option<(i64, i64)> {
    sidecars(fields).try_fold((0_i64, 0_i64), |(starts, ready), container| {
        let age = age.saturating_add(starts);
        let without_readiness = Container { readiness_probe: None, ..container.clone() };
        let Found::Success(started) = probe(&without_readiness, age, answers) else { return None };
        let Found::Success(is_ready) = probe(container, age, answers) else { return None };
        Some((starts.saturating_add(started), ready.max(starts.saturating_add(is_ready))))
    })
}

/// How long the containers of a pod that start now take until their probes have succeeded; none: one of them fails, or goes on failing.
pub(super) fn probed_ready(fields: &PodSpecFields, age: i64, answers: Option<i64>) -> Option<i64> {
    if answers.is_some_and(|answers| is_killed(fields, answers)) {
        return None;
    }
    let (starts, ready) = sidecar_times(fields, age, answers)?;
    fields.containers.iter().try_fold(ready, |ready, container| {
        match probe(container, age.saturating_add(starts), answers) {
            Found::Success(after) => Some(ready.max(starts.saturating_add(after))),
            Found::Failure { .. } | Found::Never => None,
        }
    })
}

impl Cluster {
    /// Plans when a pod becomes ready, given when its containers started, unless a container ends earlier: `end` nanoseconds from now.
    pub(crate) fn plan_readiness(&mut self, id: Id, pod: &Pod, started: Time, end: Option<i64>) {
        let is_before_end = |after: &i64| end.is_none_or(|end| *after < end);
        let elapsed = self.now.since(started);
        let timing = self.timing_of(id, pod);
        let fields = &pod.spec.fields;
        let has_probes = has_probes(fields);
        if timing.ignores_probes(has_probes) {
            // A given time is that of a pod whose probes are right.
            let is_given = timing.ready.is_some();
            let ready = self.stage_time(id, pod, Stage::Ready).filter(|ready| is_given || !is_killed(fields, *ready));
            let ready = ready.map(|ready| time_left(ready, elapsed));
            if let Some(ready) = ready.filter(is_before_end) {
                self.plan(ready, SimEvent::MarkPodReady(id));
            }
            return;
        }
        let answers = self.stage_time(id, pod, Stage::Answer);
        let synced = self.store.borrow_mut().pod_runtime(id).and_then(|runtime| runtime.synced);
        let age = synced.or(pod.status.start_time).map_or(0, |synced| started.since(synced));
        // Without its sidecars, no container starts.
        let Some((starts, _)) = sidecar_times(fields, age, answers) else { return };
        let age = age.saturating_add(starts);
        for (index, container) in fields.containers.iter().enumerate() {
            match probe(container, age, answers) {
                // Only the first container is started again.
                Found::Failure { after, failures } if index == 0 => {
                    let after = time_left(starts.saturating_add(after), elapsed);
                    if is_before_end(&after) {
                        self.plan(after, SimEvent::FailStartupProbe(id, failures));
                    }
                }
                Found::Success(_) | Found::Failure { .. } | Found::Never => {}
            }
        }
        let ready = probed_ready(fields, age.saturating_sub(starts), answers);
        let Some(ready) = ready.filter(|ready| is_before_end(&time_left(*ready, elapsed))) else { return };
        let event = match answers.filter(|_| has_probes) {
            Some(answers) => {
                SimEvent::SucceedProbe(id, ProbeSuccess { answers: Duration(answers), after: Duration(ready) })
            }
            None => SimEvent::MarkPodReady(id),
        };
        self.plan(time_left(ready, elapsed), event);
    }

    /// The probe succeeds that a pod needed to be ready.
    pub(crate) fn succeed_probe(&mut self, id: Id, success: ProbeSuccess) {
        let ProbeSuccess { answers, after } = success;
        self.report_ready(id, |pod| KubeletDecision::ProbedReady { pod, after, answers });
    }

    /// The first container has failed its startup probe for good: it is killed, and starts again if its pod lets it.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.computePodActions`
    pub(crate) fn fail_startup_probe(&mut self, id: Id, failures: i64) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        let container = pod.spec.fields.containers.first().map_or("", |container| &container.name);
        let restarts = RestartPolicy::of(&pod) != RestartPolicy::Never;
        let then = if restarts { ", will be restarted" } else { "" };
        let event = alloc::format!("Container {container} failed startup probe{then}");
        let (name, container) = (pod.metadata.name.clone(), container.into());
        let decision = match restarts {
            true => KubeletDecision::StartupFailed { container, pod: name, failures },
            false => KubeletDecision::StartupFailedForGood { container, pod: name, failures },
        };
        let key = pod.key();
        self.report(Actor::Kubelet, &key, decision);
        self.event(&key, Event::normal("Killing", &event));
        let grace = pod.spec.fields.termination_grace_period_seconds.unwrap_or(30);
        let (takes, end) = self.time_to_stop(id, &pod, grace.saturating_mul(Time::SECOND), 0);
        self.plan(takes, SimEvent::CrashContainer(id, end.exit_code()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::decode;

    const NEVER: Option<i64> = None;

    const fn seconds(count: i64) -> i64 {
        count.saturating_mul(Time::SECOND)
    }

    /// What the probes of a container find. The container answers `answers` seconds after it starts, a second after its
    /// kubelet has seen the pod.
    fn found(probes: &Value, answers: Option<i64>) -> Found {
        let mut container = json!({ "name": "app", "image": "web" });
        container.as_object_mut().unwrap().extend(probes.as_object().unwrap().clone());
        let container: Container = decode(&container, "container").unwrap();
        probe(&container, Time::SECOND, answers.map(seconds))
    }

    const fn success(count: i64) -> Found {
        Found::Success(seconds(count))
    }

    #[test]
    fn a_container_is_ready_at_the_first_probe_after_it_answers() {
        for (probe, answers, expected) in [
            // The first one is sent when the container starts.
            (json!({}), Some(0), success(0)),
            (json!({}), Some(4), success(10)),
            (json!({ "periodSeconds": 3 }), Some(4), success(6)),
            (json!({ "periodSeconds": 3 }), Some(6), success(6)),
            // Probes that come before the delay are left out, and move nothing.
            (json!({ "periodSeconds": 3, "initialDelaySeconds": 7 }), Some(4), success(9)),
            (json!({ "periodSeconds": 3, "initialDelaySeconds": 20 }), Some(4), success(21)),
            // That many in a row.
            (json!({ "periodSeconds": 3, "successThreshold": 3 }), Some(4), success(12)),
            // Failures don't matter to a container that isn't ready.
            (json!({ "periodSeconds": 1, "failureThreshold": 1 }), Some(4), success(4)),
            (json!({}), NEVER, Found::Never),
        ] {
            let probes = json!({ "readinessProbe": probe });
            assert_eq!(found(&probes, answers), expected, "{probes} {answers:?}");
        }
        assert_eq!(found(&json!({}), Some(9)), success(0), "without a probe");
    }

    #[test]
    fn a_startup_probe_comes_first_and_may_fail() {
        let failure = |count: i64, failures: i64| Found::Failure { after: seconds(count), failures };
        for (probe, answers, expected) in [
            // Its periods began a second before the start.
            (json!({ "periodSeconds": 5 }), Some(0), success(4)),
            (json!({ "periodSeconds": 5 }), Some(6), success(9)),
            (json!({ "periodSeconds": 5, "initialDelaySeconds": 5 }), Some(0), success(9)),
            (json!({ "periodSeconds": 5, "failureThreshold": 2 }), Some(10), failure(9, 2)),
            (json!({ "periodSeconds": 5, "failureThreshold": 3 }), Some(10), success(14)),
            (json!({ "periodSeconds": 1 }), Some(9), failure(3, 3)),
            (json!({ "periodSeconds": 5 }), NEVER, failure(14, 3)),
        ] {
            let probes = json!({ "startupProbe": probe });
            assert_eq!(found(&probes, answers), expected, "{probes} {answers:?}");
        }
        let both = json!({ "startupProbe": { "periodSeconds": 5 }, "readinessProbe": { "successThreshold": 2 } });
        assert_eq!(found(&both, Some(3)), success(14));
        assert_eq!(found(&both, Some(60)), failure(14, 3));
    }
}
