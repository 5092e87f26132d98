use changeover_wire::{Problem, WorkloadKind};
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, Properties, SubmitEvent, TargetCast, component, html};

use super::form_heading::FormHeading;
use super::setting_input::{Setting, SettingInput, TypedProblem, breakable};
use crate::job_settings::{CompletionMode, Disruption, JobField, JobPolicy, JobSettings};
use crate::problem_words::in_words;

/// The settings of the Job.
const JOB: [Setting<JobField>; 3] = [
    Setting {
        field: JobField::Parallelism,
        id: "parallelism",
        label: "Pods at once",
        api_name: Some("parallelism"),
        unit: None,
        default: "1",
        hint: None,
    },
    Setting {
        field: JobField::Completions,
        id: "completions",
        label: "Pods that must succeed",
        api_name: Some("completions"),
        unit: None,
        default: "",
        hint: None,
    },
    Setting {
        field: JobField::BackoffLimit,
        id: "backoff-limit",
        label: "Failures allowed",
        api_name: Some("backoffLimit"),
        unit: None,
        default: "6",
        hint: None,
    },
];

/// The settings of its pods.
const PODS: [Setting<JobField>; 3] = [
    Setting {
        field: JobField::RunTime,
        id: "run-time",
        label: "Run time",
        api_name: None,
        unit: Some("s"),
        default: "10",
        hint: None,
    },
    Setting {
        field: JobField::TimeToStop,
        id: "job-time-to-stop",
        label: "Time to stop",
        api_name: None,
        unit: Some("s"),
        default: "grace period",
        hint: None,
    },
    Setting {
        field: JobField::GracePeriod,
        id: "job-grace-period",
        label: "Grace period",
        api_name: None,
        unit: Some("s"),
        default: "30",
        hint: None,
    },
];

/// What happens to a pod.
const DISRUPTION: [Setting<JobField>; 3] = [
    Setting {
        field: JobField::DisruptedPod,
        id: "disrupted-pod",
        label: "Which pod, from 0",
        api_name: None,
        unit: None,
        default: "",
        hint: None,
    },
    Setting {
        field: JobField::DisruptedAfter,
        id: "disrupted-after",
        label: "After",
        api_name: None,
        unit: Some("s"),
        default: "0",
        hint: None,
    },
    Setting {
        field: JobField::ExitCode,
        id: "exit-code",
        label: "Exit code",
        api_name: None,
        unit: None,
        default: "1",
        hint: None,
    },
];

/// The properties of [`JobForm`].
#[derive(PartialEq, Properties)]
pub struct JobFormProps {
    /// The kind of the workload: a Job, or a CronJob whose Jobs have these settings.
    pub kind: WorkloadKind,
    /// The settings.
    pub settings: JobSettings,
    /// What is wrong with them.
    pub problem: Option<Problem>,
    /// The user changes them.
    pub on_change: Callback<JobSettings>,
}

/// The settings of a Job as a form.
#[component]
pub fn JobForm(props: &JobFormProps) -> Html {
    let JobFormProps { kind, settings, problem, on_change } = props;
    let field_of_problem = problem.as_ref().and_then(JobField::of_problem);
    let input = |setting: &'static Setting<JobField>| {
        let on_input = {
            let settings = settings.clone();
            on_change.reform(move |text| settings.with_text(setting.field, text))
        };
        let text = settings.text(setting.field);
        let problem = problem.as_ref().filter(|_| field_of_problem == Some(setting.field));
        let problem = problem.map(|problem| in_words(setting.label, text, &problem.message));
        html! {
            <SettingInput key={setting.id} id={setting.id} label={setting.label} api_name={setting.api_name}
                unit={setting.unit.map(String::from)} placeholder={setting.default} hint={setting.hint}
                value={text.to_owned()} is_disabled={!settings.applies(setting.field)} {problem} {on_input} />
        }
    };
    let on_mode = select_callback(on_change, settings, |settings, index| {
        settings.completion_mode = CompletionMode::ALL.get(index).copied().unwrap_or_default();
    });
    let on_policy = select_callback(on_change, settings, |settings, index| {
        settings.policy = JobPolicy::ALL.get(index).copied().unwrap_or_default();
    });
    let on_disruption = select_callback(on_change, settings, |settings, index| {
        settings.disruption = Disruption::ALL.get(index).copied().unwrap_or_default();
    });
    html! {
        <form class="settings" aria-label="Your Job" onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
            { for JOB.iter().map(&input) }
            <div class="setting">
                <label for="completion-mode">{ "Indexes " }<code>{ breakable("completionMode") }</code></label>
                <span class="typed">
                    <select id="completion-mode" onchange={on_mode}>
                        { for CompletionMode::ALL.map(|mode| html! {
                            <option selected={mode == settings.completion_mode}>{ mode.name() }</option>
                        }) }
                    </select>
                </span>
            </div>
            // Its values are long, too.
            <div class="setting long">
                <label for="job-policy">{ "When pods are replaced " }<code>{ breakable("podReplacementPolicy") }</code></label>
                <span class="typed">
                    <select id="job-policy" onchange={on_policy}>
                        { for JobPolicy::ALL.map(|policy| html! {
                            <option selected={policy == settings.policy}>{ policy.name() }</option>
                        }) }
                    </select>
                </span>
            </div>
            <FormHeading>{ "Your pods" }</FormHeading>
            { for PODS.iter().map(&input) }
            // The pods of a CronJob belong to Jobs that nobody can name yet.
            if *kind == WorkloadKind::Job {
                <FormHeading>{ "What happens" }</FormHeading>
                <div class="setting">
                    <label for="disruption">{ "One pod" }</label>
                    <span class="typed">
                        <select id="disruption" onchange={on_disruption}>
                            { for Disruption::ALL.map(|disruption| html! {
                                <option selected={disruption == settings.disruption}>{ disruption.label() }</option>
                            }) }
                        </select>
                    </span>
                </div>
                { for DISRUPTION.iter().map(&input) }
            }
            if let Some(problem) = problem.as_ref().filter(|_| field_of_problem.is_none()) {
                <TypedProblem text={problem.to_string()} />
            }
        </form>
    }
}

/// What changes when the user selects an option.
fn select_callback(
    on_change: &Callback<JobSettings>,
    settings: &JobSettings,
    change: impl Fn(&mut JobSettings, usize) + 'static,
) -> Callback<Event> {
    let settings = settings.clone();
    on_change.reform(move |event: Event| {
        let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.selected_index());
        let mut settings = settings.clone();
        change(&mut settings, selected.and_then(|index| usize::try_from(index).ok()).unwrap_or(0));
        settings
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_one_input() {
        let settings = JOB.iter().chain(&PODS).chain(&DISRUPTION);
        let mut found: Vec<JobField> = settings.map(|setting| setting.field).collect();
        found.sort_unstable();
        assert_eq!(found, JobField::ALL);
    }
}
