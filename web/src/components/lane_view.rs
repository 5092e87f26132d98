use std::rc::Rc;

use changeover_wire::Mark;
use yew::{Callback, Html, Properties, classes, component, html};

use super::answers::Answers;
use super::pods_by_node::PodsByNode;
use super::setting_input::breakable;
use super::step_explanation::StepExplanation;
use crate::hooks::Rollout;
use crate::picture::{
    Geometry, HandledSettings, MarkLabels, Picture, SettingHandles, TimeAxis, column_labels, handle_obstacles,
};
use crate::playback::Playback;
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
    let handles = handled
        .as_ref()
        .map(|handled| handle_obstacles(playback, *number, geometry, state.playhead, &handled.settings))
        .unwrap_or_default();
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
            if let Some(columns) = lane.job_columns.as_ref().filter(|_| geometry.has_job_columns) {
                { column_labels(columns, geometry) }
            } else {
                <MarkLabels playback={playback.clone()} lane={*number} geometry={geometry.clone()} {moment} has_handles={handled.is_some()} />
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
