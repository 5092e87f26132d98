//! Scheduler and kubelet: pods get a node, start, become ready, and end.

use alloc::rc::Rc;
use alloc::string::String;

use super::Cluster;
use super::queue::Happening;
use super::random::jitter;
use crate::controller::Verb;
use crate::controller::deployment::REVISION;
use crate::object::{
    ConditionStatus, ContainerStatus, Kind, Object, ObjectKey, Pod, PodCondition, PodPhase, ReplicaSet, Time, Unknown,
};
use crate::reason::{Reason, cluster as rule};
use crate::scenario::{Ready, Timing};
use crate::timeline::{Actor, Id};

/// What containers have in any case between SIGTERM and SIGKILL, in seconds.
///
/// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go minimumGracePeriodInSeconds`
pub(crate) const MINIMUM_GRACE_PERIOD: i64 = 2;

/// A span of a pod's life; each has its own jitter.
#[derive(Clone, Copy)]
pub(super) enum Span {
    Schedule,
    Start,
    Ready,
    Terminate,
    Crash,
    PreStop,
}

impl Cluster {
    /// Plans what comes next for a pod that is there at the start, or has just been created.
    pub(super) fn queue_scheduling(&mut self, id: Id, pod: &Pod) {
        self.number(id, pod);
        if pod.metadata.deletion_timestamp.is_some() {
            (self.around.terminate)(self, id, pod, pod.metadata.deletion_grace_period_seconds.unwrap_or(0));
            return;
        }
        let (span, happening) = match (pod.status.phase, &pod.spec.node_name) {
            (PodPhase::Succeeded | PodPhase::Failed | PodPhase::Unknown, _) => return,
            (_, None) => (Span::Schedule, Happening::Bind(id)),
            (PodPhase::Running, Some(_)) if pod.is_ready() => return,
            (PodPhase::Running, Some(_)) => (Span::Ready, Happening::Ready(id)),
            (_, Some(_)) => (Span::Start, Happening::Start(id)),
        };
        self.plan(id, pod, span, happening);
    }

    /// Gives the pod its number among those of its owner: which jitter it has.
    fn number(&self, id: Id, pod: &Pod) {
        let owner = pod.metadata.controller().map_or("", |owner| &owner.uid);
        let mut store = self.store.borrow_mut();
        let number = store.group(owner).map_or(0, |(group, _)| group.count_created());
        if let Some(life) = store.life(id) {
            life.number = number;
        }
    }

    fn plan(&mut self, id: Id, pod: &Pod, span: Span, happening: Happening) {
        if let Some(after) = self.span(id, pod, span) {
            self.queue.push(self.now.plus(after), happening);
        }
    }

    /// The entry of the scenario that fits the pod.
    pub(super) fn timing_of(&self, pod: &Pod) -> &Timing {
        static DEFAULT: Timing = Timing::DEFAULT;
        // Looked up only where somebody asks.
        let revision = || self.revision(pod);
        let timing = self.scenario.kubelet.iter().find(|timing| self.fits(timing, pod, &revision));
        timing.unwrap_or(&DEFAULT)
    }

    /// How many nanoseconds that part of the pod's life takes; none: it does not come to that.
    pub(super) fn span(&self, id: Id, pod: &Pod, span: Span) -> Option<i64> {
        let timing = self.timing_of(pod);
        let (which, nanoseconds) = match (span, timing.ready, timing.pull) {
            (Span::Schedule, ..) => (0, timing.schedule.0),
            (Span::Start, _, Ready::After(pull)) => (1, timing.start.0.saturating_add(pull.0)),
            (Span::Start, _, Ready::Never) => (1, timing.start.0),
            (Span::Ready, Ready::After(duration), _) => (2, duration.0),
            (Span::Ready, Ready::Never, _) => return None,
            (Span::Terminate, ..) => (3, timing.terminate.map_or(i64::MAX, |duration| duration.0)),
            (Span::Crash, ..) => (4, timing.crash?.0),
            (Span::PreStop, ..) => (5, timing.pre_stop?.0),
        };
        if nanoseconds == i64::MAX || timing.jitter_percent == 0 {
            return Some(nanoseconds);
        }
        let number = self.store.borrow_mut().life(id).map_or(0, |life| life.number);
        let revision = self.revision(pod).unwrap_or(0);
        Some(jitter(nanoseconds, timing.jitter_percent, self.scenario.seed, revision, number, which))
    }

    pub(super) fn replica_set_of(&self, pod: &Pod) -> Option<Rc<ReplicaSet>> {
        let owner = pod.metadata.controller()?;
        let namespace = pod.metadata.namespace.clone();
        let key = ObjectKey { kind: Kind::ReplicaSet, namespace, name: owner.name.clone() };
        self.store.borrow().replica_set(&key).cloned()
    }

    fn revision(&self, pod: &Pod) -> Option<i64> {
        self.replica_set_of(pod)?.metadata.annotation(REVISION)?.parse().ok()
    }

    fn fits(&self, timing: &Timing, pod: &Pod, revision: &dyn Fn() -> Option<i64>) -> bool {
        let image = || pod.spec.fields.containers.first().map(|container| container.image.as_str());
        let deployment = || {
            let replica_set = self.replica_set_of(pod)?;
            Some(String::from(&*replica_set.metadata.controller()?.name))
        };
        timing.revision.is_none_or(|wanted| revision() == Some(wanted))
            && timing.image.as_deref().is_none_or(|wanted| image() == Some(wanted))
            && timing.deployment.as_ref().is_none_or(|wanted| deployment().as_ref() == Some(wanted))
    }

    /// The pod, if it is still there.
    pub(super) fn current(&self, id: Id) -> Option<Rc<Pod>> {
        self.store.borrow().pod(id).cloned()
    }

    /// What the scheduler or the pod's kubelet makes of it.
    pub(super) fn commit_pod(
        &mut self,
        id: Id,
        (actor, verb): (Actor, Verb),
        before: Rc<Pod>,
        after: Option<Pod>,
        reason: Reason,
    ) {
        let key = before.metadata.key(Kind::Pod);
        let before = Some((id, Object::Pod(before)));
        self.replace(actor, &key.clone(), verb, key, before, after.map(Object::from), reason);
    }

    /// Gives a pod its node.
    pub(super) fn bind(&mut self, id: Id, node: &str) {
        let Some(pod) = self.current(id).filter(|pod| pod.spec.node_name.is_none()) else { return };
        let mut bound = (*pod).clone();
        bound.spec.node_name = Some(node.into());
        // Until now it had none but that it waits for a node.
        bound.status.conditions.clear();
        let reason = Reason::new(&rule::BIND, [(&pod.metadata.name).into(), node.into()]);
        self.plan(id, &bound, Span::Start, Happening::Start(id));
        (self.around.count)(self, &bound, 1);
        self.commit_pod(id, (Actor::Scheduler, Verb::Update), pod, Some(bound), reason);
    }

    /// A pod is gone.
    pub(super) fn leave_node(&mut self, pod: Option<&Object>) {
        if let Some(Object::Pod(pod)) = pod {
            (self.around.count)(self, pod, -1);
        }
        self.retry_unschedulable();
    }

    /// The scheduler looks again at the pods that wait for a node.
    pub(super) fn retry_unschedulable(&mut self) {
        self.refusal = None;
        for id in core::mem::take(&mut self.unschedulable) {
            self.queue.push(self.now, Happening::Bind(id));
        }
    }

    /// The containers run, and will be ready.
    pub(super) fn start(&mut self, id: Id) {
        if let Some(running) = self.run(id) {
            self.plan(id, &running, Span::Ready, Happening::Ready(id));
        }
    }

    /// The containers run.
    pub(super) fn run(&mut self, id: Id) -> Option<Pod> {
        let pod = self.current(id).filter(|pod| pod.is_active())?;
        let mut running = (*pod).clone();
        running.status.phase = PodPhase::Running;
        running.status.start_time = Some(pod.status.start_time.unwrap_or(self.now.truncated()));
        running.status.conditions = alloc::vec![ready_condition(ConditionStatus::False, self.now)];
        running.status.container_statuses = pod
            .spec
            .fields
            .containers
            .iter()
            .map(|container| ContainerStatus { name: container.name.clone(), ..ContainerStatus::default() })
            .collect();
        let node = pod.spec.node_name.as_deref().unwrap_or_default();
        let reason = Reason::new(&rule::STARTED, [(&pod.metadata.name).into(), node.into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(running.clone()), reason);
        Some(running)
    }

    /// The node controller took the pod for not ready; its kubelet never did.
    pub(super) fn ready_again(&mut self, id: Id, since: Option<Time>) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active() && !pod.is_ready()) else { return };
        let mut ready = (*pod).clone();
        let condition =
            PodCondition { last_transition_time: since, ..ready_condition(ConditionStatus::True, self.now) };
        ready.status.conditions = alloc::vec![condition];
        let reason = Reason::new(&rule::READY_AGAIN, [(&pod.metadata.name).into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(ready), reason);
    }

    /// The readiness probe succeeds. One that is terminating stays as it is.
    pub(super) fn ready(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active() && !pod.is_ready()) else { return };
        let mut ready = (*pod).clone();
        ready.status.conditions = alloc::vec![ready_condition(ConditionStatus::True, self.now)];
        let reason = Reason::new(&rule::READY, [(&pod.metadata.name).into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(ready), reason);
    }

    /// Plans the end of a pod that was told to stop: after what its containers take, and no later than its grace
    /// period, or two seconds. Containers that never started have nothing to finish.
    pub(super) fn terminate(&mut self, id: Id, pod: &Pod, grace_seconds: i64) {
        let takes = if pod.status.phase == PodPhase::Running { self.span(id, pod, Span::Terminate) } else { Some(0) };
        let grace = grace_seconds.max(MINIMUM_GRACE_PERIOD).saturating_mul(Time::SECOND);
        self.plan_end(id, takes.unwrap_or(i64::MAX).min(grace));
    }

    /// Plans the end of a pod whose kubelet knows that it is to end.
    pub(super) fn plan_end(&mut self, id: Id, after: i64) {
        if let Some(life) = self.store.borrow_mut().life(id) {
            life.asked_to_stop.get_or_insert(self.now);
        }
        self.queue.push(self.now.plus(after), Happening::Gone(id));
    }

    /// The kubelet learns of a deletion that was asked for while nobody heard of it.
    pub(super) fn stop(&mut self, id: Id) {
        if let Some(pod) = self.current(id)
            && let Some(grace) = pod.metadata.deletion_grace_period_seconds
        {
            (self.around.terminate)(self, id, &pod, grace);
        }
    }

    /// The containers have ended: the kubelet removes the pod.
    pub(super) fn gone(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.metadata.deletion_timestamp.is_some()) else { return };
        let asked = self.store.borrow_mut().life(id).and_then(|life| life.asked_to_stop).unwrap_or(self.now);
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0).max(MINIMUM_GRACE_PERIOD);
        // The kubelet of a lost node says so later.
        let seconds = self.now.since(asked).div_euclid(Time::SECOND).min(grace);
        let reason = Reason::new(&rule::GONE, [(&pod.metadata.name).into(), seconds.into(), grace.into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::Delete), pod, None, reason);
    }
}

pub(super) fn ready_condition(status: ConditionStatus, now: Time) -> PodCondition {
    PodCondition {
        type_: "Ready".into(),
        status,
        last_transition_time: Some(now.truncated()),
        unknown: Unknown::default(),
    }
}
