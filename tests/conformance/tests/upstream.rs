//! What the core says it mirrors is there upstream: each `Upstream:` line in its sources, and each rule's, names a file and
//! a name that the pinned release has. `../upstream.txt` lists them; `tests/recorder/upstream` writes it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use changeover_core::reason;

/// The names that each file declares.
struct Names(BTreeMap<String, BTreeSet<String>>);

impl Names {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("upstream.txt");
        let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut file = String::new();
        for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix('\t') {
                Some(name) => drop(files.entry(file.clone()).or_default().insert(name.into())),
                None => line.clone_into(&mut file),
            }
        }
        Self(files)
    }

    /// What is wrong with a text like `pkg/FILE.go NAME`, or with a `NAME` of the file named before it.
    fn wrong(&self, text: &str, before: &mut String) -> Option<String> {
        let (file, name) = match text.split_once(' ') {
            Some((file, name)) => (file, Some(name)),
            None if text.ends_with(".go") => (text, None),
            None => (before.as_str(), Some(text)),
        };
        let file = file.to_owned();
        let Some(names) = self.0.get(&file) else { return Some(format!("`{text}`: there is no file `{file}`")) };
        if let Some(name) = name.filter(|name| !names.contains(*name)) {
            return Some(format!("`{text}`: `{file}` declares no `{name}`"));
        }
        *before = file;
        None
    }

    /// What is wrong with the words after `Upstream:`.
    fn wrong_in(&self, words: &str) -> Vec<String> {
        let mut file = String::new();
        let mut wrong: Vec<String> =
            words.split('`').skip(1).step_by(2).filter_map(|text| self.wrong(text, &mut file)).collect();
        if file.is_empty() && wrong.is_empty() {
            wrong.push("no `FILE.go NAME` is there".into());
        }
        wrong
    }
}

/// The text of a comment's line; none where the line is code, or the comment has an empty line.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim();
    (!text.is_empty()).then_some(text)
}

/// The paragraphs that begin with `Upstream:`, with the number of their first line.
fn paragraphs(source: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (index, line) in source.lines().enumerate() {
        match comment(line) {
            Some(text) if text.starts_with("Upstream:") => {
                found.push((index.saturating_add(1), text.into()));
                open = true;
            }
            Some(text) if open => found.iter_mut().next_back().unwrap().1.extend([" ", text]),
            _ => open = false,
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn every_line_of_the_sources_names_what_is_there() {
    let names = Names::read();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src");
    let mut wrong = Vec::new();
    let mut lines = 0_usize;
    for file in sources(&folder) {
        let shown = file.strip_prefix(&folder).unwrap().display();
        for (line, words) in paragraphs(&fs::read_to_string(&file).unwrap()) {
            lines = lines.saturating_add(1);
            wrong.extend(names.wrong_in(&words).into_iter().map(|what| format!("{shown}:{line}: {what}")));
        }
    }
    assert!(lines > 300, "only {lines} lines were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_names_what_is_there() {
    let names = Names::read();
    for rule in reason::all() {
        assert!(rule.upstream.is_some() || rule.section.is_some() || rule.id.starts_with("user."), "{}", rule.id);
        if let Some(upstream) = rule.upstream {
            assert_eq!(names.wrong(upstream, &mut String::new()), None, "{}", rule.id);
            assert!(upstream.contains(".go "), "{}: {upstream}", rule.id);
        }
    }
}

#[test]
fn what_is_not_there_is_told() {
    let names = Names::read();
    let wrong = |words| names.wrong_in(words);
    assert!(wrong("Upstream: `pkg/controller/deployment/sync.go scale` and `sync`, more or less").is_empty());
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/gone.go scale`").len(), 1);
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/sync.go scael`").len(), 1);
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/sync.go scale` and `scael`").len(), 1);
    assert_eq!(wrong("Upstream: somewhere").len(), 1);
}
