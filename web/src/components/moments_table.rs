use std::rc::Rc;

use changeover_core::timeline::Counts;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use crate::number::{group_digits, plural_count};
use crate::playback::{JobKeyframe, Lane, Playback, Snapshot};
use crate::share::MomentCounts;

/// In nanoseconds.
const MILLISECOND: i64 = 1_000_000;

/// More rows than this are too many for a table.
const MAX_ROWS: usize = 300;

/// The properties of [`MomentsTables`].
#[derive(PartialEq, Properties)]
pub struct MomentsTablesProps {
    /// All lanes.
    pub playback: Rc<Playback>,
}

/// What the picture shows over time, as a table for each lane, on demand.
#[component]
pub fn MomentsTables(props: &MomentsTablesProps) -> Html {
    let is_open = use_state_eq(|| false);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: yew::MouseEvent| is_open.set(!*is_open))
    };
    let playback = &props.playback;
    html! {
        <div class="moments">
            <button type="button" class="link" aria-expanded={is_open.to_string()} onclick={toggle}>
                { if *is_open { "Hide the numbers" } else { "Show the numbers as a table" } }
            </button>
            if *is_open {
                { for playback.shown_lanes.iter().filter_map(|number| Some((*number, playback.lanes.get(*number)?))).map(|(number, lane)| html! {
                    <key={number}>{ view_table(playback, lane) }</>
                }) }
            }
        </div>
    }
}

fn view_table(playback: &Playback, lane: &Lane) -> Html {
    let versions = playback.version_names();
    let versions = versions.get(..lane.track.replica_set_count.min(versions.len())).unwrap_or_default();
    let rows = rows(lane, versions.len());
    let times: Vec<i64> = rows.iter().flat_map(|row| [row.from, row.to]).collect();
    let clocks = playback.clock_column(&times);
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    html! {
        <div class="table" tabindex="0" role="region" aria-label={format!("Numbers: {}", lane.info.name)}>
            <table>
                <caption>{ &lane.info.name }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Time" }</th>
                        if lane.is_of_jobs() {
                            { for JOB_COLUMNS.map(|name| html! { <th key={name} scope="col">{ name }</th> }) }
                        } else {
                            { for versions.iter().map(|name| html! { <th key={*name} scope="col">{ format!("{name}, available") }</th> }) }
                            { for ["starting", "terminating", "all pods", "limit", "over"].map(|name| html! { <th key={name} scope="col">{ name }</th> }) }
                        }
                    </tr>
                </thead>
                <tbody>
                    { for rows.iter().zip(clocks.chunks(2)).take(MAX_ROWS).map(|(row, clocks)| html! {
                        <tr key={row.from}>
                            <th scope="row">{ span(clocks) }</th>
                            // In a fragment of its own: keys count only where all children have one.
                            <>{ for row.cells.iter().enumerate().map(|(key, cell)| html! { <td key={key}>{ cell }</td> }) }</>
                        </tr>
                    }) }
                </tbody>
            </table>
            if left_out > 0 { <p class="note">{ format!("Left out: {}.", plural_count(left_out, "later row")) }</p> }
        </div>
    }
}

/// A row of the table.
struct Row {
    /// The first moment with these numbers, ...
    from: i64,
    /// ... and the last one before others.
    to: i64,
    cells: Vec<String>,
}

/// The rows of a lane: moments with the same numbers share one.
fn rows(lane: &Lane, versions: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let instants = lane.track.instants_from_zero();
    // What the user does takes place a nanosecond after a step.
    let is_one_moment = |one: &Snapshot<'_>, next: &Snapshot<'_>| {
        one.from.time.div_euclid(MILLISECOND) == next.from.time.div_euclid(MILLISECOND)
    };
    for snapshot in instants.chunk_by(is_one_moment).filter_map(|moments| moments.last()) {
        let cells = if lane.is_of_jobs() { job_cells(lane, snapshot) } else { cells(snapshot, versions) };
        let time = snapshot.from.time;
        match rows.last_mut() {
            Some(last) if last.cells == cells => last.to = time,
            _ => rows.push(Row { from: time, to: time, cells }),
        }
    }
    rows
}

/// `0:01.70`, or `0:00.00–0:01.70` for a row of several moments.
fn span(clocks: &[String]) -> String {
    match clocks {
        [from, to] if from != to => format!("{from}–{to}"),
        clocks => clocks.first().cloned().unwrap_or_default(),
    }
}

/// The columns of a table of Jobs.
const JOB_COLUMNS: [&str; 7] =
    ["starting", "running", "terminating", "all pods", "succeeded", "failed", "index with two pods"];

fn job_cells(lane: &Lane, snapshot: &Snapshot<'_>) -> Vec<String> {
    let sum =
        |count: fn(&Counts) -> i32| snapshot.counts.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts)));
    let jobs = lane.track.jobs_at(snapshot.from);
    let of_jobs = |count: fn(&JobKeyframe) -> i32| jobs.iter().fold(0_i32, |sum, job| sum.saturating_add(count(job)));
    let counts = [
        sum(|counts| counts.starting.saturating_add(counts.pending).saturating_add(counts.unknown)),
        sum(|counts| counts.available.saturating_add(counts.ready)),
        sum(|counts| counts.terminating),
        snapshot.pods(),
        of_jobs(|job| job.succeeded),
        of_jobs(|job| job.failed),
    ];
    let double = lane.fixed_columns.as_ref().and_then(|columns| columns.two_of_index(&lane.track, snapshot.from));
    let double = double.map_or_else(|| String::from("none"), |index| index.to_string());
    counts.into_iter().map(group_digits).chain([double]).collect()
}

fn cells(snapshot: &Snapshot<'_>, versions: usize) -> Vec<String> {
    let MomentCounts { available, starting, terminating } = MomentCounts::new(snapshot, versions);
    let others = [starting, terminating, snapshot.pods(), snapshot.marks.limit, snapshot.over()];
    available.into_iter().chain(others).map(group_digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Field;
    use crate::tests::{compared, settings};

    #[test]
    fn a_row_of_several_moments_has_the_time_of_the_first_and_of_the_last() {
        let span_of = |from: &str, to: &str| span(&[from, to].map(String::from));
        assert_eq!(span_of("0:00.0", "0:01.7"), "0:00.0–0:01.7");
        assert_eq!(span_of("0:08.0", "0:08.0"), "0:08.0");
    }

    #[test]
    fn no_two_neighboring_rows_have_the_same_numbers() {
        let (_, playback) = compared(&settings(&[(Field::Jitter, "40")]));
        for lane in &playback.lanes {
            let rows = rows(lane, 2);
            assert!(rows.windows(2).all(|pair| pair[0].cells != pair[1].cells && pair[0].to < pair[1].from));
            assert!(rows.len() < lane.track.instants_from_zero().len(), "{}", lane.info.name);
        }
    }
}
