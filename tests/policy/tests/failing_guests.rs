//! A guest that fails only affects the request that it fails on.

use std::thread;

use changeover_tests_policy::example;
use changeover_tests_policy::guests::{LARGE, guest};
use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_www::{Failure, Policy};
use serde_json::{Value, json};

fn small() -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "small", "object": {}}})
}

fn serve(misbehave: &str) -> (tempfile::TempDir, TestServer) {
    let (folder, path) = file("guest.wasm", &guest(misbehave));
    let server = TestServer::start(&options(path)).unwrap();
    (folder, server)
}

/// The large request is denied with this message; the small ones before, meanwhile and afterward pass.
fn fails_alone(misbehave: &str, message: &str) {
    let (_folder, server) = serve(misbehave);
    let large = example("job.json");
    assert!(large["request"].to_string().len() > LARGE);
    assert_eq!(server.review(&small()), json!({"uid": "small", "allowed": true}));
    thread::scope(|scope| {
        let failing = scope.spawn(|| server.review(&large));
        assert_eq!(server.review(&small()), json!({"uid": "small", "allowed": true}));
        let status = json!({"message": message, "code": 500});
        let denied = json!({"uid": large["request"]["uid"], "allowed": false, "status": status});
        assert_eq!(failing.join().unwrap(), denied);
    });
    assert_eq!(server.review(&small()), json!({"uid": "small", "allowed": true}));
}

const FAILED: &str = "the policy failed on this request, so it is denied; the webhook's log says more";

#[test]
fn one_that_traps() {
    fails_alone("unreachable", FAILED);
}

#[test]
fn one_that_recurses_without_end() {
    fails_alone("(drop (call $recurse (i32.const 0)))", FAILED);
}

#[test]
fn one_that_takes_all_memory() {
    let grow = "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable";
    fails_alone(grow, FAILED);
}

#[test]
fn one_that_loops_forever() {
    let message = "the policy took longer than 2 s on this request, so it is denied; the webhook's log says more";
    fails_alone("(loop $again (br $again))", message);
}

#[test]
fn one_that_answers_nonsense() {
    fails_alone("(call $answer (i32.const 0) (i32.const 8)) (return (i32.const 1))", FAILED);
    fails_alone("(call $answer (i32.const 16) (i32.const 4)) (return (i32.const 1))", FAILED);
    fails_alone("(call $answer (i32.const 32) (i32.const 14)) (return (i32.const 1))", FAILED);
}

#[test]
fn one_that_reports_an_error() {
    fails_alone("(call $error (i32.const 0) (i32.const 8)) (return (i32.const 0))", FAILED);
}

#[test]
fn the_log_says_why_in_one_line() {
    let reason = |misbehave: &str| {
        let policy = Policy::load(&guest(misbehave)).unwrap();
        match policy.call("validate", &vec![b' '; LARGE]) {
            Err(Failure::Broken(reason)) => reason,
            other => panic!("{other:?}"),
        }
    };
    for (misbehave, why) in [
        ("unreachable", "wasm trap: wasm `unreachable` instruction executed"),
        ("(drop (call $recurse (i32.const 0)))", "wasm trap: call stack exhausted"),
        (
            "(drop (i32.load (i32.const -4)))",
            "memory fault at wasm address 0xfffffffc in linear memory of size 0x400000",
        ),
        ("(call $error (i32.const 0) (i32.const 8)) (return (i32.const 0))", "not JSON"),
    ] {
        assert_eq!(reason(misbehave), format!("Guest call failure: {why}"));
    }
}

#[test]
fn modules_that_are_not_policies() {
    let refusal = |module: &[u8]| Policy::load(module).err().unwrap();
    let wat = |text: &str| wat::parse_str(text).unwrap();
    assert!(refusal(b"").starts_with("is not a WebAssembly module for a waPC host: "));
    assert!(refusal(b"hello").starts_with("is not a WebAssembly module for a waPC host: "));
    assert!(
        refusal(&wat("(module (import \"env\" \"abort\" (func)))"))
            .starts_with("is not a WebAssembly module for a waPC host: ")
    );
    assert!(refusal(&wat("(module)")).starts_with("is not a Kubewarden policy: "));
    let silent = "(module (memory (export \"memory\") 1) (func (export \"__guest_call\") (param i32 i32) (result i32) (i32.const 0)))";
    assert!(refusal(&wat(silent)).starts_with("is not a Kubewarden policy: "));
    for message in [refusal(b"hello"), refusal(&wat("(module)")), refusal(&wat(silent))] {
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
