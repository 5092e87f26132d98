//! What is asked for and heard, and where the address leads.

use changeover_core::Problem;
use changeover_wire::{i64_field, index_value, object};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::{ACTION_READING_TIME, App};
use crate::dom;
use crate::playback::{LaneInfo, Playback};
use crate::player_client::{CHECKER, PLAYER, PlayResponse, Request};

impl App {
    /// Asks a player, or for a file (`whom`: "file", and its name).
    fn send(&self, whom: &str, what: &str) {
        // Whatever is wrong there is heard as an answer.
        let _ = self.send_request.call2(&JsValue::NULL, &JsValue::from_str(whom), &JsValue::from_str(what));
    }

    pub(super) fn send_to_player(&self, question: Option<Request>) {
        if let Some(Request { target: whom, body: text }) = question {
            self.send(whom, &text);
        }
    }

    /// Goes where the address says: a story and its caption, or the sandbox.
    pub(super) fn follow_route(&mut self) {
        let place = dom::route();
        let mut parts = place.split('/');
        let sandbox = parts.next() == Some("sandbox");
        let another = sandbox != self.sandbox;
        self.sandbox = sandbox;
        for (id, here) in [("to-stories", !sandbox), ("to-sandbox", sandbox)] {
            if let Some(link) = dom::by_id(id) {
                dom::set_attribute(&link, "aria-current", if here { "page" } else { "false" });
            }
        }
        if another {
            self.what_if.switch_view(sandbox);
        }
        if sandbox {
            if another || self.playback.is_none() {
                self.leave_view();
                self.play_lanes(self.form.play_requests());
            }
            return;
        }
        let name = parts.next().unwrap_or_default();
        let caption = parts.next().and_then(|number| number.parse::<usize>().ok());
        let name =
            if name.is_empty() { self.story_session.entries.first().map_or("", |entry| &entry.name) } else { name };
        let name = String::from(name);
        let before = self.story_session.caption_index;
        if self.story_session.open_story(&name, caption.unwrap_or(1).saturating_sub(1))
            || another
            || self.playback.is_none()
        {
            self.leave_view();
            self.what_if.clear();
            self.play_story();
        } else if self.story_session.caption_index == before {
            // The address only follows what was done here; more may have been done since.
        } else if self.what_if.clear() {
            self.restart = true;
            self.play_story();
        } else {
            self.go_to_caption();
        }
    }

    /// For another place: nothing of this one is kept, and nothing that is on its way to it is wanted.
    fn leave_view(&mut self) {
        self.player_client.cancel();
        self.set_playing(false);
        self.restart = true;
        self.problem = None;
        self.baseline_totals.clear();
        self.group_by_node = None;
        self.details_open = [false; 3];
        self.sheet_lane = None;
        self.active_term = None;
    }

    /// Asks for what is missing of a story; plays it once nothing is.
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

    /// Says what is wrong. What is shown of another place does not belong to that.
    fn show_problem(&mut self, problem: Problem) {
        self.problem = Some(problem);
        if self.restart {
            self.playback = None;
            self.lane_graphics.clear();
        }
    }

    /// Has the lanes played again.
    pub(super) fn replay(&mut self) {
        if self.sandbox {
            self.play_lanes(self.form.play_requests());
        } else {
            self.play_story();
        }
    }

    /// Has lanes played.
    fn play_lanes(&mut self, lanes: Vec<(LaneInfo, Value)>) {
        let how = [
            ("byNode", self.group_by_node.unwrap_or(false).into()),
            ("shown", self.playback.as_ref().map_or(0, |stage| stage.generation).into()),
            ("forks", self.what_if.requested_forks()),
        ];
        let question = self.player_client.play(lanes, &how);
        self.send_to_player(question);
    }

    /// Asks what there is to see.
    pub(super) fn inspect(&mut self) {
        let Some(stage) = &self.playback else { return };
        let pair = |pair: Option<(usize, usize)>| {
            pair.map_or(Value::Null, |(one, other)| Value::Array(vec![index_value(one), index_value(other)]))
        };
        let pod = self.active_pod.and_then(|(lane, row, slot)| {
            let pod = stage.lanes.get(lane).and_then(|it| it.pod_at(row, slot))?;
            Some((lane, pod.pod))
        });
        let question = self.player_client.inspect(object(vec![
            ("generation", stage.generation.into()),
            ("frames", Value::Array(stage.lane_frames())),
            ("pace", self.seek_mode.number().into()),
            ("explain", pair(self.explained_step)),
            ("pod", pair(pod)),
            ("facts", Value::Array(self.details_open.map(Value::Bool).into())),
        ]));
        self.send_to_player(question);
    }

    /// An answer, or a file. Whether the page must be rendered.
    pub(super) fn handle_response(&mut self, whom: &str, text: &str, film: &[i32]) -> bool {
        let answer = || serde_json::from_str::<Value>(text).unwrap_or_default();
        match whom {
            PLAYER => {
                let answer = answer();
                if answer.get("lanes").is_some() {
                    self.inspection_received(answer)
                } else {
                    self.lane_received(answer, film)
                }
            }
            CHECKER => self.check_received(&answer()),
            name => self.file_fetched(name, text),
        }
    }

    fn file_fetched(&mut self, name: &str, text: &str) -> bool {
        self.story_session.add_file(name, text);
        let told = self.story_session.story.is_some();
        // A file may be one of a story that was left.
        if self.restart && !self.sandbox && !self.player_client.is_loading() {
            self.play_story();
        }
        // A page that is laid out with every file comes later.
        told != self.story_session.story.is_some() || self.playback.is_some() || self.problem.is_some()
    }

    fn check_received(&mut self, answer: &Value) -> bool {
        let Some(problem) = self.player_client.checked(answer) else { return false };
        self.show_problem(problem);
        true
    }

    fn inspection_received(&mut self, mut answer: Value) -> bool {
        let next = self.player_client.inspected();
        self.send_to_player(next);
        let here = i64_field(&answer, "generation");
        let Some(stage) = self.playback.as_mut().filter(|stage| stage.generation == here) else { return false };
        for (index, lane) in stage.lanes.iter_mut().enumerate() {
            lane.inspection =
                answer.get_mut("lanes").and_then(|it| it.get_mut(index)).map(Value::take).unwrap_or_default();
        }
        self.highlight_term();
        if self.active_pod.is_some() {
            self.pod_response = answer;
            self.show_active_pod();
        }
        if self.announce_next && !self.player_client.is_inspecting() {
            self.announce_next = false;
            self.announce_step();
        }
        true
    }

    fn lane_received(&mut self, answer: Value, film: &[i32]) -> bool {
        let (generation, lanes) = match self.player_client.lane_played(answer, film) {
            Ok(PlayResponse::Next(question)) => {
                self.send_to_player(question);
                return false;
            }
            Ok(PlayResponse::Complete(generation, lanes)) => (generation, lanes),
            Err(problem) => {
                if !self.what_if.take_problem(&problem) {
                    self.show_problem(problem);
                }
                return true;
            }
        };
        let stage = Playback::new(generation, lanes, self.group_by_node.unwrap_or(false));
        let Ok(forked) = self.what_if.lanes_played(&stage) else { return true };
        self.problem = None;
        self.active_term = None;
        self.active_pod = None;
        self.show_lanes(stage, forked);
        true
    }

    /// New lanes are there. Where they take the place of others, the playhead stays; who stands at a caption stays at that.
    fn show_lanes(&mut self, stage: Playback, forked: Option<i64>) {
        let forks = self.what_if.has_forks();
        if !forks {
            self.baseline_totals = stage.lanes.iter().map(|lane| lane.totals).collect();
        }
        let before = self.playback.replace(stage);
        let anew = std::mem::take(&mut self.restart);
        let captioned = !self.sandbox && !forks && self.left_caption_time.is_none();
        match before.filter(|_| !anew) {
            Some(_) if captioned => self.go_to_caption(),
            Some(before) => self.resume_playback(&before, forked),
            None => self.start_playback(),
        }
        self.inspect();
    }

    /// Begins to show. The first visit plays from a story's first caption, once that could be read, to its second; the
    /// sandbox until the moment that tells the most. With less motion nothing plays by itself.
    fn start_playback(&mut self) {
        let first = std::mem::take(&mut self.first_visit);
        let Some(stage) = &self.playback else { return };
        if self.sandbox {
            let telling = stage.peak_time();
            self.seek(0);
            if dom::prefers_reduced_motion() {
                self.seek(telling);
            } else {
                self.set_playing(true);
                self.stop_time = Some(telling);
            }
            return;
        }
        self.go_to_caption();
        // Who asks for a caption gets that one, and stays there.
        if first && !dom::route().contains('/') && !dom::prefers_reduced_motion() {
            let stop = self.playback.as_ref().and_then(|stage| self.story_session.caption_moment(stage, 1).ok());
            self.set_playing(true);
            self.stop_time = stop.map(|(time, _)| time);
            self.hold_for_reading();
        }
    }

    /// Goes on from where the playhead stood; where something was done then, from that.
    fn resume_playback(&mut self, before: &Playback, forked: Option<i64>) {
        let Some(stage) = &mut self.playback else { return };
        self.left_caption_time = None;
        match forked {
            None => stage.seek_like(before),
            Some(time) => {
                stage.seek_user_action(time);
                self.what_if.close_applied();
                self.announce_next = true;
                self.set_playing(!dom::prefers_reduced_motion());
                if self.playing {
                    // What was done is read before its consequences come.
                    self.hold_milliseconds = ACTION_READING_TIME;
                    self.show_play_state();
                }
            }
        }
        self.playhead_moved(self.seek_mode);
        self.follow_playhead();
    }
}
