//! Runs the core's API server, which admits or rejects a spec.

use changeover_core::apiserver::{ALL, create, update};
use changeover_core::feature_gates::FeatureGates;
use serde_json::{Value, json};

use crate::controller::feature_gates;
use crate::second_reading::Spec;
use crate::world::{Amount, Gates, Strategy};

/// An admitted spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The stored spec.
    pub spec: Spec,
    /// True if the update increases the generation.
    pub is_new: bool,
}

/// Starts a component with these gates.
///
/// # Errors
///
/// With the message of a component that does not start.
pub fn start(gates: Gates) -> Result<(), String> {
    let given = json!({
        "DeploymentReplicaSetTerminatingReplicas": gates.terminating_replicas,
        "DeploymentPodReplacementPolicy": gates.pod_replacement_policy,
    });
    FeatureGates::parse(&given, "").map(|_| ()).map_err(|problems| problems[0].to_string())
}

/// Creates a Deployment with this spec, or replaces the stored one.
///
/// # Errors
///
/// With the API server's errors.
pub fn admit(gates: Gates, spec: &Spec, stored: Option<&Spec>) -> Result<Admitted, Vec<String>> {
    let gates = feature_gates(gates);
    let errors = |errors: Vec<_>| errors.iter().map(ToString::to_string).collect::<Vec<String>>();
    let sent = deployment(spec);
    let before = stored.map(|stored| {
        let mut stored = deployment(stored);
        stored["metadata"]["generation"] = json!(7);
        stored
    });
    let after = match &before {
        Some(before) => update(&sent, before, ALL, &gates),
        None => create(&sent, ALL, &gates),
    };
    let after = after.map_err(errors)?;
    let is_new = before.is_none_or(|before| before["metadata"]["generation"] != after["metadata"]["generation"]);
    Ok(Admitted { spec: spec_of(&after), is_new })
}

fn amount(amount: Amount) -> Value {
    match amount {
        Amount::Pods(pods) => json!(pods),
        Amount::Percent(percent) => json!(format!("{percent}%")),
    }
}

fn amount_of(value: &Value) -> Amount {
    match value.as_str() {
        Some(text) => Amount::Percent(text.strip_suffix('%').unwrap().parse().unwrap()),
        None => Amount::Pods(value.as_i64().unwrap().try_into().unwrap()),
    }
}

fn deployment(spec: &Spec) -> Value {
    let strategy = match spec.strategy {
        Strategy::Recreate => json!({"type": "Recreate"}),
        Strategy::RollingUpdate { surge, unavailable } => json!({
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": amount(surge), "maxUnavailable": amount(unavailable)},
        }),
    };
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop", "namespace": "store"},
        "spec": {
            "replicas": spec.replicas,
            "strategy": strategy,
            "podReplacementPolicy": spec.pod_replacement_policy,
            "minReadySeconds": spec.min_ready_seconds,
            "revisionHistoryLimit": spec.revision_history_limit,
            "progressDeadlineSeconds": spec.progress_deadline_seconds,
            "selector": {"matchLabels": {"app": "shop"}},
            "template": {
                "metadata": {"labels": {"app": "shop"}},
                "spec": {"containers": [{"name": "app", "image": "shop:v1"}]},
            },
        },
    })
}

fn spec_of(deployment: &Value) -> Spec {
    let spec = &deployment["spec"];
    let strategy = &spec["strategy"];
    let rolling = &strategy["rollingUpdate"];
    Spec {
        replicas: spec["replicas"].as_i64().unwrap(),
        strategy: if strategy["type"] == "Recreate" {
            Strategy::Recreate
        } else {
            let (surge, unavailable) = (amount_of(&rolling["maxSurge"]), amount_of(&rolling["maxUnavailable"]));
            Strategy::RollingUpdate { surge, unavailable }
        },
        pod_replacement_policy: spec["podReplacementPolicy"].as_str().map(str::to_owned),
        min_ready_seconds: spec["minReadySeconds"].as_i64().unwrap_or(0),
        revision_history_limit: spec["revisionHistoryLimit"].as_i64(),
        progress_deadline_seconds: spec["progressDeadlineSeconds"].as_i64(),
    }
}
