//! The policy in Kubewarden's own hosts. If they are not installed, these tests print a notice and pass.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use changeover_core::object::Kind;
use changeover_tests_policy::api_server::{ApiServer, Objects};
use changeover_tests_policy::real_hosts::{PolicyServer, TimeLimit, configured, kwctl, module, program};
use changeover_tests_policy::section::sections;
use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{annotated_path, example, example_path, example_settings, policy_path, recorded, root};
use changeover_www::Options;
use serde_json::{Map, Value, json};

use crate::cases::{cases, in_cluster};
use crate::package::preset;

fn admission_review(request: &Value) -> Value {
    json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request })
}

#[test]
fn kwctl_passes_the_e2e_tests() {
    let Some(kwctl) = program("kwctl") else { return };
    let Some(bats) = program("bats") else { return };
    // The file names its module relative to the policy's folder, where `make annotated-policy.wasm` puts it.
    let folder = tempfile::tempdir().unwrap();
    fs::copy(annotated_path(), folder.path().join("annotated-policy.wasm")).unwrap();
    fs::create_dir(folder.path().join("examples")).unwrap();
    for name in ["job.json", "deployment.json", "pod.json", "scale.json", "settings.yml"] {
        fs::copy(example_path(name), folder.path().join("examples").join(name)).unwrap();
    }
    let path = std::env::join_paths([kwctl.parent().unwrap(), "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap();
    let output =
        Command::new(bats).arg(root().join("policy/e2e.bats")).current_dir(folder.path()).env("PATH", path).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("# skip"));
}

/// A module without the version of the library with which it was written, as its producers name it.
fn without_version_of_walrus(mut module: Vec<u8>) -> Vec<u8> {
    const NAME: &[u8] = b"\x06walrus";
    let name = module.windows(NAME.len()).rposition(|bytes| bytes == NAME).unwrap();
    let version = name.saturating_add(NAME.len());
    // A length, and that many letters.
    let end = version.saturating_add(module[version].into());
    module.drain(version..=end);
    module
}

/// The whole module, but for the versions of kwctl and of the library with which it writes modules.
#[test]
fn kwctl_annotates_byte_for_byte() {
    let Some(program) = program("kwctl") else { return };
    let (_folder, output) = file("annotated.wasm", b"");
    let (policy, output) = (policy_path(), output.to_str().unwrap().to_owned());
    let policy = policy.canonicalize().unwrap();
    let usage = ["--metadata-path", "metadata.yml", "--usage-path", "README.md", "--output-path", &output];
    kwctl(&program, &[&["annotate", policy.to_str().unwrap()], usage.as_slice()].concat()).unwrap();
    let [(their_code, their_metadata), (our_code, our_metadata)] = [output.into(), annotated_path()].map(|path| {
        let mut module = fs::read(path).unwrap();
        // The metadata come last.
        let last = sections(&module).pop().unwrap();
        let (offset, metadata) = (last.offset, String::from_utf8(last.bytes.to_vec()).unwrap());
        module.truncate(offset);
        (without_version_of_walrus(module), metadata)
    });
    let (before, after) =
        their_metadata.split_once(r#""io.kubewarden.kwctl":""#).expect("kwctl signs with its version");
    let (_, after) = after.split_once("\",").unwrap();
    assert_eq!(our_metadata, [before, after].concat());
    assert!(their_code == our_code, "kwctl writes other code: {} bytes, not {}", their_code.len(), our_code.len());
}

#[test]
fn kwctl_scaffolds_a_manifest() {
    let Some(program) = program("kwctl") else { return };
    let manifest = |kind: &str| {
        let text =
            kwctl(&program, &["scaffold", "manifest", "--type", kind, "--allow-context-aware", &module()]).unwrap();
        changeover_text::parse(&text).unwrap().remove(0).value
    };
    let metadata = fs::read_to_string(root().join("policy/metadata.yml")).unwrap();
    let metadata = changeover_text::parse(&metadata).unwrap().remove(0).value;
    let cluster_wide = manifest("ClusterAdmissionPolicy");
    assert_eq!(cluster_wide["spec"]["rules"], metadata["rules"]);
    assert_eq!(cluster_wide["spec"]["mutating"], true);
    assert_eq!(cluster_wide["spec"]["contextAwareResources"], metadata["contextAwareResources"]);
    assert!(manifest("AdmissionPolicy")["spec"].get("contextAwareResources").is_none());
}

#[test]
fn kwctl_runs_a_bench() {
    let Some(program) = program("kwctl") else { return };
    let (_folder, trust) = file("trust.json", b"{}");
    let short = ["--num-samples", "10", "--num-resamples", "10", "--measurement-time", "1", "--warm-up-time", "1"];
    let request = ["--request-path", "examples/job.json", "--sigstore-trust-config", trust.to_str().unwrap()];
    kwctl(&program, &[["bench", &module()].as_slice(), &short, &request].concat()).unwrap();
}

/// kwctl replays a recorded session, and fails if the policy reads anything else.
#[test]
fn kwctl_replays_the_reads_from_the_cluster() {
    let Some(program) = program("kwctl") else { return };
    let cases = cases("policy.validateInCluster");
    let case = cases.iter().find(|case| case["name"] == "context/scale: quota: deny").unwrap();
    let objects = case["input"]["cluster"]["objects"].as_array().unwrap();
    let scale_fields = case_fields(&case["input"]["request"]);
    let exchange =
        |request: String, response: Value| json!({ "type": "Exchange", "request": request, "response": response });
    let success = |payload: Value| json!({ "type": "Success", "payload": payload.to_string() });
    let masks = |fields: &[String]| fields.iter().map(|field| format!("- {field}\n")).collect::<String>();
    let get = |fields: &[String]| {
        let masks = masks(fields);
        format!(
            "!KubernetesGetResource\napi_version: apps/v1\nkind: Deployment\nname: web\nnamespace: shop\ndisable_cache: true\nfield_masks:\n{masks}"
        )
    };
    let quota_fields =
        ["spec.hard", "spec.scopeSelector", "spec.scopes", "status.hard", "status.used"].map(str::to_owned);
    let list = format!(
        "!KubernetesListResourceNamespace\napi_version: v1\nkind: ResourceQuota\nnamespace: shop\nlabel_selector: null\nfield_selector: null\nfield_masks:\n{}",
        masks(&quota_fields)
    );
    let session = json!([
        exchange(get(&scale_fields), success(objects[0].clone())),
        exchange(list, success(json!({ "items": [objects[1]] }))),
    ]);
    let (_session, session) = file("session.json", session.to_string().as_bytes());
    let (_request, request) = file("request.json", case["input"]["request"].to_string().as_bytes());
    let settings = case["input"]["settings"].to_string();
    let module = module();
    let arguments = ["run", &module, "--allow-context-aware", "--settings-json", &settings, "--request-path"];
    let files = [request.to_str().unwrap(), "--replay-host-capabilities-interactions", session.to_str().unwrap()];
    let answer = kwctl(&program, &[arguments.as_slice(), &files].concat()).unwrap();
    let answer = answer.lines().find_map(|line| serde_json::from_str::<Value>(line).ok()).unwrap();
    assert_eq!(answer["status"]["message"], case["expected"]["message"]);
    assert_eq!(answer["warnings"], case["expected"]["warnings"]);
}

/// The field masks with which the policy reads the workload of a Scale.
fn case_fields(request: &Value) -> Vec<String> {
    let fields = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let asked = std::sync::Arc::clone(&fields);
    let policy = changeover_tests_policy::policy().clone().with_host_calls(std::sync::Arc::new(
        move |_: &str, payload: &[u8]| {
            let request: Value = serde_json::from_slice(payload).unwrap();
            let masks = request["field_masks"].as_array().unwrap().iter().map(|mask| mask.as_str().unwrap().to_owned());
            asked.lock().unwrap().extend(masks);
            Err("enough".to_owned())
        },
    ));
    policy.validate(request, &json!({ "context": true, "forecast": true })).unwrap();
    fields.lock().unwrap().clone()
}

#[test]
fn policy_server_answers_as_our_server_does() {
    let Some(program) = program("policy-server") else { return };
    let all = [("empty", json!({})), ("example", example_settings()), ("forecast", json!({ "forecast": true }))];
    let policies: Map<String, Value> =
        all.iter().map(|(name, settings)| ((*name).to_owned(), configured(settings))).collect();
    let server = PolicyServer::start(&program, &Value::Object(policies), None);
    let client = server.client();
    for (name, settings) in all {
        let (_folder, settings) = file("settings.json", settings.to_string().as_bytes());
        let ours = TestServer::start(&Options { settings: Some(settings), ..options(policy_path()) }).unwrap();
        for request in recorded() {
            let review = admission_review(&request);
            let mut theirs = client.review_at(&format!("/validate/{name}"), &review);
            // We omit empty values.
            theirs.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            assert_eq!(theirs, ours.review(&review), "{name} {request}");
        }
    }
}

/// Every case has its own namespace, since policy-server caches what it has read.
#[test]
fn policy_server_gives_the_verdict_of_every_case_in_a_cluster() {
    let Some(program) = program("policy-server") else { return };
    let mut cluster = Objects::default();
    let mut policies = Map::new();
    let mut requests = Vec::new();
    // Where policy-server may not watch, it waits for a list without an end.
    let is_answered = |case: &Value| {
        let errors = &case["input"]["cluster"]["errors"];
        ["ResourceQuota", "PodDisruptionBudget"].iter().all(|kind| errors[kind].is_null())
    };
    for (number, case) in cases("policy.validateInCluster").into_iter().filter(is_answered).enumerate() {
        let namespace = format!("shop-{number}");
        let input = case["input"].to_string().replace("\"shop\"", &format!("{namespace:?}"));
        let input: Value = serde_json::from_str(&input).unwrap();
        cluster.objects.extend(input["cluster"]["objects"].as_array().unwrap().iter().cloned());
        let errors = input["cluster"]["errors"].as_object().into_iter().flatten();
        let kinds = errors.map(|(name, _)| Kind::ALL.into_iter().find(|kind| kind.name() == name).unwrap());
        cluster.forbidden.extend(kinds.map(|kind| (namespace.clone(), kind)));
        let settings = &input["settings"];
        let known = policies.iter().find(|(_, policy): &(&String, &Value)| policy["settings"] == *settings);
        let policy = known.map_or_else(|| format!("policy-{number}"), |(name, _)| name.clone());
        policies.entry(policy.clone()).or_insert_with(|| configured(settings));
        requests.push((case["name"].clone(), policy, input));
    }
    let kubeconfig = ApiServer::start(cluster).kubeconfig();
    let server = PolicyServer::start(&program, &Value::Object(policies), Some(&kubeconfig));
    let client = server.client();
    for (name, policy, input) in requests {
        let theirs = client.review_at(&format!("/validate/{policy}"), &admission_review(&input["request"]));
        let ours = in_cluster(&input["cluster"]).validate(&input["request"], &input["settings"]).unwrap();
        assert_eq!(theirs["allowed"], ours["accepted"], "{name}: {theirs}");
        assert_eq!(theirs["status"]["message"], ours["message"], "{name}");
        let unknown = |annotations: &Value| annotations["unknown"].is_string();
        assert_eq!(unknown(&theirs["auditAnnotations"]), unknown(&ours["audit_annotations"]), "{name}: {theirs}");
        // The error's reason contains the host's words.
        if input["cluster"]["errors"].is_null() {
            assert_eq!(theirs["warnings"], ours["warnings"], "{name}");
            assert_eq!(theirs["auditAnnotations"], ours["audit_annotations"], "{name}");
        }
    }
}

/// The spec of a preset, as Kubewarden's controller writes it for policy-server.
fn configured_preset(name: &str) -> Value {
    let spec = preset(name)["spec"].take();
    let mut policy = configured(&spec["settings"]);
    policy["allowedToMutate"] = spec["mutating"].clone();
    for key in ["contextAwareResources", "timeoutEvalSeconds"] {
        policy[key] = spec[key].clone();
    }
    policy
}

/// By default, policy-server interrupts a policy after two seconds, and a policy can't know when. quota.yml gives it as much time as the
/// API server waits.
#[test]
fn policy_server_waits_for_late_answers() {
    let Some(program) = program("policy-server") else { return };
    let cases = cases("policy.validateInCluster");
    let case = cases.iter().find(|case| case["name"] == "context/scale: quota: deny").unwrap();
    // Every request has its own namespace, since policy-server caches what it has read.
    let namespaces = ["interrupted", "late"];
    let inputs = namespaces.map(|namespace| {
        let input = case["input"].to_string().replace("\"shop\"", &format!("{namespace:?}"));
        serde_json::from_str::<Value>(&input).unwrap()
    });
    let objects = inputs.iter().flat_map(|input| input["cluster"]["objects"].as_array().unwrap().clone()).collect();
    let delay = Duration::from_millis(900);
    let cluster = ApiServer::start(Objects { objects, delay, ..Objects::default() });
    let kubeconfig = cluster.kubeconfig();
    let patient = configured_preset("quota");
    let mut hasty = patient.clone();
    hasty.as_object_mut().unwrap().remove("timeoutEvalSeconds");
    let policies = json!({ "hasty": hasty, "patient": patient });
    let server = PolicyServer::start_with_limit(&program, TimeLimit::Default, &policies, Some(&kubeconfig));
    let client = server.client();
    let answer = |policy: &str, input: &Value| {
        client.review_at(&format!("/validate/{policy}"), &admission_review(&input["request"]))
    };
    let interrupted = answer("hasty", &inputs[0]);
    let message = "Policy execution interrupted because it exceeded the allowed execution time";
    assert_eq!((&interrupted["status"]["code"], &interrupted["status"]["message"]), (&json!(500), &json!(message)));
    let late = answer("patient", &inputs[1]);
    assert_eq!(late["status"]["message"], case["expected"]["message"], "{late}");
    // Neither host asks again for what comes late.
    for namespace in namespaces {
        let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/web");
        assert_eq!(cluster.asked().into_iter().filter(|asked| *asked == path).count(), 1, "{:?}", cluster.asked());
    }
}

/// A failing read costs one request to the API server.
#[test]
fn policy_server_asks_once_for_what_cannot_be_read() {
    let Some(program) = program("policy-server") else { return };
    let cases = cases("policy.validateInCluster");
    let input =
        &cases.iter().find(|case| case["name"] == "context/scale: the workload can't be read").unwrap()["input"];
    let forbidden = vec![("shop".to_owned(), Kind::Deployment)];
    let cluster = ApiServer::start(Objects { forbidden, ..Objects::default() });
    let policies = json!({ "scales": configured(&input["settings"]) });
    let server = PolicyServer::start(&program, &policies, Some(&cluster.kubeconfig()));
    let answer = server.client().review_at("/validate/scales", &admission_review(&input["request"]));
    assert_eq!(answer["allowed"], true, "{answer}");
    assert!(answer["auditAnnotations"]["unknown"].as_str().unwrap().contains("Deployment web can't be read"));
    assert_eq!(cluster.asked(), ["/apis/apps/v1/namespaces/shop/deployments/web"]);
}

#[test]
fn policy_server_has_groups_a_monitor_mode_and_an_audit() {
    let Some(program) = program("policy-server") else { return };
    let strict = json!({ "validate": "1.37", "pod_replacement_policy": { "jobs": { "allowed": ["TerminatingOrFailed"], "default": "TerminatingOrFailed" } } });
    let member = |settings: &Value| json!({ "module": module(), "settings": settings });
    let mut monitored = configured(&json!({ "validate": "1.37" }));
    monitored["policyMode"] = json!("monitor");
    let lenient = json!({ "validate": "1.37" });
    let policies = json!({
        "alone": configured(&lenient),
        "monitored": monitored,
        "either": {
            "policyMode": "protect", "expression": "lenient() || strict()", "message": "neither allows it",
            "policies": { "lenient": member(&lenient), "strict": member(&strict) },
        },
    });
    let server = PolicyServer::start(&program, &policies, None);
    let client = server.client();
    let (job, deployment) = (example("job.json"), example("deployment.json"));
    assert_eq!(client.review_at("/validate/alone", &deployment)["allowed"], false);
    assert_eq!(client.review_at("/audit/alone", &deployment)["allowed"], false);
    assert_eq!(client.review_at("/audit/alone", &job)["allowed"], true);
    assert_eq!(client.review_at("/validate/monitored", &deployment)["allowed"], true);
    assert_eq!(client.review_at("/audit/monitored", &deployment)["allowed"], false);
    assert_eq!(client.review_at("/validate/either", &job)["allowed"], true);
    let refused = client.review_at("/validate/either", &deployment);
    assert_eq!((&refused["allowed"], &refused["status"]["message"]), (&json!(false), &json!("neither allows it")));
}

#[test]
fn policy_server_loses_no_request_and_restarts() {
    const CONNECTIONS: usize = 64;
    const REQUESTS: usize = 1_000;
    let Some(program) = program("policy-server") else { return };
    let mut server =
        PolicyServer::start(&program, &json!({ "changeover": configured(&json!({ "validate": "1.37" })) }), None);
    let names = ["job.json", "deployment.json", "pod.json"];
    let answered: usize = thread::scope(|scope| {
        let one = |connection: usize| {
            let client = server.client();
            move || {
                let numbers = (connection..REQUESTS).step_by(CONNECTIONS);
                numbers
                    .map(|number| {
                        let mut review = example(names[number % 3]);
                        review["request"]["uid"] = json!(format!("request-{number}"));
                        let response = client.review_at("/validate/changeover", &review);
                        assert_eq!(response["uid"], review["request"]["uid"]);
                        assert_eq!(response["allowed"], number % 3 == 0);
                    })
                    .count()
            }
        };
        let clients: Vec<_> = (0..CONNECTIONS).map(|connection| scope.spawn(one(connection))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert_eq!(answered, REQUESTS);

    let before = server.client().review_at("/validate/changeover", &example("deployment.json"));
    server.kill();
    assert!(server.client().try_get("/").is_none());
    server.restart();
    assert_eq!(server.client().review_at("/validate/changeover", &example("deployment.json")), before);
}
