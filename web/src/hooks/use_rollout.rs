use std::rc::Rc;

use yew::{Callback, UseReducerHandle, hook, use_callback, use_context, use_effect_with, use_reducer_eq};

use super::use_animation_frames;
use crate::player_client::{LaneRequest, PlayerClient, PlayerEvent, inspect_request};
use crate::rollout::{RolloutAction, RolloutState, StartPosition};

/// What is shown, and how to change it.
#[derive(Clone, PartialEq)]
pub struct Rollout {
    /// What is shown.
    pub state: UseReducerHandle<RolloutState>,
}

impl Rollout {
    /// Changes what is shown.
    pub fn dispatch(&self, action: RolloutAction) {
        self.state.dispatch(action);
    }

    /// A callback that changes what is shown.
    pub fn callback<T: 'static>(&self, action: impl Fn(T) -> RolloutAction + 'static) -> Callback<T> {
        let dispatcher = self.state.dispatcher();
        Callback::from(move |value| dispatcher.dispatch(action(value)))
    }
}

/// Plays lanes and shows them. None: nothing is asked for yet.
#[hook]
pub fn use_rollout(lanes: Option<Rc<Vec<LaneRequest>>>, start_position: StartPosition) -> Rollout {
    let client = use_context::<Rc<PlayerClient>>();
    let state = use_reducer_eq(move || RolloutState::new(start_position));
    let dispatcher = state.dispatcher();

    use_effect_with(client.clone(), {
        let dispatcher = dispatcher.clone();
        move |client| {
            let client = client.clone();
            if let Some(client) = &client {
                client.set_listener(Callback::from(move |event| dispatcher.dispatch(action_of(event))));
            }
            move || {
                if let Some(client) = client {
                    client.clear_listener();
                }
            }
        }
    });

    use_effect_with((lanes, state.requested_forks()), {
        let (client, dispatcher) = (client.clone(), dispatcher.clone());
        let shown = state.playback.as_ref().map_or(0, |playback| playback.generation);
        move |(lanes, forks)| {
            if let Some((lanes, client)) = lanes.as_ref().zip(client) {
                client.play((**lanes).clone(), forks, shown);
                dispatcher.dispatch(RolloutAction::Requested);
            }
        }
    });

    let inspection = state
        .playback
        .as_ref()
        .map(|playback| inspect_request(playback, state.playhead, state.level, state.explain, state.tables));
    use_effect_with(inspection, move |inspection| {
        if let Some((inspection, client)) = inspection.as_ref().zip(client) {
            client.inspect(inspection.clone());
        }
    });

    let on_frame = use_callback(dispatcher.clone(), |passed, dispatcher| {
        dispatcher.dispatch(RolloutAction::Tick(passed));
    });
    use_animation_frames(state.is_playing, on_frame);
    Rollout { state }
}

fn action_of(event: PlayerEvent) -> RolloutAction {
    match event {
        PlayerEvent::Played(playback) => RolloutAction::Played(playback),
        PlayerEvent::Refused(refusal) => RolloutAction::Refused(refusal),
        PlayerEvent::Inspected(inspection) => RolloutAction::Inspected(inspection),
        PlayerEvent::Failed(message) => RolloutAction::Failed(message),
    }
}
