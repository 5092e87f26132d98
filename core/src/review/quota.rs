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
use super::forecast::{
    Forecast, ForecastFigures, PodLimits, Present, Quotas, count, has_status, is_observed, is_paused,
    may_hide_terminating, not_complete, replicas, rounded,
};
use super::request::Request;
use crate::cluster::{unspecified, usage};
use crate::collect_tree::CollectTree;
use crate::object::quantity::{ONE, nanos, written_like};
use crate::object::unstructured::{at, field, list, map, string};
use crate::object::{Container, Kind, Object, Pod, PodSpec, PodSpecFields, ResourceQuotaSpec, Time, Unknown};
use crate::peak_moments::{PeakMoments, PodMoment};

/// The resource of a quota that counts the ReplicaSets of Deployments.
const REPLICA_SETS: &str = "count/replicasets.apps";

const FIELDS: &[&str] = &["spec.hard", "spec.scopeSelector", "spec.scopes", "status.hard", "status.used"];

/// What a change needs room for.
pub(super) struct Demand<'a> {
    old_template: &'a Value,
    new_template: &'a Value,
    present: Present,
    /// Whether more of what is used may be the workload's own than that, and go: pods that terminate uncounted, or those of a
    /// workload of this name that was deleted.
    may_free: bool,
    /// The moments with the most pods, which may be bounds.
    peak_moments: PeakMoments,
    needed: Vec<PodMoment>,
    effect: Effect<'a>,
}

/// How a change affects the pods. It decides what happens if the quota has too little room.
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
        outcome: &ForecastFigures,
    ) -> Option<Self> {
        let new_template = template(object);
        let old_template = request.old.map_or(new_template, template);
        let (pods, terminating) = match forecast.present {
            Present::Settled(pods) => (pods, 0),
            Present::Ending { pods, terminating } => (pods, terminating),
            Present::Earlier(pods) | Present::Mixed(pods) => (pods, 0),
        };
        let more = replicas(object).saturating_sub(pods);
        let may_free = request.old.is_some_and(may_hide_terminating);
        if forecast.present.is_settled() && !forecast.is_rollout() {
            let end = PodMoment { old: pods.saturating_add(terminating).saturating_add(more), new: 0 };
            return (more > 0).then(|| Self {
                old_template,
                new_template: old_template,
                present: forecast.present,
                may_free,
                peak_moments: match forecast.present {
                    Present::Ending { .. } => [end].into_iter().collect(),
                    _ => outcome.peak_moments.clone(),
                },
                needed: forecast.needed.clone(),
                effect: Effect::Growth { more },
            });
        }
        Some(Self {
            old_template,
            new_template: if forecast.is_rollout() { new_template } else { old_template },
            // Those that terminate may be of another template.
            present: match forecast.present {
                Present::Ending { pods, terminating } => Present::Mixed(pods.saturating_add(terminating)),
                present => present,
            },
            may_free,
            peak_moments: outcome.peak_moments.clone(),
            needed: forecast.needed.clone(),
            effect: Effect::Rollout(forecast),
        })
    }

    /// The demand of a workload that is new, or gets more replicas; none for one that needs no more pods.
    pub(super) fn of_growth(request: &Request<'_>, object: &'a Value) -> Option<Self> {
        let is_judged = match request.kind {
            Kind::Deployment => request.create && !is_paused(object),
            // The replicas of a Deployment's ReplicaSet are judged there.
            Kind::ReplicaSet | Kind::ReplicationController => !request.is_by_controller(),
            Kind::StatefulSet => true,
            _ => false,
        };
        if !is_judged || request.is_audit() {
            return None;
        }
        let pods = request.old.map_or(0, replicas);
        let desired = replicas(object);
        let more = desired.saturating_sub(pods);
        let (terminating, may_free) = request.old.map_or((0, request.create), |old| terminating(request.kind, old));
        let end = PodMoment { old: pods.saturating_add(terminating), new: more };
        let template = template(object);
        (more > 0).then(|| Self {
            old_template: template,
            new_template: template,
            present: match terminating {
                0 => Present::Settled(pods),
                terminating => Present::Ending { pods, terminating },
            },
            may_free,
            peak_moments: [end].into_iter().collect(),
            needed: Vec::from([end]),
            effect: match request.create {
                true => Effect::Creation { replica_set: request.kind == Kind::Deployment },
                false => Effect::Growth { more },
            },
        })
    }
}

/// How many pods of a workload terminate beside its replicas, and whether there may be more.
fn terminating(kind: Kind, old: &Value) -> (i64, bool) {
    if !has_status(old) {
        return (0, false);
    }
    match kind {
        // It counts terminating pods with the others. Pods of several revisions may use more than the template says.
        Kind::StatefulSet => {
            let revision = |key| at(old, &["status", key]);
            let is_updated = revision("currentRevision") == revision("updateRevision");
            let terminating = count(old, "replicas").saturating_sub(replicas(old)).max(0);
            (terminating, !is_observed(old) || !is_updated)
        }
        _ => (count(old, "terminatingReplicas"), !is_observed(old) || may_hide_terminating(old)),
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

/// What the change needs of each quota that counts it, by the quotas' names.
type Measured<'q> = Vec<(&'q String, Vec<Row>)>;

/// What the quotas of a namespace say of a change.
#[derive(Default)]
pub(super) struct QuotaAnswers {
    /// The result for each quota that counts what the change needs.
    pub(super) answers: Vec<QuotaAnswer>,
    /// What to change, if one has too little room.
    pub(super) advice: Option<String>,
    /// Whether the results depend on how fast pods start and stop.
    pub(super) is_timed: bool,
}

/// The results for a change.
pub(super) fn answers(demand: &Demand<'_>, quotas: &Map<String, Value>, cluster: &mut Cluster<'_>) -> QuotaAnswers {
    let measured = measure(demand, quotas, cluster);
    let consequence = demand.consequence(&measured);
    let answers = measured.iter().map(|(name, rows)| answer(name, rows, &consequence)).collect();
    QuotaAnswers { answers, advice: consequence.advice, is_timed: consequence.is_timed }
}

/// Whether all quotas have room for all pods at all times.
pub(super) fn is_enough(demand: &Demand<'_>, quotas: &Map<String, Value>, cluster: &mut Cluster<'_>) -> bool {
    measure(demand, quotas, cluster).iter().flat_map(|(_, rows)| rows).all(|row| !row.is_exceeded)
}

fn measure<'q>(demand: &Demand<'_>, quotas: &'q Map<String, Value>, cluster: &mut Cluster<'_>) -> Measured<'q> {
    let [old, new] = [demand.old_template, demand.new_template].map(pod);
    let mut measured = Vec::new();
    for (name, quota) in quotas {
        if let Some(spec) = readable(quota, name, [&new, &old], cluster) {
            let rows = rows(demand, quota, &spec, &old.clone().into(), &new.clone().into());
            if !rows.is_empty() {
                measured.push((name, rows));
            }
        }
    }
    measured
}

/// What the quota allows; none, with a note, for one that can't be judged.
fn readable(quota: &Value, name: &str, pods: [&Pod; 2], cluster: &mut Cluster<'_>) -> Option<ResourceQuotaSpec> {
    let spec = field(quota, "spec").unwrap_or(&Value::Null);
    let hard = field(quota, "status").and_then(|status| map(status, "hard"));
    let why = match hard {
        _ if !list(spec, "scopes").is_empty() || field(spec, "scopeSelector").is_some() => "it has scopes".into(),
        // Admission goes by the status: a quota that its controller has not seen yet has none.
        None => "it has no status yet".into(),
        Some(hard) => {
            let spec = ResourceQuotaSpec { hard: hard.clone().into(), ..ResourceQuotaSpec::default() };
            // Where a LimitRange has filled it in, what the old pods use is not known, either.
            let Some(missing) = pods.iter().find_map(|pod| unspecified(&spec, pod)) else { return Some(spec) };
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
    /// Whether not even one more pod of the new template fits into what the quota says is used.
    is_full: bool,
    /// What the workload needs at most at once, in billionths.
    needed: i128,
    /// What is left for the workload, terminating pods included.
    left: i128,
    /// The most that will be left for it, as long as the pods of other workloads stay.
    left_at_most: i128,
    /// Whether other objects certainly use some of it.
    is_shared: bool,
    /// Whether its own pods may use what other objects seem to use.
    may_be_own: bool,
    /// Whether there is too little room even then.
    is_impossible: bool,
    /// What each old pod uses, and each new one.
    each: [i128; 2],
    /// Whether it is certain how much is needed.
    is_certain: bool,
}

impl Row {
    /// Whether it has room for all these moments.
    fn has_room(&self, moments: &PeakMoments) -> bool {
        moments.iter().all(|pods| weight(pods, self.each) <= self.left)
    }
}

/// What the pods of a moment use.
fn weight(pods: PodMoment, each: [i128; 2]) -> i128 {
    let [old, new] = each;
    old.saturating_mul(pods.old.into()).saturating_add(new.saturating_mul(pods.new.into()))
}

fn rows(demand: &Demand<'_>, quota: &Value, spec: &ResourceQuotaSpec, old: &Object, new: &Object) -> Vec<Row> {
    let used = at(quota, &["status", "used"]).unwrap_or(&Value::Null);
    let row = |(resource, hard): (&String, &Value)| {
        let limit = nanos(hard)?;
        let used = field(used, resource).and_then(nanos).unwrap_or_default();
        let Amounts { most, others, others_at_least, may_be_own, least, each, is_certain } = match resource.as_str() {
            REPLICA_SETS => demand.replica_sets(used)?,
            _ => demand.pods(resource, used, old, new)?,
        };
        Some(Row {
            resource: resource.clone(),
            text: format!("{resource}={} of {}", written_like(most, hard), written_like(limit, hard)),
            is_exceeded: most > limit,
            is_full: used.saturating_add(each[1]) > limit,
            needed: most.saturating_sub(others),
            left: limit.saturating_sub(others),
            left_at_most: limit.saturating_sub(others_at_least),
            is_shared: others_at_least > 0,
            may_be_own,
            is_impossible: least > limit,
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
    /// What other objects use, as it seems.
    others: i128,
    /// What other objects certainly use.
    others_at_least: i128,
    /// Whether the workload's own pods may use what other objects seem to use, and take it with them when they are replaced: webhooks
    /// add sidecars to pods, and vertical autoscalers change their requests.
    may_be_own: bool,
    /// What is used at least at some time of the change, even then.
    least: i128,
    /// What each old pod uses, and each new one.
    each: [i128; 2],
    is_certain: bool,
}

impl Demand<'_> {
    fn replica_sets(&self, used: i128) -> Option<Amounts> {
        let most = used.saturating_add(ONE);
        let others_at_least = if self.may_free { 0 } else { used };
        let least = others_at_least.saturating_add(ONE);
        let (each, may_be_own) = ([0, 0], false);
        let amounts =
            |is_certain| Some(Amounts { most, others: used, others_at_least, may_be_own, least, each, is_certain });
        match self.effect {
            Effect::Growth { .. } | Effect::Creation { replica_set: false } => None,
            Effect::Rollout(forecast) if !forecast.is_rollout() => None,
            // One that has the template already may be used again, as after a rollback.
            Effect::Rollout(_) => amounts(false),
            Effect::Creation { .. } => amounts(true),
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
            // If they use less than their template says, so may the new ones.
            Present::Settled(pods) | Present::Ending { pods, .. } => {
                (of_old, used >= of_old.saturating_mul(pods.into()))
            }
            Present::Mixed(_) => (of_old, false),
        };
        let each = [of_old, of_new];
        let of = |pods: PodMoment| weight(pods, each);
        let present = match self.present {
            Present::Settled(pods) | Present::Earlier(pods) => of(PodMoment { old: pods, new: 0 }),
            Present::Ending { pods, terminating } => of(PodMoment { old: pods.saturating_add(terminating), new: 0 }),
            Present::Mixed(pods) => of_old.max(of_new).saturating_mul(pods.into()),
        };
        let others = used.saturating_sub(present).max(0);
        let most = self.peak_moments.iter().chain(self.needed.iter().copied()).map(of).max().unwrap_or_default();
        let is_replaced = matches!(self.effect, Effect::Rollout(forecast) if forecast.is_rollout());
        let may_be_own = is_replaced && !is_count && others > 0;
        // Those that terminate may be of another template, and use more.
        let is_known = !self.may_free && !may_be_own && (is_count || !matches!(self.present, Present::Ending { .. }));
        let others_at_least = if is_known { others } else { 0 };
        let of_old_at_most = match self.present {
            Present::Settled(pods) if may_be_own && !self.may_free => used.checked_div(pods.into()).unwrap_or(of_old),
            _ => of_old,
        };
        let needed = self.needed.iter().map(|pods| weight(*pods, [of_old_at_most, of_new])).max().unwrap_or_default();
        let least = others_at_least.saturating_add(needed);
        let most = others.saturating_add(most);
        Some(Amounts { most, others, others_at_least, may_be_own, least, each, is_certain })
    }

    /// What comes of the change with the room that there is.
    fn consequence(&self, measured: &Measured<'_>) -> Consequence {
        let rows = || measured.iter().flat_map(|(_, rows)| rows);
        if !rows().any(|row| row.is_exceeded) {
            return Consequence::default();
        }
        match self.effect {
            Effect::Growth { more } => {
                let (kept, terminating) = match self.present {
                    Present::Settled(pods) | Present::Earlier(pods) | Present::Mixed(pods) => (pods, 0),
                    Present::Ending { pods, terminating } => (pods, terminating),
                };
                let of_new = |room: i64| room.saturating_sub(kept).clamp(0, more);
                let (fit, most) = (of_new(room(rows(), |row| row.left)), of_new(room(rows(), |row| row.left_at_most)));
                let pods = new_pods(more);
                // Pods of another template may use less than this one says.
                let is_final = most == 0 && rows().any(|row| row.is_full && row.is_certain);
                let text = match fit {
                    0 if is_final => format!("; no room for {pods}{}", unless_others_go(rows(), |row| row.is_shared)),
                    0 if most == 0 => String::new(),
                    fit if terminating > 0 => format!("; room for {fit} of {pods} when {terminating} have terminated"),
                    fit if most > fit => {
                        format!("; room for {fit} of {pods} now, more if uncounted terminating pods go")
                    }
                    fit => format!("; room for {fit} of {pods}"),
                };
                Consequence { is_final, text, ..Consequence::default() }
            }
            Effect::Creation { .. } => {
                let desired = replicas_of(&self.needed);
                let is_final = rows().any(|row| row.needed > row.left_at_most);
                let (what, room) = match is_final {
                    true => (NEVER, room(rows(), |row| row.left_at_most)),
                    false => ("; it waits until other objects go", room(rows(), |row| row.left)),
                };
                let text = match room.clamp(0, desired) {
                    fit if fit < desired => format!("{what}: room for {fit} of {}", new_pods(desired)),
                    _ => String::from(what),
                };
                Consequence { is_final, text, ..Consequence::default() }
            }
            Effect::Rollout(forecast) => self.of_rollout_with_quotas(forecast, measured),
        }
    }

    fn of_rollout_with_quotas(&self, forecast: &Forecast, measured: &Measured<'_>) -> Consequence {
        let rows = || measured.iter().flat_map(|(_, rows)| rows);
        if !rows().any(|row| row.is_exceeded && row.is_certain) {
            return Consequence::default();
        }
        let desired = replicas_of(&self.needed);
        // Whatever chance decides, all pods there must be in the end.
        let most = room(rows().filter(|row| row.is_certain), |row| row.left_at_most);
        if most < desired {
            let fit = format!("room for {} of {}", most.max(0), new_pods(desired));
            let text = format!("{NEVER}{}: {fit}", unless_others_go(rows(), |row| row.is_shared));
            return Consequence { is_final: true, text, ..Consequence::default() };
        }
        if forecast.this.bounded.is_some() {
            return Consequence::default();
        }
        let Some(outcome) = forecast.with_quotas(quotas_for(measured, |row| row.left)) else {
            return Consequence::default();
        };
        let room = room(rows(), |row| row.left);
        let advice = |within: Option<i64>| advice(forecast, measured, room.saturating_sub(desired), within);
        if !outcome.is_stuck {
            let text = match (outcome.took, forecast.this.took) {
                (Some(took), Some(usual)) => {
                    format!("; pods wait, complete after about {} instead of {}", rounded(took), rounded(usual))
                }
                (Some(took), None) => format!("; pods wait, complete after about {}", rounded(took)),
                (None, _) => format!("; pods wait, {}", not_complete()),
            };
            return Consequence {
                is_final: false,
                text,
                advice: advice(Some(outcome.took.unwrap_or(i64::MAX))),
                is_timed: true,
            };
        }
        // Then there is more room than there seems to be.
        let why = match self.may_free {
            true => Some("; pods wait for room, which uncounted terminating pods may make"),
            false if rows().any(|row| row.may_be_own) => Some(UNLESS_OWN_GO),
            false => None,
        };
        let is_impossible = rows().any(|row| row.is_impossible && row.is_certain);
        let is_stuck = || {
            let freed = forecast.with_quotas(quotas_for(measured, |row| row.left_at_most));
            freed.is_some_and(|freed| freed.is_stuck)
        };
        if let Some(text) = why.filter(|_| !is_impossible && !is_stuck()) {
            return Consequence { is_final: false, text: text.into(), advice: advice(None), is_timed: true };
        }
        let text = format!("{NEVER}{}", unless_others_go(rows(), |row| row.is_shared || row.may_be_own));
        Consequence { is_final: true, text, advice: advice(None), is_timed: true }
    }
}

/// How the end of a sentence begins about what is refused for good.
const NEVER: &str = "; it never completes";

/// The end of a sentence about a quota in which other objects seem to be.
const UNLESS_OWN_GO: &str = "; stuck unless other pods go or its own exceed their template";

/// That other objects are assumed to stay, if there are any.
fn unless_others_go<'a>(rows: impl Iterator<Item = &'a Row>, has_others: fn(&Row) -> bool) -> &'static str {
    let mut decide = rows.filter(|row| row.is_exceeded && row.is_certain);
    if decide.any(has_others) { " unless other pods go" } else { "" }
}

/// The setting of the Deployment with which a rollout fits, as `advise` finds it too. Where nothing fits, the rolling one that needs the
/// least room, if the rollout completes with it within these nanoseconds; if it never completes by itself, any that completes.
fn advice(forecast: &Forecast, measured: &Measured<'_>, spare: i64, within: Option<i64>) -> Option<String> {
    let fits = |outcome: &ForecastFigures| {
        let mut rows = measured.iter().flat_map(|(_, rows)| rows).filter(|row| row.is_certain);
        rows.all(|row| row.has_room(&outcome.peak_moments))
    };
    if let Some((setting, took)) = forecast.find_setting(PodLimits { spare, unavailable: i64::MAX }, &fits) {
        return Some(format!("{setting} would fit: complete after about {}", rounded(took)));
    }
    let smallest = forecast.smallest_settings();
    let tried = if within.is_some() { 1 } else { smallest.len() };
    smallest.iter().take(tried).find_map(|setting| {
        let outcome = forecast.with_setting(setting, quotas_for(measured, |row| row.left))?;
        let took = outcome.took.filter(|took| within.is_none_or(|within| *took < within))?;
        Some(format!("{setting} would complete after about {}", rounded(took)))
    })
}

/// What comes of a change that exceeds a quota.
#[derive(Default)]
struct Consequence {
    /// Whether it never completes, or no part of it fits.
    is_final: bool,
    /// The end of the sentence; empty where that is not certain.
    text: String,
    /// What to change.
    advice: Option<String>,
    /// Whether it depends on how fast pods start and stop.
    is_timed: bool,
}

/// How many pods there are in the end.
fn replicas_of(needed: &[PodMoment]) -> i64 {
    needed.first().map_or(0, |end| end.total())
}

fn new_pods(count: i64) -> String {
    format!("{count} new pod{}", if count == 1 { "" } else { "s" })
}

/// How many pods of the new template have room in what is left.
fn room<'a>(rows: impl Iterator<Item = &'a Row>, left: fn(&Row) -> i128) -> i64 {
    let fits = rows.filter_map(|row| {
        let [_, new] = row.each;
        left(row).max(0).checked_div(new)
    });
    let fit = fits.min();
    fit.map_or(i64::MAX, |fit| i64::try_from(fit).unwrap_or(i64::MAX))
}

/// The quotas with what they leave for the workload alone, as far as it is certain what that uses.
fn quotas_for(measured: &Measured<'_>, left: fn(&Row) -> i128) -> Quotas {
    let quota = |(name, rows): &(&String, Vec<Row>)| {
        let certain = rows.iter().filter(|row| row.is_certain);
        let hard: Map<String, Value> =
            certain.map(|row| (row.resource.clone(), format!("{}n", left(row).max(0)).into())).collect_tree();
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
