use std::rc::Rc;
use std::slice;

use changeover_wire::Mark;
use web_sys::{Element, PointerEvent};
use yew::{Callback, Html, NodeRef, Properties, classes, component, html, use_memo, use_mut_ref, use_node_ref};

use super::areas::{Areas, seams};
use super::classes::{band_class, fill, hue_class, mark_class};
use super::column_areas::column_areas;
use super::column_row::{ColumnRow, column_description};
use super::geometry::Geometry;
use super::label_places::{HALF_LINE, HandlePlaces, LabelPlaces, TextBox, heights_near};
use super::pod_row::PodRow;
use super::setbacks::{SetbackLabel, SetbackMark, setback_labels, setback_marks};
use crate::number::{group_digits, plural, px};
use crate::playback::{Lane, LaneEnd, Playback, Playhead};

/// The properties of [`Picture`].
#[derive(PartialEq, Properties)]
pub struct PictureProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// Where the playhead is.
    pub playhead: Playhead,
    /// The part that is lit up.
    pub highlight: Option<Mark>,
    /// The ReplicaSet that is lit up with [`Mark::ReplicaSet`].
    pub highlighted_replica_set: Option<usize>,
    /// The places of the handles in it.
    #[prop_or_default]
    pub handles: HandlePlaces,
    /// The user moves the playhead to a time.
    pub on_seek: Callback<i64>,
}

/// The picture of a lane. Dragging it moves the playhead.
#[component]
pub fn Picture(props: &PictureProps) -> Html {
    let PictureProps { playback, lane: number, geometry, playhead, highlight, highlighted_replica_set, .. } = props;
    let on_seek = &props.on_seek;
    let root = use_node_ref();
    let areas = use_memo((playback.clone(), *number, geometry.clone()), |(playback, lane, geometry)| {
        let Some(lane) = playback.lanes.get(*lane) else { return Areas::default() };
        match lane.fixed_columns.as_ref().filter(|_| geometry.has_fixed_columns) {
            Some(columns) => column_areas(lane, columns, geometry, playback.version_names()),
            None => {
                let areas = Areas::new(&lane.track, geometry, playback.version_names());
                Areas { seams: seams(lane, geometry), ..areas }
            }
        }
    });
    let setbacks = use_memo((playback.clone(), *number, geometry.clone()), |(playback, lane, geometry)| {
        playback.lanes.get(*lane).map(|lane| setback_marks(&lane.track, geometry)).unwrap_or_default()
    });
    let Some(lane) = playback.lanes.get(*number) else { return Html::default() };
    let moment = playback.moment(*number, *playhead);
    let (y, gap) = (geometry.y(playhead.time), geometry.row_height);
    let (width, height) = (geometry.width, geometry.height);
    let past = format!("past-{number}");
    let future = format!("future-{number}");
    let areas_id = format!("areas-{number}");
    let mut ends: Vec<End> = playback.lane_ends(*number).iter().map(|end| End::new(end, playback, geometry)).collect();
    ends.sort_by(|end, other| end.y.total_cmp(&other.y));
    let places = LabelPlaces::new(props.handles.clone(), ends.iter().map(|end| end.y), y, gap);
    let end_line = |end: &End| {
        let y = places.line_height(end.y);
        html! { <path key={end.text.clone()} class="end" d={format!("M0 {}H{}", px(y), px(width))} /> }
    };
    let end_lines: Html = ends.iter().map(end_line).collect();
    // The row of pods cuts areas in two, but no cross.
    let failures: String = areas.failures.iter().map(|cross| cross.beside_row(y, gap).path()).collect();
    let lit = highlight.map(|mark| format!("lit lit-{}", mark_class(mark)));
    // How far from the middle of the row of pods it was taken.
    let grip = use_mut_ref(|| 0.0);
    let on_pointer_down = {
        let (root, geometry, on_seek, grip) = (root.clone(), geometry.clone(), on_seek.clone(), grip.clone());
        let shown = playhead.time;
        Callback::from(move |event: PointerEvent| {
            let Some(y) = press_y(&event, &root) else { return };
            // A click goes to the time that is shown there.
            let time = geometry.time_shown_at(y, shown);
            grip.replace(y - geometry.row_middle(time));
            on_seek.emit(time);
        })
    };
    let on_pointer_move = {
        let (root, geometry, on_seek) = (root.clone(), geometry.clone(), on_seek.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(y) = press_y(&event, &root) {
                on_seek.emit(geometry.time_at(y - *grip.borrow()));
            }
        })
    };
    let is_before = playhead.time < playback.totals(0).change;
    let summary = format!("{} {}: {}", lane.info.name, playback.clock_phrase(playhead.time), description(lane, moment));
    html! {
        <svg ref={root} class={classes!("picture", lit)} viewBox={format!("0 0 {} {}", px(width), px(height + gap))}
            width={px(width)} height={px(height + gap)} role="img" aria-label={summary}
            onpointerdown={on_pointer_down} onpointermove={on_pointer_move}>
            <defs>
                <clipPath id={past.clone()}><rect width={px(width)} height={px(y)} /></clipPath>
                <clipPath id={future.clone()}><rect y={px(y)} width={px(width)} height={px(height - y)} /></clipPath>
                <LaneAreas id={areas_id.clone()} areas={areas.clone()} geometry={geometry.clone()}
                    highlighted_replica_set={*highlighted_replica_set} />
            </defs>
            <use href={format!("#{areas_id}")} clip-path={format!("url(#{past})")} />
            <g class={is_before.then_some("not-yet")} transform={format!("translate(0 {})", px(gap))}>
                <use href={format!("#{areas_id}")} clip-path={format!("url(#{future})")} />
            </g>
            <path class={classes!("failure", is_before.then_some("not-yet"))} d={failures} />
            { end_lines }
            <g class="labels">{ view_labels(&areas, geometry, &ends, &setbacks, playback, places) }</g>
            if geometry.has_fixed_columns {
                <ColumnRow playback={playback.clone()} lane={*number} geometry={geometry.clone()} {moment} top={y} />
            } else {
                <PodRow playback={playback.clone()} lane={*number} geometry={geometry.clone()} {moment}
                    top={y} highlighted_replica_set={*highlighted_replica_set} handles={props.handles.boxes.clone()} />
            }
        </svg>
    }
}

/// The texts in the areas, in the places that are left. One that does not fit there is left out.
fn view_labels(
    areas: &Areas,
    geometry: &Geometry,
    ends: &[End],
    setbacks: &[SetbackMark],
    playback: &Playback,
    mut places: LabelPlaces,
) -> Html {
    let mut texts = Vec::new();
    let half_line = HALF_LINE * geometry.text_scale;
    let crosses: Vec<f64> = setbacks.iter().map(|mark| geometry.y(mark.at)).collect();
    // The texts of breaks are in their order: one that would stand above an earlier one is left out.
    let mut last = f64::NEG_INFINITY;
    for (index, (stretch, y)) in areas.breaks.iter().enumerate() {
        let half = geometry.text_length(stretch) / 2.0;
        if 2.0 * half > geometry.width {
            continue;
        }
        let mut heights = break_heights(*y, &crosses, geometry.height, half_line).filter(|height| *height > last);
        let placed =
            heights.find_map(|height| Some((height, places.place(geometry.width / 2.0, height, half, half_line)?)));
        if let Some((height, y)) = placed {
            last = height;
            texts.push(html! { <text key={format!("break-{index}")} class="label skipped" x={px(geometry.width / 2.0)} y={px(y)} text-anchor="middle" dy="0.35em">{ stretch }</text> });
        }
    }
    areas.breaks.iter().for_each(|(_, y)| places.take_line(*y, BREAK_HALF_HEIGHT));
    for (index, over) in areas.over_limit.iter().flat_map(|over| &over.labels).enumerate() {
        // The row of pods says it as well.
        if (over.y - places.cut()).abs() <= 2.0 * half_line {
            continue;
        }
        let text = &over.text;
        let half = geometry.text_length(text) / 2.0;
        let heights: Vec<f64> = heights_near(over.y, geometry.height, half_line).collect();
        for left in places.left_edges(over.x, 2.0 * half, geometry.width) {
            if let Some(y) = places.place_clear_at(left + half, &heights, half, half_line) {
                texts.push(html! { <text key={format!("over-{index}")} class="label over-limit" x={px(left)} y={px(y)} dy="0.35em">{ text }</text> });
                break;
            }
        }
    }
    let ends = if geometry.has_end_labels() { ends } else { &[] };
    for group in end_groups(ends, &places, half_line) {
        for EndLabel { text, side, right, y } in end_labels(group, areas, geometry, &mut places) {
            let (x, anchor) = match side {
                Side::Left => (END_MARGIN, "start"),
                Side::Right => (right - END_MARGIN, "end"),
            };
            if let Some((first, last)) = group.first().zip(group.last()).filter(|_| text.contains(',')) {
                // It names all lines of the group.
                let [top, bottom] = [first, last].map(|end| places.line_height(end.y));
                texts.push(html! { <path key={format!("lines {text}")} class="end" d={format!("M{} {}V{}", px(x), px(top), px(bottom))} /> });
            }
            texts.push(
                html! { <text key={text.clone()} class="label end" x={px(x)} y={px(y)} text-anchor={anchor} dy="0.35em">{ text }</text> },
            );
        }
    }
    let setback_labels = setback_labels(setbacks, |time| playback.until_phrase(time), geometry, &mut places);
    for SetbackLabel { at, text, x, y } in setback_labels {
        texts.push(html! { <text key={format!("setback-{at}")} class="label setback-text" x={px(x)} y={px(y)} dy="0.35em">{ text }</text> });
    }
    for label_places in &areas.labels {
        let placed = label_places.iter().find_map(|label| {
            let (across, along) =
                if label.is_vertical { (half_line, label.half_length) } else { (label.half_length, half_line) };
            Some((label, places.place_near(label.x, label.y, across, along, label.room)?))
        });
        let Some((label, y)) = placed else { continue };
        let rotation = if label.is_vertical { " rotate(-90)" } else { "" };
        let transform = format!("translate({} {}){rotation}", px(label.x), px(y));
        let class = classes!("label", band_class(label.group.band), hue_class(label.group.replica_set));
        let key = format!("area {} {}", label.x.to_bits(), label.y.to_bits());
        texts.push(
            html! { <text key={key} {class} {transform} text-anchor="middle" dy="0.35em">{ &label.text }</text> },
        );
    }
    texts.into_iter().collect()
}

/// The heights to try for the text of a break, the nearest one first: below the crosses above its middle, so that their texts are
/// beside them. `crosses`: the heights of all crosses.
fn break_heights(y: f64, crosses: &[f64], height: f64, half_line: f64) -> impl Iterator<Item = f64> {
    let cross = crosses.iter().copied().filter(|cross| *cross <= y).fold(f64::NEG_INFINITY, f64::max);
    heights_near(y, height, half_line).filter(move |y| *y >= cross + half_line)
}

/// The line at which something ends in a lane, and its label.
#[derive(Clone, Debug, PartialEq)]
struct End {
    text: String,
    short_text: String,
    /// Its height in the picture without the row of pods.
    y: f64,
}

impl End {
    fn new(end: &LaneEnd, playback: &Playback, geometry: &Geometry) -> Self {
        let clock = playback.clock(end.time);
        let text = format!("{} {clock}", end.name);
        Self { text, short_text: format!("{} {clock}", end.short_name), y: geometry.y(end.time) }
    }
}

/// How far the text of an end is from the edge, in pixels.
const END_MARGIN: f64 = 4.0;

/// The side of the picture, or of its part up to the limit, that a label is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The label of one or more ends.
#[derive(Clone, Debug, PartialEq)]
struct EndLabel {
    text: String,
    side: Side,
    /// Where it ends if it is on the right: at the limit, or at the right edge of the picture.
    right: f64,
    /// Its middle, in the picture with the row of pods.
    y: f64,
}

/// The ends, from top to bottom, in groups: there is no room for a text between the lines of a group.
fn end_groups<'a>(ends: &'a [End], places: &LabelPlaces, half_line: f64) -> Vec<&'a [End]> {
    let are_close = |end: &End, next: &End| places.line_height(next.y) - places.line_height(end.y) < 2.0 * half_line;
    ends.chunk_by(are_close).collect()
}

/// The labels of a group of ends: of two, one above the first line and one below the last line; else one for all of them. None
/// if not even a short text fits. Only if there is no other place, a label stands above the limit, where a reader expects nothing
/// but what is too much, or even covers pods that start, terminate or are above the limit.
fn end_labels(ends: &[End], areas: &Areas, geometry: &Geometry, places: &mut LabelPlaces) -> Vec<EndLabel> {
    /// What a label may cover, and whether it may stand above the limit.
    const CHOICES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];
    let half_line = HALF_LINE * geometry.text_scale;
    let half_text = half_line - 1.0;
    let Some((first, last)) = ends.first().zip(ends.last()) else { return Vec::new() };
    let is_inside = |y: &f64| (half_text..=geometry.height - half_text).contains(y);
    let (above, below) = (Some(first.y - half_line).filter(is_inside), Some(last.y + half_line).filter(is_inside));
    // A text at the first free one of these heights, on the right or else on the left.
    let place = |places: &mut LabelPlaces, ends: &[End], heights: &[f64]| {
        let joined = |text: fn(&End) -> &str| ends.iter().map(text).collect::<Vec<&str>>().join(", ");
        let texts = [joined(|end| &end.text), joined(|end| &end.short_text)];
        for ((may_cover, may_be_in_zone), text) in
            CHOICES.into_iter().flat_map(|choice| texts.iter().map(move |text| (choice, text)))
        {
            let half = geometry.text_length(text) / 2.0 + END_MARGIN;
            for (side, y) in
                [Side::Right, Side::Left].into_iter().flat_map(|side| heights.iter().map(move |y| (side, *y)))
            {
                let right = if may_be_in_zone { geometry.width } else { areas.zone_left(y, half_text, geometry.width) };
                let x = match side {
                    Side::Left => half,
                    Side::Right => right - half,
                };
                let text_box = TextBox::around(x, y, half, half_text);
                let is_clear = may_cover || !areas.in_transit.iter().any(|area| area.touches(&text_box));
                if 2.0 * half > right || !is_clear {
                    continue;
                }
                if let Some(y) = places.place_clear_at(x, &[y], half, half_text) {
                    return Some(EndLabel { text: text.clone(), side, right, y });
                }
            }
        }
        None
    };
    if let ([first, last], Some(above), Some(below)) = (ends, above, below) {
        let mut both = places.clone();
        let labels = [(first, above), (last, below)].map(|(end, y)| place(&mut both, slice::from_ref(end), &[y]));
        if let [Some(first), Some(last)] = labels {
            *places = both;
            return vec![first, last];
        }
    }
    let heights: Vec<f64> = above.into_iter().chain(below).collect();
    place(places, ends, &heights).into_iter().collect()
}

/// The patterns of starting and terminating pods, for each hue. They are in the document once.
#[component]
pub fn Patterns() -> Html {
    html! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            { for (0..4).map(|hue| html! {
                <>
                    <pattern id={format!("dots-{hue}")} class={hue_class(hue)} width="6" height="6" patternUnits="userSpaceOnUse">
                        <rect class="soft" width="6" height="6" />
                        <circle class="solid" cx="3" cy="3" r="1.1" />
                    </pattern>
                    <pattern id={format!("hatch-{hue}")} class={hue_class(hue)} width="6" height="6"
                        patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <rect class="soft" width="6" height="6" />
                        <rect class="solid" width="3" height="6" />
                    </pattern>
                </>
            }) }
        </svg>
    }
}

/// A moment in words.
pub fn description(lane: &Lane, moment: crate::playback::Moment) -> String {
    let Some(snapshot) = lane.track.snapshot_at(moment) else { return String::from("no pods") };
    if lane.is_of_jobs() {
        return column_description(lane, &snapshot, moment);
    }
    let mut text = format!(
        "{}, {} available, {} terminating",
        plural(snapshot.pods(), "pod"),
        group_digits(snapshot.available()),
        group_digits(snapshot.terminating())
    );
    if snapshot.over() > 0 {
        text.push_str(&format!(
            ", {} over the limit of {}",
            group_digits(snapshot.over()),
            group_digits(snapshot.marks.limit)
        ));
    }
    text
}

/// The height of the pointer in the picture, while the main button is pressed.
fn press_y(event: &PointerEvent, root: &NodeRef) -> Option<f64> {
    let root = root.cast::<Element>().filter(|_| event.buttons() == 1)?;
    // Fails only for pointers that are gone.
    let _ = root.set_pointer_capture(event.pointer_id());
    Some(f64::from(event.client_y()) - root.get_bounding_client_rect().top())
}

/// The properties of [`LaneAreas`].
#[derive(PartialEq, Properties)]
struct LaneAreasProps {
    id: String,
    areas: Rc<Areas>,
    geometry: Rc<Geometry>,
    highlighted_replica_set: Option<usize>,
}

/// Everything in the picture that does not depend on the playhead.
#[component]
fn LaneAreas(props: &LaneAreasProps) -> Html {
    let LaneAreasProps { id, areas, geometry, highlighted_replica_set } = props;
    let column_lines = geometry.has_tiles().then(|| column_lines(geometry));
    let [minimum, desired, limit] = &areas.marks;
    html! {
        <g id={id.clone()}>
            <path class="zone" d={areas.zone.clone()} />
            // Lists are in fragments of their own: keys count only where all children have one.
            <>{ for areas.groups.iter().map(|(group, path)| {
                let dimmed = highlighted_replica_set.filter(|set| *set != group.replica_set).map(|_| "dimmed");
                let class = classes!("area", band_class(group.band), hue_class(group.replica_set), dimmed);
                let key = format!("{}-{}", band_class(group.band), group.replica_set);
                html! { <path key={key} {class} fill={fill(*group)} d={path.clone()} /> }
            }) }</>
            { column_lines.unwrap_or_default() }
            <path class="seams" d={areas.seams.clone()} />
            <>{ for areas.over_limit.iter().enumerate().map(|(key, over)| html! {
                <path key={key} class="over" d={over.outline.clone()} />
            }) }</>
            <path class="wait" d={areas.waits.clone()} />
            <path class="mark minimum" d={minimum.clone()} />
            <path class="mark desired" d={desired.clone()} />
            <path class="mark limit" d={limit.clone()} />
            <path class="mark partition" d={areas.partition.clone()} />
            if let Some(quota) = areas.quota.clone() { <path class="mark quota" d={quota} /> }
            <>{ for areas.breaks.iter().enumerate().map(|(key, (_, y))| html! {
                <path key={key} class="break" d={zigzag(geometry.width, *y)} />
            }) }</>
        </g>
    }
}

/// Thin lines between the columns.
fn column_lines(geometry: &Geometry) -> Html {
    let count = i32::try_from(crate::number::to_i64(geometry.columns)).unwrap_or(0);
    let height = px(geometry.height);
    let lines: String = (1..count).map(|column| format!("M{} 0V{height}", px(geometry.x(column)))).collect();
    html! { <path class="columns" d={lines} /> }
}

/// How far the line of a break reaches up and down, in pixels.
const BREAK_HALF_HEIGHT: f64 = 4.0;

/// The line of a break in time.
fn zigzag(width: f64, y: f64) -> String {
    let mut path = format!("M0 {}", px(y));
    let mut x = 0.0;
    let mut up = true;
    while x < width {
        x += 6.0;
        let tooth = if up { y - BREAK_HALF_HEIGHT } else { y + BREAK_HALF_HEIGHT };
        path.push_str(&format!("L{} {}", px(x), px(tooth)));
        up = !up;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    const COMPLETE: (&str, &str) = ("complete 0:30", "done 0:30");
    const GONE: (&str, &str) = ("last old pod gone 0:27", "gone 0:27");

    fn end((text, short_text): (&str, &str), y: f64) -> End {
        End { text: String::from(text), short_text: String::from(short_text), y }
    }

    /// The labels of a group of ends in a picture of 300 pixels above the row of pods.
    fn placed_ends(
        ends: &[End],
        width: f64,
        handles: HandlePlaces,
        in_transit: &[TextBox],
    ) -> Vec<(String, Side, f64)> {
        let areas = Areas { in_transit: in_transit.to_vec(), ..Areas::default() };
        let labels = placed_ends_in(&areas, ends, width, handles).into_iter();
        labels.map(|label| (label.text, label.side, label.y)).collect()
    }

    fn placed_ends_in(areas: &Areas, ends: &[End], width: f64, handles: HandlePlaces) -> Vec<EndLabel> {
        let geometry = Geometry {
            width,
            height: 300.0,
            row_height: 74.0,
            columns: 20.0,
            has_fixed_columns: false,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale: TimeScale::default(),
        };
        let mut places = LabelPlaces::new(handles, ends.iter().map(|end| end.y), 300.0, 74.0);
        end_labels(ends, areas, &geometry, &mut places)
    }

    #[test]
    fn the_text_of_an_end_stands_above_the_limit_only_if_there_is_no_other_place() {
        let zone = |left: f64| TextBox { left, top: 0.0, right: 400.0, bottom: 300.0 };
        let pods = |left: f64, right: f64| TextBox { left, top: 0.0, right, bottom: 300.0 };
        for (zone, pods, expected) in [
            (zone(300.0), None, (GONE.0, Side::Right, 300.0)),
            // The text is as long as 175 pixels, the short one as long as 76.
            (zone(300.0), Some(pods(200.0, 300.0)), (GONE.0, Side::Left, 300.0)),
            (zone(100.0), None, (GONE.1, Side::Right, 100.0)),
            (zone(50.0), None, (GONE.0, Side::Right, 400.0)),
            (zone(300.0), Some(pods(0.0, 200.0)), (GONE.1, Side::Right, 300.0)),
            (zone(200.0), Some(pods(0.0, 200.0)), (GONE.0, Side::Right, 400.0)),
        ] {
            let areas = Areas { in_transit: pods.into_iter().collect(), zones: vec![zone], ..Areas::default() };
            let labels = placed_ends_in(&areas, &[end(GONE, 200.0)], 400.0, HandlePlaces::default());
            let placed: Vec<_> = labels.iter().map(|label| (label.text.as_str(), label.side, label.right)).collect();
            assert_eq!(placed, [expected], "{areas:?}");
        }
    }

    #[test]
    fn the_line_of_an_end_has_its_text_wherever_there_is_room() {
        let nothing = HandlePlaces::default;
        let handle = |left: f64, top: f64, right: f64, bottom: f64| HandlePlaces {
            boxes: vec![TextBox { left, top, right, bottom }],
            ..HandlePlaces::default()
        };
        let line = HandlePlaces {
            lines: vec![TextBox { left: 240.0, top: 0.0, right: 248.0, bottom: 300.0 }],
            ..HandlePlaces::default()
        };
        let complete = |y: f64| vec![end(COMPLETE, y)];
        let both = |y: f64| vec![end(GONE, y - 12.0), end(COMPLETE, y)];
        for (ends, width, handles, expected) in [
            (complete(200.0), 276.0, nothing(), vec![(COMPLETE.0, Side::Right, 191.0)]),
            (complete(300.0), 276.0, nothing(), vec![(COMPLETE.0, Side::Right, 291.0)]),
            (complete(4.0), 276.0, nothing(), vec![(COMPLETE.0, Side::Right, 13.0)]),
            // Something is above the line, or on both sides of it.
            (complete(200.0), 276.0, handle(200.0, 180.0, 276.0, 199.0), vec![(COMPLETE.0, Side::Right, 209.0)]),
            (complete(200.0), 276.0, handle(200.0, 180.0, 276.0, 220.0), vec![(COMPLETE.0, Side::Left, 191.0)]),
            // The line of a handle would cross it.
            (complete(200.0), 276.0, line, vec![(COMPLETE.0, Side::Left, 191.0)]),
            // Only the short text fits.
            (vec![end(GONE, 200.0)], 100.0, nothing(), vec![(GONE.1, Side::Right, 191.0)]),
            (complete(200.0), 60.0, nothing(), vec![]),
            (complete(200.0), 276.0, handle(0.0, 0.0, 276.0, 300.0), vec![]),
            // Two lines that are close to each other: each text stands at its own line.
            (both(200.0), 276.0, nothing(), vec![(GONE.0, Side::Right, 179.0), (COMPLETE.0, Side::Right, 209.0)]),
            // There is no room below the last line: one text for both.
            (both(300.0), 400.0, nothing(), vec![("last old pod gone 0:27, complete 0:30", Side::Right, 279.0)]),
            (both(300.0), 276.0, nothing(), vec![("gone 0:27, done 0:30", Side::Right, 279.0)]),
        ] {
            let expected: Vec<(String, Side, f64)> =
                expected.into_iter().map(|(text, side, y)| (String::from(text), side, y)).collect();
            assert_eq!(placed_ends(&ends, width, handles, &[]), expected, "{ends:?}, {width}");
        }
    }

    #[test]
    fn the_text_of_an_end_does_not_cover_the_pods_that_it_is_about() {
        // Terminating pods end at the line.
        let wedge = |left: f64, right: f64| TextBox { left, top: 100.0, right, bottom: 200.0 };
        let gone = [end(GONE, 200.0)];
        for (area, expected) in [
            (wedge(100.0, 200.0), (GONE.0, Side::Right, 191.0)),
            // The text is as long as 175 pixels, the short one as long as 76.
            (wedge(200.0, 300.0), (GONE.0, Side::Right, 209.0)),
        ] {
            let expected = vec![(String::from(expected.0), expected.1, expected.2)];
            assert_eq!(placed_ends(&gone, 400.0, HandlePlaces::default(), &[area]), expected, "{area:?}");
        }
        let last = [end(GONE, 300.0)];
        let area = TextBox { left: 200.0, top: 200.0, right: 300.0, bottom: 300.0 };
        let left = vec![(String::from(GONE.0), Side::Left, 291.0)];
        assert_eq!(placed_ends(&last, 400.0, HandlePlaces::default(), &[area]), left);
        let wide = TextBox { left: 150.0, ..area };
        let short = vec![(String::from(GONE.1), Side::Right, 291.0)];
        assert_eq!(placed_ends(&last, 400.0, HandlePlaces::default(), &[wide]), short);
    }

    #[test]
    fn the_text_of_a_break_leaves_room_for_that_of_the_cross_at_its_beginning() {
        for (crosses, expected) in [
            (vec![], vec![100.0, 91.0, 109.0, 82.0, 118.0]),
            (vec![20.0, 106.0], vec![100.0, 91.0, 109.0, 82.0, 118.0]),
            (vec![20.0, 90.0], vec![100.0, 109.0, 118.0]),
            (vec![94.0, 200.0], vec![109.0, 118.0]),
        ] {
            let heights: Vec<f64> = break_heights(100.0, &crosses, 300.0, HALF_LINE).collect();
            assert_eq!(heights, expected, "{crosses:?}");
        }
    }

    #[test]
    fn ends_share_a_text_if_none_fits_between_their_lines() {
        let ends = [end(GONE, 100.0), end(COMPLETE, 112.0), end(COMPLETE, 200.0)];
        let sizes = |cut: f64| {
            let places = LabelPlaces::new(HandlePlaces::default(), [], cut, 74.0);
            end_groups(&ends, &places, HALF_LINE).into_iter().map(<[End]>::len).collect::<Vec<_>>()
        };
        assert_eq!(sizes(300.0), [2, 1]);
        // The row of pods is between the lines.
        assert_eq!(sizes(105.0), [1, 1, 1]);
    }
}
