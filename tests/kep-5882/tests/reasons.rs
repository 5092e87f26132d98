//! The reasons of KEP-5882's decisions: every operand of a formula is put in, named and sourced, and the sentences are
//! short enough to be read.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::explain::{self, OperandValue, Reason};
use changeover_core::timeline::Timeline;
use changeover_kep_5882::asked::{Question, ask};
use changeover_kep_5882::play::{any_play, syncs, world_of};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::reference::{self, Given, Part};
use changeover_kep_5882::world::{Amount, Notes, Policy, Set, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, prop_assert_eq, proptest};

type Checked = Result<(), TestCaseError>;

/// Characters, so that it fits beside the picture.
const SENTENCE: usize = 160;

/// Row T2 of the KEP's second table, in a shop with a long name.
fn table_2() -> World {
    let set = |colour: &str, created: i64, spec: i32, term: i32| Set {
        name: format!("payments-gateway-{colour}-7d9c5b6f48"),
        created,
        spec,
        stat: spec,
        term: Some(term),
        available: spec,
        observed: 1,
        running: spec,
        notes: Notes { desired: Some("100".into()), max: Some("110".into()), before: None },
    };
    World {
        n: 120,
        strategy: Strategy::RollingUpdate { surge: Amount::Pods(10), unavailable: Amount::Pods(10) },
        policy: Policy::Complete,
        terminating_gate: true,
        policy_gate: true,
        paused: false,
        status_replicas: 100,
        sets: vec![set("red", 1, 50, 15), set("green", 2, 30, 0), set("blue", 3, 20, 0)],
        new: Some(2),
    }
}

fn int(reason: &Reason, name: &str) -> i64 {
    match reason.value(name) {
        Some(OperandValue::Int(value)) => *value,
        other => panic!("{name} of {}: {other:?}", reason.rule.id),
    }
}

#[test]
fn a_partial_step_says_all_its_numbers() {
    let reasons = ask(Question::Scale, &table_2()).reasons;
    let [red, green, blue] = &reasons[..] else { panic!("{reasons:?}") };
    assert_eq!(red.rule.section, Some("KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets"));
    assert_eq!(
        red.sentence(),
        "payments-gateway-red-7d9c5b6f48 has 50, gets 59 for now and is owed 12: terminating and surplus pods leave room for 15 of 30."
    );
    assert_eq!(
        red.formula(),
        [
            "to add = limit − wanted = 130 − 100 = 30",
            "room = to add − terminating − surplus = 30 − 15 − 0 = 15, not below 0",
            "whole share = round(base × limit ÷ limit before) − size = round(50 × 130 ÷ 110) − 50 = 9, ratio 1.182",
            "share = min(max(whole share, 0), left) = min(max(9, 0), 15) = 9",
            "new size = size + share + left over = 50 + 9 + 0 = 59",
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

/// One that has what is its says so with the same numbers: in the step that finds it so, and in later ones.
#[test]
fn one_that_keeps_its_size_says_all_its_numbers() {
    let mut world = table_2();
    world.sets[1].notes.max = Some("130".into());
    for desired in ["100", "120"] {
        world.sets[1].notes.desired = Some(desired.into());
        let reasons = ask(Question::Scale, &world).reasons;
        let green = reasons.iter().find(|reason| reason.rule.id == "deployment.scale.kept").unwrap();
        assert_eq!(
            green.sentence(),
            "payments-gateway-green-7d9c5b6f48 keeps its 30 pods: its share of this scaling is what it has."
        );
        let numbers = ["base", "before", "wholeShare", "share", "owed"].map(|name| int(green, name));
        assert_eq!(numbers, [30, 130, 0, 0, 0]);
    }
}

#[test]
fn one_replica_set_says_its_numbers() {
    let mut world = table_2();
    world.sets = vec![Set { spec: 100, stat: 103, term: Some(15), ..world.sets[2].clone() }];
    world.new = Some(0);
    let reasons = ask(Question::Scale, &world).reasons;
    assert_eq!(
        reasons[0].formula(),
        [
            "room = limit − wanted − terminating − surplus = 130 − 100 − 15 − 3 = 12, not below 0",
            "new size = min(desired, size + room) = min(120, 100 + 12) = 112",
        ]
    );
}

/// A Recreate rollout waits for pods, not for counts: that one count is unknown is no error and not mentioned.
#[test]
fn recreate_needs_no_count_of_terminating_pods() {
    let mut world = table_2();
    world.strategy = Strategy::Recreate;
    world.sets[0] = Set { spec: 0, stat: 0, term: Some(14), running: 14, ..world.sets[0].clone() };
    world.sets[1] = Set { spec: 0, stat: 0, term: None, running: 2, ..world.sets[1].clone() };
    world.sets[2].notes.desired = Some("120".into());
    let reasons = ask(Question::Sync, &world).reasons;
    let told = |id: &str| reasons.iter().find(|reason| reason.rule.id == id).map(Reason::sentence);
    assert_eq!(
        told("deployment.recreate.wait.ending").unwrap(),
        "Recreate: Deployment shop waits, because 16 old pods have not ended; terminating pods count."
    );
    assert_eq!(told("deployment.terminating-unknown"), None);
    come_from(&world, &reasons).unwrap();
}

/// Every operand has a source and a value, and the sentence is short.
fn can_be_read(reason: &Reason) -> Checked {
    let sentence = reason.sentence();
    prop_assert!(sentence.chars().count() <= SENTENCE, "{} characters: {sentence}", sentence.chars().count());
    prop_assert!(reason.operands().all(|(operand, _)| !operand.source.is_empty()), "{}", reason.rule.id);
    prop_assert_eq!(reason.values.len(), reason.rule.operands.len(), "{}", reason.rule.id);
    let lines = reason.formula().join("\n");
    prop_assert!(!sentence.contains('{') && !lines.contains('{'), "{sentence}\n{lines}");
    Ok(())
}

/// round(base × limit ÷ limit before) − wants, half away from zero, and the ratio to three places. Products beyond 32 bits
/// wrap in Kubernetes, and so do these.
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

/// The numbers of a rule add up.
fn adds_up(reason: &Reason) -> Checked {
    let int = |name| int(reason, name);
    match reason.rule.id {
        "deployment.scale.partial" | "deployment.scale.whole" | "deployment.scale.kept" => {
            prop_assert_eq!(int("to") + int("owed"), int("full"));
            prop_assert_eq!(int("from") + int("share") + int("leftover"), int("to"));
            prop_assert_eq!(int("room"), (int("toAdd") - int("terminating") - int("surplus")).max(0));
            prop_assert_eq!(int("share"), int("wholeShare").max(0).min(int("left")));
            prop_assert!((int("owed") > 0) == (reason.rule.id == "deployment.scale.partial"));
            prop_assert!(reason.rule.id != "deployment.scale.kept" || int("from") == int("to"));
            prop_assert!(reason.rule.id != "deployment.scale.whole" || int("from") < int("to"));
            prop_assert!(int("before") != 0);
            fraction_adds_up(reason)?;
        }
        "deployment.scale.proportional" | "deployment.scale.proportional.down" => {
            // Kubernetes cuts below 0 only where it adds what is left over; nothing to spread, and nothing moves.
            let size = int("from") + int("share") + int("leftover");
            prop_assert!([size, size.max(0)].contains(&int("to")) || int("toAdd") == 0, "{:?}", reason.formula());
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
        "deployment.new.up.complete" => {
            let room = int("limit") - int("taken");
            prop_assert_eq!(int("to"), int("from") + room.min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.create.complete" => {
            prop_assert_eq!(int("size"), int("desired").min(int("limit") - int("taken")).max(0));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.recreate.up.complete" => {
            let room = int("desired") - int("taken");
            prop_assert_eq!(int("to"), int("from") + room.min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.old.unhealthy" => {
            prop_assert_eq!(int("unhealthy"), int("from") - int("available"));
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

/// What each operand is in the world that the sync saw, by its source in words; earlier reasons of the same sync say what
/// has gone already. Nothing for the rules that are not about sizes.
fn numbers(world: &World, reason: &Reason, earlier: &[Reason]) -> Option<Numbers> {
    let id = reason.rule.id;
    let n = i64::from(world.n);
    let sum = |of: fn(&Set) -> i32| world.sets.iter().map(|set| i64::from(of(set))).sum::<i64>();
    let is_new = |set: &Set| world.new.is_some_and(|new| world.sets[new].name == set.name);
    let old = || world.sets.iter().filter(|set| !is_new(set));
    let of_old = |of: fn(&Set) -> i32| old().map(|set| i64::from(of(set))).sum::<i64>();
    let name = reason.value("replicaSet").map(ToString::to_string);
    let index = world.sets.iter().position(|set| Some(&set.name) == name.as_ref());
    let set = index.map(|index| &world.sets[index]);
    let spec = set.map_or(0, |set| i64::from(set.spec));
    let gone_by = |id: &str| -> i64 {
        let of_rule = earlier.iter().filter(|earlier| earlier.rule.id == id);
        of_rule.map(|earlier| int(earlier, "from") - int(earlier, "to")).sum()
    };
    let new_available = world.new.map_or(0, |new| i64::from(world.sets[new].available));
    let counted_available = || -> i64 {
        let active_old = old().filter(|set| set.spec > 0).map(|set| i64::from(set.available));
        active_old.sum::<i64>() + new_available
    };
    let min_available = n - reference::unavailable(world);
    let unavailable_new = world.new.map_or(0, |new| i64::from(world.sets[new].spec)) - new_available;
    let terminating = || reference::terminating(&world.sets).unwrap();
    let held = || sum(|set| set.spec.max(set.stat));
    let surged = n + reference::surge(world);
    let sized = || reference::new_size(world).unwrap();
    let mut numbers = Numbers::new();
    let mut put = |pairs: &[(&'static str, i64)]| numbers.extend(pairs.iter().copied());
    match id {
        "deployment.create" | "deployment.create.full" => {
            // What is desired and the surge, as Kubernetes adds them here: also where nothing is desired.
            let (limit, wanted) = (surged, sum(|set| set.spec));
            put(&[("size", (limit - wanted).clamp(0, n)), ("desired", n), ("limit", limit), ("wanted", wanted)]);
        }
        "deployment.create.complete" => {
            let (limit, taken) = (reference::limit(world), reference::places(&world.sets).unwrap());
            put(&[("size", (limit - taken).clamp(0, n)), ("desired", n), ("limit", limit), ("taken", taken)]);
            put(&[("terminating", terminating()), ("held", held())]);
        }
        "deployment.create.recreate" => put(&[("size", n)]),
        "deployment.create.none" => {}
        "deployment.new.up" | "deployment.new.wait" => {
            put(&[("from", spec), ("to", sized()), ("desired", n)]);
            put(&[("limit", reference::limit(world)), ("wanted", sum(|set| set.spec))]);
        }
        "deployment.new.up.complete" | "deployment.new.wait.complete" => {
            put(&[("from", spec), ("to", sized()), ("desired", n), ("limit", reference::limit(world))]);
            put(&[("held", held()), ("terminating", terminating()), ("taken", held() + terminating())]);
        }
        "deployment.new.down" | "deployment.scale" | "deployment.scale.latest" | "deployment.recreate.up" => {
            put(&[("from", spec), ("to", n), ("desired", n)]);
        }
        "deployment.old.unhealthy" => {
            let available = i64::from(set?.available);
            let budget = sum(|set| set.spec) - min_available - unavailable_new - gone_by(id);
            put(&[("from", spec), ("to", spec - budget.min(spec - available)), ("available", available)]);
            put(&[("unhealthy", spec - available), ("budget", budget)]);
        }
        "deployment.old.surplus" => put(&[("size", spec), ("available", i64::from(set?.available))]),
        "deployment.old.down" => {
            let cleaned = earlier.iter().find(|earlier| {
                earlier.rule.id == "deployment.old.unhealthy"
                    && earlier.value("replicaSet") == reason.value("replicaSet")
            });
            let from = cleaned.map_or(spec, |earlier| int(earlier, "to"));
            let (budget, gone) = (counted_available() - min_available, gone_by(id));
            put(&[("from", from), ("to", from - from.min(budget - gone)), ("gone", gone), ("budget", budget)]);
            put(&[("available", counted_available()), ("minAvailable", min_available)]);
        }
        "deployment.old.wait" => {
            put(&[("wanted", sum(|set| set.spec)), ("minAvailable", min_available), ("unavailable", unavailable_new)]);
        }
        "deployment.terminating-unknown" => assert!(set?.term.is_none() && set?.observed > 0),
        "deployment.recreate.down" | "deployment.scale.zero" => put(&[("from", spec), ("to", 0)]),
        "deployment.recreate.wait" | "deployment.recreate.wait.started" => {
            put(&[("counted", of_old(|set| set.stat))]);
        }
        "deployment.recreate.wait.ending" => put(&[("running", of_old(|set| set.running))]),
        "deployment.recreate.up.complete" | "deployment.recreate.up.wait" => {
            let (held, terminating) = (i64::from(set?.spec.max(set?.stat)), i64::from(set?.term.unwrap_or(0)));
            put(&[("from", spec), ("to", reference::recreate_new_size(world).unwrap()), ("desired", n)]);
            put(&[("held", held), ("terminating", terminating), ("taken", held + terminating)]);
        }
        "deployment.scale.stuck" => {
            put(&[("desired", n), ("noted", reference::read(set?.notes.desired.as_ref()).unwrap())]);
        }
        "deployment.scale.none" => put(&[("desired", n)]),
        "deployment.scale.saturated" => put(&[("from", spec), ("to", 0), ("desired", n)]),
        "deployment.scale.annotations" => {
            put(&[("from", spec), ("to", spec), ("desired", n), ("limit", surged)]);
        }
        "deployment.scale.complete" | "deployment.scale.wait" => {
            let room = reference::room(world).unwrap();
            put(&[("from", spec), ("to", n.min(spec + room)), ("desired", n), ("limit", reference::limit(world))]);
            put(&[("wanted", sum(|set| set.spec)), ("terminating", terminating())]);
            put(&[("surplus", sum(|set| (set.stat - set.spec).max(0))), ("room", room)]);
        }
        _ if id.starts_with("deployment.scale.") => {
            let set = set?;
            let parts = reference::spread(world).unwrap();
            let Part { now: Given { left, share, leftover, size }, full, .. } =
                parts.iter().find(|part| Some(part.index) == index)?.clone();
            put(&[("from", spec), ("to", size), ("limit", reference::limit(world))]);
            put(&[("wanted", sum(|set| set.spec)), ("toAdd", reference::to_add(world))]);
            put(&[("base", reference::base(world, set)), ("before", reference::before(world, set))]);
            put(&[("wholeShare", reference::share(world, set)), ("left", left), ("share", share)]);
            put(&[("leftover", leftover), ("full", full), ("owed", full - size)]);
            let in_part = ["partial", "partial.leftover", "whole", "kept"];
            if in_part.iter().any(|rule| id.strip_prefix("deployment.scale.") == Some(*rule)) {
                put(&[("terminating", terminating()), ("surplus", sum(|set| (set.stat - set.spec).max(0)))]);
                put(&[("room", reference::room(world).unwrap())]);
            }
        }
        _ => return None,
    }
    Some(numbers)
}

/// Each number of each reason of a sync is the one that the sync saw; the rules of which that is so.
fn come_from(world: &World, reasons: &[Reason]) -> Result<Vec<&'static str>, TestCaseError> {
    let mut world = world.clone();
    let mut rules = Vec::new();
    for (place, reason) in reasons.iter().enumerate() {
        let Some(numbers) = numbers(&world, reason, &reasons[..place]) else { continue };
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
            // What follows sees the ReplicaSet that was created.
            let index = reference::add_new(&mut world, &reason.value("replicaSet").unwrap().to_string());
            // One that gets no pods does not say so in a number.
            let size = reason.value("size").map_or(0, |_| int(reason, "size"));
            world.sets[index].spec = i32::try_from(size).unwrap();
        }
    }
    Ok(rules)
}

/// As [`come_from`], of each sync of a timeline.
fn all_come_from(timeline: &Timeline) -> Result<Vec<&'static str>, TestCaseError> {
    let mut rules = Vec::new();
    for sync in syncs(timeline) {
        let reasons: Vec<Reason> = sync.steps.iter().map(|step| step.reason()).collect();
        rules.extend(come_from(&world_of(sync.gates, &sync.before), &reasons)?);
    }
    Ok(rules)
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn reasons_of_random_worlds(world in any_world()) {
        let reasons = ask(Question::Sync, &world).reasons;
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

/// Every rule about sizes is met in the random worlds and timelines.
#[test]
fn no_rule_is_idle() {
    use proptest::strategy::{Strategy as _, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..4_000 {
        let world = any_world().new_tree(&mut runner).unwrap().current();
        met.extend(come_from(&world, &ask(Question::Sync, &world).reasons).unwrap());
    }
    for _ in 0..60 {
        met.extend(all_come_from(&any_play().new_tree(&mut runner).unwrap().current().run()).unwrap());
    }
    let starts =
        ["deployment.new.", "deployment.old.", "deployment.recreate.", "deployment.scale", "deployment.create"];
    // These are about names.
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
