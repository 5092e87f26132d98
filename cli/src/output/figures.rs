//! The figures of a Deployment, of a Job, or of all together as rows of a table: one row for each way to simulate them. The figures of
//! a row are those of the same simulation.

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::prediction::{
    JobOutcome, JobPrediction, NotExplored, Outcome, Prediction, Ranges, ResourceDemand, TotalPrediction,
    WorkloadPrediction, WorstCases, WorstOutcome, WorstProof,
};

use super::phrases::{self, Unended};
use crate::time_format::clock;

/// Where the figures of a row come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSource {
    /// Today's releases, without quotas.
    Today,
    /// The same with the quotas.
    WithQuotas,
    /// With the proposed `podReplacementPolicy` of Deployments.
    Proposed,
    /// With the other `podReplacementPolicy` of Jobs.
    OtherPolicy,
    /// That many runs.
    Runs(u32),
    /// All orders of events, in today's releases.
    Worst(WorstProof),
    /// All orders of events, with the proposed policy.
    WorstProposed(WorstProof),
    /// All orders of events, which are not explored: the row has no figures.
    NotExplored(NotExplored),
}

/// The figures of one simulation, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    pub source: FigureSource,
    pub pods: String,
    resources: BTreeMap<String, String>,
    /// The fewest available pods; empty for Jobs.
    pub available: String,
    /// When the rollout is complete, or what becomes of the Job.
    pub complete: String,
    /// When the last old pod is gone; empty where that is not known.
    pub last_old_pod_gone: String,
    /// The succeeded and the failed pods of a Job.
    pub ended: Option<[i32; 2]>,
}

impl FigureSource {
    /// The label of a row: `with quotas`.
    pub fn label(self) -> String {
        let worst = |proof| if proof == WorstProof::Bound { "worst (bound)" } else { "worst" };
        match self {
            Self::Today => "today".to_owned(),
            Self::WithQuotas => "with quotas".to_owned(),
            Self::Proposed => "proposed".to_owned(),
            Self::OtherPolicy => "other podReplacementPolicy".to_owned(),
            Self::Runs(runs) => format!("{runs} runs"),
            Self::Worst(proof) => worst(proof).to_owned(),
            Self::WorstProposed(proof) => format!("{}, proposed", worst(proof)),
            Self::NotExplored(why) => format!("worst ({})", phrases::not_explored(why)),
        }
    }
}

impl Figures {
    /// The rows of a Deployment. Rows that read the same as the first one are left out.
    pub fn of_workload(prediction: &WorkloadPrediction, unended: Unended) -> Vec<Self> {
        let WorkloadPrediction { outcome, with_quotas, ranges, proposed, worst, not_explored, .. } = prediction;
        let mut rows = Self::of_outcomes(outcome, with_quotas.as_ref(), ranges.as_ref(), proposed.as_ref(), unended);
        if let Some(WorstCases { outcome, proposed }) = worst {
            let first = Self::of_worst(FigureSource::Worst(outcome.proof), outcome);
            let proposed =
                proposed.as_ref().map(|worst| Self::of_worst(FigureSource::WorstProposed(worst.proof), worst));
            let proposed = proposed.filter(|proposed| !proposed.reads_as(&first));
            rows.extend(core::iter::once(first).chain(proposed));
        }
        rows.extend(not_explored.map(Self::not_explored));
        rows
    }

    fn not_explored(why: NotExplored) -> Self {
        Self {
            source: FigureSource::NotExplored(why),
            pods: String::new(),
            resources: BTreeMap::new(),
            available: String::new(),
            complete: String::new(),
            last_old_pod_gone: String::new(),
            ended: None,
        }
    }

    /// The rows of all together.
    pub fn of_together(prediction: &Prediction) -> Vec<Self> {
        let TotalPrediction { outcome, with_quotas, ranges, proposed } = &prediction.total;
        let unended = Unended::together(prediction);
        Self::of_outcomes(outcome, with_quotas.as_ref(), ranges.as_ref(), proposed.as_ref(), unended)
    }

    /// The rows of a Job.
    pub fn of_job(prediction: &JobPrediction, unended: Unended) -> Vec<Self> {
        let JobPrediction { outcome, with_quotas, other_policy, .. } = prediction;
        let others = [(FigureSource::WithQuotas, with_quotas), (FigureSource::OtherPolicy, other_policy)];
        let others = others.into_iter().filter_map(|(source, outcome)| Some((source, outcome.as_ref()?)));
        let all = core::iter::once((FigureSource::Today, outcome)).chain(others);
        all.map(|(source, outcome)| Self::of_job_outcome(source, outcome, unended)).collect()
    }

    fn of_outcomes(
        today: &Outcome,
        with_quotas: Option<&Outcome>,
        ranges: Option<&Ranges>,
        proposed: Option<&Outcome>,
        unended: Unended,
    ) -> Vec<Self> {
        let first = Self::of_outcome(FigureSource::Today, today, unended);
        let of_other = |source, other: Option<&Outcome>| {
            let row = Self::of_outcome(source, other?, unended);
            (!row.reads_as(&first)).then_some(row)
        };
        let others = [
            of_other(FigureSource::WithQuotas, with_quotas),
            ranges.map(|ranges| Self::of_ranges(ranges, unended)),
            of_other(FigureSource::Proposed, proposed),
        ];
        core::iter::once(first.clone()).chain(others.into_iter().flatten()).collect()
    }

    fn of_outcome(source: FigureSource, outcome: &Outcome, unended: Unended) -> Self {
        let after = |time: Option<i64>| time.map_or_else(|| unended.cell().to_owned(), clock);
        Self {
            source,
            pods: outcome.peak.to_string(),
            resources: peaks(&outcome.resources),
            available: outcome.lowest_available.to_string(),
            complete: after(outcome.complete),
            last_old_pod_gone: after(outcome.last_old_pod_gone),
            ended: None,
        }
    }

    fn of_job_outcome(source: FigureSource, outcome: &JobOutcome, unended: Unended) -> Self {
        Self {
            source,
            pods: outcome.peak.to_string(),
            resources: peaks(&outcome.resources),
            available: String::new(),
            complete: phrases::job_end(outcome, unended),
            last_old_pod_gone: String::new(),
            ended: Some([outcome.succeeded, outcome.failed]),
        }
    }

    fn of_ranges(ranges: &Ranges, unended: Unended) -> Self {
        let phrases::RangeWords { pods, resources, available, complete, last_old_pod_gone } =
            phrases::RangeWords::of(ranges);
        Self {
            source: FigureSource::Runs(ranges.runs),
            pods,
            resources: resources.into_iter().collect(),
            available,
            complete: complete.unwrap_or_else(|| unended.cell().to_owned()),
            last_old_pod_gone: last_old_pod_gone.unwrap_or_else(|| unended.cell().to_owned()),
            ended: None,
        }
    }

    fn of_worst(source: FigureSource, worst: &WorstOutcome) -> Self {
        let resources = worst.resources.iter().map(|most| (most.resource.clone(), most.peak.clone()));
        Self {
            source,
            pods: worst.peak.to_string(),
            resources: resources.collect(),
            available: worst.lowest_available.to_string(),
            complete: worst.longest.map_or_else(String::new, clock),
            last_old_pod_gone: String::new(),
            ended: None,
        }
    }

    /// Whether two rows differ only in where their figures come from.
    fn reads_as(&self, other: &Self) -> bool {
        Self { source: other.source, ..self.clone() } == *other
    }

    /// The cells for these resources.
    pub fn requests(&self, resources: &BTreeSet<String>) -> Vec<String> {
        resources.iter().map(|resource| self.resources.get(resource).cloned().unwrap_or_default()).collect()
    }
}

/// The most of each resource.
fn peaks(demands: &[ResourceDemand]) -> BTreeMap<String, String> {
    demands.iter().map(|demand| (demand.resource.clone(), demand.peak.clone())).collect()
}

/// The resources of any of these rows, which a table has columns for.
pub fn resources<'a>(rows: impl IntoIterator<Item = &'a Figures>) -> BTreeSet<String> {
    rows.into_iter().flat_map(|figures| figures.resources.keys().cloned()).collect()
}

/// What the labels of rows from these sources mean, a sentence for each.
pub fn legend(sources: &[FigureSource]) -> Vec<String> {
    use FigureSource::{Proposed, Worst, WorstProposed};
    let has = |is_meant: fn(&FigureSource) -> bool| sources.iter().any(is_meant);
    let sentences = [
        (has(|source| matches!(source, Proposed | WorstProposed(_))), format!("proposed: {}", phrases::PROPOSED)),
        (
            has(|source| matches!(source, Worst(_) | WorstProposed(_))),
            "worst: the worst of all orders of events, ignoring the time that controllers take".to_owned(),
        ),
        (
            has(|source| matches!(source, Worst(WorstProof::Bound) | WorstProposed(WorstProof::Bound))),
            "bound: no order of events exceeds it, but possibly none reaches it".to_owned(),
        ),
    ];
    sentences.into_iter().filter(|(applies, _)| *applies).map(|(_, sentence)| sentence).collect()
}
