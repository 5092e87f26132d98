use std::collections::BTreeSet;

use changeover_core::object::Time;
use changeover_core::scenario::Duration;
use changeover_wire::{
    Answer, ClockFormat, Fork, JobOutlook, JobStanding, NextStep, Obstacle, Question, Remedy, RolloutOutlook, Standing,
    StandstillQuestion, WorkloadKind, WorkloadName,
};
use serde_json::Value;
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_memo};

use super::foreign_text::view_text;
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
    /// How fixes are played; none if they are not.
    #[prop_or_default]
    pub fixes: Option<PlayedFixes>,
}

/// How the fixes of a rollout are played.
#[derive(Clone, PartialEq)]
pub struct PlayedFixes {
    /// The workload that the lanes show. Of others, they would show nothing.
    pub shown: WorkloadName,
    /// The user plays a fix: an action in the scenario's format.
    pub on_play: Callback<Value>,
}

impl PlayedFixes {
    /// Whether the lanes show this rollout.
    fn are_of(&self, rollout: &RolloutOutlook) -> bool {
        let WorkloadName { kind, namespace, name } = &self.shown;
        *kind == WorkloadKind::Deployment && *namespace == rollout.namespace && *name == rollout.name
    }
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
    let OutlookPanelProps { inputs, moment, fixes } = props;
    let is_now = *moment == OutlookMoment::Now;
    let wanted = (inputs.asking(), moment.clone());
    let asked = use_settled(wanted.clone(), QUIET);
    // Until it is asked, the last answer is about something else.
    let is_outdated = asked != wanted;
    let question = use_memo(asked, |(inputs, moment)| moment.question(inputs));
    let AnswerState { answer, is_waiting, failure } = use_answer((*question).clone());
    let is_waiting = is_waiting || is_outdated;
    let outlook = match answer.as_ref().map(|answered| &*answered.answer) {
        Some(Answer::Outlook(outlook)) => Some(outlook),
        _ => None,
    };
    let view_rollout = |rollout| view_rollout(rollout, fixes.as_ref());
    html! {
        <section class={classes!("outlook", is_waiting.then_some("stale"))} aria-label={moment.label()}
            aria-busy={is_waiting.to_string()}>
            if outlook.is_none() && is_waiting { <p role="status">{ if is_now { "Reading the state…" } else { "Simulating…" } }</p> }
            if let Some(stuck) = outlook.and_then(|outlook| outlook.stuck.as_ref()) {
                <p class="stuck-ones"><strong>{ view_text(stuck) }{ "." }</strong></p>
            }
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.rollouts).filter(|rollout| !is_well(rollout)).map(view_rollout) }</>
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.jobs).filter(|job| job.is_held_up).map(view_job) }</>
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.rollouts).filter(|rollout| is_well(rollout)).map(view_rollout) }</>
            if !is_now && outlook.is_some_and(|outlook| !outlook.rollouts.is_empty()) {
                <p class="note">{ "This is the state once nothing else happens. Each fix was simulated from there." }</p>
            }
            <>{ for outlook.into_iter().flat_map(|outlook| &outlook.jobs).filter(|job| !job.is_held_up).map(view_job) }</>
            if let Some(failure) = failure { <p class="problem" role="alert">{ failure }</p> }
        </section>
    }
}

/// Whether there is nothing to say of a rollout but that it is complete.
fn is_well(rollout: &RolloutOutlook) -> bool {
    rollout.standing == Standing::Complete && rollout.obstacles.is_empty()
}

fn view_rollout(rollout: &RolloutOutlook, fixes: Option<&PlayedFixes>) -> Html {
    let RolloutOutlook { namespace, name, title, standing, summary, obstacles, next, remedies } = rollout;
    let (class, predicate) = match standing {
        Standing::Complete => ("complete", "is complete"),
        Standing::Progressing => ("progressing", "is in progress"),
        Standing::Paused => ("paused", "is paused"),
        Standing::Stuck => ("stuck", "is stuck"),
        Standing::Deleting => ("stuck", "is being deleted"),
        Standing::Unknown => ("paused", "can't be judged"),
    };
    let on_play = fixes.filter(|fixes| fixes.are_of(rollout)).map(|fixes| &fixes.on_play);
    // A command may be the advice about a cause, and a fix.
    let mut said = BTreeSet::new();
    let obstacle_items = keyed(obstacles, |obstacle| obstacle.why.clone()).into_iter().map(|(key, obstacle)| {
        let command = unsaid(&mut said, obstacle.command.as_deref());
        view_obstacle(key, obstacle, command)
    });
    let obstacle_items = obstacle_items.collect::<Html>();
    let remedy_items = keyed(remedies, |remedy| remedy.what.clone()).into_iter().map(|(key, remedy)| {
        let command = unsaid(&mut said, remedy.command.as_deref());
        view_remedy(key, remedy, command, on_play)
    });
    let remedy_items = remedy_items.collect::<Html>();
    html! {
        <div key={format!("{namespace}/{name}")} class="standing">
            <h2><bdi>{ title }</bdi>{ " " }<span class={class}>{ predicate }</span></h2>
            <p>{ view_text(summary) }{ "." }</p>
            if *standing == Standing::Progressing {
                <p class="note">{ "A snapshot can't show whether pods will become ready. This forecast assumes that they do. If they don't, the rollout gets stuck." }</p>
            }
            if !obstacles.is_empty() {
                <h3>{ "What it waits for" }</h3>
                <ul>{ obstacle_items }</ul>
            }
            if !remedies.is_empty() {
                <h3>{ "How to unblock it" }</h3>
                <ul>{ remedy_items }</ul>
            }
            { view_next(next) }
        </div>
    }
}

fn view_job(job: &JobOutlook) -> Html {
    let JobOutlook { kind, namespace, name, standing, summary, obstacles, next, .. } = job;
    let (class, predicate) = match standing {
        JobStanding::Active => ("progressing", "is active"),
        JobStanding::Suspended => ("paused", "is suspended"),
        JobStanding::Complete => ("complete", "is complete"),
        JobStanding::Failed => ("stuck", "has failed"),
    };
    html! {
        <div key={format!("{kind} {namespace}/{name}")} class="standing">
            <h2>{ kind }{ " " }<bdi>{ name }</bdi>{ " " }<span class={class}>{ predicate }</span></h2>
            <p>{ view_text(summary) }{ "." }</p>
            if *standing == JobStanding::Active && obstacles.is_empty() {
                <p class="note">{ "This forecast assumes that the Job's pods start and succeed. The page doesn't check what could prevent that." }</p>
            }
            if !obstacles.is_empty() {
                <h3>{ "What it waits for" }</h3>
                <ul>{ for keyed(obstacles, |obstacle| obstacle.why.clone()).into_iter().map(|(key, obstacle)| view_obstacle(key, obstacle, obstacle.command.as_deref())) }</ul>
            }
            { view_next(next) }
        </div>
    }
}

fn view_next(next: &[NextStep]) -> Html {
    let clock = ClockFormat::up_to(next.iter().map(|step| step.at).max().unwrap_or(0));
    html! {
        if !next.is_empty() {
            <h3>{ "What comes next" }</h3>
            <ol>{ for keyed(next, |step| format!("{} {}", step.at, step.sentence)).into_iter().map(|(key, step)| html! {
                <li key={key}><span class="when">{ clock.write(step.at) }</span>{ " " }{ view_text(&step.sentence) }</li>
            }) }</ol>
        }
    }
}

/// A command, unless it has been said.
fn unsaid<'a>(said: &mut BTreeSet<&'a str>, command: Option<&'a str>) -> Option<&'a str> {
    command.filter(|&command| said.insert(command))
}

/// `command`: the one of the obstacle, unless it has been said.
fn view_obstacle(key: String, obstacle: &Obstacle, command: Option<&str>) -> Html {
    let end = if command.is_some() || obstacle.manifest.is_some() { ":" } else { "." };
    html! {
        <li key={key}>
            { view_text(&capitalized(&obstacle.why)) }
            if let Some(remedy) = &obstacle.remedy { <span class="note">{ view_text(&capitalized(remedy)) }{ end }</span> }
            { view_command(command) }
            { view_manifest(obstacle.manifest.as_deref()) }
        </li>
    }
}

/// `command`: the one of the remedy, unless it has been said. `on_play`: the user plays it, if that is possible here.
fn view_remedy(key: String, remedy: &Remedy, command: Option<&str>, on_play: Option<&Callback<Value>>) -> Html {
    html! {
        <li key={key}>
            <strong>{ view_text(&remedy.what) }</strong>{ format!(": {}.", outcome(remedy)) }
            if let Some(cost) = &remedy.cost { { " " }{ view_text(&capitalized(cost)) }{ "." } }
            { view_command(command) }
            { view_manifest(remedy.manifest.as_deref()) }
            if let Some((on_play, action)) = on_play.zip(remedy.action.as_ref()) {
                { view_play_button(&remedy.what, on_play, action) }
            }
        </li>
    }
}

fn view_play_button(what: &str, on_play: &Callback<Value>, action: &Value) -> Html {
    let onclick = {
        let (on_play, action) = (on_play.clone(), action.clone());
        Callback::from(move |_: MouseEvent| on_play.emit(action.clone()))
    };
    html! {
        <div class="play-fix">
            <button type="button" aria-label={format!("Play it: {what}")} {onclick}>{ "Play it" }</button>
        </div>
    }
}

/// A change of the manifest, for those who don't use kubectl.
fn view_manifest(manifest: Option<&str>) -> Html {
    html! { if let Some(manifest) = manifest { <pre class="command">{ manifest }</pre> } }
}

fn view_command(command: Option<&str>) -> Html {
    html! { if let Some(command) = command { <code class="command">{ command }</code> } }
}

/// What a remedy leads to, and when.
fn outcome(remedy: &Remedy) -> String {
    let when = |time: i64| {
        // Rounded down, like the clock on which the fix is played.
        let time = if time < Time::SECOND { Duration(time) } else { Duration::seconds(time.div_euclid(Time::SECOND)) };
        let time = time.briefly_in_words();
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
    fn a_command_is_said_once() {
        let mut said = BTreeSet::new();
        let commands = [Some("undo"), None, Some("undo"), Some("resume")];
        let unsaid = commands.map(|command| unsaid(&mut said, command));
        assert_eq!(unsaid, [Some("undo"), None, None, Some("resume")]);
    }

    #[test]
    fn a_raised_quota_counts_from_the_next_try() {
        let remedy = |complete: i64, last_old_pod_gone: Option<i64>, after_next_try: bool| {
            let what = String::from("Raise quota few");
            outcome(&Remedy {
                what,
                command: None,
                manifest: None,
                action: None,
                cost: None,
                complete,
                last_old_pod_gone,
                after_next_try,
            })
        };
        let (ten, forty) = (10_000_000_000, 40_000_000_000);
        assert_eq!(remedy(ten, Some(forty), false), "then it completes after 10 s");
        assert_eq!(remedy(ten, Some(forty), true), "then it completes 10 s after the next try");
        assert_eq!(remedy(18_675_000_000, Some(forty), true), "then it completes 18 s after the next try");
        assert_eq!(remedy(20_000_000, Some(forty), false), "then it completes at once");
        assert_eq!(remedy(0, Some(forty), false), "then the last old pod is gone after 40 s");
        assert_eq!(remedy(0, Some(0), false), "then the last old pod is gone at once");
    }
}
