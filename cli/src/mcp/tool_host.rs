//! The machine as a tool sees it: it has the texts that the agent pasted, and neither standard input nor a terminal.

use core::time::Duration;
use std::collections::BTreeMap;

use changeover_core::object::Time;

use crate::host::{Finished, Host, HostError, PathContent, Terminals};
use crate::options::ClusterOptions;

/// Folders of devices and processes, which include standard input with the client's messages.
const NO_FILES: [&str; 2] = ["/dev/", "/proc/"];

/// The machine during one call.
pub struct ToolHost<'a> {
    pub host: &'a mut dyn Host,
    /// The cluster that the user opened to the agent, if any.
    pub cluster: &'a ClusterOptions,
    /// The texts that the agent pasted, by the names under which they are read.
    pub pasted: BTreeMap<String, String>,
    /// What the command says beside its answer.
    pub notes: String,
}

impl Host for ToolHost<'_> {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        if let Some(text) = self.pasted.get(path) {
            return Ok(PathContent::File(text.clone().into_bytes()));
        }
        let real = self.host.real_path(path);
        let is_no_file = |path: &str| NO_FILES.iter().any(|folder| path.starts_with(folder));
        if is_no_file(path) || real.as_deref().is_some_and(is_no_file) {
            return Err(HostError::Other("must be a file or a folder".to_owned()));
        }
        self.host.read(path)
    }

    fn real_path(&mut self, path: &str) -> Option<String> {
        self.host.real_path(path)
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        Err(HostError::Other("has the client's messages: give a path, or the text itself".to_owned()))
    }

    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError> {
        if !self.cluster.cluster {
            return Err(HostError::Other("not allowed: the server was started without --cluster".to_owned()));
        }
        let is_allowed =
            |namespace: &String| arguments.windows(2).any(|two| two == ["--namespace".to_owned(), namespace.clone()]);
        match &self.cluster.namespace {
            Some(namespace) if !is_allowed(namespace) => Err(HostError::Other(format!(
                "not allowed: the user lets this server read only the namespace {namespace}"
            ))),
            _ => self.host.run_kubectl(arguments),
        }
    }

    fn print(&mut self, text: &str) {
        self.notes.push_str(text);
    }

    fn print_error(&mut self, text: &str) {
        self.notes.push_str(text);
    }

    fn terminals(&self) -> Terminals {
        Terminals::default()
    }

    fn now(&self) -> Time {
        self.host.now()
    }

    fn sleep(&mut self, duration: Duration) {
        self.host.sleep(duration);
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.host.variable(name)
    }
}
