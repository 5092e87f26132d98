//! JSON-RPC 2.0: <https://www.jsonrpc.org/specification>

use serde_json::{Map, Value, json};

/// A request or a notification.
#[derive(Debug)]
pub struct Request<'a> {
    /// The id of a request; a notification, which is never answered, has none.
    pub id: Option<&'a Value>,
    pub method: &'a str,
    /// The parameters; empty if there are none.
    pub params: Map<String, Value>,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
}

impl RpcError {
    pub fn parse_error(message: &str) -> Self {
        Self::new(-32_700, format!("Parse error: {message}"))
    }

    pub fn invalid_request(message: &str) -> Self {
        Self::new(-32_600, format!("Invalid request: {message}"))
    }

    pub fn method_not_found(method: &str) -> Self {
        Self::new(-32_601, format!("Method not found: {method}"))
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32_602, message.into())
    }

    /// MCP's own error for a version that the server does not support.
    pub fn unsupported_version(requested: &Value, supported: &[&str]) -> Self {
        let data = json!({ "supported": supported, "requested": requested });
        Self { data: Some(data), ..Self::new(-32_022, "Unsupported protocol version".to_owned()) }
    }

    const fn new(code: i32, message: String) -> Self {
        Self { code, message, data: None }
    }

    /// The answer to a request with this id; null if it could not be read.
    pub fn answer(self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(error)) = (self.data, error.as_object_mut()) {
            error.insert("data".to_owned(), data);
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// The answer with a result.
pub fn success(id: &Value, result: Map<String, Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Reads a message. None for a response, which gets no answer: the server sends no requests.
///
/// # Errors
/// What is wrong with it.
pub fn read(message: &Value) -> Result<Option<Request<'_>>, RpcError> {
    let Some(fields) = message.as_object() else { return Err(RpcError::invalid_request("must be an object")) };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(RpcError::invalid_request("jsonrpc must be \"2.0\""));
    }
    if !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error")) {
        return Ok(None);
    }
    let Some(method) = fields.get("method").and_then(Value::as_str) else {
        return Err(RpcError::invalid_request("method must be a string"));
    };
    let id = fields.get("id");
    if id.is_some_and(|id| !(id.is_string() || id.is_number())) {
        return Err(RpcError::invalid_request("id must be a string or a number"));
    }
    let params = match fields.get("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params.clone(),
        Some(_) => return Err(RpcError::invalid_params("params must be an object")),
    };
    Ok(Some(Request { id, method, params }))
}
