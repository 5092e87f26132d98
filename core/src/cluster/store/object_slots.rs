use alloc::rc::Rc;
use alloc::vec::Vec;

use super::index::Id;
use crate::object::{Object, ObjectKey, Pod, Time};

/// Every object that there is or was, in a slot of its own: an object that gets the name of an earlier one gets another
/// slot. A change of an object, and that is most writes, touches no index.
#[derive(Debug, Default)]
pub(crate) struct ObjectSlots(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    key: Rc<ObjectKey>,
    object: Option<Object>,
    runtime: PodRuntime,
}

/// The simulation's state of a pod besides its object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PodRuntime {
    /// Its number among the pods of its owner, from 1.
    pub(crate) ordinal: u64,
    /// When it was first asked to terminate.
    pub(crate) termination_requested: Option<Time>,
    /// How often its container has crashed.
    pub(crate) crashes: u32,
    /// How long its kubelet waits before it tries again, to pull an image or to start a container, in nanoseconds.
    pub(crate) back_off: i64,
    /// When the container was last started again.
    pub(crate) restarted: Time,
    /// When its kubelet first took care of it: startup probes come every period from then on.
    pub(crate) synced: Option<Time>,
}

impl PodRuntime {
    const NEW: Self = Self {
        ordinal: 0,
        termination_requested: None,
        crashes: 0,
        back_off: 0,
        restarted: Time(i64::MAX),
        synced: None,
    };
}

impl ObjectSlots {
    /// Puts an object into a slot of its own.
    pub(crate) fn add(&mut self, key: Rc<ObjectKey>, object: Object) -> Id {
        let id = Id(self.0.len());
        self.0.push(Slot { key, object: Some(object), runtime: PodRuntime::NEW });
        id
    }

    /// The key of an object, which its steps share.
    pub(crate) fn key(&self, id: Id) -> Option<&Rc<ObjectKey>> {
        self.0.get(id.0).map(|slot| &slot.key)
    }

    pub(crate) fn get(&self, id: Id) -> Option<&Object> {
        self.0.get(id.0)?.object.as_ref()
    }

    pub(crate) fn pod(&self, id: Id) -> Option<&Rc<Pod>> {
        self.get(id)?.typed()
    }

    /// The slot's content, to be changed.
    pub(crate) fn object_mut(&mut self, id: Id) -> Option<&mut Option<Object>> {
        self.0.get_mut(id.0).map(|slot| &mut slot.object)
    }

    /// The runtime state of a pod, also of one that was just removed.
    pub(crate) fn pod_runtime(&mut self, id: Id) -> Option<&mut PodRuntime> {
        self.0.get_mut(id.0).map(|slot| &mut slot.runtime)
    }
}
