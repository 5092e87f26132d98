//! Events and Nodes of a running cluster that no API server would have stored so. What a simulation needs of other kinds is decoded.

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
    Time,
}

/// The fields that are read of a Node, each after the one that it is in.
const OF_NODE: [(&[&str], Shape); 4] = [
    (&["spec"], Shape::Map),
    (&["spec", "taints"], Shape::ListOfMaps),
    (&["status"], Shape::Map),
    (&["status", "conditions"], Shape::ListOfMaps),
];

/// The fields that are read of an Event, in both versions of its API.
const OF_EVENT: [(&[&str], Shape); 9] = [
    (&["metadata"], Shape::Map),
    (&["involvedObject"], Shape::Map),
    (&["regarding"], Shape::Map),
    (&["message"], Shape::Text),
    (&["note"], Shape::Text),
    (&["lastTimestamp"], Shape::Time),
    (&["eventTime"], Shape::Time),
    (&["series"], Shape::Map),
    (&["series", "lastObservedTime"], Shape::Time),
];

/// Refuses the first Event or Node that is malformed.
pub(super) fn refuse_malformed(old: &[&Value]) -> Result<(), Problem> {
    let problem = |(index, object): (usize, &&Value)| {
        let problem = problem_of(object)?;
        Some(Problem { path: format!("old[{index}].{}", problem.path), ..problem })
    };
    old.iter().enumerate().find_map(problem).map_or(Ok(()), Err)
}

fn problem_of(object: &Value) -> Option<Problem> {
    let is_event = string(object, "kind") == "Event";
    let fields = match is_event {
        true => &OF_EVENT[..],
        false if string(object, "kind") == Kind::Node.name() => &OF_NODE[..],
        false => return None,
    };
    let wrong = fields.iter().find_map(|(path, shape)| {
        let (key, parents) = path.split_last()?;
        let value = at(object, parents)?.get(key).filter(|value| !shape.is_of(value))?;
        let message = format!("Invalid value: {}: {}", shortened(value), shape.in_words());
        Some(Problem::new(path.join("."), message))
    });
    let is_about_nothing = is_event && field(object, "involvedObject").or_else(|| field(object, "regarding")).is_none();
    wrong.or_else(|| {
        is_about_nothing.then(|| {
            Problem::new(String::from("involvedObject"), "Required value: must be the object that the Event is about")
        })
    })
}

impl Shape {
    fn is_of(self, value: &Value) -> bool {
        match self {
            // An Event has one of its times, and null for the others. No API server writes null for a text.
            Self::Map | Self::ListOfMaps | Self::Time if value.is_null() => true,
            Self::Map => value.is_object(),
            Self::ListOfMaps => value.as_array().is_some_and(|items| items.iter().all(Value::is_object)),
            Self::Text => value.is_string(),
            Self::Time => value.as_str().is_some_and(|time| Time::parse(time).is_some()),
        }
    }

    const fn in_words(self) -> &'static str {
        match self {
            Self::Map => "must be a map",
            Self::ListOfMaps => "must be a list of maps",
            Self::Text => "must be a text",
            Self::Time => "must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
        }
    }
}
