//! Operands are values, without words around them.

use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Actor, Step, Timeline};
use serde_json::{Value, json};

#[test]
fn operands_are_values() {
    let labels = json!({ "app": "web" });
    let container = |image: &str| json!({ "spec": { "containers": [{ "name": "web", "image": image }] } });
    let mut template = container("web:1");
    template.as_object_mut().unwrap().insert("metadata".into(), json!({ "labels": labels }));
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": { "replicas": 1, "selector": { "matchLabels": labels }, "template": template },
    });
    let quota = json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": { "name": "small" },
        "spec": { "hard": { "pods": "7" } },
    });
    let scenario = json!({
        "version": 1,
        "actions": [
            { "at": "0s", "create": deployment },
            { "at": "1s", "create": quota },
            { "at": "2s", "setTemplate": { "name": "web", "template": container("web:2") } },
            { "at": "3s", "setTemplate": { "name": "web", "template": { "spec": { "hostNetwork": true } } } },
        ],
    });
    let timeline = Scenario::from_value(&scenario).and_then(Timeline::run).unwrap();
    let said = |step: &Step| -> (String, Value) {
        let reason = step.reason();
        let operands = reason.operands().filter(|(operand, _)| operand.name != "object");
        let operands: Vec<_> = operands.map(|(operand, value)| (operand.name, value.to_string())).collect();
        (reason.sentence(), json!(operands))
    };
    let user = timeline.steps.iter().filter(|step| step.actor == Actor::User);
    assert_eq!(
        user.map(said).collect::<Vec<_>>(),
        [
            (String::from("You create Deployment web."), json!([])),
            (String::from("You create ResourceQuota small: pods=7."), json!([["limits", "pods=7"]])),
            (String::from("You change the pod template of Deployment web: image web:2."), json!([["image", "web:2"]])),
            (String::from("You change the pod template of Deployment web."), json!([])),
        ]
    );
}

#[test]
fn a_burst_of_deletions_shows_how_many_pods_are_too_many() {
    let labels = json!({ "app": "web" });
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 600,
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "web", "image": "web:1" }] },
            },
        },
    });
    let scenario = json!({
        "version": 1,
        "objects": [deployment],
        "actions": [{ "at": "1m", "scale": { "name": "web", "replicas": 0 } }],
    });
    let timeline = Scenario::from_value(&scenario).and_then(Timeline::run).unwrap();
    let reasons =
        timeline.steps.iter().map(Step::reason).filter(|reason| reason.rule.id.starts_with("replicaset.delete"));
    let mut formulas: Vec<_> = reasons.map(|reason| reason.formula()).collect();
    assert_eq!(formulas.len(), 600);
    formulas.dedup();
    assert_eq!(
        formulas,
        [
            ["surplus = active − wanted = 600 − 0 = 600", "count = min(surplus, 500) = min(600, 500) = 500"],
            ["surplus = active − wanted = 100 − 0 = 100", "count = min(surplus, 500) = min(100, 500) = 100"],
        ]
    );
}
