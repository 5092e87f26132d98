use alloc::format;
use alloc::vec::Vec;

use super::{Counts, Marks, Point, Series, Timeline};
use crate::Problem;
use crate::cluster::{EndReason, PlayedRollout, SingleRollout};
use crate::json::ToJson;
use crate::object::{ObjectKey, Time};
use crate::scenario::{Limits, Scenario};
use crate::workload::deployment::figures::{RolloutState, completions};

/// What a rollout costs and when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The most pods that held resources at once.
    pub peak: i32,
    /// The most pods above the limit at once.
    pub most_over: i32,
    /// Pod-milliseconds above the limit: two pods for 3 ms are 6.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub over: i64,
    /// Pod-milliseconds spent terminating: two pods for 3 ms are 6.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub terminating: i64,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// Milliseconds until the controller reported the last rollout as complete: the reason NewReplicaSetAvailable of the
    /// condition Progressing, or without a progress deadline the counts of the status. After a scaling, these have to count all
    /// pods, too, as for `kubectl rollout status`. 0 if it had been complete before, and no other rollout or scaling began; absent
    /// if it never was. A later eviction changes nothing.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub complete: Option<i64>,
    /// Milliseconds until the last pod of an older template was gone; 0 if it had gone before, and absent if one stayed.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub last_old_pod_gone: Option<i64>,
}

impl Totals {
    /// The totals of a Deployment's points from one time to another.
    pub fn of(points: &[Point], from: Time, to: Time) -> Self {
        let mut totals = Self { lowest_available: i32::MAX, ..Self::default() };
        let first = points.partition_point(|point| point.time <= from).saturating_sub(1);
        let points = points.get(first..).unwrap_or_default();
        for (index, point) in points.iter().enumerate() {
            let next = points.get(index.saturating_add(1)).map_or(to, |next| next.time);
            let span = next.since(point.time.max(from)).max(0);
            let holding = point.counts.holding();
            let over = holding.saturating_sub(point.marks.limit).max(0);
            totals.most_over = totals.most_over.max(over);
            totals.over = totals.over.saturating_add(i64::from(over).saturating_mul(span));
            let terminating = i64::from(point.counts.terminating);
            totals.terminating = totals.terminating.saturating_add(terminating.saturating_mul(span));
            totals.peak = totals.peak.max(holding);
            totals.lowest_available = totals.lowest_available.min(point.counts.available);
        }
        if points.is_empty() {
            totals.lowest_available = 0;
        }
        let rollouts = || points.iter().map(|point| (point.time, point.rollout));
        totals.complete = time_until(rollouts().map(|(time, rollout)| (time, rollout.complete)), from);
        totals.last_old_pod_gone = time_until(rollouts().map(|(time, rollout)| (time, rollout.old == 0)), from);
        totals
    }
}

/// A scenario that is simulated for its totals only.
pub struct TotalsOnly {
    scenario: Scenario,
    simulated: Simulated,
}

enum Simulated {
    /// The rollout of the only Deployment, with its pods in groups: many times as fast as a timeline.
    Groups(PlayedRollout),
    Timeline(Timeline),
}

impl TotalsOnly {
    /// Simulates a scenario, without its steps where its pods can be played in groups.
    ///
    /// # Errors
    /// As [`Timeline::run`], and a limit other than that of time at which the simulation ends: the totals would be those of its
    /// beginning.
    pub fn run(scenario: Scenario) -> Result<Self, Problem> {
        let simulated = match SingleRollout::of(scenario.clone()).and_then(|rollout| rollout.play().ok()) {
            Some(played) => Simulated::Groups(played),
            None => Simulated::Timeline(whole(Timeline::run(scenario.clone())?)?),
        };
        Ok(Self { scenario, simulated })
    }

    /// When the scenario starts.
    pub const fn start(&self) -> Time {
        self.scenario.start
    }

    /// The Deployments that exist at some time, in the order of their names.
    pub fn deployments(&self) -> Vec<ObjectKey> {
        match &self.simulated {
            Simulated::Groups(played) => Vec::from([played.before.key()]),
            Simulated::Timeline(timeline) => timeline.deployments(),
        }
    }

    /// The totals of one of the Deployments, from a time on.
    ///
    /// # Errors
    /// As [`Timeline::run`].
    pub fn totals(&self, deployment: &ObjectKey, from: Time) -> Result<Totals, Problem> {
        let of = |timeline: &Timeline| timeline.totals(&deployment.namespace, &deployment.name, from);
        match &self.simulated {
            Simulated::Groups(played) if from < played.changed || from == self.start() => {
                Ok(Totals::of_played(played, from))
            }
            // From the change on, two events can have the same time; groups don't order them.
            Simulated::Groups(_) => Timeline::run(self.scenario.clone()).map(|timeline| of(&timeline)),
            Simulated::Timeline(timeline) => Ok(of(timeline)),
        }
    }
}

/// The timeline, unless a limit has cut it off.
fn whole(timeline: Timeline) -> Result<Timeline, Problem> {
    let Limits { steps, pods, bytes, .. } = timeline.scenario.limits;
    let (limit, value) = match timeline.end.reason {
        EndReason::Quiet | EndReason::Time => return Ok(timeline),
        EndReason::Steps => ("steps", steps.into()),
        EndReason::Pods => ("pods", pods.into()),
        EndReason::Bytes => ("bytes", bytes),
    };
    let message = format!("Invalid value: {value}: must be greater: the simulation reaches this limit before it ends");
    Err(Problem::new(format!("limits.{limit}"), message))
}

impl Totals {
    /// The totals of a rollout that was played in groups.
    fn of_played(played: &PlayedRollout, from: Time) -> Self {
        let replaces = played.replaces_pods();
        let [before, after] = [&played.before, &played.after].map(|deployment| Marks::of(deployment));
        let points = played.pods.iter().map(|pods| {
            let is_changed = pods.time >= played.changed;
            let rest = pods.holding().saturating_sub(pods.available).saturating_sub(pods.terminating);
            let old = if is_changed && replaces { pods.old } else { 0 };
            Point {
                frame: 0,
                time: pods.time,
                counts: Counts {
                    available: pods.available,
                    terminating: pods.terminating,
                    // Groups don't count how far they are.
                    pending: rest,
                    ..Counts::default()
                },
                marks: if is_changed { after } else { before },
                rollout: RolloutState { old, complete: false },
            }
        });
        let points: Vec<Point> = points.collect();
        let completions = completions(played);
        let first = completions.partition_point(|(time, _)| *time <= from).saturating_sub(1);
        let complete = time_until(completions.into_iter().skip(first), from);
        Self { complete, ..Self::of(&points, from, played.end()) }
    }
}

/// Nanoseconds until something was reached that lasted to the end, from whether it was at each time.
pub(crate) fn time_until(reached: impl DoubleEndedIterator<Item = (Time, bool)>, from: Time) -> Option<i64> {
    let (first, _) = reached.rev().take_while(|(_, is_reached)| *is_reached).last()?;
    Some(first.since(from).max(0))
}

impl Timeline {
    /// The totals of a Deployment, from a time on.
    pub fn totals(&self, namespace: &str, name: &str, from: Time) -> Totals {
        let end = self.time_at(self.len());
        Totals::of(&Series::of(self, namespace, name).points, from, end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::{Changes, merge, steady_state};
    use crate::json::ToJson;
    use crate::scenario::{Delay, Duration, Mode, Timing};

    fn point(second: i64, available: i32, terminating: i32, rollout: RolloutState) -> Point {
        let counts = Counts { available, terminating, ..Counts::default() };
        let marks = Marks { desired: 3, limit: 4, min_available: 2 };
        Point { frame: 0, time: Time(0).plus_seconds(second), counts, marks, rollout }
    }

    const fn rollout(old: i32, complete: bool) -> RolloutState {
        RolloutState { old, complete }
    }

    fn totals(points: &[Point], from: i64, to: i64) -> Totals {
        Totals::of(points, Time(0).plus_seconds(from), Time(0).plus_seconds(to))
    }

    #[test]
    fn pods_are_counted_for_as_long_as_they_are_there() {
        let points = [
            point(0, 3, 0, rollout(3, false)),
            point(10, 2, 4, rollout(4, false)),
            point(15, 3, 1, rollout(1, true)),
            point(20, 3, 0, rollout(0, true)),
        ];
        let expected = Totals {
            peak: 6,
            most_over: 2,
            over: 10 * Time::SECOND,
            terminating: 25 * Time::SECOND,
            lowest_available: 2,
            complete: Some(15 * Time::SECOND),
            last_old_pod_gone: Some(20 * Time::SECOND),
        };
        assert_eq!(totals(&points, 0, 60), expected);
    }

    #[test]
    fn time_before_the_start_counts_only_through_its_state() {
        let points =
            [point(0, 0, 9, rollout(9, false)), point(10, 2, 2, rollout(2, false)), point(20, 3, 0, rollout(0, true))];
        let totals = totals(&points, 15, 60);
        assert_eq!((totals.peak, totals.lowest_available), (4, 2));
        assert_eq!(totals.terminating, 10 * Time::SECOND);
        assert_eq!([totals.complete, totals.last_old_pod_gone], [Some(5 * Time::SECOND); 2]);
    }

    #[test]
    fn of_several_rollouts_the_last_one_counts() {
        let totals_of = |points: &[Point]| totals(points, 0, 60);
        let second = totals_of(&[
            point(0, 3, 0, rollout(3, false)),
            point(10, 3, 1, rollout(0, true)),
            point(20, 3, 1, rollout(4, false)),
            point(30, 3, 2, rollout(2, true)),
        ]);
        assert_eq!((second.complete, second.last_old_pod_gone), (Some(30 * Time::SECOND), None));
        let superseded = totals_of(&[point(0, 3, 0, rollout(0, true)), point(10, 3, 1, rollout(4, false))]);
        assert_eq!((superseded.complete, superseded.last_old_pod_gone), (None, None));
        let none = totals_of(&[point(0, 3, 0, rollout(0, true)), point(10, 1, 2, rollout(0, true))]);
        assert_eq!((none.complete, none.last_old_pod_gone), (Some(0), Some(0)));
        assert_eq!(totals(&[], 0, 60), Totals::default());
    }

    fn deployment(replicas: i64, spec: &Value) -> Value {
        let mut deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
            "spec": {
                "replicas": replicas,
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
                },
            },
        });
        merge(&mut deployment, &json!({ "spec": spec }));
        deployment
    }

    fn specs() -> impl Strategy<Value = Value> {
        let rolling = (0_i64..5, 0_i64..5).prop_map(|(surge, unavailable)| {
            let surge = if unavailable == 0 { surge.max(1) } else { surge };
            json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } })
        });
        let strategy = prop_oneof![4 => rolling, 1 => Just(json!({ "type": "Recreate" }))];
        let policy =
            prop::sample::select(Vec::from([Value::Null, json!("TerminationStarted"), json!("TerminationComplete")]));
        (strategy, policy, 0_i64..12, 0_i64..40).prop_map(|(strategy, policy, min_ready, grace)| {
            json!({
                "strategy": strategy, "podReplacementPolicy": policy, "minReadySeconds": min_ready,
                "template": { "spec": { "terminationGracePeriodSeconds": grace } },
            })
        })
    }

    /// A change, and how many seconds after the start it happens.
    fn changes() -> impl Strategy<Value = Changes> {
        let kind = prop_oneof![
            4 => Just(Changes { image: Some("web:2".into()), ..Changes::default() }),
            2 => (0_i64..20).prop_map(|replicas| Changes { replicas: Some(replicas), ..Changes::default() }),
            1 => specs().prop_map(|spec| Changes { patch: Some(json!({ "spec": spec })), ..Changes::default() }),
        ];
        let mode = prop::sample::select(Vec::from([None, Some(Mode::Exact), Some(Mode::Realistic)]));
        (kind, 0_i64..9, mode, 0_i64..30, any::<u64>()).prop_map(|(kind, at, mode, ready, seed)| Changes {
            at: Some(Duration::seconds(at)),
            kubelet: Vec::from([Timing { ready: Some(Delay::After(Duration::seconds(ready))), ..Timing::default() }]),
            mode,
            seed,
            ..kind
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::with_cases(40) })]

        /// Also from times in the middle of a rollout.
        #[test]
        fn totals_of_groups_are_those_of_a_timeline(
            replicas in prop_oneof![4 => 0_i64..12, 1 => 12_i64..80],
            spec in specs(),
            changes in changes(),
            from in prop::collection::vec(0_i64..120, 1..4),
        ) {
            let scenario = steady_state(&deployment(replicas, &spec), &changes);
            prop_assume!(scenario.is_ok());
            // As a caller from JavaScript has it.
            let scenario = Scenario::from_value(&scenario.unwrap().to_json()).unwrap();
            let only = TotalsOnly::run(scenario.clone()).unwrap();
            prop_assume!(matches!(only.simulated, Simulated::Groups(_)));
            let timeline = Timeline::run(scenario).unwrap();
            prop_assert_eq!(only.deployments(), timeline.deployments());
            let [web] = <[ObjectKey; 1]>::try_from(only.deployments()).unwrap();
            for from in from.into_iter().chain([0]) {
                let from = only.start().plus_seconds(from);
                prop_assert_eq!(only.totals(&web, from), Ok(timeline.totals("default", "web", from)));
            }
        }
    }

    #[test]
    fn what_groups_do_not_know_is_a_timeline() {
        let alone =
            steady_state(&deployment(4, &json!({})), &Changes { image: Some("web:2".into()), ..Changes::default() });
        let alone = alone.unwrap().to_json();
        let is_played = |change: &dyn Fn(&mut Value)| {
            let mut scenario = alone.clone();
            change(&mut scenario);
            let only = TotalsOnly::run(Scenario::from_value(&scenario).unwrap()).unwrap();
            let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
            let web = only.deployments().into_iter().next().unwrap();
            assert_eq!(only.totals(&web, only.start()), Ok(timeline.totals("default", "web", only.start())));
            matches!(only.simulated, Simulated::Groups(_))
        };
        assert!(is_played(&|_| {}));
        let evict = json!([{ "at": "5s", "evict": { "name": "web/0" } }]);
        let restart = json!({ "metadata": { "annotations": { "restarted": "now" } } });
        let twice = json!([
            { "at": "5s", "setTemplate": { "name": "web", "template": restart } },
            { "at": "9s", "scale": { "name": "web", "replicas": 2 } },
        ]);
        let of_its_set = json!([{ "at": "5s", "scale": { "kind": "ReplicaSet", "name": alone["objects"][1]["metadata"]["name"], "replicas": 1 } }]);
        for actions in [evict, twice, of_its_set, json!([])] {
            assert!(!is_played(&|scenario| scenario["actions"] = actions.clone()), "{actions}");
        }
        // A pod that its ReplicaSet releases, one that another object owns, and one that is about to go.
        for (path, value) in [
            ("/metadata/labels/app", json!("other")),
            ("/metadata/ownerReferences/0/uid", json!("other")),
            ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:20Z")),
            ("/spec/terminationGracePeriodSeconds", json!(3)),
        ] {
            let changed = |scenario: &mut Value| {
                let pods =
                    scenario["objects"].as_array_mut().unwrap().iter_mut().filter(|object| object["kind"] == "Pod");
                for pod in pods {
                    let (parent, key) = path.rsplit_once('/').unwrap();
                    // One that another object owns has no template of a ReplicaSet.
                    pod["spec"]["containers"] = alone["objects"][1]["spec"]["template"]["spec"]["containers"].clone();
                    pod.pointer_mut(parent).unwrap()[key] = value.clone();
                }
            };
            assert!(!is_played(&changed), "{path}");
        }
    }
}
