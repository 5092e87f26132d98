//! How virtual time runs.

use crate::linear_scale::{float, whole};
use crate::lockstep::Beats;

/// Virtual seconds a second, as `index.html` lists them.
pub(crate) const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// The speed at the start: 4×.
pub(crate) const USUAL: usize = 4;

/// A wait takes at most this long, in milliseconds of the reader's life.
const LONGEST_WAIT: f64 = 1200.0;

/// Where `milliseconds` of playing lead from `now`, and how many times faster than asked the wait there is shortened.
pub(crate) fn advance(beats: &Beats, now: i64, milliseconds: f64, speed: f64) -> (i64, Option<i64>) {
    let mut now = now;
    let mut left = milliseconds;
    let mut hurry = None;
    while left > 0.0 {
        let position = beats.position_at(now);
        let Some(next) = beats.list.get(position).map(|beat| beat.time) else { break };
        let gap = milliseconds_between(beats.time(position), next);
        // Virtual milliseconds a millisecond.
        let rate = speed.max(gap / LONGEST_WAIT);
        hurry = (rate >= speed * 1.5).then(|| whole((rate / speed).round()));
        let needed = milliseconds_between(now, next) / rate;
        if needed > left {
            now = now.saturating_add(whole(left * rate * 1e6));
            break;
        }
        now = next;
        left -= needed;
    }
    (now, hurry)
}

fn milliseconds_between(from: i64, to: i64) -> f64 {
    float(to.saturating_sub(from)) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::Beat;

    const SECOND: i64 = 1_000_000_000;

    fn beats(seconds: &[i64]) -> Beats {
        let beat = |second: &i64| Beat { time: second.saturating_mul(SECOND), notable: None };
        let mut beats = Beats::default();
        beats.list.extend(seconds.iter().map(beat));
        beats
    }

    #[test]
    fn time_runs_at_the_speed() {
        let beats = beats(&[0, 1, 2]);
        assert_eq!(advance(&beats, 0, 100.0, 1.0), (100_000_000, None));
        assert_eq!(advance(&beats, 0, 100.0, 4.0), (400_000_000, None));
    }

    #[test]
    fn a_dull_wait_is_shortened_and_says_so() {
        let beats = beats(&[0, 120]);
        assert_eq!(advance(&beats, 0, 600.0, 1.0), (60 * SECOND, Some(100)));
        assert_eq!(advance(&beats, 0, 1300.0, 1.0).0, 120 * SECOND);
    }

    #[test]
    fn it_ends_at_the_last_beat() {
        let beats = beats(&[0, 1]);
        assert_eq!(advance(&beats, 0, 5000.0, 64.0).0, SECOND);
        assert_eq!(advance(&beats, SECOND, 5000.0, 64.0), (SECOND, None));
    }
}
