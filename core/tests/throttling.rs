//! The rate limits of kube-controller-manager's clients.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may panic"
)]

use changeover_core::controller::Verb;
use changeover_core::object::{Kind, Object, Time};
use changeover_core::scenario::{ControllerManager, Duration, Mode, Scenario};
use changeover_core::timeline::{Actor, EndReason, Series, Step, Timeline, Totals};
use proptest::prelude::*;
use serde_json::{Value, json};

/// When the rollout begins, in seconds.
const CHANGED: i64 = 60;

const DEFAULT: ControllerManager =
    ControllerManager { qps: 20, burst: 30, workers: None, request_time: None, watch_delay: None };

fn web(replicas: i32, spec: &Value) -> Value {
    let mut web = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "terminationGracePeriodSeconds": 6, "containers": [{ "name": "web", "image": "web:1" }] },
            },
        },
    });
    web["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    web
}

fn set_image(at: i64, image: &str) -> Value {
    json!({
        "at": format!("{at}s"),
        "setTemplate": { "name": "web", "template": { "spec": { "containers": [{ "image": image }] } } },
    })
}

fn scale(at: i64, replicas: i32) -> Value {
    json!({ "at": format!("{at}s"), "scale": { "name": "web", "replicas": replicas } })
}

/// Pods start and become ready as on the control plane that the figures come from.
fn play(web: &Value, limit: Option<ControllerManager>, actions: &[Value]) -> Timeline {
    let mut scenario = json!({
        "version": 1,
        "featureGates": { "DeploymentPodReplacementPolicy": true },
        "kubelet": [{ "start": "500ms", "ready": "2500ms" }],
        "actions": [{ "at": "0s", "create": web }],
    });
    scenario["actions"].as_array_mut().unwrap().extend(actions.iter().cloned());
    Timeline::run(Scenario { controller_manager: limit, ..Scenario::from_value(&scenario).unwrap() }).unwrap()
}

fn rollout(replicas: i32, limit: Option<ControllerManager>) -> Timeline {
    play(&web(replicas, &json!({})), limit, &[set_image(CHANGED, "web:2")])
}

fn totals(timeline: &Timeline) -> Totals {
    timeline.totals("default", "web", timeline.scenario.start.plus_seconds(CHANGED))
}

fn writes(timeline: &Timeline, kind: Kind, verb: Verb) -> impl Iterator<Item = &Step> {
    let fits =
        move |step: &&Step| step.change.as_ref().is_some_and(|change| change.key.kind == kind && change.verb == verb);
    timeline.steps.iter().filter(fits)
}

fn milliseconds(time: Option<i64>) -> i64 {
    time.unwrap() / 1_000_000
}

/// With kube-controller-manager 1.36.3 and its default limits, a rollout of 100 pods had at most 167 pods, was complete
/// after 14.22 s and finished after 18.58 s. Its ReplicaSets were resized 18 times, 17 of them by updates. Without
/// limits, it was 200 pods, 6 s and 12 s.
#[test]
fn a_hundred_pods_are_replaced_as_on_a_real_control_plane() {
    let limited = rollout(100, Some(DEFAULT));
    let figures = totals(&limited);
    assert_eq!((figures.peak, figures.lowest_available), (167, 75));
    assert_eq!((milliseconds(figures.complete), milliseconds(figures.last_old_pod_gone)), (14_050, 18_500));
    assert_eq!(writes(&limited, Kind::ReplicaSet, Verb::Update).count(), 17);
    let unlimited = rollout(100, None);
    let figures = totals(&unlimited);
    assert_eq!((figures.peak, figures.lowest_available), (200, 75));
    assert_eq!((milliseconds(figures.complete), milliseconds(figures.last_old_pod_gone)), (6_000, 12_000));
}

/// In this world each pod takes 6 s to end, as in the recording of 1.36.3 above. In the recordings of 1.37.2, pods took
/// other times, so that there were fewer of them at once; `tests/proof` compares those.
#[test]
fn requests_that_take_time_combine_changes() {
    let scenario = rollout(100, None).scenario;
    let timeline = Timeline::run(Scenario { mode: Some(Mode::Realistic), ..(*scenario).clone() }).unwrap();
    let figures = totals(&timeline);
    assert_eq!((figures.peak, figures.lowest_available), (167, 75));
    assert_eq!(milliseconds(figures.complete), 13_980);
    assert_eq!(writes(&timeline, Kind::ReplicaSet, Verb::Update).count(), 17);
}

/// Three rollouts share the tokens, and one is undone: the Deployment controller removes pods as unhealthy that are available
/// by now, because the ReplicaSet's status waits for a token. On a real control plane, too, fewer are left than the minimum.
#[test]
fn an_undo_among_three_rollouts_falls_below_the_minimum() {
    let named = |name: &str| {
        let mut deployment = web(10, &json!({}));
        deployment["metadata"]["name"] = name.into();
        for labels in ["/spec/selector/matchLabels", "/spec/template/metadata/labels"] {
            deployment.pointer_mut(labels).unwrap()["app"] = name.into();
        }
        deployment
    };
    let new_image = |name: &str| {
        let template = json!({ "spec": { "containers": [{ "name": "web", "image": "web:2" }] } });
        json!({ "at": format!("{CHANGED}s"), "setTemplate": { "name": name, "template": template } })
    };
    let names = ["web", "api", "job"];
    let lowest_available = |mode| {
        let scenario = json!({
            "version": 1,
            "mode": mode,
            "objects": names.map(named),
            "kubelet": [{ "start": "300ms", "ready": "700ms", "terminate": "1500ms" }],
            "actions": names.map(new_image).into_iter().chain([json!({ "at": "61500ms", "undo": { "name": "web" } })]).collect::<Vec<_>>(),
        });
        totals(&Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap()).lowest_available
    };
    assert_eq!((lowest_available("exact"), lowest_available("realistic")), (8, 7));
}

/// The messages of the condition Progressing in a Recreate whose requests take long, as they are written.
fn progress_of_recreate(seed: u64) -> Vec<String> {
    let scenario = json!({
        "version": 1,
        "mode": "realistic",
        "seed": seed,
        "controllerManager": { "requestTime": "20ms", "watchDelay": "5ms" },
        "objects": [web(3, &json!({ "strategy": { "type": "Recreate" } }))],
        "kubelet": [{ "terminate": "1500ms", "jitterPercent": 30 }],
        "actions": [set_image(CHANGED, "web:2")],
    });
    let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
    assert_eq!(Series::of(&timeline, "default", "web").points.last().unwrap().counts.available, 3);
    let changed = timeline.scenario.start.plus_seconds(CHANGED);
    let written = writes(&timeline, Kind::Deployment, Verb::UpdateStatus).filter(|step| step.time > changed);
    let messages = written.map(|step| {
        let Some(Object::Deployment(web)) = &step.change.as_ref().unwrap().after else { panic!("no Deployment") };
        let progressing = web.status.conditions.iter().find(|condition| &*condition.type_ == "Progressing").unwrap();
        String::from(&*progressing.message)
    });
    let mut messages: Vec<String> = messages.collect();
    messages.dedup();
    messages
}

/// The sync that creates the new ReplicaSet writes that to the status. If the Deployment has changed since the sync read it,
/// the update is refused, and the next sync finds a rollout that was complete before: it does not write the condition
/// Progressing again, which goes on naming the old ReplicaSet.
#[test]
fn a_recreate_whose_status_update_is_refused_names_the_old_replica_set() {
    let runs: Vec<Vec<String>> = (0..64).map(progress_of_recreate).collect();
    let old = runs[0][0].clone();
    assert!(old.ends_with("has successfully progressed."), "{old}");
    let (refused, written): (Vec<_>, Vec<_>) = runs.iter().partition(|messages| messages.len() == 1);
    assert!(!refused.is_empty() && written.len() > refused.len(), "{} of {} are refused", refused.len(), runs.len());
    assert!(refused.iter().all(|messages| messages[0] == old), "{refused:?}");
    for messages in written {
        assert!(messages[1].starts_with("Created new replica set"), "{messages:?}");
        let last = messages.last().unwrap();
        assert!(last.ends_with("has successfully progressed.") && *last != old, "{messages:?}");
    }
}

#[test]
fn a_controller_learns_of_a_change_when_its_watch_reports_it() {
    let limit =
        ControllerManager { request_time: Some(Duration(0)), watch_delay: Some(Duration::seconds(1)), ..DEFAULT };
    let timeline = play(&web(1, &json!({})), Some(limit), &[]);
    let seconds = |kind: Kind| {
        let created = writes(&timeline, kind, Verb::Create).next().unwrap().time;
        created.since(timeline.scenario.start) / Time::SECOND
    };
    assert_eq!([Kind::Deployment, Kind::ReplicaSet, Kind::Pod].map(seconds), [0, 1, 2]);
}

#[test]
fn creations_take_as_long_as_their_requests() {
    let timeline = play(&web(2_000, &json!({})), Some(DEFAULT), &[]);
    let created: Vec<Time> = writes(&timeline, Kind::Pod, Verb::Create).map(|step| step.time).collect();
    assert_eq!(created.len(), 2_000);
    let start = timeline.scenario.start;
    // 30 at once, including events; then 20 per second.
    assert!(created.iter().filter(|time| **time == start).count() < 30);
    let seconds = created[1_999].since(start) / Time::SECOND;
    assert!((99..=102).contains(&seconds), "{seconds} s");
    assert_eq!(timeline.end.reason, EndReason::Quiet);
}

#[test]
fn the_first_waiting_request_of_a_sync_is_reported() {
    let timeline = play(&web(100, &json!({})), Some(ControllerManager { qps: 10, burst: 10, ..DEFAULT }), &[]);
    let noted = timeline.steps.iter().find(|step| step.reason().rule.id == "controller-manager.throttled").unwrap();
    assert_eq!(noted.actor, Actor::ReplicaSetController);
    let sentence = noted.reason().sentence();
    let (subject, rest) = sentence.split_once(" waits ").unwrap();
    assert!(subject.starts_with("The next request for web-"), "{sentence}");
    assert_eq!(
        rest,
        "100 ms: the ReplicaSet controller may send 10 requests a second, and its burst of 10 is used up."
    );
}

#[test]
fn a_waiting_sync_continues_with_the_objects_it_read() {
    // Scaled down while 100 pods are being created: all of them are created first.
    let timeline = play(&web(100, &json!({})), Some(DEFAULT), &[scale(1, 10)]);
    let created = writes(&timeline, Kind::Pod, Verb::Create).map(|step| step.time).max().unwrap();
    let deleted = writes(&timeline, Kind::Pod, Verb::Delete).map(|step| step.time).min().unwrap();
    assert_eq!(writes(&timeline, Kind::Pod, Verb::Create).count(), 100);
    assert!(created <= deleted);
    let last = timeline.frame_at(Time(i64::MAX));
    let mut cursor = timeline.cursor();
    cursor.seek(&timeline, last);
    assert_eq!(cursor.state().pods().count(), 10);
}

/// Upstream has two workers for DaemonSets, and a flag for their number.
#[test]
fn two_daemon_sets_are_synced_at_the_same_time() {
    let create = |name| {
        let labels = json!({ "app": name });
        let agent = json!({
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": { "name": name },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": {
                    "metadata": { "labels": labels },
                    "spec": { "containers": [{ "name": "agent", "image": "agent:1" }] },
                },
            },
        });
        json!({ "at": "0s", "create": agent })
    };
    let actions = ["a", "b", "c"].map(create);
    let synced_at_once = |clients: Value| {
        let scenario = json!({
            "version": 1,
            "controllerManager": clients,
            "nodes": [{ "name": "node-1" }],
            "actions": actions,
        });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let first: Vec<Time> =
            writes(&timeline, Kind::ControllerRevision, Verb::Create).map(|step| step.time).collect();
        assert_eq!(first.len(), 3);
        first.iter().filter(|time| **time == first[0]).count()
    };
    assert_eq!(synced_at_once(json!({ "requestTime": "1s" })), 2);
    assert_eq!(synced_at_once(json!({ "requestTime": "1s", "workers": 3 })), 3);
}

#[test]
fn restarted_controllers_drop_waiting_requests() {
    let restart = json!({ "at": "2s", "featureGates": { "DeploymentPodReplacementPolicy": true } });
    let timeline = play(&web(100, &json!({})), Some(DEFAULT), &[restart]);
    assert_eq!(writes(&timeline, Kind::Pod, Verb::Create).count(), 100);
    assert_eq!(timeline.end.reason, EndReason::Quiet);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// In any scenario, the limit leads to the same end state, and no controller exceeds its rate.
    #[test]
    fn a_limit_changes_times_but_not_the_end_state(
        replicas in 1..20,
        qps in 1_u32..10,
        burst in 1_u32..10,
        workers in 1_u32..5,
        [request_time, watch_delay] in prop::array::uniform2(prop::option::of((0_i64..200).prop_map(|ms| Duration(ms * 1_000_000)))),
        strategy in prop_oneof![Just(json!({ "type": "Recreate" })), Just(json!({ "type": "RollingUpdate" }))],
        policy in prop_oneof![Just(Value::Null), Just(json!("TerminationStarted")), Just(json!("TerminationComplete"))],
        sizes in prop::collection::vec((0_i64..120, 0..20), 0..4),
        images in prop::collection::vec((0_i64..120, "web:[1-3]"), 0..3),
    ) {
        let scaled = sizes.iter().map(|(at, replicas)| scale(*at, *replicas));
        let mut actions: Vec<Value> = images.iter().map(|(at, image)| set_image(*at, image)).chain(scaled).collect();
        actions.sort_by_key(|action| action["at"].as_str().unwrap().trim_end_matches('s').parse::<i64>().unwrap());
        let web = web(replicas, &json!({ "strategy": strategy, "podReplacementPolicy": policy }));
        let limit = ControllerManager { qps, burst, workers: Some(workers), request_time, watch_delay };
        let timeline = play(&web, Some(limit), &actions);
        prop_assert_eq!(timeline.end.reason, EndReason::Quiet);
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, timeline.len());
        let deployment = cursor.state().deployments().next().unwrap();
        let status = &deployment.status;
        let counts = [status.replicas, status.updated_replicas, status.available_replicas];
        prop_assert_eq!(counts, [deployment.spec.replicas; 3]);
        prop_assert_eq!(cursor.state().pods().count(), usize::try_from(deployment.spec.replicas).unwrap());
        for actor in [Actor::DeploymentController, Actor::ReplicaSetController] {
            let sent = timeline.steps.iter().filter(|step| step.actor == actor && step.change.is_some());
            let sent: Vec<Time> = sent.map(|step| step.time).collect();
            for (index, from) in sent.iter().enumerate() {
                let until = from.plus_seconds(10);
                let count = sent[index..].iter().filter(|time| **time < until).count();
                prop_assert!(u32::try_from(count).unwrap() <= burst + 10 * qps, "{} in 10 s", count);
            }
        }
    }
}
