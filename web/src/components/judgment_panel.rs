use changeover_wire::{Answer, Judgment, JudgmentResult, Question};
use yew::{Html, Properties, classes, component, html, use_memo};

use super::list_keys::keyed;
use crate::hooks::{AnswerState, use_answer, use_settled};
use crate::sandbox_inputs::SandboxInputs;

/// How long nothing must have changed before the question is asked, in milliseconds.
const QUIET: u32 = 400;

/// The properties of [`JudgmentPanel`].
#[derive(PartialEq, Properties)]
pub struct JudgmentPanelProps {
    /// The user's own manifests, and what surrounds them.
    pub inputs: SandboxInputs,
    /// Whether the picture shows what the user does in "What if", too, which is not judged.
    pub is_without_what_if: bool,
}

/// Whether the change of the user's manifests fits the quotas and nodes that they contain.
#[component]
pub fn JudgmentPanel(props: &JudgmentPanelProps) -> Html {
    let wanted = props.inputs.asking();
    let asked = use_settled(wanted.clone(), QUIET);
    // Until it is asked, the last answer is about something else.
    let is_outdated = asked != wanted;
    let question = use_memo(asked, |inputs| inputs.to_wire().map(Question::Judgment));
    let AnswerState { answer, is_waiting, .. } = use_answer((*question).clone());
    // A text that can't be judged says below itself what is wrong with it.
    let Some(Answer::Judgment(judgment)) = answer.as_ref().map(|answered| &*answered.answer) else {
        return Html::default();
    };
    let is_stale = is_waiting || is_outdated;
    html! {
        <section class={classes!("judgment", class(judgment.result), is_stale.then_some("stale"))} aria-label="The verdict"
            aria-busy={is_stale.to_string()}>
            <p>
                if is_stale {
                    { "Judging…" }
                } else {
                    if props.is_without_what_if { { "Without what you do in “What if”: " } }
                    { verdict(judgment) }
                }
            </p>
            if judgment.reasons.len() > 1 {
                <ul>{ sentences(&judgment.reasons) }</ul>
            }
            if !judgment.unrelated.is_empty() {
                <ul>{ sentences(&judgment.unrelated) }</ul>
            }
        </section>
    }
}

fn sentences(sentences: &[String]) -> Html {
    let item = |(key, sentence): (String, &String)| html! { <li key={key}>{ sentence }</li> };
    keyed(sentences, Clone::clone).into_iter().map(item).collect()
}

const fn class(result: JudgmentResult) -> &'static str {
    match result {
        JudgmentResult::Fits => "fits",
        JudgmentResult::NotJudged => "not-judged",
        JudgmentResult::DoesNotFit => "does-not-fit",
    }
}

/// The verdict, with its reason if it has one.
fn verdict(Judgment { result, checked, reasons, .. }: &Judgment) -> String {
    let why = match reasons.as_slice() {
        [reason] => format!(": {reason}"),
        [] => String::from("."),
        _ => String::from(":"),
    };
    match result {
        JudgmentResult::Fits if checked.is_empty() => String::from("✓ Makes nothing worse."),
        JudgmentResult::Fits => format!("✓ Fits {checked}."),
        JudgmentResult::NotJudged => format!("Not judged whether it fits{why}"),
        JudgmentResult::DoesNotFit => format!("✗ Does not fit{why}"),
    }
}
