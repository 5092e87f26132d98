//! The transcripts of a real API server (`make prove`): the policy still gives the responses that users got then.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use changeover_tests_policy::{policy, root};
use flate2::bufread::GzDecoder;
use serde_json::{Value, json};

use crate::cases::in_cluster;
use crate::package::preset;

fn folder() -> PathBuf {
    root().join("tests/controlplane/transcripts")
}

/// A session: the settings, and its steps with their output and reviews.
struct Session {
    name: String,
    settings: Value,
    steps: Vec<Value>,
}

fn read(path: &Path) -> Session {
    let name = path.file_name().unwrap().to_str().unwrap().trim_end_matches(".jsonl.gz").to_owned();
    let lines = BufReader::new(GzDecoder::new(BufReader::new(File::open(path).unwrap()))).lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let settings = lines.next().unwrap()["settings"].take();
    Session { name, settings, steps: lines.collect() }
}

fn sessions() -> Vec<Session> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn reviews(steps: &[Value]) -> impl Iterator<Item = (&Value, &Value)> {
    steps.iter().flat_map(|step| step["reviews"].as_array().into_iter().flatten().map(move |review| (step, review)))
}

/// The patch of an AdmissionReview's response.
fn patch(response: &Value) -> json_patch::Patch {
    let patch = response["patch"].as_str().map(|patch| BASE64_STANDARD.decode(patch).unwrap());
    patch.map_or_else(json_patch::Patch::default, |patch| serde_json::from_slice(&patch).unwrap())
}

#[test]
fn every_recorded_review_gets_the_same_answer() {
    let mut count = 0;
    for session in sessions() {
        for (step, review) in reviews(&session.steps) {
            let (request, response) = (&review["request"], &review["response"]);
            let objects = if review["cluster"].is_null() { json!([]) } else { review["cluster"].clone() };
            let answer = in_cluster(&json!({ "objects": objects })).validate(request, &session.settings).unwrap();
            let context = format!("{}: {}: {}", session.name, step["as"], step["kubectl"]);
            assert_eq!(answer["accepted"], response["allowed"], "{context}");
            assert_eq!(answer["message"], response["status"]["message"], "{context}");
            assert_eq!(answer["warnings"], response["warnings"], "{context}");
            assert_eq!(answer["audit_annotations"], response["auditAnnotations"], "{context}");
            if !answer["mutated_object"].is_null() || !response["patch"].is_null() {
                let mut patched = request["object"].clone();
                json_patch::patch(&mut patched, &patch(response)).unwrap();
                assert_eq!(answer["mutated_object"], patched, "{context}");
            }
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

/// kubectl's output: refusals after the webhook's name, and warnings.
#[test]
fn kubectl_shows_the_messages_of_the_policy() {
    let (mut refusals, mut warnings) = (0, 0);
    for session in sessions() {
        for (step, review) in reviews(&session.steps) {
            let (printed, response) = (step["printed"].as_str().unwrap(), &review["response"]);
            let context = format!("{}: {}: {printed}", session.name, step["kubectl"]);
            if response["allowed"] == false {
                let message = response["status"]["message"].as_str().unwrap();
                let refusal = format!(
                    "admission webhook \"{}.changeover.example.com\" denied the request: {message}\n",
                    session.name
                );
                assert!(printed.contains(&refusal), "{context}");
                assert_ne!(step["code"], 0, "{context}");
                refusals += 1;
            }
            for warning in response["warnings"].as_array().into_iter().flatten() {
                assert!(printed.contains(&format!("Warning: {}\n", warning.as_str().unwrap())), "{context}");
                warnings += 1;
            }
        }
    }
    assert!(refusals > 20 && warnings > 40, "{refusals} refusals, {warnings} warnings");
}

/// The text and the reviews come from the same run.
#[test]
fn the_text_has_every_step() {
    for session in sessions() {
        let text = fs::read_to_string(folder().join(&session.name).with_extension("txt")).unwrap();
        let commands = text.lines().filter(|line| line.contains("$ kubectl ")).count();
        assert_eq!(commands, session.steps.len(), "{}", session.name);
    }
}

#[test]
fn every_preset_has_a_transcript_with_its_settings() {
    let sessions = sessions();
    let examples = fs::read_dir(root().join("policy/examples")).unwrap().map(|file| file.unwrap().path());
    for path in examples.filter(|path| path.extension().is_some_and(|extension| extension == "yml")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "settings" {
            assert!(sessions.iter().any(|session| session.settings == changeover_tests_policy::example_settings()));
        } else {
            let session = sessions.iter().find(|session| session.name == name).unwrap();
            assert_eq!(session.settings, preset(name)["spec"]["settings"], "{name}");
        }
    }
}

/// The kinds of user actions: each was reviewed in some session.
#[test]
fn the_sessions_have_every_kind_of_request() {
    let sessions = sessions();
    let seen: BTreeSet<String> = sessions
        .iter()
        .flat_map(|session| reviews(&session.steps))
        .map(|(_, review)| {
            let request = &review["request"];
            let text = |key: &str| request[key].as_str().unwrap_or_default();
            let resource = request["resource"]["resource"].as_str().unwrap();
            let dry_run = if request["dryRun"] == true { " dry run" } else { "" };
            format!("{} {resource} {}{dry_run}", text("operation"), text("subResource")).trim_end().to_owned()
        })
        .collect();
    for expected in [
        "CREATE cronjobs",
        "CREATE deployments",
        "CREATE jobs",
        "CREATE pods",
        "CREATE statefulsets",
        "UPDATE cronjobs",
        "UPDATE deployments",
        "UPDATE deployments  dry run",
        "UPDATE deployments scale",
        "UPDATE jobs",
        "UPDATE pods",
    ] {
        assert!(seen.contains(expected), "{expected}: {seen:?}");
    }
}

/// The times in managedFields have whole seconds. It is random whether a recorded change and the one before it share a
/// second, so the new object's time is copied from the old one.
#[test]
fn a_change_in_the_same_second_is_too_soon() {
    let owner = "\"f:controller.kubernetes.io/pod-deletion-cost\":";
    let mut refused = 0;
    for session in sessions() {
        for (_, review) in reviews(&session.steps) {
            let message = review["response"]["status"]["message"].as_str().unwrap_or_default();
            if !message.contains("min_change_interval") {
                continue;
            }
            let mut request = review["request"].clone();
            let old = request["oldObject"]["metadata"]["managedFields"].as_array().unwrap();
            let owners = old.iter().filter(|entry| entry.to_string().contains(owner));
            let last = owners.filter_map(|entry| entry["time"].as_str()).max().unwrap().to_owned();
            for entry in request["object"]["metadata"]["managedFields"].as_array_mut().unwrap() {
                if entry["time"].as_str().is_some_and(|time| *time > *last) {
                    entry["time"] = json!(last);
                }
            }
            let answer = policy().validate(&request, &session.settings).unwrap();
            assert!(answer["message"].as_str().unwrap().contains("changed it 0s before"), "{answer}");
            refused += 1;
        }
    }
    assert!(refused >= 4, "{refused}");
}
