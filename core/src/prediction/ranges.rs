//! The ranges of outcomes over several runs.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{Outcome, Range, Ranges, ResourceDemand, ResourceRange};
use crate::object::quantity::nanos;

impl Ranges {
    /// The ranges of at least one outcome.
    pub(super) fn of(outcomes: &[&Outcome]) -> Option<Self> {
        let all = |number: fn(&Outcome) -> i64| Range::of(outcomes.iter().map(|outcome| number(outcome)));
        let complete: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.complete).collect();
        let gone: Vec<i64> = outcomes.iter().filter_map(|outcome| outcome.last_old_pod_gone).collect();
        Some(Self {
            runs: u32::try_from(outcomes.len()).unwrap_or(u32::MAX),
            peak: all(|outcome| outcome.peak.into())?,
            resources: resources(outcomes),
            lowest_available: all(|outcome| outcome.lowest_available.into())?,
            completed: u32::try_from(complete.len()).unwrap_or(u32::MAX),
            complete: Range::of(complete.into_iter()),
            last_old_pod_gone: Range::of(gone.into_iter()),
        })
    }
}

/// The ranges of what is requested, in the order of the resources' names. A run without a resource requests none of it.
fn resources(outcomes: &[&Outcome]) -> Vec<ResourceRange> {
    let mut peaks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for ResourceDemand { resource, peak, .. } in outcomes.iter().flat_map(|outcome| &outcome.resources) {
        peaks.entry(resource).or_default().push(peak);
    }
    let amount = |text: &&str| nanos(&Value::from(*text)).unwrap_or(0);
    let range = |(resource, peaks): (&str, Vec<&str>)| {
        let least = if peaks.len() < outcomes.len() { Some("0") } else { peaks.iter().copied().min_by_key(amount) };
        let most = peaks.iter().copied().max_by_key(amount);
        Some(ResourceRange { resource: resource.into(), least: String::from(least?), most: String::from(most?) })
    };
    peaks.into_iter().filter_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(demands: &[(&str, &str)]) -> Outcome {
        let demand = |(resource, peak): &(&str, &str)| ResourceDemand {
            resource: String::from(*resource),
            before: String::from("0"),
            peak: String::from(*peak),
            peak_at: 0,
            after: String::from("0"),
        };
        Outcome { resources: demands.iter().map(demand).collect(), ..Outcome::default() }
    }

    #[test]
    fn amounts_are_compared_as_quantities() {
        let runs = [outcome(&[("cpu", "2"), ("memory", "900Mi")]), outcome(&[("cpu", "1500m"), ("memory", "1Gi")])];
        let ranges = Ranges::of(&runs.iter().collect::<Vec<_>>()).unwrap();
        let written: Vec<_> =
            ranges.resources.iter().map(|range| (&*range.resource, &*range.least, &*range.most)).collect();
        assert_eq!(written, [("cpu", "1500m", "2"), ("memory", "900Mi", "1Gi")]);
    }

    #[test]
    fn a_run_without_a_resource_requests_none_of_it() {
        let runs = [outcome(&[("cpu", "2")]), outcome(&[])];
        let ranges = Ranges::of(&runs.iter().collect::<Vec<_>>()).unwrap();
        let range = ResourceRange { resource: String::from("cpu"), least: String::from("0"), most: String::from("2") };
        assert_eq!(ranges.resources, [range]);
    }
}
