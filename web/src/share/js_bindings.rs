//! `share.js`: what only the browser can do, loaded when it is first needed.

use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use yew_router::Routable;

use super::state::{SharedState, StateProblem};
use crate::dom;
use crate::number::count_to_f64;
use crate::route::Route;

/// The most characters of an address. Some programs cut longer ones off.
const MAX_ADDRESS: usize = 8192;

/// What stands before the packed state in an address. Behind the `#`, it is not sent to the server.
const STATE: &str = "#state=";

/// The fragment of an address whose page is as it was left in this tab.
const AS_LEFT: &str = "#kept";

/// The fragment of an address whose state the tab keeps, because the address can't hold it.
const IN_TAB: &str = "#tab";

/// The end of the key under which the tab keeps a state that the address does not say yet.
const UNWRITTEN: &str = "#unwritten";

/// The most bytes of text in a state that the tab keeps unpacked. Browsers keep about five million characters for a tab, so a
/// larger state is packed, by a worker.
const MAX_PLAIN: usize = 1 << 20;

/// The prefix of a packed state that the tab keeps. No unpacked state begins with it.
const PACKED: &str = "packed:";

/// The most characters of a packed state that the tab keeps.
const MAX_PACKED: usize = 4 << 20;

/// The address of a page as it was left in this tab.
pub fn address_as_left(route: &Route) -> String {
    let fragment = dom::kept_in_tab(&route.to_path()).map(|_| AS_LEFT);
    route.address() + fragment.unwrap_or_default()
}

/// Keeps the state of a page for as long as the tab is open, so that a link from another page leads back to it. `path`: from the
/// root of the site.
pub fn keep_as_left(path: &str, state: &SharedState, default: &SharedState) {
    if state == default {
        dom::forget_in_tab(path);
    } else {
        // When the user leaves the page, there is no time to pack a large state. If there is no room for the unpacked state,
        // the one that was kept shortly before is better than nothing.
        let _ = dom::keep_in_tab(path, &state.to_text());
    }
}

/// Like [`keep_as_left`], with a text from [`ShareTools::text_to_keep`]. Returns whether the browser keeps it; if not, the tab
/// keeps nothing.
pub fn keep_text_as_left(path: &str, text: &str) -> bool {
    let is_kept = dom::keep_in_tab(path, text);
    if !is_kept {
        dom::forget_in_tab(path);
    }
    is_kept
}

/// Keeps a state that the address can't hold for as long as the tab is open. `text`: from [`ShareTools::text_to_keep`]. Returns
/// the fragment with which the page is loaded again; none if the state is too large for that, too.
pub fn keep_at_address(text: &str) -> Option<&'static str> {
    // Make room: this state is newer.
    forget_unwritten();
    dom::keep_in_tab(&key_at_address(), text).then_some(IN_TAB)
}

fn key_at_address() -> String {
    dom::site_path() + IN_TAB
}

/// Keeps a state that the current entry of the history does not contain yet, for a reload. There is no time to pack a large
/// state. Writing it blocks the page, but nobody sees that while the page closes.
pub fn keep_unwritten(state: &SharedState) {
    let key = key_of_unwritten();
    if !dom::keep_in_tab(&key, &format!("{}\n{}", current_entry(), state.to_text())) {
        dom::forget_in_tab(&key);
    }
}

/// Keeps no state any more that an address did not say.
pub fn forget_unwritten() {
    dom::forget_in_tab(&key_of_unwritten());
}

/// The state that the current entry of the history did not say yet when the page was left there, once, and only for those who come
/// back. That of another entry stays: Back may lead there.
fn take_unwritten() -> Option<SharedState> {
    let kept = dom::kept_in_tab(&key_of_unwritten())?;
    let (_, text) = kept.split_once('\n').filter(|(entry, _)| *entry == current_entry())?;
    forget_unwritten();
    SharedState::parse(text).ok().filter(|_| dom::is_revisited())
}

/// What tells the current entry of the history from others: its fragment, and a hash of its text. Entries that differ only in
/// secrets have the same fragment.
fn current_entry() -> String {
    let mut hasher = DefaultHasher::new();
    dom::text_of_entry().hash(&mut hasher);
    format!("{} {:x}", dom::fragment(), hasher.finish())
}

fn key_of_unwritten() -> String {
    dom::site_path() + UNWRITTEN
}

#[wasm_bindgen]
extern "C" {
    /// The module.
    type ShareModule;

    #[wasm_bindgen(method, catch)]
    async fn pack(this: &ShareModule, text: &str, most: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = packInWorker)]
    async fn pack_in_worker(this: &ShareModule, text: &str, most: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn unpack(this: &ShareModule, packed: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn copy(this: &ShareModule, text: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = keepOffline)]
    async fn keep_offline(this: &ShareModule) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn save(this: &ShareModule, name: &str, media_type: &str, text: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = saveData)]
    fn save_data(this: &ShareModule, name: &str, format: &str, data: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = savePicture)]
    async fn save_picture(
        this: &ShareModule,
        name: &str,
        title: &str,
        inputs: &str,
        link: &str,
        as_png: bool,
    ) -> Result<JsValue, JsValue>;
}

/// The browser's tools for sharing.
#[derive(Clone, Debug)]
pub struct ShareTools {
    load: Function,
    /// How many reads of the address have begun and not ended.
    reads: Rc<Cell<u32>>,
    /// The last large state that was packed for the tab, and the promise of the packed text. The address and the links to the
    /// page share that text.
    packed: Rc<RefCell<Option<(SharedState, Promise)>>>,
}

impl PartialEq for ShareTools {
    /// The packed state doesn't matter: it is a cache.
    fn eq(&self, other: &Self) -> bool {
        self.load == other.load && Rc::ptr_eq(&self.reads, &other.reads)
    }
}

impl ShareTools {
    /// `load` imports a module of the site.
    pub fn new(load: Function) -> Self {
        Self { load, reads: Rc::default(), packed: Rc::default() }
    }

    /// Whether the address is being read: the page does not show yet what it says.
    pub fn is_reading(&self) -> bool {
        self.reads.get() > 0
    }

    async fn module(&self) -> Result<ShareModule, JsValue> {
        let promise: Promise = self.load.call1(&JsValue::NULL, &JsValue::from_str("./share.js"))?.unchecked_into();
        Ok(JsFuture::from(promise).await?.unchecked_into())
    }

    /// The fragment of an address that holds a state; none if it would be too long.
    ///
    /// # Errors
    /// If the module can't be loaded, or the browser can't compress.
    pub async fn fragment(&self, state: &SharedState) -> Result<Option<String>, JsValue> {
        if state.text_size() > MAX_PLAIN {
            return Ok(None);
        }
        let most = count_to_f64(MAX_ADDRESS.saturating_sub(STATE.len()));
        let packed = self.module().await?.pack(&state.to_text(), most).await?.as_string();
        Ok(packed.map(|packed| format!("{STATE}{packed}")))
    }

    /// The text that the tab keeps for a state. A large state is packed, if the browser can do that, but only once for all
    /// callers.
    pub async fn text_to_keep(&self, state: &SharedState) -> String {
        if state.text_size() <= MAX_PLAIN {
            return state.to_text();
        }
        let known = self.packed.borrow().as_ref().filter(|(of, _)| of == state).map(|(_, text)| text.clone());
        let promise = known.unwrap_or_else(|| {
            let (tools, text) = (self.clone(), state.to_text());
            let packing = async move { tools.module().await?.pack_in_worker(&text, count_to_f64(MAX_PACKED)).await };
            let promise = future_to_promise(packing);
            self.packed.replace(Some((state.clone(), promise.clone())));
            promise
        });
        let packed = JsFuture::from(promise).await.ok().and_then(|packed| packed.as_string());
        packed.map_or_else(|| state.to_text(), |packed| format!("{PACKED}{packed}"))
    }

    /// The address of a page that opens a state in this tab. The tab keeps the state; if the browser can't store it, the
    /// address contains it.
    pub async fn address_in_tab(&self, route: &Route, state: &SharedState) -> String {
        if dom::keep_in_tab(&route.to_path(), &self.text_to_keep(state).await) {
            return address_as_left(route);
        }
        let fragment = self.fragment(state).await.ok().flatten();
        route.address() + &fragment.unwrap_or_default()
    }

    /// The state that the current address holds, or was about to hold when the page was left; none if it holds none.
    ///
    /// # Errors
    /// If it can't be read.
    pub async fn address_state(&self) -> Result<Option<SharedState>, StateProblem> {
        if let Some(state) = take_unwritten() {
            return Ok(Some(state));
        }
        self.reads.set(self.reads.get().saturating_add(1));
        let state = self.state_of(&dom::fragment()).await;
        self.reads.set(self.reads.get().saturating_sub(1));
        state
    }

    /// The state of a fragment of the current address.
    async fn state_of(&self, fragment: &str) -> Result<Option<SharedState>, StateProblem> {
        let kept = match fragment {
            AS_LEFT => Some(dom::site_path()),
            IN_TAB => Some(key_at_address()),
            _ => None,
        };
        if let Some(key) = kept {
            let text = dom::kept_in_tab(&key).ok_or(StateProblem::InOtherTab)?;
            return self.read_kept(&text).await.map(Some);
        }
        // The address leaves out much of the objects, but in this tab nothing is lost.
        if let Some(text) = dom::text_of_entry()
            && let Ok(state) = self.read_kept(&text).await
        {
            return Ok(Some(state));
        }
        match fragment.strip_prefix(STATE) {
            // The page never writes an address that is too long.
            Some(packed) if packed.len() > MAX_ADDRESS => Err(StateProblem::Broken),
            Some(packed) => self.unpack(packed).await.map(Some),
            None => Ok(None),
        }
    }

    /// The state in which the user left the current page in this tab, if a link without a fragment on another page of the site
    /// led here: pages without the app don't know whether the tab keeps a state.
    pub async fn state_as_left(&self) -> Option<SharedState> {
        let path = dom::site_path();
        let is_kept_page = matches!(Route::recognize(&path), Some(Route::Sandbox | Route::ApiServer));
        let is_linked = dom::fragment().is_empty() && !dom::is_revisited() && dom::referring_page().is_some();
        let text = dom::kept_in_tab(&path).filter(|_| is_kept_page && is_linked)?;
        self.read_kept(&text).await.ok()
    }

    /// Reads a text from [`ShareTools::text_to_keep`].
    async fn read_kept(&self, text: &str) -> Result<SharedState, StateProblem> {
        match text.strip_prefix(PACKED) {
            Some(packed) => self.unpack(packed).await,
            None => SharedState::parse(text),
        }
    }

    async fn unpack(&self, packed: &str) -> Result<SharedState, StateProblem> {
        let module = self.module().await.map_err(|_| StateProblem::Broken)?;
        let text = module.unpack(packed).await.map_err(|_| StateProblem::Broken)?;
        SharedState::parse(&text.as_string().unwrap_or_default())
    }

    /// Copies a text to the clipboard.
    ///
    /// # Errors
    /// If the browser does not allow it.
    pub async fn copy(&self, text: &str) -> Result<(), JsValue> {
        self.module().await?.copy(text).await.map(drop)
    }

    /// Keeps all files of the page for use without a network.
    ///
    /// # Errors
    /// If the browser can't.
    pub async fn keep_offline(&self) -> Result<(), JsValue> {
        self.module().await?.keep_offline().await.map(drop)
    }

    /// Offers a text as a file.
    ///
    /// # Errors
    /// If the module can't be loaded.
    pub async fn save(&self, name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
        self.module().await?.save(name, media_type, text)
    }

    /// Offers a part of the data as a file: `csv`, `json` or `md`.
    ///
    /// # Errors
    /// If the module can't be loaded.
    pub async fn save_data(&self, name: &str, format: &str, data: &str) -> Result<(), JsValue> {
        self.module().await?.save_data(name, format, data)
    }

    /// Offers the picture as it stands as a file.
    ///
    /// # Errors
    /// If the module can't be loaded, or the browser can't draw the picture.
    pub async fn save_picture(&self, picture: &PictureFile) -> Result<(), JsValue> {
        let PictureFile { name, title, inputs, link, as_png } = picture;
        self.module().await?.save_picture(name, title, inputs, link, *as_png).await.map(drop)
    }
}

/// A picture as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFile {
    /// The name of the file.
    pub name: String,
    /// The headline.
    pub title: String,
    /// What was set, in a line.
    pub inputs: String,
    /// Where it comes from.
    pub link: String,
    /// Whether it is made of pixels.
    pub as_png: bool,
}
