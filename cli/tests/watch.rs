//! `changeover explain --watch` against a cluster that changes.

use core::time::Duration;
use std::collections::VecDeque;

use changeover_cli::{Exit, Finished, Host, HostError, PathContent, Terminals, run};
use changeover_core::object::Time;
use serde_json::{Value, json};

const ROLLING: &str = include_str!("../../tests/cli/cases/explain.in/rolling.json");
const PAUSED: &str = include_str!("../../tests/cli/cases/explain.in/paused.json");
const COMPLETE: &str = include_str!("../../tests/cli/cases/explain.in/complete.json");

/// When the states were read first: 2026-01-01T12:00:00Z.
const START: Time = Time(1_767_268_800 * Time::SECOND);

/// A node with room for all pods.
const NODE: &str = "\
apiVersion: v1
kind: Node
metadata: { name: node-1 }
status:
  allocatable: { pods: \"110\", cpu: \"64\", memory: 256Gi }
  conditions: [{ type: Ready, status: \"True\" }]
";

/// A machine whose kubectl prints one state after the other, or fails.
struct Machine {
    states: VecDeque<Result<String, &'static str>>,
    slept: Vec<Duration>,
    output: String,
    errors: String,
    terminals: Terminals,
}

impl Machine {
    fn new(states: &[&str]) -> Self {
        Self::failing_between(states.iter().map(|state| Ok((*state).to_owned())))
    }

    fn failing_between(states: impl IntoIterator<Item = Result<String, &'static str>>) -> Self {
        Self {
            states: states.into_iter().collect(),
            slept: Vec::new(),
            output: String::new(),
            errors: String::new(),
            terminals: Terminals::default(),
        }
    }

    fn watch(&mut self) -> Exit {
        self.watch_with(&[])
    }

    fn watch_with(&mut self, flags: &[&str]) -> Exit {
        let arguments = ["changeover", "explain", "--cluster", "--namespace", "shop", "--watch"];
        let arguments: Vec<String> = arguments.iter().chain(flags).map(|word| (*word).to_owned()).collect();
        run(self, &arguments)
    }
}

impl Host for Machine {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        if path == "node.yaml" { Ok(PathContent::File(NODE.as_bytes().to_vec())) } else { Err(HostError::NotFound) }
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        Err(HostError::NotFound)
    }

    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError> {
        const NO_EVENTS: &[u8] = br#"{ "apiVersion": "v1", "kind": "List", "items": [] }"#;
        if arguments.iter().any(|argument| argument == "events") {
            return Ok(Finished { success: true, stdout: NO_EVENTS.to_vec(), stderr: String::new() });
        }
        Ok(match self.states.pop_front().ok_or(HostError::NotFound)? {
            Ok(state) => Finished { success: true, stdout: state.into_bytes(), stderr: String::new() },
            Err(error) => Finished { success: false, stdout: Vec::new(), stderr: error.to_owned() },
        })
    }

    fn print(&mut self, text: &str) {
        self.output.push_str(text);
    }

    fn print_error(&mut self, text: &str) {
        self.errors.push_str(text);
    }

    fn terminals(&self) -> Terminals {
        self.terminals
    }

    fn now(&self) -> Time {
        let slept: Duration = self.slept.iter().sum();
        Time(START.0.saturating_add(i64::try_from(slept.as_nanos()).unwrap_or(i64::MAX)))
    }

    fn sleep(&mut self, duration: Duration) {
        self.slept.push(duration);
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "NO_COLOR").then(|| "1".to_owned())
    }
}

#[test]
fn ends_when_the_rollout_is_complete() {
    let mut machine = Machine::new(&[ROLLING, ROLLING, COMPLETE]);
    assert_eq!(machine.watch(), Exit::Clean);
    assert_eq!(machine.slept, [Duration::from_secs(2); 2]);
    assert_eq!(
        machine.output,
        "web is in progress: 2 new and 2 old pods, 1 old pod terminating, 3 of 3 available; complete in 8 s; the last old pod is gone in 38 s\n\
         web is complete: 3 pods, 3 of 3 available\n"
    );
}

/// The time that is left is shorter with each read, which is no news for a log.
#[test]
fn a_log_has_a_line_for_what_is_new() {
    let items = |list: &str| serde_json::from_str::<Value>(list).unwrap()["items"].as_array().unwrap().clone();
    let both = |web: &str, worker: &str| {
        let worker = worker.replace("\"web", "\"worker").replace("web-", "worker-");
        let worker = worker.replace("\"uid\": \"", "\"uid\": \"worker-");
        let items = [items(web), items(&worker)].concat();
        json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
    };
    let states = [(ROLLING, ROLLING), (ROLLING, ROLLING), (COMPLETE, ROLLING), (COMPLETE, COMPLETE)];
    let mut machine = Machine::failing_between(states.map(|(web, worker)| Ok(both(web, worker))));
    assert_eq!(machine.watch(), Exit::Clean);
    let lines: Vec<&str> = machine.output.lines().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(lines, ["web is in progress", "worker is in progress", "web is complete", "worker is complete"]);
}

#[test]
fn ends_when_the_deadline_has_passed() {
    let exceeded = ROLLING.replace("ReplicaSetUpdated", "ProgressDeadlineExceeded");
    let mut machine = Machine::new(&[ROLLING, &exceeded]);
    assert_eq!(machine.watch(), Exit::Findings);
    assert!(machine.states.is_empty());
}

/// After `kubectl apply`, the controller has not seen the change yet, and its status is that of the rollout before.
#[test]
fn a_deadline_of_the_rollout_before_does_not_end_it() {
    let exceeded = ROLLING.replace("ReplicaSetUpdated", "ProgressDeadlineExceeded");
    let applied = exceeded.replacen("\"generation\": 2", "\"generation\": 3", 1);
    let mut machine = Machine::new(&[&applied, COMPLETE]);
    assert_eq!(machine.watch(), Exit::Clean);
    assert!(machine.states.is_empty());
}

/// A rollout that is paused has no progress deadline.
#[test]
fn it_ends_when_the_time_is_over() {
    let mut machine = Machine::new(&[PAUSED; 10]);
    assert_eq!(machine.watch_with(&["--timeout", "5s"]), Exit::Findings);
    assert_eq!(machine.slept, [2, 2, 1].map(Duration::from_secs));
    assert_eq!(machine.states.len(), 6);
    assert!(machine.output.starts_with("web is paused: "), "{}", machine.output);
    assert!(machine.errors.ends_with("\ntimed out after 5 s: not complete: web\n"), "{}", machine.errors);
}

#[test]
fn failed_reads_take_time_too() {
    let mut machine = Machine::failing_between([Ok(PAUSED.to_owned()), Err(REFUSED), Err(REFUSED), Err(REFUSED)]);
    assert_eq!(machine.watch_with(&["--timeout", "4s"]), Exit::Findings);
    assert_eq!((machine.slept.len(), machine.states.len()), (2, 1));
}

#[test]
fn a_rollout_that_is_complete_in_time_does_not_time_out() {
    let mut machine = Machine::new(&[ROLLING, COMPLETE]);
    assert_eq!(machine.watch_with(&["--timeout", "2s"]), Exit::Clean);
}

const REFUSED: &str = "The connection to the server 10.0.0.1:6443 was refused\n";

#[test]
fn a_failed_read_does_not_end_it() {
    let states = [Ok(ROLLING.to_owned()), Err(REFUSED), Err(REFUSED), Ok(COMPLETE.to_owned())];
    let mut machine = Machine::failing_between(states);
    assert_eq!(machine.watch(), Exit::Clean);
    let said = format!("kubectl: {} (trying again)\n", REFUSED.trim_end());
    assert!(machine.errors.ends_with(&said.repeat(2)), "{}", machine.errors);
    assert_eq!(machine.slept.len(), 3);
}

#[test]
fn it_ends_when_no_read_succeeds_anymore() {
    let refused = core::iter::repeat_n(Err(REFUSED), 40);
    let mut machine = Machine::failing_between([Ok(ROLLING.to_owned())].into_iter().chain(refused));
    assert_eq!(machine.watch(), Exit::Unusable);
    assert_eq!((machine.slept.len(), machine.states.len()), (30, 10));
    assert!(machine.errors.ends_with(&format!("kubectl: {REFUSED}")), "{}", machine.errors);
}

const ROLLING_SCREEN: &str = "\
web is in progress: 2 new and 2 old pods, 1 old pod terminating, 3 of
  3 available; complete in 8 s; the last old pod is gone in 38 s
  0:00  web-7c9d5f6b8 stays at 2 pods: the ReplicaSets want 4, and the limit is
        4.
  0:00  No old pod of Deployment web may go: the ReplicaSets want 4 pods, and
        3 must stay available. Unavailable new pods: 1.
  0:03  web-6d4f8c7b9 shrinks from 2 to 1: before this step, 3 of 4 available
        pods had to stay, so 1 could go.

  0:00  ███░▒   3 available, 1 starting, 1 terminating
  0:03  ███░▒▒  3 available, 1 starting, 2 terminating
  0:08  ███▒▒▒  3 available, 3 terminating
  0:38  ███     3 available

";

const COMPLETE_SCREEN: &str = "\
web is complete: 3 pods, 3 of 3 available

";

#[test]
fn draws_on_a_terminal() {
    let mut machine = Machine::new(&[ROLLING, COMPLETE]);
    machine.terminals.output = true;
    assert_eq!(machine.watch(), Exit::Clean);
    let screens = machine.output.split("\u{1b}[2J\u{1b}[H");
    // What is assumed is the same as without --watch.
    let pictures: Vec<&str> = screens.map(|screen| screen.split("Assumed: ").next().unwrap_or_default()).collect();
    assert_eq!(pictures, ["", ROLLING_SCREEN, COMPLETE_SCREEN]);
}

#[test]
fn keeps_the_nodes_of_a_file() {
    let mut machine = Machine::new(&[ROLLING, ROLLING, COMPLETE]);
    machine.terminals.output = true;
    assert_eq!(machine.watch_with(&["-f", "node.yaml"]), Exit::Clean);
    let assumed = "The nodes run only the given pods.";
    assert_eq!(machine.output.matches(assumed).count(), 3, "{}", machine.output);
}
