//! Every field of every message is required, and no other is known.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use changeover_wire::{Asked, LargeText, Reply, Request, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What is not the wire's own: manifests and actions, which the core checks.
const FOREIGN: [&str; 11] = [
    "scenario",
    "deployment",
    "changes",
    "action",
    "surroundings",
    "constraints",
    "limits",
    "nodes",
    "patch",
    "settings",
    "value",
];

fn workload() -> Value {
    json!({ "kind": "deployment", "namespace": "default", "name": "web" })
}

fn requests() -> Vec<Value> {
    let play = |source: Value| {
        let fork = json!({ "at": 1, "action": { "undo": {} }, "target": workload() });
        let pin = json!({ "rule": "deployment.rolling.new.up", "about": "", "nth": 1 });
        json!({ "play": { "generation": 1, "lane": 0, "shown": 0, "source": source, "workload": workload(), "begin": 0, "forks": [fork], "pins": [pin] } })
    };
    let explain = json!({ "lane": 0, "step": 3 });
    vec![
        play(json!({ "scenario": {} })),
        play(json!({ "rollout": { "deployment": {}, "changes": {}, "surroundings": {} } })),
        json!({ "inspect": { "generation": 1, "frames": [3], "level": "wave", "explain": explain, "tables": false } }),
    ]
}

fn responses() -> Vec<Value> {
    let job = json!({
        "runs": 2, "completions": 3, "succeeded": 3, "failed": 1, "twoOfIndex": 1, "end": "complete", "ended": 1
    });
    let totals = json!({
        "change": 0, "peak": 26, "limitAtPeak": 19, "lowestAvailable": 12, "allAvailable": 1, "rolloutStart": 0,
        "complete": 1, "lastOldPodGone": 1, "job": job
    });
    let played = json!({
        "generation": 1, "lane": 0, "workload": workload(), "columns": "ordinal", "replicaSets": ["web-1"],
        "pods": [{ "name": "web-1-a", "node": "node-a" }], "nodes": ["node-a"],
        "cordonedNodes": ["node-a"], "lostNodes": ["node-a"], "totals": totals, "cutReason": "x",
        "forks": [{ "sentence": "You undo.", "done": true }], "pins": [3, null]
    });
    let operand = json!({ "name": "limit", "value": "19", "source": "spec", "mark": "limit" });
    let explanation = json!({
        "time": 1, "actor": "x", "replicaSet": "web-1", "upstream": "x", "section": "x",
        "sentence": [{ "text": "x" }, { "operand": operand }], "formula": [[{ "text": "x" }]]
    });
    let table = json!({ "title": "x", "columns": ["x"], "rows": [{ "cells": ["x"], "marked": true }] });
    let lane = json!({ "explained": 3, "explanation": explanation, "lastStep": { "time": 1, "sentence": "x" }, "tables": [table] });
    vec![
        json!({ "played": played }),
        json!({ "refused": { "generation": 1, "lane": 0, "problem": { "path": "", "message": "x" } } }),
        json!({ "inspected": { "generation": 1, "lanes": [lane] } }),
    ]
}

fn field() -> Value {
    json!({ "path": "spec.replicas", "value": 3 })
}

fn questions() -> Vec<Value> {
    let manifests = json!({
        "text": "kind: Pod", "before": "kind: Pod", "workload": workload(), "surroundings": {},
        "readAt": { "given": "2026-01-01T00:00:00Z" },
    });
    let fields = json!({
        "kind": "deployment", "fields": [field()], "limits": [{ "kind": "ResourceQuota" }],
        "nodes": [{ "kind": "Node" }], "otherReplicas": [3]
    });
    let lane = json!({ "proposedPolicy": "TerminationComplete", "patch": null });
    let source = json!({ "rollout": { "deployment": {}, "changes": {}, "surroundings": {} } });
    let questions = [
        json!({ "read": { "manifests": manifests, "fields": [fields], "write": true, "lanes": [lane] } }),
        json!({ "advice": { "rollout": { "lane": source }, "constraints": { "maxPods": 16 }, "quota": 20 } }),
        json!({ "runs": {
            "rollout": { "manifests": manifests }, "constraints": null, "quota": 20, "jitterPercent": 20,
            "seed": 1, "runs": 10
        } }),
        json!({ "worst": { "lane": source } }),
        json!({ "outlook": manifests }),
        json!({ "review": { "manifests": "kind: Pod", "existing": "", "settings": {} } }),
        json!("policySettings"),
    ];
    questions.map(|question| json!({ "id": 1, "question": question })).into()
}

fn replies() -> Vec<Value> {
    let object = json!({ "kind": "Pod", "namespace": "", "name": "web", "line": 1, "leftOut": "x" });
    let line_problem =
        json!({ "severity": "error", "text": "before", "line": 1, "column": 1, "path": "spec", "message": "x" });
    let other = json!({ "namespace": "default", "name": "api", "replicas": 3, "cpu": "1", "memory": null });
    let reading = json!({
        "objects": [object], "objectCount": 1, "leftOutCount": 1, "readAt": "2026-01-01T00:00:00Z",
        "newestTime": "2026-01-01T00:00:00Z", "hasNodes": false, "workloads": [workload()], "shown": workload(),
        "change": { "image": "web:next" }, "fields": [field()], "rewritten": "kind: Pod", "unwritten": ["spec.replicas"],
        "newRevision": 2, "hasProbes": true, "preStopHooks": { "sleep": 1, "hasOthers": false }, "measuredStart": 20_000_000_000_i64,
        "assumedReplicas": " Deployment web has no replicas.", "hasAutoscaledReplicas": true, "autoscaler": "HorizontalPodAutoscaler web (2 to 5 replicas)", "otherDeployments": [other],
        "problems": [line_problem], "linkTexts": { "text": "kind: Pod", "before": "kind: Pod" },
    });
    let problem = json!({ "path": "spec", "message": "x" });
    let setting = json!({
        "name": "Recreate", "isProposed": false, "peak": 15, "lowestAvailable": 0, "complete": 1, "lastOldPodGone": 1,
        "misses": ["x"], "patch": {}
    });
    let range = json!({ "least": 1, "most": 2 });
    let worst = json!({
        "peak": 4, "lowestAvailable": 2, "isBound": false, "longest": 1, "peakOrder": ["x"], "lowestOrder": ["x"],
        "longestOrder": ["x"]
    });
    let remedy = json!({
        "what": "x", "command": "x", "manifest": "x", "action": { "undo": {} }, "complete": 1, "lastOldPodGone": 1,
        "afterNextTry": true, "cost": "x"
    });
    let rollout = json!({
        "namespace": "default", "name": "web", "standing": "stuck", "title": "x", "summary": "x",
        "obstacles": [{ "why": "x", "remedy": "x", "command": "x", "manifest": "x" }], "next": [{ "at": 1, "sentence": "x" }],
        "remedies": [remedy]
    });
    let job = json!({
        "kind": "Job", "namespace": "x", "name": "x", "standing": "active", "isHeldUp": true, "summary": "x", "next": [{ "at": 1, "sentence": "x" }],
        "obstacles": [{ "why": "x", "remedy": "x", "command": "x", "manifest": "x" }]
    });
    let change = json!({ "path": "spec.replicas", "before": "1", "after": "2" });
    let verdict =
        json!({ "isAllowed": true, "violations": ["x"], "warnings": ["x"], "writes": [change], "response": "{}" });
    let reviewed = json!({
        "name": "Pod \"web\"", "isUpdate": true, "isKnown": true, "unknown": [line_problem], "strictRefusal": "x", "decodingRefusal": "x", "refusals": [line_problem], "warnings": ["x"],
        "defaults": [change], "unchecked": 1, "verdict": verdict
    });
    let inputs = [json!("switch"), json!({ "choice": ["warn"] }), json!({ "choices": ["Failed"] }), json!("text")];
    let policy_settings: Vec<Value> =
        inputs.iter().map(|input| json!({ "path": "quota", "input": input, "default": "warn" })).collect();
    let answers = [
        json!({ "read": reading }),
        json!({ "refused": [problem] }),
        json!({ "advice": {
            "current": setting, "fits": [setting], "nearest": [setting],
            "relax": [{ "sentence": "x", "setting": setting }], "simulated": 2, "plays": "fromNow",
            "hasQuotas": false
        } }),
        json!({ "runs": {
            "runs": 2, "met": 1, "peak": range, "lowestAvailable": range, "completed": 2, "complete": range
        } }),
        json!({ "worst": { "today": worst, "proposed": worst } }),
        json!({ "outlook": { "stuck": "x", "rollouts": [rollout], "jobs": [job] } }),
        json!({ "review": {
            "unreadable": [line_problem], "settingsProblems": [problem], "inCluster": "1 Deployment",
            "objects": [reviewed], "linkTexts": { "text": "kind: Pod", "before": "kind: Pod" }
        } }),
        json!({ "policySettings": policy_settings }),
    ];
    answers.map(|answer| json!({ "id": 1, "answer": answer })).into()
}

/// The pointers of all objects of the wire in a value.
fn objects(value: &Value, pointer: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.iter().filter(|(name, _)| !FOREIGN.contains(&name.as_str()));
            let below = own.flat_map(|(name, field)| objects(field, &format!("{pointer}/{name}")));
            [pointer.to_owned()].into_iter().chain(below).collect()
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.flat_map(|(index, item)| objects(item, &format!("{pointer}/{index}"))).collect()
        }
        _ => Vec::new(),
    }
}

fn error<T: DeserializeOwned>(message: Value) -> Option<String> {
    serde_json::from_value::<T>(message).err().map(|error| error.to_string())
}

fn assert_exact<T: DeserializeOwned>(message: &Value) {
    assert_eq!(error::<T>(message.clone()), None, "{message}");
    for pointer in objects(message, "") {
        let mut more = message.clone();
        more.pointer_mut(&pointer).unwrap()["other"] = json!(1);
        let problem = error::<T>(more).unwrap_or_default();
        // An arm of an enum has no other beside it.
        let is_named = ["`other`", "map with a single key"].iter().any(|it| problem.contains(it));
        assert!(is_named, "{problem:?} for another field at {pointer:?} of {message}");

        let names: Vec<String> = message.pointer(&pointer).unwrap().as_object().unwrap().keys().cloned().collect();
        for name in &names {
            let mut less = message.clone();
            less.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().remove(name);
            let error = error::<T>(less);
            assert!(error.is_some(), "no {name} at {pointer:?} of {message}");
            // An object with one field is one arm of an enum, whose name is missing then.
            assert!(names.len() == 1 || error.unwrap().contains(&format!("`{name}`")), "{name} at {pointer:?}");
        }
    }
}

#[test]
fn a_request_has_these_fields_and_no_others() {
    requests().iter().for_each(assert_exact::<Request>);
}

#[test]
fn a_response_has_these_fields_and_no_others() {
    responses().iter().for_each(assert_exact::<Response>);
}

#[test]
fn a_question_has_these_fields_and_no_others() {
    questions().iter().for_each(assert_exact::<Asked>);
}

#[test]
fn a_reply_has_these_fields_and_no_others() {
    replies().iter().for_each(assert_exact::<Reply>);
}

#[test]
fn the_users_texts_are_beside_the_json() {
    let texts_of_questions = questions().into_iter().map(|question| {
        let asked: Asked = serde_json::from_value(question).unwrap();
        let (json, texts) = asked.clone().into_message().unwrap();
        assert!(texts.is_empty() || !json.contains("kind: Pod"), "{json}");
        assert_eq!(Asked::from_message(&json, texts.clone()).unwrap(), asked);
        texts.len()
    });
    assert_eq!(texts_of_questions.collect::<Vec<_>>(), [2, 0, 2, 0, 2, 2, 0]);
    let texts_of_replies = replies().into_iter().map(|reply| {
        let reply: Reply = serde_json::from_value(reply).unwrap();
        let (json, texts) = reply.clone().into_message().unwrap();
        let mut parts = texts.iter().cloned().chain([LargeText::from("{}")]);
        assert_eq!(Reply::from_message(&json, parts.by_ref()).unwrap(), reply);
        assert_eq!(parts.next().as_deref(), Some("{}"), "what comes behind its texts");
        texts.len()
    });
    assert_eq!(texts_of_replies.collect::<Vec<_>>(), [3, 0, 0, 0, 0, 0, 2, 0]);
}
