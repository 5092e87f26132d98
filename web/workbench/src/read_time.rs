//! When the state of a running cluster was read.

use changeover_core::object::Time;
use serde_json::Value;

/// The fields with the time of something that has happened. An event of the future, as a deletionTimestamp, is none of them.
const PAST: [&str; 10] = [
    "creationTimestamp",
    "finishedAt",
    "lastHeartbeatTime",
    "lastProbeTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "lastScheduleTime",
    "startTime",
    "startedAt",
    "time",
];

/// The youngest time that objects name: kubectl does not say when it read them.
pub(crate) fn read_time<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Option<Time> {
    objects.into_iter().filter_map(youngest).max()
}

fn youngest(value: &Value) -> Option<Time> {
    match value {
        Value::Object(fields) => {
            let times = fields.iter().filter_map(|(name, field)| match field {
                Value::String(text) if PAST.contains(&name.as_str()) => Time::parse(text),
                _ => youngest(field),
            });
            times.chain(deleted(value)).max()
        }
        Value::Array(items) => items.iter().filter_map(youngest).max(),
        _ => None,
    }
}

/// When the deletion of an object was requested.
fn deleted(metadata: &Value) -> Option<Time> {
    let until = Time::parse(metadata.get("deletionTimestamp")?.as_str()?)?;
    let grace = metadata.get("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
    Some(until.plus_seconds(grace.saturating_neg()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_youngest_time_of_the_past_counts() {
        let pod = json!({
            "metadata": {
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "deletionTimestamp": "2026-01-01T00:10:00Z", "deletionGracePeriodSeconds": 30,
            },
            "status": { "conditions": [{ "lastTransitionTime": "2026-01-01T00:05:00Z" }] },
        });
        assert_eq!(read_time([&pod]).map(|time| time.to_string()).as_deref(), Some("2026-01-01T00:09:30Z"));
        assert_eq!(read_time([&json!({ "kind": "Deployment" })]), None);
    }
}
