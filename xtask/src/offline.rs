//! The service worker and the list of the files that it caches.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::html::Audience;
use crate::size;

/// The folder of the service workers' sources.
pub const SOURCES: &str = "www/offline";

/// The path of the worker in the site.
const WORKER: &str = "service-worker.js";

/// The path of the list in the site.
const LIST: &str = "precache.js";

/// Adds the worker to a site that is complete except for the compressed files. A developer's site gets a worker that
/// removes itself.
///
/// # Errors
/// If a file can't be read or written.
pub fn add(sources: &Path, site: &Path, audience: Audience) -> Result<()> {
    let source = match audience {
        Audience::Public => {
            fs::write(site.join(LIST), list(site)?)?;
            WORKER
        }
        Audience::Developer => "no-service-worker.js",
    };
    let source = sources.join(source);
    fs::copy(&source, site.join(WORKER)).with_context(|| format!("{} can't be copied", source.display()))?;
    Ok(())
}

/// A script that lists the files of a site with their hashes. Pages are listed by their addresses. Pictures for other sites are
/// left out.
fn list(site: &Path) -> Result<String> {
    let mut files = Vec::new();
    let mut version = Sha256::new();
    for path in size::files(site)? {
        let name = path.strip_prefix(site)?.to_string_lossy().replace('\\', "/");
        if [WORKER, LIST].contains(&name.as_str()) || name.starts_with("previews/") {
            continue;
        }
        let integrity = format!("sha256-{}", STANDARD.encode(Sha256::digest(fs::read(&path)?)));
        let address = match name.strip_suffix("index.html") {
            Some("") => "./",
            Some(folder) if folder.ends_with('/') => folder,
            _ => &name,
        };
        version.update(address);
        version.update(&integrity);
        files.push(json!([address, integrity]));
    }
    let version = STANDARD.encode(version.finalize());
    let version = version.get(..12).unwrap_or(&version);
    Ok(format!("const precache = {};\n", json!({ "version": version, "files": files })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> tempfile::TempDir {
        let site = tempfile::tempdir().unwrap();
        fs::create_dir_all(site.path().join("stories/quota")).unwrap();
        fs::create_dir_all(site.path().join("previews")).unwrap();
        let files = ["index.html", "stories/quota/index.html", "stories/myindex.html", "main.js"];
        for file in files.into_iter().chain(["service-worker.js", "previews/quota.png"]) {
            fs::write(site.path().join(file), file).unwrap();
        }
        site
    }

    fn read(list: &str) -> serde_json::Value {
        let json = list.strip_prefix("const precache = ").unwrap().strip_suffix(";\n").unwrap();
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn lists_the_files_of_the_page_by_their_addresses_and_hashes() {
        let list = read(&list(site().path()).unwrap());
        let files = list["files"].as_array().unwrap();
        let addresses: Vec<_> = files.iter().map(|file| file[0].as_str().unwrap()).collect();
        assert_eq!(addresses, ["./", "main.js", "stories/myindex.html", "stories/quota/"]);
        // The same as `printf main.js | openssl dgst -sha256 -binary | base64`.
        assert_eq!(files[1][1], "sha256-WEF+D3gbZlaUnTcljIuQUu0mbi63pRY8rXsIY+aykWo=");
    }

    #[test]
    fn a_changed_file_changes_the_version() {
        let site = site();
        let before = read(&list(site.path()).unwrap());
        assert_eq!(before, read(&list(site.path()).unwrap()));
        fs::write(site.path().join("main.js"), "changed").unwrap();
        assert_ne!(before["version"], read(&list(site.path()).unwrap())["version"]);
    }

    #[test]
    fn a_developers_site_caches_nothing() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(SOURCES);
        let site = site();
        add(&sources, site.path(), Audience::Developer).unwrap();
        assert!(!site.path().join(LIST).exists());
        assert!(fs::read_to_string(site.path().join(WORKER)).unwrap().contains("unregister"));
    }
}
