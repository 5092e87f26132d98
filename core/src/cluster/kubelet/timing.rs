//! How long each stage of a pod's life takes.

use alloc::rc::Rc;
use alloc::string::String;

use rand_core::Rng;
use rand_pcg::Pcg32;

use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::Cluster;
use crate::cluster::store::Id;
use crate::object::{Kind, Pod, Time};
use crate::scenario::{Delay, NumberRanges, Timing};
use crate::workload::deployment::controller::REVISION;
use crate::workload::job::controller::get_completion_index;
use crate::workload::replica_set::ReplicaSet;

/// A stage of a pod's life.
#[derive(Clone, Copy)]
pub(crate) enum Stage {
    Schedule,
    Start,
    Ready,
    Terminate,
    Crash,
    PreStop,
    Answer,
    Run,
}

impl Stage {
    /// Each stage has a jitter of its own.
    const fn jitter_stream(self) -> u64 {
        match self {
            Self::Schedule => 0,
            Self::Start => 1,
            Self::Ready => 2,
            Self::Terminate => 3,
            Self::Crash => 4,
            Self::PreStop => 5,
            Self::Answer => 6,
            Self::Run => 7,
        }
    }

    /// The nanoseconds that the scenario gives; none: the pod does not come to that.
    const fn nanoseconds(self, timing: &Timing) -> Option<i64> {
        match (self, timing.ready, timing.pull) {
            (Self::Schedule, ..) => Some(timing.schedule.0),
            (Self::Start, _, Delay::After(pull)) => Some(timing.start.0.saturating_add(pull.0)),
            (Self::Start, _, Delay::Never) => Some(timing.start.0),
            (Self::Ready, Some(Delay::After(duration)), _) => Some(duration.0),
            (Self::Ready, Some(Delay::Never), _) => None,
            (Self::Ready, None, _) => Some(Timing::START_UP.0),
            (Self::Answer, ..) => match timing.answers {
                Some(Delay::After(duration)) => Some(duration.0),
                Some(Delay::Never) => None,
                None => Some(Timing::START_UP.0),
            },
            (Self::Run, ..) => match timing.run {
                Some(Delay::After(duration)) => Some(duration.0),
                Some(Delay::Never) => None,
                None => Some(Timing::RUN.0),
            },
            (Self::Terminate, ..) => match timing.terminate {
                Some(duration) => Some(duration.0),
                None => Some(i64::MAX),
            },
            (Self::Crash, ..) => match timing.crash {
                Some(duration) => Some(duration.0),
                None => None,
            },
            (Self::PreStop, ..) => match timing.pre_stop {
                Some(duration) => Some(duration.0),
                None => None,
            },
        }
    }
}

/// The id of a pod that is not stored yet.
const NOT_STORED: Id = Id(usize::MAX);

impl Cluster {
    /// The entry of the scenario that fits the pod.
    pub(crate) fn timing_of(&self, id: Id, pod: &Pod) -> &Timing {
        static DEFAULT: Timing = Timing::DEFAULT;
        let timings = &self.scenario.kubelet;
        let timing = match &self.timing_index {
            None => timings.iter().find(|timing| self.is_timing_of(timing, id, pod)),
            Some(index) => {
                let fits =
                    |position: &usize| timings.get(*position).is_some_and(|timing| self.is_timing_of(timing, id, pod));
                let first = |positions: &[usize]| positions.iter().copied().find(|position| fits(position));
                let own = self.deployment_of(pod).and_then(|name| first(index.by_deployment.get(&*name)?));
                let position = own.into_iter().chain(first(&index.others)).min();
                position.and_then(|position| timings.get(position))
            }
        };
        timing.unwrap_or(&DEFAULT)
    }

    /// In which words the scenario lets the API server refuse a new pod.
    pub(crate) fn refusal_of(&self, pod: &Pod) -> Option<&str> {
        let mut refusing = self.scenario.kubelet.iter().filter(|timing| timing.refused.is_some());
        refusing.find(|timing| self.fits(timing, NOT_STORED, pod))?.refused.as_deref()
    }

    fn is_timing_of(&self, timing: &Timing, id: Id, pod: &Pod) -> bool {
        timing.refused.is_none() && self.fits(timing, id, pod)
    }

    fn fits(&self, timing: &Timing, id: Id, pod: &Pod) -> bool {
        let Timing { namespace, deployment, stateful_set, daemon_set, job, indexes, attempts, revision, image, .. } =
            timing;
        let has_image =
            |wanted: &String| pod.spec.fields.containers.first().is_some_and(|container| container.image == *wanted);
        namespace.as_ref().is_none_or(|wanted| *pod.metadata.namespace == **wanted)
            && revision.is_none_or(|wanted| self.revision(pod) == Some(wanted))
            && image.as_ref().is_none_or(has_image)
            && deployment.as_ref().is_none_or(|wanted| self.is_of_deployment(pod, wanted))
            && stateful_set.as_ref().is_none_or(|wanted| is_of(pod, Kind::StatefulSet, wanted))
            && daemon_set.as_ref().is_none_or(|wanted| is_of(pod, Kind::DaemonSet, wanted))
            && job.as_ref().is_none_or(|wanted| is_of(pod, Kind::Job, wanted))
            && indexes.as_ref().is_none_or(|indexes| get_completion_index(pod).is_some_and(|i| indexes.contains(i)))
            && attempts.as_ref().is_none_or(|attempts| self.is_attempt(attempts, id))
    }

    fn is_attempt(&self, attempts: &NumberRanges, id: Id) -> bool {
        i64::try_from(self.ordinal(id)).is_ok_and(|attempt| attempts.contains(attempt))
    }

    /// The pod's number among the pods of its owner, from 1; among those of its completion index, if it has one.
    pub(in crate::cluster) fn ordinal(&self, id: Id) -> u64 {
        self.store.borrow_mut().pod_runtime(id).map_or(0, |runtime| runtime.ordinal)
    }

    fn is_of_deployment(&self, pod: &Pod, name: &str) -> bool {
        self.deployment_of(pod).is_some_and(|deployment| *deployment == *name)
    }

    /// The name of the Deployment whose ReplicaSet the pod belongs to.
    fn deployment_of(&self, pod: &Pod) -> Option<Rc<str>> {
        self.store.borrow().controller_of::<ReplicaSet>(pod)?.metadata.controller().map(|owner| owner.name.clone())
    }

    fn revision(&self, pod: &Pod) -> Option<i64> {
        let store = self.store.borrow();
        if let Some(revision) = store.revision_of(pod) {
            return Some(revision.spec.revision);
        }
        store.controller_of::<ReplicaSet>(pod)?.metadata.annotation(REVISION)?.parse().ok()
    }

    /// How many nanoseconds that stage of the pod's life takes; none: the pod does not come to that.
    pub(crate) fn stage_time(&self, id: Id, pod: &Pod, stage: Stage) -> Option<i64> {
        let timing = self.timing_of(id, pod);
        let nanoseconds = stage.nanoseconds(timing)?;
        if nanoseconds == i64::MAX || timing.jitter_percent == 0 {
            return Some(nanoseconds);
        }
        // Not of what else happened: the same pod is equally slow under every policy.
        let stream = self.ordinal(id).wrapping_mul(8).wrapping_add(stage.jitter_stream());
        let index = get_completion_index(pod).unwrap_or(0).cast_unsigned();
        let revision = self.revision(pod).unwrap_or(0).cast_unsigned();
        let random = Pcg32::new(self.scenario.seed ^ (revision ^ index).rotate_left(32), stream).next_u32();
        Some(with_jitter(nanoseconds, timing.jitter_percent, random))
    }

    /// Plans the end of a stage of the pod's life that began at a time, if the pod reaches that stage.
    pub(crate) fn plan_stage(&mut self, id: Id, pod: &Pod, stage: Stage, began: Time, event: SimEvent) {
        if let (Stage::Start, Some(runtime)) = (stage, self.store.borrow_mut().pod_runtime(id)) {
            runtime.synced = Some(began);
        }
        if let Some(takes) = self.stage_time(id, pod, stage) {
            self.plan(time_left(takes, self.now.since(began)), event);
        }
    }
}

/// What is left, in nanoseconds, of a stage that began in the past. A pod that should be done with it but isn't takes the whole
/// time from now on: how much longer it takes isn't known.
pub(super) const fn time_left(takes: i64, elapsed: i64) -> i64 {
    if elapsed > 0 && elapsed < takes { takes.saturating_sub(elapsed) } else { takes }
}

fn is_of(pod: &Pod, kind: Kind, name: &str) -> bool {
    pod.metadata.controller().is_some_and(|owner| &*owner.kind == kind.name() && *owner.name == *name)
}

/// The time, stretched by between 0 and `percent` percent.
fn with_jitter(nanoseconds: i64, percent: u32, random: u32) -> i64 {
    let range = i128::from(nanoseconds).saturating_mul(i128::from(percent));
    let hundredfold = range.saturating_mul(i128::from(random)) >> 32;
    nanoseconds.saturating_add(i64::try_from(hundredfold).unwrap_or(i64::MAX).div_euclid(100))
}
