//! Phrases that several output formats share.

use std::collections::BTreeMap;

use changeover_core::object::Time;
use changeover_core::prediction::{
    DecidingDefault, EstimatedPods, ImageChange, JobChange, JobOutcome, JobPrediction, NotExplored, NotModeled,
    OldObject, Outcome, Prediction, QuotaPrediction, Range, Ranges, Reason, ReasonKind, VerdictResult, WorkloadChange,
    WorkloadPrediction, WorstOutcome,
};

use crate::finding::{Finding, Workload, pods_in_words};
use crate::report::Report;
use crate::time_format::clock;

/// What a proposed outcome comes from.
pub const PROPOSED: &str = "podReplacementPolicy: TerminationComplete, not in any Kubernetes release yet";

/// How objects are named: with their namespaces only if there are several.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub with_namespace: bool,
}

impl Names {
    pub fn of(prediction: &Prediction) -> Self {
        Self { with_namespace: prediction.has_several_namespaces() }
    }

    /// `web`, or `shop/web`.
    pub fn name(self, namespace: &str, name: &str) -> String {
        if self.with_namespace { format!("{namespace}/{name}") } else { name.to_owned() }
    }

    /// The same for `Kind/namespace/name`.
    pub fn name_of(self, object: &str) -> String {
        match *object.split('/').collect::<Vec<_>>() {
            [_, namespace, name] => self.name(namespace, name),
            _ => object.to_owned(),
        }
    }

    /// The name of a workload, with its kind if it is no Deployment: `web`, `StatefulSet db`.
    pub fn workload(self, workload: &WorkloadPrediction) -> String {
        let WorkloadPrediction { kind, namespace, name, .. } = workload;
        let name = self.name(namespace, name);
        if kind == "Deployment" { name } else { format!("{kind} {name}") }
    }

    /// The same with the kind: `Kind web`.
    pub fn object(self, object: &str) -> String {
        match *object.split('/').collect::<Vec<_>>() {
            [kind, namespace, name] if kind.starts_with(|first: char| first.is_ascii_uppercase()) => {
                format!("{kind} {}", self.name(namespace, name))
            }
            [kind, name] if kind.starts_with(|first: char| first.is_ascii_uppercase()) => format!("{kind} {name}"),
            _ => object.to_owned(),
        }
    }
}

/// What changes of a workload with new images, in short: `image web:1 → web:2` without the registries, or `images of web, proxy; scaled
/// 4 → 6`. None if no image changes.
pub fn change_in_short(workload: &Workload<'_>) -> Option<String> {
    let its = workload.prediction.change.as_ref().filter(|its| !its.created && !its.deleted)?;
    let images = match its.images.as_slice() {
        [] => return None,
        [ImageChange { from: Some(from), to, .. }] => {
            let (from, to) = short_images(from, to)?;
            format!("image {from} → {to}")
        }
        images => {
            let containers: Vec<&str> = images.iter().map(|image| image.container.as_str()).collect();
            format!("images of {}", containers.join(", "))
        }
    };
    Some(match its.replicas_before == its.replicas {
        true => images,
        false => format!("{images}; scaled {} → {}", its.replicas_before, its.replicas),
    })
}

/// Two images of one registry without it, and with the beginnings of their digests.
fn short_images<'a>(from: &'a str, to: &'a str) -> Option<(String, String)> {
    let parts = |image: &'a str| image.rsplit_once('/').unwrap_or(("", image));
    let ((of_from, from), (of_to, to)) = (parts(from), parts(to));
    (of_from == of_to).then(|| (short_digest(from), short_digest(to)))
}

/// `web:1@sha256:0123456789ab`
fn short_digest(image: &str) -> String {
    const DIGITS: usize = 12;
    match image.split_once("@sha256:") {
        Some((name, digest)) => format!("{name}@sha256:{}", digest.get(..DIGITS).unwrap_or(digest)),
        None => image.to_owned(),
    }
}

/// What changes: `image web:1 → web:2, scaled 4 → 6`.
fn change(change: &WorkloadChange) -> String {
    let mut parts = Vec::new();
    if change.deleted {
        parts.push(format!("deleted with its {}", pods_in_words(change.replicas_before)));
    } else if change.created {
        parts.push(format!("created with {}", pods_in_words(change.replicas)));
    } else {
        let is_single = change.images.len() == 1;
        for image in &change.images {
            let container = if is_single { String::new() } else { format!(" of {}", image.container) };
            let before = image.from.as_ref().map_or_else(String::new, |from| format!("{from} → "));
            parts.push(format!("image{container} {before}{}", image.to));
        }
        if change.rollout && change.images.is_empty() {
            parts.push("the pod template changes".to_owned());
        }
        if change.replicas_before != change.replicas {
            parts.push(format!("scaled {} → {}", change.replicas_before, change.replicas));
        }
    }
    if parts.is_empty() { "settings change".to_owned() } else { parts.join(", ") }
}

/// What changes, or what becomes of a rollout that is not changed.
pub fn change_or_state(workload: &Workload<'_>) -> String {
    match &workload.prediction.change {
        Some(its) => change(its),
        None if workload.outcome().complete.is_none() => "does not complete by itself".to_owned(),
        None => "is in progress".to_owned(),
    }
}

/// What changes in a Job, or that it runs.
pub fn job_change_or_state(job: &JobPrediction) -> String {
    job.change.as_ref().map_or_else(|| "is in progress".to_owned(), job_change)
}

/// What changes in a Job: `parallelism 2 → 5, resumed`.
fn job_change(change: &JobChange) -> String {
    if change.deleted {
        return "deleted with its pods".to_owned();
    }
    let mut parts = Vec::new();
    if change.created {
        parts.push(format!("created with parallelism {}", change.parallelism));
    } else if change.parallelism_before != change.parallelism {
        parts.push(format!("parallelism {} → {}", change.parallelism_before, change.parallelism));
    }
    match (change.suspended_before, change.suspended) {
        (false, true) => parts.push("suspended".to_owned()),
        (true, false) => parts.push("resumed".to_owned()),
        _ => {}
    }
    if parts.is_empty() { "settings change".to_owned() } else { parts.join(", ") }
}

/// What is known of a rollout or a Job that has not ended when its simulation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unended {
    /// It never ends.
    Never,
    /// The simulation was cut short, so it may end later.
    CutShort,
}

impl Unended {
    /// A rollout, as `Kind/namespace/name`.
    pub fn rollout(prediction: &Prediction, object: &str) -> Self {
        let is_open = prediction.is_cut_short() && prediction.why_incomplete(object).is_none();
        if is_open { Self::CutShort } else { Self::Never }
    }

    /// A Job, as `Job/namespace/name`.
    pub fn job(prediction: &Prediction, object: &str) -> Self {
        let is_open = prediction.is_cut_short() && prediction.why_endless(object).is_none();
        if is_open { Self::CutShort } else { Self::Never }
    }

    /// All rollouts and Jobs together.
    pub fn together(prediction: &Prediction) -> Self {
        if prediction.is_cut_short() { Self::CutShort } else { Self::Never }
    }

    /// In the cell of a table.
    pub const fn cell(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::CutShort => "cut short",
        }
    }

    const fn of_rollout(self) -> &'static str {
        match self {
            Self::Never => "never complete",
            Self::CutShort => "not complete when the simulation stops",
        }
    }

    const fn of_job(self) -> &'static str {
        match self {
            Self::Never => "never ends",
            Self::CutShort => "still runs when the simulation stops",
        }
    }
}

/// `Complete after 2:04`
pub fn job_end(outcome: &JobOutcome, unended: Unended) -> String {
    match (outcome.finished, &outcome.condition) {
        (Some(finished), Some(condition)) => format!("{condition} after {}", clock(finished)),
        _ if outcome.waits => "waits for a user".to_owned(),
        _ => unended.of_job().to_owned(),
    }
}

/// `Complete after 2:04, 6 succeeded, 0 failed`
pub fn job_result(outcome: &JobOutcome, unended: Unended) -> String {
    format!("{}, {} succeeded, {} failed", job_end(outcome, unended), outcome.succeeded, outcome.failed)
}

/// `at most 8 pods, Complete after 2:04, 6 succeeded, 0 failed`
pub fn job_outcome(outcome: &JobOutcome, unended: Unended) -> String {
    format!("at most {}, {}", pods_in_words(outcome.peak), job_result(outcome, unended))
}

/// `2 Deployments and 1 Job together`
pub fn together(prediction: &Prediction) -> String {
    let of_kind = |kind: &str| prediction.workloads.iter().filter(|workload| workload.kind == kind).count();
    let counts = [
        ("Deployment", of_kind("Deployment")),
        ("StatefulSet", of_kind("StatefulSet")),
        ("DaemonSet", of_kind("DaemonSet")),
        ("ReplicationController", of_kind("ReplicationController")),
        ("Job", prediction.jobs.len()),
    ];
    let given = counts.into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> =
        given.map(|(kind, count)| format!("{count} {kind}{}", if count == 1 { "" } else { "s" })).collect();
    match words.split_last() {
        Some((last, [])) => format!("{last} together"),
        Some((last, others)) => format!("{} and {last} together", others.join(", ")),
        None => "0 Deployments together".to_owned(),
    }
}

/// `at most 20 pods (cpu 10), at least 8 available, complete after 0:10, last old pod gone after 0:40`
pub fn outcome(outcome: &Outcome, unended: Unended) -> String {
    let pods = pods_in_words(outcome.peak);
    let resources = resources(outcome.resources.iter().map(|demand| (&demand.resource, &demand.peak)));
    format!("at most {pods}{resources}, at least {} available, {}", outcome.lowest_available, times(outcome, unended))
}

/// ` (cpu 10, memory 20Gi)`; empty without any.
fn resources<'a>(peaks: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let peaks: Vec<String> = peaks.map(|(resource, peak)| format!("{resource} {peak}")).collect();
    if peaks.is_empty() { String::new() } else { format!(" ({})", peaks.join(", ")) }
}

/// `complete after 0:10, last old pod gone after 0:40`
pub fn times(outcome: &Outcome, unended: Unended) -> String {
    let complete = outcome
        .complete
        .map_or_else(|| unended.of_rollout().to_owned(), |complete| format!("complete after {}", clock(complete)));
    match outcome.last_old_pod_gone {
        // What the controllers do in a moment, nobody waits for.
        Some(gone) if gone < Time::SECOND => complete,
        Some(gone) => format!("{complete}, last old pod gone after {}", clock(gone)),
        None => format!("{complete}, old pods remain"),
    }
}

/// `all pods gone after 0:30`, of a workload that is deleted
pub fn pods_gone(outcome: &Outcome) -> String {
    let gone = outcome.last_old_pod_gone;
    gone.map_or_else(|| "pods remain".to_owned(), |gone| format!("all pods gone after {}", clock(gone)))
}

const fn unit(pods: i64) -> &'static str {
    if pods == 1 { "pod" } else { "pods" }
}

/// The parts of ranges over several runs: `18 to 20`, `0:10 to 0:14 in 19 of 20 runs`.
pub struct RangeWords {
    pub pods: String,
    /// The most of each resource, with its name.
    pub resources: Vec<(String, String)>,
    pub available: String,
    /// None if no run is ever complete.
    pub complete: Option<String>,
    /// None if old pods remain in every run.
    pub last_old_pod_gone: Option<String>,
}

impl RangeWords {
    pub fn of(ranges: &Ranges) -> Self {
        let span = |least: String, most: String| if least == most { least } else { format!("{least} to {most}") };
        let numbers = |range: Range| span(range.least.to_string(), range.most.to_string());
        let times = |range: Range| span(clock(range.least), clock(range.most));
        let of = if ranges.completed < ranges.runs {
            format!(" in {} of {} runs", ranges.completed, ranges.runs)
        } else {
            String::new()
        };
        let amounts = ranges
            .resources
            .iter()
            .map(|range| (range.resource.clone(), span(range.least.clone(), range.most.clone())));
        Self {
            pods: numbers(ranges.peak),
            resources: amounts.collect(),
            available: numbers(ranges.lowest_available),
            complete: ranges.complete.map(|range| format!("{}{of}", times(range))),
            last_old_pod_gone: ranges.last_old_pod_gone.map(times),
        }
    }
}

/// `at most 18 to 20 pods (cpu 9 to 10), at least 8 to 9 available, complete after 0:10 to 0:14, last old pod gone after 0:40`
pub fn ranges(ranges: &Ranges, unended: Unended) -> String {
    let words = RangeWords::of(ranges);
    let unit = unit(ranges.peak.most);
    let resources = resources(words.resources.iter().map(|(resource, amount)| (resource, amount)));
    let complete =
        words.complete.map_or_else(|| unended.of_rollout().to_owned(), |complete| format!("complete after {complete}"));
    let is_at_once = ranges.last_old_pod_gone.is_some_and(|range| range.most == 0);
    let gone = match words.last_old_pod_gone {
        _ if is_at_once => String::new(),
        Some(gone) => format!(", last old pod gone after {gone}"),
        None => ", old pods remain".to_owned(),
    };
    format!("at most {} {unit}{resources}, at least {} available, {complete}{gone}", words.pods, words.available)
}

/// `at most 12 pods (cpu 6), at least 5 available, in any order (1299 states explored)`
pub fn worst(worst: &WorstOutcome) -> String {
    let resources = resources(worst.resources.iter().map(|most| (&most.resource, &most.peak)));
    let explored = worst.states.map(|states| format!("{states} states explored"));
    let proof = explored.unwrap_or_else(|| "a proven bound".to_owned());
    let WorstOutcome { peak, lowest_available, .. } = worst;
    let unit = unit(*peak);
    format!("at most {peak} {unit}{resources}, at least {lowest_available} available, in any order ({proof})")
}

/// Why there is no worst case: `not explored: it is new`
pub fn not_explored(why: NotExplored) -> String {
    let why = match why {
        NotExplored::New => "it is new",
        NotExplored::InProgress => "a rollout is in progress",
    };
    format!("not explored: {why}")
}

/// Why the worst of a quota is not known: `unknown: web is not explored`
pub fn worst_not_known(quota: &QuotaPrediction, names: Names) -> Option<String> {
    let deployments: Vec<String> = quota.not_explored.as_ref()?.iter().map(|object| names.name_of(object)).collect();
    let verb = if deployments.len() == 1 { "is" } else { "are" };
    Some(format!("unknown: {} {verb} not explored", deployments.join(", ")))
}

/// `complete after at most 2:20, plus the time that controllers take`
pub fn longest(worst: &WorstOutcome) -> Option<String> {
    let longest = clock(worst.longest?);
    let bound = if worst.orders.iter().any(|order| order.number == "longest") { "" } else { " (a bound)" };
    Some(format!("complete after at most {longest}{bound}, plus the time that controllers take"))
}

/// The orders that lead to the worst, each with the number and its steps: `8 pods`, `3 available pods`, `completion after 2:20`.
pub fn orders(worst: &WorstOutcome) -> impl Iterator<Item = (String, &[String])> {
    worst.orders.iter().filter(|order| !order.steps.is_empty()).map(|order| {
        let number = match order.number.as_str() {
            "peak" => format!("{} {}", worst.peak, unit(worst.peak)),
            "longest" => format!("completion after {}", clock(worst.longest.unwrap_or_default())),
            _ => format!("{} available {}", worst.lowest_available, unit(worst.lowest_available)),
        };
        (number, order.steps.as_slice())
    })
}

/// The verdict in one line, without a mark: `fits ResourceQuota team; no nodes given`.
pub fn verdict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let names = Names::of(prediction);
    let reasons = &report.verdict.reasons;
    match report.verdict.result {
        VerdictResult::Fits => checked(prediction, names),
        VerdictResult::DoesNotFit => {
            let first = first_of(reasons, VerdictResult::DoesNotFit, names);
            format!("does not fit: {first}{}", defaults(&report.verdict.defaults))
        }
        VerdictResult::NotJudged => format!("not judged: {}", first_of(reasons, VerdictResult::NotJudged, names)),
    }
}

/// The defaults that decide, each with the flag that changes it: `; a default decides: pods take their whole grace period to stop
/// (--stop-after)`; empty without any.
fn defaults(defaults: &[DecidingDefault]) -> String {
    let words = |default: &DecidingDefault| match default {
        DecidingDefault::ReadyAfter => "containers answer 5 s after their pod's creation (--ready-after)",
        DecidingDefault::StopAfter => "pods take their whole grace period to stop (--stop-after)",
        DecidingDefault::RunFor => "pods of a Job run 10 s (--run-for)",
        DecidingDefault::Concurrent => "all rollouts start together (--concurrent)",
    };
    let all: Vec<&str> = defaults.iter().map(words).collect();
    if all.is_empty() { String::new() } else { format!("; a default decides: {}", all.join(", or ")) }
}

/// The same with a mark: only what was checked, and fits, has the one for good.
pub fn marked_verdict(report: &Report<'_>) -> String {
    let mark = match report.verdict.result {
        VerdictResult::Fits => "✓ ",
        VerdictResult::DoesNotFit => "✗ ",
        VerdictResult::NotJudged => "",
    };
    format!("{mark}{}", verdict(report))
}

/// The first reason for a verdict, and how many more there are.
fn first_of(reasons: &[Reason], result: VerdictResult, names: Names) -> String {
    let of_result: Vec<&Reason> = reasons.iter().filter(|reason| reason.kind.result() == result).collect();
    let Some(first) = of_result.first() else { return String::new() };
    let message = first.message.trim_end_matches('.');
    let first_words = match (first.kind, &first.object) {
        (kind, _) if kind.is_without_question() => without_question(first),
        (_, Some(object)) => format!("{}: {message}", names.object(object)),
        (_, None) => first.path.as_ref().map_or_else(|| message.to_owned(), |path| format!("{path}: {message}")),
    };
    // The findings leave out the limits that are missing, so the first line names them.
    let (limits, others): (Vec<&Reason>, Vec<&Reason>) =
        of_result.into_iter().skip(1).partition(|reason| reason.kind.is_without_question());
    let more = match others.len() {
        0 => String::new(),
        1 => " (and 1 more reason)".to_owned(),
        count => format!(" (and {count} more reasons)"),
    };
    let limits: String = limits.into_iter().map(|reason| format!("; {}", without_question(reason))).collect();
    format!("{first_words}{more}{limits}")
}

/// That there is nothing to judge, or nothing to judge it by.
fn without_question(reason: &Reason) -> String {
    let message = reason.message.trim_end_matches('.');
    match reason.kind {
        ReasonKind::NoLimit if message.starts_with("No given") => message.replacen("No", "no", 1),
        ReasonKind::NoLimit => "no quota and no nodes given".to_owned(),
        _ => "there is no Deployment, no StatefulSet and no Job".to_owned(),
    }
}

/// What was checked and fits, what is exceeded without the change, too, and what there was nothing to check by.
fn checked(prediction: &Prediction, names: Names) -> String {
    let (exceeded, fitting): (Vec<&QuotaPrediction>, Vec<&QuotaPrediction>) =
        prediction.quotas.iter().partition(|quota| prediction.is_unrelated(&quota.object()));
    let nodes = prediction.pending.is_some();
    let fits = match (quotas(&fitting, names), nodes) {
        (Some(quotas), true) => format!("fits {quotas} and the given nodes"),
        (Some(quotas), false) => format!("fits {quotas}; no nodes given"),
        (None, true) if exceeded.is_empty() => "fits the given nodes; no quota given".to_owned(),
        (None, true) => "fits the given nodes".to_owned(),
        (None, false) if exceeded.is_empty() => "fits what --fail-on names".to_owned(),
        (None, false) => "makes nothing worse; no nodes given".to_owned(),
    };
    let exceeded = quotas(&exceeded, names);
    exceeded.map_or_else(|| fits.clone(), |quotas| format!("{fits}; exceeded without the change, too: {quotas}"))
}

/// `ResourceQuota team`, `2 ResourceQuotas`; none without any.
fn quotas(quotas: &[&QuotaPrediction], names: Names) -> Option<String> {
    const NAMED: usize = 3;
    let quotas: Vec<String> = quotas.iter().map(|quota| names.name(&quota.namespace, &quota.name)).collect();
    match quotas.as_slice() {
        [] => None,
        [one] => Some(format!("ResourceQuota {one}")),
        few if few.len() <= NAMED => Some(format!("ResourceQuotas {}", few.join(", "))),
        many => Some(format!("{} ResourceQuotas", many.len())),
    }
}

/// Which pods count as estimates: `Counted as an estimate: StatefulSet ledger (7 pods)`.
pub fn estimates(prediction: &Prediction) -> Option<String> {
    let names = Names::of(prediction);
    let estimate = |estimate: &EstimatedPods| {
        let EstimatedPods { kind, namespace, name, pods, more } = estimate;
        let more = if *more > 0 { format!(" and {more} more with the change") } else { String::new() };
        format!("{kind} {} ({pods} {}{more})", names.name(namespace, name), unit(*pods))
    };
    let all: Vec<String> = prediction.estimates.iter().map(estimate).collect();
    (!all.is_empty()).then(|| format!("Counted as an estimate: {}", all.join(", ")))
}

/// What is found, with the object that it is about.
pub fn finding(finding: &Finding, names: Names) -> String {
    let object = names.object(&finding.object);
    let about = if object.is_empty() { object } else { format!("{object}: ") };
    format!("{about}{}", finding.message)
}

/// Messages, each once, with the object that it is about, or the first one and how many others: `Deployment web and 39 more`. The name
/// of the object, as in a command, makes no other message.
pub fn by_message<'a>(said: impl Iterator<Item = (&'a str, &'a str)>, names: Names) -> Vec<(String, &'a str)> {
    let mut groups: Vec<(&str, &str, usize)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (object, message) in said {
        let name = object.rsplit_once('/').map_or("", |(_, name)| name);
        let group = *known.entry(message.replace(&format!("/{name}"), "/")).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, _, others)) => *others = others.saturating_add(1),
            None => groups.push((object, message, 0)),
        }
    }
    let named = |(object, message, others): (&str, &'a str, usize)| {
        let more = if others == 0 { String::new() } else { format!(" and {others} more") };
        (format!("{}{more}", names.object(object)), message)
    };
    groups.into_iter().map(named).collect()
}

/// What others use of a quota: `use pods 2, requests.cpu 500m, which status.used counts and no given object explains`
pub fn used_by_others(quota: &QuotaPrediction) -> Option<String> {
    let used: Vec<String> =
        quota.used_by_others.iter().map(|others| format!("{} {}", others.resource, others.used)).collect();
    (!used.is_empty())
        .then(|| format!("use {}, which status.used counts and no given object explains", used.join(", ")))
}

/// What is said in place of a verdict if there is nothing to predict.
pub fn nothing_predicted(prediction: &Prediction) -> Option<&'static str> {
    let is_empty = prediction.workloads.is_empty() && prediction.jobs.is_empty();
    is_empty.then_some("Nothing was predicted: there is no Deployment, no StatefulSet and no Job")
}

/// Whether pods run that are of none of the predicted workloads.
pub fn runs_others(prediction: &Prediction) -> bool {
    let of_workloads = prediction.workloads.iter().map(|workload| workload.outcome.peak);
    let of_jobs = prediction.jobs.iter().map(|job| job.outcome.peak);
    prediction.total.outcome.peak > of_workloads.chain(of_jobs).fold(0, i32::saturating_add)
}

/// How many objects of a list are named.
const NAMED: usize = 6;

/// What was left out: `Not modeled: Ingress web, ConfigMap web`, or how many of each kind if there are many.
pub fn not_modeled(prediction: &Prediction) -> Option<String> {
    let left_out = prediction.not_modeled.as_slice();
    (!left_out.is_empty()).then(|| format!("Not modeled: {}", named_or_counted(left_out)))
}

/// Which objects vanish from the manifests: `Only in the old manifests: Service web, ConfigMap web`, or how many of each kind if there
/// are many.
pub fn only_in_old(prediction: &Prediction) -> Option<String> {
    let old = prediction.only_in_old.as_slice();
    let alike = |(kind, objects): (&str, &[OldObject])| match objects {
        [only] => format!("{kind} {}", only.name),
        many if old.len() > NAMED => format!("{} of kind {kind}", many.len()),
        many => many.iter().map(|object| format!("{kind} {}", object.name)).collect::<Vec<_>>().join(", "),
    };
    let by_kind = old.chunk_by(|a, b| a.kind == b.kind).filter_map(|all| Some((all.first()?.kind.as_str(), all)));
    let all: Vec<String> = by_kind.map(alike).collect();
    (!all.is_empty()).then(|| format!("Only in the old manifests: {}", all.join(", ")))
}

fn named_or_counted(left_out: &[NotModeled]) -> String {
    let name = |left_out: &NotModeled| match left_out.field() {
        Some(field) => format!("{field} of {} {}", left_out.kind, left_out.name),
        None => format!("{} {}", left_out.kind, left_out.name),
    };
    if left_out.len() <= NAMED {
        return left_out.iter().map(name).collect::<Vec<_>>().join(", ");
    }
    let alike = left_out.chunk_by(|a, b| a.kind == b.kind && a.field() == b.field());
    let count = |left_out: &[NotModeled]| {
        left_out.first().map(|first| match (left_out.len(), first.field()) {
            (1, _) => name(first),
            (count, Some(field)) => format!("{field} of {count} of kind {}", first.kind),
            (count, None) => format!("{count} of kind {}", first.kind),
        })
    };
    alike.filter_map(count).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_and_many_are_counted() {
        let left_out = |kind: &str, field: &str, count: usize| {
            let object = |number: usize| NotModeled {
                kind: kind.to_owned(),
                namespace: None,
                name: format!("a{number}"),
                path: format!("old[{number}]{field}"),
                reason: String::new(),
            };
            (0..count).map(object).collect::<Vec<_>>()
        };
        let few = [left_out("Ingress", "", 1), left_out("Node", ".spec.taints", 1)].concat();
        assert_eq!(named_or_counted(&few), "Ingress a0, spec.taints of Node a0");
        let many = [left_out("Ingress", "", 3), left_out("Node", ".spec.taints", 4)].concat();
        assert_eq!(named_or_counted(&many), "3 of kind Ingress, spec.taints of 4 of kind Node");
    }
}
