//! Tests of the page without a browser: from the settings to what the lanes show.

use std::rc::Rc;

use changeover_core::json::{FromJson, decode};
use changeover_core::scenario::{Duration, Mode};
use changeover_player::Player;
use changeover_wire::playback_track::{Milestone, Setback};
use changeover_wire::{
    ClockFormat, ColumnMeaning, Fork, ForkOutcome, InspectRequest, LaneInspection, LaneSource, Operand, PlayRequest,
    Problem, Refusal, Request, Response, Segment, StepLevel, StepRef, WorkloadKind, WorkloadName,
};
use serde_json::json;
use yew::Reducible;

use crate::components::CaptionFigures;
use crate::figures::{compared_trade, figures};
use crate::job_settings::{CompletionMode, Disruption, JobField, JobSettings};
use crate::number::group_digits;
use crate::playback::{Activity, Awaited, Band, Lane, Moment, Playback, Playhead, holding};
use crate::player_client::LaneRequest;
use crate::rollout::{MovedBy, RestoredPosition, RolloutAction, RolloutState, StartPosition};
use crate::sandbox_inputs::SandboxInputs;
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings, SettingsOrigin};
use crate::share::{ReopenFrom, Shareable, SharedState, Shown, data};
use crate::story::{Caption, Story};
use crate::story_text::{DraggedNumbers, Figure, Meaning, Piece, number_in};

/// Plays lanes as generation 1.
fn play(player: &mut Player, requests: Vec<LaneRequest>) -> Playback {
    play_with(player, requests, &[])
}

/// Plays lanes with actions of the reader's.
fn play_with(player: &mut Player, requests: Vec<LaneRequest>, forks: &[Fork]) -> Playback {
    let lanes = requests.into_iter().enumerate().map(|(lane, request)| {
        match player.respond(Request::Play(request.play_request(1, lane, 0, forks))) {
            Response::Played(played) => Lane::new(request.info, *played, &player.take_track()),
            other => panic!("the lane can be played, not {other:?}"),
        }
    });
    let lanes = lanes.collect();
    Playback::new(1, lanes)
}

/// The settings with some texts.
pub fn settings(texts: &[(Field, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (field, text) in texts {
        settings.set_text(*field, String::from(*text));
    }
    settings
}

/// The lanes of settings and of what they are compared with at first.
pub fn compared(settings: &Settings) -> (Player, Playback) {
    let mut player = Player::new();
    let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
    let playback = play(&mut player, settings.lane_requests(&comparison));
    (player, playback)
}

#[test]
fn only_termination_complete_keeps_the_limit() {
    let (_, playback) = compared(&Settings::default());
    let over: Vec<i32> = playback.lanes.iter().map(|lane| lane.played.totals.over()).collect();
    assert!(over[0] > 0, "{over:?}");
    assert_eq!(over[1], 0);
}

#[test]
fn the_answers_are_those_of_the_picture() {
    let sandboxes = ["1", "3", "15", "60"].map(|replicas| {
        let (player, playback) = compared(&settings(&[(Field::Replicas, replicas), (Field::Jitter, "40")]));
        (format!("{replicas} replicas"), player, playback)
    });
    for (name, _, playback) in sandboxes.into_iter().chain(played_chapters()) {
        for lane in playback.lanes.iter().filter(|lane| !lane.is_of_jobs()) {
            let totals = lane.played.totals;
            let shown: Vec<_> = lane.track.snapshots_from_zero().collect();
            assert_eq!(totals.peak, shown.iter().map(|snapshot| snapshot.pods()).max().unwrap(), "{name}");
            let most = shown.iter().filter(|snapshot| snapshot.pods() == totals.peak);
            assert_eq!(totals.limit_at_peak, most.map(|snapshot| snapshot.marks.limit).max().unwrap(), "{name}");
            let fewest = shown.iter().map(|snapshot| snapshot.available()).min().unwrap();
            assert_eq!(totals.lowest_available, fewest, "{name}");
        }
    }
}

#[test]
fn the_bottom_of_the_picture_is_its_end() {
    for (name, _, playback) in played_chapters() {
        let end = playback.time_scale.stretches().last().map(|stretch| stretch.to);
        assert_eq!(Some(playback.time_scale.time(1.0)), end, "{name}");
    }
}

/// Each chapter of each story, and of what would have helped.
fn played_chapters() -> Vec<(String, Player, Playback)> {
    let mut played = Vec::new();
    for entry in scenario_file("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        for (version, story) in [Some(story.clone()), story.remedy()].into_iter().flatten().enumerate() {
            for chapter in 0..story.chapter_count() {
                let mut player = Player::new();
                let playback = play(&mut player, chapter_requests(&story, name, chapter));
                played.push((format!("{name} {version}"), player, playback));
            }
        }
    }
    played
}

#[test]
fn retries_that_change_no_pod_are_one_stretch_of_the_picture() {
    let (_, playback) = compared(&settings(&[(Field::QuotaCpu, "4")]));
    let last = |lane: &Rc<Lane>| lane.track.snapshots_from_zero().last().map(|snapshot| snapshot.from.time);
    let settled = playback.lanes.iter().filter_map(last).max().unwrap();
    let after = playback.time_scale.stretches().iter().filter(|stretch| stretch.to > settled).count();
    let waves = playback.waves.iter().filter(|time| **time > settled).count();
    assert!(after <= 1, "{after} stretches");
    assert!(waves > 1, "{waves} waves");
}

#[test]
fn a_rollout_that_never_moves_is_drawn_until_its_deadline() {
    let (_, playback) =
        compared(&settings(&[(Field::Replicas, "6"), (Field::MaxUnavailable, "0"), (Field::QuotaPods, "6")]));
    // The retries of the day after it share a break.
    let breaks = playback.time_scale.stretches().iter().filter(|stretch| stretch.is_break);
    let starts = breaks.map(|stretch| stretch.from.div_euclid(60 * SECOND)).collect::<Vec<i64>>();
    assert_eq!(starts, [10]);
    let share = playback.time_scale.share(600 * SECOND);
    assert!((0.8..1.0).contains(&share), "{share}");
}

#[test]
fn a_quota_of_pods_is_in_the_track() {
    let quotas = |changes: &[(Field, &str)]| {
        let (_, playback) = compared(&settings(changes));
        playback.lanes.iter().map(|lane| lane.track.pod_quota).collect::<Vec<_>>()
    };
    assert_eq!(quotas(&[(Field::QuotaPods, "18")]), [Some(18); 2]);
    assert_eq!(quotas(&[(Field::QuotaCpu, "4")]), [None; 2]);
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
    // A container runs a second after its pod is created; then its time to start begins.
    for (start_up, time_to_stop, start, stop) in [("6", "20", (1, 7), (0, 20)), ("10", "40", (1, 11), (0, 30))] {
        let (_, playback) = compared(&settings(&[(Field::ReadyAfter, start_up), (Field::TimeToStop, time_to_stop)]));
        for lane in &playback.lanes {
            assert_eq!(lane.track.first_start(0).map(seconds), Some(start));
            assert_eq!(lane.track.first_stop(0).map(seconds), Some(stop));
        }
    }
    let (_, playback) = compared(&settings(&[(Field::ReadyAfter, "never")]));
    assert_eq!(playback.lanes[0].track.first_start(0), None);
}

#[test]
fn waves_go_forth_and_back() {
    let (_, playback) = compared(&Settings::default());
    let mut playhead = playback.first_wave();
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
    assert_eq!(playback.wave_number(playhead), 1);
    assert_eq!(playback.previous_wave(playhead), playhead);
}

#[test]
fn no_two_steps_of_the_clock_look_alike() {
    let (_, playback) = compared(&settings(&[(Field::Replicas, "15"), (Field::Jitter, "40")]));
    let waves = playback.waves.iter().map(|time| playback.at_time(*time));
    let phrases: Vec<String> = waves.map(|playhead| playback.exact_position_phrase(playhead)).collect();
    assert!(phrases.windows(2).all(|pair| pair[0] != pair[1]), "{phrases:?}");
    assert!(phrases.iter().any(|phrase| phrase.contains('.')), "{phrases:?}");
    assert_eq!(play_story("fifteen").exact_position_phrase(Playhead::default()), "before the change");
}

#[test]
fn what_ends_before_the_change_has_no_time() {
    let playback = play_story("fifteen");
    let change = playback.totals(0).change;
    let phrases = [-1, 8_000_000_000].map(|since| playback.until_phrase(change.saturating_add(since)));
    assert_eq!(phrases, ["before the change", "until 0:08"]);
}

#[test]
fn all_times_of_a_long_story_have_hours() {
    let playback = play_story("cron-comes-back");
    let change = playback.totals(0).change;
    let clock = |seconds: i64| playback.clock(change.saturating_add(seconds.saturating_mul(SECOND)));
    assert_eq!([150, 9040].map(clock), ["0:02:30", "2:30:40"]);
    let times = [change, change.saturating_add(150 * SECOND)];
    assert_eq!(playback.clocks(&times), ["0:00:00", "0:02:30"]);
    assert_eq!(playback.clock_column(&times), ["0:00:00", "0:02:30"]);
    assert!(playback.position_phrase(change).starts_with("0:00:00 of 2:3"));
    assert_eq!(play_story("fifteen").clock_format(), ClockFormat::Minutes);
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
fn every_column_of_a_table_has_a_name() {
    let mut player = Player::new();
    let playback = play_story_in(&mut player, "who-dies-first");
    let frames = playback.lane_frames(playback.at_time(*playback.waves.last().unwrap()));
    let mut titles = Vec::new();
    for step in 0..frames[0] {
        let explain = Some(StepRef { lane: 0, step });
        let frames = frames.clone();
        let request = InspectRequest { generation: 1, frames, level: StepLevel::Wave, explain, tables: true };
        let Response::Inspected(inspection) = player.respond(Request::Inspect(request)) else {
            panic!("an inspection is answered by one")
        };
        for table in inspection.lanes.into_iter().flat_map(|lane| lane.tables) {
            assert!(table.columns.iter().all(|column| !column.is_empty()), "{}: {:?}", table.title, table.columns);
            titles.push(table.title);
        }
    }
    assert!(titles.iter().any(|title| title.starts_with("Deletion order: ")), "{titles:?}");
}

#[test]
fn waits_are_said_in_words() {
    let (mut player, playback) = compared(&settings(&[(Field::Replicas, "2"), (Field::QuotaPods, "2")]));
    let mut sentences = Vec::new();
    for time in &playback.waves {
        let frames = playback.lane_frames(playback.at_time(*time));
        let request = InspectRequest { generation: 1, frames, level: StepLevel::Write, explain: None, tables: true };
        let Response::Inspected(inspection) = player.respond(Request::Inspect(request)) else {
            panic!("an inspection is answered by one")
        };
        for LaneInspection { explanation, last_step, .. } in inspection.lanes {
            let words = |segment: Segment| match segment {
                Segment::Text(text) => text,
                Segment::Operand(operand) => operand.value,
            };
            sentences.extend(explanation.map(|it| it.sentence.into_iter().map(words).collect::<String>()));
            sentences.extend(last_step.map(|step| step.sentence));
        }
    }
    let waits: Vec<&str> =
        sentences.iter().filter_map(|sentence| Some(sentence.split_once("The next try is in ")?.1)).collect();
    assert!(waits.iter().any(|wait| wait.ends_with(" min.") || wait.ends_with(" s.")), "{sentences:?}");
    for wait in waits {
        // Not `8m0.1s`.
        let number = wait.split(' ').next().unwrap();
        assert!(number.parse::<u32>().is_ok(), "{wait}");
    }
}

/// The sentences of all waves in which a marked number is not the one that the picture shows there, and that don't say why.
fn untrue_sentences(player: &mut Player, playback: &Playback, name: &str) -> Vec<String> {
    /// Words that say when a number was so, or who counts something else.
    const SAID: [&str; 7] = [
        "before this step",
        "at this step",
        " had ",
        "it counts",
        "the controller counts",
        "ReplicaSets want",
        " terminating",
    ];
    let mut untrue = Vec::new();
    for time in &playback.waves {
        let playhead = playback.at_time(*time);
        let frames = playback.lane_frames(playhead);
        let request = InspectRequest { generation: 1, frames, level: StepLevel::Wave, explain: None, tables: false };
        let Response::Inspected(inspection) = player.respond(Request::Inspect(request)) else {
            panic!("an inspection is answered by one")
        };
        for (number, lane) in inspection.lanes.into_iter().enumerate() {
            let snapshot = playback.lanes[number].track.snapshot_at(playback.moment(number, playhead));
            // What was last said at an earlier time says so.
            let explanation = lane.explanation.filter(|it| playback.clock(it.time) == playback.clock(*time));
            let (Some(snapshot), Some(explanation)) = (snapshot, explanation) else { continue };
            let mut sentence = String::new();
            let mut differ = Vec::new();
            for segment in explanation.sentence {
                match segment {
                    Segment::Text(text) => sentence.push_str(&text),
                    Segment::Operand(Operand { name, value, mark, .. }) => {
                        sentence.push_str(&value);
                        let drawn = mark.and_then(|mark| snapshot.number_at(mark)).map(group_digits);
                        differ.extend(drawn.filter(|drawn| *drawn != value).map(|drawn| format!("{name}: {drawn}")));
                    }
                }
            }
            if !differ.is_empty() && SAID.iter().all(|said| !sentence.contains(said)) {
                let clock = playback.clock(*time);
                untrue.push(format!("{name}, lane {number}, {clock}: {sentence} (drawn: {})", differ.join(", ")));
            }
        }
    }
    untrue
}

#[test]
fn every_number_of_a_sentence_is_in_the_picture_or_the_sentence_says_why_not() {
    let mut untrue = Vec::new();
    for (name, mut player, playback) in played_chapters() {
        untrue.extend(untrue_sentences(&mut player, &playback, &name));
    }
    for entry in scenario_file("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        let requests = || chapter_requests(&story, name, story.chapter_count() - 1);
        let playback = play(&mut Player::new(), requests());
        let workload = playback.lanes[0].played.workload.clone();
        if workload.as_ref().is_none_or(|it| it.kind != WorkloadKind::Deployment) {
            continue;
        }
        for action in [json!({"scale": {"replicas": 2}}), json!({"scale": {"replicas": 30}}), json!({"undo": {}})] {
            let at = playback.waves[playback.waves.len() / 2];
            let fork = Fork { at, action: action.clone(), target: workload.clone() };
            let mut player = Player::new();
            let playback = play_with(&mut player, requests(), &[fork]);
            untrue.extend(untrue_sentences(&mut player, &playback, &format!("{name}, {action}")));
        }
    }
    assert!(untrue.is_empty(), "{}: {}", untrue.len(), untrue.join("\n"));
}

/// The figures above a lane.
fn lane_figures(playback: &Playback, lane: usize) -> Vec<(&'static str, String)> {
    let totals = playback.totals(lane);
    let figures = figures(&totals, 0, None, None, playback.has_rollback(), playback.clock_format());
    figures.into_iter().map(|figure| (figure.label, figure.value)).collect()
}

#[test]
fn the_sandbox_gives_the_answers_of_every_chapter_and_remedy_that_updates_the_image() {
    let updates_image = |lane: &LaneRequest| {
        let actions = lane.scenario().and_then(|scenario| scenario["actions"].as_array());
        actions.is_some_and(|actions| actions.len() == 2 && actions[1].get("setTemplate").is_some())
    };
    let (mut compared_lanes, mut different) = (0, Vec::new());
    for entry in scenario_file("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        for (version, story) in [Some(story.clone()), story.remedy()].into_iter().flatten().enumerate() {
            for chapter in 0..story.chapter_count() {
                let lanes = chapter_requests(&story, name, chapter);
                if !lanes.iter().all(updates_image) {
                    continue;
                }
                let inputs = SandboxInputs::of_lanes(&lanes).unwrap();
                // The workbench reads a text, which says what no control does.
                if inputs.manifests().is_some() {
                    assert_eq!(name, "one-per-node");
                    continue;
                }
                let SandboxInputs { settings, comparison, .. } = inputs;
                let count = lanes.len();
                let story = play(&mut Player::new(), lanes);
                let sandbox = play(&mut Player::new(), settings.lane_requests(&comparison));
                // How long an autoscaler waits is no setting: its two lanes are one there.
                if sandbox.lanes.len() < count && name != "autoscaler" {
                    different.push(format!("{name} {version} {chapter}: {} of {count} lanes", sandbox.lanes.len()));
                }
                for lane in 0..sandbox.lanes.len() {
                    let [told, given] = [&story, &sandbox].map(|playback| lane_figures(playback, lane));
                    if told != given {
                        different.push(format!("{name} {version} {chapter} {lane}: {told:?} {given:?}"));
                    }
                    compared_lanes += 1;
                }
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(compared_lanes > 20, "{compared_lanes}");
}

#[test]
fn a_pod_that_waits_for_a_node_is_pending_and_one_that_only_starts_is_not() {
    let pending = |name: &str| {
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        let playback = play(&mut Player::new(), chapter_requests(&story, name, 0));
        let counts =
            playback.lanes[0].track.snapshots_from_zero().flat_map(|it| it.counts.to_vec()).collect::<Vec<_>>();
        counts.iter().map(|it| it.pending).max()
    };
    assert_eq!(["full-pool", "stuck", "fifteen"].map(pending), [Some(1), Some(2), Some(0)]);
}

/// What becomes of scaling to 20,000 pods at a time.
fn scaled_at(at: i64) -> ForkOutcome {
    // The quota refuses most of the pods, so there is not much to play.
    let settings = settings(&[(Field::Replicas, "2"), (Field::QuotaPods, "2")]);
    let comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);
    let LaneRequest { source, workload, begin, pins, .. } = settings.lane_requests(&comparison).swap_remove(0);
    let [namespace, name] = ["default", "web"].map(String::from);
    let target = Some(WorkloadName { kind: WorkloadKind::Deployment, namespace, name });
    let action = serde_json::json!({ "scale": { "replicas": 20_000 } });
    let forks = vec![Fork { at, action, target }];
    let play = PlayRequest { generation: 1, lane: 0, shown: 0, source, workload, begin, forks, pins };
    let Response::Played(mut played) = Player::new().respond(Request::Play(play)) else {
        panic!("the lane can be played");
    };
    played.forks.swap_remove(0)
}

#[test]
fn large_numbers_in_what_the_user_did_have_grouped_digits() {
    assert_eq!(scaled_at(5_000_000_000).sentence, "You scale Deployment web to 20,000.");
}

#[test]
fn an_action_after_the_end_of_the_simulation_says_where_that_is_on_the_clock_of_the_page() {
    let ForkOutcome { sentence, done } = scaled_at(365 * 24 * 3600 * 1_000_000_000);
    assert!(!done && sentence.starts_with("The simulation ends at "), "{sentence}");
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

/// A file of the stories.
pub fn scenario_file(name: &str) -> serde_json::Value {
    let path = format!("{}/../www/scenarios/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The requests for the lanes of a story's chapter.
pub fn chapter_requests(story: &Story, name: &str, chapter: usize) -> Vec<LaneRequest> {
    dragged_requests(story, name, chapter, DraggedNumbers::default())
}

fn dragged_requests(story: &Story, name: &str, chapter: usize, dragged: DraggedNumbers) -> Vec<LaneRequest> {
    let names = story.scenario_names(chapter, name).enumerate();
    names.map(|(lane, name)| story.lane_request(chapter, lane, scenario_file(name), dragged)).collect()
}

/// The lanes of a story, without the smaller cases that it begins with.
pub fn play_story(name: &str) -> Playback {
    play_story_in(&mut Player::new(), name)
}

/// Plays the lanes of a story, which the player can inspect then.
fn play_story_in(player: &mut Player, name: &str) -> Playback {
    let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
    play(player, chapter_requests(&story.last_chapter(), name, 0))
}

#[test]
fn the_numbers_of_captions_are_those_of_the_picture() {
    let mut marked = 0;
    for entry in scenario_file("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        for chapter in 0..story.chapter_count() {
            let playback = play(&mut Player::new(), chapter_requests(&story, name, chapter));
            for (number, caption) in captions_of(&story, chapter) {
                let figures = CaptionFigures::new(&story, Some(&playback), number, DraggedNumbers::default());
                let drawn = caption.text.with_numbers(|meaning| figures.number(meaning));
                assert_eq!(caption.text.to_string(), drawn, "{name}, caption {number}");
                let pods = [Figure::Pods, Figure::Peak].map(|figure| figures.number(Meaning::Figure(figure)));
                let is_marked = caption.text.pieces().iter().any(|piece| matches!(piece, Piece::Marked(..)));
                let before = caption.title.split_once(" pods").filter(|_| is_marked).map(|(before, _)| before);
                if let Some(said) = before.and_then(|before| number_in(before.rsplit(' ').next()?)) {
                    assert!(pods.contains(&Some(said)), "{name}: {} {pods:?}", caption.title);
                }
                let figures = caption.text.pieces().iter();
                marked += figures.filter(|piece| matches!(piece, Piece::Marked(_, Meaning::Figure(_)))).count();
            }
        }
    }
    assert!(marked > 9, "{marked}");
}

/// The captions of a chapter, each with its number in the story.
fn captions_of(story: &Story, chapter: usize) -> impl Iterator<Item = (usize, &Caption)> {
    story.captions().enumerate().filter(move |(number, _)| story.place(*number).0 == chapter)
}

#[test]
fn the_steps_of_a_chapter_happen_whatever_the_reader_drags() {
    for entry in scenario_file("index").as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let story = Story::parse(&scenario_file(&format!("{name}.story"))).unwrap();
        for chapter in 0..story.chapter_count() {
            let pieces = captions_of(&story, chapter).flat_map(|(_, caption)| caption.text.pieces());
            let dragged = pieces.filter_map(|piece| match piece {
                Piece::Marked(text, Meaning::Dragged(number)) => Some((*number, number_in(text).unwrap())),
                _ => None,
            });
            for (number, told) in dragged {
                let (least, most) = number.range(told);
                for value in [least, most] {
                    let dragged = DraggedNumbers::default().with(chapter, number, value);
                    let playback = play(&mut Player::new(), dragged_requests(&story, name, chapter, dragged));
                    let times = captions_of(&story, chapter).map(|(caption, _)| {
                        story.caption_moment(&playback, caption).unwrap_or_else(|problem| panic!("{name}: {problem}"))
                    });
                    assert!(times.map(|moment| moment.unwrap().time).is_sorted(), "{name}: {number:?} {value}");
                }
            }
        }
    }
}

/// `8 pods at most (3 over 5), 2 available at least, 0:15 all available after`, for each lane, and the trade.
fn story_figures(name: &str) -> Vec<String> {
    let playback = play_story(name);
    let mut lines: Vec<String> = playback
        .shown_lanes
        .iter()
        .map(|lane| {
            let other = playback.compared_with(*lane).map(|other| playback.totals(other));
            let (under, excess) = (playback.lanes[*lane].under, playback.own_excess(*lane));
            let totals = playback.totals(*lane);
            let clock = playback.clock_format();
            let figures = figures(&totals, under, excess, other.as_ref(), playback.has_rollback(), clock);
            let figures = figures.into_iter().map(|figure| {
                let note = figure.note.map(|note| format!(" ({note})")).unwrap_or_default();
                format!("{} {}{note}{}", figure.value, figure.label, if figure.is_better { " better" } else { "" })
            });
            figures.collect::<Vec<_>>().join(", ")
        })
        .collect();
    lines.extend(compared_trade(&playback).map(|trade| trade.sentences()));
    lines
}

#[test]
fn tries_that_a_quota_refuses_are_in_the_track() {
    let playback = play_story("quota");
    let track = &playback.lanes[0].track;
    assert!(track.setbacks.len() > 10, "{:?}", track.setbacks);
    for (time, setback) in &track.setbacks {
        assert_eq!(*setback, Setback::Creation);
        assert!(track.steps.iter().any(|step| step.time == *time), "{time}");
    }
    assert!(track.setbacks.is_sorted());
    assert!(play_story("fifteen").lanes.iter().all(|lane| lane.track.setbacks.is_empty()));
}

#[test]
fn runs_that_a_cron_job_skips_are_in_the_track() {
    let skipped = |playback: &Playback, lane: usize| {
        let setbacks = &playback.lanes[lane].track.setbacks;
        assert!(setbacks.iter().all(|(_, setback)| *setback == Setback::Run), "{setbacks:?}");
        setbacks.iter().map(|(time, _)| time.div_euclid(60_000_000_000)).collect::<Vec<i64>>()
    };
    // A run that is only late is not skipped.
    let deadline = play_story("cron-deadline");
    assert_eq!([skipped(&deadline, 0), skipped(&deadline, 1)], [vec![2, 4, 6], vec![4]]);
    // 148 runs were missed, and the latest one started.
    assert_eq!(skipped(&play_story("cron-comes-back"), 0), (3..150).collect::<Vec<i64>>());
}

#[test]
fn stories_have_only_figures_that_mean_something() {
    let five_two_five = [
        "8 pods at most (3 over 5), 2 available at least, 0:15 all available after better",
        "5 pods at most better, 2 available at least, 0:35 all available after",
        "3 fewer pods at most, but all available 20 s later (2.3 times as long). Both have 3 pods over the limit while it is 2.",
    ];
    assert_eq!(story_figures("five-two-five"), five_two_five);
    let same = "6 pods at most, 4 available at least";
    assert_eq!(story_figures("who-dies-first"), [same, same, "no difference in these numbers."]);
    let lost_node = [
        "13 pods at most (6 over 7), 5 available at least, 0:15 complete after better, never last old pod gone",
        "8 pods at most (1 over 7) better, 5 available at least, never complete after, never last old pod gone",
        "5 fewer pods at most, but never complete.",
    ];
    assert_eq!(story_figures("lost-node"), lost_node);
    assert_eq!(
        story_figures("stuck"),
        [
            "6 pods at most (1 over 5), 3 available at least, 12:05 complete after",
            "6 pods at most (1 over 5), 3 available at least, 1:35 complete after better",
            "the same number of pods, complete 10 min 30 s sooner."
        ]
    );
    assert_eq!(
        story_figures("older-kubectl"),
        [
            "34 pods at most (4 over 30), 16 available at least, never all available after",
            "30 pods at most better, 18 available at least better, never all available after",
            "4 fewer pods at most."
        ]
    );
    let names = scenario_file("index");
    for entry in names.as_array().unwrap() {
        let lines = story_figures(entry["name"].as_str().unwrap());
        assert!(lines.iter().all(|line| !line.contains("0:00")), "{lines:?}");
    }
}

#[test]
fn pods_are_old_or_new_only_in_a_rollout() {
    for story in ["five-two-five", "who-dies-first"] {
        assert_eq!(play_story(story).version_names(), ["running"; 3], "{story}");
    }
    assert_eq!(play_story("fifteen").version_names(), ["old", "new", "newest"]);
}

/// What is shown after some actions on a sandbox that was played.
fn shown_after(actions: Vec<RolloutAction>) -> Rc<RolloutState> {
    let (_, playback) = compared(&Settings::default());
    let state = Rc::new(RolloutState::new(StartPosition::Opening)).reduce(RolloutAction::Requested);
    let state = actions.into_iter().fold(state, Reducible::reduce);
    state.reduce(RolloutAction::Played(playback))
}

/// Opens an address.
fn restore(state: &SharedState) -> RolloutAction {
    RolloutAction::Restore(Vec::new(), RestoredPosition::of(state))
}

#[test]
fn an_address_says_where_the_playhead_goes_once() {
    let opened = shown_after(Vec::new());
    assert_eq!(opened.settled(), Some(SharedState::default()), "the page puts it there by itself");
    let second = 1_000_000_000;
    let state = shown_after(vec![restore(&SharedState { moment: Some(3 * second), ..SharedState::default() })]);
    assert_eq!(state.playhead.time, 3 * second);
    assert_eq!(state.settled().and_then(|shared| shared.moment), Some(3 * second));
    let (_, other) = compared(&settings(&[(Field::Replicas, "7")]));
    let state = state.reduce(RolloutAction::Requested).reduce(RolloutAction::Played(other));
    assert_eq!(state.settled().and_then(|shared| shared.moment), None, "other settings show their own moment");
}

#[test]
fn an_address_without_a_moment_brings_the_usual_one_back() {
    let state = shown_after(Vec::new()).reduce(RolloutAction::SeekTime(0));
    assert_eq!(state.playhead.time, 0);
    let state = state.reduce(restore(&SharedState::default()));
    assert_eq!(state.settled(), Some(SharedState::default()));
}

#[test]
fn an_address_says_which_api_write_is_shown() {
    let mut state = shown_after(Vec::new());
    for _ in 0..9 {
        let next = state.clone().reduce(RolloutAction::NextWrite);
        assert_eq!(next.playhead.position, state.playhead.position + 1);
        state = next;
        for level in [StepLevel::Write, StepLevel::Wave] {
            let left = state.clone().reduce(RolloutAction::SetLevel(level));
            let shared = left.settled().unwrap();
            assert_eq!(shared.zoomed_in, level == StepLevel::Write);
            let loaded = shown_after(vec![restore(&shared)]);
            assert_eq!((loaded.level, loaded.playhead), (level, left.playhead));
            assert_eq!(loaded.settled(), Some(shared.clone()));
            let gone_back = loaded.reduce(RolloutAction::Last).reduce(restore(&shared));
            assert_eq!((gone_back.level, gone_back.playhead), (level, left.playhead));
        }
    }
    let state = state.reduce(restore(&SharedState::default()));
    assert_eq!((state.level, state.settled()), (StepLevel::Wave, Some(SharedState::default())));
}

#[test]
fn the_page_knows_who_moved_the_playhead() {
    let moved_by =
        |actions: Vec<RolloutAction>| actions.into_iter().fold(shown_after(Vec::new()), Reducible::reduce).moved_by;
    assert_eq!(moved_by(Vec::new()), MovedBy::Page);
    assert_eq!(moved_by(vec![RolloutAction::First, RolloutAction::Next]), MovedBy::Step);
    assert_eq!(moved_by(vec![RolloutAction::First, RolloutAction::SeekTime(1)]), MovedBy::User);
    assert_eq!(moved_by(vec![RolloutAction::First, RolloutAction::Explain(1, None)]), MovedBy::Page);
    assert_eq!(moved_by(vec![RolloutAction::First, RolloutAction::Play, RolloutAction::Tick(9.0)]), MovedBy::User);
}

#[test]
fn a_slider_says_where_playing_began_and_where_it_rests() {
    let end = shown_after(Vec::new()).reduce(RolloutAction::Last);
    let last = end.playhead;
    let restarted = end.reduce(RolloutAction::Play);
    let first = restarted.playhead;
    assert_eq!((first.time, restarted.spoken_playhead), (0, first));
    let playing = restarted.reduce(RolloutAction::Tick(200.0)).reduce(RolloutAction::SetSpeed(8));
    assert!(playing.playhead.time > first.time);
    assert_eq!(playing.spoken_playhead, first);
    let paused = playing.clone().reduce(RolloutAction::Pause);
    assert_eq!(paused.spoken_playhead, paused.playhead);
    let over = playing.reduce(RolloutAction::Tick(1e9));
    // The end is announced, too.
    assert_eq!((over.is_playing, over.spoken_playhead, over.moved_by), (false, last, MovedBy::Step));
}

#[test]
fn an_action_that_is_refused_supersedes_nothing() {
    let action = serde_json::json!({ "scale": { "replicas": "x" } });
    let asked = shown_after(Vec::new()).reduce(RolloutAction::AddFork(action));
    let played = asked.reduce(RolloutAction::Requested);
    assert!(!played.is_superseded());
    let problem = Problem::new("forks[0].scale.replicas", "Invalid value");
    let refusal = Refusal { generation: 2, lane: 0, problem };
    let refused = played.reduce(RolloutAction::Refused(refusal));
    assert!(refused.fork_problem.is_some() && refused.is_busy() && !refused.is_superseded());
    let dismissed = refused.reduce(RolloutAction::DismissForkProblem);
    assert!(dismissed.reduce(RolloutAction::Requested).is_superseded());
}

#[test]
fn the_caption_follows_the_playhead() {
    let story = Story::parse(&scenario_file("fifteen.story")).unwrap();
    for chapter in 0..story.chapter_count() {
        let playback = play(&mut Player::new(), chapter_requests(&story, "fifteen", chapter));
        let [first, after] = [chapter, chapter + 1].map(|chapter| story.first_caption(chapter));
        assert_eq!(story.caption_at(&playback, playback.end_time(), first), after - 1);
        assert_eq!(story.caption_at(&playback, 0, after - 1), first);
        for caption in first..after {
            let time = story.caption_moment(&playback, caption).unwrap().unwrap().time;
            assert_eq!(story.caption_at(&playback, playback.at_time(time).time, caption), caption);
        }
        assert_eq!(story.caption_moment(&playback, after % story.captions().count()), Ok(None));
    }
}

#[test]
fn an_address_waits_until_everything_has_come_to_rest() {
    let playing = shown_after(Vec::new()).reduce(RolloutAction::Play);
    assert_eq!(playing.settled(), None);
    assert_eq!(shown_after(Vec::new()).reduce(RolloutAction::Requested).settled(), None);
    assert_eq!(RolloutState::new(StartPosition::Opening).settled(), None);
}

#[test]
fn a_page_without_a_picture_shows_no_previous_result() {
    let (_, playback) = compared(&Settings::default());
    let playback = Rc::new(playback);
    assert_eq!([false, true].map(|is_invalid| Shown::new(None, is_invalid)), [Shown::Nothing, Shown::Nothing]);
    assert_eq!(Shown::new(Some(playback.clone()), true), Shown::Outdated);
    assert_eq!(Shown::new(Some(playback.clone()), false), Shown::Current(playback));
}

#[test]
fn the_numbers_that_are_downloaded_are_those_of_the_picture() {
    let mut settings = Settings::default();
    settings.set_mode(Mode::Exact);
    let (_, playback) = compared(&settings);
    let playback = Rc::new(playback);
    let shareable = Shareable {
        title: String::from("Title"),
        inputs: settings.summary(SettingsOrigin::Settings),
        file_name: String::from("rollout"),
        whole: SharedState::default(),
        state: Some(SharedState::default()),
        manifests: Some(settings.to_yaml().into()),
        shown: Shown::Current(playback.clone()),
    };
    let page = String::from("https://example.com/sandbox/");
    let read = |reopen_from: ReopenFrom| {
        serde_json::from_str::<serde_json::Value>(&data(&shareable, &playback, &reopen_from)).unwrap()
    };
    let in_file = read(ReopenFrom::File { page: page.clone(), name: String::from("rollout.changeover.json") });
    assert_eq!([&in_file["link"], &in_file["stateFile"]], [page.as_str(), "rollout.changeover.json"]);
    let data = read(ReopenFrom::Link(format!("{page}#state=abc")));
    assert_eq!(data["link"], format!("{page}#state=abc"));
    assert_eq!(data["stateFile"], serde_json::Value::Null);
    assert_eq!(data["versions"], serde_json::json!(["old", "new"]));
    for (lane, numbers) in playback.lanes.iter().zip(data["lanes"].as_array().unwrap()) {
        let moments = numbers["moments"].as_array().unwrap();
        assert_eq!(moments.len(), lane.track.instants_from_zero().len());
        let peak = moments.iter().map(|moment| moment["pods"].as_i64().unwrap()).max();
        assert_eq!(peak, Some(lane.track.peak.into()));
        assert_eq!(numbers["answers"][0]["label"], "pods at most");
    }
    // Three old pods are asked to stop at once, and seven new ones start.
    let first = serde_json::json!({
        "seconds": 0.0, "available": [12, 0], "starting": 7, "terminating": 3, "pods": 22,
        "atLeast": 12, "desired": 15, "limit": 19, "over": 3,
    });
    assert_eq!(data["lanes"][0]["moments"][0], first);
}

#[test]
fn no_two_moments_of_a_table_look_alike() {
    let (_, playback) = compared(&settings(&[(Field::Replicas, "15"), (Field::Jitter, "40")]));
    let change = playback.totals(0).change;
    let moments = playback.lanes[0].track.instants_from_zero();
    let times: Vec<i64> = moments.iter().map(|moment| moment.from.time).filter(|time| *time >= change).collect();
    let look_alike = |clocks: &[String]| clocks.windows(2).any(|pair| pair[0] == pair[1]);
    let seconds: Vec<String> = times.iter().map(|time| playback.clock(*time)).collect();
    assert!(look_alike(&seconds), "pods become ready within a second: {seconds:?}");
    let clocks = playback.clock_column(&times);
    assert!(!look_alike(&clocks), "{clocks:?}");
    assert_eq!(playback.clocks(&[change - 5, change - 1, change]), ["before", "before", "0:00"]);
}

const SECOND: i64 = 1_000_000_000;

fn jobs(settings: &JobSettings) -> Playback {
    play(&mut Player::new(), settings.lane_requests())
}

/// What stands in a column of a lane at a second.
fn column_at(lane: &Lane, column: usize, second: i64) -> Vec<Activity> {
    let moment = Moment { frame: usize::MAX, time: second.saturating_mul(SECOND) };
    let occupants = lane.fixed_columns.as_ref().unwrap().occupants(&lane.track, column, moment);
    occupants.into_iter().map(|occupant| occupant.activity).collect()
}

/// Kubernetes issue 115844.
#[test]
fn an_index_has_two_pods_while_one_terminates() {
    let playback = jobs(&JobSettings::default());
    let [now, later] = [0, 1].map(|lane| &playback.lanes[lane]);
    let twice = [now, later].map(|lane| lane.played.totals.job.unwrap().two_of_index);
    let twice = twice.map(|time| time.map(|time| Duration(time).rounded()));
    assert_eq!(twice, [Some(Duration::seconds(10)), Some(Duration(0))]);
    let is_about = |time: i64, seconds: i64| Duration(time).rounded() == Duration::seconds(seconds);
    assert!(matches!(column_at(now, 1, 15)[..], [Activity::Holds(_)]));
    assert!(
        matches!(column_at(now, 1, 25)[..], [Activity::Holds(_), Activity::Waits { until, .. }] if is_about(until, 30))
    );
    assert!(matches!(column_at(now, 1, 35)[..], [Activity::Holds(_), Activity::Holds(_)]));
    assert!(matches!(column_at(later, 1, 35)[..], [Activity::Holds(_)]));
    assert!(matches!(column_at(later, 1, 45)[..], [Activity::Waits { until, .. }] if is_about(until, 50)));
    // The Job counts a failure up to a second later. The wait is the whole back-off nevertheless.
    for (lane, second) in [(now, 25), (later, 45)] {
        let last = column_at(lane, 1, second).pop();
        assert!(matches!(last, Some(Activity::Waits { since, until }) if is_about(until.saturating_sub(since), 10)));
    }
}

#[test]
fn the_columns_of_a_job_have_all_its_pods() {
    let mut crashing = JobSettings::default();
    crashing.disruption = Disruption::Crashes;
    let mut alike = crashing.clone();
    alike.completion_mode = CompletionMode::NonIndexed;
    let many = JobSettings::default().with_text(JobField::Completions, String::from("30"));
    for (settings, meaning) in [
        (JobSettings::default(), ColumnMeaning::Index),
        (crashing, ColumnMeaning::Index),
        (alike, ColumnMeaning::Attempt),
        (many, ColumnMeaning::Index),
    ] {
        let playback = jobs(&settings);
        for lane in &playback.lanes {
            let columns = lane.fixed_columns.as_ref().unwrap();
            assert_eq!(columns.meaning, meaning);
            for snapshot in lane.track.snapshots_from_zero() {
                let occupants = (0..columns.len()).map(|column| columns.occupants(&lane.track, column, snapshot.from));
                let pods: usize = occupants.map(|occupants| holding(&occupants)).sum();
                assert_eq!(i32::try_from(pods), Ok(snapshot.pods()));
            }
        }
    }
}

/// A Job counts a terminating pod as failed at once, unless it waits until the pod has ended.
#[test]
fn terminating_pods_that_count_as_failed_are_known() {
    let strict = JobSettings::default().with_text(JobField::BackoffLimit, String::from("0"));
    for (settings, second, expected) in [
        (JobSettings::default(), 15, [0, 0]),
        (JobSettings::default(), 25, [1, 0]),
        (JobSettings::default(), 45, [0, 0]),
        (strict.clone(), 25, [3, 0]),
        (strict, 65, [0, 0]),
    ] {
        let playback = jobs(&settings);
        let moment = Moment { frame: usize::MAX, time: SECOND * second };
        let counted = [0, 1].map(|lane| playback.lanes[lane].track.terminating_counted_as_failed(moment));
        assert_eq!(counted, expected, "{settings:?} at {second} s");
    }
}

/// Kubernetes issue 67250.
#[test]
fn an_ordinal_waits_for_the_pod_that_is_not_ready() {
    let playback = play_story_in(&mut Player::new(), "set-stuck");
    let lane = &playback.lanes[0];
    let columns = lane.fixed_columns.as_ref().unwrap();
    assert_eq!((columns.meaning, columns.len()), (ColumnMeaning::Ordinal, 3));
    let moment = |second: i64| Moment { frame: usize::MAX, time: second.saturating_mul(SECOND) };
    let awaited = |second: i64| [0, 1, 2].map(|column| columns.awaited(&lane.track, column, moment(second)));
    let [broken, rolled_back] = [60, 180].map(awaited);
    assert_eq!(awaited(0), [None; 3]);
    // The image of the last pod can't be pulled. Once the others have the image that is wanted, only that pod waits.
    assert_eq!(broken, [Some(Awaited::Other(2)), Some(Awaited::Other(2)), None]);
    assert_eq!(rolled_back, [None, None, Some(Awaited::Itself)]);
    assert_eq!([0, 1, 2, 3].map(|ordinal| lane.track.claims_at(ordinal, moment(7))), [1, 1, 1, 0]);
}

#[test]
fn a_daemon_set_has_a_column_for_each_node() {
    let set = json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": { "name": "agent" },
        "spec": {
            "selector": { "matchLabels": { "app": "agent" } },
            "updateStrategy": { "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "template": {
                "metadata": { "labels": { "app": "agent" } },
                "spec": { "containers": [{ "name": "agent", "image": "agent:v1" }] },
            },
        },
    });
    let template = json!({ "spec": { "containers": [{ "image": "agent:v2" }] } });
    let scenario = json!({
        "version": 1,
        "nodes": [{ "name": "node-a" }, { "name": "node-b" }, { "name": "node-c" }],
        "actions": [
            { "create": set },
            { "at": "1m", "setTemplate": { "kind": "DaemonSet", "name": "agent", "template": template } },
        ],
    });
    let request = LaneRequest { source: LaneSource::Scenario(scenario), ..LaneRequest::default() };
    let playback = play(&mut Player::new(), vec![request]);
    let lane = &playback.lanes[0];
    let columns = lane.fixed_columns.as_ref().unwrap();
    assert_eq!((columns.meaning, columns.len(), lane.played.nodes.len()), (ColumnMeaning::Node, 3, 3));
    let mut most = 0;
    for snapshot in lane.track.snapshots_from_zero() {
        let pods = [0, 1, 2].map(|column| holding(&columns.occupants(&lane.track, column, snapshot.from)));
        assert_eq!(i32::try_from(pods.iter().sum::<usize>()), Ok(snapshot.pods()));
        most = pods.into_iter().max().unwrap_or(0).max(most);
    }
    assert_eq!(most, 2, "the new pod of a node starts beside the old one");
    assert!(lane.played.totals.complete.is_some(), "{:?}", lane.played.totals);
}

/// The names of an enum's variants, from the error for an unknown value. The derive macro writes that list.
fn variant_names<T: FromJson>() -> String {
    let problem = decode::<T>(&serde_json::json!("?"), "").err().unwrap();
    let (_, names) = problem.message.split_once("must be one of ").unwrap();
    names.to_owned()
}

#[test]
fn the_lists_of_fields_have_every_field() {
    let list = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    assert_eq!(list(&Field::ALL.map(Field::as_str)), variant_names::<Field>());
    assert_eq!(list(&JobField::ALL.map(JobField::as_str)), variant_names::<JobField>());
}
