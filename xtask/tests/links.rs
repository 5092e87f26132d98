//! Every relative link in the project's Markdown leads to an existing file and heading, and every path in backticks is
//! that of an existing file or folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

fn links(text: &str) -> Vec<String> {
    let links = events(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    links.collect()
}

/// The anchors of a text's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in events(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap_or_default().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
                anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    anchors
}

/// The placeholders for any name in a path, as in `www/scenarios/NAME.json`.
const PLACEHOLDERS: [&str; 3] = ["CONTROLLER", "KIND", "NAME"];

/// The words in backticks, separately for each paragraph, list item, heading and table row.
fn quoted_words(text: &str) -> Vec<Vec<String>> {
    let mut blocks = vec![Vec::new()];
    for event in events(text) {
        match event {
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Heading { .. } | Tag::TableHead | Tag::TableRow) => {
                blocks.push(Vec::new());
            }
            Event::Code(code) => {
                if let Some(block) = blocks.last_mut() {
                    block.extend(code.split_whitespace().map(String::from));
                }
            }
            _ => {}
        }
    }
    blocks
}

/// The files of the repository, and the folders that they are in. Paths are relative to its root.
struct Tree {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Tree {
    fn of(files: impl IntoIterator<Item = String>) -> Self {
        let files: BTreeSet<String> = files.into_iter().collect();
        let folders = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1)).filter_map(Path::to_str);
        let folders = folders.filter(|folder| !folder.is_empty()).map(String::from).collect();
        Self { files, folders }
    }

    /// Whether a word is the path of a file or a folder: it begins with a top-level folder.
    fn is_path(&self, word: &str) -> bool {
        word.split_once('/').is_some_and(|(first, _)| self.folders.contains(first))
    }

    /// The files and folders that a path stands for: several if it has a placeholder.
    fn found(&self, path: &str) -> Vec<&str> {
        let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let all = self.files.iter().chain(&self.folders).map(String::as_str);
        let found = all.filter(|candidate| {
            let names: Vec<&str> = candidate.split('/').collect();
            names.len() == parts.len() && parts.iter().zip(names).all(|(part, name)| stands_for(part, name))
        });
        found.collect()
    }

    /// A folder itself, or the folder of a file.
    fn folder_of<'a>(&self, path: &'a str) -> &'a str {
        match path.rsplit_once('/') {
            Some((folder, _)) if !self.folders.contains(path) => folder,
            _ => path,
        }
    }

    /// The words of a paragraph that name nothing: paths, and ends of paths of Rust files. If the paragraph has only
    /// the name of a Rust file, that file must be in one of the folders that the paragraph names, if any, at any depth.
    fn missing<'a>(&self, words: &'a [String]) -> Vec<&'a str> {
        let (paths, others): (Vec<&str>, Vec<&str>) =
            words.iter().map(String::as_str).partition(|word| self.is_path(word));
        let found: Vec<&str> = paths.iter().flat_map(|path| self.found(path)).collect();
        let folders: BTreeSet<&str> = found.into_iter().map(|path| self.folder_of(path)).collect();
        let is_named = |file: &Path| folders.is_empty() || folders.iter().any(|folder| file.starts_with(folder));
        let exists = |end: &str| {
            let mut files = self.files.iter().map(Path::new).filter(|file| file.ends_with(end));
            files.any(|file| end.contains('/') || is_named(file))
        };
        let missing_paths = paths.into_iter().filter(|path| self.found(path).is_empty());
        let missing_files = others.into_iter().filter(|word| word.ends_with(".rs") && !exists(word));
        missing_paths.chain(missing_files).collect()
    }
}

fn stands_for(part: &str, name: &str) -> bool {
    let mut ends = PLACEHOLDERS.iter().filter_map(|placeholder| part.strip_prefix(placeholder));
    part == name || ends.any(|end| name.ends_with(end))
}

#[test]
fn every_link_has_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").args(["ls-files", "*.md"]).current_dir(&root).output().unwrap();
    let files = String::from_utf8(listed.stdout).unwrap();
    let (mut checked, mut broken) = (0, Vec::new());
    for file in files.lines() {
        let text = fs::read_to_string(root.join(file)).unwrap();
        for link in links(&text).iter().filter(|link| !link.contains(':')) {
            checked += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path.strip_prefix('/') {
                Some(path) => root.join(path),
                None if path.is_empty() => root.join(file),
                // The package ships the documentation beside its README.
                None if file == "npm/README.md" && path.starts_with("docs/") => root.join(path),
                None => root.join(file).with_file_name(path),
            };
            let has_anchor = || anchors(&fs::read_to_string(&target).unwrap_or_default()).contains(anchor);
            if !target.exists() || !anchor.is_empty() && !has_anchor() {
                broken.push(format!("{file}: {link}"));
            }
        }
    }
    assert!(checked > 100, "only {checked} links were found");
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn anchors_match_github() {
    let text = "# Rate limits of the controllers\n\n## `--worst`: what *may* happen?\n";
    assert_eq!(anchors(text), ["rate-limits-of-the-controllers", "--worst-what-may-happen"].map(String::from).into());
    assert_eq!(links("[a](b.md#c) ![d](e.png) `[f](g)`"), ["b.md#c", "e.png"]);
}

#[test]
fn every_path_in_backticks_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(arguments).current_dir(&root).output().unwrap();
    let tree = Tree::of(String::from_utf8(listed.stdout).unwrap().lines().map(String::from));
    let (mut paths, mut missing) = (0, Vec::new());
    for file in tree.files.iter().filter(|file| file.ends_with(".md")) {
        for words in quoted_words(&fs::read_to_string(root.join(file)).unwrap()) {
            paths += words.iter().filter(|word| tree.is_path(word)).count();
            missing.extend(tree.missing(&words).into_iter().map(|word| format!("{file}: {word}")));
        }
    }
    assert!(paths > 100, "only {paths} paths were found");
    assert!(missing.is_empty(), "not in the repository:\n{}", missing.join("\n"));
}

#[test]
fn a_rust_file_is_in_a_folder_of_its_row() {
    let tree = Tree::of(["a/src/b/mod.rs", "a/src/c.rs", "d/e.json"].map(String::from));
    let missing = |text: &str| -> Vec<String> {
        quoted_words(text).iter().flat_map(|words| tree.missing(words)).map(String::from).collect()
    };
    assert_eq!(missing("`a/src/b/`, `mod.rs`, `b/mod.rs`, `c.json`, `f/c.json` and `a/src/NAME.rs`"), [""; 0]);
    assert_eq!(missing("`run d/e.json d/f.json`, `d/NAME.rs`, `f.rs`"), ["d/f.json", "d/NAME.rs", "f.rs"]);
    assert_eq!(missing("| a | b |\n|---|---|\n| `a/src/b` | `c.rs` |\n| `a/src` | `c.rs` |\n| `c.rs` | |"), ["c.rs"]);
}
