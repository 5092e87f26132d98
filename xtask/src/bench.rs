//! `make bench`.

use anyhow::Result;

use crate::house::House;
use crate::run;

/// Runs the benchmarks of `tests/benches`.
///
/// # Errors
/// When one fails.
pub fn bench(house: &House) -> Result<()> {
    run::run(run::cargo(house, &["bench", "--package", "changeover-benches"]))
}
