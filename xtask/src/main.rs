//! How Changeover is built, tested and packed. The Makefile only calls this.

mod annotate;
mod bench;
mod breakdown;
mod dev;
mod dist;
mod house;
mod html;
mod package;
mod page;
mod policy;
mod record;
mod run;
mod schema;
mod sentences;
mod serve;
mod size;
mod stages;
mod test;
mod tools;
mod wasm;

use std::process::ExitCode;

use house::House;

const HELP: &str = "\
usage: cargo run -p xtask -- COMMAND

  serve     build the policy and the page, and serve both (environment: ADDR, SETTINGS, CERT, KEY)
  dev       build the page quickly and serve it; rebuild and reload it when a source changes (environment: ADDR)
  test      run everything that is checked
  dist      fill dist/ with the policy, the page and the npm package, and judge their sizes
  size      break down the bytes of the modules
  bench     run the benchmarks
  policy    build the policy only
  page      build the page only
  package   build the npm package only
  bytes     build the guest of tests/bytes only
  schema    write the JSON Schemas in npm/schema again, from the Rust types
  record    record the real controllers, with Go (environment: SEED, CASES, BUDGET, OUT)
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
        anyhow::bail!("{more:?} was not expected after {name:?}\n\n{HELP}");
    }
    let house = House::find()?;
    match name.as_str() {
        "serve" => serve::serve(&house),
        "dev" => dev::dev(&house),
        "test" => test::test(&house),
        "dist" => dist::dist(&house),
        "size" => breakdown::breakdown(&house),
        "bench" => bench::bench(&house),
        "policy" => policy::build(&house).map(drop),
        "page" => page::build(&house).map(drop),
        "package" => package::build(&house).map(drop),
        "bytes" => test::bytes(&house),
        "schema" => schema::write(&house),
        "record" => record::record(&house),
        "sentences" => sentences::check(&house),
        "lint" => test::lint(&house),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => anyhow::bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
}
