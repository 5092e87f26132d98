//! The counts over time, one on the other, with the lines of desired, limit and minimum available. It is the scrubber.

use std::rc::Rc;

use changeover_core::object::Time;
use changeover_core::timeline::Timeline;
use yew::prelude::*;

use crate::app::Message;
use crate::dom;
use crate::history::{History, Notable, Point};
use crate::picture::count;
use crate::ruler::{GUTTER, STACK};
use crate::scale::{Path, Scale, clock, float, length, n, time_ticks, whole};
use crate::words::state_name;

const HEIGHT: f64 = 58.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 18.0;
/// Room between two labels of lines.
const LINE_APART: f64 = 11.0;

/// Something shared that counts as equal only with itself.
#[derive(Debug)]
pub(crate) struct Same<T>(pub Rc<T>);

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// How a chart is laid out; all lanes share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Nanoseconds since the start.
    pub time: Scale,
    /// The most pods.
    pub most: f64,
    /// The start of virtual time.
    pub start: Time,
}

impl Frame {
    fn x(self, time: Time) -> f64 {
        self.time.px(float(time.since(self.start)))
    }

    fn y(self, pods: f64) -> f64 {
        TOP + HEIGHT - Scale { most: self.most, width: HEIGHT }.px(pods)
    }

    /// The time at a pixel.
    pub(crate) fn at(self, x: f64) -> Time {
        self.start.plus(whole(self.time.value(x)))
    }
}

/// What of a chart changes only with the timeline.
#[derive(PartialEq, Properties)]
pub(crate) struct AreasProps {
    /// The counts.
    pub history: Same<History>,
    /// The steps.
    pub timeline: Same<Timeline>,
    /// The layout.
    pub frame: Frame,
}

/// Draws areas, lines, the axis and its marks.
#[component]
pub(crate) fn Areas(props: &AreasProps) -> Html {
    let AreasProps { history, timeline, frame } = props;
    let points = &history.0.points;
    html! {
        <g class="areas">
            {for areas(points, *frame)}
            <path class="over-area" fill="url(#over)" d={area(points, *frame, &|point| (limit(point), limit(point).max(f64::from(point.holding()))))} />
            <path class="line desired" d={line(points, *frame, &|point| f64::from(point.marks.desired))} />
            <path class="line minimum" d={line(points, *frame, &|point| f64::from(point.marks.min_available))} />
            <path class="line limit" d={line(points, *frame, &limit)} />
            {line_labels(points.last(), *frame)}
            {axis(*frame)}
            {marks(&history.0, &timeline.0, *frame)}
        </g>
    }
}

fn limit(point: &Point) -> f64 {
    f64::from(point.marks.limit)
}

/// An area for each state of each row, in the order of the ruler.
fn areas(points: &[Point], frame: Frame) -> Vec<Html> {
    let rows = points.iter().map(|point| point.rows.len()).max().unwrap_or(0);
    // What lies below the next area, for each point.
    let mut below = vec![0.0_f64; points.len()];
    let mut areas = Vec::new();
    for state in STACK {
        for row in 0..rows {
            let sizes = points.iter().map(|point| point.rows.get(row).map_or(0, |counts| count(counts, state)));
            let above: Vec<f64> = below.iter().zip(sizes).map(|(below, size)| below + f64::from(size)).collect();
            if above != below {
                let pairs: Vec<(f64, f64)> = below.iter().copied().zip(above.iter().copied()).collect();
                let d = band(points, &pairs, frame);
                let hue = format!("r{}", row.checked_rem(4).unwrap_or(0));
                areas.push(html! { <path class={classes!("area", state_name(state), hue.clone())} d={d.clone()} /> });
                if state_name(state) == "terminating" {
                    areas.push(html! { <path class="hatch" fill="url(#going)" {d} /> });
                }
            }
            below = above;
        }
    }
    areas
}

fn area(points: &[Point], frame: Frame, bounds: &dyn Fn(&Point) -> (f64, f64)) -> String {
    let pairs: Vec<(f64, f64)> = points.iter().map(bounds).collect();
    band(points, &pairs, frame)
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

fn line(points: &[Point], frame: Frame, value: &dyn Fn(&Point) -> f64) -> String {
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

fn line_labels(last: Option<&Point>, frame: Frame) -> Html {
    let Some(marks) = last.map(|point| point.marks) else { return html! {} };
    let mut above = f64::MIN;
    let labels = [("limit", marks.limit), ("desired", marks.desired), ("min", marks.min_available)].map(|(name, value)| {
        let y = (frame.y(f64::from(value)) + 4.0).max(above + LINE_APART);
        above = y;
        html! { <text key={name} class={name} x={n(frame.time.width + 8.0)} y={n(y)}>{format!("{name} {value}")}</text> }
    });
    html! { <g class="line-labels">{for labels}</g> }
}

fn axis(frame: Frame) -> Html {
    let bottom = TOP + HEIGHT;
    let mut path = Path::default();
    path.to('M', &[0.0, bottom + 0.5]);
    path.to('H', &[frame.time.width]);
    let labels: Vec<Html> = time_ticks(whole(frame.time.most), frame.time.width, 46.0)
        .into_iter()
        .map(|tick| {
            let x = frame.time.px(float(tick));
            path.to('M', &[x, bottom]);
            path.to('v', &[5.0]);
            let anchor = if tick == 0 { "start" } else { "middle" };
            html! { <text key={tick.to_string()} x={n(x)} y={n(bottom + 15.0)} text-anchor={anchor}>{clock(tick)}</text> }
        })
        .collect();
    html! { <g class="axis"><path d={path.done()} />{for labels}</g> }
}

/// Marks on the axis: what the user did, changed conditions, decisions. One for each pixel, the most important.
fn marks(history: &History, timeline: &Timeline, frame: Frame) -> Html {
    let bottom = TOP + HEIGHT;
    // Steps are in the order of time.
    let mut best: Vec<(i64, Notable)> = Vec::new();
    for (step, notable) in timeline.steps.iter().zip(&history.notable) {
        let Some(notable) = *notable else { continue };
        let x = whole(frame.x(step.time).round());
        match best.last_mut() {
            Some((last, here)) if *last == x => *here = notable.min(*here),
            _ => best.push((x, notable)),
        }
    }
    let mut ticks = Path::default();
    let mut acts = Vec::new();
    for (x, notable) in best {
        let x = float(x);
        match notable {
            Notable::Decision => {
                ticks.to('M', &[x, bottom - 3.0]);
                ticks.to('v', &[3.0]);
            }
            Notable::Condition => acts.push(html! { <circle class="condition" cx={n(x)} cy={n(bottom)} r="2.2" /> }),
            Notable::User => {
                let d = format!("M{} {}l5 9h-10z", n(x), n(bottom - 9.0));
                acts.push(html! { <path class="act" {d} /> });
            }
        }
    }
    html! { <g class="marks"><path class="decisions" d={ticks.done()} />{for acts}</g> }
}

/// Draws a lane's chart with the playhead.
pub(crate) fn view(areas: AreasProps, now: Time, label: &str, point: Option<&Point>, send: &Callback<Message>) -> Html {
    let frame = areas.frame;
    let width = n(frame.time.width + GUTTER);
    let height = n(TOP + HEIGHT + AXIS);
    let x = n(frame.x(now));
    let at = now.since(frame.start);
    let said = point.map_or_else(String::new, |point| match point.over() {
        0 => format!(", {} pods", point.holding()),
        over => format!(", {} pods, {over} over the limit", point.holding()),
    });
    let seek = send.reform(move |x: f64| Message::Seek(frame.at(x)));
    let press = seek.clone();
    html! {
        <svg class="chart" {width} {height} tabindex="0" role="slider" aria-label={format!("Time of {label}")}
            aria-valuemin="0" aria-valuemax={length_of(frame.time.most)} aria-valuenow={length_of(float(at))}
            aria-valuetext={format!("{}{said}", clock(at))}
            onpointerdown={move |event: PointerEvent| if let Some(x) = dom::press(&event) { press.emit(x) }}
            onpointermove={move |event: PointerEvent| if let Some(x) = dom::drag(&event) { seek.emit(x) }}>
            <rect class="ground" width="100%" height="100%" />
            <Areas ..areas />
            <g class="playhead">
                <line x1={x.clone()} x2={x.clone()} y1="0" y2={n(TOP + HEIGHT)} />
                <circle cx={x} cy={n(TOP + HEIGHT)} r="5" />
            </g>
        </svg>
    }
}

/// Whole seconds, as sliders count them.
fn length_of(nanoseconds: f64) -> String {
    whole(nanoseconds / 1e9).to_string()
}

/// The layout of the charts of all lanes.
pub(crate) fn frame(width: f64, end: i64, most: i32, start: Time) -> Frame {
    Frame {
        time: Scale { most: float(end.max(1)), width: (width - GUTTER).max(length(1)) },
        most: f64::from(most.max(1)),
        start,
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::{Counts, Marks};

    use super::*;

    fn point(second: i64, available: i32) -> Point {
        let marks = Marks { desired: 2, limit: 3, min_available: 1 };
        Point { time: Time(0).plus_seconds(second), rows: vec![Counts { available, ..Counts::default() }], marks }
    }

    fn test_frame() -> Frame {
        Frame { time: Scale { most: 10e9, width: 100.0 }, most: 5.8, start: Time(0) }
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
        assert_eq!(line(&points, test_frame(), &limit), "M0 32H100");
    }

    #[test]
    fn pixels_and_times_agree() {
        let frame = test_frame();
        assert_eq!(frame.at(frame.x(Time(0).plus_seconds(3))), Time(0).plus_seconds(3));
        assert_eq!(frame.at(-50.0), Time(0));
        assert_eq!(frame.at(500.0), Time(0).plus_seconds(10));
    }
}
