//! What is drawn beside Yew: touched only where it looks different.

use changeover_wire::{field, format_clock, index_at, list_field, str_field};
use serde_json::Value;

use super::App;
use crate::dom;
use crate::explanation_panel::{self, Term};
use crate::lane_graphics::{self, Drawing, Sizes};
use crate::playback::Lane;
use crate::ui_text as said;

impl App {
    /// Makes the drawings anew whose place is another, or whose sizes are.
    pub(super) fn place_drawings(&mut self) {
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
    pub(super) fn draw(&mut self) {
        let busy = self.asking.is_busy();
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
            format_clock(stage.now),
            format_clock(stage.end()),
            many(stage.step()),
            many(stage.steps()),
            stage.hurry.map_or_else(String::new, |hurry| format!(" · wait shortened, {hurry}× faster")),
        ];
        for (drawn, text) in self.bar.iter_mut().zip(texts) {
            drawn.write(text);
        }
    }

    /// Points at a term, or at none. Whether it is another.
    pub(super) fn light(&mut self, term: Option<(usize, usize)>) -> bool {
        let same = self.term == term;
        self.term = term;
        self.light_up();
        !same
    }

    /// Lights up what the term points at that is pointed at.
    pub(super) fn light_up(&self) {
        let Some(stage) = &self.stage else { return };
        for (index, (drawing, lane)) in self.drawings.iter().zip(&stage.lanes).enumerate() {
            let term = self.term_in(index, lane);
            let about = str_field(field(&lane.seen, "why"), "about");
            drawing.light(lane, term.as_ref().map_or("", |term| &term.mark), about);
        }
    }

    /// The term of a lane that is pointed at.
    pub(super) fn term_in(&self, index: usize, lane: &Lane) -> Option<Term> {
        let (_, number) = self.term.filter(|(of, _)| *of == index)?;
        explanation_panel::term(&lane.seen, number)
    }

    /// Points at a pod, or at none.
    pub(super) fn point(&mut self, at: Option<(usize, usize, usize)>) {
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

    pub(super) fn say_pod(&self) {
        for (index, drawing) in self.drawings.iter().enumerate() {
            let here = self.pod.filter(|(lane, ..)| *lane == index);
            let lane = self.stage.as_ref().and_then(|stage| stage.lanes.get(index));
            let pod = here.zip(lane).and_then(|((_, row, slot), lane)| lane.pod_at(row, slot).map(|pod| (lane, pod)));
            let said = pod.map_or_else(String::new, |(lane, pod)| {
                // What was heard last may be about another one.
                let named = list_field(&self.pod_named, "pod");
                let is_it = (index_at(named, 0), index_at(named, 1)) == (Some(index), Some(pod.pod));
                lane_graphics::life(lane, pod, named.get(2..).filter(|_| is_it).unwrap_or_default())
            });
            drawing.point(here.map(|(_, row, slot)| (row, slot)), &said);
        }
    }

    /// Says what a step of the user led to.
    pub(super) fn say(&self) {
        let Some(stage) = &self.stage else { return };
        let first = (0..stage.lanes.len()).find(|lane| stage.beats.acts(stage.position, *lane)).unwrap_or(0);
        let lane = self.explain.map_or(first, |(lane, _)| lane);
        let mut said = format_clock(stage.now);
        if let Some(lane) = stage.lanes.get(lane).filter(|lane| !field(&lane.seen, "why").is_null()) {
            said.push_str(&format!(", {}: {}", lane.rules.name, explanation_panel::sentence(field(&lane.seen, "why"))));
        }
        if let Some(live) = dom::by_id("live") {
            live.set_text_content(Some(&said));
        }
    }
}
