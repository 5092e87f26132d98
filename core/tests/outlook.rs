//! Where rollouts stand, from the states of simulations, and what would unblock them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::object::Time;
use changeover_core::prediction::{Assumptions, Obstacle, Outlook, PredictOptions, RolloutOutlook, Standing};
use changeover_core::scenario::{Action, Duration, NodeName, TimedAction};
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
    let assumptions = Assumptions { now: Some(now), ..Assumptions::default() };
    let outlook = Outlook::of(objects, &PredictOptions { assumptions, ..PredictOptions::default() }).unwrap();
    let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
    let mut remedies: Vec<String> = outlook.remedies(&rollout).unwrap().into_iter().map(|remedy| remedy.what).collect();
    remedies.sort();
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
fn pods_on_a_lost_node_block_recreate() {
    let changes = json!({ "at": "60s", "image": "web:2", "nodes": [{ "name": "a" }, { "name": "b" }] });
    let lost = TimedAction { at: Duration(0), action: Action::LoseNode(NodeName { name: "a".into() }) };
    let nodes = [node("a", "Unknown", 110), node("b", "True", 110)];
    let (rollout, remedies) = outlook(&deployment(&json!({ "type": "Recreate" })), &changes, &[lost], 150, &nodes);
    assert_eq!(rollout.standing, Standing::Stuck);
    let why = "node a no longer reports: 1 pod there stays until it does";
    assert!(rollout.obstacles.iter().any(|obstacle| obstacle.why == why), "{:?}", rollout.obstacles);
    for remedy in ["Bring node a back", "Delete node a, if it is gone for good"] {
        assert!(remedies.iter().any(|it| it == remedy), "{remedies:?}");
    }
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
    let patch = json!({ "metadata": { "finalizers": null } });
    let command = format!("kubectl patch pod {name} --namespace shop --type merge --patch '{patch}'");
    assert_eq!(kept.command, Some(command));
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

#[test]
fn recreate_waits_forever_for_pods_that_should_have_been_gone() {
    let recreate = json!({ "type": "Recreate" });
    let (rollout, remedies, whys) = overdue(&recreate, 3600, &[]);
    assert_eq!((rollout.standing, rollout.complete, rollout.last_old_pod_gone), (Standing::Stuck, None, None));
    assert_eq!(whys, ["2 terminating pods should have ended 1 h ago: does their node node answer?"]);
    let Obstacle { remedy, command, .. } = &rollout.obstacles[0];
    assert_eq!(remedy.as_deref(), Some("bring it back, or delete it if it is gone for good"));
    assert_eq!(command.as_deref(), Some("kubectl delete node node"));
    // There is no other node, and no older revision.
    assert_eq!(remedies, ["Bring node node back"]);
    // With Node objects, it is known whether the node reports.
    let (rollout, remedies, whys) = overdue(&recreate, 3600, &[node("node", "True", 110)]);
    assert_eq!((rollout.standing, remedies), (Standing::Stuck, vec![]));
    assert_eq!(whys, ["2 terminating pods should have ended 1 h ago: node node reports, but does not stop them"]);
    let command = rollout.obstacles[0].command.as_deref();
    assert!(command.is_some_and(|command| command.starts_with("kubectl describe pod web-")), "{command:?}");
    let (_, _, whys) = overdue(&recreate, 3600, &[node("node", "Unknown", 110)]);
    assert_eq!(whys, ["node node no longer reports: 2 pods there stay until it does"]);
}

#[test]
fn clocks_may_differ_by_half_a_minute() {
    let recreate = json!({ "type": "Recreate" });
    let standing = |seconds: i64| overdue(&recreate, seconds, &[]).0.standing;
    assert_eq!([0, 30, 31].map(standing), [Standing::Progressing, Standing::Progressing, Standing::Stuck]);
}

#[test]
fn a_rolling_update_goes_on_without_pods_that_should_have_been_gone() {
    let (rollout, _, whys) = overdue(&json!({}), 3605, &[]);
    assert_eq!((rollout.standing, rollout.last_old_pod_gone), (Standing::Complete, None));
    assert_eq!(whys, ["2 terminating pods should have ended 1 h ago: does their node node answer?"]);
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
    assert_eq!(obstacle.why, "it is being deleted");
    let remedy = "a deletion can't be undone: once web is gone, apply its manifest again";
    assert_eq!(obstacle.remedy.as_deref(), Some(remedy));
    assert_eq!((rollout.standing, remedies.len()), (Standing::Stuck, 0));
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
    assert_eq!(rollout.obstacles[0].why, "container app is waiting: ContainerCreating");
    assert_eq!(remedies, ["Fix what keeps its pods from becoming ready", "Roll back"]);
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
