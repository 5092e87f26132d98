//! What a rollout would use of a ResourceQuota, and what the quota makes of the rollout.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{Exceeded, QuotaDemand, Refusals, UsedByOthers, WorstExceeded, WorstProof, WorstQuota};
use super::still_objects::{Amounts, StillObjects, StillUsage};
use super::worst_outcome::WorstPods;
use crate::Problem;
use crate::cluster::decision::UserDecision;
use crate::cluster::{Decision, PlayedRollout, PodTotals, Step, Unspecified, unspecified, usage, used_by_others};
use crate::collect_tree::CollectTree;
use crate::json::decode;
use crate::object::quantity::nanos;
use crate::object::quantity::written_like;
use crate::object::unstructured::{field, remove_nulls};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, Pod, ResourceQuotaSpec, Time, refusal_by};
use crate::timeline::{State, Timeline};
use crate::worst_case::PodMoment;

/// A ResourceQuota.
#[derive(Debug)]
pub(super) struct Quota {
    pub(super) namespace: String,
    pub(super) name: String,
    spec: ResourceQuotaSpec,
    manifest: Value,
    /// What the objects of its namespace use that are not played.
    still: StillUsage,
}

impl Quota {
    /// Reads a manifest that the simulated cluster takes, of which these objects use something without being played.
    ///
    /// # Errors
    /// A field of the wrong type.
    pub(super) fn read(manifest: &Value, path: &str, still: &StillObjects) -> Result<Self, Problem> {
        let spec = field(manifest, "spec").cloned().map(|mut spec| {
            remove_nulls(&mut spec);
            decode(&spec, &format!("{path}.spec"))
        });
        let namespace = super::given_objects::namespace(manifest).unwrap_or("default");
        Ok(Self {
            namespace: namespace.into(),
            still: still.usage(namespace),
            name: super::given_objects::name(manifest).into(),
            spec: spec.transpose()?.unwrap_or_default(),
            manifest: manifest.clone(),
        })
    }

    /// The quota, as `Kind/namespace/name`.
    pub(super) fn object(&self) -> String {
        format!("ResourceQuota/{}/{}", self.namespace, self.name)
    }

    /// Follows what a simulation without the quota would use of it.
    pub(super) fn meter(&self, start: Time, initial: &State) -> Meter<'_> {
        let mut meter = Meter::new(self, start);
        for object in initial.objects() {
            meter.count(&Rc::new(object.key()), Some(object), start);
        }
        meter.count_still(start);
        meter
    }

    /// What a rollout that was played in groups, without the quota, would use of it. No resource of a quota counts both pods and other objects, so that these
    /// may come first.
    pub(super) fn demand_of_played(&self, played: &PlayedRollout) -> QuotaDemand {
        let mut meter = Meter::new(self, played.start);
        for object in played.initial() {
            meter.count(&Rc::new(object.key()), Some(&object), played.start);
        }
        let uses = |is_old: bool| {
            let model = played.models.iter().find(|model| model.is_old == is_old);
            model.map(|model| GroupUse::of(self, &model.pod, played.start)).unwrap_or_default()
        };
        let mut groups = [uses(true), uses(false)];
        let mut count = |meter: &mut Meter<'_>, totals: &PodTotals| {
            for (group, pods) in groups.iter_mut().zip([totals.old, totals.new]) {
                meter.count_group(group, pods, totals.time);
            }
        };
        let (at_start, later) = played.pods.split_first().unzip();
        at_start.into_iter().for_each(|totals| count(&mut meter, totals));
        meter.count_still(played.start);
        played.steps.iter().for_each(|step| meter.follow(step));
        later.into_iter().flatten().for_each(|totals| count(&mut meter, totals));
        meter.finish(played.end())
    }
}

/// Whether any order of events exceeds the quota; none if no Deployment of the namespace changes, or if one is not explored.
pub(super) fn worst_of_quota(
    quota: &Quota,
    timeline: &Timeline,
    worst: &BTreeMap<ObjectKey, Option<WorstPods>>,
) -> Option<WorstQuota> {
    let changed = || worst.iter().filter(|(key, _)| *key.namespace == *quota.namespace);
    let worst: Vec<&WorstPods> = changed().map(|(_, worst)| worst.as_ref()).collect::<Option<_>>()?;
    let proof = match *worst {
        [] => return None,
        [one] => one.proof,
        // Perhaps not all of them are at their worst at once.
        _ => WorstProof::Bound,
    };
    let others = quota.most_of_others(timeline, &changed().map(|(key, _)| key).collect_tree());
    let exceeded = quota.spec.hard.iter().zip(others).filter_map(|((resource, hard), others)| {
        let uses = |worst: &&WorstPods| {
            let each = |pod: &Object| usage(pod, resource, timeline.scenario.start);
            let (old, new) = (each(&worst.pods.old), each(&worst.pods.new));
            let at = |pods: PodMoment| {
                old.saturating_mul(pods.old.into()).saturating_add(new.saturating_mul(pods.new.into()))
            };
            worst.peak_moments.iter().map(at).max().unwrap_or(0)
        };
        let needed = worst.iter().map(uses).fold(others, i128::saturating_add);
        let by = needed.saturating_sub(nanos(hard).unwrap_or(0));
        let amount = |nanos: i128| written_like(nanos, hard);
        (by > 0).then(|| WorstExceeded { resource: resource.clone(), needed: amount(needed), by: amount(by) })
    });
    Some(WorstQuota { proof, exceeded: exceeded.collect() })
}

/// The Deployments of the quota's namespace that are not explored, as `Kind/namespace/name`; none if all are.
pub(super) fn not_explored(quota: &Quota, worst: &BTreeMap<ObjectKey, Option<WorstPods>>) -> Option<Vec<String>> {
    let of_quota = worst.iter().filter(|(key, worst)| worst.is_none() && *key.namespace == *quota.namespace);
    let names: Vec<String> =
        of_quota.map(|(key, _)| format!("{}/{}/{}", key.kind.name(), key.namespace, key.name)).collect();
    (!names.is_empty()).then_some(names)
}

impl Quota {
    /// What the quota says is used beyond what objects explain.
    fn others(&self, explained: impl Fn(&str) -> i128) -> BTreeMap<String, i128> {
        used_by_others(&self.manifest, &self.spec, explained)
    }

    /// The same at the start of a timeline.
    fn others_at_start(&self, timeline: &Timeline) -> BTreeMap<String, i128> {
        let start = timeline.scenario.start;
        let objects = || timeline.initial.objects().filter(|object| *object.metadata().namespace == *self.namespace);
        self.others(|resource| {
            let before = self.still.before.get(resource).copied().unwrap_or(0);
            objects().fold(before, |sum, object| sum.saturating_add(usage(object, resource, start)))
        })
    }

    /// The usage by others, formatted as in the quota.
    pub(super) fn used_by_others(&self, timeline: &Timeline) -> Vec<UsedByOthers> {
        let written = |(resource, amount): (String, i128)| {
            let used = written_like(amount, self.spec.hard.get(&resource).unwrap_or(&Value::Null));
            UsedByOthers { resource, used }
        };
        self.others_at_start(timeline).into_iter().map(written).collect()
    }

    /// The most that objects use of each resource, without the pods of these Deployments.
    fn most_of_others(&self, timeline: &Timeline, changed: &BTreeSet<&ObjectKey>) -> Vec<i128> {
        let written = timeline.steps.iter().filter_map(|step| step.change.as_ref()?.after.as_ref());
        let metadata = timeline.initial.objects().chain(written).map(Object::metadata);
        let is_changed = |metadata: &&Rc<ObjectMeta>| {
            metadata.controller_key(Kind::Deployment).is_some_and(|owner| changed.contains(&owner))
        };
        let replica_sets: BTreeSet<&str> = metadata.filter(is_changed).map(|metadata| &*metadata.uid).collect_tree();
        let mut uses: BTreeMap<Rc<ObjectKey>, Vec<i128>> = BTreeMap::new();
        let none = || self.spec.hard.iter().map(|_| 0_i128).collect::<Vec<_>>();
        let (mut used, mut most) = (none(), none());
        let mut observe = |key: &Rc<ObjectKey>, object: Option<&Object>, now: Time| {
            if *key.namespace != *self.namespace {
                return;
            }
            let owner = object.and_then(|object| object.metadata().controller());
            if owner.is_some_and(|owner| replica_sets.contains(&*owner.uid)) {
                return;
            }
            let now_used = object.map(|object| self.spec.hard.iter().map(|(resource, _)| usage(object, resource, now)));
            let now_used: Vec<i128> = now_used.map_or_else(none, Iterator::collect);
            let before = uses.insert(key.clone(), now_used.clone()).unwrap_or_else(none);
            for ((used, most), (now, before)) in used.iter_mut().zip(&mut most).zip(now_used.iter().zip(&before)) {
                *used = used.saturating_add(*now).saturating_sub(*before);
                *most = (*most).max(*used);
            }
        };
        for object in timeline.initial.objects() {
            observe(&Rc::new(object.key()), Some(object), timeline.scenario.start);
        }
        let others = self.others_at_start(timeline);
        for step in &timeline.steps {
            if let Some(change) = &step.change {
                observe(&change.key, change.after.as_ref(), step.time);
            }
        }
        let more = self.spec.hard.iter().map(|(resource, _)| {
            let amounts = [&others, &self.still.before, &self.still.more];
            amounts
                .into_iter()
                .filter_map(|amounts| amounts.get(resource))
                .fold(0_i128, |sum, more| sum.saturating_add(*more))
        });
        most.into_iter().zip(more).map(|(most, more)| most.saturating_add(more)).collect()
    }
}

/// A resource of the quota, and how much of it is used.
struct Gauge<'a> {
    resource: &'a str,
    hard: &'a Value,
    limit: i128,
    used: i128,
    most: i128,
    /// When the first object was created that exceeds the limit.
    exceeded: Option<Time>,
    /// Since when more is used than the limit, after that.
    over_since: Option<Time>,
    over: i64,
}

/// What the pods of a group use, which are all alike.
#[derive(Default)]
struct GroupUse {
    /// How many there are; none before the start.
    pods: Option<i32>,
    /// What each of them uses of each resource.
    each: Vec<i128>,
    unspecified: Option<Unspecified>,
}

impl GroupUse {
    fn of(quota: &Quota, pod: &Rc<Pod>, now: Time) -> Self {
        if *pod.metadata.namespace != *quota.namespace {
            return Self::default();
        }
        let object = Object::Pod(pod.clone());
        Self {
            pods: None,
            each: quota.spec.hard.iter().map(|(resource, _)| usage(&object, resource, now)).collect(),
            unspecified: unspecified(&quota.spec, pod),
        }
    }
}

/// What an object uses of each resource.
struct ObjectUse {
    amounts: Vec<i128>,
    /// When it is long overdue, if it terminates. A StatefulSet's next pod has its name, and does not terminate.
    overdue: Option<Time>,
}

/// Follows what objects use of a quota.
pub(super) struct Meter<'a> {
    quota: &'a Quota,
    start: Time,
    gauges: Vec<Gauge<'a>>,
    objects: BTreeMap<Rc<ObjectKey>, ObjectUse>,
    /// When terminating pods stop counting.
    overdue: BTreeSet<(Time, Rc<ObjectKey>)>,
    unspecified: Option<Unspecified>,
}

impl<'a> Meter<'a> {
    fn new(quota: &'a Quota, start: Time) -> Self {
        let gauge = |(resource, hard): (&'a String, &'a Value)| Gauge {
            resource,
            hard,
            limit: nanos(hard).unwrap_or(0),
            used: 0,
            most: 0,
            exceeded: None,
            over_since: None,
            over: 0,
        };
        Self {
            quota,
            start,
            gauges: quota.spec.hard.iter().map(gauge).collect(),
            objects: BTreeMap::new(),
            overdue: BTreeSet::new(),
            unspecified: None,
        }
    }

    /// Counts what nothing shows that is played, once the objects at the start are counted: what other objects use, what the quota
    /// says is used and none of them explains, and what the change creates.
    fn count_still(&mut self, start: Time) {
        let Quota { still, .. } = self.quota;
        let amount = |amounts: &Amounts, resource: &str| amounts.get(resource).copied().unwrap_or(0);
        for gauge in &mut self.gauges {
            gauge.used = gauge.used.saturating_add(amount(&still.before, gauge.resource));
        }
        let others = self.quota.others(|resource| {
            self.gauges.iter().find(|gauge| gauge.resource == resource).map_or(0, |gauge| gauge.used)
        });
        for gauge in &mut self.gauges {
            gauge.used = gauge.used.saturating_add(amount(&others, gauge.resource));
            let more = amount(&still.more, gauge.resource);
            gauge.request(more, start);
            gauge.used = gauge.used.saturating_add(more);
            gauge.observe(start);
        }
    }

    /// The next step.
    pub(super) fn follow(&mut self, step: &Step) {
        let Some(change) = &step.change else { return };
        self.expire(step.time);
        if change.before.is_none()
            && let Some(object) = &change.after
        {
            self.create(object, step.time);
        }
        self.count(&change.key, change.after.as_ref(), step.time);
    }

    /// A group has that many pods now. Those at the start are there without being created.
    fn count_group(&mut self, group: &mut GroupUse, pods: i32, now: Time) {
        let before = group.pods.replace(pods);
        let more = i128::from(pods).saturating_sub(before.unwrap_or(0).into());
        let is_created = before.is_some() && more > 0;
        if is_created && self.unspecified.is_none() {
            self.unspecified = group.unspecified.clone();
        }
        for (gauge, each) in self.gauges.iter_mut().zip(&group.each).filter(|(_, each)| **each != 0) {
            let amount = each.saturating_mul(more);
            if is_created {
                gauge.request(amount, now);
            }
            gauge.used = gauge.used.saturating_add(amount);
            gauge.observe(now);
        }
    }

    /// An object is about to be created: the API server would ask the quota.
    fn create(&mut self, object: &Object, now: Time) {
        if *object.metadata().namespace != *self.quota.namespace {
            return;
        }
        if self.unspecified.is_none()
            && let Object::Pod(pod) = object
        {
            self.unspecified = unspecified(&self.quota.spec, pod);
        }
        for gauge in &mut self.gauges {
            gauge.request(usage(object, gauge.resource, now), now);
        }
    }

    /// An object as it is now.
    fn count(&mut self, key: &Rc<ObjectKey>, object: Option<&Object>, now: Time) {
        if *key.namespace != *self.quota.namespace {
            return;
        }
        let overdue = match object {
            Some(Object::Pod(pod)) => pod
                .metadata
                .deletion_timestamp
                .map(|until| until.plus_seconds(pod.metadata.deletion_grace_period_seconds.unwrap_or(0))),
            _ => None,
        };
        self.overdue.extend(overdue.map(|since| (since, key.clone())));
        let uses = object.map(|object| ObjectUse {
            amounts: self.gauges.iter().map(|gauge| usage(object, gauge.resource, now)).collect(),
            overdue,
        });
        self.set(key, uses, now);
    }

    /// Terminating pods that are long overdue use nothing.
    fn expire(&mut self, now: Time) {
        while let Some((since, key)) = self.overdue.first().filter(|(since, _)| *since < now).cloned() {
            self.overdue.pop_first();
            let Some(terminating) = self.objects.get(&key).filter(|uses| uses.overdue == Some(since)) else { continue };
            // A count of objects goes on counting them.
            let kept =
                |(gauge, used): (&Gauge<'_>, &i128)| if gauge.resource.starts_with("count/") { *used } else { 0 };
            let amounts = self.gauges.iter().zip(&terminating.amounts).map(kept).collect();
            self.set(&key, Some(ObjectUse { amounts, overdue: None }), since.plus(1));
        }
    }

    fn set(&mut self, key: &Rc<ObjectKey>, uses: Option<ObjectUse>, now: Time) {
        let before = self.objects.remove(key);
        for (index, gauge) in self.gauges.iter_mut().enumerate() {
            let of =
                |uses: &Option<ObjectUse>| uses.as_ref().and_then(|uses| uses.amounts.get(index)).copied().unwrap_or(0);
            gauge.used = gauge.used.saturating_add(of(&uses)).saturating_sub(of(&before));
            gauge.observe(now);
        }
        if let Some(uses) = uses {
            self.objects.insert(key.clone(), uses);
        }
    }

    /// What was used in all, up to the end.
    pub(super) fn finish(mut self, end: Time) -> QuotaDemand {
        self.expire(Time(i64::MAX));
        let exceeded: Vec<Exceeded> =
            self.gauges.iter().filter_map(|gauge| gauge.to_exceeded(self.start, end)).collect();
        QuotaDemand { fits: exceeded.is_empty() && self.unspecified.is_none(), exceeded, unspecified: self.unspecified }
    }
}

impl Gauge<'_> {
    /// The API server would be asked for that amount.
    fn request(&mut self, amount: i128, now: Time) {
        if amount != 0 && self.used.saturating_add(amount) > self.limit {
            self.exceeded.get_or_insert(now);
        }
    }

    fn observe(&mut self, now: Time) {
        if self.exceeded.is_none() {
            return;
        }
        self.most = self.most.max(self.used);
        match (self.used > self.limit, self.over_since) {
            (true, None) => self.over_since = Some(now),
            (false, Some(since)) => {
                self.over = self.over.saturating_add(now.since(since));
                self.over_since = None;
            }
            _ => {}
        }
    }

    fn to_exceeded(&self, start: Time, end: Time) -> Option<Exceeded> {
        let amount = |nanos: i128| written_like(nanos, self.hard);
        Some(Exceeded {
            resource: self.resource.into(),
            hard: amount(self.limit),
            needed: amount(self.most),
            by: amount(self.most.saturating_sub(self.limit)),
            at: self.exceeded?.since(start),
            lasts: self.over.saturating_add(self.over_since.map_or(0, |since| end.since(since))),
            stays: self.over_since.is_some(),
        })
    }
}

/// What the API server refuses because of a quota, in a timeline that was played with it.
#[cfg(feature = "explain")]
pub(super) fn refusals(timeline: &Timeline, namespace: &str, quota: &str) -> Option<Refusals> {
    let mut tracker = RefusalTracker::new(timeline.scenario.start, &timeline.initial);
    tracker.watch(namespace, quota);
    timeline.steps.iter().for_each(|step| tracker.observe(step));
    tracker.finish().into_iter().next().flatten()
}

/// Follows what the API server refuses because of quotas while the steps are made.
pub(super) struct RefusalTracker {
    start: Time,
    initial: Rc<State>,
    /// The Deployments of ReplicaSets that are created.
    deployments: BTreeMap<Rc<ObjectKey>, ObjectKey>,
    quotas: Vec<RefusalCounter>,
}

/// What one quota refuses.
struct RefusalCounter {
    namespace: String,
    quota: String,
    refusals: Option<Refusals>,
    /// Whether each controller has given up its object, as long as it has created nothing since.
    given_up: BTreeMap<Rc<ObjectKey>, bool>,
}

impl RefusalTracker {
    pub(super) fn new(start: Time, initial: &Rc<State>) -> Self {
        Self { start, initial: initial.clone(), deployments: BTreeMap::new(), quotas: Vec::new() }
    }

    /// Follows one more quota.
    pub(super) fn watch(&mut self, namespace: &str, quota: &str) {
        let (namespace, quota) = (namespace.into(), quota.into());
        self.quotas.push(RefusalCounter { namespace, quota, refusals: None, given_up: BTreeMap::new() });
    }

    /// The next step.
    pub(super) fn observe(&mut self, step: &Step) {
        if self.quotas.is_empty() {
            return;
        }
        if let Some(change) = step.change.as_ref().filter(|change| change.before.is_none()) {
            for counter in &mut self.quotas {
                counter.given_up.remove(&step.about);
            }
            if let Some(object) = &change.after
                && let Some(deployment) = object.metadata().controller_key(Kind::Deployment)
            {
                self.deployments.entry(change.key.clone()).or_insert(deployment);
            }
        }
        let time = step.time.since(self.start);
        match &step.decision {
            Decision::Quota(decision) => {
                let next_try = decision.next_try();
                let workload = self.workload_of(&step.about);
                let is_its = |counter: &&mut RefusalCounter| {
                    *step.about.namespace == *counter.namespace && decision.quota() == counter.quota
                };
                for counter in self.quotas.iter_mut().filter(is_its) {
                    counter.given_up.insert(step.about.clone(), next_try.is_none());
                    counter.count(time, decision.message(), next_try.map_or(0, |wait| wait.0), &workload);
                }
            }
            Decision::User(decision) => {
                let UserDecision::Refused { object, message } = &**decision else { return };
                for counter in self.quotas.iter_mut().filter(|counter| *object.namespace == *counter.namespace) {
                    if let Some(why) = refusal_by(&counter.quota, message) {
                        counter.count(time, String::from(why), 0, object);
                    }
                }
            }
            _ => {}
        }
    }

    /// The Deployment of a ReplicaSet, or else the object itself.
    fn workload_of(&self, about: &ObjectKey) -> ObjectKey {
        let at_start = || self.initial.get(about)?.metadata().controller_key(Kind::Deployment);
        at_start().or_else(|| self.deployments.get(about).cloned()).unwrap_or_else(|| about.clone())
    }

    /// What each quota refuses, in the order in which they were given.
    pub(super) fn finish(self) -> Vec<Option<Refusals>> {
        self.quotas.into_iter().map(RefusalCounter::finish).collect()
    }
}

impl RefusalCounter {
    fn count(&mut self, time: i64, message: String, wait: i64, workload: &ObjectKey) {
        let refusals = self.refusals.get_or_insert_with(|| Refusals {
            count: 0,
            first: time,
            last: time,
            longest_wait: 0,
            given_up: false,
            message: String::new(),
            workloads: Vec::new(),
        });
        refusals.count = refusals.count.saturating_add(1);
        refusals.last = time;
        refusals.longest_wait = refusals.longest_wait.max(wait);
        refusals.message = message;
        let workload = workload.to_string();
        if let Err(index) = refusals.workloads.binary_search(&workload) {
            refusals.workloads.insert(index, workload);
        }
    }

    fn finish(self) -> Option<Refusals> {
        let given_up = !self.given_up.is_empty() && self.given_up.values().all(|given_up| *given_up);
        self.refusals.map(|refusals| Refusals { given_up, ..refusals })
    }
}
