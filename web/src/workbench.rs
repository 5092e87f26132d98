//! The workbench: a module that knows manifests and plays every kind of workload. It is loaded when it is first asked.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::{Rc, Weak};

use changeover_wire::{Answer, Asked, LargeText, Question, Reply};
use js_sys::{Array, Date, Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Event, MessageEvent, Worker};
use yew::Callback;

use crate::dom::worker_failure;
use crate::page_loader::PageLoader;
use crate::player_client::{PlayerClient, ScenarioText};

/// What is called with the answer to a question, or with why there is none.
pub type OnAnswer = Callback<Result<Answered, String>>;

/// An answer, and the scenarios that came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answer.
    pub answer: Rc<Answer>,
    /// The scenarios.
    pub scenarios: Rc<Vec<ScenarioText>>,
}

/// A worker whose answer is no longer needed is stopped after this many milliseconds, if there is something else to do.
const PATIENCE: f64 = 500.0;

/// The workbench.
pub struct Workbench {
    start_player: Function,
    start_worker: Function,
    load_module: Function,
    player: OnceCell<Rc<PlayerClient>>,
    worker: RefCell<Option<AnsweringWorker>>,
    /// The questions that somebody waits for.
    waiting: RefCell<HashMap<u32, Waiting>>,
    /// The questions that the worker has not answered, and when they were asked, in milliseconds.
    unanswered: RefCell<VecDeque<(u32, f64)>>,
    last_id: Cell<u32>,
    this: Weak<Self>,
}

/// A question that somebody waits for.
struct Waiting {
    question: Question,
    on_answer: OnAnswer,
}

/// A worker and what listens to it.
struct AnsweringWorker {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl PartialEq for Workbench {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Workbench {
    /// A workbench that is not loaded yet. `loader` starts its workers, and loads the element `yaml-editor`.
    pub fn new(loader: &PageLoader) -> Rc<Self> {
        Rc::new_cyclic(|this| Self {
            start_player: loader.start_workbench_player(),
            start_worker: loader.start_workbench(),
            load_module: loader.load_module(),
            player: OnceCell::new(),
            worker: RefCell::default(),
            waiting: RefCell::default(),
            unanswered: RefCell::default(),
            last_id: Cell::default(),
            this: this.clone(),
        })
    }

    /// The client of a player that plays every kind of workload.
    pub fn player(&self) -> Rc<PlayerClient> {
        self.player.get_or_init(|| PlayerClient::new(None, self.start_player.clone())).clone()
    }

    /// Loads the element `yaml-editor`. Returns whether it is there.
    pub async fn load_editor(&self) -> bool {
        let file = JsValue::from_str("./editor.js");
        let loaded =
            self.load_module.call1(&JsValue::NULL, &file).ok().and_then(|loaded| loaded.dyn_into::<Promise>().ok());
        match loaded {
            Some(loaded) => JsFuture::from(loaded).await.is_ok(),
            None => false,
        }
    }

    /// Asks a question. The answer does not come if the asker forgets the number that is returned ([`Self::forget`]).
    pub fn ask(&self, question: Question, on_answer: OnAnswer) -> u32 {
        let id = self.last_id.get().wrapping_add(1);
        self.last_id.set(id);
        if self.works_for_nobody() {
            self.terminate();
        }
        self.send(id, Waiting { question, on_answer });
        id
    }

    fn send(&self, id: u32, Waiting { question, on_answer }: Waiting) {
        let asked = Asked { id, question: question.clone() };
        match asked.into_message() {
            Ok((json, texts)) if self.post(&json, &texts) => {
                self.unanswered.borrow_mut().push_back((id, Date::now()));
                self.waiting.borrow_mut().insert(id, Waiting { question, on_answer });
            }
            Ok(_) => on_answer.emit(Err(String::from("workbench.js can't be started"))),
            Err(error) => on_answer.emit(Err(error.to_string())),
        }
    }

    /// Does not wait for an answer any more.
    pub fn forget(&self, id: u32) {
        self.waiting.borrow_mut().remove(&id);
    }

    /// Stops work on some questions, which get no answer. Another worker answers all others.
    pub fn stop(&self, is_stopped: fn(&Question) -> bool) {
        let mut others: Vec<(u32, Waiting)> = self.waiting.take().into_iter().collect();
        others.retain(|(_, waiting)| !is_stopped(&waiting.question));
        others.sort_by_key(|(id, _)| *id);
        self.terminate();
        for (id, waiting) in others {
            self.send(id, waiting);
        }
    }

    /// Terminates the worker; the next question starts another one.
    fn terminate(&self) {
        self.unanswered.borrow_mut().clear();
        if let Some(terminated) = self.worker.borrow_mut().take() {
            terminated.worker.terminate();
        }
    }

    /// Whether the worker is busy for long with a question that was forgotten.
    fn works_for_nobody(&self) -> bool {
        let oldest = self.unanswered.borrow().front().copied();
        let waiting = self.waiting.borrow();
        waiting.is_empty() && oldest.is_some_and(|(_, asked)| Date::now() - asked > PATIENCE)
    }

    fn post(&self, json: &str, texts: &[LargeText]) -> bool {
        if self.worker.borrow().is_none() {
            self.worker.replace(self.start_answering());
        }
        let texts: Array = texts.iter().map(|text| JsValue::from_str(text)).collect();
        let message = Array::of2(&JsValue::from_str(json), &texts);
        let worker = self.worker.borrow();
        worker.as_ref().is_some_and(|it| it.worker.post_message(&message).is_ok())
    }

    fn start_answering(&self) -> Option<AnsweringWorker> {
        let worker = start(&self.start_worker)?;
        let (replies, errors) = (self.this.clone(), self.this.clone());
        let on_message = Closure::new(move |event: MessageEvent| {
            if let Some(workbench) = replies.upgrade() {
                workbench.receive(&event.data());
            }
        });
        let on_error = Closure::new(move |event: Event| {
            if let Some(workbench) = errors.upgrade() {
                workbench.fail(worker_failure(&event, "workbench.js"));
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(AnsweringWorker { worker, _on_message: on_message, _on_error: on_error })
    }

    fn receive(&self, data: &JsValue) {
        // How far it is, which `main.js` shows.
        if data.as_f64().is_some() {
            return;
        }
        let message: &Array = data.unchecked_ref();
        let mut parts = message.iter();
        let json = parts.next().and_then(|json| json.as_string()).unwrap_or_default();
        let texts = parts.by_ref().map(|text| LargeText::from(text.as_string().unwrap_or_default()));
        match Reply::from_message(&json, texts) {
            Ok(Reply { id, answer }) => {
                self.unanswered.borrow_mut().retain(|(asked, _)| *asked != id);
                let asker = self.waiting.borrow_mut().remove(&id);
                if let Some(Waiting { on_answer, .. }) = asker {
                    let scenarios = parts.map(ScenarioText).collect();
                    on_answer.emit(Ok(Answered { answer: Rc::new(answer), scenarios: Rc::new(scenarios) }));
                }
            }
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// The worker is broken: all questions fail, and the next one starts another worker.
    fn fail(&self, reason: String) {
        let waiting = self.waiting.take();
        self.terminate();
        for Waiting { on_answer, .. } in waiting.into_values() {
            on_answer.emit(Err(reason.clone()));
        }
    }
}

fn start(function: &Function) -> Option<Worker> {
    function.call0(&JsValue::NULL).ok()?.dyn_into().ok()
}
