//! Probes that can't succeed in the time that they give a container.

use alloc::format;
use alloc::string::String;

use serde_json::Value;

use super::answer::WarningKind;
use super::options::Assumptions;
use crate::cluster::{missing_port, sidecars};
use crate::go::quoted;
use crate::json::ToJson;
use crate::object::unstructured::{field, integer};
use crate::object::{Container, PodSpecFields, Time};
use crate::scenario::{Delay, Duration, Timing};

/// The handlers of probes.
const HANDLERS: [&str; 4] = ["exec", "grpc", "httpGet", "tcpSocket"];

/// How long a probe waits for a container that doesn't answer, in seconds.
struct ProbeBudget {
    initial_delay: i64,
    period: i64,
    failure_threshold: i64,
}

impl ProbeBudget {
    /// The budget of a probe; what is missing has the API server's default.
    fn of(probe: &Value) -> Self {
        let at_least_one = |key: &str, default: i64| integer(probe, key).filter(|given| *given > 0).unwrap_or(default);
        Self {
            initial_delay: integer(probe, "initialDelaySeconds").unwrap_or_default().max(0),
            period: at_least_one("periodSeconds", 10),
            failure_threshold: at_least_one("failureThreshold", 3),
        }
    }

    /// The latest second after the container's start at which its last probe is sent: the first one comes up to a period late.
    const fn latest(&self) -> i64 {
        self.initial_delay.saturating_add(self.period.saturating_mul(self.failure_threshold))
    }

    /// The same, if the first probe is sent in time.
    const fn earliest(&self) -> i64 {
        self.latest().saturating_sub(self.period)
    }

    /// The smallest failureThreshold with which a container passes that answers this many nanoseconds after its start.
    fn threshold_for(&self, answers: i64) -> i64 {
        let delay = self.initial_delay.saturating_mul(Time::SECOND);
        let period = self.period.saturating_mul(Time::SECOND);
        answers.saturating_sub(delay).div_euclid(period).saturating_add(1).max(1)
    }
}

/// When a container answers, in nanoseconds after its start, as it is assumed; none if never.
fn answers_after(assumptions: &Assumptions) -> Option<i64> {
    match assumptions.timing() {
        Timing { ready: None, answers: None, .. } => Some(Timing::START_UP.0),
        Timing { answers: Some(Delay::After(after)), .. } | Timing { ready: Some(Delay::After(after)), .. } => {
            Some(after.0)
        }
        _ => None,
    }
}

/// Whether a probe asks the same as the readiness probe, so that it succeeds when that one does. Without a readiness probe, nothing
/// else says when the container answers.
fn asks_for_readiness(probe: &Value, readiness: Option<&Value>) -> bool {
    readiness.is_none_or(|readiness| HANDLERS.iter().all(|handler| field(probe, handler) == field(readiness, handler)))
}

/// That a startup or liveness probe kills a container before it answers. `is_stuck`: whether it never becomes ready where its probes are
/// simulated.
pub(super) fn hopeless_probe(fields: &PodSpecFields, assumptions: &Assumptions, is_stuck: bool) -> Option<String> {
    let answers = answers_after(assumptions)?;
    let is_assumed = assumptions.ready_after.is_some();
    all_containers(fields).find_map(|(title, container)| {
        let given = |kind: &'static str| {
            let probe = container.unknown.get(kind).filter(|probe| probe.is_object())?;
            Some((kind, probe))
        };
        // A liveness probe begins when the startup probe has succeeded.
        let (kind, probe) = given("startupProbe").or(given("livenessProbe"))?;
        // It has no result.
        if missing_port(container, |handler| field(probe, handler)).is_some() {
            return None;
        }
        let readiness = container.readiness_probe.as_ref().map(ToJson::to_json);
        if is_assumed && !asks_for_readiness(probe, readiness.as_ref()) {
            return None;
        }
        let budget = ProbeBudget::of(probe);
        let is_simulated = kind == "startupProbe" && is_stuck && !is_assumed;
        let fails = if is_simulated {
            budget.earliest().saturating_mul(Time::SECOND) < answers
        } else {
            budget.latest().saturating_mul(Time::SECOND) <= answers
        };
        if !fails {
            return None;
        }
        let ProbeBudget { initial_delay, period, failure_threshold } = budget;
        Some(format!(
            "The {kind} of {title} {} kills it after at most {} (initialDelaySeconds {initial_delay}, periodSeconds {period} × \
             failureThreshold {failure_threshold}), and it is assumed to answer only {} after its start. Set failureThreshold to \
             {} or more.",
            container.name,
            Duration::seconds(budget.latest()).in_words(),
            Duration(answers).in_words(),
            budget.threshold_for(answers).saturating_add(1)
        ))
    })
}

/// The containers of a pod that have probes, each with what it is.
fn all_containers(fields: &PodSpecFields) -> impl Iterator<Item = (&'static str, &Container)> {
    let main = fields.containers.iter().map(|container| ("container", container));
    sidecars(fields).map(|container| ("sidecar", container)).chain(main)
}

/// The warnings about probes of a template whose pods start. `is_stuck`: whether they never become ready where their probes are simulated.
/// `is_open`: nothing says when its pods are ready but their probes.
pub(super) fn probe_warnings(
    fields: &PodSpecFields,
    assumptions: &Assumptions,
    is_stuck: bool,
    is_open: bool,
) -> impl Iterator<Item = (WarningKind, String)> {
    let hopeless = hopeless_probe(fields, assumptions, is_stuck).filter(|_| is_open);
    unresolved_ports(fields).chain(hopeless.map(|message| (WarningKind::HopelessProbe, message)))
}

/// The probes that ask a port which their container doesn't have.
pub(super) fn unresolved_ports(fields: &PodSpecFields) -> impl Iterator<Item = (WarningKind, String)> {
    all_containers(fields).flat_map(|(title, container)| {
        let probes = ["startupProbe", "readinessProbe", "livenessProbe"].into_iter();
        probes.filter_map(move |kind| {
            let probe = match kind {
                "readinessProbe" => &container.readiness_probe.as_ref()?.to_json(),
                _ => container.unknown.get(kind)?,
            };
            let port = quoted(missing_port(container, |handler| field(probe, handler))?);
            let (warning, then) = match kind {
                "livenessProbe" => {
                    (WarningKind::IdleProbe, "it never finds anything, and the container is not restarted")
                }
                _ => (WarningKind::UnresolvedPort, "it never succeeds, and the pod is never ready"),
            };
            let name = &container.name;
            let message = format!(
                "The {kind} of {title} {name} asks port {port}, which none of its ports is named: {then}. Name a port of the \
                 {title} {port}, or give the probe its number."
            );
            Some((warning, message))
        })
    })
}
