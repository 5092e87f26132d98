//! What the shapes of pods mean.

use changeover_core::timeline::PodState;
use yew::prelude::*;

use crate::tiles::shape;
use crate::words::state_name;

const STATES: [(PodState, f64); 7] = [
    (PodState::Available, 0.0),
    (PodState::Ready, 0.7),
    (PodState::Starting, 0.5),
    (PodState::Pending, 0.0),
    (PodState::Terminating, 0.3),
    (PodState::Unknown, 0.0),
    (PodState::Failed, 0.0),
];

/// Draws the legend.
pub(crate) fn view(class: &'static str) -> Html {
    html! {
        <ul {class} aria-label="What the shapes mean">
            {for STATES.iter().map(|(state, level)| html! {
                <li class={classes!("r1", state_name(*state))}>
                    <svg class={classes!("tile", state_name(*state))} width="18" height="18" aria-hidden="true">{shape(*state, *level, 18.0)}</svg>
                    {state_name(*state)}
                </li>
            })}
        </ul>
    }
}
