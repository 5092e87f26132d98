//! What a command needs of the machine that it runs on. The native binary and npm's implement it.

use core::time::Duration;

use changeover_core::object::Time;

/// The machine.
pub trait Host {
    /// The bytes of a file, or the names in a folder.
    ///
    /// # Errors
    /// When it can't be read.
    fn read(&mut self, path: &str) -> Result<PathContent, HostError>;

    /// Where a folder really is, if links lead to it; none where that is not known.
    fn real_path(&mut self, _path: &str) -> Option<String> {
        None
    }

    /// Everything on standard input.
    ///
    /// # Errors
    /// When it can't be read.
    fn read_stdin(&mut self) -> Result<Vec<u8>, HostError>;

    /// The next line on standard input, with or without its end; none after the last one, and where no client sends any.
    ///
    /// # Errors
    /// When it can't be read.
    fn read_line(&mut self) -> Result<Option<Vec<u8>>, HostError> {
        Ok(None)
    }

    /// Runs the user's kubectl and waits for it.
    ///
    /// # Errors
    /// When it can't be started.
    fn run_kubectl(&mut self, arguments: &[String]) -> Result<Finished, HostError>;

    /// Writes to standard output.
    fn print(&mut self, text: &str);

    /// Writes to standard error.
    fn print_error(&mut self, text: &str);

    /// Whether standard output and standard error are terminals.
    fn terminals(&self) -> Terminals;

    /// The width of the terminal of standard output, in columns; none if it is not one.
    fn columns(&self) -> Option<usize> {
        None
    }

    /// The time.
    fn now(&self) -> Time;

    /// Waits.
    fn sleep(&mut self, duration: Duration);

    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathContent {
    /// A file's bytes.
    File(Vec<u8>),
    /// What is in a folder, in any order.
    Folder(Vec<FolderEntry>),
}

/// A file or folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// Its name, without the folder's.
    pub name: String,
    /// Whether it is a folder itself.
    pub is_folder: bool,
}

/// What a program left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Whether it ended with 0.
    pub success: bool,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Which of the two outputs are terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminals {
    /// Standard output.
    pub output: bool,
    /// Standard error.
    pub error: bool,
}

/// Why the machine can't do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// There is no such file or program.
    NotFound,
    /// The user may not.
    NotAllowed,
    /// Anything else, in the words of the system.
    Other(String),
}

impl core::fmt::Display for HostError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NotFound => "not found",
            Self::NotAllowed => "permission denied",
            Self::Other(words) => words,
        })
    }
}
