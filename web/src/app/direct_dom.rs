//! What is drawn beside Yew: touched only where it looks different.

use changeover_wire::{field, format_clock, index_at, list_field, str_field};
use serde_json::Value;

use super::App;
use crate::dom;
use crate::explanation_panel::{self, Term};
use crate::lane_graphics::{self, LaneGraphics, LaneLayout};
use crate::playback::Lane;
use crate::ui_text as said;

impl App {
    /// Makes the drawings anew whose place is another, or whose sizes are.
    pub(super) fn update_lane_graphics(&mut self) {
        let Some(stage) = self.playback.as_mut().filter(|_| self.width > 0.0) else { return };
        let sizes = LaneLayout::new(stage, self.width);
        let same_sizes = self.layout == Some(sizes);
        self.layout = Some(sizes);
        let mut lanes = std::mem::take(&mut stage.lanes);
        self.lane_graphics.truncate(lanes.len());
        for (index, lane) in lanes.iter_mut().enumerate() {
            let Some(root) = dom::by_id(&format!("drawing-{index}")) else { continue };
            let is_this = |drawing: &LaneGraphics| drawing.root == root && drawing.generation == stage.generation;
            let there = self.lane_graphics.get(index).is_some_and(is_this);
            if there && same_sizes {
                continue;
            }
            let drawing = LaneGraphics::new(root, stage, lane, &sizes);
            match self.lane_graphics.get_mut(index) {
                Some(place) => *place = drawing,
                None => self.lane_graphics.push(drawing),
            }
        }
        stage.lanes = lanes;
    }

    /// Draws what changed since it was drawn last.
    pub(super) fn draw_changes(&mut self) {
        let busy = self.player_client.is_busy();
        if let Some(page) = dom::by_id("page") {
            dom::set_attribute(&page, "aria-busy", if busy { "true" } else { "false" });
        }
        let Some(stage) = &mut self.playback else { return };
        for (index, drawing) in self.lane_graphics.iter_mut().enumerate() {
            // A drawing of what was before stays as it is until there is another.
            let (now, here) = (stage.lane_time(index), drawing.generation == stage.generation);
            if let Some(lane) = stage.lanes.get_mut(index).filter(|_| here) {
                drawing.draw(lane, stage.grouped_by_node, now);
            }
        }
        let many = |count: usize| said::group_digits(i32::try_from(count).unwrap_or(i32::MAX));
        let texts = [
            format_clock(stage.now),
            format_clock(stage.end_time()),
            many(stage.milestone_number()),
            many(stage.milestone_count()),
            stage.wait_speedup.map_or_else(String::new, |hurry| format!(" · wait shortened, {hurry}× faster")),
        ];
        for (drawn, text) in self.bar_texts.iter_mut().zip(texts) {
            drawn.set_text(text);
        }
    }

    /// Points at a term, or at none. Whether it is another.
    pub(super) fn set_active_term(&mut self, term: Option<(usize, usize)>) -> bool {
        let same = self.active_term == term;
        self.active_term = term;
        self.highlight_term();
        !same
    }

    /// Lights up what the term points at that is pointed at.
    pub(super) fn highlight_term(&self) {
        let Some(stage) = &self.playback else { return };
        for (index, (drawing, lane)) in self.lane_graphics.iter().zip(&stage.lanes).enumerate() {
            let term = self.active_term_in(index, lane);
            let about = str_field(field(&lane.inspection, "why"), "about");
            drawing.highlight(lane, term.as_ref().map_or("", |term| &term.mark), about);
        }
    }

    /// The term of a lane that is pointed at.
    pub(super) fn active_term_in(&self, index: usize, lane: &Lane) -> Option<Term> {
        let (_, number) = self.active_term.filter(|(of, _)| *of == index)?;
        explanation_panel::nth_term(&lane.inspection, number)
    }

    /// Points at a pod, or at none.
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

    pub(super) fn show_active_pod(&self) {
        for (index, drawing) in self.lane_graphics.iter().enumerate() {
            let here = self.active_pod.filter(|(lane, ..)| *lane == index);
            let lane = self.playback.as_ref().and_then(|stage| stage.lanes.get(index));
            let pod = here.zip(lane).and_then(|((_, row, slot), lane)| lane.pod_at(row, slot).map(|pod| (lane, pod)));
            let said = pod.map_or_else(String::new, |(lane, pod)| {
                // What was heard last may be about another one.
                let named = list_field(&self.pod_response, "pod");
                let is_it = (index_at(named, 0), index_at(named, 1)) == (Some(index), Some(pod.pod));
                lane_graphics::pod_history(lane, pod, named.get(2..).filter(|_| is_it).unwrap_or_default())
            });
            drawing.point_at(here.map(|(_, row, slot)| (row, slot)), &said);
        }
    }

    /// Says what a step of the user led to.
    pub(super) fn announce_step(&self) {
        let Some(stage) = &self.playback else { return };
        let first = (0..stage.lanes.len()).find(|lane| stage.lockstep.lane_acts(stage.position, *lane)).unwrap_or(0);
        let lane = self.explained_step.map_or(first, |(lane, _)| lane);
        let mut said = format_clock(stage.now);
        if let Some(lane) = stage.lanes.get(lane).filter(|lane| !field(&lane.inspection, "why").is_null()) {
            said.push_str(&format!(
                ", {}: {}",
                lane.info.name,
                explanation_panel::sentence_text(field(&lane.inspection, "why"))
            ));
        }
        if let Some(live) = dom::by_id("live") {
            live.set_text_content(Some(&said));
        }
    }
}
