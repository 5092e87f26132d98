use std::rc::Rc;

use changeover_wire::Question;
use yew::{Callback, hook, use_context, use_effect_with, use_state};

use crate::workbench::{Answered, Workbench};

/// What has come of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerState {
    /// The last answer; that of an earlier question while the workbench works on this one.
    pub answer: Option<Answered>,
    /// Whether the workbench works on it.
    pub is_waiting: bool,
    /// Why there is no answer.
    pub failure: Option<String>,
}

/// Asks the workbench a question. None: nothing is asked.
#[hook]
pub fn use_answer(question: Option<Question>) -> AnswerState {
    let workbench = use_context::<Rc<Workbench>>();
    let state = use_state(AnswerState::default);
    let (setter, last) = (state.setter(), state.answer.clone());
    use_effect_with(question, move |question| {
        let asked = question.clone().zip(workbench).map(|(question, workbench)| {
            setter.set(AnswerState { answer: last, is_waiting: true, failure: None });
            let on_answer = Callback::from(move |answered: Result<Answered, String>| {
                setter.set(match answered {
                    Ok(answer) => AnswerState { answer: Some(answer), ..AnswerState::default() },
                    Err(failure) => AnswerState { failure: Some(failure), ..AnswerState::default() },
                });
            });
            (workbench.ask(question, on_answer), workbench)
        });
        move || {
            if let Some((id, workbench)) = asked {
                workbench.forget(id);
            }
        }
    });
    (*state).clone()
}
