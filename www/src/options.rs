//! The command-line options.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

/// What `--help` prints.
pub const USAGE: &str = "\
Serves the page at / and the policy at POST /validate, as an admission webhook.

usage: changeover-www --policy FILE [options]

  --policy FILE     the policy: a WebAssembly module for Kubewarden's waPC host
  --addr HOST:PORT  where to listen (default: the environment's ADDR, else 127.0.0.1:8080)
  --site DIR        the page's files, for /
  --settings FILE   the policy's settings, YAML or JSON
  --context SOURCE  where the policy reads the cluster's objects: a file (YAML or JSON), or the address of `kubectl proxy`
  --cert FILE       serve TLS: the certificate with its chain, in PEM; needs --key
  --key FILE        the certificate's private key, in PEM; needs --cert
  --example FILE    the AdmissionReview of the curl line printed at the start
  --help            print this
  --version         print the version
";

const DEFAULT_ADDR: &str = "127.0.0.1:8080";

/// What the server serves, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `HOST:PORT`; port 0 uses any free one.
    pub addr: String,
    /// The policy's module.
    pub policy: PathBuf,
    /// The folder of the page, if it is served.
    pub site: Option<PathBuf>,
    /// The policy's settings; without a file, they are empty.
    pub settings: Option<PathBuf>,
    /// The source of the cluster's objects; without it, the policy can't read from a cluster.
    pub context: Option<Context>,
    /// For TLS: the files of the certificate and of its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// A file that holds an AdmissionReview.
    pub example: Option<PathBuf>,
}

/// The source of the cluster's objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// A file with objects, YAML or JSON.
    File(PathBuf),
    /// An API server at this address, without TLS and authentication: `kubectl proxy`.
    Address(String),
}

/// The command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Serve.
    Serve(Options),
    /// Print the usage.
    Help,
    /// Print the version.
    Version,
}

/// Parses the arguments after the program's name. `addr` is the environment variable `ADDR`; an empty one is ignored.
///
/// # Errors
/// One sentence that names the option.
pub fn parse(arguments: impl IntoIterator<Item = OsString>, addr: Option<String>) -> Result<Command, String> {
    let mut options = Options {
        addr: addr.filter(|addr| !addr.is_empty()).unwrap_or_else(|| DEFAULT_ADDR.to_owned()),
        policy: PathBuf::new(),
        site: None,
        settings: None,
        context: None,
        tls: None,
        example: None,
    };
    let (mut cert, mut key) = (None, None);
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(usage_error)? {
        match argument {
            Arg::Long("addr") => options.addr = string_value(&mut parser)?,
            Arg::Long("policy") => options.policy = path_value(&mut parser)?,
            Arg::Long("site") => options.site = Some(path_value(&mut parser)?),
            Arg::Long("settings") => options.settings = Some(path_value(&mut parser)?),
            Arg::Long("context") => options.context = Some(context(path_value(&mut parser)?)?),
            Arg::Long("cert") => cert = Some(path_value(&mut parser)?),
            Arg::Long("key") => key = Some(path_value(&mut parser)?),
            Arg::Long("example") => options.example = Some(path_value(&mut parser)?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Command::Version),
            other => return Err(usage_error(other.unexpected())),
        }
    }
    if options.policy.as_os_str().is_empty() {
        return Err("--policy: Required value: the file of the policy; see --help".to_owned());
    }
    options.tls = match (cert, key) {
        (Some(cert), Some(key)) => Some((cert, key)),
        (None, None) => None,
        (Some(_), None) => return Err("--key: Required value: --cert needs the private key; see --help".to_owned()),
        (None, Some(_)) => return Err("--cert: Required value: --key needs the certificate; see --help".to_owned()),
    };
    Ok(Command::Serve(options))
}

/// Decides whether the value is a file or an address.
fn context(value: PathBuf) -> Result<Context, String> {
    match value.to_str() {
        Some(address) if address.starts_with("http://") => {
            Ok(Context::Address(address.trim_end_matches('/').to_owned()))
        }
        Some(address) if address.starts_with("https://") => Err(format!(
            "--context: Invalid value: {address:?}: must be a file, or an http:// address: run `kubectl proxy`, and give its address"
        )),
        _ => Ok(Context::File(value)),
    }
}

fn path_value(parser: &mut Parser) -> Result<PathBuf, String> {
    parser.value().map(PathBuf::from).map_err(usage_error)
}

fn string_value(parser: &mut Parser) -> Result<String, String> {
    parser.value().and_then(|value| value.string()).map_err(usage_error)
}

fn usage_error(error: lexopt::Error) -> String {
    format!("{error}; see --help")
}
