//! The counts over time, one on the other, with the lines of desired, limit and minimum available. It is the scrubber.

use changeover_wire::format_clock;
use changeover_wire::playback_track::Milestone;
use web_sys::Element;

use crate::dom;
use crate::linear_scale::{Path, Scale, float, length, n, time_ticks, whole};
use crate::markup::Markup;
use crate::playback_track::{Film, Point, count};
use crate::ruler::{GUTTER, hue_class, stack};
use crate::ui_text::{plural, state_name};

const TOP: f64 = 4.0;
const AXIS: f64 = 18.0;
/// Room between two labels of lines.
const LINE_APART: f64 = 11.0;

/// How a chart is laid out; all lanes share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Nanoseconds since the start.
    pub time: Scale,
    /// The most pods.
    pub most: f64,
    /// Of the areas.
    height: f64,
}

impl Frame {
    /// The layout of charts that are so wide, up to a time, for so many pods and lanes.
    pub(crate) fn new(width: f64, end: i64, most: i32, lanes: usize) -> Self {
        Self {
            time: Scale { most: float(end.max(1)), width: (width - GUTTER).max(length(1)) },
            most: f64::from(most.max(1)),
            // Few lanes have the room of many.
            height: match lanes {
                1 => 180.0,
                2 => 110.0,
                _ => 58.0,
            },
        }
    }

    /// Where the areas stand.
    fn bottom(self) -> f64 {
        TOP + self.height
    }

    fn x(self, time: i64) -> f64 {
        self.time.px(float(time))
    }

    fn y(self, pods: f64) -> f64 {
        self.bottom() - Scale { most: self.most, width: self.height }.px(pods)
    }

    /// The time at a pixel.
    pub(crate) fn at(self, x: f64) -> i64 {
        whole(self.time.value(x))
    }
}

/// A chart: its frame once, then the playhead.
pub(crate) struct Chart {
    element: Element,
    line: Option<Element>,
    knob: Option<Element>,
    frame: Frame,
    x: f64,
}

impl Chart {
    /// Draws a chart into an element.
    pub(crate) fn new(element: Element, film: &Film, frame: Frame, label: &str) -> Self {
        dom::set(&element, "width", &n(frame.time.width + GUTTER));
        dom::set(&element, "height", &n(frame.bottom() + AXIS));
        dom::set(&element, "aria-label", &format!("Time of {label}"));
        dom::set(&element, "aria-valuemax", &seconds(whole(frame.time.most)));
        element.set_inner_html(&still(film, frame).0);
        let (line, knob) = (dom::find(&element, ".playhead line"), dom::find(&element, ".playhead circle"));
        Self { element, line, knob, frame, x: -1.0 }
    }

    /// Moves the playhead.
    pub(crate) fn draw(&mut self, now: i64, point: Option<&Point>) {
        let x = self.frame.x(now);
        if x == self.x {
            return;
        }
        self.x = x;
        let (x, at) = (n(x), seconds(now));
        if let Some((line, knob)) = self.line.as_ref().zip(self.knob.as_ref()) {
            dom::set(line, "x1", &x);
            dom::set(line, "x2", &x);
            dom::set(knob, "cx", &x);
        }
        let mut said = format_clock(now);
        if let Some(point) = point {
            said.push_str(", ");
            said.push_str(&plural(point.holding(), "pod"));
            if point.over() > 0 {
                said.push_str(&format!(", {} over the limit", point.over()));
            }
        }
        dom::set(&self.element, "aria-valuenow", &at);
        dom::set(&self.element, "aria-valuetext", &said);
    }
}

/// Whole seconds, as sliders count them.
fn seconds(nanoseconds: i64) -> String {
    nanoseconds.div_euclid(1_000_000_000).to_string()
}

/// What of a chart changes only with the film.
fn still(film: &Film, frame: Frame) -> Markup {
    let mut markup = Markup::default();
    let points = &thinned(&film.points, frame);
    markup.group("areas");
    areas(&mut markup, points, frame);
    let mut beyond = Vec::with_capacity(points.len());
    for point in points {
        beyond.push((limit(point), limit(point).max(f64::from(point.holding()))));
    }
    markup.path("beyond", &band(points, &beyond, frame));
    for (class, value) in LINES {
        markup.path(class, &line(points, frame, value));
    }
    line_labels(&mut markup, points.last(), frame);
    axis(&mut markup, frame);
    marks(&mut markup, film, frame);
    markup.close("g");
    let bottom = frame.bottom();
    markup.group("playhead");
    markup.begin("line", "").at(&[("y1", 0.0), ("y2", bottom)]).end("line", "");
    markup.begin("circle", "").at(&[("cy", bottom), ("r", 5.0)]).end("circle", "");
    markup.close("g");
    markup
}

/// A line's class, and its value at a point.
type Line = (&'static str, fn(&Point) -> f64);

const LINES: [Line; 4] = [
    ("line between", |point| point.sets.first().map_or(0.0, |first| f64::from(first.available))),
    ("line desired", |point| f64::from(point.marks.desired)),
    ("line minimum", |point| f64::from(point.marks.min_available)),
    ("line limit", limit),
];

fn limit(point: &Point) -> f64 {
    f64::from(point.marks.limit)
}

/// Of points that fall on one tenth of a pixel only the one with the most pods is drawn, and the last.
fn thinned(points: &[Point], frame: Frame) -> Vec<Point> {
    let mut kept: Vec<(i64, Point)> = Vec::new();
    let mut most = 0;
    for point in points {
        let x = whole(frame.x(point.time) * 10.0);
        let here = kept.last().is_some_and(|(last, _)| *last == x);
        if !here {
            most = point.holding();
        }
        match kept.last_mut() {
            Some((_, last)) if here && last.holding() < most => *last = point.clone(),
            _ => kept.push((x, point.clone())),
        }
        most = most.max(point.holding());
    }
    kept.into_iter().map(|(_, point)| point).collect()
}

/// An area for each state of each ReplicaSet, in the order of the ruler.
fn areas(markup: &mut Markup, points: &[Point], frame: Frame) {
    let sets = points.first().map_or(0, |point| point.sets.len());
    // What lies below the next area, and above it, for each point.
    let mut pairs = vec![(0.0_f64, 0.0_f64); points.len()];
    for state in stack() {
        for set in 0..sets {
            for (pair, point) in pairs.iter_mut().zip(points) {
                let size = point.sets.get(set).map_or(0, |counts| count(counts, state));
                *pair = (pair.1, pair.1 + f64::from(size));
            }
            let d = band(points, &pairs, frame);
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

/// The stretches of a band between two step lines where it is not empty.
fn band(points: &[Point], pairs: &[(f64, f64)], frame: Frame) -> String {
    let mut path = Path::default();
    let ends = points.iter().skip(1).map(|point| frame.x(point.time)).chain([frame.time.width]);
    let mut pieces: Vec<(f64, f64, f64, f64)> = Vec::new();
    for ((point, (low, high)), end) in points.iter().zip(pairs).zip(ends) {
        let from = frame.x(point.time);
        match pieces.last_mut() {
            // An instant, or nothing new: one piece.
            Some(last) if last.2 == *low && last.3 == *high && last.1 == from => last.1 = end,
            _ if high > low && end > from => pieces.push((from, end, *low, *high)),
            _ => {}
        }
    }
    for (from, to, low, high) in pieces {
        path.to('M', &[from, frame.y(low)]);
        path.to('V', &[frame.y(high)]);
        path.to('H', &[to]);
        path.to('V', &[frame.y(low)]);
        path.to('Z', &[]);
    }
    path.done()
}

fn line(points: &[Point], frame: Frame, value: fn(&Point) -> f64) -> String {
    let mut path = Path::default();
    let mut last = None;
    for point in points {
        let y = frame.y(value(point));
        match last {
            None => path.to('M', &[0.0, y]),
            Some(before) if before == y => continue,
            Some(_) => {
                path.to('H', &[frame.x(point.time)]);
                path.to('V', &[y]);
            }
        }
        last = Some(y);
    }
    path.to('H', &[frame.time.width]);
    path.done()
}

fn line_labels(markup: &mut Markup, last: Option<&Point>, frame: Frame) {
    let Some(marks) = last.map(|point| point.marks) else { return };
    let mut above = f64::MIN;
    markup.group("line-labels");
    for (name, value) in [("limit", marks.limit), ("desired", marks.desired), ("min", marks.min_available)] {
        let y = (frame.y(f64::from(value)) + 4.0).max(above + LINE_APART);
        above = y;
        markup.words(name, [frame.time.width + 8.0, y], "", name);
    }
    markup.close("g");
}

fn axis(markup: &mut Markup, frame: Frame) {
    let bottom = frame.bottom();
    let mut path = Path::default();
    path.to('M', &[0.0, bottom + 0.5]);
    path.to('H', &[frame.time.width]);
    markup.group("axis");
    for tick in time_ticks(whole(frame.time.most), frame.time.width, 46.0) {
        let x = frame.time.px(float(tick));
        path.to('M', &[x, bottom]);
        path.to('v', &[5.0]);
        let anchor = if tick == 0 { "start" } else { "middle" };
        markup.words("", [x, bottom + 15.0], anchor, &format_clock(tick));
    }
    markup.path("", &path.done());
    markup.close("g");
}

/// Marks on the axis: what the user did, changed conditions, decisions. One for each pixel, the most important.
fn marks(markup: &mut Markup, film: &Film, frame: Frame) {
    let bottom = frame.bottom();
    // Steps are in the order of time.
    let mut best: Vec<(i64, Milestone)> = Vec::new();
    for step in film.steps.iter().filter(|step| step.time >= 0) {
        let Some(notable) = step.notable else { continue };
        let x = whole(frame.x(step.time).round());
        match best.last_mut() {
            Some((last, here)) if *last == x => *here = notable.min(*here),
            _ => best.push((x, notable)),
        }
    }
    let mut ticks = Path::default();
    markup.group("marks");
    for (x, notable) in best {
        let x = float(x);
        match notable {
            Milestone::Decision => {
                ticks.to('M', &[x, bottom - 3.0]);
                ticks.to('v', &[3.0]);
            }
            Milestone::Condition => {
                markup.begin("circle", "condition").at(&[("cx", x), ("cy", bottom), ("r", 2.2)]).end("circle", "");
            }
            Milestone::User => {
                let mut act = Path::default();
                act.to('M', &[x, bottom - 9.0]);
                act.to('l', &[5.0, 9.0]);
                act.to('h', &[-10.0]);
                act.to('z', &[]);
                markup.path("act", &act.done());
            }
        }
    }
    markup.path("decisions", &ticks.done());
    markup.close("g");
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::{Counts, Marks};

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn point(second: i64, available: i32) -> Point {
        let marks = Marks { desired: 2, limit: 3, min_available: 1 };
        Point { time: second.saturating_mul(SECOND), sets: vec![Counts { available, ..Counts::default() }], marks }
    }

    fn test_frame() -> Frame {
        Frame { time: Scale { most: 10e9, width: 100.0 }, most: 5.8, height: 58.0 }
    }

    #[test]
    fn an_area_is_made_of_steps() {
        let points = [point(0, 2), point(4, 0), point(6, 1)];
        let d = band(&points, &[(0.0, 2.0), (0.0, 0.0), (0.0, 1.0)], test_frame());
        assert_eq!(d, "M0 62V42H40V62ZM60 62V52H100V62Z");
    }

    #[test]
    fn a_line_moves_only_where_its_value_does() {
        let points = [point(0, 2), point(4, 0), point(6, 1)];
        assert_eq!(line(&points, test_frame(), limit), "M0 32H100");
    }

    #[test]
    fn points_too_close_to_be_seen_apart_leave_their_highest() {
        let near = |nano: i64, available| Point { time: nano, ..point(0, available) };
        let points = [near(0, 1), near(10, 5), near(20, 2), point(4, 3)];
        let kept: Vec<i32> = thinned(&points, test_frame()).iter().map(Point::holding).collect();
        assert_eq!(kept.iter().max(), Some(&5));
        assert_eq!(kept.last(), Some(&3));
        let many: Vec<Point> = (0..50_000).map(|nano| near(nano * 100, i32::try_from(nano % 7).unwrap())).collect();
        assert!(thinned(&many, test_frame()).len() < 50_000);
    }

    #[test]
    fn pixels_and_times_agree() {
        let frame = test_frame();
        assert_eq!(frame.at(frame.x(3 * SECOND)), 3 * SECOND);
        assert_eq!(frame.at(-50.0), 0);
        assert_eq!(frame.at(500.0), 10 * SECOND);
    }
}
