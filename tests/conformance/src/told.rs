//! What a sync tells of its decisions: each write, and each wait, with its reason.

use changeover_core::explain::{OperandValue, Reason};
use changeover_core::object::Object;

/// The longest sentence, in characters, and how many of them a name may take: Kubernetes allows 253.
const LONGEST: usize = 160;
const LONGEST_NAME: usize = 25;

/// One decision.
pub struct Told {
    /// The name of what was written, or of what waits. A pod that is created has its controller's.
    pub about: String,
    /// Why.
    pub reason: Reason,
}

impl Told {
    /// About an object that is there, or that was asked for by name.
    pub fn about(name: &str, reason: Reason) -> Self {
        Self { about: name.into(), reason }
    }

    /// About a creation.
    pub fn created(object: &Object, reason: Reason) -> Self {
        let metadata = object.metadata();
        let named = if metadata.name.is_empty() { &metadata.generate_name } else { &metadata.name };
        Self { about: named.trim_end_matches('-').into(), reason }
    }

    /// What is wrong with it, if anything.
    pub fn wrong(&self) -> Option<String> {
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

    /// By how many characters its names are too long.
    fn excess(&self) -> usize {
        let texts = self.reason.values.iter().filter_map(|value| match value {
            OperandValue::Text(text) => Some(text),
            OperandValue::Int(_) => None,
        });
        texts.flat_map(|text| text.split(' ')).map(|name| name.len().saturating_sub(LONGEST_NAME)).sum()
    }
}
