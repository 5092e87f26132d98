use serde_json::{Value, json};

/// The Deployments `app-0`, `app-1` and so on, as a user writes them.
pub fn fleet(deployments: usize, replicas: usize, image: &str, strategy: &Value) -> Vec<Value> {
    (0..deployments).map(|index| deployment(&format!("app-{index}"), replicas, image, strategy)).collect()
}

fn deployment(name: &str, replicas: usize, image: &str, strategy: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "namespace": "shop" },
        "spec": {
            "replicas": replicas,
            "strategy": strategy,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{
                    "name": "app",
                    "image": image,
                    "resources": { "requests": { "cpu": "250m", "memory": "256Mi" } },
                }] },
            },
        },
    })
}

/// The same Deployments as `kubectl get -o json` prints them, with their ReplicaSets and pods. Each pod was created at a time of its
/// own and is on one of 100 nodes, so no two of them are alike.
pub fn live_state(manifests: &[Value]) -> Vec<Value> {
    manifests.iter().flat_map(live_deployment).collect()
}

fn live_deployment(manifest: &Value) -> Vec<Value> {
    let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
    let replicas = &manifest["spec"]["replicas"];
    let owner = |kind: &str, name: &str| json!([{ "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid(kind, name), "controller": true }]);
    let metadata = |kind: &str, name: &str, created: usize, owners: Value| {
        json!({
            "name": name,
            "namespace": "shop",
            "uid": uid(kind, name),
            "generation": 1,
            "creationTimestamp": time(created),
            "annotations": { "deployment.kubernetes.io/revision": "1" },
            "ownerReferences": owners,
        })
    };
    let mut deployment = manifest.clone();
    deployment["metadata"] = metadata("Deployment", name, 0, json!([]));
    deployment["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
        manifest.to_string().into();
    let counts = json!({
        "observedGeneration": 1,
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": replicas,
        "availableReplicas": replicas,
    });
    let condition = |kind: &str, reason: &str| json!({ "type": kind, "status": "True", "reason": reason, "lastUpdateTime": time(600), "lastTransitionTime": time(600) });
    deployment["status"] = counts.clone();
    deployment["status"]["conditions"] =
        json!([condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")]);

    let replica_set_name = format!("{name}-5d4f9c7b8");
    let mut template = manifest["spec"]["template"].clone();
    template["metadata"]["labels"]["pod-template-hash"] = "5d4f9c7b8".into();
    let labels = &template["metadata"]["labels"];
    let mut replica_set = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": metadata("ReplicaSet", &replica_set_name, 0, owner("Deployment", name)),
        "spec": { "replicas": replicas, "selector": { "matchLabels": labels }, "template": template },
        "status": counts,
    });
    replica_set["metadata"]["labels"] = labels.clone();

    let pod = |number: u64| {
        // Scattered over 20 days.
        let scattered = number.wrapping_mul(11_400_714_819_323_198_485) >> 20;
        let below = |limit: u64| usize::try_from(scattered.checked_rem(limit).unwrap_or(0)).unwrap_or(0);
        let created = below(1_728_000);
        let pod_name = format!("{replica_set_name}-{number:05}");
        let mut pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata("Pod", &pod_name, created, owner("ReplicaSet", &replica_set_name)),
            "spec": template["spec"],
            "status": {
                "phase": "Running",
                "startTime": time(created),
                "conditions": [
                    { "type": "PodScheduled", "status": "True", "lastTransitionTime": time(created) },
                    { "type": "Ready", "status": "True", "lastTransitionTime": time(created.saturating_add(4)) },
                ],
            },
        });
        pod["metadata"]["labels"] = labels.clone();
        pod["spec"]["nodeName"] = format!("node-{}", below(100)).into();
        pod
    };
    let pods = (0..replicas.as_u64().unwrap_or(0)).map(pod);
    [deployment, replica_set].into_iter().chain(pods).collect()
}

/// Different for each object from its first bytes on, as real ones are.
fn uid(kind: &str, name: &str) -> String {
    let bytes = kind.bytes().chain(name.bytes());
    let hash = bytes.fold(0_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211));
    format!("{:016x}-{kind}-{name}", hash.wrapping_mul(11_400_714_819_323_198_485).rotate_left(32))
}

/// This many seconds after the beginning of January 2026.
fn time(seconds: usize) -> String {
    let part =
        |length: usize, count: usize| seconds.checked_div(length).and_then(|all| all.checked_rem(count)).unwrap_or(0);
    let (day, hour) = (part(86_400, 31).saturating_add(1), part(3_600, 24));
    format!("2026-01-{day:02}T{hour:02}:{:02}:{:02}Z", part(60, 60), part(1, 60))
}
