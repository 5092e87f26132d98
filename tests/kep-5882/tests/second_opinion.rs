//! The core makes the same decisions as the second reading of KEP-5882, in random worlds.
//!
//! `make test` tries a few thousand worlds for each question. To try a million of each, which takes some minutes:
//!
//!     KEP_5882_CASES=1000000 cargo test --release -p changeover-kep-5882 --test second_opinion

use changeover_kep_5882::api_server::start;
use changeover_kep_5882::comparison::{compare, compare_admission, compare_completion, expected};
use changeover_kep_5882::controller::{Operation, copies_annotation, run};
use changeover_kep_5882::random::{any_admission, any_world, cases, recreate_world, rolling_world};
use changeover_kep_5882::second_reading::annotations::is_skipped;
use changeover_kep_5882::second_reading::check_gates;
use changeover_kep_5882::settlement::{Settlement, Settlements};
use changeover_kep_5882::world::{Gates, World};
use proptest::proptest;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn scaling(world in any_world()) {
        compare(Operation::Scale, &world)?;
    }

    #[test]
    fn rolling_updates(world in rolling_world()) {
        compare(Operation::ReconcileNew, &world)?;
        compare(Operation::ReconcileOld, &world)?;
    }

    #[test]
    fn recreate_rollouts(world in recreate_world()) {
        compare(Operation::Sync, &world)?;
    }

    #[test]
    fn whole_syncs(world in any_world()) {
        compare(Operation::Sync, &world)?;
    }

    #[test]
    fn completion_progress_and_clean_up(world in any_world()) {
        compare_completion(&world)?;
        compare(Operation::SyncRolloutStatus, &world)?;
        compare(Operation::CleanUp, &world)?;
    }

    #[test]
    fn api_rules((gates, spec, stored) in any_admission()) {
        compare_admission(gates, &spec, stored.as_ref())?;
    }
}

/// The controller copies the same annotations.
#[test]
fn annotations_that_are_copied() {
    let keys = [
        "kubectl.kubernetes.io/last-applied-configuration",
        "deployment.kubernetes.io/revision",
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deployment.kubernetes.io/replicaset-replicas-before-scale",
        "deprecated.deployment.rollback.to",
        "example.com/owner",
    ];
    for pod_replacement_policy in [true, false] {
        let gates = Gates { terminating_replicas: true, pod_replacement_policy };
        for key in keys {
            let expected = !is_skipped(key, pod_replacement_policy);
            assert_eq!(copies_annotation(key, gates), expected, "{key}, {gates:?}");
        }
    }
}

/// A component starts with the same gates, and otherwise fails with the same message.
#[test]
fn gates_that_depend_on_each_other() {
    for [terminating_replicas, pod_replacement_policy] in [[true, true], [true, false], [false, true], [false, false]] {
        let gates = Gates { terminating_replicas, pod_replacement_policy };
        assert_eq!(start(gates), check_gates(gates), "{gates:?}");
    }
}

/// Without any one of the settlements, the two differ in some world, so none can be removed from the list.
#[test]
fn every_settlement_matters() {
    let mut runner = TestRunner::deterministic();
    let worlds = proptest::prop_oneof![any_world(), recreate_world()];
    let mut unseen = Settlement::ALL.to_vec();
    for _ in 0..20_000 {
        let world = worlds.new_tree(&mut runner).unwrap().current();
        let core = run(Operation::Sync, &world).outcome;
        unseen.retain(|settlement| {
            let world = World { settlements: Settlements::AllBut(*settlement), ..world.clone() };
            expected(Operation::Sync, &world) == core
        });
        if unseen.is_empty() {
            return;
        }
    }
    panic!("{unseen:?}");
}
