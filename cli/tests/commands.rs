//! Commands on a machine in memory.

mod memory_host;

use std::collections::BTreeMap;

use changeover_cli::{Exit, Terminals, run};
use serde_json::{Value, json};

use crate::memory_host::MemoryHost;

const OLD: &str = include_str!("../../tests/cli/cases/predict.in/old/web.yaml");
const NEW: &str = include_str!("../../tests/cli/cases/predict.in/new/web.yaml");
const ROLLING: &str = include_str!("../../tests/cli/cases/explain.in/rolling.json");
const COMPLETE: &str = include_str!("../../tests/cli/cases/explain.in/complete.json");
const PAUSED: &str = include_str!("../../tests/cli/cases/explain.in/paused.json");
const STUCK: &str = include_str!("../../tests/cli/cases/explain.in/quota.json");

/// A machine with these files.
fn host(files: &[(&'static str, &str)]) -> MemoryHost {
    let files = files.iter().map(|(path, text)| (*path, (*text).to_owned()));
    MemoryHost { files: BTreeMap::from_iter(files), ..MemoryHost::default() }
}

/// Runs a command line, of which the first word is the program.
fn type_in(host: &mut MemoryHost, words: &str) -> Exit {
    run(host, &words.split(' ').map(str::to_owned).collect::<Vec<_>>())
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let mut of_files = host(&[("old.yaml", OLD), ("new.yaml", NEW)]);
    assert_eq!(type_in(&mut of_files, "changeover predict old.yaml new.yaml"), Exit::Clean);
    for (command, file, text, piped) in [
        ("changeover predict old.yaml -", "old.yaml", OLD, NEW),
        ("changeover predict - new.yaml", "new.yaml", NEW, OLD),
    ] {
        let mut host = MemoryHost { stdin: Some(piped.to_owned()), ..host(&[(file, text)]) };
        assert_eq!(type_in(&mut host, command), Exit::Clean);
        assert_eq!((host.output, host.errors, host.stdin), (of_files.output.clone(), String::new(), None));
    }
}

#[test]
fn standard_input_has_no_lines_to_annotate() {
    let command = "changeover predict old.yaml - --fail-on peak=10 -o github";
    let mut host = MemoryHost { stdin: Some(NEW.to_owned()), ..host(&[("old.yaml", OLD)]) };
    assert_eq!(type_in(&mut host, command), Exit::Findings);
    assert!(host.output.lines().all(|line| line.starts_with("::error title=changeover::")), "{}", host.output);
}

#[test]
fn a_bar_shows_the_progress_and_is_removed() {
    let arguments = "changeover advise web.yaml --max-pods 16";
    let two = OLD.replace("replicas: 10", "replicas: 2");
    let mut piped = host(&[("web.yaml", &two)]);
    assert_eq!((type_in(&mut piped, arguments), piped.errors.as_str()), (Exit::Clean, ""));

    let terminals = Terminals { error: true, output: false };
    let mut watched = MemoryHost { terminals, ..host(&[("web.yaml", &two)]) };
    assert_eq!(type_in(&mut watched, arguments), Exit::Clean);
    assert_eq!(watched.output, piped.output);
    let lines: Vec<&str> = watched.errors.split("\r\u{1b}[K").collect();
    let [first, drawn @ .., last] = lines.as_slice() else { panic!("{:?}", watched.errors) };
    assert_eq!([*first, *last], [""; 2]);
    assert!(drawn.len() >= 5, "{drawn:?}");
    for (done, line) in (1..).zip(drawn) {
        // How many settings are worth a try shows only in the course of the search.
        assert!(line.contains(&format!(" setting {done} of ")), "{line}");
        assert_eq!(line.chars().filter(|character| "█░".contains(*character)).count(), 30, "{line}");
    }
}

#[test]
fn a_bar_counts_the_rollouts_that_are_held_up() {
    let arguments = "changeover explain -f paused.json --now 2026-01-01T12:00:00Z";
    let terminals = Terminals { error: true, output: false };
    let mut watched = MemoryHost { terminals, ..host(&[("paused.json", PAUSED)]) };
    assert_eq!(type_in(&mut watched, arguments), Exit::Clean);
    let lines: Vec<&str> = watched.errors.split("\r\u{1b}[K").collect();
    assert!(
        matches!(lines.as_slice(), ["", bar, ""] if bar.ends_with(" finding remedies for rollout 1 of 1")),
        "{lines:?}"
    );
}

#[test]
fn a_bar_names_the_deployment_that_is_explored() {
    let three = |manifest: &str| {
        let small = manifest.replace("replicas: 10", "replicas: 1");
        let named = |name: &str| {
            small.replace("name: web", &format!("name: {name}")).replace("app: web", &format!("app: {name}"))
        };
        ["a", "b", "c"].map(named).join("---\n")
    };
    let files = [("old.yaml", three(OLD)), ("new.yaml", three(NEW))];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let arguments = "changeover predict old.yaml new.yaml --worst";
    let mut piped = host(&files);
    assert_eq!((type_in(&mut piped, arguments), piped.errors.as_str()), (Exit::Clean, ""));

    let terminals = Terminals { error: true, output: false };
    let mut watched = MemoryHost { terminals, ..host(&files) };
    assert_eq!(type_in(&mut watched, arguments), Exit::Clean);
    assert_eq!(watched.output, piped.output);
    let lines: Vec<&str> = watched.errors.split("\r\u{1b}[K").collect();
    let bar = |[full, empty]: [usize; 2], number: usize| {
        format!("{}{} exploring Deployment {number} of 3", "█".repeat(full), "░".repeat(empty))
    };
    assert_eq!(lines, ["", &bar([0, 30], 1), &bar([10, 20], 2), &bar([20, 10], 3), ""]);
}

#[test]
fn rollouts_of_several_namespaces_are_told_apart() {
    let elsewhere = COMPLETE.replace("\"shop\"", "\"stage\"").replace("\"uid\": \"", "\"uid\": \"stage-");
    let mut host = host(&[("shop.json", ROLLING), ("stage.json", &elsewhere)]);
    assert_eq!(
        type_in(&mut host, "changeover explain -f shop.json -f stage.json --now 2026-01-01T12:00:00Z"),
        Exit::Clean
    );
    let headlines: Vec<&str> = host.output.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    for headline in ["shop/web is in progress", "stage/web is complete"] {
        assert!(headlines.contains(&headline), "{}", host.output);
    }
}

#[test]
fn a_prediction_without_deployments_and_jobs_promises_nothing() {
    let set = |image: &str| {
        let kind = NEW.replace("kind: Deployment", "kind: DaemonSet");
        kind.replace("web:2", image).split("---").next().unwrap().to_owned()
    };
    let quota = "{ apiVersion: v1, kind: ResourceQuota, metadata: { name: few }, spec: { hard: { pods: 1 } } }";
    let (old, new) = (set("web:1"), set("web:2"));
    let predict = |form: &str| {
        let mut host = host(&[("old.yaml", &old), ("new.yaml", &new), ("quota.yaml", quota)]);
        let exit = type_in(&mut host, &format!("changeover predict old.yaml new.yaml --quota quota.yaml -o {form}"));
        assert_eq!((exit, host.errors.as_str()), (Exit::Findings, ""));
        host.output
    };
    for form in ["text", "markdown", "github", "junit"] {
        let output = predict(form);
        assert!(output.contains("DaemonSet web"), "{output}");
        let promises = ["no findings", "No findings", "✓", "Nothing changes"];
        assert!(promises.iter().all(|promise| !output.contains(promise)), "{output}");
    }
    let json = predict("json");
    assert!(json.contains("\"workloads\": []") && json.contains("\"jobs\": []"), "{json}");
}

#[test]
fn a_report_has_the_command_of_an_obstacle() {
    let mut host = host(&[("paused.json", PAUSED)]);
    let command = "changeover explain -f paused.json --now 2026-01-01T12:00:00Z -o json";
    assert_eq!(type_in(&mut host, command), Exit::Clean);
    let report: Value = serde_json::from_str(&host.output).unwrap();
    let resume = "kubectl rollout resume deployment/web --namespace shop";
    let obstacle = json!({ "why": "it is paused", "remedy": "resume it", "command": resume });
    assert_eq!(report["rollouts"][0]["obstacles"], json!([obstacle]));
}

#[test]
fn explain_names_the_command_that_shows_how_jobs_end() {
    const JOB: &str = include_str!("../../tests/controlplane/states/job-backing-off.yaml");
    const SENTENCE: &str = "To see how Jobs end, use changeover predict.\n";
    let mut host = host(&[("complete.json", COMPLETE), ("job.yaml", JOB)]);
    let both = "changeover explain -f complete.json -f job.yaml --now 2026-11-26T10:18:12Z";
    assert_eq!(type_in(&mut host, both), Exit::Clean, "{}", host.errors);
    assert!(host.output.contains(SENTENCE), "{}", host.output);
    host.output.clear();
    assert_eq!(type_in(&mut host, "changeover explain -f complete.json --now 2026-01-01T12:00:00Z"), Exit::Clean);
    assert!(!host.output.contains(SENTENCE), "{}", host.output);
}

#[test]
fn explain_says_whose_remedies_were_not_simulated() {
    let objects = |index: usize| {
        let text = PAUSED.replace("shop", &format!("shop-{index}"));
        let text = text.replace("\"uid\": \"", &format!("\"uid\": \"{index}-"));
        serde_json::from_str::<Value>(&text).unwrap()["items"].as_array().unwrap().clone()
    };
    for (rollouts, is_said) in [(10, false), (11, true)] {
        let items: Vec<Value> = (0..rollouts).flat_map(objects).collect();
        let state = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
        let mut host = host(&[("state.json", &state)]);
        let command = "changeover explain -f state.json --now 2026-01-01T12:00:00Z";
        assert_eq!(type_in(&mut host, command), Exit::Clean);
        assert_eq!(host.output.matches("\n  try ").count(), 10, "{}", host.output);
        let said = "Remedies were simulated for the first 10 of 11 rollouts that are held up.";
        assert_eq!(host.output.contains(said), is_said, "{}", host.output);
    }
}

#[test]
fn long_names_of_pods_that_wait_are_aligned() {
    let two = |text: &str| format!("{text}\n---\n{}", text.replace("web", "frontend-gateway"));
    let files = [("old.yaml", two(OLD)), ("new.yaml", two(NEW)), ("nodes.yaml", "name: a\npods: 22\n".to_owned())];
    let mut host = host(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    type_in(&mut host, "changeover predict old.yaml new.yaml --nodes nodes.yaml");
    let waiting = host.output.lines().filter(|line| line.contains(" pods wait from "));
    let is_digit = |character: char| character.is_ascii_digit();
    let mut labels: Vec<&str> = waiting.filter_map(|line| line.split(is_digit).next()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["  frontend-gateway ", "  web              "], "{}", host.output);
}

#[test]
fn suggested_commands_name_the_program_as_the_user_does() {
    for (program, name) in [("/usr/bin/changeover", "changeover"), ("kubectl-changeover", "kubectl changeover")] {
        let mut host = host(&[("state.json", STUCK)]);
        let command = format!("{program} predict state.json --now 2026-01-01T12:00:00Z");
        assert_eq!(type_in(&mut host, &command), Exit::Findings);
        for suggested in ["advise state.json", "explain shop/web -f state.json"] {
            assert!(host.output.contains(&format!(": {name} {suggested} ")), "{}", host.output);
        }
        assert_eq!(type_in(&mut host, &format!("{program} explain")), Exit::Unusable);
        assert!(host.errors.ends_with(&format!("(see {name} explain --help)\n")), "{}", host.errors);
    }
}

/// A fleet of which one namespace has a quota that its workloads exceed.
fn fleet(image: &str) -> String {
    let deployment = |(name, namespace, replicas): (&str, &str, u32)| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec:\n  \
             replicas: {replicas}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
             spec: {{containers: [{{name: app, image: {image}, resources: {{requests: {{cpu: 250m}}}}}}]}}\n"
        )
    };
    let deployments = [("web", "a", 4), ("api", "a", 3), ("shop", "b", 6), ("batch", "b", 2), ("cart", "c", 5)];
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: a}\nspec: {hard: {pods: 8}}\n"
        .to_owned();
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: c}\nspec: {replicas: 2, template: {spec: {containers: [{name: db, image: IMAGE}]}}}\n";
    let documents = deployments.into_iter().map(deployment).chain([quota, set.replace("IMAGE", image)]);
    documents.collect::<Vec<_>>().join("---\n")
}

#[test]
fn merged_shards_are_the_report_of_the_whole() {
    let (old, new) = (fleet("app:1"), fleet("app:2"));
    for conditions in ["", " --fail-on none", " --fail-on peak=120%,no-limit,warning", " --prune"] {
        let command = format!("changeover predict old.yaml new.yaml --mode exact -o json{conditions}");
        let mut whole = host(&[("old.yaml", &old), ("new.yaml", &new)]);
        let exit = type_in(&mut whole, &command);
        let mut merged = host(&[]);
        for (index, path) in ["0.json", "1.json", "2.json"].into_iter().enumerate() {
            let mut part = host(&[("old.yaml", &old), ("new.yaml", &new)]);
            // The exit code is that of the whole.
            assert_eq!(type_in(&mut part, &format!("{command} --shard {index}/3")), Exit::Clean, "{}", part.errors);
            merged.files.insert(path, part.output);
        }
        assert_eq!(type_in(&mut merged, "changeover merge 2.json 0.json 1.json"), exit, "{}", merged.errors);
        assert_eq!(merged.output, whole.output);
        merged.output.clear();
        assert_eq!(type_in(&mut merged, "changeover merge 2.json 0.json"), Exit::Unusable);
        assert_eq!(merged.errors, "2.json 0.json: Required value: 1/3: must be given, too\n");
        merged.errors.clear();
        assert_eq!(type_in(&mut merged, "changeover merge 2.json 0.json 0.json"), Exit::Unusable);
        assert_eq!(merged.errors, "0.json: prediction.shard.index: Duplicate value: 0: must be given once\n");
        assert_eq!(merged.output, "");
    }
}
