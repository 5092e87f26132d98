use std::rc::Rc;

use changeover_wire::{Explanation, LaneInspection, Mark, Operand, Segment};
use yew::{Callback, FocusEvent, Html, MouseEvent, Properties, classes, component, html};

use super::details_tables::DetailsTables;
use super::foreign_text::view_text;
use crate::hooks::Rollout;
use crate::number::{group_digits, plural};
use crate::picture;
use crate::playback::{Beginning, Playback, Playhead};
use crate::rollout::{Highlight, RolloutAction, RolloutState};

/// The properties of [`StepExplanation`].
#[derive(PartialEq, Properties)]
pub struct StepExplanationProps {
    /// What is shown.
    pub rollout: Rollout,
    /// All lanes.
    pub playback: Rc<Playback>,
    /// What the player says about the lane.
    pub inspection: LaneInspection,
    /// The lane.
    pub lane: usize,
}

/// Why the step at the playhead happened: one sentence, and the rule behind it on demand.
#[component]
pub fn StepExplanation(props: &StepExplanationProps) -> Html {
    let StepExplanationProps { rollout, playback, inspection, lane } = props;
    let Some(explanation) = &inspection.explanation else {
        let sentence = match playback.beginning() {
            Beginning::Change => "The change has not been made yet.",
            Beginning::LiveState => "This is the rollout as it was read. From here on, nobody changes anything.",
        };
        return html! { <div class="why"><p>{ sentence }</p></div> };
    };
    let is_open = rollout.state.tables;
    let toggle = rollout.callback(move |_: MouseEvent| RolloutAction::ShowTables(!is_open));
    let highlighted = rollout.state.highlight.filter(|it| it.lane == *lane).map(|it| it.mark);
    let on_highlight = &rollout.callback({
        let lane = *lane;
        move |mark: Option<Mark>| RolloutAction::Highlight(mark.map(|mark| Highlight { lane, mark }))
    });
    let (time, shown) = (playback.clock(explanation.time), playback.clock(rollout.state.playhead.time));
    // It says that nothing has happened since.
    let is_earlier = time != shown && time.contains(':');
    let explanation = &as_drawn(playback, *lane, rollout.state.playhead, explanation);
    let sentence = with_version_names(playback, *lane, &explanation.sentence);
    html! {
        <div class="why">
            <p class="sentence">
                if is_earlier { { "Last, at " } }
                <span class="when">{ time }</span>{ if is_earlier { ": " } else { " " } }
                { view_segments(&sentence, on_highlight) }{ " " }
                <button type="button" class="link" aria-expanded={is_open.to_string()} onclick={toggle}>
                    { if is_open { "Hide the rule" } else { "Show the rule" } }
                </button>
            </p>
            if is_open {
                <div class="rule">
                    { for explanation.formula.iter().enumerate().map(|(index, line)| html! {
                        <p key={index} class="formula">{ view_segments(line, on_highlight) }</p>
                    }) }
                    { view_operands(explanation, highlighted, on_highlight) }
                    { view_source(explanation) }
                    if let Some(last) = &inspection.last_step {
                        <p class="note">{ format!("Then, at {}: {}", playback.clock(last.time), last.sentence) }</p>
                    }
                    <DetailsTables tables={inspection.tables.clone()} />
                </div>
            }
        </div>
    }
}

/// What a screen reader says of a step: the time, the pods of each lane, and why they have changed.
pub fn spoken_step(state: &RolloutState, playback: &Playback) -> String {
    let playhead = state.playhead;
    let before = playback.previous_wave(playhead).time;
    let mut spoken = format!("{}.", playback.exact_position_phrase(playhead));
    for number in &playback.shown_lanes {
        let Some(lane) = playback.lanes.get(*number) else { continue };
        let Some(snapshot) = lane.track.snapshot_at(playback.moment(*number, playhead)) else { continue };
        let over = snapshot.over();
        let over = if over > 0 { format!(", {} over", group_digits(over)) } else { String::new() };
        spoken.push_str(&format!(" {}: {}{over}.", lane.info.name, plural(snapshot.pods(), "pod")));
        let inspection = state.inspection.as_ref().and_then(|inspection| inspection.lanes.get(*number));
        let explanation = inspection.and_then(|inspection| inspection.explanation.as_ref());
        // The sentence of an earlier wave is no news. Before the first wave, there is none.
        let explanation = explanation.filter(|it| it.time > before || before >= playhead.time);
        if let Some(explanation) = explanation {
            spoken.push(' ');
            for segment in with_version_names(playback, *number, &explanation.sentence) {
                spoken.push_str(match &segment {
                    Segment::Text(text) => text,
                    Segment::Operand(operand) => &operand.value,
                });
            }
        }
    }
    spoken
}

/// An explanation that marks only the numbers that the picture shows there: a rule may have used the numbers from before its step.
fn as_drawn(playback: &Playback, lane: usize, playhead: Playhead, explanation: &Explanation) -> Explanation {
    let mut explanation = explanation.clone();
    let snapshot = playback.lanes.get(lane).and_then(|it| it.track.snapshot_at(playback.moment(lane, playhead)));
    let Some(snapshot) = snapshot else { return explanation };
    let lines = explanation.formula.iter_mut().chain([&mut explanation.sentence]);
    for segment in lines.flatten() {
        if let Segment::Operand(operand) = segment {
            let is_drawn = |mark: &Mark| snapshot.number_at(*mark).is_none_or(|it| group_digits(it) == operand.value);
            operand.mark = operand.mark.filter(is_drawn);
        }
    }
    explanation
}

fn view_segments(segments: &[Segment], on_highlight: &Callback<Option<Mark>>) -> Html {
    let segments = segments.iter().map(|segment| match segment {
        Segment::Text(text) => view_text(text),
        Segment::Operand(operand) => view_operand(operand, on_highlight),
    });
    segments.collect()
}

/// A sentence that says "the new version" instead of the generated name of a ReplicaSet, which stands in the rule; "the
/// ReplicaSet" if there is only one.
fn with_version_names(playback: &Playback, lane: usize, sentence: &[Segment]) -> Vec<Segment> {
    let replica_sets = playback.lanes.get(lane).map(|lane| lane.played.replica_sets.as_slice()).unwrap_or_default();
    let names = if playback.has_one_version() {
        ["ReplicaSet"; 3].map(String::from)
    } else {
        playback.version_names().map(version_noun)
    };
    let mut starts = true;
    let named = sentence.iter().map(|segment| {
        let named = match segment {
            Segment::Operand(operand) if operand.mark == Some(Mark::ReplicaSet) => {
                let index = replica_sets.iter().position(|name| *name == operand.value);
                let article = if starts { "The" } else { "the" };
                let name = index.and_then(|index| names.get(index)).map(|name| format!("{article} {name}"));
                let mut operand = operand.clone();
                if let Some(name) = name {
                    operand.source = format!("ReplicaSet {}", operand.value);
                    operand.value = name;
                }
                Segment::Operand(operand)
            }
            segment => segment.clone(),
        };
        starts = false;
        named
    });
    named.collect()
}

/// `new version`, or after a rollback `first version`.
fn version_noun(name: &str) -> String {
    if name.ends_with("version") { String::from(name) } else { format!("{name} version") }
}

/// A number. One that the picture shows lights up there while the user points at it.
fn view_operand(operand: &Operand, on_highlight: &Callback<Option<Mark>>) -> Html {
    let title = format!("{}: {}", operand.name, operand.source);
    let Some(mark) = operand.mark else {
        return html! { <span class="operand" {title}>{ &operand.value }</span> };
    };
    let (on, off) = (on_highlight.clone(), on_highlight.clone());
    let enter = Callback::from(move |_| on.emit(Some(mark)));
    let leave = Callback::from(move |_| off.emit(None));
    // With the keyboard, the buttons of the rule do the same.
    html! {
        <span class={classes!("operand", "linked", picture::mark_class(mark))} {title}
            onpointerenter={enter.reform(|_| ())} onpointerleave={leave.reform(|_| ())}>{ &operand.value }</span>
    }
}

/// Every number of the formula with where it comes from. What the picture shows has a button that lights it up there.
fn view_operands(explanation: &Explanation, highlighted: Option<Mark>, on_highlight: &Callback<Option<Mark>>) -> Html {
    let mut operands: Vec<&Operand> = Vec::new();
    let lines = explanation.formula.iter().chain([&explanation.sentence]);
    for operand in lines.flatten().filter_map(|segment| match segment {
        Segment::Operand(operand) => Some(operand),
        Segment::Text(_) => None,
    }) {
        if !operands.iter().any(|known| known.name == operand.name) {
            operands.push(operand);
        }
    }
    html! {
        <dl class="operands">
            { for operands.into_iter().map(|operand| html! {
                <div key={operand.name.as_str()}>
                    <dt>{ &operand.name }</dt>
                    <dd>
                        <b>{ &operand.value }</b>{ " " }<span class="note">{ &operand.source }</span>
                        if let Some(mark) = operand.mark {
                            { " " }{ view_show_button(operand, mark, highlighted == Some(mark), on_highlight) }
                        }
                    </dd>
                </div>
            }) }
        </dl>
    }
}

/// A button that lights up a part of the picture until it is pressed again or loses the focus.
fn view_show_button(operand: &Operand, mark: Mark, is_lit: bool, on_highlight: &Callback<Option<Mark>>) -> Html {
    let toggle = on_highlight.reform(move |_: MouseEvent| (!is_lit).then_some(mark));
    let leave = on_highlight.reform(|_: FocusEvent| None);
    html! {
        <button type="button" class="link" aria-label={format!("Show {} in the picture", operand.name)}
            aria-pressed={is_lit.to_string()} onblur={leave} onclick={toggle}>{ "show" }</button>
    }
}

fn view_source(explanation: &Explanation) -> Html {
    html! {
        <p class="note">
            { &explanation.actor }
            if let Some(upstream) = &explanation.upstream { { ", " }<code>{ upstream }</code> }
            if let Some(section) = &explanation.section { { format!(", {section}") } }
        </p>
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::scenario::Mode;
    use changeover_wire::{InspectRequest, Request, Response, StepLevel};
    use yew::Reducible;

    use super::*;
    use crate::rollout::StartPosition;
    use crate::settings::Settings;
    use crate::tests::compared;

    #[test]
    fn a_step_is_said_with_the_pods_of_both_lanes_and_the_reason() {
        let mut settings = Settings::default();
        settings.set_mode(Mode::Exact);
        let (mut player, playback) = compared(&settings);
        let state = Rc::new(RolloutState::new(StartPosition::Opening)).reduce(RolloutAction::Played(playback));
        let state = state.reduce(RolloutAction::First);
        let playback = state.playback.clone().unwrap();
        let frames = playback.lane_frames(state.playhead);
        let request = InspectRequest { generation: 1, frames, level: StepLevel::Wave, explain: None, tables: false };
        let Response::Inspected(inspection) = player.respond(Request::Inspect(request)) else {
            panic!("an inspection is answered by one")
        };
        let state = state.reduce(RolloutAction::Inspected(inspection));
        let spoken = spoken_step(&state, &playback);
        let [one, other] = [0, 1].map(|lane| playback.lanes[lane].info.name.as_str());
        let (time, rest) = spoken.split_once(&format!(" {one}: 22 pods, 3 over. ")).unwrap();
        let (reason, _) = rest.split_once(&format!(" {other}: 19 pods.")).unwrap();
        assert!(time.starts_with("0:00") && time.ends_with('.'), "{spoken}");
        assert!(reason.ends_with('.'), "{spoken}");
        assert!(!spoken.contains(".."), "{spoken}");
    }
}
