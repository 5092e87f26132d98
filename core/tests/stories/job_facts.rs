//! Checks the facts that each story about Jobs mentions.

use changeover_core::timeline::Actor;
use changeover_core::workload::job::JobTotals;

use super::played_story::{Lane, PlayedStory, operand, seconds};

fn finished(totals: &JobTotals) -> i64 {
    seconds(totals.finished.unwrap())
}

fn condition(totals: &JobTotals) -> &str {
    totals.status.as_ref().unwrap().condition.as_deref().unwrap()
}

fn failed(totals: &JobTotals) -> i64 {
    totals.status.as_ref().unwrap().failed.into()
}

/// Kubernetes issue 115844.
#[test]
fn two_pods_of_one_index() {
    let story = PlayedStory::of("two-of-index");
    let [by_default, with_failed] = [0, 1].map(|lane| story.lanes[lane].job_totals());
    let twice = story.lanes[0].seconds_with_two_of_index();
    assert_eq!((by_default.most_of_index, with_failed.most_of_index), (2, 1));
    assert_eq!([&by_default, &with_failed].map(condition), ["Complete"; 2]);
    let alone = &PlayedStory::chapters("two-of-index")[0];
    let start = alone.lanes[0].job_at(alone.time(1));
    let pods = i64::from(start.status.unwrap().completions.unwrap());
    story.assert_label_numbers(&[2]);
    story.assert_summary_numbers(&[twice, pods, i64::from(by_default.most_of_index)]);
    alone.assert_caption_numbers(0, &[pods, 0, pods - 1]);
    let gone = story.lanes[0].first("kubelet.gone");
    alone.assert_caption_numbers(1, &[1, operand(gone, "grace"), operand(gone, "seconds")]);
    // Seconds from the eviction to the replacement.
    let replaced = alone.seconds(1, 2);
    assert_eq!(alone.lanes[0].job_at(alone.time(2)).most_of_index, 2);
    alone.assert_caption_numbers(2, &[1, replaced, 2, 1]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[1, 2, 1]);
    let later = story.seconds(1, 2);
    story.assert_caption_numbers(2, &[later]);
    story.assert_caption_numbers(3, &[finished(&by_default), finished(&with_failed), 2]);
    let helped = story.with_help();
    let quick = helped.lanes[1].first("kubelet.held");
    let [slow_start, quick_start] =
        [0, 1].map(|lane| helped.lanes[lane].seconds_until("job.create.index.after-failure", "train-1", 2) - 20);
    story.assert_help_numbers(&[operand(quick, "seconds")]);
    let back_off = quick_start - operand(quick, "seconds");
    helped.assert_caption_numbers(0, &[quick_start, slow_start, operand(quick, "seconds"), back_off]);
    assert_eq!(slow_start, replaced + later);
}

/// Kubernetes issue 63954 and KEP-3329.
#[test]
fn a_training_job_is_preempted() {
    let story = PlayedStory::of("preempted");
    let [without, with_policy] = [0, 1].map(|lane| story.lanes[lane].job_totals());
    assert_eq!([&without, &with_policy].map(condition), ["Failed", "Complete"]);
    let alone = &PlayedStory::chapters("preempted")[0];
    let failure = story.step(1);
    let limit = operand(failure, "limit");
    let pods = i64::from(with_policy.status.as_ref().unwrap().succeeded);
    story.assert_label_numbers(&[]);
    story.assert_summary_numbers(&[limit]);
    alone.assert_caption_numbers(0, &[pods, run(&story.lanes[1]), limit]);
    alone.assert_caption_numbers(1, &[]);
    let healthy = i64::try_from(story.lanes[0].steps("job.delete.over", "").len()).unwrap();
    for (chapter, caption) in [(alone, 2), (&story, 1)] {
        chapter.assert_caption_numbers(caption, &[operand(failure, "failed"), limit, healthy]);
    }
    story.assert_caption_numbers(0, &[]);
    let ended = story.lanes[1].first("kubelet.held").time;
    let replaced = story.lanes[1].steps("job.create.index.after-failure", "train-1")[1].time;
    story.assert_caption_numbers(2, &[seconds(replaced.since(ended))]);
    story.assert_caption_numbers(3, &[pods, finished(&with_policy), failed(&with_policy)]);
    let helped = story.with_help();
    let given_up = helped.lanes[1].seconds_until("job.target.pod-failure-policy", "", 1);
    let tried = helped.lanes[0].seconds_until("job.target.backoff-limit", "", 1);
    story.assert_help_numbers(&[42]);
    let attempts = helped.lanes[0].steps("kubelet.failed", "train-1").len();
    helped.assert_caption_numbers(0, &[given_up, tried, 1, 42, i64::try_from(attempts).unwrap()]);
}

/// How many seconds the pods of index 0 run.
fn run(lane: &Lane) -> i64 {
    let [started, succeeded] = ["kubelet.started", "kubelet.succeeded"].map(|rule| lane.steps(rule, "train-0")[0].time);
    seconds(succeeded.since(started))
}

/// After an issue of kelos: a node is removed, and a Job with backoffLimit 0 fails. Here, three evictions use up a limit of 2.
#[test]
fn evictions_use_up_the_backoff_limit() {
    let story = PlayedStory::of("evicted-job");
    let [without, ignored] = [0, 1].map(|lane| story.lanes[lane].job_totals());
    assert_eq!([&without, &ignored].map(condition), ["Failed", "Complete"]);
    let alone = &PlayedStory::chapters("evicted-job")[0];
    let failure = story.step(1);
    let (limit, evictions) = (operand(failure, "limit"), operand(failure, "failed"));
    story.assert_label_numbers(&[]);
    story.assert_summary_numbers(&[evictions, limit]);
    let work = story.lanes[1].steps("kubelet.started", "report")[3].time;
    let work = seconds(story.lanes[1].first("kubelet.succeeded").time.since(work));
    alone.assert_caption_numbers(0, &[work / 60, limit]);
    alone.assert_caption_numbers(1, &[alone.seconds(0, 1)]);
    let back_off = |nth: usize| seconds_of(&story.lanes[0], "job.back-off", nth);
    let third = seconds_of(&story.lanes[1], "job.back-off", 3);
    alone.assert_caption_numbers(2, &[back_off(1), back_off(2), third, 10]);
    alone.assert_caption_numbers(3, &[back_off(2)]);
    alone.assert_caption_numbers(4, &[evictions, evictions, limit]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[evictions, evictions, limit, failed(&ignored)]);
    story.assert_caption_numbers(2, &[finished(&ignored)]);
    let helped = story.with_help();
    story.assert_help_numbers(&[]);
    let refused = helped.lanes[1].first("eviction.refused");
    let protected = helped.lanes[1].job_totals();
    assert_eq!(condition(&protected), "Complete");
    helped.assert_caption_numbers(0, &[operand(refused, "needed"), finished(&protected)]);
}

/// The full back-off of the nth step of a rule, in seconds.
fn seconds_of(lane: &Lane, rule: &str, nth: usize) -> i64 {
    let step = lane.steps(rule, "")[nth - 1];
    let text = step.reason().value("backOff").unwrap().to_string();
    text.trim_end_matches('s').parse().unwrap()
}

/// How many Jobs have started in a lane.
fn runs(lane: &Lane) -> i64 {
    let starts = lane.timeline.steps.iter().filter(|step| {
        let created =
            step.change.as_ref().is_some_and(|change| change.before.is_none() && change.key.kind.name() == "Job");
        step.actor == Actor::CronJobController && created
    });
    i64::try_from(starts.count()).unwrap()
}

/// Kubernetes issues 45825 and 42649.
#[test]
fn a_cron_job_comes_back() {
    let story = PlayedStory::of("cron-comes-back");
    let lane = &story.lanes[0];
    let resumed = lane.first("cron-job.create.after-missed");
    let missed = operand(resumed, "missed");
    let warns = |step: &&changeover_core::timeline::Step| {
        step.events.iter().any(|(_, event)| &*event.reason == "TooManyMissedTimes")
    };
    assert_eq!(lane.timeline.steps.iter().filter(warns).count(), 1);
    story.assert_label_numbers(&[missed]);
    story.assert_summary_numbers(&[missed, 100]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(
        1,
        &[i64::try_from(lane.steps("cron-job.create", "").iter().filter(|step| step.time < story.time(1)).count())
            .unwrap()],
    );
    story.assert_caption_numbers(2, &[story.seconds(1, 2) / 60, missed, 100]);
    let scheduled = 150 * 60;
    let late = lane.seconds_until("cron-job.create.after-missed", "", 1) - scheduled;
    story.assert_caption_numbers(3, &[missed, late]);
    assert_eq!(lane.seconds_until("cron-job.create", "", 3), scheduled + 60);
    story.assert_caption_numbers(4, &[]);
    let helped = story.with_help();
    let deadline = operand(helped.lanes[1].first("cron-job.wait.not-in-time"), "deadline");
    story.assert_help_numbers(&[deadline]);
    assert_eq!((runs(&helped.lanes[0]), runs(&helped.lanes[1])), (5, 4));
    let next =
        helped.lanes[1].seconds_until("cron-job.create", "", 3) - helped.lanes[1].seconds_until("user.resume", "", 1);
    helped.assert_caption_numbers(0, &[late, deadline, next]);
}

/// Kubernetes issues 63371 and 57853.
#[test]
fn a_deadline_skips_runs() {
    let (story, alone) = (PlayedStory::of("cron-deadline"), &PlayedStory::chapters("cron-deadline")[0]);
    let [with_deadline, without] = [0, 1].map(|lane| runs(&story.lanes[lane]));
    let skip = alone.step(2);
    let deadline = operand(skip, "deadline");
    story.assert_label_numbers(&[]);
    story.assert_summary_numbers(&[2, deadline]);
    alone.assert_caption_numbers(0, &[]);
    alone.assert_caption_numbers(1, &[]);
    let late = story.lanes[0].seconds_until("cron-job.wait.not-in-time", "", 3) - 120;
    alone.assert_caption_numbers(2, &[late, late, deadline]);
    let minutes = seconds(story.lanes[0].end().since(story.lanes[0].timeline.scenario.start)) / 60;
    let helped = story.with_help();
    story.assert_help_numbers(&[]);
    let overlapping = &helped.lanes[1];
    let due = runs(overlapping);
    alone.assert_caption_numbers(3, &[with_deadline, due, minutes, due, with_deadline]);
    story.assert_caption_numbers(0, &[]);
    story.assert_caption_numbers(1, &[late]);
    assert_eq!(story.lanes[1].seconds_until("cron-job.create", "", 2), 120 + late);
    story.assert_caption_numbers(2, &[with_deadline, without, minutes, with_deadline, without]);
    let at_once = overlapping.jobs().into_iter().filter(|job| {
        let at = job.points.partition_point(|point| point.time <= helped.time(0));
        at > 0 && job.points[at - 1].counts.holding() > 0
    });
    let at_once = i64::try_from(at_once.count()).unwrap();
    helped.assert_caption_numbers(0, &[at_once, runs(overlapping), minutes, at_once]);
}
