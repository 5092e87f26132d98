use changeover_wire::{Answer, NextStep, Obstacle, Question, Remedy, RolloutOutlook, Standing, format_clock};
use yew::{Html, Properties, classes, component, html, use_memo};

use crate::hooks::{AnswerState, use_answer, use_settled};
use crate::sandbox_inputs::SandboxInputs;

/// How long nothing must have changed before the question is asked, in milliseconds.
const QUIET: u32 = 400;

/// The properties of [`OutlookPanel`].
#[derive(PartialEq, Properties)]
pub struct OutlookPanelProps {
    /// The state of a running cluster, and how fast pods start and stop.
    pub inputs: SandboxInputs,
}

/// Where the rollouts of a running cluster stand: what they wait for, what comes next, and what would free them.
#[component]
pub fn OutlookPanel(props: &OutlookPanelProps) -> Html {
    let asked = use_settled(props.inputs.clone(), QUIET);
    let question = use_memo(asked, |inputs| inputs.to_wire().map(Question::Outlook));
    let AnswerState { answer, is_waiting, failure } = use_answer((*question).clone());
    let rollouts = match answer.as_ref().map(|answered| &*answered.answer) {
        Some(Answer::Outlook(outlook)) => outlook.rollouts.as_slice(),
        _ => &[],
    };
    html! {
        <section class={classes!("outlook", is_waiting.then_some("stale"))} aria-label="The state of your rollouts"
            aria-busy={is_waiting.to_string()}>
            if rollouts.is_empty() && is_waiting { <p role="status">{ "Reading the state…" }</p> }
            { for rollouts.iter().map(view_rollout) }
            if let Some(failure) = failure { <p class="problem" role="alert">{ failure }</p> }
        </section>
    }
}

fn view_rollout(rollout: &RolloutOutlook) -> Html {
    let RolloutOutlook { namespace, name, standing, summary, obstacles, next, remedies } = rollout;
    let (class, predicate) = match standing {
        Standing::Complete => ("complete", "is complete"),
        Standing::Progressing => ("progressing", "is in progress"),
        Standing::Paused => ("paused", "is paused"),
        Standing::Stuck => ("stuck", "is stuck"),
    };
    html! {
        <div key={format!("{namespace}/{name}")} class="standing">
            <h2>{ name }{ " " }<span class={class}>{ predicate }</span></h2>
            <p>{ format!("{summary}.") }</p>
            if *standing == Standing::Progressing {
                <p class="note">{ "A snapshot can't show whether pods will become ready. This forecast assumes that they do. If they don't, the rollout gets stuck." }</p>
            }
            if !obstacles.is_empty() {
                <h3>{ "What it waits for" }</h3>
                <ul>{ for obstacles.iter().map(view_obstacle) }</ul>
            }
            if !remedies.is_empty() {
                <h3>{ "How to unblock it" }</h3>
                <ul>{ for remedies.iter().map(view_remedy) }</ul>
            }
            if !next.is_empty() {
                <h3>{ "What comes next" }</h3>
                <ol>{ for next.iter().map(|NextStep { at, sentence }| html! {
                    <li><span class="when">{ format_clock(*at) }</span>{ " " }{ sentence }</li>
                }) }</ol>
            }
        </div>
    }
}

fn view_obstacle(obstacle: &Obstacle) -> Html {
    html! {
        <li>
            { capitalized(&obstacle.why) }
            if let Some(remedy) = &obstacle.remedy { <span class="note">{ format!("{}.", capitalized(remedy)) }</span> }
        </li>
    }
}

fn view_remedy(remedy: &Remedy) -> Html {
    let Remedy { what, command, complete, last_old_pod_gone, after_next_try } = remedy;
    let outcome = match (complete, last_old_pod_gone) {
        (0, Some(gone)) => format!("then the last old pod is gone {}", when(*gone, *after_next_try)),
        (complete, _) => format!("then it completes {}", when(*complete, *after_next_try)),
    };
    html! {
        <li>
            <strong>{ what }</strong>{ format!(": {outcome}.") }
            if let Some(command) = command { <code class="command">{ command }</code> }
        </li>
    }
}

/// `after 0:10`, or `0:10 after the next try`
fn when(time: i64, after_next_try: bool) -> String {
    let time = format_clock(time);
    if after_next_try { format!("{time} after the next try") } else { format!("after {time}") }
}

/// The text as the beginning of a sentence; commands stay as they are.
pub(super) fn capitalized(text: &str) -> String {
    if text.starts_with("kubectl ") {
        return text.to_owned();
    }
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
