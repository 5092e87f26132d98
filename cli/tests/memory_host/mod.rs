//! A machine that has some files and standard input in memory, and nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

use changeover_cli::{Finished, Host, HostError, PathContent, Terminals};
use changeover_core::object::Time;

#[derive(Default)]
pub(crate) struct MemoryHost {
    pub(crate) files: BTreeMap<&'static str, String>,
    pub(crate) stdin: Option<String>,
    pub(crate) terminals: Terminals,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Host for MemoryHost {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        let text = self.files.get(path).ok_or(HostError::NotFound)?;
        Ok(PathContent::File(text.clone().into_bytes()))
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        // It can only be read once.
        self.stdin.take().map(String::into_bytes).ok_or(HostError::NotFound)
    }

    fn read_line(&mut self) -> Result<Option<Vec<u8>>, HostError> {
        let Some(rest) = self.stdin.take().filter(|rest| !rest.is_empty()) else { return Ok(None) };
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        self.stdin = rest.strip_prefix(line).map(str::to_owned);
        Ok(Some(line.as_bytes().to_vec()))
    }

    fn run_kubectl(&mut self, _: &[String]) -> Result<Finished, HostError> {
        Err(HostError::NotFound)
    }

    fn print(&mut self, text: &str) {
        self.output.push_str(text);
    }

    fn print_error(&mut self, text: &str) {
        self.errors.push_str(text);
    }

    fn terminals(&self) -> Terminals {
        self.terminals
    }

    fn now(&self) -> Time {
        Time(0)
    }

    fn sleep(&mut self, _: Duration) {}

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}
