//! The columns of lanes in which not any pod may stand in any column: a column is a completion index, an attempt or a run of a
//! CronJob, an ordinal of a StatefulSet, or a node.

use changeover_core::timeline::PodState;
use changeover_wire::ColumnMeaning;

use super::track::{BackOff, Moment, PlaybackTrack, PodKeyframe};

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
    /// Its hue: that of its revision, or else how many pods of the column came before it.
    pub hue: usize,
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

/// What a StatefulSet does only when a pod is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// It creates or updates the pod of a column, and waits for that of another ordinal.
    Other(usize),
    /// It updates the very pod that it waits for.
    Itself,
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
pub struct FixedColumns {
    /// What a column stands for.
    pub meaning: ColumnMeaning,
    /// The number of the first column.
    pub first: usize,
    /// The pods of each column, in the order of their creation.
    columns: Vec<Vec<ColumnPod>>,
}

/// A wait ends when its pods are created, and is first seen when the failure is counted. Both take the controller up to a second.
const SYNC_PERIOD: i64 = 2_000_000_000;

impl FixedColumns {
    /// The columns of a track. `nodes`: how many nodes there are.
    pub fn new(track: &PlaybackTrack, meaning: ColumnMeaning, nodes: usize) -> Self {
        let first = match meaning {
            ColumnMeaning::Index | ColumnMeaning::Node => 0,
            ColumnMeaning::Attempt | ColumnMeaning::Run => 1,
            ColumnMeaning::Ordinal => track.ordinals().map(|ordinals| ordinals.first).min().unwrap_or(0),
        };
        let count = match meaning {
            ColumnMeaning::Index => track.completions().and_then(|completions| usize::try_from(completions).ok()),
            ColumnMeaning::Attempt => Some(track.pods.len()),
            ColumnMeaning::Run => Some(track.replica_set_count),
            ColumnMeaning::Ordinal => track.ordinals().map(|ordinals| ordinals.end().saturating_sub(first)).max(),
            ColumnMeaning::Node => Some(nodes),
        };
        let mut columns: Vec<Vec<ColumnPod>> = vec![Vec::new(); count.unwrap_or(0)];
        for (pod, keyframes) in track.pods.iter().enumerate() {
            let Some(created) = keyframes.first() else { continue };
            let index = track.pod_indexes.get(&pod).copied();
            let column = match meaning {
                ColumnMeaning::Index => index.unwrap_or(0),
                ColumnMeaning::Attempt => pod,
                ColumnMeaning::Run => created.replica_set,
                // A pod of no ordinal or node is not one of the workload's.
                ColumnMeaning::Ordinal | ColumnMeaning::Node => {
                    let Some(column) = index.and_then(|index| index.checked_sub(first)) else { continue };
                    column
                }
            };
            if columns.len() <= column {
                columns.resize_with(column.saturating_add(1), Vec::new);
            }
            if let Some(slot) = columns.get_mut(column) {
                slot.push(ColumnPod { pod, wait: wait_before(track, created, meaning, column) });
            }
        }
        Self { meaning, first, columns }
    }

    /// How many columns there are.
    pub const fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether a column is what a pod is made for: when the pod is gone, the next one is the same, and its hue is its revision.
    const fn is_replaced(&self) -> bool {
        matches!(self.meaning, ColumnMeaning::Ordinal | ColumnMeaning::Node)
    }

    /// What stands in a column at a moment: every pod that is there and every one that is waited for. If there is none, the pod
    /// of a Job that succeeded, or the last one that failed.
    pub fn occupants(&self, track: &PlaybackTrack, column: usize, moment: Moment) -> Vec<Occupant> {
        let pods = self.columns.get(column).map(Vec::as_slice).unwrap_or_default();
        let activity = |pod: &ColumnPod| {
            let state = track.pod_at(pod.pod, moment).and_then(|keyframe| keyframe.state);
            let wait = pod.wait.filter(|wait| (wait.from..wait.until).contains(&moment.time));
            let waits = wait.map(|Wait { since, until, .. }| Activity::Waits { since, until });
            state.filter(|state| state.holds()).map(Activity::Holds).or(waits)
        };
        if self.is_replaced() {
            let occupant = |pod: &ColumnPod| {
                let PodKeyframe { state, replica_set, .. } = *track.pod_at(pod.pod, moment)?;
                let activity = match state? {
                    PodState::Succeeded => Activity::Ended(Ending::Succeeded),
                    PodState::Failed => Activity::Ended(Ending::Failed),
                    state => Activity::Holds(state),
                };
                Some(Occupant { pod: pod.pod, hue: replica_set, activity })
            };
            return pods.iter().filter_map(occupant).collect();
        }
        let numbered = || pods.iter().enumerate();
        let present: Vec<Occupant> = numbered()
            .filter_map(|(hue, pod)| Some(Occupant { pod: pod.pod, hue, activity: activity(pod)? }))
            .collect();
        if !present.is_empty() {
            return present;
        }
        let ended = || {
            numbered().rev().filter_map(|(hue, pod)| {
                let ending = ending(track, pod.pod, moment)?;
                Some(Occupant { pod: pod.pod, hue, activity: Activity::Ended(ending) })
            })
        };
        let succeeded = ended().find(|occupant| occupant.activity == Activity::Ended(Ending::Succeeded));
        succeeded.or_else(|| ended().next()).into_iter().collect()
    }

    /// What a StatefulSet waits for before it creates or updates the pod of a column.
    pub fn awaited(&self, track: &PlaybackTrack, column: usize, moment: Moment) -> Option<Awaited> {
        let ordinals = track.ordinals_at(moment).filter(|_| self.meaning == ColumnMeaning::Ordinal)?;
        let (ordinal, awaited) = (self.first.saturating_add(column), track.awaited_at(moment)?);
        let awaited_column = awaited.checked_sub(self.first)?;
        let is_available = |occupant: &Occupant| occupant.activity == Activity::Holds(PodState::Available);
        if self.occupants(track, awaited_column, moment).iter().any(is_available) {
            return None;
        }
        let occupants = self.occupants(track, column, moment);
        let is_updated = ordinal >= ordinals.first.saturating_add(ordinals.partition);
        let is_old = |occupant: &Occupant| {
            let is_terminating = occupant.activity == Activity::Holds(PodState::Terminating);
            !is_terminating && ordinals.revision.is_some_and(|revision| revision != occupant.hue)
        };
        let is_to_come = occupants.is_empty() && (ordinals.first..ordinals.end()).contains(&ordinal);
        let is_to_change = is_updated && occupants.iter().any(is_old);
        match (awaited == ordinal, is_to_come || is_to_change) {
            (true, _) => is_to_change.then_some(Awaited::Itself),
            (false, true) => Some(Awaited::Other(awaited)),
            (false, false) => None,
        }
    }

    /// When something changes in a column, from time 0 on.
    pub fn times(&self, track: &PlaybackTrack, column: usize) -> Vec<i64> {
        let pods = self.columns.get(column).map(Vec::as_slice).unwrap_or_default();
        let keyframes = pods.iter().filter_map(|pod| track.pods.get(pod.pod)).flatten();
        let waits = pods.iter().filter_map(|pod| pod.wait).flat_map(|wait| [wait.from, wait.until]);
        // What an ordinal waits for is another one's matter.
        let others = track.pods.iter().flatten().filter(|_| self.meaning == ColumnMeaning::Ordinal);
        let of_pods = keyframes.chain(others).map(|keyframe| keyframe.from.time);
        let mut times: Vec<i64> = of_pods.chain(track.times_of_ordinals()).chain(waits).collect();
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
