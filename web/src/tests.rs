//! From a question to the picture, as the page does it, without a browser.

use changeover_core::timeline::{PodState, Totals};
use changeover_player::Player;
use changeover_wire::SeekMode;
use changeover_wire::playback_track::{Milestone, STATES};
use serde_json::{Value, json};

use crate::playback::{Lane, Playback};
use crate::playback_track::{PlaybackTrack, TrackCursor, pods_in_state};
use crate::rollout_form::{Field, RolloutForm, problem_field};

fn ask(player: &mut Player, question: &Value) -> Value {
    serde_json::from_str(&player.answer(&question.to_string())).unwrap()
}

/// Plays what is asked for as a lane of generation 1.
fn play(player: &mut Player, mut of: Value, lane: usize, by_node: bool) -> (Value, Vec<i32>) {
    of["generation"] = json!(1);
    of["lane"] = json!(lane);
    of["byNode"] = json!(by_node);
    (ask(player, &json!({"play": of})), player.take_track())
}

fn stage_by(form: &RolloutForm, by_node: bool) -> (Player, Playback) {
    let mut player = Player::new();
    let mut lanes = Vec::new();
    for (lane, (rules, of)) in form.play_requests().into_iter().enumerate() {
        let (played, film) = play(&mut player, of, lane, by_node);
        assert_eq!(played["problem"], Value::Null);
        lanes.push(Lane::new(rules, played, &film));
    }
    (player, Playback::new(1, lanes, by_node))
}

fn stage(form: &RolloutForm) -> (Player, Playback) {
    stage_by(form, false)
}

fn typed(fields: &[(Field, &str)]) -> RolloutForm {
    let mut form = RolloutForm::default();
    for (field, text) in fields {
        form.set(*field, String::from(*text));
    }
    form
}

/// What there is to see of each lane.
fn look(player: &mut Player, stage: &Playback, pace: SeekMode, facts: bool) -> Vec<Value> {
    let look =
        json!({"generation": 1, "frames": stage.lane_frames(), "pace": pace.number(), "facts": [facts, facts, facts]});
    ask(player, &json!({"look": look}))["lanes"].as_array().unwrap().clone()
}

/// Who is where: what a person would see of the pods.
fn places(film: &PlaybackTrack, scene: &TrackCursor) -> Vec<(usize, usize, usize, Option<PodState>)> {
    let rows = 0..film.row_slots.len();
    let pods = rows.flat_map(|row| scene.pods_in_row(film, row).map(move |pod| (row, pod.slot, pod.pod, pod.state)));
    pods.collect()
}

#[test]
fn the_limit_is_passed_without_the_policy_and_kept_with_it() {
    let (_, stage) = stage(&RolloutForm::default());
    let over: Vec<i32> = stage
        .lanes
        .iter()
        .map(|lane| lane.track.points.iter().map(crate::playback_track::CountsPoint::over).max().unwrap())
        .collect();
    assert!(over[0] > 0 && over[1] == over[0]);
    assert_eq!(over[2], 0);
    let totals: Vec<_> = stage.lanes.iter().map(|lane| lane.totals).collect();
    assert_eq!(totals[0], totals[1]);
    assert!(totals[0].over > 0 && totals[2].over == 0);
    assert!(totals[2].complete > totals[0].complete);
    assert_eq!(totals[2].peak, 13);
}

#[test]
fn going_back_undoes_what_going_forth_did_and_a_pod_keeps_its_place() {
    for (by_node, min_ready) in [(false, "0"), (true, "3")] {
        let (_, mut stage) = stage_by(&typed(&[(Field::MinReady, min_ready), (Field::Jitter, "40")]), by_node);
        let mut there = Vec::new();
        let mut kept = std::collections::BTreeMap::new();
        for position in 0..=stage.lockstep.len() {
            stage.seek_position(position);
            for (index, lane) in stage.lanes.iter().enumerate() {
                let now = places(&lane.track, &lane.cursor);
                for (row, slot, pod, _) in &now {
                    let before = kept.entry((index, *pod, *row)).or_insert(*slot);
                    assert_eq!(before, slot);
                }
                there.push((
                    now,
                    lane.cursor.replica_sets.clone(),
                    lane.cursor.rows.clone(),
                    lane.cursor.marks,
                    lane.cursor.row_states.clone(),
                ));
            }
        }
        for position in (0..=stage.lockstep.len()).rev() {
            stage.seek_position(position);
            for lane in stage.lanes.iter().rev() {
                let now = places(&lane.track, &lane.cursor);
                let then = (
                    now,
                    lane.cursor.replica_sets.clone(),
                    lane.cursor.rows.clone(),
                    lane.cursor.marks,
                    lane.cursor.row_states.clone(),
                );
                assert_eq!(Some(then), there.pop());
            }
        }
    }
}

#[test]
fn the_counts_are_those_of_the_pods_that_are_drawn() {
    let (_, mut stage) = stage(&typed(&[(Field::MinReady, "4")]));
    for time in 0..80 {
        stage.seek_time(time * 500_000_000);
        for lane in &stage.lanes {
            for (row, counts) in lane.cursor.rows.iter().enumerate() {
                for state in STATES {
                    let drawn =
                        lane.cursor.pods_in_row(&lane.track, row).filter(|pod| pod.state == Some(state)).count();
                    assert_eq!(usize::try_from(pods_in_state(counts, state)).unwrap(), drawn);
                }
            }
        }
    }
}

#[test]
fn a_frame_costs_what_changes_and_not_what_is_there() {
    let changes = |replicas: &str| {
        let (_, mut stage) =
            stage(&typed(&[(Field::Replicas, replicas), (Field::Surge, "1"), (Field::Unavailable, "0")]));
        let mut most = 0;
        for position in 0..200 {
            for lane in &mut stage.lanes {
                lane.cursor.changed_slots.clear();
            }
            stage.seek_position(position);
            most = most.max(stage.lanes.iter().map(|lane| lane.cursor.changed_slots.len()).max().unwrap());
        }
        most
    };
    // The first frame holds all that was there before.
    let (few, many) = (changes("10"), changes("1000"));
    assert!(few <= 4 && many <= 4, "{few} and {many} places were touched");
}

#[test]
fn a_lane_repeats_the_one_above_only_where_it_is_the_same_throughout() {
    let repeats = |form: &RolloutForm| [0, 1, 2].map(|lane| stage(form).1.repeats_lane_above(lane));
    assert_eq!(repeats(&RolloutForm::default()), [false, true, false]);
    assert_eq!(repeats(&typed(&[(Field::Strategy, "Recreate")])), [false, false, false]);
}

#[test]
fn lanes_step_together_and_in_the_order_of_time() {
    let (_, stage) = stage(&RolloutForm::default());
    let beats = &stage.lockstep;
    assert!(beats.steps.windows(2).all(|pair| pair[0].time <= pair[1].time));
    for (index, lane) in stage.lanes.iter().enumerate() {
        assert_eq!(beats.lane_frame(beats.len(), index), lane.track.steps.len());
    }
    // The first two do the same: they act together, always.
    assert!((1..=beats.len()).all(|position| beats.lane_acts(position, 0) == beats.lane_acts(position, 1)));
    assert!((1..=beats.len()).all(|position| beats.lane_acts(position, 0) || beats.lane_acts(position, 2)));
}

#[test]
fn steps_go_from_decision_to_decision_and_back() {
    let (_, stage) = stage(&RolloutForm::default());
    let beats = &stage.lockstep;
    let mut there = vec![beats.first_position];
    loop {
        let next = beats.next_milestone(*there.last().unwrap());
        if beats.step_before(next).is_none_or(|beat| beat.milestone.is_none()) || there.contains(&next) {
            break;
        }
        there.push(next);
    }
    let mut back = vec![*there.last().unwrap()];
    while *back.last().unwrap() > beats.first_position {
        back.push(beats.previous_milestone(*back.last().unwrap()));
    }
    back.reverse();
    assert_eq!(there, back);
    assert_eq!(beats.milestones_until(beats.len()), there.len() - 1);
}

#[test]
fn by_step_each_lane_stands_behind_as_many_decisions() {
    let (_, mut stage) = stage(&RolloutForm::default());
    stage.set_by_step(true);
    stage.seek_position(9);
    let frames = stage.lane_frames();
    for (lane, frame) in stage.lanes.iter().zip(frames) {
        let passed = lane.track.milestone_frames.iter().filter(|stop| json!(stop).as_u64() <= frame.as_u64()).count();
        assert_eq!(passed, 9);
    }
    stage.seek_position(usize::MAX);
    assert_eq!(stage.milestone_number(), stage.milestone_count());
    assert!(stage.lanes.iter().all(|lane| lane.cursor.replica_sets[1].available == 10));
}

#[test]
fn time_explains_the_decision_that_met_the_limit() {
    let (mut player, mut stage) = stage(&RolloutForm::default());
    stage.seek_time(stage.peak_time());
    let seen = look(&mut player, &stage, SeekMode::Time, false);
    let said: Vec<_> = seen.iter().map(|lane| crate::explanation_panel::sentence_text(&lane["why"])).collect();
    let grows =
        "may grow from 9 to 10 of 10: ReplicaSets together want 12 of at most 13, terminating pods not counted.";
    let waits = "waits at 3: 13 of 13 places are taken, 8 by ReplicaSets and 5 by terminating pods.";
    assert!(said.iter().zip([grows, grows, waits]).all(|(said, expected)| said.ends_with(expected)), "{said:?}");
    assert!(seen.iter().all(|lane| lane["sheets"].is_null()));
}

#[test]
fn facts_have_the_ranking_of_a_deletion_and_what_the_step_changed() {
    let (mut player, mut stage) = stage(&RolloutForm::default());
    let mut titles = std::collections::BTreeSet::new();
    let mut marked = std::collections::BTreeSet::new();
    for position in 0..stage.lockstep.len() {
        stage.seek_position(position);
        for lane in look(&mut player, &stage, SeekMode::Write, true) {
            for sheet in lane["sheets"].as_array().into_iter().flatten() {
                let [columns, rows, marked_rows] =
                    ["columns", "rows", "marked"].map(|name| sheet[name].as_array().unwrap());
                let title = sheet["title"].as_str().unwrap();
                assert!(rows.iter().all(|row| row.as_array().unwrap().len() == columns.len()), "{title}");
                if !marked_rows.is_empty() {
                    marked.insert(String::from(title));
                }
                titles.insert(String::from(title));
            }
        }
    }
    assert!(titles.contains("Who goes first: 2 of 10 pods"), "{titles:?}");
    for title in ["Conditions", "Annotations", "Who goes first: 2 of 10 pods"] {
        assert!(marked.contains(title), "{title}: {marked:?}");
    }
}

#[test]
fn what_is_wrong_is_said_by_the_core_with_the_path_of_the_field() {
    let cases = [
        (Field::Replicas, "-1", "spec.replicas"),
        (Field::Replicas, "1099511627776", "spec.replicas"),
        (Field::Replicas, "ten", "spec.replicas"),
        // More than the page plays.
        (Field::Replicas, "1000000000", "spec.replicas"),
        (Field::Surge, "abc%", "spec.strategy.rollingUpdate.maxSurge"),
        (Field::Unavailable, "-5", "spec.strategy.rollingUpdate.maxUnavailable"),
        (Field::Grace, "soon", "spec.template.spec.terminationGracePeriodSeconds"),
        (Field::MinReady, "soon", "spec.minReadySeconds"),
        (Field::Ready, "soon", "kubelet[0].ready"),
        (Field::Ready, "", "kubelet[0].ready"),
        (Field::Jitter, "-3", "kubelet[0].jitterPercent"),
    ];
    for (field, text, path) in cases {
        let (_, of) = typed(&[(field, text)]).play_requests().remove(0);
        let (played, film) = play(&mut Player::new(), of, 0, false);
        let at = played["problem"][0].as_str().unwrap_or_else(|| panic!("{field:?} {text:?} is taken"));
        assert_eq!(at, path, "{text}: {}", played["problem"][1]);
        assert_eq!(problem_field(&changeover_core::Problem::new(at, "")), Some(field));
        assert!(film.is_empty());
    }
}

#[test]
fn everything_that_can_be_typed_ends() {
    let cases = [
        (Field::Replicas, "0"),
        (Field::Replicas, "300"),
        (Field::Surge, "100%"),
        (Field::Strategy, "Recreate"),
        (Field::Ready, "never"),
        (Field::Ready, "0"),
        (Field::Grace, "0"),
        (Field::Jitter, "100"),
    ];
    for case in cases {
        let (_, stage) = stage(&typed(&[case]));
        assert!(stage.lanes.iter().all(|lane| lane.response["cut"].is_null()), "{case:?}");
    }
}

#[test]
fn every_story_is_read_and_each_of_its_captions_finds_its_step() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/scenarios/");
    let read = |name: &str| {
        std::fs::read_to_string(format!("{folder}{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let index: Value = serde_json::from_str(&read("index.json")).unwrap();
    for entry in index.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let mut telling = crate::story_session::StorySession::default();
        telling.open_story(name, 0);
        for helped in [false, true] {
            if helped {
                telling.set_help(true);
            }
            let lanes = loop {
                let lanes = telling.play_requests().unwrap_or_else(|problem| panic!("{problem}"));
                if let Some(lanes) = lanes {
                    break lanes;
                }
                let missing = telling.take_missing_files();
                assert!(!missing.is_empty(), "{name}");
                missing.iter().for_each(|file| telling.add_file(file, &read(file)));
            };
            let mut player = Player::new();
            let play = |(lane, (rules, of))| {
                let (played, film) = play(&mut player, of, lane, false);
                assert_eq!(played["problem"], Value::Null, "{name}");
                Lane::new(rules, played, &film)
            };
            let stage = Playback::new(1, lanes.into_iter().enumerate().map(play).collect(), false);
            // Each lane's time counts from what the user does first in any.
            let acts =
                |step: &&crate::playback_track::TrackStep| step.time >= 0 && step.milestone == Some(Milestone::User);
            let first = stage.lanes.iter().filter_map(|lane| lane.track.steps.iter().find(acts)).map(|step| step.time);
            let first = first.min().unwrap_or(0);
            for lane in &stage.lanes {
                let arrived = lane.track.points.last().map(|point| point.time - first);
                let Totals { complete, alone, .. } = lane.totals;
                assert!(
                    alone.is_none_or(|time| Some(time) == arrived && complete <= alone),
                    "{name}: {:?}",
                    lane.totals
                );
            }
            let mut last = 0;
            for caption in 0..telling.captions().len() {
                let (time, _) = telling.caption_moment(&stage, caption).unwrap_or_else(|problem| panic!("{problem}"));
                assert!(time >= last, "{name}: caption {caption} is earlier than the one before");
                last = time;
            }
        }
    }
}

/// A lane of generation 2 in which that is done, too, while generation 1 is shown.
fn fork(player: &mut Player, mut of: Value, at: i64, action: &Value) -> (Value, Vec<i32>) {
    of["generation"] = json!(2);
    of["shown"] = json!(1);
    of["forks"] = json!([{ "at": at, "do": action }]);
    (ask(player, &json!({"play": of})), player.take_track())
}

#[test]
fn a_fork_shares_every_step_before_it() {
    const AT: i64 = 12_000_000_001;
    let mut player = Player::new();
    for (lane, (rules, of)) in RolloutForm::default().play_requests().into_iter().enumerate() {
        let (played, film) = play(&mut player, of.clone(), lane, false);
        let mut of = of;
        of["lane"] = json!(lane);
        let (forked, other) = fork(&mut player, of, AT, &json!({"scale": {"replicas": 15}}));
        assert_eq!(forked["forks"], json!([["You scale Deployment web to 15.", true]]));
        let [before, after] = [(&played, &film), (&forked, &other)]
            .map(|(played, film)| Lane::new(rules.clone(), played.clone(), film).track);
        let shared = |film: &PlaybackTrack| -> Vec<(i64, i32)> {
            let steps = film.steps.iter().filter(|step| step.time < AT);
            steps.map(|step| (step.time, step.milestone.map_or(0, Milestone::number))).collect()
        };
        assert!(shared(&before).len() > 10);
        assert_eq!(shared(&before), shared(&after));
        let points =
            |film: &PlaybackTrack| film.points.iter().filter(|point| point.time < AT).cloned().collect::<Vec<_>>();
        assert_eq!(points(&before), points(&after));
        assert_eq!(after.points.last().unwrap().marks.desired, 15);
        assert!(after.steps.iter().any(|step| step.time == AT && step.milestone == Some(Milestone::User)));
    }
}

#[test]
fn a_fork_that_is_wrong_is_told_by_its_own_path_and_one_that_is_refused_by_a_sentence() {
    let (_, of) = RolloutForm::default().play_requests().remove(0);
    let mut player = Player::new();
    play(&mut player, of.clone(), 0, false);
    let wrong = [
        (json!({"scale": {"replicas": -1}}), "forks[0].scale.spec.replicas"),
        (json!({"scale": {"replicas": "abc"}}), "forks[0].scale.replicas"),
        (json!({}), "forks[0]"),
        (json!({"evct": {}}), "forks[0].evct"),
        (json!(12), "forks[0]"),
    ];
    for (action, path) in wrong {
        let (played, _) = fork(&mut player, of.clone(), 1, &action);
        assert_eq!(played["problem"][0], path, "{action}: {played}");
    }
    let refused = [
        (json!({"loseNode": {"name": "nowhere"}}), "\"nowhere\" not found"),
        (json!({"undo": {}}), "kubectl does not roll Deployment web back"),
        (json!({"scale": {"replicas": 10}}), "It is so already"),
        (json!({"pause": {"name": "other"}}), "\"other\" not found"),
    ];
    for (action, sentence) in refused {
        let (played, _) = fork(&mut player, of.clone(), 1, &action);
        let said = played["forks"][0][0].as_str().unwrap_or_else(|| panic!("{action}: {played}"));
        assert!(said.contains(sentence) && played["forks"][0][1] == false, "{action}: {said}");
    }
}
