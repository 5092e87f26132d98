use std::rc::Rc;

use changeover_wire::Answer;
use yew::{hook, use_memo};

use super::{use_answer, use_settled};
use crate::manifests::{ManifestsState, lane_requests};
use crate::sandbox_inputs::SandboxInputs;

/// How long nothing must have changed before manifests are read, in milliseconds.
const QUIET: u32 = 120;

/// Reads the user's own manifests, if there are any, and makes their lanes.
#[hook]
pub fn use_manifests(inputs: &SandboxInputs) -> ManifestsState {
    let wanted = inputs.manifests().map(|_| inputs.asking());
    let settled = use_settled(wanted.clone(), QUIET);
    let question = use_memo(settled.clone(), |settled| settled.as_ref().and_then(SandboxInputs::question));
    let state = use_answer((*question).clone().filter(|_| wanted.is_some()));
    let inputs = (state.answer.clone(), settled.clone());
    let (reading, lanes) = (*use_memo(inputs, |(answered, settled)| {
        let (Some(answered), Some(settled)) = (answered, settled) else { return (None, None) };
        let Answer::Read(reading) = &*answered.answer else { return (None, None) };
        let SandboxInputs { settings, job, comparison, .. } = settled;
        let lanes = lane_requests(reading, &answered.scenarios, comparison, settings, job);
        (Some(Rc::new((**reading).clone())), lanes.map(Rc::new))
    }))
    .clone();
    if wanted.is_none() {
        return ManifestsState::default();
    }
    ManifestsState { reading, lanes, is_reading: state.is_waiting || wanted != settled, failure: state.failure }
}
