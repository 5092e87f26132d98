//! How far virtual time advances while the browser paints frames.

use crate::number::{to_f64, to_i64};

/// Virtual seconds per second.
pub const SPEEDS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// The speeds as the page shows them.
pub const SPEED_LABELS: [&str; 9] = ["0.25×", "0.5×", "1×", "2×", "4×", "8×", "16×", "32×", "64×"];

/// The index of the default speed, 4×.
pub const DEFAULT_SPEED: usize = 4;

/// Time without a change is shortened to at most this many real milliseconds.
const MAX_WAIT: f64 = 1200.0;

/// The virtual time after `milliseconds` of playing from `now`, given the times at which something happens.
pub fn advance(waves: &[i64], now: i64, milliseconds: f64, speed: f64) -> i64 {
    let mut now = now;
    let mut left = milliseconds;
    while left > 0.0 {
        let after = waves.partition_point(|time| *time <= now);
        let Some(next) = waves.get(after).copied() else { break };
        let previous = after.checked_sub(1).and_then(|index| waves.get(index)).copied().unwrap_or(now);
        // Virtual milliseconds per millisecond.
        let rate = speed.max(milliseconds_between(previous, next) / MAX_WAIT);
        let needed = milliseconds_between(now, next) / rate;
        if needed > left {
            return now.saturating_add(to_i64(left * rate * 1e6));
        }
        now = next;
        left -= needed;
    }
    now
}

fn milliseconds_between(from: i64, to: i64) -> f64 {
    to_f64(to.saturating_sub(from)) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn seconds(times: &[i64]) -> Vec<i64> {
        times.iter().map(|time| time.saturating_mul(SECOND)).collect()
    }

    #[test]
    fn time_runs_at_the_speed() {
        let waves = seconds(&[0, 1, 2]);
        assert_eq!(advance(&waves, 0, 100.0, 1.0), 100_000_000);
        assert_eq!(advance(&waves, 0, 100.0, 4.0), 400_000_000);
    }

    #[test]
    fn a_long_wait_is_shortened() {
        let waves = seconds(&[0, 120]);
        assert_eq!(advance(&waves, 0, 600.0, 1.0), 60 * SECOND);
        assert_eq!(advance(&waves, 0, 1300.0, 1.0), 120 * SECOND);
    }

    #[test]
    fn time_ends_at_the_last_wave() {
        let waves = seconds(&[0, 1]);
        assert_eq!(advance(&waves, 0, 5000.0, 64.0), SECOND);
        assert_eq!(advance(&waves, SECOND, 5000.0, 64.0), SECOND);
    }
}
