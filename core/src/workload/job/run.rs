//! The Job controller in the simulated cluster: Jobs, and pods that it may have to let go because no Job will count them.
//!
//! Changes of pods and of a status are gathered for a second; changes of a spec are looked at immediately.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use serde_json::Value;

use crate::cluster::controllers::{Controller, Desk, Memory, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{Start, UserVerb, Workload, without_status};
use crate::controller::Client;
use crate::object::unstructured::existing_map;
use crate::object::{Duration, Kind, LabelSelector, Object, ObjectKey, Pod, Time};
use crate::workload::job::Job;
use crate::workload::job::controller::{self, SYNC_JOB_BATCH_PERIOD, has_job_tracking_finalizer, is_job_finished};
use crate::workload::job::ttl_after_finished::run::TtlAfterFinishedController;

/// The labels that the API server gives to the pods of a Job.
const LABELS: [&str; 4] =
    ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];

/// Jobs in the simulated cluster.
pub(crate) struct JobKind;

impl Workload for JobKind {
    fn kind(&self) -> Kind {
        Kind::Job
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&JobController, &TtlAfterFinishedController]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::Created)
    }

    /// A Job that was read from a cluster has a selector and labels with its uid.
    fn as_new(&self, manifest: &Value) -> Value {
        let mut job = without_status(manifest);
        if job.pointer("/metadata/uid").is_none() || job.pointer("/spec/manualSelector") == Some(&Value::Bool(true)) {
            return job;
        }
        if let Some(spec) = existing_map(&mut job, &["spec"]) {
            spec.remove("selector");
        }
        if let Some(labels) = existing_map(&mut job, &["spec", "template", "metadata", "labels"]) {
            labels.retain(|label, _| !LABELS.contains(&label.as_str()));
        }
        job
    }

    /// The Jobs' pods run, and have run for no time.
    fn begun_at(&self, mut object: Object, start: Time) -> Object {
        match &mut object {
            Object::Job(job) if job.status.start_time.is_some() => {
                Rc::make_mut(job).status.start_time = Some(start);
            }
            Object::Pod(pod) if pod.status.start_time.is_some() && is_of_job(pod) => {
                Rc::make_mut(pod).status.start_time = Some(start);
            }
            _ => {}
        }
        object
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        match verb {
            UserVerb::Scale => Some("parallelism"),
            UserVerb::Suspend | UserVerb::Resume => Some("suspend"),
        }
    }

    fn numbered_pods(&self, store: &Store, owner: &ObjectKey) -> Option<Vec<Rc<Pod>>> {
        Some(store.pods_owned_by(&store.typed::<Job>(owner)?.metadata.uid).cloned().collect())
    }

    fn pod_number(&self, pod: &Pod) -> Option<i64> {
        controller::get_completion_index(pod)
    }
}

/// Upstream: `pkg/controller/job/job_controller.go DefaultJobApiBackOff` and `MaxJobApiBackOff`
const RETRY: Retry = Retry { first: Time::SECOND, most: 60 * Time::SECOND, times: None };

/// Upstream: `pkg/controller/job/config/v1alpha1/defaults.go RecommendedDefaultJobControllerConfiguration`
static JOBS: Queue = Queue { controller: &JobController, kind: Kind::Job, workers: Workers::DEFAULT, retry: RETRY };

/// Upstream: `pkg/controller/job/job_controller.go Run`
const ONE_WORKER: Workers = Workers { by_default: 1, has_flag: false };

/// Pods that perhaps no Job will count any more.
static ORPHAN_PODS: Queue = Queue { controller: &JobController, kind: Kind::Pod, workers: ONE_WORKER, retry: RETRY };

/// Upstream: `pkg/controller/job/job_controller.go Controller`
#[derive(Debug)]
pub(crate) struct JobController;

impl Controller for JobController {
    fn actor(&self) -> Actor {
        Actor::JobController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&JOBS, &ORPHAN_PODS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Job, Kind::Pod]
    }

    /// Each pod is new to it. It has counted some pods before, so a Job that was in a back-off still is.
    fn started(&self, desk: &mut dyn Desk) {
        desk.enqueue_all(&JOBS);
        let memories = memories_of_counted(&desk.store());
        for (job, memory) in memories {
            desk.memory_mut(&JOBS, &job).set(memory);
        }
        let pods: Vec<Rc<Pod>> =
            desk.store().pods().filter(|(_, pod)| is_for_jobs(pod)).map(|(_, pod)| pod.clone()).collect();
        for pod in pods {
            if pod.metadata.deletion_timestamp.is_none() {
                observe_pod(desk, None, &pod);
            } else {
                observe_pod_deletion(desk, &pod);
            }
        }
    }

    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        if change.key.kind == Kind::Job { observe_job(desk, change) } else { observe_pod_change(desk, change) }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        if key.kind == Kind::Job { see_job(desk, key) } else { see_orphan_pod(desk, key) }
    }
}

/// A Job has been created, changed or removed.
///
/// Upstream: `pkg/controller/job/job_controller.go addJob`, `updateJob` and `deleteJob`
fn observe_job(desk: &mut dyn Desk, change: &Change) {
    let key = &*change.key;
    match (&change.before, &change.after) {
        (Some(Object::Job(old)), Some(Object::Job(new))) => observe_job_update(desk, key, old, new),
        (Some(Object::Job(old)), None) => {
            desk.enqueue(&JOBS, key.clone());
            // A Job of the same name starts over.
            desk.memory_mut(&JOBS, key).set(controller::Memory::default());
            enqueue_orphans_of(desk, old);
        }
        _ => desk.enqueue(&JOBS, key.clone()),
    }
}

fn observe_job_update(desk: &mut dyn Desk, key: &ObjectKey, old: &Job, new: &Job) {
    if is_job_finished(new) {
        enqueue_orphans_of(desk, new);
        return;
    }
    if new.metadata.generation == old.metadata.generation {
        desk.enqueue_after(&JOBS, key, SYNC_JOB_BATCH_PERIOD);
    } else {
        desk.enqueue(&JOBS, key.clone());
    }
    let (deadline, before) = (new.spec.active_deadline_seconds, old.spec.active_deadline_seconds);
    if let (Some(seconds), Some(start)) = (deadline, new.status.start_time)
        && deadline != before
    {
        let left = seconds.saturating_mul(Time::SECOND).saturating_sub(desk.now().since(start));
        desk.enqueue_after(&JOBS, key, Duration(left.max(0)));
    }
}

/// Queues the pods of a Job that is gone or over and that still have its finalizer.
///
/// Upstream: `pkg/controller/job/job_controller.go enqueueLabelSelector` and `syncOrphanPodsBySelector`
fn enqueue_orphans_of(desk: &mut dyn Desk, job: &Job) {
    let Ok(selector) = LabelSelector::to_selector(job.spec.selector.as_deref()) else { return };
    let store = desk.store();
    let candidates = store.pods_owned_by(&job.metadata.uid).chain(store.orphan_pods());
    let is_meant = |pod: &&Rc<Pod>| {
        pod.metadata.namespace == job.metadata.namespace
            && has_job_tracking_finalizer(pod)
            && selector.matches(&pod.metadata.labels)
    };
    let orphans: Vec<ObjectKey> = candidates.filter(is_meant).map(|pod| pod.key()).collect();
    drop(store);
    orphans.into_iter().for_each(|pod| desk.enqueue(&ORPHAN_PODS, pod));
}

/// A pod has been created, changed or removed: its Job looks at it, or those that could adopt it.
///
/// Upstream: `pkg/controller/job/job_controller.go addPod`, `updatePod` and `deletePod`
fn observe_pod_change(desk: &mut dyn Desk, change: &Change) {
    let as_pod = |object: &Option<Object>| match object {
        Some(Object::Pod(pod)) if is_for_jobs(pod) => Some(pod.clone()),
        _ => None,
    };
    match (as_pod(&change.before), as_pod(&change.after)) {
        (before, Some(pod)) if pod.metadata.deletion_timestamp.is_none() => {
            observe_pod(desk, before.as_deref(), &pod);
        }
        (_, Some(pod)) => observe_pod_deletion(desk, &pod),
        // It is gone, or another controller's now.
        (Some(pod), None) if change.after.is_some() => enqueue_job_of(desk, &pod),
        (Some(pod), None) => observe_pod_deletion(desk, &pod),
        (None, None) => {}
    }
}

fn observe_pod(desk: &mut dyn Desk, old: Option<&Pod>, pod: &Pod) {
    let (owner, old_owner) = (pod.metadata.controller(), old.and_then(|old| old.metadata.controller()));
    let owner_changed = owner != old_owner;
    if owner_changed && let Some(old) = old {
        enqueue_job_of(desk, old);
    }
    if owner.is_some() {
        enqueue_job_of(desk, pod);
        return;
    }
    if has_job_tracking_finalizer(pod) {
        desk.enqueue(&ORPHAN_PODS, pod.key());
    }
    if old.is_none_or(|old| owner_changed || old.metadata.labels != pod.metadata.labels) {
        for job in jobs_matching(desk, pod) {
            desk.enqueue_after(&JOBS, &job, SYNC_JOB_BATCH_PERIOD);
        }
    }
}

/// A pod is to terminate, or is gone.
fn observe_pod_deletion(desk: &mut dyn Desk, pod: &Pod) {
    if desk.store().controller_of::<Job>(pod).is_some_and(|job| !is_job_finished(job)) {
        enqueue_job_of(desk, pod);
    } else if has_job_tracking_finalizer(pod) {
        desk.enqueue(&ORPHAN_PODS, pod.key());
    }
}

fn enqueue_job_of(desk: &mut dyn Desk, pod: &Pod) {
    let key = desk.store().controller_of::<Job>(pod).map(|job| job.key());
    if let Some(key) = key {
        desk.enqueue_after(&JOBS, &key, SYNC_JOB_BATCH_PERIOD);
    }
}

/// The Jobs that select a pod without a controller.
///
/// Upstream: `pkg/controller/job/job_controller.go getPodJobs`
fn jobs_matching(desk: &dyn Desk, pod: &Pod) -> Vec<ObjectKey> {
    let store = desk.store();
    let selects = |job: &&Rc<Job>| {
        LabelSelector::to_selector(job.spec.selector.as_deref())
            .is_ok_and(|selector| selector.matches(&pod.metadata.labels))
    };
    store.all_in(&pod.metadata.namespace).filter(selects).map(|job| job.key()).collect()
}

/// Whether the pod belongs to a Job or to no controller.
fn is_for_jobs(pod: &Pod) -> bool {
    pod.metadata.controller().is_none() || is_of_job(pod)
}

fn is_of_job(pod: &Pod) -> bool {
    pod.metadata.controller().is_some_and(|owner| &*owner.kind == Kind::Job.name())
}

fn memories_of_counted(store: &Store) -> Vec<(ObjectKey, controller::Memory)> {
    let memory_of = |job: &Object| controller::Memory::of_counted(store.pods_owned_by(&job.metadata().uid));
    store.all_of(Kind::Job).map(|job| (job.key(), memory_of(job))).collect()
}

/// What a Job's sync has seen, and what the controller remembered of the Job.
struct SeenJob {
    object: Rc<Job>,
    pods: Vec<Rc<Pod>>,
    before: controller::Memory,
    /// What it remembers after the sync.
    after: RefCell<controller::Memory>,
}

/// A pod that may be an orphan, and its Job.
struct SeenOrphanPod {
    pod: Rc<Pod>,
    job: Option<Rc<Job>>,
}

/// What a sync of a Job sees that begins now; none if it is gone.
fn see_job(desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
    let store = desk.store();
    let object = store.typed::<Job>(key)?.clone();
    let owned = store.pods_owned_by(&object.metadata.uid);
    let orphans = store.orphan_pods().filter(|pod| pod.metadata.namespace == key.namespace);
    let pods = owned.chain(orphans).cloned().collect();
    let before = desk.memory(&JOBS, key).map(Memory::get).unwrap_or_default();
    Some(Box::new(SeenJob { object, pods, before, after: RefCell::default() }))
}

/// What the controller sees of a pod that perhaps no Job will count any more; none if it is gone.
fn see_orphan_pod(desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
    let store = desk.store();
    let pod = store.pod(store.find(key)?)?.clone();
    let job = store.controller_of(&pod).cloned();
    Some(Box::new(SeenOrphanPod { pod, job }))
}

impl Seen for SeenJob {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::Job(self.object.clone())])
    }

    /// A sync that has to wait runs more than once, each time with what the controller remembered when it began.
    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let mut memory = self.before.clone();
        let result =
            controller::sync_job(client, &controller::View { job: &self.object, pods: &self.pods }, &mut memory);
        self.after.replace(memory);
        result
    }

    /// The controller has seen all that it has done: its caches are as fresh as the store.
    fn remember(&self, memory: &mut Memory) {
        memory.set(controller::Memory {
            expectations: None,
            finalizers: BTreeSet::new(),
            ..self.after.borrow().clone()
        });
    }
}

impl Seen for SeenOrphanPod {
    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        controller::handle_single_orphan_pod(client, &self.pod, self.job.as_deref()).map(|()| None)
    }
}
