//! TLS. An API server calls its webhooks in no other way.

use core::future;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::open;

/// How long a client may take to greet.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Greetings that are done and not served yet.
const WAITING: usize = 64;

/// Reads a certificate with its chain and its key.
///
/// # Errors
/// One sentence that names the option and the file.
pub(crate) fn acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let invalid = |option: &str, path: &Path, right: &str| {
        format!("{option}: Invalid value: {:?}: must be {right} in PEM", path.display().to_string())
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&open::read("--cert", cert)?).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| invalid("--cert", cert, "a certificate"))?;
    let private = PrivateKeyDer::from_pem_slice(&open::read("--key", key)?);
    let private = private.map_err(|_| invalid("--key", key, "a private key"))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = builder
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| format!("--key: {}: does not fit --cert: {error}", key.display()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Connections whose greeting is done. Each greets on its own, so that a slow one holds up no other.
pub(crate) struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    /// Greets whoever connects.
    pub(crate) fn new(mut listener: TcpListener, acceptor: TlsAcceptor, address: SocketAddr) -> Self {
        let (sender, ready) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            while !sender.is_closed() {
                let (stream, peer) = tokio::select! {
                    connection = Listener::accept(&mut listener) => connection,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    // Who does not greet as TLS wants it is not served; there is no way to tell it why.
                    if let Ok(Ok(stream)) = time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                        drop(sender.send((stream, peer)).await);
                    }
                });
            }
        });
        Self { ready, address }
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            None => future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
