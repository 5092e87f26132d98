//! What a rollout must stay within.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{Outcome, QuotaDemand};
use crate::Problem;
use crate::json::{FromJson, ToJson, decode};
use crate::object::Time;
use crate::scenario::Duration;

/// The constraints on a rollout: at least one of these. A rollout that never completes meets none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Constraints {
    /// The most pods of the workload that may hold resources at once, terminating ones included.
    #[json(omitempty)]
    pub max_pods: Option<i32>,
    /// The fewest pods of the workload that must be available at any time. Defaults to 1 if the current settings keep a pod
    /// available; with 0, settings that leave none, such as `Recreate`, are allowed, too.
    #[json(omitempty)]
    pub min_available: Option<i32>,
    /// The controller reports the rollout as complete within this time.
    #[json(omitempty)]
    pub within: Option<Duration>,
    /// The rollout fits all ResourceQuotas: the API server refuses nothing. Quotas among the options are always a constraint.
    pub quotas: bool,
}

/// The name of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConstraintKind {
    /// `maxPods`
    MaxPods,
    /// `minAvailable`
    MinAvailable,
    /// `within`, and that the rollout is complete at all
    Within,
    /// `quotas`
    Quotas,
}

/// A constraint that a setting does not meet.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Miss {
    /// The constraint that is not met; `within` also for a rollout that is never complete, or may never be.
    pub constraint: ConstraintKind,
    /// By how much it is missed, in thousandths of the constraint; absent if the rollout is never complete, or may never be.
    #[json(omitempty)]
    pub by: Option<i64>,
    /// By how much it is missed, in words.
    pub message: String,
}

impl Constraints {
    /// Reads constraints.
    ///
    /// # Errors
    /// An unknown key, a wrong type, or a number outside its bounds, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        let constraints: Self = decode(value, "constraints")?;
        constraints.validate()?;
        Ok(constraints)
    }

    pub(super) fn validate(&self) -> Result<(), Problem> {
        let numbers = [("maxPods", self.max_pods), ("minAvailable", self.min_available)];
        let negative = numbers.into_iter().filter_map(|(field, number)| {
            let number = number.filter(|number| *number < 0)?;
            let message = format!("Invalid value: {number}: must be greater than or equal to 0");
            Some(Problem::new(format!("constraints.{field}"), message))
        });
        Problem::check(negative.collect())
    }

    /// Refuses no constraint at all.
    pub(super) fn require_one(&self) -> Result<(), Problem> {
        if *self == Self::default() {
            let message = "Required value: must have one of maxPods, minAvailable, within and quotas";
            return Err(Problem::new("constraints", message));
        }
        Ok(())
    }

    /// All combinations of the constraints that are set, the smallest first.
    pub(super) fn choices(&self) -> Vec<Vec<ConstraintKind>> {
        let all = [
            (ConstraintKind::MaxPods, self.max_pods.is_some()),
            (ConstraintKind::MinAvailable, self.min_available.is_some()),
            (ConstraintKind::Within, self.within.is_some()),
            (ConstraintKind::Quotas, self.quotas),
        ];
        let mut choices: Vec<Vec<ConstraintKind>> = Vec::new();
        for (kind, _) in all.into_iter().filter(|(_, is_set)| *is_set) {
            let with_others: Vec<_> = choices.iter().map(|others| [others.as_slice(), &[kind]].concat()).collect();
            choices.push(Vec::from([kind]));
            choices.extend(with_others);
        }
        choices.sort_by_key(Vec::len);
        choices
    }

    /// The same without one of them.
    pub(super) fn without(&self, kind: ConstraintKind) -> Self {
        let mut constraints = self.clone();
        match kind {
            ConstraintKind::MaxPods => constraints.max_pods = None,
            ConstraintKind::MinAvailable => constraints.min_available = None,
            ConstraintKind::Within => constraints.within = None,
            ConstraintKind::Quotas => constraints.quotas = false,
        }
        constraints
    }

    /// The constraints that an outcome does not meet. `quotas`: what the rollout would use of each quota, by its name.
    pub(super) fn misses(&self, outcome: &Outcome, quotas: &[(String, QuotaDemand)]) -> Vec<Miss> {
        let mut misses = Vec::new();
        if let Some(most) = self.max_pods.filter(|most| outcome.peak > *most) {
            let over = outcome.peak.saturating_sub(most);
            misses.push(Miss {
                constraint: ConstraintKind::MaxPods,
                by: Some(thousandths(over.into(), most.into())),
                message: format!("up to {} pods, {over} more than {most}", outcome.peak),
            });
        }
        if let Some(least) = self.min_available.filter(|least| outcome.lowest_available < *least) {
            let under = least.saturating_sub(outcome.lowest_available);
            misses.push(Miss {
                constraint: ConstraintKind::MinAvailable,
                by: Some(thousandths(under.into(), least.into())),
                message: match least {
                    1 => String::from("no pod is available for a while"),
                    _ => format!("only {} pods available, {under} fewer than {least}", outcome.lowest_available),
                },
            });
        }
        match (outcome.complete.map(Duration), self.within) {
            (None, _) => {
                misses.push(Miss {
                    constraint: ConstraintKind::Within,
                    by: None,
                    message: String::from("never complete"),
                });
            }
            (Some(complete), Some(within)) if complete > within => misses.push(Miss {
                constraint: ConstraintKind::Within,
                by: Some(thousandths(complete.0.saturating_sub(within.0), within.0)),
                message: format!(
                    "complete after {}, more than {}",
                    complete.exactly_in_words(),
                    within.exactly_in_words()
                ),
            }),
            _ => {}
        }
        let exceeded: Vec<_> = quotas.iter().filter(|(_, demand)| self.quotas && !demand.fits).collect();
        if !exceeded.is_empty() {
            let resources = exceeded.iter().flat_map(|(name, demand)| {
                let amounts = demand.exceeded.iter().map(move |resource| {
                    format!(
                        "quota {name} allows {} {}, and the rollout needs {}",
                        resource.hard, resource.resource, resource.needed
                    )
                });
                amounts.chain(
                    demand.unspecified.iter().map(move |missing| format!("quota {name}: must specify {missing}")),
                )
            });
            let by = exceeded.iter().flat_map(|(_, demand)| &demand.exceeded).map(super::answer::Exceeded::thousandths);
            misses.push(Miss {
                constraint: ConstraintKind::Quotas,
                by: by.max(),
                message: resources.collect::<Vec<_>>().join("; "),
            });
        }
        misses
    }
}

impl ConstraintKind {
    /// What an outcome reaches, in the words of an option: `maxPods 17`; none if nothing that is larger would help.
    pub(super) fn reached(self, outcome: &Outcome, quotas: &[(String, QuotaDemand)]) -> Option<String> {
        Some(match self {
            Self::MaxPods => outcome.peak.to_string(),
            Self::MinAvailable => outcome.lowest_available.to_string(),
            // Nobody asks for milliseconds.
            Self::Within => Duration::seconds(whole_seconds(outcome.complete?)).to_string(),
            // A larger quota requires the same of containers.
            Self::Quotas if quotas.iter().any(|(_, demand)| demand.unspecified.is_some()) => return None,
            Self::Quotas => {
                let exceeded = quotas.iter().flat_map(|(name, demand)| {
                    demand
                        .exceeded
                        .iter()
                        .map(move |resource| format!("{name} {}={}", resource.resource, resource.needed))
                });
                exceeded.collect::<Vec<_>>().join(", ")
            }
        })
    }
}

/// Nanoseconds as seconds, rounded up.
const fn whole_seconds(nanoseconds: i64) -> i64 {
    nanoseconds.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND)
}

/// A share in thousandths; of nothing, all there is.
pub(super) fn thousandths(part: i64, whole: i64) -> i64 {
    part.saturating_mul(1_000).checked_div(whole).unwrap_or(i64::MAX)
}
