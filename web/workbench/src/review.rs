//! What the API server and the policy say about manifests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use changeover_core::Problem;
use changeover_core::apiserver::{DryRun, ExistingObjects, UnknownField, decoding_refusal, strict_refusal};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::Kind;
use changeover_core::review::{
    ClusterReader, NoCluster, SETTINGS, SettingType, Settings, admission_request, review_in_cluster, validate_settings,
};
use changeover_text::{Document, Parsed, parse_with_lists};
use changeover_wire::{
    FieldChange, LineProblem, LinkContent, LinkTexts, ManifestText, PolicySetting, Review, ReviewQuestion,
    ReviewedObject, SettingInput, Severity, Verdict,
};
use serde_json::{Map, Value, json};

use crate::documents::{located, unreadable};
use crate::manifest_reader::link_text;

/// The user whose requests the policy judges.
const USER: &str = "kubernetes-admin";

/// What the API server and the policy say.
pub(crate) fn reviewed(question: &ReviewQuestion) -> Review {
    let mut answer = Review {
        unreadable: Vec::new(),
        settings_problems: Vec::new(),
        in_cluster: None,
        objects: Vec::new(),
        link_texts: None,
    };
    let existing = match question.existing.trim() {
        "" => Parsed::default(),
        _ => parse_with_lists(&question.existing).unwrap_or_else(|error| {
            answer.unreadable.push(unreadable(ManifestText::Before, &question.existing, error));
            Parsed::default()
        }),
    };
    let settings = read_settings(&question.settings).map_err(|problems| {
        answer.settings_problems = problems.into_iter().map(Into::into).collect();
    });
    let settings = settings.ok();
    let manifests = parse_with_lists(&question.manifests).unwrap_or_else(|error| {
        answer.unreadable.push(unreadable(ManifestText::Text, &question.manifests, error));
        Parsed::default()
    });
    if answer.unreadable.is_empty() {
        let mut content = LinkContent::default();
        let mut left_of = |text: &str, Parsed { objects, lists, warnings, .. }: &Parsed| {
            link_text(&mut content, text, objects, !lists.is_empty() || !warnings.is_empty())
        };
        let before = left_of(&question.existing, &existing);
        let text = left_of(&question.manifests, &manifests);
        answer.link_texts = Some(LinkTexts { text, before });
    }
    let existing = ExistingObjects::of(existing.objects.iter().map(|document| &document.value));
    let in_cluster = counts(&existing);
    let cluster: &dyn ClusterReader = if in_cluster.is_empty() { &NoCluster } else { &existing };
    let reviewed = |manifest| reviewed_object(manifest, &existing, settings.as_ref(), cluster);
    answer.objects = manifests.objects.iter().map(reviewed).collect();
    answer.in_cluster = settings.filter(|(settings, _)| settings.reads_cluster()).map(|_| in_cluster);
    answer
}

/// `1 Deployment, 2 ResourceQuotas`
fn counts(existing: &ExistingObjects<'_>) -> String {
    let counted = |kind: Kind| match existing.of_kind(kind).count() {
        0 => None,
        1 => Some(format!("1 {kind}")),
        count => Some(format!("{count} {kind}s")),
    };
    Kind::ALL.into_iter().filter_map(counted).collect::<Vec<_>>().join(", ")
}

fn reviewed_object(
    manifest: &Document,
    existing: &ExistingObjects<'_>,
    settings: Option<&(Settings, FeatureGates)>,
    cluster: &dyn ClusterReader,
) -> ReviewedObject {
    let object = &manifest.value;
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let mut answer = ReviewedObject {
        name: format!("{} {:?}", text("/kind"), text("/metadata/name")),
        is_update: false,
        is_known: true,
        unknown: Vec::new(),
        strict_refusal: None,
        decoding_refusal: None,
        refusals: Vec::new(),
        warnings: Vec::new(),
        defaults: Vec::new(),
        unchecked: 0,
        verdict: None,
    };
    if let Some(message) = unserved_version(object) {
        // The server looks at nothing else, but the object may exist in the version that is served.
        answer.is_update = existing.find(&in_served_version(object)).is_ok_and(|found| found.is_some());
        answer.refusals.push(refusal(manifest, Problem::new("apiVersion", message)));
        return answer;
    }
    let gates = settings.map(|(_, gates)| *gates).unwrap_or_default();
    let (replaced, outcome) = match existing.find(object).and_then(|old| Ok((old, existing.dry_run(object, &gates)?))) {
        Ok(found) => found,
        Err(problem) => {
            answer.refusals.push(refusal(manifest, problem));
            return answer;
        }
    };
    let DryRun { object: stored, errors, warnings, unknown, unvalidated } = outcome;
    answer.is_update = replaced.is_some();
    answer.is_known = stored.is_some() || !errors.is_empty();
    answer.unchecked = if answer.is_known { unvalidated.len() } else { 0 };
    answer.strict_refusal = strict_refusal(object, &unknown);
    answer.unknown = unknown.iter().map(|field| unknown_field(manifest, field)).collect();
    answer.decoding_refusal = decoding_refusal(object);
    answer.refusals = errors.into_iter().map(|error| refusal(manifest, error.into())).collect();
    // A client sees warnings only if nothing is refused.
    if answer.refusals.is_empty() {
        answer.warnings = warnings;
        answer.defaults = stored.map(|stored| differences(object, &stored)).unwrap_or_default();
        answer.defaults.retain(|change| !is_never_stored(change));
    }
    if let Some((settings, _)) = settings.filter(|_| answer.is_known) {
        let request = admission_request(object, replaced.map(|replaced| replaced.object), USER);
        // What the API server refuses is never rolled out, whatever the policy says.
        let settings = if answer.refusals.is_empty() { settings.clone() } else { settings.without_forecast() };
        answer.verdict = Some(verdict(&request, &settings, cluster));
    }
    answer
}

/// What kubectl and the API server say of a version in which a kind of Kubernetes is not served: kubectl looks the kind up first,
/// and the server answers 404 to any other client. None for a version that is served, and for custom resources.
///
/// Upstream: `k8s.io/apimachinery/pkg/api/meta/errors.go NoKindMatchError`, and
/// `k8s.io/apimachinery/pkg/api/errors/errors.go NewGenericServerResponse`
fn unserved_version(object: &Value) -> Option<String> {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let (kind, version) = (text("kind")?, text("apiVersion").filter(|version| !version.is_empty())?);
    let is_custom = version.split_once('/').is_some_and(|(group, _)| group.contains('.'));
    let served = Kind::from_name(kind)?.api_version();
    (!is_custom && version != served).then(|| {
        format!("no matches for kind {kind:?} in version {version:?} (the API server: the server could not find the requested resource)")
    })
}

/// The same object in the version in which its kind is served.
fn in_served_version(object: &Value) -> Value {
    let mut object = object.clone();
    let kind = object.get("kind").and_then(Value::as_str).and_then(Kind::from_name);
    if let Some((fields, kind)) = object.as_object_mut().zip(kind) {
        fields.insert("apiVersion".into(), kind.api_version().into());
    }
    object
}

/// What the API server refuses of a manifest, on its line.
fn refusal(manifest: &Document, problem: Problem) -> LineProblem {
    located(Severity::Error, ManifestText::Text, manifest, &problem.path, problem.message)
}

/// A field that Kubernetes does not know, on its line. The message has the path.
fn unknown_field(manifest: &Document, field: &UnknownField) -> LineProblem {
    let found = located(Severity::Warning, ManifestText::Text, manifest, &field.path, field.with_guess());
    LineProblem { path: String::new(), ..found }
}

fn verdict(request: &Value, settings: &Settings, cluster: &dyn ClusterReader) -> Verdict {
    let verdict = review_in_cluster(request, settings, cluster);
    let object = request.get("object").unwrap_or(&Value::Null);
    let writes = verdict.mutated_object.as_ref().map(|mutated| differences(object, mutated)).unwrap_or_default();
    let patch = verdict.mutated_object.as_ref().map(|mutated| json!(json_patch::diff(object, mutated)).to_string());
    let annotations = changeover_core::json::ToJson::to_json(&verdict.audit_annotations);
    let has_annotations = annotations.as_object().is_some_and(|annotations| !annotations.is_empty());
    let refusal = || json!({ "message": verdict.message, "code": verdict.code });
    // What there is, in the order of the API.
    let fields = [
        ("uid", request.get("uid").cloned()),
        ("allowed", Some(verdict.allowed.into())),
        ("status", (!verdict.allowed).then(refusal)),
        ("patchType", patch.is_some().then(|| "JSONPatch".into())),
        ("patch", patch.map(|patch| STANDARD.encode(patch).into())),
        ("warnings", (!verdict.warnings.is_empty()).then(|| json!(verdict.warnings))),
        ("auditAnnotations", has_annotations.then_some(annotations)),
    ];
    let response: Map<String, Value> =
        fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response });
    Verdict {
        is_allowed: verdict.allowed,
        violations: verdict.message.iter().flat_map(|message| message.lines().map(str::to_owned)).collect(),
        warnings: verdict.warnings,
        writes,
        response: serde_json::to_string_pretty(&review).unwrap_or_default(),
    }
}

/// Whether a change is an empty identity: an update takes it from the old object, and a manifest has none.
fn is_never_stored(change: &FieldChange) -> bool {
    ["metadata.uid", "metadata.resourceVersion"].contains(&change.path.as_str())
        && change.after.as_deref() == Some(r#""""#)
}

/// The fields in which two objects differ.
fn differences(before: &Value, after: &Value) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    push_differences(String::new(), Some(before), Some(after), &mut changes);
    changes
}

fn push_differences(path: String, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<FieldChange>) {
    let is_map = |value: Option<&Value>| value.is_none_or(Value::is_object);
    let is_list = |value: Option<&Value>| value.is_none_or(Value::is_array);
    let map = |value: Option<&Value>| value.and_then(Value::as_object).cloned().unwrap_or_default();
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    if before == after {
        return;
    }
    let has_fields = [before, after].into_iter().flatten().any(|value| match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    });
    if has_fields && is_map(before) && is_map(after) {
        let (before, after) = (map(before), map(after));
        let mut keys: Vec<&String> =
            before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))).collect();
        keys.sort();
        for key in keys {
            push_differences(child_path(&path, key), before.get(key), after.get(key), changes);
        }
    } else if has_fields && is_list(before) && is_list(after) {
        let (before, after) = (list(before), list(after));
        for index in 0..before.len().max(after.len()) {
            push_differences(format!("{path}[{index}]"), before.get(index), after.get(index), changes);
        }
    } else {
        changes.push(FieldChange {
            path,
            before: before.map(ToString::to_string),
            after: after.map(ToString::to_string),
        });
    }
}

/// `spec.replicas`, `metadata.labels[example.com/a]`
fn child_path(path: &str, key: &str) -> String {
    if key.contains(['.', '/']) {
        format!("{path}[{key}]")
    } else if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// The settings of the policy, for a form.
pub(crate) fn policy_settings() -> Vec<PolicySetting> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    SETTINGS
        .iter()
        .map(|setting| PolicySetting {
            path: setting.path.to_owned(),
            input: match setting.type_ {
                SettingType::Bool => SettingInput::Switch,
                SettingType::Int32
                | SettingType::Duration
                | SettingType::Replicas
                | SettingType::NumberOrPercentage => SettingInput::Text,
                SettingType::Word(choice) | SettingType::Policy(choice) | SettingType::PolicyByStrategy(choice) => {
                    SettingInput::Choice(words(choice))
                }
                SettingType::Policies(choices) => SettingInput::Choices(words(choices)),
                SettingType::UserNames | SettingType::Namespaces | SettingType::Labels | SettingType::FeatureGates => {
                    SettingInput::Texts
                }
            },
            default: setting.default.to_owned(),
        })
        .collect()
}

/// The settings that the user entered, as texts by their paths, and the feature gates among them.
fn read_settings(entered: &Value) -> Result<(Settings, FeatureGates), Vec<Problem>> {
    let mut settings = json!({});
    for setting in &SETTINGS {
        let Some(text) = entered.get(setting.path).and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty())
        else {
            continue;
        };
        let texts = || text.split(',').map(str::trim).filter(|text| !text.is_empty());
        let value = match setting.type_ {
            SettingType::Bool | SettingType::Int32 | SettingType::Replicas => plain(text),
            SettingType::Duration
            | SettingType::NumberOrPercentage
            | SettingType::Word(_)
            | SettingType::Policy(_)
            | SettingType::PolicyByStrategy(_) => Value::from(text),
            SettingType::Policies(_) | SettingType::UserNames | SettingType::Namespaces => texts().collect(),
            SettingType::Labels => texts()
                .map(|label| label.split_once(['=', ':']).unwrap_or((label, "")))
                .map(|(label, value)| (label.trim().to_owned(), Value::from(value.trim())))
                .collect::<Map<_, _>>()
                .into(),
            SettingType::FeatureGates => texts()
                // As a flag writes them, and as a YAML map does, which the messages name.
                .map(|gate| gate.split_once(['=', ':']).unwrap_or((gate, "true")))
                .map(|(gate, on)| (gate.trim().to_owned(), plain(on.trim())))
                .collect::<Map<_, _>>()
                .into(),
        };
        json_patch::merge(&mut settings, &setting.path.rsplit('.').fold(value, |value, key| json!({ key: value })));
    }
    let gates = FeatureGates::parse(settings.get("feature_gates").unwrap_or(&Value::Null), "feature_gates");
    Ok((validate_settings(&settings)?.for_manifests(), gates?))
}

/// A number, `true` or `false`, or else the text.
fn plain(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_number() || value.is_boolean())
        .unwrap_or(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        image: example/web:v2\n";

    fn ask(manifests: &str, existing: &str, settings: Value) -> Review {
        reviewed(&ReviewQuestion { manifests: manifests.into(), existing: existing.into(), settings })
    }

    fn only(review: Review) -> ReviewedObject {
        let [object] = review.objects.try_into().unwrap();
        object
    }

    #[test]
    fn refusals_have_their_line_and_the_api_servers_words() {
        let object = only(ask(&MANIFEST.replace("replicas: 3", "replicas: -1"), "", json!({})));
        let [refusal] = object.refusals.as_slice() else { panic!("{object:?}") };
        assert_eq!(refusal.line, Some(6));
        let message = format!("{}: {}", refusal.path, refusal.message);
        assert_eq!(message, "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
        let verdict = object.verdict.unwrap();
        assert!(!verdict.is_allowed);
        assert_eq!(verdict.violations, [message]);
        assert!(verdict.response.contains("\"code\": 422"), "{}", verdict.response);
    }

    #[test]
    fn a_wrong_type_is_said_in_the_decoders_words_too() {
        let object = only(ask(&MANIFEST.replace("replicas: 3", "replicas: \"3\""), "", json!({})));
        let expected = "Deployment in version \"v1\" cannot be handled as a Deployment: \
                        json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32";
        assert_eq!(object.decoding_refusal.as_deref(), Some(expected));
        let [refusal] = object.refusals.as_slice() else { panic!("{object:?}") };
        let ours = "Invalid value: \"3\": must be a 32bit integer";
        assert_eq!((refusal.line, refusal.path.as_str(), refusal.message.as_str()), (Some(6), "spec.replicas", ours));
    }

    #[test]
    fn unknown_fields_are_refused_from_kubectl_and_dropped_from_others() {
        let object = only(ask(&MANIFEST.replace("replicas: 3", "replcas: 3"), "", json!({})));
        let expected = r#"Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replcas""#;
        assert_eq!(object.strict_refusal.as_deref(), Some(expected));
        let [field] = object.unknown.as_slice() else { panic!("{object:?}") };
        assert_eq!(field.line, Some(6));
        assert_eq!(field.message, r#"unknown field "spec.replcas": did you mean "replicas"?"#);
        assert_eq!((object.refusals.len(), object.unchecked), (0, 0));
        let dropped = object.defaults.iter().find(|change| change.path == "spec.replcas").unwrap();
        assert_eq!((dropped.before.as_deref(), dropped.after.as_deref()), (Some("3"), None));
    }

    #[test]
    fn defaults_are_a_difference() {
        let object = only(ask(MANIFEST, "", json!({})));
        assert_eq!((object.name.as_str(), object.is_update), ("Deployment \"web\"", false));
        let deadline = object.defaults.iter().find(|change| change.path == "spec.progressDeadlineSeconds").unwrap();
        assert_eq!((deadline.before.as_deref(), deadline.after.as_deref()), (None, Some("600")));
        assert!(object.defaults.iter().all(|change| change.path != "spec.replicas"));
    }

    #[test]
    fn an_update_takes_from_the_old_object_only_what_it_has() {
        let stored = MANIFEST.replace("  name: web\nspec", "  name: web\n  uid: a\n  resourceVersion: '7'\nspec");
        let taken = [("metadata.resourceVersion", r#""7""#), ("metadata.uid", r#""a""#)];
        for (existing, expected) in [(MANIFEST, vec![]), (stored.as_str(), taken.to_vec())] {
            let object = only(ask(MANIFEST, existing, json!({})));
            assert!(object.is_update && !object.defaults.is_empty(), "{object:?}");
            let changes = object.defaults.iter().filter(|change| taken.iter().any(|(path, _)| change.path == *path));
            let changes: Vec<(&str, &str)> =
                changes.map(|change| (change.path.as_str(), change.after.as_deref().unwrap_or_default())).collect();
            assert_eq!(changes, expected);
        }
    }

    #[test]
    fn the_policy_writes_warns_and_forecasts() {
        let settings = json!({
            "pod_replacement_policy.deployments.default": "TerminationComplete",
            "feature_gates": "DeploymentPodReplacementPolicy=true",
            "forecast": "true",
        });
        let object = only(ask(MANIFEST, &MANIFEST.replace(":v2", ":v1"), settings));
        assert!(object.is_update);
        let verdict = object.verdict.unwrap();
        assert!(verdict.is_allowed && !verdict.warnings.is_empty(), "{verdict:?}");
        let [write] = verdict.writes.as_slice() else { panic!("{verdict:?}") };
        assert_eq!(
            (write.path.as_str(), write.after.as_deref()),
            ("spec.podReplacementPolicy", Some("\"TerminationComplete\""))
        );
        let review: Value = serde_json::from_str(&verdict.response).unwrap();
        let patch = STANDARD.decode(review["response"]["patch"].as_str().unwrap()).unwrap();
        let expected = json!([{ "op": "add", "path": "/spec/podReplacementPolicy", "value": "TerminationComplete" }]);
        assert_eq!(serde_json::from_slice::<Value>(&patch).unwrap(), expected);
    }

    #[test]
    fn what_the_api_server_refuses_gets_no_forecast() {
        const QUOTA: &str = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team}\nstatus:\n  hard: {pods: '2'}\n  used: {pods: '3'}\n";
        let existing = format!("{}{QUOTA}", MANIFEST.replace(":v2", ":v1"));
        let settings = json!({ "forecast": "true", "context": "true" });
        let forecast = |manifest: &str| {
            let object = only(ask(manifest, &existing, settings.clone()));
            let verdict = object.verdict.unwrap();
            assert!(verdict.is_allowed, "{verdict:?}");
            (object.refusals.len(), verdict.warnings, verdict.response)
        };
        let (refusals, warnings, _) = forecast(MANIFEST);
        let [rollout, ..] = warnings.as_slice() else { panic!("no forecast") };
        assert!(refusals == 0 && rollout.starts_with("rollout: ") && warnings.len() > 1, "{warnings:?}");
        let (refusals, warnings, response) = forecast(&MANIFEST.replace("{app: web}", "{app: shop}"));
        assert_eq!((refusals, warnings), (1, Vec::new()));
        assert!(!response.contains("forecast"), "{response}");
    }

    #[test]
    fn feature_gates_are_read_as_flags_and_as_messages_write_them() {
        for typed in ["Gate=true", "Gate: true", "Gate:true", "Gate"] {
            let gate = typed.replace("Gate", "DeploymentPodReplacementPolicy");
            let settings = json!({
                "pod_replacement_policy.deployments.default": "TerminationComplete",
                "feature_gates": gate,
            });
            assert_eq!(ask(MANIFEST, "", settings).settings_problems, [], "{typed}");
        }
    }

    #[test]
    fn an_unserved_version_is_refused_in_the_words_of_kubectl_and_of_the_api_server() {
        let object = only(ask(&MANIFEST.replace("apps/v1", "apps/v1beta1"), MANIFEST, json!({})));
        let [refusal] = object.refusals.as_slice() else { panic!("{object:?}") };
        assert_eq!((refusal.line, refusal.path.as_str()), (Some(1), "apiVersion"));
        let expected = r#"no matches for kind "Deployment" in version "apps/v1beta1" (the API server: the server could not find the requested resource)"#;
        assert_eq!(refusal.message, expected);
        // Whether it creates or updates, the server never decides.
        assert!(object.is_update && object.verdict.is_none());
    }

    #[test]
    fn an_unserved_version_updates_the_same_objects_as_a_served_one() {
        let in_namespace = |namespace: &str| {
            MANIFEST.replace("  name: web\nspec", &format!("  name: web\n  namespace: {namespace}\nspec"))
        };
        let (default, shop) = (in_namespace("default"), in_namespace("shop"));
        for (manifest, existing, is_update) in [
            (MANIFEST, default.as_str(), true),
            (default.as_str(), MANIFEST, true),
            (shop.as_str(), default.as_str(), false),
            (MANIFEST, "", false),
        ] {
            let unserved = manifest.replace("apps/v1", "apps/v1beta1");
            let found = [manifest, &unserved].map(|manifest| only(ask(manifest, existing, json!({}))).is_update);
            assert_eq!(found, [is_update; 2], "{manifest}\n{existing}");
        }
    }

    #[test]
    fn the_policy_reads_the_existing_objects() {
        const QUOTA: &str = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: shop}\nstatus:\n  hard: {pods: '2'}\n  used: {pods: '3'}\n";
        let settings = json!({ "context": "true", "quota": "deny" });
        let before = MANIFEST.replace(":v2", ":v1");
        let review = ask(MANIFEST, &format!("{before}{QUOTA}"), settings.clone());
        assert_eq!(review.in_cluster.as_deref(), Some("1 Deployment, 1 ResourceQuota"));
        let verdict = only(review).verdict.unwrap();
        let [violation] = verdict.violations.as_slice() else { panic!("{verdict:?}") };
        assert!(violation.starts_with("spec: Forbidden: exceeds ResourceQuota team: pods="), "{violation}");
        assert!(violation.contains(" of 2; it never completes: room for "), "{violation}");
        // Without any objects, nothing is known of the cluster.
        let review = ask(MANIFEST, "", settings);
        assert_eq!(review.in_cluster.as_deref(), Some(""));
        let warnings = only(review).verdict.unwrap().warnings;
        assert_eq!(warnings, ["the quota is not judged: ResourceQuotas can't be read: there is no cluster to read"]);
        assert_eq!(ask(MANIFEST, &before, json!({})).in_cluster, None);
    }

    #[test]
    fn settings_that_contradict_each_other_are_problems() {
        let review = ask(MANIFEST, "", json!({ "quota": "deny", "pod_deletion_cost.min": "x" }));
        let paths: Vec<&str> = review.settings_problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["pod_deletion_cost.min", "quota"]);
        assert!(only(review).verdict.is_none());
    }

    #[test]
    fn texts_that_cant_be_read_say_so() {
        let review = ask("kind: [", "", json!({}));
        assert!(review.unreadable.len() == 1 && review.objects.is_empty());
        let review = ask(MANIFEST, "kind: [", json!({}));
        assert!(review.unreadable[0].text == ManifestText::Before && review.objects.len() == 1);
        let service = only(ask("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n", "", json!({})));
        assert!(!service.is_known && service.verdict.is_none());
    }

    #[test]
    fn differences_are_leaves() {
        let before = json!({ "a": { "b": 1, "x/y": [1, 2] }, "c": {} });
        let after = json!({ "a": { "b": 2, "x/y": [1] }, "c": { "d": "e" }, "f": [] });
        let texts: Vec<String> = differences(&before, &after)
            .into_iter()
            .map(|change| format!("{} {:?} {:?}", change.path, change.before, change.after))
            .collect();
        let expected = [
            r#"a.b Some("1") Some("2")"#,
            r#"a[x/y][1] Some("2") None"#,
            r#"c.d None Some("\"e\"")"#,
            r#"f None Some("[]")"#,
        ];
        assert_eq!(texts, expected);
    }
}
