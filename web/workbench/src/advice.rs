//! Which settings meet the constraints, and what random delays make of a rollout.

use changeover_core::Problem;
use changeover_core::cluster::Changes;
use changeover_core::json::ToJson;
use changeover_core::prediction::{self, AdviseOptions, Assumptions, ConstraintKind, Constraints, Outcome, advise};
use changeover_core::scenario::{Delay, Duration, Scenario, Timing};
use changeover_player::{scenario, totals};
use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, AskedRollout, Manifests, Range, Relaxation, Runs, RunsQuestion, Source,
    Totals, Variation,
};
use serde_json::{Value, json};

use crate::manifests::{Texts, first, values};
use crate::reading;

/// The settings that meet the constraints.
///
/// # Errors
/// What is wrong with the Deployment, its surroundings or the constraints, with its path.
pub(crate) fn advice(question: &AdviceQuestion) -> Result<Advice, Problem> {
    let AdviceQuestion { rollout, constraints, quota } = question;
    let Advised { objects, mut options } = match rollout {
        AskedRollout::Lane(source) => Advised::of_lane(source)?,
        AskedRollout::Manifests(manifests) => Advised::of_manifests(manifests)?,
    };
    let mut constraints = constraints.clone();
    if let Some(pods) = quota {
        options.quotas.push(quota_of_pods(pods, objects.first()));
        if let Some(constraints) = constraints.as_object_mut() {
            constraints.insert(String::from("quotas"), true.into());
        }
    }
    let constraints = Constraints::from_value(&constraints)?;
    // The user sees only the manifest, so paths begin at its fields.
    let below = |path: &str| path.strip_prefix("objects[0].").unwrap_or(path).to_owned();
    let advice = advise(&objects, &constraints, &options).map_err(|problem| problem.map_paths(&below))?;
    Ok(Advice {
        as_it_is: advised_setting(advice.as_it_is),
        fits: advice.fits.into_iter().map(advised_setting).collect(),
        close: advice.close.into_iter().map(advised_setting).collect(),
        relax: advice.relax.into_iter().map(relaxation).collect(),
        simulated: advice.simulated,
    })
}

/// What came of runs with other seeds.
///
/// # Errors
/// What is wrong with the lane or the constraints, with its path.
pub(crate) fn runs(question: &RunsQuestion) -> Result<Runs, Problem> {
    let constraints =
        if question.constraints.is_null() { None } else { Some(Constraints::from_value(&question.constraints)?) };
    let (mut scenario, shown) = match &question.rollout {
        AskedRollout::Lane(source) => (scenario(source)?, None),
        AskedRollout::Manifests(manifests) => {
            let texts = Texts::read(manifests).map_err(first)?;
            let plan = texts.plan().map_err(first)?;
            (reading::scenario(&texts, &plan, &Variation::default()).map_err(first)?, texts.shown)
        }
    };
    add_jitter(&mut scenario, question.jitter_percent);
    let mut all: Option<Runs> = None;
    for run in 0..question.runs {
        scenario.seed = question.seed.wrapping_add(run.into());
        let run = one_run(&totals(scenario.clone(), shown.as_ref())?, constraints.as_ref());
        all = Some(all.map_or(run, |all| all.with(run)));
    }
    all.ok_or_else(|| Problem::new("runs", "Invalid value: 0: must be at least 1"))
}

/// Random delays, where a scenario has none.
fn add_jitter(scenario: &mut Scenario, jitter_percent: u32) {
    if scenario.kubelet.is_empty() {
        scenario.kubelet.push(Timing::default());
    }
    if scenario.kubelet.iter().all(|timing| timing.jitter_percent == 0) {
        scenario.kubelet.iter_mut().for_each(|timing| timing.jitter_percent = jitter_percent);
    }
}

fn one_run(totals: &Totals, constraints: Option<&Constraints>) -> Runs {
    let outcome = Outcome {
        peak: totals.peak,
        lowest_available: totals.lowest_available,
        complete: totals.complete,
        last_old_pod_gone: totals.last_old_pod_gone,
        ..Outcome::default()
    };
    let is_met = constraints.is_none_or(|constraints| constraints.misses(&outcome, &[]).is_empty());
    Runs {
        runs: 1,
        met: is_met.into(),
        peak: Range::of(totals.peak),
        lowest_available: Range::of(totals.lowest_available),
        completed: totals.complete.is_some().into(),
        complete: totals.complete.map(Range::of),
    }
}

/// A rollout as core's `advise` takes it.
pub(crate) struct Advised {
    pub objects: Vec<Value>,
    pub options: AdviseOptions,
}

impl Advised {
    pub fn of_lane(source: &Source) -> Result<Self, Problem> {
        match source {
            Source::Rollout { deployment, changes, .. } => {
                let below = |path: &str| path.strip_prefix("changes.").unwrap_or(path).to_owned();
                let changes = Changes::from_value(changes).map_err(|problem| problem.map_paths(&below))?;
                let Changes { objects, nodes, kubelet, mode, controller_manager, seed, .. } = changes;
                let objects = [deployment.clone()].into_iter().chain(objects).collect();
                let mode = Some(mode.unwrap_or_default());
                let assumptions = Assumptions { mode, controller_manager, seed, ..assumptions(&kubelet) };
                Ok(Self { objects, options: options(nodes, assumptions) })
            }
            Source::Scenario(scenario) => {
                let Scenario { objects, nodes, kubelet, mode, controller_manager, seed, start, .. } =
                    Scenario::from_value(scenario)?;
                let objects = objects.iter().map(|object| object.to_value().into_owned()).collect();
                let (mode, now) = (Some(mode.unwrap_or_default()), Some(start));
                let assumptions = Assumptions { mode, controller_manager, seed, now, ..assumptions(&kubelet) };
                let nodes = nodes.iter().map(ToJson::to_json).collect();
                Ok(Self { objects, options: options(nodes, assumptions) })
            }
            Source::Attached => Err(Problem::new("", "Required value: must come with a scenario")),
        }
    }

    pub fn of_manifests(manifests: &Manifests) -> Result<Self, Problem> {
        let texts = Texts::read(manifests).map_err(first)?;
        let plan = texts.plan().map_err(first)?;
        let assumptions = Assumptions {
            mode: Some(texts.surroundings.mode),
            controller_manager: texts.surroundings.controller_manager,
            now: plan.now(),
            ..assumptions(&texts.surroundings.kubelet)
        };
        // The nodes of the text are among the objects.
        let mut options = options(Vec::new(), assumptions);
        options.deployment = texts.shown_deployment().map(|shown| format!("{}/{}", shown.namespace, shown.name));
        Ok(Self { objects: values(&texts.text), options })
    }
}

fn options(nodes: Vec<Value>, assumptions: Assumptions) -> AdviseOptions {
    AdviseOptions { nodes, assumptions, ..AdviseOptions::default() }
}

/// What a lane assumes of pods: its last entry is about all that no other one fits.
fn assumptions(kubelet: &[Timing]) -> Assumptions {
    let (last, others) = kubelet.split_last().map(|(last, others)| (last.clone(), others)).unwrap_or_default();
    let Timing { start, ready, terminate, jitter_percent, .. } = last;
    let ready_after = ready.map(|ready| match ready {
        Delay::Never => Delay::Never,
        Delay::After(ready) => Delay::After(Duration(start.0.saturating_add(ready.0))),
    });
    Assumptions {
        ready_after,
        stop_after: terminate,
        jitter: jitter_percent,
        kubelet: others.to_vec(),
        ..Assumptions::default()
    }
}

/// A ResourceQuota that allows this number of pods in the namespace of an object.
fn quota_of_pods(pods: &Value, object: Option<&Value>) -> Value {
    let namespace = object.and_then(|object| object.pointer("/metadata/namespace")).cloned().unwrap_or_default();
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "quota", "namespace": namespace },
        "spec": { "hard": { "pods": pods } },
    })
}

fn advised_setting(advised: prediction::AdvisedSetting) -> AdvisedSetting {
    AdvisedSetting {
        name: advised.setting.to_string(),
        is_proposed: advised.proposed,
        peak: advised.outcome.peak,
        lowest_available: advised.outcome.lowest_available,
        complete: advised.outcome.complete,
        last_old_pod_gone: advised.outcome.last_old_pod_gone,
        misses: advised.misses.into_iter().map(|miss| miss.message).collect(),
        patch: advised.patch,
    }
}

fn relaxation(relaxation: prediction::Relaxation) -> Relaxation {
    let to = &relaxation.to;
    let sentence = match relaxation.constraint {
        ConstraintKind::MaxPods => format!("Allow up to {to} pods."),
        ConstraintKind::MinAvailable => format!("Accept as few as {to} available pods."),
        ConstraintKind::Within => format!("Allow it to take {to}."),
        ConstraintKind::Quotas => format!("Raise the quota: {to}."),
    };
    Relaxation { sentence, setting: advised_setting(relaxation.setting) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(replicas: i32, rolling_update: &Value, changes: &Value) -> Source {
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": replicas,
                "strategy": { "type": "RollingUpdate", "rollingUpdate": rolling_update },
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "web", "image": "example/web:v1" }] },
                },
            },
        });
        let mut all = json!({
            "at": "0s", "image": "example/web:v2", "nodes": [{ "name": "node-a" }, { "name": "node-b" }],
        });
        for (key, value) in changes.as_object().unwrap() {
            all[key] = value.clone();
        }
        Source::Rollout { deployment, changes: all, surroundings: json!({}) }
    }

    fn rolling() -> Value {
        json!({ "maxSurge": "25%", "maxUnavailable": "25%" })
    }

    fn question(source: Source, constraints: Value) -> AdviceQuestion {
        AdviceQuestion { rollout: AskedRollout::Lane(source), constraints, quota: None }
    }

    fn ask(source: Source, constraints: Value) -> Advice {
        advice(&question(source, constraints)).unwrap()
    }

    #[test]
    fn the_settings_as_they_are_cost_what_the_lane_shows() {
        let kubelets = [
            json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] }),
            json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "controllerManager": {} }),
            json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "mode": "realistic" }),
            json!({ "kubelet": [{ "revision": 2, "ready": "20s" }, { "terminate": "40s" }] }),
            json!({ "kubelet": [{}] }),
            json!({ "kubelet": [{ "ready": "never" }] }),
        ];
        for changes in &kubelets {
            for replicas in [1, 3, 15] {
                let source = source(replicas, &rolling(), changes);
                let shown = totals(scenario(&source).unwrap(), None).unwrap();
                let AdvisedSetting { peak, lowest_available, complete, last_old_pod_gone, .. } =
                    ask(source, json!({ "maxPods": 1000 })).as_it_is;
                assert_eq!(
                    (peak, lowest_available, complete, last_old_pod_gone),
                    (shown.peak, shown.lowest_available, shown.complete, shown.last_old_pod_gone),
                    "{replicas} {changes}"
                );
            }
        }
    }

    #[test]
    fn settings_meet_the_constraints_or_one_must_be_relaxed() {
        let slow = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let found = ask(source(15, &rolling(), &slow), json!({ "maxPods": 16, "minAvailable": 14 }));
        assert!(found.fits.iter().any(|setting| !setting.is_proposed && setting.peak <= 16));
        assert!(found.relax.is_empty() && !found.as_it_is.misses.is_empty());
        let none = ask(source(15, &rolling(), &slow), json!({ "maxPods": 15, "minAvailable": 15 }));
        let sentences: Vec<&str> = none.relax.iter().map(|relaxation| relaxation.sentence.as_str()).collect();
        assert_eq!(sentences, ["Allow up to 19 pods.", "Accept as few as 0 available pods."]);
    }

    #[test]
    fn a_quota_is_a_constraint() {
        let ask = |pods: Value| {
            let source = source(3, &rolling(), &json!({ "kubelet": [{}] }));
            advice(&AdviceQuestion { quota: Some(pods), ..question(source, json!({})) })
        };
        assert!(ask(3.into()).unwrap().as_it_is.misses[0].starts_with("quota quota allows 3 pods"));
        let problem = ask("many".into()).unwrap_err();
        assert!(problem.path.starts_with("quotas[0].spec.hard"), "{problem}");
    }

    #[test]
    fn problems_have_the_paths_of_the_form() {
        let changes = json!({ "kubelet": [{ "ready": "soon" }] });
        for (source, constraints, path) in [
            (source(-1, &rolling(), &json!({})), json!({ "maxPods": 1 }), "spec.replicas"),
            (source(3, &rolling(), &changes), json!({ "maxPods": 1 }), "kubelet[0].ready"),
            (source(3, &rolling(), &json!({})), json!({ "maxPods": "x" }), "constraints.maxPods"),
            (source(3, &rolling(), &json!({})), json!({}), "constraints"),
        ] {
            assert_eq!(advice(&question(source, constraints)).unwrap_err().path, path);
        }
    }

    #[test]
    fn runs_differ_with_random_delays() {
        let slow = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let question = |jitter_percent, seed, runs| RunsQuestion {
            rollout: AskedRollout::Lane(source(15, &rolling(), &slow)),
            constraints: json!({ "within": "25s" }),
            jitter_percent,
            seed,
            runs,
        };
        let same = runs(&question(0, 1, 3)).unwrap();
        let time = same.complete.unwrap();
        assert_eq!((same.runs, same.completed, time.least), (3, 3, time.most));
        let different = runs(&question(50, 1, 12)).unwrap();
        let time = different.complete.unwrap();
        assert!(time.least < time.most && (1..12).contains(&different.met), "{different:?}");
        let parts = [1, 7].map(|seed| runs(&question(50, seed, 6)).unwrap());
        assert_eq!(parts[0].with(parts[1]), different);
    }

    #[test]
    fn manifests_of_ones_own_are_asked_likewise() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 4\n  selector:\n    \
            matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n    spec:\n      \
            containers:\n        - name: web\n          image: web:v1\n";
        let own = |text: &str, mode: &str| {
            let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "mode": mode });
            AskedRollout::Manifests(Manifests { text: text.into(), before: None, workload: None, surroundings })
        };
        let complete = ["exact", "realistic"].map(|mode| {
            let (rollout, constraints) = (own(text, mode), json!({ "maxPods": 5 }));
            let found =
                advice(&AdviceQuestion { rollout: rollout.clone(), constraints: constraints.clone(), quota: None })
                    .unwrap();
            let one = runs(&RunsQuestion { rollout, constraints, jitter_percent: 0, seed: 1, runs: 1 }).unwrap();
            let AdvisedSetting { peak, complete, .. } = found.as_it_is;
            assert_eq!((Range::of(peak), complete.map(Range::of)), (one.peak, one.complete));
            complete
        });
        assert!(complete[0] < complete[1], "requests take time: {complete:?}");
        let wrong =
            AdviceQuestion { rollout: own("kind: [", "exact"), constraints: json!({ "maxPods": 5 }), quota: None };
        assert!(advice(&wrong).is_err());
    }
}
