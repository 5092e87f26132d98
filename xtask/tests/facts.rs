//! What the documentation tells people to type exists: targets of make, commands of xtask, packages and tests of cargo, commands and
//! flags of `changeover`. What it says about versions is what the tree has.

#![expect(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The output of a command in the repository.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The Markdown files, without those that tests write and what is no longer true.
fn pages() -> Vec<(String, String)> {
    let listed = output("git", &["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]);
    let pages = listed.lines().filter(|page| *page != "CHANGELOG.md" && !page.starts_with("tests/cli/cases/"));
    pages.map(|page| (page.to_owned(), read(page))).collect()
}

/// The commands of a page: code in backticks, and the lines of blocks. Comments, pipes and `&&` end a command.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    let lines = text.lines().flat_map(move |line| {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            return Vec::new();
        }
        if in_block || line.starts_with("    ") { vec![line] } else { line.split('`').skip(1).step_by(2).collect() }
    });
    let commands = lines.map(|line| line.split(" #").next().unwrap_or_default());
    commands.flat_map(|line| line.split(" && ")).flat_map(|line| line.split(" | ")).map(str::trim)
}

/// The words of a command without variables, such as `FORCE=1`, and without what runs `changeover` from a package or as a plugin.
fn words(command: &str) -> Vec<&str> {
    let words = command.trim_start_matches("$ ").split_whitespace();
    let words = words.skip_while(|word| word.contains('=') && !word.starts_with('-'));
    words.skip_while(|word| ["npx", "--no", "--", "kubectl"].contains(word)).collect()
}

/// The targets of a Makefile.
fn targets(makefile: &str) -> BTreeSet<String> {
    let targets = makefile.lines().filter(|line| line.starts_with(|start: char| start.is_ascii_lowercase()));
    targets.filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
}

/// The targets that the workspace's packages have, by the package's name.
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = output("cargo", &["metadata", "--offline", "--no-deps", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages.map(|it| (name(it), it["targets"].as_array().unwrap().iter().map(name).collect())).collect()
}

/// The commands of `changeover`, each with the text of its help.
fn helps() -> BTreeMap<String, String> {
    let sessions = read("tests/cli/cases/help.md");
    let sessions = sessions.split("$ changeover ").skip(1).filter_map(|session| session.split_once(" -h\n"));
    sessions.map(|(command, help)| (command.to_owned(), help.to_owned())).collect()
}

#[test]
fn what_people_type_exists() {
    let make = &targets(&read("Makefile")) | &targets(&read("policy/Makefile"));
    let (packages, helps) = (packages(), helps());
    let targets: BTreeSet<&String> = packages.values().flatten().collect();
    let xtask = read("xtask/src/main.rs");
    let (mut checked, mut wrong) = (0, Vec::new());
    for (page, text) in pages() {
        for command in commands(&text) {
            let words = words(command);
            let mut require = |exists: bool, what: &str| {
                checked += 1;
                if !exists {
                    wrong.push(format!("{page}: {command}: {what} does not exist"));
                }
            };
            match words.as_slice() {
                ["make", target, ..] if target.starts_with(|start: char| start.is_ascii_lowercase()) => {
                    require(make.contains(*target), target);
                }
                ["cargo", rest @ ..] => {
                    for pair in rest.windows(2) {
                        match pair {
                            ["-p" | "--package", name] => require(packages.contains_key(*name), name),
                            ["--test" | "--bin" | "--bench", name] => {
                                require(targets.iter().any(|target| target == name), name);
                            }
                            _ => {}
                        }
                    }
                    if let [.., "xtask", "--", name] = rest {
                        require(xtask.contains(&format!("\"{name}\" =>")), name);
                    }
                }
                ["changeover", name, rest @ ..] if name.starts_with(|start: char| start.is_ascii_lowercase()) => {
                    let Some(help) = helps.get(*name) else {
                        require(false, name);
                        continue;
                    };
                    let flags = rest.iter().take_while(|word| **word != ">");
                    for flag in flags.filter_map(|word| word.strip_prefix("--")).filter(|flag| !flag.is_empty()) {
                        let flag = flag.split(['=', ',', ')', ';']).next().unwrap_or_default();
                        require(help.contains(&format!("--{flag}")) || ["help", "version"].contains(&flag), flag);
                    }
                }
                _ => {}
            }
        }
    }
    assert!(checked > 200, "only {checked} were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start:?} is missing"));
    rest.split(end).next().unwrap_or_default()
}

#[test]
fn versions_are_those_of_the_tree() {
    let go = read("tests/recorder/go.mod");
    let hosts = read(".github/actions/kubewarden/action.yml");
    let expected = [
        ("Kubernetes ", between(&go, "k8s.io/kubernetes v", "\n").to_owned(), "1.37."),
        ("k8s.io/kubernetes v", between(&go, "k8s.io/kubernetes v", "\n").to_owned(), "1.37."),
        ("Go ", between(&go, "\ngo ", ".0\n").to_owned(), "1."),
        ("Node ", between(&read("package.json"), "\"node\": \">=", "\"").to_owned(), "20."),
        ("test it with ", between(&hosts, "kwctl-version: v", "\n").to_owned(), "1."),
    ];
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        for (name, version, start) in &expected {
            for rest in text.split(name).skip(1).filter(|rest| rest.starts_with(start)) {
                let found: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
                // A sentence may end in the minor version.
                if found != *start && found.trim_end_matches('.') != version {
                    wrong.push(format!("{page}: {name}{found} should be {version}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn actions_are_pinned_by_digest() {
    for file in output("git", &["ls-files", ".github"]).lines() {
        for (_, action) in read(file).lines().filter_map(|line| line.split_once("uses: ")) {
            let digest = action.split_once('@').map_or("", |(_, rest)| rest.split(' ').next().unwrap_or_default());
            let is_pinned = digest.len() == 40 && digest.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_pinned || action.starts_with("./"), "{file}: {action}: must name a commit");
        }
    }
}
