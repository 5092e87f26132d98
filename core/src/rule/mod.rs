//! The rules behind decisions: each becomes a sentence, a formula and the numbers that it used, with where they come from.
//!
//! A decision is an enum whose variants are rules: the fields are the operands, and the texts are attributes that the compiler
//! checks against them (see [`derive@Decision`]). Nothing that decides reads them, and a build without the feature `explain`
//! leaves them out.
//!
//! In a sentence, `{seconds} s` and the value of a [`Duration`] become times in words. Rules can share operands:
//!
//! ```
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::{Decision, Operands};
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.wait", sentence = "{pod} waits {seconds} s.", formula = ["{seconds}s > 300s"])]
//!     Wait {
//!         #[operand(source = "the pod")]
//!         pod: Rc<str>,
//!         #[operand(source = "how long it waits")]
//!         seconds: i32,
//!     },
//!     #[rule(id = "example.grow", sentence = "{replica_set} grows to {to} of {desired} pods.")]
//!     Grow {
//!         #[operands]
//!         resized: Resized,
//!         #[operand(source = "spec.replicas")]
//!         desired: i32,
//!     },
//!     #[rule(id = "example.shrink", sentence = "{replica_set} shrinks to {to}.")]
//!     Shrink(Box<Resized>),
//! }
//!
//! #[derive(Clone, PartialEq, Operands)]
//! struct Resized {
//!     #[operand(source = "a ReplicaSet")]
//!     replica_set: Rc<str>,
//!     #[operand(source = "its new size")]
//!     to: i32,
//! }
//!
//! let reason = Decision::Wait { pod: "web-1".into(), seconds: 352 }.reason();
//! assert_eq!(reason.sentence(), "web-1 waits 5 min 52 s.");
//! assert_eq!(reason.formula(), ["352s > 300s"]);
//!
//! let resized = Resized { replica_set: "web-7d4b9c".into(), to: 5 };
//! let grow = Decision::Grow { resized: resized.clone(), desired: 10 };
//! assert_eq!(grow.reason().sentence(), "web-7d4b9c grows to 5 of 10 pods.");
//! assert_eq!(Decision::Shrink(Box::new(resized)).reason().sentence(), "web-7d4b9c shrinks to 5.");
//! let ids: Vec<&str> = Decision::rules().iter().map(|rule| rule.id).collect();
//! assert_eq!(ids, ["example.wait", "example.grow", "example.shrink"]);
//! ```
//!
//! A text that names no field does not compile:
//!
//! ```compile_fail
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::Decision;
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.wait", sentence = "{pod} waits {seconds} s.")]
//!     Wait {
//!         #[operand(source = "the pod")]
//!         pod: Rc<str>,
//!     },
//! }
//! ```
//!
//! Nor does a field that no text names:
//!
//! ```compile_fail
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::Decision;
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.wait", sentence = "{pod} waits.")]
//!     Wait {
//!         #[operand(source = "the pod")]
//!         pod: Rc<str>,
//!         #[operand(source = "how long it waits")]
//!         seconds: i32,
//!     },
//! }
//! ```
//!
//! Nor does a name that is neither a field nor a shared operand, here `{from}`:
//!
//! ```compile_fail
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::{Decision, Operands};
//!
//! #[derive(Clone, PartialEq, Operands)]
//! struct Resized {
//!     #[operand(source = "a ReplicaSet")]
//!     replica_set: Rc<str>,
//!     #[operand(source = "its new size")]
//!     to: i32,
//! }
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.grow", sentence = "{replica_set} grows from {from} to {to}.")]
//!     Grow(Resized),
//! }
//! ```
//!
//! Nor does a shared operand that no rule names, here `from`:
//!
//! ```compile_fail
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::{Decision, Operands};
//!
//! #[derive(Clone, PartialEq, Operands)]
//! struct Resized {
//!     #[operand(source = "a ReplicaSet")]
//!     replica_set: Rc<str>,
//!     #[operand(source = "its old size")]
//!     from: i32,
//!     #[operand(source = "its new size")]
//!     to: i32,
//! }
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.grow", sentence = "{replica_set} grows to {to}.")]
//!     Grow(Resized),
//! }
//!
//! Decision::rules();
//! ```
//!
//! Nor does a clause in a field without `#[clause]`, since the catalog would lack its words:
//!
//! ```compile_fail
//! extern crate alloc;
//! use alloc::rc::Rc;
//! use changeover_core::rule::{Clause, Decision};
//!
//! #[derive(Clone, PartialEq, Clause)]
//! enum Why {
//!     #[clause("since it has no node")]
//!     Unassigned,
//! }
//!
//! #[derive(Clone, PartialEq, Decision)]
//! enum Decision {
//!     #[rule(id = "example.delete", sentence = "{pod} is deleted, {why}.")]
//!     Delete {
//!         #[operand(source = "the pod")]
//!         pod: Rc<str>,
//!         #[operand(source = "what decides")]
//!         why: Why,
//!     },
//! }
//! ```

pub(crate) mod operands;

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use serde_json::{Value, json};

use crate::json::ToJson;
use crate::object::{Duration, Kind, ObjectKey, Time};

pub use changeover_derive::{Clause, Decision, Operands};

/// A part of a sentence that several rules share: an enum whose variants have values, and words that name them. Derived.
///
/// ```
/// extern crate alloc;
/// use alloc::rc::Rc;
/// use changeover_core::rule::{Clause, Decision};
///
/// #[derive(Clone, PartialEq, Clause)]
/// enum Why {
///     #[clause("since it has no node")]
///     Unassigned,
///     #[clause("since its cost is {cost}")]
///     Cost {
///         #[operand(source = "an annotation")]
///         cost: i32,
///     },
/// }
///
/// #[derive(Clone, PartialEq, Decision)]
/// enum Decision {
///     #[rule(id = "example.delete", sentence = "{pod} is deleted, {why}.")]
///     Delete {
///         #[operand(source = "the pod")]
///         pod: Rc<str>,
///         #[clause]
///         why: Why,
///     },
/// }
///
/// let reason = Decision::Delete { pod: "web-1".into(), why: Why::Cost { cost: 3 } }.reason();
/// assert_eq!(reason.sentence(), "web-1 is deleted, since its cost is 3.");
/// let names: Vec<&str> = reason.operands().map(|(operand, _)| operand.name).collect();
/// assert_eq!(names, ["pod", "cost"]);
/// assert_eq!(Why::Unassigned.phrase().words(), "since it has no node");
/// ```
pub trait Clause {
    /// What the variants say, whatever the values.
    const TEXTS: &'static [&'static ClauseText];

    /// The variant's words with its values.
    fn phrase(&self) -> Phrase;
}

impl<T: Clause + ?Sized> Clause for Box<T> {
    const TEXTS: &'static [&'static ClauseText] = T::TEXTS;

    fn phrase(&self) -> Phrase {
        (**self).phrase()
    }
}

/// What a variant of a [`Clause`] says.
#[derive(Debug, PartialEq, Eq)]
pub struct ClauseText {
    /// Its words.
    pub words: Template,
    /// The operands, in the order in which a [`Phrase`] carries their values.
    pub operands: &'static [Operand],
}

/// A clause with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The clause.
    pub text: &'static ClauseText,
    /// A value for each of its operands, in their order.
    pub values: Vec<OperandValue>,
}

impl Phrase {
    /// The words, with the numbers put in.
    pub fn words(&self) -> String {
        write_segments(segments(self.text.words, self.text.operands, &self.values, TextKind::Sentence))
    }

    fn operands(&self) -> impl Iterator<Item = (&'static Operand, &OperandValue)> {
        self.text.operands.iter().zip(&self.values)
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
    /// Whether it may be among the next steps of an object: it decides which pods there are, what they wait for, or that a rollout
    /// ends. Writing a status decides nothing.
    pub is_next_step: bool,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Where it comes from, in words; empty for a clause, whose operands have their own sources.
    pub source: &'static str,
    /// Where on the picture it is seen.
    pub mark: Option<Mark>,
    /// The clauses that its value can be; none if the value is not a clause.
    pub clauses: &'static [&'static ClauseText],
}

/// Where the values of operands of several rules come from.
pub(crate) struct OperandSource {
    pub(crate) words: &'static str,
    pub(crate) mark: Option<Mark>,
}

impl OperandSource {
    pub(crate) const fn new(words: &'static str) -> Self {
        Self { words, mark: None }
    }

    pub(crate) const fn marked(words: &'static str, mark: Mark) -> Self {
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
    /// The name of a pod beside that of a sibling.
    Sibling(Rc<str>),
    /// A part of the sentence with operands of its own.
    Clause(Box<Phrase>),
}

/// The name of another pod of the same owner; if it is long, texts leave out the shared prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sibling<'a>(pub(crate) &'a str);

impl Sibling<'_> {
    const LONGEST_NAME: usize = 25;

    /// What texts show.
    fn short(&self) -> String {
        match self.0.rsplit_once('-') {
            Some((_, own)) if self.0.len() > Self::LONGEST_NAME => ["…", own].concat(),
            _ => self.0.into(),
        }
    }
}

/// A value that texts can show.
pub trait ToOperand {
    /// The value of the operand.
    fn to_operand(&self) -> OperandValue;
}

impl ToOperand for Sibling<'_> {
    fn to_operand(&self) -> OperandValue {
        OperandValue::Sibling(self.0.into())
    }
}

impl ToOperand for i32 {
    fn to_operand(&self) -> OperandValue {
        (*self).into()
    }
}

impl ToOperand for i64 {
    fn to_operand(&self) -> OperandValue {
        OperandValue::Int(*self)
    }
}

impl ToOperand for u32 {
    fn to_operand(&self) -> OperandValue {
        OperandValue::Int((*self).into())
    }
}

impl ToOperand for Option<i32> {
    fn to_operand(&self) -> OperandValue {
        self.map_or_else(|| "unknown".into(), OperandValue::from)
    }
}

impl ToOperand for str {
    fn to_operand(&self) -> OperandValue {
        self.into()
    }
}

impl ToOperand for Rc<str> {
    fn to_operand(&self) -> OperandValue {
        OperandValue::Text(self.clone())
    }
}

impl ToOperand for Kind {
    fn to_operand(&self) -> OperandValue {
        self.name().into()
    }
}

impl ToOperand for ObjectKey {
    /// Like `ReplicaSet web-7d4b9c`.
    fn to_operand(&self) -> OperandValue {
        format!("{} {}", self.kind, self.name).as_str().into()
    }
}

impl ToOperand for Rc<ObjectKey> {
    fn to_operand(&self) -> OperandValue {
        (**self).to_operand()
    }
}

impl ToOperand for Duration {
    fn to_operand(&self) -> OperandValue {
        OperandValue::Duration(*self)
    }
}

impl ToOperand for Time {
    fn to_operand(&self) -> OperandValue {
        self.to_string().as_str().into()
    }
}

impl ToOperand for Option<Time> {
    fn to_operand(&self) -> OperandValue {
        self.map_or_else(|| "never".into(), |time| time.to_operand())
    }
}

impl<T: ToOperand + ?Sized> ToOperand for &T {
    fn to_operand(&self) -> OperandValue {
        (**self).to_operand()
    }
}

impl From<Phrase> for OperandValue {
    fn from(value: Phrase) -> Self {
        Self::Clause(Box::new(value))
    }
}

impl From<i32> for OperandValue {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<&str> for OperandValue {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
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
            Self::Sibling(name) => f.write_str(&Sibling(name).short()),
            Self::Clause(phrase) => f.write_str(&phrase.words()),
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
    /// A time in words.
    Time(&'static Operand, String),
}

impl Reason {
    /// The operands with their values; in place of a clause, its operands.
    pub fn operands(&self) -> impl Iterator<Item = (&'static Operand, &OperandValue)> {
        self.rule.operands.iter().zip(&self.values).flat_map(|(operand, value)| {
            let (own, of_clause) = match value {
                OperandValue::Clause(phrase) => (None, Some(phrase.operands())),
                value => (Some((operand, value)), None),
            };
            own.into_iter().chain(of_clause.into_iter().flatten())
        })
    }

    /// The value of that operand.
    pub fn value(&self, name: &str) -> Option<&OperandValue> {
        self.operands().find(|(operand, _)| operand.name == name).map(|(_, value)| value)
    }

    /// The sentence, with the numbers put in.
    pub fn sentence(&self) -> String {
        write_segments(self.sentence_segments())
    }

    /// The formula's lines, with the numbers put in.
    pub fn formula(&self) -> Vec<String> {
        self.formula_segments().into_iter().map(write_segments).collect()
    }

    /// The segments of the sentence, for a caller that shows an operand as more than text.
    pub fn sentence_segments(&self) -> Vec<Segment<'_>> {
        segments(self.rule.sentence, self.rule.operands, &self.values, TextKind::Sentence)
    }

    /// The segments of each line of the formula.
    pub fn formula_segments(&self) -> Vec<Vec<Segment<'_>>> {
        let line = |line: &Template| segments(line, self.rule.operands, &self.values, TextKind::Formula);
        self.rule.formula.iter().map(line).collect()
    }
}

/// What a template is for.
#[derive(Clone, Copy)]
enum TextKind {
    /// Times are in words: `8 min`.
    Sentence,
    /// Times are exact: `8m0.1s`.
    Formula,
}

fn segments<'a>(
    template: Template,
    operands: &'static [Operand],
    values: &'a [OperandValue],
    kind: TextKind,
) -> Vec<Segment<'a>> {
    let mut segments = Vec::new();
    for piece in template {
        match *piece {
            Piece::Text(words) => segments.push(Segment::Text(words)),
            Piece::Operand(position) => match operands.get(position).zip(values.get(position)) {
                Some((_, OperandValue::Clause(phrase))) => {
                    segments.extend(self::segments(phrase.text.words, phrase.text.operands, &phrase.values, kind));
                }
                Some((operand, OperandValue::Duration(duration))) if matches!(kind, TextKind::Sentence) => {
                    segments.push(Segment::Time(operand, duration.briefly_in_words()));
                }
                named => segments.extend(named.map(|(operand, value)| Segment::Value(operand, value))),
            },
            Piece::Plural(position) => {
                if values.get(position) != Some(&OperandValue::Int(1)) {
                    segments.push(Segment::Text("s"));
                }
            }
            Piece::Seconds(position) => {
                let named = operands.get(position).zip(values.get(position));
                segments.extend(named.map(|(operand, value)| Segment::Time(operand, seconds_in_words(value))));
            }
        }
    }
    segments
}

fn write_segments(segments: Vec<Segment<'_>>) -> String {
    let mut text = String::new();
    for segment in segments {
        match segment {
            Segment::Text(words) => text.push_str(words),
            Segment::Time(_, words) => text.push_str(&words),
            // Writing to a String cannot fail.
            Segment::Value(_, value) => drop(write!(text, "{value}")),
        }
    }
    text
}

/// The longest duration in whole seconds.
const MAX_SECONDS: i64 = i64::MAX / Time::SECOND;

/// Seconds as a time in words. A number that no duration can hold stays a number.
fn seconds_in_words(seconds: &OperandValue) -> String {
    match seconds {
        OperandValue::Int(count @ 0..=MAX_SECONDS) => Duration::seconds(*count).exactly_in_words(),
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
            Self::Text(text) | Self::Sibling(text) => text.to_json(),
            Self::Duration(duration) => duration.to_string().to_json(),
            Self::Clause(phrase) => phrase.words().to_json(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_that_no_duration_can_hold_stay_a_number() {
        let words = |seconds: i64| seconds_in_words(&OperandValue::Int(seconds));
        assert_eq!(words(MAX_SECONDS), "2562047 h 47 min 16 s");
        assert_eq!(words(i64::MAX), "9223372036854775807 s");
        assert_eq!(words(-1), "−1 s");
    }
}
