//! The marks of what was refused or skipped: a cross on the clock, and a text in the picture if there is room.

use changeover_wire::playback_track::Setback;

use super::geometry::Geometry;
use crate::number::{group_count, plural_count};
use crate::playback::{Playback, PlaybackTrack};

/// Marks are at least this far apart, in pixels: those that are closer are one.
const MARK_DISTANCE: f64 = 17.0;

/// Setbacks that share a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetbackMark {
    /// The time whose height it has: that of the first one, or the beginning of a break in time.
    pub at: i64,
    /// When the first one was.
    first: i64,
    /// When the last one was.
    last: i64,
    /// How many there are of each kind.
    counts: Vec<(Setback, usize)>,
}

impl SetbackMark {
    const fn new(at: i64, time: i64) -> Self {
        Self { at, first: time, last: time, counts: Vec::new() }
    }

    fn add(&mut self, time: i64, setback: Setback) {
        self.last = time;
        match self.counts.iter_mut().find(|(counted, _)| *counted == setback) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.counts.push((setback, 1)),
        }
    }

    /// `7 tries refused`, `1 run skipped`.
    pub fn text(&self) -> String {
        self.joined(|setback, count| match (setback, count) {
            (Setback::Creation, 1) => String::from("1 try refused"),
            (Setback::Creation, count) => format!("{} tries refused", group_count(count)),
            (Setback::Request, count) => format!("{} refused", plural_count(count, "request")),
            (Setback::Run, count) => format!("{} skipped", plural_count(count, "run")),
        })
    }

    /// `7 refused`, `1 skipped`: where there is little room.
    pub fn short_text(&self) -> String {
        self.joined(|setback, count| {
            let what = if setback == Setback::Run { "skipped" } else { "refused" };
            format!("{} {what}", group_count(count))
        })
    }

    fn joined(&self, text: impl Fn(Setback, usize) -> String) -> String {
        let texts: Vec<String> = self.counts.iter().map(|(setback, count)| text(*setback, *count)).collect();
        texts.join(", ")
    }

    /// Its text, with its time, or from when to when.
    pub fn name(&self, playback: &Playback) -> String {
        let [first, last] = [self.first, self.last].map(|time| playback.clock(time));
        let text = self.text();
        if first == last {
            format!("{text}, {}", playback.clock_phrase(self.first))
        } else {
            format!("{text}, {first} to {last}")
        }
    }
}

/// The marks of a track, from the top of the picture to its bottom. Those within one break in time are one.
pub fn setback_marks(track: &PlaybackTrack, geometry: &Geometry) -> Vec<SetbackMark> {
    let mut marks: Vec<SetbackMark> = Vec::new();
    let mut top = f64::NEG_INFINITY;
    for (time, setback) in track.setbacks.iter().filter(|(time, _)| *time >= 0) {
        let at = drawn_time(*time, geometry);
        let y = geometry.y(at);
        if y - top >= MARK_DISTANCE * geometry.text_scale {
            top = y;
            marks.push(SetbackMark::new(at, *time));
        }
        if let Some(mark) = marks.last_mut() {
            mark.add(*time, *setback);
        }
    }
    marks
}

/// A time; of all times in a break, its beginning.
fn drawn_time(time: i64, geometry: &Geometry) -> i64 {
    let mut breaks = geometry.time_scale.stretches().iter().filter(|stretch| stretch.is_break);
    breaks.find(|stretch| stretch.from < time && time < stretch.to).map_or(time, |stretch| stretch.from)
}

#[cfg(test)]
mod tests {
    use changeover_wire::playback_track::SETBACK;

    use super::*;
    use crate::playback::TimeScale;

    const SECOND: i64 = 1_000_000_000;

    /// The marks of setbacks at these seconds, with the second and the text of each.
    fn marks(setbacks: &[(i32, Setback)], text_scale: f64) -> Vec<(i64, String, String)> {
        let numbers: Vec<i32> =
            setbacks.iter().flat_map(|(second, setback)| [SETBACK, *second, 0, setback.number()]).collect();
        let geometry = Geometry {
            width: 400.0,
            height: 300.0,
            row_height: 74.0,
            columns: 20.0,
            has_job_columns: false,
            text_scale,
            // Three pixels for each second.
            time_scale: TimeScale::new(&[0, SECOND.saturating_mul(100)], 0, |_| false),
        };
        let marks = setback_marks(&PlaybackTrack::decode(&numbers, 0), &geometry);
        marks.iter().map(|mark| (mark.at.div_euclid(SECOND), mark.text(), mark.short_text())).collect()
    }

    fn expected(marks: &[(i64, &str, &str)]) -> Vec<(i64, String, String)> {
        marks.iter().map(|(second, text, short)| (*second, String::from(*text), String::from(*short))).collect()
    }

    #[test]
    fn setbacks_that_are_close_share_a_mark() {
        use Setback::{Creation, Request, Run};
        assert!(marks(&[], 1.0).is_empty());
        assert_eq!(marks(&[(40, Creation)], 1.0), expected(&[(40, "1 try refused", "1 refused")]));
        let tries = [(10, Creation), (11, Creation), (15, Creation), (16, Creation), (60, Creation)];
        assert_eq!(
            marks(&tries, 1.0),
            expected(&[
                (10, "3 tries refused", "3 refused"),
                (16, "1 try refused", "1 refused"),
                (60, "1 try refused", "1 refused")
            ])
        );
        assert_eq!(
            marks(&tries, 2.0),
            expected(&[(10, "4 tries refused", "4 refused"), (60, "1 try refused", "1 refused")])
        );
        // They are in the order of their times, and those before the picture begins are left out.
        let mixed = [(-5, Run), (31, Run), (30, Request), (32, Run)];
        assert_eq!(marks(&mixed, 1.0), expected(&[(30, "1 request refused, 2 runs skipped", "1 refused, 2 skipped")]));
    }

    #[test]
    fn setbacks_within_a_break_share_a_mark_at_its_beginning() {
        let seconds = [0, 5, 10, 1000, 1005, 1010].map(|second: i64| second.saturating_mul(SECOND));
        let geometry = Geometry {
            width: 400.0,
            height: 1000.0,
            row_height: 74.0,
            columns: 20.0,
            has_job_columns: false,
            text_scale: 1.0,
            time_scale: TimeScale::new(&seconds, 0, |_| true),
        };
        let numbers: Vec<i32> =
            [100, 500, 900].into_iter().flat_map(|it| [SETBACK, it, 0, Setback::Run.number()]).collect();
        let marks = setback_marks(&PlaybackTrack::decode(&numbers, 0), &geometry);
        let shown: Vec<(i64, String)> = marks.iter().map(|mark| (mark.at.div_euclid(SECOND), mark.text())).collect();
        assert_eq!(shown, [(10, String::from("3 runs skipped"))]);
    }
}
