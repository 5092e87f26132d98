//! Which settings meet the constraints, and what random delays make of a rollout.

use changeover_core::Problem;
use changeover_core::cluster::Changes;
use changeover_core::json::ToJson;
use changeover_core::prediction::{
    self, AdviseOptions, Assumptions, ConstraintKind, Constraints, Outcome, RolloutPlan, advise_surrounded,
};
use changeover_core::scenario::{Autoscaler, Duration, Node, Scenario, Timing};
use changeover_player::{Surroundings, scenario, totals};
use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, AskedRollout, Manifests, Range, Relaxation, Runs, RunsQuestion, Source,
    Totals, Variation,
};
use serde_json::{Value, json};

use crate::manifests::{Texts, first, is_of_kind, values};
use crate::reading;

/// The settings that meet the constraints.
///
/// # Errors
/// What is wrong with the Deployment, its surroundings or the constraints, with its path.
pub(crate) fn advice(question: &AdviceQuestion) -> Result<Advice, Problem> {
    let AdviceQuestion { rollout, constraints, quota } = question;
    let mut advised = match rollout {
        AskedRollout::Lane(source) => Advised::of_lane(source)?,
        AskedRollout::Manifests(manifests) => Advised::of_manifests(manifests)?,
    };
    let mut constraints = constraints.clone();
    if let Some(pods) = quota {
        let quota = quota_of_pods(pods, advised.objects.first());
        advised.options.quotas.push(quota);
        if let Some(constraints) = constraints.as_object_mut() {
            constraints.insert(String::from("quotas"), true.into());
        }
    }
    let constraints = Constraints::from_value(&constraints)?;
    // The user sees only the manifest, so paths begin at its fields.
    let below = |path: &str| path.strip_prefix("objects[0].").unwrap_or(path).to_owned();
    let Advised { objects, options, surrounding } = &advised;
    let surround = |plan: &RolloutPlan| surrounding.surround(plan);
    let advice = advise_surrounded(objects, &constraints, options, &surround);
    let advice = advice.map_err(|problem| problem.map_paths(&below))?;
    Ok(Advice {
        has_quotas: !options.quotas.is_empty() || objects.iter().any(|object| is_of_kind(object, "ResourceQuota")),
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
    pub surrounding: Surrounding,
}

/// What surrounds a rollout and options can't express.
#[derive(Default)]
pub(crate) struct Surrounding {
    /// How fast the pods are that are not held up; none if the options say it.
    pub others: Option<Timing>,
    autoscaler: Option<Autoscaler>,
}

impl Surrounding {
    fn surround(&self, plan: &RolloutPlan) -> RolloutPlan {
        let plan = plan.with_autoscaler(self.autoscaler.clone());
        self.others.clone().map_or_else(|| plan.clone(), |others| plan.with_timing(others))
    }
}

impl Advised {
    pub fn of_lane(source: &Source) -> Result<Self, Problem> {
        match source {
            Source::Rollout { deployment, changes, surroundings } => {
                let below = |path: &str| path.strip_prefix("changes.").unwrap_or(path).to_owned();
                let changes = Changes::from_value(changes).map_err(|problem| problem.map_paths(&below))?;
                let autoscaler = Surroundings::read(surroundings)?.autoscaler;
                let Changes { objects, nodes, kubelet, mode, controller_manager, seed, .. } = changes;
                let objects = [deployment.clone()].into_iter().chain(objects).collect();
                let mode = Some(mode.unwrap_or_default());
                let assumptions = Assumptions { mode, controller_manager, seed, ..lane_assumptions(kubelet) };
                let surrounding = Surrounding { autoscaler, others: None };
                let options = AdviseOptions { deployment: full_name(deployment), ..options(nodes, assumptions) };
                Ok(Self { objects, options, surrounding })
            }
            Source::Scenario(scenario) => {
                let Scenario { objects, nodes, kubelet, mode, controller_manager, seed, start, autoscaler, .. } =
                    Scenario::from_value(scenario)?;
                let objects = objects.iter().map(|object| object.to_value().into_owned()).collect();
                let (mode, now) = (Some(mode.unwrap_or_default()), Some(start));
                let assumptions = Assumptions { mode, controller_manager, seed, now, ..lane_assumptions(kubelet) };
                let surrounding = Surrounding { autoscaler, others: None };
                Ok(Self { objects, options: options(node_values(&nodes), assumptions), surrounding })
            }
            Source::Attached => Err(Problem::new("", "Required value: must come with a scenario")),
        }
    }

    pub fn of_manifests(manifests: &Manifests) -> Result<Self, Problem> {
        let texts = Texts::read(manifests).map_err(first)?;
        let plan = texts.plan().map_err(first)?;
        let surroundings = &texts.surroundings;
        let others = surroundings.others();
        let assumptions = Assumptions {
            mode: Some(surroundings.mode),
            controller_manager: surroundings.controller_manager,
            now: plan.now(),
            // An entry for all pods would hide those that are held up.
            kubelet: surroundings.of_new(&plan).cloned().collect(),
            stop_after: time_to_stop(&others),
            ..Assumptions::default()
        };
        // The nodes of the text are among the objects.
        let mut options = options(node_values(texts.assumed_nodes()), assumptions);
        options.deployment = texts.shown_deployment().map(|shown| format!("{}/{}", shown.namespace, shown.name));
        let surrounding = Surrounding { others: Some(others), autoscaler: surroundings.autoscaler.clone() };
        Ok(Self { objects: values(&texts.text), options, surrounding })
    }
}

/// The namespace and name of an object.
fn full_name(object: &Value) -> Option<String> {
    let [namespace, name] = ["namespace", "name"].map(|key| object.get("metadata")?.get(key)?.as_str());
    Some(format!("{}/{}", namespace.unwrap_or("default"), name?))
}

fn node_values(nodes: &[Node]) -> Vec<Value> {
    nodes.iter().map(ToJson::to_json).collect()
}

fn options(nodes: Vec<Value>, assumptions: Assumptions) -> AdviseOptions {
    AdviseOptions { nodes, assumptions, ..AdviseOptions::default() }
}

/// What a lane assumes of pods: exactly its timings. The last one is about all pods that no other one fits.
fn lane_assumptions(kubelet: Vec<Timing>) -> Assumptions {
    let stop_after = kubelet.last().and_then(time_to_stop);
    Assumptions { kubelet, stop_after, ..Assumptions::default() }
}

/// How long pods take to stop, the preStop hook included; none for their whole grace period.
fn time_to_stop(timing: &Timing) -> Option<Duration> {
    let pre_stop = timing.pre_stop.map_or(0, |pre_stop| pre_stop.0);
    timing.terminate.map(|terminate| Duration(pre_stop.saturating_add(terminate.0)))
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
    use std::fs;
    use std::path::Path;

    use changeover_wire::{WorkloadKind, WorkloadName};

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

    /// The lane with a probe and an autoscaler.
    fn in_full_cluster(source: Source) -> Source {
        let Source::Rollout { mut deployment, changes, .. } = source else { panic!("{source:?}") };
        deployment["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] =
            json!({ "httpGet": { "path": "/", "port": 80 }, "initialDelaySeconds": 2, "periodSeconds": 7 });
        let surroundings = json!({ "autoscaler": { "node": { "name": "added", "pods": 4 }, "startup": "15s" } });
        Source::Rollout { deployment, changes, surroundings }
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
            json!({ "kubelet": [{ "answers": "40s", "terminate": "20s" }] }),
            json!({ "kubelet": [{ "ready": "6s", "terminate": "9s", "preStop": "8s" }] }),
            json!({ "kubelet": [{ "ready": "6s", "schedule": "2s", "start": "3s", "jitterPercent": 30 }], "seed": 5 }),
            json!({
                "kubelet": [{ "revision": 2, "answers": "11s", "pull": "5s" }, { "answers": "3s", "preStop": "8s" }],
                "nodes": [{ "name": "node-a", "pods": 9 }, { "name": "node-b", "pods": 9 }],
                "objects": [other_deployment()],
            }),
        ];
        for changes in &kubelets {
            for replicas in [1, 3, 15] {
                let plain = source(replicas, &rolling(), changes);
                // Once is enough for what takes long.
                let full = (replicas == 3).then(|| in_full_cluster(plain.clone()));
                for source in [plain].into_iter().chain(full) {
                    let shown = costs_of_scenario(scenario(&source).unwrap(), Some(&web()));
                    let asked = costs(&ask(source, json!({ "maxPods": 1000 })).as_it_is);
                    assert_eq!(asked, shown, "{replicas} {changes}");
                }
            }
        }
    }

    fn web() -> WorkloadName {
        WorkloadName { kind: WorkloadKind::Deployment, namespace: "default".into(), name: "web".into() }
    }

    type Costs = (i32, i32, Option<i64>, Option<i64>);

    fn costs(setting: &AdvisedSetting) -> Costs {
        (setting.peak, setting.lowest_available, setting.complete, setting.last_old_pod_gone)
    }

    fn costs_of_scenario(scenario: Scenario, shown: Option<&WorkloadName>) -> Costs {
        let totals = totals(scenario, shown).unwrap();
        (totals.peak, totals.lowest_available, totals.complete, totals.last_old_pod_gone)
    }

    fn other_deployment() -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "other", "namespace": "default" },
            "spec": {
                "replicas": 2,
                "selector": { "matchLabels": { "app": "other" } },
                "template": {
                    "metadata": { "labels": { "app": "other" } },
                    "spec": { "containers": [{ "name": "other", "image": "example/other:v1" }] },
                },
            },
        })
    }

    #[test]
    fn settings_that_fit_the_quotas_cost_what_the_lane_shows() {
        let quota = |hard: Value| {
            json!({
                "apiVersion": "v1", "kind": "ResourceQuota",
                "metadata": { "name": "team", "namespace": "default" }, "spec": { "hard": hard },
            })
        };
        let changes = |quota: Value| json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "objects": [quota] });
        let wide = source(3, &rolling(), &changes(quota(json!({ "pods": 9 }))));
        let shown = costs_of_scenario(scenario(&wide).unwrap(), None);
        let found = ask(wide, json!({ "quotas": true }));
        assert_eq!((costs(&found.as_it_is), found.has_quotas), (shown, true));
        assert!(found.as_it_is.misses.is_empty(), "{:?}", found.as_it_is.misses);

        let narrow = ask(source(3, &rolling(), &changes(quota(json!({ "pods": 4 })))), json!({ "quotas": true }));
        assert!(narrow.as_it_is.misses[0].starts_with("quota team allows 4 pods"), "{:?}", narrow.as_it_is.misses);
        let cpu =
            ask(source(3, &rolling(), &changes(quota(json!({ "requests.cpu": "1" })))), json!({ "quotas": true }));
        assert_eq!(cpu.as_it_is.misses, ["quota team: must specify requests.cpu for: web"]);
        let none = source(3, &rolling(), &json!({}));
        assert_eq!(advice(&question(none, json!({ "quotas": true }))).unwrap_err().path, "constraints.quotas");
    }

    /// The manifests in their surroundings, and what the page shows of them.
    fn shown_of(manifests: &Manifests) -> Costs {
        let texts = Texts::read(manifests).unwrap();
        let plan = texts.plan().unwrap();
        let scenario = reading::scenario(&texts, &plan, &Variation::default()).unwrap();
        costs_of_scenario(scenario, texts.shown.as_ref())
    }

    #[test]
    fn own_manifests_cost_what_the_page_shows() {
        let Source::Rollout { deployment, .. } = in_full_cluster(source(5, &rolling(), &json!({}))) else {
            panic!("a rollout")
        };
        let manifests = |surroundings: Value| Manifests {
            text: deployment.to_string(),
            before: None,
            workload: None,
            surroundings,
        };
        for surroundings in [
            json!({ "kubelet": [{ "answers": "40s", "terminate": "20s", "preStop": "4s" }] }),
            json!({ "kubelet": [{ "revision": 2, "answers": "never" }, { "answers": "3s" }] }),
            json!({
                "kubelet": [{ "answers": "6s" }],
                "nodes": [{ "name": "node-a", "pods": 6 }],
                "autoscaler": { "node": { "name": "added", "pods": 6 }, "startup": "25s" },
            }),
            json!({ "kubelet": [{}], "nodes": [{ "name": "node-a", "pods": 5 }], "mode": "realistic" }),
        ] {
            let manifests = manifests(surroundings);
            let rollout = AskedRollout::Manifests(manifests.clone());
            let asked = AdviceQuestion { rollout, constraints: json!({ "maxPods": 1000 }), quota: None };
            let asked = costs(&advice(&asked).unwrap().as_it_is);
            assert_eq!(asked, shown_of(&manifests), "{}", manifests.surroundings);
        }
    }

    #[test]
    fn pods_that_are_held_up_stay_held_up() {
        let state = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in/image.json");
        let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let text = fs::read_to_string(state).unwrap();
        let manifests = Manifests { text, before: None, workload: None, surroundings };
        let rollout = AskedRollout::Manifests(manifests);
        let asked = AdviceQuestion { rollout, constraints: json!({ "maxPods": 1000 }), quota: None };
        let found = advice(&asked).unwrap();
        assert_eq!((found.as_it_is.complete, found.fits), (None, vec![]));
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
