//! The Model Context Protocol: <https://modelcontextprotocol.io/specification>
//!
//! It serves clients that begin with `initialize`, and newer ones that name the version in every request.

use serde_json::{Map, Value, json};

use super::call;
use super::description::describe;
use super::jsonrpc::{self, Request, RpcError};
use super::tool::Tool;
use crate::host::Host;
use crate::options::ClusterOptions;

/// The version in which every request names its version. The first that is offered to clients.
const STATELESS: &str = "2026-07-28";

/// The versions that begin with `initialize`, the newest first.
const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Where a request names its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// How long clients may keep the list of tools, which never changes while the server runs.
const LIST_TTL_MILLISECONDS: u32 = 3_600_000;

/// What agents read about all tools together.
const INSTRUCTIONS: &str = "Changeover simulates the controllers, the scheduler and the API server of Kubernetes 1.37 to \
    predict, explain and check rollouts. Use predict before you change a workload, advise to choose maxSurge and \
    maxUnavailable, explain for a rollout that is stuck, rank for which pods a scale-down deletes, validate for what the \
    API server would refuse, review for the policy. Nothing is ever changed. Give objects as the path of a file or \
    folder, or as YAML or JSON text.";

/// The server.
#[derive(Debug)]
pub struct Server<'a> {
    cluster: &'a ClusterOptions,
}

impl<'a> Server<'a> {
    /// A server whose tools read this cluster, if any.
    pub const fn new(cluster: &'a ClusterOptions) -> Self {
        Self { cluster }
    }

    /// The answer to a line, if it needs one.
    pub fn answer(&self, host: &mut dyn Host, line: &[u8]) -> Option<Value> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        match serde_json::from_slice(line) {
            Err(error) => Some(RpcError::parse_error(&error.to_string()).answer(&Value::Null)),
            Ok(Value::Array(batch)) if !batch.is_empty() => {
                let answers: Vec<Value> =
                    batch.iter().filter_map(|message| self.answer_message(host, message)).collect();
                (!answers.is_empty()).then_some(Value::Array(answers))
            }
            Ok(message) => self.answer_message(host, &message),
        }
    }

    fn answer_message(&self, host: &mut dyn Host, message: &Value) -> Option<Value> {
        let request = match jsonrpc::read(message) {
            Ok(request) => request?,
            Err(error) => {
                let id = message.get("id").filter(|id| id.is_string() || id.is_number());
                return Some(error.answer(id.unwrap_or(&Value::Null)));
            }
        };
        let id = request.id?;
        Some(match self.result(host, &request) {
            Ok(result) => jsonrpc::success(id, result),
            Err(error) => error.answer(id),
        })
    }

    fn result(&self, host: &mut dyn Host, request: &Request<'_>) -> Result<Map<String, Value>, RpcError> {
        let version = request.params.get("_meta").and_then(|meta| meta.get(VERSION_KEY));
        if let Some(version) = version.filter(|version| *version != STATELESS) {
            let supported = [&[STATELESS], WITH_HANDSHAKE.as_slice()].concat();
            return Err(RpcError::unsupported_version(version, &supported));
        }
        let mut result = match request.method {
            "initialize" => initialize(&request.params),
            "server/discover" => discover(),
            "ping" => Map::new(),
            "tools/list" => self.list(),
            "tools/call" => self.call(host, &request.params)?,
            method => return Err(RpcError::method_not_found(method)),
        };
        if version.is_some() {
            result.insert("resultType".to_owned(), "complete".into());
            result.insert("_meta".to_owned(), json!({ "io.modelcontextprotocol/serverInfo": server_info() }));
            if matches!(request.method, "server/discover" | "tools/list") {
                result.insert("ttlMs".to_owned(), LIST_TTL_MILLISECONDS.into());
                result.insert("cacheScope".to_owned(), "public".into());
            }
        }
        Ok(result)
    }

    fn list(&self) -> Map<String, Value> {
        let tools: Vec<Value> = Tool::ALL.into_iter().map(|tool| describe(tool, self.cluster.cluster)).collect();
        Map::from_iter([("tools".to_owned(), tools.into())])
    }

    fn call(&self, host: &mut dyn Host, params: &Map<String, Value>) -> Result<Map<String, Value>, RpcError> {
        let name = params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| RpcError::invalid_params("name must be the name of a tool"))?;
        let Some(tool) = Tool::ALL.into_iter().find(|tool| tool.name() == name) else {
            let names: Vec<&str> = Tool::ALL.into_iter().map(Tool::name).collect();
            let message = format!("Unknown tool: {name}: must be one of {}", names.join(", "));
            return Err(RpcError::invalid_params(message));
        };
        let none = Map::new();
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(RpcError::invalid_params("arguments must be an object")),
        };
        let content = |text: &str| json!([{ "type": "text", "text": text }]);
        Ok(match call::call(host, self.cluster, tool, arguments) {
            Ok(result) => Map::from_iter([
                ("content".to_owned(), content(&result.text)),
                ("structuredContent".to_owned(), result.report),
                ("isError".to_owned(), false.into()),
            ]),
            Err(failure) => Map::from_iter([
                ("content".to_owned(), content(&call::error_in_short(&failure.to_string()))),
                ("isError".to_owned(), true.into()),
            ]),
        })
    }
}

/// The version that the client asks for, if it is one with this handshake, or else the newest of those.
fn initialize(params: &Map<String, Value>) -> Map<String, Value> {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let [newest, ..] = WITH_HANDSHAKE;
    let version = asked.filter(|asked| WITH_HANDSHAKE.contains(asked)).unwrap_or(newest);
    Map::from_iter([
        ("protocolVersion".to_owned(), version.into()),
        ("capabilities".to_owned(), capabilities()),
        ("serverInfo".to_owned(), server_info()),
        ("instructions".to_owned(), INSTRUCTIONS.into()),
    ])
}

fn discover() -> Map<String, Value> {
    Map::from_iter([
        ("supportedVersions".to_owned(), json!([STATELESS])),
        ("capabilities".to_owned(), capabilities()),
        ("instructions".to_owned(), INSTRUCTIONS.into()),
    ])
}

fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn server_info() -> Value {
    json!({ "name": "changeover", "title": "Changeover", "version": env!("CARGO_PKG_VERSION") })
}
