use changeover_wire::StepLevel;
use web_sys::HtmlSelectElement;
use yew::{Callback, Html, Properties, TargetCast, component, html, use_effect_with, use_mut_ref, use_node_ref};

use super::step_explanation::spoken_step;
use crate::dom;
use crate::hooks::{Rollout, use_debounced};
use crate::number::group_count;
use crate::playback::Playback;
use crate::playback_clock::SPEED_LABELS;
use crate::rollout::{MovedBy, RolloutAction, RolloutState};

/// The id of the button that opens the what-if panel.
const WHAT_IF_ID: &str = "what-if-button";

/// The id of the button that shows the player of a story.
pub const MORE_ID: &str = "player-more";

/// Moves the focus to the button that opens the what-if panel, or to the one that shows it.
pub fn focus_what_if_button() {
    dom::focus_first(&[WHAT_IF_ID, MORE_ID, dom::TITLE_ID]);
}

/// The milliseconds after which a step is announced: the player has explained it by then, and no other one has followed.
const STEP_DELAY: u32 = 500;

/// The properties of [`PlayerBar`].
#[derive(PartialEq, Properties)]
pub struct PlayerBarProps {
    /// What is shown.
    pub rollout: Rollout,
    /// Whether it is that of a story, which has a button to play of its own, and whose arrow keys go from caption to caption.
    #[prop_or_default]
    pub is_of_story: bool,
    /// Whether the what-if panel is open.
    #[prop_or_default]
    pub is_what_if_open: bool,
    /// The user opens or closes the what-if panel; none where there is none.
    #[prop_or_default]
    pub on_what_if: Option<Callback<()>>,
}

/// The buttons that move the playhead.
#[component]
pub fn PlayerBar(props: &PlayerBarProps) -> Html {
    let PlayerBarProps { rollout, is_of_story, is_what_if_open, on_what_if } = props;
    let was_open = use_mut_ref(|| false);
    // When the panel closes, the focus returns to its button.
    use_effect_with(*is_what_if_open, move |is_open| {
        if was_open.replace(*is_open) && !is_open {
            focus_what_if_button();
        }
    });
    let state = &rollout.state;
    // What is above the bar grows once the rule of another rollout is there.
    let bar = use_node_ref();
    let generation = state.playback.as_ref().map(|playback| playback.generation);
    use_effect_with((generation, state.inspection.is_some()), {
        let bar = bar.clone();
        move |_| {
            if let Some(bar) = bar.cast() {
                dom::reveal_focus_in(&bar);
            }
        }
    });
    // While it plays, nothing is said; a slider says its value itself.
    let is_news = state.moved_by == MovedBy::Step && !state.is_playing && !dom::is_on_slider();
    let step = state.playback.as_ref().filter(|_| is_news).map(|playback| {
        let write = write_phrase(state, playback).map(|write| write + ". ").unwrap_or_default();
        write + &spoken_step(state, playback)
    });
    let step = use_debounced(step.unwrap_or_default(), STEP_DELAY);
    let Some(playback) = &state.playback else { return Html::default() };
    let is_playing = state.is_playing;
    let toggle = rollout.callback(move |_| if is_playing { RolloutAction::Pause } else { RolloutAction::Play });
    let zoomed = state.level == StepLevel::Write;
    let zoom =
        rollout.callback(move |_| RolloutAction::SetLevel(if zoomed { StepLevel::Wave } else { StepLevel::Write }));
    let set_speed = rollout.callback(|event: yew::Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let index = select.and_then(|select| usize::try_from(select.selected_index()).ok());
        RolloutAction::SetSpeed(index.unwrap_or_default())
    });
    let write = write_phrase(state, playback).map(|write| format!(" · {write}"));
    let time = playback.position_phrase(state.playhead.time);
    let [back, forth, zoom_title] = if *is_of_story {
        ["Step back (Shift ←)", "Next step (Shift →)", "Step through each API write of a moment"]
    } else {
        ["Step back (←)", "Next step (→)", "Step through each API write of a moment (Shift → Shift ←)"]
    };
    html! {
        <>
        <div class="player" ref={bar} role="group" aria-label="Playback">
            <button type="button" class="icon" aria-label="To the start" title="To the start (Home)"
                onclick={rollout.callback(|_| RolloutAction::First)}>{ "|◂" }</button>
            <button type="button" class="icon" aria-label="Step back" title={back}
                onclick={rollout.callback(|_| RolloutAction::Previous)}>{ "◂" }</button>
            if !is_of_story {
                <button type="button" class="primary play" title="Play or pause (Space)" onclick={toggle}>
                    { if is_playing { "Pause" } else { "Play" } }
                </button>
            }
            <button type="button" class="icon" aria-label="Step" title={forth}
                onclick={rollout.callback(|_| RolloutAction::Next)}>{ "▸" }</button>
            <button type="button" class="icon" aria-label="To the end" title="To the end (End)"
                onclick={rollout.callback(|_| RolloutAction::Last)}>{ "▸|" }</button>
            <span class="position"><b>{ time }</b>{ write }</span>
            <button type="button" class="link" aria-pressed={zoomed.to_string()} onclick={zoom}
                title={zoom_title}>{ "zoom in" }</button>
            <label class="speed">
                { "Speed " }
                <select title="Speed (+ −)" onchange={set_speed}>
                    { for SPEED_LABELS.iter().enumerate().map(|(index, label)| html! {
                        <option selected={index == state.speed}>{ *label }</option>
                    }) }
                </select>
            </label>
            if let Some(on_what_if) = on_what_if {
                <button type="button" id={WHAT_IF_ID} aria-expanded={is_what_if_open.to_string()}
                    title="Do something else from here (f)" onclick={on_what_if.reform(|_| ())}>{ "What if…" }</button>
            }
        </div>
        <output class="visually-hidden" aria-live="polite">{ step }</output>
        </>
    }
}

/// Which API write of its wave is shown; none unless the user has zoomed in.
fn write_phrase(state: &RolloutState, playback: &Playback) -> Option<String> {
    let (writes, done) = playback.writes_of_wave(state.playhead);
    (state.level == StepLevel::Write).then(|| match writes {
        0 => String::from("no API write"),
        writes => format!("API write {} of {}", group_count(done), group_count(writes)),
    })
}
