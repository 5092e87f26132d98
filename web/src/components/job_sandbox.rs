use std::rc::Rc;

use yew::{Callback, ContextProvider, Html, Properties, component, html, use_context, use_effect_with, use_memo};

use super::job_form::JobForm;
use super::lanes::Lanes;
use super::moments_table::MomentsTables;
use super::player_bar::PlayerBar;
use super::proof_link::ProofLink;
use super::what_if::{AppliedForks, WhatIf};
use crate::dom;
use crate::figures::compared_trade;
use crate::hooks::{use_debounced, use_rollout, use_what_if};
use crate::job_settings::JobSettings;
use crate::number::{group_digits, plural};
use crate::playback::Playback;
use crate::player_client::PlayerClient;
use crate::rollout::Arrival;
use crate::workbench::Workbench;

/// The milliseconds after which a result is said.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// What is assumed, in one line.
const ASSUMPTIONS: &str = "Assumed: three nodes with room for every pod, no PodDisruptionBudget, images are already pulled, and \
    controllers see every change at once. A pod's containers run after 1 second; then its run time begins. A pod that takes \
    longer to stop than its grace period is killed when the period ends.";

/// The properties of [`JobSandbox`].
#[derive(PartialEq, Properties)]
pub struct JobSandboxProps {
    /// What the user chooses before anything else.
    pub workload_choice: Html,
    /// The settings of the Job.
    pub settings: JobSettings,
    /// The user changes them.
    pub on_change: Callback<JobSettings>,
    /// Whether shortcuts of a single character are on.
    pub character_shortcuts: bool,
    /// The user asks for help, or closes it.
    pub on_help: Callback<bool>,
}

/// The sandbox for a Job, with the player that knows Jobs.
#[component]
pub fn JobSandbox(props: &JobSandboxProps) -> Html {
    let player = use_context::<Rc<Workbench>>().and_then(|workbench| workbench.player());
    let JobSandboxProps { workload_choice, settings, on_change, character_shortcuts, on_help } = props;
    let Some(player) = player else {
        return html! {
            <main id="main" class="loading" tabindex="-1">
                <p class="problem" role="alert">{ "The page stopped: workbench.js can't be started. Load it again." }</p>
            </main>
        };
    };
    html! {
        <ContextProvider<Rc<PlayerClient>> context={player}>
            <JobLanes workload_choice={workload_choice.clone()} settings={settings.clone()} on_change={on_change.clone()}
                character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
        </ContextProvider<Rc<PlayerClient>>>
    }
}

/// The settings of a Job on the left, and what comes of them.
#[component]
fn JobLanes(props: &JobSandboxProps) -> Html {
    let JobSandboxProps { workload_choice, settings, on_change, character_shortcuts, on_help } = props;
    let lanes = use_memo(settings.clone(), |settings| Rc::new(settings.lane_requests()));
    let rollout = use_rollout(Some((*lanes).clone()), Arrival::Peak);
    use_effect_with((), |()| {
        dom::set_title("Sandbox · Changeover");
        dom::scroll_to_top();
    });
    let what_if = use_what_if(&rollout, *character_shortcuts, on_help);
    let state = &rollout.state;
    let is_invalid = state.refusal.is_some();
    let headline = state.playback.as_ref().map_or_else(|| String::from("Simulating…"), |it| headline(it));
    // A screen reader says the result once the user has stopped typing.
    let result = state.playback.as_ref().filter(|_| !state.is_stale).map(|playback| spoken_result(&headline, playback));
    let announcement = use_debounced(result.unwrap_or_default(), ANNOUNCEMENT_DELAY);
    let problem = state.refusal.as_ref().map(|refusal| refusal.problem.clone());
    html! {
        <main id="main" class="sandbox" tabindex="-1">
            <div class="inputs">
                { workload_choice.clone() }
                <JobForm settings={settings.clone()} {problem} on_change={on_change.clone()} />
                <p class="note">{ ASSUMPTIONS }</p>
                <ProofLink />
            </div>
            <div class="result" aria-busy={state.is_busy().to_string()}>
                <h1 class={is_invalid.then_some("stale")}>{ headline }</h1>
                <p class="how-to-read">
                    if is_invalid {
                        { "This is still the last result, until the marked setting can be used." }
                    } else {
                        { "Read across: all pods at one moment. Read down: the seconds pass. 0:00: you create the Job." }
                    }
                </p>
                <p class="visually-hidden" role="status">{ announcement }</p>
                <p class="working" role="status">{ if state.is_busy() { "Simulating…" } else { "" } }</p>
                <div class={is_invalid.then_some("stale")} inert={is_invalid}>
                    <Lanes rollout={rollout.clone()} />
                    <AppliedForks rollout={rollout.clone()} />
                    if what_if.is_open {
                        <WhatIf rollout={rollout.clone()} on_close={what_if.toggle.clone()} />
                    }
                    <PlayerBar rollout={rollout.clone()} is_what_if_open={what_if.is_open} on_what_if={what_if.toggle} />
                    if let Some(playback) = state.playback.clone() { <MomentsTables {playback} /> }
                </div>
                if let Some(failure) = &state.failure {
                    <p class="problem" role="alert">{ format!("The page stopped: {failure}. Load it again.") }</p>
                }
            </div>
        </main>
    }
}

/// The result in words.
fn spoken_result(headline: &str, playback: &Playback) -> String {
    match compared_trade(playback) {
        Some((name, trade)) => format!("{headline} {name}: {trade}"),
        None => String::from(headline),
    }
}

/// What the settings lead to by default.
fn headline(playback: &Playback) -> String {
    let totals = playback.totals(0);
    let asked = format!("You asked for {} at once.", plural(playback.initial_marks().desired, "pod"));
    let twice = totals.job.and_then(|job| job.two_of_index).filter(|two| *two > 0);
    match twice {
        Some(two) => format!("{asked} By default, one index has two pods for {}.", changeover_wire::format_clock(two)),
        None if totals.over() > 0 => format!("{asked} By default, Kubernetes runs {}.", group_digits(totals.peak)),
        None => format!("{asked} Kubernetes keeps to it."),
    }
}
