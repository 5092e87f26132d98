//! `predict` and `advise`: worked cases, and their numbers match the simulation.

#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use changeover_core::cluster::{Changes, Decision, steady_state};
use changeover_core::json::ToJson;
use changeover_core::object::{Kind, Object, Time};
use changeover_core::prediction::{
    Advice, AdviseOptions, AdvisedSetting, ConstraintKind, Constraints, NotExplored, Outlook, PodReplacementPolicies,
    PredictOptions, Predicted, Quotas, Relaxation, RolloutPlan, Steps, Warning, WarningKind, WorkloadPrediction,
    advise, advise_watched, predict, predict_plan,
};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Series, Timeline};
use proptest::prelude::*;
use serde_json::{Value, json};

fn deployment(name: &str, replicas: i32, strategy: &Value, image: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "strategy": strategy,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{
                    "name": "app", "image": image, "resources": { "requests": { "cpu": cpu, "memory": "1Gi" } },
                }] },
            },
        },
    })
}

fn quota(hard: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" }, "spec": { "hard": hard } })
}

fn rolling(surge: &Value, unavailable: &Value) -> Value {
    json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } })
}

/// Whether a value contains everything that is expected, at any depth; lists must have the same length.
fn contains(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => expected.iter().all(|(key, expected)| {
            expected.is_null() && !value.contains_key(key)
                || value.get(key).is_some_and(|value| contains(value, expected))
        }),
        (Value::Array(value), Value::Array(expected)) => {
            value.len() == expected.len()
                && value.iter().zip(expected).all(|(value, expected)| contains(value, expected))
        }
        _ => value == expected,
    }
}

/// A reader must know them without knowing the defaults.
#[test]
fn the_answer_names_the_assumptions_that_were_used() {
    let predict = |options: Value| {
        let options = PredictOptions::from_value(&options).unwrap();
        predict(&[], &[], &options).unwrap().prediction.assumptions.to_json()
    };
    let by_default = predict(json!({}));
    assert_eq!((&by_default["mode"], &by_default["runs"]), (&json!("realistic"), &json!(1)));
    let given = predict(json!({ "assumptions": { "mode": "exact", "runs": 3, "jitter": 10 } }));
    assert_eq!((&given["mode"], &given["runs"]), (&json!("exact"), &json!(3)));
}

#[test]
fn a_wrong_node_is_found_where_it_was_given() {
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a" }, "status": { "allocatable": { "cpu": "lots" } },
    });
    let web = deployment("web", 2, &Value::Null, "web:1", "1");
    let refused = |old: &[Value], options: Value| {
        let options = PredictOptions::from_value(&options).unwrap();
        predict(old, &[], &options).unwrap_err().path
    };
    assert_eq!(refused(&[web.clone(), node.clone()], json!({})), "old[1].status.allocatable.cpu");
    assert_eq!(refused(std::slice::from_ref(&web), json!({ "nodes": [node] })), "nodes[0].status.allocatable.cpu");
    assert_eq!(refused(&[web], json!({ "nodes": [{ "name": "a", "cpu": "lots" }] })), "nodes[0].cpu");
}

/// Each case is a file with `old`, `new` and `options` for `predict`, `objects`, `constraints` and `options` for `advise`, or `state`
/// and `options` for `explain`, and the expected part of the answer, or the problem.
#[test]
fn worked_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prediction");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let case: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let list = |key: &str| case[key].as_array().cloned().unwrap_or_default();
        let answer = if !case["state"].is_null() {
            PredictOptions::from_value(&case["options"])
                .and_then(|options| Outlook::of(&list("state"), &options))
                .and_then(|outlook| outlook.report(outlook.rollouts(), Vec::new(), &mut |_, _| {}, &mut |_, _| {}))
                .map(|report| report.to_json())
        } else if case["constraints"].is_null() {
            PredictOptions::from_value(&case["options"])
                .and_then(|options| predict(&list("old"), &list("new"), &options))
                .map(|predicted| predicted.prediction.to_json())
        } else {
            let constraints = Constraints::from_value(&case["constraints"]);
            let options = AdviseOptions::from_value(&case["options"]);
            constraints
                .and_then(|constraints| advise(&list("objects"), &constraints, &options?))
                .map(|advice| advice.to_json())
        };
        match answer {
            Ok(answer) => assert!(
                contains(&answer, &case["answer"]),
                "{}: {}",
                path.display(),
                serde_json::to_string_pretty(&answer).unwrap()
            ),
            Err(problem) => {
                assert_eq!(problem.to_string(), case["problem"].as_str().unwrap_or_default(), "{}", path.display())
            }
        }
        count += 1;
    }
    assert!(count > 5, "{count} cases");
}

fn predicted(old: &[Value], new: &[Value], options: &Value) -> Predicted {
    let options = PredictOptions::from_value(options).unwrap();
    predict_plan(&RolloutPlan::new(old, new, &options).unwrap(), &options, Steps::Kept, &mut |_| {}).unwrap()
}

/// The objects a number of seconds after the start, as kubectl prints them, and the time.
fn objects_at(timeline: &Timeline, seconds: i64) -> (Vec<Value>, String) {
    let now = timeline.scenario.start.plus_seconds(seconds);
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, timeline.frame_at(now));
    (cursor.state().objects().map(Object::to_value).collect(), now.to_string())
}

/// The objects at rest and the new ones come from one seed, and no two of them may have the same uid: a pod would vanish.
#[test]
fn every_pod_has_a_uid_of_its_own() {
    let web = |replicas: i32, image: &str| deployment("web", replicas, &rolling(&json!(1), &json!(0)), image, "1");
    for replicas in 1..=40 {
        let timeline = predicted(&[web(replicas, "web:1")], &[web(replicas, "web:2")], &json!({})).today;
        let uids = |frame: usize| {
            let mut cursor = timeline.cursor();
            cursor.seek(&timeline, frame);
            let pods = cursor.state().objects().filter(|object| object.kind() == Kind::Pod);
            pods.map(|pod| String::from(&*pod.metadata().uid)).collect::<BTreeSet<String>>()
        };
        let (first, last) = (uids(0), uids(timeline.steps.len()));
        assert_eq!((first.len(), last.len()), (usize::try_from(replicas).unwrap(), usize::try_from(replicas).unwrap()));
        assert!(first.is_disjoint(&last), "{replicas} replicas");
    }
}

#[test]
fn manifests_beside_objects_of_a_running_cluster_are_settled() {
    let strategy = rolling(&json!(1), &json!(0));
    let version = |name: &str, image: &str| deployment(name, 4, &strategy, image, "1");
    let running = predicted(&[version("api", "api:1")], &[], &json!({}));
    let (running, now) = objects_at(&running.today, 0);
    let (old, new) = (version("web", "web:1"), [version("web", "web:2")]);
    let options = json!({ "assumptions": { "now": now, "mode": "exact" } });
    let alone = predicted(std::slice::from_ref(&old), &new, &options).prediction;
    let beside = predicted(&[running, vec![old]].concat(), &new, &options).prediction;
    let [api, web] = beside.workloads.as_slice() else { panic!("{:?}", beside.workloads) };
    assert_eq!((api.outcome.complete, api.outcome.peak, api.outcome.lowest_available), (Some(0), 4, 4));
    assert_eq!(web.change, alone.workloads[0].change);
    let figures = |workload: &WorkloadPrediction| {
        let before = workload.outcome.resources[0].before.clone();
        (before, workload.outcome.peak, workload.outcome.lowest_available, workload.outcome.complete)
    };
    assert_eq!(figures(web), figures(&alone.workloads[0]));
}

#[test]
fn a_prediction_starts_from_the_state_of_a_running_cluster() {
    let strategy = rolling(&json!(1), &json!(0));
    let (old, new) = (deployment("web", 5, &strategy, "web:1", "1"), deployment("web", 5, &strategy, "web:2", "1"));
    // Objects don't show requests between a controller and the API server.
    let whole = predicted(&[old], std::slice::from_ref(&new), &json!({ "assumptions": { "mode": "exact" } }));
    let (objects, now) = objects_at(&whole.today, 10);
    // The newest pod became ready just then, so its time is the same.
    let times = [json!({ "now": now, "mode": "exact" }), json!({ "mode": "exact" })];
    // The prediction without a change, and with the same manifest applied again, which changes nothing.
    let manifests = [vec![], vec![new]];
    for (assumptions, manifests) in times.iter().flat_map(|time| manifests.iter().map(move |it| (time, it))) {
        let rest = predicted(&objects, manifests, &json!({ "assumptions": assumptions })).prediction;
        let (rest, whole) = (&rest.workloads[0].outcome, &whole.prediction.workloads[0].outcome);
        assert_eq!(rest.complete, whole.complete.map(|complete| complete - 10 * Time::SECOND));
        assert_eq!(rest.last_old_pod_gone, whole.last_old_pod_gone.map(|gone| gone - 10 * Time::SECOND));
        assert_eq!(rest.peak, whole.peak);
    }
}

#[test]
fn a_deployment_without_replicas_runs_the_least_of_its_autoscaler() {
    let web = |replicas: Option<i32>, image: &str| {
        let mut web = deployment("web", replicas.unwrap_or(1), &rolling(&json!(1), &json!(0)), image, "1");
        if replicas.is_none() {
            web["spec"].as_object_mut().unwrap().remove("replicas");
        }
        web
    };
    let autoscaler_of = |api_version: &str, min_replicas: i32| {
        json!({
            "apiVersion": api_version, "kind": "HorizontalPodAutoscaler", "metadata": { "name": "scaler" },
            "spec": {
                "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" },
                "minReplicas": min_replicas, "maxReplicas": 9,
            },
        })
    };
    let autoscaler = |min_replicas: i32| autoscaler_of("autoscaling/v2", min_replicas);
    let refused = autoscaler_of("autoscaling/v2beta2", 6);
    let said = "Deployment web does not set replicas, so it runs the minReplicas of HorizontalPodAutoscaler scaler: 6.";
    for (old, new, expected, is_said) in [
        (vec![web(None, "web:1"), autoscaler(6)], vec![web(None, "web:2")], (6, 6), true),
        (vec![web(None, "web:1"), autoscaler(6)], vec![web(None, "web:2"), autoscaler(8)], (6, 8), true),
        (vec![web(None, "web:1")], vec![web(None, "web:2"), autoscaler(6)], (1, 6), true),
        (vec![], vec![web(None, "web:2"), autoscaler(6)], (0, 6), true),
        // The API server refuses it, but has stored it if it was migrated.
        (vec![web(None, "web:1"), refused.clone()], vec![web(None, "web:2")], (1, 1), false),
        (vec![web(None, "web:1"), refused], vec![web(None, "web:2"), autoscaler(6)], (6, 6), true),
        (vec![web(None, "web:1"), autoscaler(6)], vec![web(Some(3), "web:2")], (6, 3), true),
        (vec![web(Some(3), "web:1"), autoscaler(6)], vec![web(Some(3), "web:2")], (3, 3), false),
        // Without the replicas that were applied before, the API server sets the default.
        (vec![web(Some(3), "web:1"), autoscaler(6)], vec![web(None, "web:2")], (3, 1), false),
    ] {
        let prediction = predicted(&old, &new, &json!({})).prediction;
        let change = prediction.workloads[0].change.as_ref().unwrap();
        assert_eq!((change.replicas_before, change.replicas), expected, "{old:?} {new:?}");
        assert_eq!(prediction.assumed.contains(said), is_said, "{}", prediction.assumed);
        let left_out = &prediction.not_modeled[0];
        assert_eq!(left_out.name, "scaler");
        assert!(left_out.reason.contains("minReplicas"), "{}", left_out.reason);
    }
}

/// Its autoscaler decides its replicas, and nobody applies others.
#[test]
fn a_running_deployment_keeps_its_replicas_whatever_its_autoscaler_asks_for() {
    let web = |image: &str| {
        let mut web = deployment("web", 5, &rolling(&json!(1), &json!(0)), image, "1");
        web["spec"].as_object_mut().unwrap().remove("replicas");
        web
    };
    let autoscaler = |min_replicas: i32| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": { "name": "scaler" },
            "spec": {
                "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "minReplicas": min_replicas, "maxReplicas": 9,
            },
        })
    };
    let whole = predicted(&[web("web:1"), autoscaler(5)], &[], &json!({}));
    let (mut objects, _) = objects_at(&whole.today, 0);
    objects.push(autoscaler(2));
    let prediction = predicted(&objects, &[web("web:2")], &json!({})).prediction;
    let change = prediction.workloads[0].change.as_ref().unwrap();
    assert_eq!((change.replicas_before, change.replicas), (5, 5));
    assert!(!prediction.assumed.contains("minReplicas"), "{}", prediction.assumed);
}

#[test]
fn a_starting_pod_of_a_running_cluster_has_the_time_left_that_it_needs() {
    let strategy = rolling(&json!(1), &json!(0));
    let (old, new) = (deployment("web", 3, &strategy, "web:1", "1"), deployment("web", 3, &strategy, "web:2", "1"));
    let mut probed = new.clone();
    probed["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] =
        json!({ "httpGet": { "port": 80 }, "periodSeconds": 3 });
    // The entry for all pods leaves it to the probes, not to the pods that are ready.
    for (new, times) in [(new, json!({ "readyAfter": "10s" })), (probed, json!({ "kubelet": [{}] }))] {
        let options = |now: Option<String>| {
            let mut assumptions = times.clone();
            assumptions["mode"] = "exact".into();
            if let Some(now) = now {
                assumptions["now"] = now.into();
            }
            json!({ "assumptions": assumptions })
        };
        let whole = predicted(std::slice::from_ref(&old), &[new], &options(None));
        let complete = whole.prediction.workloads[0].outcome.complete.unwrap();
        for seconds in 1..complete / Time::SECOND {
            let (objects, now) = objects_at(&whole.today, seconds);
            let rest = predicted(&objects, &[], &options(Some(now))).prediction;
            let left = complete - seconds * Time::SECOND;
            assert_eq!(rest.workloads[0].outcome.complete, Some(left), "{times}: after {seconds} seconds");
        }
    }
}

#[test]
fn new_pods_of_a_running_cluster_start_as_fast_as_its_ready_pods_did() {
    let web = |image: &str| deployment("web", 3, &rolling(&json!(1), &json!(0)), image, "1");
    let (mut objects, now) = objects_at(&predicted(&[web("web:1")], &[], &json!({})).today, 0);
    let condition =
        |of_type: &str, since: &str| json!({ "type": of_type, "status": "True", "lastTransitionTime": since });
    let scheduled = condition("PodScheduled", "2025-01-01T00:00:00Z");
    let ready = condition("Ready", "2025-01-01T00:00:20Z");
    for pod in objects.iter_mut().filter(|object| object["kind"] == "Pod") {
        pod["status"]["conditions"] = json!([scheduled, ready]);
    }
    let said = "Whatever their probes say, pods become ready as fast as the running ones did (the median): web 20 s.";
    for (times, seconds, is_measured) in [
        (json!({}), 60, true),
        (json!({ "kubelet": [{ "deployment": "api" }] }), 60, true),
        (json!({ "readyAfter": "2s" }), 6, false),
        (json!({ "kubelet": [{}] }), 15, false),
        (json!({ "kubelet": [{ "deployment": "web" }] }), 15, false),
    ] {
        let mut assumptions = times.clone();
        assumptions["mode"] = "exact".into();
        assumptions["now"] = now.clone().into();
        let options = json!({ "assumptions": assumptions });
        let prediction = predicted(&objects, &[web("web:2")], &options).prediction;
        let complete = prediction.workloads[0].outcome.complete.map(|complete| complete / Time::SECOND);
        assert_eq!((complete, prediction.assumed.contains(said)), (Some(seconds), is_measured), "{times}");
    }
    // They had other probes.
    let mut probed = web("web:2");
    probed["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = json!({ "httpGet": { "port": 80 } });
    let assumed = predicted(&objects, &[probed], &json!({})).prediction.assumed;
    assert!(!assumed.contains("the running ones"), "{assumed}");
    let constraints = Constraints { max_pods: Some(9), min_available: None, within: None, quotas: false };
    let advice = advise(&objects, &constraints, &AdviseOptions::default()).unwrap();
    assert!(advice.assumed.contains(said), "{}", advice.assumed);
}

#[test]
fn a_name_of_two_running_deployments_measures_none() {
    let web = |namespace: &str| {
        let mut web = deployment("web", 1, &json!({}), "web:1", "1");
        web["metadata"]["namespace"] = namespace.into();
        web
    };
    let (mut objects, _) = objects_at(&predicted(&[web("shop"), web("stage")], &[], &json!({})).today, 0);
    let assumed = |objects: &[Value]| predicted(objects, &[], &json!({})).prediction.assumed;
    assert!(!assumed(&objects).contains("the running ones"), "{}", assumed(&objects));
    objects.retain(|object| object["metadata"]["namespace"] == "shop");
    assert!(assumed(&objects).contains("the running ones"), "{}", assumed(&objects));
}

fn job(spec: &Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "train" },
        "spec": { "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "train:1" }] } } },
    });
    job.pointer_mut("/spec").and_then(Value::as_object_mut).unwrap().extend(spec.as_object().unwrap().clone());
    job
}

/// A Job is suspended, and resumed before its pods are gone: its policy decides what happens first.
#[test]
fn a_resumed_job_has_pods_beside_terminating_ones_under_one_policy() {
    for (given, (today, other)) in [("TerminatingOrFailed", (8, 4)), ("Failed", (4, 8))] {
        let spec = json!({ "parallelism": 4, "podReplacementPolicy": given });
        let suspended = json!({ "parallelism": 4, "podReplacementPolicy": given, "suspend": true });
        let suspending = predicted(&[job(&spec)], &[job(&suspended)], &json!({}));
        let (objects, now) = objects_at(&suspending.today, 5);
        let options = json!({ "assumptions": { "now": now } });
        // There is no annotation that shows kubectl which field the manifest leaves out.
        let resumed = json!({ "parallelism": 4, "podReplacementPolicy": given, "suspend": false });
        let resumed = predicted(&objects, &[job(&resumed)], &options).prediction;
        let answer = &resumed.jobs[0];
        assert_eq!(
            answer.change.as_ref().map(|change| (change.suspended_before, change.suspended)),
            Some((true, false))
        );
        assert_eq!((answer.outcome.peak, answer.other_policy.as_ref().map(|other| other.peak)), (today, Some(other)));
        assert_eq!(answer.outcome.condition.as_deref(), Some("Complete"));
    }
}

#[test]
fn the_last_applied_manifest_says_what_is_removed() {
    let strategy = rolling(&json!(1), &json!(0));
    let written = deployment("web", 2, &strategy, "web:1", "1");
    let mut with_grace = written.clone();
    with_grace["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5.into();
    let at_rest = predicted(std::slice::from_ref(&with_grace), &[], &json!({}));
    let (mut objects, now) = objects_at(&at_rest.today, 0);
    let options = json!({ "assumptions": { "now": now } });
    let is_rollout = |objects: &[Value]| {
        let prediction = predicted(objects, std::slice::from_ref(&written), &options).prediction;
        prediction.workloads[0].change.as_ref().is_some_and(|change| change.rollout)
    };
    assert!(!is_rollout(&objects));
    let web = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    let last_applied = "kubectl.kubernetes.io/last-applied-configuration";
    web["metadata"]["annotations"][last_applied] = with_grace.to_string().into();
    assert!(is_rollout(&objects));
}

/// As Helm's templates leave them, such as `annotations:` above an empty `range`.
#[test]
fn fields_that_are_null_are_absent() {
    let nulls = |image: &str| {
        let mut web = deployment("web", 3, &Value::Null, image, "1");
        web["metadata"]["annotations"] = Value::Null;
        web["spec"]["revisionHistoryLimit"] = Value::Null;
        let template = &mut web["spec"]["template"];
        template["metadata"]["annotations"] = Value::Null;
        for field in ["nodeSelector", "tolerations", "securityContext", "volumes", "terminationGracePeriodSeconds"] {
            template["spec"][field] = Value::Null;
        }
        for field in ["env", "ports", "args", "livenessProbe"] {
            template["spec"]["containers"][0][field] = Value::Null;
        }
        web
    };
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web" },
        "spec": { "minAvailable": 3, "maxUnavailable": null, "selector": { "matchLabels": { "app": "web" } } },
    });
    let options = json!({ "quotas": [{
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" },
        "spec": { "hard": { "pods": 3 }, "scopes": null, "scopeSelector": null },
    }] });
    let prediction = predicted(&[nulls("web:1"), budget.clone()], &[nulls("web:2"), budget], &options).prediction;
    assert!(prediction.workloads[0].outcome.complete.is_some());
    assert!(!prediction.quotas[0].demand.fits);
    assert!(prediction.warnings.iter().any(|warning| warning.kind == WarningKind::BudgetAllowsNothing));
}

#[test]
fn an_unknown_field_is_a_warning_and_ignored() {
    let misspelled = |image: &str| {
        let mut web = deployment("web", 3, &json!({}), image, "1");
        web["spec"]["replcas"] = 5.into();
        web
    };
    let prediction = predicted(&[misspelled("web:1")], &[misspelled("web:2")], &json!({})).prediction;
    let found: Vec<(&str, &str)> = prediction
        .warnings
        .iter()
        .filter(|warning| warning.kind == WarningKind::UnknownField)
        .map(|warning| (warning.object.as_str(), warning.message.as_str()))
        .collect();
    let message = r#"kubectl refuses the manifest, and the prediction ignores the field: strict decoding error: unknown field "spec.replcas": did you mean "replicas"?"#;
    assert_eq!(found, [("Deployment/default/web", message)]);
    let mut known = [misspelled("web:1"), misspelled("web:2")];
    known.iter_mut().for_each(|web| drop(web["spec"].as_object_mut().unwrap().remove("replcas")));
    let [old, new] = known;
    let without = predicted(&[old], &[new], &json!({})).prediction;
    assert_eq!(without.workloads, prediction.workloads);
    assert!(without.warnings.iter().all(|warning| warning.kind != WarningKind::UnknownField));
}

/// kubectl drops the parameters that the API server has defaulted: `strategy` has the patch strategy `retainKeys`.
#[test]
fn a_strategy_of_another_type_is_accepted() {
    let old = deployment("web", 3, &json!({}), "web:1", "1");
    let new = deployment("web", 3, &json!({ "type": "Recreate" }), "web:2", "1");
    let at_rest = predicted(std::slice::from_ref(&old), &[], &json!({}));
    let (live, now) = objects_at(&at_rest.today, 0);
    for objects in [vec![old.clone()], live] {
        let options = json!({ "assumptions": { "now": now } });
        let prediction = predicted(&objects, std::slice::from_ref(&new), &options).prediction;
        assert!(prediction.workloads[0].outcome.complete.is_some());
    }
    let changes = Changes { to: Some(new), ..Changes::default() };
    Timeline::run(steady_state(&old, &changes).unwrap()).unwrap();
}

#[test]
fn a_manifest_without_a_namespace_is_that_of_the_only_object_of_its_name() {
    let strategy = rolling(&json!(1), &json!(0));
    let new = deployment("web", 2, &strategy, "web:2", "1");
    let in_namespace = |namespace: &str| {
        let mut object = deployment("web", 2, &strategy, "web:1", "1");
        object["metadata"]["namespace"] = namespace.into();
        object
    };
    let changes = |old: &[Value], options: &Value| {
        let prediction = predicted(old, std::slice::from_ref(&new), options).prediction;
        let change = |workload: &WorkloadPrediction| {
            let created = workload.change.as_ref().map(|change| change.created);
            (workload.namespace.clone(), created)
        };
        prediction.workloads.iter().map(change).collect::<Vec<_>>()
    };
    let both = [in_namespace("a"), in_namespace("b")];
    assert_eq!(changes(&both[..1], &json!({})), [("a".into(), Some(false))]);
    assert_eq!(changes(&both, &json!({ "namespace": "b" })), [("a".into(), None), ("b".into(), Some(false))]);
    let created = [("a".into(), None), ("b".into(), None), ("default".into(), Some(true))];
    assert_eq!(changes(&both, &json!({})), created);
}

#[test]
fn a_quota_without_a_namespace_is_for_the_namespace_of_the_workloads() {
    let in_namespaces = |image: &str, namespaces: &[&str]| -> Vec<Value> {
        let object = |namespace: &&str| {
            let mut object = deployment("web", 2, &rolling(&json!(1), &json!(0)), image, "1");
            object["metadata"]["namespace"] = (*namespace).into();
            object
        };
        namespaces.iter().map(object).collect()
    };
    let namespace_of_quota = |namespaces: &[&str], options: &Value| {
        let options = PredictOptions::from_value(options).unwrap();
        let predicted = predict(&in_namespaces("web:1", namespaces), &in_namespaces("web:2", namespaces), &options);
        predicted
            .map(|predicted| predicted.prediction.quotas[0].namespace.clone())
            .map_err(|problem| problem.to_string())
    };
    let quotas = json!([quota(&json!({ "pods": 2 }))]);
    let options = json!({ "quotas": quotas });
    assert_eq!(namespace_of_quota(&["shop"], &options), Ok("shop".into()));
    assert_eq!(namespace_of_quota(&["default", "shop"], &options), Ok("default".into()));
    assert_eq!(namespace_of_quota(&["a", "b"], &json!({ "quotas": quotas, "namespace": "b" })), Ok("b".into()));
    let expected = "quotas[0].metadata.namespace: Required value: must be one of \"a\", \"b\"";
    assert_eq!(namespace_of_quota(&["a", "b"], &options), Err(expected.into()));
}

#[test]
fn a_rollout_that_waits_for_one_without_end_never_starts() {
    let strategy = rolling(&json!(1), &json!(0));
    let objects = |image: &str| ["a", "b"].map(|name| deployment(name, 2, &strategy, image, "1"));
    let options = json!({ "assumptions": { "readyAfter": "never", "concurrent": 1 } });
    let prediction = predicted(&objects("web:1"), &objects("web:2"), &options).prediction;
    let kinds: Vec<_> = prediction.warnings.iter().map(|warning| (warning.object.as_str(), warning.kind)).collect();
    let expected =
        [("Deployment/default/a", WarningKind::NeverComplete), ("Deployment/default/b", WarningKind::NotStarted)];
    assert_eq!(kinds, expected);
    assert!(prediction.workloads.iter().all(|workload| workload.outcome.complete.is_none()));
    assert_eq!((prediction.total.outcome.peak, prediction.total.outcome.complete), (5, None));
}

#[test]
fn a_progress_deadline_may_pass_only_with_quotas() {
    let version = |image: &str| {
        let mut deployment = deployment("web", 4, &rolling(&json!(2), &json!(0)), image, "1");
        // Terminating pods keep their room in the quota for 30 seconds.
        deployment["spec"]["progressDeadlineSeconds"] = 15.into();
        deployment
    };
    let warned = |quotas: Value| {
        let options = json!({ "quotas": quotas });
        let prediction = predicted(&[version("web:1")], &[version("web:2")], &options).prediction;
        let is_about_deadline = |warning: &Warning| warning.kind == WarningKind::DeadlineExceeded;
        let warnings: Vec<Warning> = prediction.warnings.iter().filter(|it| is_about_deadline(it)).cloned().collect();
        (prediction.workloads[0].clone(), warnings)
    };
    let (_, warnings) = warned(json!([]));
    assert!(warnings.is_empty(), "{warnings:?}");
    for (pods, completes, ending) in [(5, true, "completes later"), (4, false, "never completes")] {
        let (workload, warnings) = warned(json!([quota(&json!({ "pods": pods }))]));
        assert_eq!(workload.with_quotas.unwrap().complete.is_some(), completes);
        let [Warning { object, message, .. }] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert_eq!(object, "Deployment/default/web");
        assert!(message.starts_with("With the quotas, it reports ProgressDeadlineExceeded after "), "{message}");
        assert!(message.ends_with(&format!(", and {ending}: progressDeadlineSeconds is 15.")), "{message}");
    }
}

#[test]
fn a_pre_stop_hook_that_only_sleeps_delays_the_end_of_its_pod() {
    for (command, expected) in [
        (json!(["/wait-shutdown"]), 5),
        (json!(["sleep", "10"]), 15),
        (json!(["/bin/sh", "-c", "sleep 10"]), 15),
        // The kubelet waits for the hook until the grace period is over, and 2 seconds longer for the containers.
        (json!(["sleep", "60"]), 32),
    ] {
        let mut old = deployment("web", 2, &json!({ "type": "Recreate" }), "web:1", "1");
        old["spec"]["template"]["spec"]["containers"][0]["lifecycle"] =
            json!({ "preStop": { "exec": { "command": command } } });
        let mut new = old.clone();
        new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
        let assumptions = json!({ "stopAfter": "5s", "readyAfter": "5s", "mode": "exact" });
        let predicted = predicted(&[old], &[new], &json!({ "assumptions": assumptions, "worst": true }));
        let [workload] = predicted.prediction.workloads.as_slice() else { panic!("{:?}", predicted.prediction) };
        let gone = workload.outcome.last_old_pod_gone;
        assert_eq!(gone, Some(Time::SECOND * expected), "{command}");
        let longest = workload.worst.as_ref().and_then(|worst| worst.outcome.longest);
        assert!(longest >= workload.outcome.complete, "{command}: {longest:?} {:?}", workload.outcome.complete);
    }
}

#[test]
fn a_search_can_be_stopped() {
    let web = deployment("web", 8, &rolling(&json!("25%"), &json!("25%")), "web:1", "1");
    let constraints = Constraints { max_pods: Some(10), ..Constraints::default() };
    let mut calls = 0;
    let advice = advise_watched(&[web], &constraints, &AdviseOptions::default(), &mut |done, _| {
        calls = done;
        if done < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!((advice.unwrap().simulated, calls), (3, 3));
}

#[test]
fn a_quota_that_only_requires_requests_is_not_raised() {
    let mut web = deployment("web", 4, &rolling(&json!("25%"), &json!("25%")), "web:1", "1");
    web["spec"]["template"]["spec"]["containers"][0]["resources"].take();
    let quotas = json!([quota(&json!({ "requests.cpu": "40" }))]);
    let constraints = Constraints { quotas: true, ..Constraints::default() };
    let options = AdviseOptions::from_value(&json!({ "quotas": quotas })).unwrap();
    let advice = advise(&[web], &constraints, &options).unwrap();
    let missed = "quota team: must specify requests.cpu for: app";
    assert!(advice.current.misses.iter().any(|miss| miss.message == missed), "{:?}", advice.current.misses);
    assert!(advice.fits.is_empty() && advice.relax.is_empty(), "{:?}", advice.relax);
}

#[test]
fn a_quota_of_the_options_is_a_constraint() {
    let web = deployment("web", 4, &rolling(&json!("100%"), &json!(0)), "web:1", "1");
    let options = AdviseOptions::from_value(&json!({ "quotas": [quota(&json!({ "pods": 6 }))] })).unwrap();
    let advice = advise(&[web], &Constraints::default(), &options).unwrap();
    assert_eq!(advice.current.misses[0].constraint, ConstraintKind::Quotas);
    assert!(advice.fits.iter().all(|advised| advised.outcome.peak <= 6), "{:?}", advice.fits);
}

#[test]
fn a_setting_that_leaves_no_pod_available_is_advised_only_if_asked() {
    let advised = |strategy: &Value, min_available: Option<i32>| {
        let web = deployment("web", 10, strategy, "web:1", "1");
        let constraints = Constraints { max_pods: Some(10), min_available, ..Constraints::default() };
        let Advice { current, fits, relax, .. } = advise(&[web], &constraints, &AdviseOptions::default()).unwrap();
        let today: Vec<String> =
            fits.into_iter().filter(|advised| !advised.proposed).map(|advised| advised.setting.strategy).collect();
        let relaxed = relax.iter().flat_map(|relaxation| &relaxation.constraints);
        (current.fits, today, relaxed.map(|relaxed| relaxed.constraint).collect::<Vec<_>>())
    };
    let (pods, available) = (ConstraintKind::MaxPods, ConstraintKind::MinAvailable);
    let default = rolling(&json!("25%"), &json!("25%"));
    assert_eq!(advised(&default, None), (false, vec![], vec![pods, available]));
    assert_eq!(advised(&default, Some(0)), (false, vec!["Recreate".into()], vec![]));
    // Its settings ask for it.
    assert_eq!(advised(&json!({ "type": "Recreate" }), None), (true, vec![], vec![]));
}

#[test]
fn a_state_without_pods_was_read_when_the_options_say() {
    let now = "2026-11-26T10:00:00Z";
    let mut web = deployment("web", 2, &json!({}), "web:1", "1");
    web["metadata"]["uid"] = "d".into();
    let options = json!({ "assumptions": { "now": now } });
    let prediction = predicted(std::slice::from_ref(&web), &[], &options).prediction;
    assert_eq!(prediction.assumptions.now, Time::parse(now));
    let options = PredictOptions::from_value(&options).unwrap();
    let outlook = Outlook::of(std::slice::from_ref(&web), &options).unwrap();
    assert_eq!(outlook.timeline.scenario.start, Time::parse(now).unwrap());
    // Nothing of manifests runs yet.
    web["metadata"].as_object_mut().unwrap().remove("uid");
    let problem = Outlook::of(&[web], &options).unwrap_err();
    assert_eq!(problem.path, "old");
    assert!(problem.message.contains("which have a uid"), "{}", problem.message);
}

#[test]
fn constraints_that_contradict_each_other_in_pairs_are_relaxed_together() {
    let relaxed = |max_pods: Option<i32>, min_available: Option<i32>, within: Option<i64>| {
        let web = deployment("web", 15, &rolling(&json!("25%"), &json!("25%")), "web:1", "1");
        let within = within.map(changeover_core::scenario::Duration::seconds);
        let constraints = Constraints { max_pods, min_available, within, quotas: false };
        let advice = advise(&[web], &constraints, &AdviseOptions::default()).unwrap();
        assert!(advice.fits.iter().all(|advised| advised.proposed));
        let names = |relaxation: Relaxation| -> Vec<ConstraintKind> {
            let missed = relaxation.setting.misses.iter().map(|miss| miss.constraint);
            let named: Vec<ConstraintKind> = relaxation.constraints.iter().map(|it| it.constraint).collect();
            assert_eq!(missed.collect::<Vec<_>>(), named);
            named
        };
        advice.relax.into_iter().map(names).collect::<Vec<_>>()
    };
    let (pods, available, time) = (ConstraintKind::MaxPods, ConstraintKind::MinAvailable, ConstraintKind::Within);
    assert_eq!(relaxed(Some(15), Some(15), None), [[pods], [available]]);
    // A second is too short for any setting, whatever the pods may do.
    assert_eq!(relaxed(Some(15), Some(15), Some(1)), [[pods, time], [available, time]]);
    // Fewer than the desired pods, of which all must be available.
    assert_eq!(relaxed(Some(14), Some(15), Some(1)), [[pods, time]]);
    assert_eq!(relaxed(Some(14), Some(16), Some(1)), [[pods, available, time]]);
}

#[test]
fn advice_is_for_one_deployment_while_the_others_do_not_change() {
    let assumed = |names: &[&str]| {
        let strategy = rolling(&json!(1), &json!(0));
        let objects: Vec<Value> = names.iter().map(|name| deployment(name, 2, &strategy, "web:1", "1")).collect();
        let constraints = Constraints { max_pods: Some(3), ..Constraints::default() };
        let options = AdviseOptions { deployment: Some("web".into()), ..AdviseOptions::default() };
        advise(&objects, &constraints, &options).unwrap().assumed
    };
    let alone = assumed(&["web"]);
    assert!(!alone.contains("Deployment"), "{alone}");
    assert_eq!(assumed(&["web", "api"]), format!("{alone} Other workloads don't change."));
}

#[test]
fn the_worst_of_all_orders_is_explored_or_proved() {
    let worst = |replicas: i32, assumptions: Value| {
        let strategy = rolling(&json!(1), &json!(0));
        let [old, new] = ["web:1", "web:2"].map(|image| deployment("web", replicas, &strategy, image, "500m"));
        let options = json!({ "worst": true, "assumptions": assumptions });
        let predicted = predicted(&[old], &[new], &options);
        predicted.prediction.workloads[0].worst.as_ref().unwrap().to_json()
    };
    let explored = worst(2, json!({}));
    let expected = json!({
        "outcome": {
            "proof": "allOrders",
            "peak": 4,
            "lowestAvailable": 2,
            "resources": [{ "resource": "cpu", "peak": "2" }, { "resource": "memory", "peak": "4Gi" }],
            "alwaysCompletes": true,
            "lag": 2,
        },
        "proposed": {
            "proof": "allOrders",
            "peak": 3,
            "resources": [{ "resource": "cpu", "peak": "1500m" }, { "resource": "memory", "peak": "3Gi" }],
        },
    });
    assert!(contains(&explored, &expected), "{explored:#}");
    let steps = [
        "The Deployment controller creates the new ReplicaSet with 1 pod.",
        "The new ReplicaSet creates 1 pod.",
        "A pod of the new ReplicaSet becomes available.",
        "The new ReplicaSet updates its status.",
        "The Deployment controller scales the old ReplicaSet from 2 to 1.",
        "The Deployment controller scales the new ReplicaSet from 1 to 2.",
        "The new ReplicaSet creates 1 pod.",
    ];
    assert_eq!(explored["outcome"]["orders"][0], json!({ "number": "peak", "steps": steps }), "{explored:#}");
    let proved = worst(20, json!({ "readyAfter": "10s" }));
    let expected = json!({
        "outcome": { "proof": "bound", "peak": 40, "lowestAvailable": 20, "longest": 200_000 },
        "proposed": { "proof": "bound", "peak": 21, "lowestAvailable": 20 },
    });
    assert!(contains(&proved, &expected), "{proved:#}");
}

#[test]
fn the_worst_of_all_orders_is_compared_with_a_quota() {
    let strategy = rolling(&json!(1), &json!(0));
    let version = |name: &str, replicas: i32, image: &str| deployment(name, replicas, &strategy, image, "500m");
    let change = |name: &str, replicas: i32| ["web:1", "web:2"].map(|image| version(name, replicas, image));
    let other = version("api", 3, "api:1");
    let [[small_old, small_new], [large_old, large_new]] = [change("web", 2), change("big", 20)];
    let exceeds = |resource: &str, needed: &str, by: &str| json!({ "resource": resource, "needed": needed, "by": by });
    for (old, new, hard, expected, why) in [
        (
            vec![&small_old, &other],
            vec![&small_new],
            json!({ "pods": "7", "requests.cpu": "3500m" }),
            Some(json!({ "proof": "allOrders", "exceeded": [] })),
            "4 pods of web beside 3 of api fit",
        ),
        (
            vec![&small_old, &other],
            vec![&small_new],
            json!({ "pods": "6", "requests.cpu": "3" }),
            Some(json!({
                "proof": "allOrders",
                "exceeded": [exceeds("pods", "7", "1"), exceeds("requests.cpu", "3500m", "500m")],
            })),
            "one pod less does not",
        ),
        (
            vec![&large_old],
            vec![&large_new],
            json!({ "pods": "30" }),
            Some(json!({ "proof": "bound", "exceeded": [exceeds("pods", "40", "10")] })),
            "20 replicas are not explored",
        ),
        (
            vec![&small_old, &large_old],
            vec![&small_new, &large_new],
            json!({ "pods": "44" }),
            Some(json!({ "proof": "bound", "exceeded": [] })),
            "two Deployments together",
        ),
        (
            vec![&small_old],
            vec![&small_new, &other],
            json!({ "pods": "9" }),
            None,
            "a new Deployment has no worst case",
        ),
    ] {
        let options = json!({ "worst": true, "quotas": [quota(&hard)] });
        let [old, new] = [old, new].map(|objects| objects.into_iter().cloned().collect::<Vec<_>>());
        let prediction = predicted(&old, &new, &options).prediction;
        assert_eq!(prediction.quotas[0].worst.as_ref().map(ToJson::to_json), expected, "{why}");
        let not_explored = expected.is_none().then(|| vec!["Deployment/default/api".to_owned()]);
        assert_eq!(prediction.quotas[0].not_explored, not_explored, "{why}");
        let reasons = prediction.workloads.iter().filter_map(|workload| workload.not_explored);
        assert_eq!(reasons.collect::<Vec<_>>(), not_explored.map_or(vec![], |_| vec![NotExplored::New]), "{why}");
    }
}

fn strategies() -> impl Strategy<Value = Value> {
    let number = || prop_oneof![(0_i32..6).prop_map(Value::from), (0_i32..=100).prop_map(|n| format!("{n}%").into())];
    let any = (number(), number()).prop_filter("one of them is not 0", |(surge, unavailable)| {
        ![surge, unavailable].iter().all(|value| **value == json!(0) || **value == json!("0%"))
    });
    prop_oneof![4 => any.prop_map(|(surge, unavailable)| rolling(&surge, &unavailable)), 1 => Just(json!({ "type": "Recreate" }))]
}

fn assumptions() -> impl Strategy<Value = Value> {
    (0_i64..20, 0_i64..40, 0_u32..60, 0_u64..9).prop_map(|(ready, stop, jitter, seed)| {
        json!({ "readyAfter": format!("{ready}s"), "stopAfter": format!("{stop}s"), "jitter": jitter, "seed": seed })
    })
}

fn is_refused(timeline: &Timeline) -> bool {
    timeline.steps.iter().any(|step| matches!(step.decision, Decision::Quota(_)))
}

fn totals_of(timeline: &Timeline, name: &str) -> (i32, i32, Option<i64>, Option<i64>) {
    let totals = timeline.totals("default", name, timeline.scenario.start);
    // The totals begin after the first instant, but include pods that are gone by then.
    (Series::of(timeline, "default", name).peak(), totals.lowest_available, totals.complete, totals.last_old_pod_gone)
}

/// StatefulSets and DaemonSets.
fn sets() -> impl Strategy<Value = Value> {
    let object = |kind: &str, spec: Value| {
        let mut set = json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "set" },
            "spec": {
                "selector": { "matchLabels": { "app": "set" } },
                "template": {
                    "metadata": { "labels": { "app": "set" } },
                    "spec": { "terminationGracePeriodSeconds": 10, "containers": [{ "name": "app", "image": "set:1" }] },
                },
            },
        });
        json_patch::merge(&mut set, &json!({ "spec": spec }));
        set
    };
    let unavailable = || prop_oneof![Just(Value::Null), (1_i32..4).prop_map(Value::from), Just(json!("40%"))];
    let rolling = (unavailable(), 0_i32..4).prop_map(|(unavailable, partition)| {
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": unavailable, "partition": partition } })
    });
    let strategy = prop_oneof![4 => rolling, 1 => Just(json!({ "type": "OnDelete" }))];
    let policy = prop::sample::select(Vec::from(["OrderedReady", "Parallel"]));
    let stateful_set =
        (1_i32..6, strategy, policy, 0_i32..8).prop_map(move |(replicas, strategy, policy, min_ready)| {
            let spec = json!({
                "replicas": replicas, "serviceName": "set", "updateStrategy": strategy, "podManagementPolicy": policy,
                "minReadySeconds": min_ready,
            });
            object("StatefulSet", spec)
        });
    let limits = prop_oneof![
        (1_i32..4).prop_map(|surge| json!({ "maxSurge": surge, "maxUnavailable": 0 })),
        unavailable().prop_map(|unavailable| json!({ "maxUnavailable": unavailable })),
    ];
    let strategy = prop_oneof![
        4 => limits.prop_map(|limits| json!({ "type": "RollingUpdate", "rollingUpdate": limits })),
        1 => Just(json!({ "type": "OnDelete" })),
    ];
    let daemon_set = (strategy, 0_i32..8).prop_map(move |(strategy, min_ready)| {
        object("DaemonSet", json!({ "updateStrategy": strategy, "minReadySeconds": min_ready }))
    });
    prop_oneof![stateful_set, daemon_set]
}

/// A StatefulSet that is deleted without its pods and created again with another podManagementPolicy does what advice says of it.
#[test]
fn a_stateful_set_that_is_created_again_does_what_is_advised() {
    let set = |policy: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": { "name": "db" },
            "spec": {
                "replicas": 4, "serviceName": "db", "podManagementPolicy": policy,
                "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": 2 } },
                "selector": { "matchLabels": { "app": "db" } },
                "template": {
                    "metadata": { "labels": { "app": "db" } },
                    "spec": { "terminationGracePeriodSeconds": 10, "containers": [{ "name": "app", "image": "db:1" }] },
                },
            },
        })
    };
    let constraints = Constraints::from_value(&json!({ "minAvailable": 2 })).unwrap();
    let options = AdviseOptions::from_value(&json!({ "assumptions": { "mode": "exact" } })).unwrap();
    let advice = advise(&[set("OrderedReady")], &constraints, &options).unwrap();
    let advised =
        advice.fits.iter().find(|advised| advised.setting.to_string() == "maxUnavailable 2, Parallel").unwrap();
    assert!(advised.needs_new_object, "{advised:?}");
    let again = 20;
    let scenario = json!({
        "version": 1,
        "objects": [set("OrderedReady")],
        "actions": [
            { "at": "5s", "delete": { "kind": "StatefulSet", "name": "db", "cascade": "orphan" } },
            { "at": "10s", "create": set("Parallel") },
            { "at": format!("{again}s"), "restart": { "kind": "StatefulSet", "name": "db" } },
        ],
    });
    let scenario = Scenario::from_value(&scenario).unwrap();
    let restart = scenario.start.plus_seconds(again);
    let timeline = Timeline::run(scenario).unwrap();
    let series = Series::of_workloads(&timeline);
    let points = series.iter().flat_map(|(_, series)| &series.points).filter(|point| point.time >= restart);
    assert_eq!(points.clone().map(|point| point.counts.available).min(), Some(advised.outcome.lowest_available));
    let complete = points.clone().find(|point| point.rollout.complete && point.rollout.old == 0).unwrap().time;
    assert_eq!(Some(complete.since(restart)), advised.outcome.complete);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn a_prediction_matches_its_timelines(
        (replicas, other) in ((0_i32..12, 0_i32..12), 0_i32..5),
        strategy in strategies(),
        image in prop::sample::select(vec!["web:1", "web:2"]),
        assumptions in assumptions(),
        (pods, cpu) in (0_i32..30, 0_i32..30),
        concurrent in prop::option::of(1_u32..3),
    ) {
        let objects = |replicas: i32, image: &str, cpu: &str| vec![
            deployment("web", replicas, &strategy, image, cpu),
            deployment("api", other, &strategy, image, "500m"),
        ];
        let (old, new) = (objects(replicas.0, "web:1", "1"), objects(replicas.1, image, "1"));
        let quota = quota(&json!({ "pods": pods, "requests.cpu": cpu }));
        let mut assumptions = assumptions;
        assumptions["concurrent"] = concurrent.into();
        let options = PredictOptions::from_value(&json!({ "quotas": [quota], "assumptions": assumptions })).unwrap();
        let Predicted { prediction, with_quotas, .. } = predict(&old, &new, &options).unwrap();
        let plan = RolloutPlan::new(&old, &new, &options).unwrap();
        let today = plan.simulate(PodReplacementPolicies::Today, Quotas::Ignored).unwrap();

        for (key, series) in Series::of_all(&today) {
            prop_assert_eq!(series.points, Series::of(&today, &key.namespace, &key.name).points);
        }
        let mut peaks = 0;
        for workload in &prediction.workloads {
            let outcome = &workload.outcome;
            let expected = totals_of(&today, &workload.name);
            prop_assert_eq!((outcome.peak, outcome.lowest_available), (expected.0, expected.1));
            let starts = today.scenario.actions.iter().filter(|action| action.to_json().to_string().contains(&workload.name));
            if starts.count() > 0 {
                prop_assert_eq!((outcome.complete, outcome.last_old_pod_gone), (expected.2, expected.3));
            }
            peaks += outcome.peak;
        }
        let most = (0..=today.len()).map(|frame| {
            let mut cursor = today.cursor();
            cursor.seek(&today, frame);
            i32::try_from(cursor.state().pods().count()).unwrap()
        });
        prop_assert_eq!(Some(prediction.total.outcome.peak), most.max());
        prop_assert!(prediction.total.outcome.peak <= peaks);

        // Playing the same scenario gives the same timeline.
        let again = Timeline::run((*today.scenario).clone()).unwrap();
        prop_assert_eq!((again.len(), totals_of(&again, "web")), (today.len(), totals_of(&today, "web")));

        // It fits if and only if a simulation with the quota refuses nothing.
        let limited = plan.simulate(PodReplacementPolicies::Today, Quotas::Enforced).unwrap();
        prop_assert_eq!(prediction.quotas[0].demand.fits, !is_refused(&limited), "{:?}", prediction.quotas[0]);
        prop_assert_eq!(prediction.quotas[0].refusals.is_some(), is_refused(&limited));
        prop_assert_eq!(with_quotas.is_some(), is_refused(&limited));
    }

    /// The same for StatefulSets and DaemonSets: each setting comes to what a prediction of it comes to.
    #[test]
    fn advised_settings_of_sets_meet_the_constraints(
        set in sets(),
        nodes in 1_usize..6,
        (min_available, within) in (0_i32..6, prop::option::of(1_i64..200)),
        max_pods in prop::option::of(1_i32..9),
    ) {
        let nodes: Vec<Value> = (0..nodes).map(|index| json!({ "name": format!("node-{index}") })).collect();
        let constraints = Constraints {
            max_pods,
            min_available: Some(min_available),
            within: within.map(changeover_core::scenario::Duration::seconds),
            quotas: false,
        };
        let options = json!({ "nodes": nodes });
        let advice = advise(std::slice::from_ref(&set), &constraints, &AdviseOptions::from_value(&options).unwrap()).unwrap();
        let predict_options = PredictOptions::from_value(&options).unwrap();
        let relaxed = advice.relax.iter().map(|relaxation| &relaxation.setting);
        for advised in [&advice.current].into_iter().chain(&advice.fits).chain(&advice.nearest).chain(relaxed) {
            let mut old = set.clone();
            if advised.needs_new_object {
                old["spec"]["podManagementPolicy"] = advised.patch["spec"]["podManagementPolicy"].clone();
            }
            let mut new = old.clone();
            json_patch::merge(&mut new, &advised.patch);
            new["spec"]["template"]["metadata"]["annotations"] = json!({ "kubectl.kubernetes.io/restartedAt": "now" });
            let outcome = predict(&[old], &[new], &predict_options).unwrap().prediction.workloads[0].outcome.clone();
            prop_assert_eq!(&advised.outcome, &outcome, "{:?}", advised.setting);
            let keeps_pods = advised.setting.partition.is_some() || advised.setting.strategy == "OnDelete";
            let keeps = !keeps_pods
                && max_pods.is_none_or(|most| outcome.peak <= most)
                && outcome.lowest_available >= min_available
                && outcome.complete.is_some_and(|at| within.is_none_or(|within| at <= within * Time::SECOND));
            prop_assert_eq!(advised.fits, keeps, "{:?}", advised.setting);
            prop_assert!(keeps_pods || outcome.complete.is_none() || outcome.last_old_pod_gone.is_some());
        }
    }

    #[test]
    fn advised_settings_meet_the_constraints(
        replicas in 1_i32..9,
        strategy in strategies(),
        assumptions in assumptions(),
        (max_pods, min_available) in (prop::option::of(1_i32..14), prop::option::of(0_i32..9)),
        within in prop::option::of(1_i64..90),
        pods in prop::option::of(1_i32..14),
    ) {
        prop_assume!([max_pods.is_some(), min_available.is_some(), within.is_some(), pods.is_some()].contains(&true));
        let web = deployment("web", replicas, &strategy, "web:1", "1");
        let quotas: Vec<Value> = pods.iter().map(|pods| quota(&json!({ "pods": pods }))).collect();
        let constraints = Constraints {
            max_pods,
            min_available,
            within: within.map(changeover_core::scenario::Duration::seconds),
            quotas: pods.is_some(),
        };
        let options = json!({ "quotas": quotas, "assumptions": assumptions });
        let options = AdviseOptions::from_value(&options).unwrap();
        let advice = advise(std::slice::from_ref(&web), &constraints, &options).unwrap();
        let min_available = min_available.unwrap_or_else(|| advice.current.outcome.lowest_available.min(1));
        let predict_options = PredictOptions {
            quotas: quotas.clone(),
            assumptions: options.assumptions.clone(),
            ..PredictOptions::default()
        };
        let applied = |advised: &AdvisedSetting| {
            let mut new = web.clone();
            json_patch::merge(&mut new, &advised.patch);
            new["spec"]["template"]["metadata"]["annotations"] = json!({ "kubectl.kubernetes.io/restartedAt": "now" });
            let Predicted { prediction, .. } = predict(std::slice::from_ref(&web), &[new], &predict_options).unwrap();
            let workload = &prediction.workloads[0];
            let fits = |today: bool| prediction.quotas.iter().all(|quota| match &quota.proposed {
                Some(proposed) if !today => proposed.fits,
                _ => quota.demand.fits,
            });
            if advised.proposed {
                (workload.proposed.clone().unwrap_or_else(|| workload.outcome.clone()), fits(false))
            } else {
                (workload.outcome.clone(), fits(true))
            }
        };
        let relaxed = advice.relax.iter().map(|relaxation| &relaxation.setting);
        for advised in [&advice.current].into_iter().chain(&advice.fits).chain(&advice.nearest).chain(relaxed) {
            let (outcome, fits_quotas) = applied(advised);
            prop_assert_eq!(&advised.outcome, &outcome, "{:?}", advised.setting);
            let keeps = max_pods.is_none_or(|most| outcome.peak <= most)
                && outcome.lowest_available >= min_available
                && within.is_none_or(|within| outcome.complete.is_some_and(|at| at <= within * Time::SECOND))
                && (pods.is_none() || fits_quotas);
            prop_assert_eq!(advised.fits, keeps);
        }
        prop_assert!(advice.fits.iter().all(|advised| advised.fits));
        prop_assert!(advice.nearest.iter().all(|advised| advised.misses.len() == 1));
        prop_assert_eq!(advise(std::slice::from_ref(&web), &constraints, &options).unwrap(), advice);
    }
}
