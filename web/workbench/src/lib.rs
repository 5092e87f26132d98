//! The workbench, a WebAssembly module that the page loads when the user first gives manifests of their own, or opens a story
//! about Jobs. It answers questions about manifests in one worker, and plays every kind of workload in another, with the same
//! `Player` as the small module has.

mod advice;
mod documents;
mod judgment;
mod live_state;
mod manifest_reader;
mod manifests;
mod nodes;
mod outlook;
mod progress;
mod review;
mod surroundings;
mod text_edit;
mod worst_cases;

// For JavaScript; the allocator comes with it.
use changeover_core::Problem;
pub use changeover_player::Player;
use changeover_wire::{Answer, Asked, LargeText, Question, Reply};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// Answers a question of the page; question and reply are JSON, with the user's texts behind them. Last come the scenarios to
/// play, as JSON, so that the page need not read them.
///
/// # Errors
/// If the question is not one of `changeover_wire`'s.
#[wasm_bindgen]
pub fn answer(asked: &str, texts: Vec<String>) -> Result<Vec<String>, JsError> {
    let Asked { id, question } = Asked::from_message(asked, texts.into_iter().map(LargeText::from))?;
    let (answer, scenarios) = answer_to(&question);
    let (reply, texts) = Reply { id, answer }.into_message()?;
    let texts = texts.iter().map(|text| String::from(&**text));
    Ok([reply].into_iter().chain(texts).chain(scenarios).collect())
}

/// The answer to a question, and the scenarios to play, as JSON.
pub fn answer_to(question: &Question) -> (Answer, Vec<String>) {
    let answer = match question {
        Question::Read { manifests, fields, write, lanes } => {
            let (reading, scenarios) = manifest_reader::read(manifests, fields, *write, lanes);
            return (Answer::Read(Box::new(reading)), scenarios);
        }
        Question::Advice(question) => {
            advice::advice(question).map_or_else(refused, |advice| Answer::Advice(Box::new(advice)))
        }
        Question::Runs(question) => advice::runs(question).map_or_else(refused, Answer::Runs),
        Question::Worst(rollout) => worst_cases::worst_cases(rollout).map_or_else(refused, Answer::Worst),
        Question::Outlook(manifests) => outlook::outlook(manifests).map_or_else(refused, Answer::Outlook),
        Question::Judgment(manifests) => judgment::judgment(manifests).map_or_else(refused, Answer::Judgment),
        Question::Standstill(question) => outlook::standstill(question).map_or_else(refused, Answer::Outlook),
        Question::Review(question) => Answer::Review(review::reviewed(question)),
        Question::PolicySettings => Answer::PolicySettings(review::policy_settings()),
    };
    (answer, Vec::new())
}

fn refused(problem: Problem) -> Answer {
    Answer::Refused(changeover_wire::Problem::each(problem))
}
