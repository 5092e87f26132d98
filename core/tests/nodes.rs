//! A node is lost, and what happens to its pods.

#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use changeover_core::cluster::live;
use changeover_core::object::{Pod, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{EndReason, Timeline};
use serde_json::{Value, json};

/// Four pods on the nodes a and b (and any other given nodes), at rest after 5 seconds.
fn run(nodes: &[&str], spec: &Value, actions: &Value) -> Timeline {
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 4,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    for (key, value) in spec.as_object().into_iter().flatten() {
        deployment["spec"]["template"]["spec"][key] = value.clone();
    }
    let nodes: Vec<Value> = nodes.iter().map(|name| json!({ "name": name })).collect();
    let scenario = json!({ "version": 1, "nodes": nodes, "objects": [deployment], "actions": actions });
    Scenario::from_value(&scenario).and_then(Timeline::run).unwrap()
}

/// The actions on pods and nodes from a minute after the start: seconds, rule, and how often in a row.
fn course(timeline: &Timeline) -> Vec<(i64, &'static str, usize)> {
    let since = |step: &changeover_core::timeline::Step| step.time.since(timeline.scenario.start) / 1_000_000_000;
    let mut course: Vec<(i64, &'static str, usize)> = Vec::new();
    for step in timeline.steps.iter().filter(|step| since(step) >= 60) {
        let (seconds, id) = (since(step), step.reason().rule.id);
        let of_nodes = ["kubelet.", "node-lifecycle.", "taint-eviction.", "pod-gc.", "user."];
        if !of_nodes.iter().any(|start| id.starts_with(start)) {
            continue;
        }
        match course.last_mut() {
            Some((last, rule, count)) if (*last, *rule) == (seconds, id) => *count += 1,
            _ => course.push((seconds, id, 1)),
        }
    }
    course
}

/// The names of the nodes, the nodes of all pods, and whether each pod terminates, at that second.
fn pods_at(timeline: &Timeline, seconds: i64) -> Vec<(String, bool, bool)> {
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, timeline.frame_at(timeline.scenario.start.plus_seconds(seconds)));
    let seen = |pod: &Pod| {
        let node = pod.spec.node_name.as_deref().unwrap_or_default().to_owned();
        (node, pod.is_ready(), pod.metadata.deletion_timestamp.is_some())
    };
    let mut pods: Vec<_> = cursor.state().pods().map(|pod| seen(pod)).collect();
    pods.sort();
    pods
}

fn on(node: &str, ready: bool, terminating: bool, count: usize) -> Vec<(String, bool, bool)> {
    vec![(node.to_owned(), ready, terminating); count]
}

fn lose_a() -> Value {
    json!([{ "at": "60s", "loseNode": { "name": "a" } }])
}

#[test]
fn the_pods_of_a_lost_node_terminate_forever() {
    let timeline = run(&["a", "b"], &json!({}), &lose_a());
    assert_eq!(timeline.end.reason, EndReason::Quiet);
    let expected = [
        (60, "user.lose-node", 1),
        (110, "node-lifecycle.unreachable", 1),
        (110, "node-lifecycle.not-ready", 2),
        (110, "node-lifecycle.taint", 1),
        (410, "taint-eviction.delete", 2),
        (411, "kubelet.started", 2),
        (415, "kubelet.ready", 2),
    ];
    assert_eq!(course(&timeline), expected);
    assert_eq!(pods_at(&timeline, 109), [on("a", true, false, 2), on("b", true, false, 2)].concat());
    assert_eq!(pods_at(&timeline, 110), [on("a", false, false, 2), on("b", true, false, 2)].concat());
    assert_eq!(pods_at(&timeline, 80_000), [on("a", false, true, 2), on("b", true, false, 4)].concat());
    let events: Vec<String> = timeline
        .steps
        .iter()
        .flat_map(|step| &step.events)
        .filter(|(about, _)| about.kind == changeover_core::object::Kind::Pod)
        .map(|(about, event)| {
            format!("{} {} {}", event.type_, event.reason, event.message.replace(&*about.name, "NAME"))
        })
        .collect();
    let [not_ready, marked] =
        ["Warning NodeNotReady Node is not ready", "Normal TaintManagerEviction Marking for deletion Pod default/NAME"];
    assert_eq!(events, [not_ready, not_ready, marked, marked]);
}

#[test]
fn a_node_that_returns_in_time_keeps_its_pods() {
    for (back, noticed) in [(100, false), (300, true)] {
        let mut actions = lose_a();
        actions.as_array_mut().unwrap().push(json!({ "at": format!("{back}s"), "returnNode": { "name": "a" } }));
        let timeline = run(&["a", "b"], &json!({}), &actions);
        let course = course(&timeline);
        assert_eq!(course.contains(&(back, "kubelet.ready-again", 2)), noticed, "{course:?}");
        assert_eq!(pods_at(&timeline, 80_000), [on("a", true, false, 2), on("b", true, false, 2)].concat());
        // They were ready before the node was lost, so they are available at once.
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, timeline.len());
        for pod in cursor.state().pods() {
            let since = pod.ready_condition().unwrap().last_transition_time.unwrap();
            assert_eq!(since, timeline.scenario.start.plus_seconds(5));
        }
    }
}

#[test]
fn a_node_that_returns_later_ends_its_pods_within_their_grace_period() {
    let actions = json!([
        { "at": "60s", "loseNode": { "name": "a" } },
        { "at": "600s", "returnNode": { "name": "a" } },
    ]);
    let timeline = run(&["a", "b"], &json!({}), &actions);
    let course = course(&timeline);
    assert_eq!(
        course[course.len() - 3..],
        [(600, "user.return-node", 1), (600, "node-lifecycle.reachable", 1), (630, "kubelet.gone", 2),]
    );
    let last = timeline.steps.iter().rfind(|step| step.reason().rule.id == "kubelet.gone").unwrap();
    assert!(last.reason().sentence().contains("after 30 s (grace period: 30 s)"), "{}", last.reason().sentence());
}

#[test]
fn an_unreachable_kubelets_work_is_reported_on_its_return() {
    // While the node is away, two pods terminate and two more start.
    let actions = json!([
        { "at": "60s", "scale": { "name": "web", "replicas": 2 } },
        { "at": "61s", "loseNode": { "name": "a" } },
        { "at": "61s", "scale": { "name": "web", "replicas": 4 } },
        { "at": "100s", "returnNode": { "name": "a" } },
    ]);
    let timeline = run(&["a"], &json!({}), &actions);
    let expected = [
        (60, "user.scale", 1),
        (61, "user.lose-node", 1),
        (61, "user.scale", 1),
        (100, "user.return-node", 1),
        (100, "kubelet.started", 2),
        (100, "kubelet.gone", 2),
        (104, "kubelet.ready", 2),
    ];
    assert_eq!(course(&timeline), expected);
}

#[test]
fn force_deletion_frees_the_slot() {
    let delete = json!({ "kind": "Pod", "name": "web/0" });
    let mut actions = vec![json!({ "at": "60s", "loseNode": { "name": "a" } })];
    actions.extend((0..4).map(|_| json!({ "at": "70s", "delete": delete })));
    let timeline = run(&["a", "b"], &json!({}), &actions.clone().into());
    // Until the node controller notices, new pods go to the lost node too: two of the four, evicted at 410 s.
    assert_eq!(pods_at(&timeline, 999), [on("a", false, true, 4), on("b", true, false, 4)].concat());
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, timeline.len());
    for pod in cursor.state().pods().filter(|pod| pod.metadata.deletion_timestamp.is_some()) {
        let force = json!({ "kind": "Pod", "name": &*pod.metadata.name, "gracePeriodSeconds": 0 });
        actions.push(json!({ "at": "1000s", "delete": force }));
    }
    assert_eq!(pods_at(&run(&["a", "b"], &json!({}), &actions.into()), 1010), on("b", true, false, 4));
}

#[test]
fn the_out_of_service_taint_frees_the_slots_within_twenty_seconds() {
    let actions = json!([
        { "at": "60s", "loseNode": { "name": "a" } },
        { "at": "125s", "taintOutOfService": { "name": "a" } },
    ]);
    let timeline = run(&["a", "b"], &json!({}), &actions);
    let expected = [
        (125, "user.taint-out-of-service", 1),
        (125, "taint-eviction.delete", 2),
        (126, "kubelet.started", 2),
        (130, "kubelet.ready", 2),
        (140, "pod-gc.out-of-service", 2),
    ];
    let course = course(&timeline);
    assert_eq!(course[course.len() - 5..], expected);
    assert_eq!(pods_at(&timeline, 80_000), on("b", true, false, 4));
}

/// The pods are evicted at once, but only force-deleted once the node controller has noticed.
#[test]
fn the_out_of_service_taint_waits_for_the_node_controller() {
    let actions = json!([
        { "at": "60s", "loseNode": { "name": "a" } },
        { "at": "65s", "taintOutOfService": { "name": "a" } },
    ]);
    let course = course(&run(&["a", "b"], &json!({}), &actions)).into_iter().map(|(at, id, _)| (at, id));
    let course: Vec<_> = course.filter(|(_, id)| id.starts_with("taint-e") || id.starts_with("pod-gc")).collect();
    assert_eq!(course, [(65, "taint-eviction.delete"), (120, "pod-gc.out-of-service")]);
}

#[test]
fn a_node_out_of_service_gets_no_pods_until_the_taint_is_gone() {
    let actions = json!([
        { "at": "60s", "taintOutOfService": { "name": "a" } },
        { "at": "200s", "untaintOutOfService": { "name": "a" } },
    ]);
    let timeline = run(&["a"], &json!({}), &actions);
    assert_eq!(pods_at(&timeline, 199), on("", false, false, 4));
    assert_eq!(pods_at(&timeline, 205), on("a", true, false, 4));
}

#[test]
fn the_pods_of_a_deleted_node_are_collected() {
    let actions = json!([{ "at": "65s", "deleteNode": { "name": "a" } }]);
    let timeline = run(&["a", "b"], &json!({}), &actions);
    let expected = [
        (65, "user.delete-node", 1),
        (120, "pod-gc.orphaned", 2),
        (121, "kubelet.started", 2),
        (125, "kubelet.ready", 2),
    ];
    assert_eq!(course(&timeline), expected);
    assert_eq!(pods_at(&timeline, 80_000), on("b", true, false, 4));
}

#[test]
fn tolerations_say_how_long_a_pod_stays() {
    const KEY: &str = "node.kubernetes.io/unreachable";
    for (tolerations, evicted_at) in [
        (json!([{ "key": KEY, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30 }]), Some(140)),
        (json!([{ "key": KEY, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -5 }]), Some(110)),
        (json!([{ "key": KEY, "operator": "Exists", "effect": "NoExecute" }]), None),
        (json!([{ "operator": "Exists" }]), None),
        (json!([{ "key": KEY, "operator": "Exists", "effect": "NoSchedule" }]), Some(410)),
        (json!([{ "key": KEY, "value": "far", "effect": "NoExecute" }]), Some(110)),
        (json!([{ "key": "other", "operator": "Exists" }]), Some(410)),
    ] {
        let course = course(&run(&["a", "b"], &json!({ "tolerations": tolerations }), &lose_a()));
        let evicted = course.iter().find(|(_, id, _)| *id == "taint-eviction.delete").map(|(at, ..)| *at);
        assert_eq!(evicted, evicted_at, "{tolerations}");
    }
}

/// The control plane itself may be at fault.
#[test]
fn if_all_nodes_are_lost_no_pod_is_evicted() {
    let lose = |at: &str, node: &str| json!({ "at": at, "loseNode": { "name": node } });
    let together = json!([lose("60s", "a"), lose("60s", "b")]);
    let timeline = run(&["a", "b"], &json!({}), &together);
    let ids: Vec<_> = course(&timeline).into_iter().map(|(at, id, _)| (at, id)).collect();
    assert_eq!(ids[ids.len() - 1], (110, "node-lifecycle.no-evictions"));
    assert!(!ids.contains(&(110, "node-lifecycle.taint")));
    // The first node was already tainted: its pods are spared after all. One node returns; the other is tainted ten
    // seconds later.
    let apart = json!([lose("60s", "a"), lose("100s", "b"), { "at": "1000s", "returnNode": { "name": "b" } }]);
    let course = course(&run(&["a", "b"], &json!({}), &apart));
    let of_nodes: Vec<_> = course.into_iter().filter(|(_, id, _)| !id.starts_with("kubelet")).collect();
    let expected = [
        (60, "user.lose-node", 1),
        (100, "user.lose-node", 1),
        (110, "node-lifecycle.unreachable", 1),
        (110, "node-lifecycle.not-ready", 2),
        (110, "node-lifecycle.taint", 1),
        (150, "node-lifecycle.unreachable", 1),
        (150, "node-lifecycle.not-ready", 2),
        (150, "node-lifecycle.no-evictions", 1),
        (1000, "user.return-node", 1),
        (1000, "node-lifecycle.reachable", 1),
        (1010, "node-lifecycle.taint", 1),
        (1310, "taint-eviction.delete", 2),
    ];
    assert_eq!(of_nodes, expected);
}

#[test]
fn nodes_are_tainted_ten_seconds_apart() {
    let lose = |node: &str| json!({ "at": "60s", "loseNode": { "name": node } });
    let tainted = |nodes: &[&str], lost: &[&str]| {
        let actions: Vec<Value> = lost.iter().map(|node| lose(node)).collect();
        let course = course(&run(nodes, &json!({}), &actions.into()));
        let taints = course.into_iter().filter(|(_, id, _)| *id == "node-lifecycle.taint");
        taints.map(|(at, ..)| at).collect::<Vec<_>>()
    };
    assert_eq!(tainted(&["a", "b", "c"], &["a", "b"]), [110, 120]);
    assert_eq!(tainted(&["a", "b", "c", "d", "e", "f"], &["a", "b", "c"]), [110, 120, 130]);
    // 3 of 5 is more than 55 %.
    assert_eq!(tainted(&["a", "b", "c", "d", "e"], &["a", "b", "c"]), Vec::<i64>::new());
    let many: Vec<String> = (0..60).map(|number| format!("n{number:02}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(tainted(&many, &many[..40])[..3], [110, 210, 310]);
}

/// When the node a was tainted, in seconds from the start of [`tainted_cluster`].
const TAINTED: i64 = 110;

/// The objects of a cluster 10 s after its node a was tainted, and the time of the taint.
fn tainted_cluster() -> (Vec<Value>, Time) {
    let timeline = run(&["a", "b"], &json!({}), &lose_a());
    let tainted = timeline.scenario.start.plus_seconds(TAINTED);
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, timeline.frame_at(tainted.plus_seconds(10)));
    (cursor.state().objects().map(|object| object.to_value()).collect(), tainted)
}

/// A Node object; one that was tainted no longer reports.
fn node_object(name: &str, tainted: Option<Time>) -> Value {
    let taints = tainted.map_or(json!([]), |added| {
        let added = added.to_string();
        json!([
            { "key": "node.kubernetes.io/unreachable", "effect": "NoSchedule", "timeAdded": added },
            { "key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": added },
        ])
    });
    let ready = if tainted.is_some() { "Unknown" } else { "True" };
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": name }, "spec": { "taints": taints },
        "status": { "conditions": [{ "type": "Ready", "status": ready }] },
    })
}

/// What happens to taints and evictions in a cluster that is read at that time: seconds, and the rule.
fn evictions(objects: &[Value], now: Time) -> Vec<(i64, &'static str)> {
    let timeline = live(objects.to_vec(), now).and_then(Timeline::run).unwrap();
    let since = |step: &changeover_core::timeline::Step| step.time.since(timeline.scenario.start) / 1_000_000_000;
    let steps = timeline.steps.iter().map(|step| (since(step), step.reason().rule.id));
    steps.filter(|(_, id)| ["node-lifecycle.taint", "taint-eviction.delete"].contains(id)).collect()
}

/// The evictions were planned when the node was tainted, not when the cluster was read.
#[test]
fn the_pods_of_a_running_clusters_lost_node_have_the_time_left_since_its_taint() {
    let (objects, tainted) = tainted_cluster();
    let with_nodes = [objects.clone(), vec![node_object("a", Some(tainted)), node_object("b", None)]].concat();
    // Without Node objects, the node controller's marks say so.
    let mut marked = objects;
    for pod in marked.iter_mut().filter(|object| object.pointer("/spec/nodeName").is_some_and(|name| name == "a")) {
        pod["status"]["conditions"] = json!([
            { "type": "Ready", "status": "False", "lastTransitionTime": tainted.to_string() },
            { "type": "ContainersReady", "status": "True" },
        ]);
    }
    for (age, expected) in [(5, 295), (115, 185), (290, 10), (300, 0), (400, 0)] {
        for objects in [&with_nodes, &marked] {
            let evicted = (expected, "taint-eviction.delete");
            assert_eq!(evictions(objects, tainted.plus_seconds(age)), [evicted, evicted], "{age} s");
        }
    }
}

#[test]
fn a_lost_node_without_a_taint_gets_it_when_the_cluster_was_read() {
    let (mut objects, tainted) = tainted_cluster();
    let mut a = node_object("a", Some(tainted));
    a["spec"] = json!({});
    objects.extend([a, node_object("b", None)]);
    let evicted = (300, "taint-eviction.delete");
    let expected = [(0, "node-lifecycle.taint"), evicted, evicted];
    assert_eq!(evictions(&objects, tainted.plus_seconds(115)), expected);
}

/// The node controller takes the taints away.
#[test]
fn a_tainted_node_evicts_no_pod_if_all_nodes_are_lost() {
    let (mut objects, tainted) = tainted_cluster();
    objects.extend(["a", "b"].map(|name| node_object(name, Some(tainted))));
    assert!(evictions(&objects, tainted.plus_seconds(400)).is_empty());
}

#[test]
fn an_unknown_node_is_refused() {
    let timeline = run(&["a"], &json!({}), &json!([{ "at": "60s", "loseNode": { "name": "x" } }]));
    let last = timeline.steps.last().unwrap();
    assert_eq!(last.reason().sentence(), "The API server refuses your request for Node x: nodes \"x\" not found");
}

#[test]
fn a_taint_of_the_user_evicts_the_pods_that_do_not_tolerate_it() {
    let taint = |effect: &str| json!({ "name": "a", "key": "maintenance", "value": "yes", "effect": effect });
    let tolerating = |seconds: i64| {
        json!({ "tolerations": [
            { "key": "maintenance", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds },
        ] })
    };
    for (effect, spec, untainted, evicted_at) in [
        ("NoExecute", json!({}), None, Some(60)),
        ("NoSchedule", json!({}), None, None),
        ("NoExecute", tolerating(30), None, Some(90)),
        ("NoExecute", tolerating(30), Some(70), None),
        ("NoExecute", json!({ "tolerations": [{ "operator": "Exists" }] }), None, None),
    ] {
        let mut actions = json!([{ "at": "60s", "taint": taint(effect) }]);
        if let Some(at) = untainted {
            let untaint = json!({ "at": format!("{at}s"), "untaint": { "name": "a", "key": "maintenance" } });
            actions.as_array_mut().unwrap().push(untaint);
        }
        let timeline = run(&["a", "b"], &spec, &actions);
        let evicted = course(&timeline).into_iter().find(|(_, id, _)| *id == "taint-eviction.delete");
        assert_eq!(evicted.map(|(at, ..)| at), evicted_at, "{effect} {spec}");
        if spec == json!({}) {
            let expected = if evicted_at.is_some() {
                on("b", true, false, 4)
            } else {
                [on("a", true, false, 2), on("b", true, false, 2)].concat()
            };
            assert_eq!(pods_at(&timeline, 80_000), expected);
        }
    }
}

#[test]
fn a_pod_waits_for_a_node_with_the_label_that_it_selects() {
    let spec = json!({ "nodeSelector": { "disk": "ssd" } });
    let label = json!({ "name": "a", "labels": { "disk": "ssd" } });
    let new_node = json!({ "name": "c", "labels": { "disk": "ssd" } });
    for (action, node) in [(json!({ "labelNode": label }), "a"), (json!({ "addNode": new_node }), "c")] {
        let mut action = action;
        action["at"] = "60s".into();
        let timeline = run(&["a", "b"], &spec, &json!([action]));
        assert_eq!(pods_at(&timeline, 59), on("", false, false, 4));
        assert_eq!(pods_at(&timeline, 80_000), on(node, true, false, 4));
    }
}

#[test]
fn what_kubectl_refuses_to_do_with_a_node_is_a_step() {
    for (action, expected) in [
        (json!({ "untaint": { "name": "a", "key": "x" } }), "taint \"x\" not found"),
        (json!({ "addNode": { "name": "a" } }), "nodes \"a\" already exists"),
    ] {
        let timeline = run(&["a"], &json!({}), &json!([action]));
        let sentences: Vec<String> = timeline.steps.iter().map(|step| step.reason().sentence()).collect();
        assert!(sentences.iter().any(|sentence| sentence.ends_with(expected)), "{sentences:?}");
    }
}

/// Less important pods go, and the more important one has their node from their end on.
#[test]
fn a_pod_takes_the_place_of_a_less_important_one() {
    let pod = |name: &str, class: &str, node: Option<&str>| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "labels": { "app": name } },
            "spec": {
                "nodeName": node, "priorityClassName": class, "terminationGracePeriodSeconds": 20,
                "containers": [{ "name": "app", "image": "app:1", "resources": { "requests": { "cpu": "1" } } }],
            },
            "status": { "phase": if node.is_some() { "Running" } else { "Pending" } },
        })
    };
    let class = |name: &str, value: i64| json!({ "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": { "name": name }, "value": value });
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "kept" },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "kept" } } },
    });
    let objects = json!([
        class("low", 10),
        class("high", 20),
        budget,
        pod("kept", "low", Some("a")),
        pod("goes", "low", Some("b")),
        pod("same", "high", Some("c")),
    ]);
    let nodes = ["a", "b", "c"].map(|name| json!({ "name": name, "cpu": "1" }));
    let actions = json!([{ "at": "60s", "create": pod("important", "high", None) }]);
    let scenario = json!({ "version": 1, "nodes": nodes, "objects": objects, "actions": actions });
    let timeline = Scenario::from_value(&scenario).and_then(Timeline::run).unwrap();
    let told: Vec<(i64, String)> = timeline
        .steps
        .iter()
        .filter(|step| step.reason().rule.id.starts_with("scheduler."))
        .map(|step| (step.time.since(timeline.scenario.start) / 1_000_000_000, step.reason().sentence()))
        .collect();
    let expected = [
        (60, "important stays Pending: 0/3 nodes are available: 3 Insufficient cpu."),
        (
            60,
            "goes (priority 10) is preempted for important (priority 20): it gets the condition DisruptionTarget and is deleted.",
        ),
    ];
    assert_eq!(told[..2], expected.map(|(at, sentence)| (at, sentence.to_owned())), "{told:?}");
    assert_eq!(told.last().unwrap().1, "The scheduler binds important to Node b.");
    let nominated = timeline.steps.iter().find_map(|step| match step.change.as_ref()?.after.as_ref()? {
        changeover_core::object::Object::Pod(pod) => pod.status.unknown.get("nominatedNodeName").cloned(),
        _ => None,
    });
    assert_eq!(nominated, Some("b".into()));
    let events: Vec<&str> =
        timeline.steps.iter().flat_map(|step| &step.events).map(|(_, event)| &*event.message).collect();
    let found = "0/3 nodes are available: 3 Insufficient cpu. preemption: found a potential placement for pod on node b, \
                 preempting 1 victims";
    assert!(events.contains(&found), "{events:?}");
}

/// An old pod terminates on a node, so topology spread allows a new one there. No event tells the scheduler.
#[test]
fn a_pod_that_topology_spread_rejects_is_tried_again_after_five_minutes() {
    let spread = json!({
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": { "matchLabels": { "app": "web" } },
    });
    let deployment = |name: &str, constraints: Value, replicas: u32| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
            "spec": {
                "replicas": replicas,
                "strategy": { "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 1 } },
                "selector": { "matchLabels": { "app": name } },
                "template": {
                    "metadata": { "labels": { "app": name } },
                    "spec": {
                        "terminationGracePeriodSeconds": 1200, "topologySpreadConstraints": constraints,
                        "containers": [{ "name": "app", "image": format!("{name}:1") }],
                    },
                },
            },
        })
    };
    let mut nodes: Vec<Value> = ["a", "b", "c"].iter().map(|name| json!({ "name": name })).collect();
    // It stays a domain without pods.
    nodes.push(json!({ "name": "d", "taints": [{ "key": "dedicated", "effect": "NoSchedule" }] }));
    let template = json!({ "spec": { "containers": [{ "name": "app", "image": "web:2" }] } });
    let scenario = json!({
        "version": 1, "nodes": nodes,
        "objects": [deployment("web", json!([spread]), 3), deployment("other", json!([]), 1)],
        "kubelet": [{ "image": "web", "terminate": "1200s" }, { "image": "other", "terminate": "10s" }],
        "actions": [
            { "at": "60s", "setTemplate": { "name": "web", "template": template } },
            // A pod that spread does not count is no event for it.
            { "at": "90s", "scale": { "name": "other", "replicas": 0 } },
        ],
    });
    let timeline = Scenario::from_value(&scenario).and_then(Timeline::run).unwrap();
    let since = |step: &changeover_core::timeline::Step| step.time.since(timeline.scenario.start) / 1_000_000_000;
    let binds = timeline.steps.iter().filter(|step| step.reason().rule.id == "scheduler.bind").map(since);
    let binds: Vec<i64> = binds.filter(|seconds| *seconds >= 60).collect();
    // The last pod has waited since 1:05, and the scheduler looks for such pods every 30 seconds.
    assert_eq!(binds, [60, 65, 390]);
}
