use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use changeover_core::timeline::Timeline;
use glob::Pattern;

use crate::case::{Case, put_hash_in};
use crate::compare::difference;
use crate::explained::Explained;
use crate::files::Loaded;
use crate::report::{Failure, Report, Result as CaseResult, Verdict};
use crate::{canonical, ops};

/// Selects cases. Without a pattern, all match.
#[derive(Default)]
pub struct Selection {
    /// Matches the operation.
    pub op: Option<Pattern>,
    /// Matches the case's name.
    pub name: Option<Pattern>,
}

impl Selection {
    fn takes(&self, case: &Case) -> bool {
        let matches = |pattern: &Option<Pattern>, text| pattern.as_ref().is_none_or(|pattern| pattern.matches(text));
        matches(&self.op, &case.op) && matches(&self.name, &case.name)
    }
}

/// Replays the selected cases on all processors.
pub fn replay(cases: &[Loaded], selection: &Selection) -> Report {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = cases.len().div_ceil(threads).max(1);
    let results = thread::scope(|scope| {
        let start = |share| scope.spawn(move || one_after_another(share, selection));
        let threads: Vec<_> = cases.chunks(share).map(start).collect();
        // Panics of a case are caught in its thread, so joining does not fail.
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    Report { results }
}

fn one_after_another(cases: &[Loaded], selection: &Selection) -> Vec<CaseResult> {
    cases.iter().filter_map(|loaded| replay_one(loaded, selection)).collect()
}

/// None if the case is not selected.
fn replay_one(loaded: &Loaded, selection: &Selection) -> Option<CaseResult> {
    let result = |name, op, verdict| Some(CaseResult { file: loaded.file.clone(), name, op, verdict });
    let case = match loaded.source.value().and_then(Case::parse) {
        Ok(case) => case,
        Err(message) => {
            let verdict = Verdict::Failed(Failure::Broken(message));
            return result(format!("case {}", loaded.position), "unreadable".into(), verdict);
        }
    };
    if !selection.takes(&case) {
        return None;
    }
    let (name, op) = (case.name.clone(), case.op.clone());
    result(name, op, verdict(case))
}

fn verdict(case: Case) -> Verdict {
    let Some(op) = ops::find(&case.op) else { return Verdict::Skipped };
    let outcome = match catch_unwind(AssertUnwindSafe(|| op(&case))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(message)) => return Verdict::Failed(Failure::Broken(message)),
        Err(_) => return Verdict::Failed(Failure::Broken("the core panicked".into())),
    };
    let mut expected = case.expected;
    if let Some(hash) = &outcome.hash {
        put_hash_in(&mut expected, hash);
    }
    let mut got = outcome.got;
    canonical::order(&mut expected);
    canonical::order(&mut got);
    if let Some(problem) = outcome.explained.iter().find_map(Explained::problem) {
        return Verdict::Failed(Failure::Broken(problem));
    }
    match difference(&expected, &got) {
        None => Verdict::Passed,
        Some(difference) => Verdict::Failed(Failure::Different(difference)),
    }
}

/// Replays all cases one after another, and passes on each decision with the name of its case.
pub fn examples(cases: &[Loaded], mut take: impl FnMut(&str, Explained)) {
    for loaded in cases {
        let Ok(case) = loaded.source.value().and_then(Case::parse) else { continue };
        let Some(op) = ops::find(&case.op) else { continue };
        let explained = op(&case).map_or_else(|_| Vec::new(), |outcome| outcome.explained);
        explained.into_iter().for_each(|explained| take(&case.name, explained));
    }
}

/// Plays the scenarios of all cases that have one, and passes on each timeline with the name of its case.
pub fn timelines(cases: &[Loaded], mut take: impl FnMut(&str, &Timeline)) {
    for loaded in cases {
        let Ok(case) = loaded.source.value().and_then(Case::parse) else { continue };
        if let Some(timeline) = ops::timeline(&case) {
            take(&case.name, &timeline);
        }
    }
}
