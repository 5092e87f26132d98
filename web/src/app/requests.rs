//! Sends requests to the players, fetches files, and handles the responses.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, object};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::{ACTION_READING_TIME, App};
use crate::dom;
use crate::playback::{LaneInfo, Playback};
use crate::player_client::{CHECKER, PLAYER, PlayResponse, Request};

impl App {
    /// Sends a request to a player, or fetches a file (`target`: "file", `body`: its name).
    fn send(&self, target: &str, body: &str) {
        // Failures come back as responses.
        let _ = self.send_request.call2(&JsValue::NULL, &JsValue::from_str(target), &JsValue::from_str(body));
    }

    pub(super) fn send_to_player(&self, request: Option<Request>) {
        if let Some(Request { target, body }) = request {
            self.send(target, &body);
        }
    }

    /// Plays the story once all its files have arrived, and fetches missing ones.
    pub(super) fn play_story(&mut self) {
        match self.story_session.play_requests() {
            Ok(Some(lanes)) => {
                self.group_by_node =
                    self.group_by_node.or_else(|| self.story_session.story.as_ref().map(|story| story.by_node()));
                self.play_lanes(lanes);
            }
            Ok(None) => {}
            Err(problem) => self.show_problem(problem),
        }
        for name in self.story_session.take_missing_files() {
            self.send("file", &name);
        }
    }

    /// Shows a problem. Lanes of another view are removed.
    fn show_problem(&mut self, problem: Problem) {
        self.problem = Some(problem);
        if self.restart {
            self.playback = None;
            self.lane_graphics.clear();
        }
    }

    /// Plays the lanes again.
    pub(super) fn replay(&mut self) {
        if self.sandbox {
            self.play_lanes(self.form.play_requests());
        } else {
            self.play_story();
        }
    }

    /// Requests lanes.
    pub(super) fn play_lanes(&mut self, lanes: Vec<(LaneInfo, Value)>) {
        let common = [
            ("byNode", self.group_by_node.unwrap_or(false).into()),
            ("shown", self.playback.as_ref().map_or(0, |playback| playback.generation).into()),
            ("forks", self.what_if.requested_forks()),
        ];
        let request = self.player_client.play(lanes, &common);
        self.send_to_player(request);
    }

    /// Requests an inspection of all lanes at their current frames.
    pub(super) fn inspect(&mut self) {
        let Some(playback) = &self.playback else { return };
        let pair = |pair: Option<(usize, usize)>| {
            pair.map_or(Value::Null, |(one, other)| Value::Array(vec![index_value(one), index_value(other)]))
        };
        let pod = self.active_pod.and_then(|(lane, row, slot)| {
            let pod = playback.lanes.get(lane).and_then(|lane| lane.pod_at(row, slot))?;
            Some((lane, pod.pod))
        });
        let request = self.player_client.inspect(object(vec![
            ("generation", playback.generation.into()),
            ("frames", Value::Array(playback.lane_frames())),
            ("seekMode", self.seek_mode.number().into()),
            ("explain", pair(self.explained_step)),
            ("pod", pair(pod)),
            ("details", Value::Array(self.details_open.map(Value::Bool).into())),
        ]));
        self.send_to_player(request);
    }

    /// Handles a response or a file. Returns whether the page must be rendered.
    pub(super) fn handle_response(&mut self, source: &str, text: &str, track: &[i32]) -> bool {
        let response = || serde_json::from_str::<Value>(text).unwrap_or_default();
        match source {
            PLAYER => {
                let response = response();
                if response.get("lanes").is_some() {
                    self.inspection_received(response)
                } else {
                    self.lane_received(response, track)
                }
            }
            CHECKER => self.check_received(&response()),
            name => self.file_fetched(name, text),
        }
    }

    fn file_fetched(&mut self, name: &str, text: &str) -> bool {
        self.story_session.add_file(name, text);
        let had_story = self.story_session.story.is_some();
        // The file may belong to a story that the user has left.
        if self.restart && !self.sandbox && !self.player_client.is_loading() {
            self.play_story();
        }
        // Rendering with every file would delay the first lanes.
        had_story != self.story_session.story.is_some() || self.playback.is_some() || self.problem.is_some()
    }

    fn check_received(&mut self, response: &Value) -> bool {
        let Some(problem) = self.player_client.checked(response) else { return false };
        self.show_problem(problem);
        true
    }

    fn inspection_received(&mut self, mut response: Value) -> bool {
        let next = self.player_client.inspected();
        self.send_to_player(next);
        let generation = i64_field(&response, "generation");
        let Some(playback) = self.playback.as_mut().filter(|playback| playback.generation == generation) else {
            return false;
        };
        for (index, lane) in playback.lanes.iter_mut().enumerate() {
            lane.inspection =
                response.get_mut("lanes").and_then(|lane| lane.get_mut(index)).map(Value::take).unwrap_or_default();
        }
        self.highlight_term();
        if self.active_pod.is_some() {
            self.pod_response = response;
            self.show_active_pod();
        }
        if self.announce_next && !self.player_client.is_inspecting() {
            self.announce_next = false;
            self.announce_step();
        }
        true
    }

    fn lane_received(&mut self, response: Value, track: &[i32]) -> bool {
        let (generation, lanes) = match self.player_client.lane_played(response, track) {
            Ok(PlayResponse::Next(request)) => {
                self.send_to_player(request);
                return false;
            }
            Ok(PlayResponse::Complete { generation, lanes }) => (generation, lanes),
            Err(problem) => {
                if !self.what_if.take_problem(&problem) {
                    self.show_problem(problem);
                }
                return true;
            }
        };
        let playback = Playback::new(generation, lanes, self.group_by_node.unwrap_or(false));
        let Ok(forked) = self.what_if.lanes_played(&playback) else { return true };
        self.problem = None;
        self.active_term = None;
        self.active_pod = None;
        self.show_lanes(playback, forked);
        true
    }

    /// Shows new lanes. If they replace lanes of the same view, the playhead stays, or stays at the caption.
    fn show_lanes(&mut self, playback: Playback, forked: Option<i64>) {
        let has_forks = self.what_if.has_forks();
        if !has_forks {
            self.baseline_totals = playback.lanes.iter().map(|lane| lane.totals).collect();
        }
        let previous = self.playback.replace(playback);
        let restart = std::mem::take(&mut self.restart);
        let at_caption = !self.sandbox && !has_forks && self.left_caption_time.is_none();
        match previous.filter(|_| !restart) {
            Some(_) if at_caption => self.go_to_caption(),
            Some(previous) => self.resume_playback(&previous, forked),
            None => self.start_playback(),
        }
        self.inspect();
    }

    /// Starts a new view. The first visit plays the story from its first caption to the second, after some time to read; the
    /// sandbox plays to the peak. Nothing plays by itself if the user prefers reduced motion.
    fn start_playback(&mut self) {
        let first = std::mem::take(&mut self.first_visit);
        let Some(playback) = &self.playback else { return };
        if self.sandbox {
            let peak_time = playback.peak_time();
            self.seek(0);
            if dom::prefers_reduced_motion() {
                self.seek(peak_time);
            } else {
                self.set_playing(true);
                self.stop_time = Some(peak_time);
            }
            return;
        }
        self.go_to_caption();
        // An address with a caption stays at that caption.
        if first && !dom::route().contains('/') && !dom::prefers_reduced_motion() {
            let stop = self.playback.as_ref().and_then(|playback| self.story_session.caption_moment(playback, 1).ok());
            self.set_playing(true);
            self.stop_time = stop.map(|(time, _)| time);
            self.hold_for_reading();
        }
    }

    /// Continues at the position of the playhead, or at a new fork.
    fn resume_playback(&mut self, previous: &Playback, forked: Option<i64>) {
        let Some(playback) = &mut self.playback else { return };
        self.left_caption_time = None;
        match forked {
            None => playback.seek_like(previous),
            Some(time) => {
                playback.seek_user_action(time);
                self.what_if.close_applied();
                self.announce_next = true;
                self.set_playing(!dom::prefers_reduced_motion());
                if self.playing {
                    // Leave time to read about the fork before its consequences appear.
                    self.hold_milliseconds = ACTION_READING_TIME;
                    self.show_play_state();
                }
            }
        }
        self.playhead_moved(self.seek_mode);
        self.follow_playhead();
    }
}
