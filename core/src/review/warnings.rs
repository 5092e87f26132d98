//! Warnings are HTTP headers: few, short and without control characters.

use alloc::string::String;
use alloc::vec::Vec;

const MAX_WARNINGS: usize = 8;
const MAX_LENGTH: usize = 120;

/// How important a warning is. The most important come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Importance {
    /// What the user wrote does nothing.
    NoEffect,
    /// A rollout may stand still or be slow.
    Rollout,
    /// The forecast of the rollout.
    Forecast,
    /// What the review could not learn.
    Unknown,
    /// Left over, or not as the settings would have it.
    Settings,
    /// Worth knowing.
    Note,
}

const ORDER: [Importance; 6] = [
    Importance::NoEffect,
    Importance::Rollout,
    Importance::Forecast,
    Importance::Unknown,
    Importance::Settings,
    Importance::Note,
];

/// Warnings about settings that are legal but surprising.
#[derive(Default)]
pub(super) struct Warnings(Vec<(Importance, String)>);

impl Warnings {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, importance: Importance, text: impl Into<String>) {
        self.0.push((importance, text.into()));
    }

    pub(super) fn push_all(&mut self, importance: Importance, texts: impl IntoIterator<Item = String>) {
        texts.into_iter().for_each(|text| self.push(importance, text));
    }

    /// The most important ones, fit for headers.
    pub(super) fn finish(self) -> Vec<String> {
        let of = |importance| self.0.iter().filter(move |(its, _)| *its == importance).map(|(_, text)| shortened(text));
        ORDER.into_iter().flat_map(of).take(MAX_WARNINGS).collect()
    }
}

fn shortened(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    if text.chars().count() <= MAX_LENGTH {
        return clean.collect();
    }
    let mut short: String = clean.take(MAX_LENGTH.saturating_sub(3)).collect();
    short.push_str("...");
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_few_short_and_clean() {
        let mut warnings = Warnings::default();
        for _ in 0..10 {
            warnings.push(Importance::Note, "note");
        }
        warnings.push(Importance::NoEffect, "ä\n".repeat(100));
        let texts = warnings.finish();
        assert_eq!(texts.len(), 8);
        assert_eq!(texts[0].chars().count(), 120);
        assert!(!texts[0].contains('\n'));
        assert_eq!(texts[7], "note");
    }
}
