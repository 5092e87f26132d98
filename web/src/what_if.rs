//! "What if…": actions that the user adds at a time of the playback, and the panel in which the user chooses them. The panel
//! is part of `index.html`, so its inputs keep their values.

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

/// An action that the user added.
#[derive(Clone)]
struct Fork {
    /// When, in nanoseconds of the page's time.
    at: i64,
    /// The action in the scenario's format, without its time.
    action: Value,
    /// Its outcome, as a sentence.
    outcome: String,
}

/// The actions that the user added.
#[derive(Default)]
pub(crate) struct WhatIf {
    /// The forks that are part of the playback, by time.
    applied: Vec<Fork>,
    /// The fork that is being played for the first time.
    pending: Option<Fork>,
    /// The problem of the last attempt.
    pub problem: Option<Problem>,
    /// The element that had the focus before the panel.
    previous_focus: Option<HtmlElement>,
    /// The forks of the sandbox, while the page shows a story.
    sandbox_forks: Vec<Fork>,
}

impl WhatIf {
    /// Whether there are forks.
    pub(crate) const fn has_forks(&self) -> bool {
        !self.applied.is_empty()
    }

    /// Removes all forks. Returns whether there were any.
    pub(crate) fn clear(&mut self) -> bool {
        let any = self.has_forks() || self.cancel_pending();
        self.applied.clear();
        self.pending = None;
        self.clear_problem();
        self.show_list();
        any
    }

    /// Gives up the pending fork. Returns whether there was one.
    pub(crate) fn cancel_pending(&mut self) -> bool {
        self.pending.take().is_some()
    }

    /// Switches to the sandbox, which keeps its forks, or to the stories.
    pub(crate) fn switch_view(&mut self, sandbox: bool) {
        let forks = std::mem::take(&mut self.applied);
        self.clear();
        if sandbox {
            self.applied = std::mem::take(&mut self.sandbox_forks);
            self.show_list();
        } else {
            self.sandbox_forks = forks;
        }
    }

    /// Removes one fork, or all.
    pub(crate) fn undo(&mut self, index: Option<usize>) {
        match index.filter(|index| *index < self.applied.len()) {
            Some(index) => {
                self.applied.remove(index);
                self.show_list();
            }
            None => drop(self.clear()),
        }
        // The clicked button no longer exists.
        let first = panel().filter(|_| Self::is_open()).and_then(|panel| dom::query(&panel, "select"));
        match first {
            Some(first) => focus(&first),
            None => focus_playback(),
        }
    }

    /// The forks as part of a play request.
    pub(crate) fn requested_forks(&self) -> Value {
        let mut forks: Vec<&Fork> = self.applied.iter().collect();
        if let Some(pending) = &self.pending {
            forks.insert(self.insert_index(pending), pending);
        }
        let forks = forks.into_iter().map(|fork| object(vec![("at", fork.at.into()), ("do", fork.action.clone())]));
        Value::Array(forks.collect())
    }

    /// The index of a fork among the applied ones.
    fn insert_index(&self, new_fork: &Fork) -> usize {
        self.applied.iter().position(|fork| fork.at > new_fork.at).unwrap_or(self.applied.len())
    }

    /// Makes the selected action pending, at a time. Returns whether it is complete.
    pub(crate) fn try_selected(&mut self, now: i64) -> bool {
        self.clear_problem();
        let template = selected_option().and_then(|option| option.get_attribute("value")).unwrap_or_default();
        let typed = selected_input().map(|input| input.value()).unwrap_or_default();
        let missing =
            selected_input().filter(|_| typed.trim().is_empty()).and_then(|input| input.get_attribute("aria-label"));
        let action = match missing {
            Some(missing) => Err(Problem::new("", format!("{missing}: nothing is typed, and something must be"))),
            None => build_action(&template, &typed),
        };
        match action {
            Ok(action) => {
                // After the position of the playhead, and each fork at its own time.
                let mut at = now.saturating_add(1);
                for fork in &self.applied {
                    at = at.saturating_add(i64::from(fork.at == at));
                }
                self.pending = Some(Fork { at, action, outcome: String::new() });
                true
            }
            Err(problem) => {
                self.fail(problem);
                false
            }
        }
    }

    /// Takes over a problem of the player if it is about the pending fork, and drops that fork. Returns whether it does.
    pub(crate) fn take_problem(&mut self, problem: &Problem) -> bool {
        let parts = problem.path.strip_prefix(FORK_PATH_PREFIX).and_then(|rest| rest.split_once(']'));
        let Some(((index, below), pending)) = parts.zip(self.pending.as_ref()) else { return false };
        if index != self.insert_index(pending).to_string() {
            return false;
        }
        self.fail(Problem::new(below.trim_start_matches('.'), problem.message.as_str()));
        true
    }

    /// The lanes with the requested forks have arrived. Returns the time of the fork that was pending.
    ///
    /// # Errors
    /// If the pending fork was done in no lane.
    pub(crate) fn lanes_played(&mut self, playback: &Playback) -> Result<Option<i64>, ()> {
        let mut pending_time = None;
        if let Some(fork) = self.pending.take() {
            let index = self.insert_index(&fork);
            let (outcome, done) = fork_outcome(playback, index);
            if !done {
                self.fail(Problem::new("", outcome));
                return Err(());
            }
            pending_time = Some(fork.at);
            self.applied.insert(index, fork);
        }
        for (index, fork) in self.applied.iter_mut().enumerate() {
            fork.outcome = String::from(fork_outcome(playback, index).0);
        }
        self.show_list();
        Ok(pending_time)
    }

    fn fail(&mut self, problem: Problem) {
        self.pending = None;
        show_problem(&problem.to_string());
        self.problem = Some(problem);
    }

    /// Clears the problem. Returns whether there was one.
    pub(crate) fn clear_problem(&mut self) -> bool {
        if self.problem.take().is_none() {
            return false;
        }
        show_problem("");
        true
    }
}

/// The panel in the document.
impl WhatIf {
    /// Whether it is open.
    pub(crate) fn is_open() -> bool {
        panel().is_some_and(|panel| !panel.has_attribute("hidden"))
    }

    /// Opens it and moves the focus there.
    pub(crate) fn open(&mut self, playback: &Playback) {
        let active = dom::document().and_then(|document| document.active_element());
        self.previous_focus = active.and_then(|element| element.dyn_into().ok());
        set_panel_open(true);
        let nodes = playback.lanes.first().map(|lane| list_field(&lane.response, "nodes")).unwrap_or_default();
        let mut options = Markup::default();
        for index in 0..nodes.len() {
            options.open("option", "").attribute("value", str_at(nodes, index)).text_and_close("option", "");
        }
        if let Some(list) = dom::by_id("fork-nodes") {
            list.set_inner_html(&options.0);
        }
        // The typed node may belong to another story.
        let is_here = |input: &HtmlInputElement| (0..nodes.len()).any(|index| str_at(nodes, index) == input.value());
        if let Some(input) = dom::by_id_as::<HtmlInputElement>("fork-node").filter(|input| !is_here(input)) {
            input.set_value(str_at(nodes, 0));
        }
        self.show_time(playback);
    }

    /// Closes it and returns the focus.
    pub(crate) fn close(&mut self) {
        // A hidden element keeps the focus, and gets keys, until the next frame. Focusing the page does not take it away.
        let active = dom::document().and_then(|document| document.active_element());
        let focused = active.filter(|active| panel().is_some_and(|panel| panel.contains(Some(active))));
        if let Some(focused) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = focused.blur();
        }
        set_panel_open(false);
        self.clear_problem();
        if let Some(previous) = self.previous_focus.take() {
            let _ = previous.focus();
        }
    }

    /// Closes it after a fork was applied and focuses the Play button, which comes next.
    pub(crate) fn close_applied(&mut self) {
        self.close();
        focus_playback();
    }

    /// Shows the current time.
    pub(crate) fn show_time(&self, playback: &Playback) {
        if !Self::is_open() {
            return;
        }
        if let Some(at) = dom::by_id("fork-at") {
            at.set_text_content(Some(&format_clock(playback.now)));
        }
    }

    /// Shows the list of forks.
    fn show_list(&self) {
        let mut items = Markup::default();
        for (index, fork) in self.applied.iter().enumerate() {
            items.open("li", "").children();
            items.push_text(&sentence(fork));
            items.push_text(" ");
            items.open("button", "link").attribute("type", "button").attribute("data-do", &format!("unfork {index}"));
            items.text_and_close("button", "Take back");
            items.close("li");
        }
        if let Some(list) = dom::by_id("fork-list") {
            list.set_inner_html(&items.0);
        }
    }

    /// All forks as sentences.
    pub(crate) fn summary(&self) -> String {
        let mut summary = String::new();
        for fork in &self.applied {
            summary.push(' ');
            summary.push_str(&sentence(fork));
        }
        summary.push_str(" From there on it goes differently.");
        summary
    }

    /// The text that replaces a story's captions.
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

fn set_panel_open(open: bool) {
    let button = dom::by_id("fork-open");
    if let Some((panel, button)) = panel().zip(button) {
        dom::set_attribute(&button, "aria-expanded", if open { "true" } else { "false" });
        // Fails only for invalid names.
        let _ = panel.toggle_attribute_with_force("hidden", !open);
        if let Some(first) = dom::query(&panel, "select").filter(|_| open) {
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

/// The outcome of a fork in the first lane in which it was done, and whether it was done in any.
fn fork_outcome(playback: &Playback, index: usize) -> (&str, bool) {
    let mut first = ("", false);
    for lane in &playback.lanes {
        let outcome = list_field(&lane.response, "forks")
            .get(index)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        if outcome.get(1) == Some(&Value::Bool(true)) {
            return (str_at(outcome, 0), true);
        }
        if first.0.is_empty() {
            first.0 = str_at(outcome, 0);
        }
    }
    first
}

/// The selected option. Its value is an action, in which `$` stands for the typed text.
fn selected_option() -> Option<Element> {
    panel().and_then(|panel| dom::query(&panel, "option:checked"))
}

/// The input of the selected option.
fn selected_input() -> Option<HtmlInputElement> {
    selected_option()?.get_attribute("data-input").and_then(|id| dom::by_id_as(&id))
}

/// Shows a problem, or none if it is empty.
fn show_problem(problem: &str) {
    if let Some(element) = dom::by_id("fork-problem") {
        element.set_text_content(Some(problem));
    }
    let invalid_input = panel().and_then(|panel| dom::query(&panel, "[aria-invalid=true]"));
    let (input, invalid) =
        if problem.is_empty() { (invalid_input, "false") } else { (selected_input().map(Into::into), "true") };
    if let Some(input) = input {
        dom::set_attribute(&input, "aria-invalid", invalid);
    }
}

/// The selected action with the typed text. The core checks it.
fn build_action(template: &str, typed: &str) -> Result<Value, Problem> {
    let mut json = String::from(template);
    if let Some((previous, after)) = template.split_once('$') {
        let whole = previous.is_empty();
        json = [previous, &*if whole { String::from(typed) } else { typed_value(typed).to_string() }, after].concat();
    }
    serde_json::from_str(&json).map_err(|error| Problem::new("", format!("can't be read as JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_selected_option_becomes_an_action_of_a_scenario() {
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
