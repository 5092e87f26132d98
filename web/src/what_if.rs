//! "What if…": what the user does beside what is told, each from a moment on, and the panel in which it is chosen. The panel
//! is written in `index.html`, and what is typed there stays there.

use changeover_core::Problem;
use changeover_wire::{FORK_PATH_PREFIX, format_clock, list_field, object, str_at};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};
use yew::Html;

use crate::dom;
use crate::element::text_element;
use crate::markup::Markup;
use crate::playback::Playback;
use crate::rollout_form::typed_value;

/// Something that the user does beside what is told.
#[derive(Clone)]
struct Fork {
    /// When, in nanoseconds after the picture's beginning.
    at: i64,
    /// An action of the scenario's format, without its time.
    action: Value,
    /// What came of it.
    outcome: String,
}

/// See the module.
#[derive(Default)]
pub(crate) struct WhatIf {
    /// What was done, by time.
    applied: Vec<Fork>,
    /// What is tried: not yet played.
    pending: Option<Fork>,
    /// What is wrong with what was chosen last.
    pub problem: Option<Problem>,
    /// What had the focus before the panel.
    previous_focus: Option<HtmlElement>,
    /// What was done in the sandbox, while a story is told.
    sandbox_forks: Vec<Fork>,
}

impl WhatIf {
    /// Whether anything was done.
    pub(crate) const fn has_forks(&self) -> bool {
        !self.applied.is_empty()
    }

    /// Takes everything back. Whether there was anything.
    pub(crate) fn clear(&mut self) -> bool {
        let any = self.has_forks() || self.cancel_pending();
        self.applied.clear();
        self.pending = None;
        self.clear_problem();
        self.show_list();
        any
    }

    /// Gives up what is tried. Whether there was anything.
    pub(crate) fn cancel_pending(&mut self) -> bool {
        self.pending.take().is_some()
    }

    /// Turns to the sandbox, where all is as it was left, as the form is; or to the stories.
    pub(crate) fn switch_view(&mut self, sandbox: bool) {
        let done = std::mem::take(&mut self.applied);
        self.clear();
        if sandbox {
            self.applied = std::mem::take(&mut self.sandbox_forks);
            self.show_list();
        } else {
            self.sandbox_forks = done;
        }
    }

    /// Takes one thing back, or everything.
    pub(crate) fn undo(&mut self, index: Option<usize>) {
        match index.filter(|index| *index < self.applied.len()) {
            Some(index) => {
                self.applied.remove(index);
                self.show_list();
            }
            None => drop(self.clear()),
        }
        // The button that did it is gone.
        let first = panel().filter(|_| Self::is_open()).and_then(|panel| dom::query(&panel, "select"));
        match first {
            Some(first) => focus(&first),
            None => focus_playback(),
        }
    }

    /// What the player is asked to do, too.
    pub(crate) fn requested_forks(&self) -> Value {
        let mut forks: Vec<&Fork> = self.applied.iter().collect();
        if let Some(trying) = &self.pending {
            forks.insert(self.insert_index(trying), trying);
        }
        let asked = forks.into_iter().map(|fork| object(vec![("at", fork.at.into()), ("do", fork.action.clone())]));
        Value::Array(asked.collect())
    }

    /// Where something belongs among what was done.
    fn insert_index(&self, of: &Fork) -> usize {
        self.applied.iter().position(|fork| fork.at > of.at).unwrap_or(self.applied.len())
    }

    /// Tries what is chosen in the panel, from a time on. Whether it can be asked for.
    pub(crate) fn try_selected(&mut self, now: i64) -> bool {
        self.clear_problem();
        let template = selected_option().and_then(|option| option.get_attribute("value")).unwrap_or_default();
        let typed = selected_input().map(|input| input.value()).unwrap_or_default();
        let needed =
            selected_input().filter(|_| typed.trim().is_empty()).and_then(|input| input.get_attribute("aria-label"));
        let action = match needed {
            Some(needed) => Err(Problem::new("", format!("{needed}: nothing is typed, and something must be"))),
            None => build_action(&template, &typed),
        };
        match action {
            Ok(does) => {
                // A moment later than where the playhead stands, and each at a moment of its own.
                let mut at = now.saturating_add(1);
                for fork in &self.applied {
                    at = at.saturating_add(i64::from(fork.at == at));
                }
                self.pending = Some(Fork { at, action: does, outcome: String::new() });
                true
            }
            Err(problem) => {
                self.fail(problem);
                false
            }
        }
    }

    /// Whether a problem that the player has is that of what is tried; then it is not done.
    pub(crate) fn take_problem(&mut self, problem: &Problem) -> bool {
        let parts = problem.path.strip_prefix(FORK_PATH_PREFIX).and_then(|rest| rest.split_once(']'));
        let Some(((index, below), trying)) = parts.zip(self.pending.as_ref()) else { return false };
        if index != self.insert_index(trying).to_string() {
            return false;
        }
        self.fail(Problem::new(below.trim_start_matches('.'), problem.message.as_str()));
        true
    }

    /// What was asked for was played. Of what was tried the time from which it was done; or nothing, where it could be
    /// done in no lane.
    pub(crate) fn lanes_played(&mut self, stage: &Playback) -> Result<Option<i64>, ()> {
        let mut tried = None;
        if let Some(fork) = self.pending.take() {
            let place = self.insert_index(&fork);
            let (said, done) = fork_outcome(stage, place);
            if !done {
                self.fail(Problem::new("", said));
                return Err(());
            }
            tried = Some(fork.at);
            self.applied.insert(place, fork);
        }
        for (index, fork) in self.applied.iter_mut().enumerate() {
            fork.outcome = String::from(fork_outcome(stage, index).0);
        }
        self.show_list();
        Ok(tried)
    }

    fn fail(&mut self, problem: Problem) {
        self.pending = None;
        show_problem(&problem.to_string());
        self.problem = Some(problem);
    }

    /// What is chosen is another. Whether there was a problem.
    pub(crate) fn clear_problem(&mut self) -> bool {
        if self.problem.take().is_none() {
            return false;
        }
        show_problem("");
        true
    }
}

/// The panel.
impl WhatIf {
    /// Whether it is open.
    pub(crate) fn is_open() -> bool {
        panel().is_some_and(|panel| !panel.has_attribute("hidden"))
    }

    /// Opens it, and puts the focus there.
    pub(crate) fn open(&mut self, stage: &Playback) {
        let active = dom::document().and_then(|document| document.active_element());
        self.previous_focus = active.and_then(|element| element.dyn_into().ok());
        set_panel_open(true);
        let nodes = stage.lanes.first().map(|lane| list_field(&lane.response, "nodes")).unwrap_or_default();
        let mut options = Markup::default();
        for index in 0..nodes.len() {
            options.open("option", "").attribute("value", str_at(nodes, index)).text_and_close("option", "");
        }
        if let Some(place) = dom::by_id("fork-nodes") {
            place.set_inner_html(&options.0);
        }
        // What was typed for another story may be no node here.
        let is_here = |input: &HtmlInputElement| (0..nodes.len()).any(|index| str_at(nodes, index) == input.value());
        if let Some(input) = dom::by_id_as::<HtmlInputElement>("fork-node").filter(|input| !is_here(input)) {
            input.set_value(str_at(nodes, 0));
        }
        self.show_time(stage);
    }

    /// Closes it, and gives the focus back.
    pub(crate) fn close(&mut self) {
        // What is hidden would keep the focus until the next frame, and take the keys of until then; giving the focus to
        // the page, which had it before, would not take it away.
        let active = dom::document().and_then(|document| document.active_element());
        let inside = active.filter(|active| panel().is_some_and(|panel| panel.contains(Some(active))));
        if let Some(inside) = inside.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = inside.blur();
        }
        set_panel_open(false);
        self.clear_problem();
        if let Some(before) = self.previous_focus.take() {
            let _ = before.focus();
        }
    }

    /// Closes it where what was chosen is done and played: the next thing is to pause that, or to play it on.
    pub(crate) fn close_applied(&mut self) {
        self.close();
        focus_playback();
    }

    /// Shows the moment.
    pub(crate) fn show_time(&self, stage: &Playback) {
        if !Self::is_open() {
            return;
        }
        if let Some(at) = dom::by_id("fork-at") {
            at.set_text_content(Some(&format_clock(stage.now)));
        }
    }

    /// Shows what was done.
    fn show_list(&self) {
        let mut list = Markup::default();
        for (index, fork) in self.applied.iter().enumerate() {
            list.open("li", "").children();
            list.push_text(&sentence(fork));
            list.push_text(" ");
            list.open("button", "link").attribute("type", "button").attribute("data-do", &format!("unfork {index}"));
            list.text_and_close("button", "Take back");
            list.close("li");
        }
        if let Some(place) = dom::by_id("fork-list") {
            place.set_inner_html(&list.0);
        }
    }

    /// All that was done, and that it was.
    pub(crate) fn summary(&self) -> String {
        let mut said = String::new();
        for fork in &self.applied {
            said.push(' ');
            said.push_str(&sentence(fork));
        }
        said.push_str(" From there on it goes differently.");
        said
    }

    /// What stands where a story's caption was.
    pub(crate) fn view(&self) -> Vec<Html> {
        vec![text_element("h2", &[], "What if…"), text_element("p", &[], self.summary().trim_start())]
    }
}

/// `At 0:12 you scale Deployment web to 15.`
fn sentence(fork: &Fork) -> String {
    let you = fork.outcome.strip_prefix("You ");
    let by = if you.is_some() { " you " } else { ": " };
    ["At ", &format_clock(fork.at), by, you.unwrap_or(&fork.outcome)].concat()
}

fn panel() -> Option<Element> {
    dom::by_id("fork")
}

fn set_panel_open(on: bool) {
    let button = dom::by_id("fork-open");
    if let Some((panel, button)) = panel().zip(button) {
        dom::set_attribute(&button, "aria-expanded", if on { "true" } else { "false" });
        // Refused only for names that are none.
        let _ = panel.toggle_attribute_with_force("hidden", !on);
        if let Some(first) = dom::query(&panel, "select").filter(|_| on) {
            focus(&first);
        }
    }
}

fn focus_playback() {
    if let Some(toggle) =
        dom::document().and_then(|document| document.query_selector("[data-do=toggle]").ok().flatten())
    {
        focus(&toggle);
    }
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// What came of a fork, in the first lane in which it was done, and whether it was in any.
fn fork_outcome(stage: &Playback, index: usize) -> (&str, bool) {
    let mut first = ("", false);
    for lane in &stage.lanes {
        let said = list_field(&lane.response, "forks")
            .get(index)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        if said.get(1) == Some(&Value::Bool(true)) {
            return (str_at(said, 0), true);
        }
        if first.0.is_empty() {
            first.0 = str_at(said, 0);
        }
    }
    first
}

/// What is chosen: its value is an action, in which `$` stands for what is typed.
fn selected_option() -> Option<Element> {
    panel().and_then(|panel| dom::query(&panel, "option:checked"))
}

/// The input that belongs to it.
fn selected_input() -> Option<HtmlInputElement> {
    selected_option()?.get_attribute("data-input").and_then(|id| dom::by_id_as(&id))
}

/// Says what is wrong.
fn show_problem(problem: &str) {
    if let Some(place) = dom::by_id("fork-problem") {
        place.set_text_content(Some(problem));
    }
    let wrong = panel().and_then(|panel| dom::query(&panel, "[aria-invalid=true]"));
    let (input, invalid) =
        if problem.is_empty() { (wrong, "false") } else { (selected_input().map(Into::into), "true") };
    if let Some(input) = input {
        dom::set_attribute(&input, "aria-invalid", invalid);
    }
}

/// The action that was chosen, with what was typed for it. Whether that is right, the core says.
fn build_action(template: &str, typed: &str) -> Result<Value, Problem> {
    let mut json = String::from(template);
    if let Some((before, after)) = template.split_once('$') {
        let whole = before.is_empty();
        json = [before, &*if whole { String::from(typed) } else { typed_value(typed).to_string() }, after].concat();
    }
    serde_json::from_str(&json).map_err(|error| Problem::new("", format!("can't be read as JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_chosen_is_an_action_of_a_scenario() {
        let cases = [
            (r#"{"scale": {"replicas": $}}"#, "15", json!({"scale": {"replicas": 15}})),
            (r#"{"scale": {"replicas": $}}"#, "abc", json!({"scale": {"replicas": "abc"}})),
            (r#"{"drain": {"name": $}}"#, " \"a ", json!({"drain": {"name": "\"a"}})),
            (r#"{"undo": {}}"#, "", json!({"undo": {}})),
            ("$", r#"{"evict": {"name": "web/0"}}"#, json!({"evict": {"name": "web/0"}})),
        ];
        for (template, typed, expected) in cases {
            assert_eq!(build_action(template, typed).unwrap(), expected);
        }
        let problem = build_action("$", "{evict").unwrap_err().to_string();
        assert!(problem.starts_with("can't be read as JSON: "), "{problem}");
    }
}
