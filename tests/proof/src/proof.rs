//! Explains a recording, and tries to explain spoiled copies of its writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Kind, Time};

use crate::compare::{Difference, difference};
use crate::cron_job::CronJobController;
use crate::daemon_set::DaemonSetController;
use crate::deployment::DeploymentController;
use crate::events::{self, Events};
use crate::job::JobController;
use crate::owners::{by_owner, component};
use crate::pod_choice::{Alternative, ExplainedAt};
use crate::recording::{Answer, Recording, Request, Verb};
use crate::replay::RecordedEvent;
use crate::replica_set::ReplicaSetController;
use crate::scheduler;
use crate::search::{Caches, Controller, Search, Sync, Unexplained};
use crate::spoil::{Spoil, of_another_object, spoiled};
use crate::stateful_set::StatefulSetController;
use crate::world::World;

/// The result for a recording.
#[derive(Default)]
pub struct Outcome {
    /// How many writes are explained, by controller, verb and kind of object.
    pub explained: BTreeMap<String, usize>,
    /// The unexplained writes, each described in a few lines.
    pub problems: Vec<String>,
    /// How many syncs made a choice between pods that the rules leave open.
    pub open_choice: usize,
    /// How many events are explained.
    pub events: usize,
    /// The control: what it found for each way to spoil a write.
    pub spoiled: BTreeMap<Spoil, SpoiledWrites>,
    /// The spoiled writes that were explained.
    pub mistaken: Vec<String>,
    /// Why deletions of other objects than the recorded ones are explained, and where.
    pub alternatives: BTreeMap<(Alternative, ExplainedAt), usize>,
}

/// What the control found for the writes that were spoiled in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpoiledWrites {
    /// How many writes were spoiled.
    pub tried: usize,
    /// How many of them were explained.
    pub explained: usize,
    /// How many searches exceeded their limit: there may be an explanation that they did not find.
    pub gave_up: usize,
}

impl SpoiledWrites {
    /// One spoiled write.
    fn of<T>(search: &Result<T, Unexplained>) -> Self {
        let gave_up = search.as_ref().err().is_some_and(|unexplained| unexplained.gave_up);
        Self { tried: 1, explained: usize::from(search.is_ok()), gave_up: usize::from(gave_up) }
    }

    /// Adds other writes.
    pub fn add(&mut self, other: Self) {
        let Self { tried, explained, gave_up } = other;
        self.tried = self.tried.saturating_add(tried);
        self.explained = self.explained.saturating_add(explained);
        self.gave_up = self.gave_up.saturating_add(gave_up);
    }
}

impl Outcome {
    /// What no state of the caches may explain: another text, another order, and the deletion of a pod that a rule
    /// before the ages puts behind another one.
    pub fn control_failures(&self) -> Vec<String> {
        let is_wrong = |(what, writes): &(&Spoil, &SpoiledWrites)| what.is_never_legal() && writes.explained > 0;
        let writes = self.spoiled.iter().filter(is_wrong);
        let writes = writes.map(|(what, _)| format!("a write with {} changed is explained", what.name()));
        let in_same_state = self.alternatives.keys().filter(|(_, at)| *at == ExplainedAt::SameState);
        let deletions = in_same_state
            .filter(|(alternative, _)| alternative.breaks_a_rule())
            .map(|(alternative, _)| format!("a recorded deletion is wrong, since {alternative}"));
        writes.chain(deletions).collect()
    }
}

/// Whether to try spoiled writes as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Only the real writes.
    Off,
    /// Also each write, spoiled in each way.
    On,
}

/// Explains all writes of a recording.
pub fn prove(recording: &Recording, control: Control) -> Outcome {
    let world = World::new(recording);
    let mut outcome = Outcome::default();
    let mut events: BTreeMap<Kind, Vec<RecordedEvent>> = BTreeMap::new();
    for ((kind, uid), requests) in by_owner(recording) {
        if uid.is_empty() {
            outcome
                .problems
                .extend(requests.iter().map(|request| format!("{}: its object is unknown", about(request))));
            continue;
        }
        let horizons: Vec<i64> = requests.iter().map(|request| recording.horizon(request)).collect();
        let events = events.entry(kind).or_default();
        let of = Requests { recording, requests: &requests, horizons: &horizons, control };
        match kind {
            Kind::Deployment => of.explain(&DeploymentController::new(&world, &uid), events, &mut outcome),
            Kind::CronJob => of.explain(&CronJobController::new(&world, &uid), events, &mut outcome),
            Kind::Job => of.explain(&JobController::new(&world, &uid), events, &mut outcome),
            Kind::ReplicaSet | Kind::ReplicationController => {
                of.explain(&ReplicaSetController::new(&world, kind, &uid), events, &mut outcome);
            }
            Kind::StatefulSet => of.explain(&StatefulSetController::new(&world, &uid), events, &mut outcome),
            Kind::DaemonSet => of.explain(&DaemonSetController::new(recording, &world, &uid), events, &mut outcome),
            other => outcome.problems.push(format!("the core has no controller for {other}")),
        }
    }
    for (kind, events) in events {
        let Events { explained, unexplained, missing } = events::compare(recording, &component(kind), events);
        outcome.events = outcome.events.saturating_add(explained);
        let line = |what: &str, event: &RecordedEvent| {
            format!("event about {}: {what}: {} {} {}", event.about, event.type_, event.reason, event.message)
        };
        outcome.problems.extend(unexplained.iter().map(|event| line("the core does not record it", event)));
        outcome.problems.extend(missing.iter().map(|event| line("only the core records it", event)));
    }
    for (request, explained) in scheduler::explain(recording, &world) {
        match explained {
            Ok(()) => {
                let count = outcome.explained.entry(about_kind(request)).or_default();
                *count = count.saturating_add(1);
            }
            Err(problem) => outcome.problems.push(format!("{}: {problem}", about(request))),
        }
    }
    outcome
}

/// The requests that were sent for one object.
struct Requests<'a> {
    recording: &'a Recording,
    requests: &'a [Rc<Request>],
    horizons: &'a [i64],
    control: Control,
}

impl Requests<'_> {
    fn explain<C: Controller>(&self, controller: &C, events: &mut Vec<RecordedEvent>, outcome: &mut Outcome) {
        let gates = FeatureGates::default();
        let Self { recording, requests, horizons, .. } = *self;
        let search = Search { recording, controller, requests, horizons, gates };
        let nothing = Caches { own: 0, owned: 0, pods: 0, handled: 0, later: 0, now: Time(i64::MIN) };
        // Nothing happened before the first request, so its sync is not searched in earlier times.
        let started = requests.first().map_or(nothing.now, |first| first.received.plus(-60 * Time::SECOND));
        match search.explain(0, requests.len(), Caches { now: started, ..nothing }, C::Memory::default()) {
            Ok(syncs) => {
                for request in requests {
                    let count = outcome.explained.entry(about_kind(request)).or_default();
                    *count = count.saturating_add(1);
                }
                let is_open = |sync: &&Sync<C::Memory>| sync.choice.as_ref().is_some_and(|choice| choice.is_open);
                let open_choice = syncs.iter().filter(is_open).count();
                outcome.open_choice = outcome.open_choice.saturating_add(open_choice);
                if self.control == Control::On {
                    syncs.iter().for_each(|sync| self.spoil(controller, sync, outcome));
                }
                events.extend(syncs.into_iter().flat_map(|sync| sync.events));
            }
            Err(unexplained) => {
                outcome.problems.push(self.problem(&unexplained));
                let explained = requests.iter().take(unexplained.index);
                for request in explained {
                    let count = outcome.explained.entry(about_kind(request)).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
    }

    /// Spoils each request of a sync in each way, and tries to explain it from the beginning of the sync.
    fn spoil<C: Controller>(&self, controller: &C, sync: &Sync<C::Memory>, outcome: &mut Outcome) {
        let end = sync.first.saturating_add(sync.count);
        for index in sync.first..end {
            for what in Spoil::ALL {
                let Some((requests, goal)) = self.spoiled(index, sync.first..end, what) else { continue };
                let Self { recording, horizons, .. } = *self;
                let gates = FeatureGates::default();
                let search = Search { recording, controller, requests: &requests, horizons, gates };
                let found = search.explain(sync.first, goal, sync.before, sync.memory.clone());
                outcome.spoiled.entry(what).or_default().add(SpoiledWrites::of(&found));
                let Ok(found) = found else { continue };
                outcome.mistaken.push(self.mistake(&requests, index, what));
                if what == Spoil::Object {
                    let count = outcome.alternatives.entry(self.alternative(&search, index, sync, &found)).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
    }

    /// Why another object than the recorded one may be deleted by the request at `index`, and where: first by the sync
    /// that explains the recorded deletion, otherwise by those that were found.
    fn alternative<C: Controller>(
        &self,
        spoiled: &Search<'_, C>,
        index: usize,
        recorded: &Sync<C::Memory>,
        found: &[Sync<C::Memory>],
    ) -> (Alternative, ExplainedAt) {
        let goal = index.saturating_add(1);
        let same = spoiled.explain_at(recorded.first, goal, &recorded.caches, &recorded.memory);
        let covers = |sync: &&Sync<C::Memory>| (sync.first..sync.first.saturating_add(sync.count)).contains(&index);
        let (choice, at) = match &same {
            Some(client) => (client.choice.as_ref(), ExplainedAt::SameState),
            None => (found.iter().find(covers).and_then(|sync| sync.choice.as_ref()), ExplainedAt::OtherState),
        };
        let names = self.requests.get(index).zip(spoiled.requests.get(index));
        let alternative = choice.zip(names).map_or(Alternative::NotRanked, |(choice, (was, is))| {
            choice.alternative(name(&was.object), name(&is.object))
        });
        (alternative, at)
    }

    /// Describes a spoiled request that was explained.
    fn mistake(&self, spoiled: &[Rc<Request>], index: usize, what: Spoil) -> String {
        let (Some(was), Some(is)) = (self.requests.get(index), spoiled.get(index)) else { return String::new() };
        let place = match difference(&was.sent, &is.sent) {
            None if was.object != is.object => format!("{} is deleted", is.object),
            Some(Difference { pointer, sent, core }) => format!("{pointer} is {core}, not {sent}"),
            None => what.name().to_owned(),
        };
        format!("{}: explained although {place}", about(was))
    }

    /// The requests with one of them spoiled, and the number of requests that must be explained.
    fn spoiled(&self, index: usize, sync: Range<usize>, what: Spoil) -> Option<(Vec<Rc<Request>>, usize)> {
        let mut requests = self.requests.to_vec();
        let request = requests.get(index)?.clone();
        let next = index.saturating_add(1);
        match what {
            Spoil::Number | Spoil::Word => *requests.get_mut(index)? = Rc::new(spoiled(&request, what, index)?),
            Spoil::Object => {
                let together = self.requests.get(sync)?.iter().filter(|request| request.verb == Verb::Delete);
                let deleted = together.map(|request| request.object.as_str()).collect();
                *requests.get_mut(index)? = Rc::new(of_another_object(self.recording, &request, &deleted, index)?);
            }
            Spoil::Order => {
                let other = requests.get(next).filter(|_| next < sync.end)?;
                if other.object.starts_with("Pod/") && request.object.starts_with("Pod/") {
                    return None;
                }
                requests.swap(index, next);
            }
        }
        let goal = if what == Spoil::Order { next.saturating_add(1) } else { next };
        Some((requests, goal))
    }

    /// Describes an unexplained write: the rule that came closest, and both values.
    fn problem(&self, unexplained: &Unexplained) -> String {
        let Some(request) = self.requests.get(unexplained.index) else { return String::from("no request") };
        let mut text = format!("{}: no state of the caches explains it", about(request));
        if unexplained.gave_up {
            text.push_str(" (the search was given up)");
        }
        let Some(nearest) = &unexplained.nearest else { return text };
        let reason = nearest.decision.reason();
        let _ = write!(text, "\n    closest: {}: {}", reason.rule.id, reason.sentence());
        if let Some(difference) = &nearest.difference {
            let _ =
                write!(text, "\n    {}: sent {}, the core {}", difference.pointer, difference.sent, difference.core);
        }
        text
    }
}

/// The name of an object that is given by kind and name.
fn name(object: &str) -> &str {
    object.split_once('/').map_or(object, |(_, name)| name)
}

/// A request on one line.
fn about(request: &Request) -> String {
    let answer = match &request.answer {
        Answer::Written(version) => format!("version {version}"),
        Answer::Unchanged => String::from("unchanged"),
        Answer::Refused(error) => format!("{} {}", error.code, error.reason),
    };
    format!("{} {:?} {} at {} ({answer})", request.user, request.verb, request.object, request.received)
}

/// A request's kind: its controller, verb and kind of object.
fn about_kind(request: &Request) -> String {
    let kind = request.object.split('/').next().unwrap_or_default();
    let refused = if matches!(request.answer, Answer::Refused(_)) { ", refused" } else { "" };
    let verb = match request.verb {
        Verb::Create => "create",
        Verb::Update => "update",
        Verb::UpdateStatus => "update the status of",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
        Verb::Other if request.sent.pointer("/target").is_some() => "bind",
        Verb::Other => "patch the status of",
    };
    format!("{}: {verb} {kind}{refused}", request.user)
}

#[cfg(test)]
mod tests {
    use changeover_core::controller::ApiError;
    use changeover_core::controller::rank::Criterion;
    use serde_json::Value;

    use super::*;
    use crate::recording::Stored;

    const MILLISECOND: i64 = Time::SECOND / 1000;

    /// A request that was received that many milliseconds after the start, and answered 5 ms later.
    fn request(milliseconds: i64, verb: Verb, answer: Answer) -> Rc<Request> {
        let (user, object) = (String::from("replicaset-controller"), String::from("ReplicaSet/web-5d"));
        let received = Time(milliseconds.saturating_mul(MILLISECOND));
        let answered = received.plus(5 * MILLISECOND);
        Rc::new(Request { verb, user, object, named: None, sent: Value::Null, received, answered, answer })
    }

    /// A version that a watch reported that many milliseconds after the start.
    fn stored(milliseconds: i64, version: i64) -> Stored {
        Stored { version, at: Time(milliseconds.saturating_mul(MILLISECOND)), value: None, object: None }
    }

    /// The horizon of the first request.
    fn horizon_of_first(requests: Vec<Rc<Request>>, stored: Vec<Stored>) -> i64 {
        let recording = Recording {
            name: String::from("rolling-1"),
            about: String::new(),
            start: Time(0),
            commands: Vec::new(),
            stored: BTreeMap::from([(String::from("Pod/web-5d-a"), stored)]),
            requests,
        };
        recording.horizon(recording.requests.first().unwrap())
    }

    fn refused() -> Answer {
        let error = ApiError::new(409, "Conflict", "");
        Answer::Refused(error)
    }

    fn outcome(what: Spoil, alternative: (Alternative, ExplainedAt)) -> Outcome {
        let writes = SpoiledWrites { tried: 2, explained: 1, gave_up: 0 };
        Outcome {
            spoiled: BTreeMap::from([(what, writes)]),
            alternatives: BTreeMap::from([(alternative, 1)]),
            ..Outcome::default()
        }
    }

    #[test]
    fn an_explained_word_or_order_fails() {
        let legal = (Alternative::Equal, ExplainedAt::SameState);
        let failures = |what| outcome(what, legal).control_failures();
        assert_eq!(failures(Spoil::Word), ["a write with a word changed is explained"]);
        assert_eq!(failures(Spoil::Order), ["a write with an order changed is explained"]);
        assert!(failures(Spoil::Number).is_empty() && failures(Spoil::Object).is_empty());
    }

    #[test]
    fn a_deletion_against_a_rule_before_the_ages_fails_in_the_same_state() {
        let failures = |criterion, at| outcome(Spoil::Object, (Alternative::First(criterion), at)).control_failures();
        let expected = ["a recorded deletion is wrong, since the other pod is not ready"];
        assert_eq!(failures(Criterion::Ready, ExplainedAt::SameState), expected);
        assert!(failures(Criterion::Ready, ExplainedAt::OtherState).is_empty());
        assert!(failures(Criterion::ReadyTime, ExplainedAt::SameState).is_empty());
    }

    #[test]
    fn a_search_that_gave_up_is_counted_apart() {
        let search = |gave_up| Err::<(), _>(Unexplained { index: 0, nearest: None, gave_up });
        let mut writes = SpoiledWrites::of(&search(true));
        writes.add(SpoiledWrites::of(&search(false)));
        writes.add(SpoiledWrites::of(&Ok::<(), Unexplained>(())));
        assert_eq!(writes, SpoiledWrites { tried: 3, explained: 1, gave_up: 1 });
    }

    #[test]
    fn a_written_request_is_older_than_its_own_version() {
        let written = request(0, Verb::UpdateStatus, Answer::Written(7));
        assert_eq!(horizon_of_first(vec![written], vec![stored(2000, 9)]), 7);
    }

    #[test]
    fn a_refused_or_unchanged_request_is_older_than_what_later_requests_wrote() {
        let later = [(1, Verb::Update, 8), (2, Verb::Create, 7), (3, Verb::UpdateStatus, 9)];
        for answer in [refused(), Answer::Unchanged] {
            let mut requests = vec![request(0, Verb::UpdateStatus, answer)];
            requests.extend(later.map(|(at, verb, version)| request(at, verb, Answer::Written(version))));
            assert_eq!(horizon_of_first(requests, vec![stored(2000, 10)]), 7);
        }
    }

    #[test]
    fn versions_that_may_be_older_than_a_refused_request_are_no_bound() {
        let requests = vec![
            request(10, Verb::UpdateStatus, refused()),
            request(9, Verb::Update, Answer::Written(3)),
            // The response to a deletion or a patch may contain the version before.
            request(11, Verb::Delete, Answer::Written(4)),
            request(12, Verb::Patch, Answer::Written(5)),
        ];
        // The watch may have taken a second to report version 6.
        assert_eq!(horizon_of_first(requests, vec![stored(1015, 6), stored(1016, 10)]), 10);
    }
}
