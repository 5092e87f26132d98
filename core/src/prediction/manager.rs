//! The tool that applies a workload from manifests.

use alloc::format;
use alloc::string::String;

use serde_json::Value;

use super::gitops::{manager, release};
use super::kubectl::shell_word;

/// The tool that applies a workload.
#[derive(Debug)]
pub(super) struct Manager {
    pub(super) name: &'static str,
    /// The command that rolls a Helm release back.
    pub(super) helm_rollback: Option<String>,
}

impl Manager {
    pub(super) fn of(object: &Value) -> Option<Self> {
        let name = manager(object)?;
        let rollback = |(release, namespace): (&str, &str)| {
            format!("helm rollback {} --namespace {}", shell_word(release), shell_word(namespace))
        };
        Some(Self { name, helm_rollback: release(object).filter(|_| name == "Helm").map(rollback) })
    }
}
