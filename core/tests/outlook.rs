//! Where rollouts stand, from the states of simulations, and what would unblock them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::object::Time;
use changeover_core::prediction::{
    Assumptions, JobOutlook, Obstacle, Outlook, PredictOptions, Remedy, RolloutOutlook, Standing, Warning, WarningKind,
};
use changeover_core::scenario::{Action, Duration, Evict, NodeName, Scenario, TimedAction};
use changeover_core::timeline::Timeline;
use serde_json::{Value, json};

fn deployment(strategy: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
        "spec": {
            "replicas": 2,
            "strategy": strategy,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
            },
        },
    })
}

fn node(name: &str, ready: &str, pods: u32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": name },
        "status": {
            "allocatable": { "pods": pods.to_string() },
            "conditions": [{ "type": "Ready", "status": ready }],
        },
    })
}

/// The outlook of the only rollout some seconds after the start of a simulation, and what would unblock it.
fn outlook(
    deployment: &Value,
    changes: &Value,
    actions: &[TimedAction],
    seconds: i64,
    nodes: &[Value],
) -> (RolloutOutlook, Vec<String>) {
    let (mut objects, now) = objects_after(deployment, changes, actions, seconds);
    objects.extend(nodes.iter().cloned());
    outlook_of(&objects, now)
}

/// The objects of a cluster some seconds after the start of a simulation.
fn objects_after(deployment: &Value, changes: &Value, actions: &[TimedAction], seconds: i64) -> (Vec<Value>, Time) {
    let mut scenario = steady_state(deployment, &Changes::from_value(changes).unwrap()).unwrap();
    scenario.actions.extend(actions.iter().cloned());
    scenario.actions.sort_by_key(|action| action.at);
    let timeline = Timeline::run(scenario).unwrap();
    let now = timeline.scenario.start.plus_seconds(seconds);
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, timeline.frame_at(now));
    (cursor.state().objects().map(|object| object.to_value()).collect(), now)
}

/// The outlook of the only rollout of a cluster, and what would unblock it.
fn outlook_of(objects: &[Value], now: Time) -> (RolloutOutlook, Vec<String>) {
    let (rollout, remedies) = outlook_with_remedies(objects, now);
    (rollout, remedies.into_iter().map(|remedy| remedy.what).collect())
}

/// The same, with all of the remedies, in the order of their texts.
fn outlook_with_remedies(objects: &[Value], now: Time) -> (RolloutOutlook, Vec<Remedy>) {
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let outlook = Outlook::of(objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
    let mut remedies = outlook.remedies(&rollout).unwrap();
    remedies.sort_by(|a, b| a.what.cmp(&b.what));
    (rollout, remedies)
}

#[test]
fn a_full_node_needs_room_or_a_pod_that_goes_first() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "a", "pods": 2 }] });
    let (rollout, remedies) = outlook(&deployment(&strategy), &changes, &[], 30, &[node("a", "True", 2)]);
    assert_eq!(rollout.standing, Standing::Stuck);
    assert!(
        rollout.obstacles.iter().any(|obstacle| obstacle.why.starts_with("no node has room for a pod: ")),
        "{rollout:?}"
    );
    let expected = ["Add a node, or make room on one", "Allow 1 unavailable pod instead of extra pods", "Roll back"];
    assert_eq!(remedies, expected);
}

#[test]
fn pods_that_will_find_no_node_are_an_obstacle() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a", "pods": 2 }] });
    let (mut objects, now) = objects_after(&deployment(&strategy), &changes, &[], 30);
    let live = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    // Its controller has not seen the new image yet, so no pod waits.
    live["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
    live["metadata"]["generation"] = json!(live["metadata"]["generation"].as_i64().unwrap().saturating_add(1));
    objects.push(node("a", "True", 2));
    let (rollout, remedies) = outlook_of(&objects, now);
    assert_eq!(rollout.standing, Standing::Stuck);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert!(obstacle.why.starts_with("no node will have room for 1 pod: 0/1 nodes are available: "), "{obstacle:?}");
    for remedy in ["Add a node, or make room on one", "Allow 1 unavailable pod instead of extra pods"] {
        assert!(remedies.iter().any(|it| it == remedy), "{remedies:?}");
    }
}

/// What would unblock a rollout of two pods with this spec, of which one more is created, on these nodes.
fn remedies_on_nodes(spec: &Value, nodes: &[Value]) -> Vec<String> {
    let mut deployment = deployment(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }));
    for (key, value) in spec.as_object().unwrap() {
        deployment["spec"]["template"]["spec"][key] = value.clone();
    }
    let of_scenario = nodes.iter().map(|node| {
        json!({ "name": node["metadata"]["name"], "pods": 10, "labels": node["metadata"]["labels"], "taints": node["spec"]["taints"] })
    });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": of_scenario.collect::<Vec<_>>() });
    let (rollout, remedies) = outlook(&deployment, &changes, &[], 30, nodes);
    assert_eq!(rollout.standing, Standing::Stuck, "{rollout:?}");
    remedies
}

#[test]
fn a_spread_that_counts_both_revisions_may_count_each_alone() {
    let spread = json!({
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": { "matchLabels": { "app": "web" } },
    });
    let node = |name: &str, taints: Value| {
        let mut node = node(name, "True", 10);
        node["metadata"]["labels"] = json!({ "kubernetes.io/hostname": name });
        node["spec"] = json!({ "taints": taints });
        node
    };
    let tainted = json!([{ "key": "role", "value": "control", "effect": "NoSchedule" }]);
    let nodes = [node("a", json!([])), node("b", json!([])), node("c", tainted)];
    let remedies = remedies_on_nodes(&json!({ "topologySpreadConstraints": [spread] }), &nodes);
    assert!(remedies.iter().any(|it| it == "Spread the pods of each revision alone"), "{remedies:?}");
}

#[test]
fn an_anti_affinity_that_is_only_preferred_does_not_help_beside_old_pods_that_require_it() {
    let term = json!({ "topologyKey": "kubernetes.io/hostname", "labelSelector": { "matchLabels": { "app": "web" } } });
    let rule = json!({ "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [term] } });
    let node = |name: &str| {
        let mut node = node(name, "True", 10);
        node["metadata"]["labels"] = json!({ "kubernetes.io/hostname": name });
        node["spec"] = json!({ "taints": [] });
        node
    };
    let remedies = remedies_on_nodes(&json!({ "affinity": rule }), &[node("a"), node("b")]);
    assert!(!remedies.iter().any(|it| it == "Only prefer the anti-affinity"), "{remedies:?}");
    assert!(remedies.iter().any(|it| it == "Allow 1 unavailable pod instead of extra pods"), "{remedies:?}");
}

#[test]
fn the_scheduler_knows_more_than_the_nodes_show() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "a", "pods": 2 }] });
    // Other pods are on the node, which are not among the objects.
    let (rollout, remedies) = outlook(&deployment(&strategy), &changes, &[], 30, &[node("a", "True", 110)]);
    assert_eq!(rollout.standing, Standing::Stuck);
    assert_eq!(remedies, ["Add a node, or make room on one", "Roll back"]);
}

#[test]
fn a_node_that_is_not_given_keeps_its_pods_and_gets_no_new_ones() {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "gone" }] });
    let (objects, now) = objects_after(&deployment(&strategy), &changes, &[], 2);
    let first_pod = objects.iter().find(|object| object["kind"] == "Pod").unwrap();
    let expected = [Warning {
        object: format!("Pod/shop/{}", first_pod["metadata"]["name"].as_str().unwrap()),
        kind: WarningKind::MissingNode,
        message: String::from(
            "spec.nodeName: Not found: \"gone\": it is not one of the given Nodes, so it keeps its pods and gets no new ones",
        ),
    }];
    let outlook = |objects: &[Value], nodes: Vec<Value>| {
        let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
        Outlook::of(objects, &PredictOptions { nodes, assumptions, ..PredictOptions::default() }).unwrap()
    };
    let spare = node("spare", "True", 110);
    let with_spare = [objects.clone(), vec![spare.clone()]].concat();
    for outlook in [outlook(&with_spare, Vec::new()), outlook(&objects, vec![spare])] {
        assert_eq!(outlook.prediction.warnings, expected);
        let assumed = "Nodes that are not given keep their pods and get no new ones: gone.";
        assert!(outlook.prediction.assumed.contains(assumed), "{}", outlook.prediction.assumed);
        let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
        assert_eq!((rollout.standing, rollout.obstacles), (Standing::Progressing, vec![]));
        let timeline = &outlook.timeline;
        assert!(timeline.initial.pods().all(|pod| pod.spec.node_name.as_deref() == Some("gone")));
        let after = timeline.steps.iter().filter_map(|step| step.change.as_ref()?.after.as_ref());
        let bound = after.filter(|object| timeline.initial.get(&object.key()).is_none());
        let nodes: BTreeSet<String> = bound
            .filter_map(|object| Some(object.to_value().pointer("/spec/nodeName")?.as_str()?.to_owned()))
            .collect();
        assert_eq!(nodes, BTreeSet::from(["spare".to_owned()]));
    }
    // Without Nodes, none is missing.
    assert_eq!(outlook(&objects, Vec::new()).prediction.warnings, []);
}

#[test]
fn pods_on_a_lost_node_block_recreate() {
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let nodes = [node("a", "Unknown", 110), node("b", "True", 110)];
    let (rollout, remedies) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[lost], 150, &nodes);
    assert_eq!(rollout.standing, Standing::Stuck);
    let why = "Recreate waits for old pods: node a no longer reports: 1 pod there stays until it does";
    assert!(rollout.obstacles.iter().any(|obstacle| obstacle.why == why), "{:?}", rollout.obstacles);
    for remedy in ["Bring node a back", "As a last resort, delete node a, if it is switched off for good"] {
        assert!(remedies.iter().any(|it| it == remedy), "{remedies:?}");
    }
}

/// Marks the pods on a node as the node controller does: they are not ready, although their containers are.
fn mark_not_ready(objects: &mut [Value], node: &str) {
    let conditions = json!([{ "type": "Ready", "status": "False" }, { "type": "ContainersReady", "status": "True" }]);
    for pod in objects.iter_mut().filter(|object| object.pointer("/spec/nodeName").is_some_and(|name| name == node)) {
        if let Some(given) = pod.pointer_mut("/status/conditions") {
            given.clone_from(&conditions);
        }
    }
}

#[test]
fn without_nodes_marked_pods_say_that_theirs_is_lost() {
    let changes = json!({
        "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }], "kubelet": [{ "terminate": "2s" }],
    });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let (mut objects, now) = objects_after(&deployment(&json!({ "type": "Recreate" })), &changes, &[lost], 85);
    // The pod on the other node is gone, and this one has 5 s left.
    assert_eq!(outlook_of(&objects, now).0.standing, Standing::Progressing);
    mark_not_ready(&mut objects, "a");
    let (rollout, remedies) = outlook_of(&objects, now);
    assert_eq!((rollout.standing, rollout.complete), (Standing::Stuck, None));
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert_eq!(obstacle.why, format!("{AWAITED}node a no longer reports: 1 pod there stays until it does"));
    assert_eq!(obstacle.command.as_deref(), Some("kubectl describe node a"));
    assert_eq!(remedies, ["As a last resort, delete node a, if it is switched off for good", "Bring node a back"]);
    // A Node object knows better.
    objects.push(node("a", "True", 110));
    assert_eq!(outlook_of(&objects, now).0.standing, Standing::Progressing);
}

#[test]
fn the_pods_of_a_lost_node_have_the_time_left_since_its_taint() {
    for (replicas, pods, they_are, they_stay) in
        [(2, 1, "its pod is", "it stays terminating"), (4, 2, "its 2 pods are", "they stay terminating")]
    {
        let mut web = deployment(&json!({}));
        web["spec"]["replicas"] = json!(replicas);
        let (outlook, now) = after_a_taint(&web);
        let evicted = outlook.timeline.steps.iter().filter(|step| step.reason().rule.id == "taint-eviction.delete");
        let times: Vec<i64> = evicted.map(|step| step.time.since(now)).collect();
        assert_eq!(times, vec![Duration::seconds(185).0; pods]);
        let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
        let why = format!(
            "node a no longer reports: {they_are} evicted in 3 min 5 s (tainted 1 min 55 s ago, tolerated for 5 min) and \
             replaced; {they_stay} until the node returns"
        );
        assert!(rollout.obstacles.iter().any(|obstacle| obstacle.why == why), "{:?}", rollout.obstacles);
        let next = rollout.next.iter().filter(|step| step.rule == "taint-eviction.delete");
        assert_eq!(next.map(|step| step.at).collect::<Vec<_>>(), [Duration::seconds(185).0]);
    }
}

/// The outlook of a Deployment on two nodes, of which one no longer reports and was tainted 115 s ago.
fn after_a_taint(deployment: &Value) -> (Outlook, Time) {
    let changes = json!({ "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    // Unreachable after 50 s, and tainted then.
    let (mut objects, now) = objects_after(deployment, &changes, &[lost], 165);
    let taint = json!({
        "key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": now.plus_seconds(-115).to_string(),
    });
    let mut a = node("a", "Unknown", 110);
    if let Some(node) = a.as_object_mut() {
        node.insert("spec".into(), json!({ "taints": [taint] }));
    }
    objects.extend([a, node("b", "True", 110)]);
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    (Outlook::of(&objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap(), now)
}

#[test]
fn a_remedy_is_played_with_the_stored_policy() {
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let nodes = [node("a", "Unknown", 110), node("b", "True", 110)];
    let mut web = deployment(&json!({ "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } }));
    web["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
    let (rollout, remedies) = outlook(&web, &changes, &[lost], 150, &nodes);
    // The rollout waits for the pod on the lost node, and so does a rollback.
    assert_eq!((rollout.standing, rollout.complete), (Standing::Stuck, None));
    assert_eq!(remedies, ["As a last resort, delete node a, if it is switched off for good", "Bring node a back"]);
}

#[test]
fn recreate_says_how_long_its_old_pods_may_still_take() {
    let changes = json!({ "at": "0s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let (rollout, remedies) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[], 12, &[]);
    assert_eq!((rollout.standing, remedies.len()), (Standing::Progressing, 0));
    let why = "2 old pods are terminating, and have at most 18 s left: Recreate creates no new pods until then";
    assert_eq!(rollout.obstacles.iter().map(|obstacle| &obstacle.why).collect::<Vec<_>>(), [why]);
    // A rolling update does not wait for them.
    let (rollout, _) = outlook(&deployment(&json!({})), &changes, &[], 12, &[]);
    assert_eq!(rollout.obstacles, []);
}

#[test]
fn recreate_does_not_wait_for_an_evicted_pod_of_the_new_replica_set() {
    let changes = json!({ "at": "60s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let evict = Action::Evict(Evict { name: "web/0".into(), namespace: "shop".into() });
    let evicted = TimedAction { at: Duration::seconds(1), action: evict };
    // The rollout had been complete. Now a pod terminates, and the one that replaces it is not ready yet.
    let (rollout, _) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[evicted], 3, &[]);
    assert_eq!((rollout.available, rollout.new, rollout.old), (1, 3, 0));
    assert!(rollout.complete.is_some_and(|complete| complete > 0), "{rollout:?}");
    assert_eq!(rollout.obstacles, []);
}

#[test]
fn with_termination_started_recreate_does_not_wait_for_terminating_pods() {
    let mut started = deployment(&json!({ "type": "Recreate" }));
    started["spec"]["podReplacementPolicy"] = json!("TerminationStarted");
    let changes = json!({ "at": "0s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let (rollout, _) = outlook(&started, &changes, &[], 3, &[]);
    assert_eq!((rollout.standing, rollout.new, rollout.old), (Standing::Progressing, 2, 2));
    assert_eq!(rollout.obstacles, []);
    assert!(rollout.next.iter().all(|next| !next.rule.starts_with("deployment.recreate.wait")), "{:?}", rollout.next);
    // With the other policy, it waits, as it does without one.
    started["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
    let (rollout, _) = outlook(&started, &changes, &[], 3, &[]);
    let [waiting] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert!(waiting.why.starts_with("2 old pods are terminating"), "{}", waiting.why);
}

#[test]
fn a_terminating_pod_may_be_past_its_pre_stop_hook() {
    let plain = deployment(&json!({ "type": "Recreate" }));
    let mut hooked = plain.clone();
    hooked["spec"]["template"]["spec"]["containers"][0]["lifecycle"] =
        json!({ "preStop": { "exec": { "command": ["sleep", "15"] } } });
    let changes = json!({ "at": "0s", "image": "web:2" });
    // The hook is a part of the grace period, whatever is left of both.
    for seconds in [5, 20] {
        let [plain, hooked] = [&plain, &hooked].map(|it| outlook(it, &changes, &[], seconds, &[]).0.complete);
        assert!(plain.is_some());
        assert_eq!(hooked, plain, "{seconds}");
    }
}

/// The live state of a rollout, some seconds after its start.
fn live_objects(strategy: &Value, seconds: i64) -> (Vec<Value>, Time) {
    let changes = json!({ "at": "0s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    objects_after(&deployment(strategy), &changes, &[], seconds)
}

/// The command that removes a finalizer of a pod, and no other one.
fn without_finalizer(pod: &str, index: usize, finalizer: &str) -> String {
    let path = format!("/metadata/finalizers/{index}");
    let patch = json!([{ "op": "test", "path": path, "value": finalizer }, { "op": "remove", "path": path }]);
    format!("kubectl patch pod {pod} --namespace shop --type json --patch '{patch}'")
}

#[test]
fn only_one_of_several_finalizers_is_removed() {
    let (mut objects, now) = live_objects(&json!({ "type": "Recreate" }), 12);
    let is_terminating = |object: &&mut Value| object.pointer("/metadata/deletionTimestamp").is_some();
    let pod = objects.iter_mut().find(is_terminating).unwrap();
    pod["metadata"]["finalizers"] = json!(["foregroundDeletion", "example.com/backup", "example.com/audit"]);
    let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
    let (rollout, _) = outlook_of(&objects, now);
    let kept = rollout.obstacles.last().unwrap();
    assert_eq!(kept.command, Some(without_finalizer(&name, 1, "example.com/backup")));
    let remedy = kept.remedy.as_deref().unwrap_or_default();
    assert!(remedy.contains("remove example.com/backup alone: what it should have cleaned up stays"), "{remedy}");
    let pod = objects.iter_mut().find(is_terminating).unwrap();
    pod["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
    let (rollout, _) = outlook_of(&objects, now);
    let kept = rollout.obstacles.last().unwrap();
    assert!(kept.why.ends_with("foregroundDeletion; the rollout goes on"), "{}", kept.why);
    assert_eq!(kept.command, None);
}

#[test]
fn finalizers_of_a_terminating_pod_are_named() {
    let (mut objects, now) = live_objects(&json!({ "type": "Recreate" }), 12);
    let is_terminating = |object: &&mut Value| object.pointer("/metadata/deletionTimestamp").is_some();
    let pod = objects.iter_mut().find(is_terminating).unwrap();
    pod["metadata"]["finalizers"] = json!(["example.com/backup"]);
    let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
    let (rollout, _) = outlook_of(&objects, now);
    let [waiting, kept] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert!(waiting.why.starts_with("2 old pods are terminating"), "{}", waiting.why);
    let why = "stays until its finalizers are removed: example.com/backup; the rollout goes on";
    assert_eq!(kept.why, format!("terminating pod {name} {why}"));
    assert_eq!(kept.command, Some(without_finalizer(&name, 0, "example.com/backup")));
    // Its containers end, and then not even Recreate waits for it.
    assert_eq!(rollout.standing, Standing::Progressing);
}

/// The obstacles of a rollout whose old pods should have been gone for that many seconds.
fn overdue(strategy: &Value, seconds: i64, nodes: &[Value]) -> (RolloutOutlook, Vec<String>, Vec<String>) {
    let (mut objects, now) = live_objects(strategy, 12);
    objects.extend(nodes.iter().cloned());
    // Their deadline is 18 s after that.
    let (rollout, remedies) = outlook_of(&objects, now.plus_seconds(18).plus_seconds(seconds));
    let whys = rollout.obstacles.iter().map(|obstacle| obstacle.why.clone()).collect();
    (rollout, remedies, whys)
}

/// How obstacles begin that Recreate waits for.
const AWAITED: &str = "Recreate waits for old pods: ";

#[test]
fn recreate_waits_forever_for_pods_that_should_have_been_gone() {
    let recreate = json!({ "type": "Recreate" });
    let (rollout, remedies, whys) = overdue(&recreate, 3600, &[]);
    assert_eq!((rollout.standing, rollout.complete, rollout.last_old_pod_gone), (Standing::Stuck, None, None));
    assert_eq!(whys, [format!("{AWAITED}2 terminating pods should have ended 1 h ago: does their node node answer?")]);
    let Obstacle { remedy, command, .. } = &rollout.obstacles[0];
    assert_eq!(
        remedy.as_deref(),
        Some("bring it back, or, as a last resort, delete that node if it is switched off for good; its state")
    );
    assert_eq!(command.as_deref(), Some("kubectl describe node node"));
    // There is no other node, and no older revision.
    assert_eq!(remedies, ["Bring node node back"]);
    // With Node objects, it is known whether the node reports.
    let (rollout, remedies, whys) = overdue(&recreate, 3600, &[node("node", "True", 110)]);
    assert_eq!(rollout.standing, Standing::Stuck);
    assert_eq!(
        remedies,
        ["As a last resort, force-delete the terminating pods, although their containers may keep running"]
    );
    let why = "2 terminating pods should have ended 1 h ago: node node reports, but does not stop them";
    assert_eq!(whys, [format!("{AWAITED}{why}")]);
    let command = rollout.obstacles[0].command.as_deref();
    assert!(command.is_some_and(|command| command.starts_with("kubectl describe pod web-")), "{command:?}");
    let (_, _, whys) = overdue(&recreate, 3600, &[node("node", "Unknown", 110)]);
    assert_eq!(whys, [format!("{AWAITED}node node no longer reports: 2 pods there stay until it does")]);
    // With others, it is not.
    let (rollout, remedies, whys) = overdue(&recreate, 3600, &[node("spare", "True", 110)]);
    assert_eq!(rollout.standing, Standing::Stuck);
    assert_eq!(whys, [format!("{AWAITED}2 terminating pods should have ended 1 h ago: does their node node answer?")]);
    assert_eq!(
        remedies,
        ["As a last resort, delete node node, if it is switched off for good", "Bring node node back"]
    );
}

#[test]
fn a_pod_that_its_kubelet_does_not_stop_can_be_deleted_at_once() {
    let (mut objects, now) = live_objects(&json!({ "type": "Recreate" }), 12);
    objects.push(node("node", "True", 110));
    let is_terminating = |object: &&mut Value| object.pointer("/metadata/deletionTimestamp").is_some();
    let (_, remedies) = outlook_with_remedies(&objects, now.plus_seconds(3600));
    let [remedy] = remedies.as_slice() else { panic!("{remedies:?}") };
    let command = remedy.command.as_deref().unwrap_or_default();
    assert!(command.starts_with("kubectl delete pod web-"), "{command}");
    assert!(command.ends_with(" --namespace shop --grace-period=0 --force"), "{command}");
    assert!(remedy.complete > 0 && remedy.last_old_pod_gone.is_some(), "{remedy:?}");
    for pod in objects.iter_mut().filter(is_terminating) {
        assert!(pod["metadata"]["name"].as_str().is_some_and(|name| command.contains(name)), "{command}");
        pod["metadata"]["finalizers"] = json!(["example.com/backup"]);
    }
    // A deletion does not remove a pod with finalizers: they go first.
    let (rollout, remedies) = outlook_with_remedies(&objects, now.plus_seconds(3600));
    let [late, kept] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert_eq!(rollout.standing, Standing::Stuck);
    assert!(late.why.ends_with("node node reports, but does not stop them"), "{}", late.why);
    assert!(kept.why.ends_with(" stays until its finalizers are removed: example.com/backup"), "{}", kept.why);
    let [remedy] = remedies.as_slice() else { panic!("{remedies:?}") };
    let remove = "As a last resort, remove finalizer example.com/backup, and force-delete the terminating pods";
    assert_eq!(remedy.what, format!("{remove}, although their containers may keep running"));
    let commands: Vec<&str> = remedy.command.iter().flat_map(|command| command.split(" && ")).collect();
    let starts = ["kubectl patch pod web-", "kubectl patch pod web-", "kubectl delete pod web-"];
    assert_eq!(commands.len(), starts.len(), "{commands:?}");
    assert!(commands.iter().zip(starts).all(|(command, start)| command.starts_with(start)), "{commands:?}");
    assert!(remedy.complete > 0 && remedy.last_old_pod_gone.is_some() && remedy.action.is_none(), "{remedy:?}");
    assert!(remedy.cost.as_deref().is_some_and(|cost| cost.contains("may write to the same data")), "{remedy:?}");
}

#[test]
fn clocks_may_differ_by_half_a_minute() {
    let recreate = json!({ "type": "Recreate" });
    let standing = |seconds: i64| overdue(&recreate, seconds, &[]).0.standing;
    assert_eq!([0, 30, 31].map(standing), [Standing::Progressing, Standing::Progressing, Standing::Stuck]);
}

#[test]
fn a_rolling_update_goes_on_without_pods_that_should_have_been_gone() {
    let (rollout, remedies, whys) = overdue(&json!({}), 3605, &[]);
    assert_eq!((rollout.standing, rollout.last_old_pod_gone), (Standing::Complete, None));
    // The new pods on that node are ready.
    assert_eq!(whys, ["2 terminating pods should have ended 1 h ago: node node reports, but does not stop them"]);
    assert_eq!(
        remedies,
        ["As a last resort, force-delete the terminating pods, although their containers may keep running"]
    );
}

#[test]
fn nothing_frees_a_deployment_that_is_being_deleted() {
    let (mut objects, now) = live_objects(&json!({}), 3);
    let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    deployment["metadata"]["deletionTimestamp"] = json!(now.to_string());
    deployment["metadata"]["deletionGracePeriodSeconds"] = json!(0);
    deployment["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
    let (rollout, remedies) = outlook_of(&objects, now);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    let why = "it is being deleted, so its rollout has stopped; its ReplicaSets and pods are deleted first, then the Deployment";
    assert_eq!(obstacle.why, why);
    let remedy = "a deletion can't be undone: once web is gone, apply its manifest again";
    assert_eq!(obstacle.remedy.as_deref(), Some(remedy));
    assert_eq!((rollout.standing, remedies.len()), (Standing::Deleting, 0));
    // What its pods wait for comes first.
    objects.push(node("node", "Unknown", 110));
    let (rollout, _) = outlook_of(&objects, now);
    let whys: Vec<&str> = rollout.obstacles.iter().map(|obstacle| obstacle.why.as_str()).collect();
    assert!(whys[0].starts_with("node node no longer reports"), "{whys:?}");
    assert_eq!(whys[1..], [why]);
}

#[test]
fn terminating_pods_are_counted_apart() {
    let changes = json!({ "at": "0s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let (rollout, _) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[], 12, &[]);
    let RolloutOutlook { new, old, new_terminating, old_terminating, .. } = &rollout;
    assert_eq!([*new, *old, *new_terminating, *old_terminating], [0, 2, 0, 2]);
    assert!(rollout.summary().starts_with("2 old pods terminating, 0 of 2 available"), "{}", rollout.summary());
    let numbers = |new, old, new_terminating, old_terminating| {
        let rollout = RolloutOutlook { new, old, new_terminating, old_terminating, ..rollout.clone() };
        let summary = rollout.summary();
        summary.split_once(", 0 of 2").map(|(pods, _)| String::from(pods)).unwrap_or_default()
    };
    assert_eq!(numbers(3, 0, 1, 0), "2 pods, 1 pod terminating");
    assert_eq!(numbers(3, 2, 1, 0), "2 new and 2 old pods, 1 new pod terminating");
    assert_eq!(numbers(3, 2, 1, 1), "2 new and 1 old pod, 1 new and 1 old pod terminating");
    assert_eq!(numbers(2, 1, 0, 1), "2 new pods, 1 old pod terminating");
    assert_eq!(numbers(1, 0, 0, 0), "1 pod");
}

fn limit_range(name: &str, of_containers: &Value) -> Value {
    let mut limits = of_containers.clone();
    if let Some(limits) = limits.as_object_mut() {
        limits.insert("type".into(), json!("Container"));
    }
    json!({
        "apiVersion": "v1", "kind": "LimitRange", "metadata": { "name": name, "namespace": "shop" },
        "spec": { "limits": [limits] },
    })
}

#[test]
fn pods_that_a_limit_range_keeps_out_are_let_in_without_it() {
    let mut web = deployment(&json!({}));
    web["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({ "requests": { "cpu": "2" } });
    let memory = limit_range("memory", &json!({ "default": { "memory": "1Gi" } }));
    let cpu = |name: &str| limit_range(name, &json!({ "max": { "cpu": "1" } }));
    for (objects, said) in [
        (vec![cpu("small"), memory.clone()], "LimitRange small"),
        (vec![cpu("small"), cpu("tiny"), memory], "LimitRanges small and tiny"),
    ] {
        let actions = vec![TimedAction { at: Duration(0), action: Action::Create(web.clone().into()) }];
        let scenario = Scenario { objects: objects.into_iter().collect(), actions, ..Scenario::default() };
        let outlook = Outlook::at_standstill(scenario).unwrap().unwrap();
        let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
        assert_eq!((rollout.standing, rollout.new, rollout.old), (Standing::Stuck, 0, 0));
        let why = "the API server refuses pods of web-";
        let refused = rollout.obstacles.iter().find(|obstacle| obstacle.why.starts_with(why));
        let obstacle = refused.unwrap_or_else(|| panic!("{rollout:?}"));
        let end = format!("must be less than or equal to cpu limit of 1 (the default limit of {said})");
        assert!(obstacle.why.ends_with(&end), "{obstacle:?}");
        let remedy = format!(
            "request less in the template, or raise that limit in {said} \
             (the controller tries the same template again within 16 min 40 s)"
        );
        assert_eq!(obstacle.remedy.as_ref(), Some(&remedy));
        let remedies = outlook.remedies(&rollout).unwrap();
        assert_eq!(
            remedies.iter().map(|remedy| remedy.what.as_str()).collect::<Vec<_>>(),
            ["Fix the cause of the refusals"]
        );
    }
}

#[test]
fn a_limit_range_that_will_keep_pods_out_is_named_before_it_does() {
    let mut web = deployment(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }));
    web["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({ "requests": { "cpu": "250m" } });
    let changes = json!({ "at": "0s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let (mut objects, now) = objects_after(&web, &changes, &[], 1);
    assert_eq!(outlook_of(&objects, now).0.standing, Standing::Progressing);
    objects.push(limit_range("lr", &json!({ "max": { "cpu": "200m" } })));
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    assert_eq!(rollout.standing, Standing::Stuck);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    let why = "the API server refuses pods of web-";
    let end = "must be less than or equal to cpu limit of 200m (the default limit of LimitRange lr)";
    assert!(obstacle.why.starts_with(why) && obstacle.why.ends_with(end), "{obstacle:?}");
    let remedy = "request less in the template, or raise that limit in LimitRange lr \
                  (the controller tries the same template again within 16 min 40 s)";
    assert_eq!(obstacle.remedy.as_deref(), Some(remedy));
    assert!(at_the_next_try(&remedies).contains(&"Fix the cause of the refusals"), "{remedies:?}");
}

#[test]
fn a_pod_that_still_starts_after_the_deadline_is_held_up() {
    let (objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }), 3);
    let starting = |reason: &str| {
        let objects = objects.iter().cloned().map(|mut object| {
            match object["kind"].as_str() {
                Some("Deployment") => {
                    object["status"]["conditions"] =
                        json!([{ "type": "Progressing", "status": "False", "reason": reason }]);
                }
                Some("Pod") if object["spec"]["containers"][0]["image"] == "web:2" => {
                    let waiting = json!({ "reason": "ContainerCreating" });
                    object["status"] = json!({
                        "phase": "Pending",
                        "containerStatuses": [{ "name": "app", "state": { "waiting": waiting } }],
                    });
                }
                _ => {}
            }
            object
        });
        outlook_of(&objects.collect::<Vec<_>>(), now)
    };
    let (rollout, _) = starting("ReplicaSetUpdated");
    assert_eq!((rollout.standing, rollout.obstacles), (Standing::Progressing, vec![]));
    let (rollout, remedies) = starting("ProgressDeadlineExceeded");
    assert_eq!(rollout.standing, Standing::Stuck);
    assert!(rollout.obstacles[0].why.starts_with("container app is waiting: ContainerCreating (pod web-"));
    assert_eq!(remedies, ["Fix what keeps its pods from becoming ready", "Roll back"]);
}

#[test]
fn a_deployment_that_was_read_long_before_the_rest_is_not_late() {
    let (mut objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }), 3);
    let before = Time(now.0 - 1200 * Time::SECOND).to_string();
    for object in &mut objects {
        if is_new(object, "Pod") {
            object["metadata"]["creationTimestamp"] = json!(before);
            object["status"] = json!({ "phase": "Pending" });
        }
        if object["kind"] == "Deployment" {
            let progressing = json!({ "type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "lastUpdateTime": before });
            object["status"]["conditions"] = json!([progressing]);
        }
    }
    assert_eq!(outlook_of(&objects, now).0.standing, Standing::Progressing);
    // With the rest, the controller says that the deadline has passed.
    for deployment in objects.iter_mut().filter(|object| object["kind"] == "Deployment") {
        deployment["status"]["conditions"][0]["status"] = json!("False");
        deployment["status"]["conditions"][0]["reason"] = json!("ProgressDeadlineExceeded");
    }
    assert_eq!(outlook_of(&objects, now).0.standing, Standing::Stuck);
}

/// The remedies that help only at the next try.
fn at_the_next_try(remedies: &[Remedy]) -> Vec<&str> {
    remedies.iter().filter(|remedy| remedy.after_next_try).map(|remedy| remedy.what.as_str()).collect()
}

/// Whether an object is of the new template.
fn is_new(object: &Value, kind: &str) -> bool {
    let image = if kind == "Pod" { "/spec/containers/0/image" } else { "/spec/template/spec/containers/0/image" };
    object["kind"] == kind && object.pointer(image).is_some_and(|image| image == "web:2")
}

/// The live state of a rollout whose new pods the API server refuses with this message.
fn refused(message: &str) -> (Vec<Value>, Time) {
    let (mut objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }), 3);
    objects.retain(|object| !is_new(object, "Pod"));
    let failure = json!({ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message });
    for replica_set in objects.iter_mut().filter(|object| is_new(object, "ReplicaSet")) {
        replica_set["status"] = json!({ "replicas": 0, "conditions": [failure.clone()] });
    }
    (objects, now)
}

fn quota(hard: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "few", "namespace": "shop" },
        "spec": { "hard": hard },
    })
}

#[test]
fn what_the_api_server_refuses_blocks_a_rollout() {
    for message in [
        "Internal error occurred: failed calling webhook \"v.example.com\": connection refused",
        "pods \"web-x\" is forbidden: error looking up service account shop/web: serviceaccount \"web\" not found",
        "pods \"web-x\" is forbidden: violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false",
        "pods \"web-x\" is forbidden: maximum cpu usage per Container is 1, but limit is 2",
        // The quota is not among the objects.
        "pods \"web-x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2",
    ] {
        let (objects, now) = refused(message);
        let (rollout, remedies) = outlook_with_remedies(&objects, now);
        assert_eq!((rollout.standing, rollout.complete), (Standing::Stuck, None), "{message}");
        let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        // No pod is played that the API server refuses.
        assert_eq!(Outlook::of(&objects, &options).unwrap().prediction.total.outcome.peak, 2, "{message}");
        let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
        assert!(obstacle.why.starts_with("the API server refuses pods of web-"), "{}", obstacle.why);
        assert!(obstacle.why.ends_with(message), "{}", obstacle.why);
        let remedy = obstacle.remedy.as_deref().unwrap();
        assert!(remedy.contains("; the controller tries the same template again within 16 min 40 s"), "{remedy}");
        let whats: Vec<&str> = remedies.iter().map(|remedy| remedy.what.as_str()).collect();
        assert_eq!(whats, ["Fix the cause of the refusals", "Roll back"]);
        assert_eq!(at_the_next_try(&remedies), ["Fix the cause of the refusals"]);
    }
}

#[test]
fn a_given_quota_is_simulated() {
    let message = "pods \"web-x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2";
    let (mut objects, now) = refused(message);
    // It has been raised since.
    objects.push(quota(&json!({ "pods": "10" })));
    let (rollout, _) = outlook_of(&objects, now);
    assert_eq!((rollout.standing, rollout.obstacles), (Standing::Progressing, vec![]));
    objects.pop();
    objects.push(quota(&json!({ "pods": "2" })));
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    assert_eq!(rollout.standing, Standing::Stuck);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert!(obstacle.why.contains("exceeded quota: few"), "{}", obstacle.why);
    let patch = json!({ "spec": { "hard": { "pods": "4" } } });
    let command = format!("kubectl patch resourcequota few --namespace shop --patch '{patch}'");
    assert_eq!(obstacle.command.as_ref(), Some(&command));
    let raised = remedies.iter().find(|remedy| remedy.what == "Raise quota few").unwrap();
    assert_eq!(raised.command.as_ref(), Some(&command));
    // A patch of the Deployment does not change its new ReplicaSet, whose back-off goes on.
    assert_eq!(at_the_next_try(&remedies), ["Allow 1 unavailable pod instead of extra pods", "Raise quota few"]);
}

#[test]
fn a_quota_refuses_pods_under_the_stored_policy() {
    let changes = json!({ "at": "60s", "image": "web:2", "kubelet": [{ "terminate": "20s" }] });
    let refused = |policy: &str| {
        let mut web = deployment(&json!({ "type": "Recreate" }));
        web["spec"]["podReplacementPolicy"] = json!(policy);
        let (mut objects, now) = objects_after(&web, &changes, &[], 30);
        let live = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
        live["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
        live["metadata"]["generation"] = json!(live["metadata"]["generation"].as_i64().unwrap().saturating_add(1));
        objects.push(quota(&json!({ "pods": "2" })));
        let (rollout, _) = outlook_of(&objects, now);
        rollout.obstacles.iter().any(|obstacle| obstacle.why.contains("exceeded quota: few"))
    };
    // The new pods are created beside the terminating ones.
    assert!(refused("TerminationStarted"));
    assert!(!refused("TerminationComplete"));
}

#[test]
fn a_quota_that_requires_requests_need_not_be_raised() {
    let message = "pods \"web-x\" is forbidden: failed quota: few: must specify requests.cpu for: app";
    let (mut objects, now) = refused(message);
    objects.push(quota(&json!({ "requests.cpu": "4" })));
    let (rollout, remedies) = outlook_of(&objects, now);
    let set = "Set requests.cpu in the template (simulated with a small amount)";
    assert_eq!((rollout.standing, remedies), (Standing::Stuck, vec!["Roll back".into(), set.into()]));
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    let remedy = "set in the template what quota few requires: requests.cpu for: app";
    assert_eq!((obstacle.remedy.as_deref(), obstacle.command.as_deref()), (Some(remedy), None));
}

#[test]
fn what_a_quota_requires_is_set_in_all_containers() {
    let required = "limits.cpu for: app,setup; memory for: app,setup";
    let message = format!("pods \"web-x\" is forbidden: failed quota: few: must specify {required}");
    let (mut objects, now) = refused(&message);
    let has_template = |object: &&mut Value| is_new(object, "Deployment") || is_new(object, "ReplicaSet");
    for object in objects.iter_mut().filter(has_template) {
        let spec = &mut object["spec"]["template"]["spec"];
        spec["containers"][0]["resources"] = json!({ "requests": { "cpu": "500m" } });
        spec["initContainers"] = json!([{ "name": "setup", "image": "setup:1", "restartPolicy": "Always" }]);
    }
    objects.push(quota(&json!({ "limits.cpu": "4", "memory": "8Gi" })));
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert!(obstacle.why.contains(required), "{}", obstacle.why);
    let what = "Set limits.cpu and requests.memory in the template (simulated with a small amount)";
    let remedy = remedies.iter().find(|remedy| remedy.what == what);
    assert!(remedy.is_some_and(|remedy| !remedy.after_next_try), "{remedies:?}");
}

/// The live state of a rollout whose new pods have this status.
fn with_new_pods(status: &Value) -> (Vec<Value>, Time) {
    let (mut objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }), 3);
    objects.iter_mut().filter(|object| is_new(object, "Pod")).for_each(|pod| pod["status"] = status.clone());
    (objects, now)
}

/// The live state of a rollout whose new pods have no node, as the scheduler says.
fn without_node(message: &str) -> (Vec<Value>, Time) {
    let condition = json!({ "type": "PodScheduled", "status": "False", "message": message });
    let (mut objects, now) = with_new_pods(&json!({ "phase": "Pending", "conditions": [condition] }));
    for pod in objects.iter_mut().filter(|object| is_new(object, "Pod")) {
        pod.pointer_mut("/spec/nodeName").unwrap().take();
    }
    (objects, now)
}

#[test]
fn each_reason_of_the_scheduler_has_its_advice() {
    for (reason, why, advice, remedy) in [
        (
            "1 Insufficient cpu",
            "no node has room for a pod",
            "let an old pod go first (maxSurge 0, maxUnavailable 1), add a node, make room on one",
            "Add a node, or make room on one",
        ),
        (
            "1 node(s) had untolerated taint(s)",
            "the scheduler finds no node for a pod",
            "tolerate the taint",
            "Add a node that takes its pods",
        ),
        (
            "1 node(s) didn't match pod anti-affinity rules",
            "the scheduler finds no node for a pod",
            "let an old pod go first",
            "Add a node that takes its pods",
        ),
        (
            "pod has unbound immediate PersistentVolumeClaims",
            "the scheduler finds no node for a pod",
            "check its PersistentVolumeClaims",
            "Fix what keeps its pods from getting a node",
        ),
    ] {
        let message = format!("0/1 nodes are available: {reason}. preemption: 0/1 nodes are available.");
        let (objects, now) = without_node(&message);
        let (rollout, remedies) = outlook_of(&objects, now);
        let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
        assert!(
            obstacle.why.starts_with(&format!("{why}: 0/1 nodes are available: {reason} (pod web-")),
            "{obstacle:?}"
        );
        assert!(obstacle.remedy.as_ref().is_some_and(|given| given.starts_with(advice)), "{obstacle:?}");
        assert!(remedies.iter().any(|it| it == remedy), "{remedies:?}");
    }
}

#[test]
fn a_cordoned_node_can_be_uncordoned() {
    let (mut objects, now) = without_node("0/1 nodes are available: 1 node(s) were unschedulable.");
    let mut cordoned = node("node", "True", 110);
    cordoned["spec"] = json!({ "unschedulable": true });
    objects.push(cordoned);
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    assert_eq!(rollout.standing, Standing::Stuck);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert_eq!(obstacle.command.as_deref(), Some("kubectl uncordon node"));
    let uncordon = remedies.iter().find(|remedy| remedy.what == "Uncordon node").unwrap();
    assert_eq!(uncordon.command.as_deref(), Some("kubectl uncordon node"));
    // One that an autoscaler removes, or that something else keeps pods from, stays empty.
    let last = objects.len() - 1;
    objects[last]["spec"]["taints"] = json!([{ "key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule" }]);
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    assert_eq!((obstacle.remedy.as_deref(), obstacle.command.as_deref()), (Some("add a node"), None));
    assert!(remedies.iter().all(|remedy| remedy.what != "Uncordon node"), "{remedies:?}");
}

#[test]
fn what_runs_other_pods_in_its_place_keeps_a_workload_at_0() {
    let (mut objects, now) = live_objects(&json!({}), 30);
    objects.retain(|object| object["kind"] != "Pod");
    for object in &mut objects {
        object["spec"]["replicas"] = json!(0);
        object["status"] = json!({ "observedGeneration": object["metadata"]["generation"] });
    }
    let (rollout, _) = outlook_of(&objects, now);
    assert_eq!(rollout.obstacles[0].why, "replicas is 0");
    let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" });
    for (group, kind, field) in [("flagger.app", "Canary", "targetRef"), ("argoproj.io", "Rollout", "workloadRef")] {
        let metadata = json!({ "name": "web", "namespace": "shop", "uid": "other" });
        let api_version = format!("{group}/v1");
        objects
            .push(json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": { field: target } }));
        let (rollout, _) = outlook_of(&objects, now);
        assert_eq!((rollout.autoscaler, rollout.obstacles), (Some(format!("{kind} web")), vec![]));
        objects.pop();
    }
}

/// The live state of a rollout whose new pod waits beside a full node and a spare one, which is or was cordoned.
fn beside_a_spare_node(is_cordoned: bool) -> (Vec<Value>, Time) {
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "full", "pods": 2 }] });
    let (mut objects, now) = objects_after(&deployment(&strategy), &changes, &[], 30);
    let message = "0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. preemption: 0/2 nodes.";
    let condition = json!({ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message });
    let status = json!({ "phase": "Pending", "conditions": [condition] });
    for pod in objects.iter_mut().filter(|object| is_new(object, "Pod")) {
        if let Some(given) = pod.pointer_mut("/status") {
            given.clone_from(&status);
        }
    }
    let spare = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": "spare" }, "spec": { "unschedulable": is_cordoned },
        "status": { "allocatable": { "pods": "110" }, "conditions": [{ "type": "Ready", "status": "True" }] },
    });
    objects.extend([node("full", "True", 2), spare]);
    (objects, now)
}

#[test]
fn a_waiting_pod_gets_a_cordoned_node_once_that_is_uncordoned() {
    let (objects, now) = beside_a_spare_node(true);
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    assert_eq!((rollout.standing, rollout.complete), (Standing::Stuck, None));
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let outlook = Outlook::of(&objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let is_on_spare = |object: &Value| object.pointer("/spec/nodeName").is_some_and(|name| name == "spare");
    let timeline = &outlook.timeline;
    let mut after = timeline.steps.iter().filter_map(|step| step.change.as_ref()?.after.as_ref());
    assert!(!after.any(|object| is_on_spare(&object.to_value())));
    // Nobody does what the state holds already.
    assert_eq!(timeline.scenario.actions, []);
    // Done by hand, it takes as long as the remedy says.
    let mut scenario = (*timeline.scenario).clone();
    let uncordon = Action::Uncordon(NodeName { name: "spare".into() });
    scenario.actions.push(TimedAction { at: Duration(0), action: uncordon });
    let uncordoned = Timeline::run(scenario).unwrap();
    let by_hand = uncordoned.totals("shop", "web", now).complete;
    let remedy = remedies.iter().find(|remedy| remedy.what == "Uncordon spare").unwrap();
    assert_eq!(by_hand, Some(remedy.complete));
}

#[test]
fn what_the_scheduler_said_before_a_node_was_uncordoned_holds_no_pod_up() {
    let (objects, now) = beside_a_spare_node(false);
    let (rollout, _) = outlook_of(&objects, now);
    assert_eq!((rollout.standing, rollout.obstacles), (Standing::Progressing, vec![]));
    assert!(rollout.complete.is_some());
}

#[test]
fn the_taint_that_keeps_pods_away_is_named_with_its_node() {
    let message = "0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}.";
    let (mut objects, now) = without_node(message);
    let mut tainted = node("node", "True", 110);
    tainted["spec"] = json!({ "taints": [{ "key": "dedicated", "value": "gpu", "effect": "NoSchedule" }] });
    objects.push(tainted);
    let (rollout, _) = outlook_with_remedies(&objects, now);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    let why = format!("the scheduler finds no node for a pod: {} (pod web-", message.trim_end_matches('.'));
    assert!(obstacle.why.starts_with(&why), "{obstacle:?}");
    let remedy = "tolerate taint dedicated=gpu:NoSchedule of node node, remove it, or add a node without it";
    assert_eq!(obstacle.remedy.as_deref(), Some(remedy));
}

#[test]
fn kubectl_rolls_back_only_to_an_older_revision_and_not_while_it_is_paused() {
    let waiting = json!({ "reason": "ErrImagePull", "message": "not found" });
    let status = json!({
        "phase": "Pending",
        "containerStatuses": [{ "name": "app", "state": { "waiting": waiting } }],
    });
    let (objects, now) = with_new_pods(&status);
    let commands = |objects: &[Value]| -> Vec<Option<String>> {
        outlook_of(objects, now).0.obstacles.into_iter().map(|obstacle| obstacle.command).collect()
    };
    let kubectl = |verb: &str| Some(format!("kubectl rollout {verb} deployment/web --namespace shop"));
    assert_eq!(commands(&objects), [kubectl("undo")]);
    let mut paused = objects.clone();
    paused.iter_mut().filter(|object| object["kind"] == "Deployment").for_each(|it| it["spec"]["paused"] = json!(true));
    let [shown, resume] = commands(&paused).try_into().unwrap();
    assert!(shown.is_some_and(|command| command.starts_with("kubectl describe pod web-")));
    assert_eq!(resume, kubectl("resume"));
    let mut first = objects;
    first.retain(|object| object["kind"] == "Deployment" || is_new(object, "ReplicaSet") || is_new(object, "Pod"));
    let (rollout, _) = outlook_of(&first, now);
    let remedy = rollout.obstacles[0].remedy.as_deref();
    let expected = "push that image to registry docker.io, or correct its name or tag; details";
    assert_eq!(remedy, Some(expected));
    assert!(commands(&first)[0].as_ref().is_some_and(|command| command.starts_with("kubectl describe pod web-")));
}

#[test]
fn a_rollback_goes_to_the_last_revision_with_ready_pods() {
    let waiting = json!({ "waiting": { "reason": "ErrImagePull" } });
    let status = json!({ "phase": "Pending", "containerStatuses": [{ "name": "app", "state": waiting }] });
    let (mut objects, now) = with_new_pods(&status);
    let mut bad = objects.iter().find(|object| is_new(object, "ReplicaSet")).unwrap().clone();
    for object in &mut objects {
        if object["kind"] == "Deployment" || is_new(object, "ReplicaSet") {
            object["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = json!("3");
        }
    }
    bad["metadata"]["name"] = json!("web-bad");
    bad["metadata"]["uid"] = json!("web-bad");
    bad["spec"]["replicas"] = json!(0);
    bad["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:bad");
    bad["status"] = json!({ "replicas": 0 });
    objects.push(bad);
    let (rollout, remedies) = outlook_with_remedies(&objects, now);
    let command = "kubectl rollout undo deployment/web --namespace shop --to-revision=1";
    assert_eq!(rollout.obstacles[0].command.as_deref(), Some(command));
    assert!(rollout.obstacles[0].remedy.as_ref().is_some_and(|it| it.contains("revision 1, the last with ready pods")));
    let undo = remedies.iter().find(|remedy| remedy.what.starts_with("Roll back")).unwrap();
    assert_eq!((undo.what.as_str(), undo.command.as_deref()), ("Roll back to revision 1", Some(command)));
}

/// Gives the new template the first image of the old one, and another container whose image can't be pulled.
fn with_bad_sidecar(objects: &mut [Value], list: &str) {
    let is_of_new = |object: &Value| {
        object.pointer("/kind").is_some_and(|kind| kind == "Deployment")
            || ["ReplicaSet", "Pod"].into_iter().any(|kind| is_new(object, kind))
    };
    for object in objects.iter_mut().filter(|object| is_of_new(object)) {
        let path = if is_new(object, "Pod") { "/spec" } else { "/spec/template/spec" };
        let spec = object.pointer_mut(path).unwrap();
        let first = spec.pointer_mut("/containers/0").unwrap();
        let mut sidecar = first.clone();
        *sidecar.pointer_mut("/name").unwrap() = json!("log");
        *sidecar.pointer_mut("/image").unwrap() = json!("log:bad");
        *first.pointer_mut("/image").unwrap() = json!("web:1");
        let containers = spec.as_object_mut().unwrap().entry(list).or_insert_with(|| json!([]));
        containers.as_array_mut().unwrap().push(sidecar);
    }
}

#[test]
fn a_rollback_needs_no_image_of_a_sidecar_that_the_old_template_lacks() {
    for (list, statuses) in [("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")] {
        let status = json!({
            "phase": "Pending",
            (statuses): [{ "name": "log", "state": { "waiting": { "reason": "ImagePullBackOff" } } }],
        });
        // An old pod is gone already, so the rollback needs a new one.
        let (mut objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } }), 3);
        objects.iter_mut().filter(|object| is_new(object, "Pod")).for_each(|pod| pod["status"] = status.clone());
        with_bad_sidecar(&mut objects, list);
        let (rollout, remedies) = outlook_of(&objects, now);
        assert_eq!(rollout.standing, Standing::Stuck, "{list}");
        assert_eq!(remedies, ["Fix what keeps its pods from becoming ready", "Roll back"], "{list}");
    }
}

#[test]
fn a_fixed_container_starts_at_the_kubelets_next_try() {
    let waiting = json!({ "reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container=app" });
    let status = json!({
        "phase": "Running",
        "containerStatuses": [{ "name": "app", "state": { "waiting": waiting } }],
    });
    let (objects, now) = with_new_pods(&status);
    let (_, remedies) = outlook_with_remedies(&objects, now);
    assert_eq!(at_the_next_try(&remedies), ["Fix what keeps its pods from becoming ready"]);
}

#[test]
fn pods_that_have_been_unready_for_long_may_stay_so() {
    let (mut objects, now) = live_objects(&json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } }), 3);
    let ready = json!({ "type": "Ready", "status": "False", "lastTransitionTime": now.to_string() });
    for pod in objects.iter_mut().filter(|object| is_new(object, "Pod")) {
        pod["status"] = json!({ "phase": "Running", "conditions": [ready.clone()] });
    }
    let (rollout, _) = outlook_of(&objects, now.plus_seconds(59));
    assert_eq!((rollout.standing, rollout.obstacles), (Standing::Progressing, vec![]));
    let (rollout, remedies) = outlook_of(&objects, now.plus_seconds(300));
    assert_eq!((rollout.standing, remedies.len()), (Standing::Progressing, 0));
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
    let why = "1 pod runs, but has not been ready for 5 min: a snapshot can't show whether it becomes ready";
    assert!(obstacle.why.starts_with(why), "{}", obstacle.why);
    assert!(obstacle.command.as_ref().is_some_and(|command| command.starts_with("kubectl describe pod web-")));
    let mut asks = objects.clone();
    for pod in asks.iter_mut().filter(|object| is_new(object, "Pod")) {
        pod["spec"]["containers"][0]["ports"] = json!([{ "containerPort": 8080 }]);
        pod["spec"]["containers"][0]["readinessProbe"] = json!({ "httpGet": { "port": 9090 } });
        pod["status"]["containerStatuses"] = json!([{ "name": "app", "ready": false, "state": { "running": {} } }]);
    }
    let obstacle = &outlook_of(&asks, now.plus_seconds(300)).0.obstacles[0];
    assert!(
        obstacle.why.ends_with("; its readinessProbe asks port 9090, and it declares only 8080"),
        "{}",
        obstacle.why
    );
    let remedy = "let the readinessProbe ask port 8080, or the container listen on port 9090; details";
    assert_eq!(obstacle.remedy.as_deref(), Some(remedy));
    // Pods on a lost node are not ready for a reason that is named.
    objects.push(node("node", "Unknown", 110));
    let (rollout, _) = outlook_of(&objects, now.plus_seconds(300));
    let whys: Vec<&str> = rollout.obstacles.iter().map(|obstacle| obstacle.why.as_str()).collect();
    assert!(whys.iter().any(|why| why.starts_with("node node no longer reports")), "{whys:?}");
    assert!(!whys.iter().any(|why| why.contains("has not been ready")), "{whys:?}");
}

#[test]
fn commands_begin_as_the_user_runs_kubectl() {
    let (mut objects, now) = live_objects(&json!({}), 3);
    let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    deployment["spec"]["paused"] = json!(true);
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = Outlook::of(&objects, &options).unwrap().with_kubectl("kubectl --context prod".into());
    let rollout = outlook.rollouts().next().unwrap();
    let remedies = outlook.remedies(&rollout).unwrap();
    let resume = Some("kubectl --context prod rollout resume deployment/web --namespace shop");
    assert_eq!(rollout.obstacles.iter().map(|obstacle| obstacle.command.as_deref()).collect::<Vec<_>>(), [resume]);
    assert_eq!(remedies.iter().map(|remedy| remedy.command.as_deref()).collect::<Vec<_>>(), [resume]);
}

#[test]
fn a_rollout_in_progress_needs_nothing() {
    let changes = json!({ "at": "0s", "image": "web:2" });
    let (rollout, remedies) = outlook(&deployment(&json!({})), &changes, &[], 3, &[]);
    assert_eq!((rollout.standing, rollout.obstacles.len(), remedies.len()), (Standing::Progressing, 0, 0));
    assert!(
        rollout.summary().starts_with("1 new and 2 old pods, 2 of 2 available; complete in "),
        "{}",
        rollout.summary()
    );
}

#[test]
fn nothing_is_forecast_without_pods() {
    let changes = json!({ "at": "0s", "image": "web:2" });
    let (objects, now) = objects_after(&deployment(&json!({})), &changes, &[], 3);
    for missing in [vec!["Pod"], vec!["ReplicaSet"], vec!["Pod", "ReplicaSet"]] {
        let is_given = |object: &&Value| missing.iter().all(|kind| object["kind"] != **kind);
        let given: Vec<Value> = objects.iter().filter(is_given).cloned().collect();
        let (rollout, remedies) = outlook_of(&given, now);
        assert_eq!((rollout.standing, rollout.complete), (Standing::Unknown, None), "{missing:?}");
        assert_eq!((rollout.next.len(), remedies.len()), (0, 0), "{missing:?}");
        let [obstacle] = rollout.obstacles.as_slice() else { panic!("{:?}", rollout.obstacles) };
        let command = "kubectl get deployments,replicasets,pods --namespace shop --output json";
        assert_eq!(obstacle.command.as_deref(), Some(command));
    }
}

/// A StatefulSet or a DaemonSet with pods of these revisions: the newest one is 2. All of them are ready.
fn set(kind: &str, spec: &Value, revisions: &[u8]) -> Vec<Value> {
    let owner = json!([{ "apiVersion": "apps/v1", "kind": kind, "name": "db", "uid": "db", "controller": true }]);
    let created = "2026-01-01T00:00:00Z";
    let template = |revision: u8| {
        let labels = json!({ "app": "db" });
        json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "db", "image": format!("db:{revision}") }] } })
    };
    let count = revisions.len();
    let updated = revisions.iter().filter(|revision| **revision == 2).count();
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": kind,
        "metadata": { "name": "db", "namespace": "shop", "uid": "db", "generation": 2, "creationTimestamp": created },
        "spec": { "replicas": count, "serviceName": "db", "selector": { "matchLabels": { "app": "db" } }, "template": template(2) },
        "status": {
            "observedGeneration": 2, "replicas": count, "readyReplicas": count, "availableReplicas": count,
            "currentReplicas": count.saturating_sub(updated), "updatedReplicas": updated,
            "currentRevision": "db-1", "updateRevision": "db-2",
            "currentNumberScheduled": count, "desiredNumberScheduled": count, "numberReady": count,
            "numberAvailable": count, "numberMisscheduled": 0, "updatedNumberScheduled": updated,
        },
    });
    if kind == "DaemonSet" {
        for field in ["replicas", "serviceName"] {
            object["spec"].as_object_mut().unwrap().remove(field);
        }
        object["metadata"]["annotations"] = json!({ "deprecated.daemonset.template.generation": "2" });
    }
    for (key, value) in spec.as_object().unwrap() {
        object["spec"][key] = value.clone();
    }
    let history = [1, 2].into_iter().map(|revision| {
        let hash = if kind == "DaemonSet" { format!("{revision}") } else { format!("db-{revision}") };
        json!({
            "apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": revision,
            "metadata": {
                "name": format!("db-{revision}"), "namespace": "shop", "uid": format!("revision-{revision}"),
                "labels": { "app": "db", "controller-revision-hash": hash }, "ownerReferences": owner,
            },
            "data": { "spec": { "template": {
                "$patch": "replace", "metadata": template(revision)["metadata"], "spec": template(revision)["spec"],
            } } },
        })
    });
    let pods = revisions.iter().enumerate().map(|(index, revision)| {
        let hash = if kind == "DaemonSet" { format!("{revision}") } else { format!("db-{revision}") };
        let ready = json!([{ "type": "Ready", "status": "True", "lastTransitionTime": created }]);
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": format!("db-{index}"), "namespace": "shop", "uid": format!("pod-{index}"), "creationTimestamp": created,
                "labels": {
                    "app": "db", "controller-revision-hash": hash, "pod-template-generation": format!("{revision}"),
                    "statefulset.kubernetes.io/pod-name": format!("db-{index}"),
                },
                "ownerReferences": owner,
            },
            "spec": { "nodeName": format!("node-{index}"), "hostname": format!("db-{index}"), "containers": template(*revision)["spec"]["containers"] },
            "status": { "phase": "Running", "conditions": ready },
        })
    });
    let nodes = (0..count).map(|index| node(&format!("node-{index}"), "True", 110));
    let mut objects: Vec<Value> = [object].into_iter().chain(history).chain(pods).collect();
    objects.extend(nodes.filter(|_| kind == "DaemonSet"));
    objects
}

fn an_hour_later() -> Time {
    Time::parse("2026-01-01T01:00:00Z").unwrap()
}

/// Lets the pod with this index fail again and again.
fn crash(objects: &mut [Value], index: usize) {
    let name = format!("db-{index}");
    let pod = objects.iter_mut().find(|object| object["kind"] == "Pod" && object["metadata"]["name"] == *name).unwrap();
    pod["status"] = json!({
        "phase": "Running",
        "conditions": [{ "type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z" }],
        "containerStatuses": [{
            "name": "db", "ready": false, "restartCount": 9, "state": { "waiting": { "reason": "CrashLoopBackOff" } },
            "lastState": { "terminated": { "reason": "Error", "exitCode": 1 } },
        }],
    });
}

#[test]
fn pods_of_a_set_that_updates_on_delete_wait_for_a_user() {
    for kind in ["StatefulSet", "DaemonSet"] {
        let objects = set(kind, &json!({ "updateStrategy": { "type": "OnDelete" } }), &[1, 1]);
        let (rollout, _) = outlook_of(&objects, an_hour_later());
        let [obstacle] = rollout.obstacles.as_slice() else { panic!("{kind}: {rollout:?}") };
        let why = "its update strategy is OnDelete: 2 pods of an older template will stay until they are deleted";
        assert_eq!(obstacle.why, why);
        assert_eq!(obstacle.command.as_deref(), Some("kubectl delete pod db-1 --namespace shop"));
    }
}

#[test]
fn pods_below_a_partition_keep_the_older_template() {
    let strategy = json!({ "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "partition": 2 } } });
    let (rollout, _) = outlook_of(&set("StatefulSet", &strategy, &[1, 1, 2]), an_hour_later());
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{rollout:?}") };
    assert_eq!(obstacle.why, "2 pods with an ordinal below 2 keep an older template: the partition says so");
    let patch = json!({ "spec": { "updateStrategy": { "rollingUpdate": { "partition": 0 } } } });
    let command = format!("kubectl patch statefulset db --namespace shop --patch '{patch}'");
    assert_eq!(obstacle.command.as_deref(), Some(&*command));
}

#[test]
fn a_set_is_rolled_back_and_with_ordered_ready_its_pod_is_deleted() {
    let undo = |kind: &str| format!("kubectl rollout undo {kind}/db --namespace shop");
    let delete = "kubectl delete pod db-1 --namespace shop";
    for (kind, spec, what, command) in [
        ("StatefulSet", json!({}), "Roll back, and delete pod db-1", format!("{} && {delete}", undo("statefulset"))),
        ("StatefulSet", json!({ "podManagementPolicy": "Parallel" }), "Roll back", undo("statefulset")),
        ("DaemonSet", json!({}), "Roll back", undo("daemonset")),
    ] {
        let mut objects = set(kind, &spec, &[1, 2]);
        crash(&mut objects, 1);
        let (rollout, remedies) = outlook_with_remedies(&objects, an_hour_later());
        assert_eq!(rollout.standing, Standing::Stuck, "{kind} {spec}");
        let remedy = remedies.iter().find(|remedy| remedy.what == what);
        let remedy = remedy.unwrap_or_else(|| panic!("{kind} {spec}: {remedies:?}"));
        assert_eq!(remedy.command.as_deref(), Some(&*command));
    }
    // With the older template, they fail, too.
    let mut objects = set("DaemonSet", &json!({}), &[1, 2]);
    crash(&mut objects, 0);
    crash(&mut objects, 1);
    assert_eq!(outlook_of(&objects, an_hour_later()).1, ["Fix what keeps its pods from becoming ready"]);
}

#[test]
fn what_cannot_be_undone_comes_last() {
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let (mut objects, now) = objects_after(&deployment(&json!({ "type": "Recreate" })), &changes, &[lost], 150);
    objects.extend([node("a", "Unknown", 110), node("b", "True", 110)]);
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let outlook = Outlook::of(&objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let rollout = outlook.rollouts().next().unwrap();
    let remedies = outlook.remedies(&rollout).unwrap();
    let [back, delete] = remedies.as_slice() else { panic!("{remedies:?}") };
    assert_eq!((back.is_final, delete.is_final), (false, true));
    // Nothing on the way to a cause can't be undone.
    assert!(rollout.obstacles.iter().all(|it| !it.command.as_ref().is_some_and(|it| it.contains("delete"))));
}

#[test]
fn nothing_is_forecast_while_a_controller_does_not_see_a_change() {
    let (mut objects, now) = live_objects(&json!({}), 3);
    let later = now.plus_seconds(240);
    let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    deployment["metadata"]["generation"] = json!(9);
    let wrote = |seconds: i64, subresource: &str| json!({ "manager": "x", "operation": "Update", "time": now.plus_seconds(seconds).to_string(), "subresource": subresource });
    // Its status was written later.
    deployment["metadata"]["managedFields"] = json!([wrote(0, ""), wrote(230, "status")]);
    let (rollout, remedies) = outlook_of(&objects, later);
    assert_eq!((rollout.standing, rollout.next.len(), remedies.len()), (Standing::Stuck, 0, 0), "{rollout:?}");
    let why = "its controller has not seen its last change for 4 min (generation 9, observed ";
    assert!(rollout.obstacles[0].why.starts_with(why), "{rollout:?}");
    // A change of some seconds ago is seen soon.
    assert_ne!(outlook_of(&objects, now.plus_seconds(30)).0.standing, Standing::Stuck);
}

#[test]
fn a_pod_whose_volume_needs_something_missing_is_held_up_before_the_deadline() {
    let waiting = json!({ "name": "app", "state": { "waiting": { "reason": "ContainerCreating" } } });
    let (mut objects, now) = with_new_pods(&json!({ "phase": "Pending", "containerStatuses": [waiting] }));
    let pod = objects.iter().find(|object| is_new(object, "Pod")).unwrap();
    let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
    let event = |message: &str| {
        json!({
            "apiVersion": "v1", "kind": "Event", "metadata": { "name": "web.1", "namespace": "shop" }, "type": "Warning",
            "reason": "FailedMount", "message": message, "lastTimestamp": now.to_string(),
            "involvedObject": { "kind": "Pod", "name": name, "namespace": "shop" },
        })
    };
    let missing = "MountVolume.SetUp failed for volume \"tls\" : secret \"web-tls\" not found";
    for (message, seconds, standing) in [
        (missing, 90, Standing::Stuck),
        (missing, 30, Standing::Progressing),
        ("MountVolume.SetUp failed for volume \"tls\" : timed out", 90, Standing::Progressing),
    ] {
        objects.push(event(message));
        assert_eq!(outlook_of(&objects, now.plus_seconds(seconds)).0.standing, standing, "{message} {seconds}");
        objects.pop();
    }
    // An old pod that stays does not give its volume back either.
    let old = objects.iter().find(|object| object["kind"] == "Pod" && !is_new(object, "Pod")).unwrap();
    let old = old["metadata"]["name"].as_str().unwrap().to_owned();
    for (user, standing) in [(old.as_str(), Standing::Stuck), ("gone", Standing::Progressing)] {
        let message = format!("Multi-Attach error for volume \"data\" Volume is already used by pod(s) {user}");
        let mut event = event(&message);
        event["reason"] = json!("FailedAttachVolume");
        objects.push(event);
        assert_eq!(outlook_of(&objects, now.plus_seconds(90)).0.standing, standing, "{message}");
        objects.pop();
    }
}

#[test]
fn a_drain_that_a_budget_never_allows_is_named() {
    let changes = json!({ "at": "0s", "image": "web:2", "nodes": [{ "name": "a" }] });
    let (mut objects, now) = objects_after(&deployment(&json!({})), &changes, &[], 300);
    let mut cordoned = node("a", "True", 110);
    cordoned["spec"] = json!({ "unschedulable": true });
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web", "namespace": "shop" },
        "spec": { "minAvailable": 2, "selector": { "matchLabels": { "app": "web" } } },
    });
    objects.extend([cordoned, node("b", "True", 110), budget]);
    let (rollout, _) = outlook_of(&objects, now);
    let [obstacle] = rollout.obstacles.as_slice() else { panic!("{rollout:?}") };
    let why = "node a is cordoned, and a drain of it hangs: PodDisruptionBudget web (minAvailable 2) never allows an \
               eviction of its 2 pods";
    assert_eq!(obstacle.why, why);
    assert_eq!(obstacle.command.as_deref(), Some("kubectl rollout restart deployment/web --namespace shop"));
}

#[test]
fn the_tool_that_applies_a_workload_is_named() {
    let status = json!({
        "phase": "Pending",
        "containerStatuses": [{ "name": "app", "state": { "waiting": { "reason": "ErrImagePull", "message": "not found" } } }],
    });
    for (field, key, value, manager) in [
        ("annotations", "argocd.argoproj.io/tracking-id", "web:apps/Deployment:shop/web", "Argo CD"),
        ("labels", "kustomize.toolkit.fluxcd.io/name", "apps", "Flux"),
        ("labels", "app.kubernetes.io/managed-by", "Helm", "Helm"),
    ] {
        let (mut objects, now) = with_new_pods(&status);
        let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
        deployment["metadata"][field][key] = json!(value);
        let (rollout, remedies) = outlook_with_remedies(&objects, now);
        assert!(rollout.summary().ends_with(&format!("; {manager} manages it")), "{}", rollout.summary());
        // A rollback with kubectl would be undone: the manifest needs the older template.
        let older = "spec:\n  template:\n    spec:\n      containers:\n      - image: web:1\n        name: app\n";
        let undo = remedies.iter().find(|remedy| remedy.what == "Roll back").unwrap();
        assert_eq!((undo.command.as_deref(), undo.manifest.as_deref()), (None, Some(older)));
        assert_eq!(rollout.obstacles.iter().find_map(|it| it.manifest.as_deref()), Some(older));
        let last = rollout.obstacles.last().unwrap();
        assert!(last.why.starts_with(&format!("{manager} manages it: ")), "{last:?}");
    }
}

#[test]
fn a_manifest_that_a_tool_can_t_apply_is_named() {
    let mut objects = set("StatefulSet", &json!({}), &[2, 2]);
    let message = "StatefulSet.apps \"db\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden";
    objects.push(json!({
        "kind": "Event", "type": "Warning", "reason": "ReconciliationFailed", "message": message,
        "involvedObject": { "kind": "Kustomization", "namespace": "flux-system", "name": "apps" },
    }));
    let (rollout, _) = outlook_of(&objects, an_hour_later());
    let [refused] = rollout.obstacles.try_into().unwrap();
    assert_eq!(
        refused.why,
        format!("Flux can't apply its manifest, so the last change is not in the cluster: {message}")
    );
    assert_eq!(refused.command.as_deref(), Some("kubectl delete statefulset db --namespace shop --cascade=orphan"));
}

#[test]
fn a_revision_that_can_t_come_back_is_no_remedy() {
    let mut objects = set("StatefulSet", &json!({}), &[1, 2]);
    for object in &mut objects {
        if object["metadata"]["name"] == "db-1" && object["kind"] == "ControllerRevision" {
            object["data"]["spec"]["template"]["metadata"] = json!({ "labels": { "app": "other" } });
        } else if object["kind"] == "Pod" {
            let waiting = json!({ "waiting": { "reason": "ErrImagePull" } });
            object["status"] = json!({ "phase": "Pending", "containerStatuses": [{ "name": "db", "state": waiting }] });
        }
    }
    let (rollout, remedies) = outlook_of(&objects, an_hour_later());
    assert_eq!((rollout.standing, remedies.iter().any(|what| what.starts_with("Roll back"))), (Standing::Stuck, false));
}

#[test]
fn malformed_events_and_nodes_are_refused_with_one_sentence() {
    let (objects, now) = with_new_pods(&json!({ "phase": "Pending" }));
    let about = json!({ "kind": "Pod", "name": "a" });
    for (object, expected) in [
        (json!({ "kind": "Event" }), "involvedObject: Required value: must be the object that the Event is about"),
        (json!({ "kind": "Event", "involvedObject": "a" }), "involvedObject: Invalid value: \"a\": must be a map"),
        (json!({ "kind": "Event", "regarding": about, "note": 7 }), "note: Invalid value: 7: must be a text"),
        (
            json!({ "kind": "Event", "regarding": about, "message": null }),
            "message: Invalid value: null: must be a text",
        ),
        (
            json!({ "kind": "Event", "regarding": about, "eventTime": null, "lastTimestamp": "today" }),
            "lastTimestamp: Invalid value: \"today\": must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        ),
        (
            json!({ "kind": "Node", "metadata": { "name": "a" }, "status": { "conditions": ["Ready"] } }),
            "status.conditions: Invalid value: [\"Ready\"]: must be a list of maps",
        ),
        (json!({ "kind": "Node", "metadata": { "name": "a" }, "spec": [] }), "spec: Invalid value: []: must be a map"),
        (
            json!({ "kind": "Event", "regarding": about, "firstTimestamp": "today" }),
            "firstTimestamp: Invalid value: \"today\": must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        ),
        (
            json!({ "kind": "Event", "regarding": about, "metadata": { "creationTimestamp": 7 } }),
            "metadata.creationTimestamp: Invalid value: 7: must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        ),
        (
            json!({ "kind": "Event", "regarding": { "kind": "Pod" } }),
            "regarding.name: Required value: must be the name of the object that the Event is about",
        ),
        (json!({ "kind": "Event", "regarding": about, "reason": 7 }), "reason: Invalid value: 7: must be a text"),
        (
            json!({ "kind": "Node", "metadata": { "name": "a" }, "spec": { "taints": [{ "key": "a", "timeAdded": "now" }] } }),
            "spec.taints[0].timeAdded: Invalid value: \"now\": must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        ),
        (
            json!({ "kind": "PersistentVolumeClaim", "spec": { "storageClassName": 7 } }),
            "spec.storageClassName: Invalid value: 7: must be a text",
        ),
        (
            json!({ "kind": "PersistentVolume", "spec": { "nodeAffinity": "a" } }),
            "spec.nodeAffinity: Invalid value: \"a\": must be a map",
        ),
    ] {
        let with_malformed: Vec<Value> = objects.iter().cloned().chain([object]).collect();
        let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let problem = Outlook::of(&with_malformed, &options).unwrap_err();
        assert_eq!(problem.to_string(), format!("old[{}].{expected}", objects.len()));
    }
}

/// The obstacles of the only Job, as sentences with what to do.
fn obstacles_of_job(objects: &[Value]) -> Vec<(String, String, Option<String>)> {
    let assumptions = Assumptions { now: Some(an_hour_later()), ..Assumptions::default() };
    let outlook = Outlook::of(objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let [job] = outlook.jobs().collect::<Vec<_>>().try_into().unwrap();
    let of = |it: Obstacle| (it.why, it.remedy.unwrap_or_default(), it.command);
    job.obstacles.into_iter().map(of).collect()
}

fn job(spec: &Value, status: &Value, pod_status: &Value) -> Vec<Value> {
    let container = json!({ "name": "task", "image": "task:1" });
    let owner = json!([{ "apiVersion": "batch/v1", "kind": "Job", "name": "task", "uid": "task", "controller": true }]);
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": { "name": "task", "namespace": "shop", "uid": "task", "creationTimestamp": "2026-01-01T00:00:00Z" },
        "spec": {
            "selector": { "matchLabels": { "job-name": "task" } },
            "template": { "metadata": { "labels": { "job-name": "task" } }, "spec": { "restartPolicy": "Never", "containers": [container] } },
        },
        "status": status,
    });
    for (key, value) in spec.as_object().unwrap() {
        job["spec"][key] = value.clone();
    }
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "task-a", "namespace": "shop", "uid": "task-a", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": { "job-name": "task" }, "ownerReferences": owner },
        "spec": { "nodeName": "node-1", "restartPolicy": "Never", "containers": [container] },
        "status": pod_status,
    });
    vec![job, pod]
}

#[test]
fn a_job_says_why_it_failed_or_waits() {
    let ended = json!({ "terminated": { "reason": "Error", "exitCode": 2, "message": "no such table" } });
    let failed = json!({ "phase": "Failed", "containerStatuses": [{ "name": "task", "state": ended }] });
    let condition =
        json!({ "type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "too often" });
    let status = json!({ "failed": 3, "startTime": "2026-01-01T00:00:00Z", "conditions": [condition] });
    let obstacles = obstacles_of_job(&job(&json!({}), &status, &failed));
    let logs = "kubectl logs task-a --container task --namespace shop";
    let expected = [
        (
            "3 pods have failed: container task ended with Error, exit code 2: no such table",
            "repair the error in the log of the last one, then delete the Job, and create it again; its log",
            Some(logs),
        ),
        (
            "it has failed, and is not tried again",
            "once the cause is fixed, delete the Job, and create it again",
            Some("kubectl replace --force --filename FILE --namespace shop"),
        ),
    ];
    assert_eq!(obstacles, expected.map(|(why, to_do, command)| (why.into(), to_do.into(), command.map(String::from))));
    let waiting = json!({ "waiting": { "reason": "ErrImagePull", "message": "not found" } });
    let waiting = json!({ "phase": "Pending", "containerStatuses": [{ "name": "task", "state": waiting }] });
    let active = json!({ "active": 1, "startTime": "2026-01-01T00:00:00Z" });
    let [(why, to_do, _)] = obstacles_of_job(&job(&json!({}), &active, &waiting)).try_into().unwrap();
    assert_eq!(why, "container task is waiting: ErrImagePull: not found (pod task-a, for 1 h, on node-1)");
    assert!(
        to_do.ends_with(" (a Job's template can't be changed: delete it, and create it again); details"),
        "{to_do}"
    );
    let [(why, _, command)] =
        obstacles_of_job(&job(&json!({ "suspend": true }), &json!({}), &Value::Null)).try_into().unwrap();
    let resume = "kubectl patch job task --namespace shop --patch '{\"spec\":{\"suspend\":false}}'";
    assert_eq!((why.as_str(), command.as_deref()), ("it is suspended", Some(resume)));
    let mut queued = job(&json!({ "suspend": true }), &json!({}), &Value::Null);
    queued[0]["metadata"]["labels"] = json!({ "kueue.x-k8s.io/queue-name": "team-a" });
    let [(why, remedy, command)] = obstacles_of_job(&queued).try_into().unwrap();
    let workloads = "kubectl get workloads.kueue.x-k8s.io --namespace shop";
    let expected = "it is suspended: Kueue has not admitted it to LocalQueue team-a";
    assert_eq!((why.as_str(), command.as_deref()), (expected, Some(workloads)));
    // Kueue would suspend it again, or two Jobs would share what one was admitted for.
    assert!(
        remedy.ends_with("Kueue resumes it when there is quota, so do not resume it yourself; its Workloads"),
        "{remedy}"
    );
}

#[test]
fn a_container_that_never_ends_keeps_a_job_active() {
    let ended = json!({ "terminated": { "exitCode": 0, "finishedAt": "2026-01-01T00:59:59Z" } });
    for (name, ended_at, is_named) in [
        ("istio-proxy", "2026-01-01T00:59:59Z", true),
        ("other", "2026-01-01T00:59:59Z", false),
        ("other", "2026-01-01T00:45:00Z", true),
    ] {
        let mut task = json!({ "name": "task", "state": ended });
        task["state"]["terminated"]["finishedAt"] = json!(ended_at);
        let other = json!({ "name": name, "ready": true, "state": { "running": {} } });
        let unready = json!({ "type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z" });
        let running = json!({ "phase": "Running", "conditions": [unready], "containerStatuses": [task, other] });
        let active = json!({ "active": 1, "startTime": "2026-01-01T00:00:00Z" });
        let obstacles = obstacles_of_job(&job(&json!({}), &active, &running));
        let expected = format!("container task has ended, but container {name} keeps pod task-a running");
        let whys: Vec<&str> = obstacles.iter().map(|(why, ..)| why.as_str()).collect();
        assert_eq!(whys, if is_named { vec![expected.as_str()] } else { vec![] }, "{name}");
    }
}

#[test]
fn a_cron_job_that_forbids_concurrency_waits_for_its_job() {
    let running = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] });
    let active = json!({ "active": 1, "startTime": "2026-01-01T00:00:00Z" });
    let mut objects = job(&json!({}), &active, &running);
    objects[0]["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "batch/v1", "kind": "CronJob", "name": "sync", "uid": "sync", "controller": true }]);
    let template = objects[0]["spec"]["template"].clone();
    objects.push(json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": { "name": "sync", "namespace": "shop", "uid": "sync" },
        "spec": { "schedule": "*/10 * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": { "spec": { "template": template } } },
    }));
    let [(why, _, command)] = obstacles_of_job(&objects).try_into().unwrap();
    let expected = "it has run for 1 h, and CronJob sync starts no other Job until it ends (concurrencyPolicy Forbid)";
    assert_eq!((why.as_str(), command.as_deref()), (expected, Some("kubectl logs job/task --namespace shop")));
    let message = "0/1 nodes are available: 1 Insufficient memory.";
    let condition = json!({ "type": "PodScheduled", "status": "False", "message": message });
    objects[1]["status"] = json!({ "phase": "Pending", "conditions": [condition] });
    objects[1]["spec"].as_object_mut().unwrap().remove("nodeName");
    let (_, remedy, _) = obstacles_of_job(&objects).remove(0);
    assert!(
        remedy
            .ends_with("or request less (a Job's template can't be changed: change CronJob sync, and delete the Job)"),
        "{remedy}"
    );
}

#[test]
fn a_cron_job_that_starts_no_jobs_says_why() {
    let cron_job = |suspend: bool| {
        json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "metadata": { "name": "sync", "namespace": "shop", "uid": "sync" },
            "spec": { "schedule": "0 2 * * *", "suspend": suspend, "jobTemplate": { "spec": { "template": { "spec": {
                "restartPolicy": "Never", "containers": [{ "name": "task", "image": "task:1" }],
            } } } } },
            "status": { "lastScheduleTime": "2026-01-01T00:00:00Z" },
        })
    };
    let missed = json!({
        "kind": "Event", "reason": "TooManyMissedTimes", "type": "Warning", "lastTimestamp": "2026-01-01T00:30:00Z",
        "message": "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
        "involvedObject": { "kind": "CronJob", "namespace": "shop", "name": "sync", "uid": "sync" },
    });
    let assumptions = Assumptions { now: Some(an_hour_later()), ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let said = |objects: &[Value]| {
        let outlook = Outlook::of(objects, &options).unwrap();
        let whys = |job: JobOutlook| {
            let whys: Vec<String> = job.obstacles.iter().map(|it| it.why.clone()).collect();
            (job.kind.clone(), job.summary.clone(), job.is_held_up(), whys)
        };
        outlook.jobs().map(whys).collect::<Vec<_>>()
    };
    let summary = String::from("schedule 0 2 * * *, last Job started at 2026-01-01T00:00:00Z");
    let kind = String::from("CronJob");
    // That is how people switch one off.
    let suspended = String::from("it is suspended, so it starts no Jobs");
    assert_eq!(said(&[cron_job(true)]), [(kind.clone(), summary.clone(), false, vec![suspended])]);
    let can_not = "its controller can't start Jobs: TooManyMissedTimes: too many missed start times. Set or decrease \
                   .spec.startingDeadlineSeconds or check clock skew";
    assert_eq!(said(&[cron_job(false), missed]), [(kind, summary, true, vec![String::from(can_not)])]);
    assert_eq!(said(&[cron_job(false)]), []);
}

/// The live state of a complete rollout of which one pod has failed that long ago, in seconds. `is_replaced`: whether there is another
/// one in its place.
fn with_failed_pod(seconds: i64, is_replaced: bool) -> (Vec<Value>, Time) {
    let (mut objects, now) = live_objects(&json!({}), 3600);
    let is_pod = |object: &&mut Value| object["kind"] == "Pod" && object["metadata"]["deletionTimestamp"].is_null();
    let pod = objects.iter_mut().find(is_pod).unwrap();
    let mut failed = pod.clone();
    if is_replaced {
        failed["metadata"]["name"] = json!("web-failed");
        failed["metadata"]["uid"] = json!("web-failed");
    }
    let ended = now.plus_seconds(seconds.wrapping_neg()).to_string();
    failed["status"] = json!({
        "phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory.",
        "conditions": [{ "type": "DisruptionTarget", "status": "True", "lastTransitionTime": ended }],
    });
    if is_replaced {
        objects.push(failed);
    } else {
        *pod = failed;
    }
    (objects, now)
}

#[test]
fn nothing_is_forecast_of_failed_pods_that_nobody_replaces() {
    let (objects, now) = with_failed_pod(600, false);
    let (rollout, remedies) = outlook_of(&objects, now);
    assert_eq!((rollout.standing, rollout.is_forecast, rollout.complete), (Standing::Stuck, false, None));
    let whys: Vec<&str> = rollout.obstacles.iter().map(|obstacle| obstacle.why.as_str()).collect();
    let [idle, failed] = whys.as_slice() else { panic!("{whys:?}") };
    assert_eq!(*idle, "its controller has not replaced 1 pod that failed 10 min ago: until it does, nothing happens");
    assert_eq!(*failed, "1 pod failed 10 min ago: Evicted: The node was low on resource: memory.");
    assert_eq!(remedies, Vec::<String>::new());
    // The controller may still be about to do it, or has done it.
    for (seconds, is_replaced) in [(10, false), (600, true)] {
        let (objects, now) = with_failed_pod(seconds, is_replaced);
        let (rollout, _) = outlook_of(&objects, now);
        assert!(rollout.is_forecast, "{seconds} {is_replaced}: {rollout:?}");
    }
}

#[test]
fn a_paused_rollout_says_who_paused_it() {
    let (mut objects, now) = live_objects(&json!({}), 1);
    let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
    deployment["spec"]["paused"] = json!(true);
    let applied = r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"paused":true}}"#;
    let entry = |fields: Value| json!({ "manager": "kubectl-rollout", "time": now.plus_seconds(-300).to_string(), "fieldsV1": fields });
    for (metadata, expected) in [
        (json!({}), "it is paused"),
        (
            json!({ "managedFields": [entry(json!({ "f:spec": { "f:paused": {} } }))] }),
            "it is paused, by kubectl-rollout at least 5 min ago",
        ),
        (json!({ "managedFields": [entry(json!({ "f:spec": { "f:replicas": {} } }))] }), "it is paused"),
        (
            json!({ "annotations": { "kubectl.kubernetes.io/last-applied-configuration": applied } }),
            "it is paused, as the manifest says that was applied last",
        ),
    ] {
        let mut objects = objects.clone();
        let deployment = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
        for (key, value) in metadata.as_object().unwrap() {
            deployment["metadata"][key] = value.clone();
        }
        let (rollout, _) = outlook_of(&objects, now);
        let whys: Vec<&str> = rollout.obstacles.iter().map(|obstacle| obstacle.why.as_str()).collect();
        assert!(whys.contains(&expected), "{expected}: {whys:?}");
    }
}

#[test]
fn the_progress_of_a_report_never_falls_back() {
    let (objects, now) = with_new_pods(&json!({ "phase": "Pending", "containerStatuses": [
        { "name": "app", "ready": false, "restartCount": 5, "state": { "waiting": { "reason": "CrashLoopBackOff" } },
          "lastState": { "terminated": { "reason": "Error", "exitCode": 1 } } },
    ] }));
    // The same rollout in another namespace, with fewer remedies.
    let mut other: Vec<Value> = objects.iter().filter(|object| object["kind"] != "Node").cloned().collect();
    for object in &mut other {
        object["metadata"]["namespace"] = json!("other");
        for pointer in ["/metadata/uid", "/metadata/ownerReferences/0/uid"] {
            if let Some(uid) = object.pointer_mut(pointer) {
                *uid = json!(format!("{}-other", uid.as_str().unwrap()));
            }
        }
        if object["kind"] == "Deployment" {
            object["spec"]["paused"] = json!(true);
        }
    }
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = Outlook::of(&[objects, other].concat(), &options).unwrap();
    let mut done = Vec::new();
    let report =
        outlook.report(outlook.rollouts(), Vec::new(), &mut |_, _| {}, &mut |number, of| done.push((number, of)));
    assert_eq!(report.unwrap().rollouts.len(), 2);
    assert!(
        done.len() > 2 && done.is_sorted() && done.iter().all(|(_, of)| Some(of) == done.first().map(|(_, of)| of)),
        "{done:?}"
    );
}

#[test]
fn manifests_beside_the_quota_of_a_cluster_are_no_state() {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
            },
        },
    });
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team", "uid": "q" },
        "spec": { "hard": { "pods": "9" } },
    });
    let problem = Outlook::of(&[deployment, quota], &PredictOptions::default()).err().unwrap();
    assert!(problem.message.contains("must contain a running cluster's objects"), "{problem}");
}
