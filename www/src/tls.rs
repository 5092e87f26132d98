//! TLS for the server: API servers call webhooks only over TLS.

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

use crate::files;

/// The timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How many connections may wait after their handshake.
const HANDSHAKE_BACKLOG: usize = 64;

/// Loads a certificate with its chain, and its key.
///
/// # Errors
/// One sentence that names the option and the file.
pub(crate) fn acceptor(cert: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let invalid = |option: &str, path: &Path, expected: &str| {
        format!("{option}: Invalid value: {:?}: must be {expected} in PEM", path.display().to_string())
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&files::read("--cert", cert)?).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| invalid("--cert", cert, "a certificate"))?;
    let private = PrivateKeyDer::from_pem_slice(&files::read("--key", key)?);
    let private = private.map_err(|_| invalid("--key", key, "a private key"))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = builder
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| format!("--key: {}: does not match --cert: {error}", key.display()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Accepts connections after their TLS handshake. Handshakes run in parallel, so a slow one delays no other.
pub(crate) struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    /// Starts to accept connections.
    pub(crate) fn new(mut listener: TcpListener, acceptor: TlsAcceptor, address: SocketAddr) -> Self {
        let (sender, ready) = mpsc::channel(HANDSHAKE_BACKLOG);
        tokio::spawn(async move {
            while !sender.is_closed() {
                let (stream, peer) = tokio::select! {
                    connection = Listener::accept(&mut listener) => connection,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    // A client that fails the handshake is dropped.
                    if let Ok(Ok(stream)) = time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
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
