//! SECURITY.md's promise: no way of writing an object gets past a rule, but those that it names.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::apiserver::ExistingObjects;
use changeover_core::review::{SETTINGS, Verdict, review_in_cluster, validate_settings};
use serde_json::{Value, json};

const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// A rule, and an object before and after a change that breaks it.
struct Rule {
    name: &'static str,
    settings: Value,
    kept: Value,
    broken: Value,
    /// Whether a new object breaks it, too, or only a change.
    breaks: Breaks,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Always,
    OnUpdate,
}

/// The settings that refuse nothing by themselves: they say what is changed, what is done about a rule, or what it is not about.
const NO_RULES: [&str; 19] = [
    "pod_replacement_policy.jobs.default",
    "pod_replacement_policy.jobs.explicit",
    "pod_replacement_policy.deployments.default",
    "pod_deletion_cost.default",
    "pod_deletion_cost.show_setters",
    "replicas.action",
    "rollout.action",
    "pods.action",
    "forecast",
    "ready_after",
    "stop_after",
    "context",
    "controllers",
    "exempt.namespaces",
    "exempt.users",
    "exempt.labels",
    "exempt.dry_runs",
    "feature_gates",
    "stale_scale_annotations",
];

fn object(api_version: &str, kind: &str, spec: Value) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": "web", "namespace": "shop" }, "spec": spec })
}

fn pod() -> Value {
    object("v1", "Pod", json!({ "containers": [{ "name": "app", "image": "web:1" }] }))
}

fn pod_with_cost() -> Value {
    let mut pod = pod();
    pod["metadata"]["annotations"] = json!({ COST: "500" });
    pod
}

fn template() -> Value {
    json!({ "metadata": { "labels": { "app": "web" } }, "spec": pod()["spec"] })
}

fn deployment() -> Value {
    let spec = json!({ "replicas": 3, "selector": { "matchLabels": { "app": "web" } }, "strategy": { "type": "RollingUpdate" }, "template": template() });
    object("apps/v1", "Deployment", spec)
}

fn job(policy: &str) -> Value {
    let mut template = template();
    template["spec"]["restartPolicy"] = json!("Never");
    object("batch/v1", "Job", json!({ "podReplacementPolicy": policy, "template": template }))
}

fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[key] = value;
    object
}

/// A Pod's cost, written by a manager that owns nothing else.
fn cost_by_manager(cost: &str) -> Value {
    let fields = json!({ "f:metadata": { "f:annotations": { format!("f:{COST}"): {} } } });
    let mut pod = pod();
    pod["metadata"]["annotations"] = json!({ COST: cost });
    pod["metadata"]["managedFields"] =
        json!([{ "manager": "scaler", "operation": "Update", "time": "2026-01-01T00:00:00Z", "fieldsV1": fields }]);
    pod
}

/// A Deployment in a full quota, with a strategy that makes no room.
fn deployment_without_room(image: &str) -> Value {
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    let deployment = with(deployment(), "/spec/strategy", strategy);
    with(with(deployment, "/spec/replicas", json!(11)), "/spec/template/spec/containers/0/image", json!(image))
}

fn rules() -> Vec<Rule> {
    let rule = |name, settings, kept, broken| Rule { name, settings, kept, broken, breaks: Breaks::Always };
    let update = |name, settings, kept, broken| Rule { name, settings, kept, broken, breaks: Breaks::OnUpdate };
    let with_port = || with(deployment(), "/spec/template/spec/containers/0/ports", json!([{ "containerPort": 80 }]));
    let with_image = || with(deployment(), "/spec/template/spec/containers/0/image", json!("web:2"));
    let with_policy = || with(deployment(), "/spec/podReplacementPolicy", json!("TerminationComplete"));
    let gate = || json!({ "DeploymentPodReplacementPolicy": true });
    let cost =
        |setting: &str, value: Value| json!({ "pod_deletion_cost": { setting: value, "without_effect": "allow" } });
    vec![
        rule("pod_deletion_cost.min", cost("min", json!(501)), pod(), pod_with_cost()),
        rule("pod_deletion_cost.max", cost("max", json!(10)), pod(), pod_with_cost()),
        rule("pod_deletion_cost.setters", cost("setters", json!(["bob"])), pod(), pod_with_cost()),
        rule(
            "pod_deletion_cost.without_effect",
            json!({ "pod_deletion_cost": { "without_effect": "deny" } }),
            stateful_set(),
            with(stateful_set(), "/spec/template/metadata/annotations", json!({ COST: "5" })),
        ),
        rule(
            "pod_deletion_cost.in_templates",
            cost("in_templates", json!("deny")),
            deployment(),
            with(deployment(), "/spec/template/metadata/annotations", json!({ COST: "5" })),
        ),
        update(
            "pod_deletion_cost.min_change_interval",
            cost("min_change_interval", json!("30s")),
            cost_by_manager("1"),
            cost_by_manager("2"),
        ),
        rule(
            "pod_replacement_policy.jobs.allowed",
            json!({ "pod_replacement_policy": { "jobs": { "allowed": ["Failed"] } } }),
            job("Failed"),
            job("TerminatingOrFailed"),
        ),
        rule(
            "pod_replacement_policy.deployments.allowed",
            json!({ "pod_replacement_policy": { "deployments": { "allowed": ["TerminationComplete"] } }, "feature_gates": gate() }),
            deployment(),
            with(deployment(), "/spec/podReplacementPolicy", json!("TerminationStarted")),
        ),
        rule(
            "pod_replacement_policy.deployments.required",
            json!({ "pod_replacement_policy": { "deployments": { "required": true } }, "feature_gates": gate() }),
            with_policy(),
            deployment(),
        ),
        rule(
            "replicas.min",
            json!({ "replicas": { "min": 2 } }),
            deployment(),
            with(deployment(), "/spec/replicas", json!(1)),
        ),
        rule(
            "replicas.max",
            json!({ "replicas": { "max": 5 } }),
            deployment(),
            with(deployment(), "/spec/replicas", json!(6)),
        ),
        update("rollout.max_over_desired", json!({ "rollout": { "max_over_desired": 0 } }), deployment(), with_image()),
        update(
            "rollout.min_available",
            json!({ "rollout": { "min_available": 3 } }),
            deployment_unavailable("web:1"),
            deployment_unavailable("web:2"),
        ),
        rule(
            "rollout.recreate",
            json!({ "rollout": { "recreate": "deny" } }),
            deployment(),
            with(deployment(), "/spec/strategy", json!({ "type": "Recreate" })),
        ),
        rule(
            "pods.max_grace_period",
            json!({ "pods": { "max_grace_period": "5m" } }),
            deployment(),
            with(deployment(), "/spec/template/spec/terminationGracePeriodSeconds", json!(600)),
        ),
        rule(
            "pods.max_grace_period",
            json!({ "pods": { "max_grace_period": "5m" } }),
            deployment(),
            with(
                deployment(),
                "/spec/template/spec/containers/0/livenessProbe",
                json!({ "tcpSocket": { "port": 80 }, "terminationGracePeriodSeconds": 600 }),
            ),
        ),
        rule("pods.readiness_probe", json!({ "pods": { "readiness_probe": "deny" } }), deployment(), with_port()),
        rule("pods.pre_stop", json!({ "pods": { "pre_stop": "deny" } }), deployment(), with_port()),
        rule(
            "quota",
            json!({ "context": true, "quota": "deny" }),
            deployment_without_room("web:1"),
            deployment_without_room("web:2"),
        ),
    ]
}

fn stateful_set() -> Value {
    object("apps/v1", "StatefulSet", deployment()["spec"].clone())
}

/// A Deployment whose rollouts leave no pod.
fn deployment_unavailable(image: &str) -> Value {
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 0, "maxUnavailable": "100%" } });
    let deployment = with(deployment(), "/spec/strategy", strategy);
    with(deployment, "/spec/template/spec/containers/0/image", json!(image))
}

/// The quota of the namespace: the pods of a Deployment fill it.
fn quota() -> Value {
    let hard = json!({ "pods": "10" });
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team", "namespace": "shop" },
        "spec": { "hard": hard }, "status": { "hard": hard, "used": hard },
    })
}

fn judged(request: &Value, settings: &Value) -> Verdict {
    review_in_cluster(request, &validate_settings(settings).unwrap(), &ExistingObjects::of(&[quota()]))
}

/// A request of alice, who is no controller.
fn request(operation: &str, subresource: &str, object: &Value, old: Option<&Value>) -> Value {
    let (group, version) = object["apiVersion"].as_str().unwrap().split_once('/').unwrap_or(("", "v1"));
    let mut request = json!({
        "uid": "1", "operation": operation, "subResource": subresource, "namespace": "shop", "name": "web",
        "kind": { "group": group, "version": version, "kind": object["kind"] },
        "userInfo": { "username": "alice" },
        "object": object,
    });
    if let Some(old) = old {
        request["oldObject"] = old.clone();
    }
    request
}

fn is_refused(rule: &Rule, request: &Value) -> bool {
    let verdict = judged(request, &rule.settings);
    let names_rule = verdict.message.as_deref().is_some_and(|message| message.contains(rule.name));
    assert_eq!(names_rule, !verdict.allowed, "{}: {verdict:?}", rule.name);
    !verdict.allowed
}

fn must_be_refused(rule: &Rule, way: &str, request: &Value) {
    assert!(is_refused(rule, request), "{} does not hold for {way}: {request}", rule.name);
}

/// The owner that an object of the kind may have, and that has a controller.
fn owner(kind: &str) -> Value {
    let (api_version, kind) = match kind {
        "Pod" => ("apps/v1", "ReplicaSet"),
        "Job" => ("batch/v1", "CronJob"),
        _ => ("apps/v1", "Deployment"),
    };
    json!([{ "apiVersion": api_version, "kind": kind, "name": "web", "uid": "1", "controller": true }])
}

#[test]
fn every_rule_holds_for_each_way_to_write_an_object() {
    for rule in rules() {
        let Rule { kept, broken, breaks, .. } = &rule;
        let must_be_refused_if_new = |way, object: &Value| {
            if *breaks == Breaks::Always {
                must_be_refused(&rule, way, &request("CREATE", "", object, None));
            }
        };
        must_be_refused_if_new("create", broken);
        must_be_refused(&rule, "update and patch", &request("UPDATE", "", broken, Some(kept)));
        let fields = json!({ "f:metadata": { "f:annotations": { format!("f:{COST}"): {} } }, "f:spec": {} });
        let applied =
            json!([{ "manager": "kubectl", "operation": "Apply", "time": "2026-01-01T00:00:00Z", "fieldsV1": fields }]);
        let applied = with(broken.clone(), "/metadata/managedFields", applied);
        must_be_refused_if_new("apply", &applied);
        must_be_refused(&rule, "a later apply", &request("UPDATE", "", &applied, Some(kept)));
        let owned = with(broken.clone(), "/metadata/ownerReferences", owner(broken["kind"].as_str().unwrap()));
        must_be_refused_if_new("a named owner", &owned);
        must_be_refused(&rule, "an owner that is named later", &request("UPDATE", "", &owned, Some(kept)));
        let dry = with(json!({ "r": request("UPDATE", "", broken, Some(kept)) }), "/r/dryRun", json!(true));
        must_be_refused(&rule, "a dry run", &dry["r"]);
        // What an update did not change was there before the rule.
        assert!(!is_refused(&rule, &request("UPDATE", "", broken, Some(broken))), "{}", rule.name);
    }
}

#[test]
fn every_setting_that_refuses_has_its_rule() {
    let rules = rules();
    let is_rule = |path: &str| rules.iter().any(|rule| rule.name == path);
    // What the API server refuses is no rule of the settings.
    for setting in SETTINGS.iter().filter(|setting| setting.path != "validate") {
        let is_known = NO_RULES.contains(&setting.path);
        assert!(is_rule(setting.path) != is_known, "{} has no rule, and is not in NO_RULES", setting.path);
    }
}

#[test]
fn a_controllers_name_is_no_way_around() {
    let rule = &rules()[1];
    for user in
        ["system:serviceaccount:shop:replicaset-controller", "replicaset-controller", "system:kube-controller-manager2"]
    {
        let request = with(request("CREATE", "", &rule.broken, None), "/userInfo/username", json!(user));
        must_be_refused(rule, user, &request);
    }
}

#[test]
fn the_annotations_of_pods_have_other_ways_in() {
    for rule in rules().into_iter().filter(|rule| rule.broken["kind"] == "Pod") {
        must_be_refused(&rule, "pods/status", &request("UPDATE", "status", &rule.broken, Some(&rule.kept)));
        if rule.breaks == Breaks::OnUpdate {
            continue;
        }
        let binding = json!({ "apiVersion": "v1", "kind": "Binding", "metadata": rule.broken["metadata"], "target": { "name": "n" } });
        must_be_refused(&rule, "pods/binding", &request("CREATE", "binding", &binding, None));
        must_be_refused(&rule, "bindings", &request("CREATE", "", &binding, None));
    }
}

#[test]
fn replicas_have_another_way_in() {
    let scale = |replicas: i64| object("autoscaling/v1", "Scale", json!({ "replicas": replicas }));
    for rule in rules().iter().filter(|rule| rule.name.starts_with("replicas.")) {
        let replicas = rule.broken["spec"]["replicas"].as_i64().unwrap();
        for (group, resource) in
            [("apps", "deployments"), ("apps", "replicasets"), ("apps", "statefulsets"), ("", "replicationcontrollers")]
        {
            let mut request = request("UPDATE", "scale", &scale(replicas), Some(&scale(3)));
            request["resource"] = json!({ "group": group, "version": "v1", "resource": resource });
            must_be_refused(rule, "scale", &request);
            // A client may write any label there.
            let mut labeled = rule.settings.clone();
            labeled["exempt"] = json!({ "labels": { "exempt": "yes" } });
            request["object"]["metadata"]["labels"] = json!({ "exempt": "yes" });
            assert!(!judged(&request, &labeled).allowed, "{} {resource}", rule.name);
        }
    }
}

/// A CronJob's Jobs and Pods have what stands in its template.
#[test]
fn templates_of_templates_are_no_way_around() {
    let cron_job = |job: &Value| {
        object("batch/v1", "CronJob", json!({ "schedule": "* * * * *", "jobTemplate": { "spec": job["spec"] } }))
    };
    let changed = |pointer: &str, value: Value| cron_job(&with(job("Failed"), pointer, value));
    for (name, broken) in [
        ("pod_replacement_policy.jobs.allowed", cron_job(&job("TerminatingOrFailed"))),
        ("pod_deletion_cost.in_templates", changed("/spec/template/metadata/annotations", json!({ COST: "500" }))),
        ("pods.max_grace_period", changed("/spec/template/spec/terminationGracePeriodSeconds", json!(600))),
    ] {
        let rules = rules();
        let rule = rules.into_iter().find(|rule| rule.name == name).unwrap();
        must_be_refused(&rule, "a CronJob", &request("CREATE", "", &broken, None));
        must_be_refused(&rule, "a CronJob's update", &request("UPDATE", "", &broken, Some(&cron_job(&job("Failed")))));
    }
}

/// These requests pass. SECURITY.md says for each why that is no way around, or that it is out of scope.
#[test]
fn what_passes_is_named() {
    let security = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../SECURITY.md")).unwrap();
    for rule in rules() {
        let Rule { kept, broken, .. } = &rule;
        let mut ways = vec![(
            "another version",
            request("CREATE", "", &with(broken.clone(), "/apiVersion", json!("apps/v1beta2")), None),
        )];
        if broken["kind"] == "Pod" {
            ways.push(("ephemeralcontainers", request("UPDATE", "ephemeralcontainers", broken, Some(kept))));
            ways.push(("resize", request("UPDATE", "resize", broken, Some(kept))));
        } else {
            ways.push(("the status of", request("UPDATE", "status", broken, Some(kept))));
        }
        if ["quota", "rollout.max_over_desired", "rollout.min_available"].contains(&rule.name) {
            let status = json!({ "replicas": 3, "updatedReplicas": 1 });
            let [kept, broken] = [kept, broken].map(|object| with(object.clone(), "/status", status.clone()));
            ways.push(("while another one is in progress", request("UPDATE", "", &broken, Some(&kept))));
        }
        if rule.name == "pod_deletion_cost.min_change_interval" {
            ways.push(("removed and set again", request("UPDATE", "", broken, Some(&pod()))));
        }
        let mut deleted = broken.clone();
        deleted["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        ways.push(("being deleted", request("UPDATE", "", &deleted, Some(kept))));
        for (way, request) in ways {
            assert!(!is_refused(&rule, &request), "{} {way}", rule.name);
            assert!(security.contains(way), "SECURITY.md does not name {way}");
        }
    }
}
