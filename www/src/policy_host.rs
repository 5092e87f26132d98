//! The policy in its waPC host: compiled once, a fresh instance for each call, none longer than the deadline.

use core::fmt;
use core::time::Duration;
use std::thread;

use serde_json::Value;
use wapc::WapcHost;
use wasmtime_provider::wasmtime::{Config, Engine};
use wasmtime_provider::{EpochDeadlines, ResourceLimits, WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

/// How long one call may take, as in Kubewarden's policy-server.
pub const DEADLINE: Duration = Duration::from_secs(2);

/// How often the engine's clock ticks: a call gets the deadline and at most one tick more.
const TICK: Duration = Duration::from_millis(50);
const DEADLINE_TICKS: u64 = 41;

/// How much memory one instance may use, in bytes.
const MAX_MEMORY: usize = 256 << 20;

/// A compiled policy.
#[derive(Clone)]
pub struct Policy {
    compiled: WasmtimeEngineProviderPre,
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It took longer than [`DEADLINE`].
    TooLong,
    /// It trapped, or its answer is none; the text is for the log.
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
    /// Compiles a module and asks it which protocol it speaks.
    ///
    /// # Errors
    /// One sentence that says why the module is no policy.
    pub fn load(module: &[u8]) -> Result<Self, String> {
        // The names of a policy's functions are stripped: a backtrace says nothing, and hides which trap it was.
        let mut config = Config::new();
        config.epoch_interruption(true).wasm_backtrace_max_frames(None);
        let engine = Engine::new(&config).map_err(first_line)?;
        let limits = ResourceLimits { max_memory_size: Some(MAX_MEMORY), ..ResourceLimits::default() };
        let compiled = WasmtimeEngineProviderBuilder::new()
            .engine(engine.clone())
            .module_bytes(module)
            .enable_resource_limits(limits)
            .build_pre()
            .map_err(|error| format!("is no WebAssembly module for a waPC host: {}", first_line(error)))?;
        tick(&engine);
        let policy = Self { compiled };
        match policy.call("protocol_version", b"") {
            Ok(version) if version == br#""v1""# => Ok(policy),
            Ok(other) => Err(format!("speaks Kubewarden's protocol {}, not \"v1\"", String::from_utf8_lossy(&other))),
            Err(Failure::TooLong) => Err(Failure::TooLong.to_string()),
            Err(Failure::Broken(reason)) => Err(format!("is no Kubewarden policy: {}", first_line(reason))),
        }
    }

    /// Has the policy judge settings.
    ///
    /// # Errors
    /// The policy's own words, or why it has none.
    pub fn validate_settings(&self, settings: &Value) -> Result<(), String> {
        let answer =
            self.call("validate_settings", settings.to_string().as_bytes()).map_err(|failure| match failure {
                Failure::TooLong => failure.to_string(),
                Failure::Broken(reason) => format!("the policy failed: {}", first_line(reason)),
            })?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if answer.get("valid") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let message = answer.get("message").and_then(Value::as_str);
        Err(message.unwrap_or("the policy does not say why").to_owned())
    }

    /// Has the policy review an AdmissionReview's request; what comes back is Kubewarden's ValidationResponse.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn validate(&self, request: &Value, settings: &Value) -> Result<Value, Failure> {
        self.validate_text(&request.to_string(), settings)
    }

    /// The same of a request's JSON text, which reaches the policy as it is spelled.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn validate_text(&self, request: &str, settings: &Value) -> Result<Value, Failure> {
        let payload = format!("{{\"request\":{request},\"settings\":{settings}}}");
        let answer = self.call("validate", payload.as_bytes())?;
        serde_json::from_slice(&answer).map_err(|error| Failure::Broken(format!("its answer is not JSON: {error}")))
    }

    /// Calls a waPC function in an instance of its own.
    ///
    /// # Errors
    /// [`Failure`]; the guest's own error is one, too.
    pub fn call(&self, function: &str, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        self.instance()?.call(function, payload)
    }

    /// A fresh instance.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn instance(&self) -> Result<Instance, Failure> {
        let deadlines = EpochDeadlines { wapc_init: DEADLINE_TICKS, wapc_func: DEADLINE_TICKS };
        let instance = self.compiled.rehydrate(Some(deadlines)).map_err(broken)?;
        WapcHost::new(Box::new(instance), None).map(Instance).map_err(broken)
    }
}

/// One instance of a policy, for any number of calls.
pub struct Instance(WapcHost);

impl Instance {
    /// Calls a waPC function.
    ///
    /// # Errors
    /// [`Failure`]; the guest's own error is one, too.
    pub fn call(&self, function: &str, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        self.0.call(function, payload).map_err(broken)
    }
}

/// The provider tells of a deadline only in words.
fn broken(error: impl fmt::Display) -> Failure {
    let reason = error.to_string();
    if reason.contains("execution deadline exceeded") { Failure::TooLong } else { Failure::Broken(reason) }
}

/// Moves the engine's clock for as long as anyone uses the engine.
fn tick(engine: &Engine) {
    let engine = engine.weak();
    thread::spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    });
}

/// Errors of the engine have a backtrace below their first line.
fn first_line(error: impl fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
