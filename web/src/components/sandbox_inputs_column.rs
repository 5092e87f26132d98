use changeover_wire::{LargeText, Problem, WorkloadKind};
use web_sys::{File, HtmlSelectElement};
use yew::{
    Callback, Event, Html, MouseEvent, Properties, TargetCast, classes, component, html, use_callback, use_memo,
    use_mut_ref,
};

use super::answered_form::AnsweredForm;
use super::job_form::JobForm;
use super::link_note::view_link_note;
use super::manifest_editor::{ManifestEdit, ManifestEditor};
use super::manifest_report::{ManifestReport, SUMMARY_ID, spoken_error};
use super::proof_link::ProofLink;
use super::sandbox_words::{JOB_ASSUMPTIONS, assumptions};
use super::setting_input::breakable;
use super::settings_form::SettingsForm;
use super::workload_choice::WorkloadChoice;
use crate::dom;
use crate::hooks::{AddressReach, use_input_change};
use crate::manifests::{ManifestsState, OwnManifests, SandboxSource};
use crate::number::plural_count;
use crate::sandbox_inputs::SandboxInputs;
use crate::sandbox_view::SandboxView;
use crate::settings::{Comparison, PodReplacementPolicy};

/// The result of the files that the user opened or dropped last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenedFiles {
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

/// The properties of [`SandboxInputsColumn`].
#[derive(PartialEq, Properties)]
pub struct SandboxInputsColumnProps {
    /// What the user set.
    pub inputs: SandboxInputs,
    /// What has come of the user's manifests.
    pub manifests: ManifestsState,
    /// The result of the files that the user opened or dropped last.
    pub opened: OpenedFiles,
    /// Why the settings can't be played, ...
    pub problem: Option<Problem>,
    /// ... and why those can't that they are compared with.
    pub other_problem: Option<Problem>,
    /// The result in one line.
    pub answer: Option<String>,
    /// Whether something is set that can't be played.
    pub is_invalid: bool,
    /// Whether the result is that of earlier settings.
    pub is_outdated: bool,
    /// Whether no pods run at first.
    pub runs_none: bool,
    /// Where the state is kept.
    pub reach: AddressReach,
    /// The user sets something else.
    pub on_change: Callback<SandboxInputs>,
    /// The user opens files.
    pub on_files: Callback<Vec<File>>,
    /// The user changes the text.
    pub on_edited: Callback<()>,
    /// The user starts over.
    pub on_start_over: Callback<MouseEvent>,
}

/// The inputs of the sandbox: a form, or YAML.
#[component]
pub fn SandboxInputsColumn(props: &SandboxInputsColumnProps) -> Html {
    let SandboxInputsColumnProps { inputs, manifests, opened, problem, other_problem, answer, .. } = props;
    let SandboxInputsColumnProps { is_invalid, is_outdated, runs_none, reach, on_change, on_files, .. } = props;
    let on_start_over = &props.on_start_over;
    // The text may be large.
    let before = inputs.manifests().and_then(|own| own.before.clone());
    let lines_before = use_memo(before, |before| before.as_ref().map(|before| before.lines().count()));
    let latest = use_mut_ref(SandboxInputs::default);
    latest.replace(inputs.clone());
    let on_settings = use_input_change(&latest, on_change, SandboxInputs::with_settings);
    let on_job = use_input_change(&latest, on_change, SandboxInputs::with_job);
    let on_workload =
        use_input_change(&latest, on_change, |inputs, workload| SandboxInputs { workload, ..inputs.clone() });
    let on_other_settings = use_input_change(&latest, on_change, SandboxInputs::with_other_settings);
    let on_show = use_input_change(&latest, on_change, SandboxInputs::with_shown);
    let on_read_at = use_input_change(&latest, on_change, SandboxInputs::with_read_at);
    let on_edit = use_input_change(&latest, on_change, |inputs, edit| match edit {
        ManifestEdit::Typed(text) => inputs.with_text(text),
        ManifestEdit::Pasted(text) => inputs.with_given_text(text, dom::now()),
    });
    let on_text = use_callback((on_edit, props.on_edited.clone()), |edit, (on_edit, on_edited)| {
        on_edited.emit(());
        on_edit.emit(edit);
    });
    let scope = inputs.scope(manifests.reading.as_deref());
    let is_of_deployment = inputs.workload == WorkloadKind::Deployment;
    let is_following = manifests.is_reading && inputs.manifests().is_some_and(|own| own.lead == SandboxView::Yaml);
    html! {
        <div class="inputs">
            if inputs.manifests().is_none() {
                <WorkloadChoice chosen={inputs.workload} on_choose={on_workload} />
            }
            { view_view_choice(inputs, on_change) }
            { view_opened_files(opened) }
            { match inputs.view {
                SandboxView::Controls => html! {
                    <>
                        if inputs.manifests().is_some() { { view_own_note(inputs, manifests, on_change) } }
                        // Until a changed text has been read, the controls don't show what it says, and a change of one would
                        // write them all into it.
                        <AnsweredForm answer={answer.clone()} is_outdated={*is_outdated} is_inert={is_following} form={
                            if is_of_deployment {
                                html! {
                                    <SettingsForm whose="Your" settings={inputs.settings.clone()} problem={problem.clone()}
                                        {scope} given={manifests.reading.clone()} on_change={on_settings} />
                                }
                            } else if !inputs.workload.has_jobs() {
                                html! { <p class="note">{ format!("A {} has no controls here: change its YAML.", inputs.workload.name()) }</p> }
                            } else {
                                html! {
                                    <JobForm kind={inputs.workload} settings={inputs.job.clone()} problem={problem.clone()} on_change={on_job} />
                                }
                            }
                        } />
                    </>
                },
                SandboxView::Yaml => {
                    let given_at = inputs.manifests().and_then(|own| own.given_at.clone());
                    let report = html! {
                        <ManifestReport state={manifests.clone()} {given_at} runs_none={*runs_none} {on_show} {on_read_at} />
                    };
                    view_yaml(inputs, manifests, *lines_before, on_change, report, on_text, on_files.clone())
                }
            } }
            if is_of_deployment {
                { view_comparison_select(inputs, on_change) }
                if let Comparison::Settings(settings) = &inputs.comparison {
                    <SettingsForm whose="The other" id_prefix="other-" settings={(**settings).clone()}
                        problem={other_problem.clone()} on_change={on_other_settings} />
                }
            }
            <p class="start-over"><button type="button" class="link" onclick={on_start_over.clone()}>{ "Start over" }</button></p>
            <p class={classes!("note", "assumed", is_invalid.then_some("stale"))} inert={*is_invalid}>
                if inputs.workload.has_jobs() { { JOB_ASSUMPTIONS } } else { { assumptions(inputs, scope, manifests.reading.as_deref()) } }
            </p>
            { view_link_note(*reach) }
            <ProofLink />
        </div>
    }
}

/// The choice between the two views of the rollout.
fn view_view_choice(inputs: &SandboxInputs, on_change: &Callback<SandboxInputs>) -> Html {
    let button = |view: SandboxView, label: &str| {
        let onclick = {
            let (inputs, on_change) = (inputs.clone(), on_change.clone());
            Callback::from(move |_: MouseEvent| on_change.emit(SandboxInputs { view, ..inputs.clone() }))
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
        Callback::from(move |_: MouseEvent| {
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

/// What the settings are compared with.
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
