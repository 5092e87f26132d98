//! The files for Kubewarden next to the module: metadata, the form, the README, manifests.

use std::collections::BTreeSet;
use std::fs;

use changeover_core::apiserver;
use changeover_core::explain;
use changeover_core::feature_gates::Feature;
use changeover_core::object::Kind;
use changeover_core::review::{SETTINGS, SettingType, validate_settings};
use changeover_tests_policy::section::{custom, sections};
use changeover_tests_policy::{annotated_path, policy, policy_path, root};
use changeover_www::Policy;
use serde_json::{Value, json};

use crate::cases::cases;

fn yaml(path: &str) -> Value {
    let bytes = fs::read(root().join("policy").join(path)).unwrap();
    let mut documents = changeover_text::parse_bytes(&bytes).unwrap();
    assert_eq!(documents.len(), 1, "{path}");
    documents.remove(0).value
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap()).collect()
}

/// Checks a rule as kwctl does: policy-evaluator's `Metadata` and its `Rule`.
fn rule_is_valid(rule: &Value) -> Result<(), String> {
    let keys: Vec<&String> = rule.as_object().ok_or("a rule is a map")?.keys().collect();
    if keys != ["apiGroups", "apiVersions", "operations", "resources"] {
        return Err(format!("{keys:?}"));
    }
    for key in keys {
        let items = strings(&rule[key]);
        if items.is_empty() {
            return Err(format!("{key} is empty"));
        }
        if items.contains(&"*") && items.len() > 1 && key != "resources" {
            return Err(format!("{key}: * must be the only entry"));
        }
    }
    let known = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
    if let Some(unknown) = strings(&rule["operations"]).into_iter().find(|operation| !known.contains(operation)) {
        return Err(unknown.to_owned());
    }
    resources_are_valid(&strings(&rule["resources"]))
}

/// Checks resources as the API server does for a webhook's rule.
fn resources_are_valid(resources: &[&str]) -> Result<(), String> {
    let plain = resources.iter().any(|resource| !resource.contains('/') && *resource != "*");
    for resource in resources {
        let clash = |other: &&&str| {
            **other != *resource
                && resource.split_once('/').zip(other.split_once('/')).is_some_and(
                    |((first, part), (other, others))| {
                        (first == other && part == "*") || (part == others && first == "*")
                    },
                )
        };
        if resource.is_empty() || resources.iter().any(|other| clash(&other)) {
            return Err(format!("{resource:?}"));
        }
    }
    if resources.contains(&"*/*") && resources.len() > 1 || resources.contains(&"*") && plain {
        return Err(format!("{resources:?}"));
    }
    Ok(())
}

fn metadata_is_valid(metadata: &Value) -> Result<(), String> {
    let known = [
        "annotations",
        "backgroundAudit",
        "contextAwareResources",
        "executionMode",
        "hostCapabilities",
        "minimumKubewardenVersion",
        "mutating",
        "policyType",
        "protocolVersion",
        "rules",
    ];
    let map = metadata.as_object().ok_or("must be a map")?;
    if let Some(unknown) = map.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("{unknown} is unknown"));
    }
    metadata["mutating"].as_bool().ok_or("mutating is required")?;
    metadata["backgroundAudit"].as_bool().ok_or("backgroundAudit is no boolean")?;
    let mode = metadata["executionMode"].as_str();
    if mode != Some("kubewarden-wapc") || metadata["policyType"] != "kubernetes" {
        return Err("executionMode or policyType".into());
    }
    if metadata["annotations"].as_object().ok_or("annotations")?.values().any(|value| !value.is_string()) {
        return Err("annotations hold strings".into());
    }
    metadata["rules"].as_array().ok_or("rules are required")?.iter().try_for_each(rule_is_valid)
}

fn validated_kinds() -> impl Iterator<Item = Kind> {
    apiserver::ALL.iter().map(|strategy| strategy.kind())
}

#[test]
fn the_module_has_no_explanations() {
    let module = fs::read(policy_path()).unwrap();
    let contains = |text: &str| module.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(contains("must be a 32bit integer"), "the texts of the module are readable");
    // A shorter id is part of an annotation's name, too: deprecated.deployment.rollback.to.
    let ids = explain::all().map(|rule| rule.id).filter(|id| id.matches('.').count() > 1);
    let found: Vec<&str> = ids.filter(|id| contains(id)).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_metadata_is_valid_for_kwctl() {
    let metadata = yaml("metadata.yml");
    assert_eq!(metadata_is_valid(&metadata), Ok(()));
    assert_eq!(
        metadata["hostCapabilities"],
        json!(["kubernetes/get_resource", "kubernetes/list_resources_by_namespace"])
    );
    assert_eq!((&metadata["mutating"], &metadata["backgroundAudit"]), (&json!(true), &json!(true)));
    let rules = metadata["rules"].as_array().unwrap();
    let resources = rules.iter().flat_map(|rule| strings(&rule["resources"]));
    let (others, resources): (BTreeSet<&str>, BTreeSet<&str>) =
        resources.partition(|resource| resource.contains('/') || *resource == "bindings");
    assert_eq!(resources, validated_kinds().map(Kind::resource).collect(), "the kinds that are validated");
    let scales = ["deployments/scale", "replicasets/scale", "replicationcontrollers/scale", "statefulsets/scale"];
    let of_pods = ["bindings", "pods/binding", "pods/status"];
    assert_eq!(others, scales.into_iter().chain(of_pods).collect());
    assert_eq!(metadata["annotations"]["io.kubewarden.policy.version"], env!("CARGO_PKG_VERSION"));
}

/// The metadata that `kwctl scaffold artifacthub` requires.
#[test]
fn the_metadata_suits_artifact_hub() {
    let metadata = yaml("metadata.yml");
    let text = |key: &str| metadata["annotations"][key].as_str().unwrap_or_else(|| panic!("{key}"));
    let title = text("io.kubewarden.policy.title");
    assert!(title.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "it becomes a metadata.name");
    for key in ["description", "license", "category"] {
        assert!(!text(&format!("io.kubewarden.policy.{key}")).is_empty(), "{key}");
    }
    assert_eq!(text("io.kubewarden.policy.license"), env!("CARGO_PKG_LICENSE"));
    assert!(["low", "medium", "high", "critical"].contains(&text("io.kubewarden.policy.severity")));
    let (name, mail) = text("io.kubewarden.policy.author").split_once(" <").unwrap();
    let (user, host) = mail.strip_suffix('>').and_then(|mail| mail.split_once('@')).unwrap();
    assert!(![name, user, host].contains(&""), "Name <mail>");
    for key in ["url", "source"] {
        assert!(text(&format!("io.kubewarden.policy.{key}")).starts_with("https://"), "{key}");
    }
    let oci = text("io.kubewarden.policy.ociUrl");
    assert!(!oci.contains("://") && oci.ends_with(&format!("/{title}")), "{oci}");
    assert!(!text("io.artifacthub.displayName").is_empty());
    let list = |key: &str| text(key).split(',').map(str::trim).collect::<BTreeSet<_>>();
    assert!(!list("io.artifacthub.keywords").contains(""));
    assert_eq!(list("io.artifacthub.resources"), validated_kinds().map(Kind::name).collect());
}

#[test]
fn invalid_metadata_is_recognized() {
    let with = |pointer: &str, value: Value| {
        let mut metadata = yaml("metadata.yml");
        *metadata.pointer_mut(pointer).unwrap() = value;
        metadata_is_valid(&metadata)
    };
    for (pointer, value) in [
        ("/mutating", json!("yes")),
        ("/executionMode", json!("wasm")),
        ("/annotations", json!({ "a": 1 })),
        ("/rules/0/apiGroups", json!([])),
        ("/rules/0/apiGroups", json!(["", "*"])),
        ("/rules/0/operations", json!(["PATCH"])),
        ("/rules/0/resources", json!(["*", "pods"])),
        ("/rules/0/resources", json!(["pods/*", "pods/status"])),
        ("/rules/0/resources", json!(["*/status", "pods/status"])),
        ("/rules/0/resources", json!(["*/*", "pods/status"])),
        ("/rules/0/resources", json!([""])),
    ] {
        assert!(with(pointer, value.clone()).is_err(), "{pointer} {value}");
    }
    assert_eq!(with("/rules/0/resources", json!(["*", "a/b", "c/*", "*/d"])), Ok(()));
}

#[test]
fn the_annotated_module_holds_it() {
    let annotated = fs::read(annotated_path()).unwrap();
    let found = custom(&annotated, "io.kubewarden.metadata");
    assert_eq!(found.len(), 1);
    let mut metadata: Value = serde_json::from_slice(found[0]).unwrap();
    assert_eq!(metadata_is_valid(&metadata), Ok(()));
    assert_eq!(metadata["protocolVersion"], "v1");
    let usage = metadata["annotations"].as_object_mut().unwrap().remove("io.kubewarden.policy.usage").unwrap();
    assert_eq!(usage, fs::read_to_string(root().join("policy/README.md")).unwrap());
    metadata.as_object_mut().unwrap().remove("protocolVersion");
    assert_eq!(metadata, yaml("metadata.yml"));
    // It is the same policy: the types and functions have other numbers, but tables, memories, globals and data refer to neither.
    let bare = fs::read(policy_path()).unwrap();
    assert!(custom(&bare, "io.kubewarden.metadata").is_empty());
    let [bare, annotated] = [&bare, &annotated].map(|module| {
        let kept = sections(module).into_iter().filter(|section| [4, 5, 6, 11].contains(&section.id));
        kept.map(|section| (section.id, section.bytes.to_vec())).collect::<Vec<_>>()
    });
    assert!(annotated == bare, "the annotated module is another policy");
}

/// The questions of the form, without its groups.
fn questions(form: &Value) -> Vec<&Value> {
    form["questions"].as_array().unwrap().iter().collect()
}

#[test]
fn the_form_asks_for_every_setting() {
    let form = yaml("questions-ui.yml");
    let asked: Vec<&str> = questions(&form).iter().map(|question| question["variable"].as_str().unwrap()).collect();
    let settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.path).collect();
    assert_eq!(asked, settings);
    for (question, setting) in questions(&form).iter().zip(SETTINGS) {
        let default = question.get("default").map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
        assert_eq!(question["group"], setting.group, "{}", setting.path);
        let has_default =
            matches!(setting.type_, SettingType::Bool | SettingType::Word(_)) && setting.default != "none";
        let own = has_default.then(|| setting.default.to_owned());
        assert_eq!(default, own, "{}", setting.path);
        let options = question.get("options").map(|options| strings(options));
        let sorted = |words: &[&'static str]| {
            let mut words = words.to_vec();
            words.sort_unstable();
            Some(words)
        };
        let expected = match setting.type_ {
            SettingType::Bool => ("boolean", None),
            SettingType::Int32 | SettingType::Replicas => ("int", None),
            SettingType::Duration | SettingType::NumberOrPercentage => ("string", None),
            SettingType::FeatureGates | SettingType::Labels => ("map[", None),
            SettingType::Policies(_) | SettingType::UserNames | SettingType::Namespaces => ("array[", None),
            SettingType::Policy(words) | SettingType::PolicyByStrategy(words) => ("enum", sorted(words)),
            SettingType::Word(words) => ("enum", Some(words.to_vec())),
        };
        assert_eq!((question["type"].as_str().unwrap(), options.clone()), expected, "{}", setting.path);
        // Every value that the form can produce is valid.
        for option in options.into_iter().flatten() {
            let value = setting.path.rsplit('.').fold(json!(option), |value, key| json!({ key: value }));
            let mut settings = value;
            settings["context"] = json!(true);
            settings["feature_gates"] = json!({ "DeploymentPodReplacementPolicy": true });
            assert!(validate_settings(&settings).is_ok(), "{} {option}", setting.path);
        }
        for more in question.get("subquestions").and_then(Value::as_array).into_iter().flatten() {
            let gate = more["variable"].as_str().unwrap().strip_prefix("feature_gates.").unwrap();
            assert!(Feature::from_name(gate).is_some_and(|gate| more["default"] == gate.default_in_1_37()), "{gate}");
        }
    }
}

#[test]
fn settings_md_describes_every_setting() {
    let reference = fs::read_to_string(root().join("policy/settings.md")).unwrap();
    let rows: Vec<[&str; 3]> = reference
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| {
            let (path, rest) = line.split_once("` | ")?;
            let mut cells = rest.split(" | ");
            Some([path, cells.next()?, cells.next()?])
        })
        .collect();
    let settings: Vec<[String; 3]> = SETTINGS
        .iter()
        .map(|setting| [setting.path.into(), setting.type_.in_words(), setting.default.into()])
        .collect();
    assert_eq!(rows, settings);
    let mut groups: Vec<&str> = SETTINGS.iter().map(|setting| setting.group).collect();
    groups.dedup();
    let headings = reference.lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(headings.take(groups.len()).collect::<Vec<_>>(), groups);
    for gate in Feature::all() {
        let (on, off) = reference.split_once("These are off:").unwrap();
        let place = if gate.default_in_1_37() { on.rsplit_once("these are on:").unwrap().1 } else { off };
        assert!(place.contains(&format!("`{}`", gate.name())), "{}", gate.name());
    }
}

#[test]
fn the_readme_shows_every_preset() {
    let readme = fs::read_to_string(root().join("policy/README.md")).unwrap();
    let first_row = readme.lines().find(|line| line.starts_with('|'));
    assert_eq!(first_row, Some("| your situation | start with |"), "it begins with the table of use cases");
    for preset in PRESETS {
        assert!(readme.contains(&format!("[{preset}.yml](examples/{preset}.yml)")), "{preset}");
    }
    assert!(readme.contains("\n| what | Kubernetes 1.37 | with KEP-5882 (proposed) | with `context: true` |\n"));
    for target in ["make annotated-policy.wasm", "make release-policy", "kubectl apply -f dist/policy/examples/"] {
        assert!(readme.contains(target), "{target}");
    }
}

/// The policies besides the one with everything, with their presets.
const POLICIES: [(&str, &[&str]); 3] = [
    ("deletion-cost", &["deletion-cost", "karpenter-keda"]),
    ("job-replacement", &["batch", "gitops"]),
    ("rollouts", &["rollouts", "quota"]),
];

#[test]
fn each_policy_has_metadata_and_presets_of_its_own() {
    let everything = yaml("metadata.yml");
    let resources = |metadata: &Value| -> BTreeSet<String> {
        let rules = metadata["rules"].as_array().unwrap().iter();
        rules.flat_map(|rule| strings(&rule["resources"]).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    for (name, presets) in POLICIES {
        let metadata = yaml(&format!("metadata/{name}.yml"));
        assert_eq!(metadata_is_valid(&metadata), Ok(()), "{name}");
        let annotations = &metadata["annotations"];
        assert_eq!(annotations["io.kubewarden.policy.title"], format!("changeover-{name}"));
        assert_eq!(annotations["io.kubewarden.policy.version"], env!("CARGO_PKG_VERSION"), "{name}");
        assert!(resources(&metadata).is_subset(&resources(&everything)), "{name}");
        // Only one reads the cluster, and only defaults change objects.
        let is_rollouts = name == "rollouts";
        let read = metadata["contextAwareResources"].as_array().unwrap();
        assert_eq!((read.is_empty(), metadata["mutating"] == false), (!is_rollouts, is_rollouts), "{name}");
        for preset in presets.iter().map(|name| preset(name)) {
            let module = preset["spec"]["module"].as_str().unwrap();
            let (address, _) = module.strip_prefix("registry://").unwrap().rsplit_once(':').unwrap();
            assert_eq!(annotations["io.kubewarden.policy.ociUrl"], address, "{name}");
            assert!(resources(&preset["spec"]).is_subset(&resources(&metadata)), "{name}");
            let granted = preset["spec"]["contextAwareResources"].as_array().cloned().unwrap_or_default();
            assert!(granted.iter().all(|kind| read.contains(kind)), "{name}");
        }
        let found = fs::read(annotated_path().with_file_name(format!("annotated-{name}.wasm"))).unwrap();
        let found: Value = serde_json::from_slice(custom(&found, "io.kubewarden.metadata")[0]).unwrap();
        assert_eq!(found["annotations"]["io.kubewarden.policy.title"], annotations["io.kubewarden.policy.title"]);
    }
}

/// Checks that a module answers as the policy with everything, with all settings that it takes.
fn gives_the_same_verdicts(module: &Policy) {
    for case in cases("policy.validate") {
        let (request, settings) = (&case["input"]["request"], &case["input"]["settings"]);
        if module.validate_settings(settings).is_ok() {
            let same = policy().validate(request, settings).unwrap();
            assert_eq!(module.validate(request, settings).unwrap(), same, "{}", case["name"]);
        }
    }
}

/// It gives the same verdicts, and is smaller by what a forecast needs.
#[test]
fn the_small_module_refuses_what_needs_a_forecast() {
    let module = fs::read(policy_path().with_file_name("small-policy.wasm")).unwrap();
    assert!(module.len() * 3 < fs::read(policy_path()).unwrap().len() * 2, "{}", module.len());
    let small = Policy::load(&module).unwrap();
    for settings in [
        json!({ "forecast": true }),
        json!({ "context": true }),
        json!({ "rollout": { "min_available": 1 } }),
        json!({ "rollout": { "max_over_desired": 1 } }),
    ] {
        assert!(small.validate_settings(&settings).unwrap_err().contains("changeover-rollouts"), "{settings}");
    }
    gives_the_same_verdicts(&small);
    for (name, presets) in POLICIES.iter().filter(|(name, _)| *name != "rollouts") {
        for preset in presets.iter().map(|name| preset(name)) {
            assert_eq!(small.validate_settings(&preset["spec"]["settings"]), Ok(()), "{name}");
        }
    }
}

/// Its metadata say that it changes nothing, so its host would refuse what it changes.
#[test]
fn the_policy_of_rollouts_refuses_settings_that_change_objects() {
    let rollouts = Policy::load(&fs::read(policy_path().with_file_name("rollouts-policy.wasm")).unwrap()).unwrap();
    for settings in [
        json!({ "pod_replacement_policy": { "jobs": { "default": "Failed" } } }),
        json!({ "pod_replacement_policy": { "deployments": { "default": { "recreate": "TerminationComplete" } } }, "feature_gates": { "DeploymentPodReplacementPolicy": true } }),
        json!({ "pod_deletion_cost": { "default": 1 } }),
        json!({ "stale_scale_annotations": "strip" }),
    ] {
        assert_eq!(policy().validate_settings(&settings), Ok(()), "{settings}");
        assert!(rollouts.validate_settings(&settings).unwrap_err().contains("changes no objects"), "{settings}");
    }
    gives_the_same_verdicts(&rollouts);
    for name in ["rollouts", "quota"] {
        assert_eq!(rollouts.validate_settings(&preset(name)["spec"]["settings"]), Ok(()), "{name}");
    }
}

/// Files of `policy/examples` that are manifests.
pub const PRESETS: [&str; 7] = ["batch", "deletion-cost", "karpenter-keda", "rollouts", "quota", "kep-5882", "gitops"];

/// The ClusterAdmissionPolicy of a preset: the first document of its file.
pub fn preset(name: &str) -> Value {
    let path = root().join("policy/examples").join(name).with_extension("yml");
    changeover_text::parse_bytes(&fs::read(path).unwrap()).unwrap().remove(0).value
}

#[test]
fn every_manifest_is_a_preset() {
    let files = fs::read_dir(root().join("policy/examples")).unwrap().map(|file| file.unwrap().file_name());
    let manifests = files.filter_map(|name| name.to_str()?.strip_suffix(".yml").map(str::to_owned));
    let manifests: BTreeSet<String> = manifests.filter(|name| name != "settings").collect();
    assert_eq!(manifests, PRESETS.map(str::to_owned).into());
}

#[test]
fn the_manifests_are_valid() {
    let metadata = yaml("metadata.yml");
    for name in PRESETS {
        let manifest = preset(name);
        assert_eq!(manifest["apiVersion"], "policies.kubewarden.io/v1", "{name}");
        assert_eq!(manifest["kind"], "ClusterAdmissionPolicy", "{name}");
        let spec = &manifest["spec"];
        // A webhook that changes nothing runs after those that do, so none of them can change what it has seen.
        let settings = &spec["settings"];
        let changes_objects = ["/pod_replacement_policy/deployments/default", "/pod_replacement_policy/jobs/default"]
            .into_iter()
            .chain(["/pod_deletion_cost/default"])
            .any(|path| settings.pointer(path).is_some())
            || settings.pointer("/stale_scale_annotations") == Some(&json!("strip"));
        assert_eq!(spec["mutating"], changes_objects, "{name}");
        let image = format!(":v{}", env!("CARGO_PKG_VERSION"));
        assert!(
            spec["module"].as_str().is_some_and(|module| module.starts_with("registry://") && module.ends_with(&image))
        );
        let granted = spec.get("contextAwareResources").and_then(Value::as_array).into_iter().flatten();
        let offered = metadata["contextAwareResources"].as_array().unwrap();
        assert!(granted.clone().all(|resource| offered.contains(resource)), "{name}");
        assert_eq!(granted.count() > 0, spec["settings"]["context"] == true, "{name}");
        // It can be tried, can't hold up the control plane, and has a way out.
        assert_eq!(spec["mode"], "monitor", "{name}");
        assert_eq!(spec["namespaceSelector"]["matchExpressions"][0]["values"], json!(["kube-system"]), "{name}");
        assert!(spec["matchConditions"].as_array().is_some_and(|conditions| !conditions.is_empty()), "{name}");
        // Only one is about safety: two pods that write the same file.
        assert_eq!(spec["failurePolicy"], if name == "batch" { "Fail" } else { "Ignore" }, "{name}");
        if spec["settings"]["context"] == true {
            assert!(spec["policyServer"].is_string(), "{name}");
            assert_eq!(spec["timeoutSeconds"], spec["timeoutEvalSeconds"], "{name}");
        }
        assert!(
            fs::read_to_string(root().join("policy/examples").join(format!("{name}.yml")))
                .unwrap()
                .contains("# What it can break: ")
        );
        let problems = validate_settings(&spec["settings"]).err().unwrap_or_default();
        assert!(problems.is_empty(), "{name}: {problems:?}");
        for rule in spec["rules"].as_array().unwrap() {
            assert_eq!(rule_is_valid(rule), Ok(()), "{name}");
            let offered = metadata["rules"].as_array().unwrap().iter();
            let offered = offered.filter(|offered| offered["apiGroups"] == rule["apiGroups"]);
            let resources: Vec<&str> = offered.flat_map(|offered| strings(&offered["resources"])).collect();
            assert!(strings(&rule["resources"]).iter().all(|resource| resources.contains(resource)), "{name}");
        }
    }
}

/// Else another kind would be a way around.
#[test]
fn the_presets_see_each_kind_that_their_settings_limit() {
    let costs: &[&str] =
        &["bindings", "deployments", "pods", "pods/binding", "pods/status", "replicasets", "replicationcontrollers"];
    let replicas: &[&str] = &[
        "deployments",
        "deployments/scale",
        "replicasets",
        "replicasets/scale",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "statefulsets",
        "statefulsets/scale",
    ];
    let mut limiting = 0;
    for name in PRESETS {
        let spec = preset(name)["spec"].take();
        let rules = spec["rules"].as_array().unwrap().iter();
        let seen: BTreeSet<&str> = rules.flat_map(|rule| strings(&rule["resources"])).collect();
        for (setting, limited) in [("/pod_deletion_cost/setters", costs), ("/replicas", replicas)] {
            if spec["settings"].pointer(setting).is_some() {
                limiting += 1;
                assert!(limited.iter().all(|resource| seen.contains(resource)), "{name} {setting}: {seen:?}");
            }
        }
    }
    assert_eq!(limiting, 3);
}

#[test]
fn the_makefile_has_the_usual_targets() {
    let makefile = fs::read_to_string(root().join("policy/Makefile")).unwrap();
    for target in ["policy.wasm", "annotated-policy.wasm", "test", "e2e-tests", "lint", "fmt", "clean"] {
        assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}:"))), "{target}");
    }
    // That would compile all dependencies once more.
    assert!(!makefile.contains("--package xtask"));
}
