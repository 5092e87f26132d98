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
use crate::playback::{JobColumns, Playback, Snapshot};
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
        snapshots.any(|snapshot| is_stacked(snapshot.marks, geometry))
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
                { view_mark_labels(lane.track.snapshot_at(moment), geometry, *is_tall) }
            }
            <div class="timeline">
                <TimeAxis playback={playback.clone()} geometry={geometry.clone()} playhead={state.playhead}
                    has_handle={*has_handle} on_seek={on_seek.clone()} {on_step} />
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

/// The width of the label of the limit, in pixels.
const LABEL_WIDTH: f64 = 104.0;

/// What the columns of a Job are, above its picture.
fn view_column_labels(columns: &JobColumns, geometry: &Geometry) -> Html {
    const NUMBER_WIDTH: f64 = 22.0;
    let width = geometry.column_width();
    // Where there is no room for every number, only some are said.
    let every = (1..).find(|every| count_to_f64(*every) * width >= NUMBER_WIDTH).unwrap_or(1);
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

/// The left edge of the label of the limit.
fn limit_left(marks: Marks, geometry: &Geometry) -> f64 {
    let [_, _, limit] = geometry.marks(marks);
    limit.min(geometry.width - LABEL_WIDTH)
}

/// Whether the labels of the minimum and of the limit would touch.
fn is_stacked(marks: Marks, geometry: &Geometry) -> bool {
    let [minimum, ..] = geometry.marks(marks);
    limit_left(marks, geometry) - minimum < LABEL_WIDTH / 4.0
}

/// What the lines in the picture mean, above it. `is_tall`: whether two of the labels touch at some moment.
fn view_mark_labels(snapshot: Option<Snapshot<'_>>, geometry: &Geometry, is_tall: bool) -> Html {
    let Some(snapshot) = snapshot else { return Html::default() };
    let marks = snapshot.marks;
    let [minimum, desired, limit] = geometry.marks(marks);
    let percent = |x: f64| px(100.0 * x / geometry.width);
    // The label of the desired pods stands between the two others if there is room for its words.
    let limit_left = limit_left(marks, geometry);
    let wide = limit_left - desired > 84.0;
    let desired_text =
        if wide { format!("{} desired", group_digits(marks.desired)) } else { group_digits(marks.desired) };
    // A number alone would read on from the label of the minimum at the same place: "minimum 3 3".
    let has_room = limit_left - desired > 36.0 && (wide || marks.desired != marks.min_available);
    let class = classes!("mark-labels", is_tall.then_some("tall"), is_stacked(marks, geometry).then_some("stacked"));
    html! {
        <div {class} aria-hidden="true">
            <span class="minimum" style={format!("right:min({}%, calc(100% - 5.5rem))", percent(geometry.width - minimum))}>
                { format!("minimum {}", group_digits(marks.min_available)) }
            </span>
            if has_room {
                <span class="desired" style={format!("left:{}%", percent(desired))}>{ desired_text }</span>
            }
            <span class="limit" style={format!("left:min({}%, calc(100% - 6.5rem))", percent(limit))}>
                { format!("limit {}", group_digits(marks.limit)) }
            </span>
        </div>
    }
}
