//! What the sandbox says about its settings: what happens at 0:00, what decides the result, and what is assumed.

use changeover_core::scenario::{Duration, Mode};
use changeover_core::timeline::Marks;
use changeover_wire::{ManifestChange, PreStopHooks, Reading, WorkloadKind};

use crate::manifests::change_sentence;
use crate::number::plural;
use crate::playback::Playback;
use crate::sandbox_inputs::SandboxInputs;
use crate::settings::{Field, Settings, SettingsOrigin, YamlContent};

/// What happens at 0:00, and what a user can do about it.
pub fn first_moment(workload: WorkloadKind, reading: Option<&Reading>) -> String {
    match reading.map(|reading| &reading.change) {
        Some(ManifestChange::Nothing) => String::from("0:00: your cluster, as it was when you read it."),
        Some(change) => format!("0:00: {}.", change_sentence(change)),
        None if workload == WorkloadKind::Deployment => String::from("0:00: you change the image."),
        None => String::from("0:00: you create the Job."),
    }
}

/// What happens to a pod of the user's own Job.
pub fn job_note(inputs: &SandboxInputs) -> String {
    let is_own = inputs.manifests().is_some() && inputs.workload == WorkloadKind::Job;
    let sentence = inputs.job.disruption_sentence().filter(|_| is_own);
    sentence.map(|sentence| format!(" What happens: {sentence}.")).unwrap_or_default()
}

/// What decides the result besides the numbers of pods.
pub fn notes(settings: &Settings, reading: Option<&Reading>, playback: Option<&Playback>) -> String {
    let mut notes = String::new();
    let has_probes = reading.map_or_else(|| settings.has_probes(), |reading| reading.has_probes);
    let has_hooks = reading.is_some_and(|reading| reading.pre_stop_hooks.is_some());
    let stop = stop_phrase(settings).filter(|_| !has_hooks);
    if let Some(start) = reading.and_then(|reading| reading.measured_start) {
        notes.push_str(&measured_phrase(start, stop.as_deref()));
    } else if has_probes {
        notes.push_str(" Here, its probes decide when a pod is ready.");
    } else if let Some((start, stop)) = settings.number(Field::ReadyAfter).zip(stop) {
        notes.push_str(&format!(" Here, a pod takes {} to start and {stop}.", in_words(start)));
    }
    let is_slowed = |playback: &Playback| is_slowed(largest_batch(playback.initial_marks()));
    if settings.has_rate_limit() && playback.is_some_and(is_slowed) {
        notes.push_str(" The controllers' limit of 20 requests a second slows it down.");
    }
    notes
}

/// How long a pod takes that is as fast as those of the user's cluster. `stop`: how long it takes to stop, if that is known.
fn measured_phrase(start: i64, stop: Option<&str>) -> String {
    let start = Duration(start).exactly_in_words();
    let stop = stop.map(|stop| format!(", and {stop}")).unwrap_or_default();
    format!(" Here, a pod takes {start} to become ready, as your running pods took{stop}.")
}

/// How long a pod takes to stop, and what decides that; none if it depends on more than two numbers of seconds.
fn stop_phrase(settings: &Settings) -> Option<String> {
    if !settings.text(Field::PreStop).trim().is_empty() {
        return None;
    }
    if settings.is_killed()? {
        return Some(format!("is killed after its grace period of {}", in_words(settings.grace_period())));
    }
    settings.number(Field::TimeToStop).map(|seconds| format!("{} to stop", in_words(seconds)))
}

/// Seconds as a time in words.
fn in_words(seconds: i32) -> String {
    Duration::seconds(seconds.into()).exactly_in_words()
}

/// How many pods one batch creates and deletes at most. A rollout creates each desired pod once, and deletes one for it.
fn largest_batch(Marks { desired, limit, min_available }: Marks) -> i32 {
    limit.saturating_sub(min_available).min(desired.saturating_mul(2))
}

/// Whether a batch of requests waits for a second, the least that the page shows.
const fn is_slowed(requests: i32) -> bool {
    requests >= BURST.saturating_add(REQUESTS_PER_SECOND)
}

/// The requests that a controller may send at once.
const BURST: i32 = 30;

/// The requests that a controller may send in a second, once its burst is used up.
const REQUESTS_PER_SECOND: i32 = 20;

/// What is assumed of a Job, in one line.
pub const JOB_ASSUMPTIONS: &str = "Assumed: nodes with room for every pod, no PodDisruptionBudget, images are already pulled, and \
    requests of the controllers take 10 ms and show up 5 ms later. A pod's containers start after 1 second; then its run time begins. A pod that takes \
    longer to stop than its grace period is killed when the period ends.";

/// The nodes that pods find.
fn assumed_nodes(settings: &Settings, scope: SettingsOrigin) -> String {
    match scope {
        SettingsOrigin::Manifests(YamlContent { has_nodes: true, .. })
        | SettingsOrigin::LiveState(YamlContent { has_nodes: true, .. }) => {
            String::from("the nodes in the YAML (pods of other namespaces count only if they are in the YAML, too)")
        }
        SettingsOrigin::LiveState(_) => String::from("nodes with room for every pod"),
        SettingsOrigin::Settings | SettingsOrigin::Manifests(_) => {
            let nodes = settings.node_count().and_then(|count| i32::try_from(count).ok()).unwrap_or(1);
            let limits = [Field::PodsPerNode, Field::NodeCpu, Field::NodeMemory];
            let has_room = limits.into_iter().all(|field| settings.text(field).trim().is_empty());
            format!("{}{}", plural(nodes, "node"), if has_room { " with room for every pod" } else { "" })
        }
    }
}

/// What is assumed, in one line.
pub fn assumptions(inputs: &SandboxInputs, scope: SettingsOrigin, reading: Option<&Reading>) -> String {
    let settings = &inputs.settings;
    let has = |field: Field| !settings.text(field).trim().is_empty();
    let mut assumed = vec![assumed_nodes(settings, scope)];
    if inputs.manifests().is_none() && !has(Field::MinAvailable) {
        assumed.push(String::from("no PodDisruptionBudget"));
    }
    if !has(Field::Pull) {
        assumed.push(String::from("images are already pulled"));
    }
    assumed.push(String::from(match settings.mode() {
        Mode::Realistic => "and requests of the controllers take 10 ms and show up 5 ms later",
        Mode::Exact => "and controllers see every change at once",
    }));
    let measured = reading.and_then(|reading| reading.measured_start);
    let has_controls = inputs.workload == WorkloadKind::Deployment;
    let times = inputs.manifests().and_then(|_| assumed_times(settings, measured, has_controls)).unwrap_or_default();
    let hooks = reading
        .and_then(|reading| reading.pre_stop_hooks)
        .filter(|_| !has(Field::PreStop) || scope.is_written(Field::PreStop));
    let hooks = hooks.map(assumed_hooks).unwrap_or_default();
    let replicas = reading.map(|reading| reading.assumed_replicas.as_str()).unwrap_or_default();
    let containers = match measured {
        Some(_) => "",
        None => " A new pod's containers start after 1 second; then its time to start begins.",
    };
    format!(
        "Assumed: {}.{containers} A pod that takes longer to stop than its grace period is killed when the period \
         ends.{times}{hooks}{replicas}",
        assumed.join(", ")
    )
}

/// How long the pods of manifests take to start and to stop, as far as these are numbers of seconds; none if neither is.
/// `measured`: how long the pods of a running cluster took to become ready, if new ones take as long.
/// Without controls, the grace period is not in the settings either.
fn assumed_times(settings: &Settings, measured: Option<i64>, has_controls: bool) -> Option<String> {
    let of_settings = || settings.number(Field::ReadyAfter).map(|seconds| format!("{} to start", in_words(seconds)));
    let of_pods = measured.map(|start| {
        format!("{} to become ready (the median of your running pods)", Duration(start).exactly_in_words())
    });
    let begin = match measured {
        Some(_) => " Here, new pods need",
        None => " The YAML doesn't say how long its pods take. Here, they need",
    };
    let start = of_pods.or_else(of_settings);
    let stop = settings.number(Field::TimeToStop).map(|seconds| {
        let grace_period = settings.grace_period();
        // Else the sentence before says what happens.
        let is_shorter = has_controls && seconds < grace_period;
        let although = format!(", although the grace period is {}", in_words(grace_period));
        format!("{} to stop{}", in_words(seconds), if is_shorter { although.as_str() } else { "" })
    });
    let times: Vec<String> = [start, stop].into_iter().flatten().collect();
    let change = if has_controls { " To change that, set “Time to start” and “Time to stop”." } else { "" };
    (!times.is_empty()).then(|| format!("{begin} {}.{change}", times.join(" and ")))
}

/// How long the preStop hooks in manifests take.
fn assumed_hooks(PreStopHooks { sleep, has_others }: PreStopHooks) -> String {
    let sleep = sleep.map(|sleep| {
        let sleep = Duration(sleep).briefly_in_words();
        format!(" A pod's preStop hook sleeps for {sleep} of this period; then its time to stop begins.")
    });
    let others = has_others.then_some(
        " The YAML doesn't say how long a preStop hook takes that does more than sleep. It takes no time here; to change that, \
         set “preStop hook takes”.",
    );
    format!("{}{}", sleep.unwrap_or_default(), others.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_batch_that_waits_for_a_second_is_slowed_down() {
        for (desired, limit, min_available, expected) in [
            // Only 8 requests, although 51 pods would be allowed.
            (4, 54, 3, false),
            (15, 19, 12, false),
            // Some requests wait, but for less than a second.
            (80, 100, 60, false),
            (100, 125, 75, true),
        ] {
            let marks = Marks { desired, limit, min_available };
            assert_eq!(is_slowed(largest_batch(marks)), expected, "{marks:?}");
        }
    }

    #[test]
    fn the_times_of_pods_from_yaml_are_named() {
        let said = |texts: &[(Field, &str)]| assumed_times(&crate::tests::settings(texts), None, true);
        let sentence = |times: &str| {
            Some(format!(
                " The YAML doesn't say how long its pods take. Here, they need {times}. To change that, set “Time to \
                 start” and “Time to stop”."
            ))
        };
        let shorter = "6 s to start and 5 s to stop, although the grace period is 1 min";
        assert_eq!(said(&[(Field::GracePeriod, "60")]), sentence(shorter));
        assert_eq!(said(&[(Field::GracePeriod, "5")]), sentence("6 s to start and 5 s to stop"));
        assert_eq!(
            assumed_times(&crate::tests::settings(&[(Field::GracePeriod, "60")]), None, false).unwrap(),
            " The YAML doesn't say how long its pods take. Here, they need 6 s to start and 5 s to stop."
        );
        assert_eq!(said(&[(Field::ReadyAfter, "never"), (Field::TimeToStop, "")]), None);
    }

    #[test]
    fn new_pods_take_as_long_as_those_of_the_cluster_took() {
        let start = Duration::seconds(20).0;
        assert_eq!(
            assumed_times(&crate::tests::settings(&[]), Some(start), true).unwrap(),
            " Here, new pods need 20 s to become ready (the median of your running pods) and 5 s to stop, although the grace \
             period is 30 s. To change that, set “Time to start” and “Time to stop”."
        );
        let phrase = |stop: Option<&str>| measured_phrase(start, stop);
        assert_eq!(phrase(None), " Here, a pod takes 20 s to become ready, as your running pods took.");
        assert_eq!(
            phrase(Some("20 s to stop")),
            " Here, a pod takes 20 s to become ready, as your running pods took, and 20 s to stop."
        );
    }

    #[test]
    fn hooks_are_assumed_to_take_what_is_known_of_them() {
        let said = |sleep: Option<i64>, has_others: bool| assumed_hooks(PreStopHooks { sleep, has_others });
        let sleeps = " A pod's preStop hook sleeps for 15 s of this period; then its time to stop begins.";
        assert_eq!(said(Some(15_000_000_000), false), sleeps);
        assert!(said(Some(15_000_000_000), true).starts_with(sleeps));
        assert!(said(None, true).starts_with(" The YAML doesn't say how long a preStop hook takes"));
    }
}
