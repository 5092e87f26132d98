//! Lanes of StatefulSets and DaemonSets.

use std::rc::Rc;

use changeover_core::cluster::Decision;
use changeover_core::controller;
use changeover_core::object::{ControllerRevision, Kind, Object, ObjectMeta, Pod, Time};
use changeover_core::timeline::{Change, Series, State, Step, Timeline};
use changeover_core::workload::daemon_set::controller::get_target_node_name;
use changeover_core::workload::stateful_set::controller::{get_ordinal, get_pod_revision};
use changeover_core::workload::stateful_set::{StatefulSet, UpdateStrategyType};
use changeover_wire::playback_track::{
    AWAITED_KEYFRAME, CLAIMS_KEYFRAME, MARKS_KEYFRAME, ORDINALS_KEYFRAME, POD_INDEX,
};
use changeover_wire::{ColumnMeaning, Fork, Totals};

use super::{Lanes, TrackRecorder, to_i32};
use crate::rollout_totals::totals_of;

/// The lanes of StatefulSets and DaemonSets.
pub(super) struct SetLanes;

impl Lanes for SetLanes {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::StatefulSet, Kind::DaemonSet]
    }

    fn columns(&self, workload: &Object) -> ColumnMeaning {
        if workload.kind() == Kind::DaemonSet { ColumnMeaning::Node } else { ColumnMeaning::Ordinal }
    }

    fn record_object(&self, recorder: &mut TrackRecorder, object: &Object, frame: i32, now: Time) {
        match object {
            Object::ControllerRevision(revision) => recorder.record_controller_revision(revision, now),
            Object::PersistentVolumeClaim(claim) => recorder.record_claim(&claim.metadata, true, frame, now),
            set if set.kind() == recorder.kind => recorder.record_set(set, frame, now),
            _ => {}
        }
    }

    fn record_gone(&self, recorder: &mut TrackRecorder, object: &Object, frame: i32, now: Time) {
        if let Object::PersistentVolumeClaim(claim) = object {
            recorder.record_claim(&claim.metadata, false, frame, now);
        }
    }

    /// The number of the pod's revision.
    fn part_of(&self, recorder: &mut TrackRecorder, pod: &Pod) -> Option<i32> {
        let set = recorder.workload.as_ref().map(Object::metadata).filter(|set| pod.metadata.is_controlled_by(set))?;
        let hash = get_pod_revision(pod);
        // The label of a DaemonSet's pods has only the end of the name.
        let names = [String::from(hash), format!("{}-{hash}", set.name)];
        let is_it = |(_, known): &(Rc<str>, Rc<str>)| names.iter().any(|name| **name == **known);
        let number = recorder.owners.iter().position(is_it).unwrap_or_else(|| {
            recorder.owners.push((Rc::default(), Rc::from(hash)));
            recorder.owners.len().saturating_sub(1)
        });
        Some(to_i32(number))
    }

    fn min_ready_seconds(&self, workload: &Object) -> i32 {
        match workload {
            Object::StatefulSet(set) => set.spec.min_ready_seconds,
            Object::DaemonSet(set) => set.spec.min_ready_seconds,
            _ => 0,
        }
    }

    /// Records the pod's ordinal, or the node for which it was made.
    fn record_new_pod(&self, recorder: &mut TrackRecorder, pod: &Pod, number: i32, frame: i32, now: Time) {
        let column = if recorder.kind == Kind::DaemonSet {
            get_target_node_name(pod).map(|node| recorder.node_number(&node, frame, now))
        } else {
            get_ordinal(pod)
        };
        if let Some(column) = column {
            recorder.push_entry(POD_INDEX, now, &[number, column]);
        }
    }

    /// Records which pod a StatefulSet waits for.
    fn record_step(&self, recorder: &mut TrackRecorder, step: &Step, frame: i32) {
        let Decision::Controller(controller::Decision::StatefulSet(decision)) = &step.decision else { return };
        let is_shown = recorder.workload.as_ref().is_some_and(|set| set.key() == *step.about);
        let ordinal = || decision.awaited_pod()?.rsplit_once('-')?.1.parse::<i32>().ok();
        if let Some(ordinal) = is_shown.then(ordinal).flatten() {
            recorder.push_entry(AWAITED_KEYFRAME, step.time, &[frame, ordinal]);
        }
    }

    /// Records the marks.
    fn record_end(&self, recorder: &mut TrackRecorder, timeline: &Timeline) {
        let Some(set) = recorder.workload.clone() else { return };
        let points = series_of(timeline, &set).points;
        for point in points.chunk_by(|point, next| point.marks == next.marks).filter_map(<[_]>::first) {
            let marks = point.marks;
            let numbers = [to_i32(point.frame), marks.desired, marks.limit, marks.min_available];
            recorder.push_entry(MARKS_KEYFRAME, point.time, &numbers);
        }
    }

    fn changes_condition(&self, change: &Change) -> bool {
        match (&change.before, &change.after) {
            (Some(Object::StatefulSet(before)), Some(Object::StatefulSet(after))) => {
                before.status.conditions != after.status.conditions
            }
            _ => false,
        }
    }

    /// What a controller decides about pods, and what it waits for: hardly any of these rules computes something.
    fn is_milestone(&self, step: &Step) -> bool {
        let Decision::Controller(decision) = &step.decision else { return false };
        let is_of_set = matches!(decision, controller::Decision::StatefulSet(_) | controller::Decision::DaemonSet(_));
        is_of_set && step.reason().rule.is_next_step
    }

    /// The StatefulSet or DaemonSet.
    fn shown_objects(&self, state: &State, workload: &Object) -> Vec<Object> {
        state.get(&workload.key()).cloned().into_iter().collect()
    }

    fn totals(&self, timeline: &Timeline, workload: &Object, begin: Time, forks: &[Fork]) -> Totals {
        totals_of(timeline, workload, &series_of(timeline, workload), begin, forks)
    }
}

/// The counts of a set from frame to frame.
fn series_of(timeline: &Timeline, set: &Object) -> Series {
    let key = set.key();
    let found = Series::of_workloads(timeline).into_iter().find(|(other, _)| *other == key);
    found.map(|(_, series)| series).unwrap_or_default()
}

impl TrackRecorder {
    /// A set is followed in its last state.
    fn record_set(&mut self, set: &Object, frame: i32, now: Time) {
        let is_shown = match &self.workload {
            Some(shown) => shown.metadata().uid == set.metadata().uid,
            None => self.may_show(set.metadata()),
        };
        if !is_shown {
            return;
        }
        if let Object::StatefulSet(set) = set {
            let before = match &self.workload {
                Some(Object::StatefulSet(before)) => Some(self.ordinals(before)),
                _ => None,
            };
            let [first, replicas, partition, revision] = self.ordinals(set);
            if before != Some([first, replicas, partition, revision]) {
                self.push_entry(ORDINALS_KEYFRAME, now, &[frame, first, replicas, partition, revision]);
            }
        }
        self.workload = Some(set.clone());
    }

    /// The first ordinal, how many there are, the partition, and the number of the revision that pods get.
    fn ordinals(&self, set: &StatefulSet) -> [i32; 4] {
        let rolling = set.spec.update_strategy.rolling_update.as_ref();
        let rolling = rolling.filter(|_| set.spec.update_strategy.type_ == UpdateStrategyType::RollingUpdate);
        let partition = rolling.and_then(|rolling| rolling.partition).unwrap_or(0);
        let revision = self.owners.iter().position(|(_, name)| **name == *set.status.update_revision);
        [set.start_ordinal(), set.spec.replicas, partition, revision.map_or(-1, to_i32)]
    }

    /// A ControllerRevision of the workload.
    fn record_controller_revision(&mut self, revision: &Rc<ControllerRevision>, now: Time) {
        let metadata = &revision.metadata;
        if !self.workload.as_ref().is_some_and(|set| metadata.is_controlled_by(set.metadata())) {
            return;
        }
        if self.owner_number(&metadata.uid).is_none() {
            self.owners.push((metadata.uid.clone(), metadata.name.clone()));
        }
        self.push_revision(&metadata.uid, i32::try_from(revision.spec.revision).unwrap_or(i32::MAX), now);
    }

    /// Whether a claim of the StatefulSet is there. Its name is that of a claim template and that of its pod.
    fn record_claim(&mut self, claim: &ObjectMeta, exists: bool, frame: i32, now: Time) {
        let Some(Object::StatefulSet(set)) = &self.workload else { return };
        if claim.namespace != set.metadata.namespace {
            return;
        }
        let ordinal_of = |template: &str| {
            let pod = claim.name.strip_prefix(template)?.strip_prefix('-')?;
            pod.strip_prefix(&*set.metadata.name)?.strip_prefix('-')?.parse::<i32>().ok()
        };
        let templates = set.spec.volume_claim_templates.iter();
        let Some(ordinal) = templates.filter_map(|template| ordinal_of(&template.metadata.name)).next() else { return };
        let claims = self.claims.entry(ordinal).or_default();
        let is_change = if exists { claims.insert(claim.name.clone()) } else { claims.remove(&claim.name) };
        let count = to_i32(claims.len());
        if is_change {
            self.push_entry(CLAIMS_KEYFRAME, now, &[frame, ordinal, count]);
        }
    }
}
