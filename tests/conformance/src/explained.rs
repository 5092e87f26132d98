//! A sync's decisions and their reasons: each write, and each wait.

use changeover_core::explain::{OperandValue, Reason};
use changeover_core::object::Object;

/// The maximum length of a sentence in characters, and of a name and a number in it. Kubernetes allows names of 253
/// characters and two billion replicas.
const LONGEST: usize = 160;
const LONGEST_NAME: usize = 25;
const LONGEST_NUMBER: usize = 7;

/// Operands that quote Kubernetes. Its lists and messages can have any length, so they do not count.
const QUOTED: [&str; 7] = ["message", "misfits", "requested", "limited", "used", "unspecified", "whyNot"];

/// A decision.
pub struct Explained {
    /// The name of the object that is written or waits. For the creation of a pod, the name of its controller.
    pub about: String,
    /// The reason.
    pub reason: Reason,
}

impl Explained {
    /// A decision about an existing object, or one that was requested by name.
    pub fn about(name: &str, reason: Reason) -> Self {
        Self { about: name.into(), reason }
    }

    /// A decision to create an object.
    pub fn created(object: &Object, reason: Reason) -> Self {
        let metadata = object.metadata();
        let named = if metadata.name.is_empty() { &metadata.generate_name } else { &metadata.name };
        Self { about: named.trim_end_matches('-').into(), reason }
    }

    /// What is wrong with its sentence, if anything.
    pub fn problem(&self) -> Option<String> {
        let Self { about, reason } = self;
        let rule = reason.rule;
        let sentence = reason.sentence();
        let length = sentence.chars().count().saturating_sub(self.excess());
        if length > LONGEST {
            Some(format!("{}: {length} characters, {LONGEST} at most: {sentence}", rule.id))
        } else if !sentence.contains(about) {
            Some(format!("{}: does not name {about}: {sentence}", rule.id))
        } else {
            None
        }
    }

    /// The number of characters that do not count: quotations, and the ends of long names and numbers.
    fn excess(&self) -> usize {
        let excess = self.reason.operands().map(|(operand, value)| match value {
            OperandValue::Text(text) if QUOTED.contains(&operand.name) => text.chars().count(),
            OperandValue::Text(text) => text.split(' ').map(|name| name.len().saturating_sub(LONGEST_NAME)).sum(),
            OperandValue::Int(number) => number.to_string().len().saturating_sub(LONGEST_NUMBER),
            // Texts shorten a sibling's name.
            OperandValue::Duration(_) | OperandValue::Sibling(_) | OperandValue::Clause(_) => 0,
        });
        excess.sum()
    }
}
