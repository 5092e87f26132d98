//! What is assumed around the user's manifests.

use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::prediction::RolloutPlan;
use changeover_core::scenario::{
    Action, Autoscaler, ControllerManager, Duration, Evict, Limits, MeasuredStart, Mode, Node, Preempt, Scenario,
    SetTemplate, TimedAction, Timing, stuck_pod_timings,
};
use changeover_wire::{WorkloadKind, WorkloadName};
use serde_json::{Value, json};

/// What the manifests don't say, with the keys of a scenario.
#[derive(Clone, Debug, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Surroundings {
    /// The nodes where the manifests have none.
    pub nodes: Vec<Node>,
    /// What adds nodes.
    pub autoscaler: Option<Autoscaler>,
    /// How fast pods start and end, except those that are held up.
    pub kubelet: Vec<Timing>,
    /// Whether the ready pods of a running cluster tell how long new ones take to become ready, as far as they can.
    pub starts_as_measured: bool,
    /// How closely the timing of a real control plane is followed.
    pub mode: Mode,
    /// How many requests the controllers may send.
    pub controller_manager: Option<ControllerManager>,
    /// Where the simulation stops.
    pub limits: Option<Limits>,
    /// That the Deployment that is shown is rolled out again.
    pub restart: Option<Restart>,
    /// That all other Deployments are rolled out.
    pub others_restart: Option<Restart>,
    /// What the pods of a Job or CronJob do, if one is shown.
    pub job: JobPods,
}

/// That a Deployment is rolled out again, as `kubectl rollout restart` does.
#[derive(Clone, Debug, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Restart {
    /// How long after the start.
    pub at: Duration,
}

impl Restart {
    /// The restart of a Deployment.
    pub fn action(&self, deployment: &WorkloadName) -> TimedAction {
        let annotations = json!({ "kubectl.kubernetes.io/restartedAt": self.at.to_string() });
        let action = Action::SetTemplate(SetTemplate {
            kind: String::from(deployment.kind.name()),
            name: deployment.name.clone(),
            namespace: deployment.namespace.clone(),
            template: json!({ "metadata": { "annotations": annotations } }),
        });
        TimedAction { at: self.at, action }
    }
}

/// What the pods of the shown Job or CronJob do.
#[derive(Clone, Debug, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct JobPods {
    /// How long they run, and how they end.
    pub kubelet: Vec<Timing>,
    /// What is done to them. A pod's name is that of its index or number: `/1`.
    pub actions: Vec<TimedAction>,
}

impl JobPods {
    /// Puts them into the scenario of a workload.
    fn surround(&self, scenario: &mut Scenario, shown: &WorkloadName) {
        let job = (shown.kind == WorkloadKind::Job).then(|| shown.name.clone());
        let timings = self.kubelet.iter().map(|timing| Timing { job: job.clone(), ..timing.clone() });
        scenario.kubelet.splice(..0, timings);
        let named = |name: &String| format!("{}{name}", shown.name);
        for TimedAction { at, action } in &self.actions {
            let action = match action.clone() {
                Action::Evict(evict) => {
                    Action::Evict(Evict { name: named(&evict.name), namespace: shown.namespace.clone() })
                }
                Action::Preempt(preempt) => {
                    Action::Preempt(Preempt { name: named(&preempt.name), namespace: shown.namespace.clone() })
                }
                other => other,
            };
            scenario.actions.push(TimedAction { at: *at, action });
        }
    }
}

impl Surroundings {
    /// Reads them; null for none.
    pub fn read(value: &Value) -> Result<Self, Problem> {
        if value.is_null() { Ok(Self::default()) } else { decode(value, "") }
    }

    /// Leaves it to the templates of the pods how long preStop hooks take.
    pub fn forget_pre_stop(&mut self) {
        for timing in &mut self.kubelet {
            timing.pre_stop = None;
        }
    }

    /// Makes pods start as fast as others did, whatever their probes would find. A new version with a time of its own keeps it.
    pub fn start_as(&mut self, measured: MeasuredStart) {
        let Some((ready, answers)) = self.kubelet.last().map(|others| (others.ready, others.answers)) else { return };
        for timing in self.kubelet.iter_mut().filter(|timing| (timing.ready, timing.answers) == (ready, answers)) {
            *timing = measured.timing(timing.clone());
        }
    }

    /// How fast the pods are that are neither held up nor new.
    pub fn others(&self) -> Timing {
        self.kubelet.last().cloned().unwrap_or_default()
    }

    /// How fast the pods of the new version of the shown workload are. `revision`: that of the new version, if there is one.
    pub fn of_new(&self, revision: Option<i64>, shown: Option<&WorkloadName>) -> impl Iterator<Item = Timing> {
        let shown = shown.filter(|shown| shown.kind == WorkloadKind::Deployment).map(|shown| shown.name.clone());
        let of_new = self.kubelet.iter().filter(move |timing| timing.revision.is_some() && revision.is_some());
        of_new.map(move |timing| Timing { deployment: shown.clone(), revision, ..timing.clone() })
    }

    /// Puts a scenario into them. `new_revision`: as for [`Surroundings::of_new`].
    pub fn surround(
        &self,
        mut scenario: Scenario,
        plan: &RolloutPlan,
        shown: Option<&WorkloadName>,
        new_revision: Option<i64>,
    ) -> Scenario {
        scenario.kubelet = stuck_pod_timings(plan.stuck_pods(), self.others());
        scenario.kubelet.splice(..0, self.of_new(new_revision, shown));
        scenario.controller_manager = self.controller_manager;
        if !scenario.nodes.is_empty() {
            scenario.autoscaler = self.autoscaler.clone();
        }
        if let Some(limits) = &self.limits {
            scenario.limits = limits.clone();
        }
        if let Some(shown) = shown.filter(|shown| shown.kind.has_jobs()) {
            self.job.surround(&mut scenario, shown);
        }
        scenario
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::scenario::Delay;

    use super::*;

    #[test]
    fn a_measured_start_counts_where_no_other_time_is_said() {
        let surroundings = json!({ "kubelet": [
            { "revision": 2, "ready": "40s", "answers": "40s" },
            { "revision": 2, "pull": "9s", "ready": "6s", "answers": "6s" },
            { "ready": "6s", "answers": "6s" },
        ] });
        let mut surroundings = Surroundings::read(&surroundings).unwrap();
        surroundings.start_as(MeasuredStart { containers: Duration::seconds(3), ready: Duration::seconds(20) });
        let [own, pulled, others] = surroundings.kubelet.as_slice() else { panic!("{surroundings:?}") };
        assert_eq!((own.ready, own.answers), (delay(40), delay(40)));
        for timing in [pulled, others] {
            assert_eq!((timing.start, timing.ready, timing.answers), (Duration::seconds(3), delay(17), None));
        }
    }

    fn delay(seconds: i64) -> Option<Delay> {
        Some(Delay::After(Duration::seconds(seconds)))
    }
}
