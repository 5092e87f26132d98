//! A pod: its hue is the revision, its shape and its fill are the state. It looks the same in the lanes, by node, in the help and in
//! exported pictures.

use changeover_core::timeline::PodState;
use changeover_wire::PodIdentity;
use yew::{AttrValue, Html, Properties, classes, component, html};

use super::classes::{fill, hue_class, state_class};
use super::geometry::Geometry;
use super::group::Group;
use crate::number::px;
use crate::playback::{Band, Playback, PodKeyframe};

/// How many levels the fill of a tile has.
const LEVELS: f64 = 12.0;

/// Letters that are narrower than this share of their width are hard to read.
const NARROWEST: f64 = 0.65;

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

    /// A pod of which only the state is known. If it is starting or terminating, it is halfway.
    pub fn example(state: PodState) -> Self {
        Self { state: Some(state), level: Some(crate::number::to_i64(LEVELS / 2.0)), ..Self::default() }
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

/// The size of a tile beyond which its sign no longer grows, in pixels.
const MAX_SIGN: f64 = 22.0;

/// The sign of a state, as an SVG path around a point: a cross, a tick, or a question mark.
fn sign_path(state: PodState, x: f64, y: f64, size: f64) -> Option<String> {
    let at = |right: f64, down: f64| format!("{} {}", px(x + right * size), px(y + down * size));
    match state {
        PodState::Failed => Some(format!("M{}L{}M{}L{}", at(-1.0, -1.0), at(1.0, 1.0), at(1.0, -1.0), at(-1.0, 1.0))),
        PodState::Succeeded => Some(format!("M{}L{}L{}", at(-1.0, 0.0), at(-0.3, 0.8), at(1.0, -0.8))),
        PodState::Unknown => {
            let [start, top, right, stem] = [at(-0.7, -0.7), at(0.0, -1.7), at(0.7, -0.6), at(0.0, 0.4)];
            let bend = at(0.8, -0.1);
            Some(format!("M{start}Q{top} {right}Q{bend} {stem}M{}L{}", at(0.0, 0.9), at(0.0, 1.1)))
        }
        _ => None,
    }
}

/// The width that the other marks of a tile take beside that of the node, in pixels.
const OTHER_MARKS: f64 = 30.0;

/// The properties of [`Tile`].
#[derive(PartialEq, Properties)]
pub struct TileProps {
    /// The left edge, in pixels.
    #[prop_or_default]
    pub x: f64,
    /// The upper edge.
    #[prop_or_default]
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// What it shows.
    pub state: TileState,
    /// Whether another one is lit up.
    #[prop_or_default]
    pub dimmed: bool,
    /// What is known about the pod.
    pub title: AttrValue,
    /// How long its Job still waits, if there is room for that.
    #[prop_or_default]
    pub wait: Option<String>,
    /// The marks of its node and of its deletion cost, if there is room.
    #[prop_or_default]
    pub marks: TileMarks,
}

/// A pod. Its moves are animated by the style sheet.
#[component]
pub fn Tile(props: &TileProps) -> Html {
    let TileProps { x, y, width, height, state, dimmed, title, wait, marks: TileMarks { node, cost } } = props;
    let (margin, radius) = (margin(*width), if *width > 10.0 { "2.5" } else { "1" });
    let inner_width = inner_width(*width);
    let fill_height = height * state.fill();
    let (middle_x, middle_y) = (width / 2.0, y + height / 2.0);
    let sign = state.state.filter(|_| *width > 10.0);
    let sign =
        sign.and_then(|state| sign_path(state, middle_x, middle_y, inner_width.min(*height).min(MAX_SIGN) / 4.0));
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
                <rect class="hole" x={px(middle_x - inner_width / 4.0)} y={px(y + height / 4.0)}
                    width={px(inner_width / 2.0)} height={px(height / 2.0)} />
            }
            <rect class="outline" x={px(margin)} y={px(*y)} width={px(inner_width)} height={px(*height)} rx={radius} />
            if let Some(sign) = sign {
                <path class="sign" d={sign} />
            }
            if let Some(wait) = wait {
                <text class="wait-left" x={px(middle_x)} y={px(middle_y)} dy="0.35em" text-anchor="middle">{ wait }</text>
            }
            if let Some(node) = node {
                <text class="node" x={px(margin + 3.0)} y={px(y + height - 3.0)}>{ node }</text>
            }
            if let Some(CostLabel { text, squeezed }) = cost {
                <text class="cost" x={px(width - margin - 1.0)} y={px(y + height - 3.0)} text-anchor="end"
                    textLength={squeezed.map(px)} lengthAdjust={squeezed.map(|_| "spacingAndGlyphs")}>{ text }</text>
            }
        </g>
    }
}

/// The properties of [`PodIcon`].
#[derive(PartialEq, Properties)]
pub struct PodIconProps {
    /// What it shows.
    pub state: TileState,
    /// What is known about the pod; nothing if a text beside the icon says it.
    #[prop_or_default]
    pub title: Option<AttrValue>,
}

/// A pod in a text or in a table.
#[component]
pub fn PodIcon(props: &PodIconProps) -> Html {
    /// Its size, and the room for half of its outline.
    const SIZE: f64 = 16.0;
    const ROOM: f64 = 1.5;
    let PodIconProps { state, title } = props;
    html! {
        <svg class="pod-icon" width={px(SIZE)} height={px(SIZE)} viewBox={format!("0 0 {0} {0}", px(SIZE))}
            role={title.as_ref().map(|_| "img")} aria-label={title.clone()} aria-hidden={title.is_none().then_some("true")}>
            <Tile y={ROOM} width={SIZE} height={SIZE - 2.0 * ROOM} state={*state} title={title.clone().unwrap_or_default()} />
        </svg>
    }
}

/// The room beside the outline of a tile.
const fn margin(width: f64) -> f64 {
    if width > 10.0 { 1.5 } else { 0.5 }
}

/// The width inside the outline of a tile.
const fn inner_width(width: f64) -> f64 {
    (width - 2.0 * margin(width)).max(1.0)
}

/// What is written on a tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileMarks {
    node: Option<String>,
    cost: Option<CostLabel>,
}

impl TileMarks {
    /// Those that have room on a tile in a column.
    pub fn new(state: TileState, node: Option<&String>, geometry: &Geometry) -> Self {
        let has_sign = state.state.is_some_and(|state| sign_path(state, 0.0, 0.0, 1.0).is_some());
        let other_marks = if has_sign || state.cost.is_some() { OTHER_MARKS } else { 0.0 };
        Self {
            node: node.filter(|node| has_room_for_node(node, other_marks, geometry)).cloned(),
            cost: state.cost.and_then(|cost| CostLabel::on_tile(cost, geometry)),
        }
    }
}

/// Whether a tile in a column shows the mark of its node beside its other marks.
pub fn has_room_for_node(node: &str, other_marks: f64, geometry: &Geometry) -> bool {
    geometry.text_length(node) + other_marks * geometry.text_scale <= inner_width(geometry.column_width())
}

/// A deletion cost on a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct CostLabel {
    text: String,
    /// The width that its letters are squeezed to, if the tile is a little too narrow for them.
    squeezed: Option<f64>,
}

impl CostLabel {
    /// The cost on a tile in a column; none if it has no room there.
    pub fn on_tile(cost: i32, geometry: &Geometry) -> Option<Self> {
        let text = cost.to_string();
        let length = geometry.text_width(&text);
        Self::new(text, inner_width(geometry.column_width()) - 2.0, length)
    }

    /// None if a text of that length in that room would be hard to read.
    fn new(text: String, room: f64, length: f64) -> Option<Self> {
        let squeezed = (length > room).then_some(room);
        (room >= NARROWEST * length).then_some(Self { text, squeezed })
    }
}

/// What is known about a pod, in one line.
pub fn tile_title(playback: &Playback, identity: Option<&PodIdentity>, pod: &PodKeyframe) -> String {
    // If there is only one, all pods are on it, and its name may be no more than "node".
    let has_nodes = playback.lanes.iter().any(|lane| lane.played.nodes.len() > 1);
    let node = identity.and_then(|identity| identity.node.as_deref());
    tile_title_on(playback, identity, pod, node.filter(|_| has_nodes && pod.node.is_some()))
}

/// What a tile says of a pod. `node`: the pod's node, unless it stands beside the tile.
pub fn tile_title_on(
    playback: &Playback,
    identity: Option<&PodIdentity>,
    pod: &PodKeyframe,
    node: Option<&str>,
) -> String {
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
    if let Some(node) = node {
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
    use crate::settings::Field;
    use crate::tests::{compared, settings};

    #[test]
    fn a_tile_names_its_node_if_there_are_several() {
        let names_node = |nodes: &str| {
            let (_, playback) = compared(&settings(&[(Field::Nodes, nodes)]));
            let lane = &playback.lanes[0];
            let (number, pod) = lane.track.pods_at(playback.moment_at(0, 0)).next().unwrap();
            tile_title(&playback, lane.played.pods.get(number), pod).contains(", on node-")
        };
        assert!(names_node("2"));
        assert!(!names_node("1"));
    }

    #[test]
    fn a_cost_is_no_wider_than_its_tile() {
        let squeezed = |room: f64| CostLabel::new(String::from("100"), room, 27.0).map(|label| label.squeezed);
        assert_eq!(squeezed(40.0), Some(None));
        assert_eq!(squeezed(21.4), Some(Some(21.4)));
        assert_eq!(squeezed(15.0), None);
    }
}
