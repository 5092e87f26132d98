//! The documentation as a site with search, made with mdBook.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use crate::release::Release;
use crate::workspace::Workspace;
use crate::{run, size, tools};

/// Builds the site and prints where it is.
///
/// # Errors
/// As [`build`].
pub fn make(workspace: &Workspace) -> Result<()> {
    let output = workspace.artifact("docs");
    build(workspace, &output)?;
    println!("{}", output.join("index.html").display());
    Ok(())
}

/// Builds `docs/` into a folder. Links to files outside `docs/` lead to the repository.
///
/// # Errors
/// If mdBook can't be installed or fails.
pub fn build(workspace: &Workspace, output: &Path) -> Result<()> {
    let release = Release::read(workspace)?;
    let docs = workspace.root.join("docs");
    let copy = workspace.artifact("book");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    for file in size::files(&docs)? {
        let name = file.strip_prefix(&docs)?;
        let target = copy.join(name);
        fs::create_dir_all(target.parent().unwrap_or(&copy))?;
        if name.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&file)?;
            fs::write(target, with_links_to(&text, &Path::new("docs").join(name), &release.source))?;
        } else {
            fs::copy(&file, target)?;
        }
    }
    let mut book = run::command(workspace, tools::mdbook(workspace)?, &["build"]);
    book.arg(&copy).arg("--dest-dir").arg(output);
    run::run(book)
}

/// The text of a file, with its links to files outside `docs` replaced by their addresses in the repository.
fn with_links_to(text: &str, file: &Path, source: &str) -> String {
    const LINK: &str = "](";
    let mut parts = text.split(LINK);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').unwrap_or((part, ""));
        let is_relative = target.starts_with("..") || target.starts_with('/');
        let outside = is_relative.then(|| resolve(file, target)).filter(|path| !path.starts_with("docs"));
        changed.push_str(LINK);
        match outside {
            Some(path) => changed.push_str(&format!("{source}/blob/main/{}){rest}", path.display())),
            None => changed.push_str(part),
        }
    }
    changed
}

/// The path of a relative link in a file, from the repository's root.
fn resolve(file: &Path, link: &str) -> PathBuf {
    let mut path = file.parent().unwrap_or(file).to_owned();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::RootDir => path.clear(),
            component => path.push(component),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_out_of_the_docs_change() {
        let text = "[a](../README.md#start), [b](../../tests/README.md), [c](../stories.md), [d](other.md), [e](https://a.test)";
        let changed = with_links_to(text, Path::new("docs/recipes/a.md"), "https://git.test/c");
        let expected = "[a](../README.md#start), [b](https://git.test/c/blob/main/tests/README.md), [c](../stories.md), \
                        [d](other.md), [e](https://a.test)";
        assert_eq!(changed, expected);
        assert_eq!(
            with_links_to("[x](/core/DEVIATIONS.md)", Path::new("docs/a.md"), "https://git.test/c"),
            "[x](https://git.test/c/blob/main/core/DEVIATIONS.md)"
        );
    }
}
