//! The tables of "Deployment Scaling Changes and a New Annotation for ReplicaSets", with the KEP's numbers. The surge
//! is 10 in all of them.

use super::sample::{annotated, rolling, set, sizes, world};
use super::scaling::{is_scaling_event, scale};
use crate::world::{Policy, ReplicaSet, World};

/// RS1 to RS3 at T1, scaled for a Deployment of 100.
fn at_t1(sizes: [i64; 3], terminating: i64) -> World {
    let [rs1, rs2, rs3] = sizes;
    let sets = vec![
        annotated(set("rs1", rs1, terminating), 100, 110),
        annotated(set("rs2", rs2, 0), 100, 110),
        annotated(set("rs3", rs3, 0), 100, 110),
    ];
    World { strategy: rolling(10, 0), new: Some(2), ..world(100, sets) }
}

/// The next row: the Deployment is scaled to `replicas`, and `terminating` pods terminate. All other pods exist.
fn next(world: &World, replicas: i64, terminating: i64) -> World {
    let mut sets: Vec<ReplicaSet> = world.sets.clone();
    for set in &mut sets {
        set.status_replicas = set.replicas;
    }
    sets[0].terminating = Some(terminating);
    let next = World { replicas, sets, ..world.clone() };
    assert!(is_scaling_event(&next), "{replicas}, {terminating}");
    let sets = scale(&next).unwrap();
    World { sets, ..next }
}

fn before(world: &World) -> Vec<Option<&str>> {
    world.sets.iter().map(|set| set.annotations.before.as_deref()).collect()
}

fn max(world: &World) -> Vec<Option<&str>> {
    world.sets.iter().map(|set| set.annotations.max.as_deref()).collect()
}

#[test]
fn table_1_scales_twice_despite_terminating_pods() {
    for policy in [Policy::Nil, Policy::Started] {
        let mut t1 = at_t1([60, 30, 20], 15);
        t1.policy = policy;
        let t2 = next(&t1, 120, 15);
        assert_eq!(sizes(&t2.sets), [71, 35, 24]);
        let t3 = next(&t2, 130, 15);
        assert_eq!(sizes(&t3.sets), [76, 38, 26]);
        assert_eq!(before(&t3), [None, None, None]);
    }
}

#[test]
fn table_1_holds_under_complete_if_nothing_terminates() {
    let t2 = next(&at_t1([60, 30, 20], 0), 120, 0);
    assert_eq!(sizes(&t2.sets), [71, 35, 24]);
    let t3 = next(&t2, 130, 0);
    assert_eq!(sizes(&t3.sets), [76, 38, 26]);
    assert_eq!(before(&t3), [None, None, None]);
}

#[test]
fn table_2_scales_once_in_three_steps() {
    let t2 = next(&at_t1([50, 30, 20], 15), 120, 15);
    assert_eq!(sizes(&t2.sets), [59, 35, 21]);
    assert_eq!(before(&t2), [None, None, Some("20")]);
    assert_eq!(max(&t2), [Some("130"), Some("130"), Some("110")]);

    let t3 = next(&t2, 120, 5);
    assert_eq!(sizes(&t3.sets), [66, 35, 24]);
    // RS3 has its proportion. The leftover pods go to RS1, which is not finished.
    assert_eq!(before(&t3), [Some("59"), None, None]);
    assert_eq!(max(&t3), [Some("130"), Some("130"), Some("130")]);

    let t4 = next(&t3, 120, 0);
    assert_eq!(sizes(&t4.sets), [71, 35, 24]);
    assert_eq!(before(&t4), [None, None, None]);
    assert!(!is_scaling_event(&t4));
}

/// Row T3 of the KEP is 66, 38, 21, which its own formula doesn't give: RS1 grows to 59 * 1.077 = 64, RS2 to 38, and the
/// last 2 of the 10 replicas belong to RS3, which wants 20 * 1.273 = 25. Rows T4 and T5 are the same from there.
#[test]
fn table_3_scales_twice_while_pods_terminate() {
    let t2 = next(&at_t1([50, 30, 20], 15), 120, 15);
    assert_eq!(sizes(&t2.sets), [59, 35, 21]);

    let t3 = next(&t2, 130, 15);
    assert_eq!(sizes(&t3.sets), [64, 38, 23]);
    assert_eq!(before(&t3), [None, None, Some("20")]);
    assert_eq!(max(&t3), [Some("140"), Some("140"), Some("110")]);

    let t4 = next(&t3, 130, 5);
    assert_eq!(sizes(&t4.sets), [72, 38, 25]);
    let t5 = next(&t4, 130, 0);
    assert_eq!(sizes(&t5.sets), [77, 38, 25]);
    assert_eq!(before(&t5), [None, None, None]);
}

#[test]
fn table_3_continues_from_row_t3_of_the_kep() {
    let t2 = next(&at_t1([50, 30, 20], 15), 120, 15);
    let mut t3 = next(&t2, 130, 15);
    for (set, size) in t3.sets.iter_mut().zip([66, 38, 21]) {
        set.replicas = size;
    }
    let t4 = next(&t3, 130, 5);
    assert_eq!(sizes(&t4.sets), [72, 38, 25]);
    let t5 = next(&t4, 130, 0);
    assert_eq!(sizes(&t5.sets), [77, 38, 25]);
}
