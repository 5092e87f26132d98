//! The command's output and exit codes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::{env, fs};

const PASSES: &str = r#"{"name": "free", "op": "pod.deletionCost", "source": "KEP-2255", "input": {"annotations": {}}, "expected": {"cost": 0}}"#;
const FAILS: &str = r#"{"name": "dear", "op": "pod.deletionCost", "source": "KEP-2255", "input": {"annotations": {}}, "expected": {"cost": 7}}"#;
const UNKNOWN: &str =
    r#"{"name": "tide", "op": "moon.phase", "source": "the sky", "input": {}, "expected": {"phase": "full"}}"#;
const MISSPELT: &str = r#"{"name": "typo", "op": "pod.deletionCost", "source": "KEP-2255", "input": {"anotations": {}}, "expected": {"cost": 0}}"#;

/// The first creation succeeds, the others exceed a quota.
const REFUSED: &str = r#"{"name": "quota", "op": "replicaSet.sync", "source": "KEP-2255", "now": "2026-03-02T12:00:00Z",
  "input": {
    "replicaSet": {
      "metadata": {"name": "shop", "namespace": "store", "uid": "1"},
      "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "shop"}}, "template": {"metadata": {"labels": {"app": "shop"}}}}
    },
    "refuse": [{"verb": "create", "resource": "pods", "after": 1, "code": 403, "message": "exceeded quota"}]
  },
  "expected": {
    "error": "exceeded quota",
    "events": [
      "Normal SuccessfulCreate Created pod: shop-",
      "Warning FailedCreate Error creating: exceeded quota",
      "Warning FailedCreate Error creating: exceeded quota"
    ]
  }
}"#;

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

fn run(arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_changeover-conformance")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

#[test]
fn a_failure_is_shown_with_its_first_difference() {
    let path = file("mixed.jsonl", &[PASSES, FAILS, "", UNKNOWN].join("\n"));
    let path = path.to_str().unwrap();
    let (output, text) = run(&[path]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "FAILED {path}: dear (pod.deletionCost)\n    /cost: expected 7, got 0\n\
         moon.phase        1 skipped: the runner does not know this operation\n\
         pod.deletionCost  1 of 2\n\
         1 passed, 1 failed, 1 skipped\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn cases_are_selected_by_operation_and_name() {
    let path = file("selected.jsonl", &[PASSES, FAILS, UNKNOWN].join("\n"));
    let path = path.to_str().unwrap();
    let (output, text) = run(&["--op", "pod.*", "--name", "f*", path]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.ends_with("\n1 passed, 0 failed, 0 skipped\n"), "{text}");
}

#[test]
fn the_names_of_passing_cases_are_listed() {
    let path = file("listed.jsonl", &[PASSES, FAILS, UNKNOWN].join("\n"));
    let (output, text) = run(&["--passed", path.to_str().unwrap()]);
    assert_eq!((output.status.code(), &*text), (Some(1), "free\n"));
}

#[test]
fn calls_are_refused_as_the_case_specifies() {
    let path = file("refused.json", &format!("[{REFUSED}]"));
    let (output, text) = run(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn an_unreadable_case_fails() {
    let path = file("broken.jsonl", &[MISSPELT, "{"].join("\n"));
    let (output, text) = run(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("input.anotations: Unsupported value: \"anotations\": supported values: "), "{text}");
    assert!(text.contains("case 2 (unreadable)"), "{text}");
    assert!(text.ends_with("0 passed, 2 failed, 0 skipped\n"), "{text}");
}

#[test]
fn missing_files_are_reported_in_one_sentence() {
    for (arguments, message) in [
        (&["nowhere.jsonl"][..], "changeover-conformance: nowhere.jsonl: No such file or directory (os error 2)\n"),
        (&[], "changeover-conformance: no file or folder with cases is given; try --help\n"),
        (&["--op"], "changeover-conformance: missing argument for option '--op'; try --help\n"),
    ] {
        let (output, text) = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text, "");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    }
}
