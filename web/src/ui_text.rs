//! Texts of the page itself: counts, the names of pod states, the headline. The core words all decisions.

use changeover_core::timeline::{Marks, PodState};

/// `1 pod`, `2 pods`
pub(crate) fn plural(count: i32, noun: &str) -> String {
    let mut text = group_digits(count) + " " + noun;
    if count != 1 {
        text.push('s');
    }
    text
}

/// `2500`, `12,500`, `1,250,000`
pub(crate) fn group_digits(count: i32) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    let (mut rest, mut text) = (count, String::new());
    while rest >= 1000 {
        text = format!(",{:03}{text}", rest.rem_euclid(1000));
        rest = rest.div_euclid(1000);
    }
    rest.to_string() + &text
}

/// `3 over`
pub(crate) fn over_limit(count: i32) -> String {
    group_digits(count) + " over"
}

/// The name of a state, in texts and in CSS classes.
pub(crate) const fn state_name(state: PodState) -> &'static str {
    match state {
        PodState::Available => "available",
        PodState::Ready => "ready",
        PodState::Starting => "starting",
        PodState::Pending => "pending",
        PodState::Terminating => "terminating",
        PodState::Unknown => "unknown",
        PodState::Failed => "failed",
        PodState::Succeeded => "succeeded",
    }
}

/// The headline: the promised limit and the peak. `lane` is empty if the peak is in the first lane.
pub(crate) fn headline(marks: Marks, peak: i32, lane: &str) -> String {
    let promise = format!("{} promise {} at most", plural(marks.desired, "replica"), plural(marks.limit, "pod"));
    if peak <= marks.limit {
        return promise + ", and so it is.";
    }
    let with = if lane.is_empty() { "" } else { " with " };
    format!("{promise}. For a while there are {}{with}{lane}.", group_digits(peak))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_have_grouped_digits() {
        let written = [0, 999, 9999, 10_000, 12_500, 150_007, 1_250_000].map(group_digits);
        assert_eq!(written, ["0", "999", "9999", "10,000", "12,500", "150,007", "1,250,000"]);
        assert_eq!([1, 2].map(|count| plural(count, "pod")), ["1 pod", "2 pods"]);
    }

    #[test]
    fn the_headline_names_the_peak() {
        let marks = Marks { desired: 10, limit: 13, min_available: 8 };
        let promise = "10 replicas promise 13 pods at most";
        assert_eq!(headline(marks, 13, ""), format!("{promise}, and so it is."));
        assert_eq!(headline(marks, 20, ""), format!("{promise}. For a while there are 20."));
        assert_eq!(headline(marks, 20, "Other"), format!("{promise}. For a while there are 20 with Other."));
    }
}
