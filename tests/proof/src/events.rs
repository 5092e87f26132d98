//! Compares the recorded events with those of the core's syncs.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recording::Recording;
use crate::replay::RecordedEvent;

/// Upstream: `k8s.io/client-go/tools/record/events_cache.go defaultSpamBurst`
const SPAM_BURST: usize = 25;
/// Upstream: `k8s.io/client-go/tools/record/events_cache.go EventAggregatorByReasonMessageFunc`
const COMBINED: &str = "(combined from similar events): ";

/// The comparison of a controller's events.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// How many recorded events are explained.
    pub explained: usize,
    /// The recorded events that no sync of the core records.
    pub unexplained: Vec<RecordedEvent>,
    /// The core's events that were not recorded, although too few were sent for the client to drop any.
    pub missing: Vec<RecordedEvent>,
}

/// Compares the events of a controller with those of the syncs that explain its writes. Their order is not compared: a
/// separate goroutine sends them.
pub fn compare(recording: &Recording, component: &str, core: Vec<RecordedEvent>) -> Events {
    let mut expected: BTreeMap<RecordedEvent, usize> = BTreeMap::new();
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for event in core {
        bump(&mut sent, event.about.clone());
        bump(&mut expected, event);
    }
    let mut events = Events::default();
    for event in recorded(recording, component) {
        match expected.get_mut(&event).filter(|count| **count > 0) {
            Some(count) => {
                *count = count.saturating_sub(1);
                events.explained = events.explained.saturating_add(1);
            }
            None => events.unexplained.push(event),
        }
    }
    let few = |event: &RecordedEvent| sent.get(&event.about).is_some_and(|count| *count <= SPAM_BURST);
    events.missing =
        expected.into_iter().filter(|(event, count)| *count > 0 && few(event)).map(|(event, _)| event).collect();
    events
}

fn bump<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

/// The events of a controller. Equal events are versions of one object with a count, and so are similar ones.
fn recorded(recording: &Recording, component: &str) -> Vec<RecordedEvent> {
    let events = recording.stored.iter().filter(|(key, _)| key.starts_with("Event/"));
    let versions = events.flat_map(|(_, versions)| versions.iter().filter_map(|stored| stored.value.as_ref()));
    versions.filter_map(|event| recorded_event(event, component)).collect()
}

fn recorded_event(event: &Value, component: &str) -> Option<RecordedEvent> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("/source/component") != component {
        return None;
    }
    let message = text("/message");
    Some(RecordedEvent {
        about: format!("{}/{}", text("/involvedObject/kind"), text("/involvedObject/name")),
        type_: text("/type"),
        reason: text("/reason"),
        message: message.strip_prefix(COMBINED).unwrap_or(&message).to_owned(),
    })
}
