//! How far the workbench is with what takes long, for the page to show.

use std::cell::Cell;

#[cfg(target_family = "wasm")]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// Defined in `workbench.js`.
    #[wasm_bindgen(js_name = progress)]
    fn show(percent: u32);
}

/// No page shows it.
#[cfg(not(target_family = "wasm"))]
const fn show(_: u32) {}

thread_local! {
    static SHOWN: Cell<Option<u32>> = const { Cell::new(None) };
}

/// A part of what takes long in a question. Each has its share of the percentage, so that it never falls back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// The text is read.
    Text,
    /// The text before the change is read.
    TextBefore,
    /// Remedies are simulated.
    Remedies,
}

impl Part {
    /// The percentages at its start and its end.
    const fn share(self) -> (usize, usize) {
        match self {
            Self::Text => (0, 20),
            Self::TextBefore => (20, 40),
            Self::Remedies => (40, 100),
        }
    }

    /// Shows how much of it is done, if the percentage has changed.
    pub(crate) fn watch(self) -> impl FnMut(usize, usize) {
        move |done, of| {
            let percent = self.percent(done, of).and_then(|percent| u32::try_from(percent).ok());
            if SHOWN.replace(percent) != percent
                && let Some(percent) = percent
            {
                show(percent);
            }
        }
    }

    fn percent(self, done: usize, of: usize) -> Option<usize> {
        let (start, end) = self.share();
        let part = done.min(of).saturating_mul(end.saturating_sub(start)).checked_div(of)?;
        Some(start.saturating_add(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_never_falls_back_between_parts() {
        let parts = [Part::Text, Part::TextBefore, Part::Remedies];
        let percentages = parts.iter().flat_map(|part| (0..=3).filter_map(|done| part.percent(done, 3)));
        let percentages: Vec<usize> = percentages.collect();
        assert!(percentages.is_sorted(), "{percentages:?}");
        assert_eq!((percentages.first(), percentages.last()), (Some(&0), Some(&100)));
    }
}
