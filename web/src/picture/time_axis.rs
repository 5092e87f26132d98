use std::rc::Rc;

use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::{Callback, Html, Properties, TargetCast, component, html, use_memo, use_mut_ref, use_node_ref};

use super::geometry::Geometry;
use super::view::description;
use crate::number::{px, to_i64};
use crate::playback::{Playback, Playhead};

/// Labels are at least this far apart, in pixels.
const LABEL_DISTANCE: f64 = 17.0;

/// Half of the height of a label, in pixels.
const HALF_LABEL: f64 = 7.0;

/// The properties of [`TimeAxis`].
#[derive(PartialEq, Properties)]
pub struct TimeAxisProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// Where the playhead is.
    pub playhead: Playhead,
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
    let TimeAxisProps { playback, geometry, playhead, has_handle, on_seek, on_step } = props;
    let root = use_node_ref();
    let labels = use_memo((playback.clone(), geometry.clone()), |(playback, geometry)| label_times(playback, geometry));
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
        let (on_seek, on_step) = (on_seek.clone(), on_step.clone());
        let (start, end) = (playback.first_wave().time, playback.end_time());
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "ArrowDown" | "ArrowRight" | "PageDown" => on_step.emit(true),
                "ArrowUp" | "ArrowLeft" | "PageUp" => on_step.emit(false),
                "Home" => on_seek.emit(start),
                "End" => on_seek.emit(end),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let clear = |y: f64| (y - middle).abs() > geometry.row_height / 2.0 + 4.0;
    html! {
        <div ref={root} class="time-axis" style={format!("height:{}px", px(height))} onpointerdown={on_pointer_down}
            onpointermove={on_pointer_move}>
            { for labels.iter().map(|time| (time, geometry.y_around_row(*time, playhead.time))).filter(|(_, y)| clear(*y)).map(|(time, y)| (time, y.min(height - HALF_LABEL))).map(|(time, y)| html! {
                <span key={*time} class="time" aria-hidden="true" style={format!("top:{}px", px(y))}>{ playback.clock(*time) }</span>
            }) }
            if *has_handle {
                <div class="handle" role="slider" tabindex="0" aria-label="Time" aria-orientation="vertical"
                    aria-valuemin="1" aria-valuemax={playback.waves.len().to_string()}
                    aria-valuenow={playback.wave_number(*playhead).to_string()} aria-valuetext={value_text(playback, *playhead)}
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

/// `0:14 of 1:14, step 17 of 35: 30 pods, 13 available, 15 terminating`, with the pods of the first lane.
fn value_text(playback: &Playback, playhead: Playhead) -> String {
    let (step, steps) = (playback.wave_number(playhead), playback.waves.len());
    let pods = playback.lanes.first().map(|lane| description(lane, playback.moment(0, playhead)));
    format!("{}, step {step} of {steps}: {}", playback.position_phrase(playhead.time), pods.unwrap_or_default())
}

/// The times that get a label: the beginning and the end, the moments at which a lane is done, the ends of the breaks, and the
/// round times between as far as they have room.
fn label_times(playback: &Playback, geometry: &Geometry) -> Vec<i64> {
    let mut labels: Vec<i64> = Vec::new();
    // The last label does not hang over the edge.
    let label_y = |time: i64| geometry.y(time).min(geometry.height - HALF_LABEL);
    let mut add = |time: i64| {
        let is_clear = labels.iter().all(|other| {
            (label_y(*other) - label_y(time)).abs() >= LABEL_DISTANCE && playback.clock(*other) != playback.clock(time)
        });
        if is_clear {
            labels.push(time);
        }
    };
    let change = playback.totals(0).change;
    add(0);
    add(playback.end_time());
    add(change);
    for lane in &playback.shown_lanes {
        playback.lane_ends(*lane).into_iter().for_each(|end| add(end.time));
    }
    let stretches = || geometry.time_scale.stretches().iter();
    for stretch in stretches().filter(|stretch| stretch.is_break) {
        add(stretch.from);
        add(stretch.to);
    }
    let drawn = || stretches().filter(|stretch| !stretch.is_break);
    let total = drawn().fold(0_i64, |sum, stretch| sum.saturating_add(stretch.to.saturating_sub(stretch.from)));
    let step = round_step(total, geometry.height / ROUND_DISTANCE);
    for stretch in drawn() {
        let first = stretch.from.saturating_sub(change).div_euclid(step).saturating_add(1).max(0);
        let last = stretch.to.saturating_sub(change).div_euclid(step);
        (first..=last).for_each(|number| add(number.saturating_mul(step).saturating_add(change)));
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
