//! The pods of a controller in a list, for syncs that look at all of them.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::mem;

use crate::object::Pod;

/// Pods by name. Changes are kept until the list is asked for: by then, no earlier sync has it any more, and it need not be copied.
#[derive(Debug, Default)]
pub(super) struct PodList {
    pods: Rc<Vec<Rc<Pod>>>,
    changes: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    /// A pod is there, in place of one of its name.
    Put(Rc<Pod>),
    Removed(Rc<str>),
}

impl PodList {
    /// These pods, which are sorted by name.
    pub(super) fn of(pods: Vec<Rc<Pod>>) -> Self {
        Self { pods: Rc::new(pods), changes: Vec::new() }
    }

    pub(super) fn put(&mut self, pod: &Rc<Pod>) {
        self.changes.push(Change::Put(pod.clone()));
    }

    pub(super) fn remove(&mut self, pod: &Pod) {
        self.changes.push(Change::Removed(pod.metadata.name.clone()));
    }

    pub(super) fn get(&mut self) -> Rc<Vec<Rc<Pod>>> {
        if !self.changes.is_empty() {
            let pods = Rc::make_mut(&mut self.pods);
            mem::take(&mut self.changes).into_iter().for_each(|change| apply(pods, change));
        }
        self.pods.clone()
    }
}

fn apply(pods: &mut Vec<Rc<Pod>>, change: Change) {
    let name = match &change {
        Change::Put(pod) => &pod.metadata.name,
        Change::Removed(name) => name,
    };
    let place = pods.binary_search_by(|pod| pod.metadata.name.cmp(name));
    match (place, change) {
        (Ok(index), Change::Put(pod)) => {
            if let Some(there) = pods.get_mut(index) {
                *there = pod;
            }
        }
        (Err(index), Change::Put(pod)) => pods.insert(index, pod),
        (Ok(index), Change::Removed(_)) => drop(pods.remove(index)),
        (Err(_), Change::Removed(_)) => {}
    }
}
