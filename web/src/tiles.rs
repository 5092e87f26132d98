//! The pods of a ReplicaSet as tiles. A tile keeps its place while its pod lives.

use std::rc::Rc;

use changeover_core::timeline::PodState;
use yew::prelude::*;

use crate::picture::{Row, Tile, count};
use crate::ruler::STACK;
use crate::scale::{Scale, length, n, whole};
use crate::words::{plural, state_name};

/// More pods than this are no longer tiles but a strip.
const DENSE: usize = 2000;

/// Sides of a tile with its gap, in pixels, the nicest first, and how many lines of them a row may take.
const SIDES: [(f64, f64); 5] = [(26.0, 2.0), (20.0, 3.0), (14.0, 4.0), (10.0, 6.0), (6.0, 12.0)];

/// How the tiles of a row are laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// A tile with its gap; 0: no tiles but a strip.
    pub side: f64,
    /// Tiles on a line.
    pub columns: usize,
}

impl Grid {
    /// The grid for rows of at most that many pods. All rows of all lanes share it, so that they can be compared.
    pub(crate) fn of(slots: usize, width: f64) -> Self {
        let columns = |side: f64| usize::try_from(whole(width / side)).unwrap_or(1).max(1);
        let fits = |(side, lines): &&(f64, f64)| length(slots) <= length(columns(*side)) * lines;
        let side = match SIDES.iter().find(fits) {
            Some((side, _)) if slots <= DENSE => *side,
            None if slots <= DENSE => 6.0,
            _ => 0.0,
        };
        Self { side, columns: if side > 0.0 { columns(side) } else { 1 } }
    }

    /// How high a row with that many slots is.
    pub(crate) fn height(self, slots: usize) -> f64 {
        if self.side > 0.0 { length(slots.div_ceil(self.columns.max(1)).max(1)) * self.side } else { 26.0 }
    }

    fn place(self, slot: usize) -> (f64, f64) {
        let line = slot.checked_div(self.columns).unwrap_or(0);
        let column = slot.checked_rem(self.columns).unwrap_or(0);
        (length(column) * self.side, length(line) * self.side)
    }
}

/// A row's tiles.
#[derive(PartialEq, Properties)]
pub(crate) struct TilesProps {
    /// The row.
    pub row: Rc<Row>,
    /// Where its tiles are.
    pub grid: Grid,
    /// How wide it may be.
    pub width: f64,
}

/// Draws a row's tiles.
#[component]
pub(crate) fn Tiles(props: &TilesProps) -> Html {
    let TilesProps { row, grid, width } = props;
    let height = grid.height(row.slots);
    html! {
        <svg class={classes!("tiles", format!("r{}", row.hue))} width={n(*width)} height={n(height)}
            viewBox={format!("0 0 {} {}", n(*width), n(height))} role="img" aria-label={summary(row)}>
            if grid.side > 0.0 {
                {for row.tiles.iter().map(|tile| view_tile(tile, *grid))}
            } else {
                {view_strip(row, *width, height)}
            }
        </svg>
    }
}

fn summary(row: &Row) -> String {
    let mut text = plural(row.counts.holding(), "pod");
    for state in [PodState::Available, PodState::Ready, PodState::Starting, PodState::Pending].into_iter().chain([
        PodState::Terminating,
        PodState::Unknown,
        PodState::Failed,
        PodState::Succeeded,
    ]) {
        let count = count(&row.counts, state);
        if count > 0 {
            text.push_str(&format!(", {count} {}", state_name(state)));
        }
    }
    text
}

fn view_tile(tile: &Tile, grid: Grid) -> Html {
    let (x, y) = grid.place(tile.slot);
    let gap = if grid.side > 12.0 { 3.0 } else { 1.5 };
    html! {
        <g key={&*tile.name} class={classes!("tile", state_name(tile.state))} transform={format!("translate({} {})", n(x), n(y))}>
            <title>{format!("{}: {}", tile.name, state_name(tile.state))}</title>
            {shape(tile.state, tile.level, grid.side - gap)}
            if let Some(cost) = tile.cost.as_ref().filter(|_| grid.side > 18.0) {
                <text class="cost" x={n(grid.side - gap - 2.0)} y={n(grid.side - gap - 3.0)} text-anchor="end">{&**cost}</text>
            }
        </g>
    }
}

/// The shape of a pod in a state: also in the legend.
pub(crate) fn shape(state: PodState, level: f64, side: f64) -> Html {
    let radius = if side > 12.0 { "3" } else { "1" };
    let fill = |class: &'static str| html! { <rect {class} width={n(side)} height={n(side)} rx={radius} /> };
    let outline = |class: &'static str| {
        html! { <rect {class} x="0.75" y="0.75" width={n(side - 1.5)} height={n(side - 1.5)} rx={radius} /> }
    };
    match state {
        PodState::Available => fill("full"),
        PodState::Ready => html! { <>{fill("full")}{ring("ring on-full", level, side)}</> },
        PodState::Starting => {
            let inside = side - 5.0;
            let height = inside * level;
            html! { <>
                {outline("line")}
                <rect class="level" x="2.5" y={n(2.5 + inside - height)} width={n(inside.max(0.0))} height={n(height.max(0.0))} />
            </> }
        }
        PodState::Pending => outline("line dashed"),
        PodState::Terminating => html! { <>
            {fill("faded")}
            <rect class="hatch" fill="url(#going)" width={n(side)} height={n(side)} rx={radius} />
            {ring("ring", 1.0 - level, side)}
        </> },
        PodState::Unknown => outline("line dotted"),
        PodState::Failed | PodState::Succeeded => {
            let (near, far) = (n(side * 0.25), n(side * 0.75));
            html! { <>
                {outline("line")}
                <line class="line" x1={near.clone()} y1={near.clone()} x2={far.clone()} y2={far.clone()} />
                if state == PodState::Failed { <line class="line" x1={near.clone()} y1={far.clone()} x2={far} y2={near} /> }
            </> }
        }
    }
}

/// A ring that is closed at 1 and gone at 0.
fn ring(class: &'static str, level: f64, side: f64) -> Html {
    if side < 10.0 || level <= 0.0 {
        return html! {};
    }
    let (middle, radius) = (n(side / 2.0), n(side / 2.0 - 3.5));
    let turned = format!("rotate(-90 {middle} {middle})");
    // As if the circle were 10 long: so much of it is drawn, then a gap.
    html! {
        <circle {class} cx={middle.clone()} cy={middle} r={radius} pathLength="10" transform={turned}
            stroke-dasharray={format!("{} 10", n(level * 10.0))} />
    }
}

/// Thousands of pods: how many are in which state, as one strip.
fn view_strip(row: &Row, width: f64, height: f64) -> Html {
    let scale = Scale { most: length(row.slots), width };
    let mut sum = 0_i32;
    let parts = STACK.map(|state| {
        let from = scale.px(f64::from(sum));
        sum = sum.saturating_add(count(&row.counts, state));
        let width = scale.px(f64::from(sum)) - from;
        html! { <rect key={state_name(state)} class={classes!("part", state_name(state), format!("r{}", row.hue))}
        x={n(from)} width={n(width)} height={n(height - 4.0)} /> }
    });
    html! { <>{for parts}</> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_shrink_as_pods_come_and_end_as_a_strip() {
        assert_eq!(Grid::of(10, 700.0), Grid { side: 26.0, columns: 26 });
        assert_eq!(Grid::of(10, 300.0).side, 26.0);
        let sides: Vec<f64> = [10, 80, 150, 300, 1000, 2000].iter().map(|slots| Grid::of(*slots, 700.0).side).collect();
        assert!(sides.windows(2).all(|pair| pair[1] <= pair[0]), "{sides:?}");
        assert_eq!(Grid::of(5000, 700.0).side, 0.0);
        assert!(Grid::of(2000, 300.0).side > 0.0);
    }

    #[test]
    fn slots_fill_line_after_line() {
        let grid = Grid { side: 20.0, columns: 3 };
        assert_eq!(grid.place(0), (0.0, 0.0));
        assert_eq!(grid.place(4), (20.0, 20.0));
        assert_eq!(grid.height(0), 20.0);
        assert_eq!(grid.height(3), 20.0);
        assert_eq!(grid.height(4), 40.0);
    }
}
