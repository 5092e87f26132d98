//! Each preset of `policy/examples` does what its description says.

use changeover_tests_policy::{policy, recorded};
use serde_json::{Value, json};

use crate::cases::{cases, in_cluster};
use crate::package::preset;

const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

fn settings(name: &str) -> Value {
    preset(name)["spec"]["settings"].clone()
}

/// The policy's response to a request under a preset.
fn answer(name: &str, request: &Value) -> Value {
    policy().validate(request, &settings(name)).unwrap()
}

/// A recorded request for this kind and operation that passes the filter.
fn request(kind: &str, operation: &str, takes: impl Fn(&Value) -> bool) -> Value {
    let mut found = recorded().into_iter().filter(|request| {
        let subresource = request["subResource"].as_str().unwrap_or_default();
        request["kind"]["kind"] == kind && request["operation"] == operation && subresource.is_empty() && takes(request)
    });
    found.next().unwrap_or_else(|| panic!("there is no such {operation} of a {kind}"))
}

/// The creation of a Job, with this policy after the API server's defaulting, and nothing that proves who set it.
fn job(policy: &str) -> Value {
    let mut job = request("Job", "CREATE", |request| request["object"]["spec"]["podFailurePolicy"].is_null());
    job["object"]["metadata"] = json!({ "name": "index", "namespace": "batch" });
    job["object"]["spec"]["completionMode"] = json!("Indexed");
    job["object"]["spec"]["completions"] = json!(5);
    job["object"]["spec"]["podReplacementPolicy"] = json!(policy);
    job
}

#[test]
fn batch_overrides_the_policy_of_jobs() {
    let written = answer("batch", &job("TerminatingOrFailed"));
    assert_eq!(written["mutated_object"]["spec"]["podReplacementPolicy"], "Failed");
    assert!(written["warnings"][0].as_str().unwrap().contains("Failed in place of TerminatingOrFailed"), "{written}");
    assert_eq!(answer("batch", &job("Failed"))["mutated_object"], Value::Null);
    let mut update = job("TerminatingOrFailed");
    update["operation"] = json!("UPDATE");
    update["oldObject"] = job("Failed")["object"].take();
    let mut applied = job("TerminatingOrFailed");
    applied["object"]["metadata"]["managedFields"] = json!([{
        "manager": "kubectl", "operation": "Apply", "apiVersion": "batch/v1", "time": "2026-01-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": { "f:podReplacementPolicy": {} } },
    }]);
    // The same value gets the same answer, however it comes.
    for request in [update, applied] {
        let same = answer("batch", &request);
        assert_eq!(same["mutated_object"]["spec"]["podReplacementPolicy"], "Failed", "{same}");
        assert_eq!(same["warnings"], written["warnings"]);
    }
    // A label leaves the value of an older Job alone.
    let mut labeled = job("TerminatingOrFailed");
    labeled["operation"] = json!("UPDATE");
    labeled["oldObject"] = labeled["object"].clone();
    labeled["object"]["metadata"]["labels"]["one-pod-at-a-time"] = json!("yes");
    let kept = answer("batch", &labeled);
    assert_eq!((&kept["accepted"], &kept["mutated_object"]), (&json!(true), &Value::Null));
}

/// A user's update of a Pod's cost, this many seconds after the manager `autoscaler` last wrote it.
fn cost(user: &str, cost: &str, seconds: u32) -> Value {
    let pod = |cost: &str, time: String| {
        let fields = json!({ "f:metadata": { "f:annotations": { format!("f:{COST}"): {} } } });
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": "web-1", "namespace": "shop", "annotations": { COST: cost },
                "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": true }],
                "managedFields": [{ "manager": "autoscaler", "operation": "Update", "apiVersion": "v1", "time": time, "fieldsV1": fields }],
            },
            "spec": { "containers": [{ "name": "app", "image": "web" }] },
        })
    };
    json!({
        "uid": "1", "operation": "UPDATE", "namespace": "shop",
        "kind": { "group": "", "version": "v1", "kind": "Pod" },
        "userInfo": { "username": user },
        "object": pod(cost, format!("2026-01-01T00:00:{seconds:02}Z")),
        "oldObject": pod("1", "2026-01-01T00:00:00Z".to_owned()),
    })
}

/// The reason why a change of a cost is refused.
fn against(name: &str, request: &Value) -> String {
    let answer = answer(name, request);
    let message = answer["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answer["accepted"], message.is_empty(), "{answer}");
    message
}

#[test]
fn deletion_costs_come_from_the_autoscaler() {
    let autoscaler = "system:serviceaccount:autoscaling:scaler";
    assert_eq!(against("deletion-cost", &cost(autoscaler, "7", 40)), "");
    assert!(against("deletion-cost", &cost("alice", "7", 40)).contains("user \"alice\" may not change it"));
    assert!(against("deletion-cost", &cost(autoscaler, "5000", 40)).contains("must be at most 1000"));
    assert!(against("deletion-cost", &cost(autoscaler, "7", 20)).contains("min_change_interval"));
}

#[test]
fn karpenter_and_keda_write_costs() {
    let karpenter = "system:serviceaccount:kube-system:karpenter";
    assert_eq!(against("karpenter-keda", &cost(karpenter, "-2147483648", 59)), "");
    assert_eq!(against("karpenter-keda", &cost("system:serviceaccount:shop:keda-worker-orders", "1000", 59)), "");
    assert!(
        against("karpenter-keda", &cost("system:serviceaccount:shop:default", "7", 59)).contains("may not change it")
    );
    assert!(against("karpenter-keda", &cost(karpenter, "-5", 30)).contains("min_change_interval"));
}

#[test]
fn replicas_and_rollouts_keep_to_limits() {
    for (case, is_allowed) in [
        ("rules/replicas: an autoscaler scales", true),
        ("rules/replicas: a new Deployment with too few", false),
        ("rules/replicas: kubectl scale to zero", false),
        ("rules/rollout.min_available: within", true),
        ("rules/rollout.recreate: warn", true),
        ("rules/rollout: bounds refuse nothing", true),
    ] {
        let cases = cases("policy.validate");
        let request = &cases.iter().find(|it| it["name"] == case).unwrap()["input"]["request"];
        assert_eq!(answer("rollouts", request)["accepted"], is_allowed, "{case}");
    }
}

#[test]
fn what_never_completes_within_the_quota_is_refused() {
    let settings = settings("quota");
    for (name, is_allowed) in [
        ("context/quota: the rollout fits", true),
        ("context/quota: terminating pods need room", true),
        ("context/quota: no pod may be unavailable, and there is no room for one more", false),
        ("context/quota: pods that are available only after the grace period make room", true),
        ("context/quota: deny a Deployment that was created paused and is resumed", false),
        ("context/quota: a new Deployment", true),
        ("context/quota: deny refuses a new Deployment with more pods than the quota has", false),
        ("context/scale: quota", true),
        ("context/quota: deny refuses a scaling of which no pod fits", false),
        ("context/scale: quota: deny allows what fits", true),
        ("context/scale: a StatefulSet", true),
        ("context/scale: the workload can't be read", true),
    ] {
        let cases = cases("policy.validateInCluster");
        let input = &cases.iter().find(|case| case["name"] == name).unwrap()["input"];
        let answer = in_cluster(&input["cluster"]).validate(&input["request"], &settings).unwrap();
        assert_eq!(answer["accepted"], is_allowed, "{name}: {answer}");
    }
}

#[test]
fn kep_5882_gets_a_policy_and_a_forecast() {
    let mut update =
        request("Deployment", "UPDATE", |request| request["object"]["spec"]["podReplacementPolicy"].is_null());
    update["object"]["spec"]["replicas"] = json!(7);
    let answer = answer("kep-5882", &update);
    assert_eq!(answer["mutated_object"]["spec"]["podReplacementPolicy"], "TerminationComplete");
    let forecast = answer["audit_annotations"]["forecast"].as_str().unwrap();
    assert!(forecast.starts_with("rollout: ") && forecast.contains("; with TerminationStarted: "), "{forecast}");
}

/// Whether a manager applied the object server-side, and whether its manifest has the policy.
fn applied(request: &Value) -> Option<bool> {
    let entries = request["object"]["metadata"]["managedFields"].as_array()?;
    let applied = entries.iter().find(|entry| entry["operation"] == "Apply" && entry["subresource"].is_null())?;
    Some(!applied["fieldsV1"]["f:spec"]["f:podReplacementPolicy"].is_null())
}

#[test]
fn gitops_sets_what_git_leaves_unset() {
    // Server-side apply, as Flux does it.
    let mut create = request("Job", "CREATE", |request| applied(request).is_some());
    let managed = create["object"]["metadata"]["managedFields"].as_array_mut().unwrap();
    for entry in managed {
        if let Some(spec) = entry["fieldsV1"]["f:spec"].as_object_mut() {
            spec.remove("f:podReplacementPolicy");
        }
    }
    create["object"]["spec"]["podReplacementPolicy"] = json!("TerminatingOrFailed");
    create["object"]["spec"]["podFailurePolicy"] = Value::Null;
    assert_eq!(applied(&create), Some(false));
    let stored = answer("gitops", &create)["mutated_object"].take();
    assert_eq!(stored["spec"]["podReplacementPolicy"], "Failed");
    // The dry run before the next apply sends the stored object, and nothing changes.
    let mut again = create.clone();
    again["operation"] = json!("UPDATE");
    again["dryRun"] = json!(true);
    (again["object"], again["oldObject"]) = (stored.clone(), stored);
    assert_eq!(answer("gitops", &again), json!({ "accepted": true }));

    // kubectl apply, as Argo CD does it by default.
    let last_applied = "kubectl.kubernetes.io/last-applied-configuration";
    for (manifest, written) in [(json!({}), "Failed"), (json!({ "podReplacementPolicy": "TerminatingOrFailed" }), "")] {
        let mut create = job("TerminatingOrFailed");
        let applied = json!({ "kind": "Job", "spec": manifest }).to_string();
        create["object"]["metadata"]["annotations"] = json!({ last_applied: applied });
        let answer = answer("gitops", &create);
        assert_eq!(answer["mutated_object"]["spec"]["podReplacementPolicy"].as_str().unwrap_or_default(), written);
    }
    // Without proof, nothing is changed.
    assert_eq!(answer("gitops", &job("TerminatingOrFailed")), json!({ "accepted": true }));
}
