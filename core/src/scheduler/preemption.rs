//! Pods that have to go for a more important one.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::affinity_term::selects;
use super::cycle::{Cycle, CycleState};
use super::fit_error::{FitError, histogram};
use super::node_info::NodeInfo;
use super::pod_shape::PodShape;
use super::snapshot::{Shape, Snapshot};
use super::status::Code;
use crate::go::sort::sort;
use crate::object::{LabelSelector, Time};

/// Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go DefaultPreemption.SelectVictimsOnNode`
const NO_VICTIMS: &str = "No preemption victims found for incoming pod";

/// Upstream: `pkg/scheduler/framework/preemption/preemption.go Evaluator.evaluate`
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go DefaultPreemption.PodEligibleToPreemptOthers`
const NEVER: &str = "not eligible due to preemptionPolicy=Never.";

/// What the plugin for resource claims says where no node was looked at: it comes first, and finds nothing that it could decide on.
///
/// Upstream: `pkg/scheduler/framework/cycle_state.go CycleState.Read`
const NO_STATE: &str = "not found";

/// A pod of a node.
#[derive(Clone, Debug)]
pub struct Occupant {
    /// The name.
    pub name: Rc<str>,
    /// What it asks for.
    pub shape: Shape,
    /// Whether it terminates.
    pub is_terminating: bool,
    /// Whether it terminates because of a more important pod.
    pub is_preempted: bool,
    /// When it started; none if it has not.
    pub start: Option<Time>,
}

/// A PodDisruptionBudget.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The namespace.
    pub namespace: Rc<str>,
    /// Its pods. Without a selector, and with an empty one, it has none here.
    pub selector: Option<LabelSelector>,
    /// How many of them may go.
    pub allowed: i64,
    /// The pods that are about to go.
    pub disrupted: Vec<String>,
}

/// A node that takes the pod once some of its pods are gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The node.
    pub node: usize,
    /// The pods that have to go, by their position among the node's, the most important first.
    pub victims: Vec<usize>,
    /// How many of them a budget would keep.
    pub violations: usize,
}

/// What comes of looking for pods that could go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// The pod may not preempt others now; the message says why.
    Ineligible(String),
    /// No pods; the message says why.
    Nothing(String),
    /// These nodes are equally good.
    OneOf(Vec<Candidate>),
}

/// Whether removing less important pods could help.
pub(crate) fn has_potential_victims(snapshot: &Snapshot, shape: &PodShape, error: &FitError) -> bool {
    let has_victims = |info: &NodeInfo| info.groups.iter().any(|group| group.shape.priority < shape.priority);
    potential_nodes(error).any(|index| snapshot.node(index).is_some_and(has_victims))
}

/// The nodes that would take the pod if some pods of theirs were gone, as far as their plugins know.
fn potential_nodes(error: &FitError) -> impl Iterator<Item = usize> {
    error.statuses.iter().filter(|(_, status)| status.code == Code::Unschedulable).map(|(index, _)| *index)
}

/// Looks for pods that have to go for a pod that no node takes. `occupants` are the pods of the nodes; of nodes without less
/// important pods, they may be missing. `nominated` is the node that the pod has been promised.
///
/// Upstream: `pkg/scheduler/framework/preemption/preemption.go Evaluator.Preempt`
pub fn preempt(
    snapshot: &Snapshot,
    shape: &Shape,
    (key, nominated): (&str, Option<usize>),
    error: &FitError,
    occupants: &BTreeMap<usize, Vec<Occupant>>,
    budgets: &[Budget],
) -> Preemption {
    if error.pre_filter.is_some() {
        return Preemption::Ineligible(NO_STATE.into());
    }
    let say = |text: &str| format!("preemption: {text}");
    if shape.shape.never_preempts {
        return Preemption::Ineligible(say(NEVER));
    }
    if let Some(index) = nominated {
        let statuses = error.statuses.iter().filter(|(its, _)| *its == index);
        let hopeless = statuses.clone().any(|(_, status)| status.code == Code::UnschedulableAndUnresolvable);
        let goes = |pod: &Occupant| pod.is_preempted && pod.shape.shape.priority < shape.shape.priority;
        if !hopeless && occupants.get(&index).is_some_and(|pods| pods.iter().any(goes)) {
            return Preemption::Ineligible(say("not eligible due to a terminating pod on the nominated node."));
        }
    }
    let Ok(cycle) = Cycle::new(snapshot, shape, key) else { return Preemption::Nothing(say(NOT_HELPFUL)) };
    let (mut candidates, mut reasons) = (Vec::new(), Vec::new());
    for index in potential_nodes(error) {
        match select_victims_on_node(&cycle, index, occupants.get(&index).map_or(&[], Vec::as_slice), budgets) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => reasons.extend(why),
        }
    }
    if candidates.is_empty() {
        let others = error.nodes.saturating_sub(potential_nodes(error).count());
        reasons.extend(core::iter::repeat_n(Cow::Borrowed(NOT_HELPFUL), others));
        return Preemption::Nothing(say(&histogram(error.nodes, reasons.iter())));
    }
    Preemption::OneOf(best(candidates, occupants))
}

/// The message if no pod has a lower priority.
pub(crate) fn said_without_victims(error: &FitError, never_preempts: bool) -> String {
    if error.pre_filter.is_some() {
        return NO_STATE.into();
    }
    if never_preempts {
        return format!("preemption: {NEVER}");
    }
    let potential = potential_nodes(error).count();
    let reasons = core::iter::repeat_n(Cow::Borrowed(NO_VICTIMS), potential);
    let others = core::iter::repeat_n(Cow::Borrowed(NOT_HELPFUL), error.nodes.saturating_sub(potential));
    let reasons: Vec<Cow<'static, str>> = reasons.chain(others).collect();
    format!("preemption: {}", histogram(error.nodes, reasons.iter()))
}

/// The message if this candidate is chosen.
pub fn found(snapshot: &Snapshot, candidate: &Candidate) -> String {
    let name = snapshot.node(candidate.node).map_or("", |info| &*info.node.name);
    let victims = candidate.victims.len();
    format!("preemption: found a potential placement for pod on node {name}, preempting {victims} victims")
}

/// Upstream: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go DefaultPreemption.SelectVictimsOnNode`
fn select_victims_on_node<'a>(
    cycle: &Cycle<'a>,
    index: usize,
    occupants: &'a [Occupant],
    budgets: &[Budget],
) -> Result<Candidate, Vec<Cow<'static, str>>> {
    let is_less_important = |(_, pod): &(usize, &Occupant)| pod.shape.shape.priority < cycle.shape.priority;
    let mut potential: Vec<(usize, &'a Occupant)> = occupants.iter().enumerate().filter(is_less_important).collect();
    if potential.is_empty() {
        return Err(Vec::from([NO_VICTIMS.into()]));
    }
    let Some(info) = cycle.snapshot.node(index) else { return Err(Vec::new()) };
    let mut node = Without { cycle, index, info: info.clone(), state: cycle.state.clone() };
    potential.iter().for_each(|(_, pod)| node.remove(pod));
    if let Some(status) = cycle.filter(&node.state, index, &node.info) {
        return Err(status.reasons);
    }
    sort(&mut potential, |(_, a), (_, b)| is_more_important(a, b));
    let (violating, others) = filter_victims_with_pdb_violation(&potential, budgets);
    let mut candidate = Candidate { node: index, victims: Vec::new(), violations: 0 };
    let has_both = !violating.is_empty() && !others.is_empty();
    for (is_violating, (position, pod)) in
        violating.into_iter().map(|pod| (true, pod)).chain(others.into_iter().map(|pod| (false, pod)))
    {
        node.add(pod);
        if cycle.filter(&node.state, index, &node.info).is_some() {
            node.remove(pod);
            candidate.victims.push(position);
            candidate.violations = candidate.violations.saturating_add(usize::from(is_violating));
        }
    }
    if has_both {
        sort(&mut candidate.victims, |a, b| match (occupants.get(*a), occupants.get(*b)) {
            (Some(a), Some(b)) => is_more_important(a, b),
            _ => false,
        });
    }
    Ok(candidate)
}

/// A node from which some pods are gone.
struct Without<'b, 'a> {
    cycle: &'b Cycle<'a>,
    index: usize,
    info: NodeInfo,
    state: CycleState<'a>,
}

impl<'a> Without<'_, 'a> {
    fn remove(&mut self, pod: &'a Occupant) {
        self.info.remove_pod(&pod.shape.shape, pod.shape.id, pod.is_terminating);
        self.cycle.update_with_pod(&mut self.state, &pod.shape.shape, self.index, -1);
    }

    fn add(&mut self, pod: &'a Occupant) {
        self.info.add_pod(&pod.shape.shape, pod.shape.id, pod.is_terminating);
        self.cycle.update_with_pod(&mut self.state, &pod.shape.shape, self.index, 1);
    }
}

/// Upstream: `pkg/scheduler/framework/preemption/util.go MoreImportantVictim`
fn is_more_important(pod: &Occupant, other: &Occupant) -> bool {
    let (own, others) = (pod.shape.shape.priority, other.shape.shape.priority);
    own > others || (own == others && started(pod) < started(other))
}

/// When a pod started; one that has not is the youngest.
///
/// Upstream: `pkg/scheduler/util/utils.go GetPodStartTime`
fn started(pod: &Occupant) -> Time {
    pod.start.unwrap_or(Time(i64::MAX))
}

/// Pods that a budget would keep, and the others.
///
/// Upstream: `pkg/scheduler/framework/preemption/util.go FilterVictimsWithPDBViolation`
#[expect(clippy::type_complexity, reason = "the same twice")]
fn filter_victims_with_pdb_violation<'a>(
    pods: &[(usize, &'a Occupant)],
    budgets: &[Budget],
) -> (Vec<(usize, &'a Occupant)>, Vec<(usize, &'a Occupant)>) {
    let mut allowed: Vec<i64> = budgets.iter().map(|budget| budget.allowed).collect();
    let mut violates = |pod: &Occupant| {
        let labels = &pod.shape.shape.labels;
        if labels.is_empty() {
            return false;
        }
        for (budget, allowed) in budgets.iter().zip(&mut allowed) {
            let selector = budget.selector.as_ref();
            let is_empty = selector.is_none_or(|its| its.match_labels.is_empty() && its.match_expressions.is_empty());
            let is_its = budget.namespace == pod.shape.shape.namespace && !is_empty && selects(selector, labels);
            if is_its && !budget.disrupted.iter().any(|name| **name == *pod.name) {
                *allowed = allowed.saturating_sub(1);
                if *allowed < 0 {
                    return true;
                }
            }
        }
        false
    };
    pods.iter().partition(|(_, pod)| violates(pod))
}

/// What makes all priorities positive.
const ABOVE_ZERO: i128 = 1 << 31;

/// The candidates that are as good as any other.
///
/// Upstream: `pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption`
fn best(mut candidates: Vec<Candidate>, occupants: &BTreeMap<usize, Vec<Occupant>>) -> Vec<Candidate> {
    let pods = |candidate: &Candidate| -> Vec<&Occupant> {
        let Some(pods) = occupants.get(&candidate.node) else { return Vec::new() };
        candidate.victims.iter().filter_map(|position| pods.get(*position)).collect()
    };
    let priority = |pod: &Occupant| i128::from(pod.shape.shape.priority);
    let count = |number: usize| i128::try_from(number).unwrap_or(i128::MAX).saturating_neg();
    let most = |pods: &[&Occupant]| pods.iter().map(|pod| priority(pod)).max().unwrap_or(0);
    // As upstream's functions do, each is asked about the nodes that the one before leaves.
    let score = |criterion: u8, candidate: &Candidate| -> i128 {
        let pods = pods(candidate);
        match criterion {
            0 => count(candidate.violations),
            1 => pods.first().map_or(0, |pod| priority(pod)).saturating_neg(),
            2 => {
                let sum = pods.iter().map(|pod| priority(pod).saturating_add(ABOVE_ZERO));
                sum.fold(0, i128::saturating_add).saturating_neg()
            }
            3 => count(candidate.victims.len()),
            _ => {
                let most = most(&pods);
                let highest = pods.iter().filter(|pod| priority(pod) == most);
                highest.map(|pod| i128::from(started(pod).0)).min().unwrap_or(0)
            }
        }
    };
    for criterion in 0..5 {
        let most = candidates.iter().map(|candidate| score(criterion, candidate)).max();
        candidates.retain(|candidate| Some(score(criterion, candidate)) == most);
    }
    candidates
}
