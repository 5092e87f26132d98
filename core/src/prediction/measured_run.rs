//! A simulation that is measured while its steps are made. They take more memory than everything else, so they are kept only if
//! somebody reads them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::answer::{PendingPods, QuotaDemand, Refusals, Warning};
use super::apply_request::ApplyRun;
use super::measure::{MeasureTracker, Measures};
use super::pending::{PendingTracker, PodOwners};
use super::preempted_pods::PreemptionTracker;
use super::quota_demand::{Meter, Quota, RefusalTracker};
use super::requests::Requests;
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use crate::Problem;
use crate::cluster::decision::VolumeDecision;
use crate::cluster::{Actor, Change, Decision, PlayedScenario};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, Pod, Time};
use crate::scenario::Scenario;
use crate::timeline::{State, Step, Timeline};

/// Whether the steps of a prediction's timelines are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Each step can be read.
    Kept,
    /// The timelines have no steps.
    Dropped,
}

/// What a simulation comes to.
pub(super) struct MeasuredRun {
    /// Without steps, if they are not kept.
    pub(super) timeline: Timeline,
    pub(super) measures: Measures,
    /// What it uses of the quotas that refuse nothing, in their order.
    pub(super) demands: Vec<QuotaDemand>,
    /// What the quotas of the plan refuse, in their order, if they refuse something.
    pub(super) refusals: Vec<Option<Refusals>>,
    pub(super) requests: Requests,
    pub(super) pending: Vec<PendingPods>,
    pub(super) preempted: Vec<Warning>,
    /// The objects whose change never starts.
    pub(super) waiting: BTreeSet<ObjectKey>,
    /// The pods of StatefulSets and DaemonSets at the end, by name.
    pods_of_sets: Vec<Rc<Pod>>,
    /// The claims that the garbage collector deletes.
    pub(super) deleted_claims: BTreeSet<Rc<ObjectKey>>,
    /// Why pods wait for a volume that another node has, by their keys.
    pub(super) multi_attached: BTreeMap<ObjectKey, VolumeDecision>,
}

impl MeasuredRun {
    /// The pods of a StatefulSet or a DaemonSet at the end, by name.
    pub(super) fn pods_of(&self, set: &ObjectMeta) -> Vec<&Rc<Pod>> {
        self.pods_of_sets.iter().filter(|pod| pod.metadata.is_controlled_by(set)).collect()
    }
}

/// Follows the steps of a simulation.
struct RunTracker<'a> {
    start: Time,
    steps: usize,
    measures: MeasureTracker,
    meters: Vec<Meter<'a>>,
    refusals: RefusalTracker,
    requests: Requests,
    owners: PodOwners,
    pending: PendingTracker<'a>,
    preempted: PreemptionTracker,
    deleted_claims: BTreeSet<Rc<ObjectKey>>,
    multi_attached: BTreeMap<ObjectKey, VolumeDecision>,
}

impl<'a> RunTracker<'a> {
    fn new(
        plan: &'a RolloutPlan,
        scenario: &Scenario,
        initial: &Rc<State>,
        enforced: Quotas,
        quotas: &'a [Quota],
    ) -> Self {
        let start = scenario.start;
        let mut owners = PodOwners::default();
        initial.objects().for_each(|object| owners.observe(object));
        let mut refusals = RefusalTracker::new(start, initial);
        if enforced == Quotas::Enforced {
            quotas.iter().for_each(|quota| refusals.watch(&quota.namespace, &quota.name));
        }
        let metered = if enforced == Quotas::Ignored { quotas } else { &[] };
        Self {
            measures: MeasureTracker::new(scenario, initial, plan),
            meters: metered.iter().map(|quota| quota.meter(start, initial)).collect(),
            refusals,
            requests: Requests::new(start, initial),
            pending: PendingTracker::new(initial, &plan.estimated, plan.stuck_pods(), &owners),
            owners,
            preempted: PreemptionTracker::default(),
            deleted_claims: BTreeSet::new(),
            multi_attached: BTreeMap::new(),
            start,
            steps: 0,
        }
    }

    fn observe(&mut self, step: &Step) {
        let since_start = step.time.since(self.start);
        if let Some(object) = step.change.as_ref().and_then(|change| change.after.as_ref()) {
            self.owners.observe(object);
        }
        self.measures.observe(self.steps, step);
        self.meters.iter_mut().for_each(|meter| meter.follow(step));
        self.refusals.observe(step);
        self.requests.observe(step);
        self.pending.observe(step, &self.owners, since_start);
        self.preempted.observe(step, &self.owners, since_start);
        if step.actor == Actor::GarbageCollector
            && let Some(Change { key, after, .. }) = &step.change
            && key.kind == Kind::PersistentVolumeClaim
            && after.as_ref().is_none_or(|claim| claim.metadata().deletion_timestamp.is_some())
        {
            self.deleted_claims.insert(key.clone());
        }
        match &step.decision {
            Decision::Volume(decision @ VolumeDecision::MultiAttach { .. }) => {
                self.multi_attached.insert((*step.about).clone(), decision.clone());
            }
            Decision::Volume(VolumeDecision::Attach { .. }) => drop(self.multi_attached.remove(&*step.about)),
            _ => {}
        }
        self.steps = self.steps.saturating_add(1);
    }
}

impl RolloutPlan {
    /// Simulates the change, and measures it. If the quotas of the plan don't refuse what exceeds them, it measures what the change
    /// uses of these.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub(super) fn measure(
        &self,
        policy: PodReplacementPolicies,
        enforced: Quotas,
        quotas: &[Quota],
        steps: Steps,
    ) -> Result<MeasuredRun, Problem> {
        self.measure_seed(policy, enforced, quotas, steps, None)
    }

    /// The same with another seed, if there is one.
    pub(super) fn measure_seed(
        &self,
        policy: PodReplacementPolicies,
        enforced: Quotas,
        quotas: &[Quota],
        steps: Steps,
        seed: Option<u64>,
    ) -> Result<MeasuredRun, Problem> {
        let run = self.start(policy, enforced, seed)?;
        run.measured(self, enforced, quotas, steps).map_err(|problem| self.locate(problem))
    }
}

impl ApplyRun {
    fn measured(
        mut self,
        plan: &RolloutPlan,
        enforced: Quotas,
        quotas: &[Quota],
        steps: Steps,
    ) -> Result<MeasuredRun, Problem> {
        let initial: Rc<State> = Rc::new(self.simulation.initial().iter().cloned().collect());
        let mut tracker = RunTracker::new(plan, self.simulation.scenario(), &initial, enforced, quotas);
        let mut kept = Vec::new();
        let mut follow = |step: Step| {
            tracker.observe(&step);
            if steps == Steps::Kept {
                kept.push(step);
            }
        };
        while self.next_instant()? {
            self.simulation.drain_steps().for_each(&mut follow);
        }
        let waiting = self.waiting();
        let objects = self.simulation.objects();
        let PlayedScenario { scenario, steps: rest, end, .. } = self.simulation.finish()?;
        let last = rest.last().map_or(scenario.start, |step| step.time);
        rest.into_iter().for_each(&mut follow);
        let RunTracker {
            measures, meters, refusals, requests, pending, preempted, deleted_claims, multi_attached, ..
        } = tracker;
        let sets = [Kind::StatefulSet, Kind::DaemonSet].map(Kind::name);
        let is_of_set = |pod: &Pod| pod.metadata.controller().is_some_and(|owner| sets.contains(&&*owner.kind));
        let pods_of_sets = objects.into_iter().filter_map(|object| match object {
            Object::Pod(pod) if is_of_set(&pod) => Some(pod),
            _ => None,
        });
        let mut pods_of_sets: Vec<Rc<Pod>> = pods_of_sets.collect();
        pods_of_sets.sort_unstable_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
        Ok(MeasuredRun {
            measures: measures.finish(plan, last, &waiting),
            waiting,
            demands: meters.into_iter().map(|meter| meter.finish(last)).collect(),
            refusals: refusals.finish(),
            requests,
            pending: pending.finish(),
            preempted: preempted.finish(),
            pods_of_sets,
            deleted_claims,
            multi_attached,
            timeline: Timeline { scenario, initial, steps: kept, end },
        })
    }
}
