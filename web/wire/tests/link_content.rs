//! No secret is in a link, and what the engine reads is.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::apiserver::ExistingObjects;
use changeover_core::feature_gates::FeatureGates;
use changeover_wire::LinkContent;
use serde_json::{Value, json};

fn reduced(mut document: Value) -> Value {
    LinkContent::default().reduce_document(&mut document);
    document
}

/// A Deployment whose container and pods have these fields.
fn deployment(container: &Value, pod: &Value) -> Value {
    let mut spec = pod.clone();
    let mut web = json!({ "name": "web", "image": "web:1" });
    web.as_object_mut().unwrap().extend(container.as_object().unwrap().clone());
    spec["containers"] = json!([web]);
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "labels": { "app": "web" } },
        "spec": { "replicas": 3, "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": spec } },
    })
}

#[test]
fn free_texts_are_replaced() {
    let get = json!({ "path": "/?token=hunter2", "port": 80, "host": "hunter2.example.com",
        "httpHeaders": [{ "name": "Authorization", "value": "Bearer hunter2" }] });
    let container = json!({
        "command": ["/bin/login", "root", "hunter2", 12_345_678],
        "args": ["--password=hunter2", "-u", "web:hunter2", "Kennwort=hunter2"],
        "env": [{ "name": "TOKEN", "value": "hunter2" }, { "name": "PIN", "value": 12_345_678 }],
        "workingDir": "/hunter2",
        "readinessProbe": { "httpGet": get },
        "livenessProbe": { "exec": { "command": ["check", "hunter2"] } },
        "lifecycle": { "preStop": { "exec": { "command": ["sh", "-c", "curl -H 'X: hunter2' a; sleep 5"] } },
            "postStart": { "httpGet": { "port": 80, "httpHeaders": [{ "name": "Pin", "value": 12_345_678 }] } } },
        "volumeMounts": [{ "name": "data", "mountPath": "/data", "subPath": "hunter2" }],
    });
    let pod = json!({
        "volumes": [{ "name": "data", "nfs": { "server": "hunter2", "path": "/hunter2" } },
            { "name": "more", "csi": { "driver": "a.example", "volumeAttributes": { "name": "hunter2" } } }],
        "securityContext": { "sysctls": [{ "name": "kernel.a", "value": "hunter2" }, { "name": "b", "value": 12_345_678 }] },
    });
    let mut document = deployment(&container, &pod);
    document["metadata"]["annotations"] = json!({
        "note": "code is hunter2",
        "kubectl.kubernetes.io/last-applied-configuration": "{\"password\": \"hunter2\"}",
    });
    document["status"] = json!({ "conditions": [{ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate",
        "message": "admission webhook \"a\" denied the request: hunter2" }] });
    let text = reduced(document).to_string();
    assert!(!text.contains("hunter2") && !text.contains("12345678") && !text.contains("Kennwort"), "{text}");
    for kept in
        ["TOKEN", "Authorization", "web:1", "kernel.a", "a.example", "note", "FailedCreate", "left out of the link"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

#[test]
fn texts_of_others_are_no_exceptions() {
    let hook = json!({ "preStop": { "sleep": { "seconds": 5 }, "exec": { "command": ["hunter2"] } } });
    let quoted = "failed: pods \"a\" is forbidden: exceeded quota: team, with hunter2";
    for document in [
        deployment(&json!({ "lifecycle": hook }), &json!({})),
        json!({ "apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": { "name": "a" },
            "data": { "key": "hunter2", "spec": { "name": "hunter2", "template": {} } } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "status": { "containerStatuses": [
            { "lastState": { "terminated": { "reason": "Error", "message": quoted } } }] } }),
    ] {
        let text = reduced(document).to_string();
        assert!(!text.contains("hunter2"), "{text}");
    }
    for action in [
        json!({ "create": { "kind": "Secret", "data": { "key": "hunter2" } } }),
        json!({ "apply": { "apiVersion": "example.com/v1", "kind": "Database", "spec": { "name": "hunter2" } } }),
        json!({ "annotate": { "kind": "Pod", "name": "web/0", "annotations": { "name": "hunter2" } } }),
    ] {
        let mut reduced = action;
        LinkContent::default().reduce_action(&mut reduced);
        assert!(!reduced.to_string().contains("hunter2"), "{reduced}");
    }
}

#[test]
fn what_the_engine_reads_stays() {
    let container = json!({
        "ports": [{ "name": "http", "containerPort": 80, "hostIP": "10.0.0.1", "protocol": "TCP" }],
        "resources": { "requests": { "cpu": "500m", "nvidia.com/gpu": "1" }, "limits": { "memory": "1Gi" } },
        "readinessProbe": { "tcpSocket": { "port": "http" }, "periodSeconds": 5 },
        "lifecycle": { "preStop": { "exec": { "command": ["sh", "-c", "sleep 15"] } } },
        "env": [{ "name": "NODE", "valueFrom": { "fieldRef": { "fieldPath": "spec.nodeName" } } },
            { "name": "KEY", "valueFrom": { "secretKeyRef": { "name": "db", "key": "password" } } }],
    });
    let pod = json!({
        "tolerations": [{ "key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule" }],
        "topologySpreadConstraints": [{ "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": { "matchLabels": { "app": "web" } } }],
        "affinity": { "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
            { "topologyKey": "zone", "labelSelector": { "matchLabels": { "app": "web" } } }] } },
        "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": "data" } }],
        "priorityClassName": "high", "terminationGracePeriodSeconds": 30,
    });
    let document = deployment(&container, &pod);
    assert_eq!(reduced(document.clone()), document);
    for document in [
        json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" },
            "spec": { "hard": { "pods": "5", "secrets": "2" } }, "status": { "used": { "pods": "5" } } }),
        json!({ "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": { "name": "high" }, "value": 1000 }),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "a", "labels": { "zone": "a" } },
            "spec": { "taints": [{ "key": "a", "value": "b", "effect": "NoExecute" }] },
            "status": { "allocatable": { "cpu": "4" }, "conditions": [{ "type": "Ready", "status": "True" }] } }),
        json!({ "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": { "name": "a" }, "spec": { "drivers": [
            { "name": "a.example", "topologyKeys": ["zone"], "allocatable": { "count": 5 } }] } }),
        json!({ "apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": { "name": "a" }, "revision": 2,
            "data": { "spec": { "template": { "$patch": "replace", "metadata": { "labels": { "app": "a" } } } } } }),
        json!({ "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "a", "annotations": {
            "deprecated.daemonset.template.generation": "3" } } }),
        json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "a" }, "status": {
            "uncountedTerminatedPods": { "failed": ["1f0c"], "succeeded": ["2a1e"] } } }),
        json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "a" }, "reason": "FailedScheduling",
            "message": "0/3 nodes are available: 3 Insufficient cpu.",
            "involvedObject": { "kind": "Pod", "name": "web-1" } }),
        json!({ "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": { "name": "web" },
            "spec": { "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "minReplicas": 2,
                "metrics": [{ "type": "External", "external": { "metric": { "name": "q" },
                    "target": { "type": "AverageValue", "averageValue": "5" } } }] } }),
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "annotations": {
            "controller.kubernetes.io/pod-deletion-cost": "-7" } }, "status": { "phase": "Pending", "conditions": [
            { "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available." }],
            "containerStatuses": [{ "name": "web", "state": { "waiting": { "reason": "ImagePullBackOff" } } }] } }),
    ] {
        assert_eq!(reduced(document.clone()), document);
    }
}

/// What the API server accepts, it accepts reduced, too: what stands in place of a text has the form that its field needs.
#[test]
fn what_is_valid_stays_valid() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases/apiserver");
    let recorded = ["named.jsonl", "recorded.jsonl"].map(|name| fs::read_to_string(cases.join(name)).unwrap()).concat();
    let errors = |object: &Value| -> Option<Vec<String>> {
        let outcome = ExistingObjects::of([]).dry_run(object, &FeatureGates::default()).ok()?;
        Some(outcome.errors.iter().map(ToString::to_string).collect())
    };
    let mut valid = 0;
    for line in recorded.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let object = &case["input"]["object"];
        if errors(object).is_none_or(|errors| !errors.is_empty()) {
            continue;
        }
        valid += 1;
        assert_eq!(errors(&reduced(object.clone())), Some(Vec::new()), "{}", case["name"]);
    }
    assert!(valid > 500, "{valid}");
}

#[test]
fn templates_that_differ_still_differ() {
    let mut content = LinkContent::default();
    let mut of = |value: &str| {
        let mut document = deployment(&json!({ "env": [{ "name": "A", "value": value }] }), &json!({}));
        content.reduce_document(&mut document);
        document
    };
    let (one, other, same) = (of("hunter2"), of("hunter3"), of("hunter2"));
    assert_ne!(one, other);
    assert_eq!(one, same);
    // Reduced once more, it is the same.
    assert_eq!(reduced(one.clone()), one);
}

#[test]
fn of_other_objects_only_the_name_stays() {
    for (version, kind) in [
        ("v1", "Config"),
        ("v1", "Secret"),
        ("v1", "ConfigMap"),
        ("example.com/v1", "Database"),
        ("apps.openshift.io/v1", "Deployment"),
        ("networking.k8s.io/v1", "Ingress"),
    ] {
        let metadata = json!({ "name": "db", "namespace": "shop", "labels": { "team": "hunter2" }, "uid": "hunter2" });
        let object = json!({ "apiVersion": version, "kind": kind, "metadata": metadata,
            "data": { "a": "hunter2" }, "spec": { "name": "hunter2" }, "users": 5 });
        let name = json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "db", "namespace": "shop" } });
        assert_eq!(reduced(object), name);
    }
    let hidden = json!({ "apiVersion": ["hunter2"], "kind": "Config", "metadata": { "name": { "a": "hunter2" } } });
    assert_eq!(reduced(hidden), json!({ "kind": "Config", "metadata": {} }));
}

#[test]
fn a_document_without_a_kind_keeps_its_keys() {
    let values = json!({ "auth": { "user": "hunter2", "port": 5432, "none": null }, "hosts": ["a", { "b": "c" }] });
    let left = json!({ "auth": { "user": "", "port": "", "none": null }, "hosts": ["", { "b": "" }] });
    assert_eq!(reduced(values), left);
}

#[test]
fn no_depth_is_too_deep() {
    let mut items = json!([{ "name": "TOKEN", "value": "hunter2" }]);
    for _ in 0..20_000 {
        items = Value::Array(vec![items]);
    }
    let mut manifest = json!({ "apiVersion": "v1", "kind": "Pod" });
    // The macro would copy it with a recursion.
    manifest.as_object_mut().unwrap().insert("env".to_owned(), items);
    let mut manifest = reduced(manifest);
    let mut items = manifest["env"].take();
    // Dropped layer by layer, which a recursion could not do either.
    while let Value::Array(inner) = items {
        items = inner.into_iter().next().unwrap();
    }
    assert_eq!(items, json!({ "name": "TOKEN", "value": "hidden-1" }));
}
