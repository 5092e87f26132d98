use std::rc::Rc;

use changeover_core::timeline::Counts;
use yew::{Callback, Html, Properties, component, html, use_state_eq};

use crate::number::{group_digits, plural_count};
use crate::playback::{JobKeyframe, Lane, Playback, Snapshot};
use crate::share::MomentCounts;

/// More moments than this are too many for a table.
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
    let is_of_jobs = lane.is_of_jobs();
    let versions = playback.version_names();
    let versions = versions.get(..lane.track.replica_set_count.min(versions.len())).unwrap_or_default();
    let moments = lane.track.instants_from_zero();
    let times: Vec<i64> = moments.iter().map(|snapshot| snapshot.from.time).collect();
    let left_out = moments.len().saturating_sub(MAX_ROWS);
    html! {
        <div class="table" tabindex="0" role="region" aria-label={format!("Numbers: {}", lane.info.name)}>
            <table>
                <caption>{ &lane.info.name }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Time" }</th>
                        if is_of_jobs {
                            { for JOB_COLUMNS.map(|name| html! { <th scope="col">{ name }</th> }) }
                        } else {
                            { for versions.iter().map(|name| html! { <th scope="col">{ format!("{name}, available") }</th> }) }
                            { for ["starting", "terminating", "all pods", "limit", "over"].map(|name| html! { <th scope="col">{ name }</th> }) }
                        }
                    </tr>
                </thead>
                <tbody>
                    { for moments.iter().zip(playback.clocks(&times)).take(MAX_ROWS).map(|(snapshot, clock)| if is_of_jobs {
                        view_job_row(lane, snapshot, clock)
                    } else {
                        view_row(snapshot, clock, versions.len())
                    }) }
                </tbody>
            </table>
            if left_out > 0 { <p class="note">{ format!("Left out: {}.", plural_count(left_out, "later moment")) }</p> }
        </div>
    }
}

/// The columns of a table of Jobs.
const JOB_COLUMNS: [&str; 7] =
    ["starting", "running", "terminating", "all pods", "succeeded", "failed", "index with two pods"];

fn view_job_row(lane: &Lane, snapshot: &Snapshot<'_>, clock: String) -> Html {
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
    let double = lane.job_columns.as_ref().and_then(|columns| columns.two_of_index(&lane.track, snapshot.from));
    html! {
        <tr key={snapshot.from.time}>
            <th scope="row">{ clock }</th>
            { for counts.map(|count| html! { <td>{ group_digits(count) }</td> }) }
            <td>{ double.map_or_else(|| String::from("none"), |index| index.to_string()) }</td>
        </tr>
    }
}

fn view_row(snapshot: &Snapshot<'_>, clock: String, versions: usize) -> Html {
    let MomentCounts { available, starting, terminating } = MomentCounts::new(snapshot, versions);
    let others = [starting, terminating, snapshot.pods(), snapshot.marks.limit, snapshot.over()];
    html! {
        <tr key={snapshot.from.time}>
            <th scope="row">{ clock }</th>
            { for available.into_iter().chain(others).map(|count| html! { <td>{ group_digits(count) }</td> }) }
        </tr>
    }
}
