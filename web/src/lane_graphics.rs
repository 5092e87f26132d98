//! What is drawn of one lane: ruler, pods, counts over time. All of it is made once for a film and then touched where
//! something looks different; Yew knows only the place where it stands.

use changeover_core::timeline::{Counts, PodState};
use changeover_wire::{format_clock, str_at};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use crate::chart::{Chart, Frame};
use crate::dom;
use crate::linear_scale::{Scale, length, n};
use crate::markup::{Drawn, Markup};
use crate::playback::{Lane, Stage};
use crate::playback_track::{Move, SetNow};
use crate::pod_symbols::Grid;
use crate::pod_tiles::{self, Palette, Shown, Tiles};
use crate::ruler::{GUTTER, Ruler, hue_class};
use crate::ui_text::{grouped, plural, state_name};

/// Beside a row's tiles its head, if there is that much room.
const HEAD: f64 = 250.0;
const WIDE: f64 = 600.0;
/// From this side on a tile shows how far its pod is.
const FINE: f64 = 20.0;

/// What all lanes share.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Sizes {
    /// Of the ruler, in pods.
    pods: Scale,
    /// Of the tiles.
    grid: Grid,
    /// Of the chart.
    pub frame: Frame,
    /// Whether the head of a row stands beside its tiles.
    wide: bool,
}

impl Sizes {
    /// The sizes for lanes of that width.
    pub(crate) fn of(stage: &Stage, width: f64) -> Self {
        let wide = width >= WIDE;
        let tiles = if wide { width - HEAD } else { width };
        let all = |lane: &Lane| lane.film.rows.iter().sum();
        let all: usize = stage.lanes.iter().map(all).max().unwrap_or(0);
        let most = stage.most();
        Self {
            pods: Scale { most: f64::from(most.max(1)), width: (width - GUTTER).max(1.0) },
            grid: Grid::of(stage.slots(), all, tiles),
            frame: Frame::new(width, stage.end(), most, stage.lanes.len()),
            wide,
        }
    }
}

/// A lane in the document.
pub(crate) struct Drawing {
    /// Its element, and of which lanes it is: it is made anew where one of them is another.
    pub root: Element,
    /// See above.
    pub generation: i64,
    ruler: Option<Ruler>,
    chart: Option<Chart>,
    rows: Vec<Row>,
    /// Places whose pods are on their way to something.
    growing: Vec<(usize, usize)>,
    grid: Grid,
    palette: Palette,
}

struct Row {
    element: Element,
    head: Option<Drawn>,
    /// What the head says.
    says: Option<(SetNow, Counts)>,
    costs: Option<Drawn>,
    /// Whether a pod of it is another since the costs were drawn.
    touched: bool,
    tiles: Tiles,
}

impl Drawing {
    /// Draws a lane into an element.
    pub(crate) fn new(root: Element, stage: &Stage, lane: &mut Lane, sizes: &Sizes) -> Self {
        let label = &lane.rules.name;
        let mut markup = Markup::default();
        markup.begin("svg", "ruler").with("role", "img").end("svg", "");
        markup.begin("div", if sizes.wide { "rows wide" } else { "rows" }).inside();
        for (row, slots) in lane.film.rows.iter().enumerate() {
            let mut class = String::from("row");
            class.push_str(if stage.by_node { "" } else { hue_class(row) });
            markup.begin("div", &class).with("data-row", &row.to_string()).inside();
            markup.whole("p", "head", "");
            pod_tiles::markup(&mut markup, *slots, sizes.grid, &format!("Pods of {}", lane.row_name(row)));
            markup.close("div");
        }
        markup.close("div");
        markup.whole("p", "life", "");
        markup.begin("svg", "chart").with("tabindex", "0").with("role", "slider").with("aria-valuemin", "0");
        markup.end("svg", "");
        root.set_inner_html(&markup.0);
        let row = |(element, slots): (Element, &usize)| {
            let tiles = dom::find(&element, ".tiles");
            if let Some(canvas) =
                tiles.as_ref().and_then(|it| it.dyn_ref::<HtmlElement>()).filter(|_| sizes.grid.is_dense())
            {
                let side = sizes.grid.side;
                let css = |name, pixels: f64| drop(canvas.style().set_property(name, &format!("{}px", n(pixels))));
                css("width", length(sizes.grid.columns) * side);
                css("height", length(sizes.grid.lines(*slots)) * side);
            }
            let costs = dom::find(&element, ".costs").map(Drawn::new);
            let head = dom::find(&element, ".head").map(Drawn::new);
            let tiles = tiles.map_or(Tiles::None, |it| Tiles::new(&it, *slots, sizes.grid));
            Row { element, head, says: None, costs, touched: true, tiles }
        };
        let rows = dom::children(&root, ".rows").into_iter().zip(&lane.film.rows).map(row).collect();
        let drawing = Self {
            ruler: dom::find(&root, ".ruler").map(|it| Ruler::new(it, sizes.pods)),
            chart: dom::find(&root, ".chart").map(|it| Chart::new(it, &lane.film, sizes.frame, label)),
            rows,
            growing: Vec::new(),
            grid: sizes.grid,
            palette: if sizes.grid.is_dense() { Palette::read() } else { Palette::default() },
            root,
            generation: stage.generation,
        };
        // Everything is new.
        lane.scene.changed.clear();
        for (row, slots) in lane.film.rows.iter().enumerate() {
            lane.scene.changed.extend((0..*slots).map(|slot| (row, slot)));
        }
        drawing
    }

    /// Draws what changed.
    pub(crate) fn draw(&mut self, lane: &mut Lane, by_node: bool, now: i64) {
        if let Some(ruler) = &mut self.ruler {
            ruler.draw(&lane.scene.sets, lane.scene.marks);
        }
        if let Some(chart) = &mut self.chart {
            chart.draw(now, lane.film.at(now));
        }
        let mut changed = std::mem::take(&mut lane.scene.changed);
        for (row, slot) in changed.drain(..) {
            let pod = lane.pod_at(row, slot);
            let fine = self.grid.side >= FINE;
            let grows = fine && pod.is_some_and(|pod| pod.until > pod.since);
            match (self.growing.binary_search(&(row, slot)), grows) {
                (Ok(at), false) => drop(self.growing.remove(at)),
                (Err(at), true) => self.growing.insert(at, (row, slot)),
                _ => {}
            }
            if let Some(row) = self.rows.get_mut(row) {
                row.touched = true;
                row.tiles.draw(slot, Shown::of(pod, now, fine), &self.palette);
            }
        }
        lane.scene.changed = changed;
        for (row, slot) in &self.growing {
            if let Some(it) = self.rows.get_mut(*row) {
                it.tiles.draw(*slot, Shown::of(lane.pod_at(*row, *slot), now, true), &self.palette);
            }
        }
        for (index, row) in self.rows.iter_mut().enumerate() {
            let scene = &lane.scene;
            let counts = if by_node { &scene.rows } else { &scene.sets };
            let now = scene.now.get(index).copied().unwrap_or_default();
            let says = Some((now, counts.get(index).copied().unwrap_or_default()));
            if let Some(head) = row.head.as_mut().filter(|_| row.says != says) {
                head.draw(if by_node { node_head(lane, index) } else { set_head(lane, index) });
                row.says = says;
            }
            let costs = row.costs.as_mut().filter(|_| row.touched && lane.film.has_costs && self.grid.side > 18.0);
            if let Some(costs) = costs {
                costs.draw(view_costs(lane, index, self.grid));
            }
            row.touched = false;
        }
    }

    /// Lights up what a term points at.
    pub(crate) fn light(&self, lane: &Lane, mark: &str, about: &str) {
        let Some(ruler) = dom::find(&self.root, ".ruler") else { return };
        let class = if mark.is_empty() { String::from("ruler") } else { format!("ruler lit-{mark}") };
        dom::set(&ruler, "class", &class);
        for (index, row) in self.rows.iter().enumerate() {
            let lit = mark == "replica-set" && lane.row_name(index) == about;
            // The class is there or not; nothing else can come of it.
            let _ = row.element.class_list().toggle_with_force("lit", lit);
        }
    }

    /// Shows which pod is pointed at, and says what is known of it.
    pub(crate) fn point(&self, at: Option<(usize, usize)>, said: &str) {
        for (index, row) in self.rows.iter().enumerate() {
            let here = at.filter(|(row, _)| *row == index);
            if let Some(tiles) = dom::find(&row.element, ".tiles").filter(|_| here.is_some()) {
                let slot = here.map_or(0, |(_, slot)| slot);
                dom::set(&tiles, "aria-valuenow", &slot.to_string());
                dom::set(&tiles, "aria-valuetext", said);
            }
            let Some(pointer) = dom::find(&row.element, ".pointer") else { continue };
            let class = if here.is_some() { "pointer on" } else { "pointer" };
            dom::set(&pointer, "class", class);
            if let Some((_, slot)) = here {
                let (column, line) = self.grid.place(slot);
                dom::set(&pointer, "x", &n(column * self.grid.side));
                dom::set(&pointer, "y", &n(line * self.grid.side));
            }
        }
        if let Some(life) = dom::find(&self.root, ".life") {
            life.set_text_content(Some(said));
        }
    }

    /// The slot of a row that is there, as shares of the row's width and height.
    pub(crate) fn slot_at(&self, lane: &Lane, row: usize, x: f64, y: f64) -> Option<usize> {
        let slots = *lane.film.rows.get(row)?;
        let (columns, lines) = (length(self.grid.columns), length(self.grid.lines(slots)));
        let at = |share: f64, of: f64| usize::try_from(crate::linear_scale::whole(share * of)).ok();
        let slot = at(y, lines)?.checked_mul(self.grid.columns)?.checked_add(at(x, columns)?)?;
        (slot < slots).then_some(slot)
    }
}

fn who(markup: &mut Markup, name: &str, after: &str) {
    markup.begin("span", "who").inside();
    markup.whole("code", "", name);
    markup.text(after);
    markup.close("span");
    markup.whole("span", "dot", " · ");
}

fn set_head(lane: &Lane, set: usize) -> Markup {
    let mut markup = Markup::default();
    let now = lane.scene.now.get(set).copied().unwrap_or_default();
    let Some((wants, counts)) = now.wants.zip(lane.scene.sets.get(set)) else { return markup };
    who(&mut markup, lane.row_name(set), &format!(" · revision {}", now.revision));
    let has = counts.holding().saturating_sub(counts.terminating);
    let mut numbers = format!("wants {} · has {}", grouped(wants), grouped(has));
    if counts.terminating > 0 {
        numbers.push_str(&format!(" + {} terminating", grouped(counts.terminating)));
    }
    markup.whole("span", "numbers", &numbers);
    markup
}

fn node_head(lane: &Lane, row: usize) -> Markup {
    let mut markup = Markup::default();
    who(&mut markup, lane.row_name(row), "");
    let now = lane.scene.now.get(row).copied().unwrap_or_default();
    if now.wants.is_none() {
        markup.whole("span", "numbers", if now.revision > 0 { "removed" } else { "not there yet" });
    } else if let Some(counts) = lane.scene.rows.get(row) {
        let mut numbers = plural(counts.holding(), "pod");
        if counts.terminating > 0 {
            numbers.push_str(&format!(" · {} terminating", grouped(counts.terminating)));
        }
        markup.whole("span", "numbers", &numbers);
    }
    markup
}

fn view_costs(lane: &Lane, row: usize, grid: Grid) -> Markup {
    let mut markup = Markup::default();
    for pod in lane.scene.pods_of(&lane.film, row) {
        let Some(cost) = pod.cost else { continue };
        let (column, line) = grid.place(pod.slot);
        let at = [(column + 1.0) * grid.side - 5.0, (line + 1.0) * grid.side - 6.0];
        markup.words("cost", at, "end", &cost.to_string());
    }
    markup
}

/// A pod's life in one line.
pub(crate) fn life(lane: &Lane, pod: &Move, named: &[Value]) -> String {
    let moves: Vec<&Move> = lane.film.life(pod.pod).collect();
    let mut said = String::new();
    said.push_str(str_at(named, 0));
    let node = str_at(named, 1);
    if !node.is_empty() {
        said.push_str(" on ");
        said.push_str(node);
    }
    let mut before: Option<PodState> = None;
    for it in moves.iter().rev() {
        if it.state.is_some() && it.state == before {
            continue;
        }
        said.push_str(if said.is_empty() { "" } else { " · " });
        said.push_str(it.state.map_or("gone", state_name));
        if it.since >= 0 {
            said.push(' ');
            said.push_str(&format_clock(it.since));
        }
        if it.state == Some(PodState::Terminating) {
            said.push_str(&format!(" (grace {} s)", it.until.saturating_sub(it.since).div_euclid(1_000_000_000)));
        }
        before = it.state;
    }
    if let Some(cost) = pod.cost {
        said.push_str(&format!(" · deletion cost {cost}"));
    }
    said
}
