//! A timeline's state at one time, in the case format.

use changeover_core::json::ToJson;
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Duration;
use changeover_core::timeline::{Cursor, State, Timeline};
use serde_json::{Map, Value, json};

use super::history::repeated;
use super::names::Names;

/// Conditions that report a problem, or which component deletes a Pod.
const RELEVANT_CONDITIONS: [&str; 3] = ["ReplicaFailure", "PodScheduled", "DisruptionTarget"];

/// The expected keys of each expected frame.
pub fn frames(timeline: &Timeline, expected: Option<&Value>) -> Result<Value, String> {
    let entries = expected.and_then(Value::as_array).into_iter().flatten();
    entries.enumerate().map(|(index, entry)| frame(timeline, &format!("expected.at[{index}]"), entry)).collect()
}

fn frame(timeline: &Timeline, path: &str, entry: &Value) -> Result<Value, String> {
    let number = match (entry.get("time"), entry.get("step")) {
        (Some(time), None) => timeline.frame_at(instant(timeline, path, time)?),
        (None, Some(step)) => {
            let number = step.as_u64().and_then(|step| usize::try_from(step).ok());
            number.ok_or_else(|| format!("{path}.step: {step}: must be a number from 0"))?
        }
        _ => return Err(format!("{path}: must have time or step")),
    };
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, number);
    let mut seen = Map::new();
    for (key, wanted) in entry.as_object().into_iter().flatten() {
        let value = match key.as_str() {
            "time" | "step" => wanted.clone(),
            "objects" => objects(cursor.state(), wanted),
            "counts" => counts(timeline, &cursor),
            "pods" => json!(cursor.state().pods().count()),
            "nodes" => of_each_pod(cursor.state(), "/spec/nodeName"),
            "waiting" => of_each_pod(cursor.state(), "/status/containerStatuses/0/state/waiting/reason"),
            "conditions" => conditions(cursor.state(), &Names::of(timeline)),
            _ => return Err(format!("{path}.{key}: there is no such key")),
        };
        seen.insert(key.clone(), value);
    }
    Ok(seen.into())
}

/// An RFC 3339 time, or a duration after the start, as in an action.
fn instant(timeline: &Timeline, path: &str, time: &Value) -> Result<Time, String> {
    let text = time.as_str().unwrap_or_default();
    let after = || Duration::parse(text).map(|after| timeline.scenario.start.plus(after.0));
    Time::parse(text)
        .or_else(after)
        .ok_or_else(|| format!("{path}.time: {time}: must be like 2026-01-01T00:01:30Z or 90s"))
}

/// The expected objects `KIND/NAME`; null if one does not exist.
fn objects(state: &State, wanted: &Value) -> Value {
    let object = |key: &String| {
        let found = state.objects().find(|object| format!("{}/{}", object.kind(), object.metadata().name) == *key);
        (key.clone(), found.map_or(Value::Null, Object::to_value))
    };
    wanted.as_object().into_iter().flat_map(Map::keys).map(object).collect()
}

/// The number of the first Deployment's pods in each state.
fn counts(timeline: &Timeline, cursor: &Cursor) -> Value {
    let frame = timeline.frame_out(cursor);
    let counts = frame.summaries.first().map_or(Value::Null, |summary| summary.counts.to_json());
    let present = counts.as_object().into_iter().flatten().filter(|(_, count)| **count != 0);
    present.map(|(state, count)| (state.clone(), count.clone())).collect()
}

/// A text of each pod, sorted; `-` if it has none.
fn of_each_pod(state: &State, pointer: &str) -> Value {
    let text = |pod: &Value| pod.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned();
    let pods = state.objects().filter(|object| matches!(object, Object::Pod(_)));
    let mut texts: Vec<String> = pods.map(|pod| text(&pod.to_value())).collect();
    texts.sort();
    repeated(texts)
}

/// The relevant conditions of all objects, sorted: `KIND TYPE=STATUS REASON: MESSAGE`.
fn conditions(state: &State, names: &Names) -> Value {
    let mut found = Vec::new();
    for object in state.objects() {
        let value = object.to_value();
        for condition in value.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or("-");
            if RELEVANT_CONDITIONS.contains(&text("type")) {
                let message = names.masked(text("message"));
                found.push(format!(
                    "{} {}={} {}: {message}",
                    object.kind(),
                    text("type"),
                    text("status"),
                    text("reason")
                ));
            }
        }
    }
    found.sort();
    repeated(found)
}
