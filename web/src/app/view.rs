//! Renders the page with Yew: the story or the sandbox, and a section for each lane.

use yew::Html;

use super::App;
use crate::element::{button, element, text_element, text_node};
use crate::playback::{Lane, Playback};
use crate::{comparison, explanation_panel, lane_details, ui_text};

impl App {
    /// The head of the page: the story, or the headline of the sandbox.
    pub(super) fn view_story(&self) -> Vec<Html> {
        if !self.sandbox {
            let not_found = self.story_session.story.is_none() && self.problem.is_some();
            let forked = if self.what_if.has_forks() { Some(self.what_if.view()) } else { None };
            let mut view = if not_found {
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
        let lanes = self.playback.as_ref().map(|playback| playback.lanes.as_slice()).unwrap_or_default();
        if let Some(headline) = headline(lanes) {
            title = headline;
        }
        let behavior = if self.form.is_recreate() {
            "Recreate tells all pods to stop, and as today waits until they are gone; only TerminationStarted does not wait."
        } else {
            "Pods told to stop run on for up to their grace period: status.terminatingReplicas counts them, but no decision looks at it."
        };
        let proposal =
            " The same rollout, three times: as today, and with the proposed podReplacementPolicy of KEP-5882.";
        let second = if self.what_if.has_forks() { text_node(&self.what_if.summary()) } else { text_node(proposal) };
        vec![text_element("h1", &[], &title), element("p", &[("class", "summary")], vec![text_node(behavior), second])]
    }

    /// The section of a lane.
    pub(super) fn view_lane(&self, playback: &Playback, index: usize) -> Html {
        let Some(lane) = playback.lanes.get(index) else { return Html::default() };
        let number = index.to_string();
        let (id, graphics_id) = (format!("lane-{index}"), format!("drawing-{index}"));
        let repeats = playback.repeats_lane_above(index);
        let difference = if repeats { "the same at every step" } else { &lane.info.difference };
        let mut head = vec![text_node(&lane.info.name), text_element("span", &[("class", "differs")], difference)];
        if lane.info.proposed {
            head.push(text_element("span", &[("class", "proposed")], "proposed, in no release"));
        }
        if let Some(difference_now) = playback.difference_from_first(index) {
            head.push(text_element("span", &[("class", "unlike")], &difference_now));
        }
        let by_time = self.sandbox || self.what_if.has_forks();
        if if by_time { playback.now >= playback.end_time() } else { self.story_session.is_last_caption() } {
            head.push(text_element("span", &[("class", "brief")], &comparison::summary(&lane.totals)));
        }
        let open = self.details_open.get(index).copied().unwrap_or(false);
        let details_button = [
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
        head.push(text_element("button", &details_button, "Details"));
        // Yew does not manage the graphics. With a key it never takes their element for another one.
        let mut picture = vec![
            element("div", &[("class", "lane-head"), ("key", "head")], head),
            element("div", &[("id", &graphics_id), ("key", "drawing")], Vec::new()),
        ];
        if let Some(cut_reason) = lane.cut_reason() {
            picture.push(text_element("p", &[("class", "cut"), ("key", "cut")], cut_reason));
        }
        let mut children = vec![
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
            children.push(lane_details::view(playback, lane));
        }
        let class = if repeats && !self.show_repeated { "lane same" } else { "lane" };
        let lane = [("class", class), ("key", &*id), ("aria-labelledby", &id), ("data-lane", &number)];
        element("section", &lane, children)
    }
}

/// The headline with the highest peak of all lanes.
fn headline(lanes: &[Lane]) -> Option<String> {
    let first = lanes.first()?;
    // The user may have changed the limit, so take the one at the time of the peak.
    let mut peak = (first.track.points.last()?.marks, 0, "");
    let mut over = 0;
    for lane in lanes {
        for point in &lane.track.points {
            if point.over() > over {
                over = point.over();
                let name = if std::ptr::eq(lane, first) { "" } else { &*lane.info.name };
                peak = (point.marks, point.holding(), name);
            }
        }
    }
    Some(ui_text::headline(peak.0, peak.1, peak.2))
}
