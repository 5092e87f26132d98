//! The workbench, a WebAssembly module that the page loads when the user first gives manifests of their own, or opens a story
//! about Jobs. It answers questions about manifests in one worker, and plays every kind of workload in another, with the same
//! `Player` as the small module has.
#![expect(clippy::must_use_candidate, reason = "functions for JavaScript")]

mod manifests;

// For JavaScript; the allocator comes with it.
pub use changeover_player::Player;
use changeover_wire::{Answer, Asked, Question, Reply};
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
    }
}
