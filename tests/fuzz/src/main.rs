//! `changeover-fuzz unpack|pack`: see [`changeover_fuzz::corpus`].

use std::io;
use std::process::ExitCode;

use changeover_fuzz::{TARGETS, corpus};

fn main() -> ExitCode {
    let command: fn(&str) -> io::Result<()> = match std::env::args().nth(1).as_deref() {
        Some("unpack") => corpus::unpack,
        Some("pack") => corpus::pack,
        _ => {
            eprintln!("usage: changeover-fuzz unpack|pack");
            return ExitCode::from(2);
        }
    };
    for (target, _) in TARGETS {
        if let Err(error) = command(target) {
            eprintln!("{target}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
