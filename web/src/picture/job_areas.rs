//! The areas of a Job's picture: a strip for each pod in the column of its index, attempt or run, from the moment of its creation
//! at the top to its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use changeover_core::scenario::Duration;

use super::areas::{AreaLabel, Areas, Group, OverLabel, OverLimit, breaks, rectangles_path};
use super::classes::band_class;
use super::geometry::Geometry;
use crate::number::{count_to_f64, px};
use crate::playback::{Activity, Band, ColumnMeaning, Ending, JobColumns, Moment, Occupant, PlaybackTrack, holding};

/// Half of the size of the cross where a pod failed, in pixels.
const CROSS: f64 = 4.5;

/// What stands in a column from one height to another.
struct Row {
    top: f64,
    bottom: f64,
    from: i64,
    occupants: Vec<Occupant>,
}

/// The areas of a Job's lane.
pub fn job_areas(track: &PlaybackTrack, columns: &JobColumns, geometry: &Geometry) -> Areas {
    let [mut waits, mut failures] = [String::new(), String::new()];
    let mut areas = Areas { breaks: breaks(geometry), ..Areas::default() };
    let mut groups: BTreeMap<Group, Vec<[f64; 4]>> = BTreeMap::new();
    for column in 0..columns.len() {
        let rows = rows(track, columns, column, geometry);
        for row in &rows {
            for (slot, occupant) in row.occupants.iter().enumerate() {
                let [left, right] = slot_edges(geometry, column, slot, row.occupants.len());
                if let Some(band) = band_of(occupant.activity) {
                    let rectangle = [left, row.top, right, row.bottom];
                    groups.entry(Group { band, replica_set: occupant.attempt }).or_default().push(rectangle);
                } else if matches!(occupant.activity, Activity::Waits(_)) {
                    // Writing to a String cannot fail.
                    let _ = write!(waits, "M{} {}V{}", px(f64::midpoint(left, right)), px(row.top), px(row.bottom));
                }
            }
        }
        failures.extend(rows.iter().filter_map(|row| failure_cross(row, geometry, column)));
        if columns.meaning == ColumnMeaning::Index {
            areas.over_limit.extend(two_at_once(&rows, geometry, column));
        }
        areas.labels.extend(labels(&rows, geometry, column).into_iter().map(|label| vec![label]));
    }
    areas.job_lines = [waits, failures];
    areas.groups = groups.into_iter().map(|(group, rectangles)| (group, rectangles_path(&rectangles))).collect();
    areas
}

/// The rows of a column, from top to bottom.
fn rows(track: &PlaybackTrack, columns: &JobColumns, column: usize, geometry: &Geometry) -> Vec<Row> {
    let times = columns.times(track, column);
    let ends = times.iter().skip(1).map(|time| geometry.y(*time)).chain([geometry.height]);
    let rows = times.iter().zip(ends).map(|(time, bottom)| Row {
        top: geometry.y(*time),
        bottom,
        from: *time,
        occupants: columns.occupants(track, column, Moment { frame: usize::MAX, time: *time }),
    });
    let mut merged: Vec<Row> = Vec::new();
    for row in rows {
        match merged.last_mut() {
            Some(last) if last.occupants == row.occupants => last.bottom = row.bottom,
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
        Activity::Ended(_) | Activity::Waits(_) => None,
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

/// A cross where a pod failed.
fn failure_cross(row: &Row, geometry: &Geometry, column: usize) -> Option<String> {
    let failed = row.occupants.iter().any(|occupant| occupant.activity == Activity::Ended(Ending::Failed));
    if !failed || geometry.column_width() < 2.0 * CROSS {
        return None;
    }
    let x = (count_to_f64(column) + 0.5) * geometry.column_width();
    let y = (row.top + CROSS + 3.0).min(geometry.height - CROSS - 1.0);
    let [left, right, top, bottom] = [x - CROSS, x + CROSS, y - CROSS, y + CROSS].map(px);
    Some(format!("M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}"))
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

/// What the strips of a column are called, where there is room. Whether a pod is on a node yet makes no other strip.
fn labels(rows: &[Row], geometry: &Geometry, column: usize) -> Vec<AreaLabel> {
    let of_strip = |strip: &[Row]| {
        let (first, last) = strip.first().zip(strip.last())?;
        let StripName { text, group } = strip_name(first)?;
        let [left, right] = slot_edges(geometry, column, 0, 1);
        let (length, width, height) = (geometry.text_length(&text), right - left, last.bottom - first.top);
        let is_vertical = width < length;
        let needed = if is_vertical { length } else { geometry.line() };
        let fits = height >= needed && (!is_vertical || width >= geometry.line());
        let (x, y) = (f64::midpoint(left, right), f64::midpoint(first.top, last.bottom));
        let room = (height - needed) / 2.0;
        fits.then_some(AreaLabel { group, x, y, room, is_vertical, text, half_length: length / 2.0 })
    };
    rows.chunk_by(|row, next| strip_name(row) == strip_name(next)).filter_map(of_strip).collect()
}

/// What a strip is called, and which pod's it is.
#[derive(PartialEq)]
struct StripName {
    text: String,
    group: Group,
}

fn strip_name(row: &Row) -> Option<StripName> {
    // Two that share a column have one text: that they do.
    let [occupant] = row.occupants.as_slice() else { return None };
    let text = match occupant.activity {
        Activity::Waits(until) => format!("waits {}", Duration(until.saturating_sub(row.from)).in_words()),
        Activity::Holds(state) => String::from(match Band::of(state) {
            Band::Available => "running",
            band => band_class(band),
        }),
        Activity::Ended(Ending::Succeeded) => String::from("succeeded"),
        Activity::Ended(_) => return None,
    };
    let band = band_of(occupant.activity).unwrap_or(Band::Starting);
    Some(StripName { text, group: Group { band, replica_set: occupant.attempt } })
}
