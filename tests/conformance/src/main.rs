//! `changeover-conformance PATH...`: see [`changeover_conformance::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    changeover_conformance::cli::main()
}
