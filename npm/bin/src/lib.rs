//! The command of the npm package: the function of the crate `cli`, with Node as its machine. `changeover.mjs` beside it is
//! that machine.

use core::time::Duration;

use changeover_cli::{Finished, FolderEntry, Host, HostError, PathContent, Terminals};
use changeover_core::object::Time;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

#[wasm_bindgen]
extern "C" {
    /// The machine. A method that fails throws a string: `NotFound`, `NotAllowed` or the system's own words.
    pub type Machine;

    #[wasm_bindgen(method, catch, js_name = isFolder)]
    fn is_folder(this: &Machine, path: &str) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, catch, js_name = readFile)]
    fn read_file(this: &Machine, path: &str) -> Result<Vec<u8>, JsValue>;

    /// The names in a folder, each with a `/` after it if it is a folder, separated by NUL.
    #[wasm_bindgen(method, catch, js_name = readFolder)]
    fn read_folder(this: &Machine, path: &str) -> Result<String, JsValue>;

    /// Where a folder really is, if links lead to it.
    #[wasm_bindgen(method, catch, js_name = realPath)]
    fn real_path(this: &Machine, path: &str) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, js_name = readStdin)]
    fn read_stdin(this: &Machine) -> Result<Vec<u8>, JsValue>;

    /// The next line on standard input; undefined after the last one.
    #[wasm_bindgen(method, catch, js_name = readLine)]
    fn read_line(this: &Machine) -> Result<Option<Vec<u8>>, JsValue>;

    /// Runs kubectl with arguments that are separated by NUL.
    #[wasm_bindgen(method, catch, js_name = runKubectl)]
    fn run_kubectl(this: &Machine, arguments: &str) -> Result<FinishedProcess, JsValue>;

    #[wasm_bindgen(method)]
    fn print(this: &Machine, text: &str);

    #[wasm_bindgen(method, js_name = printError)]
    fn print_error(this: &Machine, text: &str);

    #[wasm_bindgen(method, getter, js_name = outputIsTerminal)]
    fn output_is_terminal(this: &Machine) -> bool;

    #[wasm_bindgen(method, getter, js_name = errorIsTerminal)]
    fn error_is_terminal(this: &Machine) -> bool;

    /// The width of the terminal of standard output; undefined if it is not one.
    #[wasm_bindgen(method, getter)]
    fn columns(this: &Machine) -> Option<u32>;

    /// The time as in RFC 3339.
    #[wasm_bindgen(method)]
    fn now(this: &Machine) -> String;

    #[wasm_bindgen(method)]
    fn sleep(this: &Machine, milliseconds: u32);

    #[wasm_bindgen(method)]
    fn variable(this: &Machine, name: &str) -> Option<String>;

    /// What a program left behind.
    pub type FinishedProcess;

    #[wasm_bindgen(method, getter)]
    fn success(this: &FinishedProcess) -> bool;

    #[wasm_bindgen(method, getter)]
    fn stdout(this: &FinishedProcess) -> Vec<u8>;

    #[wasm_bindgen(method, getter)]
    fn stderr(this: &FinishedProcess) -> String;
}

/// Runs a command and returns its exit code. The arguments, of which the first is the program's name, are separated by NUL.
#[wasm_bindgen]
pub fn run(mut machine: Machine, arguments: &str) -> u8 {
    let arguments: Vec<String> = arguments.split('\0').map(str::to_owned).collect();
    changeover_cli::run(&mut machine, &arguments).code()
}

impl Host for Machine {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        if !self.is_folder(path).map_err(to_host_error)? {
            return self.read_file(path).map(PathContent::File).map_err(to_host_error);
        }
        let names = self.read_folder(path).map_err(to_host_error)?;
        let entry = |name: &str| match name.strip_suffix('/') {
            Some(folder) => FolderEntry { name: folder.to_owned(), is_folder: true },
            None => FolderEntry { name: name.to_owned(), is_folder: false },
        };
        Ok(PathContent::Folder(names.split('\0').filter(|name| !name.is_empty()).map(entry).collect()))
    }

    fn real_path(&mut self, path: &str) -> Option<String> {
        Machine::real_path(self, path).ok()
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        Machine::read_stdin(self).map_err(to_host_error)
    }

    fn read_line(&mut self) -> Result<Option<Vec<u8>>, HostError> {
        Machine::read_line(self).map_err(to_host_error)
    }

    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError> {
        let process = Machine::run_kubectl(self, &arguments.join("\0")).map_err(to_host_error)?;
        Ok(Finished { success: process.success(), stdout: process.stdout(), stderr: process.stderr() })
    }

    fn print(&mut self, text: &str) {
        Machine::print(self, text);
    }

    fn print_error(&mut self, text: &str) {
        Machine::print_error(self, text);
    }

    fn terminals(&self) -> Terminals {
        Terminals { output: self.output_is_terminal(), error: self.error_is_terminal() }
    }

    fn columns(&self) -> Option<usize> {
        Machine::columns(self).and_then(|columns| usize::try_from(columns).ok())
    }

    fn now(&self) -> Time {
        Time::parse(&Machine::now(self)).unwrap_or_default()
    }

    fn sleep(&mut self, duration: Duration) {
        Machine::sleep(self, u32::try_from(duration.as_millis()).unwrap_or(u32::MAX));
    }

    fn variable(&self, name: &str) -> Option<String> {
        Machine::variable(self, name)
    }
}

fn to_host_error(thrown: JsValue) -> HostError {
    match thrown.as_string().as_deref() {
        Some("NotFound") => HostError::NotFound,
        Some("NotAllowed") => HostError::NotAllowed,
        words => HostError::Other(words.unwrap_or("unknown error").to_owned()),
    }
}
