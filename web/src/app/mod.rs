//! The root component of the page and its state. One listener gets all events (`event_router`); `playhead` moves through the
//! playback, `requests` talks to the players and fetches files, `route` follows the address, `view` renders with Yew, and
//! `direct_dom` updates what Yew does not manage.

mod direct_dom;
mod event_router;
mod playhead;
mod requests;
mod route;
mod view;

use changeover_core::Problem;
use changeover_core::timeline::Totals;
use changeover_wire::SeekMode;
use js_sys::Function;
use serde_json::Value;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, ResizeObserver};
use yew::{AppHandle, Component, Context, Html, Properties, Renderer};

use crate::dom::{self, Ticker};
use crate::element::{element, text_element};
use crate::lane_graphics::{LaneGraphics, LaneLayout};
use crate::markup::CachedElement;
use crate::playback::Playback;
use crate::player_client::PlayerClient;
use crate::rollout_form::RolloutForm;
use crate::story_session::StorySession;
use crate::virtual_clock::DEFAULT_SPEED;
use crate::what_if::WhatIf;
use crate::{comparison, rollout_inputs};

/// The properties of the root component.
#[derive(PartialEq, Properties)]
pub struct AppProps {
    /// `send_request(target, body)` of the JavaScript around the page.
    send_request: Function,
}

/// What can happen to the page.
pub enum Message {
    /// The browser paints a frame; its time in milliseconds.
    Tick(f64),
    /// The user did something.
    Event(Event),
    /// A response or a file has arrived.
    Response {
        /// The player, or the name of the file.
        source: String,
        /// The response or the file.
        text: String,
        /// The playback track, if the player has played a lane.
        track: Vec<i32>,
    },
    /// The lanes have a new width.
    Resized(f64),
    /// Another term has the focus: its lane and its number there.
    TermFocused((usize, usize)),
}

/// The page in the document.
#[wasm_bindgen]
pub struct Page(AppHandle<App>);

#[wasm_bindgen]
impl Page {
    /// Renders the page into the document. `send_request(target, body)` sends a request to "player" or "checker", or fetches
    /// a file ("file", its name). Responses come back through `receive`.
    ///
    /// # Errors
    /// If the document has no element for it.
    #[wasm_bindgen(constructor)]
    pub fn new(send_request: Function) -> Result<Page, JsValue> {
        let root = dom::by_id("page").ok_or("the document has no element \"page\"")?;
        root.set_inner_html("");
        Ok(Page(Renderer::<App>::with_root_and_props(root, AppProps { send_request }).render()))
    }

    /// Receives a response of "player" or "checker", or a file by its name.
    pub fn receive(&self, source: String, text: String, track: Vec<i32>) {
        self.0.send_message(Message::Response { source, text, track });
    }
}

/// The state of the page.
pub struct App {
    send_request: Function,
    /// Whether the page shows the sandbox, not a story.
    sandbox: bool,
    form: RolloutForm,
    problem: Option<Problem>,
    story_session: StorySession,
    what_if: WhatIf,
    playback: Option<Playback>,
    /// The totals of each lane without the user's forks; empty if they are not known.
    baseline_totals: Vec<Totals>,
    player_client: PlayerClient,
    /// Whether the next lanes belong to another view: they start from the beginning, and the playhead is not kept.
    restart: bool,
    seek_mode: SeekMode,
    /// The step that the caption explains: its lane and number.
    explained_step: Option<(usize, usize)>,
    group_by_node: Option<bool>,
    speed: usize,
    playing: bool,
    /// Where playing stops by itself.
    stop_time: Option<i64>,
    /// Whether it then plays on to the next caption.
    plays_on: bool,
    /// The milliseconds before playing begins, so that the caption can be read.
    hold_milliseconds: f64,
    /// The time of the caption, if the playhead is elsewhere.
    left_caption_time: Option<i64>,
    /// Whether lanes that look like the one above are shown in full.
    show_repeated: bool,
    /// Whether no lanes have been shown yet.
    first_visit: bool,
    /// Whether the next inspection is announced to screen readers.
    announce_next: bool,
    /// Whether the inputs are open, on narrow screens.
    inputs_open: bool,
    /// The term under the pointer or with the focus: its lane and its number there.
    active_term: Option<(usize, usize)>,
    /// Whether it is the one with the focus.
    term_focused: bool,
    /// The lane whose explanation covers the page, on narrow screens.
    sheet_lane: Option<usize>,
    /// For each lane, whether its details are open.
    details_open: [bool; 3],
    /// The pod under the pointer or chosen with the keyboard: its lane, row and slot.
    active_pod: Option<(usize, usize, usize)>,
    /// The last inspection, which has the name and the node of a pod.
    pod_response: Value,
    width: f64,
    layout: Option<LaneLayout>,
    lane_graphics: Vec<LaneGraphics>,
    bar_texts: Vec<CachedElement>,
    ticker: Ticker,
    _event_listener: Closure<dyn FnMut(Event)>,
    resize_listener: Closure<dyn FnMut()>,
    resize_observer: Option<ResizeObserver>,
}

/// The events that the page listens to.
const EVENTS: [&str; 9] =
    ["click", "input", "change", "keydown", "pointerdown", "pointermove", "pointerover", "focusin", "focusout"];

/// How long a new fork is shown before it plays on, in milliseconds.
const ACTION_READING_TIME: f64 = 2500.0;

/// The ids of the texts in the playback bar.
const BAR_TEXT_IDS: [&str; 5] = ["now", "end", "step", "steps", "hurry"];

impl Component for App {
    type Message = Message;
    type Properties = AppProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link().clone();
        let (tick, resize, events) = (link.clone(), link.clone(), link);
        let event_listener = Closure::new(move |event: Event| events.send_message(Message::Event(event)));
        let listener: &Function = event_listener.as_ref().unchecked_ref();
        let listen = |target: &EventTarget, name| drop(target.add_event_listener_with_callback(name, listener));
        if let Some((window, document)) = dom::window().zip(dom::document()) {
            for name in EVENTS {
                listen(&document, name);
            }
            listen(&window, "hashchange");
            if let Some(scheme) = window.match_media("(prefers-color-scheme: dark)").ok().flatten() {
                listen(&scheme, "change");
            }
        }
        let resize_listener = Closure::new(move || {
            if let Some(element) = dom::by_id("measure") {
                resize.send_message(Message::Resized(f64::from(element.client_width())));
            }
        });
        let bar_texts = BAR_TEXT_IDS.iter().filter_map(|id| dom::by_id(id)).map(CachedElement::new).collect();
        let mut app = Self {
            send_request: ctx.props().send_request.clone(),
            sandbox: false,
            form: RolloutForm::default(),
            problem: None,
            story_session: StorySession::default(),
            what_if: WhatIf::default(),
            playback: None,
            baseline_totals: Vec::new(),
            player_client: PlayerClient::default(),
            restart: true,
            seek_mode: SeekMode::Time,
            explained_step: None,
            group_by_node: None,
            speed: DEFAULT_SPEED,
            playing: false,
            stop_time: None,
            plays_on: false,
            hold_milliseconds: 0.0,
            left_caption_time: None,
            show_repeated: false,
            first_visit: true,
            announce_next: false,
            inputs_open: false,
            active_term: None,
            term_focused: false,
            sheet_lane: None,
            details_open: [false; 3],
            active_pod: None,
            pod_response: Value::Null,
            width: 0.0,
            layout: None,
            lane_graphics: Vec::new(),
            bar_texts,
            ticker: Ticker::new(move |now| tick.send_message(Message::Tick(now))),
            _event_listener: event_listener,
            resize_listener,
            resize_observer: None,
        };
        app.follow_route();
        app
    }

    fn update(&mut self, _: &Context<Self>, message: Message) -> bool {
        let changed = match message {
            Message::Tick(now) => self.tick(now),
            Message::Event(event) => self.handle_event(&event),
            Message::Response { source, text, track } => self.handle_response(&source, &text, &track),
            Message::TermFocused(term) => self.set_active_term(Some(term)),
            Message::Resized(width) => {
                let same = self.width == width;
                self.width = width;
                !same
            }
        };
        if !changed {
            self.draw_changes();
        }
        changed
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let mut page = Vec::new();
        // Texts would move when the lanes appear.
        let loading = self.playback.is_none() && self.problem.is_none();
        if loading {
            page.push(text_element("p", &[("class", "loading"), ("key", "loading")], "Loading the simulated cluster…"));
        } else {
            page.push(element("section", &[("class", "story"), ("key", "story")], self.view_story()));
        }
        if self.sandbox && !loading {
            let inputs = rollout_inputs::view(&self.form, self.problem.as_ref(), self.inputs_open);
            page.push(element("div", &[("key", "inputs")], inputs));
        }
        let mut lanes = vec![
            element("div", &[("id", "measure"), ("key", "measure")], Vec::new()),
            element("div", &[("id", "above"), ("key", "above")], Vec::new()),
        ];
        if let Some(playback) = &self.playback {
            for index in 0..playback.lanes.len() {
                lanes.push(self.view_lane(playback, index));
            }
            if playback.lanes.len() > 1 {
                lanes.push(comparison::view(playback, self.what_if.has_forks().then_some(&self.baseline_totals)));
            }
        }
        let has_problem = self.problem.is_some() || self.what_if.problem.is_some();
        let class = if has_problem { "lanes stale" } else { "lanes" };
        page.push(element("div", &[("class", class), ("key", "lanes")], lanes));
        if !self.sandbox && !loading {
            page.extend(self.story_session.view_about());
        }
        page.into_iter().collect()
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            let observer = ResizeObserver::new(self.resize_listener.as_ref().unchecked_ref()).ok();
            if let Some((observer, element)) = observer.as_ref().zip(dom::by_id("measure")) {
                observer.observe(&element);
            }
            self.resize_observer = observer;
            // The legend never changes: it is part of `index.html`, and Yew leaves it here.
            if let Some((legend, parent)) = dom::by_id("key").zip(dom::by_id("above")) {
                let _ = parent.append_child(&legend);
            }
        }
        if let Some(playback) = &self.playback {
            let toggles = [
                ("time", !playback.is_by_step()),
                ("step-by-step", playback.is_by_step()),
                ("set", !playback.grouped_by_node),
                ("node", playback.grouped_by_node),
            ];
            for (id, on) in toggles {
                if let Some(button) = dom::by_id(id) {
                    dom::set_attribute(&button, "aria-pressed", if on { "true" } else { "false" });
                }
            }
            for (index, name) in playback.version_names.into_iter().enumerate() {
                if let Some(element) = dom::by_id(&format!("hue-{index}")) {
                    element.set_text_content(Some(name));
                }
            }
            for (name, occurs) in playback.optional_legend_entries {
                if let Some(element) = dom::by_id(&format!("key-{name}")) {
                    // Fails only for invalid names.
                    let _ = element.toggle_attribute_with_force("hidden", !occurs);
                }
            }
        }
        if let Some(playback) = &self.playback {
            self.what_if.show_time(playback);
        }
        self.update_lane_graphics();
        self.draw_changes();
        if let Some(term) =
            event_router::focused_term().filter(|term| self.term_focused && self.active_term != Some(*term))
        {
            ctx.link().send_message(Message::TermFocused(term));
        }
    }
}
