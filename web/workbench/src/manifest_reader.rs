//! What the user's text holds, what is wrong with it, and the scenarios to play.

use std::collections::BTreeMap;

use changeover_core::apiserver::{ExistingObjects, UnknownField, unknown_fields};
use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_core::json::ToJson;
use changeover_core::object::Kind;
use changeover_core::prediction::{NotModeled, PodReplacementPolicies, Quotas, RolloutPlan, sizes_of_owned};
use changeover_core::scenario::{Scenario, is_simulated};
use changeover_text::{Document, wrong_object};
use changeover_wire::{
    KindFields, LargeText, LineProblem, LinkContent, LinkTexts, ManifestChange, ManifestObject, ManifestText,
    Manifests, Reading, Severity, Variation, to_yaml,
};
use serde_json::{Value, json};

use crate::documents::{DEFAULT_NAMESPACE, is_live_pod, is_of_kind, is_stored, located, namespace};
use crate::live_state::{edited_deployments, ignored_state, missing_node_warnings, missing_pods, missing_replica_sets};
use crate::manifests::{Texts, WrittenText};

/// The most objects and problems that the page lists.
const LISTED: usize = 200;

/// Why an object of another kind is left out.
const OTHER_KIND: &str = "objects of this kind are not simulated";

/// The API group of the files of Kustomize, which are no objects of a cluster.
const KUSTOMIZE: &str = "kustomize.config.k8s.io/";

/// Why such a file is left out.
const KUSTOMIZATION: &str = "use the output of `kubectl kustomize`";

/// What becomes of a field that Kubernetes does not know.
const UNKNOWN: &str = "ignored here, and refused by kubectl";

/// What becomes of an invalid object of a kind that is not simulated.
const OTHER_INVALID: &str = "not simulated here, and refused by the API server";

/// Reads manifests, after the values of the fields were written into them if `write` says so. The scenarios are those of the
/// lanes; none if there is a problem.
pub(crate) fn read(
    manifests: &Manifests,
    fields: &[KindFields],
    write: bool,
    lanes: &[Variation],
) -> (Reading, Vec<String>) {
    let mut texts = match Texts::read(manifests) {
        Ok(texts) => texts,
        Err(problems) => return (unreadable(problems), Vec::new()),
    };
    let mut written = WrittenText::default();
    if write {
        written = texts.write(&manifests.text, fields);
        if let Some(text) = &written.text {
            match Texts::read(&Manifests { text: text.as_str().into(), ..manifests.clone() }) {
                Ok(rewritten) => texts = rewritten,
                Err(problems) => return (unreadable(problems), Vec::new()),
            }
        }
    }
    let mut problems = refusals(&texts.text);
    problems.extend(texts.warnings.iter().cloned());
    let (old, text_of_old) = match &texts.before {
        Some(before) => (before, ManifestText::Before),
        None => (&texts.text, ManifestText::Text),
    };
    problems.extend(missing_replica_sets(old, text_of_old));
    problems.extend(missing_pods(old, text_of_old));
    problems.extend(missing_node_warnings(old, text_of_old));
    problems.extend(texts.before.as_ref().and_then(|before| ignored_state(before, &texts.text)));
    let plan = texts.plan();
    let mut scenarios = Vec::new();
    let (mut read_at, mut newest_time) = (None, None);
    match &plan {
        Ok(plan) => {
            for lane in lanes.iter().filter(|lane| can_play(&texts, lane)) {
                match scenario(&texts, plan, lane) {
                    Ok(scenario) => scenarios.push(scenario.to_json().to_string()),
                    Err(more) => push_new(&mut problems, more),
                }
            }
            read_at = plan.now().map(|time| time.to_string());
            newest_time = plan.now().and_then(|_| texts.newest_time()).map(|time| time.to_string());
        }
        Err(more) => push_new(&mut problems, more.clone()),
    }
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        scenarios.clear();
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems.truncate(LISTED);
    let reasons = plan.as_ref().map(LeftOut::of).unwrap_or_default();
    let left_out = |document: &Document| {
        // Predictions do without CronJobs, but here one can be shown.
        let is_shown = texts.is_shown(document);
        let reason = || {
            let sizes = sizes_of_owned(texts.text.iter().map(|document| &document.value), &document.value);
            let owned =
                if sizes.is_empty() { String::new() } else { format!("; its ReplicaSets: {}", sizes.join(", ")) };
            Some(format!("{}{owned}", reasons.reason(&document.value)?))
        };
        if is_shown { None } else { mistaken(document).map(String::from).or_else(reason) }
    };
    let objects: Vec<ManifestObject> = texts.text.iter().map(|document| object(document, left_out(document))).collect();
    let (object_count, left_out_count) = (objects.len(), objects.iter().filter(|it| it.left_out.is_some()).count());
    let text = written.text.as_deref().unwrap_or(&manifests.text);
    let before = manifests.before.as_deref().zip(texts.before.as_deref());
    // First what runs before: its numbers are those of both texts.
    let mut content = LinkContent::default();
    let has_more = !texts.lists.is_empty() || !texts.lists_before.is_empty() || !texts.warnings.is_empty();
    let before = before.and_then(|(text, documents)| link_text(&mut content, text, documents, has_more));
    let link_texts = LinkTexts { text: link_text(&mut content, text, &texts.text, has_more), before };
    let reading = Reading {
        objects: listed(objects),
        object_count,
        left_out_count,
        read_at,
        newest_time,
        has_nodes: texts.has_nodes(),
        workloads: texts.workloads(),
        fields: texts.fields(fields),
        new_revision: texts.new_revision(),
        has_probes: texts.has_probes(),
        pre_stop_hooks: texts.pre_stop_hooks(),
        measured_start: texts.measured_start.map(|start| start.ready.0),
        assumed_replicas: plan.as_ref().map(RolloutPlan::assumed_replicas).unwrap_or_default(),
        has_autoscaled_replicas: plan.as_ref().is_ok_and(|plan| {
            texts.shown_deployment().is_some_and(|deployment| plan.has_autoscaled_replicas(&deployment))
        }),
        autoscaler: plan.as_ref().ok().and_then(|plan| plan.autoscaler(&texts.shown_deployment()?)),
        other_deployments: texts.other_deployments().take(LISTED).collect(),
        rewritten: written.text.map(LargeText::from),
        unwritten: written.unwritten,
        shown: texts.shown,
        change: texts.change,
        problems,
        link_texts: Some(link_texts),
    };
    (reading, scenarios)
}

fn unreadable(problems: Vec<LineProblem>) -> Reading {
    Reading {
        objects: Vec::new(),
        object_count: 0,
        left_out_count: 0,
        read_at: None,
        newest_time: None,
        has_nodes: false,
        workloads: Vec::new(),
        shown: None,
        change: ManifestChange::Nothing,
        fields: Vec::new(),
        new_revision: None,
        has_probes: false,
        pre_stop_hooks: None,
        measured_start: None,
        assumed_replicas: String::new(),
        has_autoscaled_replicas: false,
        autoscaler: None,
        other_deployments: Vec::new(),
        rewritten: None,
        unwritten: Vec::new(),
        problems,
        link_texts: None,
    }
}

/// What a link contains of a text: its objects, reduced; none if the text is nothing else. `has_more`: whether it has lists, which may
/// have fields beside their items, or a key twice.
pub(crate) fn link_text(
    content: &mut LinkContent,
    text: &str,
    documents: &[Document],
    has_more: bool,
) -> Option<LargeText> {
    let reduced = documents.iter().map(|document| {
        let mut value = document.value.clone();
        content.reduce_document(&mut value);
        value
    });
    let reduced: Vec<Value> = reduced.collect();
    let is_reduced = documents.iter().zip(&reduced).any(|(document, reduced)| document.value != *reduced);
    // A comment begins with this sign.
    (is_reduced || has_more || text.contains('#')).then(|| to_yaml(&reduced).into())
}

/// Whether the shown workload can be what a lane asks for.
fn can_play(texts: &Texts, lane: &Variation) -> bool {
    *lane == Variation::default() || !texts.has_one_policy()
}

/// The scenario of a lane.
pub(crate) fn scenario(texts: &Texts, plan: &RolloutPlan, lane: &Variation) -> Result<Scenario, Vec<LineProblem>> {
    let is_of_jobs = texts.shown.as_ref().is_some_and(|shown| shown.kind.has_jobs());
    let mut plan = plan.with_actions(texts.rollouts_of_others());
    if let Some(shown) = texts.shown_deployment() {
        if !lane.patch.is_null() {
            plan = plan.with_patch(&shown, &texts.without_absent_replicas(lane.patch.clone()));
        }
        if let Some(policy) = &lane.proposed_policy {
            let patch = json!({ "spec": { "podReplacementPolicy": policy } });
            // In a running cluster that nobody changes, nobody sets the policy either: it is there.
            let is_there = texts.change == ManifestChange::Nothing && lane.patch.is_null();
            plan = if is_there { plan.with_initial_patch(&shown, &patch) } else { plan.with_patch(&shown, &patch) };
        }
    }
    let policy = match &lane.proposed_policy {
        _ if is_of_jobs && *lane != Variation::default() => PodReplacementPolicies::OtherOfJobs,
        Some(_) if !is_of_jobs => PodReplacementPolicies::Proposed,
        _ => PodReplacementPolicies::Today,
    };
    let scenario = plan.scenario(policy, Quotas::Enforced).map_err(|problem| texts.locate(&problem))?;
    let mut scenario = texts.surroundings.surround(scenario, &plan, texts.shown.as_ref(), texts.new_revision());
    scenario.actions.extend(texts.second_rollout());
    texts.put_cron_job(&mut scenario, policy == PodReplacementPolicies::OtherOfJobs);
    Ok(scenario)
}

/// What the API server refuses of manifests, and its warnings, also of the fields that Kubernetes does not know: they are ignored
/// when the manifests are played. What a running cluster gave, it took before, unless it was edited since.
fn refusals(documents: &[Document]) -> Vec<LineProblem> {
    // The page plays the proposed policy, too.
    let gates = FeatureGates::default().with(Feature::DeploymentPodReplacementPolicy, true);
    let mut problems = Vec::new();
    let edited = edited_deployments(documents);
    for (document, before) in documents.iter().zip(&edited) {
        if problems.len() >= LISTED {
            break;
        }
        if before.is_none() && is_stored(&document.value) {
            // A cluster stores no such fields, so they were typed since.
            if is_of_kind(&document.value, "Deployment") {
                problems
                    .extend(unknown_fields(&document.value, &gates).iter().map(|field| unknown_field(document, field)));
            }
            continue;
        }
        let problem =
            |severity, path: &str, message: String| located(severity, ManifestText::Text, document, path, message);
        if let Some(message) = mistaken(document) {
            problems.push(problem(Severity::Error, "", String::from(message)));
            continue;
        }
        let Ok(outcome) = ExistingObjects::of(before).dry_run(&document.value, &gates) else { continue };
        problems.extend(outcome.unknown.iter().map(|field| unknown_field(document, field)));
        if outcome.errors.is_empty() {
            problems.extend(outcome.warnings.into_iter().map(|warning| problem(Severity::Warning, "", warning)));
        }
        for error in &outcome.errors {
            let sentence = error.to_string();
            if has_no_effect(&document.value) {
                // The message has the path.
                let found = problem(Severity::Warning, &error.path, format!("{OTHER_INVALID}: {sentence}"));
                problems.push(LineProblem { path: String::new(), ..found });
                continue;
            }
            let message = sentence.strip_prefix(&format!("{}: ", error.path)).unwrap_or(&sentence);
            problems.push(problem(Severity::Error, &error.path, message.to_owned()));
        }
    }
    problems
}

/// What a document without a kind is, and what to do, if that is known.
fn mistaken(document: &Document) -> Option<&'static str> {
    wrong_object(&document.value).filter(|_| document.value.get("kind").is_none())
}

/// A field that Kubernetes does not know. The message has the path.
fn unknown_field(document: &Document, field: &UnknownField) -> LineProblem {
    let message = format!("{UNKNOWN}: {}", field.sentence());
    let found = located(Severity::Warning, ManifestText::Text, document, &field.path, message);
    LineProblem { path: String::new(), ..found }
}

/// Whether the simulated cluster does without objects of this kind. Nodes are in it, although not as objects.
fn has_no_effect(value: &Value) -> bool {
    let Some(kind) = value.get("kind").and_then(Value::as_str) else { return false };
    !kind.is_empty() && *kind != *Kind::Node.name() && !is_simulated(value)
}

/// Adds problems, unless they are known in other words: the API server's own come first.
fn push_new(problems: &mut Vec<LineProblem>, more: Vec<LineProblem>) {
    for problem in more {
        let is_known = |known: &LineProblem| {
            known.severity == Severity::Error && known.text == problem.text && known.line == problem.line
        };
        if !problems.iter().any(is_known) {
            problems.push(problem);
        }
    }
}

fn object(document: &Document, left_out: Option<String>) -> ManifestObject {
    let text = |pointer: &str| document.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    ManifestObject {
        kind: text("/kind"),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name"),
        line: document.position("").line,
        left_out,
    }
}

/// The objects that the page lists: those that are left out before others, in the order of the text.
fn listed(mut objects: Vec<ManifestObject>) -> Vec<ManifestObject> {
    objects.sort_by_key(|object| object.left_out.is_none());
    objects.truncate(LISTED);
    objects.sort_by_key(|object| object.line);
    objects
}

/// Why the simulated cluster does without objects, by their kind, namespace and name.
#[derive(Default)]
struct LeftOut<'a>(BTreeMap<[&'a str; 3], &'a str>);

impl<'a> LeftOut<'a> {
    fn of(plan: &'a RolloutPlan) -> Self {
        // An object's first reason is kept.
        let reasons =
            plan.not_modeled().iter().rev().map(|NotModeled { kind, namespace, name, reason: why, .. }| {
                ([kind.as_str(), namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE), name.as_str()], why.as_str())
            });
        Self(reasons.collect())
    }

    /// Why the simulated cluster does without an object.
    fn reason(&self, value: &Value) -> Option<String> {
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let of_plan = self.0.get(&[text("/kind"), namespace(value), text("/metadata/name")]);
        let is_other = !is_simulated(value) && text("/kind") != "Node" && !is_live_pod(value);
        let of_kind = is_other.then_some(OTHER_KIND);
        let kustomize = text("/apiVersion").starts_with(KUSTOMIZE).then_some(KUSTOMIZATION);
        kustomize.or(of_plan.copied()).or(of_kind).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Reading, Vec<String>) {
        read(&Manifests::new(text, Value::Null), &[], false, &[Variation::default()])
    }

    const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n  selector:\n    \
        matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n    spec:\n      containers:\n        - name: web\n          \
        image: web:v1\n";

    #[test]
    fn values_of_a_chart_are_named_as_such() {
        let (reading, _) = read_text("replicaCount: 3\nimage:\n  repository: nginx\n");
        let messages: Vec<&str> = reading.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, ["These are the values of a Helm chart: use the output of `helm template`"]);
    }

    #[test]
    fn a_kustomization_names_the_command_for_it() {
        let (reading, _) =
            read_text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n");
        let why = reading.objects.first().and_then(|object| object.left_out.as_deref());
        assert_eq!(why, Some(KUSTOMIZATION));
    }

    #[test]
    fn what_scales_the_shown_deployment_is_named() {
        let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: web }\nspec:\n  \
            minReplicas: 6\n  maxReplicas: 40\n  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }\n";
        let (reading, _) = read_text(&format!("{DEPLOYMENT}---\n{scaler}"));
        let expected = "HorizontalPodAutoscaler web (minReplicas 6, maxReplicas 40)";
        assert_eq!(reading.autoscaler.as_deref(), Some(expected));
    }

    #[test]
    fn of_a_rollout_its_replica_sets_are_named() {
        let rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: { name: web, uid: r }\n";
        let owned = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: { name: web-1, uid: s, ownerReferences: [{ uid: r }] }\n\
            spec: { selector: { matchLabels: { app: web } } }\nstatus: { replicas: 4, readyReplicas: 3 }\n";
        let (reading, _) = read_text(&format!("{rollout}---\n{owned}"));
        let why = reading.objects.first().and_then(|object| object.left_out.as_deref());
        let owned = "its ReplicaSets: web-1 with 3 of 4 pods ready";
        assert!(why.is_some_and(|why| why.ends_with(owned)), "{why:?}");
    }

    #[test]
    fn objects_have_their_lines_and_what_is_not_simulated_is_listed() {
        let text = format!("kind: Service\napiVersion: v1\nmetadata:\n  name: web\n---\n{DEPLOYMENT}");
        let (reading, scenarios) = read_text(&text);
        let found: Vec<_> =
            reading.objects.iter().map(|it| (it.kind.as_str(), it.line, it.left_out.is_some())).collect();
        assert_eq!(found, [("Service", 1, true), ("Deployment", 6, false)]);
        assert_eq!(reading.problems, []);
        assert_eq!(reading.change, ManifestChange::Image("web:next".to_owned()));
        assert_eq!(scenarios.len(), 1);
    }

    #[test]
    fn an_autoscaler_decides_how_many_pods_there_are_at_rest() {
        let autoscaler = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: web }\n\
            spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, minReplicas: 6, maxReplicas: 9 }\n";
        let text = format!("{}{autoscaler}", DEPLOYMENT.replace("  replicas: 3\n", ""));
        let empty_control = Variation { proposed_policy: None, patch: json!({ "spec": { "replicas": null } }) };
        let lanes = [Variation::default(), empty_control];
        let (reading, scenarios) = read(&Manifests::new(text, Value::Null), &[], false, &lanes);
        let sentence =
            "Deployment web does not set replicas, so it runs the minReplicas of HorizontalPodAutoscaler web: 6.";
        assert_eq!(reading.assumed_replicas.trim_start(), sentence);
        assert!(reading.has_autoscaled_replicas);
        assert_eq!(reading.left_out_count, 1);
        assert_eq!(scenarios.len(), 2, "{:?}", reading.problems);
        for scenario in scenarios {
            let scenario: Value = serde_json::from_str(&scenario).unwrap();
            let objects = scenario["objects"].as_array().unwrap();
            let pods = objects.iter().filter(|object| object["kind"] == "Pod").count();
            let replicas = objects.iter().find_map(|object| object.pointer("/spec/replicas").and_then(Value::as_u64));
            assert_eq!((pods, replicas), (6, Some(6)));
            assert_eq!(scenario["actions"][0]["apply"]["spec"].get("replicas"), None);
        }
    }

    #[test]
    fn an_object_of_the_same_name_in_another_namespace_is_simulated() {
        let quota = |metadata: &str, more: &str| {
            let spec = format!("spec: {{ hard: {{ pods: \"9\" }}{more} }}");
            format!("kind: ResourceQuota\napiVersion: v1\nmetadata: {{ name: few{metadata} }}\n{spec}\n---\n")
        };
        let (scoped, plain) = (quota("", ", scopes: [BestEffort]"), quota(", namespace: other", ""));
        let (reading, _) = read_text(&format!("{scoped}{plain}{DEPLOYMENT}"));
        let left_out: Vec<Option<&str>> = reading.objects.iter().map(|it| it.left_out.as_deref()).collect();
        assert_eq!(left_out, [Some("quotas with scopes are not simulated"), None, None]);
    }

    #[test]
    fn what_is_left_out_is_listed_although_it_comes_late() {
        let pod = |number: usize| {
            json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {
                    "name": format!("p{number}"), "uid": format!("p{number}"), "resourceVersion": "7",
                    "creationTimestamp": "2026-01-01T00:00:00Z",
                },
                "spec": { "nodeName": "a", "containers": [{ "name": "a", "image": "a:1" }] },
                "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] },
            })
        };
        let pods: String = (0..250).map(|number| format!("---\n{}\n", pod(number))).collect();
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "few" },
            "spec": { "hard": { "pods": "9" }, "scopes": ["BestEffort"] },
        });
        let (reading, scenarios) = read_text(&format!("{DEPLOYMENT}{pods}---\n{quota}\n"));
        assert_eq!(scenarios.len(), 1, "{:?}", reading.problems);
        assert_eq!((reading.object_count, reading.left_out_count, reading.objects.len()), (252, 1, LISTED));
        let [first, .., last] = reading.objects.as_slice() else { panic!("{:?}", reading.objects) };
        assert_eq!((first.kind.as_str(), last.kind.as_str()), ("Deployment", "ResourceQuota"));
        assert!(last.left_out.is_some());
    }

    #[test]
    fn in_a_link_the_same_objects_are_listed_and_played() {
        for password in ["hunter2", "&it hunter2"] {
            let config = "apiVersion: v1\nkind: Config\nusers:\n- user: { token: hunter2 }\n---\n";
            let database = "apiVersion: example.com/v1\nkind: Database\nmetadata: { name: db, uid: hunter2 }\n";
            let text = format!("{config}{database}spec: {{ key: {password} }}\n---\n# token: hunter2\n{DEPLOYMENT}");
            let (reading, scenarios) = read_text(&text);
            let left = reading.link_texts.and_then(|left| left.text).unwrap_or_default();
            assert!(!left.contains("hunter2"), "{left:?}");
            let (again, same_scenarios) = read_text(&left);
            let named = |objects: &[ManifestObject]| -> Vec<ManifestObject> {
                objects.iter().map(|object| ManifestObject { line: 0, ..object.clone() }).collect()
            };
            assert_eq!(named(&again.objects), named(&reading.objects));
            assert_eq!((scenarios.len(), &same_scenarios), (1, &scenarios));
            assert_eq!(again.link_texts.and_then(|left| left.text).unwrap_or_else(|| left.clone()), left);
        }
    }

    #[test]
    fn a_text_that_cant_be_played_loses_its_secrets_too() {
        for text in [
            "# The values of a chart.\nauth:\n  password: hunter2\n",
            "apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user: {token: hunter2, client-key-data: hunter2}\n",
            "{\"kind\": \"Config\", \"users\": [{\"user\": {\"token\": \"hunter2\"}}]}",
            "kind: Pod\nmetadata: {name: a}\nspec:\n  password: |\n    hunter2\n",
            "kind: List\nowner: hunter2\nitems: []\n",
            "kind: List\nowner: &it hunter2\nitems:\n- kind: Pod\n  metadata: {name: a}\n",
            "items:\n- hunter2\n",
        ] {
            let left = read_text(text).0.link_texts.and_then(|left| left.text);
            assert!(left.as_ref().is_some_and(|left| !left.contains("hunter2")), "{left:?}");
        }
        // Nobody can tell what is in it.
        assert_eq!(read_text("auth:\n  password: hunter2\n  port: [").0.link_texts, None);
    }

    #[test]
    fn a_problem_has_its_line() {
        let (reading, scenarios) = read_text(&DEPLOYMENT.replace("replicas: 3", "replicas: -1"));
        let [problem] = reading.problems.as_slice() else { panic!("{:?}", reading.problems) };
        assert_eq!((problem.line, problem.path.as_str()), (Some(6), "spec.replicas"));
        assert_eq!(problem.message, "Invalid value: -1: must be greater than or equal to 0");
        assert_eq!(scenarios.len(), 0);
    }

    #[test]
    fn a_misspelled_field_has_its_line_and_the_rest_is_played() {
        let (reading, scenarios) = read_text(&DEPLOYMENT.replace("replicas: 3", "replcas: 3"));
        let [problem] = reading.problems.as_slice() else { panic!("{:?}", reading.problems) };
        assert_eq!((problem.severity, problem.line, problem.column), (Severity::Warning, Some(6), Some(3)));
        let expected = r#"strict decoding error: unknown field "spec.replcas": did you mean "replicas"?"#;
        assert_eq!(problem.message, format!("{UNKNOWN}: {expected}"));
        assert_eq!(scenarios.len(), 1);
    }

    #[test]
    fn an_invalid_object_that_is_not_simulated_is_a_warning_and_the_rest_is_played() {
        let stub = "---\napiVersion: v1\nkind: PodTemplate\nmetadata: { name: db }\ntemplate: {}\n";
        let (reading, scenarios) = read_text(&format!("{DEPLOYMENT}{stub}"));
        assert!(!reading.problems.is_empty());
        for problem in &reading.problems {
            assert_eq!(problem.severity, Severity::Warning, "{problem:?}");
            assert!(problem.message.starts_with(OTHER_INVALID), "{problem:?}");
        }
        let containers = format!("{OTHER_INVALID}: template.spec.containers: Required value");
        assert!(reading.problems.iter().any(|it| it.message.starts_with(&containers)), "{:?}", reading.problems);
        assert_eq!(scenarios.len(), 1);
    }

    #[test]
    fn a_state_that_a_saved_text_hides_is_a_warning() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": "p", "uid": "p", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z" },
            "spec": { "nodeName": "a", "containers": [{ "name": "a", "image": "a:1" }] },
            "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        let state = format!("{DEPLOYMENT}---\n{pod}\n");
        let is_ignored = |before: Option<&str>| {
            let manifests =
                Manifests { before: before.map(LargeText::from), ..Manifests::new(state.as_str(), Value::Null) };
            let (reading, _) = read(&manifests, &[], false, &[Variation::default()]);
            reading.problems.iter().any(|it| it.message.starts_with("This cluster state is ignored"))
        };
        assert_eq!([Some(DEPLOYMENT), Some(state.as_str()), None].map(is_ignored), [true, false, false]);
    }

    #[test]
    fn an_invalid_object_without_a_known_kind_is_a_problem() {
        let (reading, scenarios) =
            read_text(&format!("{DEPLOYMENT}---\napiVersion: apps/v1\nmetadata: {{ name: db }}\n"));
        assert!(reading.problems.iter().any(|it| it.severity == Severity::Error), "{:?}", reading.problems);
        assert_eq!(scenarios.len(), 0);
    }

    #[test]
    fn a_text_that_is_no_yaml_has_its_line() {
        let (reading, _) = read_text("kind: Deployment\nspec: }\n");
        let [problem] = reading.problems.as_slice() else { panic!("{:?}", reading.problems) };
        assert_eq!((problem.severity, problem.line), (Severity::Error, Some(2)));
    }
}
