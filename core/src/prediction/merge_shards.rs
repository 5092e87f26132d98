//! The predictions of all shards of a fleet become that of the fleet.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use super::judgment::without_question;
use super::verdict::{Reason, ReasonKind};
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::json::{ToJson, in_milliseconds, nanoseconds};
use crate::object::Kind;
use crate::object::quantity::{nanos, written_like};
use crate::object::unstructured::{at, field, integer, list, string};

/// The reasons of a verdict, those that decide first.
const REASONS: [ReasonKind; 15] = [
    ReasonKind::Quota,
    ReasonKind::Pending,
    ReasonKind::Preempted,
    ReasonKind::Incomplete,
    ReasonKind::Worst,
    ReasonKind::Condition,
    ReasonKind::NotRead,
    ReasonKind::RemovedWorkload,
    ReasonKind::NotModeledWorkload,
    ReasonKind::NotModeledField,
    ReasonKind::AutoscaledReplicas,
    ReasonKind::UnmatchedQuota,
    ReasonKind::CutShort,
    ReasonKind::NoWorkload,
    ReasonKind::NoLimit,
];

/// Merges the predictions of all shards of a fleet, as JSON, into the one of the whole fleet. What all pods hold together is added up
/// at each instant: where the pods of one shard come in the same instant in which those of another go, both count.
///
/// # Errors
/// What is no prediction of a shard, shards of different fleets, and shards that are missing or there twice, with the position
/// in the list: `[3].shard.index`.
pub fn merge_shards(predictions: &[Value]) -> Result<Value, Problem> {
    let parts = in_order(predictions)?;
    let Some(first) = parts.first() else {
        return Err(Problem::new("", "Required value: must have the predictions of all shards"));
    };
    let all = |key: &str| parts.iter().flat_map(|part| list(part, key)).collect::<Vec<&Value>>();
    let sorted = |key: &str| {
        let mut items = all(key);
        let kind = |item| Kind::from_name(string(item, "kind"));
        items.sort_by_key(|item| (kind(item), string(item, "namespace"), string(item, "name")));
        items
    };
    let mut merged = Map::new();
    for same in ["version", "assumptions", "estimates", "notModeled", "onlyInOld"] {
        merged.extend(field(first, same).map(|value| (String::from(same), value.clone())));
    }
    for by_name in ["workloads", "jobs"] {
        merged.insert(by_name.into(), json!(sorted(by_name)));
    }
    merged.insert("quotas".into(), json!(quotas(&parts)));
    merged.insert("warnings".into(), json!(warnings(&parts)));
    let sentences = distinct(parts.iter().map(|part| string(part, "assumed")));
    merged.insert("assumed".into(), sentences.join(" ").into());
    let ends = || parts.iter().filter_map(|part| field(part, "end"));
    let end = ends().find(|end| string(end, "reason") != "quiet").or_else(|| ends().next());
    merged.insert("end".into(), end.cloned().unwrap_or_default());
    merged.insert("total".into(), total(&parts));
    let mut merged = Value::Object(merged);
    let verdicts: Vec<&Value> = parts.iter().filter_map(|part| field(part, "verdict")).collect();
    let verdict = merge_verdicts(&verdicts, &merged);
    if let Some(merged) = merged.as_object_mut() {
        merged.insert("verdict".into(), verdict);
    }
    Ok(merged)
}

/// Merges verdicts on the shards of a fleet, as JSON, beside the merged prediction.
pub fn merge_verdicts(verdicts: &[&Value], merged: &Value) -> Value {
    let has = |key: &str| !list(merged, key).is_empty();
    let has_workloads = ["workloads", "jobs", "estimates"].into_iter().any(has);
    let mut seen = BTreeSet::new();
    let reasons = verdicts.iter().flat_map(|verdict| list(verdict, "reasons"));
    // What all shards say is about the whole fleet.
    let reasons: Vec<&Value> = reasons.filter(|reason| seen.insert(format!("{reason}"))).collect();
    let mut merged = verdict(&reasons, without_question_of(merged, has_workloads));
    if let Some(merged) = merged.as_object_mut() {
        merged.insert("defaults".into(), json!(deciding_defaults(verdicts)));
    }
    merged
}

/// The defaults that decide alone in each shard that does not fit: with one of them, the whole fleet may fit.
fn deciding_defaults(verdicts: &[&Value]) -> Vec<Value> {
    let does_not_fit = |verdict: &&&Value| string(verdict, "result") == "doesNotFit";
    let mut refused = verdicts.iter().filter(does_not_fit).map(|verdict| list(verdict, "defaults"));
    let mut common = refused.next().unwrap_or_default().to_vec();
    refused.for_each(|defaults| common.retain(|default| defaults.contains(default)));
    common
}

/// The predictions in the order of the shards.
fn in_order(predictions: &[Value]) -> Result<Vec<&Value>, Problem> {
    let mut parts: BTreeMap<i64, &Value> = BTreeMap::new();
    let mut first: Option<(&Value, i64)> = None;
    for (position, prediction) in predictions.iter().enumerate() {
        let problem = |path: &str, message: String| Problem::new(format!("[{position}].{path}"), message);
        let number = |key: &str| at(prediction, &["shard"]).and_then(|shard| integer(shard, key));
        let (Some(index), Some(count)) = (number("index"), number("count")) else {
            return Err(problem("shard", String::from("Required value: must be the prediction of a shard")));
        };
        let (one, shards) = *first.get_or_insert((prediction, count));
        if count != shards {
            return Err(problem(
                "shard.count",
                format!("Invalid value: {count}: must be {shards}, as in the first one"),
            ));
        }
        if field(one, "assumptions") != field(prediction, "assumptions") {
            let message = String::from("Invalid value: must be those of the first one");
            return Err(problem("assumptions", message));
        }
        if field(one, "version") != field(prediction, "version") {
            return Err(problem("version", String::from("Invalid value: must be that of the first one")));
        }
        if parts.insert(index, prediction).is_some() {
            return Err(problem("shard.index", format!("Duplicate value: {index}: must be given once")));
        }
    }
    let count = first.map_or(0, |(_, count)| count);
    let missing: Vec<String> =
        (0..count).filter(|index| !parts.contains_key(index)).map(|index| format!("{index}/{count}")).collect();
    if missing.is_empty() {
        return Ok(parts.into_values().collect());
    }
    let listed = missing.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more =
        if missing.len() > 10 { format!(" and {} more", missing.len().saturating_sub(10)) } else { String::new() };
    Err(Problem::new("", format!("Required value: {listed}{more}: must be given, too")))
}

/// The ResourceQuotas by namespace and name. One that stays exceeded is so until the end of the longest simulation.
fn quotas(parts: &[&Value]) -> Vec<Value> {
    let end = |part: &Value, policy: &str| course(part, policy).map_or(0, |course| time(course, "end"));
    let last = |policy: &str| parts.iter().map(|part| end(part, policy)).max().unwrap_or(0);
    let (last_now, last_proposed) = (last("outcome"), last("proposed"));
    let mut quotas = Vec::new();
    for part in parts {
        for quota in list(part, "quotas") {
            let mut quota = quota.clone();
            let demand = field(&quota, "demand").cloned().unwrap_or_default();
            let proposed = field(&quota, "proposed").unwrap_or(&demand).clone();
            let proposed = prolonged(proposed, last_proposed.saturating_sub(end(part, "proposed")));
            let demand = prolonged(demand, last_now.saturating_sub(end(part, "outcome")));
            if let Some(quota) = quota.as_object_mut() {
                quota.remove("proposed");
                quota.extend((proposed != demand).then(|| (String::from("proposed"), proposed)));
                quota.insert("demand".into(), demand);
            }
            quotas.push(quota);
        }
    }
    quotas.sort_by_cached_key(|quota| (String::from(string(quota, "namespace")), String::from(string(quota, "name"))));
    quotas
}

/// The demand on a quota if the simulation ends this many nanoseconds later.
fn prolonged(mut demand: Value, by: i64) -> Value {
    let exceeded = demand.get_mut("exceeded").and_then(Value::as_array_mut);
    for exceeded in exceeded.into_iter().flatten() {
        if field(exceeded, "stays") == Some(&Value::Bool(true)) {
            let lasts = time(exceeded, "lasts").saturating_add(by);
            if let Some(exceeded) = exceeded.as_object_mut() {
                exceeded.insert("lasts".into(), in_milliseconds(lasts));
            }
        }
    }
    demand
}

/// The course of a shard; that of today's releases where the policy makes no difference.
fn course<'a>(part: &'a Value, policy: &str) -> Option<&'a Value> {
    at(part, &["shard", policy]).or_else(|| at(part, &["shard", "outcome"]))
}

fn distinct<T: Ord + Clone>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}

/// Those of each object are of the shard that has it, which has all of them.
fn warnings<'a>(parts: &[&'a Value]) -> Vec<&'a Value> {
    let mut of_objects: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for part in parts {
        for own in list(part, "warnings").chunk_by(|one, next| string(one, "object") == string(next, "object")) {
            let object = own.first().map_or("", |warning| string(warning, "object"));
            let known = of_objects.entry(object).or_default();
            if known.len() < own.len() {
                *known = own.iter().collect();
            }
        }
    }
    of_objects.into_values().flatten().collect()
}

/// What a merged prediction has no question about. Shards have no nodes.
fn without_question_of(merged: &Value, has_workloads: bool) -> Option<Reason> {
    let changes = |item: &&Value| field(item, "change").is_some() || integer(item, "more").is_some_and(|more| more > 0);
    let items = ["workloads", "jobs", "estimates"].into_iter().flat_map(|key| list(merged, key)).filter(changes);
    let changing = items.map(|item| string(item, "namespace")).collect_tree();
    let quotas = list(merged, "quotas").iter().map(|quota| string(quota, "namespace")).collect_tree();
    without_question(has_workloads, &changing, &quotas, false)
}

/// Where a prediction lists the objects of a kind: quotas, then workloads by kind, then Jobs.
fn list_of(kind: Option<Kind>) -> (u8, Option<Kind>) {
    match kind {
        Some(Kind::ResourceQuota) => (0, kind),
        Some(Kind::Job) => (2, kind),
        _ => (1, kind),
    }
}

fn verdict(reasons: &[&Value], last: Option<Reason>) -> Value {
    let kind_of = |reason: &Value| {
        REASONS.into_iter().find(|kind| field(reason, "kind").is_some_and(|written| kind.to_json() == *written))
    };
    let reasons = reasons.iter().filter_map(|reason| Some((kind_of(reason)?, *reason)));
    let mut reasons: Vec<(ReasonKind, &Value)> = reasons.filter(|(kind, _)| !kind.is_without_question()).collect();
    let place = |(kind, reason): &(ReasonKind, &Value)| {
        let object = string(reason, "object");
        let (own, rest) = object.split_once('/').unwrap_or((object, ""));
        let rest: Vec<String> = rest.split('/').map(String::from).collect();
        let of_shard =
            matches!(kind, ReasonKind::Quota | ReasonKind::Incomplete | ReasonKind::Worst | ReasonKind::Condition);
        (*kind, of_shard.then(|| (list_of(Kind::from_name(own)), rest)))
    };
    reasons.sort_by_cached_key(place);
    let kinds = reasons.iter().map(|(kind, _)| *kind).chain(last.iter().map(|reason| reason.kind));
    let result = kinds.map(ReasonKind::result).max().unwrap_or_default();
    let reasons: Vec<Value> =
        reasons.into_iter().map(|(_, reason)| reason.clone()).chain(last.map(|it| it.to_json())).collect();
    json!({ "result": result.to_json(), "reasons": reasons })
}

fn total(parts: &[&Value]) -> Value {
    let now = outcome(parts, "outcome");
    let mut total = Map::new();
    for policy in ["proposed", "withQuotas"] {
        let differs = |part: &&Value| ["total", "shard"].iter().any(|of| at(part, &[of, policy]).is_some());
        let merged = if parts.iter().any(differs) { outcome(parts, policy) } else { now.clone() };
        if merged != now {
            total.insert(policy.into(), merged);
        }
    }
    total.insert("outcome".into(), now);
    Value::Object(total)
}

/// One of the outcomes of all pods together. A shard without it has that of today's releases.
fn outcome(parts: &[&Value], policy: &str) -> Value {
    let of = |part: &&&Value| at(part, &["total", policy]).or_else(|| at(part, &["total", "outcome"])).cloned();
    let outcomes: Vec<Value> = parts.iter().filter_map(|part| of(&part)).collect();
    let courses: Vec<&Value> = parts.iter().filter_map(|part| course(part, policy)).collect();
    let levels = |key: &str| courses.iter().filter_map(|course| field(course, key)).collect::<Vec<_>>();
    let pods = Sum::of(&levels("pods"), i128::max);
    let latest = |key: &str| {
        outcomes.iter().map(|outcome| nanoseconds(field(outcome, key)?)).try_fold(0, |all: i64, it| Some(all.max(it?)))
    };
    let all_resources = || courses.iter().flat_map(|course| list(course, "resources"));
    let resources: BTreeSet<&str> = all_resources().map(|levels| string(levels, "resource")).collect_tree();
    let demand = |resource: &str| {
        let own = all_resources().filter(|levels| string(levels, "resource") == resource);
        let of_resource: Vec<&Value> = own.filter_map(|own| field(own, "levels")).collect();
        let sum = Sum::of(&of_resource, i128::max);
        let mut demands = outcomes.iter().flat_map(|outcome| list(outcome, "resources"));
        let sample = demands.find(|demand| string(demand, "resource") == resource)?;
        let written = |amount: i128| written_like(amount, field(sample, "peak").unwrap_or(&Value::Null));
        let demand = json!({
            "resource": resource,
            "before": written(sum.before),
            "peak": written(sum.extreme),
            "peakAt": in_milliseconds(sum.at),
            "after": written(sum.after),
        });
        (sum.extreme != 0).then_some(demand)
    };
    let mut outcome = json!({
        "peak": count(pods.extreme),
        "peakAt": in_milliseconds(pods.at),
        "resources": resources.into_iter().filter_map(demand).collect::<Vec<_>>(),
        "lowestAvailable": count(Sum::of(&levels("available"), i128::min).extreme),
    });
    for key in ["complete", "lastOldPodGone"] {
        if let (Some(outcome), Some(time)) = (outcome.as_object_mut(), latest(key)) {
            outcome.insert(key.into(), in_milliseconds(time));
        }
    }
    outcome
}

/// A time of a prediction, in nanoseconds.
fn time(value: &Value, key: &str) -> i64 {
    field(value, key).and_then(nanoseconds).unwrap_or(0)
}

/// A number of pods, which is written as an amount.
fn count(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MAX)
}

/// The amounts of all shards, added up over time.
#[derive(Clone, Copy, Debug)]
struct Sum {
    before: i128,
    extreme: i128,
    at: i64,
    after: i128,
}

impl Sum {
    fn of(levels: &[&Value], worse: fn(i128, i128) -> i128) -> Self {
        let amount = |value: &Value, key: &str| field(value, key).and_then(nanos).unwrap_or(0);
        let mut now: Vec<i128> = levels.iter().map(|levels| amount(levels, "before")).collect();
        let mut changes: Vec<(i64, usize, i128, i128)> = Vec::new();
        for (part, levels) in levels.iter().enumerate() {
            changes.extend(
                list(levels, "changes")
                    .iter()
                    .map(|change| (time(change, "at"), part, amount(change, "extreme"), amount(change, "after"))),
            );
        }
        changes.sort_unstable();
        let before = now.iter().fold(0_i128, |sum, amount| sum.saturating_add(*amount));
        let mut sum = Self { before, extreme: before, at: 0, after: before };
        for instant in changes.chunk_by(|one, next| one.0 == next.0) {
            let (mut extreme, mut after) = (sum.after, sum.after);
            let mut time = sum.at;
            for (at, part, own_extreme, own_after) in instant {
                let Some(own) = now.get_mut(*part) else { continue };
                extreme = extreme.saturating_add(own_extreme.saturating_sub(*own));
                after = after.saturating_add(own_after.saturating_sub(*own));
                *own = *own_after;
                time = *at;
            }
            if worse(sum.extreme, extreme) != sum.extreme {
                (sum.extreme, sum.at) = (extreme, time);
            }
            sum.after = after;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;
    use crate::object::Object;
    use crate::prediction::{PredictOptions, predict};
    use crate::scenario::Scenario;
    use crate::timeline::Timeline;

    #[test]
    fn reasons_have_the_order_of_their_objects_in_a_prediction() {
        let objects = ["DaemonSet/z/agent", "StatefulSet/a/db", "Deployment/a/web", "Job/a/batch"];
        let verdict = |object: &str| {
            let reason = json!({ "kind": "incomplete", "object": object, "message": "The rollout never completes." });
            json!({ "result": "doesNotFit", "reasons": [reason] })
        };
        let verdicts: Vec<Value> = objects.into_iter().rev().map(verdict).collect();
        let merged = merge_verdicts(&verdicts.iter().collect::<Vec<_>>(), &json!({ "workloads": [{}] }));
        // The last reason is that there is no quota.
        let about: Vec<&str> = list(&merged, "reasons").iter().map(|reason| string(reason, "object")).collect();
        assert_eq!(about, [&objects[..], &[""]].concat());
    }

    /// A workload in one of a few namespaces, before the change and after it.
    fn workloads() -> impl Strategy<Value = [Option<Value>; 2]> {
        let kind = prop::sample::select(Vec::from(["Deployment", "Deployment", "Deployment", "Job", "StatefulSet"]));
        let namespace = prop::sample::select(Vec::from(["a", "a-b", "b", "c"]));
        let strategy = prop::sample::select(Vec::from([
            json!({}),
            json!({ "type": "Recreate" }),
            json!({ "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } }),
            json!({ "rollingUpdate": { "maxSurge": "100%" } }),
        ]));
        let fate = prop::sample::select(Vec::from(["image", "image", "image", "same", "new", "gone", "scale"]));
        let probe = prop::sample::select(Vec::from([0, 3, 7]));
        (kind, namespace, strategy, fate, 0_i64..5, 1_i64..40, probe, any::<bool>()).prop_map(
            |(kind, namespace, strategy, fate, replicas, grace, delay, requests)| {
                let workload = |name: &str, image: &str, replicas: i64| {
                    let labels = json!({ "app": name });
                    let requests = if requests { json!({ "cpu": "250m", "memory": "64Mi" }) } else { json!({}) };
                    let probe = json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay });
                    let mut template = json!({
                        "metadata": { "labels": labels },
                        "spec": {
                            "terminationGracePeriodSeconds": grace,
                            "containers": [{ "name": "app", "image": image, "resources": { "requests": requests } }],
                        },
                    });
                    let spec = match kind {
                        "Job" => {
                            template["spec"]["restartPolicy"] = "Never".into();
                            json!({ "parallelism": replicas, "completions": 3, "template": template })
                        }
                        kind => {
                            template["spec"]["containers"][0]["readinessProbe"] = probe;
                            let strategy_of = if kind == "Deployment" { "strategy" } else { "updateStrategy" };
                            let strategy = if kind == "Deployment" { strategy.clone() } else { json!({}) };
                            json!({ "replicas": replicas, strategy_of: strategy, "selector": { "matchLabels": labels }, "template": template })
                        }
                    };
                    let version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
                    let metadata = json!({ "name": name, "namespace": namespace });
                    json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec })
                };
                let changed = if kind == "Job" { "app:1" } else { "app:2" };
                let before = || Some(workload("NAME", "app:1", replicas));
                match fate {
                    "image" => [before(), Some(workload("NAME", changed, replicas))],
                    "scale" => [before(), Some(workload("NAME", "app:1", 4))],
                    "new" => [None, before()],
                    "gone" => [before(), None],
                    _ => [before(), before()],
                }
            },
        )
    }

    fn named(workload: Option<Value>, name: &str) -> Option<Value> {
        workload.map(|workload| serde_json::from_str(&workload.to_string().replace("NAME", name)).unwrap())
    }

    fn quota(namespace: &str, pods: i64) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team", "namespace": namespace },
            "spec": { "hard": { "pods": pods, "requests.cpu": "2" } },
        })
    }

    /// The objects as a cluster has them that runs these.
    fn running(manifests: &[Value]) -> Vec<Value> {
        let objects = manifests.iter().cloned().collect();
        let timeline = Timeline::run(Scenario { objects, ..Scenario::default() }).unwrap();
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, timeline.len());
        cursor.state().objects().map(Object::to_value).collect()
    }

    /// What all pods hold together at most is exact where none of them come and go in the same instant. A part has other rollouts to
    /// wait for, one after another, than the whole.
    fn without_extremes(prediction: &Value) -> Value {
        let mut prediction = prediction.clone();
        prediction["verdict"]["defaults"].as_array_mut().unwrap().retain(|default| default != "concurrent");
        for policy in ["outcome", "proposed", "withQuotas"] {
            let Some(outcome) = prediction["total"].get_mut(policy) else { continue };
            for key in ["peak", "peakAt", "lowestAvailable"] {
                outcome[key] = Value::Null;
            }
            for resource in outcome["resources"].as_array_mut().unwrap() {
                resource["peak"] = Value::Null;
                resource["peakAt"] = Value::Null;
            }
        }
        prediction
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

        /// The merged predictions of all shards are the prediction of the whole.
        #[test]
        fn shards_come_to_what_the_whole_comes_to(
            workloads in prop::collection::vec(workloads(), 0..9),
            limits in prop::collection::vec((prop::sample::select(Vec::from(["a", "a-b", "b"])), 0_i64..14), 0..3),
            count in 1_u32..6,
            is_live: bool,
            prune: bool,
        ) {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for (index, [before, after]) in workloads.into_iter().enumerate() {
                let name = format!("w{index}");
                old.extend(named(before, &name));
                new.extend(named(after, &name));
            }
            if is_live {
                old = running(&old);
            }
            let mut quotas: Vec<Value> = limits.iter().map(|(namespace, pods)| quota(namespace, *pods)).collect();
            quotas.dedup_by_key(|quota| quota["metadata"].clone());
            let options = json!({ "quotas": quotas, "prune": prune, "assumptions": { "mode": "exact" } });
            let predicted = |options: &Value| {
                predict(&old, &new, &PredictOptions::from_value(options).unwrap()).map(|it| it.prediction.to_json())
            };
            let whole = predicted(&options);
            // What the API server refuses is left out before.
            prop_assume!(whole.is_ok());
            let whole = whole.unwrap();
            let mut parts: Vec<Value> = (0..count).map(|index| {
                let mut options = options.clone();
                options["shard"] = json!({ "index": index, "count": count });
                predicted(&options).unwrap()
            }).collect();
            parts.reverse();
            let merged = merge_shards(&parts).unwrap();
            prop_assert_eq!(without_extremes(&merged), without_extremes(&whole));
            for policy in ["outcome", "proposed", "withQuotas"] {
                let number = |prediction: &Value, key: &str| {
                    let total = &prediction["total"];
                    total.get(policy).unwrap_or(&total["outcome"])[key].as_i64().unwrap()
                };
                prop_assert!(number(&merged, "peak") >= number(&whole, "peak"));
                prop_assert!(number(&merged, "lowestAvailable") <= number(&whole, "lowestAvailable"));
            }
        }
    }

    #[test]
    fn shards_that_do_not_make_a_fleet_are_refused() {
        let part = |index: i64, count: i64, seed: i64| json!({ "version": 3, "assumptions": { "seed": seed }, "shard": { "index": index, "count": count } });
        for (parts, expected) in [
            (Vec::new(), "Required value: must have the predictions of all shards"),
            (Vec::from([part(0, 3, 0)]), "Required value: 1/3, 2/3: must be given, too"),
            (Vec::from([part(0, 2, 0), part(0, 2, 0)]), "[1].shard.index: Duplicate value: 0: must be given once"),
            (
                Vec::from([part(0, 2, 0), part(1, 3, 0)]),
                "[1].shard.count: Invalid value: 3: must be 2, as in the first one",
            ),
            (
                Vec::from([part(0, 2, 0), part(1, 2, 7)]),
                "[1].assumptions: Invalid value: must be those of the first one",
            ),
            (Vec::from([json!({})]), "[0].shard: Required value: must be the prediction of a shard"),
        ] {
            assert_eq!(merge_shards(&parts).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn what_shares_something_is_not_split() {
        for (options, expected) in [
            (json!({ "shard": { "index": 2, "count": 2 } }), "shard: Invalid value: 2/2: must be one of 0/2 to 1/2"),
            (json!({ "shard": { "index": 0, "count": 0 } }), "shard: Invalid value: 0/0: must be of 1 to 10000 shards"),
            (
                json!({ "shard": { "index": 0, "count": 2 }, "nodes": [{ "name": "a" }] }),
                "shard: Invalid value: 0/2: must not be used with nodes, which all workloads share",
            ),
            (
                json!({ "shard": { "index": 0, "count": 2 } }),
                "shard: Invalid value: 0/2: must be used with the mode exact: in any other, all workloads share the \
                 controllers' rate limits",
            ),
            (
                json!({ "shard": { "index": 0, "count": 2 }, "assumptions": { "mode": "exact", "concurrent": 1 } }),
                "shard: Invalid value: 0/2: must not be used with a number of concurrent rollouts, for which each waits for others",
            ),
            (
                json!({ "shard": { "index": 0, "count": 2 }, "assumptions": { "mode": "exact", "jitter": 5 } }),
                "shard: Invalid value: 0/2: must not be used with jitter, since the names of pods depend on all workloads, and \
                 decide with it",
            ),
        ] {
            let problem = predict(&[], &[], &PredictOptions::from_value(&options).unwrap()).unwrap_err();
            assert_eq!(problem.to_string(), expected);
        }
    }
}
