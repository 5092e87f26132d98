//! The figures above a lane, and what one lane costs compared with another. Only figures that mean something are shown.

mod figure;
mod job;

use changeover_wire::{ClockFormat, Totals};

pub use figure::Figure;
pub use job::two_of_index;

use self::figure::{
    clock_difference, count_difference, difference_of, is_sooner, peak_label, pods_difference, seconds, time_difference,
};
use self::job::{job_figures, job_trade};
use crate::number::{group_digits, plural};
use crate::playback::{Excess, Playback};

/// The figures of a lane. `under`: how many pods were missing to the minimum; `excess`: the most pods over the limit at one moment;
/// `other`: the lane that it is compared with; `is_rollback`: whether an old version comes back; `clock`: how times are written.
pub fn figures(
    totals: &Totals,
    under: i32,
    excess: Option<Excess>,
    other: Option<&Totals>,
    is_rollback: bool,
    clock: ClockFormat,
) -> Vec<Figure> {
    if let Some(job) = &totals.job {
        return job_figures(totals, job, other, clock);
    }
    let has = |condition: fn(&Totals) -> bool| condition(totals) || other.is_some_and(condition);
    let over = over_note(totals, excess);
    let mut figures = vec![
        Figure {
            label: peak_label(totals.peak),
            short_label: "most pods",
            value: group_digits(totals.peak),
            is_over: over.is_some(),
            note: over,
            is_better: other.is_some_and(|other| totals.peak < other.peak),
            difference: other.and_then(|other| count_difference(totals.peak, other.peak)),
        },
        Figure {
            label: "available at least",
            short_label: "fewest up",
            value: group_digits(totals.lowest_available),
            note: (under > 0).then(|| {
                let minimum = totals.lowest_available.saturating_add(under);
                format!("{} under {}", group_digits(under), group_digits(minimum))
            }),
            is_better: other.is_some_and(|other| totals.lowest_available > other.lowest_available),
            difference: other.and_then(|other| count_difference(totals.lowest_available, other.lowest_available)),
            is_over: under > 0,
        },
    ];
    let time = |label, short_label, time: fn(&Totals) -> Option<i64>| Figure {
        label,
        short_label,
        value: time(totals).map_or_else(|| String::from("never"), |time| clock.write(time)),
        note: None,
        is_better: other.is_some_and(|other| is_sooner(time(totals), time(other))),
        difference: other.and_then(|other| clock_difference(time(totals)?, time(other)?)),
        is_over: false,
    };
    if has(|totals| totals.rollout_start.is_some()) {
        // Versions that stay side by side after a rollback are no update that should be complete.
        if !is_rollback || has(|totals| totals.complete.is_some()) {
            figures.push(time("complete after", "complete", |totals| totals.complete));
        }
        // After a rollback, it is the old version that stays.
        if !is_rollback {
            figures.push(time("last old pod gone", "last gone", |totals| totals.last_old_pod_gone));
        }
    } else if has(|totals| totals.all_available != Some(0)) {
        figures.push(time("all available after", "all up", |totals| totals.all_available));
    }
    figures
}

/// How many pods are over the limit, as a note on the most pods: `3 over 5`. `excess`: the most pods over the limit at one moment.
/// It is shown only if the peak is within its limit: `once 3 over 2`.
pub fn over_note(totals: &Totals, excess: Option<Excess>) -> Option<String> {
    let note = |pods: i32, limit: i32| format!("{} over {}", group_digits(pods), group_digits(limit));
    match totals.over() {
        0 => excess.map(|excess| format!("once {}", note(excess.pods, excess.limit))),
        over => Some(note(over, totals.limit_at_peak)),
    }
}

/// The second of two lanes compared with the first one.
pub struct ComparedTrade<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it gains and costs.
    pub cost: String,
    /// The pods over a limit that both lanes have: in the figures of one lane, only that one would have them.
    pub shared: Option<String>,
}

impl ComparedTrade<'_> {
    /// All sentences.
    pub fn sentences(&self) -> String {
        match &self.shared {
            Some(shared) => format!("{} {shared}", self.cost),
            None => self.cost.clone(),
        }
    }
}

/// What the second of two compared lanes gains and costs; none if another number of lanes is shown.
pub fn compared_trade(playback: &Playback) -> Option<ComparedTrade<'_>> {
    let [first, second] = playback.compared_lanes()?;
    let name = playback.lanes.get(second)?.info.name.as_str();
    let trade = trade(&playback.totals(first), &playback.totals(second));
    // Both lanes begin with the same nodes.
    let [before, after] = [first, second].map(|lane| playback.lanes.get(lane).map_or(0, |it| it.played.nodes.len()));
    let cost = format!("{trade}{}", node_trade(before, after));
    Some(ComparedTrade { name, cost, shared: playback.shared_excess().map(shared_sentence) })
}

fn shared_sentence(Excess { pods, limit, .. }: Excess) -> String {
    format!("Both have {} over the limit while it is {}.", plural(pods, "pod"), group_digits(limit))
}

/// How many nodes an autoscaler adds compared with another lane, as a further sentence; empty without a difference.
fn node_trade(before: usize, after: usize) -> String {
    let [before, after] = [before, after].map(|count| i32::try_from(count).unwrap_or(i32::MAX));
    match after.saturating_sub(before) {
        0 => String::new(),
        nodes => format!(" The autoscaler adds {}.", difference_of(nodes, "node")),
    }
}

/// What the other lane costs, in a sentence: `7 fewer pods at most, but complete 10 s later.`
pub fn trade(first: &Totals, other: &Totals) -> String {
    if let (Some(before), Some(after)) = (&first.job, &other.job) {
        return job_trade([first, other], [before, after]);
    }
    let pods = other.peak.saturating_sub(first.peak);
    let space = pods_difference([first, other]);
    let (word, [before, after]) = if first.rollout_start.is_some() {
        ("complete", [first, other].map(|totals| totals.complete))
    } else {
        ("all available", [first, other].map(|totals| totals.all_available))
    };
    let (end, is_gain) = match (before, after) {
        (None, None) => (None, false),
        (Some(_), None) => (Some(format!("never {word}")), false),
        (None, Some(_)) => (Some(format!("{word} at last")), true),
        (Some(before), Some(after)) => (time_difference(word, seconds(before), seconds(after)), after < before),
    };
    match (space, end) {
        (None, None) => String::from("no difference in these numbers."),
        // Whether pods are available says nothing about when old ones are gone.
        (Some(space), None) if before.is_some() && first.rollout_start.is_some() => {
            format!("{space}, and just as fast.")
        }
        (Some(space), None) => format!("{space}."),
        (None, Some(end)) => format!("the same number of pods, {end}."),
        (Some(space), Some(end)) => {
            let and = if (pods < 0) == is_gain { "and" } else { "but" };
            format!("{space}, {and} {end}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanoseconds(seconds: i64) -> i64 {
        seconds.saturating_mul(1_000_000_000)
    }

    fn rollout(peak: i32, complete: Option<i64>) -> Totals {
        let complete = complete.map(nanoseconds);
        Totals { peak, limit_at_peak: 19, rollout_start: Some(0), complete, ..Totals::default() }
    }

    fn scaling(peak: i32, all_available: i64) -> Totals {
        Totals { peak, limit_at_peak: 5, all_available: Some(nanoseconds(all_available)), ..Totals::default() }
    }

    fn labels(totals: &Totals, other: Option<&Totals>, is_rollback: bool) -> Vec<&'static str> {
        let figures = figures(totals, 0, None, other, is_rollback, ClockFormat::Minutes);
        figures.into_iter().skip(2).map(|figure| figure.label).collect()
    }

    #[test]
    fn the_trade_names_what_is_gained_and_what_it_costs() {
        let cases = [
            ((26, Some(18)), (19, Some(28)), "7 fewer pods at most, but complete 10 s later."),
            ((26, Some(18)), (19, Some(63)), "7 fewer pods at most, but complete 45 s later (3.5 times as long)."),
            ((26, Some(18)), (19, Some(36)), "7 fewer pods at most, but complete 18 s later (2 times as long)."),
            ((26, Some(18)), (19, Some(18)), "7 fewer pods at most, and just as fast."),
            ((26, Some(18)), (19, Some(10)), "7 fewer pods at most, and complete 8 s sooner."),
            ((13, Some(15)), (8, None), "5 fewer pods at most, but never complete."),
            ((8, None), (8, Some(15)), "the same number of pods, complete at last."),
            ((13, None), (8, None), "5 fewer pods at most."),
            ((19, Some(18)), (20, Some(28)), "1 more pod at most, and complete 10 s later."),
            ((20, Some(18)), (19, Some(18)), "1 fewer pod at most, and just as fast."),
            ((19, Some(18)), (19, Some(28)), "the same number of pods, complete 10 s later."),
            ((19, Some(18)), (19, Some(18)), "no difference in these numbers."),
        ];
        for (first, other, sentence) in cases {
            assert_eq!(trade(&rollout(first.0, first.1), &rollout(other.0, other.1)), sentence);
        }
        let sentence = "3 fewer pods at most, but all available 20 s later (2.3 times as long).";
        assert_eq!(trade(&scaling(8, 15), &scaling(5, 35)), sentence);
        // Nothing was said about when a rollout is complete.
        assert_eq!(trade(&scaling(8, 15), &scaling(5, 15)), "3 fewer pods at most.");
    }

    #[test]
    fn the_trade_names_the_nodes_that_an_autoscaler_adds() {
        assert_eq!(node_trade(3, 2), " The autoscaler adds 1 fewer node.");
        assert_eq!(node_trade(2, 4), " The autoscaler adds 2 more nodes.");
        assert_eq!(node_trade(3, 3), "");
    }

    #[test]
    fn the_trade_names_what_both_lanes_have_over_a_limit() {
        let sentence = |pods, limit| shared_sentence(Excess { pods, limit, time: 0 });
        assert_eq!(sentence(3, 2), "Both have 3 pods over the limit while it is 2.");
        assert_eq!(sentence(1, 0), "Both have 1 pod over the limit while it is 0.");
    }

    #[test]
    fn a_time_is_shown_only_for_what_happens() {
        assert_eq!(labels(&rollout(3, None), None, false), ["complete after", "last old pod gone"]);
        let rolled_back = labels(&rollout(3, Some(5)), Some(&rollout(3, None)), true);
        assert_eq!(rolled_back, ["complete after"]);
        assert_eq!(labels(&rollout(3, None), None, true), [""; 0]);
        assert_eq!(labels(&scaling(8, 15), None, false), ["all available after"]);
        assert_eq!(labels(&scaling(6, 0), Some(&scaling(6, 0)), false), [""; 0]);
    }

    #[test]
    fn over_says_the_limit_and_better_needs_something_better() {
        let figures = |this: &Totals, other: &Totals| figures(this, 0, None, Some(other), false, ClockFormat::Minutes);
        let first = figures(&scaling(8, 15), &scaling(5, 35));
        let second = figures(&scaling(5, 35), &scaling(8, 15));
        assert_eq!(first[0].note.as_deref(), Some("3 over 5"));
        let differences = second.iter().map(|figure| figure.difference.as_deref()).collect::<Vec<_>>();
        assert_eq!(differences, [Some("−3"), None, Some("+20 s")]);
        assert_eq!((second[0].note.as_deref(), second[0].is_better), (None, true));
        let better = |figures: &[Figure]| figures.iter().map(|figure| figure.is_better).collect::<Vec<_>>();
        assert_eq!((better(&first), better(&second)), (vec![false, false, true], vec![true, false, false]));
        assert_eq!(better(&figures(&scaling(8, 15), &scaling(8, 15))), [false; 3]);
    }

    #[test]
    fn pods_over_a_limit_that_is_lower_at_another_time_are_counted_too() {
        let excess = Some(Excess { pods: 3, limit: 2, time: 0 });
        let most =
            |totals: &Totals, excess| figures(totals, 0, excess, None, false, ClockFormat::Minutes).swap_remove(0);
        let within = most(&scaling(5, 35), excess);
        assert_eq!((within.value.as_str(), within.note.as_deref(), within.is_over), ("5", Some("once 3 over 2"), true));
        // The most pods come first.
        assert_eq!(
            most(&scaling(8, 15), Some(Excess { pods: 6, limit: 2, time: 0 })).note.as_deref(),
            Some("3 over 5")
        );
        assert_eq!((most(&scaling(5, 35), None).note, most(&scaling(5, 35), None).is_over), (None, false));
    }

    #[test]
    fn pods_that_were_missing_to_the_minimum_are_marked() {
        let totals = Totals { lowest_available: 4, ..scaling(8, 15) };
        let low = |under: i32| figures(&totals, under, None, None, false, ClockFormat::Minutes).swap_remove(1);
        assert_eq!((low(1).note.as_deref(), low(1).is_over), (Some("1 under 5"), true));
        assert_eq!((low(0).note, low(0).is_over), (None, false));
    }
}
