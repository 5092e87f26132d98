//! What lies behind a lane's picture: the player's tables, and the picture itself as tables.

use yew::Html;

use crate::film::{Point, STATES, count};
use crate::scale::clock;
use crate::stage::{Lane, Stage};
use crate::tag::{el, row, table};
use crate::wire::Sheet;
use crate::words::state_name;

/// More rows than this of the course are left out.
const MOST_ROWS: usize = 200;

/// Draws the tables of a lane.
pub(crate) fn view(stage: &Stage, lane: &Lane) -> Html {
    let mut tables: Vec<Html> = lane.seen.sheets.iter().map(sheet).collect();
    tables.push(now(stage, lane));
    tables.push(course(lane));
    el("div", &[("class", "facts")], tables)
}

fn sheet(sheet: &Sheet) -> Html {
    let line = |(index, cells): (usize, &Vec<String>)| {
        let marked = sheet.marked.iter().any(|marked| usize::try_from(*marked) == Ok(index));
        row(if marked { "marked" } else { "" }, cells)
    };
    table(&sheet.title, &sheet.columns, sheet.rows.iter().enumerate().map(line).collect())
}

fn states() -> impl Iterator<Item = String> {
    STATES.into_iter().map(|state| String::from(state_name(state)))
}

/// The ruler and the pods as a table.
fn now(stage: &Stage, lane: &Lane) -> Html {
    let columns: Vec<String> =
        [String::from(if stage.by_node { "Node" } else { "ReplicaSet" })].into_iter().chain(states()).collect();
    let line = |(name, counts)| {
        let numbers = STATES.into_iter().map(|state| count(counts, state).to_string());
        let cells: Vec<String> = [String::clone(name)].into_iter().chain(numbers).collect();
        row("", &cells)
    };
    let rows = lane.played.rows.iter().zip(&lane.scene.rows).map(line).collect();
    table("Pods now", &columns, rows)
}

/// The counts over time as a table.
fn course(lane: &Lane) -> Html {
    let columns: Vec<String> = [String::from("Time")]
        .into_iter()
        .chain(states())
        .chain([String::from("all"), String::from("over the limit")])
        .collect();
    let line = |point: &Point| {
        let sum = |state| point.sets.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts, state)));
        let numbers = STATES.into_iter().map(|state| sum(state).to_string());
        let ends = [point.holding().to_string(), point.over().to_string()];
        let cells: Vec<String> = [clock(point.time)].into_iter().chain(numbers).chain(ends).collect();
        row("", &cells)
    };
    let points = &lane.film.points;
    let title = if points.len() > MOST_ROWS {
        format!("Pods over time: the first {MOST_ROWS} of {} changes", points.len())
    } else {
        String::from("Pods over time")
    };
    table(&title, &columns, points.iter().take(MOST_ROWS).map(line).collect())
}
