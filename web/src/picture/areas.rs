//! The areas of a lane's picture: which pods there are, from the first moment at the top to the last one at the bottom. They
//! depend on the lane and its size only.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use changeover_core::scenario::Duration;
use changeover_core::timeline::{Counts, Marks};

use super::classes::band_class;
use super::geometry::Geometry;
use super::group::Group;
use super::label_places::TextBox;
use crate::number::{count_to_f64, group_digits, px};
use crate::playback::{Band, Lane, Moment, PlaybackTrack, Snapshot, Stretch};

/// Rows that are not higher than this are merged into one, in pixels.
const MIN_ROW_HEIGHT: f64 = 0.5;

/// A group's pods at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSpan {
    /// The group.
    pub group: Group,
    /// Its first column.
    pub from: i32,
    /// Behind its last column.
    pub to: i32,
}

/// The groups of a snapshot, from left to right.
pub fn group_spans(counts: &[Counts]) -> Vec<GroupSpan> {
    let mut spans = Vec::new();
    let mut from = 0_i32;
    for band in [Band::Available, Band::Starting, Band::Pending, Band::Unknown, Band::Terminating] {
        for (replica_set, counts) in counts.iter().enumerate() {
            let pods = match band {
                Band::Available => counts.available,
                Band::Starting => counts.ready.saturating_add(counts.starting),
                Band::Pending => counts.pending,
                Band::Unknown => counts.unknown,
                Band::Terminating => counts.terminating,
                Band::Ended => 0,
            };
            if pods > 0 {
                let to = from.saturating_add(pods);
                spans.push(GroupSpan { group: Group { band, replica_set }, from, to });
                from = to;
            }
        }
    }
    spans
}

/// What is the same from one height to another.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    top: f64,
    bottom: f64,
    marks: Marks,
    pods: i32,
    spans: Vec<GroupSpan>,
}

impl Row {
    fn new(snapshot: &Snapshot<'_>, top: f64, bottom: f64) -> Self {
        let spans = group_spans(snapshot.counts);
        Self { top, bottom, marks: snapshot.marks, pods: snapshot.pods(), spans }
    }

    fn over(&self) -> i32 {
        self.pods.saturating_sub(self.marks.limit).max(0)
    }

    /// From the first pod that starts or terminates, or is above the limit, to the last one.
    fn in_transit(&self, geometry: &Geometry) -> Option<TextBox> {
        let is_in_transit = |span: &&GroupSpan| span.group.band != Band::Available || span.to > self.marks.limit;
        let (first, last) = self.spans.iter().find(is_in_transit).zip(self.spans.last())?;
        let (left, right) = (geometry.x(first.from), geometry.x(last.to));
        Some(TextBox { left, top: self.top, right, bottom: self.bottom })
    }

    /// Everything above the limit.
    fn zone(&self, geometry: &Geometry) -> TextBox {
        let left = geometry.x(self.marks.limit);
        TextBox { left, top: self.top, right: geometry.width, bottom: self.bottom }
    }
}

/// A text in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaLabel {
    /// What is labeled.
    pub group: Group,
    /// The middle of the text.
    pub x: f64,
    /// The middle of the text.
    pub y: f64,
    /// How far the text may move up or down within the area.
    pub room: f64,
    /// Whether it runs from bottom to top.
    pub is_vertical: bool,
    /// The text.
    pub text: String,
    /// Half of its length, in pixels.
    pub half_length: f64,
}

/// More pods than should be there, during a stretch of time: above the limit, or two of one index.
#[derive(Clone, Debug, PartialEq)]
pub struct OverLimit {
    /// Their outline, as an SVG path.
    pub outline: String,
    /// How many there are: one text for each limit that they are above, unless it stands elsewhere.
    pub labels: Vec<OverLabel>,
}

/// How many pods are too many.
#[derive(Clone, Debug, PartialEq)]
pub struct OverLabel {
    /// How many there are at most, and the limit if it is another one later.
    pub text: String,
    /// The left edge of the text.
    pub x: f64,
    /// The middle of the text.
    pub y: f64,
}

/// A cross where a pod failed, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cross {
    /// Its middle.
    pub x: f64,
    /// Its middle.
    pub y: f64,
    /// Half of its size.
    pub half: f64,
}

impl Cross {
    /// As an SVG path.
    pub fn path(self) -> String {
        let Self { x, y, half } = self;
        let [left, right, top, bottom] = [x - half, x + half, y - half, y + half].map(px);
        format!("M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}")
    }

    /// Where it stands in a picture that is cut open at a height: not in the cut, but next to it.
    pub fn beside_row(self, cut: f64, row_height: f64) -> Self {
        let Self { y, half, .. } = self;
        let y = if y > cut { y.max(cut + half) + row_height } else { y.min(cut - half) };
        Self { y, ..self }
    }
}

/// The areas of a lane, as SVG paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Areas {
    /// The area of each group.
    pub groups: Vec<(Group, String)>,
    /// The places of each text in the areas, the best one first.
    pub labels: Vec<Vec<AreaLabel>>,
    /// Everything above the limit.
    pub zone: String,
    /// The lines of the fewest available pods, the desired ones and the limit.
    pub marks: [String; 3],
    /// The line between the ordinals of a StatefulSet that are updated and those that are not.
    pub partition: String,
    /// The line of the pods that a quota allows, if it is in the picture.
    pub quota: Option<String>,
    /// Where pods are above the limit.
    pub over_limit: Vec<OverLimit>,
    /// Where pods start, terminate or are above the limit: that is what a reader looks for.
    pub in_transit: Vec<TextBox>,
    /// What is above the limit, from top to bottom; nothing without a limit.
    pub zones: Vec<TextBox>,
    /// Where one pod ends and the next one of its band begins in its column.
    pub seams: String,
    /// What each break leaves out, and its middle.
    pub breaks: Vec<(String, f64)>,
    /// Where a Job waits before it creates a pod.
    pub waits: String,
    /// Where a Job's pods failed.
    pub failures: Vec<Cross>,
}

impl Areas {
    /// The areas of a track. `names`: what the versions are called.
    pub fn new(track: &PlaybackTrack, geometry: &Geometry, names: [&str; 3]) -> Self {
        let rows = rows(track, geometry);
        Self {
            groups: group_paths(&rows, geometry),
            labels: labels(&rows, geometry, names),
            zone: zone(&rows, geometry),
            marks: [0, 1, 2].map(|mark| mark_line(&rows, geometry, mark)),
            quota: track
                .pod_quota
                .and_then(|pods| geometry.quota_line(pods))
                .map(|x| format!("M{} 0V{}", px(x), px(geometry.height))),
            over_limit: over_limit(&rows, geometry),
            in_transit: rows.iter().filter_map(|row| row.in_transit(geometry)).collect(),
            zones: rows.iter().map(|row| row.zone(geometry)).collect(),
            breaks: breaks(geometry),
            ..Self::default()
        }
    }

    /// Where the zone above the limit begins beside a text at a height; the right edge of the picture if there is none.
    pub fn zone_left(&self, y: f64, half_height: f64, width: f64) -> f64 {
        let near = self.zones.iter().filter(|zone| zone.top < y + half_height && zone.bottom > y - half_height);
        near.fold(width, |left, zone| left.min(zone.left))
    }
}

/// Where a pod that starts or terminates ends, and the next one begins in its column; nothing where columns are too narrow to tell pods
/// apart.
pub fn seams(lane: &Lane, geometry: &Geometry) -> String {
    /// Columns that are narrower show no single pods, in pixels.
    const MIN_COLUMN_WIDTH: f64 = 12.0;
    let Some(columns) = lane.columns.as_ref().filter(|_| geometry.column_width() >= MIN_COLUMN_WIDTH) else {
        return String::new();
    };
    let in_transit = |moment: Moment| -> BTreeMap<usize, (usize, Band)> {
        let pods = lane.track.pods_at(moment).filter_map(|(pod, keyframe)| Some((pod, Band::of(keyframe.state?))));
        let moving = pods.filter(|(_, band)| matches!(band, Band::Starting | Band::Terminating));
        moving.map(|(pod, band)| (columns.column_at(pod, moment), (pod, band))).collect()
    };
    let mut path = String::new();
    let mut before = BTreeMap::new();
    for instant in lane.track.instants_from_zero() {
        let now = in_transit(instant.from);
        let goes_on = |pod: usize, band: Band| now.values().any(|other| *other == (pod, band));
        for (column, (pod, band)) in &now {
            let is_next = before.get(column).is_some_and(|(last, last_band): &(usize, Band)| {
                last != pod && last_band == band && !goes_on(*last, *band)
            });
            if is_next {
                let left = geometry.column_width() * count_to_f64(*column);
                let y = geometry.y(instant.from.time);
                // Writing to a String cannot fail.
                let _ = write!(path, "M{} {}h{}", px(left), px(y), px(geometry.column_width()));
            }
        }
        before = now;
    }
    path
}

/// What each break leaves out, and its middle.
pub fn breaks(geometry: &Geometry) -> Vec<(String, f64)> {
    let stretches = geometry.time_scale.stretches().iter().filter(|stretch| stretch.is_break);
    stretches.map(|stretch| view_break(stretch, geometry)).collect()
}

fn view_break(stretch: &Stretch, geometry: &Geometry) -> (String, f64) {
    let text = format!("{} not drawn", Duration(stretch.to.saturating_sub(stretch.from)).in_words());
    (text, f64::midpoint(stretch.top, stretch.bottom) * geometry.height)
}

/// The rows from top to bottom. Of several that are too low to be seen, the one with the most pods is kept; what stays long
/// enough to be seen is always drawn as it is.
fn rows(track: &PlaybackTrack, geometry: &Geometry) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut snapshots = track.snapshots_from_zero().peekable();
    while let Some(snapshot) = snapshots.next() {
        let next = snapshots.peek().map(|next| next.from.time);
        let top = geometry.y(snapshot.from.time.max(0));
        let bottom = next.map_or(geometry.height, |next| geometry.y(next.max(0)));
        if bottom <= top && next.is_some() {
            continue;
        }
        let row = Row::new(&snapshot, top, bottom);
        match rows.last_mut() {
            Some(last) if last.spans == row.spans && last.marks == row.marks => last.bottom = bottom,
            Some(last) if last.bottom - last.top < MIN_ROW_HEIGHT && bottom - top < MIN_ROW_HEIGHT => {
                let top = last.top;
                if row.pods >= last.pods {
                    *last = Row { top, ..row };
                } else {
                    last.bottom = bottom;
                }
            }
            _ => rows.push(row),
        }
    }
    rows
}

fn group_paths(rows: &[Row], geometry: &Geometry) -> Vec<(Group, String)> {
    let mut rectangles: BTreeMap<Group, Vec<[f64; 4]>> = BTreeMap::new();
    for row in rows {
        for span in &row.spans {
            let (left, right) = (geometry.x(span.from), geometry.x(span.to));
            let rectangles = rectangles.entry(span.group).or_default();
            match rectangles.last_mut() {
                Some([last_left, _, last_right, last_bottom])
                    if (*last_left, *last_right, *last_bottom) == (left, right, row.top) =>
                {
                    *last_bottom = row.bottom;
                }
                _ => rectangles.push([left, row.top, right, row.bottom]),
            }
        }
    }
    rectangles.into_iter().map(|(group, rectangles)| (group, rectangles_path(&rectangles))).collect()
}

/// The path of rectangles, each with its left, top, right and bottom.
pub fn rectangles_path(rectangles: &[[f64; 4]]) -> String {
    rectangles.iter().fold(String::new(), |mut path, [left, top, right, bottom]| {
        // Writing to a String cannot fail.
        let _ = write!(path, "M{} {}H{}V{}H{}Z", px(*left), px(*top), px(*right), px(*bottom), px(*left));
        path
    })
}

/// The polygon between the limit and the right edge.
fn zone(rows: &[Row], geometry: &Geometry) -> String {
    let mut path = String::new();
    for (index, row) in rows.iter().enumerate() {
        let (x, command) = (px(geometry.x(row.marks.limit)), if index == 0 { "M" } else { "L" });
        let _ = write!(path, "{command}{x} {}V{}", px(row.top), px(row.bottom));
    }
    if !path.is_empty() {
        let _ = write!(path, "H{}V0Z", px(geometry.width));
    }
    path
}

fn mark_line(rows: &[Row], geometry: &Geometry, mark: usize) -> String {
    let mut path = String::new();
    let mut last = None;
    for row in rows {
        let x = geometry.marks(row.marks).get(mark).copied().unwrap_or_default();
        match last {
            Some(last) if last == x => {}
            Some(_) => drop(write!(path, "H{}", px(x))),
            None => drop(write!(path, "M{} {}", px(x), px(row.top))),
        }
        let _ = write!(path, "V{}", px(row.bottom));
        last = Some(x);
    }
    path
}

fn over_limit(rows: &[Row], geometry: &Geometry) -> Vec<OverLimit> {
    let mut runs: Vec<OverLimit> = Vec::new();
    let labels = over_labels(rows, geometry);
    for run in rows.chunk_by(|row, next| row.over() > 0 && next.over() > 0) {
        let Some((first, last)) = run.first().zip(run.last()).filter(|(first, _)| first.over() > 0) else { continue };
        let mut outline = format!("M{} {}", px(geometry.x(first.marks.limit)), px(first.top));
        for row in run {
            let _ = write!(outline, "H{}V{}", px(geometry.x(row.pods)), px(row.bottom));
        }
        for row in run.iter().rev() {
            let _ = write!(outline, "H{}V{}", px(geometry.x(row.marks.limit)), px(row.top));
        }
        outline.push('Z');
        let labels = labels.iter().filter(|label| (first.top..=last.bottom).contains(&label.y)).cloned().collect();
        runs.push(OverLimit { outline, labels });
    }
    runs
}

/// A text for each stretch of time above one limit, in the middle of the row with the most pods. One that reaches beyond them stands
/// only once, where the most pods are.
fn over_labels(rows: &[Row], geometry: &Geometry) -> Vec<OverLabel> {
    let last_limit = rows.last().map(|row| row.marks.limit);
    let chunks = rows.chunk_by(|row, next| row.over() > 0 && next.over() > 0 && row.marks.limit == next.marks.limit);
    let widest = chunks.filter_map(|chunk| chunk.iter().max_by_key(|row| row.over())).filter(|row| row.over() > 0);
    let mut peaks: Vec<(i32, OverLabel)> = Vec::new();
    for row in widest {
        let label = over_label(row, last_limit, geometry);
        let fits = geometry.text_length(&label.text) <= over_width(row, geometry);
        match peaks.iter_mut().find(|(_, other)| !fits && other.text == label.text) {
            Some(peak) if row.pods > peak.0 => *peak = (row.pods, label),
            Some(_) => {}
            None => peaks.push((row.pods, label)),
        }
    }
    peaks.into_iter().map(|(_, label)| label).collect()
}

/// A limit that is another one later has its number: the labels above the picture name that of the playhead only. That text ends with
/// the last pod if it can. It is left out unless at least half of it stands on the pods that it is about.
fn over_label(row: &Row, last_limit: Option<i32>, geometry: &Geometry) -> OverLabel {
    let short = format!("{} over", group_digits(row.over()));
    let limit = row.marks.limit;
    let y = f64::midpoint(row.top, row.bottom);
    let long = (last_limit != Some(limit)).then(|| format!("{short}: limit is {} here", group_digits(limit)));
    let room = (2.0 * over_width(row, geometry)).min(geometry.width - OVER_MARGIN);
    match long.filter(|text| geometry.text_length(text) <= room) {
        Some(text) => OverLabel { x: (geometry.x(row.pods) - geometry.text_length(&text)).max(OVER_MARGIN), y, text },
        None => OverLabel { x: label_left(row, &short, geometry), y, text: short },
    }
}

/// From the limit to the last pod, in pixels.
fn over_width(row: &Row, geometry: &Geometry) -> f64 {
    geometry.x(row.pods) - geometry.x(row.marks.limit)
}

/// How far right of the limit, or of the edge of the picture, the text begins, in pixels.
const OVER_MARGIN: f64 = 6.0;

/// The left edge of the text between the limit and the last pod: in the middle, but not left of the limit unless the picture
/// ends before the text.
fn label_left(row: &Row, text: &str, geometry: &Geometry) -> f64 {
    let (limit, right) = (geometry.x(row.marks.limit), geometry.x(row.pods));
    let length = geometry.text_length(text);
    (f64::midpoint(limit, right) - length / 2.0).max(limit + OVER_MARGIN).min(geometry.width - length).max(0.0)
}

/// The places of the text of each group, the best one first: in the largest rectangle that the group fills, or upright in the largest
/// one that is high enough. That of terminating pods, which are often few, may stand beside them up to the limit: upright, it is hard to
/// read. Beyond the limit, it would seem to be about pods that are too many.
fn labels(rows: &[Row], geometry: &Geometry, names: [&str; 3]) -> Vec<Vec<AreaLabel>> {
    let mut groups: Vec<Group> = rows.iter().flat_map(|row| row.spans.iter().map(|span| span.group)).collect();
    groups.sort_unstable();
    groups.dedup();
    let places = |group: Group| {
        let text = match group.band {
            Band::Available => names.get(group.replica_set.min(2)).copied().unwrap_or_default(),
            Band::Ended => return None,
            band => band_class(band),
        };
        let (length, line) = (geometry.text_length(text), geometry.line());
        let inside = |[left, top, right, bottom]: [f64; 4], is_vertical: bool| AreaLabel {
            group,
            x: f64::midpoint(left, right),
            y: f64::midpoint(top, bottom),
            room: (bottom - top - if is_vertical { length } else { line }) / 2.0,
            is_vertical,
            text: String::from(text),
            half_length: length / 2.0,
        };
        let is_wide = |[left, top, right, bottom]: &[f64; 4]| right - left >= length && bottom - top >= line;
        let level = largest_rectangle(rows, geometry, group, [0.0; 2]).filter(is_wide);
        let upright = || largest_rectangle(rows, geometry, group, [line, length]).map(|it| inside(it, true));
        let beside = || label_beside(rows, geometry, group, text);
        let places = match level.map(|rectangle| inside(rectangle, false)) {
            level if group.band == Band::Terminating => vec![level, beside(), upright()],
            Some(level) => vec![Some(level)],
            None => vec![upright()],
        };
        Some(places.into_iter().flatten().collect())
    };
    groups.into_iter().filter_map(places).collect()
}

/// A text right of a group, where no pods are, left of the limit; none if there is no room. The place that is furthest left is taken.
fn label_beside(rows: &[Row], geometry: &Geometry, group: Group, text: &str) -> Option<AreaLabel> {
    let (length, half_line) = (geometry.text_length(text), geometry.line() / 2.0);
    let place = |row: &Row| {
        row.spans.iter().find(|span| span.group == group)?;
        let y = f64::midpoint(row.top, row.bottom).min(geometry.height - half_line).max(half_line);
        let near = rows.iter().filter(|other| other.top < y + half_line && other.bottom > y - half_line);
        // Beside what is above the limit stands how much that is.
        let end = |other: &Row| if other.over() > 0 { geometry.columns_end() } else { other.pods };
        let start = geometry.x(near.clone().map(end).max()?);
        let end = near.map(|other| geometry.x(other.marks.limit)).fold(geometry.width, f64::min);
        (start + length <= end).then(|| AreaLabel {
            group,
            x: start + length / 2.0,
            y,
            room: 0.0,
            is_vertical: false,
            text: String::from(text),
            half_length: length / 2.0,
        })
    };
    rows.iter().filter_map(place).min_by(|label, other| label.x.total_cmp(&other.x))
}

/// The largest rectangle with at least a width and a height that a group fills: left, top, right, bottom.
fn largest_rectangle(
    rows: &[Row],
    geometry: &Geometry,
    group: Group,
    [least_width, least_height]: [f64; 2],
) -> Option<[f64; 4]> {
    let span = |row: &Row| {
        let span = row.spans.iter().find(|span| span.group == group)?;
        // What is above the limit has a label of its own.
        Some((geometry.x(span.from), geometry.x(span.to.min(row.marks.limit))))
    };
    let mut largest: Option<[f64; 4]> = None;
    let area = |[left, top, right, bottom]: [f64; 4]| (right - left) * (bottom - top);
    for (index, first) in rows.iter().enumerate() {
        let Some((mut left, mut right)) = span(first).filter(|(left, right)| left < right) else { continue };
        for row in rows.iter().skip(index) {
            let Some((row_left, row_right)) = span(row) else { break };
            (left, right) = (left.max(row_left), right.min(row_right));
            if left >= right || right - left < least_width {
                break;
            }
            let rectangle = [left, first.top, right, row.bottom];
            let is_high = row.bottom - first.top >= least_height;
            if is_high && largest.is_none_or(|largest| area(rectangle) > area(largest)) {
                largest = Some(rectangle);
            }
        }
    }
    largest
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "small numbers")]
mod tests {
    use changeover_wire::playback_track::{MARKS_KEYFRAME, POD_KEYFRAME, STEP};
    use changeover_wire::{PlayedLane, Totals};
    use proptest::prelude::*;

    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::{LaneInfo, Playback};

    /// The lane of pods that change one after the other: the milliseconds since the step before, the pod, and its new state.
    fn playback(changes: &[(i32, i32, i32)]) -> Playback {
        let mut numbers = vec![MARKS_KEYFRAME, 0, 0, 0, 3, 4, 2];
        let (mut milliseconds, mut frame) = (0_i32, 0_i32);
        for (passed, pod, state) in changes {
            milliseconds += passed;
            frame += 1;
            let (second, nano) = (milliseconds / 1000, milliseconds % 1000 * 1_000_000);
            numbers.extend([STEP, second, nano, 0]);
            numbers.extend([POD_KEYFRAME, second, nano, frame, *pod, *state, pod % 2, -1, i32::MIN, 0]);
        }
        playback_of(&numbers)
    }

    /// The lane of a track.
    fn playback_of(numbers: &[i32]) -> Playback {
        let names = ["old", "new"].map(String::from);
        let played = PlayedLane {
            generation: 1,
            lane: 0,
            workload: None,
            columns: None,
            replica_sets: names.to_vec(),
            pods: Vec::new(),
            nodes: Vec::new(),
            cordoned_nodes: Vec::new(),
            lost_nodes: Vec::new(),
            totals: Totals::default(),
            cut_reason: None,
            forks: Vec::new(),
            pins: Vec::new(),
        };
        Playback::new(1, vec![Lane::new(LaneInfo::default(), played, numbers)])
    }

    /// What stands at a height.
    fn spans_at(rows: &[Row], y: f64) -> &[GroupSpan] {
        rows.iter().find(|row| row.top <= y && y < row.bottom).map_or(&[], |row| &row.spans)
    }

    fn assert_rows_are_snapshots(changes: &[(i32, i32, i32)], height: f64) {
        let playback = playback(changes);
        let geometry = Geometry::new(&playback, [400.0, height], 74.0, 1.0, TextRuler::monospace(1.0));
        let track = &playback.lanes[0].track;
        let rows = rows(track, &geometry);
        let snapshots: Vec<Snapshot<'_>> = track.snapshots_from_zero().collect();
        for (index, snapshot) in snapshots.iter().enumerate() {
            let top = geometry.y(snapshot.from.time);
            let bottom = snapshots.get(index + 1).map_or(geometry.height, |next| geometry.y(next.from.time));
            if bottom - top >= 2.0 * MIN_ROW_HEIGHT {
                // What is shown long enough to be seen, is what the picture's name says of that moment.
                for y in [top + MIN_ROW_HEIGHT, f64::midpoint(top, bottom), bottom - 0.01] {
                    assert_eq!(spans_at(&rows, y), group_spans(snapshot.counts), "at {y} of {top} to {bottom}");
                }
            }
        }
        assert!(rows.is_sorted_by(|row, next| row.bottom == next.top), "no gaps");
    }

    /// The labels that the limit strikes through, or that stand beyond it.
    fn struck_labels(changes: &[(i32, i32, i32)], width: f64) -> Vec<AreaLabel> {
        let playback = playback(changes);
        let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0, TextRuler::monospace(1.0));
        let rows = rows(&playback.lanes[0].track, &geometry);
        let is_struck = |label: &AreaLabel| {
            let (half_length, half_line) = (label.half_length, geometry.line() / 2.0);
            let (across, along) = if label.is_vertical { (half_line, half_length) } else { (half_length, half_line) };
            let mut near = rows.iter().filter(|row| row.top < label.y + along && row.bottom > label.y - along);
            near.any(|row| label.x + across > geometry.x(row.marks.limit) + 0.01)
        };
        labels(&rows, &geometry, ["old", "new", "newer"]).into_iter().flatten().filter(is_struck).collect()
    }

    #[test]
    fn a_label_beside_its_area_is_clear_of_the_limit() {
        // Two pods serve, one terminates. Its column has no room for the word, and the limit is one column away.
        let struck = struck_labels(&[(0, 0, 0), (0, 1, 0), (0, 2, 5), (9000, 2, -1)], 400.0);
        assert!(struck.is_empty(), "{struck:?}");
        // Three serve: beside the terminating one, there is only room beyond the limit.
        let struck = struck_labels(&[(0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 5), (9000, 3, -1)], 600.0);
        assert!(struck.is_empty(), "{struck:?}");
    }

    #[test]
    fn terminating_pods_are_named_within_the_limit() {
        // Pods of one ReplicaSet. Some terminate from 0 to 9 seconds. The limit is four, and five columns fit side by side.
        let places = |available: i32, terminating: i32, width: f64| {
            let all = available + terminating;
            let pods = (0..all).map(|pod| (0, 2 * pod, if pod < available { 0 } else { 5 }));
            let gone = (available..all).map(|pod| (if pod == available { 9000 } else { 0 }, 2 * pod, -1));
            let playback = playback(&pods.chain(gone).collect::<Vec<_>>());
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0, TextRuler::monospace(1.0));
            let rows = rows(&playback.lanes[0].track, &geometry);
            let places = labels(&rows, &geometry, ["old", "new", "newer"]).into_iter().flatten();
            let terminating = places.filter(|label| label.text == "terminating");
            // Whether it is upright, and whether it is beyond the limit.
            terminating.map(|label| (label.is_vertical, label.x > geometry.x(4))).collect::<Vec<_>>()
        };
        // There is room in the area.
        assert_eq!(places(2, 2, 600.0).first(), Some(&(false, false)));
        // There is room beside it, left of the limit.
        assert_eq!(places(0, 1, 200.0), [(false, false), (true, false)]);
        // It ends at the limit.
        assert_eq!(places(2, 2, 200.0), [(true, false)]);
    }

    #[test]
    fn how_many_pods_are_over_the_limit_is_said_inside_the_picture() {
        // Five pods, and the limit is four.
        let changes = [(0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 5), (9000, 4, -1)];
        let playback = playback(&changes);
        for width in [80.0, 120.0, 400.0] {
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0, TextRuler::monospace(1.0));
            let over = over_limit(&rows(&playback.lanes[0].track, &geometry), &geometry);
            let labels = over.iter().flat_map(|over| &over.labels);
            let ends: Vec<f64> = labels.map(|label| label.x + geometry.text_length(&label.text)).collect();
            assert!(!ends.is_empty() && ends.iter().all(|end| *end <= width), "{ends:?} of {width}");
        }
    }

    #[test]
    fn the_row_of_pods_cuts_no_cross_in_two() {
        let cross = |y: f64| Cross { x: 50.0, y, half: 4.0 };
        // The row of pods is at 100.
        for (y, expected) in [(90.0, 90.0), (98.0, 96.0), (100.0, 96.0), (102.0, 178.0), (120.0, 194.0)] {
            assert_eq!(cross(y).beside_row(100.0, 74.0), cross(expected), "{y}");
        }
    }

    #[test]
    fn a_limit_that_changes_has_its_number_beside_what_is_over_it() {
        let labels = |changes: &[Marks], width: f64| {
            let mut numbers = Vec::new();
            for (second, marks) in (0..).zip(changes) {
                numbers.extend([MARKS_KEYFRAME, 10 * second, 0, 0, marks.desired, marks.limit, marks.min_available]);
            }
            for pod in 0..5 {
                numbers.extend([POD_KEYFRAME, 0, 0, 0, pod, 0, 0, -1, i32::MIN, 0]);
            }
            numbers.extend([STEP, 10 * i32::try_from(changes.len()).unwrap(), 0, 0]);
            let playback = playback_of(&numbers);
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0, TextRuler::monospace(1.0));
            let over = over_limit(&rows(&playback.lanes[0].track, &geometry), &geometry);
            let end = |label: &OverLabel| label.x + geometry.text_length(&label.text) - geometry.x(5);
            let labels = over.into_iter().flat_map(|over| over.labels);
            labels.map(|label| (end(&label), label.text)).collect::<Vec<_>>()
        };
        let texts = |limits: &[i32], width: f64| {
            let marks = |limit: &i32| Marks { desired: *limit, limit: *limit, min_available: 0 };
            let labels = labels(&limits.iter().map(marks).collect::<Vec<_>>(), width);
            // A text with the limit ends with the last pod.
            let is_at_end = |(end, text): &(f64, String)| !text.contains("limit") || end.abs() < 0.01;
            assert!(labels.iter().all(is_at_end), "{labels:?}");
            labels.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(&[2, 5], 400.0), ["3 over: limit is 2 here"]);
        assert_eq!(texts(&[2, 4], 400.0), ["3 over: limit is 2 here", "1 over"]);
        assert_eq!(texts(&[2, 2], 400.0), ["3 over"]);
        // There is no room for more.
        assert_eq!(texts(&[2, 5], 150.0), ["3 over"]);
        assert_eq!(texts(&[4, 5], 400.0), ["1 over"]);
        // The same is said once, unless it fits where it belongs.
        assert_eq!(texts(&[4, 5, 4], 400.0), ["1 over", "1 over"]);
        assert_eq!(texts(&[4, 5, 4], 200.0), ["1 over"]);
        assert_eq!(texts(&[2, 5, 2, 5], 300.0), ["3 over: limit is 2 here"]);
    }

    #[test]
    fn a_long_quiet_time_shows_what_is_there_and_not_the_moment_before() {
        // Two terminating pods are gone within a millisecond, and then nothing happens for long.
        let changes = [(0, 0, 5), (0, 1, 5), (0, 2, 0), (9000, 0, -1), (1, 1, -1), (600_000, 2, 5)];
        assert_rows_are_snapshots(&changes, 400.0);
    }

    proptest! {
        #[test]
        fn the_rows_of_the_picture_are_the_numbers_of_its_moments(
            changes in prop::collection::vec((prop_oneof![0..3, 0..2_000, Just(60_000)], 0..12, -1..7), 1..80),
            height in 120.0..800.0,
        ) {
            assert_rows_are_snapshots(&changes, height);
        }

        #[test]
        fn every_label_of_an_area_is_clear_of_the_limit(
            changes in prop::collection::vec((0..2_000, 0..6, -1..7), 1..40),
            width in 200.0..900.0,
        ) {
            let struck = struck_labels(&changes, width);
            prop_assert!(struck.is_empty(), "{struck:?}");
        }
    }
}
