//! The rollout of the only Deployment of a scenario, with its pods in groups. It counts the pods as a timeline of the scenario
//! does, and takes a fraction of the time.

use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::client_throttling::ClientThrottling;
use super::controllers::Retry;
use super::kubelet::template_timing;
use super::pod_groups::{PodModel, PodTotals};
use super::rollout_simulation::GroupedPods;
use super::state::Cluster;
use super::step::Step;
use crate::collect_tree::CollectTree;
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::unstructured::string;
use crate::object::{Kind, LabelSelector, Object, ObjectKey, ObjectMeta, Pod, Time};
use crate::scenario::{Action, ControllerManager, Manifest, Manifests, Scenario, Timing};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{REVISION, equal_ignore_hash};
use crate::workload::replica_set::ReplicaSet;

/// As measured natively.
const STEPS_OF_SYNC: usize = 4;

/// A scenario with one Deployment, and the change of it. Nothing but their age tells its pods apart.
pub(crate) struct SingleRollout {
    cluster: Cluster,
    before: Rc<Deployment>,
    replica_set: Rc<ReplicaSet>,
    after: Rc<Deployment>,
}

/// What comes of it.
pub(crate) struct PlayedRollout {
    /// When the scenario starts.
    pub(crate) start: Time,
    /// When the Deployment was changed: then or later.
    pub(crate) changed: Time,
    /// The Deployment before the change, and its ReplicaSet.
    pub(crate) before: Rc<Deployment>,
    pub(crate) replica_set: Rc<ReplicaSet>,
    /// The Deployment as the change leaves it.
    pub(crate) after: Rc<Deployment>,
    /// The pods at the start, and after each of their changes.
    pub(crate) pods: Vec<PodTotals>,
    /// One pod of each ReplicaSet that had any.
    pub(crate) models: Vec<PodModel>,
    /// The steps of the user and the controllers.
    pub(crate) steps: Vec<Step>,
    /// The controllers' feature gates.
    pub(crate) gates: FeatureGates,
    /// How many steps it took, with those of pods.
    pub(crate) step_count: usize,
    /// Whether nothing about the pods will ever change again, however long one waits.
    pub(crate) is_over: bool,
}

/// Why a change is not played in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unplayable {
    /// It takes too many steps or pods.
    TooLarge,
    /// A ReplicaSet has to choose between pods that are not alike: their uids, which are random, may decide.
    Ranked,
    /// More happens to pods than groups know: a probe fails for good, a preStop hook takes the whole grace period, ...
    Unknown,
}

impl SingleRollout {
    /// Prepares a scenario that can be played in groups: its objects are a Deployment at rest, its ReplicaSet and pods that are
    /// alike; it has no nodes; one timing without jitter holds for all pods, which start, become ready, terminate and go; and
    /// its only action changes the Deployment. None for any other scenario, and for one that is not valid.
    pub(crate) fn of(scenario: Scenario) -> Option<Self> {
        let timing = timing_of_all(&scenario.kubelet).filter(|_| has_nothing_else(&scenario))?;
        let cluster = Cluster::at_rest(scenario)?;
        let changed = cluster.now.plus(cluster.scenario.actions.first()?.at.0);
        Self::begin(cluster, &timing, changed, |cluster| cluster.carry_out_action(0).ok()).ok()
    }

    /// Starts the controllers of a cluster with a Deployment at rest, and changes it.
    pub(super) fn begin(
        mut cluster: Cluster,
        timing: &Timing,
        changed: Time,
        change: impl FnOnce(&mut Cluster) -> Option<()>,
    ) -> Result<Self, Unplayable> {
        const UNKNOWN: Unplayable = Unplayable::Unknown;
        let start = cluster.now;
        let (before, replica_set) = cluster.only_deployment().ok_or(UNKNOWN)?;
        cluster.pod_groups.borrow_mut().observe(before.spec.min_ready_seconds, start);
        cluster.restart_controllers();
        cluster.run_within_limits(changed.plus(-1)).ok_or(Unplayable::TooLarge)?;
        cluster.now = changed;
        change(&mut cluster).ok_or(UNKNOWN)?;
        let (after, _) = cluster.only_deployment().filter(|(_, kept)| *kept == replica_set).ok_or(UNKNOWN)?;
        // A chart goes on counting the pods at rest as they were.
        let longest = before.spec.min_ready_seconds.max(after.spec.min_ready_seconds);
        if !cluster.pod_groups.borrow_mut().are_all_available(longest, start) {
            return Err(UNKNOWN);
        }
        let old = template_timing(&replica_set.spec.template, timing).ok_or(UNKNOWN)?;
        let new = template_timing(&after.spec.template, timing).ok_or(UNKNOWN)?;
        let revision = replica_set.metadata.annotation(REVISION).and_then(|revision| revision.parse().ok());
        let old = Timing { revision: Some(revision.ok_or(UNKNOWN)?), ..old };
        Rc::make_mut(&mut cluster.scenario).kubelet = Vec::from([old, new]);
        Ok(Self { cluster, before, replica_set, after })
    }

    /// Lets everything happen.
    ///
    /// # Errors
    /// It takes too many steps or pods, a ReplicaSet chose between pods that are not alike, or one was deleted that leaves pods to
    /// the garbage collector.
    pub(crate) fn play(self) -> Result<PlayedRollout, Unplayable> {
        let Self { mut cluster, before, replica_set, after } = self;
        let (start, changed) = (cluster.scenario.start, cluster.now);
        cluster.pod_groups.borrow_mut().observe(after.spec.min_ready_seconds, changed);
        cluster.run_within_limits(Time(i64::MAX)).ok_or(Unplayable::TooLarge)?;
        let (is_quiet, now) = (cluster.recorder.limit_met().is_none(), cluster.now);
        let mut groups = cluster.pod_groups.take();
        let is_over = is_quiet || groups.are_all_available(after.spec.min_ready_seconds, now);
        let models = groups.models();
        if groups.has_ranked {
            return Err(Unplayable::Ranked);
        }
        let is_deleted = |owner: &Rc<ObjectKey>| cluster.store.borrow().typed::<ReplicaSet>(owner).is_none();
        if groups.owners_of_pods().any(is_deleted) || models.iter().filter(|model| !model.is_old).count() > 1 {
            return Err(Unplayable::Unknown);
        }
        let pods = groups.into_totals();
        let limit = i32::try_from(cluster.scenario.limits.pods).unwrap_or(i32::MAX);
        if pods.iter().any(|totals| totals.holding() > limit) {
            return Err(Unplayable::TooLarge);
        }
        let is_over = is_over && (is_quiet || now.since(last_change(&pods)) > 2 * Retry::DEFAULT.most);
        let (step_count, gates) = (cluster.recorder.count(), cluster.gates.controller_manager);
        let steps = cluster.recorder.into_steps();
        Ok(PlayedRollout {
            start,
            changed,
            before,
            replica_set,
            after,
            pods,
            models,
            steps,
            gates,
            step_count,
            is_over,
        })
    }
}

impl PlayedRollout {
    /// The objects at the start, without pods.
    pub(crate) fn initial(&self) -> [Object; 2] {
        [Object::Deployment(self.before.clone()), Object::ReplicaSet(self.replica_set.clone())]
    }

    /// Whether the change replaces the pods.
    pub(crate) fn replaces_pods(&self) -> bool {
        !equal_ignore_hash(&self.before.spec.template, &self.after.spec.template)
    }

    /// The pods as a chart shows them: of the first instant only its end.
    pub(crate) fn shown(&self) -> &[PodTotals] {
        let first = self.pods.partition_point(|totals| totals.time <= self.start).saturating_sub(1);
        self.pods.get(first..).unwrap_or_default()
    }

    /// The fewest available pods.
    pub(crate) fn lowest_available(&self) -> i32 {
        self.shown().iter().map(|totals| totals.available).min().unwrap_or_default()
    }

    /// When the last thing happened.
    pub(crate) fn end(&self) -> Time {
        let last_step = self.steps.last().map_or(self.start, |step| step.time);
        last_change(&self.pods).max(last_step)
    }
}

/// When the counts changed last. Pods are also counted at moments in which nothing changes.
fn last_change(pods: &[PodTotals]) -> Time {
    let mut counts = pods.iter().zip(pods.iter().skip(1)).rev();
    let last = counts.find(|(before, after)| PodTotals { time: after.time, ..**before } != **after);
    last.map(|(_, after)| after.time).or_else(|| Some(pods.first()?.time)).unwrap_or(Time(0))
}

/// The objects of a Deployment at rest, as a scenario has them.
struct RestingObjects {
    deployment: Manifest,
    replica_set: Manifest,
    /// One of the pods, and how many there are like it.
    pod: Option<Manifest>,
    pods: usize,
}

impl RestingObjects {
    fn of(objects: &Manifests) -> Option<Self> {
        let whole = |manifest: &Manifest, kind: Kind| {
            (manifest.kind() == kind.name() && !matches!(manifest, Manifest::Twin { .. })).then(|| manifest.clone())
        };
        let mut objects = objects.iter();
        let deployment = whole(objects.next()?, Kind::Deployment)?;
        let replica_set = whole(objects.next()?, Kind::ReplicaSet)?;
        let pods = objects.len();
        let pod = match objects.next() {
            Some(first) => Some(whole(first, Kind::Pod)?),
            None => None,
        };
        let mut names: BTreeSet<&str> = pod.iter().map(Manifest::name).collect_tree();
        let is_twin = |manifest: &Manifest| match (manifest, &pod) {
            (Manifest::Twin { .. }, _) => true,
            (Manifest::Stored(Object::Pod(other)), Some(Manifest::Stored(Object::Pod(first)))) => is_twin(first, other),
            _ => false,
        };
        let are_twins = objects.all(|manifest| is_twin(manifest) && names.insert(manifest.name()));
        drop(names);
        are_twins.then_some(Self { deployment, replica_set, pod, pods })
    }
}

/// Whether the pods differ in name and uid only.
fn is_twin(first: &Pod, other: &Pod) -> bool {
    let (metadata, other_metadata) = (&first.metadata, &other.metadata);
    let (name, uid) = (other_metadata.name.clone(), other_metadata.uid.clone());
    (&first.spec, &first.status) == (&other.spec, &other.status)
        && ObjectMeta { name, uid, ..(**metadata).clone() } == **other_metadata
}

/// Whether nothing but the change of a Deployment happens. Writes of pods are planned ahead, so that each must take its time.
fn has_nothing_else(scenario: &Scenario) -> bool {
    let takes_time = |clients: ControllerManager| {
        clients.request_time.is_some_and(|time| time.0 > 0) && ClientThrottling::validate(clients).is_ok()
    };
    scenario.nodes.is_empty()
        && scenario.autoscaler.is_none()
        && matches!(scenario.actions.as_slice(), [only] if changes_deployment(&only.action))
        && scenario.clients().is_none_or(takes_time)
}

/// Whether an action only writes a Deployment, or another object that is there.
fn changes_deployment(action: &Action) -> bool {
    match action {
        Action::Apply(manifest) => string(manifest, "kind") == Kind::Deployment.name(),
        Action::Scale(_) | Action::SetTemplate(_) | Action::Pause(_) | Action::Resume(_) => true,
        _ => false,
    }
}

/// Whether a pod is as this ReplicaSet creates it.
fn is_made_by(pod: &Pod, replica_set: &ReplicaSet) -> bool {
    let selector = LabelSelector::to_selector(replica_set.spec.selector.as_deref());
    let template = &replica_set.spec.template.spec.fields;
    pod.metadata.is_controlled_by(&replica_set.metadata)
        && pod.metadata.deletion_timestamp.is_none()
        && pod.metadata.finalizers.is_empty()
        && selector.is_ok_and(|selector| selector.matches(&pod.metadata.labels))
        && pod.spec.fields.containers == template.containers
        && pod.spec.fields.init_containers == template.init_containers
        && pod.spec.fields.termination_grace_period_seconds == template.termination_grace_period_seconds
}

/// The timing of all pods, if it is the same for all and none of them crashes.
fn timing_of_all(kubelet: &[Timing]) -> Option<Timing> {
    let timing = match kubelet {
        [] => Timing::DEFAULT,
        [timing] => timing.clone(),
        _ => return None,
    };
    let Timing { schedule, pull, start, ready, answers, run, pre_stop, terminate, .. } = timing;
    let plain = Timing { schedule, pull, start, ready, answers, run, pre_stop, terminate, ..Timing::DEFAULT };
    (timing == plain).then_some(timing)
}

impl Cluster {
    /// The cluster at the start, with the pods in a group.
    fn at_rest(scenario: Scenario) -> Option<Self> {
        let RestingObjects { deployment, replica_set, pod, pods } = RestingObjects::of(&scenario.objects)?;
        let gates = Gates::parse(&scenario.feature_gates, "").ok()?;
        let objects = [deployment, replica_set].into_iter().collect();
        let mut cluster = Self::new(
            Scenario { objects, ..scenario },
            gates,
            &GroupedPods { may_refuse: false, steps_of_sync: STEPS_OF_SYNC },
        );
        cluster.place_initial_objects().ok()?;
        let mut groups = cluster.pod_groups.borrow_mut();
        groups.now = cluster.now;
        let pod = match pod {
            Some(pod) => Some(cluster.read_pod(&pod)?),
            None => None,
        };
        if let Some(pod) = &pod {
            let (owner, created) = (pod.metadata.controller_key(Kind::ReplicaSet)?, pod.metadata.creation_timestamp?);
            let since = pod.ready_condition()?.last_transition_time?;
            let is_owner = cluster.store.borrow().typed(&owner).is_some_and(|owner| is_made_by(pod, owner));
            let owner = Rc::new(Some(owner).filter(|_| is_owner)?);
            for _ in 0..pods {
                let id = groups.add(&owner, true, pod, created);
                groups.set_ready(id, since);
            }
        }
        drop(groups);
        Some(cluster)
    }

    /// The Deployment and its ReplicaSet, if there is nothing else.
    pub(super) fn only_deployment(&self) -> Option<(Rc<Deployment>, Rc<ReplicaSet>)> {
        let store = self.store.borrow();
        match store.objects().collect::<Vec<_>>().as_slice() {
            [Object::Deployment(deployment), Object::ReplicaSet(replica_set)]
                if replica_set.metadata.is_controlled_by(&deployment.metadata) =>
            {
                Some((deployment.clone(), replica_set.clone()))
            }
            _ => None,
        }
    }

    fn read_pod(&self, manifest: &Manifest) -> Option<Rc<Pod>> {
        let object = match manifest {
            Manifest::Stored(object) => object.clone(),
            given => self.read(&given.to_value(), "", "".into()).ok()?,
        };
        object.typed().cloned()
    }
}
