//! Brings a sync's writes and events into a canonical order for the comparison: upstream sends some writes
//! concurrently, and aggregates events.

use serde_json::{Map, Value, json};

use crate::compare::without_absent;

/// Orders `writes` and `events`, if there are any.
pub fn order(outcome: &mut Map<String, Value>) {
    if let Some(Value::Array(writes)) = outcome.get_mut("writes") {
        *writes = order_writes(writes);
    }
    if let Some(Value::Array(events)) = outcome.get_mut("events") {
        order_events(events);
    }
}

/// How adjacent writes are grouped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// Creations of pods: a multiset, with equal ones folded.
    Creations,
    /// Patches of pods, then their deletions, each by name.
    PatchesAndDeletions,
    /// In the order in which they were sent.
    Alone,
}

fn group(write: &Value) -> Group {
    let field = |name| write.get(name).and_then(Value::as_str);
    match (field("resource"), field("verb")) {
        (Some("pods"), Some("create")) => Group::Creations,
        (Some("pods"), Some("patch" | "delete")) => Group::PatchesAndDeletions,
        _ => Group::Alone,
    }
}

fn order_writes(writes: &[Value]) -> Vec<Value> {
    let runs = writes.chunk_by(|first, second| group(first) == group(second));
    runs.flat_map(|run| match run.first().map_or(Group::Alone, group) {
        Group::Creations => fold_creations(run),
        Group::PatchesAndDeletions => {
            let mut run = run.to_vec();
            run.sort_by_key(|write| (text(write, "verb") != "patch", text(write, "name")));
            run
        }
        Group::Alone => run.to_vec(),
    })
    .collect()
}

fn fold_creations(run: &[Value]) -> Vec<Value> {
    let mut folded: Vec<(String, Value, u64)> = Vec::new();
    for write in run {
        let count = write.get("count").and_then(Value::as_u64).unwrap_or(1);
        let object = without_absent(write.get("object").unwrap_or(&Value::Null));
        let text = object.to_string();
        match folded.iter_mut().find(|(known, ..)| *known == text) {
            Some((.., sum)) => *sum = sum.saturating_add(count),
            None => folded.push((text, object, count)),
        }
    }
    folded.sort_by(|(first, ..), (second, ..)| first.cmp(second));
    let write = |(_, object, count)| json!({"verb": "create", "resource": "pods", "count": count, "object": object});
    folded.into_iter().map(write).collect()
}

fn text(write: &Value, name: &str) -> String {
    write.get(name).and_then(Value::as_str).unwrap_or_default().into()
}

/// Sorts adjacent events about creations and deletions of pods, which are sent concurrently: successful calls come
/// first.
fn order_events(events: &mut [Value]) {
    let reason = |event: &Value| event.as_str().and_then(|text| text.split(' ').nth(1)).unwrap_or_default().to_owned();
    let went_through = |event: &Value| matches!(&*reason(event), "SuccessfulCreate" | "SuccessfulDelete");
    let failed = |event: &Value| matches!(&*reason(event), "FailedCreate" | "FailedDelete");
    let of_pod = |event: &Value| went_through(event) || failed(event);
    for run in events.chunk_by_mut(|first, second| of_pod(first) && of_pod(second)) {
        run.sort_by_key(|event| failed(event));
    }
    let at_once = |event: &Value| went_through(event) || reason(event) == "FailedDaemonPod";
    for run in events.chunk_by_mut(|first, second| at_once(first) == at_once(second)) {
        if run.first().is_some_and(at_once) {
            run.sort_by_key(|event| event.as_str().map(String::from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(mut outcome: Value) -> Value {
        order(outcome.as_object_mut().unwrap());
        outcome
    }

    #[test]
    fn creations_of_pods_are_a_multiset() {
        let pod = |name: &str| {
            let object = json!({"metadata": {"generateName": name}, "status": {}});
            json!({"verb": "create", "resource": "pods", "object": object})
        };
        let folded = |name: &str, count: u64| {
            let object = json!({"metadata": {"generateName": name}});
            json!({"verb": "create", "resource": "pods", "count": count, "object": object})
        };
        let update = json!({"verb": "update", "resource": "replicasets", "name": "web", "change": {}});
        let got = ordered(json!({"writes": [pod("b-"), pod("a-"), pod("b-"), update, pod("b-")]}));
        assert_eq!(got, json!({"writes": [folded("a-", 1), folded("b-", 2), update, folded("b-", 1)]}));
    }

    #[test]
    fn patches_of_pods_come_before_deletions() {
        let delete = |name: &str| json!({"verb": "delete", "resource": "pods", "name": name});
        let patch = |name: &str| json!({"verb": "patch", "resource": "pods", "name": name, "change": {}});
        let got = ordered(json!({"writes": [delete("b"), patch("z"), delete("a"), patch("c")]}));
        assert_eq!(got, json!({"writes": [patch("c"), patch("z"), delete("a"), delete("b")]}));
    }

    #[test]
    fn other_writes_keep_their_order() {
        let writes = json!({"writes": [
            {"verb": "update", "resource": "replicasets", "name": "b", "change": {}},
            {"verb": "update", "resource": "replicasets", "name": "a", "change": {}},
            {"verb": "delete", "resource": "replicasets", "name": "c"},
        ]});
        assert_eq!(ordered(writes.clone()), writes);
    }

    #[test]
    fn adjacent_events_of_pods_are_sorted() {
        let got = ordered(json!({"events": [
            "Normal SuccessfulDelete Deleted pod: b",
            "Normal SuccessfulDelete Deleted pod: a",
            "Warning SelectingAll b",
            "Normal ScalingReplicaSet a",
            "Normal SuccessfulCreate Created pod: b-",
        ]}));
        assert_eq!(
            got,
            json!({"events": [
                "Normal SuccessfulDelete Deleted pod: a",
                "Normal SuccessfulDelete Deleted pod: b",
                "Warning SelectingAll b",
                "Normal ScalingReplicaSet a",
                "Normal SuccessfulCreate Created pod: b-",
            ]})
        );
    }
}
