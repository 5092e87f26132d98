//! What the simulated cluster predicts of a recorded scenario, beside what its runs on the real control plane showed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use changeover_core::object::ObjectKey;
use changeover_core::scenario::Mode;

use crate::recording::Recording;
use crate::rehearsal::{Figures, Rehearsal};

/// Each scenario was recorded as often.
const RUNS: [u32; 3] = [1, 2, 3];

/// By how much the time may be outside of what the runs show, in percent.
const TOLERANCE: i64 = 15;

/// Scenarios that can't be played, by the beginning of their names, and why.
const NOT_PLAYED: [(&str, &str); 10] = [
    ("bare-replica-set", "has no Deployment"),
    ("cron-job", "has no Deployment"),
    ("delete-", "rolls nothing out: what is deleted goes"),
    ("job", "has no Deployment"),
    ("no-room", "the recording does not say how much room the node has"),
    ("node-lost", "the recording does not say when the node is lost"),
    ("orphan-adopt", "rolls nothing out before the Deployment is deleted"),
    ("pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("recreate-pods-fail", "has pods that fail and are not restarted, as if evicted by their kubelet"),
    ("release-pods", "names pods"),
];

/// A figure of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// The most pods at once.
    Peak,
    /// The fewest available pods.
    LowestAvailable,
    /// How often a ReplicaSet got another size.
    SizeChanges,
    /// How long it took.
    Milliseconds,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 4] = [Self::Peak, Self::LowestAvailable, Self::SizeChanges, Self::Milliseconds];

    /// The figure; a rollout that is never complete takes as long as can be.
    fn of(self, figures: &Figures) -> i64 {
        let milliseconds = |nanoseconds: i64| nanoseconds.div_euclid(1_000_000);
        match self {
            Self::Peak => figures.peak.into(),
            Self::LowestAvailable => figures.lowest_available.into(),
            Self::SizeChanges => figures.size_changes.into(),
            Self::Milliseconds => match figures.complete {
                // It was complete before: the scenario is about pods that come and go.
                Some(0) => milliseconds(figures.settled),
                Some(complete) => milliseconds(complete),
                None => i32::MAX.into(),
            },
        }
    }

    const fn tolerance(self) -> i64 {
        if matches!(self, Self::Milliseconds) { TOLERANCE } else { 0 }
    }
}

/// A figure of a Deployment.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The scenario.
    pub scenario: String,
    /// The Deployment's name.
    pub deployment: String,
    /// Which figure.
    pub figure: Figure,
    /// What the runs showed, the least first.
    pub recorded: Vec<i64>,
    /// What was predicted for the pods of each run, the least first.
    pub predicted: Vec<i64>,
}

impl Comparison {
    /// The least and the most that the runs showed.
    #[must_use]
    pub fn range(&self) -> (i64, i64) {
        let [first, last] = [self.recorded.first(), self.recorded.last()].map(|end| end.copied().unwrap_or_default());
        (first, last)
    }

    /// The median of the predictions.
    #[must_use]
    pub fn median(&self) -> i64 {
        self.predicted.get(self.predicted.len().div_euclid(2)).copied().unwrap_or_default()
    }

    /// Whether the median is within what the runs showed; for the time, 15 % more or less will do.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        let (least, most) = self.range();
        let slack = |end: i64| end.saturating_mul(self.figure.tolerance()).div_euclid(100);
        (least.saturating_sub(slack(least))..=most.saturating_add(slack(most))).contains(&self.median())
    }
}

/// The scenarios with recordings in a folder that can be played.
///
/// # Errors
/// When the folder can't be read.
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

/// All figures of a scenario's Deployments, predicted in a mode.
///
/// # Errors
/// When a recording can't be read or played.
pub fn compare(folder: &Path, scenario: &str, mode: Mode) -> Result<Vec<Comparison>, String> {
    let (mut recorded, mut predicted) = (Vec::new(), Vec::new());
    for run in RUNS {
        let run = Rehearsal::new(&Recording::read(&folder.join(format!("{scenario}-{run}.jsonl.gz")))?);
        recorded.push(run.recorded());
        predicted.push(run.simulated(mode)?);
    }
    let deployments: Vec<&str> = recorded.first().into_iter().flatten().map(|(key, _)| &*key.name).collect();
    let mut comparisons = Vec::new();
    for deployment in deployments {
        for figure in Figure::ALL {
            let sorted = |runs: &[BTreeMap<ObjectKey, Figures>]| {
                let of_name = |run: &BTreeMap<ObjectKey, Figures>| {
                    Some(figure.of(run.iter().find(|(key, _)| &*key.name == deployment)?.1))
                };
                let mut figures: Vec<i64> = runs.iter().filter_map(of_name).collect();
                figures.sort_unstable();
                figures
            };
            comparisons.push(Comparison {
                scenario: scenario.to_owned(),
                deployment: deployment.to_owned(),
                figure,
                recorded: sorted(&recorded),
                predicted: sorted(&predicted),
            });
        }
    }
    Ok(comparisons)
}
