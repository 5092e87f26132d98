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
use crate::element::{el, words};
use crate::lane_graphics::{Drawing, Sizes};
use crate::markup::Drawn;
use crate::playback::Stage;
use crate::player_client::Asking;
use crate::rollout_form::Form;
use crate::story_session::Telling;
use crate::virtual_clock::USUAL;
use crate::what_if::WhatIf;
use crate::{comparison, rollout_inputs};

/// How the page asks for things outside of itself: the player's answers, and files.
#[derive(PartialEq, Properties)]
pub struct Outside {
    ask: Function,
}

/// What can happen to the page.
pub enum Message {
    /// The browser paints a frame, at that time in milliseconds.
    Tick(f64),
    /// The user did something.
    Event(Event),
    /// An answer: from whom, its text, its film.
    Heard(String, String, Vec<i32>),
    /// The lanes are that wide now.
    Width(f64),
    /// What is said is another, and so is the term that has the focus: its lane and its number there.
    Term((usize, usize)),
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
        Ok(Page(Renderer::<App>::with_root_and_props(root, Outside { ask }).render()))
    }

    /// An answer: of the player or the checker, or a file and its name.
    pub fn hear(&self, whom: String, text: String, film: Vec<i32>) {
        self.0.send_message(Message::Heard(whom, text, film));
    }
}

/// See the module.
pub struct App {
    outside: Function,
    /// Whether the sandbox is shown, or a story.
    sandbox: bool,
    form: Form,
    problem: Option<Problem>,
    telling: Telling,
    what_if: WhatIf,
    stage: Option<Stage>,
    /// What each lane came to without what was done beside it; empty where that is not known.
    plain: Vec<Totals>,
    asking: Asking,
    /// Whether the next lanes are shown from where they tell the most, and not from where the playhead stands: what is
    /// shown until then belongs to another place.
    anew: bool,
    pace: SeekMode,
    /// The lane and the step that a caption explains.
    explain: Option<(usize, usize)>,
    by_node: Option<bool>,
    speed: usize,
    playing: bool,
    /// Where playing ends by itself.
    stop: Option<i64>,
    /// Whether it goes on from there, to the next caption.
    touring: bool,
    /// Milliseconds until playing begins: a caption wants to be read.
    hold: f64,
    /// When the caption was, where the playhead is elsewhere.
    away: Option<i64>,
    /// Whether a lane is drawn that looks like the one above it.
    repeated: bool,
    /// Whether nothing was shown yet.
    first: bool,
    announce: bool,
    /// Whether the inputs are shown where there is little room.
    inputs: bool,
    /// The term that is pointed at: its lane and its number there.
    term: Option<(usize, usize)>,
    /// Whether it is by having the focus.
    focused: bool,
    sheet: Option<usize>,
    facts: [bool; 3],
    /// The pod that is pointed at: its lane, row and slot; and what the player calls it.
    pod: Option<(usize, usize, usize)>,
    pod_named: Value,
    width: f64,
    sizes: Option<Sizes>,
    drawings: Vec<Drawing>,
    bar: Vec<Drawn>,
    ticker: Ticker,
    _hears: Closure<dyn FnMut(Event)>,
    resized: Closure<dyn FnMut()>,
    observer: Option<ResizeObserver>,
}

/// What the page listens to.
const EVENTS: [&str; 9] =
    ["click", "input", "change", "keydown", "pointerdown", "pointermove", "pointerover", "focusin", "focusout"];

/// How long what the user did stands before it plays on, in milliseconds.
const GLANCE: f64 = 2500.0;

/// The texts of the bar.
const BAR: [&str; 5] = ["now", "end", "step", "steps", "hurry"];

impl Component for App {
    type Message = Message;
    type Properties = Outside;

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
                resize.send_message(Message::Width(f64::from(element.client_width())));
            }
        });
        let bar = BAR.iter().filter_map(|id| dom::by_id(id)).map(Drawn::new).collect();
        let mut app = Self {
            outside: ctx.props().ask.clone(),
            sandbox: false,
            form: Form::default(),
            problem: None,
            telling: Telling::default(),
            what_if: WhatIf::default(),
            stage: None,
            plain: Vec::new(),
            asking: Asking::default(),
            anew: true,
            pace: SeekMode::Time,
            explain: None,
            by_node: None,
            speed: USUAL,
            playing: false,
            stop: None,
            touring: false,
            hold: 0.0,
            away: None,
            repeated: false,
            first: true,
            announce: false,
            inputs: false,
            term: None,
            focused: false,
            sheet: None,
            facts: [false; 3],
            pod: None,
            pod_named: Value::Null,
            width: 0.0,
            sizes: None,
            drawings: Vec::new(),
            bar,
            ticker: Ticker::new(move |now| tick.send_message(Message::Tick(now))),
            _hears: hears,
            resized,
            observer: None,
        };
        app.route();
        app
    }

    fn update(&mut self, _: &Context<Self>, message: Message) -> bool {
        let changed = match message {
            Message::Tick(now) => self.tick(now),
            Message::Event(event) => self.event(&event),
            Message::Heard(whom, text, film) => self.hear(&whom, &text, &film),
            Message::Term(term) => self.light(Some(term)),
            Message::Width(width) => {
                let same = self.width == width;
                self.width = width;
                !same
            }
        };
        if !changed {
            self.draw();
        }
        changed
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let mut page = Vec::new();
        // Words without their picture would be pushed aside by it.
        let waits = self.stage.is_none() && self.problem.is_none();
        if waits {
            page.push(words("p", &[("class", "loading"), ("key", "loading")], "Loading the simulated cluster…"));
        } else {
            page.push(el("section", &[("class", "story"), ("key", "story")], self.view_story()));
        }
        if self.sandbox && !waits {
            let inputs = rollout_inputs::view(&self.form, self.problem.as_ref(), self.inputs);
            page.push(el("div", &[("key", "inputs")], inputs));
        }
        let mut lanes = vec![
            el("div", &[("id", "measure"), ("key", "measure")], Vec::new()),
            el("div", &[("id", "above"), ("key", "above")], Vec::new()),
        ];
        if let Some(stage) = &self.stage {
            for index in 0..stage.lanes.len() {
                lanes.push(self.view_lane(stage, index));
            }
            if stage.lanes.len() > 1 {
                lanes.push(comparison::view(stage, self.what_if.is_some().then_some(&self.plain)));
            }
        }
        let wrong = self.problem.is_some() || self.what_if.problem.is_some();
        let class = if wrong { "lanes stale" } else { "lanes" };
        page.push(el("div", &[("class", class), ("key", "lanes")], lanes));
        if !self.sandbox && !waits {
            page.extend(self.telling.about());
        }
        page.into_iter().collect()
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            let observer = ResizeObserver::new(self.resized.as_ref().unchecked_ref()).ok();
            if let Some((observer, element)) = observer.as_ref().zip(dom::by_id("measure")) {
                observer.observe(&element);
            }
            self.observer = observer;
            // It is never anything else: it is written in `index.html`, and Yew leaves it where it is put.
            if let Some((key, place)) = dom::by_id("key").zip(dom::by_id("above")) {
                let _ = place.append_child(&key);
            }
        }
        if let Some(stage) = &self.stage {
            let chosen = [
                ("time", !stage.is_by_step()),
                ("step-by-step", stage.is_by_step()),
                ("set", !stage.by_node),
                ("node", stage.by_node),
            ];
            for (id, on) in chosen {
                if let Some(button) = dom::by_id(id) {
                    dom::set(&button, "aria-pressed", if on { "true" } else { "false" });
                }
            }
            for (index, name) in stage.versions.into_iter().enumerate() {
                if let Some(named) = dom::by_id(&format!("hue-{index}")) {
                    named.set_text_content(Some(name));
                }
            }
            for (name, occurs) in stage.occurs {
                if let Some(named) = dom::by_id(&format!("key-{name}")) {
                    // Refused only for names that are none.
                    let _ = named.toggle_attribute_with_force("hidden", !occurs);
                }
            }
        }
        if let Some(stage) = &self.stage {
            self.what_if.show(stage);
        }
        self.place_drawings();
        self.draw();
        if let Some(term) = event_router::focused_term().filter(|term| self.focused && self.term != Some(*term)) {
            ctx.link().send_message(Message::Term(term));
        }
    }
}
