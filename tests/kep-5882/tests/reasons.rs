//! The reasons of KEP-5882's decisions: every operand of a formula is put in, named and sourced, and the sentences are
//! short enough to be read.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::arithmetic_side_effects, clippy::panic, reason = "a test may panic")]

use changeover_core::reason::{OperandValue, Reason};
use changeover_kep_5882::asked::{Question, ask};
use changeover_kep_5882::play::any_play;
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::reference;
use changeover_kep_5882::world::{Amount, Notes, Policy, Set, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, prop_assert_eq, proptest};

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
        "payments-gateway-red-7d9c5b6f48 goes from 50 to 59 for now and is owed 12: terminating pods leave room for 15 of 30."
    );
    assert_eq!(
        red.formula(),
        [
            "to spread = limit − Σ wants = 130 − 100 = 30",
            "room = to spread − terminating − surplus = 30 − 15 − 0 = 15, not below 0",
            "whole share = round(base × limit ÷ limit before) − wants = round(50 × 130 ÷ 110) − 50 = 9, ratio 1.182",
            "share = min(max(whole share, 0), left) = min(max(9, 0), 15) = 9",
            "size = wants + share + left over = 50 + 9 + 0 = 59",
            "owed = whole size − size = 71 − 59 = 12",
        ]
    );
    assert_eq!(green.rule.id, "deployment.scale.proportional");
    let numbers = |reason: &Reason| ["wholeShare", "left", "share", "leftover"].map(|name| int(reason, name));
    assert_eq!(numbers(green), [5, 6, 5, 0]);
    assert_eq!((numbers(blue), int(blue, "owed")), ([4, 1, 1, 0], 3));
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
            "room = limit − Σ wants − terminating − surplus = 130 − 100 − 15 − 3 = 12, not below 0",
            "size = min(desired, wants + room) = min(120, 100 + 12) = 112",
        ]
    );
}

/// Every operand has a source and a value, and the sentence is short.
fn can_be_read(reason: &Reason) -> Result<(), TestCaseError> {
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
fn fraction_adds_up(reason: &Reason) -> Result<(), TestCaseError> {
    let int = |name| int(reason, name);
    let (product, before) = (int("base") * int("limit"), int("before"));
    let ratio = reason.value("ratio").unwrap().to_string();
    if before == 0 {
        // Without pods to go by there is no share, and all go where none are wanted.
        let all = if int("limit") == 0 { -int("from") } else { 0 };
        prop_assert_eq!((int("wholeShare"), &*ratio), (all, "none"));
    } else if i32::try_from(product).is_ok() {
        prop_assert_eq!(
            int("wholeShare"),
            (2 * product + before) / (2 * before) - int("from"),
            "{:?}",
            reason.formula()
        );
        let thousandths = (2_000 * int("limit") + before) / (2 * before);
        prop_assert_eq!(ratio, format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000));
    }
    Ok(())
}

/// Base and limit of before are those of the annotations, by SEMANTICS.md.
fn comes_from(reason: &Reason, world: &World) -> Result<(), TestCaseError> {
    if !matches!(reason.rule.id, "deployment.scale.partial" | "deployment.scale.proportional") {
        return Ok(());
    }
    let name = reason.value("replicaSet").unwrap().to_string();
    let set = world.sets.iter().find(|set| set.name == name).unwrap();
    let noted = |note: &Option<String>| reference::read(note.as_ref());
    let base = noted(&set.notes.before).filter(|_| world.policy_gate).unwrap_or(i64::from(set.spec));
    let before = noted(&set.notes.max).filter(|max| *max != 0).unwrap_or(i64::from(world.status_replicas));
    prop_assert_eq!((int(reason, "base"), int(reason, "before")), (base, before), "{}", world);
    prop_assert_eq!(int(reason, "from"), i64::from(set.spec));
    prop_assert_eq!(int(reason, "limit"), reference::limit(world));
    prop_assert_eq!(int(reason, "wanted"), reference::sum_of_specs(&world.sets));
    if reason.rule.id == "deployment.scale.partial" {
        let terminating: i64 = world.sets.iter().map(|set| i64::from(set.term.unwrap_or(0))).sum();
        let surplus: i64 = world.sets.iter().map(|set| i64::from((set.stat - set.spec).max(0))).sum();
        prop_assert_eq!((int(reason, "terminating"), int(reason, "surplus")), (terminating, surplus));
    }
    Ok(())
}

/// The numbers of a rule add up.
fn adds_up(reason: &Reason) -> Result<(), TestCaseError> {
    let int = |name| int(reason, name);
    match reason.rule.id {
        "deployment.scale.partial" => {
            prop_assert_eq!(int("to") + int("owed"), int("full"));
            prop_assert_eq!(int("from") + int("share") + int("leftover"), int("to"));
            prop_assert_eq!(int("room"), (int("toAdd") - int("terminating") - int("surplus")).max(0));
            prop_assert_eq!(int("share"), int("wholeShare").max(0).min(int("left")));
            fraction_adds_up(reason)?;
        }
        "deployment.scale.proportional" => {
            prop_assert_eq!(int("toAdd"), int("limit") - int("wanted"));
            // Kubernetes cuts below 0 only where it adds what is left over; nothing to spread, and nothing moves.
            let size = int("from") + int("share") + int("leftover");
            prop_assert!([size, size.max(0)].contains(&int("to")) || int("toAdd") == 0, "{:?}", reason.formula());
            fraction_adds_up(reason)?;
        }
        "deployment.scale.complete" => prop_assert_eq!(int("to"), int("desired").min(int("from") + int("room"))),
        "deployment.new.up.complete" => {
            let room = int("limit") - int("taken");
            prop_assert_eq!(int("to"), int("from") + room.min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        "deployment.recreate.up.complete" => {
            let room = int("desired") - int("taken");
            prop_assert_eq!(int("to"), int("from") + room.min(int("desired") - int("from")));
            prop_assert_eq!(int("taken"), int("held") + int("terminating"));
        }
        _ => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn of_random_worlds(world in any_world()) {
        for reason in ask(Question::Sync, &world).reasons {
            can_be_read(&reason)?;
            adds_up(&reason)?;
            comes_from(&reason, &world)?;
        }
    }
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn of_whole_timelines(play in any_play()) {
        for step in &play.run().steps {
            can_be_read(&step.reason)?;
            adds_up(&step.reason)?;
        }
    }
}
