//! The columns of a Job's pods: a column is a completion index. Without indexes it is an attempt, and of a CronJob a run.

use changeover_core::timeline::PodState;
use changeover_wire::WorkloadKind;

use super::track::{BackOff, Moment, PlaybackTrack, PodKeyframe};

/// What a column stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnMeaning {
    /// A completion index.
    Index,
    /// A pod of a Job without indexes.
    Attempt,
    /// A Job of a CronJob.
    Run,
}

impl ColumnMeaning {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Attempt => "attempt",
            Self::Run => "run",
        }
    }

    /// The number of its first column.
    pub const fn first(self) -> usize {
        match self {
            Self::Index => 0,
            Self::Attempt | Self::Run => 1,
        }
    }
}

/// A pod of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnPod {
    pod: usize,
    /// How its Job waited before it created the pod.
    wait: Option<Wait>,
}

/// A wait for a pod, as the picture shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    /// When it is first seen.
    from: i64,
    /// From when it counts.
    since: i64,
    /// When the pod is created.
    until: i64,
}

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupant {
    /// The pod.
    pub pod: usize,
    /// How many pods of the column came before it.
    pub attempt: usize,
    /// What it does.
    pub activity: Activity,
}

/// What a pod in a column does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The pod is not created yet: its Job waits.
    Waits {
        /// From when the wait counts: the failure, or later.
        since: i64,
        /// Until when.
        until: i64,
    },
    /// The pod is there and has not ended.
    Holds(PodState),
    /// The pod has ended, and no other one is there.
    Ended(Ending),
}

/// How a pod has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Without an error.
    Succeeded,
    /// With an error, or because it was deleted.
    Failed,
}

/// The columns of all pods.
#[derive(Debug, PartialEq)]
pub struct JobColumns {
    /// What a column stands for.
    pub meaning: ColumnMeaning,
    /// The pods of each column, in the order of their creation.
    columns: Vec<Vec<ColumnPod>>,
}

/// A wait ends when its pods are created, and is first seen when the failure is counted. Both take the controller up to a second.
const SYNC_PERIOD: i64 = 2_000_000_000;

impl JobColumns {
    /// The columns of a track of Jobs.
    pub fn new(track: &PlaybackTrack, kind: WorkloadKind) -> Self {
        let meaning = match kind {
            WorkloadKind::CronJob => ColumnMeaning::Run,
            _ if !track.pod_indexes.is_empty() => ColumnMeaning::Index,
            _ => ColumnMeaning::Attempt,
        };
        let count = match meaning {
            ColumnMeaning::Index => track.completions().and_then(|completions| usize::try_from(completions).ok()),
            ColumnMeaning::Attempt => Some(track.pods.len()),
            ColumnMeaning::Run => Some(track.replica_set_count),
        };
        let mut columns: Vec<Vec<ColumnPod>> = vec![Vec::new(); count.unwrap_or(0)];
        for (pod, keyframes) in track.pods.iter().enumerate() {
            let Some(first) = keyframes.first() else { continue };
            let column = match meaning {
                ColumnMeaning::Index => track.pod_indexes.get(&pod).copied().unwrap_or(0),
                ColumnMeaning::Attempt => pod,
                ColumnMeaning::Run => first.replica_set,
            };
            if columns.len() <= column {
                columns.resize_with(column.saturating_add(1), Vec::new);
            }
            if let Some(slot) = columns.get_mut(column) {
                slot.push(ColumnPod { pod, wait: wait_before(track, first, meaning, column) });
            }
        }
        Self { meaning, columns }
    }

    /// How many columns there are.
    pub const fn len(&self) -> usize {
        self.columns.len()
    }

    /// What stands in a column at a moment: every pod that is there and every one that is waited for. If there is none, the pod
    /// that succeeded, or the last one that failed.
    pub fn occupants(&self, track: &PlaybackTrack, column: usize, moment: Moment) -> Vec<Occupant> {
        let pods = self.columns.get(column).map(Vec::as_slice).unwrap_or_default();
        let activity = |pod: &ColumnPod| {
            let state = track.pod_at(pod.pod, moment).and_then(|keyframe| keyframe.state);
            let wait = pod.wait.filter(|wait| (wait.from..wait.until).contains(&moment.time));
            let waits = wait.map(|Wait { since, until, .. }| Activity::Waits { since, until });
            state.filter(|state| state.holds()).map(Activity::Holds).or(waits)
        };
        let numbered = || pods.iter().enumerate();
        let present: Vec<Occupant> = numbered()
            .filter_map(|(attempt, pod)| Some(Occupant { pod: pod.pod, attempt, activity: activity(pod)? }))
            .collect();
        if !present.is_empty() {
            return present;
        }
        let ended = || {
            numbered().rev().filter_map(|(attempt, pod)| {
                let ending = ending(track, pod.pod, moment)?;
                Some(Occupant { pod: pod.pod, attempt, activity: Activity::Ended(ending) })
            })
        };
        let succeeded = ended().find(|occupant| occupant.activity == Activity::Ended(Ending::Succeeded));
        succeeded.or_else(|| ended().next()).into_iter().collect()
    }

    /// When something changes in a column, from time 0 on.
    pub fn times(&self, track: &PlaybackTrack, column: usize) -> Vec<i64> {
        let pods = self.columns.get(column).map(Vec::as_slice).unwrap_or_default();
        let keyframes = pods.iter().filter_map(|pod| track.pods.get(pod.pod)).flatten();
        let waits = pods.iter().filter_map(|pod| pod.wait).flat_map(|wait| [wait.from, wait.until]);
        let mut times: Vec<i64> = keyframes.map(|keyframe| keyframe.from.time).chain(waits).collect();
        times.retain(|time| *time > 0);
        times.push(0);
        times.sort_unstable();
        times.dedup();
        times
    }

    /// The first column with two pods at once; none in a Job without indexes.
    pub fn two_of_index(&self, track: &PlaybackTrack, moment: Moment) -> Option<usize> {
        let is_double = |column: &usize| holding(&self.occupants(track, *column, moment)) > 1;
        (self.meaning == ColumnMeaning::Index).then(|| (0..self.len()).find(is_double)).flatten()
    }
}

/// How many pods hold resources.
pub fn holding(occupants: &[Occupant]) -> usize {
    occupants.iter().filter(|occupant| matches!(occupant.activity, Activity::Holds(_))).count()
}

/// How the Job has waited for a pod that it creates then.
fn wait_before(track: &PlaybackTrack, created: &PodKeyframe, meaning: ColumnMeaning, column: usize) -> Option<Wait> {
    let time = created.from.time;
    let ends_here = |until: i64| (time.saturating_sub(SYNC_PERIOD)..=time).contains(&until);
    let own = track.back_offs.iter().filter(|wait| wait.job == created.replica_set && wait.from < time);
    let mut its = own.filter(|wait| wait.index.is_none_or(|index| meaning != ColumnMeaning::Index || index == column));
    // A wait that changes is recorded again.
    let BackOff { from, failed, .. } = *its.find(|wait| ends_here(wait.until))?;
    // A reader counts from the failure. Only a Job that had no slot for the pod until then waits for less.
    let since = if from.saturating_sub(failed) <= SYNC_PERIOD { failed } else { from };
    Some(Wait { from, since, until: time })
}

/// How a pod has ended; none if it has not been there yet. It may be gone since.
fn ending(track: &PlaybackTrack, pod: usize, moment: Moment) -> Option<Ending> {
    let keyframes = track.pods.get(pod)?;
    let passed = keyframes.iter().take_while(|keyframe| moment.has_reached(keyframe.from));
    let last = passed.filter_map(|keyframe| keyframe.state).last()?;
    Some(if last == PodState::Succeeded { Ending::Succeeded } else { Ending::Failed })
}
