use std::rc::Rc;

use changeover_wire::Mark;
use web_sys::{Element, PointerEvent};
use yew::{Callback, Html, NodeRef, Properties, classes, component, html, use_memo, use_mut_ref, use_node_ref};

use super::areas::{Areas, PictureText};
use super::classes::{band_class, fill, hue_class, mark_class};
use super::ends::{End, end_labels};
use super::geometry::Geometry;
use super::job_areas::job_areas;
use super::job_row::{JobRow, job_description};
use super::labels::{Candidate, Cut, Label, LabelPlacer, Obstacle, Placed, Slide, TextBox, flaw};
use super::pod_row::PodRow;
use super::setbacks::{SetbackMark, setback_labels, setback_marks};
use super::text_width::Weight;
use crate::number::{group_digits, plural, px};
use crate::playback::{Lane, Playback, Playhead};

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
    /// The handles in it.
    #[prop_or_default]
    pub handles: Vec<Obstacle>,
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
        match lane.job_columns.as_ref().filter(|_| geometry.has_job_columns) {
            Some(columns) => job_areas(&lane.track, columns, geometry),
            None => Areas::new(&lane.track, geometry, playback.version_names()),
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
    let cut = Cut { at: y, gap };
    let end_line = |end: &End| {
        let y = cut.opened(end.y);
        html! { <path class="end" d={format!("M0 {}H{}", px(y), px(width))} /> }
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
            <g class="labels">
                { view_labels(&LabelInputs { playback, geometry, areas: &areas, ends: &ends, setbacks: &setbacks, handles: &props.handles, cut }) }
            </g>
            if geometry.has_job_columns {
                <JobRow playback={playback.clone()} lane={*number} geometry={geometry.clone()} {moment} top={y} />
            } else {
                <PodRow playback={playback.clone()} lane={*number} geometry={geometry.clone()} {moment}
                    top={y} highlighted_replica_set={*highlighted_replica_set} handles={props.handles.clone()} />
            }
        </svg>
    }
}

/// What the texts of a picture depend on.
struct LabelInputs<'a> {
    playback: &'a Playback,
    geometry: &'a Geometry,
    areas: &'a Areas,
    ends: &'a [End],
    setbacks: &'a [SetbackMark],
    handles: &'a [Obstacle],
    cut: Cut,
}

/// The texts in the areas: of breaks in time, of what is over the limit, of ends, of what was refused, and of the areas. One that has no
/// room is left out.
fn view_labels(inputs: &LabelInputs<'_>) -> Html {
    let LabelInputs { playback, geometry, areas, ends, setbacks, handles, cut } = *inputs;
    let line = |y: f64, half: f64| TextBox::rows(cut.opened(y) - half, cut.opened(y) + half);
    let end_lines = ends.iter().map(|end| Obstacle::wall(line(end.y, 0.0)));
    let open = |boxes: &[TextBox], flaw: u8| -> Vec<Obstacle> {
        let parts = boxes.iter().flat_map(|area| cut.open_area(*area));
        parts.map(|part| Obstacle::flaw(part, flaw)).collect()
    };
    let soft = [open(&areas.zones, flaw::IN_ZONE), open(&areas.in_transit, flaw::COVERS)].concat();
    let mut placer = LabelPlacer::new(handles.iter().copied().chain(end_lines).chain(soft), Some(cut));
    let crosses: Vec<f64> = setbacks.iter().map(|mark| geometry.y(mark.at)).collect();
    let breaks: Vec<_> = areas.breaks.iter().map(|(text, y)| break_label(text, *y, &crosses, geometry)).collect();
    let mut texts = placer.place(&breaks);
    areas.breaks.iter().for_each(|(_, y)| placer.add_wall(line(*y, BREAK_HALF_HEIGHT)));
    // The row of pods says it as well.
    let is_clear = |label: &&Label<PictureText>| {
        let mut places = label.candidates.iter().map(|candidate| candidate.place);
        places.all(|place| (place.y() - cut.at).abs() > 2.0 * geometry.half_line())
    };
    texts.extend(placer.place(&areas.over_labels.iter().filter(is_clear).cloned().collect::<Vec<_>>()));
    let ends = if geometry.has_end_labels() { ends } else { &[] };
    let mut ties = Vec::new();
    for labels in end_labels(ends, areas, geometry, &mut placer) {
        if let (Some([top, bottom]), Some(label)) = (labels.joined, labels.texts.first()) {
            let x = if label.place.left > 0.0 { label.place.right - 2.0 } else { label.place.left + 2.0 };
            ties.push(
                html! { <path key={ties.len()} class="end" d={format!("M{} {}V{}", px(x), px(top), px(bottom))} /> },
            );
        }
        texts.extend(labels.texts.into_iter().map(Some));
    }
    let until = |time: i64| playback.until_phrase(time);
    texts.extend(setback_labels(setbacks, until, geometry, &mut placer).into_iter().map(Some));
    texts.extend(placer.place(&areas.labels));
    let view = |(key, Placed { shown, place }): (usize, Placed<PictureText>)| {
        let rotation = if shown.is_vertical { " rotate(-90)" } else { "" };
        let transform = format!("translate({} {}){rotation}", px(place.x()), px(place.y()));
        html! { <text {key} class={classes!("label", shown.class)} {transform} text-anchor="middle" dy="0.35em">{ shown.text }</text> }
    };
    html! { <><>{ ties }</><>{ for texts.into_iter().flatten().enumerate().map(view) }</></> }
}

/// What a break in time leaves out: below the crosses above its middle, so that their texts are beside them.
fn break_label(text: &str, y: f64, crosses: &[f64], geometry: &Geometry) -> Label<PictureText> {
    let length = geometry.text_length(text, Weight::Normal);
    let place = TextBox::around(geometry.width / 2.0, y, length / 2.0, geometry.half_line());
    let cross = crosses.iter().copied().filter(|cross| *cross <= y).fold(0.0, f64::max);
    let line = 2.0 * geometry.half_line();
    let slide = Slide::Down((place.top - line).max(cross), (place.bottom + line).min(geometry.height));
    let candidate = Candidate::new(PictureText::new("skipped", text), place).sliding(slide);
    let label = Label::new(if length <= geometry.width { vec![candidate] } else { Vec::new() });
    Label { ignored: u8::MAX, refused: 0, ..label }
}

/// The patterns of starting and terminating pods, for each hue. They are in the document once.
#[component]
pub fn Patterns() -> Html {
    html! {
        <svg class="patterns" width="0" height="0" aria-hidden="true">
            // Above the limit: a fill of its own, unlike that of any state.
            <pattern id="over" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <path class="over-lines" d="M0 4H8M4 0V8" />
            </pattern>
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
        return job_description(lane, &snapshot, moment);
    }
    let terminating = snapshot.counts.iter().fold(0_i32, |sum, counts| sum.saturating_add(counts.terminating));
    let mut text = format!(
        "{}, {} available, {} terminating",
        plural(snapshot.pods(), "pod"),
        group_digits(snapshot.available()),
        group_digits(terminating)
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
            <>{ for areas.over_limit.iter().enumerate().map(|(key, outline)| html! {
                <path key={key} class="over" fill="url(#over)" d={outline.clone()} />
            }) }</>
            <path class="wait" d={areas.waits.clone()} />
            <path class="mark minimum" d={minimum.clone()} />
            <path class="mark desired" d={desired.clone()} />
            <path class="mark limit" d={limit.clone()} />
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

    #[test]
    fn the_text_of_a_break_leaves_room_for_that_of_the_cross_at_its_beginning() {
        let geometry = Geometry::of_size([400.0, 300.0], 20.0);
        for (crosses, top) in [(vec![], 73.0), (vec![20.0, 106.0], 73.0), (vec![20.0, 90.0], 90.0)] {
            let label = break_label("5 min not drawn", 100.0, &crosses, &geometry);
            assert_eq!(label.candidates[0].slide, Slide::Down(top, 127.0), "{crosses:?}");
        }
    }
}
