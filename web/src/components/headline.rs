//! The headline: what the settings, and what the user did since, lead to.

use changeover_wire::{JobOutcome, ManifestChange, Reading, Totals, WorkloadKind, format_clock};

use super::what_if::fork_sentence;
use crate::figures::{compared_trade, two_of_index};
use crate::number::{group_digits, plural};
use crate::playback::Playback;
use crate::rollout::AppliedFork;

/// Where a rollout begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// With a change to a cluster at rest.
    #[default]
    Change,
    /// Where a running cluster stands.
    LiveState,
}

impl Beginning {
    /// That of the user's own manifests, if there are any.
    pub fn of(reading: Option<&Reading>) -> Self {
        let is_live = reading.is_some_and(|reading| reading.change == ManifestChange::Nothing);
        if is_live { Self::LiveState } else { Self::Change }
    }
}

/// What the settings, and what the user did since, lead to.
pub fn headline(playback: &Playback, forks: &[AppliedFork], beginning: Beginning) -> String {
    let totals = playback.totals(0);
    if let Some(job) = &totals.job {
        return job_headline(playback, &totals, job, beginning);
    }
    let marks = playback.initial_marks();
    let (peak, limit) = (group_digits(totals.peak), group_digits(totals.limit_at_peak));
    let done = forks.iter().filter(|applied| applied.outcome.is_some());
    let done: Vec<String> = done.map(|applied| fork_sentence(applied, playback)).collect();
    if !done.is_empty() {
        let end = if totals.over() > 0 {
            format!("Kubernetes runs up to {peak} pods where the limit is {limit}.")
        } else {
            format!("Kubernetes runs up to {peak} pods and stays within the limit.")
        };
        return format!("{} {end}", done.join(" "));
    }
    let (desired, limit) = (plural(marks.desired, "pod"), group_digits(marks.limit));
    match (beginning, totals.over() > 0) {
        (Beginning::Change, true) => {
            format!("You asked for {desired}. During an update the limit is {limit}. Kubernetes runs {peak}.")
        }
        (Beginning::Change, false) => {
            format!("You asked for {desired}. During an update the limit is {limit}. Kubernetes stays within it.")
        }
        (Beginning::LiveState, is_over) => {
            let end = if is_over { format!("runs up to {peak}") } else { String::from("stays within the limit") };
            let assumption = assumption(playback).unwrap_or_default();
            format!("{} wants {desired}, at most {limit}. From here on, Kubernetes {end}{assumption}.", name(playback))
        }
    }
}

/// What the future of a live state depends on, as the end of a sentence: no state says whether its pods become ready.
fn assumption(playback: &Playback) -> Option<&'static str> {
    let is_assumed = playback.lanes.first()?.track.has_pods_that_become_ready();
    is_assumed.then_some(", if all pods become ready")
}

/// The headline of a Job or CronJob.
fn job_headline(playback: &Playback, totals: &Totals, job: &JobOutcome, beginning: Beginning) -> String {
    let peak = plural(totals.peak, "pod");
    if let Some(runs) = job.runs {
        return format!("{} starts {} here, with at most {peak} at once.", name(playback), plural(runs, "Job"));
    }
    let desired = plural(playback.initial_marks().desired, "pod");
    let asked = match beginning {
        Beginning::Change => format!("You asked for {desired} at once."),
        Beginning::LiveState => format!("{} wants {desired} at once.", name(playback)),
    };
    match two_of_index(job).filter(|two| *two > 0) {
        Some(two) => format!("{asked} By default, one index has two pods for {}.", format_clock(two)),
        None if totals.over() > 0 => format!("{asked} By default, Kubernetes runs {}.", group_digits(totals.peak)),
        None => format!("{asked} Kubernetes never runs more."),
    }
}

/// The kind and the name of what the first lane shows, for the beginning of a sentence.
fn name(playback: &Playback) -> String {
    let shown = playback.lanes.first().and_then(|lane| lane.played.workload.as_ref());
    shown.map_or_else(
        || String::from(WorkloadKind::default().name()),
        |shown| format!("{} {}", shown.kind.name(), shown.name),
    )
}

/// The result in words.
pub fn spoken_result(headline: &str, playback: &Playback) -> String {
    match compared_trade(playback) {
        Some((name, trade)) => format!("{headline} {name}: {trade}"),
        None => String::from(headline),
    }
}
