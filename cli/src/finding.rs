//! What a pipeline fails on.

use changeover_core::json::ToJson;
use changeover_core::prediction::{
    Exceeded, JobOutcome, JobPrediction, Outcome, PendingPods, Prediction, QuotaPrediction, Reason, ReasonKind,
    Refusals, Verdict, VerdictResult, Warning, WarningKind, WorkloadPrediction, WorstExceeded, WorstOutcome,
    WorstProof, WorstQuota,
};
use changeover_core::scenario::Duration;
use changeover_core::timeline::Series;
use changeover_core::workload::job::JobSeries;

use crate::documents::LeftOut;
use crate::time_format::{clock, clock_with_tenths, length};

/// What the user asks to fail on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailOn(Vec<Condition>);

/// Something that a prediction may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// A ResourceQuota is exceeded.
    Quota,
    /// Pods can't be scheduled.
    Pending,
    /// A rollout never completes, or a Job fails or never ends.
    Incomplete,
    /// A rollout or a Job takes longer.
    Within(Duration),
    /// A workload or a Job has more pods at once.
    Peak(Amount),
    /// More pods of a workload are not available; without an amount, one that has available pods loses all of them.
    Unavailable(Option<Amount>),
    /// A workload that has available pods loses all of them, although its strategy is not Recreate, which is meant to.
    Outage,
    /// The change removes or resets the replicas that an autoscaler has set.
    Replicas,
    /// Some order of events exceeds a quota or meets another condition of the list.
    Worst,
    /// Any warning.
    Warning,
    /// Something that changes, or that decides, is not judged.
    NotJudged,
    /// There is no quota and no node to judge the change by, or nothing to judge.
    NoLimit,
    /// A document can't be read, or the API server refuses an object.
    Refused,
}

/// A number of pods, or a share of the desired ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Pods(i32),
    Percent(i32),
}

/// What does not fit, or what else `--fail-on` asks for.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The condition of `--fail-on`, like `quota`.
    pub condition: FindingKind,
    /// The object, as `Kind/namespace/name`, or for a document that can't be read its file, line and column; empty if the
    /// finding is about none of them.
    pub object: String,
    /// The file that the finding is about, if it is one document.
    #[json(omitempty)]
    pub file: Option<String>,
    /// The line of the file, from 1.
    #[json(omitempty)]
    pub line: Option<usize>,
    /// The character within the line, from 1.
    #[json(omitempty)]
    pub column: Option<usize>,
    /// One sentence with the numbers.
    pub message: String,
    /// Whether `--fail-on` names it, which makes the exit code 1.
    pub fails: bool,
}

/// The conditions of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum FindingKind {
    /// A ResourceQuota is exceeded.
    Quota,
    /// Pods can't be scheduled.
    Pending,
    /// A rollout never completes, or a Job fails or never ends.
    Incomplete,
    /// A rollout or a Job takes longer than it may.
    Within,
    /// A workload or a Job has more pods at once than it may.
    Peak,
    /// Fewer pods of a workload are available than should be.
    Unavailable,
    /// The change removes or resets the replicas that an autoscaler has set.
    Replicas,
    /// With `--worst`, some order of events exceeds a quota, or a limit of another condition.
    Worst,
    /// The prediction has a warning.
    Warning,
    /// Something that changes, or that decides, is not judged.
    NotJudged,
    /// There is no quota and no node to judge the change by, or nothing to judge.
    NoLimit,
    /// A document can't be read, or the API server refuses the object. The prediction is about the others.
    Refused,
}

/// A workload's prediction, and the counts of its pods over time.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    pub prediction: &'a WorkloadPrediction,
    pub series: &'a Series,
}

impl Workload<'_> {
    /// The object, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        self.prediction.object()
    }

    /// Whether something happens to it: a change, or what its controllers still do or wait for.
    pub fn is_active(&self) -> bool {
        let Self { prediction, series } = self;
        prediction.change.is_some() || series.points.len() > 1 || prediction.outcome.complete != Some(0)
    }

    /// What will happen: with the quotas, if they refuse something.
    pub fn outcome(&self) -> &Outcome {
        self.prediction.in_cluster()
    }

    /// The pods at once that a limit allows.
    fn allowed(&self, most: Amount) -> i64 {
        let (before, after) = self.desired();
        most.of(before.max(after))
    }

    /// The desired pods at the start and at the end.
    pub fn desired(&self) -> (i32, i32) {
        if let Some(change) = &self.prediction.change {
            return (change.replicas_before, change.replicas);
        }
        let desired = self.series.points.last().map_or(0, |point| point.marks.desired);
        (desired, desired)
    }
}

/// A Job's prediction, the counts of its pods over time, and the most pods that it is meant to run at once.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    pub prediction: &'a JobPrediction,
    pub series: &'a JobSeries,
    pub parallelism: i32,
}

impl<'a> Job<'a> {
    pub fn new(prediction: &'a JobPrediction, series: &'a JobSeries) -> Self {
        let statuses = series.points.iter().filter_map(|point| point.status.as_ref());
        Self { prediction, series, parallelism: statuses.map(|status| status.parallelism).max().unwrap_or(0) }
    }

    /// The object, as `Kind/namespace/name`.
    pub fn object(&self) -> String {
        self.prediction.object()
    }

    /// Whether something happens to it: a change, or pods that run.
    pub const fn is_active(&self) -> bool {
        self.prediction.change.is_some() || self.prediction.outcome.peak > 0
    }

    /// What will happen: with the quotas, if they refuse something.
    pub fn outcome(&self) -> &JobOutcome {
        self.prediction.in_cluster()
    }

    /// Why it does not succeed, if nothing but time has to pass.
    fn failure(&self, prediction: &Prediction) -> Option<String> {
        let JobOutcome { waits, condition, finished, .. } = self.outcome();
        match finished {
            Some(after) if *after > 0 && condition.as_deref() == Some("Failed") => {
                Some(format!("The Job fails after {}.", clock(*after)))
            }
            None if !waits => prediction.why_endless(&self.object()).map(ToOwned::to_owned),
            _ => None,
        }
    }
}

impl FailOn {
    /// What makes a change one that does not fit.
    pub const DEFAULT: &str = "quota,pending,incomplete,outage,replicas,worst,not-judged,refused";

    /// Reads `quota,peak=120%,unavailable`.
    ///
    /// # Errors
    /// What is none of the conditions.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(Vec::new()));
        }
        text.split(',').map(Condition::parse).collect::<Result<_, _>>().map(Self)
    }

    /// These conditions, and before them those that are always shown: the default ones, and each loss of all pods.
    fn with_defaults(&self) -> Self {
        const DEFAULTS: [Condition; 8] = [
            Condition::Quota,
            Condition::Pending,
            Condition::Incomplete,
            Condition::Unavailable(None),
            Condition::Replicas,
            Condition::Worst,
            Condition::NotJudged,
            Condition::Refused,
        ];
        // An outage is one of those that lose all pods.
        let is_other = |condition: &Condition| !DEFAULTS.contains(condition) && *condition != Condition::Outage;
        let others = self.0.iter().copied().filter(is_other);
        Self(DEFAULTS.into_iter().chain(others).collect())
    }

    /// The findings of these conditions and of the default ones, even if `--fail-on` does not list those, each once.
    pub fn findings(&self, prediction: &Prediction, workloads: &[Workload<'_>], jobs: &[Job<'_>]) -> Vec<Finding> {
        // What the change does not touch is no finding about it.
        let workloads: Vec<Workload<'_>> =
            workloads.iter().filter(|workload| !prediction.is_unrelated(&workload.object())).copied().collect();
        let jobs: Vec<Job<'_>> = jobs.iter().filter(|job| !prediction.is_unrelated(&job.object())).copied().collect();
        let (workloads, jobs) = (workloads.as_slice(), jobs.as_slice());
        let named = self.named_findings(prediction, workloads, jobs);
        let mut findings = self.with_defaults().named_findings(prediction, workloads, jobs);
        let says_same = |a: &Finding, b: &Finding| (&a.object, &a.message) == (&b.object, &b.message);
        let is_said = |finding: &Finding, by: &[Finding]| by.iter().any(|other| says_same(finding, other));
        let others: Vec<Finding> = named.iter().filter(|finding| !is_said(finding, &findings)).cloned().collect();
        for finding in &mut findings {
            finding.fails = is_said(finding, &named);
        }
        findings.extend(others);
        findings
    }

    /// The findings about documents that are refused.
    pub fn refusals(&self, left_out: &[LeftOut]) -> Vec<Finding> {
        let fails = self.0.contains(&Condition::Refused);
        let refused = left_out.iter().filter(|left_out| left_out.is_refused());
        let named = |left_out: &LeftOut| match left_out.object.as_str() {
            "" => (left_out.place(), left_out.message.clone()),
            object => (object.to_owned(), left_out.sentence()),
        };
        let finding = |left_out: &LeftOut| Finding {
            file: Some(left_out.file.clone()).filter(|file| !file.is_empty()),
            line: left_out.line,
            column: left_out.column,
            fails,
            ..Finding::new(FindingKind::Refused, named(left_out).0, shortened(&named(left_out).1))
        };
        refused.map(finding).collect()
    }

    /// What of these conditions a prediction shows.
    fn named_findings(&self, prediction: &Prediction, workloads: &[Workload<'_>], jobs: &[Job<'_>]) -> Vec<Finding> {
        let of = |condition: &Condition| match condition {
            Condition::Worst => self.worst_findings(prediction, workloads),
            condition => condition.findings(prediction, workloads, jobs),
        };
        self.0.iter().flat_map(of).collect()
    }

    /// Findings that the simulated order does not have, but some other order does.
    fn worst_findings(&self, prediction: &Prediction, workloads: &[Workload<'_>]) -> Vec<Finding> {
        let of_quota = |quota: &QuotaPrediction| {
            let WorstQuota { proof, exceeded } = quota.worst.as_ref()?;
            let is_known = |other: &&WorstExceeded| {
                quota.demand.exceeded.iter().any(|exceeded| exceeded.resource == other.resource)
            };
            let others = exceeded.iter().filter(|other| !is_known(other));
            let problems: Vec<String> = others.map(|other| worst_problem(*proof, other)).collect();
            let has_others = !problems.is_empty();
            has_others.then(|| Finding::new(FindingKind::Worst, quota.object(), problems.join("; ")))
        };
        let quotas = prediction.quotas.iter().filter_map(of_quota);
        let of_workload = |workload: &Workload<'_>| {
            let messages = self.0.iter().filter_map(|condition| condition.in_worst_order(workload));
            messages.map(|message| Finding::new(FindingKind::Worst, workload.object(), message)).collect::<Vec<_>>()
        };
        quotas.chain(workloads.iter().flat_map(of_workload)).collect()
    }
}

impl Finding {
    fn new(condition: FindingKind, object: String, message: String) -> Self {
        Self { condition, object, file: None, line: None, column: None, message, fails: true }
    }
}

/// Which order of events a finding is about.
#[derive(Clone, Copy)]
enum Order {
    Simulated,
    Worst(WorstProof),
}

impl Order {
    /// Where a sentence names the order: empty for the simulated one.
    const fn in_words(self) -> &'static str {
        match self {
            Self::Simulated => "",
            Self::Worst(WorstProof::AllOrders) => " in the worst order",
            Self::Worst(WorstProof::Bound) => " in the worst order (a proven bound that may never be reached)",
        }
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        Ok(match (name, value) {
            ("quota", None) => Self::Quota,
            ("pending", None) => Self::Pending,
            ("incomplete", None) => Self::Incomplete,
            ("warning", None) => Self::Warning,
            ("replicas", None) => Self::Replicas,
            ("refused", None) => Self::Refused,
            ("worst", None) => Self::Worst,
            ("not-judged", None) => Self::NotJudged,
            ("no-limit", None) => Self::NoLimit,
            ("outage", None) => Self::Outage,
            ("unavailable", None) => Self::Unavailable(None),
            ("unavailable", Some(value)) => Self::Unavailable(Some(Amount::parse(name, value)?)),
            ("peak", Some(value)) => Self::Peak(Amount::parse(name, value)?),
            ("within", Some(value)) => Self::Within(
                Duration::parse(value).ok_or_else(|| format!("{text}: must be a duration like within=10m"))?,
            ),
            _ => {
                return Err(format!(
                    "{text}: must be one of quota, pending, incomplete, outage, replicas, worst, not-judged, refused, \
                     within=10m, peak=120%, unavailable, unavailable=25%, warning, no-limit, none"
                ));
            }
        })
    }

    fn findings(self, prediction: &Prediction, workloads: &[Workload<'_>], jobs: &[Job<'_>]) -> Vec<Finding> {
        let of_each = |kind: FindingKind,
                       of_workload: &dyn Fn(&Workload<'_>) -> Option<String>,
                       of_job: &dyn Fn(&Job<'_>) -> Option<String>| {
            let finding = |object: String, message: Option<String>| Some(Finding::new(kind, object, message?));
            let of_workloads =
                workloads.iter().filter_map(|workload| finding(workload.object(), of_workload(workload)));
            let of_jobs = jobs.iter().filter_map(|job| finding(job.object(), of_job(job)));
            of_workloads.chain(of_jobs).collect()
        };
        let of_workload = |workload: &Workload<'_>| self.in_simulated_order(workload);
        match self {
            Self::Quota => {
                let quotas = prediction.quotas.iter().filter(|quota| !prediction.is_unrelated(&quota.object()));
                quotas.filter_map(quota_finding).collect()
            }
            Self::Pending => pending_findings(prediction),
            Self::Incomplete => {
                let why = |workload: &Workload<'_>| {
                    let object = workload.object();
                    let incomplete = of_workload(workload).and_then(|_| prediction.why_incomplete(&object));
                    incomplete.or_else(|| prediction.stuck_by_probe(&object)).map(ToOwned::to_owned)
                };
                of_each(FindingKind::Incomplete, &why, &|job| job.failure(prediction))
            }
            Self::Within(within) => of_each(FindingKind::Within, &of_workload, &|job| {
                let finished = job.outcome().finished.filter(|finished| *finished > within.0)?;
                let (taken, within) = (clock_with_tenths(finished), within.exactly_in_words());
                Some(format!("The Job takes {taken}, longer than {within}."))
            }),
            Self::Peak(most) => of_each(FindingKind::Peak, &of_workload, &|job| {
                too_many(job.prediction.outcome.peak.into(), most.of(job.parallelism), Order::Simulated)
            }),
            Self::Unavailable(None) => {
                let kinds = [WarningKind::NothingAvailable, WarningKind::RecreateGap, WarningKind::ScaledToZero];
                warning_findings(prediction, FindingKind::Unavailable, &kinds)
            }
            Self::Outage => warning_findings(prediction, FindingKind::Unavailable, &[WarningKind::NothingAvailable]),
            Self::Unavailable(_) => of_each(FindingKind::Unavailable, &of_workload, &|_| None),
            Self::Replicas => {
                let kinds = [WarningKind::ReplicasRemoved, WarningKind::ReplicasReset];
                warning_findings(prediction, FindingKind::Replicas, &kinds)
            }
            // Only several conditions together say what the worst is.
            Self::Worst => Vec::new(),
            // It is about the documents, not about the prediction.
            Self::Refused => Vec::new(),
            Self::Warning => {
                prediction.warnings.iter().map(|warning| warning_finding(FindingKind::Warning, warning)).collect()
            }
            Self::NotJudged => reason_findings(prediction, FindingKind::NotJudged, false),
            Self::NoLimit => reason_findings(prediction, FindingKind::NoLimit, true),
        }
    }

    /// What the condition finds in the order of events that was simulated.
    fn in_simulated_order(self, workload: &Workload<'_>) -> Option<String> {
        let (outcome, order) = (workload.outcome(), Order::Simulated);
        match self {
            Self::Incomplete => outcome.complete.is_none().then(|| String::from("The rollout never completes.")),
            Self::Within(within) => too_long(outcome.complete?, within, order),
            Self::Peak(most) => too_many(workload.prediction.outcome.peak.into(), workload.allowed(most), order),
            Self::Unavailable(most) => too_few(outcome.lowest_available.into(), workload, most, order),
            Self::Quota
            | Self::Pending
            | Self::Outage
            | Self::Replicas
            | Self::Worst
            | Self::Warning
            | Self::NotJudged
            | Self::NoLimit
            | Self::Refused => None,
        }
    }

    /// What the condition finds only in the worst of all orders of events.
    fn in_worst_order(self, workload: &Workload<'_>) -> Option<String> {
        let WorstOutcome { proof, peak, lowest_available, longest, always_completes, .. } =
            workload.prediction.worst.as_ref().map(|worst| &worst.outcome)?;
        if self.in_simulated_order(workload).is_some() {
            return None;
        }
        let order = Order::Worst(*proof);
        match self {
            Self::Incomplete => (*always_completes == Some(false))
                .then(|| String::from("In some order of events, the rollout never completes.")),
            Self::Within(within) => too_long((*longest)?, within, order),
            Self::Peak(most) => too_many(*peak, workload.allowed(most), order),
            Self::Unavailable(most) => too_few(*lowest_available, workload, most, order),
            Self::Quota
            | Self::Pending
            | Self::Outage
            | Self::Replicas
            | Self::Worst
            | Self::Warning
            | Self::NotJudged
            | Self::NoLimit
            | Self::Refused => None,
        }
    }
}

fn too_many(peak: i64, most: i64, order: Order) -> Option<String> {
    (peak > most).then(|| format!("{peak} pods at once{}, more than the allowed {most}.", order.in_words()))
}

fn too_long(complete: i64, within: Duration, order: Order) -> Option<String> {
    let words = || {
        let (taken, order, within) = (clock_with_tenths(complete), order.in_words(), within.exactly_in_words());
        format!("The rollout takes {taken}{order}, longer than {within}.")
    };
    (complete > within.0).then(words)
}

fn too_few(lowest: i64, workload: &Workload<'_>, most: Option<Amount>, order: Order) -> Option<String> {
    let (before, after) = workload.desired();
    let wanted = before.min(after);
    let missing = i64::from(wanted).saturating_sub(lowest);
    let most = most.map_or_else(|| i64::from(wanted).saturating_sub(1), |most| most.of(wanted));
    let words = || format!("Only {lowest} of {wanted} pods are available at some point{}.", order.in_words());
    (wanted > 0 && missing > most).then(words)
}

impl Amount {
    fn parse(name: &str, text: &str) -> Result<Self, String> {
        let amount = match text.strip_suffix('%') {
            Some(percent) => percent.parse().ok().map(Self::Percent),
            None => text.parse().ok().map(Self::Pods),
        };
        let is_valid = |amount: &Self| matches!(amount, Self::Pods(0..) | Self::Percent(0..));
        amount.filter(is_valid).ok_or_else(|| format!("{name}={text}: must be a number of pods or a percentage"))
    }

    /// The pods that it allows, rounded down.
    fn of(self, desired: i32) -> i64 {
        match self {
            Self::Pods(pods) => pods.into(),
            Self::Percent(percent) => i64::from(desired).saturating_mul(percent.into()).div_euclid(100),
        }
    }
}

fn quota_finding(quota: &QuotaPrediction) -> Option<Finding> {
    if quota.demand.fits && quota.refusals.is_none() {
        return None;
    }
    let refused = quota.refusals.as_ref().map(refused_requests);
    let problems: Vec<String> = quota_problems(quota).into_iter().chain(refused).collect();
    Some(Finding::new(FindingKind::Quota, quota.object(), problems.join("; ")))
}

/// What of a quota some order of events exceeds, one phrase for each resource; empty if the change fits in every order.
pub fn worst_problems(worst: &WorstQuota) -> Vec<String> {
    worst.exceeded.iter().map(|exceeded| worst_problem(worst.proof, exceeded)).collect()
}

/// That some order of events exceeds a resource: `can exceed pods by 1 in the worst order`.
fn worst_problem(proof: WorstProof, WorstExceeded { resource, by, .. }: &WorstExceeded) -> String {
    match proof {
        WorstProof::AllOrders => format!("can exceed {resource} by {by} in the worst order"),
        WorstProof::Bound => {
            format!("may exceed {resource} by up to {by} (a proven bound that may never be reached)")
        }
    }
}

/// What does not fit a quota, one phrase for each resource: `exceeds pods by up to 5 from 0:05, for 40 s (20 needed, 15 allowed)`.
pub fn quota_problems(quota: &QuotaPrediction) -> Vec<String> {
    let exceeded = quota.demand.exceeded.iter().map(|exceeded| {
        let Exceeded { resource, needed, hard, by, at, lasts, stays, .. } = exceeded;
        let lasts = if *stays { " on".to_owned() } else { format!(", for {}", length(*lasts)) };
        format!("exceeds {resource} by up to {by} from {}{lasts} ({needed} needed, {hard} allowed)", clock(*at))
    });
    let unspecified = quota.demand.unspecified.iter().map(|missing| format!("pods must specify {missing}"));
    exceeded.chain(unspecified).collect()
}

/// What happens to the requests that a quota refuses: `creations are refused, next try after up to 16 min 40 s`.
fn refused_requests(refusals: &Refusals) -> String {
    match refusals.longest_wait {
        _ if refusals.given_up => "creations are refused, and not tried again until something changes".to_owned(),
        0 => "creations are refused".to_owned(),
        wait => format!("creations are refused, next try after up to {}", length(wait)),
    }
}

/// A warning as a finding.
fn warning_finding(condition: FindingKind, warning: &Warning) -> Finding {
    Finding::new(condition, warning.object.clone(), warning.message.clone())
}

/// The warnings of these kinds as findings.
fn warning_findings(prediction: &Prediction, condition: FindingKind, kinds: &[WarningKind]) -> Vec<Finding> {
    let meant = prediction.warnings.iter().filter(|warning| kinds.contains(&warning.kind));
    meant.map(|warning| warning_finding(condition, warning)).collect()
}

fn pending_findings(prediction: &Prediction) -> Vec<Finding> {
    let is_meant = |pods: &&PendingPods| pods.stay > 0 && !prediction.is_unrelated(&pods.workload);
    let stay = prediction.pending.iter().flatten().filter(is_meant);
    let finding = |pods: &PendingPods| {
        let message = format!("{} no node: {}", pods_that(pods.stay, "finds", "find"), pods.message);
        Finding::new(FindingKind::Pending, pods.workload.clone(), message)
    };
    let preempted = warning_findings(prediction, FindingKind::Pending, &[WarningKind::PodsPreempted]);
    stay.map(finding).chain(preempted).collect()
}

/// Why the change is not judged, as findings: those for which it is without question, or the others.
fn reason_findings(prediction: &Prediction, kind: FindingKind, is_without_question: bool) -> Vec<Finding> {
    let is_meant = |reason: &&Reason| {
        // Documents that are not read have findings of their own, with their lines.
        reason.kind != ReasonKind::NotRead
            && reason.kind.result() == VerdictResult::NotJudged
            && reason.kind.is_without_question() == is_without_question
    };
    let finding = |reason: &Reason| {
        let message = match (&reason.object, &reason.path) {
            (None, Some(path)) => format!("{path}: {}", reason.message),
            _ => reason.message.clone(),
        };
        Finding::new(kind, reason.object.clone().unwrap_or_default(), message)
    };
    prediction.verdict.reasons.iter().filter(is_meant).map(finding).collect()
}

/// The verdict with the findings: one that fails the command says that the change does not fit, if it is about a limit.
pub fn verdict(prediction: &Prediction, findings: &[Finding]) -> Verdict {
    let is_of_caller = |finding: &&Finding| {
        const KINDS: [FindingKind; 6] = [
            FindingKind::Within,
            FindingKind::Peak,
            FindingKind::Unavailable,
            FindingKind::Replicas,
            FindingKind::Warning,
            FindingKind::Worst,
        ];
        finding.fails && KINDS.contains(&finding.condition)
    };
    let mut reasons = prediction.verdict.reasons.clone();
    let known: Vec<(ReasonKind, Option<String>)> =
        reasons.iter().map(|reason| (reason.kind, reason.object.clone())).collect();
    let is_known = |finding: &Finding| {
        finding.condition == FindingKind::Worst && known.contains(&(ReasonKind::Worst, Some(finding.object.clone())))
    };
    let before = reasons.len();
    let of_caller = findings.iter().filter(is_of_caller).filter(|finding| !is_known(finding));
    reasons.extend(
        of_caller
            .map(|finding| Reason::new(ReasonKind::Condition, finding.message.clone()).about(finding.object.clone())),
    );
    // With another reason, no default decides alone.
    let defaults = if reasons.len() == before { prediction.verdict.defaults.clone() } else { Vec::new() };
    Verdict { defaults, ..Verdict::of(reasons) }
}

/// A message whose middle is left out if it is long: the API server quotes whole pod templates.
pub fn shortened(message: &str) -> String {
    const LONGEST: usize = 400;
    const START: usize = 160;
    const END: usize = 80;
    let length = message.chars().count();
    if length <= LONGEST {
        return message.to_owned();
    }
    let start: String = message.chars().take(START).collect();
    let end: String = message.chars().skip(length.saturating_sub(END)).collect();
    format!("{start} ... {end}")
}

/// `1 pod`, `3 pods`
pub fn pods_in_words(count: i32) -> String {
    format!("{count} pod{}", if count == 1 { "" } else { "s" })
}

/// `1 pod waits`, `3 pods wait`
pub fn pods_that(count: i32, singular: &str, plural: &str) -> String {
    format!("{} {}", pods_in_words(count), if count == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        let parsed = FailOn::parse("quota,peak=120%,unavailable,unavailable=2,within=10m,worst").unwrap();
        let expected = vec![
            Condition::Quota,
            Condition::Peak(Amount::Percent(120)),
            Condition::Unavailable(None),
            Condition::Unavailable(Some(Amount::Pods(2))),
            Condition::Within(Duration::seconds(600)),
            Condition::Worst,
        ];
        assert_eq!(parsed, FailOn(expected));
        assert_eq!(FailOn::parse("none"), Ok(FailOn(Vec::new())));
        let default = FailOn::parse(FailOn::DEFAULT).unwrap();
        let shown = FailOn(Vec::new()).with_defaults();
        assert_eq!(default.with_defaults(), shown);
        assert_eq!(FailOn(vec![Condition::Warning]).with_defaults().0, [shown.0, vec![Condition::Warning]].concat());
        for wrong in ["", "peak", "peak=much", "peak=-1", "quota=3", "within=soon", "none,quota"] {
            assert!(FailOn::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!([Amount::Percent(120).of(3), Amount::Percent(25).of(10), Amount::Pods(7).of(1)], [3, 2, 7]);
    }
}
