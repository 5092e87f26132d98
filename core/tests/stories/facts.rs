//! Checks the facts that each story mentions.

use changeover_core::apiserver::POD_DELETION_COST;
use changeover_core::controller::Verb;
use changeover_core::object::Time;
use changeover_core::timeline::{EndReason, Step};

use super::played_story::{Lane, PlayedStory, PodFigures, operand, read, seconds};

const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";

/// Kubernetes issue 95498.
#[test]
fn fifteen_become_twenty_six() {
    let story = PlayedStory::of("fifteen");
    let (start, first, waits) = (story.at(0, 0), story.at(1, 0), story.at(1, 1));
    let (desired, limit) = (start.desired, start.limit);
    let [peak, proposed_peak] = [0, 1].map(|lane| story.lanes[lane].peak());
    assert_eq!((desired, limit, peak, proposed_peak), (15, 19, 26, limit));
    story.assert_label_numbers(&[peak, limit]);
    story.assert_summary_numbers(&[desired, limit, peak, desired]);
    // A quarter of the pods: surge is rounded up, unavailable down.
    assert_eq!((limit, start.min_available), (desired + (desired + 3) / 4, desired - desired / 4));
    story.assert_caption_numbers(0, &[start.min_available, limit]);
    let todays = [first.terminating, first.pending, first.holding, first.over];
    story.assert_caption_numbers(
        1,
        &[&[first.holding, waits.holding], &todays[..], &[waits.pending, waits.holding]].concat(),
    );
    let next = story.at(2, 1);
    assert_eq!((next.holding, next.terminating), (limit, waits.terminating - 1));
    story.assert_caption_numbers(2, &[limit, 1, limit - 1, limit]);
    let worst = story.at(3, 0);
    assert_eq!(worst.holding, peak);
    story.assert_caption_numbers(3, &[peak, peak, story.seconds(1, 3), worst.over, story.at(3, 1).holding]);
    let [took, proposed_took] = [story.lanes[0].complete_after(), story.lanes[1].complete_after()].map(seconds);
    story.assert_caption_numbers(4, &[took, peak, proposed_took, limit]);
    let helped = story.with_help();
    let (less, no_surge) = (helped.lanes[1].peak(), helped.at(0, 1));
    story.assert_help_numbers(&[limit, no_surge.surge(), less, no_surge.surge()]);
    assert_eq!((no_surge.holding, no_surge.limit), (less, desired));
    let [took_less, took_before] = [1, 0].map(|lane| seconds(helped.lanes[lane].complete_after()));
    helped.assert_caption_numbers(
        0,
        &[less, no_surge.terminating, no_surge.pending, no_surge.limit, took_less, took_before],
    );
}

/// The review of kubernetes pull request 123430.
#[test]
fn down_to_two_and_back_to_five() {
    let (story, alone) = (PlayedStory::of("five-two-five"), &PlayedStory::chapters("five-two-five")[0]);
    let down = alone.at(1, 0);
    let grace = operand(alone.lanes[0].first("kubelet.gone"), "grace");
    alone.assert_caption_numbers(1, &[down.desired, down.terminating, grace]);
    let (today, proposed) = (story.at(1, 0), story.at(1, 1));
    let waited = alone.seconds(1, 2);
    let new = today.pending;
    alone.assert_caption_numbers(2, &[today.desired, waited, new, today.desired, today.holding]);
    alone.assert_caption_numbers(3, &[today.surge(), today.limit, today.holding, today.over]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(
        1,
        &[
            today.desired,
            waited,
            new,
            today.terminating,
            today.holding,
            today.over,
            proposed.available,
            proposed.terminating,
        ],
    );
    assert_eq!((proposed.pending, proposed.holding), (0, proposed.limit));
    story.assert_caption_numbers(2, &[story.seconds(1, 2), today.desired]);
    let (today, proposed) = (story.at(3, 0), story.at(3, 1));
    let served = |lane: &Lane| {
        lane.points()
            .zip(lane.series.points.iter().filter(|point| point.time >= story.time(0)))
            .filter(|(seen, point)| point.time > story.time(1) && seen.available == 5)
            .map(|(_, point)| point.time)
            .next()
            .unwrap()
    };
    let earlier = served(&story.lanes[1]).since(served(&story.lanes[0])) / Time::SECOND;
    assert_eq!((today.available, proposed.available), (5, 5));
    story.assert_caption_numbers(3, &[5, earlier, story.lanes[0].peak()]);
    story.assert_summary_numbers(&[5, down.desired, 5, story.lanes[0].peak(), down.terminating, grace, waited]);
    story.assert_label_numbers(&[story.lanes[0].peak(), 5]);
    let helped = story.with_help();
    assert_eq!([&story.lanes[0], &story.lanes[1], &helped.lanes[1]].map(Lane::peak), [8, 5, 5]);
    let scaled_up = |lane: usize| helped.lanes[lane].steps("user.scale", "")[1].time;
    story.assert_help_numbers(&[story.lanes[0].peak(), scaled_up(1).since(scaled_up(0)) / Time::SECOND]);
    let later = helped.at(0, 1);
    assert_eq!((later.terminating, helped.lanes[1].steps("kubelet.gone", "").len()), (0, 3));
    helped.assert_caption_numbers(0, &[helped.lanes[1].peak(), down.terminating, later.pending, later.available]);
}

/// The tables of KEP-5882: the first one today, and the third one with TerminationComplete (with the row that its
/// formula gives).
#[test]
fn a_scaling_in_parts() {
    let story = PlayedStory::of("partial");
    let (today, proposed) = (story.at(0, 0), story.at(0, 1));
    let stop = today.terminating;
    let assert_numbers = |caption: usize, before: &[i64], between: &[i64], after: &[i64]| {
        story.assert_caption_numbers(
            caption,
            &[before, &story.wanted(caption, 0), between, &story.wanted(caption, 1), after].concat(),
        );
    };
    assert_numbers(0, &[], &[], &[stop, proposed.over, today.limit]);
    assert_eq!(proposed.holding, today.desired + stop);
    let (today, proposed) = (story.at(1, 0), story.at(1, 1));
    assert_numbers(1, &[today.desired, today.limit], &[today.holding, proposed.pending], &[]);
    assert_eq!(proposed.holding, proposed.limit);
    let (today, proposed) = (story.at(2, 0), story.at(2, 1));
    assert_numbers(2, &[today.desired], &[today.holding, today.limit], &[proposed.holding]);
    let left = story.at(3, 1).terminating;
    story.assert_caption_numbers(3, &[&[stop - left, stop], &story.wanted(3, 1)[..], &[left]].concat());
    let (today, proposed) = (story.at(4, 0), story.at(4, 1));
    assert_eq!((today.holding, proposed.holding), (140, 140));
    assert_numbers(4, &[today.holding], &[], &[]);
    assert_eq!((story.lanes[0].peak(), story.lanes[1].peak()), (155, 140));
    let helped = story.with_help();
    let later = helped.at(0, 1);
    assert_eq!((later.terminating, helped.lanes[1].peak()), (0, later.holding));
    helped.assert_caption_numbers(0, &[helped.lanes[1].peak(), stop, later.holding, later.limit]);
    let desired = [0, 1, 2].map(|caption| story.at(caption, 0).desired);
    let versions = i64::try_from(story.wanted(0, 0).len()).unwrap();
    story.assert_summary_numbers(&[&desired[..], &[versions, stop]].concat());
    story.assert_help_numbers(&[story.lanes[0].peak()]);
    story.assert_label_numbers(&[]);
    // The annotation exists until the scaling is complete.
    let noted = |time| -> Vec<bool> {
        story.lanes[1]
            .replica_sets(time)
            .iter()
            .map(|set| set.metadata.annotations.contains_key(BEFORE_SCALE))
            .collect()
    };
    assert_eq!((noted(story.time(1)), noted(story.time(4))), (vec![true, false, true], vec![false; 3]));
    let alone = &PlayedStory::chapters("partial")[0];
    let [first, second, third, last] = [0, 1, 2, 3].map(|caption| alone.at(caption, 0));
    let wanted = |caption: usize| alone.wanted(caption, 0);
    let numbers = [&[versions, versions], &wanted(0)[..], &[stop, first.holding, first.limit]].concat();
    alone.assert_caption_numbers(0, &numbers);
    let added = second.desired - first.desired;
    let numbers = [&[second.desired, added], &wanted(1)[..], &[second.holding, second.limit]].concat();
    alone.assert_caption_numbers(1, &numbers);
    let numbers = [&[third.desired], &wanted(2)[..], &[third.holding, third.over, third.limit]].concat();
    alone.assert_caption_numbers(2, &numbers);
    alone.assert_caption_numbers(3, &[last.holding, alone.lanes[0].peak()]);
}

#[test]
fn a_cost_that_comes_too_late() {
    let (story, alone) = (PlayedStory::of("who-dies-first"), &PlayedStory::chapters("who-dies-first")[0]);
    let start = alone.at(0, 0);
    alone.assert_caption_numbers(0, &[start.holding, start.available]);
    let [late, in_time] = [&story.lanes[0], &story.lanes[1]];
    let (annotated, annotated_late) = (story.step(0), alone.step(2));
    let change = annotated.change.as_ref().unwrap();
    let cost: i64 =
        change.after.as_ref().unwrap().metadata().annotations[&POD_DELETION_COST.to_owned()].parse().unwrap();
    story.assert_caption_numbers(0, &[cost.abs(), 0]);
    let why = in_time.first("replicaset.delete.cost").reason().sentence();
    assert!(why.contains("cost is −100") && why.ends_with(" is 0."), "{why}");
    let scaled = late.first("user.scale").time;
    let desired = story.at(1, 0).desired;
    alone.assert_caption_numbers(1, &[desired, start.holding - desired]);
    story.assert_caption_numbers(1, &[desired, start.holding - desired]);
    story.assert_caption_numbers(2, &[cost.abs(), 0]);
    assert_eq!(annotated_late.time.since(scaled), 600 * Time::SECOND / 1000);
    assert_eq!(scaled.since(annotated.time), Time::SECOND);
    // The same pod in both lanes, and in both, the one without a node was the first.
    let idle = &annotated.change.as_ref().unwrap().key;
    assert_eq!(idle, &annotated_late.change.as_ref().unwrap().key);
    let gone = |lane: &Lane| -> Vec<_> {
        let steps = lane.timeline.steps.iter().filter(|step| step.time == scaled);
        let changes = steps.filter_map(|step| step.change.as_ref());
        changes.filter(|change| change.verb == Verb::Delete).map(|change| change.key.name.clone()).collect()
    };
    let (gone_late, gone_in_time) = (gone(late), gone(in_time));
    assert_eq!((gone_late.len(), gone_in_time.len(), &gone_late[0]), (2, 2, &gone_in_time[0]));
    assert_eq!((gone_in_time[1] == idle.name, gone_late.contains(&idle.name)), (true, false));
    let end = story.time(3);
    assert_eq!((late.active(end).contains(&idle.name), in_time.active(end).contains(&idle.name)), (true, false));
    // "0.6" counts as two numbers.
    alone.assert_caption_numbers(2, &[0, 6, cost.abs()]);
    story.assert_caption_numbers(3, &[in_time.at(end).available]);
    story.with_help().assert_caption_numbers(0, &[cost.abs(), start.available]);
    story.assert_help_numbers(&[]);
    story.assert_label_numbers(&[]);
    story.assert_summary_numbers(&[0, 6, start.holding, story.at(3, 0).available]);
}

#[test]
fn an_eviction_does_not_wait() {
    let (story, alone) = (PlayedStory::of("evicted"), &PlayedStory::chapters("evicted")[0]);
    let start = story.at(0, 0);
    let nodes = i64::try_from(read("evicted")["nodes"].as_array().unwrap().len()).unwrap();
    alone.assert_caption_numbers(0, &[start.available, nodes, start.desired, nodes]);
    alone.assert_caption_numbers(1, &[operand(story.step(2), "grace")]);
    story.assert_caption_numbers(0, &[]);
    for lane in [0, 1] {
        let seen = story.at(1, lane);
        story.assert_caption_numbers(
            1,
            &[seen.desired, seen.holding - seen.terminating - seen.pending, seen.holding, seen.over],
        );
        assert_eq!(story.lanes[lane].peak(), 4);
    }
    story.assert_caption_numbers(2, &[alone.seconds(1, 2) + story.seconds(1, 2), story.at(2, 0).holding]);
    let helped = story.with_help();
    helped.assert_caption_numbers(0, &[helped.lanes[1].seconds_over(), helped.lanes[0].seconds_over()]);
    story.assert_summary_numbers(&[story.lanes[0].peak(), start.limit]);
    story.assert_help_numbers(&[helped.lanes[1].seconds_over()]);
    story.assert_label_numbers(&[]);
    assert_eq!((helped.lanes[0].seconds_over(), helped.lanes[1].seconds_over()), (30, 5));
}

#[test]
fn a_rollout_waits_for_a_lost_node() {
    let (story, alone) = (PlayedStory::of("lost-node"), &PlayedStory::chapters("lost-node")[0]);
    alone.assert_caption_numbers(0, &[alone.at(0, 0).available, 3, alone.at(0, 0).available, 3]);
    let unreachable = alone.at(1, 0);
    assert_eq!(unreachable.holding, unreachable.available + unreachable.unknown);
    alone.assert_caption_numbers(1, &[operand(alone.step(1), "seconds"), unreachable.unknown, unreachable.available]);
    assert_eq!(alone.time(1).since(alone.lanes[0].first("user.lose-node").time), 50 * Time::SECOND);
    let replaced = alone.at(2, 0);
    alone.assert_caption_numbers(
        2,
        &[alone.seconds(1, 2) / 60, replaced.terminating, replaced.pending, replaced.holding],
    );
    let start = story.at(0, 1);
    assert_eq!(start.holding, replaced.holding);
    story.assert_caption_numbers(0, &[start.surge(), start.limit, start.holding]);
    let proposed = story.at(1, 1);
    story.assert_caption_numbers(1, &[proposed.holding, proposed.limit]);
    assert!(story.at(1, 0).holding > proposed.holding);
    assert_eq!(*story.wanted(1, 1).last().unwrap(), 0);
    let (today, proposed) = (story.at(2, 0), story.at(2, 1));
    assert_eq!((story.wanted(2, 0), story.wanted(2, 1)), (vec![0, 6], vec![5, 0]));
    story.assert_caption_numbers(2, &[today.available, proposed.available, proposed.terminating]);
    assert_eq!(proposed.holding, proposed.limit);
    assert!(story.lanes[1].steps("deployment.complete.complete", "").is_empty());
    let helped = story.with_help();
    let tainted = helped.lanes[1].first("user.taint-out-of-service").time;
    assert_eq!(tainted.since(helped.lanes[1].first("user.set-template").time), 120 * Time::SECOND);
    let removed = i64::try_from(helped.lanes[1].steps("pod-gc.out-of-service", "").len()).unwrap();
    helped.assert_caption_numbers(0, &[removed, helped.at(0, 1).available]);
    story.assert_summary_numbers(&[]);
    story.assert_help_numbers(&[]);
    story.assert_label_numbers(&[]);
}

/// KEP-5882, "kubectl Skew".
#[test]
fn an_older_kubectl_leaves_an_annotation() {
    let (story, alone) = (PlayedStory::of("older-kubectl"), &PlayedStory::chapters("older-kubectl")[0]);
    alone.assert_caption_numbers(0, &[alone.at(0, 0).available, alone.at(0, 0).surge()]);
    let wanted = alone.wanted(1, 0);
    alone.assert_caption_numbers(
        1,
        &[
            8,
            alone.at(1, 0).desired,
            wanted[1],
            wanted[0],
            operand(alone.step(1), "owed"),
            operand(alone.step(1), "base"),
        ],
    );
    let scaled = alone.lanes[0].steps("user.scale", "8");
    assert_eq!(alone.time(1).since(scaled[0].time), Time::SECOND);
    // A second later, so that the rollback is stuck.
    let missing = alone.lanes[0].at(alone.time(2).plus(Time::SECOND));
    alone.assert_caption_numbers(2, &[missing.desired - missing.min_available]);
    assert_eq!(alone.lanes[0].steps("user.annotate", "").len(), 0);
    alone.assert_caption_numbers(3, &[alone.wanted(3, 0)[0]]);
    let before = alone.wanted(3, 0);
    assert_eq!(before, [10, 10]);
    let noted = |lane: &Lane, time: Time| {
        let sets = lane.replica_sets(time);
        sets.iter().map(|set| set.metadata.annotations.contains_key(BEFORE_SCALE)).collect::<Vec<_>>()
    };
    let noted_alone = |caption: usize| noted(&alone.lanes[0], alone.time(caption));
    assert_eq!([1, 3, 4].map(noted_alone), [vec![true, false], vec![false, false], vec![true, false]]);
    assert_eq!(noted(&story.lanes[1], alone.time(4)), [false, false]);
    alone.assert_caption_numbers(4, &[]);
    story.assert_caption_numbers(0, &[before.iter().sum(), before[0]]);
    story.assert_summary_numbers(&[]);
    story.assert_help_numbers(&[]);
    story.assert_label_numbers(&[]);
    let (spoilt, right) = (story.wanted(1, 0), story.wanted(1, 1));
    assert_eq!((&spoilt[..], &right[..]), (&[9, 21][..], &[15, 15][..]));
    let shrinks = story.lanes[0].steps("deployment.scale.proportional", "6")[0];
    let [base, from, to] = ["base", "from", "to"].map(|name| operand(shrinks, name));
    let desired = story.at(1, 0).desired;
    story.assert_caption_numbers(
        1,
        &[
            desired,
            base,
            before.iter().sum(),
            to,
            desired,
            from,
            to,
            spoilt[0],
            spoilt[1],
            right[0] - before[0],
            right[1],
            right[0],
        ],
    );
    story.assert_caption_numbers(2, &[before[0], spoilt[0], spoilt[1]]);
    let helped = story.with_help();
    helped.assert_caption_numbers(0, &[helped.wanted(0, 0)[0], helped.wanted(0, 0)[1], helped.at(0, 0).desired]);
}

#[test]
fn complete_while_old_pods_serve() {
    let (story, alone) = (PlayedStory::of("still-serving"), &PlayedStory::chapters("still-serving")[0]);
    let start = alone.at(0, 0);
    let grace = operand(alone.lanes[0].first("kubelet.gone"), "grace") / 60;
    alone.assert_caption_numbers(0, &[start.available, start.available, grace]);
    let surged = alone.at(1, 0);
    alone.assert_caption_numbers(1, &[surged.pending]);
    assert_eq!(surged.surge(), surged.desired);
    let complete = alone.at(2, 0);
    let took = alone.seconds(1, 2);
    alone.assert_caption_numbers(2, &[took, complete.terminating]);
    alone.assert_caption_numbers(3, &[alone.seconds(2, 3) / 60]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[took, complete.terminating]);
    assert_eq!(story.at(2, 1).terminating, 0);
    let proposed = story.lanes[1].first("deployment.complete.complete").time;
    assert_eq!((proposed > story.time(1), proposed == story.time(2)), (true, true));
    story.assert_caption_numbers(2, &[took + story.seconds(1, 2), complete.terminating]);
    assert_eq!([0, 1].map(|lane| seconds(story.lanes[lane].complete_after())), [5, 305]);
    let helped = story.with_help();
    let [before, after] = [0, 1].map(|lane| &helped.lanes[lane]);
    let gone = |lane: &Lane| {
        let last = lane.steps("kubelet.gone", "").last().unwrap().time;
        last.since(lane.first("deployment.complete").time) / Time::SECOND
    };
    let said_after = seconds(after.complete_after());
    helped.assert_caption_numbers(
        0,
        &[said_after + gone(after), said_after, complete.terminating, gone(after), gone(before)],
    );
    assert_eq!(helped.at(0, 1).terminating, 0);
    story.assert_summary_numbers(&[complete.terminating]);
    story.assert_help_numbers(&[gone(after)]);
    story.assert_label_numbers(&[]);
}

#[test]
fn an_image_that_can_not_be_pulled() {
    let (story, alone) = (PlayedStory::of("stuck"), &PlayedStory::chapters("stuck")[0]);
    let start = alone.at(0, 0);
    alone.assert_caption_numbers(
        0,
        &[start.available, start.available, start.surge(), start.desired - start.min_available],
    );
    let stuck = alone.at(1, 0);
    alone.assert_caption_numbers(1, &[stuck.pending, stuck.terminating, stuck.available, stuck.min_available]);
    let waits = alone.lanes[0].steps("kubelet.pull-back-off", "");
    let wait = |step: &Step| {
        step.reason().values.iter().map(ToString::to_string).find(|text| text.ends_with(['s', 'm'])).unwrap()
    };
    assert_eq!([wait(waits[0]), wait(waits[2]), wait(waits[waits.len() - 1])], ["10s", "20s", "5m"]);
    alone.assert_caption_numbers(2, &[10, 20, 5]);
    let minutes = operand(alone.step(3), "deadline") / 60;
    alone.assert_caption_numbers(3, &[minutes]);
    assert_eq!(alone.lanes[0].steps("deployment.timed-out", "").len(), 1);
    let back = alone.at(4, 0);
    alone.assert_caption_numbers(4, &[(alone.seconds(3, 4) + 1) / 60, stuck.pending, back.pending]);
    alone.assert_caption_numbers(5, &[alone.at(5, 0).available, stuck.available]);
    assert!(alone.lanes[0].points().all(|seen| seen.available >= 3));
    let ready = alone.lanes[0].first("kubelet.ready").time;
    let starts = seconds(ready.since(alone.time(4)));
    let short = operand(story.step(1), "deadline");
    story.assert_caption_numbers(0, &[minutes, short, starts, minutes]);
    let reported = [0, 1].map(|lane: usize| story.lanes[lane].first("deployment.timed-out").time);
    story.assert_caption_numbers(1, &[short, seconds(reported[0].since(reported[1])) / 60]);
    let rolled_back = |lane: usize| {
        let lane = &story.lanes[lane];
        seconds(lane.first("user.undo").time.since(lane.first("user.set-template").time))
    };
    let [late, early] = [0, 1].map(rolled_back);
    story.assert_caption_numbers(2, &[early, late / 60]);
    let last = [0, 1].map(|lane| story.at(3, lane).available);
    assert_eq!(last[0], last[1]);
    story.assert_caption_numbers(3, &[last[0], back.pending, last[0], late - early]);
    let helped = story.with_help();
    let [missing, whole] = [0, 1].map(|lane| helped.at(0, lane));
    story.assert_help_numbers(&[
        whole.desired - whole.min_available,
        whole.available,
        whole.desired - whole.min_available,
    ]);
    helped.assert_caption_numbers(0, &[whole.available, whole.pending, missing.available]);
    story.assert_summary_numbers(&[minutes]);
    story.assert_label_numbers(&[]);
}

#[test]
fn a_quota_refuses_what_the_limit_allows() {
    let (own, story) = (PlayedStory::of("quota"), &PlayedStory::chapters("quota")[0]);
    let quota = read("quota")["objects"][0]["spec"]["hard"]["pods"].as_str().unwrap().parse::<i64>().unwrap();
    let start = story.at(0, 0);
    story.assert_caption_numbers(0, &[start.available, start.available, start.surge(), start.limit, quota]);
    let first = story.at(1, 0);
    let grace = operand(story.lanes[0].first("kubelet.gone"), "grace");
    story.assert_caption_numbers(1, &[first.terminating, grace, first.holding]);
    story.assert_caption_numbers(2, &[]);
    assert_eq!(story.at(2, 0).holding, quota);
    let next_try = |step: &Step| step.reason().value("nextTry").unwrap().to_string();
    let wait = |caption: usize| next_try(story.step(caption));
    assert_eq!((wait(2), wait(3)), ("5ms".into(), "1m21s920ms".into()));
    // To the nearest second, as the explanation of the step says it.
    story.assert_caption_numbers(3, &[5, 16, (81_920 + 500) / 1000]);
    // If the terminating pods took longer, the delay would grow to its maximum.
    let mut longer = read("quota");
    longer["actions"][0]["create"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 7200.into();
    let longer = Lane::play(&longer, 0);
    let most = longer.steps("quota.exceeded", "").last().map(|step| next_try(step));
    assert_eq!(most.as_deref(), Some("16m40s"));
    let room = story.at(4, 0);
    assert_eq!((room.terminating, room.holding), (1, 2));
    story.assert_caption_numbers(4, &[story.seconds(1, 4), room.holding, quota]);
    story.assert_caption_numbers(5, &[story.seconds(4, 5)]);
    assert!(own.lanes[1].steps("quota.exceeded", "").is_empty());
    for gone in own.lanes[1].steps("kubelet.gone", "") {
        let created = own.lanes[1].steps("replicaset.create", "");
        assert!(created.iter().any(|step| step.time == gone.time));
    }
    assert_eq!(own.lanes[1].timeline.end.reason, EndReason::Quiet);
    own.assert_caption_numbers(0, &[]);
    own.assert_caption_numbers(1, &[]);
    own.assert_caption_numbers(2, &[grace]);
    assert!(own.at(2, 0).holding < quota);
    let [before, took] = [0, 1].map(|lane| seconds(own.lanes[lane].complete_after()));
    own.assert_caption_numbers(3, &[before, took]);
    let helped = own.with_help();
    let roomy = helped.at(0, 1);
    assert!(helped.lanes[1].steps("quota.exceeded", "").is_empty());
    let took = seconds(helped.lanes[1].complete_after());
    helped.assert_caption_numbers(0, &[took, roomy.holding, roomy.terminating, before]);
    own.assert_summary_numbers(&[quota, start.desired, start.desired, quota]);
    own.assert_help_numbers(&[roomy.holding, roomy.holding]);
    own.assert_label_numbers(&[]);
}

#[test]
fn a_node_is_added_for_nothing() {
    let story = PlayedStory::of("autoscaler");
    let scenario = read("autoscaler");
    let nodes = i64::try_from(scenario["nodes"].as_array().unwrap().len()).unwrap();
    let alone = &PlayedStory::chapters("autoscaler")[0];
    let start = alone.at(0, 0);
    alone.assert_caption_numbers(
        0,
        &[start.available, nodes, scenario["nodes"][0]["pods"].as_i64().unwrap(), start.surge()],
    );
    let gone = alone.lanes[0].first("kubelet.gone");
    alone.assert_caption_numbers(1, &[alone.at(1, 0).terminating, operand(gone, "grace")]);
    alone.assert_caption_numbers(2, &[alone.seconds(1, 2)]);
    assert_eq!(gone.time, alone.time(3));
    alone.assert_caption_numbers(3, &[alone.seconds(1, 3)]);
    let ready = alone.lanes[0].first("cluster-autoscaler.node-ready").time;
    alone.assert_caption_numbers(4, &[alone.time(4).since(ready) / Time::SECOND / 60]);
    let (today, proposed) = (story.at(1, 0), story.at(1, 1));
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[today.terminating, operand(gone, "grace")]);
    assert_eq!((today.pending, proposed.pending, proposed.terminating), (1, 0, today.terminating));
    let [took, took_below] = [0, 1].map(|lane| seconds(story.lanes[lane].complete_after()));
    assert_eq!((took, took), (took_below, story.seconds(1, 2)));
    story.assert_caption_numbers(2, &[took, nodes + 1]);
    // No pod ever ran on it, and with TerminationComplete it was never ordered.
    let added = story.step(2).reason().values[0].to_string();
    let bound = |node: &str| story.lanes[0].steps("scheduler.bind", node).len();
    assert_eq!((bound("node-a"), bound("node-b"), bound(&added)), (1, 1, 0));
    assert!(story.lanes[1].steps("cluster-autoscaler.scale-up", "").is_empty());
    let helped = story.with_help();
    let patience =
        read("autoscaler-patient")["autoscaler"]["after"].as_str().unwrap().trim_end_matches('s').parse::<i64>();
    story.assert_summary_numbers(&[]);
    story.assert_help_numbers(&[patience.unwrap()]);
    story.assert_label_numbers(&[]);
    assert!(helped.lanes[1].steps("cluster-autoscaler.scale-up", "").is_empty());
    let waited = helped.lanes[1].first("scheduler.bind").time.since(helped.lanes[1].first("user.set-template").time);
    helped.assert_caption_numbers(0, &[waited / Time::SECOND, seconds(helped.lanes[1].complete_after())]);
    assert_eq!(seconds(helped.lanes[1].complete_after()), took);
}

#[test]
fn scaling_under_recreate_does_not_wait() {
    let (story, alone) = (PlayedStory::of("recreate"), &PlayedStory::chapters("recreate")[0]);
    alone.assert_caption_numbers(0, &[alone.at(0, 0).available]);
    alone.assert_caption_numbers(1, &[operand(alone.lanes[0].first("kubelet.gone"), "grace")]);
    let waits = alone.at(1, 0);
    assert_eq!((waits.terminating, waits.holding), (1, 1));
    assert_eq!((alone.at(2, 0).terminating, alone.at(2, 0).holding), (0, 1));
    alone.assert_caption_numbers(2, &[]);
    let scaled = story.lanes[0].steps("user.scale", "");
    let after = scaled[1].time.since(scaled[0].time) / Time::SECOND;
    let (today, proposed) = (story.at(1, 0), story.at(1, 1));
    alone.assert_caption_numbers(3, &[0, today.desired, after, 0, today.terminating]);
    alone.assert_caption_numbers(4, &[]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[today.desired, after, 0, today.holding, today.limit]);
    assert_eq!((proposed.terminating, proposed.holding), (1, 1));
    story.assert_caption_numbers(2, &[]);
    assert_eq!(story.time(1), story.time(2));
    story.assert_caption_numbers(3, &[story.seconds(2, 3)]);
    assert_eq!((story.at(3, 1).pending, story.lanes[1].steps("attach-detach.multi-attach", "").len()), (1, 0));
    let ready = |lane: usize| story.lanes[lane].steps("kubelet.ready", "").last().unwrap().time;
    assert_eq!(ready(0), ready(1));
    story.assert_caption_numbers(4, &[story.seconds(2, 3)]);
    story.assert_summary_numbers(&[0]);
    story.assert_label_numbers(&[]);
    let helped = story.with_help();
    let scaled_up = |lane: usize| helped.lanes[lane].steps("user.scale", "")[1].time;
    story.assert_help_numbers(&[scaled_up(1).since(scaled_up(0)) / Time::SECOND]);
    let ready = |lane: usize| helped.lanes[lane].steps("kubelet.ready", "").last().unwrap().time;
    let started = |lane: usize| ready(lane).since(scaled_up(lane)) / Time::SECOND;
    let sooner = ready(1).since(ready(0)) / Time::SECOND;
    helped.assert_caption_numbers(0, &[started(1), sooner, started(0) - started(1)]);
    assert_eq!([0, 1].map(|lane| helped.lanes[lane].peak()), [2, 1]);
}

/// Kubernetes issue 116891.
#[test]
fn a_rule_for_each_node_blocks_a_rollout() {
    let (story, alone) = (PlayedStory::of("one-per-node"), &PlayedStory::chapters("one-per-node")[0]);
    let nodes = |name: &str| i64::try_from(read(name)["nodes"].as_array().unwrap().len()).unwrap();
    let start = alone.at(0, 0);
    let missing = |figures: &PodFigures| figures.desired - figures.min_available;
    assert_eq!((start.surge(), missing(&start)), (1, 0));
    story.assert_summary_numbers(&[start.desired, nodes("one-per-node"), 2, start.desired, nodes("one-per-node")]);
    story.assert_label_numbers(&[]);
    alone.assert_caption_numbers(0, &[start.available, nodes("one-per-node"), 2]);
    let stuck = alone.at(1, 0);
    assert_eq!((stuck.pending, stuck.terminating, stuck.available), (start.surge(), 0, stuck.min_available));
    alone.assert_caption_numbers(1, &[stuck.available]);
    alone.assert_caption_numbers(2, &[operand(alone.step(2), "deadline") / 60]);
    assert_eq!(alone.lanes[0].timeline.end.reason, EndReason::Quiet);
    assert!(alone.lanes[0].steps("deployment.complete", "").is_empty());
    let least = |lane: &Lane| lane.points().map(|seen| seen.available).min().unwrap();
    let (lane, other) = (&story.lanes[1], story.at(0, 1));
    story.assert_caption_numbers(0, &[other.surge(), missing(&other), missing(&other)]);
    story.assert_caption_numbers(1, &[operand(lane.first("kubelet.gone"), "grace")]);
    let took = |lane: &Lane| seconds(lane.complete_after());
    story.assert_caption_numbers(2, &[took(lane), story.at(2, 1).available, least(lane)]);
    let helped = story.with_help();
    story.assert_help_numbers(&[]);
    let [spare, preferred] = [0, 1].map(|lane| &helped.lanes[lane]);
    helped.assert_caption_numbers(0, &[took(spare), took(preferred)]);
    assert_eq!((nodes("one-per-node-spare"), nodes("one-per-node-preferred")), (4, 3));
    assert_eq!([spare, preferred].map(least), [start.desired; 2]);
    // In the end, no two pods share a node.
    let places = |lane: &Lane| {
        let mut cursor = lane.timeline.cursor();
        cursor.seek(&lane.timeline, lane.timeline.len());
        cursor
            .state()
            .pods()
            .map(|pod| pod.spec.node_name.clone().unwrap())
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    for lane in [lane, spare, preferred] {
        assert_eq!(places(lane), 3);
    }
}

/// Kubernetes issue 25146.
#[test]
fn full_nodes_block_a_rollout() {
    let (story, alone) = (PlayedStory::of("full-pool"), &PlayedStory::chapters("full-pool")[0]);
    let scenario = read("full-pool");
    let nodes = scenario["nodes"].as_array().unwrap();
    let room = |node: usize| nodes[node]["pods"].as_i64().unwrap();
    let start = alone.at(0, 0);
    let missing = |figures: &PodFigures| figures.desired - figures.min_available;
    let count = i64::try_from(nodes.len()).unwrap();
    assert_eq!((start.available, (0..nodes.len()).map(room).sum::<i64>()), (start.desired, start.desired));
    story.assert_summary_numbers(&[start.desired, start.surge(), start.desired]);
    let numbers = [start.available, count, room(0), 25, 25, start.desired, start.surge(), missing(&start)];
    alone.assert_caption_numbers(0, &numbers);
    let stuck = alone.at(1, 0);
    assert_eq!((stuck.pending, stuck.terminating, stuck.available), (start.surge(), 0, stuck.min_available));
    alone.assert_caption_numbers(1, &[stuck.available]);
    alone.assert_caption_numbers(2, &[operand(alone.step(2), "deadline") / 60]);
    assert_eq!(alone.lanes[0].timeline.end.reason, EndReason::Quiet);
    assert!(alone.lanes[0].steps("deployment.complete", "").is_empty());
    let least = |lane: &Lane| lane.points().map(|seen| seen.available).min().unwrap();
    let (lane, other) = (&story.lanes[1], story.at(0, 1));
    story.assert_caption_numbers(0, &[other.surge(), missing(&other)]);
    story.assert_caption_numbers(1, &[operand(lane.first("kubelet.gone"), "grace")]);
    let took = |lane: &Lane| seconds(lane.complete_after());
    story.assert_caption_numbers(2, &[took(lane), story.at(2, 1).available, least(lane)]);
    let helped = story.with_help();
    story.assert_help_numbers(&[stuck.pending, stuck.pending]);
    helped.assert_caption_numbers(0, &[took(&helped.lanes[1]), least(&helped.lanes[1])]);
    story.assert_label_numbers(&[]);
}
