//! The server's HTTP API, as an API server uses it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use changeover_core::review::{review, validate_settings};
use changeover_tests_policy::guests::answering;
use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{example, example_path, example_settings, policy_path};
use changeover_www::{MAX_BODY, Options};
use serde_json::{Value, json};

fn server() -> TestServer {
    TestServer::start(&Options { settings: Some(example_path("settings.yml")), ..options(policy_path()) }).unwrap()
}

#[test]
fn answers_as_policy_server_does() {
    let server = server();
    let settings = validate_settings(&example_settings()).ok().unwrap();
    for name in ["job.json", "deployment.json", "pod.json"] {
        let asked = example(name);
        let response = server.review(&asked);
        let verdict = review(&asked["request"], &settings);
        assert_eq!(response["uid"], asked["request"]["uid"], "{name}");
        assert_eq!(response["allowed"], verdict.allowed, "{name}");
        assert_eq!(response["status"]["message"], json!(verdict.message), "{name}");
        assert_eq!(response["status"]["code"], json!(verdict.code), "{name}");
        let warnings = if verdict.warnings.is_empty() { Value::Null } else { json!(verdict.warnings) };
        assert_eq!(response["warnings"], warnings, "{name}");
        let changed = verdict.audit_annotations.get("changed").map(|changed| json!({ "changed": changed }));
        assert_eq!(response["auditAnnotations"], json!(changed), "{name}");
        let mut object = asked["request"]["object"].clone();
        if let Some(patch) = response["patch"].as_str() {
            assert_eq!(response["patchType"], "JSONPatch", "{name}");
            let patch = BASE64_STANDARD.decode(patch).unwrap();
            json_patch::patch(&mut object, &serde_json::from_slice::<json_patch::Patch>(&patch).unwrap()).unwrap();
        }
        assert_eq!(object, verdict.mutated_object.unwrap_or(asked["request"]["object"].clone()), "{name}");
    }
}

#[test]
fn patches_one_field_of_the_job() {
    let response = server().review(&example("job.json"));
    let patch = BASE64_STANDARD.decode(response["patch"].as_str().unwrap()).unwrap();
    let patch: Value = serde_json::from_slice(&patch).unwrap();
    assert_eq!(patch, json!([{"op": "replace", "path": "/spec/podReplacementPolicy", "value": "Failed"}]));
}

#[test]
fn passes_on_the_response_of_a_guest() {
    let verdict = json!({
        "accepted": false,
        "message": "no",
        "code": 418,
        "audit_annotations": { "a": "1", "b": "2" },
        "warnings": ["first", "second"],
    });
    let (_folder, path) = file("guest.wasm", &answering(&verdict.to_string()));
    let response = TestServer::start(&options(path)).unwrap().review(&example("job.json"));
    let expected = json!({
        "uid": example("job.json")["request"]["uid"],
        "allowed": false,
        "status": { "message": "no", "code": 418 },
        "auditAnnotations": { "a": "1", "b": "2" },
        "warnings": ["first", "second"],
    });
    assert_eq!(response, expected);
}

#[test]
fn a_patch_leaves_numbers_alone() {
    let numbers = "[1.0,1e3,12345678901234567890,123456789012345678901234567890,0.1000000000000000055,5.3e-324,9007199254740993.5]";
    let review = example("job.json").to_string();
    let object = "\"object\":{";
    let review = review.replace(object, &format!("{object}\"x-unknown\":{numbers},"));
    let answer = server().post("/validate", "application/json", review.as_bytes()).json();
    let patch = BASE64_STANDARD.decode(answer["response"]["patch"].as_str().unwrap()).unwrap();
    let patch: Value = serde_json::from_slice(&patch).unwrap();
    assert_eq!(patch, json!([{"op": "replace", "path": "/spec/podReplacementPolicy", "value": "Failed"}]));
}

#[test]
fn says_what_is_wrong_with_a_request() {
    let server = server();
    let json_type = "application/json; charset=utf-8";
    let review = |change: fn(&mut Value)| {
        let mut review = example("job.json");
        change(&mut review);
        review.to_string()
    };
    let cases = [
        ("", "{}".to_owned(), 415, "the header Content-Type is missing, must be \"application/json\""),
        ("text/yaml", "{}".to_owned(), 415, "the header Content-Type is \"text/yaml\", must be \"application/json\""),
        (json_type, String::new(), 400, "the body is not JSON: EOF while parsing a value at line 1 column 0"),
        (json_type, "kind: Job".to_owned(), 400, "the body is not JSON: expected value at line 1 column 1"),
        (json_type, "\u{0}".to_owned(), 400, "the body is not JSON: expected value at line 1 column 1"),
        (
            json_type,
            "[]".to_owned(),
            400,
            "the body must be an AdmissionReview: a JSON object with apiVersion, kind and request",
        ),
        (json_type, "{}".to_owned(), 400, "apiVersion: Required value: must be \"admission.k8s.io/v1\""),
        (
            json_type,
            review(|review| review["apiVersion"] = json!("admission.k8s.io/v1beta1")),
            400,
            "apiVersion: Unsupported value: \"admission.k8s.io/v1beta1\": supported values: \"admission.k8s.io/v1\"",
        ),
        (
            json_type,
            review(|review| review["kind"] = json!("ConversionReview")),
            400,
            "kind: Unsupported value: \"ConversionReview\": supported values: \"AdmissionReview\"",
        ),
        (
            json_type,
            review(|review| review["request"] = Value::Null),
            400,
            "request: Required value: the request to review",
        ),
        (
            json_type,
            review(|review| review["request"] = json!("text")),
            400,
            "request: Invalid value: \"text\": must be an object",
        ),
        (
            json_type,
            review(|review| review["request"]["uid"] = json!("")),
            400,
            "request.uid: Required value: the response must repeat it",
        ),
        (
            json_type,
            review(|review| review["request"]["uid"] = json!(7)),
            400,
            "request.uid: Invalid value: 7: must be a string",
        ),
        (
            json_type,
            review(|review| review["request"]["uid"] = json!(vec!["ä"; 1000])),
            400,
            &format!("request.uid: Invalid value: [{}...: must be a string", "\"ä\",".repeat(16).trim_end_matches(',')),
        ),
        (
            json_type,
            review(|review| review["request"] = json!("x".repeat(100_000))),
            400,
            &format!("request: Invalid value: \"{}...: must be an object", "x".repeat(63)),
        ),
        (
            json_type,
            review(|review| review["kind"] = json!({ "a": "y".repeat(100_000) })),
            400,
            &format!("kind: Unsupported value: {{\"a\":\"{}...: supported values: \"AdmissionReview\"", "y".repeat(58)),
        ),
        (
            json_type,
            review(|review| review["apiVersion"] = json!("z".repeat(100_000))),
            400,
            &format!(
                "apiVersion: Unsupported value: \"{}...: supported values: \"admission.k8s.io/v1\"",
                "z".repeat(63)
            ),
        ),
    ];
    for (content_type, body, status, message) in cases {
        let answer = server.post("/validate", content_type, body.as_bytes());
        assert_eq!((answer.status, answer.text()), (status, format!("{message}\n")), "{body}");
    }
    let answer = server.post("/validate", json_type, &[b'{', 0xff, 0xfe]);
    assert_eq!(answer.status, 400, "{}", answer.text());
    let answer = server.get("/validate", &[]);
    assert_eq!((answer.status, answer.header("allow").as_str()), (405, "POST"));
    // As in policy-server.
    let answer = server.post("/validate/changeover", json_type, b"{}");
    assert_eq!((answer.status, answer.text().contains("send an AdmissionReview to /validate")), (404, true));
}

#[test]
fn reads_eight_mebibytes_and_no_more() {
    let server = server();
    let padded = |size: usize| {
        let mut body = example("job.json").to_string();
        body.push_str(&" ".repeat(size - body.len()));
        body
    };
    let answer = server.post("/validate", "application/json", padded(MAX_BODY).as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    for size in [MAX_BODY + 1, 3 * MAX_BODY] {
        let answer = server.post("/validate", "application/json", padded(size).as_bytes());
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (
                413,
                "the body is larger than the limit of 8 MiB: exclude objects this large with the webhook's objectSelector\n"
            )
        );
    }
}

#[test]
fn is_healthy() {
    let answer = server().get("/healthz", &[]);
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok\n"));
}
