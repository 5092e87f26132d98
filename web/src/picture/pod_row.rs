//! The row of pods at the playhead.

use std::rc::Rc;

use yew::{Html, Properties, classes, component, html};

use super::areas::{GroupSpan, group_spans};
use super::classes::{band_class, fill, hue_class};
use super::geometry::Geometry;
use super::labels::{Obstacle, Placed, TextBox};
use super::pod_tile::{Tile, TileState, tile_title};
use super::row_labels::{GroupRun, RowLabels, RowSpace, RowText};
use crate::number::px;
use crate::playback::{Band, Moment, Playback};

/// From the tiles to a text above or below them that a line leads to, in pixels.
const LEADER_LENGTH: f64 = 5.0;

/// From the tiles to the middle of the texts above and below them, in pixels.
const TEXT_DISTANCE: f64 = 13.5;

/// The properties of [`PodRow`].
#[derive(PartialEq, Properties)]
pub struct PodRowProps {
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
    /// The ReplicaSet that is lit up.
    pub highlighted_replica_set: Option<usize>,
    /// The handles in the picture.
    pub handles: Vec<Obstacle>,
}

/// The pods of a moment: one tile for each, or one bar for each group if there are too many.
#[component]
pub fn PodRow(props: &PodRowProps) -> Html {
    let PodRowProps { playback, lane, geometry, moment, top, highlighted_replica_set, handles } = props;
    let Some(lane) = playback.lanes.get(*lane) else { return Html::default() };
    let Some(snapshot) = lane.track.snapshot_at(*moment) else { return Html::default() };
    let spans = group_spans(snapshot.counts);
    let names = playback.version_names();
    let limit = geometry.x(snapshot.marks.limit);
    let tile_height = (geometry.row_height * 0.3).round();
    let tile_top = (geometry.row_height * 0.33).round();
    let tiles = match &lane.columns {
        Some(columns) if geometry.has_tiles() => {
            let pods = lane.track.pods_at(*moment);
            let standing = pods.filter(|(_, pod)| pod.state.map(Band::of) != Some(Band::Ended));
            standing
                .map(|(number, pod)| {
                    let column = columns.column_at(number, *moment);
                    let dimmed = highlighted_replica_set.is_some_and(|set| set != pod.replica_set);
                    let state = TileState::new(pod, moment.time);
                    let title = tile_title(playback, lane.played.pods.get(number), pod);
                    let x = geometry.column_width() * crate::number::count_to_f64(column);
                    let node = pod.node.and_then(|node| lane.node_marks.get(node)).cloned();
                    html! {
                        <Tile key={number} {x} y={tile_top} width={geometry.column_width()} height={tile_height}
                            text_scale={geometry.text_scale} {state} {dimmed} {title} {node} />
                    }
                })
                .collect::<Html>()
        }
        _ => density(&spans, geometry, tile_top, tile_height),
    };
    let marks = geometry.marks(snapshot.marks);
    let [minimum, desired, _] = marks;
    let tile_bottom = tile_top + tile_height;
    let distance = TEXT_DISTANCE * geometry.text_scale;
    let from_row = |area: TextBox| TextBox { top: area.top - top, bottom: area.bottom - top, ..area };
    let handles = handles.iter().map(|handle| Obstacle { area: from_row(handle.area), ..*handle });
    let space = RowSpace {
        geometry,
        marks: snapshot.marks,
        heights: [tile_top - distance, tile_bottom + distance],
        handles: handles.collect(),
    };
    let runs = GroupRun::all(&spans);
    let RowLabels { runs: labels, over } = RowLabels::new(&runs, names, snapshot.over(), &space);
    let leader = |label: &Placed<RowText>| {
        let (from, to) = label.leader()?;
        let length = LEADER_LENGTH * geometry.text_scale;
        let is_below = label.place.top > tile_top;
        let (y, end) = if is_below { (tile_bottom, tile_bottom + length) } else { (tile_top, tile_top - length) };
        Some(html! { <path class="span leader" d={format!("M{} {}L{} {}", px(from), px(y), px(to), px(end))} /> })
    };
    let row_height = geometry.row_height;
    html! {
        <g class="pod-row" transform={format!("translate(0 {})", px(*top))}>
            <rect class="ground" width={px(geometry.width)} height={px(row_height)} />
            <rect class="zone" x={px(limit)} width={px(geometry.width - limit)} height={px(row_height)} />
            // Each in an element of its own: Yew pairs children from the last one, so that a tile would not keep its element
            // when the number of groups changes.
            <g class="tiles">{ tiles }</g>
            <path class="mark minimum" d={format!("M{} 0V{}", px(minimum), px(row_height))} />
            <path class="mark desired" d={format!("M{} 0V{}", px(desired), px(row_height))} />
            <path class="mark limit" d={format!("M{} 0V{}", px(limit), px(row_height))} />
            if let Some(quota) = lane.track.pod_quota.and_then(|pods| geometry.quota_line(pods)) {
                <path class="mark quota" d={format!("M{} 0V{}", px(quota), px(row_height))} />
            }
            <path class="edge" d={format!("M0 0H{0}M0 {1}H{0}", px(geometry.width), px(row_height))} />
            // The texts interrupt the lines.
            <g class="counts">
                { for runs.iter().zip(labels).map(|(run, label)| {
                    let class = classes!("count", band_class(run.group.band), hue_class(run.group.replica_set));
                    html! {
                        <g key={format!("{}-{}", band_class(run.group.band), run.group.replica_set)} {class}>
                            // In a fragment of their own: keys count only where all children have one.
                            <>{ for run.spans.iter().map(|span| {
                                let (left, right) = (geometry.x(span.from), geometry.x(span.to));
                                html! {
                                    <path key={span.group.replica_set} class={classes!("span", hue_class(span.group.replica_set))}
                                        d={format!("M{} {2}H{}", px(left + 1.0), px(right - 1.0), px(tile_top - 4.0))} />
                                }
                            }) }</>
                            { label.as_ref().and_then(leader).unwrap_or_default() }
                            { label.map(|label| view_text(label, None)).unwrap_or_default() }
                        </g>
                    }
                }) }
            </g>
            { view_over(&snapshot, geometry, tile_top, tile_height) }
            { over.map(|label| view_text(label, Some(if snapshot.over() > 0 { "over-limit" } else { "over-limit none" }))).unwrap_or_default() }
        </g>
    }
}

fn view_text(Placed { shown, place }: Placed<RowText>, class: Option<&'static str>) -> Html {
    html! {
        <text {class} x={px(place.x())} y={px(place.y())} dy="0.35em" text-anchor="middle">{ shown.text }</text>
    }
}

/// The frame around the pods that are over the limit.
fn view_over(snapshot: &crate::playback::Snapshot<'_>, geometry: &Geometry, tile_top: f64, tile_height: f64) -> Html {
    let (over, limit) = (snapshot.over(), geometry.x(snapshot.marks.limit));
    let width = geometry.x(snapshot.pods()) - limit;
    html! {
        if over > 0 {
            <rect class="over" x={px(limit)} y={px(tile_top - 2.0)} width={px(width)} height={px(tile_height + 4.0)} />
            <rect class="cap" x={px(limit)} y={px(tile_top + tile_height)} width={px(width)} height="4" />
        }
    }
}

/// One bar for each group.
fn density(spans: &[GroupSpan], geometry: &Geometry, top: f64, height: f64) -> Html {
    let bars = spans.iter().map(|span| {
        let (left, right) = (geometry.x(span.from), geometry.x(span.to));
        let class = classes!("area", band_class(span.group.band), hue_class(span.group.replica_set));
        html! { <rect {class} fill={fill(span.group)} x={px(left)} y={px(top)} width={px(right - left)} height={px(height)} /> }
    });
    bars.collect()
}
