//! What is shown: the story or the inputs, and a section for each lane.

use yew::Html;

use super::App;
use crate::element::{button, el, text, words};
use crate::playback::{Lane, Stage};
use crate::{comparison, explanation_panel, lane_details, ui_text as said};

impl App {
    pub(super) fn view_story(&self) -> Vec<Html> {
        if !self.sandbox {
            let missed = self.telling.story.is_none() && self.problem.is_some();
            let forked = if self.what_if.is_some() { Some(self.what_if.view()) } else { None };
            let mut view = if missed { self.telling.missed() } else { self.telling.view(self.away, forked) };
            if let Some(problem) = &self.problem {
                view.push(words("p", &[("class", "problem"), ("role", "alert")], &problem.to_string()));
            }
            return view;
        }
        let mut title = String::from("Sandbox");
        let lanes = self.stage.as_ref().map(|stage| stage.lanes.as_slice()).unwrap_or_default();
        if let Some(told) = headline(lanes) {
            title = told;
        }
        let today = if self.form.recreates() {
            "Recreate tells all pods to stop, and as today waits until they are gone; only TerminationStarted does not wait."
        } else {
            "Pods told to stop run on for up to their grace period: status.terminatingReplicas counts them, but no decision looks at it."
        };
        let again = " The same rollout, three times: as today, and with the proposed podReplacementPolicy of KEP-5882.";
        let said = if self.what_if.is_some() { text(&self.what_if.said()) } else { text(again) };
        vec![words("h1", &[], &title), el("p", &[("class", "summary")], vec![text(today), said])]
    }

    pub(super) fn view_lane(&self, stage: &Stage, index: usize) -> Html {
        let Some(lane) = stage.lanes.get(index) else { return Html::default() };
        let number = index.to_string();
        let (id, place) = (format!("lane-{index}"), format!("drawing-{index}"));
        let repeats = stage.repeats(index);
        let says = if repeats { "the same at every step" } else { &lane.rules.says };
        let mut head = vec![text(&lane.rules.name), words("span", &[("class", "differs")], says)];
        if lane.rules.proposed {
            head.push(words("span", &[("class", "proposed")], "proposed, in no release"));
        }
        if let Some(differs) = stage.differs(index) {
            head.push(words("span", &[("class", "unlike")], &differs));
        }
        let played = self.sandbox || self.what_if.is_some();
        if if played { stage.now >= stage.end() } else { self.telling.is_last() } {
            head.push(words("span", &[("class", "brief")], &comparison::brief(&lane.totals)));
        }
        let open = self.facts.get(index).copied().unwrap_or(false);
        let facts = [
            ("title", "Conditions, annotations, and the picture as tables"),
            ("type", "button"),
            ("class", "more-facts"),
            ("data-do", &*format!("facts {index}")),
            ("aria-expanded", if open { "true" } else { "false" }),
        ];
        let mut head = vec![el("h2", &[("id", &id)], head)];
        if repeats {
            head.push(button("repeated", "link", "", text(if self.repeated { "Hide" } else { "Show" })));
        }
        head.push(words("button", &facts, "Details"));
        // The drawing is not Yew's: with a key it is never taken for another of them.
        let mut picture = vec![
            el("div", &[("class", "lane-head"), ("key", "head")], head),
            el("div", &[("id", &place), ("key", "drawing")], Vec::new()),
        ];
        if let Some(cut) = lane.cut() {
            picture.push(words("p", &[("class", "cut"), ("key", "cut")], cut));
        }
        let mut inside = vec![
            el("div", &[("class", "picture")], picture),
            explanation_panel::view(
                index,
                &lane.rules.name,
                &lane.seen,
                self.term_in(index, lane).as_ref(),
                self.sheet == Some(index),
            ),
        ];
        if open {
            inside.push(lane_details::view(stage, lane));
        }
        let class = if repeats && !self.repeated { "lane same" } else { "lane" };
        let lane = [("class", class), ("key", &*id), ("aria-labelledby", &id), ("data-lane", &number)];
        el("section", &lane, inside)
    }
}

/// What the lanes come to at worst, in one line.
fn headline(lanes: &[Lane]) -> Option<String> {
    let first = lanes.first()?;
    // A promise counts while it holds: the user may have changed it since.
    let mut worst = (first.film.points.last()?.marks, 0, "");
    let mut over = 0;
    for lane in lanes {
        for point in &lane.film.points {
            if point.over() > over {
                over = point.over();
                let name = if std::ptr::eq(lane, first) { "" } else { &*lane.rules.name };
                worst = (point.marks, point.holding(), name);
            }
        }
    }
    Some(said::headline(worst.0, worst.1, worst.2))
}
