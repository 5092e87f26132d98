//! `make size`: what the bytes of the modules are.

use std::fs;

use anyhow::Result;

use crate::house::House;
use crate::{run, tools, wasm};

/// Each module: its name, its crate, and whether JavaScript calls it.
const MODULES: [(&str, &str, bool); 4] = [
    ("policy.wasm", "changeover-policy", false),
    ("page.wasm", "changeover-web", true),
    ("player.wasm", "changeover-player", true),
    ("npm.wasm", "changeover-npm", true),
];

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
    for (name, krate, bound) in MODULES {
        let mut module = wasm::compile(house, krate)?;
        if bound {
            let bound = folder.join(krate);
            wasm::bind(&module, &bound, "changeover", true)?;
            module = bound.join("changeover_bg.wasm");
        }
        let named = folder.join(name);
        if !wasm::is_made(&named, &[&module]) {
            wasm::optimise_with_names(house, &module, &named)?;
        }
        println!("{name}");
        let mut top = run::command(house, &twiggy, &["top", "-n", MOST]);
        top.arg(&named);
        run::run(top)?;
    }
    Ok(())
}
