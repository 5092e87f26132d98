//! A story with its lanes simulated, as `docs/stories.md` describes, independent of the page's implementation.

use std::rc::Rc;

use changeover_core::json::decode;
use changeover_core::object::{Object, ObjectKey, Time};
use changeover_core::scenario::{Duration, Scenario};
use changeover_core::timeline::{Point, Series, Step, Timeline};
use changeover_core::workload::job::{JobPoint, JobSeries, JobTotals};
use changeover_core::workload::replica_set::ReplicaSet;
use serde_json::{Value, json};

pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/scenarios");

/// A story, and the timelines of its lanes.
pub struct PlayedStory {
    name: String,
    pub file: Value,
    pub lanes: Vec<Lane>,
}

/// A lane and its timeline.
pub struct Lane {
    pub timeline: Timeline,
    pub series: Series,
    begin: Time,
}

pub fn read(file: &str) -> Value {
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}.json"));
    serde_json::from_str(&text.unwrap_or_else(|error| panic!("{file}: {error}"))).unwrap()
}

pub fn duration(value: &Value) -> i64 {
    let text = value.as_str().unwrap_or("0s");
    decode::<Duration>(&json!(text), "").unwrap_or_else(|problem| panic!("{problem}")).0
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is missing in {value}"))
}

impl PlayedStory {
    pub fn of(name: &str) -> Self {
        Self::played(name, read(&format!("{name}.story")))
    }

    /// The story with the user's action that `helps` suggests.
    pub fn with_help(&self) -> Self {
        let mut file = self.file.clone();
        file["lanes"] = file["helps"]["lanes"].take();
        file["captions"] = json!([file["helps"]["caption"].take()]);
        Self::played(&self.name, file)
    }

    /// The smaller cases that it begins with.
    pub fn chapters(name: &str) -> Vec<Self> {
        let chapters = read(&format!("{name}.story"))["chapters"].take();
        chapters.as_array().into_iter().flatten().map(|chapter| Self::played(name, chapter.clone())).collect()
    }

    fn played(name: &str, file: Value) -> Self {
        let begin = duration(&file["begin"]);
        let lanes = file["lanes"].as_array().unwrap().iter().map(|lane| {
            let mut scenario = read(lane["scenario"].as_str().unwrap_or(name));
            if let Some(policy) = lane.get("policy") {
                set_policy(&mut scenario, policy);
            }
            Lane::play(&scenario, begin)
        });
        let lanes = lanes.collect();
        Self { name: name.into(), file, lanes }
    }

    fn caption(&self, caption: usize) -> &Value {
        &self.file["captions"][caption]
    }

    fn lane_of(&self, caption: usize) -> &Lane {
        &self.lanes[usize::try_from(self.caption(caption)["lane"].as_u64().unwrap_or(0)).unwrap()]
    }

    /// The step that a caption is pinned to.
    pub fn step(&self, caption: usize) -> &Step {
        let (lane, pin) = (self.lane_of(caption), self.caption(caption));
        let nth = usize::try_from(pin["nth"].as_u64().unwrap_or(1)).unwrap();
        let about = pin["about"].as_str().unwrap_or_default();
        let steps = lane.steps(text(pin, "rule"), about);
        let found = steps.get(nth - 1);
        found.unwrap_or_else(|| {
            panic!("{}: there are {} such steps for caption {caption}: {pin}", self.name, steps.len())
        })
    }

    /// When a caption is shown.
    pub fn time(&self, caption: usize) -> Time {
        let pin = self.caption(caption);
        let at = match pin["rule"].as_str() {
            Some("start") => self.lane_of(caption).begin,
            Some(_) => self.step(caption).time,
            None => self.lanes.iter().map(Lane::end).max().unwrap(),
        };
        at.plus(duration(&pin["after"]))
    }

    /// A lane when a caption is shown.
    pub fn at(&self, caption: usize, lane: usize) -> PodFigures {
        self.lanes[lane].at(self.time(caption))
    }

    /// spec.replicas of a lane's ReplicaSets when a caption is shown, the oldest first.
    pub fn wanted(&self, caption: usize, lane: usize) -> Vec<i64> {
        let replica_sets = self.lanes[lane].replica_sets(self.time(caption));
        replica_sets.iter().map(|replica_set| i64::from(replica_set.spec.replicas)).collect()
    }

    /// Seconds from one caption to another.
    pub fn seconds(&self, from: usize, to: usize) -> i64 {
        self.time(to).since(self.time(from)) / Time::SECOND
    }

    /// Asserts the numbers in a caption's title and text.
    pub fn assert_caption_numbers(&self, caption: usize, expected: &[i64]) {
        let words = self.caption(caption);
        let sentences = format!("{}: {}", text(words, "title"), text(words, "text"));
        assert_eq!(numbers(&sentences), expected, "{}, caption {caption}: {sentences}", self.name);
    }

    /// Asserts the numbers in the title and the summary.
    pub fn assert_summary_numbers(&self, expected: &[i64]) {
        let sentences = format!("{}: {}", text(&self.file, "title"), text(&self.file, "summary"));
        assert_eq!(numbers(&sentences), expected, "{}: {sentences}", self.name);
    }

    /// Asserts the numbers in the help's text and button.
    pub fn assert_help_numbers(&self, expected: &[i64]) {
        let helps = &self.file["helps"];
        let sentences = format!("{}: {}", text(helps, "text"), text(helps, "button"));
        assert_eq!(numbers(&sentences), expected, "{}: {sentences}", self.name);
    }

    /// Asserts the numbers in the label of the menu.
    pub fn assert_label_numbers(&self, expected: &[i64]) {
        let index = read("index");
        let entry = index.as_array().unwrap().iter().find(|entry| entry["name"] == *self.name).unwrap();
        assert_eq!(numbers(text(entry, "label")), expected, "{}: {entry}", self.name);
    }

    /// Asserts that the captions are in the order of their times.
    pub fn check(&self) {
        let times: Vec<Time> = (0..self.file["captions"].as_array().unwrap().len()).map(|n| self.time(n)).collect();
        assert!(times.is_sorted(), "{}: the captions are out of order: {times:?}", self.name);
    }
}

impl Lane {
    pub fn play(scenario: &Value, begin: i64) -> Self {
        let played: Scenario = serde_json::from_value(scenario.clone()).unwrap_or_else(|error| panic!("{error}"));
        let timeline = Timeline::run(played).unwrap_or_else(|problems| panic!("{problems:?}"));
        let objects = ["objects", "actions"].iter().flat_map(|key| scenario[key].as_array().into_iter().flatten());
        let mut objects = objects.flat_map(|entry| [entry, &entry["create"], &entry["apply"]]);
        let shown = objects.find(|object| object["kind"] == "Deployment" || object["kind"] == "StatefulSet");
        // Without one, such a story is about Jobs.
        let is_shown = |key: &ObjectKey| {
            shown.is_some_and(|shown| shown["metadata"]["name"] == *key.name && shown["kind"] == key.kind.name())
        };
        let series = Series::of_workloads(&timeline).into_iter().find(|(key, _)| is_shown(key));
        let series = series.map(|(_, series)| series).unwrap_or_default();
        let begin = timeline.scenario.start.plus(begin);
        Self { timeline, series, begin }
    }

    /// The data points of each Job.
    pub fn jobs(&self) -> Vec<JobSeries> {
        JobSeries::of_all(&self.timeline).into_iter().map(|(_, series)| series).collect()
    }

    /// The totals of a lane with one Job.
    pub fn job_totals(&self) -> JobTotals {
        let jobs = self.jobs();
        assert_eq!(jobs.len(), 1, "one Job");
        JobTotals::of(&jobs[0].points, self.begin, self.end())
    }

    /// The Job of a lane with one Job, at a time.
    pub fn job_at(&self, time: Time) -> JobPoint {
        let jobs = self.jobs();
        let at = jobs[0].points.partition_point(|point| point.time <= time);
        jobs[0].points[at - 1].clone()
    }

    /// Seconds from the story's beginning to the first step of a rule about an object.
    pub fn seconds_until(&self, rule: &str, about: &str, nth: usize) -> i64 {
        seconds(self.steps(rule, about)[nth - 1].time.since(self.begin))
    }

    /// The seconds during which an index had two pods at once.
    pub fn seconds_with_two_of_index(&self) -> i64 {
        let jobs = self.jobs();
        let next = jobs[0].points.iter().skip(1).map(|point| point.time).chain([self.end()]);
        let spans = jobs[0].points.iter().zip(next).filter(|(point, _)| point.most_of_index > 1);
        seconds(spans.map(|(point, next)| next.since(point.time)).sum())
    }

    /// The steps of a rule from the story's beginning on.
    pub fn steps(&self, rule: &str, about: &str) -> Vec<&Step> {
        let fits = |step: &&Step| step.time >= self.begin && step.reason().rule.id == rule && is_about(step, about);
        self.timeline.steps.iter().filter(fits).collect()
    }

    /// The pods after everything that happens at a time.
    pub fn at(&self, time: Time) -> PodFigures {
        PodFigures::of(self.series.at(self.timeline.frame_at(time)).unwrap())
    }

    /// The ReplicaSets at that time, the oldest first.
    pub fn replica_sets(&self, time: Time) -> Vec<Rc<ReplicaSet>> {
        let mut cursor = self.timeline.cursor();
        cursor.seek(&self.timeline, self.timeline.frame_at(time));
        let mut all: Vec<Rc<ReplicaSet>> = cursor.state().objects().filter_map(Object::typed).cloned().collect();
        all.sort_by_key(|replica_set| replica_set.metadata.creation_timestamp);
        all
    }

    /// The pods that are active at a time.
    pub fn active(&self, time: Time) -> Vec<Rc<str>> {
        let mut cursor = self.timeline.cursor();
        cursor.seek(&self.timeline, self.timeline.frame_at(time));
        cursor.state().pods().filter(|pod| pod.is_active()).map(|pod| pod.metadata.name.clone()).collect()
    }

    pub fn end(&self) -> Time {
        self.timeline.time_at(self.timeline.len())
    }

    /// The data points from the story's beginning on.
    pub fn points(&self) -> impl Iterator<Item = PodFigures> {
        self.series.points.iter().filter(|point| point.time >= self.begin).map(PodFigures::of)
    }

    /// The maximum number of pods since the story began.
    pub fn peak(&self) -> i64 {
        self.points().map(|seen| seen.holding).max().unwrap()
    }

    /// The seconds during which there were more pods than the limit.
    pub fn seconds_over(&self) -> i64 {
        self.timeline.totals("default", "web", self.begin).over / Time::SECOND
    }

    /// Nanoseconds from the change of the template until the controller reports the rollout as complete.
    pub fn complete_after(&self) -> i64 {
        let changed = self.first("user.set-template").time;
        self.timeline.totals("default", "web", changed).complete.unwrap()
    }

    /// The first step of a rule from the story's beginning on.
    pub fn first(&self, rule: &str) -> &Step {
        self.steps(rule, "").first().copied().unwrap_or_else(|| panic!("there is no {rule}"))
    }
}

/// The pods of a lane at a time.
pub struct PodFigures {
    pub available: i64,
    pub pending: i64,
    pub unknown: i64,
    pub terminating: i64,
    pub holding: i64,
    pub desired: i64,
    pub limit: i64,
    pub min_available: i64,
    pub over: i64,
}

impl PodFigures {
    fn of(point: &Point) -> Self {
        let (counts, marks) = (point.counts, point.marks);
        let [holding, limit] = [counts.holding(), marks.limit].map(i64::from);
        Self {
            available: counts.available.into(),
            pending: counts.pending.into(),
            unknown: counts.unknown.into(),
            terminating: counts.terminating.into(),
            holding,
            desired: marks.desired.into(),
            limit,
            min_available: marks.min_available.into(),
            over: (holding - limit).max(0),
        }
    }

    /// The number of pods that the limit allows beyond the desired ones.
    pub fn surge(&self) -> i64 {
        self.limit - self.desired
    }
}

/// Nanoseconds as whole seconds, as on the page's clock.
pub fn seconds(nanoseconds: i64) -> i64 {
    nanoseconds / Time::SECOND
}

/// A number in a step's reason.
pub fn operand(step: &Step, name: &str) -> i64 {
    let reason = step.reason();
    let value = reason.value(name).map_or_else(|| panic!("{} has no {name}", reason.rule.id), ToString::to_string);
    value.replace('−', "-").parse().unwrap_or_else(|_| panic!("{name} is {value}"))
}

fn is_about(step: &Step, about: &str) -> bool {
    let written = step.change.as_ref().map(|change| &change.key);
    let fits = |key: &ObjectKey| key.kind.name() == about || key.name.starts_with(about);
    about.is_empty()
        || fits(&step.about)
        || written.is_some_and(|key| fits(key))
        || step.reason().values.iter().any(|value| value.to_string() == about)
}

/// Sets a policy on every Deployment or Job of a scenario, with the gate that it needs on Deployments.
fn set_policy(scenario: &mut Value, policy: &Value) {
    let mut has_deployment = false;
    for key in ["objects", "actions"] {
        for entry in scenario[key].as_array_mut().into_iter().flatten() {
            for pointer in ["", "/create", "/apply"] {
                let is_workload = |object: &&mut Value| object["kind"] == "Deployment" || object["kind"] == "Job";
                if let Some(object) = entry.pointer_mut(pointer).filter(is_workload) {
                    has_deployment |= object["kind"] == "Deployment";
                    object["spec"]["podReplacementPolicy"] = policy.clone();
                }
            }
        }
    }
    if has_deployment && !policy.is_null() {
        scenario["featureGates"]["DeploymentPodReplacementPolicy"] = true.into();
    }
}

const WORDS: [&str; 19] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The numbers in a text, including words from two on ("one" is rarely a number). A sign or a decimal point is part of
/// the number; the number of a KEP does not count, and a time like `5 min 52 s` is its seconds.
pub fn numbers(text: &str) -> Vec<i64> {
    let text = text.replace("KEP-", "KEP");
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != ',').flat_map(|part| part.split(", "));
    let words: Vec<&str> = parts.map(|part| part.trim_end_matches(',')).filter(|part| !part.is_empty()).collect();
    let mut numbers = Vec::new();
    let mut rest = words.as_slice();
    while let [first, after @ ..] = rest {
        let (number, after) = match (number(first), after) {
            (Some(minutes), ["min", seconds, "s", after @ ..]) => {
                (number(seconds).map(|seconds| 60 * minutes + seconds), after)
            }
            (Some(minutes), ["min", after @ ..]) => (Some(60 * minutes), after),
            (number, after) => (number, after),
        };
        numbers.extend(number);
        rest = after;
    }
    numbers
}

fn number(part: &str) -> Option<i64> {
    let word = part.to_lowercase();
    if let Some(index) = WORDS.iter().position(|known| *known == word) {
        return i64::try_from(index + 2).ok();
    }
    part.replace(',', "").parse().ok()
}
