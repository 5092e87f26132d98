//! Why: every decision names its [`Rule`] and carries the numbers it used. The words are made here and nowhere else,
//! so that the page, the package and the policy say the same.

mod catalogue;
pub mod cluster;
pub mod deployment;
mod operands;
pub mod replica_set;
pub mod user;

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use serde_json::{Value, json};

use crate::json::ToJson;

pub use catalogue::all;

/// One rule of the catalogue: what is decided by whom, and how to say it.
///
/// In [`sentence`](Self::sentence) and [`formula`](Self::formula), `{2}` stands for the value of the third operand; `(s)`
/// behind it is an s, unless that is 1.
#[derive(Debug)]
pub struct Rule {
    /// Stable name, `controller.what`; stories and tests pin to it.
    pub id: &'static str,
    /// The upstream file below `k8s.io/kubernetes` and the function; none where no release decides this.
    pub upstream: Option<&'static str>,
    /// The KEP and its section.
    pub section: Option<&'static str>,
    /// One sentence in plain words.
    pub sentence: &'static str,
    /// The rule with its numbers put in, a line a term.
    pub formula: &'static [&'static str],
    /// The operands, in the order in which a [`Reason`] carries their values.
    pub operands: &'static [&'static Operand],
}

impl PartialEq for Rule {
    /// Each rule is there once.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Rule {}

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

/// A place on the picture.
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
    /// The whole bar.
    Total,
    /// The row of the ReplicaSet that the step is about.
    ReplicaSet,
}

/// An operand with a place on the picture.
pub(crate) const fn marked(name: &'static str, source: &'static str, mark: Mark) -> Operand {
    Operand { name, source, mark: Some(mark) }
}

/// An operand.
pub(crate) const fn operand(name: &'static str, source: &'static str) -> Operand {
    Operand { name, source, mark: None }
}

/// A value that a decision used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// A count.
    Int(i64),
    /// A name or a word.
    Text(Rc<str>),
}

impl From<i32> for OperandValue {
    fn from(value: i32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<i64> for OperandValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for OperandValue {
    fn from(value: &str) -> Self {
        told_value(|| Self::Text(value.into()))
    }
}

impl From<&Rc<str>> for OperandValue {
    fn from(value: &Rc<str>) -> Self {
        told_value(|| Self::Text(value.clone()))
    }
}

impl From<String> for OperandValue {
    fn from(value: String) -> Self {
        told_value(|| Self::Text(value.into()))
    }
}

/// The value, where reasons are told at all: else nothing is copied.
#[inline]
fn told_value(value: impl FnOnce() -> OperandValue) -> OperandValue {
    if cfg!(feature = "reasons") { value() } else { OperandValue::Int(0) }
}

impl fmt::Display for OperandValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A true minus, as in the formulas.
            Self::Int(value) if *value < 0 => write!(f, "−{}", value.unsigned_abs()),
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Why a step was taken: a rule and the numbers it used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule.
    pub rule: &'static Rule,
    /// A value for each of the rule's operands, in their order.
    pub values: Rc<[OperandValue]>,
}

/// What stands for every rule in a build that tells no reasons: their words are a good part of its bytes.
static UNTOLD: Rule = Rule { id: "untold", upstream: None, section: None, sentence: "", formula: &[], operands: &[] };

/// A piece of a sentence or a formula: words, or an operand's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Words.
    Text(&'a str),
    /// The value of an operand.
    Value(&'a Operand, &'a OperandValue),
}

/// The rule, where reasons are told at all: else nothing refers to its words.
#[inline(always)]
pub(crate) fn told(rule: &'static Rule) -> &'static Rule {
    if cfg!(feature = "reasons") { rule } else { &UNTOLD }
}

impl Reason {
    /// The rule with its values, in the order of its operands.
    #[cfg_attr(not(feature = "reasons"), inline(always))]
    pub fn new<const N: usize>(rule: &'static Rule, values: [OperandValue; N]) -> Self {
        if cfg!(feature = "reasons") {
            debug_assert_eq!(rule.operands.len(), N, "{}", rule.id);
            Self { rule, values: Rc::new(values) }
        } else {
            Self { rule: &UNTOLD, values: Rc::new([]) }
        }
    }

    /// The operands with their values.
    pub fn operands(&self) -> impl Iterator<Item = (&'static Operand, &OperandValue)> {
        self.rule.operands.iter().copied().zip(self.values.iter())
    }

    /// The value of that operand.
    pub fn value(&self, name: &str) -> Option<&OperandValue> {
        self.operands().find(|(operand, _)| operand.name == name).map(|(_, value)| value)
    }

    /// The sentence, with the numbers put in.
    pub fn sentence(&self) -> String {
        text_of(&self.segments(self.rule.sentence))
    }

    /// The formula's lines, with the numbers put in.
    pub fn formula(&self) -> Vec<String> {
        self.rule.formula.iter().map(|line| text_of(&self.segments(line))).collect()
    }

    /// The pieces of one of the rule's texts, for those who show an operand as more than text.
    pub fn segments<'a>(&'a self, template: &'static str) -> Vec<Segment<'a>> {
        let mut segments = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((position, tail)) = after.split_once('}') else { break };
            push(&mut segments, before);
            let operand = position.parse().ok().and_then(|position| self.operands().nth(position));
            if let Some((operand, value)) = operand {
                segments.push(Segment::Value(operand, value));
            }
            rest = tail;
        }
        push(&mut segments, rest);
        segments
    }
}

/// Words. What a number counts is one or more.
fn push<'a>(segments: &mut Vec<Segment<'a>>, words: &'a str) {
    let one = matches!(segments.last(), Some(Segment::Value(_, OperandValue::Int(1))));
    let (noun, rest) = words.split_once("(s)").unwrap_or((words, ""));
    let plural = if one || noun.len() == words.len() { "" } else { "s" };
    for piece in [noun, plural, rest] {
        if !piece.is_empty() {
            segments.push(Segment::Text(piece));
        }
    }
}

fn text_of(segments: &[Segment<'_>]) -> String {
    let mut text = String::new();
    for segment in segments {
        match segment {
            Segment::Text(words) => text.push_str(words),
            // Writing to a String cannot fail.
            Segment::Value(_, value) => drop(write!(text, "{value}")),
        }
    }
    text
}

impl ToJson for Reason {
    fn to_json(&self) -> Value {
        let operands: Vec<Value> = self.operands().map(|(operand, value)| operand.to_json(value)).collect();
        json!({
            "rule": self.rule.id,
            "sentence": self.sentence(),
            "formula": self.formula(),
            "operands": operands,
            "upstream": self.rule.upstream,
            "section": self.rule.section,
        })
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
        }
    }
}
