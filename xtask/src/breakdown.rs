//! `make size`: what the bytes of the modules are.

use std::fs;

use anyhow::Result;

use crate::house::House;
use crate::{run, tools, wasm};

/// How many functions and segments of each are told.
const MOST: &str = "40";

/// Prints the largest parts of each module. They are the modules of `make dist`, with the names of their functions.
///
/// # Errors
/// When something does not build.
pub fn breakdown(house: &House) -> Result<()> {
    let twiggy = tools::twiggy(house)?;
    let folder = house.made("named");
    fs::create_dir_all(&folder)?;
    for module in [wasm::POLICY, wasm::PAGE, wasm::PLAYER, wasm::PACKAGE] {
        let name = module.name;
        let mut compiled = wasm::compile(house, &module)?;
        if module.is_bound {
            let bound = folder.join(name);
            wasm::bind(&compiled, &bound, name, true)?;
            compiled = bound.join(format!("{name}_bg.wasm"));
        }
        let named = folder.join(format!("{name}.wasm"));
        if !wasm::is_made(&named, &[&compiled]) {
            wasm::optimise_with_names(house, &compiled, &named)?;
        }
        println!("{name}.wasm");
        let mut top = run::command(house, &twiggy, &["top", "-n", MOST]);
        top.arg(&named);
        run::run(top)?;
    }
    Ok(())
}
