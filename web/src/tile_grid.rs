//! The grid of a row's tiles: how large they are and where each slot is.

use crate::linear_scale::{count_to_f64, to_i64};

/// The grid of the tiles in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TileGrid {
    /// The side of a tile with its gap, in pixels. Below 6 pixels, pods are dots on a canvas.
    pub side: f64,
    /// The number of tiles on a line.
    pub columns: usize,
}

/// The sides of a tile with its gap, from the best one on, each with the number of lines that a row may have.
const SIDES: [(f64, f64); 5] = [(26.0, 2.0), (20.0, 3.0), (14.0, 4.0), (10.0, 6.0), (6.0, 12.0)];

/// A lane with more pods than this shows dots.
const MAX_TILES: usize = 1500;

/// The approximate height of a row of dots.
const DOTS_HEIGHT: f64 = 64.0;

impl TileGrid {
    /// The grid for rows of at most `slots` pods, and lanes of at most `all` pods. All rows of all lanes share it, so that
    /// they can be compared.
    pub(crate) fn fit(slots: usize, all: usize, width: f64) -> Self {
        let columns = |side: f64| usize::try_from(to_i64(width / side)).unwrap_or(1).max(1);
        let fits = |(side, lines): &&(f64, f64)| count_to_f64(slots) <= count_to_f64(columns(*side)) * lines;
        let side = match SIDES.iter().find(fits) {
            Some((side, _)) if all <= MAX_TILES => *side,
            None if all <= MAX_TILES => 6.0,
            _ => (width * DOTS_HEIGHT / count_to_f64(slots.max(1))).sqrt().clamp(1.0, 5.0),
        };
        Self { side, columns: columns(side) }
    }

    /// Whether pods are dots.
    pub(crate) fn is_dense(self) -> bool {
        self.side < 6.0
    }

    /// The number of lines of a row with that many slots.
    pub(crate) fn lines(self, slots: usize) -> usize {
        slots.div_ceil(self.columns.max(1)).max(1)
    }

    /// The column and the line of a slot.
    pub(crate) fn slot_position(self, slot: usize) -> (f64, f64) {
        let line = slot.checked_div(self.columns).unwrap_or(0);
        let column = slot.checked_rem(self.columns).unwrap_or(0);
        (count_to_f64(column), count_to_f64(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pods_get_smaller_tiles_and_then_dots() {
        assert_eq!(TileGrid::fit(10, 20, 700.0), TileGrid { side: 26.0, columns: 26 });
        let sides: Vec<f64> = [10, 80, 150, 300, 1000, 2000, 10_000, 100_000]
            .iter()
            .map(|slots| TileGrid::fit(*slots, *slots, 700.0).side)
            .collect();
        assert!(sides.windows(2).all(|pair| pair[1] <= pair[0]), "{sides:?}");
        let dense = TileGrid::fit(10_000, 20_000, 700.0);
        assert!(dense.is_dense() && dense.side > 1.0);
        assert!(count_to_f64(TileGrid::fit(100_000, 200_000, 300.0).lines(100_000)) < 340.0);
    }

    #[test]
    fn slots_fill_line_after_line() {
        let grid = TileGrid { side: 20.0, columns: 3 };
        assert_eq!(grid.slot_position(0), (0.0, 0.0));
        assert_eq!(grid.slot_position(4), (1.0, 1.0));
        assert_eq!([0, 3, 4].map(|slots| grid.lines(slots)), [1, 1, 2]);
    }
}
