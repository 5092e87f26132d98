//! A rollout in characters: a bar for each moment that matters.

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, Point, Series};

use crate::style::{Palette, Role};
use crate::time_format::clock;

/// The most characters of a bar.
const WIDTH: i32 = 40;

/// The pods that a character stands for, so that the longest bar fits.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pods_per_cell: i32,
    width: i32,
}

impl Scale {
    /// The scale for up to this many pods, in up to `width` characters.
    pub fn new(most: i32, width: i32) -> Self {
        let pods_per_cell = most.max(1).saturating_add(width.saturating_sub(1)).div_euclid(width.max(1)).max(1);
        let scale = Self { pods_per_cell, width: 0 };
        Self { width: scale.cells(most), ..scale }
    }

    /// How many characters stand for this many pods, rounded up.
    fn cells(self, pods: i32) -> i32 {
        pods.saturating_add(self.pods_per_cell.saturating_sub(1)).div_euclid(self.pods_per_cell)
    }

    /// The bar of these pods, as wide as the longest one.
    pub fn bar(self, counts: &Counts, palette: Palette) -> String {
        const MARKS: [(&str, Role); 5] = [
            ("█", Role::Available),
            ("▓", Role::Starting),
            ("░", Role::Starting),
            ("?", Role::Bad),
            ("▒", Role::Terminating),
        ];
        let (mut bar, mut pods, mut cells) = (String::new(), 0_i32, 0_i32);
        for (count, (mark, role)) in shown(counts).into_iter().zip(MARKS) {
            pods = pods.saturating_add(count);
            let more = self.cells(pods).saturating_sub(cells);
            cells = cells.saturating_add(more);
            if more > 0 {
                bar.push_str(&palette.paint(role, &mark.repeat(usize::try_from(more).unwrap_or(0))));
            }
        }
        let rest = self.width.saturating_sub(cells);
        bar.push_str(&" ".repeat(usize::try_from(rest).unwrap_or(0)));
        bar
    }
}

/// The lines of a rollout: the time, the bar and the numbers.
pub fn lines(series: &Series, start: Time, palette: Palette) -> Vec<String> {
    let moments = moments(&series.points, start);
    let scale = Scale::new(series.peak(), WIDTH);
    let times: Vec<String> = moments.iter().map(|point| clock(point.time.since(start))).collect();
    let width = times.iter().map(String::len).max().unwrap_or(0);
    let line = |(point, time): (&&Point, &String)| {
        format!("{time:>width$}  {}  {}", scale.bar(&point.counts, palette), in_words(&point.counts))
    };
    let mut lines: Vec<String> = moments.iter().zip(&times).map(line).collect();
    if scale.pods_per_cell > 1 {
        lines.push(format!("{:>width$}  (a character is {} pods)", "", scale.pods_per_cell));
    }
    lines
}

/// The counts that readers see: pods that are available, ready, starting, unknown and terminating.
const fn shown(counts: &Counts) -> [i32; 5] {
    let Counts { available, ready, starting, pending, unknown, terminating, .. } = *counts;
    [available, ready, starting.saturating_add(pending), unknown, terminating]
}

/// `8 available, 5 starting, 2 terminating`
fn in_words(counts: &Counts) -> String {
    let states = ["available", "ready", "starting", "unknown", "terminating"];
    let all = shown(counts).into_iter().zip(states);
    let words: Vec<String> =
        all.filter(|(count, _)| *count > 0).map(|(count, state)| format!("{count} {state}")).collect();
    if words.is_empty() { "no pods".to_owned() } else { words.join(", ") }
}

/// What the controllers do in this time is one moment for a reader.
const MOMENT: i64 = Time::SECOND;

/// The moments that matter: after the change, the peak, the fewest available pods, complete, the last old pod gone, and
/// the end.
fn moments(points: &[Point], start: Time) -> Vec<&Point> {
    let first_by = |key: &dyn Fn(&Point) -> i32| {
        let best = points.iter().map(key).min()?;
        points.iter().position(|point| key(point) == best)
    };
    // The first point from which on something stays so.
    let since = |holds: &dyn Fn(&Point) -> bool| {
        let last_not = points.iter().rposition(|point| !holds(point));
        last_not.map(|index| index.saturating_add(1)).filter(|index| *index < points.len())
    };
    let mut indexes: Vec<usize> = [
        points.iter().rposition(|point| point.time.since(start) < MOMENT),
        first_by(&|point| point.counts.holding().saturating_neg()),
        first_by(&|point| point.counts.available),
        since(&|point| point.rollout.complete),
        since(&|point| point.rollout.old == 0),
        points.len().checked_sub(1),
    ]
    .into_iter()
    .flatten()
    .collect();
    indexes.sort_unstable();
    let mut moments: Vec<&Point> = Vec::new();
    for point in indexes.into_iter().filter_map(|index| points.get(index)) {
        // Of a moment, its end.
        moments.pop_if(|last| point.time.since(last.time) < MOMENT);
        moments.push(point);
    }
    moments.dedup_by_key(|point| shown(&point.counts));
    moments
}
