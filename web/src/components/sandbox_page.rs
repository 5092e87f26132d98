use std::cell::RefCell;
use std::rc::Rc;

use changeover_core::scenario::{Duration, Mode};
use changeover_core::timeline::Marks;
use changeover_wire::{
    Fork, LargeText, ManifestChange, PreStopHooks, Problem, Reading, Severity, WorkloadKind, WorkloadName,
};
use gloo_timers::callback::Timeout;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DragEvent, File, HtmlSelectElement};
use yew::{
    Callback, ContextProvider, Event, Html, Properties, TargetCast, classes, component, hook, html, use_callback,
    use_effect_with, use_memo, use_mut_ref, use_node_ref, use_state,
};

use super::advice_panel::{AdvicePanel, PROPOSED, TakenSetting};
use super::answered_form::{AnsweredForm, answer_in_one_line};
use super::foreign_text::view_text;
use super::headline::{HOW_TO_READ, headline, spoken_result};
use super::job_form::JobForm;
use super::judgment_panel::JudgmentPanel;
use super::lanes::Lanes;
use super::link_note::view_link_note;
use super::manifest_editor::{ManifestEdit, ManifestEditor};
use super::manifest_report::{ManifestReport, SUMMARY_ID, spoken_error, spoken_obstacle};
use super::moments_table::MomentsTables;
use super::outlook_panel::{OutlookMoment, OutlookPanel, PlayedFixes};
use super::player_bar::PlayerBar;
use super::proof_link::ProofLink;
use super::setting_input::breakable;
use super::settings_form::SettingsForm;
use super::share_menu::ShareMenu;
use super::text_file::{JoinedTexts, drags_files, dropped_files, read_texts};
use super::two_columns::TwoColumns;
use super::what_if::{AppliedForks, WhatIf};
use super::workload_choice::WorkloadChoice;
use crate::dom;
use crate::hooks::{
    AddressContent, Rollout, use_debounced, use_lasting, use_manifests, use_rollout, use_sandbox_player,
    use_shared_address, use_state_in_tab, use_undo, use_what_if,
};
use crate::manifests::{ManifestsState, OwnManifests, SandboxSource, change_sentence};
use crate::number::{plural, plural_count};
use crate::picture::HandledSettings;
use crate::playback::Playback;
use crate::player_client::PlayerClient;
use crate::rollout::{self, RestoredPosition, RolloutAction};
use crate::sandbox_inputs::{KeptSandbox, SandboxInputs};
use crate::sandbox_view::SandboxView;
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings, SettingsOrigin, YamlContent};
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

/// The result of the files that the user opened or dropped last.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OpenedFiles {
    /// Nothing to report: there were no files, or the text has changed since.
    None,
    /// How many were read that are not empty.
    Read(usize),
    /// Why they were refused.
    Refused(String),
}

/// The number of files that were read, if there were several, or why they were refused.
fn view_opened_files(opened: &OpenedFiles) -> Html {
    match opened {
        OpenedFiles::None | OpenedFiles::Read(0 | 1) => Html::default(),
        OpenedFiles::Read(count) => html! {
            <p class="note" role="status">{ format!("{count} files were read and joined with “---”.") }</p>
        },
        OpenedFiles::Refused(problem) => html! { <p class="problem" role="alert">{ problem }</p> },
    }
}

/// The inputs after a change of one of them.
type InputChange<T> = fn(&SandboxInputs, T) -> SandboxInputs;

/// Changes the latest inputs. The callback stays the same, so that the forms are not drawn again for every frame.
#[hook]
fn use_change<T: 'static>(
    latest: &Rc<RefCell<SandboxInputs>>,
    on_change: &Callback<SandboxInputs>,
    change: InputChange<T>,
) -> Callback<T> {
    let latest = latest.clone();
    use_callback(on_change.clone(), move |value, on_change| {
        let changed = change(&latest.borrow(), value);
        on_change.emit(changed);
    })
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

    // The page is drawn for every frame, and the text may be large.
    let before = inputs.manifests().and_then(|own| own.before.clone());
    let lines_before = use_memo(before, |before| before.as_ref().map(|before| before.lines().count()));
    let what_if = use_what_if(&rollout, *character_shortcuts, on_help);
    let on_play_now = use_play(&rollout, || RolloutAction::SeekTime(0));
    let on_play_at_end = use_play(&rollout, || RolloutAction::Last);

    // What the user sets while a file is read is kept.
    let latest_inputs = use_mut_ref(SandboxInputs::default);
    latest_inputs.replace(inputs.clone());
    let on_settings = use_change(&latest_inputs, on_change, SandboxInputs::with_settings);
    let on_job = use_change(&latest_inputs, on_change, SandboxInputs::with_job);
    let on_workload =
        use_change(&latest_inputs, on_change, |inputs, workload| SandboxInputs { workload, ..inputs.clone() });
    let on_take = use_change(&latest_inputs, on_change, |inputs, TakenSetting { settings, is_proposed }| {
        let mut inputs = inputs.with_settings(settings);
        if is_proposed {
            inputs.comparison = PROPOSED;
        }
        inputs
    });
    let on_other_settings = use_change(&latest_inputs, on_change, |inputs, settings| {
        let comparison = Comparison::Settings(Box::new(settings));
        SandboxInputs { comparison, ..inputs.clone() }
    });
    let undo = use_undo(&latest_inputs, on_change);
    let by_handle = |settings: Settings, (keep, on_settings): &(Callback<()>, Callback<Settings>)| {
        keep.emit(());
        on_settings.emit(settings);
    };
    let on_handle = use_callback((undo.keep.clone(), on_settings.clone()), by_handle);
    let on_other_handle = use_callback((undo.keep.clone(), on_other_settings.clone()), by_handle);
    let on_limits = use_change(&latest_inputs, on_change, |inputs, limits| SandboxInputs { limits, ..inputs.clone() });
    let on_show = use_change(&latest_inputs, on_change, SandboxInputs::with_shown);
    let on_read_at = use_change(&latest_inputs, on_change, SandboxInputs::with_read_at);
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
    let on_edit = use_change(&latest_inputs, on_change, |inputs, edit| match edit {
        ManifestEdit::Typed(text) => inputs.with_text(text),
        ManifestEdit::Pasted(text) => inputs.with_given_text(text, dom::now()),
    });
    let on_text = use_callback(on_edit, {
        let opened = opened.setter();
        move |edit, on_edit| {
            opened.set(OpenedFiles::None);
            on_edit.emit(edit);
        }
    });
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
    let is_following = manifests.is_reading && inputs.manifests().is_some_and(|own| own.lead == SandboxView::Yaml);
    let given = manifests.reading.clone();
    let answer = state.playback.as_ref().map(|playback| {
        if takes_long {
            String::from(SIMULATING)
        } else {
            let excess = playback.lanes.first().and_then(|lane| lane.excess);
            answer_in_one_line(&playback.totals(0), excess, playback.has_rollback(), playback.clock_format())
        }
    });
    let inputs_column = html! {
        <div class="inputs">
            if inputs.manifests().is_none() {
                <WorkloadChoice chosen={inputs.workload} on_choose={on_workload} />
            }
            { view_view_choice(inputs, on_change) }
            { view_opened_files(&opened) }
            { match inputs.view {
                SandboxView::Controls => html! {
                    <>
                        if inputs.manifests().is_some() { { view_own_note(inputs, manifests, on_change) } }
                        // Until a changed text has been read, the controls don't show what it says, and a change of one would
                        // write them all into it.
                        <AnsweredForm {answer} {is_outdated} is_inert={is_following} form={
                            if is_of_deployment {
                                html! {
                                    <SettingsForm whose="Your" settings={inputs.settings.clone()} {problem}
                                        {scope} {given} on_change={on_settings} />
                                }
                            } else if !inputs.workload.has_jobs() {
                                html! { <p class="note">{ format!("A {} has no controls here: change its YAML.", inputs.workload.name()) }</p> }
                            } else {
                                html! {
                                    <JobForm kind={inputs.workload} settings={inputs.job.clone()} {problem} on_change={on_job} />
                                }
                            }
                        } />
                    </>
                },
                SandboxView::Yaml => {
                    let runs_none = state.playback.as_deref().is_some_and(Playback::begins_without_pods);
                    let given_at = inputs.manifests().and_then(|own| own.given_at.clone());
                    let report = html! {
                        <ManifestReport state={manifests.clone()} {given_at} {runs_none} {on_show} {on_read_at} />
                    };
                    view_yaml(inputs, manifests, *lines_before, on_change, report, on_text, on_files)
                }
            } }
            if is_of_deployment {
                { view_comparison_select(inputs, on_change) }
                if let Comparison::Settings(settings) = &inputs.comparison {
                    <SettingsForm whose="The other" id_prefix="other-" settings={(**settings).clone()}
                        problem={state.problem_of_lane(1)} on_change={on_other_settings} />
                }
            }
            <p class="start-over"><button type="button" class="link" onclick={on_start_over}>{ "Start over" }</button></p>
            <p class={classes!("note", "assumed", is_invalid.then_some("stale"))} inert={is_invalid}>
                if inputs.workload.has_jobs() { { JOB_ASSUMPTIONS } } else { { assumptions(inputs, scope, manifests.reading.as_deref()) } }
            </p>
            { view_link_note(reach) }
            <ProofLink />
        </div>
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
            if inputs.manifests().is_some() && !is_invalid { <JudgmentPanel inputs={inputs.clone()} /> }
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

/// The choice between the two views of the rollout.
fn view_view_choice(inputs: &SandboxInputs, on_change: &Callback<SandboxInputs>) -> Html {
    let button = |view: SandboxView, label: &str| {
        let onclick = {
            let (inputs, on_change) = (inputs.clone(), on_change.clone());
            Callback::from(move |_: yew::MouseEvent| on_change.emit(SandboxInputs { view, ..inputs.clone() }))
        };
        html! {
            <button type="button" aria-pressed={(inputs.view == view).to_string()} {onclick}>{ label }</button>
        }
    };
    html! {
        <div class="views" role="group" aria-label="Your rollout as">
            { button(SandboxView::Controls, "Controls") }
            { button(SandboxView::Yaml, "YAML") }
        </div>
    }
}

/// That the controls don't show everything.
fn view_own_note(inputs: &SandboxInputs, manifests: &ManifestsState, on_change: &Callback<SandboxInputs>) -> Html {
    let forget = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |_| {
            // The button goes away.
            dom::focus_title();
            // A CronJob and a set have no controls without their YAML.
            let workload = if inputs.workload.has_jobs() { WorkloadKind::Job } else { WorkloadKind::Deployment };
            on_change.emit(SandboxInputs { source: SandboxSource::Controls, workload, ..inputs.clone() });
        })
    };
    let unwritten = manifests.reading.as_ref().map(|reading| reading.unwritten.join(", ")).unwrap_or_default();
    html! {
        <p class="note">
            { "These settings come from your YAML. Changes here are written to it. " }
            <button type="button" class="link" onclick={forget}>{ "Remove the YAML" }</button>
            if !unwritten.is_empty() {
                <span class="problem" role="alert">
                    { format!(" Change these in the YAML, because the controls can't write them there: {unwritten}.") }
                </span>
            }
        </p>
    }
}

/// The rollout as YAML, and a report of what the text contains. `lines_before`: the number of lines of the saved state, if the
/// rollout starts from one.
fn view_yaml(
    inputs: &SandboxInputs,
    manifests: &ManifestsState,
    lines_before: Option<usize>,
    on_change: &Callback<SandboxInputs>,
    report: Html,
    on_text: Callback<ManifestEdit>,
    on_files: Callback<Vec<File>>,
) -> Html {
    let on_before = |before: Option<LargeText>| {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let before = before.clone();
            on_change.emit(inputs.with_manifests(|own| OwnManifests { before, ..own }));
        })
    };
    let problems = manifests.reading.as_ref().map(|reading| reading.problems.clone()).unwrap_or_default();
    let error = manifests.reading.as_deref().and_then(spoken_error);
    let report = if inputs.manifests().is_some() { report } else { Html::default() };
    html! {
        <section class="own" aria-label="Your rollout as YAML">
            <ManifestEditor text={inputs.yaml()} {problems} {error} described_by={SUMMARY_ID} {report} on_change={on_text} {on_files} />
            <p>
                // The same button, so that focus stays on it.
                <button type="button" onclick={on_before(if lines_before.is_none() { Some(inputs.yaml()) } else { None })}>
                    { if lines_before.is_none() { "This is what runs now" } else { "Remove what runs now" } }
                </button>
                <span class="note">
                    { lines_before.map_or_else(
                        || String::from(" Then change the text: the difference is the rollout."),
                        |lines| format!(
                            " The current state is saved ({}). The rollout is the difference between that state and the text above.",
                            plural_count(lines, "line")
                        ),
                    ) }
                </span>
            </p>
        </section>
    }
}

/// What happens at 0:00, and what a user can do about it.
fn first_moment(workload: WorkloadKind, reading: Option<&Reading>) -> String {
    match reading.map(|reading| &reading.change) {
        Some(ManifestChange::Nothing) => String::from("0:00: your cluster, as it was when you read it."),
        Some(change) => format!("0:00: {}.", change_sentence(change)),
        None if workload == WorkloadKind::Deployment => String::from("0:00: you change the image."),
        None => String::from("0:00: you create the Job."),
    }
}

/// What happens to a pod of the user's own Job.
fn job_note(inputs: &SandboxInputs) -> String {
    let is_own = inputs.manifests().is_some() && inputs.workload == WorkloadKind::Job;
    let sentence = inputs.job.disruption_sentence().filter(|_| is_own);
    sentence.map(|sentence| format!(" What happens: {sentence}.")).unwrap_or_default()
}

/// What decides the result besides the numbers of pods.
fn notes(settings: &Settings, reading: Option<&Reading>, playback: Option<&Playback>) -> String {
    let mut notes = String::new();
    let has_probes = reading.map_or_else(|| settings.has_probes(), |reading| reading.has_probes);
    let has_hooks = reading.is_some_and(|reading| reading.pre_stop_hooks.is_some());
    let stop = stop_phrase(settings).filter(|_| !has_hooks);
    if let Some(start) = reading.and_then(|reading| reading.measured_start) {
        notes.push_str(&measured_phrase(start, stop.as_deref()));
    } else if has_probes {
        notes.push_str(" Here, its probes decide when a pod is ready.");
    } else if let Some((start, stop)) = settings.number(Field::ReadyAfter).zip(stop) {
        notes.push_str(&format!(" Here, a pod takes {} to start and {stop}.", in_words(start)));
    }
    let is_slowed = |playback: &Playback| is_slowed(largest_batch(playback.initial_marks()));
    if settings.has_rate_limit() && playback.is_some_and(is_slowed) {
        notes.push_str(" The controllers' limit of 20 requests a second slows it down.");
    }
    notes
}

/// How long a pod takes that is as fast as those of the user's cluster. `stop`: how long it takes to stop, if that is known.
fn measured_phrase(start: i64, stop: Option<&str>) -> String {
    let start = Duration(start).exactly_in_words();
    let stop = stop.map(|stop| format!(", and {stop}")).unwrap_or_default();
    format!(" Here, a pod takes {start} to become ready, as your running pods took{stop}.")
}

/// How long a pod takes to stop, and what decides that; none if it depends on more than two numbers of seconds.
fn stop_phrase(settings: &Settings) -> Option<String> {
    if !settings.text(Field::PreStop).trim().is_empty() {
        return None;
    }
    if settings.is_killed()? {
        return Some(format!("is killed after its grace period of {}", in_words(settings.grace_period())));
    }
    settings.number(Field::TimeToStop).map(|seconds| format!("{} to stop", in_words(seconds)))
}

/// Seconds as a time in words.
fn in_words(seconds: i32) -> String {
    Duration::seconds(seconds.into()).exactly_in_words()
}

/// How many pods one batch creates and deletes at most. A rollout creates each desired pod once, and deletes one for it.
fn largest_batch(Marks { desired, limit, min_available }: Marks) -> i32 {
    limit.saturating_sub(min_available).min(desired.saturating_mul(2))
}

/// Whether a batch of requests waits for a second, the least that the page shows.
const fn is_slowed(requests: i32) -> bool {
    requests >= BURST.saturating_add(REQUESTS_PER_SECOND)
}

/// The requests that a controller may send at once.
const BURST: i32 = 30;

/// The requests that a controller may send in a second, once its burst is used up.
const REQUESTS_PER_SECOND: i32 = 20;

/// What is assumed of a Job, in one line.
const JOB_ASSUMPTIONS: &str = "Assumed: nodes with room for every pod, no PodDisruptionBudget, images are already pulled, and \
    requests of the controllers take 10 ms and show up 5 ms later. A pod's containers start after 1 second; then its run time begins. A pod that takes \
    longer to stop than its grace period is killed when the period ends.";

/// The nodes that pods find.
fn assumed_nodes(settings: &Settings, scope: SettingsOrigin) -> String {
    match scope {
        SettingsOrigin::Manifests(YamlContent { has_nodes: true, .. })
        | SettingsOrigin::LiveState(YamlContent { has_nodes: true, .. }) => {
            String::from("the nodes in the YAML (pods of other namespaces count only if they are in the YAML, too)")
        }
        SettingsOrigin::LiveState(_) => String::from("nodes with room for every pod"),
        SettingsOrigin::Settings | SettingsOrigin::Manifests(_) => {
            let nodes = settings.node_count().and_then(|count| i32::try_from(count).ok()).unwrap_or(1);
            let limits = [Field::PodsPerNode, Field::NodeCpu, Field::NodeMemory];
            let has_room = limits.into_iter().all(|field| settings.text(field).trim().is_empty());
            format!("{}{}", plural(nodes, "node"), if has_room { " with room for every pod" } else { "" })
        }
    }
}

/// What is assumed, in one line.
fn assumptions(inputs: &SandboxInputs, scope: SettingsOrigin, reading: Option<&Reading>) -> String {
    let settings = &inputs.settings;
    let has = |field: Field| !settings.text(field).trim().is_empty();
    let mut assumed = vec![assumed_nodes(settings, scope)];
    if inputs.manifests().is_none() && !has(Field::MinAvailable) {
        assumed.push(String::from("no PodDisruptionBudget"));
    }
    if !has(Field::Pull) {
        assumed.push(String::from("images are already pulled"));
    }
    assumed.push(String::from(match settings.mode() {
        Mode::Realistic => "and requests of the controllers take 10 ms and show up 5 ms later",
        Mode::Exact => "and controllers see every change at once",
    }));
    let measured = reading.and_then(|reading| reading.measured_start);
    let times = inputs.manifests().and_then(|_| assumed_times(settings, measured)).unwrap_or_default();
    let hooks = reading
        .and_then(|reading| reading.pre_stop_hooks)
        .filter(|_| !has(Field::PreStop) || scope.is_written(Field::PreStop));
    let hooks = hooks.map(assumed_hooks).unwrap_or_default();
    let replicas = reading.map(|reading| reading.assumed_replicas.as_str()).unwrap_or_default();
    let containers = match measured {
        Some(_) => "",
        None => " A new pod's containers start after 1 second; then its time to start begins.",
    };
    format!(
        "Assumed: {}.{containers} A pod that takes longer to stop than its grace period is killed when the period \
         ends.{times}{hooks}{replicas}",
        assumed.join(", ")
    )
}

/// How long the pods of manifests take to start and to stop, as far as these are numbers of seconds; none if neither is.
/// `measured`: how long the pods of a running cluster took to become ready, if new ones take as long.
fn assumed_times(settings: &Settings, measured: Option<i64>) -> Option<String> {
    let of_settings = || settings.number(Field::ReadyAfter).map(|seconds| format!("{} to start", in_words(seconds)));
    let of_pods = measured.map(|start| {
        format!("{} to become ready (the median of your running pods)", Duration(start).exactly_in_words())
    });
    let begin = match measured {
        Some(_) => " Here, new pods need",
        None => " The YAML doesn't say how long its pods take. Here, they need",
    };
    let start = of_pods.or_else(of_settings);
    let stop = settings.number(Field::TimeToStop).map(|seconds| {
        let grace_period = settings.grace_period();
        // Else the sentence before says what happens.
        let is_shorter = seconds < grace_period;
        let although = format!(", although the grace period is {}", in_words(grace_period));
        format!("{} to stop{}", in_words(seconds), if is_shorter { although.as_str() } else { "" })
    });
    let times: Vec<String> = [start, stop].into_iter().flatten().collect();
    (!times.is_empty())
        .then(|| format!("{begin} {}. To change that, set “Time to start” and “Time to stop”.", times.join(" and ")))
}

/// How long the preStop hooks in manifests take.
fn assumed_hooks(PreStopHooks { sleep, has_others }: PreStopHooks) -> String {
    let sleep = sleep.map(|sleep| {
        let sleep = Duration(sleep).briefly_in_words();
        format!(" A pod's preStop hook sleeps for {sleep} of this period; then its time to stop begins.")
    });
    let others = has_others.then_some(
        " The YAML doesn't say how long a preStop hook takes that does more than sleep. It takes no time here; to change that, \
         set “preStop hook takes”.",
    );
    format!("{}{}", sleep.unwrap_or_default(), others.unwrap_or_default())
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

fn view_comparison_select(inputs: &SandboxInputs, on_change: &Callback<SandboxInputs>) -> Html {
    let on_select = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |event: Event| {
            let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
            let comparison = match selected.as_deref() {
                Some("TerminationStarted") => Comparison::Policy(PodReplacementPolicy::TerminationStarted),
                Some("settings") => Comparison::Settings(Box::new(inputs.settings.clone())),
                Some("nothing") => Comparison::Nothing,
                _ => Comparison::Policy(PodReplacementPolicy::TerminationComplete),
            };
            on_change.emit(SandboxInputs { comparison, ..inputs.clone() });
        })
    };
    let options = [
        ("TerminationComplete", "TerminationComplete (proposed)"),
        ("TerminationStarted", "TerminationStarted (proposed)"),
        ("settings", "my other settings"),
        ("nothing", "nothing"),
    ];
    let selected = match &inputs.comparison {
        Comparison::Policy(policy) => policy.as_str(),
        Comparison::Settings(_) => "settings",
        Comparison::Nothing => "nothing",
    };
    html! {
        <div class="setting compare">
            <label for="compare">{ "Compare with" }</label>
            <select id="compare" onchange={on_select}>
                { for options.map(|(value, label)| html! {
                    <option {value} selected={value == selected}>{ label }</option>
                }) }
            </select>
            <p class="hint">{ breakable(
                "TerminationComplete and TerminationStarted are values of podReplacementPolicy, a proposed field of Deployments."
            ) }</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_batch_that_waits_for_a_second_is_slowed_down() {
        for (desired, limit, min_available, expected) in [
            // Only 8 requests, although 51 pods would be allowed.
            (4, 54, 3, false),
            (15, 19, 12, false),
            // Some requests wait, but for less than a second.
            (80, 100, 60, false),
            (100, 125, 75, true),
        ] {
            let marks = Marks { desired, limit, min_available };
            assert_eq!(is_slowed(largest_batch(marks)), expected, "{marks:?}");
        }
    }

    #[test]
    fn the_times_of_pods_from_yaml_are_named() {
        let said = |texts: &[(Field, &str)]| assumed_times(&crate::tests::settings(texts), None);
        let sentence = |times: &str| {
            Some(format!(
                " The YAML doesn't say how long its pods take. Here, they need {times}. To change that, set “Time to \
                 start” and “Time to stop”."
            ))
        };
        let shorter = "6 s to start and 20 s to stop, although the grace period is 1 min";
        assert_eq!(said(&[(Field::GracePeriod, "60")]), sentence(shorter));
        assert_eq!(said(&[(Field::GracePeriod, "20")]), sentence("6 s to start and 20 s to stop"));
        assert_eq!(said(&[(Field::ReadyAfter, "never"), (Field::TimeToStop, "")]), None);
    }

    #[test]
    fn new_pods_take_as_long_as_those_of_the_cluster_took() {
        let start = Duration::seconds(20).0;
        assert_eq!(
            assumed_times(&crate::tests::settings(&[]), Some(start)).unwrap(),
            " Here, new pods need 20 s to become ready (the median of your running pods) and 20 s to stop, although the grace \
             period is 30 s. To change that, set “Time to start” and “Time to stop”."
        );
        let phrase = |stop: Option<&str>| measured_phrase(start, stop);
        assert_eq!(phrase(None), " Here, a pod takes 20 s to become ready, as your running pods took.");
        assert_eq!(
            phrase(Some("20 s to stop")),
            " Here, a pod takes 20 s to become ready, as your running pods took, and 20 s to stop."
        );
    }

    #[test]
    fn hooks_are_assumed_to_take_what_is_known_of_them() {
        let said = |sleep: Option<i64>, has_others: bool| assumed_hooks(PreStopHooks { sleep, has_others });
        let sleeps = " A pod's preStop hook sleeps for 15 s of this period; then its time to stop begins.";
        assert_eq!(said(Some(15_000_000_000), false), sleeps);
        assert!(said(Some(15_000_000_000), true).starts_with(sleeps));
        assert!(said(None, true).starts_with(" The YAML doesn't say how long a preStop hook takes"));
    }
}
