//! One lane: ruler, pods, counts over time, and beside them why.

use changeover_core::object::Time;
use changeover_core::reason::Mark;
use yew::prelude::*;

use crate::app::Message;
use crate::chart::{self, AreasProps};
use crate::lanes::Lane;
use crate::picture::Row;
use crate::ruler::{self, GUTTER};
use crate::scale::Scale;
use crate::tiles::{Grid, Tiles};
use crate::why::{self, Why};

/// Beside a row's tiles its head, if there is that much room.
const HEAD: f64 = 228.0;
const WIDE: f64 = 600.0;

/// What all lanes share.
pub(crate) struct Sizes {
    /// Of the ruler, in pods.
    pub pods: Scale,
    /// Of the tiles.
    pub grid: Grid,
    /// Room for the tiles.
    pub tiles: f64,
    /// Whether the head of a row stands beside its tiles.
    pub wide: bool,
}

impl Sizes {
    /// The sizes for lanes of that width, with that many pods and that many slots in a row.
    pub(crate) fn of(width: f64, most: i32, slots: usize) -> Self {
        let wide = width >= WIDE;
        let tiles = if wide { width - HEAD } else { width };
        Self {
            pods: Scale { most: f64::from(most.max(1)), width: (width - GUTTER).max(1.0) },
            grid: Grid::of(slots, tiles),
            tiles,
            wide,
        }
    }
}

/// Draws a lane.
pub(crate) fn view(
    lane: &Lane,
    now: Time,
    sizes: &Sizes,
    areas: AreasProps,
    why: &Why<'_>,
    send: &Callback<Message>,
) -> Html {
    let picture = lane.picture(now);
    let rules = lane.rules;
    let lit = why.term.filter(|term| term.lane == why.lane).and_then(|term| term.mark);
    let about = why.step.and_then(|step| lane.row_about(step));
    let id = format!("lane-{}", why.lane);
    html! {
        <section key={rules.name} class="lane" aria-labelledby={id.clone()}>
            <div class="picture">
                <h2 {id}>
                    {rules.name}
                    <span class="differs">{rules.differs}</span>
                    if rules.policy.is_some() { <span class="proposed">{"proposed, in no release"}</span> }
                </h2>
                {ruler::view(&picture, sizes.pods, lit)}
                <div class={classes!("rows", sizes.wide.then_some("wide"))}>
                    {for picture.rows.iter().enumerate().map(|(index, row)| {
                        let lit = lit == Some(Mark::ReplicaSet) && about.as_ref() == Some(&row.name);
                        html! {
                            <div key={index} class={classes!("row", format!("r{}", row.hue), lit.then_some("lit"))}>
                                {view_head(row)}
                                <Tiles row={row.clone()} grid={sizes.grid} width={sizes.tiles} />
                            </div>
                        }
                    })}
                </div>
                {chart::view(areas, now, rules.name, lane.history.0.at(now), send)}
                if let Some(cut) = lane.cut() { <p class="cut">{cut.to_owned()}</p> }
            </div>
            {why::view(why, send)}
        </section>
    }
}

fn view_head(row: &Row) -> Html {
    if row.name.is_empty() {
        return html! { <p class="head none" /> };
    }
    html! {
        <p class="head">
            <span class="who"><code>{&*row.name}</code>{" · revision "}{&*row.revision}</span>
            <span class="dot">{" · "}</span>
            <span class="numbers">
                {format!("wants {} · has {}", row.wants, row.has())}
                if row.counts.terminating > 0 { {format!(" · {} terminating", row.counts.terminating)} }
            </span>
        </p>
    }
}
