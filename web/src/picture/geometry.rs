//! From pods and times to pixels.

use changeover_core::object::Time;
use changeover_core::timeline::Marks;

use super::text_ruler::{TextRuler, Weight};
use crate::number::{count_to_f64, to_f64, to_i64};
use crate::playback::{Playback, TimeScale};

/// The room beside a text and the height of a line of the usual size, in pixels.
const TEXT_ROOM: f64 = 7.0;
const LINE: f64 = 17.0;

/// The zone above the limit has at least this share of the width, so that its number fits.
const MIN_ZONE_SHARE: f64 = 0.16;

/// A picture with less width has no room for whole texts, in pixels.
const NARROW: f64 = 300.0;

/// A narrow picture that is lower than this, in pixels, has no room for the labels of the ends.
const LOW: f64 = 120.0;

/// A break is so high that its line covers nothing else and a text has room on it, in pixels, ...
const BREAK: f64 = 20.0;

/// ... unless all breaks together would take more than this share of the height.
const MAX_BREAKS_SHARE: f64 = 0.25;

/// A picture with fixed columns has room for at least this many: one alone would be very wide.
const MIN_FIXED_COLUMNS: f64 = 3.0;

/// A pod is shown as a tile if it is at least this wide, in pixels.
const MIN_TILE_WIDTH: f64 = 4.0;

/// The scales of a lane's picture. All lanes of a playback have the same scales.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// The width in pixels.
    pub width: f64,
    /// The height of the picture without the row of pods, in pixels.
    pub height: f64,
    /// The height of the row of pods, in pixels.
    pub row_height: f64,
    /// How many pods fit side by side.
    pub columns: f64,
    /// Whether not any pod may stand in any column: a column is an index, an attempt, a run, an ordinal or a node.
    pub has_fixed_columns: bool,
    /// How large the reader's text is; 1 is the size that most have.
    pub text_scale: f64,
    /// The time scale.
    pub time_scale: TimeScale,
    /// How long the reader's texts are.
    pub ruler: TextRuler,
}

impl Geometry {
    /// The scales of a playback in a space of that size, for a text of that size.
    pub fn new(
        playback: &Playback,
        [width, height]: [f64; 2],
        row_height: f64,
        text_scale: f64,
        ruler: TextRuler,
    ) -> Self {
        let limits = playback.lanes.iter().flat_map(|lane| lane.track.snapshots_from_zero()).map(|it| it.marks.limit);
        let limit = f64::from(limits.max().unwrap_or(0));
        let fixed_columns = playback.fixed_columns().map(|columns| count_to_f64(columns).max(MIN_FIXED_COLUMNS));
        let fixed_columns = fixed_columns.filter(|columns| width / columns >= MIN_TILE_WIDTH);
        // One column stays free, so that nothing seems to be cut off.
        let columns = fixed_columns.unwrap_or_else(|| {
            f64::from(playback.max_pods().saturating_add(1)).max(limit / (1.0 - MIN_ZONE_SHARE)).ceil().max(1.0)
        });
        let height = (height - row_height).max(1.0);
        let has_fixed_columns = fixed_columns.is_some();
        let time_scale = playback.time_scale.with_visible_breaks(BREAK * text_scale / height, MAX_BREAKS_SHARE);
        Self { width, height, row_height, columns, has_fixed_columns, text_scale, time_scale, ruler }
    }

    /// The length of a bold text in pixels, with some room.
    pub fn text_length(&self, text: &str) -> f64 {
        self.text_width(text) + TEXT_ROOM * self.text_scale
    }

    /// The length of a bold text in pixels.
    pub fn text_width(&self, text: &str) -> f64 {
        self.ruler.length(text, Weight::Bold)
    }

    /// The length of a regular text in pixels, with some room.
    pub fn regular_text_length(&self, text: &str) -> f64 {
        self.ruler.length(text, Weight::Regular) + TEXT_ROOM * self.text_scale
    }

    /// The height of a line of text in pixels, with some room.
    pub fn line(&self) -> f64 {
        LINE * self.text_scale
    }

    /// Whether there is no room for whole texts.
    pub fn is_narrow(&self) -> bool {
        self.width < NARROW * self.text_scale
    }

    /// Whether the lines of the ends have labels. In a small picture, labels would cover the areas; the figures above it say
    /// the same.
    pub fn has_end_labels(&self) -> bool {
        !self.is_narrow() || self.height >= LOW * self.text_scale
    }

    /// The left edge of a column.
    pub fn x(&self, column: i32) -> f64 {
        (f64::from(column) / self.columns).clamp(0.0, 1.0) * self.width
    }

    /// Behind the last column.
    pub fn columns_end(&self) -> i32 {
        i32::try_from(to_i64(self.columns)).unwrap_or(i32::MAX)
    }

    /// The width of a column.
    pub fn column_width(&self) -> f64 {
        self.width / self.columns
    }

    /// Whether pods are shown one by one.
    pub fn has_tiles(&self) -> bool {
        self.column_width() >= MIN_TILE_WIDTH
    }

    /// The height of a time, without the row of pods.
    pub fn y(&self, time: i64) -> f64 {
        self.time_scale.share(time) * self.height
    }

    /// The time at a height of the picture with the row of pods, whose middle is at the playhead.
    pub fn time_at(&self, y: f64) -> i64 {
        self.time_scale.time(((y - self.row_height / 2.0) / self.height).clamp(0.0, 1.0))
    }

    /// The time that the picture shows at a height, with the row of pods open at the playhead.
    pub fn time_shown_at(&self, y: f64, playhead: i64) -> i64 {
        let cut = self.y(playhead);
        if y >= cut && y <= cut + self.row_height {
            return playhead;
        }
        let gap = if y > cut { self.row_height } else { 0.0 };
        self.time_scale.time(((y - gap) / self.height).clamp(0.0, 1.0))
    }

    /// The middle of the row of pods that is open at a time.
    pub fn row_middle(&self, time: i64) -> f64 {
        self.y(time) + self.row_height / 2.0
    }

    /// Where a time is in the picture with the row of pods open at another time.
    pub fn y_around_row(&self, time: i64, playhead: i64) -> f64 {
        let below = if time > playhead { self.row_height } else { 0.0 };
        self.y(time) + below
    }

    /// The left edges of the marks: the fewest available, desired and the most allowed.
    pub fn marks(&self, marks: Marks) -> [f64; 3] {
        [marks.min_available, marks.desired, marks.limit].map(|mark| self.x(mark))
    }

    /// The left edge of the column that a quota of pods does not allow; none if it is outside the picture.
    pub fn quota_line(&self, pods: i32) -> Option<f64> {
        (pods < self.columns_end()).then(|| self.x(pods))
    }

    /// How many pods further right one place is than another.
    pub fn pods_between(&self, from: f64, to: f64) -> i64 {
        to_i64(((to - from) / self.column_width()).round())
    }

    /// How many seconds further down one place is than another, without the row of pods.
    pub fn seconds_between(&self, from: f64, to: f64) -> i64 {
        let time = |y: f64| self.time_scale.time((y / self.height).clamp(0.0, 1.0));
        to_i64((to_f64(time(to).saturating_sub(time(from))) / to_f64(Time::SECOND)).round())
    }
}
