//! Whole rollouts, from a plain manifest to the end.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use changeover_core::cluster::{Actor, Changes, steady_state};
use changeover_core::json::ToJson;
use changeover_core::prediction::{PredictOptions, PredictedOutcome, predicted_scenario};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{EndReason, Series, Timeline};
use serde_json::{Value, json};

fn deployment(replicas: i32, policy: Option<&str>) -> Value {
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    if let Some(policy) = policy {
        deployment["spec"]["podReplacementPolicy"] = policy.into();
    }
    deployment
}

fn rollout(replicas: i32, policy: Option<&str>) -> Timeline {
    // Pods end before the next ones are ready, so each wave is separate.
    let kubelet = serde_json::from_value(json!([{ "ready": "10s", "terminate": "5s" }])).unwrap();
    let changes = Changes { image: Some("web:v2".into()), kubelet, ..Changes::default() };
    Timeline::run(steady_state(&deployment(replicas, policy), &changes).unwrap()).unwrap()
}

/// Kubernetes issue 95498: 15 replicas, a quarter of them as surge and unavailable pods.
#[test]
fn terminating_pods_pass_the_limit_unless_the_policy_counts_them() {
    for (policy, first_wave) in [(None, 22), (Some("TerminationStarted"), 22), (Some("TerminationComplete"), 19)] {
        let timeline = rollout(15, policy);
        assert_eq!(timeline.end.reason, EndReason::Quiet);
        let series = Series::of(&timeline, "default", "web");
        let point = series.at(timeline.frame_at(timeline.scenario.start.plus_seconds(4))).unwrap();
        assert_eq!((point.counts.holding(), point.marks.limit), (first_wave, 19), "{policy:?}");
        assert_eq!(series.peak() <= 19, policy == Some("TerminationComplete"), "{policy:?}: {}", series.peak());
        let last = series.points.last().unwrap();
        assert_eq!((last.counts.available, last.counts.holding()), (15, 15), "{policy:?}");
    }
}

#[test]
fn a_settled_deployment_stays_as_it_is() {
    let timeline = Timeline::run(steady_state(&deployment(3, None), &Changes::default()).unwrap()).unwrap();
    assert_eq!(timeline.steps.iter().map(|step| step.reason().sentence()).collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(timeline.initial.pods().count(), 3);
}

/// Scaling does not validate the whole Deployment again; it writes the same as an applied manifest with that size.
#[test]
fn scaling_writes_what_applying_the_size_writes() {
    let writes = |action: Value| -> Vec<Value> {
        let objects = [deployment(4, Some("TerminationComplete"))];
        let scenario = json!({ "version": 1, "objects": objects, "actions": [action] });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let steps = timeline.steps.iter().filter(|step| step.actor == Actor::User);
        steps.map(|step| step.change.as_ref().unwrap().after.as_ref().unwrap().to_value()).collect()
    };
    for (replicas, count) in [(0, 1), (3, 1), (4, 0), (9, 1)] {
        let metadata = json!({ "name": "web" });
        let spec = json!({ "replicas": replicas });
        let manifest = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec });
        let scaled = writes(json!({ "at": "1m", "scale": { "name": "web", "replicas": replicas } }));
        assert_eq!(scaled, writes(json!({ "at": "1m", "apply": manifest })), "{replicas}");
        assert_eq!(scaled.len(), count, "{replicas}");
    }
}

/// It was complete before, so it never counts as stuck, and upstream checks again forever.
#[test]
fn a_deployment_scaled_beyond_the_nodes_comes_to_rest() {
    let mut changes = Changes { replicas: Some(9), ..Changes::default() };
    changes.nodes = serde_json::from_value(json!([{ "name": "a", "pods": 6 }])).unwrap();
    let timeline = Timeline::run(steady_state(&deployment(3, None), &changes).unwrap()).unwrap();
    assert_eq!(timeline.end.reason, EndReason::Quiet);
    assert_eq!(Series::of(&timeline, "default", "web").points.last().unwrap().counts.pending, 3);
}

#[test]
fn nodes_of_the_changes_may_be_node_objects() {
    let node = |name: &str, more: Value| {
        let mut node = more;
        node["kind"] = "Node".into();
        node["metadata"] = json!({ "name": name });
        node
    };
    let cordoned =
        node("a", json!({ "spec": { "unschedulable": true }, "status": { "allocatable": { "pods": "4" } } }));
    let lost = node("b", json!({ "status": { "conditions": [{ "type": "Ready", "status": "Unknown" }] } }));
    let made = |nodes: Value| {
        let changes = Changes::from_value(&json!({ "nodes": nodes, "replicas": 2 })).unwrap();
        steady_state(&deployment(3, None), &changes).map_err(|problem| problem.to_string())
    };
    let scenario = made(json!([cordoned, lost, { "name": "c", "cpu": "8" }])).unwrap().to_json();
    let (a, b) = (json!({ "name": "a", "pods": 4, "cordoned": true }), json!({ "name": "b", "lost": true }));
    assert_eq!(scenario["nodes"], json!([a, b, { "name": "c", "cpu": "8" }]));
    assert!(scenario["actions"][0].get("scale").is_some(), "{scenario}");
    let wrong = [
        (
            json!([{ "name": "a" }, node("b", json!({ "status": { "allocatable": { "cpu": "lots" } } }))]),
            "changes.nodes[1].status.allocatable.cpu: Invalid value: \"lots\": must be an amount like 4, 500m or 16Gi",
        ),
        (
            json!([node("a", json!({ "status": { "allocatable": { "pods": "many" } } }))]),
            "changes.nodes[0].status.allocatable.pods: Invalid value: must be a number of pods",
        ),
        (
            json!([{ "name": "a" }, node("a", json!({}))]),
            "changes.nodes[1].metadata.name: Duplicate value: \"a\": must be unique",
        ),
        (json!([{ "kind": "Pod" }]), "changes.nodes[0].kind: Unsupported value: \"Pod\": supported values: \"Node\""),
        (
            json!([{ "name": "a", "cpus": 3 }]),
            "changes.nodes[0].cpus: Unsupported value: \"cpus\": supported values: \"name\", \"pods\", \"cpu\", \"memory\", \"resources\", \"labels\", \"taints\", \"cordoned\", \"lost\", \"taintedFor\"",
        ),
        (
            json!([{ "name": "a", "taintedFor": "5s" }]),
            "changes.nodes[0].taintedFor: Forbidden: may only be given with `lost`: a node that reports does not have the taint",
        ),
    ];
    for (nodes, expected) in wrong {
        assert_eq!(made(nodes).unwrap_err(), expected);
    }
}

/// Any scenario reaches a limit before it fills the memory.
#[test]
fn each_limit_ends_a_timeline_with_a_message() {
    // Without surge: with it, the limit wraps and no pod is created, as upstream.
    let mut most = deployment(i32::MAX, None);
    most["spec"]["strategy"] = json!({ "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } });
    let endless = |limits: Value| {
        let mut actions = vec![json!({ "at": "0s", "create": most })];
        actions.extend((1..100).map(|minute| {
            let template = json!({ "spec": { "containers": [{ "image": format!("web:v{minute}") }] } });
            json!({ "at": format!("{minute}m"), "setTemplate": { "name": "web", "template": template } })
        }));
        let scenario = json!({ "version": 1, "actions": actions, "limits": limits });
        Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap()
    };
    let cases = [
        (json!({ "pods": 2_000 }), EndReason::Pods, "More than 2000 pods at once are not simulated (limits.pods)."),
        (json!({ "steps": 1_000 }), EndReason::Steps, "More would happen after 1000 steps (limits.steps)."),
        (
            json!({ "bytes": 100_000 }),
            EndReason::Bytes,
            "The timeline would take more than 100000 bytes (limits.bytes).",
        ),
    ];
    for (limits, reason, message) in cases {
        let timeline = endless(limits);
        assert_eq!((timeline.end.reason, &*timeline.end.message), (reason, message));
        assert!(timeline.initial.objects().next().is_none() && !timeline.is_empty());
    }
    let steps = endless(json!({ "bytes": 100_000 })).len();
    assert!((50..300).contains(&steps), "{steps} steps in 100 kB");
    let timeline = endless(json!({ "pods": 0 }));
    assert_eq!(timeline.end.reason, EndReason::Pods);

    // The default limits.
    let problem = steady_state(&most, &Changes::default()).unwrap_err().to_string();
    assert_eq!(problem, "deployment.spec.replicas: More than 100000 pods at once are not simulated (limits.pods).");
}

#[test]
fn frames_are_reached_in_both_directions() {
    let timeline = rollout(4, Some("TerminationComplete"));
    let mut there = timeline.cursor();
    let mut frames = vec![serde_json::to_value(timeline.frame_out(&there)).unwrap()];
    for frame in 1..=timeline.len() {
        there.seek(&timeline, frame);
        frames.push(serde_json::to_value(timeline.frame_out(&there)).unwrap());
    }
    for frame in (0..=timeline.len()).rev() {
        there.seek(&timeline, frame);
        assert_eq!(serde_json::to_value(timeline.frame_out(&there)).unwrap(), frames[frame]);
    }
}

#[test]
fn a_fork_shares_its_past() {
    let timeline = rollout(6, None);
    let action = json!({ "scale": { "name": "web", "replicas": 9 } });
    for frame in [1, timeline.len() / 2, timeline.len()] {
        let fork = timeline.fork(frame, serde_json::from_value(action.clone()).unwrap()).unwrap();
        for step in 0..frame {
            let (ours, theirs) = (timeline.step_out(step).unwrap(), fork.step_out(step).unwrap());
            assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&theirs).unwrap());
        }
        let series = Series::of(&fork, "default", "web");
        assert_eq!(series.points.last().unwrap().counts.available, 9);
    }
}

#[test]
fn the_same_scenario_gives_the_same_timeline() {
    let scenario = |seed| {
        let mut changes = Changes { image: Some("web:v2".into()), seed, ..Changes::default() };
        changes.kubelet = serde_json::from_value(json!([{ "ready": "5s", "jitterPercent": 80 }])).unwrap();
        steady_state(&deployment(5, None), &changes).unwrap()
    };
    let text = |seed| {
        let timeline = Timeline::run(scenario(seed)).unwrap();
        let steps: Vec<_> = (0..timeline.len()).map(|step| timeline.step_out(step).unwrap()).collect();
        serde_json::to_string(&steps).unwrap()
    };
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

#[test]
fn pods_share_the_spec_of_their_template() {
    // The API server gives pods defaults that it does not give templates: requests, where there are only limits.
    let container = json!({ "name": "app", "image": "web:v1", "resources": { "limits": { "cpu": 1 } } });
    let mut web = deployment(3, None);
    web["spec"]["template"]["spec"]["containers"] = json!([container]);
    for nodes in [json!([]), json!([{ "name": "a" }, { "name": "b" }])] {
        let changes = Changes::from_value(&json!({ "image": "web:v2", "nodes": nodes })).unwrap();
        let short = steady_state(&web, &changes).unwrap().to_json();
        let mut full = short.clone();
        let template = short["objects"][1]["spec"]["template"]["spec"].clone();
        for pod in full["objects"].as_array_mut().unwrap().iter_mut().skip(2) {
            let spec = pod["spec"].as_object_mut().unwrap();
            assert_eq!(spec.keys().collect::<Vec<_>>(), ["nodeName"]);
            spec.extend(template.as_object().unwrap().clone());
        }
        let steps = |scenario: &Value| {
            let timeline = Timeline::run(Scenario::from_value(scenario).unwrap()).unwrap();
            let pods: Vec<Value> = timeline.initial.pods().map(|pod| pod.to_json()).collect();
            assert_eq!(pods[2]["spec"]["containers"][0]["resources"]["requests"], json!({ "cpu": "1" }));
            let steps = (0..timeline.len()).map(|step| timeline.step_out(step).unwrap().to_json());
            (pods, steps.collect::<Vec<_>>())
        };
        assert_eq!(steps(&short), steps(&full));
    }
    // Those of a prediction were admitted, and have all defaults of pods.
    let mut new = web.clone();
    new["spec"]["replicas"] = json!(4);
    let options = PredictOptions::default();
    let predicted = predicted_scenario(&[web.clone()], &[new], &options, PredictedOutcome::Outcome).unwrap().to_json();
    let spec = predicted["objects"][2]["spec"].as_object().unwrap();
    assert_eq!(spec.keys().collect::<Vec<_>>(), ["enableServiceLinks", "nodeName"]);
    let timeline = Timeline::run(Scenario::from_value(&predicted).unwrap()).unwrap();
    let requests =
        timeline.initial.pods().map(|pod| pod.to_json()["spec"]["containers"][0]["resources"]["requests"].clone());
    assert_eq!(requests.collect::<Vec<_>>(), vec![json!({ "cpu": "1" }); 3]);
    // Without their ReplicaSet before them, pods have no template.
    let mut scenario = steady_state(&web, &Changes::default()).unwrap().to_json();
    scenario["objects"].as_array_mut().unwrap().remove(1);
    let problem = Timeline::run(Scenario::from_value(&scenario).unwrap()).map(drop).unwrap_err();
    let expected = [1, 2, 3].map(|index| format!("objects[{index}].spec.containers: Required value"));
    assert_eq!(problem.to_string(), expected.join("; "));
}

#[test]
fn bad_scenarios_name_the_field() {
    let cases = [
        (json!({ "version": 2 }), "version: Invalid value: 2: must be 1"),
        (json!({ "version": 1, "speed": 3 }), "speed: "),
        (
            json!({ "version": 1, "actions": [{ "at": "1s", "scale": { "name": "web", "replicas": "x" } }] }),
            "actions[0].scale.replicas: Invalid value: \"x\": must be a 64bit integer",
        ),
        (
            json!({ "version": 1, "actions": [{ "at": "soon" }] }),
            "actions[0].at: Invalid value: \"soon\": must be a duration",
        ),
        (
            json!({ "version": 1, "actions": [{ "at": "1s" }] }),
            "actions[0]: Invalid value: 0 actions: must be exactly one",
        ),
        (
            json!({ "version": 1, "featureGates": { "Foo": true } }),
            "featureGates.Foo: Unsupported value: \"Foo\": supported values: \"ClearingNominatedNodeNameAfterBinding\", ",
        ),
        (
            json!({ "version": 1, "objects": [{ "apiVersion": "v1", "kind": "ConfigMap" }] }),
            "objects[0].kind: Unsupported value: \"ConfigMap\": supported values: \"ControllerRevision\", \"CronJob\", \"DaemonSet\", \"Deployment\", \"Job\", \"LimitRange\", \"Namespace\", \"PersistentVolume\", \"PersistentVolumeClaim\", \"Pod\", \"PodDisruptionBudget\", \"PriorityClass\", \"ReplicaSet\", \"ReplicationController\", \"ResourceQuota\", \"Service\", \"StatefulSet\", \"StorageClass\"",
        ),
    ];
    for (value, message) in cases {
        let problem = Scenario::from_value(&value).and_then(Timeline::run).unwrap_err().to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    for (field, value, message) in [
        ("replicas", json!(-1), "deployment.spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        ("replicas", json!(1_099_511_627_776_i64), "deployment.spec.replicas: Invalid value: 1099511627776"),
        ("podReplacementPolicy", json!("Fast"), "deployment.spec.podReplacementPolicy: Unsupported value: \"Fast\""),
        (
            "strategy",
            json!({ "rollingUpdate": { "maxSurge": "abc%" } }),
            "deployment.spec.strategy.rollingUpdate.maxSurge: Invalid value: \"abc%\"",
        ),
    ] {
        let mut manifest = deployment(2, None);
        manifest["spec"][field] = value;
        let problem = steady_state(&manifest, &Changes::default()).unwrap_err().to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
}

#[test]
fn pods_and_templates_name_nodes_of_the_scenario() {
    let on = |node: &str| {
        let mut manifest = deployment(2, None);
        manifest["spec"]["template"]["spec"]["nodeName"] = node.into();
        manifest
    };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"nodeName": "b", "containers": [{"name": "a", "image": "a:1"}]},
    });
    let mut old_revision = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "old"},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "old"}}, "template": {
            "metadata": {"labels": {"app": "old"}},
            "spec": {"nodeName": "b", "containers": [{"name": "a", "image": "a:1"}]},
        }},
    });
    let played = |objects: &[&Value], actions: &[Value], nodes: &Value| {
        let scenario = json!({"version": 1, "objects": objects, "actions": actions, "nodes": nodes});
        Scenario::from_value(&scenario).and_then(Timeline::run).map(drop).map_err(|problem| problem.to_string())
    };
    let (nodes, none) = (json!([{"name": "a"}]), json!([]));
    let unknown = |path: &str| Err(format!("{path}: Not found: \"b\": must be one of the given nodes"));
    assert_eq!(played(&[&on("b")], &[], &nodes), unknown("objects[0].spec.template.spec.nodeName"));
    assert_eq!(played(&[&on("a")], &[], &nodes), Ok(()));
    assert_eq!(played(&[&old_revision], &[], &nodes), Ok(()));
    old_revision["spec"]["replicas"] = 1.into();
    assert_eq!(played(&[&old_revision], &[], &nodes), unknown("objects[0].spec.template.spec.nodeName"));
    let mut ended = pod.clone();
    ended["status"] = json!({"phase": "Failed"});
    assert_eq!(played(&[&pod], &[], &nodes), unknown("objects[0].spec.nodeName"));
    assert_eq!(played(&[&ended], &[], &nodes), Ok(()));
    for (action, path) in [
        (json!({"create": pod}), "create.spec.nodeName"),
        (json!({"apply": on("b")}), "apply.spec.template.spec.nodeName"),
        (
            json!({"setTemplate": {"name": "web", "template": {"spec": {"nodeName": "b"}}}}),
            "setTemplate.spec.template.spec.nodeName",
        ),
    ] {
        let actions = [action];
        assert_eq!(played(&[&on("a")], &actions, &nodes), unknown(&format!("actions[0].{path}")));
        assert_eq!(played(&[&on("a")], &actions, &none), Ok(()));
    }
}

#[test]
fn a_new_manifest_may_come_with_other_objects() {
    let quota = |pods: &str| json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": pods}}});
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "import"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]}}},
    });
    let requests = |to: Value| {
        let changes = Changes { to: Some(to), objects: vec![quota("9")], ..Changes::default() };
        let scenario = steady_state(&deployment(2, None), &changes).map_err(|problem| problem.to_string())?;
        let actions = serde_json::to_value(&scenario.actions).unwrap();
        let requests = actions.as_array().unwrap().iter().map(|action| {
            let (kind, spec) = (&action["apply"]["kind"], &action["apply"]["spec"]);
            format!("{} {}", kind.as_str().unwrap(), if kind == "Job" { &Value::Null } else { spec })
        });
        Ok::<_, String>(requests.collect::<Vec<String>>())
    };
    let new = deployment(3, None);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}});
    let scaled = String::from("Deployment {\"replicas\":3}");
    assert_eq!(requests(new.clone()), Ok(vec![scaled.clone()]));
    assert_eq!(requests(json!([new, quota("9"), map])), Ok(vec![scaled.clone()]));
    let larger = String::from("ResourceQuota {\"hard\":{\"pods\":\"12\"}}");
    assert_eq!(requests(json!([new, quota("12"), job])), Ok(vec![larger, String::from("Job null"), scaled]));
    for (to, message) in [
        (json!([]), "changes.to: Required value: must contain the Deployment"),
        (json!([new, new]), "changes.to: Too many: 2 Deployments: must be exactly one"),
        (json!([map, {}, new]), "changes.to[1]: Invalid value: {}: must be an object with a kind"),
        (
            json!([map, new, quota("many")]),
            "changes.to[2].spec.hard[pods]: Invalid value: \"many\": must be an amount like 3, 500m or 2Gi",
        ),
        (
            json!([map, deployment(-1, None)]),
            "changes.to[1].spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        ),
    ] {
        assert_eq!(requests(to), Err(String::from(message)));
    }
}

/// Its ReplicaSet leaves the defaults of a Pod to the API server.
#[test]
fn a_pod_of_a_replica_set_can_be_annotated() {
    let annotate = json!({ "kind": "Pod", "name": "web/1", "annotations": { "a": "b" } });
    let actions = json!([{ "at": "0s", "create": deployment(3, None) }, { "at": "5s", "annotate": annotate }]);
    let scenario: Scenario = serde_json::from_value(json!({ "version": 1, "actions": actions })).unwrap();
    let timeline = Timeline::run(scenario).unwrap();
    assert!(timeline.steps.iter().any(|step| step.reason().rule.id == "user.annotate"));
}

/// The pod of an ordinal has the name of the one before it, but it is another pod.
#[test]
fn what_a_pod_that_is_created_again_is_waited_for_is_said_again() {
    let mut set = deployment(2, None);
    set["kind"] = "StatefulSet".into();
    let scenario = json!({
        "version": 1,
        "actions": [
            { "create": set },
            { "at": "1m", "delete": { "kind": "Pod", "name": "web-0" } },
        ],
    });
    let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
    let waits = |pod: &str| {
        let its = |rule: &str| rule == "statefulset.wait.ready";
        let steps = timeline.steps.iter().map(changeover_core::timeline::Step::reason);
        steps.filter(|reason| its(reason.rule.id) && reason.value("pod").unwrap().to_string() == pod).count()
    };
    assert_eq!([waits("web-0"), waits("web-1")], [2, 1]);
}

/// The StatefulSet controller creates the revision of a StatefulSet again that is being deleted; the garbage collector deletes it with
/// the last pod, and then the StatefulSet.
#[test]
fn a_stateful_set_is_gone_once_its_pods_are() {
    for replicas in [0, 2] {
        let mut set = deployment(replicas, None);
        set["kind"] = "StatefulSet".into();
        let scenario = json!({
            "version": 1,
            "actions": [
                { "create": set },
                { "at": "1m", "delete": { "kind": "StatefulSet", "name": "web", "cascade": "foreground" } },
            ],
        });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let mut end = timeline.cursor();
        end.seek(&timeline, timeline.len());
        assert_eq!(end.state().objects().count(), 0, "with {replicas} pods");
    }
}

#[test]
fn an_update_goes_on_when_the_partition_is_lowered() {
    let mut set = deployment(3, None);
    set["kind"] = "StatefulSet".into();
    let rolling = |partition: i32| json!({ "type": "RollingUpdate", "rollingUpdate": { "partition": partition } });
    set["spec"]["updateStrategy"] = rolling(2);
    let metadata = set["metadata"].clone();
    let lowered = json!({ "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": { "updateStrategy": rolling(0) } });
    let scenario = json!({
        "version": 1,
        "actions": [
            { "create": set },
            { "at": "1m", "restart": { "kind": "StatefulSet", "name": "web" } },
            { "at": "10m", "apply": lowered },
        ],
    });
    let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
    let series = &Series::of_workloads(&timeline)[0].1;
    let is_complete = |minutes: i64| {
        let time = timeline.scenario.start.plus_seconds(minutes * 60 + 1);
        series.at(timeline.frame_at(time)).unwrap().rollout.complete
    };
    assert_eq!([is_complete(1), is_complete(9), is_complete(10), is_complete(20)], [false, true, false, true]);
}
