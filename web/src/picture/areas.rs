//! The areas of a lane's picture: which pods there are, from the first moment at the top to the last one at the bottom. They
//! depend on the lane and its size only.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use changeover_core::scenario::Duration;
use changeover_core::timeline::{Counts, Marks};

use super::classes::{band_class, hue_class};
use super::geometry::Geometry;
use super::labels::{Candidate, Label, Slide, TextBox};
use super::text_width::Weight;
use crate::number::{group_digits, px};
use crate::playback::{Band, PlaybackTrack, Snapshot, Stretch};

/// Rows that are not higher than this are merged into one, in pixels.
const MIN_ROW_HEIGHT: f64 = 0.5;

/// Pods of one ReplicaSet in one band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The band.
    pub band: Band,
    /// The ReplicaSet.
    pub replica_set: usize,
}

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
    for band in [Band::Available, Band::Starting, Band::Unknown, Band::Terminating] {
        for (replica_set, counts) in counts.iter().enumerate() {
            let pods = match band {
                Band::Available => counts.available,
                Band::Starting => counts.ready.saturating_add(counts.starting).saturating_add(counts.pending),
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
pub struct PictureText {
    /// The text.
    pub text: String,
    /// The classes of what it is about.
    pub class: String,
    /// Whether it runs from bottom to top.
    pub is_vertical: bool,
}

impl PictureText {
    /// A text.
    pub fn new(class: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), class: class.into(), is_vertical: false }
    }

    /// A text about a group.
    pub fn of_group(group: Group, text: impl Into<String>, is_vertical: bool) -> Self {
        let class = format!("{} {}", band_class(group.band), hue_class(group.replica_set));
        Self { is_vertical, ..Self::new(class, text) }
    }

    /// The text in the middle of an area, within which it may move up and down; none if it has no room.
    pub fn inside(self, area: TextBox, geometry: &Geometry) -> Option<Candidate<Self>> {
        let (length, line) = (geometry.text_length(&self.text, Weight::Semibold), geometry.line());
        let (width, height) = if self.is_vertical { (line, length) } else { (length, line) };
        let place = TextBox::around(area.x(), area.y(), width / 2.0, height / 2.0);
        let slide = Slide::Down(area.top, area.bottom);
        place.is_within(&area).then(|| Candidate::new(self, place).sliding(slide))
    }
}

/// A label of an area. It may stand on the line of a handle, which crosses whole areas.
pub fn area_label(candidates: Vec<Candidate<PictureText>>) -> Label<PictureText> {
    Label { ignored: u8::MAX, refused: 0, ..Label::new(candidates) }
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
    /// The texts in the areas.
    pub labels: Vec<Label<PictureText>>,
    /// Everything above the limit.
    pub zone: String,
    /// The lines of the fewest available pods, the desired ones and the limit.
    pub marks: [String; 3],
    /// The line of the pods that a quota allows, if it is in the picture.
    pub quota: Option<String>,
    /// The outlines of what is too much: pods above the limit, or two of one index.
    pub over_limit: Vec<String>,
    /// How much is too much: a text for each limit.
    pub over_labels: Vec<Label<PictureText>>,
    /// Where pods start, terminate or are above the limit: that is what a reader looks for.
    pub in_transit: Vec<TextBox>,
    /// What is above the limit, from top to bottom; nothing without a limit.
    pub zones: Vec<TextBox>,
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
            over_labels: over_labels(&rows, geometry),
            in_transit: rows.iter().filter_map(|row| row.in_transit(geometry)).collect(),
            zones: rows.iter().map(|row| row.zone(geometry)).collect(),
            breaks: breaks(geometry),
            ..Self::default()
        }
    }

    /// Where the zone above the limit begins beside a text; the right edge of the picture if there is none.
    pub fn zone_left(&self, text: TextBox, width: f64) -> f64 {
        let near = self.zones.iter().filter(|zone| zone.touches(&TextBox { right: width, ..text }));
        near.fold(width, |left, zone| left.min(zone.left))
    }
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

fn over_limit(rows: &[Row], geometry: &Geometry) -> Vec<String> {
    let runs = rows.chunk_by(|row, next| row.over() > 0 && next.over() > 0);
    let outline = |run: &[Row]| {
        let first = run.first().filter(|first| first.over() > 0)?;
        let mut outline = format!("M{} {}", px(geometry.x(first.marks.limit)), px(first.top));
        for row in run {
            let _ = write!(outline, "H{}V{}", px(geometry.x(row.pods)), px(row.bottom));
        }
        for row in run.iter().rev() {
            let _ = write!(outline, "H{}V{}", px(geometry.x(row.marks.limit)), px(row.top));
        }
        outline.push('Z');
        Some(outline)
    };
    runs.filter_map(outline).collect()
}

/// A text for each stretch of time above one limit, in the middle of the row with the most pods. One that reaches beyond them stands
/// only once, where the most pods are.
fn over_labels(rows: &[Row], geometry: &Geometry) -> Vec<Label<PictureText>> {
    let last_limit = rows.last().map(|row| row.marks.limit);
    let chunks = rows.chunk_by(|row, next| row.over() > 0 && next.over() > 0 && row.marks.limit == next.marks.limit);
    let widest = chunks.filter_map(|chunk| chunk.iter().max_by_key(|row| row.over())).filter(|row| row.over() > 0);
    let mut peaks: Vec<(&Row, String)> = Vec::new();
    for row in widest {
        let text = over_text(row, last_limit, geometry);
        let fits = over_length(&text, geometry) <= over_width(row, geometry);
        match peaks.iter_mut().find(|(_, other)| !fits && *other == text) {
            Some(peak) if row.pods > peak.0.pods => *peak = (row, text),
            Some(_) => {}
            None => peaks.push((row, text)),
        }
    }
    peaks.into_iter().map(|(row, text)| over_label(row, text, geometry)).collect()
}

/// How far right of the limit, or of the edge of the picture, the text begins, in pixels.
const OVER_MARGIN: f64 = 6.0;

/// A limit that is another one later has its number: the labels above the picture name that of the playhead only. It is left out
/// unless at least half of the text stands on the pods that it is about.
fn over_text(row: &Row, last_limit: Option<i32>, geometry: &Geometry) -> String {
    let short = format!("{} over", group_digits(row.over()));
    let limit = row.marks.limit;
    let long = (last_limit != Some(limit)).then(|| format!("{short}: limit is {} here", group_digits(limit)));
    let room = (2.0 * over_width(row, geometry)).min(geometry.width - OVER_MARGIN);
    long.filter(|text| over_length(text, geometry) <= room).unwrap_or(short)
}

/// The text in the middle between the limit and the last pod. If that is too narrow, a long one ends with the last pod, and a short one
/// begins at the limit if the picture has room.
fn over_label(row: &Row, text: String, geometry: &Geometry) -> Label<PictureText> {
    let (limit, right) = (geometry.x(row.marks.limit), geometry.x(row.pods));
    let length = over_length(&text, geometry);
    let left = if length > right - limit && text.contains(':') {
        (right - length).max(OVER_MARGIN)
    } else {
        (f64::midpoint(limit, right) - length / 2.0).max(limit + OVER_MARGIN)
    };
    let left = left.min(geometry.width - length).max(0.0);
    let place = TextBox::line(left, f64::midpoint(row.top, row.bottom), length, geometry.half_line());
    let shown = PictureText::new("over-limit", text);
    let beside = Slide::Across((left - length).max(0.0), (left + 2.0 * length).min(geometry.width));
    Label::new(vec![near_height(shown.clone(), place, geometry), Candidate::new(shown, place).sliding(beside)])
}

/// A text that may move a line up or down, inside the picture: further away, it would seem to belong to something else.
pub fn near_height(shown: PictureText, place: TextBox, geometry: &Geometry) -> Candidate<PictureText> {
    let line = 2.0 * geometry.half_line();
    let slide = Slide::Down((place.top - line).max(0.0), (place.bottom + line).min(geometry.height));
    Candidate::new(shown, place).sliding(slide)
}

fn over_length(text: &str, geometry: &Geometry) -> f64 {
    geometry.text_length(text, Weight::Bold)
}

/// From the limit to the last pod, in pixels.
fn over_width(row: &Row, geometry: &Geometry) -> f64 {
    geometry.x(row.pods) - geometry.x(row.marks.limit)
}

/// The text of each group: in the largest rectangle that the group fills, or upright in the largest one that is high enough. That of
/// terminating pods, which are often few, may stand beside them up to the limit: upright, it is hard to read. Beyond the limit, it
/// would seem to be about pods that are too many.
fn labels(rows: &[Row], geometry: &Geometry, names: [&str; 3]) -> Vec<Label<PictureText>> {
    let mut groups: Vec<Group> = rows.iter().flat_map(|row| row.spans.iter().map(|span| span.group)).collect();
    groups.sort_unstable();
    groups.dedup();
    let label = |group: Group| {
        let text = match group.band {
            Band::Available => names.get(group.replica_set.min(2)).copied().unwrap_or_default(),
            band => band_class(band),
        };
        let (length, line) = (geometry.text_length(text, Weight::Semibold), geometry.line());
        let inside = |least: [f64; 2], is_vertical: bool| {
            let area = largest_rectangle(rows, geometry, group, least)?;
            PictureText::of_group(group, text, is_vertical).inside(area, geometry)
        };
        let beside = || label_beside(rows, geometry, group, text).map(|beside| beside.ranked(1));
        let upright = || inside([line, length], true).map(|upright| upright.ranked(2));
        let candidates = match inside([0.0; 2], false) {
            level if group.band == Band::Terminating => vec![level, beside(), upright()],
            Some(level) => vec![Some(level)],
            None => vec![upright()],
        };
        area_label(candidates.into_iter().flatten().collect())
    };
    groups.into_iter().map(label).collect()
}

/// A text right of a group, where no pods are, left of the limit; none if there is no room. The place that is furthest left is taken.
fn label_beside(rows: &[Row], geometry: &Geometry, group: Group, text: &str) -> Option<Candidate<PictureText>> {
    let (length, half_line) = (geometry.text_length(text, Weight::Semibold), geometry.line() / 2.0);
    let place = |row: &Row| {
        row.spans.iter().find(|span| span.group == group)?;
        let y = f64::midpoint(row.top, row.bottom).min(geometry.height - half_line).max(half_line);
        let near = rows.iter().filter(|other| other.top < y + half_line && other.bottom > y - half_line);
        // Beside what is above the limit stands how much that is.
        let end = |other: &Row| if other.over() > 0 { geometry.columns_end() } else { other.pods };
        let start = geometry.x(near.clone().map(end).max()?);
        let end = near.map(|other| geometry.x(other.marks.limit)).fold(geometry.width, f64::min);
        (start + length <= end).then(|| TextBox::line(start, y, length, half_line))
    };
    let place = rows.iter().filter_map(place).min_by(|place, other| place.left.total_cmp(&other.left))?;
    Some(Candidate::new(PictureText::of_group(group, text, false), place))
}

/// The largest rectangle with at least a width and a height that a group fills.
fn largest_rectangle(
    rows: &[Row],
    geometry: &Geometry,
    group: Group,
    [least_width, least_height]: [f64; 2],
) -> Option<TextBox> {
    let span = |row: &Row| {
        let span = row.spans.iter().find(|span| span.group == group)?;
        // What is above the limit has a label of its own.
        Some((geometry.x(span.from), geometry.x(span.to.min(row.marks.limit))))
    };
    let mut largest: Option<TextBox> = None;
    let area = |it: TextBox| (it.right - it.left) * (it.bottom - it.top);
    for (index, first) in rows.iter().enumerate() {
        let Some((mut left, mut right)) = span(first).filter(|(left, right)| left < right) else { continue };
        for row in rows.iter().skip(index) {
            let Some((row_left, row_right)) = span(row) else { break };
            (left, right) = (left.max(row_left), right.min(row_right));
            if left >= right || right - left < least_width {
                break;
            }
            let rectangle = TextBox { left, top: first.top, right, bottom: row.bottom };
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
    use crate::playback::{Lane, LaneInfo, Playback};

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
        let geometry = Geometry::new(&playback, [400.0, height], 74.0, 1.0);
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

    /// The places of labels that the limit strikes through, or that stand beyond it.
    fn struck_labels(changes: &[(i32, i32, i32)], width: f64) -> Vec<Candidate<PictureText>> {
        let playback = playback(changes);
        let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0);
        let rows = rows(&playback.lanes[0].track, &geometry);
        let is_struck = |it: &Candidate<PictureText>| {
            let mut near = rows.iter().filter(|row| row.top < it.place.bottom && row.bottom > it.place.top);
            near.any(|row| it.place.right > geometry.x(row.marks.limit) + 0.01)
        };
        let labels = labels(&rows, &geometry, ["old", "new", "newer"]).into_iter();
        labels.flat_map(|label| label.candidates).filter(is_struck).collect()
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
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0);
            let rows = rows(&playback.lanes[0].track, &geometry);
            let labels = labels(&rows, &geometry, ["old", "new", "newer"]).into_iter();
            let terminating = labels.flat_map(|label| label.candidates).filter(|it| it.shown.text == "terminating");
            // Whether it is upright, and whether it is beyond the limit.
            terminating.map(|it| (it.shown.is_vertical, it.place.x() > geometry.x(4))).collect::<Vec<_>>()
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
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0);
            let labels = over_labels(&rows(&playback.lanes[0].track, &geometry), &geometry);
            let ends: Vec<f64> = labels.iter().map(|label| label.candidates[0].place.right).collect();
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
            let geometry = Geometry::new(&playback, [width, 400.0], 74.0, 1.0);
            let labels = over_labels(&rows(&playback.lanes[0].track, &geometry), &geometry).into_iter();
            labels.map(|mut label| label.candidates.remove(0).shown.text).collect::<Vec<_>>()
        };
        let texts = |limits: &[i32], width: f64| {
            let marks = |limit: &i32| Marks { desired: *limit, limit: *limit, min_available: 0 };
            labels(&limits.iter().map(marks).collect::<Vec<_>>(), width)
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
