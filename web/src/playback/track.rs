//! The playback track of a lane: everything that the lane shows over time, decoded once from the player's numbers. It never
//! changes; every moment of it can be looked up.

use std::collections::BTreeMap;
use std::iter;

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, Marks, PodState};
use changeover_wire::Mark;
use changeover_wire::playback_track::{
    AWAITED_KEYFRAME, BACK_OFF, CLAIMS_KEYFRAME, JOB_KEYFRAME, JobEnd, MARKS_KEYFRAME, Milestone, NODE_KEYFRAME,
    ORDINALS_KEYFRAME, POD_INDEX, POD_KEYFRAME, POD_QUOTA, REVISION_KEYFRAME, SETBACK, STATES, STEP, Setback,
};

/// A step of the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackStep {
    /// When, in nanoseconds of the page's time.
    pub time: i64,
    /// Whether it is a milestone, and why.
    pub milestone: Option<Milestone>,
}

/// A moment of a lane: a frame, and a time while that frame is shown (pods become available because time passes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The number of steps before it.
    pub frame: usize,
    /// The time.
    pub time: i64,
}

impl Moment {
    /// Whether it is at another moment or after it.
    pub const fn has_reached(self, from: Self) -> bool {
        from.frame <= self.frame && from.time <= self.time
    }
}

/// The state of a pod from a moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PodKeyframe {
    /// From when.
    pub from: Moment,
    /// Its state; none if it is gone.
    pub state: Option<PodState>,
    /// The number of its ReplicaSet, ControllerRevision or Job.
    pub replica_set: usize,
    /// The number of its node, once it has one.
    pub node: Option<usize>,
    /// Its deletion cost, if it has one.
    pub cost: Option<i32>,
    /// Since when it has been in this state.
    pub since: i64,
    /// When it becomes ready or available, or when its grace period ends. Equal to `since` if it waits for nothing.
    pub until: i64,
}

impl PodKeyframe {
    /// How far it is on its way to the next state, from 0 to 1; none if it waits for nothing.
    pub fn progress(&self, now: i64) -> Option<f64> {
        let span = self.until.saturating_sub(self.since);
        (span > 0).then(|| (to_f64(now.saturating_sub(self.since)) / to_f64(span)).clamp(0.0, 1.0))
    }
}

/// A ReplicaSet gets a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RevisionKeyframe {
    replica_set: usize,
    revision: i32,
}

/// Whether a node is there, from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeKeyframe {
    from: Moment,
    node: usize,
    exists: bool,
}

/// What the status of a Job says, from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobKeyframe {
    /// From when.
    pub from: Moment,
    /// The number of the Job.
    pub job: usize,
    /// How many pods must succeed; none for a work queue.
    pub completions: Option<i32>,
    /// Pods that succeeded; indexes, in an Indexed Job.
    pub succeeded: i32,
    /// Pods that count as failed.
    pub failed: i32,
    /// How the Job ended, if it has.
    pub end: Option<JobEnd>,
}

/// What a StatefulSet wants, from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrdinalsKeyframe {
    /// From when.
    pub from: Moment,
    /// The lowest ordinal.
    pub first: usize,
    /// How many there are.
    pub replicas: usize,
    /// How many of them, from the lowest one on, are not updated.
    pub partition: usize,
    /// The revision that the others get, once it is known.
    pub revision: Option<usize>,
}

impl OrdinalsKeyframe {
    /// The ordinal behind the last one.
    pub const fn end(&self) -> usize {
        self.first.saturating_add(self.replicas)
    }
}

/// A number of something with an ordinal, from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OrdinalKeyframe {
    from: Moment,
    ordinal: usize,
    count: usize,
}

/// A Job waits before it creates pods again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// The number of the Job.
    pub job: usize,
    /// The index that it is about; none: any.
    pub index: Option<usize>,
    /// When the Job begins to wait.
    pub from: i64,
    /// The time of the failure, from which the back-off counts.
    pub failed: i64,
    /// Until when.
    pub until: i64,
}

/// The marks and the pods of each ReplicaSet at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot<'a> {
    /// From when.
    pub from: Moment,
    /// The marks.
    pub marks: Marks,
    /// The pods of each ReplicaSet or Job.
    pub counts: &'a [Counts],
}

impl Snapshot<'_> {
    /// All pods that use resources.
    pub fn pods(&self) -> i32 {
        self.counts.iter().fold(0, |sum, counts| sum.saturating_add(counts.holding()))
    }

    /// The pods above the limit.
    pub fn over(&self) -> i32 {
        self.pods().saturating_sub(self.marks.limit).max(0)
    }

    /// The available pods.
    pub fn available(&self) -> i32 {
        self.counts.iter().fold(0, |sum, counts| sum.saturating_add(counts.available))
    }

    /// The terminating pods.
    pub fn terminating(&self) -> i32 {
        self.counts.iter().fold(0, |sum, counts| sum.saturating_add(counts.terminating))
    }

    /// The number that the picture shows at a mark; none for a ReplicaSet, which has several.
    pub fn number_at(&self, mark: Mark) -> Option<i32> {
        match mark {
            Mark::Limit => Some(self.marks.limit),
            Mark::Desired => Some(self.marks.desired),
            Mark::MinAvailable => Some(self.marks.min_available),
            Mark::Terminating => Some(self.terminating()),
            Mark::Available => Some(self.available()),
            Mark::Total => Some(self.pods()),
            Mark::ReplicaSet => None,
        }
    }
}

/// Pods above a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// How many there are.
    pub pods: i32,
    /// The limit.
    pub limit: i32,
    /// Since when, in nanoseconds of the page's time.
    pub time: i64,
}

/// A time without an available pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Since when, in nanoseconds of the page's time.
    pub from: i64,
    /// Until when; none if no pod becomes available any more.
    pub until: Option<i64>,
}

/// The playback track of a lane.
#[derive(Debug, Default, PartialEq)]
pub struct PlaybackTrack {
    /// All steps, in order.
    pub steps: Vec<TrackStep>,
    /// The keyframes of each pod, in order.
    pub pods: Vec<Vec<PodKeyframe>>,
    /// The moments at which a pod or the marks change, in order.
    moments: Vec<Moment>,
    /// The marks from each moment on.
    marks: Vec<Marks>,
    /// The counts of all ReplicaSets from each moment on.
    counts: Vec<Counts>,
    revision_keyframes: Vec<RevisionKeyframe>,
    node_keyframes: Vec<NodeKeyframe>,
    /// The completion index of each pod that has one; else its ordinal, or the number of the node that it is for.
    pub pod_indexes: BTreeMap<usize, usize>,
    /// What the statuses of the Jobs say, in order.
    job_keyframes: Vec<JobKeyframe>,
    /// What a StatefulSet wants, in order.
    ordinals: Vec<OrdinalsKeyframe>,
    /// The pods that a StatefulSet waits for, in order.
    awaited: Vec<OrdinalKeyframe>,
    /// How many claims an ordinal has, in order.
    claims: Vec<OrdinalKeyframe>,
    /// When Jobs wait, in order.
    pub back_offs: Vec<BackOff>,
    /// How many pods the smallest ResourceQuota allows.
    pub pod_quota: Option<i32>,
    /// What was refused or skipped, and when, in order.
    pub setbacks: Vec<(i64, Setback)>,
    /// The number of ReplicaSets, ControllerRevisions or Jobs.
    pub replica_set_count: usize,
    /// The most pods that use resources at any time from 0 on.
    pub peak: i32,
}

/// A pod that waits at most this long for its node and its containers is starting, not pending.
const STARTS_WITHIN: i64 = 2 * Time::SECOND;

/// A change of the counts.
enum Change {
    Pod { before: Option<(usize, PodState)>, after: Option<(usize, PodState)> },
    Marks(Marks),
}

impl PlaybackTrack {
    /// Decodes the numbers from the player, given how many ReplicaSets there are.
    pub fn decode(numbers: &[i32], replica_set_count: usize) -> Self {
        let mut track = Self { replica_set_count, ..Self::default() };
        let mut changes = Vec::new();
        let mut rest = numbers;
        while let [entry_type, second, nano, after @ ..] = rest {
            let time = nanoseconds(*second, *nano);
            rest = match (*entry_type, after) {
                (STEP, [milestone, rest @ ..]) => {
                    track.steps.push(TrackStep { time, milestone: Milestone::of(*milestone) });
                    rest
                }
                (POD_KEYFRAME, [frame, pod, state, replica_set, node, cost, grace, rest @ ..]) => {
                    let keyframe = PodKeyframe {
                        from: Moment { frame: to_index(*frame), time },
                        state: usize::try_from(*state).ok().and_then(|state| STATES.get(state)).copied(),
                        replica_set: to_index(*replica_set),
                        node: usize::try_from(*node).ok(),
                        cost: (*cost != i32::MIN).then_some(*cost),
                        since: time,
                        until: time,
                    };
                    let grace = i64::from(*grace).saturating_mul(Time::SECOND);
                    track.push_pod_keyframe(to_index(*pod), keyframe, grace);
                    rest
                }
                (MARKS_KEYFRAME, [frame, desired, limit, min_available, rest @ ..]) => {
                    let marks = Marks { desired: *desired, limit: *limit, min_available: *min_available };
                    changes.push((Moment { frame: to_index(*frame), time }, Change::Marks(marks)));
                    rest
                }
                (REVISION_KEYFRAME, [replica_set, revision, rest @ ..]) => {
                    let keyframe = RevisionKeyframe { replica_set: to_index(*replica_set), revision: *revision };
                    track.revision_keyframes.push(keyframe);
                    rest
                }
                (NODE_KEYFRAME, [frame, node, exists, rest @ ..]) => {
                    track.node_keyframes.push(NodeKeyframe {
                        from: Moment { frame: to_index(*frame), time },
                        node: to_index(*node),
                        exists: *exists == 1,
                    });
                    rest
                }
                (POD_INDEX, [pod, index, rest @ ..]) => {
                    track.pod_indexes.insert(to_index(*pod), to_index(*index));
                    rest
                }
                (JOB_KEYFRAME, [frame, job, completions, succeeded, failed, end, rest @ ..]) => {
                    track.job_keyframes.push(JobKeyframe {
                        from: Moment { frame: to_index(*frame), time },
                        job: to_index(*job),
                        completions: Some(*completions).filter(|completions| *completions >= 0),
                        succeeded: *succeeded,
                        failed: *failed,
                        end: JobEnd::of(*end),
                    });
                    rest
                }
                (BACK_OFF, [job, index, failed_second, failed_nano, second, nano, rest @ ..]) => {
                    track.back_offs.push(BackOff {
                        job: to_index(*job),
                        index: usize::try_from(*index).ok(),
                        from: time,
                        failed: nanoseconds(*failed_second, *failed_nano),
                        until: nanoseconds(*second, *nano),
                    });
                    rest
                }
                (ORDINALS_KEYFRAME, [frame, first, replicas, partition, revision, rest @ ..]) => {
                    track.ordinals.push(OrdinalsKeyframe {
                        from: Moment { frame: to_index(*frame), time },
                        first: to_index(*first),
                        replicas: to_index(*replicas),
                        partition: to_index(*partition),
                        revision: usize::try_from(*revision).ok(),
                    });
                    rest
                }
                (AWAITED_KEYFRAME, [frame, ordinal, rest @ ..]) => {
                    let from = Moment { frame: to_index(*frame), time };
                    track.awaited.push(OrdinalKeyframe { from, ordinal: to_index(*ordinal), count: 1 });
                    rest
                }
                (CLAIMS_KEYFRAME, [frame, ordinal, count, rest @ ..]) => {
                    let from = Moment { frame: to_index(*frame), time };
                    track.claims.push(OrdinalKeyframe { from, ordinal: to_index(*ordinal), count: to_index(*count) });
                    rest
                }
                (POD_QUOTA, [pods, rest @ ..]) => {
                    track.pod_quota = Some(track.pod_quota.map_or(*pods, |least| least.min(*pods)));
                    rest
                }
                (SETBACK, [setback, rest @ ..]) => {
                    track.setbacks.extend(Setback::of(*setback).map(|setback| (time, setback)));
                    rest
                }
                _ => &[],
            };
        }
        track.setbacks.sort_unstable();
        track.pods.iter_mut().for_each(|keyframes| name_short_waits(keyframes));
        changes.extend(track.pods.iter().flat_map(|keyframes| pod_changes(keyframes)));
        // Pods that become available between two steps are listed after the step that ends the wait.
        changes.sort_by_key(|(from, _)| (from.frame, from.time));
        track.count(changes);
        track
    }

    fn push_pod_keyframe(&mut self, pod: usize, mut keyframe: PodKeyframe, grace: i64) {
        if self.pods.len() <= pod {
            self.pods.resize_with(pod.saturating_add(1), Vec::new);
        }
        let Some(keyframes) = self.pods.get_mut(pod) else { return };
        if let Some(last) = keyframes.last_mut() {
            if last.state == keyframe.state {
                keyframe.since = last.since;
            }
            // The next state ends this one.
            if matches!(last.state, Some(PodState::Starting | PodState::Ready)) {
                last.until = keyframe.from.time;
            }
        }
        keyframe.until = match keyframe.state {
            Some(PodState::Terminating) => keyframe.since.saturating_add(grace),
            _ => keyframe.since,
        };
        keyframes.push(keyframe);
    }

    fn count(&mut self, changes: Vec<(Moment, Change)>) {
        let mut counts = vec![Counts::default(); self.replica_set_count];
        let mut marks = Marks::default();
        let mut changes = changes.into_iter().peekable();
        while let Some((from, change)) = changes.next() {
            match change {
                Change::Marks(changed) => marks = changed,
                Change::Pod { before, after } => {
                    for (changed, by) in [(before, -1), (after, 1)] {
                        if let Some((counts, state)) =
                            changed.and_then(|(set, state)| Some((counts.get_mut(set)?, state)))
                        {
                            counts.add(state, by);
                        }
                    }
                }
            }
            if changes.peek().is_none_or(|(next, _)| *next != from) {
                self.moments.push(from);
                self.marks.push(marks);
                self.counts.extend(&counts);
                if changes.peek().is_none_or(|(next, _)| next.time >= 0) {
                    self.peak = self.peak.max(Snapshot { from, marks, counts: &counts }.pods());
                }
            }
        }
    }

    /// The number of snapshots: one for each moment at which a pod or the marks change.
    pub const fn snapshot_count(&self) -> usize {
        self.moments.len()
    }

    /// The snapshot with a number.
    pub fn snapshot(&self, index: usize) -> Option<Snapshot<'_>> {
        let start = index.checked_mul(self.replica_set_count)?;
        let counts = self.counts.get(start..start.checked_add(self.replica_set_count)?)?;
        Some(Snapshot { from: *self.moments.get(index)?, marks: *self.marks.get(index)?, counts })
    }

    /// The number of the snapshot at a moment; none before the first one.
    pub fn snapshot_index_at(&self, moment: Moment) -> Option<usize> {
        self.moments.partition_point(|from| moment.has_reached(*from)).checked_sub(1)
    }

    /// The snapshot at a moment; none before the first one.
    pub fn snapshot_at(&self, moment: Moment) -> Option<Snapshot<'_>> {
        self.snapshot(self.snapshot_index_at(moment)?)
    }

    /// Whether no pod starts or terminates after everything that happens at a time: all are available, or their nodes are lost.
    pub fn is_at_rest_at(&self, time: i64) -> bool {
        let is_at_rest = |counts: &Counts| counts.holding() == counts.available.saturating_add(counts.unknown);
        let snapshot = self.snapshot_at(Moment { frame: usize::MAX, time });
        snapshot.is_none_or(|snapshot| snapshot.counts.iter().all(is_at_rest))
    }

    /// What is shown after each instant, from time 0 on: of several moments of one instant, the last one.
    pub fn instants_from_zero(&self) -> Vec<Snapshot<'_>> {
        let mut instants: Vec<Snapshot<'_>> = Vec::new();
        for snapshot in self.snapshots_from_zero() {
            match instants.last_mut() {
                Some(last) if last.from.time == snapshot.from.time => *last = snapshot,
                _ => instants.push(snapshot),
            }
        }
        instants
    }

    /// All snapshots from time 0 on: the one that is there at time 0 first.
    pub fn snapshots_from_zero(&self) -> impl Iterator<Item = Snapshot<'_>> {
        let first = self.moments.partition_point(|from| from.time <= 0).saturating_sub(1);
        (first..self.moments.len()).filter_map(|index| self.snapshot(index))
    }

    /// The keyframe of a pod at a moment; none if the pod is not there.
    pub fn pod_at(&self, pod: usize, moment: Moment) -> Option<&PodKeyframe> {
        let keyframes = self.pods.get(pod)?;
        let after = keyframes.partition_point(|keyframe| moment.has_reached(keyframe.from));
        keyframes.get(after.checked_sub(1)?).filter(|keyframe| keyframe.state.is_some())
    }

    /// What the status of each Job says at a moment.
    pub fn jobs_at(&self, moment: Moment) -> Vec<JobKeyframe> {
        let mut jobs: BTreeMap<usize, JobKeyframe> = BTreeMap::new();
        for keyframe in self.job_keyframes.iter().filter(|keyframe| moment.has_reached(keyframe.from)) {
            jobs.insert(keyframe.job, *keyframe);
        }
        jobs.into_values().collect()
    }

    /// How many of the terminating pods their Jobs already count as failed: more count as failed than have ended without success.
    pub fn terminating_counted_as_failed(&self, moment: Moment) -> i32 {
        let snapshot = self.snapshot_at(moment);
        let of_job = |job: &JobKeyframe| {
            let terminating = snapshot?.counts.get(job.job)?.terminating;
            let not_ended = |job: &JobKeyframe, moment: Moment| {
                job.failed.saturating_sub(self.ended_without_success(job.job, moment)).max(0)
            };
            // What a Job counted before the track begins is about pods that may be gone.
            let first = self.job_keyframes.iter().find(|first| first.job == job.job)?;
            let counted = not_ended(job, moment).saturating_sub(not_ended(first, first.from));
            Some(counted.min(terminating).max(0))
        };
        self.jobs_at(moment).iter().filter_map(of_job).fold(0, i32::saturating_add)
    }

    /// How many pods of a Job have ended without success until a moment. They may be gone.
    fn ended_without_success(&self, job: usize, moment: Moment) -> i32 {
        let has_ended = |keyframes: &&Vec<PodKeyframe>| {
            let reached = keyframes.partition_point(|keyframe| moment.has_reached(keyframe.from));
            let (reached, _) = keyframes.split_at(reached);
            // A keyframe of a pod that is gone names no Job.
            let is_of_job = reached.first().is_some_and(|first| first.replica_set == job);
            let last_state = reached.iter().rev().find_map(|keyframe| keyframe.state);
            let is_there = reached.last().is_some_and(|last| last.state.is_some());
            let has_failed =
                if is_there { last_state == Some(PodState::Failed) } else { last_state != Some(PodState::Succeeded) };
            is_of_job && has_failed
        };
        self.pods.iter().filter(has_ended).fold(0_i32, |sum, _| sum.saturating_add(1))
    }

    /// The most completions that a Job ever wants; none for work queues.
    pub fn completions(&self) -> Option<i32> {
        self.job_keyframes.iter().filter_map(|keyframe| keyframe.completions).max()
    }

    /// What a StatefulSet wants, in order.
    pub fn ordinals(&self) -> impl Iterator<Item = &OrdinalsKeyframe> {
        self.ordinals.iter()
    }

    /// What a StatefulSet wants at a moment.
    pub fn ordinals_at(&self, moment: Moment) -> Option<&OrdinalsKeyframe> {
        self.ordinals.iter().rev().find(|keyframe| moment.has_reached(keyframe.from))
    }

    /// The ordinal of the pod that a StatefulSet last waited for at a moment. The pod may be available since.
    pub fn awaited_at(&self, moment: Moment) -> Option<usize> {
        let reached = self.awaited.iter().rev().find(|keyframe| moment.has_reached(keyframe.from));
        reached.map(|keyframe| keyframe.ordinal)
    }

    /// When that changes, and what a StatefulSet wants.
    pub fn times_of_ordinals(&self) -> impl Iterator<Item = i64> {
        let of_awaited = self.awaited.iter().map(|keyframe| keyframe.from.time);
        self.ordinals.iter().map(|keyframe| keyframe.from.time).chain(of_awaited)
    }

    /// How many claims an ordinal has at a moment.
    pub fn claims_at(&self, ordinal: usize, moment: Moment) -> usize {
        let mut its = self.claims.iter().rev().filter(|keyframe| keyframe.ordinal == ordinal);
        its.find(|keyframe| moment.has_reached(keyframe.from)).map_or(0, |keyframe| keyframe.count)
    }

    /// Whether there ever is a claim of an ordinal.
    pub const fn has_claims(&self) -> bool {
        !self.claims.is_empty()
    }

    /// Nothing is above the limit: a CronJob has none.
    pub fn remove_limit(&mut self) {
        let marks = Marks { desired: self.peak, limit: self.peak, min_available: 0 };
        self.marks.fill(marks);
    }

    /// The pods at a moment, by number.
    pub fn pods_at(&self, moment: Moment) -> impl Iterator<Item = (usize, &PodKeyframe)> {
        (0..self.pods.len()).filter_map(move |pod| Some((pod, self.pod_at(pod, moment)?)))
    }

    /// Whether a node is there at a moment.
    pub fn node_exists_at(&self, node: usize, moment: Moment) -> bool {
        let mut keyframes = self.node_keyframes.iter().rev();
        keyframes
            .find(|keyframe| keyframe.node == node && moment.has_reached(keyframe.from))
            .is_some_and(|keyframe| keyframe.exists)
    }

    /// Whether the rollout goes back to an earlier ReplicaSet.
    pub fn has_rollback(&self) -> bool {
        let mut revisions = vec![0; self.replica_set_count];
        self.revision_keyframes.iter().any(|keyframe| {
            let revision = revisions.get_mut(keyframe.replica_set);
            let previous = revision.map_or(0, |revision| std::mem::replace(revision, keyframe.revision));
            previous > 0 && keyframe.revision > previous
        })
    }

    /// How many available pods were missing at worst, if there were enough at first. What a larger Deployment needs at once is
    /// not missing: the smallest of the minimums counts.
    pub fn under(&self) -> i32 {
        let is_met = |snapshot: Snapshot<'_>| snapshot.available() >= snapshot.marks.min_available;
        if !self.snapshots_from_zero().next().is_some_and(is_met) {
            return 0;
        }
        let minimum = self.snapshots_from_zero().map(|snapshot| snapshot.marks.min_available).min();
        let available = self.snapshots_from_zero().map(|snapshot| snapshot.available()).min();
        minimum.zip(available).map_or(0, |(minimum, available)| minimum.saturating_sub(available).max(0))
    }

    /// The most pods above the limit of their moment, from time 0 on, for the first time. That is not always when there are most
    /// pods: a Deployment that is scaled down has a lower limit at once.
    pub fn excess(&self) -> Option<Excess> {
        let excess = |snapshot: Snapshot<'_>| Excess {
            pods: snapshot.over(),
            limit: snapshot.marks.limit,
            time: snapshot.from.time.max(0),
        };
        // Of several maxima, `max_by_key` takes the last one.
        let all = self.instants_from_zero().into_iter().rev().map(excess);
        all.filter(|excess| excess.pods > 0).max_by_key(|excess| excess.pods)
    }

    /// When no pod is available from time 0 on, although pods are wanted and one was available before.
    pub fn outages(&self) -> Vec<Outage> {
        let until_zero = (0..self.snapshot_count()).filter_map(|index| self.snapshot(index));
        let mut was_available = until_zero.take_while(|it| it.from.time <= 0).any(|it| it.available() > 0);
        let mut outages: Vec<Outage> = Vec::new();
        for snapshot in self.instants_from_zero() {
            let is_available = snapshot.available() > 0;
            was_available |= is_available;
            let is_out = was_available && !is_available && snapshot.marks.desired > 0;
            let time = snapshot.from.time.max(0);
            match outages.last_mut().filter(|last| last.until.is_none()) {
                Some(last) if !is_out => last.until = Some(time),
                None if is_out => outages.push(Outage { from: time, until: None }),
                _ => {}
            }
        }
        outages
    }

    /// Whether pods that are there at time 0 and not ready become ready later.
    pub fn has_pods_that_become_ready(&self) -> bool {
        let becomes_ready = |keyframes: &Vec<PodKeyframe>| {
            let (there, later) = keyframes.split_at(keyframes.partition_point(|keyframe| keyframe.from.time <= 0));
            let is_starting = |keyframe: &PodKeyframe| {
                matches!(keyframe.state, Some(PodState::Pending | PodState::Starting | PodState::Unknown))
            };
            let is_ready =
                |keyframe: &PodKeyframe| matches!(keyframe.state, Some(PodState::Ready | PodState::Available));
            there.last().is_some_and(is_starting) && later.iter().any(is_ready)
        };
        self.pods.iter().any(becomes_ready)
    }

    /// When the containers of the first pod that is created at this time or later start, and when that pod is ready. `None` if
    /// no such pod becomes ready.
    pub fn first_start(&self, after: i64) -> Option<(i64, i64)> {
        let is_ready = |keyframe: &PodKeyframe| matches!(keyframe.state, Some(PodState::Ready | PodState::Available));
        let start = |keyframes: &Vec<PodKeyframe>| {
            keyframes.first().filter(|created| created.from.time >= after && !is_ready(created))?;
            let ready = keyframes.iter().position(is_ready)?;
            let [.., running] = keyframes.get(..ready)? else { return None };
            Some((running.since, keyframes.get(ready)?.from.time))
        };
        self.pods.iter().filter_map(start).min_by_key(|(_, ready)| *ready)
    }

    /// From when to when the first pod of those that are terminating at a time or later stops; none if none is ever gone.
    pub fn first_stop(&self, after: i64) -> Option<(i64, i64)> {
        let is_terminating = |keyframe: &PodKeyframe| keyframe.state == Some(PodState::Terminating);
        let stop = |keyframes: &Vec<PodKeyframe>| {
            let [.., terminating, gone] = keyframes.as_slice() else { return None };
            let is_stop = gone.state.is_none() && is_terminating(terminating) && terminating.from.time >= after;
            is_stop.then_some((terminating.from.time, gone.from.time))
        };
        self.pods.iter().filter_map(stop).min_by_key(|(_, gone)| *gone)
    }
}

/// A pod that hardly waits is starting from its creation on.
fn name_short_waits(keyframes: &mut [PodKeyframe]) {
    let is_pending = |keyframe: &PodKeyframe| keyframe.state == Some(PodState::Pending);
    let pending = keyframes.iter().take_while(|keyframe| is_pending(keyframe)).count();
    let (waits, after) = keyframes.split_at_mut(pending);
    let ends = after.first().map(|next| next.from.time);
    let is_short = |wait: &PodKeyframe| ends.is_some_and(|end| end.saturating_sub(wait.since) <= STARTS_WITHIN);
    for wait in waits.iter_mut().filter(|wait| is_short(wait)) {
        wait.state = Some(PodState::Starting);
    }
}

/// How a pod changes the counts.
fn pod_changes(keyframes: &[PodKeyframe]) -> impl Iterator<Item = (Moment, Change)> {
    let counted = |keyframe: &PodKeyframe| keyframe.state.map(|state| (keyframe.replica_set, state));
    let befores = iter::once(None).chain(keyframes.iter().map(counted));
    befores
        .zip(keyframes)
        .map(move |(before, keyframe)| (keyframe.from, Change::Pod { before, after: counted(keyframe) }))
}

/// A time of a track in nanoseconds.
fn nanoseconds(second: i32, nano: i32) -> i64 {
    i64::from(second).saturating_mul(Time::SECOND).saturating_add(i64::from(nano))
}

/// A number of a track as an index.
fn to_index(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// Nanoseconds as a float. Exact up to 2^53 (104 days).
#[expect(clippy::as_conversions, reason = "there is no lossless conversion from i64, and none is needed")]
const fn to_f64(value: i64) -> f64 {
    value as f64
}
