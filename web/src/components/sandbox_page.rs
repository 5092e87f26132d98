use std::rc::Rc;

use changeover_wire::Fork;
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, Properties, TargetCast, component, html, use_effect_with, use_memo, use_state};

use super::lanes::Lanes;
use super::moments_table::MomentsTables;
use super::player_bar::PlayerBar;
use super::proof_link::ProofLink;
use super::settings_form::SettingsForm;
use super::share_menu::ShareMenu;
use super::what_if::{AppliedForks, WhatIf, fork_sentence};
use crate::dom;
use crate::figures::compared_trade;
use crate::hooks::{Shortcut, use_debounced, use_rollout, use_shared_address, use_shortcuts};
use crate::number::{group_digits, plural};
use crate::picture::HandledSettings;
use crate::playback::Playback;
use crate::rollout::{self, AppliedFork, RolloutAction};
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings};
use crate::share::{Arrival, Shareable, SharedSandbox, SharedState};

/// What the user set in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxInputs {
    /// The settings of the first lane.
    pub settings: Settings,
    /// What they are compared with.
    pub comparison: Comparison,
}

impl Default for SandboxInputs {
    fn default() -> Self {
        let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
        Self { settings: Settings::default(), comparison }
    }
}

impl SandboxInputs {
    /// What an arrival brings; else what is set at first.
    pub fn of_arrival(arrival: &Arrival) -> Self {
        Self::of(arrival.peek(|state| state.sandbox.clone()))
    }

    /// What a state holds; else what is set at first.
    pub fn of(sandbox: Option<SharedSandbox>) -> Self {
        sandbox.map_or_else(Self::default, |sandbox| {
            let (settings, comparison) = sandbox.into_parts();
            Self { settings, comparison }
        })
    }

    fn shared(&self) -> SharedSandbox {
        SharedSandbox::new(self.settings.clone(), &self.comparison)
    }
}

/// The properties of [`SandboxPage`].
#[derive(PartialEq, Properties)]
pub struct SandboxPageProps {
    /// What the user chooses before anything else.
    pub workload_choice: Html,
    /// What the user set.
    pub inputs: SandboxInputs,
    /// The user sets something else.
    pub on_change: Callback<SandboxInputs>,
    /// What the address or a file brings.
    pub arrival: Arrival,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// The user asks for help, or closes it.
    pub on_help: Callback<bool>,
}

/// The sandbox: settings on the left, and what comes of them.
#[component]
pub fn SandboxPage(props: &SandboxPageProps) -> Html {
    let SandboxPageProps { workload_choice, inputs, on_change, arrival, on_open, character_shortcuts, on_help } = props;
    let lanes = use_memo(inputs.clone(), |inputs| Rc::new(inputs.settings.lane_requests(&inputs.comparison)));
    let rollout = use_rollout(Some((*lanes).clone()), rollout::Arrival::Peak);
    let what_if = use_state(|| false);
    let by_node = use_state(|| false);
    use_effect_with((), |()| {
        dom::set_title("Sandbox · Changeover");
        dom::scroll_to_top();
    });
    use_effect_with(arrival.clone(), {
        let (rollout, by_node) = (rollout.clone(), by_node.setter());
        move |arrival| {
            // Of an address that says nothing, Back brings the first state.
            let state = arrival.take().unwrap_or_default();
            by_node.set(state.by_node);
            rollout.dispatch(RolloutAction::Restore(state.forks.into_iter().map(Fork::from).collect(), state.moment));
        }
    });
    let share = |inputs: &SandboxInputs, state: SharedState| SharedState { sandbox: Some(inputs.shared()), ..state };
    let shared = rollout.state.shared().map(|state| SharedState { by_node: *by_node, ..share(inputs, state) });
    use_shared_address(shared.clone(), share(&SandboxInputs::default(), SharedState::default()));

    use_effect_with(rollout.state.done_forks(), {
        let what_if = what_if.setter();
        move |_| what_if.set(false)
    });
    let toggle_what_if = {
        let what_if = what_if.clone();
        Callback::from(move |()| what_if.set(!*what_if))
    };
    use_shortcuts(*character_shortcuts, {
        let (rollout, on_help, what_if) = (rollout.clone(), on_help.clone(), what_if.clone());
        Callback::from(move |shortcut| match shortcut {
            Shortcut::WhatIf => what_if.set(true),
            Shortcut::Close => {
                what_if.set(false);
                on_help.emit(false);
            }
            Shortcut::Help => on_help.emit(true),
            shortcut => {
                if let Some(action) = shortcut.playback_action(&rollout.state) {
                    rollout.dispatch(action);
                }
            }
        })
    });

    let on_settings = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |settings| on_change.emit(SandboxInputs { settings, ..inputs.clone() }))
    };
    let on_other_settings = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |settings| {
            let comparison = Comparison::Settings(Box::new(settings));
            on_change.emit(SandboxInputs { comparison, ..inputs.clone() });
        })
    };
    let mut handled = vec![HandledSettings { settings: inputs.settings.clone(), on_change: on_settings.clone() }];
    if let Comparison::Settings(settings) = &inputs.comparison {
        handled.push(HandledSettings { settings: (**settings).clone(), on_change: on_other_settings.clone() });
    }
    let state = &rollout.state;
    let is_invalid = state.refusal.is_some();
    let headline = state.playback.as_ref().map_or_else(|| String::from("Simulating…"), |it| headline(it, &state.forks));
    // A screen reader says the result once the user has stopped typing.
    let result = state.playback.as_ref().filter(|_| !state.is_stale).map(|playback| spoken_result(&headline, playback));
    let announcement = use_debounced(result.unwrap_or_default(), ANNOUNCEMENT_DELAY);
    let at_peak = state.playback.as_ref().filter(|playback| playback.peak() == state.playhead && !state.is_stale);
    let at_peak = at_peak.map(|playback| playback.clock(state.playhead.time));
    let toggle_nodes = {
        let by_node = by_node.clone();
        Callback::from(move |_: yew::MouseEvent| by_node.set(!*by_node))
    };
    let shareable = shared.zip(state.playback.clone()).map(|(state, playback)| Shareable {
        title: headline.clone(),
        inputs: inputs.settings.summary(),
        file_name: String::from("rollout"),
        state,
        manifest: Some(inputs.settings.manifest()),
        playback,
    });
    html! {
        <main id="main" class="sandbox" tabindex="-1">
            <div class="inputs">
                { workload_choice.clone() }
                <SettingsForm label="Your rollout" settings={inputs.settings.clone()} problem={state.problem_of_lane(0)}
                    on_change={on_settings} />
                { view_comparison_select(inputs, on_change) }
                if let Comparison::Settings(settings) = &inputs.comparison {
                    <SettingsForm label="The other rollout" id_prefix="other-" settings={(**settings).clone()}
                        problem={state.problem_of_lane(1)} on_change={on_other_settings} />
                }
                <p class="note">{ ASSUMPTIONS }</p>
                <ProofLink />
            </div>
            <div class="result" aria-busy={state.is_busy().to_string()}>
                <h1 class={is_invalid.then_some("stale")}>{ headline }</h1>
                <p class="how-to-read">
                    if is_invalid {
                        { "This is still the last result, until the marked setting can be used." }
                    } else {
                        { "Read across: all pods at one moment. Read down: the seconds pass. 0:00: you change the image. " }
                        { "Drag a handle to change a setting." }
                        { notes(&inputs.settings, state.playback.as_deref()) }
                        if let Some(clock) = at_peak { { format!(" Shown: {clock}, the moment with the most pods.") } }
                    }
                </p>
                <p class="visually-hidden" role="status">{ announcement }</p>
                <p class="working" role="status">{ if state.is_busy() { "Simulating…" } else { "" } }</p>
                <div class={is_invalid.then_some("stale")} inert={is_invalid}>
                <Lanes rollout={rollout.clone()} by_node={*by_node} {handled} />
                <AppliedForks rollout={rollout.clone()} />
                if *what_if {
                    <WhatIf rollout={rollout.clone()} on_close={toggle_what_if.clone()} />
                }
                <PlayerBar rollout={rollout.clone()} is_what_if_open={*what_if} on_what_if={toggle_what_if} />
                <button type="button" class="link" aria-pressed={by_node.to_string()} onclick={toggle_nodes}>
                    { if *by_node { "Hide pods by node" } else { "Show pods by node" } }
                </button>
                <ShareMenu rollout={rollout.clone()} {shareable} on_open={on_open.clone()} />
                if let Some(playback) = state.playback.clone() { <MomentsTables {playback} /> }
                </div>
                if let Some(failure) = &state.failure {
                    <p class="problem" role="alert">{ format!("The page stopped: {failure}. Load it again.") }</p>
                }
            </div>
        </main>
    }
}

/// What decides the result besides the numbers of pods.
fn notes(settings: &Settings, playback: Option<&Playback>) -> String {
    let mut notes = String::new();
    let seconds = |field| Some(settings.text(field).trim()).filter(|text| text.parse::<u32>().is_ok());
    if let Some((start, stop)) = seconds(Field::ReadyAfter).zip(seconds(Field::TimeToStop)) {
        notes.push_str(&format!(" Here, a pod takes {start} s to start and {stop} s to stop."));
    }
    // One batch takes more requests than the burst.
    let is_slowed = |playback: &Playback| {
        let marks = playback.initial_marks();
        marks.limit.saturating_sub(marks.min_available) > BURST
    };
    if settings.has_rate_limit() && playback.is_some_and(is_slowed) {
        notes.push_str(" The controllers' limit of 20 requests a second slows it down.");
    }
    notes
}

/// The requests that a controller may send at once.
const BURST: i32 = 30;

/// What is assumed, in one line.
const ASSUMPTIONS: &str = "Assumed: three nodes with room for every pod, no PodDisruptionBudget, images are already pulled, and \
    controllers see every change at once. A new pod's containers run after 1 second; then its time to start begins. A pod that \
    takes longer to stop than its grace period is killed when the period ends.";

/// The milliseconds after which a result is said.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// The result in words.
fn spoken_result(headline: &str, playback: &Playback) -> String {
    match compared_trade(playback) {
        Some((name, trade)) => format!("{headline} {name}: {trade}"),
        None => String::from(headline),
    }
}

/// What the settings, and what the user did since, lead to.
pub fn headline(playback: &Playback, forks: &[AppliedFork]) -> String {
    let marks = playback.initial_marks();
    let totals = playback.totals(0);
    let (peak, limit) = (group_digits(totals.peak), group_digits(totals.limit_at_peak));
    let done = forks.iter().filter(|applied| applied.outcome.is_some());
    let done: Vec<String> = done.map(|applied| fork_sentence(applied, playback)).collect();
    if !done.is_empty() {
        let end = if totals.over() > 0 {
            format!("Kubernetes runs up to {peak} pods where the limit is {limit}.")
        } else {
            format!("Kubernetes runs up to {peak} pods and keeps to the limit.")
        };
        return format!("{} {end}", done.join(" "));
    }
    let asked = format!(
        "You asked for {}. During an update the limit is {}.",
        plural(marks.desired, "pod"),
        group_digits(marks.limit)
    );
    if totals.over() > 0 {
        format!("{asked} Kubernetes runs {peak}.")
    } else {
        format!("{asked} Kubernetes keeps to it.")
    }
}

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
        ("settings", "other settings of mine"),
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
            <p class="hint">{ "TerminationComplete and TerminationStarted are values of the proposed field podReplacementPolicy." }</p>
        </div>
    }
}
