//! Ten manifests as well-known charts render them, in `tests/cli/charts`, get another image. Beside each stands what the commands
//! say: `UPDATE_CHARTS=1 cargo test -p changeover-cli --test charts` writes that.

#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test fails by panicking")]

mod memory_host;

use core::mem::take;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use changeover_cli::run;
use changeover_core::object::{Object, Time};
use changeover_core::prediction::{PredictOptions, predict};
use serde_json::{Value, json};

use crate::memory_host::MemoryHost;

/// The version in the images, and the one after it.
const VERSIONS: [&str; 2] = ["v1.4.0", "v1.5.0"];

/// How far the rollouts are when somebody asks where they stand.
const LATER: i64 = 20 * Time::SECOND;

/// A machine with the chart's files, and what its commands said.
struct Session {
    host: MemoryHost,
    transcript: String,
}

impl Session {
    /// The chart before and after, and its objects in the midst of the rollouts.
    fn new(old: &str) -> Self {
        let new = old.replace(VERSIONS[0], VERSIONS[1]);
        let objects = |text: &str| -> Vec<Value> {
            changeover_text::parse(text).unwrap().into_iter().map(|document| document.value).collect()
        };
        let timeline = predict(&objects(old), &objects(&new), &PredictOptions::default()).unwrap().today;
        let start = timeline.scenario.start;
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, timeline.frame_at(Time(start.0 + LATER)));
        let items: Vec<Value> = cursor.state().objects().map(Object::to_value).collect();
        let state = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
        let now = Time(start.0 + LATER).to_string();
        let files =
            BTreeMap::from([("old.yaml", old.to_owned()), ("new.yaml", new), ("state.json", state), ("now", now)]);
        Self { host: MemoryHost { files, ..MemoryHost::default() }, transcript: String::new() }
    }

    /// Runs a command, and writes it down with its exit code.
    fn run(&mut self, command: &str) {
        self.transcript.push_str(&format!("$ changeover {command}\n"));
        let command = command.replace("NOW", self.host.files.get("now").unwrap());
        let arguments: Vec<String> = ["changeover"].into_iter().chain(command.split(' ')).map(str::to_owned).collect();
        let code = run(&mut self.host, &arguments).code();
        self.transcript.push_str(&take(&mut self.host.output));
        self.transcript.push_str(&take(&mut self.host.errors));
        self.transcript.push_str(&format!("? {code}\n\n"));
    }
}

#[test]
fn what_is_said_of_each_chart_stands_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/charts");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut charts: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
    charts.sort();
    assert_eq!(charts.len(), 10);
    for chart in charts {
        let text = fs::read_to_string(&chart).unwrap();
        let mut session = Session::new(&text);
        session.run("validate new.yaml --old old.yaml");
        session.run("predict old.yaml new.yaml");
        session.run("explain -f state.json --now NOW");
        for (deployment, replicas) in deployments(&text) {
            session.run(&format!("advise new.yaml --deployment {deployment} --min-available {replicas}"));
        }
        let file = chart.with_extension("txt");
        if env::var_os("UPDATE_CHARTS").is_some() {
            fs::write(&file, &session.transcript).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert!(expected == session.transcript, "{}: set UPDATE_CHARTS=1 and read the difference", file.display());
    }
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
