//! The revisions of the pod template: which one is the present one, and which ones are kept.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::state::{Sync, count};
use crate::collect_tree::CollectTree;
use crate::controller::controller_ref::{ControllerRefManager, as_stored};
use crate::controller::hash::compute_hash;
use crate::controller::history::{delete_controller_revision, revision_data};
use crate::controller::{ApiError, Error, Write};
use crate::go;
use crate::object::{
    ControllerRevision, Kind, LabelSelector, NoStatus, Object, ObjectMeta, OwnerReference, Revision, StringMap,
};
use crate::workload::daemon_set::decision::{Decision, OfPod, OfRevision};
use crate::workload::daemon_set::{DAEMON_SET_UNIQUE_LABEL, DaemonSet};

/// The revision of the DaemonSet's template, with this number.
pub fn revision_of_template(set: &DaemonSet, number: i64) -> ControllerRevision {
    let template = &set.spec.template;
    let hash = compute_hash(template, set.status.collision_count);
    let metadata = ObjectMeta {
        name: format!("{}-{hash}", set.metadata.name).as_str().into(),
        namespace: set.metadata.namespace.clone(),
        labels: with_hash(&template.metadata.labels, &hash),
        annotations: set.metadata.annotations.clone(),
        owner_references: Rc::new(Vec::from([OwnerReference::controller(
            Kind::DaemonSet.api_version(),
            Kind::DaemonSet.name(),
            &set.metadata,
        )])),
        ..ObjectMeta::default()
    };
    ControllerRevision {
        metadata: Rc::new(metadata),
        spec: Rc::new(Revision { data: revision_data(template), revision: number }),
        status: NoStatus::default(),
    }
}

fn with_hash(labels: &StringMap, hash: &str) -> StringMap {
    let mut labels = labels.clone();
    Rc::make_mut(&mut labels).insert(DAEMON_SET_UNIQUE_LABEL.into(), hash.into());
    labels
}

fn hash_of(metadata: &ObjectMeta) -> &str {
    metadata.labels.get(DAEMON_SET_UNIQUE_LABEL).map_or("", String::as_str)
}

impl Sync<'_, '_> {
    fn of_revision(&self, revision: &ControllerRevision) -> OfRevision {
        OfRevision { set: self.name(), revision: revision.metadata.name.clone() }
    }

    /// The revision of the present template, which is created if it is missing, and the others.
    ///
    /// Upstream: `pkg/controller/daemon/update.go constructHistory`
    pub(super) fn construct_history(&mut self) -> Result<(Rc<ControllerRevision>, Vec<Rc<ControllerRevision>>), Error> {
        let data = self.data.clone();
        let (mut current, mut old) = (Vec::new(), Vec::new());
        for history in self.controlled_histories()? {
            let history = self.with_unique_label(history)?;
            // Upstream compares the bytes (`Match`).
            if history.spec.data == *data { current.push(history) } else { old.push(history) }
        }
        let highest = old.iter().map(|history| history.spec.revision).max().unwrap_or(0).max(0);
        let number = highest.saturating_add(1);
        if current.is_empty() {
            return Ok((self.snapshot(number)?, old));
        }
        let current = self.dedup_cur_histories(&current)?;
        if current.spec.revision < number {
            let (of, from) = (self.of_revision(&current), current.spec.revision);
            let mut update = (*current).clone();
            Rc::make_mut(&mut update.spec).revision = number;
            self.client.write(Write::Update(update.into()), Decision::ReuseRevision { of, from, number }.into())?;
        }
        Ok((current, old))
    }

    /// The revision with a hash; one of an older release may have none.
    fn with_unique_label(&mut self, history: Rc<ControllerRevision>) -> Result<Rc<ControllerRevision>, Error> {
        if history.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL).is_some() {
            return Ok(history);
        }
        let mut update = (*history).clone();
        let metadata: &mut ObjectMeta = Rc::make_mut(&mut update.metadata);
        metadata.labels = with_hash(&metadata.labels, &metadata.name);
        let decision = Decision::LabelRevision(self.of_revision(&history));
        self.client.write(Write::Update(update.clone().into()), decision.into())?;
        Ok(Rc::new(update))
    }

    /// Creates the revision of the present template.
    ///
    /// Upstream: `pkg/controller/daemon/update.go snapshot`
    fn snapshot(&mut self, number: i64) -> Result<Rc<ControllerRevision>, Error> {
        let history = revision_of_template(&self.set, number);
        let (key, of) = (history.key(), self.of_revision(&history));
        let decision = Decision::CreateRevision { of: of.clone(), number };
        let error = match self.client.write(Write::Create(history.clone().into()), decision.into()) {
            Ok(Some(Object::ControllerRevision(created))) => return Ok(created),
            Ok(_) => return Ok(Rc::new(history)),
            Err(error) if error.is_already_exists() => error,
            Err(error) => return Err(error.into()),
        };
        match self.client.get(&key) {
            Some(Object::ControllerRevision(existed)) if existed.spec.data == history.spec.data => Ok(existed),
            Some(_) => {
                self.count_collision(of)?;
                Err(error.into())
            }
            None => Err(ApiError::not_found(&key).into()),
        }
    }

    /// Upstream: `pkg/controller/daemon/update.go snapshot`, where the name belongs to another revision
    fn count_collision(&mut self, of: OfRevision) -> Result<(), Error> {
        let key = self.set.key();
        let Some(Object::DaemonSet(current)) = self.client.get(&key) else {
            return Err(ApiError::not_found(&key).into());
        };
        if current.status.collision_count != self.set.status.collision_count {
            let name = &self.set.metadata.name;
            return Err(Error::Other(format!(
                "found a stale collision count of DaemonSet \"{name}\" while processing"
            )));
        }
        let collisions = current.status.collision_count.unwrap_or(0).saturating_add(1);
        let mut update = (*current).clone();
        update.status.collision_count = Some(collisions);
        self.client.write(Write::UpdateStatus(update.into()), Decision::CountCollision { of, collisions }.into())?;
        Ok(())
    }

    /// Of several revisions of the present template, the one with the highest number. The pods get its hash, and the others go.
    ///
    /// Upstream: `pkg/controller/daemon/update.go dedupCurHistories`
    fn dedup_cur_histories(&mut self, current: &[Rc<ControllerRevision>]) -> Result<Rc<ControllerRevision>, Error> {
        let highest = current.iter().max_by_key(|history| history.spec.revision).cloned();
        let Some(keep) = highest else { return self.snapshot(1) };
        if current.len() == 1 {
            return Ok(keep);
        }
        let hash = hash_of(&keep.metadata);
        for pod in self.get_daemon_pods(&(self.view.pods)())? {
            if hash_of(&pod.metadata) == hash {
                continue;
            }
            let of = OfPod { set: self.name(), pod: pod.metadata.name.clone() };
            let decision = Decision::RelabelPod { of, revision: keep.metadata.name.clone() };
            let stored = as_stored(self.client, &Object::Pod(pod));
            let patched = stored.with_metadata(|metadata| metadata.labels = with_hash(&metadata.labels, hash));
            self.client.write(Write::Patch(patched), decision.into())?;
        }
        for duplicate in current.iter().filter(|history| history.metadata.name != keep.metadata.name) {
            let decision = Decision::DeleteDuplicate(self.of_revision(duplicate));
            delete_controller_revision(self.client, duplicate.key(), decision.into())?;
        }
        Ok(keep)
    }

    /// Upstream: `pkg/controller/daemon/update.go controlledHistories`
    fn controlled_histories(&mut self) -> Result<Vec<Rc<ControllerRevision>>, Error> {
        let set = self.set.clone();
        let selector = LabelSelector::to_selector(set.spec.selector.as_deref())?;
        let matches = |revision: &ControllerRevision| selector.matches(&revision.metadata.labels);
        let revisions = self.view.revisions.iter().map(|revision| (revision.clone(), matches(revision)));
        let decide = |adopts: bool, revision: &mut ObjectMeta| {
            let of = OfRevision { set: set.metadata.name.clone(), revision: revision.name.clone() };
            if adopts { Decision::AdoptRevision(of) } else { Decision::ReleaseRevision(of) }.into()
        };
        let (key, controller) = (set.key(), &set.metadata);
        ControllerRefManager { key, controller, kind: Kind::DaemonSet, decide: &decide }.claim(self.client, revisions)
    }

    /// Deletes the oldest revisions that no pod has, beyond the limit. Those that a pod has are not counted.
    ///
    /// Upstream: `pkg/controller/daemon/update.go cleanupHistory`
    pub(super) fn cleanup_history(&mut self, hash: &str, old: Vec<Rc<ControllerRevision>>) -> Result<(), Error> {
        let pods = self.know_pods(hash)?;
        let limit = self.set.spec.revision_history_limit.unwrap_or(10);
        let surplus = old.len().saturating_sub(usize::try_from(limit).unwrap_or(0));
        if surplus == 0 {
            return Ok(());
        }
        let live: BTreeSet<&str> = pods.of_nodes().map(|pod| hash_of(&pod.metadata)).collect_tree();
        let number = count(old.len());
        let revision = |index: usize| old.get(index).map(|history| history.spec.revision);
        // Go's sort puts equal ones in an order of its own.
        let order = go::sort::order(old.len(), &|first, second| revision(first) < revision(second));
        let is_unused = |history: &&Rc<ControllerRevision>| {
            let hash = hash_of(&history.metadata);
            hash.is_empty() || !live.contains(hash)
        };
        for history in order.iter().filter_map(|index| old.get(*index)).filter(is_unused).take(surplus) {
            let decision = Decision::DeleteRevision { of: self.of_revision(history), old: number, limit };
            delete_controller_revision(self.client, history.key(), decision.into())?;
        }
        Ok(())
    }
}
