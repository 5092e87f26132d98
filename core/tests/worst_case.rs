//! A simulation is within the explored worst case, and that is within the proven bound.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::slice::from_ref;

use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_core::json::decode;
use changeover_core::object::Time;
use changeover_core::prediction::{Assumptions, PredictOptions, predict};
use changeover_core::scenario::{Delay, Duration, Mode};
use changeover_core::workload::deployment::Deployment;
use changeover_core::worst_case::{ExplorationLimits, PodTimes, bound, explore};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a prediction assumes with `readyAfter: 5s` and a jitter of 20 percent. Pods may end sooner.
const TIMES: PodTimes =
    PodTimes { ready_min: 5 * Time::SECOND, ready_max: Some(6 * Time::SECOND), stop_max: 30 * Time::SECOND };

fn options(seed: u64) -> PredictOptions {
    let ready_after = Some(Delay::After(Duration::seconds(5)));
    let assumptions = Assumptions { ready_after, mode: Some(Mode::Exact), jitter: 20, seed, ..Assumptions::default() };
    PredictOptions { assumptions, ..PredictOptions::default() }
}

#[derive(Clone, Debug)]
struct Change {
    before: i32,
    after: i32,
    surge: i32,
    unavailable: i32,
    min_ready: [i32; 2],
    recreate: bool,
    rollout: bool,
}

fn min_ready() -> impl Strategy<Value = i32> {
    prop_oneof![Just(0), Just(5)]
}

fn changes() -> impl Strategy<Value = Change> {
    (1..=3, 1..=3, 0..=2, 0..=2, [min_ready(), min_ready()], any::<bool>(), any::<bool>())
        .prop_filter("one of the two must be above 0", |(_, _, surge, unavailable, ..)| surge + unavailable > 0)
        .prop_map(|(before, after, surge, unavailable, min_ready, recreate, rollout)| Change {
            before,
            after,
            surge,
            unavailable,
            min_ready,
            recreate,
            rollout,
        })
}

impl Change {
    fn manifest(&self, replicas: i32, min_ready: i32, image: &str) -> Value {
        let rolling = json!({
            "type": "RollingUpdate",
            "rollingUpdate": { "maxSurge": self.surge, "maxUnavailable": self.unavailable },
        });
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": replicas,
                "minReadySeconds": min_ready,
                "selector": { "matchLabels": { "app": "web" } },
                "strategy": if self.recreate { json!({ "type": "Recreate" }) } else { rolling },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "app", "image": image }], "terminationGracePeriodSeconds": 30 },
                },
            },
        })
    }

    fn manifests(&self) -> [Value; 2] {
        let [before, after] = self.min_ready;
        let image = if self.rollout { "web:2" } else { "web:1" };
        [self.manifest(self.before, before, "web:1"), self.manifest(self.after, after, image)]
    }
}

/// The Deployment as the API server stores it.
fn stored(manifest: &Value, policy: Option<&str>) -> Deployment {
    let mut manifest = manifest.clone();
    manifest["metadata"]["uid"] = json!("deployment");
    if let Some(policy) = policy {
        manifest["spec"]["podReplacementPolicy"] = json!(policy);
    }
    decode(&manifest, "").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_simulation_lies_within_all_orders_and_these_within_the_bound(change in changes(), seed: u64) {
        let [old, new] = change.manifests();
        let predicted = predict(from_ref(&old), from_ref(&new), &options(seed)).unwrap();
        let together = predicted.prediction.total;
        let proposed = together.proposed.unwrap_or_else(|| together.outcome.clone());
        let gates = FeatureGates::default();
        let with_policy = gates.with(Feature::DeploymentPodReplacementPolicy, true);
        for (simulated, gates, policy) in
            [(together.outcome, gates, None), (proposed, with_policy, Some("TerminationComplete"))]
        {
            let (before, after) = (stored(&old, None), stored(&new, policy));
            let worst = explore(&before, &after, gates, TIMES, ExplorationLimits { lag: 1, ..ExplorationLimits::default() }).unwrap();
            let bound = bound(&before, &after, gates, TIMES);
            prop_assert!(simulated.peak <= worst.peak.pods, "{simulated:?}\n{worst:?}");
            prop_assert!(simulated.lowest_available >= worst.lowest_available.pods, "{simulated:?}\n{worst:?}");
            prop_assert!(i64::from(worst.peak.pods) <= bound.peak, "{bound:?}\n{worst:?}");
            prop_assert!(i64::from(worst.lowest_available.pods) >= bound.lowest_available, "{bound:?}\n{worst:?}");
            // The longest time may be unknown only of changes with more orders than are explored for it.
            if let Some(longest) = worst.longest.as_ref().map(|longest| longest.time) {
                prop_assert!(simulated.complete <= Some(longest), "{simulated:?}\n{worst:?}");
                prop_assert!(Some(longest) <= bound.longest, "{bound:?}\n{worst:?}");
            } else {
                prop_assert!(worst.states > ExplorationLimits::default().timed_states, "{worst:?}");
            }
        }
    }
}
