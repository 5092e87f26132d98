//! The API server at a `--context` address, which answers the policy's reads from the cluster.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use ureq::Agent;

use crate::context_question::{Lookup, Question};

/// The timeout of a read, discovery included.
const TIMEOUT: Duration = Duration::from_millis(500);

/// A request gets at least this long: without any time left, the client would have no timeout.
const MIN_TIMEOUT: Duration = Duration::from_millis(1);

/// An API server without TLS and authentication: `kubectl proxy` in front of a real one.
pub struct ContextServer {
    address: String,
    agent: Agent,
    /// The names of resources, such as `deployments`, by API version and kind.
    resources: Mutex<BTreeMap<(String, String), String>>,
}

impl ContextServer {
    /// The API server at an address without a trailing slash. Sends no request yet.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false);
        Self { address: address.to_owned(), agent: config.build().new_agent(), resources: Mutex::default() }
    }

    /// Answers a call of the policy.
    ///
    /// # Errors
    /// policy-server's message for an object that does not exist; otherwise one sentence with the reason.
    pub fn answer(&self, capability: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        let start = Instant::now();
        match Question::parse(capability, payload)? {
            Question::Get(lookup) => {
                if !is_name(&lookup.name) {
                    return Err(lookup.not_found());
                }
                let path = format!("{}/{}", self.collection(&lookup, start)?, lookup.name);
                let object = self.get(&path, start)?.ok_or_else(|| lookup.not_found())?;
                Ok(lookup.object(&object))
            }
            Question::List(lookup) => {
                let list = self.get(&self.collection(&lookup, start)?, start)?.unwrap_or_default();
                let items = list.get("items").and_then(Value::as_array);
                Ok(lookup.list(items.into_iter().flatten()))
            }
        }
    }

    /// The path of the objects of a kind in a namespace.
    fn collection(&self, lookup: &Lookup, start: Instant) -> Result<String, String> {
        let namespace = lookup.namespace.as_deref().unwrap_or_default();
        let (root, resource) = (root(&lookup.api_version), self.resource(lookup, start)?);
        if !is_name(namespace) {
            return Err(lookup.not_found());
        }
        Ok(format!("{root}/namespaces/{namespace}/{resource}"))
    }

    /// The name of the resource, from the API server's discovery.
    fn resource(&self, lookup: &Lookup, start: Instant) -> Result<String, String> {
        let Lookup { api_version, kind, .. } = lookup;
        let key = (api_version.clone(), kind.clone());
        let known = || self.resources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = known().get(&key) {
            return Ok(resource.clone());
        }
        let list = self.get(root(api_version).as_str(), start)?.unwrap_or_default();
        let resources = list.get("resources").and_then(Value::as_array).into_iter().flatten();
        let is_it = |resource: &&Value| {
            // Names of subresources contain a slash.
            let name = resource.get("name").and_then(Value::as_str).unwrap_or("/");
            resource.get("kind").is_some_and(|found| found == kind.as_str()) && !name.contains('/')
        };
        let found = resources.clone().find(is_it).and_then(|resource| resource.get("name")).and_then(Value::as_str);
        let resource = found.ok_or_else(|| format!("Cannot find the resource of {api_version}/{kind}"))?.to_owned();
        known().insert(key, resource.clone());
        Ok(resource)
    }

    /// The object at a path, for a read that began at `start`; none if the API server has none.
    fn get(&self, path: &str, start: Instant) -> Result<Option<Value>, String> {
        let timeout = TIMEOUT.saturating_sub(start.elapsed()).max(MIN_TIMEOUT);
        let request = self.agent.get(format!("{}{path}", self.address)).header("accept", "application/json");
        let asked = request.config().timeout_global(Some(timeout)).build().call();
        let mut answer = asked.map_err(|error| error.to_string())?;
        let body: Result<Value, _> =
            answer.body_mut().read_to_string().map(|text| serde_json::from_str(&text).unwrap_or_default());
        let body = body.map_err(|error| error.to_string())?;
        match answer.status().as_u16() {
            200 => Ok(Some(body)),
            404 => Ok(None),
            status => {
                let message = body.get("message").and_then(Value::as_str);
                Err(message.map_or_else(|| format!("the API server answers with {status}"), ToOwned::to_owned))
            }
        }
    }
}

/// The path of an API version.
fn root(api_version: &str) -> String {
    let folder = if api_version.contains('/') { "apis" } else { "api" };
    format!("/{folder}/{api_version}")
}

/// Whether an object of the kinds that the policy reads can have this name. Owner references can contain any text,
/// which must not lead to another path.
fn is_name(name: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
    !name.is_empty() && name.chars().all(is_plain) && name.chars().any(|character| character != '.')
}
