//! Properties of every write, compared with what its sync saw, in random timelines and random worlds.
#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use changeover_core::explain::Reason;
use changeover_core::timeline::{EndReason, Timeline};
use changeover_core::workload::deployment::controller::{complete_rule, deployment_complete, get_deployment_condition};
use changeover_kep_5882::comparison::expected;
use changeover_kep_5882::controller::{Operation, Run, run};
use changeover_kep_5882::play::{
    Act, Play, Sync, any_play, autoscaled, deployment, last_gates, last_state, last_world, sizes, syncs, world_of,
};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::second_reading::order::active;
use changeover_kep_5882::second_reading::pods::{total_pods, total_replicas, total_terminating};
use changeover_kep_5882::second_reading::scaling::{allowed_size, is_resized};
use changeover_kep_5882::second_reading::{is_scaling_event, numbers, sample, scale};
use changeover_kep_5882::world::{Gates, Policy, ReplicaSet, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, prop_assert_eq, prop_oneof, proptest};

type Checked = Result<(), TestCaseError>;

/// A sync: what it saw, what it wrote, and why.
struct Seen {
    world: World,
    after: World,
    why: Vec<Reason>,
}

impl Seen {
    fn in_timeline(sync: &Sync<'_>) -> Self {
        let why = sync.steps.iter().map(|step| step.reason()).collect();
        let world = |state| world_of(sync.gates, sync.time, state);
        Self { world: world(&sync.before), after: world(&sync.after), why }
    }

    /// One sync of a world; none if it fails.
    fn of(world: &World) -> Option<Self> {
        let Run { outcome, reasons: why } = run(Operation::Sync, world);
        let after = outcome.ok()?.apply(world);
        Some(Self { world: world.clone(), after, why })
    }

    /// The ReplicaSet before the sync; none if the sync created it.
    fn before(&self, set: &ReplicaSet) -> Option<&ReplicaSet> {
        self.world.sets.iter().find(|before| before.name == set.name)
    }

    fn grows(&self) -> bool {
        self.after.sets.iter().any(|set| set.replicas > self.before(set).map_or(0, |before| before.replicas))
    }

    /// True for a sync of a rolling update: no scaling, and the Deployment is not paused.
    fn rolls(&self) -> bool {
        !self.world.paused && !is_scaling_event(&self.world) && self.world.is_rolling()
    }

    /// True for a sync of a Recreate rollout.
    fn recreates(&self) -> bool {
        !self.world.paused && !is_scaling_event(&self.world) && !self.world.is_rolling()
    }

    fn describe(&self) -> String {
        let sentences: Vec<String> = self.why.iter().map(Reason::sentence).collect();
        format!("{sentences:#?}\nsaw {}left {}", self.world, self.after)
    }
}

/// Checks every sync of a timeline.
fn each(timeline: &Timeline, check: impl Fn(&Seen) -> Checked) -> Checked {
    syncs(timeline).iter().try_for_each(|sync| check(&Seen::in_timeline(sync)))
}

/// The sync wrote the ReplicaSets and the status that the second reading expects.
fn as_the_second_reading(seen: &Seen) -> Checked {
    let Ok(expected) = expected(Operation::Sync, &seen.world).map(|changes| changes.apply(&seen.world)) else {
        prop_assert_eq!(&seen.after.sets, &seen.world.sets, "{}", seen.describe());
        return Ok(());
    };
    // A state lists ReplicaSets by name, so a new one can be anywhere.
    let left = |world: &World| {
        let mut sets: Vec<_> = world.sets.iter().map(|set| (set.replicas, set.annotations.clone())).collect();
        sets.sort_by_key(|(size, annotations)| (*size, format!("{annotations:?}")));
        sets
    };
    prop_assert_eq!(left(&seen.after), left(&expected), "{}", seen.describe());
    prop_assert_eq!(seen.after.status, expected.status, "{}", seen.describe());
    Ok(())
}

/// A rolling update never raises the total size above the limit.
fn rolling_stays_within_the_limit(seen: &Seen) -> Checked {
    if seen.rolls() && seen.grows() {
        let sum = total_replicas(&seen.after.sets);
        prop_assert!(sum <= allowed_size(&seen.world), "{}", seen.describe());
    }
    Ok(())
}

/// Under TerminationComplete, a write that raises a size keeps the number of all pods, including terminating ones,
/// within the limit.
fn pods_stay_within_the_limit(seen: &Seen) -> Checked {
    if seen.world.counts_terminating() && seen.grows() {
        // Counts are from before the sync, sizes from after it.
        let pods = if seen.recreates() { pods_of_recreate(&seen.after) } else { total_pods(&seen.after.sets).unwrap() };
        prop_assert!(pods <= allowed_size(&seen.world), "{pods} pods\n{}", seen.describe());
    }
    Ok(())
}

/// For a Recreate rollout, list the pods of old ReplicaSets, since their counts of terminating pods may be unknown.
fn pods_of_recreate(world: &World) -> i64 {
    let listed = |set: &ReplicaSet| set.replicas.max(set.status_replicas).max(set.pods.running + set.pods.terminating);
    let old: i64 = world.old().into_iter().filter_map(|index| world.sets.get(index)).map(listed).sum();
    old + total_pods(world.new_set().map(std::slice::from_ref).unwrap_or_default()).unwrap()
}

/// A rolling update removes at most (available - minimum available) available pods of old ReplicaSets.
fn enough_stay_available(seen: &Seen) -> Checked {
    // As today, and in the KEP, proportional scaling and Recreate don't look at availability.
    if !seen.rolls() {
        return Ok(());
    }
    let new = seen.after.new_set().map(|new| new.name.clone());
    let is_new = |set: &ReplicaSet| Some(&set.name) == new.as_ref();
    // As in Kubernetes, available pods of an old ReplicaSet of size 0 don't count: they are about to be removed.
    let counted = seen.world.sets.iter().filter(|set| is_new(set) || set.is_active());
    let available: i64 = counted.map(|set| set.available).sum();
    let min_available = seen.world.replicas - numbers::max_unavailable(&seen.world);
    let old = seen.after.sets.iter().filter(|set| !is_new(set));
    let taken = old.filter_map(|set| {
        let before = seen.before(set)?;
        Some((before.available.min(before.replicas) - set.replicas).max(0))
    });
    let taken: i64 = taken.sum();
    prop_assert!(taken <= (available - min_available).max(0), "took {taken} of {available}\n{}", seen.describe());
    Ok(())
}

/// Without terminating pods, TerminationComplete allows at least as many pods as a nil policy, so no wait is due to the
/// policy. If a scaling was reverted, it ends first, in one or two syncs.
fn nothing_waits_without_terminating_pods(seen: &Seen) -> Checked {
    let world = &seen.world;
    // A surplus pod is about to terminate, and it counts already.
    let at_rest = |set: &ReplicaSet| set.terminating == Some(0) && set.status_replicas <= set.replicas;
    if !world.counts_terminating() || !world.sets.iter().all(at_rest) {
        return Ok(());
    }
    if is_taken_back(world) && !world.paused {
        let ended = |world: &World| !is_scaling_event(world);
        // A saturated new ReplicaSet may also have the annotation: the next sync removes it.
        let after = if ended(&seen.after) { None } else { Seen::of(&seen.after) };
        let after = &after.as_ref().unwrap_or(seen).after;
        prop_assert!(ended(after), "{}", seen.describe());
        return Seen::of(after).map_or(Ok(()), |next| nothing_waits_without_terminating_pods(&next));
    }
    let Some(nil) = Seen::of(&World { policy: Policy::Nil, ..world.clone() }) else {
        return Err(TestCaseError::fail("a nil policy needs no counts"));
    };
    let (complete, nil) = (total_replicas(&seen.after.sets), total_replicas(&nil.after.sets));
    // Today's products wrap at 32 bits, and can take a nil policy beyond the limit.
    prop_assert!(complete >= nil.min(allowed_size(world)), "{complete} and {nil}\n{}", seen.describe());
    Ok(())
}

/// True if `desired-replicas` is right again, but a ReplicaSet is still partially scaled.
fn is_taken_back(world: &World) -> bool {
    is_scaling_event(world) && !is_resized(world)
}

/// Checks the properties of each sync.
fn check_sync(seen: &Seen) -> Checked {
    rolling_stays_within_the_limit(seen)?;
    pods_stay_within_the_limit(seen)?;
    enough_stay_available(seen)?;
    nothing_waits_without_terminating_pods(seen)
}

/// A scaling that begins with no ReplicaSet partially scaled, and is not followed by another change of the Deployment,
/// ends in its full sizes. Returns the number of active ReplicaSets at the beginning of each scaling that ended.
fn events_end_in_full_sizes(timeline: &Timeline) -> Result<Vec<usize>, TestCaseError> {
    let mut ended = Vec::new();
    let mut full: Option<(World, BTreeMap<String, i64>)> = None;
    for sync in &syncs(timeline) {
        let seen = Seen::in_timeline(sync);
        let same = |event: &World| {
            let of = |world: &World| {
                let World { replicas, strategy, policy, gates, paused, new, .. } = world;
                (*replicas, *strategy, *policy, *gates, *paused, *new)
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
            // The rollout is complete, and as today, the old ReplicaSets are scaled to 0 instead.
            full = None;
        }
        if let Some((event, sizes)) = full.take_if(|_| !is_scaling_event(&seen.after)) {
            let got: BTreeMap<String, i64> = sizes_of(&seen.after.sets);
            prop_assert_eq!(got, sizes, "{}", seen.describe());
            ended.push(active(&event.sets).len());
        }
    }
    Ok(ended)
}

/// True if a scaling begins here, with no ReplicaSet partially scaled.
fn begins(world: &World) -> bool {
    let mut active = world.sets.iter().filter(|set| set.is_active());
    let Some(first) = active.next() else { return false };
    // Every sync of a paused Deployment scales, so no scaling begins there.
    !world.paused
        && world.counts_terminating()
        && is_scaling_event(world)
        && first.annotations.before.is_none()
        && active.all(|set| set.annotations == first.annotations)
}

/// The sizes that the scaling would set at once if there were no other pods.
fn full_sizes(world: &World) -> BTreeMap<String, i64> {
    let mut world = world.clone();
    for set in &mut world.sets {
        (set.status_replicas, set.terminating) = (0, Some(0));
    }
    sizes_of(&scale(&world).unwrap())
}

fn sizes_of(sets: &[ReplicaSet]) -> BTreeMap<String, i64> {
    sets.iter().filter(|set| set.is_active()).map(|set| (set.name.clone(), set.replicas)).collect()
}

/// An unfinished rollout that is stuck reports ProgressDeadlineExceeded.
fn stuck_rollouts_say_so(timeline: &Timeline) -> Checked {
    let (state, gates, world) = (last_state(timeline), last_gates(timeline), last_world(timeline));
    let deployment = deployment(&state);
    // Skip if not at rest, if not rolling out, or while scaling, which has no deadline in Kubernetes.
    if timeline.end.reason != EndReason::Quiet || world.paused || is_scaling_event(&world) {
        return Ok(());
    }
    let status = &deployment.status;
    let reason = get_deployment_condition(status, "Progressing").map(|condition| &*condition.reason);
    let available = reason == Some("NewReplicaSetAvailable");
    // The Deployment was complete and has lost pods since then: this is not a rollout.
    let finished = available && world.new.is_some() && status.replicas == status.updated_replicas;
    // As in Kubernetes today, the last rollout's condition stays while nothing has changed.
    let silent = available && !world.counts_terminating();
    let complete = deployment_complete(&deployment, status, complete_rule(&deployment, gates.controller_manager));
    // If the API server's gates are off, a needed count is not stored, so every sync fails before it writes a status.
    let unknown = world.counts_terminating() && total_terminating(&world.sets).is_none();
    if !complete && !finished && !silent && !unknown {
        prop_assert_eq!(reason, Some("ProgressDeadlineExceeded"), "{}", world);
    }
    Ok(())
}

/// Under TerminationComplete, a deadline passes only if no terminating pod has gone for that long, in a rollout and
/// while scaling.
fn deadlines_pass_only_without_progress(timeline: &Timeline) -> Checked {
    let mut fell = None;
    for sync in &syncs(timeline) {
        let (before, after) = (deployment(&sync.before), deployment(&sync.after));
        let world = world_of(sync.gates, sync.time, &sync.before);
        let fewer = after.status.terminating_replicas < before.status.terminating_replicas;
        if world.counts_terminating() && !world.paused && fewer && after.status.terminating_replicas.is_some() {
            fell = Some(sync.time);
        }
        if !sync.steps.iter().any(|step| step.reason().rule.id == "deployment.timed-out.complete") {
            continue;
        }
        let deadline = i64::from(after.spec.progress_deadline_seconds.unwrap());
        let passed = fell.is_none_or(|fell| fell.truncated().plus_seconds(deadline) < sync.time);
        prop_assert!(passed, "at {} after {fell:?}\n{world}", sync.time);
    }
    Ok(())
}

/// At rest, nothing waits because of the policy: a nil policy would change no size.
fn rest_is_not_due_to_the_policy(timeline: &Timeline) -> Checked {
    let world = World { policy: Policy::Nil, ..last_world(timeline) };
    // Skip if not at rest, or if the API server's gates are off: then a needed count is not stored, and every sync
    // fails.
    if timeline.end.reason != EndReason::Quiet || total_terminating(&world.sets).is_none() {
        return Ok(());
    }
    prop_assert!(world.sets.iter().all(|set| set.terminating.unwrap_or(0) == 0), "{world}");
    let Some(after) = Seen::of(&world) else { return Err(TestCaseError::fail("a nil policy needs no counts")) };
    prop_assert_eq!(sizes_of(&after.after.sets), sizes_of(&world.sets), "{}", world);
    // A Deployment whose strategy became Recreate in the middle of a scaling stops under every policy, as in
    // Kubernetes: only rolling updates are scaled in proportion.
    let stands_still = !world.is_rolling() && is_resized(&world);
    let finished = |set: &ReplicaSet| !set.is_active() || set.annotations.before.is_none();
    prop_assert!(stands_still || world.sets.iter().all(finished), "{world}");
    Ok(())
}

/// Under TerminationComplete, the sizes at rest are within the limit if only the replicas and the template changed.
fn rest_is_within_the_limit(timeline: &Timeline) -> Checked {
    let world = last_world(timeline);
    prop_assert!(timeline.end.reason == EndReason::Quiet && world.counts_terminating(), "{world}");
    prop_assert!(total_replicas(&world.sets) <= allowed_size(&world), "{world}");
    Ok(())
}

/// The sum of the sizes at the end of a play.
fn size_at_rest(play: &Play) -> i64 {
    total_replicas(&last_world(&play.run()).sets)
}

/// The same play with another policy throughout.
fn under(play: &Play, policy: Policy) -> Play {
    let acts = play.acts.iter().filter(|(_, act)| !matches!(act, Act::Policy(_)));
    Play { policy, acts: acts.cloned().collect(), ..play.clone() }
}

/// The time, the sentences and the sizes of each sync.
fn course(timeline: &Timeline) -> Vec<(i64, Vec<String>, BTreeMap<String, i32>)> {
    let sentences = |sync: &Sync<'_>| sync.steps.iter().map(|step| step.reason().sentence()).collect();
    syncs(timeline).iter().map(|sync| (sync.time.0, sentences(sync), sizes(&sync.after))).collect()
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn of_each_write(play in any_play()) {
        let timeline = play.run();
        each(&timeline, as_the_second_reading)?;
        each(&timeline, check_sync)?;
        events_end_in_full_sizes(&timeline)?;
        stuck_rollouts_say_so(&timeline)?;
        deadlines_pass_only_without_progress(&timeline)?;
        rest_is_not_due_to_the_policy(&timeline)?;
    }

    /// TerminationStarted equals a nil policy in rolling updates and scaling. They only differ for Recreate.
    #[test]
    fn started_is_nil(play in any_play()) {
        let play = without_recreate(&play);
        let run = |policy| course(&under(&play, policy).run());
        prop_assert_eq!(run(Policy::Nil), run(Policy::Started));
    }
}

/// The same play without Recreate.
fn without_recreate(play: &Play) -> Play {
    let rolling = |strategy| if strategy == Strategy::Recreate { sample::rolling(1, 0) } else { strategy };
    let act = |(after, act): &(i32, Act)| match act {
        Act::Strategy(strategy) => (*after, Act::Strategy(rolling(*strategy))),
        other => (*after, *other),
    };
    Play { strategy: rolling(play.strategy), acts: play.acts.iter().map(act).collect(), ..play.clone() }
}

proptest! {
    #![proptest_config(cases(200))]

    /// The limit holds at every rest: after each action of the user that was not followed by another one. Only actions
    /// that the property covers: a change of the strategy or the policy, or pods of another owner, can leave more than
    /// the limit.
    #[test]
    fn every_rest_is_within_the_limit(play in prop_oneof![any_play(), autoscaled()]) {
        let sizes = |act: &Act| matches!(act, Act::Scale(_) | Act::Image(_) | Act::Undo);
        let acts: Vec<_> = play.acts.iter().filter(|(_, act)| sizes(act)).cloned().collect();
        for count in 0..=acts.len() {
            let acts = acts.iter().take(count).cloned().collect();
            rest_is_within_the_limit(&Play { policy: Policy::Complete, acts, ..play.clone() }.run())?;
        }
    }

    /// No false ProgressDeadlineExceeded follows a long scaling.
    #[test]
    fn a_deadline_passes_only_without_progress(play in autoscaled()) {
        deadlines_pass_only_without_progress(&under(&play, Policy::Complete).run())?;
    }

    /// A reverted scaling leaves no more pods than under a nil policy.
    #[test]
    fn an_autoscaler_leaves_no_more_than_without_a_policy(autoscaled in autoscaled()) {
        let [complete, nil] = [Policy::Complete, Policy::Nil].map(|policy| size_at_rest(&under(&autoscaled, policy)));
        prop_assert!(complete <= nil, "{complete} and {nil}");
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn of_each_write_in_random_worlds(world in any_world()) {
        match Seen::of(&world) {
            Some(seen) => check_sync(&seen)?,
            // The sync wrote nothing; the only valid reason is an unknown count.
            None => prop_assert!(total_terminating(&world.sets).is_none(), "{world}"),
        }
    }

    #[test]
    fn started_is_nil_in_random_worlds(world in any_world()) {
        let strategy = if world.is_rolling() { world.strategy } else { sample::rolling(1, 0) };
        let outcome = |policy| run(Operation::Sync, &World { policy, strategy, ..world.clone() }).outcome;
        prop_assert_eq!(outcome(Policy::Nil), outcome(Policy::Started), "{}", world);
    }

    #[test]
    fn without_terminating_pods_nothing_waits(world in any_world()) {
        let gates = Gates { terminating_replicas: true, pod_replacement_policy: true };
        let mut world = World { policy: Policy::Complete, gates, ..world };
        for set in &mut world.sets {
            (set.terminating, set.status_replicas) = (Some(0), set.status_replicas.min(set.replicas));
        }
        let Some(seen) = Seen::of(&world) else { return Err(TestCaseError::fail("all counts are known")) };
        nothing_waits_without_terminating_pods(&seen)?;
    }
}

/// The plays reach the situations that the properties cover.
#[test]
fn plays_reach_every_situation() {
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
