//! Which pods go first, found without sorting: what decides between most pods is kept in order from choice to choice.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use super::rank::{Choice, Circumstances, ListedPod, deletions, magnitude, order};
use crate::feature_gates::Feature;
use crate::object::Time;

/// No time.
const NEVER: Range<Time> = Time(0)..Time(0);

/// The most pods that are found without sorting.
const MOST: usize = 64;

/// What decides between most pods of a list.
#[derive(Debug)]
pub(crate) struct Heads {
    /// In the order of the list.
    heads: Vec<Head>,
    /// The pods that nothing tells apart before the time since when they are ready, as long as they are on one node; by their keys.
    groups: Vec<Group>,
    /// Since when pods are ready.
    ready_since: SortedNumbers,
    /// How the uids of pods begin.
    uid_starts: SortedNumbers,
    /// Whether the groups compare times by order of magnitude.
    has_magnitudes: bool,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    key: GroupKey,
    /// Since when it is ready, if it is.
    ready_since: Option<Time>,
    uid_start: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey {
    /// The criteria before the number of related pods, without deletion costs and with them.
    criteria: [u64; 2],
    node: usize,
}

/// Where groups stand: less comes first.
type Class = (u64, Reverse<usize>);

/// Pods of a group.
#[derive(Debug)]
struct Group {
    key: GroupKey,
    /// In order, as long as the ages have the magnitudes that they have now.
    places: Vec<Place>,
    /// From when until when that is; nothing: they are in no order.
    steady: Range<Time>,
}

/// Where a pod stands in its group: less comes first, where the uids decide between pods of one magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    magnitude: u64,
    uid_start: u64,
    /// In the list.
    position: usize,
}

/// Numbers of pods.
#[derive(Debug, Default)]
struct SortedNumbers(Vec<u64>);

/// As [`super::rank::choose_listed`], without the ranking. `heads` are those of the pods.
pub(crate) fn choose_unranked(
    pods: &[ListedPod],
    heads: &mut Heads,
    diff: usize,
    circumstances: Circumstances<'_>,
) -> Choice {
    let wanted = diff.saturating_add(1);
    let first = heads.first_in_order(wanted, circumstances);
    let order = first.unwrap_or_else(|| order(pods, wanted, circumstances));
    Choice { deletions: deletions(pods, &order, diff, circumstances), ranking: None }
}

impl Heads {
    /// Those of a list.
    pub(crate) fn of(pods: &[ListedPod]) -> Self {
        let mut heads = Self {
            heads: pods.iter().map(Head::of).collect(),
            groups: Vec::new(),
            ready_since: SortedNumbers::default(),
            uid_starts: SortedNumbers::default(),
            has_magnitudes: false,
        };
        let there = pods.iter().enumerate().filter(|(_, pod)| !pod.is_gone);
        there.for_each(|(position, _)| heads.count(position));
        heads
    }

    /// Another version of a pod takes its place in the list.
    pub(crate) fn replace(&mut self, position: usize, pod: &ListedPod) {
        self.remove(position);
        if let Some(head) = self.heads.get_mut(position) {
            *head = Head::of(pod);
            self.count(position);
        }
    }

    fn count(&mut self, position: usize) {
        let Some(Head { key, ready_since, uid_start }) = self.heads.get(position).copied() else { return };
        let index = self.find_group(&key).unwrap_or_else(|index| {
            self.groups.insert(index, Group { key, places: Vec::new(), steady: NEVER });
            index
        });
        if let Some(group) = self.groups.get_mut(index) {
            group.places.push(Place { magnitude: 0, uid_start, position });
            group.steady = NEVER;
        }
        self.uid_starts.insert(uid_start);
        if let Some(since) = ready_since {
            self.ready_since.insert(number(since));
        }
    }

    fn find_group(&self, key: &GroupKey) -> Result<usize, usize> {
        self.groups.binary_search_by(|group| group.key.cmp(key))
    }

    /// A pod leaves the list.
    pub(crate) fn remove(&mut self, position: usize) {
        let Some(Head { key, ready_since, uid_start }) = self.heads.get(position).copied() else { return };
        let group = self.find_group(&key).ok().and_then(|index| self.groups.get_mut(index));
        let Some(Group { places, .. }) = group else { return };
        let Some(index) = places.iter().position(|place| place.position == position) else { return };
        places.remove(index);
        self.uid_starts.remove(uid_start);
        if let Some(since) = ready_since {
            self.ready_since.remove(number(since));
        }
    }

    /// Where the groups stand that have pods.
    fn classes(&self, class: impl Fn(&GroupKey) -> Class) -> impl Iterator<Item = Class> {
        self.groups.iter().filter(|group| !group.places.is_empty()).map(move |group| class(&group.key))
    }

    /// The positions of the pods that come first, if they can be found without sorting. Whatever sorts the pods, one that goes before
    /// all others comes first, even if the comparator is no order of those. Among pods whose ages are of one magnitude, that is the
    /// one with the lowest uid, unless another one is ready since the same time.
    fn first_in_order(&mut self, wanted: usize, circumstances: Circumstances<'_>) -> Option<Vec<usize>> {
        if wanted > MOST {
            return None;
        }
        let Circumstances { related, now, gates } = circumstances;
        let now = now.filter(|_| gates.enabled(Feature::LogarithmicScaleDown));
        if self.has_magnitudes != now.is_some() {
            self.has_magnitudes = now.is_some();
            self.groups.iter_mut().for_each(|group| group.steady = NEVER);
        }
        let class = |key: &GroupKey| -> Class {
            let [without_cost, with_cost] = key.criteria;
            let criteria = if gates.enabled(Feature::PodDeletionCost) { with_cost } else { without_cost };
            (criteria, Reverse(related.get(key.node).copied().unwrap_or(0)))
        };
        let mut first: Vec<Place> = Vec::new();
        let mut last: Option<Class> = None;
        while first.len() < wanted
            && let Some(next) = self.classes(class).filter(|class| last.is_none_or(|last| *class > last)).min()
        {
            let left = wanted.saturating_sub(first.len());
            let mut places: Vec<Place> = Vec::new();
            for group in self.groups.iter_mut().filter(|group| class(&group.key) == next) {
                group.put_in_order(&self.heads, now);
                places.extend(group.places.iter().take(left));
            }
            places.sort_unstable();
            first.extend(places.into_iter().take(left));
            last = Some(next);
        }
        let is_first = |place: &Place| {
            let Some(head) = self.heads.get(place.position) else { return false };
            let since = head.ready_since.filter(|_| now.is_some());
            if since.is_some_and(|since| self.ready_since.has_once(number(since)))
                && self.uid_starts.has_once(place.uid_start)
            {
                return true;
            }
            let beside = self.groups.iter().filter(|group| class(&group.key) == class(&head.key));
            let mut equal = beside
                .flat_map(|group| &group.places)
                .filter(|other| other.magnitude == place.magnitude && other.position != place.position);
            equal.all(|other| {
                let other_since = self.heads.get(other.position).and_then(|head| head.ready_since);
                since.is_some() && since != other_since && other.uid_start != place.uid_start
            })
        };
        first.iter().all(is_first).then(|| first.iter().map(|place| place.position).collect())
    }
}

impl SortedNumbers {
    fn index_of(&self, number: u64) -> usize {
        self.0.partition_point(|other| *other < number)
    }

    fn insert(&mut self, number: u64) {
        self.0.insert(self.index_of(number), number);
    }

    fn remove(&mut self, number: u64) {
        let index = self.index_of(number);
        if self.0.get(index) == Some(&number) {
            self.0.remove(index);
        }
    }

    /// Whether a number in the list occurs only once.
    fn has_once(&self, number: u64) -> bool {
        self.0.get(self.index_of(number).saturating_add(1)) != Some(&number)
    }
}

/// A time as a number of its own.
const fn number(time: Time) -> u64 {
    time.0.cast_unsigned()
}

impl Head {
    fn of(listed: &ListedPod) -> Self {
        let pod = &listed.compared;
        let criteria = [false, true].map(|has_cost| pod.head(has_cost));
        Self {
            key: GroupKey { criteria, node: listed.node.unwrap_or(usize::MAX) },
            ready_since: pod.ready_since.filter(|_| pod.ready),
            uid_start: pod.uid_start,
        }
    }
}

impl Group {
    /// Puts the pods in their order, unless they are.
    fn put_in_order(&mut self, heads: &[Head], now: Option<Time>) {
        // Without magnitudes, the order is the same at any time.
        let at = now.unwrap_or_default();
        if self.steady.contains(&at) {
            return;
        }
        self.steady = at..Time(i64::MAX);
        for place in &mut self.places {
            let since = heads.get(place.position).and_then(|head| head.ready_since);
            place.magnitude = magnitude(since, now);
            self.steady.end = self.steady.end.min(steady_until(since, now));
        }
        self.places.sort_unstable();
    }
}

/// Until when the order of magnitude of the time since a pod is ready certainly stays what it is.
fn steady_until(ready_since: Option<Time>, now: Option<Time>) -> Time {
    let Some((since, now)) = ready_since.zip(now) else { return Time(i64::MAX) };
    let Some(exponent) = now.since(since).checked_ilog2() else { return since.plus(1) };
    // Just below the next power of two, the logarithm is rounded up.
    let next = 1_u64.wrapping_shl(exponent.saturating_add(1));
    let steady = next.saturating_sub(next >> 40);
    since.plus(i64::try_from(steady).unwrap_or(i64::MAX)).max(now.plus(1))
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::rc::Rc;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::feature_gates::FeatureGates;
    use crate::json::ToJson;
    use crate::object::Pod;

    fn pod(name: usize, is_ready: bool, cost: u8, seconds: i64, uid: u64) -> Rc<Pod> {
        let time = Time(0).plus_seconds(seconds).to_json();
        let pod = json!({
            "metadata": {
                "name": format!("p{name:03}"), "uid": format!("{uid:08}"), "creationTimestamp": time,
                "annotations": { "controller.kubernetes.io/pod-deletion-cost": format!("{cost}") },
            },
            "status": {
                "phase": "Running",
                "conditions": [{ "type": "Ready", "status": if is_ready { "True" } else { "False" }, "lastTransitionTime": time }],
            },
        });
        Rc::new(serde_json::from_value(pod).unwrap())
    }

    proptest! {
        /// Choice after choice, as time passes, gates change and pods go.
        #[test]
        fn what_is_found_is_what_sorting_finds(
            pods in prop::collection::vec((any::<bool>(), 0_u8..2, 0_i64..3_000, 0_u64..200, 0_usize..4), 2..60),
            choices in prop::collection::vec((1_usize..4, 0_i64..2_000, any::<bool>(), any::<bool>(), 0_usize..60), 1..12),
        ) {
            let listed = |(name, (is_ready, cost, seconds, uid, node)): (usize, &(bool, u8, i64, u64, usize))| {
                ListedPod::new(pod(name, *is_ready, *cost, *seconds, *uid), Some(*node))
            };
            let mut listed: Vec<ListedPod> = pods.iter().enumerate().map(listed).collect();
            let mut heads = Heads::of(&listed);
            let mut now = Time(0).plus_seconds(3_000);
            for (diff, passes, has_cost, has_magnitudes, changed) in choices {
                now = now.plus_seconds(passes);
                if let Some(other) = listed.get_mut(changed).filter(|pod| !pod.is_gone) {
                    *other = ListedPod::new(pod(changed, true, 0, 3_000, 7), other.node);
                    heads.replace(changed, other);
                }
                let gates = FeatureGates::default()
                    .with(Feature::PodDeletionCost, has_cost)
                    .with(Feature::LogarithmicScaleDown, has_magnitudes);
                let on = |node: usize| listed.iter().filter(|pod| !pod.is_gone && pod.node == Some(node)).count();
                let related: Vec<usize> = (0..4).map(on).collect();
                let circumstances = Circumstances { related: &related, now: Some(now), gates };
                let sorted = order(&listed, diff, circumstances);
                if let Some(found) = heads.first_in_order(diff, circumstances) {
                    prop_assert_eq!(&found, &sorted);
                }
                for position in sorted {
                    listed[position].is_gone = true;
                    heads.remove(position);
                }
            }
        }
    }
}
