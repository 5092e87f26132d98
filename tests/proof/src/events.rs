//! The events that were recorded, beside those that the core's syncs record.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recording::Recording;
use crate::replay::Said;

/// Upstream: `k8s.io/client-go/tools/record/events_cache.go defaultSpamBurst`
const SPAM_BURST: usize = 25;
/// Upstream: `k8s.io/client-go/tools/record/events_cache.go EventAggregatorByReasonMessageFunc`
const COMBINED: &str = "(combined from similar events): ";

/// How the events of a controller compare.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// How many were recorded and are explained.
    pub explained: usize,
    /// Those that no sync of the core records.
    pub unexplained: Vec<Said>,
    /// Those of the core that were not recorded, although fewer than a client drops were sent.
    pub missing: Vec<Said>,
}

/// Compares the events of a controller with those of the syncs that explain its writes. Their order is not compared: they
/// are sent by a goroutine of their own.
pub fn compare(recording: &Recording, component: &str, core: Vec<Said>) -> Events {
    let mut expected: BTreeMap<Said, usize> = BTreeMap::new();
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for said in core {
        bump(&mut sent, said.about.clone());
        bump(&mut expected, said);
    }
    let mut events = Events::default();
    for said in recorded(recording, component) {
        match expected.get_mut(&said).filter(|count| **count > 0) {
            Some(count) => {
                *count = count.saturating_sub(1);
                events.explained = events.explained.saturating_add(1);
            }
            None => events.unexplained.push(said),
        }
    }
    let few = |said: &Said| sent.get(&said.about).is_some_and(|count| *count <= SPAM_BURST);
    events.missing =
        expected.into_iter().filter(|(said, count)| *count > 0 && few(said)).map(|(said, _)| said).collect();
    events
}

fn bump<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

/// What a controller said: equal events are versions of one object, with a count, and so are similar ones.
fn recorded(recording: &Recording, component: &str) -> Vec<Said> {
    let events = recording.stored.iter().filter(|(key, _)| key.starts_with("Event/"));
    let versions = events.flat_map(|(_, versions)| versions.iter().filter_map(|stored| stored.value.as_ref()));
    versions.filter_map(|event| said(event, component)).collect()
}

fn said(event: &Value, component: &str) -> Option<Said> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    if text("/source/component") != component {
        return None;
    }
    let message = text("/message");
    Some(Said {
        about: format!("{}/{}", text("/involvedObject/kind"), text("/involvedObject/name")),
        type_: text("/type"),
        reason: text("/reason"),
        message: message.strip_prefix(COMBINED).unwrap_or(&message).to_owned(),
    })
}
