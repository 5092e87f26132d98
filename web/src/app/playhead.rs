//! Where the playhead stands, and what follows it.

use changeover_wire::SeekMode;
use web_sys::HtmlSelectElement;

use super::App;
use crate::dom;
use crate::linear_scale::float;
use crate::virtual_clock::{self, SPEEDS};

/// How long a word takes to be read.
const MILLISECONDS_A_WORD: f64 = 220.0;

impl App {
    pub(super) fn align(&mut self, what: &str) -> bool {
        let Some(stage) = &mut self.stage else { return false };
        let by_step = if what.is_empty() { !stage.is_by_step() } else { what == "step" };
        self.pace = if by_step { SeekMode::Decision } else { SeekMode::Time };
        stage.align(by_step);
        self.play(false);
        if !by_step && !self.sandbox {
            self.go_to_caption();
        }
        self.follow();
        self.look();
        true
    }

    /// To the next caption or the one before.
    pub(super) fn turn(&mut self, forward: bool) -> bool {
        if self.sandbox {
            return false;
        }
        let last = self.telling.captions().len().saturating_sub(1);
        let at = if forward { self.telling.at.saturating_add(1) } else { self.telling.at.saturating_sub(1) };
        self.telling.at = at.min(last);
        if self.what_if.clear() {
            self.anew = true;
            self.tell();
        }
        self.go_to_caption();
        if !self.telling.helped {
            dom::go(&format!("stories/{}/{}", self.telling.name, self.telling.at.saturating_add(1)));
        }
        true
    }

    pub(super) fn go_to_caption(&mut self) {
        // Lanes that come are shown there, and what was done beside the story has no caption.
        let here = !self.asking.is_loading() && !self.what_if.is_some();
        let Some(stage) = self.stage.as_mut().filter(|_| here) else { return };
        match self.telling.moment(stage, self.telling.at) {
            Ok((time, explain)) => {
                self.playing = false;
                self.ticker.turn(false);
                self.stop = None;
                self.hold = 0.0;
                self.away = None;
                self.pace = SeekMode::Time;
                stage.hurry = None;
                stage.stand(time);
                self.explain = explain;
                if let Some((lane, open)) = explain.zip(self.telling.caption()).map(|((lane, _), it)| (lane, it.facts))
                    && let Some(facts) = self.facts.get_mut(lane)
                {
                    *facts |= open;
                }
                self.show_playing();
                self.announce = true;
                self.look();
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
    pub(super) fn moved(&mut self, pace: SeekMode) {
        self.pace = pace;
        self.explain = None;
        self.look();
    }

    pub(super) fn seek(&mut self, time: i64) {
        self.play(false);
        if let Some(stage) = &mut self.stage {
            stage.stand(time);
        }
        self.moved(SeekMode::Time);
        self.follow();
    }

    pub(super) fn go(&mut self, position: usize) {
        self.play(false);
        let Some(stage) = &mut self.stage else { return };
        stage.stand_at(position);
        self.announce = true;
        self.moved(self.pace);
        self.follow();
    }

    pub(super) fn step(&mut self, forward: bool) {
        let Some(stage) = &self.stage else { return };
        let to = stage.next_notable(forward);
        self.pace = SeekMode::Decision;
        self.go(to);
    }

    pub(super) fn write(&mut self, forward: bool) {
        let Some(stage) = &mut self.stage else { return };
        stage.align(false);
        let to = if forward { stage.position.saturating_add(1) } else { stage.position.saturating_sub(1) };
        self.pace = SeekMode::Write;
        self.go(to);
    }

    pub(super) fn play(&mut self, on: bool) {
        self.playing = on;
        self.touring = false;
        self.stop = None;
        self.hold = 0.0;
        if let Some(stage) = &mut self.stage {
            stage.hurry = None;
        }
        self.ticker.turn(on);
        self.show_playing();
    }

    pub(super) fn show_playing(&self) {
        if let Some(bar) = dom::by_id("bar") {
            let class = match self.playing {
                true if self.hold > 0.0 => "bar playing holds",
                true => "bar playing",
                false => "bar",
            };
            dom::set(&bar, "class", class);
        }
    }

    pub(super) fn toggle(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        stage.align(false);
        if !self.playing && stage.position >= stage.beats.len() {
            stage.stand_at(0);
        }
        self.play(!self.playing);
        if self.playing {
            self.tour();
        }
        self.moved(SeekMode::Time);
    }

    /// Lets a story play from caption to caption: each is left the time to be read.
    fn tour(&mut self) {
        let told = !self.sandbox && !self.what_if.is_some();
        let Some(stage) = self.stage.as_ref().filter(|_| told) else { return };
        let moments = (0..self.telling.captions().len()).map_while(|at| self.telling.moment(stage, at).ok());
        self.stop = moments.map(|(time, _)| time).find(|time| *time > stage.now);
        self.touring = self.stop.is_some();
    }

    /// Lets the caption be read before it plays on.
    pub(super) fn hold_for_reading(&mut self) {
        let said = self.telling.caption().map_or(0, |caption| caption.text.split(' ').count());
        self.hold = MILLISECONDS_A_WORD * float(i64::try_from(said).unwrap_or(0));
        self.show_playing();
    }

    pub(super) fn tick(&mut self, browser: f64) -> bool {
        let Some(passed) = self.ticker.tick(browser) else { return false };
        // What is shown is over once the lanes that come are there.
        if self.asking.is_loading() {
            return false;
        }
        if self.hold > 0.0 {
            self.hold -= passed;
            self.show_playing();
            return false;
        }
        let Some(stage) = &mut self.stage else { return false };
        let speed = SPEEDS.get(self.speed).copied().unwrap_or(1.0);
        let (time, hurry) = virtual_clock::advance(&stage.beats, stage.now, passed, speed);
        let end = self.stop.unwrap_or_else(|| stage.end());
        let before = stage.position;
        stage.hurry = hurry;
        stage.stand(time.min(end));
        let (over, moved) = (stage.now >= end, stage.position != before);
        if over && self.stop.is_some() && !self.sandbox {
            let goes_on = self.touring && stage.now < stage.end();
            self.follow();
            self.go_to_caption();
            if goes_on {
                self.play(true);
                self.tour();
                self.hold_for_reading();
            }
            return true;
        }
        if over {
            self.play(false);
        }
        if moved || over {
            self.moved(SeekMode::Time);
        }
        self.follow()
    }

    /// The caption follows the playhead. Whether it is another one.
    pub(super) fn follow(&mut self) -> bool {
        let told = !self.sandbox && !self.anew && !self.telling.helped && !self.what_if.is_some();
        let Some(stage) = self.stage.as_ref().filter(|_| told) else { return false };
        let at = self.telling.at_time(stage, stage.now);
        let moment = self.telling.moment(stage, at).ok().map(|(time, _)| time);
        let away = moment.filter(|time| stage.is_by_step() || *time != stage.now);
        let same = at == self.telling.at && away == self.away;
        self.telling.at = at;
        self.away = away;
        !same
    }
}
