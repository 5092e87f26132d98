use std::rc::Rc;

use changeover_core::timeline::Marks;
use changeover_wire::Mark;
use yew::{Callback, Html, Properties, classes, component, html, use_memo};

use super::answers::Answers;
use super::pods_by_node::PodsByNode;
use super::step_explanation::StepExplanation;
use crate::hooks::Rollout;
use crate::number::{count_to_f64, group_digits, px};
use crate::picture::{Geometry, HandlePlaces, HandledSettings, Picture, SettingHandles, TimeAxis, handle_places};
use crate::playback::{JobColumns, Playback};
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
    let is_tall = use_memo((playback.clone(), geometry.clone()), |(playback, geometry)| {
        let mut snapshots = playback.lanes.iter().flat_map(|lane| lane.track.snapshots_from_zero());
        snapshots.any(|snapshot| MarkLabels::new(snapshot.marks, None, 0.0, geometry).is_stacked)
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
    let handle = if handled.is_some() { HALF_HANDLE } else { 0.0 };
    let mark_labels = snapshot.map(|snapshot| MarkLabels::new(snapshot.marks, lane.track.pod_quota, handle, geometry));
    html! {
        <section class={classes!("lane", format!("lane-{number}"))} aria-label={lane.info.name.clone()}>
            <h2>
                { &lane.info.name }{ " " }
                <small>{ &lane.info.difference }</small>
                if lane.info.proposed { { " " }<span class="proposed">{ "proposed" }</span> }
            </h2>
            <Answers totals={playback.totals(*number)} under={lane.under} {other} is_rollback={playback.has_rollback()}
                shows_difference={compared_with.is_some_and(|other| other < *number)} />
            if let Some(columns) = lane.job_columns.as_ref().filter(|_| geometry.has_job_columns) {
                { view_column_labels(columns, geometry) }
            } else {
                { view_mark_labels(mark_labels, geometry, *is_tall) }
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

/// What the columns of a Job are, above its picture.
fn view_column_labels(columns: &JobColumns, geometry: &Geometry) -> Html {
    const NUMBER_WIDTH: f64 = 22.0;
    let width = geometry.column_width();
    let number_width = NUMBER_WIDTH * geometry.text_scale;
    // Where there is no room for every number, only some are said.
    let every = (1..).find(|every| count_to_f64(*every) * width >= number_width).unwrap_or(1);
    let percent = |x: f64| px(100.0 * x / geometry.width);
    html! {
        <div class="mark-labels column-labels" aria-hidden="true">
            <span class="meaning">{ columns.meaning.name() }</span>
            { for (0..columns.len()).step_by(every).map(|column| html! {
                <span key={column} class="number" style={format!("left:{}%", percent((count_to_f64(column) + 0.5) * width))}>
                    { column.saturating_add(columns.meaning.first()) }
                </span>
            }) }
        </div>
    }
}

/// The label of a line, above the picture.
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
}

impl MarkLabel {
    fn right(&self) -> f64 {
        self.left + self.length
    }

    /// Wherever the line is in a picture of another width, the label does not hang over the edge.
    fn view(&self, geometry: &Geometry) -> Html {
        let percent = |x: f64| px(100.0 * x / geometry.width);
        let length = px(self.length / geometry.text_scale);
        let (side, place) = match self.class {
            "minimum" => ("right", geometry.width - self.line),
            _ => ("left", self.line),
        };
        let style = format!("{side}:min({}%, calc(100% - {length}rem/16))", percent(place));
        html! { <span key={self.class} class={self.class} {style}>{ &self.text }</span> }
    }
}

/// The labels of the lines in the picture.
#[derive(Debug, PartialEq)]
struct MarkLabels {
    /// Those of the minimum and of the limit, and those of the desired pods and of the quota if there is room for them.
    labels: Vec<MarkLabel>,
    /// Whether the minimum and the limit would touch in one line.
    is_stacked: bool,
}

impl MarkLabels {
    /// `handle`: how much of the labels' room the handle of a line takes on each side of it.
    fn new(marks: Marks, quota: Option<i32>, handle: f64, geometry: &Geometry) -> Self {
        let [minimum, desired, limit] = geometry.marks(marks);
        let label = |class: &'static str, word: &str, pods: i32, line: f64| {
            let text = format!("{word} {}", group_digits(pods));
            let length = geometry.text_length(&text);
            let left = if class == "minimum" { (line - length).max(0.0) } else { line.min(geometry.width - length) };
            MarkLabel { class, text, line, left, length }
        };
        let minimum = label("minimum", "minimum", marks.min_available, minimum);
        let limit = label("limit", "limit", marks.limit, limit);
        let is_stacked = limit.left < minimum.right();
        // The label of the desired pods stands between the two others, and touches its line.
        let asked = label("desired", "asked", marks.desired, desired);
        let (from, to) = (if is_stacked { 0.0 } else { minimum.right() + handle }, limit.left - handle);
        let left = desired.min(to - asked.length).max(from);
        let has_room =
            left + asked.length <= to + 0.1 && left <= desired && desired <= left + asked.length + handle + 0.1;
        let asked = has_room.then_some(MarkLabel { left, line: left, ..asked });
        let quota = quota.and_then(|pods| Some(label("quota", "quota", pods, geometry.quota_line(pods)?)));
        let quota = quota.filter(|quota| quota.left >= limit.right());
        let labels = [Some(minimum), asked, Some(limit), quota].into_iter().flatten().collect();
        Self { labels, is_stacked }
    }
}

/// What the lines in the picture mean, above it. `is_tall`: whether two of the labels touch at some moment.
fn view_mark_labels(labels: Option<MarkLabels>, geometry: &Geometry, is_tall: bool) -> Html {
    let Some(MarkLabels { labels, is_stacked }) = labels else { return Html::default() };
    let class = classes!("mark-labels", is_tall.then_some("tall"), is_stacked.then_some("stacked"));
    html! {
        <div {class} aria-hidden="true">
            { for labels.iter().map(|label| label.view(geometry)) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playback::TimeScale;

    /// The labels with their edges, in a picture of 27 pods.
    fn labels(marks: [i32; 3], quota: Option<i32>, width: f64, text_scale: f64) -> MarkLabels {
        let [min_available, desired, limit] = marks;
        let geometry = Geometry {
            width,
            height: 200.0,
            row_height: 74.0,
            columns: 27.0,
            has_job_columns: false,
            text_scale,
            time_scale: TimeScale::default(),
        };
        MarkLabels::new(Marks { desired, limit, min_available }, quota, 0.0, &geometry)
    }

    fn texts(labels: &MarkLabels) -> Vec<&str> {
        labels.labels.iter().map(|label| label.text.as_str()).collect()
    }

    #[test]
    fn every_line_is_named_where_there_is_room() {
        for width in [264.0, 405.0, 700.0] {
            let shown = labels([12, 15, 19], None, width, 1.0);
            assert_eq!(texts(&shown), ["minimum 12", "asked 15", "limit 19"], "{width}");
            assert!(!shown.is_stacked);
            assert!(shown.labels.is_sorted_by(|label, next| label.right() <= next.left + 0.01), "{shown:?}");
            assert!(shown.labels.iter().all(|label| label.left >= 0.0 && label.right() <= width), "{shown:?}");
        }
        assert_eq!(texts(&labels([12, 15, 19], None, 168.0, 2.0)), ["minimum 12", "limit 19"]);
        assert!(labels([12, 15, 19], None, 168.0, 2.0).is_stacked);
        let with_quota = labels([10, 15, 15], Some(22), 700.0, 1.0);
        assert_eq!(texts(&with_quota), ["minimum 10", "asked 15", "limit 15", "quota 22"]);
        assert_eq!(texts(&labels([10, 15, 15], Some(16), 264.0, 1.0)), ["minimum 10", "limit 15"]);
    }
}
