//! All scenarios of the cases, and random ones, give the same bytes natively, in wasmtime and, with the packed npm
//! package, in Node. `SEED` selects other random scenarios.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use changeover_kep_5882::play::any_play;
use changeover_kep_5882::random::cases;
use changeover_tests_bytes::export;
use proptest::strategy::{Strategy as _, ValueTree};
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use wapc::WapcHost;
use wasmtime_provider::WasmtimeEngineProviderBuilder;

/// Bytes of context around a difference.
const AROUND: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder with the build's artifacts.
fn artifact(name: &str) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder));
    let path = target.join("changeover").join(name);
    let how = "`make package` and `cargo run --bin xtask -- bytes` build what is compared";
    assert!(path.is_file(), "there is no {}: {how}", path.display());
    path
}

/// A scenario and its native result.
struct Played {
    name: String,
    scenario: String,
    native: Vec<u8>,
}

/// All scenarios, played once for both tests.
fn played() -> &'static [Played] {
    static PLAYED: OnceLock<Vec<Played>> = OnceLock::new();
    PLAYED.get_or_init(|| {
        let play = |(name, scenario): (String, String)| {
            let native = export(scenario.as_bytes());
            Played { name, scenario, native }
        };
        scenarios().into_iter().map(play).collect()
    })
}

/// Names and scenarios.
fn scenarios() -> Vec<(String, String)> {
    let mut scenarios = of_the_cases(&root().join("tests/conformance/cases"));
    let seed: u8 = env::var("SEED").ok().map_or(0, |seed| seed.parse().expect("SEED is a number up to 255"));
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let config = cases(20);
    let count = config.cases;
    let mut runner = TestRunner::new_with_rng(config, rng);
    for number in 0..count {
        let play = any_play().new_tree(&mut runner).unwrap().current();
        scenarios.push((format!("random {number} of seed {seed}"), play.scenario().to_string()));
    }
    scenarios
}

/// The scenarios of all cases in the JSON files of a folder.
fn of_the_cases(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            found.extend(of_the_cases(&path));
        } else if path.extension().is_some_and(|end| end == "json") {
            let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            for case in cases.into_iter().filter(|case| case["op"] == "timeline.run") {
                let mut scenario = case["input"]["scenario"].clone();
                if scenario.get("featureGates").is_none() {
                    scenario["featureGates"] = case["gates"].clone();
                }
                found.push((case["name"].to_string(), scenario.to_string()));
            }
        }
    }
    found
}

/// Fails at the first byte that differs, and shows the bytes around it.
fn assert_same(host: &str, name: &str, native: &[u8], other: &[u8]) {
    let Some(at) = native
        .iter()
        .zip(other)
        .position(|(a, b)| a != b)
        .or_else(|| (native.len() != other.len()).then(|| native.len().min(other.len())))
    else {
        return;
    };
    let around = |bytes: &[u8]| {
        let part = &bytes[at.saturating_sub(AROUND).min(bytes.len())..at.saturating_add(AROUND).min(bytes.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    panic!("{name}: byte {at}\n native: ...{}\n {host}: ...{}", around(native), around(other));
}

#[test]
fn wasmtime_gives_the_native_bytes() {
    let module = fs::read(artifact("bytes.wasm")).unwrap();
    let provider = WasmtimeEngineProviderBuilder::new().module_bytes(&module).build().unwrap();
    let host = WapcHost::new(Box::new(provider), None).unwrap();
    for Played { name, scenario, native } in played() {
        let other = host.call("export", scenario.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_same("wasmtime", name, native, &other);
    }
    println!("{} scenarios", played().len());
}

#[test]
fn node_gives_the_native_bytes() {
    let mut node = Command::new("node");
    node.arg(root().join("tests/bytes/export.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped());
    node.env("CHANGEOVER_TARBALL", artifact(&format!("npm/changeover-{}.tgz", env!("CARGO_PKG_VERSION"))));
    let mut node = node.spawn().expect("node starts");
    let lines: String = played().iter().map(|played| format!("{}\n", played.scenario)).collect();
    node.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "node fails: {}", output.status);
    let exports: Vec<&[u8]> = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(exports.len(), played().len());
    for (Played { name, native, .. }, other) in played().iter().zip(exports) {
        assert_same("Node", name, native, other);
    }
    println!("{} scenarios", played().len());
}
