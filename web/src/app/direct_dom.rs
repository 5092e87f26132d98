//! Updates the parts of the document that Yew does not manage: lane graphics, the playback bar, the announcement to screen
//! readers.

use changeover_wire::{field, format_clock, index_at, list_field, str_field};
use serde_json::Value;

use super::App;
use crate::dom;
use crate::explanation_panel::{self, Term};
use crate::lane_graphics::{self, LaneGraphics, LaneLayout};
use crate::playback::Lane;
use crate::ui_text::group_digits;

impl App {
    /// Builds the graphics of a lane again if its element or its layout has changed.
    pub(super) fn update_lane_graphics(&mut self) {
        let Some(playback) = self.playback.as_mut().filter(|_| self.width > 0.0) else { return };
        let layout = LaneLayout::new(playback, self.width);
        let same_layout = self.layout == Some(layout);
        self.layout = Some(layout);
        let mut lanes = std::mem::take(&mut playback.lanes);
        self.lane_graphics.truncate(lanes.len());
        for (index, lane) in lanes.iter_mut().enumerate() {
            let Some(root) = dom::by_id(&format!("drawing-{index}")) else { continue };
            let belongs = |graphics: &LaneGraphics| graphics.root == root && graphics.generation == playback.generation;
            let is_current = self.lane_graphics.get(index).is_some_and(belongs);
            if is_current && same_layout {
                continue;
            }
            let graphics = LaneGraphics::new(root, playback, lane, &layout);
            match self.lane_graphics.get_mut(index) {
                Some(old) => *old = graphics,
                None => self.lane_graphics.push(graphics),
            }
        }
        playback.lanes = lanes;
    }

    /// Updates everything that has changed since the last update.
    pub(super) fn draw_changes(&mut self) {
        let busy = self.player_client.is_busy();
        if let Some(page) = dom::by_id("page") {
            dom::set_attribute(&page, "aria-busy", if busy { "true" } else { "false" });
        }
        let Some(playback) = &mut self.playback else { return };
        for (index, graphics) in self.lane_graphics.iter_mut().enumerate() {
            // Graphics of earlier lanes stay until new ones are built.
            let (now, is_current) = (playback.lane_time(index), graphics.generation == playback.generation);
            if let Some(lane) = playback.lanes.get_mut(index).filter(|_| is_current) {
                graphics.draw(lane, playback.grouped_by_node, now);
            }
        }
        let format_count = |count: usize| group_digits(i32::try_from(count).unwrap_or(i32::MAX));
        let texts = [
            format_clock(playback.now),
            format_clock(playback.end_time()),
            format_count(playback.milestone_number()),
            format_count(playback.milestone_count()),
            playback.wait_speedup.map_or_else(String::new, |speedup| format!(" · wait shortened, {speedup}× faster")),
        ];
        for (element, text) in self.bar_texts.iter_mut().zip(texts) {
            element.set_text(text);
        }
    }

    /// Sets the active term, or none. Returns whether it is another one.
    pub(super) fn set_active_term(&mut self, term: Option<(usize, usize)>) -> bool {
        let same = self.active_term == term;
        self.active_term = term;
        self.highlight_term();
        !same
    }

    /// Highlights the graphics that the active term refers to.
    pub(super) fn highlight_term(&self) {
        let Some(playback) = &self.playback else { return };
        for (index, (graphics, lane)) in self.lane_graphics.iter().zip(&playback.lanes).enumerate() {
            let term = self.active_term_in(index, lane);
            let about = str_field(field(&lane.inspection, "explanation"), "about");
            graphics.highlight(lane, term.as_ref().map_or("", |term| &term.mark), about);
        }
    }

    /// The active term of a lane.
    pub(super) fn active_term_in(&self, index: usize, lane: &Lane) -> Option<Term> {
        let (_, number) = self.active_term.filter(|(lane, _)| *lane == index)?;
        explanation_panel::nth_term(&lane.inspection, number)
    }

    /// Sets the active pod, or none.
    pub(super) fn set_active_pod(&mut self, at: Option<(usize, usize, usize)>) {
        if self.active_pod == at {
            return;
        }
        self.active_pod = at;
        self.pod_response = Value::Null;
        self.show_active_pod();
        if at.is_some() {
            self.inspect();
        }
    }

    /// Shows the history of the active pod.
    pub(super) fn show_active_pod(&self) {
        for (index, graphics) in self.lane_graphics.iter().enumerate() {
            let position = self.active_pod.filter(|(lane, ..)| *lane == index);
            let lane = self.playback.as_ref().and_then(|playback| playback.lanes.get(index));
            let pod =
                position.zip(lane).and_then(|((_, row, slot), lane)| lane.pod_at(row, slot).map(|pod| (lane, pod)));
            let history = pod.map_or_else(String::new, |(lane, pod)| {
                // The last response may be about another pod.
                let response = list_field(&self.pod_response, "pod");
                let is_same_pod = (index_at(response, 0), index_at(response, 1)) == (Some(index), Some(pod.pod));
                lane_graphics::pod_history(lane, pod, response.get(2..).filter(|_| is_same_pod).unwrap_or_default())
            });
            graphics.point_at(position.map(|(_, row, slot)| (row, slot)), &history);
        }
    }

    /// Announces the current step to screen readers.
    pub(super) fn announce_step(&self) {
        let Some(playback) = &self.playback else { return };
        let first =
            (0..playback.lanes.len()).find(|lane| playback.lockstep.lane_acts(playback.position, *lane)).unwrap_or(0);
        let lane = self.explained_step.map_or(first, |(lane, _)| lane);
        let mut announcement = format_clock(playback.now);
        if let Some(lane) = playback.lanes.get(lane).filter(|lane| !field(&lane.inspection, "explanation").is_null()) {
            announcement.push_str(&format!(
                ", {}: {}",
                lane.info.name,
                explanation_panel::sentence_text(field(&lane.inspection, "explanation"))
            ));
        }
        if let Some(live) = dom::by_id("live") {
            live.set_text_content(Some(&announcement));
        }
    }
}
