//! `docs/terminal.svg` shows what `changeover explain --watch` really prints, faster. After a change, write it with
//! `UPDATE_PICTURE=1 cargo test -p changeover-cli --test terminal_picture`.

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
        let stdout = if arguments.iter().any(|argument| argument == "get") {
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

#[test]
fn the_picture_of_the_readme_is_what_the_command_prints() {
    let mut machine = Machine::new();
    let arguments: Vec<String> = COMMAND.split(' ').skip(1).map(str::to_owned).collect();
    assert_eq!(run(&mut machine, &arguments), Exit::Clean);
    let screens: Vec<&str> = machine.output.split(CLEAR_SCREEN).skip(1).collect();
    let drawn = svg::animation(COMMAND, &screens);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/terminal.svg");
    if env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&file, &drawn).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap() == drawn,
        "docs/terminal.svg shows something else: set UPDATE_PICTURE=1"
    );
}
