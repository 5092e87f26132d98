//! The headline: what the settings, and what the user did since, lead to.

use changeover_core::scenario::Duration;
use changeover_wire::{JobOutcome, Totals, WorkloadKind};

use super::what_if::fork_sentence;
use crate::figures::{compared_trade, two_of_index};
use crate::number::{group_digits, plural};
use crate::playback::{Beginning, Excess, Outage, Playback, is_stuck};
use crate::rollout::AppliedFork;

/// How to read the picture. The document of a story says it, too (`www/pages/story.html`).
pub const HOW_TO_READ: &str = "Read across: all pods at one moment. Read down: the seconds pass. The tiles show all pods at the time beside them.";

/// What the settings, and what the user did since, lead to.
pub fn headline(playback: &Playback, forks: &[AppliedFork]) -> String {
    let totals = playback.totals(0);
    if let Some(job) = &totals.job {
        return job_headline(playback, &totals, job);
    }
    let stuck = stuck_sentence(&totals, playback.has_rollback());
    let outage = outage_sentence(playback, &totals);
    let marks = playback.initial_marks();
    let (peak, limit) = (group_digits(totals.peak), group_digits(totals.limit_at_peak));
    let elsewhere = over_elsewhere(playback, &totals);
    let done = forks.iter().filter(|applied| applied.outcome.is_some());
    let done: Vec<String> = done.map(|applied| fork_sentence(applied, playback)).collect();
    if !done.is_empty() {
        let end = if totals.over() > 0 {
            format!("up to {peak} pods where the limit is {limit}")
        } else if runs_none(&totals, marks.desired) {
            String::from("no pod")
        } else if let Some(elsewhere) = elsewhere {
            format!("up to {peak} pods, {elsewhere}")
        } else {
            format!("up to {peak} pods and stays within the limit")
        };
        return format!("{} Kubernetes runs {end}.{outage}{stuck}", done.join(" "));
    }
    let (desired, limit) = (plural(marks.desired, "pod"), group_digits(marks.limit));
    match (playback.beginning(), totals.over() > 0) {
        (Beginning::Change, _) if totals.rollout_start.is_none() && has_the_same_pods(playback) => {
            format!("You asked for {desired}. This change replaces no pods. To see a rollout, change the image too.")
        }
        (Beginning::Change, is_over) => {
            let end = if is_over {
                format!("runs {peak}")
            } else if runs_none(&totals, marks.desired) {
                String::from("runs none")
            } else if let Some(elsewhere) = elsewhere {
                format!("runs up to {peak}, {elsewhere}")
            } else {
                String::from("stays within it")
            };
            format!("You asked for {desired}. During an update the limit is {limit}. Kubernetes {end}.{outage}{stuck}")
        }
        (Beginning::LiveState, _) => {
            let now = playback.lanes.first().and_then(|lane| lane.track.snapshots_from_zero().next());
            let pods = elsewhere.map_or_else(
                || pods_from_now(now.map_or(0, |snapshot| snapshot.pods()), marks.desired, &totals),
                |elsewhere| format!("From here on, Kubernetes runs up to {peak}, {elsewhere}"),
            );
            let assumption = assumption(playback).filter(|_| stuck.is_empty()).unwrap_or_default();
            let name = name(playback);
            format!("{name} wants {desired}, at most {limit}. {pods}{assumption}.{outage}{stuck}")
        }
    }
}

/// That the last rollout is never complete, as a further sentence; empty if it is complete, or if there is none.
const fn stuck_sentence(totals: &Totals, is_rollback: bool) -> &'static str {
    if is_stuck(totals, is_rollback) { " The rollout never completes." } else { "" }
}

/// For how long no pod is available, as a further sentence; empty if one always is.
fn outage_sentence(playback: &Playback, totals: &Totals) -> String {
    // The page is drawn for every frame, and this is rare.
    let lane = playback.lanes.first().filter(|_| totals.lowest_available <= 0);
    let outages = lane.map(|lane| lane.track.outages()).unwrap_or_default();
    let lengths = outages.iter().filter_map(|outage| Some(outage.until?.saturating_sub(outage.from)));
    let total = Duration(lengths.fold(0, i64::saturating_add)).briefly_in_words();
    match outages.as_slice() {
        [] => String::new(),
        [.., Outage { from, until: None }] => format!(" No pod is available from {} on.", playback.clock(*from)),
        [_] => format!(" No pod is available for {total}."),
        _ => format!(" No pod is available for {total} in total."),
    }
}

/// How many pods are over the limit at another moment than that with the most pods. None if those are over theirs, or if no pod
/// ever is.
fn over_elsewhere(playback: &Playback, totals: &Totals) -> Option<String> {
    let lane = playback.lanes.first().filter(|_| totals.over() == 0)?;
    let Excess { pods, limit, .. } = lane.excess?;
    Some(format!("at one time {} over a limit of {}", group_digits(pods), group_digits(limit)))
}

/// Whether no pod ever runs, although pods are wanted. That is within the limit, but nobody asked for it.
const fn runs_none(totals: &Totals, desired: i32) -> bool {
    totals.peak <= 0 && desired > 0
}

/// How many pods a running cluster has from now on. `now`: how many it has. `desired`: how many it wants. The limit is that at
/// the peak.
fn pods_from_now(now: i32, desired: i32, totals: &Totals) -> String {
    let peak = group_digits(totals.peak);
    if runs_none(totals, desired) {
        return String::from("From here on, Kubernetes runs none");
    }
    match (totals.over() > 0, now >= totals.peak) {
        (false, _) => String::from("From here on, Kubernetes stays within the limit"),
        (true, true) => format!("It has {peak} now, and never more from here on"),
        (true, false) => format!("From here on, Kubernetes runs up to {peak}"),
    }
}

/// Whether the first lane has the same pods all the time.
fn has_the_same_pods(playback: &Playback) -> bool {
    let Some(lane) = playback.lanes.first() else { return false };
    let counts: Vec<_> = lane.track.snapshots_from_zero().map(|snapshot| snapshot.counts).collect();
    counts.windows(2).all(|pair| matches!(pair, [before, after] if before == after))
}

/// What the future of a live state depends on, as the end of a sentence: no state says whether its pods become ready.
fn assumption(playback: &Playback) -> Option<&'static str> {
    let is_assumed = playback.lanes.first()?.track.has_pods_that_become_ready();
    is_assumed.then_some(", if all pods become ready")
}

/// The headline of a Job or CronJob.
fn job_headline(playback: &Playback, totals: &Totals, job: &JobOutcome) -> String {
    let peak = plural(totals.peak, "pod");
    if let Some(runs) = job.runs {
        return format!("{} starts {} here, with at most {peak} at once.", name(playback), plural(runs, "Job"));
    }
    let desired = plural(playback.initial_marks().desired, "pod");
    let asked = match playback.beginning() {
        Beginning::Change => format!("You asked for {desired} at once."),
        Beginning::LiveState => format!("{} wants {desired} at once.", name(playback)),
    };
    match two_of_index(job).filter(|two| *two > 0) {
        Some(two) => format!("{asked} By default, one index has two pods for {}.", Duration(two).briefly_in_words()),
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
        Some(trade) => format!("{headline} {}: {}", trade.name, trade.sentences()),
        None => String::from(headline),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Field, StrategyType};
    use crate::tests::{compared, settings};

    #[test]
    fn a_stuck_rollout_says_so() {
        let headline = |texts: &[(Field, &str)]| headline(&compared(&settings(texts)).1, &[]);
        let begin = "You asked for 15 pods. During an update the limit is 19. Kubernetes runs ";
        let (complete, stuck) = (headline(&[]), headline(&[(Field::Pull, "never")]));
        assert!(complete.starts_with(begin) && !complete.contains("never"), "{complete}");
        assert!(stuck.starts_with(begin) && stuck.ends_with(" The rollout never completes."), "{stuck}");
    }

    #[test]
    fn an_outage_says_how_long_it_takes() {
        let headline = |strategy: StrategyType, texts: &[(Field, &str)]| {
            let mut settings = settings(&[(Field::Replicas, "2"), (Field::ReadyAfter, "4"), (Field::TimeToStop, "10")]);
            settings.set_strategy(strategy);
            for (field, text) in texts {
                settings.set_text(*field, String::from(*text));
            }
            headline(&compared(&settings).1, &[])
        };
        let rolling = headline(StrategyType::RollingUpdate, &[]);
        assert!(!rolling.contains("No pod"), "{rolling}");
        let cases: [(&[(Field, &str)], &str); 3] = [
            // 10 s to stop, 1 s until the containers start, and 4 s to start.
            (&[], " Kubernetes stays within it. No pod is available for 15 s."),
            (&[(Field::SecondRollout, "40")], " No pod is available for 30 s in total."),
            (&[(Field::Pull, "never")], " No pod is available from 0:00 on. The rollout never completes."),
        ];
        for (texts, end) in cases {
            let recreated = headline(StrategyType::Recreate, texts);
            assert!(recreated.ends_with(end), "{recreated}");
        }
    }

    #[test]
    fn a_peak_that_is_now_does_not_lie_ahead() {
        let over = Totals { peak: 8, limit_at_peak: 5, ..Totals::default() };
        let within = Totals { limit_at_peak: 8, ..over };
        let none = Totals { peak: 0, ..within };
        for (now, desired, totals, expected) in [
            (8, 4, over, "It has 8 now, and never more from here on"),
            (6, 4, over, "From here on, Kubernetes runs up to 8"),
            (8, 6, within, "From here on, Kubernetes stays within the limit"),
            (0, 6, none, "From here on, Kubernetes runs none"),
            (0, 0, none, "From here on, Kubernetes stays within the limit"),
        ] {
            assert_eq!(pods_from_now(now, desired, &totals), expected, "{now} of {desired}");
        }
    }

    #[test]
    fn only_a_rollout_can_be_stuck() {
        let scaling = Totals { peak: 5, limit_at_peak: 5, ..Totals::default() };
        let rollout = Totals { rollout_start: Some(0), ..scaling };
        let complete = Totals { complete: Some(0), ..rollout };
        for (totals, is_rollback, is_stuck) in
            [(scaling, false, false), (rollout, false, true), (rollout, true, false), (complete, false, false)]
        {
            assert_eq!(!stuck_sentence(&totals, is_rollback).is_empty(), is_stuck, "{totals:?}");
        }
    }
}
