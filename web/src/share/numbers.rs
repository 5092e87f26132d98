//! The numbers of what is shown, as text for spreadsheets, programs and pull requests.

use std::rc::Rc;

use changeover_core::timeline::Counts;
use serde_json::{Map, Value, json};

use super::state::SharedState;
use crate::figures::{compared_trade, figures};
use crate::playback::{Lane, Playback, Snapshot};

/// What can be shared of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Shareable {
    /// The headline.
    pub title: String,
    /// What was set, in a line.
    pub inputs: String,
    /// How files are called, without their ending.
    pub file_name: String,
    /// What the address holds.
    pub state: SharedState,
    /// The Deployment that the settings mean.
    pub manifest: Option<Value>,
    /// What is shown.
    pub playback: Rc<Playback>,
}

/// The numbers as a table, with a row for each change: comma-separated values (RFC 4180).
pub fn csv(playback: &Playback) -> String {
    let versions = versions(playback);
    let mut header = vec![String::from("lane"), String::from("seconds")];
    header.extend(versions.iter().map(|name| format!("{name} available")));
    header.extend(["starting", "terminating", "pods", "at least", "desired", "limit", "over"].map(String::from));
    let mut text = line(&header);
    for lane in &playback.lanes {
        for snapshot in lane.track.instants_from_zero() {
            let counts = MomentCounts::new(&snapshot, versions.len());
            let mut cells = vec![lane.info.name.clone(), seconds(since_change(playback, &snapshot))];
            cells.extend(counts.available.iter().map(i32::to_string));
            let marks = snapshot.marks;
            let others = [counts.starting, counts.terminating, snapshot.pods(), marks.min_available, marks.desired];
            cells.extend(others.into_iter().chain([marks.limit, snapshot.over()]).map(|count| count.to_string()));
            text.push_str(&line(&cells));
        }
    }
    text
}

/// The numbers as JSON.
pub fn json(shareable: &Shareable) -> String {
    let playback = &shareable.playback;
    let versions = versions(playback);
    let lanes = playback.lanes.iter().enumerate().map(|(index, lane)| {
        let totals = playback.totals(index);
        let time = |time: Option<i64>| time.map(seconds_value);
        json!({
            "name": lane.info.name,
            "difference": lane.info.difference,
            "proposed": lane.info.proposed,
            "podsAtMost": totals.peak,
            "limit": totals.limit_at_peak,
            "over": totals.over(),
            "availableAtLeast": totals.lowest_available,
            "allAvailableAfterSeconds": time(totals.all_available),
            "completeAfterSeconds": time(totals.complete),
            "lastOldPodGoneAfterSeconds": time(totals.last_old_pod_gone),
            "moments": lane.track.instants_from_zero().iter().map(|it| moment(playback, it, &versions)).collect::<Vec<_>>(),
        })
    });
    let numbers = json!({ "title": shareable.title, "inputs": shareable.inputs, "lanes": lanes.collect::<Vec<_>>() });
    serde_json::to_string_pretty(&numbers).map(|text| text + "\n").unwrap_or_default()
}

fn moment(playback: &Playback, snapshot: &Snapshot<'_>, versions: &[&str]) -> Value {
    let counts = MomentCounts::new(snapshot, versions.len());
    let available: Map<String, Value> =
        versions.iter().zip(&counts.available).map(|(name, count)| ((*name).to_owned(), Value::from(*count))).collect();
    json!({
        "seconds": seconds_value(since_change(playback, snapshot)),
        "available": available,
        "starting": counts.starting,
        "terminating": counts.terminating,
        "pods": snapshot.pods(),
        "atLeast": snapshot.marks.min_available,
        "desired": snapshot.marks.desired,
        "limit": snapshot.marks.limit,
        "over": snapshot.over(),
    })
}

/// The answers as a comment on a pull request. `link` leads to the page.
pub fn markdown(shareable: &Shareable, link: &str) -> String {
    let Shareable { title, inputs, playback, .. } = shareable;
    let shown = || playback.shown_lanes.iter().filter_map(|index| Some((*index, playback.lanes.get(*index)?)));
    let name = |lane: &Lane| cell(&lane.info.name) + if lane.info.proposed { " (proposed)" } else { "" };
    let columns: Vec<Vec<crate::figures::Figure>> = shown()
        .map(|(index, _)| {
            let other = playback.compared_with(index).map(|other| playback.totals(other));
            figures(&playback.totals(index), other.as_ref(), playback.has_rollback())
        })
        .collect();
    let mut text = format!("### {}\n\n", cell(title));
    let heads: String = shown().map(|(_, lane)| format!(" {} |", name(lane))).collect();
    text.push_str(&format!("| |{heads}\n|---|{}\n", "--:|".repeat(columns.len())));
    for (row, figure) in columns.first().into_iter().flatten().enumerate() {
        let cells = columns.iter().filter_map(|column| column.get(row)).map(|figure| {
            let note = figure.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            format!(" {}{note} |", figure.value)
        });
        text.push_str(&format!("| {} |{}\n", figure.label, cells.collect::<String>()));
    }
    if let Some((name, trade)) = compared_trade(playback) {
        text.push_str(&format!("\n**{}**: {trade}\n", cell(name)));
    }
    if !inputs.is_empty() {
        text.push_str(&format!("\n{}\n", cell(inputs)));
    }
    text.push_str(&format!("\n<sub>[Open this rollout in Changeover]({link})</sub>\n"));
    text
}

/// The names of the versions that there are.
fn versions(playback: &Playback) -> Vec<&'static str> {
    // Jobs have no versions.
    if playback.lanes.iter().any(|lane| lane.is_of_jobs()) {
        return vec!["running"];
    }
    let most = playback.lanes.iter().map(|lane| lane.track.replica_set_count).max().unwrap_or(0);
    playback.version_names().into_iter().take(most).collect()
}

/// The pods of a moment, as the table on the page counts them.
pub struct MomentCounts {
    /// The available pods of each version.
    pub available: Vec<i32>,
    /// Pods that are not available yet, or not known to be.
    pub starting: i32,
    /// Pods that terminate.
    pub terminating: i32,
}

impl MomentCounts {
    /// The counts of a moment, with that many versions.
    pub fn new(snapshot: &Snapshot<'_>, versions: usize) -> Self {
        let sum = |count: fn(&Counts) -> i32| {
            snapshot.counts.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts)))
        };
        let available = snapshot.counts.iter().map(|counts| counts.available).chain(std::iter::repeat(0));
        let all = sum(|counts| counts.available);
        Self {
            available: if versions == 1 { vec![all] } else { available.take(versions).collect() },
            starting: sum(|it| {
                it.ready.saturating_add(it.starting).saturating_add(it.pending).saturating_add(it.unknown)
            }),
            terminating: sum(|counts| counts.terminating),
        }
    }
}

fn since_change(playback: &Playback, snapshot: &Snapshot<'_>) -> i64 {
    snapshot.from.time.saturating_sub(playback.totals(0).change)
}

/// Nanoseconds as seconds, with all their digits: `12`, `0.5`, `-1.25`.
fn seconds(nanoseconds: i64) -> String {
    let (whole, rest) =
        (nanoseconds.unsigned_abs().div_euclid(1_000_000_000), nanoseconds.unsigned_abs().rem_euclid(1_000_000_000));
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let digits = format!("{rest:09}");
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{digits}") }
}

fn seconds_value(nanoseconds: i64) -> Value {
    serde_json::from_str(&seconds(nanoseconds)).unwrap_or_default()
}

/// A line of comma-separated values.
fn line(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    });
    quoted.collect::<Vec<_>>().join(",") + "\r\n"
}

/// Text that can't end a cell or begin something else.
fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' => escaped.extend(['\\', character]),
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_all_their_digits_and_no_more() {
        let cases =
            [(0, "0"), (12_000_000_000, "12"), (500_000_000, "0.5"), (-1_250_000_000, "-1.25"), (1, "0.000000001")];
        for (nanoseconds, text) in cases {
            assert_eq!(seconds(nanoseconds), text);
            assert!(seconds_value(nanoseconds).is_number());
        }
    }

    #[test]
    fn a_cell_stays_one_cell() {
        assert_eq!(line(&["a,b".into(), "say \"a\"".into(), "c".into()]), "\"a,b\",\"say \"\"a\"\"\",c\r\n");
        assert_eq!(cell("a|b\n[c]"), "a\\|b \\[c\\]");
    }
}
