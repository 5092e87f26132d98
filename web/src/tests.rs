//! Tests of the page without a browser: from the settings to what the lanes show.

use changeover_player::Player;
use changeover_wire::playback_track::Milestone;
use changeover_wire::{InspectRequest, PlayRequest, Request, Response, StepLevel};

use crate::playback::{Band, Lane, Playback};
use crate::player_client::LaneRequest;
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings};

/// Plays lanes as generation 1.
fn play(player: &mut Player, requests: Vec<LaneRequest>) -> Playback {
    let lanes = requests.into_iter().enumerate().map(|(lane, request)| {
        let LaneRequest { info, source, begin, pins } = request;
        let play = PlayRequest { generation: 1, lane, shown: 0, source, begin, forks: Vec::new(), pins };
        match player.respond(Request::Play(play)) {
            Response::Played(played) => Lane::new(info, *played, &player.take_track()),
            other => panic!("the lane can be played, not {other:?}"),
        }
    });
    let lanes = lanes.collect();
    Playback::new(1, lanes)
}

fn settings(texts: &[(Field, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (field, text) in texts {
        settings.set_text(*field, String::from(*text));
    }
    settings
}

fn compared(settings: &Settings) -> (Player, Playback) {
    let mut player = Player::new();
    let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
    let playback = play(&mut player, settings.lane_requests(&comparison));
    (player, playback)
}

#[test]
fn only_termination_complete_keeps_the_limit() {
    let (_, playback) = compared(&Settings::default());
    let over: Vec<i32> = playback.lanes.iter().map(|lane| lane.played.totals.over).collect();
    assert!(over[0] > 0, "{over:?}");
    assert_eq!(over[1], 0);
}

#[test]
fn the_answers_are_those_of_the_picture() {
    for replicas in ["1", "3", "15", "60"] {
        let (_, playback) = compared(&settings(&[(Field::Replicas, replicas), (Field::Jitter, "40")]));
        for lane in &playback.lanes {
            let totals = lane.played.totals;
            let shown: Vec<_> = lane.track.snapshots_from_zero().collect();
            assert_eq!(totals.peak, shown.iter().map(|snapshot| snapshot.pods()).max().unwrap());
            assert_eq!(totals.over, shown.iter().map(|snapshot| snapshot.over()).max().unwrap());
            assert_eq!(totals.lowest_available, shown.iter().map(|snapshot| snapshot.available()).min().unwrap());
        }
    }
}

#[test]
fn a_rollout_is_complete_when_the_controller_says_so() {
    let (_, playback) = compared(&Settings::default());
    for lane in &playback.lanes {
        let complete = lane.played.totals.change + lane.played.totals.complete.unwrap();
        let condition = lane.track.steps.iter().rfind(|step| step.milestone == Some(Milestone::Condition)).unwrap();
        assert_eq!(complete, condition.time);
    }
}

#[test]
fn the_columns_are_in_the_order_of_the_bands() {
    let (_, playback) = compared(&settings(&[(Field::Jitter, "80")]));
    for lane in &playback.lanes {
        let columns = lane.columns.as_ref().unwrap();
        for snapshot in lane.track.snapshots_from_zero() {
            let mut pods: Vec<(usize, Band)> = lane
                .track
                .pods_at(snapshot.from)
                .map(|(pod, keyframe)| (columns.column_at(pod, snapshot.from), Band::of(keyframe.state.unwrap())))
                .collect();
            pods.sort_unstable();
            let taken: Vec<usize> = pods.iter().map(|(column, _)| *column).collect();
            assert_eq!(taken, (0..pods.len()).collect::<Vec<_>>(), "no column is empty or taken twice");
            assert!(pods.is_sorted_by_key(|(_, band)| *band), "{pods:?}");
        }
    }
}

#[test]
fn a_pod_that_stays_in_its_band_moves_only_if_the_band_leaves_its_column() {
    let (_, playback) = compared(&Settings::default());
    let lane = &playback.lanes[0];
    let columns = lane.columns.as_ref().unwrap();
    let snapshots: Vec<_> = lane.track.snapshots_from_zero().collect();
    for pair in snapshots.windows(2) {
        let [before, after] = [pair[0].from, pair[1].from];
        for (pod, keyframe) in lane.track.pods_at(after) {
            let Some(previous) = lane.track.pod_at(pod, before) else { continue };
            let group = |it: &crate::playback::PodKeyframe| (it.state.map(Band::of), it.replica_set);
            let (from, to) = (columns.column_at(pod, before), columns.column_at(pod, after));
            if group(previous) == group(keyframe) && from != to {
                let now_there = lane.track.pods_at(after).find(|(other, _)| columns.column_at(*other, after) == from);
                let taken_by_own = now_there.is_some_and(|(_, other)| group(other) == group(keyframe));
                assert!(!taken_by_own, "pod {pod} left column {from} to a pod of its own group");
            }
        }
    }
}

#[test]
fn the_first_pods_start_and_stop_in_the_times_that_are_set() {
    let seconds = |(from, to): (i64, i64)| (from / 1_000_000_000, to / 1_000_000_000);
    // A container runs a second after its pod is created.
    for (start_up, time_to_stop, start, stop) in [("6", "20", (0, 7), (0, 20)), ("10", "40", (0, 11), (0, 30))] {
        let (_, playback) = compared(&settings(&[(Field::StartUp, start_up), (Field::TimeToStop, time_to_stop)]));
        for lane in &playback.lanes {
            assert_eq!(lane.track.first_start(0).map(seconds), Some(start));
            assert_eq!(lane.track.first_stop(0).map(seconds), Some(stop));
        }
    }
    let (_, playback) = compared(&settings(&[(Field::StartUp, "never")]));
    assert_eq!(playback.lanes[0].track.first_start(0), None);
}

#[test]
fn waves_go_forth_and_back() {
    let (_, playback) = compared(&Settings::default());
    let mut playhead = playback.at_time(0);
    let mut seen = vec![playhead];
    while playhead.time < playback.end_time() {
        playhead = playback.next_wave(playhead);
        assert!(playhead.time > seen.last().unwrap().time);
        seen.push(playhead);
    }
    assert_eq!(playback.wave_number(playhead), playback.waves.len());
    for expected in seen.iter().rev().skip(1) {
        playhead = playback.previous_wave(playhead);
        assert_eq!(playhead, *expected);
    }
}

#[test]
fn every_moment_has_an_explanation_with_numbers() {
    let (mut player, playback) = compared(&settings(&[(Field::Replicas, "4")]));
    for time in playback.waves.iter().filter(|time| **time > 0) {
        let frames = playback.lane_frames(playback.at_time(*time));
        let request = InspectRequest { generation: 1, frames, level: StepLevel::Wave, explain: None, tables: true };
        let Response::Inspected(inspection) = player.respond(Request::Inspect(request)) else {
            panic!("an inspection is answered by one")
        };
        for lane in inspection.lanes {
            assert!(!lane.explanation.unwrap().sentence.is_empty());
            assert!(lane.tables.iter().any(|table| table.title == "Conditions"));
        }
    }
}

#[test]
fn a_request_with_a_wrong_field_is_an_error_that_names_it() {
    let error = |text: &str| serde_json::from_str::<Request>(text).unwrap_err().to_string();
    assert!(error(r#"{"inspect": {"generation": 1}}"#).contains("frames"));
    let unknown = r#"{"inspect": {"generation": 1, "frames": [], "level": "wave", "explain": null, "tables": false, "detials": 1}}"#;
    assert!(error(unknown).contains("detials"));
}

#[test]
fn ten_thousand_pods_are_shown_as_bars() {
    let (_, playback) = compared(&settings(&[(Field::Replicas, "2000"), (Field::MaxSurge, "100%")]));
    assert!(playback.lanes.iter().all(|lane| lane.columns.is_none()));
    assert!(playback.max_pods() >= 4000);
}
