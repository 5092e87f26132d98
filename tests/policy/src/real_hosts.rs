//! Kubewarden's own programs, kwctl and policy-server, if they are installed.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;
use std::{env, fs, io};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_server::Client;
use crate::{annotated_path, root};

/// Where to get a program.
fn source(name: &str) -> &'static str {
    match name {
        "bats" => "`npm ci` installs it",
        "policy-server" => ".github/actions/kubewarden copies it from its image",
        _ => "https://github.com/kubewarden/adm-controller/releases has it",
    }
}

/// The path of kwctl, policy-server or bats: from `PATH` or the build's Node modules. Without any, prints a notice and returns none.
///
/// # Panics
/// If there is none in CI, where nobody would read the notice.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let modules = root().join("node_modules/bats/bin");
    let installed =
        env::split_paths(&path).chain([modules]).map(|folder| folder.join(name)).find(|path| path.is_file());
    if installed.is_none() {
        assert!(env::var_os("CI").is_none(), "CI must have {name}: {}", source(name));
        notice(name, &format!("is not installed, so nothing was tested with it: {}", source(name)));
    }
    installed
}

/// Says why the current test proves nothing. The test passes, so that `eprintln!` would not be seen. `xtask` reads the line: a
/// test with a notice is not listed as passed.
fn notice(program: &str, why: &str) {
    let thread = thread::current();
    let test = thread.name().unwrap_or_default();
    let _ = io::stderr().write_all(format!("notice: {test}: {program} {why}\n").as_bytes());
}

/// Runs kwctl in the policy's folder and returns its output.
///
/// # Errors
/// With its standard error, if it fails.
pub fn kwctl(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output =
        Command::new(program).args(arguments).current_dir(root().join("policy")).output().expect("kwctl starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// A policy for policy-server's `--policies`, with access to everything that the metadata request.
#[must_use]
pub fn configured(settings: &Value) -> Value {
    let kind = |(api_version, kind)| json!({ "apiVersion": api_version, "kind": kind });
    let granted = [
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
        ("policy/v1", "PodDisruptionBudget"),
        ("v1", "ReplicationController"),
        ("v1", "ResourceQuota"),
    ];
    json!({
        "module": module(),
        "policyMode": "protect",
        "allowedToMutate": true,
        "contextAwareResources": granted.map(kind),
        "hostCapabilities": ["kubernetes/get_resource", "kubernetes/list_resources_by_namespace"],
        "settings": settings,
    })
}

/// The address of the annotated module.
#[must_use]
pub fn module() -> String {
    let path = annotated_path().canonicalize().expect("the annotated module exists");
    format!("file://{}", path.display())
}

/// When policy-server interrupts a policy that has no limit of its own.
#[derive(Clone, Copy)]
pub enum TimeLimit {
    /// After two seconds.
    Default,
    /// After a minute, so that a busy machine makes no difference.
    Minute,
}

/// A running policy-server. It is killed on drop.
pub struct PolicyServer {
    program: PathBuf,
    time_limit: TimeLimit,
    folder: TempDir,
    child: Child,
    address: SocketAddr,
}

impl PolicyServer {
    /// Starts a policy-server with these policies, by name, and waits until it is ready. `kubeconfig` gives access to
    /// the cluster.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start(program: &Path, policies: &Value, kubeconfig: Option<&str>) -> Self {
        Self::start_with_limit(program, TimeLimit::Minute, policies, kubeconfig)
    }

    /// [`PolicyServer::start`], with that time limit.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start_with_limit(program: &Path, time_limit: TimeLimit, policies: &Value, kubeconfig: Option<&str>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
        write("policies.json", &policies.to_string());
        write("trust.json", "{}");
        write("kubeconfig", kubeconfig.unwrap_or_default());
        let address = free_address();
        let child = spawn(program, time_limit, folder.path(), address);
        Self { program: program.to_owned(), time_limit, folder, child, address }
    }

    /// Kills it and starts another one on the same port.
    pub fn restart(&mut self) {
        self.kill();
        self.child = spawn(&self.program, self.time_limit, self.folder.path(), self.address);
    }

    /// Kills it without a graceful shutdown.
    pub fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// A client with its own connections.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }
}

impl Drop for PolicyServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(program: &Path, time_limit: TimeLimit, folder: &Path, address: SocketAddr) -> Child {
    let readiness = free_address();
    let mut command = Command::new(program);
    command.args(["--addr", "127.0.0.1", "--port", &address.port().to_string()]);
    command.args(["--readiness-probe-port", &readiness.port().to_string(), "--log-level", "error"]);
    command.args(["--policies", "policies.json", "--sigstore-trust-config", "trust.json"]);
    command.args(["--policies-download-dir", "policies", "--sigstore-cache-dir", "sigstore"]);
    if matches!(time_limit, TimeLimit::Minute) {
        command.args(["--policy-timeout", "60"]);
    }
    command.arg("--ignore-kubernetes-connection-failure").current_dir(folder);
    command.env("KUBECONFIG", folder.join("kubeconfig")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("policy-server starts");
    let client = Client::new(readiness);
    // It compiles the module first. Only a request shows whether it has finished.
    while client.try_get("/readiness").is_none() {
        let ended = child.try_wait().expect("policy-server runs");
        assert!(ended.is_none(), "policy-server ended: {ended:?}");
        thread::sleep(Duration::from_millis(20));
    }
    child
}

/// An unused address of the loopback interface.
fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port")
}
