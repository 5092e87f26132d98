//! `make record`: the real controllers and the API server's strategies, recorded. The only command that needs Go.

use std::env;

use anyhow::Result;

use crate::house::House;
use crate::run;

/// Records with `SEED`, `CASES` and `BUDGET` into the folder `OUT`, by default `recording` in the target folder.
///
/// # Errors
/// When the recorder can't be built, and when it fails.
pub fn record(house: &House) -> Result<()> {
    let out = env::var_os("OUT").filter(|out| !out.is_empty());
    let out = out.map_or_else(|| house.target.join("recording"), |out| house.root.join(out));
    let mut go =
        run::command(house, "go", &["test", "-count=1", "-timeout=0", "-v", "-run", "^TestRecord(Strategies)?$", "."]);
    go.current_dir(house.root.join("tests/recorder")).env("OUT", &out);
    println!("recording into {}", out.display());
    run::run(go)
}
