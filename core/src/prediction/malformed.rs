//! Events, Nodes, claims and volumes of a running cluster that no API server would have stored so. What a simulation needs of other kinds
//! is decoded.

use alloc::format;
use alloc::string::String;

use serde_json::Value;

use crate::Problem;
use crate::object::unstructured::{at, field, string};
use crate::object::{Kind, Time};
use crate::problem::shortened;

/// What is in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Map,
    ListOfMaps,
    Text,
    /// A text, or null.
    OptionalText,
    Time,
}

type Fields = &'static [(&'static [&'static str], Shape)];

/// The fields that are read of a Node, each after the one that it is in.
const OF_NODE: Fields = &[
    (&["spec"], Shape::Map),
    (&["spec", "taints"], Shape::ListOfMaps),
    (&["status"], Shape::Map),
    (&["status", "conditions"], Shape::ListOfMaps),
];

/// The times in the lists of a Node.
const TIMES_OF_NODE: [(&[&str], &str); 2] =
    [(&["spec", "taints"], "timeAdded"), (&["status", "conditions"], "lastTransitionTime")];

/// The fields that are read of a claim, and not decoded.
const OF_CLAIM: Fields = &[
    (&["spec"], Shape::Map),
    (&["spec", "storageClassName"], Shape::OptionalText),
    (&["status"], Shape::Map),
    (&["status", "phase"], Shape::OptionalText),
];

/// The fields that are read of a volume.
const OF_VOLUME: Fields = &[
    (&["spec"], Shape::Map),
    (&["spec", "nodeAffinity"], Shape::Map),
    (&["spec", "nodeAffinity", "required"], Shape::Map),
    (&["spec", "nodeAffinity", "required", "nodeSelectorTerms"], Shape::ListOfMaps),
];

/// The fields that are read of an Event, in both versions of its API.
const OF_EVENT: Fields = &[
    (&["metadata"], Shape::Map),
    (&["metadata", "creationTimestamp"], Shape::Time),
    (&["involvedObject"], Shape::Map),
    (&["involvedObject", "kind"], Shape::Text),
    (&["involvedObject", "name"], Shape::Text),
    (&["regarding"], Shape::Map),
    (&["regarding", "kind"], Shape::Text),
    (&["regarding", "name"], Shape::Text),
    (&["reason"], Shape::OptionalText),
    (&["type"], Shape::OptionalText),
    (&["message"], Shape::Text),
    (&["note"], Shape::Text),
    (&["firstTimestamp"], Shape::Time),
    (&["lastTimestamp"], Shape::Time),
    (&["eventTime"], Shape::Time),
    (&["series"], Shape::Map),
    (&["series", "lastObservedTime"], Shape::Time),
];

/// Refuses the first of them that is malformed.
pub(super) fn refuse_malformed(old: &[&Value]) -> Result<(), Problem> {
    let problem = |(index, object): (usize, &&Value)| {
        let problem = problem_of(object)?;
        Some(Problem { path: format!("old[{index}].{}", problem.path), ..problem })
    };
    old.iter().enumerate().find_map(problem).map_or(Ok(()), Err)
}

fn problem_of(object: &Value) -> Option<Problem> {
    let kind = string(object, "kind");
    let (is_event, is_node) = (kind == "Event", kind == Kind::Node.name());
    let fields = match kind {
        _ if is_event => OF_EVENT,
        _ if is_node => OF_NODE,
        "PersistentVolume" => OF_VOLUME,
        _ if kind == Kind::PersistentVolumeClaim.name() => OF_CLAIM,
        _ => return None,
    };
    let wrong = fields.iter().find_map(|(path, shape)| {
        let (key, parents) = path.split_last()?;
        let value = at(object, parents)?.get(key).filter(|value| !shape.is_of(value))?;
        let message = format!("Invalid value: {}: {}", shortened(value), shape.in_words());
        Some(Problem::new(path.join("."), message))
    });
    let wrong =
        wrong.or_else(|| TIMES_OF_NODE.iter().filter(|_| is_node).find_map(|(list, key)| time_in(object, list, key)));
    let about = |key: &'static str| Some((key, field(object, key)?));
    wrong.or_else(|| match about("involvedObject").or_else(|| about("regarding")) {
        _ if !is_event => None,
        None => {
            let message = "Required value: must be the object that the Event is about";
            Some(Problem::new(String::from("involvedObject"), message))
        }
        Some((key, about)) => string(about, "name").is_empty().then(|| {
            Problem::new(
                format!("{key}.name"),
                "Required value: must be the name of the object that the Event is about",
            )
        }),
    })
}

/// The first item of a list whose time can't be read.
fn time_in(object: &Value, path: &[&str], key: &str) -> Option<Problem> {
    at(object, path)?.as_array()?.iter().enumerate().find_map(|(index, item)| {
        let time = item.get(key).filter(|time| !Shape::Time.is_of(time))?;
        let message = format!("Invalid value: {}: {}", shortened(time), Shape::Time.in_words());
        Some(Problem::new(format!("{}[{index}].{key}", path.join(".")), message))
    })
}

impl Shape {
    fn is_of(self, value: &Value) -> bool {
        match self {
            // An Event has one of its times, and null for the others. No API server writes null for a text.
            Self::Map | Self::ListOfMaps | Self::Time | Self::OptionalText if value.is_null() => true,
            Self::Map => value.is_object(),
            Self::ListOfMaps => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
            Self::Text | Self::OptionalText => value.is_string(),
            Self::Time => value.as_str().is_some_and(|time| Time::parse(time).is_some()),
        }
    }

    const fn in_words(self) -> &'static str {
        match self {
            Self::Map => "must be a map",
            Self::ListOfMaps => "must be a list of maps",
            Self::Text | Self::OptionalText => "must be a text",
            Self::Time => "must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        }
    }
}
