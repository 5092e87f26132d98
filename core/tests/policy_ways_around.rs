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

/// A Deployment in a namespace whose quota has room for 10 pods.
fn deployment_in_quota(replicas: i64, image: &str) -> Value {
    let deployment = with(deployment(), "/spec/replicas", json!(replicas));
    with(deployment, "/spec/template/spec/containers/0/image", json!(image))
}

fn rules() -> Vec<Rule> {
    let rule = |name, settings, kept, broken| Rule { name, settings, kept, broken, breaks: Breaks::Always };
    let update = |name, settings, kept, broken| Rule { name, settings, kept, broken, breaks: Breaks::OnUpdate };
    let with_port = || with(deployment(), "/spec/template/spec/containers/0/ports", json!([{ "containerPort": 80 }]));
    let with_sidecar = || {
        let sidecar = json!({ "name": "server", "restartPolicy": "Always", "ports": [{ "containerPort": 80 }] });
        with(deployment(), "/spec/template/spec/initContainers", json!([sidecar]))
    };
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
        rule("pods.readiness_probe", json!({ "pods": { "readiness_probe": "deny" } }), deployment(), with_sidecar()),
        rule("pods.pre_stop", json!({ "pods": { "pre_stop": "deny" } }), deployment(), with_port()),
        rule(
            "quota",
            json!({ "context": true, "quota": "deny" }),
            deployment_in_quota(10, "web:1"),
            deployment_in_quota(11, "web:2"),
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

/// A Deployment of half the pods in the namespace.
fn deployment_with_cpu(cpu: &str) -> Value {
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } });
    let deployment = with(with(deployment(), "/spec/strategy", strategy), "/spec/replicas", json!(5));
    with(deployment, "/spec/template/spec/containers/0/resources", json!({ "requests": { "cpu": cpu } }))
}

/// The quotas of the namespace: its pods fill them.
fn quotas() -> [Value; 2] {
    [("team", json!({ "pods": "10" })), ("cpu", json!({ "requests.cpu": "10" }))].map(|(name, hard)| {
        json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": name, "namespace": "shop" },
            "spec": { "hard": hard }, "status": { "hard": hard, "used": hard },
        })
    })
}

fn judged(request: &Value, settings: &Value) -> Verdict {
    review_in_cluster(request, &validate_settings(settings).unwrap(), &ExistingObjects::of(&quotas()))
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
        // As in an apply that creates it: the API server drops it only later.
        let deleted = with(broken.clone(), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
        must_be_refused_if_new("a deletionTimestamp", &deleted);
        must_be_refused(
            &rule,
            "a deletionTimestamp that is written later",
            &request("UPDATE", "", &deleted, Some(kept)),
        );
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
        // The API server drops a deletionTimestamp that comes with a status, and keeps the annotations. It does not look at a Binding's.
        let deleted =
            |object: &Value| with(object.clone(), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
        for broken in [&rule.broken, &deleted(&rule.broken)] {
            must_be_refused(&rule, "pods/status", &request("UPDATE", "status", broken, Some(&rule.kept)));
        }
        if rule.breaks == Breaks::OnUpdate {
            continue;
        }
        let binding = json!({ "apiVersion": "v1", "kind": "Binding", "metadata": rule.broken["metadata"], "target": { "name": "n" } });
        for binding in [&binding, &deleted(&binding)] {
            must_be_refused(&rule, "pods/binding", &request("CREATE", "binding", binding, None));
        }
        must_be_refused(&rule, "bindings", &request("CREATE", "", &binding, None));
        // A client may write any label there.
        let mut labeled = rule.settings.clone();
        labeled["exempt"] = json!({ "labels": { "exempt": "yes" } });
        let binding = with(binding, "/metadata/labels", json!({ "exempt": "yes" }));
        assert!(!judged(&request("CREATE", "", &binding, None), &labeled).allowed, "{}", rule.name);
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

/// A rule with this name.
fn rule(name: &str) -> Rule {
    rules().into_iter().find(|rule| rule.name == name).unwrap()
}

/// A CronJob's Jobs and Pods have what stands in its template.
#[test]
fn templates_of_templates_are_no_way_around() {
    let cron_job = |metadata: Value, job: &Value| {
        let job_template = json!({ "metadata": metadata, "spec": job["spec"] });
        object("batch/v1", "CronJob", json!({ "schedule": "* * * * *", "jobTemplate": job_template }))
    };
    let changed = |pointer: &str, value: Value| cron_job(json!({}), &with(job("Failed"), pointer, value));
    let with_cost = || changed("/spec/template/metadata/annotations", json!({ COST: "500" }));
    for (name, broken) in [
        ("pod_replacement_policy.jobs.allowed", cron_job(json!({}), &job("TerminatingOrFailed"))),
        ("pod_deletion_cost.in_templates", with_cost()),
        ("pod_deletion_cost.setters", with_cost()),
        ("pod_deletion_cost.min", with_cost()),
        ("pod_deletion_cost.max", with_cost()),
        ("pod_deletion_cost.without_effect", cron_job(json!({ "annotations": { COST: "5" } }), &job("Failed"))),
        ("pods.max_grace_period", changed("/spec/template/spec/terminationGracePeriodSeconds", json!(600))),
    ] {
        let rule = rule(name);
        must_be_refused(&rule, "a CronJob", &request("CREATE", "", &broken, None));
        let kept = cron_job(json!({}), &job("Failed"));
        must_be_refused(&rule, "a CronJob's update", &request("UPDATE", "", &broken, Some(&kept)));
    }
}

/// What a rule says of a Deployment's template, it says of every other template, and of a Pod.
#[test]
fn no_kind_is_a_way_around() {
    for rule in rules().into_iter().filter(|rule| rule.broken["kind"] == "Deployment" && rule.breaks == Breaks::Always)
    {
        let is_about_pods = rule.name.starts_with("pods.") || rule.name == "pod_deletion_cost.in_templates";
        let kinds: &[(&str, &str)] = match rule.name {
            name if name.starts_with("replicas.") => {
                &[("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("v1", "ReplicationController")]
            }
            _ if is_about_pods => &[
                ("apps/v1", "ReplicaSet"),
                ("apps/v1", "StatefulSet"),
                ("apps/v1", "DaemonSet"),
                ("v1", "ReplicationController"),
            ],
            _ => &[],
        };
        for (api_version, kind) in kinds {
            let of_kind = |deployment: &Value| {
                let workload = object(api_version, kind, deployment["spec"].clone());
                // It selects by labels alone.
                if *kind == "ReplicationController" {
                    with(workload, "/spec/selector", json!({ "app": "web" }))
                } else {
                    workload
                }
            };
            let (kept, broken) = (of_kind(&rule.kept), of_kind(&rule.broken));
            must_be_refused(&rule, kind, &request("CREATE", "", &broken, None));
            must_be_refused(&rule, kind, &request("UPDATE", "", &broken, Some(&kept)));
        }
        if is_about_pods {
            let mut template = object("v1", "PodTemplate", Value::Null);
            template["template"] = rule.broken["spec"]["template"].clone();
            must_be_refused(&rule, "a PodTemplate", &request("CREATE", "", &template, None));
        }
        if rule.name.starts_with("pods.") {
            let pod = object("v1", "Pod", rule.broken["spec"]["template"]["spec"].clone());
            must_be_refused(&rule, "a Pod", &request("CREATE", "", &pod, None));
        }
    }
}

/// The first cells of SECURITY.md's table of what passes.
fn rows_of_what_passes() -> Vec<String> {
    let security = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../SECURITY.md")).unwrap();
    let (_, table) = security.split_once("| what passes |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    rows.map(|row| row.split(" | ").next().unwrap().trim_start_matches("| ").to_owned()).collect()
}

/// A request that passes though an object breaks a rule, with what SECURITY.md says of it, or a part of it.
type Way = (&'static str, Value);

/// The ways past any rule.
fn ways_past(rule: &Rule) -> Vec<Way> {
    let Rule { kept, broken, .. } = rule;
    let deleted = |object: &Value| with(object.clone(), "/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    let mut ways = vec![
        ("another version", request("CREATE", "", &with(broken.clone(), "/apiVersion", json!("apps/v1beta2")), None)),
        ("being deleted", request("UPDATE", "", &deleted(broken), Some(&deleted(kept)))),
        ("what was there before the rule", request("UPDATE", "", broken, Some(broken))),
    ];
    // A controller makes it of a template or an owner.
    let made = match broken["kind"].as_str().unwrap() {
        "Pod" => Some((broken.clone(), "replicaset-controller")),
        "Job" => Some((broken.clone(), "cronjob-controller")),
        "Deployment" => Some((object("apps/v1", "ReplicaSet", broken["spec"].clone()), "deployment-controller")),
        _ => None,
    };
    let made = made.map(|(made, controller)| {
        let user = json!(format!("system:serviceaccount:kube-system:{controller}"));
        ("what controllers write", with(request("CREATE", "", &made, None), "/userInfo/username", user))
    });
    // Else it would say nothing.
    ways.extend(
        made.filter(|(_, request)| is_refused(rule, &with(request.clone(), "/userInfo/username", json!("alice")))),
    );
    if broken["kind"] == "Pod" {
        ways.push(("`ephemeralcontainers`", request("UPDATE", "ephemeralcontainers", broken, Some(kept))));
        ways.push(("`resize`", request("UPDATE", "resize", broken, Some(kept))));
    } else {
        ways.push(("the status of", request("UPDATE", "status", broken, Some(kept))));
    }
    ways
}

/// The ways past some rules.
fn ways_past_some(rule: &Rule) -> Vec<Way> {
    let Rule { kept, broken, .. } = rule;
    let update = |kept: &Value, broken: &Value| request("UPDATE", "", broken, Some(kept));
    let named = |mut object: Value, name: &str| {
        object["metadata"]["name"] = json!(name);
        object
    };
    let of_kind = |object: &Value, kind: &str| with(object.clone(), "/kind", json!(kind));
    let mut ways = Vec::new();
    if ["quota", "rollout.max_over_desired", "rollout.min_available"].contains(&rule.name) {
        let status = json!({ "replicas": 3, "updatedReplicas": 1 });
        let [before, after] = [kept, broken].map(|object| with(object.clone(), "/status", status.clone()));
        ways.push(("while another one is in progress", update(&before, &after)));
        // After any change of the spec, its controller has not seen the new generation for a moment.
        let unseen = with(kept.clone(), "/metadata/generation", json!(2));
        ways.push(("while another one is in progress", update(&unseen, broken)));
        let unscaled = with(kept.clone(), "/spec/replicas", broken["spec"]["replicas"].clone());
        for kind in ["StatefulSet", "DaemonSet"] {
            let change = update(&of_kind(&unscaled, kind), &of_kind(broken, kind));
            ways.push(("rollouts of StatefulSets and DaemonSets", change));
        }
        let eviction = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": pod()["metadata"] });
        let deletion = with(request("DELETE", "", &pod(), Some(&pod())), "/object", Value::Null);
        ways.push(("Pods that are deleted, evicted", deletion));
        ways.push(("Pods that are deleted, evicted", request("CREATE", "eviction", &eviction, None)));
        let replacement = named(with(broken.clone(), "/spec/replicas", json!(3)), "web2");
        ways.push(("replaced through another Deployment", request("CREATE", "", &replacement, None)));
    }
    match rule.name {
        "quota" => {
            let daemon_set = of_kind(broken, "DaemonSet");
            for object in [pod(), job("Failed"), daemon_set] {
                ways.push(("Pods, Jobs and DaemonSets in a full namespace", request("CREATE", "", &object, None)));
            }
            let [before, after] = ["500m", "2"].map(deployment_with_cpu);
            ways.push(("other pods leave no room for, if these may be its own", update(&before, &after)));
            let new = with(broken.clone(), "/spec/replicas", json!(10));
            ways.push(("a new Deployment in a full namespace", request("CREATE", "", &new, None)));
        }
        "pod_deletion_cost.min_change_interval" => {
            ways.push(("removed and set again", update(&pod(), broken)));
            let pointer = "/metadata/managedFields/0/fieldsV1/f:metadata/f:labels";
            let more = |object: &Value| with(object.clone(), pointer, json!({ "f:app": {} }));
            ways.push(("written by a manager that owns other fields", update(&more(kept), &more(broken))));
            let cleared = with(kept.clone(), "/metadata/managedFields", json!([]));
            ways.push(("whose `managedFields` were cleared", update(&cleared, broken)));
        }
        "rollout.min_available" => {
            let none = with(broken.clone(), "/spec/replicas", json!(0));
            ways.push(("scaled down first", update(kept, &none)));
            ways.push(("scaled down first", update(&with(kept.clone(), "/spec/replicas", json!(0)), broken)));
        }
        "pods.readiness_probe" | "pods.pre_stop" => {
            let mut without = with(broken.clone(), "/spec/template/spec/containers/0/ports", json!([]));
            without["spec"]["template"]["spec"]["initContainers"] = json!([]);
            ways.push(("pods without a port", request("CREATE", "", &without, None)));
        }
        "replicas.max" => {
            let most = with(broken.clone(), "/spec/replicas", json!(5));
            for name in ["web", "web2"] {
                ways.push(("a second workload", request("CREATE", "", &named(most.clone(), name), None)));
            }
        }
        _ => {}
    }
    ways
}

/// These requests pass. SECURITY.md says for each why that is no way around, or that it is out of scope, and names no others.
#[test]
fn what_passes_is_named() {
    let rows = rows_of_what_passes();
    let mut tried = vec![false; rows.len()];
    let mut passes = |rule: &Rule, way: &str, request: &Value| {
        assert!(!is_refused(rule, request), "{} {way}", rule.name);
        let row = rows.iter().position(|row| row.contains(way));
        tried[row.unwrap_or_else(|| panic!("SECURITY.md does not name {way}"))] = true;
    };
    for mut rule in rules() {
        for (way, request) in ways_past(&rule).into_iter().chain(ways_past_some(&rule)) {
            passes(&rule, way, &request);
        }
        rule.settings["exempt"] = json!({ "labels": { "exempt": "yes" } });
        let labeled = with(rule.broken.clone(), "/metadata/labels", json!({ "exempt": "yes" }));
        passes(&rule, "exempt.labels", &request("UPDATE", "", &labeled, Some(&rule.kept)));
    }
    let untried: Vec<&String> = rows.iter().zip(tried).filter(|(_, tried)| !tried).map(|(row, _)| row).collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// SECURITY.md says of what was there before a rule that the audit scanner reports it, and names the exceptions.
#[test]
fn the_audit_scanner_reports_what_was_there() {
    for rule in rules().into_iter().filter(|rule| rule.breaks == Breaks::Always) {
        let scanned = with(request("CREATE", "", &rule.broken, None), "/userInfo", json!({}));
        // It has no user, and what exists is in the quota already.
        let is_reported = !["pod_deletion_cost.setters", "quota"].contains(&rule.name);
        assert_eq!(is_refused(&rule, &scanned), is_reported, "{}", rule.name);
    }
}
