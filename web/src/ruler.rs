//! The ruler: a scale in pods with three marks, and on it one stacked bar. What sticks out beyond the limit is hatched.

use changeover_core::reason::Mark;
use changeover_core::timeline::{Marks, PodState};
use yew::prelude::*;

use crate::picture::{Picture, count};
use crate::scale::{Scale, float, length, n, pod_ticks};
use crate::words::{over, plural, state_name};

/// The order of the bar's parts.
pub(crate) const STACK: [PodState; 6] = [
    PodState::Available,
    PodState::Ready,
    PodState::Starting,
    PodState::Pending,
    PodState::Unknown,
    PodState::Terminating,
];

/// Room to the right of the scale, for the numbers.
pub(crate) const GUTTER: f64 = 80.0;

const LABEL_HEIGHT: f64 = 15.0;
const BAR_HEIGHT: f64 = 24.0;
/// About how wide a letter of a label is.
const LETTER: f64 = 6.6;

/// One part of the bar.
#[derive(Debug, PartialEq)]
struct Part {
    state: PodState,
    hue: usize,
    from: f64,
    to: f64,
}

/// A mark with its label: where the text goes.
#[derive(Debug, PartialEq)]
struct Label {
    mark: Mark,
    text: String,
    x: f64,
    /// `end`, `middle` or `start`
    anchor: &'static str,
    line: usize,
}

/// Draws the ruler.
pub(crate) fn view(picture: &Picture, scale: Scale, lit: Option<Mark>) -> Html {
    let labels = labels(picture.marks, scale);
    let lines = labels.iter().map(|label| label.line).max().unwrap_or(0).saturating_add(1);
    let top = length(lines) * LABEL_HEIGHT + 4.0;
    let bottom = top + BAR_HEIGHT;
    let height = bottom + 22.0;
    let width = scale.width + GUTTER;
    let holding = scale.px(f64::from(picture.holding()));
    let over_count = picture.over();
    let limit = scale.px(f64::from(picture.marks.limit));
    let parts = parts(picture, scale);
    html! {
        <svg class={classes!("ruler", lit.map(lit_class))} width={n(width)} height={n(height)}
            viewBox={format!("0 0 {} {}", n(width), n(height))} role="img" aria-label={summary(picture)}>
            <g class="parts">{for parts.iter().map(|part| view_part(part, top))}</g>
            if over_count > 0 {
                <g class="over-part">
                    <rect class="cover" x={n(limit)} y={n(top)} width={n(holding - limit)} height={n(BAR_HEIGHT)} />
                    <rect fill="url(#over)" x={n(limit)} y={n(top)} width={n(holding - limit)} height={n(BAR_HEIGHT)} />
                </g>
            }
            <rect class="whole" x="0" y={n(top - 2.0)} width={n(holding)} height={n(BAR_HEIGHT + 4.0)} rx="2" />
            {view_scale(scale, bottom)}
            {for labels.iter().map(|label| view_label(label, picture.marks, scale, bottom))}
            if over_count > 0 {
                <text class="over-text" x={n(holding + 8.0)} y={n(top + 17.0)}>{over(over_count)}</text>
            } else {
                <text class="total-text" x={n(holding.max(limit) + 8.0)} y={n(top + 17.0)}>{plural(picture.holding(), "pod")}</text>
            }
            {view_counts(picture, scale, bottom + 17.0)}
        </svg>
    }
}

/// The ruler in words.
pub(crate) fn summary(picture: &Picture) -> String {
    let marks = picture.marks;
    let mut text = plural(picture.holding(), "pod");
    for state in STACK {
        let count = picture.total(state);
        if count > 0 {
            text.push_str(&format!(", {count} {}", state_name(state)));
        }
    }
    text.push_str(&format!(
        "; minimum available {}, desired {}, limit {}",
        marks.min_available, marks.desired, marks.limit
    ));
    if picture.over() > 0 {
        text.push_str(&format!(": {} the limit", over(picture.over())));
    }
    text
}

fn parts(picture: &Picture, scale: Scale) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut sum = 0_i32;
    for state in STACK {
        for row in &picture.rows {
            let from = scale.px(f64::from(sum));
            sum = sum.saturating_add(count(&row.counts, state));
            parts.push(Part { state, hue: row.hue, from, to: scale.px(f64::from(sum)) });
        }
    }
    parts
}

fn view_part(part: &Part, top: f64) -> Html {
    let width = (part.to - part.from - 1.0).max(0.0);
    let class = classes!("part", state_name(part.state), format!("r{}", part.hue));
    let rect = |class: Classes, fill: Option<&'static str>| {
        html! { <rect {class} {fill} x={n(part.from)} y={n(top)} width={n(width)} height={n(BAR_HEIGHT)} /> }
    };
    html! {
        <g key={format!("{}{}", state_name(part.state), part.hue)}>
            {rect(class, None)}
            if part.state == PodState::Terminating {
                {rect(classes!("part", "hatch"), Some("url(#going)"))}
            }
        </g>
    }
}

fn view_scale(scale: Scale, bottom: f64) -> Html {
    let mut path = crate::scale::Path::default();
    path.to('M', &[0.0, bottom + 0.5]);
    path.to('H', &[scale.width]);
    for (pods, long) in pod_ticks(scale, 6.0) {
        path.to('M', &[scale.px(float(pods)), bottom + 0.5]);
        path.to('v', &[if long { 6.0 } else { 3.0 }]);
    }
    html! { <path class="ticks" d={path.done()} /> }
}

/// The labels of the marks. Left of the desired number, the minimum's text ends at its mark; right of it, the limit's
/// begins there. Where they would touch, one goes a line higher.
fn labels(marks: Marks, scale: Scale) -> Vec<Label> {
    let wide = scale.width > 420.0;
    let wanted = [
        (Mark::MinAvailable, if wide { "min available" } else { "min" }, marks.min_available, "end"),
        (Mark::Desired, "desired", marks.desired, "middle"),
        (Mark::Limit, "limit", marks.limit, "start"),
    ];
    let mut ends: Vec<f64> = Vec::new();
    let mut labels = Vec::new();
    for (mark, word, value, anchor) in wanted {
        let text = format!("{word} {value}");
        let size = length(text.chars().count()) * LETTER;
        let at = scale.px(f64::from(value));
        let from = match anchor {
            "end" => at - size,
            "middle" => at - size / 2.0,
            _ => at,
        };
        // Nothing begins left of the picture.
        let shift = (-from).max(0.0);
        let from = from + shift;
        let line = ends.iter().position(|end| *end + 8.0 <= from).unwrap_or(ends.len());
        match ends.get_mut(line) {
            Some(end) => *end = from + size,
            None => ends.push(from + size),
        }
        labels.push(Label { mark, text, x: at + shift, anchor, line });
    }
    // The lowest line is the first one.
    let last = ends.len().saturating_sub(1);
    for label in &mut labels {
        label.line = last.saturating_sub(label.line);
    }
    labels
}

fn view_label(label: &Label, marks: Marks, scale: Scale, bottom: f64) -> Html {
    let value = match label.mark {
        Mark::MinAvailable => marks.min_available,
        Mark::Desired => marks.desired,
        _ => marks.limit,
    };
    let x = n(scale.px(f64::from(value)));
    let baseline = length(label.line) * LABEL_HEIGHT + 11.0;
    html! {
        <g key={mark_name(label.mark)} class={classes!("mark", mark_name(label.mark))}>
            <line x1={x.clone()} x2={x} y1={n(baseline + 4.0)} y2={n(bottom + 3.0)} />
            <text x={n(label.x)} y={n(baseline)} text-anchor={label.anchor}>{label.text.clone()}</text>
        </g>
    }
}

/// Under the bar, how many are in which state: each number below its part, as far as there is room.
fn view_counts(picture: &Picture, scale: Scale, baseline: f64) -> Html {
    let mut sum = 0_i32;
    let mut free = 0.0_f64;
    let mut texts = Vec::new();
    for state in STACK {
        let count = picture.total(state);
        if count > 0 {
            let text = format!("{count} {}", state_name(state));
            let x = scale.px(f64::from(sum)).max(free);
            free = x + length(text.chars().count()) * LETTER + 10.0;
            texts.push(html! { <text key={state_name(state)} class={state_name(state)} x={n(x)} y={n(baseline)}>{text}</text> });
        }
        sum = sum.saturating_add(count);
    }
    html! { <g class="counts">{for texts}</g> }
}

/// What a mark is called in classes.
pub(crate) const fn mark_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Limit => "limit",
        Mark::Desired => "desired",
        Mark::MinAvailable => "minimum",
        Mark::Terminating => "terminating",
        Mark::Available => "available",
        Mark::Total => "total",
        Mark::ReplicaSet => "replica-set",
    }
}

/// The class of a picture on which a mark is lit.
pub(crate) const fn lit_class(mark: Mark) -> &'static str {
    match mark {
        Mark::Limit => "lit-limit",
        Mark::Desired => "lit-desired",
        Mark::MinAvailable => "lit-minimum",
        Mark::Terminating => "lit-terminating",
        Mark::Available => "lit-available",
        Mark::Total => "lit-total",
        Mark::ReplicaSet => "lit-replica-set",
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use changeover_core::timeline::Counts;

    use super::*;
    use crate::picture::Row;

    fn picture() -> Picture {
        let row = |hue, counts| Rc::new(Row { hue, counts, ..Row::default() });
        let old = Counts { available: 8, terminating: 3, ..Counts::default() };
        let new = Counts { starting: 5, ..Counts::default() };
        Picture { rows: vec![row(0, old), row(1, new)], marks: Marks { desired: 10, limit: 13, min_available: 8 } }
    }

    #[test]
    fn the_parts_lie_end_to_end_and_the_terminating_ones_last() {
        let scale = Scale { most: 16.0, width: 160.0 };
        let parts = parts(&picture(), scale);
        let seen: Vec<_> =
            parts.iter().filter(|part| part.to > part.from).map(|part| (part.state, part.from, part.to)).collect();
        assert_eq!(
            seen,
            [
                (PodState::Available, 0.0, 80.0),
                (PodState::Starting, 80.0, 130.0),
                (PodState::Terminating, 130.0, 160.0)
            ]
        );
        assert!(parts.windows(2).all(|pair| pair[0].to == pair[1].from));
    }

    #[test]
    fn the_summary_says_what_is_over() {
        assert_eq!(
            summary(&picture()),
            "16 pods, 8 available, 5 starting, 3 terminating; minimum available 8, desired 10, limit 13: 3 over the limit"
        );
    }

    #[test]
    fn labels_share_a_line_where_they_fit_and_never_touch() {
        let marks = Marks { desired: 10, limit: 13, min_available: 8 };
        let wide = labels(marks, Scale { most: 16.0, width: 800.0 });
        assert!(wide.iter().all(|label| label.line == 0));
        assert_eq!(wide[0].text, "min available 8");
        // Everything at one place: three lines.
        let marks = Marks { desired: 10, limit: 10, min_available: 10 };
        let narrow = labels(marks, Scale { most: 10.0, width: 250.0 });
        let mut lines: Vec<_> = narrow.iter().map(|label| label.line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert!(lines.len() >= 2);
        // Nothing begins left of the picture.
        let zero = labels(Marks { desired: 0, limit: 0, min_available: 0 }, Scale { most: 10.0, width: 250.0 });
        assert!(zero[0].x >= length(zero[0].text.chars().count()) * LETTER);
    }
}
