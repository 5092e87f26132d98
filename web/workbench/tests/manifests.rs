//! Manifests of the shape that charts render, recorded states in the middle of a rollout, and hostile texts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use changeover_wire::{
    Answer, DeploymentName, ManifestChange, Manifests, PlayRequest, PlayedLane, Question, Reading, Request, Response,
    Severity, Source, Variation,
};
use changeover_workbench::{Player, answer_to};
use serde_json::{Value, json};

fn read(text: &str, before: Option<&str>) -> (Reading, Vec<String>) {
    let surroundings = json!({
        "nodes": [{ "name": "node-a" }, { "name": "node-b" }],
        "kubelet": [{ "ready": "6s", "terminate": "20s" }],
        "controllerManager": {},
    });
    let before = before.map(str::to_owned);
    let manifests = Manifests { text: text.to_owned(), before, deployment: None, surroundings };
    let proposed = Variation { proposed_policy: Some("TerminationComplete".to_owned()), patch: Value::Null };
    let (answer, scenarios) = answer_to(&Question::Read {
        manifests,
        fields: Vec::new(),
        write: false,
        lanes: vec![Variation::default(), proposed],
    });
    let Answer::Read(reading) = answer else { panic!("{answer:?}") };
    (*reading, scenarios)
}

fn play(reading: &Reading, scenario: &str) -> PlayedLane {
    let request = PlayRequest {
        generation: 1,
        lane: 0,
        shown: 0,
        source: Source::Scenario(serde_json::from_str(scenario).unwrap()),
        deployment: reading.shown.clone(),
        begin: 0,
        forks: Vec::new(),
        pins: Vec::new(),
    };
    match Player::new().respond(Request::Play(request)) {
        Response::Played(played) => *played,
        other => panic!("{other:?}"),
    }
}

/// The YAML files of a folder, by name.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|it| it == "yaml")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn errors(reading: &Reading) -> Vec<String> {
    let errors = reading.problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| format!("{:?} {}: {}", problem.line, problem.path, problem.message)).collect()
}

#[test]
fn charts_play_a_rollout() {
    let charts = files("cli/charts");
    assert!(charts.len() >= 10);
    for (path, text) in charts {
        let name = path.display();
        let (reading, scenarios) = read(&text, None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
        assert!(matches!(reading.change, ManifestChange::Image(_)), "{name}");
        assert_eq!(scenarios.len(), 2, "{name}");
        for scenario in &scenarios {
            let played = play(&reading, scenario);
            let shown = played.workload.clone().map(|it| DeploymentName { namespace: it.namespace, name: it.name });
            assert_eq!(shown, reading.shown, "{name}");
            assert!(played.totals.complete.is_some() && played.totals.rollout_start == Some(0), "{name}: {played:?}");
        }
    }
}

#[test]
fn recorded_states_go_on_from_where_they_stand() {
    let states = files("controlplane/states");
    assert!(states.len() >= 10);
    let mut going_on = 0;
    for (path, text) in states {
        let name = path.display();
        let (reading, scenarios) = read(&text, None);
        assert_eq!(errors(&reading), Vec::<String>::new(), "{name}");
        if reading.shown.is_none() {
            assert!(path.to_string_lossy().contains("job-"), "{name}");
            continue;
        }
        assert_eq!(reading.change, ManifestChange::Nothing, "{name}");
        assert!(reading.read_at.is_some(), "{name}");
        let played = play(&reading, &scenarios[0]);
        going_on += usize::from(played.totals.last_old_pod_gone.is_none_or(|gone| gone > 0));
        assert!(played.totals.peak > 0, "{name}");
    }
    assert!(going_on >= 10, "{going_on}");
}

#[test]
fn a_difference_of_two_states_is_a_rollout() {
    let (_, text) = files("cli/charts").remove(0);
    let (_, image) = text.split_once("image: ").unwrap();
    let image = image.lines().next().unwrap();
    let (reading, scenarios) = read(&text.replace(image, "registry.example/other:9"), Some(&text));
    assert_eq!((errors(&reading), reading.change.clone()), (vec![], ManifestChange::Difference));
    assert_eq!(play(&reading, &scenarios[0]).totals.rollout_start, Some(0));
}

#[test]
fn hostile_texts_get_one_sentence() {
    let bomb: String = (0..30)
        .map(|level| match level {
            0 => "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(),
            level => format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")),
        })
        .collect();
    let nested = "[".repeat(100_000);
    let nested_block: String = (0..3_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let cases = [
        ("", "must be an object in YAML or JSON"),
        (bomb.as_str(), "alias"),
        (nested.as_str(), "limit"),
        (nested_block.as_str(), "levels"),
        ("\u{0}\u{1}\u{2}PNG", "U+0000"),
        ("- a\n- b\n", "must be an object"),
        ("{{ if .Values.x }}\nkind: Deployment\n", "must be"),
        ("just a sentence", "must be an object"),
    ];
    for (text, expected) in cases {
        let (reading, scenarios) = read(text, None);
        let [problem] = reading.problems.as_slice() else { panic!("{:?}", reading.problems) };
        assert!(problem.message.contains(expected), "{}", problem.message);
        assert!(problem.message.chars().count() < 300, "{}", problem.message);
        assert_eq!(scenarios.len(), 0);
    }
    let (reading, _) = read("apiVersion: apps/v7\nkind: Deployment\nmetadata: {name: a}\n", None);
    assert!(!reading.problems.is_empty());
    let (reading, _) = read("apiVersion: apps.openshift.io/v1\nkind: Deployment\nmetadata: {name: a}\n", None);
    assert_eq!(reading.objects[0].left_out.as_deref(), Some("objects of this kind are not simulated"));
}
