//! The row of pods at the playhead, in the columns of their indexes, attempts, runs, ordinals or nodes.

use std::rc::Rc;

use changeover_core::scenario::Duration;
use changeover_core::timeline::{Counts, PodState};
use changeover_wire::PodIdentity;
use yew::{Html, Properties, component, html};

use super::column_areas::{awaited_words, partition_edge, slot_edges};
use super::geometry::Geometry;
use super::pod_tile::{Tile, TileState, tile_title};
use crate::number::{group_digits, plural, plural_count, px};
use crate::playback::{Activity, Ending, FixedColumns, Lane, Moment, Occupant, Playback, Snapshot};

/// The properties of [`ColumnRow`].
#[derive(PartialEq, Properties)]
pub struct ColumnRowProps {
    /// All lanes.
    pub playback: Rc<Playback>,
    /// The lane.
    pub lane: usize,
    /// The scales.
    pub geometry: Rc<Geometry>,
    /// The moment.
    pub moment: Moment,
    /// The upper edge, in pixels.
    pub top: f64,
}

/// The pods of a moment: a tile for each, or for what stands in its column instead.
#[component]
pub fn ColumnRow(props: &ColumnRowProps) -> Html {
    let ColumnRowProps { playback, lane, geometry, moment, top } = props;
    let Some(lane) = playback.lanes.get(*lane) else { return Html::default() };
    let (Some(columns), Some(snapshot)) = (&lane.fixed_columns, lane.track.snapshot_at(*moment)) else {
        return Html::default();
    };
    let (row_height, width) = (geometry.row_height, geometry.width);
    let tile_height = (row_height * 0.36).round();
    let tile_top = (row_height * 0.2).round();
    let partition = partition_edge(&lane.track, columns, geometry, *moment);
    let double = columns.two_of_index(&lane.track, *moment);
    let text_y = px(tile_top + tile_height + 20.0 * geometry.text_scale);
    let (counts_text, double_text) =
        texts(counts(lane, &snapshot, *moment), double, width - 12.0, |text| geometry.text_length(text));
    html! {
        <g class="pod-row" transform={format!("translate(0 {})", px(*top))}>
            <rect class="ground" width={px(width)} height={px(row_height)} />
            <g class="tiles">
                { for (0..columns.len()).map(|column| {
                    let occupants = columns.occupants(&lane.track, column, *moment);
                    view_column(playback, lane, geometry, *moment, column, &occupants, [tile_top, tile_height])
                }) }
            </g>
            if let Some(column) = double {
                { view_double(geometry, column, tile_top, tile_height) }
            }
            if lane.track.has_claims() {
                { view_claims(lane, columns, geometry, *moment, tile_top + tile_height) }
            }
            if let Some(x) = partition {
                <path class="mark partition" d={format!("M{} 0V{}", px(x), px(row_height))} />
            }
            <path class="edge" d={format!("M0 0H{0}M0 {1}H{0}", px(width), px(row_height))} />
            <g class="counts">
                <text x="4" y={text_y.clone()}>{ counts_text }</text>
            </g>
            if let Some(text) = double_text {
                <text class="over-limit" x={px(width - 4.0)} y={text_y} text-anchor="end">{ text }</text>
            }
        </g>
    }
}

/// The tiles of a column; a faint one where nothing has happened yet.
fn view_column(
    playback: &Playback,
    lane: &Lane,
    geometry: &Geometry,
    moment: Moment,
    column: usize,
    occupants: &[Occupant],
    [top, height]: [f64; 2],
) -> Html {
    let [first, last] = slot_edges(geometry, column, 0, 1);
    let fits = |text: &str| geometry.text_length(text) <= last - first;
    let name = lane.played.workload.as_ref().map_or("", |workload| workload.name.as_str());
    let awaited = lane.fixed_columns.as_ref().and_then(|columns| columns.awaited(&lane.track, column, moment));
    let awaited = awaited.map(|awaited| awaited_words(awaited, name, fits));
    if occupants.is_empty() {
        let state = if awaited.is_some() { TileState::awaited() } else { TileState::default() };
        let title = awaited.clone().unwrap_or_else(|| String::from(empty_title(lane)));
        return html! {
            <Tile key={format!("column-{column}")} x={first} y={top} {height} width={last - first} {state} {title}
                wait={awaited.filter(|wait| fits(wait))} />
        };
    }
    let tiles = occupants.iter().enumerate().map(|(slot, occupant)| {
        let [left, right] = slot_edges(geometry, column, slot, occupants.len());
        let pod = lane.track.pod_at(occupant.pod, moment);
        let identity = lane.played.pods.get(occupant.pod);
        let wait = |until: i64| Duration(until.saturating_sub(moment.time)).in_words();
        let (state, title) = match (occupant.activity, pod) {
            (Activity::Waits { until, .. }, _) => {
                (TileState::awaited(), format!("the Job creates the next pod in {}", wait(until)))
            }
            (Activity::Holds(_), Some(pod)) => (TileState::new(pod, moment.time), tile_title(playback, identity, pod)),
            (Activity::Ended(Ending::Succeeded), _) => {
                (TileState::example(PodState::Succeeded), ended_title(identity, "succeeded"))
            }
            (Activity::Ended(Ending::Failed) | Activity::Holds(_), _) => {
                (TileState::example(PodState::Failed), ended_title(identity, "ended without success"))
            }
        };
        // What is left of the wait, not all of it.
        let wait = match occupant.activity {
            Activity::Waits { until, .. } => Some(format!("in {}", wait(until))),
            _ => awaited.clone(),
        };
        let wait = wait.filter(|wait| geometry.text_length(wait) <= right - left);
        html! {
            <Tile key={occupant.pod} x={left} y={top} {height} width={right - left}
                state={state.with_hue(occupant.hue)} {title} {wait} />
        }
    });
    tiles.collect()
}

/// What a column without a pod is.
fn empty_title(lane: &Lane) -> &'static str {
    if lane.is_of_jobs() { "not started" } else { "no pod" }
}

/// A bar below each ordinal with a claim: the claim stays when the pod goes.
fn view_claims(lane: &Lane, columns: &FixedColumns, geometry: &Geometry, moment: Moment, bottom: f64) -> Html {
    let name = lane.played.workload.as_ref().map_or("", |workload| workload.name.as_str());
    let with_claims = (0..columns.len()).filter_map(|column| {
        let ordinal = columns.first.saturating_add(column);
        let claims = lane.track.claims_at(ordinal, moment);
        let [left, right] = slot_edges(geometry, column, 0, 1);
        (claims > 0).then(|| html! {
            <rect key={column} x={px(left + 3.0)} y={px(bottom + 3.0)} width={px((right - left - 6.0).max(1.0))} height="5">
                <title>{ format!("{} of {name}-{ordinal}", plural_count(claims, "claim")) }</title>
            </rect>
        })
    });
    html! { <g class="claims">{ for with_claims }</g> }
}

fn ended_title(identity: Option<&PodIdentity>, ending: &str) -> String {
    identity.map_or_else(|| String::from(ending), |identity| format!("{}: {ending}", identity.name))
}

/// Two pods of one index.
fn view_double(geometry: &Geometry, column: usize, top: f64, height: f64) -> Html {
    let [left, right] = slot_edges(geometry, column, 0, 1);
    html! {
        <>
            <rect class="over" x={px(left)} y={px(top - 2.0)} width={px(right - left)} height={px(height + 4.0)} />
            <rect class="cap" x={px(left)} y={px(top + height)} width={px(right - left)} height="4" />
        </>
    }
}

/// How many pods run, start, terminate, succeeded and failed, as much of it as has room; and which index has two pods, in fewer
/// words if a count would have no room beside them.
fn texts(
    counts: Vec<String>,
    double: Option<usize>,
    room: f64,
    length: impl Fn(&str) -> f64,
) -> (String, Option<String>) {
    let double_texts = double.map(|index| [format!("two pods of index {index}"), format!("2 of index {index}")]);
    let not_zero: Vec<String> = counts.iter().filter(|count| !count.starts_with("0 ")).cloned().collect();
    let Some([long, short]) = double_texts else {
        return (counts_text(counts, not_zero, room, length), None);
    };
    let fits = length(&not_zero.join(", ")) + length(&long) <= room;
    let double_text = if fits { long } else { short };
    let room = room - length(&double_text);
    (counts_text(counts, not_zero, room, length), Some(double_text))
}

/// All counts, or those that are not zero, as far as they have room.
fn counts_text(counts: Vec<String>, mut not_zero: Vec<String>, room: f64, length: impl Fn(&str) -> f64) -> String {
    let long = counts.join(", ");
    if length(&long) <= room {
        return long;
    }
    while not_zero.len() > 1 && length(&not_zero.join(", ")) > room {
        not_zero.pop();
    }
    not_zero.join(", ")
}

/// `2 running`, `1 starting` and `1 pending` if there are any, `1 terminating`, `1 of 3 succeeded`, `2 failed (including 1 terminating)`.
fn counts(lane: &Lane, snapshot: &Snapshot<'_>, moment: Moment) -> Vec<String> {
    let sum =
        |count: fn(&Counts) -> i32| snapshot.counts.iter().fold(0_i32, |sum, counts| sum.saturating_add(count(counts)));
    if !lane.is_of_jobs() {
        return set_counts(sum);
    }
    let jobs = lane.track.jobs_at(moment);
    let of_jobs = |count: fn(&crate::playback::JobKeyframe) -> i32| {
        group_digits(jobs.iter().fold(0_i32, |sum, job| sum.saturating_add(count(job))))
    };
    let succeeded = of_jobs(|job| job.succeeded);
    // A CronJob's Jobs come and go.
    let completions = <[_; 1]>::try_from(jobs.as_slice()).ok().and_then(|[job]| job.completions);
    let completions = completions.filter(|_| lane.played.totals.job.is_some_and(|job| job.runs.is_none()));
    let of = completions.map_or_else(String::new, |completions| format!(" of {}", group_digits(completions)));
    let (starting, pending) = (sum(|counts| counts.starting), sum(|counts| counts.pending));
    let running = sum(|counts| counts.available.saturating_add(counts.ready));
    // A tile shows one state, but a Job counts a terminating pod as failed, too.
    let counted = lane.track.terminating_counted_as_failed(moment);
    let including =
        if counted > 0 { format!(" (including {} terminating)", group_digits(counted)) } else { String::new() };
    [
        Some(format!("{} running", group_digits(running))),
        (starting > 0).then(|| format!("{} starting", group_digits(starting))),
        (pending > 0).then(|| format!("{} pending", group_digits(pending))),
        Some(format!("{} terminating", group_digits(sum(|counts| counts.terminating)))),
        Some(format!("{succeeded}{of} succeeded")),
        Some(format!("{} failed{including}", of_jobs(|job| job.failed))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `2 available`, `1 starting` and `1 pending` if there are any, and `1 terminating`.
fn set_counts(sum: impl Fn(fn(&Counts) -> i32) -> i32) -> Vec<String> {
    let some = |name: &str, count: i32| (count > 0).then(|| format!("{} {name}", group_digits(count)));
    [
        Some(format!("{} available", group_digits(sum(|counts| counts.available)))),
        some("starting", sum(|counts| counts.starting.saturating_add(counts.ready))),
        some("pending", sum(|counts| counts.pending)),
        Some(format!("{} terminating", group_digits(sum(|counts| counts.terminating)))),
        some("unknown", sum(|counts| counts.unknown)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A moment of a lane with fixed columns in words.
pub fn column_description(lane: &Lane, snapshot: &Snapshot<'_>, moment: Moment) -> String {
    let mut text = format!("{}, {}", plural(snapshot.pods(), "pod"), counts(lane, snapshot, moment).join(", "));
    let double =
        lane.fixed_columns.as_ref().and_then(|columns: &FixedColumns| columns.two_of_index(&lane.track, moment));
    if let Some(index) = double {
        text.push_str(&format!(", two pods of index {index}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::count_to_f64;

    #[test]
    fn the_index_with_two_pods_leaves_room_for_the_counts() {
        let counts = ["2 running", "1 starting", "1 terminating", "0 of 3 succeeded", "0 failed"].map(String::from);
        let fitting = "2 running, 1 starting, 1 terminating";
        let length = |text: &str| count_to_f64(text.len());
        let room = length(fitting);
        let texts_in = |double: Option<usize>, room: f64| {
            let (text, double) = texts(counts.to_vec(), double, room, length);
            format!("{text} | {}", double.unwrap_or_default())
        };
        assert_eq!(texts_in(None, 2000.0), "2 running, 1 starting, 1 terminating, 0 of 3 succeeded, 0 failed | ");
        assert_eq!(texts_in(None, room), format!("{fitting} | "));
        assert_eq!(texts_in(None, room - 1.0), "2 running, 1 starting | ");
        let [long, short] = ["two pods of index 1", "2 of index 1"];
        assert_eq!(texts_in(Some(1), room + length(long) + 1.0), format!("{fitting} | {long}"));
        assert_eq!(texts_in(Some(1), room + length(short) + 1.0), format!("{fitting} | {short}"));
    }
}
