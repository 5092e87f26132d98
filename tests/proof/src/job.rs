//! The Job controller.

use std::rc::Rc;

use changeover_core::controller::expectations::Expectations;
use changeover_core::controller::{Client, Error, filter_pods_by_owner};
use changeover_core::object::Pod;
use changeover_core::workload::job::controller::{self as job, View, sync_job};

use crate::recording::{Answer, Request, Verb};
use crate::replay::Replay;
use crate::search::{Caches, Clock, Controller, combinations, times};
use crate::world::{World, is_claimable, within};

/// The controller of one Job. It has StaleControllerConsistency: its caches are not older than its last writes.
pub struct JobController<'a> {
    world: &'a World,
    uid: String,
    /// The changes of the Job.
    own: Vec<usize>,
    /// The changes of the pods that it owns or could adopt.
    pods: Vec<usize>,
}

/// The controller's memory between syncs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The core's memory.
    core: job::Memory,
    /// The resource version of its last status write.
    status: i64,
    /// The last pod that it created or patched.
    pod: i64,
    /// The pods that it deleted and may not have observed to be gone.
    deletions: Vec<i64>,
    /// The patches that it may not have observed, each with the pod's uid.
    patches: Vec<(i64, Rc<str>)>,
}

impl<'a> JobController<'a> {
    /// The controller of the Job with this uid.
    pub fn new(world: &'a World, uid: &str) -> Self {
        Self {
            world,
            uid: uid.into(),
            own: world.jobs.positions(|job| *job.metadata.uid == *uid),
            pods: world.pods.positions(|pod| is_claimable(&pod.metadata, uid)),
        }
    }

    /// The pod with this name, in any cache.
    fn pod(&self, position: usize, name: &str) -> Option<&Rc<Pod>> {
        self.world.pods.at(position).iter().find(|pod| *pod.metadata.name == *name)
    }
}

impl Controller for JobController<'_> {
    type Memory = Memory;

    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a> {
        let World { jobs, pods, .. } = self.world;
        let own = within(&self.own, before.own.max(jobs.up_to(memory.status)), jobs.before(horizon));
        let own = jobs.in_version(own, &self.uid, first.status_version().as_deref());
        let pods = within(&self.pods, before.pods.max(pods.up_to(memory.pod)), pods.before(horizon));
        combinations(times(before.now, first.received, Clock::Seconds), own, vec![0], pods)
    }

    fn sync(&self, caches: &Caches, memory: &mut Memory, client: &mut Replay<'_>) -> Result<(), Error> {
        let Some(job) = self.world.jobs.find(caches.own, &self.uid) else { return Ok(()) };
        let is_seen = |version: i64| self.world.pods.up_to(version) <= caches.pods;
        memory.deletions.retain(|version| !is_seen(*version));
        memory.patches.retain(|(version, _)| !is_seen(*version));
        memory.core.finalizers = memory.patches.iter().map(|(_, uid)| uid.clone()).collect();
        let unseen = i64::try_from(memory.deletions.len()).unwrap_or(i64::MAX);
        memory.core.expectations = (unseen > 0).then(|| Expectations { add: 0, del: unseen, timestamp: client.now() });
        let pods = filter_pods_by_owner(&job.key(), &job.metadata.uid, self.world.pods.at(caches.pods));
        let result = sync_job(client, &View { job, pods: &pods }, &mut memory.core).map(drop);
        for request in client.used() {
            let Answer::Written(version) = request.answer else { continue };
            match request.verb {
                Verb::UpdateStatus => memory.status = version,
                Verb::Create => memory.pod = memory.pod.max(version),
                Verb::Delete => memory.deletions.push(version),
                Verb::Patch => {
                    let name = request.object.split('/').nth(1).unwrap_or_default();
                    let uid = self.pod(caches.pods, name).map(|pod| pod.metadata.uid.clone());
                    memory.patches.extend(uid.map(|uid| (version, uid)));
                }
                _ => {}
            }
        }
        result
    }
}
