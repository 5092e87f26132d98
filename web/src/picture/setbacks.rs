//! The marks of what was refused or skipped: a cross on the clock, and a text in the picture if it says something new and there
//! is room.

use changeover_wire::playback_track::Setback;

use super::geometry::Geometry;
use super::label_places::{HALF_LINE, LabelPlaces, heights_near};
use crate::number::{group_count, plural_count};
use crate::playback::{Playback, PlaybackTrack};

/// Marks are at least this far apart, in pixels: those that are closer are one.
const MARK_DISTANCE: f64 = 17.0;

/// The left edge of a label: beside its cross, which stands on the line of the clock, in pixels.
const LABEL_LEFT: f64 = 11.0;

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

    fn add(&mut self, time: i64, setback: Setback, more: usize) {
        self.last = time;
        match self.counts.iter_mut().find(|(counted, _)| *counted == setback) {
            Some((_, count)) => *count = count.saturating_add(more),
            None => self.counts.push((setback, more)),
        }
    }

    /// This mark together with a later one.
    fn with(mut self, later: Self) -> Self {
        for (setback, count) in later.counts {
            self.add(later.last, setback, count);
        }
        self
    }

    /// `7 tries refused`, `1 run skipped`.
    fn text(&self) -> String {
        self.joined(|setback, count| match (setback, count) {
            (Setback::Creation, 1) => String::from("1 try refused"),
            (Setback::Creation, count) => format!("{} tries refused", group_count(count)),
            (Setback::Request, count) => format!("{} refused", plural_count(count, "request")),
            (Setback::Run, count) => format!("{} skipped", plural_count(count, "run")),
        })
    }

    /// `7 refused`, `1 skipped`: where there is little room.
    fn short_text(&self) -> String {
        self.joined(|setback, count| {
            let what = if setback == Setback::Run { "skipped" } else { "refused" };
            format!("{} {what}", group_count(count))
        })
    }

    fn joined(&self, text: impl Fn(Setback, usize) -> String) -> String {
        let texts: Vec<String> = self.counts.iter().map(|(setback, count)| text(*setback, *count)).collect();
        texts.join(", ")
    }

    /// Whether its text differs from that of another mark at most in the counts.
    fn is_like(&self, other: &Self) -> bool {
        let [kinds, others] = [self, other].map(|mark| mark.counts.iter().map(|(setback, _)| setback));
        kinds.eq(others)
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
            mark.add(*time, *setback, 1);
        }
    }
    marks
}

/// A text in the picture, about one mark or about several marks.
#[derive(Clone, Debug, PartialEq)]
pub struct SetbackLabel {
    /// The time of the mark that it stands beside.
    pub at: i64,
    /// The text.
    pub text: String,
    /// Its left edge.
    pub x: f64,
    /// Its middle, in the picture with the row of pods.
    pub y: f64,
}

/// The labels of the marks. Marks in a row that differ only in their counts have one text, beside the first one with room:
/// `15 tries refused until 1:26`. How far apart they are drawn changes nothing about it. `until`: the phrase for the time of the last one.
pub fn setback_labels(
    marks: &[SetbackMark],
    until: impl Fn(i64) -> String,
    geometry: &Geometry,
    places: &mut LabelPlaces,
) -> Vec<SetbackLabel> {
    let labels = marks.chunk_by(SetbackMark::is_like).filter_map(|alike| {
        let sum = alike.iter().cloned().reduce(SetbackMark::with)?;
        let text = if alike.len() > 1 { format!("{} {}", sum.text(), until(sum.last)) } else { sum.text() };
        let texts = [text, sum.short_text()];
        alike.iter().find_map(|mark| label(mark, &texts, geometry, places))
    });
    labels.collect()
}

/// The first text that has room beside a mark, or else close to it: few words beside the mark are better than more words that are
/// further away.
fn label(
    mark: &SetbackMark,
    texts: &[String; 2],
    geometry: &Geometry,
    places: &mut LabelPlaces,
) -> Option<SetbackLabel> {
    let half_line = HALF_LINE * geometry.text_scale;
    let x = LABEL_LEFT * geometry.text_scale;
    let mark_y = geometry.y(mark.at);
    let is_beside = |y: &f64| (y - mark_y).abs() < 1.5 * half_line;
    let (beside, close): (Vec<f64>, Vec<f64>) = heights_near(mark_y, geometry.height, half_line).partition(is_beside);
    let mut choices = [&beside, &close].into_iter().flat_map(|heights| texts.iter().map(move |text| (heights, text)));
    choices.find_map(|(heights, text)| {
        let half = geometry.text_length(text) / 2.0;
        let fits = x + 2.0 * half <= geometry.width;
        let y = fits.then(|| places.place_clear_at(x + half, heights, half, half_line)).flatten()?;
        Some(SetbackLabel { at: mark.at, text: text.clone(), x, y })
    })
}

/// A time; of all times in a break, its beginning.
fn drawn_time(time: i64, geometry: &Geometry) -> i64 {
    let mut breaks = geometry.time_scale.stretches().iter().filter(|stretch| stretch.is_break);
    breaks.find(|stretch| stretch.from < time && time < stretch.to).map_or(time, |stretch| stretch.from)
}

#[cfg(test)]
mod tests {
    use changeover_wire::format_clock;
    use changeover_wire::playback_track::SETBACK;

    use super::*;
    use crate::number::to_i64;
    use crate::picture::TextRuler;
    use crate::picture::label_places::{HandlePlaces, TextBox};
    use crate::playback::TimeScale;

    const SECOND: i64 = 1_000_000_000;

    /// A track with setbacks at these seconds.
    fn track(setbacks: &[(i32, Setback)]) -> PlaybackTrack {
        let numbers: Vec<i32> =
            setbacks.iter().flat_map(|(second, setback)| [SETBACK, *second, 0, setback.number()]).collect();
        PlaybackTrack::decode(&numbers, 0)
    }

    /// A picture of 100 seconds.
    fn geometry(width: f64, text_scale: f64) -> Geometry {
        Geometry {
            width,
            height: 300.0,
            row_height: 74.0,
            columns: 20.0,
            has_fixed_columns: false,
            text_scale,
            ruler: TextRuler::monospace(text_scale),
            // Three pixels for each second.
            time_scale: TimeScale::new(&[0, SECOND.saturating_mul(100)], 0, |_| false),
        }
    }

    /// The marks of setbacks at these seconds, with the second and the text of each.
    fn marks(setbacks: &[(i32, Setback)], text_scale: f64) -> Vec<(i64, String, String)> {
        let marks = setback_marks(&track(setbacks), &geometry(400.0, text_scale));
        marks.iter().map(|mark| (mark.at.div_euclid(SECOND), mark.text(), mark.short_text())).collect()
    }

    /// The labels of setbacks at these seconds, with the second of its mark, its height and the text of each. The row of pods is
    /// below the picture.
    fn labels(setbacks: &[(i32, Setback)], width: f64, handles: HandlePlaces) -> Vec<(i64, i64, String)> {
        let geometry = geometry(width, 1.0);
        let mut places = LabelPlaces::new(handles, [], geometry.height, geometry.row_height);
        let marks = setback_marks(&track(setbacks), &geometry);
        let until = |time: i64| format!("until {}", format_clock(time));
        let labels = setback_labels(&marks, until, &geometry, &mut places);
        labels.into_iter().map(|label| (label.at.div_euclid(SECOND), to_i64(label.y.round()), label.text)).collect()
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
    fn a_text_is_there_only_if_it_says_something_new() {
        use Setback::{Creation, Run};
        let at = |seconds: &[i32], setback: Setback| -> Vec<(i32, Setback)> {
            seconds.iter().map(|second| (*second, setback)).collect()
        };
        let tries = |seconds: &[i32]| at(seconds, Creation);
        for (setbacks, expected) in [
            (Vec::new(), vec![]),
            (tries(&[40]), vec![(40, 120, "1 try refused")]),
            (tries(&[10, 40]), vec![(10, 30, "2 tries refused until 0:40")]),
            // The counts differ.
            (tries(&[10, 11, 12, 30, 50, 51, 70]), vec![(10, 30, "7 tries refused until 1:10")]),
            // Something else is between them.
            (
                [tries(&[10, 20]), at(&[30], Run), tries(&[40, 50])].concat(),
                vec![
                    (10, 30, "2 tries refused until 0:20"),
                    (30, 90, "1 run skipped"),
                    (40, 120, "2 tries refused until 0:50"),
                ],
            ),
            (
                [at(&[10, 20, 30], Run), tries(&[40, 50, 60])].concat(),
                vec![(10, 30, "3 runs skipped until 0:30"), (40, 120, "3 tries refused until 1:00")],
            ),
            // The last mark is that of a run, too.
            (
                [tries(&[10, 20, 30, 40]), at(&[41], Run)].concat(),
                vec![(10, 30, "3 tries refused until 0:30"), (40, 120, "1 try refused, 1 run skipped")],
            ),
        ] {
            let shown = labels(&setbacks, 400.0, HandlePlaces::default());
            let shown: Vec<_> = shown.iter().map(|(second, y, text)| (*second, *y, text.as_str())).collect();
            assert_eq!(shown, expected, "{setbacks:?}");
        }
    }

    #[test]
    fn marks_that_differ_only_in_their_counts_are_summed_up_where_there_is_room() {
        let setbacks = [10, 20, 30, 40].map(|second| (second, Setback::Creation));
        let nothing = HandlePlaces::default;
        let handle = |top: f64, bottom: f64| HandlePlaces {
            boxes: vec![TextBox { left: 0.0, top, right: 60.0, bottom }],
            ..HandlePlaces::default()
        };
        for (width, handles, expected) in [
            (400.0, nothing(), vec![(10, 30, "4 tries refused until 0:40")]),
            // There is no room beside the first mark.
            (400.0, handle(0.0, 50.0), vec![(20, 60, "4 tries refused until 0:40")]),
            // Only the short text fits, or none.
            (90.0, nothing(), vec![(10, 30, "4 refused")]),
            (70.0, nothing(), vec![]),
        ] {
            let shown = labels(&setbacks, width, handles);
            let shown: Vec<_> = shown.iter().map(|(second, y, text)| (*second, *y, text.as_str())).collect();
            assert_eq!(shown, expected, "{width}");
        }
    }

    #[test]
    fn few_words_beside_a_mark_are_better_than_more_words_further_away() {
        let handle = TextBox { left: 100.0, top: 22.0, right: 160.0, bottom: 38.0 };
        let handles = HandlePlaces { boxes: vec![handle], ..HandlePlaces::default() };
        let shown = labels(&[(10, Setback::Creation)], 400.0, handles);
        assert_eq!(shown, [(10, 30, String::from("1 refused"))]);
    }

    #[test]
    fn setbacks_within_a_break_share_a_mark_at_its_beginning() {
        let seconds = [0, 5, 10, 1000, 1005, 1010].map(|second: i64| second.saturating_mul(SECOND));
        let geometry = Geometry {
            width: 400.0,
            height: 1000.0,
            row_height: 74.0,
            columns: 20.0,
            has_fixed_columns: false,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale: TimeScale::new(&seconds, 0, |_| true),
        };
        let marks = setback_marks(&track(&[100, 500, 900].map(|second| (second, Setback::Run))), &geometry);
        let shown: Vec<(i64, String)> = marks.iter().map(|mark| (mark.at.div_euclid(SECOND), mark.text())).collect();
        assert_eq!(shown, [(10, String::from("3 runs skipped"))]);
    }
}
