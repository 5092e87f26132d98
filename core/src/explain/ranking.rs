//! Words for the comparison of two pods (KEP-2255).

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::controller::rank::{ComparedValue, Comparison, Criterion};
use crate::object::PodPhase;

/// Longer names are shown without the prefix that a pod's name shares with its siblings'.
const LONGEST_NAME: usize = 25;

/// The second pod, as the sentence about the first has room for it.
pub(super) fn short(name: &str) -> String {
    match name.rsplit_once('-') {
        Some((_, own)) if name.len() > LONGEST_NAME => ["…", own].concat(),
        _ => name.into(),
    }
}

/// Why the first pod goes before the second, as the end of a sentence about the first: `since it is not ready and
/// web-7 is`.
pub fn why(comparison: &Comparison, second: &str) -> String {
    let second = short(second);
    let Comparison { less, criterion, first, second: other } = comparison;
    match (less, criterion) {
        (false, _) | (true, Criterion::Equal) => format!("since the sort happens to put it before {second}"),
        (true, Criterion::Assigned) => format!("since it is on no node and {second} is"),
        (true, Criterion::Phase) => format!("since it is {first} and {second} is {other}"),
        (true, Criterion::Ready) => format!("since it is not ready and {second} is"),
        (true, Criterion::DeletionCost) => format!("since its deletion cost is {first} and {second}'s is {other}"),
        (true, Criterion::RelatedPods) => {
            format!("since its node has {first} of these pods and {second}'s has {other}")
        }
        (true, Criterion::ReadyTime) => format!("since it became ready {first} and {second} {other}"),
        (true, Criterion::ReadyTimeUid) => format!("since its uid is lower than {second}'s (ready about as long)"),
        (true, Criterion::Restarts) => format!("since its restart count is {first} and {second}'s is {other}"),
        (true, Criterion::SidecarRestarts) => {
            format!("since its sidecars restarted {first} times, {second}'s {other}")
        }
        (true, Criterion::Created) => format!("since it was created {first} and {second} {other}"),
        (true, Criterion::CreatedUid) => format!("since its uid is lower than {second}'s (about as old)"),
    }
}

impl fmt::Display for ComparedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Phase(PodPhase::Unset) => f.write_str("in no phase"),
            Self::Phase(phase) => f.write_str(phase.as_str()),
            Self::Number(number) => write!(f, "{number}"),
            Self::Time(time) => f.write_str(&time.map_or_else(|| "at no known time".into(), |time| time.to_string())),
            Self::Age { nanoseconds, .. } => write!(f, "{} ago", Span(*nanoseconds)),
            Self::Uid(uid) => f.write_str(uid),
            Self::Nothing => Ok(()),
        }
    }
}

/// A time span in its two largest units, like `3 d 4 h` or `250 ms`.
struct Span(i64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(i64, &str); 7] = [
            (86_400_000_000_000, "d"),
            (3_600_000_000_000, "h"),
            (60_000_000_000, "min"),
            (1_000_000_000, "s"),
            (1_000_000, "ms"),
            (1_000, "µs"),
            (1, "ns"),
        ];
        let Some(largest) = UNITS.iter().position(|(unit, _)| self.0 >= *unit) else {
            return f.write_str("0 s");
        };
        let mut rest = self.0;
        for (index, (unit, name)) in UNITS.iter().skip(largest).take(2).enumerate() {
            let count = rest.checked_div(*unit).unwrap_or_default();
            rest = rest.checked_rem(*unit).unwrap_or_default();
            match (index, count) {
                (0, _) => write!(f, "{count} {name}")?,
                (_, 0) => {}
                _ => write!(f, " {count} {name}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let spans = [
            (-5, "0 s"),
            (0, "0 s"),
            (999, "999 ns"),
            (1_500_000, "1 ms 500 µs"),
            (61_000_000_000, "1 min 1 s"),
            (7_200_000_000_000, "2 h"),
            (90_061_000_000_000, "1 d 1 h"),
        ];
        for (nanoseconds, text) in spans {
            assert_eq!(Span(nanoseconds).to_string(), text);
        }
    }

    #[test]
    fn a_long_name_loses_the_prefix_that_siblings_share() {
        assert_eq!(short("web-7"), "web-7");
        assert_eq!(short("payments-gateway-7d9c5b6f48-kq9wd"), "…kq9wd");
        assert_eq!(short("averyveryverylongnameofonlyoneword"), "averyveryverylongnameofonlyoneword");
    }

    #[test]
    fn a_clause_about_the_first_pod() {
        let age = |nanoseconds| ComparedValue::Age { nanoseconds, magnitude: 0 };
        let clause = |criterion, first, second| why(&Comparison { less: true, criterion, first, second }, "web-7");
        assert_eq!(
            clause(Criterion::DeletionCost, ComparedValue::Number(-3), ComparedValue::Number(0)),
            "since its deletion cost is -3 and web-7's is 0"
        );
        assert_eq!(
            clause(Criterion::Phase, ComparedValue::Phase(PodPhase::Unset), ComparedValue::Phase(PodPhase::Running)),
            "since it is in no phase and web-7 is Running"
        );
        assert_eq!(
            clause(Criterion::ReadyTime, age(3_000_000_000), age(90_000_000_000)),
            "since it became ready 3 s ago and web-7 1 min 30 s ago"
        );
        assert_eq!(
            clause(
                Criterion::Created,
                ComparedValue::Time(None),
                ComparedValue::Time(crate::object::Time::parse("2026-01-01T00:00:00Z"))
            ),
            "since it was created at no known time and web-7 2026-01-01T00:00:00Z"
        );
    }
}
