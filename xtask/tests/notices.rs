//! NOTICE names each file that is a port of another project's code, and each such file names its origin and license.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates with ported code.
const SOURCES: [&str; 3] = ["cli/src", "core/src", "text/src"];

/// Kubernetes' own code, whose license is the project's.
const KUBERNETES: [&str; 5] = ["pkg/", "plugin/pkg/", "cmd/", "k8s.io/", "staging/src/k8s.io/"];

/// Files in the folder of Go's libraries that are no ports.
const OWN: [&str; 2] = ["core/src/go/mod.rs", "core/src/go/json_name.rs"];

/// The origin of a file: the name of a project, and its license.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Origin {
    name: String,
    license: String,
    file: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The Rust files below a folder, as paths in the repository.
fn sources(folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            files.extend(sources(&path));
        } else if path.ends_with(".rs") {
            files.push(path);
        }
    }
    files
}

/// The paragraphs of a file's comments, each in one line and without backticks.
fn paragraphs(source: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in source.lines() {
        let comment = line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']).trim());
        match comment {
            Some(text) if text.starts_with("Upstream:") => paragraphs.push(text.into()),
            Some(text) if !text.is_empty() => paragraphs.last_mut().unwrap().extend([" ", text]),
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs.iter().map(|text| text.replace('`', "").trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

/// What a paragraph like `Ported from NAME (LICENSE, see NOTICE).` names.
fn origin(paragraph: &str, file: &str) -> Option<Origin> {
    let rest = paragraph.strip_prefix("Ported from ")?;
    let (name, license) = rest.strip_suffix(", see NOTICE).")?.split_once(" (")?;
    Some(Origin { name: name.into(), license: license.into(), file: file.into() })
}

/// The origins in NOTICE.
fn listed() -> BTreeSet<Origin> {
    let mut origins = BTreeSet::new();
    for section in read("NOTICE").split(&"-".repeat(80)).skip(1) {
        let (name, rest) = section.trim_start().split_once('\n').unwrap();
        let (license, rest) = rest.strip_prefix("License: ").unwrap().split_once('\n').unwrap();
        let Some(rest) = rest.strip_prefix("Files: ") else { continue };
        for file in rest.split("\n\n").next().unwrap().split(',') {
            origins.insert(Origin { name: name.into(), license: license.into(), file: file.trim().into() });
        }
    }
    origins
}

#[test]
fn ports_name_their_origins() {
    let listed = listed();
    let names: BTreeSet<&str> = listed.iter().map(|origin| origin.name.as_str()).collect();
    let (mut found, mut wrong) = (BTreeSet::new(), Vec::new());
    for file in SOURCES.into_iter().flat_map(sources) {
        let paragraphs = paragraphs(&read(&file));
        let origins: BTreeSet<Origin> = paragraphs.iter().filter_map(|text| origin(text, &file)).collect();
        let own: BTreeSet<&str> = origins.iter().map(|origin| origin.name.as_str()).collect();
        for upstream in paragraphs.iter().filter_map(|text| text.strip_prefix("Upstream: ")) {
            let mirrored = names.iter().filter(|name| match **name {
                "the Go standard library" => upstream.starts_with("Go "),
                name => upstream.contains(name),
            });
            for name in mirrored.clone().filter(|name| !own.contains(*name)) {
                wrong
                    .push(format!("{file}: {upstream}: the file must say `Ported from {name} (LICENSE, see NOTICE).`"));
            }
            if mirrored.count() == 0 && !KUBERNETES.iter().any(|start| upstream.starts_with(start)) {
                wrong.push(format!("{file}: {upstream}: NOTICE must have a section with this project"));
            }
        }
        if file.starts_with("core/src/go/") && origins.is_empty() && !OWN.contains(&file.as_str()) {
            wrong.push(format!("{file}: must say what it is ported from"));
        }
        found.extend(origins);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(found, listed, "the sources, and NOTICE");
}
