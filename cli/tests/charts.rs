//! Ten manifests as well-known charts render them, in `tests/cli/charts`, get another image. Beside each stand the verdicts and the
//! figures of what the commands say: `UPDATE_CHARTS=1 cargo test -p changeover-cli --test charts` writes that.

#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test fails by panicking")]

mod memory_host;

use core::mem::take;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use changeover_cli::run;
use changeover_core::object::{Object, Time};
use changeover_core::prediction::{PredictOptions, RolloutPlan, Steps, predict_plan};
use serde_json::{Value, json};

use crate::memory_host::MemoryHost;

/// The version in the images, and the one after it.
const VERSIONS: [&str; 2] = ["v1.4.0", "v1.5.0"];

/// How far the rollouts are when somebody asks where they stand.
const LATER: i64 = 20 * Time::SECOND;

/// A chart and the commands that are run with it.
struct Chart {
    path: PathBuf,
    /// The chart before and after, and its objects in the midst of the rollouts.
    files: BTreeMap<&'static str, String>,
    /// When these objects were read.
    now: String,
    commands: Vec<String>,
}

impl Chart {
    /// All charts, by name.
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/charts");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
        paths.sort();
        assert_eq!(paths.len(), 10);
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: PathBuf) -> Self {
        let old = fs::read_to_string(&path).unwrap();
        let new = old.replace(VERSIONS[0], VERSIONS[1]);
        let objects = |text: &str| -> Vec<Value> {
            changeover_text::parse(text).unwrap().into_iter().map(|document| document.value).collect()
        };
        let options = PredictOptions::default();
        let plan = RolloutPlan::new(&objects(&old), &objects(&new), &options).unwrap();
        let timeline = predict_plan(&plan, &options, Steps::Kept, &mut |_| {}).unwrap().today;
        let now = Time(timeline.scenario.start.0 + LATER);
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, timeline.frame_at(now));
        let items: Vec<Value> = cursor.state().objects().map(Object::to_value).collect();
        let state = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
        let commands =
            ["validate new.yaml --old old.yaml", "predict old.yaml new.yaml", "explain -f state.json --now NOW"];
        let advise = |(deployment, replicas): (String, i64)| {
            format!("advise new.yaml --deployment {deployment} --min-available {replicas}")
        };
        let advice = deployments(&old).into_iter().map(advise);
        let commands = commands.map(str::to_owned).into_iter().chain(advice).collect();
        let files = BTreeMap::from([("old.yaml", old), ("new.yaml", new), ("state.json", state)]);
        Self { path, files, now: now.to_string(), commands }
    }

    /// The commands, each with the figures that it writes and its exit code, on a machine in memory.
    fn transcript(&self) -> String {
        let mut host = MemoryHost { files: self.files.clone(), ..MemoryHost::default() };
        let mut transcript = String::new();
        for command in &self.commands {
            let command_line = format!("changeover {command}");
            let words: Vec<String> = command_line.replace("NOW", &self.now).split(' ').map(str::to_owned).collect();
            let code = run(&mut host, &words).code();
            let figures = figures(&format!("{}{}", take(&mut host.output), take(&mut host.errors)));
            transcript.push_str(&format!("$ {command_line}\n{figures}? {code}\n\n"));
        }
        transcript
    }
}

#[test]
fn what_is_said_of_each_chart_stands_beside_it() {
    for chart in Chart::all() {
        let transcript = chart.transcript();
        let file = chart.path.with_extension("txt");
        if env::var_os("UPDATE_CHARTS").is_some() {
            fs::write(&file, &transcript).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert!(expected == transcript, "{}: set UPDATE_CHARTS=1 and read the difference", file.display());
    }
}

/// The verdict and the figures of a report. The sessions of `cases` show what follows: the steps, and what is assumed.
fn figures(report: &str) -> String {
    let paragraphs = report.split("\n\n").filter(|paragraph| !paragraph.starts_with("Assumed:"));
    let before_steps = |paragraph: &str| {
        let lines: Vec<&str> = paragraph.lines().take_while(|line| !is_step(line)).collect();
        lines.join("\n")
    };
    let kept: Vec<String> = paragraphs.map(before_steps).filter(|paragraph| !paragraph.is_empty()).collect();
    kept.join("\n\n") + "\n"
}

/// Whether a line begins with a time, as in `  0:30  web creates 1 pod.`
fn is_step(line: &str) -> bool {
    let time = line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default();
    time.contains(':') && time.starts_with(|start: char| start.is_ascii_digit())
}

/// The Deployments of a chart, as `namespace/name`, and their pods.
fn deployments(chart: &str) -> Vec<(String, i64)> {
    let objects = changeover_text::parse(chart).unwrap().into_iter().map(|document| document.value);
    let deployment = |object: Value| {
        let text = |pointer: &str| object.pointer(pointer)?.as_str().map(str::to_owned);
        let name = format!("{}/{}", text("/metadata/namespace")?, text("/metadata/name")?);
        (text("/kind")? == "Deployment").then_some(())?;
        Some((name, object.pointer("/spec/replicas")?.as_i64()?))
    };
    objects.filter_map(deployment).collect()
}
