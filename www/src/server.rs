//! The server: binds its address, serves, and shuts down.

use core::future::Future;
use core::time::Duration;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time;
use tokio_rustls::TlsAcceptor;

use crate::context_objects::ContextObjects;
use crate::context_server::ContextServer;
use crate::options::{Context, Options};
use crate::policy_host::Policy;
use crate::routes::{ConfiguredPolicy, routes};
use crate::tls::{self, TlsListener};
use crate::{files, policy_settings};

/// How long open connections may continue after the shutdown signal: the deadline of a call and a little more.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// A server that listens but does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    /// The files of the certificate and of the example, quoted for a shell.
    cert: Option<String>,
    example: Option<String>,
    /// The value that the settings give to Jobs without one.
    jobs_default: Option<String>,
}

impl Server {
    /// Reads the files, compiles the policy, validates its settings, and listens.
    ///
    /// # Errors
    /// One sentence: a file that can't be read, a module that is not a policy, invalid settings, an address in use.
    pub async fn bind(options: &Options) -> Result<Self, String> {
        let module = files::read("--policy", &options.policy)?;
        let policy =
            Policy::load(&module).map_err(|message| format!("--policy: {}: {message}", options.policy.display()))?;
        Self::bind_with_policy(options, policy).await
    }

    /// Like [`Self::bind`], with a policy that is already compiled.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub async fn bind_with_policy(options: &Options, mut policy: Policy) -> Result<Self, String> {
        if let Some(site) = &options.site {
            files::check_folder("--site", site)?;
        }
        let tls = options.tls.as_ref().map(|(cert, key)| tls::acceptor(cert, key)).transpose()?;
        let cert = options.tls.as_ref().map(|(cert, _)| shell_quoted(cert));
        let example = options.example.as_deref().map(example_argument).transpose()?;
        let listener = TcpListener::bind(&options.addr).await.map_err(|error| bind_error(&options.addr, &error))?;
        let address = listener.local_addr().map_err(|error| bind_error(&options.addr, &error))?;
        match &options.context {
            None => {}
            Some(Context::File(path)) => {
                let objects = ContextObjects::load(path)?;
                policy =
                    policy.with_host_calls(Arc::new(move |capability, payload| objects.answer(capability, payload)));
            }
            Some(Context::Address(address)) => {
                let server = ContextServer::new(address);
                policy =
                    policy.with_host_calls(Arc::new(move |capability, payload| server.answer(capability, payload)));
            }
        }
        let settings = policy_settings::load(options.settings.as_deref(), &policy)?;
        let jobs_default = settings.pointer("/pod_replacement_policy/jobs/default");
        let jobs_default = jobs_default.and_then(Value::as_str).map(str::to_owned);
        let router = routes(ConfiguredPolicy { policy, settings }, options.site.as_deref());
        Ok(Self { listener, address, router, tls, cert, example, jobs_default })
    }

    /// The address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The text to print at the start: the addresses, a command to try, and what the settings mean for other tools.
    #[must_use]
    pub fn greeting(&self, with_page: bool) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let host = format!("{scheme}://{}", connectable(self.address));
        let mut greeting = String::new();
        if with_page {
            greeting.push_str(&format!("page:    {host}/\n"));
        }
        greeting.push_str(&format!("policy:  {host}/validate\n"));
        if let Some(example) = &self.example {
            let cacert = self.cert.as_ref().map(|cert| format!(" --cacert {cert}")).unwrap_or_default();
            greeting.push_str(&format!(
                "try:     curl -sS{cacert} -H 'Content-Type: application/json' --data-binary @{example} {host}/validate\n"
            ));
        }
        if let Some(default) = &self.jobs_default {
            greeting.push_str(&format!(
                "note:    stored Jobs get podReplacementPolicy: {default}, which their manifests may lack. If Argo CD or Flux shows a difference, ignore /spec/podReplacementPolicy (CronJobs: /spec/jobTemplate/spec/podReplacementPolicy), see policy/behavior.md, \"Diffs in Argo CD, Flux and Helm\"\n"
            ));
        }
        greeting
    }

    /// Serves until `shutdown` completes, then finishes open requests.
    ///
    /// # Errors
    /// One sentence, if the listener fails.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
        let (shutdown_sender, mut shutdown_receiver) = watch::channel(());
        let shutdown = async move {
            shutdown.await;
            drop(shutdown_sender);
        };
        let timeout = async move {
            // Ends with an error once the sender is dropped, which is the signal.
            while shutdown_receiver.changed().await.is_ok() {}
            time::sleep(SHUTDOWN_TIMEOUT).await;
        };
        tokio::select! {
            result = serve(self.listener, self.tls, self.address, self.router, shutdown) => {
                result.map_err(|error| format!("the server stopped: {error}"))
            }
            () = timeout => Ok(()),
        }
    }
}

async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    address: SocketAddr,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    match tls {
        Some(acceptor) => {
            let listener = TlsListener::new(listener, acceptor, address);
            axum::serve(listener, router).with_graceful_shutdown(shutdown).await
        }
        None => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
    }
}

/// The path of the example, quoted for a shell. The file must exist.
fn example_argument(path: &Path) -> Result<String, String> {
    files::read("--example", path)?;
    Ok(shell_quoted(path))
}

/// A path, quoted for a shell if necessary.
fn shell_quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// An address to connect to: localhost if the server listens on all addresses.
fn connectable(address: SocketAddr) -> SocketAddr {
    let mut connectable = address;
    if address.ip().is_unspecified() {
        connectable.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    connectable
}

fn bind_error(addr: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "--addr: {addr} is in use already: stop what listens there, or choose another port (ADDR=HOST:PORT)"
            )
        }
        io::ErrorKind::InvalidInput => {
            format!("--addr: Invalid value: {addr:?}: must be HOST:PORT, such as 127.0.0.1:8080")
        }
        _ => format!("--addr: Invalid value: {addr:?}: can't listen there: {error}"),
    }
}
