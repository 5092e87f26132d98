//! Start and end.

use core::future::Future;
use core::time::Duration;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time;
use tokio_rustls::TlsAcceptor;

use crate::host::Policy;
use crate::options::Options;
use crate::routes::{Judge, routes};
use crate::tls::{self, TlsListener};
use crate::{open, settings};

/// How long open connections may go on after the server was told to end: a call's deadline and a little more.
const FAREWELL: Duration = Duration::from_secs(3);

/// A server that listens, and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    tls: Option<TlsAcceptor>,
    /// The certificate's file, and the example's, as a shell takes them.
    cert: Option<String>,
    example: Option<String>,
}

impl Server {
    /// Reads the files, compiles the policy, has it judge its settings, and listens.
    ///
    /// # Errors
    /// One sentence: a file that can't be read, a module that is no policy, invalid settings, an address that is taken.
    pub async fn bind(options: &Options) -> Result<Self, String> {
        let module = open::read("--policy", &options.policy)?;
        if let Some(site) = &options.site {
            open::folder("--site", site)?;
        }
        let tls = options.tls.as_ref().map(|(cert, key)| tls::acceptor(cert, key)).transpose()?;
        let cert = options.tls.as_ref().map(|(cert, _)| in_shell(cert));
        let example = options.example.as_deref().map(example).transpose()?;
        let listener = TcpListener::bind(&options.addr).await.map_err(|error| taken(&options.addr, &error))?;
        let address = listener.local_addr().map_err(|error| taken(&options.addr, &error))?;
        let policy =
            Policy::load(&module).map_err(|message| format!("--policy: {}: {message}", options.policy.display()))?;
        let settings = settings::load(options.settings.as_deref(), &policy)?;
        let router = routes(Judge { policy, settings }, options.site.as_deref());
        Ok(Self { listener, address, router, tls, cert, example })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a person reads at the start: the addresses, and a line to paste.
    #[must_use]
    pub fn greeting(&self, with_page: bool) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let host = format!("{scheme}://{}", reachable(self.address));
        let mut greeting = String::new();
        if with_page {
            greeting.push_str(&format!("page:    {host}/\n"));
        }
        greeting.push_str(&format!("policy:  {host}/validate\n"));
        if let Some(example) = &self.example {
            let trust = self.cert.as_ref().map(|cert| format!(" --cacert {cert}")).unwrap_or_default();
            greeting.push_str(&format!(
                "try:     curl -sS{trust} -H 'Content-Type: application/json' --data-binary @{example} {host}/validate\n"
            ));
        }
        greeting
    }

    /// Answers until `end` is done; then finishes what it began.
    ///
    /// # Errors
    /// One sentence, when the listener breaks.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
        let (ended, mut ending) = watch::channel(());
        let end = async move {
            end.await;
            drop(ended);
        };
        let farewell = async move {
            // Ends with an error once the sender is dropped, which is the signal.
            while ending.changed().await.is_ok() {}
            time::sleep(FAREWELL).await;
        };
        tokio::select! {
            result = serve(self.listener, self.tls, self.address, self.router, end) => {
                result.map_err(|error| format!("the server stopped: {error}"))
            }
            () = farewell => Ok(()),
        }
    }
}

async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    address: SocketAddr,
    router: Router,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    match tls {
        Some(acceptor) => {
            let listener = TlsListener::new(listener, acceptor, address);
            axum::serve(listener, router).with_graceful_shutdown(end).await
        }
        None => axum::serve(listener, router).with_graceful_shutdown(end).await,
    }
}

/// The example's path; the file has to be there.
fn example(path: &Path) -> Result<String, String> {
    open::read("--example", path)?;
    Ok(in_shell(path))
}

/// A path as a shell takes it.
fn in_shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// An address to connect to: one that listens everywhere is reached at home.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut reachable = address;
    if address.ip().is_unspecified() {
        reachable.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    reachable
}

fn taken(addr: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "--addr: {addr} is in use already: stop what listens there, or choose another port (ADDR=HOST:PORT)"
            )
        }
        io::ErrorKind::InvalidInput => format!("--addr: Invalid value: {addr:?}: must be HOST:PORT, as 127.0.0.1:8080"),
        _ => format!("--addr: Invalid value: {addr:?}: can't listen there: {error}"),
    }
}
