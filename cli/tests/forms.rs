//! Whatever is predicted, all forms of the answer agree.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod memory_host;

use std::collections::BTreeMap;

use changeover_cli::{Exit, run};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::memory_host::MemoryHost;

/// What `changeover predict` says with more arguments.
fn predicted(texts: &BTreeMap<&'static str, String>, more: &[&str]) -> (Exit, String) {
    let mut host = MemoryHost { files: texts.clone(), ..MemoryHost::default() };
    let arguments = ["changeover", "predict", "old.json", "new.json", "--quota", "quota.json"];
    let arguments: Vec<String> = arguments.iter().chain(more).map(|argument| (*argument).to_owned()).collect();
    let exit = run(&mut host, &arguments);
    assert_eq!(host.errors, "");
    (exit, host.output)
}

fn deployment(replicas: i32, strategy: &Value, image: &str) -> String {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas, "strategy": strategy,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": image }] },
            },
        },
    })
    .to_string()
}

fn strategy() -> impl Strategy<Value = Value> {
    let rolling = (0..4, 0..4).prop_filter("both are 0", |pair| *pair != (0, 0)).prop_map(|(surge, unavailable)| {
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } })
    });
    prop_oneof![rolling, Just(json!({ "type": "Recreate" }))]
}

/// A text without escape codes.
fn without_colors(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    plain
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_forms_agree(before in 0..9, after in 0..9, strategy in strategy(), pods in 0..20, fail_on in 0..4_usize, worst: bool) {
        // All orders of a few pods are explored fast.
        let (before, after) = if worst { (before % 4, after % 4) } else { (before, after) };
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" }, "spec": { "hard": { "pods": pods } },
        });
        let texts = BTreeMap::from([
            ("old.json", deployment(before, &strategy, "web:1")),
            ("new.json", deployment(after, &strategy, "web:2")),
            ("quota.json", quota.to_string()),
        ]);
        let fail_on = ["quota,pending,incomplete", "peak=110%,unavailable=1", "none", "worst,quota,incomplete"].get(fail_on).copied().unwrap_or("none");
        let worst: &[&str] = if worst { &["--worst"] } else { &[] };
        let in_form = |form: &str| predicted(&texts, &[&["-o", form, "--fail-on", fail_on], worst].concat());

        let (exit, report) = in_form("json");
        let report: Value = serde_json::from_str(&report).unwrap();
        let findings = report.get("findings").and_then(Value::as_array).unwrap();
        let warnings = report.pointer("/prediction/warnings").and_then(Value::as_array).unwrap();
        let said_by = |finding: &Value, warning: &Value| finding.get("message") == warning.get("message");
        // A loss of all pods is a warning, and is shown whatever the conditions are.
        let is_always_shown = |finding: &Value| {
            finding.get("condition") == Some(&Value::from("unavailable")) && warnings.iter().any(|warning| said_by(finding, warning))
        };
        let is_named = |finding: &Value| {
            let found = finding.get("condition").and_then(Value::as_str);
            fail_on.split(',').any(|condition| condition.split('=').next() == found) && !is_always_shown(finding)
        };
        let fails = |finding: &&Value| finding.get("fails") == Some(&Value::from(true));
        let failing = findings.iter().filter(fails).count();
        prop_assert_eq!(failing, findings.iter().filter(|finding| is_named(finding)).count());
        prop_assert_eq!(exit, if failing > 0 { Exit::Findings } else { Exit::Clean });
        let has_other_warnings = warnings.iter().any(|warning| !findings.iter().any(|finding| said_by(finding, warning)));
        let has_notes = findings.len() > failing || has_other_warnings;
        let about_limits = findings.iter().filter(|finding| !is_always_shown(finding)).count();

        let (text_exit, text) = in_form("text");
        let in_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for finding in findings {
            let message = finding.get("message").and_then(Value::as_str).unwrap();
            prop_assert!(in_one_line.contains(message.trim_end_matches('.')), "{}\n{}", message, text);
        }
        let (_, colored) = predicted(&texts, &[&["--color", "always", "--fail-on", fail_on], worst].concat());
        prop_assert_eq!(without_colors(&colored), text);

        let (github_exit, annotations) = in_form("github");
        prop_assert!(annotations.lines().all(|line| line.starts_with("::")));
        let count = |level: &str| annotations.lines().filter(|line| line.starts_with(level)).count();
        // The first line is the verdict.
        prop_assert_eq!(count("::error "), failing.saturating_add(usize::from(failing > 0)));
        prop_assert!(count("::warning ").saturating_add(failing) >= findings.len());

        let (junit_exit, xml) = in_form("junit");
        prop_assert_eq!(xml.contains("<failure "), failing > 0);
        prop_assert!(!has_notes || xml.contains("<system-out>"));
        let (markdown_exit, markdown) = in_form("markdown");
        prop_assert_eq!(markdown.starts_with("### ✓"), about_limits == 0);
        prop_assert_eq!([text_exit, github_exit, junit_exit, markdown_exit], [exit; 4]);
    }
}
