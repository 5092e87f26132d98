//! Ten manifests as well-known charts render them, in `tests/cli/charts`, get another image. Beside each stands what the commands
//! say: `UPDATE_CHARTS=1 cargo test -p changeover-cli --test charts` writes that. The native command says the same, and so does
//! that of the npm package where `CHANGEOVER_NPM_COMMAND` names it (`xtask` does).

#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test fails by panicking")]

mod memory_host;

use core::mem::take;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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

    /// The commands, each with what it writes and its exit code.
    fn transcript(&self, mut run: impl FnMut(&[String]) -> (String, i32)) -> String {
        let mut transcript = String::new();
        for command in &self.commands {
            let arguments: Vec<String> = command.replace("NOW", &self.now).split(' ').map(str::to_owned).collect();
            let (written, code) = run(&arguments);
            transcript.push_str(&format!("$ changeover {command}\n{written}? {code}\n\n"));
        }
        transcript
    }

    /// What the commands say on a machine in memory.
    fn in_memory(&self) -> String {
        let mut host = MemoryHost { files: self.files.clone(), ..MemoryHost::default() };
        self.transcript(|arguments| {
            let words = [&["changeover".to_owned()][..], arguments].concat();
            let code = run(&mut host, &words).code();
            (format!("{}{}", take(&mut host.output), take(&mut host.errors)), code.into())
        })
    }

    /// What a program says, in a folder of its own.
    fn of_program(&self, program: &Path, name: &str) -> String {
        let chart = self.path.file_stem().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("charts").join(name).join(chart);
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in &self.files {
            fs::write(folder.join(file), text).unwrap();
        }
        self.transcript(|arguments| {
            let mut command = Command::new(program);
            command.args(arguments).current_dir(&folder).env("NO_COLOR", "1").stdin(Stdio::null());
            let output = command.output().unwrap();
            let written = [output.stdout, output.stderr].concat();
            (String::from_utf8(written).unwrap(), output.status.code().unwrap())
        })
    }
}

#[test]
fn what_is_said_of_each_chart_stands_beside_it() {
    for chart in Chart::all() {
        let transcript = chart.in_memory();
        let file = chart.path.with_extension("txt");
        if env::var_os("UPDATE_CHARTS").is_some() {
            fs::write(&file, &transcript).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert!(expected == transcript, "{}: set UPDATE_CHARTS=1 and read the difference", file.display());
    }
}

/// Checks that a program says what the command says in memory.
fn program_says_the_same(program: &Path, name: &str) {
    for chart in Chart::all() {
        assert_eq!(chart.of_program(program, name), chart.in_memory(), "{}", chart.path.display());
    }
}

#[test]
fn natively() {
    program_says_the_same(Path::new(env!("CARGO_BIN_EXE_changeover")), "native");
}

#[test]
fn from_the_npm_package() {
    if let Some(command) = env::var_os("CHANGEOVER_NPM_COMMAND") {
        program_says_the_same(Path::new(&command), "npm");
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
