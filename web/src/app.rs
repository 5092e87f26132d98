//! The page: what is typed, where the playhead stands, and who hears of it.

use changeover_core::Problem;
use changeover_core::object::Time;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlDialogElement, KeyboardEvent, ResizeObserver};
use yew::prelude::*;

use crate::bar::{self, Bar};
use crate::chart::{self, AreasProps};
use crate::dom::{self, Focus, Ticker};
use crate::form::{Field, Form};
use crate::lane::{self, Sizes};
use crate::lanes::{Lanes, Pace};
use crate::playback::{self, SPEEDS, USUAL};
use crate::scale::clock;
use crate::why::{Term, Why};
use crate::{controls, help, keyboard, words};

/// What can happen to the page.
pub(crate) enum Message {
    /// The browser paints a frame, at that time in milliseconds.
    Tick(f64),
    /// A key went down.
    Key(KeyboardEvent),
    /// Play or pause.
    Toggle,
    /// To the next decision, or to the one before.
    Step(bool),
    /// To the next write, or to the one before.
    Write(bool),
    /// To the start.
    Start,
    /// To the end.
    End,
    /// To a time.
    Seek(Time),
    /// One of the speeds.
    Speed(usize),
    /// The next speed.
    Faster,
    /// The speed before.
    Slower,
    /// Something was typed.
    Input(Field, String),
    /// A term is pointed at, or none any more.
    Point(Option<Term>),
    /// That lane's why is opened as a sheet, or closed.
    Sheet(Option<usize>),
    /// Show the inputs, or hide them, where there is little room.
    Inputs,
    /// Open the help.
    Help,
    /// Close it.
    CloseHelp,
    /// The lanes are that wide now.
    Width(f64),
}

/// See the module.
pub(crate) struct App {
    form: Form,
    problem: Option<Problem>,
    lanes: Option<Lanes>,
    now: Time,
    position: usize,
    speed: usize,
    playing: bool,
    hurry: Option<i64>,
    /// Where the first play ends by itself: at the moment that tells the most.
    stop: Option<Time>,
    pace: Pace,
    /// Whether the inputs are shown where there is little room.
    inputs: bool,
    announced: String,
    term: Option<Term>,
    sheet: Option<usize>,
    width: f64,
    measured: NodeRef,
    dialog: NodeRef,
    send: Callback<Message>,
    ticker: Ticker,
    _keys: Closure<dyn FnMut(KeyboardEvent)>,
    resized: Closure<dyn FnMut()>,
    observer: Option<ResizeObserver>,
}

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let send = ctx.link().callback(|message: Message| message);
        let tick = send.clone();
        let key = send.clone();
        let keys = Closure::new(move |event: KeyboardEvent| key.emit(Message::Key(event)));
        if let Some(window) = dom::window() {
            // Without it the buttons still work.
            let _ = window.add_event_listener_with_callback("keydown", keys.as_ref().unchecked_ref());
        }
        let measured = NodeRef::default();
        let (resize, node) = (send.clone(), measured.clone());
        let resized = Closure::new(move || {
            if let Some(element) = node.cast::<Element>() {
                resize.emit(Message::Width(f64::from(element.client_width())));
            }
        });
        let mut app = Self {
            form: Form::default(),
            problem: None,
            lanes: None,
            now: Time(0),
            position: 0,
            speed: USUAL,
            playing: false,
            hurry: None,
            stop: None,
            pace: Pace::Time,
            inputs: false,
            announced: String::new(),
            term: None,
            sheet: None,
            width: 0.0,
            measured,
            dialog: NodeRef::default(),
            send,
            ticker: Ticker::new(move |now| tick.emit(Message::Tick(now))),
            _keys: keys,
            resized,
            observer: None,
        };
        app.open();
        app
    }

    fn update(&mut self, _: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Tick(now) => return self.tick(now),
            Message::Key(event) => return self.key(&event),
            Message::Toggle => self.toggle(),
            Message::Step(forward) => self.step(forward),
            Message::Write(forward) => self.write(forward),
            Message::Start => self.go(0),
            Message::End => self.go(usize::MAX),
            Message::Seek(time) => self.seek(time),
            Message::Speed(speed) => self.speed = speed,
            Message::Faster => self.speed = self.speed.saturating_add(1).min(SPEEDS.len().saturating_sub(1)),
            Message::Slower => self.speed = self.speed.saturating_sub(1),
            Message::Input(field, text) => {
                self.form.set(field, text);
                self.rebuild();
            }
            Message::Point(term) => {
                let same = self.term == term;
                self.term = term;
                return !same;
            }
            Message::Sheet(lane) => self.sheet = lane,
            Message::Inputs => self.inputs = !self.inputs,
            Message::Help => {
                // It is open already: nothing to do.
                let _ = self.dialog.cast::<HtmlDialogElement>().map(|dialog| dialog.show_modal());
                return false;
            }
            Message::CloseHelp => {
                if let Some(dialog) = self.dialog.cast::<HtmlDialogElement>() {
                    dialog.close();
                }
                return false;
            }
            Message::Width(width) => {
                let same = self.width == width;
                self.width = width;
                return !same;
            }
        }
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let send = &self.send;
        let help = send.reform(|_: MouseEvent| Message::Help);
        let stale = self.problem.is_some();
        html! { <>
            <header class="top">
                <span class="name">{"Changeover"}</span>
                <span class="question">{"What happens between the old pods and the new ones?"}</span>
                <button type="button" class="icon" aria-label="Help" title="Help (?)" onclick={help}>{"?"}</button>
            </header>
            <section class="story">
                <h1>{self.headline()}</h1>
                <p>
                    {"Pods told to stop run on for their grace period, and a Deployment does not count them. "}
                    {"The same rollout, three times: as today, and with the "}<em>{"proposed"}</em>{" "}
                    <code>{"podReplacementPolicy"}</code>{" of KEP-5882."}
                </p>
            </section>
            {controls::view(&self.form, self.problem.as_ref(), self.inputs, send)}
            <main class={classes!(stale.then_some("stale"))} aria-label="The lanes">
                <div class="measure" ref={&self.measured} />
                if let Some(lanes) = self.lanes.as_ref().filter(|_| self.width > 0.0) {
                    {self.view_lanes(lanes)}
                }
            </main>
            if let Some(lanes) = &self.lanes {
                {bar::view(&self.bar(lanes), send)}
            }
            <p class="sr" aria-live="polite">{self.announced.clone()}</p>
            {help::view(&self.dialog, send)}
        </> }
    }

    fn rendered(&mut self, _: &Context<Self>, first: bool) {
        if !first {
            return;
        }
        let observer = ResizeObserver::new(self.resized.as_ref().unchecked_ref()).ok();
        if let Some((observer, element)) = observer.as_ref().zip(self.measured.cast::<Element>()) {
            observer.observe(&element);
        }
        self.observer = observer;
    }
}

impl App {
    /// The first visit: plays until the moment that tells the most; with less motion it begins there.
    fn open(&mut self) {
        self.rebuild();
        let Some(lanes) = &self.lanes else { return };
        let telling = lanes.telling();
        if dom::less_motion() {
            self.seek(telling);
        } else {
            self.stand_at(0);
            self.play(true);
            self.stop = Some(telling);
        }
    }

    /// Plays what is typed. The playhead stays at its virtual time; after an error the lanes stay as they were.
    fn rebuild(&mut self) {
        match Lanes::of(&self.form) {
            Ok(lanes) => {
                self.problem = None;
                if self.lanes.is_none() {
                    self.now = lanes.start;
                }
                self.lanes = Some(lanes);
                self.term = None;
                self.stand(self.now);
            }
            Err(problem) => self.problem = Some(problem),
        }
        self.stop = None;
    }

    /// Puts the playhead at a time.
    fn stand(&mut self, time: Time) {
        let Some(lanes) = &mut self.lanes else { return };
        self.now = time.clamp(lanes.start, lanes.end().max(lanes.start));
        self.position = lanes.beats.position_at(self.now);
        lanes.seek(self.position);
    }

    /// Puts the playhead at a position, whose time it takes.
    fn stand_at(&mut self, position: usize) {
        let Some(lanes) = &mut self.lanes else { return };
        self.position = position.min(lanes.beats.len());
        self.now = lanes.beats.beat(self.position).map_or(lanes.start, |beat| beat.time);
        lanes.seek(self.position);
    }

    fn seek(&mut self, time: Time) {
        self.play(false);
        self.pace = Pace::Time;
        self.stand(time);
    }

    fn go(&mut self, position: usize) {
        self.play(false);
        self.stand_at(position);
        self.announce();
    }

    fn step(&mut self, forward: bool) {
        let Some(lanes) = &self.lanes else { return };
        let beats = &lanes.beats;
        let to = if forward { beats.next_notable(self.position) } else { beats.previous_notable(self.position) };
        self.pace = Pace::Decision;
        self.go(to);
    }

    fn write(&mut self, forward: bool) {
        self.pace = Pace::Write;
        self.go(if forward { self.position.saturating_add(1) } else { self.position.saturating_sub(1) });
    }

    fn play(&mut self, on: bool) {
        self.playing = on;
        self.hurry = None;
        self.stop = None;
        self.ticker.turn(on);
    }

    fn toggle(&mut self) {
        let Some(lanes) = &self.lanes else { return };
        let at_end = self.position >= lanes.beats.len();
        if !self.playing && at_end {
            self.stand_at(0);
        }
        self.pace = Pace::Time;
        self.play(!self.playing);
    }

    fn tick(&mut self, browser: f64) -> bool {
        let Some(passed) = self.ticker.tick(browser) else { return false };
        let Some(lanes) = &self.lanes else { return false };
        let speed = SPEEDS.get(self.speed).map_or(1.0, |(speed, _)| *speed);
        let (time, hurry) = playback::advance(&lanes.beats, self.now, passed, speed);
        let end = self.stop.unwrap_or_else(|| lanes.end());
        self.hurry = hurry;
        self.stand(time.min(end));
        if self.now >= end {
            self.play(false);
        }
        true
    }

    fn key(&mut self, event: &KeyboardEvent) -> bool {
        let dialog = self.dialog.cast::<HtmlDialogElement>().is_some_and(|dialog| dialog.open());
        if dialog || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let button = match dom::focus(event) {
            Focus::Field => return false,
            Focus::Button => true,
            Focus::Page => false,
        };
        let Some(message) = keyboard::message(&event.key(), event.shift_key(), button) else { return false };
        event.prevent_default();
        self.send.emit(message);
        false
    }

    /// Says what a step of the user led to.
    fn announce(&mut self) {
        let Some(lanes) = &self.lanes else { return };
        let acting = lanes.beats.beat(self.position).map(|beat| &beat.acting);
        let first = acting.and_then(|acting| acting.iter().position(|acts| *acts)).unwrap_or(0);
        let said = lanes.lanes.get(first).and_then(|lane| {
            let (step, _) = lane.steps(self.pace);
            step.map(|step| {
                format!("{}, {}: {}", clock(self.now.since(lanes.start)), lane.rules.name, step.reason.sentence())
            })
        });
        self.announced = said.unwrap_or_else(|| clock(self.now.since(lanes.start)));
    }

    fn headline(&self) -> String {
        let Some(lane) = self.lanes.as_ref().and_then(|lanes| lanes.lanes.first()) else {
            return String::from("Changeover");
        };
        let marks = lane.history.0.points.last().map(|point| point.marks).unwrap_or_default();
        words::headline(marks, lane.history.0.peak)
    }

    fn bar(&self, lanes: &Lanes) -> Bar {
        Bar {
            playing: self.playing,
            speed: self.speed,
            hurry: self.hurry,
            now: self.now.since(lanes.start),
            end: lanes.end().since(lanes.start),
            step: lanes.beats.notable_until(self.position),
            steps: lanes.beats.notable_until(usize::MAX),
        }
    }

    fn view_lanes(&self, lanes: &Lanes) -> Html {
        let most = lanes.most();
        let frame = chart::frame(self.width, lanes.end().since(lanes.start), most, lanes.start);
        let sizes = Sizes::of(self.width, most, lanes.slots());
        html! { <>{for lanes.lanes.iter().enumerate().map(|(index, lane)| {
            let (step, since) = lane.steps(self.pace);
            let why = Why {
                lane: index,
                step,
                since,
                start: lanes.start,
                term: self.term.as_ref(),
                sheet: self.sheet == Some(index),
            };
            let areas = AreasProps { history: lane.history.clone(), timeline: lane.timeline.clone(), frame };
            lane::view(lane, self.now, &sizes, areas, &why, &self.send)
        })}</> }
    }
}
