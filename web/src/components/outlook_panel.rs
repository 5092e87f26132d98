use changeover_core::object::Time;
use changeover_core::scenario::Duration;
use changeover_wire::{
    Answer, Fork, JobOutlook, JobStanding, NextStep, Obstacle, Question, Remedy, RolloutOutlook, Standing,
    StandstillQuestion, format_clock,
};
use yew::{Html, Properties, classes, component, html, use_memo};

use super::list_keys::keyed;
use crate::hooks::{AnswerState, use_answer, use_settled};
use crate::sandbox_inputs::SandboxInputs;

/// How long nothing must have changed before the question is asked, in milliseconds.
const QUIET: u32 = 400;

/// The properties of [`OutlookPanel`].
#[derive(PartialEq, Properties)]
pub struct OutlookPanelProps {
    /// The rollout, and how fast pods start and stop.
    pub inputs: SandboxInputs,
    /// Which moment it is about.
    pub moment: OutlookMoment,
}

/// The moment from which rollouts are looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum OutlookMoment {
    /// When a running cluster was read.
    Now,
    /// Once nothing more happens, after the user has also done this.
    Standstill(Vec<Fork>),
}

impl OutlookMoment {
    /// What is asked about the rollout.
    fn question(&self, inputs: &SandboxInputs) -> Option<Question> {
        match self {
            Self::Now => inputs.to_wire().map(Question::Outlook),
            Self::Standstill(forks) => {
                Some(Question::Standstill(StandstillQuestion { rollout: inputs.asked_rollout(), forks: forks.clone() }))
            }
        }
    }

    /// What the block is called.
    const fn label(&self) -> &'static str {
        match self {
            Self::Now => "The state of your rollouts",
            Self::Standstill(_) => "What your rollouts wait for",
        }
    }
}

/// Where rollouts stand: what they wait for, what comes next, and what would free them.
#[component]
pub fn OutlookPanel(props: &OutlookPanelProps) -> Html {
    let OutlookPanelProps { inputs, moment } = props;
    let is_now = *moment == OutlookMoment::Now;
    let asked = use_settled((inputs.clone(), moment.clone()), QUIET);
    let question = use_memo(asked, |(inputs, moment)| moment.question(inputs));
    let AnswerState { answer, is_waiting, failure } = use_answer((*question).clone());
    let outlook = match answer.as_ref().map(|answered| &*answered.answer) {
        Some(Answer::Outlook(outlook)) => Some(outlook),
        _ => None,
    };
    html! {
        <section class={classes!("outlook", is_waiting.then_some("stale"))} aria-label={moment.label()}
            aria-busy={is_waiting.to_string()}>
            if outlook.is_none() && is_waiting { <p role="status">{ if is_now { "Reading the state…" } else { "Simulating…" } }</p> }
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.rollouts).map(view_rollout) }</>
            if !is_now && outlook.is_some_and(|outlook| !outlook.rollouts.is_empty()) {
                <p class="note">{ "This is the state once nothing else happens. Each fix was simulated from there." }</p>
            }
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.jobs).map(view_job) }</>
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
        Standing::Deleting => ("stuck", "is being deleted"),
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
                <ul>{ for keyed(obstacles, |obstacle| obstacle.why.clone()).into_iter().map(view_obstacle) }</ul>
            }
            if !remedies.is_empty() {
                <h3>{ "How to unblock it" }</h3>
                <ul>{ for keyed(remedies, |remedy| remedy.what.clone()).into_iter().map(view_remedy) }</ul>
            }
            { view_next(next) }
        </div>
    }
}

fn view_job(job: &JobOutlook) -> Html {
    let JobOutlook { namespace, name, standing, summary, next } = job;
    let (class, predicate) = match standing {
        JobStanding::Active => ("progressing", "is active"),
        JobStanding::Suspended => ("paused", "is suspended"),
        JobStanding::Complete => ("complete", "is complete"),
        JobStanding::Failed => ("stuck", "has failed"),
    };
    html! {
        <div key={format!("{namespace}/{name}")} class="standing">
            <h2>{ "Job " }{ name }{ " " }<span class={class}>{ predicate }</span></h2>
            <p>{ format!("{summary}.") }</p>
            if *standing == JobStanding::Active {
                <p class="note">{ "This forecast assumes that the Job's pods start and succeed. The page doesn't check what could prevent that." }</p>
            }
            { view_next(next) }
        </div>
    }
}

fn view_next(next: &[NextStep]) -> Html {
    html! {
        if !next.is_empty() {
            <h3>{ "What comes next" }</h3>
            <ol>{ for keyed(next, |step| format!("{} {}", step.at, step.sentence)).into_iter().map(view_next_step) }</ol>
        }
    }
}

fn view_next_step((key, NextStep { at, sentence }): (String, &NextStep)) -> Html {
    html! { <li key={key}><span class="when">{ format_clock(*at) }</span>{ " " }{ sentence }</li> }
}

fn view_obstacle((key, Obstacle { why, remedy, command }): (String, &Obstacle)) -> Html {
    let end = if command.is_some() { ":" } else { "." };
    html! {
        <li key={key}>
            { capitalized(why) }
            if let Some(remedy) = remedy { <span class="note">{ capitalized(remedy) }{ end }</span> }
            { view_command(command.as_deref()) }
        </li>
    }
}

fn view_remedy((key, remedy): (String, &Remedy)) -> Html {
    html! {
        <li key={key}>
            <strong>{ &remedy.what }</strong>{ format!(": {}.", outcome(remedy)) }
            { view_command(remedy.command.as_deref()) }
        </li>
    }
}

fn view_command(command: Option<&str>) -> Html {
    html! { if let Some(command) = command { <code class="command">{ command }</code> } }
}

/// What a remedy leads to, and when.
fn outcome(remedy: &Remedy) -> String {
    let when = |time: i64| {
        let time = Duration(time).briefly_in_words();
        if remedy.after_next_try { format!("{time} after the next try") } else { format!("after {time}") }
    };
    match (remedy.complete, remedy.last_old_pod_gone) {
        (0, Some(0..Time::SECOND)) if !remedy.after_next_try => String::from("then the last old pod is gone at once"),
        (0, Some(gone)) => format!("then the last old pod is gone {}", when(gone)),
        (0..Time::SECOND, _) if !remedy.after_next_try => String::from("then it completes at once"),
        (complete, _) => format!("then it completes {}", when(complete)),
    }
}

/// The text as the beginning of a sentence.
pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_quota_counts_from_the_next_try() {
        let remedy = |complete: i64, last_old_pod_gone: Option<i64>, after_next_try: bool| {
            let what = String::from("Raise quota few");
            outcome(&Remedy { what, command: None, complete, last_old_pod_gone, after_next_try })
        };
        let (ten, forty) = (10_000_000_000, 40_000_000_000);
        assert_eq!(remedy(ten, Some(forty), false), "then it completes after 10 s");
        assert_eq!(remedy(ten, Some(forty), true), "then it completes 10 s after the next try");
        assert_eq!(remedy(20_000_000, Some(forty), false), "then it completes at once");
        assert_eq!(remedy(0, Some(forty), false), "then the last old pod is gone after 40 s");
        assert_eq!(remedy(0, Some(0), false), "then the last old pod is gone at once");
    }
}
