//! Compares what the simulated cluster predicts for a recorded scenario with its runs on the real control plane.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use changeover_core::object::{Kind, ObjectKey, Time};
use changeover_core::scenario::Mode;

use crate::recording::Recording;
use crate::rehearsal::{Rehearsal, RequestTime, WorkloadFigures};
use crate::request_times::median;

/// The runs of each scenario.
const RUNS: [u32; 3] = [1, 2, 3];

/// The tolerance for times outside the range of the runs, in percent.
pub(crate) const TOLERANCE: i64 = 15;

/// Prefixes of the names of scenarios that can't be played, and why.
const NOT_PLAYED: [(&str, &str); 13] = [
    ("bare-replica-set", "has no workload that is compared"),
    ("cron-job", "depends on the second of the minute in which it begins"),
    ("daemon-create", "names pods"),
    ("daemon-on-delete", "names pods"),
    ("daemon-pods-deleted-in-rollout", "names pods"),
    ("daemon-pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("job-replacement", "has stopped containers that succeed, while simulated ones fail with exit code 143"),
    ("pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("recreate-pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("release-pods", "names pods"),
    ("replication-controllers", "has no workload that is compared"),
    ("set-pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("volumes-by-zone", "has claims that a controller binds, which the simulated cluster does not"),
];

/// A figure of a rollout or of a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// The maximum number of pods.
    Peak,
    /// The minimum number of available pods; a Job has none.
    LowestAvailable,
    /// How often a ReplicaSet of a Deployment was resized.
    SizeChanges,
    /// The duration.
    Milliseconds,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 4] = [Self::Peak, Self::LowestAvailable, Self::SizeChanges, Self::Milliseconds];

    /// The figure's value; none if the workload has no such figure. The duration of what never completes is the maximum.
    fn of(self, figures: &WorkloadFigures) -> Option<i64> {
        let milliseconds = |nanoseconds: i64| nanoseconds.div_euclid(1_000_000);
        Some(match (self, figures) {
            (Self::Peak, WorkloadFigures::Rollout(rollout)) => rollout.peak.into(),
            (Self::Peak, WorkloadFigures::Job(job)) => job.peak.into(),
            (Self::LowestAvailable, WorkloadFigures::Rollout(rollout)) => rollout.lowest_available.into(),
            (Self::SizeChanges, WorkloadFigures::Rollout(rollout)) => rollout.size_changes?.into(),
            (Self::LowestAvailable | Self::SizeChanges, WorkloadFigures::Job(_)) => return None,
            (Self::Milliseconds, WorkloadFigures::Rollout(rollout)) => match rollout.complete {
                // It was complete before, is scaled down, or is deleted: the scenario is about pods that come and go.
                Some(..Time::SECOND) => milliseconds(rollout.settled),
                None if rollout.is_deleted => milliseconds(rollout.settled),
                Some(complete) => milliseconds(complete),
                None => i32::MAX.into(),
            },
            (Self::Milliseconds, WorkloadFigures::Job(job)) => job.finished.map_or(i32::MAX.into(), milliseconds),
        })
    }

    /// A value as people read it: seconds for the duration.
    #[must_use]
    pub fn shown(self, value: i64) -> String {
        match self {
            Self::Milliseconds if value == i64::from(i32::MAX) => "never".to_owned(),
            Self::Milliseconds => {
                let tenths = value.saturating_add(50).div_euclid(100);
                format!("{}.{}", tenths.div_euclid(10), tenths.rem_euclid(10))
            }
            Self::Peak | Self::LowestAvailable | Self::SizeChanges => value.to_string(),
        }
    }

    const fn tolerance(self) -> i64 {
        if matches!(self, Self::Milliseconds) { TOLERANCE } else { 0 }
    }
}

/// A figure of a workload.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The scenario.
    pub scenario: String,
    /// The name of the workload.
    pub workload: String,
    /// The figure.
    pub figure: Figure,
    /// The values of the runs, sorted.
    pub recorded: Vec<i64>,
    /// The predictions with the pods of each run, sorted.
    pub predicted: Vec<i64>,
}

impl Comparison {
    /// The minimum and the maximum of the runs.
    #[must_use]
    pub fn range(&self) -> (i64, i64) {
        let [first, last] = [self.recorded.first(), self.recorded.last()].map(|end| end.copied().unwrap_or_default());
        (first, last)
    }

    /// The median of the predictions.
    #[must_use]
    pub fn median(&self) -> i64 {
        median(&self.predicted).unwrap_or_default()
    }

    /// The range and the median, in a table.
    fn cells(&self) -> String {
        let (least, most) = self.range();
        let [least, most, median] = [least, most, self.median()].map(|value| self.figure.shown(value));
        let range = if least == most { least } else { format!("{least} to {most}") };
        format!(" {range} | {median} |")
    }

    /// Whether the median is in the range of the runs; times may be 15 % outside.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        let (least, most) = self.range();
        let slack = |end: i64| end.saturating_mul(self.figure.tolerance()).div_euclid(100);
        (least.saturating_sub(slack(least))..=most.saturating_add(slack(most))).contains(&self.median())
    }
}

/// A table of rollouts: the figures of the runs, and the median of the predictions.
#[must_use]
pub fn table(comparisons: &[Comparison]) -> String {
    let mut table = String::from(
        "| scenario | most pods: real | predicted | fewest available: real | predicted | changes of size: real | predicted | seconds: real | predicted |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut workloads: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for comparison in comparisons {
        workloads.entry(&comparison.scenario).or_default().insert(&comparison.workload);
    }
    for (scenario, workloads) in workloads {
        for workload in &workloads {
            let cells = |figure: Figure| {
                let is_it =
                    |it: &&Comparison| it.scenario == scenario && it.workload == **workload && it.figure == figure;
                // A Job has no available pods, and only a Deployment has changes of size.
                comparisons.iter().find(is_it).map_or_else(|| " - | - |".to_owned(), Comparison::cells)
            };
            let row: String = Figure::ALL.into_iter().map(cells).collect();
            let name = if workloads.len() > 1 { format!("{scenario}: {workload}") } else { scenario.to_owned() };
            table.push_str(&format!("| {name} |{row}\n"));
        }
    }
    table
}

/// The scenarios with recordings in a folder that can be played.
///
/// # Errors
/// If the folder can't be read.
pub fn scenarios(folder: &Path) -> Result<BTreeSet<String>, String> {
    let error = |problem: std::io::Error| format!("{}: {problem}", folder.display());
    let mut scenarios = BTreeSet::new();
    for entry in folder.read_dir().map_err(error)? {
        let name = entry.map_err(error)?.file_name().to_string_lossy().into_owned();
        if let Some((scenario, _)) = name.rsplit_once('-') {
            scenarios.insert(scenario.to_owned());
        }
    }
    scenarios.retain(|name| !NOT_PLAYED.iter().any(|(not_played, _)| name.starts_with(not_played)));
    Ok(scenarios)
}

/// The figures of a run, of each workload.
type RunFigures = BTreeMap<ObjectKey, WorkloadFigures>;

/// All figures of a scenario's workloads, predicted in a mode with requests that take that long.
///
/// # Errors
/// If a recording can't be read or played.
pub fn compare(
    folder: &Path,
    scenario: &str,
    mode: Mode,
    request_time: RequestTime,
) -> Result<Vec<Comparison>, String> {
    let runs = runs(folder, scenario)?;
    let recorded: Vec<RunFigures> = runs.iter().map(Rehearsal::recorded).collect();
    let predicted: Result<Vec<RunFigures>, String> = runs.iter().map(|run| run.simulated(mode, request_time)).collect();
    let predicted = predicted.map_err(|problem| format!("{scenario}: {problem}"))?;
    Ok(comparisons(scenario, &recorded, &predicted))
}

/// All figures of a scenario, with earlier recordings in place of predictions: how well real runs predict other real runs.
///
/// # Errors
/// If a recording can't be read.
pub fn compare_recordings(folder: &Path, earlier: &Path, scenario: &str) -> Result<Vec<Comparison>, String> {
    let [later, earlier] = [runs(folder, scenario)?, runs(earlier, scenario)?];
    let [later, earlier] = [later, earlier].map(|runs| runs.iter().map(Rehearsal::recorded).collect::<Vec<_>>());
    Ok(comparisons(scenario, &later, &earlier))
}

fn runs(folder: &Path, scenario: &str) -> Result<Vec<Rehearsal>, String> {
    let path = |run: u32| folder.join(format!("{scenario}-{run}.jsonl.gz"));
    RUNS.into_iter().map(|run| Ok(Rehearsal::new(&Recording::read(&path(run))?))).collect()
}

fn comparisons(scenario: &str, recorded: &[RunFigures], predicted: &[RunFigures]) -> Vec<Comparison> {
    // Each run has a namespace of its own.
    let workloads: Vec<(Kind, &str)> =
        recorded.first().into_iter().flatten().map(|(key, _)| (key.kind, &*key.name)).collect();
    let mut comparisons = Vec::new();
    for workload @ (_, name) in workloads {
        for figure in Figure::ALL {
            let sorted = |runs: &[RunFigures]| {
                let of_name =
                    |run: &RunFigures| figure.of(run.iter().find(|(key, _)| (key.kind, &*key.name) == workload)?.1);
                let mut figures: Vec<i64> = runs.iter().filter_map(of_name).collect();
                figures.sort_unstable();
                figures
            };
            comparisons.push(Comparison {
                scenario: scenario.to_owned(),
                workload: name.to_owned(),
                figure,
                recorded: sorted(recorded),
                predicted: sorted(predicted),
            });
        }
    }
    comparisons.retain(|comparison| !comparison.recorded.is_empty());
    comparisons
}
