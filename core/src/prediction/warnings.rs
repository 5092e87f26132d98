//! Warnings about rollouts that get stuck, take too long, or interrupt a service, and about unknown fields and nodes.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, Warning, WarningKind, WorkloadChange};
use super::daemon_warnings::DaemonSubject;
use super::given_objects::{GivenObject, name, namespace};
use super::given_replicas::replicas_warnings;
use super::measure::Measures;
use super::measured_run::{MeasuredRun, Steps};
use super::options::Assumptions;
use super::outage::outage;
use super::probe_budget::{hopeless_probe, unresolved_ports};
use super::requests::Requests;
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::second_deployment::second_deployment;
use super::set_outcome::SetOutcome;
use super::set_warnings::SetSubject;
use super::single_node_volumes::blocking_claim;
use serde_json::json;

use crate::collect_tree::CollectTree;
use crate::json::decode;
use crate::object::unstructured::{field, remove_nulls, string};
use crate::object::{IntOrString, LabelSelector, ObjectKey, PodDisruptionBudgetSpec, Rounding, StringMap, Time};
use crate::scenario::Duration;
use crate::scheduler::CLAIM_IN_USE;
use crate::timeline::Series;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{is_rolling_update, max_surge, max_unavailable, progress_deadline};

/// A changed Deployment, and the outcome of its rollout.
struct Subject<'a> {
    key: &'a ObjectKey,
    before: Option<&'a Deployment>,
    after: &'a Deployment,
    change: WorkloadChange,
    /// When it reports that its deadline has passed.
    exceeded: Option<i64>,
    outcome: &'a Outcome,
    /// Why it can't create pods.
    failure: Option<&'a str>,
    series: &'a Series,
}

/// The warnings about the rollouts of a simulation, about what the quotas add to them where they refuse what exceeds them, about
/// fields that Kubernetes does not know, and about nodes that are not given.
pub(super) fn warnings(
    plan: &RolloutPlan,
    run: &MeasuredRun,
    limited: Option<&MeasuredRun>,
    assumptions: &Assumptions,
) -> Vec<Warning> {
    let MeasuredRun { timeline, measures, requests, pending, .. } = run;
    let start = timeline.scenario.start;
    let not_started = run.waiting.iter().map(|key| {
        let message = String::from("It never starts, because an earlier rollout or hook never completes.");
        warning(key, WarningKind::NotStarted, message)
    });
    let mut warnings: Vec<Warning> = not_started.collect();
    let unblocked = unblocked(plan, requests, measures, pending);
    for ((key, outcome), series) in measures.workloads.iter().zip(&measures.outcomes).zip(&measures.series) {
        let (stateful_set, daemon_set) = (requests.set_after(key), requests.daemon_set_after(key));
        let controller = requests.replication_controller_after(key);
        if stateful_set.is_some() || daemon_set.is_some() || controller.is_some() {
            let change = requests.change(key).filter(|_| !plan.prunes(key));
            let outcome = SetOutcome {
                change: change.as_ref(),
                outcome,
                series: limited.and_then(|limited| limited.measures.series_of(key)).unwrap_or(series),
                start,
                staying: staying(pending, key),
                refusal: requests.failure(key).map(|failure| refused_pods(key, failure, plan)),
                assumptions,
            };
            let subject =
                stateful_set.map(|set| SetSubject { set, before: requests.set_before(key), outcome: &outcome });
            let claims = subject.as_ref().and_then(|subject| subject.deleted_claims(run, plan.prunes(key)));
            warnings.extend(claims.map(|(kind, message)| warning(key, kind, message)));
            let of_stateful_set = subject.map(|subject| subject.warnings(run));
            let of_daemon_set = daemon_set.map(|set| DaemonSubject { set, outcome: &outcome }.warnings(run));
            let of_controller = controller.map(|after| {
                outcome.controller_warnings(requests.replication_controller_before(key), after).collect::<Vec<_>>()
            });
            let found = of_stateful_set.into_iter().chain(of_daemon_set).chain(of_controller).flatten();
            let found = found.filter(|_| !plan.prunes(key));
            warnings.extend(found.map(|(kind, message)| warning(key, kind, message)));
            let of_set = stateful_set.map(|set| (&set.spec.template, set.spec.replicas));
            let of_controller = controller.map(|controller| (&controller.spec.template, controller.spec.replicas));
            if let Some((template, replicas)) = of_set.or(of_controller) {
                warnings.extend(budget_warnings(plan, key, replicas, &template.metadata.labels));
            }
            continue;
        }
        let Some(after) = requests.after(key) else { continue };
        let labels = &after.spec.template.metadata.labels;
        warnings.extend(budget_warnings(plan, key, after.spec.replicas, labels));
        let change = requests.change(key);
        let with_quotas = limited.and_then(|limited| limited.measures.series_of(key));
        let is_rollout = change.as_ref().is_some_and(|change| change.rollout);
        let lost = requests.before(key).filter(|_| !plan.prunes(key)).and_then(|before| {
            outage(before, after, is_rollout, plan.pod_autoscaler(key), with_quotas.unwrap_or(series), start)
        });
        warnings.extend(lost.map(|(kind, message)| warning(key, kind, message)));
        let Some(change) = change else {
            let is_held_up = after.spec.paused && outcome.complete.is_none();
            warnings.extend(is_held_up.then(|| warning(key, WarningKind::Paused, paused(false))));
            continue;
        };
        let exceeded = requests.deadline_exceeded(key);
        let subject = Subject {
            key,
            before: requests.before(key),
            after,
            change,
            exceeded,
            outcome,
            failure: requests.failure(key),
            series,
        };
        let found = [
            subject.ending(pending, plan, &unblocked),
            limited.and_then(|limited| subject.deadline_with_quotas(limited)),
            subject.grace_above_deadline(),
            subject.volume_of_one_node(plan),
            subject.old_version_pods(requests),
            subject.hopeless_probe(plan, assumptions),
            subject.second_deployment(plan, requests, start),
        ];
        let of_replicas = replicas_warnings(key, &subject.change, plan.given_replicas(key), plan.pod_autoscaler(key));
        let found = found.into_iter().flatten().chain(subject.unresolved_ports()).chain(of_replicas);
        warnings.extend(found.map(|(kind, message)| warning(key, kind, message)));
    }
    let never_ending =
        measures.jobs.iter().filter(|(key, job)| job.finished.is_none() && !job.waits && !plan.prunes(key));
    let refused = never_ending.filter_map(|(key, _)| Some((key, refused_pods(key, requests.failure(key)?, plan))));
    warnings.extend(refused.map(|(key, message)| warning(key, WarningKind::NeverComplete, message)));
    warnings.extend(run.preempted.iter().cloned());
    warnings
        .extend(plan.unknown_fields.iter().chain(plan.missing_nodes.values()).chain(&plan.assumed_namespaces).cloned());
    warnings.sort();
    warnings
}

fn warning(key: &ObjectKey, kind: WarningKind, message: String) -> Warning {
    Warning { object: key.to_string(), kind, message }
}

/// The pods of a Deployment that find no node for good.
fn staying<'a>(pending: &'a [PendingPods], key: &ObjectKey) -> Option<&'a PendingPods> {
    let name = key.to_string();
    pending.iter().find(|pods| pods.stay > 0 && pods.workload == name)
}

/// The Deployments whose pods find no node only because no old pod may go first: with one that may be unavailable, they complete.
fn unblocked(
    plan: &RolloutPlan,
    requests: &Requests,
    measures: &Measures,
    pending: &[PendingPods],
) -> BTreeSet<ObjectKey> {
    let is_blocked = |(key, outcome): &(&ObjectKey, &Outcome)| {
        let allows_none = |after: &&Deployment| is_rolling_update(after) && max_unavailable(after) == 0;
        outcome.complete.is_none()
            && staying(pending, key).is_some()
            && requests.change(key).is_some()
            && requests.after(key).is_some_and(|after| allows_none(&after))
    };
    let blocked: BTreeSet<&ObjectKey> =
        measures.workloads.iter().zip(&measures.outcomes).filter(is_blocked).map(|(key, _)| key).collect_tree();
    if blocked.is_empty() {
        return BTreeSet::new();
    }
    let one = json!({ "spec": { "strategy": { "rollingUpdate": { "maxUnavailable": 1 } } } });
    let allowing = blocked.iter().fold(plan.clone(), |plan, key| plan.with_patch(key, &one));
    let Ok(run) = allowing.measure(PodReplacementPolicies::Today, Quotas::Ignored, &[], Steps::Dropped) else {
        return BTreeSet::new();
    };
    let Measures { workloads, outcomes, .. } = run.measures;
    let completes = |(key, outcome): &(ObjectKey, Outcome)| outcome.complete.is_some() && blocked.contains(key);
    workloads.into_iter().zip(outcomes).filter(completes).map(|(key, _)| key).collect_tree()
}

/// What it means that a Deployment is paused.
fn paused(is_new: bool) -> String {
    let waits = if is_new { "starts" } else { "is replaced" };
    format!("It is paused: no pod {waits} until it is resumed.")
}

/// `1 new pod`, `3 pods`
fn pods_of(count: i32, which: &str) -> String {
    format!("{count} {which}pod{}", if count == 1 { "" } else { "s" })
}

impl Subject<'_> {
    /// Why the rollout is never complete, or takes longer than its deadline.
    fn ending(
        &self,
        pending: &[PendingPods],
        plan: &RolloutPlan,
        unblocked: &BTreeSet<ObjectKey>,
    ) -> Option<(WarningKind, String)> {
        let spec = &self.after.spec;
        if self.outcome.complete.is_some() {
            let at = Duration(self.exceeded?).briefly_in_words();
            let deadline = spec.progress_deadline_seconds.unwrap_or_default();
            let message = format!(
                "It reports ProgressDeadlineExceeded after {at}, and completes later: progressDeadlineSeconds is {deadline}, \
                 minReadySeconds {}. Raise progressDeadlineSeconds.",
                spec.min_ready_seconds
            );
            return Some((WarningKind::DeadlineExceeded, message));
        }
        if spec.paused {
            let starts_pods = self.change.rollout || self.change.created;
            return starts_pods.then(|| (WarningKind::Paused, paused(self.change.created)));
        }
        if let Some(gates) = self.scheduling_gates() {
            let message = format!(
                "Its new pods wait for good, unless something in the cluster removes their scheduling gates ({gates}). If nothing \
                 does, remove schedulingGates."
            );
            return Some((WarningKind::NeverComplete, message));
        }
        if let Some(failure) = self.failure {
            return Some((WarningKind::NeverComplete, refused_pods(self.key, failure, plan)));
        }
        let (surge, unavailable) = (max_surge(self.after), max_unavailable(self.after));
        let staying = staying(pending, self.key);
        if let Some(pods) = staying.filter(|_| unblocked.contains(self.key)) {
            let written = |value: Option<&IntOrString>| value.map_or_else(String::new, |value| format!(" ({value})"));
            let rolling = spec.strategy.rolling_update.as_ref();
            // More nodes don't help against a volume that only one pod may use.
            let remedy = match pods.message.contains(CLAIM_IN_USE) {
                true => {
                    "Only one pod may use its ReadWriteOncePod volume: use the strategy Recreate, or allow 1 unavailable pod."
                }
                false => "Allow 1 unavailable pod, or add a node.",
            };
            let message = format!(
                "Deadlock: maxSurge is {surge}{}, maxUnavailable {unavailable}{}, and there is no node for {}: no old pod may \
                 go first. {remedy}",
                written(rolling.and_then(|rolling| rolling.max_surge.as_ref())),
                written(rolling.and_then(|rolling| rolling.max_unavailable.as_ref())),
                pods_of(pods.stay, "new ")
            );
            return Some((WarningKind::Deadlock, message));
        }
        let reported = self.exceeded.map_or_else(String::new, |at| {
            format!(" It reports ProgressDeadlineExceeded after {}.", Duration(at).briefly_in_words())
        });
        let why = staying.map_or_else(String::new, |pods| {
            let reason = pods.message.trim_end_matches('.');
            format!(", because no node takes {}: {reason}", pods_of(pods.stay, ""))
        });
        let what = if self.change.rollout || self.change.created { "rollout" } else { "scaling" };
        Some((WarningKind::NeverComplete, format!("The {what} never completes{why}.{reported}")))
    }

    /// The names of what keeps new pods from being scheduled.
    fn scheduling_gates(&self) -> Option<String> {
        let template = &self.after.spec.template.spec;
        let gates = template.fields.unknown.get("schedulingGates")?.as_array()?.iter();
        let names: Vec<&str> = gates.map(|gate| string(gate, "name")).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// That the rollout exceeds its deadline because of the quotas, or at another time than without them.
    fn deadline_with_quotas(&self, limited: &MeasuredRun) -> Option<(WarningKind, String)> {
        let at = limited.requests.deadline_exceeded(self.key).filter(|at| Some(*at) != self.exceeded)?;
        let ends = limited.measures.outcome(self.key)?.complete.map_or("never completes", |_| "completes later");
        let message = format!(
            "With the quotas, it reports ProgressDeadlineExceeded after {}, and {ends}: progressDeadlineSeconds is {}.",
            Duration(at).briefly_in_words(),
            self.after.spec.progress_deadline_seconds.unwrap_or_default()
        );
        Some((WarningKind::DeadlineExceeded, message))
    }

    fn grace_above_deadline(&self) -> Option<(WarningKind, String)> {
        let template = self.before.filter(|_| self.change.rollout)?.spec.template.spec.fields.clone();
        let grace = template.termination_grace_period_seconds.unwrap_or_default();
        let deadline = progress_deadline(self.after)?;
        let message = format!(
            "terminationGracePeriodSeconds is {grace}, progressDeadlineSeconds only {deadline}: a rollout that waits for \
             terminating pods can be reported as failed while it is still in progress."
        );
        (grace > i64::from(deadline)).then_some((WarningKind::GraceAboveDeadline, message))
    }

    fn volume_of_one_node(&self, plan: &RolloutPlan) -> Option<(WarningKind, String)> {
        let claim = blocking_claim(plan, &self.key.namespace, self.after).filter(|_| self.change.rollout)?;
        let message = format!(
            "PersistentVolumeClaim {claim} is ReadWriteOnce: a new pod on another node waits for the volume, and the old pod \
             stays until the new one is ready. Use the strategy Recreate, or allow 1 unavailable pod."
        );
        Some((WarningKind::VolumeOfOneNode, message))
    }

    /// That the change starts pods of the old version.
    fn old_version_pods(&self, requests: &Requests) -> Option<(WarningKind, String)> {
        let WorkloadChange { replicas_before: before, replicas, .. } = self.change;
        let (count, at, image) = requests.old_version_pods(self.key).filter(|_| replicas > before)?;
        let message = format!(
            "replicas grows from {before} to {replicas} together with a new template, and Kubernetes scales first: {} of the old \
             version ({image}) {} after {}. Apply the template first, and the replicas once it is rolled out.",
            pods_of(count, "more "),
            if count == 1 { "starts" } else { "start" },
            Duration(at).briefly_in_words()
        );
        Some((WarningKind::OldVersionPods, message))
    }

    /// That a probe kills new pods before they are ready.
    fn hopeless_probe(&self, plan: &RolloutPlan, assumptions: &Assumptions) -> Option<(WarningKind, String)> {
        let starts_pods = self.change.created || self.change.rollout;
        let is_open = assumptions.kubelet.is_empty() && !plan.has_measured_start(self.key);
        let fields = &self.after.spec.template.spec.fields;
        let is_stuck = self.outcome.complete.is_none();
        let message = hopeless_probe(fields, assumptions, is_stuck).filter(|_| starts_pods && is_open)?;
        Some((WarningKind::HopelessProbe, message))
    }

    /// The probes that ask a port which their container doesn't have.
    fn unresolved_ports(&self) -> impl Iterator<Item = (WarningKind, String)> {
        let starts_pods = self.change.created || self.change.rollout;
        unresolved_ports(&self.after.spec.template.spec.fields).filter(move |_| starts_pods)
    }

    /// That a new Deployment runs beside an older one.
    fn second_deployment(&self, plan: &RolloutPlan, requests: &Requests, start: Time) -> Option<(WarningKind, String)> {
        self.change.created.then(|| second_deployment(plan, requests, self.key, self.after, self.series, start))?
    }
}

/// That the API server refuses new pods of a workload, and the LimitRanges because of which it does.
fn refused_pods(key: &ObjectKey, failure: &str, plan: &RolloutPlan) -> String {
    let why = failure.trim_end_matches('.');
    let limit_ranges = plan.limit_ranges();
    let names = limit_ranges.as_ref().map_or_else(|_| Vec::new(), |all| all.refusing(&key.namespace, failure));
    match names.as_slice() {
        [] => format!("The API server refuses its pods: {why}."),
        names => format!(
            "The API server refuses its pods: {why}. LimitRange {} gives their containers that limit: give them one of their own, \
             or request less.",
            names.join(", ")
        ),
    }
}

/// Budgets that never allow an eviction of a workload's pods, which have these labels, even if all are healthy.
fn budget_warnings(plan: &RolloutPlan, key: &ObjectKey, desired: i32, labels: &StringMap) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for GivenObject { object: manifest, .. } in &plan.auxiliary {
        let (name, namespace) = (name(manifest), namespace(manifest));
        let Some(spec) = field(manifest, "spec").filter(|_| namespace == Some(&*key.namespace) && desired > 0) else {
            continue;
        };
        let mut spec = spec.clone();
        remove_nulls(&mut spec);
        // Its types have been checked: the simulated cluster took it. Other kinds have no such field.
        let Ok(spec) = decode::<PodDisruptionBudgetSpec>(&spec, "") else { continue };
        let selects = LabelSelector::to_selector(spec.selector.as_ref()).is_ok_and(|selector| selector.matches(labels));
        let count = |bound: &IntOrString| bound.scaled(desired, Rounding::Up).unwrap_or_default();
        let (bound, allowed) = match (&spec.max_unavailable, &spec.min_available) {
            (Some(most), _) => (format!("maxUnavailable {most}"), count(most)),
            (None, Some(least)) => (format!("minAvailable {least}"), i64::from(desired).saturating_sub(count(least))),
            (None, None) => continue,
        };
        if selects && allowed <= 0 {
            let message = format!(
                "PodDisruptionBudget {name} ({bound}) never allows an eviction of its {}: draining their nodes hangs. \
                 Rollouts are not affected.",
                pods_of(desired, "")
            );
            warnings.push(warning(key, WarningKind::BudgetAllowsNothing, message));
        }
    }
    warnings
}
