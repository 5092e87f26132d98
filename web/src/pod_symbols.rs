//! The symbols of pods. `index.html` defines each once, and every tile refers to one. Shape and fill show the state, the color
//! shows the revision.

use changeover_core::timeline::PodState;

use crate::linear_scale::{to_f64, to_i64};
use crate::ui_text::state_name;

/// A tile shows progress in this many levels, so that it changes only when it looks different.
pub(crate) const LEVELS: u8 = 12;

/// The `href` of a state's symbol at a level.
pub(crate) fn symbol_href(state: PodState, level: u8) -> String {
    let mut name = String::from("#s-");
    name.push_str(state_name(state));
    if has_progress(state) {
        name.push_str(&level.to_string());
    }
    name
}

const fn has_progress(state: PodState) -> bool {
    matches!(state, PodState::Ready | PodState::Starting | PodState::Terminating)
}

/// The progress between two times, as a level.
pub(crate) fn progress_level(since: i64, until: i64, now: i64) -> u8 {
    let duration = to_f64(until.saturating_sub(since));
    if duration <= 0.0 {
        return 0;
    }
    let share = (to_f64(now.saturating_sub(since)) / duration).clamp(0.0, 1.0);
    u8::try_from(to_i64(share * f64::from(LEVELS))).unwrap_or(LEVELS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_moves_in_steps_and_stays_inside() {
        assert_eq!([0, 50, 51, 900, -5].map(|now| progress_level(0, 100, now)), [0, 6, 6, 12, 0]);
        assert_eq!(progress_level(7, 7, 7), 0);
    }

    #[test]
    fn every_href_has_its_symbol() {
        // The build writes a symbol with `{step}` in its name once for each level (`xtask/src/shapes.rs`).
        let page = include_str!("../../www/static/index.html").replace("{step}", "7");
        for state in changeover_wire::playback_track::STATES {
            let id = symbol_href(state, 7).replace('#', "");
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
}
