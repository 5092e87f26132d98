//! The figures above the lane of a Job or a CronJob, and what one lane costs compared with another.

use changeover_core::scenario::Duration;
use changeover_wire::playback_track::JobEnd;
use changeover_wire::{ClockFormat, JobOutcome, Totals};

use super::figure::{
    Figure, clock_difference, count_difference, difference_of, duration_difference, is_sooner, peak_label,
    pods_difference, seconds, time_difference,
};
use super::over_note;
use crate::number::group_digits;

/// For how long an index had two pods, in nanoseconds. It is in whole seconds, since the controllers' requests make it a few
/// milliseconds shorter or longer.
pub fn two_of_index(job: &JobOutcome) -> Option<i64> {
    job.two_of_index.map(|time| Duration(time).rounded().0)
}

/// The figures of a Job's lane. `other`: the lane that it is compared with; `clock`: how times are written.
pub fn job_figures(totals: &Totals, job: &JobOutcome, other: Option<&Totals>, clock: ClockFormat) -> Vec<Figure> {
    let other_job = other.and_then(|other| other.job);
    let mut figures = Vec::new();
    if let Some(runs) = job.runs {
        figures.push(count("runs", "runs", runs, other_job.and_then(|other| other.runs), true));
    }
    let mut peak = count(peak_label(totals.peak), "most pods", totals.peak, other.map(|other| other.peak), false);
    peak.note = over_note(totals, None);
    peak.is_over = peak.note.is_some();
    figures.push(peak);
    if let Some(two) = two_of_index(job) {
        let other = other_job.as_ref().and_then(two_of_index);
        figures.push(Figure {
            value: if two > 0 { Duration(two).briefly_in_words() } else { String::from("never") },
            is_better: other.is_some_and(|other| two < other),
            difference: other.and_then(|other| duration_difference(two, other)),
            is_over: two > 0,
            ..Figure::new("two pods of one index", "twice")
        });
    }
    let mut succeeded = count("succeeded", "ok", job.succeeded, other_job.map(|other| other.succeeded), true);
    if let Some(completions) = job.completions {
        succeeded.value = format!("{} of {}", succeeded.value, group_digits(completions));
    }
    figures.push(succeeded);
    figures.push(count("failed", "failed", job.failed, other_job.map(|other| other.failed), false));
    if job.runs.is_none() {
        figures.push(end_figure(job, other_job.as_ref(), clock));
    }
    figures
}

/// A count, which is better if it is larger, or else if it is smaller.
fn count(label: &'static str, short: &'static str, this: i32, other: Option<i32>, more_is_better: bool) -> Figure {
    let is_better = |other: i32| if more_is_better { this > other } else { this < other };
    Figure {
        value: group_digits(this),
        is_better: other.is_some_and(is_better),
        difference: other.and_then(|other| count_difference(this, other)),
        ..Figure::new(label, short)
    }
}

/// How the Job ended and when.
fn end_figure(job: &JobOutcome, other: Option<&JobOutcome>, clock: ClockFormat) -> Figure {
    let has_failed = job.end == Some(JobEnd::Failed);
    let (label, short) = if has_failed { ("failed after", "end") } else { ("complete after", "end") };
    let completed = |job: &JobOutcome| job.ended.filter(|_| job.end == Some(JobEnd::Complete));
    let same_end = other.filter(|other| other.end == job.end);
    Figure {
        value: job.ended.map_or_else(|| String::from("never"), |ended| clock.write(ended)),
        is_better: other.is_some_and(|other| is_sooner(completed(job), completed(other))),
        difference: same_end.and_then(|other| clock_difference(job.ended?, other.ended?)),
        ..Figure::new(label, short)
    }
}

/// What the other lane costs, in a sentence: `never two pods of one index, but complete 20 s later.`
pub fn job_trade(first: [&Totals; 2], jobs: [&JobOutcome; 2]) -> String {
    let [before, after] = jobs;
    let doubles = jobs.map(|job| job.two_of_index.is_some_and(|two| two > 0));
    let runs = |job: &JobOutcome| job.runs.unwrap_or(0);
    let more_runs = runs(after).saturating_sub(runs(before));
    let space = match doubles {
        [true, false] => Some(String::from("never two pods of one index")),
        [false, true] => Some(String::from("two pods of one index at once")),
        _ if more_runs != 0 => Some(difference_of(more_runs, "run")),
        _ => pods_difference(first),
    };
    let ended = |job: &JobOutcome| seconds(job.ended.unwrap_or(0));
    let end = match (before.end, after.end) {
        (Some(JobEnd::Failed), Some(JobEnd::Complete)) => Some(String::from("complete instead of failed")),
        (Some(JobEnd::Complete), Some(JobEnd::Failed)) => Some(String::from("failed instead of complete")),
        (Some(JobEnd::Complete), Some(JobEnd::Complete)) => time_difference("complete", ended(before), ended(after)),
        (Some(JobEnd::Failed), Some(JobEnd::Failed)) => time_difference("failed", ended(before), ended(after)),
        (None, Some(JobEnd::Complete)) => Some(String::from("complete at last")),
        (Some(_), None) => Some(String::from("never finished")),
        (None, _) => None,
    };
    match (space, end) {
        (None, None) => String::from("no difference in these numbers."),
        (Some(one), None) | (None, Some(one)) => format!("{one}."),
        (Some(space), Some(end)) => {
            let is_loss = end.ends_with("later")
                || end.contains("times as long")
                || end.starts_with("failed")
                || end.starts_with("never");
            format!("{space}, {} {end}.", if is_loss { "but" } else { "and" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn totals(peak: i32, two: i64, end: JobEnd, ended: i64) -> Totals {
        let job = JobOutcome {
            completions: Some(3),
            succeeded: 3,
            two_of_index: Some(two.saturating_mul(SECOND)),
            end: Some(end),
            ended: Some(ended.saturating_mul(SECOND)),
            ..JobOutcome::default()
        };
        Totals { peak, limit_at_peak: 3, job: Some(job), ..Totals::default() }
    }

    fn told(first: &Totals, other: &Totals) -> String {
        job_trade([first, other], [first, other].map(|totals| totals.job.as_ref().unwrap()))
    }

    #[test]
    fn a_time_is_not_shown_a_second_shorter_than_it_nearly_is() {
        let job = JobOutcome { two_of_index: Some(10 * SECOND - 10_000_000), ..JobOutcome::default() };
        let figures = job_figures(&Totals::default(), &job, None, ClockFormat::Minutes);
        let twice = figures.iter().find(|figure| figure.label == "two pods of one index").unwrap();
        assert_eq!(twice.value, "10 s");
    }

    #[test]
    fn the_difference_of_durations_is_that_of_the_values_shown() {
        let nearly_ten = 10 * SECOND - 10_000_000;
        let milliseconds = |count: i64| count.saturating_mul(1_000_000);
        for (this, other, expected) in [
            (20 * SECOND, nearly_ten, Some("+10 s")),
            (nearly_ten, 20 * SECOND, Some("−10 s")),
            (nearly_ten, 10 * SECOND, None),
            (milliseconds(600), 10 * SECOND, Some("−9 s")),
            (milliseconds(600), milliseconds(400), Some("+200 ms")),
            (0, milliseconds(600), Some("−600 ms")),
        ] {
            let [this_job, other_job] =
                [this, other].map(|two| JobOutcome { two_of_index: Some(two), ..JobOutcome::default() });
            let other_totals = Totals { job: Some(other_job), ..Totals::default() };
            let figures = job_figures(&Totals::default(), &this_job, Some(&other_totals), ClockFormat::Minutes);
            let twice = figures.iter().find(|figure| figure.label == "two pods of one index").unwrap();
            assert_eq!(twice.difference.as_deref(), expected, "{this} {other}");
        }
    }

    #[test]
    fn the_trade_names_what_is_gained_and_what_it_costs() {
        let (now, later) = (totals(4, 10, JobEnd::Complete, 82), totals(3, 0, JobEnd::Complete, 102));
        assert_eq!(told(&now, &later), "never two pods of one index, but complete 20 s later.");
        assert_eq!(told(&later, &now), "two pods of one index at once, and complete 20 s sooner.");
        let failed = totals(3, 0, JobEnd::Failed, 50);
        assert_eq!(told(&failed, &later), "complete instead of failed.");
        assert_eq!(told(&later, &failed), "failed instead of complete.");
        assert_eq!(told(&later, &later), "no difference in these numbers.");
        let mut endless = totals(3, 0, JobEnd::Complete, 0);
        endless.job = endless.job.map(|job| JobOutcome { end: None, ended: None, ..job });
        assert_eq!(told(&now, &endless), "never two pods of one index, but never finished.");
    }

    #[test]
    fn the_better_value_is_marked() {
        let (now, later) = (totals(4, 10, JobEnd::Complete, 82), totals(3, 0, JobEnd::Complete, 102));
        let shown = |one: &Totals, other: &Totals| {
            let figures = job_figures(one, one.job.as_ref().unwrap(), Some(other), ClockFormat::Minutes);
            figures.into_iter().map(|figure| (figure.label, figure.value, figure.is_better)).collect::<Vec<_>>()
        };
        assert_eq!(
            shown(&now, &later),
            [
                ("pods at most", String::from("4"), false),
                ("two pods of one index", String::from("10 s"), false),
                ("succeeded", String::from("3 of 3"), false),
                ("failed", String::from("0"), false),
                ("complete after", String::from("1:22"), true),
            ]
        );
        assert!(shown(&later, &now).iter().take(2).all(|(.., is_better)| *is_better));
    }
}
