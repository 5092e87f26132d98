//! The ruler: a scale in pods with three marks, and on it one stacked bar. What sticks out beyond the limit is hatched.

use changeover_core::timeline::{Counts, Marks, PodState};
use changeover_wire::playback_track::STATES;
use web_sys::Element;

use crate::dom;
use crate::linear_scale::{Path, Scale, float, length, n, pod_ticks};
use crate::markup::{Drawn, Markup};
use crate::playback_track::{count, holding};
use crate::ui_text::{grouped, over, plural, state_name};

/// The states that hold resources, in the order of the bar's parts.
pub(crate) fn stack() -> impl Iterator<Item = PodState> {
    STATES.into_iter().take(6)
}

/// Room to the right of the scale, for the numbers.
pub(crate) const GUTTER: f64 = 80.0;

/// Below the bar the ticks with their numbers, then the counts.
const TICKS: f64 = 15.0;
const COUNTS: f64 = 17.0;
const LABEL_HEIGHT: f64 = 15.0;
const BAR_HEIGHT: f64 = 24.0;
/// About how wide a letter of a label is, and the room between two labels.
const LETTER: f64 = 6.6;
const APART: f64 = 10.0;

/// A mark with its label: where the text goes.
#[derive(Debug, PartialEq)]
struct Label {
    class: &'static str,
    value: i32,
    text: String,
    x: f64,
    /// `end`, `middle` or `start`
    anchor: &'static str,
    line: usize,
}

/// A lane's ruler in the document.
pub(crate) struct Ruler {
    element: Element,
    scale: Scale,
    marks: Option<Marks>,
    counts: Vec<Counts>,
    /// The parts of the bar and where they are; on some of them lies a hatch.
    parts: Vec<(Element, f64, f64)>,
    texts: Option<Drawn>,
}

impl Ruler {
    /// A ruler in that element.
    pub(crate) const fn new(element: Element, scale: Scale) -> Self {
        Self { element, scale, marks: None, counts: Vec::new(), parts: Vec::new(), texts: None }
    }

    /// Draws what changed.
    pub(crate) fn draw(&mut self, sets: &[Counts], marks: Marks) {
        if self.marks == Some(marks) && self.counts == sets {
            return;
        }
        let labels = labels(marks, self.scale);
        let lines = labels.iter().map(|label| label.line).max().unwrap_or(0).saturating_add(1);
        let top = length(lines) * LABEL_HEIGHT + 4.0;
        if self.marks != Some(marks) {
            self.begin(sets.len(), &labels, top);
        }
        for ((element, x, width), (from, to)) in self.parts.iter_mut().zip(parts(sets, self.scale)) {
            let new = (to - from - 1.5).max(0.0);
            if *x != from {
                dom::set(element, "x", &n(from));
                *x = from;
            }
            if *width != new {
                dom::set(element, "width", &n(new));
                *width = new;
            }
        }
        if let Some(texts) = &mut self.texts {
            texts.draw(over_and_texts(sets, marks, self.scale, top));
        }
        dom::set(&self.element, "aria-label", &summary(sets, marks));
        self.marks = Some(marks);
        self.counts = Vec::from(sets);
    }

    fn begin(&mut self, sets: usize, labels: &[Label], top: f64) {
        let bottom = top + BAR_HEIGHT;
        dom::set(&self.element, "width", &n(self.scale.width + GUTTER));
        dom::set(&self.element, "height", &n(bottom + TICKS + COUNTS + 5.0));
        let sizes = [("y", top), ("height", BAR_HEIGHT)];
        let mut markup = Markup::default();
        markup.group("parts");
        for state in stack() {
            for set in 0..sets {
                markup.begin("rect", &part_class(state, set)).at(&sizes).end("rect", "");
                if state == PodState::Terminating {
                    markup.begin("rect", "part hatch").at(&sizes).end("rect", "");
                }
            }
        }
        markup.close("g");
        ticks(&mut markup, self.scale, bottom);
        for label in labels {
            view_label(&mut markup, label, self.scale, bottom);
        }
        markup.whole("g", "texts", "");
        self.element.set_inner_html(&markup.0);
        self.parts = dom::children(&self.element, "g.parts").into_iter().map(|part| (part, -1.0, -1.0)).collect();
        self.texts = dom::find(&self.element, "g.texts").map(Drawn::new);
    }
}

fn part_class(state: PodState, set: usize) -> String {
    let mut class = String::from("part ");
    class.push_str(state_name(state));
    class.push_str(hue_class(set));
    class
}

/// The class of a ReplicaSet's colour, with a space before it.
pub(crate) fn hue_class(set: usize) -> &'static str {
    match set.checked_rem(4) {
        Some(1) => " r1",
        Some(2) => " r2",
        Some(3) => " r3",
        _ => " r0",
    }
}

/// Where each part of the bar begins and ends; one that is hatched has two.
fn parts(sets: &[Counts], scale: Scale) -> Vec<(f64, f64)> {
    let mut parts = Vec::new();
    let mut sum = 0_i32;
    for state in stack() {
        for counts in sets {
            let from = scale.px(f64::from(sum));
            sum = sum.saturating_add(count(counts, state));
            let part = (from, scale.px(f64::from(sum)));
            parts.push(part);
            if state == PodState::Terminating {
                parts.push(part);
            }
        }
    }
    parts
}

/// All pods in a state.
fn total(sets: &[Counts], state: PodState) -> i32 {
    sets.iter().fold(0, |sum, counts| sum.saturating_add(count(counts, state)))
}

/// How many pods are above the limit.
fn beyond(sets: &[Counts], marks: Marks) -> i32 {
    holding(sets).saturating_sub(marks.limit).max(0)
}

/// The ruler in words.
pub(crate) fn summary(sets: &[Counts], marks: Marks) -> String {
    let mut text = plural(holding(sets), "pod");
    for state in stack() {
        let count = total(sets, state);
        if count > 0 {
            text.push_str(&format!(", {count} {}", state_name(state)));
        }
    }
    text.push_str(&format!(
        "; minimum available {}, desired {}, limit {}",
        marks.min_available, marks.desired, marks.limit
    ));
    if beyond(sets, marks) > 0 {
        text.push_str(&format!(": {} the limit", over(beyond(sets, marks))));
    }
    text
}

/// What sticks out, the whole bar's outline, and the numbers: below the bar each under its part, as far as there is room.
fn over_and_texts(sets: &[Counts], marks: Marks, scale: Scale, top: f64) -> Markup {
    let mut markup = Markup::default();
    let all = scale.px(f64::from(holding(sets)));
    let limit = scale.px(f64::from(marks.limit));
    let beyond = beyond(sets, marks);
    let text_at = top + 17.0;
    if beyond > 0 {
        for class in ["cover", "beyond"] {
            let sizes = [("x", limit), ("y", top), ("width", all - limit), ("height", BAR_HEIGHT)];
            markup.begin("rect", class).at(&sizes).end("rect", "");
        }
        markup.words("over-text", [all + 8.0, text_at], "", &over(beyond));
    } else {
        markup.words("total-text", [all.max(limit) + 8.0, text_at], "", &plural(holding(sets), "pod"));
    }
    let outline = [("x", 0.0), ("y", top - 2.0), ("width", all), ("height", BAR_HEIGHT + 4.0), ("rx", 2.0)];
    markup.begin("rect", "whole").at(&outline).end("rect", "");
    markup.group("counts");
    let baseline = top + BAR_HEIGHT + TICKS + COUNTS;
    let text_of = |state| match total(sets, state) {
        0 => String::new(),
        count => grouped(count) + " " + state_name(state),
    };
    // Each leaves room for those after it.
    let mut rest: f64 = stack().map(|state| wide(&text_of(state))).sum();
    let (mut sum, mut free) = (0_i32, 0.0_f64);
    for state in stack() {
        let text = text_of(state);
        if !text.is_empty() {
            let x = scale.px(f64::from(sum)).min(scale.width + GUTTER + APART - rest).max(free);
            free = x + wide(&text);
            rest -= wide(&text);
            markup.words(state_name(state), [x, baseline], "", &text);
        }
        sum = sum.saturating_add(total(sets, state));
    }
    markup.close("g");
    markup
}

/// About how wide a text is, with the room after it; none is none.
fn wide(text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { length(text.chars().count()) * LETTER + APART }
}

/// The scale's marks; the long ones have their numbers, and all where there are few, as far as there is room.
fn ticks(markup: &mut Markup, scale: Scale, bottom: f64) {
    let mut path = Path::default();
    path.to('M', &[0.0, bottom + 0.5]);
    path.to('H', &[scale.width]);
    let mut free = 0.0_f64;
    markup.group("ticks");
    let all = pod_ticks(scale, 6.0);
    let few = all.len() < 12;
    for (pods, long) in all {
        let x = scale.px(float(pods));
        path.to('M', &[x, bottom + 0.5]);
        path.to('v', &[if long { 6.0 } else { 3.0 }]);
        let text = grouped(i32::try_from(pods).unwrap_or(0));
        if (long || few) && x >= free {
            free = x + wide(&text);
            markup.words("", [x, bottom + TICKS + 1.0], if pods == 0 { "start" } else { "middle" }, &text);
        }
    }
    markup.path("", &path.done());
    markup.close("g");
}

/// The labels of the marks. Left of the desired number, the minimum's text ends at its mark; right of it, the limit's
/// begins there. Where they would touch, one goes a line higher.
fn labels(marks: Marks, scale: Scale) -> Vec<Label> {
    let min = if scale.width > 420.0 { "min available" } else { "min" };
    let mut wanted = vec![("mark minimum", min, marks.min_available, "end")];
    if marks.desired == marks.limit {
        wanted.push(("mark desired limit", "desired = limit", marks.limit, "start"));
    } else {
        wanted.push(("mark desired", "desired", marks.desired, "middle"));
        wanted.push(("mark limit", "limit", marks.limit, "start"));
    }
    let mut ends: Vec<f64> = Vec::new();
    let mut labels = Vec::new();
    for (class, word, value, anchor) in wanted {
        let text = format!("{word} {}", grouped(value));
        let size = wide(&text) - APART;
        let at = scale.px(f64::from(value));
        let from = match anchor {
            "end" => at - size,
            "middle" => at - size / 2.0,
            _ => at,
        };
        // Nothing begins left of the picture, or ends right of it.
        let shift = (-from).max(0.0) + (scale.width + GUTTER - from - size).min(0.0);
        let from = from + shift;
        let line = ends.iter().position(|end| *end + 8.0 <= from).unwrap_or(ends.len());
        match ends.get_mut(line) {
            Some(end) => *end = from + size,
            None => ends.push(from + size),
        }
        labels.push(Label { class, value, text, x: at + shift, anchor, line });
    }
    // The lowest line is the first one.
    let last = ends.len().saturating_sub(1);
    for label in &mut labels {
        label.line = last.saturating_sub(label.line);
    }
    labels
}

fn view_label(markup: &mut Markup, label: &Label, scale: Scale, bottom: f64) {
    let x = scale.px(f64::from(label.value));
    let baseline = length(label.line) * LABEL_HEIGHT + 11.0;
    markup.group(label.class);
    markup.begin("line", "").at(&[("x1", x), ("x2", x), ("y1", baseline + 4.0), ("y2", bottom + 3.0)]).end("line", "");
    markup.words("", [label.x, baseline], label.anchor, &label.text);
    markup.close("g");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> [Counts; 2] {
        let old = Counts { available: 8, terminating: 3, ..Counts::default() };
        let new = Counts { starting: 5, ..Counts::default() };
        [old, new]
    }

    const MARKS: Marks = Marks { desired: 10, limit: 13, min_available: 8 };

    #[test]
    fn the_parts_lie_end_to_end_and_the_terminating_ones_last() {
        let scale = Scale { most: 16.0, width: 160.0 };
        let mut seen: Vec<_> = parts(&sets(), scale).into_iter().filter(|(from, to)| to > from).collect();
        seen.dedup();
        assert_eq!(seen, [(0.0, 80.0), (80.0, 130.0), (130.0, 160.0)]);
    }

    #[test]
    fn the_summary_says_what_is_over() {
        assert_eq!(
            summary(&sets(), MARKS),
            "16 pods, 8 available, 5 starting, 3 terminating; minimum available 8, desired 10, limit 13: 3 over the limit"
        );
    }

    #[test]
    fn labels_share_a_line_where_they_fit_and_never_touch() {
        let marks = Marks { desired: 10, limit: 13, min_available: 8 };
        let wide = labels(marks, Scale { most: 16.0, width: 800.0 });
        assert!(wide.iter().all(|label| label.line == 0));
        assert_eq!(wide[0].text, "min available 8");
        // Where desired is the limit, one label says so.
        let marks = Marks { desired: 10, limit: 10, min_available: 10 };
        let both = labels(marks, Scale { most: 16.0, width: 800.0 });
        assert_eq!(
            both.iter().map(|label| &*label.text).collect::<Vec<_>>(),
            ["min available 10", "desired = limit 10"]
        );
        // Nearly at one place: more lines.
        let marks = Marks { desired: 100, limit: 101, min_available: 99 };
        let narrow = labels(marks, Scale { most: 101.0, width: 250.0 });
        let mut lines: Vec<_> = narrow.iter().map(|label| label.line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert!(lines.len() >= 2);
        // Nothing begins left of the picture.
        let zero = labels(Marks { desired: 0, limit: 0, min_available: 0 }, Scale { most: 10.0, width: 250.0 });
        assert!(zero[0].x >= length(zero[0].text.chars().count()) * LETTER);
    }
}
