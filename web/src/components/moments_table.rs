use std::rc::Rc;

use yew::{Callback, Html, Properties, component, html, use_state_eq};

use crate::number::group_digits;
use crate::playback::{Lane, Playback, Snapshot};
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
                { for playback.shown_lanes.iter().filter_map(|lane| playback.lanes.get(*lane)).map(|lane| view_table(playback, lane)) }
            }
        </div>
    }
}

fn view_table(playback: &Playback, lane: &Lane) -> Html {
    let versions = playback.version_names();
    let versions = versions.get(..lane.track.replica_set_count.min(versions.len())).unwrap_or_default();
    let moments = lane.track.instants_from_zero();
    let left_out = moments.len().saturating_sub(MAX_ROWS);
    html! {
        <div class="table" tabindex="0" role="region" aria-label={lane.info.name.clone()}>
            <table>
                <caption>{ &lane.info.name }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Time" }</th>
                        { for versions.iter().map(|name| html! { <th scope="col">{ format!("{name}, available") }</th> }) }
                        { for ["starting", "terminating", "all pods", "limit", "over"].map(|name| html! { <th scope="col">{ name }</th> }) }
                    </tr>
                </thead>
                <tbody>
                    { for moments.iter().take(MAX_ROWS).map(|snapshot| view_row(playback, snapshot, versions.len())) }
                </tbody>
            </table>
            if left_out > 0 { <p class="note">{ format!("{left_out} later moments are left out.") }</p> }
        </div>
    }
}

fn view_row(playback: &Playback, snapshot: &Snapshot<'_>, versions: usize) -> Html {
    let MomentCounts { available, starting, terminating } = MomentCounts::new(snapshot, versions);
    let others = [starting, terminating, snapshot.pods(), snapshot.marks.limit, snapshot.over()];
    html! {
        <tr>
            <th scope="row">{ playback.clock(snapshot.from.time) }</th>
            { for available.into_iter().chain(others).map(|count| html! { <td>{ group_digits(count) }</td> }) }
        </tr>
    }
}
