//! Writes the man pages of the command into a folder.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("usage: changeover-man FOLDER");
        return ExitCode::FAILURE;
    };
    match write_pages(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(changeover_cli::command(), folder)
}
