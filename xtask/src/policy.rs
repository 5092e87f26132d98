//! The policies: the guests that Kubewarden loads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::annotate::Metadata;
use crate::size::Budget;
use crate::wasm;
use crate::workspace::Workspace;

/// The limit for the size of the policy with everything.
pub const BUDGET: Budget = Budget { raw: Some(566_000), brotli: Some(212_000) };

/// The limit for the size of the module without the simulation.
pub const SMALL_BUDGET: Budget = Budget { raw: Some(178_000), brotli: Some(77_000) };

/// A policy of this source.
pub struct Policy {
    /// What its title ends in; empty for the one with everything.
    pub name: &'static str,
    /// Its metadata in `policy`.
    pub metadata: &'static str,
    module: &'static wasm::Module,
    /// The groups of the form that are about it; none for all of them.
    pub groups: Option<&'static [&'static str]>,
}

impl Policy {
    /// The file name of its annotated module.
    pub fn annotated(&self) -> String {
        if self.name.is_empty() { "annotated-policy.wasm".to_owned() } else { format!("annotated-{}.wasm", self.name) }
    }

    /// Writes its annotated module, with the metadata's text.
    ///
    /// # Errors
    /// If a file can't be read or written.
    pub fn annotate(
        &self,
        workspace: &Workspace,
        metadata: &str,
        usage: String,
        output: &std::path::Path,
    ) -> Result<()> {
        Metadata::parse(metadata)?.annotate(usage, &self.module.path(workspace), output)
    }
}

/// All policies, the one with everything first.
pub const POLICIES: [Policy; 4] = [
    Policy { name: "", metadata: "metadata.yml", module: &wasm::POLICY, groups: None },
    Policy {
        name: "deletion-cost",
        metadata: "metadata/deletion-cost.yml",
        module: &wasm::SMALL_POLICY,
        groups: Some(&["Deletion costs", "Exemptions", "The API server"]),
    },
    Policy {
        name: "job-replacement",
        metadata: "metadata/job-replacement.yml",
        module: &wasm::SMALL_POLICY,
        groups: Some(&["Jobs", "Exemptions", "The API server"]),
    },
    Policy {
        name: "rollouts",
        metadata: "metadata/rollouts.yml",
        module: &wasm::ROLLOUTS_POLICY,
        groups: Some(&["Replicas", "Rollouts", "Pods", "Quotas", "Exemptions", "The API server"]),
    },
];

/// The modules with a part of what there is.
pub const PARTS: [wasm::Module; 2] = [wasm::SMALL_POLICY, wasm::ROLLOUTS_POLICY];

/// Builds `policy.wasm` and the modules with a part of it and, next to them, the annotated modules. Returns the path of the first.
///
/// # Errors
/// If one does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let [small, rollouts] = PARTS;
    wasm::build_all(workspace, &[wasm::POLICY, small, rollouts])?;
    let read = |name: &str| fs::read_to_string(workspace.root.join("policy").join(name)).context(name.to_owned());
    for policy in &POLICIES {
        let output = workspace.artifact(&policy.annotated());
        policy.annotate(workspace, &read(policy.metadata)?, read("README.md")?, &output)?;
    }
    Ok(wasm::POLICY.path(workspace))
}

/// Builds the guest that accepts everything, with the same options.
///
/// # Errors
/// If it does not build.
pub fn empty_guest(workspace: &Workspace) -> Result<PathBuf> {
    wasm::build(workspace, &wasm::EMPTY_GUEST)
}
