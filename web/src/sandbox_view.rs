//! How the user edits the rollout of the sandbox.

use changeover_core::json::{FromJson, ToJson};

/// How the user sees the rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum SandboxView {
    /// As controls.
    #[default]
    Controls,
    /// As YAML.
    Yaml,
}
