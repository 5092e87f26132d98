//! When the objects of a cluster were read, as far as they say it themselves.

use serde_json::Value;

use super::node_object::taint_times;
use crate::object::Time;
use crate::object::unstructured::{at, field, string};

/// The fields of an Event with times.
const TIMES_OF_EVENTS: [&str; 3] = ["eventTime", "lastTimestamp", "series"];

/// The newest time that the objects of a cluster name: they were read then or later. Of a deletion, only the deadline is
/// named, which may be later still, and annotations name times of any kind.
pub fn newest_time(objects: &[Value]) -> Option<Time> {
    let of_metadata = |(key, value)| match key {
        "annotations" | "deletionTimestamp" | "labels" => None,
        _ => newest_time_in(value),
    };
    let metadata = objects.iter().filter_map(|object| at(object, &["metadata"])?.as_object());
    let metadata = metadata.flatten().filter_map(|(key, value)| of_metadata((key.as_str(), value)));
    let statuses = objects.iter().filter_map(|object| newest_time_in(at(object, &["status"])?));
    let events = objects.iter().filter(|object| string(object, "kind") == "Event");
    let events =
        events.flat_map(|event| TIMES_OF_EVENTS.iter().filter_map(|key| field(event, key)).filter_map(newest_time_in));
    metadata.chain(statuses).chain(events).chain(objects.iter().flat_map(taint_times)).max()
}

/// The newest time anywhere in a value.
fn newest_time_in(value: &Value) -> Option<Time> {
    match value {
        Value::String(text) => Time::parse(text),
        Value::Array(items) => items.iter().filter_map(newest_time_in).max(),
        Value::Object(fields) => fields.values().filter_map(newest_time_in).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
