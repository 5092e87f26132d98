//! What surrounds the controllers: quotas, the scheduler, kubelets, budgets, the autoscaler, volumes. The cases are data,
//! in `cluster/*.json`.
//!
//! A case has a `name`, a `scenario`, and what comes of it: `course`, the steps whose rules begin as `watch` says (`1m30s
//! quota.exceeded x2` stands for two in a row), what they say (`sentences`) and the `events` recorded with any step, each
//! once, and what is there `at` a time. `{"web": {...}}` among the objects is the Deployment `web` of three pods, with what
//! is written there merged in. In texts, SET stands for the name of a ReplicaSet, and POD for that of one of its pods.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::object::Kind;
use changeover_core::scenario::{Duration, Scenario};
use changeover_core::timeline::{Step, Timeline};
use serde_json::{Map, Value, json};

/// The Deployment `web`.
fn web(patch: &Value) -> Value {
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 3,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    merge(&mut deployment, patch);
    deployment
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

fn run(scenario: &Value) -> Result<Timeline, String> {
    let mut scenario = scenario.clone();
    scenario["version"] = json!(1);
    for object in scenario["objects"].as_array_mut().into_iter().flatten() {
        if let Some(patch) = object.get("web") {
            *object = web(patch);
        }
    }
    Scenario::from_value(&scenario).and_then(Timeline::run).map_err(|problem| problem.to_string())
}

fn since(timeline: &Timeline, step: &Step) -> String {
    Duration(step.time.since(timeline.scenario.start)).to_string()
}

/// The text without what is drawn: hashes of ReplicaSets and endings of pods' names.
fn undrawn(timeline: &Timeline, text: &str) -> String {
    let changes = timeline.steps.iter().filter_map(|step| step.change.as_ref());
    let keys = changes.map(|change| &change.key).filter(|key| key.kind == Kind::ReplicaSet);
    let mut names: Vec<&str> = keys.map(|key| &*key.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = text.to_owned();
    for name in names {
        let parts: Vec<String> = text.split(&format!("{name}-")).map(str::to_owned).collect();
        text =
            parts.iter().skip(1).fold(parts[0].clone(), |text, after| format!("{text}POD{}", after.get(5..).unwrap()));
        text = text.replace(name, "SET");
    }
    text
}

fn repeated(lines: &[String]) -> Vec<String> {
    let mut runs: Vec<(&String, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((last, count)) if *last == line => *count = count.wrapping_add(1),
            _ => runs.push((line, 1)),
        }
    }
    let written = |(line, count): (&String, u32)| if count == 1 { line.clone() } else { format!("{line} x{count}") };
    runs.into_iter().map(written).collect()
}

/// What came of a case, of each key that it expects.
fn outcome(case: &Map<String, Value>) -> Map<String, Value> {
    let timeline = match run(&case["scenario"]) {
        Ok(timeline) => timeline,
        Err(problem) => return Map::from_iter([("problem".to_owned(), problem.into())]),
    };
    let watch: Vec<&str> = case
        .get("watch")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|start| start.as_str().unwrap())
        .collect();
    let watched =
        || timeline.steps.iter().filter(|step| watch.iter().any(|start| step.reason.rule.id.starts_with(start)));
    let course: Vec<String> =
        watched().map(|step| format!("{} {}", since(&timeline, step), step.reason.rule.id)).collect();
    let mut sentences: Vec<String> = Vec::new();
    for step in watched() {
        let sentence = undrawn(&timeline, &step.reason.sentence());
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    let mut events: Vec<String> = Vec::new();
    for step in &timeline.steps {
        for (_, event) in &step.events {
            let text = format!("{} {} {}", event.type_, event.reason, undrawn(&timeline, &event.message));
            let other = ["SuccessfulCreate", "SuccessfulDelete", "ScalingReplicaSet"].contains(&event.reason);
            if !other && !events.contains(&text) {
                events.push(text);
            }
        }
    }
    let mut outcome = Map::new();
    for key in case.keys() {
        let value = match key.as_str() {
            "course" => json!(repeated(&course)),
            "sentences" => json!(sentences),
            "events" => json!(events),
            "end" => json!(timeline.end.reason),
            "at" => Value::Object(
                case["at"]
                    .as_object()
                    .unwrap()
                    .keys()
                    .map(|at| (at.clone(), seen(&timeline, at, &case["at"][at])))
                    .collect(),
            ),
            _ => continue,
        };
        outcome.insert(key.clone(), value);
    }
    outcome
}

/// Of a frame, what is expected of it: how many pods are in which state (`counts`), on which nodes (`nodes`), and what
/// they wait for (`waiting`).
fn seen(timeline: &Timeline, at: &str, expected: &Value) -> Value {
    let mut cursor = timeline.cursor();
    let time = timeline.scenario.start.plus(Duration::parse(at).unwrap().0);
    cursor.seek(timeline, timeline.frame_at(time));
    let frame = timeline.frame_out(&cursor);
    let pods = || frame.objects.iter().filter(|object| object["kind"] == "Pod");
    let sorted = |pointer: &str| {
        let values = pods().map(|pod| pod.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned());
        let mut values: Vec<String> = values.collect();
        values.sort();
        repeated(&values)
    };
    let mut seen = Map::new();
    for key in expected.as_object().unwrap().keys() {
        let value = match key.as_str() {
            "pods" => json!(pods().count()),
            "nodes" => json!(sorted("/spec/nodeName")),
            "waiting" => json!(sorted("/status/containerStatuses/0/state/waiting/reason")),
            "conditions" => conditions(timeline, &frame.objects),
            "counts" => {
                let counts = changeover_core::json::ToJson::to_json(&frame.summaries[0].counts);
                let there = counts.as_object().unwrap().iter().filter(|(_, count)| **count != 0);
                Value::Object(there.map(|(state, count)| (state.clone(), count.clone())).collect())
            }
            other => panic!("at: {other}: no such key"),
        };
        seen.insert(key.clone(), value);
    }
    Value::Object(seen)
}

/// The conditions of pods, ReplicaSets and Deployments that tell of something wrong, or of who deletes a pod: type, status, reason and message.
fn conditions(timeline: &Timeline, objects: &[Value]) -> Value {
    let mut found = Vec::new();
    for object in objects {
        for condition in object.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
            let wrong = ["ReplicaFailure", "PodScheduled", "DisruptionTarget"].contains(&text("type").as_str());
            if wrong {
                let kind = object["kind"].as_str().unwrap();
                let message = undrawn(timeline, &text("message"));
                found.push(format!("{kind} {}={} {}: {message}", text("type"), text("status"), text("reason")));
            }
        }
    }
    found.sort();
    json!(repeated(&found))
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cluster");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut count, mut wrong) = (0_u32, Vec::new());
    for file in files {
        let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        for case in &cases {
            count = count.wrapping_add(1);
            let case = case.as_object().unwrap();
            let got = outcome(case);
            let expected = case.iter().filter(|(key, _)| !["name", "scenario", "watch"].contains(&key.as_str()));
            let expected: Map<String, Value> = expected.map(|(key, value)| (key.clone(), value.clone())).collect();
            if got != expected {
                let got = serde_json::to_string_pretty(&got).unwrap();
                wrong.push(format!("{}: {}: got {got}", file.file_name().unwrap().display(), case["name"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases are wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 0, "no case was read");
}
