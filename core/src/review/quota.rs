//! Whether the ResourceQuotas of the namespace have room for the pods of a change, and for its ReplicaSet.
//!
//! A quota counts terminating pods, so a rollout needs room for its highest moments, not only for its end.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::cluster_reader::{Cluster, Freshness, Lookup};
use super::forecast::{Forecast, Outcome, Present, is_paused, replicas};
use super::request::Request;
use crate::cluster::{ONE, unspecified, usage};
use crate::object::quantity::nanos;
use crate::object::quantity::written_like;
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
    /// The moments with the most pods, and those of them that come in any case.
    peak_moments: PeakMoments,
    certain: PeakMoments,
    needed: Vec<PodMoment>,
    new_replica_set: NewReplicaSet,
}

/// Whether a change needs one more ReplicaSet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NewReplicaSet {
    Never,
    /// Unless one has the template already, as after a rollback.
    Perhaps,
    Always,
}

impl<'a> Demand<'a> {
    /// The demand of a change of a Deployment, with the outcome under one of the policies; none if it needs no new pods.
    pub(super) fn of_rollout(
        request: &Request<'a>,
        object: &'a Value,
        forecast: &Forecast,
        outcome: &Outcome,
    ) -> Option<Self> {
        let new_template = template(object);
        let old_template = request.old.map_or(new_template, template);
        let shrinks = match forecast.present {
            Present::Settled(pods) => !forecast.rollout && replicas(object) <= pods,
            Present::Earlier(_) | Present::Mixed(_) => false,
        };
        let mut certain = outcome.certain.clone();
        if let Present::Earlier(pods) = forecast.present {
            // The quota counts all earlier pods, but not how much each of them uses.
            certain = certain.iter().filter(|moment| moment.old == pods).collect();
        }
        (!shrinks).then(|| Self {
            old_template,
            new_template: if forecast.rollout { new_template } else { old_template },
            present: forecast.present,
            peak_moments: outcome.peak_moments.clone(),
            certain,
            needed: forecast.needed.clone(),
            new_replica_set: if forecast.rollout { NewReplicaSet::Perhaps } else { NewReplicaSet::Never },
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
        let end = PodMoment { old: present, new: desired.saturating_sub(present) };
        let peak_moments: PeakMoments = [end].into_iter().collect();
        let template = template(object);
        (desired > present).then(|| Self {
            old_template: template,
            new_template: template,
            present: Present::Settled(present),
            certain: peak_moments.clone(),
            peak_moments,
            needed: Vec::from([end]),
            new_replica_set: match request.kind {
                Kind::Deployment => NewReplicaSet::Always,
                _ => NewReplicaSet::Never,
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
    /// Perhaps not: only bounds exceed it, or what may happen.
    Doubtful,
    /// New pods will be refused, be it for a while or for good.
    TooLittle,
}

/// The ResourceQuotas of a namespace by their names; none if the cluster can't tell.
pub(super) fn read(namespace: &str, cluster: &mut Cluster<'_>) -> Option<Map<String, Value>> {
    let lookup =
        Lookup { kind: Kind::ResourceQuota, namespace, name: "", fields: FIELDS, freshness: Freshness::Cached };
    cluster.list(&lookup, "the quota is not checked").ok()
}

/// The result for each quota that counts what the change needs.
pub(super) fn answers(demand: &Demand<'_>, quotas: &Map<String, Value>, cluster: &mut Cluster<'_>) -> Vec<QuotaAnswer> {
    let (old, new) = (Object::from(pod(demand.old_template)), pod(demand.new_template));
    let mut answers = Vec::new();
    for (name, quota) in quotas {
        if let Some(spec) = readable(quota, name, &new, cluster) {
            let rows = rows(demand, quota, &spec, &old, &new.clone().into());
            answers.extend(answer(name, &rows));
        }
    }
    answers
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
    cluster.note(format!("ResourceQuota {name} is not checked: {why}"));
    None
}

/// One resource of a quota, and what the change needs of it.
struct Row {
    /// `pods=22 of 20`
    text: String,
    excess: Excess,
}

/// Whether a change exceeds a resource of a quota.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Excess {
    Never,
    Perhaps,
    /// In any case, until old pods are gone.
    Certain,
    /// The change can't complete without more.
    Final,
}

fn rows(demand: &Demand<'_>, quota: &Value, spec: &ResourceQuotaSpec, old: &Object, new: &Object) -> Vec<Row> {
    let used = at(quota, &["status", "used"]).unwrap_or(&Value::Null);
    let row = |(resource, hard): (&String, &Value)| {
        let limit = nanos(hard)?;
        let used = field(used, resource).and_then(nanos).unwrap_or_default();
        let Amounts { most, certain, least } = match resource.as_str() {
            REPLICA_SETS => demand.replica_sets(used)?,
            _ => demand.pods(resource, used, old, new)?,
        };
        Some(Row {
            text: format!("{resource}={} of {}", written_like(most, hard), written_like(limit, hard)),
            excess: match () {
                () if least > limit => Excess::Final,
                () if certain > limit => Excess::Certain,
                () if most > limit => Excess::Perhaps,
                () => Excess::Never,
            },
        })
    };
    spec.hard.iter().filter_map(row).collect()
}

/// What is used of a resource during a change, with what other objects use.
struct Amounts {
    most: i128,
    /// What is certainly used at the peak.
    certain: i128,
    /// What the change can't complete without.
    least: i128,
}

impl Demand<'_> {
    fn replica_sets(&self, used: i128) -> Option<Amounts> {
        let most = used.saturating_add(ONE);
        match self.new_replica_set {
            NewReplicaSet::Never => None,
            NewReplicaSet::Perhaps => Some(Amounts { most, certain: 0, least: 0 }),
            NewReplicaSet::Always => Some(Amounts { most, certain: most, least: most }),
        }
    }

    fn pods(&self, resource: &str, used: i128, old: &Object, new: &Object) -> Option<Amounts> {
        // When a pod is created does not matter: only pods that should be gone for long are not counted.
        let [of_old, of_new] = [old, new].map(|pod| usage(pod, resource, Time(0)));
        if of_old == 0 && of_new == 0 {
            return None;
        }
        let of_old = match self.present {
            // Their template is unknown, but they can't use more than is used.
            Present::Earlier(pods) => used.checked_div(pods.into()).map_or(of_old, |most| most.min(of_old)),
            Present::Settled(_) | Present::Mixed(_) => of_old,
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
        let with_others = |pods| others.saturating_add(of(pods));
        let heaviest = |front: &PeakMoments| front.iter().map(with_others).max().unwrap_or_default();
        let least = self.needed.iter().map(|pods| match self.present {
            // How much is freed when earlier pods go is unknown.
            Present::Earlier(earlier) if pods.old < earlier => of(PodMoment { old: 0, new: pods.new }),
            _ => with_others(*pods),
        });
        let least = least.max().unwrap_or_default();
        let most = heaviest(&self.peak_moments).max(least);
        Some(Amounts { most, certain: heaviest(&self.certain), least })
    }
}

/// The result for one quota, with the resources that decide it; none if it does not count what the change needs.
fn answer(name: &str, rows: &[Row]) -> Option<QuotaAnswer> {
    let worst = rows.iter().map(|row| row.excess).max()?;
    let (room, verb, end) = match worst {
        Excess::Never => (QuotaRoom::Enough, "fits", ""),
        Excess::Perhaps => (QuotaRoom::Doubtful, "may exceed", ""),
        Excess::Certain => (QuotaRoom::TooLittle, "exceeds", "; new pods are refused until old ones are gone"),
        Excess::Final => (QuotaRoom::TooLittle, "exceeds", "; it can't complete"),
    };
    // What is certain is shown with what is final.
    let decides = |row: &&Row| row.excess >= worst.min(Excess::Certain);
    let shown: Vec<&str> = rows.iter().filter(decides).map(|row| row.text.as_str()).collect();
    Some(QuotaAnswer { room, text: format!("{verb} ResourceQuota {name}: {}{end}", shown.join(", ")) })
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
