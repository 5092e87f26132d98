//! The command itself: what it prints, and how it ends.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::{env, fs};

/// A guest that only keeps the rules: every answer is in the memory, and reviews trap.
const GUEST: &str = r#"(module
  (import "wapc" "__guest_response" (func $answer (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\"v1\"")
  (data (i32.const 16) "{\"valid\":true}")
  (func (export "__guest_call") (param $function i32) (param i32) (result i32)
    (if (i32.eq (local.get $function) (i32.const 8)) (then unreachable))
    (if (i32.eq (local.get $function) (i32.const 16))
      (then (call $answer (i32.const 0) (i32.const 4)))
      (else (call $answer (i32.const 16) (i32.const 14))))
    (i32.const 1)))"#;

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_changeover-www"));
    command.env_remove("ADDR");
    command
}

fn guest() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("guest.wasm");
    fs::write(&path, wat::parse_str(GUEST).unwrap()).unwrap();
    (folder, path)
}

#[test]
fn says_why_it_can_not_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let (_folder, guest) = guest();
    let guest = guest.to_str().unwrap();
    let in_use =
        format!("--addr: {addr} is in use already: stop what listens there, or choose another port (ADDR=HOST:PORT)");
    let cases: [(&[&str], &str); 9] = [
        (&[], "--policy: Required value: the file of the policy; see --help"),
        (&["--polizy", "x"], "invalid option '--polizy'; see --help"),
        (&["--policy"], "missing argument for option '--policy'; see --help"),
        (&["--policy", "absent"], "--policy: Not found: \"absent\": there is no such file or folder"),
        (
            &["--policy", guest, "--settings", "absent"],
            "--settings: Not found: \"absent\": there is no such file or folder",
        ),
        (&["--policy", guest, "--addr", &addr], &in_use),
        (
            &["--policy", guest, "--context", "https://127.0.0.1:6443"],
            "--context: Invalid value: \"https://127.0.0.1:6443\": must be a file, or an http:// address: run `kubectl proxy`, and give its address",
        ),
        (&["--policy", guest, "--cert", "tls.crt"], "--key: Required value: --cert needs the private key; see --help"),
        (&["--policy", guest, "--key", "tls.key"], "--cert: Required value: --key needs the certificate; see --help"),
    ];
    for (arguments, sentence) in cases {
        let output = command().env("ADDR", "127.0.0.1:0").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("changeover-www: {sentence}\n"), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let output = command().env("ADDR", &addr).args(["--policy", guest]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("changeover-www: {in_use}\n"));
}

#[cfg(unix)]
#[test]
fn greets_and_ends_cleanly() {
    let (folder, guest) = guest();
    let example = folder.path().join("an example.json");
    fs::write(&example, "{}").unwrap();
    let settings = folder.path().join("settings.yml");
    fs::write(&settings, "pod_replacement_policy: {jobs: {default: Failed}}").unwrap();
    for signal in ["-INT", "-TERM"] {
        let mut server = command()
            .args(["--addr", "127.0.0.1:0", "--policy"])
            .arg(&guest)
            .arg("--site")
            .arg(folder.path())
            .arg("--example")
            .arg(&example)
            .arg("--settings")
            .arg(&settings)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
        let page = lines.next().unwrap();
        let host = page.strip_prefix("page:    ").and_then(|page| page.strip_suffix('/')).unwrap().to_owned();
        assert!(host.starts_with("http://127.0.0.1:"), "{page}");
        assert_eq!(lines.next().unwrap(), format!("policy:  {host}/validate"));
        let example = example.display();
        let curl = "curl -sS -H 'Content-Type: application/json' --data-binary";
        assert_eq!(lines.next().unwrap(), format!("try:     {curl} @'{example}' {host}/validate"));
        let note = lines.next().unwrap();
        assert!(note.starts_with("note:    stored Jobs get podReplacementPolicy: Failed, "), "{note}");
        for pointer in ["/spec/podReplacementPolicy", "/spec/jobTemplate/spec/podReplacementPolicy"] {
            assert!(note.contains(&format!(" {pointer}")), "{note}");
        }
        let sent = Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = server.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn logs_why_a_guest_failed() {
    let (_folder, guest) = guest();
    let mut server = command()
        .args(["--addr", "127.0.0.1:0", "--policy"])
        .arg(&guest)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let line = BufReader::new(server.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let address = line.strip_prefix("policy:  http://").and_then(|line| line.strip_suffix("/validate")).unwrap();
    let review = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1"}}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    let head = "POST /validate HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nConnection: close\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{review}", review.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("the policy failed on this request, so it is denied"), "{answer}");
    assert!(Command::new("kill").arg(server.id().to_string()).status().unwrap().success());
    let output = server.wait_with_output().unwrap();
    let why = "Guest call failure: wasm trap: wasm `unreachable` instruction executed";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("request \"u-1\": the policy failed: {why}\n"));
}

#[cfg(unix)]
#[test]
fn serves_tls() {
    let (folder, guest) = guest();
    let example = folder.path().join("example.json");
    fs::write(&example, "{}").unwrap();
    let [cert, key] =
        ["cert.pem", "key.pem"].map(|file| format!("{}/../tests/policy/tls/{file}", env!("CARGO_MANIFEST_DIR")));
    let mut server = command()
        .args(["--addr", "127.0.0.1:0", "--cert", &cert, "--key", &key, "--policy"])
        .arg(&guest)
        .arg("--example")
        .arg(&example)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let policy = lines.next().unwrap();
    let tried = lines.next().unwrap();
    assert!(Command::new("kill").arg(server.id().to_string()).status().unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let address = policy.strip_prefix("policy:  ").unwrap();
    assert!(address.starts_with("https://127.0.0.1:") && address.ends_with("/validate"), "{address}");
    assert!(
        tried.starts_with(&format!("try:     curl -sS --cacert {cert} -H ")) && tried.ends_with(address),
        "{tried}"
    );
}

#[test]
fn explains_itself() {
    let help = command().arg("--help").output().unwrap();
    assert_eq!(help.status.code(), Some(0));
    assert_eq!(String::from_utf8(help.stdout).unwrap(), changeover_www::USAGE);
    let version = command().arg("--version").output().unwrap();
    assert_eq!(String::from_utf8(version.stdout).unwrap(), concat!("changeover-www ", env!("CARGO_PKG_VERSION"), "\n"));
}
