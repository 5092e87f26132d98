//! The documentation as a site with search, made with mdBook.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, ensure};

use crate::release::Release;
use crate::workspace::Workspace;
use crate::{run, size, tools};

/// The file that describes its folder.
const README: &str = "README.md";

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
/// If mdBook can't be installed or fails, or a page of the site links to a file that does not exist.
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
        // SUMMARY.md names the chapters' sources.
        let is_chapter = name.extension().is_some_and(|extension| extension == "md") && name != Path::new("SUMMARY.md");
        if is_chapter {
            let text = fs::read_to_string(&file)?;
            fs::write(target, with_links_to(&text, &Path::new("docs").join(name), &release.source))?;
        } else {
            fs::copy(&file, target)?;
        }
    }
    let mut book = run::command(workspace, tools::mdbook(workspace)?, &["build"]);
    book.arg(&copy).arg("--dest-dir").arg(output);
    run::run(book)?;
    let broken = broken_links(output)?;
    ensure!(broken.is_empty(), "the documentation has broken links:\n{}", broken.join("\n"));
    Ok(())
}

/// The relative links of the site's pages that lead to no file, each with its page.
///
/// `404.html` is left out: it is shown at any address, so its links start at the host's root.
fn broken_links(site: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for page in size::files(site)? {
        let name = page.strip_prefix(site)?;
        if name.extension().is_none_or(|extension| extension != "html") || name == Path::new("404.html") {
            continue;
        }
        let html = fs::read_to_string(&page)?;
        let folder = page.parent().unwrap_or(site);
        let is_broken = |href: &&str| !leads_to_file(&folder.join(href));
        broken.extend(relative_links(&html).filter(is_broken).map(|href| format!("{}: {href}", name.display())));
    }
    Ok(broken)
}

/// Whether a server finds a file at a path. It answers with `index.html` for a folder.
fn leads_to_file(path: &Path) -> bool {
    path.is_file() || path.join("index.html").is_file()
}

/// The paths in the `href` attributes of a page, without addresses of other sites and links within the page.
fn relative_links(html: &str) -> impl Iterator<Item = &str> {
    let tags = html.split('<').filter_map(|rest| Some(rest.split_once('>')?.0));
    let hrefs = tags.filter_map(|tag| Some(tag.split_once(" href=\"")?.1.split_once('"')?.0));
    let paths = hrefs.filter_map(|href| href.split(['#', '?']).next());
    paths.filter(|path| !path.is_empty() && !path.starts_with('/') && !path.contains(':'))
}

/// The text of a file, with its links to files outside `docs` replaced by their addresses in the repository. Links to
/// a `README.md` lead to `index.html`, because mdBook renames the page but not the links to it.
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
            None if is_readme(target) => changed.push_str(&part.replacen(README, "index.html", 1)),
            None => changed.push_str(part),
        }
    }
    changed
}

/// Whether a link leads to a README in `docs`.
fn is_readme(link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    !link.contains("://") && Path::new(path).file_name().is_some_and(|name| name == README)
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
        let text = "[b](../../tests/README.md), [c](../stories.md), [d](other.md), [e](https://a.test/README.md)";
        let changed = with_links_to(text, Path::new("docs/recipes/a.md"), "https://git.test/c");
        let expected = "[b](https://git.test/c/blob/main/tests/README.md), [c](../stories.md), [d](other.md), \
                        [e](https://a.test/README.md)";
        assert_eq!(changed, expected);
        assert_eq!(
            with_links_to("[x](/core/DEVIATIONS.md)", Path::new("docs/a.md"), "https://git.test/c"),
            "[x](https://git.test/c/blob/main/core/DEVIATIONS.md)"
        );
    }

    #[test]
    fn a_link_to_a_readme_leads_to_the_page_of_its_folder() {
        let changed = with_links_to("[a](../README.md#start), [b](README.md)", Path::new("docs/recipes/a.md"), "");
        assert_eq!(changed, "[a](../index.html#start), [b](index.html)");
    }

    #[test]
    fn a_broken_link_is_named_with_its_page() {
        let site = tempfile::tempdir().unwrap();
        let write = |name: &str, html: &str| fs::write(site.path().join(name), html).unwrap();
        fs::create_dir(site.path().join("recipes")).unwrap();
        write("404.html", r#"<a href="gone.html">"#);
        write("cli.html", r##"<a class="x" href="recipes/">, <a href="recipes/index.html#a">, <a href="#a">"##);
        write(
            "recipes/index.html",
            r#"<a href="../cli.html?a">, <a href="cli.html">, &lt;a href="text"&gt;, <a href="https://a.test">"#,
        );
        assert_eq!(broken_links(site.path()).unwrap(), ["recipes/index.html: cli.html"]);
    }
}
