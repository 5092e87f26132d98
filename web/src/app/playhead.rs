//! Where the playhead stands, and what follows it.

use changeover_wire::SeekMode;
use web_sys::HtmlSelectElement;

use super::App;
use crate::dom;
use crate::linear_scale::to_f64;
use crate::virtual_clock::{self, SPEEDS};

/// How long a word takes to be read.
const READING_MILLISECONDS_PER_WORD: f64 = 220.0;

impl App {
    pub(super) fn set_alignment(&mut self, what: &str) -> bool {
        let Some(stage) = &mut self.playback else { return false };
        let by_step = if what.is_empty() { !stage.is_by_step() } else { what == "step" };
        self.seek_mode = if by_step { SeekMode::Milestone } else { SeekMode::Time };
        stage.set_by_step(by_step);
        self.set_playing(false);
        if !by_step && !self.sandbox {
            self.go_to_caption();
        }
        self.follow_playhead();
        self.inspect();
        true
    }

    /// To the next caption or the one before.
    pub(super) fn turn_caption(&mut self, forward: bool) -> bool {
        if self.sandbox {
            return false;
        }
        let last = self.story_session.captions().len().saturating_sub(1);
        let at = if forward {
            self.story_session.caption_index.saturating_add(1)
        } else {
            self.story_session.caption_index.saturating_sub(1)
        };
        self.story_session.caption_index = at.min(last);
        if self.what_if.clear() {
            self.restart = true;
            self.play_story();
        }
        self.go_to_caption();
        if !self.story_session.shows_help {
            dom::set_route(&format!(
                "stories/{}/{}",
                self.story_session.story_name,
                self.story_session.caption_index.saturating_add(1)
            ));
        }
        true
    }

    pub(super) fn go_to_caption(&mut self) {
        // Lanes that come are shown there, and what was done beside the story has no caption.
        let here = !self.player_client.is_loading() && !self.what_if.has_forks();
        let Some(stage) = self.playback.as_mut().filter(|_| here) else { return };
        match self.story_session.caption_moment(stage, self.story_session.caption_index) {
            Ok((time, explain)) => {
                self.playing = false;
                self.ticker.set_running(false);
                self.stop_time = None;
                self.hold_milliseconds = 0.0;
                self.left_caption_time = None;
                self.seek_mode = SeekMode::Time;
                stage.wait_speedup = None;
                stage.seek_time(time);
                self.explained_step = explain;
                if let Some((lane, open)) =
                    explain.zip(self.story_session.current_caption()).map(|((lane, _), it)| (lane, it.facts))
                    && let Some(facts) = self.details_open.get_mut(lane)
                {
                    *facts |= open;
                }
                self.show_play_state();
                self.announce_next = true;
                self.inspect();
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    pub(super) fn set_speed(&mut self, speed: usize) {
        self.speed = speed.min(SPEEDS.len().saturating_sub(1));
        if let Some(select) = dom::by_id_as::<HtmlSelectElement>("speed") {
            select.set_selected_index(i32::try_from(self.speed).unwrap_or(0));
        }
    }

    /// The playhead was moved: what is explained follows from how.
    pub(super) fn playhead_moved(&mut self, pace: SeekMode) {
        self.seek_mode = pace;
        self.explained_step = None;
        self.inspect();
    }

    pub(super) fn seek(&mut self, time: i64) {
        self.set_playing(false);
        if let Some(stage) = &mut self.playback {
            stage.seek_time(time);
        }
        self.playhead_moved(SeekMode::Time);
        self.follow_playhead();
    }

    pub(super) fn go_to_position(&mut self, position: usize) {
        self.set_playing(false);
        let Some(stage) = &mut self.playback else { return };
        stage.seek_position(position);
        self.announce_next = true;
        self.playhead_moved(self.seek_mode);
        self.follow_playhead();
    }

    pub(super) fn step_milestone(&mut self, forward: bool) {
        let Some(stage) = &self.playback else { return };
        let to = stage.next_milestone(forward);
        self.seek_mode = SeekMode::Milestone;
        self.go_to_position(to);
    }

    pub(super) fn step_write(&mut self, forward: bool) {
        let Some(stage) = &mut self.playback else { return };
        stage.set_by_step(false);
        let to = if forward { stage.position.saturating_add(1) } else { stage.position.saturating_sub(1) };
        self.seek_mode = SeekMode::Write;
        self.go_to_position(to);
    }

    pub(super) fn set_playing(&mut self, on: bool) {
        self.playing = on;
        self.plays_on = false;
        self.stop_time = None;
        self.hold_milliseconds = 0.0;
        if let Some(stage) = &mut self.playback {
            stage.wait_speedup = None;
        }
        self.ticker.set_running(on);
        self.show_play_state();
    }

    pub(super) fn show_play_state(&self) {
        if let Some(bar) = dom::by_id("bar") {
            let class = match self.playing {
                true if self.hold_milliseconds > 0.0 => "bar playing holds",
                true => "bar playing",
                false => "bar",
            };
            dom::set_attribute(&bar, "class", class);
        }
    }

    pub(super) fn toggle_playing(&mut self) {
        let Some(stage) = &mut self.playback else { return };
        stage.set_by_step(false);
        if !self.playing && stage.position >= stage.lockstep.len() {
            stage.seek_position(0);
        }
        self.set_playing(!self.playing);
        if self.playing {
            self.play_to_next_caption();
        }
        self.playhead_moved(SeekMode::Time);
    }

    /// Lets a story play from caption to caption: each is left the time to be read.
    fn play_to_next_caption(&mut self) {
        let told = !self.sandbox && !self.what_if.has_forks();
        let Some(stage) = self.playback.as_ref().filter(|_| told) else { return };
        let moments =
            (0..self.story_session.captions().len()).map_while(|at| self.story_session.caption_moment(stage, at).ok());
        self.stop_time = moments.map(|(time, _)| time).find(|time| *time > stage.now);
        self.plays_on = self.stop_time.is_some();
    }

    /// Lets the caption be read before it plays on.
    pub(super) fn hold_for_reading(&mut self) {
        let said = self.story_session.current_caption().map_or(0, |caption| caption.text.split(' ').count());
        self.hold_milliseconds = READING_MILLISECONDS_PER_WORD * to_f64(i64::try_from(said).unwrap_or(0));
        self.show_play_state();
    }

    pub(super) fn tick(&mut self, browser: f64) -> bool {
        let Some(passed) = self.ticker.tick(browser) else { return false };
        // What is shown is over once the lanes that come are there.
        if self.player_client.is_loading() {
            return false;
        }
        if self.hold_milliseconds > 0.0 {
            self.hold_milliseconds -= passed;
            self.show_play_state();
            return false;
        }
        let Some(stage) = &mut self.playback else { return false };
        let speed = SPEEDS.get(self.speed).copied().unwrap_or(1.0);
        let (time, hurry) = virtual_clock::advance(&stage.lockstep, stage.now, passed, speed);
        let end = self.stop_time.unwrap_or_else(|| stage.end_time());
        let before = stage.position;
        stage.wait_speedup = hurry;
        stage.seek_time(time.min(end));
        let (over, moved) = (stage.now >= end, stage.position != before);
        if over && self.stop_time.is_some() && !self.sandbox {
            let goes_on = self.plays_on && stage.now < stage.end_time();
            self.follow_playhead();
            self.go_to_caption();
            if goes_on {
                self.set_playing(true);
                self.play_to_next_caption();
                self.hold_for_reading();
            }
            return true;
        }
        if over {
            self.set_playing(false);
        }
        if moved || over {
            self.playhead_moved(SeekMode::Time);
        }
        self.follow_playhead()
    }

    /// The caption follows the playhead. Whether it is another one.
    pub(super) fn follow_playhead(&mut self) -> bool {
        let told = !self.sandbox && !self.restart && !self.story_session.shows_help && !self.what_if.has_forks();
        let Some(stage) = self.playback.as_ref().filter(|_| told) else { return false };
        let at = self.story_session.caption_at(stage, stage.now);
        let moment = self.story_session.caption_moment(stage, at).ok().map(|(time, _)| time);
        let away = moment.filter(|time| stage.is_by_step() || *time != stage.now);
        let same = at == self.story_session.caption_index && away == self.left_caption_time;
        self.story_session.caption_index = at;
        self.left_caption_time = away;
        !same
    }
}
