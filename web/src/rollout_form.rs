//! What the user typed, as it was typed, and the scenarios made of it. Nothing is checked here: the core does.

use changeover_core::Problem;
use serde_json::{Map, Value, json};

use crate::playback::Rules;
use changeover_wire::object;

/// The Deployment's name.
const NAME: &str = "web";

/// The lanes: their names, what differs in them under RollingUpdate and under Recreate, and their policies.
const LANES: [(&str, [&str; 2], Option<&str>); 3] = [
    ("Field not set", ["as today: replaces at once", "as today: waits until pods are gone"], None),
    ("TerminationStarted", ["the same, in writing", "does not wait"], Some("TerminationStarted")),
    ("TerminationComplete", ["waits until pods are gone", "waits, in writing"], Some("TerminationComplete")),
];

/// As much as fits three times into a module's 4 GB, beside what was there before.
const MOST_PODS: u32 = 250_000;
const MOST_STEPS: u32 = 2_000_000;
const MOST_BYTES: u32 = 700_000_000;

/// An input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// spec.replicas
    Replicas,
    /// maxSurge
    Surge,
    /// maxUnavailable
    Unavailable,
    /// spec.strategy.type
    Strategy,
    /// Seconds from running to ready, or `never`
    Ready,
    /// terminationGracePeriodSeconds
    Grace,
    /// minReadySeconds
    MinReady,
    /// How much longer than given a span may take, in percent
    Jitter,
}

/// What is typed into the inputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form([String; 8]);

impl Default for Form {
    fn default() -> Self {
        Self(["10", "25%", "25%", "RollingUpdate", "5", "30", "0", "0"].map(String::from))
    }
}

impl Form {
    /// What is typed there.
    pub(crate) fn text(&self, field: Field) -> &str {
        self.0.get(index(field)).map_or("", String::as_str)
    }

    /// Types something.
    pub(crate) fn set(&mut self, field: Field, text: String) {
        if let Some(slot) = self.0.get_mut(index(field)) {
            *slot = text;
        }
    }

    /// Whether the field is part of the chosen strategy.
    pub(crate) fn applies(&self, field: Field) -> bool {
        !matches!(field, Field::Surge | Field::Unavailable) || !self.recreates()
    }

    /// Whether the strategy is Recreate.
    pub(crate) fn recreates(&self) -> bool {
        self.text(Field::Strategy) == "Recreate"
    }

    /// A rollout that is as right or wrong as what is typed, and takes no time to play: any number of pods that can be
    /// played is as good as one.
    pub(crate) fn check(&self) -> Value {
        let mut form = self.clone();
        if self.text(Field::Replicas).trim().parse().is_ok_and(|pods: u32| pods <= MOST_PODS) {
            form.set(Field::Replicas, String::from("1"));
        }
        form.play().pop().map(|(_, play)| play).unwrap_or_default()
    }

    /// The rollout of image v2 under each of the rules, and what each lane is called.
    pub(crate) fn play(&self) -> Vec<(Rules, Value)> {
        let lane = |(name, [rolling, recreate], policy): &(&str, [&str; 2], Option<&str>)| {
            let changes = json!({
                "image": "example/web:v2",
                "kubelet": [{ "ready": self.ready(), "jitterPercent": value(self.text(Field::Jitter)) }],
                "limits": { "pods": MOST_PODS, "steps": MOST_STEPS, "bytes": MOST_BYTES },
            });
            let says = if self.recreates() { recreate } else { rolling };
            let rules = Rules { name: String::from(*name), says: String::from(*says), proposed: policy.is_some() };
            (rules, object(vec![("deployment", self.deployment(*policy)), ("changes", changes)]))
        };
        LANES.iter().map(lane).collect()
    }

    fn deployment(&self, policy: Option<&str>) -> Value {
        let mut spec = Map::new();
        let mut put = |key: &str, field: Field| {
            // What is left empty is left out: then the API server's default holds.
            if !self.text(field).trim().is_empty() {
                spec.insert(String::from(key), value(self.text(field)));
            }
        };
        put("replicas", Field::Replicas);
        put("minReadySeconds", Field::MinReady);
        let mut strategy = json!({"type": self.text(Field::Strategy)});
        let mut rolling = Map::new();
        for (key, field) in [("maxSurge", Field::Surge), ("maxUnavailable", Field::Unavailable)] {
            if self.applies(field) && !self.text(field).trim().is_empty() {
                rolling.insert(String::from(key), value(self.text(field)));
            }
        }
        if let Some(strategy) = strategy.as_object_mut().filter(|_| !rolling.is_empty()) {
            strategy.insert(String::from("rollingUpdate"), Value::Object(rolling));
        }
        let mut pod = json!({"containers": [{"name": NAME, "image": "example/web:v1"}]});
        if let Some(pod) = pod.as_object_mut().filter(|_| !self.text(Field::Grace).trim().is_empty()) {
            pod.insert(String::from("terminationGracePeriodSeconds"), value(self.text(Field::Grace)));
        }
        spec.insert(String::from("strategy"), strategy);
        spec.insert(String::from("selector"), json!({"matchLabels": {"app": NAME}}));
        spec.insert(String::from("template"), json!({"metadata": {"labels": {"app": NAME}}, "spec": pod}));
        if let Some(policy) = policy {
            spec.insert(String::from("podReplacementPolicy"), json!(policy));
        }
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": NAME, "namespace": "default"}, "spec": spec})
    }

    /// A plain number is seconds; everything else goes to the core as it is.
    fn ready(&self) -> String {
        let text = self.text(Field::Ready).trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{text}s")
        } else {
            String::from(text)
        }
    }
}

const fn index(field: Field) -> usize {
    match field {
        Field::Replicas => 0,
        Field::Surge => 1,
        Field::Unavailable => 2,
        Field::Strategy => 3,
        Field::Ready => 4,
        Field::Grace => 5,
        Field::MinReady => 6,
        Field::Jitter => 7,
    }
}

/// What was typed, as JSON: a number where it is one, else the text.
pub(crate) fn value(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Value::Number(number),
        _ => Value::from(text),
    }
}

/// The input that a problem is about.
pub(crate) fn field_of(problem: &Problem) -> Option<Field> {
    let path = problem.path.as_str();
    let names = [
        ("maxSurge", Field::Surge),
        ("maxUnavailable", Field::Unavailable),
        ("terminationGracePeriodSeconds", Field::Grace),
        ("minReadySeconds", Field::MinReady),
        // minReadySeconds is all that can bring it in trouble here.
        ("progressDeadlineSeconds", Field::MinReady),
        ("jitterPercent", Field::Jitter),
        ("kubelet", Field::Ready),
        ("strategy", Field::Strategy),
        ("replicas", Field::Replicas),
    ];
    names.into_iter().find(|(name, _)| path.contains(name)).map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(field: Field, text: &str) -> Form {
        let mut form = Form::default();
        form.set(field, String::from(text));
        form
    }

    #[test]
    fn numbers_are_numbers_and_everything_else_stays_text() {
        assert_eq!(value(" 10 "), json!(10));
        assert_eq!(value("-1"), json!(-1));
        assert_eq!(value("1099511627776"), json!(1_099_511_627_776_i64));
        assert_eq!(value("25%"), json!("25%"));
        assert_eq!(value("true"), json!("true"));
        assert_eq!(value("ten"), json!("ten"));
    }

    #[test]
    fn an_empty_input_leaves_the_field_to_the_default() {
        let deployment = typed(Field::Surge, " ").deployment(None);
        assert!(deployment["spec"]["strategy"]["rollingUpdate"].get("maxSurge").is_none());
        assert_eq!(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], "25%");
    }

    #[test]
    fn recreate_takes_no_surge() {
        let deployment = typed(Field::Strategy, "Recreate").deployment(None);
        assert_eq!(deployment["spec"]["strategy"], json!({"type": "Recreate"}));
    }

    #[test]
    fn what_is_checked_is_as_wrong_and_takes_no_time() {
        let replicas = |text| typed(Field::Replicas, text).check()["deployment"]["spec"]["replicas"].clone();
        assert_eq!(["0", " 9000 ", "250000"].map(replicas), [json!(1), json!(1), json!(1)]);
        assert_eq!(["250001", "-1", "ten"].map(replicas), [json!(250_001), json!(-1), json!("ten")]);
    }

    #[test]
    fn a_plain_number_of_the_start_up_is_seconds() {
        assert_eq!(typed(Field::Ready, "7").ready(), "7s");
        assert_eq!(typed(Field::Ready, "1m30s").ready(), "1m30s");
        assert_eq!(typed(Field::Ready, "never").ready(), "never");
    }

    #[test]
    fn problems_find_their_input() {
        let cases = [
            ("spec.replicas", Some(Field::Replicas)),
            ("spec.strategy.rollingUpdate.maxSurge", Some(Field::Surge)),
            ("spec.strategy.rollingUpdate.maxUnavailable", Some(Field::Unavailable)),
            ("spec.strategy.type", Some(Field::Strategy)),
            ("kubelet[0].ready", Some(Field::Ready)),
            ("kubelet[0].jitterPercent", Some(Field::Jitter)),
            ("spec.template.spec.terminationGracePeriodSeconds", Some(Field::Grace)),
            ("", None),
        ];
        for (path, field) in cases {
            assert_eq!(field_of(&Problem::new(path, "x")), field, "{path}");
        }
    }
}
