//! Which settings meet the constraints, and what random delays make of a rollout.

use changeover_core::Problem;
use changeover_core::cluster::Changes;
use changeover_core::object::{Kind, ObjectKey, Time};
use changeover_core::prediction::{
    self, Assumptions, ConstraintKind, Constraints, Outcome, PredictOptions, RelaxedConstraint, RolloutPlan,
    advise_plan, is_complete, runs_of_plan,
};
use changeover_core::scenario::{Action, Autoscaler, Duration, Scenario, TimedAction, Timing};
use changeover_player::Surroundings;
use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, AskedRollout, LaneSource, ManifestChange, Manifests, Range, Relaxation,
    Runs, RunsQuestion, SimulatedChange, with_grouped_digits,
};
use serde_json::{Value, json};

use crate::documents::is_of_kind;
use crate::manifests::{Texts, first, node_values};

/// The settings that meet the constraints.
///
/// # Errors
/// What is wrong with the Deployment, its surroundings or the constraints, with its path.
pub(crate) fn advice(question: &AdviceQuestion) -> Result<Advice, Problem> {
    let AdviceQuestion { rollout, constraints, quota } = question;
    let constraints = read_constraints(constraints, quota.as_ref())?;
    let Advised { plan, plays, deployment, assumptions } = Advised::of(rollout, quota.as_ref())?;
    let has_quotas = plan.has_quotas();
    let advice = advise_plan(plan, deployment, &constraints, &assumptions)?;
    Ok(Advice {
        current: advised_setting(advice.current),
        fits: advice.fits.into_iter().map(advised_setting).collect(),
        nearest: advice.nearest.into_iter().map(advised_setting).collect(),
        relax: advice.relax.into_iter().map(relaxation).collect(),
        simulated: advice.simulated,
        plays,
        has_quotas,
    })
}

/// What came of runs of the settings as they are, with other seeds.
///
/// # Errors
/// As [`advice`].
pub(crate) fn runs(question: &RunsQuestion) -> Result<Runs, Problem> {
    let RunsQuestion { rollout, constraints, quota, jitter_percent, seed, runs } = question;
    let has_limits = !constraints.is_null();
    let constraints = if has_limits { read_constraints(constraints, quota.as_ref())? } else { Constraints::default() };
    let Advised { plan, deployment, assumptions, .. } = Advised::of(rollout, quota.as_ref())?;
    let seeds = (0..*runs).map(|run| seed.wrapping_add(run.into()));
    let settings = runs_of_plan(plan, deployment, &constraints, &assumptions, *jitter_percent, seeds)?;
    let all = settings.iter().map(|setting| one_run(setting, has_limits)).reduce(Runs::with);
    all.ok_or_else(|| Problem::new("runs", "Invalid value: 0: must be at least 1"))
}

/// The constraints of a question; a quota that comes with it is one.
///
/// # Errors
/// Everything that is wrong with them: each is typed into an input of its own.
fn read_constraints(constraints: &Value, quota: Option<&Value>) -> Result<Constraints, Problem> {
    let mut constraints = constraints.clone();
    if let (Some(_), Some(constraints)) = (quota, constraints.as_object_mut()) {
        constraints.insert(String::from("quotas"), true.into());
    }
    let first = match (Constraints::from_value(&constraints), quota.and_then(quota_problem)) {
        (Ok(constraints), None) => return Ok(constraints),
        (Ok(_), Some(problem)) => return Err(problem),
        (Err(first), _) => first,
    };
    let each = constraints.as_object().into_iter().flatten();
    let wrong = each.filter_map(|(name, value)| {
        let alone = [(name.clone(), value.clone())].into_iter().collect();
        Constraints::from_value(&Value::Object(alone)).err()
    });
    let problems: Vec<Problem> = wrong.chain(quota.and_then(quota_problem)).collect();
    Err(if problems.is_empty() { first } else { Problem::all(problems) })
}

/// What is wrong with the number of pods that a quota allows. It is a number like the other limits: half a pod means nothing.
fn quota_problem(pods: &Value) -> Option<Problem> {
    let problem = Constraints::from_value(&json!({ "maxPods": pods })).err()?;
    Some(problem.map_paths(&|_| String::from("quotas[0].spec.hard[pods]")))
}

fn one_run(setting: &prediction::AdvisedSetting, has_limits: bool) -> Runs {
    let Outcome { peak, lowest_available, complete, .. } = setting.outcome;
    Runs {
        runs: 1,
        met: (setting.fits || !has_limits).into(),
        peak: Range::of(peak),
        lowest_available: Range::of(lowest_available),
        completed: complete.is_some().into(),
        complete: complete.map(Range::of),
    }
}

/// What settings are asked for.
struct Advised {
    /// What the settings change, in the surroundings that options can't express.
    plan: RolloutPlan,
    plays: SimulatedChange,
    deployment: ObjectKey,
    assumptions: Assumptions,
}

impl Advised {
    fn of(rollout: &AskedRollout, quota: Option<&Value>) -> Result<Self, Problem> {
        match rollout {
            AskedRollout::Lane(source) => Self::of_lane(source, quota),
            AskedRollout::Manifests(manifests) => Self::of_manifests(manifests, quota),
        }
    }

    fn of_lane(source: &LaneSource, quota: Option<&Value>) -> Result<Self, Problem> {
        let LaneCluster { objects, options, autoscaler, actions } = LaneCluster::of(source)?;
        let deployment = objects.iter().find_map(deployment_key);
        let deployment = deployment.ok_or_else(|| Problem::new("", "Required value: must contain a Deployment"))?;
        let quotas = quota.map(|pods| quota_of_pods(pods, &deployment.namespace)).into_iter().collect();
        let options = PredictOptions { quotas, ..options };
        // The user sees only the manifest, so paths begin at its fields.
        let below = |path: &str| path.strip_prefix("old[0].").unwrap_or(path).to_owned();
        let plan = RolloutPlan::new(&objects, &[], &options).map_err(|problem| problem.map_paths(&below))?;
        let is_of_others = |timed: &TimedAction| match &timed.action {
            Action::SetTemplate(rollout) => *rollout.name != *deployment.name,
            _ => false,
        };
        let plan = plan.with_autoscaler(autoscaler).with_actions(actions.into_iter().filter(is_of_others));
        // Which change replaces the pods makes no difference.
        let plan = plan.with_restart(&deployment);
        Ok(Self { plan, plays: SimulatedChange::Change, deployment, assumptions: options.assumptions })
    }

    fn of_manifests(manifests: &Manifests, quota: Option<&Value>) -> Result<Self, Problem> {
        let texts = Texts::read(manifests).map_err(first)?;
        let deployment = texts.shown_deployment();
        let deployment = deployment
            .ok_or_else(|| Problem::new("", "Required value: must contain a Deployment to ask for settings"))?;
        let quotas = quota.map(|pods| quota_of_pods(pods, &deployment.namespace)).into_iter().collect();
        let plan = texts.surrounded_plan(quotas).map_err(first)?;
        let plays = match texts.change {
            _ if is_complete(&plan, &deployment)? => SimulatedChange::Restart,
            ManifestChange::Nothing => SimulatedChange::FromNow,
            ManifestChange::Image(_) | ManifestChange::Create | ManifestChange::Difference => SimulatedChange::Change,
        };
        let plan = if plays == SimulatedChange::Restart { plan.with_restart(&deployment) } else { plan };
        Ok(Self { plan, plays, deployment, assumptions: assumptions(&texts) })
    }
}

/// The cluster of a lane before its change.
pub(crate) struct LaneCluster {
    /// The Deployment and the objects around it.
    pub objects: Vec<Value>,
    pub options: PredictOptions,
    autoscaler: Option<Autoscaler>,
    /// What else happens.
    actions: Vec<TimedAction>,
}

impl LaneCluster {
    pub fn of(source: &LaneSource) -> Result<Self, Problem> {
        match source {
            LaneSource::Rollout { deployment, changes, surroundings } => {
                let below = |path: &str| path.strip_prefix("changes.").unwrap_or(path).to_owned();
                let changes = Changes::from_value(changes).map_err(|problem| problem.map_paths(&below))?;
                let Surroundings { autoscaler, actions } = Surroundings::read(surroundings)?;
                let Changes { objects, nodes, kubelet, mode, controller_manager, seed, .. } = changes;
                let objects = [deployment.clone()].into_iter().chain(objects).collect();
                let mode = Some(mode.unwrap_or_default());
                let assumptions = Assumptions { mode, controller_manager, seed, ..lane_assumptions(kubelet) };
                let options = PredictOptions { nodes, assumptions, ..PredictOptions::default() };
                Ok(Self { objects, options, autoscaler, actions })
            }
            LaneSource::Scenario(scenario) => {
                let Scenario { objects, nodes, kubelet, mode, controller_manager, seed, start, autoscaler, .. } =
                    Scenario::from_value(scenario)?;
                let objects = objects.iter().map(|object| object.to_value().into_owned()).collect();
                let (mode, now) = (Some(mode.unwrap_or_default()), Some(start));
                let assumptions = Assumptions { mode, controller_manager, seed, now, ..lane_assumptions(kubelet) };
                let options = PredictOptions { nodes: node_values(&nodes), assumptions, ..PredictOptions::default() };
                Ok(Self { objects, options, autoscaler, actions: Vec::new() })
            }
            LaneSource::Attached => Err(Problem::new("", "Required value: must come with a scenario")),
        }
    }
}

/// The key of a Deployment; none for another object.
pub(crate) fn deployment_key(object: &Value) -> Option<ObjectKey> {
    is_of_kind(object, Kind::Deployment.name()).then(|| ObjectKey::of_manifest(Kind::Deployment, object))
}

/// What is assumed of manifests.
pub(crate) fn assumptions(texts: &Texts) -> Assumptions {
    Assumptions { stop_after: time_to_stop(&texts.surroundings.others()), ..texts.assumptions() }
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

/// The name of the quota that the user asks about, which has none. Sentences don't contain it.
const ASKED_QUOTA: &str = "the-quota-of-the-question";

/// A ResourceQuota that allows this number of pods in a namespace.
fn quota_of_pods(pods: &Value, namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": ASKED_QUOTA, "namespace": namespace },
        "spec": { "hard": { "pods": pods } },
    })
}

/// A message about quotas, in which the one that the user asks about is theirs.
fn with_your_quota(message: &str) -> String {
    message.replace(&format!("quota {ASKED_QUOTA} "), "your quota ")
}

/// `to`: what each quota would have to allow, as `team pods=26`.
fn raise_quota(to: &str) -> String {
    match to.split_once(&format!("{ASKED_QUOTA} pods=")) {
        Some(("", pods)) if !pods.contains(',') => format!("Raise your quota to {pods}."),
        Some((before, pods)) => format!("Raise the quotas: {before}yours pods={pods}."),
        None => format!("Raise the quota: {to}."),
    }
}

fn advised_setting(advised: prediction::AdvisedSetting) -> AdvisedSetting {
    AdvisedSetting {
        name: advised.setting.to_string(),
        is_proposed: advised.proposed,
        peak: advised.outcome.peak,
        lowest_available: advised.outcome.lowest_available,
        complete: advised.outcome.complete,
        last_old_pod_gone: advised.outcome.last_old_pod_gone,
        misses: advised.misses.into_iter().map(|miss| with_grouped_digits(&with_your_quota(&miss.message))).collect(),
        patch: advised.patch,
    }
}

fn relaxation(relaxation: prediction::Relaxation) -> Relaxation {
    let prediction::Relaxation { constraints, setting } = relaxation;
    let setting = advised_setting(setting);
    let sentence = |RelaxedConstraint { constraint, to }| match constraint {
        ConstraintKind::MaxPods => format!("Allow up to {to} pods."),
        ConstraintKind::MinAvailable => format!("Accept as few as {to} available pods."),
        ConstraintKind::Within => {
            // `to` is written as a constraint: `1m30s`.
            let time = setting.complete.map_or(to, |complete| up_to_seconds(complete).exactly_in_words());
            format!("Allow it to take {time}.")
        }
        ConstraintKind::Quotas => raise_quota(&to),
    };
    let sentences: Vec<String> = constraints.into_iter().map(sentence).collect();
    let together = match sentences.len() {
        0 | 1 => String::new(),
        2 => String::from("Change both: "),
        count => format!("Change all {count}: "),
    };
    Relaxation { sentence: with_grouped_digits(&format!("{together}{}", sentences.join(" "))), setting }
}

/// A time in whole seconds, rounded up: a limit of this time is met.
fn up_to_seconds(nanoseconds: i64) -> Duration {
    Duration::seconds(nanoseconds.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use changeover_player::{scenario, totals};
    use changeover_wire::{Answer, Question, Variation, WorkloadKind, WorkloadName};

    use super::*;
    use crate::{answer_to, manifest_reader};

    fn source(replicas: i32, rolling_update: &Value, changes: &Value) -> LaneSource {
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
        LaneSource::Rollout { deployment, changes: all, surroundings: json!({}) }
    }

    /// The lane with a probe and an autoscaler.
    fn in_full_cluster(source: LaneSource) -> LaneSource {
        let LaneSource::Rollout { mut deployment, changes, .. } = source else { panic!("{source:?}") };
        deployment["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] =
            json!({ "httpGet": { "path": "/", "port": 80 }, "initialDelaySeconds": 2, "periodSeconds": 7 });
        let surroundings = json!({ "autoscaler": { "node": { "name": "added", "pods": 4 }, "startup": "15s" } });
        LaneSource::Rollout { deployment, changes, surroundings }
    }

    fn rolling() -> Value {
        json!({ "maxSurge": "25%", "maxUnavailable": "25%" })
    }

    fn question(source: LaneSource, constraints: Value) -> AdviceQuestion {
        AdviceQuestion { rollout: AskedRollout::Lane(source), constraints, quota: None }
    }

    fn ask(source: LaneSource, constraints: Value) -> Advice {
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
                    let asked = costs(&ask(source, json!({ "maxPods": 1000 })).current);
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

    fn in_quota(hard: &Value) -> LaneSource {
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": { "name": "team", "namespace": "default" }, "spec": { "hard": hard },
        });
        source(3, &rolling(), &json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "objects": [quota] }))
    }

    #[test]
    fn quotas_of_the_cluster_are_enforced_as_in_the_lane() {
        for (hard, misses) in [
            (json!({ "pods": 9 }), None),
            // Pods are refused until others are gone.
            (json!({ "pods": 4 }), Some("quota team allows 4 pods, and the rollout needs 6")),
            // The pods are older than the quota, which refuses new ones only.
            (json!({ "pods": 2 }), Some("quota team allows 2 pods, and the rollout needs 6")),
            (json!({ "requests.cpu": "2" }), Some("quota team: must specify requests.cpu for: web")),
        ] {
            let shown = costs_of_scenario(scenario(&in_quota(&hard)).unwrap(), None);
            for constraints in [json!({ "maxPods": 1000 }), json!({ "quotas": true })] {
                let found = ask(in_quota(&hard), constraints.clone());
                assert_eq!((costs(&found.current), found.has_quotas), (shown, true), "{hard} {constraints}");
                if constraints.get("quotas").is_some() {
                    let quota = found.current.misses.iter().find(|miss| miss.starts_with("quota"));
                    assert_eq!(quota.map(String::as_str), misses, "{hard}");
                }
            }
        }
        let none = source(3, &rolling(), &json!({}));
        assert_eq!(advice(&question(none, json!({ "quotas": true }))).unwrap_err().path, "constraints.quotas");
    }

    #[test]
    fn a_setting_that_a_quota_slows_down_is_not_in_time() {
        let times =
            [9, 4].map(|pods| ask(in_quota(&json!({ "pods": pods })), json!({ "maxPods": 9 })).current.complete);
        let [Some(wide), Some(narrow)] = times else { panic!("{times:?}") };
        assert!(wide < narrow);
        let within = json!({ "within": format!("{wide}ns") });
        assert_eq!(ask(in_quota(&json!({ "pods": 9 })), within.clone()).current.misses, Vec::<String>::new());
        let missed = ask(in_quota(&json!({ "pods": 4 })), within).current.misses;
        assert!(missed[0].starts_with("complete after"), "{missed:?}");
    }

    #[test]
    fn a_larger_quota_is_relaxed_to_what_the_setting_needs() {
        let found = ask(in_quota(&json!({ "pods": 3 })), json!({ "quotas": true, "minAvailable": 3 }));
        let quota = found.relax.iter().find(|relaxation| relaxation.sentence.starts_with("Raise the quota"));
        let quota = quota.unwrap_or_else(|| panic!("{:?}", found.relax));
        assert_eq!(quota.sentence, format!("Raise the quota: team pods={}.", quota.setting.peak));
    }

    #[test]
    fn a_longer_time_is_written_in_words() {
        let slow = source(3, &rolling(), &json!({ "kubelet": [{ "ready": "70s" }] }));
        let found = ask(slow, json!({ "within": "1s", "maxPods": 100 }));
        let time = found.relax.iter().find(|relaxation| relaxation.sentence.starts_with("Allow it to take"));
        let time = time.unwrap_or_else(|| panic!("{:?}", found.relax));
        assert!(time.sentence.contains(" min"), "{}", time.sentence);
        assert!(!time.sentence.contains(" ms"), "{}", time.sentence);
    }

    #[test]
    fn a_relaxed_time_is_rounded_up_to_a_second() {
        for (nanoseconds, words) in [(126_085_000_000, "2 min 7 s"), (126_000_000_000, "2 min 6 s"), (1, "1 s")] {
            assert_eq!(up_to_seconds(nanoseconds).exactly_in_words(), words);
        }
    }

    /// The manifests in their surroundings, and what the page shows of them.
    fn shown_of(manifests: &Manifests) -> Costs {
        let texts = Texts::read(manifests).unwrap();
        let plan = texts.plan().unwrap();
        let scenario = manifest_reader::scenario(&texts, &plan, &Variation::default()).unwrap();
        costs_of_scenario(scenario, texts.shown.as_ref())
    }

    #[test]
    fn own_manifests_cost_what_the_page_shows() {
        let LaneSource::Rollout { deployment, .. } = in_full_cluster(source(5, &rolling(), &json!({}))) else {
            panic!("a rollout")
        };
        let manifests = |surroundings: Value| Manifests::new(deployment.to_string(), surroundings);
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
            let asked = costs(&advice(&asked).unwrap().current);
            assert_eq!(asked, shown_of(&manifests), "{}", manifests.surroundings);
        }
    }

    #[test]
    fn a_difference_of_manifests_costs_what_the_page_shows() {
        let LaneSource::Rollout { deployment, .. } = source(5, &rolling(), &json!({})) else { panic!("a rollout") };
        let with = |patch: Value| {
            let mut deployment = deployment.clone();
            deployment["spec"]["replicas"] = patch["replicas"].clone();
            deployment["spec"]["template"]["spec"]["containers"][0]["image"] = patch["image"].clone();
            deployment.to_string()
        };
        for (before, text, plays) in [
            (
                json!({ "replicas": 5, "image": "web:1" }),
                json!({ "replicas": 8, "image": "web:2" }),
                SimulatedChange::Change,
            ),
            (
                json!({ "replicas": 5, "image": "web:1" }),
                json!({ "replicas": 5, "image": "web:1" }),
                SimulatedChange::Restart,
            ),
        ] {
            let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
            let manifests = Manifests { before: Some(with(before).into()), ..Manifests::new(with(text), surroundings) };
            let rollout = AskedRollout::Manifests(manifests.clone());
            let asked = AdviceQuestion { rollout, constraints: json!({ "maxPods": 1000 }), quota: None };
            let found = advice(&asked).unwrap();
            assert_eq!(found.plays, plays);
            if plays == SimulatedChange::Change {
                assert_eq!(costs(&found.current), shown_of(&manifests));
            } else {
                assert!(found.current.complete > Some(0));
            }
        }
    }

    /// What is asked of a state in a folder of the tests, what is found, and what the page shows.
    fn ask_state(path: &str) -> (Advice, Costs) {
        let state = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path);
        let surroundings =
            json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "limits": { "steps": 100_000 } });
        let text = fs::read_to_string(state).unwrap();
        let manifests = Manifests::new(text, surroundings);
        let rollout = AskedRollout::Manifests(manifests.clone());
        let asked = AdviceQuestion { rollout, constraints: json!({ "maxPods": 1000 }), quota: None };
        (advice(&asked).unwrap(), shown_of(&manifests))
    }

    #[test]
    fn pods_that_are_held_up_stay_held_up() {
        let (found, _) = ask_state("cli/cases/explain.in/image.json");
        assert_eq!((found.current.complete, found.fits), (None, vec![]));
    }

    #[test]
    fn a_rollout_in_progress_goes_on_from_its_state() {
        for name in [
            "rolling-first",
            "rolling-middle",
            "rolling-unavailable",
            "recreate-terminating",
            "rollover",
            "stuck-quota",
        ] {
            let (found, shown) = ask_state(&format!("controlplane/states/{name}.yaml"));
            assert_eq!((found.plays, costs(&found.current)), (SimulatedChange::FromNow, shown), "{name}");
        }
    }

    #[test]
    fn settings_meet_the_constraints_or_one_must_be_relaxed() {
        let slow = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let found = ask(source(15, &rolling(), &slow), json!({ "maxPods": 16, "minAvailable": 14 }));
        assert!(found.fits.iter().any(|setting| !setting.is_proposed && setting.peak <= 16));
        assert!(found.relax.is_empty() && !found.current.misses.is_empty());
        let none = ask(source(15, &rolling(), &slow), json!({ "maxPods": 15, "minAvailable": 15 }));
        let sentences: Vec<&str> = none.relax.iter().map(|relaxation| relaxation.sentence.as_str()).collect();
        assert_eq!(sentences, ["Allow up to 19 pods.", "Accept as few as 0 available pods."]);
    }

    #[test]
    fn limits_that_contradict_each_other_in_pairs_are_changed_together() {
        let slow = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let limits = json!({ "maxPods": 15, "minAvailable": 15, "within": "1s" });
        let found = ask(source(15, &rolling(), &slow), limits);
        let [pods, available] = found.relax.as_slice() else { panic!("{:?}", found.relax) };
        for (relaxation, begins) in [
            (pods, "Change both: Allow up to "),
            (available, "Change both: Accept as few as 0 available pods. Allow it to take "),
        ] {
            assert!(relaxation.sentence.starts_with(begins), "{}", relaxation.sentence);
            assert!(relaxation.sentence.contains(" Allow it to take "), "{}", relaxation.sentence);
            assert_eq!(relaxation.setting.misses.len(), 2);
        }
    }

    #[test]
    fn a_quota_is_a_constraint() {
        let ask = |pods: Value| {
            let source = source(3, &rolling(), &json!({ "kubelet": [{}] }));
            advice(&AdviceQuestion { quota: Some(pods), ..question(source, json!({})) })
        };
        let found = ask(3.into()).unwrap();
        let misses = &found.current.misses;
        assert!(misses[0].starts_with("your quota allows 3 pods, and the rollout needs "), "{misses:?}");
        for (wrong, message) in [
            (json!("many"), "Invalid value: \"many\": must be a 32bit integer"),
            (json!(1.5), "Invalid value: 1.5: must be a 32bit integer"),
            (json!("1500m"), "Invalid value: \"1500m\": must be a 32bit integer"),
            (json!(-1), "Invalid value: -1: must be greater than or equal to 0"),
        ] {
            let problem = ask(wrong).unwrap_err();
            assert_eq!((problem.path.as_str(), problem.message.as_str()), ("quotas[0].spec.hard[pods]", message));
        }
    }

    #[test]
    fn the_quota_of_the_question_is_yours() {
        let asked = format!("{ASKED_QUOTA} pods=26");
        for (to, expected) in [
            (asked.clone(), "Raise your quota to 26."),
            (format!("team pods=24, {asked}"), "Raise the quotas: team pods=24, yours pods=26."),
            (format!("{asked}, team pods=24"), "Raise the quotas: yours pods=26, team pods=24."),
            (String::from("team pods=24"), "Raise the quota: team pods=24."),
        ] {
            assert_eq!(raise_quota(&to), expected);
        }
    }

    #[test]
    fn large_counts_have_grouped_digits() {
        let rollout = AskedRollout::Lane(source(3, &rolling(), &json!({})));
        let Advised { plan, deployment, assumptions, .. } = Advised::of(&rollout, None).unwrap();
        let limits = Constraints { max_pods: Some(1), ..Constraints::default() };
        let mut setting = advise_plan(plan, deployment, &limits, &assumptions).unwrap().current;
        let messages = [
            String::from("up to 12500 pods, 2500 more than 10000"),
            String::from("only 9000 pods available, 3500 fewer than 12500"),
            format!("quota {ASKED_QUOTA} allows 10000 pods, and the rollout needs 12500"),
        ];
        setting.misses =
            messages.map(|message| prediction::Miss { constraint: ConstraintKind::MaxPods, by: None, message }).into();
        let relaxed = |constraint, to: &str| RelaxedConstraint { constraint, to: String::from(to) };
        let constraints = vec![
            relaxed(ConstraintKind::MaxPods, "12500"),
            relaxed(ConstraintKind::MinAvailable, "10000"),
            relaxed(ConstraintKind::Quotas, &format!("{ASKED_QUOTA} pods=12500")),
        ];
        let Relaxation { sentence, setting } = relaxation(prediction::Relaxation { constraints, setting });
        assert_eq!(
            sentence,
            "Change all 3: Allow up to 12,500 pods. Accept as few as 10,000 available pods. Raise your quota to 12,500."
        );
        let misses = [
            "up to 12,500 pods, 2500 more than 10,000",
            "only 9000 pods available, 3500 fewer than 12,500",
            "your quota allows 10,000 pods, and the rollout needs 12,500",
        ];
        assert_eq!(setting.misses, misses);
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
    fn each_wrong_limit_has_a_problem() {
        let paths = |constraints: Value, quota: Option<Value>| {
            let asked = AdviceQuestion { quota, ..question(source(3, &rolling(), &json!({})), constraints) };
            let Answer::Refused(problems) = answer_to(&Question::Advice(asked)).0 else { panic!("an answer") };
            problems.into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        let wrong = json!({ "maxPods": "abc", "minAvailable": -1, "within": "soon" });
        let limits = ["maxPods", "minAvailable", "within"].map(|name| format!("constraints.{name}"));
        assert_eq!(paths(wrong.clone(), None), limits);
        let [most, least, within] = limits;
        let quota = String::from("quotas[0].spec.hard[pods]");
        assert_eq!(paths(wrong, Some(json!("many"))), [most, least, within, quota.clone()]);
        assert_eq!(paths(json!({ "maxPods": 4 }), Some(json!("many"))), [quota]);
    }

    #[test]
    fn runs_differ_with_random_delays() {
        let slow = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }] });
        let question = |jitter_percent, seed, runs| RunsQuestion {
            rollout: AskedRollout::Lane(source(15, &rolling(), &slow)),
            constraints: json!({ "within": "25s" }),
            quota: None,
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

    /// Runs without random delays come to what the settings as they are cost. Returns the answer with these.
    fn assert_runs_without_delays_are_the_settings_as_they_are(
        rollout: AskedRollout,
        constraints: Value,
        quota: Option<Value>,
    ) -> Advice {
        let asked = AdviceQuestion { rollout: rollout.clone(), constraints: constraints.clone(), quota: quota.clone() };
        let found = advice(&asked).unwrap();
        let two = runs(&RunsQuestion { rollout, constraints, quota, jitter_percent: 0, seed: 7, runs: 2 }).unwrap();
        let AdvisedSetting { peak, lowest_available, complete, misses, .. } = &found.current;
        let expected = Runs {
            runs: 2,
            met: if misses.is_empty() { 2 } else { 0 },
            peak: Range::of(*peak),
            lowest_available: Range::of(*lowest_available),
            completed: if complete.is_some() { 2 } else { 0 },
            complete: complete.map(Range::of),
        };
        assert_eq!(two, expected, "{asked:?}");
        found
    }

    #[test]
    fn runs_ask_what_the_settings_are_asked() {
        let again = json!({ "metadata": { "annotations": { "again": "yes" } } });
        let second = json!({ "at": "2s", "setTemplate": { "name": "web", "template": again } });
        let kubelet = json!([{ "ready": "6s", "terminate": "20s" }]);
        let plain = source(5, &rolling(), &json!({ "kubelet": kubelet }));
        let LaneSource::Rollout { deployment, changes, .. } = plain.clone() else { panic!("a rollout") };
        let text = deployment.to_string();
        let twice = LaneSource::Rollout { deployment, changes, surroundings: json!({ "actions": [second] }) };
        let surroundings = json!({ "kubelet": kubelet, "restart": { "at": "2s" } });
        let equal = Manifests { before: Some(text.as_str().into()), ..Manifests::new(text, surroundings.clone()) };
        let complete = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/cases/explain.in/complete.json");
        let complete = Manifests::new(fs::read_to_string(complete).unwrap(), surroundings);
        let few = || in_quota(&json!({ "pods": 4 }));
        for (rollout, constraints, quota, plays) in [
            (AskedRollout::Lane(twice), json!({ "within": "1s" }), None, SimulatedChange::Change),
            (AskedRollout::Lane(few()), json!({ "quotas": true, "minAvailable": 3 }), None, SimulatedChange::Change),
            (AskedRollout::Lane(few()), json!({ "maxPods": 1000 }), None, SimulatedChange::Change),
            (AskedRollout::Lane(plain), json!({}), Some(json!(5)), SimulatedChange::Change),
            (AskedRollout::Manifests(equal), json!({ "maxPods": 6 }), None, SimulatedChange::Restart),
            (AskedRollout::Manifests(complete), json!({ "maxPods": 3 }), Some(json!(3)), SimulatedChange::Restart),
        ] {
            let found = assert_runs_without_delays_are_the_settings_as_they_are(rollout, constraints, quota);
            assert_eq!(found.plays, plays);
        }
    }

    #[test]
    fn manifests_of_ones_own_are_asked_likewise() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 4\n  selector:\n    \
            matchLabels: { app: web }\n  template:\n    metadata:\n      labels: { app: web }\n    spec:\n      \
            containers:\n        - name: web\n          image: web:v1\n";
        let own = |text: &str, mode: &str| {
            let surroundings = json!({ "kubelet": [{ "ready": "6s", "terminate": "20s" }], "mode": mode });
            AskedRollout::Manifests(Manifests::new(text, surroundings))
        };
        let complete = ["exact", "realistic"].map(|mode| {
            let (rollout, constraints) = (own(text, mode), json!({ "maxPods": 5 }));
            assert_runs_without_delays_are_the_settings_as_they_are(rollout, constraints, None).current.complete
        });
        assert!(complete[0] < complete[1], "requests take time: {complete:?}");
        let wrong =
            AdviceQuestion { rollout: own("kind: [", "exact"), constraints: json!({ "maxPods": 5 }), quota: None };
        assert!(advice(&wrong).is_err());
    }
}
