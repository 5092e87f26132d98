//! The facts of each story in `www/scenarios`: the numbers in its captions match its timelines.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

mod facts;
mod job_facts;
mod played_story;
mod set_facts;

use std::collections::BTreeSet;
use std::fs;

use changeover_core::explain;
use played_story::{FOLDER, PlayedStory, duration, numbers, read};
use serde_json::Value;

#[test]
fn every_story_plays() {
    let index = read("index");
    let names: Vec<&str> = index.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let mut files = BTreeSet::from(["index.json".to_owned()]);
    for name in names {
        let story = PlayedStory::of(name);
        story.check();
        let mut lanes: Vec<_> = story.file["lanes"].as_array().unwrap().clone();
        let mut captions: Vec<_> = story.file["captions"].as_array().unwrap().clone();
        for chapter in PlayedStory::chapters(name) {
            chapter.check();
            lanes.extend(chapter.file["lanes"].as_array().unwrap().clone());
            captions.extend(chapter.file["captions"].as_array().unwrap().clone());
        }
        if story.file.get("helps").is_some() {
            story.with_help().check();
            assert_ne!(
                story.file["helps"]["lanes"], story.file["lanes"],
                "{name}: what would have helped shows nothing"
            );
            lanes.extend(story.file["helps"]["lanes"].as_array().unwrap().clone());
            captions.push(story.file["helps"]["caption"].clone());
        }
        for lane in &lanes {
            let words = [&lane["name"], &lane["says"]].map(|text| text.as_str().unwrap_or_default()).join(": ");
            assert!(numbers(&words).is_empty(), "{name}: no fact is compared with the numbers in {words:?}");
        }
        for text in captions.iter().flat_map(|caption| [&caption["title"], &caption["text"]]) {
            let text = text.as_str().unwrap();
            assert!(!counts_many_seconds(text), "{name}: a time of more than a minute is like 1 min 32 s: {text}");
        }
        for rule in captions.iter().filter_map(|caption| caption["rule"].as_str()) {
            assert!(rule == "start" || explain::all().any(|there| there.id == rule), "{name}: there is no rule {rule}");
        }
        files.extend([format!("{name}.json"), format!("{name}.story.json")]);
        files.extend(lanes.iter().filter_map(|lane| Some(format!("{}.json", lane["scenario"].as_str()?))));
    }
    let there = fs::read_dir(FOLDER).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(there.collect::<BTreeSet<_>>(), files, "the files in the folder are those of the stories");
}

/// Whether a text says `92 seconds`.
fn counts_many_seconds(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_long = |number: &str| number.parse::<i64>().is_ok_and(|seconds| seconds > 60);
    words.windows(2).any(|pair| is_long(pair[0]) && pair[1].starts_with("second"))
}

#[test]
fn every_story_says_what_happens_first() {
    let index = read("index");
    for name in index.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()) {
        let story = read(&format!("{name}.story"));
        let change = story["change"].as_str().unwrap_or_else(|| panic!("{name}: change is missing"));
        assert_eq!(change, first_change(name, &story["lanes"][0], &story["begin"]), "{name}");
        if let Some(helps) = story.get("helps") {
            let change = helps["change"].as_str().unwrap_or(change);
            assert_eq!(
                change,
                first_change(name, &helps["lanes"][0], &story["begin"]),
                "{name}: what would have helped"
            );
        }
    }
}

/// The first action of a lane that its picture shows, in words.
fn first_change(name: &str, lane: &Value, begin: &Value) -> String {
    let scenario = read(lane["scenario"].as_str().unwrap_or(name));
    let actions = scenario["actions"].as_array().unwrap().iter();
    let shown = actions.filter(|action| duration(&action["at"]) >= duration(begin));
    let first = shown.min_by_key(|action| duration(&action["at"])).unwrap();
    let (verb, details) = first.as_object().unwrap().iter().find(|(key, _)| *key != "at").unwrap();
    match verb.as_str() {
        "annotate" => "you set the deletion cost of a pod".to_owned(),
        "create" => format!("you create the {}", details["kind"].as_str().unwrap()),
        "evict" => "a pod is evicted".to_owned(),
        "loseNode" => "a node is lost".to_owned(),
        "scale" => format!("you scale the Deployment to {} pods", details["replicas"]),
        "setTemplate" => "you change the image".to_owned(),
        other => panic!("{name}: which words say {other}?"),
    }
}
