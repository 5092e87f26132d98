//! How many pods a PodDisruptionBudget needs, and how many are healthy.

use changeover_core::object::Kind;
use changeover_core::timeline::Step;
use serde_json::Value;

use crate::world::World;
use crate::{Numbers, count};

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    match step.reason().rule.id {
        "eviction.refused" => refused(world, step),
        _ => Numbers::new(),
    }
}

fn refused(world: &World<'_>, step: &Step) -> Numbers {
    let namespace = &*step.about.namespace;
    let pod = world.object(&step.about);
    let mut of_pod = world.constraints("PodDisruptionBudget", namespace).filter(|budget| selects(budget, &pod));
    let budget = of_pod.next().unwrap();
    let pods: Vec<Value> = world.objects(Kind::Pod, namespace).filter(|pod| selects(budget, pod)).collect();
    let healthy = pods.iter().filter(|pod| is_healthy(pod)).count();
    let spec = &budget["spec"];
    let scale = || scale(world, &pods);
    let needed = match (&spec["maxUnavailable"], &spec["minAvailable"]) {
        (Value::Null, Value::Number(least)) => least.as_i64().unwrap(),
        (Value::Null, least) => percent(least, scale()),
        (Value::Number(most), _) => (scale() - most.as_i64().unwrap()).max(0),
        (most, _) => (scale() - percent(most, scale())).max(0),
    };
    Numbers::from([("needed", count(needed)), ("healthy", count(healthy))])
}

fn is_healthy(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    let ready = conditions.filter(|it| it["type"] == "Ready").any(|it| it["status"] == "True");
    ready && pod["metadata"]["deletionTimestamp"].is_null()
}

/// How many pods the controllers of these pods want in total: each Deployment counts once, and so does each ReplicaSet
/// without one.
fn scale(world: &World<'_>, pods: &[Value]) -> i64 {
    let mut controllers: Vec<Value> = Vec::new();
    for pod in pods {
        let replica_set = world.owner(pod);
        let controller = match world.owner(&replica_set) {
            Value::Null => replica_set,
            deployment => deployment,
        };
        if !controller.is_null() && !controllers.contains(&controller) {
            controllers.push(controller);
        }
    }
    controllers.iter().map(|controller| controller["spec"]["replicas"].as_i64().unwrap()).sum()
}

/// The percentage of a number, rounded up.
fn percent(text: &Value, of: i64) -> i64 {
    let percent: i64 = text.as_str().unwrap().strip_suffix('%').unwrap().parse().unwrap();
    (percent * of + 99) / 100
}

fn selects(budget: &Value, pod: &Value) -> bool {
    let selector = &budget["spec"]["selector"];
    let labels = &pod["metadata"]["labels"];
    let of_map = |(key, value): (&String, &Value)| labels[key] == *value;
    let of_expression = |expression: &Value| {
        let label = &labels[expression["key"].as_str().unwrap()];
        let is_one = expression["values"].as_array().is_some_and(|values| values.contains(label));
        match expression["operator"].as_str().unwrap() {
            "In" => is_one,
            "NotIn" => !is_one,
            "Exists" => label.is_string(),
            _ => label.is_null(),
        }
    };
    selector.is_object()
        && selector["matchLabels"].as_object().into_iter().flatten().all(of_map)
        && selector["matchExpressions"].as_array().into_iter().flatten().all(of_expression)
}
