//! The options of a prediction, beside the objects.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::course::Shard;
use crate::json::{FromJson, ToJson, decode};
use crate::object::Time;
use crate::scenario::{ControllerManager, Delay, Duration, Mode, Timing};
use crate::{Pause, Problem};

/// The most objects in each of `old`, `new` and `quotas`.
const MAX_OBJECTS: usize = 20_000;

/// The most pods that the workloads may want together.
pub const MAX_PODS: i64 = 20_000;

/// The most runs with different seeds.
pub const MAX_RUNS: u32 = 1_000;

/// What a prediction takes into account, and what it assumes.
#[derive(Clone, Debug, Default, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PredictOptions {
    /// ResourceQuotas that the rollout must fit, beside those among the objects. A quota of the same name replaces one of
    /// those.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub quotas: Vec<Value>,
    /// The nodes, as Node objects or as a scenario has them (`{ name, pods, cpu, memory }`), in place of those among
    /// the objects. Without nodes, every pod can be scheduled.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub nodes: Vec<Value>,
    /// The namespace of objects that don't name one; `default` by default.
    #[json(omitempty)]
    pub namespace: Option<String>,
    /// Whether to delete the workloads that only the old manifests have, as tools that prune do. Objects of a running cluster stay.
    #[json(omitempty)]
    pub prune: bool,
    /// The part of the objects to predict, if they are split; all by default.
    #[json(omitempty)]
    pub shard: Option<Shard>,
    /// Whether to add the worst that any order of events leads to.
    pub worst: bool,
    /// Whether to add what the proposed field `podReplacementPolicy` (KEP-5882) would change, which takes as long as everything
    /// else; true by default.
    #[json(omitempty)]
    pub proposed: Option<bool>,
    /// Documents that belong to the objects but could not be read, or were left out because they were refused. The verdict names
    /// them.
    #[json(omitempty)]
    pub not_read: Vec<NotRead>,
    /// Assumptions about pods and about the order of rollouts.
    pub assumptions: Assumptions,
}

/// A document that is not among the objects, although it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UnreadDocument"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotRead {
    /// Where the document is, like `new/web.yaml:12`.
    pub path: String,
    /// Why it is not among the objects, in one sentence.
    pub reason: String,
}

/// What a prediction assumes: each has a default.
#[derive(Clone, Debug, Default, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Assumptions {
    /// How long after its creation a pod is ready, or `never`. By default its probes decide: its containers start 1 second
    /// after its creation and answer 4 seconds later. In a running cluster, pods of a Deployment take as long as its ready pods
    /// took (the median), unless its probes change or an entry of `kubelet` is for all of them.
    #[json(omitempty)]
    pub ready_after: Option<Delay>,
    /// How long a pod takes to stop, at most its grace period. By default it takes its whole grace period.
    #[json(omitempty)]
    pub stop_after: Option<Duration>,
    /// How long the pods of a Job run until they end with exit code 0, or `never`; 10 seconds by default. In `predict`, the Jobs
    /// of manifests have finished, but those that the change is about, or that run for `never`, have just started, with all their pods.
    #[json(omitempty)]
    pub run_for: Option<Delay>,
    /// How closely to follow the timing of a real control plane: `realistic` by default.
    #[json(omitempty)]
    pub mode: Option<Mode>,
    /// How fast some pods start and end, as in a scenario: the first entry that matches a pod is used. The assumptions
    /// here apply to all other pods.
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// How many requests a second kube-controller-manager's controllers may send, and how long these take; by default, the
    /// mode decides.
    #[json(omitempty)]
    pub controller_manager: Option<ControllerManager>,
    /// Up to how much longer each stage of a pod's life takes, in percent, drawn from the seed; 0 by default.
    pub jitter: u32,
    /// The seed that the jitter is drawn from; 0 by default.
    pub seed: u64,
    /// How many seeds to simulate for ranges, from `seed` on. 0, the default, and 1 give no ranges; more need a jitter.
    pub runs: u32,
    /// How many rollouts run at the same time: the next one starts when one is complete. By default all start together.
    #[json(omitempty)]
    pub concurrent: Option<u32>,
    /// When the objects of a running cluster were read, as in RFC 3339; by default the clock, or the newest time in them if that is more than
    /// ten minutes older, or later. It is never earlier than the creation of the youngest object. Manifests have no time.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub now: Option<Time>,
    /// What the host does while something is simulated. It is not part of the format.
    #[serde(skip)]
    pub pause: Pause,
}

/// When the rollouts start whose assumptions are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RolloutStart {
    /// With a change, in the order that is assumed.
    Changed,
    /// In no order: they are in progress already, or only one is simulated.
    Unordered,
}

impl PredictOptions {
    /// Reads options; null for none.
    ///
    /// # Errors
    /// An unknown key, a wrong type, or a number outside its bounds, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        let options: Self = if value.is_null() { Self::default() } else { decode(value, "")? };
        options.validate()?;
        Ok(options)
    }

    pub(super) fn validate(&self) -> Result<(), Problem> {
        validate_count("quotas", self.quotas.len())?;
        validate_count("nodes", self.nodes.len())?;
        self.assumptions.validate()
    }
}

/// Refuses a list that is too long.
pub(super) fn validate_count(path: &str, count: usize) -> Result<(), Problem> {
    if count <= MAX_OBJECTS {
        return Ok(());
    }
    Err(Problem::new(path, format!("Too many: {count}: must have at most {MAX_OBJECTS} items")))
}

impl Assumptions {
    /// The largest jitter, in percent.
    const MAX_JITTER: u32 = 1_000;

    fn validate(&self) -> Result<(), Problem> {
        let invalid = |field: &str, value: &dyn ToString, right: &str| {
            let message = format!("Invalid value: {}: must be {right}", value.to_string());
            Err(Problem::new(format!("assumptions.{field}"), message))
        };
        if self.jitter > Self::MAX_JITTER {
            return invalid("jitter", &self.jitter, &format!("a percentage of at most {}", Self::MAX_JITTER));
        }
        if self.runs > MAX_RUNS {
            return invalid("runs", &self.runs, &format!("at most {MAX_RUNS}"));
        }
        if self.runs > 1 && self.jitter == 0 {
            return invalid("runs", &self.runs, "1 without assumptions.jitter, since all runs are the same");
        }
        if self.concurrent == Some(0) {
            return invalid("concurrent", &0, "at least 1");
        }
        Ok(())
    }

    /// How closely a real control plane is followed.
    pub(crate) fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::Realistic)
    }

    /// These assumptions, with what is used where they leave something out.
    pub(super) fn used(&self, now: Option<Time>) -> Self {
        Self { mode: Some(self.mode()), runs: self.runs.max(1), now, ..self.clone() }
    }

    /// Whether the ready pods of a running Deployment may tell how long its new pods take: nothing here says it for all of them.
    pub(super) fn leaves_start_open(&self, deployment: &str) -> bool {
        let is_of_all = |timing: &Timing| {
            let named = timing.deployment.as_deref();
            named.is_none_or(|named| named == deployment)
                && Timing { deployment: None, ..timing.clone() }.is_of_all_pods()
        };
        self.ready_after.is_none() && !self.kubelet.iter().any(is_of_all)
    }

    /// How fast pods start and end under these assumptions.
    pub fn timing(&self) -> Timing {
        let default = Timing::default();
        let (start, ready) = match self.ready_after {
            None => (default.start, None),
            Some(Delay::Never) => (default.start, Some(Delay::Never)),
            Some(Delay::After(after)) => {
                let start = default.start.min(after);
                (start, Some(Delay::After(Duration(after.0.saturating_sub(start.0)))))
            }
        };
        Timing { start, ready, run: self.run_for, terminate: self.stop_after, jitter_percent: self.jitter, ..default }
    }

    /// The assumptions in one line, those about Jobs where there are any.
    pub(super) fn sentence(&self, has_jobs: bool, start: RolloutStart) -> String {
        let ready = match self.ready_after {
            None => String::from("Pods are ready when their probes succeed, or 5 s after creation if they have none"),
            Some(Delay::Never) => String::from("New pods never become ready"),
            Some(Delay::After(after)) => format!("Pods are ready {} after creation", after.exactly_in_words()),
        };
        let stop = self.stop_after.map_or_else(
            || String::from("and take their whole grace period to stop"),
            |after| format!("and take {} to stop, at most their grace period", after.exactly_in_words()),
        );
        let run = match self.run_for.unwrap_or(Delay::After(Timing::RUN)) {
            _ if !has_jobs => String::new(),
            Delay::Never => String::from("; those of Jobs never end by themselves"),
            Delay::After(after) => format!("; those of Jobs run {}", after.exactly_in_words()),
        };
        let jitter = match self.jitter {
            0 => String::new(),
            percent => format!("; each stage takes up to {percent}% longer"),
        };
        let order = match (start, self.concurrent) {
            (RolloutStart::Unordered, _) => String::new(),
            (RolloutStart::Changed, None) => String::from(" All rollouts start together."),
            (RolloutStart::Changed, Some(1)) => String::from(" One rollout runs at a time."),
            (RolloutStart::Changed, Some(count)) => format!(" At most {count} rollouts run at a time."),
        };
        let clients = match self.mode().controller_manager(self.controller_manager) {
            None => String::from("Controllers' requests take no time."),
            Some(ControllerManager { qps, request_time, .. }) => {
                let takes = match request_time.filter(|time| time.0 > 0) {
                    None => String::from("Controllers' requests take no time"),
                    Some(time) => format!("A controller's request takes {}", time.exactly_in_words()),
                };
                format!("{takes}, and each controller sends up to {qps} per second.")
            }
        };
        format!("{ready}, {stop}{run}{jitter}.{order} {clients}")
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_outside_their_bounds_are_refused() {
        for (options, expected) in [
            (
                json!({ "assumptions": { "runs": 1001, "jitter": 1 } }),
                "assumptions.runs: Invalid value: 1001: must be at most 1000",
            ),
            (
                json!({ "assumptions": { "runs": 2 } }),
                "assumptions.runs: Invalid value: 2: must be 1 without assumptions.jitter, since all runs are the same",
            ),
            (
                json!({ "assumptions": { "jitter": 1001 } }),
                "assumptions.jitter: Invalid value: 1001: must be a percentage of at most 1000",
            ),
            (
                json!({ "assumptions": { "concurrent": 0 } }),
                "assumptions.concurrent: Invalid value: 0: must be at least 1",
            ),
            (
                json!({ "assumptions": { "readyAfter": "soon" } }),
                "assumptions.readyAfter: Invalid value: \"soon\": must be a duration like 90s, or never",
            ),
            (
                json!({ "quotas": alloc::vec![json!({}); MAX_OBJECTS + 1] }),
                "quotas: Too many: 20001: must have at most 20000 items",
            ),
        ] {
            let problem = PredictOptions::from_value(&options).unwrap_err();
            assert_eq!(problem.to_string(), expected);
        }
        assert_eq!(PredictOptions::from_value(&Value::Null), Ok(PredictOptions::default()));
    }
}
