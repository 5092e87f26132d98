use std::rc::Rc;

use changeover_core::timeline::Marks;
use changeover_wire::{ColumnMeaning, Mark};
use yew::{Callback, Html, Properties, classes, component, html, use_memo};

use super::answers::Answers;
use super::pods_by_node::PodsByNode;
use super::setting_input::breakable;
use super::step_explanation::StepExplanation;
use crate::hooks::Rollout;
use crate::number::{count_to_f64, group_digits, px};
use crate::picture::{
    Geometry, HandlePlaces, HandledSettings, Picture, SettingHandles, TimeAxis, handle_places, partition_edge,
};
use crate::playback::{FixedColumns, Lane, Moment, Playback};
use crate::rollout::RolloutAction;

/// The properties of [`LaneView`].
#[derive(PartialEq, Properties)]
pub struct LaneViewProps {
    /// What is shown.
    pub rollout: Rollout,
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// Whether pods are also shown by node.
    pub by_node: bool,
    /// Whether it is the lane with the handle of the clock.
    pub has_handle: bool,
    /// The settings that its picture can change.
    pub handled: Option<HandledSettings>,
    /// The user begins to drag a setting (true), or ends.
    pub on_hold: Callback<bool>,
}

/// A lane: its answers, its picture, and why the last step happened.
#[component]
pub fn LaneView(props: &LaneViewProps) -> Html {
    let LaneViewProps { rollout, playback, lane: number, geometry, by_node, has_handle, handled, on_hold } = props;
    let on_seek = rollout.callback(RolloutAction::SeekTime);
    let on_step = rollout.callback(|forward| if forward { RolloutAction::Next } else { RolloutAction::Previous });
    // What is below the labels stays where it is while the marks change.
    let handle = if handled.is_some() { HALF_HANDLE * geometry.text_scale } else { 0.0 };
    let label_rows = use_memo((playback.clone(), geometry.clone(), handle), |(playback, geometry, handle)| {
        let rows = |lane: &Lane, marks: Marks| MarkLabels::new(marks, lane.track.pod_quota, *handle, geometry).rows();
        let snapshots = |lane: &Rc<Lane>| lane.track.snapshots_from_zero().map(|it| rows(lane, it.marks)).max();
        playback.lanes.iter().filter_map(snapshots).max().unwrap_or(1)
    });
    let Some(lane) = playback.lanes.get(*number) else { return Html::default() };
    let state = &rollout.state;
    let highlight = state.highlight.filter(|highlight| highlight.lane == *number).map(|highlight| highlight.mark);
    let moment = playback.moment(*number, state.playhead);
    // None until the player has explained these lanes.
    let inspection = state.inspection.as_ref().and_then(|inspection| inspection.lanes.get(*number)).cloned();
    let compared_with = playback.compared_with(*number);
    let other = compared_with.map(|other| playback.totals(other));
    let explanation = inspection.as_ref().and_then(|inspection| inspection.explanation.as_ref());
    let replica_set = explanation.and_then(|explanation| explanation.replica_set.as_ref());
    let highlighted_replica_set = replica_set
        .filter(|_| highlight == Some(Mark::ReplicaSet))
        .and_then(|name| lane.played.replica_sets.iter().position(|other| other == name));
    let handles = handled.as_ref().map_or_else(HandlePlaces::default, |handled| {
        handle_places(playback, *number, geometry, state.playhead, &handled.settings)
    });
    let snapshot = lane.track.snapshot_at(moment);
    let mark_labels = snapshot.map(|snapshot| MarkLabels::new(snapshot.marks, lane.track.pod_quota, handle, geometry));
    html! {
        <section class={classes!("lane", format!("lane-{number}"))} aria-label={lane.info.name.clone()}>
            <h2>
                { breakable(&lane.info.name) }{ " " }
                <small>{ &lane.info.difference }</small>
                if lane.info.proposed { { " " }<span class="proposed">{ "proposed" }</span> }
            </h2>
            <Answers totals={playback.totals(*number)} under={lane.under} excess={playback.own_excess(*number)} {other}
                is_rollback={playback.has_rollback()} clock={playback.clock_format()}
                shows_difference={compared_with.is_some_and(|other| other < *number)} />
            if let Some(columns) = lane.fixed_columns.as_ref().filter(|_| geometry.has_fixed_columns) {
                { view_column_labels(playback, lane, columns, geometry, moment) }
            } else {
                { view_mark_labels(mark_labels, geometry, *label_rows) }
            }
            <div class="timeline">
                <TimeAxis playback={playback.clone()} lane={*number} geometry={geometry.clone()} playhead={state.playhead}
                    spoken_playhead={state.spoken_playhead} has_handle={*has_handle} on_seek={on_seek.clone()} {on_step} />
                <Picture playback={playback.clone()} lane={*number} geometry={geometry.clone()}
                    playhead={state.playhead} {highlight} {highlighted_replica_set} {handles} {on_seek} />
                if let Some(handled) = handled {
                    <SettingHandles playback={playback.clone()} lane={*number} geometry={geometry.clone()}
                        playhead={state.playhead} handled={handled.clone()} on_hold={on_hold.clone()} />
                }
            </div>
            <div class="below">
            if let Some(reason) = &lane.played.cut_reason { <p class="note">{ reason }</p> }
            if let Some(inspection) = inspection {
                <StepExplanation rollout={rollout.clone()} playback={playback.clone()} {inspection} lane={*number} />
            } else {
                <div class="why" />
            }
            if *by_node {
                <PodsByNode playback={playback.clone()} lane={*number} {moment} />
            }
            </div>
        </section>
    }
}

/// Half of the width of the handle of a line, in pixels.
const HALF_HANDLE: f64 = 8.0;

/// What the columns are, above the picture, and from which ordinal on an update goes.
fn view_column_labels(
    playback: &Playback,
    lane: &Lane,
    columns: &FixedColumns,
    geometry: &Geometry,
    moment: Moment,
) -> Html {
    const NUMBER_WIDTH: f64 = 22.0;
    let width = geometry.column_width();
    let is_wide = |name: &String| geometry.regular_text_length(name) > width;
    let nodes = &lane.played.nodes;
    let nodes = if nodes.iter().any(is_wide) { &lane.node_marks } else { nodes };
    let label = |column: usize| match columns.meaning {
        ColumnMeaning::Node => nodes.get(column).cloned().unwrap_or_default(),
        _ => column.saturating_add(columns.first).to_string(),
    };
    let number_width = NUMBER_WIDTH * geometry.text_scale;
    // Where there is no room for every number, only some are said.
    let every = (1..).find(|every| count_to_f64(*every) * width >= number_width).unwrap_or(1);
    let percent = |x: f64| px(100.0 * x / geometry.width);
    // The pictures of all lanes begin at the same height.
    let mut ordinals = playback.lanes.iter().flat_map(|lane| lane.track.ordinals());
    let has_partition = ordinals.any(|ordinals| ordinals.partition > 0);
    let partition = partition_edge(&lane.track, columns, geometry, moment).map(|x| {
        let text = "partition";
        let length = geometry.text_length(text);
        let side = if x + length > geometry.width { "right" } else { "left" };
        let place = if side == "left" { x } else { geometry.width - x };
        html! { <span class={classes!("partition", side)} style={format!("{side}:{}%", percent(place))}>{ text }</span> }
    });
    html! {
        <div class={classes!("mark-labels", "column-labels", has_partition.then_some("tall"))} aria-hidden="true">
            <span class="meaning">{ columns.meaning.name() }</span>
            { for (0..columns.len()).step_by(every).map(|column| html! {
                <span key={column} class="number" style={format!("left:{}%", percent((count_to_f64(column) + 0.5) * width))}>
                    { label(column) }
                </span>
            }) }
            { partition.unwrap_or_default() }
        </div>
    }
}

/// The label of one or more lines that share a column, above the picture.
#[derive(Clone, Debug, PartialEq)]
struct MarkLabel {
    class: &'static str,
    text: String,
    /// The edge that stands at the line if there is room, in pixels. It is the right one of the minimum.
    line: f64,
    /// Its left edge.
    left: f64,
    /// Its length, with some room.
    length: f64,
    /// How many rows of labels are below it.
    row: u8,
}

impl MarkLabel {
    fn right(&self) -> f64 {
        self.left + self.length
    }

    /// Whether they overlap by more than a rounding error.
    fn touches(&self, other: &Self) -> bool {
        self.row == other.row && self.left + 0.2 < other.right() && other.left + 0.2 < self.right()
    }

    /// Wherever the line is in a picture of another width, the label does not hang over the edge.
    fn view(&self, geometry: &Geometry) -> Html {
        let percent = |x: f64| px(100.0 * x / geometry.width);
        let length = px(self.length / geometry.text_scale);
        let (side, place) = match self.class {
            "minimum" => ("right", geometry.width - self.line),
            _ => ("left", self.line),
        };
        let row = self.row;
        let style = format!("--row:{row};{side}:min({}%, calc(100% - {length}rem/16))", percent(place));
        html! { <span key={self.class} class={self.class} {style}>{ &self.text }</span> }
    }
}

/// The labels of the lines in the picture.
#[derive(Debug, PartialEq)]
struct MarkLabels {
    /// Those of the minimum, the limit and the quota, and that of the desired pods if there is room for it. Lines in one column share a
    /// label.
    labels: Vec<MarkLabel>,
}

impl MarkLabels {
    /// `handle`: how much of the labels' room the handle of a line takes on each side of it.
    fn new(marks: Marks, quota: Option<i32>, handle: f64, geometry: &Geometry) -> Self {
        let [minimum_line, desired_line, limit_line] = geometry.marks(marks);
        let named = |class: &'static str, text: String, line: f64| {
            // The handles of these two stand in the room beside their labels.
            let room = if matches!(class, "minimum" | "limit") { handle } else { 0.0 };
            let is_bold = matches!(class, "limit" | "quota");
            let length = if is_bold { geometry.text_length(&text) } else { geometry.regular_text_length(&text) };
            let length = length + room;
            let left = if class == "minimum" { (line - length).max(0.0) } else { line.min(geometry.width - length) };
            MarkLabel { class, text, line, left, length, row: 0 }
        };
        let label =
            |class: &'static str, names: &[&str], pods: i32, line: f64| named(class, label_text(names, pods), line);
        let quota = quota.and_then(|pods| Some((pods, geometry.quota_line(pods)?)));
        let fits =
            |names: &[&str], pods: i32| geometry.text_length(&label_text(names, pods)) + handle <= geometry.width;
        let names = MarkNames::new(marks, quota.map(|(pods, _)| pods), fits);
        let limit = label("limit", &names.limit, marks.limit, limit_line);
        let minimum = label("minimum", &names.minimum, marks.min_available, minimum_line);
        // Where the two would touch, the minimum stands above the limit.
        let minimum = MarkLabel { row: u8::from(limit.left < minimum.right()), ..minimum };
        let asked = names.asked.as_ref().and_then(|names| {
            let asked = label("desired", names, marks.desired, desired_line);
            // The label of the desired pods stands between the two others, and touches its line.
            let from = if minimum.row > 0 { 0.0 } else { minimum.right() + handle };
            let to = limit.left - handle;
            let left = desired_line.min(to - asked.length).max(from);
            let right = left + asked.length;
            let has_room = right <= to + 0.1 && left <= desired_line && desired_line <= right + handle + 0.1;
            let between = has_room.then(|| MarkLabel { left, line: left, ..asked.clone() });
            // Without room there, it stands above them, unless the picture is as low as on a phone with a story.
            let above = MarkLabel { row: 1, ..asked };
            let is_free = geometry.has_end_labels() && above.left >= 0.0 && !above.touches(&minimum);
            between.or_else(|| is_free.then_some(above))
        });
        // Without room for a label, the limit's has the name and the number of the desired pods, too.
        let unnamed = names.asked.as_deref().filter(|names| asked.is_none() && names.len() == 1);
        let joined = unnamed.map(|names| {
            let text = format!("{}, {}", limit.text, label_text(names, marks.desired));
            named("limit", text, limit_line)
        });
        let from = if minimum.row > 0 { 0.0 } else { minimum.right() };
        let limit = joined.filter(|joined| joined.left >= from).unwrap_or(limit);
        let has_quota_label = names.has_quota_label || (asked.is_none() && names.is_quota_asked());
        let mut labels: Vec<MarkLabel> = [Some(minimum), asked, Some(limit)].into_iter().flatten().collect();
        // Without its name, nobody could tell why a rollout is stuck.
        if let Some((pods, line)) = quota.filter(|_| has_quota_label) {
            let mut rows = (0..=MAX_ROW).map(|row| MarkLabel { row, ..label("quota", &["quota"], pods, line) });
            let free = rows.find(|quota| labels.iter().all(|other| !quota.touches(other)));
            labels.extend(free);
        }
        Self { labels }
    }

    /// How many rows they need.
    fn rows(&self) -> u8 {
        self.labels.iter().map(|label| label.row).max().unwrap_or(0).saturating_add(1)
    }
}

/// The names in each label. A line shares the label of another one in its column if the picture has room for both names: so lanes
/// with the same marks name them alike.
struct MarkNames {
    minimum: Vec<&'static str>,
    /// None if the desired pods share another label.
    asked: Option<Vec<&'static str>>,
    limit: Vec<&'static str>,
    /// Whether the quota has a label of its own. If there is a quota and this is false, another label has its name.
    has_quota_label: bool,
}

impl MarkNames {
    /// Those of all labels. `fits`: whether the picture has room for a label with these names and this number of pods.
    fn new(marks: Marks, quota: Option<i32>, fits: impl Fn(&[&str], i32) -> bool) -> Self {
        let [mut minimum, mut limit] = ["minimum", "limit"].map(|name| vec![name]);
        let labels = [(marks.min_available, &mut minimum), (marks.limit, &mut limit)];
        let mut asked = (!add_to_label(labels, marks.desired, "asked", &fits)).then(|| vec!["asked"]);
        let others = [(marks.min_available, &mut minimum), (marks.limit, &mut limit)];
        let labels = asked.iter_mut().map(|asked| (marks.desired, asked)).chain(others);
        let has_quota_label = quota.is_some_and(|quota| !add_to_label(labels, quota, "quota", &fits));
        Self { minimum, asked, limit, has_quota_label }
    }

    /// Whether the quota shares the label of the desired pods.
    fn is_quota_asked(&self) -> bool {
        self.asked.as_ref().is_some_and(|names| names.contains(&"quota"))
    }
}

/// Adds a name to the first label with this number of pods that has room for it. Returns whether there is one.
fn add_to_label<'a>(
    labels: impl IntoIterator<Item = (i32, &'a mut Vec<&'static str>)>,
    pods: i32,
    added: &'static str,
    fits: impl Fn(&[&str], i32) -> bool,
) -> bool {
    let mut labels = labels.into_iter();
    let has_room = |names: &[&'static str]| fits(&names.iter().copied().chain([added]).collect::<Vec<_>>(), pods);
    let Some((_, names)) = labels.find(|(other, names)| *other == pods && has_room(names)) else { return false };
    names.push(added);
    true
}

/// The highest row: the other labels are in the two below it.
const MAX_ROW: u8 = 2;

/// `minimum, asked and quota 6`.
fn label_text(names: &[&str], pods: i32) -> String {
    let pods = group_digits(pods);
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last} {pods}", others.join(", ")),
        _ => format!("{} {pods}", names.concat()),
    }
}

/// What the lines in the picture mean, above it. `rows`: how many rows they need at most.
fn view_mark_labels(labels: Option<MarkLabels>, geometry: &Geometry, rows: u8) -> Html {
    let Some(MarkLabels { labels }) = labels else { return Html::default() };
    let class = classes!("mark-labels", (rows > 1).then_some("tall"));
    html! {
        <div {class} style={format!("--rows:{rows}")} aria-hidden="true">
            { for labels.iter().map(|label| label.view(geometry)) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    /// The labels with their edges, in a picture of 27 pods.
    fn labels(marks: [i32; 3], quota: Option<i32>, width: f64, text_scale: f64) -> MarkLabels {
        let [min_available, desired, limit] = marks;
        MarkLabels::new(Marks { desired, limit, min_available }, quota, 0.0, &geometry(width, text_scale))
    }

    fn geometry(width: f64, text_scale: f64) -> Geometry {
        Geometry {
            width,
            height: 200.0,
            row_height: 74.0,
            columns: 27.0,
            has_fixed_columns: false,
            text_scale,
            ruler: TextRuler::monospace(text_scale),
            time_scale: TimeScale::default(),
        }
    }

    fn texts(labels: &MarkLabels) -> Vec<&str> {
        labels.labels.iter().map(|label| label.text.as_str()).collect()
    }

    #[test]
    fn every_line_is_named_where_there_is_room() {
        for width in [264.0, 405.0, 700.0] {
            let shown = labels([12, 15, 19], None, width, 1.0);
            assert_eq!(texts(&shown), ["minimum 12", "asked 15", "limit 19"], "{width}");
            assert_eq!(shown.rows(), 1);
            assert!(shown.labels.is_sorted_by(|label, next| label.right() <= next.left + 0.01), "{shown:?}");
            assert!(shown.labels.iter().all(|label| label.left >= 0.0 && label.right() <= width), "{shown:?}");
        }
        assert_eq!(texts(&labels([12, 15, 19], None, 168.0, 2.0)), ["minimum 12", "limit 19"]);
        assert_eq!(labels([12, 15, 19], None, 168.0, 2.0).rows(), 2);
        let with_quota = labels([10, 15, 15], Some(22), 700.0, 1.0);
        assert_eq!(texts(&with_quota), ["minimum 10", "limit and asked 15", "quota 22"]);
        assert_eq!(with_quota.rows(), 1);
    }

    #[test]
    fn the_desired_pods_have_a_name_between_close_lines() {
        let shown = labels([12, 13, 14], None, 405.0, 1.0);
        assert_eq!(texts(&shown), ["minimum 12", "asked 13", "limit 14"]);
        let asked = &shown.labels[1];
        assert_eq!((asked.row, asked.left.round()), (1, 195.0), "{shown:?}");
    }

    #[test]
    fn the_desired_pods_have_a_name_between_close_lines_of_a_low_picture() {
        let marks = Marks { desired: 6, limit: 7, min_available: 5 };
        for width in [224.0, 264.0] {
            let low = Geometry { height: 60.0, columns: 14.0, ..geometry(width, 1.0) };
            let shown = MarkLabels::new(marks, None, 0.0, &low);
            assert_eq!(texts(&shown), ["minimum 5", "limit 7, asked 6"], "{width}");
            assert_eq!(shown.rows(), 1, "{width}");
            assert!(!shown.labels[0].touches(&shown.labels[1]), "{shown:?}");
        }
    }

    #[test]
    fn lanes_name_the_same_marks_alike() {
        // Only one of them has handles.
        for marks in [[15, 15, 17], [12, 15, 15], [1, 1, 2], [0, 15, 15]] {
            let [min_available, desired, limit] = marks;
            let marks = Marks { desired, limit, min_available };
            for width in [264.0, 405.0, 700.0] {
                let [without, with] = [0.0, HALF_HANDLE].map(|handle| {
                    let shown = MarkLabels::new(marks, None, handle, &geometry(width, 1.0));
                    texts(&shown).into_iter().map(String::from).collect::<Vec<_>>()
                });
                assert_eq!(without, with, "{width}");
                assert!(with.iter().any(|text| text.contains("and asked")), "{with:?}");
            }
        }
    }

    #[test]
    fn lines_that_share_a_column_share_a_label() {
        for (marks, quota, width, expected) in [
            ([15, 15, 17], Some(15), 400.0, vec!["minimum, asked and quota 15", "limit 17"]),
            ([15, 15, 17], None, 400.0, vec!["minimum and asked 15", "limit 17"]),
            ([12, 15, 15], None, 264.0, vec!["minimum 12", "limit and asked 15"]),
            ([12, 15, 15], None, 700.0, vec!["minimum 12", "limit and asked 15"]),
            ([12, 15, 19], Some(15), 700.0, vec!["minimum 12", "asked and quota 15", "limit 19"]),
            ([12, 15, 19], Some(12), 400.0, vec!["minimum and quota 12", "asked 15", "limit 19"]),
            ([12, 15, 19], Some(19), 700.0, vec!["minimum 12", "asked 15", "limit and quota 19"]),
        ] {
            assert_eq!(texts(&labels(marks, quota, width, 1.0)), expected, "{marks:?}, {quota:?}");
        }
    }

    #[test]
    fn a_quota_always_has_its_name_and_no_label_touches_another_one() {
        for width in [150.0, 264.0, 405.0, 700.0] {
            for text_scale in [1.0, 2.0] {
                for marks in [[12, 15, 19], [10, 15, 15], [15, 15, 17], [0, 0, 0], [0, 1, 1], [0, 26, 26]] {
                    for quota in 0..27 {
                        let shown = labels(marks, Some(quota), width, text_scale);
                        let context = format!("{marks:?}, {quota} in {width} at {text_scale}: {shown:?}");
                        let quota_text = format!("quota {quota}");
                        assert!(texts(&shown).iter().any(|text| text.ends_with(&quota_text)), "{context}");
                        for (index, label) in shown.labels.iter().enumerate() {
                            let mut later = shown.labels.iter().skip(index.saturating_add(1));
                            assert!(later.all(|other| !label.touches(other)), "{context}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_label_of_the_limit_leaves_room_for_its_handle() {
        let geometry = geometry(460.0, 1.0);
        let marks = Marks { desired: 20, limit: 26, min_available: 15 };
        let [without, with] = [0.0, HALF_HANDLE].map(|handle| {
            let shown = MarkLabels::new(marks, None, handle, &geometry);
            shown.labels.last().map(|label| label.length).unwrap_or_default()
        });
        assert!((with - without - HALF_HANDLE).abs() < 0.01, "{with} {without}");
    }
}
