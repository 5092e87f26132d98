//! What a timeline takes, for `limits.bytes`: counted by hand, so that it is the same on every machine, and never less
//! than what a 64-bit machine takes by much.

use alloc::rc::Rc;

use super::step::Step;
use crate::controller::Event;
use crate::object::{Object, StringMap, Strings};

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
    let mut texts: u64 = 0;
    object.resource().texts(&mut |text| texts = texts.saturating_add(text_size(text)));
    maps.into_iter().map(|(map, before)| map_size(map, before)).fold(texts, u64::saturating_add).saturating_add(OBJECT)
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
