use std::rc::Rc;

use changeover_wire::Question;
use yew::{Callback, hook, use_context, use_effect_with, use_memo, use_state};

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

/// The state of an answer, and the question that it belongs to.
#[derive(Clone, Default)]
struct AskedState {
    state: AnswerState,
    question_id: Option<Rc<()>>,
}

/// Asks the workbench a question. None: nothing is asked.
#[hook]
pub fn use_answer(question: Option<Question>) -> AnswerState {
    let workbench = use_context::<Rc<Workbench>>();
    // Identifies the question, so that an older answer isn't taken for its answer.
    let question_id = use_memo(question.clone(), |_| ());
    let asked_state = use_state(AskedState::default);
    let (setter, last) = (asked_state.setter(), asked_state.state.answer.clone());
    let is_asked = question.is_some();
    use_effect_with(question, {
        let question_id = Some(question_id.clone());
        move |question| {
            let asked = question.clone().zip(workbench).map(|(question, workbench)| {
                let waiting = AnswerState { answer: last, is_waiting: true, failure: None };
                setter.set(AskedState { state: waiting, question_id: question_id.clone() });
                let on_answer = Callback::from(move |answered: Result<Answered, String>| {
                    let state = match answered {
                        Ok(answer) => AnswerState { answer: Some(answer), ..AnswerState::default() },
                        Err(failure) => AnswerState { failure: Some(failure), ..AnswerState::default() },
                    };
                    setter.set(AskedState { state, question_id: question_id.clone() });
                });
                (workbench.ask(question, on_answer), workbench)
            });
            move || {
                if let Some((id, workbench)) = asked {
                    workbench.forget(id);
                }
            }
        }
    });
    // The question is asked after it is first rendered: until then, the answer is that of the last one.
    let is_current = asked_state.question_id.as_ref().is_some_and(|id| Rc::ptr_eq(id, &question_id));
    let state = asked_state.state.clone();
    AnswerState { is_waiting: is_asked && (state.is_waiting || !is_current), ..state }
}
