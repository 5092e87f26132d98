//! What syncs find out about pods and revisions. Most of them are the same at the next sync, which need not ask again.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use serde_json::Value;

use super::applied_template::{applied_template, with_template};
use super::identity::{
    get_ordinal, get_pod_revision, identity_matches, is_member_of, is_running_and_ready, storage_matches,
};
use crate::controller::history::revision_data;
use crate::object::{ControllerRevision, Pod, PodPhase, PodTemplateSpec, Revision, Selector, Time};
use crate::workload::stateful_set::StatefulSet;

/// What syncs of a StatefulSet have found out. One that begins with nothing finds the same.
#[derive(Debug, Default)]
pub struct Found {
    pub(super) pods: RefCell<KnownPods>,
    revisions: RefCell<Option<KnownRevisions>>,
    /// The names of revisions, which facts call by their place.
    names: RefCell<Vec<Rc<str>>>,
}

/// A revision's name, as its place among the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RevisionName(usize);

/// What syncs ask of a pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// None: its name has no ordinal.
    pub(super) ordinal: Option<i32>,
    /// The revision that it was made from.
    pub(super) revision: RevisionName,
    pub(super) phase: PodPhase,
    pub(super) is_terminating: bool,
    pub(super) is_running_and_ready: bool,
    is_ready: bool,
    /// Since when it has been ready; the end of time if that is unknown.
    ready_since: Time,
    /// Whether the StatefulSet owns it, and keeps it.
    is_kept: bool,
    /// Whether it has the labels and volumes of its ordinal.
    pub(super) is_consistent: bool,
}

impl Facts {
    /// Whether the API server has the pod.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go isCreated`
    pub(super) const fn is_created(&self) -> bool {
        !matches!(self.phase, PodPhase::Unset)
    }

    /// Upstream: `pkg/api/v1/pod/util.go IsPodAvailable`
    pub(super) fn is_available(&self, min_ready_seconds: i32, now: Time) -> bool {
        self.is_ready
            && (min_ready_seconds == 0
                || self.ready_since != NEVER && self.ready_since.plus_seconds(min_ready_seconds.into()) <= now)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go isUnavailable`
    pub(super) fn is_unavailable(&self, min_ready_seconds: i32, now: Time) -> bool {
        !self.is_available(min_ready_seconds, now) || self.is_terminating
    }
}

const NEVER: Time = Time(i64::MAX);

/// A pod with its facts.
#[derive(Clone, Debug)]
pub(super) struct KnownPod<'a> {
    /// One that a sync has made is not stored yet.
    pub(super) pod: Cow<'a, Rc<Pod>>,
    pub(super) facts: Facts,
}

/// The pods of a StatefulSet, in the order in which a sync lists them.
#[derive(Debug, Default)]
pub(super) struct KnownPods {
    /// The StatefulSet with the spec from which the facts follow.
    set: Option<Rc<StatefulSet>>,
    pods: Vec<KnownPod<'static>>,
}

impl KnownPods {
    /// Looks at the pods that were not there or not the same before.
    pub(super) fn see(&mut self, found: &Found, set: &Rc<StatefulSet>, selector: &Selector<'_>, listed: &[Rc<Pod>]) {
        let is_same =
            |known: &Rc<StatefulSet>| known.metadata.uid == set.metadata.uid && Rc::ptr_eq(&known.spec, &set.spec);
        if !self.set.as_ref().is_some_and(is_same) {
            *self = Self { set: Some(set.clone()), pods: Vec::new() };
        }
        let is_known = |(known, pod): &(&KnownPod<'_>, &Rc<Pod>)| Rc::ptr_eq(&known.pod, pod);
        let first = self.pods.iter().zip(listed).take_while(is_known).count();
        let rest = self.pods.len().min(listed.len()).saturating_sub(first);
        let last = self.pods.iter().rev().zip(listed.iter().rev()).take(rest).take_while(is_known).count();
        let (until, listed_until) = (self.pods.len().saturating_sub(last), listed.len().saturating_sub(last));
        let changed = listed.get(first..listed_until).unwrap_or_default();
        let changed = changed.iter().map(|pod| KnownPod {
            pod: Cow::Owned(pod.clone()),
            facts: found.facts(set, pod, selector.matches(&pod.metadata.labels)),
        });
        self.pods.splice(first..until, changed);
    }

    /// Whether the StatefulSet keeps all of them: it neither adopts nor releases one.
    pub(super) fn are_kept(&self) -> bool {
        self.pods.iter().all(|known| known.facts.is_kept)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = KnownPod<'_>> {
        self.pods.iter().map(|known| KnownPod { pod: Cow::Borrowed(&known.pod), facts: known.facts })
    }
}

impl Found {
    /// What a sync asks of a pod, whose labels match the selector or don't.
    pub(super) fn facts(&self, set: &StatefulSet, pod: &Pod, matches: bool) -> Facts {
        let ready = pod.ready_condition();
        Facts {
            ordinal: get_ordinal(pod),
            revision: self.name(get_pod_revision(pod)),
            phase: pod.status.phase,
            is_terminating: pod.metadata.deletion_timestamp.is_some(),
            is_running_and_ready: is_running_and_ready(pod),
            is_ready: pod.is_ready(),
            ready_since: ready.and_then(|condition| condition.last_transition_time).unwrap_or(NEVER),
            is_kept: matches && is_member_of(set, pod) && pod.metadata.is_controlled_by(&set.metadata),
            is_consistent: identity_matches(set, pod) && storage_matches(set, pod),
        }
    }

    /// The place of a revision's name.
    pub(super) fn name(&self, name: &str) -> RevisionName {
        let mut names = self.names.borrow_mut();
        let place = names.iter().position(|known| **known == *name).unwrap_or_else(|| {
            names.push(name.into());
            names.len().saturating_sub(1)
        });
        RevisionName(place)
    }

    /// Whether a revision keeps the StatefulSet's template.
    pub(super) fn keeps_template(&self, set: &StatefulSet, revision: &ControllerRevision) -> bool {
        self.with_revision(set, revision, |known| known.keeps_template)
    }

    /// The StatefulSet with the pod template of a revision.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go ApplyRevision`
    pub(super) fn apply_revision(&self, set: &Rc<StatefulSet>, revision: &ControllerRevision) -> Rc<StatefulSet> {
        with_template(set, self.with_revision(set, revision, |known| known.template.clone()))
    }

    fn with_revision<T>(
        &self,
        set: &StatefulSet,
        revision: &ControllerRevision,
        get: impl FnOnce(&KnownRevision) -> T,
    ) -> T {
        let mut known = self.revisions.borrow_mut();
        let known = match &mut *known {
            Some(known) if Rc::ptr_eq(&known.template, &set.spec.template) => known,
            other => other.insert(KnownRevisions::of(&set.spec.template)),
        };
        match known.revisions.iter().find(|known| Rc::ptr_eq(&known.revision, &revision.spec)) {
            Some(known) => get(known),
            None => {
                let new = known.compare(revision);
                let got = get(&new);
                known.revisions.push(new);
                got
            }
        }
    }
}

/// The revisions of a StatefulSet, compared with its template.
#[derive(Debug)]
struct KnownRevisions {
    template: Rc<PodTemplateSpec>,
    /// What a revision of the template keeps.
    data: Value,
    revisions: Vec<KnownRevision>,
}

#[derive(Debug)]
struct KnownRevision {
    revision: Rc<Revision>,
    keeps_template: bool,
    /// The template that it keeps: the StatefulSet's own, if they are equal.
    template: Rc<PodTemplateSpec>,
}

impl KnownRevisions {
    fn of(template: &Rc<PodTemplateSpec>) -> Self {
        Self { template: template.clone(), data: revision_data(template), revisions: Vec::new() }
    }

    fn compare(&self, revision: &ControllerRevision) -> KnownRevision {
        KnownRevision {
            revision: revision.spec.clone(),
            keeps_template: revision.spec.data == self.data,
            template: applied_template(&self.template, revision),
        }
    }
}
