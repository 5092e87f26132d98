//! The requests and limits that LimitRanges give the containers of new pods.

use serde_json::{Map, Value};

/// Fills in what the containers of a new pod lack.
pub fn fill_in<'a>(pod: &mut Value, limit_ranges: impl Iterator<Item = &'a Value>) {
    let limits = limit_ranges.filter_map(|limit_range| limit_range["spec"]["limits"].as_array());
    // The last item of a LimitRange comes first.
    let items: Vec<&Value> = limits.flat_map(|items| items.iter().rev()).collect();
    for key in ["containers", "initContainers"] {
        for container in pod["spec"][key].as_array_mut().into_iter().flatten() {
            let list = |key: &str| container["resources"][key].as_object().cloned().unwrap_or_default();
            let (mut requests, mut limits) = (list("requests"), list("limits"));
            // The API server defaults the requests of containers before it asks LimitRanges.
            add(&mut requests, &Value::Object(limits.clone()));
            for item in items.iter().filter(|item| item["type"] == "Container") {
                let mut default = Map::new();
                ["default", "max"].iter().for_each(|key| add(&mut default, &item[key]));
                add(&mut requests, &item["defaultRequest"]);
                add(&mut requests, &Value::Object(default.clone()));
                add(&mut requests, &item["min"]);
                add(&mut limits, &Value::Object(default));
            }
            container["resources"] = serde_json::json!({ "requests": requests, "limits": limits });
        }
    }
}

/// Adds what the list lacks.
fn add(list: &mut Map<String, Value>, amounts: &Value) {
    for (resource, amount) in amounts.as_object().into_iter().flatten() {
        list.entry(resource).or_insert_with(|| amount.clone());
    }
}
