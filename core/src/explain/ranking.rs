//! Words for the comparison of two pods (KEP-2255).

use alloc::string::{String, ToString};
use core::fmt;

use super::{Clause, ClauseText, OperandSource, OperandValue, Phrase, Sibling, ToOperand};
use crate::controller::rank::{Chosen, ComparedValue, Comparison, Criterion};
use crate::object::PodPhase;

const OTHER: OperandSource = OperandSource::new("the pod that it is compared with");
const COST: OperandSource = OperandSource::new("annotation controller.kubernetes.io/pod-deletion-cost of the pod");
const OTHER_COST: OperandSource = OperandSource::new("the same annotation of the other pod");
const PHASE: OperandSource = OperandSource::new("status.phase of the pod");
const OTHER_PHASE: OperandSource = OperandSource::new("status.phase of the other pod");
const RELATED: OperandSource = OperandSource::new("active pods of the same owner on the pod's node");
const OTHER_RELATED: OperandSource = OperandSource::new("active pods of the same owner on the other pod's node");
const READY: OperandSource = OperandSource::new("the pod's condition Ready: its last transition");
const OTHER_READY: OperandSource = OperandSource::new("the other pod's condition Ready: its last transition");
const RESTARTS: OperandSource = OperandSource::new("restartCount of the pod's container that restarted most");
const OTHER_RESTARTS: OperandSource =
    OperandSource::new("restartCount of the other pod's container that restarted most");
const SIDECAR_RESTARTS: OperandSource = OperandSource::new("restartCount of the pod's sidecar that restarted most");
const OTHER_SIDECAR_RESTARTS: OperandSource =
    OperandSource::new("restartCount of the other pod's sidecar that restarted most");
const CREATED: OperandSource = OperandSource::new("metadata.creationTimestamp of the pod");
const OTHER_CREATED: OperandSource = OperandSource::new("metadata.creationTimestamp of the other pod");

/// Why a pod goes before another: the criterion that decided, with both values.
///
/// Upstream: `pkg/controller/controller_utils.go ActivePodsWithRanks.Less`
#[derive(Clone, Copy, Clause)]
pub(super) enum Precedence<'a> {
    #[clause("since no pod should remain")]
    NoneRemains,
    #[clause("since it has no node and {other} has one")]
    Unassigned {
        #[operand(OTHER)]
        other: Sibling<'a>,
    },
    #[clause("since it is {phase} and {other} is {other_phase}")]
    Phase {
        #[operand(PHASE)]
        phase: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_PHASE)]
        other_phase: &'a ComparedValue,
    },
    #[clause("since it is not ready and {other} is")]
    Unready {
        #[operand(OTHER)]
        other: Sibling<'a>,
    },
    #[clause("since its deletion cost is {cost} and {other}'s is {other_cost}")]
    DeletionCost {
        #[operand(COST)]
        cost: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_COST)]
        other_cost: &'a ComparedValue,
    },
    #[clause("since its node has {related} of these pods and {other}'s has {other_related}")]
    RelatedPods {
        #[operand(RELATED)]
        related: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_RELATED)]
        other_related: &'a ComparedValue,
    },
    #[clause("since it became ready {ready} and {other} {other_ready}")]
    ReadyTime {
        #[operand(READY)]
        ready: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_READY)]
        other_ready: &'a ComparedValue,
    },
    #[clause("since its uid is lower and {other} has been ready about as long")]
    ReadyTimeUid {
        #[operand(OTHER)]
        other: Sibling<'a>,
    },
    #[clause("since its restart count is {restarts} and {other}'s is {other_restarts}")]
    Restarts {
        #[operand(RESTARTS)]
        restarts: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_RESTARTS)]
        other_restarts: &'a ComparedValue,
    },
    #[clause("since its sidecar restart count is {restarts} and {other}'s is {other_restarts}")]
    SidecarRestarts {
        #[operand(SIDECAR_RESTARTS)]
        restarts: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_SIDECAR_RESTARTS)]
        other_restarts: &'a ComparedValue,
    },
    #[clause("since it was created {created} and {other} {other_created}")]
    Created {
        #[operand(CREATED)]
        created: &'a ComparedValue,
        #[operand(OTHER)]
        other: Sibling<'a>,
        #[operand(OTHER_CREATED)]
        other_created: &'a ComparedValue,
    },
    #[clause("since its uid is lower and {other} is about as old")]
    CreatedUid {
        #[operand(OTHER)]
        other: Sibling<'a>,
    },
    #[clause("since the sort happens to put it before {other}")]
    Equal {
        #[operand(OTHER)]
        other: Sibling<'a>,
    },
}

impl<'a> Precedence<'a> {
    /// Why the first pod of a comparison goes before the second, which has that name.
    pub(super) fn new(comparison: &'a Comparison, second: &'a str) -> Self {
        let Comparison { less, criterion, first, second: other_value } = comparison;
        let other = Sibling(second);
        match (less, criterion) {
            (false, _) | (true, Criterion::Equal) => Self::Equal { other },
            (true, Criterion::Assigned) => Self::Unassigned { other },
            (true, Criterion::Phase) => Self::Phase { phase: first, other, other_phase: other_value },
            (true, Criterion::Ready) => Self::Unready { other },
            (true, Criterion::DeletionCost) => Self::DeletionCost { cost: first, other, other_cost: other_value },
            (true, Criterion::RelatedPods) => Self::RelatedPods { related: first, other, other_related: other_value },
            (true, Criterion::ReadyTime) => Self::ReadyTime { ready: first, other, other_ready: other_value },
            (true, Criterion::ReadyTimeUid) => Self::ReadyTimeUid { other },
            (true, Criterion::Restarts) => Self::Restarts { restarts: first, other, other_restarts: other_value },
            (true, Criterion::SidecarRestarts) => {
                Self::SidecarRestarts { restarts: first, other, other_restarts: other_value }
            }
            (true, Criterion::Created) => Self::Created { created: first, other, other_created: other_value },
            (true, Criterion::CreatedUid) => Self::CreatedUid { other },
        }
    }
}

impl Clause for Chosen {
    const TEXTS: &'static [&'static ClauseText] = Precedence::TEXTS;

    fn phrase(&self) -> Phrase {
        Precedence::new(&self.comparison, &self.stays).phrase()
    }
}

impl Clause for Option<Chosen> {
    const TEXTS: &'static [&'static ClauseText] = Precedence::TEXTS;

    fn phrase(&self) -> Phrase {
        self.as_ref().map_or_else(|| Precedence::NoneRemains.phrase(), Chosen::phrase)
    }
}

/// Why the first pod goes before the second, as the end of a sentence about the first: `since it is not ready and
/// web-7 is`.
pub fn why(comparison: &Comparison, second: &str) -> String {
    Precedence::new(comparison, second).phrase().words()
}

impl ToOperand for ComparedValue {
    fn to_operand(&self) -> OperandValue {
        match self {
            Self::Number(number) => OperandValue::Int(*number),
            other => other.to_string().as_str().into(),
        }
    }
}

impl fmt::Display for ComparedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Phase(PodPhase::Unset) => f.write_str("without a phase"),
            Self::Phase(phase) => f.write_str(phase.as_str()),
            Self::Number(number) => write!(f, "{number}"),
            Self::Time(time) => f.write_str(&time.map_or_else(|| "at an unknown time".into(), |time| time.to_string())),
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
        let short = |name| Sibling(name).to_operand().to_string();
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
            "since its deletion cost is −3 and web-7's is 0"
        );
        assert_eq!(
            clause(Criterion::Phase, ComparedValue::Phase(PodPhase::Unset), ComparedValue::Phase(PodPhase::Running)),
            "since it is without a phase and web-7 is Running"
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
            "since it was created at an unknown time and web-7 2026-01-01T00:00:00Z"
        );
    }
}
