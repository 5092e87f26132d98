//! The policy's reads from the cluster through its host, and how it uses the results.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use changeover_core::object::Kind;
use changeover_tests_policy::api_server::{ApiServer, Objects};
use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{policy, policy_path, root};
use changeover_www::{Context, ContextObjects, ContextServer, Options};
use serde_json::{Value, json};

use crate::cases::{cases, in_cluster};

fn case(name: &str) -> Value {
    let mut found = cases("policy.validateInCluster").into_iter().filter(|case| case["name"] == name);
    found.next().unwrap_or_else(|| panic!("there is no case {name}"))["input"].take()
}

/// The declared kinds in the metadata, as `apps/v1/Deployment`.
fn declared() -> BTreeSet<String> {
    let metadata = fs::read(root().join("policy/metadata.yml")).unwrap();
    let metadata = changeover_text::parse_bytes(&metadata).unwrap().remove(0).value;
    let resources = metadata["contextAwareResources"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    resources.iter().map(|resource| [text(&resource["apiVersion"]), text(&resource["kind"])].join("/")).collect()
}

#[test]
fn it_only_reads_the_declared_kinds() {
    let asked = Arc::new(Mutex::new(BTreeSet::new()));
    for case in cases("policy.validateInCluster") {
        let objects = ContextObjects::new(case["input"]["cluster"]["objects"].as_array().unwrap().clone());
        let asked = Arc::clone(&asked);
        let host_calls = move |capability: &str, payload: &[u8]| {
            let request: Value = serde_json::from_slice(payload).unwrap();
            let mut keys: Vec<&str> = request.as_object().unwrap().keys().map(String::as_str).collect();
            keys.retain(|key| !["api_version", "kind", "namespace", "field_masks"].contains(key));
            let own: &[&str] = if capability == "kubernetes/get_resource" { &["disable_cache", "name"] } else { &[] };
            assert_eq!(keys, own, "{capability}");
            assert!(!request["field_masks"].as_array().unwrap().is_empty());
            assert_eq!(request["namespace"], "shop");
            let kind = format!("{}/{}", request["api_version"].as_str().unwrap(), request["kind"].as_str().unwrap());
            asked.lock().unwrap().insert((capability.to_owned(), kind));
            objects.answer(capability, payload)
        };
        let policy = policy().clone().with_host_calls(Arc::new(host_calls));
        policy.validate(&case["input"]["request"], &case["input"]["settings"]).unwrap();
    }
    let asked = asked.lock().unwrap();
    let declared = declared();
    assert!(asked.iter().all(|(_, kind)| declared.contains(kind)), "{asked:?}");
    let kinds: BTreeSet<String> = asked.iter().map(|(_, kind)| kind.clone()).collect();
    assert_eq!(kinds, declared, "what is declared and never read");
}

/// What a host answers to each question about the cluster.
#[derive(Clone, Copy)]
enum Answers {
    Objects,
    Errors,
}

/// What the host is asked for a case, with these settings.
fn reads(case: &Value, settings: &Value, answers: Answers) -> Vec<Vec<u8>> {
    let objects = ContextObjects::new(case["input"]["cluster"]["objects"].as_array().unwrap().clone());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let host_calls = move |capability: &str, payload: &[u8]| {
        noted.lock().unwrap().push(payload.to_vec());
        match answers {
            Answers::Objects => objects.answer(capability, payload),
            Answers::Errors => Err("timed out".to_owned()),
        }
    };
    let policy = policy().clone().with_host_calls(Arc::new(host_calls));
    policy.validate(&case["input"]["request"], settings).unwrap();
    std::mem::take(&mut asked.lock().unwrap())
}

/// A read that fails is not tried again, either.
#[test]
fn a_request_takes_at_most_three_reads_and_none_for_context_alone() {
    let everything =
        json!({ "context": true, "forecast": true, "quota": "deny", "exempt": { "labels": { "app": "exempt" } } });
    let mut most = 0;
    for case in cases("policy.validateInCluster") {
        for answers in [Answers::Objects, Answers::Errors] {
            let asked = reads(&case, &everything, answers);
            most = most.max(asked.len());
            let different: BTreeSet<&Vec<u8>> = asked.iter().collect();
            assert_eq!(different.len(), asked.len(), "{}", case["name"]);
            assert!(reads(&case, &json!({ "context": true }), answers).is_empty(), "{}", case["name"]);
        }
    }
    assert_eq!(most, 3);
}

#[test]
fn nothing_more_is_read_for_a_request_that_is_refused() {
    let input = case("context/quota: no pod may be unavailable, and there is no room for one more");
    let objects = ContextObjects::new(input["cluster"]["objects"].as_array().unwrap().clone());
    let host_calls = move |capability: &str, payload: &[u8]| {
        let request: Value = serde_json::from_slice(payload).unwrap();
        assert_eq!(request["kind"], "ResourceQuota");
        objects.answer(capability, payload)
    };
    let settings = json!({ "context": true, "quota": "deny", "forecast": true });
    let response = policy().clone().with_host_calls(Arc::new(host_calls)).validate(&input["request"], &settings);
    assert_eq!(response.unwrap()["code"], 422);
}

#[test]
fn any_answer_of_the_host_gets_a_verdict() {
    let large = format!("[{}]", "{},".repeat(100_000));
    let answers = ["", "{", "null", "7", "[]", "{}", r#"{"items":3}"#, r#"{"items":[null,7,{},[]]}"#, &large, "\u{0}"];
    for answer in answers {
        for name in ["context/scale: quota: deny", "context/quota: deny"] {
            let bytes = answer.as_bytes().to_vec();
            let host_calls = Arc::new(move |_: &str, _: &[u8]| Ok(bytes.clone()));
            let input = case(name);
            let policy = policy().clone().with_host_calls(host_calls);
            let response = policy.validate(&input["request"], &input["settings"]).unwrap();
            assert_eq!(response["accepted"], true, "{name} {answer}: {response}");
        }
    }
}

#[test]
fn errors_of_the_host_are_shown_without_their_prefix() {
    let input = case("context/scale: quota");
    let host_calls =
        Arc::new(|_: &str, _: &[u8]| Err("Callback evaluation failure: no route to host\nat line 3".to_owned()));
    let policy = policy().clone().with_host_calls(host_calls);
    let response = policy.validate(&input["request"], &input["settings"]).unwrap();
    let sentence = "the scaling is not judged: Deployment web can't be read: no route to host";
    assert_eq!(response["warnings"], json!([sentence]));
    assert_eq!(response["audit_annotations"], json!({ "unknown": sentence }));
}

#[test]
fn the_server_answers_from_a_file() {
    let input = case("context/scale: quota: deny");
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": input["cluster"]["objects"] });
    let (_context, context) = file("context.json", list.to_string().as_bytes());
    let (_settings, settings) = file("settings.yml", b"context: true\nquota: deny\n");
    let options = Options { context: Some(Context::File(context)), settings: Some(settings), ..options(policy_path()) };
    let server = TestServer::start(&options).unwrap();
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": input["request"] });
    let response = server.review(&review);
    assert_eq!(response["allowed"], true);
    let warning = "quota: exceeds ResourceQuota compute: pods=20 of 15; room for 5 of 10 new pods";
    assert_eq!(response["warnings"], json!([warning]));
}

#[test]
fn the_server_answers_from_an_api_server() {
    let input = case("context/scale: quota: deny");
    let objects = input["cluster"]["objects"].as_array().unwrap().clone();
    let cluster = ApiServer::start(Objects { objects, ..Objects::default() });
    let (_settings, settings) = file("settings.yml", b"context: true\nquota: deny\n");
    let context = Some(Context::Address(cluster.url()));
    let server = TestServer::start(&Options { context, settings: Some(settings), ..options(policy_path()) }).unwrap();
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": input["request"] });
    let response = server.review(&review);
    let warning = "quota: exceeds ResourceQuota compute: pods=20 of 15; room for 5 of 10 new pods";
    assert_eq!(response["warnings"], json!([warning]));
}

/// Each answer comes within a read's timeout, but all of them together would take longer than a call may.
#[test]
fn a_slow_api_server_never_makes_the_server_fail() {
    let input = case("context/scale: quota: deny");
    let objects = input["cluster"]["objects"].as_array().unwrap().clone();
    let cluster = ApiServer::start(Objects { objects, delay: Duration::from_millis(450), ..Objects::default() });
    let (_settings, settings) = file("settings.yml", b"context: true\nforecast: true\nquota: warn\n");
    let context = Some(Context::Address(cluster.url()));
    let server = TestServer::start(&Options { context, settings: Some(settings), ..options(policy_path()) }).unwrap();
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": input["request"] });
    // The first request also waits for the discovery of each API version.
    for request in 1..=3 {
        let response = server.review(&review);
        assert_eq!(response["allowed"], true, "{request}: {response}");
        let unknown = response["auditAnnotations"]["unknown"].as_str();
        assert!(request > 1 || unknown.is_some_and(|unknown| unknown.contains("can't be read")), "{response}");
    }
}

#[test]
fn an_api_server_gives_the_verdict_of_every_case() {
    for case in cases("policy.validateInCluster") {
        let (input, name) = (&case["input"], &case["name"]);
        let objects = input["cluster"]["objects"].as_array().unwrap().clone();
        let errors = input["cluster"]["errors"].as_object().into_iter().flatten();
        let kinds = errors.map(|(name, _)| Kind::ALL.into_iter().find(|kind| kind.name() == name).unwrap());
        let forbidden = kinds.map(|kind| ("shop".to_owned(), kind)).collect();
        let cluster = ContextServer::new(&ApiServer::start(Objects { objects, forbidden, ..Objects::default() }).url());
        let host_calls = Arc::new(move |capability: &str, payload: &[u8]| cluster.answer(capability, payload));
        let theirs =
            policy().clone().with_host_calls(host_calls).validate(&input["request"], &input["settings"]).unwrap();
        let ours = in_cluster(&input["cluster"]).validate(&input["request"], &input["settings"]).unwrap();
        assert_eq!((&theirs["accepted"], &theirs["message"]), (&ours["accepted"], &ours["message"]), "{name}");
        // The error's reason contains the API server's words.
        if input["cluster"]["errors"].is_null() {
            assert_eq!(theirs, ours, "{name}");
        } else {
            let unknown = |answer: &Value| answer["audit_annotations"]["unknown"].is_string();
            assert_eq!(unknown(&theirs), unknown(&ours), "{name}: {theirs}");
        }
    }
}

#[test]
fn a_name_never_leads_to_another_path() {
    let cluster = ContextServer::new("http://127.0.0.1:1");
    for name in ["", ".", "..", "../secrets", "a/b", "a?b", "a%2fb", "a b", "a#b"] {
        let request = json!({ "api_version": "v1", "kind": "Pod", "name": name, "namespace": "shop" });
        let answer = cluster.answer("kubernetes/get_resource", request.to_string().as_bytes());
        assert_eq!(
            answer,
            Err(format!("Cannot find v1/Pod named '{name}' inside of namespace 'Some(\"shop\")'")),
            "{name}"
        );
    }
}

#[test]
fn masks_keep_the_named_fields() {
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "web", "namespace": "shop", "uid": "1" },
        "spec": { "nodeName": "a", "containers": [{ "name": "app", "image": "i" }, { "name": "side" }] },
    });
    let objects = ContextObjects::new(vec![pod]);
    let ask = |capability: &str, masks: Value| {
        let request =
            json!({ "api_version": "v1", "kind": "Pod", "name": "web", "namespace": "shop", "field_masks": masks });
        let answer = objects.answer(capability, request.to_string().as_bytes())?;
        Ok::<Value, String>(serde_json::from_slice(&answer).unwrap())
    };
    let metadata = json!({ "name": "web", "namespace": "shop", "uid": "1" });
    let masked = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": { "containers": [{ "name": "app" }, { "name": "side" }] } });
    assert_eq!(ask("kubernetes/get_resource", json!(["spec.containers.name"])), Ok(masked.clone()));
    let list = ask("kubernetes/list_resources_by_namespace", json!(["spec.containers.name"])).unwrap();
    assert_eq!(list, json!({ "apiVersion": "v1", "kind": "PodList", "items": [masked] }));
    assert_eq!(ask("kubernetes/get_resource", Value::Null).unwrap()["spec"]["nodeName"], "a");
    assert_eq!(ask("kubernetes/can_i", Value::Null), Err("unknown operation: kubernetes/can_i".to_owned()));
}
