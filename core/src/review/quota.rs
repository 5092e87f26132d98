//! Whether the ResourceQuotas of the namespace have room for the pods of a change, and for its ReplicaSet.
//!
//! A quota counts terminating pods, so a rollout needs room for its highest moments, not only for its end. What comes of a rollout
//! that has too little room, the simulated cluster says, in which the quotas refuse pods as the API server does.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::cluster_reader::{Cluster, Freshness, Lookup};
use super::forecast::{Forecast, Outcome, Present, Quotas, is_paused, replicas, rounded};
use super::request::Request;
use crate::cluster::{unspecified, usage};
use crate::object::quantity::{ONE, nanos, written_like};
use crate::object::unstructured::{at, field, list, map, string};
use crate::object::{Container, Kind, Object, Pod, PodSpec, PodSpecFields, ResourceQuotaSpec, Time, Unknown};
use crate::peak_moments::{PeakMoments, PodMoment};
use crate::scenario::Limits;

/// The resource of a quota that counts the ReplicaSets of Deployments.
const REPLICA_SETS: &str = "count/replicasets.apps";

const FIELDS: &[&str] = &["spec.hard", "spec.scopeSelector", "spec.scopes", "status.hard", "status.used"];

/// What a change needs room for.
pub(super) struct Demand<'a> {
    old_template: &'a Value,
    new_template: &'a Value,
    present: Present,
    /// The moments with the most pods, which may be bounds.
    peak_moments: PeakMoments,
    needed: Vec<PodMoment>,
    effect: Effect<'a>,
}

/// What a change does to the pods, which says what comes of it if there is too little room.
#[derive(Clone, Copy)]
enum Effect<'a> {
    /// It replaces them, as the forecast plays it. It needs another ReplicaSet, unless one has the template already.
    Rollout(&'a Forecast),
    /// It adds this many pods to those of an existing workload.
    Growth { more: i64 },
    /// It creates a workload, and a Deployment's ReplicaSet.
    Creation { replica_set: bool },
}

impl<'a> Demand<'a> {
    /// The demand of a change of a Deployment, with the outcome under one of the policies; none if it needs no new pods.
    pub(super) fn of_rollout(
        request: &Request<'a>,
        object: &'a Value,
        forecast: &'a Forecast,
        outcome: &Outcome,
    ) -> Option<Self> {
        let new_template = template(object);
        let old_template = request.old.map_or(new_template, template);
        let more = match forecast.present {
            Present::Settled(pods) => replicas(object).saturating_sub(pods),
            Present::Earlier(_) | Present::Mixed(_) => 0,
        };
        let is_settled = matches!(forecast.present, Present::Settled(_));
        let needs_pods = !is_settled || forecast.is_rollout() || more > 0;
        needs_pods.then(|| Self {
            old_template,
            new_template: if forecast.is_rollout() { new_template } else { old_template },
            present: forecast.present,
            peak_moments: outcome.peak_moments.clone(),
            needed: forecast.needed.clone(),
            effect: match is_settled && !forecast.is_rollout() {
                true => Effect::Growth { more },
                false => Effect::Rollout(forecast),
            },
        })
    }

    /// The demand of a workload that is new, or gets more replicas; none for one that needs no more pods.
    pub(super) fn of_growth(request: &Request<'_>, object: &'a Value) -> Option<Self> {
        let is_judged = match request.kind {
            Kind::Deployment => request.create && !is_paused(object),
            // The replicas of a Deployment's ReplicaSet are judged there.
            Kind::ReplicaSet => !request.is_from_template(),
            Kind::StatefulSet => true,
            _ => false,
        };
        if !is_judged || request.is_audit() {
            return None;
        }
        let present = request.old.map_or(0, replicas);
        let desired = replicas(object);
        let more = desired.saturating_sub(present);
        let end = PodMoment { old: present, new: more };
        let template = template(object);
        (more > 0).then(|| Self {
            old_template: template,
            new_template: template,
            present: Present::Settled(present),
            peak_moments: [end].into_iter().collect(),
            needed: Vec::from([end]),
            effect: match request.create {
                true => Effect::Creation { replica_set: request.kind == Kind::Deployment },
                false => Effect::Growth { more },
            },
        })
    }
}

fn template(object: &Value) -> &Value {
    at(object, &["spec", "template"]).unwrap_or(&Value::Null)
}

/// The result for one quota.
pub(super) struct QuotaAnswer {
    pub(super) room: QuotaRoom,
    /// The sentence, without `quota: `.
    pub(super) text: String,
}

/// Whether a quota has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuotaRoom {
    /// For all pods at all times.
    Enough,
    /// Not for all pods at all times; but the change completes later, or a part of it does, or only bounds exceed it.
    Later,
    /// New pods will be refused for good.
    Never,
}

/// The ResourceQuotas of a namespace by their names; none if the cluster can't tell.
pub(super) fn read(namespace: &str, cluster: &mut Cluster<'_>) -> Option<Map<String, Value>> {
    let lookup =
        Lookup { kind: Kind::ResourceQuota, namespace, name: "", fields: FIELDS, freshness: Freshness::Cached };
    cluster.list(&lookup, "the quota is not judged").ok()
}

/// The result for each quota that counts what the change needs.
pub(super) fn answers(demand: &Demand<'_>, quotas: &Map<String, Value>, cluster: &mut Cluster<'_>) -> Vec<QuotaAnswer> {
    let (old, new) = (Object::from(pod(demand.old_template)), pod(demand.new_template));
    let mut measured = Vec::new();
    for (name, quota) in quotas {
        if let Some(spec) = readable(quota, name, &new, cluster) {
            let rows = rows(demand, quota, &spec, &old, &new.clone().into());
            if !rows.is_empty() {
                measured.push((name, rows));
            }
        }
    }
    let consequence = demand.consequence(&measured);
    measured.iter().map(|(name, rows)| answer(name, rows, &consequence)).collect()
}

/// What the quota allows; none, with a note, for one that can't be judged.
fn readable(quota: &Value, name: &str, pod: &Pod, cluster: &mut Cluster<'_>) -> Option<ResourceQuotaSpec> {
    let spec = field(quota, "spec").unwrap_or(&Value::Null);
    let hard = field(quota, "status").and_then(|status| map(status, "hard"));
    let why = match hard {
        _ if !list(spec, "scopes").is_empty() || field(spec, "scopeSelector").is_some() => "it has scopes".into(),
        // Admission goes by the status: a quota that its controller has not seen yet has none.
        None => "it has no status yet".into(),
        Some(hard) => {
            let spec = ResourceQuotaSpec { hard: hard.clone().into(), ..ResourceQuotaSpec::default() };
            let Some(missing) = unspecified(&spec, pod) else { return Some(spec) };
            format!("the template does not set {missing} (a LimitRange may)")
        }
    };
    cluster.note(format!("ResourceQuota {name} is not judged: {why}"));
    None
}

/// One resource of a quota, and what the change needs of it.
struct Row {
    resource: String,
    /// `pods=22 of 20`
    text: String,
    is_exceeded: bool,
    /// What is left for the workload, terminating pods included, in billionths.
    left: i128,
    /// What each new pod uses.
    each: i128,
    /// Whether it is certain how much is needed.
    is_certain: bool,
}

fn rows(demand: &Demand<'_>, quota: &Value, spec: &ResourceQuotaSpec, old: &Object, new: &Object) -> Vec<Row> {
    let used = at(quota, &["status", "used"]).unwrap_or(&Value::Null);
    let row = |(resource, hard): (&String, &Value)| {
        let limit = nanos(hard)?;
        let used = field(used, resource).and_then(nanos).unwrap_or_default();
        let Amounts { most, others, each, is_certain } = match resource.as_str() {
            REPLICA_SETS => demand.replica_sets(used)?,
            _ => demand.pods(resource, used, old, new)?,
        };
        Some(Row {
            resource: resource.clone(),
            text: format!("{resource}={} of {}", written_like(most, hard), written_like(limit, hard)),
            is_exceeded: most > limit,
            left: limit.saturating_sub(others),
            each,
            is_certain,
        })
    };
    spec.hard.iter().filter_map(row).collect()
}

/// What is used of a resource during a change.
struct Amounts {
    /// The most, with what other objects use.
    most: i128,
    /// What other objects use.
    others: i128,
    /// What each new pod uses.
    each: i128,
    is_certain: bool,
}

impl Demand<'_> {
    fn replica_sets(&self, used: i128) -> Option<Amounts> {
        let most = used.saturating_add(ONE);
        match self.effect {
            Effect::Growth { .. } | Effect::Creation { replica_set: false } => None,
            Effect::Rollout(forecast) if !forecast.is_rollout() => None,
            // One that has the template already may be used again, as after a rollback.
            Effect::Rollout(_) => Some(Amounts { most, others: used, each: 0, is_certain: false }),
            Effect::Creation { .. } => Some(Amounts { most, others: used, each: 0, is_certain: true }),
        }
    }

    fn pods(&self, resource: &str, used: i128, old: &Object, new: &Object) -> Option<Amounts> {
        // When a pod is created does not matter: only pods that should be gone for long are not counted.
        let [of_old, of_new] = [old, new].map(|pod| usage(pod, resource, Time(0)));
        if of_old == 0 && of_new == 0 {
            return None;
        }
        let is_count = [Some(resource), resource.strip_prefix("count/")].contains(&Some("pods"));
        let (of_old, is_certain) = match self.present {
            // Their template is unknown, but they can't use more than is used.
            Present::Earlier(pods) => {
                (used.checked_div(pods.into()).map_or(of_old, |most| most.min(of_old)), is_count || pods == 0)
            }
            Present::Settled(_) => (of_old, true),
            Present::Mixed(_) => (of_old, false),
        };
        let of = |pods: PodMoment| {
            let [old, new] =
                [(pods.old, of_old), (pods.new, of_new)].map(|(pods, each)| each.saturating_mul(pods.into()));
            old.saturating_add(new)
        };
        let present = match self.present {
            Present::Settled(pods) | Present::Earlier(pods) => of(PodMoment { old: pods, new: 0 }),
            Present::Mixed(pods) => of_old.max(of_new).saturating_mul(pods.into()),
        };
        let others = used.saturating_sub(present).max(0);
        let most = self.peak_moments.iter().chain(self.needed.iter().copied()).map(of).max().unwrap_or_default();
        Some(Amounts { most: others.saturating_add(most), others, each: of_new, is_certain })
    }

    /// What comes of the change with the room that there is.
    fn consequence(&self, measured: &[(&String, Vec<Row>)]) -> Consequence {
        let rows = || measured.iter().flat_map(|(_, rows)| rows);
        if !rows().any(|row| row.is_exceeded) {
            return Consequence::default();
        }
        match self.effect {
            Effect::Growth { more } => {
                let present = match self.present {
                    Present::Settled(pods) | Present::Earlier(pods) | Present::Mixed(pods) => pods,
                };
                let fit = room(rows()).saturating_sub(present).clamp(0, more);
                let text = match fit {
                    0 => format!("; no room for {}", new_pods(more)),
                    fit => format!("; room for {fit} of {}", new_pods(more)),
                };
                Consequence { is_final: fit == 0, text }
            }
            Effect::Creation { .. } => {
                let desired = replicas_of(&self.needed);
                let advice = match room(rows()).clamp(0, desired) {
                    fit if fit < desired => format!(": room for {fit} of {}", new_pods(desired)),
                    _ => String::new(),
                };
                Consequence { is_final: true, text: format!("; it never completes{advice}") }
            }
            Effect::Rollout(forecast) => self.of_rollout_with_quotas(forecast, measured),
        }
    }

    fn of_rollout_with_quotas(&self, forecast: &Forecast, measured: &[(&String, Vec<Row>)]) -> Consequence {
        let exceeded = || measured.iter().flat_map(|(_, rows)| rows).filter(|row| row.is_exceeded);
        if forecast.this.bounded.is_some() || !exceeded().any(|row| row.is_certain) {
            return Consequence::default();
        }
        let Some(outcome) = forecast.with_quotas(quotas_for(measured)) else { return Consequence::default() };
        if let Some(took) = outcome.took {
            let usual = forecast.this.took.map_or_else(String::new, |took| format!(" instead of {}", rounded(took)));
            let text = format!("; pods wait, complete after about {}{usual}", rounded(took));
            return Consequence { is_final: false, text };
        }
        let desired = replicas_of(&self.needed);
        let fit = room(measured.iter().flat_map(|(_, rows)| rows)).clamp(0, desired);
        let advice = match fit < desired {
            true => format!("room for {fit} of {}", new_pods(desired)),
            false => match forecast.with_rolling_update(0, 1, quotas_for(measured)).and_then(|outcome| outcome.took) {
                Some(took) => format!("maxSurge 0, maxUnavailable 1 would take {}", rounded(took)),
                None => format!("not within {}", Limits::DEFAULT.time),
            },
        };
        Consequence { is_final: true, text: format!("; it never completes: {advice}") }
    }
}

/// What comes of a change that exceeds a quota.
#[derive(Default)]
struct Consequence {
    /// Whether it never completes, or no part of it fits.
    is_final: bool,
    /// The end of the sentence; empty where that is not certain.
    text: String,
}

/// How many pods there are in the end.
fn replicas_of(needed: &[PodMoment]) -> i64 {
    needed.first().map_or(0, |end| end.total())
}

fn new_pods(count: i64) -> String {
    format!("{count} new pod{}", if count == 1 { "" } else { "s" })
}

/// How many pods of the new template the quotas have room for.
fn room<'a>(rows: impl Iterator<Item = &'a Row>) -> i64 {
    let fit = rows.filter(|row| row.each > 0).filter_map(|row| row.left.max(0).checked_div(row.each)).min();
    fit.map_or(i64::MAX, |fit| i64::try_from(fit).unwrap_or(i64::MAX))
}

/// The quotas with what they leave for the workload alone, as far as it is certain what that uses.
fn quotas_for(measured: &[(&String, Vec<Row>)]) -> Quotas {
    let quota = |(name, rows): &(&String, Vec<Row>)| {
        let certain = rows.iter().filter(|row| row.is_certain);
        let hard: Map<String, Value> =
            certain.map(|row| (row.resource.clone(), format!("{}n", row.left.max(0)).into())).collect();
        (Rc::from(name.as_str()), ResourceQuotaSpec { hard: hard.into(), ..ResourceQuotaSpec::default() })
    };
    measured.iter().map(quota).collect()
}

/// The result for one quota, with the resources that decide it.
fn answer(name: &str, rows: &[Row], consequence: &Consequence) -> QuotaAnswer {
    let listed = |is_shown: &dyn Fn(&Row) -> bool| {
        let rows = rows.iter().filter(|row| is_shown(row));
        rows.map(|row| row.text.as_str()).collect::<Vec<_>>().join(", ")
    };
    if !rows.iter().any(|row| row.is_exceeded) {
        return QuotaAnswer {
            room: QuotaRoom::Enough,
            text: format!("fits ResourceQuota {name}: {}", listed(&|_| true)),
        };
    }
    let decides = |row: &Row| row.is_exceeded && row.is_certain;
    if consequence.text.is_empty() || !rows.iter().any(decides) {
        let exceeded = listed(&|row| row.is_exceeded);
        return QuotaAnswer { room: QuotaRoom::Later, text: format!("may exceed ResourceQuota {name}: {exceeded}") };
    }
    let room = if consequence.is_final { QuotaRoom::Never } else { QuotaRoom::Later };
    QuotaAnswer { room, text: format!("exceeds ResourceQuota {name}: {}{}", listed(&decides), consequence.text) }
}

/// A pod of a template, with the fields that quotas count.
fn pod(template: &Value) -> Pod {
    let spec = field(template, "spec").unwrap_or(&Value::Null);
    let keep = |value: &Value, names: &[&str]| {
        let present = names.iter().filter_map(|name| Some((*name, field(value, name)?)));
        present.fold(Unknown::default(), |kept, (name, value)| kept.with(name, value.clone()))
    };
    let containers = |key| {
        let container = |value| Container {
            name: string(value, "name").into(),
            restart_policy: field(value, "restartPolicy").and_then(Value::as_str).map(Into::into),
            unknown: keep(value, &["resources"]),
            ..Container::default()
        };
        list(spec, key).iter().map(container).collect()
    };
    let fields = PodSpecFields {
        init_containers: containers("initContainers"),
        containers: containers("containers"),
        unknown: keep(spec, &["overhead", "resources"]),
        ..PodSpecFields::default()
    };
    Pod { spec: PodSpec { fields: Rc::new(fields), ..PodSpec::default() }, ..Pod::default() }
}
