use std::rc::Rc;

use changeover_core::scenario::Mode;
use changeover_wire::{Problem, Reading};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

use super::fold::Fold;
use super::form_heading::FormHeading;
use super::setting_input::{Setting, SettingInput, TypedProblem};
use crate::problem_words::in_words;
use crate::settings::{Field, Settings, SettingsOrigin, StrategyType, text_in_manifests};

/// Why a setting of the rolling update is off.
const NOT_WITH_RECREATE: &str = "The Recreate strategy doesn't use this setting.";

/// The settings of the rollout. The strategy stands after the first one.
const ROLLOUT: [Setting<Field>; 3] = [
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
        label: "Unavailable pods",
        api_name: Some("maxUnavailable"),
        unit: None,
        default: "25%",
        hint: None,
    },
];

/// The settings of the pods.
const PODS: [Setting<Field>; 2] = [
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
];

/// The settings that few rollouts need, below the strategy.
const DEADLINES: [Setting<Field>; 4] = [
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
        hint: Some("progressDeadlineSeconds: how long a rollout may go without progress"),
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

/// A setting of the cluster, without a name in the API that the label says.
const fn cluster_setting(
    field: Field,
    id: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
) -> Setting<Field> {
    Setting { field, id, label, api_name: None, unit: None, default: field.initial(), hint }
}

const fn seconds(setting: Setting<Field>) -> Setting<Field> {
    Setting { unit: Some("s"), ..setting }
}

/// The settings of the cluster around the rollout, in groups.
const CLUSTER: [(&str, &[Setting<Field>]); 6] = [
    (
        "Nodes",
        &[
            cluster_setting(Field::Nodes, "nodes", "Number of nodes", None),
            cluster_setting(Field::PodsPerNode, "pods-per-node", "Pods that fit on a node", Some("empty: any number")),
            cluster_setting(Field::NodeCpu, "node-cpu", "CPU of a node", Some("like 4 or 3500m; empty: any amount")),
            cluster_setting(Field::NodeMemory, "node-memory", "Memory of a node", Some("like 16Gi; empty: any amount")),
            cluster_setting(Field::PodCpu, "pod-cpu", "CPU that a pod requests", Some("like 500m")),
            cluster_setting(Field::PodMemory, "pod-memory", "Memory that a pod requests", Some("like 256Mi")),
            seconds(cluster_setting(
                Field::AutoscalerStartup,
                "autoscaler",
                "A new node takes",
                Some("If you set a time, an autoscaler adds nodes for pods that don't fit."),
            )),
        ],
    ),
    (
        "Limits",
        &[
            cluster_setting(
                Field::QuotaPods,
                "quota-pods",
                "Pods in the quota",
                Some("ResourceQuota: terminating pods count, too"),
            ),
            cluster_setting(
                Field::QuotaCpu,
                "quota-cpu",
                "CPU in the quota",
                Some("ResourceQuota: then pods must request CPU"),
            ),
            cluster_setting(
                Field::QuotaMemory,
                "quota-memory",
                "Memory in the quota",
                Some("ResourceQuota: then pods must request memory"),
            ),
            cluster_setting(
                Field::MinAvailable,
                "min-available",
                "Pods that must stay available",
                Some("PodDisruptionBudget: delays draining a node, but not a rollout"),
            ),
        ],
    ),
    (
        "The new version",
        &[
            seconds(cluster_setting(Field::Pull, "pull", "Time to pull its image", Some("seconds, or “never”"))),
            seconds(cluster_setting(
                Field::NewReadyAfter,
                "new-start-up",
                "Its time to start",
                Some("empty: same as the old version"),
            )),
            seconds(cluster_setting(
                Field::CrashAfter,
                "crash",
                "It crashes after",
                Some("and again after each restart; empty: never"),
            )),
        ],
    ),
    (
        "Probes and termination",
        &[
            seconds(cluster_setting(
                Field::ProbeDelay,
                "probe-delay",
                "First probe after",
                Some("initialDelaySeconds"),
            )),
            seconds(cluster_setting(
                Field::ProbePeriod,
                "probe-period",
                "Probe every",
                Some("periodSeconds: a pod becomes ready at a probe, not before"),
            )),
            cluster_setting(
                Field::ProbeFailures,
                "probe-failures",
                "Restart after failed probes",
                Some("failureThreshold of a startup probe"),
            ),
            seconds(cluster_setting(
                Field::PreStop,
                "pre-stop",
                "preStop hook takes",
                Some("part of the grace period, before SIGTERM"),
            )),
        ],
    ),
    (
        "Other Deployments",
        &[
            cluster_setting(
                Field::OtherPods,
                "other-pods",
                "Pods of other Deployments",
                Some("like 5, or 5, 3 for two of them: they take room on nodes and in quotas"),
            ),
            cluster_setting(
                Field::OtherCpu,
                "other-cpu",
                "CPU that their pods request",
                Some("like 500m, or 500m, 1 for two of them; empty: same as your pods"),
            ),
            cluster_setting(
                Field::OtherMemory,
                "other-memory",
                "Memory that their pods request",
                Some("like 256Mi; empty: same as your pods"),
            ),
            seconds(cluster_setting(
                Field::OtherRollout,
                "other-rollout",
                "They roll out after",
                Some("0: together with yours; empty: they stay as they are"),
            )),
        ],
    ),
    (
        "What else happens",
        &[seconds(cluster_setting(
            Field::SecondRollout,
            "second-rollout",
            "A second rollout after",
            Some("with image v3, in the middle of the first"),
        ))],
    ),
];

/// The properties of [`SettingsForm`].
#[derive(PartialEq, Properties)]
pub struct SettingsFormProps {
    /// What its name and its headings begin with: "Your" or "The other".
    pub whose: &'static str,
    /// What the ids of the inputs begin with.
    #[prop_or_default]
    pub id_prefix: &'static str,
    /// The settings.
    pub settings: Settings,
    /// What is wrong with them.
    pub problem: Option<Problem>,
    /// Where the rollout comes from.
    #[prop_or_default]
    pub scope: SettingsOrigin,
    /// What the manifests say, if it comes from them.
    #[prop_or_default]
    pub given: Option<Rc<Reading>>,
    /// The user changes them.
    pub on_change: Callback<Settings>,
}

/// The settings as a form.
#[component]
pub fn SettingsForm(props: &SettingsFormProps) -> Html {
    let SettingsFormProps { whose, id_prefix, settings, problem, scope, given, on_change } = props;
    let field_of_problem = problem.as_ref().and_then(|problem| settings.problem_field(problem));
    let input = |setting: &'static Setting<Field>| {
        let on_input = {
            let (settings, on_change) = (settings.clone(), on_change.clone());
            Callback::from(move |text| {
                let mut settings = settings.clone();
                settings.set_text(setting.field, text);
                on_change.emit(settings);
            })
        };
        let problem = problem.as_ref().filter(|_| field_of_problem == Some(setting.field));
        let reason = scope.reason_against(setting.field, settings);
        let own_problem = settings.own_problem(setting.field).filter(|_| reason.is_none());
        let problem = own_problem.or_else(|| problem.map(|problem| problem.message.clone()));
        let problem = problem.map(|message| in_words(setting.label, settings.text(setting.field), &message));
        // What was typed has no effect, so it isn't shown.
        let (value, placeholder) = match reason {
            Some(_) => (given.as_deref().map(|given| text_in_manifests(setting.field, given)).unwrap_or_default(), ""),
            None => (settings.text(setting.field).to_owned(), setting.default),
        };
        let is_disabled = !settings.applies(setting.field) || reason.is_some();
        let reason = reason.or((!settings.applies(setting.field)).then_some(NOT_WITH_RECREATE));
        let hint = reason.or_else(|| scope.hint(setting.field)).or(setting.hint);
        html! {
            <SettingInput key={setting.id} id={format!("{id_prefix}{}", setting.id)} label={setting.label}
                api_name={setting.api_name} unit={setting.unit.map(String::from)} {placeholder} {hint}
                {value} {is_disabled} {problem} {on_input} />
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
    let on_mode = {
        let (settings, on_change) = (settings.clone(), on_change.clone());
        Callback::from(move |event: Event| {
            let is_realistic = event.target_dyn_into::<HtmlInputElement>().is_none_or(|input| input.checked());
            let mut settings = settings.clone();
            settings.set_mode(if is_realistic { Mode::Realistic } else { Mode::Exact });
            on_change.emit(settings);
        })
    };
    let mode_hint = format!("{id_prefix}mode-hint");
    let must_be_seen = |setting: &Setting<Field>| {
        let is_own = scope.reason_against(setting.field, settings).is_none();
        let has_problem = field_of_problem == Some(setting.field) || settings.own_problem(setting.field).is_some();
        has_problem || is_own && settings.has_set(setting.field)
    };
    let has_strategy = settings.strategy() != StrategyType::default();
    let has_controllers = settings.mode() != Mode::Realistic || !settings.has_rate_limit();
    html! {
        <form class="settings" aria-label={format!("{whose} rollout")}
            onsubmit={Callback::from(|event: yew::SubmitEvent| event.prevent_default())}>
            { for ROLLOUT.iter().map(&input) }
            <FormHeading>{ format!("{whose} pods") }</FormHeading>
            { for PODS.iter().map(&input) }
            // Settings that arrive are shown.
            <Fold title={html! { "Strategy and deadlines" }} says={settings.summary_of_deadlines(*scope)}
                must_be_seen={has_strategy || DEADLINES.iter().any(must_be_seen)}>
                <fieldset>
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
                    { for DEADLINES.iter().map(&input) }
                </fieldset>
            </Fold>
            <Fold title={html! { "The controllers" }} says={settings.summary_of_controllers()} must_be_seen={has_controllers}>
                <label class="switch">
                    <input type="checkbox" checked={settings.mode() == Mode::Realistic} onchange={on_mode} aria-describedby={mode_hint.clone()} />
                    { " Realistic timing of the controllers" }
                </label>
                <p class="hint" id={mode_hint}>
                    { "A request takes 10 ms and shows up 5 ms later, so one decision often covers several changes. Off: exact order. \
                       Controllers see each change at once and decide after each one. That shows the rules most clearly, but real \
                       clusters hardly ever do it." }
                </p>
                <label class="switch" title="kube-controller-manager: --kube-api-qps=20, --kube-api-burst=30">
                    <input type="checkbox" checked={settings.has_rate_limit()} onchange={on_rate_limit} />
                    { " Controllers send at most 20 requests a second (burst 30)" }
                </label>
                <p class="hint">{ "The defaults of kube-controller-manager: --kube-api-qps and --kube-api-burst. Your provider may have set others." }</p>
            </Fold>
            <Fold title={html! { "The cluster around it" }} says={settings.summary_of_cluster(*scope)} must_be_seen={settings.has_cluster()}>
                { for CLUSTER.iter().map(|(title, settings)| html! {
                    <fieldset>
                        <legend>{ *title }</legend>
                        { for settings.iter().map(&input) }
                    </fieldset>
                }) }
            </Fold>
            if let Some(problem) = problem.as_ref().filter(|_| field_of_problem.is_none()) {
                <TypedProblem text={problem.to_string()} />
            }
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_one_input_in_its_part_of_the_form() {
        let fields = |settings: &'static [Setting<Field>]| settings.iter().map(|setting| setting.field);
        let cluster = CLUSTER.iter().flat_map(|(_, settings)| fields(settings));
        let rollout = fields(&ROLLOUT).chain(fields(&PODS)).chain(fields(&DEADLINES));
        let is_of_cluster = rollout.map(|field| (field, false)).chain(cluster.map(|field| (field, true)));
        let mut found: Vec<(Field, bool)> = is_of_cluster.collect();
        found.sort_unstable();
        assert_eq!(found, Field::ALL.map(|field| (field, field.is_of_cluster())));
    }

    #[test]
    fn no_label_contains_another_one() {
        let cluster = CLUSTER.iter().flat_map(|(_, settings)| settings.iter());
        let settings: Vec<&Setting<Field>> = ROLLOUT.iter().chain(&PODS).chain(&DEADLINES).chain(cluster).collect();
        let contained = settings.iter().flat_map(|setting| {
            let name = format!("{} {}", setting.label, setting.api_name.unwrap_or_default()).to_lowercase();
            let others = settings
                .iter()
                .filter(move |other| other.field != setting.field && name.contains(&other.label.to_lowercase()));
            others.map(move |other| (setting.label, other.label))
        });
        // The browser tests find an input by a part of its name. The part of the form with the longer one is closed at first.
        assert_eq!(contained.collect::<Vec<_>>(), [("Its time to start", "Time to start")]);
    }
}
