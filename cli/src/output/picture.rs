//! Draws a rollout or a Job as text: a bar for each moment that matters.

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, Point, Series};
use changeover_core::workload::job::{JobPoint, JobSeries};

use crate::style::{Palette, Role};
use crate::time_format::clock;

/// The most characters of a bar, and the fewest of the longest one.
const WIDTH: i32 = 40;
const LEAST_WIDTH: i32 = 10;

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

/// A line of the picture.
struct Row {
    time: Time,
    counts: Counts,
    words: String,
}

impl Row {
    fn of(point: &Point) -> Self {
        Self { time: point.time, counts: point.counts, words: in_words(&point.counts) }
    }
}

/// The lines of a rollout, each with the time, the bar and the numbers: after the change, at the peak, with the fewest
/// available pods, when it is complete, when the last old pod is gone, and at the end. `columns` is the width of a line.
pub fn lines(series: &Series, start: Time, palette: Palette, columns: usize) -> Vec<String> {
    let points = &series.points;
    let indexes = [
        points.iter().rposition(|point| point.time.since(start) < MOMENT),
        first_with_least(points, |point| point.counts.holding().saturating_neg()),
        first_with_least(points, |point| point.counts.available),
        since(points, |point| point.rollout.complete),
        since(points, |point| point.rollout.old == 0),
        points.len().checked_sub(1),
    ];
    draw(&rows(points, indexes, Row::of), series.peak(), start, palette, columns)
}

/// The line of the moment with the most pods, as [`lines`] draws it; none without any.
pub fn line_of_peak(series: &Series, start: Time, palette: Palette, columns: usize) -> Option<String> {
    let index = first_with_least(&series.points, |point| point.counts.holding().saturating_neg());
    let index = index.filter(|_| series.peak() > 0);
    draw(&rows(&series.points, [index], Row::of), series.peak(), start, palette, columns).into_iter().next()
}

/// The lines of a Job, each with the time, the bar and the numbers: after the change, at the peak, when the pods stay below the
/// peak for good, and at the end.
pub fn job_lines(series: &JobSeries, start: Time, palette: Palette, columns: usize) -> Vec<String> {
    let points = &series.points;
    let peak = points.iter().map(|point| point.counts.holding()).max().unwrap_or(0);
    let indexes = [
        points.iter().rposition(|point| point.time.since(start) < MOMENT),
        first_with_least(points, |point| point.counts.holding().saturating_neg()),
        since(points, |point| point.counts.holding() < peak),
        points.len().checked_sub(1),
    ];
    let row = |point: &JobPoint| Row { time: point.time, counts: point.counts, words: job_in_words(point) };
    draw(&rows(points, indexes, row), peak, start, palette, columns)
}

fn draw(rows: &[Row], peak: i32, start: Time, palette: Palette, columns: usize) -> Vec<String> {
    const GAPS: usize = 4;
    let times: Vec<String> = rows.iter().map(|row| clock(row.time.since(start))).collect();
    let width = times.iter().map(String::len).max().unwrap_or(0);
    let words = rows.iter().map(|row| row.words.chars().count()).max().unwrap_or(0);
    let room = columns.saturating_sub(width).saturating_sub(words).saturating_sub(GAPS);
    let scale = Scale::new(peak, i32::try_from(room).unwrap_or(WIDTH).clamp(LEAST_WIDTH, WIDTH));
    let line =
        |(row, time): (&Row, &String)| format!("{time:>width$}  {}  {}", scale.bar(&row.counts, palette), row.words);
    let mut lines: Vec<String> = rows.iter().zip(&times).map(line).collect();
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
    in_states(shown(counts).into_iter().zip(states))
}

/// `2 running, 3 starting, 4 succeeded`. Pods that have ended may be gone, but the Job's status still counts them.
fn job_in_words(JobPoint { status, counts, .. }: &JobPoint) -> String {
    let [available, ready, starting, unknown, terminating] = shown(counts);
    let (succeeded, failed) = status.as_ref().map_or((0, 0), |status| (status.succeeded, status.failed));
    in_states([
        (available.saturating_add(ready), "running"),
        (starting, "starting"),
        (unknown, "unknown"),
        (terminating, "terminating"),
        (succeeded, "succeeded"),
        (failed, "failed"),
    ])
}

fn in_states(counts: impl IntoIterator<Item = (i32, &'static str)>) -> String {
    let there = counts.into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = there.map(|(count, state)| format!("{count} {state}")).collect();
    if words.is_empty() { "no pods".to_owned() } else { words.join(", ") }
}

/// What the controllers do in this time is one moment for a reader.
const MOMENT: i64 = Time::SECOND;

/// The index of the first point with the lowest `key`.
fn first_with_least<P>(points: &[P], key: impl Fn(&P) -> i32) -> Option<usize> {
    let least = points.iter().map(&key).min()?;
    points.iter().position(|point| key(point) == least)
}

/// The index of the first point from which `holds` stays true until the end.
fn since<P>(points: &[P], holds: impl Fn(&P) -> bool) -> Option<usize> {
    let last_not = points.iter().rposition(|point| !holds(point));
    last_not.map(|index| index.saturating_add(1)).filter(|index| *index < points.len())
}

/// The rows of the moments that matter.
fn rows<P>(points: &[P], indexes: impl IntoIterator<Item = Option<usize>>, to_row: impl Fn(&P) -> Row) -> Vec<Row> {
    let mut indexes: Vec<usize> = indexes.into_iter().flatten().collect();
    indexes.sort_unstable();
    let mut rows: Vec<Row> = Vec::new();
    for row in indexes.into_iter().filter_map(|index| points.get(index)).map(to_row) {
        // A moment has one row: the last one.
        rows.pop_if(|last| row.time.since(last.time) < MOMENT);
        rows.push(row);
    }
    rows.dedup_by(|row, last| row.words == last.words);
    rows
}

#[cfg(test)]
mod tests {
    use changeover_core::workload::job::JobCounts;

    use super::*;

    #[test]
    fn a_job_is_drawn_after_the_change_when_it_gets_fewer_pods_and_at_the_end() {
        let point = |(seconds, available, starting, succeeded): (i64, i32, i32, i32)| JobPoint {
            frame: 0,
            time: Time(seconds.saturating_mul(Time::SECOND)),
            status: Some(JobCounts { parallelism: 5, succeeded, ..JobCounts::default() }),
            counts: Counts { available, starting, ..Counts::default() },
            most_of_index: 0,
        };
        let points = [
            (0, 2, 0, 0),
            (0, 2, 3, 0),
            (5, 5, 0, 0),
            (60, 3, 0, 2),
            (61, 3, 2, 2),
            (62, 2, 1, 5),
            (122, 1, 0, 7),
            (124, 0, 0, 8),
        ];
        let series = JobSeries { points: points.map(point).to_vec() };
        let expected = [
            "0:00  ██░░░  2 running, 3 starting",
            "1:02  ██░    2 running, 1 starting, 5 succeeded",
            "2:04         8 succeeded",
        ];
        assert_eq!(job_lines(&series, Time(0), Palette::Plain, 80), expected);
    }
}
