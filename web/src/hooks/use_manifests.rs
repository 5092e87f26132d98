use std::rc::Rc;

use changeover_wire::{Answer, Reading};
use yew::{hook, use_memo};

use super::{use_answer, use_settled};
use crate::manifests::{OwnManifests, lane_requests};
use crate::player_client::LaneRequest;
use crate::settings::{Comparison, Settings};

/// How long nothing must have changed before manifests are read, in milliseconds.
const QUIET: u32 = 120;

/// What has come of the user's manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestsState {
    /// What they hold; while they are read again, what they held before.
    pub reading: Option<Rc<Reading>>,
    /// The lanes to play; none if there is a problem.
    pub lanes: Option<Rc<Vec<LaneRequest>>>,
    /// Whether they are being read: until then, the reading is about what they were before.
    pub is_reading: bool,
    /// Why they can't be read by this browser.
    pub failure: Option<String>,
}

/// Reads manifests, and makes their lanes. None: there are none.
#[hook]
pub fn use_manifests(manifests: Option<&OwnManifests>, settings: &Settings, comparison: &Comparison) -> ManifestsState {
    let wanted = manifests.map(|manifests| (manifests.clone(), settings.clone(), comparison.clone()));
    let settled = use_settled(wanted.clone(), QUIET);
    let question = settled.as_ref().map(|(manifests, settings, comparison)| manifests.question(settings, comparison));
    let state = use_answer(question.filter(|_| wanted.is_some()));
    let inputs = (state.answer.clone(), settled.clone());
    let (reading, lanes) = (*use_memo(inputs, |(answered, settled)| {
        let (Some(answered), Some((_, settings, comparison))) = (answered, settled) else { return (None, None) };
        let Answer::Read(reading) = &*answered.answer else { return (None, None) };
        let lanes = lane_requests(reading, &answered.scenarios, comparison, settings);
        (Some(Rc::new((**reading).clone())), lanes.map(Rc::new))
    }))
    .clone();
    if wanted.is_none() {
        return ManifestsState::default();
    }
    ManifestsState { reading, lanes, is_reading: state.is_waiting || wanted != settled, failure: state.failure }
}
