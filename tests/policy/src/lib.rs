//! Helpers for the tests of the policy and its server: the built module, the repository's examples, small guests that
//! misbehave, a server on a free port, and Kubewarden's own hosts with a small API server.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this crate only serves tests, which fail by panicking"
)]

pub mod api_server;
pub mod guests;
pub mod real_hosts;
pub mod section;
pub mod test_server;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use changeover_www::Policy;
use serde_json::Value;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The folder of what the build makes.
fn built() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir));
    target.join("changeover")
}

/// The path of the built policy: the environment's `CHANGEOVER_POLICY_WASM`, or else the output of `make policy`.
pub fn policy_path() -> PathBuf {
    let named = env::var_os("CHANGEOVER_POLICY_WASM").map(PathBuf::from);
    let path = named.unwrap_or_else(|| built().join("policy.wasm"));
    assert!(
        path.is_file(),
        "there is no {}: build the policy with `make policy`, or name its file in CHANGEOVER_POLICY_WASM",
        path.display()
    );
    path
}

/// The path of the module with Kubewarden's metadata, next to the policy.
pub fn annotated_path() -> PathBuf {
    policy_path().with_file_name("annotated-policy.wasm")
}

/// The built policy, compiled once for all tests.
pub fn policy() -> &'static Policy {
    static POLICY: OnceLock<Policy> = OnceLock::new();
    POLICY.get_or_init(|| {
        let module = fs::read(policy_path()).expect("the policy can be read");
        Policy::load(&module).unwrap_or_else(|message| panic!("policy.wasm {message}"))
    })
}

/// A file of `policy/examples`.
pub fn example_path(name: &str) -> PathBuf {
    root().join("policy/examples").join(name)
}

/// An AdmissionReview of `policy/examples`.
pub fn example(name: &str) -> Value {
    let path = example_path(name);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All requests recorded from parts of a real API server.
pub fn recorded() -> Vec<Value> {
    let folder = root().join("tests/conformance/requests");
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: PathBuf| -> Value {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut paths: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.sort();
    paths.into_iter().map(|path| read(path)["request"].take()).collect()
}

/// The settings of `policy/examples`.
pub fn example_settings() -> Value {
    let bytes = fs::read(example_path("settings.yml")).expect("the settings can be read");
    let mut documents = changeover_text::parse_bytes(&bytes).unwrap_or_else(|error| panic!("settings.yml: {error}"));
    documents.pop().expect("the settings hold a document").value
}
