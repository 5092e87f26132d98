//! Where the rollouts of a running cluster stand.

use changeover_core::Problem;
use changeover_core::object::Time;
use changeover_core::prediction::{self, Assumptions, PredictOptions};
use changeover_wire::{NextStep, Obstacle, Outlook, OutlookQuestion, Remedy, RolloutOutlook, Standing};
use serde_json::Value;

/// Where the rollouts stand.
///
/// # Errors
/// What a simulation would refuse, with its path.
pub(crate) fn outlook(objects: &[Value], question: &OutlookQuestion) -> Result<Outlook, Problem> {
    let now = match &question.now {
        None => read_at(objects),
        Some(text) => {
            let message =
                || format!("Invalid value: {text:?}: must be a time as in RFC 3339, like 2026-01-01T12:00:00Z");
            Some(Time::parse(text).ok_or_else(|| Problem::new("now", message()))?)
        }
    };
    let assumptions = Assumptions { now, ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = prediction::Outlook::of(objects, &options)?;
    let rollouts = outlook.rollouts().map(|rollout| {
        let remedies = outlook.remedies(&rollout)?.into_iter().map(remedy).collect();
        Ok(rollout_outlook(rollout, remedies))
    });
    Ok(Outlook { rollouts: rollouts.collect::<Result<_, Problem>>()?, assumed: outlook.prediction.assumed.clone() })
}

fn rollout_outlook(rollout: prediction::Rollout, remedies: Vec<Remedy>) -> RolloutOutlook {
    let summary = rollout.summary();
    RolloutOutlook {
        namespace: rollout.namespace,
        name: rollout.name,
        standing: match rollout.standing {
            prediction::Standing::Complete => Standing::Complete,
            prediction::Standing::Progressing => Standing::Progressing,
            prediction::Standing::Paused => Standing::Paused,
            prediction::Standing::Stuck => Standing::Stuck,
        },
        summary,
        obstacles: rollout
            .obstacles
            .into_iter()
            .map(|obstacle| Obstacle { why: obstacle.why, remedy: obstacle.remedy })
            .collect(),
        next: rollout.next.into_iter().map(|step| NextStep { at: step.at, sentence: step.sentence }).collect(),
        remedies,
    }
}

fn remedy(remedy: prediction::Remedy) -> Remedy {
    Remedy {
        what: remedy.what,
        command: remedy.command,
        complete: remedy.complete,
        last_old_pod_gone: remedy.last_old_pod_gone,
    }
}

/// The keys of times that lie in the past.
const PAST: [&str; 6] =
    ["creationTimestamp", "lastTransitionTime", "lastUpdateTime", "startTime", "startedAt", "finishedAt"];

/// When the last of the objects changed, as far as they say: they were read soon after that.
pub(crate) fn read_at(objects: &[Value]) -> Option<Time> {
    objects.iter().filter_map(last_time).max()
}

fn last_time(value: &Value) -> Option<Time> {
    match value {
        Value::Object(fields) => {
            let own = |(key, value): (&String, &Value)| {
                if PAST.contains(&key.as_str()) { Time::parse(value.as_str()?) } else { last_time(value) }
            };
            fields.iter().filter_map(own).max()
        }
        Value::Array(items) => items.iter().filter_map(last_time).max(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use changeover_text::parse;

    use super::*;

    fn state(name: &str) -> Outlook {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in");
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let objects: Vec<Value> = parse(&text).unwrap().into_iter().map(|document| document.value).collect();
        let now = Some(String::from("2026-01-01T12:00:00Z"));
        outlook(&objects, &OutlookQuestion { text, now }).unwrap()
    }

    fn remedies(name: &str) -> Vec<(Standing, Vec<String>)> {
        let rollouts = state(name).rollouts.into_iter();
        rollouts
            .map(|rollout| (rollout.standing, rollout.remedies.into_iter().map(|remedy| remedy.what).collect()))
            .collect()
    }

    #[test]
    fn each_cause_has_remedies_that_were_played() {
        let stuck = |whats: &[&str]| vec![(Standing::Stuck, whats.iter().map(ToString::to_string).collect::<Vec<_>>())];
        let repair = "Repair what its pods wait for, so that they become ready";
        assert_eq!(remedies("image.json"), stuck(&["Roll back", repair]));
        // Rolled back, the rollout would wait for room, too.
        let quota = ["Raise quota team", "Allow 1 unavailable pod in place of extra ones"];
        assert_eq!(remedies("quota.json"), stuck(&quota));
        assert_eq!(remedies("paused.json"), vec![(Standing::Paused, vec![String::from("Resume it")])]);
        assert_eq!(remedies("rolling.json"), vec![(Standing::Progressing, vec![])]);
        assert_eq!(remedies("complete.json"), vec![(Standing::Complete, vec![])]);
    }

    #[test]
    fn a_state_says_when_it_was_read() {
        let pod = serde_json::json!({
            "metadata": { "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2027-01-01T00:00:00Z" },
            "status": { "conditions": [{ "lastTransitionTime": "2026-01-01T00:00:07Z" }] },
        });
        assert_eq!(read_at(&[pod]), Time::parse("2026-01-01T00:00:07Z"));
    }
}
