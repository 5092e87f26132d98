//! Explains decisions: each becomes a sentence, a formula and the numbers that it used, with where they come from.
//!
//! A rule is a struct whose fields are its operands, with its texts in attributes that the compiler checks against them
//! (see [`derive@Rule`]). Sentences stand only here; nothing that decides reads it, and a build without the
//! feature `explain` leaves it out.
//!
//! A text that names no field does not compile:
//!
//! ```compile_fail
//! extern crate alloc;
//! use changeover_core::explain::Rule;
//!
//! #[derive(Rule)]
//! #[rule(id = "example.wait", sentence = "{pod} waits {seconds} s.")]
//! struct Wait<'a> {
//!     #[operand(source = "the pod")]
//!     pod: &'a str,
//! }
//! ```
//!
//! Nor does a field that no text names:
//!
//! ```compile_fail
//! extern crate alloc;
//! use changeover_core::explain::Rule;
//!
//! #[derive(Rule)]
//! #[rule(id = "example.wait", sentence = "{pod} waits.")]
//! struct Wait<'a> {
//!     #[operand(source = "the pod")]
//!     pod: &'a str,
//!     #[operand(source = "how long it waits")]
//!     seconds: i32,
//! }
//! ```
//!
//! Nor does a name that is neither a field nor an operand of the enclosing decision, here `{from}`:
//!
//! ```compile_fail
//! extern crate alloc;
//! use changeover_core::explain::{Operands, Rule};
//!
//! #[derive(Operands)]
//! struct Resized<'a> {
//!     #[operand(source = "a ReplicaSet")]
//!     replica_set: &'a str,
//!     #[operand(source = "its new size")]
//!     to: i32,
//! }
//!
//! #[derive(Rule)]
//! #[rule(id = "example.grow", sentence = "{replica_set} grows from {from} to {to} of {desired} pods.")]
//! struct Grow<'a> {
//!     #[operands]
//!     resized: Resized<'a>,
//!     #[operand(source = "spec.replicas")]
//!     desired: i32,
//! }
//! ```
//!
//! With the right names, they do. In a sentence, `{seconds} s` becomes a time in words:
//!
//! ```
//! extern crate alloc;
//! use changeover_core::explain::{Operands, Rule};
//!
//! #[derive(Rule)]
//! #[rule(id = "example.wait", sentence = "{pod} waits {seconds} s.", formula = ["{seconds}s > 300s"])]
//! struct Wait<'a> {
//!     #[operand(source = "the pod")]
//!     pod: &'a str,
//!     #[operand(source = "how long it waits")]
//!     seconds: i32,
//! }
//!
//! let reason = Wait { pod: "web-1", seconds: 352 }.reason();
//! assert_eq!(reason.sentence(), "web-1 waits 5 min 52 s.");
//! assert_eq!(reason.formula(), ["352s > 300s"]);
//!
//! #[derive(Operands)]
//! struct Resized<'a> {
//!     #[operand(source = "a ReplicaSet")]
//!     replica_set: &'a str,
//!     #[operand(source = "its new size")]
//!     to: i32,
//! }
//!
//! #[derive(Rule)]
//! #[rule(id = "example.grow", sentence = "{replica_set} grows to {to} of {desired} pods.")]
//! struct Grow<'a> {
//!     #[operands]
//!     resized: Resized<'a>,
//!     #[operand(source = "spec.replicas")]
//!     desired: i32,
//! }
//!
//! let resized = Resized { replica_set: "web-7d4b9c", to: 5 };
//! assert_eq!(Grow { resized, desired: 10 }.reason().sentence(), "web-7d4b9c grows to 5 of 10 pods.");
//! ```

mod catalog;
mod cluster;
mod cron_job;
mod deployment;
mod job;
mod operands;
mod ranked_pods;
pub mod ranking;
mod replica_set;
mod ttl_after_finished;
mod worst_case;

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use serde_json::{Value, json};

use crate::cluster::{Decision, Step};
use crate::controller;
use crate::json::ToJson;
use crate::object::Time;
use crate::scenario::Duration;

pub use catalog::all;
pub use changeover_derive::{Operands, Rule};
pub use ranked_pods::{RANKED_KINDS, RankedObjects, RankedPod, RankedWorkload, rank_pods};
pub use worst_case::{explain_order, explain_timed_order};

/// A rule: a struct with the values of a decision, and texts that name them. Derived.
pub trait Rule {
    /// What the rule says, whatever the values.
    const TEXT: &'static RuleText;

    /// The values of the rule's operands, in their order.
    fn values(&self) -> Vec<OperandValue>;

    /// The rule with its values.
    fn reason(&self) -> Reason {
        Reason { rule: Self::TEXT, values: self.values() }
    }
}

/// What a rule says: one entry of the catalog.
#[derive(Debug)]
pub struct RuleText {
    /// Stable name, `controller.what`; stories and tests pin to it.
    pub id: &'static str,
    /// The upstream file below `k8s.io/kubernetes` and the function; none where no release decides this.
    pub upstream: Option<&'static str>,
    /// The KEP and its section.
    pub section: Option<&'static str>,
    /// One sentence in plain words.
    pub sentence: Template,
    /// The rule with its numbers put in, a line a term.
    pub formula: &'static [Template],
    /// The operands, in the order in which a [`Reason`] carries their values.
    pub operands: &'static [Operand],
}

impl PartialEq for RuleText {
    /// Ids are unique.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for RuleText {}

/// A text that names operands, `{pod} waits.`, in its pieces.
pub type Template = &'static [Piece];

/// A piece of a [`Template`].
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Words.
    Text(&'static str),
    /// The value of the operand at this position.
    Operand(usize),
    /// An s, unless the operand at this position is 1.
    Plural(usize),
    /// The seconds of the operand at this position as a time in words: `5 min 52 s`.
    Seconds(usize),
}

/// What a rule's number is and where it comes from.
#[derive(Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its name in the sentence and in the formula.
    pub name: &'static str,
    /// Where it comes from, in words.
    pub source: &'static str,
    /// Where on the picture it is seen.
    pub mark: Option<Mark>,
}

/// Where the values of operands of several rules come from.
struct Source {
    words: &'static str,
    mark: Option<Mark>,
}

impl Source {
    const fn new(words: &'static str) -> Self {
        Self { words, mark: None }
    }

    const fn marked(words: &'static str, mark: Mark) -> Self {
        Self { words, mark: Some(mark) }
    }
}

/// What a number stands for in a chart of a Deployment's pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// The mark at desired + surge.
    Limit,
    /// The mark at spec.replicas.
    Desired,
    /// The mark at the least number of available pods.
    MinAvailable,
    /// The terminating part of the bar.
    Terminating,
    /// The available part of the bar.
    Available,
    /// The whole bar, which is all pods.
    Total,
    /// The row of the ReplicaSet that the step is about.
    ReplicaSet,
}

/// A value that a decision used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// A count.
    Int(i64),
    /// A name or a word.
    Text(Rc<str>),
    /// A span of time.
    Duration(Duration),
}

impl From<i32> for OperandValue {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for OperandValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<Option<i32>> for OperandValue {
    fn from(value: Option<i32>) -> Self {
        value.map_or_else(|| Self::from("unknown"), Self::from)
    }
}

impl From<&str> for OperandValue {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl From<&Rc<str>> for OperandValue {
    fn from(value: &Rc<str>) -> Self {
        Self::Text(value.clone())
    }
}

impl From<u32> for OperandValue {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<Duration> for OperandValue {
    fn from(value: Duration) -> Self {
        Self::Duration(value)
    }
}

impl From<Time> for OperandValue {
    fn from(value: Time) -> Self {
        Self::from(value.to_string().as_str())
    }
}

impl From<Option<Time>> for OperandValue {
    fn from(value: Option<Time>) -> Self {
        value.map_or_else(|| Self::from("never"), Self::from)
    }
}

impl fmt::Display for OperandValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A true minus, as in the formulas.
            Self::Int(value) if *value < 0 => write!(f, "−{}", value.unsigned_abs()),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
            Self::Duration(duration) => write!(f, "{duration}"),
        }
    }
}

/// An explained decision: a rule and the values that it used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule.
    pub rule: &'static RuleText,
    /// A value for each of the rule's operands, in their order.
    pub values: Vec<OperandValue>,
}

/// A piece of a sentence or a formula with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Words.
    Text(&'static str),
    /// The value of an operand.
    Value(&'static Operand, &'a OperandValue),
    /// The seconds of an operand as a time in words.
    Time(&'static Operand, String),
}

/// Explains a decision.
pub fn explain(decision: &Decision) -> Reason {
    cluster::explain(decision)
}

/// Explains a controller's decision.
pub fn explain_controller(decision: &controller::Decision) -> Reason {
    match decision {
        controller::Decision::Deployment(decision) => deployment::explain(decision),
        controller::Decision::ReplicaSet(decision) => replica_set::explain(decision),
        controller::Decision::Job(decision) => job::explain(decision),
        controller::Decision::CronJob(decision) => cron_job::explain(decision),
        controller::Decision::TtlAfterFinished(decision) => ttl_after_finished::explain(decision),
    }
}

impl Step {
    /// The decision behind it, explained.
    pub fn reason(&self) -> Reason {
        explain(&self.decision)
    }
}

impl Reason {
    /// The operands with their values.
    pub fn operands(&self) -> impl Iterator<Item = (&'static Operand, &OperandValue)> {
        self.rule.operands.iter().zip(&self.values)
    }

    /// The value of that operand.
    pub fn value(&self, name: &str) -> Option<&OperandValue> {
        self.operands().find(|(operand, _)| operand.name == name).map(|(_, value)| value)
    }

    /// The sentence, with the numbers put in.
    pub fn sentence(&self) -> String {
        self.text(self.rule.sentence)
    }

    /// The formula's lines, with the numbers put in.
    pub fn formula(&self) -> Vec<String> {
        self.rule.formula.iter().map(|line| self.text(line)).collect()
    }

    /// The segments of one of the rule's texts, for a caller that shows an operand as more than text.
    pub fn segments(&self, template: Template) -> Vec<Segment<'_>> {
        let segment = |piece: &Piece| match *piece {
            Piece::Text(words) => Some(Segment::Text(words)),
            Piece::Operand(position) => {
                Some(Segment::Value(self.rule.operands.get(position)?, self.values.get(position)?))
            }
            Piece::Plural(position) => {
                (self.values.get(position) != Some(&OperandValue::Int(1))).then_some(Segment::Text("s"))
            }
            Piece::Seconds(position) => {
                Some(Segment::Time(self.rule.operands.get(position)?, seconds_in_words(self.values.get(position)?)))
            }
        };
        template.iter().filter_map(segment).collect()
    }

    fn text(&self, template: Template) -> String {
        let mut text = String::new();
        for segment in self.segments(template) {
            match segment {
                Segment::Text(words) => text.push_str(words),
                Segment::Time(_, words) => text.push_str(&words),
                // Writing to a String cannot fail.
                Segment::Value(_, value) => drop(write!(text, "{value}")),
            }
        }
        text
    }
}

/// Seconds as a time in words.
fn seconds_in_words(seconds: &OperandValue) -> String {
    match seconds {
        OperandValue::Int(seconds) if *seconds >= 0 => Duration::seconds(*seconds).exactly_in_words(),
        other => format!("{other} s"),
    }
}

impl ToJson for Reason {
    fn to_json(&self) -> Value {
        let operands: Vec<Value> = self.operands().map(|(operand, value)| operand.to_json(value)).collect();
        let mut reason = json!({
            "rule": self.rule.id,
            "sentence": self.sentence(),
            "formula": self.formula(),
            "operands": operands,
        });
        for (key, text) in [("upstream", self.rule.upstream), ("section", self.rule.section)] {
            if let (Some(text), Some(reason)) = (text, reason.as_object_mut()) {
                reason.insert(key.into(), text.into());
            }
        }
        reason
    }
}

impl Operand {
    fn to_json(&self, value: &OperandValue) -> Value {
        let mut map = json!({ "name": self.name, "value": value.to_json(), "source": self.source });
        if let (Some(mark), Some(map)) = (self.mark, map.as_object_mut()) {
            map.insert("mark".into(), mark.to_json());
        }
        map
    }
}

impl ToJson for OperandValue {
    fn to_json(&self) -> Value {
        match self {
            Self::Int(value) => value.to_json(),
            Self::Text(text) => text.to_json(),
            Self::Duration(duration) => duration.to_string().to_json(),
        }
    }
}
