//! What is shown: the story or the inputs, and a section for each lane.

use yew::Html;

use super::App;
use crate::element::{button, element, text_element, text_node};
use crate::playback::{Lane, Playback};
use crate::{comparison, explanation_panel, lane_details, ui_text as said};

impl App {
    pub(super) fn view_story(&self) -> Vec<Html> {
        if !self.sandbox {
            let missed = self.story_session.story.is_none() && self.problem.is_some();
            let forked = if self.what_if.has_forks() { Some(self.what_if.view()) } else { None };
            let mut view = if missed {
                self.story_session.view_not_found()
            } else {
                self.story_session.view(self.left_caption_time, forked)
            };
            if let Some(problem) = &self.problem {
                view.push(text_element("p", &[("class", "problem"), ("role", "alert")], &problem.to_string()));
            }
            return view;
        }
        let mut title = String::from("Sandbox");
        let lanes = self.playback.as_ref().map(|stage| stage.lanes.as_slice()).unwrap_or_default();
        if let Some(told) = headline(lanes) {
            title = told;
        }
        let today = if self.form.is_recreate() {
            "Recreate tells all pods to stop, and as today waits until they are gone; only TerminationStarted does not wait."
        } else {
            "Pods told to stop run on for up to their grace period: status.terminatingReplicas counts them, but no decision looks at it."
        };
        let again = " The same rollout, three times: as today, and with the proposed podReplacementPolicy of KEP-5882.";
        let said = if self.what_if.has_forks() { text_node(&self.what_if.summary()) } else { text_node(again) };
        vec![text_element("h1", &[], &title), element("p", &[("class", "summary")], vec![text_node(today), said])]
    }

    pub(super) fn view_lane(&self, stage: &Playback, index: usize) -> Html {
        let Some(lane) = stage.lanes.get(index) else { return Html::default() };
        let number = index.to_string();
        let (id, place) = (format!("lane-{index}"), format!("drawing-{index}"));
        let repeats = stage.repeats_lane_above(index);
        let says = if repeats { "the same at every step" } else { &lane.info.difference };
        let mut head = vec![text_node(&lane.info.name), text_element("span", &[("class", "differs")], says)];
        if lane.info.proposed {
            head.push(text_element("span", &[("class", "proposed")], "proposed, in no release"));
        }
        if let Some(differs) = stage.difference_from_first(index) {
            head.push(text_element("span", &[("class", "unlike")], &differs));
        }
        let played = self.sandbox || self.what_if.has_forks();
        if if played { stage.now >= stage.end_time() } else { self.story_session.is_last_caption() } {
            head.push(text_element("span", &[("class", "brief")], &comparison::summary(&lane.totals)));
        }
        let open = self.details_open.get(index).copied().unwrap_or(false);
        let facts = [
            ("title", "Conditions, annotations, and the picture as tables"),
            ("type", "button"),
            ("class", "more-facts"),
            ("data-do", &*format!("facts {index}")),
            ("aria-expanded", if open { "true" } else { "false" }),
        ];
        let mut head = vec![element("h2", &[("id", &id)], head)];
        if repeats {
            head.push(button("repeated", "link", "", text_node(if self.show_repeated { "Hide" } else { "Show" })));
        }
        head.push(text_element("button", &facts, "Details"));
        // The drawing is not Yew's: with a key it is never taken for another of them.
        let mut picture = vec![
            element("div", &[("class", "lane-head"), ("key", "head")], head),
            element("div", &[("id", &place), ("key", "drawing")], Vec::new()),
        ];
        if let Some(cut) = lane.cut_reason() {
            picture.push(text_element("p", &[("class", "cut"), ("key", "cut")], cut));
        }
        let mut inside = vec![
            element("div", &[("class", "picture")], picture),
            explanation_panel::view(
                index,
                &lane.info.name,
                &lane.inspection,
                self.active_term_in(index, lane).as_ref(),
                self.sheet_lane == Some(index),
            ),
        ];
        if open {
            inside.push(lane_details::view(stage, lane));
        }
        let class = if repeats && !self.show_repeated { "lane same" } else { "lane" };
        let lane = [("class", class), ("key", &*id), ("aria-labelledby", &id), ("data-lane", &number)];
        element("section", &lane, inside)
    }
}

/// What the lanes come to at worst, in one line.
fn headline(lanes: &[Lane]) -> Option<String> {
    let first = lanes.first()?;
    // A promise counts while it holds: the user may have changed it since.
    let mut worst = (first.track.points.last()?.marks, 0, "");
    let mut over = 0;
    for lane in lanes {
        for point in &lane.track.points {
            if point.over() > over {
                over = point.over();
                let name = if std::ptr::eq(lane, first) { "" } else { &*lane.info.name };
                worst = (point.marks, point.holding(), name);
            }
        }
    }
    Some(said::headline(worst.0, worst.1, worst.2))
}
