//! The guest gives the core's decision on every request.

use changeover_core::json::ToJson;
use changeover_core::review::{Settings, Verdict, review, validate_settings};
use changeover_tests_policy::{example, example_settings, policy, recorded};
use kubewarden_policy_sdk::response::ValidationResponse;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases::cases;

fn settings(value: &Value) -> Settings {
    match validate_settings(value) {
        Ok(settings) => settings,
        Err(problems) => panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

/// A verdict as Kubewarden's ValidationResponse, without empty values.
pub fn response(verdict: Verdict) -> Value {
    let annotations = verdict.audit_annotations.into_iter().map(|(key, value)| (key, Value::from(value)));
    let annotations: serde_json::Map<String, Value> = annotations.collect();
    let mut response = json!({
        "accepted": verdict.allowed,
        "message": verdict.message,
        "code": verdict.code,
        "mutated_object": verdict.mutated_object,
        "audit_annotations": if annotations.is_empty() { Value::Null } else { annotations.to_json() },
        "warnings": if verdict.warnings.is_empty() { Value::Null } else { json!(verdict.warnings) },
    });
    response.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    response
}

/// The guest's response, after a check that it equals the core's.
fn checked(request: &Value, given: &Value) -> Value {
    let answer = policy().validate(request, given).unwrap_or_else(|failure| panic!("{failure:?} on {request}"));
    assert_eq!(answer, response(review(request, &settings(given))), "{request}");
    // As Kubewarden's hosts parse it.
    let read: ValidationResponse = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(
        (json!(read.accepted), json!(read.mutated_object)),
        (answer["accepted"].clone(), answer["mutated_object"].clone())
    );
    answer
}

#[test]
fn reviews_the_examples_as_the_core_does() {
    for given in [json!({}), example_settings()] {
        for name in ["job.json", "deployment.json", "pod.json"] {
            checked(&example(name)["request"], &given);
        }
    }
}

#[test]
fn reviews_what_an_api_server_sends_as_the_core_does() {
    let requests = recorded();
    assert!(requests.len() >= 60);
    for request in &requests {
        for given in [json!({}), example_settings()] {
            checked(request, &given);
        }
    }
}

#[test]
fn patches_the_job_once() {
    let mut request = example("job.json")["request"].take();
    let mut object = request["object"].clone();
    let answer = checked(&request, &example_settings());
    object["spec"]["podReplacementPolicy"] = json!("Failed");
    assert_eq!(answer["accepted"], true);
    assert_eq!(answer["mutated_object"], object, "only the field, and every unknown one kept");
    request["object"] = object;
    assert_eq!(checked(&request, &example_settings())["mutated_object"], Value::Null);
}

/// Numbers whose text changes when they are parsed and printed again.
const NUMBERS: &str = r#"[1.0,1e3,1E-7,-0,-0.0,12345678901234567890,123456789012345678901234567890,0.1000000000000000055,1.7976931348623157e308]"#;

/// A Job's request as text, with the numbers in unknown fields.
fn spelled(object: &str) -> String {
    let request = example("job.json")["request"].to_string();
    let before = "\"object\":{";
    assert_eq!(request.matches(before).count(), 1);
    request.replace(before, &format!("{before}{object}"))
}

#[test]
fn a_patch_keeps_the_spelling_of_other_fields() {
    let unknown = format!("\"x-unknown\": {{ \"numbers\":{NUMBERS}, \"text\":\"\\u0061\\/\" }},");
    let payload = format!("{{\"settings\":{},\"request\":{}}}", example_settings(), spelled(&unknown));
    let answer = policy().call("validate", payload.as_bytes()).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.contains(&format!("\"x-unknown\":{{ \"numbers\":{NUMBERS}, \"text\":\"\\u0061\\/\" }}")),
        "{answer}"
    );
    assert!(answer.contains("\"podReplacementPolicy\":\"Failed\""), "{answer}");
    assert!(serde_json::from_str::<Value>(&answer).is_ok(), "{answer}");
}

#[test]
fn refuses_in_the_api_servers_words() {
    let settings = json!({ "validate": "1.37" });
    let answer = checked(&example("deployment.json")["request"], &settings);
    let words = "spec.podReplacementPolicy: Unsupported value: \"Fast\": supported values: \"TerminationComplete\", \"TerminationStarted\"";
    assert_eq!((&answer["accepted"], &answer["message"]), (&json!(false), &json!(words)));
    let answer = checked(&example("pod.json")["request"], &settings);
    let words = "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"+10\": must be a 32bit integer";
    assert_eq!((&answer["accepted"], &answer["message"]), (&json!(false), &json!(words)));
}

#[test]
fn accepts_requests_out_of_scope() {
    let mut delete = example("deployment.json")["request"].take();
    delete["operation"] = json!("DELETE");
    delete["oldObject"] = delete["object"].take();
    let mut scale = example("deployment.json")["request"].take();
    scale["subResource"] = json!("scale");
    let mut other = example("deployment.json")["request"].take();
    other["kind"] = json!({"group": "apps.example.com", "version": "v1", "kind": "Deployment"});
    for request in [delete, scale, other] {
        let answer = checked(&request, &example_settings());
        assert_eq!((&answer["accepted"], &answer["mutated_object"]), (&json!(true), &Value::Null), "{request}");
    }
}

#[test]
fn denies_an_unreadable_object() {
    let cases = [
        ("deployment.json", "/spec/replicas", json!("ten")),
        ("deployment.json", "/spec", json!([])),
        ("deployment.json", "/spec/podReplacementPolicy", json!(7)),
        ("job.json", "/spec/podReplacementPolicy", json!({})),
        ("pod.json", "/metadata/annotations", json!("none")),
        ("pod.json", "/metadata", json!(3)),
    ];
    for (name, pointer, value) in cases {
        let mut request = example(name)["request"].take();
        *request.pointer_mut(&format!("/object{pointer}")).unwrap() = value;
        let answer = checked(&request, &json!({}));
        assert_eq!((&answer["accepted"], &answer["code"]), (&json!(false), &json!(422)), "{name} {pointer}: {answer}");
        let message = answer["message"].as_str().unwrap();
        let path = pointer.trim_start_matches('/').replace('/', ".");
        assert!(message.starts_with(&path) && !message.contains('\n'), "{name} {pointer}: {message}");
    }
}

#[test]
fn answers_invalid_payloads() {
    for payload in ["", "{", "[]", "null", "7", "\"text\"", "{}", r#"{"request": 3, "settings": {}}"#, "\u{0}\u{1}"] {
        let answer = policy().call("validate", payload.as_bytes()).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer["accepted"].is_boolean(), "{payload:?}: {answer}");
    }
    let deep = format!(r#"{{"request": {}, "settings": {{}}}}"#, "[".repeat(100_000));
    let answer: Value = serde_json::from_slice(&policy().call("validate", deep.as_bytes()).unwrap()).unwrap();
    assert_eq!((&answer["accepted"], &answer["code"]), (&json!(false), &json!(422)));
    assert!(answer["message"].as_str().unwrap().contains("must be well formed, and at most 127 deep"));
}

#[test]
fn judges_settings() {
    for valid in [json!({}), json!(null), example_settings()] {
        assert_eq!(policy().validate_settings(&valid), Ok(()), "{valid}");
    }
    let invalid = json!({"pod_replacement_polizy": {}, "pod_replacement_policy": {"jobs": {"default": "Fast"}}});
    let message = policy().validate_settings(&invalid).unwrap_err();
    let problems = validate_settings(&invalid).err().unwrap();
    assert_eq!(message, problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    assert!(message.lines().any(|line| line.starts_with("pod_replacement_polizy: ")), "{message}");
    assert!(message.lines().any(|line| line.starts_with("pod_replacement_policy.jobs.default: ")), "{message}");
    for nonsense in [json!([]), json!(3), json!("yes")] {
        assert!(policy().validate_settings(&nonsense).is_err(), "{nonsense}");
    }
    let answer = policy().validate(&example("job.json")["request"], &invalid).unwrap();
    assert_eq!((&answer["accepted"], &answer["code"]), (&json!(false), &json!(500)));
    assert!(answer["message"].as_str().unwrap().starts_with("the policy's settings are invalid: "));
}

/// The JSON pointers of a value and of all values below it.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                pointers(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(json!(1_u64 << 40)),
        Just(json!(-1)),
        Just(json!("abc%")),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, {"name": 3}])),
        "\\PC{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["CREATE", "UPDATE", "Failed", "TerminationStarted", "2147483648", "-0", "+1"])
            .prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn decides_as_the_core_does_on_mangled_requests(
        mut request in prop::sample::select(recorded()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..4),
    ) {
        for (place, value) in changes {
            let mut all = Vec::new();
            pointers(&request, "", &mut all);
            *request.pointer_mut(&all[place.index(all.len())]).unwrap() = value;
        }
        checked(&request, &example_settings());
    }

    #[test]
    fn the_order_of_keys_does_not_matter(index in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let cases = cases("policy.validate");
        let input = &cases[index.index(cases.len())]["input"];
        let answer = policy().validate(&input["request"], &input["settings"]).unwrap();
        let mut seed = seed;
        let payload = shuffled(input, &mut seed);
        let other = policy().call("validate", payload.as_bytes()).unwrap();
        prop_assert_eq!(answer, serde_json::from_slice::<Value>(&other).unwrap(), "{}", payload);
    }

    #[test]
    fn a_denied_object_stays_denied_with_any_unknown_field(
        name in prop::sample::select(vec!["deployment.json", "pod.json"]),
        place in any::<prop::sample::Index>(),
        value in replacement(),
    ) {
        let mut request = example(name)["request"].take();
        let mut all = Vec::new();
        pointers(&request["object"], "", &mut all);
        all.retain(|pointer| request["object"].pointer(pointer).is_some_and(Value::is_object));
        // A map of strings has no unknown fields.
        all.retain(|pointer| !pointer.ends_with("abels") && !pointer.ends_with("annotations"));
        let place = all[place.index(all.len())].clone();
        request["object"].pointer_mut(&place).unwrap()["x-unknown"] = value;
        prop_assert_eq!(&checked(&request, &json!({ "validate": "1.37" }))["accepted"], &json!(false));
    }
}

/// JSON text with the keys of each map in a random order.
fn shuffled(value: &Value, seed: &mut u64) -> String {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(u64, String)> = map
                .iter()
                .map(|(key, value)| (random(seed), format!("{}:{}", json!(key), shuffled(value, seed))))
                .collect();
            entries.sort();
            let entries: Vec<String> = entries.into_iter().map(|(_, entry)| entry).collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| shuffled(item, seed)).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

/// SplitMix64.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
