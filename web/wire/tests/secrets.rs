//! What is left out of a manifest that is shared.

use changeover_wire::remove_secrets;
use serde_json::{Value, json};

fn without_secrets(mut manifest: Value) -> Value {
    remove_secrets(&mut manifest);
    manifest
}

#[test]
fn the_names_of_a_secret_stay_and_its_values_go() {
    let secret = json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"key": "aHVudGVyMg=="}, "stringData": {"user": "root"}});
    let expected =
        json!({"kind": "Secret", "metadata": {"name": "db"}, "data": {"key": ""}, "stringData": {"user": ""}});
    assert_eq!(without_secrets(secret.clone()), expected);
    assert_eq!(
        without_secrets(json!([{"kind": "List", "items": [secret]}])),
        json!([{"kind": "List", "items": [expected]}])
    );
    let typed = json!({"kind": "SecretList", "items": [{"data": {"key": "aHVudGVyMg=="}}]});
    assert_eq!(without_secrets(typed), json!({"kind": "SecretList", "items": [{"data": {"key": ""}}]}));
    assert_eq!(
        without_secrets(json!({"kind": "Secret", "data": "aHVudGVyMg=="})),
        json!({"kind": "Secret", "data": null})
    );
}

#[test]
fn other_objects_keep_their_data() {
    let config = json!({"kind": "ConfigMap", "data": {"colour": "blue"}});
    assert_eq!(without_secrets(config.clone()), config);
}

#[test]
fn the_environment_keeps_its_names_in_every_kind_of_container() {
    let env = || json!([{"name": "TOKEN", "value": "hunter2"}, {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]);
    let left = json!([{"name": "TOKEN"}, {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]);
    for containers in ["containers", "initContainers", "ephemeralContainers"] {
        let pod = |env: Value| json!({"spec": {"template": {"spec": {containers: [{"name": "web", "env": env}]}}}});
        assert_eq!(without_secrets(pod(env())), pod(left.clone()));
    }
}

#[test]
fn http_headers_keep_their_names() {
    let probe = |value: &str| {
        let get = json!({"path": "/", "port": 80, "httpHeaders": [{"name": "Authorization", "value": value}]});
        json!({"containers": [{"readinessProbe": {"httpGet": get}, "lifecycle": {"preStop": {"httpGet": get}}}]})
    };
    assert_eq!(without_secrets(probe("Bearer hunter2")), probe(""));
}

#[test]
fn secret_arguments_keep_their_names() {
    let container = |arguments: Value| json!({"containers": [{"command": ["/server"], "args": arguments}]});
    let given = json!([
        "--port=80",
        "--password=hunter2",
        "--api-token=a=b",
        "DB_PASSWORD=hunter2",
        "--client-secret",
        "hunter2",
        "--verbose",
        "--token",
        "--level",
        "debug",
        "echo a token = b",
        5,
    ]);
    let left = json!([
        "--port=80",
        "--password=",
        "--api-token=",
        "DB_PASSWORD=",
        "--client-secret",
        "",
        "--verbose",
        "--token",
        "--level",
        "debug",
        "echo a token = b",
        5,
    ]);
    assert_eq!(without_secrets(container(given)), container(left));
    // A Pod's own command, too.
    let command = |last: &str| json!({"spec": {"containers": [{"command": ["/server", last]}]}});
    assert_eq!(without_secrets(command("-passwd=hunter2")), command("-passwd="));
}

#[test]
fn what_kubectl_applied_last_is_left_out() {
    let applied = json!({"kind": "Secret", "metadata": {"annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": r#"{"stringData": {"user": "root"}}"#, "team": "shop",
    }}});
    let text = without_secrets(applied).to_string();
    assert!(!text.contains("root") && text.contains("shop"), "{text}");
}

#[test]
fn no_depth_is_too_deep() {
    let mut manifest = json!({"env": [{"name": "TOKEN", "value": "hunter2"}]});
    for _ in 0..20_000 {
        manifest = Value::Array(vec![manifest]);
    }
    remove_secrets(&mut manifest);
    // Dropped layer by layer, which a recursion could not do either.
    while let Value::Array(items) = manifest {
        manifest = items.into_iter().next().unwrap();
    }
    assert_eq!(manifest, json!({"env": [{"name": "TOKEN"}]}));
}
