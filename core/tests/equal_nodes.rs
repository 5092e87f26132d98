//! Changes that fit only if the scheduler takes certain ones of equally good nodes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use changeover_core::prediction::{PredictOptions, Reason, ReasonKind, VerdictResult, predict};
use changeover_core::scenario::nodes_in_short;
use serde_json::{Value, json};

fn deployment(name: &str, spec: &Value) -> Value {
    let mut pod = json!({
        "containers": [{ "name": "app", "image": "app:1", "resources": { "requests": { "cpu": "5" } } }],
    });
    pod.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "selector": { "matchLabels": { "app": name } },
            "template": { "metadata": { "labels": { "app": name } }, "spec": pod },
        },
    })
}

fn verdict(old: &[Value], new: &[Value], nodes: &str) -> (VerdictResult, Vec<Reason>) {
    let nodes = nodes_in_short(nodes, "nodes").unwrap();
    let predicted = predict(old, new, &PredictOptions { nodes, ..PredictOptions::default() }).unwrap();
    (predicted.prediction.verdict.result, predicted.prediction.verdict.reasons)
}

/// The old pod may be on the node that the new one needs: on the first, or on the last.
#[test]
fn a_change_does_not_fit_if_the_choice_among_equal_nodes_decides() {
    let old = deployment("api", &json!({}));
    let new = [old.clone(), deployment("db", &json!({ "nodeSelector": { "disk": "ssd" } }))];
    for nodes in ["2x 8cpu,32Gi disk=hdd,ssd", "2x 8cpu,32Gi disk=ssd,hdd"] {
        let (result, reasons) = verdict(std::slice::from_ref(&old), &new, nodes);
        assert_eq!(result, VerdictResult::DoesNotFit, "{nodes}");
        assert!(reasons.iter().any(|reason| reason.kind == ReasonKind::Pending), "{reasons:?}");
    }
}

#[test]
fn a_change_fits_if_every_choice_among_equal_nodes_is_as_good() {
    let old = deployment("api", &json!({}));
    let new = [old.clone(), deployment("db", &json!({}))];
    let (result, reasons) = verdict(&[old], &new, "3x 8cpu,32Gi");
    assert_eq!(result, VerdictResult::Fits, "{reasons:?}");
}

/// With one of the choices, db has no node even before tiny changes.
#[test]
fn what_a_choice_holds_up_without_the_change_is_no_answer() {
    let others = [deployment("api", &json!({})), deployment("db", &json!({ "nodeSelector": { "disk": "ssd" } }))];
    let with_tiny = |image: &str| {
        let tiny = deployment("tiny", &json!({ "containers": [{ "name": "app", "image": image }] }));
        others.iter().cloned().chain([tiny]).collect::<Vec<Value>>()
    };
    for nodes in ["2x 8cpu,32Gi disk=hdd,ssd", "2x 8cpu,32Gi disk=ssd,hdd"] {
        let (result, reasons) = verdict(&with_tiny("tiny:1"), &with_tiny("tiny:2"), nodes);
        assert_eq!(result, VerdictResult::Fits, "{nodes}: {reasons:?}");
    }
}
