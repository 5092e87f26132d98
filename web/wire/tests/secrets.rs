//! What is left out of a manifest that is shared.

use changeover_wire::{may_have_secret, remove_secrets, remove_secrets_of_document};
use serde_json::{Value, json};

fn without_secrets(mut manifest: Value) -> Value {
    remove_secrets(&mut manifest);
    manifest
}

fn document_without_secrets(mut document: Value) -> Value {
    remove_secrets_of_document(&mut document);
    document
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
fn the_names_of_a_config_map_stay_and_its_values_go() {
    let config = |kind: &str, data: &str, binary: &str| json!({"kind": kind, "data": {"application.yaml": data}, "binaryData": {"store": binary}});
    assert_eq!(without_secrets(config("ConfigMap", "password: hunter2", "aHVudGVyMg==")), config("ConfigMap", "", ""));
    let list = |config: Value| json!({"kind": "ConfigMapList", "items": [config]});
    let item = |data: &str| list(json!({"data": {"application.yaml": data}}));
    assert_eq!(without_secrets(item("password: hunter2")), item(""));
}

#[test]
fn other_objects_keep_their_data() {
    let revision = json!({"kind": "ControllerRevision", "data": {"color": "blue"}});
    assert_eq!(without_secrets(revision.clone()), revision);
}

#[test]
fn texts_and_numbers_whose_key_is_secret_are_emptied_anywhere() {
    let given = json!({
        "password": "hunter2",
        "DB_PASSWORD": 12345,
        "client-key-data": "aHVudGVyMg==",
        "spec": [{ "apiToken": "hunter2", "tokens": ["hunter2", 5, { "name": "a" }], "credentials": { "user": "me" } }],
    });
    let left = json!({
        "password": "",
        "DB_PASSWORD": "",
        "client-key-data": "",
        "spec": [{ "apiToken": "", "tokens": ["", "", { "name": "a" }], "credentials": { "user": "me" } }],
    });
    assert_eq!(without_secrets(given), left);
}

#[test]
fn names_of_secrets_and_values_that_only_look_secret_stay() {
    for kept in [
        json!({ "volumes": [{ "secret": { "secretName": "db", "items": [{ "key": "a", "path": "b" }] } }] }),
        json!({ "csi": { "nodeStageSecretRef": { "name": "db", "namespace": "a" }, "secretNamespace": "a" } }),
        json!({ "env": [{ "name": "A", "valueFrom": { "secretKeyRef": { "name": "db", "key": "password" } } }] }),
        json!({ "imagePullSecrets": [{ "name": "registry" }], "automountServiceAccountToken": false }),
        json!({ "sources": [{ "serviceAccountToken": { "path": "token", "expirationSeconds": 3600 } }] }),
        json!({ "tokenPath": "/run/token", "credentialBundlePath": "a.pem", "token_ref": "db", "password": null }),
        json!({ "kind": "ResourceQuota", "spec": { "hard": { "secrets": "10", "count/secrets": "10" } } }),
        json!({ "resources": { "requests": { "example.com/tokens": "2" }, "limits": { "example.com/tokens": "2" } } }),
        json!({ "annotations": { "checksum/secret": "1f2e", "team": "shop", "at": "2026-01-01T00:00:00Z" } }),
    ] {
        assert_eq!(without_secrets(kept.clone()), kept);
    }
}

#[test]
fn labels_and_selectors_stay() {
    let selector = |name: &str| json!({ "spec": { "selector": { "matchLabels": { "compass": name, "pass": name } } } });
    for kept in [
        selector("east"),
        selector("west"),
        json!({ "metadata": { "labels": { "tokenizer": "fast", "pass": "gold" } } }),
        json!({ "kind": "Service", "spec": { "selector": { "token": "ring" } } }),
        json!({ "nodeSelector": { "example.com/secret-zone": "a" } }),
        json!({ "matchExpressions": [{ "key": "token", "operator": "In", "values": ["ring"] }] }),
    ] {
        assert_eq!(without_secrets(kept.clone()), kept);
    }
    // A nested map is not a label.
    let nested = |password: &str| json!({ "selector": { "a": { "password": password } } });
    assert_eq!(without_secrets(nested("hunter2")), nested(""));
}

#[test]
fn pass_is_secret_except_in_harmless_words() {
    for key in [
        "pass",
        "dbPass",
        "DBPass",
        "DB_PASS",
        "db-pass",
        "passHash",
        "PASS2",
        "passphrase",
        "PGPASSWORD",
        "passcode",
        "passkey",
        "adminpass",
        "userpass",
        "rootpass",
        "SMTPPASS",
        "MYSQLPASS",
        "requirepass",
        // Not the harmless words at their ends.
        "rubyPass",
        "rubypass",
        "TELECOM_PASS",
        "compassPassword",
    ] {
        assert_eq!(without_secrets(json!({ key: "hunter2" })), json!({ key: "" }), "{key}");
        let argument = |value: &str| json!({ "args": [format!("--{key}={value}")] });
        assert_eq!(without_secrets(argument("hunter2")), argument(""), "{key}");
    }
    for key in ["compass", "COMPASS", "lockBypass", "passing", "Passive", "FTPPassive", "passthrough", "passenger"] {
        assert_eq!(without_secrets(json!({ key: "east" })), json!({ key: "east" }), "{key}");
    }
    let script = |value: &str| json!({ "command": ["sh", "-c", format!("export SMTPPASS={value}")] });
    assert_eq!(without_secrets(script("hunter2")), script(""));
}

#[test]
fn the_free_texts_of_storage_classes_and_volumes_are_like_annotations() {
    let class = |key: &str, url: &str| {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "parameters": { "restuserkey": key, "resturl": url, "type": "fast" },
        })
    };
    let url = "https://web:hunter2@gluster/";
    assert_eq!(document_without_secrets(class("hunter2", url)), class("", ""));
    let volume = |mount: &str, options: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "spec": {
                "csi": { "driver": "nfs", "volumeAttributes": { "share": "a", "mount": mount } },
                "flexVolume": { "options": { "share": "a", "mount": options } },
            },
        })
    };
    let given = volume("user=web,password=hunter2", "--token hunter2");
    assert_eq!(document_without_secrets(given), volume("", ""));
    let dns = json!({ "dnsConfig": { "options": [{ "name": "ndots", "value": "2" }] } });
    assert_eq!(without_secrets(dns.clone()), dns);
}

#[test]
fn mount_options_lose_their_passwords() {
    let options = |password: &str| json!({ "mountOptions": ["ro", format!("username=web,password={password}")] });
    assert_eq!(without_secrets(options("hunter2")), options(""));
}

#[test]
fn annotations_that_contain_a_secret_are_emptied() {
    let annotated = |text: &str| json!({ "metadata": { "annotations": { "a": text } } });
    for text in [
        "helm upgrade --set password=hunter2",
        r#"{"token": "hunter2"}"#,
        "# password: hunter2\nworkers 2;",
        "postgres://web:hunter2@db/",
    ] {
        assert_eq!(without_secrets(annotated(text)), annotated(""), "{text}");
    }
}

#[test]
fn objects_outside_kubernetes_own_api_keep_only_their_names() {
    let object = |version: &str, kind: &str| {
        json!({
            "apiVersion": version, "kind": kind,
            "metadata": { "name": "a", "namespace": "b", "labels": { "c": "hunter2" } },
            "spec": { "replicas": 3 }, "data": { "a": "hunter2" },
        })
    };
    let name = |version: &str, kind: &str| {
        let metadata = json!({ "name": "a", "namespace": "b" });
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata })
    };
    for (version, kind) in [
        ("v1", "Config"),
        ("v1", "Template"),
        ("example.com/v1", "Database"),
        ("apiserver.config.k8s.io/v1", "EncryptionConfiguration"),
        // Kinds with the same names in another API group.
        ("example.com/v1", "Deployment"),
        ("example.com/v1", "Secret"),
    ] {
        assert_eq!(document_without_secrets(object(version, kind)), name(version, kind), "{version} {kind}");
    }
    for (version, kind) in [
        ("apps/v1", "Deployment"),
        ("v1", "ResourceQuota"),
        ("policy/v1", "PodDisruptionBudget"),
        ("v1", "Service"),
        ("v1", "ServiceAccount"),
        ("networking.k8s.io/v1", "Ingress"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("storage.k8s.io/v1", "StorageClass"),
    ] {
        assert_eq!(document_without_secrets(object(version, kind)), object(version, kind), "{version} {kind}");
    }
    let hidden = json!({
        "apiVersion": ["hunter2"], "kind": "Config", "metadata": { "name": { "a": "hunter2" } }, "users": 5,
    });
    assert_eq!(document_without_secrets(hidden), json!({ "kind": "Config", "metadata": {} }));
    let bare = json!({ "kind": "Config", "metadata": "hunter2" });
    assert_eq!(document_without_secrets(bare), json!({ "kind": "Config" }));
}

#[test]
fn a_document_without_a_kind_keeps_its_keys() {
    let values = json!({
        "auth": { "user": "hunter2", "port": 5432, "tls": true, "none": null },
        "hosts": ["a", { "b": "c" }], "kind": "",
    });
    let left = json!({
        "auth": { "user": "", "port": "", "tls": "", "none": null },
        "hosts": ["", { "b": "" }], "kind": "",
    });
    assert_eq!(document_without_secrets(values), left);
}

#[test]
fn a_comment_may_have_a_secret_after_a_colon_an_equals_sign_or_a_flag() {
    for text in [
        "# password: hunter2",
        "#DB_PASSWORD=hunter2",
        "# a: b, the API-Key: c",
        "client-key-data: a",
        "# run --token hunter2",
        "# user=web pw=hunter2",
        "# web:hunter2@tcp(db)/",
        "# postgres://web:hunter2@db/",
    ] {
        assert!(may_have_secret(text), "{text}");
    }
    for text in ["", "# The password is in the vault.", "# Note: the token is in the vault.", "# a: b"] {
        assert!(!may_have_secret(text), "{text}");
    }
}

#[test]
fn http_paths_lose_their_queries() {
    let probe = |path: &str| json!({"containers": [{"readinessProbe": {"httpGet": {"path": path, "port": 80}}}]});
    assert_eq!(without_secrets(probe("/ready?token=hunter2")), probe("/ready"));
    assert_eq!(without_secrets(probe("/ready")), probe("/ready"));
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
    let script = |script: &str| container(json!(script));
    assert_eq!(without_secrets(script("run --token hunter2 -v")), script("run --token  -v"));
}

#[test]
fn secrets_in_scripts_and_urls_go_too() {
    for (given, left) in [
        (json!(["sh", "-c", "mysqladmin --password=hunter2 ping"]), json!(["sh", "-c", "mysqladmin --password= ping"])),
        (json!(["sh", "-c", "PGPASSWORD='hunter two' psql\n-q"]), json!(["sh", "-c", "PGPASSWORD=  psql\n-q"])),
        (json!(["sh", "-c", "redis-cli --pass hunter2 ping"]), json!(["sh", "-c", "redis-cli --pass  ping"])),
        (json!(["redis-server", "--requirepass", "hunter 2"]), json!(["redis-server", "--requirepass", ""])),
        (
            json!(["curl", "-H", "Authorization: Bearer hunter2", "http://a/"]),
            json!(["curl", "-H", "Authorization:  ", "http://a/"]),
        ),
        (json!(["sh", "-c", "curl -H \"X-Auth-Token: hunter2\" a"]), json!(["sh", "-c", "curl -H \"X-Auth-Token:  a"])),
        (json!(["--from-literal=password=hunter2"]), json!(["--from-literal=password="])),
        (
            json!(["--pw=hunter2", "--jwt=hunter2", "--bearer=hunter2", "--license-key", "hunter2"]),
            json!(["--pw=", "--jwt=", "--bearer=", "--license-key", ""]),
        ),
        (json!(["--dsn=web:hunter2@tcp(db:3306)/shop"]), json!(["--dsn=web:@tcp(db:3306)/shop"])),
        (json!(["web:hunter2@unix(/run/db)/shop"]), json!(["web:@unix(/run/db)/shop"])),
        (json!(["--to=web@tcp(db)/shop", "--pwm=5"]), json!(["--to=web@tcp(db)/shop", "--pwm=5"])),
        (json!(["--db=postgres://web:hunter2@db:5432/web?a=b"]), json!(["--db=postgres://web:@db:5432/web?a=b"])),
        (json!(["sleep 15 && echo a token = b"]), json!(["sleep 15 && echo a token = b"])),
        (json!(["https://example.com:8080/a"]), json!(["https://example.com:8080/a"])),
    ] {
        let container = |arguments: Value| json!({"containers": [{"args": arguments}]});
        assert_eq!(without_secrets(container(given)), container(left));
    }
}

#[test]
fn headers_with_secret_values_lose_all_words_of_them() {
    for (given, left) in [
        ("Authorization: token hunter2", "Authorization:  "),
        ("Authorization: ApiKey hunter2", "Authorization:  "),
        ("Authorization: hunter2", "Authorization: "),
        ("Authorization:Bearer hunter2", "Authorization: "),
        ("--header=Authorization:Bearer hunter2", "--header=Authorization: "),
        ("--headers=Authorization=Bearer hunter2", "--headers=Authorization= "),
        ("-HProxy-Authorization:hunter2", "-HProxy-Authorization:"),
        ("Cookie: a=b; session=hunter2", "Cookie:  "),
        ("X-Auth-Key: hunter2", "X-Auth-Key: "),
        (r#"curl -H "Authorization: token hunter2" http://a/"#, r#"curl -H "Authorization:  " http://a/"#),
        ("a=$(wget --header='Cookie: session=hunter2') && b", "a=$(wget --header='Cookie: ') && b"),
        (r#"{"Authorization": "token hunter2"}"#, r#"{"Authorization":  "#),
        ("--token=hunter2,Authorization:hunter2", "--token="),
    ] {
        let argument = |text: &str| json!({ "args": [text] });
        assert_eq!(without_secrets(argument(given)), argument(left));
        // Once more, it is the same.
        assert_eq!(without_secrets(argument(left)), argument(left));
        assert!(may_have_secret(&format!("# {given}")), "{given}");
    }
    for kept in ["--authorization-mode=RBAC", "registry.example.com/authorization:1.2", "--cookie-name=a", "cookie"] {
        assert_eq!(without_secrets(json!({ "args": [kept] })), json!({ "args": [kept] }));
    }
}

#[test]
fn signatures_of_urls_are_emptied() {
    for (given, left) in [
        ("https://host/a?sv=1&sig=hunter2&se=2", "https://host/a?sv=1&sig="),
        (
            "--from=https://host/a?X-Amz-Date=1&X-Amz-Signature=hunter2",
            "--from=https://host/a?X-Amz-Date=1&X-Amz-Signature=",
        ),
    ] {
        assert_eq!(without_secrets(json!({ "args": [given] })), json!({ "args": [left] }));
    }
    for kept in ["--sigterm=5", "--group=sig-apps", "https://host/?design=a"] {
        assert_eq!(without_secrets(json!({ "args": [kept] })), json!({ "args": [kept] }));
    }
}

#[test]
fn some_programs_have_secret_values_behind_short_flags() {
    for (given, left) in [
        (json!(["curl", "-u", "web:hunter2", "http://a/"]), json!(["curl", "-u", "", "http://a/"])),
        (json!(["curl", "--user=web:hunter2", "a"]), json!(["curl", "--user=", "a"])),
        (json!(["curl", "--proxy-user", "web:hunter2"]), json!(["curl", "--proxy-user", ""])),
        (
            json!(["sh", "-c", "a=$(curl -sSu web:hunter2 http://a/ | sort -u b)"]),
            json!(["sh", "-c", "a=$(curl -sSu  http://a/ | sort -u b)"]),
        ),
        (json!(["curl -fuweb:hunter2 http://a/; sort -u b"]), json!(["curl -fu http://a/; sort -u b"])),
        (
            json!(["/usr/bin/curl \\\n  -u 'web:hunter two' http://a/ \\\n  -v\nsort -u b"]),
            json!(["/usr/bin/curl \\\n  -u   http://a/ \\\n  -v\nsort -u b"]),
        ),
        (json!(["/bin/mysql -uroot -phunter2 shop"]), json!(["/bin/mysql -uroot -p shop"])),
        (json!(["mysqladmin", "-phunter 2", "ping"]), json!(["mysqladmin", "-p", "ping"])),
        (json!(["redis-cli", "-a", "hunter2"]), json!(["redis-cli", "-a", ""])),
    ] {
        let container = |arguments: Value| json!({ "command": arguments });
        assert_eq!(without_secrets(container(given)), container(left.clone()));
        // Once more, it is the same.
        assert_eq!(without_secrets(container(left.clone())), container(left));
    }
    for kept in [
        json!(["sort", "-u", "a"]),
        json!(["python", "-u", "main.py"]),
        json!(["psql", "-p", "5432"]),
        json!(["mysql -p shop"]),
        json!(["curl", "--user-agent", "a", "-o", "uU"]),
    ] {
        assert_eq!(without_secrets(json!({ "args": kept.clone() })), json!({ "args": kept }));
    }
    for container in
        [json!({ "command": ["curl"] }), json!({ "image": "registry:5000/curlimages/curl:8.10.1@sha256:1a" })]
    {
        let with = |arguments: Value| {
            let mut container = container.clone();
            container["args"] = arguments;
            container
        };
        assert_eq!(without_secrets(with(json!(["-u", "web:hunter2"]))), with(json!(["-u", ""])));
    }
    // The image's program does not run.
    let other = json!({ "image": "curl", "command": ["sort"], "args": ["-u", "a"] });
    assert_eq!(without_secrets(other.clone()), other);
    assert!(may_have_secret("# curl -u web:hunter2 http://a/") && !may_have_secret("# sort -u a"));
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

#[test]
fn entries_of_json_and_headers_in_arguments_are_emptied() {
    for (given, left) in [
        (r#"--config={"password":"hunter2"}"#, r#"--config={"password":"#),
        (r#"{"user":"web","password":"hunter2"}"#, r#"{"user":"web","password":"#),
        ("X-Api-Key:hunter2", "X-Api-Key:"),
        ("--master-key=hunter2", "--master-key="),
        ("--encryption-key=hunter2", "--encryption-key="),
        ("--signing-key=hunter2", "--signing-key="),
        ("AccountName=web;AccountKey=hunter2", "AccountName=web;AccountKey="),
    ] {
        assert_eq!(without_secrets(json!({ "args": [given] })), json!({ "args": [left] }));
    }
    let script = |value: &str| json!({ "command": ["sh", "-c", format!("curl -H X-Api-Key:{value} http://host/")] });
    assert_eq!(without_secrets(script("hunter2")), script(""));
    for kept in ["registry.example.com/token-server:1.2", "--listen=:8080", "--to=https://token-server:8443/", "a:b"] {
        assert_eq!(without_secrets(json!({ "args": [kept] })), json!({ "args": [kept] }));
    }
}

#[test]
fn a_token_may_be_the_user_of_a_web_address() {
    for (given, left) in [
        ("--repo=https://ghp_hunter2@github.com/org/repo", "--repo=https://@github.com/org/repo"),
        ("https://ghp_hunter2:x-oauth-basic@github.com/org/repo", "https://@github.com/org/repo"),
        ("https://web:hunter2@host/", "https://web:@host/"),
        ("postgres://web@db/", "postgres://web@db/"),
        ("ssh://git@github.com/org/repo", "ssh://git@github.com/org/repo"),
    ] {
        assert_eq!(without_secrets(json!({ "args": [given] })), json!({ "args": [left] }));
    }
}

#[test]
fn what_a_container_wrote_is_emptied_and_other_messages_lose_their_secrets() {
    let status = |written: &str, message: &str| {
        json!({
            "containerStatuses": [{ "lastState": { "terminated": { "exitCode": 1, "message": written } } }],
            "conditions": [{ "type": "Ready", "message": message }],
        })
    };
    assert_eq!(
        without_secrets(status("panic: hunter2", "can't reach postgres://web:hunter2@db/")),
        status("", "can't reach postgres://web:@db/")
    );
    let note = |text: &str| json!({ "apiVersion": "events.k8s.io/v1", "kind": "Event", "note": text });
    assert_eq!(without_secrets(note("GET /?token=hunter2 failed")), note("GET /?token= failed"));
    for kept in [
        "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available.",
        r#"Back-off pulling image "example.com/token-server:1.2""#,
        r#"pods "token-server-7d4b" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=3, limited: pods=3"#,
    ] {
        assert_eq!(without_secrets(status("", kept)), status("", kept));
    }
}
