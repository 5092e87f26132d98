//! What the scheduler says where no node takes a pod.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::status::{Plugin, Status};

/// Upstream: `pkg/scheduler/scheduler.go ErrNoNodesAvailable`
pub(crate) const NO_NODES: &str = "no nodes available to schedule pods";

/// Why no node takes a pod.
///
/// Upstream: `pkg/scheduler/framework/types.go FitError`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FitError {
    /// How many nodes there are.
    pub nodes: usize,
    /// Why none of them was looked at.
    pub pre_filter: Option<Status>,
    /// The status of each rejected node, by its index.
    pub statuses: Vec<(usize, Status)>,
    /// Whether the pod names the nodes that it may run on, so that the others were not looked at.
    pub names_nodes: bool,
}

impl FitError {
    /// An error that names no reason yet.
    pub const fn new(nodes: usize) -> Self {
        Self { nodes, pre_filter: None, statuses: Vec::new(), names_nodes: false }
    }

    /// The plugins that reject the pod.
    pub fn plugins(&self) -> Vec<Plugin> {
        let statuses = self.statuses.iter().map(|(_, status)| status).chain(&self.pre_filter);
        let naming = self.names_nodes.then_some(Plugin::NodeAffinity);
        let mut plugins: Vec<Plugin> = statuses.filter_map(|status| status.plugin).chain(naming).collect();
        plugins.sort_unstable();
        plugins.dedup();
        plugins
    }

    /// The message about the nodes, without the part about preemption.
    ///
    /// Upstream: `pkg/scheduler/framework/types.go FitError.Error`
    pub fn message(&self) -> String {
        if self.nodes == 0 {
            return NO_NODES.into();
        }
        if let Some(status) = &self.pre_filter {
            return format!("0/{} nodes are available: {}.", self.nodes, status.reasons.join(", "));
        }
        histogram(self.nodes, self.statuses.iter().flat_map(|(_, status)| &status.reasons))
    }
}

/// How many nodes have which reason.
pub(super) fn histogram<'a>(nodes: usize, reasons: impl Iterator<Item = &'a Cow<'static, str>>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in reasons {
        let count = counts.entry(reason).or_default();
        *count = count.saturating_add(1);
    }
    let mut lines: Vec<String> = counts.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    lines.sort_unstable();
    let mut message = format!("0/{nodes} nodes are available:");
    if !lines.is_empty() {
        message.push_str(&format!(" {}.", lines.join(", ")));
    }
    message
}
