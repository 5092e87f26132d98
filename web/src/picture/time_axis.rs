use std::rc::Rc;

use changeover_core::scenario::Duration;
use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::{Callback, Html, Properties, TargetCast, classes, component, html, use_memo, use_mut_ref, use_node_ref};

use super::geometry::Geometry;
use super::setbacks::setback_marks;
use super::view::description;
use crate::dom;
use crate::number::{group_count, px, to_i64};
use crate::playback::{Playback, Playhead, Stretch};

/// Labels are at least this far apart, in pixels.
const LABEL_DISTANCE: f64 = 17.0;

/// Half of the height of a label, in pixels.
const HALF_LABEL: f64 = 7.0;

/// Half of the height of the mark of a setback, in pixels, as in style.css.
const HALF_MARK: f64 = 8.0;

/// How many steps a page is.
const PAGE: usize = 10;

/// The properties of [`TimeAxis`].
#[derive(PartialEq, Properties)]
pub struct TimeAxisProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane that it stands beside.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// Where the playhead is.
    pub playhead: Playhead,
    /// Where it is when a screen reader says so.
    pub spoken_playhead: Playhead,
    /// Whether the handle can be used: there is one for all lanes.
    pub has_handle: bool,
    /// The user moves the playhead to a time.
    pub on_seek: Callback<i64>,
    /// The user goes to the next step (true) or to the previous one.
    pub on_step: Callback<bool>,
}

/// The clock beside the picture, with a handle at the playhead.
#[component]
pub fn TimeAxis(props: &TimeAxisProps) -> Html {
    let TimeAxisProps { playback, lane, geometry, playhead, spoken_playhead, has_handle, on_seek, on_step } = props;
    let root = use_node_ref();
    let labels = use_memo((playback.clone(), geometry.clone()), |(playback, geometry)| axis_labels(playback, geometry));
    let setbacks = use_memo((playback.clone(), *lane, geometry.clone()), |(playback, lane, geometry)| {
        playback.lanes.get(*lane).map(|lane| setback_marks(&lane.track, geometry)).unwrap_or_default()
    });
    let height = geometry.height + geometry.row_height;
    let middle = geometry.y(playhead.time) + geometry.row_height / 2.0;
    // How far from its middle the handle was taken.
    let grip = use_mut_ref(|| 0.0);
    let seek = {
        let (root, geometry, on_seek) = (root.clone(), geometry.clone(), on_seek.clone());
        move |event: &PointerEvent, grip: f64| {
            let Some(root) = root.cast::<Element>().filter(|_| event.buttons() == 1) else { return };
            on_seek.emit(geometry.time_at(pointer_y(event, &root) - grip));
        }
    };
    let on_pointer_down = {
        let (root, grip, geometry, on_seek) = (root.clone(), grip.clone(), geometry.clone(), on_seek.clone());
        let shown = playhead.time;
        Callback::from(move |event: PointerEvent| {
            let Some(root) = root.cast::<Element>() else { return };
            // Fails only for pointers that are gone.
            let _ = root.set_pointer_capture(event.pointer_id());
            let target = event.target_dyn_into::<Element>();
            let is_handle = target.is_some_and(|target| target.class_list().contains("handle"));
            let y = pointer_y(&event, &root);
            // A click goes to the time that is shown there.
            let time = if is_handle { shown } else { geometry.time_shown_at(y, shown) };
            grip.replace(y - geometry.row_middle(time));
            if !is_handle && event.buttons() == 1 {
                on_seek.emit(time);
            }
        })
    };
    let on_pointer_move = Callback::from(move |event: PointerEvent| seek(&event, *grip.borrow()));
    let on_key = {
        let (on_seek, on_step, playback, shown) = (on_seek.clone(), on_step.clone(), playback.clone(), *playhead);
        Callback::from(move |event: KeyboardEvent| {
            let page = |step: fn(&Playback, Playhead) -> Playhead| {
                (0..PAGE).fold(shown, |playhead, _| step(&playback, playhead)).time
            };
            match event.key().as_str() {
                "ArrowDown" | "ArrowRight" => on_step.emit(true),
                "ArrowUp" | "ArrowLeft" => on_step.emit(false),
                "PageDown" => on_seek.emit(page(Playback::next_wave)),
                "PageUp" => on_seek.emit(page(Playback::previous_wave)),
                "Home" => on_seek.emit(playback.first_wave().time),
                "End" => on_seek.emit(playback.end_time()),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let clear = |y: f64| (y - middle).abs() > geometry.row_height / 2.0 + 4.0;
    let half_label = HALF_LABEL * geometry.text_scale;
    let lowest = (height - half_label).max(half_label);
    let is_beside_mark = |y: f64| {
        let mut marks = setbacks.iter().map(|mark| geometry.y_around_row(mark.at, playhead.time));
        marks.any(|mark| (mark - y).abs() <= half_label + HALF_MARK * geometry.text_scale)
    };
    html! {
        <div ref={root} class="time-axis" style={format!("height:{}px", px(height))} onpointerdown={on_pointer_down}
            onpointermove={on_pointer_move}>
            // Lists are in fragments of their own: keys count only where all children have one.
            <>{ for labels.breaks.iter().map(|gap| (gap, geometry.y_around_row(gap.middle, playhead.time))).map(|(gap, y)| html! {
                <key={gap.middle}>
                    <span class="axis-break" aria-hidden="true" style={format!("top:{}px", px(y))} />
                    if let Some((length, shift)) = gap.length.as_ref().filter(|(_, shift)| clear(y + shift)) {
                        <span class="break-length" aria-hidden="true" style={format!("top:{}px", px(y + shift))}>{ length }</span>
                    }
                </>
            }) }</>
            <>{ for labels.times.iter().map(|time| (time, geometry.y_around_row(*time, playhead.time))).filter(|(_, y)| clear(*y)).map(|(time, y)| (time, y.clamp(half_label, lowest))).map(|(time, y)| html! {
                <span key={*time} class={classes!("time", is_beside_mark(y).then_some("beside"))} aria-hidden="true" style={format!("top:{}px", px(y))}>
                    { playback.clock(*time) }
                </span>
            }) }</>
            <>{ for setbacks.iter().map(|mark| (mark, mark.name(playback))).map(|(mark, name)| html! {
                <span key={mark.at} class="setback" role="img" aria-label={name.clone()} title={name}
                    style={format!("top:{}px", px(geometry.y_around_row(mark.at, playhead.time)))}>{ "×" }</span>
            }) }</>
            if *has_handle {
                <div class="handle" id={dom::TIME_ID} role="slider" tabindex="0" aria-label="Time" aria-orientation="vertical"
                    aria-valuemin="1" aria-valuemax={playback.waves.len().to_string()}
                    aria-valuenow={playback.wave_number(*spoken_playhead).to_string()}
                    aria-valuetext={value_text(playback, *spoken_playhead)}
                    style={format!("top:{}px", px(middle))} onkeydown={on_key}>
                    { playback.clock(playhead.time) }
                </div>
            } else {
                <div class="handle" aria-hidden="true" style={format!("top:{}px", px(middle))}>
                    { playback.clock(playhead.time) }
                </div>
            }
        </div>
    }
}

/// The height of the pointer in an element.
fn pointer_y(event: &PointerEvent, element: &Element) -> f64 {
    f64::from(event.client_y()) - element.get_bounding_client_rect().top()
}

/// `0:14.2 of 1:14, step 17 of 35. Today: 30 pods, 13 available, 15 terminating. With TerminationComplete: 19 pods, …`
fn value_text(playback: &Playback, playhead: Playhead) -> String {
    let [step, steps] = [playback.wave_number(playhead), playback.waves.len()].map(group_count);
    let lanes = playback.shown_lanes.iter().filter_map(|number| Some((*number, playback.lanes.get(*number)?)));
    let pods = lanes.map(|(number, lane)| {
        format!(". {}: {}", lane.info.name, description(lane, playback.moment(number, playhead)))
    });
    format!("{}, step {step} of {steps}{}", playback.exact_position_phrase(playhead), pods.collect::<String>())
}

/// A break in time.
#[derive(Clone, Debug, PartialEq)]
struct AxisBreak {
    /// The time in its middle.
    middle: i64,
    /// The text of its length, and how far below the middle that text is, in pixels; none if there is no room.
    length: Option<(String, f64)>,
}

/// The labels of the axis, and its breaks.
#[derive(Clone, Debug, Default, PartialEq)]
struct AxisLabels {
    /// The times with a label.
    times: Vec<i64>,
    /// The breaks in time.
    breaks: Vec<AxisBreak>,
    /// The heights of all labels, without the row of pods.
    heights: Vec<f64>,
}

impl AxisLabels {
    fn is_clear(&self, y: f64, geometry: &Geometry) -> bool {
        self.heights.iter().all(|other| (other - y).abs() >= LABEL_DISTANCE * geometry.text_scale)
    }

    /// Adds a label if there is room, and no other label says the same.
    fn add_time(&mut self, time: i64, playback: &Playback, geometry: &Geometry) {
        // Neither the first label nor the last one hangs over the edge.
        let half = HALF_LABEL * geometry.text_scale;
        let y = geometry.y(time).min(geometry.height - half).max(half);
        let is_new = self.times.iter().all(|other| playback.clock(*other) != playback.clock(time));
        if is_new && self.is_clear(y, geometry) {
            self.times.push(time);
            self.heights.push(y);
        }
    }

    /// Adds a break, with its length next to it if there is room.
    fn add_break(&mut self, stretch: &Stretch, geometry: &Geometry) {
        /// A longer text does not fit on a phone.
        const MAX_LETTERS: usize = 8;
        const SHIFTS: [f64; 5] = [0.0, -9.0, 9.0, -LABEL_DISTANCE, LABEL_DISTANCE];
        let y = f64::midpoint(stretch.top, stretch.bottom) * geometry.height;
        let span = stretch.to.saturating_sub(stretch.from);
        let words = Duration(span).in_words();
        let text = if words.len() > MAX_LETTERS { rounded_minutes(span) } else { words };
        let half = HALF_LABEL * geometry.text_scale;
        let inside = half..=geometry.height - half;
        let has_room = |shift: &f64| inside.contains(&(y + shift)) && self.is_clear(y + shift, geometry);
        let shift = SHIFTS
            .into_iter()
            .map(|shift| shift * geometry.text_scale)
            .find(has_room)
            .filter(|_| text.len() <= MAX_LETTERS);
        self.heights.extend(shift.map(|shift| y + shift));
        let middle = stretch.from.saturating_add(span.div_euclid(2));
        self.breaks.push(AxisBreak { middle, length: shift.map(|shift| (text, shift)) });
    }
}

/// `~10 min`: what there is room for instead of `9 min 46 s`.
fn rounded_minutes(span: i64) -> String {
    const MINUTE: i64 = 60_000_000_000;
    format!("~{} min", span.saturating_add(MINUTE / 2).div_euclid(MINUTE))
}

/// The labels of the axis: the beginning and the end, the moments at which something ends in a lane, the breaks with their
/// ends, and round times in between, as far as there is room.
fn axis_labels(playback: &Playback, geometry: &Geometry) -> AxisLabels {
    let mut labels = AxisLabels::default();
    let change = playback.totals(0).change;
    for time in [0, playback.end_time(), change] {
        labels.add_time(time, playback, geometry);
    }
    for lane in &playback.shown_lanes {
        for end in playback.lane_ends(*lane) {
            labels.add_time(end.time, playback, geometry);
        }
    }
    let stretches = || geometry.time_scale.stretches().iter();
    for stretch in stretches().filter(|stretch| stretch.is_break) {
        labels.add_time(stretch.from, playback, geometry);
        labels.add_time(stretch.to, playback, geometry);
        labels.add_break(stretch, geometry);
    }
    let drawn = || stretches().filter(|stretch| !stretch.is_break);
    let total = drawn().fold(0_i64, |sum, stretch| sum.saturating_add(stretch.to.saturating_sub(stretch.from)));
    let step = round_step(total, geometry.height / (ROUND_DISTANCE * geometry.text_scale));
    for stretch in drawn() {
        let first = stretch.from.saturating_sub(change).div_euclid(step).saturating_add(1).max(0);
        let last = stretch.to.saturating_sub(change).div_euclid(step);
        for number in first..=last {
            labels.add_time(number.saturating_mul(step).saturating_add(change), playback, geometry);
        }
    }
    labels
}

/// Round times are at least this far apart, in pixels.
const ROUND_DISTANCE: f64 = 26.0;

/// The smallest round number of seconds that fits into a time at most so often, in nanoseconds.
fn round_step(total: i64, most: f64) -> i64 {
    const SECONDS: [i64; 14] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600];
    let most = to_i64(most).max(1);
    let steps = SECONDS.map(|seconds| seconds.saturating_mul(1_000_000_000));
    let fits = |step: &i64| total.div_euclid(*step) <= most;
    steps.into_iter().find(fits).unwrap_or_else(|| total.div_euclid(most).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn no_label_touches_the_one_at_the_upper_edge() {
        // A pixel for each second.
        let [start, near, far, end] = [0, 18, 30, 100].map(|second: i64| second.saturating_mul(SECOND));
        let geometry = Geometry {
            width: 400.0,
            height: 100.0,
            row_height: 74.0,
            columns: 20.0,
            has_fixed_columns: false,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale: TimeScale::new(&[start, end], 0, |_| false),
        };
        let playback = Playback::new(0, Vec::new());
        let mut labels = AxisLabels::default();
        for time in [start, near, far] {
            labels.add_time(time, &playback, &geometry);
        }
        assert_eq!(labels.times, [start, far]);
    }

    #[test]
    fn a_break_says_its_length_where_there_is_room() {
        let time_scale = TimeScale::default();
        let geometry = Geometry {
            width: 400.0,
            height: 320.0,
            row_height: 74.0,
            columns: 20.0,
            has_fixed_columns: false,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale,
        };
        let length = |from: i64, to: i64, [top, bottom]: [f64; 2], heights: &[f64]| {
            let mut labels = AxisLabels { heights: heights.to_vec(), ..AxisLabels::default() };
            let stretch = Stretch { from: from * SECOND, to: to * SECOND, top, bottom, is_break: true };
            labels.add_break(&stretch, &geometry);
            assert_eq!(labels.breaks[0].middle, (from + to) * SECOND / 2);
            labels.breaks[0].length.clone()
        };
        let text = |shift: f64| Some((String::from("5 min"), shift));
        // Its middle is at 180 pixels.
        let edges = [0.5, 0.625];
        assert_eq!(length(5, 305, edges, &[]), text(0.0));
        assert_eq!(length(5, 305, edges, &[163.0, 197.0]), text(0.0));
        assert_eq!(length(5, 305, edges, &[187.0]), text(-17.0));
        assert_eq!(length(5, 305, edges, &[173.0]), text(17.0));
        assert_eq!(length(5, 305, edges, &[165.0, 195.0]), None);
        // No text hangs over the edge.
        assert_eq!(length(5, 305, [0.984375, 1.0], &[]), text(-9.0));
        let words = |seconds: i64| length(0, seconds, edges, &[]).map(|label| label.0);
        let written = [29, 586, 8890, 11 * 3600, 100_000].map(words);
        assert_eq!(
            written.each_ref().map(Option::as_deref),
            [Some("29 s"), Some("~10 min"), Some("~148 min"), Some("11 h"), None]
        );
    }
}
