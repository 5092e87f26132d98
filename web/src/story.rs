//! Stories as their files say them (`docs/stories.md`).

use changeover_core::Problem;
use changeover_core::json::{FromJson, Path, ToJson, decode, wrong};
use changeover_core::scenario::Duration;
use serde_json::{Value, json};

use crate::playback::LaneInfo;
use changeover_wire::object;

/// The gate without which an API server drops the field.
const GATE: &str = "DeploymentPodReplacementPolicy";

/// One of the stories that there are.
#[derive(Clone, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoryEntry {
    /// What its files are called.
    pub name: String,
    /// What the menu says.
    pub label: String,
}

/// A story.
#[derive(Clone, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Story {
    /// The headline.
    pub title: String,
    /// A sentence.
    pub summary: String,
    /// Where it happened.
    #[serde(default)]
    pub source: Vec<SourceLink>,
    /// Where the picture begins, after the scenario's start.
    #[serde(default)]
    begin: Duration,
    /// `replicaSet` or `node`.
    #[serde(default)]
    by: String,
    /// Top to bottom.
    pub lanes: Vec<StoryLane>,
    /// In the order in which Next goes through them.
    pub captions: Vec<Caption>,
    /// What would have helped.
    #[serde(default)]
    pub helps: Option<StoryHelp>,
}

/// A link.
#[derive(Clone, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SourceLink {
    /// What it says.
    pub text: String,
    /// Where it leads.
    pub href: String,
}

/// A lane.
#[derive(Clone, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoryLane {
    /// Its name.
    pub name: String,
    /// What differs.
    #[serde(default)]
    pub says: String,
    /// Which policy.
    #[serde(default)]
    policy: PolicyOverride,
    /// Another scenario.
    #[serde(default)]
    pub scenario: Option<String>,
}

/// A policy that is set (or with null unset) in a scenario; or nothing is changed about it.
#[derive(Clone, Default)]
struct PolicyOverride(Option<Option<String>>);

impl ToJson for PolicyOverride {
    fn to_json(&self) -> Value {
        self.0.clone().flatten().to_json()
    }
}

impl FromJson for PolicyOverride {
    fn blank() -> Self {
        Self(None)
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        self.0.insert(None).read(value, path)
    }
}

/// What is said at a step.
#[derive(Clone, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Caption {
    /// In which lane.
    #[serde(default)]
    pub lane: u32,
    /// The rule's id, `start`, or none for the end.
    pub rule: Option<String>,
    /// What the step is about.
    #[serde(default)]
    about: String,
    /// Which of these steps, from 1.
    #[serde(default)]
    nth: Option<u32>,
    /// How long after it.
    #[serde(default)]
    pub after: Duration,
    /// A few words.
    pub title: String,
    /// One or two sentences.
    pub text: String,
    /// Whether the facts of the lane are open.
    #[serde(default)]
    pub facts: bool,
}

/// What would have helped.
#[derive(Clone, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoryHelp {
    /// A sentence.
    pub text: String,
    /// What its button says.
    pub button: String,
    /// The lanes that it leads to.
    lanes: Vec<StoryLane>,
    /// What is said there.
    caption: Caption,
}

impl Story {
    /// Reads a story.
    ///
    /// # Errors
    /// One sentence with the path.
    pub(crate) fn parse(value: &Value) -> Result<Self, Problem> {
        let story: Self = decode(value, "")?;
        let of = |name: &str, few: usize, most: usize| {
            (few == 0 || few > most)
                .then(|| Problem::new(name, format!("Invalid value: {few} of them: must be 1 to {most}")))
        };
        let helped = story.helps.as_ref().map_or(1, |helps| helps.lanes.len());
        let counts =
            [("lanes", story.lanes.len(), 3), ("captions", story.captions.len(), 99), ("helps.lanes", helped, 3)];
        if let Some(problem) = counts.into_iter().find_map(|(name, few, most)| of(name, few, most)) {
            return Err(problem);
        }
        if !matches!(story.by.as_str(), "" | "replicaSet" | "node") {
            return Err(wrong(&story.by.to_json(), &Path::Key(&Path::Root(""), "by"), "replicaSet or node"));
        }
        Ok(story)
    }

    /// The story in which somebody did what would have helped.
    pub(crate) fn with_help(&self) -> Self {
        let Some(helps) = &self.helps else { return self.clone() };
        Self { lanes: helps.lanes.clone(), captions: vec![helps.caption.clone()], ..self.clone() }
    }

    /// Whether pods are grouped by node at first.
    pub(crate) fn by_node(&self) -> bool {
        self.by == "node"
    }

    /// The names of the scenarios that its lanes need.
    pub(crate) fn scenario_names(&self, name: &str) -> Vec<String> {
        self.lanes.iter().map(|lane| lane.scenario.clone().unwrap_or_else(|| String::from(name))).collect()
    }

    /// What the player is asked to play in a lane, and what the lane is called.
    pub(crate) fn play_request(&self, lane: usize, mut scenario: Value) -> (LaneInfo, Value) {
        let Some(of) = self.lanes.get(lane) else { return (LaneInfo::default(), Value::Null) };
        if let Some(policy) = &of.policy.0 {
            set_policy(&mut scenario, policy.as_deref());
        }
        let proposed = scenario_has_policy(&scenario);
        let rules = LaneInfo { name: of.name.clone(), difference: of.says.clone(), proposed };
        let pins = self.captions.iter().filter_map(|caption| caption.pin(lane)).collect();
        let play = vec![("scenario", scenario), ("begin", self.begin.0.into()), ("pins", Value::Array(pins))];
        (rules, object(play))
    }

    /// Which of a lane's pins a caption's is.
    pub(crate) fn pin_index(&self, caption: usize) -> Option<usize> {
        let this = self.captions.get(caption)?;
        let lane = usize::try_from(this.lane).ok()?;
        this.pin(lane)?;
        let earlier = self.captions.get(..caption)?;
        Some(earlier.iter().filter(|other| other.pin(lane).is_some()).count())
    }
}

impl Caption {
    /// Its pin, where it has one in that lane.
    fn pin(&self, lane: usize) -> Option<Value> {
        let rule = self.rule.as_ref().filter(|rule| *rule != "start")?;
        let here = usize::try_from(self.lane).ok() == Some(lane);
        let nth = self.nth.unwrap_or(1);
        let pin = || vec![("rule", rule.as_str().into()), ("about", self.about.as_str().into()), ("nth", nth.into())];
        here.then(|| object(pin()))
    }
}

/// Sets a policy on every Deployment of a scenario, with the gate that it needs.
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
    if policy.is_some() {
        let gates = map.entry("featureGates").or_insert_with(|| json!({}));
        let parts = ["apiserver", "controllerManager"];
        let apart = parts.iter().any(|part| gates.get(part).is_some());
        for part in if apart { parts.as_slice() } else { &[""] } {
            let gates = if apart { gates.get_mut(part) } else { Some(&mut *gates) };
            if let Some(gates) = gates.and_then(Value::as_object_mut) {
                gates.insert(String::from(GATE), Value::Bool(true));
            }
        }
    }
}

fn set_policy_on(object: &mut Value, policy: Option<&str>) {
    if object.get("kind").and_then(Value::as_str) != Some("Deployment") {
        return;
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
    match policy {
        Some(policy) => drop(spec.insert(String::from("podReplacementPolicy"), Value::from(policy))),
        None => drop(spec.remove("podReplacementPolicy")),
    }
}

/// Whether a Deployment of a scenario has a policy, in which case what is shown is in no release.
fn scenario_has_policy(scenario: &Value) -> bool {
    let has = |object: &Value| object.pointer("/spec/podReplacementPolicy").is_some_and(|policy| !policy.is_null());
    let lists = ["objects", "actions"].map(|name| scenario.get(name).and_then(Value::as_array));
    let mut entries = lists.into_iter().flatten().flatten();
    entries.any(|entry| has(entry) || ["create", "apply"].iter().any(|verb| entry.get(verb).is_some_and(has)))
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
    fn a_lane_may_leave_set_or_unset_the_policy() {
        let story = Story::parse(&story_file(|_| {})).unwrap();
        let deployment = json!({"kind": "Deployment", "spec": {"podReplacementPolicy": "TerminationStarted"}});
        let scenario = json!({"objects": [deployment], "actions": [{"create": deployment}, {"apply": {"kind": "Pod", "spec": {}}}]});
        let played: Vec<(bool, Value)> = (0..3)
            .map(|lane| story.play_request(lane, scenario.clone()))
            .map(|(rules, ask)| (rules.proposed, ask["scenario"].clone()))
            .collect();
        assert_eq!(played[0], (true, scenario));
        assert!(!played[1].0 && played[1].1.get("featureGates").is_none());
        assert_eq!(played[2].1["objects"][0]["spec"]["podReplacementPolicy"], "TerminationComplete");
        assert_eq!(played[2].1["actions"][0]["create"]["spec"]["podReplacementPolicy"], "TerminationComplete");
        assert_eq!(played[2].1["actions"][1]["apply"]["spec"], json!({}));
        assert_eq!(played[2].1["featureGates"], json!({"DeploymentPodReplacementPolicy": true}));
    }

    #[test]
    fn gates_of_components_are_each_set() {
        let mut scenario = json!({"featureGates": {"apiserver": {}, "controllerManager": {"A": false}}});
        set_policy(&mut scenario, Some("TerminationComplete"));
        let gates = json!({"apiserver": {GATE: true}, "controllerManager": {"A": false, GATE: true}});
        assert_eq!(scenario["featureGates"], gates);
    }

    #[test]
    fn pins_are_counted_lane_by_lane() {
        let story = Story::parse(&story_file(|_| {})).unwrap();
        let pins: Vec<Option<usize>> = (0..5).map(|caption| story.pin_index(caption)).collect();
        assert_eq!(pins, [None, Some(0), Some(0), Some(1), None]);
        let (_, first) = story.play_request(0, json!({}));
        assert_eq!(
            first["pins"].as_array().unwrap().iter().map(|pin| pin["rule"].as_str().unwrap()).collect::<Vec<_>>(),
            ["deployment.new.up", "deployment.old.down"]
        );
    }

    #[test]
    fn what_is_wrong_is_one_sentence_with_the_path() {
        type Case = (fn(&mut Value), &'static str);
        let cases: [Case; 5] = [
            (|story| story["lanes"] = json!([]), "lanes: Invalid value: 0 of them: must be 1 to 3"),
            (|story| story["captions"][0]["tilte"] = json!("x"), "captions[0].tilte: Unsupported value"),
            (|story| drop(story.as_object_mut().unwrap().remove("title")), "title: Required value"),
            (|story| story["lanes"][0]["policy"] = json!(3), "lanes[0].policy: "),
            (|story| story["by"] = json!("zone"), "by: "),
        ];
        for (change, expected) in cases {
            let problem = Story::parse(&story_file(change)).err().unwrap().to_string();
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
