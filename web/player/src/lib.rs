//! The player, a WebAssembly module that runs in a worker: it simulates scenarios, keeps their timelines and answers the
//! page's requests.

mod explanation;
mod fork;
mod inspection;
mod play;
mod rollout_totals;
mod track_recorder;

use changeover_wire::{InspectRequest, Inspection, LaneSource, PlayRequest, Request, Response};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

pub use crate::fork::with_forks;
use crate::play::Lane;
pub use crate::play::{Surroundings, scenario, totals};

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// The player as JavaScript sees it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Player {
    lanes: Vec<Lane>,
    /// The track of the lane that was played last.
    track: Vec<i32>,
}

#[wasm_bindgen]
impl Player {
    /// A player without timelines.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a request of the page; request and response are JSON, and so is the scenario that comes with a request to play
    /// an attached one.
    ///
    /// # Errors
    /// If the request is not one of `changeover_wire`'s.
    pub fn answer(&mut self, request: &str, attached: Option<String>) -> Result<String, JsError> {
        let mut request = serde_json::from_str(request)?;
        if let (Request::Play(PlayRequest { source: source @ LaneSource::Attached, .. }), Some(scenario)) =
            (&mut request, attached)
        {
            *source = LaneSource::Scenario(serde_json::from_str(&scenario)?);
        }
        Ok(serde_json::to_string(&self.respond(request))?)
    }

    /// The playback track of the lane that was played last. A second call returns an empty one.
    #[wasm_bindgen(js_name = takeTrack)]
    pub fn take_track(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.track)
    }
}

impl Player {
    /// Responds to a request.
    pub fn respond(&mut self, request: Request) -> Response {
        match request {
            Request::Play(request) => {
                // Only two generations are kept: the one on the page and the new one.
                self.lanes.retain(|lane| [request.shown, request.generation].contains(&lane.generation));
                match play::play(&request) {
                    Ok((lane, track, played)) => {
                        self.lanes.push(lane);
                        self.track = track;
                        Response::Played(Box::new(played))
                    }
                    Err(refusal) => Response::Refused(refusal),
                }
            }
            Request::Inspect(request) => Response::Inspected(self.inspect(&request)),
        }
    }

    fn inspect(&mut self, request: &InspectRequest) -> Inspection {
        // Two lanes side by side have the same clock.
        let shown = self.lanes.iter().filter(|lane| lane.generation == request.generation);
        let format = shown.map(|lane| lane.clock.format).max().unwrap_or_default();
        let mut lanes = Vec::new();
        for (number, frame) in request.frames.iter().enumerate() {
            let mut known = self.lanes.iter_mut();
            let lane = known.find(|lane| (lane.generation, lane.number) == (request.generation, number));
            lanes.push(lane.map(|lane| inspection::inspect(lane, *frame, request, format)).unwrap_or_default());
        }
        Inspection { generation: request.generation, lanes }
    }
}
