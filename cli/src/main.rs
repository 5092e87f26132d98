//! The native command `changeover`. As `kubectl-changeover` on the PATH it is the plugin `kubectl changeover`.
#![forbid(unsafe_code)]

use std::io::{BufRead, ErrorKind, IsTerminal, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};
use std::{env, fs, io, thread};

use changeover_cli::{Exit, Finished, FolderEntry, Host, HostError, PathContent, Terminals, run};
use changeover_core::object::Time;

fn main() -> ExitCode {
    #[cfg(unix)]
    interrupt::handle().ok();
    let arguments: Vec<String> = env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut machine = Machine::default();
    let exit = run(&mut machine, &arguments);
    match machine.lost {
        None => ExitCode::from(exit.code()),
        Some(error) => {
            eprintln!("error: the output can't be written: {error}");
            ExitCode::from(Exit::Unusable.code())
        }
    }
}

/// Ctrl-C.
#[cfg(unix)]
mod interrupt {
    use std::io::{self, IsTerminal, Write};
    use std::thread;

    use changeover_cli::CLEAR_LINE;
    use signal_hook::consts::SIGINT;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Removes the progress bar on Ctrl-C. Only a terminal has one; without this, Ctrl-C ends the process as well.
    pub fn handle() -> io::Result<()> {
        if io::stderr().is_terminal() {
            let mut signals = Signals::new([SIGINT])?;
            thread::spawn(move || signals.forever().for_each(end));
        }
        Ok(())
    }

    /// Removes the progress bar, and lets the signal end the process: a shell ends its script only then. The lock on
    /// stderr keeps another bar from being drawn in between.
    fn end(signal: i32) {
        let mut stderr = io::stderr().lock();
        stderr.write_all(CLEAR_LINE.as_bytes()).ok();
        emulate_default_handler(signal).ok();
    }
}

/// This machine.
#[derive(Default)]
struct Machine {
    /// Why output was lost, as on a full disk.
    lost: Option<io::Error>,
}

impl Host for Machine {
    fn read(&mut self, path: &str) -> Result<PathContent, HostError> {
        if !fs::metadata(path).map_err(to_host_error)?.is_dir() {
            return fs::read(path).map(PathContent::File).map_err(to_host_error);
        }
        let entry = |entry: io::Result<fs::DirEntry>| {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(FolderEntry { name, is_folder: path.is_dir() })
        };
        let entries = fs::read_dir(path).map_err(to_host_error)?.map(entry);
        entries.collect::<io::Result<_>>().map(PathContent::Folder).map_err(to_host_error)
    }

    fn real_path(&mut self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
    }

    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError> {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map_err(to_host_error)?;
        Ok(bytes)
    }

    fn read_line(&mut self) -> Result<Option<Vec<u8>>, HostError> {
        let mut line = Vec::new();
        let length = io::stdin().lock().read_until(b'\n', &mut line).map_err(to_host_error)?;
        Ok((length > 0).then_some(line))
    }

    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError> {
        let mut command = Command::new("kubectl");
        command.args(arguments).stdin(Stdio::null());
        let output = command.output().map_err(to_host_error)?;
        Ok(Finished {
            success: output.status.success(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn print(&mut self, text: &str) {
        let mut stdout = io::stdout();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        // The reader may be gone, as with `head`.
        self.lost = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe).or_else(|| self.lost.take());
    }

    fn print_error(&mut self, text: &str) {
        io::stderr().write_all(text.as_bytes()).ok();
    }

    fn terminals(&self) -> Terminals {
        Terminals { output: io::stdout().is_terminal(), error: io::stderr().is_terminal() }
    }

    fn columns(&self) -> Option<usize> {
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
    }

    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
    }

    fn sleep(&mut self, duration: Duration) {
        thread::sleep(duration);
    }

    fn variable(&self, name: &str) -> Option<String> {
        env::var(name).ok()
    }
}

fn to_host_error(error: io::Error) -> HostError {
    match error.kind() {
        ErrorKind::NotFound => HostError::NotFound,
        ErrorKind::PermissionDenied => HostError::NotAllowed,
        _ => HostError::Other(error.to_string()),
    }
}
