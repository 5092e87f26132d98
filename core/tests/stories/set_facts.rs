//! Checks the facts that each story about StatefulSets mentions.

use super::played_story::{Lane, PlayedStory, read, seconds};

/// Kubernetes issue 67250.
#[test]
fn a_rollback_does_not_repair_a_stateful_set() {
    let (story, alone) = (PlayedStory::of("set-stuck"), &PlayedStory::chapters("set-stuck")[0]);
    story.assert_summary_numbers(&[]);
    story.assert_label_numbers(&[]);
    let lane = &alone.lanes[0];
    assert_eq!(alone.at(0, 0).available, 3);
    alone.assert_caption_numbers(0, &[3, 0, 1, 2]);
    assert_eq!(alone.step(1).about.name.as_ref(), "db");
    alone.assert_caption_numbers(1, &[2]);
    let broken = alone.at(2, 0);
    assert_eq!((broken.pending, broken.holding), (1, 3));
    alone.assert_caption_numbers(2, &[2, broken.available]);
    let noticed = seconds(alone.time(3).since(lane.first("user.set-template").time));
    alone.assert_caption_numbers(3, &[noticed / 60, 2, 2]);
    // Nothing changes any more.
    let end = lane.at(lane.end());
    assert_eq!((end.pending, end.available), (1, 2));
    story.assert_caption_numbers(0, &[2]);
    story.assert_caption_numbers(1, &[2, 2]);
    let [alone, deleted] = [0, 1].map(|lane| story.at(2, lane));
    story.assert_caption_numbers(2, &[deleted.available, story.seconds(1, 2), alone.available]);
    let helped = story.with_help();
    story.assert_help_numbers(&[]);
    let repaired = |lane: &Lane| {
        let undone = lane.first("user.undo").time;
        let ready = lane.steps("kubelet.ready", "db-2");
        ready.iter().find(|step| step.time > undone).map(|step| seconds(step.time.since(undone)))
    };
    assert_eq!(repaired(&helped.lanes[0]), None);
    let after = repaired(&helped.lanes[1]).unwrap();
    helped.assert_caption_numbers(0, &[after, 2]);
    let mut older = read("set-stuck-parallel");
    older["featureGates"]["MaxUnavailableStatefulSet"] = false.into();
    assert_eq!(repaired(&Lane::play(&older, 0)), Some(after));
}

#[test]
fn a_partition_makes_a_canary() {
    let (story, alone) = (PlayedStory::of("canary"), &PlayedStory::chapters("canary")[0]);
    let start = alone.at(0, 0);
    story.assert_summary_numbers(&[start.desired, 4]);
    story.assert_label_numbers(&[]);
    assert_eq!(read("canary")["actions"][0]["create"]["spec"]["updateStrategy"]["rollingUpdate"]["partition"], 4);
    alone.assert_caption_numbers(0, &[start.available, 0, start.desired - 1, 4]);
    alone.assert_caption_numbers(1, &[4, start.desired - 1]);
    assert_eq!(alone.step(1).reason().value("old").unwrap().to_string(), "4");
    alone.assert_caption_numbers(2, &[0, 3]);
    let least = alone.lanes[0].points().map(|seen| seen.available).min().unwrap();
    alone.assert_caption_numbers(3, &[alone.at(3, 0).available, least]);
    story.assert_caption_numbers(0, &[]);
    let changed = story.lanes[0].first("user.set-template").time;
    let updated = seconds(story.time(1).since(changed));
    let created = |lane: usize| i64::try_from(story.lanes[lane].steps("kubelet.ready", "").len()).unwrap();
    story.assert_caption_numbers(1, &[start.desired, updated, start.desired, start.desired - 1]);
    story.assert_caption_numbers(2, &[seconds(story.time(2).since(changed)) / 60, start.desired, 4]);
    // Each pod is replaced twice.
    assert_eq!([created(0), created(1)], [2 * start.desired, 2]);
    let undone = story.time(2);
    let [all, canary] = [0, 1].map(|lane: usize| {
        let last = story.lanes[lane].steps("kubelet.ready", "").last().unwrap().time;
        seconds(last.since(undone))
    });
    story.assert_caption_numbers(3, &[all - canary, canary, all]);
    let helped = story.with_help();
    story.assert_help_numbers(&[60, 60]);
    assert_eq!(read("canary-slow")["actions"][0]["create"]["spec"]["minReadySeconds"], 60);
    let slow = helped.lanes[1].steps("statefulset.create", "").iter().filter(|step| step.time < helped.time(0)).count();
    helped.assert_caption_numbers(0, &[i64::try_from(slow).unwrap(), 4, 3, start.desired]);
}
