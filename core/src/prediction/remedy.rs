//! What would unblock a rollout. Each remedy is simulated.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::kubectl::Kubectl;
use super::obstacle::foreign_finalizers;
use super::refusing_quota::RefusingQuota;
use super::relaxed_template::{only_prefers_anti_affinity, spreads_each_revision};
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::unschedulable_reason::{UnschedulableReason, with_another_node};
use crate::Problem;
use crate::cluster::{List, UnspecifiedResource, listed, merge};
use crate::collect_tree::CollectTree;
use crate::json::ToJson;
use crate::object::unstructured::{at, string};
use crate::object::{Kind, ObjectKey, Pod};
use crate::scenario::{Action, Cascade, Delete, Duration, NodeName, Resume, StuckCause, TimedAction, Undo};
use crate::timeline::{Series, Timeline, Totals};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{is_rolling_update, max_unavailable};

/// When a node is deleted: just after the start. At the start itself, the pod garbage collector's first run would already notice
/// it, and remove its pods a period of 20 s sooner than when a user deletes it at any later time.
const JUST_AFTER_START: Duration = Duration(1);

/// What was simulated with one more node for pods that fit no other one.
const LARGER_NODE: &str = "Add a node that is large enough";

/// What becomes of a pod of a set that is deleted.
const DELETED_POD: &str = "what the pod has outside of its volumes is lost";

/// Something that unblocks a rollout.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// What to do, as the start of a sentence: `Roll back`.
    pub what: String,
    /// The command that does it; absent if there is none.
    #[json(omitempty)]
    pub command: Option<String>,
    /// What to write into the workload's manifest, as YAML, if a tool applies it; absent otherwise.
    #[json(omitempty)]
    pub manifest: Option<String>,
    /// The action that does it in a simulation; none if there is no single one. Reports leave it out: they have the command.
    #[serde(skip)]
    pub action: Option<Action>,
    /// Whether it can't be undone.
    pub is_final: bool,
    /// What it costs meanwhile, or what may be lost; absent if that is nothing.
    #[json(omitempty)]
    pub cost: Option<String>,
    /// When the rollout is then complete, in milliseconds from now.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub complete: i64,
    /// When the last old pod is then gone, in milliseconds from now; absent if one stays.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub last_old_pod_gone: Option<i64>,
    /// Whether these times start at the next try: the controller's is up to 16 min 40 s away after the API server has refused
    /// pods, the kubelet's up to 5 min after a container has failed.
    pub after_next_try: bool,
}

/// A rollout that is held up, and why.
pub(super) struct Situation<'a> {
    pub(super) plan: &'a RolloutPlan,
    pub(super) policies: PodReplacementPolicies,
    pub(super) key: &'a ObjectKey,
    /// How the user runs kubectl.
    pub(super) kubectl: &'a Kubectl,
    /// None for a StatefulSet or a DaemonSet.
    pub(super) deployment: Option<&'a Deployment>,
    /// Whether the rollout is never complete by itself.
    pub(super) is_stuck: bool,
    /// What holds its pods up.
    pub(super) causes: Vec<&'a StuckCause>,
    /// The pods that a StatefulSet waits for before it replaces or deletes them.
    pub(super) pods_in_the_way: Vec<PodInTheWay<'a>>,
    /// Whether a rollback may help a StatefulSet or a DaemonSet.
    pub(super) undo_may_help: bool,
    /// To which revision; 0 for the one before the current one.
    pub(super) undo_revision: i64,
    /// Whether pods of it will find no node.
    pub(super) finds_no_node: bool,
    /// Whether one of them requests more than any node has.
    pub(super) is_too_large: bool,
    /// Why the scheduler finds no node for them.
    pub(super) reasons: BTreeSet<UnschedulableReason>,
    /// The quotas because of which the API server refuses its pods.
    pub(super) refusing_quotas: Vec<&'a RefusingQuota>,
    /// The nodes that are cordoned.
    pub(super) cordoned_nodes: &'a [String],
    /// The nodes with pods of it whose kubelets no longer report.
    pub(super) lost_nodes: Vec<&'a str>,
    /// Its terminating pods that should have been gone, on nodes that report.
    pub(super) overdue_pods: Vec<&'a Pod>,
    /// Whether a new pod waits for a volume that another pod uses.
    pub(super) waits_for_volume: bool,
}

/// A pod that never becomes ready, and that a StatefulSet neither replaces nor deletes before it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PodInTheWay<'a> {
    pub(super) name: &'a str,
    /// Whether to delete it is enough: its template is an older one, and the repaired one is there already, or its ordinal is not wanted any
    /// more.
    pub(super) is_unwanted: bool,
}

/// What a remedy leads to.
#[derive(Default)]
struct Played {
    totals: Totals,
    /// The available pods at its beginning.
    available: i32,
}

/// A remedy to simulate.
struct Candidate {
    what: String,
    command: Option<String>,
    action: Option<Action>,
    plan: RolloutPlan,
    quotas: Quotas,
    after_next_try: bool,
    is_final: bool,
    /// What may be lost.
    risk: Option<&'static str>,
}

impl Candidate {
    fn new(what: impl Into<String>, command: Option<String>, plan: RolloutPlan) -> Self {
        let what = what.into();
        let quotas = Quotas::Enforced;
        Self { what, command, action: None, plan, quotas, after_next_try: false, is_final: false, risk: None }
    }

    /// A user does this in a plan.
    fn of_action(what: impl Into<String>, command: Option<String>, plan: &RolloutPlan, action: Action) -> Self {
        Self { action: Some(action.clone()), ..Self::new(what, command, plan.with_action(action)) }
    }

    /// It can't be undone, and this may be lost.
    fn for_good(self, risk: &'static str) -> Self {
        Self { is_final: true, risk: Some(risk), ..self }
    }

    /// No event tells the controller or the kubelet of this remedy: it helps only at their next try.
    fn after_next_try(self) -> Self {
        Self { after_next_try: true, ..self }
    }
}

impl Situation<'_> {
    /// The remedies that complete the rollout. `tried` learns how many of how many are simulated.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub(super) fn remedies(&self, tried: &mut dyn FnMut(usize, usize)) -> Result<Vec<Remedy>, Problem> {
        let mut remedies = Vec::new();
        let candidates = match self.deployment {
            Some(deployment) => self.candidates(deployment),
            None => self.candidates_of_set(),
        };
        let count = candidates.len();
        for (index, candidate) in candidates.into_iter().enumerate() {
            let Candidate { what, command, action, plan, quotas, after_next_try, is_final, risk } = candidate;
            tried(index, count);
            let timeline = match plan.simulate(self.policies, quotas) {
                Ok(timeline) => timeline,
                // What the API server refuses is no remedy: a revision, for one, may have other labels than the selector.
                Err(problem) if problem.path.starts_with("actions[") => continue,
                Err(problem) => return Err(problem),
            };
            let Played { totals, available } = self.played(&timeline);
            let Totals { complete, last_old_pod_gone, lowest_available, .. } = totals;
            if let Some(complete) = complete {
                let manifest = None;
                let fewer = (lowest_available < available)
                    .then(|| format!("meanwhile, only {lowest_available} pods are available, not {available}"));
                let costs: Vec<String> = fewer.into_iter().chain(risk.map(String::from)).collect();
                let cost = (!costs.is_empty()).then(|| costs.join("; "));
                remedies.push(Remedy {
                    what,
                    command,
                    manifest,
                    action,
                    is_final,
                    cost,
                    complete,
                    last_old_pod_gone,
                    after_next_try,
                });
            }
        }
        Ok(remedies)
    }

    fn played(&self, timeline: &Timeline) -> Played {
        let start = timeline.scenario.start;
        let workloads = Series::of_workloads(timeline);
        let its = workloads.iter().find(|(key, _)| key == self.key);
        its.map_or_else(Played::default, |(_, series)| Played {
            totals: Totals::of(&series.points, start, timeline.time_at(timeline.len())),
            available: series.points.first().map_or(0, |point| point.counts.available),
        })
    }

    /// Remedies for a StatefulSet or a DaemonSet.
    fn candidates_of_set(&self) -> Vec<Candidate> {
        let namespace = &self.key.namespace;
        let mut candidates = Vec::new();
        let delete =
            |pod: &PodInTheWay<'_>| TimedAction { at: Duration(0), action: deletion(namespace, pod.name, None) };
        let delete_all = |plan: &RolloutPlan| plan.with_actions(self.pods_in_the_way.iter().map(delete));
        let names: Vec<&str> = self.pods_in_the_way.iter().map(|pod| pod.name).collect();
        let delete_command = || self.kubectl.delete_pods(namespace, &names);
        let pods = if names.len() == 1 { "pod" } else { "pods" };
        if self.is_stuck && self.pods_in_the_way.iter().any(|pod| pod.is_unwanted) {
            let what = format!("Delete {pods} {}", names.join(" and "));
            let delete = Candidate::new(what, Some(delete_command()), delete_all(self.plan));
            candidates.push(Candidate { risk: Some(DELETED_POD), ..delete });
        } else if self.is_stuck && self.undo_may_help {
            let undo = self.undo();
            candidates.push(match names.is_empty() {
                true => undo,
                // The action alone does not help.
                false => Candidate {
                    what: format!("Roll back, and delete {pods} {}", names.join(" and ")),
                    command: undo.command.map(|undo| format!("{undo} && {}", delete_command())),
                    action: None,
                    plan: delete_all(&undo.plan),
                    risk: Some(DELETED_POD),
                    ..undo
                },
            });
        }
        if !self.causes.is_empty() {
            let plan = self.plan.without_hold_ups(self.key);
            candidates.push(Candidate::new("Fix what keeps its pods from becoming ready", None, plan));
        }
        candidates.extend(self.raise_quotas());
        candidates.extend(self.delete_overdue_pods());
        candidates.extend(self.lost_nodes.iter().flat_map(|node| [self.return_node(node), self.delete_node(node)]));
        candidates
    }

    fn candidates(&self, deployment: &Deployment) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        if deployment.spec.paused {
            candidates.push(self.resume());
        } else if self.is_stuck {
            // kubectl does not roll back a paused Deployment.
            candidates.push(self.undo());
        }
        let has_no_node =
            self.finds_no_node || self.causes.iter().any(|cause| matches!(cause, StuckCause::NoNode { .. }));
        let is_waiting = self.causes.iter().any(|cause| matches!(cause, StuckCause::Container { .. }));
        let is_unready = |cause: &&StuckCause| {
            matches!(cause, StuckCause::Unready { .. } | StuckCause::InitRuns { .. } | StuckCause::Untouched { .. })
        };
        if is_waiting || self.causes.iter().any(is_unready) {
            let what = "Fix what keeps its pods from becoming ready";
            let candidate = Candidate::new(what, None, self.plan.without_hold_ups(self.key));
            candidates.push(if is_waiting { candidate.after_next_try() } else { candidate });
        }
        if self.causes.iter().any(|cause| matches!(cause, StuckCause::Gated { .. })) {
            let plan = self.plan.without_hold_ups(self.key);
            candidates.push(Candidate::new("Let the gates' controllers remove them", None, plan));
        }
        if self.causes.iter().any(|cause| matches!(cause, StuckCause::Refused { .. })) {
            let plan = self.plan.without_hold_ups(self.key).without_limit_ranges();
            candidates.push(Candidate::new("Fix the cause of the refusals", None, plan).after_next_try());
        }
        if has_no_node {
            let plan = self.plan.without_hold_ups(self.key);
            if self.reasons.contains(&UnschedulableReason::Cordoned)
                && let Some(node) = self.cordoned_nodes.first()
            {
                let uncordon = Action::Uncordon(NodeName { name: node.clone() });
                let command = Some(self.kubectl.uncordon(node));
                candidates.push(Candidate::of_action(format!("Uncordon {node}"), command, &plan, uncordon));
            }
            let what = if self.is_too_large { LARGER_NODE } else { with_another_node(&self.reasons) };
            candidates.push(Candidate::new(what, None, plan.with_another_node()));
            candidates.extend(self.relaxed_templates(deployment, &plan));
        }
        candidates.extend(self.raise_quotas());
        candidates.extend(self.set_required_resources(deployment));
        let is_refused = !self.refusing_quotas.is_empty();
        // If nothing else is known to hold its pods up, they wait for a volume of old ones.
        let waits_for_old_pods = has_no_node || is_refused || (self.is_stuck && self.causes.is_empty());
        if (waits_for_old_pods || self.waits_for_volume)
            && is_rolling_update(deployment)
            && max_unavailable(deployment) == 0
        {
            let candidate = match self.waits_for_volume {
                true => self.let_an_old_pod_go_first(&self.plan.without_hold_ups(self.key)),
                false => self.let_an_old_pod_go_first(self.plan),
            };
            candidates.push(if is_refused { candidate.after_next_try() } else { candidate });
        }
        candidates.extend(self.delete_overdue_pods());
        candidates.extend(self.lost_nodes.iter().flat_map(|node| [self.return_node(node), self.delete_node(node)]));
        candidates
    }

    /// Other templates, whose pods nodes may take. While old pods run, their rules still apply.
    fn relaxed_templates(&self, deployment: &Deployment, plan: &RolloutPlan) -> impl Iterator<Item = Candidate> {
        let template = &deployment.spec.template;
        let of = |reason: UnschedulableReason, what: &str, patch: Option<Value>| {
            let patch = patch.filter(|_| self.reasons.contains(&reason))?;
            let command = self.kubectl.patch(self.key, &patch);
            Some(Candidate::of_action(what, Some(command), plan, self.patch(&patch)))
        };
        let spread =
            of(UnschedulableReason::Spread, "Spread the pods of each revision alone", spreads_each_revision(template));
        let apart =
            of(UnschedulableReason::Apart, "Only prefer the anti-affinity", only_prefers_anti_affinity(template));
        spread.into_iter().chain(apart)
    }

    fn return_node(&self, node: &str) -> Candidate {
        let action = Action::ReturnNode(NodeName { name: String::from(node) });
        Candidate::of_action(format!("Bring node {node} back"), None, self.plan, action)
    }

    fn delete_node(&self, node: &str) -> Candidate {
        let action = Action::DeleteNode(NodeName { name: String::from(node) });
        let plan = self.plan.with_actions([TimedAction { at: JUST_AFTER_START, action: action.clone() }]);
        let what = format!("As a last resort, delete node {node}, if it is switched off for good");
        Candidate { action: Some(action), ..Candidate::new(what, Some(self.kubectl.delete_node(node)), plan) }
            .for_good("what is only on its disks is lost, and if it still runs, two pods may write to the same volume")
    }

    /// Raises all quotas that refuse pods; none if one of them asks for something else.
    fn raise_quotas(&self) -> Option<Candidate> {
        let quotas = &self.refusing_quotas;
        if quotas.is_empty() || quotas.iter().any(|quota| quota.required().is_some()) {
            return None;
        }
        let names: Vec<&str> = quotas.iter().map(|quota| quota.name.as_str()).collect();
        let commands: Option<Vec<String>> = quotas.iter().map(|quota| self.kubectl.raise_quota(quota)).collect();
        let what = format!("Raise quota {}", names.join(" and "));
        let candidate = Candidate::new(what, commands.map(|commands| commands.join(" && ")), self.plan.clone());
        Some(Candidate { quotas: Quotas::Ignored, ..candidate.after_next_try() })
    }

    /// Gives containers the requests and limits that quotas require; none if quotas require none. The new template gets another
    /// ReplicaSet, so no back-off delays it.
    fn set_required_resources(&self, deployment: &Deployment) -> Option<Candidate> {
        let required: Vec<RequiredResource<'_>> =
            self.refusing_quotas.iter().flat_map(|quota| RequiredResource::all_of(quota)).collect();
        if required.is_empty() {
            return None;
        }
        let mut spec = deployment.spec.template.spec.fields.to_json();
        for key in ["containers", "initContainers"] {
            let containers = spec.get_mut(key).and_then(Value::as_array_mut);
            for container in containers.into_iter().flatten() {
                required.iter().for_each(|resource| resource.set(container));
            }
        }
        let named: BTreeSet<String> =
            required.iter().map(|resource| format!("{}.{}", resource.list.name(), resource.name)).collect_tree();
        let named = named.into_iter().collect::<Vec<_>>().join(" and ");
        let what = format!("Set {named} in the template (simulated with a small amount)");
        let patch = self.patch(&json!({ "spec": { "template": { "spec": spec } } }));
        // The right amounts are for the user to choose: there is no command, and the page does not play these.
        Some(Candidate::new(what, None, self.plan.with_action(patch)))
    }

    /// Force-deletes pods that their kubelets don't stop. That removes none with finalizers, so these are removed first.
    fn delete_overdue_pods(&self) -> Option<Candidate> {
        let ObjectKey { namespace, .. } = self.key;
        let (pods, their) = match self.overdue_pods.len() {
            0 => return None,
            1 => ("pod", "its"),
            _ => ("pods", "their"),
        };
        let names: Vec<&str> = self.overdue_pods.iter().map(|pod| &*pod.metadata.name).collect();
        let with_finalizers: Vec<&Pod> =
            self.overdue_pods.iter().copied().filter(|pod| !pod.metadata.finalizers.is_empty()).collect();
        let kept: Vec<&str> = with_finalizers.iter().map(|pod| &*pod.metadata.name).collect();
        let finalizers: BTreeSet<&str> = with_finalizers
            .iter()
            .flat_map(|pod| foreign_finalizers(pod))
            .map(|(_, finalizer)| finalizer)
            .collect_tree();
        let deletions: Vec<Action> = names.iter().map(|pod| deletion(namespace, pod, Some(0))).collect();
        let timed = deletions.iter().cloned().map(|action| TimedAction { at: Duration(0), action });
        let plan = self.plan.without_finalizers(namespace, &kept).with_actions(timed);
        let finalizers: Vec<&str> = finalizers.into_iter().collect();
        let delete = match finalizers.as_slice() {
            [] => String::from("force-delete"),
            [finalizer] => format!("remove finalizer {finalizer}, and force-delete"),
            finalizers => format!("remove finalizers {}, and force-delete", finalizers.join(" and ")),
        };
        let what =
            format!("As a last resort, {delete} the terminating {pods}, although {their} containers may keep running");
        let patches = with_finalizers
            .iter()
            .map(|pod| self.kubectl.remove_finalizers(namespace, &pod.metadata.name, foreign_finalizers(pod)));
        let commands: Vec<String> = patches.chain([self.kubectl.delete_pods_at_once(namespace, &names)]).collect();
        // No action removes finalizers.
        let only = <[Action; 1]>::try_from(deletions).ok().filter(|_| kept.is_empty());
        let action = only.map(|[action]| action);
        let delete = Candidate { action, ..Candidate::new(what, Some(commands.join(" && ")), plan) };
        Some(delete.for_good("the old containers and the new ones may write to the same data"))
    }

    fn resume(&self) -> Candidate {
        let resume = Action::Resume(Resume {
            kind: String::from("Deployment"),
            name: String::from(&*self.key.name),
            namespace: String::from(&*self.key.namespace),
        });
        Candidate::of_action("Resume it", Some(self.kubectl.rollout("resume", self.key)), self.plan, resume)
    }

    fn undo(&self) -> Candidate {
        let undo = Action::Undo(Undo {
            kind: self.key.kind.name().into(),
            name: String::from(&*self.key.name),
            namespace: String::from(&*self.key.namespace),
            to_revision: self.undo_revision,
            older_kubectl: false,
        });
        let what = match self.undo_revision {
            0 => String::from("Roll back"),
            revision => format!("Roll back to revision {revision}"),
        };
        Candidate::of_action(what, Some(self.kubectl.undo(self.key, self.undo_revision)), self.plan, undo)
    }

    /// Deletes one old pod before a new one is created, so that the rollout needs no extra room.
    fn let_an_old_pod_go_first(&self, plan: &RolloutPlan) -> Candidate {
        let patch = old_pod_first(Kind::Deployment);
        let what = "Allow 1 unavailable pod instead of extra pods";
        let command = self.kubectl.patch(self.key, &patch);
        Candidate::of_action(what, Some(command), plan, self.patch(&patch))
    }

    /// The user merges a patch into the Deployment.
    fn patch(&self, patch: &Value) -> Action {
        let ObjectKey { namespace, name, .. } = self.key;
        let metadata = json!({ "name": &**name, "namespace": &**namespace });
        let mut manifest = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata });
        merge(&mut manifest, patch);
        Action::Apply(Rc::new(manifest))
    }
}

/// A user deletes a pod.
fn deletion(namespace: &str, pod: &str, grace_period_seconds: Option<i64>) -> Action {
    Action::Delete(Delete {
        kind: String::from(Kind::Pod.name()),
        name: String::from(pod),
        namespace: String::from(namespace),
        cascade: Cascade::default(),
        grace_period_seconds,
    })
}

/// The change of a Deployment or a DaemonSet with which an old pod goes before a new one comes, so that no extra room is needed.
pub(super) fn old_pod_first(kind: Kind) -> Value {
    let strategy = if kind == Kind::Deployment { "strategy" } else { "updateStrategy" };
    json!({ "spec": { (strategy): { "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } } } })
}

/// A resource that a quota requires of containers.
struct RequiredResource<'a> {
    list: List,
    /// `cpu` or `memory`.
    name: &'a str,
    /// The containers that lack it.
    containers: &'a [String],
}

impl<'a> RequiredResource<'a> {
    fn all_of(quota: &'a RefusingQuota) -> impl Iterator<Item = Self> {
        let unspecified = quota.required().into_iter().flat_map(|unspecified| &unspecified.0);
        unspecified.filter_map(|UnspecifiedResource { resource, containers }| {
            let (list, name) = listed(resource)?;
            Some(Self { list, name, containers })
        })
    }

    /// Sets a small amount in a container that lacks the resource, but no limit below the container's request.
    fn set(&self, container: &mut Value) {
        let Self { list, name, containers } = *self;
        if containers.iter().any(|lacking| lacking == string(container, "name")) {
            let small = || Value::from(if name == "cpu" { "1m" } else { "1Mi" });
            let amount = at(container, &["resources", "requests", name]).cloned().unwrap_or_else(small);
            merge(container, &json!({ "resources": { (list.name()): { (name): amount } } }));
        }
    }
}
