//! The page: what is typed and shown (this module), what the user does (`act`: one listener hears of every event; what a
//! click means is said by `data-do`), where the playhead stands (`playhead`), what is asked for and heard (`hear`), and what
//! is seen of it (`view`, and beside Yew `draw`).

mod direct_dom;
mod event_router;
mod playhead;
mod requests;
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

/// How the page asks for things outside of itself: the player's answers, and files.
#[derive(PartialEq, Properties)]
pub struct AppProps {
    send_request: Function,
}

/// What can happen to the page.
pub enum Message {
    /// The browser paints a frame, at that time in milliseconds.
    Tick(f64),
    /// The user did something.
    Event(Event),
    /// An answer: from whom, its text, its film.
    Response(String, String, Vec<i32>),
    /// The lanes are that wide now.
    Resized(f64),
    /// What is said is another, and so is the term that has the focus: its lane and its number there.
    TermFocused((usize, usize)),
}

/// The page in the document.
#[wasm_bindgen]
pub struct Page(AppHandle<App>);

#[wasm_bindgen]
impl Page {
    /// Puts the page into the document. `ask(whom, what)` asks the player ("player", a question), one beside it that is
    /// never busy for long ("checker", likewise), or for a file ("file", its name).
    ///
    /// # Errors
    /// When the document has no place for it.
    #[wasm_bindgen(constructor)]
    pub fn new(ask: Function) -> Result<Page, JsValue> {
        let root = dom::by_id("page").ok_or("the document has no element \"page\"")?;
        root.set_inner_html("");
        Ok(Page(Renderer::<App>::with_root_and_props(root, AppProps { send_request: ask }).render()))
    }

    /// An answer: of the player or the checker, or a file and its name.
    pub fn receive(&self, whom: String, text: String, film: Vec<i32>) {
        self.0.send_message(Message::Response(whom, text, film));
    }
}

/// See the module.
pub struct App {
    send_request: Function,
    /// Whether the sandbox is shown, or a story.
    sandbox: bool,
    form: RolloutForm,
    problem: Option<Problem>,
    story_session: StorySession,
    what_if: WhatIf,
    playback: Option<Playback>,
    /// What each lane came to without what was done beside it; empty where that is not known.
    baseline_totals: Vec<Totals>,
    player_client: PlayerClient,
    /// Whether the next lanes are shown from where they tell the most, and not from where the playhead stands: what is
    /// shown until then belongs to another place.
    restart: bool,
    seek_mode: SeekMode,
    /// The lane and the step that a caption explains.
    explained_step: Option<(usize, usize)>,
    group_by_node: Option<bool>,
    speed: usize,
    playing: bool,
    /// Where playing ends by itself.
    stop_time: Option<i64>,
    /// Whether it goes on from there, to the next caption.
    plays_on: bool,
    /// Milliseconds until playing begins: a caption wants to be read.
    hold_milliseconds: f64,
    /// When the caption was, where the playhead is elsewhere.
    left_caption_time: Option<i64>,
    /// Whether a lane is drawn that looks like the one above it.
    show_repeated: bool,
    /// Whether nothing was shown yet.
    first_visit: bool,
    announce_next: bool,
    /// Whether the inputs are shown where there is little room.
    inputs_open: bool,
    /// The term that is pointed at: its lane and its number there.
    active_term: Option<(usize, usize)>,
    /// Whether it is by having the focus.
    term_focused: bool,
    sheet_lane: Option<usize>,
    details_open: [bool; 3],
    /// The pod that is pointed at: its lane, row and slot; and what the player calls it.
    active_pod: Option<(usize, usize, usize)>,
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

/// What the page listens to.
const EVENTS: [&str; 9] =
    ["click", "input", "change", "keydown", "pointerdown", "pointermove", "pointerover", "focusin", "focusout"];

/// How long what the user did stands before it plays on, in milliseconds.
const ACTION_READING_TIME: f64 = 2500.0;

/// The texts of the bar.
const BAR_TEXT_IDS: [&str; 5] = ["now", "end", "step", "steps", "hurry"];

impl Component for App {
    type Message = Message;
    type Properties = AppProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link().clone();
        let (tick, resize, hear) = (link.clone(), link.clone(), link);
        let hears = Closure::new(move |event: Event| hear.send_message(Message::Event(event)));
        let listener: &Function = hears.as_ref().unchecked_ref();
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
        let resized = Closure::new(move || {
            if let Some(element) = dom::by_id("measure") {
                resize.send_message(Message::Resized(f64::from(element.client_width())));
            }
        });
        let bar = BAR_TEXT_IDS.iter().filter_map(|id| dom::by_id(id)).map(CachedElement::new).collect();
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
            bar_texts: bar,
            ticker: Ticker::new(move |now| tick.send_message(Message::Tick(now))),
            _event_listener: hears,
            resize_listener: resized,
            resize_observer: None,
        };
        app.follow_route();
        app
    }

    fn update(&mut self, _: &Context<Self>, message: Message) -> bool {
        let changed = match message {
            Message::Tick(now) => self.tick(now),
            Message::Event(event) => self.handle_event(&event),
            Message::Response(whom, text, film) => self.handle_response(&whom, &text, &film),
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
        // Words without their picture would be pushed aside by it.
        let waits = self.playback.is_none() && self.problem.is_none();
        if waits {
            page.push(text_element("p", &[("class", "loading"), ("key", "loading")], "Loading the simulated cluster…"));
        } else {
            page.push(element("section", &[("class", "story"), ("key", "story")], self.view_story()));
        }
        if self.sandbox && !waits {
            let inputs = rollout_inputs::view(&self.form, self.problem.as_ref(), self.inputs_open);
            page.push(element("div", &[("key", "inputs")], inputs));
        }
        let mut lanes = vec![
            element("div", &[("id", "measure"), ("key", "measure")], Vec::new()),
            element("div", &[("id", "above"), ("key", "above")], Vec::new()),
        ];
        if let Some(stage) = &self.playback {
            for index in 0..stage.lanes.len() {
                lanes.push(self.view_lane(stage, index));
            }
            if stage.lanes.len() > 1 {
                lanes.push(comparison::view(stage, self.what_if.has_forks().then_some(&self.baseline_totals)));
            }
        }
        let wrong = self.problem.is_some() || self.what_if.problem.is_some();
        let class = if wrong { "lanes stale" } else { "lanes" };
        page.push(element("div", &[("class", class), ("key", "lanes")], lanes));
        if !self.sandbox && !waits {
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
            // It is never anything else: it is written in `index.html`, and Yew leaves it where it is put.
            if let Some((key, place)) = dom::by_id("key").zip(dom::by_id("above")) {
                let _ = place.append_child(&key);
            }
        }
        if let Some(stage) = &self.playback {
            let chosen = [
                ("time", !stage.is_by_step()),
                ("step-by-step", stage.is_by_step()),
                ("set", !stage.grouped_by_node),
                ("node", stage.grouped_by_node),
            ];
            for (id, on) in chosen {
                if let Some(button) = dom::by_id(id) {
                    dom::set_attribute(&button, "aria-pressed", if on { "true" } else { "false" });
                }
            }
            for (index, name) in stage.version_names.into_iter().enumerate() {
                if let Some(named) = dom::by_id(&format!("hue-{index}")) {
                    named.set_text_content(Some(name));
                }
            }
            for (name, occurs) in stage.optional_legend_entries {
                if let Some(named) = dom::by_id(&format!("key-{name}")) {
                    // Refused only for names that are none.
                    let _ = named.toggle_attribute_with_force("hidden", !occurs);
                }
            }
        }
        if let Some(stage) = &self.playback {
            self.what_if.show_time(stage);
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
