//! The cluster around the rollout: nodes, limits, other workloads, and how the new version behaves.

use changeover_wire::MAX_NODES;
use serde_json::{Map, Value, json};

use super::amount::problem_of_amount;
use super::other_deployments::Others;
use super::{AMOUNTS_OF_NODE, Field, NAME, Settings, SettingsOrigin, text_of, typed_duration};

/// The revision of the rollout's pods.
const NEW_REVISION: u32 = 2;

/// The resources that the quota limits.
const QUOTA: [(&str, Field); 3] =
    [("pods", Field::QuotaPods), ("requests.cpu", Field::QuotaCpu), ("requests.memory", Field::QuotaMemory)];

impl Settings {
    /// The number of nodes; none if what is typed is not one.
    pub fn node_count(&self) -> Option<usize> {
        let count = self.text(Field::Nodes).trim().parse().ok();
        count.filter(|count| (1..=MAX_NODES).contains(count))
    }

    /// What is wrong with a field that the core does not check, or does not see as it is typed.
    pub fn own_problem(&self, field: Field) -> Option<String> {
        match field {
            Field::Nodes => {
                let is_wrong = self.node_count().is_none();
                is_wrong.then(|| format!("Invalid value: must be a number of nodes, from 1 to {MAX_NODES}"))
            }
            Field::PodCpu | Field::PodMemory => {
                let text = self.text(field).trim();
                if text.is_empty() { None } else { problem_of_amount(field, text) }
            }
            Field::PreStop => self.problem_of_hook(),
            // The API server accepts it, and takes 1 second instead.
            Field::GracePeriod if self.number(field).is_some_and(|seconds| seconds < 0) => {
                Some(format!("Invalid value: {}: must be greater than or equal to 0", self.text(field).trim()))
            }
            field => Others::of(self).problem(field),
        }
    }

    /// What is wrong with the preStop hook. A manifest can't contain every duration that the core simulates.
    fn problem_of_hook(&self) -> Option<String> {
        let text = self.text(Field::PreStop).trim();
        let is_wrong = !text.is_empty() && self.hook_seconds().is_none();
        let right = format!("must be whole seconds, at most the grace period of {} s", self.grace_period());
        is_wrong.then(|| format!("Invalid value: {}: {right}", Value::from(text)))
    }

    /// Whether something that applies can't be played, although the core might play it.
    pub fn has_own_problem(&self, scope: SettingsOrigin) -> bool {
        let applies = |field: &Field| scope.reason_against(*field, self).is_none();
        Field::ALL.into_iter().filter(applies).any(|field| self.own_problem(field).is_some())
    }

    /// Whether the user has set something about the cluster.
    pub fn has_cluster(&self) -> bool {
        Field::ALL.into_iter().any(|field| field.is_of_cluster() && self.has_set(field))
    }

    /// Whether the user has set a field to something else than it is at first.
    pub fn has_set(&self, field: Field) -> bool {
        self.text(field) != field.initial()
    }

    /// The nodes, with the keys of a scenario.
    pub(super) fn nodes(&self) -> Vec<Value> {
        let count = self.node_count().unwrap_or(1);
        (1..=count).map(|number| self.node(&node_name(number, count))).collect()
    }

    fn node(&self, name: &str) -> Value {
        let mut node = self.amounts_of_node();
        node.insert(String::from("name"), Value::from(name));
        Value::Object(node)
    }

    fn amounts_of_node(&self) -> Map<String, Value> {
        let mut amounts = Map::new();
        for (key, field) in AMOUNTS_OF_NODE {
            self.put(&mut amounts, key, field);
        }
        amounts
    }

    /// The nodes as objects; none if their settings are the initial ones, or if their number is wrong.
    pub(super) fn node_objects(&self) -> Vec<Value> {
        let fields = [Field::Nodes, Field::PodsPerNode, Field::NodeCpu, Field::NodeMemory];
        let is_initial = fields.into_iter().all(|field| self.text(field).trim() == field.initial());
        let count = self.node_count().filter(|_| !is_initial).unwrap_or_default();
        (1..=count).map(|number| self.node_object(&node_name(number, count))).collect()
    }

    fn node_object(&self, name: &str) -> Value {
        let mut node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } });
        let amounts = self.amounts_of_node();
        if let Some(fields) = node.as_object_mut().filter(|_| !amounts.is_empty()) {
            fields.insert(String::from("status"), json!({ "allocatable": amounts }));
        }
        node
    }

    /// What adds nodes, with the keys of a scenario.
    pub(super) fn autoscaler(&self) -> Option<Value> {
        let startup = self.text(Field::AutoscalerStartup).trim();
        let node = self.node("added");
        (!startup.is_empty()).then(|| json!({ "node": node, "startup": typed_duration(startup) }))
    }

    /// Whether something adds nodes.
    pub fn has_autoscaler(&self) -> bool {
        !self.text(Field::AutoscalerStartup).trim().is_empty()
    }

    /// How fast pods start and stop, those of the new version first.
    pub(super) fn timings(&self) -> Vec<Value> {
        let all = self.timing();
        let mut new = all.clone();
        self.put_duration(&mut new, "pull", Field::Pull);
        self.put_duration(&mut new, "crash", Field::CrashAfter);
        self.put_start(&mut new, Field::NewReadyAfter);
        if new == all {
            return vec![Value::Object(all)];
        }
        new.insert(String::from("revision"), json!(NEW_REVISION));
        new.insert(String::from("deployment"), json!(NAME));
        vec![Value::Object(new), Value::Object(all)]
    }

    fn timing(&self) -> Map<String, Value> {
        let mut timing = Map::new();
        self.put_start(&mut timing, Field::ReadyAfter);
        self.put_duration(&mut timing, "terminate", Field::TimeToStop);
        self.put_duration(&mut timing, "preStop", Field::PreStop);
        self.put(&mut timing, "jitterPercent", Field::Jitter);
        timing
    }

    /// The time to start: for pods with probes it is the time until they are answered. Which pods have probes is up to their
    /// templates, which may be manifests.
    fn put_start(&self, timing: &mut Map<String, Value>, field: Field) {
        for key in ["ready", "answers"] {
            self.put_duration(timing, key, field);
        }
    }

    /// Whether the pods have probes.
    pub fn has_probes(&self) -> bool {
        let fields = [Field::ProbeDelay, Field::ProbePeriod, Field::ProbeFailures];
        fields.into_iter().any(|field| !self.text(field).trim().is_empty())
    }

    /// The container of a Deployment of this name, with its requests, probes and hook.
    pub(super) fn container(&self, name: &str, image: &str) -> Value {
        let mut container = json!({ "name": name, "image": image });
        let Some(fields) = container.as_object_mut() else { return container };
        let mut requests = Map::new();
        self.put(&mut requests, "cpu", Field::PodCpu);
        self.put(&mut requests, "memory", Field::PodMemory);
        if !requests.is_empty() {
            fields.insert(String::from("resources"), json!({ "requests": requests }));
        }
        if self.has_probes() {
            let mut probe = Map::from_iter([(String::from("httpGet"), json!({ "path": "/ready", "port": 8080 }))]);
            self.put(&mut probe, "periodSeconds", Field::ProbePeriod);
            let mut startup = probe.clone();
            self.put(&mut startup, "initialDelaySeconds", Field::ProbeDelay);
            self.put(&mut startup, "failureThreshold", Field::ProbeFailures);
            if startup.contains_key("failureThreshold") {
                fields.insert(String::from("startupProbe"), Value::Object(startup));
            } else {
                self.put(&mut probe, "initialDelaySeconds", Field::ProbeDelay);
            }
            fields.insert(String::from("readinessProbe"), Value::Object(probe));
        }
        if let Some(seconds) = self.hook_seconds() {
            fields.insert(String::from("lifecycle"), json!({ "preStop": { "sleep": { "seconds": seconds } } }));
        }
        container
    }

    /// The limits of the pods: a ResourceQuota and a PodDisruptionBudget with the typed values.
    pub(super) fn limits(&self) -> [Value; 2] {
        let metadata = |name: &str| json!({ "name": name, "namespace": "default" });
        let mut hard = Map::new();
        for (key, field) in QUOTA {
            self.put(&mut hard, key, field);
        }
        let mut budget = Map::from_iter([(String::from("selector"), json!({ "matchLabels": { "app": NAME } }))]);
        self.put(&mut budget, "minAvailable", Field::MinAvailable);
        [
            json!({
                "apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata("pods"), "spec": { "hard": hard },
            }),
            json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata(NAME), "spec": budget,
            }),
        ]
    }

    /// Takes over what a ResourceQuota limits.
    pub(super) fn set_quota(&mut self, quota: &Value) {
        let hard = quota.pointer("/spec/hard");
        for (key, field) in QUOTA {
            if let Some(amount) = hard.and_then(|hard| hard.get(key)) {
                self.set_text(field, text_of(amount));
            }
        }
    }

    /// The objects beside the Deployment.
    pub(super) fn objects(&self) -> Vec<Value> {
        let [quota, budget] = self.limits();
        let is_typed = |field: Field| !self.text(field).trim().is_empty();
        let quota = QUOTA.into_iter().any(|(_, field)| is_typed(field)).then_some(quota);
        let budget = is_typed(Field::MinAvailable).then_some(budget);
        quota.into_iter().chain(budget).chain(Others::of(self).deployments()).collect()
    }

    /// When the user's own Deployments are rolled out, with the keys of the manifests' surroundings.
    pub(super) fn restarts(&self) -> impl Iterator<Item = (String, Value)> {
        let keys = [("restart", Field::SecondRollout), ("othersRestart", Field::OtherRollout)];
        let typed = keys.into_iter().map(|(key, field)| (key, self.text(field).trim()));
        let typed = typed.filter(|(_, at)| !at.is_empty());
        typed.map(|(key, at)| (String::from(key), json!({ "at": typed_duration(at) })))
    }

    /// What the user does after the change, with the keys of a scenario.
    pub(super) fn later_actions(&self) -> Vec<Value> {
        let at = self.text(Field::SecondRollout).trim();
        let template = json!({ "spec": { "containers": [{ "image": "example/web:v3" }] } });
        let action = json!({ "at": typed_duration(at), "setTemplate": { "name": NAME, "template": template } });
        let second = (!at.is_empty()).then_some(action);
        Others::of(self).rollouts().into_iter().chain(second).collect()
    }

    /// Puts what is typed into a map; nothing if nothing is typed.
    pub(super) fn put(&self, map: &mut Map<String, Value>, key: &str, field: Field) {
        let value = self.value(field);
        if !value.is_null() {
            map.insert(String::from(key), value);
        }
    }

    fn put_duration(&self, map: &mut Map<String, Value>, key: &str, field: Field) {
        let text = self.text(field).trim();
        if !text.is_empty() {
            map.insert(String::from(key), Value::from(typed_duration(text)));
        }
    }
}

/// `node-a`; with more nodes than letters, `node-1`.
fn node_name(number: usize, count: usize) -> String {
    let letter =
        u8::try_from(number).ok().filter(|_| count <= 26).and_then(|number| b'a'.checked_add(number.checked_sub(1)?));
    letter.map_or_else(|| format!("node-{number}"), |letter| format!("node-{}", char::from(letter)))
}

#[cfg(test)]
mod tests {
    use super::super::YamlContent;
    use super::super::tests::typed;
    use super::*;

    #[test]
    fn nodes_have_names_and_what_fits_on_them() {
        assert_eq!(
            typed(&[]).nodes(),
            [json!({"name": "node-a"}), json!({"name": "node-b"}), json!({"name": "node-c"})]
        );
        let settings = typed(&[(Field::Nodes, "1"), (Field::PodsPerNode, "8"), (Field::NodeCpu, "4")]);
        assert_eq!(settings.nodes(), [json!({"name": "node-a", "pods": 8, "cpu": 4})]);
        for wrong in ["0", "201", "many", ""] {
            let settings = typed(&[(Field::Nodes, wrong)]);
            assert!(settings.own_problem(Field::Nodes).is_some(), "{wrong}");
            assert_eq!(settings.nodes().len(), 1);
        }
    }

    #[test]
    fn nodes_are_objects_if_something_is_typed_about_them() {
        let node = |name: &str| json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } });
        assert_eq!(typed(&[]).node_objects(), Vec::<Value>::new());
        assert_eq!(typed(&[(Field::Nodes, "2")]).node_objects(), [node("node-a"), node("node-b")]);
        assert_eq!(typed(&[(Field::Nodes, "many")]).node_objects(), Vec::<Value>::new());
        let objects = typed(&[(Field::NodeCpu, "3500m")]).node_objects();
        assert_eq!(objects.len(), 3);
        assert_eq!(objects[2]["status"], json!({ "allocatable": { "cpu": "3500m" } }));
    }

    #[test]
    fn the_hook_of_the_container_sleeps_whole_seconds_within_the_grace_period() {
        for (hook, expected) in [
            ("", None),
            ("8", Some(8)),
            ("0", Some(0)),
            ("30s", Some(30)),
            ("31", None),
            ("1m", None),
            ("1500ms", None),
            ("soon", None),
        ] {
            let container = typed(&[(Field::PreStop, hook)]).container(NAME, "example/web:v1");
            let seconds = container.pointer("/lifecycle/preStop/sleep/seconds").and_then(Value::as_i64);
            assert_eq!((seconds, container.get("lifecycle").is_some()), (expected, expected.is_some()), "{hook}");
        }
    }

    #[test]
    fn a_hook_that_a_manifest_cannot_contain_is_a_problem_in_every_scope() {
        let problem =
            |text: &str| format!("Invalid value: \"{text}\": must be whole seconds, at most the grace period of 30 s");
        for (hook, grace_period, expected) in [
            ("", "30", None),
            ("0", "30", None),
            ("30s", "30", None),
            ("45", "60", None),
            ("45", "30", Some(problem("45"))),
            ("45", "", Some(problem("45"))),
            ("1500ms", "30", Some(problem("1500ms"))),
            ("soon", "30", Some(problem("soon"))),
        ] {
            let settings = typed(&[(Field::PreStop, hook), (Field::GracePeriod, grace_period)]);
            let content = YamlContent::default();
            for scope in
                [SettingsOrigin::Settings, SettingsOrigin::Manifests(content), SettingsOrigin::LiveState(content)]
            {
                assert_eq!(settings.has_own_problem(scope), expected.is_some(), "{hook} {grace_period} {scope:?}");
            }
            assert_eq!(settings.own_problem(Field::PreStop), expected, "{hook} {grace_period}");
        }
    }

    #[test]
    fn there_is_a_quota_if_one_of_its_resources_is_typed() {
        assert_eq!(typed(&[]).objects(), Vec::<Value>::new());
        for (key, field) in QUOTA {
            let objects = typed(&[(field, "7")]).objects();
            assert_eq!(objects.len(), 1, "{field:?}");
            assert_eq!(objects[0]["spec"]["hard"], json!({ key: 7 }));
        }
    }

    #[test]
    fn only_the_new_version_is_slow_or_crashes() {
        assert_eq!(typed(&[]).timings().len(), 1);
        let timings = typed(&[(Field::CrashAfter, "3"), (Field::Pull, "never")]).timings();
        assert_eq!((&timings[0]["crash"], &timings[0]["pull"]), (&json!("3s"), &json!("never")));
        assert_eq!((&timings[0]["revision"], &timings[0]["deployment"]), (&json!(2), &json!("web")));
        assert_eq!(timings[1].get("crash"), None);
    }

    #[test]
    fn probes_are_answered_after_the_time_to_start() {
        let settings = typed(&[(Field::ProbePeriod, "5"), (Field::ProbeFailures, "2"), (Field::ProbeDelay, "1")]);
        // What is typed about probes is not about those of manifests.
        for settings in [&settings, &typed(&[])] {
            let timing = &settings.timings()[0];
            assert_eq!((&timing["ready"], &timing["answers"]), (&json!("6s"), &json!("6s")));
        }
        let container = settings.container(NAME, "example/web:v1");
        assert_eq!(container["startupProbe"]["failureThreshold"], 2);
        assert_eq!(container["readinessProbe"].get("initialDelaySeconds"), None);
    }
}
