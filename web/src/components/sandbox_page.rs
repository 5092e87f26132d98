use std::rc::Rc;

use changeover_wire::{DeploymentName, Fork, Problem, Reading, Severity};
use web_sys::HtmlSelectElement;
use yew::{
    Callback, ContextProvider, Event, Html, Properties, TargetCast, component, html, use_effect_with, use_memo,
    use_state,
};

use super::ask::{Ask, TakenSetting};
use super::lanes::Lanes;
use super::manifest_editor::ManifestEditor;
use super::manifest_report::{ManifestReport, SUMMARY_ID};
use super::moments_table::MomentsTables;
use super::outlook_panel::OutlookPanel;
use super::player_bar::PlayerBar;
use super::proof_link::ProofLink;
use super::settings_form::SettingsForm;
use super::share_menu::ShareMenu;
use super::what_if::{AppliedForks, WhatIf, fork_sentence};
use crate::dom;
use crate::figures::compared_trade;
use crate::hooks::{
    ManifestsState, use_debounced, use_manifests, use_rollout, use_sandbox_player, use_shared_address, use_what_if,
};
use crate::manifests::{OwnManifests, SandboxSource, SandboxView, change_sentence};
use crate::number::{group_digits, plural};
use crate::picture::HandledSettings;
use crate::playback::Playback;
use crate::player_client::{LaneRequest, PlayerClient};
use crate::rollout::{self, AppliedFork, RolloutAction};
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings};
use crate::share::{Arrival, Shareable, SharedSandbox, SharedState};

/// What the user set in the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxInputs {
    /// What the controls show.
    pub settings: Settings,
    /// Where the rollout comes from.
    pub source: SandboxSource,
    /// How the rollout is edited.
    pub view: SandboxView,
    /// What they are compared with.
    pub comparison: Comparison,
}

impl Default for SandboxInputs {
    fn default() -> Self {
        let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
        Self {
            settings: Settings::default(),
            source: SandboxSource::default(),
            view: SandboxView::default(),
            comparison,
        }
    }
}

impl SandboxInputs {
    /// The user's own manifests, if the rollout comes from them.
    pub const fn manifests(&self) -> Option<&OwnManifests> {
        match &self.source {
            SandboxSource::Controls => None,
            SandboxSource::Manifests(manifests) => Some(manifests),
        }
    }

    /// The rollout as YAML.
    pub fn yaml(&self) -> Rc<str> {
        self.manifests().map_or_else(|| self.settings.to_yaml().into(), |manifests| manifests.text.clone())
    }

    /// The inputs with the rollout of a changed text.
    pub fn with_text(&self, text: Rc<str>) -> Self {
        self.with_manifests(|manifests| OwnManifests { text, lead: SandboxView::Yaml, ..manifests })
    }

    /// The inputs with changed controls.
    fn with_settings(&self, settings: Settings) -> Self {
        let source = match &self.source {
            SandboxSource::Manifests(own) => {
                SandboxSource::Manifests(OwnManifests { lead: SandboxView::Controls, ..own.clone() })
            }
            SandboxSource::Controls => SandboxSource::Controls,
        };
        Self { settings, source, ..self.clone() }
    }

    /// The inputs in which the text and the controls say the same, as far as the controls know it: the view that the user
    /// did not change follows the other one.
    fn reconciled(&self, reading: &Reading) -> Self {
        let Some(own) = self.manifests() else { return self.clone() };
        match (own.lead, &reading.rewritten) {
            (SandboxView::Controls, Some(text)) => {
                let own = OwnManifests { text: text.as_str().into(), ..own.clone() };
                Self { source: SandboxSource::Manifests(own), ..self.clone() }
            }
            (SandboxView::Controls, None) => self.clone(),
            (SandboxView::Yaml, _) => Self { settings: self.settings.with_fields(&reading.fields), ..self.clone() },
        }
    }

    /// The inputs with other choices about the user's manifests.
    fn with_manifests(&self, change: impl FnOnce(OwnManifests) -> OwnManifests) -> Self {
        let manifests = self.manifests().cloned().unwrap_or_else(|| OwnManifests::new(self.settings.to_yaml()));
        Self { source: SandboxSource::Manifests(change(manifests)), ..self.clone() }
    }
}

impl SandboxInputs {
    /// The lanes to play. `own`: those of the user's manifests.
    pub fn lanes(&self, own: Option<&Rc<Vec<LaneRequest>>>) -> Option<Rc<Vec<LaneRequest>>> {
        match self.source {
            SandboxSource::Controls => Some(Rc::new(self.settings.lane_requests(&self.comparison))),
            SandboxSource::Manifests(_) => own.cloned(),
        }
    }

    /// What an arrival brings; else what is set at first.
    pub fn of_arrival(arrival: &Arrival) -> Self {
        Self::of(arrival.peek(|state| state.sandbox.clone()))
    }

    /// What a state holds; else what is set at first.
    pub fn of(sandbox: Option<SharedSandbox>) -> Self {
        let Some(sandbox) = sandbox else { return Self::default() };
        let own = sandbox.manifests.clone().map(OwnManifests::from);
        let (settings, comparison) = sandbox.into_parts();
        let view = if own.is_some() { SandboxView::Yaml } else { SandboxView::Controls };
        Self { settings, comparison, source: own.map_or(SandboxSource::Controls, SandboxSource::Manifests), view }
    }

    /// What an address holds; none until the manifests are read, which says what may be secret in them.
    fn shared(&self, manifests: &ManifestsState) -> Option<SharedSandbox> {
        let own = match self.manifests() {
            None => None,
            Some(own) => {
                let reading = manifests.reading.as_ref().filter(|_| !manifests.is_reading)?;
                Some(own.shared(reading.without_secrets.as_ref()?))
            }
        };
        Some(SharedSandbox::new(self.settings.clone(), &self.comparison, own))
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

/// The sandbox, with the player that knows what is to be played.
#[component]
pub fn SandboxPage(props: &SandboxPageProps) -> Html {
    let SandboxPageProps { workload_choice, inputs, on_change, arrival, on_open, character_shortcuts, on_help } = props;
    let player = use_sandbox_player(inputs);
    let manifests = use_manifests(inputs.manifests(), &inputs.settings, &inputs.comparison);
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
    let Some(player) = player else { return Html::default() };
    html! {
        <ContextProvider<Rc<PlayerClient>> context={player}>
            <Sandbox workload_choice={workload_choice.clone()} inputs={inputs.clone()} {manifests} on_change={on_change.clone()}
                arrival={arrival.clone()} on_open={on_open.clone()} character_shortcuts={*character_shortcuts} on_help={on_help.clone()} />
        </ContextProvider<Rc<PlayerClient>>>
    }
}

/// The properties of [`Sandbox`].
#[derive(PartialEq, Properties)]
struct SandboxProps {
    /// The choice between a Deployment and a Job.
    workload_choice: Html,
    /// What the user set.
    inputs: SandboxInputs,
    /// What has come of the user's manifests.
    manifests: ManifestsState,
    /// The user sets something else.
    on_change: Callback<SandboxInputs>,
    /// What the address or a file brings.
    arrival: Arrival,
    /// The user opens a file with a state.
    on_open: Callback<SharedState>,
    /// Whether shortcuts of a single character are on.
    character_shortcuts: bool,
    /// The user asks for help, or closes it.
    on_help: Callback<bool>,
}

/// The sandbox: inputs on the left, and what comes of them.
#[component]
fn Sandbox(props: &SandboxProps) -> Html {
    let SandboxProps { workload_choice, inputs, manifests, on_change, arrival, on_open, character_shortcuts, on_help } =
        props;
    let lanes = use_memo((inputs.clone(), manifests.lanes.clone()), |(inputs, own)| inputs.lanes(own.as_ref()));
    let rollout = use_rollout((*lanes).clone(), rollout::Arrival::Peak);
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
    let sandbox = inputs.shared(manifests);
    let shared = rollout.state.shared().filter(|_| sandbox.is_some());
    let shared = shared.map(|state| SharedState { sandbox, by_node: *by_node, ..state });
    let default = SandboxInputs::default().shared(&ManifestsState::default());
    use_shared_address(shared.clone(), SharedState { sandbox: default, ..SharedState::default() });

    let what_if = use_what_if(&rollout, *character_shortcuts, on_help);

    let on_settings = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |settings| on_change.emit(inputs.with_settings(settings)))
    };
    let on_take = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |TakenSetting { settings, is_proposed }| {
            let mut inputs = inputs.with_settings(settings);
            if is_proposed {
                inputs.comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
            }
            on_change.emit(inputs);
        })
    };
    let on_other_settings = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |settings| {
            let comparison = Comparison::Settings(Box::new(settings));
            on_change.emit(SandboxInputs { comparison, ..inputs.clone() });
        })
    };
    let mut handled = Vec::new();
    if inputs.manifests().is_none() {
        handled.push(HandledSettings { settings: inputs.settings.clone(), on_change: on_settings.clone() });
    }
    if let Comparison::Settings(settings) = &inputs.comparison
        && inputs.manifests().is_none()
    {
        handled.push(HandledSettings { settings: (**settings).clone(), on_change: on_other_settings.clone() });
    }
    let state = &rollout.state;
    let problem = state.problem_of_lane(0).or_else(|| manifests.reading.as_deref().and_then(first_problem));
    let is_unplayable = inputs.manifests().is_some() && manifests.lanes.is_none() && !manifests.is_reading;
    let is_invalid = state.refusal.is_some() || is_unplayable;
    let is_busy = state.is_busy() || manifests.is_reading;
    let is_live = manifests.reading.as_ref().is_some_and(|reading| reading.read_at.is_some());
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
    let summary = if inputs.manifests().is_some() { String::from("from YAML") } else { inputs.settings.summary() };
    let shareable = shared.zip(state.playback.clone()).map(|(state, playback)| Shareable {
        title: headline.clone(),
        inputs: summary,
        file_name: String::from("rollout"),
        state,
        manifests: Some(inputs.yaml()),
        playback,
    });
    html! {
        <main id="main" class="sandbox" tabindex="-1">
            <div class="inputs">
                { workload_choice.clone() }
                { view_view_choice(inputs, on_change) }
                { match inputs.view {
                    SandboxView::Controls => html! {
                        <>
                            if inputs.manifests().is_some() { { view_own_note(inputs, manifests, on_change) } }
                            <SettingsForm label="Your rollout" settings={inputs.settings.clone()} {problem}
                                is_of_manifests={inputs.manifests().is_some()} on_change={on_settings} />
                        </>
                    },
                    SandboxView::Yaml => view_yaml(inputs, manifests, on_change),
                } }
                { view_comparison_select(inputs, on_change) }
                if let Comparison::Settings(settings) = &inputs.comparison {
                    <SettingsForm label="The other rollout" id_prefix="other-" settings={(**settings).clone()}
                        problem={state.problem_of_lane(1)} on_change={on_other_settings} />
                }
                <p class="note">{ assumptions(inputs) }</p>
                <ProofLink />
            </div>
            <div class="result" aria-busy={is_busy.to_string()}>
                <h1 class={is_invalid.then_some("stale")}>{ headline }</h1>
                <p class="how-to-read">
                    if is_invalid {
                        if inputs.manifests().is_some() {
                            { "This is still the last result, until the text can be played." }
                        } else {
                            { "This is still the last result, until the marked setting can be used." }
                        }
                    } else {
                        { "Read across: all pods at one moment. Read down: the seconds pass. " }
                        if let Some(reading) = &manifests.reading {
                            { format!("0:00: {}.", change_sentence(&reading.change)) }
                        } else {
                            { "0:00: you change the image. Drag a handle to change a setting." }
                        }
                        { notes(&inputs.settings, state.playback.as_deref()) }
                        if let Some(clock) = at_peak { { format!(" Shown: {clock}, the moment with the most pods.") } }
                    }
                </p>
                <p class="visually-hidden" role="status">{ announcement }</p>
                <p class="working" role="status">{ if is_busy { "Simulating…" } else { "" } }</p>
                if let Some(own) = inputs.manifests().filter(|_| is_live) {
                    <OutlookPanel manifests={own.clone()} settings={inputs.settings.clone()} />
                }
                <div class={is_invalid.then_some("stale")} inert={is_invalid}>
                <Lanes rollout={rollout.clone()} by_node={*by_node} {handled} />
                <AppliedForks rollout={rollout.clone()} />
                if what_if.is_open {
                    <WhatIf rollout={rollout.clone()} on_close={what_if.toggle.clone()} />
                }
                <PlayerBar rollout={rollout.clone()} is_what_if_open={what_if.is_open} on_what_if={what_if.toggle} />
                <button type="button" class="link" aria-pressed={by_node.to_string()} onclick={toggle_nodes}>
                    { if *by_node { "Hide pods by node" } else { "Show pods by node" } }
                </button>
                <ShareMenu rollout={rollout.clone()} {shareable} on_open={on_open.clone()} />
                if let Some(playback) = state.playback.clone() { <MomentsTables {playback} /> }
                </div>
                <Ask inputs={inputs.clone()} {on_take} />
                if let Some(failure) = &state.failure {
                    <p class="problem" role="alert">{ format!("The page stopped: {failure}. Load it again.") }</p>
                }
            </div>
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
        Callback::from(move |_| on_change.emit(SandboxInputs { source: SandboxSource::Controls, ..inputs.clone() }))
    };
    let unwritten = manifests.reading.as_ref().map(|reading| reading.unwritten.join(", ")).unwrap_or_default();
    html! {
        <p class="note">
            { "These are the settings of your YAML; changes are written into it. " }
            <button type="button" class="link" onclick={forget}>{ "Forget the YAML" }</button>
            if !unwritten.is_empty() {
                <span class="problem" role="alert">
                    { format!(" Change this in the YAML, which writes it in its own way: {unwritten}.") }
                </span>
            }
        </p>
    }
}

/// The rollout as YAML, and what it holds.
fn view_yaml(inputs: &SandboxInputs, manifests: &ManifestsState, on_change: &Callback<SandboxInputs>) -> Html {
    let on_text = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |text| on_change.emit(inputs.with_text(text)))
    };
    let on_show = {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |shown: DeploymentName| {
            on_change.emit(inputs.with_manifests(|own| OwnManifests { deployment: Some(shown), ..own }));
        })
    };
    let on_before = |before: Option<Rc<str>>| {
        let (inputs, on_change) = (inputs.clone(), on_change.clone());
        Callback::from(move |_: yew::MouseEvent| {
            let before = before.clone();
            on_change.emit(inputs.with_manifests(|own| OwnManifests { before, ..own }));
        })
    };
    let before = inputs.manifests().and_then(|own| own.before.clone());
    let problems = manifests.reading.as_ref().map(|reading| reading.problems.clone()).unwrap_or_default();
    html! {
        <section class="own" aria-label="Your rollout as YAML">
            <ManifestEditor text={inputs.yaml()} {problems} described_by={SUMMARY_ID} on_change={on_text} />
            if let Some(before) = before {
                <p class="note">
                    { format!("What runs now is kept ({} lines); the difference to the text above is the rollout. ", before.lines().count()) }
                    <button type="button" class="link" onclick={on_before(None)}>{ "Forget what runs" }</button>
                </p>
            } else {
                <p>
                    <button type="button" onclick={on_before(Some(inputs.yaml()))}>{ "This is what runs now" }</button>
                    <span class="note">{ " Then change the text: the difference is the rollout." }</span>
                </p>
            }
            if inputs.manifests().is_some() { <ManifestReport state={manifests.clone()} {on_show} /> }
        </section>
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
fn assumptions(inputs: &SandboxInputs) -> String {
    let settings = &inputs.settings;
    let has = |field: Field| !settings.text(field).trim().is_empty();
    let nodes = settings.node_count().and_then(|count| i32::try_from(count).ok()).unwrap_or(1);
    let has_room = ![Field::PodsPerNode, Field::NodeCpu, Field::NodeMemory].into_iter().any(has);
    let mut assumed =
        vec![format!("{}{}", plural(nodes, "node"), if has_room { " with room for every pod" } else { "" })];
    if inputs.manifests().is_none() && !has(Field::MinAvailable) {
        assumed.push(String::from("no PodDisruptionBudget"));
    }
    if !has(Field::Pull) {
        assumed.push(String::from("images are already pulled"));
    }
    format!(
        "Assumed: {}, and controllers see every change at once. A new pod's containers run after 1 second; then its time to \
         start begins. A pod that takes longer to stop than its grace period is killed when the period ends.",
        assumed.join(", ")
    )
}

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
