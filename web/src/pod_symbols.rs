//! The shapes of pods, which `index.html` has once for every tile to use, and how tiles are laid out. Shape and fill say
//! the state; hue is the revision.

use changeover_core::timeline::PodState;

use crate::linear_scale::{float, length, whole};
use crate::ui_text::state_name;

/// In how many steps a tile shows how far it is, so that it is touched only when it looks different.
pub(crate) const LEVELS: u8 = 12;

/// The shape of a state at a level: what a tile refers to.
pub(crate) fn reference(state: PodState, level: u8) -> String {
    let mut name = String::from("#s-");
    name.push_str(state_name(state));
    if grows(state) {
        name.push_str(&level.to_string());
    }
    name
}

const fn grows(state: PodState) -> bool {
    matches!(state, PodState::Ready | PodState::Starting | PodState::Terminating)
}

/// How much of the way from one time to another is over, in levels.
pub(crate) fn level(since: i64, until: i64, now: i64) -> u8 {
    let way = float(until.saturating_sub(since));
    if way <= 0.0 {
        return 0;
    }
    let share = (float(now.saturating_sub(since)) / way).clamp(0.0, 1.0);
    u8::try_from(whole(share * f64::from(LEVELS))).unwrap_or(LEVELS)
}

/// A tile's side and columns: how the pods of a row are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// A tile with its gap; below 6 pixels there are no tiles but dots on a canvas.
    pub side: f64,
    /// Tiles on a line.
    pub columns: usize,
}

/// Sides of a tile with its gap, in pixels, the nicest first, and how many lines of them a row may take.
const SIDES: [(f64, f64); 5] = [(26.0, 2.0), (20.0, 3.0), (14.0, 4.0), (10.0, 6.0), (6.0, 12.0)];

/// More pods than this in a lane are no longer tiles.
const DENSE: usize = 1500;

/// How high a row of dots may be, about.
const DENSE_HEIGHT: f64 = 64.0;

impl Grid {
    /// The grid for rows of at most that many pods, and that many in all. All rows of all lanes share it, so that they
    /// can be compared.
    pub(crate) fn of(slots: usize, all: usize, width: f64) -> Self {
        let columns = |side: f64| usize::try_from(whole(width / side)).unwrap_or(1).max(1);
        let fits = |(side, lines): &&(f64, f64)| length(slots) <= length(columns(*side)) * lines;
        let side = match SIDES.iter().find(fits) {
            Some((side, _)) if all <= DENSE => *side,
            None if all <= DENSE => 6.0,
            _ => (width * DENSE_HEIGHT / length(slots.max(1))).sqrt().clamp(1.0, 5.0),
        };
        Self { side, columns: columns(side) }
    }

    /// Whether pods are dots.
    pub(crate) fn is_dense(self) -> bool {
        self.side < 6.0
    }

    /// How many lines a row with that many slots has.
    pub(crate) fn lines(self, slots: usize) -> usize {
        slots.div_ceil(self.columns.max(1)).max(1)
    }

    /// Where a slot is, in columns and lines.
    pub(crate) fn place(self, slot: usize) -> (f64, f64) {
        let line = slot.checked_div(self.columns).unwrap_or(0);
        let column = slot.checked_rem(self.columns).unwrap_or(0);
        (length(column), length(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_shrink_as_pods_come_and_end_as_dots() {
        assert_eq!(Grid::of(10, 20, 700.0), Grid { side: 26.0, columns: 26 });
        let sides: Vec<f64> = [10, 80, 150, 300, 1000, 2000, 10_000, 100_000]
            .iter()
            .map(|slots| Grid::of(*slots, *slots, 700.0).side)
            .collect();
        assert!(sides.windows(2).all(|pair| pair[1] <= pair[0]), "{sides:?}");
        let dense = Grid::of(10_000, 20_000, 700.0);
        assert!(dense.is_dense() && dense.side > 1.0);
        assert!(length(Grid::of(100_000, 200_000, 300.0).lines(100_000)) < 340.0);
    }

    #[test]
    fn slots_fill_line_after_line() {
        let grid = Grid { side: 20.0, columns: 3 };
        assert_eq!(grid.place(0), (0.0, 0.0));
        assert_eq!(grid.place(4), (1.0, 1.0));
        assert_eq!([0, 3, 4].map(|slots| grid.lines(slots)), [1, 1, 2]);
    }

    #[test]
    fn a_level_moves_in_steps_and_stays_inside() {
        assert_eq!([0, 50, 51, 900, -5].map(|now| level(0, 100, now)), [0, 6, 6, 12, 0]);
        assert_eq!(level(7, 7, 7), 0);
    }

    #[test]
    fn every_reference_has_its_shape() {
        // The build writes a shape with a step in its name once for each level (`xtask/src/shapes.rs`).
        let shapes = include_str!("../../www/static/index.html").replace("{step}", "7");
        for state in changeover_wire::playback_track::STATES {
            let id = reference(state, 7).replace('#', "");
            assert!(shapes.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
}
