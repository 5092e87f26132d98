//! What a timeline takes, for `limits.bytes`: counted by hand, so that it is the same on every machine, and never less
//! than what a 64-bit machine takes by much.

use alloc::rc::Rc;

use super::step::Step;
use crate::controller::Event;
use crate::object::{JobStatus, Object, StringMap, Strings};

/// A step with its decision, without what it wrote and recorded.
const STEP: u64 = 400;
/// One version of an object without its texts. What versions share (the spec, texts that stay) is not counted again.
const OBJECT: u64 = 700;
/// An entry of a map, or a text, besides its letters.
const ENTRY: u64 = 48;

/// What a step adds, without its events.
pub(crate) fn size_of_step(step: &Step) -> u64 {
    let after = step.change.as_ref().and_then(|change| Some((change.after.as_ref()?, change.before.as_ref())));
    after.map_or(STEP, |(after, before)| STEP.saturating_add(size_of_object(after, before)))
}

/// What an event adds.
pub(crate) fn size_of_event(event: &Event) -> u64 {
    text_size(&event.message)
}

/// What an object adds to the one before it, whose texts it may share.
pub(crate) fn size_of_object(object: &Object, before: Option<&Object>) -> u64 {
    let metadata = object.metadata();
    let before = before.map(Object::metadata);
    let maps = [
        (&metadata.labels, before.map(|before| &before.labels)),
        (&metadata.annotations, before.map(|before| &before.annotations)),
    ];
    let messages = match object {
        Object::Deployment(object) => {
            object.status.conditions.iter().map(|condition| text_size(&condition.message)).sum()
        }
        Object::ReplicaSet(object) => {
            object.status.conditions.iter().map(|condition| text_size(&condition.message)).sum()
        }
        Object::Job(object) => job_status_size(&object.status),
        Object::CronJob(_) | Object::Pod(_) => 0,
    };
    maps.into_iter()
        .map(|(map, before)| map_size(map, before))
        .fold(messages, u64::saturating_add)
        .saturating_add(OBJECT)
}

/// The texts of a Job's status, and its uncounted pods, whose uids it shares with them.
fn job_status_size(status: &JobStatus) -> u64 {
    let uncounted = status.uncounted_terminated_pods.iter().flat_map(|pods| pods.succeeded.iter().chain(&pods.failed));
    let texts =
        status.conditions.iter().map(|condition| &*condition.message).chain([status.completed_indexes.as_str()]);
    texts.map(text_size).chain(uncounted.map(|_| ENTRY)).fold(0, u64::saturating_add)
}

fn map_size(map: &StringMap, before: Option<&StringMap>) -> u64 {
    if before.is_some_and(|before| Rc::ptr_eq(before, map)) {
        return 0;
    }
    let map: &Strings = map;
    map.iter().map(|(key, value)| text_size(key).saturating_add(text_size(value))).sum()
}

fn text_size(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(ENTRY)
}
