//! The server with TLS, as a real API server calls it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{example, example_path, policy_path};
use changeover_www::Options;
use serde_json::Value;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// Self-signed, for 127.0.0.1 and a hundred years.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tls")).join(name)
}

fn with_tls() -> Options {
    Options { tls: Some((fixture("cert.pem"), fixture("key.pem"))), ..options(policy_path()) }
}

fn client() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(fixture("cert.pem")).unwrap()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

fn post(server: &TestServer, config: ClientConfig, body: &str) -> Result<String, std::io::Error> {
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.address()).unwrap());
    let head = "POST /validate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn reviews_over_tls() {
    let (_folder, settings) = file("settings.yml", b"validate: '1.37'\n");
    let server = TestServer::start(&Options { settings: Some(settings), ..with_tls() }).unwrap();
    // A client that connects and sends nothing does not block others.
    let _silent = TcpStream::connect(server.address()).unwrap();
    let answer = post(&server, client(), &example("deployment.json").to_string()).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let review: Value = serde_json::from_str(body).unwrap();
    assert_eq!(review["response"]["allowed"], false);
    assert_eq!(review["response"]["uid"], example("deployment.json")["request"]["uid"]);
}

#[test]
fn a_client_that_does_not_trust_the_certificate_gets_nothing() {
    let server = TestServer::start(&with_tls()).unwrap();
    let stranger = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    assert!(post(&server, stranger, "{}").is_err());
    assert!(post(&server, client(), "{}").unwrap().starts_with("HTTP/1.1 400 "), "the next one is served");
}

#[test]
fn says_what_is_wrong_with_the_files() {
    let refusal = |cert: PathBuf, key: PathBuf| {
        TestServer::start(&Options { tls: Some((cert, key)), ..options(policy_path()) }).err().unwrap()
    };
    let (cert, key) = (fixture("cert.pem"), fixture("key.pem"));
    let not_found = |option: &str| format!("{option}: Not found: \"absent\": there is no such file or folder");
    assert_eq!(refusal("absent".into(), key.clone()), not_found("--cert"));
    assert_eq!(refusal(cert.clone(), "absent".into()), not_found("--key"));
    let text = example_path("job.json");
    assert!(refusal(text.clone(), key.clone()).ends_with("must be a certificate in PEM"));
    assert!(refusal(cert.clone(), text).ends_with("must be a private key in PEM"));
    assert!(refusal(cert.clone(), cert).ends_with("must be a private key in PEM"));
}
