//! The functions that the core mirrors exist upstream: each `Upstream:` line in its sources, and that of each rule,
//! names a file and a name that the pinned release has. `../upstream.txt` lists them; `tests/recorder/upstream` writes
//! it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use changeover_core::explain;

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

    /// What is wrong with a text like `pkg/FILE.go NAME`, or `NAME` alone for the file named before it.
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

/// The text of a comment line; none if the line is code, or the comment line is empty.
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
fn every_line_of_the_sources_names_existing_functions() {
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

/// Upstream's name in Rust's spelling: `syncReplicaSet` and `ReplicaSetController.syncReplicaSet` become
/// sync_replica_set.
fn in_rust(name: &str) -> String {
    let name = name.rsplit('.').next().unwrap_or(name);
    let mut words = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
        before = letter;
    }
    words
}

/// The functions of a source, each with its line number and the comments above it.
fn functions(source: &str) -> Vec<(usize, &str, String)> {
    let mut found = Vec::new();
    let mut above = String::new();
    for (index, line) in source.lines().enumerate() {
        let code = line.trim_start();
        if code == "mod tests {" {
            break;
        }
        let name = code.split_once("fn ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        match name.and_then(|(_, rest)| rest.split(['(', '<']).next()) {
            Some(name) => found.push((index.saturating_add(1), name, std::mem::take(&mut above))),
            None if code.starts_with("//") || code.starts_with("#[") => above.extend([code, " "]),
            None => above.clear(),
        }
    }
    found
}

/// Functions that share a name with one of upstream's but mirror something else: a write through the client, and methods of
/// sort.Interface.
const OTHERS: [(&str, &str); 4] = [
    ("workload/deployment/controller/writes.rs", "update_replica_set"),
    ("go/sort.rs", "less"),
    ("go/sort.rs", "swap"),
    ("controller/rank.rs", "less"),
];

#[test]
fn every_mirrored_function_says_what_it_mirrors() {
    let names = Names::read();
    let controllers = [
        "pkg/controller/deployment/",
        "pkg/controller/job/",
        "pkg/controller/replicaset/",
        "pkg/controller/statefulset/",
        "pkg/controller/controller_",
    ];
    let mirrored: BTreeSet<String> = names
        .0
        .iter()
        .filter(|(file, _)| controllers.iter().any(|folder| file.starts_with(folder)))
        .flat_map(|(_, names)| names.iter().map(|name| in_rust(name)))
        .collect();
    assert!(mirrored.contains("sync_replica_set") && mirrored.contains("get_pods_to_delete"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src");
    let (mut silent, mut seen) = (Vec::new(), 0_usize);
    // How the simulated cluster runs a controller is its own.
    let files = ["controller", "workload"].iter().flat_map(|below| sources(&folder.join(below)));
    for file in files.filter(|file| !file.ends_with("run.rs")) {
        let source = fs::read_to_string(&file).unwrap();
        let shown = file.strip_prefix(&folder).unwrap().to_str().unwrap();
        for (line, name, above) in functions(&source) {
            if mirrored.contains(name) && !OTHERS.contains(&(shown, name)) {
                seen = seen.saturating_add(1);
                if !above.contains("Upstream:") {
                    silent.push(format!("{shown}:{line}: {name}"));
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} functions were found");
    assert!(silent.is_empty(), "no `Upstream:` line above\n{}", silent.join("\n"));
}

#[test]
fn every_rule_names_existing_functions() {
    let names = Names::read();
    for rule in explain::all() {
        // The user's rules have no source, and the autoscaler's source is not a module of Kubernetes.
        let other = ["user.", "cluster-autoscaler."].iter().any(|start| rule.id.starts_with(start));
        assert!(rule.upstream.is_some() || rule.section.is_some() || other, "{}", rule.id);
        if let Some(upstream) = rule.upstream {
            assert_eq!(names.wrong(upstream, &mut String::new()), None, "{}", rule.id);
            assert!(upstream.contains(".go "), "{}: {upstream}", rule.id);
        }
    }
}

#[test]
fn missing_names_are_reported() {
    let names = Names::read();
    let wrong = |words| names.wrong_in(words);
    assert!(wrong("Upstream: `pkg/controller/deployment/sync.go scale` and `sync`, more or less").is_empty());
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/gone.go scale`").len(), 1);
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/sync.go scael`").len(), 1);
    assert_eq!(wrong("Upstream: `pkg/controller/deployment/sync.go scale` and `scael`").len(), 1);
    assert_eq!(wrong("Upstream: somewhere").len(), 1);
}
