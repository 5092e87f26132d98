//! Moves the playhead: playing, seeking, stepping, and going from caption to caption.

use changeover_wire::SeekMode;
use web_sys::HtmlSelectElement;

use super::App;
use crate::dom;
use crate::linear_scale::to_f64;
use crate::virtual_clock::{self, SPEEDS};

/// The milliseconds that it takes to read a word.
const READING_MILLISECONDS_PER_WORD: f64 = 220.0;

impl App {
    /// Aligns the lanes by step or by time (`mode`), or switches between them. Returns whether the page must be rendered.
    pub(super) fn set_alignment(&mut self, mode: &str) -> bool {
        let Some(playback) = &mut self.playback else { return false };
        let by_step = if mode.is_empty() { !playback.is_by_step() } else { mode == "step" };
        self.seek_mode = if by_step { SeekMode::Milestone } else { SeekMode::Time };
        playback.set_by_step(by_step);
        self.set_playing(false);
        if !by_step && !self.sandbox {
            self.go_to_caption();
        }
        self.follow_playhead();
        self.inspect();
        true
    }

    /// Goes to the next or the previous caption. Returns whether the page must be rendered.
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
        if !self.story_session.shows_remedy {
            dom::set_route(&format!(
                "stories/{}/{}",
                self.story_session.story_name,
                self.story_session.caption_index.saturating_add(1)
            ));
        }
        true
    }

    /// Moves the playhead to the current caption.
    pub(super) fn go_to_caption(&mut self) {
        // New lanes will start at the caption anyway, and with forks the captions do not apply.
        let applies = !self.player_client.is_loading() && !self.what_if.has_forks();
        let Some(playback) = self.playback.as_mut().filter(|_| applies) else { return };
        match self.story_session.caption_moment(playback, self.story_session.caption_index) {
            Ok((time, explained_step)) => {
                self.playing = false;
                self.ticker.set_running(false);
                self.stop_time = None;
                self.hold_milliseconds = 0.0;
                self.left_caption_time = None;
                self.seek_mode = SeekMode::Time;
                playback.wait_speedup = None;
                playback.seek_time(time);
                self.explained_step = explained_step;
                if let Some((lane, open)) = explained_step
                    .zip(self.story_session.current_caption())
                    .map(|((lane, _), caption)| (lane, caption.facts))
                    && let Some(details_open) = self.details_open.get_mut(lane)
                {
                    *details_open |= open;
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

    /// Requests an inspection after a move of the playhead.
    pub(super) fn playhead_moved(&mut self, seek_mode: SeekMode) {
        self.seek_mode = seek_mode;
        self.explained_step = None;
        self.inspect();
    }

    /// Pauses and moves the playhead to a time.
    pub(super) fn seek(&mut self, time: i64) {
        self.set_playing(false);
        if let Some(playback) = &mut self.playback {
            playback.seek_time(time);
        }
        self.playhead_moved(SeekMode::Time);
        self.follow_playhead();
    }

    /// Pauses and moves the playhead to a position.
    pub(super) fn go_to_position(&mut self, position: usize) {
        self.set_playing(false);
        let Some(playback) = &mut self.playback else { return };
        playback.seek_position(position);
        self.announce_next = true;
        self.playhead_moved(self.seek_mode);
        self.follow_playhead();
    }

    /// Goes to the next or the previous milestone.
    pub(super) fn step_milestone(&mut self, forward: bool) {
        let Some(playback) = &self.playback else { return };
        let to = playback.next_milestone(forward);
        self.seek_mode = SeekMode::Milestone;
        self.go_to_position(to);
    }

    /// Goes to the next or the previous write.
    pub(super) fn step_write(&mut self, forward: bool) {
        let Some(playback) = &mut self.playback else { return };
        playback.set_by_step(false);
        let to = if forward { playback.position.saturating_add(1) } else { playback.position.saturating_sub(1) };
        self.seek_mode = SeekMode::Write;
        self.go_to_position(to);
    }

    /// Plays or pauses.
    pub(super) fn set_playing(&mut self, playing: bool) {
        self.playing = playing;
        self.plays_on = false;
        self.stop_time = None;
        self.hold_milliseconds = 0.0;
        if let Some(playback) = &mut self.playback {
            playback.wait_speedup = None;
        }
        self.ticker.set_running(playing);
        self.show_play_state();
    }

    /// Shows whether the page plays.
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

    /// Plays, from the start if it is at the end, or pauses.
    pub(super) fn toggle_playing(&mut self) {
        let Some(playback) = &mut self.playback else { return };
        playback.set_by_step(false);
        if !self.playing && playback.position >= playback.lockstep.len() {
            playback.seek_position(0);
        }
        self.set_playing(!self.playing);
        if self.playing {
            self.play_to_next_caption();
        }
        self.playhead_moved(SeekMode::Time);
    }

    /// Lets a story play up to the next caption.
    fn play_to_next_caption(&mut self) {
        let applies = !self.sandbox && !self.what_if.has_forks();
        let Some(playback) = self.playback.as_ref().filter(|_| applies) else { return };
        let captions = (0..self.story_session.captions().len())
            .map_while(|at| self.story_session.caption_moment(playback, at).ok());
        self.stop_time = captions.map(|(time, _)| time).find(|time| *time > playback.now);
        self.plays_on = self.stop_time.is_some();
    }

    /// Holds playing for as long as it takes to read the caption.
    pub(super) fn hold_for_reading(&mut self) {
        let words = self.story_session.current_caption().map_or(0, |caption| caption.text.split(' ').count());
        self.hold_milliseconds = READING_MILLISECONDS_PER_WORD * to_f64(i64::try_from(words).unwrap_or(0));
        self.show_play_state();
    }

    /// Advances the virtual clock for a painted frame. Returns whether the page must be rendered.
    pub(super) fn tick(&mut self, now: f64) -> bool {
        let Some(passed) = self.ticker.tick(now) else { return false };
        // These lanes are about to be replaced.
        if self.player_client.is_loading() {
            return false;
        }
        if self.hold_milliseconds > 0.0 {
            self.hold_milliseconds -= passed;
            self.show_play_state();
            return false;
        }
        let Some(playback) = &mut self.playback else { return false };
        let speed = SPEEDS.get(self.speed).copied().unwrap_or(1.0);
        let (time, speedup) = virtual_clock::advance(&playback.lockstep, playback.now, passed, speed);
        let end = self.stop_time.unwrap_or_else(|| playback.end_time());
        let before = playback.position;
        playback.wait_speedup = speedup;
        playback.seek_time(time.min(end));
        let (at_end, moved) = (playback.now >= end, playback.position != before);
        if at_end && self.stop_time.is_some() && !self.sandbox {
            let plays_on = self.plays_on && playback.now < playback.end_time();
            self.follow_playhead();
            self.go_to_caption();
            if plays_on {
                self.set_playing(true);
                self.play_to_next_caption();
                self.hold_for_reading();
            }
            return true;
        }
        if at_end {
            self.set_playing(false);
        }
        if moved || at_end {
            self.playhead_moved(SeekMode::Time);
        }
        self.follow_playhead()
    }

    /// Updates the current caption after a move of the playhead. Returns whether it is another one.
    pub(super) fn follow_playhead(&mut self) -> bool {
        let applies = !self.sandbox && !self.restart && !self.story_session.shows_remedy && !self.what_if.has_forks();
        let Some(playback) = self.playback.as_ref().filter(|_| applies) else { return false };
        let at = self.story_session.caption_at(playback, playback.now);
        let moment = self.story_session.caption_moment(playback, at).ok().map(|(time, _)| time);
        let left_caption_time = moment.filter(|time| playback.is_by_step() || *time != playback.now);
        let same = at == self.story_session.caption_index && left_caption_time == self.left_caption_time;
        self.story_session.caption_index = at;
        self.left_caption_time = left_caption_time;
        !same
    }
}
