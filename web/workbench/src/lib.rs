//! The workbench, a WebAssembly module that the page loads when the user first gives manifests of their own, or opens a story
//! about Jobs. It answers questions about manifests in one worker, and plays every kind of workload in another, with the same
//! `Player` as the small module has.
#![expect(clippy::must_use_candidate, reason = "functions for JavaScript")]

mod advice;
mod manifests;
mod outlook;
mod review;

// For JavaScript; the allocator comes with it.
use changeover_core::Problem;
pub use changeover_player::Player;
use changeover_text::parse;
use changeover_wire::{Answer, Asked, Question, Reply};
use serde_json::Value;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// Answers a question of the page; question and reply are JSON.
///
/// # Errors
/// If the question is not one of `changeover_wire`'s.
#[wasm_bindgen]
pub fn answer(asked: &str) -> Result<String, JsError> {
    let Asked { id, question } = serde_json::from_str(asked)?;
    Ok(serde_json::to_string(&Reply { id, answer: answer_to(&question) })?)
}

/// The answer to a question.
pub fn answer_to(question: &Question) -> Answer {
    match question {
        Question::Objects { text } => match manifests::objects(text) {
            Ok(objects) => Answer::Objects { objects },
            Err(problem) => Answer::Unreadable { problem },
        },
        Question::Advice(question) => {
            advice::advice(question).map_or_else(refused, |advice| Answer::Advice(Box::new(advice)))
        }
        Question::Runs(question) => advice::runs(question).map_or_else(refused, Answer::Runs),
        Question::Outlook(question) => match parse(&question.text) {
            Ok(documents) => {
                let objects: Vec<Value> = documents.into_iter().map(|document| document.value).collect();
                outlook::outlook(&objects, question).map_or_else(refused, Answer::Outlook)
            }
            Err(error) => Answer::Unreadable { problem: manifests::unreadable(error) },
        },
        Question::Review(question) => Answer::Review(review::reviewed(question)),
        Question::PolicySettings => Answer::PolicySettings(review::policy_settings()),
    }
}

fn refused(problem: Problem) -> Answer {
    Answer::Refused(problem.into())
}
