//! A cluster of one Deployment, driven by typed objects: what the policy's forecast needs, without the texts of a
//! scenario and the API server's rules, which would more than double the policy's bytes.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::node::NODE;
use super::queue::{Happening, Queue};
use super::{Cluster, Stop, Surroundings};
use crate::Problem;
use crate::controller::Write;
use crate::feature_gates::{FeatureGates, Gates};
use crate::object::{Deployment, Kind, Object, Pod, Time};
use crate::reason::{Reason, user as rule};
use crate::scenario::{Duration, Limits, Scenario, Timing};
use crate::timeline::{Actor, Step};

/// When the Deployment was created, how long it is looked at, and when it is changed, all from the start: as
/// `settled` has it.
const CREATED: i64 = -3600;
const LOOKED_AT: i64 = CREATED + 1800;
const CHANGED: i64 = 5;

/// A Deployment that had come to rest was changed.
pub(crate) struct Rehearsal {
    /// When.
    pub(crate) changed: Time,
    /// Its pods at rest.
    pub(crate) pods: Vec<Rc<Pod>>,
    /// The steps since then.
    pub(crate) steps: Vec<Step>,
}

/// Lets a Deployment come to rest and changes it, as a timeline of `settled` does; a test holds them
/// together. There may be so many steps in all.
///
/// Gives none where these are not enough.
pub(crate) fn rehearse(
    before: Deployment,
    after: Deployment,
    kubelet: Vec<Timing>,
    gates: FeatureGates,
    steps: u32,
) -> Option<Rehearsal> {
    let limits = Limits { steps, time: Duration(i64::MAX), ..Limits::default() };
    // At rest all pods are ready, however fast they are.
    let rest = Scenario { limits, ..Scenario::default() };
    let start = rest.start;
    let mut cluster = Cluster::bare(rest, Gates::both(gates), &FEW);
    cluster.keeps_notes = false;
    cluster.now = start.plus_seconds(CREATED);
    cluster.user(Write::Create(before.into()));
    cluster.run_until(start.plus_seconds(LOOKED_AT))?;

    // Who looks at it now knows nothing of before.
    let steps = steps.saturating_sub(u32::try_from(cluster.steps.len()).unwrap_or(u32::MAX));
    let limits = Limits { steps, time: Duration(i64::MAX), ..Limits::default() };
    cluster.scenario = Rc::new(Scenario { limits, kubelet, ..Scenario::default() });
    cluster.queue = Queue::default();
    cluster.memories.clear();
    cluster.steps.clear();
    cluster.now = start;
    cluster.wake_all();
    let changed = start.plus_seconds(CHANGED);
    cluster.run_until(changed)?;
    let pods = cluster.pods_of(&after);
    cluster.now = changed;
    cluster.steps.clear();
    cluster.user(Write::Update(after.into()));
    cluster.run_until(Time(i64::MAX))?;
    Some(Rehearsal { changed, pods, steps: cluster.steps })
}

/// One Deployment on a node that stays.
static FEW: Surroundings = Surroundings {
    happen,
    admit: |_, _, _, _| Ok(()),
    count: |_, _, _| (),
    terminate: Cluster::terminate,
    look: |_| (),
};

/// What can happen to it.
fn happen(cluster: &mut Cluster, happening: Happening) -> Result<(), Problem> {
    match happening {
        Happening::Bind(id) => cluster.bind(id, NODE),
        Happening::Start(id) => cluster.start(id),
        Happening::Ready(id) => cluster.ready(id),
        Happening::Gone(id) => cluster.gone(id),
        Happening::Sync(key) => cluster.look_again(key),
        _ => {}
    }
    Ok(())
}

impl Cluster {
    fn user(&mut self, write: Write) {
        let object = match &write {
            Write::Create(object) | Write::Update(object) => object.key(),
            _ => return,
        };
        // Its only write to an object of this name: nothing can be refused.
        let reason = Reason::new(&rule::APPLY, [(&object.name).into(), "".into()]);
        let _ = self.write(Actor::User, &object, write, reason);
    }

    /// Lets everything happen up to a time; none where a limit of steps or pods is met.
    fn run_until(&mut self, last: Time) -> Option<()> {
        self.settle();
        self.play(last).ok()?;
        match self.stop.take() {
            None | Some(Stop::Time) => Some(()),
            Some(Stop::Steps | Stop::Pods | Stop::Bytes) => None,
        }
    }

    fn pods_of(&self, deployment: &Deployment) -> Vec<Rc<Pod>> {
        let store = self.store.borrow();
        let pods = store.of_kind(Kind::Pod, &deployment.metadata.namespace);
        pods.filter_map(|object| match object {
            Object::Pod(pod) => Some(pod.clone()),
            _ => None,
        })
        .collect()
    }
}
