//! What holds of each write against what its sync saw, in random whole timelines and in random worlds.
#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use changeover_core::controller::deployment::{deployment_complete, get_deployment_condition};
use changeover_core::explain::Reason;
use changeover_core::timeline::{EndReason, Timeline};
use changeover_kep_5882::asked::{Answer, Question, ask};
use changeover_kep_5882::play::{
    Act, Play, Sync, any_play, autoscaled, deployment, last_gates, last_state, sizes, syncs, world_of,
};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::reference::{self, Unknown};
use changeover_kep_5882::world::{Left, Policy, Set, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, prop_assert_eq, prop_oneof, proptest};

type Checked = Result<(), TestCaseError>;

/// What a sync saw, what it left of that, and why.
struct Seen {
    world: World,
    after: World,
    why: Vec<Reason>,
}

impl Seen {
    fn in_timeline(sync: &Sync<'_>) -> Self {
        let why = sync.steps.iter().map(|step| step.reason()).collect();
        Self { world: world_of(sync.gates, &sync.before), after: world_of(sync.gates, &sync.after), why }
    }

    /// One sync of a world; nothing, where it fails.
    fn of(world: &World) -> Option<Self> {
        let Answer { left: Left::Sets(sets), reasons: why } = ask(Question::Sync, world) else { return None };
        let mut after = world.clone();
        if sets.len() > world.sets.len() {
            reference::add_new(&mut after, "created");
        }
        for (set, (spec, notes)) in after.sets.iter_mut().zip(sets) {
            (set.spec, set.notes) = (spec, notes);
        }
        Some(Self { world: world.clone(), after, why })
    }

    /// The ReplicaSet as it was; nothing, where the sync created it.
    fn before(&self, set: &Set) -> Option<&Set> {
        self.world.sets.iter().find(|before| before.name == set.name)
    }

    fn raises_a_size(&self) -> bool {
        self.after.sets.iter().any(|set| set.spec > self.before(set).map_or(0, |before| before.spec))
    }

    /// It was neither a scaling event nor a sync of a paused Deployment.
    fn rolls(&self) -> bool {
        let world = &self.world;
        !world.paused && !reference::is_scaling_event(world) && world.strategy != Strategy::Recreate
    }

    /// The same of a Recreate rollout.
    fn recreates(&self) -> bool {
        let world = &self.world;
        !world.paused && !reference::is_scaling_event(world) && world.strategy == Strategy::Recreate
    }

    fn describe(&self) -> String {
        let sentences: Vec<String> = self.why.iter().map(Reason::sentence).collect();
        format!("{sentences:#?}\nsaw {}left {}", self.world, self.after)
    }
}

/// Every sync of a timeline.
fn each(timeline: &Timeline, check: impl Fn(&Seen) -> Checked) -> Checked {
    syncs(timeline).iter().try_for_each(|sync| check(&Seen::in_timeline(sync)))
}

/// The sizes that the reference finds are those that the sync left.
fn as_the_reference(seen: &Seen) -> Checked {
    let Left::Sets(expected) = reference::sync(&seen.world) else {
        // What needs an unknown number grows nothing.
        prop_assert!(!seen.raises_a_size(), "an error of the reference\n{}", seen.describe());
        return Ok(());
    };
    // History clean-up deletes ReplicaSets without pods.
    let left = |set: &Set| seen.after.sets.iter().find(|after| after.name == set.name).map_or(0, |after| after.spec);
    let created = seen.after.sets.iter().filter(|set| seen.before(set).is_none()).map(|set| set.spec);
    let got: Vec<i32> = seen.world.sets.iter().map(left).chain(created).collect();
    let expected: Vec<i32> = expected.into_iter().map(|(size, _)| size).collect();
    prop_assert_eq!(got, expected, "{}", seen.describe());
    Ok(())
}

/// No rolling write lifts sum(spec) above the limit.
fn rolling_stays_within_the_limit(seen: &Seen) -> Checked {
    if seen.rolls() && seen.raises_a_size() {
        let sum = reference::sum_of_specs(&seen.after.sets);
        prop_assert!(sum <= reference::limit(&seen.world), "{}", seen.describe());
    }
    Ok(())
}

/// Under the complete rule a write that raises a size leaves sum(max(spec, stat)) + T within the limit.
fn pods_stay_within_the_limit(seen: &Seen) -> Checked {
    if reference::complete_rule(&seen.world) && seen.raises_a_size() {
        // The counts are those that the sync saw, the sizes those that it wrote.
        let places = if seen.recreates() { places_by_pods(&seen.after) } else { reference::places(&seen.after.sets) };
        let places = places.unwrap();
        prop_assert!(places <= reference::limit(&seen.world), "{places} places\n{}", seen.describe());
    }
    Ok(())
}

/// A Recreate rollout asks no old ReplicaSet how many of its pods terminate: it looks at the pods.
fn places_by_pods(world: &World) -> Result<i64, Unknown> {
    let is_new = |index: &usize| Some(*index) == world.new;
    let old = (0..world.sets.len()).filter(|index| !is_new(index)).filter_map(|index| world.sets.get(index));
    let pods: i64 = old.map(|set| i64::from(set.spec.max(set.stat).max(set.running))).sum();
    Ok(pods + reference::places(world.new.and_then(|new| world.sets.get(new)))?)
}

/// A rolling write takes at most (available - minimum available) available pods from old ReplicaSets.
fn enough_stay_available(seen: &Seen) -> Checked {
    if !seen.rolls() {
        return Ok(());
    }
    let new = seen.after.new.and_then(|index| seen.after.sets.get(index)).map(|new| new.name.clone());
    let is_new = |set: &Set| Some(&set.name) == new.as_ref();
    // Nobody relies on pods of an old ReplicaSet that wants none.
    let counted = seen.world.sets.iter().filter(|set| is_new(set) || set.spec > 0);
    let available: i64 = counted.map(|set| i64::from(set.available)).sum();
    let min_available = i64::from(seen.world.n) - reference::unavailable(&seen.world);
    let old = seen.after.sets.iter().filter(|set| !is_new(set));
    let taken = old.filter_map(|set| {
        let before = seen.before(set)?;
        Some(i64::from((before.available.min(before.spec) - set.spec).max(0)))
    });
    let taken: i64 = taken.sum();
    prop_assert!(taken <= (available - min_available).max(0), "took {taken} of {available}\n{}", seen.describe());
    Ok(())
}

/// Once no pod terminates (nor will: all that are there are wanted) and all counts are known, the complete rule allows at
/// least what the old rule allows: no wait is due to the policy. A scaling that was taken back ends first, and at once.
fn nothing_waits_without_terminating_pods(seen: &Seen) -> Checked {
    let world = &seen.world;
    let at_rest = |set: &Set| set.term == Some(0) && set.stat <= set.spec;
    let fits = reference::sum_of_specs(&world.sets) <= reference::limit(world);
    if !reference::complete_rule(world) || !world.sets.iter().all(at_rest) || !fits {
        return Ok(());
    }
    if is_taken_back(world) && !world.paused {
        let ended = |world: &World| !reference::is_scaling_event(world);
        // A new ReplicaSet that is saturated may have been owed pods too: they are seen to next.
        let after = if ended(&seen.after) { None } else { Seen::of(&seen.after) };
        let after = &after.as_ref().unwrap_or(seen).after;
        prop_assert!(ended(after), "{}", seen.describe());
        return Seen::of(after).map_or(Ok(()), |next| nothing_waits_without_terminating_pods(&next));
    }
    let Some(nil) = Seen::of(&World { policy: Policy::Nil, ..world.clone() }) else {
        return Err(TestCaseError::fail("no policy needs no counts"));
    };
    let (complete, nil) = (reference::sum_of_specs(&seen.after.sets), reference::sum_of_specs(&nil.after.sets));
    // Products that wrap can lead the old rule, as Kubernetes, beyond the limit.
    prop_assert!(complete >= nil.min(reference::limit(world)), "{complete} and {nil}\n{}", seen.describe());
    Ok(())
}

/// As many are desired as are noted, but some ReplicaSet is still owed pods.
fn is_taken_back(world: &World) -> bool {
    reference::is_scaling_event(world) && !reference::noted_otherwise(world)
}

/// What holds of each sync.
fn holds(seen: &Seen) -> Checked {
    rolling_stays_within_the_limit(seen)?;
    pods_stay_within_the_limit(seen)?;
    enough_stay_available(seen)?;
    nothing_waits_without_terminating_pods(seen)
}

/// A scaling event that begins with every ReplicaSet complete, and is followed by no other, ends in its full sizes. Of each
/// that ended, how many ReplicaSets had pods when it began.
fn events_end_in_full_sizes(timeline: &Timeline) -> Result<Vec<usize>, TestCaseError> {
    let mut ended = Vec::new();
    let mut full: Option<(World, BTreeMap<String, i32>)> = None;
    for sync in &syncs(timeline) {
        let seen = Seen::in_timeline(sync);
        let same = |event: &World| {
            let of = |world: &World| {
                let World { n, strategy, policy, terminating_gate, policy_gate, paused, new, .. } = world;
                (*n, *strategy, *policy, *terminating_gate, *policy_gate, *paused, *new)
            };
            of(&seen.world) == of(event)
        };
        if full.as_ref().is_some_and(|(event, _)| !same(event)) {
            full = None;
        }
        if full.is_none() && begins(&seen.world) {
            full = Some((seen.world.clone(), full_sizes(&seen.world)));
        }
        let saturated = sync.steps.iter().any(|step| step.reason().rule.id == "deployment.scale.saturated");
        if saturated {
            // The rollout is over: what old ReplicaSets were owed is not wanted any more.
            full = None;
        }
        if let Some((event, sizes)) = full.take_if(|_| !reference::is_scaling_event(&seen.after)) {
            let got: BTreeMap<String, i32> =
                seen.after.sets.iter().filter(|set| set.spec > 0).map(|set| (set.name.clone(), set.spec)).collect();
            prop_assert_eq!(got, sizes, "{}", seen.describe());
            ended.push(reference::active_ones(&event).len());
        }
    }
    Ok(ended)
}

/// Whether a scaling event begins here, with every ReplicaSet complete.
fn begins(world: &World) -> bool {
    let mut active = world.sets.iter().filter(|set| set.spec > 0);
    let Some(first) = active.next() else { return false };
    !world.paused
        && reference::complete_rule(world)
        && reference::is_scaling_event(world)
        && first.notes.before.is_none()
        && active.all(|set| set.notes == first.notes)
}

/// The sizes that the event would have at once, with no other pods around.
fn full_sizes(world: &World) -> BTreeMap<String, i32> {
    let mut world = world.clone();
    for set in &mut world.sets {
        (set.stat, set.term) = (0, Some(0));
    }
    reference::scale(&mut world).unwrap();
    world.sets.into_iter().filter(|set| set.spec > 0).map(|set| (set.name, set.spec)).collect()
}

/// An unpaused, unfinished rollout that stands still has its deadline exceeded.
fn stuck_rollouts_say_so(timeline: &Timeline) -> Checked {
    let (state, gates) = (last_state(timeline), last_gates(timeline));
    let (deployment, world) = (deployment(&state), world_of(gates, &state));
    if timeline.end.reason != EndReason::Quiet || world.paused || reference::is_scaling_event(&world) {
        return Ok(());
    }
    let status = &deployment.status;
    let reason = get_deployment_condition(status, "Progressing").map(|condition| &*condition.reason);
    // What was finished once and lacks pods since is no rollout.
    let available = reason == Some("NewReplicaSetAvailable");
    let finished = available && world.new.is_some() && status.replicas == status.updated_replicas;
    // Without the complete rule Kubernetes may take the last rollout's word for one that has not moved on once.
    let mistaken = available && !reference::complete_rule(&world);
    let complete = deployment_complete(&deployment, status, gates.controller_manager);
    // Where the API server stores no count that is needed, no status is written.
    let unknown = reference::complete_rule(&world) && reference::terminating(&world.sets).is_err();
    if !complete && !finished && !mistaken && !unknown {
        prop_assert_eq!(reason, Some("ProgressDeadlineExceeded"), "{}", world);
    }
    Ok(())
}

/// At rest nothing waits because of the policy: without it, nothing would be resized.
fn rest_is_not_due_to_the_policy(timeline: &Timeline) -> Checked {
    let world = World { policy: Policy::Nil, ..world_of(last_gates(timeline), &last_state(timeline)) };
    // All counts must be known; the API server may store none.
    if timeline.end.reason != EndReason::Quiet || world.sets.iter().any(|set| set.term.is_none()) {
        return Ok(());
    }
    prop_assert!(world.sets.iter().all(|set| set.term == Some(0)), "{world}");
    let Left::Sets(sets) = ask(Question::Sync, &world).left else {
        return Err(TestCaseError::fail("no policy needs no counts"));
    };
    let wanted: Vec<i32> = sets.into_iter().map(|(size, _)| size).collect();
    prop_assert_eq!(wanted, world.sets.iter().map(|set| set.spec).collect::<Vec<_>>(), "{}", world);
    // Changed to Recreate in mid-scaling, a Deployment with several active ReplicaSets stands still under every policy, as
    // in Kubernetes: only rolling updates are scaled in proportion.
    let stands_still = world.strategy == Strategy::Recreate && reference::noted_otherwise(&world);
    let finished = |set: &Set| set.spec == 0 || set.notes.before.is_none();
    prop_assert!(stands_still || world.sets.iter().all(finished), "{world}");
    Ok(())
}

/// At rest sum(spec) is within the limit under the complete rule, where only replicas and the template changed.
fn rest_is_within_the_limit(timeline: &Timeline) -> Checked {
    let world = world_of(last_gates(timeline), &last_state(timeline));
    prop_assert!(timeline.end.reason == EndReason::Quiet && reference::complete_rule(&world), "{world}");
    prop_assert!(reference::sum_of_specs(&world.sets) <= reference::limit(&world), "{world}");
    Ok(())
}

/// What all ReplicaSets want when a play is over.
fn wanted_at_rest(play: &Play) -> i64 {
    let timeline = play.run();
    reference::sum_of_specs(&world_of(last_gates(&timeline), &last_state(&timeline)).sets)
}

/// The same play under another policy from beginning to end.
fn under(play: &Play, policy: Policy) -> Play {
    let acts = play.acts.iter().filter(|(_, act)| !matches!(act, Act::Policy(_)));
    Play { policy, acts: acts.cloned().collect(), ..play.clone() }
}

/// When what was said, and the sizes after it.
fn course(timeline: &Timeline) -> Vec<(i64, Vec<String>, BTreeMap<String, i32>)> {
    let sentences = |sync: &Sync<'_>| sync.steps.iter().map(|step| step.reason().sentence()).collect();
    syncs(timeline).iter().map(|sync| (sync.time.0, sentences(sync), sizes(&sync.after))).collect()
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn of_each_write(play in any_play()) {
        let timeline = play.run();
        each(&timeline, as_the_reference)?;
        each(&timeline, holds)?;
        events_end_in_full_sizes(&timeline)?;
        stuck_rollouts_say_so(&timeline)?;
        rest_is_not_due_to_the_policy(&timeline)?;
    }

    /// TerminationStarted is nil in rolling and in scaling.
    #[test]
    fn started_is_nil(play in any_play()) {
        let recreates = |act: &Act| *act == Act::Strategy(Strategy::Recreate);
        if play.strategy != Strategy::Recreate && !play.acts.iter().any(|(_, act)| recreates(act)) {
            let run = |policy| course(&under(&play, policy).run());
            prop_assert_eq!(run(Policy::Nil), run(Policy::Started));
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Every rest: after each thing that the user does, if nothing followed.
    #[test]
    fn every_rest_is_within_the_limit(play in prop_oneof![any_play(), autoscaled()]) {
        let sizes = |act: &Act| matches!(act, Act::Scale(_) | Act::Image(_) | Act::Undo);
        let acts: Vec<_> = play.acts.iter().filter(|(_, act)| sizes(act)).cloned().collect();
        for count in 0..=acts.len() {
            let acts = acts.iter().take(count).cloned().collect();
            rest_is_within_the_limit(&Play { policy: Policy::Complete, acts, ..play.clone() }.run())?;
        }
    }

    /// What is taken back leaves nothing behind that it would not leave without a policy.
    #[test]
    fn an_autoscaler_leaves_no_more_than_without_a_policy(autoscaled in autoscaled()) {
        let [complete, nil] = [Policy::Complete, Policy::Nil].map(|policy| wanted_at_rest(&under(&autoscaled, policy)));
        prop_assert!(complete <= nil, "{complete} and {nil}");
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn of_each_write_in_random_worlds(world in any_world()) {
        if let Some(seen) = Seen::of(&world) {
            holds(&seen)?;
        }
    }

    #[test]
    fn started_is_nil_in_random_worlds(world in any_world()) {
        if world.strategy != Strategy::Recreate {
            let left = |policy| ask(Question::Sync, &World { policy, ..world.clone() }).left;
            prop_assert_eq!(left(Policy::Nil), left(Policy::Started), "{}", world);
        }
    }

    #[test]
    fn without_terminating_pods_nothing_waits(world in any_world()) {
        let mut world = World { policy: Policy::Complete, terminating_gate: true, policy_gate: true, ..world };
        for set in &mut world.sets {
            (set.term, set.stat) = (Some(0), set.stat.min(set.spec));
        }
        let Some(seen) = Seen::of(&world) else { return Err(TestCaseError::fail("all counts are known")) };
        nothing_waits_without_terminating_pods(&seen)?;
    }
}

/// The plays reach what the properties are about.
#[test]
fn plays_are_not_idle() {
    use proptest::strategy::{Strategy as _, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut count = BTreeMap::<&str, u32>::new();
    for _ in 0..60 {
        let timeline = any_play().new_tree(&mut runner).unwrap().current().run();
        for active in events_end_in_full_sizes(&timeline).unwrap() {
            *count.entry(if active > 1 { "events of several" } else { "events of one" }).or_default() += 1;
        }
        for step in &timeline.steps {
            *count.entry(step.reason().rule.id).or_default() += 1;
        }
    }
    for rule in [
        "events of one",
        "events of several",
        "deployment.new.up.complete",
        "deployment.new.wait.complete",
        "deployment.scale.partial",
        "deployment.scale.complete",
        "deployment.scale.proportional",
        "deployment.recreate.wait.ending",
        "deployment.old.unhealthy",
        "deployment.timed-out",
    ] {
        assert!(count.contains_key(rule), "{rule}");
    }
}
