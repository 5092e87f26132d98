//! How long the API server took to answer the requests of the controllers.

use crate::owners::synced_kind;
use crate::recording::Recording;

/// The times of the controllers' requests in a recording, in nanoseconds.
pub fn request_times(recording: &Recording) -> impl Iterator<Item = i64> {
    let of_controllers = recording.requests.iter().filter(|request| synced_kind(&request.user).is_some());
    of_controllers.map(|request| request.answered.since(request.received))
}

/// The mean; none without any times.
#[must_use]
pub fn mean(times: &[i64]) -> Option<i64> {
    times.iter().sum::<i64>().checked_div(i64::try_from(times.len()).ok()?)
}

/// The median of sorted values, for an even number the larger one of the two in the middle; none without any.
#[must_use]
pub fn median(sorted: &[i64]) -> Option<i64> {
    sorted.get(sorted.len().div_euclid(2)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_request_changes_the_mean_only() {
        let times = [3, 4, 5, 6, 82];
        assert_eq!((median(&times), mean(&times)), (Some(5), Some(20)));
    }

    #[test]
    fn no_requests_have_neither() {
        assert_eq!((median(&[]), mean(&[])), (None, None));
    }
}
