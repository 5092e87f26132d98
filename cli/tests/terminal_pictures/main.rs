//! The README's pictures of terminals. `docs/terminal.svg` shows what `changeover explain --watch` really prints, faster;
//! `docs/policy.svg` shows what users of a real control plane read when the policy answers them. After a change, write them with
//! `UPDATE_PICTURE=1 cargo test -p changeover-cli --test terminal_pictures`.

#![expect(clippy::arithmetic_side_effects, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod svg;

use core::time::Duration;
use std::path::Path;
use std::{env, fs};

use changeover_cli::{Exit, Finished, Host, HostError, PathContent, Terminals, run};
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::Timeline;
use serde_json::{Value, json};

const COMMAND: &str = "kubectl changeover explain deploy/web --cluster --watch";

/// What clears the screen before each picture.
const CLEAR_SCREEN: &str = "\u{1b}[2J\u{1b}[H";

/// A machine with a terminal, whose kubectl shows a rollout that is simulated.
struct Machine {
    timeline: Timeline,
    now: Time,
    output: String,
}

impl Machine {
    /// A Deployment of ten pods gets a new image, and is looked at when that has just happened.
    fn new() -> Self {
        let deployment = |image: &str| {
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
                "spec": {
                    "replicas": 10,
                    "selector": { "matchLabels": { "app": "web" } },
                    "template": {
                        "metadata": { "labels": { "app": "web" } },
                        "spec": {
                            "terminationGracePeriodSeconds": 20,
                            "containers": [{ "name": "web", "image": image }],
                        },
                    },
                },
            })
        };
        let scenario = json!({
            "version": 1,
            "start": "2026-01-01T12:00:00Z",
            "kubelet": [{ "ready": "9s" }],
            "actions": [
                { "at": "0s", "create": deployment("web:1") },
                { "at": "1m", "apply": deployment("web:2") },
            ],
        });
        let timeline = Scenario::from_value(&scenario).and_then(Timeline::run).unwrap();
        Self { now: Time(timeline.scenario.start.0 + 61 * Time::SECOND), timeline, output: String::new() }
    }

    /// What `kubectl get -o json` prints at this time.
    fn state(&self) -> Value {
        let mut cursor = self.timeline.cursor();
        cursor.seek(&self.timeline, self.timeline.frame_at(self.now));
        let items: Vec<Value> = cursor.state().objects().map(Object::to_value).collect();
        json!({ "apiVersion": "v1", "kind": "List", "items": items })
    }
}

impl Host for Machine {
    fn read(&mut self, _: &str) -> Result<PathContent, HostError> {
        Err(HostError::NotFound)
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        Err(HostError::NotFound)
    }

    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError> {
        let has = |word: &str| arguments.iter().any(|argument| argument == word);
        let stdout = if has("events") {
            br#"{ "apiVersion": "v1", "kind": "List", "items": [] }"#.to_vec()
        } else if has("get") {
            self.state().to_string().into_bytes()
        } else {
            b"shop".to_vec()
        };
        Ok(Finished { success: true, stdout, stderr: String::new() })
    }

    fn print(&mut self, text: &str) {
        self.output.push_str(text);
    }

    fn print_error(&mut self, _: &str) {}

    fn terminals(&self) -> Terminals {
        Terminals { output: true, error: true }
    }

    fn now(&self) -> Time {
        self.now
    }

    fn sleep(&mut self, duration: Duration) {
        self.now = Time(self.now.0 + i64::try_from(duration.as_nanos()).unwrap());
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// The steps that the picture of the policy shows: the session in `tests/controlplane/transcripts`, and the heading.
const POLICY_STEPS: [(&str, &str); 3] =
    [("quota", "there is room for one pod more"), ("quota", "but not for two"), ("rollouts", "scaled away by mistake")];

/// A step of a transcript as a terminal shows it: kubectl colors its warnings and errors there.
fn step_on_screen(step: &str) -> String {
    let lines = step.lines().filter(|line| !line.starts_with("[exit code"));
    lines.map(|line| format!("{}\n", colored(line))).collect()
}

fn colored(line: &str) -> String {
    if let Some((user, command)) = line.split_once("$ ") {
        return format!("\u{1b}[2m{user}\u{1b}[0m\u{1b}[32m$\u{1b}[0m {command}");
    }
    for (label, code) in [("Warning:", 33), ("Error from server:", 31), ("error:", 31)] {
        if let Some(rest) = line.strip_prefix(label) {
            return format!("\u{1b}[{code}m{label}\u{1b}[0m{rest}");
        }
    }
    line.to_owned()
}

/// Fails if the file shows something else, after writing it if UPDATE_PICTURE is set.
fn assert_shows(name: &str, drawn: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    if env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&file, drawn).unwrap();
    }
    let shown = fs::read_to_string(&file).unwrap_or_default();
    assert!(shown == drawn, "docs/{name} shows something else: set UPDATE_PICTURE=1");
}

#[test]
fn the_picture_of_the_policy_is_what_users_read() {
    let transcripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/controlplane/transcripts");
    let step = |(session, heading): (&str, &str)| {
        let transcript = fs::read_to_string(transcripts.join(format!("{session}.txt"))).unwrap();
        let (_, after) = transcript.split_once(&format!("\n# {heading}\n")).unwrap();
        step_on_screen(after.split("\n\n").next().unwrap_or(after))
    };
    let screen = POLICY_STEPS.map(step).join("\n");
    assert_shows(
        "policy.svg",
        &svg::still(
            "A terminal: the policy says how many pods fit the quota, and refuses to scale a workload away",
            &screen,
        ),
    );
}

#[test]
fn the_picture_of_the_command_line_is_what_the_command_prints() {
    let mut machine = Machine::new();
    let arguments: Vec<String> = COMMAND.split(' ').skip(1).map(str::to_owned).collect();
    assert_eq!(run(&mut machine, &arguments), Exit::Clean);
    let screens: Vec<&str> = machine.output.split(CLEAR_SCREEN).skip(1).collect();
    assert_shows("terminal.svg", &svg::animation(COMMAND, &screens));
}
