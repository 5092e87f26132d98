//! The values that the API server rejects.

use serde_json::{Value, json};

use super::super::objects::{case, noted};
use super::{COST, DESIGN};

pub fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    let on_pod = format!("metadata.annotations[{COST}]");
    let in_template = format!("spec.template.annotations[{COST}]");
    let error = |path: &str, value: &str| format!("{path}: Invalid value: {value:?}: must be a 32bit integer");
    let mut validate = |name: &str, gates: &Value, input: Value, errors: Vec<String>| {
        cases.push(case(
            "apiserver.validate",
            &format!("admission: {name}"),
            DESIGN,
            gates,
            input,
            json!({"errors": errors}),
        ));
    };
    let none = Value::Null;
    for (value, invalid) in [("5", false), ("-2147483648", false), ("cheap", true), ("+5", true), ("2147483648", true)]
    {
        let errors = |path: &str| if invalid { vec![error(path, value)] } else { Vec::new() };
        validate(&format!("a pod with cost {value:?}"), &none, json!({"object": pod(Some(value))}), errors(&on_pod));
        let template = json!({"object": deployment(Some(value))});
        validate(&format!("a template with cost {value:?}"), &none, template, errors(&in_template));
    }
    validate("a pod without a cost", &none, json!({"object": pod(None)}), Vec::new());
    let off = json!({"PodDeletionCost": false});
    validate("the gate is off: not checked", &off, json!({"object": pod(Some("cheap"))}), Vec::new());
    let update = |new: Option<&str>, old: Option<&str>| json!({"object": pod(new), "old": pod(old)});
    let errors = vec![error(&on_pod, "cheap")];
    validate("an update that makes it invalid", &none, update(Some("cheap"), Some("5")), errors);
    validate("an update of an invalid one is let through", &none, update(Some("dear"), Some("cheap")), Vec::new());
    let lenient = cases.pop().unwrap();
    cases.push(noted(lenient, "the KEP does not say: upstream is lenient with what is stored already"));
    cases
}

/// A pod with defaults.
fn pod(cost: Option<&str>) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "tea", "namespace": "store", "uid": "uid-tea", "resourceVersion": "12"},
        "spec": spec(),
        "status": {"phase": "Pending"},
    });
    pod["spec"]["enableServiceLinks"] = true.into();
    if let Some(cost) = cost {
        pod["metadata"]["annotations"] = json!({COST: cost});
    }
    pod
}

/// A Deployment with defaults.
fn deployment(cost: Option<&str>) -> Value {
    let mut template = json!({"metadata": {"labels": {"app": "shop"}}, "spec": spec()});
    if let Some(cost) = cost {
        template["metadata"]["annotations"] = json!({COST: cost});
    }
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop", "namespace": "store", "generation": 1},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "shop"}},
            "template": template,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
        "status": {},
    })
}

fn spec() -> Value {
    json!({
        "containers": [{
            "name": "till", "image": "shop:blue", "imagePullPolicy": "IfNotPresent", "resources": {},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        }],
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler",
    })
}
