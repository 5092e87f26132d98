//! Properties of whole timelines: applying the writes gives the frames, forks share their past, and the same scenario
//! always gives the same bytes.
#![expect(clippy::arithmetic_side_effects, clippy::unwrap_used, reason = "a test may panic")]

use changeover_core::timeline::Timeline;
use changeover_kep_5882::play::{any_play, print};
use changeover_kep_5882::random::cases;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;
use serde_json::{Value, json};

/// The step as exported.
fn step(timeline: &Timeline, index: usize) -> Value {
    serde_json::to_value(timeline.step_out(index).unwrap()).unwrap()
}

fn bytes(timeline: &Timeline) -> String {
    (0..timeline.len()).map(|index| step(timeline, index).to_string()).collect()
}

fn action() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..12_i32).prop_map(|replicas| json!({"scale": {"name": "web", "replicas": replicas}})),
        Just(json!({"pause": {"name": "web"}})),
        Just(json!({"delete": {"kind": "Pod", "name": "web/0"}})),
    ]
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn writes_give_the_frames(play in any_play(), stops in proptest::collection::vec(any::<Index>(), 6)) {
        let timeline = play.run();
        let mut replayed = (*timeline.initial).clone();
        let mut frames = vec![print(&replayed)];
        for step in &timeline.steps {
            if let Some(change) = &step.change {
                prop_assert!(replayed.get(&change.key) == change.before.as_ref(), "{}", change.key.name);
                replayed.put(&change.key, change.after.clone());
            }
            frames.push(print(&replayed));
        }
        let mut cursor = timeline.cursor();
        for stop in stops {
            let frame = stop.index(frames.len());
            cursor.seek(&timeline, frame);
            prop_assert_eq!(&print(cursor.state()), &frames[frame]);
        }
    }

    #[test]
    fn forks_share_their_past(play in any_play(), stop in any::<Index>(), action in action()) {
        let timeline = play.run();
        let frame = stop.index(timeline.len() + 1);
        let fork = timeline.fork(frame, serde_json::from_value(action).unwrap()).unwrap();
        // All steps until the end of the frame's instant.
        let shared = timeline.frame_at(timeline.time_at(frame));
        prop_assert!(shared >= frame);
        for index in 0..shared {
            prop_assert_eq!(step(&timeline, index), step(&fork, index));
        }
    }

    #[test]
    fn the_same_scenario_gives_the_same_bytes(play in any_play()) {
        prop_assert_eq!(bytes(&play.run()), bytes(&play.run()));
    }
}
