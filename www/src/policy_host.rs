//! Runs the policy in a waPC host: compiled once, with a new instance and a deadline for each call.

use core::fmt;
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::Value;
use wapc::WapcHost;
use wasmtime_provider::wasmtime::{Config, Engine};
use wasmtime_provider::{EpochDeadlines, ResourceLimits, WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

/// The timeout of a call, as in Kubewarden's policy-server.
pub const DEADLINE: Duration = Duration::from_secs(2);

/// The interval of the engine's epochs. A call takes at most the deadline plus one interval.
const TICK_INTERVAL: Duration = Duration::from_millis(50);
const DEADLINE_TICKS: u64 = 41;

/// How long a call may go on reading from the cluster: with its last read and a forecast, it still meets the deadline.
const READING_TIME: Duration = Duration::from_secs(1);

/// How much memory one instance may use, in bytes.
const MAX_MEMORY: usize = 256 << 20;

/// Answers a policy's calls to its host: the capability (`kubernetes/get_resource`) and the payload.
pub type HostCalls = dyn Fn(&str, &[u8]) -> Result<Vec<u8>, String> + Send + Sync;

/// A compiled policy.
#[derive(Clone)]
pub struct Policy {
    compiled: WasmtimeEngineProviderPre,
    host_calls: Arc<HostCalls>,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It took longer than [`DEADLINE`].
    TooLong,
    /// It trapped, or its response is invalid. The text is for the log.
    Broken(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the policy took longer than {} s", DEADLINE.as_secs()),
            Self::Broken(_) => f.write_str("the policy failed"),
        }
    }
}

impl Policy {
    /// Compiles a module and checks its protocol version.
    ///
    /// # Errors
    /// One sentence that explains why the module is not a policy.
    pub fn load(module: &[u8]) -> Result<Self, String> {
        // The module has no function names, so a backtrace would only hide the reason for a trap.
        let mut config = Config::new();
        config.epoch_interruption(true).wasm_backtrace_max_frames(None);
        let engine = Engine::new(&config).map_err(first_line)?;
        let limits = ResourceLimits { max_memory_size: Some(MAX_MEMORY), ..ResourceLimits::default() };
        let compiled = WasmtimeEngineProviderBuilder::new()
            .engine(engine.clone())
            .module_bytes(module)
            .enable_resource_limits(limits)
            .build_pre()
            .map_err(|error| format!("is not a WebAssembly module for a waPC host: {}", first_line(error)))?;
        start_epoch_ticks(&engine);
        let policy = Self { compiled, host_calls: Arc::new(no_host_calls) };
        match policy.call("protocol_version", b"") {
            Ok(version) if version == br#""v1""# => Ok(policy),
            Ok(other) => Err(format!("speaks Kubewarden's protocol {}, not \"v1\"", String::from_utf8_lossy(&other))),
            Err(Failure::TooLong) => Err(Failure::TooLong.to_string()),
            Err(Failure::Broken(reason)) => Err(format!("is not a Kubewarden policy: {}", first_line(reason))),
        }
    }

    /// The same policy in a host that answers its calls with `host_calls`.
    #[must_use]
    pub fn with_host_calls(self, host_calls: Arc<HostCalls>) -> Self {
        Self { host_calls, ..self }
    }

    /// Lets the policy validate settings.
    ///
    /// # Errors
    /// The policy's message, or why the call failed.
    pub fn validate_settings(&self, settings: &Value) -> Result<(), String> {
        let response =
            self.call("validate_settings", settings.to_string().as_bytes()).map_err(|failure| match failure {
                Failure::TooLong => failure.to_string(),
                Failure::Broken(reason) => format!("the policy failed: {}", first_line(reason)),
            })?;
        let response: Value = serde_json::from_slice(&response).unwrap_or_default();
        if response.get("valid") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let message = response.get("message").and_then(Value::as_str);
        Err(message.unwrap_or("the policy does not say why").to_owned())
    }

    /// Lets the policy review the request of an AdmissionReview. Returns Kubewarden's ValidationResponse.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn validate(&self, request: &Value, settings: &Value) -> Result<Value, Failure> {
        self.validate_text(&request.to_string(), settings)
    }

    /// [`Policy::validate`] for the JSON text of a request, which reaches the policy unchanged.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn validate_text(&self, request: &str, settings: &Value) -> Result<Value, Failure> {
        let payload = format!("{{\"request\":{request},\"settings\":{settings}}}");
        let response = self.call("validate", payload.as_bytes())?;
        serde_json::from_slice(&response).map_err(|error| Failure::Broken(format!("its answer is not JSON: {error}")))
    }

    /// Calls a waPC function in a new instance.
    ///
    /// # Errors
    /// [`Failure`], also if the guest returns an error.
    pub fn call(&self, function: &str, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        self.instance()?.call(function, payload)
    }

    /// Starts a new instance.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn instance(&self) -> Result<Instance, Failure> {
        let deadlines = EpochDeadlines { wapc_init: DEADLINE_TICKS, wapc_func: DEADLINE_TICKS };
        let instance = self.compiled.rehydrate(Some(deadlines)).map_err(to_failure)?;
        let host_calls = Arc::clone(&self.host_calls);
        let started = Started::default();
        let call = started.clone();
        let callback = move |_: u64, binding: &str, namespace: &str, operation: &str, payload: &[u8]| {
            let answer = match binding {
                "kubewarden" if call.elapsed() >= READING_TIME => Err("the cluster did not answer in time".to_owned()),
                "kubewarden" => host_calls(&format!("{namespace}/{operation}"), payload),
                _ => Err(format!("unknown binding: {binding}")),
            };
            answer.map_err(Into::into)
        };
        let host = WapcHost::new(Box::new(instance), Some(Box::new(callback))).map_err(to_failure)?;
        Ok(Instance { host, started })
    }
}

/// The host calls of a host without a cluster.
fn no_host_calls(_: &str, _: &[u8]) -> Result<Vec<u8>, String> {
    Err("there is no cluster to read".to_owned())
}

/// When the current call of an instance started.
#[derive(Clone)]
struct Started(Arc<Mutex<Instant>>);

impl Default for Started {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Started {
    fn restart(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn elapsed(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}

/// One instance of a policy, for any number of calls.
pub struct Instance {
    host: WapcHost,
    started: Started,
}

impl Instance {
    /// Calls a waPC function.
    ///
    /// # Errors
    /// [`Failure`], also if the guest returns an error.
    pub fn call(&self, function: &str, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        self.started.restart();
        self.host.call(function, payload).map_err(to_failure)
    }
}

/// The provider reports a deadline only in the text of its error.
fn to_failure(error: impl fmt::Display) -> Failure {
    let reason = error.to_string();
    if reason.contains("execution deadline exceeded") { Failure::TooLong } else { Failure::Broken(reason) }
}

/// Increments the epoch of the engine until the engine is dropped.
fn start_epoch_ticks(engine: &Engine) {
    let engine = engine.weak();
    thread::spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK_INTERVAL);
        }
    });
}

/// The first line of an error; the engine adds a backtrace below it.
fn first_line(error: impl fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
