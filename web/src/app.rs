//! The page: what is typed, where the playhead stands, and who hears of it. One listener hears of every event; what a
//! click means is said by `data-do`.

use changeover_core::Problem;
use changeover_core::timeline::Totals;
use changeover_wire::{Pace, clock, get, int, list, number, object, word};
use js_sys::Function;
use serde_json::Value;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event, EventTarget, HtmlDialogElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, PointerEvent,
    ResizeObserver,
};
use yew::{AppHandle, Component, Context, Html, Properties, Renderer};

use crate::dom::{self, Ticker};
use crate::drawing::{self, Drawing, Sizes};
use crate::form::Form;
use crate::markup::Drawn;
use crate::playback::{self, SPEEDS, USUAL};
use crate::stage::{Lane, Rules, Stage};
use crate::tag::{button, el, text, words};
use crate::telling::Telling;
use crate::whatif::WhatIf;
use crate::why::{self, Term};
use crate::{compare, controls, facts, keyboard, words as said};

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

/// Lanes that are being played.
struct Coming {
    lanes: Vec<(Rules, Value)>,
    done: Vec<Lane>,
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
    coming: Option<Coming>,
    /// Whether what is typed is being checked.
    checking: bool,
    generation: i64,
    /// Whether the player was asked what there is to see, and whether that is no longer what is shown.
    looking: bool,
    /// What the player was asked last.
    asked: String,
    look_again: bool,
    pace: Pace,
    /// The lane and the step that a caption explains.
    explain: Option<(usize, usize)>,
    by_node: Option<bool>,
    speed: usize,
    playing: bool,
    /// Where playing ends by itself.
    stop: Option<i64>,
    /// Milliseconds until playing begins: the first caption wants to be read.
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
    term: Option<Term>,
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
    hears: Closure<dyn FnMut(Event)>,
    resized: Closure<dyn FnMut()>,
    observer: Option<ResizeObserver>,
}

/// What the page listens to.
const EVENTS: [&str; 9] =
    ["click", "input", "change", "keydown", "pointerdown", "pointermove", "pointerover", "focusin", "focusout"];

/// How long the first caption of a first visit stands before it plays, in milliseconds.
const READING: f64 = 9000.0;

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
            coming: None,
            checking: false,
            generation: 0,
            looking: false,
            asked: String::new(),
            look_again: false,
            pace: Pace::Time,
            explain: None,
            by_node: None,
            speed: USUAL,
            playing: false,
            stop: None,
            hold: 0.0,
            away: None,
            repeated: false,
            first: true,
            announce: false,
            inputs: false,
            term: None,
            sheet: None,
            facts: [false; 3],
            pod: None,
            pod_named: Value::Null,
            width: 0.0,
            sizes: None,
            drawings: Vec::new(),
            bar,
            ticker: Ticker::new(move |now| tick.send_message(Message::Tick(now))),
            hears,
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
            let inputs = controls::view(&self.form, self.problem.as_ref(), self.inputs);
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
                lanes.push(compare::view(stage, self.what_if.is_some().then_some(&self.plain)));
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

    fn rendered(&mut self, _: &Context<Self>, first: bool) {
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
                ("time", !stage.by_step),
                ("step-by-step", stage.by_step),
                ("set", !stage.by_node),
                ("node", stage.by_node),
            ];
            for (id, on) in chosen {
                if let Some(button) = dom::by_id(id) {
                    dom::set(&button, "aria-pressed", if on { "true" } else { "false" });
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
    }

    fn destroy(&mut self, _: &Context<Self>) {
        // The document goes on without us.
        if let Some(document) = dom::document() {
            for name in EVENTS {
                let _ = document.remove_event_listener_with_callback(name, self.hears.as_ref().unchecked_ref());
            }
        }
    }
}

/// What is shown.
impl App {
    fn view_story(&self) -> Vec<Html> {
        if !self.sandbox {
            let missed = self.telling.story.is_none() && self.problem.is_some();
            let forked = if self.what_if.is_some() { Some(self.what_if.view()) } else { None };
            let mut view = if missed { self.telling.missed() } else { self.telling.view(self.away, forked) };
            if let Some(problem) = &self.problem {
                view.push(words("p", &[("class", "problem"), ("role", "alert")], &problem.to_string()));
            }
            return view;
        }
        let mut title = String::from("Sandbox");
        let lanes = self.stage.as_ref().map(|stage| stage.lanes.as_slice()).unwrap_or_default();
        if let Some(told) = headline(lanes) {
            title = told;
        }
        let today = if self.form.recreates() {
            "Recreate tells all pods to stop, and as today waits until they are gone; only TerminationStarted does not wait."
        } else {
            "Pods told to stop run on for up to their grace period: status.terminatingReplicas counts them, but no decision looks at it."
        };
        let again = " The same rollout, three times: as today, and with the proposed podReplacementPolicy of KEP-5882.";
        let said = if self.what_if.is_some() { text(&self.what_if.said()) } else { text(again) };
        vec![words("h1", &[], &title), el("p", &[("class", "summary")], vec![text(today), said])]
    }

    fn view_lane(&self, stage: &Stage, index: usize) -> Html {
        let Some(lane) = stage.lanes.get(index) else { return Html::default() };
        let number = index.to_string();
        let (id, place) = (format!("lane-{index}"), format!("drawing-{index}"));
        let repeats = stage.repeats(index);
        let says = if repeats { "the same at every step" } else { &lane.rules.says };
        let mut head = vec![text(&lane.rules.name), words("span", &[("class", "differs")], says)];
        if lane.rules.proposed {
            head.push(words("span", &[("class", "proposed")], "proposed, in no release"));
        }
        if let Some(differs) = stage.differs(index) {
            head.push(words("span", &[("class", "unlike")], &differs));
        }
        let played = self.sandbox || self.what_if.is_some();
        if if played { stage.now >= stage.end() } else { self.telling.is_last() } {
            head.push(words("span", &[("class", "brief")], &compare::brief(&lane.totals)));
        }
        let open = self.facts.get(index).copied().unwrap_or(false);
        let facts = [
            ("title", "Conditions, annotations, and the picture as tables"),
            ("type", "button"),
            ("class", "more-facts"),
            ("data-do", &*format!("facts {index}")),
            ("aria-expanded", if open { "true" } else { "false" }),
        ];
        let mut head = vec![el("h2", &[("id", &id)], head)];
        if repeats {
            head.push(button("repeated", "link", "", text(if self.repeated { "Hide" } else { "Show" })));
        }
        head.push(words("button", &facts, "Details"));
        let mut picture = vec![el("div", &[("class", "lane-head")], head), el("div", &[("id", &place)], Vec::new())];
        if let Some(cut) = get(&lane.played, "cut").as_str() {
            picture.push(words("p", &[("class", "cut")], cut));
        }
        let mut inside = vec![
            el("div", &[("class", "picture")], picture),
            why::view(index, &lane.rules.name, &lane.seen, self.term.as_ref(), self.sheet == Some(index)),
        ];
        if open {
            inside.push(facts::view(stage, lane));
        }
        let class = if repeats && !self.repeated { "lane same" } else { "lane" };
        let lane = [("class", class), ("key", &*id), ("aria-labelledby", &id), ("data-lane", &number)];
        el("section", &lane, inside)
    }

    /// Makes the drawings anew whose place is another, or whose sizes are.
    fn place_drawings(&mut self) {
        let Some(stage) = self.stage.as_mut().filter(|_| self.width > 0.0) else { return };
        let sizes = Sizes::of(stage, self.width);
        let same_sizes = self.sizes == Some(sizes);
        self.sizes = Some(sizes);
        let mut lanes = std::mem::take(&mut stage.lanes);
        self.drawings.truncate(lanes.len());
        for (index, lane) in lanes.iter_mut().enumerate() {
            let Some(root) = dom::by_id(&format!("drawing-{index}")) else { continue };
            let is_this = |drawing: &Drawing| drawing.root == root && drawing.generation == stage.generation;
            let there = self.drawings.get(index).is_some_and(is_this);
            if there && same_sizes {
                continue;
            }
            let drawing = Drawing::new(root, stage, lane, &sizes);
            match self.drawings.get_mut(index) {
                Some(place) => *place = drawing,
                None => self.drawings.push(drawing),
            }
        }
        stage.lanes = lanes;
    }

    /// Draws what changed since it was drawn last.
    fn draw(&mut self) {
        let busy = self.looking || self.checking || self.coming.is_some();
        if let Some(page) = dom::by_id("page") {
            dom::set(&page, "aria-busy", if busy { "true" } else { "false" });
        }
        let Some(stage) = &mut self.stage else { return };
        for (index, drawing) in self.drawings.iter_mut().enumerate() {
            // A drawing of what was before stays as it is until there is another.
            let (now, here) = (stage.time_of(index), drawing.generation == stage.generation);
            if let Some(lane) = stage.lanes.get_mut(index).filter(|_| here) {
                drawing.draw(lane, stage.by_node, now);
            }
        }
        let many = |count: usize| said::grouped(i32::try_from(count).unwrap_or(i32::MAX));
        let texts = [
            clock(stage.now),
            clock(stage.end()),
            many(stage.step()),
            many(stage.steps()),
            stage.hurry.map_or_else(String::new, |hurry| format!(" · wait shortened, {hurry}× faster")),
        ];
        for (drawn, text) in self.bar.iter_mut().zip(texts) {
            drawn.write(text);
        }
    }

    /// Lights up what a term points at.
    fn light(&mut self, term: Option<Term>) -> bool {
        if self.term == term {
            return false;
        }
        for (index, drawing) in self.drawings.iter().enumerate() {
            let here = term.as_ref().filter(|term| term.lane == index);
            let lane = self.stage.as_ref().and_then(|stage| stage.lanes.get(index));
            let about = lane.map_or("", |lane| changeover_wire::text(get(&lane.seen, "why"), "about"));
            drawing.light(here.map_or("", |term| &term.mark), about);
        }
        self.term = term;
        true
    }

    /// Points at a pod, or at none.
    fn point(&mut self, at: Option<(usize, usize, usize)>) {
        if self.pod == at {
            return;
        }
        self.pod = at;
        self.pod_named = Value::Null;
        self.say_pod();
        if at.is_some() {
            self.look();
        }
    }

    fn say_pod(&self) {
        for (index, drawing) in self.drawings.iter().enumerate() {
            let here = self.pod.filter(|(lane, ..)| *lane == index);
            let lane = self.stage.as_ref().and_then(|stage| stage.lanes.get(index));
            let pod = here.zip(lane).and_then(|((_, row, slot), lane)| lane.pod_at(row, slot).map(|pod| (lane, pod)));
            let said =
                pod.map_or_else(String::new, |(lane, pod)| drawing::life(lane, pod, list(&self.pod_named, "pod")));
            drawing.point(here.map(|(_, row, slot)| (row, slot)), &said);
        }
    }
}

/// What the lanes come to at worst, in one line.
fn headline(lanes: &[Lane]) -> Option<String> {
    let first = lanes.first()?;
    // A promise counts while it holds: the user may have changed it since.
    let mut worst = (first.film.points.last()?.marks, 0, "");
    let mut over = 0;
    for lane in lanes {
        for point in &lane.film.points {
            if point.over() > over {
                over = point.over();
                let name = if std::ptr::eq(lane, first) { "" } else { &*lane.rules.name };
                worst = (point.marks, point.holding(), name);
            }
        }
    }
    Some(said::headline(worst.0, worst.1, worst.2))
}

/// What is asked and heard.
impl App {
    fn ask(&self, whom: &str, what: &str) {
        // Whatever is wrong there is heard as an answer.
        let _ = self.outside.call2(&JsValue::NULL, &JsValue::from_str(whom), &JsValue::from_str(what));
    }

    /// Goes where the address says: a story and its caption, or the sandbox.
    fn route(&mut self) {
        let place = dom::place();
        let mut parts = place.split('/');
        let sandbox = parts.next() == Some("sandbox");
        let another = sandbox != self.sandbox;
        self.sandbox = sandbox;
        for (id, here) in [("to-stories", !sandbox), ("to-sandbox", sandbox)] {
            if let Some(link) = dom::by_id(id) {
                dom::set(&link, "aria-current", if here { "page" } else { "false" });
            }
        }
        if another {
            self.what_if.turn_to(sandbox);
            self.plain.clear();
        }
        if another || self.first {
            self.problem = None;
            self.play(false);
            self.by_node = None;
            self.facts = [false; 3];
        }
        if sandbox {
            if another || self.first {
                self.load(self.form.play());
            }
            return;
        }
        let name = parts.next().unwrap_or_default();
        let caption = parts.next().and_then(|number| number.parse::<usize>().ok());
        let name = if name.is_empty() { self.telling.entries.first().map_or("", |entry| &entry.name) } else { name };
        let name = String::from(name);
        let before = self.telling.at;
        if self.telling.turn(&name, caption.unwrap_or(1).saturating_sub(1)) || another || self.stage.is_none() {
            self.problem = None;
            self.by_node = None;
            self.what_if.clear();
            self.tell();
        } else if self.telling.at == before {
            // The address only follows what was done here; more may have been done since.
        } else if self.what_if.clear() {
            self.tell();
        } else {
            self.go_to_caption();
        }
    }

    /// Asks for what is missing of a story; plays it once nothing is.
    fn tell(&mut self) {
        match self.telling.read() {
            Ok(Some(lanes)) => {
                self.by_node = self.by_node.or_else(|| self.telling.story.as_ref().map(|story| story.by_node()));
                self.load(lanes);
            }
            Ok(None) => {}
            Err(problem) => self.problem = Some(problem),
        }
        for name in self.telling.missing() {
            self.ask("file", &name);
        }
    }

    /// Has the lanes played anew.
    fn replay(&mut self) {
        if self.sandbox {
            self.load(self.form.play());
        } else {
            self.tell();
        }
    }

    /// Has lanes played.
    fn load(&mut self, lanes: Vec<(Rules, Value)>) {
        self.generation = self.generation.saturating_add(1);
        self.checking = false;
        self.coming = Some(Coming { lanes, done: Vec::new() });
        self.ask_next();
    }

    fn ask_next(&mut self) {
        let Some(coming) = &self.coming else { return };
        let Some((_, what)) = coming.lanes.get(coming.done.len()) else { return };
        let how = vec![
            ("generation", self.generation.into()),
            ("lane", number(coming.done.len())),
            ("byNode", self.by_node.unwrap_or(false).into()),
            ("shown", self.stage.as_ref().map_or(0, |stage| stage.generation).into()),
            ("forks", self.what_if.ask()),
        ];
        self.ask("player", &play(what, how));
    }

    fn look(&mut self) {
        let Some(stage) = &self.stage else { return };
        let pair = |pair: Option<(usize, usize)>| {
            pair.map_or(Value::Null, |(one, other)| Value::Array(vec![number(one), number(other)]))
        };
        let pod = self.pod.and_then(|(lane, row, slot)| {
            let pod = stage.lanes.get(lane).and_then(|it| it.pod_at(row, slot))?;
            Some((lane, pod.pod))
        });
        let look = object(vec![
            ("generation", stage.generation.into()),
            ("frames", Value::Array(stage.frames())),
            ("pace", self.pace.number().into()),
            ("explain", pair(self.explain)),
            ("pod", pair(pod)),
            ("facts", Value::Array(self.facts.map(Value::Bool).into())),
        ]);
        let look = object(vec![("look", look)]).to_string();
        if self.looking {
            self.look_again = look != self.asked;
            return;
        }
        self.looking = true;
        self.look_again = false;
        self.ask("player", &look);
        self.asked = look;
    }

    fn hear(&mut self, whom: &str, text: &str, film: &[i32]) -> bool {
        let answer = || serde_json::from_str::<Value>(text).unwrap_or_default();
        match whom {
            "player" => {
                let answer = answer();
                if answer.get("lanes").is_some() { self.looked(answer) } else { self.played(answer, film) }
            }
            "checker" => self.checked(&answer()),
            name => self.fetched(name, text),
        }
    }

    fn fetched(&mut self, name: &str, text: &str) -> bool {
        self.telling.hear(name, text);
        let told = self.telling.story.is_some();
        if !self.sandbox {
            self.tell();
        }
        // A page that is laid out with every file comes later.
        told != self.telling.story.is_some() || self.stage.is_some() || self.problem.is_some()
    }

    fn checked(&mut self, answer: &Value) -> bool {
        if !self.checking || int(answer, "generation") != self.generation {
            return false;
        }
        self.checking = false;
        self.problem = problem(answer);
        if self.problem.is_none() {
            self.load(self.form.play());
        }
        true
    }

    fn looked(&mut self, mut answer: Value) -> bool {
        self.looking = false;
        if self.look_again {
            self.look();
        }
        let here = int(&answer, "generation");
        let Some(stage) = self.stage.as_mut().filter(|stage| stage.generation == here) else { return false };
        for (index, lane) in stage.lanes.iter_mut().enumerate() {
            lane.seen = answer.get_mut("lanes").and_then(|it| it.get_mut(index)).map(Value::take).unwrap_or_default();
        }
        if self.pod.is_some() {
            self.pod_named = answer;
            self.say_pod();
        }
        if self.announce && !self.looking {
            self.announce = false;
            self.say();
        }
        true
    }

    fn played(&mut self, played: Value, film: &[i32]) -> bool {
        let here = int(&played, "generation") == self.generation;
        let Some(coming) = self.coming.as_mut().filter(|_| here) else { return false };
        if let Some(problem) = problem(&played) {
            if !self.what_if.takes(&problem) {
                self.problem = Some(problem);
            }
            self.coming = None;
            return true;
        }
        let rules = coming.lanes.get(coming.done.len()).map(|(rules, _)| rules.clone()).unwrap_or_default();
        coming.done.push(Lane::new(rules, played, film));
        if coming.done.len() < coming.lanes.len() {
            self.ask_next();
            return false;
        }
        let lanes = std::mem::take(&mut coming.done);
        self.coming = None;
        let stage = Stage::new(self.generation, lanes, self.by_node.unwrap_or(false));
        let Ok(forked) = self.what_if.arrive(&stage) else { return true };
        self.problem = None;
        self.term = None;
        self.pod = None;
        self.arrive(stage, forked);
        true
    }

    /// New lanes are there. The playhead stays at its virtual time; where something else was done then, it plays on from
    /// there. The first visit plays from a story's first caption,
    /// once that could be read, to its second; the sandbox until the moment that tells the most. With less motion nothing
    /// plays by itself.
    fn arrive(&mut self, stage: Stage, forked: Option<i64>) {
        if !self.what_if.is_some() {
            self.plain = stage.lanes.iter().map(|lane| lane.totals).collect();
        }
        let before = self.stage.replace(stage);
        let first = std::mem::replace(&mut self.first, false);
        let Some(stage) = &mut self.stage else { return };
        if let Some(before) = before.as_ref().filter(|_| self.sandbox || self.what_if.is_some()) {
            match forked {
                Some(time) => stage.stand_at_act(time),
                None => stage.stand(before.now),
            }
            if before.by_step && forked.is_none() {
                stage.by_step = true;
                stage.stand_again();
            }
            self.away = None;
            if forked.is_some() {
                self.what_if.finish();
                self.announce = true;
                self.play(!dom::less_motion());
                if self.playing {
                    // What was done is read before its consequences come.
                    self.hold = GLANCE;
                    self.show_playing();
                }
            }
            self.moved(self.pace);
            return;
        }
        let telling = if self.sandbox { stage.telling() } else { 0 };
        if !self.sandbox {
            self.go_to_caption();
            // Who asks for a caption gets that one, and stays there.
            if first && !dom::place().contains('/') && !dom::less_motion() {
                let stop = self.stage.as_ref().and_then(|stage| self.telling.moment(stage, 1).ok());
                self.play(true);
                self.stop = stop.map(|(time, _)| time);
                self.hold = READING;
                self.show_playing();
            }
        } else if dom::less_motion() {
            self.seek(telling);
        } else {
            self.play(true);
            self.stop = Some(telling);
        }
        self.look();
    }
}

/// What the user does.
impl App {
    fn event(&mut self, event: &Event) -> bool {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let closest = |selector: &str| target.as_ref().and_then(|it| it.closest(selector).ok().flatten());
        match event.type_().as_str() {
            "hashchange" => {
                self.route();
                true
            }
            "click" => {
                let Some(does) = closest("[data-do]").and_then(|it| it.get_attribute("data-do")) else { return false };
                self.command(&does)
            }
            "keydown" => event.dyn_ref().is_some_and(|event| self.key(event)),
            "input" => {
                let Some(input) = target.as_ref().and_then(|it| it.dyn_ref::<HtmlInputElement>()) else { return false };
                self.typed(&input.id(), input.value())
            }
            "change" => match target.as_ref().and_then(|it| it.dyn_ref::<HtmlSelectElement>()) {
                Some(select) => self.chosen(select),
                None => {
                    // Another colour scheme: dots must be drawn anew.
                    self.sizes = None;
                    true
                }
            },
            "pointerdown" | "pointermove" => {
                if let (Some(event), Some(chart)) = (event.dyn_ref::<PointerEvent>(), closest("svg.chart")) {
                    return self.scrub(event, &chart);
                }
                let at =
                    event.dyn_ref().zip(closest(".tiles")).and_then(|(event, tiles)| self.pod_under(event, &tiles));
                self.point(at);
                false
            }
            "pointerover" | "focusin" => {
                let term = closest("[data-term]").and_then(|it| self.term_of(&it));
                self.light(term)
            }
            "focusout" => self.light(None),
            _ => false,
        }
    }

    fn term_of(&self, element: &Element) -> Option<Term> {
        let lane = lane_of(element)?;
        let number = element.get_attribute("data-term")?.parse().ok()?;
        why::term(lane, &self.stage.as_ref()?.lanes.get(lane)?.seen, number)
    }

    fn pod_under(&self, event: &PointerEvent, tiles: &Element) -> Option<(usize, usize, usize)> {
        let lane = lane_of(tiles)?;
        let row = tiles.parent_element()?.get_attribute("data-row")?.parse().ok()?;
        let stage = self.stage.as_ref()?;
        let (x, y) = dom::within(event, tiles);
        let slot = self.drawings.get(lane)?.slot_at(stage.lanes.get(lane)?, row, x, y)?;
        stage.lanes.get(lane)?.pod_at(row, slot).map(|_| (lane, row, slot))
    }

    fn scrub(&mut self, event: &PointerEvent, chart: &Element) -> bool {
        if event.type_() == "pointerdown" {
            if event.button() != 0 {
                return false;
            }
            // Without the capture a drag ends at the element's edge: no harm.
            let _ = chart.set_pointer_capture(event.pointer_id());
        } else if !chart.has_pointer_capture(event.pointer_id()) {
            return false;
        }
        let Some(sizes) = &self.sizes else { return false };
        let left = chart.get_bounding_client_rect().left();
        let time = sizes.frame.at(f64::from(event.client_x()) - left);
        self.seek(time);
        false
    }

    fn typed(&mut self, id: &str, text: String) -> bool {
        let Some(field) = controls::field(id) else { return self.what_if.mend() };
        self.form.set(field, text);
        self.stop = None;
        self.plain.clear();
        // What is wrong is said at once, however long the player works on what was right.
        self.generation = self.generation.saturating_add(1);
        self.coming = None;
        self.checking = true;
        self.ask("checker", &play(&self.form.check(), vec![("generation", self.generation.into())]));
        true
    }

    fn chosen(&mut self, select: &HtmlSelectElement) -> bool {
        match select.id().as_str() {
            "speed" => self.speed = usize::try_from(select.selected_index()).unwrap_or(0),
            "story" => dom::go(&format!("stories/{}", select.value())),
            id => return self.typed(id, select.value()),
        }
        false
    }

    fn key(&mut self, event: &KeyboardEvent) -> bool {
        let dialog = dom::by_id_as::<HtmlDialogElement>("help").is_some_and(|dialog| dialog.open());
        if dialog || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let focus = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let typed = focus.as_ref().is_some_and(|focus| focus.id().starts_with("fork-"));
        let does = match &*event.key() {
            "Enter" if typed && focus.as_ref().is_some_and(|focus| focus.tag_name() == "INPUT") => "fork-play",
            "Escape" if WhatIf::is_open() => "fork",
            _ => "",
        };
        if !does.is_empty() {
            event.prevent_default();
            return self.command(does);
        }
        let focus = focus.map_or(dom::Focus::Page, |element| dom::focus(&element));
        if matches!(focus, dom::Focus::Field) {
            return false;
        }
        let Some(does) = keyboard::command(&event.key(), event.shift_key(), &focus) else { return false };
        event.prevent_default();
        self.command(does)
    }

    /// Does what a button or a key asks for. Whether the page must be rendered.
    fn command(&mut self, does: &str) -> bool {
        let (verb, what) = does.split_once(' ').unwrap_or((does, ""));
        let number: i64 = what.parse().unwrap_or(0);
        let index = usize::try_from(number).ok().filter(|_| !what.is_empty());
        match verb {
            "toggle" => self.toggle(),
            "start" => self.go(0),
            "end" => self.go(usize::MAX),
            "step" => self.step(number > 0),
            "write" => self.write(number > 0),
            "faster" => self.set_speed(self.speed.saturating_add(1)),
            "slower" => self.set_speed(self.speed.saturating_sub(1)),
            "caption" => return self.turn(number > 0),
            "fork" => return self.choose_fork(),
            "fork-play" => {
                self.settle();
                let now = self.stage.as_ref().map(|stage| stage.now);
                if now.is_some_and(|now| self.what_if.attempt(now)) {
                    self.replay();
                }
                return true;
            }
            "unfork" => {
                self.play(false);
                self.what_if.undo(index);
                self.replay();
                return true;
            }
            "help-on" | "help-off" => {
                self.what_if.clear();
                self.telling.help(verb == "help-on");
                self.play(false);
                self.tell();
                return true;
            }
            "story" => dom::go(&format!("stories/{what}")),
            "again" => {
                self.go_to_caption();
                return true;
            }
            "repeated" => {
                self.repeated = !self.repeated;
                return true;
            }
            "by" => return self.group(what),
            "pace" => return self.align(what),
            "pod" => self.next_pod(number > 0),
            "facts" => {
                if let Some(open) = index.and_then(|index| self.facts.get_mut(index)) {
                    *open = !*open;
                }
                self.look();
                return true;
            }
            "sheet" => {
                self.sheet = index;
                if index.is_some() && WhatIf::is_open() {
                    self.what_if.close();
                }
                return true;
            }
            "inputs" => {
                self.inputs = !self.inputs;
                return true;
            }
            "help" => {
                // It is open already: nothing to do.
                let _ = dom::by_id_as::<HtmlDialogElement>("help").map(|dialog| dialog.show_modal());
            }
            "close-help" => {
                if let Some(dialog) = dom::by_id_as::<HtmlDialogElement>("help") {
                    dialog.close();
                }
            }
            _ => {}
        }
        false
    }

    fn group(&mut self, what: &str) -> bool {
        let Some(stage) = &self.stage else { return false };
        let by_node = if what.is_empty() { !stage.by_node } else { what == "node" };
        self.by_node = Some(by_node);
        self.replay();
        true
    }

    /// Opens the panel in which it is chosen what else is done, or closes it. What it is about must not run away.
    fn choose_fork(&mut self) -> bool {
        if WhatIf::is_open() {
            self.what_if.close();
            return true;
        }
        self.play(false);
        self.settle();
        let Some(stage) = &self.stage else { return false };
        self.what_if.open(stage);
        self.sheet = None;
        true
    }

    /// Brings all lanes to the end of one instant: that is where something else is done.
    fn settle(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let before = stage.frames();
        stage.by_step = false;
        stage.stand(stage.now);
        if stage.frames() != before {
            self.moved(Pace::Time);
        }
    }

    fn align(&mut self, what: &str) -> bool {
        let Some(stage) = &mut self.stage else { return false };
        stage.by_step = if what.is_empty() { !stage.by_step } else { what == "step" };
        self.pace = if stage.by_step { Pace::Decision } else { Pace::Time };
        stage.stand_again();
        let by_time = !stage.by_step;
        self.play(false);
        if by_time && !self.sandbox {
            self.go_to_caption();
        }
        self.follow();
        self.look();
        true
    }

    fn next_pod(&mut self, forward: bool) {
        let focused = dom::document().and_then(|document| document.active_element());
        let Some(element) = focused.and_then(|it| it.closest(".tiles").ok().flatten()) else { return };
        let row = element.parent_element().and_then(|row| row.get_attribute("data-row"));
        let (Some(lane), Some(row)) = (lane_of(&element), row.and_then(|row| row.parse::<usize>().ok())) else {
            return;
        };
        let Some(it) = self.stage.as_ref().and_then(|stage| stage.lanes.get(lane)) else { return };
        let from = self.pod.filter(|(of, at, _)| (*of, *at) == (lane, row)).map(|(.., slot)| slot);
        let slots = it.film.rows.get(row).copied().unwrap_or(0);
        let taken = |slot: &usize| it.pod_at(row, *slot).is_some();
        let next = match (from, forward) {
            (None, _) => (0..slots).find(taken),
            (Some(from), true) => (from.saturating_add(1)..slots).find(taken),
            (Some(from), false) => (0..from).rev().find(taken),
        };
        if let Some(slot) = next.or(from) {
            self.point(Some((lane, row, slot)));
        }
    }

    /// To the next caption or the one before.
    fn turn(&mut self, forward: bool) -> bool {
        if self.sandbox {
            return false;
        }
        let last = self.telling.captions().len().saturating_sub(1);
        let at = if forward { self.telling.at.saturating_add(1) } else { self.telling.at.saturating_sub(1) };
        self.telling.at = at.min(last);
        if self.what_if.clear() {
            self.tell();
        }
        self.go_to_caption();
        if !self.telling.helped {
            dom::go(&format!("stories/{}/{}", self.telling.name, self.telling.at.saturating_add(1)));
        }
        true
    }

    fn go_to_caption(&mut self) {
        // Lanes that come are shown there, and what was done beside the story has no caption.
        let here = self.coming.is_none() && !self.what_if.is_some();
        let Some(stage) = self.stage.as_mut().filter(|_| here) else { return };
        match self.telling.moment(stage, self.telling.at) {
            Ok((time, explain)) => {
                self.playing = false;
                self.ticker.turn(false);
                self.stop = None;
                self.hold = 0.0;
                self.away = None;
                self.pace = Pace::Time;
                stage.by_step = false;
                stage.hurry = None;
                stage.stand(time);
                self.explain = explain;
                if let Some((lane, open)) = explain.zip(self.telling.caption()).map(|((lane, _), it)| (lane, it.facts))
                    && let Some(facts) = self.facts.get_mut(lane)
                {
                    *facts |= open;
                }
                self.show_playing();
                self.announce = true;
                self.look();
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    fn set_speed(&mut self, speed: usize) {
        self.speed = speed.min(SPEEDS.len().saturating_sub(1));
        if let Some(select) = dom::by_id_as::<HtmlSelectElement>("speed") {
            select.set_selected_index(i32::try_from(self.speed).unwrap_or(0));
        }
    }

    /// The playhead was moved: what is explained follows from how.
    fn moved(&mut self, pace: Pace) {
        self.pace = pace;
        self.explain = None;
        self.look();
    }

    fn seek(&mut self, time: i64) {
        self.play(false);
        if let Some(stage) = &mut self.stage {
            stage.by_step = false;
            stage.stand(time);
        }
        self.moved(Pace::Time);
        self.follow();
    }

    fn go(&mut self, position: usize) {
        self.play(false);
        let Some(stage) = &mut self.stage else { return };
        stage.stand_at(position);
        self.announce = true;
        self.moved(self.pace);
        self.follow();
    }

    fn step(&mut self, forward: bool) {
        let Some(stage) = &self.stage else { return };
        let to = stage.next_notable(forward);
        self.pace = Pace::Decision;
        self.go(to);
    }

    fn write(&mut self, forward: bool) {
        let Some(stage) = &mut self.stage else { return };
        stage.by_step = false;
        let to = if forward { stage.position.saturating_add(1) } else { stage.position.saturating_sub(1) };
        self.pace = Pace::Write;
        self.go(to);
    }

    fn play(&mut self, on: bool) {
        self.playing = on;
        self.stop = None;
        self.hold = 0.0;
        if let Some(stage) = &mut self.stage {
            stage.hurry = None;
        }
        self.ticker.turn(on);
        self.show_playing();
    }

    fn show_playing(&self) {
        if let Some(bar) = dom::by_id("bar") {
            let class = match self.playing {
                true if self.hold > 0.0 => "bar playing holds",
                true => "bar playing",
                false => "bar",
            };
            dom::set(&bar, "class", class);
        }
    }

    fn toggle(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let at_end = stage.position >= stage.beats.len();
        if stage.by_step {
            stage.by_step = false;
            stage.stand_again();
        }
        if !self.playing && at_end {
            stage.stand_at(0);
        }
        self.play(!self.playing);
        self.moved(Pace::Time);
    }

    fn tick(&mut self, browser: f64) -> bool {
        let Some(passed) = self.ticker.tick(browser) else { return false };
        // What is shown is over once the lanes that come are there.
        if self.coming.is_some() {
            return false;
        }
        if self.hold > 0.0 {
            self.hold -= passed;
            self.show_playing();
            return false;
        }
        let Some(stage) = &mut self.stage else { return false };
        let speed = SPEEDS.get(self.speed).copied().unwrap_or(1.0);
        let (time, hurry) = playback::advance(&stage.beats, stage.now, passed, speed);
        let end = self.stop.unwrap_or_else(|| stage.end());
        let before = stage.position;
        stage.hurry = hurry;
        stage.stand(time.min(end));
        let (over, moved) = (stage.now >= end, stage.position != before);
        if over && self.stop.is_some() && !self.sandbox {
            self.follow();
            self.go_to_caption();
            return true;
        }
        if over {
            self.play(false);
        }
        if moved || over {
            self.moved(Pace::Time);
        }
        self.follow()
    }

    /// The caption follows the playhead. Whether it is another one.
    fn follow(&mut self) -> bool {
        let told = !self.sandbox && !self.telling.helped && !self.what_if.is_some();
        let Some(stage) = self.stage.as_ref().filter(|_| told) else { return false };
        let at = self.telling.at_time(stage, stage.now);
        let moment = self.telling.moment(stage, at).ok().map(|(time, _)| time);
        let away = moment.filter(|time| stage.by_step || *time != stage.now);
        let same = at == self.telling.at && away == self.away;
        self.telling.at = at;
        self.away = away;
        !same
    }

    /// Says what a step of the user led to.
    fn say(&self) {
        let Some(stage) = &self.stage else { return };
        let first = (0..stage.lanes.len()).find(|lane| stage.beats.acts(stage.position, *lane)).unwrap_or(0);
        let lane = self.explain.map_or(first, |(lane, _)| lane);
        let mut said = clock(stage.now);
        if let Some(lane) = stage.lanes.get(lane).filter(|lane| !get(&lane.seen, "why").is_null()) {
            said.push_str(&format!(", {}: {}", lane.rules.name, why::sentence(get(&lane.seen, "why"))));
        }
        if let Some(live) = dom::by_id("live") {
            live.set_text_content(Some(&said));
        }
    }
}

/// A question to play something.
fn play(what: &Value, how: Vec<(&str, Value)>) -> String {
    let mut play = what.clone();
    if let Some(map) = play.as_object_mut() {
        map.extend(how.into_iter().map(|(name, value)| (String::from(name), value)));
    }
    object(vec![("play", play)]).to_string()
}

/// What an answer says is wrong.
fn problem(answer: &Value) -> Option<Problem> {
    let problem = list(answer, "problem");
    (!problem.is_empty()).then(|| Problem::new(word(problem, 0), word(problem, 1)))
}

/// The lane in which an element is.
fn lane_of(element: &Element) -> Option<usize> {
    element.closest("[data-lane]").ok().flatten()?.get_attribute("data-lane")?.parse().ok()
}
