//! `release.toml`: where the project lives once it is published.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::Workspace;

const FILE: &str = "release.toml";

/// The domain of the placeholders, which belongs to nobody (RFC 2606).
const PLACEHOLDER: &str = "example.com";

/// What `release.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The page, without a slash at the end.
    pub home: String,
    /// The repository, without `.git`.
    pub source: String,
    /// Where to report bugs.
    pub issues: String,
    /// How to support the project.
    pub funding: String,
    /// The authors, with an address.
    pub author: String,
}

impl Release {
    /// Reads `release.toml`.
    ///
    /// # Errors
    /// When it can't be read, or a key is missing or unknown.
    pub fn read(workspace: &Workspace) -> Result<Release> {
        let text = fs::read_to_string(workspace.root.join(FILE)).context(FILE)?;
        toml::from_str(&text).context(FILE)
    }
}

/// Refuses a release whose addresses are still placeholders, or whose tag (in `GITHUB_REF_NAME`) is not its version.
///
/// # Errors
/// What must be changed before the release.
pub fn check(workspace: &Workspace) -> Result<()> {
    let release = Release::read(workspace)?;
    for address in [&release.home, &release.source, &release.issues, &release.funding, &release.author] {
        if address.contains(PLACEHOLDER) {
            bail!("{FILE}: Invalid value: {address:?}: must be a public address");
        }
    }
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    match std::env::var("GITHUB_REF_NAME") {
        Ok(tag) if tag != version => bail!("the tag {tag} must be {version}, the version in Cargo.toml"),
        _ => Ok(()),
    }
}
