//! The page. It shows the core's timelines and sends what the user asks for; nothing is decided here.
//!
//! What the core tells is gathered once for each timeline (`history`, `beats`), turned into a picture of one moment
//! (`picture`), and drawn (`ruler`, `tiles`, `chart`, `why`). `app` holds what is typed and where the playhead stands.

mod app;
mod bar;
mod beats;
mod chart;
mod controls;
mod dom;
mod form;
mod help;
mod history;
mod icons;
mod keyboard;
mod lane;
mod lanes;
mod legend;
mod picture;
mod playback;
mod ruler;
mod scale;
mod tiles;
mod why;
mod words;

use wasm_bindgen::prelude::wasm_bindgen;

/// Puts the page into the document.
#[wasm_bindgen(start)]
pub fn start() {
    let page =
        dom::window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id("page"));
    if let Some(page) = page {
        page.set_inner_html("");
        yew::Renderer::<app::App>::with_root(page).render();
    }
}
