//! The rollout form: the inputs as the user typed them, and the play requests for them. The core checks the values.

use changeover_core::Problem;
use serde_json::{Map, Value, json};

use crate::playback::LaneInfo;
use changeover_wire::object;

/// The Deployment's name.
const NAME: &str = "web";

/// The lanes: name, difference under RollingUpdate and under Recreate, policy.
const LANES: [(&str, [&str; 2], Option<&str>); 3] = [
    ("Field not set", ["as today: replaces at once", "as today: waits until pods are gone"], None),
    ("TerminationStarted", ["the same, in writing", "does not wait"], Some("TerminationStarted")),
    ("TerminationComplete", ["waits until pods are gone", "waits, in writing"], Some("TerminationComplete")),
];

/// The limits of a simulation: three lanes and the three before them fit into the module's 4 GB.
const MAX_PODS: u32 = 250_000;
const MAX_STEPS: u32 = 2_000_000;
const MAX_BYTES: u32 = 700_000_000;

/// A field of the form.
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

/// The text in each field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RolloutForm([String; 8]);

impl Default for RolloutForm {
    fn default() -> Self {
        Self(["10", "25%", "25%", "RollingUpdate", "5", "30", "0", "0"].map(String::from))
    }
}

impl RolloutForm {
    /// The text in a field.
    pub(crate) fn text(&self, field: Field) -> &str {
        self.0.get(field_index(field)).map_or("", String::as_str)
    }

    /// Sets the text of a field.
    pub(crate) fn set(&mut self, field: Field, text: String) {
        if let Some(slot) = self.0.get_mut(field_index(field)) {
            *slot = text;
        }
    }

    /// Whether the field is part of the chosen strategy.
    pub(crate) fn applies(&self, field: Field) -> bool {
        !matches!(field, Field::Surge | Field::Unavailable) || !self.is_recreate()
    }

    /// Whether the strategy is Recreate.
    pub(crate) fn is_recreate(&self) -> bool {
        self.text(Field::Strategy) == "Recreate"
    }

    /// A play request that is as valid or invalid as the form, and takes no time: one replica stands for any valid number.
    pub(crate) fn check_request(&self) -> Value {
        let mut form = self.clone();
        if self.text(Field::Replicas).trim().parse().is_ok_and(|pods: u32| pods <= MAX_PODS) {
            form.set(Field::Replicas, String::from("1"));
        }
        form.play_requests().pop().map(|(_, play)| play).unwrap_or_default()
    }

    /// The lanes and their play requests: the rollout of image v2 under each policy.
    pub(crate) fn play_requests(&self) -> Vec<(LaneInfo, Value)> {
        let lane = |(name, [rolling, recreate], policy): &(&str, [&str; 2], Option<&str>)| {
            let changes = json!({
                "image": "example/web:v2",
                "kubelet": [{ "ready": self.ready_duration(), "jitterPercent": typed_value(self.text(Field::Jitter)) }],
                "limits": { "pods": MAX_PODS, "steps": MAX_STEPS, "bytes": MAX_BYTES },
            });
            let difference = if self.is_recreate() { recreate } else { rolling };
            let info = LaneInfo {
                name: String::from(*name),
                difference: String::from(*difference),
                proposed: policy.is_some(),
            };
            (info, object(vec![("deployment", self.deployment(*policy)), ("changes", changes)]))
        };
        LANES.iter().map(lane).collect()
    }

    fn deployment(&self, policy: Option<&str>) -> Value {
        let mut spec = Map::new();
        let mut put = |key: &str, field: Field| {
            // An empty field is left out, so the API server's default applies.
            if !self.text(field).trim().is_empty() {
                spec.insert(String::from(key), typed_value(self.text(field)));
            }
        };
        put("replicas", Field::Replicas);
        put("minReadySeconds", Field::MinReady);
        let mut strategy = json!({"type": self.text(Field::Strategy)});
        let mut rolling = Map::new();
        for (key, field) in [("maxSurge", Field::Surge), ("maxUnavailable", Field::Unavailable)] {
            if self.applies(field) && !self.text(field).trim().is_empty() {
                rolling.insert(String::from(key), typed_value(self.text(field)));
            }
        }
        if let Some(strategy) = strategy.as_object_mut().filter(|_| !rolling.is_empty()) {
            strategy.insert(String::from("rollingUpdate"), Value::Object(rolling));
        }
        let mut pod = json!({"containers": [{"name": NAME, "image": "example/web:v1"}]});
        if let Some(pod) = pod.as_object_mut().filter(|_| !self.text(Field::Grace).trim().is_empty()) {
            pod.insert(String::from("terminationGracePeriodSeconds"), typed_value(self.text(Field::Grace)));
        }
        spec.insert(String::from("strategy"), strategy);
        spec.insert(String::from("selector"), json!({"matchLabels": {"app": NAME}}));
        spec.insert(String::from("template"), json!({"metadata": {"labels": {"app": NAME}}, "spec": pod}));
        if let Some(policy) = policy {
            spec.insert(String::from("podReplacementPolicy"), json!(policy));
        }
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": NAME, "namespace": "default"}, "spec": spec})
    }

    /// The time until pods are ready. A plain number is seconds; the core checks everything else.
    fn ready_duration(&self) -> String {
        let text = self.text(Field::Ready).trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            format!("{text}s")
        } else {
            String::from(text)
        }
    }
}

const fn field_index(field: Field) -> usize {
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

/// A typed text as JSON: a number if it is one, else a string.
pub(crate) fn typed_value(text: &str) -> Value {
    let text = text.trim();
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Value::Number(number),
        _ => Value::from(text),
    }
}

/// The field that a problem is about.
pub(crate) fn problem_field(problem: &Problem) -> Option<Field> {
    let path = problem.path.as_str();
    let fields = [
        ("maxSurge", Field::Surge),
        ("maxUnavailable", Field::Unavailable),
        ("terminationGracePeriodSeconds", Field::Grace),
        ("minReadySeconds", Field::MinReady),
        // Only minReadySeconds can make this one invalid here.
        ("progressDeadlineSeconds", Field::MinReady),
        ("jitterPercent", Field::Jitter),
        ("kubelet", Field::Ready),
        ("strategy", Field::Strategy),
        ("replicas", Field::Replicas),
    ];
    fields.into_iter().find(|(name, _)| path.contains(name)).map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(field: Field, text: &str) -> RolloutForm {
        let mut form = RolloutForm::default();
        form.set(field, String::from(text));
        form
    }

    #[test]
    fn numbers_are_numbers_and_everything_else_stays_text() {
        assert_eq!(typed_value(" 10 "), json!(10));
        assert_eq!(typed_value("-1"), json!(-1));
        assert_eq!(typed_value("1099511627776"), json!(1_099_511_627_776_i64));
        assert_eq!(typed_value("25%"), json!("25%"));
        assert_eq!(typed_value("true"), json!("true"));
        assert_eq!(typed_value("ten"), json!("ten"));
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
    fn a_check_is_as_invalid_as_the_form_and_takes_no_time() {
        let replicas = |text| typed(Field::Replicas, text).check_request()["deployment"]["spec"]["replicas"].clone();
        assert_eq!(["0", " 9000 ", "250000"].map(replicas), [json!(1), json!(1), json!(1)]);
        assert_eq!(["250001", "-1", "ten"].map(replicas), [json!(250_001), json!(-1), json!("ten")]);
    }

    #[test]
    fn a_plain_number_of_the_start_up_is_seconds() {
        assert_eq!(typed(Field::Ready, "7").ready_duration(), "7s");
        assert_eq!(typed(Field::Ready, "1m30s").ready_duration(), "1m30s");
        assert_eq!(typed(Field::Ready, "never").ready_duration(), "never");
    }

    #[test]
    fn problems_find_their_field() {
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
            assert_eq!(problem_field(&Problem::new(path, "x")), field, "{path}");
        }
    }
}
