//! The pods as a sync of a ReplicaSet sees them.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{OnceCell, RefCell};

use super::store::Store;
use crate::controller::rank::Choice;
use crate::feature_gates::FeatureGates;
use crate::object::{LabelSelector, Pod, Time};
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::controller::{PodCounts, Pods, for_neighbors, get_indirectly_related_pods};

/// The pods as they were when a sync began, and what it chose then: it keeps to that when it has waited.
pub(crate) struct SeenPods {
    source: Rc<dyn PodSource>,
    counts: OnceCell<PodCounts>,
    unclaimed: OnceCell<Vec<Rc<Pod>>>,
    choice: OnceCell<Rc<Choice>>,
}

/// Where the pods are.
pub(crate) trait PodSource: Pods {
    /// How many pods of a ReplicaSet have not ended, terminating ones included.
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32;
}

impl SeenPods {
    pub(crate) const fn new(source: Rc<dyn PodSource>) -> Self {
        Self { source, counts: OnceCell::new(), unclaimed: OnceCell::new(), choice: OnceCell::new() }
    }
}

impl Pods for SeenPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        *self.counts.get_or_init(|| self.source.counts(replica_set, now))
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.unclaimed.get_or_init(|| self.source.unclaimed(replica_set)).clone()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.source.active(replica_set)
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        self.source.first_alike(replica_set, count)
    }

    fn choose_to_delete(
        &self,
        replica_set: &ReplicaSet,
        count: usize,
        now: Time,
        gates: FeatureGates,
    ) -> Option<Choice> {
        self.source.choose_to_delete(replica_set, count, now, gates)
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.source.related(replica_set)
    }

    fn remember_choice(&self, choose: &dyn Fn() -> Choice) -> Rc<Choice> {
        self.choice.get_or_init(|| Rc::new(choose())).clone()
    }
}

/// The pods as a ReplicaSet's sync sees them, from the store's indexes.
pub(super) struct StoredPods(pub(super) Rc<RefCell<Store>>);

impl PodSource for StoredPods {
    fn not_ended(&self, replica_set: &ReplicaSet) -> i32 {
        let store = self.0.borrow();
        let count = store.pods_owned_by(&replica_set.metadata.uid).filter(|pod| !pod.is_terminal()).count();
        i32::try_from(count).unwrap_or(i32::MAX)
    }
}

impl Pods for StoredPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut store = self.0.borrow_mut();
        let group = store.group(&replica_set.metadata.uid);
        group.map_or_else(PodCounts::default, |(group, slots)| group.counts(slots, replica_set, now))
    }

    fn unclaimed(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let mut store = self.0.borrow_mut();
        let (uid, namespace) = (&replica_set.metadata.uid, &replica_set.metadata.namespace);
        let has_unmatched = store.group(uid).is_some_and(|(group, slots)| group.has_unmatched(slots, replica_set));
        if !has_unmatched && !store.has_orphans() {
            return Vec::new();
        }
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let owned = has_unmatched.then(|| store.pods_owned_by(uid)).into_iter().flatten();
        owned
            .filter(|pod| !selector.matches(&pod.metadata.labels))
            .chain(store.orphan_pods().filter(|pod| pod.metadata.namespace == *namespace))
            .filter(|pod| pod.is_active())
            .cloned()
            .collect()
    }

    fn active(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
            return Vec::new();
        };
        let store = self.0.borrow();
        let mut is_selected = for_neighbors(|labels| selector.matches(labels));
        store
            .pods_owned_by(&replica_set.metadata.uid)
            .filter(|pod| pod.is_active() && is_selected(&pod.metadata.labels))
            .cloned()
            .collect()
    }

    fn first_alike(&self, replica_set: &ReplicaSet, count: usize) -> Option<Vec<Rc<Pod>>> {
        let mut store = self.0.borrow_mut();
        let (group, slots) = store.group(&replica_set.metadata.uid)?;
        group.first_alike(slots, replica_set, count)
    }

    fn choose_to_delete(
        &self,
        replica_set: &ReplicaSet,
        count: usize,
        now: Time,
        gates: FeatureGates,
    ) -> Option<Choice> {
        self.0.borrow_mut().choose_pods_to_delete(replica_set, count, now, gates)
    }

    fn related(&self, replica_set: &ReplicaSet) -> Vec<Rc<Pod>> {
        let store = self.0.borrow();
        let namespace = &replica_set.metadata.namespace;
        get_indirectly_related_pods(replica_set, store.all_in(namespace), store.all_in(namespace))
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::rc::Rc;
    use alloc::string::ToString;
    use core::cell::RefCell;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::cluster::store::Store;
    use crate::controller::rank::choose_pods_to_delete;
    use crate::feature_gates::{Feature, FeatureGates};
    use crate::object::Object;

    fn replica_set(name: &str) -> ReplicaSet {
        let labels = json!({ "app": "web", "hash": name });
        let owner =
            json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": true });
        serde_json::from_value(json!({
            "metadata": { "name": name, "uid": name, "ownerReferences": [owner] },
            "spec": { "selector": { "matchLabels": labels }, "template": { "metadata": { "labels": labels } } },
        }))
        .unwrap()
    }

    /// A pod whose looks come from a number. Few values, so that many pods are equal in some of them: then the comparator is no
    /// order, and what comes out is what Go's sort makes of it. Scattered, most pods have a time of their own.
    fn pod(name: u16, looks: u64, is_scattered: bool) -> Pod {
        let pick = |bit: u32, of: u64| looks.wrapping_shr(bit).checked_rem(of).unwrap();
        let time = |ago: u64| {
            Time::parse("2026-01-01T01:00:00Z").unwrap().plus_seconds(ago.cast_signed().wrapping_neg()).to_string()
        };
        let owner = if pick(0, 4) == 0 { "old" } else { "web" };
        let created = [7, 300, 301, 302, 900][usize::try_from(pick(8, 5)).unwrap()];
        let created = if is_scattered { u64::from(name).saturating_mul(37).saturating_add(created) } else { created };
        let reference =
            json!({ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": true });
        let is_ready = pick(12, 6) != 0;
        serde_json::from_value(json!({
            "metadata": {
                "name": format!("p{name:03}"),
                "uid": format!("{}-{name}", pick(16, 40)),
                "ownerReferences": if pick(24, 20) == 0 { json!([]) } else { json!([reference]) },
                "labels": { "app": "web", "hash": if pick(26, 15) == 0 { "other" } else { owner } },
                "creationTimestamp": time(created),
                "deletionTimestamp": if pick(30, 8) == 0 { json!(time(0)) } else { json!(null) },
                "annotations": { "controller.kubernetes.io/pod-deletion-cost": if pick(34, 12) == 0 { "-7" } else { "0" } },
            },
            "spec": { "nodeName": (pick(38, 9) != 0).then(|| format!("n{}", pick(42, 3))) },
            "status": {
                "phase": "Running",
                "conditions": [{
                    "type": "Ready",
                    "status": if is_ready { "True" } else { "False" },
                    "lastTransitionTime": (pick(46, 30) != 0).then(|| time(created.saturating_sub(pick(50, 7)))),
                }],
                "containerStatuses": [{ "name": "web", "restartCount": pick(54, 10) / 9 }],
            },
        }))
        .unwrap()
    }

    proptest! {
        /// What is kept up to date with each write chooses as reading and sorting all pods does.
        #[test]
        fn kept_pods_are_ranked_as_all(
            names in 1_u16..200,
            is_scattered: bool,
            changes in prop::collection::vec((any::<u16>(), prop::option::weighted(0.85, any::<u64>())), 1..400),
            choices in prop::collection::vec((0_usize..400, 1_usize..20, 0_i64..2000, any::<bool>()), 1..20),
        ) {
            let (web, old) = (replica_set("web"), replica_set("old"));
            let store = Rc::new(RefCell::new(Store::default()));
            let put = |object: Object| {
                let key = object.key();
                let mut store = store.borrow_mut();
                let (slot, key) = (store.find(&key), store.shared_key(&key));
                store.put(slot, &key, object);
            };
            [&web, &old].into_iter().for_each(|replica_set| put(replica_set.clone().into()));
            let seen = StoredPods(store.clone());
            for (number, (name, looks)) in changes.into_iter().enumerate() {
                let name = name.checked_rem(names).unwrap();
                match looks {
                    Some(looks) => put(pod(name, looks, is_scattered).into()),
                    None => store.borrow_mut().remove(&Object::from(pod(name, 0, is_scattered)).key()),
                }
                for (_, count, later, by_logarithm) in choices.iter().filter(|(at, ..)| *at == number) {
                    let now = Time::parse("2026-01-01T01:00:00Z").unwrap().plus_seconds(*later);
                    let gates = FeatureGates::default().with(Feature::LogarithmicScaleDown, *by_logarithm);
                    let pods = seen.active(&web);
                    let kept = seen.choose_to_delete(&web, *count, now, gates);
                    let all = choose_pods_to_delete(&pods, &seen.related(&web), *count, now, gates);
                    prop_assert_eq!(kept, (*count < pods.len()).then(|| all.clone()));
                    store.borrow_mut().omits_rankings = true;
                    let unranked = seen.choose_to_delete(&web, *count, now, gates).map(|choice| choice.deletions);
                    store.borrow_mut().omits_rankings = false;
                    prop_assert_eq!(unranked, (*count < pods.len()).then_some(all.deletions));
                }
            }
        }
    }
}
