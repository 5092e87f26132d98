//! A Deployment that has come to rest and is changed, given as typed objects: what the policy's forecast needs, without the texts of
//! a scenario and the API server's rules. Its pods are played in groups.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::aux_objects::{AuxObject, AuxSpec, QuotaLimits};
use super::event_queue::EventQueue;
use super::recorder::Recorder;
use super::rollout_simulation::GroupedPods;
use super::single_rollout::{SingleRollout, Unplayable};
use super::state::Cluster;
use super::steady_state::{AT_REST_AFTER, CREATED_BEFORE, earlier_for};
use super::step::Actor;
use crate::cluster::decision::{ObjectLimits, UserDecision};
use crate::controller::Write;
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Kind, ObjectKey, ResourceQuotaSpec};
use crate::scenario::{Duration, Limits, Mode, Scenario, Timing};
use crate::workload::deployment::Deployment;

/// As measured in the policy's module, where the limit of steps is one of time.
const STEPS_OF_SYNC: usize = 10;

/// Likewise: with more pods, each change takes longer.
const PODS_OF_STEP: usize = 1_500;

/// A Deployment that had come to rest and is changed at the start.
#[derive(Clone)]
pub(crate) struct SettledRollout {
    pub(crate) before: Deployment,
    pub(crate) after: Deployment,
    /// How fast pods start and end.
    pub(crate) timing: Timing,
    pub(crate) gates: FeatureGates,
    pub(crate) mode: Mode,
    /// The quotas of the namespace, with their names.
    pub(crate) quotas: Vec<(Rc<str>, ResourceQuotaSpec)>,
    /// How many steps there may be in all.
    pub(crate) max_steps: u32,
}

impl SettledRollout {
    /// Lets the Deployment come to rest and changes it, as a timeline of a prediction does; a test compares them.
    ///
    /// # Errors
    /// As [`SingleRollout::play`].
    pub(crate) fn start(self) -> Result<SingleRollout, Unplayable> {
        let limits = Limits { steps: self.max_steps, time: Duration(i64::MAX), ..Limits::default() };
        let scenario = Scenario { limits, ..Scenario::default() };
        let start = scenario.start;
        let mut cluster = Cluster::new(
            scenario,
            Gates::both(self.gates),
            &GroupedPods { may_refuse: false, steps_of_sync: STEPS_OF_SYNC },
        );
        cluster.keeps_notes = false;
        let mut groups = cluster.pod_groups.borrow_mut();
        (groups.are_settled, groups.pods_of_step) = (true, PODS_OF_STEP);
        drop(groups);
        let earlier = earlier_for(self.before.spec.min_ready_seconds);
        let created = start.plus_seconds(CREATED_BEFORE.saturating_add(earlier).saturating_neg());
        cluster.now = created;
        let namespace = self.before.metadata.namespace.clone();
        cluster.apply_write(Write::Create(self.before.into()));
        cluster
            .run_within_limits(created.plus_seconds(AT_REST_AFTER.saturating_add(earlier)))
            .ok_or(Unplayable::TooLarge)?;

        // The timeline begins here, and its controllers remember nothing of before.
        let (taken, limits) = (cluster.recorder.count(), Limits { steps: self.max_steps, ..Limits::default() });
        cluster.recorder = Recorder::new(&limits);
        cluster.recorder.pass_over(taken);
        cluster.scenario = Rc::new(Scenario { limits, mode: Some(self.mode), ..Scenario::default() });
        let quota = |(name, spec)| AuxObject {
            key: ObjectKey::new(Kind::ResourceQuota, namespace.clone(), name),
            spec: AuxSpec::ResourceQuota(QuotaLimits { spec, used_by_others: BTreeMap::new() }),
            manifest: serde_json::Value::Null,
        };
        cluster.aux_objects = self.quotas.into_iter().map(quota).collect();
        if !cluster.aux_objects.is_empty() {
            cluster.environment = &GroupedPods { may_refuse: true, steps_of_sync: STEPS_OF_SYNC };
        }
        cluster.pod_groups.borrow_mut().are_settled = false;
        cluster.events = EventQueue::default();
        cluster.now = start;
        let mut after = self.after;
        let change = |cluster: &mut Cluster| {
            // Its annotations are the controller's.
            after.metadata = cluster.only_deployment()?.0.metadata.clone();
            cluster.apply_write(Write::Update(after.into()));
            Some(())
        };
        SingleRollout::begin(cluster, &self.timing, start, change)
    }
}

impl Cluster {
    fn apply_write(&mut self, write: Write) {
        let key = Rc::new(write.key());
        let decision = UserDecision::Apply { object: (*key).clone(), limits: ObjectLimits::Absent };
        // It creates the only Deployment, or changes it: nothing can be refused.
        let _ = self.write(Actor::User, &key, write, decision);
    }
}
