use std::rc::Rc;

use changeover_core::scenario::Duration;
use changeover_wire::{Answer, AskedRollout, Problem, Question, WorstCase, WorstCases};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::list_keys::keyed;
use super::problems::view_problems;
use crate::hooks::use_answer;
use crate::number::group_digits;

/// The properties of [`WorstCasePanel`].
#[derive(PartialEq, Properties)]
pub struct WorstCasePanelProps {
    /// The rollout of the sandbox.
    pub rollout: Rc<AskedRollout>,
    /// How many pods a quota allows, if there is one.
    pub quota: Option<i32>,
}

/// What the worst of all orders of events does to the rollout.
#[component]
pub fn WorstCasePanel(props: &WorstCasePanelProps) -> Html {
    let WorstCasePanelProps { rollout, quota } = props;
    let asked = use_state_eq(|| None::<Rc<AskedRollout>>);
    // An answer about other settings is not shown.
    let question = asked.as_ref().filter(|asked| *asked == rollout).map(|asked| Question::Worst((**asked).clone()));
    let is_asked = question.is_some();
    let state = use_answer(question);
    let is_waiting = is_asked && state.is_waiting;
    let answer = state.answer.as_ref().filter(|_| is_asked && !is_waiting).map(|answered| &*answered.answer);
    let on_ask = {
        let (asked, rollout) = (asked.setter(), rollout.clone());
        Callback::from(move |_: MouseEvent| asked.set(Some(rollout.clone())))
    };
    html! {
        <div class="runs">
            <h3>{ "And in the worst case?" }</h3>
            <p class="note">
                { "A simulation plays one order of events. In a real cluster, controllers can be late, and pods can start and \
                   stop at any time. Up to 6 replicas, every order is explored. With more, you get a proven bound." }
            </p>
            <button type="button" onclick={on_ask}>{ "Find the worst case" }</button>
            <p role="status">
                if is_waiting { { "Exploring orders…" } }
                if let Some(Answer::Worst(worst)) = answer { { sentences(worst, *quota) } }
            </p>
            if let Some(Answer::Worst(WorstCases { today, .. })) = answer {
                { order(&format!("leads to {} pods", group_digits(today.peak)), &today.peak_order) }
                { order(&format!("leads to {} available pods", group_digits(today.lowest_available)), &today.lowest_order) }
                if let Some(longest) = today.longest {
                    { order(&format!("takes {}", Duration(longest).in_words()), &today.longest_order) }
                }
            }
            if let Some(Answer::Refused(problems)) = answer {
                { view_problems(&problems.iter().map(Problem::to_string).collect::<Vec<_>>()) }
            }
            if let Some(failure) = state.failure.filter(|_| is_asked) { <p class="problem" role="alert">{ failure }</p> }
        </div>
    }
}

/// An order of events that does that, one step after the other.
fn order(what: &str, steps: &[String]) -> Html {
    if steps.is_empty() {
        return Html::default();
    }
    html! {
        <details>
            <summary>{ format!("An order that {what}") }</summary>
            <ol>{ for keyed(steps, Clone::clone).into_iter().map(|(key, step)| html! { <li key={key}>{ step }</li> }) }</ol>
        </details>
    }
}

/// The answer, for today and for the proposed policy.
fn sentences(WorstCases { today, proposed }: &WorstCases, quota: Option<i32>) -> String {
    let numbers = |worst: &WorstCase| {
        let (peak, lowest) = (group_digits(worst.peak), group_digits(worst.lowest_available));
        format!("at most {peak} pods, at least {lowest} available")
    };
    let known = if today.is_bound {
        "In any order (a proven bound that may never be reached)"
    } else {
        "In the worst of all orders"
    };
    let mut text = format!("{known}: {}.", numbers(today));
    if let Some(longest) = today.longest {
        let longest = Duration(longest).in_words();
        let bound = if today.longest_order.is_empty() { " (a bound)" } else { "" };
        text.push_str(&format!(
            " Without random delays, it is complete after at most {longest}{bound}, plus the time that controllers take."
        ));
    }
    if let Some(quota) = quota {
        let verdict = match (today.peak > quota, today.is_bound) {
            (false, _) => "is never exceeded",
            (true, false) => "can be too small: it then refuses pods",
            (true, true) => "may be too small: the bound is above it",
        };
        text.push_str(&format!(" A quota of {} pods {verdict}.", group_digits(quota)));
    }
    if let Some(proposed) = proposed {
        text.push_str(&format!(" With TerminationComplete (proposed): {}.", numbers(proposed)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(peak: i32, is_bound: bool) -> WorstCase {
        let [peak_order, lowest_order, longest_order] = [const { Vec::new() }; 3];
        WorstCase { peak, lowest_available: 2, is_bound, longest: None, peak_order, lowest_order, longest_order }
    }

    #[test]
    fn a_bound_is_called_one_and_a_quota_has_an_answer() {
        let explored = WorstCases { today: worst(4, false), proposed: Some(worst(3, false)) };
        let bound = WorstCases { today: worst(40, true), proposed: None };
        let timed = WorstCase { longest: Some(40_000_000_000), ..worst(4, false) };
        let with_order = WorstCase { longest_order: vec![String::from("0 s: x")], ..timed.clone() };
        let [timed, with_order] = [timed, with_order].map(|today| WorstCases { today, proposed: None });
        for (worst, quota, expected) in [
            (
                &explored,
                None,
                "In the worst of all orders: at most 4 pods, at least 2 available. With TerminationComplete (proposed): \
                 at most 3 pods, at least 2 available.",
            ),
            (
                &timed,
                None,
                "In the worst of all orders: at most 4 pods, at least 2 available. Without random delays, it is complete \
                 after at most 40 s (a bound), plus the time that controllers take.",
            ),
            (
                &with_order,
                None,
                "In the worst of all orders: at most 4 pods, at least 2 available. Without random delays, it is complete \
                 after at most 40 s, plus the time that controllers take.",
            ),
            (
                &bound,
                Some(40),
                "In any order (a proven bound that may never be reached): at most 40 pods, at least 2 available. \
                 A quota of 40 pods is never exceeded.",
            ),
            (
                &bound,
                Some(39),
                "In any order (a proven bound that may never be reached): at most 40 pods, at least 2 available. \
                 A quota of 39 pods may be too small: the bound is above it.",
            ),
        ] {
            assert_eq!(sentences(worst, quota), expected);
        }
    }
}
