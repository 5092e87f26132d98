//! An example of each rule of the catalogue, from a case that reaches it. The runner itself checks the sentence of every
//! decision of every case (at most 160 characters, with the object's name and every number): `src/explained.rs`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use changeover_conformance::{Explained, examples, load};
use changeover_core::explain::{self, Operand, OperandValue, Reason};

/// Rules that no case reaches, and why.
const NOT_REACHED: &[(&str, &str)] = &[
    (
        "cron-job.wait.too-late",
        "the controller only looks for times within startingDeadlineSeconds, so it never finds one too late",
    ),
    (
        "replicaset.delete.sidecar-restarts",
        "in no sync that was recorded does it come so far; `replicaSet.podsToDelete` does",
    ),
    ("user.annotate", USER),
    ("user.untaint-out-of-service", USER),
];
const USER: &str = "no controller's decision, and the KEPs' stories do not need it";

#[test]
fn every_rule_has_an_example() {
    let mut first: BTreeMap<&'static str, (String, Reason)> = BTreeMap::new();
    let cases = load(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")]).unwrap();
    examples(&cases, |case, Explained { reason, .. }| {
        first.entry(reason.rule.id).or_insert_with(|| (case.into(), reason));
    });
    let mut text = String::new();
    for (id, _) in NOT_REACHED {
        assert!(explain::all().any(|rule| rule.id == *id), "{id} is no rule");
    }
    for rule in explain::all() {
        let source = rule.upstream.into_iter().chain(rule.section).collect::<Vec<_>>().join("; ");
        writeln!(text, "{}  {source}", rule.id).unwrap();
        match (first.get(rule.id), NOT_REACHED.iter().find(|(id, _)| *id == rule.id)) {
            (Some((case, reason)), None) => {
                writeln!(text, "    {}", reason.sentence()).unwrap();
                reason.formula().iter().for_each(|line| writeln!(text, "        {line}").unwrap());
                writeln!(text, "    ({case})").unwrap();
            }
            (None, Some((_, why))) => writeln!(text, "    {}\n    (no case: {why})", rule.sentence.text).unwrap(),
            (Some((case, _)), Some(_)) => writeln!(text, "    REACHED by {case}, but listed as not reached").unwrap(),
            (None, None) => writeln!(text, "    NOT REACHED").unwrap(),
        }
    }
    insta::assert_snapshot!(text);
    assert!(!text.contains("REACHED"), "a rule has no case, or one that is listed as without has one");
}

/// Fields, as Kubernetes writes them.
const FIELDS: &[&str] = &[
    "activeDeadlineSeconds",
    "availableReplicas",
    "backoffLimit",
    "collisionCount",
    "completionMode",
    "concurrencyPolicy",
    "deletionTimestamp",
    "failedJobsHistoryLimit",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "managedBy",
    "maxFailedIndexes",
    "maxSurge",
    "maxUnavailable",
    "minAvailable",
    "minReadySeconds",
    "podFailurePolicy",
    "preStop",
    "progressDeadlineSeconds",
    "readyReplicas",
    "revisionHistoryLimit",
    "startTime",
    "startingDeadlineSeconds",
    "successPolicy",
    "successfulJobsHistoryLimit",
    "terminatingReplicas",
    "terminationGracePeriodSeconds",
    "timeZone",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "uncountedTerminatedPods",
];

#[test]
fn texts_have_no_code_identifiers() {
    for rule in explain::all() {
        let sources = rule.operands.iter().map(|operand| operand.source);
        let texts = rule.formula.iter().chain([&rule.sentence]).map(|template| template.text);
        for text in texts.chain(sources) {
            for word in without_placeholders(text).split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
                let camel = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
                let kind = word.starts_with(char::is_uppercase);
                assert!(
                    !word.contains('_') && (!camel || kind || FIELDS.contains(&word)),
                    "{}: {word}: {text}",
                    rule.id
                );
            }
        }
    }
}

/// A text as it stands around its operands: `{name}` is replaced before anybody reads it.
fn without_placeholders(text: &str) -> String {
    let mut parts = text.split('{');
    let before = parts.next().unwrap_or_default();
    let after = parts.map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    [before].into_iter().chain(after).collect::<Vec<_>>().join("0")
}

/// A value such as a shop with long names would have.
fn realistic(operand: &Operand) -> OperandValue {
    match operand.name {
        "deployment" => "payments-gateway".into(),
        "replicaSet" => "payments-gateway-7d9c5b6f48".into(),
        "pod" => "payments-gateway-7d9c5b6f48-x2x4z".into(),
        "node" => "worker-17.eu-west-1".into(),
        "object" | "owner" => "Deployment payments-gateway".into(),
        // The longest of all.
        "why" => "since its sidecars restarted 1000 times and …kq9wd's 1000".into(),
        "detail" => ": paused".into(),
        "ratio" => "1.182".into(),
        _ => 1000.into(),
    }
}

#[test]
fn sentences_are_short_with_long_names() {
    for rule in explain::all() {
        let reason = Reason { rule, values: rule.operands.iter().map(realistic).collect() };
        let sentence = reason.sentence();
        let length = sentence.chars().count();
        assert!(length <= 160, "{}: {length} characters: {sentence}", rule.id);
    }
}

#[test]
fn one_pod_is_singular() {
    for rule in explain::all() {
        let one = |operand: &Operand| match realistic(operand) {
            OperandValue::Int(_) => OperandValue::Int(1),
            text => text,
        };
        let reason = Reason { rule, values: rule.operands.iter().map(one).collect() };
        let sentence = reason.sentence();
        let many = ["1 pods", "1 old pods", "(s)"].into_iter().find(|many| sentence.contains(many));
        assert_eq!(many, None, "{}: {sentence}", rule.id);
    }
}
