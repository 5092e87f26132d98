//! Builds, tests and packages Changeover. The Makefile only calls this program.

mod action;
mod annotate;
mod archives;
mod bench;
mod bless;
mod book;
mod breakdown;
mod ceilings;
mod check;
mod dev;
mod dist;
mod file_age;
mod html;
mod man;
mod markdown;
mod notices;
mod offline;
mod package;
mod page;
mod parallel;
mod passed_tests;
mod policy;
mod policy_release;
mod prepare_release;
mod prove;
mod record;
mod recordings;
mod reference;
mod rehearsal;
mod release;
mod run;
mod schema;
mod sentences;
mod serve;
mod size;
mod stages;
mod test;
mod tools;
mod upstream_diff;
mod wasm;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const HELP: &str = "\
usage: cargo run --bin xtask -- COMMAND

  serve     build the policy and the page, and serve both (environment: ADDR, SETTINGS, CONTEXT, CERT, KEY)
  dev       build the page quickly and serve it; rebuild and reload it when a source changes (environment: ADDR)
  check     run the quick checks: format, clippy and unit tests of what changed, conformance
  test      run every check
  dist      fill dist/ with the policy, the page and the npm package, and check their sizes
  size      break down the bytes of the modules
  bench     run the benchmarks
  bless     write every file that tests compare, and print what changed (environment: WHAT=texts leaves out the pictures of the page)
  policy    build the policy only
  page      build the page only
  package   build the npm package only
  action    build the GitHub Action of this checkout
  archives  build the archives of the command line for this system (Linux, macOS or Windows) into dist/archives
  krew      write the checksums of all archives in dist/archives, and the manifest for krew
  reference write the API reference of the npm package as HTML
  book      build docs/ as a site with search
  rehearse  build all that a release publishes, install each part in an empty folder, and run its first command
  release   write a version everywhere, close the changelog's section, commit and tag (environment: VERSION)
  release-check
            refuse a release whose addresses in Cargo.toml are placeholders, or whose tag is not its version
  release-policy
            fill dist/policy with the policy's files and the addresses of Cargo.toml; print how to push and sign it
  bytes     build the guest of tests/bytes only
  schema    update the JSON Schemas in npm/schema from the Rust types
  record    record the real controllers, with Go (environment: WHAT, SEED, CASES, BUDGET, IN, OUT)
  prove     play scenarios on a real control plane, with Go, and explain what its controllers wrote; then use the policy as its webhook
            (environment: PART, SCENARIOS, RUNS, LANES, PORT, OUT, STATES, SESSIONS, TRANSCRIPTS, CHARTS, POLICY_SERVER)
  upstream-diff
            compare the mirrored functions, texts, defaults and gates with another release, with Go (environment: VERSION)
  sentences check that each sentence of docs/*-sentences.tsv has a proof that passed in the last `test`
  lint      clippy for the machine and for WebAssembly
";

fn main() -> ExitCode {
    match command() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    if let Some(more) = arguments.next() {
        anyhow::bail!("{more:?} is not expected after {name:?}\n\n{HELP}");
    }
    let workspace = Workspace::find()?;
    match name.as_str() {
        "check" => check::check(&workspace),
        "serve" => serve::serve(&workspace),
        "dev" => dev::dev(&workspace),
        "test" => test::test(&workspace),
        "dist" => dist::dist(&workspace),
        "size" => breakdown::breakdown(&workspace),
        "bench" => bench::bench(&workspace),
        "bless" => bless::bless(&workspace),
        "policy" => policy::build(&workspace).map(drop),
        "page" => page::build(&workspace).map(drop),
        "package" => package::build(&workspace).map(drop),
        "archives" => archives::build(&workspace),
        "krew" => archives::krew(&workspace),
        "action" => action::install(&workspace),
        "reference" => reference::build(&workspace).map(drop),
        "book" => book::make(&workspace),
        "rehearse" => rehearsal::rehearse(&workspace),
        "release" => prepare_release::prepare(&workspace),
        "release-check" => release::check(&workspace),
        "release-policy" => policy_release::release(&workspace),
        "bytes" => wasm::build(&workspace, &wasm::BYTES).map(drop),
        "schema" => schema::write(&workspace),
        "record" => record::record(&workspace),
        "prove" => prove::prove(&workspace),
        "upstream-diff" => upstream_diff::upstream_diff(&workspace),
        "sentences" => sentences::check(&workspace),
        "lint" => test::lint(&workspace),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => anyhow::bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
}
