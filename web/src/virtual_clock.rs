//! The virtual clock: how far virtual time advances while the browser paints frames.

use crate::linear_scale::{to_f64, to_i64};
use crate::lockstep::Lockstep;

/// Virtual seconds per second, in the order of `index.html`.
pub(crate) const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// The index of the default speed, 4×.
pub(crate) const DEFAULT_SPEED: usize = 4;

/// A wait takes at most this long, in real milliseconds.
const MAX_WAIT: f64 = 1200.0;

/// The virtual time after `milliseconds` of playing from `now`, and, during a shortened wait, how many times faster than the
/// chosen speed time runs.
pub(crate) fn advance(lockstep: &Lockstep, now: i64, milliseconds: f64, speed: f64) -> (i64, Option<i64>) {
    let mut now = now;
    let mut left = milliseconds;
    let mut speedup = None;
    while left > 0.0 {
        let position = lockstep.position_at(now);
        let Some(next) = lockstep.steps.get(position).map(|step| step.time) else { break };
        let gap = milliseconds_between(lockstep.time_at(position), next);
        // Virtual milliseconds per millisecond.
        let rate = speed.max(gap / MAX_WAIT);
        speedup = (rate >= speed * 1.5).then(|| to_i64((rate / speed).round()));
        let needed = milliseconds_between(now, next) / rate;
        if needed > left {
            now = now.saturating_add(to_i64(left * rate * 1e6));
            break;
        }
        now = next;
        left -= needed;
    }
    (now, speedup)
}

fn milliseconds_between(from: i64, to: i64) -> f64 {
    to_f64(to.saturating_sub(from)) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::JointStep;

    const SECOND: i64 = 1_000_000_000;

    fn lockstep(seconds: &[i64]) -> Lockstep {
        let step = |second: &i64| JointStep { time: second.saturating_mul(SECOND), milestone: None };
        let mut lockstep = Lockstep::default();
        lockstep.steps.extend(seconds.iter().map(step));
        lockstep
    }

    #[test]
    fn time_runs_at_the_speed() {
        let lockstep = lockstep(&[0, 1, 2]);
        assert_eq!(advance(&lockstep, 0, 100.0, 1.0), (100_000_000, None));
        assert_eq!(advance(&lockstep, 0, 100.0, 4.0), (400_000_000, None));
    }

    #[test]
    fn a_long_wait_is_shortened_and_reported() {
        let lockstep = lockstep(&[0, 120]);
        assert_eq!(advance(&lockstep, 0, 600.0, 1.0), (60 * SECOND, Some(100)));
        assert_eq!(advance(&lockstep, 0, 1300.0, 1.0).0, 120 * SECOND);
    }

    #[test]
    fn time_ends_at_the_last_step() {
        let lockstep = lockstep(&[0, 1]);
        assert_eq!(advance(&lockstep, 0, 5000.0, 64.0).0, SECOND);
        assert_eq!(advance(&lockstep, SECOND, 5000.0, 64.0), (SECOND, None));
    }
}
