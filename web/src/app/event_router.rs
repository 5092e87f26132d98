//! Routes browser events to what they do. Buttons and keys name a command, in the attribute `data-do` or by shortcut.

use changeover_wire::SeekMode;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, PointerEvent};

use super::App;
use crate::what_if::WhatIf;
use crate::{dom, keyboard, rollout_inputs};

impl App {
    /// Handles an event. Returns whether the page must be rendered.
    pub(super) fn handle_event(&mut self, event: &Event) -> bool {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let closest = |selector: &str| target.as_ref().and_then(|it| it.closest(selector).ok().flatten());
        match event.type_().as_str() {
            "hashchange" => {
                self.follow_route();
                true
            }
            "click" => {
                let Some(command) = closest("[data-do]").and_then(|it| it.get_attribute("data-do")) else {
                    return false;
                };
                self.run_command(&command)
            }
            "keydown" => event.dyn_ref().is_some_and(|event| self.handle_key(event)),
            "input" => {
                let Some(input) = target.as_ref().and_then(|it| it.dyn_ref::<HtmlInputElement>()) else { return false };
                self.input_changed(&input.id(), input.value())
            }
            "change" => match target.as_ref().and_then(|it| it.dyn_ref::<HtmlSelectElement>()) {
                Some(select) => self.select_changed(select),
                // The color scheme has changed, which has no element: draw the dots again.
                None if target.is_none() => {
                    self.layout = None;
                    true
                }
                None => false,
            },
            "pointerdown" | "pointermove" => {
                if let (Some(event), Some(chart)) = (event.dyn_ref::<PointerEvent>(), closest("svg.chart")) {
                    return self.scrub_to_pointer(event, &chart);
                }
                let at =
                    event.dyn_ref().zip(closest(".tiles")).and_then(|(event, tiles)| self.pod_under(event, &tiles));
                self.set_active_pod(at);
                false
            }
            "pointerover" | "focusin" => {
                let term = closest("[data-term]").and_then(|it| term_of(&it));
                self.term_focused = event.type_() == "focusin";
                self.set_active_term(term)
            }
            "focusout" => self.set_active_term(None),
            _ => false,
        }
    }

    /// The pod under a pointer: its lane, row and slot.
    fn pod_under(&self, event: &PointerEvent, tiles: &Element) -> Option<(usize, usize, usize)> {
        let lane = lane_of(tiles)?;
        let row = tiles.parent_element()?.get_attribute("data-row")?.parse().ok()?;
        let playback = self.playback.as_ref()?;
        let (x, y) = dom::pointer_position(event, tiles);
        let slot = self.lane_graphics.get(lane)?.slot_at(playback.lanes.get(lane)?, row, x, y)?;
        playback.lanes.get(lane)?.pod_at(row, slot).map(|_| (lane, row, slot))
    }

    fn scrub_to_pointer(&mut self, event: &PointerEvent, chart: &Element) -> bool {
        if event.type_() == "pointerdown" {
            if event.button() != 0 {
                return false;
            }
            // Without the capture a drag ends at the edge of the element, which does no harm.
            let _ = chart.set_pointer_capture(event.pointer_id());
        } else if !chart.has_pointer_capture(event.pointer_id()) {
            return false;
        }
        let Some(layout) = &self.layout else { return false };
        let left = chart.get_bounding_client_rect().left();
        let time = layout.chart.time_at(f64::from(event.client_x()) - left);
        self.seek(time);
        false
    }

    fn input_changed(&mut self, id: &str, text: String) -> bool {
        let Some(field) = rollout_inputs::input_field(id) else { return self.what_if.clear_problem() };
        self.form.set(field, text);
        self.stop_time = None;
        self.baseline_totals.clear();
        // The check finds a problem at once, even while the player is busy.
        self.what_if.cancel_pending();
        self.replay();
        let check = self.player_client.check(self.form.check_request());
        self.send_to_player(Some(check));
        true
    }

    fn select_changed(&mut self, select: &HtmlSelectElement) -> bool {
        match select.id().as_str() {
            "speed" => self.speed = usize::try_from(select.selected_index()).unwrap_or(0),
            "story" => dom::set_route(&format!("stories/{}", select.value())),
            id => return self.input_changed(id, select.value()),
        }
        false
    }

    fn handle_key(&mut self, event: &KeyboardEvent) -> bool {
        let dialog = dom::by_id_as::<HtmlDialogElement>("help").is_some_and(|dialog| dialog.open());
        if dialog || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let focus = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let in_panel = focus.as_ref().is_some_and(|focus| focus.id().starts_with("fork-"));
        let command = match &*event.key() {
            "Enter" if in_panel && focus.as_ref().is_some_and(|focus| focus.tag_name() == "INPUT") => "fork-play",
            "Escape" if WhatIf::is_open() => "fork",
            _ => "",
        };
        if !command.is_empty() {
            event.prevent_default();
            return self.run_command(command);
        }
        let focus = focus.map_or(dom::FocusTarget::Page, |element| dom::focus_target(&element));
        if matches!(focus, dom::FocusTarget::Field) {
            return false;
        }
        let Some(command) = keyboard::key_command(&event.key(), event.shift_key(), &focus) else { return false };
        event.prevent_default();
        self.run_command(command)
    }

    /// Runs the command of a button or a key. Returns whether the page must be rendered.
    fn run_command(&mut self, command: &str) -> bool {
        let (verb, argument) = command.split_once(' ').unwrap_or((command, ""));
        let number: i64 = argument.parse().unwrap_or(0);
        let index = usize::try_from(number).ok().filter(|_| !argument.is_empty());
        match verb {
            "toggle" => self.toggle_playing(),
            "start" => self.go_to_position(0),
            "end" => self.go_to_position(usize::MAX),
            "step" => self.step_milestone(number > 0),
            "write" => self.step_write(number > 0),
            "faster" => self.set_speed(self.speed.saturating_add(1)),
            "slower" => self.set_speed(self.speed.saturating_sub(1)),
            "caption" => return self.turn_caption(number > 0),
            "fork" => return self.toggle_what_if(),
            "fork-play" => {
                self.finish_instant();
                let now = self.playback.as_ref().map(|playback| playback.now);
                if now.is_some_and(|now| self.what_if.try_selected(now)) {
                    self.replay();
                }
                return true;
            }
            "unfork" => {
                self.set_playing(false);
                self.what_if.undo(index);
                self.replay();
                return true;
            }
            "help-on" | "help-off" => {
                self.what_if.clear();
                self.story_session.set_remedy(verb == "help-on");
                self.set_playing(false);
                self.restart = true;
                self.play_story();
                return true;
            }
            "story" => dom::set_route(&format!("stories/{argument}")),
            "again" => {
                self.go_to_caption();
                return true;
            }
            "repeated" => {
                self.show_repeated = !self.show_repeated;
                return true;
            }
            "by" => return self.set_grouping(argument),
            "pace" => return self.set_alignment(argument),
            "pod" => self.focus_next_pod(number > 0),
            "facts" => {
                if let Some(open) = index.and_then(|index| self.details_open.get_mut(index)) {
                    *open = !*open;
                }
                self.inspect();
                return true;
            }
            "sheet" => {
                self.sheet_lane = index;
                if index.is_some() && WhatIf::is_open() {
                    self.close_what_if();
                }
                return true;
            }
            "inputs" => {
                self.inputs_open = !self.inputs_open;
                return true;
            }
            "help" => {
                // Fails if it is open already.
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

    fn set_grouping(&mut self, argument: &str) -> bool {
        let Some(playback) = &self.playback else { return false };
        let by_node = if argument.is_empty() { !playback.grouped_by_node } else { argument == "node" };
        self.group_by_node = Some(by_node);
        self.what_if.cancel_pending();
        self.replay();
        true
    }

    /// Opens or closes the panel "What if…". Opening pauses the playback.
    fn toggle_what_if(&mut self) -> bool {
        if WhatIf::is_open() {
            self.close_what_if();
            return true;
        }
        self.set_playing(false);
        self.finish_instant();
        let Some(playback) = &self.playback else { return false };
        self.what_if.open(playback);
        self.sheet_lane = None;
        true
    }

    /// Closes the panel and gives up the pending fork.
    fn close_what_if(&mut self) {
        self.what_if.close();
        if self.what_if.cancel_pending() {
            self.replay();
        }
    }

    /// Moves all lanes to the end of the current instant, where a fork begins.
    fn finish_instant(&mut self) {
        let Some(playback) = &mut self.playback else { return };
        let before = playback.lane_frames();
        playback.seek_time(playback.now);
        if playback.lane_frames() != before {
            self.playhead_moved(SeekMode::Time);
        }
    }

    fn focus_next_pod(&mut self, forward: bool) {
        let focused = dom::document().and_then(|document| document.active_element());
        let Some(element) = focused.and_then(|it| it.closest(".tiles").ok().flatten()) else { return };
        let row = element.parent_element().and_then(|row| row.get_attribute("data-row"));
        let (Some(lane), Some(row)) = (lane_of(&element), row.and_then(|row| row.parse::<usize>().ok())) else {
            return;
        };
        let Some(active_lane) = self.playback.as_ref().and_then(|playback| playback.lanes.get(lane)) else { return };
        let from = self
            .active_pod
            .filter(|(pod_lane, pod_row, _)| (*pod_lane, *pod_row) == (lane, row))
            .map(|(.., slot)| slot);
        let slots = active_lane.track.row_slots.get(row).copied().unwrap_or(0);
        let taken = |slot: &usize| active_lane.pod_at(row, *slot).is_some();
        let next = match (from, forward) {
            (None, _) => (0..slots).find(taken),
            (Some(from), true) => (from.saturating_add(1)..slots).find(taken),
            (Some(from), false) => (0..from).rev().find(taken),
        };
        if let Some(slot) = next.or(from) {
            self.set_active_pod(Some((lane, row, slot)));
        }
    }
}

/// The term that has the focus.
pub(super) fn focused_term() -> Option<(usize, usize)> {
    term_of(&dom::document()?.active_element()?)
}

/// The lane and the number of the term in an element.
fn term_of(element: &Element) -> Option<(usize, usize)> {
    Some((lane_of(element)?, element.get_attribute("data-term")?.parse().ok()?))
}

/// The lane of an element.
fn lane_of(element: &Element) -> Option<usize> {
    element.closest("[data-lane]").ok().flatten()?.get_attribute("data-lane")?.parse().ok()
}
