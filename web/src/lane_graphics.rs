//! The graphics of one lane: ruler, pods and chart. They are built once for each track and then updated only where something
//! changes; Yew manages only the element around them.

use changeover_core::timeline::{Counts, PodState};
use changeover_wire::{format_clock, str_at};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::chart::{Chart, ChartLayout};
use crate::dom;
use crate::linear_scale::{LinearScale, count_to_f64, format_px};
use crate::markup::{CachedElement, Markup};
use crate::playback::{Lane, Playback};
use crate::playback_track::{PodKeyframe, RowState};
use crate::pod_tiles::{self, Palette, PodTiles, TileState};
use crate::ruler::{GUTTER, Ruler, hue_class};
use crate::tile_grid::TileGrid;
use crate::ui_text::{group_digits, plural, state_name};

/// The width of a row's head beside its tiles.
const ROW_HEAD_WIDTH: f64 = 250.0;
/// From this width on, the head of a row is beside its tiles.
const MIN_WIDE: f64 = 600.0;
/// From this size on, a tile shows the progress of its pod.
const MIN_SIDE_WITH_PROGRESS: f64 = 20.0;

/// The layout that all lanes share.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct LaneLayout {
    /// The scale of the ruler, in pods.
    pods: LinearScale,
    /// The grid of the tiles.
    grid: TileGrid,
    /// The layout of the chart.
    pub chart: ChartLayout,
    /// Whether the head of a row is beside its tiles.
    wide: bool,
}

impl LaneLayout {
    /// The layout for lanes of that width.
    pub(crate) fn new(playback: &Playback, width: f64) -> Self {
        let wide = width >= MIN_WIDE;
        let tiles = if wide { width - ROW_HEAD_WIDTH } else { width };
        let all = |lane: &Lane| lane.track.row_slots.iter().sum();
        let all: usize = playback.lanes.iter().map(all).max().unwrap_or(0);
        let most = playback.max_pods();
        Self {
            pods: LinearScale { max: f64::from(most.max(1)), width: (width - GUTTER).max(1.0) },
            grid: TileGrid::fit(playback.max_row_slots(), all, tiles),
            chart: ChartLayout::new(width, playback.end_time(), most, playback.lanes.len()),
            wide,
        }
    }
}

/// The graphics of a lane in the document.
pub(crate) struct LaneGraphics {
    /// Its element. The graphics are built again if it or the generation changes.
    pub root: Element,
    /// The generation of its lane.
    pub generation: i64,
    ruler: Option<Ruler>,
    chart: Option<Chart>,
    rows: Vec<PodRow>,
    /// The slots of pods that make progress, as row and slot.
    in_progress: Vec<(usize, usize)>,
    grid: TileGrid,
    palette: Palette,
}

struct PodRow {
    element: Element,
    head: Option<CachedElement>,
    /// What the head shows.
    head_state: Option<(RowState, Counts)>,
    costs: Option<CachedElement>,
    /// Whether a pod has changed since the costs were drawn.
    changed: bool,
    tiles: PodTiles,
}

impl LaneGraphics {
    /// Builds the graphics of a lane in an element.
    pub(crate) fn new(root: Element, playback: &Playback, lane: &mut Lane, layout: &LaneLayout) -> Self {
        let label = &lane.info.name;
        let mut markup = Markup::default();
        markup.open("svg", "ruler").attribute("role", "img").text_and_close("svg", "");
        markup.open("div", if layout.wide { "rows wide" } else { "rows" }).children();
        for (row, slots) in lane.track.row_slots.iter().enumerate() {
            let mut class = String::from("row");
            class.push_str(if playback.grouped_by_node { "" } else { hue_class(row) });
            markup.open("div", &class).attribute("data-row", &row.to_string()).children();
            markup.text_element("p", "head", "");
            pod_tiles::push_tiles(&mut markup, *slots, layout.grid, &format!("Pods of {}", lane.row_name(row)));
            markup.close("div");
        }
        markup.close("div");
        markup.text_element("p", "life", "");
        markup
            .open("svg", "chart")
            .attribute("tabindex", "0")
            .attribute("role", "slider")
            .attribute("aria-valuemin", "0");
        markup.text_and_close("svg", "");
        root.set_inner_html(&markup.0);
        let row = |(element, slots): (Element, &usize)| {
            let tiles = dom::query(&element, ".tiles");
            if let Some(canvas) =
                tiles.as_ref().and_then(|it| it.dyn_ref::<HtmlElement>()).filter(|_| layout.grid.is_dense())
            {
                let side = layout.grid.side;
                let css =
                    |name, pixels: f64| drop(canvas.style().set_property(name, &format!("{}px", format_px(pixels))));
                css("width", count_to_f64(layout.grid.columns) * side);
                css("height", count_to_f64(layout.grid.lines(*slots)) * side);
            }
            let costs = dom::query(&element, ".costs").map(CachedElement::new);
            let head = dom::query(&element, ".head").map(CachedElement::new);
            let tiles = tiles.map_or(PodTiles::Missing, |it| PodTiles::new(&it, *slots, layout.grid));
            PodRow { element, head, head_state: None, costs, changed: true, tiles }
        };
        let rows = dom::query_children(&root, ".rows").into_iter().zip(&lane.track.row_slots).map(row).collect();
        let graphics = Self {
            ruler: dom::query(&root, ".ruler").map(|it| Ruler::new(it, layout.pods)),
            chart: dom::query(&root, ".chart").map(|it| Chart::new(it, &lane.track, layout.chart, label)),
            rows,
            in_progress: Vec::new(),
            grid: layout.grid,
            palette: if layout.grid.is_dense() { Palette::read() } else { Palette::default() },
            root,
            generation: playback.generation,
        };
        // Every slot is new.
        lane.cursor.changed_slots.clear();
        for (row, slots) in lane.track.row_slots.iter().enumerate() {
            lane.cursor.changed_slots.extend((0..*slots).map(|slot| (row, slot)));
        }
        graphics
    }

    /// Updates what has changed.
    pub(crate) fn draw(&mut self, lane: &mut Lane, by_node: bool, now: i64) {
        if let Some(ruler) = &mut self.ruler {
            ruler.draw(&lane.cursor.replica_sets, lane.cursor.marks);
        }
        if let Some(chart) = &mut self.chart {
            chart.draw(now, lane.track.point_at(now));
        }
        let mut changed = std::mem::take(&mut lane.cursor.changed_slots);
        for (row, slot) in changed.drain(..) {
            let pod = lane.pod_at(row, slot);
            let shows_progress = self.grid.side >= MIN_SIDE_WITH_PROGRESS;
            let makes_progress = shows_progress && pod.is_some_and(|pod| pod.until > pod.since);
            match (self.in_progress.binary_search(&(row, slot)), makes_progress) {
                (Ok(at), false) => drop(self.in_progress.remove(at)),
                (Err(at), true) => self.in_progress.insert(at, (row, slot)),
                _ => {}
            }
            if let Some(row) = self.rows.get_mut(row) {
                row.changed = true;
                row.tiles.draw(slot, TileState::of_pod(pod, now, shows_progress), &self.palette);
            }
        }
        lane.cursor.changed_slots = changed;
        for (row, slot) in &self.in_progress {
            if let Some(pod_row) = self.rows.get_mut(*row) {
                pod_row.tiles.draw(*slot, TileState::of_pod(lane.pod_at(*row, *slot), now, true), &self.palette);
            }
        }
        for (index, row) in self.rows.iter_mut().enumerate() {
            let scene = &lane.cursor;
            let counts = if by_node { &scene.rows } else { &scene.replica_sets };
            let now = scene.row_states.get(index).copied().unwrap_or_default();
            let head_state = Some((now, counts.get(index).copied().unwrap_or_default()));
            if let Some(head) = row.head.as_mut().filter(|_| row.head_state != head_state) {
                head.set_markup(if by_node { node_head(lane, index) } else { replica_set_head(lane, index) });
                row.head_state = head_state;
            }
            let costs =
                row.costs.as_mut().filter(|_| row.changed && lane.track.has_deletion_costs && self.grid.side > 18.0);
            if let Some(costs) = costs {
                costs.set_markup(cost_labels(lane, index, self.grid));
            }
            row.changed = false;
        }
    }

    /// Highlights what a term refers to.
    pub(crate) fn highlight(&self, lane: &Lane, mark: &str, about: &str) {
        let Some(ruler) = dom::query(&self.root, ".ruler") else { return };
        let class = if mark.is_empty() { String::from("ruler") } else { format!("ruler lit-{mark}") };
        dom::set_attribute(&ruler, "class", &class);
        for (index, row) in self.rows.iter().enumerate() {
            let highlighted = mark == "replica-set" && lane.row_name(index) == about;
            // Fails only for invalid class names.
            let _ = row.element.class_list().toggle_with_force("lit", highlighted);
        }
    }

    /// Shows which pod is active, and its description.
    pub(crate) fn point_at(&self, at: Option<(usize, usize)>, description: &str) {
        for (index, row) in self.rows.iter().enumerate() {
            let active_slot = at.filter(|(row, _)| *row == index);
            if let Some(tiles) = dom::query(&row.element, ".tiles").filter(|_| active_slot.is_some()) {
                let slot = active_slot.map_or(0, |(_, slot)| slot);
                dom::set_attribute(&tiles, "aria-valuenow", &slot.to_string());
                dom::set_attribute(&tiles, "aria-valuetext", description);
            }
            let Some(pointer) = dom::query(&row.element, ".pointer") else { continue };
            let class = if active_slot.is_some() { "pointer on" } else { "pointer" };
            dom::set_attribute(&pointer, "class", class);
            if let Some((_, slot)) = active_slot {
                let (column, line) = self.grid.slot_position(slot);
                dom::set_attribute(&pointer, "x", &format_px(column * self.grid.side));
                dom::set_attribute(&pointer, "y", &format_px(line * self.grid.side));
            }
        }
        if let Some(history) = dom::query(&self.root, ".life") {
            history.set_text_content(Some(description));
        }
    }

    /// The slot at a position in a row, given as shares of the row's width and height.
    pub(crate) fn slot_at(&self, lane: &Lane, row: usize, x: f64, y: f64) -> Option<usize> {
        let slots = *lane.track.row_slots.get(row)?;
        let (columns, lines) = (count_to_f64(self.grid.columns), count_to_f64(self.grid.lines(slots)));
        let at = |share: f64, of: f64| usize::try_from(crate::linear_scale::to_i64(share * of)).ok();
        let slot = at(y, lines)?.checked_mul(self.grid.columns)?.checked_add(at(x, columns)?)?;
        (slot < slots).then_some(slot)
    }
}

fn push_head_name(markup: &mut Markup, name: &str, after: &str) {
    markup.open("span", "who").children();
    markup.text_element("code", "", name);
    markup.push_text(after);
    markup.close("span");
    markup.text_element("span", "dot", " · ");
}

fn replica_set_head(lane: &Lane, set: usize) -> Markup {
    let mut markup = Markup::default();
    let now = lane.cursor.row_states.get(set).copied().unwrap_or_default();
    let Some((replicas, counts)) = now.replicas.zip(lane.cursor.replica_sets.get(set)) else { return markup };
    push_head_name(&mut markup, lane.row_name(set), &format!(" · revision {}", now.revision));
    let has = counts.holding().saturating_sub(counts.terminating);
    let mut numbers = format!("wants {} · has {}", group_digits(replicas), group_digits(has));
    if counts.terminating > 0 {
        numbers.push_str(&format!(" + {} terminating", group_digits(counts.terminating)));
    }
    markup.text_element("span", "numbers", &numbers);
    markup
}

fn node_head(lane: &Lane, row: usize) -> Markup {
    let mut markup = Markup::default();
    push_head_name(&mut markup, lane.row_name(row), "");
    let now = lane.cursor.row_states.get(row).copied().unwrap_or_default();
    if now.replicas.is_none() {
        markup.text_element("span", "numbers", if now.revision > 0 { "removed" } else { "not there yet" });
    } else if let Some(counts) = lane.cursor.rows.get(row) {
        let mut numbers = plural(counts.holding(), "pod");
        if counts.terminating > 0 {
            numbers.push_str(&format!(" · {} terminating", group_digits(counts.terminating)));
        }
        markup.text_element("span", "numbers", &numbers);
    }
    markup
}

fn cost_labels(lane: &Lane, row: usize, grid: TileGrid) -> Markup {
    let mut markup = Markup::default();
    for pod in lane.cursor.pods_in_row(&lane.track, row) {
        let Some(cost) = pod.cost else { continue };
        let (column, line) = grid.slot_position(pod.slot);
        let at = [(column + 1.0) * grid.side - 5.0, (line + 1.0) * grid.side - 6.0];
        markup.svg_text("cost", at, "end", &cost.to_string());
    }
    markup
}

/// The history of a pod in one line.
pub(crate) fn pod_history(lane: &Lane, pod: &PodKeyframe, name_and_node: &[Value]) -> String {
    let keyframes: Vec<&PodKeyframe> = lane.track.pod_history(pod.pod).collect();
    let mut description = String::new();
    description.push_str(str_at(name_and_node, 0));
    let node = str_at(name_and_node, 1);
    if !node.is_empty() {
        description.push_str(" on ");
        description.push_str(node);
    }
    let mut before: Option<PodState> = None;
    for keyframe in keyframes.iter().rev() {
        if keyframe.state.is_some() && keyframe.state == before {
            continue;
        }
        description.push_str(if description.is_empty() { "" } else { " · " });
        description.push_str(keyframe.state.map_or("gone", state_name));
        if keyframe.since >= 0 {
            description.push(' ');
            description.push_str(&format_clock(keyframe.since));
        }
        if keyframe.state == Some(PodState::Terminating) {
            description.push_str(&format!(
                " (grace {} s)",
                keyframe.until.saturating_sub(keyframe.since).div_euclid(1_000_000_000)
            ));
        }
        before = keyframe.state;
    }
    if let Some(cost) = pod.cost {
        description.push_str(&format!(" · deletion cost {cost}"));
    }
    description
}
