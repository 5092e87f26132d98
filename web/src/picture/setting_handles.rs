use std::rc::Rc;

use changeover_core::timeline::Marks;
use yew::{Callback, Html, Properties, classes, component, html};

use super::areas::group_spans;
use super::drag_handle::{DragHandle, HandleAxis};
use super::geometry::Geometry;
use super::label_places::{HALF_LINE, HandlePlaces, TextBox};
use crate::number::{group_digits, plural, px};
use crate::playback::{Band, Playback, Playhead};
use crate::settings::{DEFAULT_GRACE_PERIOD, Field, Settings};

/// The greatest number of seconds that a handle sets. Longer times are typed.
const MAX_SECONDS: i64 = 300;

/// The handles in a picture are at least this far from each other, in pixels: as far as a handle is wide.
const MIN_DISTANCE: f64 = 24.0;

/// The handles of two times are at least this far from each other, in pixels: closer ones would look like one.
const SPAN_DISTANCE: f64 = 32.0;

/// Half of the width of the handle of a time, in pixels, as in style.css.
const HALF_GRIP: f64 = 10.0;

/// The width of a handle and its label, in pixels.
const LABEL_WIDTH: f64 = 100.0;

/// The settings that the handles in a lane's picture change.
#[derive(Clone, Debug, PartialEq)]
pub struct HandledSettings {
    /// The settings.
    pub settings: Settings,
    /// The user changes them.
    pub on_change: Callback<Settings>,
}

impl HandledSettings {
    fn set(&self, field: Field, value: i64) {
        let mut settings = self.settings.clone();
        settings.set_text(field, value.to_string());
        self.on_change.emit(settings);
    }

    /// A callback that sets a field to a number that is made from a handle's value.
    fn setter(&self, field: Field, number: impl Fn(i64) -> i64 + 'static) -> Callback<i64> {
        let this = self.clone();
        Callback::from(move |value| this.set(field, number(value)))
    }
}

/// The properties of [`SettingHandles`].
#[derive(PartialEq, Properties)]
pub struct SettingHandlesProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// Where the playhead is.
    pub playhead: Playhead,
    /// The settings of the lane.
    pub handled: HandledSettings,
    /// The user begins to drag a handle (true), or ends.
    pub on_hold: Callback<bool>,
}

/// The handles on a lane's picture: the limit, the minimum, and how long pods take to start and to stop.
#[component]
pub fn SettingHandles(props: &SettingHandlesProps) -> Html {
    let SettingHandlesProps { playback, lane, geometry, playhead, handled, .. } = props;
    let settings = &handled.settings;
    let spans = labeled_spans(playback, *lane, geometry, *playhead, settings);
    html! {
        <div class="setting-handles">
            if settings.applies(Field::MaxSurge) { { view_marks(props) } }
            { for spans.into_iter().map(|(span, label)| view_span(props, span, label)) }
        </div>
    }
}

/// The places of the handles in a lane's picture, with the labels and lines of those of the times.
pub fn handle_places(
    playback: &Playback,
    lane: usize,
    geometry: &Geometry,
    playhead: Playhead,
    settings: &Settings,
) -> HandlePlaces {
    let boxes = mark_boxes(playback, lane, geometry, playhead, settings);
    let mut places = HandlePlaces { boxes, ..HandlePlaces::default() };
    for (span, label) in labeled_spans(playback, lane, geometry, playhead, settings) {
        places.boxes.push(span.grip_box(geometry, playhead));
        places.boxes.extend((!label.is_only_on_use).then_some(label.text_box));
        places.lines.extend(span.line_boxes(geometry, playhead));
    }
    places
}

/// The times in a lane's picture that are numbers of seconds, with the labels of their handles.
fn labeled_spans(
    playback: &Playback,
    lane: usize,
    geometry: &Geometry,
    playhead: Playhead,
    settings: &Settings,
) -> Vec<(Span, SpanLabel)> {
    let spans = spans(playback, lane, geometry, settings).into_iter();
    let spans = spans.filter_map(|span| Some((span, span.value(settings)?))).collect();
    with_labels(spans, mark_boxes(playback, lane, geometry, playhead, settings), geometry, playhead)
}

/// Places the label of each span clear of what is taken, of the handles, of the row of pods, and of the labels before it. Close spans
/// share a label if there is no room for two.
fn with_labels(
    spans: Vec<(Span, i64)>,
    mut taken: Vec<TextBox>,
    geometry: &Geometry,
    playhead: Playhead,
) -> Vec<(Span, SpanLabel)> {
    let row_top = geometry.y(playhead.time);
    taken.push(TextBox { left: 0.0, top: row_top, right: geometry.width, bottom: row_top + geometry.row_height });
    taken.extend(spans.iter().map(|(span, _)| span.grip_box(geometry, playhead)));
    let mut taken_or_labels = taken.clone();
    let with_label = |(span, value): (Span, i64)| {
        let label = SpanLabel::new(&span, value, span.text(value), geometry, playhead, &taken_or_labels);
        taken_or_labels.extend((!label.is_only_on_use).then_some(label.text_box));
        (span, label)
    };
    let labeled: Vec<(Span, SpanLabel)> = spans.into_iter().map(with_label).collect();
    with_joined_label(&labeled, geometry, playhead, &taken).unwrap_or(labeled)
}

/// The labels of two close spans, one of which says both times; none if each has a label, or if there is no room for that one.
fn with_joined_label(
    labeled: &[(Span, SpanLabel)],
    geometry: &Geometry,
    playhead: Playhead,
    taken: &[TextBox],
) -> Option<Vec<(Span, SpanLabel)>> {
    let [(start, start_label), (stop, stop_label)] = labeled else { return None };
    let is_missing = start_label.is_only_on_use || stop_label.is_only_on_use;
    let [start_y, stop_y] = [start, stop].map(|span| geometry.y_around_row(span.end, playhead.time));
    let are_close = (start.x - stop.x).abs() <= 2.0 * MIN_DISTANCE && (start_y - stop_y).abs() <= MIN_DISTANCE;
    if !is_missing || !are_close || geometry.is_narrow() {
        return None;
    }
    let text = format!("{}, {}", start_label.text, stop_label.text);
    let joined = |span: &Span, label: &SpanLabel| {
        let joined = SpanLabel::new(span, label.value, text.clone(), geometry, playhead, taken);
        (!joined.is_only_on_use).then_some(joined)
    };
    let on_use = |label: &SpanLabel| SpanLabel { is_only_on_use: true, ..label.clone() };
    let at_stop = joined(stop, stop_label).map(|label| vec![(*start, on_use(start_label)), (*stop, label)]);
    at_stop.or_else(|| Some(vec![(*start, joined(start, start_label)?), (*stop, on_use(stop_label))]))
}

/// The times in a lane's picture.
fn spans(playback: &Playback, lane: usize, geometry: &Geometry, settings: &Settings) -> Vec<Span> {
    let (start, stop) = playback.lanes.get(lane).map_or((None, None), |lane| (lane.first_start, lane.first_stop));
    let span = |times: Option<(i64, i64)>, band: Band, field: Field, other: Option<f64>| {
        Span::new(playback, lane, geometry, times?, band, field, other)
    };
    let stop_field = settings.is_killed().map(|killed| if killed { Field::GracePeriod } else { Field::TimeToStop });
    let start = span(start, Band::Starting, Field::ReadyAfter, None);
    let other = start.map(|start| start.x);
    let stop = stop_field.and_then(|field| span(stop, Band::Terminating, field, other));
    start.into_iter().chain(stop).collect()
}

/// A time in the picture: how long the first pods of a band take.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: i64,
    end: i64,
    /// Where its line is.
    x: f64,
    /// The setting.
    field: Field,
}

/// The label of a time: it stands beside the handle.
#[derive(Clone, Debug)]
struct SpanLabel {
    /// How many seconds it says.
    value: i64,
    text: String,
    side: &'static str,
    height: &'static str,
    text_box: TextBox,
    /// Whether there is only room for it while the handle is used: the picture is narrow, or everything beside the handle is taken.
    is_only_on_use: bool,
}

impl SpanLabel {
    fn new(span: &Span, value: i64, text: String, geometry: &Geometry, playhead: Playhead, taken: &[TextBox]) -> Self {
        /// The distances between the middle of a handle and its label, as in style.css.
        const BESIDE: f64 = 14.0;
        const FROM_MIDDLE: f64 = 12.0;
        let length = geometry.text_length(&text);
        let Span { end, x, .. } = *span;
        let bottom = geometry.height + geometry.row_height;
        // The label of the start stands on the pods that serve if there is room, the other one behind its handle.
        let is_left = if span.field == Field::ReadyAfter { x > LABEL_WIDTH } else { x + LABEL_WIDTH > geometry.width };
        let middle = geometry.y_around_row(end, playhead.time);
        // Below the picture, it would cover other texts.
        let is_below = end > playhead.time && middle + FROM_MIDDLE + HALF_LINE <= bottom;
        let text_box = |is_left: bool, is_below: bool| {
            let left = if is_left { x - BESIDE - length } else { x + BESIDE };
            let y = middle + if is_below { FROM_MIDDLE } else { -FROM_MIDDLE };
            TextBox { left, top: y - HALF_LINE, right: left + length, bottom: y + HALF_LINE }
        };
        let is_free = |place: &TextBox| {
            let is_inside = place.left >= 0.0 && place.right <= geometry.width;
            let is_inside = is_inside && place.top >= 0.0 && place.bottom <= bottom;
            is_inside && !taken.iter().any(|other| place.touches(other))
        };
        // Its usual place, or else the other height, or the other side.
        let places = [(is_left, is_below), (is_left, !is_below), (!is_left, is_below), (!is_left, !is_below)];
        let free = places.into_iter().find(|(is_left, is_below)| is_free(&text_box(*is_left, *is_below)));
        let (is_left, is_below) = free.unwrap_or((is_left, is_below));
        Self {
            value,
            text,
            side: if is_left { "left" } else { "right" },
            height: if is_below { "below" } else { "above" },
            text_box: text_box(is_left, is_below),
            is_only_on_use: geometry.is_narrow() || free.is_none(),
        }
    }
}

impl Span {
    /// The line is clear of the one where the band begins, of the handles of the marks, and of another span's handle, and its own
    /// handle is inside the picture. None if the band has no pods when the span starts, or right before: pods that are ready at once
    /// leave it in that instant.
    fn new(
        playback: &Playback,
        lane: usize,
        geometry: &Geometry,
        (start, end): (i64, i64),
        band: Band,
        field: Field,
        other: Option<f64>,
    ) -> Option<Self> {
        let track = &playback.lanes.get(lane)?.track;
        let (marks, column) = [start, start.saturating_sub(1)].into_iter().find_map(|time| {
            let snapshot = track.snapshot_at(playback.moment_at(lane, time))?;
            let spans = group_spans(snapshot.counts);
            Some((snapshot.marks, spans.iter().find(|span| span.group.band == band)?.from))
        })?;
        let x = geometry.x(column) + (1.5 * geometry.column_width()).max(MIN_DISTANCE);
        let [minimum, limit] = mark_handles(geometry, marks);
        let handles = [minimum, limit].map(|handle| (handle, MIN_DISTANCE)).into_iter();
        let handles = handles.chain(other.map(|handle| (handle, SPAN_DISTANCE))).collect();
        Some(Self { start, end, x: clear_place(x, handles, geometry.width), field })
    }

    /// What its label says.
    fn text(&self, value: i64) -> String {
        let name = match self.field {
            Field::ReadyAfter => "start",
            Field::GracePeriod => "grace",
            _ => "stop",
        };
        format!("{name} {value} s")
    }

    /// The white part that is dragged.
    fn grip_box(&self, geometry: &Geometry, playhead: Playhead) -> TextBox {
        /// Half of its height, as in style.css.
        const HALF_HEIGHT: f64 = 7.0;
        let y = geometry.y_around_row(self.end, playhead.time);
        TextBox::around(self.x, y, HALF_GRIP, HALF_HEIGHT)
    }

    /// The parts of its line, from top to bottom: the line stops at the row of pods and continues below it.
    fn lines(&self, geometry: &Geometry, playhead: Playhead) -> Vec<(f64, f64)> {
        let [from, to] = [self.start, self.end].map(|time| geometry.y_around_row(time, playhead.time));
        let (row_top, row_bottom) = (geometry.y(playhead.time), geometry.y(playhead.time) + geometry.row_height);
        let is_cut = self.start <= playhead.time && playhead.time < self.end;
        if is_cut { vec![(from, row_top), (row_bottom, to)] } else { vec![(from, to)] }
    }

    /// The parts of its line, with some room on both sides.
    fn line_boxes(&self, geometry: &Geometry, playhead: Playhead) -> Vec<TextBox> {
        const ROOM: f64 = 4.0;
        let (left, right) = (self.x - ROOM, self.x + ROOM);
        let lines = self.lines(geometry, playhead).into_iter();
        lines.map(|(top, bottom)| TextBox { left, top, right, bottom }).collect()
    }

    /// What is set, if it is a number of seconds.
    fn value(&self, settings: &Settings) -> Option<i64> {
        let default = (self.field == Field::GracePeriod).then_some(DEFAULT_GRACE_PERIOD);
        settings.number(self.field).or(default).map(i64::from).filter(|value| *value >= 0)
    }
}

/// The first place right of a place that is far enough from other handles. If its handle would not be inside the picture there, the last
/// place that is. `handles`: where each one stands, and how far from it is far enough.
fn clear_place(x: f64, mut handles: Vec<(f64, f64)>, width: f64) -> f64 {
    handles.sort_by(|(handle, _), (other, _)| handle.total_cmp(other));
    let is_close = |x: f64, handle: f64, distance: f64| (x - handle).abs() < distance;
    let right_of = |x: f64, (handle, distance): &(f64, f64)| {
        if is_close(x, *handle, *distance) { handle + distance } else { x }
    };
    let left_of = |x: f64, (handle, distance): &(f64, f64)| {
        if is_close(x, *handle, *distance) { handle - distance } else { x }
    };
    let (first, last) = (HALF_GRIP, width - HALF_GRIP);
    let right = handles.iter().fold(x, right_of);
    if right <= last { right } else { handles.iter().rev().fold(last, left_of).max(first) }
}

/// Where the handles of the minimum and of the limit stand: at their lines or, if these are close to each other, beside them, so
/// that neither covers the other.
fn mark_handles(geometry: &Geometry, marks: Marks) -> [f64; 2] {
    let [minimum, _, limit] = geometry.marks(marks);
    let aside = ((MIN_DISTANCE - (limit - minimum)) / 2.0).max(0.0);
    [minimum - aside, limit + aside]
}

/// The marks of a lane at the playhead, if they have handles.
fn marks_at(playback: &Playback, lane: usize, playhead: Playhead) -> Option<Marks> {
    let snapshot = playback.lanes.get(lane)?.track.snapshot_at(playback.moment(lane, playhead))?;
    Some(snapshot.marks).filter(|marks| marks.desired > 0)
}

/// The white parts of the handles of the minimum and of the limit.
fn mark_boxes(
    playback: &Playback,
    lane: usize,
    geometry: &Geometry,
    playhead: Playhead,
    settings: &Settings,
) -> Vec<TextBox> {
    /// Their middle and half of their size, as in style.css.
    const MIDDLE: f64 = 2.0;
    const HALF_WIDTH: f64 = 7.0;
    const HALF_HEIGHT: f64 = 10.0;
    let marks = marks_at(playback, lane, playhead).filter(|_| settings.applies(Field::MaxSurge));
    let handles = marks.into_iter().flat_map(|marks| mark_handles(geometry, marks));
    handles.map(|x| TextBox::around(x, MIDDLE, HALF_WIDTH, HALF_HEIGHT)).collect()
}

/// The handles of the limit and the minimum.
fn view_marks(props: &SettingHandlesProps) -> Html {
    let SettingHandlesProps { playback, lane, geometry, playhead, handled, on_hold } = props;
    let Some(marks) = marks_at(playback, *lane, *playhead) else { return Html::default() };
    // What is typed is newer than the picture; what a percentage comes to, only the picture knows.
    let pods = |field: Field, shown: i32| i64::from(handled.settings.number(field).unwrap_or(shown));
    let surge = pods(Field::MaxSurge, marks.limit.saturating_sub(marks.desired));
    let unavailable = pods(Field::MaxUnavailable, marks.desired.saturating_sub(marks.min_available));
    let desired = i64::from(marks.desired);
    let (limit, minimum) = (desired.saturating_add(surge), desired.saturating_sub(unavailable).max(0));
    let [minimum_x, _, limit_x] = geometry.marks(marks);
    let [minimum_handle, limit_handle] = mark_handles(geometry, marks);
    let line_height = px(geometry.height + geometry.row_height);
    let style = |handle: f64, line: f64| {
        format!("left:{}px;--to-line:{}px;--line:{line_height}px", px(handle), px(line - handle))
    };
    let words = |pods: i64| group_digits(i32::try_from(pods).unwrap_or(i32::MAX));
    html! {
        <>
            // Both must not be 0: no pod could ever be replaced.
            <DragHandle key="minimum" axis={HandleAxis::Pods} class="minimum" name="Fewest available pods (maxUnavailable)"
                geometry={geometry.clone()} position={minimum_x} style={style(minimum_handle, minimum_x)} value={minimum} min={0}
                max={desired.saturating_sub(i64::from(surge == 0))}
                value_text={format!("at least {} pods, {} missing", words(minimum), words(unavailable))}
                on_value={handled.setter(Field::MaxUnavailable, move |minimum| desired.saturating_sub(minimum))}
                on_hold={on_hold.clone()} />
            <DragHandle key="limit" axis={HandleAxis::Pods} class="limit" name="Most pods (maxSurge)"
                geometry={geometry.clone()} position={limit_x} style={style(limit_handle, limit_x)} value={limit}
                min={desired.saturating_add(i64::from(unavailable == 0))} max={desired.saturating_mul(2).max(limit)}
                value_text={format!("at most {} pods, {} extra", words(limit), words(surge))}
                on_value={handled.setter(Field::MaxSurge, move |limit| limit.saturating_sub(desired))}
                on_hold={on_hold.clone()} />
        </>
    }
}

/// The handle of a time: a line as long as the time, and the handle at its end.
fn view_span(props: &SettingHandlesProps, span: Span, label: SpanLabel) -> Html {
    let SettingHandlesProps { geometry, playhead, handled, on_hold, .. } = props;
    let SpanLabel { value, text, side, height, is_only_on_use, text_box: _ } = label;
    let Span { end, x, field, .. } = span;
    let (class, name) = match field {
        Field::ReadyAfter => ("start", "Time to start"),
        Field::GracePeriod => ("stop", "Grace period"),
        _ => ("stop", "Time to stop"),
    };
    // No pod takes longer to stop than its grace period leaves.
    let max = match field {
        Field::TimeToStop => handled.settings.seconds_to_stop().map_or(MAX_SECONDS, i64::from),
        _ => MAX_SECONDS,
    };
    let to = geometry.y_around_row(end, playhead.time);
    html! {
        <key={class}>
            // In a fragment of their own: keys count only where all children have one.
            <>{ for span.lines(geometry, *playhead).into_iter().enumerate().map(|(key, (top, bottom))| html! {
                <div key={key} class={format!("setting-span {class}")} style={format!("left:{}px;top:{}px;height:{}px", px(x), px(top), px(bottom - top))} />
            }) }</>
            <DragHandle axis={HandleAxis::Seconds} {class} {name} geometry={geometry.clone()}
                position={geometry.y(end)} style={format!("left:{}px;top:{}px", px(x), px(to))} {value} min={0}
                max={max.max(value)} value_text={plural(i32::try_from(value).unwrap_or(i32::MAX), "second")}
                on_value={handled.setter(field, |seconds| seconds)} on_hold={on_hold.clone()}>
                <span class={classes!("setting-label", side, height, is_only_on_use.then_some("on-use"))}>{ text }</span>
            </DragHandle>
        </>
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::object::Time;

    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    /// A picture of 100 seconds, two pixels each.
    fn timed_geometry(width: f64) -> Geometry {
        let time_scale = TimeScale::new(&[0, seconds(100)], 0, |_| false);
        Geometry { time_scale, ..geometry(width, 20.0) }
    }

    fn seconds(seconds: i64) -> i64 {
        Time::SECOND.saturating_mul(seconds)
    }

    #[test]
    fn the_label_of_a_time_stays_inside_the_picture() {
        let geometry = timed_geometry(480.0);
        for (end, height) in [(60, "below"), (95, "above"), (100, "above")] {
            let span = Span { start: 0, end: seconds(end), x: 240.0, field: Field::TimeToStop };
            let playhead = Playhead { time: seconds(10), position: 0 };
            let labeled = with_labels(vec![(span, 20)], Vec::new(), &geometry, playhead);
            let (_, label) = &labeled[0];
            assert_eq!((label.height, label.is_only_on_use), (height, false), "{end} s");
            assert!(label.text_box.bottom <= geometry.height + geometry.row_height, "{label:?}");
        }
    }

    #[test]
    fn close_times_share_a_label_if_there_is_no_room_for_two() {
        // Two handles at the top of the picture: that of a line is left of them.
        let spans = [(300.0, 1, Field::ReadyAfter, 6), (332.0, 2, Field::TimeToStop, 20)];
        let shown = |taken: Vec<TextBox>| {
            let spans = spans.map(|(x, end, field, value)| (Span { start: 0, end: seconds(end), x, field }, value));
            let playhead = Playhead { time: seconds(50), position: 0 };
            let labeled = with_labels(spans.to_vec(), taken, &timed_geometry(640.0), playhead);
            let shown = labeled.into_iter().filter(|(_, label)| !label.is_only_on_use);
            shown.map(|(_, label)| label.text).collect::<Vec<_>>()
        };
        assert_eq!(shown(Vec::new()), ["start 6 s", "stop 20 s"]);
        assert_eq!(shown(vec![TextBox::around(276.0, 2.0, 7.0, 10.0)]), ["start 6 s, stop 20 s"]);
    }

    #[test]
    fn the_handle_of_a_time_is_clear_of_others_and_inside_the_picture() {
        let handles = || vec![(221.7, MIN_DISTANCE), (133.0, MIN_DISTANCE), (245.7, SPAN_DISTANCE)];
        for (x, width, expected) in
            [(50.0, 264.0, 50.0), (130.0, 264.0, 157.0), (200.0, 400.0, 277.7), (200.0, 264.0, 197.7_f64)]
        {
            let place = clear_place(x, handles(), width);
            assert!((place - expected).abs() < 0.001, "{x} in {width}: {place}");
        }
    }

    fn geometry(width: f64, columns: f64) -> Geometry {
        Geometry {
            width,
            height: 200.0,
            row_height: 74.0,
            columns,
            has_fixed_columns: false,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale: TimeScale::default(),
        }
    }

    #[test]
    fn the_labels_of_close_times_do_not_touch() {
        // At one height below the row of pods.
        let span = |x: f64, field: Field| Span { start: 0, end: 1, x, field };
        let labels = |width: f64| {
            let spans = vec![(span(362.0, Field::ReadyAfter), 6), (span(386.0, Field::TimeToStop), 20)];
            let labeled = with_labels(spans, Vec::new(), &geometry(width, 20.0), Playhead::default());
            labeled.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        // The second one would usually stand left of its handle, as the first one does.
        let shown = labels(480.0);
        assert_eq!([shown[0].side, shown[1].side], ["left", "right"], "{shown:?}");
        assert!(shown.iter().all(|label| !label.is_only_on_use), "{shown:?}");
        assert!(!shown[0].text_box.touches(&shown[1].text_box), "{shown:?}");
        // There is room for one.
        let shown = labels(440.0);
        assert_eq!([shown[0].is_only_on_use, shown[1].is_only_on_use], [false, true], "{shown:?}");
    }

    #[test]
    fn the_handles_of_close_lines_stand_beside_them() {
        let marks = Marks { desired: 15, limit: 15, min_available: 14 };
        // One column is 24, 16 or 0.48 pixels wide.
        for (columns, expected) in [(20.0, [336.0_f64, 360.0]), (30.0, [220.0, 244.0]), (1000.0, [-5.04, 18.96])] {
            let handles = mark_handles(&geometry(480.0, columns), marks);
            let mut differences = handles.iter().zip(&expected).map(|(handle, expected)| (handle - expected).abs());
            assert!(differences.all(|difference| difference < 0.001), "{columns}: {handles:?}");
        }
    }
}
