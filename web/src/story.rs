//! The format of story files (`docs/stories.md`), the requests for their lanes, and the moments of their captions.

use changeover_core::Problem;
use changeover_core::json::{FromJson, Path, ToJson, decode, must_be};
use changeover_core::scenario::Duration;
use changeover_wire::{LaneSource, Pin, StepRef, WorkloadKind};
use serde_json::{Value, json};

use crate::playback::{LaneInfo, Playback};
use crate::player_client::LaneRequest;
use crate::share::SharedStory;
use crate::story_text::{Draggable, DraggedNumbers, StoryText};

/// The feature gate without which the API server drops the field.
const GATE: &str = "DeploymentPodReplacementPolicy";

/// A story in the list of all stories.
#[derive(Clone, Debug, Default, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoryEntry {
    /// The name of its files.
    pub name: String,
    /// Its label in the menu.
    pub label: String,
}

/// A story.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The title of the page, and the headline.
    pub title: String,
    /// The headline of a story that begins with a smaller case.
    headline: Option<String>,
    /// One sentence about it.
    pub summary: String,
    /// Links to where it happened.
    pub source: Vec<SourceLink>,
    /// Whether pods are grouped by node at first.
    pub by_node: bool,
    /// The smaller cases that it begins with, and the case itself.
    chapters: Vec<Chapter>,
    /// What would have helped.
    pub helps: Option<Remedy>,
}

/// The file of a story. What stands in it without a chapter is the last one.
#[derive(ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoryFile {
    title: String,
    #[serde(default)]
    headline: Option<String>,
    summary: String,
    #[serde(default)]
    source: Vec<SourceLink>,
    /// How pods are grouped at first: `replicaSet` or `node`.
    #[serde(default)]
    by: String,
    #[serde(default)]
    chapters: Vec<Chapter>,
    #[serde(default)]
    begin: Duration,
    #[serde(default)]
    change: Option<String>,
    lanes: Vec<StoryLane>,
    captions: Vec<Caption>,
    #[serde(default)]
    helps: Option<Remedy>,
}

/// A part of a story: lanes, and captions at their steps.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Chapter {
    /// The page's time 0, after the scenario's start.
    #[serde(default)]
    begin: Duration,
    /// What happens first, at 0:00 of the clock, as the end of a sentence: `you change the image`.
    #[serde(default)]
    pub change: Option<String>,
    /// The lanes from top to bottom.
    pub lanes: Vec<StoryLane>,
    /// The captions in order.
    pub captions: Vec<Caption>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceLink {
    /// Its text.
    pub text: String,
    /// Its address.
    pub href: String,
}

/// A lane.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoryLane {
    /// Its name.
    pub name: String,
    /// What is different in it.
    #[serde(default)]
    pub says: String,
    /// Its podReplacementPolicy, if it sets or removes one.
    #[serde(default)]
    policy: PolicyOverride,
    /// Another scenario, if it plays one.
    #[serde(default)]
    pub scenario: Option<String>,
}

/// Sets a podReplacementPolicy in a scenario, or removes it (null), or leaves the scenario as it is.
#[derive(Clone, Debug, Default, PartialEq)]
struct PolicyOverride(Option<Option<String>>);

impl ToJson for PolicyOverride {
    fn to_json(&self) -> Value {
        self.0.clone().flatten().to_json()
    }
}

impl FromJson for PolicyOverride {
    fn empty() -> Self {
        Self(None)
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        self.0.insert(None).read(value, path)
    }
}

/// A caption, shown at a step.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Caption {
    /// The lane of the step.
    #[serde(default)]
    pub lane: u32,
    /// The id of the step's rule, `start`, or none for the end.
    pub rule: Option<String>,
    /// What the step is about.
    #[serde(default)]
    about: String,
    /// Which of the matching steps, from 1.
    #[serde(default)]
    nth: Option<u32>,
    /// How long after the step.
    #[serde(default)]
    pub after: Duration,
    /// The title: a few words.
    pub title: String,
    /// One or two sentences.
    pub text: StoryText,
    /// Whether the limit is shown from here on: before, the picture has no line for it.
    #[serde(default)]
    pub shows_limit: bool,
    /// Whether the details of the lane are open.
    #[serde(default)]
    pub facts: bool,
}

/// What would have helped, as another version of the story.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remedy {
    /// One sentence about it.
    pub text: String,
    /// The text of its button.
    pub button: String,
    /// What happens first in it, if that is something else.
    #[serde(default)]
    change: Option<String>,
    /// Its lanes.
    lanes: Vec<StoryLane>,
    /// Its caption.
    caption: Caption,
}

impl Story {
    /// Parses a story.
    ///
    /// # Errors
    /// A problem with its path.
    pub fn parse(value: &Value) -> Result<Self, Problem> {
        let StoryFile { title, headline, summary, source, by, mut chapters, begin, change, lanes, captions, helps } =
            decode(value, "")?;
        let check_count = |name: &str, count: usize, max: usize| {
            (count == 0 || count > max)
                .then(|| Problem::new(name, format!("Invalid value: {count} items: must have 1 to {max}")))
        };
        let helped = helps.as_ref().map_or(1, |helps| helps.lanes.len());
        let counts = [("lanes", lanes.len(), 3), ("captions", captions.len(), 99), ("helps.lanes", helped, 3)];
        if let Some(problem) = counts.into_iter().find_map(|(name, count, max)| check_count(name, count, max)) {
            return Err(problem);
        }
        if !matches!(by.as_str(), "" | "replicaSet" | "node") {
            return Err(must_be(&by.to_json(), &Path::Root("by"), "replicaSet or node"));
        }
        chapters.push(Chapter { begin, change, lanes, captions });
        Ok(Self { title, headline, summary, source, by_node: by == "node", chapters, helps })
    }

    /// The story with what would have helped, if anything would have.
    pub fn remedy(&self) -> Option<Self> {
        let helps = self.helps.as_ref()?;
        let told = self.chapters.last()?;
        let change = helps.change.clone().or_else(|| told.change.clone());
        let captions = vec![helps.caption.clone()];
        let chapter = Chapter { begin: told.begin, change, lanes: helps.lanes.clone(), captions };
        Some(Self { chapters: vec![chapter], ..self.clone() })
    }

    /// The story without the smaller cases that it begins with.
    #[cfg(test)]
    pub fn last_chapter(&self) -> Self {
        Self { chapters: self.chapters.last().cloned().into_iter().collect(), ..self.clone() }
    }

    /// How many chapters it has.
    pub fn chapter_count(&self) -> usize {
        self.chapters.len()
    }

    /// The chapter of a caption.
    pub fn chapter(&self, caption: usize) -> Option<&Chapter> {
        self.chapters.get(self.place(caption).0)
    }

    /// The headline.
    pub fn headline(&self) -> &str {
        self.headline.as_deref().unwrap_or(&self.title)
    }

    /// Whether the headline is a question, which the captions answer: then nothing else stands above them.
    pub const fn is_question(&self) -> bool {
        self.headline.is_some()
    }

    /// All captions, in order.
    pub fn captions(&self) -> impl Iterator<Item = &Caption> {
        self.chapters.iter().flat_map(|chapter| &chapter.captions)
    }

    /// The number of the chapter of a caption, and the caption's number in it.
    pub fn place(&self, caption: usize) -> (usize, usize) {
        let mut rest = caption;
        for (number, chapter) in self.chapters.iter().enumerate() {
            match rest.checked_sub(chapter.captions.len()) {
                Some(after) => rest = after,
                None => return (number, rest),
            }
        }
        (self.chapters.len(), rest)
    }

    /// The first caption of a chapter.
    pub fn first_caption(&self, chapter: usize) -> usize {
        let before = self.chapters.iter().take(chapter);
        before.fold(0, |sum, chapter| sum.saturating_add(chapter.captions.len()))
    }

    /// The caption of a reader's position in it, or the last one.
    pub fn caption_of(&self, position: &SharedStory) -> usize {
        let last_chapter = self.chapters.len().saturating_sub(1);
        let chapter = position.chapter.map_or(last_chapter, |chapter| usize::try_from(chapter).unwrap_or(last_chapter));
        let caption = usize::try_from(position.caption).unwrap_or(usize::MAX);
        let last = self.captions().count().saturating_sub(1);
        self.first_caption(chapter).saturating_add(caption).min(last)
    }

    /// Whether the picture of a caption shows the limit: not before the story has come to it.
    pub fn shows_limit(&self, caption: usize) -> bool {
        let shown_from = self.captions().position(|caption| caption.shows_limit);
        shown_from.is_none_or(|from| caption >= from)
    }

    /// The names of the scenarios that the lanes of a chapter need.
    pub fn scenario_names<'a>(&'a self, chapter: usize, name: &'a str) -> impl Iterator<Item = &'a str> {
        let lanes = self.chapters.get(chapter).map(|chapter| chapter.lanes.as_slice()).unwrap_or_default();
        lanes.iter().map(move |lane| lane.scenario.as_deref().unwrap_or(name))
    }

    /// The names of all scenarios that it needs, and what would have helped.
    pub fn all_scenario_names(&self, name: &str) -> Vec<String> {
        let remedy = self.remedy();
        let versions = [Some(self), remedy.as_ref()].into_iter().flatten();
        let chapters = versions.flat_map(|version| (0..version.chapter_count()).map(move |chapter| (version, chapter)));
        let mut names = Vec::new();
        for scenario in chapters.flat_map(|(version, chapter)| version.scenario_names(chapter, name)) {
            if !names.iter().any(|known| known == scenario) {
                names.push(scenario.to_owned());
            }
        }
        names
    }

    /// The request for a lane of a chapter. `dragged`: what the reader has set in the chapter's text.
    pub fn lane_request(
        &self,
        number: usize,
        lane: usize,
        mut scenario: Value,
        dragged: DraggedNumbers,
    ) -> LaneRequest {
        let Some(chapter) = self.chapters.get(number) else { return LaneRequest::default() };
        let Some(story_lane) = chapter.lanes.get(lane) else { return LaneRequest::default() };
        if let Some(policy) = &story_lane.policy.0 {
            set_policy(&mut scenario, policy.as_deref());
        }
        for (dragged, value) in dragged.iter() {
            set_number(&mut scenario, dragged, value);
        }
        let proposed = scenario_has_policy(&scenario);
        LaneRequest {
            info: LaneInfo {
                name: story_lane.name.clone(),
                difference: story_lane.says.clone(),
                proposed,
                chapter: number,
                ..LaneInfo::default()
            },
            source: LaneSource::Scenario(scenario),
            begin: chapter.begin.0,
            pins: chapter.captions.iter().filter_map(|caption| caption.pin(lane)).collect(),
            ..LaneRequest::default()
        }
    }

    /// The moment of a caption; none if the lanes are those of another chapter.
    ///
    /// # Errors
    /// If no step fits.
    pub fn caption_moment(&self, playback: &Playback, index: usize) -> Result<Option<CaptionMoment>, Problem> {
        let missing = || {
            Problem::new(
                format!("captions[{index}]"),
                "Invalid value: no step of this lane matches rule, about and nth",
            )
        };
        let (chapter, own) = self.place(index);
        if chapter != playback.chapter() {
            return Ok(None);
        }
        let captions = self.chapters.get(chapter).map(|chapter| chapter.captions.as_slice()).unwrap_or_default();
        let caption = captions.get(own).ok_or_else(missing)?;
        match caption.rule.as_deref() {
            None => return Ok(Some(CaptionMoment { time: playback.end_time(), explain: None })),
            Some("start") => return Ok(Some(CaptionMoment { time: caption.after.0, explain: None })),
            Some(_) => {}
        }
        let number = usize::try_from(caption.lane).map_err(|_| missing())?;
        let lane = playback.lanes.get(number).ok_or_else(missing)?;
        let pin = pin_index(captions, own).ok_or_else(missing)?;
        let step = lane.played.pins.get(pin).copied().flatten().ok_or_else(missing)?;
        let time = lane.track.steps.get(step).ok_or_else(missing)?.time;
        let explain = Some(StepRef { lane: number, step });
        Ok(Some(CaptionMoment { time: time.saturating_add(caption.after.0), explain }))
    }

    /// The caption for a time to which the reader has moved the playhead: the last one of the chapter at or before it. `current`
    /// stays if it is one of several at that time.
    pub fn caption_at(&self, playback: &Playback, time: i64, current: usize) -> usize {
        let shown_at = |caption: usize| {
            let moment = self.caption_moment(playback, caption).ok()??;
            Some(playback.at_time(moment.time).time)
        };
        if shown_at(current) == Some(time) {
            return current;
        }
        let is_past = |caption: &usize| shown_at(*caption).is_some_and(|shown| shown <= time);
        let first = self.first_caption(playback.chapter());
        (first..self.captions().count()).rev().find(is_past).unwrap_or(first)
    }

    /// When each caption is shown, as a clock shows it: with decimals of a second where two would look alike.
    pub fn caption_times(&self, playback: &Playback) -> Vec<Option<String>> {
        let moments = (0..self.captions().count()).map(|index| self.caption_moment(playback, index).ok().flatten());
        let times: Vec<Option<i64>> = moments.map(|moment| moment.map(|moment| moment.time)).collect();
        let mut clocks = playback.clocks(&times.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
        times.iter().map(|time| time.and_then(|_| clocks.next())).collect()
    }
}

/// The index of a caption's pin among the pins of its lane.
fn pin_index(captions: &[Caption], caption: usize) -> Option<usize> {
    let this = captions.get(caption)?;
    let lane = usize::try_from(this.lane).ok()?;
    this.pin(lane)?;
    let earlier = captions.get(..caption)?;
    Some(earlier.iter().filter(|other| other.pin(lane).is_some()).count())
}

impl Caption {
    /// Its pin, if it has one in that lane.
    fn pin(&self, lane: usize) -> Option<Pin> {
        let rule = self.rule.as_ref().filter(|rule| *rule != "start")?;
        let in_lane = usize::try_from(self.lane).ok() == Some(lane);
        in_lane.then(|| Pin { rule: rule.clone(), about: self.about.clone(), nth: self.nth.unwrap_or(1) })
    }
}

/// When a caption is shown, and which step is explained then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptionMoment {
    /// The time, in nanoseconds of the page's time.
    pub time: i64,
    /// The step to explain, if it is not the one at that time.
    pub explain: Option<StepRef>,
}

/// Whether anything but Deployments is played: the small player has no controllers for it.
pub fn needs_workbench(scenario: &Value) -> bool {
    let mut kinds = objects(scenario).filter_map(|object| WorkloadKind::of_name(kind(object)?));
    kinds.any(|kind| kind != WorkloadKind::Deployment)
}

/// The objects of a scenario, and those that its actions create.
fn objects(scenario: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["objects", "actions"].map(|name| scenario.get(name).and_then(Value::as_array));
    let entries = lists.into_iter().flatten().flatten();
    entries.flat_map(|entry| [Some(entry), entry.get("create"), entry.get("apply")].into_iter().flatten())
}

fn kind(object: &Value) -> Option<&str> {
    object.get("kind").and_then(Value::as_str)
}

/// Sets or removes the policy of every Deployment and Job in a scenario. That of Deployments is proposed and needs its feature
/// gate.
fn set_policy(scenario: &mut Value, policy: Option<&str>) {
    let Some(map) = scenario.as_object_mut() else { return };
    let lists = ["objects", "actions"].map(|name| map.remove(name));
    for (name, list) in ["objects", "actions"].into_iter().zip(lists) {
        let Some(Value::Array(mut list)) = list else { continue };
        for entry in &mut list {
            set_policy_on(entry, policy);
            for verb in ["create", "apply"] {
                if let Some(object) = entry.get_mut(verb) {
                    set_policy_on(object, policy);
                }
            }
        }
        map.insert(String::from(name), Value::Array(list));
    }
    if policy.is_none() || needs_workbench(scenario) {
        return;
    }
    let Some(map) = scenario.as_object_mut() else { return };
    let gates = map.entry("featureGates").or_insert_with(|| json!({}));
    let components = ["apiserver", "controllerManager"];
    let by_component = components.iter().any(|component| gates.get(component).is_some());
    for component in if by_component { components.as_slice() } else { &[""] } {
        let gates = if by_component { gates.get_mut(component) } else { Some(&mut *gates) };
        if let Some(gates) = gates.and_then(Value::as_object_mut) {
            gates.insert(String::from(GATE), Value::Bool(true));
        }
    }
}

fn set_policy_on(object: &mut Value, policy: Option<&str>) {
    if !matches!(kind(object), Some("Deployment" | "Job")) {
        return;
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
    match policy {
        Some(policy) => drop(spec.insert(String::from("podReplacementPolicy"), Value::from(policy))),
        None => drop(spec.remove("podReplacementPolicy")),
    }
}

/// Sets a number of every Deployment in a scenario, or of the kubelet's times.
fn set_number(scenario: &mut Value, number: Draggable, value: i32) {
    match number {
        Draggable::Replicas => set_in_deployments(scenario, "/spec/replicas", &|field| *field = value.into()),
        Draggable::MaxSurge => {
            set_in_deployments(scenario, "/spec/strategy/rollingUpdate/maxSurge", &|field| *field = value.into());
        }
        Draggable::TimeToStart => set_time(scenario, "ready", value),
        Draggable::TimeToStop => {
            // A pod is killed after its grace period.
            set_in_deployments(scenario, "/spec/template/spec/terminationGracePeriodSeconds", &|grace| {
                *grace = grace.as_i64().unwrap_or_default().max(value.into()).into();
            });
            set_time(scenario, "terminate", value);
        }
    }
}

fn set_in_deployments(scenario: &mut Value, pointer: &str, set: &dyn Fn(&mut Value)) {
    for list in ["objects", "actions"] {
        for entry in scenario.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            for place in ["", "/create", "/apply"] {
                let object = entry.pointer_mut(place).filter(|object| kind(object) == Some("Deployment"));
                if let Some(field) = object.and_then(|object| object.pointer_mut(pointer)) {
                    set(field);
                }
            }
        }
    }
}

/// Sets a time of every pod.
fn set_time(scenario: &mut Value, time: &str, seconds: i32) {
    for timing in scenario.get_mut("kubelet").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(timing) = timing.as_object_mut() {
            timing.insert(String::from(time), format!("{seconds}s").into());
        }
    }
}

/// Whether a Deployment in a scenario has a policy, which is a proposed feature.
fn scenario_has_policy(scenario: &Value) -> bool {
    let policy = |object: &Value| object.pointer("/spec/podReplacementPolicy").is_some_and(|policy| !policy.is_null());
    objects(scenario).any(|object| kind(object) == Some("Deployment") && policy(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story_file(change: impl Fn(&mut Value)) -> Value {
        let mut story = json!({
            "title": "a", "summary": "b",
            "lanes": [{"name": "as it is"}, {"name": "unset", "policy": null}, {"name": "set", "policy": "TerminationComplete"}],
            "captions": [
                {"rule": "start", "title": "a", "text": "b"},
                {"rule": "deployment.new.up", "title": "a", "text": "b"},
                {"lane": 2, "rule": "deployment.new.wait", "nth": 2, "title": "a", "text": "b"},
                {"rule": "deployment.old.down", "title": "a", "text": "b"},
                {"rule": null, "title": "a", "text": "b"},
            ],
        });
        change(&mut story);
        story
    }

    #[test]
    fn a_lane_can_keep_set_or_remove_the_policy() {
        let story = Story::parse(&story_file(|_| {})).unwrap();
        let deployment = json!({"kind": "Deployment", "spec": {"podReplacementPolicy": "TerminationStarted"}});
        let scenario = json!({"objects": [deployment], "actions": [{"create": deployment}, {"apply": {"kind": "Pod", "spec": {}}}]});
        let played: Vec<(bool, Value)> = (0..3)
            .map(|lane| story.lane_request(0, lane, scenario.clone(), DraggedNumbers::default()))
            .map(|request| match request.source {
                LaneSource::Scenario(scenario) => (request.info.proposed, scenario),
                LaneSource::Attached | LaneSource::Rollout { .. } => panic!("stories play scenarios"),
            })
            .collect();
        assert_eq!(played[0], (true, scenario));
        assert!(!played[1].0 && played[1].1.get("featureGates").is_none());
        assert_eq!(played[2].1["objects"][0]["spec"]["podReplacementPolicy"], "TerminationComplete");
        assert_eq!(played[2].1["actions"][0]["create"]["spec"]["podReplacementPolicy"], "TerminationComplete");
        assert_eq!(played[2].1["actions"][1]["apply"]["spec"], json!({}));
        assert_eq!(played[2].1["featureGates"], json!({"DeploymentPodReplacementPolicy": true}));
    }

    #[test]
    fn the_gate_is_set_for_each_component() {
        let mut scenario = json!({"featureGates": {"apiserver": {}, "controllerManager": {"A": false}}});
        set_policy(&mut scenario, Some("TerminationComplete"));
        let gates = json!({"apiserver": {GATE: true}, "controllerManager": {"A": false, GATE: true}});
        assert_eq!(scenario["featureGates"], gates);
    }

    #[test]
    fn pins_are_counted_for_each_lane() {
        let story = Story::parse(&story_file(|_| {})).unwrap();
        let captions = &story.chapters[0].captions;
        let pins: Vec<Option<usize>> = (0..5).map(|caption| pin_index(captions, caption)).collect();
        assert_eq!(pins, [None, Some(0), Some(0), Some(1), None]);
        let first = story.lane_request(0, 0, json!({}), DraggedNumbers::default());
        let rules: Vec<&str> = first.pins.iter().map(|pin| pin.rule.as_str()).collect();
        assert_eq!(rules, ["deployment.new.up", "deployment.old.down"]);
    }

    #[test]
    fn a_story_begins_with_its_smaller_cases() {
        let story = Story::parse(&story_file(|story| {
            let caption = json!({"rule": "start", "title": "a", "text": "b"});
            story["captions"][1]["showsLimit"] = json!(true);
            story["chapters"] =
                json!([{"lanes": [{"name": "c", "scenario": "small"}], "captions": [caption, caption]}]);
        }))
        .unwrap();
        assert_eq!([0, 1, 2, 6].map(|caption| story.place(caption)), [(0, 0), (0, 1), (1, 0), (1, 4)]);
        assert_eq!([0, 1].map(|chapter| story.first_caption(chapter)), [0, 2]);
        assert_eq!([0, 2, 3].map(|caption| story.shows_limit(caption)), [false, false, true]);
        assert_eq!(story.scenario_names(0, "a").collect::<Vec<_>>(), ["small"]);
        assert_eq!(story.last_chapter().captions().count(), 5);
    }

    #[test]
    fn the_reader_sets_numbers_of_a_chapter() {
        let story = Story::parse(&story_file(|_| {})).unwrap();
        let spec = json!({"replicas": 3, "strategy": {"rollingUpdate": {"maxSurge": 1}}});
        let scenario = json!({"actions": [{"create": {"kind": "Deployment", "spec": spec}}, {"setTemplate": {}}]});
        let dragged = DraggedNumbers::default().with(0, Draggable::Replicas, 5).with(0, Draggable::MaxSurge, 2);
        let LaneSource::Scenario(played) = story.lane_request(0, 0, scenario, dragged).source else {
            panic!("stories play scenarios");
        };
        let expected = json!({"replicas": 5, "strategy": {"rollingUpdate": {"maxSurge": 2}}});
        assert_eq!(played["actions"][0]["create"]["spec"], expected);
    }

    #[test]
    fn another_version_may_begin_with_another_change() {
        let change_of_remedy = |change: Option<&str>| {
            let story = story_file(|story| {
                let caption = json!({"rule": null, "title": "a", "text": "b"});
                story["change"] = json!("you change the image");
                story["helps"] = json!({"text": "a", "button": "b", "lanes": [{"name": "c"}], "caption": caption});
                if let Some(change) = change {
                    story["helps"]["change"] = json!(change);
                }
            });
            Story::parse(&story).unwrap().remedy().unwrap().chapter(0).unwrap().change.clone().unwrap()
        };
        assert_eq!(change_of_remedy(None), "you change the image");
        assert_eq!(change_of_remedy(Some("a node is lost")), "a node is lost");
    }

    #[test]
    fn a_problem_is_one_sentence_with_the_path() {
        type Case = (fn(&mut Value), &'static str);
        let cases: [Case; 6] = [
            (|story| story["lanes"] = json!([]), "lanes: Invalid value: 0 items: must have 1 to 3"),
            (|story| story["captions"][0]["tilte"] = json!("x"), "captions[0].tilte: Unsupported value"),
            (|story| drop(story.as_object_mut().unwrap().remove("title")), "title: Required value"),
            (|story| story["lanes"][0]["policy"] = json!(3), "lanes[0].policy: "),
            (|story| story["by"] = json!("zone"), "by: "),
            (|story| story["captions"][0]["text"] = json!("[3](size)"), "captions[0].text: Invalid value: \"size\""),
        ];
        for (change, expected) in cases {
            let problem = Story::parse(&story_file(change)).err().unwrap().to_string();
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
