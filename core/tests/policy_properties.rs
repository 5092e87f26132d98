//! Properties of the API server's rules and of the policy for every input.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use changeover_core::apiserver::{self, create, update};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::Kind;
use changeover_core::review::{
    ClusterReader, Lookup, NoCluster, Settings, review, review_in_cluster, validate_settings,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Requests and settings of the policy's cases, which random changes start from.
static CASES: LazyLock<Vec<(Value, Value)>> = LazyLock::new(|| {
    inputs("policy.validate").map(|input| (input["request"].clone(), input["settings"].clone())).collect()
});

/// The cases with a cluster.
static CLUSTER_CASES: LazyLock<Vec<Value>> = LazyLock::new(|| inputs("policy.validateInCluster").collect());

/// The inputs of an operation's cases.
fn inputs(op: &str) -> impl Iterator<Item = Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/cases/policy");
    let files = fs::read_dir(folder).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let cases = files.flat_map(|text| serde_json::from_str::<Vec<Value>>(&text).unwrap());
    cases.filter(move |case| case["op"] == op).map(|mut case| case["input"].take())
}

/// Objects that are found by their kind alone.
struct Objects(Vec<Value>);

impl ClusterReader for Objects {
    fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String> {
        Ok(self.list(lookup)?.into_iter().next())
    }

    fn list(&self, lookup: &Lookup<'_>) -> Result<Vec<Value>, String> {
        Ok(self.0.iter().filter(|object| Kind::of(object) == Some(lookup.kind)).cloned().collect())
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![".{0,12}", "[0-9+%-]{0,6}", "TerminationComplete|Failed|Recreate|deny|30s"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Puts a value somewhere into another one: the steps select the child at each level.
fn mutate(target: &mut Value, steps: &[prop::sample::Index], value: Value) {
    let Some((step, rest)) = steps.split_first() else {
        *target = value;
        return;
    };
    match target {
        Value::Object(map) if !map.is_empty() => {
            let key = map.keys().nth(step.index(map.len())).unwrap().clone();
            mutate(&mut map[&key], rest, value);
        }
        Value::Array(items) if !items.is_empty() => {
            let index = step.index(items.len());
            mutate(&mut items[index], rest, value);
        }
        other => *other = value,
    }
}

type Change = (Vec<prop::sample::Index>, Value);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 1..8), any_json()), 0..4)
}

/// A request with some values replaced, and the settings of its case.
fn any_case() -> impl Strategy<Value = (Value, Settings)> {
    (any::<prop::sample::Index>(), changes()).prop_map(|(index, changes)| {
        let (mut request, settings) = CASES[index.index(CASES.len())].clone();
        for (steps, value) in changes {
            mutate(&mut request, &steps, value);
        }
        (request, validate_settings(&settings).unwrap())
    })
}

/// Adds an unknown field to every map of a value.
fn mark(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(mark);
            map.insert("x-unknown".into(), json!({"keep": [1, 2.5, null]}));
        }
        Value::Array(items) => items.iter_mut().for_each(mark),
        _ => {}
    }
}

fn count_marks(value: &Value) -> usize {
    match value {
        Value::Object(map) => usize::from(map.contains_key("x-unknown")) + map.values().map(count_marks).sum::<usize>(),
        Value::Array(items) => items.iter().map(count_marks).sum(),
        _ => 0,
    }
}

/// The maps of an object that can have unknown fields: not maps of strings, selectors and owner references.
fn mark_open(object: &mut Value) {
    for pointer in
        ["", "/spec", "/spec/template", "/spec/template/spec", "/spec/strategy", "/metadata", "/spec/jobTemplate"]
    {
        if let Some(Value::Object(map)) = object.pointer_mut(pointer) {
            map.insert("x-unknown".into(), json!({"keep": [1, 2.5, null]}));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_json_gets_a_verdict(request in any_json(), settings in any_json()) {
        let settings = validate_settings(&settings).unwrap_or_default();
        let verdict = review(&request, &settings);
        prop_assert_eq!(verdict.allowed, verdict.message.is_none());
    }

    #[test]
    fn a_verdict_is_consistent((request, settings) in any_case()) {
        let verdict = review(&request, &settings);
        prop_assert_eq!(verdict.allowed, verdict.message.is_none());
        prop_assert_eq!(verdict.allowed, verdict.code.is_none());
        prop_assert!(verdict.allowed || (verdict.mutated_object.is_none() && verdict.warnings.is_empty()));
        prop_assert!(verdict.warnings.len() <= 8);
        for warning in &verdict.warnings {
            prop_assert!(warning.chars().count() <= 120 && !warning.chars().any(char::is_control), "{}", warning);
        }
    }

    #[test]
    fn a_verdict_in_a_cluster_is_consistent(index in any::<prop::sample::Index>(), changes in changes()) {
        let mut input = CLUSTER_CASES[index.index(CLUSTER_CASES.len())].clone();
        for (steps, value) in changes {
            mutate(&mut input["cluster"], &steps, value);
        }
        let objects = Objects(input["cluster"]["objects"].as_array().cloned().unwrap_or_default());
        let verdict = review_in_cluster(&input["request"], &validate_settings(&input["settings"]).unwrap(), &objects);
        prop_assert_eq!(verdict.allowed, verdict.message.is_none());
        prop_assert_eq!(verdict.allowed, verdict.code.is_none());
        for warning in &verdict.warnings {
            prop_assert!(warning.chars().count() <= 120 && !warning.chars().any(char::is_control), "{}", warning);
        }
    }

    #[test]
    fn defaulting_is_idempotent((mut request, settings) in any_case()) {
        if let Some(patched) = review(&request, &settings).mutated_object {
            request["object"] = patched;
            let again = review(&request, &settings);
            prop_assert!(again.allowed, "{:?}", again.message);
            prop_assert_eq!(again.mutated_object, None);
        }
    }

    #[test]
    fn unknown_fields_survive_and_change_nothing((mut request, settings) in any_case()) {
        let before = review(&request, &settings);
        // In both objects: in only one, it would change the pod template, which is a rollout.
        for key in ["object", "oldObject"] {
            if let Some(object) = request.get_mut(key) {
                mark_open(object);
            }
        }
        let after = review(&request, &settings);
        if before.mutated_object.is_some() {
            let patched = after.mutated_object.as_ref().unwrap();
            prop_assert_eq!(count_marks(patched), count_marks(&request["object"]));
        }
        prop_assert_eq!((before.allowed, before.warnings), (after.allowed, after.warnings));
    }

    #[test]
    fn admission_never_panics_and_keeps_unknown_fields((request, _) in any_case(), old in any_case()) {
        let gates = FeatureGates::default();
        let (object, old) = (&request["object"], &old.0["object"]);
        // A Job's template gets labels, which would count as the user's own the second time.
        if let Ok(admitted) = create(object, apiserver::ALL, &gates)
            && object["kind"] != "Job"
        {
            let again = create(&admitted, apiserver::ALL, &gates);
            prop_assert_eq!(again.as_ref(), Ok(&admitted));
            let mut marked = object.clone();
            mark_open(&mut marked);
            let marks = count_marks(&marked);
            prop_assert_eq!(count_marks(&create(&marked, apiserver::ALL, &gates).unwrap()), marks);
            prop_assert_eq!(update(object, &admitted, apiserver::ALL, &gates).is_ok(), true);
        }
        let _ = update(object, old, apiserver::ALL, &gates);
    }

    #[test]
    fn api_defaults_are_idempotent((request, _) in any_case()) {
        let gates = FeatureGates::default();
        for strategy in apiserver::ALL {
            let mut once = request["object"].clone();
            apiserver::default(&mut once, *strategy, &gates);
            let mut twice = once.clone();
            apiserver::default(&mut twice, *strategy, &gates);
            prop_assert_eq!(once, twice);
        }
    }

    #[test]
    fn settings_report_every_problem_with_its_path(settings in any_json(), key in "[a-z_]{1,8}") {
        let map: Map<String, Value> = [(key.clone(), settings)].into_iter().collect();
        if let Err(problems) = validate_settings(&Value::Object(map)) {
            for problem in problems {
                prop_assert!(problem.path.starts_with(&key), "{}", problem);
            }
        }
    }
}

/// A cluster that does not answer never makes the policy refuse what it would allow without one.
#[test]
fn a_cluster_without_answers_refuses_nothing() {
    // Without a cluster, a Scale is not resolved.
    for input in CLUSTER_CASES.iter().filter(|input| input["request"]["subResource"] != "scale") {
        let mut without = input["settings"].clone();
        for key in ["context", "quota"] {
            without.as_object_mut().unwrap().remove(key);
        }
        let [with, without] = [&input["settings"], &without].map(|settings| validate_settings(settings).unwrap());
        let in_silence = review_in_cluster(&input["request"], &with, &NoCluster);
        let verdict = review(&input["request"], &without);
        assert_eq!((in_silence.allowed, in_silence.message), (verdict.allowed, verdict.message), "{input}");
        assert_eq!(in_silence.mutated_object, verdict.mutated_object);
    }
}

#[test]
fn marks_are_counted() {
    let mut value = json!({"a": [{"b": {}}]});
    mark(&mut value);
    assert_eq!(count_marks(&value), 3);
}
