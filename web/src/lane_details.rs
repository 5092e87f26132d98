//! The details below a lane: the player's tables, and the graphics of the lane as tables. A table is open if the explained
//! step is about it.

use changeover_core::timeline::Counts;
use changeover_wire::playback_track::STATES;
use changeover_wire::{format_clock, index_value, list_field, str_at, str_field};
use serde_json::Value;
use yew::Html;

use crate::element::{element, table, table_row, text_element};
use crate::playback::{Lane, Playback};
use crate::playback_track::pods_in_state;
use crate::ui_text::state_name;

/// The table of counts over time has at most this many rows.
const MAX_ROWS: usize = 200;

/// The tables of a lane.
pub(crate) fn view(playback: &Playback, lane: &Lane) -> Html {
    let mut tables = Vec::new();
    for player_table in list_field(&lane.inspection, "tables") {
        tables.push(view_table(player_table));
    }
    tables.push(counts_now(playback, lane));
    tables.push(counts_over_time(lane));
    let label = format!("Details: {}", lane.info.name);
    element("div", &[("class", "facts"), ("tabindex", "0"), ("role", "region"), ("aria-label", &label)], tables)
}

fn strings(values: &[Value]) -> Vec<String> {
    let mut texts = Vec::new();
    for index in 0..values.len() {
        texts.push(String::from(str_at(values, index)));
    }
    texts
}

fn view_table(player_table: &Value) -> Html {
    let mut rows = Vec::new();
    let marked = list_field(player_table, "marked");
    for (index, cells) in list_field(player_table, "rows").iter().enumerate() {
        let class = if marked.contains(&index_value(index)) { "marked" } else { "" };
        rows.push(table_row(class, &strings(cells.as_array().map(Vec::as_slice).unwrap_or_default())));
    }
    let open = if marked.is_empty() { "" } else { "open" };
    collapsible_table(str_field(player_table, "title"), open, &strings(list_field(player_table, "columns")), rows)
}

fn collapsible_table(title: &str, open: &str, columns: &[String], rows: Vec<Html>) -> Html {
    let children = vec![text_element("summary", &[], title), table(title, columns, rows)];
    element("details", &[("key", title), ("?open", open)], children)
}

/// The names of the columns: the first one, then the states.
fn state_columns(first: &str) -> Vec<String> {
    let mut columns = vec![String::from(first)];
    for state in STATES {
        columns.push(String::from(state_name(state)));
    }
    columns
}

/// The cells of a row: its head, then the pods in each state.
fn state_cells(head: &str, sets: &[Counts]) -> Vec<String> {
    let mut cells = vec![String::from(head)];
    for state in STATES {
        cells.push(sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(pods_in_state(counts, state))).to_string());
    }
    cells
}

/// A table of pod counts, without the states in which there are no pods.
fn counts_table(title: &str, mut columns: Vec<String>, mut rows: Vec<Vec<String>>) -> Html {
    for at in (1..=STATES.len()).rev() {
        if rows.iter().all(|row| row.get(at).is_some_and(|cell| cell == "0")) {
            columns.remove(at);
            for row in &mut rows {
                row.remove(at);
            }
        }
    }
    collapsible_table(title, "", &columns, rows.iter().map(|cells| table_row("counted", cells)).collect())
}

/// The counts of each row now.
fn counts_now(playback: &Playback, lane: &Lane) -> Html {
    let mut rows = Vec::new();
    for (index, counts) in lane.cursor.rows.iter().enumerate() {
        rows.push(state_cells(lane.row_name(index), &[*counts]));
    }
    counts_table("Pods now", state_columns(if playback.grouped_by_node { "Node" } else { "ReplicaSet" }), rows)
}

/// The counts over time.
fn counts_over_time(lane: &Lane) -> Html {
    let mut columns = state_columns("Time");
    columns.extend(["all", "over the limit"].map(String::from));
    let points = &lane.track.points;
    let mut rows = Vec::new();
    for point in points.iter().take(MAX_ROWS) {
        let mut cells = state_cells(&format_clock(point.time), &point.replica_sets);
        cells.extend([point.holding(), point.over()].map(|number| number.to_string()));
        rows.push(cells);
    }
    let title = if points.len() > MAX_ROWS {
        format!("Pods over time: the first {MAX_ROWS} of {} changes", points.len())
    } else {
        String::from("Pods over time")
    };
    counts_table(&title, columns, rows)
}
