//! The page: shows the core's timelines and sends the user's actions; decides nothing. The simulation runs in a worker, the
//! player.
//!
//! [`app`] is the root component. A page ([`components`]) asks for lanes with the hook `use_rollout`, whose reducer
//! ([`rollout`]) is everything that is shown. [`playback`] is what the player returned, decoded and ready to be drawn by
//! [`picture`].

mod app;
mod components;
mod dom;
mod figures;
mod files;
mod hooks;
mod job_settings;
mod manifests;
mod number;
mod picture;
mod playback;
mod playback_clock;
mod player_client;
mod rollout;
mod route;
mod settings;
mod share;
mod story;
mod story_state;
#[cfg(test)]
mod tests;
mod workbench;

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Worker;
use yew::Renderer;

use crate::app::{App, AppProps};
use crate::files::StoryFiles;
use crate::share::{Arrival, ShareTools};
use crate::workbench::Workbench;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// Renders the page into the element `app`, with the worker of the player, a function that starts another one, functions that
/// start a player and the answering worker of the workbench, and one that loads a module of the site.
///
/// # Errors
/// If the document has no such element.
#[wasm_bindgen]
pub async fn start(
    worker: Worker,
    start_worker: Function,
    start_workbench_player: Function,
    start_workbench: Function,
    load_module: Function,
) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or("there is no document")?;
    let root = document.get_element_by_id("app").ok_or("the document has no element \"app\"")?;
    // Until the files of the first story are there, its static text can be read.
    let files = Rc::new(StoryFiles::default());
    files.fetch_preloaded(&document).await?;
    let tools = ShareTools::new(load_module.clone());
    let arrival = Arrival::at_address(&tools, 0).await;
    root.set_inner_html("");
    let workbench = Workbench::new(start_workbench_player, start_workbench, load_module);
    let props = AppProps { worker, start_worker, workbench, files, tools, arrival };
    Renderer::<App>::with_root_and_props(root, props).render();
    Ok(())
}
