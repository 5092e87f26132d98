//! Manifests of the shape that charts render, recorded states in the middle of a rollout, and hostile texts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use changeover_core::object::Time;
use changeover_text::parse;
use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, Answer, AskedRollout, ColumnMeaning, FieldValue, Fork, KindFields,
    LaneSource, LargeText, ManifestChange, Manifests, PlayRequest, PlayedLane, Question, ReadAt, Reading, Request,
    Response, RolloutOutlook, Severity, Standing, StandstillQuestion, Variation, WorkloadKind,
};
use changeover_workbench::{Player, answer_to};
use serde_json::{Map, Value, json};

fn read(text: &str, before: Option<&str>) -> (Reading, Vec<String>) {
    read_in(
        text,
        before,
        &json!({
            "nodes": [{ "name": "node-a" }, { "name": "node-b" }],
            "kubelet": [{ "ready": "6s", "terminate": "20s" }],
            "controllerManager": {},
            "job": {
                "kubelet": [{ "run": "60s", "terminate": "20s" }],
                "actions": [{ "at": "20s", "evict": { "name": "/1" } }],
            },
        }),
    )
}

fn read_in(text: &str, before: Option<&str>, surroundings: &Value) -> (Reading, Vec<String>) {
    let (before, surroundings) = (before.map(LargeText::from), surroundings.clone());
    let manifests = Manifests { before, ..Manifests::new(text, surroundings) };
    let proposed = Variation { proposed_policy: Some("TerminationComplete".to_owned()), patch: Value::Null };
    let (answer, scenarios) = answer_to(&Question::Read {
        manifests,
        fields: Vec::new(),
        write: false,
        lanes: vec![Variation::default(), proposed],
    });
    let Answer::Read(reading) = answer else { panic!("{answer:?}") };
    (*reading, scenarios)
}

fn request(reading: &Reading, scenario: &str) -> PlayRequest {
    PlayRequest {
        generation: 1,
        lane: 0,
        shown: 0,
        source: LaneSource::Scenario(serde_json::from_str(scenario).unwrap()),
        workload: reading.shown.clone(),
        begin: 0,
        forks: Vec::new(),
        pins: Vec::new(),
    }
}

fn play(reading: &Reading, scenario: &str) -> PlayedLane {
    match Player::new().respond(Request::Play(request(reading, scenario))) {
        Response::Played(played) => *played,
        other => panic!("{other:?}"),
    }
}

/// The YAML files of a folder, by name.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn errors(reading: &Reading) -> Vec<String> {
    let errors = reading.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| format!("{:?} {}: {}", problem.line, problem.path, problem.message)).collect()
}

#[test]
fn charts_play_a_rollout() {
    let charts = files("cli/charts");
    assert!(charts.len() >= 10);
    for (path, text) in charts {
        let name = path.display();
        let (reading, scenarios) = read(&text, None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
        assert!(matches!(reading.change, ManifestChange::Image(_)), "{name}");
        assert_eq!(scenarios.len(), 2, "{name}");
        for scenario in &scenarios {
            let played = play(&reading, scenario);
            assert_eq!(played.workload, reading.shown, "{name}");
            assert!(played.totals.complete.is_some() && played.totals.rollout_start == Some(0), "{name}: {played:?}");
        }
    }
}

#[test]
fn recorded_states_go_on_from_where_they_stand() {
    let states = files("controlplane/states");
    assert!(states.len() >= 10);
    let mut going_on = 0;
    for (path, text) in states {
        let name = path.display();
        let (reading, scenarios) = read(&text, None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
        let is_whole = reading.problems.iter().all(|problem| !problem.message.contains("its state is unknown"));
        assert!(is_whole, "{name}: {:?}", reading.problems);
        assert_eq!(reading.change, ManifestChange::Nothing, "{name}");
        assert!(reading.read_at.is_some(), "{name}");
        let played = play(&reading, &scenarios[0]);
        going_on += usize::from(played.totals.last_old_pod_gone.is_none_or(|gone| gone > 0));
        assert!(played.totals.peak > 0, "{name}");
        assert_eq!(played.totals.job.is_some(), path.to_string_lossy().contains("job-"), "{name}");
    }
    assert!(going_on >= 10, "{going_on}");
}

#[test]
fn the_clocks_of_a_state_go_on_from_when_it_was_read() {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.ends_with("stuck-image.yaml")).unwrap();
    let read = |read_at: ReadAt| {
        let question = Question::Read {
            manifests: Manifests { read_at, ..manifests(text) },
            fields: Vec::new(),
            write: false,
            lanes: vec![Variation::default()],
        };
        let (Answer::Read(reading), scenarios) = answer_to(&question) else { panic!("not read") };
        let scenario: Value = serde_json::from_str(&scenarios[0]).unwrap();
        assert_eq!(scenario["start"], json!(reading.read_at));
        (Time::parse(&reading.read_at.unwrap()).unwrap(), Time::parse(&reading.newest_time.unwrap()).unwrap())
    };
    let (as_of, newest) = read(ReadAt::NewestTime);
    assert_eq!(as_of, newest);
    for (later, given, known) in [(0, 0, 0), (240, 240, 240), (600, 600, 600), (601, 0, 601), (-5, 0, 0)] {
        let time = newest.plus_seconds(later).to_string();
        assert_eq!(read(ReadAt::Given(time.clone())), (newest.plus_seconds(given), newest), "{later}");
        assert_eq!(read(ReadAt::Known(time)), (newest.plus_seconds(known), newest), "{later}");
    }
}

#[test]
fn the_new_version_of_a_recorded_state_comes_after_the_old_ones() {
    // Their lists are sorted by name. Undo makes the first ReplicaSet the new one again, and old revisions without pods
    // are shown only if the new version would be called the old one without them.
    for (state, versions) in [
        ("rolling-middle", ["web-75f9f985d6", "web-5549f98cf7"].as_slice()),
        ("pods-failing", &["web-75f9f985d6", "web-784f47899c"]),
        ("undone", &["web-5549f98cf7", "web-75f9f985d6"]),
        ("rollover", &["web-75f9f985d6", "web-5549f98cf7", "web-6dfc78b4b4", "web-6c8887987"]),
        ("recreate-starting", &["web-75f9f985d6", "web-5549f98cf7"]),
        ("node-lost", &["web-78cfd75fb4"]),
    ] {
        let states = files("controlplane/states");
        let (_, text) = states.iter().find(|(path, _)| path.file_stem().is_some_and(|name| name == state)).unwrap();
        let (reading, scenarios) = read(text, None);
        assert_eq!(play(&reading, &scenarios[0]).replica_sets, versions, "{state}");
    }
}

#[test]
fn a_template_that_is_edited_in_a_complete_state_is_not_complete_at_once() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in/complete.json");
    let mut state: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let complete = |state: &Value| {
        let (reading, scenarios) = read(&state.to_string(), None);
        assert_eq!(reading.change, ManifestChange::Nothing);
        play(&reading, &scenarios[0]).totals.complete
    };
    assert_eq!(complete(&state), Some(0));
    state["items"][0]["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:3");
    let edited = complete(&state);
    assert!(edited.is_some_and(|complete| complete > 0), "{edited:?}");
}

/// The objects of a recorded state.
fn objects_of(state: &str) -> Vec<Value> {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.file_stem().is_some_and(|name| name == state)).unwrap();
    parse(text).unwrap().into_iter().map(|document| document.value).collect()
}

/// Objects as a text, with two lines for each.
fn text_of<'a>(objects: impl IntoIterator<Item = &'a Value>) -> String {
    objects.into_iter().map(|object| format!("---\n{object}\n")).collect()
}

#[test]
fn stateful_sets_have_ordinals_and_daemon_sets_have_nodes() {
    let state_of = |name: &str| -> Vec<Value> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../core/tests/prediction/{name}.json"));
        let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        file["state"].as_array().unwrap().clone()
    };
    for (kind, columns, state, pods) in [
        ("StatefulSet", ColumnMeaning::Ordinal, "explain-broken-pod-below-the-partition", 4),
        ("DaemonSet", ColumnMeaning::Node, "explain-stuck-daemon-set", 3),
    ] {
        let mut manifest = deployment("web", 3, &json!({}));
        manifest["kind"] = kind.into();
        if kind == "DaemonSet" {
            manifest["spec"].as_object_mut().unwrap().remove("replicas");
        }
        let (reading, scenarios) = read(&text_of([&manifest]), None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{kind}");
        assert!(matches!(reading.change, ManifestChange::Image(_)), "{kind}: {:?}", reading.change);
        let updated = play(&reading, &scenarios[0]);
        assert!(updated.totals.complete.is_some() && updated.totals.rollout_start == Some(0), "{kind}: {updated:?}");
        let (reading, scenarios) = read(&text_of(&state_of(state)), None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{kind}");
        assert_eq!(reading.change, ManifestChange::Nothing, "{kind}");
        let running = play(&reading, &scenarios[0]);
        assert!(running.pods.len() >= pods, "{kind}: {:?}", running.pods);
        for played in [updated, running] {
            assert_eq!((played.columns, played.workload.unwrap().kind.name()), (Some(columns), kind));
        }
    }
}

/// The lines and the messages of the warnings.
fn warnings(text: &str) -> Vec<(Option<usize>, String)> {
    let (reading, _) = read(text, None);
    let warnings = reading.problems.into_iter().filter(|problem| problem.severity == Severity::Warning);
    warnings.map(|problem| (problem.line, problem.message)).collect()
}

#[test]
fn a_state_that_lacks_replica_sets_or_pods_says_so() {
    let objects = objects_of("rolling-middle");
    let of_kinds = |kinds: &[&str]| -> String {
        text_of(objects.iter().filter(|object| object["kind"].as_str().is_some_and(|kind| kinds.contains(&kind))))
    };
    let namespace = objects.first().unwrap()["metadata"]["namespace"].as_str().unwrap();
    let paste = format!(
        "so its state is unknown: paste the output of kubectl get deploy,rs,pods --namespace {namespace} -o yaml"
    );
    let of_deployment = (Some(2), format!("The text has no ReplicaSets of web, {paste}"));
    assert_eq!(warnings(&of_kinds(&["Deployment", "ReplicaSet", "Pod"])), vec![]);
    assert_eq!(warnings(&of_kinds(&["Deployment"])), slice::from_ref(&of_deployment));
    assert_eq!(warnings(&of_kinds(&["Deployment", "Pod"])), [of_deployment]);
    // Both ReplicaSets lack their pods. The first one says so.
    let of_replica_set = (Some(4), format!("The text has no pods of web-5549f98cf7, {paste}"));
    assert_eq!(warnings(&of_kinds(&["Deployment", "ReplicaSet"])), [of_replica_set]);
    // Only one of its ReplicaSets is missing. The first pod that it owns says so.
    let missing = "web-5549f98cf7";
    let left: Vec<&Value> = objects.iter().filter(|object| object["metadata"]["name"] != missing).collect();
    let is_its = |object: &&Value| object["metadata"]["ownerReferences"][0]["name"] == missing;
    let line = left.iter().position(is_its).map(|index| 2 * index + 2);
    let of_pod = (line, format!("The text has no ReplicaSet {missing} of this pod, {paste}"));
    assert_eq!(warnings(&text_of(left)), [of_pod]);
}

#[test]
fn a_state_on_a_node_that_is_not_there_goes_on() {
    let mut objects = objects_of("rolling-middle");
    let node = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": "spare", "uid": "spare" },
        "status": { "allocatable": { "pods": "110" } },
    });
    objects.push(node);
    let nodes: BTreeSet<&str> = objects.iter().filter_map(|object| object["spec"]["nodeName"].as_str()).collect();
    let text = text_of(&objects);
    let (reading, scenarios) = read(&text, None);
    assert_eq!(errors(&reading), Vec::<String>::new());
    let messages: Vec<&str> = reading.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages.len(), nodes.len(), "{messages:?}");
    for node in nodes {
        let start = format!("Not found: \"{node}\": it is not one of the given Nodes");
        assert!(messages.iter().any(|message| message.starts_with(&start)), "{messages:?}");
    }
    assert!(reading.problems.iter().all(|problem| problem.path == "spec.nodeName" && problem.line.is_some()));
    // The new pods go to the node that is there.
    let played = play(&reading, &scenarios[0]);
    assert!(played.totals.complete.is_some(), "{:?}", played.totals);
}

#[test]
fn an_edited_state_is_validated_as_an_update() {
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut objects = objects_of("rolling-middle");
        edit(objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap());
        text_of(&objects)
    };
    let text = edited(&|web| web["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:3"));
    assert_eq!(read(&text, None).0.problems, []);
    let text = edited(&|web| {
        web["spec"]["selector"]["matchLabels"]["app"] = json!("other");
        web["spec"]["template"]["metadata"]["labels"]["app"] = json!("other");
    });
    let (reading, scenarios) = read(&text, None);
    let refusal = r#"Some(2) spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable"#;
    assert!(errors(&reading).iter().any(|error| error == refusal), "{:?}", reading.problems);
    assert_eq!(scenarios.len(), 0);
    let text = edited(&|web| {
        web["spec"]["template"]["spec"]["nodeSelector"] = json!({ "beta.kubernetes.io/os": "linux" });
    });
    let [(line, warning)] = warnings(&text).try_into().unwrap();
    assert_eq!(line, Some(2));
    assert!(warning.contains("beta.kubernetes.io/os"), "{warning}");
    for (edit, field, meant) in [
        (json!({ "progresDeadlineSeconds": 60 }), "spec.progresDeadlineSeconds", "progressDeadlineSeconds"),
        (
            json!({ "strategy": { "rollingUpdate": { "maxSuge": 2 } } }),
            "spec.strategy.rollingUpdate.maxSuge",
            "maxSurge",
        ),
    ] {
        let text = edited(&|web| web["spec"].as_object_mut().unwrap().extend(edit.as_object().unwrap().clone()));
        let (reading, scenarios) = read(&text, None);
        let unknown = format!(r#"strict decoding error: unknown field "{field}": did you mean "{meant}"?"#);
        let warning = format!("ignored here, and refused by kubectl: {unknown}");
        assert_eq!(warnings(&text), [(Some(2), warning)]);
        assert_eq!((errors(&reading), scenarios.len()), (vec![], 2));
    }
}

/// The texts in the surroundings of the other tests.
fn manifests(text: &str) -> Manifests {
    let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "limits": { "steps": 100_000 } });
    Manifests::new(text, surroundings)
}

fn advice(manifests: Manifests, constraints: Value) -> Advice {
    let rollout = AskedRollout::Manifests(manifests);
    match answer_to(&Question::Advice(AdviceQuestion { rollout, constraints, quota: None })).0 {
        Answer::Advice(advice) => *advice,
        other => panic!("{other:?}"),
    }
}

#[test]
fn charts_can_be_asked_for_settings() {
    for (path, text) in files("cli/charts") {
        let advice = advice(manifests(&text), json!({ "maxPods": 1_000 }));
        assert_eq!(advice.current.misses, Vec::<String>::new(), "{}", path.display());
        // The picture shows the same rollout: that of another image.
        let (reading, scenarios) = read_in(&text, None, &manifests(&text).surroundings);
        let shown = play(&reading, &scenarios[0]).totals;
        let AdvisedSetting { peak, lowest_available, complete, .. } = advice.current;
        let shown = (shown.peak, shown.lowest_available, shown.complete);
        assert_eq!((peak, lowest_available, complete), shown, "{}", path.display());
    }
}

#[test]
fn charts_play_on_a_node_and_within_a_quota() {
    for (path, text) in files("cli/charts") {
        let name = path.display();
        let on_a_node =
            |pods: i32| json!({ "kubelet": [{ "ready": "6s" }], "nodes": [{ "name": "node-a", "pods": pods }] });
        let complete_on = |pods: i32| {
            let (reading, scenarios) = read_in(&text, None, &on_a_node(pods));
            assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
            play(&reading, &scenarios[0]).totals.complete
        };
        assert!(complete_on(1_000).is_some(), "{name}");
        assert_eq!(complete_on(0), None, "{name}");

        // Then it says what it waits for, and what would free it.
        let (reading, _) = read(&text, None);
        let shown = reading.shown.unwrap();
        let rollout = AskedRollout::Manifests(Manifests::new(text.as_str(), on_a_node(0)));
        let question = Question::Standstill(StandstillQuestion { rollout, forks: Vec::new() });
        let (Answer::Outlook(outlook), _) = answer_to(&question) else { panic!("{name}") };
        let is_shown =
            |rollout: &&RolloutOutlook| (&rollout.namespace, &rollout.name) == (&shown.namespace, &shown.name);
        let rollout = outlook.rollouts.iter().find(is_shown).unwrap();
        assert_eq!(rollout.standing, Standing::Stuck, "{name}");
        assert!(!rollout.obstacles.is_empty(), "{name}");
        assert!(rollout.remedies.iter().any(|remedy| remedy.complete > 0), "{name}: {rollout:?}");

        let namespace = shown.namespace;
        let quota = |name: &str, pods: i32| {
            json!({
                "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": name, "namespace": namespace },
                "spec": { "hard": { "pods": pods } },
            })
        };
        let text = format!("{text}\n---\n{}\n---\n{}\n", quota("wide", 1_000), quota("narrow", 0));
        let misses = advice(manifests(&text), json!({ "quotas": true })).current.misses.join("; ");
        assert!(misses.contains("quota narrow allows 0 pods") && !misses.contains("quota wide"), "{name}: {misses}");
    }
}

#[test]
fn the_probes_of_a_manifest_decide_when_its_pods_are_ready() {
    // The times of the controls: until pods are ready, and until those with probes answer them.
    let surroundings = json!({ "kubelet": [{ "ready": "6s", "answers": "6s", "terminate": "20s" }] });
    let complete = |probes: &Value| {
        let mut container = json!({ "name": "web", "image": "web:1" });
        container.as_object_mut().unwrap().extend(probes.as_object().unwrap().clone());
        let text = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
            "spec": {
                "replicas": 1,
                "selector": { "matchLabels": { "app": "web" } },
                "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [container] } },
            },
        });
        let text = text.to_string();
        let (reading, scenarios) = read_in(&text, None, &surroundings);
        let shown = play(&reading, &scenarios[0]).totals.complete.unwrap();
        let asked = Manifests { surroundings: surroundings.clone(), ..manifests(&text) };
        assert_eq!(advice(asked, json!({ "maxPods": 1_000 })).current.complete, Some(shown), "{probes}");
        shown.div_euclid(1_000_000_000)
    };
    let probe = |more: Value| {
        let mut probe = json!({ "httpGet": { "path": "/", "port": 80 } });
        probe.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "readinessProbe": probe })
    };
    for (probes, earliest, latest) in [
        (json!({}), 7, 9),
        (probe(json!({ "initialDelaySeconds": 60 })), 61, 63),
        (probe(json!({ "periodSeconds": 30 })), 31, 33),
    ] {
        let seconds = complete(&probes);
        assert!((earliest..=latest).contains(&seconds), "{probes}: {seconds}");
    }
}

/// Each recorded state of a Deployment: how its rollout stands, how what holds it up begins, and whether Ask, which plays on from
/// there, finds that it is ever complete under its own settings. A paused Deployment rolls nothing out, and neither does one that is being deleted. Pods with an image that
/// can't be pulled never start.
const STANDINGS: [(&str, Standing, &str, bool); 17] = [
    (
        "deleting",
        Standing::Deleting,
        "it is being deleted, so its rollout has stopped; its ReplicaSets and pods are deleted first",
        true,
    ),
    ("node-lost", Standing::Complete, "node node-lost-1-a no longer reports: 2 pods there stay until it does", true),
    ("paused", Standing::Paused, "it is paused", false),
    ("pods-failing", Standing::Progressing, "", true),
    ("recreate-starting", Standing::Progressing, "", true),
    (
        "recreate-terminating",
        Standing::Progressing,
        "3 old pods are terminating, and have at most 4 s left: Recreate creates no new pods until then",
        true,
    ),
    ("rolling-first", Standing::Progressing, "", true),
    ("rolling-middle", Standing::Progressing, "", true),
    ("rolling-unavailable", Standing::Progressing, "", true),
    ("rollover", Standing::Progressing, "", true),
    (
        "stuck-image",
        Standing::Stuck,
        "container web is waiting: ImagePullBackOff: Back-off pulling image \"registry.example/web:2\": ErrImagePull",
        false,
    ),
    ("stuck-never-ready", Standing::Progressing, "", true),
    (
        "stuck-no-room",
        Standing::Stuck,
        "no node has room for a pod with cpu 60 and nodeSelector kubernetes.io/hostname=no-room-1-a: 0/4 nodes are available",
        false,
    ),
    (
        "stuck-past-deadline",
        Standing::Stuck,
        "pods are running, but container web is not ready (2 pods, for 7 s, on node-1 and node-2); it reports \
         ProgressDeadlineExceeded: no progress for 6 s",
        false,
    ),
    (
        "stuck-quota",
        Standing::Stuck,
        "the API server refuses pods: exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3",
        false,
    ),
    ("undone", Standing::Progressing, "", true),
    ("waiting-min-ready", Standing::Progressing, "", true),
];

#[test]
fn recorded_states_say_where_they_stand_and_why() {
    let mut states = files("controlplane/states");
    states.retain(|(path, _)| !path.to_string_lossy().contains("job-"));
    assert_eq!(states.len(), STANDINGS.len());
    for ((path, text), (name, standing, cause, completes)) in states.iter().zip(STANDINGS) {
        assert_eq!(path.file_stem().unwrap(), name);
        let (answer, _) = answer_to(&Question::Outlook(manifests(text)));
        let Answer::Outlook(outlook) = answer else { panic!("{name}: {answer:?}") };
        let [rollout] = outlook.rollouts.as_slice() else { panic!("{name}: {:?}", outlook.rollouts) };
        let (reading, scenarios) = read(text, None);
        let totals = play(&reading, &scenarios[0]).totals;
        // Nobody acts, not even where the proposed policy is played.
        let compared: Value = serde_json::from_str(&scenarios[1]).unwrap();
        let mut actions = compared["actions"].as_array().into_iter().flatten();
        assert!(actions.all(|action| action.get("apply").is_none()), "{name}");
        // What is in progress has a time to its end, or never ends.
        assert_eq!(totals.rollout_start.is_none(), standing == Standing::Complete, "{name}: {totals:?}");
        let causes: Vec<&str> = rollout.obstacles.iter().map(|obstacle| obstacle.why.as_str()).collect();
        assert_eq!((rollout.standing, causes.is_empty()), (standing, cause.is_empty()), "{name}: {causes:?}");
        assert!(causes.join("; ").starts_with(cause), "{name}: {causes:?}");
        let asked = advice(manifests(text), json!({ "maxPods": 1_000 })).current;
        assert_eq!(asked.complete.is_some(), completes, "{name}: {asked:?}");
    }
}

#[test]
fn a_link_gives_the_same_answer_or_says_what_it_leaves_out() {
    for (path, text) in files("controlplane/states").into_iter().chain(files("cli/charts")) {
        let name = path.display();
        let answer = |text: &str| {
            let (reading, scenarios) = read(text, None);
            assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
            let (Answer::Outlook(outlook), _) = answer_to(&Question::Outlook(manifests(text))) else {
                panic!("{name}")
            };
            let totals: Vec<_> = scenarios.iter().map(|scenario| play(&reading, scenario).totals).collect();
            (reading, totals, outlook.rollouts)
        };
        let (reading, totals, rollouts) = answer(&text);
        let content = reading.link_texts.unwrap();
        let link = content.text.as_deref().unwrap_or(&text);
        let (_, totals_of_link, rollouts_of_link) = answer(link);
        assert_eq!(totals_of_link, totals, "{name}");
        assert_eq!(rollouts_of_link.len(), rollouts.len(), "{name}");
        for (of_link, rollout) in rollouts_of_link.iter().zip(&rollouts) {
            assert_eq!(of_link.standing, rollout.standing, "{name}");
            assert_eq!(of_link.obstacles.len(), rollout.obstacles.len(), "{name}");
            for (of_link, obstacle) in of_link.obstacles.iter().zip(&rollout.obstacles) {
                assert!(
                    of_link.why == obstacle.why || of_link.why.contains("(left out of the link)"),
                    "{name}: {of_link:?}"
                );
            }
        }
    }
}

#[test]
fn a_link_keeps_a_change_of_a_text_that_it_leaves_out() {
    let with_version = |version: &str| {
        let container = json!({ "name": "web", "image": "web:1", "env": [{ "name": "VERSION", "value": version }] });
        let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [container] } });
        let spec = json!({ "replicas": 3, "selector": { "matchLabels": { "app": "web" } }, "template": template });
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" }, "spec": spec })
            .to_string()
    };
    let content = read(&with_version("hunter3"), Some(&with_version("hunter2"))).0.link_texts.unwrap();
    let (text, before) = (content.text.unwrap(), content.before.unwrap());
    assert!(text.contains("hidden-2") && before.contains("hidden-1"), "{text:?} {before:?}");
    let (reading, scenarios) = read(&text, Some(&before));
    assert_eq!(play(&reading, &scenarios[0]).totals.rollout_start, Some(0));
}

/// A recorded state with the nodes of its pods, a spare one and a disruption budget, as `kubectl get ...,pdb,nodes` adds them.
fn with_nodes_and_budget(text: &str) -> String {
    let fields = |key: &'static str| text.lines().filter_map(move |line| line.trim().strip_prefix(key)).map(str::trim);
    let namespace = fields("namespace:").next().unwrap();
    let nodes: BTreeSet<&str> = fields("nodeName:").chain(["spare"]).collect();
    let nodes = nodes.into_iter().map(|name| {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "uid": name },
            "status": { "allocatable": { "cpu": "128", "memory": "256Gi", "pods": "110" }, "conditions": [{ "type": "Ready", "status": "True" }] },
        })
    });
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": { "name": "guard", "namespace": namespace, "uid": "guard" },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "web" } } },
    });
    let around: String = nodes.chain([budget]).map(|object| format!("- {object}\n")).collect();
    text.replacen("\nitems:\n", &format!("\nitems:\n{around}"), 1)
}

/// The state whose nodes say something else than the nodes that are added: one is lost.
const OTHER_NODES: &str = "node-lost";

#[test]
fn recorded_states_with_nodes_and_a_budget_go_through_all_parts() {
    for ((path, text), (name, standing, ..)) in files("controlplane/states")
        .iter()
        .filter(|(path, _)| !path.to_string_lossy().contains("job-"))
        .zip(STANDINGS)
        .filter(|(_, (name, ..))| *name != OTHER_NODES)
    {
        assert_eq!(path.file_stem().unwrap(), name);
        let text = with_nodes_and_budget(text);
        // What it holds, and how it goes on.
        let (reading, scenarios) = read(&text, None);
        assert_eq!((errors(&reading), reading.has_nodes), (vec![], true), "{name}");
        assert!(reading.objects.iter().all(|object| object.left_out.is_none()), "{name}: {:?}", reading.objects);
        let drained = reading.objects.iter().find(|object| object.kind == "Node").map(|node| node.name.as_str());
        assert!(reading.objects.iter().any(|object| object.kind == "PodDisruptionBudget"), "{name}");
        let totals = play(&reading, &scenarios[0]).totals;
        assert!(totals.peak > 0, "{name}");
        // A node is drained, and its pods go to another one.
        let mut request = request(&reading, &scenarios[0]);
        request.forks = vec![Fork { at: 0, action: json!({ "drain": { "name": drained } }), target: None }];
        let Response::Played(drained) = Player::new().respond(Request::Play(request)) else { panic!("{name}") };
        assert!(drained.forks.iter().all(|fork| fork.done), "{name}: {:?}", drained.forks);
        assert!(drained.nodes.iter().any(|node| node == "spare"), "{name}: {:?}", drained.nodes);
        // The settings that Ask compares are played in the same cluster.
        let asked = advice(manifests(&text), json!({ "maxPods": 1_000 }));
        let shown = read_in(&text, None, &manifests(&text).surroundings);
        let shown = play(&shown.0, &shown.1[0]).totals;
        if matches!(standing, Standing::Progressing | Standing::Stuck | Standing::Deleting) {
            let AdvisedSetting { peak, lowest_available, .. } = asked.current;
            assert_eq!((peak, lowest_available), (shown.peak, shown.lowest_available), "{name}");
        }
        // Why it waits.
        let (Answer::Outlook(outlook), _) = answer_to(&Question::Outlook(manifests(&text))) else { panic!("{name}") };
        let [rollout] = outlook.rollouts.as_slice() else { panic!("{name}: {:?}", outlook.rollouts) };
        assert_eq!(rollout.standing, standing, "{name}: {:?}", rollout.obstacles);
    }
}

#[test]
fn the_state_of_jobs_has_no_rollout() {
    for (path, text) in files("controlplane/states") {
        let (answer, _) = answer_to(&Question::Outlook(manifests(&text)));
        let Answer::Outlook(outlook) = answer else { panic!("{}: {answer:?}", path.display()) };
        assert_eq!(outlook.rollouts.is_empty(), path.to_string_lossy().contains("job-"), "{}", path.display());
    }
}

#[test]
fn a_second_rollout_replaces_the_first() {
    let (_, text) = files("cli/charts").remove(0);
    let mut surroundings = manifests(&text).surroundings;
    let complete = |surroundings: &Value| {
        let (reading, scenarios) = read_in(&text, None, surroundings);
        let totals = play(&reading, &scenarios[0]).totals;
        (totals.rollout_start, totals.complete.unwrap())
    };
    let (first, alone) = complete(&surroundings);
    surroundings["restart"] = json!({ "at": "3s" });
    let (second, both) = complete(&surroundings);
    assert_eq!((first, second), (Some(0), Some(3_000_000_000)));
    assert!(alone < both);
    surroundings["restart"] = json!({ "at": "soon" });
    let (reading, _) = read_in(&text, None, &surroundings);
    assert!(reading.problems[0].path.ends_with(".at"), "{:?}", reading.problems);
}

/// A Deployment with a container that has these fields, too.
fn deployment(name: &str, replicas: u32, container: &Value) -> Value {
    let mut first = json!({ "name": "app", "image": "registry.example/app:1" });
    first.as_object_mut().unwrap().extend(container.as_object().unwrap().clone());
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": name } },
            "template": { "metadata": { "labels": { "app": name } }, "spec": { "containers": [first] } },
        },
    })
}

#[test]
fn the_other_deployments_of_a_text_roll_out_if_asked() {
    let requests = json!({ "resources": { "requests": { "cpu": "500m" } } });
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" }, "spec": { "hard": { "pods": "26" } },
    });
    let list = json!({
        "kind": "List", "apiVersion": "v1",
        "items": [deployment("web", 8, &json!({})), deployment("api", 10, &requests), quota],
    });
    let text = list.to_string();
    let mut surroundings = manifests(&text).surroundings;
    let (reading, scenarios) = read_in(&text, None, &surroundings);
    let [api] = reading.other_deployments.as_slice() else { panic!("{:?}", reading.other_deployments) };
    assert_eq!((api.name.as_str(), &api.replicas, &api.cpu), ("api", &json!(10), &json!("500m")));
    assert_eq!(api.memory, Value::Null);
    let alone = play(&reading, &scenarios[0]).totals;
    surroundings["othersRestart"] = json!({ "at": "0s" });
    let (reading, scenarios) = read_in(&text, None, &surroundings);
    let both = play(&reading, &scenarios[0]).totals;
    // They need room in the same quota, and the figures stay those of the shown one.
    assert_eq!((alone.rollout_start, both.rollout_start), (Some(0), Some(0)));
    assert!(alone.complete.unwrap() < both.complete.unwrap(), "{alone:?} {both:?}");
    let asked = advice(Manifests { surroundings, ..manifests(&text) }, json!({ "maxPods": 1_000 })).current;
    assert_eq!((asked.peak, asked.complete), (both.peak, both.complete));
}

#[test]
fn a_rollout_in_progress_goes_on_beside_that_of_another_deployment() {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.ends_with("rolling-middle.yaml")).unwrap();
    let (reading, scenarios) = read(text, None);
    let alone = play(&reading, &scenarios[0]).totals;
    let namespace = &reading.shown.as_ref().unwrap().namespace;
    let mut other = deployment("other", 2, &json!({}));
    other["metadata"]["namespace"] = json!(namespace);
    let text = text.replacen("\nitems:\n", &format!("\nitems:\n- {other}\n"), 1);
    let manifests = Manifests { workload: reading.shown.clone(), ..manifests(&text) };
    let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "controllerManager": {}, "othersRestart": { "at": "0s" } });
    let question = Question::Read {
        manifests: Manifests { surroundings, ..manifests },
        fields: Vec::new(),
        write: false,
        lanes: vec![Variation::default()],
    };
    let (Answer::Read(both), scenarios) = answer_to(&question) else { panic!("not read") };
    assert_eq!(errors(&both), Vec::<String>::new());
    let both = play(&both, &scenarios[0]).totals;
    assert_eq!((both.rollout_start, both.complete.is_some()), (alone.rollout_start, true), "{both:?}");
    assert_eq!(both.rollout_start, Some(0));
}

#[test]
fn an_edited_template_of_a_running_cluster_has_pods_with_times_of_their_own() {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.ends_with("rolling-middle.yaml")).unwrap();
    let edited = text.replacen("- image: web:2", "- image: web:3", 1);
    let all = json!({ "ready": "6s", "terminate": "20s" });
    let never = json!({ "revision": 2, "pull": "never", "ready": "6s", "terminate": "20s" });
    for (text, kubelet, revision, is_complete) in [
        (text, json!([all]), None, true),
        (&edited, json!([all]), Some(3), true),
        (&edited, json!([never, all]), Some(3), false),
        // The pods of an old version are those of the cluster.
        (text, json!([never, all]), None, true),
    ] {
        let surroundings = json!({ "kubelet": kubelet, "controllerManager": {} });
        let (reading, scenarios) = read_in(text, None, &surroundings);
        assert_eq!(errors(&reading), Vec::<String>::new());
        let complete = play(&reading, &scenarios[0]).totals.complete;
        assert_eq!((reading.new_revision, complete.is_some()), (revision, is_complete), "{surroundings}");
    }
}

#[test]
fn a_rollout_in_progress_goes_on_beside_a_cordoned_node() {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.ends_with("rolling-middle.yaml")).unwrap();
    let text = with_nodes_and_budget(text);
    let figures = |text: &str| {
        let (reading, scenarios) = read(text, None);
        assert_eq!(errors(&reading), Vec::<String>::new());
        let totals = play(&reading, &scenarios[0]).totals;
        (totals.rollout_start, totals.complete.is_some())
    };
    let metadata = r#""metadata":{"name":"spare","uid":"spare"}"#;
    let cordoned = text.replacen(metadata, &format!(r#"{metadata},"spec":{{"unschedulable":true}}"#), 1);
    assert_ne!(cordoned, text);
    assert_eq!((figures(&text), figures(&cordoned)), ((Some(0), true), (Some(0), true)));
}

/// A rollout as `kubectl get -o json` prints it: its new pod waits beside a full node and a spare one, which is or was cordoned.
fn waiting_beside_a_spare_node(is_cordoned: bool) -> String {
    let created = "2026-01-01T00:00:00Z";
    let labels = |hash: &str| json!({ "app": "web", "pod-template-hash": hash });
    let pod_spec = |version: &str, node: Option<&str>| json!({ "nodeName": node, "containers": [{ "name": "app", "image": format!("web:{version}") }] });
    let owned_by = |kind: &str, name: &str| {
        let owner = json!({ "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true });
        json!([owner])
    };
    let web = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "web", "namespace": "shop", "uid": "web", "creationTimestamp": created, "generation": 2,
            "annotations": { "deployment.kubernetes.io/revision": "2" },
        },
        "spec": {
            "replicas": 2, "strategy": { "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": pod_spec("2", None) },
        },
        "status": {
            "observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2, "availableReplicas": 2,
        },
    });
    let replica_set = |version: &str, hash: &str, pods: u32, ready: u32| {
        let name = format!("web-{hash}");
        let annotations = json!({
            "deployment.kubernetes.io/revision": version, "deployment.kubernetes.io/desired-replicas": "2",
            "deployment.kubernetes.io/max-replicas": "3",
        });
        json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {
                "name": name, "namespace": "shop", "uid": name, "creationTimestamp": created, "generation": 1,
                "labels": labels(hash), "annotations": annotations, "ownerReferences": owned_by("Deployment", "web"),
            },
            "spec": {
                "replicas": pods, "selector": { "matchLabels": labels(hash) },
                "template": { "metadata": { "labels": labels(hash) }, "spec": pod_spec(version, None) },
            },
            "status": { "observedGeneration": 1, "replicas": pods, "readyReplicas": ready, "availableReplicas": ready },
        })
    };
    let pod = |version: &str, hash: &str, number: u32, node: Option<&str>, status: &Value| {
        let name = format!("web-{hash}-{number}");
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": name, "namespace": "shop", "uid": name, "creationTimestamp": created,
                "labels": labels(hash), "ownerReferences": owned_by("ReplicaSet", &format!("web-{hash}")),
            },
            "spec": pod_spec(version, node),
            "status": status,
        })
    };
    let ready = json!({ "type": "Ready", "status": "True", "lastTransitionTime": created });
    let running = json!({ "phase": "Running", "startTime": created, "conditions": [ready] });
    let message = "0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable. preemption: 0/2 nodes.";
    let condition = json!({ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message });
    let waiting = json!({ "phase": "Pending", "conditions": [condition] });
    let node = |name: &str, pods: &str, is_cordoned: bool| {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "uid": name },
            "spec": { "unschedulable": is_cordoned },
            "status": { "allocatable": { "pods": pods }, "conditions": [{ "type": "Ready", "status": "True" }] },
        })
    };
    let items = json!([
        web,
        replica_set("1", "old", 2, 2),
        replica_set("2", "new", 1, 0),
        pod("1", "old", 1, Some("full"), &running),
        pod("1", "old", 2, Some("full"), &running),
        pod("2", "new", 1, None, &waiting),
        node("full", "2", false),
        node("spare", "110", is_cordoned),
    ]);
    json!({ "kind": "List", "apiVersion": "v1", "items": items }).to_string()
}

#[test]
fn nobody_is_told_to_uncordon_a_node_that_the_text_lacks() {
    let mut list: Value = serde_json::from_str(&waiting_beside_a_spare_node(true)).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    items.retain(|item| item["metadata"]["name"] != "spare");
    // One of the old pods runs on it, and the other node has room for one.
    items[4]["spec"]["nodeName"] = json!("spare");
    items[6]["status"]["allocatable"]["pods"] = json!("1");
    let text = list.to_string();
    let (Answer::Outlook(outlook), _) = answer_to(&Question::Outlook(manifests(&text))) else { panic!("no outlook") };
    let [rollout] = outlook.rollouts.as_slice() else { panic!("{:?}", outlook.rollouts) };
    assert_eq!(rollout.standing, Standing::Stuck);
    let commands = rollout.obstacles.iter().filter_map(|obstacle| obstacle.command.as_deref());
    let said: Vec<&str> = commands.chain(rollout.remedies.iter().map(|remedy| remedy.what.as_str())).collect();
    assert!(!said.is_empty() && said.iter().all(|it| !it.contains("spare")), "{said:?}");
}

#[test]
fn a_pod_waits_until_the_only_node_with_room_is_uncordoned() {
    let text = waiting_beside_a_spare_node(true);
    let (reading, scenarios) = read_in(&text, None, &manifests(&text).surroundings);
    assert_eq!(errors(&reading), Vec::<String>::new());
    let scenario: Value = serde_json::from_str(&scenarios[0]).unwrap();
    assert_eq!(scenario.get("actions"), None);
    let waiting = play(&reading, &scenarios[0]);
    assert_eq!(waiting.totals.complete, None);
    assert!(waiting.pods.iter().all(|pod| pod.node.as_deref() != Some("spare")), "{:?}", waiting.pods);
    // What would unblock it takes as long when it is done by hand.
    let (Answer::Outlook(outlook), _) = answer_to(&Question::Outlook(manifests(&text))) else { panic!("no outlook") };
    let [rollout] = outlook.rollouts.as_slice() else { panic!("{:?}", outlook.rollouts) };
    assert_eq!(rollout.standing, Standing::Stuck);
    let remedy = rollout.remedies.iter().find(|remedy| remedy.what == "Uncordon spare").unwrap();
    let mut request = request(&reading, &scenarios[0]);
    request.forks = vec![Fork { at: 0, action: json!({ "uncordon": { "name": "spare" } }), target: None }];
    let Response::Played(uncordoned) = Player::new().respond(Request::Play(request)) else { panic!("not played") };
    assert_eq!(uncordoned.totals.complete, Some(remedy.complete));
    // The same is true if the text says it, although the scheduler's message is still there.
    let text = waiting_beside_a_spare_node(false);
    let (reading, scenarios) = read_in(&text, None, &manifests(&text).surroundings);
    assert!(play(&reading, &scenarios[0]).totals.complete.is_some());
}

#[test]
fn new_pods_take_as_long_as_the_running_ones_took() {
    let ready_at = |second: u32| format!(r#""lastTransitionTime":"2026-01-01T00:00:{second:02}Z""#);
    let text = waiting_beside_a_spare_node(false).replace(&ready_at(0), &ready_at(20));
    for (is_asked, measured, ready, answers) in
        [(true, Some(20_000_000_000), "19s", None), (false, None, "6s", Some(&json!("6s")))]
    {
        let kubelet = json!([{ "ready": "6s", "answers": "6s" }]);
        let surroundings = json!({ "kubelet": kubelet, "startsAsMeasured": is_asked });
        let (reading, scenarios) = read_in(&text, None, &surroundings);
        assert_eq!(reading.measured_start, measured, "{:?}", reading.problems);
        let scenario: Value = serde_json::from_str(&scenarios[0]).unwrap();
        let others = scenario["kubelet"].as_array().unwrap().last().unwrap();
        assert_eq!((&others["ready"], others.get("answers")), (&json!(ready), answers));
    }
}

#[test]
fn an_autoscaler_frees_a_rollout_whose_nodes_are_full() {
    let states = files("controlplane/states");
    let (_, text) = states.iter().find(|(path, _)| path.ends_with("rolling-first.yaml")).unwrap();
    let full = with_nodes_and_budget(text).replace(r#""pods":"110""#, r#""pods":"0""#);
    let standing = |autoscaler: Value| {
        let mut manifests = manifests(&full);
        manifests.surroundings["autoscaler"] = autoscaler;
        let (Answer::Outlook(outlook), _) = answer_to(&Question::Outlook(manifests)) else { panic!("no outlook") };
        outlook.rollouts[0].standing
    };
    assert_eq!(standing(Value::Null), Standing::Stuck);
    assert_eq!(standing(json!({ "node": { "name": "added" }, "startup": "30s" })), Standing::Progressing);
}

#[test]
fn a_pre_stop_command_that_only_sleeps_delays_the_last_old_pod() {
    let gone = |command: Value| {
        let hook = json!({ "lifecycle": { "preStop": { "exec": { "command": command } } } });
        let text = deployment("web", 4, &hook).to_string();
        let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "5s" }] });
        let (reading, scenarios) = read_in(&text, None, &surroundings);
        let hooks = reading.pre_stop_hooks.unwrap();
        (hooks.sleep, hooks.has_others, play(&reading, &scenarios[0]).totals.last_old_pod_gone.unwrap())
    };
    let (unknown, has_others, plain) = gone(json!(["/wait-shutdown"]));
    assert_eq!((unknown, has_others), (None, true));
    let fifteen = 15_000_000_000;
    assert_eq!(gone(json!(["sh", "-c", "sleep 15"])), (Some(fifteen), false, plain + fifteen));
    // The grace period is 30 seconds, and the containers have 2 seconds in any case.
    let thirty_two = 32_000_000_000;
    assert_eq!(gone(json!(["sleep", "60"])), (Some(60_000_000_000), false, plain - 5_000_000_000 + thirty_two));
}

#[test]
fn a_difference_of_two_states_is_a_rollout() {
    let (_, text) = files("cli/charts").remove(0);
    let (_, image) = text.split_once("image: ").unwrap();
    let image = image.lines().next().unwrap();
    let (reading, scenarios) = read(&text.replace(image, "registry.example/other:9"), Some(&text));
    assert_eq!((errors(&reading), reading.change.clone()), (vec![], ManifestChange::Difference));
    assert_eq!(play(&reading, &scenarios[0]).totals.rollout_start, Some(0));
}

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\nspec:\n  completions: 3\n  parallelism: 3\n  \
    completionMode: Indexed\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: train\n          \
    image: train:v1\n";

const CRON_JOB: &str = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: sync\nspec:\n  schedule: '*/5 * * * *'\n  \
    jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          containers:\n            \
    - name: sync\n              image: sync:v1\n";

#[test]
fn a_job_is_created_and_played_under_both_policies() {
    let (reading, scenarios) = read(JOB, None);
    assert_eq!((errors(&reading), &reading.change), (vec![], &ManifestChange::Create));
    let twice: Vec<bool> = scenarios
        .iter()
        .map(|scenario| {
            let played = play(&reading, scenario);
            assert_eq!(played.workload, reading.shown);
            let job = played.totals.job.unwrap();
            assert_eq!((job.succeeded, job.completions, job.end.is_some()), (3, Some(3), true));
            job.two_of_index.unwrap() > 0
        })
        .collect();
    assert_eq!(twice, [true, false]);
}

#[test]
fn a_job_that_may_have_one_policy_only_has_one_lane() {
    let policy = "  podFailurePolicy:\n    rules:\n      - action: FailJob\n        onExitCodes: { operator: In, values: [3] }\n";
    let (reading, scenarios) = read(&JOB.replace("  template:\n", &format!("{policy}  template:\n")), None);
    assert_eq!((errors(&reading), scenarios.len()), (vec![], 1));
}

#[test]
fn a_problem_of_a_job_has_its_line() {
    for text in
        [JOB.replace("parallelism: 3", "parallelism: -3"), format!("{CRON_JOB}---\n{JOB}").replace("*/5", "*/x")]
    {
        let (reading, scenarios) = read(&text, None);
        assert_eq!((reading.problems.len(), scenarios.len()), (1, 0), "{:?}", reading.problems);
        assert_eq!(reading.problems[0].line, Some(if text.contains("*/x") { 6 } else { 7 }));
    }
}

#[test]
fn a_cron_job_is_followed_for_some_runs() {
    let (reading, scenarios) = read(CRON_JOB, None);
    assert_eq!((errors(&reading), &reading.change, scenarios.len()), (vec![], &ManifestChange::Create, 2));
    assert_eq!(reading.objects[0].left_out, None);
    let played = play(&reading, &scenarios[0]);
    assert_eq!(played.workload, reading.shown);
    // The fifth one begins 10 minutes before the end, in which there is time for another one.
    assert_eq!(played.totals.job.unwrap().runs, Some(6));
}

#[test]
fn jobs_are_shown_beside_deployments_and_hooks_are_not() {
    let hook = JOB.replace("name: train\nspec", "name: train\n  annotations: { helm.sh/hook: pre-upgrade }\nspec");
    let (_, chart) = files("cli/charts").remove(0);
    let (reading, _) = read(&format!("{hook}---\n{CRON_JOB}---\n{}---\n{chart}", JOB.replace("train", "import")), None);
    let kinds: Vec<WorkloadKind> = reading.workloads.iter().map(|workload| workload.kind).collect();
    assert!([WorkloadKind::CronJob, WorkloadKind::Job].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert_eq!(reading.shown.map(|shown| shown.kind), Some(WorkloadKind::Deployment));
    assert!(!reading.workloads.iter().any(|workload| workload.name == "train"));
}

#[test]
fn controls_write_the_fields_of_the_shown_kind() {
    let field = |path: &str, value: i32| FieldValue { path: path.to_owned(), value: json!(value) };
    let fields = [
        (WorkloadKind::Deployment, field("spec.replicas", 15)),
        (WorkloadKind::Job, field("spec.parallelism", 2)),
        (WorkloadKind::CronJob, field("spec.jobTemplate.spec.backoffLimit", 1)),
    ];
    let fields: Vec<KindFields> = fields
        .into_iter()
        .map(|(kind, field)| {
            let (limits, nodes, other_replicas) = (Vec::new(), Vec::new(), Vec::new());
            KindFields { kind, fields: vec![field], limits, nodes, other_replicas }
        })
        .collect();
    let written = |text: &str| {
        let manifests = Manifests::new(text, json!({}));
        let question = Question::Read { manifests, fields: fields.clone(), write: true, lanes: Vec::new() };
        let (Answer::Read(reading), _) = answer_to(&question) else { panic!("not read") };
        assert_eq!(reading.fields.len(), 1, "{:?}", reading.fields);
        rewritten(&reading).unwrap()
    };
    assert_eq!(written(JOB), JOB.replace("parallelism: 3", "parallelism: 2"));
    assert!(written(CRON_JOB).contains("\n      backoffLimit: 1\n"), "{}", written(CRON_JOB));
}

#[test]
fn controls_write_the_replicas_of_the_other_deployments() {
    let text = "# mine\nkind: Deployment\nmetadata: { name: web }\nspec:\n  replicas: 4\n---\nkind: Deployment\nmetadata: { name: api }\n\
        spec:\n  replicas: 3 # of them\n---\nkind: Deployment\nmetadata: { name: db }\nspec:\n  paused: false\n";
    let written = |other_replicas: &[i32]| {
        let manifests = Manifests::new(text, json!({}));
        let fields = vec![KindFields {
            kind: WorkloadKind::Deployment,
            fields: Vec::new(),
            limits: Vec::new(),
            nodes: Vec::new(),
            other_replicas: other_replicas.to_vec(),
        }];
        let (answer, _) = answer_to(&Question::Read { manifests, fields, write: true, lanes: Vec::new() });
        let Answer::Read(reading) = answer else { panic!("{answer:?}") };
        (rewritten(&reading), reading.unwritten)
    };
    assert_eq!(written(&[5, 1]).0, Some(text.replace("replicas: 3", "replicas: 5")));
    assert_eq!(written(&[3, 2]).0, Some(text.replace("  paused", "  replicas: 2\n  paused")));
    assert_eq!(written(&[3, 1]), (None, Vec::new()));
    for other in [&[][..], &[5], &[5, 1, 1]] {
        assert_eq!(written(other), (None, vec!["the number of other Deployments".to_owned()]));
    }
}

const QUOTA_PODS: &str = "ResourceQuota/spec/hard/pods";
const QUOTA_CPU: &str = "ResourceQuota/spec/hard/requests.cpu";
const MIN_AVAILABLE: &str = "PodDisruptionBudget/spec/minAvailable";

/// The text with the fields of the question.
fn rewritten(reading: &Reading) -> Option<String> {
    reading.rewritten.as_deref().map(str::to_owned)
}

/// Reads a text, and writes these values of the controls into it. All of them can be written.
fn controlled(text: &str, values: &[(&str, Value)]) -> Reading {
    let reading = written(text, values, Vec::new());
    assert_eq!(reading.unwritten, Vec::<String>::new());
    reading
}

/// Reads a text, and writes these values of the controls into it. `nodes`: the Nodes according to the controls.
fn written(text: &str, values: &[(&str, Value)], nodes: Vec<Value>) -> Reading {
    let typed = |path: &str| values.iter().find(|(known, value)| *known == path && !value.is_null());
    let value = |path: &str| typed(path).map(|(_, value)| value.clone());
    let hard = [("pods", QUOTA_PODS), ("requests.cpu", QUOTA_CPU)];
    let hard = hard.into_iter().filter_map(|(key, path)| Some((key.to_owned(), value(path)?)));
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "pods", "namespace": "default" },
        "spec": { "hard": Value::Object(hard.collect()) },
    });
    let mut budget = Map::from_iter([("selector".to_owned(), json!({ "matchLabels": { "app": "web" } }))]);
    budget.extend(value(MIN_AVAILABLE).map(|value| ("minAvailable".to_owned(), value)));
    let budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web", "namespace": "default" },
        "spec": budget,
    });
    let fields = values.iter().map(|(path, value)| FieldValue { path: (*path).to_owned(), value: value.clone() });
    let fields = vec![KindFields {
        kind: WorkloadKind::Deployment,
        fields: fields.collect(),
        limits: vec![quota, budget],
        nodes,
        other_replicas: Vec::new(),
    }];
    let manifests = Manifests::new(text, json!({}));
    let (answer, _) = answer_to(&Question::Read { manifests, fields, write: true, lanes: Vec::new() });
    let Answer::Read(reading) = answer else { panic!("{answer:?}") };
    *reading
}

/// A Deployment in a namespace, with a probe.
const STORE: &str = "# mine
apiVersion: apps/v1
kind: Deployment
metadata:
  name: store
  namespace: shop
spec:
  selector:
    matchLabels: { app: store }
  template:
    metadata:
      labels: { app: store }
    spec:
      containers:
        - name: store
          image: store:1
          readinessProbe:
            httpGet: { port: 80 }
            periodSeconds: 5 # often
";

#[test]
fn controls_add_a_quota_and_a_budget_and_remove_them_again() {
    let quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: pods\n  namespace: shop\nspec:\n  hard:\n    pods: 4\n";
    let budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: store\n  namespace: shop\nspec:\n  \
        minAvailable: 50%\n  selector:\n    matchLabels:\n      app: store\n";
    let values =
        |pods: Value, cpu: Value, available: Value| [(QUOTA_PODS, pods), (QUOTA_CPU, cpu), (MIN_AVAILABLE, available)];
    let with_quota = format!("{STORE}{quota}");
    let reading = controlled(STORE, &values(json!(4), Value::Null, Value::Null));
    assert_eq!(rewritten(&reading).as_ref(), Some(&with_quota));
    assert_eq!(errors(&reading), Vec::<String>::new());
    let with_both = format!("{with_quota}{budget}");
    let reading = controlled(&with_quota, &values(json!(4), Value::Null, json!("50%")));
    assert_eq!(rewritten(&reading).as_ref(), Some(&with_both));
    assert_eq!(errors(&reading), Vec::<String>::new());
    let reading = controlled(&with_both, &values(json!(4), json!("500m"), json!("50%")));
    assert_eq!(rewritten(&reading), Some(with_both.replace("    pods", "    requests.cpu: 500m\n    pods")));
    let reading = controlled(&with_both, &values(Value::Null, Value::Null, json!("50%")));
    assert_eq!(rewritten(&reading), Some(format!("{STORE}{budget}")));
    let reading = controlled(&with_both, &values(Value::Null, Value::Null, Value::Null));
    assert_eq!(reading.rewritten.as_deref(), Some(STORE));
}

#[test]
fn controls_write_a_quota_and_a_budget_that_are_there() {
    let limits = "---\n# The team's.\nkind: ResourceQuota\nmetadata: { name: team, namespace: shop }\nspec:\n  hard: { pods: \"4\", \
        requests.cpu: 8 }\n---\nkind: PodDisruptionBudget\nmetadata: { name: guard, namespace: shop }\nspec:\n  minAvailable: 2 # two\n  \
        selector: {}\n";
    let text = format!("{STORE}{limits}");
    let said = [(QUOTA_PODS, json!(4)), (QUOTA_CPU, json!(8)), (MIN_AVAILABLE, json!(2))];
    let reading = controlled(&text, &said);
    assert_eq!(reading.rewritten, None);
    let values: Vec<Value> = reading.fields.into_iter().map(|field| field.value).collect();
    assert_eq!(values, [json!("4"), json!(8), json!(2)]);
    let written = |path: &str, value: Value| {
        let values = said.clone().map(|(known, said)| (known, if known == path { value.clone() } else { said }));
        rewritten(&controlled(&text, &values))
    };
    assert_eq!(written(QUOTA_CPU, json!("500m")), Some(text.replace("cpu: 8", "cpu: 500m")));
    assert_eq!(written(QUOTA_PODS, Value::Null), Some(text.replace("pods: \"4\", ", "")));
    assert_eq!(written(MIN_AVAILABLE, json!(1)), Some(text.replace("2 # two", "1 # two")));
    // An object that somebody else wrote stays.
    assert_eq!(written(MIN_AVAILABLE, Value::Null), Some(text.replace("  minAvailable: 2 # two\n", "")));
}

#[test]
fn controls_do_not_touch_limits_that_they_cannot_change() {
    let quota = |name: &str, namespace: &str, spec: &str| {
        format!(
            "---\nkind: ResourceQuota\nmetadata: {{ name: {name}, namespace: {namespace} }}\nspec: {{ hard: {{ pods: 9 }}{spec} }}\n"
        )
    };
    let budget = |spec: &str| {
        format!("---\nkind: PodDisruptionBudget\nmetadata: {{ name: guard, namespace: shop }}\nspec: {{ {spec} }}\n")
    };
    let other = quota("other", "default", "");
    let scoped = quota("scoped", "shop", ", scopes: [BestEffort]");
    let team = quota("team", "shop", "");
    for (limits, value) in [
        (String::new(), Some(Value::Null)),
        (format!("{other}{scoped}"), Some(Value::Null)),
        (format!("{other}{scoped}{team}"), Some(json!(9))),
        (format!("{team}{}", quota("more", "shop", "")), None),
        // Its name is the one that the control would give to a new quota.
        (scoped.replace("scoped", "pods"), None),
    ] {
        let text = format!("{STORE}{limits}");
        let reading = controlled(&text, &[(QUOTA_PODS, value.clone().unwrap_or(json!(3)))]);
        assert_eq!(reading.fields.first().map(|field| field.value.clone()), value, "{text}");
        assert_eq!(reading.rewritten, None);
    }
    for (limits, value) in [
        (budget("minAvailable: 2, selector: { matchLabels: { app: other } }"), Some(Value::Null)),
        (budget("minAvailable: 2, selector: { matchLabels: { app: store } }"), Some(json!(2))),
        (budget("maxUnavailable: 1, selector: {}"), None),
        (budget("minAvailable: 2, selector: { matchLabels: { app: other } }").replace("guard", "store"), None),
    ] {
        let text = format!("{STORE}{limits}");
        let reading = controlled(&text, &[(MIN_AVAILABLE, value.clone().unwrap_or(json!(3)))]);
        assert_eq!(reading.fields.first().map(|field| field.value.clone()), value, "{text}");
        assert_eq!(reading.rewritten, None);
    }
}

#[test]
fn controls_take_numbers_out_of_quotes_where_quotes_are_invalid() {
    let surge = "spec.strategy.rollingUpdate.maxSurge";
    let cpu = "spec.template.spec.containers.0.resources.requests.cpu";
    let strategy = STORE.replace("  selector:", "  strategy: { rollingUpdate: { maxSurge: '1' } }\n  selector:");
    let requests = format!("{STORE}          resources: {{ requests: {{ cpu: '1' }} }}\n");
    let limit = |kind: &str, spec: &str| {
        format!("{STORE}---\nkind: {kind}\nmetadata: {{ name: all, namespace: shop }}\nspec: {{ {spec} }}\n")
    };
    for (text, path, is_valid) in [
        (strategy, surge, false),
        (requests, cpu, true),
        (limit("ResourceQuota", "hard: { pods: '1' }"), QUOTA_PODS, true),
        (limit("PodDisruptionBudget", "minAvailable: '1', selector: {}"), MIN_AVAILABLE, false),
    ] {
        let reading = controlled(&text, &[(path, json!(1))]);
        assert_eq!(rewritten(&reading), (!is_valid).then(|| text.replace("'1'", "1")), "{path}");
    }
}

#[test]
fn controls_write_the_requests_of_the_only_container_and_the_only_probe() {
    let path = |field: &str| format!("spec.template.spec.containers.0.{field}");
    let [cpu, startup, delay, period] = [
        "resources.requests.cpu",
        "startupProbe.initialDelaySeconds",
        "readinessProbe.initialDelaySeconds",
        "readinessProbe.periodSeconds",
    ]
    .map(path);
    let written = |text: &str, value: &Value| {
        let reading = controlled(text, &[&cpu, &startup, &delay, &period].map(|path| (path.as_str(), value.clone())));
        let text = rewritten(&reading);
        let paths: Vec<String> = reading.fields.into_iter().map(|field| field.path).collect();
        (paths, text)
    };
    let end =
        "            initialDelaySeconds: 7\n            httpGet: { port: 80 }\n            periodSeconds: 7 # often\n";
    let (image, _) = STORE.split_once("          readinessProbe").unwrap();
    let requests = "          resources:\n            requests:\n              cpu: 7\n";
    let expected = format!("{image}          readinessProbe:\n{end}{requests}");
    let paths = vec![cpu.clone(), delay.clone(), period.clone()];
    assert_eq!(written(STORE, &json!(7)), (paths, Some(expected.clone())));
    assert_eq!(written(&expected, &json!(7)).1, None);
    let emptied = expected.replace(requests, "").replace("            initialDelaySeconds: 7\n", "");
    assert_eq!(written(&expected, &Value::Null).1, Some(emptied.replace("            periodSeconds: 7 # often\n", "")));
    // The delay is that of the startup probe.
    let with_startup = format!("{STORE}          startupProbe:\n            httpGet: {{ port: 80 }}\n");
    let (paths, text) = written(&with_startup, &json!(7));
    assert_eq!(paths, [&cpu, &startup, &period].map(String::clone));
    assert!(text.unwrap().contains("startupProbe:\n            initialDelaySeconds: 7\n"));
    // Without a probe, with several containers, and with several probes.
    assert_eq!(written(image, &json!(7)).0, slice::from_ref(&cpu));
    let sidecar = "        - name: sidecar\n          image: sidecar:1\n";
    let with_sidecar = |text: &str| text.replace("      containers:\n", &format!("      containers:\n{sidecar}"));
    let (paths, text) = written(&with_sidecar(STORE), &json!(7));
    assert_eq!(paths, [&delay, &period].map(String::clone));
    assert_eq!(text, Some(with_sidecar(&expected).replace(requests, "")));
    let probe = "          readinessProbe:\n            tcpSocket: { port: 80 }\n";
    assert_eq!(written(&format!("{STORE}{sidecar}{probe}"), &json!(7)), (Vec::new(), None));
}

const PRE_STOP: &str = "spec.template.spec.containers.0.lifecycle.preStop.sleep.seconds";

/// The preStop hook of the last container of [`STORE`].
fn sleep(seconds: u32) -> String {
    format!("          lifecycle:\n            preStop:\n              sleep:\n                seconds: {seconds}\n")
}

#[test]
fn controls_write_the_sleep_of_pre_stop_hooks() {
    let rewritten = |text: &str, value: Value| rewritten(&controlled(text, &[(PRE_STOP, value)]));
    let said = |text: &str| {
        let field = written(text, &[(PRE_STOP, json!(1))], Vec::new()).fields.into_iter().next();
        field.map(|field| field.value)
    };
    let with_hook = format!("{STORE}{}", sleep(8));
    assert_eq!(rewritten(STORE, json!(8)), Some(with_hook.clone()));
    assert_eq!(rewritten(STORE, Value::Null), None);
    assert_eq!((rewritten(&with_hook, json!(8)), rewritten(&with_hook, json!("8s"))), (None, None));
    assert_eq!(rewritten(&with_hook, json!("12s")), Some(format!("{STORE}{}", sleep(12))));
    assert_eq!(rewritten(&with_hook, json!(0)), Some(format!("{STORE}{}", sleep(0))));
    assert_eq!(rewritten(&with_hook, Value::Null).as_deref(), Some(STORE));
    // Another hook of the container stays.
    let both = with_hook
        .replace("            preStop", "            postStart: { sleep: { seconds: 1 } }\n            preStop");
    let (left, _) = both.split_once("            preStop").unwrap();
    assert_eq!(rewritten(&both, Value::Null).as_deref(), Some(left));
    // What only sleeps in another way, and what does more.
    for hook in
        ["exec: { command: [sleep, \"8\"] }", "exec: { command: [/wait] }", "httpGet: { port: 80 }", "sleep: {}"]
    {
        let text = format!("{STORE}          lifecycle: {{ preStop: {{ {hook} }} }}\n");
        assert_eq!((said(&text), rewritten(&text, json!(5))), (None, None), "{hook}");
    }
}

#[test]
fn controls_write_hooks_into_the_containers_that_sleep_or_into_all() {
    let sidecar = "        - name: sidecar\n          image: sidecar:1\n";
    let text = |hook: &str, hook_of_sidecar: &str| format!("{STORE}{hook}{sidecar}{hook_of_sidecar}");
    for (before, value, after) in [
        (text("", ""), json!(8), text(&sleep(8), &sleep(8))),
        (text("", &sleep(8)), json!(9), text("", &sleep(9))),
        (text(&sleep(3), &sleep(8)), json!(5), text(&sleep(5), &sleep(5))),
        (text(&sleep(3), &sleep(8)), Value::Null, text("", "")),
    ] {
        let reading = controlled(&before, &[(PRE_STOP, value.clone())]);
        assert_eq!(rewritten(&reading), Some(after));
        assert_eq!(reading.fields.first().map(|field| &field.value), Some(&value));
    }
    // The longest one counts.
    assert_eq!(controlled(&text(&sleep(3), &sleep(8)), &[(PRE_STOP, json!(8))]).rewritten, None);
}

#[test]
fn controls_say_which_sleep_they_cannot_write() {
    let grace_period = |seconds: u32| {
        STORE.replace("      containers", &format!("      terminationGracePeriodSeconds: {seconds}\n      containers"))
    };
    for (text, value, is_written) in [
        (STORE.to_owned(), json!(30), true),
        (STORE.to_owned(), json!(31), false),
        (STORE.to_owned(), json!("1500ms"), false),
        (STORE.to_owned(), json!("1m"), false),
        (grace_period(60), json!("1m"), true),
        (grace_period(5), json!(6), false),
    ] {
        let reading = written(&text, &[(PRE_STOP, value.clone())], Vec::new());
        assert_eq!(
            (reading.rewritten.is_some(), reading.unwritten.len()),
            (is_written, usize::from(!is_written)),
            "{value}"
        );
        assert!(reading.unwritten.iter().all(|what| what.contains("preStop")), "{:?}", reading.unwritten);
    }
}

#[test]
fn the_time_of_a_control_counts_only_for_hooks_that_say_none() {
    let gone = |more: &Value| {
        let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "5s", "preStop": "15s" }] });
        let (reading, scenarios) = read_in(&deployment("web", 4, more).to_string(), None, &surroundings);
        play(&reading, &scenarios[0]).totals.last_old_pod_gone.unwrap()
    };
    let hook = |hook: Value| json!({ "lifecycle": { "preStop": hook } });
    let second = 1_000_000_000;
    let plain = gone(&json!({}));
    assert_eq!(gone(&hook(json!({ "sleep": { "seconds": 8 } }))), plain + 8 * second);
    assert_eq!(gone(&hook(json!({ "exec": { "command": ["/wait"] } }))), plain + 15 * second);
}

/// Reads a text, and writes into it what the controls say about the nodes. `amounts`: their pods, CPU and memory.
fn with_nodes(text: &str, count: u32, amounts: &[Value; 3]) -> Reading {
    let names = ["pods", "cpu", "memory"];
    let node = |number: u32| {
        let typed = names.into_iter().zip(amounts).filter(|(_, amount)| !amount.is_null());
        let allocatable: Map<String, Value> = typed.map(|(name, amount)| (name.to_owned(), amount.clone())).collect();
        let metadata = json!({ "name": format!("node-{number}") });
        if allocatable.is_empty() {
            return json!({ "apiVersion": "v1", "kind": "Node", "metadata": metadata });
        }
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": { "allocatable": allocatable } })
    };
    let is_initial = count == 3 && amounts.iter().all(Value::is_null);
    let nodes: Vec<Value> = if is_initial { Vec::new() } else { (1..=count).map(node).collect() };
    let paths = names.map(|name| format!("Node/status/allocatable/{name}"));
    let amounts = paths.iter().map(String::as_str).zip(amounts.iter().cloned());
    let values: Vec<(&str, Value)> = [("Node/count", json!(count))].into_iter().chain(amounts).collect();
    let reading = written(text, &values, nodes);
    assert_eq!(reading.unwritten, Vec::<String>::new());
    reading
}

/// What a text says about the nodes: their number, pods, CPU and memory.
fn node_values(reading: &Reading) -> Vec<Value> {
    reading.fields.iter().map(|field| field.value.clone()).collect()
}

const ANY: [Value; 3] = [Value::Null, Value::Null, Value::Null];

#[test]
fn controls_add_nodes_and_remove_them_again() {
    let nodes = |numbers: std::ops::RangeInclusive<u32>, allocatable: &str| -> String {
        let node =
            |number: u32| format!("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-{number}\n{allocatable}");
        numbers.map(node).collect()
    };
    let pods = "status:\n  allocatable:\n    pods: 8\n";
    let eight = [json!(8), Value::Null, Value::Null];
    assert_eq!(with_nodes(STORE, 3, &ANY).rewritten, None);
    let two = format!("{STORE}{}", nodes(1..=2, pods));
    let reading = with_nodes(STORE, 2, &eight);
    assert_eq!(rewritten(&reading).as_ref(), Some(&two));
    assert_eq!((errors(&reading), reading.has_nodes), (vec![], true));
    assert_eq!(node_values(&reading), [json!(2), json!(8), Value::Null, Value::Null]);
    assert_eq!(with_nodes(&two, 2, &eight).rewritten, None);
    let four = format!("{STORE}{}", nodes(1..=4, pods));
    assert_eq!(rewritten(&with_nodes(&two, 4, &eight)).as_ref(), Some(&four));
    assert_eq!(rewritten(&with_nodes(&four, 1, &eight)), Some(format!("{STORE}{}", nodes(1..=1, pods))));
    assert_eq!(rewritten(&with_nodes(&four, 4, &ANY)), Some(format!("{STORE}{}", nodes(1..=4, ""))));
    assert_eq!(with_nodes(&four, 3, &ANY).rewritten.as_deref(), Some(STORE));
    // A node with a comment is not only the control's.
    let mine = four.replace("node-4", "node-4 # mine");
    assert_eq!(rewritten(&with_nodes(&mine, 3, &ANY)), Some(format!("{STORE}{}", nodes(1..=3, ""))));
}

#[test]
fn controls_write_nodes_that_are_there() {
    let node = |name: &str, amounts: &str| {
        format!(
            "# {name}\nkind: Node\nmetadata:\n  name: {name}\n  labels: {{ pool: web }}\nstatus:\n  allocatable: {{ {amounts} }}\n  \
             capacity: {{ {amounts} }}\n"
        )
    };
    let text = |names: &[&str], amounts: &str| {
        let nodes: Vec<String> = names.iter().map(|name| node(name, amounts)).collect();
        format!("{}---\n{STORE}", nodes.join("---\n"))
    };
    let amounts = "cpu: 4, pods: \"9\"";
    let said = [json!(9), json!(4), Value::Null];
    let two = text(&["pool-a", "pool-b"], amounts);
    let reading = with_nodes(&two, 2, &said);
    assert_eq!(reading.rewritten, None);
    assert_eq!(node_values(&reading), [json!(2), json!("9"), json!(4), Value::Null]);
    assert_eq!(rewritten(&with_nodes(&two, 1, &said)), Some(text(&["pool-a"], amounts)));
    let smaller = [json!(9), json!("3500m"), Value::Null];
    assert_eq!(rewritten(&with_nodes(&two, 2, &smaller)), Some(text(&["pool-a", "pool-b"], "cpu: 3500m, pods: \"9\"")));
    let any_cpu = [json!(9), Value::Null, Value::Null];
    assert_eq!(rewritten(&with_nodes(&two, 2, &any_cpu)), Some(text(&["pool-a", "pool-b"], "pods: \"9\"")));
    // One more, with the new amount.
    let more = with_nodes(&two, 3, &smaller);
    let copy = more.rewritten.as_deref().and_then(|text| text.split_once(STORE)).map(|(_, copy)| copy.to_owned());
    let status =
        ["allocatable", "capacity"].map(|field| format!("  {field}:\n    cpu: 3500m\n    pods: \"9\"\n")).concat();
    let metadata = "metadata:\n  name: pool-c\n  labels:\n    pool: web\n";
    assert_eq!(copy, Some(format!("---\napiVersion: v1\nkind: Node\n{metadata}status:\n{status}")));
    assert_eq!(node_values(&more), [json!(3), json!("9"), json!("3500m"), Value::Null]);
    // Nodes that somebody else wrote stay, however the controls are.
    assert_eq!(with_nodes(&two, 3, &ANY).fields.first().map(|field| field.value.clone()), Some(json!(3)));
}

#[test]
fn controls_do_not_touch_nodes_that_they_cannot_change() {
    let node = |name: &str, amounts: &str| {
        format!("---\nkind: Node\nmetadata: {{ name: {name} }}\nstatus: {{ allocatable: {{ {amounts} }} }}\n")
    };
    let eight = [json!(8), Value::Null, Value::Null];
    for (more, can_write) in [
        (format!("{}{}", node("a", "pods: 4"), node("b", "pods: \"4\"")), true),
        (format!("{}{}", node("a", "pods: 4"), node("b", "pods: 5")), false),
        (format!("{}{}", node("a", "pods: 4"), node("b", "pods: 4, cpu: 1")), false),
        (format!("{}---\nkind: Pod\nmetadata: {{ name: x }}\nspec: {{ nodeName: a }}\n", node("a", "pods: 4")), false),
        ((0..201).map(|number| node(&format!("n{number}"), "")).collect(), false),
    ] {
        let reading = with_nodes(&format!("{STORE}{more}"), 2, &eight);
        assert_eq!((reading.fields.is_empty(), reading.rewritten.is_some()), (!can_write, can_write), "{more}");
    }
    // In the state of a cluster, pods are on the nodes.
    let (_, state) =
        files("controlplane/states").into_iter().find(|(path, _)| path.ends_with("rolling-middle.yaml")).unwrap();
    for state in [with_nodes_and_budget(&state), state] {
        let reading = with_nodes(&state, 2, &eight);
        assert_eq!((reading.fields.len(), reading.rewritten), (0, None));
    }
}

#[test]
fn hostile_texts_get_one_sentence() {
    let bomb: String = (0..30)
        .map(|level| match level {
            0 => "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
            level => format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")),
        })
        .collect();
    let nested = "[".repeat(100_000);
    let nested_block: String = (0..3_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let cases = [
        ("", "must be an object in YAML or JSON"),
        (bomb.as_str(), "alias"),
        (nested.as_str(), "levels"),
        (nested_block.as_str(), "levels"),
        ("\u{0}\u{1}\u{2}PNG", "U+0000"),
        ("- a\n- b\n", "must be an object"),
        ("{{ if .Values.x }}\nkind: Deployment\n", "`helm template`"),
        ("just a sentence", "must be an object"),
    ];
    for (text, expected) in cases {
        let (reading, scenarios) = read(text, None);
        let [problem] = reading.problems.as_slice() else { panic!("{:?}", reading.problems) };
        assert!(problem.message.contains(expected), "{}", problem.message);
        assert!(problem.message.chars().count() < 300, "{}", problem.message);
        assert_eq!(scenarios.len(), 0);
    }
    let (reading, _) = read("apiVersion: apps/v7\nkind: Deployment\nmetadata: {name: a}\n", None);
    assert!(!reading.problems.is_empty());
    let (reading, _) = read("apiVersion: apps.openshift.io/v1\nkind: Deployment\nmetadata: {name: a}\n", None);
    assert_eq!(reading.objects[0].left_out.as_deref(), Some("objects of this kind are not simulated"));
}
