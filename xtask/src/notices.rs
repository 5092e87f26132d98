//! The licenses of the libraries that an artifact contains. cargo knows which ones these are, and each library has its license
//! beside its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::run;
use crate::workspace::Workspace;

/// The file in each artifact. The project's own license and the notices of ported code are in [`OWN`].
pub const FILE: &str = "LICENSES.txt";

/// The files of the repository that each artifact contains as well.
pub const OWN: [&str; 2] = ["LICENSE", "NOTICE"];

/// The license that the project has itself: of several, a library is used under this one.
const LICENSE: &str = "Apache-2.0";

/// Begins the name of a file with a license or a notice.
const NAMES: [&str; 6] = ["copying", "copyright", "licence", "license", NOTICE, "unlicense"];

/// Begins the name of a file that the license [`LICENSE`] requires to pass on.
const NOTICE: &str = "notice";

/// The text of the license MIT, for packages that name it and don't include it. Their authors' names are the copyright line.
const MIT: &str = include_str!("mit.txt");

/// The target of the modules.
pub const WASM: &str = "wasm32-unknown-unknown";

/// A package in the output of cargo metadata.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// None for crates of this project.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Writes the project's own license and notices, and the licenses of the libraries in some of its crates, into a folder.
///
/// # Errors
/// As [`of_crates`], or if a file can't be written.
pub fn write(workspace: &Workspace, folder: &Path, crates: &[&str], target: &str) -> Result<()> {
    for file in OWN {
        fs::copy(workspace.root.join(file), folder.join(file)).with_context(|| file.to_owned())?;
    }
    fs::write(folder.join(FILE), of_crates(workspace, crates, target)?).context(FILE)
}

/// Requires that an artifact has the project's license and notices, and the licenses of its libraries.
///
/// # Errors
/// If a file is missing.
pub fn check(folder: &Path) -> Result<()> {
    for file in OWN.into_iter().chain([FILE]) {
        ensure!(folder.join(file).is_file(), "{} has no {file}", folder.display());
    }
    Ok(())
}

/// The licenses of the libraries that are compiled into some of the project's crates.
///
/// # Errors
/// If cargo fails, or a license can't be read.
pub fn of_crates(workspace: &Workspace, crates: &[&str], target: &str) -> Result<String> {
    let options = ["metadata", "--quiet", "--locked", "--format-version", "1", "--filter-platform", target];
    let metadata: Metadata = serde_json::from_str(&run::output(run::cargo(workspace, &options))?)?;
    let mut linked = BTreeSet::new();
    for krate in crates {
        // Macros and build scripts are not part of the result.
        let options = ["tree", "--quiet", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"];
        let mut tree = run::cargo(workspace, &options);
        tree.args(["--format", "{p}", "--package", krate, "--target", target]);
        linked.extend(run::output(tree)?.lines().filter_map(name_and_version));
    }
    let mut list = format!(
        "Under the license {LICENSE}, whose text is in the file LICENSE:\n\n  Rust's standard library, with parts of LLVM ({LICENSE} WITH LLVM-exception)\n"
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in metadata.packages.iter().filter(|package| package.source.is_some()) {
        let Package { name, version, .. } = package;
        if !linked.contains(&(name.clone(), version.clone())) {
            continue;
        }
        let license = package.license.as_deref().unwrap_or_default();
        let folder = package.manifest_path.parent().context("a manifest has a folder")?;
        let text = if offers(license, LICENSE) {
            list.push_str(&format!("  {name} {version}\n"));
            texts_in(folder, &[NOTICE])?
        } else {
            let text = texts_in(folder, &NAMES)?;
            if text.is_empty() { text_of(license, &package.authors).with_context(|| name.clone())? } else { text }
        };
        if !text.is_empty() {
            texts.entry(text).or_default().push(format!("{name} {version}"));
        }
    }
    Ok(texts.iter().fold(list, |list, (text, names)| list + &section(&names.join("\n"), text)))
}

/// The licenses of npm's packages in these folders.
///
/// # Errors
/// If one has none.
pub fn of_packages(folders: &BTreeSet<PathBuf>) -> Result<String> {
    folders.iter().try_fold(String::new(), |list, folder| {
        let text = texts_in(folder, &NAMES)?;
        ensure!(!text.is_empty(), "{} has no license", folder.display());
        let mut name: Vec<_> = folder.iter().rev().take_while(|part| *part != "node_modules").collect();
        name.reverse();
        Ok(list + &section(&name.iter().collect::<PathBuf>().display().to_string(), &text))
    })
}

fn section(names: &str, text: &str) -> String {
    format!("\n{}\n{names}\n\n{}\n", "-".repeat(80), text.trim_end())
}

/// Reads a line of cargo tree, such as `serde v1.0.229 (*)`.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.split_once(" v")?;
    Some((name.to_owned(), rest.split(' ').next()?.to_owned()))
}

/// Whether a license is one of those that may be chosen.
fn offers(expression: &str, license: &str) -> bool {
    !expression.contains(" AND ")
        && expression.split(" OR ").flat_map(|part| part.split('/')).any(|part| part.trim() == license)
}

/// The text of a license that a package only names.
fn text_of(license: &str, authors: &[String]) -> Result<String> {
    ensure!(license == "MIT", "the package has no text of its license {license}");
    Ok(format!("MIT License\n\nCopyright (c) {}\n\n{MIT}", authors.join(", ")))
}

/// The texts of the files in a folder whose names begin with one of these, one after the other.
fn texts_in(folder: &Path, starts: &[&str]) -> Result<String> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = BTreeSet::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && starts.iter().any(|start| name.starts_with(start)) {
            files.insert(path);
        }
    }
    let texts: Result<Vec<String>> =
        files.iter().map(|file| fs::read_to_string(file).with_context(|| file.display().to_string())).collect();
    Ok(texts?.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_license_may_be_chosen_or_must_be_kept() {
        for expression in ["Apache-2.0", "MIT OR Apache-2.0", "MIT/Apache-2.0", "Zlib OR Apache-2.0 OR MIT"] {
            assert!(offers(expression, "Apache-2.0"), "{expression}");
        }
        for expression in ["MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception", ""] {
            assert!(!offers(expression, "Apache-2.0"), "{expression}");
        }
    }

    #[test]
    fn a_named_license_gets_its_text() {
        let text = text_of("MIT", &["A <a@example.com>".into(), "B".into()]).unwrap();
        assert!(text.starts_with("MIT License\n\nCopyright (c) A <a@example.com>, B\n\nPermission is hereby granted"));
        assert!(text_of("BSD-3-Clause", &[]).is_err());
    }

    #[test]
    fn the_policy_has_the_licenses_of_what_it_contains() {
        let text = of_crates(&Workspace::find().unwrap(), &["changeover-policy"], WASM).unwrap();
        for part in ["\n  serde_json 1.", "\nunsafe-libyaml 0.", "Permission is hereby granted", "UNICODE LICENSE V3"] {
            assert!(text.contains(part), "{part}");
        }
        // What only its tests, its macros and this project's own crates need is not part of it.
        for part in ["proptest", "syn ", "changeover"] {
            assert!(!text.contains(part), "{part}");
        }
    }
}
