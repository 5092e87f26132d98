//! A server that runs alongside a test.

use std::fs;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use changeover_www::{Options, Server};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use ureq::Agent;
use ureq::http::Response;

use crate::{policy, policy_path};

/// A response with its whole body.
#[derive(Debug)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The head.
    pub head: Response<()>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// A header, empty if it is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let value = self.head.headers().get(name);
        value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default()
    }
}

/// A client of a server, with its own connections.
pub struct Client {
    address: SocketAddr,
    agent: Agent,
}

/// A server on a free port. It is stopped on drop.
pub struct TestServer {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), String>>>,
    client: Client,
}

impl TestServer {
    /// Starts a server on any free port of the loopback interface. The built policy is compiled once for all of them.
    ///
    /// # Errors
    /// With the server's own message.
    pub fn start(options: &Options) -> Result<Self, String> {
        let runtime = Runtime::new().expect("a runtime");
        let server = if options.policy == policy_path() {
            runtime.block_on(Server::bind_with_policy(options, policy().clone()))?
        } else {
            runtime.block_on(Server::bind(options))?
        };
        let address = server.address();
        let (end, ended) = oneshot::channel::<()>();
        let thread = thread::spawn(move || {
            runtime.block_on(server.run(async move {
                drop(ended.await);
            }))
        });
        Ok(Self { end: Some(end), thread: Some(thread), client: Client::new(address) })
    }
}

impl Deref for TestServer {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Client {
    /// A client of the server at an address.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Self { address, agent }
    }

    /// Another client of the same server.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::new(self.address)
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends `GET`, and does not follow redirects.
    #[must_use]
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> HttpResponse {
        let mut request = self.agent.get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        read(request.call().expect("an answer"))
    }

    /// Sends `GET`; none if there is no response.
    #[must_use]
    pub fn try_get(&self, path: &str) -> Option<HttpResponse> {
        self.agent.get(self.url(path)).call().ok().map(read)
    }

    /// Sends `POST`; an empty content type is left out.
    #[must_use]
    pub fn post(&self, path: &str, content_type: &str, body: &[u8]) -> HttpResponse {
        let mut request = self.agent.post(self.url(path));
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        read(request.send(body).expect("an answer"))
    }

    /// Sends an AdmissionReview and returns its `response`.
    #[must_use]
    pub fn review(&self, review: &Value) -> Value {
        self.review_at("/validate", review)
    }

    /// Sends an AdmissionReview to a path and returns its `response`.
    #[must_use]
    pub fn review_at(&self, path: &str, review: &Value) -> Value {
        let answer = self.post(path, "application/json", review.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/json");
        let mut answer = answer.json();
        assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(answer["kind"], "AdmissionReview");
        answer["response"].take()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.end.take());
        let Some(thread) = self.thread.take() else { return };
        let result = thread.join();
        if !thread::panicking() {
            assert!(matches!(result, Ok(Ok(()))), "the server ends cleanly");
        }
    }
}

fn read(response: Response<ureq::Body>) -> HttpResponse {
    let (head, mut body) = response.into_parts();
    let body = body.read_to_vec().expect("a body");
    HttpResponse { status: head.status.as_u16(), head: Response::from_parts(head, ()), body }
}

/// The minimal options of a server on a free port.
#[must_use]
pub fn options(policy: PathBuf) -> Options {
    Options {
        addr: "127.0.0.1:0".to_owned(),
        policy,
        site: None,
        settings: None,
        context: None,
        tls: None,
        example: None,
    }
}

/// A file with this content, in a folder that is removed on drop.
#[must_use]
pub fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, content).expect("the file can be written");
    (folder, path)
}
