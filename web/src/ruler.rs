//! The ruler of a lane: all its pods as one stacked bar on a scale in pods, with marks for desired, limit and minimum available.
//! What is over the limit is hatched.

use changeover_core::timeline::{Counts, Marks, PodState};
use changeover_wire::playback_track::STATES;
use web_sys::Element;

use crate::dom;
use crate::linear_scale::{LinearScale, SvgPath, count_to_f64, format_px, pod_ticks, to_f64};
use crate::markup::{CachedElement, Markup};
use crate::playback_track::{holding, pods_in_state};
use crate::ui_text::{group_digits, over_limit, plural, state_name};

/// The states of pods that use resources, in the order of the parts of the bar.
pub(crate) fn stacked_states() -> impl Iterator<Item = PodState> {
    STATES.into_iter().take(6)
}

/// The width to the right of the scale, for the numbers.
pub(crate) const GUTTER: f64 = 80.0;

/// The heights below the bar: of the ticks with their numbers, then of the counts.
const TICKS_HEIGHT: f64 = 15.0;
const COUNTS_HEIGHT: f64 = 17.0;
const LABEL_HEIGHT: f64 = 15.0;
const BAR_HEIGHT: f64 = 24.0;
/// The approximate width of a letter in a label, and the distance between two labels.
const LETTER_WIDTH: f64 = 6.6;
const LABEL_SPACING: f64 = 10.0;

/// The label of a mark, and its position.
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

/// The ruler of a lane in the document.
pub(crate) struct Ruler {
    element: Element,
    scale: LinearScale,
    marks: Option<Marks>,
    counts: Vec<Counts>,
    /// The parts of the bar with their x and width. A hatched part has two elements.
    parts: Vec<(Element, f64, f64)>,
    texts: Option<CachedElement>,
}

impl Ruler {
    /// A ruler in an element.
    pub(crate) const fn new(element: Element, scale: LinearScale) -> Self {
        Self { element, scale, marks: None, counts: Vec::new(), parts: Vec::new(), texts: None }
    }

    /// Updates what has changed.
    pub(crate) fn draw(&mut self, replica_sets: &[Counts], marks: Marks) {
        if self.marks == Some(marks) && self.counts == replica_sets {
            return;
        }
        let labels = labels(marks, self.scale);
        let lines = labels.iter().map(|label| label.line).max().unwrap_or(0).saturating_add(1);
        let top = count_to_f64(lines) * LABEL_HEIGHT + 4.0;
        if self.marks != Some(marks) {
            self.rebuild(replica_sets.len(), &labels, top);
        }
        for ((element, x, width), (from, to)) in self.parts.iter_mut().zip(part_spans(replica_sets, self.scale)) {
            let new = (to - from - 1.5).max(0.0);
            if *x != from {
                dom::set_attribute(element, "x", &format_px(from));
                *x = from;
            }
            if *width != new {
                dom::set_attribute(element, "width", &format_px(new));
                *width = new;
            }
        }
        if let Some(texts) = &mut self.texts {
            texts.set_markup(overflow_and_texts(replica_sets, marks, self.scale, top));
        }
        dom::set_attribute(&self.element, "aria-label", &summary(replica_sets, marks));
        self.marks = Some(marks);
        self.counts = Vec::from(replica_sets);
    }

    fn rebuild(&mut self, replica_sets: usize, labels: &[Label], top: f64) {
        let bottom = top + BAR_HEIGHT;
        dom::set_attribute(&self.element, "width", &format_px(self.scale.width + GUTTER));
        dom::set_attribute(&self.element, "height", &format_px(bottom + TICKS_HEIGHT + COUNTS_HEIGHT + 5.0));
        let sizes = [("y", top), ("height", BAR_HEIGHT)];
        let mut markup = Markup::default();
        markup.open_group("parts");
        for state in stacked_states() {
            for replica_set in 0..replica_sets {
                markup.open("rect", &part_class(state, replica_set)).lengths(&sizes).text_and_close("rect", "");
                if state == PodState::Terminating {
                    markup.open("rect", "part hatch").lengths(&sizes).text_and_close("rect", "");
                }
            }
        }
        markup.close("g");
        push_ticks(&mut markup, self.scale, bottom);
        for label in labels {
            push_label(&mut markup, label, self.scale, bottom);
        }
        markup.text_element("g", "texts", "");
        self.element.set_inner_html(&markup.0);
        self.parts = dom::query_children(&self.element, "g.parts").into_iter().map(|part| (part, -1.0, -1.0)).collect();
        self.texts = dom::query(&self.element, "g.texts").map(CachedElement::new);
    }
}

fn part_class(state: PodState, replica_set: usize) -> String {
    let mut class = String::from("part ");
    class.push_str(state_name(state));
    class.push_str(hue_class(replica_set));
    class
}

/// The class of a ReplicaSet's color, with a space before it.
pub(crate) fn hue_class(replica_set: usize) -> &'static str {
    match replica_set.checked_rem(4) {
        Some(1) => " r1",
        Some(2) => " r2",
        Some(3) => " r3",
        _ => " r0",
    }
}

/// Where each part of the bar begins and ends. A hatched part is in the list twice.
fn part_spans(replica_sets: &[Counts], scale: LinearScale) -> Vec<(f64, f64)> {
    let mut parts = Vec::new();
    let mut sum = 0_i32;
    for state in stacked_states() {
        for counts in replica_sets {
            let from = scale.to_px(f64::from(sum));
            sum = sum.saturating_add(pods_in_state(counts, state));
            let part = (from, scale.to_px(f64::from(sum)));
            parts.push(part);
            if state == PodState::Terminating {
                parts.push(part);
            }
        }
    }
    parts
}

/// The number of pods in a state.
fn total_in_state(replica_sets: &[Counts], state: PodState) -> i32 {
    replica_sets.iter().fold(0, |sum, counts| sum.saturating_add(pods_in_state(counts, state)))
}

/// The number of pods over the limit.
fn pods_over_limit(replica_sets: &[Counts], marks: Marks) -> i32 {
    holding(replica_sets).saturating_sub(marks.limit).max(0)
}

/// The ruler as a text, for screen readers.
pub(crate) fn summary(replica_sets: &[Counts], marks: Marks) -> String {
    let mut text = plural(holding(replica_sets), "pod");
    for state in stacked_states() {
        let count = total_in_state(replica_sets, state);
        if count > 0 {
            text.push_str(&format!(", {count} {}", state_name(state)));
        }
    }
    text.push_str(&format!(
        "; minimum available {}, desired {}, limit {}",
        marks.min_available, marks.desired, marks.limit
    ));
    if pods_over_limit(replica_sets, marks) > 0 {
        text.push_str(&format!(": {} the limit", over_limit(pods_over_limit(replica_sets, marks))));
    }
    text
}

/// The pods over the limit, the outline of the bar, and the counts, each below its part if there is enough room.
fn overflow_and_texts(replica_sets: &[Counts], marks: Marks, scale: LinearScale, top: f64) -> Markup {
    let mut markup = Markup::default();
    let all = scale.to_px(f64::from(holding(replica_sets)));
    let limit = scale.to_px(f64::from(marks.limit));
    let over = pods_over_limit(replica_sets, marks);
    let text_at = top + 17.0;
    if over > 0 {
        for class in ["cover", "beyond"] {
            let sizes = [("x", limit), ("y", top), ("width", all - limit), ("height", BAR_HEIGHT)];
            markup.open("rect", class).lengths(&sizes).text_and_close("rect", "");
        }
        markup.svg_text("over-text", [all + 8.0, text_at], "", &over_limit(over));
    } else {
        markup.svg_text("total-text", [all.max(limit) + 8.0, text_at], "", &plural(holding(replica_sets), "pod"));
    }
    let outline = [("x", 0.0), ("y", top - 2.0), ("width", all), ("height", BAR_HEIGHT + 4.0), ("rx", 2.0)];
    markup.open("rect", "whole").lengths(&outline).text_and_close("rect", "");
    markup.open_group("counts");
    let baseline = top + BAR_HEIGHT + TICKS_HEIGHT + COUNTS_HEIGHT;
    let text_of = |state| match total_in_state(replica_sets, state) {
        0 => String::new(),
        count => group_digits(count) + " " + state_name(state),
    };
    // Each count leaves enough room for the counts after it.
    let mut remaining: f64 = stacked_states().map(|state| text_width(&text_of(state))).sum();
    let (mut sum, mut free_x) = (0_i32, 0.0_f64);
    for state in stacked_states() {
        let text = text_of(state);
        if !text.is_empty() {
            let x = scale.to_px(f64::from(sum)).min(scale.width + GUTTER + LABEL_SPACING - remaining).max(free_x);
            free_x = x + text_width(&text);
            remaining -= text_width(&text);
            markup.svg_text(state_name(state), [x, baseline], "", &text);
        }
        sum = sum.saturating_add(total_in_state(replica_sets, state));
    }
    markup.close("g");
    markup
}

/// The approximate width of a text and the space after it; 0 for an empty text.
fn text_width(text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { count_to_f64(text.chars().count()) * LETTER_WIDTH + LABEL_SPACING }
}

/// The ticks of the scale. Long ticks have numbers, or all if they are few, if there is enough room.
fn push_ticks(markup: &mut Markup, scale: LinearScale, bottom: f64) {
    let mut path = SvgPath::default();
    path.push('M', &[0.0, bottom + 0.5]);
    path.push('H', &[scale.width]);
    let mut free_x = 0.0_f64;
    markup.open_group("ticks");
    let all = pod_ticks(scale, 6.0);
    let few = all.len() < 12;
    for (pods, long) in all {
        let x = scale.to_px(to_f64(pods));
        path.push('M', &[x, bottom + 0.5]);
        path.push('v', &[if long { 6.0 } else { 3.0 }]);
        let text = group_digits(i32::try_from(pods).unwrap_or(0));
        if (long || few) && x >= free_x {
            free_x = x + text_width(&text);
            markup.svg_text("", [x, bottom + TICKS_HEIGHT + 1.0], if pods == 0 { "start" } else { "middle" }, &text);
        }
    }
    markup.path("", &path.finish());
    markup.close("g");
}

/// The labels of the marks. The label of the minimum ends at its mark, that of the limit begins there. Labels that would touch
/// get different lines.
fn labels(marks: Marks, scale: LinearScale) -> Vec<Label> {
    let min = if scale.width > 420.0 { "min available" } else { "min" };
    let mut mark_labels = vec![("mark minimum", min, marks.min_available, "end")];
    if marks.desired == marks.limit {
        mark_labels.push(("mark desired limit", "desired = limit", marks.limit, "start"));
    } else {
        mark_labels.push(("mark desired", "desired", marks.desired, "middle"));
        mark_labels.push(("mark limit", "limit", marks.limit, "start"));
    }
    let mut ends: Vec<f64> = Vec::new();
    let mut labels = Vec::new();
    for (class, name, value, anchor) in mark_labels {
        let text = format!("{name} {}", group_digits(value));
        let size = text_width(&text) - LABEL_SPACING;
        let at = scale.to_px(f64::from(value));
        let from = match anchor {
            "end" => at - size,
            "middle" => at - size / 2.0,
            _ => at,
        };
        // No label begins left of the ruler or ends right of it.
        let shift = (-from).max(0.0) + (scale.width + GUTTER - from - size).min(0.0);
        let from = from + shift;
        let line = ends.iter().position(|end| *end + 8.0 <= from).unwrap_or(ends.len());
        match ends.get_mut(line) {
            Some(end) => *end = from + size,
            None => ends.push(from + size),
        }
        labels.push(Label { class, value, text, x: at + shift, anchor, line });
    }
    // Count lines from the top.
    let last = ends.len().saturating_sub(1);
    for label in &mut labels {
        label.line = last.saturating_sub(label.line);
    }
    labels
}

fn push_label(markup: &mut Markup, label: &Label, scale: LinearScale, bottom: f64) {
    let x = scale.to_px(f64::from(label.value));
    let baseline = count_to_f64(label.line) * LABEL_HEIGHT + 11.0;
    markup.open_group(label.class);
    markup
        .open("line", "")
        .lengths(&[("x1", x), ("x2", x), ("y1", baseline + 4.0), ("y2", bottom + 3.0)])
        .text_and_close("line", "");
    markup.svg_text("", [label.x, baseline], label.anchor, &label.text);
    markup.close("g");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replica_sets() -> [Counts; 2] {
        let old = Counts { available: 8, terminating: 3, ..Counts::default() };
        let new = Counts { starting: 5, ..Counts::default() };
        [old, new]
    }

    const MARKS: Marks = Marks { desired: 10, limit: 13, min_available: 8 };

    #[test]
    fn the_parts_lie_end_to_end_and_the_terminating_ones_last() {
        let scale = LinearScale { max: 16.0, width: 160.0 };
        let mut seen: Vec<_> = part_spans(&replica_sets(), scale).into_iter().filter(|(from, to)| to > from).collect();
        seen.dedup();
        assert_eq!(seen, [(0.0, 80.0), (80.0, 130.0), (130.0, 160.0)]);
    }

    #[test]
    fn the_summary_says_what_is_over() {
        assert_eq!(
            summary(&replica_sets(), MARKS),
            "16 pods, 8 available, 5 starting, 3 terminating; minimum available 8, desired 10, limit 13: 3 over the limit"
        );
    }

    #[test]
    fn labels_share_a_line_where_they_fit_and_never_touch() {
        let marks = Marks { desired: 10, limit: 13, min_available: 8 };
        let wide = labels(marks, LinearScale { max: 16.0, width: 800.0 });
        assert!(wide.iter().all(|label| label.line == 0));
        assert_eq!(wide[0].text, "min available 8");
        // If desired equals the limit, they share a label.
        let marks = Marks { desired: 10, limit: 10, min_available: 10 };
        let both = labels(marks, LinearScale { max: 16.0, width: 800.0 });
        assert_eq!(
            both.iter().map(|label| &*label.text).collect::<Vec<_>>(),
            ["min available 10", "desired = limit 10"]
        );
        // Marks that are close together need more lines.
        let marks = Marks { desired: 100, limit: 101, min_available: 99 };
        let narrow = labels(marks, LinearScale { max: 101.0, width: 250.0 });
        let mut lines: Vec<_> = narrow.iter().map(|label| label.line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert!(lines.len() >= 2);
        // No label begins left of the ruler.
        let zero = labels(Marks { desired: 0, limit: 0, min_available: 0 }, LinearScale { max: 10.0, width: 250.0 });
        assert!(zero[0].x >= count_to_f64(zero[0].text.chars().count()) * LETTER_WIDTH);
    }
}
