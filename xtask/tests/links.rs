//! Every relative link in the project's Markdown leads to an existing file and heading.

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
