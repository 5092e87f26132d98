use std::rc::Rc;

use changeover_wire::{Fork, Problem, Reading, Severity, WorkloadKind, WorkloadName};
use gloo_timers::callback::Timeout;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DragEvent, File};
use yew::{
    Callback, ContextProvider, Html, Properties, classes, component, hook, html, use_callback, use_effect_with,
    use_memo, use_mut_ref, use_node_ref, use_state,
};

use super::advice_panel::{AdvicePanel, PROPOSED, TakenSetting};
use super::answered_form::answer_in_one_line;
use super::foreign_text::view_text;
use super::headline::{HOW_TO_READ, headline, spoken_result};
use super::judgment_panel::JudgmentPanel;
use super::lanes::Lanes;
use super::manifest_report::spoken_obstacle;
use super::moments_table::MomentsTables;
use super::outlook_panel::{OutlookMoment, OutlookPanel, PlayedFixes};
use super::player_bar::PlayerBar;
use super::sandbox_inputs_column::{OpenedFiles, SandboxInputsColumn};
use super::sandbox_words::{first_moment, job_note, notes};
use super::share_menu::ShareMenu;
use super::text_file::{JoinedTexts, drags_files, dropped_files, read_texts};
use super::two_columns::TwoColumns;
use super::what_if::{AppliedForks, WhatIf};
use crate::dom;
use crate::hooks::{
    AddressContent, Rollout, use_debounced, use_input_change, use_lasting, use_manifests, use_rollout,
    use_sandbox_player, use_shared_address, use_state_in_tab, use_undo, use_what_if,
};
use crate::manifests::ManifestsState;
use crate::picture::HandledSettings;
use crate::playback::Playback;
use crate::player_client::PlayerClient;
use crate::rollout::{self, RestoredPosition, RolloutAction};
use crate::sandbox_inputs::{KeptSandbox, SandboxInputs};
use crate::sandbox_view::SandboxView;
use crate::settings::{Comparison, Field, Settings};
use crate::share::{DeepLink, Shareable, SharedState, Shown};

/// The properties of [`SandboxPage`].
#[derive(PartialEq, Properties)]
pub struct SandboxPageProps {
    /// What the user set.
    pub inputs: SandboxInputs,
    /// The user sets something else.
    pub on_change: Callback<SandboxInputs>,
    /// What the address or a file brings.
    pub deep_link: DeepLink,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// The user asks for help, or closes it.
    pub on_help: Callback<bool>,
}

/// The sandbox, with the player that knows what is to be played.
#[component]
pub fn SandboxPage(props: &SandboxPageProps) -> Html {
    let SandboxPageProps { inputs, on_change, deep_link, on_open, character_shortcuts, on_help } = props;
    let player = use_sandbox_player(inputs);
    let manifests = use_manifests(inputs);
    let current = manifests.reading.clone().filter(|_| !manifests.is_reading);
    use_effect_with((current, inputs.clone()), {
        let on_change = on_change.clone();
        move |(current, inputs)| {
            let reconciled = current.as_ref().map(|reading| inputs.reconciled(reading));
            if let Some(reconciled) = reconciled.filter(|reconciled| reconciled != inputs) {
                on_change.emit(reconciled);
            }
        }
    });
    let Some(player) = player else {
        return html! {
            <main id="main" class="loading" tabindex="-1">
                <p class="problem" role="alert">{ "The page stopped: workbench.js can't be started. Reload it." }</p>
            </main>
        };
    };
    html! {
        <ContextProvider<Rc<PlayerClient>> context={player}>
            <Sandbox inputs={inputs.clone()} {manifests} on_change={on_change.clone()}
                deep_link={deep_link.clone()} on_open={on_open.clone()} character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
        </ContextProvider<Rc<PlayerClient>>>
    }
}

/// The properties of [`Sandbox`].
#[derive(PartialEq, Properties)]
struct SandboxProps {
    /// What the user set.
    inputs: SandboxInputs,
    /// What has come of the user's manifests.
    manifests: ManifestsState,
    /// The user sets something else.
    on_change: Callback<SandboxInputs>,
    /// What the address or a file brings.
    deep_link: DeepLink,
    /// The user opens a file with a state.
    on_open: Callback<SharedState>,
    /// Whether shortcuts of a single character are on.
    character_shortcuts: bool,
    /// The user asks for help, or closes it.
    on_help: Callback<bool>,
}

/// Plays a fix at a moment. The callback stays the same, so that the fixes are not drawn again for every frame.
#[hook]
fn use_play(rollout: &Rollout, moment: fn() -> RolloutAction) -> Callback<Value> {
    use_callback(rollout.state.dispatcher(), move |action, dispatcher| {
        dispatcher.dispatch(moment());
        dispatcher.dispatch(RolloutAction::AddFork(action));
        // The button goes away.
        dom::focus_title();
    })
}

/// The sandbox: inputs on the left, and what comes of them.
#[component]
fn Sandbox(props: &SandboxProps) -> Html {
    let SandboxProps { inputs, manifests, on_change, deep_link, on_open, character_shortcuts, on_help } = props;
    let scope = inputs.scope(manifests.reading.as_deref());
    let lanes = use_memo((inputs.clone(), manifests.lanes.clone(), scope), |(inputs, own, scope)| {
        inputs.lanes(own.as_ref(), *scope)
    });
    let rollout = use_rollout((*lanes).clone(), rollout::StartPosition::Opening);
    let by_node = use_state(|| false);
    // The tables by node come above their button.
    let nodes_toggle = use_node_ref();
    use_effect_with(*by_node, {
        let nodes_toggle = nodes_toggle.clone();
        move |_| {
            if let Some(toggle) = nodes_toggle.cast() {
                dom::reveal_focus_in(&toggle);
            }
        }
    });
    use_effect_with((), |()| {
        dom::set_title("Sandbox · Changeover");
        dom::scroll_to_top();
    });
    // What was done to a Deployment means nothing to a Job. Before the deep link, which may bring something to do.
    let last_workload = use_mut_ref(|| inputs.workload);
    use_effect_with(inputs.workload, {
        let rollout = rollout.clone();
        move |workload| {
            let is_changed = last_workload.replace(*workload) != *workload;
            if is_changed && !rollout.state.forks.is_empty() {
                rollout.dispatch(RolloutAction::ClearForks);
            }
        }
    });
    use_effect_with(deep_link.clone(), {
        let (rollout, by_node) = (rollout.clone(), by_node.setter());
        move |deep_link| {
            // Of an address that says nothing, Back brings the first state.
            let state = deep_link.take().unwrap_or_default();
            by_node.set(state.by_node);
            let position = RestoredPosition::of(&state);
            rollout.dispatch(RolloutAction::Restore(state.forks.into_iter().map(Fork::from).collect(), position));
        }
    });
    let kept = use_memo((inputs.clone(), manifests.clone()), |(inputs, manifests)| inputs.kept(manifests));
    let sandbox = Some(kept.sandbox().clone());
    let whole = SharedState { sandbox, by_node: *by_node, ..rollout.state.left() };
    let left = match &*kept {
        KeptSandbox::Shareable(..) | KeptSandbox::Unreadable(_) => {
            let shared = |sandbox| SharedState { sandbox: Some(sandbox), ..whole.clone().with_reduced_forks() };
            Some(AddressContent { whole: whole.clone(), shared: kept.shared().map(shared) })
        }
        KeptSandbox::Unread(_) => None,
    };
    // Else the view that the user did not change is about to follow the other one.
    let is_reconciled = || manifests.reading.as_ref().is_none_or(|reading| inputs.reconciled(reading) == *inputs);
    // A text that can't be read plays nothing.
    let is_still =
        |content: &AddressContent| content.shared.is_none() || (rollout.state.is_settled() && is_reconciled());
    let content = left.clone().filter(is_still);
    let default = SandboxInputs::default().shared(&ManifestsState::default());
    let default = SharedState { sandbox: default, ..SharedState::default() };
    // Keep what a reload needs first: the tab may have no room for both.
    let reach = use_shared_address(content.clone(), Some(whole.clone()), default.clone());
    use_state_in_tab(left.map(|content| content.whole), whole, default);

    let what_if = use_what_if(&rollout, *character_shortcuts, on_help);
    let on_play_now = use_play(&rollout, || RolloutAction::SeekTime(0));
    let on_play_at_end = use_play(&rollout, || RolloutAction::Last);

    // What the user sets while a file is read is kept.
    let latest_inputs = use_mut_ref(SandboxInputs::default);
    latest_inputs.replace(inputs.clone());
    let on_settings = use_input_change(&latest_inputs, on_change, SandboxInputs::with_settings);
    let on_take = use_input_change(&latest_inputs, on_change, |inputs, TakenSetting { settings, is_proposed }| {
        let mut inputs = inputs.with_settings(settings);
        if is_proposed {
            inputs.comparison = PROPOSED;
        }
        inputs
    });
    let on_other_settings = use_input_change(&latest_inputs, on_change, SandboxInputs::with_other_settings);
    let undo = use_undo(&latest_inputs, on_change);
    let by_handle = |settings: Settings, (keep, on_settings): &(Callback<()>, Callback<Settings>)| {
        keep.emit(());
        on_settings.emit(settings);
    };
    let on_handle = use_callback((undo.keep.clone(), on_settings.clone()), by_handle);
    let on_other_handle = use_callback((undo.keep.clone(), on_other_settings.clone()), by_handle);
    let on_limits =
        use_input_change(&latest_inputs, on_change, |inputs, limits| SandboxInputs { limits, ..inputs.clone() });
    let opened = use_state(|| OpenedFiles::None);
    let on_files = use_callback(on_change.clone(), {
        let (latest_inputs, opened) = (latest_inputs.clone(), opened.setter());
        move |files: Vec<File>, on_change| {
            let (inputs, on_change, opened) = (latest_inputs.clone(), on_change.clone(), opened.clone());
            spawn_local(async move {
                match read_texts(&files).await {
                    Ok(JoinedTexts { text, count }) => {
                        opened.set(OpenedFiles::Read(count));
                        let inputs = inputs.borrow().with_given_text(text.into(), dom::now());
                        on_change.emit(SandboxInputs { view: SandboxView::Yaml, ..inputs });
                    }
                    Err(problem) => opened.set(OpenedFiles::Refused(problem)),
                }
            });
        }
    });
    let on_edited = use_callback(opened.setter(), |(), opened| opened.set(OpenedFiles::None));
    // Back undoes it: the history keeps the address of what was set.
    let on_start_over = {
        let (on_change, rollout, opened, by_node) =
            (on_change.clone(), rollout.clone(), opened.setter(), by_node.setter());
        Callback::from(move |_: yew::MouseEvent| {
            opened.set(OpenedFiles::None);
            by_node.set(false);
            rollout.dispatch(RolloutAction::Restore(Vec::new(), RestoredPosition::default()));
            on_change.emit(SandboxInputs::default());
            dom::focus_title();
        })
    };
    let on_drop = {
        let on_files = on_files.clone();
        Callback::from(move |event: DragEvent| {
            let files = dropped_files(&event);
            if !files.is_empty() {
                event.prevent_default();
                on_files.emit(files);
            }
        })
    };
    let on_drag_over = Callback::from(|event: DragEvent| {
        if drags_files(&event) {
            event.prevent_default();
        }
    });
    let is_of_deployment = inputs.workload == WorkloadKind::Deployment;
    let mut handled = Vec::new();
    if inputs.manifests().is_none() && is_of_deployment {
        handled.push(HandledSettings { settings: inputs.settings.clone(), on_change: on_handle });
    }
    if let Comparison::Settings(settings) = &inputs.comparison
        && inputs.manifests().is_none()
        && is_of_deployment
    {
        handled.push(HandledSettings { settings: (**settings).clone(), on_change: on_other_handle });
    }
    let state = &rollout.state;
    let problem = state.problem_of_lane(0).or_else(|| manifests.reading.as_deref().and_then(first_problem));
    let is_unplayable = inputs.manifests().is_some() && manifests.lanes.is_none() && !manifests.is_reading;
    let has_own_problem = inputs.has_own_problem(scope);
    let is_invalid = state.refusal.is_some() || is_unplayable || has_own_problem;
    let is_busy = state.is_busy() || manifests.is_reading;
    // To stop a simulation is to go back to what was set for a result that stayed for a while: while the user types, others come and go.
    let stopped_at = use_mut_ref(SandboxInputs::default);
    use_effect_with((!is_busy && !is_invalid).then(|| inputs.clone()), {
        let stopped_at = stopped_at.clone();
        move |still| {
            let inputs = still.clone();
            let stays = inputs.map(|inputs| Timeout::new(LONG, move || drop(stopped_at.replace(inputs))));
            move || drop(stays)
        }
    });
    let on_stop = {
        let on_change = on_change.clone();
        Callback::from(move |_: yew::MouseEvent| {
            on_change.emit(stopped_at.borrow().clone());
            // The button goes away.
            dom::focus_title();
        })
    };
    let takes_time = use_lasting(is_busy, NOTICEABLE);
    let takes_long = use_lasting(is_busy, LONG);
    // Before the first result, the headline says so.
    let is_outdated = is_invalid || (takes_time && state.playback.is_some());
    let working = if takes_long && state.playback.is_some() { SIMULATING } else { "" };
    let has_outlook_of = |shown: &WorkloadName| shown.kind != WorkloadKind::CronJob;
    let reading = manifests.reading.as_ref();
    let has_outlook = reading.is_some_and(|reading| {
        let has_daemon_sets = || reading.objects.iter().any(|object| object.kind == "DaemonSet");
        reading.read_at.is_some() && (reading.workloads.iter().any(has_outlook_of) || has_daemon_sets())
    });
    let is_only_explained = has_outlook && reading.is_some_and(|reading| reading.shown.is_none());
    let autoscaler = manifests.reading.as_ref().and_then(|reading| reading.autoscaler.as_ref());
    let scaled = autoscaler
        .filter(|_| inputs.view == SandboxView::Yaml)
        .map_or_else(String::new, |autoscaler| format!(" {autoscaler} sets the replicas, which this leaves out."));
    let headline = state.playback.as_ref().map_or_else(
        || String::from(if is_invalid { "No result yet" } else { SIMULATING }),
        |it| format!("{}{scaled}", headline(it, &state.forks)),
    );
    let headline = if is_only_explained { String::from("The state of your rollouts") } else { headline };
    // A screen reader says the result once the user has stopped typing, and never finds an earlier one above other figures.
    let current = state.playback.as_ref().filter(|_| !state.is_superseded());
    let result = current.map(|playback| spoken_result(&headline, playback)).unwrap_or_default();
    let is_typed = inputs.view == SandboxView::Yaml && manifests.lanes.is_none();
    let obstacle = manifests.reading.as_deref().filter(|_| is_typed).and_then(spoken_obstacle);
    let result = obstacle.unwrap_or(result);
    let settled = use_debounced(result.clone(), ANNOUNCEMENT_DELAY);
    let announcement = if settled == result { settled } else { String::new() };
    let is_at_opening = state.playback.as_ref().is_some_and(|playback| playback.opening_playhead() == state.playhead);
    let opening = state.playback.as_ref().map(|playback| {
        format!(" Shown: {}, {}.", playback.clock(playback.opening_playhead().time), playback.opening.event.name())
    });
    // A running cluster says itself what it waits for, until the user does something.
    let done: Vec<Fork> =
        state.forks.iter().filter(|applied| applied.outcome.is_some()).map(|applied| applied.fork.clone()).collect();
    let waits = is_of_deployment
        && (!has_outlook || !done.is_empty())
        && state.playback.as_deref().is_some_and(Playback::never_completes);
    let standstill = waits.then_some(OutlookMoment::Standstill(done));
    let fixes = |playback: Option<&Rc<Playback>>, on_play: &Callback<Value>| {
        let shown = playback?.lanes.first()?.played.workload.clone()?;
        Some(PlayedFixes { shown, on_play: on_play.clone() })
    };
    let playback = state.playback.as_ref().filter(|_| !is_invalid);
    let fixes_now = fixes(playback, &on_play_now);
    // Where a simulation was cut, nothing more is played.
    let is_whole = |playback: &&Rc<Playback>| playback.lanes.iter().all(|lane| lane.played.cut_reason.is_none());
    let fixes_at_end = fixes(playback.filter(is_whole), &on_play_at_end);
    let toggle_nodes = {
        let by_node = by_node.clone();
        Callback::from(move |_: yew::MouseEvent| by_node.set(!*by_node))
    };
    let summary = inputs.summary(manifests.reading.as_deref());
    let shareable = content.map(|content| Shareable {
        title: headline.clone(),
        inputs: summary.clone(),
        file_name: String::from("rollout"),
        whole: content.whole,
        state: content.shared,
        manifests: Some(inputs.yaml()),
        shown: Shown::new(state.playback.clone(), is_invalid),
    });
    let on_menu = use_callback(rollout.state.dispatcher(), |(), dispatcher| dispatcher.dispatch(RolloutAction::Pause));
    let answer = state.playback.as_ref().map(|playback| {
        if takes_long {
            String::from(SIMULATING)
        } else {
            let excess = playback.lanes.first().and_then(|lane| lane.excess);
            answer_in_one_line(&playback.totals(0), excess, playback.has_rollback(), playback.clock_format())
        }
    });
    let inputs_column = html! {
        <SandboxInputsColumn inputs={inputs.clone()} manifests={manifests.clone()} opened={(*opened).clone()} {problem}
            other_problem={state.problem_of_lane(1)} {answer} {is_invalid} {is_outdated}
            runs_none={state.playback.as_deref().is_some_and(Playback::begins_without_pods)} {reach}
            on_change={on_change.clone()} {on_files} {on_edited} {on_start_over} />
    };
    let result_column = html! {
        <div class={classes!("result", takes_time.then_some("busy"))} aria-busy={is_busy.to_string()}>
            <h1 id={dom::TITLE_ID} tabindex="-1" class={(is_outdated && !is_only_explained).then_some("stale")}>
                { view_text(&headline) }
            </h1>
            <p class="how-to-read">
                if is_only_explained {
                    { "Without its nodes, a DaemonSet is explained here, but not drawn." }
                    if state.playback.is_some() { { " The picture still shows the previous result." } }
                } else if is_invalid {
                    { if state.playback.is_some() { "This still shows the previous result" } else { "There is no result" } }
                    if inputs.manifests().is_some() && !has_own_problem {
                        { " until you fix the YAML." }
                    } else {
                        { " until you fix the marked setting." }
                    }
                } else {
                    { HOW_TO_READ }
                    { " Terminating pods are shutting down. " }
                    { first_moment(inputs.workload, manifests.reading.as_deref()) }
                    if is_of_deployment && inputs.manifests().is_none() {
                        <span class="screen-only">
                            { " Drag a handle to change a setting: " }
                            if inputs.settings.applies(Field::MaxSurge) { { "‖ extra and unavailable pods, " } }
                            { "= the time to start or to stop." }
                        </span>
                    }
                    if is_of_deployment {
                        { notes(&inputs.settings, manifests.reading.as_deref(), state.playback.as_deref()) }
                    } else {
                        { job_note(inputs) }
                    }
                    // It keeps its room, so that nothing below moves when the playhead does.
                    if let Some(opening) = opening {
                        <span class={(!is_at_opening || state.is_stale).then_some("absent")}>{ opening }</span>
                    }
                }
            </p>
            if inputs.manifests().is_some() && !is_invalid {
                <JudgmentPanel inputs={inputs.clone()} is_without_what_if={state.done_forks() > 0} />
            }
            // On paper, in place of the controls.
            <p class="note given print-only">{ summary }</p>
            <p class="visually-hidden" role="status">{ announcement }</p>
            <div class="work">
                <p class="working" role="status">{ working }</p>
                if takes_long {
                    <button type="button" class="link" title="Go back to the settings before" onclick={on_stop}>{ "Stop" }</button>
                }
            </div>
            if has_outlook && state.done_forks() > 0 {
                // What holds up the cluster may be gone once the user has done something.
                <details class="outlook-before">
                    <summary>{ "When you read the cluster" }</summary>
                    <OutlookPanel inputs={inputs.clone()} moment={OutlookMoment::Now} />
                </details>
            } else if has_outlook {
                <OutlookPanel inputs={inputs.clone()} moment={OutlookMoment::Now} fixes={fixes_now} />
            }
            if let Some(moment) = standstill {
                <OutlookPanel inputs={inputs.clone()} {moment} fixes={fixes_at_end} />
            }
            // While it is simulated, the earlier result can be used, so that what has the focus keeps it.
            <div class={is_outdated.then_some("stale")} inert={is_invalid}>
            <Lanes rollout={rollout.clone()} by_node={*by_node} {handled} />
            <AppliedForks rollout={rollout.clone()} />
            if what_if.is_open {
                <WhatIf rollout={rollout.clone()} on_close={what_if.toggle.clone()} />
            }
            <PlayerBar rollout={rollout.clone()} is_what_if_open={what_if.is_open} on_what_if={what_if.toggle} />
            <button type="button" class="link" ref={nodes_toggle} aria-expanded={by_node.to_string()} onclick={toggle_nodes}>
                { if *by_node { "Hide pods by node" } else { "Show pods by node" } }
            </button>
            </div>
            <ShareMenu {shareable} on_open={on_open.clone()} {on_menu} />
            if let Some(failure) = &state.failure {
                <p class="problem" role="alert">{ format!("The page stopped: {failure}. Reload it.") }</p>
            }
        </div>
    };
    let rest = html! {
        <div class="rest">
            if let Some(playback) = state.playback.clone() {
                <div class={is_outdated.then_some("stale")} inert={is_invalid}><MomentsTables {playback} /></div>
            }
            if is_of_deployment { <AdvicePanel inputs={inputs.clone()} {is_invalid} {on_take} {on_limits} /> }
        </div>
    };
    html! {
        <main id="main" class="sandbox" tabindex="-1" ondragover={on_drag_over} ondrop={on_drop} onkeydown={undo.on_key}>
            <TwoColumns inputs={inputs_column} result={result_column} {rest} />
        </main>
    }
}

/// The first problem of manifests.
fn first_problem(reading: &Reading) -> Option<Problem> {
    let problem = reading.problems.iter().find(|problem| problem.severity == Severity::Error)?;
    Some(Problem::new(problem.path.as_str(), problem.message.as_str()))
}

/// The milliseconds after which a result is announced.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// The milliseconds after which an earlier result looks like one, and a bar moves above it. Most results come sooner: nothing
/// flickers.
const NOTICEABLE: u32 = 100;

/// The milliseconds after which the page says that it simulates. A shorter wait would only be in the way of the result.
const LONG: u32 = 1000;

/// What it says then.
const SIMULATING: &str = "Simulating…";
