//! What lies behind a lane's picture: the player's tables, and the picture itself as tables. One is open where the step is
//! about it.

use changeover_core::timeline::Counts;
use changeover_wire::playback_track::STATES;
use changeover_wire::{format_clock, index_value, list_field, str_at, str_field};
use serde_json::Value;
use yew::Html;

use crate::element::{el, row, table, words};
use crate::playback::{Lane, Stage};
use crate::playback_track::count;
use crate::ui_text::state_name;

/// More rows than this of the course are left out.
const MOST_ROWS: usize = 200;

/// Draws the tables of a lane.
pub(crate) fn view(stage: &Stage, lane: &Lane) -> Html {
    let mut tables = Vec::new();
    for sheet in list_field(&lane.seen, "sheets") {
        tables.push(view_sheet(sheet));
    }
    tables.push(now(stage, lane));
    tables.push(course(lane));
    let label = format!("Details: {}", lane.rules.name);
    el("div", &[("class", "facts"), ("tabindex", "0"), ("role", "region"), ("aria-label", &label)], tables)
}

fn texts(values: &[Value]) -> Vec<String> {
    let mut texts = Vec::new();
    for index in 0..values.len() {
        texts.push(String::from(str_at(values, index)));
    }
    texts
}

fn view_sheet(sheet: &Value) -> Html {
    let mut rows = Vec::new();
    let marked = list_field(sheet, "marked");
    for (index, cells) in list_field(sheet, "rows").iter().enumerate() {
        let class = if marked.contains(&index_value(index)) { "marked" } else { "" };
        rows.push(row(class, &texts(cells.as_array().map(Vec::as_slice).unwrap_or_default())));
    }
    let open = if marked.is_empty() { "" } else { "open" };
    folded(str_field(sheet, "title"), open, &texts(list_field(sheet, "columns")), rows)
}

fn folded(title: &str, open: &str, columns: &[String], rows: Vec<Html>) -> Html {
    let inside = vec![words("summary", &[], title), table(title, columns, rows)];
    el("details", &[("key", title), ("?open", open)], inside)
}

/// The names of the columns: the first one, and the states.
fn columns(first: &str) -> Vec<String> {
    let mut columns = vec![String::from(first)];
    for state in STATES {
        columns.push(String::from(state_name(state)));
    }
    columns
}

/// The cells of a row: its head, and the pods of each state.
fn cells(head: &str, sets: &[Counts]) -> Vec<String> {
    let mut cells = vec![String::from(head)];
    for state in STATES {
        cells.push(sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts, state))).to_string());
    }
    cells
}

/// A table of pods, without the states in which there are none.
fn counted(title: &str, mut columns: Vec<String>, mut rows: Vec<Vec<String>>) -> Html {
    for at in (1..=STATES.len()).rev() {
        if rows.iter().all(|row| row.get(at).is_some_and(|cell| cell == "0")) {
            columns.remove(at);
            for row in &mut rows {
                row.remove(at);
            }
        }
    }
    folded(title, "", &columns, rows.iter().map(|cells| row("counted", cells)).collect())
}

/// The ruler and the pods as a table.
fn now(stage: &Stage, lane: &Lane) -> Html {
    let mut rows = Vec::new();
    for (index, counts) in lane.scene.rows.iter().enumerate() {
        rows.push(cells(lane.row_name(index), &[*counts]));
    }
    counted("Pods now", columns(if stage.by_node { "Node" } else { "ReplicaSet" }), rows)
}

/// The counts over time as a table.
fn course(lane: &Lane) -> Html {
    let mut columns = columns("Time");
    columns.extend(["all", "over the limit"].map(String::from));
    let points = &lane.film.points;
    let mut rows = Vec::new();
    for point in points.iter().take(MOST_ROWS) {
        let mut cells = cells(&format_clock(point.time), &point.sets);
        cells.extend([point.holding(), point.over()].map(|number| number.to_string()));
        rows.push(cells);
    }
    let title = if points.len() > MOST_ROWS {
        format!("Pods over time: the first {MOST_ROWS} of {} changes", points.len())
    } else {
        String::from("Pods over time")
    };
    counted(&title, columns, rows)
}
