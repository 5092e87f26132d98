//! Explains what the Deployment controller decides.

mod recreate;
mod revision;
mod rolling;
mod scale;
mod status;

use super::operands::{DEPLOYMENT_NAME, REPLICA_SET_NAME};
use super::{Operands, Reason, Rule, RuleText};
use crate::controller::decision::deployment::{Because, Decision, NewRevision, NewSize, Resize, Taken};

const KEP_ROLLOUT: &str = "KEP-5882, Deployment Behavior Changes";
const KEP_SCALING: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
const KEP_PROGRESS: &str = "KEP-5882, Deployment Completion and Progress Changes";

const NEW_REPLICAS: &str = "pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas";

/// All rules of this folder.
pub(super) const ALL: &[&[&RuleText]] =
    &[revision::ALL, rolling::ALL, SIZE_ERRORS, recreate::ALL, scale::ALL, status::ALL];

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Adopt { replica_set, deployment } => revision::Adopt { replica_set, deployment }.reason(),
        Decision::Release { replica_set, deployment } => revision::Release { replica_set, deployment }.reason(),
        Decision::SelectingAll { deployment } => revision::SelectingAll { deployment }.reason(),
        Decision::SelectorUnreadable { deployment } => revision::SelectorUnreadable { deployment }.reason(),
        Decision::StrategyUnknown { deployment, strategy } => {
            revision::StrategyUnknown { deployment, strategy }.reason()
        }
        Decision::TerminatingUnknown { replica_set } => TerminatingUnknown { replica_set }.reason(),
        Decision::SurgeUnreadable { deployment } => SurgeUnreadable { deployment }.reason(),
        Decision::Create { replica_set, size } => revision::explain_create(replica_set, *size),
        Decision::Collision { replica_set, count } => revision::Collision { replica_set, count: *count }.reason(),
        Decision::CreateFailed { replica_set } => revision::CreateFailed { replica_set }.reason(),
        Decision::Created { new, deadline } => {
            let NewRevision { deployment, replica_set, revision } = &**new;
            revision::Created { replica_set, revision, deployment, deadline: *deadline }.reason()
        }
        Decision::Found { new, deadline } => {
            let NewRevision { deployment, replica_set, revision } = &**new;
            revision::Found { replica_set, revision, deployment, deadline: *deadline }.reason()
        }
        Decision::TakeOverRevision(new) => {
            let NewRevision { deployment, replica_set, revision } = &**new;
            revision::TakeOverRevision { deployment, revision, replica_set }.reason()
        }
        Decision::SyncNew(sync) => revision::explain_sync(sync),
        Decision::Resize(resize) => explain_resize(resize),
        Decision::KeepOld { deployment, wanted, min_available, unavailable, max_scaled_down } => {
            let (wanted, min_available, unavailable) = (*wanted, *min_available, *unavailable);
            let max_scaled_down = *max_scaled_down;
            rolling::OldWait { deployment, wanted, min_available, unavailable, max_scaled_down }.reason()
        }
        Decision::OldSurplus { replica_set, size, available } => {
            rolling::OldSurplus { replica_set, size: *size, available: *available }.reason()
        }
        Decision::WaitForOldPods { deployment, pods } => recreate::explain_wait(deployment, *pods),
        Decision::ScaleStuck { replica_set, desired, noted } => {
            scale::ScaleStuck { replica_set, desired: *desired, noted: *noted }.reason()
        }
        Decision::ScaleNone { deployment, desired } => scale::ScaleNone { deployment, desired: *desired }.reason(),
        Decision::CleanUp { replica_set, old, limit, surplus } => {
            revision::Cleanup { replica_set, old: *old, limit: *limit, surplus: *surplus }.reason()
        }
        Decision::Rollback { deployment, replica_set, revision, asked, differs } => {
            let (revision, asked) = (*revision, *asked);
            if *differs {
                revision::Rollback { deployment, replica_set, revision, asked }.reason()
            } else {
                revision::RollbackSame { deployment, replica_set, revision, asked }.reason()
            }
        }
        Decision::RollbackUnknown { deployment, revision } => {
            revision::RollbackUnknown { deployment, asked: *revision }.reason()
        }
        Decision::RollbackNone { deployment } => revision::RollbackNone { deployment }.reason(),
        Decision::Pause { deployment } => status::Paused { deployment }.reason(),
        Decision::Resume { deployment, deadline } => status::Resumed { deployment, deadline: *deadline }.reason(),
        Decision::Status(update) => status::explain(update),
    }
}

fn explain_resize(resize: &Resize) -> Reason {
    let resized = Resized { replica_set: &resize.replica_set, from: resize.from, to: resize.to };
    match &resize.because {
        Because::NewDown { desired } => rolling::NewDown { resized, desired: *desired }.reason(),
        Because::NewUp(size) => explain_new_up(resized, *size),
        Because::OldUnhealthy { available, unhealthy, max_cleanup, gone, remaining } => {
            let (available, unhealthy, budget) = (*available, *unhealthy, *remaining);
            let (max_cleanup, gone) = (*max_cleanup, *gone);
            rolling::OldUnhealthy { resized, available, unhealthy, max_cleanup, gone, budget }.reason()
        }
        Because::OldDown { available, min_available, total_scale_down_count, gone } => {
            let (available, min_available, gone) = (*available, *min_available, *gone);
            let budget = *total_scale_down_count;
            rolling::OldDown { resized, available, min_available, budget, gone }.reason()
        }
        Because::RecreateDown => recreate::RecreateDown { resized }.reason(),
        Because::ScaleOnly { desired } => scale::explain_only(resized, *desired),
        Because::ScaleOnlyInRoom { desired, room } => scale::explain_only_in_room(resized, *desired, *room),
        Because::Saturated { desired } => scale::ScaleSaturated { resized, desired: *desired }.reason(),
        Because::Proportional(share) => scale::explain_share(resized, share),
        Because::Annotations { desired, max } => {
            scale::ScaleAnnotations { resized, desired: *desired, limit: *max }.reason()
        }
    }
}

/// Explains the size of the new ReplicaSet, by what limits it.
fn explain_new_up(resized: Resized<'_>, size: NewSize) -> Reason {
    match size {
        // Only Recreate comes here: a rolling update leaves a ReplicaSet that has its desired size as it is.
        NewSize::Desired { desired } => recreate::RecreateUp { resized, desired }.reason(),
        NewSize::Limited { desired, limit, taken, room, .. } => match taken {
            Taken::HeldByNew(held) => recreate::explain_up(resized, desired, held, room),
            Taken::Held(held) => rolling::explain_up_complete(resized, desired, limit, held, room),
            Taken::Wanted(wanted) => rolling::explain_up(resized, desired, limit, wanted, room),
        },
    }
}

/// What the rules of a ReplicaSet's size may name.
#[derive(Clone, Copy, Operands)]
struct Resized<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    from: i32,
    #[operand(source = "its new size", mark = ReplicaSet)]
    to: i32,
}

/// A count of terminating pods is missing.
#[derive(Rule)]
#[rule(
    id = "deployment.terminating-unknown",
    section = KEP_SCALING,
    sentence = "{replica_set} does not report how many of its pods are terminating: the sync ends here, and no ReplicaSet grows until it does.",
)]
struct TerminatingUnknown<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
}

/// The surge is neither a number nor a percentage.
#[derive(Rule)]
#[rule(
    id = "deployment.surge-unreadable",
    upstream = NEW_REPLICAS,
    sentence = "Deployment {deployment} has a maxSurge that is neither a number nor a percentage: the sync ends here.",
)]
struct SurgeUnreadable<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
}

/// The rules of this file.
const SIZE_ERRORS: &[&RuleText] = &[TerminatingUnknown::TEXT, SurgeUnreadable::TEXT];
