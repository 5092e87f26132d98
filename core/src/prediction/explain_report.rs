//! What `explain` answers: the state of each rollout, and what unblocks those that are held up.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::job_outlook::JobOutlook;
use super::outlook::{Outlook, RolloutOutlook, Standing};
use super::remedy::{Remedy, old_pod_first};
use crate::Problem;
use crate::json::ToJson;
use crate::object::{Kind, ObjectKey};

/// How many rollouts that are held up get simulated remedies: each simulates everything that was read.
pub const MAX_WITH_REMEDIES: usize = 10;

/// How finely the progress of a rollout's remedies is counted.
const PARTS: usize = 1000;

/// The version of the report's format.
const VERSION: u32 = 2;

/// The state of the rollouts in a running cluster. Times are in milliseconds from now.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExplainReport {
    /// The version of this format: 2.
    pub version: u32,
    /// When the state was read, as in RFC 3339.
    pub now: String,
    /// Each Deployment, StatefulSet and DaemonSet: what is stuck first, then by namespace and name.
    pub rollouts: Vec<RolloutReport>,
    /// The Jobs that have failed or wait for a user, and one that was asked for. If there are no rollouts, these are all Jobs.
    pub jobs: Vec<JobOutlook>,
}

/// The state of a Deployment's rollout, and what unblocks it.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutReport {
    /// The state.
    #[serde(flatten)]
    pub rollout: RolloutOutlook,
    /// What unblocks it: what its obstacles advise, then the fastest ones, and last what can't be undone. Each was simulated, and
    /// completes the rollout. The first ten rollouts that are held up have some.
    pub remedies: Vec<Remedy>,
}

/// Which of several rollouts are stuck: `1 of 4 rollouts is stuck: zeta`, or `2 of 4 rollouts are stuck: zeta, db; zeta`, which ends with the
/// first one. None if there is only one rollout, or none is stuck.
pub fn stuck_ones<'a>(rollouts: impl Iterator<Item = &'a RolloutOutlook>, with_namespaces: bool) -> Option<String> {
    const NAMED: usize = 5;
    let rollouts: Vec<&RolloutOutlook> = rollouts.collect();
    let stuck = rollouts.iter().filter(|rollout| rollout.standing == Standing::Stuck);
    let stuck: Vec<String> = stuck.map(|rollout| rollout.workload(with_namespaces)).collect();
    let (named, others) = stuck.split_at_checked(NAMED).unwrap_or((&stuck, &[]));
    let first = named.first().filter(|_| rollouts.len() > 1)?;
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let sentence =
        |are: &str| format!("{} of {} rollouts {are} stuck: {}{more}", stuck.len(), rollouts.len(), named.join(", "));
    Some(if stuck.len() == 1 { sentence("is") } else { format!("{}; {first}", sentence("are")) })
}

impl Outlook {
    /// These Jobs, and these rollouts with what unblocks them. `begins` learns which of those that are held up the report comes to, and how many
    /// there are, and `tried` how much of the whole is done.
    ///
    /// # Errors
    /// As [`Outlook::remedies`].
    pub fn report(
        &self,
        rollouts: impl IntoIterator<Item = RolloutOutlook>,
        jobs: Vec<JobOutlook>,
        begins: &mut dyn FnMut(usize, usize),
        tried: &mut dyn FnMut(usize, usize),
    ) -> Result<ExplainReport, Problem> {
        let rollouts: Vec<RolloutOutlook> = rollouts.into_iter().collect();
        let held_up = rollouts.iter().filter(|rollout| rollout.is_held_up()).count().min(MAX_WITH_REMEDIES);
        let mut done = 0_usize;
        let with_remedies = |mut rollout: RolloutOutlook| {
            let mut remedies = Vec::new();
            if rollout.is_held_up() && done < held_up {
                done = done.saturating_add(1);
                begins(done, held_up);
                let before = done.saturating_sub(1).saturating_mul(PARTS);
                // Each rollout is the same share of the whole, however many remedies it has: what is done never gets less.
                remedies = self.remedies_watched(&rollout, &mut |number, of| {
                    let part = number.saturating_mul(PARTS).checked_div(of).unwrap_or(0);
                    tried(before.saturating_add(part), held_up.saturating_mul(PARTS));
                })?;
                self.retract_advice(&mut rollout, &remedies);
            }
            Ok(RolloutReport { rollout, remedies })
        };
        let rollouts = rollouts.into_iter().map(with_remedies).collect::<Result<_, Problem>>()?;
        Ok(ExplainReport { version: VERSION, now: self.timeline.scenario.start.to_string(), rollouts, jobs })
    }

    /// Takes back the advice to let an old pod go first if that alone does not complete the rollout, as its simulation showed.
    fn retract_advice(&self, rollout: &mut RolloutOutlook, remedies: &[Remedy]) {
        let key = ObjectKey::new(Kind::Deployment, rollout.namespace.as_str(), rollout.name.as_str());
        let [obstacle] = rollout.obstacles.as_mut_slice() else { return };
        let command = Some(self.kubectl.patch(&key, &old_pod_first(key.kind)));
        let is_advised = obstacle.command == command;
        if is_advised && rollout.kind == key.kind.name() && remedies.iter().all(|remedy| remedy.command != command) {
            obstacle.command = None;
            obstacle.remedy = obstacle.otherwise.take().or_else(|| obstacle.remedy.take());
        }
    }
}
