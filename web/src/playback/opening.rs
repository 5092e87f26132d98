//! The moment that a page shows first.

use changeover_core::timeline::Counts;
use changeover_wire::playback_track::Setback;
use changeover_wire::{MAX_WAVE, Totals};

use super::track::{Excess, PlaybackTrack, Snapshot};

/// Why a moment is the first one to show: it has the consequence of what the user chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningEvent {
    /// There are the most pods.
    MostPods,
    /// The most pods are over the limit, which is lower than at the moment with the most pods.
    MostOver,
    /// The fewest pods are available.
    FewestAvailable,
    /// From now on, a rollout that never completes makes no progress.
    Stuck,
}

impl OpeningEvent {
    /// Which moment it is, at the end of a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MostPods => "the moment with the most pods",
            Self::MostOver => "the moment with the most pods over the limit",
            Self::FewestAvailable => "the moment with the fewest available pods",
            Self::Stuck => "the moment at which the rollout gets stuck",
        }
    }
}

/// The moment that a page shows first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Why it is that one.
    pub event: OpeningEvent,
    /// When it is, in nanoseconds of the page's time, 0 or later.
    pub time: i64,
}

impl Opening {
    /// The opening moment of a lane: if its pods stay within the limit, their number is no news. `excess`: the most pods over the
    /// limit at one moment. `is_rollback`: an old version comes back in a lane.
    pub fn new(track: &PlaybackTrack, totals: &Totals, excess: Option<Excess>, is_rollback: bool) -> Self {
        // The most pods of a Job are as many as it asks for, and none is available before it starts.
        let is_peak_within = totals.over() == 0 && totals.job.is_none();
        let (event, time) = if let Some(excess) = excess.filter(|_| is_peak_within) {
            (OpeningEvent::MostOver, excess.time)
        } else if is_peak_within && is_stuck(totals, is_rollback) {
            let start = totals.change.saturating_add(totals.rollout_start.unwrap_or(0));
            let stuck = last_arrival_or_departure(track).map_or(start, |time| time.max(start));
            (OpeningEvent::Stuck, refusal(track, stuck).unwrap_or(stuck))
        } else if let Some(time) = fewest_available(track).filter(|_| is_peak_within) {
            (OpeningEvent::FewestAvailable, time)
        } else {
            let most = track.snapshots_from_zero().find(|snapshot| snapshot.pods() == track.peak);
            (OpeningEvent::MostPods, most.map_or(0, |snapshot| snapshot.from.time))
        };
        Self { event, time: time.max(0) }
    }
}

/// Whether there is a rollout, and the last one is never complete.
pub const fn is_stuck(totals: &Totals, is_rollback: bool) -> bool {
    // Versions that stay side by side after a rollback are no update that should be complete.
    totals.rollout_start.is_some() && totals.complete.is_none() && !is_rollback
}

/// When the fewest pods are available for the first time; none if there are never fewer than before the change.
fn fewest_available(track: &PlaybackTrack) -> Option<i64> {
    let all = (0..track.snapshot_count()).filter_map(|index| track.snapshot(index));
    // The change may be at time 0, too.
    let before = all.take_while(|snapshot| snapshot.from.time <= 0).map(|snapshot| snapshot.available()).max()?;
    let fewest = track.instants_from_zero().into_iter().min_by_key(|instant| instant.available())?;
    (fewest.available() < before).then_some(fewest.from.time)
}

/// When a pod comes or goes for the last time; none if none ever does.
fn last_arrival_or_departure(track: &PlaybackTrack) -> Option<i64> {
    let pods = |instant: &Snapshot<'_>| instant.counts.iter().map(Counts::holding).collect::<Vec<i32>>();
    let instants = track.instants_from_zero();
    let pairs = instants.iter().zip(instants.iter().skip(1));
    pairs.rev().find(|(before, after)| pods(before) != pods(after)).map(|(_, after)| after.from.time)
}

/// When the API server refuses a pod of a rollout that is stuck from a time on: that explains why. None if it never does. The
/// sentence about a refusal in the wave that leads there would be about the limit.
fn refusal(track: &PlaybackTrack, stuck: i64) -> Option<i64> {
    let wave_end = stuck.saturating_add(MAX_WAVE.saturating_mul(2));
    let refused = track.setbacks.iter().filter(|(_, setback)| *setback == Setback::Creation).map(|(time, _)| *time);
    let mut after = refused.filter(|time| *time >= stuck).peekable();
    let first = after.peek().copied();
    after.find(|time| *time > wave_end).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Field, StrategyType};
    use crate::tests::{compared, play_story, settings};

    #[test]
    fn the_first_moment_shows_what_the_settings_lead_to() {
        // The event, all pods and the available ones then, and the most pods.
        let opening = |strategy: StrategyType, texts: &[(Field, &str)]| {
            let mut settings = settings(texts);
            settings.set_strategy(strategy);
            let (_, playback) = compared(&settings);
            let moment = playback.moment(0, playback.opening_playhead());
            let track = &playback.lanes[0].track;
            let snapshot = track.snapshot_at(moment).unwrap();
            (playback.opening.event, snapshot.pods(), snapshot.available(), track.peak)
        };
        let few = (Field::Replicas, "2");
        let rolling = StrategyType::RollingUpdate;
        let (event, pods, _, most) = opening(rolling, &[]);
        assert_eq!((event, pods), (OpeningEvent::MostPods, most));
        assert_eq!(opening(StrategyType::Recreate, &[few]), (OpeningEvent::FewestAvailable, 2, 0, 2));
        // The old pods are gone, and the new ones are never ready.
        let never = (Field::Pull, "never");
        assert_eq!(opening(StrategyType::Recreate, &[few, never]), (OpeningEvent::Stuck, 2, 0, 2));
        // The quota refuses the first new pod.
        assert_eq!(opening(rolling, &[few, (Field::QuotaPods, "2")]), (OpeningEvent::Stuck, 2, 2, 2));
    }

    #[test]
    fn a_rollout_that_a_quota_holds_up_opens_with_a_refusal() {
        let texts = [(Field::Replicas, "6"), (Field::MaxUnavailable, "0"), (Field::QuotaPods, "6")];
        let (_, playback) = compared(&settings(&texts));
        let Opening { event, time } = playback.opening;
        assert_eq!(event, OpeningEvent::Stuck);
        let mut refused = playback.lanes[0].track.setbacks.iter().map(|(time, _)| *time);
        assert!(time > MAX_WAVE && refused.any(|refused| refused == time), "{time}");
        let refused_until = |until: i64| refusal(&playback.lanes[0].track, until);
        assert!(refused_until(0) == Some(time) && refused_until(i64::MAX).is_none());
    }

    #[test]
    fn a_rollout_within_its_limit_opens_with_the_fewest_available_pods() {
        let (_, playback) = compared(&settings(&[]));
        let lane = &playback.lanes[1];
        let totals = lane.played.totals;
        let Opening { event, time } = Opening::new(&lane.track, &totals, lane.excess, false);
        assert_eq!(event, OpeningEvent::FewestAvailable);
        let snapshot = lane.track.snapshot_at(playback.moment_at(1, time)).unwrap();
        assert_eq!(snapshot.available(), totals.lowest_available);
    }

    #[test]
    fn a_limit_that_falls_below_the_pods_opens_when_the_most_pods_are_over_it() {
        let playback = play_story("five-two-five");
        let lane = &playback.lanes[1];
        let Opening { event, time } = Opening::new(&lane.track, &lane.played.totals, lane.excess, false);
        assert_eq!(event, OpeningEvent::MostOver);
        let over = |time: i64| lane.track.snapshot_at(playback.moment_at(1, time)).unwrap().over();
        assert_eq!(over(time), 3);
        // They are over it as soon as the Deployment is scaled down.
        assert!(time == 0 || over(time.saturating_sub(1)) < 3);
    }
}
