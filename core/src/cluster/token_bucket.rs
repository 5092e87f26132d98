//! A token bucket, as client-go limits requests with.

use crate::object::Time;

/// A steady rate of requests, and a burst after a rest. It counts exactly, where Go rounds as floating-point numbers do.
///
/// Upstream: `k8s.io/client-go/util/flowcontrol/throttle.go NewTokenBucketRateLimiter`, a Limiter of golang.org/x/time/rate
#[derive(Debug)]
pub(super) struct TokenBucket {
    requests: i64,
    seconds: i64,
    /// What the bucket holds when it is full.
    full: i64,
    /// What it holds: a token is as much as comes in `seconds` for one request. Below 0, tokens are reserved.
    credit: i64,
    since: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub(super) fn new(requests: u32, seconds: u32, burst: u32, now: Time) -> Self {
        let (requests, seconds) = (i64::from(requests.max(1)), i64::from(seconds));
        let full = Time::SECOND.saturating_mul(seconds).saturating_mul(burst.into());
        Self { requests, seconds, full, credit: full, since: now }
    }

    const fn token(&self) -> i64 {
        Time::SECOND.saturating_mul(self.seconds)
    }

    fn refill(&mut self, now: Time) {
        let gained = now.since(self.since).max(0).saturating_mul(self.requests);
        self.credit = self.credit.saturating_add(gained).min(self.full);
        self.since = now;
    }

    /// Takes the next token: after how many nanoseconds it is there.
    ///
    /// Upstream: `k8s.io/client-go/util/flowcontrol/throttle.go tokenBucketRateLimiter.Accept`
    pub(super) fn reserve(&mut self, now: Time) -> i64 {
        self.refill(now);
        self.credit = self.credit.saturating_sub(self.token());
        self.credit.min(0).saturating_neg().div_euclid(self.requests)
    }

    /// Takes a token if there is one.
    ///
    /// Upstream: `k8s.io/client-go/util/flowcontrol/throttle.go tokenBucketPassiveRateLimiter.TryAccept`
    pub(super) fn try_take(&mut self, now: Time) -> bool {
        self.refill(now);
        let is_there = self.credit >= self.token();
        if is_there {
            self.credit = self.credit.saturating_sub(self.token());
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Recorded from client-go; its first lines say how.
    const RECORDED: &str = include_str!("token_bucket.tsv");

    #[test]
    fn requests_wait_as_long_as_client_gos() {
        let mut limiter: Option<(u32, u32, TokenBucket)> = None;
        let mut waits = 0;
        for line in RECORDED.lines().skip(3) {
            let numbers: Vec<i64> = line.split('\t').map(|number| number.parse().unwrap()).collect();
            let [qps, burst, at, wait] = numbers[..] else { panic!("{line}") };
            let [qps, burst] = [qps, burst].map(|number| u32::try_from(number).unwrap());
            if limiter.as_ref().is_none_or(|(known, of, _)| (*known, *of) != (qps, burst)) {
                limiter = Some((qps, burst, TokenBucket::new(qps, 1, burst, Time(0))));
            }
            let (.., bucket) = limiter.as_mut().unwrap();
            let here = bucket.reserve(Time(at));
            // Go's floating-point numbers lose a nanosecond here and there.
            assert!((here - wait).abs() <= 1, "{line}: {here}");
            waits += i32::from(wait > 0);
        }
        assert!(waits > 100);
    }

    #[test]
    fn a_token_is_taken_only_if_it_is_there() {
        let mut bucket = TokenBucket::new(1, 300, 2, Time(0));
        let taken = [0, 0, 0, 299, 300, 301, 900].map(|second| bucket.try_take(Time(0).plus_seconds(second)));
        assert_eq!(taken, [true, true, false, false, true, false, true]);
        let mut overflows = TokenBucket::new(u32::MAX, u32::MAX, u32::MAX, Time(0));
        assert_eq!(overflows.reserve(Time(i64::MAX)), 0);
    }
}
