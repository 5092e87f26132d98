use changeover_wire::playback_track::JobEnd;
use changeover_wire::{ClockFormat, Totals};
use web_sys::Element;
use yew::{Callback, FocusEvent, Html, Properties, TargetCast, classes, component, html, use_node_ref};

use crate::dom;
use crate::figures::over_note;
use crate::hooks::use_sight;
use crate::number::plural;
use crate::playback::Excess;

/// The properties of [`AnsweredForm`].
#[derive(PartialEq, Properties)]
pub struct AnsweredFormProps {
    /// The form.
    pub form: Html,
    /// What its settings lead to, in one line; none before the first result.
    pub answer: Option<String>,
    /// Whether the answer is about earlier settings.
    pub is_outdated: bool,
    /// Whether the form can't be used now.
    pub is_inert: bool,
}

/// The fields that show the answer while they have the focus. As in style.css.
const FIELDS: &str = "input[type='text'], select";

/// Where else the answer stands: in the headline and above the pictures.
const ANSWERS: [&str; 2] = ["main h1", ".answers"];

/// A form, and what its settings lead to. On a narrow screen, the result is out of sight where the form is, so one line at the
/// top of the window says the answer while a field has the focus.
#[component]
pub fn AnsweredForm(props: &AnsweredFormProps) -> Html {
    let AnsweredFormProps { form, answer, is_outdated, is_inert } = props;
    let line = use_node_ref();
    let sees_answer = use_sight(&ANSWERS, answer.clone());
    let onfocusin = {
        let line = line.clone();
        Callback::from(move |event: FocusEvent| {
            let field = event.target_dyn_into::<Element>().filter(|it| it.matches(FIELDS).unwrap_or(false));
            if let Some((field, line)) = field.zip(line.cast::<Element>()) {
                dom::uncover(&field, &line);
            }
        })
    };
    html! {
        <div class="answered" inert={*is_inert} {onfocusin}>
            { form.clone() }
            // A screen reader says the result itself.
            if let Some(answer) = answer {
                <p ref={line} aria-hidden="true"
                    class={classes!("answer-line", is_outdated.then_some("stale"), sees_answer.then_some("needless"))}>{ answer }</p>
            }
        </div>
    }
}

/// The answer in one line: `8 pods at most (3 over 5), complete 0:14`. `excess`: the most pods over the limit at one moment.
/// `is_rollback`: whether an old version comes back; `clock`: how times are written.
pub fn answer_in_one_line(totals: &Totals, excess: Option<Excess>, is_rollback: bool, clock: ClockFormat) -> String {
    // The figures of a Job have no other moment.
    let excess = excess.filter(|_| totals.job.is_none());
    let note = over_note(totals, excess).map(|note| format!(" ({note})"));
    let end = end(totals, is_rollback, clock).map(|end| format!(", {end}"));
    format!("{} at most{}{}", plural(totals.peak, "pod"), note.unwrap_or_default(), end.unwrap_or_default())
}

/// How it ends and when; none if there is nothing that ends.
fn end(totals: &Totals, is_rollback: bool, clock: ClockFormat) -> Option<String> {
    let (word, time) = match &totals.job {
        Some(job) if job.runs.is_some() => return None,
        Some(job) if job.end == Some(JobEnd::Failed) => ("failed", job.ended),
        Some(job) => ("complete", job.ended),
        // Versions that stay side by side after a rollback are no update that should be complete.
        None if totals.rollout_start.is_some() && is_rollback && totals.complete.is_none() => return None,
        None if totals.rollout_start.is_some() => ("complete", totals.complete),
        None if totals.all_available == Some(0) => return None,
        None => ("all available", totals.all_available),
    };
    Some(time.map_or_else(|| format!("never {word}"), |time| format!("{word} {}", clock.write(time))))
}

#[cfg(test)]
mod tests {
    use changeover_wire::JobOutcome;

    use super::*;

    #[test]
    fn the_answer_is_one_line() {
        let time = Some(14_000_000_000);
        let rollout = Totals { peak: 8, limit_at_peak: 5, rollout_start: Some(0), complete: time, ..Totals::default() };
        let scaling = Totals { peak: 1, limit_at_peak: 2, all_available: time, ..Totals::default() };
        let job = |job: JobOutcome| Totals { job: Some(job), ..scaling };
        for (totals, is_rollback, answer) in [
            (rollout, false, "8 pods at most (3 over 5), complete 0:14"),
            (Totals { limit_at_peak: 8, ..rollout }, false, "8 pods at most, complete 0:14"),
            (Totals { complete: None, ..rollout }, false, "8 pods at most (3 over 5), never complete"),
            (Totals { complete: None, ..rollout }, true, "8 pods at most (3 over 5)"),
            (scaling, false, "1 pod at most, all available 0:14"),
            (Totals { all_available: Some(0), ..scaling }, false, "1 pod at most"),
            (job(JobOutcome { runs: Some(6), ..JobOutcome::default() }), false, "1 pod at most"),
            (job(JobOutcome::default()), false, "1 pod at most, never complete"),
            (
                job(JobOutcome { end: Some(JobEnd::Complete), ended: time, ..JobOutcome::default() }),
                false,
                "1 pod at most, complete 0:14",
            ),
            (
                job(JobOutcome { end: Some(JobEnd::Failed), ended: time, ..JobOutcome::default() }),
                false,
                "1 pod at most, failed 0:14",
            ),
        ] {
            assert_eq!(answer_in_one_line(&totals, None, is_rollback, ClockFormat::Minutes), answer);
        }
    }

    #[test]
    fn the_answer_counts_pods_over_a_limit_that_is_lower_at_another_time() {
        let excess = Some(Excess { pods: 3, limit: 2, time: 0 });
        let within = Totals { peak: 5, limit_at_peak: 5, all_available: Some(35_000_000_000), ..Totals::default() };
        let over = Totals { peak: 8, ..within };
        for (totals, answer) in [
            (within, "5 pods at most (once 3 over 2), all available 0:35"),
            (over, "8 pods at most (3 over 5), all available 0:35"),
            (Totals { job: Some(JobOutcome::default()), ..within }, "5 pods at most, never complete"),
        ] {
            assert_eq!(answer_in_one_line(&totals, excess, false, ClockFormat::Minutes), answer);
        }
    }
}
