//! The row of pods at the playhead.

use std::rc::Rc;

use changeover_core::timeline::PodState;
use changeover_wire::PodIdentity;
use yew::{Html, Properties, classes, component, html};

use super::areas::{Group, GroupSpan, group_spans, text_length};
use super::classes::{band_class, fill, hue_class, state_class};
use super::geometry::Geometry;
use crate::number::{group_digits, px};
use crate::playback::{Band, Moment, Playback, PodKeyframe};

/// How many levels the fill of a tile has.
const LEVELS: f64 = 12.0;

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
}

/// The pods of a moment: one tile for each, or one bar for each group if there are too many.
#[component]
pub fn PodRow(props: &PodRowProps) -> Html {
    let PodRowProps { playback, lane, geometry, moment, top, highlighted_replica_set } = props;
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
                    let sign = match pod.state {
                        Some(PodState::Failed) => Some("×"),
                        Some(PodState::Unknown) => Some("?"),
                        _ => None,
                    };
                    let node = pod.node.and_then(|node| lane.node_marks.get(node)).cloned();
                    html! {
                        <Tile key={number} {x} y={tile_top} width={geometry.column_width()} height={tile_height}
                            {state} {dimmed} {title} sign={sign.map(String::from)} {node} />
                    }
                })
                .collect::<Html>()
        }
        _ => density(&spans, geometry, tile_top, tile_height),
    };
    let (over_text, over_left) = over_text(snapshot.over(), limit, geometry.width);
    let [minimum, desired, _] = geometry.marks(snapshot.marks);
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
            <path class="edge" d={format!("M0 0H{0}M0 {1}H{0}", px(geometry.width), px(row_height))} />
            // The texts interrupt the lines.
            <g class="counts">
                { for spans.iter().enumerate().map(|(index, span)| {
                    // Terminating pods are always named: below the tiles and left of what is over the limit, if there is
                    // no room above.
                    let is_last = index.saturating_add(1) == spans.len();
                    let below = is_last.then_some([limit.min(over_left), tile_top + tile_height + 18.0]);
                    view_count(span, geometry, names, tile_top, below)
                }) }
            </g>
            { view_over(&snapshot, geometry, tile_top, tile_height, (over_text, over_left)) }
        </g>
    }
}

/// How many pods a group has, above its tiles, if it fits there. `below`: where terminating pods are named otherwise.
fn view_count(
    span: &GroupSpan,
    geometry: &Geometry,
    names: [&'static str; 3],
    tile_top: f64,
    below: Option<[f64; 2]>,
) -> Html {
    let (left, right) = (geometry.x(span.from), geometry.x(span.to));
    let count = group_digits(span.to.saturating_sub(span.from));
    let noun = match span.group.band {
        Band::Available => names.get(span.group.replica_set.min(2)).copied().unwrap_or_default(),
        band => band_class(band),
    };
    let full = format!("{count} {noun}");
    let above = [&full, &count].into_iter().find(|text| text_length(text) <= right - left);
    let below = below.filter(|_| span.group.band == Band::Terminating && above != Some(&full));
    let class = classes!("count", band_class(span.group.band), hue_class(span.group.replica_set));
    html! {
        <g {class}>
            <path class="span" d={format!("M{} {2}H{}", px(left + 1.0), px(right - 1.0), px(tile_top - 4.0))} />
            if let Some([limit, y]) = below {
                <text x={px((right.min(limit) - 6.0).max(text_length(&full)))} y={px(y)} text-anchor="end">{ full }</text>
            } else if let Some(text) = above {
                <text x={px(f64::midpoint(left, right))} y={px(tile_top - 9.0)} text-anchor="middle">{ text }</text>
            }
        </g>
    }
}

/// How many pods are above the limit, and the left edge of that text: right of the limit, unless the picture ends before it.
fn over_text(over: i32, limit: f64, width: f64) -> (String, f64) {
    /// The width of a letter of this text, in pixels.
    const LETTER: f64 = 7.4;
    let length = |text: &str| LETTER * crate::number::count_to_f64(text.chars().count());
    let text = if over > 0 { format!("{} over the limit", group_digits(over)) } else { String::from("0 over") };
    let text = if limit + length(&text) > width { format!("{} over", group_digits(over)) } else { text };
    let left = (limit + 5.0).min(width - length(&text)).max(0.0);
    (text, left)
}

/// What stands above the limit.
fn view_over(
    snapshot: &crate::playback::Snapshot<'_>,
    geometry: &Geometry,
    tile_top: f64,
    tile_height: f64,
    (text, left): (String, f64),
) -> Html {
    let (over, limit) = (snapshot.over(), geometry.x(snapshot.marks.limit));
    let width = geometry.x(snapshot.pods()) - limit;
    let class = if over > 0 { "over-limit" } else { "over-limit none" };
    html! {
        <>
            if over > 0 {
                <rect class="over" x={px(limit)} y={px(tile_top - 2.0)} width={px(width)} height={px(tile_height + 4.0)} />
                <rect class="cap" x={px(limit)} y={px(tile_top + tile_height)} width={px(width)} height="4" />
            }
            <text {class} x={px(left)} y={px(tile_top + tile_height + 18.0)}>{ text }</text>
        </>
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

/// What a tile shows of its pod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TileState {
    /// None if the pod is not there yet.
    state: Option<PodState>,
    /// The hue.
    replica_set: usize,
    /// How far it is on its way, in levels; none if it waits for nothing.
    level: Option<i64>,
    cost: Option<i32>,
    /// Whether its Job waits before it creates the pod.
    is_awaited: bool,
}

impl TileState {
    /// The state of a pod at a time.
    pub fn new(pod: &PodKeyframe, now: i64) -> Self {
        let level = pod.progress(now).map(|progress| crate::number::to_i64((progress * LEVELS).floor()));
        Self { state: pod.state, replica_set: pod.replica_set, level, cost: pod.cost, is_awaited: false }
    }

    /// With another hue.
    pub const fn with_hue(self, hue: usize) -> Self {
        Self { replica_set: hue, ..self }
    }

    /// The state of a pod that has ended.
    pub fn ended(state: PodState) -> Self {
        Self { state: Some(state), ..Self::default() }
    }

    /// The state of a pod that its Job will create.
    pub fn awaited() -> Self {
        Self { is_awaited: true, ..Self::default() }
    }

    /// The class of its shape.
    const fn class(self) -> &'static str {
        match self.state {
            Some(state) => state_class(state),
            None if self.is_awaited => "awaited",
            None => "gone",
        }
    }

    /// The pattern of its fill.
    fn pattern(self) -> String {
        let band = self.state.map_or(Band::Ended, Band::of);
        // A tile fills up while its pod starts: no dots.
        let band = if band == Band::Starting { Band::Available } else { band };
        fill(Group { band, replica_set: self.replica_set })
    }

    /// The filled share of the tile: it fills while the pod starts, and drains while it stops.
    fn fill(self) -> f64 {
        let progress = self.level.map(|level| crate::number::to_f64(level) / LEVELS);
        match self.state {
            Some(PodState::Starting) => progress.unwrap_or(0.0) * 0.8,
            Some(PodState::Terminating) => 1.0 - progress.unwrap_or(0.0),
            Some(PodState::Pending) | None => 0.0,
            Some(_) => 1.0,
        }
    }
}

/// The width that the other marks of a tile take beside that of the node, in pixels.
const OTHER_MARKS: f64 = 30.0;

/// The properties of [`Tile`].
#[derive(PartialEq, Properties)]
pub struct TileProps {
    /// The left edge, in pixels.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// What it shows.
    pub state: TileState,
    /// Whether another one is lit up.
    pub dimmed: bool,
    /// What is known about the pod.
    pub title: String,
    /// A sign in its middle, if there is room.
    pub sign: Option<String>,
    /// The mark of its node, if there is room.
    #[prop_or_default]
    pub node: Option<String>,
}

/// A pod. Its moves are animated by the style sheet.
#[component]
pub fn Tile(props: &TileProps) -> Html {
    let TileProps { x, y, width, height, state, dimmed, title, sign, node } = props;
    let margin = if *width > 10.0 { 1.5 } else { 0.5 };
    let (inner_width, radius) = ((width - 2.0 * margin).max(1.0), if *width > 10.0 { "2.5" } else { "1" });
    let fill_height = height * state.fill();
    let other_marks = if sign.is_some() || state.cost.is_some() { OTHER_MARKS } else { 0.0 };
    let node = node.as_ref().filter(|node| text_length(node) + other_marks <= inner_width);
    let class = classes!("tile", state.class(), hue_class(state.replica_set), dimmed.then_some("dimmed"));
    html! {
        <g {class} style={format!("transform:translateX({}px)", px(*x))}>
            <title>{ title }</title>
            if state.state == Some(PodState::Terminating) {
                // What was there before it drained.
                <rect class="drained" fill={state.pattern()} x={px(margin)} y={px(*y)} width={px(inner_width)} height={px(*height)} rx={radius} />
            }
            <rect class="fill" fill={state.pattern()} x={px(margin)} y={px(y + height - fill_height)} width={px(inner_width)}
                height={px(fill_height)} rx={radius} />
            if state.state == Some(PodState::Ready) {
                // It is full, but not solid yet.
                <rect class="hole" x={px(width / 2.0 - inner_width / 4.0)} y={px(y + height / 4.0)}
                    width={px(inner_width / 2.0)} height={px(height / 2.0)} />
            }
            <rect class="outline" x={px(margin)} y={px(*y)} width={px(inner_width)} height={px(*height)} rx={radius} />
            if let Some(sign) = sign.as_ref().filter(|_| *width > 10.0) {
                <text class="sign" x={px(width / 2.0)} y={px(y + height / 2.0)} dy="0.35em" text-anchor="middle">{ sign }</text>
            }
            if let Some(node) = node {
                <text class="node" x={px(margin + 3.0)} y={px(y + height - 3.0)}>{ node }</text>
            }
            if let Some(cost) = state.cost.filter(|_| *width > 16.0) {
                <text class="cost" x={px(width - margin - 1.0)} y={px(y + height - 3.0)} text-anchor="end">{ cost }</text>
            }
        </g>
    }
}

/// What is known about a pod, in one line.
pub fn tile_title(playback: &Playback, identity: Option<&PodIdentity>, pod: &PodKeyframe) -> String {
    let is_of_jobs = playback.lanes.iter().any(|lane| lane.is_of_jobs());
    let state = pod.state.map_or("gone", |state| match state {
        PodState::Available if is_of_jobs => "running",
        PodState::Available => "available",
        PodState::Ready => "ready, not yet for minReadySeconds",
        PodState::Starting => "starting",
        PodState::Pending => "pending",
        PodState::Terminating => "terminating",
        PodState::Unknown => "unknown: its node is lost",
        PodState::Failed => "failed",
        PodState::Succeeded => "succeeded",
    });
    let mut title = identity.map_or_else(String::new, |identity| format!("{}: ", identity.name));
    title.push_str(state);
    if pod.since >= 0 {
        title.push_str(&format!(" since {}", playback.clock(pod.since)));
    }
    if let Some(node) = identity.and_then(|identity| identity.node.as_deref()).filter(|_| pod.node.is_some()) {
        title.push_str(&format!(", on {node}"));
    }
    if let Some(cost) = pod.cost {
        title.push_str(&format!(", deletion cost {cost}"));
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_pods_are_over_the_limit_is_said_inside_the_row() {
        let text = |over: i32, limit: f64, width: f64| {
            let (text, left) = over_text(over, limit, width);
            (text, left.round())
        };
        assert_eq!(text(3, 100.0, 400.0), (String::from("3 over the limit"), 105.0));
        assert_eq!(text(3, 300.0, 400.0), (String::from("3 over"), 305.0));
        assert_eq!(text(3, 380.0, 400.0), (String::from("3 over"), 356.0));
        assert_eq!(text(0, 300.0, 400.0), (String::from("0 over"), 305.0));
    }
}
