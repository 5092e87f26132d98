//! The other Deployments of the cluster: one for each number of pods that is typed.

use changeover_core::scenario::Duration;
use changeover_wire::{MAX_OTHER_DEPLOYMENTS, OtherDeployment};
use serde_json::{Value, json};

use super::amount::problem_of_amount;
use super::{Field, Settings, text_of, typed_duration, typed_value};

/// The most other Deployments of manifests whose values a control shows.
const MAX_SHOWN: usize = 5;

/// The name of another Deployment, or of the first ones with a number.
const OTHER: &str = "other";

/// The other Deployments, as they are typed.
pub(super) struct Others<'a> {
    settings: &'a Settings,
    /// The numbers of their pods.
    pods: Vec<&'a str>,
}

impl<'a> Others<'a> {
    pub(super) fn of(settings: &'a Settings) -> Self {
        Self { settings, pods: items(settings.text(Field::OtherPods)) }
    }

    /// Their manifests. They have the probes of the Deployment that is rolled out.
    pub(super) fn deployments(&self) -> Vec<Value> {
        self.pods.iter().enumerate().map(|(index, pods)| self.deployment(index, pods)).collect()
    }

    fn deployment(&self, index: usize, pods: &str) -> Value {
        let name = self.name(index);
        let mut container = self.settings.container(&name, "example/other:v1");
        let requests = container.pointer("/resources/requests").and_then(Value::as_object).cloned();
        let mut requests = requests.unwrap_or_default();
        for (resource, field) in [("cpu", Field::OtherCpu), ("memory", Field::OtherMemory)] {
            let amounts = items(self.settings.text(field));
            let amount = if amounts.len() == 1 { amounts.first() } else { amounts.get(index) };
            requests.extend(amount.map(|amount| (String::from(resource), typed_value(amount))));
        }
        if let Some(container) = container.as_object_mut().filter(|_| !requests.is_empty()) {
            container.insert(String::from("resources"), json!({ "requests": requests }));
        }
        let labels = json!({ "app": name });
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name, "namespace": "default" },
            "spec": {
                "replicas": typed_value(pods),
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
            },
        })
    }

    /// The numbers of their pods; none as long as one of them is wrong.
    pub(super) fn replicas(&self) -> Vec<i32> {
        let numbers: Result<Vec<i32>, _> = self.pods.iter().map(|pods| pods.parse()).collect();
        numbers.ok().filter(|_| self.problem_of_pods().is_none()).unwrap_or_default()
    }

    fn name(&self, index: usize) -> String {
        if self.pods.len() == 1 { String::from(OTHER) } else { format!("{OTHER}-{}", index.saturating_add(1)) }
    }

    /// Their rollouts, as actions of a scenario.
    pub(super) fn rollouts(&self) -> Vec<Value> {
        let at = self.settings.text(Field::OtherRollout).trim();
        if at.is_empty() {
            return Vec::new();
        }
        let template = json!({ "spec": { "containers": [{ "image": "example/other:v2" }] } });
        let rollout = |index: usize| json!({ "at": typed_duration(at), "setTemplate": { "name": self.name(index), "template": template } });
        (0..self.pods.len()).map(rollout).collect()
    }

    /// What is wrong with a field of theirs.
    pub(super) fn problem(&self, field: Field) -> Option<String> {
        match field {
            Field::OtherPods => self.problem_of_pods(),
            Field::OtherCpu | Field::OtherMemory => self.problem_of_amounts(field),
            Field::OtherRollout => {
                let text = self.settings.text(field).trim();
                let is_wrong = !text.is_empty() && Duration::parse(&typed_duration(text)).is_none();
                is_wrong.then(|| format!("Invalid value: {}: must be a time like 90s or 2m", Value::from(text)))
            }
            _ => None,
        }
    }

    fn problem_of_pods(&self) -> Option<String> {
        if self.pods.len() > MAX_OTHER_DEPLOYMENTS {
            let count = self.pods.len();
            return Some(format!("Too many: {count}: must have at most {MAX_OTHER_DEPLOYMENTS} Deployments"));
        }
        let is_number = |text: &str| text.parse::<i32>().is_ok_and(|pods| pods >= 0);
        let wrong = self.pods.iter().find(|text| !is_number(text))?;
        let right = "must be the pods of each Deployment, for example 5, or 5, 3 for two of them";
        Some(format!("Invalid value: {}: {right}", Value::from(*wrong)))
    }

    fn problem_of_amounts(&self, field: Field) -> Option<String> {
        let amounts = items(self.settings.text(field));
        let (count, others) = (amounts.len(), self.pods.len());
        if count > 1 && count != others {
            return Some(format!(
                "Invalid value: {count} amounts: must be one amount, or one for each of the {others} Deployments"
            ));
        }
        amounts.into_iter().find_map(|amount| problem_of_amount(field, amount))
    }
}

/// The items of a list that is typed with commas. The last comma may come before the next item.
fn items(text: &str) -> Vec<&str> {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text);
    if text.is_empty() { Vec::new() } else { text.split(',').map(str::trim).collect() }
}

/// What the other Deployments of manifests say of a setting: one value for each, in the order of the text.
pub(super) fn others_in_manifests(field: Field, others: &[OtherDeployment]) -> Option<String> {
    let value = |other: &OtherDeployment| match field {
        Field::OtherPods if other.replicas.is_null() => String::from("1"),
        Field::OtherPods => text_of(&other.replicas),
        Field::OtherCpu if !other.cpu.is_null() => text_of(&other.cpu),
        Field::OtherMemory if !other.memory.is_null() => text_of(&other.memory),
        _ => String::from("none"),
    };
    if !matches!(field, Field::OtherPods | Field::OtherCpu | Field::OtherMemory) {
        return None;
    }
    let mut values: Vec<String> = others.iter().take(MAX_SHOWN).map(value).collect();
    if values.iter().all(|value| value == "none") {
        values.clear();
    }
    if !values.is_empty() && others.len() > MAX_SHOWN {
        values.push(String::from("…"));
    }
    Some(values.join(", "))
}

/// The pods of the other Deployments of manifests, if a control can write them there.
pub(super) fn pods_of_others(others: &[OtherDeployment]) -> Option<Vec<i32>> {
    let pods = |other: &OtherDeployment| match &other.replicas {
        Value::Null => Some(1),
        replicas => replicas.as_i64().and_then(|replicas| i32::try_from(replicas).ok()),
    };
    let pods = others.iter().map(pods).collect::<Option<Vec<i32>>>();
    pods.filter(|pods| (1..=MAX_OTHER_DEPLOYMENTS).contains(&pods.len()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::typed;
    use super::*;

    #[test]
    fn each_number_of_pods_is_a_deployment() {
        let settings = typed(&[
            (Field::PodCpu, "1"),
            (Field::OtherPods, "5, 3"),
            (Field::OtherCpu, "500m, 2"),
            (Field::OtherMemory, "1Gi"),
        ]);
        let deployments = Others::of(&settings).deployments();
        let said = |path: &str| deployments.iter().map(|it| it.pointer(path).cloned()).collect::<Vec<_>>();
        assert_eq!(said("/metadata/name"), [Some(json!("other-1")), Some(json!("other-2"))]);
        assert_eq!(said("/spec/replicas"), [Some(json!(5)), Some(json!(3))]);
        let requests = "/spec/template/spec/containers/0/resources/requests";
        assert_eq!(
            said(requests),
            [Some(json!({ "cpu": "500m", "memory": "1Gi" })), Some(json!({ "cpu": 2, "memory": "1Gi" }))]
        );
        // Without amounts of their own, they are like the other pods.
        let settings = typed(&[(Field::PodCpu, "1"), (Field::OtherPods, "5")]);
        let deployments = Others::of(&settings).deployments();
        assert_eq!(deployments[0].pointer(requests), Some(&json!({ "cpu": 1 })));
        assert_eq!(deployments[0]["metadata"]["name"], "other");
        assert_eq!(Others::of(&Settings::default()).deployments(), Vec::<Value>::new());
    }

    #[test]
    fn they_roll_out_if_a_time_is_typed() {
        assert_eq!(Others::of(&typed(&[(Field::OtherPods, "5, 3")])).rollouts(), Vec::<Value>::new());
        let settings = typed(&[(Field::OtherPods, "5, 3"), (Field::OtherRollout, "0")]);
        let rollouts = Others::of(&settings).rollouts();
        let names: Vec<&Value> = rollouts.iter().map(|rollout| &rollout["setTemplate"]["name"]).collect();
        assert_eq!(names, ["other-1", "other-2"]);
        assert_eq!(rollouts[0]["at"], "0s");
    }

    #[test]
    fn a_wrong_list_says_what_would_be_right() {
        for (field, text, expected) in [
            (Field::OtherPods, "", None),
            (Field::OtherPods, "5,", None),
            (Field::OtherPods, "5, 0", None),
            (
                Field::OtherPods,
                "5, x",
                Some(
                    "Invalid value: \"x\": must be the pods of each Deployment, for example 5, or 5, 3 for two of them",
                ),
            ),
            (Field::OtherCpu, "1", None),
            (Field::OtherCpu, "1, 500m", None),
            (
                Field::OtherCpu,
                "1, 1, 1",
                Some("Invalid value: 3 amounts: must be one amount, or one for each of the 2 Deployments"),
            ),
            (Field::OtherMemory, "1, x", Some("Invalid value: \"x\": must be an amount like 256Mi or 2Gi")),
            (Field::OtherRollout, "90s", None),
            (Field::OtherRollout, "soon", Some("Invalid value: \"soon\": must be a time like 90s or 2m")),
        ] {
            let settings = typed(&[(Field::OtherPods, "5, 3"), (field, text)]);
            assert_eq!(settings.own_problem(field).as_deref(), expected, "{text}");
        }
        let many = typed(&[(Field::OtherPods, &["1"; 21].join(","))]);
        let problem = "Too many: 21: must have at most 20 Deployments";
        assert_eq!(many.own_problem(Field::OtherPods).as_deref(), Some(problem));
    }

    #[test]
    fn the_control_follows_manifests_unless_it_says_the_same() {
        let other = |replicas: Value| {
            let (namespace, name) = (String::from("default"), String::from("api"));
            OtherDeployment { namespace, name, replicas, cpu: Value::Null, memory: Value::Null }
        };
        let followed = |text: &str, replicas: &[Value]| {
            let others: Vec<OtherDeployment> = replicas.iter().cloned().map(other).collect();
            typed(&[(Field::OtherPods, text)]).with_others(&others).text(Field::OtherPods).to_owned()
        };
        assert_eq!(followed("", &[json!(3), Value::Null]), "3, 1");
        assert_eq!(followed("3,1", &[json!(3), Value::Null]), "3,1");
        // If no control can change the manifests, what was typed stays.
        assert_eq!(followed("5", &[]), "5");
        assert_eq!(followed("5", &[json!("many")]), "5");
        assert_eq!(followed("5", &vec![json!(1); 21]), "5");
        assert_eq!(Others::of(&typed(&[(Field::OtherPods, "5, 3")])).replicas(), [5, 3]);
        assert_eq!(Others::of(&typed(&[(Field::OtherPods, "5, x")])).replicas(), Vec::<i32>::new());
    }

    #[test]
    fn those_of_manifests_are_shown() {
        let other = |replicas: Value, cpu: Value| {
            let (namespace, name) = (String::from("default"), String::from("api"));
            OtherDeployment { namespace, name, replicas, cpu, memory: Value::Null }
        };
        let others = [other(json!(3), json!("500m")), other(Value::Null, Value::Null)];
        for (field, expected) in [
            (Field::OtherPods, Some("3, 1")),
            (Field::OtherCpu, Some("500m, none")),
            (Field::OtherMemory, Some("")),
            (Field::OtherRollout, None),
            (Field::PodCpu, None),
        ] {
            assert_eq!(others_in_manifests(field, &others).as_deref(), expected, "{field:?}");
        }
        assert_eq!(others_in_manifests(Field::OtherPods, &[]).as_deref(), Some(""));
        assert_eq!(others_in_manifests(Field::ProbeDelay, &[]), None);
        let many = vec![other(json!(1), Value::Null); 7];
        assert_eq!(others_in_manifests(Field::OtherPods, &many).as_deref(), Some("1, 1, 1, 1, 1, …"));
    }
}
