//! What `changeover predict` prints, in each of its formats.

use changeover_core::Problem;
use changeover_core::prediction::{Predicted, QuotaPrediction, Reason, ReasonKind, Verdict, Warning};

use crate::documents::LeftOut;
use crate::finding::{Finding, Job, Workload};
use crate::manifests::{Manifest, flag_of, kind, located, metadata};
use crate::options::AssumptionOptions;

/// What is predicted from.
#[derive(Debug, Default)]
pub struct Inputs {
    pub old: Vec<Manifest>,
    pub new: Vec<Manifest>,
    pub quotas: Vec<Manifest>,
    pub nodes: Vec<Manifest>,
    /// The documents that are not used.
    pub left_out: Vec<LeftOut>,
}

impl Inputs {
    /// The sentence of a problem, with the file and line or the flag that it is about.
    pub fn locate(&self, problem: &Problem) -> String {
        let lists: [(&str, &[Manifest]); 4] =
            [("old", &self.old), ("new", &self.new), ("quotas", &self.quotas), ("nodes", &self.nodes)];
        located(problem, &lists).unwrap_or_else(|| match problem.path.strip_prefix("assumptions.") {
            Some(field) => format!("{}: {}", flag_of(field), problem.message.replace("assumptions.", "--")),
            None if problem.path == "shard" => format!("--shard: {}", problem.message),
            None => problem.to_string(),
        })
    }

    /// The manifest of an object that is written as `Kind/namespace/name`: the newest one.
    pub fn manifest_of(&self, object: &str) -> Option<&Manifest> {
        let [its_kind, namespace, name] = *object.split('/').collect::<Vec<_>>() else { return None };
        let is_meant = |manifest: &&Manifest| {
            let value = &manifest.document.value;
            let own = metadata(value, "namespace");
            kind(value) == its_kind && metadata(value, "name") == name && (own.is_empty() || own == namespace)
        };
        self.new.iter().chain(&self.quotas).chain(&self.old).find(is_meant)
    }
}

/// What there is to say of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaStanding {
    /// Everything that uses it was counted, and fits.
    Fits,
    /// What was counted fits. A resource of it is not counted, or an object is not played.
    PartlyCounted,
    /// It limits none of the objects.
    Unmatched,
    /// It is exceeded with or without the change.
    ExceededAlready,
    /// It is exceeded.
    Exceeded,
}

/// A prediction as it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub predicted: &'a Predicted,
    /// The prediction's verdict, with the limits of `--fail-on`.
    pub verdict: &'a Verdict,
    pub workloads: &'a [Workload<'a>],
    pub jobs: &'a [Job<'a>],
    pub findings: &'a [Finding],
    /// Whether people see everything.
    pub is_verbose: bool,
    pub inputs: &'a Inputs,
    pub assumptions: &'a AssumptionOptions,
    /// Whether nodes are given, and may also run pods that were not read.
    pub misses_pods_of_nodes: bool,
    /// The command that lists settings which fit the quotas, if some don't.
    pub advice: Option<&'a str>,
    /// The command that explains what holds up a rollout of a running cluster, if one never completes by itself.
    pub explanation: Option<&'a str>,
}

impl<'a> Report<'a> {
    /// Whether the command ends with exit code 1.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(|finding| finding.fails)
    }

    /// Whether an object has a part of its own: something happens to it that the change has to do with.
    pub fn shows(&self, object: &str, is_active: bool) -> bool {
        is_active && (self.is_verbose || !self.predicted.prediction.is_unrelated(object))
    }

    /// Whether a quota fits, and whether that is all there is to say.
    pub fn standing(&self, quota: &QuotaPrediction) -> QuotaStanding {
        let object = quota.object();
        let has = |is_meant: &dyn Fn(&Reason) -> bool| self.verdict.reasons.iter().any(is_meant);
        let is_its = |reason: &Reason| reason.object.as_ref() == Some(&object);
        if self.predicted.prediction.is_unrelated(&object) {
            QuotaStanding::ExceededAlready
        } else if !quota.demand.fits || quota.refusals.is_some() {
            QuotaStanding::Exceeded
        } else if has(&|reason| reason.kind == ReasonKind::UnmatchedQuota && is_its(reason)) {
            QuotaStanding::Unmatched
        } else if has(&|reason| match reason.kind {
            ReasonKind::NotRead | ReasonKind::NotModeledWorkload | ReasonKind::CutShort => true,
            ReasonKind::NotModeledField => is_its(reason),
            _ => false,
        }) {
            QuotaStanding::PartlyCounted
        } else {
            QuotaStanding::Fits
        }
    }

    /// The warnings that no finding has said already.
    pub fn other_warnings(&self) -> impl Iterator<Item = &'a Warning> {
        let findings = self.findings;
        let is_found = move |warning: &Warning| {
            findings.iter().any(|finding| (&finding.object, &finding.message) == (&warning.object, &warning.message))
        };
        self.predicted.prediction.warnings.iter().filter(move |warning| !is_found(warning))
    }
}
