//! What the user does.

use changeover_wire::SeekMode;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, PointerEvent};

use super::App;
use crate::what_if::WhatIf;
use crate::{dom, keyboard, rollout_inputs};

impl App {
    pub(super) fn event(&mut self, event: &Event) -> bool {
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
                // Another colour scheme, which is of no element: dots must be drawn anew.
                None if target.is_none() => {
                    self.sizes = None;
                    true
                }
                None => false,
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
                let term = closest("[data-term]").and_then(|it| term_of(&it));
                self.focused = event.type_() == "focusin";
                self.light(term)
            }
            "focusout" => self.light(None),
            _ => false,
        }
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
        let Some(field) = rollout_inputs::field(id) else { return self.what_if.mend() };
        self.form.set(field, text);
        self.stop = None;
        self.plain.clear();
        // What is wrong is said at once, however long the player works on what was right.
        self.what_if.withdraw();
        self.replay();
        let check = self.asking.check(self.form.check());
        self.ask(Some(check));
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
                self.anew = true;
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
                    self.close_fork();
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
        self.what_if.withdraw();
        self.replay();
        true
    }

    /// Opens the panel in which it is chosen what else is done, or closes it. What it is about must not run away.
    fn choose_fork(&mut self) -> bool {
        if WhatIf::is_open() {
            self.close_fork();
            return true;
        }
        self.play(false);
        self.settle();
        let Some(stage) = &self.stage else { return false };
        self.what_if.open(stage);
        self.sheet = None;
        true
    }

    /// Closes that panel; what is tried is not done.
    fn close_fork(&mut self) {
        self.what_if.close();
        if self.what_if.withdraw() {
            self.replay();
        }
    }

    /// Brings all lanes to the end of one instant: that is where something else is done.
    fn settle(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let before = stage.frames();
        stage.stand(stage.now);
        if stage.frames() != before {
            self.moved(SeekMode::Time);
        }
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
}

/// The term that has the focus.
pub(super) fn focused_term() -> Option<(usize, usize)> {
    term_of(&dom::document()?.active_element()?)
}

/// Which term that is.
fn term_of(element: &Element) -> Option<(usize, usize)> {
    Some((lane_of(element)?, element.get_attribute("data-term")?.parse().ok()?))
}

/// The lane in which an element is.
fn lane_of(element: &Element) -> Option<usize> {
    element.closest("[data-lane]").ok().flatten()?.get_attribute("data-lane")?.parse().ok()
}
