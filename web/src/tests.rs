//! Tests of the page without a browser: from a play request to what the lanes show.

use changeover_core::timeline::{PodState, Totals};
use changeover_player::Player;
use changeover_wire::SeekMode;
use changeover_wire::playback_track::{Milestone, STATES};
use serde_json::{Value, json};

use crate::playback::{Lane, Playback};
use crate::playback_track::{PlaybackTrack, TrackCursor, pods_in_state};
use crate::rollout_form::{Field, RolloutForm, problem_field};

fn send(player: &mut Player, request: &Value) -> Value {
    serde_json::from_str(&player.answer(&request.to_string())).unwrap()
}

/// Plays a request as a lane of generation 1.
fn play(player: &mut Player, mut request: Value, lane: usize, by_node: bool) -> (Value, Vec<i32>) {
    request["generation"] = json!(1);
    request["lane"] = json!(lane);
    request["byNode"] = json!(by_node);
    (send(player, &json!({"play": request})), player.take_track())
}

fn playback_by(form: &RolloutForm, by_node: bool) -> (Player, Playback) {
    let mut player = Player::new();
    let mut lanes = Vec::new();
    for (lane, (info, request)) in form.play_requests().into_iter().enumerate() {
        let (response, track) = play(&mut player, request, lane, by_node);
        assert_eq!(response["problem"], Value::Null);
        lanes.push(Lane::new(info, response, &track));
    }
    (player, Playback::new(1, lanes, by_node))
}

fn playback(form: &RolloutForm) -> (Player, Playback) {
    playback_by(form, false)
}

fn form_with(fields: &[(Field, &str)]) -> RolloutForm {
    let mut form = RolloutForm::default();
    for (field, text) in fields {
        form.set(*field, String::from(*text));
    }
    form
}

/// The inspection of each lane.
fn inspect(player: &mut Player, playback: &Playback, seek_mode: SeekMode, details: bool) -> Vec<Value> {
    let inspect = json!({"generation": 1, "frames": playback.lane_frames(), "seekMode": seek_mode.number(), "details": [details, details, details]});
    send(player, &json!({"inspect": inspect}))["lanes"].as_array().unwrap().clone()
}

/// The pods on the page: row, slot, number and state of each.
fn slots(track: &PlaybackTrack, cursor: &TrackCursor) -> Vec<(usize, usize, usize, Option<PodState>)> {
    let rows = 0..track.row_slots.len();
    let pods = rows.flat_map(|row| cursor.pods_in_row(track, row).map(move |pod| (row, pod.slot, pod.pod, pod.state)));
    pods.collect()
}

#[test]
fn only_termination_complete_keeps_the_limit() {
    let (_, playback) = playback(&RolloutForm::default());
    let over: Vec<i32> = playback
        .lanes
        .iter()
        .map(|lane| lane.track.points.iter().map(crate::playback_track::CountsPoint::over).max().unwrap())
        .collect();
    assert!(over[0] > 0 && over[1] == over[0]);
    assert_eq!(over[2], 0);
    let totals: Vec<_> = playback.lanes.iter().map(|lane| lane.totals).collect();
    assert_eq!(totals[0], totals[1]);
    assert!(totals[0].over > 0 && totals[2].over == 0);
    assert!(totals[2].complete > totals[0].complete);
    assert_eq!(totals[2].peak, 13);
}

#[test]
fn going_back_restores_every_state_and_a_pod_keeps_its_slot() {
    for (by_node, min_ready) in [(false, "0"), (true, "3")] {
        let (_, mut playback) =
            playback_by(&form_with(&[(Field::MinReady, min_ready), (Field::Jitter, "40")]), by_node);
        let mut forward = Vec::new();
        let mut slot_of_pod = std::collections::BTreeMap::new();
        for position in 0..=playback.lockstep.len() {
            playback.seek_position(position);
            for (index, lane) in playback.lanes.iter().enumerate() {
                let now = slots(&lane.track, &lane.cursor);
                for (row, slot, pod, _) in &now {
                    let before = slot_of_pod.entry((index, *pod, *row)).or_insert(*slot);
                    assert_eq!(before, slot);
                }
                forward.push((
                    now,
                    lane.cursor.replica_sets.clone(),
                    lane.cursor.rows.clone(),
                    lane.cursor.marks,
                    lane.cursor.row_states.clone(),
                ));
            }
        }
        for position in (0..=playback.lockstep.len()).rev() {
            playback.seek_position(position);
            for lane in playback.lanes.iter().rev() {
                let now = slots(&lane.track, &lane.cursor);
                let then = (
                    now,
                    lane.cursor.replica_sets.clone(),
                    lane.cursor.rows.clone(),
                    lane.cursor.marks,
                    lane.cursor.row_states.clone(),
                );
                assert_eq!(Some(then), forward.pop());
            }
        }
    }
}

#[test]
fn the_counts_equal_the_pods_in_the_slots() {
    let (_, mut playback) = playback(&form_with(&[(Field::MinReady, "4")]));
    for time in 0..80 {
        playback.seek_time(time * 500_000_000);
        for lane in &playback.lanes {
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
fn a_frame_touches_only_the_slots_that_change() {
    let changes = |replicas: &str| {
        let (_, mut playback) =
            playback(&form_with(&[(Field::Replicas, replicas), (Field::Surge, "1"), (Field::Unavailable, "0")]));
        let mut most = 0;
        for position in 0..200 {
            for lane in &mut playback.lanes {
                lane.cursor.changed_slots.clear();
            }
            playback.seek_position(position);
            most = most.max(playback.lanes.iter().map(|lane| lane.cursor.changed_slots.len()).max().unwrap());
        }
        most
    };
    // The first frame has all pods from before.
    let (few, many) = (changes("10"), changes("1000"));
    assert!(few <= 4 && many <= 4, "{few} and {many} slots were touched");
}

#[test]
fn a_lane_repeats_the_one_above_only_if_it_is_equal_all_the_time() {
    let repeats = |form: &RolloutForm| [0, 1, 2].map(|lane| playback(form).1.repeats_lane_above(lane));
    assert_eq!(repeats(&RolloutForm::default()), [false, true, false]);
    assert_eq!(repeats(&form_with(&[(Field::Strategy, "Recreate")])), [false, false, false]);
}

#[test]
fn lanes_step_together_in_order_of_time() {
    let (_, playback) = playback(&RolloutForm::default());
    let lockstep = &playback.lockstep;
    assert!(lockstep.steps.windows(2).all(|pair| pair[0].time <= pair[1].time));
    for (index, lane) in playback.lanes.iter().enumerate() {
        assert_eq!(lockstep.lane_frame(lockstep.len(), index), lane.track.steps.len());
    }
    // The first two lanes do the same, so they always act together.
    assert!((1..=lockstep.len()).all(|position| lockstep.lane_acts(position, 0) == lockstep.lane_acts(position, 1)));
    assert!((1..=lockstep.len()).all(|position| lockstep.lane_acts(position, 0) || lockstep.lane_acts(position, 2)));
}

#[test]
fn next_and_previous_visit_the_same_milestones() {
    let (_, playback) = playback(&RolloutForm::default());
    let lockstep = &playback.lockstep;
    let mut forward = vec![lockstep.first_position];
    loop {
        let next = lockstep.next_milestone(*forward.last().unwrap());
        if lockstep.step_before(next).is_none_or(|step| step.milestone.is_none()) || forward.contains(&next) {
            break;
        }
        forward.push(next);
    }
    let mut back = vec![*forward.last().unwrap()];
    while *back.last().unwrap() > lockstep.first_position {
        back.push(lockstep.previous_milestone(*back.last().unwrap()));
    }
    back.reverse();
    assert_eq!(forward, back);
    assert_eq!(lockstep.milestones_until(lockstep.len()), forward.len() - 1);
}

#[test]
fn by_step_all_lanes_have_passed_the_same_number_of_milestones() {
    let (_, mut playback) = playback(&RolloutForm::default());
    playback.set_by_step(true);
    playback.seek_position(9);
    let frames = playback.lane_frames();
    for (lane, frame) in playback.lanes.iter().zip(frames) {
        let passed =
            lane.track.milestone_frames.iter().filter(|milestone| json!(milestone).as_u64() <= frame.as_u64()).count();
        assert_eq!(passed, 9);
    }
    playback.seek_position(usize::MAX);
    assert_eq!(playback.milestone_number(), playback.milestone_count());
    assert!(playback.lanes.iter().all(|lane| lane.cursor.replica_sets[1].available == 10));
}

#[test]
fn seeking_by_time_explains_the_decision_at_the_limit() {
    let (mut player, mut playback) = playback(&RolloutForm::default());
    playback.seek_time(playback.peak_time());
    let inspections = inspect(&mut player, &playback, SeekMode::Time, false);
    let sentences: Vec<_> =
        inspections.iter().map(|lane| crate::explanation_panel::sentence_text(&lane["explanation"])).collect();
    let grows = "grows from 9 to 10 of 10 pods: the ReplicaSets want 12 of at most 13; terminating pods do not count.";
    let waits = "waits at 3 pods: 13 of 13 slots are taken by 8 running and 5 terminating pods.";
    assert!(
        sentences.iter().zip([grows, grows, waits]).all(|(sentence, expected)| sentence.ends_with(expected)),
        "{sentences:?}"
    );
    assert!(inspections.iter().all(|lane| lane["tables"].is_null()));
}

#[test]
fn details_have_the_deletion_ranking_and_the_changes_of_the_step() {
    let (mut player, mut playback) = playback(&RolloutForm::default());
    let mut titles = std::collections::BTreeSet::new();
    let mut marked = std::collections::BTreeSet::new();
    for position in 0..playback.lockstep.len() {
        playback.seek_position(position);
        for lane in inspect(&mut player, &playback, SeekMode::Write, true) {
            for table in lane["tables"].as_array().into_iter().flatten() {
                let [columns, rows, marked_rows] =
                    ["columns", "rows", "marked"].map(|name| table[name].as_array().unwrap());
                let title = table["title"].as_str().unwrap();
                assert!(rows.iter().all(|row| row.as_array().unwrap().len() == columns.len()), "{title}");
                if !marked_rows.is_empty() {
                    marked.insert(String::from(title));
                }
                titles.insert(String::from(title));
            }
        }
    }
    assert!(titles.contains("Deletion order: 2 of 10 pods"), "{titles:?}");
    for title in ["Conditions", "Annotations", "Deletion order: 2 of 10 pods"] {
        assert!(marked.contains(title), "{title}: {marked:?}");
    }
}

#[test]
fn the_core_reports_problems_with_the_path_of_the_field() {
    let cases = [
        (Field::Replicas, "-1", "spec.replicas"),
        (Field::Replicas, "1099511627776", "spec.replicas"),
        (Field::Replicas, "ten", "spec.replicas"),
        // More than the page simulates.
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
        let (_, request) = form_with(&[(field, text)]).play_requests().remove(0);
        let (response, track) = play(&mut Player::new(), request, 0, false);
        let at = response["problem"][0].as_str().unwrap_or_else(|| panic!("{field:?} {text:?} is taken"));
        assert_eq!(at, path, "{text}: {}", response["problem"][1]);
        assert_eq!(problem_field(&changeover_core::Problem::new(at, "")), Some(field));
        assert!(track.is_empty());
    }
}

#[test]
fn every_valid_form_plays_to_its_end() {
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
        let (_, playback) = playback(&form_with(&[case]));
        assert!(playback.lanes.iter().all(|lane| lane.response["cutReason"].is_null()), "{case:?}");
    }
}

#[test]
fn every_story_parses_and_each_caption_finds_its_step() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/scenarios/");
    let read = |name: &str| {
        std::fs::read_to_string(format!("{folder}{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let index: Value = serde_json::from_str(&read("index.json")).unwrap();
    for entry in index.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let mut session = crate::story_session::StorySession::default();
        session.open_story(name, 0);
        for with_remedy in [false, true] {
            if with_remedy {
                session.set_remedy(true);
            }
            let lanes = loop {
                let lanes = session.play_requests().unwrap_or_else(|problem| panic!("{problem}"));
                if let Some(lanes) = lanes {
                    break lanes;
                }
                let missing = session.take_missing_files();
                assert!(!missing.is_empty(), "{name}");
                missing.iter().for_each(|file| session.add_file(file, &read(file)));
            };
            let mut player = Player::new();
            let play = |(lane, (info, request))| {
                let (response, track) = play(&mut player, request, lane, false);
                assert_eq!(response["problem"], Value::Null, "{name}");
                Lane::new(info, response, &track)
            };
            let playback = Playback::new(1, lanes.into_iter().enumerate().map(play).collect(), false);
            // Durations count from the user's first action in any lane.
            let is_user_action =
                |step: &&crate::playback_track::TrackStep| step.time >= 0 && step.milestone == Some(Milestone::User);
            let first = playback
                .lanes
                .iter()
                .filter_map(|lane| lane.track.steps.iter().find(is_user_action))
                .map(|step| step.time);
            let first = first.min().unwrap_or(0);
            for lane in &playback.lanes {
                let end = lane.track.points.last().map(|point| point.time - first);
                let Totals { complete, last_old_pod_gone, .. } = lane.totals;
                assert!(complete <= end && last_old_pod_gone <= end, "{name}: {:?}", lane.totals);
            }
            let mut last = 0;
            for caption in 0..session.captions().len() {
                let (time, _) =
                    session.caption_moment(&playback, caption).unwrap_or_else(|problem| panic!("{problem}"));
                assert!(time >= last, "{name}: caption {caption} is earlier than the one before");
                last = time;
            }
        }
    }
}

/// Plays a request with a fork as a lane of generation 2, while generation 1 is shown.
fn fork(player: &mut Player, mut request: Value, at: i64, action: &Value) -> (Value, Vec<i32>) {
    request["generation"] = json!(2);
    request["shown"] = json!(1);
    request["forks"] = json!([{ "at": at, "do": action }]);
    (send(player, &json!({"play": request})), player.take_track())
}

#[test]
fn a_fork_shares_all_steps_before_it() {
    const AT: i64 = 12_000_000_001;
    let mut player = Player::new();
    for (lane, (info, request)) in RolloutForm::default().play_requests().into_iter().enumerate() {
        let (response, track) = play(&mut player, request.clone(), lane, false);
        let mut request = request;
        request["lane"] = json!(lane);
        let (forked, other) = fork(&mut player, request, AT, &json!({"scale": {"replicas": 15}}));
        assert_eq!(forked["forks"], json!([["You scale Deployment web to 15.", true]]));
        let [before, after] = [(&response, &track), (&forked, &other)]
            .map(|(response, track)| Lane::new(info.clone(), response.clone(), track).track);
        let shared = |track: &PlaybackTrack| -> Vec<(i64, i32)> {
            let steps = track.steps.iter().filter(|step| step.time < AT);
            steps.map(|step| (step.time, step.milestone.map_or(0, Milestone::number))).collect()
        };
        assert!(shared(&before).len() > 10);
        assert_eq!(shared(&before), shared(&after));
        let points =
            |track: &PlaybackTrack| track.points.iter().filter(|point| point.time < AT).cloned().collect::<Vec<_>>();
        assert_eq!(points(&before), points(&after));
        assert_eq!(after.points.last().unwrap().marks.desired, 15);
        assert!(after.steps.iter().any(|step| step.time == AT && step.milestone == Some(Milestone::User)));
    }
}

#[test]
fn an_invalid_fork_has_a_problem_path_and_a_refused_one_a_sentence() {
    let (_, request) = RolloutForm::default().play_requests().remove(0);
    let mut player = Player::new();
    play(&mut player, request.clone(), 0, false);
    let invalid = [
        (json!({"scale": {"replicas": -1}}), "forks[0].scale.spec.replicas"),
        (json!({"scale": {"replicas": "abc"}}), "forks[0].scale.replicas"),
        (json!({}), "forks[0]"),
        (json!({"evct": {}}), "forks[0].evct"),
        (json!(12), "forks[0]"),
    ];
    for (action, path) in invalid {
        let (response, _) = fork(&mut player, request.clone(), 1, &action);
        assert_eq!(response["problem"][0], path, "{action}: {response}");
    }
    let refused = [
        (json!({"loseNode": {"name": "nowhere"}}), "\"nowhere\" not found"),
        (json!({"undo": {}}), "kubectl does not roll Deployment web back"),
        (json!({"scale": {"replicas": 10}}), "It is so already"),
        (json!({"pause": {"name": "other"}}), "\"other\" not found"),
    ];
    for (action, sentence) in refused {
        let (response, _) = fork(&mut player, request.clone(), 1, &action);
        let outcome = response["forks"][0][0].as_str().unwrap_or_else(|| panic!("{action}: {response}"));
        assert!(outcome.contains(sentence) && response["forks"][0][1] == false, "{action}: {outcome}");
    }
}
