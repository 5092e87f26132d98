//! Where the project lives once it is published: the addresses in `Cargo.toml`.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::workspace::Workspace;

const FILE: &str = "Cargo.toml";

/// The domain of the placeholders, which is reserved for examples (RFC 2606).
const PLACEHOLDER: &str = "example.com";

/// The project's addresses.
pub struct Release {
    /// The page's address, without a trailing slash.
    pub home: String,
    /// The repository's address, without `.git`.
    pub source: String,
    /// Where to report bugs.
    pub issues: String,
    /// How to support the project.
    pub funding: String,
    /// The author and an address.
    pub author: String,
    /// Where the policy is pushed, without a tag.
    pub registry: String,
}

#[derive(Deserialize)]
struct Manifest {
    workspace: Tables,
}

#[derive(Deserialize)]
struct Tables {
    package: Package,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Package {
    authors: [String; 1],
    homepage: String,
    repository: String,
}

#[derive(Deserialize)]
struct Metadata {
    addresses: Addresses,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addresses {
    issues: String,
    funding: String,
    registry: String,
}

impl Release {
    /// Reads the addresses.
    ///
    /// # Errors
    /// If `Cargo.toml` can't be read, or an address is missing.
    pub fn read(workspace: &Workspace) -> Result<Release> {
        let text = fs::read_to_string(workspace.root.join(FILE)).context(FILE)?;
        let Manifest { workspace: Tables { package, metadata } } = toml::from_str(&text).context(FILE)?;
        let Package { authors: [author], homepage: home, repository: source } = package;
        let Addresses { issues, funding, registry } = metadata.addresses;
        Ok(Release { home, source, issues, funding, author, registry })
    }

    /// Replaces the placeholders in a text of the policy's files with these addresses, and links to files outside of its folder with
    /// links to the repository: the text is read where those files are not.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let placeholders = [
            // Longer ones first: they begin with the home.
            ("https://example.com/changeover/source", &self.source),
            ("https://example.com/changeover", &self.home),
            ("The Changeover authors <changeover@example.com>", &self.author),
            ("registry.example.com/policies/changeover", &self.registry),
        ];
        let text = text.replace("](../", &format!("]({}", self.file_address("")));
        placeholders.iter().fold(text, |text, (placeholder, value)| text.replace(placeholder, value))
    }

    /// The address of a file that the release workflow adds to this version's release, by its name.
    pub fn download_address(&self, name: &str) -> String {
        format!("{}/releases/download/v{}/{name}", self.source, env!("CARGO_PKG_VERSION"))
    }

    /// The address of a file of this version, by its path in the repository.
    pub fn file_address(&self, path: &str) -> String {
        format!("{}/blob/v{}/{path}", self.source, env!("CARGO_PKG_VERSION"))
    }
}

/// Rejects a release whose addresses are still placeholders.
///
/// # Errors
/// With the first placeholder.
pub fn check_addresses(workspace: &Workspace) -> Result<()> {
    let release = Release::read(workspace)?;
    let Release { home, source, issues, funding, author, registry } = &release;
    for address in [home, source, issues, funding, author, registry] {
        if address.contains(PLACEHOLDER) {
            bail!("{FILE}: Invalid value: {address:?}: must be a public address");
        }
    }
    Ok(())
}

/// As [`check_addresses`]. Also rejects a tag (in `GITHUB_REF_NAME`) that is not the version.
///
/// # Errors
/// With what must be changed before the release.
pub fn check(workspace: &Workspace) -> Result<()> {
    check_addresses(workspace)?;
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    match std::env::var("GITHUB_REF_NAME") {
        Ok(tag) if tag != version => bail!("the tag {tag} must be {version}, the version in Cargo.toml"),
        _ => Ok(()),
    }
}
