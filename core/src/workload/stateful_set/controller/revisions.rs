//! The revisions of the pod template: which one the pods have, which one they get, and which ones are kept.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::known::{KnownPods, RevisionName};
use super::state::Sync;
use crate::apiserver::pod_spec::set_template_defaults;
use crate::collect_tree::CollectTree;
use crate::controller::Error;
use crate::controller::history::{
    create_controller_revision, data_of, delete_controller_revision, equal_revision, kept_template,
    new_controller_revision, revision_data, template_json, update_controller_revision,
};
use crate::feature_gates::Feature;
use crate::object::{ControllerRevision, Kind, ObjectMeta};
use crate::workload::stateful_set::StatefulSet;
use crate::workload::stateful_set::decision::Decision;

/// The revisions that a sync has found.
#[derive(Default)]
pub(super) struct Revisions {
    pub(super) current: Option<Rc<ControllerRevision>>,
    pub(super) update: Option<Rc<ControllerRevision>>,
}

/// The revision of the StatefulSet's template, with this number.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go newRevision`
pub fn revision_of_template(set: &StatefulSet, number: i64) -> ControllerRevision {
    let (template, collision_count) = (&set.spec.template, set.status.collision_count.unwrap_or(0));
    let (labels, data) = (&template.metadata.labels, revision_data(template));
    let mut new =
        new_controller_revision(&set.metadata, Kind::StatefulSet, labels, data, number, Some(collision_count));
    let metadata: &mut ObjectMeta = Rc::make_mut(&mut new.metadata);
    metadata.annotations = set.metadata.annotations.clone();
    new
}

impl Sync<'_, '_> {
    /// Whether the last revision's template is, with today's defaults, that of the StatefulSet.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go setMatchesLatestExistingRevision`
    fn set_matches_latest_existing_revision(&self, latest: &ControllerRevision) -> bool {
        self.client.gates().enabled(Feature::StatefulSetSemanticRevisionComparison)
            && kept_template(latest).is_some_and(|template| {
                let mut spec = [("template".into(), template)].into_iter().collect_tree();
                set_template_defaults(&mut spec);
                let template = spec.remove("template").unwrap_or_default();
                data_of(template_json(&template)) == revision_data(&self.set.spec.template)
            })
    }

    /// The current revision, the one of the template, and the number of collisions. The revisions are sorted.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go getStatefulSetRevisions`
    pub(super) fn get_stateful_set_revisions(
        &mut self,
        revisions: &[Rc<ControllerRevision>],
    ) -> Result<(Rc<ControllerRevision>, Rc<ControllerRevision>, i32), Error> {
        let set = self.set.clone();
        let mut collision_count = set.status.collision_count.unwrap_or(0);
        let number = next_revision(revisions);
        let equal = revisions.iter().rfind(|revision| self.view.found.keeps_template(&set, revision));
        let set_name = &set.metadata.name;
        let update = match (equal, revisions.last()) {
            (Some(equal), Some(last)) if equal_revision(equal, last) => last.clone(),
            (Some(equal), _) => {
                let decision = Decision::ReuseRevision {
                    set: set_name.clone(),
                    revision: equal.metadata.name.clone(),
                    from: equal.spec.revision,
                    number,
                };
                update_controller_revision(self.client, equal, number, decision.into())?
            }
            (None, Some(last)) if self.set_matches_latest_existing_revision(last) => last.clone(),
            (None, _) => {
                let decide = |revision: &Rc<str>| {
                    let (set, revision) = (set_name.clone(), revision.clone());
                    Decision::CreateRevision { set, revision, number }.into()
                };
                let proposed = revision_of_template(&set, number);
                create_controller_revision(self.client, &set.metadata, proposed, &mut collision_count, decide)?
            }
        };
        let current = revisions.iter().find(|revision| revision.metadata.name == set.status.current_revision);
        Ok((current.unwrap_or(&update).clone(), update, collision_count))
    }

    /// Deletes the oldest revisions that nothing names, beyond the limit.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go truncateHistory`
    pub(super) fn truncate_history(
        &mut self,
        pods: &KnownPods,
        revisions: &[Rc<ControllerRevision>],
        found: &Revisions,
    ) -> Result<(), Error> {
        let limit = self.set.spec.revision_history_limit.unwrap_or(10);
        let Some(kept) = usize::try_from(limit).ok().filter(|kept| *kept < revisions.len()) else { return Ok(()) };
        let known = self.view.found;
        let named = [&found.current, &found.update].into_iter().flatten();
        let live: Vec<RevisionName> = named
            .map(|revision| known.name(&revision.metadata.name))
            .chain(pods.iter().map(|pod| pod.facts.revision))
            .collect();
        let unused: Vec<&Rc<ControllerRevision>> =
            revisions.iter().filter(|revision| !live.contains(&known.name(&revision.metadata.name))).collect();
        for revision in unused.iter().take(unused.len().saturating_sub(kept)) {
            let decision = Decision::DeleteRevision {
                revision: revision.metadata.name.clone(),
                set: self.set.metadata.name.clone(),
                unused: i64::try_from(unused.len()).unwrap_or(i64::MAX),
                limit,
            };
            delete_controller_revision(self.client, revision.key(), decision.into())?;
        }
        Ok(())
    }
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go nextRevision`
fn next_revision(revisions: &[Rc<ControllerRevision>]) -> i64 {
    revisions.last().map_or(1, |last| last.spec.revision.saturating_add(1))
}
