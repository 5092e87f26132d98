//! What is asked for and heard, and where the address leads.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, object};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::{App, GLANCE};
use crate::dom;
use crate::playback::{Rules, Stage};
use crate::player_client::{CHECKER, PLAYER, Played, Question};

impl App {
    /// Asks a player, or for a file (`whom`: "file", and its name).
    fn call(&self, whom: &str, what: &str) {
        // Whatever is wrong there is heard as an answer.
        let _ = self.outside.call2(&JsValue::NULL, &JsValue::from_str(whom), &JsValue::from_str(what));
    }

    pub(super) fn ask(&self, question: Option<Question>) {
        if let Some(Question { whom, text }) = question {
            self.call(whom, &text);
        }
    }

    /// Goes where the address says: a story and its caption, or the sandbox.
    pub(super) fn route(&mut self) {
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
        }
        if sandbox {
            if another || self.stage.is_none() {
                self.leave();
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
            self.leave();
            self.what_if.clear();
            self.tell();
        } else if self.telling.at == before {
            // The address only follows what was done here; more may have been done since.
        } else if self.what_if.clear() {
            self.anew = true;
            self.tell();
        } else {
            self.go_to_caption();
        }
    }

    /// For another place: nothing of this one is kept, and nothing that is on its way to it is wanted.
    fn leave(&mut self) {
        self.asking.withdraw();
        self.play(false);
        self.anew = true;
        self.problem = None;
        self.plain.clear();
        self.by_node = None;
        self.facts = [false; 3];
        self.sheet = None;
        self.term = None;
    }

    /// Asks for what is missing of a story; plays it once nothing is.
    pub(super) fn tell(&mut self) {
        match self.telling.read() {
            Ok(Some(lanes)) => {
                self.by_node = self.by_node.or_else(|| self.telling.story.as_ref().map(|story| story.by_node()));
                self.load(lanes);
            }
            Ok(None) => {}
            Err(problem) => self.fail(problem),
        }
        for name in self.telling.missing() {
            self.call("file", &name);
        }
    }

    /// Says what is wrong. What is shown of another place does not belong to that.
    fn fail(&mut self, problem: Problem) {
        self.problem = Some(problem);
        if self.anew {
            self.stage = None;
            self.drawings.clear();
        }
    }

    /// Has the lanes played again.
    pub(super) fn replay(&mut self) {
        if self.sandbox {
            self.load(self.form.play());
        } else {
            self.tell();
        }
    }

    /// Has lanes played.
    fn load(&mut self, lanes: Vec<(Rules, Value)>) {
        let how = [
            ("byNode", self.by_node.unwrap_or(false).into()),
            ("shown", self.stage.as_ref().map_or(0, |stage| stage.generation).into()),
            ("forks", self.what_if.ask()),
        ];
        let question = self.asking.load(lanes, &how);
        self.ask(question);
    }

    /// Asks what there is to see.
    pub(super) fn look(&mut self) {
        let Some(stage) = &self.stage else { return };
        let pair = |pair: Option<(usize, usize)>| {
            pair.map_or(Value::Null, |(one, other)| Value::Array(vec![index_value(one), index_value(other)]))
        };
        let pod = self.pod.and_then(|(lane, row, slot)| {
            let pod = stage.lanes.get(lane).and_then(|it| it.pod_at(row, slot))?;
            Some((lane, pod.pod))
        });
        let question = self.asking.look(object(vec![
            ("generation", stage.generation.into()),
            ("frames", Value::Array(stage.frames())),
            ("pace", self.pace.number().into()),
            ("explain", pair(self.explain)),
            ("pod", pair(pod)),
            ("facts", Value::Array(self.facts.map(Value::Bool).into())),
        ]));
        self.ask(question);
    }

    /// An answer, or a file. Whether the page must be rendered.
    pub(super) fn hear(&mut self, whom: &str, text: &str, film: &[i32]) -> bool {
        let answer = || serde_json::from_str::<Value>(text).unwrap_or_default();
        match whom {
            PLAYER => {
                let answer = answer();
                if answer.get("lanes").is_some() { self.looked(answer) } else { self.played(answer, film) }
            }
            CHECKER => self.checked(&answer()),
            name => self.fetched(name, text),
        }
    }

    fn fetched(&mut self, name: &str, text: &str) -> bool {
        self.telling.hear(name, text);
        let told = self.telling.story.is_some();
        // A file may be one of a story that was left.
        if self.anew && !self.sandbox && !self.asking.is_loading() {
            self.tell();
        }
        // A page that is laid out with every file comes later.
        told != self.telling.story.is_some() || self.stage.is_some() || self.problem.is_some()
    }

    fn checked(&mut self, answer: &Value) -> bool {
        let Some(problem) = self.asking.checked(answer) else { return false };
        self.fail(problem);
        true
    }

    fn looked(&mut self, mut answer: Value) -> bool {
        let next = self.asking.looked();
        self.ask(next);
        let here = i64_field(&answer, "generation");
        let Some(stage) = self.stage.as_mut().filter(|stage| stage.generation == here) else { return false };
        for (index, lane) in stage.lanes.iter_mut().enumerate() {
            lane.seen = answer.get_mut("lanes").and_then(|it| it.get_mut(index)).map(Value::take).unwrap_or_default();
        }
        self.light_up();
        if self.pod.is_some() {
            self.pod_named = answer;
            self.say_pod();
        }
        if self.announce && !self.asking.is_looking() {
            self.announce = false;
            self.say();
        }
        true
    }

    fn played(&mut self, answer: Value, film: &[i32]) -> bool {
        let (generation, lanes) = match self.asking.played(answer, film) {
            Ok(Played::Next(question)) => {
                self.ask(question);
                return false;
            }
            Ok(Played::All(generation, lanes)) => (generation, lanes),
            Err(problem) => {
                if !self.what_if.takes(&problem) {
                    self.fail(problem);
                }
                return true;
            }
        };
        let stage = Stage::new(generation, lanes, self.by_node.unwrap_or(false));
        let Ok(forked) = self.what_if.arrive(&stage) else { return true };
        self.problem = None;
        self.term = None;
        self.pod = None;
        self.arrive(stage, forked);
        true
    }

    /// New lanes are there. Where they take the place of others, the playhead stays; who stands at a caption stays at that.
    fn arrive(&mut self, stage: Stage, forked: Option<i64>) {
        let forks = self.what_if.is_some();
        if !forks {
            self.plain = stage.lanes.iter().map(|lane| lane.totals).collect();
        }
        let before = self.stage.replace(stage);
        let anew = std::mem::take(&mut self.anew);
        let captioned = !self.sandbox && !forks && self.away.is_none();
        match before.filter(|_| !anew) {
            Some(_) if captioned => self.go_to_caption(),
            Some(before) => self.go_on(&before, forked),
            None => self.begin(),
        }
        self.look();
    }

    /// Begins to show. The first visit plays from a story's first caption, once that could be read, to its second; the
    /// sandbox until the moment that tells the most. With less motion nothing plays by itself.
    fn begin(&mut self) {
        let first = std::mem::take(&mut self.first);
        let Some(stage) = &self.stage else { return };
        if self.sandbox {
            let telling = stage.telling();
            self.seek(0);
            if dom::less_motion() {
                self.seek(telling);
            } else {
                self.play(true);
                self.stop = Some(telling);
            }
            return;
        }
        self.go_to_caption();
        // Who asks for a caption gets that one, and stays there.
        if first && !dom::place().contains('/') && !dom::less_motion() {
            let stop = self.stage.as_ref().and_then(|stage| self.telling.moment(stage, 1).ok());
            self.play(true);
            self.stop = stop.map(|(time, _)| time);
            self.hold_for_reading();
        }
    }

    /// Goes on from where the playhead stood; where something was done then, from that.
    fn go_on(&mut self, before: &Stage, forked: Option<i64>) {
        let Some(stage) = &mut self.stage else { return };
        self.away = None;
        match forked {
            None => stage.stand_like(before),
            Some(time) => {
                stage.stand_at_act(time);
                self.what_if.finish();
                self.announce = true;
                self.play(!dom::less_motion());
                if self.playing {
                    // What was done is read before its consequences come.
                    self.hold = GLANCE;
                    self.show_playing();
                }
            }
        }
        self.moved(self.pace);
        self.follow();
    }
}
