//! The chart of a lane: its pod counts over time as stacked areas, with lines for desired, limit and minimum available. It is
//! also the scrubber.

use changeover_wire::format_clock;
use changeover_wire::playback_track::Milestone;
use web_sys::Element;

use crate::dom;
use crate::linear_scale::{LinearScale, SvgPath, count_to_f64, format_px, time_ticks, to_f64, to_i64};
use crate::markup::Markup;
use crate::playback_track::{CountsPoint, PlaybackTrack, pods_in_state};
use crate::ruler::{GUTTER, hue_class, stacked_states};
use crate::ui_text::{plural, state_name};

const TOP_MARGIN: f64 = 4.0;
const AXIS_HEIGHT: f64 = 18.0;
/// The least distance between two labels of lines.
const LABEL_SPACING: f64 = 11.0;

/// The layout of a chart; all lanes share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChartLayout {
    /// The scale of the nanoseconds from time 0 on.
    pub time: LinearScale,
    /// The most pods that it shows.
    pub max_pods: f64,
    /// The height of the areas.
    height: f64,
}

impl ChartLayout {
    /// The layout for a width, an end time, the most pods and a number of lanes.
    pub(crate) fn new(width: f64, end: i64, most: i32, lanes: usize) -> Self {
        Self {
            time: LinearScale { max: to_f64(end.max(1)), width: (width - GUTTER).max(count_to_f64(1)) },
            max_pods: f64::from(most.max(1)),
            // Few lanes get more room each.
            height: match lanes {
                1 => 180.0,
                2 => 110.0,
                _ => 58.0,
            },
        }
    }

    /// The baseline of the areas.
    fn bottom(self) -> f64 {
        TOP_MARGIN + self.height
    }

    fn x(self, time: i64) -> f64 {
        self.time.to_px(to_f64(time))
    }

    fn y(self, pods: f64) -> f64 {
        self.bottom() - LinearScale { max: self.max_pods, width: self.height }.to_px(pods)
    }

    /// The time at a pixel.
    pub(crate) fn time_at(self, x: f64) -> i64 {
        to_i64(self.time.to_value(x))
    }
}

/// A chart in the document. Only its playhead moves.
pub(crate) struct Chart {
    element: Element,
    playhead_line: Option<Element>,
    playhead_knob: Option<Element>,
    layout: ChartLayout,
    x: f64,
}

impl Chart {
    /// Draws a chart into an element.
    pub(crate) fn new(element: Element, track: &PlaybackTrack, layout: ChartLayout, label: &str) -> Self {
        dom::set_attribute(&element, "width", &format_px(layout.time.width + GUTTER));
        dom::set_attribute(&element, "height", &format_px(layout.bottom() + AXIS_HEIGHT));
        dom::set_attribute(&element, "aria-label", &format!("Time of {label}"));
        dom::set_attribute(&element, "aria-valuemax", &seconds(to_i64(layout.time.max)));
        element.set_inner_html(&static_markup(track, layout).0);
        let (line, knob) = (dom::query(&element, ".playhead line"), dom::query(&element, ".playhead circle"));
        Self { element, playhead_line: line, playhead_knob: knob, layout, x: -1.0 }
    }

    /// Moves the playhead.
    pub(crate) fn draw(&mut self, now: i64, point: Option<&CountsPoint>) {
        let x = self.layout.x(now);
        if x == self.x {
            return;
        }
        self.x = x;
        let (x, at) = (format_px(x), seconds(now));
        if let Some((line, knob)) = self.playhead_line.as_ref().zip(self.playhead_knob.as_ref()) {
            dom::set_attribute(line, "x1", &x);
            dom::set_attribute(line, "x2", &x);
            dom::set_attribute(knob, "cx", &x);
        }
        let mut value_text = format_clock(now);
        if let Some(point) = point {
            value_text.push_str(", ");
            value_text.push_str(&plural(point.holding(), "pod"));
            if point.over() > 0 {
                value_text.push_str(&format!(", {} over the limit", point.over()));
            }
        }
        dom::set_attribute(&self.element, "aria-valuenow", &at);
        dom::set_attribute(&self.element, "aria-valuetext", &value_text);
    }
}

/// Whole seconds, as sliders count them.
fn seconds(nanoseconds: i64) -> String {
    nanoseconds.div_euclid(1_000_000_000).to_string()
}

/// The part of a chart that changes only with the track.
fn static_markup(track: &PlaybackTrack, layout: ChartLayout) -> Markup {
    let mut markup = Markup::default();
    let points = &thin_out(&track.points, layout);
    markup.open_group("areas");
    push_areas(&mut markup, points, layout);
    let mut over = Vec::with_capacity(points.len());
    for point in points {
        over.push((limit(point), limit(point).max(f64::from(point.holding()))));
    }
    markup.path("beyond", &band_path(points, &over, layout));
    for (class, value) in STEP_LINES {
        markup.path(class, &line_path(points, layout, value));
    }
    push_line_labels(&mut markup, points.last(), layout);
    push_axis(&mut markup, layout);
    push_milestones(&mut markup, track, layout);
    markup.close("g");
    let bottom = layout.bottom();
    markup.open_group("playhead");
    markup.open("line", "").lengths(&[("y1", 0.0), ("y2", bottom)]).text_and_close("line", "");
    markup.open("circle", "").lengths(&[("cy", bottom), ("r", 5.0)]).text_and_close("circle", "");
    markup.close("g");
    markup
}

/// The class of a line, and its value at a point.
type StepLine = (&'static str, fn(&CountsPoint) -> f64);

const STEP_LINES: [StepLine; 4] = [
    ("line between", |point| point.replica_sets.first().map_or(0.0, |first| f64::from(first.available))),
    ("line desired", |point| f64::from(point.marks.desired)),
    ("line minimum", |point| f64::from(point.marks.min_available)),
    ("line limit", limit),
];

fn limit(point: &CountsPoint) -> f64 {
    f64::from(point.marks.limit)
}

/// Leaves out points that nobody can tell apart: of those within a tenth of a pixel, it keeps the one with the most pods.
fn thin_out(points: &[CountsPoint], layout: ChartLayout) -> Vec<CountsPoint> {
    let mut thinned: Vec<(i64, CountsPoint)> = Vec::new();
    let mut most = 0;
    for point in points {
        let x = to_i64(layout.x(point.time) * 10.0);
        let same_x = thinned.last().is_some_and(|(last, _)| *last == x);
        if !same_x {
            most = point.holding();
        }
        match thinned.last_mut() {
            Some((_, last)) if same_x && last.holding() < most => *last = point.clone(),
            _ => thinned.push((x, point.clone())),
        }
        most = most.max(point.holding());
    }
    thinned.into_iter().map(|(_, point)| point).collect()
}

/// An area for each state of each ReplicaSet, in the order of the ruler.
fn push_areas(markup: &mut Markup, points: &[CountsPoint], layout: ChartLayout) {
    let sets = points.first().map_or(0, |point| point.replica_sets.len());
    // The lower and the upper edge of the next area, for each point.
    let mut pairs = vec![(0.0_f64, 0.0_f64); points.len()];
    for state in stacked_states() {
        for set in 0..sets {
            for (pair, point) in pairs.iter_mut().zip(points) {
                let size = point.replica_sets.get(set).map_or(0, |counts| pods_in_state(counts, state));
                *pair = (pair.1, pair.1 + f64::from(size));
            }
            let d = band_path(points, &pairs, layout);
            if d.is_empty() {
                continue;
            }
            let mut class = String::from("area ");
            class.push_str(state_name(state));
            class.push_str(hue_class(set));
            markup.path(&class, &d);
            if state_name(state) == "terminating" {
                markup.path("hatch", &d);
            }
        }
    }
}

/// The path of a band between two step lines, where it is not empty.
fn band_path(points: &[CountsPoint], pairs: &[(f64, f64)], layout: ChartLayout) -> String {
    let mut path = SvgPath::default();
    let ends = points.iter().skip(1).map(|point| layout.x(point.time)).chain([layout.time.width]);
    let mut pieces: Vec<(f64, f64, f64, f64)> = Vec::new();
    for ((point, (low, high)), end) in points.iter().zip(pairs).zip(ends) {
        let from = layout.x(point.time);
        match pieces.last_mut() {
            // Nothing changed: extend the piece.
            Some(last) if last.2 == *low && last.3 == *high && last.1 == from => last.1 = end,
            _ if high > low && end > from => pieces.push((from, end, *low, *high)),
            _ => {}
        }
    }
    for (from, to, low, high) in pieces {
        path.push('M', &[from, layout.y(low)]);
        path.push('V', &[layout.y(high)]);
        path.push('H', &[to]);
        path.push('V', &[layout.y(low)]);
        path.push('Z', &[]);
    }
    path.finish()
}

fn line_path(points: &[CountsPoint], layout: ChartLayout, value: fn(&CountsPoint) -> f64) -> String {
    let mut path = SvgPath::default();
    let mut last = None;
    for point in points {
        let y = layout.y(value(point));
        match last {
            None => path.push('M', &[0.0, y]),
            Some(before) if before == y => continue,
            Some(_) => {
                path.push('H', &[layout.x(point.time)]);
                path.push('V', &[y]);
            }
        }
        last = Some(y);
    }
    path.push('H', &[layout.time.width]);
    path.finish()
}

fn push_line_labels(markup: &mut Markup, last: Option<&CountsPoint>, layout: ChartLayout) {
    let Some(marks) = last.map(|point| point.marks) else { return };
    let mut lowest_y = f64::MIN;
    markup.open_group("line-labels");
    for (name, value) in [("limit", marks.limit), ("desired", marks.desired), ("min", marks.min_available)] {
        let y = (layout.y(f64::from(value)) + 4.0).max(lowest_y + LABEL_SPACING);
        lowest_y = y;
        markup.svg_text(name, [layout.time.width + 8.0, y], "", name);
    }
    markup.close("g");
}

fn push_axis(markup: &mut Markup, layout: ChartLayout) {
    let bottom = layout.bottom();
    let mut path = SvgPath::default();
    path.push('M', &[0.0, bottom + 0.5]);
    path.push('H', &[layout.time.width]);
    markup.open_group("axis");
    for tick in time_ticks(to_i64(layout.time.max), layout.time.width, 46.0) {
        let x = layout.time.to_px(to_f64(tick));
        path.push('M', &[x, bottom]);
        path.push('v', &[5.0]);
        let anchor = if tick == 0 { "start" } else { "middle" };
        markup.svg_text("", [x, bottom + 15.0], anchor, &format_clock(tick));
    }
    markup.path("", &path.finish());
    markup.close("g");
}

/// The milestones on the axis: user actions, changed conditions, decisions. Each pixel has only the most important one.
fn push_milestones(markup: &mut Markup, track: &PlaybackTrack, layout: ChartLayout) {
    let bottom = layout.bottom();
    // Steps are in order of time.
    let mut milestones: Vec<(i64, Milestone)> = Vec::new();
    for step in track.steps.iter().filter(|step| step.time >= 0) {
        let Some(milestone) = step.milestone else { continue };
        let x = to_i64(layout.x(step.time).round());
        match milestones.last_mut() {
            Some((last, most_important)) if *last == x => *most_important = milestone.min(*most_important),
            _ => milestones.push((x, milestone)),
        }
    }
    let mut ticks = SvgPath::default();
    markup.open_group("marks");
    for (x, milestone) in milestones {
        let x = to_f64(x);
        match milestone {
            Milestone::Decision => {
                ticks.push('M', &[x, bottom - 3.0]);
                ticks.push('v', &[3.0]);
            }
            Milestone::Condition => {
                markup
                    .open("circle", "condition")
                    .lengths(&[("cx", x), ("cy", bottom), ("r", 2.2)])
                    .text_and_close("circle", "");
            }
            Milestone::User => {
                let mut triangle = SvgPath::default();
                triangle.push('M', &[x, bottom - 9.0]);
                triangle.push('l', &[5.0, 9.0]);
                triangle.push('h', &[-10.0]);
                triangle.push('z', &[]);
                markup.path("act", &triangle.finish());
            }
        }
    }
    markup.path("decisions", &ticks.finish());
    markup.close("g");
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::{Counts, Marks, RolloutState};

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn counts_at(second: i64, available: i32) -> CountsPoint {
        let marks = Marks { desired: 2, limit: 3, min_available: 1 };
        CountsPoint {
            time: second.saturating_mul(SECOND),
            replica_sets: vec![Counts { available, ..Counts::default() }],
            marks,
            rollout: RolloutState::default(),
        }
    }

    fn test_layout() -> ChartLayout {
        ChartLayout { time: LinearScale { max: 10e9, width: 100.0 }, max_pods: 5.8, height: 58.0 }
    }

    #[test]
    fn an_area_has_steps() {
        let points = [counts_at(0, 2), counts_at(4, 0), counts_at(6, 1)];
        let d = band_path(&points, &[(0.0, 2.0), (0.0, 0.0), (0.0, 1.0)], test_layout());
        assert_eq!(d, "M0 62V42H40V62ZM60 62V52H100V62Z");
    }

    #[test]
    fn a_line_moves_only_where_its_value_changes() {
        let points = [counts_at(0, 2), counts_at(4, 0), counts_at(6, 1)];
        assert_eq!(line_path(&points, test_layout(), limit), "M0 32H100");
    }

    #[test]
    fn points_too_close_to_tell_apart_keep_their_highest() {
        let near = |nano: i64, available| CountsPoint { time: nano, ..counts_at(0, available) };
        let points = [near(0, 1), near(10, 5), near(20, 2), counts_at(4, 3)];
        let thinned: Vec<i32> = thin_out(&points, test_layout()).iter().map(CountsPoint::holding).collect();
        assert_eq!(thinned.iter().max(), Some(&5));
        assert_eq!(thinned.last(), Some(&3));
        let many: Vec<CountsPoint> =
            (0..50_000).map(|nano| near(nano * 100, i32::try_from(nano % 7).unwrap())).collect();
        assert!(thin_out(&many, test_layout()).len() < 50_000);
    }

    #[test]
    fn pixels_and_times_agree() {
        let layout = test_layout();
        assert_eq!(layout.time_at(layout.x(3 * SECOND)), 3 * SECOND);
        assert_eq!(layout.time_at(-50.0), 0);
        assert_eq!(layout.time_at(500.0), 10 * SECOND);
    }
}
