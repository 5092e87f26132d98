//! The guest answers what the core decides, whatever it is asked.

use changeover_core::review::{Settings, Verdict, review, validate_settings};
use changeover_tests_policy::{example, example_settings, policy};
use proptest::prelude::*;
use serde_json::{Value, json};

fn settings(value: &Value) -> Settings {
    match validate_settings(value) {
        Ok(settings) => settings,
        Err(problems) => panic!("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

/// A verdict in the words of Kubewarden's ValidationResponse.
pub fn response(verdict: Verdict) -> Value {
    let annotations = verdict.audit_annotations;
    json!({
        "accepted": verdict.allowed,
        "message": verdict.message,
        "code": verdict.code,
        "mutated_object": verdict.mutated_object,
        "audit_annotations": if annotations.is_empty() { Value::Null } else { json!(annotations) },
        "warnings": if verdict.warnings.is_empty() { Value::Null } else { json!(verdict.warnings) },
    })
}

/// The guest's answer, after a look whether the core's is the same.
fn checked(request: &Value, given: &Value) -> Value {
    let answer = policy().validate(request, given).unwrap_or_else(|failure| panic!("{failure:?} on {request}"));
    assert_eq!(answer, response(review(request, &settings(given))), "{request}");
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

#[test]
fn refuses_in_the_api_servers_words() {
    let answer = checked(&example("deployment.json")["request"], &json!({}));
    let words = "spec.podReplacementPolicy: Unsupported value: \"Fast\": supported values: \"TerminationComplete\", \"TerminationStarted\"";
    assert_eq!((&answer["accepted"], &answer["message"]), (&json!(false), &json!(words)));
    let answer = checked(&example("pod.json")["request"], &json!({}));
    let words = "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"+10\": must be a 32bit integer";
    assert_eq!((&answer["accepted"], &answer["message"]), (&json!(false), &json!(words)));
}

#[test]
fn accepts_what_is_none_of_its_business() {
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
fn denies_an_object_that_can_not_be_read() {
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
fn answers_payloads_that_are_none() {
    for payload in ["", "{", "[]", "null", "7", "\"text\"", "{}", r#"{"request": 3, "settings": {}}"#, "\u{0}\u{1}"] {
        let answer = policy().call("validate", payload.as_bytes()).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer["accepted"].is_boolean(), "{payload:?}: {answer}");
    }
    let deep = format!(r#"{{"request": {}, "settings": {{}}}}"#, "[".repeat(100_000));
    let answer: Value = serde_json::from_slice(&policy().call("validate", deep.as_bytes()).unwrap()).unwrap();
    assert_eq!((&answer["accepted"], &answer["code"]), (&json!(false), &json!(422)));
    assert!(answer["message"].as_str().unwrap().starts_with("the request is not JSON: recursion limit exceeded"));
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

/// The JSON pointers of a value and all below it.
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
        name in prop::sample::select(vec!["job.json", "deployment.json", "pod.json"]),
        update in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..4),
    ) {
        let mut request = example(name)["request"].take();
        if update {
            request["operation"] = json!("UPDATE");
            request["oldObject"] = request["object"].clone();
        }
        for (place, value) in changes {
            let mut all = Vec::new();
            pointers(&request, "", &mut all);
            *request.pointer_mut(&all[place.index(all.len())]).unwrap() = value;
        }
        checked(&request, &example_settings());
    }
}
