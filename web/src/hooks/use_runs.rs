use std::rc::Rc;

use changeover_wire::{Answer, Problem, Question, Runs, RunsQuestion};
use yew::{Callback, Reducible, UseReducerHandle, hook, use_context, use_effect_with, use_reducer_eq};

use crate::workbench::{Answered, Workbench};

/// How many runs there are.
pub const RUNS: u32 = 200;

/// How many of them the workbench is asked for at once.
const PORTION: u32 = 10;

/// Runs with random delays, asked for in portions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunsState {
    /// The portion that the workbench works on; none at rest.
    portion: Option<RunsQuestion>,
    /// What came of the runs that are done.
    pub done: Option<Runs>,
    /// Why there are no more.
    pub problems: Vec<Problem>,
}

/// A change of the runs.
pub enum RunsAction {
    /// Starts to run.
    Start(Box<RunsQuestion>),
    /// A portion is answered.
    Answered(Result<Rc<Answer>, String>),
    /// Stops; what is done stays.
    Stop,
    /// Forgets everything.
    Clear,
}

impl RunsState {
    /// Whether there are more to come.
    pub const fn is_running(&self) -> bool {
        self.portion.is_some()
    }

    fn answered(&mut self, answer: Result<&Answer, String>) {
        let Some(portion) = self.portion.take() else { return };
        match answer {
            Ok(Answer::Runs(runs)) => {
                let done = self.done.map_or(*runs, |done| done.with(*runs));
                self.done = Some(done);
                let seed = portion.seed.saturating_add(PORTION.into());
                self.portion = (done.runs < RUNS).then_some(RunsQuestion { seed, ..portion });
            }
            Ok(Answer::Refused(problems)) => self.problems.clone_from(problems),
            Ok(_) => {}
            Err(failure) => self.problems = vec![Problem::new("", failure)],
        }
    }
}

impl Reducible for RunsState {
    type Action = RunsAction;

    fn reduce(self: Rc<Self>, action: RunsAction) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            RunsAction::Start(question) => {
                state = Self { portion: Some(RunsQuestion { seed: 1, runs: PORTION, ..*question }), ..Self::default() };
            }
            RunsAction::Answered(answer) => state.answered(answer.as_deref().map_err(Clone::clone)),
            RunsAction::Stop => state.portion = None,
            RunsAction::Clear => state = Self::default(),
        }
        Rc::new(state)
    }
}

/// Runs with random delays: nothing runs until they are started.
#[hook]
pub fn use_runs() -> UseReducerHandle<RunsState> {
    let workbench = use_context::<Rc<Workbench>>();
    let state = use_reducer_eq(RunsState::default);
    let dispatcher = state.dispatcher();
    use_effect_with(state.portion.clone(), move |portion| {
        let asked = portion.clone().zip(workbench).map(|(portion, workbench)| {
            let on_answer = Callback::from(move |answered: Result<Answered, String>| {
                dispatcher.dispatch(RunsAction::Answered(answered.map(|answered| answered.answer)));
            });
            (workbench.ask(Question::Runs(portion), on_answer), workbench)
        });
        move || {
            if let Some((id, workbench)) = asked {
                workbench.forget(id);
            }
        }
    });
    state
}

#[cfg(test)]
mod tests {
    use changeover_wire::{AskedRollout, LaneSource, Range};
    use serde_json::Value;

    use super::*;

    fn started() -> Rc<RunsState> {
        let rollout = AskedRollout::Lane(LaneSource::Scenario(Value::Null));
        let constraints = Value::Null;
        let question = RunsQuestion { rollout, constraints, quota: None, jitter_percent: 20, seed: 0, runs: 0 };
        Rc::new(RunsState::default()).reduce(RunsAction::Start(Box::new(question)))
    }

    fn answered(peak: i64) -> RunsAction {
        let range = Range::of(peak);
        let runs = Runs { runs: PORTION, met: 1, peak: range, lowest_available: range, completed: 0, complete: None };
        RunsAction::Answered(Ok(Rc::new(Answer::Runs(runs))))
    }

    #[test]
    fn portions_add_up_until_all_runs_are_done() {
        let mut state = started();
        let mut seeds = Vec::new();
        while let Some(portion) = state.portion.clone() {
            seeds.push(portion.seed);
            state = state.reduce(answered(i64::try_from(portion.seed).unwrap()));
        }
        assert_eq!((seeds.len(), seeds[0], seeds[19]), (20, 1, 191));
        let done = state.done.unwrap();
        assert_eq!((done.runs, done.met, done.peak), (RUNS, 20, Range { least: 1, most: 191 }));
    }

    #[test]
    fn what_is_done_stays_when_the_runs_stop() {
        let state = started().reduce(answered(3)).reduce(RunsAction::Stop);
        assert_eq!((state.is_running(), state.done.map(|done| done.runs)), (false, Some(PORTION)));
        // A late answer changes nothing.
        assert_eq!(state.clone().reduce(answered(3)), state);
        let problems = vec![Problem::new("spec", "no"), Problem::new("constraints.maxPods", "no")];
        let refused = RunsAction::Answered(Ok(Rc::new(Answer::Refused(problems.clone()))));
        assert_eq!(started().reduce(refused).problems, problems);
    }
}
