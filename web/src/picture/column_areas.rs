//! The areas of a picture with fixed columns: a strip for each pod in the column of its index, attempt, run, ordinal or node, from
//! the moment of its creation at the top to its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use changeover_core::scenario::Duration;
use changeover_wire::ColumnMeaning;

use super::areas::{AreaLabel, Areas, Cross, OverLabel, OverLimit, breaks, rectangles_path};
use super::classes::band_class;
use super::geometry::Geometry;
use super::group::Group;
use crate::number::{count_to_f64, px};
use crate::playback::{Activity, Awaited, Band, Ending, FixedColumns, Lane, Moment, Occupant, PlaybackTrack, holding};

/// Half of the size of the cross where a pod failed, in pixels.
const CROSS: f64 = 4.5;

/// The same, where the next pod soon follows.
const SMALL_CROSS: f64 = 3.0;

/// How far from the left edge of a cross the name beside it begins, in pixels.
const BESIDE_CROSS: f64 = 2.0 * CROSS + 3.0;

/// What stands in a column from one height to another.
struct Row {
    top: f64,
    bottom: f64,
    occupants: Vec<Occupant>,
    awaited: Option<Awaited>,
}

/// What the strips of a lane are called.
struct StripWords<'a> {
    /// The name of the workload: its pods have it.
    workload: &'a str,
    /// The names of the versions of pods that run.
    versions: [&'static str; 3],
}

impl Row {
    /// What happens there, unless several share the column.
    const fn activity(&self) -> Option<Activity> {
        match self.occupants.as_slice() {
            [occupant] => Some(occupant.activity),
            _ => None,
        }
    }
}

/// What marks a strip of a column.
struct StripMarks {
    cross: Option<Cross>,
    label: Option<AreaLabel>,
}

/// The areas of a lane with fixed columns. `versions`: what the versions of its pods are called.
pub fn column_areas(lane: &Lane, columns: &FixedColumns, geometry: &Geometry, versions: [&'static str; 3]) -> Areas {
    let track = &lane.track;
    let workload = lane.played.workload.as_ref().map_or("", |workload| workload.name.as_str());
    let words = StripWords { workload, versions };
    let partition = partition_line(track, columns, geometry);
    let mut areas = Areas { breaks: breaks(geometry), partition, ..Areas::default() };
    let mut groups: BTreeMap<Group, Vec<[f64; 4]>> = BTreeMap::new();
    for column in 0..columns.len() {
        let rows = rows(track, columns, column, geometry);
        for row in &rows {
            for (slot, occupant) in row.occupants.iter().enumerate() {
                let [left, right] = slot_edges(geometry, column, slot, row.occupants.len());
                if let Some(band) = band_of(occupant.activity) {
                    let rectangle = [left, row.top, right, row.bottom];
                    groups.entry(Group { band, replica_set: occupant.hue }).or_default().push(rectangle);
                } else if matches!(occupant.activity, Activity::Waits { .. }) {
                    areas.waits.push_str(&wait_line([left, right], row));
                }
            }
            if row.occupants.is_empty() && row.awaited.is_some() {
                areas.waits.push_str(&wait_line(slot_edges(geometry, column, 0, 1), row));
            }
        }
        if columns.meaning == ColumnMeaning::Index {
            areas.over_limit.extend(two_at_once(&rows, geometry, column));
        }
        for StripMarks { cross, label } in marks(&rows, geometry, column, &words) {
            areas.failures.extend(cross);
            areas.labels.extend(label.map(|label| vec![label]));
        }
    }
    areas.groups = groups.into_iter().map(|(group, rectangles)| (group, rectangles_path(&rectangles))).collect();
    areas
}

/// The line of a wait for a pod.
fn wait_line([left, right]: [f64; 2], row: &Row) -> String {
    format!("M{} {}V{}", px(f64::midpoint(left, right)), px(row.top), px(row.bottom))
}

/// The left edge of the first column that is updated, if others are not.
pub fn partition_edge(
    track: &PlaybackTrack,
    columns: &FixedColumns,
    geometry: &Geometry,
    moment: Moment,
) -> Option<f64> {
    let ordinals = track.ordinals_at(moment).filter(|ordinals| ordinals.partition > 0)?;
    let column = ordinals.first.saturating_add(ordinals.partition).saturating_sub(columns.first).min(columns.len());
    Some(count_to_f64(column) * geometry.column_width())
}

/// The line between the ordinals that are updated and those that are not, from top to bottom.
fn partition_line(track: &PlaybackTrack, columns: &FixedColumns, geometry: &Geometry) -> String {
    let mut times: Vec<i64> = track.ordinals().map(|ordinals| ordinals.from.time.max(0)).collect();
    times.dedup();
    let ends = times.iter().skip(1).map(|time| geometry.y(*time)).chain([geometry.height]);
    let mut line = String::new();
    let mut last = None;
    for (time, bottom) in times.iter().zip(ends) {
        let edge = partition_edge(track, columns, geometry, Moment { frame: usize::MAX, time: *time });
        if let Some(x) = edge {
            let begin =
                if last.is_some() { format!("H{}", px(x)) } else { format!("M{} {}", px(x), px(geometry.y(*time))) };
            // Writing to a String cannot fail.
            let _ = write!(line, "{begin}V{}", px(bottom));
        }
        last = edge;
    }
    line
}

/// The rows of a column, from top to bottom.
fn rows(track: &PlaybackTrack, columns: &FixedColumns, column: usize, geometry: &Geometry) -> Vec<Row> {
    let times = columns.times(track, column);
    let ends = times.iter().skip(1).map(|time| geometry.y(*time)).chain([geometry.height]);
    let rows = times.iter().zip(ends).map(|(time, bottom)| {
        let moment = Moment { frame: usize::MAX, time: *time };
        let occupants = columns.occupants(track, column, moment);
        Row { top: geometry.y(*time), bottom, occupants, awaited: columns.awaited(track, column, moment) }
    });
    let mut merged: Vec<Row> = Vec::new();
    for row in rows {
        match merged.last_mut() {
            Some(last) if (&last.occupants, last.awaited) == (&row.occupants, row.awaited) => last.bottom = row.bottom,
            _ => merged.push(row),
        }
    }
    merged
}

/// The band of what stands in a column; none where no area is drawn.
const fn band_of(activity: Activity) -> Option<Band> {
    match activity {
        Activity::Holds(state) => Some(Band::of(state)),
        Activity::Ended(Ending::Succeeded) => Some(Band::Ended),
        Activity::Ended(_) | Activity::Waits { .. } => None,
    }
}

/// The left and the right edge of one of several that share a column.
pub fn slot_edges(geometry: &Geometry, column: usize, slot: usize, count: usize) -> [f64; 2] {
    let margin = if geometry.column_width() > 16.0 { 2.0 } else { 0.5 };
    let left = count_to_f64(column) * geometry.column_width() + margin;
    let width = (geometry.column_width() - 2.0 * margin) / count_to_f64(count.max(1));
    let left = left + count_to_f64(slot) * width;
    [left, left + width]
}

/// Where an index has two pods at once.
fn two_at_once(rows: &[Row], geometry: &Geometry, column: usize) -> Vec<OverLimit> {
    let runs = rows.chunk_by(|row, next| holding(&row.occupants) > 1 && holding(&next.occupants) > 1);
    let doubled = runs.filter_map(|run| {
        let (first, last) = run.first().zip(run.last())?;
        let most = run.iter().map(|row| holding(&row.occupants)).max()?;
        let [left, right] = slot_edges(geometry, column, 0, 1);
        let text = format!("{most} at once");
        let text = if geometry.text_length(&text) <= right - left { text } else { most.to_string() };
        let x = f64::midpoint(left, right) - geometry.text_length(&text) / 2.0;
        (most > 1).then(|| OverLimit {
            outline: rectangles_path(&[[left, first.top, right, last.bottom]]),
            labels: vec![OverLabel { text, x, y: f64::midpoint(first.top, last.bottom) }],
        })
    });
    doubled.collect()
}

/// The crosses of a column, and what its strips are called where there is room.
fn marks(rows: &[Row], geometry: &Geometry, column: usize, words: &StripWords<'_>) -> Vec<StripMarks> {
    let [left, right] = slot_edges(geometry, column, 0, 1);
    let name = |row: &Row| strip_name(row, words, |text| geometry.text_length(text) <= right - left);
    let strips = rows.chunk_by(|row, next| is_same_strip(row, next, &name));
    strips.filter_map(|strip| strip_marks(strip, geometry, column, &name)).collect()
}

/// Whether a row continues a strip. Whether a pod is on a node yet makes no other strip, and where a pod failed, its Job's wait
/// is part of the strip.
fn is_same_strip(row: &Row, next: &Row, name: &impl Fn(&Row) -> Option<StripName>) -> bool {
    match (row.activity(), next.activity()) {
        (Some(Activity::Ended(Ending::Failed)), Some(next)) => {
            matches!(next, Activity::Ended(Ending::Failed) | Activity::Waits { .. })
        }
        _ => name(row).is_some_and(|its| name(next) == Some(its)),
    }
}

fn strip_marks(
    strip: &[Row],
    geometry: &Geometry,
    column: usize,
    name: &impl Fn(&Row) -> Option<StripName>,
) -> Option<StripMarks> {
    let (first, last) = strip.first().zip(strip.last())?;
    let [left, right] = slot_edges(geometry, column, 0, 1);
    let (middle, width) = (f64::midpoint(left, right), right - left);
    let failed = first.activity() == Some(Activity::Ended(Ending::Failed)) && geometry.column_width() >= 2.0 * CROSS;
    let cross = failed.then(|| cross_between(first.top, last.bottom, middle, geometry));
    let Some(StripName { text, group }) = name(last) else { return Some(StripMarks { cross, label: None }) };
    let half_length = geometry.text_length(&text) / 2.0;
    let is_beside = cross.is_some() && width >= 2.0 * half_length + BESIDE_CROSS;
    let (x, top) = match cross {
        Some(_) if is_beside => (middle + BESIDE_CROSS / 2.0, first.top),
        // Below the cross.
        Some(Cross { y, half, .. }) => (middle, y + half),
        None => (middle, first.top),
    };
    let is_vertical = width < 2.0 * half_length;
    let needed = if is_vertical { 2.0 * half_length } else { geometry.line() };
    let (y, room) = (f64::midpoint(top, last.bottom), (last.bottom - top - needed) / 2.0);
    if room < 0.0 || (is_vertical && width < geometry.line()) {
        return Some(StripMarks { cross, label: None });
    }
    let cross_x = if is_beside { x - half_length - BESIDE_CROSS + CROSS } else { middle };
    let cross = cross.map(|cross| Cross { x: cross_x, ..cross });
    Some(StripMarks { cross, label: Some(AreaLabel { group, x, y, room, is_vertical, text, half_length }) })
}

/// The cross of a pod that failed, near the top of its strip, and as far from the next pod as there is room.
fn cross_between(top: f64, bottom: f64, x: f64, geometry: &Geometry) -> Cross {
    if bottom < geometry.height {
        let half = ((bottom - top) / 2.0).clamp(SMALL_CROSS, CROSS);
        return Cross { x, y: (top + half + 3.0).min(f64::midpoint(top, bottom)), half };
    }
    Cross { x, y: (top + CROSS + 3.0).min(geometry.height - CROSS - 1.0), half: CROSS }
}

/// What a strip is called, and which pod's it is.
#[derive(PartialEq)]
struct StripName {
    text: String,
    group: Group,
}

/// `fits`: whether a text has room across the column.
fn strip_name(row: &Row, words: &StripWords<'_>, fits: impl Fn(&str) -> bool) -> Option<StripName> {
    let wait = row.awaited.map(|awaited| awaited_words(awaited, words.workload, fits));
    let occupant = match row.occupants.as_slice() {
        [occupant] => occupant,
        [] => {
            let group = Group { band: Band::Starting, replica_set: 0 };
            return wait.map(|text| StripName { text, group });
        }
        // Those that share a column have one text: that they do.
        _ => return None,
    };
    let text = match occupant.activity {
        Activity::Holds(_) if wait.is_some() => wait.unwrap_or_default(),
        Activity::Waits { since, until } => format!("waits {}", Duration(until.saturating_sub(since)).in_words()),
        Activity::Holds(state) => String::from(match Band::of(state) {
            Band::Available => words.versions.get(occupant.hue).copied().unwrap_or("running"),
            band => band_class(band),
        }),
        Activity::Ended(Ending::Succeeded) => String::from("succeeded"),
        Activity::Ended(_) => return None,
    };
    let band = band_of(occupant.activity).unwrap_or(Band::Starting);
    Some(StripName { text, group: Group { band, replica_set: occupant.hue } })
}

/// What a StatefulSet waits for before it creates or updates a pod.
pub fn awaited_words(awaited: Awaited, workload: &str, fits: impl Fn(&str) -> bool) -> String {
    let [long, short] = match awaited {
        Awaited::Other(ordinal) => [format!("waits for {workload}-{ordinal}"), format!("waits for {ordinal}")],
        Awaited::Itself => [String::from("replaced once ready"), String::from("once ready")],
    };
    if fits(&long) { long } else { short }
}

#[cfg(test)]
mod tests {
    use changeover_core::timeline::PodState;

    use super::*;
    use crate::picture::TextRuler;
    use crate::playback::TimeScale;

    const FAILED: Activity = Activity::Ended(Ending::Failed);
    const WAITS: Activity = Activity::Waits { since: 0, until: 10_000_000_000 };

    /// The marks of the second of three columns: a pod fails, its Job counts that a second later and waits, and a pod follows.
    fn marks_of(width: f64, second: f64) -> Vec<StripMarks> {
        let geometry = Geometry {
            width,
            height: 100.0 * second,
            row_height: 74.0,
            columns: 3.0,
            has_fixed_columns: true,
            text_scale: 1.0,
            ruler: TextRuler::monospace(1.0),
            time_scale: TimeScale::default(),
        };
        let holds = Activity::Holds(PodState::Available);
        let rows = [(0.0, 55.0, holds), (55.0, 56.0, FAILED), (56.0, 65.0, WAITS), (65.0, 100.0, holds)];
        let rows = rows.map(|(from, to, activity)| Row {
            top: from * second,
            bottom: to * second,
            occupants: vec![Occupant { pod: 0, hue: 0, activity }],
            awaited: None,
        });
        marks(&rows, &geometry, 1, &StripWords { workload: "job", versions: ["running"; 3] })
    }

    fn pause_of(width: f64, second: f64) -> (Cross, Option<AreaLabel>) {
        let mut marked = marks_of(width, second).into_iter().filter_map(|marks| Some((marks.cross?, marks.label)));
        let pause = marked.next().unwrap();
        assert!(marked.next().is_none(), "a pod fails once");
        pause
    }

    #[test]
    fn a_wait_is_named_right_of_the_cross() {
        let (cross, label) = pause_of(600.0, 3.0);
        let label = label.unwrap();
        assert_eq!(label.text, "waits 10 s");
        assert!(!label.is_vertical);
        let left = label.x - label.half_length;
        assert!(200.0 < cross.x - cross.half && cross.x + cross.half < left, "{cross:?}, {label:?}");
        assert!(label.x + label.half_length < 400.0, "{label:?}");
    }

    #[test]
    fn a_wait_is_named_below_the_cross_in_a_narrow_column() {
        // Across, then upright.
        for (width, second, is_vertical) in [(270.0, 4.0, false), (150.0, 12.0, true)] {
            let (cross, label) = pause_of(width, second);
            let label = label.unwrap();
            assert_eq!(label.is_vertical, is_vertical);
            let half_height = if is_vertical { label.half_length } else { 8.5 };
            assert!(label.y - half_height >= cross.y + cross.half, "{cross:?}, {label:?}");
            assert!(label.y + half_height <= 65.0 * second, "{cross:?}, {label:?}");
            assert!((cross.x - width / 2.0).abs() < 0.1, "{cross:?}");
        }
    }

    #[test]
    fn a_cross_is_clear_of_both_pods() {
        for second in [0.6, 0.9, 1.2, 2.0, 5.0] {
            let (cross, _) = pause_of(150.0, second);
            assert!(cross.y - cross.half >= 55.0 * second - 0.1, "{second}: {cross:?}");
            assert!(cross.y + cross.half <= 65.0 * second + 0.1, "{second}: {cross:?}");
        }
    }
}
