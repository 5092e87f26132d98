//! What `main.js` starts and loads for the page.

use js_sys::Function;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Worker;

#[wasm_bindgen]
extern "C" {
    /// The functions of `main.js` that start workers and load modules.
    #[derive(Clone, Debug, PartialEq)]
    pub type PageLoader;

    /// The worker of the player, if the page needs it from the beginning.
    #[wasm_bindgen(method, getter)]
    pub fn worker(this: &PageLoader) -> Option<Worker>;

    /// Starts a player.
    #[wasm_bindgen(method, getter, js_name = startPlayer)]
    pub fn start_player(this: &PageLoader) -> Function;

    /// Starts a player of the workbench.
    #[wasm_bindgen(method, getter, js_name = startWorkbenchPlayer)]
    pub fn start_workbench_player(this: &PageLoader) -> Function;

    /// Starts the worker of the workbench that answers questions.
    #[wasm_bindgen(method, getter, js_name = startWorkbench)]
    pub fn start_workbench(this: &PageLoader) -> Function;

    /// Loads a script of the site.
    #[wasm_bindgen(method, getter, js_name = loadModule)]
    pub fn load_module(this: &PageLoader) -> Function;
}
