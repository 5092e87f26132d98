//! `make size`: the functions and data that make up each module's bytes.

use std::fs;

use anyhow::Result;

use crate::wasm::{self, Finish};
use crate::workspace::Workspace;
use crate::{file_age, run, tools};

/// How many functions and segments of each module are printed.
const MAX_ITEMS: &str = "40";

/// Prints the largest parts of each module of `make dist`, by function name.
///
/// # Errors
/// If a module does not build.
pub fn breakdown(workspace: &Workspace) -> Result<()> {
    let twiggy = tools::twiggy(workspace)?;
    let folder = workspace.artifact("named");
    fs::create_dir_all(&folder)?;
    let page = [wasm::STORIES, wasm::SANDBOX, wasm::PLAYER, wasm::WORKBENCH];
    for module in page.into_iter().chain([wasm::POLICY, wasm::PACKAGE, wasm::COMMAND]) {
        let name = module.name;
        let mut compiled = wasm::compile(workspace, &module)?;
        if module.finish == Finish::BindAndOptimize {
            let bound = folder.join(name);
            wasm::bind(&compiled, &bound, name, true)?;
            compiled = bound.join(module.bound_file());
        }
        let named = folder.join(format!("{name}.wasm"));
        if !file_age::is_up_to_date(&named, &[&compiled]) {
            wasm::optimize_with_names(workspace, &compiled, &named)?;
        }
        println!("{name}.wasm");
        let mut top = run::command(workspace, &twiggy, &["top", "-n", MAX_ITEMS]);
        top.arg(&named);
        run::run(top)?;
    }
    Ok(())
}
