//! Where the rollouts of a running cluster stand.

use changeover_core::Problem;
use changeover_core::prediction::{self, Assumptions, PredictOptions};
use changeover_wire::{
    JobOutlook, JobStanding, Manifests, NextStep, Obstacle, Outlook, Remedy, RolloutOutlook, Standing,
};

use crate::manifests::{Texts, first};

/// Where the rollouts stand.
///
/// # Errors
/// The first problem of the text.
pub(crate) fn outlook(manifests: &Manifests) -> Result<Outlook, Problem> {
    let texts = Texts::read(manifests).map_err(first)?;
    let plan = texts.surrounded_plan(Vec::new()).map_err(first)?;
    let assumptions = Assumptions { mode: Some(texts.surroundings.mode), ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = prediction::Outlook::of_plan(plan, &texts.old(), &options)?;
    let rollouts = outlook.rollouts().map(|rollout| {
        let remedies = outlook.remedies(&rollout)?.into_iter().map(remedy).collect();
        Ok(rollout_outlook(rollout, remedies))
    });
    Ok(Outlook { rollouts: rollouts.collect::<Result<_, Problem>>()?, jobs: outlook.jobs().map(job_outlook).collect() })
}

fn job_outlook(job: prediction::JobOutlook) -> JobOutlook {
    JobOutlook {
        namespace: job.namespace,
        name: job.name,
        standing: match job.standing {
            prediction::JobStanding::Active => JobStanding::Active,
            prediction::JobStanding::Suspended => JobStanding::Suspended,
            prediction::JobStanding::Complete => JobStanding::Complete,
            prediction::JobStanding::Failed => JobStanding::Failed,
        },
        summary: job.summary,
        next: job.next.into_iter().map(next_step).collect(),
    }
}

fn rollout_outlook(rollout: prediction::RolloutOutlook, remedies: Vec<Remedy>) -> RolloutOutlook {
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
        obstacles: rollout.obstacles.into_iter().map(obstacle).collect(),
        next: rollout.next.into_iter().map(next_step).collect(),
        remedies,
    }
}

fn next_step(step: prediction::NextStep) -> NextStep {
    NextStep { at: step.at, sentence: step.sentence }
}

fn obstacle(obstacle: prediction::Obstacle) -> Obstacle {
    Obstacle { why: obstacle.why, remedy: obstacle.remedy, command: obstacle.command }
}

fn remedy(remedy: prediction::Remedy) -> Remedy {
    Remedy {
        what: remedy.what,
        command: remedy.command,
        complete: remedy.complete,
        last_old_pod_gone: remedy.last_old_pod_gone,
        after_next_try: remedy.after_next_try,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn state(name: &str) -> Outlook {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in");
        let text = fs::read_to_string(folder.join(name)).unwrap();
        outlook(&Manifests::new(text, json!({}))).unwrap()
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
        let repair = "Fix what keeps its pods from becoming ready";
        assert_eq!(remedies("image.json"), stuck(&["Roll back", repair]));
        // Rolled back, the rollout would wait for room, too.
        let quota = ["Raise quota team", "Allow 1 unavailable pod instead of extra pods"];
        assert_eq!(remedies("quota.json"), stuck(&quota));
        assert_eq!(remedies("paused.json"), vec![(Standing::Paused, vec![String::from("Resume it")])]);
        assert_eq!(remedies("rolling.json"), vec![(Standing::Progressing, vec![])]);
        assert_eq!(remedies("complete.json"), vec![(Standing::Complete, vec![])]);
    }

    #[test]
    fn a_job_says_what_its_controller_waits_for() {
        let outlook = state("../../../controlplane/states/job-backing-off.yaml");
        let [job] = outlook.jobs.as_slice() else { panic!("{outlook:?}") };
        assert_eq!((job.name.as_str(), job.standing), ("task", JobStanding::Active));
        assert_eq!(job.summary, "Pods: 0 active, 0 of 1 succeeded, 1 failed");
        let waits = job.next.iter().find(|step| step.sentence.starts_with("task waits another ")).unwrap();
        assert!(waits.sentence.ends_with("1 pod failed since the last success."), "{waits:?}");
    }

    #[test]
    fn a_refused_pod_is_created_at_the_next_try() {
        let outlook = state("quota.json");
        let remedies = outlook.rollouts.iter().flat_map(|rollout| &rollout.remedies);
        let after_next_try: Vec<bool> = remedies.map(|remedy| remedy.after_next_try).collect();
        assert_eq!(after_next_try, [true, true]);
    }
}
