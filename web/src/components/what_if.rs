use std::rc::Rc;

use changeover_wire::{PlayedLane, Problem, WorkloadKind};
use serde_json::{Value, json};
use web_sys::{HtmlInputElement, HtmlSelectElement, InputEvent};
use yew::{
    Callback, Html, Properties, SubmitEvent, TargetCast, component, html, use_context, use_effect_with, use_node_ref,
    use_state,
};

use super::outlook_panel::capitalized;
use super::player_bar::focus_what_if_button;
use crate::dom;
use crate::hooks::Rollout;
use crate::number::plural;
use crate::playback::Playback;
use crate::player_client::PlayerClient;
use crate::problem_words::in_words;
use crate::rollout::{AppliedFork, RolloutAction};
use crate::settings::typed_value;

/// What the user can do in the middle of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UserChange {
    Scale,
    SetImage,
    Pause,
    Suspend,
    Resume,
    Undo,
    Evict,
    Drain,
    Uncordon,
    LoseNode,
    ReturnNode,
    DeleteNode,
    Json,
}

/// What can be done with any workload: it is about the nodes, or typed as JSON.
const ANYWHERE: [UserChange; 6] = [
    UserChange::Drain,
    UserChange::Uncordon,
    UserChange::LoseNode,
    UserChange::ReturnNode,
    UserChange::DeleteNode,
    UserChange::Json,
];

impl UserChange {
    /// What can be done with a workload, and around it.
    fn all(kind: WorkloadKind) -> impl Iterator<Item = Self> {
        let own: &[Self] = match kind {
            WorkloadKind::Deployment => &[Self::Scale, Self::SetImage, Self::Pause, Self::Resume, Self::Undo],
            WorkloadKind::Job => &[Self::Evict, Self::Scale, Self::Suspend, Self::Resume],
            WorkloadKind::CronJob => &[Self::Suspend, Self::Resume],
            WorkloadKind::StatefulSet => &[Self::Scale, Self::SetImage, Self::Undo],
            WorkloadKind::DaemonSet => &[Self::SetImage, Self::Undo],
        };
        own.iter().copied().chain(ANYWHERE)
    }

    /// What is chosen at first.
    fn first(kind: WorkloadKind) -> Self {
        Self::all(kind).next().unwrap_or(Self::Json)
    }

    /// Whether it is about a node.
    const fn is_about_node(self) -> bool {
        matches!(self, Self::Drain | Self::Uncordon | Self::LoseNode | Self::ReturnNode | Self::DeleteNode)
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Scale => "scale it to",
            Self::SetImage => "set the image",
            Self::Pause => "pause it",
            Self::Suspend => "suspend it",
            Self::Resume => "resume it",
            Self::Undo => "undo the rollout",
            Self::Evict => "evict the pod",
            Self::Drain => "drain the node",
            Self::Uncordon => "uncordon the node",
            Self::LoseNode => "lose the node",
            Self::ReturnNode => "reconnect the node",
            Self::DeleteNode => "delete the node",
            Self::Json => "run an action (JSON)",
        }
    }

    /// What is assumed about it.
    const fn note(self) -> Option<&'static str> {
        match self {
            Self::Drain => Some("Its pods are evicted at once, unless a PodDisruptionBudget delays that."),
            Self::Evict => Some("JOB/1 is the pod of index 1 or, without indexes, the second oldest pod."),
            Self::Json => {
                Some("One action as in a scenario file: scale, setTemplate, evict, drain, annotate and so on.")
            }
            _ => None,
        }
    }

    /// What is typed for it; none if nothing is.
    const fn input_label(self) -> Option<&'static str> {
        match self {
            Self::Scale => Some("Number of pods"),
            Self::SetImage => Some("Image"),
            Self::Drain | Self::Uncordon | Self::LoseNode | Self::ReturnNode | Self::DeleteNode => Some("Node"),
            Self::Evict => Some("Pod"),
            Self::Json => Some("Action of a scenario, as JSON"),
            Self::Pause | Self::Suspend | Self::Resume | Self::Undo => None,
        }
    }

    /// The node that is filled in at first: a lost one for what ends its loss. Only a node that is cordoned can be uncordoned.
    fn likely_node(self, played: &PlayedLane) -> Option<&str> {
        let any = || played.nodes.first();
        let node = match self {
            Self::Uncordon => played.cordoned_nodes.last(),
            Self::ReturnNode | Self::DeleteNode => played.lost_nodes.last().or_else(any),
            _ => any(),
        };
        node.map(String::as_str)
    }

    /// What is wrong with it, about what was typed. The paths of JSON are those in it, so they stay; without one, it is about
    /// everything.
    fn problem_in_words(self, typed: &str, problem: &Problem) -> String {
        match self.input_label().filter(|_| self != Self::Json && !problem.path.is_empty()) {
            Some(label) => in_words(label, typed, &problem.message),
            None => problem.to_string(),
        }
    }

    /// The action in the scenario's format. The core checks it.
    fn action(self, typed: &str) -> Result<Value, Problem> {
        let typed = typed.trim();
        if let Some(label) = self.input_label().filter(|_| typed.is_empty()) {
            return Err(Problem::new(label, "Required value: must not be empty"));
        }
        Ok(match self {
            Self::Scale => json!({"scale": {"replicas": typed_value(typed)}}),
            Self::SetImage => json!({"setTemplate": {"template": {"spec": {"containers": [{"image": typed}]}}}}),
            Self::Pause => json!({"pause": {}}),
            Self::Suspend => json!({"suspend": {}}),
            Self::Resume => json!({"resume": {}}),
            Self::Undo => json!({"undo": {}}),
            Self::Evict => json!({"evict": {"name": typed}}),
            Self::Drain => json!({"drain": {"name": typed}}),
            Self::Uncordon => json!({"uncordon": {"name": typed}}),
            Self::LoseNode => json!({"loseNode": {"name": typed}}),
            Self::ReturnNode => json!({"returnNode": {"name": typed}}),
            Self::DeleteNode => json!({"deleteNode": {"name": typed}}),
            Self::Json => serde_json::from_str(typed)
                .map_err(|error| Problem::new("", format!("can't be read as JSON: {error}")))?,
        })
    }
}

/// The properties of [`WhatIf`].
#[derive(PartialEq, Properties)]
pub struct WhatIfProps {
    /// What is shown.
    pub rollout: Rollout,
    /// The user closes the panel.
    pub on_close: Callback<()>,
}

/// What if: the user does something at the playhead, and the rollout goes on from there.
#[component]
pub fn WhatIf(props: &WhatIfProps) -> Html {
    let WhatIfProps { rollout, on_close } = props;
    let workload = rollout.state.playback.as_ref().and_then(|playback| playback.lanes.first()?.played.workload.clone());
    let kind = workload.as_ref().map(|workload| workload.kind).unwrap_or_default();
    let pod = workload.map(|workload| format!("{}/1", workload.name)).unwrap_or_default();
    let change = use_state(|| UserChange::first(kind));
    let typed = use_state(|| if *change == UserChange::Evict { pod.clone() } else { String::new() });
    // What a problem is about stays what was submitted, whatever is typed then. Without it, a problem is that of an earlier panel.
    let submitted = use_state(|| None::<(UserChange, String)>);
    let (form, select) = (use_node_ref(), use_node_ref());
    let player = use_context::<Rc<PlayerClient>>();
    use_effect_with((), {
        let (form, select, rollout) = (form.clone(), select.clone(), rollout.clone());
        move |()| {
            // What the user does next is not recorded.
            if let Some(player) = player {
                player.load();
            }
            rollout.dispatch(RolloutAction::DismissForkProblem);
            if let Some(select) = select.cast() {
                dom::focus(&select);
            }
            if let Some(form) = form.cast() {
                dom::scroll_into_view(&form);
            }
        }
    });
    let state = &rollout.state;
    let played = state.playback.as_ref().and_then(|playback| playback.lanes.first()).map(|lane| &lane.played);
    let nodes = played.map(|played| played.nodes.clone());
    let on_select = {
        let (change, typed, pod, rollout) = (change.clone(), typed.clone(), pod, rollout.clone());
        let lane = state.playback.as_ref().and_then(|playback| playback.lanes.first()).cloned();
        Callback::from(move |event: yew::Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.selected_index());
            let chosen = index.and_then(|index| UserChange::all(kind).nth(usize::try_from(index).ok()?));
            let chosen = chosen.unwrap_or_else(|| UserChange::first(kind));
            change.set(chosen);
            // A problem is about the action that was chosen before.
            rollout.dispatch(RolloutAction::DismissForkProblem);
            typed.set(match chosen {
                UserChange::SetImage => String::from("example/web:v3"),
                UserChange::Evict => pod.clone(),
                UserChange::Json => String::from(r#"{"scale": {"replicas": 20}}"#),
                _ if chosen.is_about_node() => {
                    let node = lane.as_ref().and_then(|lane| chosen.likely_node(&lane.played));
                    node.map(String::from).unwrap_or_default()
                }
                _ => String::new(),
            });
        })
    };
    let on_input = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default());
        })
    };
    let on_submit = {
        let (rollout, change, typed, submitted) = (rollout.clone(), *change, (*typed).clone(), submitted.setter());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            submitted.set(Some((change, typed.clone())));
            rollout.dispatch(match change.action(&typed) {
                Ok(action) => RolloutAction::AddFork(action),
                Err(problem) => RolloutAction::RefuseFork(problem),
            });
        })
    };
    let problem = state.fork_problem.as_ref().zip(submitted.as_ref());
    let problem = problem.map(|(problem, (change, typed))| change.problem_in_words(typed, problem));
    let time = state.playback.as_ref().map(|playback| playback.clock_phrase(state.playhead.time));
    html! {
        <form class="what-if" aria-label="What if" ref={form} onsubmit={on_submit}>
            <label for="what-if-change">{ "What if " }<b>{ time }</b>{ " you" }</label>
            <select id="what-if-change" ref={select} onchange={on_select}>
                { for UserChange::all(kind).map(|it| html! {
                    <option key={it.label()} selected={it == *change}>{ it.label() }</option>
                }) }
            </select>
            if let Some(label) = change.input_label() {
                <input type="text" aria-label={label} autocomplete="off" spellcheck="false" value={(*typed).clone()}
                    oninput={on_input} list={change.is_about_node().then_some("what-if-nodes")}
                    aria-invalid={problem.as_ref().map(|_| "true")} aria-describedby={problem.as_ref().map(|_| "what-if-problem")} />
                <datalist id="what-if-nodes">
                    { for nodes.iter().flatten().map(|node| html! { <option key={node.as_str()} value={node.clone()} /> }) }
                </datalist>
            }
            <button type="submit">{ "Do it" }</button>
            <button type="button" class="icon" aria-label="Close what if" title="Close (Esc)"
                onclick={on_close.reform(|_| ())}>{ "✕" }</button>
            if let Some(note) = change.note() { <p class="note">{ note }</p> }
            if let Some(problem) = problem {
                <p class="problem" id="what-if-problem" role="alert">{ problem }</p>
            }
        </form>
    }
}

/// The properties of [`AppliedForks`].
#[derive(PartialEq, Properties)]
pub struct AppliedForksProps {
    /// What is shown.
    pub rollout: Rollout,
}

/// What the user did, with a button to take it back.
#[component]
pub fn AppliedForks(props: &AppliedForksProps) -> Html {
    let rollout = &props.rollout;
    let Some(playback) = rollout.state.playback.clone() else { return Html::default() };
    let applied = rollout.state.forks.iter().enumerate().filter(|(_, applied)| applied.outcome.is_some());
    let items: Vec<Html> = applied
        .map(|(index, applied)| {
            let take_back = rollout.callback(move |_| {
                // The button goes away.
                focus_what_if_button();
                RolloutAction::RemoveFork(index)
            });
            html! {
                <li key={applied.fork.at}>
                    { fork_sentence(applied, &playback) }{ " " }
                    <button type="button" class="link" onclick={take_back}>{ "Remove this change" }</button>
                </li>
            }
        })
        .collect();
    if items.is_empty() {
        return Html::default();
    }
    html! { <ul class="forks" aria-label="What you did">{ items }</ul> }
}

/// `At 0:12, you scale Deployment web to 15.`
pub fn fork_sentence(applied: &AppliedFork, playback: &Playback) -> String {
    let outcome = applied.outcome.as_deref().unwrap_or_default();
    let time = capitalized(&playback.clock_phrase(applied.fork.at));
    let Some(what) = outcome.strip_prefix("You ") else { return format!("{time}: {outcome}") };
    let allowed = unavailable_instead_of_extra(&applied.fork.action).filter(|_| what.starts_with("apply "));
    format!("{time}, you {}", allowed.as_deref().unwrap_or(what))
}

/// What the user allows by applying nothing but a strategy without extra pods:
/// `allow 1 unavailable pod instead of extra pods (maxSurge 0, maxUnavailable 1).`
fn unavailable_instead_of_extra(action: &Value) -> Option<String> {
    let spec = action.pointer("/apply/spec")?;
    let has_only_strategy = spec.as_object()?.keys().all(|key| key == "strategy");
    let number = |key: &str| i32::try_from(spec.pointer("/strategy/rollingUpdate")?.get(key)?.as_i64()?).ok();
    let unavailable = number("maxUnavailable").filter(|_| has_only_strategy && number("maxSurge") == Some(0))?;
    let pods = plural(unavailable, "unavailable pod");
    Some(format!("allow {pods} instead of extra pods (maxSurge 0, maxUnavailable {unavailable})."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_applied_strategy_without_extra_pods_says_what_it_allows() {
        let apply =
            |spec: Value| unavailable_instead_of_extra(&json!({ "apply": { "kind": "Deployment", "spec": spec } }));
        let strategy = |surge: i64, unavailable: i64| json!({ "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } });
        let allowed = |pods: &str, unavailable: i64| {
            Some(format!("allow {pods} instead of extra pods (maxSurge 0, maxUnavailable {unavailable})."))
        };
        assert_eq!(apply(json!({ "strategy": strategy(0, 1) })), allowed("1 unavailable pod", 1));
        assert_eq!(apply(json!({ "strategy": strategy(0, 2) })), allowed("2 unavailable pods", 2));
        assert_eq!(apply(json!({ "strategy": strategy(1, 1) })), None);
        assert_eq!(apply(json!({ "strategy": strategy(0, 1), "replicas": 5 })), None);
        assert_eq!(unavailable_instead_of_extra(&json!({ "undo": {} })), None);
    }

    #[test]
    fn a_change_becomes_an_action_of_a_scenario() {
        let cases = [
            (UserChange::Scale, "15", json!({"scale": {"replicas": 15}})),
            (UserChange::Scale, "abc", json!({"scale": {"replicas": "abc"}})),
            (UserChange::Drain, " \"a ", json!({"drain": {"name": "\"a"}})),
            (UserChange::Uncordon, "a", json!({"uncordon": {"name": "a"}})),
            (UserChange::ReturnNode, "a", json!({"returnNode": {"name": "a"}})),
            (UserChange::DeleteNode, "a", json!({"deleteNode": {"name": "a"}})),
            (UserChange::Undo, "", json!({"undo": {}})),
            (UserChange::Json, r#"{"evict": {"name": "web/0"}}"#, json!({"evict": {"name": "web/0"}})),
        ];
        for (change, typed, expected) in cases {
            assert_eq!(change.action(typed), Ok(expected));
        }
        let problem = UserChange::Json.action("{evict").unwrap_err().to_string();
        assert!(problem.starts_with("can't be read as JSON: "), "{problem}");
        assert!(UserChange::Scale.action(" ").is_err());
    }
}
