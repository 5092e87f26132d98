//! The explanations of KEP-5882's decisions: every operand of a formula has a value, a name and a source, the numbers
//! match what the second reading computes, and the sentences are short.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::explain::{self, OperandValue, Reason};
use changeover_core::timeline::Timeline;
use changeover_kep_5882::controller::{Operation, run};
use changeover_kep_5882::play::{any_play, syncs, world_of};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::second_reading::annotations::non_negative_int32;
use changeover_kep_5882::second_reading::numbers::{deployment_max_replicas, max_unavailable};
use changeover_kep_5882::second_reading::pods::{room, total_pods, total_terminating};
use changeover_kep_5882::second_reading::rolling::new_replicas;
use changeover_kep_5882::second_reading::sample;
use changeover_kep_5882::second_reading::scaling::{
    Portion, allowed_size, fraction, max_replicas_before_scale, missing, portions, replicas_before_scale,
};
use changeover_kep_5882::settlement::Settlements;
use changeover_kep_5882::world::{Pods, ReplicaSet, Status, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, prop_assert_eq, proptest};

type Checked = Result<(), TestCaseError>;

/// The maximum length of a sentence in characters, so that it fits next to the diagram.
const SENTENCE: usize = 170;

/// Row T2 of the KEP's second table, with long names.
fn table_2() -> World {
    let set = |color: &str, created: i64, replicas: i64, terminating: i64| ReplicaSet {
        name: format!("payments-gateway-{color}-7d9c5b6f48"),
        created,
        ..sample::annotated(sample::set(color, replicas, terminating), 100, 110)
    };
    let sets = vec![set("red", 1, 50, 15), set("green", 2, 30, 0), set("blue", 3, 20, 0)];
    let status = Status { replicas: 100, ..Status::default() };
    let settlements = Settlements::All;
    World { strategy: sample::rolling(10, 10), status, new: Some(2), settlements, ..sample::world(120, sets) }
}

fn int(reason: &Reason, name: &str) -> i64 {
    match reason.value(name) {
        Some(OperandValue::Int(value)) => *value,
        other => panic!("{name} of {}: {other:?}", reason.rule.id),
    }
}

#[test]
fn a_partial_step_shows_all_its_numbers() {
    let reasons = run(Operation::Scale, &table_2()).reasons;
    let [red, green, blue] = &reasons[..] else { panic!("{reasons:?}") };
    assert_eq!(red.rule.section, Some("KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets"));
    assert_eq!(
        red.sentence(),
        "payments-gateway-red-7d9c5b6f48 goes from 50 to 59 for now and still needs 12: terminating and surplus pods leave room for 15 of 30."
    );
    assert_eq!(
        red.formula(),
        [
            "to add = limit − wanted = 130 − 100 = 30",
            "room = to add − terminating − surplus = 30 − 15 − 0 = 15, not below 0",
            "whole share = round(base × limit ÷ limit before) − size = round(50 × 130 ÷ 110) − 50 = 9, ratio 1.182",
            "share = min(max(whole share, 0), left) = min(max(9, 0), 15) = 9",
            "new size = size + share + leftover = 50 + 9 + 0 = 59",
            "owed = full size − new size = 71 − 59 = 12",
        ]
    );
    assert_eq!(green.rule.id, "deployment.scale.whole");
    assert_eq!(green.rule.section, red.rule.section);
    let numbers = |reason: &Reason| {
        let names = ["base", "before", "wholeShare", "left", "share", "leftover", "owed"];
        (names.map(|name| int(reason, name)), reason.value("ratio").unwrap().to_string())
    };
    assert_eq!(numbers(green), ([30, 110, 5, 6, 5, 0, 0], "1.182".into()));
    assert_eq!(numbers(blue), ([20, 110, 4, 1, 1, 0, 3], "1.182".into()));
}

/// Without room, a ReplicaSet that is owed pods stays at its size: it does not go "from 50 to 50".
#[test]
fn a_partial_step_without_room_says_that_the_size_stays() {
    let mut world = table_2();
    world.sets[0].terminating = Some(30);
    let reasons = run(Operation::Scale, &world).reasons;
    let red = reasons.iter().find(|reason| reason.rule.id == "deployment.scale.partial.wait").unwrap();
    assert_eq!(
        red.sentence(),
        "payments-gateway-red-7d9c5b6f48 stays at 50 pods for now and still needs 21: terminating and surplus pods leave room for 0 of 30."
    );
    let numbers = ["wholeShare", "left", "share", "leftover", "full"].map(|name| int(red, name));
    assert_eq!(numbers, [9, 0, 0, 0, 71]);
    reasons.iter().try_for_each(adds_up).unwrap();
    come_from(&world, &reasons).unwrap();
}

/// If a ReplicaSet already has its share, its explanation shows the same numbers, in the first step and in later ones.
#[test]
fn one_that_keeps_its_size_says_all_its_numbers() {
    let mut world = table_2();
    world.sets[1].annotations.max = Some("130".into());
    for desired in ["100", "120"] {
        world.sets[1].annotations.desired = Some(desired.into());
        let reasons = run(Operation::Scale, &world).reasons;
        let green = reasons.iter().find(|reason| reason.rule.id == "deployment.scale.kept").unwrap();
        assert_eq!(green.sentence(), "payments-gateway-green-7d9c5b6f48 keeps its 30 pods: that is already its share.");
        let numbers = ["base", "before", "wholeShare", "share", "owed"].map(|name| int(green, name));
        assert_eq!(numbers, [30, 130, 0, 0, 0]);
    }
}

/// Four sizes are rounded up, so more pods must go than the biggest ReplicaSet has.
#[test]
fn the_leftover_takes_no_more_pods_than_there_are() {
    let sets = [("red", 7), ("green", 6), ("blue", 6), ("amber", 6)];
    let sets = sets.map(|(name, size)| sample::annotated(sample::set(name, size, 0), 24, 24)).to_vec();
    let world = World { strategy: sample::rolling(0, 1), new: Some(1), ..sample::world(2, sets) };
    let reasons = run(Operation::Scale, &world).reasons;
    let red = reasons.iter().find(|reason| reason.rule.id == "deployment.scale.proportional.down").unwrap();
    assert_eq!(
        red.formula(),
        [
            "to add = limit − wanted = 2 − 25 = −23",
            "whole share = round(base × limit ÷ limit before) − size = round(7 × 2 ÷ 24) − 7 = −6, ratio 0.083",
            "share = −6: the whole share, capped at what is left (−23)",
            "new size = max(0, size + share + leftover) = max(0, 7 + −6 + −2) = 0",
        ]
    );
    reasons.iter().try_for_each(adds_up).unwrap();
    come_from(&world, &reasons).unwrap();
}

#[test]
fn one_replica_set_shows_its_numbers() {
    let mut world = table_2();
    let blue = world.sets[2].clone();
    world.sets = vec![ReplicaSet { replicas: 100, status_replicas: 103, terminating: Some(15), ..blue }];
    world.new = Some(0);
    let reasons = run(Operation::Scale, &world).reasons;
    assert_eq!(
        reasons[0].formula(),
        [
            "room = limit − wanted − terminating − surplus = 130 − 100 − 15 − 3 = 12, not below 0",
            "new size = min(desired, size + room) = min(120, 100 + 12) = 112",
        ]
    );
}

/// A Recreate rollout waits for pods, not for counts: an unknown count is not an error, and is not mentioned.
#[test]
fn recreate_needs_no_count_of_terminating_pods() {
    let mut world = table_2();
    world.strategy = Strategy::Recreate;
    for (set, (count, pods)) in world.sets.iter_mut().zip([(Some(14), 14), (None, 2)]) {
        (set.replicas, set.status_replicas) = (0, 0);
        (set.terminating, set.pods) = (count, Pods { running: 0, terminating: pods });
    }
    world.sets[2].annotations.desired = Some("120".into());
    let reasons = run(Operation::Sync, &world).reasons;
    let sentence = |id: &str| reasons.iter().find(|reason| reason.rule.id == id).map(Reason::sentence);
    assert_eq!(
        sentence("deployment.recreate.wait.ending").unwrap(),
        "Recreate: Deployment shop waits for 16 old pods to end; terminating pods count too."
    );
    assert_eq!(sentence("deployment.terminating-unknown"), None);
    come_from(&world, &reasons).unwrap();
}

/// Checks that every operand has a source and a value, and that the sentence is short.
fn can_be_read(reason: &Reason) -> Checked {
    let sentence = reason.sentence();
    prop_assert!(sentence.chars().count() <= SENTENCE, "{} characters: {sentence}", sentence.chars().count());
    prop_assert!(reason.operands().all(|(operand, _)| !operand.source.is_empty()), "{}", reason.rule.id);
    prop_assert_eq!(reason.values.len(), reason.rule.operands.len(), "{}", reason.rule.id);
    let lines = reason.formula().join("\n");
    prop_assert!(!sentence.contains('{') && !lines.contains('{'), "{sentence}\n{lines}");
    Ok(())
}

/// Checks round(base × limit ÷ limit before) − size, with halves rounded away from zero, and the ratio with three
/// decimals. Products beyond 32 bits wrap, as in Kubernetes.
fn fraction_adds_up(reason: &Reason) -> Checked {
    let int = |name| int(reason, name);
    let (product, before) = (int("base") * int("limit"), int("before"));
    let ratio = reason.value("ratio").unwrap().to_string();
    if before == 0 {
        prop_assert_eq!(&*ratio, "none");
        return Ok(());
    }
    if i32::try_from(product).is_ok() {
        let whole_share = (2 * product + before) / (2 * before) - int("from");
        prop_assert_eq!(int("wholeShare"), whole_share, "{:?}", reason.formula());
    }
    let thousandths = (2_000 * int("limit") + before) / (2 * before);
    prop_assert_eq!(ratio, format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000));
    Ok(())
}

/// Checks that the numbers of a rule add up.
fn adds_up(reason: &Reason) -> Checked {
    let int = |name| int(reason, name);
    match reason.rule.id {
        "deployment.scale.partial"
        | "deployment.scale.partial.wait"
        | "deployment.scale.whole"
        | "deployment.scale.kept" => {
            prop_assert_eq!(int("to") + int("owed"), int("full"));
            prop_assert_eq!(int("from") + int("share") + int("leftover"), int("to"));
            prop_assert_eq!(int("room"), (int("toAdd") - int("terminating") - int("surplus")).max(0));
            prop_assert_eq!(int("share"), int("wholeShare").max(0).min(int("left")));
            prop_assert!((int("owed") > 0) == reason.rule.id.starts_with("deployment.scale.partial"));
            let stays = ["deployment.scale.partial.wait", "deployment.scale.kept"].contains(&reason.rule.id);
            prop_assert_eq!(stays, int("from") == int("to"));
            prop_assert!(int("from") <= int("to"));
            prop_assert!(int("before") != 0);
            fraction_adds_up(reason)?;
        }
        "deployment.scale.proportional" | "deployment.scale.proportional.down" => {
            let size = int("from") + int("share") + int("leftover");
            // As in Kubernetes, only the size with the leftover is cut off at 0. The others are below 0 only if a product wraps.
            let wraps = i32::try_from(int("base") * int("limit")).is_err();
            prop_assert!(int("to") == size.max(0) || (wraps && int("to") == size), "{:?}", reason.formula());
            fraction_adds_up(reason)?;
        }
        "deployment.scale.partial.leftover" => {
            prop_assert_eq!(int("to") + int("owed"), int("full"));
            prop_assert_eq!(int("from") + int("leftover"), int("to"));
            prop_assert_eq!(int("room"), (int("toAdd") - int("terminating") - int("surplus")).max(0));
            prop_assert!(int("owed") > 0);
        }
        "deployment.scale.leftover" => {
            prop_assert_eq!((int("from") + int("leftover")).max(0), int("to"));
        }
        "deployment.scale.complete" => prop_assert_eq!(int("to"), int("desired").min(int("from") + int("room"))),
        "deployment.create" => {
            prop_assert_eq!(int("room"), int("limit") - int("wanted"));
            prop_assert_eq!(int("size"), int("desired").min(int("room")));
        }
        "deployment.new.up" => {
            prop_assert_eq!(int("room"), int("limit") - int("wanted"));
            prop_assert_eq!(int("to"), int("from") + int("room").min(int("desired") - int("from")));
        }
        "deployment.new.up.complete" => {
            prop_assert_eq!(int("room"), int("limit") - int("taken"));
            prop_assert_eq!(int("to"), int("from") + int("room").min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.create.complete" => {
            prop_assert_eq!(int("size"), int("desired").min(int("limit") - int("taken")).max(0));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.recreate.up.complete" => {
            prop_assert_eq!(int("room"), int("desired") - int("taken"));
            prop_assert_eq!(int("to"), int("from") + int("room").min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.old.unhealthy" => {
            prop_assert_eq!(int("unhealthy"), int("from") - int("available"));
            prop_assert_eq!(int("budget"), int("maxCleanup") - int("gone"));
            prop_assert_eq!(int("to"), int("from") - int("unhealthy").min(int("budget")));
        }
        "deployment.old.down" => {
            prop_assert_eq!(int("budget"), int("available") - int("minAvailable"));
            prop_assert_eq!(int("to"), int("from") - int("from").min(int("budget") - int("gone")));
        }
        _ => {}
    }
    Ok(())
}

type Numbers = BTreeMap<&'static str, i64>;

/// The operands of a reason as the second reading computes them from the world that the sync saw. Earlier reasons of
/// the sync show what it has already scaled down. None for rules that are not about sizes.
fn numbers(world: &World, reason: &Reason, earlier: &[Reason]) -> Option<Numbers> {
    let id = reason.rule.id;
    let n = world.replicas;
    let sum = |of: fn(&ReplicaSet) -> i64| world.sets.iter().map(of).sum::<i64>();
    let is_new = |set: &ReplicaSet| world.new.is_some_and(|new| world.sets[new].name == set.name);
    let old = || world.sets.iter().filter(|set| !is_new(set));
    let of_old = |of: fn(&ReplicaSet) -> i64| old().map(of).sum::<i64>();
    let name = reason.value("replicaSet").map(ToString::to_string);
    let index = world.sets.iter().position(|set| Some(&set.name) == name.as_ref());
    let set = index.map(|index| &world.sets[index]);
    let size = set.map_or(0, |set| set.replicas);
    let gone_by = |id: &str| -> i64 {
        let of_rule = earlier.iter().filter(|earlier| earlier.rule.id == id);
        of_rule.map(|earlier| int(earlier, "from") - int(earlier, "to")).sum()
    };
    let new_available = world.new_set().map_or(0, |new| new.available);
    let counted_available = || -> i64 {
        let active_old = old().filter(|set| set.is_active()).map(|set| set.available);
        active_old.sum::<i64>() + new_available
    };
    let min_available = n - max_unavailable(world);
    let unavailable_new = world.new_set().map_or(0, |new| new.replicas) - new_available;
    let terminating = || total_terminating(&world.sets).unwrap();
    let held = || sum(|set| set.replicas.max(set.status_replicas));
    let surged = deployment_max_replicas(world);
    let sized = || new_replicas(world, &world.sets, world.new.unwrap()).unwrap();
    let mut numbers = Numbers::new();
    let mut put = |pairs: &[(&'static str, i64)]| numbers.extend(pairs.iter().copied());
    match id {
        "deployment.create" | "deployment.create.full" => {
            // The desired replicas plus the surge. Kubernetes adds the surge even if no replicas are desired.
            let (limit, wanted) = (surged, sum(|set| set.replicas));
            put(&[("size", (limit - wanted).clamp(0, n)), ("desired", n), ("limit", limit), ("wanted", wanted)]);
            put(&[("room", limit - wanted)]);
        }
        "deployment.create.complete" => {
            let (limit, taken) = (allowed_size(world), total_pods(&world.sets).unwrap());
            put(&[("size", (limit - taken).clamp(0, n)), ("desired", n), ("limit", limit), ("taken", taken)]);
            put(&[("terminating", terminating()), ("held", held())]);
        }
        "deployment.create.recreate" => put(&[("size", n)]),
        "deployment.create.none" => {}
        "deployment.new.up" | "deployment.new.wait" => {
            put(&[("from", size), ("to", sized()), ("desired", n)]);
            let (limit, wanted) = (allowed_size(world), sum(|set| set.replicas));
            put(&[("limit", limit), ("wanted", wanted), ("room", limit - wanted)]);
        }
        "deployment.new.up.complete" | "deployment.new.wait.complete" => {
            let (limit, taken) = (allowed_size(world), held() + terminating());
            put(&[("from", size), ("to", sized()), ("desired", n), ("limit", limit), ("room", limit - taken)]);
            put(&[("held", held()), ("terminating", terminating()), ("taken", taken)]);
        }
        "deployment.new.down" | "deployment.scale" | "deployment.scale.latest" | "deployment.recreate.up" => {
            put(&[("from", size), ("to", n), ("desired", n)]);
        }
        "deployment.old.unhealthy" => {
            let available = set?.available;
            let (max_cleanup, gone) = (sum(|set| set.replicas) - min_available - unavailable_new, gone_by(id));
            let budget = max_cleanup - gone;
            put(&[("from", size), ("to", size - budget.min(size - available)), ("available", available)]);
            put(&[("unhealthy", size - available), ("maxCleanup", max_cleanup), ("gone", gone), ("budget", budget)]);
        }
        "deployment.old.surplus" => put(&[("size", size), ("available", set?.available)]),
        "deployment.old.down" => {
            let cleaned = earlier.iter().find(|earlier| {
                earlier.rule.id == "deployment.old.unhealthy"
                    && earlier.value("replicaSet") == reason.value("replicaSet")
            });
            let from = cleaned.map_or(size, |earlier| int(earlier, "to"));
            let (budget, gone) = (counted_available() - min_available, gone_by(id));
            put(&[("from", from), ("to", from - from.min(budget - gone)), ("gone", gone), ("budget", budget)]);
            put(&[("available", counted_available()), ("minAvailable", min_available)]);
        }
        "deployment.old.wait" => {
            put(&[
                ("wanted", sum(|set| set.replicas)),
                ("minAvailable", min_available),
                ("unavailable", unavailable_new),
                ("maxScaledDown", sum(|set| set.replicas) - min_available - unavailable_new),
            ]);
        }
        "deployment.terminating-unknown" => assert!(set?.terminating.is_none() && set?.observed_generation > 0),
        "deployment.recreate.down" | "deployment.scale.zero" => put(&[("from", size), ("to", 0)]),
        "deployment.recreate.wait" | "deployment.recreate.wait.started" => {
            put(&[("counted", of_old(|set| set.status_replicas))]);
        }
        "deployment.recreate.wait.ending" => put(&[("running", of_old(|set| set.pods.running + set.pods.terminating))]),
        "deployment.recreate.up.complete" | "deployment.recreate.up.wait" => {
            let (held, terminating) = (size.max(set?.status_replicas), set?.terminating.unwrap_or(0));
            put(&[("from", size), ("to", sized()), ("desired", n)]);
            put(&[("held", held), ("terminating", terminating), ("taken", held + terminating)]);
            put(&[("room", n - held - terminating)]);
        }
        "deployment.scale.stuck" => {
            put(&[("desired", n), ("noted", non_negative_int32(set?.annotations.desired.as_ref()).unwrap())]);
        }
        "deployment.scale.none" => put(&[("desired", n)]),
        "deployment.scale.saturated" => put(&[("from", size), ("to", 0), ("desired", n)]),
        "deployment.scale.annotations" => {
            put(&[("from", size), ("to", size), ("desired", n), ("limit", surged)]);
        }
        "deployment.scale.complete" | "deployment.scale.wait" => {
            let room = room(world, &world.sets).unwrap();
            put(&[("from", size), ("to", n.min(size + room)), ("desired", n), ("limit", allowed_size(world))]);
            put(&[("wanted", sum(|set| set.replicas)), ("terminating", terminating())]);
            put(&[("surplus", sum(|set| (set.status_replicas - set.replicas).max(0))), ("room", room)]);
        }
        _ if id.starts_with("deployment.scale.") => {
            let set = set?;
            let portions = portions(world).unwrap();
            let portion = portions.iter().find(|portion| Some(portion.index) == index)?;
            let Portion { left, share, leftover, size: to, full, .. } = *portion;
            put(&[("from", size), ("to", to), ("limit", allowed_size(world))]);
            put(&[("wanted", sum(|set| set.replicas)), ("toAdd", missing(world))]);
            put(&[("base", replicas_before_scale(world, set)), ("before", max_replicas_before_scale(world, set))]);
            put(&[("wholeShare", fraction(world, set)), ("left", left), ("share", share)]);
            put(&[("leftover", leftover), ("full", full), ("owed", full - to)]);
            let in_part = ["partial", "partial.wait", "partial.leftover", "whole", "kept"];
            if in_part.iter().any(|rule| id.strip_prefix("deployment.scale.") == Some(*rule)) {
                put(&[
                    ("terminating", terminating()),
                    ("surplus", sum(|set| (set.status_replicas - set.replicas).max(0))),
                ]);
                put(&[("room", room(world, &world.sets).unwrap())]);
            }
        }
        _ => return None,
    }
    Some(numbers)
}

/// Compares each number of each reason of a sync with the second reading. Returns the rules that were compared.
fn come_from(world: &World, reasons: &[Reason]) -> Result<Vec<&'static str>, TestCaseError> {
    let mut world = world.clone();
    let mut rules = Vec::new();
    for (position, reason) in reasons.iter().enumerate() {
        let Some(numbers) = numbers(&world, reason, &reasons[..position]) else { continue };
        for (operand, value) in reason.operands() {
            let OperandValue::Int(value) = value else { continue };
            let seen = numbers.get(operand.name);
            prop_assert_eq!(
                Some(value),
                seen,
                "{} of {}: {}\n{}",
                operand.name,
                reason.rule.id,
                reason.sentence(),
                world
            );
        }
        rules.push(reason.rule.id);
        if reason.rule.id.starts_with("deployment.create") {
            // The next reasons are about a world with the created ReplicaSet. If it has no pods, no number reports it.
            let replicas = reason.value("size").map_or(0, |_| int(reason, "size"));
            let created = world.created_set(&reason.value("replicaSet").unwrap().to_string());
            world.new = Some(world.sets.len());
            world.sets.push(ReplicaSet { replicas, ..created });
        }
    }
    Ok(rules)
}

/// Compares the reasons of each sync of a timeline.
fn all_come_from(timeline: &Timeline) -> Result<Vec<&'static str>, TestCaseError> {
    let mut rules = Vec::new();
    for sync in syncs(timeline) {
        let reasons: Vec<Reason> = sync.steps.iter().map(|step| step.reason()).collect();
        rules.extend(come_from(&world_of(sync.gates, sync.time, &sync.before), &reasons)?);
    }
    Ok(rules)
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn reasons_of_random_worlds(world in any_world()) {
        let reasons = run(Operation::Sync, &world).reasons;
        for reason in &reasons {
            can_be_read(reason)?;
            adds_up(reason)?;
        }
        come_from(&world, &reasons)?;
    }
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn reasons_of_whole_timelines(play in any_play()) {
        let timeline = play.run();
        for step in &timeline.steps {
            can_be_read(&step.reason())?;
            adds_up(&step.reason())?;
        }
        all_come_from(&timeline)?;
    }
}

/// The random worlds and timelines cover every rule about sizes.
#[test]
fn every_rule_is_covered() {
    use proptest::strategy::{Strategy as _, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..8_000 {
        let world = any_world().new_tree(&mut runner).unwrap().current();
        met.extend(come_from(&world, &run(Operation::Sync, &world).reasons).unwrap());
    }
    for _ in 0..60 {
        met.extend(all_come_from(&any_play().new_tree(&mut runner).unwrap().current().run()).unwrap());
    }
    let starts =
        ["deployment.new.", "deployment.old.", "deployment.recreate.", "deployment.scale", "deployment.create"];
    // Rules without numbers about sizes.
    let others = [
        "deployment.create.failed",
        "deployment.created",
        "deployment.new.sync",
        "deployment.new.annotations",
        "deployment.new.min-ready",
    ];
    let rules = explain::all().map(|rule| rule.id);
    let about_sizes = rules.filter(|id| starts.iter().any(|start| id.starts_with(start)) && !others.contains(id));
    let idle: Vec<&str> = about_sizes.filter(|id| !met.contains(id)).collect();
    assert!(idle.is_empty(), "{idle:?}");
}
