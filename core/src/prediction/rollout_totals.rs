//! What a plan comes to for one of its workloads, in numbers only: where it can be, the change is played in groups of pods, which
//! is many times faster than a timeline.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::answer::{Outcome, QuotaDemand};
use super::measure::held_by;
use super::measured_run::{MeasuredRun, Steps};
use super::quota_demand::Quota;
use super::requests::Requests;
use super::resource_use::ResourceUse;
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::settings::Replaced;
use crate::Problem;
use crate::cluster::PlayedRollout;
use crate::object::{Kind, ObjectKey};
use crate::timeline::time_until;
use crate::workload::deployment::figures::completions;

/// What comes of a workload's change that no quota refuses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RolloutTotals {
    pub(super) outcome: Outcome,
    /// What it would use of each quota.
    pub(super) demands: Vec<QuotaDemand>,
    /// The workload as the request leaves it, or, without one, as it is at the start.
    pub(super) after: Option<Replaced>,
}

impl RolloutTotals {
    /// The totals of a workload of a plan.
    ///
    /// # Errors
    /// As [`RolloutPlan::simulate`].
    pub(super) fn of(
        plan: &RolloutPlan,
        policy: PodReplacementPolicies,
        workload: &ObjectKey,
        quotas: &[Quota],
    ) -> Result<Self, Problem> {
        match plan.as_single_rollout(policy).and_then(|rollout| rollout.play().ok()) {
            Some(played) => Ok(Self::of_played(&played, quotas)),
            None => {
                let run = plan.measure(policy, Quotas::Ignored, quotas, Steps::Dropped)?;
                Ok(Self::of_run(run, workload))
            }
        }
    }

    /// What comes of a workload where the quotas of a plan refuse what exceeds them.
    ///
    /// # Errors
    /// As [`RolloutPlan::simulate`].
    pub(super) fn in_cluster(
        plan: &RolloutPlan,
        policy: PodReplacementPolicies,
        workload: &ObjectKey,
    ) -> Result<Outcome, Problem> {
        let run = plan.measure(policy, Quotas::Enforced, &[], Steps::Dropped)?;
        Ok(run.measures.outcome(workload).cloned().unwrap_or_default())
    }

    fn of_run(run: MeasuredRun, workload: &ObjectKey) -> Self {
        Self {
            outcome: run.measures.outcome(workload).cloned().unwrap_or_default(),
            after: after(&run.requests, workload),
            demands: run.demands,
        }
    }

    fn of_played(played: &PlayedRollout, quotas: &[Quota]) -> Self {
        let start = played.start;
        let held = ResourceUse::of_played(played);
        let replaces = played.replaces_pods();
        let is_gone = played.shown().iter().map(|totals| (totals.time, totals.old == 0 || !replaces));
        let outcome = Outcome {
            lowest_available: played.lowest_available(),
            complete: time_until(completions(played).into_iter(), start),
            last_old_pod_gone: time_until(is_gone, start),
            ..held_by(&held, &held.together)
        };
        Self {
            outcome,
            demands: quotas.iter().map(|quota| quota.demand_of_played(played)).collect(),
            after: Some(Replaced::Deployment(played.after.clone())),
        }
    }
}

/// A workload as the request leaves it (a DaemonSet as it is at the end), or, without one, as it is at the start.
fn after(requests: &Requests, workload: &ObjectKey) -> Option<Replaced> {
    match workload.kind {
        Kind::StatefulSet => requests.set_after(workload).map(|set| Replaced::StatefulSet(Rc::new(set.clone()))),
        Kind::DaemonSet => requests.daemon_set_after(workload).map(|set| Replaced::DaemonSet(Rc::new(set.clone()))),
        _ => requests.after(workload).map(|deployment| Replaced::Deployment(Rc::new(deployment.clone()))),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::merge;
    use crate::prediction::PredictOptions;

    fn strategies() -> impl Strategy<Value = Value> {
        let number =
            || prop_oneof![(0_i64..6).prop_map(Value::from), (0_i64..=100).prop_map(|n| alloc::format!("{n}%").into())];
        let rolling = (number(), number()).prop_map(
            |(surge, unavailable)| json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } }),
        );
        prop_oneof![4 => rolling, 1 => Just(json!({ "type": "Recreate", "rollingUpdate": null }))]
    }

    /// What decides how long the pods of a template take.
    fn containers() -> impl Strategy<Value = Value> {
        let probe = (0_i64..20, 1_i64..12, 1_i64..4).prop_map(|(delay, period, successes)| {
            json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period, "successThreshold": successes })
        });
        let startup = (0_i64..5, 1_i64..12)
            .prop_map(|(delay, period)| json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period }));
        let sleep = (1_i64..40, any::<bool>()).prop_map(|(seconds, is_command)| match is_command {
            true => json!({ "preStop": { "exec": { "command": ["sh", "-c", alloc::format!("sleep {seconds}")] } } }),
            false => json!({ "preStop": { "sleep": { "seconds": seconds } } }),
        });
        let maybe = |value: BoxedStrategy<Value>| prop_oneof![2 => Just(Value::Null), 1 => value];
        (maybe(probe.boxed()), maybe(startup.boxed()), maybe(sleep.boxed()), any::<bool>()).prop_map(
            |(readiness, startup, lifecycle, requests)| {
                let requests = if requests { json!({ "cpu": "500m", "memory": "1Gi" }) } else { Value::Null };
                let mut container = json!({ "name": "app", "image": "web:1" });
                merge(
                    &mut container,
                    &json!({
                        "readinessProbe": readiness,
                        "startupProbe": startup,
                        "lifecycle": lifecycle,
                        "resources": { "requests": requests },
                    }),
                );
                json!([container])
            },
        )
    }

    fn deployments() -> impl Strategy<Value = Value> {
        let replicas = prop_oneof![6 => 0_i64..12, 2 => 12_i64..90, 1 => 90_i64..300];
        let grace = prop_oneof![1 => Just(0_i64), 1 => 1_i64..4, 4 => 2_i64..60];
        let deadline =
            prop_oneof![3 => Just(json!(600)), 1 => (21_i64..60).prop_map(Value::from), 1 => Just(json!(i32::MAX))];
        let history = prop_oneof![2 => Just(Value::Null), 1 => (0_i64..3).prop_map(Value::from)];
        (replicas, strategies(), grace, 0_i64..20, containers(), deadline, history).prop_map(
            |(replicas, strategy, grace, min_ready, containers, deadline, history)| {
                json!({
                    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
                    "spec": {
                        "replicas": replicas,
                        "strategy": strategy,
                        "minReadySeconds": min_ready,
                        "progressDeadlineSeconds": deadline,
                        "revisionHistoryLimit": history,
                        "selector": { "matchLabels": { "app": "web" } },
                        "template": {
                            "metadata": { "labels": { "app": "web" } },
                            "spec": { "terminationGracePeriodSeconds": grace, "containers": containers },
                        },
                    },
                })
            },
        )
    }

    /// A merge patch of the Deployment.
    fn changes() -> impl Strategy<Value = Value> {
        let restart = json!({ "spec": { "template": { "metadata": { "annotations": { "restarted": "now" } } } } });
        let heavier = json!({ "spec": { "template": { "spec": { "containers": [
            { "name": "app", "image": "web:2", "resources": { "limits": { "cpu": 2, "ephemeral-storage": "1Gi" } } },
        ] } } } });
        let replicas = prop_oneof![3 => 0_i64..12, 1 => 12_i64..60];
        let template = prop::sample::select(Vec::from([restart.clone(), restart, heavier, json!({})]));
        let spec = (
            prop::option::of(replicas),
            prop::option::of(strategies()),
            prop_oneof![3 => Just(None), 3 => (0_i64..20).prop_map(Some), 1 => (500_i64..599).prop_map(Some)],
            prop::option::of(prop::sample::select(Vec::from(["TerminationStarted", "TerminationComplete"]))),
            prop::bool::weighted(0.05),
        );
        (template, spec).prop_map(|(mut change, (replicas, strategy, min_ready, policy, paused))| {
            let given = [
                ("replicas", replicas.map(Value::from)),
                ("strategy", strategy),
                ("minReadySeconds", min_ready.map(Value::from)),
                ("podReplacementPolicy", policy.map(Value::from)),
                ("paused", paused.then_some(Value::from(true))),
            ];
            let spec = given.into_iter().filter_map(|(key, value)| Some((String::from(key), value?)));
            merge(&mut change, &json!({ "spec": Value::Object(spec.collect()) }));
            change
        })
    }

    fn assumptions() -> impl Strategy<Value = Value> {
        let mode = prop::sample::select(Vec::from(["exact", "realistic"]));
        let duration =
            |most: i64, unit: &'static str| prop::option::of((0..most).prop_map(move |n| alloc::format!("{n}{unit}")));
        let clients = prop::option::weighted(
            0.4,
            (1_u32..30, 1_u32..40, 1_u32..6, duration(20, "ms"), duration(20, "ms")).prop_map(
                |(qps, burst, workers, request, watch)| {
                    let mut clients = json!({ "qps": qps, "burst": burst, "workers": workers });
                    merge(&mut clients, &json!({ "requestTime": request, "watchDelay": watch }));
                    clients
                },
            ),
        );
        (mode, duration(200, "00ms"), duration(600, "00ms"), clients).prop_map(|(mode, ready, stop, clients)| {
            let mut assumptions = json!({ "mode": mode });
            merge(&mut assumptions, &json!({ "readyAfter": ready, "stopAfter": stop, "controllerManager": clients }));
            assumptions
        })
    }

    fn quotas() -> impl Strategy<Value = Value> {
        (0_i64..40, 0_i64..30, 0_i64..3, any::<bool>()).prop_map(|(pods, cpu, sets, memory)| {
            let mut hard = json!({
                "pods": pods, "count/pods": pods, "requests.cpu": cpu, "limits.cpu": cpu, "count/replicasets.apps": sets,
            });
            merge(&mut hard, &json!({ "requests.memory": if memory { json!("8Gi") } else { Value::Null } }));
            json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" }, "spec": { "hard": hard } })
        })
    }

    /// Both ways to the totals; none where the API server refuses a manifest or the change is not played in groups.
    fn both(
        old: &Value,
        change: &Value,
        quota: &Value,
        assumptions: &Value,
        policy: PodReplacementPolicies,
    ) -> Option<[RolloutTotals; 2]> {
        let mut new = old.clone();
        merge(&mut new, change);
        let options = PredictOptions::from_value(&json!({ "assumptions": assumptions, "quotas": [quota] })).unwrap();
        let plan = RolloutPlan::new(core::slice::from_ref(old), &[new], &options).ok()?;
        let key = plan.changed().next()?.clone();
        let quotas: Vec<Quota> = plan.counted_quotas().unwrap();
        let played = plan.as_single_rollout(policy)?.play().ok()?;
        let run = plan.measure(policy, Quotas::Ignored, &quotas, Steps::Dropped).unwrap();
        Some([RolloutTotals::of_played(&played, &quotas), RolloutTotals::of_run(run, &key)])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..ProptestConfig::with_cases(40) })]

        /// Pods in groups come to the same totals as a timeline.
        #[test]
        fn groups_of_pods_come_to_what_a_timeline_comes_to(
            old in deployments(),
            change in changes(),
            quota in quotas(),
            assumptions in assumptions(),
            policy in prop::sample::select(Vec::from([PodReplacementPolicies::Today, PodReplacementPolicies::Proposed])),
        ) {
            let totals = both(&old, &change, &quota, &assumptions, policy);
            prop_assume!(totals.is_some());
            let [played, shown] = totals.unwrap();
            prop_assert_eq!(played, shown);
        }
    }

    fn deployment(change: &Value) -> Value {
        let mut deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
            "spec": {
                "replicas": 4,
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
                },
            },
        });
        merge(&mut deployment, change);
        deployment
    }

    fn pod_spec(spec: &Value) -> Value {
        json!({ "spec": { "template": { "spec": spec } } })
    }

    fn container(fields: &Value) -> Value {
        let mut container = json!({ "name": "app", "image": "web:1" });
        merge(&mut container, fields);
        pod_spec(&json!({ "containers": [container] }))
    }

    #[test]
    fn a_count_without_a_change_is_not_the_end() {
        let old = deployment(&json!({ "spec": { "replicas": 0, "revisionHistoryLimit": 0 } }));
        let restart = json!({ "spec": { "template": { "metadata": { "annotations": { "restarted": "now" } } } } });
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team" },
            "spec": { "hard": { "count/replicasets.apps": 0 } },
        });
        let [played, shown] =
            both(&old, &restart, &quota, &json!({ "mode": "realistic" }), PodReplacementPolicies::Today).unwrap();
        assert_eq!(played, shown);
    }

    /// Whether a change is played in groups.
    fn is_played(old: &[Value], change: &Value, options: &Value) -> bool {
        let mut new = old.first().unwrap().clone();
        merge(&mut new, change);
        let options = PredictOptions::from_value(options).unwrap();
        let plan = RolloutPlan::new(old, &[new], &options).unwrap();
        plan.as_single_rollout(PodReplacementPolicies::Today).is_some_and(|rollout| rollout.play().is_ok())
    }

    #[test]
    fn a_deployment_alone_is_played_in_groups() {
        let restart = json!({ "spec": { "template": { "metadata": { "annotations": { "restarted": "now" } } } } });
        let none = json!({});
        let probe = json!({ "tcpSocket": { "port": 80 }, "periodSeconds": 1, "failureThreshold": 2 });
        let sleep = |seconds: i64| json!({ "lifecycle": { "preStop": { "sleep": { "seconds": seconds } } } });
        let web = [deployment(&none)];
        let named = |kind: &str, version: &str, spec: Value| json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "other" }, "spec": spec });
        let other = deployment(
            &json!({ "metadata": { "name": "other" }, "spec": { "selector": { "matchLabels": { "app": "other" } }, "template": { "metadata": { "labels": { "app": "other" } } } } }),
        );
        let quota = named("ResourceQuota", "v1", json!({ "hard": { "pods": 5 } }));
        let budget =
            named("PodDisruptionBudget", "policy/v1", json!({ "selector": { "matchLabels": { "app": "web" } } }));
        for (old, change, options, expected) in [
            (Vec::from(web.clone()), &restart, json!({}), true),
            (Vec::from(web.clone()), &json!({ "spec": { "replicas": 9 } }), json!({}), true),
            (Vec::from(web.clone()), &json!({ "spec": { "replicas": 0 } }), json!({}), true),
            (Vec::from(web.clone()), &restart, json!({ "quotas": [quota] }), true),
            (Vec::from([deployment(&container(&json!({ "readinessProbe": probe })))]), &restart, json!({}), true),
            (Vec::from([deployment(&container(&sleep(10)))]), &restart, json!({}), true),
            // Something else happens.
            (Vec::from([web[0].clone(), other]), &restart, json!({}), false),
            (Vec::from([web[0].clone(), budget]), &restart, json!({}), false),
            (Vec::from(web.clone()), &restart, json!({ "nodes": [{ "name": "a" }] }), false),
            // Pods are not alike, or do more than groups know.
            (Vec::from(web.clone()), &restart, json!({ "assumptions": { "jitter": 10 } }), false),
            (Vec::from(web.clone()), &restart, json!({ "assumptions": { "readyAfter": "never" } }), false),
            (Vec::from(web.clone()), &restart, json!({ "assumptions": { "kubelet": [{ "image": "web:1" }] } }), false),
            (Vec::from([deployment(&container(&json!({ "startupProbe": probe })))]), &restart, json!({}), false),
            (Vec::from([deployment(&container(&sleep(29)))]), &restart, json!({}), false),
            (
                Vec::from([deployment(&pod_spec(&json!({ "terminationGracePeriodSeconds": 1 })))]),
                &restart,
                json!({}),
                false,
            ),
            // Some of the pods that go are older than others.
            (
                Vec::from(web.clone()),
                &json!({ "spec": { "replicas": 40, "template": { "metadata": { "annotations": { "restarted": "now" } } } } }),
                json!({}),
                false,
            ),
        ] {
            assert_eq!(is_played(&old, change, &options), expected, "{old:?} {change} {options}");
        }
    }
}
