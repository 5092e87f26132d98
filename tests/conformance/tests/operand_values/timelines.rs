//! All timelines: of the conformance cases, and of the stories in each of their lanes.

use std::fs;
use std::path::{Path, PathBuf};

use changeover_conformance::{load, timelines};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::Timeline;
use serde_json::{Value, json};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

pub fn of_cases(take: impl FnMut(&str, &Timeline)) {
    timelines(&load(&[folder("cases")]).unwrap(), take);
}

pub fn of_stories(mut take: impl FnMut(&str, &Timeline)) {
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(folder("../../www/scenarios").join(format!("{name}.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    for entry in read("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = read(&format!("{name}.story"));
        for lane in [&story["lanes"], &story["helps"]["lanes"]].into_iter().filter_map(Value::as_array).flatten() {
            let mut scenario = read(lane["scenario"].as_str().unwrap_or(name));
            if let Some(policy) = lane.get("policy") {
                set_policy(&mut scenario, policy);
            }
            let timeline =
                Scenario::from_value(&scenario).and_then(Timeline::run).unwrap_or_else(|problem| panic!("{problem}"));
            take(&format!("story {name}, lane {}", lane["name"]), &timeline);
        }
    }
}

/// Sets the policy of each Deployment, as `docs/stories.md` describes.
fn set_policy(scenario: &mut Value, policy: &Value) {
    if !policy.is_null() {
        if scenario.get("featureGates").is_none() {
            scenario["featureGates"] = json!({});
        }
        scenario["featureGates"]["DeploymentPodReplacementPolicy"] = json!(true);
    }
    let mut objects: Vec<&mut Value> = Vec::new();
    for (key, value) in scenario.as_object_mut().unwrap() {
        match (key.as_str(), value) {
            ("objects", Value::Array(given)) => objects.extend(given),
            ("actions", Value::Array(actions)) => {
                let written = actions.iter_mut().filter_map(Value::as_object_mut).flatten();
                objects.extend(
                    written.filter(|(key, _)| ["create", "apply"].contains(&key.as_str())).map(|(_, object)| object),
                );
            }
            _ => {}
        }
    }
    for object in objects.into_iter().filter(|object| object["kind"] == "Deployment") {
        let spec = object["spec"].as_object_mut().unwrap();
        match policy {
            Value::Null => drop(spec.remove("podReplacementPolicy")),
            policy => drop(spec.insert("podReplacementPolicy".into(), policy.clone())),
        }
    }
}
