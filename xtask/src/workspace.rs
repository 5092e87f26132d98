//! The folders of the workspace.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders that the build reads and writes.
pub struct Workspace {
    /// The repository.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
}

impl Workspace {
    /// The repository that this binary was built from.
    pub fn find() -> Result<Workspace> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().context("xtask has no folder above it")?.to_path_buf();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Ok(Workspace { root, target })
    }

    /// The path of a build product: the policy, the page, the package.
    pub fn artifact(&self, name: &str) -> PathBuf {
        self.target.join("changeover").join(name)
    }
}
