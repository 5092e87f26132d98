use changeover_wire::Problem;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

use super::setting_input::SettingInput;
use crate::settings::{Field, Settings, StrategyType, problem_field};

/// A typed setting of the form.
struct Setting {
    field: Field,
    id: &'static str,
    label: &'static str,
    api_name: Option<&'static str>,
    unit: Option<&'static str>,
    /// What applies if nothing is typed.
    default: &'static str,
    /// The field's name in the API where the label has no room for it, and what else there is to know.
    hint: Option<&'static str>,
}

/// The settings of the rollout. The strategy stands after the first one.
const ROLLOUT: [Setting; 3] = [
    Setting {
        field: Field::Replicas,
        id: "replicas",
        label: "Replicas",
        api_name: None,
        unit: None,
        default: "1",
        hint: None,
    },
    Setting {
        field: Field::MaxSurge,
        id: "max-surge",
        label: "Extra pods",
        api_name: Some("maxSurge"),
        unit: None,
        default: "25%",
        hint: None,
    },
    Setting {
        field: Field::MaxUnavailable,
        id: "max-unavailable",
        label: "Missing pods",
        api_name: Some("maxUnavailable"),
        unit: None,
        default: "25%",
        hint: None,
    },
];

/// The settings of the pods.
const PODS: [Setting; 6] = [
    Setting {
        field: Field::ReadyAfter,
        id: "start-up",
        label: "Time to start",
        api_name: None,
        unit: Some("s"),
        default: "4",
        hint: Some("seconds, or “never”"),
    },
    Setting {
        field: Field::TimeToStop,
        id: "time-to-stop",
        label: "Time to stop",
        api_name: None,
        unit: Some("s"),
        default: "grace period",
        hint: None,
    },
    Setting {
        field: Field::GracePeriod,
        id: "grace-period",
        label: "Grace period",
        api_name: None,
        unit: Some("s"),
        default: "30",
        hint: Some("terminationGracePeriodSeconds: matters only if a pod needs longer to stop"),
    },
    Setting {
        field: Field::MinReadySeconds,
        id: "min-ready-seconds",
        label: "Ready for at least",
        api_name: Some("minReadySeconds"),
        unit: Some("s"),
        default: "0",
        hint: None,
    },
    Setting {
        field: Field::ProgressDeadline,
        id: "progress-deadline",
        label: "Progress deadline",
        api_name: None,
        unit: Some("s"),
        default: "600",
        hint: Some("progressDeadlineSeconds"),
    },
    Setting {
        field: Field::Jitter,
        id: "jitter",
        label: "Random delay",
        api_name: None,
        unit: Some("%"),
        default: "0",
        hint: None,
    },
];

/// The properties of [`SettingsForm`].
#[derive(PartialEq, Properties)]
pub struct SettingsFormProps {
    /// What the settings are for.
    pub label: &'static str,
    /// What the ids of the inputs begin with.
    #[prop_or_default]
    pub id_prefix: &'static str,
    /// The settings.
    pub settings: Settings,
    /// What is wrong with them.
    pub problem: Option<Problem>,
    /// The user changes them.
    pub on_change: Callback<Settings>,
}

/// The settings as a form.
#[component]
pub fn SettingsForm(props: &SettingsFormProps) -> Html {
    let SettingsFormProps { label, id_prefix, settings, problem, on_change } = props;
    let field_of_problem = problem.as_ref().and_then(problem_field);
    let input = |setting: &'static Setting| {
        let on_input = {
            let (settings, on_change) = (settings.clone(), on_change.clone());
            Callback::from(move |text| {
                let mut settings = settings.clone();
                settings.set_text(setting.field, text);
                on_change.emit(settings);
            })
        };
        let problem = problem.as_ref().filter(|_| field_of_problem == Some(setting.field)).map(readable);
        html! {
            <SettingInput key={setting.id} id={format!("{id_prefix}{}", setting.id)} label={setting.label}
                api_name={setting.api_name} unit={setting.unit.map(String::from)} placeholder={setting.default} hint={setting.hint}
                value={settings.text(setting.field).to_owned()} is_disabled={!settings.applies(setting.field)}
                {problem} {on_input} />
        }
    };
    let strategy_id = format!("{id_prefix}strategy");
    let on_strategy = {
        let (settings, on_change) = (settings.clone(), on_change.clone());
        Callback::from(move |event: Event| {
            let selected = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
            let mut settings = settings.clone();
            settings.set_strategy(match selected.as_deref() {
                Some("Recreate") => StrategyType::Recreate,
                _ => StrategyType::RollingUpdate,
            });
            on_change.emit(settings);
        })
    };
    let on_rate_limit = {
        let (settings, on_change) = (settings.clone(), on_change.clone());
        Callback::from(move |event: Event| {
            let mut settings = settings.clone();
            settings.set_rate_limit(event.target_dyn_into::<HtmlInputElement>().is_none_or(|input| input.checked()));
            on_change.emit(settings);
        })
    };
    let [replicas, rest @ ..] = &ROLLOUT;
    html! {
        <form class="settings" aria-label={*label} onsubmit={Callback::from(|event: yew::SubmitEvent| event.prevent_default())}>
            { input(replicas) }
            <div class="setting">
                <label for={strategy_id.clone()}>{ "Strategy" }</label>
                <span class="typed">
                    <select id={strategy_id} onchange={on_strategy}>
                        { for [StrategyType::RollingUpdate, StrategyType::Recreate].map(|strategy| html! {
                            <option value={strategy.as_str()} selected={strategy == settings.strategy()}>{ strategy.as_str() }</option>
                        }) }
                    </select>
                </span>
            </div>
            { for rest.iter().map(&input) }
            <h2>{ "Your pods" }</h2>
            { for PODS.iter().map(&input) }
            <h2>{ "Your cluster" }</h2>
            <label class="switch" title="kube-controller-manager: --kube-api-qps=20, --kube-api-burst=30">
                <input type="checkbox" checked={settings.has_rate_limit()} onchange={on_rate_limit} />
                { " Controllers send at most 20 requests a second (burst 30)" }
            </label>
            <p class="hint">{ "The defaults of kube-controller-manager: --kube-api-qps and --kube-api-burst. Your provider may have set others." }</p>
            if let Some(problem) = problem.as_ref().filter(|_| field_of_problem.is_none()) {
                <p class="problem" role="alert">{ problem.to_string() }</p>
            }
        </form>
    }
}

/// A problem in the words of the page, where the API's own are hard to read.
fn readable(problem: &Problem) -> String {
    if problem.message.contains("`maxSurge` is 0") {
        return format!("{problem}. No pod could ever be replaced: allow one extra pod, or one missing pod.");
    }
    problem.to_string()
}
