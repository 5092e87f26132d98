//! Comparison of the core's decisions with the second reading's.

use proptest::prelude::{TestCaseError, prop_assert};

use crate::api_server::{self, Admitted};
use crate::controller::{Changes, Operation, is_complete, run};
use crate::second_reading::api::is_new_generation;
use crate::second_reading::{self, Spec};
use crate::settlement::Settlements;
use crate::world::{Gates, ReplicaSet, Status, UnknownCount, World};

/// The second reading's result of an operation.
///
/// # Errors
///
/// If a count of terminating pods is needed and unknown.
pub fn expected(operation: Operation, world: &World) -> Result<Changes, UnknownCount> {
    match operation {
        Operation::Scale => Ok(changes(world, &second_reading::scale(world)?, &[], world.status, None)),
        Operation::ReconcileNew => Ok(changes(world, &second_reading::reconcile_new(world)?, &[], world.status, None)),
        Operation::ReconcileOld => {
            Ok(changes(world, &second_reading::reconcile_old(world).sets, &[], world.status, None))
        }
        Operation::CleanUp => Ok(changes(world, &world.sets, &second_reading::clean_up(world), world.status, None)),
        Operation::SyncRolloutStatus => {
            let progress = second_reading::progress(world);
            Ok(changes(world, &world.sets, &[], progress.status, progress.check_after))
        }
        Operation::Sync => {
            let synced = second_reading::sync(world)?;
            Ok(changes(world, &synced.sets, &synced.deleted, synced.status, synced.check_after))
        }
    }
}

fn changes(world: &World, sets: &[ReplicaSet], deleted: &[usize], status: Status, check_after: Option<i64>) -> Changes {
    let is_deleted = |index: &usize| deleted.contains(index);
    let left = (0..sets.len()).filter(|index| !is_deleted(index)).map(|index| &sets[index]);
    Changes {
        sets: left.map(|set| (set.replicas, set.annotations.clone())).collect(),
        deleted: (0..world.sets.len()).filter(is_deleted).map(|index| world.sets[index].name.clone()).collect(),
        status,
        check_after,
    }
}

/// Compares the two decisions with all settlements in force.
///
/// # Errors
///
/// If they differ.
pub fn compare(operation: Operation, world: &World) -> Result<(), TestCaseError> {
    let world = World { settlements: Settlements::All, ..world.clone() };
    let (expected, got) = (expected(operation, &world), run(operation, &world).outcome);
    prop_assert!(got == expected, "{operation:?} of {world}\n second reading: {expected:#?}\n core: {got:#?}");
    Ok(())
}

/// Compares whether the stored status counts as complete.
///
/// # Errors
///
/// If the two differ.
pub fn compare_completion(world: &World) -> Result<(), TestCaseError> {
    let (expected, got) = (second_reading::is_complete(world, &world.status), is_complete(world));
    prop_assert!(got == expected, "complete: {world}\n second reading: {expected}\n core: {got}");
    Ok(())
}

/// Compares the stored spec, or the API server's errors.
///
/// # Errors
///
/// If the two differ.
pub fn compare_admission(gates: Gates, spec: &Spec, stored: Option<&Spec>) -> Result<(), TestCaseError> {
    // A stored spec was admitted once by an API server that knew the field.
    let before = Gates { terminating_replicas: true, pod_replacement_policy: true };
    let stored = stored.and_then(|stored| second_reading::admit(before, stored, None).ok());
    let expected = second_reading::admit(gates, spec, stored.as_ref()).map(|spec| {
        let is_new = stored.as_ref().is_none_or(|stored| is_new_generation(&spec, stored));
        Admitted { spec, is_new }
    });
    let expected = expected.map_err(|refusals| refusals.iter().map(ToString::to_string).collect::<Vec<_>>());
    let got = api_server::admit(gates, spec, stored.as_ref());
    prop_assert!(
        got == expected,
        "{gates:?}, {spec:#?} replaces {stored:#?}\n second reading: {expected:#?}\n core: {got:#?}"
    );
    Ok(())
}
