//! The policy's forecast and `predict` give the same answers for the same objects: peak, available pods, time and verdict.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use changeover_core::apiserver::ExistingObjects;
use changeover_core::object::quantity::nanos;
use changeover_core::prediction::{PredictOptions, Prediction, predict};
use changeover_core::review::{Verdict, admission_request, review_in_cluster, validate_settings};
use changeover_core::scenario::Duration;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};

/// A changed Deployment, and the quotas of its namespace, in which nothing else is.
#[derive(Clone, Debug, Default)]
struct Changed {
    old: Value,
    new: Value,
    quotas: Vec<Value>,
    ready_after: Option<String>,
    stop_after: Option<String>,
    /// Whether the API server has the field podReplacementPolicy.
    has_gate: bool,
}

impl Changed {
    fn replicas(object: &Value) -> i64 {
        object["spec"]["replicas"].as_i64().unwrap_or(1)
    }

    /// A paused Deployment rolls nothing out.
    fn is_rollout(&self) -> bool {
        self.new["spec"]["paused"] != true && self.old["spec"]["template"] != self.new["spec"]["template"]
    }

    /// Whether the pods in the end are more than a quota allows, if nothing else is in the namespace.
    fn exceeds(&self, quota: &str) -> bool {
        let quota = self.quotas.iter().find(|given| given["metadata"]["name"] == *quota);
        let Some(hard) = quota.and_then(|quota| quota["status"]["hard"].as_object()) else { return false };
        let needed = counted(json!({ "spec": { "hard": hard } }), &self.new);
        let used = quota.map(|quota| &quota["status"]["used"]);
        // Else other objects are in the namespace, or the quota is one of those that are not judged.
        let is_alone = used == Some(&counted(json!({ "spec": { "hard": hard } }), &self.old)["status"]["used"]);
        let is_exceeded =
            |(resource, hard): (&String, &Value)| nanos(&needed["status"]["used"][resource]) > nanos(hard);
        is_alone && hard.iter().filter(|(resource, _)| *resource != "count/replicasets.apps").any(is_exceeded)
    }

    fn has_policy(&self) -> bool {
        self.has_gate && self.new["spec"]["podReplacementPolicy"] == "TerminationComplete"
    }

    fn review(&self) -> Verdict {
        let settings = validate_settings(&json!({
            "forecast": true, "context": true, "quota": "deny",
            "ready_after": self.ready_after, "stop_after": self.stop_after,
            "feature_gates": { "DeploymentPodReplacementPolicy": self.has_gate },
        }));
        let request = admission_request(&self.new, Some(&self.old), "jane");
        review_in_cluster(&request, &settings.unwrap(), &ExistingObjects::of(&self.quotas))
    }

    /// None for what the API server refuses.
    fn predict(&self) -> Option<Prediction> {
        let mut assumptions = json!({});
        for (key, value) in [("readyAfter", &self.ready_after), ("stopAfter", &self.stop_after)] {
            if let Some(value) = value {
                assumptions[key] = json!(value);
            }
        }
        let options = json!({ "quotas": self.quotas, "assumptions": assumptions });
        let options = PredictOptions::from_value(&options).unwrap();
        let predicted = predict(std::slice::from_ref(&self.old), std::slice::from_ref(&self.new), &options);
        predicted.ok().map(|predicted| predicted.prediction)
    }
}

/// A quota as its controller leaves it, if only the pods of this Deployment are in its namespace, or as it is given.
fn counted(mut quota: Value, deployment: &Value) -> Value {
    let spec = &deployment["spec"]["template"]["spec"];
    let amount = |resource: &str| {
        let (list, name) = match resource.split_once('.') {
            Some((list @ ("requests" | "limits"), name)) => (list, name),
            _ => ("requests", resource),
        };
        let containers = spec["containers"].as_array().unwrap().iter();
        containers.filter_map(|container| nanos(&container["resources"][list][name])).sum::<i128>()
    };
    let pods = Changed::replicas(deployment);
    let hard = quota["spec"]["hard"].as_object().cloned().unwrap_or_default();
    let used = |resource: &String| match resource.as_str() {
        "pods" | "count/pods" => json!(pods),
        "count/replicasets.apps" => json!(1),
        resource => json!(format!("{}n", amount(resource) * i128::from(pods))),
    };
    let used: Map<String, Value> = hard.keys().map(|resource| (resource.clone(), used(resource))).collect();
    quota["metadata"]["namespace"] = json!("default");
    if quota["status"].is_null() {
        quota["status"] = json!({ "hard": hard, "used": used });
    }
    quota
}

fn strategies() -> impl Strategy<Value = Value> {
    let number = || prop_oneof![(0_i64..6).prop_map(Value::from), (0_i64..=100).prop_map(|n| format!("{n}%").into())];
    let rolling = (number(), number()).prop_map(
        |(surge, unavailable)| json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } }),
    );
    prop_oneof![5 => rolling, 1 => Just(json!({ "type": "Recreate" }))]
}

fn containers() -> impl Strategy<Value = Value> {
    let probe = |delays: i64| {
        (0..delays, 1_i64..12, 1_i64..3).prop_map(
            |(delay, period, successes)| json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period, "successThreshold": successes }),
        )
    };
    let startup = (0_i64..5, 1_i64..12).prop_map(
        |(delay, period)| json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period }),
    );
    let sleep = (1_i64..40).prop_map(|seconds| json!({ "preStop": { "sleep": { "seconds": seconds } } }));
    (prop::option::of(probe(20)), prop::option::weighted(0.3, startup), prop::option::weighted(0.3, sleep)).prop_map(
        |(readiness, startup, lifecycle)| {
            let mut container = json!({ "name": "app", "image": "web:1", "resources": { "requests": { "cpu": 1 } } });
            for (key, value) in [("readinessProbe", readiness), ("startupProbe", startup), ("lifecycle", lifecycle)] {
                if let Some(value) = value {
                    container[key] = value;
                }
            }
            json!([container])
        },
    )
}

/// Up to hours: longer than the pods of a settled Deployment are usually taken to have been ready.
fn min_ready() -> impl Strategy<Value = i64> {
    prop_oneof![4 => Just(0_i64), 4 => 0_i64..20, 1 => 600_i64..20_000]
}

prop_compose! {
    fn changed()(
        before in prop_oneof![5 => 1_i64..12, 1 => 12_i64..40],
        (replicas, image) in prop_oneof![
            4 => Just((None, Some("web:2"))),
            2 => (0_i64..16).prop_map(|replicas| (Some(replicas), None)),
            1 => (1_i64..16).prop_map(|replicas| (Some(replicas), Some("web:2"))),
        ],
        strategy in strategies(),
        containers in containers(),
        grace in prop_oneof![1 => 0_i64..3, 4 => 3_i64..60],
        (min_ready, other_min_ready) in (min_ready(), prop::option::weighted(0.2, min_ready())),
        (pods, cpu) in (-3_i64..12, -3_i64..12),
        ready_after in prop::option::weighted(0.2, prop::sample::select(vec!["3s", "45s"])),
        stop_after in prop::option::weighted(0.2, prop::sample::select(vec!["1s", "9s"])),
        (has_gate, has_policy) in (prop::bool::weighted(0.3), any::<bool>()),
    ) -> Changed {
        let mut old = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": before, "minReadySeconds": min_ready, "progressDeadlineSeconds": 30_000, "strategy": strategy,
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "terminationGracePeriodSeconds": grace, "containers": containers },
                },
            },
        });
        let mut new = old.clone();
        if let Some(replicas) = replicas {
            new["spec"]["replicas"] = json!(replicas);
        }
        if let Some(image) = image {
            new["spec"]["template"]["spec"]["containers"][0]["image"] = json!(image);
        }
        if let Some(min_ready) = other_min_ready {
            new["spec"]["minReadySeconds"] = json!(min_ready);
        }
        if has_gate && has_policy {
            old["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
            new["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
        }
        let most = before.max(replicas.unwrap_or(before));
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" },
            "spec": { "hard": { "pods": most + pods, "requests.cpu": most + cpu } },
        });
        let quotas = vec![counted(quota, &old)];
        let [ready_after, stop_after] = [ready_after, stop_after].map(|after| after.map(str::to_owned));
        Changed { old, new, quotas, ready_after, stop_after, has_gate }
    }
}

/// The number after a word.
fn number_after(text: &str, word: &str) -> i64 {
    let rest = text.split_once(word).unwrap().1;
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn rounded(nanoseconds: i64) -> Duration {
    Duration::seconds(((nanoseconds + 500_000_000) / 1_000_000_000).max(1))
}

fn completes(complete: Option<i64>) -> String {
    complete.map_or_else(
        || String::from("not complete within 24h"),
        |complete| format!("complete after about {}", rounded(complete)),
    )
}

/// The number after a name that may be missing.
fn after_name(text: &str, name: &str) -> Option<i64> {
    text.contains(name).then(|| number_after(text, name))
}

/// A Deployment with the setting that a sentence advises does what the sentence says.
fn advice_is_right(changed: &Changed, text: &str, context: &str) {
    let (setting, end) = text.split_once(" would ").unwrap();
    let mut advised = changed.clone();
    let spec = &mut advised.new["spec"];
    let min_ready = after_name(setting, "minReadySeconds ").unwrap_or_default();
    spec["minReadySeconds"] = json!(min_ready);
    spec["strategy"] = match after_name(setting, "maxSurge ") {
        Some(surge) => json!({
            "type": "RollingUpdate",
            "rollingUpdate": { "maxSurge": surge, "maxUnavailable": number_after(setting, "maxUnavailable ") },
        }),
        None => json!({ "type": "Recreate" }),
    };
    // None is what the API server refuses.
    let prediction = advised.predict().unwrap();
    let workload = &prediction.workloads[0];
    let complete = if end.starts_with("fit") {
        assert!(prediction.quotas.iter().all(|quota| quota.demand.fits), "{context}");
        workload.outcome.complete
    } else {
        workload.with_quotas.as_ref().unwrap_or(&workload.outcome).complete
    };
    assert!(complete.is_some() && end.ends_with(&completes(complete)), "{text} {complete:?} {context}");
}

/// Whether the forecast is exact; none if there is none.
fn agree(changed: &Changed) -> Option<bool> {
    let prediction = changed.predict()?;
    let verdict = changed.review();
    let [workload] = prediction.workloads.as_slice() else { return None };
    let proposed = workload.proposed.as_ref().unwrap_or(&workload.outcome);
    let this = if changed.has_policy() { proposed } else { &workload.outcome };
    let context = format!("{changed:?}\n{verdict:?}\n{workload:?}\n{:?}", prediction.quotas);
    let sentences = || verdict.warnings.iter().map(String::as_str);
    // With scopes, or where a LimitRange may add requests, a quota is not judged.
    let is_checked = |name: &str| {
        let unchecked = format!("ResourceQuota {name} is not judged");
        !sentences().any(|text| text.starts_with(&unchecked))
    };
    let quotas: Vec<(&str, bool)> = prediction
        .quotas
        .iter()
        .filter(|quota| is_checked(&quota.name))
        .map(|quota| {
            let demand =
                if changed.has_policy() { quota.proposed.as_ref().unwrap_or(&quota.demand) } else { &quota.demand };
            (quota.name.as_str(), demand.fits)
        })
        .collect();
    // `predict` plays the quotas with today's policy only.
    let limited = workload.with_quotas.as_ref().unwrap_or(&workload.outcome).complete;
    let refusal = verdict.message.as_deref().into_iter().flat_map(|message| message.split("; "));
    let advised = sentences().filter_map(|text| text.strip_prefix("quota: ")).chain(refusal);
    for advice in advised.filter(|text| text.contains(" would ") && !changed.has_policy()) {
        advice_is_right(changed, advice, &context);
    }
    let Some(rollout) = sentences().find(|text| text.starts_with("rollout: ")) else {
        if verdict.allowed {
            // Nothing changes.
            assert!(
                Changed::replicas(&changed.old) == Changed::replicas(&changed.new) && !changed.is_rollout(),
                "{context}"
            );
            return None;
        }
        assert!(quotas.iter().any(|(_, fits)| !fits), "{context}");
        assert!(!changed.is_rollout() || changed.has_policy() || limited.is_none(), "{context}");
        return Some(true);
    };
    assert!(verdict.allowed, "{context}");
    let (peak, available) = (i64::from(this.peak), i64::from(this.lowest_available));
    // Whatever is not simulated: pods for which there is no room in any case are never all there.
    let is_too_much = limited.is_none() && prediction.quotas.iter().any(|quota| changed.exceeds(&quota.name));
    assert!(!(changed.is_rollout() && is_too_much), "{context}");
    if rollout.contains("bounds: ") {
        assert!(peak <= number_after(rollout, "at most "), "{context}");
        assert!(available >= number_after(rollout, "at least "), "{context}");
        return Some(false);
    }
    assert_eq!((number_after(rollout, "peak "), number_after(rollout, "at least ")), (peak, available), "{context}");
    if changed.is_rollout() {
        assert!(rollout.ends_with(&completes(this.complete)), "{context}");
    }
    if let Some(other) = sentences().find(|text| text.starts_with("with TerminationComplete: peak ")) {
        let is_bound = other.contains("at most");
        assert!(is_bound || number_after(other, "peak ") == i64::from(proposed.peak), "{context}");
        if let (false, true, Some(complete)) = (is_bound, changed.is_rollout(), proposed.complete) {
            assert!(other.ends_with(&format!(", {}", rounded(complete))), "{context}");
        }
    }
    let mut is_exact = true;
    for (name, fits) in quotas {
        let sentence =
            sentences().find(|text| text.starts_with("quota: ") && text.contains(&format!("ResourceQuota {name}")));
        let Some(sentence) = sentence else {
            assert!(fits, "{context}");
            continue;
        };
        assert_eq!(sentence.starts_with("quota: fits"), fits, "{context}");
        if sentence.starts_with("quota: may exceed") {
            is_exact = false;
        } else if !fits && changed.is_rollout() && !changed.has_policy() {
            assert!(sentence.contains(&completes(limited)), "{context}");
        }
    }
    Some(is_exact)
}

#[test]
fn five_hundred_random_deployments_get_the_same_answers() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut exact, mut bounds) = (0, 0);
    while exact < 500 {
        let changed = changed().new_tree(&mut runner).unwrap().current();
        match agree(&changed) {
            Some(true) => exact += 1,
            Some(false) => bounds += 1,
            None => {}
        }
    }
    // Else the test would say little.
    assert!(bounds < 100, "{bounds}");
}

/// A Deployment with these replicas and minReadySeconds, before and after it gets a new image.
fn rolled(replicas: [i64; 2], min_ready: [i64; 2], rolling_update: &Value) -> Changed {
    let deployment = |index: usize| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": replicas[index], "minReadySeconds": min_ready[index], "progressDeadlineSeconds": 30_000,
                "strategy": { "type": "RollingUpdate", "rollingUpdate": rolling_update },
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "app", "image": format!("web:{index}") }] },
                },
            },
        })
    };
    Changed { old: deployment(0), new: deployment(1), ..Changed::default() }
}

/// The bounds of what is too large, and of what chance decides.
#[test]
fn bounds_promise_no_more_than_predict() {
    let (one_by_one, quarters) =
        (json!({ "maxSurge": 1, "maxUnavailable": 0 }), json!({ "maxSurge": "25%", "maxUnavailable": "25%" }));
    let mut bounds = 0;
    for (replicas, strategy) in [([200, 200], &one_by_one), ([10, 12], &quarters), ([40, 50], &quarters)] {
        for min_ready in [[0, 0], [7_200, 7_200], [0, 7_200], [7_200, 0], [10, 5_000]] {
            bounds += i32::from(agree(&rolled(replicas, min_ready, strategy)) == Some(false));
        }
    }
    assert!(bounds >= 10, "{bounds}");
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files of a folder, in the order of their names.
fn files(path: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder(path)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// How many changes of Deployments get the same answers: each for itself, with these quotas.
fn count_same(old: &[Value], new: &[Value], quotas: &[Value], given: &Changed) -> i32 {
    let is_deployment = |object: &&Value| object["kind"] == "Deployment" && object["spec"].is_object();
    let mut exact = 0;
    for before in old.iter().filter(is_deployment) {
        let is_same = |after: &&Value| after["metadata"]["name"] == before["metadata"]["name"];
        let Some(after) = new.iter().filter(is_deployment).find(is_same) else { continue };
        // What is in the cluster in the middle of a rollout is unknown, and so is what a paused Deployment has.
        let is_settled = before["spec"]["paused"] != true
            && (before["status"].is_null() || before["status"]["updatedReplicas"] == before["spec"]["replicas"]);
        let is_today = !given.has_gate || after["spec"]["podReplacementPolicy"] != "TerminationStarted";
        if !is_settled || !is_today {
            continue;
        }
        let [mut before, mut after] = [before.clone(), after.clone()];
        for object in [&mut before, &mut after] {
            object["metadata"] = json!({ "name": "web", "namespace": "default" });
            object.as_object_mut().unwrap().remove("status");
            if !given.has_gate {
                object["spec"].as_object_mut().unwrap().remove("podReplacementPolicy");
            }
        }
        let quotas = quotas.iter().map(|quota| counted(quota.clone(), &before)).collect();
        exact += i32::from(agree(&Changed { old: before, new: after, quotas, ..given.clone() }) == Some(true));
    }
    exact
}

/// The changes of Deployments in the policy's own cases.
#[test]
fn the_cases_of_the_policy_get_the_same_answers() {
    let mut exact = 0;
    for file in files("../tests/conformance/cases/policy") {
        for case in read_json(&file).as_array().unwrap() {
            let (request, settings) = (&case["input"]["request"], &case["input"]["settings"]);
            if request["subResource"] == "scale" {
                continue;
            }
            let has_gate = settings["feature_gates"]["DeploymentPodReplacementPolicy"] == true;
            let given = Changed { has_gate, ..Changed::default() };
            let [old, new] = ["oldObject", "object"].map(|key| [request[key].clone()]);
            exact += count_same(&old, &new, &[], &given);
        }
    }
    assert!(exact > 30, "{exact}");
}

#[test]
fn the_cases_of_predictions_get_the_same_answers() {
    let mut exact = 0;
    for file in files("tests/prediction") {
        let case = read_json(&file);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let assumed = |key: &str| case["options"]["assumptions"][key].as_str().map(str::to_owned);
        let given =
            Changed { ready_after: assumed("readyAfter"), stop_after: assumed("stopAfter"), ..Changed::default() };
        let quotas = list(&case["options"]["quotas"]);
        exact += count_same(&list(&case["old"]), &list(&case["new"]), &quotas, &given);
    }
    assert!(exact > 5, "{exact}");
}

fn read_yaml(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let documents = changeover_text::parse(&text).unwrap_or_default();
    documents.into_iter().map(|document| document.value).collect()
}

#[test]
fn charts_get_the_same_answers() {
    let mut exact = 0;
    for file in files("../tests/cli/charts").iter().filter(|file| file.extension().is_some_and(|end| end == "yaml")) {
        let old = read_yaml(file);
        let new: Vec<Value> = old
            .iter()
            .map(|object| serde_json::from_str(&object.to_string().replace("v1.4.0", "v1.5.0")).unwrap())
            .collect();
        exact += count_same(&old, &new, &[], &Changed::default());
    }
    assert!(exact >= 10, "{exact}");
}

/// The objects of a session's file, or of all files of its folder.
fn objects(folder: &Path, name: &str) -> Vec<Value> {
    let path = folder.join(name);
    match fs::read_dir(&path) {
        Ok(entries) => entries.flat_map(|entry| read_yaml(&entry.unwrap().path())).collect(),
        Err(_) => read_yaml(&path),
    }
}

/// The sessions of `predict` and `review` with old and new objects, and the quotas and times that they name.
#[test]
fn sessions_get_the_same_answers() {
    let mut exact = 0;
    for file in files("../tests/cli/cases").iter().filter(|file| file.extension().is_some_and(|end| end == "md")) {
        let folder = file.with_extension("in");
        for line in fs::read_to_string(file).unwrap().lines() {
            let Some(command) = line.strip_prefix("$ changeover ") else { continue };
            let words: Vec<&str> = command.split(' ').collect();
            let after = |flag: &str| {
                let pairs = words.iter().zip(words.iter().skip(1));
                pairs.filter(|(word, _)| **word == flag).map(|(_, value)| *value).collect::<Vec<_>>()
            };
            let (old, new) = match words.as_slice() {
                ["predict", old, new, ..] => (vec![*old], *new),
                ["review", new, ..] => (after("--old"), *new),
                _ => continue,
            };
            let read = |names: Vec<&str>| names.into_iter().flat_map(|name| objects(&folder, name)).collect::<Vec<_>>();
            let is_quota = |object: &Value| object["kind"] == "ResourceQuota" && object["spec"]["hard"].is_object();
            let (mut quotas, old): (Vec<_>, Vec<_>) = read(old).into_iter().partition(is_quota);
            quotas.extend(read(after("--quota")).into_iter().filter(is_quota));
            let assumed = |flag: &str| after(flag).first().map(|&value| value.to_owned());
            let given = Changed {
                ready_after: assumed("--ready-after").filter(|after| after != "soon"),
                stop_after: assumed("--stop-after"),
                ..Changed::default()
            };
            exact += count_same(&old, &read(vec![new]), &quotas, &given);
        }
    }
    assert!(exact > 30, "{exact}");
}
