//! The pods of a row. A tile keeps its place while its pod lives, and is touched only when it looks different. Where
//! there are too many for tiles each is a dot on a canvas.

use changeover_core::timeline::PodState;
use changeover_wire::playback_track::{STATES, state_number};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use crate::dom;
use crate::linear_scale::{length, whole};
use crate::markup::Markup;
use crate::playback_track::Move;
use crate::pod_symbols::{Grid, LEVELS, level, reference};
use crate::ruler::hue_class;
use crate::ui_text::state_name;

/// A row's pods in the document.
pub(crate) enum Tiles {
    /// A tile for each slot, and what it shows.
    Each(Vec<(Element, Shown)>),
    /// A canvas with a dot for each.
    Dots(CanvasRenderingContext2d, Grid),
    /// There is nothing to draw on.
    None,
}

/// Half of the way.
const MIDDLE: u8 = 6;

/// What a tile shows: a state at a level, in a colour. Equal ones look the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown(Option<(PodState, u8, usize)>);

impl Shown {
    /// How a pod looks; where there is no room for how far it is, in the middle of it.
    pub(crate) fn of(pod: Option<&Move>, now: i64, fine: bool) -> Self {
        let level = |pod: &Move| match pod.state {
            _ if fine => level(pod.since, pod.until, now),
            // Without its ring: many of them are nothing but dust.
            Some(PodState::Terminating) => LEVELS,
            _ => MIDDLE,
        };
        Self(pod.and_then(|pod| pod.state.map(|state| (state, level(pod), pod.set))))
    }

    fn class(self) -> String {
        let mut class = String::from("tile");
        if let Some((state, _, set)) = self.0 {
            class.push_str(hue_class(set));
            class.push(' ');
            class.push_str(state_name(state));
        }
        class
    }
}

/// The element of a row with so many slots, empty.
pub(crate) fn markup(markup: &mut Markup, slots: usize, grid: Grid, label: &str) {
    let (columns, lines) = (length(grid.columns), length(grid.lines(slots)));
    let name = if grid.is_dense() { "canvas" } else { "svg" };
    let side = if grid.is_dense() { 1.0 } else { grid.side };
    markup.begin(name, if grid.is_dense() { "tiles dense" } else { "tiles" });
    markup.at(&[("width", columns * side), ("height", lines * side)]);
    markup.with("tabindex", "0").with("role", "slider").with("aria-valuemin", "0").with("aria-valuenow", "0");
    markup.with("aria-label", label).inside();
    if !grid.is_dense() {
        let inner = side - if side > 12.0 { 3.0 } else { 1.5 };
        for slot in 0..slots {
            let (column, line) = grid.place(slot);
            let sizes = [("x", column * side), ("y", line * side), ("width", inner), ("height", inner)];
            markup.begin("use", "tile").at(&sizes).end("use", "");
        }
        markup.whole("g", "costs", "");
        markup.begin("rect", "pointer").at(&[("width", inner), ("height", inner), ("rx", 3.0)]).end("rect", "");
    }
    markup.close(name);
}

impl Tiles {
    /// What there is to draw on.
    pub(crate) fn new(element: &Element, slots: usize, grid: Grid) -> Self {
        if !grid.is_dense() {
            let mut tiles = Vec::with_capacity(slots);
            let mut next = element.first_element_child();
            while let Some(tile) = next.filter(|_| tiles.len() < slots) {
                next = tile.next_element_sibling();
                tiles.push((tile, Shown::default()));
            }
            return Self::Each(tiles);
        }
        let canvas: Option<&HtmlCanvasElement> = element.dyn_ref();
        let context = canvas.and_then(|canvas| canvas.get_context("2d").ok().flatten());
        let Some(context) = context.and_then(|context| context.dyn_into().ok()) else { return Self::None };
        Self::Dots(context, grid)
    }

    /// Draws a slot, where it looks different.
    pub(crate) fn draw(&mut self, slot: usize, shown: Shown, palette: &Palette) {
        match self {
            Self::Each(tiles) => {
                let Some((tile, before)) = tiles.get_mut(slot).filter(|(_, before)| *before != shown) else { return };
                let kind = |shown: &Shown| shown.0.map(|(state, _, set)| (state, set));
                if kind(before) != kind(&shown) {
                    dom::set(tile, "class", &shown.class());
                }
                match shown.0 {
                    Some((state, level, _)) => dom::set(tile, "href", &reference(state, level)),
                    // Nothing to show and nothing to point at.
                    None => drop(tile.remove_attribute("href")),
                }
                *before = shown;
            }
            Self::Dots(context, grid) => {
                let (x, y) = grid.place(slot);
                context.clear_rect(x, y, 1.0, 1.0);
                if let Some((state, _, set)) = shown.0 {
                    let hatched = state == PodState::Terminating && whole(x + y).rem_euclid(3) == 0;
                    context.set_fill_style_str(palette.of(set, state, hatched));
                    context.fill_rect(x, y, 1.0, 1.0);
                }
            }
            Self::None => {}
        }
    }
}

/// The colours of dots: a canvas knows no style sheet.
#[derive(Default)]
pub(crate) struct Palette(Vec<String>);

/// From which token a state's colour comes: of the revision, or of all; the last one is of a hatch.
const TOKENS: [&str; 9] = ["", "", "-soft", "-faint", "--mute", "-faint", "--over", "-soft", "--going"];

impl Palette {
    /// As the style sheet has them now.
    pub(crate) fn read() -> Self {
        let mut colours = Vec::new();
        for set in 0..4 {
            for token in TOKENS {
                let mut name = String::from(token);
                if !token.starts_with("--") {
                    name = String::from("--");
                    name.push_str(hue_class(set).trim_start());
                    name.push_str(token);
                }
                colours.push(dom::token(&name));
            }
        }
        Self(colours)
    }

    fn of(&self, set: usize, state: PodState, hatched: bool) -> &str {
        let state = if hatched { STATES.len() } else { usize::try_from(state_number(state)).unwrap_or(0) };
        let at = set.checked_rem(4).unwrap_or(0).saturating_mul(TOKENS.len()).saturating_add(state);
        self.0.get(at).map_or("#888", String::as_str)
    }
}
