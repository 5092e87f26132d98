//! An example of each rule of the catalogue, from a case that covers it. The runner itself checks the sentence of every
//! decision in every case (at most 160 characters, with the object's name and every number): `src/explained.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use changeover_conformance::{Explained, examples, load};
use changeover_core::explain::{self, ClauseText, Operand, OperandValue, Phrase, Piece, Reason, RuleText, Template};

/// Rules that no case covers, and why.
const NOT_REACHED: &[(&str, &str)] = &[
    ("replicaset.delete.sidecar-restarts", "no recorded sync gets this far; `replicaSet.podsToDelete` does"),
    ("user.annotate", USER),
    ("user.untaint-out-of-service", USER),
    ("user.add-node", USER),
    ("user.label-node", USER),
    ("user.taint", USER),
    ("user.untaint", USER),
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
        assert!(explain::all().any(|rule| rule.id == *id), "{id} is not a rule");
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
            (None, Some((_, why))) => writeln!(text, "    {}\n    (no case: {why})", with_names(rule)).unwrap(),
            (Some((case, _)), Some(_)) => writeln!(text, "    REACHED by {case}, but listed as not reached").unwrap(),
            (None, None) => writeln!(text, "    NOT REACHED").unwrap(),
        }
    }
    insta::assert_snapshot!(text);
    assert!(!text.contains("REACHED"), "a rule has no case, or a rule listed as not covered has one");
}

/// A rule's sentence with the names of its operands.
fn with_names(rule: &RuleText) -> String {
    let named = |position: usize| {
        rule.operands.get(position).map(|operand| format!("{{{}}}", operand.name)).unwrap_or_default()
    };
    let text = |piece: &Piece| match *piece {
        Piece::Text(words) => String::from(words),
        Piece::Operand(position) => named(position),
        Piece::Plural(_) => String::from("(s)"),
        Piece::Seconds(position) => format!("{} s", named(position)),
    };
    rule.sentence.iter().map(text).collect()
}

/// Field names, as Kubernetes writes them.
const FIELDS: &[&str] = &[
    "activeDeadlineSeconds",
    "availableReplicas",
    "backoffLimit",
    "collisionCount",
    "completionMode",
    "concurrencyPolicy",
    "creationTimestamp",
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
    "nominatedNodeName",
    "persistentVolumeClaimRetentionPolicy",
    "podFailurePolicy",
    "podManagementPolicy",
    "preStop",
    "progressDeadlineSeconds",
    "readyReplicas",
    "restartCount",
    "revisionHistoryLimit",
    "rollingUpdate",
    "startTime",
    "startingDeadlineSeconds",
    "successPolicy",
    "successThreshold",
    "successfulJobsHistoryLimit",
    "terminatingReplicas",
    "terminationGracePeriodSeconds",
    "timeZone",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "uncountedTerminatedPods",
    "updateStrategy",
    "whenDeleted",
    "whenScaled",
];

#[test]
fn texts_have_no_code_identifiers() {
    for rule in explain::all() {
        for template in rule.formula.iter().chain([&rule.sentence]) {
            no_code_identifiers(rule.id, template, rule.operands);
        }
    }
    for clause in explain::clauses() {
        no_code_identifiers("a clause", clause.words, clause.operands);
    }
}

fn no_code_identifiers(of: &str, template: Template, operands: &[Operand]) {
    let sources = operands.iter().map(|operand| operand.source);
    let words = template.iter().filter_map(|piece| if let Piece::Text(words) = piece { Some(*words) } else { None });
    for text in words.chain(sources) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let camel = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
            let kind = word.starts_with(char::is_uppercase);
            assert!(!word.contains('_') && (!camel || kind || FIELDS.contains(&word)), "{of}: {word}: {text}");
        }
    }
}

/// Operands that are not just numbers, as a shop with long names would have them.
const REALISTIC: &[(&str, &str)] = &[
    ("deployment", "payments-gateway"),
    ("replicaSet", "payments-gateway-7d9c5b6f48"),
    ("pod", "payments-gateway-7d9c5b6f48-x2x4z"),
    ("node", "worker-17.eu-west-1"),
    ("object", "Deployment payments-gateway"),
    ("owner", "Deployment payments-gateway"),
    ("other", "payments-gateway-7d9c5b6f48-kq9wd"),
    ("ready", "23 min 59 s ago"),
    ("otherReady", "23 min 59 s ago"),
    ("created", "23 min 59 s ago"),
    ("otherCreated", "23 min 59 s ago"),
    ("ratio", "1.182"),
];

/// A value as a shop with long names would have it.
fn realistic(operand: &Operand) -> OperandValue {
    match (operand.name, REALISTIC.iter().find(|(name, _)| *name == operand.name)) {
        ("other", Some((_, name))) => OperandValue::Sibling((*name).into()),
        // Controllers count ready pods; only for a pod that is ranked, it is a time.
        ("ready", _) if operand.source.contains("status.") => 1000.into(),
        (_, Some((_, text))) => (*text).into(),
        // A node has at most 110 pods.
        ("related" | "otherRelated", None) => 110.into(),
        (_, None) => 1000.into(),
    }
}

#[test]
fn every_realistic_value_belongs_to_an_operand() {
    let of_rules = explain::all().flat_map(|rule| rule.operands);
    let of_clauses = explain::clauses().flat_map(|clause| clause.operands);
    let names: BTreeSet<&str> = of_rules.chain(of_clauses).map(|operand| operand.name).collect();
    let stale: Vec<_> = REALISTIC.iter().filter(|(name, _)| !names.contains(name)).collect();
    assert!(stale.is_empty(), "{stale:?}");
}

/// The reasons of a rule whose operands have these values: as many as it takes to have each variant of its clauses once.
fn reasons(rule: &'static RuleText, value: impl Fn(&Operand) -> OperandValue) -> Vec<Reason> {
    let phrase = |text: &'static ClauseText| Phrase { text, values: text.operands.iter().map(&value).collect() };
    let reason = |variant: usize| {
        let value = |operand: &Operand| match operand.clauses.iter().copied().cycle().nth(variant) {
            Some(text) => OperandValue::Clause(Box::new(phrase(text))),
            None => value(operand),
        };
        Reason { rule, values: rule.operands.iter().map(value).collect() }
    };
    let variants = rule.operands.iter().map(|operand| operand.clauses.len()).max().unwrap_or(0);
    (0..variants.max(1)).map(reason).collect()
}

#[test]
fn sentences_are_short_with_long_names() {
    for reason in explain::all().flat_map(|rule| reasons(rule, realistic)) {
        let sentence = reason.sentence();
        let length = sentence.chars().count();
        let has_clause = reason.values.iter().any(|value| matches!(value, OperandValue::Clause(_)));
        // With two pods to compare, the ends of these long names do not count, as in the runner.
        let fits =
            length <= 160 || has_clause && Explained::about("payments-gateway", reason.clone()).problem().is_none();
        assert!(fits, "{}: {length} characters: {sentence}", reason.rule.id);
    }
}

/// A Job's controller compares times to the second, which take more room than the ages that a ReplicaSet's compares.
#[test]
fn a_surplus_pod_of_a_job_fits_with_long_names_and_times() {
    const POD: &str = "nightly-report-0-abcde-xy";
    const TIME: &str = "2026-01-01T00:13:25Z";
    let longest = |operand: &Operand| match operand.name {
        "job" | "pod" => POD.into(),
        "other" => OperandValue::Sibling(POD.into()),
        "ready" | "otherReady" | "created" | "otherCreated" => TIME.into(),
        _ => realistic(operand),
    };
    let rule = explain::all().find(|rule| rule.id == "job.delete.surplus").unwrap();
    for reason in reasons(rule, longest) {
        let sentence = reason.sentence();
        let length = sentence.chars().count();
        assert!(length <= 160, "{length} characters: {sentence}");
    }
}

#[test]
fn one_pod_is_singular() {
    let one = |operand: &Operand| match realistic(operand) {
        OperandValue::Int(_) => OperandValue::Int(1),
        text => text,
    };
    for reason in explain::all().flat_map(|rule| reasons(rule, one)) {
        let sentence = reason.sentence();
        let many = ["1 pods", "1 old pods", "1 times", "(s)"].into_iter().find(|many| sentence.contains(many));
        assert_eq!(many, None, "{}: {sentence}", reason.rule.id);
    }
}
