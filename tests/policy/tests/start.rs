//! The server's messages when it can't start.

use std::net::TcpListener;
use std::path::PathBuf;

use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{example_path, policy_path};
use changeover_www::{Context, Options};

fn refusal(options: &Options) -> String {
    TestServer::start(options).err().unwrap()
}

#[test]
fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let message =
        format!("--addr: {addr} is in use already: stop what listens there, or choose another port (ADDR=HOST:PORT)");
    assert_eq!(refusal(&Options { addr, ..options(policy_path()) }), message);
}

#[test]
fn invalid_address() {
    let refused = |addr: &str| refusal(&Options { addr: addr.to_owned(), ..options(policy_path()) });
    assert_eq!(refused("8080"), "--addr: Invalid value: \"8080\": must be HOST:PORT, such as 127.0.0.1:8080");
    assert_eq!(
        refused("127.0.0.1:99999"),
        "--addr: Invalid value: \"127.0.0.1:99999\": must be HOST:PORT, such as 127.0.0.1:8080"
    );
}

#[test]
fn files_that_are_missing() {
    let absent = || PathBuf::from("absent/file");
    let not_found = |option: &str| format!("{option}: Not found: \"absent/file\": there is no such file or folder");
    assert_eq!(refusal(&options(absent())), not_found("--policy"));
    assert_eq!(refusal(&Options { site: Some(absent()), ..options(policy_path()) }), not_found("--site"));
    assert_eq!(refusal(&Options { settings: Some(absent()), ..options(policy_path()) }), not_found("--settings"));
    assert_eq!(
        refusal(&Options { context: Some(Context::File(absent())), ..options(policy_path()) }),
        not_found("--context")
    );
    assert_eq!(refusal(&Options { example: Some(absent()), ..options(policy_path()) }), not_found("--example"));
}

#[test]
fn files_of_the_wrong_kind() {
    let example = example_path("job.json");
    let message = refusal(&options(example.clone()));
    let start = format!("--policy: {}: is not a WebAssembly module for a waPC host: ", example.display());
    assert!(message.starts_with(&start) && message.lines().count() == 1, "{message}");
    let message = refusal(&Options { site: Some(example.clone()), ..options(policy_path()) });
    assert_eq!(message, format!("--site: Invalid value: {:?}: must be a folder", example.display().to_string()));
}

#[test]
fn invalid_settings() {
    let cases: [(&[u8], &str); 7] = [
        (b"\xff", "Invalid value: byte 0: must be UTF-8"),
        (b"a: b: c\n", "line 1, column 5: Invalid value: must be YAML or JSON: "),
        (b"- a\n", "line 1, column 1: Invalid value: a list: must be an object (lines such as `kind: Deployment`)"),
        (b"{}\n---\n{}\n", "line 3, column 1: Too many: 2: must have at most 1 document"),
        (b"\npod_replacement_polizy: {}\n", "line 2, column 1: pod_replacement_polizy: "),
        (
            b"pod_replacement_policy:\n  jobs:\n    default: Fast\n",
            "line 3, column 5: pod_replacement_policy.jobs.default: ",
        ),
        (
            b"pod_replacement_policy:\n  jobs:\n    default: 3\n",
            "line 3, column 5: pod_replacement_policy.jobs.default: ",
        ),
    ];
    for (content, sentence) in cases {
        let (_folder, path) = file("settings.yml", content);
        let message = refusal(&Options { settings: Some(path.clone()), ..options(policy_path()) });
        let start = format!("{}: {sentence}", path.display());
        assert!(message.starts_with(&start) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn a_context_that_is_not_yaml() {
    let (_folder, path) = file("context.yml", b"a: b: c\n");
    let message = refusal(&Options { context: Some(Context::File(path.clone())), ..options(policy_path()) });
    let start = format!("{}: line 1, column 5: Invalid value: must be YAML or JSON: ", path.display());
    assert!(message.starts_with(&start) && message.lines().count() == 1, "{message}");
}

#[test]
fn empty_settings_are_fine() {
    for content in ["", "# nothing\n", "{}", "---\n"] {
        let (_folder, path) = file("settings.yml", content.as_bytes());
        assert!(TestServer::start(&Options { settings: Some(path), ..options(policy_path()) }).is_ok(), "{content:?}");
    }
}
