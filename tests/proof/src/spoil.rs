//! Spoils recorded writes: a search that explains those would explain anything.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::recording::{Recording, Request, Verb};

/// How a request is spoiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spoil {
    /// A number is increased by one.
    Number,
    /// A text has an additional word.
    Word,
    /// Two writes are swapped.
    Order,
    /// Another object with the same owner is deleted.
    Object,
}

impl Spoil {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Number, Self::Word, Self::Order, Self::Object];

    /// A word for what is changed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Word => "a word",
            Self::Order => "an order",
            Self::Object => "an object",
        }
    }

    /// Whether no state of the caches may explain such a write. A count that is one higher, or the deletion of another
    /// object, can be right in another state.
    pub const fn is_never_legal(self) -> bool {
        matches!(self, Self::Word | Self::Order)
    }
}

/// The request with a changed number or text, selected by `seed`.
pub fn spoiled(request: &Request, what: Spoil, seed: usize) -> Option<Request> {
    let mut spoiled = request.clone();
    let mut places = Vec::new();
    collect(&spoiled.sent, String::new(), what, &mut places);
    places.retain(|place| matters(place, request.verb));
    let place = places.get(seed.checked_rem(places.len())?)?;
    let value = spoiled.sent.pointer_mut(place)?;
    *value = match (&*value, what) {
        (Value::Number(number), Spoil::Number) => number.as_i64()?.saturating_add(1).into(),
        (Value::String(text), Spoil::Number) => text.parse::<i64>().ok()?.saturating_add(1).to_string().into(),
        (Value::String(text), Spoil::Word) => format!("{text} not").into(),
        _ => return None,
    };
    Some(spoiled)
}

/// A deletion of another object of the kind, selected by `seed`: one that has the same owner and is neither deleted before
/// nor one of `deleted`.
pub fn of_another_object(
    recording: &Recording,
    request: &Request,
    deleted: &BTreeSet<&str>,
    seed: usize,
) -> Option<Request> {
    if request.verb != Verb::Delete {
        return None;
    }
    let owner = |object: &str| {
        let stored = recording.last_before(object, request.received).filter(|stored| !stored.is_deleted())?;
        Some(stored.object.as_ref()?.metadata().controller()?.uid.clone())
    };
    let own = owner(&request.object)?;
    let kind = request.object.split('/').next()?;
    let others: Vec<&String> = recording
        .stored
        .keys()
        .filter(|object| object.split('/').next() == Some(kind) && !deleted.contains(object.as_str()))
        .filter(|object| owner(object).as_ref() == Some(&own))
        .collect();
    let other = others.get(seed.checked_rem(others.len())?)?;
    Some(Request { object: (*other).clone(), ..request.clone() })
}

/// Whether the controller decides the value at this path. The rest of an update is what it has read.
fn matters(place: &str, verb: Verb) -> bool {
    match verb {
        Verb::UpdateStatus => place.starts_with("/status/") || place.starts_with("/metadata/annotations/"),
        Verb::Update => {
            place == "/spec/replicas" || place.starts_with("/metadata/annotations/deployment.kubernetes.io")
        }
        Verb::Create | Verb::Patch => true,
        Verb::Delete => place == "/propagationPolicy",
        Verb::Other => false,
    }
}

/// The paths of all numbers, or of all texts.
fn collect(value: &Value, place: String, what: Spoil, places: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{place}/{key}"), what, places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{place}/{index}"), what, places);
            }
        }
        Value::Number(_) if what == Spoil::Number => places.push(place),
        Value::String(text) if what == Spoil::Number && text.parse::<i64>().is_ok() => places.push(place),
        Value::String(text) if what == Spoil::Word && text.parse::<i64>().is_err() => places.push(place),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::object::Time;
    use serde_json::json;

    use super::*;
    use crate::recording::Answer;

    fn request(verb: Verb, sent: Value) -> Request {
        let (user, object) = (String::from("deployment-controller"), String::from("ReplicaSet/web-5d"));
        let (received, answered) = (Time(0), Time(1));
        Request { verb, user, object, named: None, sent, received, answered, answer: Answer::Unchanged }
    }

    #[test]
    fn a_size_is_one_more() {
        let update = request(Verb::Update, json!({"metadata": {"generation": 7}, "spec": {"replicas": 3}}));
        let spoiled = spoiled(&update, Spoil::Number, 5).unwrap();
        assert_eq!(spoiled.sent, json!({"metadata": {"generation": 7}, "spec": {"replicas": 4}}));
    }

    #[test]
    fn a_text_has_another_word() {
        let update =
            request(Verb::UpdateStatus, json!({"spec": {"a": "b"}, "status": {"message": "Deployment is paused"}}));
        let spoiled = spoiled(&update, Spoil::Word, 0).unwrap();
        assert_eq!(spoiled.sent.pointer("/status/message"), Some(&"Deployment is paused not".into()));
    }

    #[test]
    fn a_deletion_of_a_pod_has_neither() {
        assert!(spoiled(&request(Verb::Delete, json!({"gracePeriodSeconds": 1})), Spoil::Number, 0).is_none());
    }
}
