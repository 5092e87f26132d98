//! The page: it shows the core's timelines, sends the user's actions, and makes no decisions. The simulation runs in a worker, the
//! player; what it says of stories is recorded ([`record`]).
//!
//! This library becomes two modules, so that the first visit loads only what stories need: `web/stories` renders
//! [`StoriesApp`], `web/sandbox` renders [`SandboxApp`]. What the two apps share is in [`app`]. A page ([`components`]) asks
//! for lanes with the hook `use_rollout`, whose reducer ([`rollout`]) is everything that is shown. [`playback`] is what the
//! player returned, decoded and ready to be drawn by [`picture`].

mod app;
mod asked_limits;
mod components;
mod dom;
mod figures;
mod files;
mod hooks;
mod job_settings;
mod manifests;
mod number;
mod page_loader;
mod picture;
mod playback;
mod playback_clock;
mod player_client;
mod problem_words;
mod recorder;
mod rollout;
mod route;
mod sandbox_app;
mod sandbox_inputs;
mod sandbox_view;
mod settings;
mod share;
mod stories_app;
mod story;
mod story_state;
mod story_text;
#[cfg(test)]
mod tests;
mod workbench;

use std::rc::Rc;

use wasm_bindgen::JsValue;
use yew::{BaseComponent, Renderer};

pub use crate::app::AppProps;
pub use crate::page_loader::PageLoader;
pub use crate::recorder::record;
pub use crate::sandbox_app::SandboxApp;
pub use crate::stories_app::StoriesApp;

use crate::files::StoryFiles;
use crate::share::{DeepLink, ShareTools};
use crate::workbench::Workbench;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// Renders an app into the element `app`.
///
/// # Errors
/// If the document has no such element.
pub async fn start<App: BaseComponent<Properties = AppProps>>(loader: PageLoader) -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document()).ok_or("there is no document")?;
    let root = document.get_element_by_id("app").ok_or("the document has no element \"app\"")?;
    // Until the files of the first story are there, its static text can be read.
    let files = Rc::new(StoryFiles::default());
    files.fetch_preloaded(&document).await?;
    files.keep_first_picture(&document)?;
    let tools = ShareTools::new(loader.load_module());
    let deep_link = DeepLink::at_start(&tools).await;
    root.set_inner_html("");
    let workbench = Workbench::new(&loader);
    let props = AppProps { worker: loader.worker(), loader, workbench, files, tools, deep_link };
    Renderer::<App>::with_root_and_props(root, props).render();
    Ok(())
}
