//! Where a scenario's timings are found.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::scenario::Timing;

/// The positions of the scenario's entries that are for the pods of a Deployment, by its name, and of all others. A fleet that runs
/// has an entry for each Deployment.
#[derive(Debug)]
pub(crate) struct TimingIndex {
    pub(super) by_deployment: BTreeMap<String, Vec<usize>>,
    pub(super) others: Vec<usize>,
}

impl TimingIndex {
    /// None where no entry is for a Deployment.
    pub(crate) fn of(timings: &[Timing]) -> Option<Self> {
        let mut index = Self { by_deployment: BTreeMap::new(), others: Vec::new() };
        for (position, timing) in timings.iter().enumerate() {
            match &timing.deployment {
                Some(name) => index.by_deployment.entry(name.clone()).or_default().push(position),
                None => index.others.push(position),
            }
        }
        (!index.by_deployment.is_empty()).then_some(index)
    }
}
