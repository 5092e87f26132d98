//! A small API server for the client of policy-server: discovery, get, list, and a watch without events.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use changeover_core::object::Kind;
use serde_json::{Value, json};

/// The objects to serve.
#[derive(Default)]
pub struct Objects {
    /// The objects of all namespaces.
    pub objects: Vec<Value>,
    /// Kinds that can't be read in a namespace.
    pub forbidden: Vec<(String, Kind)>,
    /// How long each answer takes.
    pub delay: Duration,
}

/// How long a watch lasts. Now and then policy-server has its first list and yet waits until its watch ends.
const WATCH: Duration = Duration::from_secs(1);

/// A running API server without TLS and authentication. It runs until the process ends.
pub struct ApiServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ApiServer {
    /// Starts a server on any free port of the loopback interface.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub fn start(objects: Objects) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (objects, asked) = (Arc::new(objects), Arc::default());
        let noted = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (objects, noted) = (Arc::clone(&objects), Arc::clone(&noted));
                thread::spawn(move || serve(stream, &objects, &noted));
            }
        });
        Self { address, asked }
    }

    /// The paths of the objects and lists that were asked for so far, without watches.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its address, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A kubeconfig for this server.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": "test", "cluster": { "server": self.url() } }],
            "users": [{ "name": "test", "user": {} }],
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "test" } }],
            "current-context": "test",
        });
        config.to_string()
    }
}

/// Answers the requests of one connection.
fn serve(mut stream: TcpStream, objects: &Objects, asked: &Mutex<Vec<String>>) {
    let Ok(reading) = stream.try_clone() else { return };
    let mut lines = BufReader::new(reading).lines();
    while let Some(Ok(request)) = lines.next() {
        // The head ends with an empty line. The client's requests have no body.
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        let target = request.split(' ').nth(1).unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if query.contains("watch=") {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            // Until the client hangs up, or the watch is over.
            let _ = stream.set_read_timeout(Some(WATCH)).and_then(|()| stream.read(&mut [0]));
            return;
        }
        if path.contains("/namespaces/") {
            asked.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        }
        thread::sleep(objects.delay);
        let (status, body) = objects.answer(path);
        let body = body.to_string();
        let head =
            format!("HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        if stream.write_all([head, body].concat().as_bytes()).is_err() {
            return;
        }
    }
}

impl Objects {
    /// The status and the body for a path like `/apis/apps/v1/namespaces/shop/deployments/web`.
    fn answer(&self, path: &str) -> (u16, Value) {
        let path = path.trim_start_matches("/apis/").trim_start_matches("/api/").trim_end_matches('/');
        let Some((api_version, rest)) = path.split_once("/namespaces/") else { return (200, resources(path)) };
        let mut rest = rest.split('/');
        let (namespace, resource) = (rest.next().unwrap_or_default(), rest.next().unwrap_or_default());
        let is_it = |kind: &Kind| kind.resource() == resource && kind.api_version() == api_version;
        let Some(kind) = Kind::ALL.into_iter().find(is_it) else { return status(404, "NotFound") };
        if self.forbidden.contains(&(namespace.to_owned(), kind)) {
            return status(403, "Forbidden");
        }
        let found = self
            .objects
            .iter()
            .filter(|object| Kind::of(object) == Some(kind) && object["metadata"]["namespace"] == namespace);
        match rest.next() {
            None => {
                let items: Vec<&Value> = found.collect();
                let kind = format!("{kind}List");
                let metadata = json!({ "resourceVersion": "1" });
                (200, json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "items": items }))
            }
            Some(name) => {
                let object = found.into_iter().find(|object| object["metadata"]["name"] == name);
                object.map_or_else(|| status(404, "NotFound"), |object| (200, object.clone()))
            }
        }
    }
}

/// The discovery document of an API version.
fn resources(api_version: &str) -> Value {
    let known: BTreeMap<&str, Kind> = Kind::ALL.into_iter().map(|kind| (kind.resource(), kind)).collect();
    let resources = known.into_iter().filter(|(_, kind)| kind.api_version() == api_version).map(|(name, kind)| {
        json!({ "name": name, "singularName": "", "namespaced": true, "kind": kind.name(), "verbs": ["get", "list", "watch"] })
    });
    let resources: Vec<Value> = resources.collect();
    json!({ "apiVersion": "v1", "kind": "APIResourceList", "groupVersion": api_version, "resources": resources })
}

fn status(code: u16, reason: &str) -> (u16, Value) {
    let message = format!("the test says {reason}");
    let status = json!({ "apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code });
    (code, status)
}
