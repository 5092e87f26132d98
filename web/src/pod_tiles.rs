//! The tiles of a row, one for each pod. A tile stays in its slot while its pod exists, and is updated only when it looks
//! different. Too many pods for tiles are drawn as dots on a canvas.

use changeover_core::timeline::PodState;
use changeover_wire::playback_track::{STATES, state_number};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use crate::dom;
use crate::linear_scale::{count_to_f64, to_i64};
use crate::markup::Markup;
use crate::playback_track::PodKeyframe;
use crate::pod_symbols::{LEVELS, progress_level, symbol_href};
use crate::ruler::hue_class;
use crate::tile_grid::TileGrid;
use crate::ui_text::state_name;

/// The pods of a row in the document.
pub(crate) enum PodTiles {
    /// An SVG element for each slot, and what it shows.
    Svg(Vec<(Element, TileState)>),
    /// A canvas with a dot for each slot.
    Canvas(CanvasRenderingContext2d, TileGrid),
    /// No element to draw on.
    Missing,
}

/// The level of half the progress.
const HALF_LEVEL: u8 = 6;

/// What a tile shows: state, level and ReplicaSet. Tiles with equal states look the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TileState(Option<(PodState, u8, usize)>);

impl TileState {
    /// The tile of a pod. Tiles that are too small to show progress always show half of it.
    pub(crate) fn of_pod(pod: Option<&PodKeyframe>, now: i64, shows_progress: bool) -> Self {
        let level = |pod: &PodKeyframe| match pod.state {
            _ if shows_progress => progress_level(pod.since, pod.until, now),
            // Without its ring, which would be too small.
            Some(PodState::Terminating) => LEVELS,
            _ => HALF_LEVEL,
        };
        Self(pod.and_then(|pod| pod.state.map(|state| (state, level(pod), pod.replica_set))))
    }

    fn class(self) -> String {
        let mut class = String::from("tile");
        if let Some((state, _, replica_set)) = self.0 {
            class.push_str(hue_class(replica_set));
            class.push(' ');
            class.push_str(state_name(state));
        }
        class
    }
}

/// Adds the element of a row, with empty slots.
pub(crate) fn push_tiles(markup: &mut Markup, slots: usize, grid: TileGrid, label: &str) {
    let (columns, lines) = (count_to_f64(grid.columns), count_to_f64(grid.lines(slots)));
    let name = if grid.is_dense() { "canvas" } else { "svg" };
    let side = if grid.is_dense() { 1.0 } else { grid.side };
    markup.open(name, if grid.is_dense() { "tiles dense" } else { "tiles" });
    markup.lengths(&[("width", columns * side), ("height", lines * side)]);
    markup
        .attribute("tabindex", "0")
        .attribute("role", "slider")
        .attribute("aria-valuemin", "0")
        .attribute("aria-valuenow", "0");
    markup.attribute("aria-label", label).children();
    if !grid.is_dense() {
        let inner = side - if side > 12.0 { 3.0 } else { 1.5 };
        for slot in 0..slots {
            let (column, line) = grid.slot_position(slot);
            let sizes = [("x", column * side), ("y", line * side), ("width", inner), ("height", inner)];
            markup.open("use", "tile").lengths(&sizes).text_and_close("use", "");
        }
        markup.text_element("g", "costs", "");
        markup
            .open("rect", "pointer")
            .lengths(&[("width", inner), ("height", inner), ("rx", 3.0)])
            .text_and_close("rect", "");
    }
    markup.close(name);
}

impl PodTiles {
    /// The tiles in the element of a row.
    pub(crate) fn new(element: &Element, slots: usize, grid: TileGrid) -> Self {
        if !grid.is_dense() {
            let mut tiles = Vec::with_capacity(slots);
            let mut next = element.first_element_child();
            while let Some(tile) = next.filter(|_| tiles.len() < slots) {
                next = tile.next_element_sibling();
                tiles.push((tile, TileState::default()));
            }
            return Self::Svg(tiles);
        }
        let canvas: Option<&HtmlCanvasElement> = element.dyn_ref();
        let context = canvas.and_then(|canvas| canvas.get_context("2d").ok().flatten());
        let Some(context) = context.and_then(|context| context.dyn_into().ok()) else { return Self::Missing };
        Self::Canvas(context, grid)
    }

    /// Updates a slot if it looks different.
    pub(crate) fn draw(&mut self, slot: usize, tile_state: TileState, palette: &Palette) {
        match self {
            Self::Svg(tiles) => {
                let Some((tile, before)) = tiles.get_mut(slot).filter(|(_, before)| *before != tile_state) else {
                    return;
                };
                let shape = |tile_state: &TileState| tile_state.0.map(|(state, _, replica_set)| (state, replica_set));
                if shape(before) != shape(&tile_state) {
                    dom::set_attribute(tile, "class", &tile_state.class());
                }
                match tile_state.0 {
                    Some((state, level, _)) => dom::set_attribute(tile, "href", &symbol_href(state, level)),
                    // An empty slot shows nothing.
                    None => drop(tile.remove_attribute("href")),
                }
                *before = tile_state;
            }
            Self::Canvas(context, grid) => {
                let (x, y) = grid.slot_position(slot);
                context.clear_rect(x, y, 1.0, 1.0);
                if let Some((state, _, replica_set)) = tile_state.0 {
                    let hatched = state == PodState::Terminating && to_i64(x + y).rem_euclid(3) == 0;
                    context.set_fill_style_str(palette.color(replica_set, state, hatched));
                    context.fill_rect(x, y, 1.0, 1.0);
                }
            }
            Self::Missing => {}
        }
    }
}

/// The colors of dots: a canvas has no style sheet.
#[derive(Default)]
pub(crate) struct Palette(Vec<String>);

/// The token of the style sheet for the color of each state, and last for the hatch. Those that begin with `--` are shared by
/// all revisions.
const TOKENS: [&str; 9] = ["", "", "-soft", "-faint", "--mute", "-faint", "--over", "-soft", "--going"];

impl Palette {
    /// The current colors of the style sheet.
    pub(crate) fn read() -> Self {
        let mut colors = Vec::new();
        for replica_set in 0..4 {
            for token in TOKENS {
                let mut name = String::from(token);
                if !token.starts_with("--") {
                    name = String::from("--");
                    name.push_str(hue_class(replica_set).trim_start());
                    name.push_str(token);
                }
                colors.push(dom::css_token(&name));
            }
        }
        Self(colors)
    }

    fn color(&self, replica_set: usize, state: PodState, hatched: bool) -> &str {
        let state = if hatched { STATES.len() } else { usize::try_from(state_number(state)).unwrap_or(0) };
        let at = replica_set.checked_rem(4).unwrap_or(0).saturating_mul(TOKENS.len()).saturating_add(state);
        self.0.get(at).map_or("#888", String::as_str)
    }
}
